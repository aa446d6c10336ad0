/* loss.h - losses V(y, f) as solvers see them.
 *
 * A loss is a row of losses.def, written as text like a kernel: "logistic",
 * "huber(delta=2)", "quantile(tau=[0.1,0.9])".  gram_plugin.h has the contract
 * of a class; here it meets its numbers.  Solvers and machines know losses only
 * through this table: they ask for its flags and functions, never for a name.
 *
 *     minimise    P(f) = sum_i w_i V(y_i, f(x_i)) + lambda |f|^2
 *
 * With f = sum_i alpha_i k(x_i, .) + b, at the minimum
 * alpha_i = -w_i V'(y_i, f_i)/(2 lambda), and the dual problem is
 *
 *     maximise    D(alpha) = -sum_i w_i V*(y_i, -2 lambda alpha_i/w_i)
 *                            - lambda alpha'K alpha
 *
 * subject to 1'alpha = 0 if there is an intercept.  V* is the conjugate of V
 * in its second argument; P - D >= 0 is the duality gap.
 */
#ifndef GI_LOSS_H
#define GI_LOSS_H

#include "base/run.h"
#include "gram_plugin.h"

enum { GI_LOSS_ARGS = 4 };

/* A class with values of its parameters: arg[i] is that of parameter i. */
typedef struct gi_loss {
    const gram_loss_class *class_;
    double arg[GI_LOSS_ARGS];
} gi_loss;

/* The losses that a text stands for: one, or with a list for a parameter, as in
 * quantile(tau=[0.1,0.5,0.9]), one for each number, ascending.  *out is to be
 * freed.  Errors: PARSE, NAME (with a suggestion), RANGE, MEMORY. */
gram_status gi_losses_new(gi_run *run, const char *text, gi_loss **out,
                          size_t *count);

/* Text that makes these losses again, to be freed. */
gram_status gi_losses_text(gi_run *run, const gi_loss *loss, size_t count,
                           char **out);

/* By name; NULL if there is none. */
const gram_loss_class *gi_loss_find(const char *name);

/* The first that has all these flags, or NULL. */
const gram_loss_class *gi_loss_with(unsigned flags);

/* Has it one of these flags? */
static inline int gi_loss_has(const gi_loss *loss, unsigned flags)
{
    return (loss->class_->flags & flags) != 0;
}

/* The value of its parameter nu; 0: it has none, or it is not used. */
double gi_loss_nu(const gi_loss *loss);

/* May y be a target?  Else a reason in *why: "must be at least 0". */
int gi_loss_accepts(const gi_loss *loss, double y, const char **why);

/* NaN where the class has none. */
static inline double gi_loss_conjugate(const gi_loss *l, double y, double a)
{
    return l->class_->conjugate ? l->class_->conjugate(l->arg, y, a) : NAN;
}

static inline double gi_loss_value(const gi_loss *l, double y, double f)
{
    return l->class_->value(l->arg, y, f);
}

static inline double gi_loss_slope(const gi_loss *l, double y, double f)
{
    return l->class_->slope(l->arg, y, f);
}

static inline double gi_loss_curvature(const gi_loss *l, double y, double f)
{
    return l->class_->curvature ? l->class_->curvature(l->arg, y, f) : 0;
}

#endif
