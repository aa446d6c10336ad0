/* test_rng.c - the generator: published vectors, streams, distributions. */
#include "check.h"

#include "base/rng.h"

/* The known answers of Random123 for philox4x32-10: counter and key all zero,
 * all ones, and the digits of pi. */
TEST(blocks_are_those_published)
{
    gi_rng zero = gi_rng_new(0, 0);
    gi_rng ones = gi_rng_new(UINT64_MAX, UINT64_MAX);
    gi_rng pi = gi_rng_new(0x299f31d0a4093822u, 0x0370734413198a2eu);

    ones.position = UINT64_MAX;
    pi.position = 0x85a308d3243f6a88u;
    CHECK(gi_rng_u64(&zero) == 0xe169c58d6627e8d5u);
    CHECK(gi_rng_u64(&zero) == 0x9b00dbd8bc57ac4cu);
    CHECK(gi_rng_u64(&ones) == 0x41c83b0e408f276du);
    CHECK(gi_rng_u64(&ones) == 0x6d5451fda20bc7c6u);
    CHECK(gi_rng_u64(&pi) == 0x94fdccebd16cfe09u);
    CHECK(gi_rng_u64(&pi) == 0x24126ea15001e420u);
}

TEST(a_stream_repeats_and_differs_from_its_neighbours)
{
    gi_rng a = gi_rng_new(7, 1), b = gi_rng_new(7, 1);
    gi_rng other_stream = gi_rng_new(7, 2), other_seed = gi_rng_new(8, 1);

    for (int i = 0; i < 1000; i++) {
        uint64_t x = gi_rng_u64(&a);

        CHECK(x == gi_rng_u64(&b));
        CHECK(x != gi_rng_u64(&other_stream));
        CHECK(x != gi_rng_u64(&other_seed));
    }
}

/* 20 bins of equal probability: chi-square with 19 degrees of freedom, whose
 * 99.99 % quantile is 50.8. */
static double chi_square(const int count[20], int n)
{
    double x = 0, e = n / 20.0;

    for (int k = 0; k < 20; k++)
        x += (count[k] - e) * (count[k] - e) / e;
    return x;
}

TEST(uniform_below_and_normal_have_their_distributions)
{
    enum { N = 40000 };
    gi_rng r = gi_rng_new(1, 0);
    int uniform[20] = {0}, below[20] = {0}, normal[20] = {0};
    double sum = 0, squares = 0;

    for (int i = 0; i < N; i++) {
        double u = gi_rng_uniform(&r), z = gi_rng_normal(&r);
        double p = 0.5 * erfc(-z / sqrt(2));

        CHECK(u >= 0 && u < 1);
        uniform[(int)(20 * u)]++;
        below[gi_rng_below(&r, 20)]++;
        normal[(int)(20 * p) % 20]++;
        sum += z;
        squares += z * z;
    }
    CHECK(chi_square(uniform, N) < 50.8);
    CHECK(chi_square(below, N) < 50.8);
    CHECK(chi_square(normal, N) < 50.8);
    CHECK_NEAR(sum / N, 0, 4 / sqrt(N));
    CHECK_NEAR(squares / N, 1, 4 * sqrt(2.0 / N));
}

TEST(below_one_is_zero_and_large_bounds_are_not_passed)
{
    gi_rng r = gi_rng_new(3, 3);
    uint64_t bound = ((uint64_t)1 << 63) + 1;

    for (int i = 0; i < 1000; i++) {
        CHECK(gi_rng_below(&r, 1) == 0);
        CHECK(gi_rng_below(&r, bound) < bound);
    }
}

/* All 6 orders of 3 come equally often: 5 degrees of freedom, 99.99 % quantile
 * 25.7. */
TEST(shuffling_gives_every_order_equally_often)
{
    enum { N = 12000 };
    gi_rng r = gi_rng_new(5, 0);
    int count[27] = {0};
    double x = 0;

    for (int i = 0; i < N; i++) {
        size_t p[3] = {0, 1, 2};

        gi_rng_shuffle(&r, p, 3);
        CHECK(p[0] + p[1] + p[2] == 3 && p[0] != p[1] && p[1] != p[2]);
        count[9 * p[0] + 3 * p[1] + p[2]]++;
    }
    for (int k = 0; k < 27; k++)
        if (count[k])
            x += (count[k] - N / 6.0) * (count[k] - N / 6.0) / (N / 6.0);
    CHECK(x < 25.7);
}

TESTS(SMALL(blocks_are_those_published),
      SMALL(a_stream_repeats_and_differs_from_its_neighbours),
      SMALL(uniform_below_and_normal_have_their_distributions),
      SMALL(below_one_is_zero_and_large_bounds_are_not_passed),
      SMALL(shuffling_gives_every_order_equally_often))
