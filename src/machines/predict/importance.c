/* importance.c - what matters for a machine's predictions.
 *
 * A term by the mean square of its part of f; a column by the mean squared
 * change of f when its cells are shuffled among rows, the others staying
 * (Breiman 2001, for the function instead of its error).  Both over the
 * training rows, or a seeded sample of them.
 */
#include <math.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/rng.h"
#include "machines/machine.h"
#include "data/table/subset.h"
#include "machines/predict/predict.h"

enum { ROWS = GI_IMPORTANCE_ROWS };

/* At most ROWS rows of the machine's table, in their order. */
static gram_status sample_rows(gi_run *run, const gram_machine *m,
                               gram_table **out)
{
    gram_status status = GRAM_OK;
    unsigned char *keep = NULL;
    size_t *order = NULL;
    gi_rng rng = gi_rng_new(run->seed, 0);

    GI_TRY(GI_NEW(run, order, m->expansion.n));
    GI_TRY(GI_NEW_ZERO(run, keep, m->expansion.n));
    for (size_t i = 0; i < m->expansion.n; i++)
        order[i] = i;
    gi_rng_shuffle(&rng, order, m->expansion.n);
    for (size_t i = 0; i < m->expansion.n && i < ROWS; i++)
        keep[order[i]] = 1;
    GI_TRY(gi_table_subset(run, m->expansion.table, NULL, keep, out));
done:
    gi_free(order);
    gi_free(keep);
    return status;
}

/* The mean square of (a - b), every stride-th; b NULL: of a. */
static double mean_square(const double *a, const double *b, size_t n,
                          size_t stride)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        double r = a[i * stride] - (b ? b[i * stride] : 0);

        sum += r * r;
    }
    return sum / (double)n;
}

/* Which column of the machine's table is source j of its kernel. */
static gram_status source_column(const gram_machine *m, gram_table *t,
                                 size_t source, gi_column **out)
{
    const gi_source *s = &m->expansion.program->source[source];
    size_t j = 0;
    gram_status status = gram_table_find(t, s->block ? s->block : s->name, &j);

    *out = status == GRAM_OK ? &t->column[j] : NULL;
    return status;
}

/* f with the cells of one column shuffled, against f as it is. */
static gram_status measure_column(gi_run *run, const gram_machine *m,
                                  const gram_table *rows, size_t source,
                                  const double *f, double *g, double *out)
{
    gram_status status = GRAM_OK;
    gram_table *t = NULL;
    gi_column *c = NULL;
    size_t *order = NULL;
    gi_rng rng = gi_rng_new(run->seed, 1 + source);

    GI_TRY(gi_table_subset(run, rows, NULL, NULL, &t));
    GI_TRY(source_column(m, t, source, &c));
    GI_TRY(GI_NEW(run, order, t->rows));
    for (size_t i = 0; i < t->rows; i++)
        order[i] = i;
    gi_rng_shuffle(&rng, order, t->rows);
    GI_TRY(gi_column_reorder(run, c, order, t->rows));
    GI_TRY(gi_machine_predict(run, m, t, NULL, &(gram_prediction){.mean = g}));
    *out = mean_square(f, g, t->rows, m->outputs.count);
done:
    gi_free(order);
    gram_table_free(t);
    return status;
}

gram_status gram_machine_importance(const gram_machine *m,
                                    const gram_exec *exec, double *term,
                                    double *column)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    gi_run part;
    const double steps = 1 + (double)m->expansion.program->sources;
    gram_table *rows = NULL;
    double *f = NULL, *g = NULL, *parts = NULL;

    GI_TRY(sample_rows(&run, m, &rows));
    GI_TRY(GI_NEW(&run, f, rows->rows * m->outputs.count));
    GI_TRY(GI_NEW(&run, g, rows->rows * m->outputs.count));
    GI_TRY(GI_NEW(&run, parts, rows->rows * m->expansion.terms));
    gram_prediction whole = {.mean = f,
                             .terms = m->outputs.count == 1 ? parts : NULL};
    part = gi_run_share(&run, 0, 1 / steps);
    GI_TRY(gi_machine_predict(&part, m, rows, NULL, &whole));
    for (size_t j = 0; j < m->expansion.terms; j++)
        term[j] = whole.terms ? mean_square(parts + j, NULL, rows->rows,
                                            m->expansion.terms)
                              : NAN;
    for (size_t j = 0; j < m->expansion.program->sources; j++) {
        part = gi_run_share(&run, (double)(j + 1) / steps,
                            (double)(j + 2) / steps);
        GI_TRY(measure_column(&part, m, rows, j, f, g, &column[j]));
    }
done:
    gram_table_free(rows);
    gi_free(f);
    gi_free(g);
    gi_free(parts);
    return status;
}
