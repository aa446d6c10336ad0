/* libsvm_read.c - LIBSVM's model files, read.
 *
 *     svm_type c_svc                      keys and their values, one a line,
 *     kernel_type rbf                     in any order
 *     gamma 0.5
 *     nr_class 2
 *     total_sv 3
 *     rho -0.25
 *     label 1 -1
 *     nr_sv 2 1
 *     SV
 *     1 1:0.5 3:2                         coefficients, then features
 *     ...
 *
 * Every list of the header is read as long as its line is, and only then
 * compared with what the counts promise, so that a count that lies costs no
 * memory.  Cost: one pass.
 */
#include "machines/files/libsvm_model.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "data/read/lines.h"
#include "data/read/load.h"

enum {
    SVM_TYPE,
    KERNEL_TYPE,
    DEGREE,
    GAMMA,
    COEF0,
    NR_CLASS,
    TOTAL_SV,
    RHO,
    LABEL,
    PROB_A,
    PROB_B,
    MARKS,
    NR_SV,
    SV, /* ends the header */
    KEYS
};

static const char *const keys[KEYS] = {
    "svm_type", "kernel_type",        "degree", "gamma", "coef0",
    "nr_class", "total_sv",           "rho",    "label", "probA",
    "probB",    "prob_density_marks", "nr_sv",  "SV"};

static const double INDEX_MOST = 2147483647;

/* The values of a key. */
typedef struct field {
    size_t line; /* 0: it is not there */
    double *value;
    size_t n, room;
} field;

typedef struct parse {
    gi_run *run;
    gi_lines lines;
    size_t line;
    const char *p, *end; /* of the line in hand: end[0] is its newline */
    field field[KEYS];
    gi_libsvm *m;
    size_t total; /* support vectors that the header promises */
    size_t room;  /* for them */
} parse;

/* --------------------------------------------------------------- scanning */

static gram_status bad(const parse *s, size_t line, const char *format, ...)
    GI_PRINTF(3, 4);

static gram_status bad(const parse *s, size_t line, const char *format, ...)
{
    char text[200];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return gi_fail(GRAM_ERR_PARSE, "%s:%zu: %s", gi_input_name(s->lines.in),
                   line, text);
}

