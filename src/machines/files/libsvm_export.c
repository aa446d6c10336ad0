/* libsvm_export.c - a machine as a LIBSVM model, where LIBSVM has the like: a
 * support vector machine for classes, numbers or novelty, with one of its five
 * kernels on columns of numbers or one sparse block.
 *
 * Its nu-machines are written as LIBSVM writes them: by what they found.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/expression/kernel.h"
#include "machines/files/libsvm_machine.h"

/* ------------------------------------------------------------------ kernel */

static double value_of(const gram_program *p, int slot)
{
    return p->theta[p->first_theta[slot]];
}

/* The parameter of that name of a leaf. */
static double argument(const gram_program *program, const gi_kernel_node *leaf,
                       const char *name)
{
    for (size_t p = 0; leaf->class_->params && leaf->class_->params[p].name;
         p++)
        if (strcmp(leaf->class_->params[p].name, name) == 0)
            return leaf->slot[p] >= 0 ? value_of(program, leaf->slot[p])
                                      : leaf->arg[p];
    return NAN;
}

static int is_leaf(const gi_kernel_node *node, const char *name)
{
    return node->kind == GI_KERNEL_LEAF &&
           strcmp(node->class_->name, name) == 0;
}

static int is_ard(const gram_kernel *k, const gi_kernel_node *leaf)
{
    for (size_t p = 0; leaf->class_->params[p].name; p++)
        if (leaf->slot[p] >= 0 && k->slot[leaf->slot[p]].per_column)
            return 1;
    return 0;
}

/* (gamma*linear + coef0)^degree, which poly is where it takes the numbers. */
static int is_power(const gram_program *p, const gi_kernel_node *node,
                    gi_libsvm *l)
{
    const gi_kernel_node *sum = node->kids, *product, *offset;

    if (node->kind != GI_KERNEL_POWER || sum->kind != GI_KERNEL_SUM)
        return 0;
    product = sum->kids;
    offset = product->next;
    if (!offset || offset->next || offset->kind != GI_KERNEL_CONSTANT ||
        product->minus || product->kind != GI_KERNEL_PRODUCT ||
        product->kids->kind != GI_KERNEL_CONSTANT ||
        !is_leaf(product->kids->next, "linear") || product->kids->next->next)
        return 0;
    l->kernel = GI_LIBSVM_POLY;
    l->degree = (int)node->exponent;
    l->gamma = value_of(p, *product->kids->slot);
    l->coef0 = value_of(p, *offset->slot) * (offset->minus ? -1 : 1);
    return node->exponent == l->degree;
}

/* Is it one of LIBSVM's? */
static int take_kernel(const gram_program *p, gi_libsvm *l)
{
    const gi_kernel_node *root = p->kernel->root;

    if (is_leaf(root, "linear"))
        l->kernel = GI_LIBSVM_LINEAR;
    else if (is_leaf(root, "precomputed"))
        l->kernel = GI_LIBSVM_PRECOMPUTED;
    else if (is_leaf(root, "rbf") && !is_ard(p->kernel, root)) {
        l->kernel = GI_LIBSVM_RBF;
        l->gamma = argument(p, root, "gamma");
    } else if (is_leaf(root, "poly")) {
        l->kernel = GI_LIBSVM_POLY;
        l->degree = (int)argument(p, root, "degree");
        l->gamma = argument(p, root, "gamma");
        l->coef0 = argument(p, root, "offset");
    } else if (is_leaf(root, "sigmoid")) {
        l->kernel = GI_LIBSVM_SIGMOID;
        l->gamma = argument(p, root, "a");
        l->coef0 = argument(p, root, "c");
    } else
        return is_power(p, root, l);
    return 1;
}

/* ------------------------------------------------------------ what is there */

static int is_loss(const gi_loss *loss, const char *name)
{
    return strcmp(loss->class_->name, name) == 0;
}

