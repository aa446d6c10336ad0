/* smo_inner.c - steps of two variables inside the working set.
 *
 * i is the variable that may rise with the largest -gradient, j the one that
 * may fall for which the step gains most, (difference)^2/curvature (WSS2: Fan,
 * Chen and Lin, JMLR 6, 2005); curvature that is not positive counts 1e-12,
 * so that kernels that are not positive semidefinite make long steps to a
 * bound.  Without an equality one variable may move alone.
 *
 * Where steps of two are many, all free variables move at once now and then
 * (smo_newton.c).
 *
 * The matrix of the set, the gradient and all else stay in the cache of one
 * core; a step costs O(size of the set).
 */
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "solvers/svm/smo_inside.h"

/* Steps for each variable of the set, at most; vectors are this long. */
enum { STEPS = 20, PAD = 16 };
enum { BALANCE = 300 };
/* Rows of the set's matrix that a thread gathers at a time. */
enum { GATHER = GI_SMO_GATHER_ROWS };

/* ------------------------------------------------------------------- gather */

static size_t padded(size_t n)
{
    return (n + PAD - 1) / PAD * PAD;
}

/* Rows of K on their way into the matrix of the set. */
typedef struct gathering {
    gi_smo_state *s;
    size_t first, rows; /* of the matrix */
} gathering;

static gram_status gather(void *user, size_t i)
{
    const gathering *g = user;
    const gi_smo_state *s = g->s;
    const size_t end = gi_min_size((i + 1) * GATHER, g->rows);

    for (size_t r = i * GATHER; r < end; r++) {
        float *k = s->k + (g->first + r) * s->edge;

        for (size_t c = 0; c < s->edge; c++)
            k[c] = s->rows[r][s->from[c]];
    }
    return GRAM_OK;
}

/* From rows of K, which are there or must be made. */
static gram_status gather_matrix(gi_run *run, gi_smo_state *s)
{
    const size_t most = gi_min_size(gi_smo_cache_most(s->cache), s->most);
    gathering g = {.s = s};
    gram_status status = GRAM_OK;

    for (; g.first < s->edge; g.first += g.rows) {
        g.rows = gi_min_size(most, s->edge - g.first);
        GI_TRY(gi_smo_cache_rows(run, s->cache, s->from + g.first, g.rows,
                                 s->rows));
        GI_TRY(
            gi_parallel_for(run, (g.rows + GATHER - 1) / GATHER, gather, &g));
    }
done:
    return status;
}

/* The matrix of the set.  Most of its variables will not move, so it is made
 * without their rows of K where that can be done. */
static gram_status new_matrix(gi_run *run, gi_smo_state *s)
{
    gi_operator *part = NULL;
    gram_status status;

    if (s->K->single || !(s->K->flags & GI_OPERATOR_CAN_RESTRICT))
        return gather_matrix(run, s);
    GI_TRY(gi_operator_restrict(s->K, run, s->from, s->edge, &part));
    GI_TRY(gi_operator_store(part, run, &gi_blas_single, s->k, s->edge));
done:
    gi_operator_free(part);
    return status;
}

/* Where variables stand in the padded problem. */
static void place(gi_smo_state *s)
{
    s->border = padded(s->second);
    s->edge = s->border + padded(s->size - s->second);
    for (size_t i = 0; i < s->edge; i++) {
        s->local[i] = s->size;
        s->from[i] = 0;
    }
    for (size_t i = 0; i < s->size; i++) {
        size_t at = i < s->second ? i : s->border + i - s->second;

        s->local[at] = i;
        s->from[at] = s->row[i];
    }
}

static gram_status begin(gi_run *run, gi_smo_state *s)
{
    gram_status status;

    place(s);
    for (size_t g = 0; g < GI_SMO_GROUPS; g++)
        s->shift[g] = s->q->groups && isfinite(s->top[g] - s->bottom[g])
                          ? -(s->top[g] + s->bottom[g]) / 2
                          : 0;
    GI_TRY(new_matrix(run, s));
    for (size_t i = 0; i < s->edge; i++) {
        const size_t at = s->local[i];

        s->up[i] = -INFINITY;
        s->down[i] = INFINITY;
        s->g[i] = s->bend[i] = 0;
        if (at == s->size)
            continue;
        s->g[i] = (float)(s->f[s->row[at]] + s->q->linear[s->set[at]] -
                          (i < s->border ? s->shift[0] : s->shift[1]));
        s->bend[i] = (float)s->diagonal[s->row[at]];
        s->was[at] = s->a[s->set[at]];
        gi_smo_mark(s, i);
    }
done:
    return status;
}

/* -------------------------------------------------------------------- steps */

/* One step: element i rises and j falls, by `by`; edge: nobody does. */
typedef struct move {
    size_t i, j;
    double by;
} move;

static float curvature(float bend)
{
    return bend > 0 ? bend : GI_CURVATURE;
}

