/* svm_train.c - svm-train: LIBSVM's options, checks and messages around a fit
 * of gram's.
 *
 * -m and -h change nothing: the solver knows how much memory there is and when
 * to shrink.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "svm_train.h"

const char svm_train_usage[] =
    "Usage: svm-train [options] training_set_file [model_file]\n"
    "options:\n"
    "-s svm_type : set type of SVM (default 0)\n"
    "\t0 -- C-SVC\t\t(multi-class classification)\n"
    "\t1 -- nu-SVC\t\t(multi-class classification)\n"
    "\t2 -- one-class SVM\n"
    "\t3 -- epsilon-SVR\t(regression)\n"
    "\t4 -- nu-SVR\t\t(regression)\n"
    "-t kernel_type : set type of kernel function (default 2)\n"
    "\t0 -- linear: u'*v\n"
    "\t1 -- polynomial: (gamma*u'*v + coef0)^degree\n"
    "\t2 -- radial basis function: exp(-gamma*|u-v|^2)\n"
    "\t3 -- sigmoid: tanh(gamma*u'*v + coef0)\n"
    "\t4 -- precomputed kernel (kernel values in training_set_file)\n"
    "-d degree : set degree in kernel function (default 3)\n"
    "-g gamma : set gamma in kernel function (default 1/num_features)\n"
    "-r coef0 : set coef0 in kernel function (default 0)\n"
    "-c cost : set the parameter C of C-SVC, epsilon-SVR, and nu-SVR (default "
    "1)\n"
    "-n nu : set the parameter nu of nu-SVC, one-class SVM, and nu-SVR "
    "(default 0.5)\n"
    "-p epsilon : set the epsilon in loss function of epsilon-SVR (default "
    "0.1)\n"
    "-m cachesize : set cache memory size in MB (default 100)\n"
    "-e epsilon : set tolerance of termination criterion (default 0.001)\n"
    "-h shrinking : whether to use the shrinking heuristics, 0 or 1 (default "
    "1)\n"
    "-b probability_estimates : whether to train a SVC or SVR model for "
    "probability estimates, 0 or 1 (default 0)\n"
    "-wi weight : set the parameter C of class i to weight*C, for C-SVC "
    "(default 1)\n"
    "-v n: n-fold cross validation mode\n"
    "-q : quiet mode (no outputs)\n";

static svm_parameters o = {
    .t = RBF, .d = 3, .h = 1, .c = 1, .n = 0.5, .p = 0.1, .m = 100, .e = 0.001};

/* ------------------------------------------------------------- command line */

static int add_weight(const svm_option *opt)
{
    char *end;
    long label = strtol(opt->rest, &end, 10);
    svm_weight *grown = realloc(o.w, (o.weights + 1) * sizeof *o.w);

    if (!grown)
        exit(cli_fail("out of memory"));
    o.w = grown;
    if (end == opt->rest || *end)
        return cli_fail("-w%s: the label must be a whole number", opt->rest);
    o.w[o.weights].label = (int)label;
    return svm_real(opt, &o.w[o.weights++].value);
}

static int take(const svm_option *opt)
{
    const struct {
        char letter;
        int *whole;
        double *real;
    } table[] = {{'s', &o.s, NULL}, {'t', &o.t, NULL}, {'d', &o.d, NULL},
                 {'h', &o.h, NULL}, {'b', &o.b, NULL}, {'v', &o.v, NULL},
                 {'g', NULL, &o.g}, {'r', NULL, &o.r}, {'c', NULL, &o.c},
                 {'n', NULL, &o.n}, {'p', NULL, &o.p}, {'m', NULL, &o.m},
                 {'e', NULL, &o.e}};

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].letter == opt->letter)
            return table[i].whole ? svm_whole(opt, -1, table[i].whole)
                                  : svm_real(opt, table[i].real);
    return add_weight(opt);
}

static int parse(int argc, char **argv, const char **data, char **model)
{
    int code = CLI_GOOD, at = 1;
    svm_option opt;

    for (;;) {
        CLI_TRY(svm_option_next(argc, argv, "stdgrcnpmehbvw", "q", "",
                                svm_train_usage, &at, &opt));
        if (!opt.letter)
            break;
        if (opt.letter == 'q')
            o.q = 1;
        else
            CLI_TRY(take(&opt));
        if (opt.letter == 'v' && o.v < 2) {
            fprintf(stderr, "n-fold cross validation: n must >= 2\n");
            return svm_usage(svm_train_usage);
        }
    }
    if (at >= argc)
        return svm_usage(svm_train_usage);
    const char *slash = strrchr(argv[at], '/');
    *data = argv[at];
    if (at + 1 < argc)
        *model = strdup(argv[at + 1]);
    else if (asprintf(model, "%s.model", slash ? slash + 1 : argv[at]) < 0)
        *model = NULL;
    if (!*model)
        exit(cli_fail("out of memory"));
done:
    return code;
}

/* ------------------------------------------------------------------- checks */

