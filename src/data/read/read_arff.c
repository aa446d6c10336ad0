/* read_arff.c - ARFF, the attribute-relation file format of Weka.
 *
 *   1.5, a, ?, {0.5}                 a dense row; at its end perhaps a weight
 *   {0 1.5, 3 'c d'}, {0.5}          a sparse row: index from 0 and value
 *
 * The first row decides whether rows are sparse.  Then the number attributes
 * make one sparse block "features"; one whose type the user asks for stays a
 * column of its own.  What a sparse row leaves out is 0, the first declared
 * value, or missing if it is a string.  The column "weight" is there if any
 * row has a weight; the others weigh 1.
 *
 * A tab separates cells as a comma does; blanks inside a cell belong to it.
 * Only an unquoted ? is missing in categories and strings, where NA may be a
 * value; in numbers and dates the words of other formats count too.
 */
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/number.h"
#include "data/read/arff.h"

/* ------------------------------------------------------------------- rows */

static gram_status cell(gi_work *w, const gi_arff_attribute *a,
                        const gi_arff_item *c)
{
    const gi_field *f = &w->load->field[a->field];

    if (!c->quoted && c->n == 1 && *c->s == '?')
        return gi_work_cell(w, a->field, c->s, c->n, 0);
    return gi_work_cell(w, a->field, c->s, c->n,
                        f->type == GRAM_TYPE_CATEGORY ||
                            f->type == GRAM_TYPE_TEXT);
}

static gram_status empty_cell(gi_work *w, const gi_arff_attribute *a)
{
    return gi_work_fail(w, GRAM_ERR_PARSE,
                        "column \"%.100s\": no value, must be one, or ? if it "
                        "is missing",
                        a->name);
}

/* The weight, or the end of the row, at p. */
static gram_status weight(gi_work *w, const char *p)
{
    gram_status status = GRAM_OK;
    size_t f = w->load->fields - 1;
    gi_arff_item c;
    double x;

    if (gi_arff_is_over(p))
        return w->load->field[f].dropped ? GRAM_OK
                                         : gi_work_cell(w, f, "1", 1, 0);
    if (*p != '{')
        return gi_arff_unexpected(w, p, "is left over at the end of the row");
    p = gi_arff_skip(p + 1);
    GI_TRY(gi_arff_item_cut(w, &p, GI_ARFF_LIST, &c));
    p = gi_arff_skip(p);
    if (*p != '}' || !gi_arff_is_over(gi_arff_skip(p + 1)))
        return gi_work_fail(w, GRAM_ERR_PARSE,
                            "a weight {w} must end the row, and } the weight");
    if (!gi_number_whole(c.s, c.s + c.n, &x) || x < 0)
        return gi_work_fail(w, GRAM_ERR_RANGE,
                            "weight \"%.*s%s\", must be a number of at least 0",
                            GI_QUOTE(c.s, c.n));
    GI_TRY(gi_work_cell(w, f, c.s, c.n, 0));
done:
    return status;
}

/* Move *at past the separator to the next cell; *more is 0 at the end. */
static gram_status separator(gi_work *w, const char **at, int *more)
{
    const char *p = *at, *e = gi_arff_skip(p);

    *more = !gi_arff_is_over(e);
    if (*e == ',')
        e = gi_arff_skip(e + 1);
    else if (*more && !memchr(p, '\t', (size_t)(e - p)))
        return gi_arff_unexpected(w, e,
                                  "follows a quoted value, must be a comma");
    *at = e;
    return GRAM_OK;
}

static gram_status dense_row(gi_work *w, const char *p)
{
    const gi_arff *s = w->load->context;
    gram_status status = GRAM_OK;
    size_t k = 0;
    int more = 1;

    if (*p == '{')
        return gi_work_fail(w, GRAM_ERR_PARSE,
                            "a sparse row, but the first row is dense");
    while (more && !(k == s->count && *p == '{')) {
        const gi_arff_attribute *a = &s->attribute[k];
        gi_arff_item c;

        if (k == s->count)
            return gi_work_fail(w, GRAM_ERR_PARSE,
                                "more than %zu cells, must be %zu", k, k);
        GI_TRY(gi_arff_item_cut(w, &p, GI_ARFF_CELL, &c));
        if (c.n == 0 && !c.quoted)
            return empty_cell(w, a);
        if (a->field != GI_ARFF_NONE)
            GI_TRY(cell(w, a, &c));
        GI_TRY(separator(w, &p, &more));
        k++;
    }
    if (k < s->count)
        return gi_work_fail(w, GRAM_ERR_PARSE, "%zu cell%s, must be %zu", k,
                            k == 1 ? "" : "s", s->count);
    GI_TRY(weight(w, p));
    GI_TRY(gi_work_row(w));
done:
    return status;
}

