/* smo.c - blocked decomposition: a working set of some hundred variables is
 * solved by steps of two of them (smo_inner.c), then the gradient of all rows
 * is brought up to date at once, from rows of K that are cached.
 *
 * Rows of K are in single precision, everything that is added up in double.
 * At the end K b is computed afresh in double from the support vectors, and if
 * the violation is then too large after all, work goes on from there: so the
 * answer is that of K in double.
 *
 * Sources: Joachims (1999) for working sets, Fan, Chen and Lin (2005) for the
 * choice of two.
 */
#include "solvers/svm/smo.h"

#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "solvers/svm/smo_inside.h"

/* Variables worked on at a time, at most. */
enum { SET_MOST = GI_SMO_SET };
/* Columns of the gradient that a thread updates at a time. */
enum { PIECE = GI_SMO_PIECE };
/* The set is solved until its violation is this part of the whole one. */
#define INNER_PART 0.07
/* Fresh gradients in a row that bring the violation no lower: the end. */
enum { STALLS = 3 };

static size_t set_size(size_t variables)
{
    return variables < SET_MOST ? variables : SET_MOST;
}

size_t gi_smo_bytes(size_t rows, size_t variables)
{
    const size_t size = set_size(variables) + 32;

    return variables * (2 * sizeof(gi_smo_candidate) + sizeof(unsigned char)) +
           rows * (2 * sizeof(size_t) + 5 * sizeof(double)) +
           size * (size * sizeof(float) + 12 * sizeof(double)) +
           gi_smo_newton_bytes(size);
}

static gram_status begin(gi_run *run, gi_smo_state *s)
{
    const gi_smo *q = s->q;
    size_t edge;
    gram_status status;

    s->most = set_size(q->variables);
    edge = s->most + 32; /* two groups, each filled up to whole vectors */
    GI_TRY(GI_NEW(run, s->diagonal, q->rows));
    GI_TRY(GI_NEW(run, s->set, s->most));
    GI_TRY(GI_NEW_ZERO(run, s->chosen, q->variables));
    GI_TRY(GI_NEW(run, s->rise, q->variables));
    GI_TRY(GI_NEW(run, s->fall, q->variables));
    GI_TRY(GI_NEW(run, s->row, s->most));
    GI_TRY(GI_NEW(run, s->rows, s->most));
    GI_TRY(GI_NEW(run, s->local, edge));
    GI_TRY(GI_NEW(run, s->from, edge));
    GI_TRY(GI_NEW(run, s->k, edge * edge));
    GI_TRY(GI_NEW_ZERO(run, s->none, edge));
    GI_TRY(GI_NEW(run, s->g, edge));
    GI_TRY(GI_NEW(run, s->up, edge));
    GI_TRY(GI_NEW(run, s->down, edge));
    GI_TRY(GI_NEW(run, s->bend, edge));
    GI_TRY(GI_NEW(run, s->was, edge));
    GI_TRY(gi_operator_diagonal(s->K, run, s->diagonal));
done:
    return status;
}

static void end(gi_smo_state *s)
{
    gi_free(s->diagonal);
    gi_free(s->set);
    gi_free(s->chosen);
    gi_free(s->rise);
    gi_free(s->fall);
    gi_free(s->row);
    gi_free(s->rows);
    gi_free(s->local);
    gi_free(s->from);
    gi_free(s->k);
    gi_free(s->none);
    gi_free(s->g);
    gi_free(s->up);
    gi_free(s->down);
    gi_free(s->bend);
    gi_free(s->was);
}

/* ----------------------------------------------------------------- gradient */

/* Errors of single precision rows, relative to sqrt(k_ii k_jj): twice what
 * the engine allows. */
#define ROW_ERROR 2e-5
/* An error of f that was expected must be this many times any that is seen. */
#define SAFE 8

/* Rows whose b is not 0, and what it is. */
static size_t find_support(const gi_smo_state *s, size_t *row, double *b)
{
    const gi_smo *q = s->q;
    size_t m = 0;

    for (size_t r = 0; r < q->rows; r++) {
        double sum = s->a[r];

        if (q->variables > q->rows)
            sum += s->a[r + q->rows];
        if (sum == 0)
            continue;
        row[m] = r;
        b[m++] = sum;
    }
    return m;
}

