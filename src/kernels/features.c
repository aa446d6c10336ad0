/* features.c - explicit feature maps: phi with phi(x).phi(t) = k(x,t).
 *
 * A program says how a kernel is made of others, and each of its instructions
 * is read here in another algebra: a register is not a number per pair but a
 * vector of features per row.  An inner product gives the row itself, a sum
 * the vectors end to end, a product all products of their entries, a power n
 * the monomials of degree n,
 *
 *     (z.w)^n = sum over |e| = n of (n! / prod e_j!) prod z_j^e_j w_j^e_j,
 *
 * each with the square root of its coefficient.  So linear^2 on two columns
 * has three features, x1^2, sqrt(2) x1 x2, x2^2, and linear*linear, the same
 * kernel, four: maps are not unique.  Whatever is made of other instructions
 * has no finite map.
 *
 * Cost: O(rows * features).  Widths are counted before anything is computed.
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/points.h"
#include "kernels/program.h"

enum { LIMIT = 1 << 20, ROWS_A_TICK = 1024 };

/* A count that is not known, since there is no finite map. */
#define NONE SIZE_MAX

typedef struct features {
    const gram_program *program;
    const gi_points *x;
    size_t *width;  /* of every register */
    size_t *offset; /* of its vector among those of one row */
    size_t total;
} features;

/* One row on its way. */
typedef struct place {
    size_t row;
    double *all;  /* features of the registers so far, each at its offset */
    double *cell; /* room for the columns of a view */
} place;

static double factor(const features *f, const gi_op *op)
{
    if (op->slot < 0)
        return op->c;
    return op->c * pow(f->program->theta[op->slot], op->power);
}

/* A number of features, or one that is too large; operands are too, at most,
 * so that nothing overflows. */
static size_t capped(size_t count)
{
    return count <= LIMIT ? count : LIMIT + 1;
}

/* n over k; every partial product is a binomial coefficient. */
static size_t choose(size_t n, size_t k)
{
    size_t c = 1;

    if (k > n)
        return 0;
    k = k < n - k ? k : n - k;
    for (size_t i = 1; i <= k && c <= LIMIT; i++)
        c = c * (n - k + i) / i;
    return capped(c);
}

/* ---------------------------------------------------------------- leaves */

static size_t columns_of(const features *f, const gi_op *op)
{
    const gi_view *v = f->program->view + op->view;

    return capped(v->width + v->sparse_width);
}

/* The row as the view sees it, sparse entries in their places. */
static void fill_dot(const features *f, const gi_op *op, const place *at,
                     double *out)
{
    const gi_view *v = f->program->view + op->view;
    const gi_rows *r = f->x->view + op->view;

    if (v->width)
        memcpy(out, r->dense + at->row * v->width, v->width * sizeof *out);
    if (!r->start)
        return;
    memset(out + v->width, 0, v->sparse_width * sizeof *out);
    for (size_t e = r->start[at->row]; e < r->start[at->row + 1]; e++)
        out[v->width + r->index[e]] = r->entries[e];
}

static size_t count_constant(const features *f, const gi_op *op)
{
    double c = factor(f, op);

    return c >= 0 ? c > 0 : NONE;
}

static void fill_constant(const features *f, const gi_op *op,
                          const place *at __attribute__((unused)), double *out)
{
    if (factor(f, op) > 0)
        *out = sqrt(factor(f, op));
}

/* The most different columns in one product. */
static size_t degree_of(const features *f, const gi_op *op)
{
    size_t d = columns_of(f, op);

    return op->code == GI_OP_ELEMENTARY && (size_t)op->n < d ? (size_t)op->n
                                                             : d;
}

static size_t count_elementary(const features *f, const gi_op *op)
{
    size_t d = columns_of(f, op), sum = 0;

    for (size_t k = 0; k <= degree_of(f, op) && sum <= LIMIT; k++)
        sum = capped(sum + choose(d, k));
    return sum;
}

/* value times every product of at most `degree` columns from `from` on. */
static double *write_products(const double *x, size_t d, size_t from,
                              size_t degree, double value, double *out)
{
    *out++ = value;
    for (size_t j = from; j < d && degree > 0; j++)
        out = write_products(x, d, j + 1, degree - 1, value * x[j], out);
    return out;
}

