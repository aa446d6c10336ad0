/* cpu_avx512.c - the operations with AVX-512 F, DQ, BW and VL (Skylake-X,
 * Zen 4 and later).  Tails are masked loads and stores, which do not touch
 * the memory that is masked out.
 */
#include "cpu/cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>

#define AVX512                                                                 \
    __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,popcnt")))

AVX512 static size_t count_byte(const char *s, size_t n, char c)
{
    enum { VECTOR = 64, ROUND = 4 * VECTOR };
    const __m512i want = _mm512_set1_epi8(c);
    uint64_t count[4] = {0};
    size_t i = 0;

    for (; i + ROUND <= n; i += ROUND)
        for (size_t j = 0; j < 4; j++) {
            __m512i x = _mm512_loadu_si512(s + i + j * VECTOR);

            count[j] +=
                (uint64_t)_mm_popcnt_u64(_mm512_cmpeq_epi8_mask(x, want));
        }
    for (; i < n; i += VECTOR) {
        size_t left = n - i < VECTOR ? n - i : VECTOR;
        __mmask64 here = ~0ULL >> (VECTOR - left);
        __m512i x = _mm512_maskz_loadu_epi8(here, s + i);

        count[0] += (uint64_t)_mm_popcnt_u64(
            _mm512_mask_cmpeq_epi8_mask(here, x, want));
    }
    return (size_t)(count[0] + count[1] + count[2] + count[3]);
}

/* b + s c in the lanes of the mask, rounded twice as in C. */
AVX512 static inline __m512d combine(__mmask8 here, const double *b,
                                     const double *c, __m512d s)
{
    return _mm512_add_pd(_mm512_maskz_loadu_pd(here, b),
                         _mm512_mul_pd(s, _mm512_maskz_loadu_pd(here, c)));
}

AVX512 static void triad(double *a, const double *b, const double *c, double s,
                         size_t n)
{
    enum { VECTOR = 8, ALL = 0xff };
    const __m512d factor = _mm512_set1_pd(s);
    size_t i = -(uintptr_t)a / sizeof *a % VECTOR; /* to alignment of a */
    __mmask8 here;

    i = i < n ? i : n;
    here = (__mmask8)((1U << i) - 1);
    _mm512_mask_storeu_pd(a, here, combine(here, b, c, factor));
    for (; i + VECTOR <= n; i += VECTOR)
        _mm512_stream_pd(a + i, combine(ALL, b + i, c + i, factor));
    here = (__mmask8)((1U << (n - i)) - 1);
    _mm512_mask_storeu_pd(a + i, here, combine(here, b + i, c + i, factor));
    _mm_sfence();
}

const gi_cpu gi_cpu_avx512 = {
    .name = "avx512",
    .count_byte = count_byte,
    .triad = triad,
};
#endif
