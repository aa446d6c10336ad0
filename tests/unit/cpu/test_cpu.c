/* test_cpu.c - every CPU table this machine supports gives what generic C
 * gives, for many lengths and alignments, and touches nothing else.
 */
#include "check.h"

#include "base/rng.h"
#include "cpu/cpu.h"

enum { LONGEST = 1100, OFFSETS = 65 };

/* Calls f(table) for every table behind generic. */
static void for_each_table(void (*f)(const gi_cpu *))
{
    for (size_t i = 1; gi_cpu_at(i); i++)
        f(gi_cpu_at(i));
}

static void counts_as_generic(const gi_cpu *cpu)
{
    gi_rng rng = gi_rng_new(1, 0);
    char text[LONGEST + OFFSETS];

    for (size_t i = 0; i < sizeof text; i++)
        text[i] = gi_rng_below(&rng, 3) ? 'x' : '\n';
    for (size_t n = 0; n <= LONGEST; n += n < 300 ? 1 : 37)
        for (size_t k = 0; k < OFFSETS; k += 1 + n / 100)
            CHECK(cpu->count_byte(text + k, n, '\n') ==
                  gi_cpu_generic.count_byte(text + k, n, '\n'));
}

TEST(every_table_counts_bytes_as_generic_does)
{
    for_each_table(counts_as_generic);
}

TEST(counting_finds_any_byte_and_no_other)
{
    for (size_t t = 0; gi_cpu_at(t); t++)
        for (int c = -128; c < 128; c++) {
            char text[256];

            for (int i = 0; i < 256; i++)
                text[i] = (char)i;
            CHECK(gi_cpu_at(t)->count_byte(text, 256, (char)c) == 1);
        }
}

/* Byte counters of SIMD versions must not wrap. */
TEST(counting_a_run_of_equal_bytes_does_not_overflow)
{
    enum { N = 200001 };
    char *text = malloc(N);

    CHECK(text != NULL);
    memset(text, '\n', N);
    for (size_t t = 0; gi_cpu_at(t); t++)
        CHECK(gi_cpu_at(t)->count_byte(text, N, '\n') == N);
    free(text);
}

static void triad_as_generic(const gi_cpu *cpu)
{
    enum { N = 150, PLACES = 9 };
    const double untouched = -7;
    gi_rng rng = gi_rng_new(2, 0);
    double a[N + PLACES], e[N + PLACES], b[N + PLACES], c[N + PLACES];

    for (size_t i = 0; i < N + PLACES; i++) {
        b[i] = gi_rng_normal(&rng);
        c[i] = gi_rng_normal(&rng);
    }
    for (size_t n = 0; n < N; n++)
        for (size_t k = 0; k < PLACES; k++) {
            for (size_t i = 0; i < N + PLACES; i++)
                a[i] = e[i] = untouched;
            cpu->triad(a + k, b + 8 - k, c + k / 2, 1.0 / 3, n);
            gi_cpu_generic.triad(e + k, b + 8 - k, c + k / 2, 1.0 / 3, n);
            CHECK(memcmp(a, e, sizeof a) == 0);
        }
}

TEST(every_table_has_the_triad_of_generic_bit_for_bit)
{
    for_each_table(triad_as_generic);
}

TEST(the_first_table_is_generic_and_the_used_one_is_among_them)
{
    size_t found = 0;

    CHECK_STR(gi_cpu_at(0)->name, "generic");
    for (size_t i = 0; gi_cpu_at(i); i++)
        found += gi_cpu_at(i) == gi_cpu_table();
    CHECK(found == 1);
}

TEST(features_are_found_as_whole_words)
{
    CHECK(gi_cpu_has(""));
    CHECK(gi_cpu_has(gi_cpu_features()));
    CHECK(!gi_cpu_has("av"));
    CHECK(!gi_cpu_has("no_such_thing"));
    CHECK(strlen(gi_cpu_name()) > 0);
}

/* Rows of a symmetric matrix serve both sides, in any number and length. */
TEST(every_table_crosses_rows_as_generic_does)
{
    enum { ROWS = 11, COLS = 37, FIRST = 3 };
    float x[ROWS][FIRST + COLS];
    const float *row[ROWS];
    double c[ROWS], v[COLS];
    gi_rng rng = gi_rng_new(1, 2);

    for (size_t i = 0; i < ROWS; i++) {
        row[i] = x[i];
        c[i] = gi_rng_uniform(&rng) - 0.5;
        for (size_t j = 0; j < FIRST + COLS; j++)
            x[i][j] = (float)gi_rng_uniform(&rng);
    }
    for (size_t j = 0; j < COLS; j++)
        v[j] = gi_rng_uniform(&rng) - 0.5;
    for (size_t t = 0; gi_cpu_at(t); t++)
        for (size_t m = 0; m <= ROWS; m++)
            for (size_t n = 0; n <= COLS; n++) {
                double y[2][COLS] = {{0}}, s[2][ROWS] = {{0}};

                gi_cpu_at(0)->cross_rows(n, y[0], row, FIRST, c, v, s[0], m);
                gi_cpu_at(t)->cross_rows(n, y[1], row, FIRST, c, v, s[1], m);
                for (size_t j = 0; j < COLS; j++)
                    CHECK_NEAR(y[1][j], y[0][j], 1e-13);
                for (size_t i = 0; i < ROWS; i++)
                    CHECK_NEAR(s[1][i], s[0][i], 1e-13);
            }
}

TESTS(SMALL(every_table_counts_bytes_as_generic_does),
      SMALL(counting_finds_any_byte_and_no_other),
      SMALL(counting_a_run_of_equal_bytes_does_not_overflow),
      SMALL(every_table_has_the_triad_of_generic_bit_for_bit),
      SMALL(every_table_crosses_rows_as_generic_does),
      SMALL(the_first_table_is_generic_and_the_used_one_is_among_them),
      SMALL(features_are_found_as_whole_words))