static gram_status take_type(const gram_machine *m, gi_libsvm *l)
{
    const gi_loss *loss = m->outputs.loss;
    int pairs = m->outputs.classes.coding == GI_CODING_PAIRS;

    if (is_loss(loss, "hinge") && pairs)
        l->type = loss->arg[0] > 0 ? GI_LIBSVM_NU_SVC : GI_LIBSVM_C_SVC;
    else if (is_loss(loss, "epsilon_insensitive"))
        l->type = loss->arg[1] > 0 ? GI_LIBSVM_NU_SVR : GI_LIBSVM_EPSILON_SVR;
    else if (is_loss(loss, "one_class"))
        l->type = GI_LIBSVM_ONE_CLASS;
    else
        return gi_fail(
            GRAM_ERR_RANGE,
            "a model with loss %s%s: LIBSVM has hinge (one against one), "
            "epsilon_insensitive and one_class",
            m->outputs.loss_text,
            is_loss(loss, "hinge") ? ", one against the rest" : "");
    l->classes = pairs ? m->outputs.classes.count : 2;
    return GRAM_OK;
}

static gram_status check_columns(const gram_machine *m)
{
    const gram_table *t = m->expansion.table;

    for (size_t j = 0; j < t->cols; j++) {
        gram_type type = t->column[j].type;

        if (type == GRAM_TYPE_SPARSE &&
            (t->cols > 1 || m->expansion.kernel->root->columns))
            return gi_fail(GRAM_ERR_SHAPE,
                           "column \"%s\" is a sparse block: LIBSVM's models "
                           "have it alone and whole",
                           t->column[j].name);
        if (type == GRAM_TYPE_CATEGORY || type == GRAM_TYPE_TEXT)
            return gi_fail(GRAM_ERR_SHAPE,
                           "column \"%s\" is a %s column: LIBSVM's models have "
                           "numbers",
                           t->column[j].name, gram_type_name(type));
    }
    return GRAM_OK;
}

/* place[k] of class k among the labels. */
static gram_status take_order(const gram_machine *m, const char *const *order,
                              size_t *place)
{
    const gi_classes *c = &m->outputs.classes;

    for (size_t k = 0; k < c->count; k++) {
        size_t at = c->order ? c->order[k] : k;

        if (order)
            for (at = 0; at < c->count && strcmp(order[at], c->name[k]) != 0;)
                at++;
        if (at == c->count)
            return gi_fail(GRAM_ERR_NAME,
                           "class \"%s\" is not in the order of classes",
                           c->name[k]);
        place[k] = at;
    }
    return GRAM_OK;
}

static gram_status take_labels(gi_run *run, const gram_machine *m,
                               const size_t *place, gi_libsvm *l)
{
    gram_status status = GRAM_OK;
    const gi_classes *c = &m->outputs.classes;

    GI_TRY(GI_NEW(run, l->label, c->count));
    GI_TRY(GI_NEW_ZERO(run, l->count, c->count));
    for (size_t k = 0; k < c->count; k++) {
        char *end;
        long x;

        errno = 0;
        x = strtol(c->name[k], &end, 10);
        if (end == c->name[k] || *end || errno || x < INT_MIN || x > INT_MAX)
            return gi_fail(GRAM_ERR_RANGE,
                           "class \"%s\": LIBSVM's classes are whole numbers",
                           c->name[k]);
        l->label[place[k]] = (int)x;
    }
done:
    return status;
}

/* -------------------------------------------------------------------- rows */

/* The class of row i, from its y in the functions (0, 1), (0, 2), ... */
static size_t class_of(const gram_machine *m, size_t i)
{
    const double *y = m->training.y + i * m->outputs.count;

    if (m->outputs.classes.coding == GI_CODING_NONE)
        return 0;
    for (size_t b = 1; b < m->outputs.classes.count; b++)
        if (y[b - 1] > 0)
            return b;
    return 0;
}

static int has_alpha(const gram_machine *m, size_t i)
{
    for (size_t q = 0; q < m->outputs.count; q++)
        if (m->expansion.solution[q].alpha[i] != 0)
            return 1;
    return 0;
}

