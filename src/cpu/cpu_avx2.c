/* cpu_avx2.c - the operations with AVX2 and FMA (Haswell, Zen and later).
 *
 * The trap: an FMA rounds once where C rounds twice, so an operation that
 * promises the bits of generic C multiplies and adds in two steps.
 */
#include "cpu/cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>

#define AVX2 __attribute__((target("avx2,fma,popcnt")))

/* Compare gives -1 per equal byte; four vectors of byte counters take 255
 * rounds before they can overflow and are then added up by SAD. */
AVX2 static size_t count_byte(const char *s, size_t n, char c)
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

AVX2 static void triad(double *a, const double *b, const double *c, double s,
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

const gi_cpu gi_cpu_avx2 = {
    .name = "avx2",
    .count_byte = count_byte,
    .triad = triad,
};
#endif
