/* reader.c - a table from a path: finds the format, reads, treats missing cells.
 */
#include "data/read/reader.h"

#include <string.h>

#include "base/fields.h"
#include "base/mem.h"
#include "base/spec.h"
#include "data/builtin/builtin.h"
#include "data/read/foreign.h"
#include "data/table/missing.h"

#define READER(name) extern const gi_reader_class gi_reader_##name;
#include "data/read/readers.def"
#undef READER

static const gi_reader_class *const classes[] = {
#define READER(name) &gi_reader_##name,
#include "data/read/readers.def"
#undef READER
};

enum { CLASSES = sizeof classes / sizeof *classes, HEAD = 1 << 16 };

const gi_reader_class *gi_reader_class_at(size_t i)
{
    return i < CLASSES ? classes[i] : NULL;
}

/* ------------------------------------------------------------- the format */

static gram_status class_by_name(const char *name, const gi_reader_class **out)
{
    const char *names[CLASSES];
    char hint[256];

    for (size_t k = 0; k < CLASSES; k++) {
        names[k] = classes[k]->name;
        if (strcmp(name, names[k]) == 0) {
            *out = classes[k];
            return GRAM_OK;
        }
    }
    return gi_fail(
        GRAM_ERR_NAME, "no format \"%s\" to read%s", name,
        gi_did_you_mean_one_of(name, names, CLASSES, hint, sizeof hint));
}

/* The format: one that the content is certainly of, else that of the extension,
 * else one that the content could be of. */
static gram_status class_by_content(gram_reader *r, const char *path)
{
    gram_status status = GRAM_OK;
    const char *names[CLASSES];
    char *head = NULL, formats[128];
    size_t n = 0;
    int best = 0;

    for (size_t k = 0; k < CLASSES; k++)
        names[k] = classes[k]->name;
    gi_names_list(names, CLASSES, formats, sizeof formats);
    GI_TRY(GI_NEW(&r->run, head, HEAD));
    GI_TRY(gi_input_peek(r->in, head, HEAD, &n));
    if (n == 0) {
        status = gi_fail(GRAM_ERR_PARSE, "%s: empty, must have rows",
                         gi_input_name(r->in));
        goto done;
    }
    GI_TRY(gi_foreign_check(path, gi_input_name(r->in), head, n, formats));
    for (size_t k = 0; k < CLASSES; k++) {
        int probe = classes[k]->probe(head, n), score = probe;

        if (probe == 2)
            score = 4;
        else if (gi_path_has_extension(path, classes[k]->extensions))
            score = 3;
        if (score > best) {
            best = score;
            r->class = classes[k];
        }
    }
    if (!r->class)
        status = gi_fail(
            GRAM_ERR_PARSE,
            "%s: not text, nor another format gram reads data from (%s)",
            gi_input_name(r->in), formats);
done:
    gi_free(head);
    return status;
}

/* ------------------------------------------------------- columns and types */

static gram_status type_by_name(const gi_spec *spec, const gi_column_item *item,
                                int *out)
{
    const char *names[GRAM_TYPE_SPARSE];
    char hint[64];

    for (int t = 0; t < GRAM_TYPE_SPARSE; t++) {
        names[t] = gram_type_name((gram_type)t);
        if (strcmp(item->value, names[t]) == 0) {
            *out = t;
            return GRAM_OK;
        }
    }
    return gi_spec_fail(spec, item->value_at, GRAM_ERR_NAME,
                        "no type \"%s\"%s: number, category, text or date",
                        item->value,
                        gi_did_you_mean(item->value, names, GRAM_TYPE_SPARSE,
                                        hint, sizeof hint));
}

