/* output.c - files that appear whole or not at all.
 *
 * Bytes go to an unnamed file (O_TMPFILE) in the folder of the target, or to a
 * hidden temporary one where the file system has no unnamed files.  A commit
 * flushes, syncs, links and renames; a crash at any moment, kill -9 included,
 * leaves the old file.  Standard output, pipes and devices are written
 * directly: there is nothing to replace.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/limits.h"
#include "base/mem.h"

enum { BUFFER = GI_OUTPUT_BYTES };

struct gi_output {
    char *name;      /* for messages */
    char *path;      /* the target with links followed; NULL: no renaming */
    char *temporary; /* beside it */
    int fd;
    int unnamed; /* the temporary has no name yet */
    int linked;  /* the temporary must be removed if there is no commit */
    int gzip;
    z_stream z;
    unsigned char *buffer, *packed;
    size_t n; /* bytes in buffer */
};

static gram_status io_error(const gi_output *out, const char *what)
{
    return gi_fail(GRAM_ERR_IO, "%s: %s: %s", out->name, what, strerror(errno));
}

/* Write the folder of the path, "." for a bare name, into `out`. */
static void folder_of(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        snprintf(out, size, ".");
    else if (slash == path)
        snprintf(out, size, "/");
    else
        snprintf(out, size, "%.*s", (int)(slash - path), path);
}

/* A hidden name beside the target that is ours alone. */
static gram_status temporary_name(gi_run *run, gi_output *out)
{
    static atomic_uint serial;
    char folder[PATH_MAX], name[PATH_MAX + NAME_MAX];
    const char *slash = strrchr(out->path, '/');

    folder_of(out->path, folder, sizeof folder);
    snprintf(name, sizeof name, "%s/.%.100s.%ld.%u.tmp", folder,
             slash ? slash + 1 : out->path, (long)getpid(),
             atomic_fetch_add(&serial, 1));
    return gi_strndup(run, name, strlen(name), &out->temporary);
}

