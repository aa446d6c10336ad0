/* svm_fit.c - LIBSVM's training problems as those of gram: one kernel without
 * scaling, C = 1/(2 lambda), all pairs of classes; and its folds.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "svm_train.h"

/* ------------------------------------------------------------------ problem */

static void add_label(svm_problem *p, int label)
{
    size_t k = 0;

    while (k < p->classes && p->label[k] != label)
        k++;
    if (k == p->classes)
        p->label[p->classes++] = label;
    p->count[k]++;
}

void svm_problem_make(const svm_parameters *o, const svm_data *data,
                      const unsigned char *keep, svm_problem *out)
{
    *out = (svm_problem){.o = o, .data = data};
    out->row = cli_alloc(data->rows, sizeof *out->row);
    out->label = cli_alloc(data->rows, sizeof *out->label);
    out->count = cli_alloc(data->rows, sizeof *out->count);
    for (size_t i = 0; i < data->rows; i++)
        if (!keep || keep[i]) {
            out->row[out->n++] = i;
            if (svm_classifies(o))
                add_label(out, (int)data->label[i]);
        }
    if (out->classes == 2 && out->label[0] == -1 && out->label[1] == 1) {
        size_t count = out->count[0];

        out->label[0] = 1;
        out->label[1] = -1;
        out->count[0] = out->count[1];
        out->count[1] = count;
    }
}

void svm_problem_free(svm_problem *p)
{
    free(p->row);
    free(p->label);
    free(p->count);
}

/* A table of some rows of the data; the label is left out for novelty. */
static int make_table(const svm_problem *p, gram_table **out)
{
    int code = CLI_GOOD;
    const gram_column *x = &p->data->x;
    size_t n = 0, *start = cli_alloc(p->n + 1, sizeof *start);
    unsigned *index;
    double *entries, *label = cli_alloc(p->n, sizeof *label);

    for (size_t i = 0; i < p->n; i++)
        n += x->start[p->row[i] + 1] - x->start[p->row[i]];
    index = cli_alloc(n, sizeof *index);
    entries = cli_alloc(n, sizeof *entries);
    for (size_t i = 0; i < p->n; i++) {
        size_t from = x->start[p->row[i]], to = x->start[p->row[i] + 1];

        memcpy(index + start[i], x->index + from, (to - from) * sizeof *index);
        memcpy(entries + start[i], x->entries + from,
               (to - from) * sizeof *entries);
        start[i + 1] = start[i] + to - from;
        label[i] = p->data->label[p->row[i]];
    }
    CLI_TRY(cli_status(gram_table_new(p->n, out)));
    if (p->o->s != ONE_CLASS) {
        CLI_TRY(cli_status(gram_table_add_numbers(*out, "label", label, 1)));
        CLI_TRY(
            cli_status(gram_table_set_role(*out, "label", GRAM_ROLE_TARGET)));
    }
    CLI_TRY(cli_status(gram_table_add_sparse(*out, "features", x->width, start,
                                             index, entries)));
done:
    free(start);
    free(index);
    free(entries);
    free(label);
    return code;
}

/* -------------------------------------------------------------------- words */

enum { WORDS = 256 };

static void write_kernel(const svm_parameters *o, char text[WORDS])
{
    if (o->t == LINEAR)
        strcpy(text, "linear");
    else if (o->t == RBF)
        snprintf(text, WORDS, "rbf(gamma=%.17g)", o->g);
    else if (o->t == SIGMOID)
        snprintf(text, WORDS, "sigmoid(a=%.17g, c=%.17g)", o->g, o->r);
    else if (o->r >= 0)
        snprintf(text, WORDS, "poly(gamma=%.17g, offset=%.17g, degree=%d)",
                 o->g, o->r, o->d);
    else /* not a kernel, and no poly */
        snprintf(text, WORDS, "(%.17g*linear + %.17g)^%d", o->g, o->r, o->d);
}

static void write_loss(const svm_parameters *o, char text[WORDS])
{
    if (o->s == C_SVC)
        strcpy(text, "hinge");
    else if (o->s == NU_SVC)
        snprintf(text, WORDS, "hinge(nu=%.17g)", o->n);
    else if (o->s == ONE_CLASS)
        snprintf(text, WORDS, "one_class(nu=%.17g)", o->n);
    else if (o->s == EPSILON_SVR)
        snprintf(text, WORDS, "epsilon_insensitive(epsilon=%.17g)", o->p);
    else
        snprintf(text, WORDS, "epsilon_insensitive(nu=%.17g)", o->n);
}

