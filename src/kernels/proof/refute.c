/* refute.c - the search for a counterexample.
 *
 * A kernel is PSD if all its matrices are, so one matrix with a negative
 * eigenvalue refutes it, while no search proves it.  The search tries few points
 * before many, in shapes that refute what is often written: one point (negative
 * scales and differences), pairs, points on a line through 0 or beside it
 * (non-integer powers: FitzGerald and Horn 1977 use (1, i s); nearby and far
 * neighbours), corners of a square, and clouds.
 *
 * The trap is rounding: a singular matrix has eigenvalues of either sign, so
 * an eigenvalue counts only if it is clearly negative.
 */
#include "kernels/proof/refute.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "kernels/engine/engine.h"
#include "linalg/dense/eigen.h"

/* Relative to the largest eigenvalue. */
static const double clearly = 1e-9;

enum { POINTS = 12, COLUMNS = 16, STREAM = 0x4ef };

typedef struct search {
    gi_run *run;
    gram_kernel part; /* the node as a kernel of its own */
    gi_dict names;    /* columns that the whole kernel names */
    gi_refutation *out;
} search;

/* ---------------------------------------------------------------- columns */

/* A name of a column that the item chooses. */
static gram_status add_name(search *s, const gi_column_item *item)
{
    gram_status status = GRAM_OK;
    gi_buf name = {0};

    if (item->kind == GI_COLUMN_RANGE) /* by place: enough columns will do */
        for (size_t j = 0; j < item->to && s->names.count <= COLUMNS; j++) {
            char number[32];
            int n = snprintf(number, sizeof number, "x%zu", j + 1);

            GI_TRY(gi_dict_add(s->run, &s->names, number, (size_t)n, NULL));
        }
    else {
        for (const char *c = item->name; *c; c++)
            if (item->kind != GI_COLUMN_PATTERN || *c != '*')
                GI_TRY(gi_buf_add(s->run, &name, c, 1));
        if (name.n == 0)
            GI_TRY(gi_buf_add(s->run, &name, "x1", 2));
        GI_TRY(gi_dict_add(s->run, &s->names, name.s, name.n, NULL));
    }
done:
    gi_buf_free(&name);
    return status;
}

static gram_status add_names(search *s, const gi_kernel_node *node)
{
    gram_status status = GRAM_OK;

    for (const gi_column_item *c = node->columns; c; c = c->next)
        GI_TRY(add_name(s, c));
    for (const gi_kernel_node *kid = node->kids; kid; kid = kid->next)
        GI_TRY(add_names(s, kid));
done:
    return status;
}

static gram_status new_table(const search *s, const gi_refutation *r,
                             gram_table **out)
{
    gram_status status = GRAM_OK;

    GI_TRY(gram_table_new(r->count, out));
    for (size_t j = 0; j < r->d; j++) {
        char number[32];
        const char *name = number;

        snprintf(number, sizeof number, "x%zu", j + 1);
        if (j < s->names.count)
            name = gi_dict_at(&s->names, j);
        GI_TRY(gram_table_add_numbers(*out, name, r->points + j, r->d));
    }
done:
    return status;
}

/* ------------------------------------------------------------------ trials */

/* Does the failure only mean that these points, or such columns, cannot be used
 * with the kernel? */
static int is_harmless(gram_status status)
{
    return status == GRAM_ERR_NAME || status == GRAM_ERR_RANGE ||
           status == GRAM_ERR_SHAPE || status == GRAM_ERR_NUMERIC ||
           status == GRAM_ERR_IO || status == GRAM_ERR_PARSE;
}

static void close_open_numbers(gram_program *p)
{
    for (size_t s = p->kernel->slots, end = p->thetas; s-- > 0;) {
        double start = p->kernel->slot[s].start;
        size_t first = (size_t)p->first_theta[s];

        for (size_t i = first; i < end; i++)
            if (isnan(p->theta[i]))
                p->theta[i] = isnan(start) ? 1 : start;
        end = first;
    }
}

/* The eigenvalues of the matrix on the points. */
static gram_status evaluate(search *s, const gi_refutation *r, double *values)
{
    gram_status status = GRAM_OK;
    gram_table *t = NULL;
    gram_program *p = NULL;
    gi_points *x = NULL;
    double K[POINTS * POINTS];

    GI_TRY(new_table(s, r, &t));
    GI_TRY(gi_program_new(s->run, &s->part, t, 1, &p));
    close_open_numbers(p);
    GI_TRY(gi_points_new(s->run, p, t, GI_DOUBLE, &x));
    GI_TRY(gi_engine_store(s->run, p, x, NULL, K, r->count));
    GI_TRY(gi_eigen_symmetric(s->run, r->count, K, r->count, 0, values));
done:
    gi_points_free(x);
    gi_program_free(p);
    gram_table_free(t);
    return status;
}

