/* arff.c - the header of an ARFF file, and the items of its lines.
 *
 *   @relation NAME
 *   @attribute NAME numeric | real | integer | string | date [FORMAT]
 *   @attribute NAME {a, b, 'c d'}
 *   @data
 *
 * Keywords may be in any case.  Names and values stand in ' or " if they hold
 * blanks or commas, and then a backslash escapes the next byte.  A % begins a
 * comment at the start of an item or behind a blank, so that 50% is a value.
 */
#include "data/read/arff.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"

/* --------------------------------------------------------------- scanning */

static const unsigned char stops[256] = {
    ['\n'] = GI_ARFF_CELL | GI_ARFF_LIST | GI_ARFF_WORD,
    [','] = GI_ARFF_CELL | GI_ARFF_LIST,
    ['%'] = GI_ARFF_CELL | GI_ARFF_LIST,
    ['\t'] = GI_ARFF_CELL | GI_ARFF_WORD,
    [' '] = GI_ARFF_WORD,
    ['\r'] = GI_ARFF_WORD,
    ['{'] = GI_ARFF_WORD,
    ['}'] = GI_ARFF_LIST,
};

/* The item with its escapes resolved, in w->scratch. */
static gram_status unescape(gi_work *w, gi_arff_item *c)
{
    static const char letters[] = "nrt", codes[] = "\n\r\t";
    gram_status status = GRAM_OK;
    gi_run *run = &w->load->reader->run;
    const char *p = c->s, *end = c->s + c->n;

    w->scratch.n = 0;
    while (p < end) {
        const char *slash = memchr(p, '\\', (size_t)(end - p));
        const char *stop = slash ? slash : end, *letter;

        GI_TRY(gi_buf_add(run, &w->scratch, p, (size_t)(stop - p)));
        if (!slash)
            break;
        letter = strchr(letters, slash[1]);
        GI_TRY(gi_buf_add(run, &w->scratch,
                          letter ? codes + (letter - letters) : slash + 1, 1));
        p = slash + 2;
    }
    c->s = w->scratch.s;
    c->n = w->scratch.n;
done:
    return status;
}

static gram_status cut_quoted(gi_work *w, const char **at, gi_arff_item *out)
{
    const char *p = *at, *e = p + 1;

    for (; *e != *p && *e != '\n'; e++)
        e += *e == '\\' && e[1] != '\n';
    if (*e == '\n')
        return gi_work_fail(w, GRAM_ERR_PARSE,
                            "a quote is opened and never closed");
    *at = e + 1;
    *out = (gi_arff_item){p + 1, (size_t)(e - p - 1), 1};
    return memchr(out->s, '\\', out->n) ? unescape(w, out) : GRAM_OK;
}

gram_status gi_arff_item_cut(gi_work *w, const char **at, int ends,
                             gi_arff_item *out)
{
    const char *p = *at, *e = p;

    if (*p == '\'' || *p == '"')
        return cut_quoted(w, at, out);
    while (!(stops[(unsigned char)*e] & ends) ||
           (*e == '%' && e > p && !gi_arff_is_blank(e[-1])))
        e++;
    *at = e;
    while (e > p && gi_arff_is_blank(e[-1]))
        e--;
    *out = (gi_arff_item){p, (size_t)(e - p), 0};
    return GRAM_OK;
}

gram_status gi_arff_unexpected(gi_work *w, const char *p, const char *what)
{
    size_t n = strcspn(p, "\r\n");

    return gi_work_fail(w, GRAM_ERR_PARSE, "\"%.*s%s\" %s", GI_QUOTE(p, n),
                        what);
}

/* ----------------------------------------------------------------- header */

static int is_word(const gi_arff_item *c, const char *word)
{
    return c->n == strlen(word) && strncasecmp(c->s, word, c->n) == 0;
}

static gram_status nominal(gi_work *w, gi_arff_attribute *a, const char **at)
{
    gram_status status = GRAM_OK;
    const char *p = gi_arff_skip(*at + 1);
    gi_arff_item c;

    a->nominal = 1;
    while (*p != '}') {
        GI_TRY(gi_arff_item_cut(w, &p, GI_ARFF_LIST, &c));
        GI_TRY(gi_dict_add(&w->load->reader->run, &a->levels, c.s, c.n, NULL));
        p = gi_arff_skip(p);
        if (*p != ',' && *p != '}')
            return gi_work_fail(w, GRAM_ERR_PARSE,
                                "attribute \"%.100s\": the list { is not "
                                "closed by }",
                                a->name);
        p = gi_arff_skip(p + (*p == ','));
    }
    *at = p + 1;
done:
    return status;
}

/* Of Java's date formats only those that are ISO 8601 are read. */
static gram_status date_format(gi_work *w, const gi_arff_attribute *a,
                               const char **at)
{
    static const char *const formats[] = {
        "yyyy-MM-dd", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ss",
        "yyyy-MM-dd HH:mm", "yyyy-MM-dd'T'HH:mm"};
    gram_status status = GRAM_OK;
    gi_arff_item c;

    if (gi_arff_is_over(*at))
        return status;
    GI_TRY(gi_arff_item_cut(w, at, GI_ARFF_WORD, &c));
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        if (strlen(formats[k]) == c.n && memcmp(formats[k], c.s, c.n) == 0)
            return status;
    status = gi_work_fail(w, GRAM_ERR_PARSE,
                          "attribute \"%.100s\": date format \"%.*s%s\", must "
                          "be yyyy-MM-dd or \"yyyy-MM-dd HH:mm:ss\"",
                          a->name, GI_QUOTE(c.s, c.n));
done:
    return status;
}

