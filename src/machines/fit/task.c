/* task.c - are the targets of a fit numbers or classes?
 *
 * What options say comes first, then the type of the target, then the loss.
 * Where only the default loss is left to choose, a number column is one of
 * classes if it has two values in five or more rows, or if it is the label of a
 * LIBSVM file with few of them, all whole; unless its type was given.
 */
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "machines/fit.h"

/* Numbers of more than MOST values are no classes unless that is said; whole
 * numbers of no more than FEW might be.  Of fewer than ROWS rows two values say
 * nothing. */
enum { MOST = 100, FEW = 10, ROWS_OF_EACH = 5, ROWS = GI_TASK_MIN_ROWS };

/* Values of a column of numbers, as far as tasks depend on them. */
typedef struct values {
    size_t count; /* up to MOST + 1 */
    int whole;    /* all of them are */
} values;

static values count_values(const gi_column *c, size_t rows)
{
    double seen[MOST + 1];
    values v = {0, 1};
    size_t k;

    for (size_t i = 0; i < rows && v.count <= MOST; i++) {
        if (isnan(c->values[i]))
            continue;
        for (k = 0; k < v.count && seen[k] != c->values[i]; k++)
            ;
        if (k == v.count)
            seen[v.count++] = c->values[i];
        v.whole &= c->values[i] == floor(c->values[i]);
    }
    return v;
}

/* Is it the label of a LIBSVM file? */
static int is_label(const gram_table *t, const gi_column *c)
{
    if (strcmp(c->name, "label") != 0)
        return 0;
    for (size_t j = 0; j < t->cols; j++)
        if (t->column[j].type == GRAM_TYPE_SPARSE && !t->column[j].sparse.names)
            return 1;
    return 0;
}

/* Number columns that nobody has said anything about. */
static gram_status guess(gi_fit *f, const gi_column *target)
{
    gram_status status = GRAM_OK;
    values v = count_values(target, f->table->rows);
    int label = is_label(f->table, target);

    f->classes = (v.count == 2 && f->table->rows >= ROWS) ||
                 (label && v.whole && v.count > 1 && v.count <= MOST);
    if (label)
        return status;
    if (f->classes)
        GI_TRY(gi_machine_note(f->run, f->m,
                               "target \"%s\" has two values, which are taken "
                               "for classes; --task regression takes them for "
                               "numbers",
                               target->name));
    else if (v.whole && v.count > 2 && v.count <= FEW &&
             f->table->rows >= ROWS_OF_EACH * v.count)
        GI_TRY(gi_machine_note(f->run, f->m,
                               "target \"%s\" has %zu values, all whole, which "
                               "are taken for numbers; --task classification "
                               "takes them for classes",
                               target->name, v.count));
done:
    return status;
}

/* A loss for classes, and a number column that does not look like them. */
static gram_status check_values(const gi_fit *f, const gi_column *target)
{
    if (target->type == GRAM_TYPE_CATEGORY || !target->values ||
        count_values(target, f->table->rows).count <= MOST)
        return GRAM_OK;
    return gi_fail(GRAM_ERR_RANGE,
                   "target \"%s\" has more than %d different numbers, loss %s "
                   "is for classes: take a loss for numbers, as squared, or "
                   "say that they are classes (--task classification)",
                   target->name, MOST, f->m->outputs.loss_text);
}

static gram_status read_loss(gi_fit *f, const char *text)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;

    GI_TRY(gi_losses_new(f->run, text, &m->outputs.loss, &m->outputs.losses));
    GI_TRY(gi_losses_text(f->run, m->outputs.loss, m->outputs.losses,
                          &m->outputs.loss_text));
done:
    return status;
}

/* The loss that is taken when none was asked for. */
static const char *default_loss(int classes)
{
    return gi_loss_with(classes ? GRAM_LOSS_LOG_ODDS : GRAM_LOSS_SQUARED)->name;
}

gram_status gi_fit_task(gi_fit *f, const gi_column *target, size_t targets)
{
    gram_status status = GRAM_OK;
    const gram_fit_options *o = f->o;
    const gram_machine *from = o->from;
    const char *loss = from ? from->outputs.loss_text : o->loss;
    int category = target && target->type == GRAM_TYPE_CATEGORY;
    int open = o->task == GRAM_TASK_AUTO && !category;

    f->classes = o->task == GRAM_TASK_CLASSIFICATION ||
                 (o->task == GRAM_TASK_AUTO && category);
    if (from && open)
        f->classes = from->outputs.classes.coding != GI_CODING_NONE;
    else if (!loss && open && target && targets == 1 && target->values &&
             target->type == GRAM_TYPE_NUMBER && !target->typed)
        GI_TRY(guess(f, target));
    GI_TRY(read_loss(f, loss ? loss : default_loss(f->classes)));
    if (f->m->outputs.loss->class_->flags & GRAM_LOSS_NOVELTY) {
        f->classes = 0;
    } else if ((f->m->outputs.loss->class_->flags & GRAM_LOSS_CLASSES) &&
               target) {
        if (open)
            GI_TRY(check_values(f, target));
        f->classes = o->task != GRAM_TASK_REGRESSION;
    }
done:
    return status;
}
