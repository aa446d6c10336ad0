/* targets.c - targets, weights and noise of a table, as a fit wants them.
 *
 * Row i counts with w_i, and D_i = 1/w_i; a noise column gives D_i = v_i/w_i.
 * Rows of weight 0 are left out, as if they were not there.  With an intercept
 * the mean of a target is taken off, which changes nothing but b and keeps the
 * digits of a small variation on a large offset.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "machines/fit.h"
#include "machines/part.h"

/* Squares of larger numbers, summed, might overflow. */
static const double largest = 1e140;

/* The column of that role, or NULL. */
static gram_status find_role(const gram_table *t, gram_role role,
                             const gi_column **out)
{
    *out = NULL;
    for (size_t j = 0; j < t->cols; j++) {
        if (t->column[j].role != role)
            continue;
        if (*out)
            return gi_fail(GRAM_ERR_SHAPE,
                           "columns \"%s\" and \"%s\" are both %s columns, "
                           "there can be one",
                           (*out)->name, t->column[j].name,
                           gram_role_name(role));
        *out = &t->column[j];
    }
    return GRAM_OK;
}

static gram_status refuse_missing(const gi_column *c, size_t rows)
{
    for (size_t i = 0; c && i < rows; i++)
        if (isnan(c->values[i]))
            return gi_fail(GRAM_ERR_RANGE,
                           "row %zu, column \"%s\": the cell is missing, a %s "
                           "must have a value in every row",
                           i + 1, c->name, gram_role_name(c->role));
    return GRAM_OK;
}

static gram_status check_target(const gi_column *c, size_t rows)
{
    if (!c->values)
        return gi_fail(GRAM_ERR_RANGE,
                       "target \"%s\" is a %s column, must be numbers: there "
                       "is no classification yet",
                       c->name, gram_type_name(c->type));
    for (size_t i = 0; i < rows; i++)
        if (fabs(c->values[i]) > largest)
            return gi_fail(GRAM_ERR_RANGE,
                           "row %zu, column \"%s\": %g, a target must be at "
                           "most %g in size",
                           i + 1, c->name, c->values[i], largest);
    return refuse_missing(c, rows);
}

/* Which rows count, and D of those; f->part if there are others. */
static gram_status read_noise(gi_fit *f)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;
    const gram_table *t = f->table;
    const gi_column *weight, *noise;
    unsigned char *keep = NULL;

    GI_TRY(find_role(t, GRAM_ROLE_WEIGHT, &weight));
    GI_TRY(find_role(t, GRAM_ROLE_NOISE, &noise));
    GI_TRY(refuse_missing(weight, t->rows));
    GI_TRY(refuse_missing(noise, t->rows));
    GI_TRY(GI_NEW(f->run, keep, t->rows));
    GI_TRY(GI_NEW(f->run, m->row, t->rows));
    GI_TRY(GI_NEW(f->run, m->noise, t->rows));
    m->n = 0;
    for (size_t i = 0; i < t->rows; i++) {
        double D = weight ? 1 / weight->values[i] : 1;

        keep[i] = isfinite(D) ? 1 : 0;
        if (!keep[i])
            continue;
        if (noise && !(noise->values[i] > 0))
            GI_TRY(gi_fail(GRAM_ERR_RANGE,
                           "row %zu, column \"%s\": noise variance %g, must "
                           "be positive",
                           i + 1, noise->name, noise->values[i]));
        m->row[m->n] = (double)i;
        m->noise[m->n++] = noise ? D * noise->values[i] : D;
    }
    if (m->n < t->rows && m->n > 0)
        GI_TRY(gi_table_part(f->run, t, NULL, keep, &f->part));
    if (noise)
        GI_TRY(gi_strndup(f->run, noise->name, strlen(noise->name),
                          &m->noise_column));
    if (!weight && !noise) {
        gi_free(m->noise);
        m->noise = NULL;
    }
done:
    gi_free(keep);
    return status;
}

static gram_status read_target(gi_fit *f, const gi_column *c, size_t target)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;
    double mean = 0;

    GI_TRY(gi_strndup(f->run, c->name, strlen(c->name), &m->target[target]));
    for (size_t i = 0; m->intercept && i < m->n; i++)
        mean += (c->values[i] - mean) / (double)(i + 1);
    m->shift[target] = mean;
    for (size_t i = 0; i < m->n; i++)
        m->y[i * m->targets + target] = c->values[i] - mean;
done:
    return status;
}

/* Arrays with one entry a target. */
static gram_status make_room(gi_fit *f)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;
    double **per_target[] = {&m->shift,    &m->lambda,   &m->amplitude,
                             &m->variance, &m->evidence, &m->constant};

    for (size_t k = 0; k < sizeof per_target / sizeof *per_target; k++) {
        GI_TRY(GI_NEW(f->run, *per_target[k], m->targets));
        for (size_t t = 0; t < m->targets; t++)
            (*per_target[k])[t] = NAN;
    }
    GI_TRY(GI_NEW_ZERO(f->run, m->target, m->targets));
    GI_TRY(GI_NEW(f->run, m->y, m->n * m->targets));
done:
    return status;
}

gram_status gi_fit_targets(gi_fit *f)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;
    const gram_table *t = f->table;
    size_t target = 0;

    for (size_t j = 0; j < t->cols; j++)
        if (t->column[j].role == GRAM_ROLE_TARGET) {
            GI_TRY(check_target(&t->column[j], t->rows));
            m->targets++;
        }
    if (m->targets == 0)
        GI_TRY(
            gi_fail(GRAM_ERR_SHAPE, "no target: a column must have that role"));
    GI_TRY(read_noise(f));
    if (m->n == 0)
        GI_TRY(gi_fail(GRAM_ERR_SHAPE,
                       t->rows ? "no rows: all weights are 0"
                               : "no rows: a fit needs at least one"));
    GI_TRY(make_room(f));
    t = gi_fit_table(f);
    for (size_t j = 0; j < t->cols; j++)
        if (t->column[j].role == GRAM_ROLE_TARGET)
            GI_TRY(read_target(f, &t->column[j], target++));
done:
    return status;
}
