/* input.c - bytes from files, pipes and memory, gunzipped on the way.
 *
 * Two stages.  The raw stage reads bytes at a position: from memory, from a
 * regular file, or from a pipe, whose bytes are copied to an unnamed temporary
 * file as they come, so that a second pass is always possible.  The second
 * stage unpacks gzip (also several members one after the other) if the first
 * bytes say so.  The cost of a pipe is one write of its bytes to TMPDIR.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/limits.h"
#include "base/mem.h"

enum { PACKED_ROOM = GI_INPUT_BYTES };

struct gi_input {
    gi_run *run;
    char *name;
    int fd;    /* file or pipe; -1: memory */
    int spool; /* copy of a pipe; -1: none */
    const unsigned char *memory;
    uint64_t raw_at;   /* next raw byte */
    uint64_t raw_size; /* 0: not known */
    uint64_t spooled;  /* bytes of the pipe in the spool */
    int gzip;
    int unpacking; /* the z_stream is alive */
    int at_end;    /* of the last gzip member */
    z_stream z;
    unsigned char *packed; /* raw bytes for the z_stream */
    unsigned char *peeked; /* unpacked bytes read ahead */
    size_t peeked_at, peeked_n;
    uint64_t position; /* unpacked bytes handed out */
};

static gram_status io_error(const gi_input *in, const char *what)
{
    return gi_fail(GRAM_ERR_IO, "%s: %s: %s", in->name, what, strerror(errno));
}

/* An unnamed file in TMPDIR. */
static int temporary_file(void)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    int fd;

    if (!folder || strlen(folder) > sizeof path - 32)
        folder = "/tmp";
    fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
        return fd;
    strcpy(path, folder);
    strcat(path, "/gram.XXXXXX");
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

static int write_all(int fd, const unsigned char *p, size_t n)
{
    while (n > 0) {
        ssize_t k = write(fd, p, n);

        if (k < 0 && errno != EINTR)
            return 0;
        if (k > 0) {
            p += k;
            n -= (size_t)k;
        }
    }
    return 1;
}

/* Bytes from a pipe: those seen before from the spool, new ones into it. */
static ssize_t read_pipe(gi_input *in, unsigned char *p, size_t n)
{
    ssize_t k;

    if (in->raw_at < in->spooled) {
        uint64_t left = in->spooled - in->raw_at;

        return pread(in->spool, p, n < left ? n : (size_t)left,
                     (off_t)in->raw_at);
    }
    k = read(in->fd, p, n);
    if (k > 0) {
        if (!write_all(in->spool, p, (size_t)k))
            return -1;
        in->spooled += (uint64_t)k;
    }
    return k;
}

static gram_status raw_read(gi_input *in, void *buffer, size_t n, size_t *got)
{
    gram_status status = GRAM_OK;
    ssize_t k;

    if (in->fd < 0) {
        size_t left = (size_t)(in->raw_size - in->raw_at);

        k = (ssize_t)(n < left ? n : left);
        if (k)
            memcpy(buffer, in->memory + in->raw_at, (size_t)k);
    } else {
        for (;;) {
            k = in->spool >= 0 ? read_pipe(in, buffer, n)
                               : pread(in->fd, buffer, n, (off_t)in->raw_at);
            if (k >= 0 || errno != EINTR)
                break;
            GI_TRY(gi_run_tick(in->run, gi_input_done(in))); /* Ctrl-C? */
        }
        if (k < 0)
            return io_error(in, "cannot be read");
    }
    in->raw_at += (uint64_t)k;
    *got = (size_t)k;
done:
    return status;
}

/* gzip by its first two bytes. */
static gram_status detect_gzip(gi_run *run, gi_input *in)
{
    gram_status status = GRAM_OK;
    unsigned char magic[2] = {0, 0};
    size_t n = 0, got = 1;

    while (n < 2 && got) {
        GI_TRY(raw_read(in, magic + n, 2 - n, &got));
        n += got;
    }
    in->raw_at = 0;
    in->gzip = magic[0] == 0x1f && magic[1] == 0x8b;
    if (in->gzip)
        GI_TRY(GI_NEW(run, in->packed, PACKED_ROOM));
done:
    return status;
}

static gram_status start_unpacking(gi_input *in)
{
    memset(&in->z, 0, sizeof in->z);
    if (inflateInit2(&in->z, 15 + 16) != Z_OK)
        return gi_fail(GRAM_ERR_MEMORY, "%s: out of memory for gzip", in->name);
    in->unpacking = 1;
    in->at_end = 0;
    return GRAM_OK;
}

