/* file.h - bytes in and out.
 *
 * An input is a file, standard input or text in memory, gunzipped on the way
 * if it is gzip.  An output is written beside its place, synced and renamed:
 * until gi_output_commit() succeeds nothing is seen under its name.
 */
#ifndef GI_FILE_H
#define GI_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/run.h"
#include "base/status.h"

typedef struct gi_input gi_input;

/* path "-" is standard input.  Keeps `run`, which is ticked when a signal
 * interrupts a read, so that waiting for a pipe can be cancelled.  Errors: IO
 * (not there, a directory, no permission), CANCELLED. */
gram_status gi_input_open(gi_run *run, const char *path, gi_input **out);

/* The n bytes at `data`, which the caller keeps until the input is freed;
 * `name` is for messages. */
gram_status gi_input_memory(gi_run *run, const char *name, const void *data,
                            size_t n, gi_input **out);

/* Up to n bytes; *got = 0 only at the end.  Errors: IO, PARSE (gzip that is
 * damaged or cut off). */
gram_status gi_input_read(gi_input *in, void *buffer, size_t n, size_t *got);

/* Exactly n bytes; PARSE "... ends early" otherwise. */
gram_status gi_input_exactly(gi_input *in, void *buffer, size_t n);

/* Back to the first byte.  Standard input is copied to an unnamed temporary
 * file while it is read, so this always works. */
gram_status gi_input_rewind(gi_input *in);

/* Make random access possible: gzip and standard input are unpacked into an
 * unnamed temporary file.  *total is the number of (unpacked) bytes.
 * gi_input_at() then reads n bytes at `offset` and leaves the position of
 * gi_input_read() where it was. */
gram_status gi_input_random(gi_input *in, uint64_t *total);
gram_status gi_input_at(gi_input *in, uint64_t offset, void *buffer, size_t n);

/* The first bytes, without moving the position: n of them, or all if the input
 * is shorter. */
gram_status gi_input_peek(gi_input *in, void *buffer, size_t n, size_t *got);

/* How far reading is, 0..1 (0 when the size is not known). */
double gi_input_done(const gi_input *in);

/* Unpacked bytes in all, or 0 if not known (gzip, pipe). */
uint64_t gi_input_size(const gi_input *in);

/* The name for messages: the path, or "standard input". */
const char *gi_input_name(const gi_input *in);

/* Does the path end in .ext or .ext.gz, whatever the case, for one of the
 * comma-separated extensions? */
int gi_path_has_extension(const char *path, const char *extensions);

void gi_input_free(gi_input *in);

typedef struct gi_output gi_output;

/* path "-" is standard output; a path that ends in .gz is packed.  Errors: IO
 * (no such folder, no permission, a directory). */
gram_status gi_output_open(gi_run *run, const char *path, gi_output **out);
gram_status gi_output_write(gi_output *out, const void *data, size_t n);

/* Flush, sync, and give the file its name; only then is it there. */
gram_status gi_output_commit(gi_output *out);

/* If it was not committed, the file under its name is as it was before. */
void gi_output_free(gi_output *out);

#endif