static int is_gap(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The length of the word at s->p, 0 at the end of the line. */
static size_t word(parse *s)
{
    const char *e;

    while (s->p < s->end && is_gap(*s->p))
        s->p++;
    for (e = s->p; e < s->end && !is_gap(*e);)
        e++;
    return (size_t)(e - s->p);
}

/* Call `each` for every line. */
static gram_status walk(parse *s, gram_status (*each)(parse *))
{
    gram_status status = GRAM_OK;
    gi_text_block block[GI_BLOCKS_MOST];
    size_t count = 0;

    gi_lines_begin(&s->lines, 1);
    do {
        GI_TRY(gi_lines_next(&s->lines, SIZE_MAX, block, &count));
        for (size_t b = 0; b < count; b++) {
            const char *p = block[b].begin;

            for (s->line = block[b].line; p < block[b].end; s->line++) {
                s->p = p;
                s->end = memchr(p, '\n', (size_t)(block[b].end - p));
                p = s->end + 1;
                GI_TRY(each(s));
            }
        }
    } while (count > 0);
done:
    return status;
}

/* ----------------------------------------------------------------- header */

static gram_status add_value(parse *s, field *f, double x)
{
    gram_status status = GRAM_OK;

    if (f->n == f->room) {
        size_t room = f->room ? 2 * f->room : 8;

        GI_TRY(GI_GROW(s->run, f->value, room));
        f->room = room;
    }
    f->value[f->n++] = x;
done:
    return status;
}

static gram_status read_numbers(parse *s, int key)
{
    gram_status status = GRAM_OK;
    size_t n;

    while ((n = word(s)) > 0) {
        double x;

        if (!gi_number_whole(s->p, s->p + n, &x))
            return bad(s, s->line, "%s: \"%.*s%s\" is not a finite number",
                       keys[key], GI_QUOTE(s->p, n));
        GI_TRY(add_value(s, &s->field[key], x));
        s->p += n;
    }
done:
    return status;
}

/* The word's place in the list is the value. */
static gram_status read_name(parse *s, int key, const char *const *names)
{
    size_t n = word(s);

    for (size_t i = 0; names[i]; i++)
        if (strlen(names[i]) == n && memcmp(names[i], s->p, n) == 0)
            return add_value(s, &s->field[key], (double)i);
    return bad(s, s->line, "%s: there is no \"%.*s%s\"", keys[key],
               GI_QUOTE(s->p, n));
}

static gram_status read_header(parse *s)
{
    size_t n = word(s);
    int key = 0;

    if (n == 0)
        return GRAM_OK;
    while (key < KEYS &&
           (strlen(keys[key]) != n || memcmp(keys[key], s->p, n) != 0))
        key++;
    if (key == KEYS)
        return bad(s, s->line,
                   "\"%.*s%s\" is no line of a LIBSVM model's header",
                   GI_QUOTE(s->p, n));
    if (s->field[key].line)
        return bad(s, s->line, "%s stands in line %zu already", keys[key],
                   s->field[key].line);
    s->field[key].line = s->line;
    s->p += n;
    if (key == SVM_TYPE)
        return read_name(s, key, gi_libsvm_types);
    if (key == KERNEL_TYPE)
        return read_name(s, key, gi_libsvm_kernels);
    return key == SV ? GRAM_OK : read_numbers(s, key);
}

/* The key has `count` values, or where it is optional none at all. */
static gram_status expect(const parse *s, int key, size_t count, int optional)
{
    const field *f = &s->field[key];

    if (!f->line)
        return optional ? GRAM_OK
                        : gi_fail(GRAM_ERR_PARSE, "%s: no line \"%s\"",
                                  gi_input_name(s->lines.in), keys[key]);
    if (f->n != count)
        return bad(s, f->line, "%s has %zu value%s, must have %zu", keys[key],
                   f->n, f->n == 1 ? "" : "s", count);
    return GRAM_OK;
}

/* Whole numbers from `low` to `high`. */
static gram_status expect_whole(const parse *s, int key, double low,
                                double high)
{
    const field *f = &s->field[key];

    for (size_t i = 0; i < f->n; i++)
        if (f->value[i] != floor(f->value[i]) || f->value[i] < low ||
            f->value[i] > high)
            return bad(s, f->line,
                       "%s %.17g, must be a whole number from %.0f to %.0f",
                       keys[key], f->value[i], low, high);
    return GRAM_OK;
}

static double *take(field *f)
{
    double *value = f->value;

    f->value = NULL;
    return value;
}

/* Kernel and type: the lines that they need are there. */
static gram_status take_kernel(parse *s)
{
    gram_status status = GRAM_OK;
    gi_libsvm *m = s->m;
    double *into[] = {NULL, &m->gamma, &m->coef0};

    GI_TRY(expect(s, SVM_TYPE, 1, 0));
    GI_TRY(expect(s, KERNEL_TYPE, 1, 0));
    m->type = (gi_libsvm_type)s->field[SVM_TYPE].value[0];
    m->kernel = (gi_libsvm_kernel)s->field[KERNEL_TYPE].value[0];
    for (int i = 0; i < 3; i++) {
        int key = DEGREE + i;

        GI_TRY(expect(s, key, 1, !gi_libsvm_takes[m->kernel][i]));
        if (s->field[key].n && into[i])
            *into[i] = s->field[key].value[0];
    }
    GI_TRY(expect_whole(s, DEGREE, 0, INT_MAX));
    if (s->field[DEGREE].n)
        m->degree = (int)s->field[DEGREE].value[0];
done:
    return status;
}

/* nr_sv adds up to total_sv. */
static gram_status take_counts(parse *s)
{
    gram_status status = GRAM_OK;
    gi_libsvm *m = s->m;
    field *f = &s->field[NR_SV];
    double sum = 0;

    GI_TRY(expect(s, NR_SV, m->classes, 0));
    GI_TRY(expect_whole(s, NR_SV, 0, INT_MAX));
    for (size_t c = 0; c < m->classes; c++)
        sum += f->value[c];
    if (sum != (double)s->total)
        return bad(s, f->line, "nr_sv adds up to %.0f, total_sv is %zu", sum,
                   s->total);
    GI_TRY(GI_NEW(s->run, m->count, m->classes));
    for (size_t c = 0; c < m->classes; c++)
        m->count[c] = (size_t)f->value[c];
done:
    return status;
}

/* The labels of the classes, no two of them the same. */
static gram_status take_labels(parse *s)
{
    gram_status status = GRAM_OK;
    gi_libsvm *m = s->m;
    field *f = &s->field[LABEL];

    GI_TRY(expect(s, LABEL, m->classes, 0));
    GI_TRY(expect_whole(s, LABEL, INT_MIN, INT_MAX));
    GI_TRY(GI_NEW(s->run, m->label, m->classes));
    for (size_t c = 0; c < m->classes; c++) {
        m->label[c] = (int)f->value[c];
        for (size_t b = 0; b < c; b++)
            if (m->label[b] == m->label[c])
                return bad(s, f->line, "label %d stands there twice",
                           m->label[c]);
    }
done:
    return status;
}

static gram_status take_probabilities(parse *s)
{
    gram_status status = GRAM_OK;
    gi_libsvm *m = s->m;
    size_t pairs = gi_libsvm_pairs(m->classes);
    field *a = &s->field[PROB_A], *b = &s->field[PROB_B];
    field *marks = &s->field[MARKS];

    GI_TRY(expect(s, PROB_A, pairs, 1));
    GI_TRY(expect(s, PROB_B, pairs, 1));
    GI_TRY(expect(s, MARKS, GI_LIBSVM_MARKS, 1));
    if (gi_libsvm_classifies(m->type) && !a->line != !b->line)
        return bad(s, a->line ? a->line : b->line,
                   "probA and probB must stand there both or neither");
    m->prob_a = take(a);
    m->prob_b = take(b);
    m->marks = take(marks);
done:
    return status;
}

static gram_status end_header(parse *s)
{
    gram_status status = GRAM_OK;
    gi_libsvm *m = s->m;
    int classifies;

    GI_TRY(take_kernel(s));
    classifies = gi_libsvm_classifies(m->type);
    GI_TRY(expect(s, NR_CLASS, 1, 0));
    GI_TRY(expect(s, TOTAL_SV, 1, 0));
    GI_TRY(expect_whole(s, NR_CLASS, classifies ? 1 : 2,
                        classifies ? INT_MAX : 2));
    GI_TRY(expect_whole(s, TOTAL_SV, 0, INT_MAX));
    m->classes = (size_t)s->field[NR_CLASS].value[0];
    s->total = (size_t)s->field[TOTAL_SV].value[0];
    GI_TRY(expect(s, RHO, gi_libsvm_pairs(m->classes), 0));
    m->rho = take(&s->field[RHO]);
    /* LIBSVM writes neither for the other types */
    if (classifies) {
        GI_TRY(take_labels(s));
        GI_TRY(take_counts(s));
    }
    GI_TRY(take_probabilities(s));
done:
    return status;
}

/* -------------------------------------------------------- support vectors */

/* Room for another row, and its coefficients. */
static gram_status grow_rows(parse *s)
{
    gram_status status = GRAM_OK;
    gi_libsvm *m = s->m;
    size_t room = s->room ? 2 * s->room : 16, numbers;

    GI_TRY(gi_size_mul(room, m->classes - 1, &numbers));
    GI_TRY(GI_GROW(s->run, m->coef, numbers));
    GI_TRY(GI_GROW(s->run, m->x.start, room + 1));
    if (m->kernel == GI_LIBSVM_PRECOMPUTED)
        GI_TRY(GI_GROW(s->run, m->serial, room));
    s->room = room;
done:
    return status;
}

static gram_status add_entry(parse *s, unsigned index, double x)
{
    gram_status status = GRAM_OK;
    gi_sparse *rows = &s->m->x;
    size_t at = rows->start[s->m->n + 1];

    if (at == rows->capacity) {
        size_t capacity = rows->capacity ? 2 * rows->capacity : 64;

        GI_TRY(GI_GROW(s->run, rows->index, capacity));
        GI_TRY(GI_GROW(s->run, rows->entries, capacity));
        rows->capacity = capacity;
    }
    rows->index[at] = index;
    rows->entries[at] = x;
    rows->start[s->m->n + 1]++;
done:
    return status;
}

/* index:value, the word of n bytes at s->p. */
static gram_status read_pair(parse *s, size_t n, double *index, double *x)
{
    const char *colon = memchr(s->p, ':', n), *end = s->p + n;

    if (!colon || !gi_number_whole(s->p, colon, index) ||
        *index != floor(*index))
        return bad(s, s->line, "\"%.*s%s\" is not index:value",
                   GI_QUOTE(s->p, n));
    if (!gi_number_whole(colon + 1, end, x))
        return bad(s, s->line,
                   "feature %.0f: \"%.*s%s\" is not a finite number", *index,
                   GI_QUOTE(colon + 1, end - colon - 1));
    s->p = end;
    return GRAM_OK;
}

static gram_status read_features(parse *s)
{
    gram_status status = GRAM_OK;
    double last = 0, index, x;
    size_t n;

    while ((n = word(s)) > 0) {
        GI_TRY(read_pair(s, n, &index, &x));
        if (index < 1 || index > INDEX_MOST)
            return bad(s, s->line,
                       "feature index %.17g, must be from 1 to %.0f", index,
                       INDEX_MOST);
        if (index <= last)
            return bad(s, s->line,
                       "feature index %.0f after %.0f, must increase", index,
                       last);
        if (x != 0)
            GI_TRY(add_entry(s, (unsigned)index - 1, x));
        last = index;
    }
    if ((size_t)last > s->m->x.width)
        s->m->x.width = (size_t)last;
done:
    return status;
}

/* 0:serial, the number of the training row. */
static gram_status read_serial(parse *s)
{
    gram_status status = GRAM_OK;
    double index, x;
    size_t n = word(s);

    if (n == 0)
        return bad(s, s->line, "no 0:serial_number");
    GI_TRY(read_pair(s, n, &index, &x));
    if (index != 0 || x != floor(x) || x < 1 || x > INDEX_MOST)
        return bad(s, s->line,
                   "%.0f:%.17g, must be 0:serial_number, from 1 to %.0f", index,
                   x, INDEX_MOST);
    if (word(s) > 0)
        return bad(s, s->line, "more than 0:serial_number");
    s->m->serial[s->m->n] = (size_t)x;
done:
    return status;
}

static gram_status read_row(parse *s)
{
    gram_status status = GRAM_OK;
    gi_libsvm *m = s->m;
    size_t n = word(s), wanted = m->classes - 1;

    if (m->n == s->total)
        return n == 0
                   ? GRAM_OK
                   : bad(s, s->line, "another support vector, total_sv is %zu",
                         s->total);
    if (m->n == s->room)
        GI_TRY(grow_rows(s));
    for (size_t j = 0; j < wanted; j++, s->p += n) {
        n = word(s);
        if (n == 0 ||
            !gi_number_whole(s->p, s->p + n, &m->coef[m->n * wanted + j]))
            return bad(s, s->line,
                       "\"%.*s%s\" is not coefficient %zu of %zu, a finite "
                       "number",
                       GI_QUOTE(s->p, n), j + 1, wanted);
    }
    if (m->n == 0)
        m->x.start[0] = 0;
    m->x.start[m->n + 1] = m->x.start[m->n];
    GI_TRY(m->kernel == GI_LIBSVM_PRECOMPUTED ? read_serial(s)
                                              : read_features(s));
    m->n++;
done:
    return status;
}

static gram_status read_line(parse *s)
{
    gram_status status = GRAM_OK;

    if (s->field[SV].line)
        return read_row(s);
    GI_TRY(read_header(s));
    if (s->field[SV].line)
        GI_TRY(end_header(s));
done:
    return status;
}

int gi_libsvm_probe(const char *head, size_t n)
{
    size_t key = strlen(keys[SVM_TYPE]);

    return n > key && memcmp(head, keys[SVM_TYPE], key) == 0 &&
           is_gap(head[key]);
}

gram_status gi_libsvm_read(gi_run *run, gi_input *in, gi_libsvm *out)
{
    gram_status status = GRAM_OK;
    parse s = {.run = run, .lines = {.run = run, .in = in}, .m = out};

    GI_TRY(gi_input_rewind(in));
    GI_TRY(walk(&s, read_line));
    if (!s.field[SV].line)
        GI_TRY(gi_fail(GRAM_ERR_PARSE, "%s: ends before its line \"SV\"",
                       gi_input_name(in)));
    if (out->n < s.total)
        GI_TRY(bad(&s, s.field[TOTAL_SV].line,
                   "total_sv %zu, but %zu support vectors follow", s.total,
                   out->n));
    if (!out->x.start)
        GI_TRY(GI_NEW_ZERO(run, out->x.start, 1));
done:
    for (int key = 0; key < KEYS; key++)
        gi_free(s.field[key].value);
    gi_lines_free(&s.lines);
    return status;
}
