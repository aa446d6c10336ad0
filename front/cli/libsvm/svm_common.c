/* svm_common.c - LIBSVM's command lines, and its data.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "svm.h"

static const svm_program programs[] = {
    {"svm-scale", "scale the features of LIBSVM text", svm_scale_usage,
     svm_scale},
    {"svm-train", "train a support vector machine", svm_train_usage, svm_train},
    {"svm-predict", "predict with a support vector machine", svm_predict_usage,
     svm_predict},
};

const svm_program *svm_program_find(const char *name)
{
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (strcmp(name, programs[i].name) == 0)
            return &programs[i];
    return NULL;
}

int svm_usage(const char *usage)
{
    fputs(usage, stdout);
    return CLI_BAD;
}

int svm_option_next(int argc, char **argv, const char *single,
                    const char *flags, const char *pairs, const char *usage,
                    int *at, svm_option *out)
{
    int values;

    *out = (svm_option){0};
    if (*at >= argc || argv[*at][0] != '-')
        return CLI_GOOD;
    out->letter = argv[*at][1];
    out->rest = argv[*at] + 1 + (out->letter != '\0');
    out->value = argv + *at + 1;
    values = out->letter && strchr(flags, out->letter)    ? 0
             : out->letter && strchr(pairs, out->letter)  ? 2
             : out->letter && strchr(single, out->letter) ? 1
                                                          : -1;
    if (values < 0) {
        fprintf(stderr, "Unknown option: %s\n", argv[*at]);
        return svm_usage(usage);
    }
    *at += 1 + values;
    return *at <= argc ? CLI_GOOD : svm_usage(usage);
}

int svm_real(const svm_option *o, double *out)
{
    char *end;

    *out = strtod(*o->value, &end);
    if (end == *o->value || *end || !isfinite(*out))
        return cli_fail("-%c: \"%s\" is not a number", o->letter, *o->value);
    return CLI_GOOD;
}

int svm_whole(const svm_option *o, int least, int *out)
{
    char *end;
    long x;

    errno = 0;
    x = strtol(*o->value, &end, 10);
    if (end == *o->value || *end || errno || x < least || x > INT_MAX)
        return cli_fail("-%c: \"%s\", must be a whole number of at least %d",
                        o->letter, *o->value, least);
    *out = (int)x;
    return CLI_GOOD;
}

int svm_data_read(const char *path, svm_data *out)
{
    int code = CLI_GOOD;
    gram_read_options read = {.format = "libsvm", .types = "label=number"};
    gram_exec exec = cli_exec("reading");
    size_t j;

    *out = (svm_data){0};
    if (strcmp(path, "-") != 0 && access(path, R_OK) != 0)
        return cli_fail("can't open input file %s", path);
    if (svm_kernel_probe(path))
        CLI_TRY(svm_kernel_read(path, out));
    else
        CLI_TRY(cli_status(gram_table_read(path, &read, &exec, &out->table)));
    out->rows = gram_table_rows(out->table);
    CLI_TRY(cli_status(gram_table_find(out->table, "label", &j)));
    out->label = gram_table_column(out->table, j).values;
    CLI_TRY(cli_status(gram_table_find(out->table, "features", &j)));
    out->x = gram_table_column(out->table, j);
done:
    return code;
}

void svm_data_free(svm_data *d)
{
    gram_table_free(d->table);
    free(d->serial);
}

void svm_sums_add(svm_fit_sums *s, double p, double t)
{
    s->n++;
    s->error += (p - t) * (p - t);
    s->p += p;
    s->t += t;
    s->pp += p * p;
    s->tt += t * t;
    s->pt += p * t;
}

double svm_sums_error(const svm_fit_sums *s)
{
    return s->error / s->n;
}

double svm_sums_correlation(const svm_fit_sums *s)
{
    double both = s->n * s->pt - s->p * s->t;

    return both * both /
           ((s->n * s->pp - s->p * s->p) * (s->n * s->tt - s->t * s->t));
}
