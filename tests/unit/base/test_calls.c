/* test_calls.c - how often a fit, a prediction and a test of two samples make
 * what could be made once: operators, feature maps, parses, kernels, programs, proofs, points.
 *
 * The linker counts: a call of f from another object file goes to __wrap_f
 * where a test defines that (the Makefile passes --wrap), so the library has no
 * counters.  Calls within one file are not seen.  The table says the most that
 * is allowed; whoever makes less lowers it.
 */
#include "machines.h"

#include <stdatomic.h>

#include "kernels/engine/block.h"
#include "kernels/features/features.h"
#include "operators/operator.h"

enum { ROWS = 600, COLUMNS = 5 };

enum thing { OPERATORS, FEATURES, PARSES, KERNELS, PROGRAMS, PROOFS, POINTS };

static const char *const names[] = {
    [OPERATORS] = "operators", [FEATURES] = "feature maps", [PARSES] = "parses",
    [KERNELS] = "kernels",     [PROGRAMS] = "programs",     [PROOFS] = "proofs",
    [POINTS] = "points",
};
enum { THINGS = sizeof names / sizeof *names };

static atomic_size_t made[THINGS];

/* Count the calls of f and let them through. */
#define COUNTED(thing, f, parameters, arguments)                               \
    gram_status real_##f parameters __asm__("__real_" #f);                     \
    gram_status wrap_##f parameters __asm__("__wrap_" #f);                     \
    gram_status wrap_##f parameters                                            \
    {                                                                          \
        atomic_fetch_add(&made[thing], 1);                                     \
        return real_##f arguments;                                             \
    }

COUNTED(OPERATORS, gi_operator_new,
        (gi_run * run, const gram_program *p, const double *theta,
         const gi_points *x, const gi_points *t, gi_operator **out),
        (run, p, theta, x, t, out))
COUNTED(OPERATORS, gi_operator_on,
        (gi_run * run, const gi_basis *b, const gi_points *x,
         gi_operator **out),
        (run, b, x, out))
COUNTED(OPERATORS, gi_operator_restrict,
        (const gi_operator *K, gi_run *run, const size_t *row, size_t m,
         gi_operator **out),
        (K, run, row, m, out))
COUNTED(FEATURES, gi_features_new,
        (gi_run * run, const gram_program *p, const double *theta, size_t most,
         gi_features **out),
        (run, p, theta, most, out))
COUNTED(PARSES, gi_spec_parse,
        (gi_run * run, const char *what, const char *text, gi_spec **out),
        (run, what, text, out))
COUNTED(KERNELS, gi_kernel_new,
        (gi_run * run, const char *text, gram_kernel **out), (run, text, out))
COUNTED(PROGRAMS, gi_program_new,
        (gi_run * run, const gram_kernel *k, const gram_table *t, int open,
         gram_program **out),
        (run, k, t, open, out))
COUNTED(PROGRAMS, gi_program_restore,
        (gi_run * run, const gram_kernel *k, const gi_values *values,
         const gram_table *t, gram_program **out),
        (run, k, values, t, out))
COUNTED(PROOFS, gi_proof_new,
        (gi_run * run, const gram_kernel *k, gram_proof **out), (run, k, out))
COUNTED(POINTS, gi_points_new,
        (gi_run * run, const gram_program *p, const gram_table *t,
         gi_precision precision, gi_points **out),
        (run, p, t, precision, out))
COUNTED(POINTS, gi_points_new_unseen,
        (gi_run * run, const gram_program *p, const gram_table *t,
         gi_precision precision, gi_points **out),
        (run, p, t, precision, out))
COUNTED(POINTS, gi_points_select,
        (gi_run * run, const gram_program *p, const gi_points *x,
         const size_t *row, size_t m, gi_points **out),
        (run, p, x, row, m, out))

static void start_counting(void)
{
    for (size_t k = 0; k < THINGS; k++)
        atomic_store(&made[k], 0);
}

static void check_counts(const char *call, const size_t *most)
{
    for (size_t k = 0; k < THINGS; k++) {
        size_t n = atomic_load(&made[k]);

        print_message("%s: %zu %s\n", call, n, names[k]);
        if (n > most[k])
            fail_msg("%s made %zu %s, at most %zu are allowed", call, n,
                     names[k], most[k]);
    }
}

TEST(a_fit_and_a_prediction_make_no_more_than_allowed)
{
    static const size_t fit[THINGS] = {
        [OPERATORS] = 2, [FEATURES] = 2, [PARSES] = 3, [KERNELS] = 2,
        [PROGRAMS] = 1,  [PROOFS] = 1,   [POINTS] = 2};
    static const size_t predict[THINGS] = {
        [OPERATORS] = 1, [FEATURES] = 1, [POINTS] = 2};
    static const size_t prepared[THINGS] = {[OPERATORS] = 1, [POINTS] = 1};
    double mean[ROWS];
    gram_predictor *p = NULL;
    gram_table *t = machines_table(ROWS, COLUMNS, 1);
    gram_machine *m;

    start_counting();
    m = machines_fit(t, &(gram_fit_options){.kernel = "rbf"});
    check_counts("the fit", fit);
    start_counting();
    free(machines_mean(m, t));
    check_counts("the prediction", predict);
    CHECK_OK(gram_predictor_new(m, NULL, NULL, &p));
    start_counting();
    CHECK_OK(gram_predictor_run(p, t, NULL, &(gram_prediction){.mean = mean}));
    check_counts("the prepared prediction", prepared);
    gram_predictor_free(p);
    gram_machine_free(m);
    gram_table_free(t);
}

TEST(a_test_of_two_samples_makes_one_program_and_gathers_its_rows_once)
{
    /* points are also put in the order of the bins */
    static const size_t test[THINGS] = {[PARSES] = 2,
                                        [KERNELS] = 2,
                                        [PROGRAMS] = 1,
                                        [PROOFS] = 1,
                                        [POINTS] = 2};
    gram_table *a = machines_table(ROWS, COLUMNS, 1);
    gram_table *b = machines_table(ROWS, COLUMNS, 2);
    gram_test *found = NULL;

    start_counting();
    CHECK_OK(gram_test_samples(a, b, NULL, NULL, &found));
    check_counts("the test", test);
    gram_test_free(found);
    gram_table_free(b);
    gram_table_free(a);
}

TESTS(NORMAL(a_fit_and_a_prediction_make_no_more_than_allowed),
      NORMAL(a_test_of_two_samples_makes_one_program_and_gathers_its_rows_once))
