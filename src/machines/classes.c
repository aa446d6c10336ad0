/* classes.c - names of classes, codes of rows, weights; decision values become
 * classes and probabilities.
 *
 * Several classes with a function for each pair: the class with most votes, or
 * with probabilities r_ab of a against b the p of Wu, Lin and Weng (JMLR 5,
 * 2004, second method), which makes
 *
 *     sum over a, b != a of (r_ba p_a - r_ab p_b)^2
 *
 * least among p >= 0 with sum 1; their iteration always converges.
 */
#include "machines/classes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"

enum { MOST_CLASSES = 10000 };

/* Where coupling stops, times the classes.  LIBSVM stops early, and what it
 * has then depends on the order of classes. */
static const double COUPLED = 0.001, LIBSVM_COUPLED = 0.005;

/* The place of class k in a model's own order. */
static size_t place(const gi_classes *c, size_t k)
{
    return c->order ? c->order[k] : k;
}

void gi_classes_free(gi_classes *c)
{
    gi_strings_free(c->name, c->count);
    gi_free(c->sigmoid);
    gi_free(c->order);
    *c = (gi_classes){0};
}

size_t gi_classes_functions(const gi_classes *c)
{
    return c->coding == GI_CODING_PAIRS ? c->count * (c->count - 1) / 2
                                        : c->count;
}

void gi_classes_pair(const gi_classes *c, size_t q, size_t *a, size_t *b)
{
    for (*a = 0; q >= c->count - 1 - *a; ++*a)
        q -= c->count - 1 - *a;
    *b = *a + 1 + q;
}

double gi_classes_sign(const gi_classes *c, size_t q, size_t k)
{
    size_t a, b;

    if (c->coding == GI_CODING_JOINT)
        return q == k ? 1 : 0;
    if (c->coding == GI_CODING_REST)
        return q == k ? 1 : -1;
    gi_classes_pair(c, q, &a, &b);
    return k == b ? 1 : k == a ? -1 : 0;
}

/* ------------------------------------------------------------------- names */

/* The name of the class in row i; `room` is for those that are numbers. */
static const char *name_of(const gi_column *c, size_t i,
                           char room[GI_NUMBER_ROOM])
{
    if (c->codes)
        return c->levels[c->codes[i]];
    gi_number_print(c->values[i], room);
    return room;
}

static gram_status check_column(const gi_column *c, size_t rows)
{
    if (!c->codes && !c->values)
        return gi_fail(GRAM_ERR_SHAPE,
                       "target \"%s\" is a %s column, must be classes", c->name,
                       gram_type_name(c->type));
    for (size_t i = 0; i < rows; i++)
        if (c->codes ? c->codes[i] < 0 : isnan(c->values[i]))
            return gi_fail(GRAM_ERR_RANGE,
                           "row %zu, column \"%s\": the cell is missing, a "
                           "class is needed in every row",
                           i + 1, c->name);
    return GRAM_OK;
}

static int compare_names(const void *a, const void *b)
{
    return gi_name_compare(*(char *const *)a, *(char *const *)b);
}

gram_status gi_classes_read(gi_run *run, const gi_column *c, size_t rows,
                            gi_classes *out, int *code)
{
    gram_status status = GRAM_OK;
    gi_dict dict = {0};
    char room[GI_NUMBER_ROOM];

    GI_TRY(check_column(c, rows));
    for (size_t i = 0; i < rows; i++) {
        const char *name = name_of(c, i, room);

        GI_TRY(gi_dict_add(run, &dict, name, strlen(name), &code[i]));
        if (dict.count > MOST_CLASSES)
            GI_TRY(gi_fail(GRAM_ERR_RANGE,
                           "target \"%s\" has more than %d classes", c->name,
                           (int)MOST_CLASSES));
    }
    GI_TRY(GI_NEW_ZERO(run, out->name, dict.count));
    for (; out->count < dict.count; out->count++) {
        const char *name = gi_dict_at(&dict, out->count);

        GI_TRY(gi_strndup(run, name, strlen(name), &out->name[out->count]));
    }
    qsort(out->name, out->count, sizeof *out->name, compare_names);
    GI_TRY(gi_classes_find(run, out, c, rows, code));
done:
    gi_dict_free(&dict);
    return status;
}

/* The number that a name is, or NaN. */
static double number_of(const char *name)
{
    double x;

    return gi_number_whole(name, name + strlen(name), &x) ? x : NAN;
}

/* The class that is the same number, spelt otherwise: +1 and 1; or -1. */
static int find_number(const double *number, size_t count, const char *name)
{
    double x = number_of(name);

    for (size_t k = 0; k < count && !isnan(x); k++)
        if (number[k] == x)
            return (int)k;
    return -1;
}

