/* proof.c - the certificate of a kernel: why every matrix of it is PSD, node by
 * node, or which node breaks that.
 *
 * The rules are closure properties (Schoenberg 1938; Schur 1911; Berg,
 * Christensen and Ressel 1984).  If k and k' are PSD, so are
 *
 *     c k for c >= 0,  k + k',  k k'   hence polynomials and power series with
 *                                      coefficients >= 0, and exp(k)
 *     f(x) k(x,t) f(t)                 hence normalize(k)
 *     k(phi(x), phi(t))                hence k on some columns
 *     k^p for every p > 0              if k is infinitely divisible
 *
 * What holds for a parameter that is open holds for all its values.
 *
 * No rule covers differences, negative factors and other powers, nor a node
 * with a part that is not certified.  Such a node is refuted
 * if a search (refute.c) finds points whose matrix has a negative eigenvalue,
 * and unknown otherwise.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/bind.h"
#include "kernels/expression/kernel.h"
#include "kernels/proof/refute.h"

/* Nodes beside the root that a search is made for. */
enum { SEARCHES = 32 };

typedef struct step {
    gram_proof_step shown; /* its texts and points belong to the step */
    const gi_kernel_node *node;
    int divisible; /* k^p is PSD for every p > 0 */
} step;

struct gram_proof {
    step *step;
    size_t count, capacity;
};

typedef struct prover {
    gi_run run;
    const gram_kernel *kernel;
    gram_proof *proof;
    size_t searches;
} prover;

/* What is known of the parts of a node. */
typedef struct summary {
    size_t bad;        /* the first step that is not certified; 0: none */
    int divisible;     /* all parts are */
    size_t kernels;    /* parts that are not numbers */
    size_t bad_kernel; /* the first of these that is not certified; 0: none */
    int sign;          /* of the product of the numbers */
    int minus;         /* one is subtracted */
} summary;

/* -------------------------------------------------------------- verdicts */

static step *at(const prover *p, size_t i)
{
    return p->proof->step + i;
}

static gram_status copy(prover *p, const char *text, const char **out)
{
    char *mine = NULL;
    gram_status status = GRAM_OK;

    if (text)
        status = gi_strndup(&p->run, text, strlen(text), &mine);
    *out = mine;
    return status;
}

static gram_status certify(prover *p, size_t i, const char *rule,
                           const char *why)
{
    at(p, i)->shown.psd = 1;
    at(p, i)->shown.rule = rule;
    return copy(p, why, &at(p, i)->shown.why);
}

static int is_open(const prover *p, const gi_kernel_node *node)
{
    for (size_t i = 0; i < p->kernel->slots; i++)
        if (p->kernel->slot[i].open && p->kernel->slot[i].node == node)
            return 1;
    for (const gi_kernel_node *kid = node->kids; kid; kid = kid->next)
        if (is_open(p, kid))
            return 1;
    return 0;
}

/* No rule holds: try to refute it, beginning with the points that refute a part
 * of it; otherwise it is unknown. */
static gram_status doubt(prover *p, size_t i, const char *rule, const char *why,
                         const gi_refutation *first)
{
    gram_status status = GRAM_OK;
    gram_proof_step *shown = &at(p, i)->shown;
    gi_refutation found = {.eigenvalue = NAN};
    gi_buf sentence = {0};

    shown->rule = rule;
    if (i == 0 || p->searches++ < SEARCHES)
        GI_TRY(gi_refute(&p->run, p->kernel, at(p, i)->node, first, &found));
    shown->psd = found.points ? -1 : 0;
    shown->points = found.points;
    shown->count = found.count;
    shown->d = found.d;
    shown->eigenvalue = found.eigenvalue;
    GI_TRY(gi_buf_add(&p->run, &sentence, why, strlen(why)));
    if (found.points && is_open(p, at(p, i)->node))
        GI_TRY(gi_buf_printf(&p->run, &sentence,
                             "; shown with open numbers at their start, or 1"));
    GI_TRY(copy(p, sentence.s, &shown->why));
done:
    gi_buf_free(&sentence);
    return status;
}