/* Could an error of f of that size make variable v, which is 0, move? */
static int is_near(const gi_smo_state *s, size_t v, double error)
{
    const gi_smo *q = s->q;
    const size_t g = gi_smo_group(q, v);
    double value = -(s->f[gi_smo_row(q, v)] + q->linear[v]);

    if (q->groups)
        value -= (s->top[g] + s->bottom[g]) / 2;
    return !((s->a[v] == q->high[v] || value < -error) &&
             (s->a[v] == q->low[v] || value > error));
}

/* Rows that are wanted in double. */
typedef struct wanted {
    size_t *support, m; /* with b */
    double *b;
    size_t *row, rows; /* these, and others that are near to moving */
    double *v, *f;     /* their b, or 0; f as it was, then as it is */
} wanted;

/* The size of f in an error: of errors that all have one sign, or of those
 * that are as likely to have either. */
static double error_size(const gi_smo_state *s, const wanted *w, int likely)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < w->m; i++) {
        double each = fabs(w->b[i]) * sqrt(s->diagonal[w->support[i]]);

        sum += each;
        squares += each * each;
    }
    return 2 * ROW_ERROR * (likely ? sqrt(squares) : sum);
}

/* Rows with b = 0 that f in single precision says are far from moving stay as
 * they are; of all others f is wanted in double. */
static void find_near(const gi_smo_state *s, double size, wanted *w)
{
    const gi_smo *q = s->q;

    w->rows = 0;
    for (size_t r = 0, at = 0; r < q->rows; r++) {
        const double error = size * sqrt(s->diagonal[r]);
        int in = at < w->m && w->support[at] == r;
        int near = in || !(error >= 0) || is_near(s, r, error) ||
                   (q->variables > q->rows && is_near(s, r + q->rows, error));

        if (near) {
            w->row[w->rows] = r;
            w->v[w->rows++] = in ? w->b[at] : 0;
        }
        at += (size_t)in;
    }
}

/* f = K b in double, of the rows that need it; the largest difference to what
 * it was, relative to sqrt(k_ii). */
static gram_status refresh_near(gi_run *run, gi_smo_state *s, const wanted *w,
                                double *seen)
{
    gi_operator *part = NULL;
    gram_status status;

    *seen = 0;
    GI_TRY(gi_operator_restrict(s->K, run, w->row, w->rows, &part));
    GI_TRY(gi_operator_product(part, run, 0, w->v, 1, w->f));
    for (size_t i = 0; i < w->rows; i++) {
        const double by = fabs(w->f[i] - s->f[w->row[i]]);

        if (by > *seen * sqrt(s->diagonal[w->row[i]]))
            *seen = by / sqrt(s->diagonal[w->row[i]]);
        s->f[w->row[i]] = w->f[i];
    }
done:
    gi_operator_free(part);
    return status;
}

/* Is the part of these rows less work than their columns? */
static int is_less(const gi_smo_state *s, const wanted *w)
{
    const size_t n = s->q->rows;

    return w->rows / 2 * w->rows < n * (w->m < n / 2 ? w->m : n / 2);
}

/* f = K b in double; with `known`, f is that in single precision already.
 * Rows are first chosen by the error that is likely, and if larger ones are
 * seen then, by the one that is possible. */
static gram_status refresh(gi_run *run, gi_smo_state *s, int known)
{
    const size_t n = s->q->rows;
    wanted w = {0};
    double expected, seen = INFINITY;
    gi_run quiet = *run;
    gram_status status;

    quiet.progress = NULL;
    if (known && s->K->flags & GI_OPERATOR_IS_SINGLE)
        return GRAM_OK; /* sums were in double all the time */
    known = known && (s->K->flags & GI_OPERATOR_CAN_RESTRICT) && !s->K->csr;
    GI_TRY(GI_NEW(run, w.support, n));
    GI_TRY(GI_NEW(run, w.b, n));
    GI_TRY(GI_NEW(run, w.row, n));
    GI_TRY(GI_NEW(run, w.v, n));
    GI_TRY(GI_NEW(run, w.f, n));
    w.m = find_support(s, w.support, w.b);
    for (int likely = 1; known && likely >= 0; likely--) {
        expected = error_size(s, &w, likely);
        find_near(s, expected, &w);
        known = is_less(s, &w);
        if (known)
            GI_TRY(refresh_near(&quiet, s, &w, &seen));
        if (SAFE * seen <= expected)
            break;
    }
    if (!known)
        GI_TRY(gi_operator_columns(s->K, &quiet, w.support, w.m, w.b, s->f));
done:
    gi_free(w.f);
    gi_free(w.v);
    gi_free(w.row);
    gi_free(w.b);
    gi_free(w.support);
    return status;
}

