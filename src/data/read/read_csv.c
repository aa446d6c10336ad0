/* read_csv.c - comma-separated values and their relatives.
 *
 * RFC 4180 quoting; the separator is a comma, tab, semicolon, bar or runs of
 * blanks, whichever cuts the first records evenly; the first record is a
 * header if none of its cells is a number or date.  Blank lines are skipped;
 * blanks around a cell do not count.  A quote inside a cell that does not
 * begin with one is an ordinary character.
 *
 * The fast path is a number cell: parsed where it stands and stored where it
 * stays.  Everything else goes cell by cell through load.h.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "data/read/load.h"

enum { HEAD = 1 << 16, PROBES = 20 };

extern const gi_reader_class gi_reader_tsv;

typedef struct csv {
    gi_load load;
    char separator; /* ' ' stands for any run of blanks */
    gi_dict names;
} csv;

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* ------------------------------------------------------- cells of a record */

/* A cell, quotes off but still doubled inside.  `next` is where the next one
 * begins, or the newline behind the last; NULL if text follows a closing
 * quote. */
typedef struct cell {
    const char *s, *next;
    size_t n;
    int quoted, last;
} cell;

static const char *skip_blanks(const char *p, const char *end, char separator)
{
    while (p < end && is_blank(*p) && (separator == ' ' || *p != separator))
        p++;
    return p;
}

/* The byte behind the closing quote of the cell that opens at p; NULL if it
 * is not closed before `end`. */
static const char *quoted_end(const char *p, const char *end)
{
    for (p++; p < end; p += 2) {
        p = memchr(p, '"', (size_t)(end - p));
        if (!p)
            return NULL;
        if (p + 1 == end || p[1] != '"')
            return p + 1;
    }
    return NULL;
}

static const char *plain_end(const char *p, const char *end, char separator)
{
    while (p < end && *p != separator && *p != '\n' &&
           !(separator == ' ' && is_blank(*p)))
        p++;
    return p;
}

/* The cell that begins at p in a record that ends before `end`. */
static cell cut_cell(const char *p, const char *end, char separator)
{
    cell c = {0};
    const char *after = NULL;

    p = skip_blanks(p, end, separator);
    if (*p == '"')
        after = quoted_end(p, end);
    if (after) {
        c.quoted = 1;
        c.s = p + 1;
        c.n = (size_t)(after - p) - 2;
    } else {
        after = plain_end(p, end, separator);
        c.s = p;
        c.n = (size_t)(after - p);
        while (c.n && is_blank(c.s[c.n - 1]))
            c.n--;
    }
    p = skip_blanks(after, end, separator);
    c.last = *p == '\n';
    if (c.last || (separator == ' ' && p > after))
        c.next = p;
    else if (*p == separator)
        c.next = p + 1;
    return c;
}

/* The byte behind the record at p; NULL if it ends after `end`. */
static const char *record_end(const void *context, const char *p,
                              const char *end)
{
    const csv *v = context;
    const char *newline = memchr(p, '\n', (size_t)(end - p));

    if (newline && !memchr(p, '"', (size_t)(newline - p)))
        return newline + 1;
    while (p < end) {
        p = skip_blanks(p, end, v->separator);
        if (p < end && *p == '"') {
            p = quoted_end(p, end);
            if (!p)
                return NULL;
        }
        p = plain_end(p, end, v->separator);
        if (p < end && *p++ == '\n')
            return p;
    }
    return NULL;
}

/* Replace doubled quotes inside a quoted cell by single ones. */
static gram_status unquote(gi_run *run, gi_buf *scratch, cell *c)
{
    gram_status status = GRAM_OK;
    const char *p = c->s, *end = c->s + c->n;

    if (!c->quoted || !memchr(p, '"', c->n))
        return status;
    scratch->n = 0;
    while (p < end) {
        const char *quote = memchr(p, '"', (size_t)(end - p));
        const char *stop = quote ? quote + 1 : end;

        GI_TRY(gi_buf_add(run, scratch, p, (size_t)(stop - p)));
        p = quote ? stop + 1 : end;
    }
    c->s = scratch->s;
    c->n = scratch->n;
done:
    return status;
}

