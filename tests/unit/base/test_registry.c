/* test_registry.c - the catalogue describes itself, and grows while others
 * look at it.
 */
#include "check.h"

#include <pthread.h>

#include "base/mem.h"
#include "base/bind.h"
#include "kernels/expression/kernel.h"

/* Text that can be shown: there, in one line, in ASCII. */
static void check_shown(const char *s)
{
    CHECK(s && *s);
    for (; *s; s++)
        CHECK(*s >= ' ' && *s < 127);
}

static void check_params(const char *owner, const gram_param *params)
{
    size_t count = gi_param_count(params);

    CHECK_OK(gi_params_check(owner, params));
    for (size_t i = 0; i < count; i++) {
        const gram_param *p = &params[i];

        check_shown(p->name);
        check_shown(p->help);
        if (p->stands_for)
            CHECK(p->factor > 0 && p->power != 0);
    }
}

TEST(every_kernel_says_what_it_is_and_why_it_is_psd_or_not)
{
    const gram_kernel_class *c;
    size_t i = 0;

    for (; (c = gram_kernel_class_at(i)); i++) {
        check_shown(c->name);
        check_shown(c->formula);
        CHECK(c->proof || c->judge);
        if (c->proof)
            check_shown(c->proof);
        check_params(c->name, c->params);
        CHECK(gi_kernel_class_find(c->name) == c);
        CHECK(!gi_kernel_is_function(c->name));
    }
    CHECK(i >= 24);
    CHECK(gi_kernel_class_find("rbff") == NULL);
}

TEST(every_map_says_what_it_is)
{
    const gram_map_class *c;
    size_t i = 0;

    for (; (c = gram_map_at(i)); i++) {
        check_shown(c->name);
        check_shown(c->formula);
        check_shown(c->help);
        check_params(c->name, c->params);
        CHECK(c->apply && gi_map_class_find(c->name) == c);
    }
    CHECK(i >= 9);
    CHECK(gi_map_class_find("lgo") == NULL);
}

/* A verdict for the defaults, open ones included, and for all ones. */
TEST(every_judge_gives_a_reason)
{
    const gram_kernel_class *c;

    for (size_t i = 0; (c = gram_kernel_class_at(i)); i++)
        for (int ones = 0; ones < 2 && c->judge; ones++) {
            double value[GI_PARAMS_MAX];
            gram_verdict v;

            for (size_t j = 0; j < gi_param_count(c->params); j++)
                value[j] = ones ? 1 : c->params[j].value;
            v = c->judge(value);
            check_shown(v.why);
            CHECK((v.points != NULL) == (v.count > 0 && v.d > 0));
            CHECK(!v.points || v.psd == GRAM_PSD_REFUTED);
        }
}

/* -------------------------------------------------------------- register */

static int compile(gram_program *p)
{
    return gram_emit_dot(p);
}

static int apply(const double *arg, const double *state, const double *x,
                 size_t d, double *out, const char **why)
{
    (void)arg, (void)state, (void)why;
    memcpy(out, x, d * sizeof *x);
    return 1;
}

TEST(a_registered_class_is_written_like_any_other)
{
    static const gram_param params[] = {
        {.name = "u", .range = GRAM_POSITIVE, .value = 2, .help = "a number"},
        {.name = NULL},
    };
    static const gram_kernel_class mine = {.name = "mine",
                                           .formula = "x.t",
                                           .proof = "an inner product",
                                           .params = params,
                                           .compile = compile};
    static const gram_map_class same = {.name = "same",
                                        .formula = "x",
                                        .help = "nothing changes",
                                        .apply = apply};
    gram_kernel *k = NULL;

    CHECK(gram_kernel_new("mine", &k) == GRAM_ERR_NAME);
    CHECK_OK(gram_kernel_register(&mine));
    CHECK_OK(gram_map_register(&same));
    CHECK_OK(gram_kernel_new("mine(u=3)[a] + map(same, mine)", &k));
    CHECK(gram_kernel_param_at(k, 0).value == 3);
    CHECK(gram_kernel_param_at(k, 1).value == 2);
    CHECK_STR(gram_kernel_text(k), "mine(u=3)[a] + map(same, mine)");
    gram_kernel_free(k);
    CHECK_FAILS(gram_kernel_register(&mine), GRAM_ERR_NAME,
                "kernel \"mine\": the name is taken");
    CHECK_FAILS(gram_map_register(&same), GRAM_ERR_NAME,
                "map \"same\": the name is taken");
    CHECK_FAILS(
        gram_kernel_new("mone", &k), GRAM_ERR_NAME,
        "kernel \"mone\", character 1: no kernel \"mone\" (did you mean "
        "\"mine\"?)");
}

static void check_refuses(gram_kernel_class c, gram_status status,
                          const char *sentence)
{
    size_t used = gram_memory_used();

    CHECK_FAILS(gram_kernel_register(&c), status, sentence);
    CHECK(gram_memory_used() == used);
}

