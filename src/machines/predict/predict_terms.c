/* predict_terms.c - what each term of the kernel's outermost sum contributes to
 * a prediction.
 *
 * For k = sum_j k_j the function is a sum of f_j = sum_i alpha_i k_j(x_i, .),
 * and as a Gaussian process f_j has, given y, the variance
 *
 *     s (k_j(x,x) - k_j'A^-1 k_j + (1'A^-1 k_j)^2/(1'A^-1 1)),
 *
 * k_j here the vector of k_j(x_i, x); the last part is there with an intercept.
 * (Duvenaud et al., Structure discovery in nonparametric regression, 2013.)
 */
#include <math.h>

#include "base/mem.h"
#include "machines/predict/predict.h"

/* The deviations of a term. */
static gram_status term_deviation(const gi_query *a, const gi_posterior *p,
                                  const gi_operator *T, double *variance,
                                  double *along)
{
    gram_status status = GRAM_OK;
    gi_solution s = *p->s;
    const double *inverse = s.inverse_one;
    double one = 0;

    s.inverse_one = NULL;
    GI_TRY(p->solver->variance(a->run, &p->p, &s, T, variance));
    if (inverse)
        GI_TRY(gi_operator_product(T, a->run, 0, inverse, 1, along));
    for (size_t i = 0; inverse && i < a->m->expansion.n; i++)
        one += inverse[i];
    for (size_t i = 0; i < a->rows; i++)
        variance[i] =
            sqrt(a->m->outputs.amplitude[0] *
                 (variance[i] + (inverse ? along[i] * along[i] / one : 0)));
done:
    return status;
}

gram_status gi_predict_terms(const gi_query *a, double *terms, double *std)
{
    gram_status status = GRAM_OK;
    size_t J = a->m->expansion.terms;
    const double *alpha = NULL;
    double *own = NULL, *value = NULL, *along = NULL;
    gi_posterior p = {0};
    gram_program term; /* of T */
    gi_operator *T = NULL;

    GI_TRY(GI_NEW(a->run, value, a->rows));
    GI_TRY(GI_NEW(a->run, along, a->rows));
    if (std)
        GI_TRY(gi_posterior_new(a->run, a->m, 0, 1, &p));
    if (terms)
        GI_TRY(gi_machine_alpha(a->run, a->m, &alpha, &own));
    for (size_t j = 0; j < J; j++) {
        term = gi_program_term(a->m->expansion.program, j);
        GI_TRY(
            gi_operator_new(a->run, &term, NULL, a->x, a->m->expansion.x, &T));
        if (terms)
            GI_TRY(gi_operator_product(T, a->run, 0, alpha, 1, value));
        for (size_t i = 0; terms && i < a->rows; i++)
            terms[i * J + j] = value[i];
        if (std)
            GI_TRY(term_deviation(a, &p, T, value, along));
        for (size_t i = 0; std && i < a->rows; i++)
            std[i * J + j] = value[i];
        gi_operator_free(T);
        T = NULL;
    }
done:
    gi_operator_free(T);
    gi_posterior_free(&p);
    gi_free(own);
    gi_free(value);
    gi_free(along);
    return status;
}