/* As far as both bounds allow; a variable that arrives is exactly there. */
static void clip(gi_smo_state *s, move *m)
{
    const gi_smo *q = s->q;
    size_t i = m->i < s->edge ? s->set[s->local[m->i]] : 0;
    size_t j = m->j < s->edge ? s->set[s->local[m->j]] : 0;
    double above = m->i < s->edge ? q->high[i] - s->a[i] : INFINITY;
    double below = m->j < s->edge ? s->a[j] - q->low[j] : INFINITY;
    double by = m->by < above ? m->by : above;

    by = by < below ? by : below;
    if (m->i < s->edge) {
        s->a[i] = by == above ? q->high[i] : s->a[i] + by;
        gi_smo_mark(s, m->i);
    }
    if (m->j < s->edge) {
        s->a[j] = by == below ? q->low[j] : s->a[j] - by;
        gi_smo_mark(s, m->j);
    }
    m->by = by;
}

/* The pair of elements first .. first+n-1 that gains most. */
static move best_pair(const gi_smo_state *s, const gi_cpu *cpu, size_t first,
                      size_t n, const gi_extremes *e)
{
    const size_t i = first + e->most_at;
    const float *k = s->k + i * s->edge + first;
    size_t j = cpu->best_partner(n, s->g + first, s->down + first,
                                 s->bend + first, k, e->most, s->bend[i]);
    move m = {i, first + j, 0};

    if (j == n)
        return (move){s->edge, s->edge, 0};
    m.by = (double)(e->most + s->g[m.j]) /
           (double)curvature(s->bend[i] + s->bend[m.j] - 2 * k[j]);
    return m;
}

/* Without an equality: the pair, or one of its variables alone. */
static move best_single(const gi_smo_state *s, const gi_cpu *cpu,
                        const gi_extremes *e)
{
    const float up = e->most, down = -e->least;
    move pair;
    double alone;

    if (down > up)
        return (move){s->edge, e->least_at,
                      (double)(down / curvature(s->bend[e->least_at]))};
    alone = (double)(up / curvature(s->bend[e->most_at]));
    pair = best_pair(s, cpu, 0, s->edge, e);
    return pair.j < s->edge &&
                   (double)(up + s->g[pair.j]) * pair.by > (double)up * alone
               ? pair
               : (move){e->most_at, s->edge, alone};
}

/* Move, and look at both groups again. */
static void apply(gi_smo_state *s, const gi_cpu *cpu, const move *m,
                  gi_extremes e[GI_SMO_GROUPS])
{
    const float *a = m->i < s->edge ? s->k + m->i * s->edge : s->none;
    const float *b = m->j < s->edge ? s->k + m->j * s->edge : s->none;

    for (size_t g = 0; g < GI_SMO_GROUPS; g++) {
        const size_t first = g ? s->border : 0;
        const size_t n = (g ? s->edge : s->border) - first;

        cpu->step_pair(n, s->g + first, a + first, b + first, (float)m->by,
                       s->up + first, s->down + first, &e[g]);
    }
}

/* At most `most` steps; whether there is nothing left to do. */
static int run_steps(gi_smo_state *s, double enough, size_t most)
{
    const gi_cpu *cpu = gi_cpu_table();
    gi_extremes e[GI_SMO_GROUPS];
    move m = {s->edge, s->edge, 0};

    apply(s, cpu, &m, e);
    for (size_t step = 0; step < most; step++) {
        float gap[GI_SMO_GROUPS];
        size_t g;

        for (g = 0; g < GI_SMO_GROUPS; g++)
            gap[g] = s->q->groups ? e[g].most - e[g].least
                                  : fmaxf(e[g].most, 0) - fminf(e[g].least, 0);
        g = gap[1] > gap[0];
        if (!((double)gap[g] > enough))
            return 1;
        m = s->q->groups ? best_pair(s, cpu, g ? s->border : 0,
                                     g ? s->edge - s->border : s->border, &e[g])
                         : best_single(s, cpu, &e[0]);
        if (m.i == s->edge && m.j == s->edge)
            return 1;
        clip(s, &m);
        apply(s, cpu, &m, e);
        s->steps++;
    }
    return 0;
}

/* Steps of two cost what one of all free variables does if there are about
 * size^2/BALANCE of them: then that is tried, and so on. */
gram_status gi_smo_inner(gi_run *run, gi_smo_state *s, double enough)
{
    const size_t some =
        s->size * (s->size < 2 * BALANCE ? 2 : s->size / BALANCE);
    size_t left = gi_min_size(STEPS * s->size, s->limit - s->steps);
    int newton = 1;
    gram_status status;

    GI_TRY(begin(run, s));
    while (left > 0) {
        const size_t now = newton ? gi_min_size(some, left) : left;

        if (run_steps(s, enough, now))
            break;
        left -= now;
        if (newton && left > 0)
            GI_TRY(gi_smo_newton(run, s, &newton));
    }
done:
    return status;
}
