/* cpu_generic.c - the operations in plain C, for every machine: this is their
 * definition, and tests compare the other tables with it.
 */
#include "cpu/cpu.h"

#include <math.h>
#include <stdlib.h>

static size_t count_byte(const char *s, size_t n, char c)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += s[i] == c;
    return count;
}

static void triad(double *a, const double *b, const double *c, double s,
                  size_t n)
{
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}

static void step_pair(size_t n, float *g, const float *a, const float *b,
                      float s, const float *up, const float *down,
                      gi_extremes *out)
{
    *out = (gi_extremes){-INFINITY, INFINITY, 0, 0};
    for (size_t i = 0; i < n; i++) {
        g[i] += s * (a[i] - b[i]);
        if (up[i] - g[i] > out->most) {
            out->most = up[i] - g[i];
            out->most_at = i;
        }
        if (down[i] - g[i] < out->least) {
            out->least = down[i] - g[i];
            out->least_at = i;
        }
    }
}

static size_t best_partner(size_t n, const float *g, const float *down,
                           const float *diagonal, const float *k, float most,
                           float self)
{
    float best = 0;
    size_t at = n;

    for (size_t j = 0; j < n; j++) {
        float gap = most + (g[j] - down[j]);
        float bend = self + diagonal[j] - 2 * k[j];
        float score = gap * (gap / (bend > 0 ? bend : GI_CURVATURE));

        if (gap > 0 && score > best) {
            best = score;
            at = j;
        }
    }
    return at;
}

static void add_rows(size_t n, double *y, const float *const *x, size_t first,
                     const double *c, size_t m)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            y[j] += c[i] * (double)x[i][first + j];
}

static void cross_rows(size_t n, double *y, const float *const *x, size_t first,
                       const double *c, const double *v, double *s, size_t m)
{
    add_rows(n, y, x, first, c, m);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            s[i] += (double)x[i][first + j] * v[j];
}

#define REAL double
#define OF(name) name##_d
#include "cpu/cpu_generic_tile.inc"
#undef REAL
#undef OF
#define REAL float
#define OF(name) name##_s
#include "cpu/cpu_generic_tile.inc"
#undef REAL
#undef OF

#define OPERATION(result, operation, arguments) .operation = operation,
const gi_cpu gi_cpu_generic = {
    .name = "generic",
#include "cpu/cpu.def"
};
