/* test_alloc_fail.c - every allocation may fail: the call then says MEMORY,
 * its output is untouched, and nothing is left behind.
 *
 * Each job is run with its first, second, ... allocation failing, once alone
 * and once with all later ones, until a run gets through.  Threads would make
 * the order of allocations vary, so there is one.
 */
#include "check.h"

#include "base/mem.h"
#include "base/spec.h"
#include "temporary.h"

static const gram_exec single = {.threads = 1};

static const char *const all_columns[] = {"*", NULL};

static gram_status read_and_free(const char *path)
{
    const gram_read_options keep = {.missing = GRAM_MISSING_INDICATOR,
                                    .verbatim = all_columns};
    gram_table *t = NULL;
    gram_status status = gram_table_read(path, &keep, &single, &t);

    CHECK((status == GRAM_OK) == (t != NULL));
    gram_table_free(t);
    return status;
}

static gram_status read_mixed(void)
{
    return read_and_free("builtin:mixed");
}

static gram_status read_sparse(void)
{
    return read_and_free("builtin:sparse");
}

static gram_status read_arff(void)
{
    return read_and_free(temporary_path("t.arff"));
}

static gram_status read_npy(void)
{
    return read_and_free(temporary_path("t.npy"));
}

static gram_status read_gzip(void)
{
    return read_and_free(temporary_path("t.csv.gz"));
}

static gram_status stream_mixed(void)
{
    const gram_read_options drop = {.missing = GRAM_MISSING_DROP};
    gram_reader *r = NULL;
    gram_table *t = NULL;
    gram_status status = gram_reader_open("builtin:mixed", &drop, &single, &r);

    while (status == GRAM_OK) {
        status = gram_reader_next(r, 100, &t);
        if (!t)
            break;
        gram_table_free(t);
    }
    gram_reader_free(r);
    return status;
}

static gram_table *fixed;

static gram_status write_csv(void)
{
    return gram_table_write(fixed, temporary_path("w.csv.gz"), NULL, &single);
}

static gram_status copy_column(void)
{
    gram_table *t = NULL;
    const gram_table *from[] = {fixed, fixed};
    size_t rows = gram_table_rows(fixed);
    gram_status status = gram_table_new(2 * rows, &t);

    for (size_t j = 0; status == GRAM_OK && j < gram_table_cols(fixed); j++)
        status = gram_table_add_copy(t, gram_table_column(fixed, j).name, from,
                                     2, NULL);
    gram_table_free(t);
    return status;
}

static gram_status scale(void)
{
    gram_scaler *s = NULL;
    gram_status status =
        gram_scaler_new(fixed, GRAM_SCALE_STANDARD, &single, &s);

    CHECK((status == GRAM_OK) == (s != NULL));
    gram_scaler_free(s);
    return status;
}

static gram_status fold(void)
{
    const gram_fold_options grouped = {.folds = 3, .group = "a"};
    int folds[3];
    size_t count;

    return gram_table_folds(fixed, &grouped, &single, folds, &count);
}

static gram_status parse_spec(void)
{
    gi_spec *s = NULL;
    gram_status status = gi_spec_parse(
        NULL, "kernel", "2*rbf(gamma=?[1,2])[a,\"b c\"] + (x^2)[0:3]", &s);

    CHECK((status == GRAM_OK) == (s != NULL));
    gi_spec_free(s);
    return status;
}

static void check_job(gram_status (*job)(void), size_t most)
{
    size_t used = gram_memory_used();

    for (int sticky = 0; sticky < 2; sticky++) {
        gram_status status = GRAM_ERR_MEMORY;
        size_t n = 0;

        while (status != GRAM_OK && n < most) {
            gi_mem_fail_at(++n, sticky);
            status = job();
            gi_mem_fail_at(0, 0);
            if (status != GRAM_OK && status != GRAM_ERR_MEMORY)
                fail_msg("allocation %zu: %d, %s", n, status,
                         gram_error_message());
            CHECK(gram_memory_used() == used);
        }
        CHECK(n > 1 || most == 1);
    }
}

/* The numbers of allocations differ; `most` bounds the time. */
static void check_all(size_t most)
{
    static gram_status (*const jobs[])(void) = {
        read_mixed, read_sparse, read_arff, read_npy, read_gzip,  stream_mixed,
        write_csv,  copy_column, scale,     fold,     parse_spec,
    };
    static const double a[] = {1, 2, 3};
    static const char *const s[] = {"x", "y z", NULL};

    CHECK_OK(gram_table_new(3, &fixed));
    CHECK_OK(gram_table_add_numbers(fixed, "a", a, 1));
    CHECK_OK(gram_table_write(fixed, temporary_path("t.npy"), NULL, NULL));
    CHECK_OK(gram_table_add_strings(fixed, "s", GRAM_TYPE_TEXT, s));
    CHECK_OK(gram_table_write(fixed, temporary_path("t.csv.gz"), NULL, NULL));
    temporary_text("t.arff", "@relation r\n@attribute x numeric\n"
                             "@attribute c {a,'b c'}\n@data\n1,a\n?,'b c'\n");
    for (size_t k = 0; k < sizeof jobs / sizeof *jobs; k++)
        check_job(jobs[k], most);
    gram_table_free(fixed);
}

TEST(the_first_allocations_may_fail)
{
    check_all(40);
}

TEST(any_allocation_may_fail)
{
    check_all(100000);
}

TESTS(SMALL(the_first_allocations_may_fail), NORMAL(any_allocation_may_fail))
