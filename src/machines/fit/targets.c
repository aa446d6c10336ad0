/* targets.c - targets, weights and noise of a table, as a fit wants them.
 *
 * Row i counts with w_i, and D_i = 1/w_i; a noise column gives D_i = v_i/w_i.
 * Rows of weight 0 are left out, as if they were not there.  With an intercept
 * the mean of a target is taken off, which changes nothing but b and keeps the
 * digits of a small variation on a large offset (squared loss).  A category, or
 * a loss for classes, makes a classifier: y is 1, -1 or 0 (machines/classes.h).
 */
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "machines/fit.h"
#include "data/table/subset.h"

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

static gram_status check_target(const gi_loss *loss, const gi_column *c,
                                size_t rows)
{
    gram_status status = GRAM_OK;
    const char *why;

    if (!c->values)
        GI_TRY(gi_fail(GRAM_ERR_RANGE,
                       "target \"%s\" is a %s column, must be numbers for loss "
                       "%s",
                       c->name, gram_type_name(c->type), loss->class_->name));
    for (size_t i = 0; i < rows; i++) {
        if (fabs(c->values[i]) > largest)
            GI_TRY(gi_fail(GRAM_ERR_RANGE,
                           "row %zu, column \"%s\": %g, a target must be at "
                           "most %g in size",
                           i + 1, c->name, c->values[i], largest));
        if (!gi_loss_accepts(loss, c->values[i], &why))
            GI_TRY(gi_fail(GRAM_ERR_RANGE,
                           "row %zu, column \"%s\": %g, %s for loss %s", i + 1,
                           c->name, c->values[i], why, loss->class_->name));
    }
done:
    return status;
}

/* Which rows count, and D of those; f->part if there are others. */
static gram_status read_noise(gi_fit *f)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;
    const gram_table *t = gi_fit_table(f);
    const gi_column *weight, *noise;
    unsigned char *keep = NULL;
    gram_table *part = NULL;

    GI_TRY(find_role(t, GRAM_ROLE_WEIGHT, &weight));
    GI_TRY(find_role(t, GRAM_ROLE_NOISE, &noise));
    GI_TRY(refuse_missing(weight, t->rows));
    GI_TRY(refuse_missing(noise, t->rows));
    GI_TRY(GI_NEW(f->run, keep, t->rows));
    GI_TRY(GI_NEW(f->run, m->training.row, t->rows));
    GI_TRY(GI_NEW(f->run, m->training.noise, t->rows));
    m->expansion.n = 0;
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
        m->training.row[m->expansion.n] =
            (double)(f->source ? f->source[i] : i);
        m->training.noise[m->expansion.n++] = noise ? D * noise->values[i] : D;
    }
    if (noise)
        GI_TRY(gi_strndup(f->run, noise->name, strlen(noise->name),
                          &m->training.noise_column));
    if (!weight && !noise) {
        gi_free(m->training.noise);
        m->training.noise = NULL;
    }
    if (m->expansion.n < t->rows && m->expansion.n > 0) {
        GI_TRY(gi_table_subset(f->run, t, NULL, keep, &part));
        gram_table_free(f->part);
        f->part = part;
    }
done:
    gi_free(keep);
    return status;
}

/* Numbers, less their mean if there is an intercept that takes it. */
static void read_numbers(gram_machine *m, const gi_column *c, size_t target)
{
    double mean = 0;

    for (size_t i = 0; gi_machine_is_squared(m) && m->training.intercept &&
                       i < m->expansion.n;
         i++)
        mean += (c->values[i] - mean) / (double)(i + 1);
    m->outputs.shift[target] = mean;
    for (size_t i = 0; i < m->expansion.n; i++)
        m->training.y[i * m->outputs.count + target] = c->values[i] - mean;
}

/* Arrays with one entry a function. */
static gram_status make_room(gi_fit *f)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;
    double **per_target[] = {&m->outputs.shift,     &m->outputs.lambda,
                             &m->outputs.amplitude, &m->outputs.variance,
                             &m->outputs.evidence,  &m->outputs.constant};

    for (size_t k = 0; k < sizeof per_target / sizeof *per_target; k++) {
        GI_TRY(GI_NEW(f->run, *per_target[k], m->outputs.count));
        for (size_t t = 0; t < m->outputs.count; t++)
            (*per_target[k])[t] = NAN;
    }
    GI_TRY(GI_NEW_ZERO(f->run, m->outputs.name, m->outputs.count));
    GI_TRY(GI_NEW(f->run, m->training.y, m->expansion.n * m->outputs.count));
done:
    return status;
}

