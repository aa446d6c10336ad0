/* svm_predict.c - svm-predict: what a model says about LIBSVM text, in
 * LIBSVM's words; the model is LIBSVM's or one of gram's own.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "svm.h"

const char svm_predict_usage[] =
    "Usage: svm-predict [options] test_file model_file output_file\n"
    "options:\n"
    "-b probability_estimates: whether to predict probability estimates, 0 or "
    "1 (default 0); for one-class SVM only 0 is supported\n"
    "-q : quiet mode (no outputs)\n";

static int wanted, quiet; /* -b, -q */

static int parse(int argc, char **argv, int *at)
{
    int code = CLI_GOOD;
    svm_option opt;

    for (*at = 1;;) {
        CLI_TRY(svm_option_next(argc, argv, "b", "q", "", svm_predict_usage, at,
                                &opt));
        if (opt.letter == 'b')
            CLI_TRY(svm_whole(&opt, 0, &wanted));
        else if (opt.letter == 'q')
            quiet = 1;
        else
            break;
    }
    if (argc - *at != 3)
        code = svm_usage(svm_predict_usage);
done:
    return code;
}

/* ----------------------------------------------------------------- answers */

typedef struct answers {
    const gram_report *r;
    size_t rows, *order; /* of classes, as the model has them */
    double *mean, *proba;
    int *label;
} answers;

static int is_novelty(const gram_report *r)
{
    return strcmp(r->task, "novelty") == 0;
}

/* The prediction of a row as a number. */
static double answer(const answers *a, size_t i)
{
    if (a->r->classes)
        return strtod(a->r->class_name[a->label[i]], NULL);
    return is_novelty(a->r) ? (a->mean[i] > 0 ? 1 : -1) : a->mean[i];
}

static int predict(const gram_machine *m, const svm_data *d, answers *a)
{
    const gram_report *r = gram_machine_report(m);
    gram_exec exec = cli_exec("predicting");
    gram_predict_options options = {.votes = !wanted};
    gram_prediction p = {0};

    a->r = r;
    a->rows = d->rows;
    a->order = cli_alloc(r->classes, sizeof *a->order);
    for (size_t k = 0; k < r->classes; k++)
        a->order[r->class_order ? r->class_order[k] : k] = k;
    p.mean = a->mean = cli_alloc(d->rows * r->outputs, sizeof *a->mean);
    if (r->classes)
        p.label = a->label = cli_alloc(d->rows, sizeof *a->label);
    if (r->classes && wanted)
        p.proba = a->proba = cli_alloc(d->rows * r->classes, sizeof *a->proba);
    return cli_status(gram_machine_predict(m, d->table, &options, &exec, &p));
}

static void release(answers *a)
{
    free(a->order);
    free(a->mean);
    free(a->proba);
    free(a->label);
}

static void print_answers(FILE *out, const answers *a)
{
    size_t k = a->r->classes;

    if (a->proba) {
        fputs("labels", out);
        for (size_t c = 0; c < k; c++)
            fprintf(out, " %s", a->r->class_name[a->order[c]]);
        fputc('\n', out);
    }
    for (size_t i = 0; i < a->rows; i++) {
        if (k)
            fputs(a->r->class_name[a->label[i]], out);
        else
            fprintf(out, "%.17g", answer(a, i));
        for (size_t c = 0; a->proba && c < k; c++)
            fprintf(out, " %g", a->proba[i * k + a->order[c]]);
        fputc('\n', out);
    }
}

static int write_answers(const char *path, const answers *a)
{
    FILE *out = fopen(path, "w");

    if (!out)
        return cli_fail("can't open output file %s", path);
    print_answers(out, a);
    int failed = ferror(out);
    if (fclose(out) != 0 || failed)
        return cli_fail("%s: %s", path, strerror(errno));
    return CLI_GOOD;
}

/* ------------------------------------------------------------------- report */

static void print_accuracy(const answers *a, const svm_data *d)
{
    size_t right = 0;

    for (size_t i = 0; i < a->rows; i++)
        right += answer(a, i) == d->label[i];
    printf("Accuracy = %g%% (%zu/%zu) (classification)\n",
           (double)right / (double)a->rows * 100, right, a->rows);
}

static void print_errors(const answers *a, const svm_data *d)
{
    svm_fit_sums s = {0};

    for (size_t i = 0; i < a->rows; i++)
        svm_sums_add(&s, a->mean[i], d->label[i]);
    printf("Mean squared error = %g (regression)\n", svm_sums_error(&s));
    printf("Squared correlation coefficient = %g (regression)\n",
           svm_sums_correlation(&s));
}

static int check_probability(const gram_report *r)
{
    int regression = strcmp(r->task, "regression") == 0;
    double scale = regression ? sqrt(r->noise_variance[0] / 2) : NAN;
    int there = r->probabilities || !isnan(scale);

    if (wanted && !there)
        return cli_fail("Model does not support probability estimates");
    if (!wanted && there && !quiet)
        puts("Model supports probability estimates, but disabled in "
             "prediction.");
    if (wanted && regression && !quiet)
        printf("Prob. model for test data: target value = predicted value + "
               "z,\nz: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma=%g\n",
               scale);
    return CLI_GOOD;
}

int svm_predict(int argc, char **argv)
{
    int code = CLI_GOOD, at;
    svm_data d = {0};
    answers a = {0};
    gram_machine *m = NULL;

    CLI_TRY(parse(argc, argv, &at));
    if (access(argv[at + 1], R_OK) != 0)
        return cli_fail("can't open model file %s", argv[at + 1]);
    gram_exec exec = cli_exec("reading");
    CLI_TRY(cli_status(gram_machine_load(argv[at + 1], &exec, &m)));
    CLI_TRY(check_probability(gram_machine_report(m)));
    CLI_TRY(svm_data_read(argv[at], &d));
    CLI_TRY(predict(m, &d, &a));
    CLI_TRY(write_answers(argv[at + 2], &a));
    if (quiet)
        goto done;
    if (a.r->classes || is_novelty(a.r))
        print_accuracy(&a, &d);
    else
        print_errors(&a, &d);
done:
    release(&a);
    gram_machine_free(m);
    svm_data_free(&d);
    return code;
}