/* Set mark[j] = value for the columns that the item names. */
static gram_status mark(const gi_spec *spec, const gi_column_item *item,
                        const char *const *names, size_t count, int value,
                        int *marks)
{
    size_t found = 0;
    char hint[256];

    for (size_t j = 0; j < count; j++)
        if (gi_column_matches(item, names[j])) {
            marks[j] = value;
            found++;
        }
    if (found == 0 && item->kind == GI_COLUMN_INDEX && item->from < count) {
        marks[item->from] = value;
        found = 1;
    }
    if (item->kind == GI_COLUMN_RANGE)
        for (size_t j = item->from; j < item->to && j < count; j++, found++)
            marks[j] = value;
    if (found)
        return GRAM_OK;
    if (item->kind == GI_COLUMN_RANGE)
        return gi_spec_fail(spec, item->at, GRAM_ERR_NAME,
                            "columns %zu:%zu, there are %zu", item->from,
                            item->to, count);
    return gi_spec_fail(
        spec, item->at, GRAM_ERR_NAME, "no column \"%s\"%s", item->name,
        gi_did_you_mean(item->name, names, count, hint, sizeof hint));
}

/* Read an option and mark the columns it names: with 1, or with their type. */
static gram_status mark_all(gram_reader *r, const char *what, const char *text,
                            int typed, const char *const *names, size_t count,
                            int *marks)
{
    gram_status status = GRAM_OK;
    gi_spec *spec = NULL;

    if (!text)
        return status;
    GI_TRY((typed ? gi_spec_parse_pairs : gi_spec_parse_columns)(&r->run, what,
                                                                 text, &spec));
    for (const gi_column_item *i = spec->columns; i; i = i->next) {
        int value = 1;

        if (typed)
            GI_TRY(type_by_name(spec, i, &value));
        GI_TRY(gi_context(mark(spec, i, names, count, value, marks), "%s",
                          gi_input_name(r->in)));
    }
done:
    gi_spec_free(spec);
    return status;
}

/* Mark the types that were given, and remember that they were. */
static gram_status mark_given(gram_reader *r, const char *const *names,
                              size_t count, int *type)
{
    gram_status status = GRAM_OK;
    int *given = NULL;

    GI_TRY(GI_NEW(&r->run, given, count));
    for (size_t j = 0; j < count; j++)
        given[j] = -1;
    GI_TRY(mark_all(r, "types", r->types, 1, names, count, given));
    for (size_t j = 0; j < count; j++) {
        if (given[j] < 0)
            continue;
        type[j] = given[j];
        GI_TRY(gi_dict_add_text(&r->run, &r->typed, names[j], NULL));
    }
done:
    gi_free(given);
    return status;
}

gram_status gi_reader_choose(gram_reader *r, const char *const *names,
                             size_t count, unsigned char *drop, int *type)
{
    gram_status status = GRAM_OK;
    int *dropped = NULL;

    GI_TRY(GI_NEW_ZERO(&r->run, dropped, count));
    for (size_t j = 0; j < count; j++)
        type[j] = -1;
    if (r->builtin)
        GI_TRY(mark_all(r, "types", r->builtin->types, 1, names, count, type));
    for (size_t j = 0; j < count; j++) {
        int h = gi_dict_find(&r->hinted, names[j], strlen(names[j]));

        type[j] = h < 0 ? type[j] : (int)r->hint[h].type;
    }
    GI_TRY(mark_given(r, names, count, type));
    GI_TRY(mark_all(r, "drop", r->drop, 0, names, count, dropped));
    for (size_t j = 0; j < count; j++)
        drop[j] = dropped[j] != 0;
done:
    gi_free(dropped);
    return status;
}

int gi_reader_keeps_text(const gram_reader *r, const char *name)
{
    const char *const *asked = r->options.verbatim;

    for (; asked && *asked; asked++)
        if (strcmp(*asked, "*") == 0 || strcmp(*asked, name) == 0)
            return 1;
    return 0;
}

/* ---------------------------------------------------------------- opening */

static gram_status copy_text(gi_run *run, const char *text, char **out)
{
    return text ? gi_strndup(run, text, strlen(text), out) : GRAM_OK;
}

