/* read_libsvm.c - LIBSVM and SVMlight text: one sparse row a line.
 *
 *   label[,label...] [qid:N] index:value ...  [# comment]
 *
 * Columns: "label" (target), numbers unless some row has several labels, then
 * a category; "qid" (group) if the first row has one, and then all must; the
 * sparse block "features", where index 1 of the file is feature 0, called 1.
 * Indices ascend.  A value of zero widens the block but is not stored.  A row
 * that starts with index:value has a missing label.
 *
 * Blanks, tabs and carriage returns separate items; blank lines and lines of
 * comment are skipped.  A block of text ends in a newline, at which every scan
 * here stops: none looks for the end of the block.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "data/read/load.h"

enum { LABEL, QID, FEATURES }; /* fields; the sparse block behind them */

static const uint64_t INDEX_MOST = ((uint64_t)1 << 31) - 1;

/* Above this, not every whole number is a double. */
static const uint64_t QID_MOST = (uint64_t)1 << 53;

typedef struct libsvm {
    gi_load load;
    int has_qid;
} libsvm;

/* --------------------------------------------------------------- scanning */

static inline int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline int is_gap(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Does an item end before this byte? */
static inline int is_break(char c)
{
    return is_gap(c) || c == '\n' || c == '#';
}

static inline const char *skip_gaps(const char *p)
{
    while (is_gap(*p))
        p++;
    return p;
}

static size_t item_length(const char *p)
{
    const char *e = p;

    while (!is_break(*e))
        e++;
    return (size_t)(e - p);
}

/* The byte behind the digits at p, which are appended to *x modulo 2^64. */
static inline const char *digits(const char *p, uint64_t *x)
{
    for (; is_digit(*p); p++)
        *x = 10 * *x + (uint64_t)(*p - '0');
    return p;
}

/* The byte behind the digits at p; *x is their value, or UINT64_MAX if there are
 * more digits than 64 bits always hold. */
static inline const char *whole_number(const char *p, uint64_t *x)
{
    const char *e;

    *x = 0;
    e = digits(p, x);
    if (e - p > 19)
        *x = UINT64_MAX;
    return e;
}

/* The byte behind the finite number at p, which is a whole item; else NULL.
 * A single digit is the commonest value there is. */
static inline const char *value(const char *p, const char *end, double *x)
{
    if (is_digit(*p) && is_break(p[1])) {
        *x = *p - '0';
        return p + 1;
    }
    p = gi_number_parse(p, end, x);
    return p && is_break(*p) && isfinite(*x) ? p : NULL;
}

/* ---------------------------------------------------------------- records */

/* Say what is wrong with the entry at p, which follows the index `last`. */
static gram_status bad_entry(gi_work *w, const char *p, uint64_t last)
{
    uint64_t index = 0;
    size_t n = item_length(p);
    const char *colon = whole_number(p, &index);

    if (colon == p || *colon != ':')
        return gi_work_fail(w, GRAM_ERR_PARSE, "\"%.*s%s\" is not index:value",
                            GI_QUOTE(p, n));
    if (index == 0)
        return gi_work_fail(w, GRAM_ERR_RANGE,
                            "feature index 0, must be at least 1");
    if (index > INDEX_MOST)
        return gi_work_fail(w, GRAM_ERR_RANGE,
                            "feature index %.*s%s, must be at most %" PRIu64,
                            GI_QUOTE(p, colon - p), INDEX_MOST);
    if (index <= last)
        return gi_work_fail(w, GRAM_ERR_RANGE,
                            "feature index %" PRIu64 " after %" PRIu64
                            ", must increase",
                            index, last);
    n -= (size_t)(colon + 1 - p);
    return gi_work_fail(w, GRAM_ERR_RANGE,
                        "feature %" PRIu64
                        ": \"%.*s%s\" is not a finite number",
                        index, GI_QUOTE(colon + 1, n));
}

static inline gram_status store(gi_work *w, unsigned index, double x)
{
    gi_entries *e = &w->entries;

    if (e->n == e->capacity)
        return gi_work_entry(w, index, x);
    e->index[e->n] = index;
    e->value[e->n++] = x;
    return GRAM_OK;
}

/* The entries from *at to the end of the record. */
static gram_status entries(gi_work *w, const char **at)
{
    gram_status status = GRAM_OK;
    const char *p = skip_gaps(*at), *end = w->block.end;
    uint64_t last = 0;

    while (*p != '\n' && *p != '#') {
        uint64_t index;
        const char *q = whole_number(p, &index);
        double x;

        /* without digits the index is 0 */
        if (*q != ':' || index <= last || index > INDEX_MOST ||
            !(q = value(q + 1, end, &x)))
            return bad_entry(w, p, last);
        if (x != 0 && w->load->sparse)
            GI_TRY(store(w, (unsigned)index - 1, x));
        last = index;
        p = skip_gaps(q);
    }
    if (last > w->entries.width)
        w->entries.width = last;
    *at = p;
done:
    return status;
}

/* Numbers with commas between them, or nothing before the first entry. */
static gram_status label(gi_work *w, const char **at)
{
    const char *p = *at, *end = w->block.end;
    size_t n = item_length(p);
    double x;

    if (memchr(p, ':', n))
        return gi_work_cell(w, LABEL, p, 0, 0);
    for (;; p++) {
        p = gi_number_parse(p, end, &x);
        if (!p || !isfinite(x) || *p != ',')
            break;
    }
    if (!p || !isfinite(x) || !is_break(*p))
        return gi_work_fail(w, GRAM_ERR_PARSE, "\"%.*s%s\" is not a label",
                            GI_QUOTE(*at, n));
    p = *at;
    *at += n;
    return gi_work_cell(w, LABEL, p, n, 0);
}

static int is_qid(const char *p)
{
    return strncmp(p, "qid:", 4) == 0;
}

static gram_status qid(gi_work *w, const char **at)
{
    const libsvm *s = w->load->context;
    const char *p = skip_gaps(*at), *e;
    uint64_t x;

    if (is_qid(p) != s->has_qid)
        return gi_work_fail(w, GRAM_ERR_PARSE,
                            s->has_qid ? "no qid here, but the first row has it"
                                       : "qid here, but not in the first row");
    if (!s->has_qid)
        return GRAM_OK;
    p += 4;
    e = whole_number(p, &x);
    if (e == p || !is_break(*e) || x > QID_MOST)
        return gi_work_fail(w, GRAM_ERR_PARSE,
                            "qid \"%.*s%s\", must be a whole number up to "
                            "%" PRIu64,
                            GI_QUOTE(p, item_length(p)), QID_MOST);
    *at = e;
    return gi_work_cell(w, QID, p, (size_t)(e - p), 0);
}

static gram_status record(gi_work *w, const char **at)
{
    gram_status status = GRAM_OK;
    /* when the table is read at once, its load will find the width */
    int labels_only = w->load->mode != GI_LOAD_CELLS && w->load->reader->whole;

    GI_TRY(label(w, at));
    GI_TRY(qid(w, at));
    if (!labels_only)
        GI_TRY(entries(w, at));
    GI_TRY(gi_work_row(w));
done:
    return status;
}

/* Memory for the entries of a block, if they take 8 bytes of text or more. */
static gram_status reserve(gi_work *w)
{
    gram_status status = GRAM_OK;
    gi_run *run = &w->load->reader->run;
    gi_entries *e = &w->entries;
    size_t capacity = (size_t)(w->block.end - w->block.begin) / 8;
    int wanted = w->load->mode == GI_LOAD_CELLS && w->load->sparse;

    if (wanted && capacity > e->capacity) {
        GI_TRY(GI_GROW(run, e->index, capacity));
        GI_TRY(GI_GROW(run, e->value, capacity));
        e->capacity = capacity;
    }
done:
    return status;
}

static gram_status parse(gi_work *w)
{
    gram_status status = GRAM_OK;
    const char *p = w->block.begin, *end = w->block.end;

    GI_TRY(reserve(w));
    w->line = w->block.line;
    if (w->line == 1)
        p = gi_skip_bom(p, end);
    for (; p < end; w->line++) {
        p = skip_gaps(p);
        if (*p != '\n' && *p != '#')
            GI_TRY(record(w, &p));
        p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
    }
done:
    return status;
}

/* ----------------------------------------------------------------- reader */

/* The first record from p on, or `end`. */
static const char *first_record(const char *p, const char *end)
{
    while (p < end) {
        p = skip_gaps(p);
        if (*p != '\n' && *p != '#')
            break;
        p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
    }
    return p;
}

/* A label and then entries only: the first record is enough. */
static int probe_record(const char *p, const char *end)
{
    size_t pairs = 0;
    double x;

    do
        p = gi_number_parse(p, end, &x);
    while (p && *p == ',' && p++);
    if (!p || !is_break(*p))
        return 0;
    p = skip_gaps(p);
    if (is_qid(p))
        p = skip_gaps(p + item_length(p));
    for (; *p != '\n' && *p != '#'; p = skip_gaps(p)) {
        uint64_t index;
        const char *q = whole_number(p, &index);

        if (q == p || *q != ':' || !(p = value(q + 1, end, &x)))
            return 0;
        pairs++;
    }
    return pairs ? 2 : 0;
}

static int probe(const char *head, size_t n)
{
    enum { ENOUGH = 4096 };
    char text[ENOUGH + 1];
    const char *p, *end;

    if (n >= ENOUGH)
        for (n = ENOUGH; n > 0 && !is_break(head[n - 1]);)
            n--; /* the last item may be cut */
    memcpy(text, head, n);
    text[n] = '\n';
    end = text + n + 1;
    p = first_record(gi_skip_bom(text, end), end);
    return p < end ? probe_record(p, end) : 0;
}

/* Does the first record have a qid? */
static gram_status find_qid(gi_lines *l, int *has_qid)
{
    gram_status status = GRAM_OK;
    gi_text_block block[GI_BLOCKS_MOST];
    size_t count = 0;
    const char *p;

    gi_lines_begin(l, 1);
    do {
        GI_TRY(gi_lines_next(l, 1, block, &count));
        if (count == 0)
            goto done;
        p = block->line == 1 ? gi_skip_bom(block->begin, block->end)
                             : block->begin;
        p = first_record(p, block->end);
    } while (p == block->end);
    if (!is_qid(p))
        p = skip_gaps(p + item_length(p));
    *has_qid = is_qid(p);
done:
    return status;
}

/* Apply the user's options to the fields. */
static gram_status choose(gram_reader *r, gi_load *l)
{
    gram_status status = GRAM_OK;
    const char *names[] = {l->field[LABEL].name, l->field[QID].name,
                           l->sparse_name};
    unsigned char drop[] = {0, 0, 0};
    int type[] = {-1, -1, -1}, features;

    names[l->fields] = l->sparse_name;
    GI_TRY(gi_reader_choose(r, names, l->fields + 1, drop, type));
    for (size_t f = 0; f < l->fields; f++) {
        l->field[f].dropped = drop[f];
        if (type[f] >= 0) {
            l->field[f].type = (gram_type)type[f];
            l->field[f].fixed = 1;
        }
    }
    features = type[l->fields];
    l->sparse = !drop[l->fields];
    if (features >= 0)
        status = gi_fail(GRAM_ERR_RANGE,
                         "%s: column \"%s\" is a sparse block, cannot be %s",
                         gi_input_name(r->in), l->sparse_name,
                         gram_type_name((gram_type)features));
done:
    return status;
}

static gram_status open(gram_reader *r)
{
    gram_status status = GRAM_OK;
    libsvm *s = NULL;
    gi_load *l;

    GI_TRY(GI_NEW_ZERO(&r->run, s, 1));
    r->state = s;
    l = &s->load;
    l->reader = r;
    l->lines.run = &r->run;
    l->lines.in = r->in;
    l->body_line = 1;
    l->context = s;
    l->parse = parse;
    GI_TRY(find_qid(&l->lines, &s->has_qid));

    GI_TRY(GI_NEW_ZERO(&r->run, l->field, FEATURES));
    l->fields = s->has_qid ? 2 : 1;
    l->field[LABEL].name = "label";
    l->field[LABEL].role = GRAM_ROLE_TARGET;
    l->field[QID].name = "qid";
    l->field[QID].role = GRAM_ROLE_GROUP;
    l->field[QID].type = GRAM_TYPE_NUMBER;
    l->field[QID].fixed = 1;
    l->sparse_name = "features";
    GI_TRY(choose(r, l));
    GI_TRY(gi_load_begin(l));
done:
    return status;
}

static gram_status next(gram_reader *r, size_t rows, gram_table *t)
{
    libsvm *s = r->state;

    return gi_load_next(&s->load, rows, t);
}

static void close(gram_reader *r)
{
    libsvm *s = r->state;

    gi_load_free(s ? &s->load : NULL);
    gi_free(s);
}

const gi_reader_class gi_reader_libsvm = {
    .name = "libsvm",
    .brief = "label index:value ..., sparse rows (also SVMlight)",
    .extensions = "svm,libsvm,svmlight",
    .probe = probe,
    .open = open,
    .next = next,
    .close = close,
};
