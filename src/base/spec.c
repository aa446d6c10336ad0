/* spec.c - from text to tree: the parser of the grammar in spec.h.
 *
 * Recursive descent, one function per production, one character of look-ahead
 * (two for a minus sign).  Sums and products are flat, so only parentheses
 * deepen the tree, and GI_SPEC_DEPTH bounds the recursion here and in
 * everything that walks the tree later.  Nodes and strings lie in a chain of
 * blocks: nothing is freed singly, and a parse that fails has nothing to undo.
 *
 * Cost: O(length), and at most one node for each byte of the text.
 */
#include "base/spec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/number.h"

#define QUOTE_HINT "names with blanks or signs go in quotes"

typedef struct gi_spec_block {
    struct gi_spec_block *next;
    size_t used, capacity;
    _Alignas(16) char bytes[];
} block;

typedef struct parser {
    gi_run *run;
    gi_spec *spec;
    const char *s, *end; /* the next byte; the NUL */
    int depth;           /* of expressions inside each other */
} parser;

/* ---------------------------------------------------------------- memory */

/* n zero bytes of the spec. */
static gram_status take(parser *p, size_t n, void *slot)
{
    enum { BLOCK = GI_SPEC_ARENA_BYTES, ALIGN = 16 };
    gram_status status = GRAM_OK;
    block *b = p->spec->blocks;
    void *bytes;

    n = gi_round_up(n, ALIGN);
    if (!b || b->capacity - b->used < n) {
        size_t capacity = n > BLOCK ? n : BLOCK;

        GI_TRY(gi_alloc(p->run, &b, 1, sizeof *b + capacity));
        *b = (block){.next = p->spec->blocks, .capacity = capacity};
        p->spec->blocks = b;
    }
    bytes = memset(b->bytes + b->used, 0, n);
    b->used += n;
    memcpy(slot, &bytes, sizeof bytes);
done:
    return status;
}

static gram_status copy_text(parser *p, const char *s, size_t n,
                             const char **out)
{
    char *copy = NULL;
    gram_status status = take(p, n + 1, &copy);

    if (status == GRAM_OK)
        *out = memcpy(copy, s, n);
    return status;
}

static gram_status new_node(parser *p, gi_node_kind kind, size_t at,
                            gi_node **out)
{
    gram_status status = take(p, sizeof **out, out);

    if (status == GRAM_OK) {
        (*out)->kind = kind;
        (*out)->at = at;
    }
    return status;
}

void gi_spec_free(gi_spec *spec)
{
    if (!spec)
        return;
    for (block *b = spec->blocks, *next; b; b = next) {
        next = b->next;
        gi_free(b);
    }
    gi_free(spec);
}

/* ------------------------------------------------------------ characters */

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static int in_name(char c)
{
    return starts_name(c) || is_digit(c);
}

/* Of a column's name without quotes. */
static int in_word(char c)
{
    return (unsigned char)c > ' ' && c != 127 && !strchr(",:=()[]\"", c);
}

/* Skip blanks; the character there. */
static char peek(parser *p)
{
    while (is_blank(*p->s))
        p->s++;
    return *p->s;
}

/* Take one character of `set`, or return 0. */
static char accept(parser *p, const char *set)
{
    char c = peek(p);

    if (!c || !strchr(set, c))
        return '\0';
    p->s++;
    return c;
}

/* Where the next token begins. */
static size_t here(parser *p)
{
    peek(p);
    return (size_t)(p->s - p->spec->text);
}

/* The next token is not one of those expected. */
static gram_status unexpected(parser *p, const char *expected)
{
    enum { MOST = 40 };
    char found[MOST + 3] = "the end";
    char c = peek(p);
    size_t n = 1;

    while (in_name(c) && in_name(p->s[n]))
        n++;
    if (n > MOST)
        snprintf(found, sizeof found, "a long name");
    else if (c == '"')
        snprintf(found, sizeof found, "a quoted text");
    else if (c == 127 || (c > 0 && c < ' '))
        snprintf(found, sizeof found, "control character 0x%02x", c);
    else if (c)
        snprintf(found, sizeof found, "\"%.*s\"", (int)n, p->s);
    return gi_spec_fail(p->spec, here(p), GRAM_ERR_PARSE,
                        "found %s, expected %s", found, expected);
}

/* ---------------------------------------------------------------- tokens */