/* The target columns: how many, and the first one. */
static size_t count_targets(const gram_table *t, const gi_column **first)
{
    size_t count = 0;

    *first = NULL;
    for (size_t j = 0; j < t->cols; j++)
        if (t->column[j].role == GRAM_ROLE_TARGET && count++ == 0)
            *first = &t->column[j];
    return count;
}

static gram_status check_columns(const gi_fit *f, const gi_column *first)
{
    const gram_machine *m = f->m;
    unsigned flags = m->outputs.loss->class_->flags;
    int squared = gi_machine_is_squared(m);

    if (!first && (flags & GRAM_LOSS_NOVELTY))
        return GRAM_OK;
    if (!first)
        return gi_fail(GRAM_ERR_SHAPE,
                       "no target: --target COL names the column to predict");
    if (m->outputs.target_count > 1 && (f->classes || !squared))
        return gi_fail(GRAM_ERR_SHAPE,
                       "%zu targets: loss %s%s takes one at a time",
                       m->outputs.target_count, m->outputs.loss_text,
                       f->classes ? " of classes" : "");
    if (f->classes && !(flags & GRAM_LOSS_CLASSES) && !squared)
        return gi_fail(GRAM_ERR_RANGE,
                       "target \"%s\" %s, loss %s takes numbers", first->name,
                       first->codes ? "is a category column" : "has classes",
                       m->outputs.loss_text);
    if (!f->classes && (flags & GRAM_LOSS_CLASSES))
        return gi_fail(GRAM_ERR_RANGE,
                       "task regression: loss %s is for classes",
                       m->outputs.loss_text);
    return GRAM_OK;
}

gram_status gi_fit_classes(gi_run *run, const gram_table *t,
                           const gram_fit_options *o, const char **out)
{
    static const gram_fit_options defaults;
    gram_status status = GRAM_OK;
    const gi_column *first;
    gi_fit f = {.run = run, .o = o ? o : &defaults, .table = t};
    size_t targets = count_targets(t, &first);

    GI_TRY(GI_NEW_ZERO(run, f.m, 1));
    GI_TRY(gi_fit_task(&f, first, targets));
    *out = f.classes ? first->name : NULL;
done:
    gram_machine_free(f.m);
    return status;
}

/* ----------------------------------------------------------------- classes */

static gi_coding coding_of(const gi_fit *f)
{
    const gi_loss *loss = f->m->outputs.loss;
    const gram_machine *from = f->o->from;

    if (loss->class_->flags & GRAM_LOSS_JOINT)
        return GI_CODING_JOINT;
    if (f->m->outputs.classes.count == 2)
        return GI_CODING_PAIRS;
    if (from && from->outputs.classes.coding != GI_CODING_NONE)
        return from->outputs.classes.coding;
    return f->o->classes == GRAM_CLASSES_ONE_VS_ONE ||
                   (f->o->classes == GRAM_CLASSES_AUTO &&
                    f->m->outputs.classes.count <= GI_PAIRS_CLASSES &&
                    gi_loss_has(loss, GRAM_LOSS_PAIRS))
               ? GI_CODING_PAIRS
               : GI_CODING_REST;
}

/* A weight of a class is one of each of its rows. */
static gram_status weigh_classes(gi_fit *f, const int *code)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;
    double *weight = NULL;

    GI_TRY(GI_NEW(f->run, weight, m->outputs.classes.count));
    GI_TRY(gi_classes_weights(f->run, &m->outputs.classes, f->o->class_weights,
                              code, m->expansion.n, weight));
    if (f->o->class_weights && !m->training.noise) {
        GI_TRY(GI_NEW(f->run, m->training.noise, m->expansion.n));
        for (size_t i = 0; i < m->expansion.n; i++)
            m->training.noise[i] = 1;
    }
    for (size_t i = 0; f->o->class_weights && i < m->expansion.n; i++)
        m->training.noise[i] /= weight[code[i]];
done:
    gi_free(weight);
    return status;
}

static gram_status read_classes(gi_fit *f, const gi_column *c)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;
    const gi_loss *loss = m->outputs.loss;
    int *code = NULL;

    GI_TRY(GI_NEW(f->run, code, m->expansion.n));
    GI_TRY(
        gi_classes_read(f->run, c, m->expansion.n, &m->outputs.classes, code));
    if (m->outputs.classes.count < 2)
        GI_TRY(gi_fail(GRAM_ERR_RANGE,
                       "target \"%s\" has one class, \"%s\", in all rows: "
                       "there must be two at least",
                       c->name, m->outputs.classes.name[0]));
    m->outputs.classes.coding = coding_of(f);
    if (m->outputs.classes.coding == GI_CODING_PAIRS &&
        m->outputs.classes.count > 2 && gi_machine_is_squared(m))
        GI_TRY(gi_fail(GRAM_ERR_RANGE,
                       "classes: loss squared tells each from the rest, not in "
                       "pairs"));
    m->outputs.classes.link =
        gi_loss_has(loss, GRAM_LOSS_LOG_ODDS) ||
                m->outputs.classes.coding == GI_CODING_JOINT
            ? GI_LINK_LOGISTIC
            : GI_LINK_NONE;
    m->outputs.count = gi_classes_functions(&m->outputs.classes);
    GI_TRY(make_room(f));
    GI_TRY(weigh_classes(f, code));
    for (size_t q = 0; q < m->outputs.count; q++) {
        m->outputs.shift[q] = 0;
        for (size_t i = 0; i < m->expansion.n; i++)
            m->training.y[i * m->outputs.count + q] =
                gi_classes_sign(&m->outputs.classes, q, (size_t)code[i]);
    }
