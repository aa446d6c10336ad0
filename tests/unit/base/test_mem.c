/* test_mem.c - allocation: alignment, growth, counting, budget, failure. */
#include "check.h"

#include <unistd.h>

#include "base/mem.h"

#define BIG ((size_t)5 << 20)

TEST(blocks_are_aligned_and_counted)
{
    size_t before = gram_memory_used();
    char *small = NULL, *big = NULL;

    CHECK_OK(GI_NEW(NULL, small, 100));
    CHECK_OK(GI_NEW(NULL, big, BIG));
    CHECK((uintptr_t)small % 64 == 0);
    CHECK((uintptr_t)big % ((size_t)2 << 20) == 0);
    CHECK(gram_memory_used() == before + 100 + BIG);
    memset(small, 1, 100);
    memset(big, 1, BIG);
    gi_free(small);
    gi_free(big);
    gi_free(NULL);
    CHECK(gram_memory_used() == before);
    CHECK(gram_memory_peak() >= before + 100 + BIG);
    gram_memory_reset_peak();
    CHECK(gram_memory_peak() == before);
}

TEST(growing_keeps_what_was_there_across_all_kinds_of_blocks)
{
    static const size_t sizes[] = {1, 1000, BIG, 3 * BIG, BIG, 1000, 1};
    unsigned char *p = NULL;
    size_t before = gram_memory_used(), kept = 0;

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        CHECK_OK(GI_GROW(NULL, p, sizes[k]));
        kept = kept < sizes[k] ? kept : sizes[k];
        for (size_t i = 0; i < kept; i++)
            CHECK(p[i] == (unsigned char)(i * 7));
        for (size_t i = kept; i < sizes[k]; i++)
            p[i] = (unsigned char)(i * 7);
        kept = sizes[k];
        CHECK(gram_memory_used() == before + sizes[k]);
    }
    gi_free(p);
}

TEST(zero_elements_give_a_pointer_and_zeroed_memory_is_zero)
{
    double *p = NULL, *q = NULL;

    CHECK_OK(GI_NEW(NULL, p, 0));
    CHECK(p != NULL);
    CHECK_OK(GI_NEW_ZERO(NULL, q, BIG));
    for (size_t i = 0; i < BIG; i += 4001)
        CHECK(q[i] == 0);
    gi_free(p);
    gi_free(q);
}

TEST(a_large_block_is_reused_and_zeroed_when_asked)
{
    unsigned char *p = NULL, *q = NULL;

    CHECK_OK(GI_NEW(NULL, p, 2 * BIG));
    memset(p, 1, 2 * BIG);
    q = p;
    gi_free(p);
    CHECK_OK(GI_NEW_ZERO(NULL, p, 2 * BIG - 100000)); /* a little smaller */
    CHECK(p == q);
    for (size_t i = 0; i < 2 * BIG - 100000; i++)
        CHECK(p[i] == 0);
    gi_free(p);
    CHECK_OK(GI_NEW(NULL, p, 4 * BIG)); /* does not fit: a fresh one */
    CHECK_OK(GI_GROW(NULL, p, 5 * BIG));
    memset(p, 1, 5 * BIG);
    gi_free(p);
}