/* Add the values that a sparse row leaves out, of the fields from..to-1. */
static gram_status fill(gi_work *w, size_t from, size_t to)
{
    const gi_arff *s = w->load->context;
    gram_status status = GRAM_OK;

    for (size_t f = from; f < to; f++) {
        const gi_arff_attribute *a = &s->attribute[s->owner[f]];
        gi_arff_item c = {"?", 1, 0};

        if (a->fallback)
            c = (gi_arff_item){a->fallback, strlen(a->fallback), 1};
        GI_TRY(cell(w, a, &c));
    }
done:
    return status;
}

static gram_status entry(gi_work *w, const gi_arff_attribute *a,
                         const gi_arff_item *c)
{
    double x;

    if (!gi_number_whole(c->s, c->s + c->n, &x))
        return gi_work_fail(w, GRAM_ERR_RANGE,
                            "column \"%.100s\": \"%.*s%s\" in a sparse row, "
                            "must be a finite number",
                            a->name, GI_QUOTE(c->s, c->n));
    return x != 0 ? gi_work_entry(w, (unsigned)a->feature, x) : GRAM_OK;
}

/* The index at *at, which must be `least` or more. */
static gram_status cut_index(gi_work *w, const char **at, size_t least,
                             size_t *index)
{
    const gi_arff *s = w->load->context;
    const char *p = *at, *e = p;
    size_t x = 0;

    for (; *e >= '0' && *e <= '9'; e++)
        if (x < s->count)
            x = 10 * x + (size_t)(*e - '0');
    if (e == p || !gi_arff_is_blank(*e))
        return gi_arff_unexpected(w, p, "is not an index and a value");
    if (x >= s->count)
        return gi_work_fail(w, GRAM_ERR_RANGE,
                            "attribute index %.*s%s, must be below %zu",
                            GI_QUOTE(p, e - p), s->count);
    if (x < least)
        return gi_work_fail(w, GRAM_ERR_RANGE,
                            "attribute index %zu after %zu, must increase", x,
                            least - 1);
    *at = gi_arff_skip(e);
    *index = x;
    return GRAM_OK;
}

static gram_status sparse_row(gi_work *w, const char *p)
{
    const gi_arff *s = w->load->context;
    gram_status status = GRAM_OK;
    size_t least = 0, filled = 0, k = 0;

    if (*p != '{')
        return gi_work_fail(w, GRAM_ERR_PARSE,
                            "a dense row, but the first row is sparse");
    for (p = gi_arff_skip(p + 1); *p != '}'; least = k + 1) {
        const gi_arff_attribute *a;
        gi_arff_item c;

        GI_TRY(cut_index(w, &p, least, &k));
        a = &s->attribute[k];
        GI_TRY(gi_arff_item_cut(w, &p, GI_ARFF_LIST, &c));
        if (c.n == 0 && !c.quoted)
            return empty_cell(w, a);
        if (a->feature != GI_ARFF_NONE)
            GI_TRY(entry(w, a, &c));
        if (a->field != GI_ARFF_NONE) {
            GI_TRY(fill(w, filled, a->field));
            GI_TRY(cell(w, a, &c));
            filled = a->field + 1;
        }
        p = gi_arff_skip(p);
        if (*p != ',' && *p != '}')
            return gi_arff_unexpected(w, p, "in a sparse row, must be , or }");
        p = gi_arff_skip(p + (*p == ','));
    }
    GI_TRY(fill(w, filled, w->load->fields - 1));
    p = gi_arff_skip(p + 1);
    GI_TRY(weight(w, gi_arff_skip(p + (*p == ','))));
    GI_TRY(gi_work_row(w));
done:
    return status;
}

static gram_status parse(gi_work *w)
{
    const gi_arff *s = w->load->context;
    gram_status status = GRAM_OK;
    const char *p = w->block.begin, *end = w->block.end;

    for (w->line = w->block.line; p < end; w->line++) {
        p = gi_arff_skip(p);
        if (!gi_arff_is_over(p))
            GI_TRY((s->sparse ? sparse_row : dense_row)(w, p));
        p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
    }
done:
    return status;
}

/* ----------------------------------------------------------------- reader */

