/* map_poly.c - all monomials of the columns up to a degree, 1 among them.
 *
 *   degree 2 of (a, b):  1, a, b, a^2, ab, b^2
 *
 * choose(d + degree, degree) of them.  Those of degree n are x_j times those
 * of degree n-1 in the columns from j on, which stand at the end of that
 * degree's, so each costs one multiplication.
 */
#include <stdint.h>

#include "gram_plugin.h"

enum { DEGREE };

static const gram_param params[] = {
    [DEGREE] = {.name = "degree",
                .range = GRAM_COUNT,
                .value = 2,
                .help = "of the monomials, at most"},
    {.name = NULL},
};

/* choose(n + k - 1, k), the monomials of degree k in n columns; SIZE_MAX if it
 * does not fit. */
static size_t monomials(size_t n, size_t k)
{
    size_t count = 1;

    for (size_t i = 0; i < k; i++) {
        if (count > SIZE_MAX / (n + i))
            return SIZE_MAX;
        count = count * (n + i) / (i + 1);
    }
    return count;
}

static size_t width(const double *arg, size_t d)
{
    return monomials(d + 1, (size_t)arg[DEGREE]);
}

static int apply(const double *arg, const double *state, const double *x,
                 size_t d, double *out, const char **why)
{
    size_t degree = (size_t)arg[DEGREE], end = 1, next = 1;

    (void)state;
    out[0] = 1;
    for (size_t n = 1; n <= degree; n++) {
        for (size_t j = 0; j < d; j++)
            for (size_t i = end - monomials(d - j, n - 1); i < end; i++)
                out[next++] = x[j] * out[i];
        end = next;
    }
    for (size_t i = 0; i < end; i++)
        if (!isfinite(out[i])) {
            *why = "a power of it is too large";
            return 0;
        }
    return 1;
}

const gram_map_class gi_map_poly = {
    .name = "poly",
    .formula = "1, x_j, x_j x_k, ...: monomials up to `degree`",
    .help = "all monomials of the columns up to a degree",
    .params = params,
    .width = width,
    .apply = apply,
};
