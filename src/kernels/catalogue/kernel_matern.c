/* kernel_matern.c - the Matern kernels of half-integer order.  With
 * r = sqrt(2 nu) |x-t| / length,
 *
 *   nu = 0.5: exp(-r)    1.5: (1 + r) exp(-r)    2.5: (1 + r + r^2/3) exp(-r)
 *
 * PSD on R^d for every d (Matern, 1960; Stein, 1999): the characteristic
 * function of a multivariate t distribution with 2 nu degrees of freedom.
 * That distribution is infinitely divisible (Grosswald, 1976), so every power
 * of the kernel is PSD too.  Its functions have nu - 1/2 derivatives.
 */
#include "kernels/catalogue/per_column.h"

enum { NU, LENGTH, ARD };

static const double orders[] = {0.5, 1.5, 2.5, NAN};

static const gram_param params[] = {
    [NU] = {.name = "nu",
            .range = GRAM_POSITIVE,
            .value = 2.5,
            .help = "smoothness",
            .choices = orders},
    [LENGTH] = {GI_PER_COLUMN("length", GRAM_POSITIVE, "length")},
    [ARD] = GI_ARD("length"),
    {.name = NULL},
};

static int compile(gram_program *p)
{
    double nu = gram_arg(p, NU);
    int distance = gram_emit_sqrt(p, gram_emit_sqdist(p, LENGTH, -2));
    int r = gram_emit_scale(p, distance, sqrt(2 * nu), LENGTH, -1);
    int decay = gram_emit_exp(p, gram_emit_scale(p, r, -1, -1, 0));
    int sum = gram_emit_constant(p, 1, -1, 0);

    if (nu < 1)
        return decay;
    sum = gram_emit_add(p, sum, r);
    if (nu > 2) {
        int square = gram_emit_multiply(p, r, r);

        sum = gram_emit_add(p, sum, gram_emit_scale(p, square, 1.0 / 3, -1, 0));
    }
    return gram_emit_multiply(p, sum, decay);
}

/* Markov together with nu - 1/2 derivatives (Hartikainen and Sarkka, 2010). */
static gram_markov markov(const double *value, double *rate)
{
    *rate = sqrt(2 * value[NU]) * pow(value[LENGTH], -1);
    return value[NU] < 1   ? GRAM_MARKOV_EXPONENTIAL
           : value[NU] < 2 ? GRAM_MARKOV_MATERN32
                           : GRAM_MARKOV_MATERN52;
}

const gram_kernel_class gi_kernel_matern = {
    .name = "matern",
    .formula = "(1, 1+r or 1+r+r^2/3) exp(-r), r = sqrt(2 nu) |x-t|/length",
    .proof = "the characteristic function of a t distribution (Matern, 1960)",
    .flags = GRAM_KERNEL_UNIVERSAL | GRAM_KERNEL_STATIONARY |
             GRAM_KERNEL_DIVISIBLE | GRAM_KERNEL_SCALED | GRAM_KERNEL_MARKOV,
    .params = params,
    .compile = compile,
    .markov = markov,
};