/* Rows whose variables moved, and how much. */
typedef struct change {
    const float **row;
    double *by;
    size_t rows;
    double *f;
    size_t n;
} change;

static gram_status add_piece(void *user, size_t i)
{
    const change *c = user;
    const size_t first = i * PIECE;
    const size_t n = c->n - first < PIECE ? c->n - first : PIECE;

    gi_cpu_table()->add_rows(n, c->f + first, c->row, first, c->by, c->rows);
    return GRAM_OK;
}

/* Rows of variables that did not move are not looked at. */
static gram_status update(gi_run *run, gi_smo_state *s)
{
    const size_t most = gi_smo_cache_most(s->cache);
    change c = {s->rows, s->was, 0, s->f, s->q->rows};
    size_t moved = 0;
    gram_status status = GRAM_OK;

    for (size_t i = 0; i < s->size; i++) {
        double by = s->a[s->set[i]] - s->was[i];

        if (by == 0)
            continue;
        s->was[moved] = by;
        s->row[moved++] = s->row[i];
    }
    for (size_t i = 0; i < moved; i += c.rows, c.by += c.rows) {
        c.rows = moved - i < most ? moved - i : most;
        GI_TRY(gi_smo_cache_rows(run, s->cache, s->row + i, c.rows, s->rows));
        GI_TRY(gi_parallel_for(run, (c.n + PIECE - 1) / PIECE, add_piece, &c));
    }
done:
    return status;
}

/* -------------------------------------------------------------------- solve */

/* One working set. */
static gram_status pass(gi_run *run, gi_smo_state *s)
{
    gram_status status;

    gi_smo_choose(s);
    for (size_t i = 0; i < s->size; i++)
        s->row[i] = gi_smo_row(s->q, s->set[i]);
    GI_TRY(gi_smo_inner(run, s,
                        fmax(INNER_PART * s->violation, s->q->tolerance / 2)));
    GI_TRY(update(run, s));
done:
    return status;
}

/* Until rows in single precision say that it is the minimum. */
static gram_status descend(gi_run *run, gi_smo_state *s, double first)
{
    const double goal = s->q->tolerance;
    gram_status status = GRAM_OK;

    while (s->violation > goal && s->steps < s->limit) {
        size_t before = s->steps;

        GI_TRY(pass(run, s));
        gi_smo_look(s);
        if (s->steps == before)
            break;
        GI_TRY(gi_run_tick(run, 0.9 * log(first / s->violation) /
                                    log(first / goal)));
    }
done:
    return status;
}

static void report(const gi_smo_state *s, gi_smo_result *out)
{
    const gi_smo *q = s->q;
    double sum[GI_SMO_GROUPS] = {0};
    size_t count[GI_SMO_GROUPS] = {0};

    for (size_t v = 0; v < q->variables; v++)
        if (s->a[v] > q->low[v] && s->a[v] < q->high[v]) {
            sum[gi_smo_group(q, v)] -= s->f[gi_smo_row(q, v)] + q->linear[v];
            count[gi_smo_group(q, v)]++;
        }
    for (size_t g = 0; g < GI_SMO_GROUPS; g++) {
        out->most[g] = s->top[g];
        out->least[g] = s->bottom[g];
        out->free[g] = count[g] ? sum[g] / (double)count[g] : NAN;
    }
    out->violation = s->violation;
    out->steps = s->steps;
    out->converged = s->violation <= q->tolerance;
}

gram_status gi_smo_solve(gi_run *run, const gi_operator *K, gi_smo_cache *cache,
                         const gi_smo *q, int warm, double *a, double *f,
                         gi_smo_result *out)
{
    const size_t many = 100 * q->rows < 10000000 ? 10000000 : 100 * q->rows;
    gi_smo_state s = {.q = q,
                      .K = K,
                      .cache = cache,
                      .a = a,
                      .f = f,
                      .limit = q->steps ? q->steps : many};
    double first, best = INFINITY;
    int stalls = 0;
    gram_status status;

    GI_TRY(begin(run, &s));
    if (!warm)
        GI_TRY(refresh(run, &s, 0));
    gi_smo_look(&s);
    first = s.violation;
    while (stalls < STALLS) {
        GI_TRY(descend(run, &s, first));
        GI_TRY(refresh(run, &s, 1));
        gi_smo_look(&s);
        if (s.violation <= q->tolerance || s.steps >= s.limit)
            break;
        stalls = s.violation < best ? 0 : stalls + 1;
        best = fmin(best, s.violation);
    }
    report(&s, out);
done:
    end(&s);
    return status;
}