static gram_status open_temporary(gi_run *run, gi_output *out, mode_t mode)
{
    gram_status status = GRAM_OK;
    char folder[PATH_MAX];

    GI_TRY(temporary_name(run, out));
    folder_of(out->path, folder, sizeof folder);
    out->fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    out->unnamed = out->fd >= 0;
    if (out->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
        unlink(out->temporary);
        out->fd =
            open(out->temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
        out->linked = out->fd >= 0;
    }
    if (out->fd < 0)
        return io_error(out, "cannot be written");
    if (mode && fchmod(out->fd, mode & 07777) != 0)
        return io_error(out, "cannot keep its permissions");
done:
    return status;
}

/* A regular file, or a name that is free, is replaced; anything else that can
 * be written to is written to. */
static gram_status open_target(gi_run *run, gi_output *out, const char *path)
{
    gram_status status = GRAM_OK;
    char *resolved = NULL;
    struct stat st;
    int exists = stat(path, &st) == 0;

    if (exists && S_ISDIR(st.st_mode))
        return gi_fail(GRAM_ERR_IO, "%s: is a directory, must be a file", path);
    if (exists && !S_ISREG(st.st_mode)) {
        out->fd = open(path, O_WRONLY | O_CLOEXEC);
        return out->fd >= 0 ? GRAM_OK : io_error(out, "cannot be written");
    }
    if (exists && access(path, W_OK) != 0)
        return io_error(out, "cannot be written");
    resolved = exists ? realpath(path, NULL) : NULL;
    GI_TRY(gi_strndup(run, resolved ? resolved : path,
                      strlen(resolved ? resolved : path), &out->path));
    GI_TRY(open_temporary(run, out, exists ? st.st_mode : 0));
done:
    free(resolved);
    return status;
}

gram_status gi_output_open(gi_run *run, const char *path, gi_output **out)
{
    gram_status status = GRAM_OK;
    gi_output *o = NULL;
    int standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard output" : path;

    GI_TRY(GI_NEW_ZERO(run, o, 1));
    o->fd = -1;
    GI_TRY(gi_strndup(run, name, strlen(name), &o->name));
    GI_TRY(GI_NEW(run, o->buffer, BUFFER));
    if (strlen(path) > 3 && strcasecmp(path + strlen(path) - 3, ".gz") == 0) {
        GI_TRY(GI_NEW(run, o->packed, BUFFER));
        if (deflateInit2(&o->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
                         Z_DEFAULT_STRATEGY) != Z_OK) {
            status =
                gi_fail(GRAM_ERR_MEMORY, "%s: out of memory for gzip", o->name);
            goto done;
        }
        o->gzip = 1;
    }
    if (standard)
        o->fd = dup(1);
    else
        GI_TRY(open_target(run, o, path));
    if (o->fd < 0) {
        status = io_error(o, "cannot be written");
        goto done;
    }
    *out = o;
    o = NULL;
done:
    gi_output_free(o);
    return status;
}

static gram_status write_out(gi_output *out, const unsigned char *p, size_t n)
{
    while (n > 0) {
        ssize_t k = write(out->fd, p, n);

        if (k < 0 && errno != EINTR)
            return io_error(out, "cannot be written");
        if (k > 0) {
            p += k;
            n -= (size_t)k;
        }
    }
    return GRAM_OK;
}

/* The buffer on its way to the file, through gzip if asked. */
static gram_status flush_buffer(gi_output *out, int last)
{
    gram_status status = GRAM_OK;

    if (!out->gzip) {
        GI_TRY(write_out(out, out->buffer, out->n));
    } else {
        out->z.next_in = out->buffer;
        out->z.avail_in = (unsigned)out->n;
        do {
            out->z.next_out = out->packed;
            out->z.avail_out = BUFFER;
            deflate(&out->z, last ? Z_FINISH : Z_NO_FLUSH);
            GI_TRY(write_out(out, out->packed, BUFFER - out->z.avail_out));
        } while (out->z.avail_out == 0);
    }
    out->n = 0;
done:
    return status;
}

gram_status gi_output_write(gi_output *out, const void *data, size_t n)
{
    gram_status status = GRAM_OK;
    const unsigned char *p = data;

    while (n > 0) {
        size_t k = BUFFER - out->n < n ? BUFFER - out->n : n;

        memcpy(out->buffer + out->n, p, k);
        out->n += k;
        p += k;
        n -= k;
        if (out->n == BUFFER)
            GI_TRY(flush_buffer(out, 0));
    }
done:
    return status;
}

/* The name on disk must survive a power cut too. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    int fd;

    folder_of(path, folder, sizeof folder);
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

static gram_status give_name(gi_output *out)
{
    char self[64];

    if (out->unnamed) {
        snprintf(self, sizeof self, "/proc/self/fd/%d", out->fd);
        unlink(out->temporary);
        if (linkat(AT_FDCWD, self, AT_FDCWD, out->temporary,
                   AT_SYMLINK_FOLLOW) != 0)
            return io_error(out, "cannot be written");
        out->linked = 1;
    }
    if (rename(out->temporary, out->path) != 0)
        return io_error(out, "cannot be written");
    out->linked = 0;
    sync_folder(out->path);
    return GRAM_OK;
}

gram_status gi_output_commit(gi_output *out)
{
    gram_status status = GRAM_OK;
    int fd;

    GI_TRY(flush_buffer(out, 1));
    if (out->path) {
        if (fsync(out->fd) != 0)
            return io_error(out, "cannot be written");
        GI_TRY(give_name(out));
    }
    fd = out->fd;
    out->fd = -1;
    if (close(fd) != 0)
        return io_error(out, "cannot be written");
done:
    return status;
}

void gi_output_free(gi_output *out)
{
    if (!out)
        return;
    if (out->fd >= 0)
        close(out->fd);
    if (out->linked)
        unlink(out->temporary);
    if (out->gzip)
        deflateEnd(&out->z);
    gi_free(out->buffer);
    gi_free(out->packed);
    gi_free(out->temporary);
    gi_free(out->path);
    gi_free(out->name);
    gi_free(out);
}
