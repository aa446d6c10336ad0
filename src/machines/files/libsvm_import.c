/* libsvm_import.c - the machine of a LIBSVM model.
 *
 * Features 1, 2, ... become the sparse block that LIBSVM's data are read as.
 * A precomputed kernel needs the rows of new matrices only at the support
 * vectors' numbers,
 *
 *     f(x) = sum_s c_s K(x, x_s) = sum_s c_s row(x)[number of s],
 *
 * which is a linear kernel between that row and unit vectors.  What a model
 * does not say (lambda, epsilon, nu, how it went) is unknown to the machine.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "machines/files/libsvm_machine.h"

static const char *const losses[] = {
    [GI_LIBSVM_C_SVC] = "hinge",
    [GI_LIBSVM_NU_SVC] = "hinge",
    [GI_LIBSVM_ONE_CLASS] = "one_class",
    [GI_LIBSVM_EPSILON_SVR] = "epsilon_insensitive",
    [GI_LIBSVM_NU_SVR] = "epsilon_insensitive",
};

gi_libsvm_function gi_libsvm_locate(const size_t *place, size_t k, size_t a,
                                    size_t b)
{
    int same = place[b] < place[a];
    size_t i = same ? place[b] : place[a], j = same ? place[a] : place[b];

    return (gi_libsvm_function){.i = i,
                                .j = j,
                                .pair = i * k - i * (i + 1) / 2 + j - i - 1,
                                .sign = same ? 1 : -1};
}

double *gi_libsvm_coef(const gi_libsvm *m, size_t s, size_t of, size_t i,
                       size_t j)
{
    double *coef = m->coef + s * (m->classes - 1);

    return of == i ? coef + j - 1 : of == j ? coef + i : NULL;
}

/* ------------------------------------------------------------------ kernel */

static gram_status put_argument(gi_run *run, gi_buf *b, const char *before,
                                double x)
{
    gram_status status = GRAM_OK;
    char text[GI_NUMBER_ROOM];
    size_t n = gi_number_print(x, text);

    GI_TRY(gi_buf_printf(run, b, "%s%.*s", before, (int)n, text));
done:
    return status;
}

/* poly is a kernel and takes no negative numbers; the sum with them is not. */
static gram_status put_poly(gi_run *run, const gi_libsvm *l, gi_buf *b)
{
    gram_status status = GRAM_OK;
    int is_kernel = l->gamma >= 0 && l->coef0 >= 0;

    GI_TRY(put_argument(run, b, is_kernel ? "poly(gamma=" : "(", l->gamma));
    GI_TRY(
        put_argument(run, b, is_kernel ? ", offset=" : "*linear + ", l->coef0));
    GI_TRY(
        gi_buf_printf(run, b, is_kernel ? ", degree=%d)" : ")^%d", l->degree));
done:
    return status;
}

static gram_status put_kernel(gi_run *run, const gi_libsvm *l, gi_buf *b)
{
    gram_status status = GRAM_OK;

    switch (l->kernel) {
    case GI_LIBSVM_POLY:
        return put_poly(run, l, b);
    case GI_LIBSVM_RBF:
        GI_TRY(put_argument(run, b, "rbf(gamma=", l->gamma));
        return gi_buf_printf(run, b, ")");
    case GI_LIBSVM_SIGMOID:
        GI_TRY(put_argument(run, b, "sigmoid(a=", l->gamma));
        GI_TRY(put_argument(run, b, ", c=", l->coef0));
        return gi_buf_printf(run, b, ")");
    default:
        return gi_buf_printf(run, b, "linear");
    }
done:
    return status;
}

/* -------------------------------------------------------------------- rows */

/* Unit vectors for a precomputed kernel. */
static gram_status add_units(gi_run *run, const gi_libsvm *l, gram_table *t)
{
    gram_status status = GRAM_OK;
    size_t *start = NULL, width = 0;
    unsigned *index = NULL;
    double *one = NULL;

    GI_TRY(GI_NEW_ZERO(run, start, t->rows + 1));
    GI_TRY(GI_NEW(run, index, t->rows));
    GI_TRY(GI_NEW(run, one, t->rows));
    for (size_t s = 0; s < l->n; s++) {
        index[s] = (unsigned)(l->serial[s] - 1);
        one[s] = 1;
        start[s + 1] = s + 1;
        width = l->serial[s] > width ? l->serial[s] : width;
    }
    GI_TRY(gram_table_add_sparse(t, "features", width, start, index, one));
done:
    gi_free(start);
    gi_free(index);
    gi_free(one);
    return status;
}

