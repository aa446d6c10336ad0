/* test_same_model.c - equal fits are equal files, whatever the threads and the
 * memory they ran with.
 */
#include "machine_cases.h"

/* The bytes of a machine of this case. */
static void *fit_bytes(const machine_case *c, size_t n, const gram_exec *exec,
                       size_t *length)
{
    gram_machine *m = case_fit(c, n, exec);
    void *bytes = NULL;

    CHECK_OK(gram_machine_pack(m, exec, &bytes, length));
    gram_machine_free(m);
    return bytes;
}

static void compare(const machine_case *c, size_t n, const gram_exec *a,
                    const gram_exec *b)
{
    size_t many = 0, more = 0, at = 0;
    char *one = fit_bytes(c, n, a, &many), *other = fit_bytes(c, n, b, &more);

    if (many != more)
        fail_msg("%s: %zu and %zu bytes", c->name, many, more);
    while (at < many && one[at] == other[at])
        at++;
    if (at < many)
        fail_msg("%s: files differ from byte %zu of %zu on", c->name, at, many);
    gram_memory_free(one);
    gram_memory_free(other);
}

TEST(equal_fits_are_equal_files)
{
    const size_t n = 40;

    for (size_t k = 0; k < MACHINE_CASES; k++)
        compare(&machine_cases[k], n, &(gram_exec){.threads = 1},
                &(gram_exec){.threads = 1});
}

TEST(one_thread_and_many_write_the_same_file)
{
    const size_t n = 450;

    for (size_t k = 0; k < MACHINE_CASES; k++)
        compare(&machine_cases[k], n, &(gram_exec){.threads = 1},
                &(gram_exec){.threads = 3, .memory = (size_t)1 << 30});
}

/* Numbers of rows, seconds and bytes stood there in older files. */
TEST(a_model_that_is_read_does_not_speak_of_time)
{
    gram_machine *m = case_fit(&machine_cases[0], 30, NULL), *again = NULL;
    void *bytes = NULL, *twice = NULL;
    size_t n = 0, more = 0;

    CHECK_OK(gram_machine_pack(m, NULL, &bytes, &n));
    CHECK_OK(gram_machine_unpack(bytes, n, NULL, &again));
    CHECK(gram_machine_report(m)->seconds > 0);
    CHECK(isnan(gram_machine_report(again)->seconds));
    CHECK(gram_machine_report(again)->peak_bytes == 0);
    CHECK(gram_machine_report(again)->plan_bytes == 0);
    CHECK_OK(gram_machine_pack(again, NULL, &twice, &more));
    CHECK(n == more && memcmp(bytes, twice, n) == 0);
    gram_memory_free(bytes);
    gram_memory_free(twice);
    gram_machine_free(m);
    gram_machine_free(again);
}

TESTS(SMALL(equal_fits_are_equal_files),
      NORMAL(one_thread_and_many_write_the_same_file),
      SMALL(a_model_that_is_read_does_not_speak_of_time))
