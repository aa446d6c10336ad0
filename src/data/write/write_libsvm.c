/* write_libsvm.c - LIBSVM text: label [qid:N] index:value ...
 *
 * The target is the label; several targets, which must be whole numbers, are
 * several labels.  A category is written by its names, which must be numbers.
 * A group column is the qid.  Number and date columns and sparse blocks, in
 * their order, are the features 1, 2, ...; zeros are left out, but the first
 * row names the last feature even so, to tell how many there are.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "data/write/writer.h"

static const size_t INDEX_MOST = ((size_t)1 << 31) - 1;

typedef struct libsvm {
    const gram_table *table;
    const char *name;
    size_t targets, groups, features;
} libsvm;

static int has_values(const gi_column *c)
{
    return c->type == GRAM_TYPE_NUMBER || c->type == GRAM_TYPE_DATE;
}

/* -------------------------------------------------------------- the columns */

/* A number, or (as several labels are read) numbers with commas. */
static int is_label(const char *s)
{
    const char *end = s + strlen(s);
    double x;

    do
        s = gi_number_parse(s, end, &x);
    while (s && isfinite(x) && *s == ',' && s++);
    return s == end && isfinite(x);
}

static int is_qid(const char *s)
{
    return *s && s[strspn(s, "0123456789")] == '\0' && strlen(s) < 16;
}

static gram_status refuse(const libsvm *v, const gi_column *c, const char *why)
{
    return gi_fail(GRAM_ERR_SHAPE, "%s: column \"%s\" is of %s %s, %s", v->name,
                   c->name, c->role == GRAM_ROLE_FEATURE ? "type" : "role",
                   c->role == GRAM_ROLE_FEATURE ? gram_type_name(c->type)
                                                : gram_role_name(c->role),
                   why);
}

/* A label or qid: values, or a category whose names all pass. */
static gram_status check_key(const libsvm *v, const gi_column *c,
                             int (*fits)(const char *s), const char *why)
{
    if (has_values(c))
        return GRAM_OK;
    if (c->type != GRAM_TYPE_CATEGORY)
        return refuse(v, c, why);
    for (size_t k = 0; k < c->level_count; k++)
        if (!fits(c->levels[k]))
            return gi_fail(GRAM_ERR_SHAPE,
                           "%s: column \"%s\" has the category \"%.60s\", %s",
                           v->name, c->name, c->levels[k], why);
    return GRAM_OK;
}

static gram_status check_feature(libsvm *v, const gi_column *c)
{
    if (!has_values(c) && c->type != GRAM_TYPE_SPARSE)
        return refuse(v, c, "LIBSVM text holds numbers only");
    v->features += c->type == GRAM_TYPE_SPARSE ? c->sparse.width : 1;
    if (v->features > INDEX_MOST)
        return gi_fail(GRAM_ERR_SHAPE, "%s: %zu features, at most %zu", v->name,
                       v->features, INDEX_MOST);
    return GRAM_OK;
}

static gram_status check(libsvm *v)
{
    gram_status status = GRAM_OK;

    for (size_t j = 0; j < v->table->cols; j++) {
        const gi_column *c = &v->table->column[j];

        if (c->role == GRAM_ROLE_FEATURE) {
            GI_TRY(check_feature(v, c));
        } else if (c->role == GRAM_ROLE_TARGET) {
            v->targets++;
            GI_TRY(check_key(v, c, is_label, "a label must be a number"));
        } else if (c->role == GRAM_ROLE_GROUP && v->groups++ == 0) {
            GI_TRY(check_key(v, c, is_qid, "a qid must be a whole number"));
        } else {
            return refuse(v, c, "LIBSVM text has no place for it");
        }
    }
    if (v->targets == 0)
        return gi_fail(GRAM_ERR_SHAPE,
                       "%s: no column is the target, LIBSVM text needs one",
                       v->name);
done:
    return status;
}

/* ----------------------------------------------------------------- the rows */

static gram_status bad_cell(const libsvm *v, const gi_column *c, size_t i,
                            const char *why)
{
    char text[GI_NUMBER_ROOM] = "missing";

    if (has_values(c) && !isnan(c->values[i]))
        gi_number_print(c->values[i], text);
    return gi_fail(GRAM_ERR_SHAPE, "%s: row %zu, column \"%s\": %s, %s",
                   v->name, i + 1, c->name, text, why);
}

static gram_status add_number(gi_run *run, gi_buf *b, double x)
{
    char text[GI_NUMBER_ROOM];

    return gi_buf_add(run, b, text, gi_number_print(x, text));
}