static void fill_elementary(const features *f, const gi_op *op, const place *at,
                            double *out)
{
    fill_dot(f, op, at, at->cell);
    write_products(at->cell, columns_of(f, op), 0, degree_of(f, op), 1, out);
}

/* Categories are finitely many: one feature per combination of levels.  0 for
 * a column that is none. */
static size_t levels_of(const features *f, const gi_view *v, size_t i)
{
    const gi_source *source = f->program->source + v->source[i];

    return source->type == GRAM_TYPE_CATEGORY ? source->levels.count : 0;
}

static size_t count_equal(const features *f, const gi_op *op)
{
    const gi_view *v = f->program->view + op->view;
    size_t count = 1;

    for (size_t i = 0; i < v->count; i++)
        count = capped(count * levels_of(f, v, i));
    return count ? count : NONE;
}

static void fill_equal(const features *f, const gi_op *op, const place *at,
                       double *out)
{
    const gi_view *v = f->program->view + op->view;
    size_t which = 0;

    fill_dot(f, op, at, at->cell);
    for (size_t i = 0; i < v->count; i++)
        which = which * levels_of(f, v, i) + (size_t)at->cell[i];
    memset(out, 0, count_equal(f, op) * sizeof *out);
    out[which] = 1;
}

static size_t count_columns(const features *f, const gi_op *op)
{
    switch (op->n) {
    case GRAM_PAIR_ANOVA:
        return count_elementary(f, op);
    case GRAM_PAIR_EQUAL:
        return count_equal(f, op);
    default:
        return NONE;
    }
}

static void fill_columns(const features *f, const gi_op *op, const place *at,
                         double *out)
{
    if (op->n == GRAM_PAIR_ANOVA)
        fill_elementary(f, op, at, out);
    else
        fill_equal(f, op, at, out);
}

/* ------------------------------------------------------------- operations */

static const double *features_of(const features *f, int reg, const place *at)
{
    return at->all + f->offset[reg];
}

static size_t count_scale(const features *f, const gi_op *op)
{
    double c = factor(f, op);

    if (c > 0)
        return f->width[op->a];
    return c == 0 ? 0 : NONE;
}

static void fill_scale(const features *f, const gi_op *op, const place *at,
                       double *out)
{
    const double *a = features_of(f, op->a, at);
    double c = factor(f, op), root = sqrt(c);

    for (size_t i = 0; i < f->width[op->a] && c > 0; i++)
        out[i] = root * a[i];
}

static size_t count_power(const features *f, const gi_op *op)
{
    size_t m = f->width[op->a], n = (size_t)op->n;

    if (n == 0 || m == 0)
        return n == 0;
    return choose(m + n - 1, n);
}

/* All monomials of degree n in z[0..m-1], each times value and the square root
 * of its coefficient, written backwards from `end`, so that the first variable
 * leads.  A multinomial coefficient is a product of binomial ones, and
 * C(n,e+1) = C(n,e) (n-e)/(e+1); more digits on the way let x^2 be exact.
 * Returns where the first of them is. */
static double *write_monomials(const double *z, size_t m, size_t n,
                               long double value, double *end)
{
    if (m == 1 || n == 0) {
        *--end = (double)(value * pow(*z, (double)n));
        return end;
    }
    for (size_t e = 0; e <= n; e++) {
        end = write_monomials(z + 1, m - 1, n - e, value, end);
        value *= *z * sqrtl((long double)(n - e) / (long double)(e + 1));
    }
    return end;
}

static void fill_power(const features *f, const gi_op *op, const place *at,
                       double *out)
{
    size_t m = f->width[op->a], count = count_power(f, op);
    const double *a = features_of(f, op->a, at);

    if (op->n == 0)
        *out = 1;
    else if (op->n == 1) /* without a recursion as deep as a is wide */
        memcpy(out, a, m * sizeof *out);
    else if (m > 0)
        write_monomials(a, m, (size_t)op->n, 1, out + count);
}

static size_t count_add(const features *f, const gi_op *op)
{
    return capped(f->width[op->a] + f->width[op->b]);
}

static void fill_add(const features *f, const gi_op *op, const place *at,
                     double *out)
{
    size_t m = f->width[op->a], n = f->width[op->b];

    memcpy(out, features_of(f, op->a, at), m * sizeof *out);
    memcpy(out + m, features_of(f, op->b, at), n * sizeof *out);
}

