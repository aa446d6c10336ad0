/* minimise.c - a minimum by whichever method suits the function; NLopt behind
 * our own status, memory of the best, and patience with points that have no
 * value.
 *
 * NLopt's line search does not survive infinities.  Where the function has no
 * value it is told one above all seen, with no slope: the search then steps
 * back by half or more.
 */
#include "solvers/search/minimise.h"

#include <math.h>
#include <nlopt.h>
#include <string.h>

#include "base/mem.h"
#include "solvers/search/bfgs.h"

/* First steps of a search without gradients, in every variable. */
static const double first_step = 0.5;

typedef struct search {
    const gi_objective *f;
    nlopt_opt opt;
    gram_status status;
    size_t evaluations;
    int stopped; /* by their number */
    double best, worst;
    double *best_x;
} search;

static double evaluate(unsigned n, const double *x, double *gradient,
                       void *user)
{
    search *s = user;
    double value = NAN;

    /* NLopt goes on a bit after it was told to stop */
    if (s->status != GRAM_OK || s->evaluations == s->f->evaluations) {
        s->stopped = 1;
        nlopt_force_stop(s->opt);
        return s->worst;
    }
    s->status = s->f->at(s->f->user, x, &value, gradient);
    s->evaluations++;
    if (s->status != GRAM_OK) {
        nlopt_force_stop(s->opt);
        return s->worst;
    }
    if (!isfinite(value)) {
        if (gradient)
            memset(gradient, 0, n * sizeof *gradient);
        return s->evaluations == 1 ? 0 : s->worst + 1;
    }
    if (!isfinite(s->best) || value < s->best) {
        s->best = value;
        memcpy(s->best_x, x, n * sizeof *x);
    }
    s->worst = isfinite(s->worst) ? fmax(s->worst, value) : value;
    return value;
}

static gram_status configure(search *s, const gi_objective *f)
{
    const unsigned n = (unsigned)f->variables;

    s->opt = nlopt_create(f->smooth ? NLOPT_LD_LBFGS : NLOPT_LN_SBPLX, n);
    if (s->opt && nlopt_set_min_objective(s->opt, evaluate, s) > 0 &&
        nlopt_set_lower_bounds(s->opt, f->lower) > 0 &&
        nlopt_set_upper_bounds(s->opt, f->upper) > 0 &&
        nlopt_set_ftol_abs(s->opt, f->tolerance) > 0 &&
        nlopt_set_initial_step1(s->opt, first_step) > 0)
        return GRAM_OK;
    return gi_fail(GRAM_ERR_MEMORY, "search: not enough memory for NLopt");
}

static gram_status by_nlopt(const gi_objective *f, double *x, double *value,
                            int *converged)
{
    search s = {.f = f, .best = INFINITY, .worst = -INFINITY};
    double last;
    nlopt_result end;
    gram_status status;

    GI_TRY(GI_NEW(NULL, s.best_x, f->variables));
    memcpy(s.best_x, x, f->variables * sizeof *x);
    if (f->variables == 0) {
        evaluate(0, x, NULL, &s);
        end = NLOPT_SUCCESS;
    } else {
        GI_TRY(configure(&s, f));
        end = nlopt_optimize(s.opt, x, &last);
    }
    status = s.status;
    if (status == GRAM_OK && end == NLOPT_OUT_OF_MEMORY)
        status =
            gi_fail(GRAM_ERR_MEMORY, "search: not enough memory for NLopt");
    *converged = !s.stopped && (end > 0 || end == NLOPT_ROUNDOFF_LIMITED);
    *value = s.best;
    memcpy(x, s.best_x, f->variables * sizeof *x);
done:
    nlopt_destroy(s.opt);
    gi_free(s.best_x);
    return status;
}

gram_status gi_minimise(const gi_objective *f, double *x, double *value,
                        int *converged)
{
    gi_objective g = *f;
    gram_status status;

    if (!f->smooth || f->variables == 0 || f->variables > GI_DENSE_VARIABLES)
        return by_nlopt(f, x, value, converged);
    if (f->curvature)
        return gi_bfgs(f, x, value, converged);
    GI_TRY(GI_NEW_ZERO(NULL, g.curvature, f->variables * f->variables));
    GI_TRY(gi_bfgs(&g, x, value, converged));
done:
    gi_free(g.curvature);
    return status;
}
