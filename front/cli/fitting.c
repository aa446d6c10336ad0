/* fitting.c - the options of every command that fits, and the table to fit to.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static struct {
    cli_list kernel;
    const char *lambda, *C, *solver, *from, *fold_column, *loss, *weights;
    double jitter, tolerance, step, holdout;
    unsigned long long steps, folds, tries;
    int task, select, scale, precision, classes;
    int no_intercept, per_target, allow_indefinite, no_jitter, keep_factor;
    int proba;
    gram_machine *machine; /* of --from */
    char *lambda_text;     /* made from --C */
} given;

static const cli_option options[] = {
    {"kernel", 'k', CLI_LIST, "SPEC",
     "the kernel, as in 'rbf(ard)' or '?*rbf[age] + linear' (default rbf); "
     "gram kernels lists them; numbers (hyperparameters) that are given are "
     "kept, question marks and those left out are chosen",
     &given.kernel, 0},
    {"task", 0, CLI_CHOICE, "auto|regression|classification",
     "take the target for numbers or for classes (default: classes if it is a "
     "category or has two values)",
     &given.task, 0},
    {"loss", 0, CLI_TEXT, "LOSS",
     "the loss, as in hinge or 'quantile(tau=0.9)'; gram losses lists them "
     "(default: squared for numbers, logistic for classes)",
     &given.loss, 0},
    {"lambda", 'l', CLI_TEXT, "X|auto",
     "the weight of |f|^2, of smoothness; ?[0.1,1]: the better of these "
     "(default auto: chosen from the data)",
     &given.lambda, 0},
    {"C", 0, CLI_TEXT, "X", "another way to write --lambda 1/(2X)", &given.C,
     0},
    {"class-weights", 0, CLI_TEXT, "balanced|A=X,...",
     "weights of classes: all classes alike, or by name (default 1)",
     &given.weights, 0},
    {"classes", 0, CLI_CHOICE, "auto|pairs|rest",
     "several classes: a function for each pair, or one for each against the "
     "rest (default: pairs for hinge and up to 100 classes)",
     &given.classes, 0},
    {"proba", 0, CLI_FLAG, NULL,
     "make probabilities for losses that have none, by folds", &given.proba, 0},
    {"select", 0, CLI_CHOICE, "auto|evidence|loo|gcv|cv|none",
     "how open numbers are chosen (default: squared loss: evidence, or loo if "
     "only lambda is open; other losses: cv; one_class: none)",
     &given.select, 0},
    {"folds", 0, CLI_PARTS, "K",
     "how many parts cross-validation makes (default 5); rows of one --group "
     "stay together",
     &given.folds, 1000000},
    {"fold-column", 0, CLI_TEXT, "COL",
     "a column that holds the parts: each value is one", &given.fold_column, 0},
    {"tries", 0, CLI_COUNT, "N",
     "cross-validate N random points instead of a grid", &given.tries, 100000},
    {"scale", 0, CLI_CHOICE, "auto|none|standard|minmax",
     "scale columns, as a map in the kernel (default: where no number in the "
     "kernel fixes a scale)",
     &given.scale, 0},
    {"solver", 0, CLI_TEXT, "SOLVER",
     "the method that computes f; the default auto takes the cheapest that "
     "fits in memory, gram help solvers explains each of them:",
     &given.solver, 0},
    {"precision", 0, CLI_CHOICE, "auto|double|single",
     "of the factorisation; single is refined in double (default: single "
     "where it pays)",
     &given.precision, 0},
    {"jitter", 0, CLI_REAL, "X",
     "add X to the diagonal of the kernel matrix (default: only where the "
     "factorisation fails, and then it is said)",
     &given.jitter, 0},
    {"no-jitter", 0, CLI_FLAG, NULL, "never add any, fail instead",
     &given.no_jitter, 0},
    {"tolerance", 0, CLI_REAL, "X",
     "where solvers stop that go step by step: relative residual (cg, gd), "
     "gradient (newton, softmax), gap (prox), violation (smo)",
     &given.tolerance, 0},
    {"steps", 0, CLI_COUNT, "N", "of these solvers, at most so many",
     &given.steps, 0},
    {"step", 0, CLI_REAL, "X",
     "gd: the step size (default 1/(2 (largest eigenvalue + lambda)))",
     &given.step, 0},
    {"holdout", 0, CLI_REAL, "SHARE",
     "gd: rows kept back, whose error tells when to stop (default 0)",
     &given.holdout, 0},
    {"no-intercept", 0, CLI_FLAG, NULL, "f without a constant b",
     &given.no_intercept, 0},
    {"per-target", 0, CLI_FLAG, NULL, "a lambda for every target",
     &given.per_target, 0},
    {"allow-indefinite", 0, CLI_FLAG, NULL,
     "take kernels that are not known to be positive semidefinite",
     &given.allow_indefinite, 0},
    {"keep-factor", 0, CLI_FLAG, NULL,
     "keep the factor in the model, for fast deviations and updates",
     &given.keep_factor, 0},
    {"from", 0, CLI_TEXT, "MODEL", "take kernel and lambda from a model",
     &given.from, 0},
    {.name = NULL},
};

