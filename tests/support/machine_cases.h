/* machine_cases.h - one machine of every kind, and tables for them whose rows
 * are known by their number: row i has the same cells in whatever table it is.
 *
 * Columns: numbers a, b, time and w1 .. w12, a category c, sparse blocks s of
 * few entries and q of many, and the targets of the case.
 */
#ifndef MACHINE_CASES_H
#define MACHINE_CASES_H

#include "check.h"

enum case_target { NUMBER, SEVERAL, COUNT, TWO, THREE, NOVELTY };

typedef struct machine_case {
    const char *name;
    enum case_target target;
    gram_fit_options o;
} machine_case;

#define WIDE "[w1,w2,w3,w4,w5,w6,w7,w8,w9,w10,w11,w12]"

static const machine_case machine_cases[] = {
    {"dual", NUMBER, {.kernel = "rbf(gamma=0.5)[a,b]", .lambda = "0.1"}},
    {"dual, wide", NUMBER, {.kernel = "rbf(gamma=0.1)" WIDE, .lambda = "0.1"}},
    {"dual, selected", NUMBER, {.kernel = "rbf[a,b]"}},
    {"dual, factor kept",
     NUMBER,
     {.kernel = "matern(length=2)" WIDE, .lambda = "0.1", .keep_factor = 1}},
    {"dual, single, factor kept",
     NUMBER,
     {.kernel = "rbf(gamma=0.2)" WIDE,
      .lambda = "0.1",
      .solver = "dual",
      .precision = 2,
      .keep_factor = 1}},
    {"dual, no intercept",
     NUMBER,
     {.kernel = "rq(length=2,alpha=1)" WIDE,
      .lambda = "0.1",
      .no_intercept = 1}},
    {"terms",
     NUMBER,
     {.kernel = "2*rbf(gamma=0.5)[a,b] + linear" WIDE " + rbf(gamma=1)[time]",
      .lambda = "0.1",
      .solver = "dual"}},
    {"shared product",
     NUMBER,
     {.kernel = "rbf(gamma=0.1)" WIDE " + 0.5*linear" WIDE, .lambda = "0.1"}},
    {"laplace",
     NUMBER,
     {.kernel = "laplace(gamma=0.1)[a,b,w1,w2,w3]", .lambda = "0.1"}},
    {"categories",
     NUMBER,
     {.kernel = "rbf(gamma=0.5)[a,c] + delta[c]", .lambda = "0.1"}},
    {"length each",
     NUMBER,
     {.kernel = "rbf(length=[1,2,1,2,3],ard)[a,b,c]", .lambda = "0.1"}},
    {"cosine",
     NUMBER,
     {.kernel = "normalize(poly(degree=2,offset=1))[a,b,w1]", .lambda = "0.1"}},
    {"arccos", NUMBER, {.kernel = "arccos(order=1)" WIDE, .lambda = "0.1"}},
    {"sparse", NUMBER, {.kernel = "rbf(gamma=0.5)[s]", .lambda = "0.1"}},
    {"sparse and dense",
     NUMBER,
     {.kernel = "rbf(gamma=0.5)[s,a] + linear[s]",
      .lambda = "0.1",
      .solver = "dual"}},
    {"nearly dense",
     NUMBER,
     {.kernel = "rbf(gamma=0.1)[q] + linear[q]",
      .lambda = "0.1",
      .solver = "dual"}},
    {"nearly dense, normalized",
     NUMBER,
     {.kernel = "normalize(linear[q]+rbf(gamma=1)[a])", .lambda = "0.1"}},
    {"primal",
     NUMBER,
     {.kernel = "poly(degree=2)[a,b,w1]", .lambda = "0.1", .solver = "primal"}},
    {"primal, several", SEVERAL, {.kernel = "linear" WIDE, .lambda = "0.1"}},
    {"primal, sparse", NUMBER, {.kernel = "linear[s]", .lambda = "0.1"}},
    {"primal, lambda 0", NUMBER, {.kernel = "linear[a,b]", .lambda = "0"}},
    {"dual, lambda 0",
     NUMBER,
     {.kernel = "poly(degree=2)[a,b]", .lambda = "0", .solver = "dual"}},
    {"several", SEVERAL, {.kernel = "rbf(gamma=0.5)[a,b]", .lambda = "0.1"}},
    {"several, each",
     SEVERAL,
     {.kernel = "rbf(gamma=0.5)[a,b]", .lambda = "auto", .per_target = 1}},
    {"markov",
     NUMBER,
     {.kernel = "matern(length=1)[time]", .lambda = "0.1", .solver = "markov"}},
    {"markov, exact",
     NUMBER,
     {.kernel = "exponential(length=1)[time]",
      .lambda = "0",
      .solver = "markov"}},
    {"cg",
     NUMBER,
     {.kernel = "rbf(gamma=0.5)[a,b]", .lambda = "0.1", .solver = "cg"}},
    {"gd",
     NUMBER,
     {.kernel = "rbf(gamma=0.5)[a,b]", .lambda = "0.1", .solver = "gd"}},
    {"huber", NUMBER, {.kernel = "rbf[a,b]", .loss = "huber", .lambda = "1"}},
    {"quantile",
     NUMBER,
     {.kernel = "rbf(gamma=0.5)[a,b]",
      .loss = "quantile(tau=[0.1,0.5,0.9])",
      .lambda = "0.1"}},
    {"svr",
     NUMBER,
     {.kernel = "rbf(gamma=0.5)[a,b]",
      .loss = "epsilon_insensitive(epsilon=0.1)",
      .lambda = "0.1"}},
    {"poisson",
     COUNT,
     {.kernel = "rbf(gamma=0.5)[a,b]", .loss = "poisson", .lambda = "1"}},
    {"hinge",
     TWO,
     {.kernel = "rbf(gamma=0.5)[a,b]", .loss = "hinge", .lambda = "0.5"}},
    {"hinge, probabilities",
     THREE,
     {.kernel = "rbf(gamma=0.1)" WIDE,
      .loss = "hinge",
      .lambda = "0.5",
      .probability = 1}},
    {"logistic",
     TWO,
     {.kernel = "rbf(gamma=0.5)[a,b]", .loss = "logistic", .lambda = "0.5"}},
    {"logistic, process",
     TWO,
     {.kernel = "rbf[a,b]",
      .loss = "logistic",
      .select = GRAM_SELECT_EVIDENCE}},
    {"softmax",
     THREE,
     {.kernel = "rbf(gamma=0.5)[a,b]", .loss = "softmax", .lambda = "0.5"}},
    {"squared hinge",
     THREE,
     {.kernel = "linear[s]", .loss = "squared_hinge", .lambda = "0.5"}},
    {"one class",
     NOVELTY,
     {.kernel = "rbf(gamma=0.5)[a,b]", .loss = "one_class(nu=0.2)"}},
};

