/* cells.c - from text cells to numbers, codes and texts, block by block; see
 * load.h.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/number.h"
#include "data/types/date.h"
#include "data/read/load.h"

static int is_missing(const char *s, size_t n)
{
    static const char *const words[] = {"NA",  "NaN",  "nan",  "NAN", "N/A",
                                        "n/a", "null", "NULL", "?"};

    if (n == 0)
        return 1;
    if (n > 4)
        return 0;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strlen(words[k]) == n && memcmp(s, words[k], n) == 0)
            return 1;
    return 0;
}

/* Numbers that other programs write and that are refused here: inf, hexadecimal
 * floats, decimals too large for a double. */
static int is_odd(const char *s, size_t n)
{
    double x;

    if (gi_number_parse(s, s + n, &x) == s + n)
        return 1; /* too large */
    if (n && (*s == '+' || *s == '-')) {
        s++;
        n--;
    }
    if ((n == 3 && strncasecmp(s, "inf", n) == 0) ||
        (n == 8 && strncasecmp(s, "infinity", n) == 0))
        return 1;
    return n > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') &&
           strspn(s + 2, "0123456789abcdefABCDEF.pP+-") >= n - 2;
}

unsigned gi_cell_kind(const char *s, size_t n, int quoted)
{
    double x;

    if (n == 0 || (!quoted && is_missing(s, n)))
        return GI_CELL_MISSING;
    if (gi_number_whole(s, s + n, &x))
        return GI_CELL_NUMBER;
    if (gi_date_parse(s, n, &x))
        return GI_CELL_DATE;
    return is_odd(s, n) ? GI_CELL_ODD : GI_CELL_OTHER;
}

gram_status gi_work_fail(gi_work *w, gram_status status, const char *format,
                         ...)
{
    char text[768];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return gi_fail(status, "%s:%zu: %s", gi_input_name(w->load->lines.in),
                   w->line, text);
}

/* Fail with the sentence `column "x": "CELL" what`; a long cell is cut. */
static gram_status misfit(gi_work *w, const gi_field *f, const char *s,
                          size_t n, const char *what)
{
    int most = 60, shown = n > 60 ? most : (int)n;

    return gi_work_fail(w, GRAM_ERR_PARSE, "column \"%.100s\": \"%.*s%s\" %s",
                        f->name, shown, s, n > 60 ? "..." : "", what);
}

static gram_status value_cell(gi_work *w, size_t f, const char *s, size_t n)
{
    const gi_field *field = &w->load->field[f];
    int number = field->type == GRAM_TYPE_NUMBER;
    double x;
    unsigned kind;

    if (number ? gi_number_whole(s, s + n, &x) : gi_date_parse(s, n, &x)) {
        w->values[f][w->rows] = x;
        return gi_work_text(w, f, s, n);
    }
    kind = gi_cell_kind(s, n, 0);
    if (kind == GI_CELL_MISSING) {
        w->values[f][w->rows] = NAN;
        w->missing[f]++;
        return gi_work_text(w, f, s, n);
    }
    w->wrong_guess = !field->fixed;
    if (number && kind == GI_CELL_ODD)
        return misfit(w, field, s, n, "is not a finite decimal number");
    return misfit(w, field, s, n,
                  number ? "is not a number" : "is not a date (YYYY-MM-DD)");
}

/* Fail because the cell is not one of the declared names, which are listed. */
static gram_status not_declared(gi_work *w, const gi_field *f, const char *s,
                                size_t n)
{
    char what[300] = "is not one of ";

    for (size_t k = 0; k < f->levels.count && strlen(what) < 200; k++) {
        size_t used = strlen(what);

        snprintf(what + used, sizeof what - used, "%s%.40s", k ? ", " : "",
                 gi_dict_at(&f->levels, k));
    }
    return misfit(w, f, s, n, what);
}

static gram_status string_cell(gi_work *w, size_t f, const char *s, size_t n,
                               int quoted)
{
    const gi_field *field = &w->load->field[f];
    int code = -1;
    gram_status status = GRAM_OK;

    if (!quoted && is_missing(s, n))
        w->missing[f]++;
    else if (field->closed && gi_dict_find(&field->levels, s, n) < 0)
        return not_declared(w, field, s, n);
    else
        GI_TRY(gi_dict_add(&w->load->reader->run, &w->strings[f], s, n, &code));
    if (w->load->mode != GI_LOAD_CELLS)
        goto done;
    w->load->table->column[field->column].codes[w->first + w->rows] = code;
    /* a level is its own text; a missing cell has one of its own */
    GI_TRY(gi_work_text(w, f, s, code < 0 ? n : 0));
done:
    return status;
}

gram_status gi_work_cell(gi_work *w, size_t f, const char *s, size_t n,
                         int quoted)
{
    const gi_field *field = &w->load->field[f];

    if (field->dropped && !field->optional)
        return GRAM_OK;
    if (w->load->mode == GI_SURVEY_KINDS) {
        w->evidence[f] |= gi_cell_kind(s, n, quoted);
        return GRAM_OK;
    }
    if (field->dropped) { /* the first cell of an optional column */
        w->wrong_guess = 1;
        return misfit(w, field, s, n, "was not expected");
    }
    if (field->string)
        return string_cell(w, f, s, n, quoted);
    return w->load->mode == GI_LOAD_CELLS ? value_cell(w, f, s, n) : GRAM_OK;
}

gram_status gi_work_text(gi_work *w, size_t f, const char *s, size_t n)
{
    return w->load->field[f].verbatim
               ? gi_texts_add(&w->load->reader->run, &w->texts[f], s, n)
               : GRAM_OK;
}

gram_status gi_work_entry(gi_work *w, unsigned index, double value)
{
    gi_entries *e = &w->entries;
    gram_status status = GRAM_OK;

    if (e->n == e->capacity) {
        size_t capacity = e->capacity < 4096 ? 4096 : 2 * e->capacity;
        gi_run *run = &w->load->reader->run;

        GI_TRY(GI_GROW(run, e->index, capacity));
        GI_TRY(GI_GROW(run, e->value, capacity));
        e->capacity = capacity;
    }
    e->index[e->n] = index;
    e->value[e->n++] = value;
    if (index >= e->width)
        e->width = (size_t)index + 1;
done:
    return status;
}

gram_status gi_work_row(gi_work *w)
{
    gi_entries *e = &w->entries;
    gram_status status = GRAM_OK;

    if (w->load->sparse) {
        if (w->rows >= e->rows_capacity) {
            size_t capacity = w->block.lines + 1;

            GI_TRY(GI_GROW(&w->load->reader->run, e->end, capacity));
            e->rows_capacity = capacity;
        }
        e->end[w->rows] = e->n;
    }
    w->rows++;
done:
    return status;
}
