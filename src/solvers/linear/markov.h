/* markov.h - kernels of one coordinate whose Gaussian process is a Markov
 * chain: all of A = K + lambda D that fitting needs, in O(n).
 *
 * Points in order of their coordinate are the places of a chain.  At a place
 * the process has a state x of one to three numbers, f and its derivatives:
 *
 *     x_i = F_i x_{i-1} + noise of covariance C_i C_i',   y_i = f_i + e_i,
 *
 * with e_i of variance lambda D_i.  A pass of the Kalman filter finds what
 * does not depend on y; data then run over it forward, which whitens them,
 * and backward, which gives A^-1 y.  All arrays here are in order of places.
 */
#ifndef GI_MARKOV_H
#define GI_MARKOV_H

#include "solvers/solver.h"

typedef struct gi_chain {
    size_t n;      /* places */
    int states;    /* 1, 2 or 3 */
    size_t *point; /* who stands at a place */
    double *step;  /* the step to each place: decay, distance d, C by rows */
} gi_chain;

enum { GI_CHAIN_STATES = 3 };

/* Numbers of a step. */
static inline size_t gi_chain_stride(int states)
{
    return 2 + (size_t)(states * (states + 1) / 2);
}

/* F of a step.  Inlined with a constant for `states`, as all loops over states
 * are, it is a handful of multiplications. */
static inline __attribute__((always_inline)) void
gi_chain_matrix(int states, const double *step,
                double F[GI_CHAIN_STATES][GI_CHAIN_STATES])
{
    double e = step[0], d = step[1], h = d * d / 2;

    if (states == 1) {
        F[0][0] = e;
    } else if (states == 2) {
        F[0][0] = e * (1 + d), F[0][1] = e * d;
        F[1][0] = -e * d, F[1][1] = e * (1 - d);
    } else {
        F[0][0] = e * (1 + d + h), F[0][1] = e * (d + 2 * h), F[0][2] = e * h;
        F[1][0] = -e * h, F[1][1] = e * (1 + d - 2 * h), F[1][2] = e * (d - h);
        F[2][0] = e * (h - d), F[2][1] = e * (2 * h - 3 * d);
        F[2][2] = e * (1 - 2 * d + h);
    }
}

/* x = F x, and x = F'x. */
static inline __attribute__((always_inline)) void
gi_chain_move(int states, const double *step, double *x)
{
    double F[GI_CHAIN_STATES][GI_CHAIN_STATES], from[GI_CHAIN_STATES];

    gi_chain_matrix(states, step, F);
    for (int i = 0; i < states; i++)
        from[i] = x[i];
    for (int i = 0; i < states; i++) {
        x[i] = 0;
        for (int j = 0; j < states; j++)
            x[i] += F[i][j] * from[j];
    }
}

static inline __attribute__((always_inline)) void
gi_chain_move_back(int states, const double *step, double *x)
{
    double F[GI_CHAIN_STATES][GI_CHAIN_STATES], from[GI_CHAIN_STATES];

    gi_chain_matrix(states, step, F);
    for (int i = 0; i < states; i++)
        from[i] = x[i];
    for (int i = 0; i < states; i++) {
        x[i] = 0;
        for (int j = 0; j < states; j++)
            x[i] += F[j][i] * from[j];
    }
}

int gi_markov_states(const gi_markov *kernel);

/* Points 0 .. n-1 are at `time`; of those at the same time the lower number
 * comes first.
 *
 * Cost:   a sort, and less than 0.3 microseconds a point.
 * Errors: MEMORY, RANGE (a coordinate that is not finite, or below 0 for min).
 *         Free it in any case. */
gram_status gi_chain_new(gi_run *run, const gi_markov *kernel,
                         const double *time, size_t n, gi_chain *out);
void gi_chain_free(gi_chain *c);

/* Are times of the kernel's domain?  RANGE if not. */
gram_status gi_chain_check(const gi_markov *kernel, const double *time,
                           size_t n);

/* The numbers of a step over a gap of time, infinite before the first place. */
void gi_chain_step(const gi_markov *kernel, double gap, double *step);

/* Has it the same time as the place before? */
int gi_chain_tied(const gi_chain *c, size_t place);

/* out = K v; `room` is for n * states numbers. */
void gi_chain_product(const gi_chain *c, const double *v, double *room,
                      double *out);

/* What a pass leaves at every place, for points between two of them; all NULL
 * if none are asked for. */
typedef struct gi_trail {
    double *factor; /* behind the place the state has covariance L diag(d) L':
                       d, and L below its diagonal by rows */
    double *mean;   /* and this mean, of the data that ran forward last */
    double *pull;   /* r of the place, of those that ran backward last */
    double *grip;   /* N of the place, by gi_pass_spread() */
} gi_trail;

/* One lambda. */
typedef struct gi_pass {
    const gi_chain *chain;
    const double *noise; /* D; INFINITY: nothing is observed at the place */
    double lambda, jitter;
    double *level; /* variance of f given what is observed before it */
    double *slope; /* regression of the rest of the state on f, given that */
    double logdet; /* of A, observed places only */
    size_t rank;   /* observed places whose y is not known before, n if lambda
                      > 0; the others are left out */
    gi_trail trail;
} gi_pass;

/* A pass over the chain, for any lambda; keeps the chain. */
gram_status gi_pass_new(gi_run *run, const gi_chain *chain, gi_pass *out);
gram_status gi_pass_keep_trail(gi_run *run, gi_pass *s);
void gi_pass_free(gi_pass *s);

/* The part that all data share.  Keeps noise. */
void gi_pass_filter(gi_pass *s, const double *noise, double lambda,
                    double jitter);

/* Is y observed there, but left out since its variance given those before is
 * 0? */
int gi_pass_redundant(const gi_pass *s, size_t place);

/* v = y minus its prediction from the places before; at places that are not
 * observed, the prediction. */
void gi_pass_forward(const gi_pass *s, const double *y, double *v);

/* For two such v, of y and z: y'A^-1 z. */
double gi_pass_dot(const gi_pass *s, const double *v, const double *w);

/* v, which is linear in y, becomes A^-1 y; at places that are not observed,
 * the mean of f. */
void gi_pass_backward(const gi_pass *s, double *v);

/* The diagonal of A^-1; at places that are not observed, the variance of f. */
void gi_pass_spread(const gi_pass *s, double *out);

/* A point that is not in the chain: so many places are before it, and the
 * steps from the last of them and to the one after. */
typedef struct gi_between {
    size_t place;
    const double *in, *out;
} gi_between;

/* With a trail: the mean of f there, for data that have run forward and
 * backward, and its variance, after a spread.  Whatever other points are asked
 * for, these are its bits. */
double gi_pass_mean(const gi_pass *s, const gi_between *at);
double gi_pass_variance(const gi_pass *s, const gi_between *at);

/* Mean of f + b and variance, as solver->variance has it, at the rows of T,
 * mean[i*targets + t] (either NULL: not wanted).  From y and the intercepts of
 * s, not from alpha: sums of alpha_i k(x_i, x) lose digits that the filter
 * keeps.
 *
 * Cost: that of a solve, and a search and two steps for every row. */
gram_status gi_markov_predict(gi_run *run, const gi_problem *p,
                              const gi_solution *s, const gi_operator *T,
                              double *mean, double *variance);

/* Has the problem a chain? */
int gi_markov_applies(const gi_problem *p);

/* What y of a target loses before it runs over a chain, so that a large offset
 * takes no digits: its mean if there is an intercept, which gets it back. */
double gi_markov_centre(const gi_problem *p, size_t target);

#endif