/* Support vectors in the order of the file: row[s]; l->count. */
static gram_status take_rows(gi_run *run, const gram_machine *m,
                             const size_t *place, gi_libsvm *l, size_t **row)
{
    gram_status status = GRAM_OK;
    size_t *next = NULL, groups = l->label ? l->classes : 1;

    GI_TRY(GI_NEW_ZERO(run, next, groups + 1));
    GI_TRY(GI_NEW(run, *row, m->expansion.n));
    for (size_t i = 0; i < m->expansion.n; i++)
        if (has_alpha(m, i))
            next[place[class_of(m, i)] + 1]++;
    for (size_t c = 0; c < groups; c++) {
        if (l->count)
            l->count[c] = next[c + 1];
        next[c + 1] += next[c];
    }
    l->n = next[groups];
    for (size_t i = 0; i < m->expansion.n; i++)
        if (has_alpha(m, i))
            (*row)[next[place[class_of(m, i)]]++] = i;
done:
    gi_free(next);
    return status;
}

/* What is not zero of row i, behind entry *e; counted only if l->x.index is
 * NULL. */
static void take_features(const gram_machine *m, size_t i, gi_libsvm *l,
                          size_t *e)
{
    const gram_table *t = m->expansion.table;

    for (size_t j = 0; j < t->cols; j++) {
        const gi_column *c = &t->column[j];
        int sparse = c->type == GRAM_TYPE_SPARSE;
        size_t from = sparse ? c->sparse.start[i] : i;
        size_t to = sparse ? c->sparse.start[i + 1] : i + 1;

        for (size_t at = from; at < to; at++) {
            double x = sparse ? c->sparse.entries[at] : c->values[at];

            if (x == 0)
                continue;
            if (l->x.index) {
                l->x.index[*e] = sparse ? c->sparse.index[at] : (unsigned)j;
                l->x.entries[*e] = x;
            }
            ++*e;
        }
    }
}

static gram_status take_vectors(gi_run *run, const gram_machine *m,
                                const size_t *serial, const size_t *row,
                                gi_libsvm *l)
{
    gram_status status = GRAM_OK;
    size_t e = 0;

    GI_TRY(GI_NEW_ZERO(run, l->x.start, l->n + 1));
    if (l->kernel == GI_LIBSVM_PRECOMPUTED) {
        GI_TRY(GI_NEW(run, l->serial, l->n));
        for (size_t s = 0; s < l->n; s++) {
            size_t i = (size_t)m->training.row[row[s]];

            l->serial[s] = serial ? serial[i] : i + 1;
        }
        return status;
    }
    for (size_t s = 0; s < l->n; s++)
        take_features(m, row[s], l, &e);
    GI_TRY(GI_NEW(run, l->x.entries, e));
    GI_TRY(GI_NEW(run, l->x.index, e));
    e = 0;
    for (size_t s = 0; s < l->n; s++) {
        take_features(m, row[s], l, &e);
        l->x.start[s + 1] = e;
    }
done:
    return status;
}

/* --------------------------------------------------------------- functions */

/* Function q of the machine, in the model's place and sign. */
static void take_function(const gram_machine *m, size_t q, const size_t *place,
                          const size_t *row, gi_libsvm *l)
{
    const gi_solution *solution = &m->expansion.solution[q];
    gi_libsvm_function f = {.i = 0, .j = 1, .pair = 0, .sign = 1};
    size_t a, b, s = 0;

    if (l->label) {
        gi_classes_pair(&m->outputs.classes, q, &a, &b);
        f = gi_libsvm_locate(place, l->classes, a, b);
    }
    /* + 0: a minus before zero is not written */
    l->rho[f.pair] = -f.sign * m->outputs.constant[q] + 0.0;
    for (size_t of = 0; s < l->n; of++)
        for (size_t end = l->count ? s + l->count[of] : l->n; s < end; s++) {
            double *coef = gi_libsvm_coef(l, s, of, f.i, f.j);

            if (coef)
                *coef = f.sign * solution->alpha[row[s]] + 0.0;
        }
    if (l->prob_a && l->label) {
        l->prob_a[f.pair] = m->outputs.classes.sigmoid[2 * q];
        l->prob_b[f.pair] =
            f.sign * m->outputs.classes.sigmoid[2 * q + 1] + 0.0;
    }
}

