/* test_options.c - the options of two-sample tests: the table of their fields,
 * their defaults, and which of them go together.
 */
#include "base/fields.h"
#include "samples/test.h"

const char *const gi_test_statistics[] = {"unbiased", "biased", "block",
                                          "linear", NULL};
const char *const gi_test_methods[] = {"permutation", "gamma", "spectral",
                                       "wild", NULL};

#define FIELD(kind, member) GI_FIELD(#member, kind, gram_test_options, member)

static const gram_field fields[] = {
    {FIELD(TEXT, kernel), .words = GI_WORDS("SPEC"),
     .help = "the kernel (default rbf); numbers (hyperparameters) that are "
             "open come from the median distance of all rows"},
    {FIELD(CHOICE, scale), .words = GI_WORDS_SCALE,
     .help = "scale columns, as a map in the kernel"},
    {FIELD(CHOICE, missing), .least = GRAM_MISSING_REFUSE,
     .words = GI_WORDS_MISSING},
    {FIELD(WHOLE, permutations), .words = GI_WORDS("N"), .least = 1,
     .most = 10000000, .help = "how many (default 1000)"},
    {FIELD(REAL, alpha), .words = GI_WORDS("P"), .most = 1,
     .help = "the level: how often to see a difference where there is none "
             "(default 0.05)"},
    {FIELD(FLAG, exact),
     .help = "permute rows one by one, not bins of rows, which is slower and "
             "sees hardly more"},
    {FIELD(WHOLE, bins), .words = GI_WORDS("N"), .least = 2, .most = 1000000,
     .help = "bins of rows to permute (default 256)"},
    {FIELD(FLAG, sequential),
     .help = "with --exact: stop when the decision is certain"},
    {FIELD(FLAG, aggregate),
     .help = "ten widths of rbf and of exponential (or of --kernel) in one "
             "test of the same level"},
    {FIELD(REAL, split), .words = GI_WORDS("SHARE"), .most = 1,
     .help = "choose the width of greatest power on a share of the rows, test "
             "with the others"},
    {FIELD(CHOICE, statistic), .words = gi_test_statistics,
     .help = "of MMD^2; block and linear need less time and see less"},
    {FIELD(WHOLE, block), .words = GI_WORDS("N"), .least = 2,
     .help = "rows of each sample in a block (default: the root of the number "
             "of rows)"},
    {FIELD(CHOICE, method), .words = gi_test_methods,
     .help = "where the p-value comes from: permutations are exact, gamma and "
             "spectral for many rows, wild for rows in the order of time that "
             "depend on their neighbours"},
    {FIELD(REAL, dependence), .words = GI_WORDS("N"),
     .help = "wild: over how many rows dependence reaches (default 20)"},
    {FIELD(CHOICE, precision), .words = GI_WORDS_PRECISION,
     .help = "of kernel values"},
    {.name = NULL},
};

const gram_field *gram_test_option_fields(void)
{
    return fields;
}

/* Check that the options go together. */
static gram_status check_combination(const gram_test_options *o)
{
    int blocks = o->statistic >= GRAM_TEST_BLOCK;

    if (o->aggregate && (blocks || o->method || o->split > 0 || o->sequential))
        return gi_fail(GRAM_ERR_RANGE, "aggregate: goes with permutations of "
                                       "the unbiased or biased statistic, and "
                                       "neither with split nor sequential");
    if (blocks && (o->method || o->exact || o->sequential))
        return gi_fail(GRAM_ERR_RANGE,
                       "statistic %s: its null is normal, so it takes neither "
                       "a method nor exact nor sequential",
                       gi_test_statistics[o->statistic]);
    if (o->method && (o->exact || o->sequential))
        return gi_fail(GRAM_ERR_RANGE,
                       "method %s: has no permutations to be exact or "
                       "sequential",
                       gi_test_methods[o->method]);
    if (o->sequential && !o->exact)
        return gi_fail(GRAM_ERR_RANGE,
                       "sequential: needs exact, since permutations of bins "
                       "cost next to nothing");
    return GRAM_OK;
}

gram_status gi_test_options_read(const gram_test_options *given,
                                 gram_test_options *out)
{
    gram_status status = GRAM_OK;
    gram_test_options o = given ? *given : (gram_test_options){0};

    GI_TRY(gi_fields_check(gram_test_option_fields(), &o));
    o.permutations = o.permutations ? o.permutations : 1000;
    o.alpha = o.alpha > 0 ? o.alpha : 0.05;
    o.dependence = o.dependence > 0 ? o.dependence : 20;
    *out = o;
    status = check_combination(&o);
done:
    return status;
}
