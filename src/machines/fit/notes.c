/* notes.c - what a fit tells beside its answer: one sentence each, with what
 * to do, and only where it matters.
 *
 *     numbers   the optimum is at the end of what is searched
 *     columns   constant; or a count or a name of the rows
 *     rows      that are alike but have other targets: what no function of
 *               these columns can tell apart, if that is much
 *
 * Rows are compared by 64-bit hashes.  Cost: O(n (d + log n)).
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "machines/fit.h"

/* Fewer rows say little about a column or about rows that are alike. */
enum { FEW_ROWS = GI_NOTES_ROWS };

/* Shares that are worth a sentence: of the variance of the target, of rows in
 * a class that is not the usual one of rows like them. */
static const double much_variance = 0.05, much_wrong = 0.02;

/* Whole numbers between these may be years. */
static const double first_year = 1500, last_year = 2200;

/* ------------------------------------------------------------------ numbers */

static gram_status note_lambda(gi_fit *f)
{
    if (f->lambda_edge < 0)
        return gi_machine_note(f->run, f->m,
                               "lambda is at the lower end of what is "
                               "searched, as if the target had no noise: if it "
                               "has some, give lambda or choose by another "
                               "criterion");
    if (f->lambda_edge > 0)
        return gi_machine_note(f->run, f->m,
                               "lambda is at the upper end of what is "
                               "searched: with this kernel the target looks "
                               "like noise; try another one");
    return GRAM_OK;
}

static gram_status note_number(gi_fit *f)
{
    const gi_unknown *u;

    if (f->edge == 0)
        return GRAM_OK;
    u = &f->unknown[f->edge - 1];
    return gi_machine_note(f->run, f->m,
                           "%s = %.4g is at the end of what is searched: try "
                           "another kernel, or give a start (?%.4g) to search "
                           "farther",
                           f->m->expansion.kernel->slot[u->slot].name,
                           f->theta[u->theta], f->theta[u->theta]);
}

/* ------------------------------------------------------------------ columns */

static int is_constant(const gi_column *c, size_t n)
{
    size_t i = 1;

    if (c->values)
        while (i < n && c->values[i] == c->values[0])
            i++;
    else if (c->codes)
        while (i < n && c->codes[i] == c->codes[0])
            i++;
    else
        return 0;
    return i == n;
}

/* Whole numbers that go up from row to row, or a name for every row.  Dates
 * and years do so by their nature. */
static int is_counter(const gi_column *c, size_t n)
{
    if (c->type == GRAM_TYPE_CATEGORY)
        return c->level_count >= n;
    if (c->type != GRAM_TYPE_NUMBER ||
        (c->values[0] >= first_year && c->values[n - 1] <= last_year))
        return 0;
    for (size_t i = 0; i < n; i++)
        if (c->values[i] != floor(c->values[i]) ||
            (i > 0 && !(c->values[i] > c->values[i - 1])))
            return 0;
    return 1;
}

/* A feature that the kernel looks at; the machine's own table may have fewer
 * rows than it was fitted to. */
static int is_used(const gi_fit *f, const gi_column *c)
{
    return c->role == GRAM_ROLE_FEATURE &&
           gi_dict_find(&f->m->expansion.table->names, c->name,
                        strlen(c->name)) >= 0;
}

/* One sentence for all columns for which it is true. */
static gram_status note_columns(gi_fit *f,
                                int (*is)(const gi_column *c, size_t n),
                                const char *what)
{
    const gram_table *t = gi_fit_table(f);
    const char *name = NULL;
    char more[64] = "";
    size_t count = 0;

    for (size_t j = 0; j < t->cols; j++)
        if (is_used(f, &t->column[j]) && is(&t->column[j], t->rows))
            name = count++ ? name : t->column[j].name;
    if (count == 0)
        return GRAM_OK;
    if (count > 1)
        snprintf(more, sizeof more, ", as %s %zu more",
                 count == 2 ? "is" : "are", count - 1);
    return gi_machine_note(f->run, f->m, "column \"%s\" %s%s: drop it", name,
                           what, more);
}

/* --------------------------------------------------------------------- rows */

typedef struct key {
    uint64_t x, y;
    size_t row;
} key;

static uint64_t mix(uint64_t h, const void *p, size_t bytes)
{
    const unsigned char *c = p;

    for (size_t i = 0; i < bytes; i++)
        h = (h ^ c[i]) * 0x100000001b3u; /* FNV-1a */
    return h;
}