/* A rule that would hold if all parts were certified. */
static gram_status blame(prover *p, size_t i, const char *rule, size_t bad)
{
    gram_status status = GRAM_OK;
    const gram_proof_step *part = &at(p, bad)->shown;
    gi_refutation first = {(double *)part->points, part->count, part->d, NAN};
    gi_buf why = {0};

    GI_TRY(gi_buf_printf(&p->run, &why,
                         "needs certified parts, which this is not: "));
    GI_TRY(gi_buf_add(&p->run, &why, part->text, strlen(part->text)));
    GI_TRY(doubt(p, i, rule, why.s, &first));
done:
    gi_buf_free(&why);
    return status;
}

/* The text of a spec node, which is a kernel, on the columns of the step. */
static gram_status suggest(prover *p, size_t i, const gi_node *instead)
{
    gram_status status = GRAM_OK;
    gi_node group = {.kind = GI_NODE_GROUP,
                     .kids = (gi_node *)instead,
                     .columns = (gi_column_item *)at(p, i)->node->columns};
    gi_buf text = {0};

    GI_TRY(gi_spec_print(&p->run, group.columns ? &group : instead, &text));
    GI_TRY(copy(p, text.s, &at(p, i)->shown.instead));
done:
    gi_buf_free(&text);
    return status;
}

/* ---------------------------------------------------------------- leaves */

static double slot_value(const prover *p, int slot)
{
    const gi_slot *s = p->kernel->slot + slot;

    return s->open ? NAN : s->value;
}

static gram_verdict class_verdict(const prover *p, const gi_kernel_node *node)
{
    const gram_kernel_class *class_ = node->class_;
    double value[GI_PARAMS_MAX];

    for (size_t i = 0; i < gi_param_count(class_->params); i++)
        value[i] =
            node->slot[i] < 0 ? node->arg[i] : slot_value(p, node->slot[i]);
    if (class_->judge)
        return class_->judge(value);
    if (class_->proof)
        return (gram_verdict){.psd = GRAM_PSD_CERTIFIED, .why = class_->proof};
    return (gram_verdict){
        .psd = GRAM_PSD_UNKNOWN,
        .why = "its author gives no proof: its matrices must be checked",
    };
}

static gram_status certify_leaf(prover *p, size_t i, const gram_verdict *v)
{
    gram_status status = GRAM_OK;
    const gi_kernel_node *node = at(p, i)->node;
    gi_buf why = {0};

    GI_TRY(gi_buf_add(&p->run, &why, v->why, strlen(v->why)));
    if (node->class_->flags & GRAM_KERNEL_NONNEGATIVE)
        GI_TRY(gi_buf_printf(&p->run, &why, "; for numbers >= 0 only"));
    if (node->columns)
        GI_TRY(gi_buf_printf(&p->run, &why,
                             "; on some columns, which is a map of the row"));
    GI_TRY(certify(p, i, "known kernel", why.s));
    at(p, i)->divisible = (node->class_->flags & GRAM_KERNEL_DIVISIBLE) != 0;
done:
    gi_buf_free(&why);
    return status;
}

static gram_status prove_leaf(prover *p, size_t i,
                              const summary *parts __attribute__((unused)))
{
    gram_status status = GRAM_OK;
    gram_verdict v = class_verdict(p, at(p, i)->node);
    gi_refutation first = {(double *)v.points, v.count, v.d, NAN};

    if (v.psd == GRAM_PSD_CERTIFIED)
        return certify_leaf(p, i, &v);
    GI_TRY(copy(p, v.instead, &at(p, i)->shown.instead));
    if (v.psd == GRAM_PSD_REFUTED) {
        GI_TRY(doubt(p, i, "known counterexample", v.why, &first));
        at(p, i)->shown.psd = -1;
    } else {
        at(p, i)->shown.rule = "not known";
        GI_TRY(copy(p, v.why, &at(p, i)->shown.why));
    }
done:
    return status;
}

static gram_status prove_constant(prover *p, size_t i,
                                  const summary *parts __attribute__((unused)))
{
    gram_status status = GRAM_OK;
    double value = slot_value(p, at(p, i)->node->slot[0]);
    gi_node positive = {.kind = GI_NODE_NUMBER, .number = fabs(value)};
    gi_refutation none = {0};

    at(p, i)->divisible = 1;
    if (isnan(value))
        return certify(p, i, "constant",
                       "learned among the numbers that are not negative");
    if (value >= 0)
        return certify(p, i, "constant", "a number that is not negative");
    at(p, i)->divisible = 0;
    GI_TRY(doubt(p, i, "constant", "a negative number: k(x,x) < 0", &none));
    GI_TRY(suggest(p, i, &positive));
done:
    return status;
}

