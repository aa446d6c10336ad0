/* per_column.h - what classes with one number per column have in common.
 */
#ifndef GI_PER_COLUMN_H
#define GI_PER_COLUMN_H

#include "gram_plugin.h"

/* Fields of a parameter that is learned, with one value per column. */
#define GI_PER_COLUMN(name_, range_, help_)                                    \
    .name = (name_), .range = (range_), .value = GRAM_OPEN, .help = (help_),   \
    .per_column = 1

/* And of one that stands for another: that one is factor * this^power. */
#define GI_STANDS_FOR(index, factor_, power_)                                  \
    .stands_for = (index) + 1, .factor = (factor_), .power = (power_)

#define GI_ARD(what)                                                           \
    {                                                                          \
        .name = "ard", .range = GRAM_FLAG, .help = "one " what " per column"   \
    }

/* The Ornstein-Uhlenbeck process of exp(-gamma |x-t|) on one column, gamma the
 * first parameter. */
static inline gram_markov gi_markov_exponential(const double *value,
                                                double *rate)
{
    *rate = value[0];
    return GRAM_MARKOV_EXPONENTIAL;
}

/* out = (x - shift)/scale with both lists in `state`; is all of it finite? */
static inline int gi_shift_and_scale(const double *state, const double *x,
                                     size_t d, double *out)
{
    for (size_t j = 0; j < d; j++) {
        out[j] = (x[j] - state[j]) / state[d + j];
        if (!isfinite(out[j]))
            return 0;
    }
    return 1;
}

#endif