enum { MACHINE_CASES = sizeof machine_cases / sizeof *machine_cases };

/* ------------------------------------------------------------------- tables */

enum { NUMBERS = 15, SPARSE_WIDTH = 60, FULL_WIDTH = 12 };

/* A number of row i in [-1, 1), the same for the same i and k. */
static inline double cell_of(size_t i, size_t k)
{
    uint64_t h = (i + 1) * 0x9e3779b97f4a7c15u + (k + 1) * 0xbf58476d1ce4e5b9u;

    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    return (double)((h ^ (h >> 31)) >> 11) * 0x1p-52 - 1;
}

/* Cells are `far` times as large, in a class and with features of their own,
 * from row number CASE_FAR on. */
enum { CASE_FAR = 1 << 30 };

typedef struct case_rows {
    const size_t *row; /* their numbers; NULL: first, first + 1, ... */
    size_t first, count;
    double far;
} case_rows;

static inline size_t case_row(const case_rows *r, size_t i)
{
    return r->row ? r->row[i] : r->first + i;
}

static inline void add_case_numbers(gram_table *t, const case_rows *r)
{
    static const char *const names[NUMBERS] = {
        "a",  "b",  "time", "w1", "w2",  "w3",  "w4", "w5",
        "w6", "w7", "w8",   "w9", "w10", "w11", "w12"};
    double *x = calloc(r->count + 1, sizeof *x);

    for (size_t k = 0; k < NUMBERS; k++) {
        for (size_t i = 0; i < r->count; i++)
            x[i] = (2 * cell_of(case_row(r, i), k) + 1) *
                   (case_row(r, i) >= CASE_FAR ? r->far : 1);
        CHECK_OK(gram_table_add_numbers(t, names[k], x, 1));
    }
    free(x);
}