/* Write the cell of a target or group. */
static gram_status add_key(gi_run *run, const libsvm *v, const gi_column *c,
                           size_t i, gi_buf *b)
{
    int qid = c->role == GRAM_ROLE_GROUP;
    double x;

    if (!has_values(c)) {
        const char *level = c->codes[i] < 0 ? NULL : c->levels[c->codes[i]];

        if (!level)
            return bad_cell(v, c, i, "LIBSVM text has no missing cells");
        return gi_buf_add(run, b, level, strlen(level));
    }
    x = c->values[i];
    if (isnan(x))
        return bad_cell(v, c, i, "LIBSVM text has no missing cells");
    if (qid && !(x >= 0 && x <= 0x1p53 && x == floor(x)))
        return bad_cell(v, c, i, "a qid must be a whole number");
    if (!qid && v->targets > 1 && x != floor(x))
        return bad_cell(v, c, i, "several labels must be whole numbers");
    return add_number(run, b, x == 0 && qid ? 0 : x);
}

static gram_status add_keys(gi_run *run, const libsvm *v, size_t i, gi_buf *b)
{
    gram_status status = GRAM_OK;
    size_t begin = b->n;

    for (size_t j = 0; j < v->table->cols; j++)
        if (v->table->column[j].role == GRAM_ROLE_TARGET) {
            if (b->n > begin)
                GI_TRY(gi_buf_add(run, b, ",", 1));
            GI_TRY(add_key(run, v, &v->table->column[j], i, b));
        }
    for (size_t j = 0; j < v->table->cols; j++)
        if (v->table->column[j].role == GRAM_ROLE_GROUP) {
            GI_TRY(gi_buf_add(run, b, " qid:", 5));
            GI_TRY(add_key(run, v, &v->table->column[j], i, b));
        }
done:
    return status;
}

/* Feature `index`, from 1, of row i. */
static gram_status add_feature(gi_run *run, const libsvm *v, size_t i,
                               size_t index, double x, gi_buf *b)
{
    gram_status status = GRAM_OK;
    char text[32];
    int n;

    if (x == 0 && (i > 0 || index < v->features))
        return status;
    n = snprintf(text, sizeof text, " %zu:", index);
    GI_TRY(gi_buf_add(run, b, text, (size_t)n));
    GI_TRY(add_number(run, b, x));
done:
    return status;
}

static gram_status add_sparse(gi_run *run, const libsvm *v, const gi_column *c,
                              size_t i, size_t before, gi_buf *b)
{
    gram_status status = GRAM_OK;
    const gi_sparse *s = &c->sparse;
    size_t last = before;

    for (size_t k = s->start[i]; k < s->start[i + 1]; k++) {
        last = before + s->index[k] + 1;
        GI_TRY(add_feature(run, v, i, last, s->entries[k], b));
    }
    if (last < before + s->width)
        GI_TRY(add_feature(run, v, i, before + s->width, 0, b));
done:
    return status;
}

static gram_status row_text(gi_run *run, const void *context, size_t i,
                            gi_buf *b)
{
    gram_status status = GRAM_OK;
    const libsvm *v = context;
    size_t before = 0;

    GI_TRY(add_keys(run, v, i, b));
    for (size_t j = 0; j < v->table->cols; j++) {
        const gi_column *c = &v->table->column[j];

        if (c->role != GRAM_ROLE_FEATURE)
            continue;
        if (c->type == GRAM_TYPE_SPARSE) {
            GI_TRY(add_sparse(run, v, c, i, before, b));
            before += c->sparse.width;
        } else {
            if (isnan(c->values[i]))
                return bad_cell(v, c, i, "LIBSVM text has no missing cells");
            GI_TRY(add_feature(run, v, i, ++before, c->values[i], b));
        }
    }
    GI_TRY(gi_buf_add(run, b, "\n", 1));
done:
    return status;
}

/* ------------------------------------------------------------------ class */

static size_t cells_per_row(const gram_table *t)
{
    size_t cells = t->cols;

    for (size_t j = 0; j < t->cols && t->rows; j++)
        if (t->column[j].type == GRAM_TYPE_SPARSE)
            cells += t->column[j].sparse.start[t->rows] / t->rows;
    return cells;
}

static gram_status write(gi_run *run, const gram_table *t, const char *name,
                         gi_output *out)
{
    gram_status status = GRAM_OK;
    libsvm v = {.table = t, .name = name};

    GI_TRY(check(&v));
    GI_TRY(gi_write_rows(run, out, t->rows, cells_per_row(t), row_text, &v));
done:
    return status;
}

const gi_writer_class gi_writer_libsvm = {
    .name = "libsvm",
    .brief = "label index:value ..., sparse rows",
    .extensions = "svm,libsvm,svmlight",
    .write = write,
};