static gram_status read_number(parser *p, const char *expected, double *out)
{
    const char *after = NULL;

    if (peek(p) != '+') /* a sum's, never a number's */
        after = gi_number_parse(p->s, p->end, out);
    if (!after)
        return unexpected(p, expected);
    if (!isfinite(*out))
        return gi_spec_fail(p->spec, here(p), GRAM_ERR_RANGE,
                            "a number too large for a double");
    p->s = after;
    return GRAM_OK;
}

/* One or more characters that are `in` it. */
static gram_status read_run(parser *p, int (*in)(char), const char *expected,
                            const char **out)
{
    size_t n = 0;

    peek(p);
    while (in(p->s[n]))
        n++;
    if (n == 0)
        return unexpected(p, expected);
    p->s += n;
    return copy_text(p, p->s - n, n, out);
}

/* The text between quotes, where "" stands for one. */
static gram_status read_quoted(parser *p, const char **out)
{
    size_t at = here(p), n = 0;
    const char *s = p->s + 1;
    char *copy = NULL;
    gram_status status = GRAM_OK;

    for (; *s && (*s != '"' || s[1] == '"'); s++, n++)
        s += *s == '"';
    if (!*s)
        return gi_spec_fail(p->spec, at, GRAM_ERR_PARSE,
                            "a quote that is not closed");
    GI_TRY(take(p, n + 1, &copy));
    *out = copy;
    for (const char *from = p->s + 1; from < s; from++) {
        from += *from == '"';
        *copy++ = *from;
    }
    p->s = s + 1;
done:
    return status;
}

/* --------------------------------------------------------------- columns */

int gi_column_is_bare(const char *word)
{
    size_t n = 0, index;

    while (in_word(word[n]))
        n++;
    return n > 0 && !word[n] &&
           gi_column_classify(word, &index) == GI_COLUMN_NAME;
}

/* The b of a range a:b whose a is read. */
static gram_status range_end(parser *p, gi_column_item *item)
{
    gram_status status = GRAM_OK;
    const char *to = NULL;

    GI_TRY(read_run(p, in_word, "the index that ends the range", &to));
    if (item->kind != GI_COLUMN_INDEX ||
        gi_column_classify(to, &item->to) != GI_COLUMN_INDEX)
        return gi_spec_fail(p->spec, item->at, GRAM_ERR_PARSE,
                            "a range a:b takes indices; a name with \":\" "
                            "goes in quotes");
    if (item->from >= item->to)
        return gi_spec_fail(p->spec, item->at, GRAM_ERR_RANGE,
                            "the range %zu:%zu holds no column", item->from,
                            item->to);
    item->kind = GI_COLUMN_RANGE;
    item->name = NULL;
done:
    return status;
}

static gram_status column(parser *p, gi_column_item **out)
{
    gram_status status = GRAM_OK;
    gi_column_item *item = NULL;

    GI_TRY(take(p, sizeof *item, &item));
    *out = item;
    item->at = here(p);
    if (peek(p) == '"') {
        item->kind = GI_COLUMN_NAME;
        GI_TRY(read_quoted(p, &item->name));
    } else {
        GI_TRY(read_run(p, in_word, "a column", &item->name));
        item->kind = gi_column_classify(item->name, &item->from);
        if (accept(p, ":"))
            GI_TRY(range_end(p, item));
    }
done:
    return status;
}

/* column { ',' column }, each with =NAME if they are pairs. */
static gram_status column_list(parser *p, int pairs, gi_column_item **out)
{
    gram_status status = GRAM_OK;

    do {
        GI_TRY(column(p, out));
        if (pairs) {
            if (!accept(p, "="))
                return unexpected(p, "\"=\" (" QUOTE_HINT ")");
            (*out)->value_at = here(p);
            GI_TRY(read_run(p, in_name, "a name", &(*out)->value));
        }
        out = &(*out)->next;
    } while (accept(p, ","));
done:
    return status;
}

/* [ columns ], if there are. */
static gram_status columns(parser *p, gi_column_item **out)
{
    gram_status status = GRAM_OK;

    if (!accept(p, "["))
        return GRAM_OK;
    GI_TRY(column_list(p, 0, out));
    if (!accept(p, "]"))
        return unexpected(p, "\",\" or \"]\" (" QUOTE_HINT ")");
done:
    return status;
}