static uint64_t hash_number(uint64_t h, double value)
{
    value += 0.0; /* -0 is 0 */
    return mix(h, &value, sizeof value);
}

static int compare_keys(const void *a, const void *b)
{
    const key *p = a, *q = b;

    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    if (p->y != q->y)
        return p->y < q->y ? -1 : 1;
    return (p->row > q->row) - (p->row < q->row);
}

/* 0 if there are columns that cannot be compared. */
static int make_keys(const gram_machine *m, key *keys)
{
    const gram_table *t = m->expansion.table;
    const uint64_t seed = 0xcbf29ce484222325u;

    for (size_t i = 0; i < t->rows; i++) {
        keys[i] = (key){seed, seed, i};
        for (size_t k = 0; k < m->outputs.count; k++)
            keys[i].y =
                hash_number(keys[i].y, m->training.y[i * m->outputs.count + k]);
    }
    for (size_t j = 0; j < t->cols; j++) {
        const gi_column *c = &t->column[j];

        if (c->role != GRAM_ROLE_FEATURE)
            continue;
        if (!c->values && !c->codes)
            return 0;
        for (size_t i = 0; i < t->rows; i++)
            keys[i].x = c->values
                            ? hash_number(keys[i].x, c->values[i])
                            : mix(keys[i].x, &c->codes[i], sizeof *c->codes);
    }
    return 1;
}

/* Rows of a group that are not of the class most of it are. */
static size_t count_wrong(const key *k, size_t count)
{
    size_t most = 0;

    for (size_t i = 0, from = 0; i < count; i++) {
        from = k[i].y == k[from].y ? from : i;
        most = i + 1 - from > most ? i + 1 - from : most;
    }
    return count - most;
}

/* Sum of squares of the first target in a group about its mean. */
static double squares(const gram_machine *m, const key *k, size_t count)
{
    double mean = 0, sum = 0;

    for (size_t i = 0; i < count; i++)
        mean += m->training.y[k[i].row * m->outputs.count] / (double)count;
    for (size_t i = 0; i < count; i++) {
        double rest = m->training.y[k[i].row * m->outputs.count] - mean;

        sum += rest * rest;
    }
    return sum;
}

static gram_status note_rows(gi_fit *f)
{
    gram_status status = GRAM_OK;
    const gram_machine *m = f->m;
    const size_t n = m->expansion.table->rows;
    double within = 0, all;
    size_t wrong = 0;
    key *keys = NULL;

    GI_TRY(GI_NEW(f->run, keys, n));
    if (!make_keys(m, keys))
        goto done;
    all = squares(m, keys, n);
    qsort(keys, n, sizeof *keys, compare_keys);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && keys[end].x == keys[i].x; end++)
            ;
        wrong += count_wrong(&keys[i], end - i);
        within += squares(m, &keys[i], end - i);
    }
    if (m->outputs.classes.coding != GI_CODING_NONE &&
        (double)wrong > much_wrong * (double)n)
        GI_TRY(gi_machine_note(f->run, f->m,
                               "rows that are alike are of different classes: "
                               "at most %.3g %% can be told by these columns",
                               100 * (double)(n - wrong) / (double)n));
    if (m->outputs.classes.coding == GI_CODING_NONE && m->outputs.count == 1 &&
        within > much_variance * all)
        GI_TRY(gi_machine_note(f->run, f->m,
                               "rows that are alike have different targets: "
                               "on these rows R2 is at most %.3g with these "
                               "columns",
                               1 - within / all));
done:
    gi_free(keys);
    return status;
}

gram_status gi_fit_notes(gi_fit *f)
{
    gram_status status = GRAM_OK;
    const gram_table *t = gi_fit_table(f);
    size_t features = 0;

    GI_TRY(note_lambda(f));
    GI_TRY(note_number(f));
    for (size_t j = 0; j < t->cols; j++)
        features += (size_t)is_used(f, &t->column[j]);
    if (t->rows < FEW_ROWS || features < 1)
        goto done;
    GI_TRY(note_columns(f, is_constant, "is constant"));
    if (features > 1)
        GI_TRY(note_columns(f, is_counter,
                            "seems to count or name the rows, which other "
                            "rows will not share"));
    if (f->m->outputs.target_count &&
        f->m->expansion.n == f->m->expansion.table->rows &&
        f->m->expansion.n == t->rows)
        GI_TRY(note_rows(f));
done:
    return status;
}
