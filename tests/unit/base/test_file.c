/* test_file.c - inputs (plain, gzip, pipe, memory) and atomic outputs. */
#include "check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "temporary.h"

enum { N = 300000 };

static unsigned char bytes[N];

static void fill_bytes(void)
{
    for (size_t i = 0; i < N; i++)
        bytes[i] = (unsigned char)(i * i / 1000 + i % 7);
}

/* Reads everything in odd pieces and compares with bytes[0..n-1]. */
static void check_content(gi_input *in, size_t n)
{
    unsigned char piece[1013];
    size_t at = 0, got = 1;

    while (got) {
        CHECK_OK(gi_input_read(in, piece, sizeof piece, &got));
        CHECK(at + got <= n && memcmp(piece, bytes + at, got) == 0);
        at += got;
    }
    CHECK(at == n);
}

/* All ways of reading give the same bytes, from any kind of input. */
static void check_input(gi_input *in, size_t n)
{
    unsigned char head[600];
    uint64_t total = 0;
    size_t got = 0;

    CHECK_OK(gi_input_peek(in, head, 600, &got));
    CHECK(got == 600 && memcmp(head, bytes, 600) == 0);
    check_content(in, n);
    CHECK_OK(gi_input_rewind(in));
    CHECK_OK(gi_input_exactly(in, head, 500));
    CHECK_OK(gi_input_peek(in, head, 600, &got));
    CHECK(memcmp(head, bytes + 500, 600) == 0);
    CHECK_OK(gi_input_random(in, &total));
    CHECK(total == n);
    CHECK_OK(gi_input_at(in, n - 600, head, 600));
    CHECK(memcmp(head, bytes + n - 600, 600) == 0);
    CHECK(gi_input_at(in, n - 10, head, 11) == GRAM_ERR_PARSE);
    CHECK_OK(gi_input_exactly(in, head, 600));
    CHECK(memcmp(head, bytes + 500, 600) == 0); /* the position stayed */
    CHECK_OK(gi_input_rewind(in));
    check_content(in, n);
    CHECK(gi_input_exactly(in, head, 1) == GRAM_ERR_PARSE);
    gi_input_free(in);
}

static const char *gzip_file(const char *name, int members)
{
    const char *path = temporary_path(name);

    for (int m = 0; m < members; m++) {
        gzFile f = gzopen(path, m ? "ab" : "wb");
        unsigned part = (unsigned)(N / members);

        CHECK(gzwrite(f, bytes + (size_t)m * part, part) == (int)part);
        gzclose(f);
    }
    return path;
}

TEST(plain_gzip_and_memory_read_the_same)
{
    GI_RUN(run, NULL);
    gi_input *in = NULL;

    fill_bytes();
    CHECK_OK(gi_input_open(&run, temporary_file("plain", bytes, N), &in));
    CHECK(gi_input_size(in) == N);
    check_input(in, N);
    CHECK_OK(gi_input_open(&run, gzip_file("one.gz", 1), &in));
    CHECK(gi_input_size(in) == 0);
    check_input(in, N);
    CHECK_OK(gi_input_open(&run, gzip_file("three.gz", 3), &in));
    check_input(in, N);
    CHECK_OK(gi_input_memory(&run, "memory", bytes, N, &in));
    check_input(in, N);
}

TEST(a_pipe_can_be_read_twice)
{
    GI_RUN(run, NULL);
    gi_input *in = NULL;
    char path[64];
    int ends[2];
    pid_t child;

    fill_bytes();
    CHECK(pipe(ends) == 0);
    child = fork();
    if (child == 0) {
        close(ends[0]);
        _exit(write(ends[1], bytes, N) != N);
    }
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    CHECK_OK(gi_input_open(&run, path, &in));
    check_input(in, N);
    close(ends[0]);
    waitpid(child, NULL, 0);
}

TEST(damaged_gzip_is_refused)
{
    GI_RUN(run, NULL);
    gi_input *in = NULL;
    unsigned char packed[N];
    size_t n, got = 1;
    const char *path;
    FILE *f;

    fill_bytes();
    f = fopen(gzip_file("whole.gz", 1), "rb");
    n = fread(packed, 1, N, f);
    fclose(f);
    path = temporary_file("cut.gz", packed, n / 2);
    CHECK_OK(gi_input_open(&run, path, &in));
    while (got && gi_input_read(in, bytes, N, &got) == GRAM_OK)
        ;
    CHECK(strstr(gram_error_message(), "cut.gz: gzip data end early"));
    gi_input_free(in);
    packed[n / 2] ^= 0x55;
    CHECK_OK(gi_input_open(&run, temporary_file("bad.gz", packed, n), &in));
    for (got = 1; got && gi_input_read(in, bytes, N, &got) == GRAM_OK;)
        ;
    CHECK(strstr(gram_error_message(), "bad.gz: damaged gzip data"));
    gi_input_free(in);
}