const cli_group cli_group_fitting = {"fitting", options};

size_t cli_kernel_count(void)
{
    return given.kernel.count;
}

/* --C X or ?[X,...] as the text of a lambda. */
static int lambda_of_C(const char **lambda)
{
    const char *c = given.C;
    size_t n;
    FILE *out;

    if (!c)
        return CLI_GOOD;
    if (given.lambda)
        return cli_fail("--C and --lambda say the same: give one of them");
    free(given.lambda_text);
    given.lambda_text = NULL;
    out = open_memstream(&given.lambda_text, &n);
    if (!out)
        exit(cli_fail("out of memory"));
    while (*c) {
        char *end = NULL;
        double x;

        if (strchr("?[], ", *c)) {
            putc(*c++, out);
            continue;
        }
        x = strtod(c, &end);
        if (end == c || !(x > 0) || isinf(x)) {
            fclose(out);
            return cli_fail("--C: %s, must be a positive number or ?[X,...]",
                            given.C);
        }
        fprintf(out, "%.17g", 1 / (2 * x));
        c = end;
    }
    if (fclose(out))
        exit(cli_fail("out of memory"));
    *lambda = given.lambda_text;
    return CLI_GOOD;
}

static int load_from(void)
{
    gram_exec exec = cli_exec("loading");

    if (!given.from || given.machine)
        return CLI_GOOD;
    if (given.kernel.count > 0 || given.lambda)
        return cli_fail("--from brings kernel and lambda: leave out --kernel "
                        "and --lambda");
    return cli_status(gram_machine_load(given.from, &exec, &given.machine));
}

int cli_fit_options(size_t i, gram_fit_options *out)
{
    int code = CLI_GOOD;
    const char *lambda = given.lambda;

    if (given.jitter < 0)
        return cli_fail("--jitter: %g, must be at least 0", given.jitter);
    if (given.holdout < 0 || given.holdout >= 1)
        return cli_fail("--holdout: %g, must be from 0 to below 1",
                        given.holdout);
    CLI_TRY(lambda_of_C(&lambda));
    CLI_TRY(load_from());
    *out = (gram_fit_options){
        .kernel = i < given.kernel.count ? given.kernel.item[i] : NULL,
        .task = (gram_task)given.task,
        .loss = given.loss,
        .missing = cli_missing(),
        .class_weights = given.weights,
        .classes = (gram_classes)given.classes,
        .probability = given.proba,
        .lambda = lambda,
        .solver = given.solver,
        .select = (gram_select)given.select,
        .scale = (gram_kernel_scale)given.scale,
        .no_intercept = given.no_intercept,
        .per_target = given.per_target,
        .allow_indefinite = given.allow_indefinite,
        .precision = given.precision,
        .jitter = given.no_jitter ? -1 : given.jitter,
        .tolerance = given.tolerance,
        .steps = given.steps,
        .step = given.step,
        .holdout = given.holdout,
        .folds = {.folds = given.folds, .given = given.fold_column},
        .tries = given.tries,
        .keep_factor = given.keep_factor,
        .from = given.machine,
    };
done:
    return code;
}

void cli_fit_end(void)
{
    gram_machine_free(given.machine);
    given.machine = NULL;
    free(given.lambda_text);
    given.lambda_text = NULL;
}

/* The column of the parts is no feature. */
static int set_fold_column(const char *path, gram_table *table)
{
    const char *name = given.fold_column;

    if (!name)
        return CLI_GOOD;
    for (size_t j = 0; j < gram_table_cols(table); j++) {
        gram_column c = gram_table_column(table, j);

        if (c.role == GRAM_ROLE_GROUP && strcmp(c.name, name) != 0)
            return cli_fail("--fold-column: rows are grouped by column \"%s\" "
                            "already, only one can say which stay together",
                            c.name);
        if (c.role == GRAM_ROLE_TARGET && strcmp(c.name, name) == 0)
            return cli_fail("--fold-column: \"%s\" is the target", name);
    }
    return cli_status_of(path,
                         gram_table_set_role(table, name, GRAM_ROLE_GROUP));
}

int cli_fit_read(const char *path, gram_table **out, double *seconds)
{
    int code = CLI_GOOD;
    gram_table *table = NULL;

    CLI_TRY(cli_table_read_kept(path, &table, seconds));
    CLI_TRY(set_fold_column(path, table));
    *out = table;
    table = NULL;
done:
    gram_table_free(table);
    return code;
}

int cli_fold_count(const gram_table *table, const gram_fit_options *o,
                   size_t *count)
{
    gram_exec exec = cli_exec("splitting");
    int *fold = cli_alloc(gram_table_rows(table) + 1, sizeof *fold);
    int code =
        cli_status(gram_table_folds(table, &o->folds, &exec, fold, count));

    free(fold);
    return code;
}