/* `many` entries a row of `width`; of far rows one more, behind the others. */
static inline void add_case_sparse(gram_table *t, const char *name,
                                   const case_rows *r, size_t width,
                                   size_t many)
{
    size_t *start = calloc(r->count + 1, sizeof *start), n = 0;
    unsigned *index = calloc(r->count * (many + 1) + 1, sizeof *index);
    double *entry = calloc(r->count * (many + 1) + 1, sizeof *entry);

    for (size_t i = 0; i < r->count; i++) {
        size_t row = case_row(r, i), stride = width / many;

        for (size_t k = 0; k < many; k++) {
            double c = cell_of(row, 100 + k);

            index[n] =
                (unsigned)(k * stride + (size_t)((c + 1) / 2 * (double)stride));
            entry[n++] = cell_of(row, 200 + k) * (row >= CASE_FAR ? r->far : 1);
        }
        if (row >= CASE_FAR) {
            index[n] = (unsigned)(width + 3);
            entry[n++] = r->far;
        }
        start[i + 1] = n;
    }
    CHECK_OK(gram_table_add_sparse(t, name, width + 4, start, index, entry));
    free(start);
    free(index);
    free(entry);
}

static inline void add_case_targets(gram_table *t, const case_rows *r,
                                    enum case_target kind)
{
    static const char *const words[] = {"apple", "pear", "fig"};
    double *y = calloc(2 * r->count + 1, sizeof *y), *z = y + r->count;
    const char **c = calloc(r->count + 1, sizeof *c);

    for (size_t i = 0; i < r->count; i++) {
        size_t row = case_row(r, i);
        double a = cell_of(row, 0), b = cell_of(row, 1);

        y[i] = sin(3 * a) + b * b + cell_of(row, 2) / 2 + cell_of(row, 50) / 5;
        z[i] = cos(2 * b) - a + cell_of(row, 51) / 5;
        c[i] = words[y[i] < 0 ? 0 : kind == TWO || z[i] < 0 ? 1 : 2];
        if (kind == COUNT)
            y[i] = floor(exp(y[i]));
    }
    if (kind == TWO || kind == THREE)
        CHECK_OK(gram_table_add_strings(t, "y", GRAM_TYPE_CATEGORY, c));
    else if (kind != NOVELTY)
        CHECK_OK(gram_table_add_numbers(t, "y", y, 1));
    if (kind != NOVELTY)
        CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    if (kind == SEVERAL) {
        CHECK_OK(gram_table_add_numbers(t, "z", z, 1));
        CHECK_OK(gram_table_set_role(t, "z", GRAM_ROLE_TARGET));
    }
    free(y);
    free(c);
}

static inline gram_table *case_table(const case_rows *r, enum case_target kind)
{
    static const char *const levels[] = {"red", "green", "blue"};
    const char **c = calloc(r->count + 1, sizeof *c);
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(r->count, &t));
    add_case_numbers(t, r);
    for (size_t i = 0; i < r->count; i++)
        c[i] = case_row(r, i) >= CASE_FAR
                   ? "ultraviolet"
                   : levels[(size_t)(1.5 * (cell_of(case_row(r, i), 60) + 1))];
    CHECK_OK(gram_table_add_strings(t, "c", GRAM_TYPE_CATEGORY, c));
    add_case_sparse(t, "s", r, SPARSE_WIDTH, 3);
    add_case_sparse(t, "q", r, FULL_WIDTH, 6);
    add_case_targets(t, r, kind);
    free(c);
    return t;
}

static inline gram_machine *case_fit(const machine_case *c, size_t n,
                                     const gram_exec *exec)
{
    gram_table *t = case_table(&(case_rows){.count = n}, c->target);
    gram_machine *m = NULL;

    if (gram_machine_fit(t, &c->o, exec, &m) != GRAM_OK)
        fail_msg("%s: %s", c->name, gram_error_message());
    gram_table_free(t);
    return m;
}

#endif