static size_t count_multiply(const features *f, const gi_op *op)
{
    return capped(f->width[op->a] * f->width[op->b]);
}

static void fill_multiply(const features *f, const gi_op *op, const place *at,
                          double *out)
{
    const double *a = features_of(f, op->a, at);
    const double *b = features_of(f, op->b, at);
    size_t n = f->width[op->b];

    for (size_t i = 0; i < f->width[op->a]; i++)
        for (size_t j = 0; j < n; j++)
            out[i * n + j] = a[i] * b[j];
}

/* sqrt(a(x,x) a(t,t)): the length of the features of a. */
static size_t count_self(const features *f __attribute__((unused)),
                         const gi_op *op __attribute__((unused)))
{
    return 1;
}

static void fill_self(const features *f, const gi_op *op, const place *at,
                      double *out)
{
    const double *a = features_of(f, op->a, at);
    double sum = 0;

    for (size_t i = 0; i < f->width[op->a]; i++)
        sum += a[i] * a[i];
    *out = sqrt(sum);
}

/* Only by what is a function of x times the same function of t. */
static size_t count_divide(const features *f, const gi_op *op)
{
    int self = f->program->op[op->b].code == GI_OP_SELF;

    return self ? f->width[op->a] : NONE;
}

static void fill_divide(const features *f, const gi_op *op, const place *at,
                        double *out)
{
    const double *a = features_of(f, op->a, at);
    double length = *features_of(f, op->b, at);

    for (size_t i = 0; i < f->width[op->a]; i++)
        out[i] = length > 0 ? a[i] / length : 0;
}

/* ----------------------------------------------------------------- program */

/* What is not here has no finite map. */
static const struct rule {
    size_t (*count)(const features *f, const gi_op *op);
    void (*fill)(const features *f, const gi_op *op, const place *at,
                 double *out);
} rules[GI_OPCODES] = {
    [GI_OP_CONSTANT] = {count_constant, fill_constant},
    [GI_OP_DOT] = {columns_of, fill_dot},
    [GI_OP_COLUMNS] = {count_columns, fill_columns},
    [GI_OP_ELEMENTARY] = {count_elementary, fill_elementary},
    [GI_OP_SELF] = {count_self, fill_self},
    [GI_OP_SCALE] = {count_scale, fill_scale},
    [GI_OP_POWER] = {count_power, fill_power},
    [GI_OP_ADD] = {count_add, fill_add},
    [GI_OP_MULTIPLY] = {count_multiply, fill_multiply},
    [GI_OP_DIVIDE] = {count_divide, fill_divide},
};

/* The first node that has no finite map is what the sentence is about. */
static gram_status check_node(const gram_kernel *k, const gi_kernel_node *node)
{
    gram_status status = GRAM_OK;
    size_t at = node->at->at;

    if (node->kind == GI_KERNEL_LEAF &&
        !(node->class_->flags & GRAM_KERNEL_FEATURES))
        return gi_spec_fail(k->spec, at, GRAM_ERR_RANGE,
                            "%s has no finite feature map", node->class_->name);
    if (node->kind == GI_KERNEL_EXP)
        return gi_spec_fail(k->spec, at, GRAM_ERR_RANGE,
                            "exp has no finite feature map");
    if (node->kind == GI_KERNEL_POWER &&
        (node->exponent < 0 || node->exponent != floor(node->exponent)))
        return gi_spec_fail(k->spec, at, GRAM_ERR_RANGE,
                            "a power of %g has no finite feature map, only "
                            "0, 1, 2, ... have",
                            node->exponent);
    if (node->minus ||
        (node->kind == GI_KERNEL_CONSTANT && k->slot[node->slot[0]].value < 0))
        return gi_spec_fail(k->spec, at, GRAM_ERR_RANGE,
                            "what is subtracted or negative has no feature "
                            "map");
    for (const gi_kernel_node *kid = node->kids; kid; kid = kid->next)
        GI_TRY(check_node(k, kid));
done:
    return status;
}

static void release(features *f)
{
    gi_free(f->offset);
    gi_free(f->width);
}

