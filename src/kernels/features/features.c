/* features.c - explicit feature maps: phi with phi(x).phi(t) = k(x,t).
 *
 * A program says how a kernel is made of others, and each of its instructions
 * is read here in another algebra (features_rules.c): a register is not a
 * number per pair but a vector of features per row.  An inner product gives
 * the row itself, a sum the vectors end to end, a product all products of
 * their entries.  So linear^2 on two columns has three features, x1^2,
 * sqrt(2) x1 x2, x2^2, and linear*linear, the same kernel, four: maps are not
 * unique.  Rows of a sparse block, and sums, products and multiples of them,
 * are vectors of entries with their indices.
 *
 * Cost: O(rows * features), or O(entries).  Widths are counted before anything
 * is computed.
 */
#include <math.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "kernels/features/features_inside.h"
#include "kernels/program/points.h"

enum { LIMIT = 1 << 20, ROWS_A_TICK = GI_FEATURES_CHUNK_ROWS };

/* With more, products of two counts could overflow. */
#define MOST ((size_t)1 << 30)

/* ------------------------------------------------------------------- widths */

static int gives_sparse(const gi_features *f, const gi_op *op)
{
    if (op->code == GI_OP_DOT)
        return f->program->view[op->view].sparse >= 0;
    return gi_feature_rules[op->code].passes &&
           (f->sparse[op->a] || (op->b >= 0 && f->sparse[op->b]));
}

/* Numbers that the rule of an instruction works with. */
static size_t cells_needed(const gi_features *f, const gi_op *op)
{
    if (op->code == GI_OP_COLUMNS || op->code == GI_OP_ELEMENTARY) {
        const gi_view *v = f->program->view + op->view;

        return v->width + v->sparse_width;
    }
    return op->code == GI_OP_POWER ? f->width[op->a] : 0;
}

/* Widths of all registers, and their offsets in the scratch of a row. */
void gi_features_set(gi_features *f, const double *theta)
{
    const gram_program *p = f->program;

    f->theta = theta;
    f->total = f->cells = 0;
    for (f->bad = 0; f->bad < p->ops; f->bad++) {
        const gi_op *op = p->op + f->bad;
        const gi_feature_rule *rule = gi_feature_rules + op->code;
        size_t width = rule->count ? rule->count(f, op) : GI_FEATURES_NONE;
        size_t cells;

        f->width[f->bad] = width;
        if (width > f->limit)
            return;
        f->sparse[f->bad] = (char)gives_sparse(f, op);
        f->offset[f->bad] = f->total;
        f->total += width;
        cells = cells_needed(f, op);
        f->cells = cells > f->cells ? cells : f->cells;
    }
}

gram_status gi_features_new(gi_run *run, const gram_program *p,
                            const double *theta, size_t most, gi_features **out)
{
    gram_status status;
    gi_features *f = NULL;

    *out = NULL;
    GI_TRY(GI_NEW_ZERO(run, f, 1));
    f->program = p;
    f->limit = most < MOST ? most : MOST;
    GI_TRY(GI_NEW(run, f->width, p->ops));
    GI_TRY(GI_NEW(run, f->offset, p->ops));
    GI_TRY(GI_NEW(run, f->sparse, p->ops));
    gi_features_set(f, theta ? theta : p->theta);
    *out = f;
    f = NULL;
done:
    gi_features_free(f);
    return status;
}

void gi_features_free(gi_features *f)
{
    if (!f)
        return;
    gi_free(f->width);
    gi_free(f->offset);
    gi_free(f->sparse);
    gi_free(f);
}

int gi_features_exist(const gi_features *f)
{
    return f->bad == f->program->ops;
}

size_t gi_features_count(const gi_features *f)
{
    return gi_features_exist(f) ? f->width[f->program->result] : 0;
}

int gi_features_sparse(const gi_features *f)
{
    return f->sparse[f->program->result];
}

/* --------------------------------------------------------------------- rows */

/* Scratch of all threads. */
typedef struct scratch {
    double *value;
    unsigned *index;
    gi_vector *vector;
} scratch;

static gram_status scratch_new(gi_run *run, const gi_features *f, scratch *r)
{
    size_t threads = (size_t)run->threads;
    gram_status status;

    *r = (scratch){0};
    GI_TRY(GI_NEW(run, r->value, threads * (f->total + f->cells)));
    GI_TRY(GI_NEW(run, r->index, threads * f->total));
    GI_TRY(GI_NEW(run, r->vector, threads * f->program->ops));
done:
    return status;
}

static void scratch_free(scratch *r)
{
    gi_free(r->value);
    gi_free(r->index);
    gi_free(r->vector);
}

/* The features of a row, in this thread's scratch or in the points themselves. */
static gi_vector features_of(const gi_features *f, const scratch *r,
                             const gi_points *x, size_t row)
{
    const gram_program *p = f->program;
    const size_t own = (size_t)gi_thread_number();
    double *value = r->value + own * (f->total + f->cells);
    unsigned *index = r->index + own * f->total;
    gi_place at = {.x = x, .row = row, .in = r->vector + own * p->ops};

    at.cell = value + f->total;
    for (size_t i = 0; i < p->ops; i++) {
        at.value = value + f->offset[i];
        at.index = index + f->offset[i];
        at.in[i] = gi_feature_rules[p->op[i].code].fill(f, &p->op[i], &at);
    }
    return at.in[p->result];
}