/* ----------------------------------------------------------- expressions */

static gram_status expr(parser *p, gi_node **out);

/* '[' NUMBER { ',' NUMBER } ']' as NUMBER nodes. */
static gram_status numbers(parser *p, gi_node **out)
{
    gram_status status = GRAM_OK;

    accept(p, "[");
    do {
        GI_TRY(new_node(p, GI_NODE_NUMBER, here(p), out));
        GI_TRY(read_number(p, "a number", &(*out)->number));
        out = &(*out)->next;
    } while (accept(p, ","));
    if (!accept(p, "]"))
        return unexpected(p, "\",\" or \"]\"");
done:
    return status;
}

/* Does NAME '=' come next? */
static int label_next(parser *p)
{
    const char *s;

    if (!starts_name(peek(p)))
        return 0;
    for (s = p->s; in_name(*s); s++)
        ;
    while (is_blank(*s))
        s++;
    return *s == '=';
}

/* [ NAME '=' ] ( expr | list | TEXT ) */
static gram_status argument(parser *p, gi_node **out)
{
    gram_status status = GRAM_OK;
    size_t at = here(p);
    const char *label = NULL;
    char c;

    if (label_next(p)) {
        GI_TRY(read_run(p, in_name, "a name", &label));
        accept(p, "=");
    }
    c = peek(p);
    if (c == '[') {
        GI_TRY(new_node(p, GI_NODE_LIST, here(p), out));
        GI_TRY(numbers(p, &(*out)->kids));
    } else if (c == '"') {
        GI_TRY(new_node(p, GI_NODE_TEXT, here(p), out));
        GI_TRY(read_quoted(p, &(*out)->name));
    } else if (!c || c == ',' || c == ')') {
        return unexpected(p, label ? "a value" : "an argument");
    } else {
        GI_TRY(expr(p, out));
    }
    (*out)->label = label;
    (*out)->label_at = at;
done:
    return status;
}

/* NAME [ '(' arg { ',' arg } ')' ] [ columns ] */
static gram_status call(parser *p, gi_node **out)
{
    gram_status status = GRAM_OK;
    gi_node **arg;

    GI_TRY(new_node(p, GI_NODE_CALL, here(p), out));
    GI_TRY(read_run(p, in_name, "a name", &(*out)->name));
    if (accept(p, "(")) {
        arg = &(*out)->kids;
        do {
            GI_TRY(argument(p, arg));
            arg = &(*arg)->next;
        } while (accept(p, ","));
        if (!accept(p, ")"))
            return unexpected(p, "\",\", \")\" or an operator");
    }
    GI_TRY(columns(p, &(*out)->columns));
done:
    return status;
}

/* '(' expr ')' [ columns ] */
static gram_status group(parser *p, gi_node **out)
{
    gram_status status = GRAM_OK;
    size_t at = here(p);
    gi_node *inner = NULL;

    accept(p, "(");
    GI_TRY(expr(p, &inner));
    if (!accept(p, ")"))
        return unexpected(p, "\")\" or an operator");
    *out = inner;
    if (peek(p) == '[') {
        GI_TRY(new_node(p, GI_NODE_GROUP, at, out));
        (*out)->kids = inner;
        GI_TRY(columns(p, &(*out)->columns));
    }
done:
    return status;
}

static int negative_number_at(const char *s)
{
    return s[0] == '-' && (is_digit(s[1]) || s[1] == '.');
}

/* '?' [ NUMBER | list ] */
static gram_status open_value(parser *p, gi_node **out)
{
    gram_status status = GRAM_OK;

    GI_TRY(new_node(p, GI_NODE_OPEN, here(p), out));
    (*out)->number = NAN;
    accept(p, "?");
    if (negative_number_at(p->s) || is_digit(peek(p)) || peek(p) == '.')
        GI_TRY(read_number(p, "a number", &(*out)->number));
    else if (peek(p) == '[')
        GI_TRY(numbers(p, &(*out)->kids));
done:
    return status;
}