/* "1=5,-1=2", the last one given for each class; NULL: none of the classes
 * that are there has one.  To be freed. */
static char *write_weights(const svm_problem *p)
{
    const svm_parameters *o = p->o;
    char *text = cli_alloc(o->weights + 1, 64), *at = text;

    for (size_t k = 0; o->s == C_SVC && k < p->classes; k++)
        for (size_t w = o->weights; w-- > 0;)
            if (o->w[w].label == p->label[k]) {
                at += sprintf(at, "%s%d=%.17g", at > text ? "," : "",
                              p->label[k], o->w[w].value);
                break;
            }
    if (at > text)
        return text;
    free(text);
    return NULL;
}

int svm_problem_fit(const svm_problem *p, gram_machine **out)
{
    int code = CLI_GOOD;
    const svm_parameters *o = p->o;
    gram_exec exec = cli_exec("training");
    char kernel[WORDS + SVM_PATH], loss[WORDS], lambda[WORDS];
    char matrix[SVM_PATH] = "";
    char *weights = write_weights(p);
    gram_table *table = NULL;

    if (o->t == PRECOMPUTED) {
        CLI_TRY(svm_kernel_write(p, matrix));
        snprintf(kernel, sizeof kernel, "precomputed(K=\"%s\")", matrix);
    } else
        write_kernel(o, kernel);
    write_loss(o, loss);
    snprintf(lambda, sizeof lambda, "%.17g", 1 / (2 * o->c));
    CLI_TRY(make_table(p, &table));
    /* with nu, lambda follows from it */
    gram_fit_options options = {
        .kernel = kernel,
        .loss = loss,
        .lambda = o->s == NU_SVC || o->s == ONE_CLASS ? NULL : lambda,
        .class_weights = weights,
        .solver = "smo", /* its tolerance is LIBSVM's */
        .classes = GRAM_CLASSES_ONE_VS_ONE,
        .probability = o->b && svm_classifies(o),
        .select = GRAM_SELECT_NONE,
        .scale = GRAM_KERNEL_SCALE_NONE,
        .allow_indefinite = 1,
        .tolerance = o->e};
    CLI_TRY(cli_status(gram_machine_fit(table, &options, &exec, out)));
    if (!o->q)
        svm_log(p, *out);
done:
    if (*matrix)
        unlink(matrix);
    free(weights);
    gram_table_free(table);
    return code;
}

int svm_problem_save(const svm_problem *p, const gram_machine *m,
                     const char *path, double laplace)
{
    char(*name)[16] = cli_alloc(p->classes, sizeof *name);
    const char **order = cli_alloc(p->classes, sizeof *order);
    size_t *serial = cli_alloc(p->n, sizeof *serial);
    gram_libsvm_options options = {.laplace = laplace};
    gram_exec exec = cli_exec("writing");

    for (size_t k = 0; k < p->classes; k++) {
        snprintf(name[k], sizeof name[k], "%d", p->label[k]);
        order[k] = name[k];
    }
    if (p->classes)
        options.order = order;
    for (size_t i = 0; p->data->serial && i < p->n; i++)
        serial[i] = (size_t)p->data->serial[p->row[i]];
    if (p->o->t == PRECOMPUTED)
        options.serial = serial;
    int code = cli_status(gram_machine_save_libsvm(m, path, &options, &exec));
    free(name);
    free(order);
    free(serial);
    return code;
}

/* -------------------------------------------------------------------- folds */

/* Shuffle n places by rand(), as LIBSVM does, so that folds are the same. */
static void shuffle(size_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        /* NOLINTNEXTLINE(cert-msc30-c,cert-msc50-cpp): LIBSVM's numbers */
        size_t j = i + (size_t)rand() % (n - i), keep = x[i];

        x[i] = x[j];
        x[j] = keep;
    }
}

/* The first of n rows that fold f of `folds` has. */
static size_t fold_start(size_t f, size_t n, size_t folds)
{
    return f * n / folds;
}

