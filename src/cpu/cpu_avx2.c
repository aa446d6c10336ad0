/* cpu_avx2.c - the operations with AVX2 and FMA (Haswell, Zen and later).
 *
 * The trap: an FMA rounds once where C rounds twice, so an operation that
 * promises the bits of generic C multiplies and adds in two steps.
 */
#include "cpu/cpu.h"

#if defined(__x86_64__)
#include <float.h>
#include <immintrin.h>
#include <stdint.h>

#define SIMD __attribute__((target("avx2,fma,popcnt")))

/* Compare gives -1 per equal byte; four vectors of byte counters take 255
 * rounds before they can overflow and are then added up by SAD. */
SIMD static size_t count_byte(const char *s, size_t n, char c)
{
    enum { VECTOR = 32, ROUND = 4 * VECTOR, MAX_ROUNDS = 255 };
    const __m256i want = _mm256_set1_epi8(c), zero = _mm256_setzero_si256();
    const char *end = s + n;
    __m256i sum = zero;
    uint64_t lane[4];
    size_t count;

    while (end - s >= ROUND) {
        size_t rounds = (size_t)(end - s) / ROUND;
        __m256i k[4] = {zero, zero, zero, zero};

        if (rounds > MAX_ROUNDS)
            rounds = MAX_ROUNDS;
        for (size_t r = 0; r < rounds; r++, s += ROUND)
            for (int j = 0; j < 4; j++) {
                __m256i x = _mm256_loadu_si256((const __m256i *)s + j);

                k[j] = _mm256_sub_epi8(k[j], _mm256_cmpeq_epi8(x, want));
            }
        for (int j = 0; j < 4; j++)
            sum = _mm256_add_epi64(sum, _mm256_sad_epu8(k[j], zero));
    }
    _mm256_storeu_si256((__m256i *)lane, sum);
    count = (size_t)(lane[0] + lane[1] + lane[2] + lane[3]);
    while (s < end)
        count += *s++ == c;
    return count;
}

SIMD static void triad(double *a, const double *b, const double *c, double s,
                       size_t n)
{
    const __m256d factor = _mm256_set1_pd(s);
    size_t i = 0;

    for (; i < n && (uintptr_t)(a + i) % 32; i++)
        a[i] = b[i] + s * c[i];
    for (; i + 4 <= n; i += 4) {
        __m256d t = _mm256_mul_pd(factor, _mm256_loadu_pd(c + i));

        _mm256_stream_pd(a + i, _mm256_add_pd(_mm256_loadu_pd(b + i), t));
    }
    for (; i < n; i++)
        a[i] = b[i] + s * c[i];
    _mm_sfence();
}

/* -------------------------------------------------- the words of cpu_simd.inc
 */

typedef __m256d vector_d;
typedef __m256 vector_s;

enum { WIDTH_d = 4, WIDTH_s = 8, SIDE_d = 1, SIDE_s = 1, ROWS = 4 };
#define EACH_ROW(R) R(0) R(1) R(2) R(3)

#define mask_d(k)                                                              \
    _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)(k)),                     \
                       _mm256_setr_epi64x(0, 1, 2, 3))
#define mask_s(k)                                                              \
    _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(k)),                            \
                       _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
#define half_mask_s(k)                                                         \
    _mm_cmpgt_epi32(_mm_set1_epi32((int)(k)), _mm_setr_epi32(0, 1, 2, 3))
#define NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)

#define set_d _mm256_set1_pd
#define load_d _mm256_loadu_pd
#define store_d _mm256_storeu_pd
#define load_part_d(p, k) _mm256_maskload_pd(p, mask_d(k))
#define store_part_d(p, k, v) _mm256_maskstore_pd(p, mask_d(k), v)
#define store_past_d _mm256_stream_pd
#define fma_d _mm256_fmadd_pd
#define min_d _mm256_min_pd
#define max_d _mm256_max_pd
#define root_d _mm256_sqrt_pd
#define absolute_d(v) _mm256_andnot_pd(set_d(-0.0), v)
#define nearest_d(v) _mm256_round_pd(v, NEAREST)
#define where_less_d(a, b, x, y)                                               \
    _mm256_blendv_pd(y, x, _mm256_cmp_pd(a, b, _CMP_LT_OQ))
#define where_zero_d(a, x, y)                                                  \
    _mm256_blendv_pd(y, x, _mm256_cmp_pd(a, set_d(0), _CMP_EQ_OQ))
#define widen_d load_d
#define widen_part_d load_part_d
#define narrow_d store_d
#define narrow_part_d store_part_d
#define set_side_d(p) set_d(*(p))
#define own_side_d(p, i) load_d(p)
#define sum_sides_d load_d

