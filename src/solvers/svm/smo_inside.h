/* smo_inside.h - what the files of the solver share: its state, the working
 * set, the steps inside it.
 */
#ifndef GI_SMO_INSIDE_H
#define GI_SMO_INSIDE_H

#include <math.h>

#include "cpu/cpu.h"
#include "solvers/svm/smo.h"

/* A variable that could be chosen, and how much it would gain. */
typedef struct gi_smo_candidate {
    double score;
    size_t variable;
} gi_smo_candidate;

typedef struct gi_smo_state {
    const gi_smo *q;
    const gi_operator *K;
    gi_smo_cache *cache;
    double *a, *f;
    double *diagonal;    /* of K */
    size_t steps, limit; /* made, and how many may be */

    /* of the last look at all variables */
    double top[GI_SMO_GROUPS], bottom[GI_SMO_GROUPS];
    double violation;
    size_t free; /* variables at no bound */

    /* the working set: variables, group 0 first, and where group 1 begins;
     * `room` of them now, `most` at most */
    size_t size, room, most, second;
    size_t *set;
    unsigned char *chosen; /* per variable */
    gi_smo_candidate *rise, *fall;
    size_t *row;        /* of each in the set */
    const float **rows; /* some of K */

    /* The problem of the working set, padded to whole vectors: edge x edge of
     * K, its diagonal, the gradient less `shift`, and 0 or infinity where a
     * variable may rise or fall. */
    size_t edge, border;
    size_t *local;   /* number in the set, or its size: padding */
    size_t *from;    /* row, 0 for padding */
    float *k, *none; /* and a row of zeros */
    float *g, *up, *down, *bend;
    double shift[GI_SMO_GROUPS];
    double *was; /* variables before */
} gi_smo_state;

/* The row of a variable. */
static inline size_t gi_smo_row(const gi_smo *q, size_t v)
{
    return v < q->rows ? v : v - q->rows;
}

static inline size_t gi_smo_group(const gi_smo *q, size_t v)
{
    return q->group ? q->group[v] : 0;
}

/* smo_select.c: what is violated most, and the next working set, part of which
 * is the last one. */
void gi_smo_look(gi_smo_state *s);
void gi_smo_choose(gi_smo_state *s);

/* smo_inner.c: solve the problem of the working set until its violation is
 * below `enough`. */
gram_status gi_smo_inner(gi_run *run, gi_smo_state *s, double enough);

/* May element i of the set rise, may it fall? */
static inline void gi_smo_mark(gi_smo_state *s, size_t i)
{
    const size_t v = s->set[s->local[i]];

    s->up[i] = s->a[v] < s->q->high[v] ? 0 : -INFINITY;
    s->down[i] = s->a[v] > s->q->low[v] ? 0 : INFINITY;
}

/* smo_newton.c: one step of all elements at no bound; *good = 0: there was
 * none.  Bytes it takes for a set of that edge. */
gram_status gi_smo_newton(gi_run *run, gi_smo_state *s, int *good);
size_t gi_smo_newton_bytes(size_t edge);

#endif