/* After a member: another one follows, or this is the end. */
static gram_status next_member(gi_input *in)
{
    unsigned char *p = in->packed;
    size_t got = 0;
    gram_status status = GRAM_OK;

    memmove(p, in->z.next_in, in->z.avail_in);
    in->z.next_in = p;
    while (in->z.avail_in < 2) {
        GI_TRY(raw_read(in, p + in->z.avail_in, PACKED_ROOM - in->z.avail_in,
                        &got));
        if (got == 0)
            break;
        in->z.avail_in += (unsigned)got;
    }
    in->at_end = in->z.avail_in < 2 || p[0] != 0x1f || p[1] != 0x8b;
    if (!in->at_end)
        inflateReset(&in->z);
done:
    return status;
}

static gram_status unpack(gi_input *in, void *buffer, size_t n, size_t *got)
{
    gram_status status = GRAM_OK;
    unsigned most = n > 1u << 30 ? 1u << 30 : (unsigned)n;

    if (!in->unpacking)
        GI_TRY(start_unpacking(in));
    in->z.next_out = buffer;
    in->z.avail_out = most;
    while (in->z.avail_out == most && !in->at_end) {
        size_t more = 0;
        int code;

        if (in->z.avail_in == 0) {
            GI_TRY(raw_read(in, in->packed, PACKED_ROOM, &more));
            if (more == 0)
                return gi_fail(GRAM_ERR_PARSE, "%s: gzip data end early",
                               in->name);
            in->z.next_in = in->packed;
            in->z.avail_in = (unsigned)more;
        }
        code = inflate(&in->z, Z_NO_FLUSH);
        if (code == Z_STREAM_END)
            GI_TRY(next_member(in));
        else if (code != Z_OK && code != Z_BUF_ERROR)
            return gi_fail(GRAM_ERR_PARSE, "%s: damaged gzip data (%s)",
                           in->name, in->z.msg ? in->z.msg : "no reason given");
    }
    *got = most - in->z.avail_out;
done:
    return status;
}

static gram_status open_fd(gi_input *in, const char *path)
{
    struct stat st;

    in->fd = strcmp(path, "-") == 0 ? dup(0) : open(path, O_RDONLY | O_CLOEXEC);
    if (in->fd < 0 || fstat(in->fd, &st) != 0)
        return io_error(in, "cannot be opened");
    if (S_ISDIR(st.st_mode))
        return gi_fail(GRAM_ERR_IO, "%s: is a directory, must be a file",
                       in->name);
    if (S_ISREG(st.st_mode)) {
        in->raw_size = (uint64_t)st.st_size;
    } else {
        in->spool = temporary_file();
        if (in->spool < 0)
            return io_error(in, "no temporary file for it");
    }
    return GRAM_OK;
}

static gram_status new_input(gi_run *run, const char *name, gi_input **out)
{
    gram_status status = GRAM_OK;
    gi_input *in = NULL;

    GI_TRY(GI_NEW_ZERO(run, in, 1));
    in->run = run;
    in->fd = in->spool = -1;
    GI_TRY(gi_strndup(run, name, strlen(name), &in->name));
    *out = in;
    in = NULL;
done:
    gi_input_free(in);
    return status;
}

gram_status gi_input_open(gi_run *run, const char *path, gi_input **out)
{
    gram_status status = GRAM_OK;
    gi_input *in = NULL;

    if (!*path)
        return gi_fail(GRAM_ERR_IO, "a file without a name, must have one");
    GI_TRY(
        new_input(run, strcmp(path, "-") == 0 ? "standard input" : path, &in));
    GI_TRY(open_fd(in, path));
    GI_TRY(detect_gzip(run, in));
    *out = in;
    in = NULL;
done:
    gi_input_free(in);
    return status;
}

gram_status gi_input_memory(gi_run *run, const char *name, const void *data,
                            size_t n, gi_input **out)
{
    gram_status status = GRAM_OK;
    gi_input *in = NULL;

    GI_TRY(new_input(run, name, &in));
    in->memory = data;
    in->raw_size = n;
    GI_TRY(detect_gzip(run, in));
    *out = in;
    in = NULL;
done:
    gi_input_free(in);
    return status;
}

gram_status gi_input_read(gi_input *in, void *buffer, size_t n, size_t *got)
{
    gram_status status = GRAM_OK;
    size_t ahead = in->peeked_n - in->peeked_at;

    if (ahead) {
        *got = n < ahead ? n : ahead;
        memcpy(buffer, in->peeked + in->peeked_at, *got);
        in->peeked_at += *got;
    } else {
        status = (in->gzip ? unpack : raw_read)(in, buffer, n, got);
    }
    if (status == GRAM_OK)
        in->position += *got;
    return status;
}

gram_status gi_input_exactly(gi_input *in, void *buffer, size_t n)
{
    gram_status status = GRAM_OK;
    size_t done_n = 0, got = 0;

    while (done_n < n) {
        GI_TRY(gi_input_read(in, (char *)buffer + done_n, n - done_n, &got));
        if (got == 0)
            return gi_fail(GRAM_ERR_PARSE,
                           "%s: ends early: %zu bytes where %zu are needed",
                           in->name, done_n, n);
        done_n += got;
    }
done:
    return status;
}