static gram_status open_builtin(gram_reader *r, const char *path)
{
    gram_status status = GRAM_OK;

    GI_TRY(gi_builtin_find(path + strlen("builtin:"), &r->builtin));
    GI_TRY(r->builtin->text(&r->run, &r->text));
    GI_TRY(gi_input_memory(&r->run, path, r->text.s, r->text.n, &r->in));
    GI_TRY(class_by_name(r->builtin->format, &r->class));
done:
    return status;
}

static gram_status add_hints(gram_reader *r, const gi_type_hint *hint,
                             size_t count)
{
    gram_status status = GRAM_OK;

    r->hint = hint;
    for (size_t h = 0; h < count; h++)
        GI_TRY(gi_dict_add_text(&r->run, &r->hinted, hint[h].name, NULL));
done:
    return status;
}

#define FIELD(kind, member) GI_FIELD(#member, kind, gram_read_options, member)

/* `header` may be negative and is no choice by words. */
static const gram_field fields[] = {
    {FIELD(TEXT, format), .words = GI_WORDS("FORMAT"),
     .help = "the format of the file (default: by name and content)"},
    {FIELD(TEXT, types), .words = GI_WORDS("COL=TYPE,..."),
     .help = "types of columns: number, category, text, date"},
    {FIELD(TEXT, drop), .words = GI_WORDS("COL,..."),
     .help = "leave out columns: names, indices, ranges 3:5, patterns temp*"},
    {FIELD(CHAR, separator), .words = GI_WORDS("C"),
     .help = "what separates the cells of a CSV file, as in ';' or tab "
             "(default: look)"},
    {FIELD(CHOICE, missing), .least = GRAM_MISSING_REFUSE,
     .words = GI_WORDS_MISSING,
     .help = "missing cells: an error, left as they are, their rows left out, "
             "filled with the mean, or filled and marked in a column of their "
             "own"},
    {.name = NULL},
};

const gram_field *gram_read_option_fields(void)
{
    return fields;
}

/* The reader has a copy of the run. */
static gram_status open_reader(gi_run run, const char *path,
                               const gram_read_options *o,
                               const gi_type_hint *hint, size_t hints,
                               int whole, gram_reader **out)
{
    static const gram_read_options defaults;
    gram_status status = GRAM_OK;
    gram_reader *r = NULL;

    o = o ? o : &defaults;
    GI_TRY(gi_check_choice("header", o->header, -1, 1));
    GI_TRY(gi_fields_check(gram_read_option_fields(), o));
    GI_TRY(GI_NEW_ZERO(NULL, r, 1));
    r->run = run;
    gi_run_stage(&r->run, "reading");
    r->options = *o;
    r->whole = whole;
    GI_TRY(copy_text(&r->run, o->types, &r->types));
    GI_TRY(copy_text(&r->run, o->drop, &r->drop));
    GI_TRY(add_hints(r, hint, hints));
    if (strncmp(path, "builtin:", strlen("builtin:")) == 0) {
        GI_TRY(open_builtin(r, path));
    } else {
        GI_TRY(gi_input_open(&r->run, path, &r->in));
        if (o->format)
            GI_TRY(class_by_name(o->format, &r->class));
        else
            GI_TRY(class_by_content(r, path));
    }
    GI_TRY(r->class->open(r));
    *out = r;
    r = NULL;
done:
    gram_reader_free(r);
    return status;
}

gram_status gram_reader_open(const char *path, const gram_read_options *options,
                             const gram_exec *exec, gram_reader **out)
{
    gram_status status;
    gi_run run;

    *out = NULL;
    if (options && (options->missing == GRAM_MISSING_MEAN ||
                    options->missing == GRAM_MISSING_INDICATOR))
        return gi_fail(GRAM_ERR_RANGE,
                       "%s: a table read in pieces has no mean to fill in; "
                       "refuse, keep or drop missing cells",
                       path);
    run = gi_run_begin(exec);
    status = open_reader(run, path, options, NULL, 0, 0, out);
    if (status == GRAM_OK)
        (*out)->owns_run = 1;
    else
        gi_run_end(&run);
    return status;
}