done:
    gi_free(code);
    return status;
}

/* ----------------------------------------------------------------- targets */

static gram_status read_regression(gi_fit *f)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;
    const gram_table *t = gi_fit_table(f);
    size_t target = 0;

    m->outputs.count = m->outputs.losses > 1     ? m->outputs.losses
                       : m->outputs.target_count ? m->outputs.target_count
                                                 : 1;
    GI_TRY(make_room(f));
    for (size_t j = 0; j < t->cols; j++)
        if (t->column[j].role == GRAM_ROLE_TARGET && m->outputs.target_count)
            read_numbers(m, &t->column[j], target++);
    for (; target < m->outputs.count;
         target++) { /* more quantiles, or novelty */
        m->outputs.shift[target] = 0;
        for (size_t i = 0; i < m->expansion.n; i++)
            m->training.y[i * m->outputs.count + target] =
                m->outputs.target_count ? m->training.y[i * m->outputs.count]
                                        : 1;
    }
done:
    return status;
}

static gram_status keep_names(gi_fit *f)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;
    size_t k = 0;

    GI_TRY(GI_NEW_ZERO(f->run, m->outputs.target, m->outputs.target_count));
    GI_TRY(
        GI_NEW_ZERO(f->run, m->outputs.target_type, m->outputs.target_count));
    for (size_t j = 0; j < f->table->cols && k < m->outputs.target_count; j++) {
        const gi_column *c = &f->table->column[j];

        if (c->role != GRAM_ROLE_TARGET)
            continue;
        m->outputs.target_type[k] = (int)c->type;
        GI_TRY(gi_strndup(f->run, c->name, strlen(c->name),
                          &m->outputs.target[k++]));
    }
done:
    return status;
}

/* All that the table says, once the loss is known. */
static gram_status read_table(gi_fit *f, const gi_column *first)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;
    const gram_table *t;

    GI_TRY(check_columns(f, first));
    GI_TRY(gi_fit_complete(f));
    t = gi_fit_table(f);
    for (size_t j = 0; !f->classes && j < t->cols; j++)
        if (t->column[j].role == GRAM_ROLE_TARGET && m->outputs.target_count)
            GI_TRY(check_target(m->outputs.loss, &t->column[j], t->rows));
    GI_TRY(keep_names(f));
    GI_TRY(read_noise(f));
    m->training.rows = m->expansion.n;
    if (m->training.noise_column && (f->classes || !gi_machine_is_squared(m)))
        GI_TRY(gi_fail(GRAM_ERR_RANGE,
                       "noise column \"%s\": loss %s%s has no noise variances",
                       m->training.noise_column, m->outputs.loss_text,
                       f->classes ? " of classes" : ""));
    if (m->expansion.n == 0)
        GI_TRY(gi_fail(GRAM_ERR_SHAPE,
                       f->table->rows ? "no rows: all weights are 0"
                                      : "no rows: a fit needs at least one"));
    if (f->o->class_weights && !f->classes)
        GI_TRY(gi_fail(GRAM_ERR_RANGE,
                       "class weights: loss %s has numbers as targets, not "
                       "classes",
                       m->outputs.loss_text));
    if (f->classes && count_targets(gi_fit_table(f), &first))
        GI_TRY(read_classes(f, first));
    else
        GI_TRY(read_regression(f));
done:
    return status;
}

gram_status gi_fit_targets(gi_fit *f)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;
    const gi_column *first;

    m->outputs.target_count = count_targets(f->table, &first);
    GI_TRY(gi_fit_task(f, first, m->outputs.target_count));
    if (m->outputs.loss->class_->flags & GRAM_LOSS_NOVELTY)
        m->outputs.target_count = 0;
    GI_TRY(gi_table_context(read_table(f, first), f->table));
    for (size_t q = 0; q < m->outputs.count; q++)
        GI_TRY(gi_machine_name_output(f->run, m, q));
done:
    return status;
}