static gram_status constant(parser *p, gi_node **out)
{
    gram_status status = GRAM_OK;
    size_t at = here(p);

    if (*p->s == '-' && !negative_number_at(p->s))
        return gi_spec_fail(p->spec, at, GRAM_ERR_PARSE,
                            "a minus sign in front belongs to a number, as in "
                            "-1*rbf");
    GI_TRY(new_node(p, GI_NODE_NUMBER, at, out));
    GI_TRY(read_number(p, "a number, \"?\", a name or \"(\"", &(*out)->number));
    if (p->spec->text[at] == '-' && peek(p) == '^')
        return gi_spec_fail(p->spec, at, GRAM_ERR_PARSE,
                            "a power of a negative number needs parentheses, "
                            "as in (-2)^2");
done:
    return status;
}

static gram_status base(parser *p, gi_node **out)
{
    char c = peek(p);

    if (c == '(')
        return group(p, out);
    if (c == '?')
        return open_value(p, out);
    if (starts_name(c))
        return call(p, out);
    return constant(p, out);
}

/* base [ '^' NUMBER ] */
static gram_status factor(parser *p, gi_node **out)
{
    gram_status status = GRAM_OK;
    size_t at = here(p);
    gi_node *inner = NULL;

    GI_TRY(base(p, &inner));
    *out = inner;
    if (accept(p, "^")) {
        GI_TRY(new_node(p, GI_NODE_POWER, at, out));
        (*out)->kids = inner;
        GI_TRY(read_number(p, "a number as the exponent", &(*out)->number));
    }
done:
    return status;
}

/* operand { operator operand }: the operand alone, or a node of them all. */
static gram_status chain(parser *p, gi_node_kind kind, const char *operators,
                         gram_status (*operand)(parser *, gi_node **),
                         gi_node **out)
{
    gram_status status = GRAM_OK;
    size_t at = here(p);
    gi_node *last = NULL;
    char op;

    GI_TRY(operand(p, &last));
    *out = last;
    if (!peek(p) || !strchr(operators, peek(p)))
        goto done;
    GI_TRY(new_node(p, kind, at, out));
    (*out)->kids = last;
    while ((op = accept(p, operators))) {
        GI_TRY(operand(p, &last->next));
        last = last->next;
        last->minus = op == '-';
    }
done:
    return status;
}

static gram_status term(parser *p, gi_node **out)
{
    return chain(p, GI_NODE_PRODUCT, "*", factor, out);
}

static gram_status expr(parser *p, gi_node **out)
{
    gram_status status;

    if (p->depth > GI_SPEC_DEPTH)
        return gi_spec_fail(p->spec, here(p), GRAM_ERR_PARSE,
                            "parentheses nested more than %d deep",
                            GI_SPEC_DEPTH);
    p->depth++;
    status = chain(p, GI_NODE_SUM, "+-", term, out);
    p->depth--;
    return status;
}

/* ----------------------------------------------------------------- texts */

enum form { EXPR, COLUMNS, PAIRS };

static gram_status parse(gi_run *run, const char *what, const char *text,
                         enum form form, gi_spec **out)
{
    static const char *const ends[] = {
        [EXPR] = "an operator or the end",
        [COLUMNS] = "\",\" or the end (" QUOTE_HINT ")",
        [PAIRS] = "\",\" or the end",
    };
    gram_status status = GRAM_OK;
    size_t n = strlen(text);
    gi_spec *spec = NULL;
    parser p = {.run = run};

    *out = NULL;
    GI_TRY(GI_NEW_ZERO(run, spec, 1));
    p.spec = spec;
    GI_TRY(copy_text(&p, what, strlen(what), &spec->what));
    GI_TRY(copy_text(&p, text, n, &spec->text));
    p.s = spec->text;
    p.end = spec->text + n;
    if (form == EXPR)
        GI_TRY(expr(&p, &spec->root));
    else
        GI_TRY(column_list(&p, form == PAIRS, &spec->columns));
    if (peek(&p))
        GI_TRY(unexpected(&p, ends[form]));
    *out = spec;
    spec = NULL;
done:
    gi_spec_free(spec);
    return status;
}

gram_status gi_spec_parse(gi_run *run, const char *what, const char *text,
                          gi_spec **out)
{
    return parse(run, what, text, EXPR, out);
}

gram_status gi_spec_parse_columns(gi_run *run, const char *what,
                                  const char *text, gi_spec **out)
{
    return parse(run, what, text, COLUMNS, out);
}

gram_status gi_spec_parse_pairs(gi_run *run, const char *what, const char *text,
                                gi_spec **out)
{
    return parse(run, what, text, PAIRS, out);
}
