/* cpu_avx512.c - the operations with AVX-512 F, DQ, BW and VL (Skylake-X,
 * Zen 4 and later).  Tails are masked loads and stores, which do not touch
 * the memory that is masked out.
 */
#include "cpu/cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>

#define SIMD                                                                   \
    __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma,popcnt")))

SIMD static size_t count_byte(const char *s, size_t n, char c)
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
SIMD static inline __m512d combine(__mmask8 here, const double *b,
                                   const double *c, __m512d s)
{
    return _mm512_add_pd(_mm512_maskz_loadu_pd(here, b),
                         _mm512_mul_pd(s, _mm512_maskz_loadu_pd(here, c)));
}

SIMD static void triad(double *a, const double *b, const double *c, double s,
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

/* -------------------------------------------------- the words of cpu_simd.inc
 */

typedef __m512d vector_d;
typedef __m512 vector_s;

enum { WIDTH_d = 8, WIDTH_s = 16, SIDE_d = 1, SIDE_s = 2, ROWS = 8 };
#define EACH_ROW(R) R(0) R(1) R(2) R(3) R(4) R(5) R(6) R(7)

#define mask_d(k) ((__mmask8)((1U << (k)) - 1))
#define mask_s(k) ((__mmask16)((1U << (k)) - 1))

#define set_d _mm512_set1_pd
#define load_d _mm512_loadu_pd
#define store_d _mm512_storeu_pd
#define load_part_d(p, k) _mm512_maskz_loadu_pd(mask_d(k), p)
#define store_part_d(p, k, v) _mm512_mask_storeu_pd(p, mask_d(k), v)
#define store_past_d _mm512_stream_pd
#define fma_d _mm512_fmadd_pd
#define min_d _mm512_min_pd
#define max_d _mm512_max_pd
#define root_d _mm512_sqrt_pd
#define absolute_d _mm512_abs_pd
#define nearest_d(v) _mm512_roundscale_pd(v, _MM_FROUND_TO_NEAREST_INT)
#define where_less_d(a, b, x, y)                                               \
    _mm512_mask_blend_pd(_mm512_cmp_pd_mask(a, b, _CMP_LT_OQ), y, x)
#define where_zero_d(a, x, y)                                                  \
    _mm512_mask_blend_pd(_mm512_cmp_pd_mask(a, set_d(0), _CMP_EQ_OQ), y, x)
#define widen_d load_d
#define widen_part_d load_part_d
#define narrow_d store_d
#define narrow_part_d store_part_d
#define set_side_d(p) set_d(*(p))
#define own_side_d(p, i) load_d(p)
#define sum_sides_d load_d
#define sum_d _mm512_reduce_add_pd

#define set_s _mm512_set1_ps
#define load_s _mm512_loadu_ps
#define store_s _mm512_storeu_ps
#define load_part_s(p, k) _mm512_maskz_loadu_ps(mask_s(k), p)
#define store_part_s(p, k, v) _mm512_mask_storeu_ps(p, mask_s(k), v)
#define store_past_s _mm512_stream_ps
#define fma_s _mm512_fmadd_ps
#define min_s _mm512_min_ps
#define max_s _mm512_max_ps
#define root_s _mm512_sqrt_ps
#define absolute_s _mm512_abs_ps
#define nearest_s(v) _mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT)
#define where_less_s(a, b, x, y)                                               \
    _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), y, x)
#define where_zero_s(a, x, y)                                                  \
    _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, set_s(0), _CMP_EQ_OQ), y, x)
#define widen_s(p) _mm512_cvtps_pd(_mm256_loadu_ps(p))
#define widen_part_s(p, k) _mm512_cvtps_pd(_mm256_maskz_loadu_ps(mask_d(k), p))
#define narrow_s(p, v) _mm256_storeu_ps(p, _mm512_cvtpd_ps(v))
#define narrow_part_s(p, k, v)                                                 \
    _mm256_mask_storeu_ps(p, mask_d(k), _mm512_cvtpd_ps(v))