/* ---------------------------------------------------------------- a block */

static size_t count_cells(const char *p, const char *end, char separator)
{
    size_t count = 0;
    cell c = {.next = p};

    do {
        c = cut_cell(c.next, end, separator);
        count++;
    } while (c.next && !c.last);
    return count;
}

static gram_status ragged(gi_work *w, const char *record)
{
    const csv *v = w->load->context;
    size_t cells = count_cells(record, w->block.end, v->separator);

    return gi_work_fail(w, GRAM_ERR_PARSE, "%zu cell%s, must be %zu", cells,
                        cells == 1 ? "" : "s", w->load->fields);
}

/* Any cell; *p moves to the next one. */
static gram_status slow_cell(gi_work *w, size_t f, const char **p, int *last)
{
    const csv *v = w->load->context;
    gram_status status = GRAM_OK;
    cell c = cut_cell(*p, w->block.end, v->separator);

    if (!c.next)
        return gi_work_fail(w, GRAM_ERR_PARSE,
                            "column \"%s\": text follows a closing quote",
                            w->load->field[f].name);
    *p = c.next;
    *last = c.last;
    GI_TRY(unquote(&w->load->reader->run, &w->scratch, &c));
    GI_TRY(gi_work_cell(w, f, c.s, c.n, c.quoted));
done:
    return status;
}

/* The record at *p, which moves to its newline. */
static gram_status parse_record(gi_work *w, const char **p)
{
    const csv *v = w->load->context;
    const gi_field *field = w->load->field;
    const char *end = w->block.end, *at = *p;
    gram_status status = GRAM_OK;
    size_t f = 0;
    int last = 0;

    for (; !last; f++) {
        const char *q = NULL;
        double x;

        if (f == w->load->fields)
            return ragged(w, *p);
        if (w->values[f] && field[f].type == GRAM_TYPE_NUMBER)
            q = gi_number_parse(at, end, &x);
        if (q && (*q == v->separator || *q == '\n') && isfinite(x)) {
            w->values[f][w->rows] = x;
            GI_TRY(gi_work_text(w, f, at, (size_t)(q - at)));
            last = *q == '\n';
            at = last ? q : q + 1;
            if (v->separator == ' ' && !last) {
                at = skip_blanks(at, end, ' ');
                last = *at == '\n';
            }
        } else {
            GI_TRY(slow_cell(w, f, &at, &last));
        }
    }
    if (f < w->load->fields)
        return ragged(w, *p);
    *p = at;
done:
    return status;
}

static gram_status parse(gi_work *w)
{
    gram_status status = GRAM_OK;
    const char *p = w->block.begin, *end = w->block.end;
    int quotes = memchr(p, '"', (size_t)(end - p)) != NULL;

    while (p < end) {
        const char *record = p;

        p = skip_blanks(p, end, ' ');
        if (*p != '\n') {
            p = record;
            GI_TRY(parse_record(w, &p));
            GI_TRY(gi_work_row(w));
        }
        if (quotes) /* cells may hold newlines */
            while ((record = memchr(record, '\n', (size_t)(p - record)))) {
                w->line++;
                record++;
            }
        w->line++;
        p++;
    }
done:
    return status;
}

/* -------------------------------------------------------------- the header */

/* How evenly does a separator cut the first records?  The number of cells if
 * all have the same, 0 if not. */
static size_t even_cells(csv *v, const char *p, const char *end, char separator)
{
    size_t cells = 0;
    const char *next;

    v->separator = separator;
    for (int k = 0; k < PROBES && (next = record_end(v, p, end)); k++) {
        size_t n = count_cells(p, next, separator);

        if (*skip_blanks(p, next, ' ') != '\n') {
            if (cells && n != cells)
                return 0;
            cells = n;
        }
        p = next;
    }
    return cells;
}

