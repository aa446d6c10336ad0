/* test.c - a two-sample test from beginning to end.
 *
 * One pass over the kernel of all rows gives the statistic, its standard error,
 * the witness at every row and all permutations of bins.  Exact permutations,
 * wild weights and a null by eigenvalues come on top of it, if they are asked
 * for; blocks take its place, and many kernels come before it.
 */
#include "samples/test.h"

#include <math.h>

#include "base/fields.h"
#include "base/limits.h"
#include "base/mem.h"
#include "kernels/engine/block.h"

enum { BINS = GI_TEST_BINS };

#define FIELD(kind, member) GI_FIELD(#member, kind, gram_test_report, member)

static const gram_field fields[] = {
    {FIELD(REAL, statistic)},
    {FIELD(REAL, std_error)},
    {FIELD(REAL, p_value)},
    {FIELD(REAL, alpha)},
    {FIELD(FLAG, reject)},
    {FIELD(WHOLE, permutations)},
    {FIELD(WHOLE, bins)},
    {FIELD(WHOLE, kernels)},
    {FIELD(WHOLE, m)},
    {FIELD(WHOLE, n)},
    {FIELD(WHOLE, d)},
    {GI_FIELD("estimator", TEXT, gram_test_report, statistic_name)},
    {FIELD(TEXT, method)},
    {FIELD(TEXT, kernel)},
    {FIELD(REAL, rows_needed)},
    {FIELD(REAL, seconds)},
    {FIELD(BYTES, peak_bytes)},
    {FIELD(TEXTS, warnings),
     .count = offsetof(gram_test_report, warning_count)},
    {GI_FIELD("other_kernel", TEXT, gram_test_report, other)},
    {.name = NULL},
};

const gram_field *gram_test_report_fields(void)
{
    return fields;
}

/* ------------------------------------------------------------------- parts */

typedef struct testing {
    gi_run *run;
    gram_test_options o;
    gram_test *t;
    gi_mmd_pass pass;
} testing;

static size_t wanted_bins(const testing *g)
{
    const gram_test_options *o = &g->o;
    size_t rows = g->t->joined.m + g->t->joined.n;
    size_t bins = o->bins ? o->bins : BINS;

    if (o->method || o->exact || o->aggregate || o->statistic > 1)
        return 1;
    return bins < rows ? bins : rows;
}

/* The statistic, its error and the witness. */
static gram_status estimate(testing *g)
{
    gram_status status = GRAM_OK;
    gi_mmd_pass *pass = &g->pass;

    GI_TRY(gi_mmd_pass_new(g->run, &g->t->joined, wanted_bins(g),
                           g->o.precision, pass));
    g->t->witness = pass->witness;
    pass->witness = NULL;
    if (!(pass->e.spread > 1e-12))
        GI_TRY(gi_sentence_add(g->run, &g->t->warnings,
                               "the kernel is the same for all pairs of rows, "
                               "so that no difference can be seen"));
done:
    return status;
}

static gram_status permute_bins(testing *g)
{
    gram_status status = GRAM_OK;
    gram_test_report *r = &g->t->report;
    const size_t count = g->o.permutations + 1;
    const double m = (double)g->pass.c.m, n = (double)g->pass.c.n;
    gi_labels labels = {0};
    double *values = NULL, size;
    size_t larger;

    GI_TRY(GI_NEW(g->run, values, count));
    GI_TRY(gi_labels_new(g->run, &g->pass.c, count, &labels));
    GI_TRY(gi_labels_values(g->run, &labels, &g->pass.c, g->pass.sums,
                            g->o.statistic, values));
    size = (fabs(g->pass.e.sums.xx) + fabs(g->pass.e.sums.yy) +
            fabs(g->pass.e.sums.xy)) /
           fmin(m * m, n * n);
    larger = gi_count_extreme(values, count, 1e-14, size);
    r->p_value = (1 + (double)larger) / (double)count;
    r->permutations = g->o.permutations;
    r->bins = g->pass.c.moving;
done:
    gi_labels_clear(&labels);
    gi_free(values);
    return status;
}