/* A one-class machine of LIBSVM has coefficients that add up to nu n. */
static void scale_novelty(const gram_machine *m, gi_libsvm *l)
{
    double sum = 0, wanted = m->outputs.loss->arg[0] * (double)m->training.rows;

    for (size_t s = 0; s < l->n; s++)
        sum += l->coef[s];
    if (isnan(m->outputs.lambda[0]) || !(sum > 0))
        return; /* LIBSVM's own */
    for (size_t s = 0; s < l->n; s++)
        l->coef[s] *= wanted / sum;
    l->rho[0] *= wanted / sum;
}

static gram_status take_functions(gi_run *run, const gram_machine *m,
                                  const size_t *place, const size_t *row,
                                  double laplace, gi_libsvm *l)
{
    gram_status status = GRAM_OK;
    double scale = laplace > 0 ? laplace : sqrt(m->outputs.variance[0] / 2);

    GI_TRY(GI_NEW_ZERO(run, l->coef, l->n * (l->classes - 1)));
    GI_TRY(GI_NEW(run, l->rho, m->outputs.count));
    if (m->outputs.classes.link == GI_LINK_SIGMOID) {
        GI_TRY(GI_NEW(run, l->prob_a, m->outputs.count));
        GI_TRY(GI_NEW(run, l->prob_b, m->outputs.count));
    } else if (l->type >= GI_LIBSVM_EPSILON_SVR && scale > 0) {
        GI_TRY(GI_NEW(run, l->prob_a, 1));
        l->prob_a[0] = scale;
    }
    for (size_t q = 0; q < m->outputs.count; q++)
        take_function(m, q, place, row, l);
    if (l->type == GI_LIBSVM_ONE_CLASS)
        scale_novelty(m, l);
done:
    return status;
}

/* ------------------------------------------------------------------- model */

static gram_status make_model(gi_run *run, const gram_machine *m,
                              const gram_libsvm_options *o, gi_libsvm *l)
{
    gram_status status = GRAM_OK;
    size_t *row = NULL, *place = NULL;

    GI_TRY(take_type(m, l));
    if (!take_kernel(m->expansion.program, l))
        GI_TRY(gi_fail(GRAM_ERR_RANGE,
                       "kernel %.80s: LIBSVM has linear, poly, rbf, sigmoid "
                       "and precomputed, without scaling",
                       m->expansion.text));
    GI_TRY(check_columns(m));
    for (size_t q = 0; q < m->expansion.solutions; q++)
        if (!m->expansion.solution[q].alpha)
            GI_TRY(gi_fail(GRAM_ERR_RANGE,
                           "a model with weights of features only, LIBSVM's "
                           "have support vectors (solver smo makes them)"));
    GI_TRY(GI_NEW_ZERO(run, place, m->outputs.classes.count + 1));
    if (gi_libsvm_classifies(l->type)) {
        GI_TRY(take_order(m, o->order, place));
        GI_TRY(take_labels(run, m, place, l));
    }
    GI_TRY(take_rows(run, m, place, l, &row));
    GI_TRY(take_vectors(run, m, o->serial, row, l));
    GI_TRY(take_functions(run, m, place, row, o->laplace, l));
done:
    gi_free(row);
    gi_free(place);
    return status;
}

gram_status gram_machine_save_libsvm(const gram_machine *m, const char *path,
                                     const gram_libsvm_options *options,
                                     const gram_exec *exec)
{
    const gram_libsvm_options none = {0};
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    gi_libsvm l = {0};
    gi_output *out = NULL;
    gi_buf text = {0};

    GI_TRY(make_model(&run, m, options ? options : &none, &l));
    GI_TRY(gi_libsvm_print(&run, &l, &text));
    GI_TRY(gi_output_open(&run, path, &out));
    GI_TRY(gi_output_write(out, text.s, text.n));
    GI_TRY(gi_output_commit(out));
done:
    gi_output_free(out);
    gi_buf_free(&text);
    gi_libsvm_free(&l);
    return status;
}