/* ---------------------------------------------------------------- powers */

static gram_status prove_power(prover *p, size_t i, const summary *parts)
{
    gram_status status = GRAM_OK;
    const gi_kernel_node *node = at(p, i)->node;
    double e = node->exponent;
    gi_node whole = *node->at;
    gi_refutation none = {0};

    if (e == 0)
        return certify(p, i, "constant", "1 for all x and t");
    if (parts->bad)
        return blame(p, i, "power", parts->bad);
    at(p, i)->divisible = e > 0 && parts->divisible;
    if (e > 0 && e == floor(e))
        return certify(p, i, "integer power",
                       "a product of the kernel with itself (Schur, 1911)");
    if (at(p, i)->divisible)
        return certify(p, i, "power of an infinitely divisible kernel",
                       "every power p > 0 of this kernel is PSD");
    if (e > 0)
        GI_TRY(doubt(p, i, "non-integer power",
                     "keeps matrices of n rows PSD only if n <= power + 2 "
                     "(FitzGerald and Horn, 1977), unless the kernel is "
                     "infinitely divisible",
                     &none));
    else
        GI_TRY(doubt(p, i, "negative power",
                     "turns large values into small ones, so |k(x,t)| may "
                     "exceed k(x,x) and k(t,t)",
                     &none));
    whole.number = e > 0 ? ceil(e) : 1;
    GI_TRY(suggest(p, i, whole.number > 1 ? &whole : whole.kids));
done:
    return status;
}

/* ------------------------------------------------------------------ sums */

/* The step after those of step i and its parts. */
static size_t behind(const prover *p, size_t i)
{
    int depth = at(p, i)->shown.depth;

    do
        i++;
    while (i < p->proof->count && at(p, i)->shown.depth > depth);
    return i;
}

/* The same kernel?  Open numbers may get different values. */
static int same_kernel(const prover *p, size_t a, size_t b)
{
    return a == b || (strcmp(at(p, a)->shown.text, at(p, b)->shown.text) == 0 &&
                      !is_open(p, at(p, a)->node));
}

/* A term c k^n of a polynomial in k. */
typedef struct term {
    double factor; /* NaN if open */
    double power;
    size_t base; /* the step of k; 0: a number alone */
    int mixed;   /* it is not of this form */
} term;

static void multiply_term(const prover *p, size_t i, term *t)
{
    const gi_kernel_node *node = at(p, i)->node;
    double n = node->exponent;

    if (node->kind == GI_KERNEL_CONSTANT) {
        t->factor *= slot_value(p, node->slot[0]);
        return;
    }
    if (node->kind == GI_KERNEL_PRODUCT && !node->columns) {
        size_t end = behind(p, i);

        for (size_t kid = i + 1; kid < end; kid = behind(p, kid))
            multiply_term(p, kid, t);
        return;
    }
    if (node->kind == GI_KERNEL_POWER && !node->columns && n >= 1 &&
        n == floor(n))
        i++; /* its only part */
    else
        n = 1;
    t->power += n;
    t->mixed |= t->base && !same_kernel(p, t->base, i);
    t->base = i;
}

static term read_term(const prover *p, size_t i)
{
    term t = {.factor = at(p, i)->node->minus ? -1 : 1};

    multiply_term(p, i, &t);
    return t;
}

/* The coefficient of k^power in the sum of the steps from `kid` on. */
static double coefficient(const prover *p, size_t kid, double power)
{
    double sum = 0;

    for (; kid < p->proof->count; kid = behind(p, kid)) {
        term t = read_term(p, kid);

        sum += t.power == power ? t.factor : 0;
    }
    return sum;
}

/* Is the sum, whose parts are the last steps, a polynomial in one certified
 * kernel with coefficients that are not negative?  Of degree 1 and without
 * minus signs it is called a sum. */
