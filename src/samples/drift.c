/* drift.c - each batch of rows compared with all rows before it, for as long as
 * one likes.
 *
 * If nothing changes, reference and batches are exchangeable.  The p-value p_t
 * of batch t against the rows before it, by permuting which rows are the batch,
 * depends on the order of all those rows only by which are in the batch; so
 * p_1, p_2, ... are independent and no smaller than uniform (as conformal
 * p-values are: Vovk, Gammerman, Shafer 2005).  Betting on small ones with
 *
 *     e(p) = integral over c in (0,1) of c p^(c-1)
 *          = (1 - p + p ln p)/(p ln^2 p)
 *
 * whose mean is at most 1, the product of the e(p_t) is a fair game.  So as not
 * to have lost everything when a change comes late, the stake is divided: a
 * share 1/(s(s + 1)) of it waits for batch s.  With R the value of the shares
 * that are in play,
 *
 *     R_t = e(p_t) (R_(t-1) + 1/(t(t+1))),   evidence = R_t + 1/(t+1)
 *
 * and if nothing changes, the evidence ever exceeds 1/alpha with a probability
 * of at most alpha, whenever one stops (Ville 1939).
 *
 * At most ROWS of the rows before are used, chosen anew at random each time,
 * which leaves all that true.  The kernel is that of the reference.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/fields.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/rng.h"
#include "data/table/subset.h"
#include "samples/test.h"

enum { ROWS = GI_DRIFT_ROWS, STREAM = 0x64726966 };

struct gram_drift {
    gram_test_options o;
    char *kernel; /* text, nothing open */
    gram_table *seen;
    gi_fills fills; /* of the reference */
    size_t batch;
    double played; /* R */
    int alarm;
};

#define FIELD(kind, member) GI_FIELD(#member, kind, gram_drift_report, member)

static const gram_field fields[] = {
    {FIELD(WHOLE, batch)},
    {FIELD(WHOLE, rows)},
    {FIELD(REAL, statistic)},
    {FIELD(REAL, p_value)},
    {FIELD(REAL, evidence)},
    {GI_FIELD("reject", FLAG, gram_drift_report, alarm)},
    {.name = NULL},
};

const gram_field *gram_drift_report_fields(void)
{
    return fields;
}

gram_status gram_drift_new(const gram_table *reference,
                           const gram_test_options *options,
                           const gram_exec *exec, gram_drift **out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    gram_drift *d = NULL;
    gi_joined p = {0};
    gi_dict warnings = {0};

    *out = NULL;
    GI_TRY(GI_NEW_ZERO(NULL, d, 1));
    GI_TRY(gi_test_options_read(options, &d->o));
    GI_TRY(gi_joined_join(&run, reference, NULL, d->o.missing, &warnings, &p));
    GI_TRY(gi_joined_kernel(&run, d->o.kernel, d->o.scale, 1, &p));
    GI_TRY(gi_joined_print(&run, &p));
    GI_TRY(gi_strndup(NULL, p.text.s, p.text.n, &d->kernel));
    d->o = (gram_test_options){.kernel = d->kernel,
                               .scale = GRAM_KERNEL_SCALE_NONE,
                               .permutations = d->o.permutations,
                               .alpha = d->o.alpha,
                               .precision = d->o.precision};
    d->seen = p.table;
    d->fills = p.fills;
    p.table = NULL;
    p.fills = (gi_fills){0};
    *out = d;
    d = NULL;
done:
    gram_drift_free(d);
    gi_joined_clear(&p);
    gi_dict_free(&warnings);
    return status;
}

void gram_drift_free(gram_drift *d)
{
    if (!d)
        return;
    gi_free(d->kernel);
    gram_table_free(d->seen);
    gi_fills_free(&d->fills);
    gi_free(d);
}

/* At most ROWS of the rows seen; *out NULL: all of them. */
static gram_status choose_rows(gi_run *run, const gram_table *t,
                               gram_table **out)
{
    gram_status status = GRAM_OK;
    gi_rng rng = gi_rng_new(run->seed, STREAM);
    unsigned char *keep = NULL;

    *out = NULL;
    if (t->rows <= ROWS)
        return status;
    GI_TRY(GI_NEW_ZERO(run, keep, t->rows));
    for (size_t left = ROWS; left > 0;) {
        size_t i = gi_rng_below(&rng, t->rows);

        left -= !keep[i];
        keep[i] = 1;
    }
    GI_TRY(gi_table_subset(run, t, NULL, keep, out));
done:
    gi_free(keep);
    return status;
}

static double bet(double p)
{
    double l = log(p);

    if (p > 1 - 1e-4) /* the formula cancels; its limit is 1/2 */
        return 0.5;
    return (1 - p + p * l) / (p * l * l);
}

/* The evidence after a batch with that p-value. */
static double play(gram_drift *d, double p)
{
    const double t = (double)d->batch;

    /* far beyond any alarm it must not overflow */
    d->played = fmin(DBL_MAX / 4, bet(p) * (d->played + 1 / (t * (t + 1))));
    return d->played + 1 / (t + 1);
}

/* The batch with missing cells as those of the reference. */
static gram_status fill_batch(gi_run *run, const gram_drift *d,
                              const gram_table *batch, gram_table **out)
{
    gram_status status = GRAM_OK;
    unsigned char *whole = NULL;

    GI_TRY(GI_NEW(run, whole, batch->rows));
    memset(whole, 1, batch->rows);
    if (d->fills.policy == GRAM_MISSING_DROP)
        gi_table_whole_rows(batch, NULL, whole);
    GI_TRY(gi_table_subset(run, batch, NULL, whole, out));
    if (d->fills.policy == GRAM_MISSING_MEAN ||
        d->fills.policy == GRAM_MISSING_INDICATOR)
        GI_TRY(gi_fills_apply(run, &d->fills, *out));
done:
    gi_free(whole);
    return status;
}

gram_status gram_drift_add(gram_drift *d, const gram_table *batch,
                           const gram_exec *exec, gram_drift_report *out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    gram_table *chosen = NULL, *all = NULL, *filled = NULL;
    gram_test *t = NULL;
    double evidence;

    run.seed += (uint64_t)(d->batch + 1) << 32;
    GI_TRY(choose_rows(&run, d->seen, &chosen));
    GI_TRY(fill_batch(&run, d, batch, &filled));
    batch = filled;
    GI_TRY(gi_test_samples(&run, chosen ? chosen : d->seen, batch, &d->o, &t));
    GI_TRY(gi_table_join(&run, d->seen, batch, &all));
    gram_table_free(d->seen);
    d->seen = all;
    d->batch++;
    evidence = play(d, t->report.p_value);
    d->alarm |= evidence >= 1 / d->o.alpha;
    *out = (gram_drift_report){.batch = d->batch,
                               .rows = t->report.n,
                               .statistic = t->report.statistic,
                               .p_value = t->report.p_value,
                               .evidence = evidence,
                               .alarm = d->alarm};
done:
    gram_test_free(t);
    gram_table_free(filled);
    gram_table_free(chosen);
    return status;
}
