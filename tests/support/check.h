/* check.h - what every test program includes.
 *
 * A test is a static function whose name is a sentence; TESTS() lists them
 * with their size, and one left out of the list does not compile (unused).
 * GRAM_TEST_SIZE=small|normal|long says how far to go; normal is the default.
 * All small tests together stay under 5 seconds: they also run under valgrind
 * and ThreadSanitizer.
 */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gram.h"

#define CHECK(condition) assert_true(condition)
#define CHECK_STR(a, b) assert_string_equal(a, b)

#define CHECK_OK(call)                                                         \
    do {                                                                       \
        gram_status check_status = (call);                                     \
        if (check_status != GRAM_OK)                                           \
            fail_msg("%s: %d, %s", #call, check_status, gram_error_message()); \
    } while (0)

/* The call fails with that status, and the sentence is this one. */
#define CHECK_FAILS(call, expected, sentence)                                  \
    do {                                                                       \
        gram_status check_status = (call);                                     \
        if (check_status != (expected))                                        \
            fail_msg("%s: %d, expected %d", #call, check_status, expected);    \
        assert_string_equal(gram_error_message(), sentence);                   \
    } while (0)

/* |a - b| <= tolerance * max(1, |b|), which is false for a NaN. */
#define CHECK_NEAR(a, b, tolerance)                                            \
    do {                                                                       \
        double check_a = (a), check_b = (b);                                   \
        if (!(fabs(check_a - check_b) <= (tolerance)*fmax(1, fabs(check_b))))  \
            fail_msg("%s = %.17g, expected %.17g", #a, check_a, check_b);      \
    } while (0)

enum check_size { CHECK_SMALL, CHECK_NORMAL, CHECK_LONG };
enum { CHECK_MOST = 256 }; /* tests in a program */

struct check_test {
    struct CMUnitTest test;
    enum check_size size;
};

#define SMALL(f)                                                               \
    {                                                                          \
        {#f, f, NULL, NULL, NULL}, CHECK_SMALL                                 \
    }
#define NORMAL(f)                                                              \
    {                                                                          \
        {#f, f, NULL, NULL, NULL}, CHECK_NORMAL                                \
    }
#define LONG(f)                                                                \
    {                                                                          \
        {#f, f, NULL, NULL, NULL}, CHECK_LONG                                  \
    }

static inline enum check_size check_size(void)
{
    const char *s = getenv("GRAM_TEST_SIZE");

    if (s && strcmp(s, "small") == 0)
        return CHECK_SMALL;
    return s && strcmp(s, "long") == 0 ? CHECK_LONG : CHECK_NORMAL;
}

static inline int check_run(const char *file, const struct check_test *tests,
                            size_t n)
{
    struct CMUnitTest chosen[CHECK_MOST];
    size_t m = 0;

    for (size_t i = 0; i < n; i++)
        if (tests[i].size <= check_size())
            chosen[m++] = tests[i].test;
    if (m == 0)
        return 0;
    return _cmocka_run_group_tests(file, chosen, m, NULL, NULL);
}

#define TESTS(...)                                                             \
    int main(void)                                                             \
    {                                                                          \
        static const struct check_test tests[] = {__VA_ARGS__};                \
        _Static_assert(sizeof tests / sizeof *tests <= CHECK_MOST,             \
                       "too many");                                            \
        return check_run(__FILE__, tests, sizeof tests / sizeof *tests);       \
    }

/* Test functions take cmocka's state, which none of them needs. */
#define TEST(name) static void name(void **state __attribute__((unused)))

#endif
