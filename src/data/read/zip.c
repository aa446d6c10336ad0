/* zip.c - zip files as far as .npz needs them: stored and deflated members,
 * zip64, CRC-32.
 *
 * The end record, at the very end of the file, says where the central
 * directory is; the directory says where the members are.  Every number is
 * compared with the bytes that are really there before it is used.  Deflate
 * cannot pack better than 258 bytes into two bits, 1032 to 1, so a member that
 * claims more is a zip bomb, and so are members that share their bytes.
 * Source: PKWARE, APPNOTE.TXT 6.3, sections 4.3 and 4.5.
 */
#include "data/read/zip.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/limits.h"
#include "base/mem.h"

enum {
    END = 22,     /* bytes of the end record, without its comment */
    LOCATOR = 20, /* of the zip64 locator before it */
    END64 = 56,   /* of the zip64 end record */
    ENTRY = 46,   /* of an entry of the directory */
    LOCAL = 30,   /* of the header in front of a member */
    COMMENT_MOST = 65535,
    NAME_MOST = 255,
    DEFLATE_MOST = 1032,
    BUFFER = GI_ZIP_BYTES
};

static const uint32_t NOT_HERE = 0xffffffff; /* see the zip64 field */

static uint16_t le16(const unsigned char *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t le32(const unsigned char *p)
{
    return le16(p) | (uint32_t)le16(p + 2) << 16;
}

static uint64_t le64(const unsigned char *p)
{
    return le32(p) | (uint64_t)le32(p + 4) << 32;
}

static gram_status damaged(const gi_zip *z, const char *what)
{
    return gi_fail(GRAM_ERR_PARSE, "%s: damaged zip file: %s",
                   gi_input_name(z->in), what);
}

/* -------------------------------------------------------------- directory */

typedef struct directory {
    uint64_t begin, size, count;
} directory;

/* The 64-bit end record that takes the place of the one at `end`. */
static gram_status read_end64(gi_zip *z, uint64_t end, directory *d)
{
    gram_status status = GRAM_OK;
    unsigned char locator[LOCATOR], p[END64];
    uint64_t at;

    if (end < LOCATOR)
        return damaged(z, "no zip64 end record");
    GI_TRY(gi_input_at(z->in, end - LOCATOR, locator, LOCATOR));
    at = le64(locator + 8);
    if (memcmp(locator, "PK\6\7", 4) != 0 || at > end - LOCATOR ||
        end - LOCATOR - at < END64)
        return damaged(z, "no zip64 end record");
    GI_TRY(gi_input_at(z->in, at, p, END64));
    if (memcmp(p, "PK\6\6", 4) != 0)
        return damaged(z, "no zip64 end record");
    d->count = le64(p + 32);
    d->size = le64(p + 40);
    d->begin = le64(p + 48);
done:
    return status;
}

/* The last place in the n bytes at p where an end record fits, its comment
 * reaching to the end; n if there is none. */
static size_t find_end(const unsigned char *p, size_t n)
{
    for (size_t back = END; back <= n; back++) {
        const unsigned char *q = p + n - back;

        if (memcmp(q, "PK\5\6", 4) == 0 && le16(q + 20) == back - END)
            return n - back;
    }
    return n;
}

static gram_status find_directory(gi_run *run, gi_zip *z, directory *d)
{
    gram_status status = GRAM_OK;
    unsigned char *tail = NULL, *p;
    uint64_t total = 0, end;
    size_t n, at;

    GI_TRY(gi_input_random(z->in, &total));
    n = total < END + COMMENT_MOST ? (size_t)total : END + COMMENT_MOST;
    GI_TRY(GI_NEW(run, tail, n));
    GI_TRY(gi_input_at(z->in, total - n, tail, n));
    at = find_end(tail, n);
    if (at == n) {
        status = damaged(z, "it has no end record");
        goto done;
    }
    p = tail + at;
    end = total - n + at;
    *d = (directory){le32(p + 16), le32(p + 12), le16(p + 10)};
    if (d->begin == NOT_HERE || d->size == NOT_HERE || d->count == 0xffff)
        GI_TRY(read_end64(z, end, d));
    if (d->begin > end || d->size > end - d->begin ||
        d->count > d->size / ENTRY)
        status = damaged(z, "its directory is not within the file");
done:
    gi_free(tail);
    return status;
}

/* Sizes and offsets that do not fit into 32 bits are in an extra field. */
static int read_extra(const unsigned char *p, size_t n, gi_zip_member *m)
{
    uint64_t *const wide[] = {&m->size, &m->packed, &m->begin};
    const unsigned char *end = p + n, *q = NULL, *q_end = NULL;

    while (end - p >= 4 && le16(p + 2) <= end - p - 4) {
        if (le16(p) == 1) {
            q = p + 4;
            q_end = q + le16(p + 2);
        }
        p += 4 + le16(p + 2);
    }
    for (size_t i = 0; i < 3; i++)
        if (*wide[i] == NOT_HERE) {
            if (!q || q_end - q < 8)
                return 0;
            *wide[i] = le64(q);
            q += 8;
        }
    return 1;
}

/* Names for the member, inside the file and in messages. */
static gram_status name_member(gi_run *run, gi_zip_member *m,
                               const unsigned char *s, size_t n)
{
    gram_status status = GRAM_OK;
    const char *file = gi_input_name(m->zip->in);
    size_t size = strlen(file) + n + 32;

    if (n > NAME_MOST || memchr(s, '\0', n))
        return damaged(m->zip, "a member's name is too long or has a NUL");
    GI_TRY(gi_strndup(run, (const char *)s, n, &m->name));
    GI_TRY(GI_NEW(run, m->label, size));
    snprintf(m->label, size, "%s: member \"%s\"", file, m->name);
done:
    return status;
}

static gram_status check_member(const gi_zip_member *m, unsigned flags,
                                unsigned method)
{
    enum { ENCRYPTED = 1 << 0 | 1 << 6 | 1 << 13, STORE = 0, DEFLATE = 8 };

    if (flags & ENCRYPTED)
        return gi_fail(GRAM_ERR_PARSE, "%s: is encrypted", m->label);
    if (method != STORE && method != DEFLATE)
        return gi_fail(GRAM_ERR_PARSE,
                       "%s: packed by method %u, must be stored (0) or "
                       "deflated (8)",
                       m->label, method);
    if (method == STORE ? m->size != m->packed
                        : m->size / DEFLATE_MOST > m->packed)
        return gi_fail(GRAM_ERR_PARSE,
                       "%s: %llu packed bytes cannot hold %llu bytes", m->label,
                       (unsigned long long)m->packed,
                       (unsigned long long)m->size);
    return GRAM_OK;
}

/* Find where the member's bytes begin, after the header at m->begin. */
static gram_status find_bytes(gi_zip_member *m, const directory *d)
{
    gram_status status = GRAM_OK;
    unsigned char p[LOCAL] = "";
    uint64_t skip = 0,
             available = m->begin < d->begin ? d->begin - m->begin : 0;

    if (available >= LOCAL) {
        GI_TRY(gi_input_at(m->zip->in, m->begin, p, LOCAL));
        skip = (uint64_t)LOCAL + le16(p + 26) + le16(p + 28);
    }
    if (memcmp(p, "PK\3\4", 4) != 0 || skip > available ||
        m->packed > available - skip)
        return gi_fail(GRAM_ERR_PARSE, "%s: is not within the file", m->label);
    m->begin += skip;
done:
    return status;
}

/* One entry at p; *n is set to its length. */
static gram_status read_entry(gi_run *run, gi_zip_member *m, const directory *d,
                              const unsigned char *p, size_t *n)
{
    gram_status status = GRAM_OK;
    size_t name, extra;

    if (*n < ENTRY || memcmp(p, "PK\1\2", 4) != 0)
        return damaged(m->zip, "its directory ends early");
    name = le16(p + 28);
    extra = le16(p + 30);
    if (*n - ENTRY < name + extra + le16(p + 32))
        return damaged(m->zip, "its directory ends early");
    *n = ENTRY + name + extra + le16(p + 32);
    GI_TRY(name_member(run, m, p + ENTRY, name));
    m->deflated = le16(p + 10) != 0;
    m->crc = le32(p + 16);
    m->packed = le32(p + 20);
    m->size = le32(p + 24);
    m->begin = le32(p + 42);
    if (!read_extra(p + ENTRY + name, extra, m))
        return damaged(m->zip, "a zip64 field is not there");
    GI_TRY(check_member(m, le16(p + 8), le16(p + 10)));
    GI_TRY(find_bytes(m, d));
done:
    return status;
}

gram_status gi_zip_open(gi_run *run, gi_input *in, gi_zip *out)
{
    gram_status status = GRAM_OK;
    unsigned char *entries = NULL;
    uint64_t packed = 0;
    directory d = {0};
    size_t at = 0;

    *out = (gi_zip){.in = in};
    GI_TRY(find_directory(run, out, &d));
    GI_TRY(GI_NEW(run, entries, d.size));
    GI_TRY(gi_input_at(in, d.begin, entries, d.size));
    GI_TRY(GI_NEW_ZERO(run, out->member, d.count));
    GI_TRY(GI_NEW(run, out->buffer, BUFFER));
    while (out->count < d.count) {
        gi_zip_member *m = &out->member[out->count++];
        size_t n = d.size - at;

        m->zip = out;
        GI_TRY(read_entry(run, m, &d, entries + at, &n));
        at += n;
        packed += m->packed; /* each is below the file's size: no overflow */
        if (packed > d.begin) {
            status = damaged(out, "its members overlap");
            goto done;
        }
    }
done:
    gi_free(entries);
    return status;
}

/* ---------------------------------------------------------------- reading */

/* Go back to the first byte. */
static gram_status restart(gi_zip_member *m)
{
    gram_status status = GRAM_OK;

    gi_zip_pause(m);
    if (m->deflated) {
        GI_TRY(GI_NEW_ZERO(NULL, m->z, 1));
        /* no header: the zip file has one */
        if (inflateInit2(m->z, -15) != Z_OK) {
            gi_free(m->z);
            m->z = NULL;
            return gi_fail(GRAM_ERR_MEMORY, "%s: out of memory for inflate",
                           m->label);
        }
    }
    m->position = m->packed_at = 0;
    m->running = 0;
    m->whole = 1;
done:
    return status;
}

/* Run the z_stream until its output is full or the member ends.  The buffer
 * is shared by all members: what is left of it is read again next time. */
static gram_status unpack(gi_zip_member *m, int *ended)
{
    gram_status status = GRAM_OK;
    int code = Z_OK;

    m->z->avail_in = 0;
    while (m->z->avail_out && code != Z_STREAM_END) {
        uint64_t left = m->packed - m->packed_at;

        if (m->z->avail_in == 0 && left) {
            m->z->avail_in = left < BUFFER ? (unsigned)left : BUFFER;
            m->z->next_in = m->zip->buffer;
            GI_TRY(gi_input_at(m->zip->in, m->begin + m->packed_at,
                               m->zip->buffer, m->z->avail_in));
            m->packed_at += m->z->avail_in;
        }
        code = inflate(m->z, Z_NO_FLUSH);
        if (code != Z_OK && code != Z_STREAM_END)
            return gi_fail(GRAM_ERR_PARSE, "%s: damaged deflate data (%s)",
                           m->label, m->z->msg ? m->z->msg : "they end early");
    }
    *ended = code == Z_STREAM_END;
done:
    m->packed_at -= m->z->avail_in;
    m->z->avail_in = 0;
    return status;
}

/* The next n bytes, which must be there. */
static gram_status take(gi_zip_member *m, unsigned char *p, size_t n)
{
    gram_status status = GRAM_OK;
    int ended = 0;

    while (n > 0) {
        unsigned some = n < 1u << 30 ? (unsigned)n : 1u << 30;

        if (m->deflated) {
            m->z->next_out = p;
            m->z->avail_out = some;
            GI_TRY(unpack(m, &ended));
            if (m->z->avail_out)
                return gi_fail(GRAM_ERR_PARSE,
                               "%s: holds fewer than the declared %llu bytes",
                               m->label, (unsigned long long)m->size);
        } else {
            GI_TRY(gi_input_at(m->zip->in, m->begin + m->position, p, some));
        }
        m->running = (uint32_t)crc32(m->running, p, some);
        m->position += some;
        p += some;
        n -= some;
    }
done:
    return status;
}

/* At the end of the member: there must be no more bytes, and the CRC must be
 * right. */
static gram_status finish(gi_zip_member *m)
{
    gram_status status = GRAM_OK;
    unsigned char more;
    int ended = 0;

    if (m->deflated) {
        m->z->next_out = &more;
        m->z->avail_out = 1;
        GI_TRY(unpack(m, &ended));
        if (!ended || m->z->avail_out == 0 || m->packed_at != m->packed)
            return gi_fail(GRAM_ERR_PARSE,
                           "%s: holds more than the declared %llu bytes",
                           m->label, (unsigned long long)m->size);
    }
    if (m->running != m->crc)
        return gi_fail(GRAM_ERR_PARSE,
                       "%s: damaged: CRC-32 is %08x, must be %08x", m->label,
                       m->running, m->crc);
    gi_zip_pause(m);
done:
    return status;
}

gram_status gi_zip_at(void *member, uint64_t offset, void *buffer, size_t n)
{
    gram_status status = GRAM_OK;
    gi_zip_member *m = member;
    unsigned char skipped[4096];

    if (offset > m->size || n > m->size - offset)
        return gi_fail(GRAM_ERR_PARSE, "%s: ends early: byte %llu of %llu",
                       m->label, (unsigned long long)(offset + n),
                       (unsigned long long)m->size);
    if (offset == 0 || offset < m->position || (m->deflated && !m->z))
        GI_TRY(restart(m));
    if (!m->deflated && offset != m->position) {
        m->position = offset;
        m->whole = 0;
    }
    while (m->position < offset) {
        uint64_t gap = offset - m->position;

        GI_TRY(take(m, skipped,
                    gap < sizeof skipped ? (size_t)gap : sizeof skipped));
    }
    GI_TRY(take(m, buffer, n));
    if (m->position == m->size && m->whole)
        GI_TRY(finish(m));
done:
    return status;
}

gram_status gi_zip_verify(gi_zip_member *m)
{
    gram_status status = GRAM_OK;
    unsigned char bytes[4096];
    uint64_t at = 0;

    while (at < m->size) {
        uint64_t left = m->size - at;
        size_t n = left < sizeof bytes ? (size_t)left : sizeof bytes;

        GI_TRY(gi_zip_at(m, at, bytes, n));
        at += n;
    }
done:
    return status;
}

void gi_zip_pause(gi_zip_member *m)
{
    if (m->z)
        inflateEnd(m->z);
    gi_free(m->z);
    m->z = NULL;
}

void gi_zip_free(gi_zip *z)
{
    for (size_t i = 0; z->member && i < z->count; i++) {
        gi_zip_pause(&z->member[i]);
        gi_free(z->member[i].name);
        gi_free(z->member[i].label);
    }
    gi_free(z->member);
    gi_free(z->buffer);
    *z = (gi_zip){0};
}
