/* engine_world.h - points for the programs of engine_programs.h, dense and
 * sparse, and a reference: a double loop in long double.
 */
#ifndef ENGINE_WORLD_H
#define ENGINE_WORLD_H

#include "engine_programs.h"

/* ------------------------------------------------------------------ points */

/* Numbers between 0 and 2; every fifth row equals the one before it. */
static inline gi_points *new_points(size_t rows, size_t width, size_t features,
                                    uint64_t seed)
{
    gi_points *x = calloc(1, sizeof *x);
    gi_rows *v = calloc(1, sizeof *v);
    gi_rng rng = gi_rng_new(seed, 0);
    size_t entries = 0;

    *x = (gi_points){.rows = rows, .views = 1, .view = v};
    x->table = 1;
    if (width)
        v->dense = malloc((rows * width + 1) * sizeof *v->dense);
    for (size_t i = 0; i < rows * width; i++)
        v->dense[i] = 2 * gi_rng_uniform(&rng);
    for (size_t i = 4; i < rows && width; i += 5)
        memcpy(v->dense + i * width, v->dense + (i - 1) * width,
               width * sizeof *v->dense);
    if (!features)
        return x;
    v->sparse_width = v->known_width = features;
    v->start = calloc(rows + 1, sizeof *v->start);
    v->index = malloc((rows * features + 1) * sizeof *v->index);
    v->entries = malloc((rows * features + 1) * sizeof *v->entries);
    for (size_t i = 0; i < rows; i++) {
        size_t from = v->start[i ? i - 1 : 0], to = v->start[i];

        for (unsigned k = 0; k < features && i % 5 != 4; k++)
            if (gi_rng_uniform(&rng) < 0.4) {
                v->index[entries] = k;
                v->entries[entries++] = 2 * gi_rng_uniform(&rng);
            }
        for (size_t e = from; i % 5 == 4 && e < to; e++) {
            v->index[entries] = v->index[e];
            v->entries[entries++] = v->entries[e];
        }
        v->start[i + 1] = entries;
    }
    return x;
}

static inline void free_points(gi_points *x)
{
    if (!x)
        return;
    free(x->view->dense);
    free(x->view->start);
    free(x->view->index);
    free(x->view->entries);
    free(x->view);
    free(x);
}

static inline double cell(const gi_points *x, const gi_view *v, size_t i,
                          size_t k)
{
    const gi_rows *r = x->view;

    if (k < v->width)
        return r->dense[i * v->width + k];
    for (size_t e = r->start[i]; e < r->start[i + 1]; e++)
        if (r->index[e] == k - v->width)
            return r->entries[e];
    return 0;
}

/* The same numbers in dense rows. */
static inline gi_points *densified(const gi_points *x, const gi_view *v)
{
    size_t d = v->width + v->sparse_width;
    gi_points *y = new_points(x->rows, d, 0, 0);

    for (size_t i = 0; i < x->rows; i++)
        for (size_t k = 0; k < d; k++)
            y->view->dense[i * d + k] = cell(x, v, i, k);
    return y;
}

static inline void fill_matrix(world *w, size_t rows, size_t cols)
{
    w->matrix = (gi_matrix){.path = "K.npy", .symmetric = 1};
    w->matrix.rows = rows;
    w->matrix.cols = cols;
    w->matrix.data = malloc(rows * cols * sizeof *w->matrix.data);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            w->matrix.data[i * cols + j] = 1 / (double)(1 + i * j + i + j);
}

static inline void free_world(world *w)
{
    free(w->matrix.data);
    gi_run_end(&w->run);
    free(w);
}

/* --------------------------------------------------------------- reference */

typedef long double real;

static inline real factor_of(const world *w, const gi_op *op)
{
    return op->slot < 0 ? op->c : op->c * powl(w->theta[op->slot], op->power);
}

static inline real columns_of(const world *w, const gi_op *op,
                              const gi_points *x, size_t i, const gi_points *t,
                              size_t j)
{
    const real pi = acosl(-1);
    size_t d = w->view.width + w->view.sparse_width;
    real sum = 0, product = 1, e[3] = {1, 0, 0};
    real period = factor_of(w, op);

    for (size_t k = 0; k < d; k++) {
        real a = cell(x, &w->view, i, k), b = cell(t, &w->view, j, k), s;
        int weight = op->slot >= 0 && op->code != GI_OP_COLUMNS;
        real f = weight ? powl(w->theta[op->slot + (int)k], op->power) : 1;

        if (op->code == GI_OP_DOT)
            sum += a * b;
        if (op->code == GI_OP_SQDIST)
            sum += f * (a - b) * (a - b);
        if (op->code == GI_OP_L1)
            sum += f * fabsl(a - b);
        for (int q = 2; op->code == GI_OP_ELEMENTARY && q > 0; q--)
            e[q] += e[q - 1] * a * b;
        if (op->code != GI_OP_COLUMNS)
            continue;
        s = sinl(pi * remainderl((a - b) / period, 1));
        if (op->n == GRAM_PAIR_MIN_SUM)
            sum += fminl(a, b);
        if (op->n == GRAM_PAIR_MIN_PRODUCT)
            product *= fminl(a, b);
        if (op->n == GRAM_PAIR_CHI2 && a + b > 0)
            sum += (a - b) * (a - b) / (a + b);
        if (op->n == GRAM_PAIR_SIN2)
            sum += s * s;
        if (op->n == GRAM_PAIR_COS)
            product *= 1 - 2 * s * s;
        if (op->n == GRAM_PAIR_ANOVA)
            product *= 1 + a * b;
        if (op->n == GRAM_PAIR_EQUAL)
            product *= a == b;
    }
    if (op->code == GI_OP_ELEMENTARY)
        return e[0] + e[1] + e[2];
    if (op->code != GI_OP_COLUMNS || op->n == GRAM_PAIR_MIN_SUM ||
        op->n == GRAM_PAIR_CHI2 || op->n == GRAM_PAIR_SIN2)
        return sum;
    return product;
}