static void add_field(gi_arff *s, size_t k, int asked)
{
    static const char *const fallbacks[] = {[GRAM_TYPE_NUMBER] = "0",
                                            [GRAM_TYPE_DATE] = "1970-01-01",
                                            [GRAM_TYPE_SPARSE] = NULL};
    gi_load *l = &s->load;
    gi_arff_attribute *a = &s->attribute[k];
    gi_field *f = &l->field[l->fields];

    a->field = l->fields;
    a->fallback = fallbacks[a->type];
    if (a->levels.count)
        a->fallback = gi_dict_at(&a->levels, 0);
    f->name = a->name;
    f->fixed = 1;
    f->type = asked >= 0 ? (gram_type)asked : a->type;
    f->closed = a->nominal && f->type == GRAM_TYPE_CATEGORY;
    if (f->closed) {
        f->levels = a->levels;
        a->levels = (gi_dict){0};
    }
    s->owner[l->fields++] = k;
}

static void add_weight(gi_load *l, int drop)
{
    gi_field *f = &l->field[l->fields++];

    f->name = "weight";
    f->type = GRAM_TYPE_NUMBER;
    f->role = GRAM_ROLE_WEIGHT;
    f->fixed = f->dropped = 1;
    f->optional = !drop;
}

/* Attributes become fields or features, as the user wants. */
static gram_status choose(gi_arff *s)
{
    gi_load *l = &s->load;
    gi_run *run = &l->reader->run;
    gram_status status = GRAM_OK;
    const char **names = NULL;
    unsigned char *drop = NULL;
    int *asked = NULL;

    GI_TRY(GI_NEW(run, names, s->count + 1));
    GI_TRY(GI_NEW_ZERO(run, drop, s->count + 1));
    GI_TRY(GI_NEW(run, asked, s->count + 1));
    GI_TRY(GI_NEW(run, s->owner, s->count));
    GI_TRY(GI_NEW(run, s->features, s->count));
    GI_TRY(GI_NEW_ZERO(run, l->field, s->count + 1));
    for (size_t k = 0; k < s->count; k++)
        names[k] = s->attribute[k].name;
    names[s->count] = "weight";
    GI_TRY(gi_reader_choose(l->reader, names, s->count + 1, drop, asked));
    for (size_t k = 0; k < s->count; k++) {
        gi_arff_attribute *a = &s->attribute[k];

        if (drop[k])
            continue;
        if (s->sparse && a->type == GRAM_TYPE_NUMBER && asked[k] < 0) {
            s->features[l->sparse_width] = a->name;
            a->feature = l->sparse_width++;
        } else {
            add_field(s, k, asked[k]);
        }
    }
    add_weight(l, drop[s->count]);
    l->sparse = l->sparse_width > 0;
    l->sparse_name = "features";
    l->sparse_names = s->features;
done:
    gi_free(names);
    gi_free(drop);
    gi_free(asked);
    return status;
}

static int probe(const char *head, size_t n)
{
    static const char *const words[] = {"@relation", "@attribute"};
    const char *end = head + n, *p = gi_skip_bom(head, end);

    while (p < end && (gi_arff_is_blank(*p) || *p == '\n' || *p == '%')) {
        if (*p == '%')
            p = memchr(p, '\n', (size_t)(end - p));
        if (!p)
            return 0;
        p++;
    }
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        size_t length = strlen(words[k]);

        if ((size_t)(end - p) > length && gi_arff_is_blank(p[length]) &&
            strncasecmp(p, words[k], length) == 0)
            return 2;
    }
    return 0;
}

static gram_status open(gram_reader *r)
{
    gram_status status = GRAM_OK;
    gi_arff *s = NULL;

    GI_TRY(GI_NEW_ZERO(&r->run, s, 1));
    r->state = s;
    s->load.reader = r;
    s->load.lines.run = &r->run;
    s->load.lines.in = r->in;
    s->load.context = s;
    s->load.parse = parse;
    GI_TRY(gi_arff_read_header(s));
    GI_TRY(choose(s));
    GI_TRY(gi_load_begin(&s->load));
done:
    return status;
}

static gram_status next(gram_reader *r, size_t rows, gram_table *t)
{
    gi_arff *s = r->state;

    return gi_load_next(&s->load, rows, t);
}

static void close(gram_reader *r)
{
    gi_arff *s = r->state;

    if (!s)
        return;
    gi_load_free(&s->load);
    for (size_t k = 0; k < s->count; k++) {
        gi_free(s->attribute[k].name);
        gi_dict_free(&s->attribute[k].levels);
    }
    gi_free(s->attribute);
    gi_dict_free(&s->names);
    gi_free(s->owner);
    gi_free(s->features);
    gi_free(s);
}

const gi_reader_class gi_reader_arff = {
    .name = "arff",
    .brief = "Weka's attribute-relation format, dense and sparse",
    .extensions = "arff",
    .probe = probe,
    .open = open,
    .next = next,
    .close = close,
};