TEST(what_cannot_be_opened_is_said)
{
    GI_RUN(run, NULL);
    gi_input *in = NULL;

    CHECK_FAILS(gi_input_open(&run, "/nowhere/x.csv", &in), GRAM_ERR_IO,
                "/nowhere/x.csv: cannot be opened: No such file or directory");
    CHECK_FAILS(gi_input_open(&run, "/tmp", &in), GRAM_ERR_IO,
                "/tmp: is a directory, must be a file");
    CHECK(in == NULL);
}

TEST(extensions_ignore_case_and_gz)
{
    CHECK(gi_path_has_extension("a/b.CSV", "csv"));
    CHECK(gi_path_has_extension("b.csv.gz", "csv"));
    CHECK(!gi_path_has_extension("csv", "csv"));
    CHECK(!gi_path_has_extension(".csv.gz", "gz"));
    CHECK(!gi_path_has_extension("b.tcsv", "csv"));
}

static int file_is(const char *path, const char *text)
{
    char content[64] = "";
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(content, 1, sizeof content - 1, f) : 0;

    if (f)
        fclose(f);
    return f && n == strlen(text) && memcmp(content, text, n) == 0;
}

TEST(an_output_is_seen_only_after_its_commit)
{
    GI_RUN(run, NULL);
    const char *path = temporary_text("target", "old");
    struct stat st;
    gi_output *out = NULL;

    CHECK(chmod(path, 0640) == 0);
    CHECK_OK(gi_output_open(&run, path, &out));
    CHECK_OK(gi_output_write(out, "new", 3));
    CHECK(file_is(path, "old"));
    gi_output_free(out);
    CHECK(file_is(path, "old"));
    CHECK_OK(gi_output_open(&run, path, &out));
    CHECK_OK(gi_output_write(out, "new", 3));
    CHECK_OK(gi_output_commit(out));
    gi_output_free(out);
    CHECK(file_is(path, "new"));
    CHECK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0640);
}

TEST(an_abandoned_output_leaves_nothing)
{
    GI_RUN(run, NULL);
    const char *path = temporary_path("never");
    gi_output *out = NULL;

    CHECK_OK(gi_output_open(&run, path, &out));
    CHECK_OK(gi_output_write(out, "x", 1));
    gi_output_free(out);
    CHECK(access(path, F_OK) != 0);
}

TEST(a_link_stays_a_link)
{
    GI_RUN(run, NULL);
    const char *path = temporary_text("real", "old");
    const char *link = temporary_path("link");
    struct stat st;
    gi_output *out = NULL;

    CHECK(symlink(path, link) == 0);
    CHECK_OK(gi_output_open(&run, link, &out));
    CHECK_OK(gi_output_write(out, "new", 3));
    CHECK_OK(gi_output_commit(out));
    gi_output_free(out);
    CHECK(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
    CHECK(file_is(path, "new"));
}

TEST(gzip_output_reads_back)
{
    GI_RUN(run, NULL);
    const char *path = temporary_path("out.gz");
    gi_output *out = NULL;
    gi_input *in = NULL;

    fill_bytes();
    CHECK_OK(gi_output_open(&run, path, &out));
    for (size_t i = 0; i < N; i += 1000)
        CHECK_OK(gi_output_write(out, bytes + i, 1000));
    CHECK_OK(gi_output_commit(out));
    gi_output_free(out);
    CHECK_OK(gi_input_open(&run, path, &in));
    check_input(in, N);
}

TEST(a_full_disk_is_an_error)
{
    GI_RUN(run, NULL);
    gi_output *out = NULL;

    CHECK_OK(gi_output_open(&run, "/dev/full", &out));
    CHECK_OK(gi_output_write(out, "x", 1));
    CHECK_FAILS(gi_output_commit(out), GRAM_ERR_IO,
                "/dev/full: cannot be written: No space left on device");
    gi_output_free(out);
    CHECK_FAILS(gi_output_open(&run, "/nowhere/x", &out), GRAM_ERR_IO,
                "/nowhere/x: cannot be written: No such file or directory");
}

TESTS(SMALL(plain_gzip_and_memory_read_the_same),
      SMALL(a_pipe_can_be_read_twice), SMALL(damaged_gzip_is_refused),
      SMALL(what_cannot_be_opened_is_said),
      SMALL(extensions_ignore_case_and_gz),
      SMALL(an_output_is_seen_only_after_its_commit),
      SMALL(an_abandoned_output_leaves_nothing), SMALL(a_link_stays_a_link),
      SMALL(gzip_output_reads_back), SMALL(a_full_disk_is_an_error))