gram_status gi_classes_find(gi_run *run, const gi_classes *c,
                            const gi_column *column, size_t rows, int *code)
{
    gram_status status = GRAM_OK;
    gi_dict dict = {0};
    double *number = NULL;
    char room[GI_NUMBER_ROOM];
    int k;

    GI_TRY(check_column(column, rows));
    GI_TRY(GI_NEW(run, number, c->count));
    for (size_t i = 0; i < c->count; i++) {
        GI_TRY(gi_dict_add(run, &dict, c->name[i], strlen(c->name[i]), &k));
        number[i] = number_of(c->name[i]);
    }
    for (size_t i = 0; i < rows; i++) {
        const char *name = name_of(column, i, room);

        code[i] = gi_dict_find(&dict, name, strlen(name));
        if (code[i] < 0)
            code[i] = find_number(number, c->count, name);
    }
done:
    gi_free(number);
    gi_dict_free(&dict);
    return status;
}

/* ----------------------------------------------------------------- weights */

static gram_status set_weight(const gi_classes *c, const char *name, size_t n,
                              const char *number, size_t digits, double *out)
{
    double x = 0;

    if (!gi_number_whole(number, number + digits, &x) || !(x > 0))
        return gi_fail(GRAM_ERR_RANGE,
                       "class weights: \"%.*s\" for class \"%.*s\", must be a "
                       "number above 0",
                       (int)digits, number, (int)n, name);
    for (size_t k = 0; k < c->count; k++)
        if (strlen(c->name[k]) == n && memcmp(c->name[k], name, n) == 0) {
            out[k] = x;
            return GRAM_OK;
        }
    return gi_fail(GRAM_ERR_NAME, "class weights: there is no class \"%.*s\"",
                   (int)n, name);
}

gram_status gi_classes_weights(gi_run *run, const gi_classes *c,
                               const char *text, const int *code, size_t rows,
                               double *out)
{
    gram_status status = GRAM_OK;
    size_t *count = NULL;

    for (size_t k = 0; k < c->count; k++)
        out[k] = 1;
    if (!text)
        return status;
    if (strcmp(text, "balanced") == 0) {
        GI_TRY(GI_NEW_ZERO(run, count, c->count));
        for (size_t i = 0; i < rows; i++)
            count[code[i]]++;
        for (size_t k = 0; k < c->count; k++)
            out[k] = (double)rows / (double)(c->count * count[k]);
        goto done;
    }
    while (*text) {
        size_t n = strcspn(text, ","), equals = n;

        while (equals > 0 && text[equals - 1] != '=')
            equals--;
        if (equals < 2)
            GI_TRY(gi_fail(GRAM_ERR_PARSE,
                           "class weights: \"%.*s\", must be CLASS=NUMBER or "
                           "balanced",
                           (int)n, text));
        GI_TRY(set_weight(c, text, equals - 1, text + equals, n - equals, out));
        text += n + (text[n] == ',');
    }
done:
    gi_free(count);
    return status;
}

/* ----------------------------------------------------------- probabilities */

/* The probability that function q says yes. */
static double yes(const gi_classes *c, size_t q, double f)
{
    double z = c->link == GI_LINK_SIGMOID
                   ? c->sigmoid[2 * q] * f + c->sigmoid[2 * q + 1]
                   : -f;

    return z > 0 ? exp(-z) / (1 + exp(-z)) : 1 / (1 + exp(z));
}

/* Wu, Lin and Weng's iteration (their algorithm 2): Q p is kept up to date
 * while one p after the other is set to its best and all are scaled to sum 1.
 * r[a*k + b]: the probability of a against b. */
static void couple(size_t k, const double *r, double tolerance, double *Q,
                   double *Qp, double *p)
{

    for (size_t a = 0; a < k; a++) {
        p[a] = 1 / (double)k;
        Q[a * k + a] = 0;
        for (size_t b = 0; b < k; b++)
            if (b != a) {
                Q[a * k + a] += r[b * k + a] * r[b * k + a];
                Q[a * k + b] = -r[b * k + a] * r[a * k + b];
            }
    }
    for (size_t step = 0; step < 100 + 10 * k; step++) {
        double pQp = 0, worst = 0;

        for (size_t a = 0; a < k; a++) {
            Qp[a] = 0;
            for (size_t b = 0; b < k; b++)
                Qp[a] += Q[a * k + b] * p[b];
            pQp += p[a] * Qp[a];
        }
        for (size_t a = 0; a < k; a++)
            worst = fmax(worst, fabs(Qp[a] - pQp));
        if (worst < tolerance)
            break;
        for (size_t a = 0; a < k; a++) {
            double d = (pQp - Qp[a]) / Q[a * k + a];

            p[a] += d;
            pQp = (pQp + d * (d * Q[a * k + a] + 2 * Qp[a])) /
                  ((1 + d) * (1 + d));
            for (size_t b = 0; b < k; b++) {
                Qp[b] = (Qp[b] + d * Q[a * k + b]) / (1 + d);
                p[b] /= 1 + d;
            }
        }
    }
}

