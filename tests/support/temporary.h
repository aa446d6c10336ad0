/* temporary.h - files for tests that read and write.
 *
 * They live in a folder of the process's own, which is removed when it ends.
 */
#ifndef TEMPORARY_H
#define TEMPORARY_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char temporary_folder[256];

static inline void temporary_remove_all(void)
{
    DIR *d = opendir(temporary_folder);
    char path[600];

    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", temporary_folder, e->d_name);
        unlink(path);
    }
    if (d)
        closedir(d);
    rmdir(temporary_folder);
}

/* The path of `name` in the folder; eight may be in use at once. */
static inline const char *temporary_path(const char *name)
{
    static char path[8][512];
    static int next;

    if (!temporary_folder[0]) {
        const char *base = getenv("TMPDIR");

        snprintf(temporary_folder, sizeof temporary_folder,
                 "%s/gram-test-XXXXXX", base ? base : "/tmp");
        if (!mkdtemp(temporary_folder))
            abort();
        atexit(temporary_remove_all);
    }
    next = (next + 1) % 8;
    snprintf(path[next], sizeof *path, "%s/%s", temporary_folder, name);
    return path[next];
}

/* Write n bytes to a file of that name and return its path. */
static inline const char *temporary_file(const char *name, const void *bytes,
                                         size_t n)
{
    const char *path = temporary_path(name);
    FILE *f = fopen(path, "wb");

    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
        abort();
    return path;
}

static inline const char *temporary_text(const char *name, const char *text)
{
    return temporary_file(name, text, strlen(text));
}

#endif