/* The support vectors; a model without any has one row that is empty. */
static gram_status make_table(gi_run *run, const gi_libsvm *l, gram_machine *m)
{
    static const size_t empty[2] = {0, 0};
    gram_status status = GRAM_OK;

    m->expansion.n = m->training.rows = l->n ? l->n : 1;
    GI_TRY(gram_table_new(m->expansion.n, &m->expansion.table));
    if (l->serial)
        GI_TRY(add_units(run, l, m->expansion.table));
    else
        GI_TRY(gram_table_add_sparse(m->expansion.table, "features", l->x.width,
                                     l->n ? l->x.start : empty, l->x.index,
                                     l->x.entries));
    GI_TRY(GI_NEW(run, m->training.row, m->expansion.n));
    for (size_t i = 0; i < m->expansion.n; i++)
        m->training.row[i] = (double)i;
done:
    return status;
}

/* ----------------------------------------------------------------- classes */

typedef struct named {
    char *name;
    size_t place; /* among the model's labels */
} named;

static int compare(const void *a, const void *b)
{
    return gi_name_compare(((const named *)a)->name, ((const named *)b)->name);
}

/* Names of the classes, sorted; m->outputs.classes.order is where the model has
 * them. */
static gram_status make_classes(gi_run *run, const gi_libsvm *l,
                                gram_machine *m)
{
    gram_status status = GRAM_OK;
    gi_classes *c = &m->outputs.classes;
    named *list = NULL;

    GI_TRY(GI_NEW_ZERO(run, list, l->classes));
    GI_TRY(GI_NEW_ZERO(run, c->name, l->classes));
    GI_TRY(GI_NEW(run, c->order, l->classes));
    for (size_t k = 0; k < l->classes; k++) {
        char text[24];
        int n = snprintf(text, sizeof text, "%d", l->label[k]);

        list[k].place = k;
        GI_TRY(gi_strndup(run, text, (size_t)n, &list[k].name));
    }
    qsort(list, l->classes, sizeof *list, compare);
    c->coding = GI_CODING_PAIRS;
    c->count = l->classes;
    for (size_t k = 0; k < l->classes; k++) {
        c->name[k] = list[k].name;
        c->order[k] = list[k].place;
        list[k].name = NULL;
    }
done:
    for (size_t k = 0; list && k < l->classes; k++)
        gi_free(list[k].name);
    gi_free(list);
    return status;
}

/* --------------------------------------------------------------- functions */

/* Arrays with one entry a function. */
static gram_status make_room(gi_run *run, gram_machine *m)
{
    gram_status status = GRAM_OK;
    double **array[] = {&m->outputs.shift,     &m->outputs.lambda,
                        &m->outputs.amplitude, &m->outputs.variance,
                        &m->outputs.evidence,  &m->outputs.constant};

    for (size_t k = 0; k < sizeof array / sizeof *array; k++) {
        GI_TRY(GI_NEW(run, *array[k], m->outputs.count));
        for (size_t q = 0; q < m->outputs.count; q++)
            (*array[k])[q] = array[k] == &m->outputs.shift ? 0 : NAN;
    }
    GI_TRY(GI_NEW_ZERO(run, m->training.y, m->expansion.n * m->outputs.count));
    GI_TRY(GI_NEW_ZERO(run, m->outputs.name, m->outputs.count));
    GI_TRY(GI_NEW_ZERO(run, m->expansion.solution, m->outputs.count));
    m->expansion.solutions = m->outputs.count;
done:
    return status;
}

/* A function that takes nothing from the model but numbers. */
static gram_status make_solution(gi_run *run, gram_machine *m, size_t q,
                                 double constant)
{
    gram_status status = GRAM_OK;
    gi_solution *s = &m->expansion.solution[q];

    GI_TRY(gi_solver_find("smo", &s->solver));
    GI_TRY(GI_NEW_ZERO(run, s->alpha, m->expansion.n));
    GI_TRY(GI_NEW(run, s->intercept, 1));
    s->intercept[0] = m->outputs.constant[q] = constant;
    s->precision = gi_solution_precisions[0];
    s->converged = 1;
    s->rank = m->expansion.n;
    s->residual = s->condition = s->objective = s->gap = s->gradient = NAN;
    s->lambda = s->epsilon = NAN;
done:
    return status;
}