/* fold[i] of the rows: each class, or all rows, shuffled and cut evenly. */
static void make_folds(const svm_problem *p, size_t folds, size_t *fold)
{
    int stratified = svm_classifies(p->o) && folds < p->n;
    size_t groups = stratified ? p->classes : 1;
    size_t *list = cli_alloc(p->n, sizeof *list);

    for (size_t k = 0; k < groups; k++) {
        size_t n = 0;

        for (size_t i = 0; i < p->n; i++)
            if (!stratified || (int)p->data->label[i] == p->label[k])
                list[n++] = i;
        shuffle(list, n);
        for (size_t f = 0; f < folds; f++)
            for (size_t i = fold_start(f, n, folds);
                 i < fold_start(f + 1, n, folds); i++)
                fold[list[i]] = f;
    }
    free(list);
}

/* What the machine says about the rows that are not kept. */
static int predict_rest(const gram_machine *m, const svm_problem *p,
                        const unsigned char *keep, double *out)
{
    int code = CLI_GOOD;
    const gram_report *r = gram_machine_report(m);
    unsigned char *rest = cli_alloc(p->data->rows, 1);
    svm_problem others = {0};
    gram_table *table = NULL;
    double *mean = cli_alloc(p->data->rows * r->outputs, sizeof *mean);
    int *label = cli_alloc(p->data->rows, sizeof *label);
    gram_exec exec = cli_exec("predicting");
    const gram_predict_options options = {.votes = !p->o->b};

    for (size_t i = 0; i < p->data->rows; i++)
        rest[i] = !keep[i];
    svm_problem_make(p->o, p->data, rest, &others);
    CLI_TRY(make_table(&others, &table));
    CLI_TRY(cli_status(gram_machine_predict(
        m, table, &options, &exec,
        &(gram_prediction){.mean = mean, .label = r->classes ? label : NULL})));
    for (size_t i = 0; i < others.n; i++)
        out[others.row[i]] = r->classes ? strtod(r->class_name[label[i]], NULL)
                             : p->o->s == ONE_CLASS ? (mean[i] > 0 ? 1 : -1)
                                                    : mean[i];
done:
    svm_problem_free(&others);
    gram_table_free(table);
    free(rest);
    free(mean);
    free(label);
    return code;
}

/* A machine with a precomputed kernel knows its own rows only; the model of
 * LIBSVM that is made of it takes rows of new matrices. */
static int reload(const svm_problem *p, gram_machine **m)
{
    int code = CLI_GOOD;
    char path[SVM_PATH] = "";
    gram_exec exec = cli_exec("predicting");

    CLI_TRY(svm_temporary(path, ".model"));
    CLI_TRY(svm_problem_save(p, *m, path, 0));
    gram_machine_free(*m);
    *m = NULL;
    CLI_TRY(cli_status(gram_machine_load(path, &exec, m)));
done:
    if (*path)
        unlink(path);
    return code;
}

static int run_fold(const svm_problem *all, const unsigned char *keep,
                    double *out)
{
    int code = CLI_GOOD;
    svm_problem p;
    gram_machine *m = NULL;

    svm_problem_make(all->o, all->data, keep, &p);
    if (svm_classifies(all->o) && p.classes == 1) {
        /* one class alone: every answer is that class */
        for (size_t i = 0; i < all->n; i++)
            if (!keep[i])
                out[i] = p.label[0];
        goto done;
    }
    CLI_TRY(svm_problem_fit(&p, &m));
    if (all->o->t == PRECOMPUTED)
        CLI_TRY(reload(&p, &m));
    code = predict_rest(m, all, keep, out);
done:
    gram_machine_free(m);
    svm_problem_free(&p);
    return code;
}

int svm_cross_validate(const svm_problem *all, int folds, double *out)
{
    int code = CLI_GOOD;
    size_t *fold = cli_alloc(all->n, sizeof *fold);
    size_t count = (size_t)folds < all->n ? (size_t)folds : all->n;
    unsigned char *keep = cli_alloc(all->n, 1);

    if ((size_t)folds > all->n)
        fprintf(stderr,
                "WARNING: # folds > # data. Will use # folds = # data instead "
                "(i.e., leave-one-out cross validation)\n");
    make_folds(all, count, fold);
    for (size_t f = 0; f < count; f++) {
        for (size_t i = 0; i < all->n; i++)
            keep[i] = fold[i] != f;
        CLI_TRY(run_fold(all, keep, out));
    }
done:
    free(fold);
    free(keep);
    return code;
}