gram_status gi_features_rows(gi_run *run, const gi_features *f,
                             const gi_points *x, size_t row, size_t rows,
                             double *F, size_t ld)
{
    gram_status status;
    scratch r;

    GI_TRY(scratch_new(run, f, &r));
    GI_PARALLEL_FOR(run->threads)
    for (size_t i = 0; i < rows; i++)
        gi_vector_spread(features_of(f, &r, x, row + i), gi_features_count(f),
                         F + i * ld);
done:
    scratch_free(&r);
    return status;
}

static size_t entries_of(gi_vector v)
{
    size_t n = 0;

    for (size_t i = 0; i < v.count; i++)
        n += v.value[i] != 0;
    return n;
}

/* Rows are made twice, to be counted and to be kept. */
gram_status gi_features_csr(gi_run *run, const gi_features *f,
                            const gi_points *x, gi_csr *out)
{
    const size_t n = gi_points_rows(x);
    gi_csr a = {.rows = n, .cols = gi_features_count(f)};
    gram_status status;
    scratch r;

    GI_TRY(scratch_new(run, f, &r));
    GI_TRY(GI_NEW_ZERO(run, a.start, n + 1));
    GI_PARALLEL_FOR(run->threads)
    for (size_t i = 0; i < n; i++)
        a.start[i + 1] = entries_of(features_of(f, &r, x, i));
    for (size_t i = 0; i < n; i++)
        a.start[i + 1] += a.start[i];
    GI_TRY(GI_NEW(run, a.index, a.start[n]));
    GI_TRY(GI_NEW(run, a.entries, a.start[n]));
    GI_PARALLEL_FOR(run->threads)
    for (size_t i = 0; i < n; i++)
        gi_vector_pack(features_of(f, &r, x, i), 0, a.entries + a.start[i],
                       a.index + a.start[i]);
    *out = a;
    a = (gi_csr){0};
done:
    gi_csr_free(&a);
    scratch_free(&r);
    return status;
}

/* ----------------------------------------------------------------- refusals */

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

/* Why there is no map: a node of the expression that has none, or else what is
 * wrong with these columns. */
static gram_status refuse(const gi_features *f)
{
    const gram_program *p = f->program;
    const gi_op *bad = p->op + f->bad;
    gram_status status = GRAM_OK;

    GI_TRY(check_node(p->kernel, p->kernel->root));
    if (f->width[f->bad] != GI_FEATURES_NONE)
        return gi_fail(GRAM_ERR_RANGE, "kernel \"%s\": more than %zu features",
                       gram_kernel_text(p->kernel), f->limit);
    return gi_fail(GRAM_ERR_RANGE,
                   "kernel \"%s\": no finite feature map on these columns%s",
                   gram_kernel_text(p->kernel),
                   bad->code == GI_OP_COLUMNS ? ", which must be categories"
                                              : "");
done:
    return status;
}

/* ------------------------------------------------------------------- public */

static gram_status features_new(gi_run *run, const gram_program *p,
                                gi_features **out)
{
    gram_status status;

    GI_TRY(gi_features_new(run, p, NULL, LIMIT, out));
    if (!gi_features_exist(*out))
        GI_TRY(refuse(*out));
done:
    return status;
}

gram_status gram_kernel_feature_count(const gram_kernel *k, const gram_table *a,
                                      size_t *count)
{
    gram_status status;
    GI_RUN(run, NULL);
    gram_program *p = NULL;
    gi_features *f = NULL;

    GI_TRY(gi_program_new(&run, k, a, 0, &p));
    GI_TRY(features_new(&run, p, &f));
    *count = gi_features_count(f);
done:
    gi_features_free(f);
    gi_program_free(p);
    return status;
}

gram_status gram_kernel_features(const gram_kernel *k, const gram_table *a,
                                 const gram_exec *exec, double *F, size_t ld)
{
    gram_status status;
    GI_RUN(run, exec);
    gram_program *p = NULL;
    gi_points *x = NULL;
    gi_features *f = NULL;
    size_t rows;

    GI_TRY(gi_program_new(&run, k, a, 0, &p));
    GI_TRY(features_new(&run, p, &f));
    if (ld < gi_features_count(f))
        GI_TRY(gi_fail(GRAM_ERR_SHAPE,
                       "features: rows of %zu numbers, must be at least %zu",
                       ld, gi_features_count(f)));
    GI_TRY(gi_points_new(&run, p, a, GI_DOUBLE, &x));
    rows = gi_points_rows(x);
    for (size_t i = 0; i < rows; i += ROWS_A_TICK) {
        size_t some = rows - i < ROWS_A_TICK ? rows - i : ROWS_A_TICK;

        GI_TRY(gi_run_tick(&run, (double)i / (double)rows));
        GI_TRY(gi_features_rows(&run, f, x, i, some, F + i * ld, ld));
    }
    GI_TRY(gi_run_tick(&run, 1));
done:
    gi_features_free(f);
    gi_points_free(x);
    gi_program_free(p);
    return status;
}
