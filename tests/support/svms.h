/* svms.h - support vector machines for tests: kernels on random rows, labels
 * or targets, and the conditions of the optimum checked in double.
 */
#ifndef SVMS_H
#define SVMS_H

#include "convex.h"
#include "operators.h"

typedef struct svm_world {
    kernel_world k;
    double *x, *y, *noise, *K;
    gi_loss *loss;
    gi_problem p;
} svm_world;

/* n rows in the plane, by `loss`: labels or targets with noise. */
static inline void svm_begin(svm_world *w, const char *loss, size_t n,
                             const char *kernel)
{
    double *e = grams_random(n, 0, 5);
    size_t count;

    *w = (svm_world){.x = grams_random(2 * n, 0, 3),
                     .y = grams_doubles(n),
                     .noise = grams_doubles(n)};
    kernel_world_new(&w->k, kernel, n, 0, 2, w->x, NULL);
    CHECK_OK(gi_losses_new(&w->k.run, loss, &w->loss, &count));
    for (size_t i = 0; i < n; i++) {
        double z = w->x[2 * i] + 0.5 * sin(3 * w->x[2 * i + 1]) + 0.5 * e[i];

        w->y[i] =
            w->loss->class_->flags & GRAM_LOSS_CLASSES ? (z > 0 ? 1 : -1) : z;
        w->noise[i] = i % 3 == 0 ? 0.5 : 1;
    }
    free(e);
    w->K = operator_matrix(w->k.K, &w->k.run);
    w->p = (gi_problem){.K = w->k.K,
                        .n = n,
                        .targets = 1,
                        .y = w->y,
                        .intercept = 1,
                        .lambda = 0.1,
                        .loss = w->loss,
                        .tolerance = 1e-7};
}

static inline void svm_end(svm_world *w)
{
    kernel_world_free(&w->k);
    gi_free(w->loss);
    free(w->x);
    free(w->y);
    free(w->noise);
    free(w->K);
}

static inline gi_solution svm_solve(svm_world *w)
{
    const gi_solver *smo;
    gi_solution s;

    CHECK_OK(gi_solver_find("smo", &smo));
    CHECK_OK(gi_solver_solve(&w->k.run, smo, &w->p, &s));
    return s;
}

/* f without b. */
static inline double svm_value(const svm_world *w, const gi_solution *s,
                               size_t i)
{
    double f = 0;

    for (size_t j = 0; j < w->p.n; j++)
        f += w->K[i * w->p.n + j] * s->alpha[j];
    return f;
}

#endif