static gram_status permute_rows(testing *g)
{
    gram_status status = GRAM_OK;
    gram_test_report *r = &g->t->report;
    const size_t rows = g->pass.c.m + g->pass.c.n;
    const gi_exact how = {g->o.statistic, g->o.permutations, g->o.alpha,
                          g->o.sequential};
    gi_permuted found = {0};
    double *totals = NULL;

    GI_TRY(GI_NEW(g->run, totals, rows));
    for (size_t i = 0; i < rows; i++)
        totals[i] = g->pass.rows[2 * i] + g->pass.rows[2 * i + 1];
    GI_TRY(gi_permute_rows(g->run, &g->t->joined, &g->pass.c, &g->pass.e,
                           totals, &how, &found));
    r->p_value = found.p_value;
    r->permutations = found.count;
    r->bins = rows;
done:
    gi_free(totals);
    return status;
}

/* The wild bootstrap takes points in the order of time, not the seeded one. */
static gram_status wild(testing *g)
{
    gram_status status = GRAM_OK;
    const gi_joined *p = &g->t->joined;
    gi_bin_rows c = g->pass.c;
    gi_permuted found = {0};

    c.x = c.at = NULL;
    c.diagonal = NULL;
    GI_TRY(GI_NEW(g->run, c.diagonal, p->m + p->n));
    for (size_t i = 0; i < p->m + p->n; i++)
        c.diagonal[g->pass.c.row[i]] = g->pass.c.diagonal[i];
    GI_TRY(gi_points_view(g->run, p->x, g->pass.c.at->precision, &c.at));
    GI_TRY(gi_permute_wild(g->run, p, &c, &g->pass.e, g->o.permutations,
                           g->o.dependence, &found));
    g->t->report.p_value = found.p_value;
    g->t->report.permutations = found.count;
done:
    gi_points_free(c.at);
    gi_free(c.diagonal);
    return status;
}

static gram_status asymptotic(testing *g)
{
    gram_status status = GRAM_OK;
    gram_test_report *r = &g->t->report;

    if (g->o.method == GRAM_TEST_GAMMA) {
        r->p_value = gi_null_gamma(&g->pass.e);
    } else {
        GI_TRY(gi_null_spectral(g->run, &g->t->joined, &g->pass.e,
                                g->o.permutations, &r->p_value));
        r->permutations = g->o.permutations;
    }
    if (g->pass.c.m < 100 || g->pass.c.n < 100)
        GI_TRY(gi_sentence_add(g->run, &g->t->warnings,
                               "method %s is for many rows, samples of %zu and "
                               "%zu may be too few: permutations are exact",
                               gi_test_methods[g->o.method], g->pass.c.m,
                               g->pass.c.n));
done:
    return status;
}

/* -------------------------------------------------------------------- test */

/* The share of the time that the pass over all pairs takes: permutations of rows
 * take many times as long, those of bins next to nothing. */
static double share_of_pass(const testing *g)
{
    return g->o.aggregate                                ? 1
           : g->o.exact || g->o.method == GRAM_TEST_WILD ? 0.05
           : g->o.method == GRAM_TEST_SPECTRAL           ? 0.5
                                                         : 0.95;
}

static gram_status by_statistic(testing *g)
{
    gram_status status = GRAM_OK;
    gram_test_report *r = &g->t->report;
    gi_run *all = g->run, part = gi_run_share(all, 0, share_of_pass(g));

    g->run = &part;
    GI_TRY(estimate(g));
    part = gi_run_share(all, share_of_pass(g), 1);
    r->statistic = g->o.statistic == GRAM_TEST_BIASED ? g->pass.e.biased
                                                      : g->pass.e.unbiased;
    r->std_error = sqrt(g->pass.e.variance);
    r->rows_needed =
        gi_mmd_rows_needed(&g->pass.e, g->pass.c.m, g->pass.c.n, g->o.alpha);
    if (g->o.aggregate)
        goto done; /* p is known */
    if (g->o.method == GRAM_TEST_WILD)
        GI_TRY(wild(g));
    else if (g->o.method)
        GI_TRY(asymptotic(g));
    else if (g->o.exact)
        GI_TRY(permute_rows(g));
    else
        GI_TRY(permute_bins(g));
done:
    g->run = all;
    return status;
}

static gram_status by_blocks(testing *g)
{
    gram_status status;
    gram_test_report *r = &g->t->report;
    const gi_joined *p = &g->t->joined;
    size_t fewer = p->m < p->n ? p->m : p->n, size = g->o.block;

    if (g->o.statistic == GRAM_TEST_LINEAR)
        size = 2;
    else if (size == 0)
        size = fewer < 16 ? 2 : (size_t)sqrt((double)fewer);
    GI_TRY(gi_mmd_blocks(g->run, p, size, g->o.precision, &r->statistic,
                         &r->std_error, &r->p_value));
done:
    return status;
}