static gram_status type_word(gi_work *w, gi_arff_attribute *a, const char **at)
{
    static const struct {
        const char *word;
        gram_type type;
    } types[] = {{"numeric", GRAM_TYPE_NUMBER},
                 {"real", GRAM_TYPE_NUMBER},
                 {"integer", GRAM_TYPE_NUMBER},
                 {"string", GRAM_TYPE_TEXT},
                 {"date", GRAM_TYPE_DATE}};
    gram_status status = GRAM_OK;
    gi_arff_item c;

    GI_TRY(gi_arff_item_cut(w, at, GI_ARFF_WORD, &c));
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (is_word(&c, types[k].word)) {
            a->type = types[k].type;
            *at = gi_arff_skip(*at);
            return a->type == GRAM_TYPE_DATE ? date_format(w, a, at) : status;
        }
    status = gi_work_fail(w, GRAM_ERR_PARSE,
                          "attribute \"%.100s\": type \"%.*s%s\", must be "
                          "numeric, real, integer, string, date or {a, b, ...}",
                          a->name, GI_QUOTE(c.s, c.n));
done:
    return status;
}

/* A new last attribute of the name at *at. */
static gram_status name_attribute(gi_work *w, const char **at,
                                  gi_arff_attribute **out)
{
    gi_arff *s = w->load->context;
    gi_run *run = &w->load->reader->run;
    gram_status status = GRAM_OK;
    gi_arff_item c;

    GI_TRY(gi_arff_item_cut(w, at, GI_ARFF_WORD, &c));
    if (c.n == 0)
        return gi_work_fail(w, GRAM_ERR_PARSE, "@attribute without a name");
    if (gi_dict_find(&s->names, c.s, c.n) >= 0)
        return gi_work_fail(w, GRAM_ERR_NAME,
                            "two attributes are called \"%.*s%s\"",
                            GI_QUOTE(c.s, c.n));
    GI_TRY(GI_RESERVE(run, s->attribute, s->capacity, s->count + 1));
    GI_TRY(gi_dict_add(run, &s->names, c.s, c.n, NULL));
    s->attribute[s->count] = (gi_arff_attribute){.type = GRAM_TYPE_CATEGORY,
                                                 .field = GI_ARFF_NONE,
                                                 .feature = GI_ARFF_NONE};
    GI_TRY(gi_strndup(run, c.s, c.n, &s->attribute[s->count].name));
    *out = &s->attribute[s->count++];
done:
    return status;
}

static gram_status declare(gi_work *w, const char *p)
{
    gram_status status = GRAM_OK;
    gi_arff_attribute *a = NULL;

    GI_TRY(name_attribute(w, &p, &a));
    p = gi_arff_skip(p);
    GI_TRY((*p == '{' ? nominal : type_word)(w, a, &p));
    p = gi_arff_skip(p);
    /* a range [0,1] or a weight {2} of the attribute is not used */
    if (!gi_arff_is_over(p) && *p != '[' && *p != '{')
        status = gi_arff_unexpected(w, p,
                                    "is left over behind the attribute's type");
done:
    return status;
}

/* One line of the header; *more is 0 behind @data. */
static gram_status header_line(gi_work *w, const char *p, int *more)
{
    const gi_arff *s = w->load->context;
    gram_status status = GRAM_OK;
    const char *start = p;
    gi_arff_item c;

    if (gi_arff_is_over(p))
        return status;
    GI_TRY(gi_arff_item_cut(w, &p, GI_ARFF_WORD, &c));
    p = gi_arff_skip(p);
    if (is_word(&c, "@attribute"))
        return declare(w, p);
    *more = !is_word(&c, "@data");
    if (*more && !is_word(&c, "@relation"))
        return gi_arff_unexpected(w, start,
                                  "is not @relation, @attribute or @data");
    if (!*more && !gi_arff_is_over(p))
        return gi_arff_unexpected(w, p, "is left over behind @data");
    if (!*more && s->count == 0)
        return gi_work_fail(w, GRAM_ERR_PARSE, "@data before any @attribute");
done:
    return status;
}

/* The next line without blanks before it; NULL at the end of the file. */
static gram_status next_line(gi_work *w, const char **line)
{
    gram_status status = GRAM_OK;
    gi_text_block block[GI_BLOCKS_MOST];
    size_t count = 0;

    *line = NULL;
    GI_TRY(gi_lines_next(&w->load->lines, 1, block, &count));
    if (count) {
        w->block = *block;
        w->line = block->line;
        *line = gi_arff_skip(block->line == 1
                                 ? gi_skip_bom(block->begin, block->end)
                                 : block->begin);
    }
done:
    return status;
}

gram_status gi_arff_read_header(gi_arff *s)
{
    gi_load *l = &s->load;
    gram_status status = GRAM_OK;
    gi_work w = {.load = l};
    const char *p;
    int more = 1;

    gi_lines_begin(&l->lines, 1);
    while (more) {
        GI_TRY(next_line(&w, &p));
        if (!p) {
            status = gi_fail(GRAM_ERR_PARSE, "%s: no @data line",
                             gi_input_name(l->lines.in));
            goto done;
        }
        GI_TRY(header_line(&w, p, &more));
        l->body += (uint64_t)(w.block.end - w.block.begin);
    }
    l->body_line = w.line + 1;
    do
        GI_TRY(next_line(&w, &p));
    while (p && gi_arff_is_over(p));
    if (p)
        s->sparse = *p == '{';
    else
        status =
            gi_fail(GRAM_ERR_PARSE, "%s: no rows", gi_input_name(l->lines.in));
done:
    gi_buf_free(&w.scratch);
    return status;
}