/* Pages of this process that are in memory, in bytes. */
static size_t resident(void)
{
    size_t total = 0, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    CHECK(f && fscanf(f, "%zu %zu", &total, &pages) == 2);
    fclose(f);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* The same three again, in another order, are where they were: no fresh page
 * is needed. */
TEST(blocks_of_several_sizes_are_kept_for_reuse)
{
    static const size_t sizes[] = {7 * BIG, 3 * BIG, 3 * BIG + 8192};
    unsigned char *p[3] = {NULL}, *q[3] = {NULL};

    for (size_t i = 0; i < 3; i++)
        CHECK_OK(GI_NEW(NULL, p[i], sizes[i]));
    for (size_t i = 0; i < 3; i++)
        gi_free(p[i]);
    for (size_t i = 3; i-- > 0;) {
        CHECK_OK(GI_NEW(NULL, q[i], sizes[i]));
        CHECK(q[i] == p[i]);
    }
    for (size_t i = 0; i < 3; i++)
        gi_free(q[i]);
}

TEST(blocks_kept_for_reuse_do_not_add_to_the_peak)
{
    const size_t large = 20 * BIG;
    unsigned char *p = NULL, *q = NULL;
    size_t before;

    CHECK_OK(GI_NEW(NULL, q, BIG));
    CHECK_OK(GI_NEW(NULL, p, large));
    memset(p, 1, large);
    gi_free(p);
    before = resident(); /* the spare is in it */
    CHECK_OK(GI_GROW(NULL, q, 2 * BIG));
    CHECK(resident() + large / 2 < before); /* more than ever before */
    gi_free(q);
}

TEST(sizes_that_overflow_are_refused)
{
    double *p = NULL;

    CHECK_FAILS(GI_NEW(NULL, p, SIZE_MAX / 4), GRAM_ERR_MEMORY,
                "out of memory: cannot allocate 4611686018427387903 elements "
                "of 8 bytes");
    CHECK(p == NULL);
    CHECK(GI_NEW(NULL, p, (size_t)1 << 58) == GRAM_ERR_MEMORY);
}

TEST(the_budget_is_kept)
{
    const gram_exec exec = {.memory = 1000000};
    GI_RUN(run, &exec);
    char *p = NULL, *q = NULL;

    CHECK_OK(GI_NEW(&run, p, 900000));
    CHECK_FAILS(GI_NEW(&run, q, 200000), GRAM_ERR_MEMORY,
                "memory budget: 879 KiB in use and 195 KiB more needed, the "
                "budget is 977 KiB");
    CHECK(q == NULL);
    CHECK(GI_GROW(&run, p, 1200000) == GRAM_ERR_MEMORY);
    CHECK(p != NULL); /* the old block stays */
    CHECK_OK(GI_GROW(&run, p, 950000));
    gi_free(p);
}

TEST(memory_of_the_caller_is_counted_and_within_the_budget)
{
    const gram_exec exec = {.memory = 1000000};
    size_t before = gram_memory_used();
    void *p = NULL, *q = &before;

    CHECK_OK(gram_memory_new(100000, sizeof(double), &exec, &p));
    CHECK(gram_memory_used() == before + 800000);
    CHECK((uintptr_t)p % 64 == 0);
    CHECK(gram_memory_new(200000, sizeof(double), &exec, &q) ==
          GRAM_ERR_MEMORY);
    CHECK(q == NULL);
    gram_memory_free(p);
    gram_memory_free(NULL);
    CHECK(gram_memory_used() == before);
}

TEST(the_nth_allocation_fails_when_told)
{
    char *p[4] = {NULL};

    gi_mem_fail_at(3, 0);
    CHECK_OK(GI_NEW(NULL, p[0], 1));
    CHECK_OK(GI_NEW(NULL, p[1], 1));
    CHECK(GI_NEW(NULL, p[2], 1) == GRAM_ERR_MEMORY);
    CHECK_OK(GI_NEW(NULL, p[3], 1));
    gi_mem_fail_at(1, 1);
    CHECK(GI_NEW(NULL, p[2], 1) == GRAM_ERR_MEMORY);
    CHECK(GI_GROW(NULL, p[1], 100) == GRAM_ERR_MEMORY);
    gi_mem_fail_at(0, 0);
    for (int i = 0; i < 4; i++)
        gi_free(p[i]);
}

TESTS(SMALL(blocks_are_aligned_and_counted),
      SMALL(growing_keeps_what_was_there_across_all_kinds_of_blocks),
      SMALL(zero_elements_give_a_pointer_and_zeroed_memory_is_zero),
      SMALL(a_large_block_is_reused_and_zeroed_when_asked),
      SMALL(blocks_of_several_sizes_are_kept_for_reuse),
      SMALL(blocks_kept_for_reuse_do_not_add_to_the_peak),
      SMALL(sizes_that_overflow_are_refused), SMALL(the_budget_is_kept),
      SMALL(memory_of_the_caller_is_counted_and_within_the_budget),
      SMALL(the_nth_allocation_fails_when_told))