static gram_status by_aggregate(testing *g)
{
    gram_status status;
    gram_test_report *r = &g->t->report;
    gi_joined *p = &g->t->joined;
    gi_aggregate found = {0};
    gi_run *all = g->run, part = gi_run_share(all, 0, 0.8);

    g->run = &part;
    GI_TRY(gi_mmd_aggregate(g->run, p, &g->o, &found));
    part = gi_run_share(all, 0.8, 1);
    r->p_value = found.p_value;
    r->permutations = g->o.permutations;
    r->bins = found.bins;
    r->kernels = found.kernels;
    GI_TRY(by_statistic(g));
done:
    g->run = all;
    return status;
}

static gram_status make_test(testing *g, const gram_table *a,
                             const gram_table *b)
{
    gram_status status = GRAM_OK;
    gram_test *t = g->t;
    gi_joined *p = &t->joined;
    gi_run *all = g->run, part = gi_run_share(all, 0, g->o.split > 0 ? 0.5 : 0);

    g->run = &part;
    GI_TRY(gi_joined_join(g->run, a, b, g->o.missing, &t->warnings, p));
    t->report.kernels = 1;
    if (g->o.split > 0)
        GI_TRY(gi_joined_split(g->run, &g->o, p));
    else if (!g->o.aggregate)
        GI_TRY(gi_joined_kernel(g->run, g->o.kernel, g->o.scale, 1, p));
    part = gi_run_share(all, g->o.split > 0 ? 0.5 : 0, 1);
    if (g->o.aggregate)
        GI_TRY(by_aggregate(g));
    else if (g->o.statistic >= GRAM_TEST_BLOCK)
        GI_TRY(by_blocks(g));
    else
        GI_TRY(by_statistic(g));
    GI_TRY(gi_joined_warn(g->run, p, &t->warnings));
    t->report.m = p->m;
    t->report.n = p->n;
    t->report.d = p->program->sources;
done:
    g->run = all;
    return status;
}

gram_status gi_test_refer(gi_run *run, gram_test *t)
{
    gram_status status;
    gram_test_report *r = &t->report;

    GI_TRY(GI_NEW(run, t->sentence, t->warnings.count));
    for (size_t i = 0; i < t->warnings.count; i++)
        t->sentence[i] = gi_dict_at(&t->warnings, i);
    GI_TRY(gi_joined_print(run, &t->joined));
    r->kernel = t->joined.text.s;
    r->other = t->other.s;
    r->warnings = t->sentence;
    r->warning_count = t->warnings.count;
    r->reject = r->p_value <= r->alpha;
done:
    return status;
}

gram_status gi_test_samples(gi_run *run, const gram_table *a,
                            const gram_table *b,
                            const gram_test_options *options, gram_test **out)
{
    gram_status status = GRAM_OK;
    const double start = gi_clock();
    testing g = {.run = run};

    *out = NULL;
    GI_TRY(gi_test_options_read(options, &g.o));
    GI_TRY(GI_NEW_ZERO(run, g.t, 1));
    g.t->report =
        (gram_test_report){.statistic_name = gi_test_statistics[g.o.statistic],
                           .method = g.o.statistic >= GRAM_TEST_BLOCK
                                         ? "normal"
                                         : gi_test_methods[g.o.method],
                           .alpha = g.o.alpha,
                           .rows_needed = NAN};
    GI_TRY(make_test(&g, a, b));
    GI_TRY(gi_test_refer(run, g.t));
    GI_TRY(gi_run_tick(run, 1));
    g.t->report.seconds = gi_clock() - start;
    *out = g.t;
    g.t = NULL;
done:
    gi_mmd_pass_clear(&g.pass);
    gram_test_free(g.t);
    if (*out)
        (*out)->report.peak_bytes = gi_run_peak(run);
    return status;
}

gram_status gram_test_samples(const gram_table *a, const gram_table *b,
                              const gram_test_options *options,
                              const gram_exec *exec, gram_test **out)
{
    GI_RUN(run, exec);

    return gi_test_samples(&run, a, b, options, out);
}

void gram_test_free(gram_test *t)
{
    if (!t)
        return;
    gi_joined_clear(&t->joined);
    gi_buf_free(&t->other);
    gi_free(t->witness);
    gi_dict_free(&t->warnings);
    gi_free(t->sentence);
    gi_free(t);
}

const gram_test_report *gram_test_report_get(const gram_test *t)
{
    return &t->report;
}
