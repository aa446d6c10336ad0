/* loss.c - losses by name, from text and back.
 */
#include "losses/loss.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/bind.h"
#include "base/registry.h"

#define LOSS(word) extern const gram_loss_class gi_loss_##word;
#include "losses/losses.def"
#undef LOSS

#define LOSS(word) {.name = #word, .class_ = &gi_loss_##word},
static const gi_entry builtin[] = {
#include "losses/losses.def"
    {.name = NULL}};
#undef LOSS

static gi_registry losses = {
    .what = "loss",
    .builtin = builtin,
    .lock = PTHREAD_MUTEX_INITIALIZER,
};

/* ----------------------------------------------------------------- registry */

gram_status gram_loss_register(const gram_loss_class *class_)
{
    size_t count = gi_param_count(class_->params);

    if (count > GI_LOSS_ARGS)
        return gi_fail(GRAM_ERR_RANGE,
                       "loss \"%s\": %zu parameters, at most %d", class_->name,
                       count, GI_LOSS_ARGS);
    if (class_->flags & GRAM_LOSS_JOINT)
        return gi_fail(GRAM_ERR_RANGE,
                       "loss \"%s\": no loss but softmax may be joint",
                       class_->name);
    return gi_registry_add(
        &losses, class_->name, class_->params,
        class_->value && class_->slope &&
            (class_->curvature || !(class_->flags & GRAM_LOSS_SMOOTH)),
        class_);
}

const gram_loss_class *gram_loss_at(size_t i)
{
    return gi_registry_at(&losses, i);
}

const gram_loss_class *gi_loss_find(const char *name)
{
    return gi_registry_find(&losses, name);
}

const gram_loss_class *gi_loss_with(unsigned flags)
{
    const gram_loss_class *c;

    for (size_t i = 0; (c = gram_loss_at(i)) != NULL; i++)
        if ((c->flags & flags) == flags)
            return c;
    return NULL;
}

double gi_loss_nu(const gi_loss *loss)
{
    const gram_param *params = loss->class_->params;

    for (size_t i = 0; params && params[i].name; i++)
        if (strcmp(params[i].name, "nu") == 0)
            return loss->arg[i];
    return 0;
}

int gi_loss_accepts(const gi_loss *loss, double y, const char **why)
{
    const gram_loss_class *c = loss->class_;

    *why = "must be a finite number";
    if (!isfinite(y))
        return 0;
    *why = "must be -1 or 1";
    if ((c->flags & GRAM_LOSS_CLASSES) && !(c->flags & GRAM_LOSS_JOINT) &&
        fabs(y) != 1)
        return 0;
    return !c->accepts || c->accepts(loss->arg, y, why);
}

/* ------------------------------------------------------------------ reading */

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Read a list into parameter `which` of *count losses, ascending. */
static gram_status spread(gi_run *run, const gi_spec *spec, const gi_node *list,
                          size_t which, gi_loss **out, size_t *count)
{
    const gi_loss first = **out;
    double *x = NULL;
    size_t n = 0;
    gram_status status;

    for (const gi_node *k = list; k; k = k->next)
        n++;
    GI_TRY(GI_NEW(run, x, n));
    n = 0;
    for (const gi_node *k = list; k; k = k->next)
        x[n++] = k->number;
    qsort(x, n, sizeof *x, compare_numbers);
    GI_TRY(GI_GROW(run, *out, n));
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && x[i] == x[i - 1])
            GI_TRY(gi_spec_fail(spec, list->at, GRAM_ERR_RANGE,
                                "%s: %s = %g twice", first.class_->name,
                                first.class_->params[which].name, x[i]));
        (*out)[i] = first;
        (*out)[i].arg[which] = x[i];
    }
    *count = n;
done:
    gi_free(x);
    return status;
}

/* The arguments of the call: one loss, and several from a list. */
static gram_status read_args(gi_run *run, const gi_spec *spec, gi_loss **out,
                             size_t *count)
{
    const gram_param *params = (*out)->class_->params;
    const size_t n = gi_param_count(params);
    gi_value value[GI_PARAMS_MAX];
    size_t list = n;
    gram_status status;

    GI_TRY(gi_params_bind(spec, spec->root, params, value));
    for (size_t i = 0; i < n; i++) {
        if (value[i].list && list < n)
            GI_TRY(gi_spec_fail(spec, value[i].given->at, GRAM_ERR_PARSE,
                                "%s: only one of its numbers may be a list",
                                spec->root->name));
        list = value[i].list ? i : list;
        (*out)->arg[i] = value[i].number;
    }
    if (list < n)
        GI_TRY(spread(run, spec, value[list].list, list, out, count));
done:
    return status;
}

gram_status gi_losses_new(gi_run *run, const char *text, gi_loss **out,
                          size_t *count)
{
    gi_spec *spec = NULL;
    gi_loss *loss = NULL;
    const gi_node *call;
    char hint[128];
    gram_status status;

    *out = NULL;
    *count = 1;
    GI_TRY(gi_spec_parse(run, losses.what, text, &spec));
    call = spec->root;
    if (call->kind != GI_NODE_CALL)
        GI_TRY(gi_spec_fail(spec, call->at, GRAM_ERR_PARSE,
                            "%s, expected the name of a loss",
                            gi_node_noun(call)));
    if (call->columns)
        GI_TRY(gi_spec_fail(spec, call->columns->at, GRAM_ERR_PARSE,
                            "a loss has no columns"));
    GI_TRY(GI_NEW_ZERO(run, loss, 1));
    loss->class_ = gi_loss_find(call->name);
    if (!loss->class_)
        GI_TRY(gi_spec_fail(
            spec, call->at, GRAM_ERR_NAME, "no loss \"%s\"%s", call->name,
            gi_registry_hint(&losses, call->name, hint, sizeof hint)));
    GI_TRY(read_args(run, spec, &loss, count));
    *out = loss;
    loss = NULL;
done:
    gi_free(loss);
    gi_spec_free(spec);
    return status;
}

/* ------------------------------------------------------------------ writing */

/* Value of a parameter, or the list of its values. */
static gram_status print_value(gi_run *run, const gi_loss *loss, size_t count,
                               size_t which, gi_buf *b)
{
    char number[GI_NUMBER_ROOM];
    gram_status status = GRAM_OK;

    for (size_t i = 0; i < count; i++) {
        gi_number_print(loss[i].arg[which], number);
        GI_TRY(gi_buf_printf(run, b, "%s%s", i ? "," : "", number));
    }
done:
    return status;
}

gram_status gi_losses_text(gi_run *run, const gi_loss *loss, size_t count,
                           char **out)
{
    const gram_param *params = loss->class_->params;
    const size_t n = gi_param_count(params);
    const char *between = "(";
    gi_buf b = {0};
    gram_status status;

    *out = NULL;
    GI_TRY(gi_buf_printf(run, &b, "%s", loss->class_->name));
    for (size_t i = 0; i < n; i++) {
        int list = count > 1 && loss[0].arg[i] != loss[1].arg[i];

        if (!list && loss->arg[i] == params[i].value)
            continue;
        GI_TRY(gi_buf_printf(run, &b, "%s%s=%s", between, params[i].name,
                             list ? "[" : ""));
        GI_TRY(print_value(run, loss, list ? count : 1, i, &b));
        GI_TRY(gi_buf_printf(run, &b, "%s", list ? "]" : ""));
        between = ",";
    }
    if (*between == ',')
        GI_TRY(gi_buf_printf(run, &b, ")"));
    *out = b.s;
    b.s = NULL;
done:
    gi_buf_free(&b);
    return status;
}