static int is_polynomial(const prover *p, size_t sum, int minus)
{
    size_t base = 0;
    double degree = 0;

    for (size_t kid = sum + 1; kid < p->proof->count; kid = behind(p, kid)) {
        term t = read_term(p, kid);

        base = base ? base : t.base;
        degree = fmax(degree, t.power);
        if (t.mixed || (t.base && !same_kernel(p, base, t.base)) ||
            !(t.factor >= 0 || coefficient(p, sum + 1, t.power) >= 0))
            return 0;
    }
    return base && at(p, base)->shown.psd > 0 && (degree > 1 || minus);
}

/* Suggest the sum or product with + in place of every -, that of numbers, too. */
static gram_status suggest_positive(prover *p, size_t i)
{
    gram_status status = GRAM_OK;
    gi_node whole = *at(p, i)->node->at, *kids = NULL;
    size_t count = 0;

    for (const gi_node *kid = whole.kids; kid; kid = kid->next)
        count++;
    GI_TRY(GI_NEW(&p->run, kids, count));
    count = 0;
    for (const gi_node *kid = whole.kids; kid; kid = kid->next, count++) {
        kids[count] = *kid;
        kids[count].minus = 0;
        kids[count].number = fabs(kid->number);
        kids[count].next = kid->next ? kids + count + 1 : NULL;
    }
    whole.kids = kids;
    GI_TRY(suggest(p, i, &whole));
done:
    gi_free(kids);
    return status;
}

static gram_status prove_sum(prover *p, size_t i, const summary *parts)
{
    gram_status status = GRAM_OK;
    gi_refutation none = {0};

    if (is_polynomial(p, i, parts->minus))
        return certify(p, i, "polynomial",
                       "a polynomial of a kernel with coefficients that are "
                       "not negative");
    if (parts->bad)
        return blame(p, i, "sum", parts->bad);
    if (!parts->minus)
        return certify(p, i, "sum", "a sum of kernels");
    GI_TRY(doubt(p, i, "difference",
                 "what is subtracted may be larger than what is left, in some "
                 "direction",
                 &none));
    GI_TRY(suggest_positive(p, i));
done:
    return status;
}

static gram_status prove_product(prover *p, size_t i, const summary *parts)
{
    gram_status status = GRAM_OK;
    gi_refutation none = {0};

    if (parts->bad_kernel)
        return blame(p, i, "product", parts->bad_kernel);
    at(p, i)->divisible = parts->divisible;
    if (parts->sign > 0 && parts->kernels > 1)
        return certify(p, i, "product", "a product of kernels (Schur, 1911)");
    if (parts->sign > 0)
        return certify(p, i, "non-negative scaling",
                       "a multiple of a kernel that is not negative");
    GI_TRY(doubt(p, i, "negative scale",
                 "a negative multiple of a kernel: k(x,x) < 0", &none));
    GI_TRY(suggest_positive(p, i));
done:
    return status;
}

/* --------------------------------------------------- functions of a kernel */

/* A weight is not divisible: its column may be negative. */
static const struct closure {
    const char *rule, *why;
    enum { DIVISIBLE_NEVER, DIVISIBLE_AS_PART, DIVISIBLE_ALWAYS } divisible;
} closures[] = {
    /* exp(k)^p = exp(p k) */
    [GI_KERNEL_EXP] = {"exp",
                       "a power series of a kernel with positive coefficients",
                       DIVISIBLE_ALWAYS},
    [GI_KERNEL_NORMALIZE] = {"normalize",
                             "f(x) k(x,t) f(t) with f(x) = 1/sqrt(k(x,x)), or "
                             "0 where that is 0",
                             DIVISIBLE_AS_PART},
    [GI_KERNEL_MAP] = {"map",
                       "k(phi(x), phi(t)), a matrix of k on other points",
                       DIVISIBLE_AS_PART},
    [GI_KERNEL_WEIGHT] = {"weight", "f(x) k(x,t) f(t) with f(x) the column",
                          DIVISIBLE_NEVER},
};

static gram_status prove_closure(prover *p, size_t i, const summary *parts)
{
    const struct closure *c = &closures[at(p, i)->node->kind];

    if (parts->bad)
        return blame(p, i, c->rule, parts->bad);
    at(p, i)->divisible =
        c->divisible == DIVISIBLE_ALWAYS || (c->divisible && parts->divisible);
    return certify(p, i, c->rule, c->why);
}