/* Nearly certain pairs would leave the sum without a single minimum. */
static double keep_off(double p)
{
    return fmin(fmax(p, 1e-7), 1 - 1e-7);
}

static void proba_pairs(const gi_classes *c, const double *f, double *room,
                        double *p)
{
    size_t k = c->count, q = 0;
    double *r = room, *Q = r + k * k, *Qp = Q + k * k, *placed = Qp + k;

    for (size_t a = 0; a < k; a++)
        for (size_t b = a + 1; b < k; b++, q++) {
            size_t i = place(c, a), j = place(c, b);

            r[j * k + i] = keep_off(yes(c, q, f[q]));
            r[i * k + j] = 1 - r[j * k + i];
        }
    couple(k, r, (c->order ? LIBSVM_COUPLED : COUPLED) / (double)k, Q, Qp,
           placed);
    for (size_t a = 0; a < k; a++)
        p[a] = placed[place(c, a)];
}

static void proba_joint(const gi_classes *c, const double *f, double *p)
{
    double most = -INFINITY, sum = 0;

    for (size_t k = 0; k < c->count; k++)
        most = fmax(most, f[k]);
    for (size_t k = 0; k < c->count; k++)
        sum += p[k] = exp(f[k] - most);
    for (size_t k = 0; k < c->count; k++)
        p[k] /= sum;
}

static void proba_rest(const gi_classes *c, const double *f, double *p)
{
    double sum = 0;

    for (size_t k = 0; k < c->count; k++)
        sum += p[k] = yes(c, k, f[k]);
    for (size_t k = 0; k < c->count; k++)
        p[k] = sum > 0 ? p[k] / sum : 1 / (double)c->count;
}

gram_status gi_classes_proba(gi_run *run, const gi_classes *c, const double *f,
                             size_t rows, double *proba)
{
    gram_status status = GRAM_OK;
    size_t k = c->count, functions = gi_classes_functions(c);
    double *room = NULL;

    if (c->link == GI_LINK_NONE)
        return gi_fail(GRAM_ERR_RANGE,
                       "this loss has no probabilities: fit with probability, "
                       "which calibrates them, or with loss logistic");
    GI_TRY(GI_NEW(run, room, 2 * k * k + 2 * k));
    for (size_t i = 0; i < rows; i++) {
        const double *fi = f + i * functions;
        double *p = proba + i * k;

        if (k == 1)
            p[0] = 1;
        else if (c->coding == GI_CODING_JOINT)
            proba_joint(c, fi, p);
        else if (c->coding == GI_CODING_REST)
            proba_rest(c, fi, p);
        else if (k == 2)
            p[0] = 1 - (p[1] = yes(c, 0, *fi));
        else
            proba_pairs(c, fi, room, p);
    }
done:
    gi_free(room);
    return status;
}

/* ------------------------------------------------------------------ labels */

static int largest(const double *x, size_t n)
{
    size_t best = 0;

    for (size_t k = 1; k < n; k++)
        if (x[k] > x[best])
            best = k;
    return (int)best;
}

static int vote(const gi_classes *c, const double *f, double *votes)
{
    size_t q = 0, best = 0;

    memset(votes, 0, c->count * sizeof *votes);
    for (size_t a = 0; a < c->count; a++)
        for (size_t b = a + 1; b < c->count; b++, q++)
            votes[f[q] > 0 ? b : a]++;
    for (size_t k = 1; k < c->count; k++)
        if (votes[k] > votes[best] ||
            (votes[k] == votes[best] && place(c, k) < place(c, best)))
            best = k;
    return (int)best;
}

gram_status gi_classes_label(gi_run *run, const gi_classes *c, const double *f,
                             size_t rows, int *label)
{
    gram_status status = GRAM_OK;
    size_t functions = gi_classes_functions(c);
    double *room = NULL;

    if (c->link == GI_LINK_LOGISTIC || c->link == GI_LINK_SIGMOID) {
        GI_TRY(GI_NEW(run, room, rows * c->count));
        GI_TRY(gi_classes_proba(run, c, f, rows, room));
        for (size_t i = 0; i < rows; i++)
            label[i] = largest(room + i * c->count, c->count);
        goto done;
    }
    GI_TRY(GI_NEW(run, room, c->count));
    for (size_t i = 0; i < rows; i++)
        label[i] = c->coding == GI_CODING_PAIRS
                       ? vote(c, f + i * functions, room)
                       : largest(f + i * functions, c->count);
done:
    gi_free(room);
    return status;
}