static char find_separator(gram_reader *r, csv *v, const char *p,
                           const char *end)
{
    static const char candidates[] = {',', '\t', ';', '|', ' '};
    const char *name = gi_input_name(r->in);
    int named = gi_path_has_extension(name, "csv") || r->builtin;
    size_t count = sizeof candidates - (named ? 1 : 0);

    if (r->options.separator)
        return r->options.separator;
    if (r->class == &gi_reader_tsv)
        return '\t';
    for (size_t k = 0; k < count; k++)
        if (even_cells(v, p, end, candidates[k]) > 1)
            return candidates[k];
    return ',';
}

/* No cell of a header is a number or a date. */
static int is_header(const csv *v, const char *p, const char *end)
{
    cell c = {.next = p};
    unsigned kinds = 0;

    do {
        c = cut_cell(c.next, end, v->separator);
        kinds |= gi_cell_kind(c.s, c.n, c.quoted);
    } while (c.next && !c.last);
    return (kinds & ~(unsigned)(GI_CELL_OTHER | GI_CELL_MISSING)) == 0;
}

/* The names from the first record, or c0, c1, ...; empty ones too. */
static gram_status read_names(gram_reader *r, csv *v, const char *p,
                              const char *end, int header)
{
    gram_status status = GRAM_OK;
    cell c = {.next = p};
    gi_buf scratch = {0}, name = {0};
    int code;

    for (size_t j = 0; !j || !c.last; j++) {
        c = cut_cell(c.next, end, v->separator);
        if (!c.next)
            GI_TRY(gi_fail(GRAM_ERR_PARSE,
                           "%s:%zu: text follows a closing quote",
                           gi_input_name(r->in), v->load.body_line));
        GI_TRY(unquote(&r->run, &scratch, &c));
        name.n = 0;
        if (header && c.n)
            GI_TRY(gi_buf_add(&r->run, &name, c.s, c.n));
        else
            GI_TRY(gi_buf_printf(&r->run, &name, "c%zu", j));
        GI_TRY(gi_dict_add(&r->run, &v->names, name.s, name.n, &code));
        if ((size_t)code != j)
            GI_TRY(gi_fail(GRAM_ERR_NAME,
                           "%s:%zu: two columns are called \"%s\"",
                           gi_input_name(r->in), v->load.body_line, name.s));
    }
done:
    gi_buf_free(&scratch);
    gi_buf_free(&name);
    return status;
}

static gram_status make_fields(gram_reader *r, csv *v)
{
    gram_status status = GRAM_OK;
    size_t n = v->names.count;
    const char **names = NULL;
    unsigned char *drop = NULL;
    int *type = NULL;

    GI_TRY(GI_NEW(&r->run, names, n));
    GI_TRY(GI_NEW(&r->run, drop, n));
    GI_TRY(GI_NEW(&r->run, type, n));
    GI_TRY(GI_NEW_ZERO(&r->run, v->load.field, n));
    v->load.fields = n;
    for (size_t j = 0; j < n; j++)
        names[j] = gi_dict_at(&v->names, j);
    GI_TRY(gi_reader_choose(r, names, n, drop, type));
    for (size_t j = 0; j < n; j++)
        v->load.field[j] = (gi_field){
            .name = names[j],
            .dropped = drop[j],
            .fixed = type[j] >= 0,
            .type = type[j] >= 0 ? (gram_type)type[j] : GRAM_TYPE_NUMBER,
        };
done:
    gi_free(names);
    gi_free(drop);
    gi_free(type);
    return status;
}