TEST(a_class_that_cannot_be_used_is_refused)
{
    static const gram_param flag_first[] = {
        {.name = "f", .range = GRAM_FLAG, .help = "a flag"},
        {.name = "u", .range = GRAM_REAL, .help = "a number"},
        {.name = NULL}};
    static const gram_param forward[] = {
        {.name = "u", .range = GRAM_REAL, .help = "a number", .stands_for = 2},
        {.name = "v", .range = GRAM_REAL, .help = "a number"},
        {.name = NULL}};
    static const gram_param twice[] = {
        {.name = "u", .range = GRAM_REAL, .help = "a number"},
        {.name = "u", .range = GRAM_REAL, .help = "a number"},
        {.name = NULL}};
    const gram_kernel_class c = {.name = "c", .compile = compile};
    gram_kernel_class bad = c;
#define NAMES ": the name must be letters, digits and _, not a digit first"

    bad.name = "rbf";
    check_refuses(bad, GRAM_ERR_NAME, "kernel \"rbf\": the name is taken");
    bad.name = "exp";
    check_refuses(bad, GRAM_ERR_NAME,
                  "kernel \"exp\": the name of a function of kernels");
    bad.name = "2a";
    check_refuses(bad, GRAM_ERR_NAME, "kernel \"2a\"" NAMES);
    bad.name = "a b";
    check_refuses(bad, GRAM_ERR_NAME, "kernel \"a b\"" NAMES);
    bad.name = "a[b]";
    check_refuses(bad, GRAM_ERR_NAME, "kernel \"a[b]\"" NAMES);
    bad.name = "";
    check_refuses(bad, GRAM_ERR_NAME, "kernel \"\"" NAMES);
    bad = c;
    bad.compile = NULL;
    check_refuses(bad, GRAM_ERR_RANGE, "kernel \"c\": a function is missing");
    bad = c;
    bad.params = flag_first;
    check_refuses(bad, GRAM_ERR_RANGE,
                  "c: u behind a flag, must be in front of it");
    bad.params = forward;
    check_refuses(bad, GRAM_ERR_RANGE,
                  "c: u stands for parameter 1, must be one before it that "
                  "stands for itself");
    bad.params = twice;
    check_refuses(bad, GRAM_ERR_RANGE, "c: two parameters u");
}

static double decay(void *user, double r)
{
    (void)user;
    return exp(-r);
}

TEST(functions_become_kernels_that_nothing_is_known_about)
{
    const gram_kernel_class *c;

    CHECK_OK(gram_kernel_register_radial("decay", decay, NULL, NULL));
    c = gi_kernel_class_find("decay");
    CHECK(c && c->judge(NULL).psd == GRAM_PSD_UNKNOWN);
    CHECK_FAILS(gram_kernel_register_radial("decay", decay, NULL, NULL),
                GRAM_ERR_NAME, "kernel \"decay\": the name is taken");
    CHECK_FAILS(gram_kernel_register_radial("none", NULL, NULL, NULL),
                GRAM_ERR_RANGE, "kernel \"none\": a function is missing");
    CHECK_FAILS(gram_kernel_register_pairs("none", NULL, NULL), GRAM_ERR_RANGE,
                "kernel \"none\": a function is missing");
}

/* ---------------------------------------------------------------- threads */

enum { THREADS = 4, EACH = 50 };

static gram_kernel_class many[THREADS][EACH];
static char names[THREADS][EACH][40];

static void *register_many(void *user)
{
    const int *who = user;

    for (int i = 0; i < EACH; i++) {
        const gram_kernel_class *c;
        size_t before = 0;

        snprintf(names[*who][i], 40, "many_%d_%d", *who, i);
        many[*who][i] = (gram_kernel_class){
            .name = names[*who][i], .formula = "x.t", .compile = compile};
        if (gram_kernel_register(&many[*who][i]) != GRAM_OK ||
            gi_kernel_class_find(names[*who][i]) != &many[*who][i])
            return user;
        while ((c = gram_kernel_class_at(before)) && c->name)
            before++;
        if (before < 24)
            return user;
    }
    return NULL;
}

TEST(many_threads_may_register_and_look_at_the_same_time)
{
    pthread_t thread[THREADS];
    int who[THREADS];

    for (int i = 0; i < THREADS; i++) {
        who[i] = i;
        CHECK(pthread_create(&thread[i], NULL, register_many, &who[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed = &who[i];

        pthread_join(thread[i], &failed);
        CHECK(failed == NULL);
    }
    for (int i = 0; i < THREADS * EACH; i++)
        CHECK(gi_kernel_class_find(names[i / EACH][i % EACH]) ==
              &many[i / EACH][i % EACH]);
}

TESTS(SMALL(every_kernel_says_what_it_is_and_why_it_is_psd_or_not),
      SMALL(every_map_says_what_it_is), SMALL(every_judge_gives_a_reason),
      SMALL(a_registered_class_is_written_like_any_other),
      SMALL(a_class_that_cannot_be_used_is_refused),
      SMALL(functions_become_kernels_that_nothing_is_known_about),
      SMALL(many_threads_may_register_and_look_at_the_same_time))
