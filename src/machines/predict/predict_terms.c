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

/* One term on its own: program, rows, operator. */
typedef struct term {
    gram_program *program;
    gi_points *x, *new;
    gi_operator *T;
} term;

static void term_free(term *t)
{
    gi_operator_free(t->T);
    gi_points_free(t->new);
    gi_points_free(t->x);
    gi_program_free(t->program);
}

static gram_status term_new(const gi_query *a, size_t j, term *t)
{
    gram_status status = GRAM_OK;
    const gram_machine *m = a->m;

    GI_TRY(gi_program_new(a->run, m->term[j], m->table, 0, &t->program));
    GI_TRY(gi_points_new(a->run, t->program, m->table, GI_DOUBLE, &t->x));
    GI_TRY((a->unseen_error ? gi_points_new : gi_points_new_unseen)(
        a->run, t->program, a->table, GI_DOUBLE, &t->new));
    GI_TRY(gi_operator_new(a->run, t->program, NULL, t->new, t->x, &t->T));
done:
    return status;
}

/* The deviations of a term. */
static gram_status term_deviation(const gi_query *a, const gi_posterior *p,
                                  const term *t, double *variance,
                                  double *along)
{
    gram_status status = GRAM_OK;
    gi_solution s = *p->s;
    const double *inverse = s.inverse_one;
    double one = 0;

    s.inverse_one = NULL;
    GI_TRY(p->solver->variance(a->run, &p->p, &s, t->T, variance));
    if (inverse)
        GI_TRY(t->T->product(t->T, a->run, 0, inverse, 1, along));
    for (size_t i = 0; inverse && i < a->m->n; i++)
        one += inverse[i];
    for (size_t i = 0; i < a->rows; i++)
        variance[i] =
            sqrt(a->m->amplitude[0] *
                 (variance[i] + (inverse ? along[i] * along[i] / one : 0)));
done:
    return status;
}

gram_status gi_predict_terms(const gi_query *a, double *terms, double *std)
{
    gram_status status = GRAM_OK;
    size_t J = a->m->terms;
    const double *alpha = NULL;
    double *own = NULL, *value = NULL, *along = NULL;
    gi_posterior p = {0};
    term t = {0};

    GI_TRY(GI_NEW(a->run, value, a->rows));
    GI_TRY(GI_NEW(a->run, along, a->rows));
    if (std)
        GI_TRY(gi_posterior_new(a->run, a->m, 0, 1, &p));
    if (terms)
        GI_TRY(gi_machine_alpha(a->run, a->m, &alpha, &own));
    for (size_t j = 0; j < J; j++) {
        GI_TRY(term_new(a, j, &t));
        if (terms)
            GI_TRY(t.T->product(t.T, a->run, 0, alpha, 1, value));
        for (size_t i = 0; terms && i < a->rows; i++)
            terms[i * J + j] = value[i];
        if (std)
            GI_TRY(term_deviation(a, &p, &t, value, along));
        for (size_t i = 0; std && i < a->rows; i++)
            std[i * J + j] = value[i];
        term_free(&t);
        t = (term){0};
    }
done:
    term_free(&t);
    gi_posterior_free(&p);
    gi_free(own);
    gi_free(value);
    gi_free(along);
    return status;
}