static gram_status (*const rules[])(prover *p, size_t i,
                                    const summary *parts) = {
    [GI_KERNEL_LEAF] = prove_leaf,
    [GI_KERNEL_CONSTANT] = prove_constant,
    [GI_KERNEL_SUM] = prove_sum,
    [GI_KERNEL_PRODUCT] = prove_product,
    [GI_KERNEL_POWER] = prove_power,
    [GI_KERNEL_EXP] = prove_closure,
    [GI_KERNEL_NORMALIZE] = prove_closure,
    [GI_KERNEL_MAP] = prove_closure,
    [GI_KERNEL_WEIGHT] = prove_closure,
};

/* ------------------------------------------------------------------- tree */

static gram_status add_step(prover *p, const gi_kernel_node *node, int depth,
                            size_t *out)
{
    gram_status status = GRAM_OK;
    gram_proof *proof = p->proof;
    gi_buf text = {0};

    GI_TRY(GI_RESERVE(&p->run, proof->step, proof->capacity, proof->count + 1));
    *out = proof->count++;
    proof->step[*out] =
        (step){.shown = {.depth = depth, .eigenvalue = NAN}, .node = node};
    GI_TRY(gi_kernel_print(&p->run, p->kernel, node, &text));
    GI_TRY(copy(p, text.s, &proof->step[*out].shown.text));
done:
    gi_buf_free(&text);
    return status;
}

static void add_part(const prover *p, size_t i, summary *parts)
{
    const step *s = at(p, i);
    int number = s->node->kind == GI_KERNEL_CONSTANT;

    if (s->shown.psd < 1 && !parts->bad)
        parts->bad = i;
    if (s->shown.psd < 1 && !number && !parts->bad_kernel)
        parts->bad_kernel = i;
    parts->divisible &= s->divisible;
    parts->minus |= s->node->minus;
    parts->kernels += !number;
    if (number && slot_value(p, s->node->slot[0]) < 0)
        parts->sign = -parts->sign;
}

static gram_status prove(prover *p, const gi_kernel_node *node, int depth,
                         size_t *out)
{
    gram_status status = GRAM_OK;
    summary parts = {.divisible = 1, .sign = 1};

    GI_TRY(add_step(p, node, depth, out));
    for (const gi_kernel_node *kid = node->kids; kid; kid = kid->next) {
        size_t i;

        GI_TRY(prove(p, kid, depth + 1, &i));
        add_part(p, i, &parts);
    }
    GI_TRY(rules[node->kind](p, *out, &parts));
done:
    return status;
}

gram_status gi_proof_new(gi_run *run, const gram_kernel *k, gram_proof **out)
{
    gram_status status = GRAM_OK;
    prover p = {.run = gi_run_quiet(run), .kernel = k};
    size_t root;

    *out = NULL;
    p.run.threads = 1; /* the matrices of a search are tiny */
    GI_TRY(GI_NEW_ZERO(&p.run, p.proof, 1));
    GI_TRY(prove(&p, k->root, 0, &root));
    *out = p.proof;
    p.proof = NULL;
done:
    gram_proof_free(p.proof);
    return status;
}

/* ----------------------------------------------------------------- public */

gram_status gram_proof_new(const gram_kernel *k, gram_proof **out)
{
    GI_RUN(run, NULL);

    return gi_proof_new(&run, k, out);
}

void gram_proof_free(gram_proof *proof)
{
    if (!proof)
        return;
    for (size_t i = 0; i < proof->count; i++) {
        gram_proof_step *s = &proof->step[i].shown;

        gi_free((void *)s->text);
        gi_free((void *)s->why);
        gi_free((void *)s->instead);
        gi_free((void *)s->points);
    }
    gi_free(proof->step);
    gi_free(proof);
}

int gram_proof_psd(const gram_proof *proof)
{
    return proof->step[0].shown.psd;
}

size_t gram_proof_count(const gram_proof *proof)
{
    return proof->count;
}

gram_proof_step gram_proof_at(const gram_proof *proof, size_t i)
{
    return proof->step[i].shown;
}
