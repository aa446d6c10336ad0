/* process.c - probabilities of a Gaussian process classifier.
 *
 * In Laplace's approximation (solvers/smooth/laplace.h) f at a new row is
 * Gaussian: its mean is the machine's f, its variance that of a regression with
 * covariance K/(2 lambda) and noise variances 1/W_i, W_i = w_i V''(f_i)
 * (Rasmussen and Williams, 3.24).  In the units of solver.h that is
 * K + 2 lambda D with D = 1/W.  The probability is the mean of 1/(1 + exp(-f)).
 */
#include <math.h>

#include "base/mem.h"
#include "machines/predict/predict.h"
#include "solvers/smooth/laplace.h"

/* Rows that are certain have no W; their D need not be larger than this. */
static const double most = 1e12;

/* D of the training rows. */
static gram_status find_noise(gi_run *run, const gram_machine *m,
                              const gi_operator *K, double *D)
{
    gram_status status = GRAM_OK;
    const gi_solution *s = &m->expansion.solution[0];
    double *f = NULL;

    GI_TRY(GI_NEW(run, f, m->expansion.n));
    GI_TRY(gi_operator_product(K, run, 0, s->alpha, 1, f));
    for (size_t i = 0; i < m->expansion.n; i++) {
        double w = m->training.noise ? 1 / m->training.noise[i] : 1;
        double W = w * gi_loss_curvature(m->outputs.loss, m->training.y[i],
                                         f[i] + s->intercept[0]);

        D[i] = fmin(1 / W, most);
    }
done:
    gi_free(f);
    return status;
}

gram_status gi_query_process(const gi_query *a, const double *mean,
                             double *proba)
{
    gram_status status = GRAM_OK;
    const gram_machine *m = a->m;
    const gi_solver *dual = gi_solver_with(GI_SOLVER_SYSTEM);
    gi_problem p = {0};
    gi_solution s = {0};
    gi_operator *K = NULL;
    double *D = NULL, *variance = NULL;

    GI_TRY(gi_operator_new(a->run, m->expansion.program, NULL, m->expansion.x,
                           NULL, &K));
    GI_TRY(GI_NEW(a->run, D, m->expansion.n));
    GI_TRY(GI_NEW(a->run, variance, a->rows));
    GI_TRY(find_noise(a->run, m, K, D));
    p = gi_machine_problem(m, K, 0, NULL);
    p.loss = NULL;
    p.noise = D;
    p.lambda = 2 * m->outputs.lambda[0];
    p.amplitude = GI_AMPLITUDE_ONE;
    p.precision = GI_FACTOR_DOUBLE;
    p.keep_factor = 1;
    GI_TRY(gi_solver_solve(a->run, dual, &p, &s));
    GI_TRY(dual->variance(a->run, &p, &s, a->T, variance));
    for (size_t i = 0; i < a->rows; i++) {
        proba[2 * i + 1] =
            gi_laplace_probability(mean[i], variance[i] / p.lambda);
        proba[2 * i] = 1 - proba[2 * i + 1];
    }
done:
    gi_solution_free(&s);
    gi_operator_free(K);
    gi_free(D);
    gi_free(variance);
    return status;
}