#define set_s _mm256_set1_ps
#define load_s _mm256_loadu_ps
#define store_s _mm256_storeu_ps
#define load_part_s(p, k) _mm256_maskload_ps(p, mask_s(k))
#define store_part_s(p, k, v) _mm256_maskstore_ps(p, mask_s(k), v)
#define store_past_s _mm256_stream_ps
#define fma_s _mm256_fmadd_ps
#define min_s _mm256_min_ps
#define max_s _mm256_max_ps
#define root_s _mm256_sqrt_ps
#define absolute_s(v) _mm256_andnot_ps(set_s(-0.0F), v)
#define nearest_s(v) _mm256_round_ps(v, NEAREST)
#define where_less_s(a, b, x, y)                                               \
    _mm256_blendv_ps(y, x, _mm256_cmp_ps(a, b, _CMP_LT_OQ))
#define where_zero_s(a, x, y)                                                  \
    _mm256_blendv_ps(y, x, _mm256_cmp_ps(a, set_s(0), _CMP_EQ_OQ))
#define widen_s(p) _mm256_cvtps_pd(_mm_loadu_ps(p))
#define widen_part_s(p, k) _mm256_cvtps_pd(_mm_maskload_ps(p, half_mask_s(k)))
#define narrow_s(p, v) _mm_storeu_ps(p, _mm256_cvtpd_ps(v))
#define narrow_part_s(p, k, v)                                                 \
    _mm_maskstore_ps(p, half_mask_s(k), _mm256_cvtpd_ps(v))
#define set_side_s(p) set_s(*(p))
#define own_side_s(p, i) load_s(p)
#define sum_sides_s widen_s

SIMD static inline double sum_d(vector_d v)
{
    __m128d s =
        _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));

    return _mm_cvtsd_f64(_mm_add_sd(s, _mm_unpackhi_pd(s, s)));
}

/* 2^x for x = k + r, or k/8 + r in single precision: the low bits of s hold k,
 * a polynomial (with a table in single precision) gives 2^r, and 2^k is put
 * together from exponent bits in two halves, which over- and underflow as one
 * multiplication by 2^k would. */
#define MAGIC_d 0x1.8p52
#define MAGIC_s 0x1.8p20f
#define RANGE_d 1100
#define RANGE_s 160

SIMD static inline vector_d two_to_d(vector_d s, vector_d r)
{
    static const double series[] = {
        0x1.62e42fefa39efp-1,  0x1.ebfbdff82c598p-3,  0x1.c6b08d704a0c2p-5,
        0x1.3b2ab6fba1ddap-7,  0x1.5d87fe78a5276p-10, 0x1.430913096fd9fp-13,
        0x1.ffcbfc670dcd4p-17, 0x1.62bfd47773353p-20, 0x1.b524fae627834p-24,
        0x1.e6063f7217bc6p-28, 0x1.e9d3fe3952179p-32};
    const __m256i one = _mm256_set1_epi32(1023), k = _mm256_castpd_si256(s);
    const __m256i half = _mm256_srai_epi32(k, 1);
    const __m256i rest = _mm256_sub_epi32(k, half);
    const vector_d a =
        _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_add_epi32(half, one), 52));
    const vector_d b =
        _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_add_epi32(rest, one), 52));
    vector_d p = set_d(series[10]);

    for (int i = 9; i >= 0; i--)
        p = fma_d(p, r, set_d(series[i]));
    return fma_d(p, r, set_d(1)) * a * b;
}

SIMD static inline vector_s two_to_s(vector_s s, vector_s r)
{
    const __m256i one = _mm256_set1_epi32(127), bits = _mm256_castps_si256(s);
    const __m256i k = _mm256_srai_epi32(
        _mm256_sub_epi32(bits, _mm256_castps_si256(set_s(MAGIC_s))), 3);
    const __m256i half = _mm256_srai_epi32(k, 1);
    const __m256i rest = _mm256_sub_epi32(k, half);
    const vector_s a =
        _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(half, one), 23));
    const vector_s b =
        _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(rest, one), 23));
    const vector_s t = _mm256_permutevar8x32_ps(
        _mm256_setr_ps(0x1.000000p+0f, 0x1.172b84p+0f, 0x1.306fe0p+0f,
                       0x1.4bfdaep+0f, 0x1.6a09e6p+0f, 0x1.8ace54p+0f,
                       0x1.ae89fap+0f, 0x1.d5818ep+0f),
        bits);
    vector_s p = set_s(0x1.c6b8bep-5f);

    p = fma_s(p, r, set_s(0x1.ec0aa6p-3f));
    p = fma_s(p, r, set_s(0x1.62e430p-1f));
    return fma_s(t, p * r, t) * a * b;
}

/* Adding half a unit of the exponent's last bit moves the border
 * between exponents from 1 to 3/4; subnormal numbers are made normal first. */