gram_status gi_input_peek(gi_input *in, void *buffer, size_t n, size_t *got)
{
    gram_status status = GRAM_OK;
    size_t have = in->peeked_n - in->peeked_at, more = 1;

    if (have < n) {
        GI_TRY(GI_GROW(NULL, in->peeked, in->peeked_at + n));
        while (have < n && more) {
            GI_TRY((in->gzip ? unpack : raw_read)(in, in->peeked + in->peeked_n,
                                                  n - have, &more));
            in->peeked_n += more;
            have += more;
        }
    }
    *got = n < have ? n : have;
    if (*got)
        memcpy(buffer, in->peeked + in->peeked_at, *got);
done:
    return status;
}

gram_status gi_input_rewind(gi_input *in)
{
    if (in->unpacking)
        inflateEnd(&in->z);
    in->unpacking = in->at_end = 0;
    in->raw_at = in->position = 0;
    in->peeked_at = in->peeked_n = 0;
    return GRAM_OK;
}

/* Copy everything, unpacked, into a temporary file that takes the place of
 * the source. */
static gram_status replace_by_copy(gi_input *in)
{
    gram_status status = GRAM_OK;
    uint64_t position = in->position, total = 0;
    unsigned char *buffer = NULL;
    int fd = temporary_file();
    size_t got = 1;

    if (fd < 0)
        return io_error(in, "no temporary file for it");
    GI_TRY(GI_NEW(NULL, buffer, PACKED_ROOM));
    GI_TRY(gi_input_rewind(in));
    while (got) {
        GI_TRY(gi_input_read(in, buffer, PACKED_ROOM, &got));
        if (!write_all(fd, buffer, got)) {
            status = io_error(in, "cannot be copied to a temporary file");
            goto done;
        }
        total += got;
    }
    GI_TRY(gi_input_rewind(in));
    if (in->fd >= 0)
        close(in->fd);
    if (in->spool >= 0)
        close(in->spool);
    in->fd = fd;
    fd = in->spool = -1;
    in->gzip = 0;
    in->raw_size = total;
    in->raw_at = in->position = position;
done:
    if (fd >= 0)
        close(fd);
    gi_free(buffer);
    return status;
}

gram_status gi_input_random(gi_input *in, uint64_t *total)
{
    gram_status status = GRAM_OK;

    if (in->gzip || in->spool >= 0)
        GI_TRY(replace_by_copy(in));
    *total = in->raw_size;
done:
    return status;
}

gram_status gi_input_at(gi_input *in, uint64_t offset, void *buffer, size_t n)
{
    gram_status status = GRAM_OK;
    uint64_t saved = in->raw_at;
    size_t done_n = 0, got = 0;

    if (offset > in->raw_size || n > in->raw_size - offset)
        return gi_fail(GRAM_ERR_PARSE,
                       "%s: ends early: byte %llu is needed, it has %llu bytes",
                       in->name, (unsigned long long)(offset + n),
                       (unsigned long long)in->raw_size);
    in->raw_at = offset;
    while (done_n < n) {
        GI_TRY(raw_read(in, (char *)buffer + done_n, n - done_n, &got));
        if (got == 0) {
            status =
                gi_fail(GRAM_ERR_IO, "%s: became shorter while read", in->name);
            goto done;
        }
        done_n += got;
    }
done:
    in->raw_at = saved;
    return status;
}

double gi_input_done(const gi_input *in)
{
    return in->raw_size ? (double)in->raw_at / (double)in->raw_size : 0;
}

uint64_t gi_input_size(const gi_input *in)
{
    return in->gzip ? 0 : in->raw_size;
}

const char *gi_input_name(const gi_input *in)
{
    return in->name;
}

int gi_path_has_extension(const char *path, const char *extensions)
{
    size_t n = strlen(path), m;

    if (n > 3 && strcasecmp(path + n - 3, ".gz") == 0)
        n -= 3;
    for (const char *p = extensions; *p; p += m + (p[m] == ',')) {
        m = strcspn(p, ",");
        if (n > m + 1 && path[n - m - 1] == '.' &&
            strncasecmp(path + n - m, p, m) == 0)
            return 1;
    }
    return 0;
}

void gi_input_free(gi_input *in)
{
    if (!in)
        return;
    if (in->unpacking)
        inflateEnd(&in->z);
    if (in->fd >= 0)
        close(in->fd);
    if (in->spool >= 0)
        close(in->spool);
    gi_free(in->packed);
    gi_free(in->peeked);
    gi_free(in->name);
    gi_free(in);
}