static const char *bad_parameter(void)
{
    int with_c = o.s == C_SVC || o.s == EPSILON_SVR || o.s == NU_SVR;
    int with_nu = o.s == NU_SVC || o.s == ONE_CLASS || o.s == NU_SVR;
    int with_gamma = o.t == POLY || o.t == RBF || o.t == SIGMOID;
    const struct {
        int wrong;
        const char *sentence;
    } checks[] = {
        {o.s < 0 || o.s >= SVM_TYPES, "unknown svm type"},
        {o.t < 0 || o.t >= KERNEL_TYPES, "unknown kernel type"},
        {with_gamma && o.g < 0, "gamma < 0"},
        {o.t == POLY && o.d < 0, "degree of polynomial kernel < 0"},
        {o.m <= 0, "cache_size <= 0"},
        {o.e <= 0, "eps <= 0"},
        {with_c && o.c <= 0, "C <= 0"},
        {with_nu && (o.n <= 0 || o.n > 1), "nu <= 0 or nu > 1"},
        {o.s == EPSILON_SVR && o.p < 0, "p < 0"},
        {o.h != 0 && o.h != 1, "shrinking != 0 and shrinking != 1"},
        {o.b != 0 && o.b != 1, "probability != 0 and probability != 1"},
        {o.b == 1 && o.s == ONE_CLASS,
         "one-class SVM probability output not supported yet"},
    };

    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (checks[i].wrong)
            return checks[i].sentence;
    return NULL;
}

/* Labels of classes are whole numbers, nu is feasible for every pair, weights
 * are those of classes. */
static int check_classes(const svm_problem *p)
{
    for (size_t i = 0; i < p->data->rows; i++)
        if (p->data->label[i] != (int)p->data->label[i])
            return cli_fail("ERROR: label %g in row %zu, must be a whole "
                            "number: a class",
                            p->data->label[i], i + 1);
    for (size_t a = 0; o.s == NU_SVC && a < p->classes; a++)
        for (size_t b = a + 1; b < p->classes; b++) {
            double n = (double)p->count[a], m = (double)p->count[b];

            if (o.n * (n + m) / 2 > fmin(n, m))
                return cli_fail("ERROR: specified nu is infeasible");
        }
    for (size_t w = 0; w < o.weights; w++) {
        size_t k = 0;

        while (k < p->classes && p->label[k] != o.w[w].label)
            k++;
        if (k == p->classes)
            fprintf(stderr,
                    "WARNING: class label %d specified in weight is not "
                    "found\n",
                    o.w[w].label);
    }
    if (p->classes < 2)
        return cli_fail("ERROR: training data in only one class");
    return CLI_GOOD;
}

/* -------------------------------------------------------------------- modes */

static int print_folds(const svm_problem *p)
{
    double *out = cli_alloc(p->n, sizeof *out);
    int code = svm_cross_validate(p, o.v, out);
    svm_fit_sums s = {0};
    size_t right = 0;

    for (size_t i = 0; i < p->n; i++) {
        svm_sums_add(&s, out[i], p->data->label[i]);
        right += out[i] == p->data->label[i];
    }
    free(out);
    if (code != CLI_GOOD)
        return code;
    if (o.s == EPSILON_SVR || o.s == NU_SVR) {
        printf("Cross Validation Mean squared error = %g\n",
               svm_sums_error(&s));
        printf("Cross Validation Squared correlation coefficient = %g\n",
               svm_sums_correlation(&s));
    } else
        printf("Cross Validation Accuracy = %g%%\n",
               100.0 * (double)right / (double)p->n);
    return CLI_GOOD;
}

/* The scale of Laplace noise, from errors of five folds: their mean size, but
 * those above five deviations left out. */
static int find_laplace(const svm_problem *p, double *out)
{
    double *error = cli_alloc(p->n, sizeof *error), mean = 0, sum = 0;
    int code = svm_cross_validate(p, 5, error);
    size_t kept = 0;

    for (size_t i = 0; i < p->n; i++) {
        error[i] = fabs(p->data->label[i] - error[i]);
        mean += error[i] / (double)p->n;
    }
    for (size_t i = 0; i < p->n; i++)
        if (error[i] <= 5 * sqrt(2) * mean) {
            sum += error[i];
            kept++;
        }
    *out = sum / (double)kept;
    if (code == CLI_GOOD && !o.q)
        printf("Prob. model for test data: target value = predicted value + "
               "z,\nz: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma= "
               "%g\n",
               *out);
    free(error);
    return code;
}

static int train(const svm_problem *p, const char *path)
{
    int code = CLI_GOOD;
    gram_machine *m = NULL;
    double laplace = 0;

    if (o.b && (o.s == EPSILON_SVR || o.s == NU_SVR))
        CLI_TRY(find_laplace(p, &laplace));
    CLI_TRY(svm_problem_fit(p, &m));
    CLI_TRY(svm_problem_save(p, m, path, laplace));
    if (!gram_machine_report(m)->converged)
        fprintf(stderr, "WARNING: reaching max number of iterations\n");
done:
    gram_machine_free(m);
    return code;
}

int svm_train(int argc, char **argv)
{
    int code = CLI_GOOD;
    const char *path = NULL, *bad;
    char *model = NULL;
    svm_data d = {0};
    svm_problem p = {0};

    CLI_TRY(parse(argc, argv, &path, &model));
    bad = bad_parameter();
    if (bad)
        CLI_TRY(cli_fail("ERROR: %s", bad));
    CLI_TRY(svm_data_read(path, &d));
    if (d.rows == 0)
        CLI_TRY(cli_fail("ERROR: %s: no rows", path));
    if (o.g == 0)
        o.g = 1 / (double)(d.x.width ? d.x.width : 1);
    if (o.t == PRECOMPUTED)
        CLI_TRY(svm_kernel_check(&d));
    svm_problem_make(&o, &d, NULL, &p);
    if (svm_classifies(&o))
        CLI_TRY(check_classes(&p));
    code = o.v ? print_folds(&p) : train(&p, model);
done:
    svm_problem_free(&p);
    svm_data_free(&d);
    free(o.w);
    free(model);
    return code;
}
