/* test_scratch.c - memory of a call that the next one finds: blocks lie apart,
 * hold what is put there, and come from the heap where they do not fit.
 */
#include "check.h"

#include <omp.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/scratch.h"

enum { BLOCKS = 40, THREADS = 4 };

/* A call that takes blocks of many sizes, and frees them in two ways. */
static void use(gi_run *run, unsigned char mark, int backwards)
{
    unsigned char *block[BLOCKS] = {NULL};

    for (size_t k = 0; k < BLOCKS; k++) {
        CHECK_OK(GI_NEW_ZERO(run, block[k], 7 * k + 1));
        CHECK((uintptr_t)block[k] % 64 == 0);
        CHECK(block[k][0] == 0 && block[k][7 * k] == 0);
        memset(block[k], mark + (int)k, 7 * k + 1);
    }
    CHECK_OK(GI_GROW(run, block[3], 1000));
    for (size_t k = 0; k < BLOCKS; k++)
        for (size_t i = 0; i <= 7 * k; i++)
            CHECK(block[k][i] == (unsigned char)(mark + k));
    for (size_t k = 0; k < BLOCKS; k++)
        gi_free(block[backwards ? BLOCKS - 1 - k : k]);
}

TEST(the_third_call_needs_nothing_but_what_grows)
{
    GI_RUN(run, NULL);
    gi_scratches pool = {.wanted = 0};
    unsigned char *p = NULL;
    size_t used;

    for (int k = 0; k < 4; k++) {
        gi_scratch_begin(&run, &pool);
        use(&run, (unsigned char)k, k % 2);
        gi_scratch_end(&run, &pool);
        CHECK(!run.scratch);
    }
    used = gram_memory_used();
    gi_scratch_begin(&run, &pool);
    gi_mem_fail_at(1, 1);
    CHECK_OK(GI_NEW(&run, p, 100));
    gi_mem_fail_at(0, 0);
    CHECK(gram_memory_used() == used);
    gi_free(p);
    gi_scratch_end(&run, &pool);
    gi_scratches_free(&pool);
}

/* What is too large for a scratch neither fails nor makes it large. */
TEST(a_large_block_comes_from_the_heap)
{
    GI_RUN(run, NULL);
    gi_scratches pool = {.wanted = 0};
    size_t before = gram_memory_used();

    for (int k = 0; k < 3; k++) {
        char *p = NULL;

        gi_scratch_begin(&run, &pool);
        CHECK_OK(GI_NEW(&run, p, GI_SCRATCH_BYTES + 1));
        memset(p, k, GI_SCRATCH_BYTES + 1);
        gi_free(p);
        gi_scratch_end(&run, &pool);
        CHECK(gram_memory_used() <= before + 4096);
    }
    gi_scratches_free(&pool);
    CHECK(gram_memory_used() == before);
}

/* More calls at once than the pool has slots. */
TEST(calls_at_the_same_time_have_their_own)
{
    enum { CALLS = GI_SCRATCHES + 3 };
    size_t before = gram_memory_used();
    gi_scratches pool = {.wanted = 0};
    gi_run run[CALLS];

    for (int round = 0; round < 3; round++) {
        unsigned char *p[CALLS] = {NULL};

        for (size_t k = 0; k < CALLS; k++) {
            run[k] = gi_run_begin(NULL);
            gi_scratch_begin(&run[k], &pool);
            CHECK_OK(GI_NEW(&run[k], p[k], 300));
            memset(p[k], (int)k, 300);
        }
        for (size_t k = 0; k < CALLS; k++) {
            CHECK(p[k][0] == k && p[k][299] == k);
            gi_free(p[k]);
            gi_scratch_end(&run[k], &pool);
            gi_run_end(&run[k]);
        }
    }
    gi_scratches_free(&pool);
    CHECK(gram_memory_used() == before);
}

TEST(threads_of_a_call_share_one)
{
    GI_RUN(run, NULL);
    gi_scratches pool = {.wanted = 0};
    size_t before = gram_memory_used();

    for (int k = 0; k < 4; k++) {
        gi_scratch_begin(&run, &pool);
#pragma omp parallel num_threads(THREADS)
        use(&run, (unsigned char)(50 * omp_get_thread_num()), k % 2);
        gi_scratch_end(&run, &pool);
    }
    gi_scratches_free(&pool);
    CHECK(gram_memory_used() == before);
}

TESTS(SMALL(the_third_call_needs_nothing_but_what_grows),
      SMALL(a_large_block_comes_from_the_heap),
      SMALL(calls_at_the_same_time_have_their_own),
      SMALL(threads_of_a_call_share_one))