/* Function q of a classifier: its rows, their y, its sigmoid. */
static gram_status take_pair(gi_run *run, const gi_libsvm *l, gram_machine *m,
                             size_t q)
{
    gram_status status = GRAM_OK;
    gi_classes *c = &m->outputs.classes;
    gi_libsvm_function f;
    size_t a, b, s = 0;

    gi_classes_pair(c, q, &a, &b);
    f = gi_libsvm_locate(c->order, l->classes, a, b);
    GI_TRY(make_solution(run, m, q, -f.sign * l->rho[f.pair]));
    for (size_t of = 0; of < l->classes; of++)
        for (size_t end = s + l->count[of]; s < end; s++) {
            const double *coef = gi_libsvm_coef(l, s, of, f.i, f.j);

            m->expansion.solution[q].alpha[s] = coef ? f.sign * *coef : 0;
            m->training.y[s * m->outputs.count + q] = of == c->order[b]   ? 1
                                                      : of == c->order[a] ? -1
                                                                          : 0;
        }
    if (c->sigmoid && l->prob_a && l->prob_b) {
        c->sigmoid[2 * q] = l->prob_a[f.pair];
        c->sigmoid[2 * q + 1] = f.sign * l->prob_b[f.pair];
    }
done:
    return status;
}

/* The one function of regression, or of novelty. */
static gram_status take_one(gi_run *run, const gi_libsvm *l, gram_machine *m)
{
    gram_status status = GRAM_OK;

    GI_TRY(make_solution(run, m, 0, -l->rho[0]));
    for (size_t s = 0; s < l->n; s++)
        m->expansion.solution[0].alpha[s] = l->coef[s];
    /* the variance of Laplace noise */
    if (l->prob_a)
        m->outputs.variance[0] = 2 * l->prob_a[0] * l->prob_a[0];
done:
    return status;
}

static gram_status make_functions(gi_run *run, const gi_libsvm *l,
                                  gram_machine *m)
{
    gram_status status = GRAM_OK;

    m->outputs.count = gi_libsvm_pairs(l->classes);
    GI_TRY(make_room(run, m));
    if (!l->label)
        return take_one(run, l, m);
    if (l->prob_a) {
        GI_TRY(GI_NEW(run, m->outputs.classes.sigmoid, 2 * m->outputs.count));
        m->outputs.classes.link = GI_LINK_SIGMOID;
    }
    for (size_t q = 0; q < m->outputs.count; q++)
        GI_TRY(take_pair(run, l, m, q));
done:
    return status;
}

/* ----------------------------------------------------------------- machine */

static gram_status make_target(gi_run *run, const gi_libsvm *l, gram_machine *m)
{
    gram_status status = GRAM_OK;

    GI_TRY(gi_losses_new(run, losses[l->type], &m->outputs.loss,
                         &m->outputs.losses));
    GI_TRY(gi_losses_text(run, m->outputs.loss, m->outputs.losses,
                          &m->outputs.loss_text));
    m->outputs.target_count = l->type != GI_LIBSVM_ONE_CLASS;
    GI_TRY(GI_NEW_ZERO(run, m->outputs.target, m->outputs.target_count));
    if (m->outputs.target_count)
        GI_TRY(gi_strndup(run, "label", 5, &m->outputs.target[0]));
    m->training.intercept = 1;
    if (l->label)
        GI_TRY(make_classes(run, l, m));
    GI_TRY(make_functions(run, l, m));
    for (size_t q = 0; q < m->outputs.count; q++)
        GI_TRY(gi_machine_name_output(run, m, q));
done:
    return status;
}

static gram_status import(gi_run *run, const char *name, const gi_libsvm *l,
                          gram_machine **out)
{
    gram_status status = GRAM_OK;
    gram_machine *m = NULL;
    gi_buf text = {0};

    if (l->classes < 2)
        return gi_fail(GRAM_ERR_RANGE,
                       "%s: a model of one class, there must be two at least",
                       name);
    GI_TRY(GI_NEW_ZERO(run, m, 1));
    GI_TRY(put_kernel(run, l, &text));
    GI_TRY(gi_context(gi_kernel_new(run, text.s, &m->expansion.kernel), "%s",
                      name));
    GI_TRY(make_table(run, l, m));
    GI_TRY(gi_expansion_compile(run, &m->expansion, NULL));
    GI_TRY(make_target(run, l, m));
    if (l->marks)
        GI_TRY(gi_machine_warn(run, m,
                               "the model's prob_density_marks are left out"));
    gi_machine_summarise(m);
    m->report.criterion = gi_select_names[GRAM_SELECT_NONE];
    m->report.criterion_value = m->report.seconds = NAN;
    gi_machine_refer(m);
    *out = m;
    m = NULL;
done:
    gi_buf_free(&text);
    gram_machine_free(m);
    return status;
}

gram_status gi_libsvm_load(gi_run *run, gi_input *in, gram_machine **out)
{
    gram_status status = GRAM_OK;
    gi_libsvm l = {0};

    GI_TRY(gi_libsvm_read(run, in, &l));
    GI_TRY(import(run, gi_input_name(in), &l, out));
done:
    gi_libsvm_free(&l);
    return status;
}
