/* zip.h - the members of a zip file, stored or deflated.
 */
#ifndef GI_ZIP_H
#define GI_ZIP_H

#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "base/run.h"
#include "base/status.h"

typedef struct gi_zip_member {
    struct gi_zip *zip;
    char *name;  /* inside the file */
    char *label; /* for messages: `x.npz: member "a.npy"` */
    int deflated;
    uint32_t crc;    /* as declared */
    uint64_t size;   /* unpacked */
    uint64_t packed; /* bytes in the file, from `begin` on */
    uint64_t begin;

    uint64_t position;    /* next unpacked byte */
    uint64_t packed_at;   /* next byte for the z_stream */
    uint32_t running;     /* CRC of the bytes before `position` ... */
    int whole;            /* ... if all of them were seen */
    struct z_stream_s *z; /* zlib's, while it unpacks */
} gi_zip_member;

typedef struct gi_zip {
    gi_input *in;
    gi_zip_member *member;
    size_t count;
    unsigned char *buffer; /* packed bytes on their way */
} gi_zip;

/* Read the central directory; `in` stays the caller's.  On failure gi_zip_free
 * is still due.  Errors: PARSE (damaged, encrypted, another method, a size
 * that deflate cannot reach), IO, MEMORY. */
gram_status gi_zip_open(gi_run *run, gi_input *in, gi_zip *out);

/* n unpacked bytes of a member (the first argument) at `offset`.  Going on
 * where the last call ended is cheap; going back in a deflated member unpacks
 * it anew from its first byte.  When the end is reached and all bytes before
 * it were read in order, the CRC-32 is checked. */
gram_status gi_zip_at(void *member, uint64_t offset, void *buffer, size_t n);

/* Read a member from end to end, for its CRC. */
gram_status gi_zip_verify(gi_zip_member *m);

/* Free what reading holds; it may go on later, from the first byte. */
void gi_zip_pause(gi_zip_member *m);

void gi_zip_free(gi_zip *z);

#endif