static inline real arccos_of(int order, real c)
{
    real pi = acosl(-1), angle = acosl(fminl(fmaxl(c, -1), 1));
    real s = sinl(angle), rest = pi - angle;

    return (order == 0   ? rest
            : order == 1 ? s + rest * c
                         : 3 * s * c + rest * (1 + 2 * c * c)) /
           pi;
}

/* Register r for rows i of x and j of t. */
static inline real value(const world *w, int r, const gi_points *x, size_t i,
                         const gi_points *t, size_t j)
{
    const gi_op *op = &w->op[r];
    real f = factor_of(w, op), a, b;

    if (op->code == GI_OP_CONSTANT)
        return f;
    if (op->code == GI_OP_SAME_ROW)
        return x->table == t->table && i == j;
    if (op->code == GI_OP_MATRIX) /* of one table what is above the diagonal */
        return x->table == t->table && i > j
                   ? op->matrix->data[j * op->matrix->cols + i]
                   : op->matrix->data[i * op->matrix->cols + j];
    if (op->code == GI_OP_PAIRS)
        return op->pair(op->user, x->view->dense + i * w->view.width,
                        t->view->dense + j * w->view.width, w->view.width);
    if (op->code == GI_OP_SELF)
        return sqrtl(value(w, op->a, x, i, x, i) * value(w, op->a, t, j, t, j));
    if (op->code < GI_OP_SELF)
        return columns_of(w, op, x, i, t, j);
    a = value(w, op->a, x, i, t, j);
    b = op->b < 0 ? 0 : value(w, op->b, x, i, t, j);
    switch (op->code) {
    case GI_OP_SCALE:
        return a * f;
    case GI_OP_EXP:
        return expl(a);
    case GI_OP_SQRT:
        return sqrtl(a);
    case GI_OP_TANH:
        return tanhl(a);
    case GI_OP_POWER:
        return powl(a, op->n);
    case GI_OP_POWER_OF:
        return powl(a, f);
    case GI_OP_ARCCOS:
        return arccos_of(op->n, a);
    case GI_OP_AT_MOST:
        return a <= op->c;
    case GI_OP_FUNCTION:
        return op->h(op->user, (double)a);
    case GI_OP_ADD:
        return a + b;
    case GI_OP_MULTIPLY:
        return a * b;
    case GI_OP_DIVIDE:
        return b == 0 ? 0 : a / b;
    default:
        return NAN;
    }
}

/* --------------------------------------------------------------------- runs */

static inline double *store(world *w, const gi_points *x, const gi_points *t)
{
    size_t n = t ? t->rows : x->rows;
    double *K = malloc((x->rows * n + 1) * sizeof *K);

    CHECK_OK(gi_engine_store(&w->run, &w->p, x, t, K, n));
    return K;
}

static inline float *store_single(world *w, gi_points *x, gi_points *t)
{
    size_t n = t ? t->rows : x->rows;
    float *K = malloc((x->rows * n + 1) * sizeof *K);

    x->precision = GI_SINGLE;
    CHECK_OK(gi_engine_store(&w->run, &w->p, x, t, K, n));
    x->precision = GI_DOUBLE;
    return K;
}

static inline int same_bits(const double *a, const double *b, size_t n)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

/* Which programs, on which columns. */
typedef void checker(const char *name, world *w, gi_points *x, gi_points *t);

static inline void for_all(size_t rows, size_t cols, checker *check)
{
    static const size_t widths[][2] = {
        {WIDTH, 0}, {12, 0}, {WIDTH, FEATURES}, {0, FEATURES}};

    for (size_t i = 0; i < PROGRAMS; i++)
        for (size_t k = 0; k < 4; k++) {
            world *w = new_world(i, widths[k][0], widths[k][1]);
            gi_points *x = new_points(rows, widths[k][0], widths[k][1], 1);
            gi_points *t = new_points(cols, widths[k][0], widths[k][1], 2);

            fill_matrix(w, rows, rows > cols ? rows : cols);
            if (!programs[i].dense_only || !widths[k][1])
                check(programs[i].name, w, x, t);
            free_points(x);
            free_points(t);
            free_world(w);
        }
}

/* A kernel of each kind on 250 rows: several tasks. */
static inline void for_some(checker *check)
{
    static const char *const names[] = {"rbf_weights", "shared", "normal"};

    for (size_t k = 0; k < 6; k++) {
        size_t width = k % 2 ? 12 : WIDTH, features = k % 2 ? 0 : FEATURES;
        world *w = new_world(number_of(names[k / 2]), width, features);
        gi_points *x = new_points(250, width, features, 1);
        gi_points *t = new_points(230, width, features, 2);

        check(names[k / 2], w, x, t);
        free_points(x);
        free_points(t);
        free_world(w);
    }
}

#endif