#define set_side_s(p)                                                          \
    _mm512_castsi512_ps(                                                       \
        _mm512_broadcastq_epi64(_mm_loadl_epi64((const __m128i *)(p))))
#define own_side_s(p, i)                                                       \
    ((i) % 2 ? _mm512_movehdup_ps(load_s(p)) : _mm512_moveldup_ps(load_s(p)))

SIMD static inline vector_d sum_sides_s(const float *p)
{
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    const vector_d low = widen_s(p), high = widen_s(p + WIDTH_d);

    return _mm512_permutex2var_pd(low, even, high) +
           _mm512_permutex2var_pd(low, odd, high);
}

/* 2^x for x = k/16 + r: the low bits of s, which is MAGIC + k/16, choose from
 * a table in registers, a polynomial does r, and scalef, which takes the floor
 * of its exponent, the rest: with over- and underflow and without branches. */
#define MAGIC_d 0x1.8p48
#define MAGIC_s 0x1.8p19f
#define RANGE_d 1100
#define RANGE_s 160

SIMD static inline vector_d two_to_d(vector_d s, vector_d r)
{
    static const double table[16] = {
        0x1.0000000000000p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0,
        0x1.2387a6e756238p+0, 0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0,
        0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0, 0x1.6a09e667f3bcdp+0,
        0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f090p+0,
        0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0,
        0x1.ea4afa2a490dap+0};
    const vector_d t = _mm512_permutex2var_pd(
        load_d(table), _mm512_castpd_si512(s), load_d(table + 8));
    vector_d p = set_d(0x1.430a1d08ec681p-13);

    p = fma_d(p, r, set_d(0x1.5d897e525c216p-10));
    p = fma_d(p, r, set_d(0x1.3b2ab6fb41213p-7));
    p = fma_d(p, r, set_d(0x1.c6b08d6f2a289p-5));
    p = fma_d(p, r, set_d(0x1.ebfbdff82c590p-3));
    p = fma_d(p, r, set_d(0x1.62e42fefa39f3p-1));
    return _mm512_scalef_pd(fma_d(t, p * r, t), s - set_d(MAGIC_d));
}

SIMD static inline vector_s two_to_s(vector_s s, vector_s r)
{
    static const float table[16] = {
        0x1.000000p+0f, 0x1.0b5586p+0f, 0x1.172b84p+0f, 0x1.2387a6p+0f,
        0x1.306fe0p+0f, 0x1.3dea64p+0f, 0x1.4bfdaep+0f, 0x1.5ab07ep+0f,
        0x1.6a09e6p+0f, 0x1.7a1148p+0f, 0x1.8ace54p+0f, 0x1.9c4918p+0f,
        0x1.ae89fap+0f, 0x1.c199bep+0f, 0x1.d5818ep+0f, 0x1.ea4afap+0f};
    const vector_s t =
        _mm512_permutexvar_ps(_mm512_castps_si512(s), load_s(table));
    vector_s p = set_s(0x1.c6b29ap-5f);

    p = fma_s(p, r, set_s(0x1.ebff92p-3f));
    p = fma_s(p, r, set_s(0x1.62e430p-1f));
    return _mm512_scalef_ps(fma_s(t, p * r, t), s - set_s(MAGIC_s));
}

SIMD static inline vector_d split_d(vector_d x, vector_d *e)
{
    const vector_d f =
        _mm512_getmant_pd(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_zero);

    *e = _mm512_getexp_pd(x) - _mm512_getexp_pd(f);
    return f;
}

#include "cpu/cpu_simd.inc"
#include "cpu/cpu_simd_step.inc"

#define REAL double
#define OF(name) name##_d
#include "cpu/cpu_simd_tile.inc"
#undef REAL
#undef OF
#define REAL float
#define OF(name) name##_s
#include "cpu/cpu_simd_tile.inc"
#undef REAL
#undef OF

const gi_cpu gi_cpu_avx512 = {
    .name = "avx512",
    .count_byte = count_byte,
    .triad = triad,
    SIMD_STEP,
    SIMD_TILE(d),
    SIMD_TILE(s),
};
#endif