/* Widths of all registers, and their places in a row. */
static gram_status count_features(gi_run *run, const gram_program *p,
                                  features *f)
{
    gram_status status = GRAM_OK;

    *f = (features){.program = p};
    GI_TRY(check_node(p->kernel, p->kernel->root));
    GI_TRY(GI_NEW(run, f->width, p->ops));
    GI_TRY(GI_NEW(run, f->offset, p->ops));
    for (size_t i = 0; i < p->ops; i++) {
        const gi_op *op = p->op + i;
        const struct rule *rule = rules + op->code;

        f->width[i] = rule->count ? rule->count(f, op) : NONE;
        if (f->width[i] == NONE) {
            status = gi_fail(
                GRAM_ERR_RANGE,
                "kernel \"%s\": no finite feature map on these "
                "columns%s",
                gram_kernel_text(p->kernel),
                op->code == GI_OP_COLUMNS ? ", which must be categories" : "");
            goto done;
        }
        if (f->width[i] > LIMIT) {
            status =
                gi_fail(GRAM_ERR_RANGE, "kernel \"%s\": more than %d features",
                        gram_kernel_text(p->kernel), LIMIT);
            goto done;
        }
        f->offset[i] = f->total;
        f->total += f->width[i];
    }
done:
    return status;
}

/* Room for the columns of the widest view. */
static size_t most_columns(const gram_program *p)
{
    size_t most = 0;

    for (size_t i = 0; i < p->views; i++) {
        size_t d = p->view[i].width + p->view[i].sparse_width;

        most = d > most ? d : most;
    }
    return most;
}

static void fill_features(const features *f, const place *at, double *out)
{
    const gram_program *p = f->program;

    for (size_t i = 0; i < p->ops; i++)
        rules[p->op[i].code].fill(f, p->op + i, at, at->all + f->offset[i]);
    memcpy(out, features_of(f, p->result, at),
           f->width[p->result] * sizeof *out);
}

/* ----------------------------------------------------------------- public */

gram_status gram_kernel_feature_count(const gram_kernel *k, const gram_table *a,
                                      size_t *count)
{
    gram_status status = GRAM_OK;
    gi_run run = gi_run_begin(NULL);
    gram_program *p = NULL;
    features f = {0};

    GI_TRY(gi_program_new(&run, k, a, 0, &p));
    GI_TRY(count_features(&run, p, &f));
    *count = f.width[p->result];
done:
    release(&f);
    gi_program_free(p);
    return status;
}

static gram_status fill_table(gi_run *run, const features *f, double *F,
                              size_t ld)
{
    gram_status status = GRAM_OK;
    size_t rows = gi_points_rows(f->x);
    size_t room = f->total + most_columns(f->program);
    double *work = NULL;

    GI_TRY(GI_NEW(run, work, room * (size_t)run->threads));
    for (size_t start = 0; start < rows; start += ROWS_A_TICK) {
        size_t end = rows - start > ROWS_A_TICK ? start + ROWS_A_TICK : rows;

        GI_TRY(gi_run_tick(run, (double)start / (double)rows));
#pragma omp parallel for num_threads(run->threads)
        for (size_t i = start; i < end; i++) {
            double *mine = work + room * (size_t)omp_get_thread_num();
            place at = {i, mine, mine + f->total};

            fill_features(f, &at, F + i * ld);
        }
    }
    GI_TRY(gi_run_tick(run, 1));
done:
    gi_free(work);
    return status;
}

gram_status gram_kernel_features(const gram_kernel *k, const gram_table *a,
                                 const gram_exec *exec, double *F, size_t ld)
{
    gram_status status = GRAM_OK;
    gi_run run = gi_run_begin(exec);
    gram_program *p = NULL;
    gi_points *x = NULL;
    features f = {0};

    GI_TRY(gi_program_new(&run, k, a, 0, &p));
    GI_TRY(count_features(&run, p, &f));
    if (ld < f.width[p->result]) {
        status = gi_fail(GRAM_ERR_SHAPE,
                         "features: rows of %zu numbers, must be at least %zu",
                         ld, f.width[p->result]);
        goto done;
    }
    GI_TRY(gi_points_new(&run, p, a, GI_DOUBLE, &x));
    f.x = x;
    GI_TRY(fill_table(&run, &f, F, ld));
done:
    release(&f);
    gi_points_free(x);
    gi_program_free(p);
    return status;
}