/* Read as much of the file as the first record needs. */
static gram_status read_head(gram_reader *r, csv *v, char **out, size_t *n)
{
    gram_status status = GRAM_OK;
    char *head = NULL;
    size_t capacity = HEAD;
    int whole = 0;

    v->separator = r->options.separator ? r->options.separator : ',';
    for (; !whole; capacity *= 8) {
        GI_TRY(GI_GROW(&r->run, head, capacity + 1));
        GI_TRY(gi_input_peek(r->in, head, capacity, n));
        if (*n < capacity && (*n == 0 || head[*n - 1] != '\n'))
            head[(*n)++] = '\n';
        whole = *n < capacity || capacity > (size_t)1 << 26 ||
                record_end(v, head, head + *n);
    }
    *out = head;
    head = NULL;
done:
    gi_free(head);
    return status;
}

static gram_status open_head(gram_reader *r, csv *v, const char *head, size_t n)
{
    gram_status status = GRAM_OK;
    const char *p = head, *end = head + n, *next;
    int header = r->options.header;

    if (n >= 2 &&
        (memcmp(p, "\xff\xfe", 2) == 0 || memcmp(p, "\xfe\xff", 2) == 0))
        return gi_fail(GRAM_ERR_PARSE, "%s: UTF-16 text, must be UTF-8",
                       gi_input_name(r->in));
    p = gi_skip_bom(p, end);
    v->load.body_line = 1;
    for (; p < end && *skip_blanks(p, end, ' ') == '\n'; v->load.body_line++)
        p = skip_blanks(p, end, ' ') + 1;
    if (p == end)
        return gi_fail(GRAM_ERR_PARSE, "%s: empty, must have rows",
                       gi_input_name(r->in));
    v->separator = find_separator(r, v, p, end);
    next = record_end(v, p, end);
    if (!next)
        return gi_fail(GRAM_ERR_PARSE,
                       "%s:%zu: a quote is opened here and never closed",
                       gi_input_name(r->in), v->load.body_line);
    if (header == 0)
        header = is_header(v, p, next) ? 1 : -1;
    GI_TRY(read_names(r, v, p, next, header > 0));
    for (; header > 0 && p < next; p++)
        v->load.body_line += *p == '\n';
    v->load.body = (uint64_t)(p - head);
done:
    return status;
}

/* ---------------------------------------------------------------- the class */

static int probe(const char *head, size_t n)
{
    return memchr(head, '\0', n) == NULL;
}

static gram_status open(gram_reader *r)
{
    gram_status status = GRAM_OK;
    char *head = NULL;
    csv *v = NULL;
    size_t n = 0;

    GI_TRY(GI_NEW_ZERO(&r->run, v, 1));
    r->state = v;
    v->load.reader = r;
    v->load.parse = parse;
    v->load.context = v;
    v->load.lines = (gi_lines){
        .in = r->in, .record_end = record_end, .context = v, .quote = '"'};
    GI_TRY(read_head(r, v, &head, &n));
    GI_TRY(open_head(r, v, head, n));
    GI_TRY(make_fields(r, v));
    GI_TRY(gi_load_begin(&v->load));
done:
    gi_free(head);
    return status;
}

static gram_status next(gram_reader *r, size_t rows, gram_table *t)
{
    csv *v = r->state;

    return gi_load_next(&v->load, rows, t);
}

static void close(gram_reader *r)
{
    csv *v = r->state;

    gi_load_free(&v->load);
    gi_dict_free(&v->names);
    gi_free(v);
}

const gi_reader_class gi_reader_csv = {
    .name = "csv",
    .brief = "comma-separated values, also tab, semicolon, bar or blanks",
    .extensions = "csv,txt,dat,data",
    .probe = probe,
    .open = open,
    .next = next,
    .close = close,
};

static int probe_never(const char *head, size_t n)
{
    (void)head;
    (void)n;
    return 0;
}

const gi_reader_class gi_reader_tsv = {
    .name = "tsv",
    .brief = "tab-separated values",
    .extensions = "tsv",
    .probe = probe_never, /* content alone makes it CSV, which finds tabs */
    .open = open,
    .next = next,
    .close = close,
};