SIMD static inline vector_d split_d(vector_d x, vector_d *e)
{
    const vector_d least = set_d(DBL_MIN), two52 = set_d(0x1p52);
    const vector_d normal = where_less_d(x, least, x * set_d(0x1p54), x);
    const vector_d bias =
        where_less_d(x, least, set_d(0x1p52 + 1077), set_d(0x1p52 + 1023));
    const __m256i bits = _mm256_castpd_si256(normal);
    const __m256i biased = _mm256_srli_epi64(
        _mm256_add_epi64(bits, _mm256_set1_epi64x(1LL << 51)), 52);
    const __m256i k = _mm256_sub_epi64(biased, _mm256_set1_epi64x(1023));

    *e = _mm256_castsi256_pd(
             _mm256_or_si256(biased, _mm256_castpd_si256(two52))) -
         bias;
    return _mm256_castsi256_pd(
        _mm256_sub_epi64(bits, _mm256_slli_epi64(k, 52)));
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

/* -------------------------------------------------------------- transposing
 *
 * By squares that fit the registers: exchange single numbers, then pairs, then
 * halves.  What is left of the tile at its right and lower edge goes one by
 * one. */

SIMD static inline void transpose_square_d(const double *src, size_t lds,
                                           double *dst, size_t ldd)
{
    const vector_d a = load_d(src), b = load_d(src + lds);
    const vector_d c = load_d(src + 2 * lds), d = load_d(src + 3 * lds);
    const vector_d ab0 = _mm256_unpacklo_pd(a, b);
    const vector_d ab1 = _mm256_unpackhi_pd(a, b);
    const vector_d cd0 = _mm256_unpacklo_pd(c, d);
    const vector_d cd1 = _mm256_unpackhi_pd(c, d);

    store_d(dst, _mm256_permute2f128_pd(ab0, cd0, 0x20));
    store_d(dst + ldd, _mm256_permute2f128_pd(ab1, cd1, 0x20));
    store_d(dst + 2 * ldd, _mm256_permute2f128_pd(ab0, cd0, 0x31));
    store_d(dst + 3 * ldd, _mm256_permute2f128_pd(ab1, cd1, 0x31));
}

/* Columns 0-3 of four rows in the lower halves, columns 4-7 in the upper. */
SIMD static inline void transpose_four_rows(const float *src, size_t lds,
                                            vector_s out[4])
{
    const vector_s a = load_s(src), b = load_s(src + lds);
    const vector_s c = load_s(src + 2 * lds), d = load_s(src + 3 * lds);
    const vector_s ab0 = _mm256_unpacklo_ps(a, b);
    const vector_s ab2 = _mm256_unpackhi_ps(a, b);
    const vector_s cd0 = _mm256_unpacklo_ps(c, d);
    const vector_s cd2 = _mm256_unpackhi_ps(c, d);

    out[0] = _mm256_shuffle_ps(ab0, cd0, 0x44);
    out[1] = _mm256_shuffle_ps(ab0, cd0, 0xee);
    out[2] = _mm256_shuffle_ps(ab2, cd2, 0x44);
    out[3] = _mm256_shuffle_ps(ab2, cd2, 0xee);
}

SIMD static inline void transpose_square_s(const float *src, size_t lds,
                                           float *dst, size_t ldd)
{
    vector_s up[4], low[4];

    transpose_four_rows(src, lds, up);
    transpose_four_rows(src + 4 * lds, lds, low);
    for (size_t j = 0; j < 4; j++) {
        store_s(dst + j * ldd, _mm256_permute2f128_ps(up[j], low[j], 0x20));
        store_s(dst + (j + 4) * ldd,
                _mm256_permute2f128_ps(up[j], low[j], 0x31));
    }
}

#define TRANSPOSE(name, real, width, square)                                   \
    SIMD static void name(size_t m, size_t n, const real *src, size_t lds,     \
                          real *dst, size_t ldd)                               \
    {                                                                          \
        const size_t m_whole = m - m % width, n_whole = n - n % width;         \
                                                                               \
        for (size_t j = 0; j < n_whole; j += width)                            \
            for (size_t i = 0; i < m_whole; i += width)                        \
                square(src + i * lds + j, lds, dst + j * ldd + i, ldd);        \
        for (size_t i = 0; i < m; i++)                                         \
            for (size_t j = i < m_whole ? n_whole : 0; j < n; j++)             \
                dst[j * ldd + i] = src[i * lds + j];                           \
    }

TRANSPOSE(transpose_d, double, WIDTH_d, transpose_square_d)
TRANSPOSE(transpose_s, float, WIDTH_s, transpose_square_s)

const gi_cpu gi_cpu_avx2 = {
    .name = "avx2",
    .count_byte = count_byte,
    .triad = triad,
    SIMD_STEP,
    .transpose_d = transpose_d,
    .transpose_s = transpose_s,
    SIMD_TILE(d),
    SIMD_TILE(s),
};
#endif