/* Keep a copy of the points if they refute. */
static gram_status try_points(search *s, const gi_refutation *r)
{
    gram_status status;
    double values[POINTS], largest;

    status = evaluate(s, r, values);
    if (status != GRAM_OK)
        return is_harmless(status) ? GRAM_OK : status;
    largest = fmax(fabs(values[0]), fabs(values[r->count - 1]));
    if (!(values[0] < -clearly * largest))
        return GRAM_OK;
    GI_TRY(GI_NEW(s->run, s->out->points, r->count * r->d));
    memcpy(s->out->points, r->points, r->count * r->d * sizeof *r->points);
    s->out->count = r->count;
    s->out->d = r->d;
    s->out->eigenvalue = values[0];
done:
    return status;
}

/* ------------------------------------------------------------------ shapes */

/* Column j of point i of n; the scale is applied after. */
static double line(size_t i, size_t j, size_t n, gi_rng *rng)
{
    (void)j, (void)n, (void)rng;
    return (double)i;
}

static double off_zero(size_t i, size_t j, size_t n, gi_rng *rng)
{
    (void)j, (void)n, (void)rng;
    return (double)i + 1;
}

static double both_sides(size_t i, size_t j, size_t n, gi_rng *rng)
{
    (void)j, (void)rng;
    return 2 * (double)i - (double)(n - 1);
}

static double beside(size_t i, size_t j, size_t n, gi_rng *rng)
{
    (void)n, (void)rng;
    return j == 0 ? 1 : (double)i;
}

/* (1,0), (1,1), (0,1), and so on around. */
static double corners(size_t i, size_t j, size_t n, gi_rng *rng)
{
    (void)n, (void)rng;
    return (i + 3 * j) % 4 < 2;
}

static double cloud(size_t i, size_t j, size_t n, gi_rng *rng)
{
    (void)i, (void)j, (void)n;
    return gi_rng_normal(rng);
}

static double cloud_of_positive(size_t i, size_t j, size_t n, gi_rng *rng)
{
    return fabs(cloud(i, j, n, rng));
}

static const struct shape {
    double (*at)(size_t i, size_t j, size_t n, gi_rng *rng);
    size_t columns; /* at least */
} shapes[] = {
    {line, 1},    {off_zero, 1}, {both_sides, 1},        {beside, 2},
    {corners, 2}, {cloud, 1},    {cloud_of_positive, 1},
};

/* All shapes at all scales, few points first; `widest` columns, or up to that
 * many. */
static gram_status try_shapes(search *s, size_t least, size_t widest)
{
    static const size_t sizes[] = {1, 2, 3, 4, 6, 8, POINTS};
    static const double scales[] = {1, 0.25, 3, 10};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    enum { SCALES = sizeof scales / sizeof *scales };
    gram_status status = GRAM_OK;
    gi_rng rng = gi_rng_new(0, STREAM);
    double x[POINTS * COLUMNS];

    for (size_t trial = 0; trial < SIZES * SHAPES * SCALES; trial++) {
        size_t n = sizes[trial / (SHAPES * SCALES)];
        const struct shape *shape = shapes + trial / SCALES % SHAPES;
        double scale = scales[trial % SCALES];

        for (size_t d = least; d <= widest && !s->out->points; d++) {
            gi_refutation r = {x, n, d, 0};

            for (size_t i = 0; i < n * d; i++)
                x[i] = scale * shape->at(i / d, i % d, n, &rng);
            if (d >= shape->columns)
                GI_TRY(try_points(s, &r));
        }
    }
done:
    return status;
}

/* Try the points that refute a part, with zeros in the columns that they do not
 * have. */
static gram_status try_first(search *s, const gi_refutation *first,
                             size_t least)
{
    double x[POINTS * COLUMNS] = {0};
    size_t d = first->d > least ? first->d : least;
    gi_refutation r = {x, first->count, d, 0};

    if (!first->points || first->count > POINTS || d > COLUMNS)
        return GRAM_OK;
    for (size_t i = 0; i < first->count; i++)
        for (size_t j = 0; j < first->d; j++)
            x[i * d + j] = first->points[i * first->d + j];
    return try_points(s, &r);
}

gram_status gi_refute(gi_run *run, const gram_kernel *k,
                      const gi_kernel_node *node, const gi_refutation *first,
                      gi_refutation *out)
{
    gram_status status = GRAM_OK;
    search s = {.run = run, .part = *k, .out = out};
    size_t named;

    *out = (gi_refutation){.eigenvalue = NAN};
    s.part.root = (gi_kernel_node *)node;
    GI_TRY(add_names(&s, k->root));
    named = s.names.count;
    if (named > COLUMNS)
        goto done;
    GI_TRY(try_first(&s, first, named ? named : 1));
    if (!out->points)
        GI_TRY(try_shapes(&s, named ? named : 1, named ? named : 2));
done:
    gi_dict_free(&s.names);
    return status;
}
