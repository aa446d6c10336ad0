/* softmax.h - the curvature of the softmax loss, as solver_softmax.c, which has
 * the formulas, and softmax.c share it.
 */
#ifndef GI_SOFTMAX_H
#define GI_SOFTMAX_H

#include "linalg/iterative/pivot.h"
#include "solvers/solver.h"

typedef struct gi_softmax {
    gi_run *whole, run; /* and the share of it that the present step has */
    const gi_problem *p;
    gi_solution *out;
    size_t n, classes, steps;
    double *all;                /* the arrays of n x classes that follow */
    double *alpha, *g;          /* g = K alpha */
    double *q;                  /* sqrt(pi) */
    double *residual, *product; /* G, K G */
    double *way, *along;        /* the step, K times it */
    double *rhs, *x, *left, *right;
    double *b, *turn;    /* classes: intercepts, and their step */
    double *curvature;   /* classes^2: factor of sum_i H_i + multiples of 11' */
    double *root;        /* sqrt(w) */
    gi_pivot *low;       /* K ~ F F' */
    double *scaled;      /* D F of one class, for its core */
    gi_chol **core;      /* classes: F'D^2 F + 2 lambda I */
    double *small, *one; /* rank x classes; rank */
    double weight;       /* sum of w */
    double value;        /* the objective */
} gi_softmax;

/* The factor of sum_i H_i, which has only 1 in its null space: a multiple of
 * 11' makes it definite, and a little of I whatever pi is. */
gram_status gi_softmax_sum_curvature(gi_softmax *x);

/* v = (sum_i H_i)^+ v. */
void gi_softmax_divide_curvature(const gi_softmax *x, double *v);

/* out = R v, and out = R'v; out may be v. */
void gi_softmax_root(const gi_softmax *x, const double *v, double *out);
void gi_softmax_root_back(const gi_softmax *x, const double *v, double *out);

/* v = Pi v, for v = P v.  Uses right and turn. */
void gi_softmax_project(gi_softmax *x, double *v);

/* F, with room for the cores: until K - F F' is small beside lambda, or the
 * rank is reached; and the cores at the present q. */
gram_status gi_softmax_begin_low(gi_softmax *x, size_t rank);
gram_status gi_softmax_make_cores(gi_softmax *x);

/* The preconditioner for linalg/iterative/cg.h, user a gi_softmax.  Uses left,
 * right and turn. */
gram_status gi_softmax_precondition(void *user, gi_run *run, const double *v,
                                    size_t m, double *out);

/* out_c = sum over the rows. */
void gi_softmax_add_rows(const gi_softmax *x, const double *v, double *out);

static inline double gi_softmax_dot(size_t n, const double *a, const double *b)
{
    double sum = 0;

    for (size_t k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

#endif