void gram_reader_free(gram_reader *r)
{
    if (!r)
        return;
    if (r->class && r->state)
        r->class->close(r);
    gi_input_free(r->in);
    gi_buf_free(&r->text);
    gi_free(r->types);
    gi_free(r->drop);
    gi_dict_free(&r->typed);
    gi_dict_free(&r->hinted);
    if (r->owns_run)
        gi_run_end(&r->run);
    gi_free(r);
}

/* ---------------------------------------------------------------- reading */

/* Set what is not in the file: the target of a data set inside the library, and
 * which types were given. */
static void mark_columns(const gram_reader *r, gram_table *t)
{
    const char *target = r->builtin ? r->builtin->info.target : NULL;

    for (size_t j = 0; j < t->cols; j++) {
        gi_column *c = &t->column[j];

        if (target && strcmp(c->name, target) == 0)
            c->role = GRAM_ROLE_TARGET;
        c->typed = gi_dict_find(&r->typed, c->name, strlen(c->name)) >= 0;
    }
}

/* Rows of the file, missing cells treated; no rows at the end of it. */
static gram_status next_table(gram_reader *r, size_t rows, gram_table **out)
{
    gram_status status = GRAM_OK;
    gram_table *t = NULL;
    size_t read = 0;

    GI_TRY(gram_table_new(0, &t));
    do {
        gi_table_clear(t);
        GI_TRY(r->class->next(r, rows, t));
        read = t->rows;
        mark_columns(r, t);
        GI_TRY(gi_table_fill_missing(&r->run, t, r->options.missing,
                                     gi_input_name(r->in), r->seen));
        r->seen += read;
    } while (read > 0 && t->rows == 0 && !r->whole);
    *out = t;
    t = NULL;
done:
    gram_table_free(t);
    return status;
}

gram_status gram_reader_next(gram_reader *r, size_t rows, gram_table **out)
{
    gram_status status = GRAM_OK;
    gram_table *t = NULL;

    *out = NULL;
    if (rows == 0)
        return gi_fail(GRAM_ERR_RANGE,
                       "%s: pieces of 0 rows, must be 1 or more",
                       gi_input_name(r->in));
    GI_TRY(next_table(r, rows, &t));
    if (t->rows > 0) {
        *out = t;
        t = NULL;
    }
done:
    gram_table_free(t);
    return status;
}

gram_status gram_table_read_head(const char *path,
                                 const gram_read_options *options, size_t rows,
                                 const gram_exec *exec, gram_table **out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    gram_reader *r = NULL;
    gram_table *t = NULL;

    *out = NULL;
    GI_TRY(open_reader(run, path, options, NULL, 0, 1, &r));
    r->options.missing = GRAM_MISSING_KEEP;
    GI_TRY(next_table(r, rows, &t));
    *out = t;
done:
    gram_reader_free(r);
    return status;
}

gram_status gi_table_read(gi_run *run, const char *path,
                          const gram_read_options *options,
                          const gi_type_hint *hint, size_t hints,
                          gram_table **out)
{
    gram_status status = GRAM_OK;
    gram_reader *r = NULL;
    gram_table *t = NULL;

    *out = NULL;
    GI_TRY(open_reader(gi_run_share(run, 0, 1), path, options, hint, hints, 1,
                       &r));
    GI_TRY(next_table(r, SIZE_MAX, &t));
    if (t->rows == 0) {
        status = gi_fail(GRAM_ERR_PARSE, "%s: no rows%s", gi_input_name(r->in),
                         r->seen ? " without missing cells" : "");
        goto done;
    }
    GI_TRY(gi_run_tick(&r->run, 1));
    GI_TRY(copy_text(&r->run, gi_input_name(r->in), &t->file));
    *out = t;
    t = NULL;
done:
    gram_table_free(t);
    gram_reader_free(r);
    return status;
}

gram_status gram_table_read(const char *path, const gram_read_options *options,
                            const gram_exec *exec, gram_table **out)
{
    GI_RUN(run, exec);

    return gi_table_read(&run, path, options, NULL, 0, out);
}
