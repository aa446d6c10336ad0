/* cmd_describe.c - gram describe: a table on one page.
 *
 * One line a column.  Numbers are aligned at the ".." of their range and at
 * the plus-minus of their mean; other types say in words what they hold.  If
 * the page is too narrow, histograms, digits and names get shorter, in this
 * order.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { TOP = 20 };

typedef struct level {
    const char *name;
    size_t count;
} level;

/* What is known about one column. */
typedef struct finding {
    gram_column column;
    gram_summary summary;
    level *top; /* the most frequent levels, `tops` of them */
    size_t tops;
    char *words; /* instead of numbers; NULL for a column of numbers */
} finding;

/* -------------------------------------------------------------- examining */

/* Most frequent first, equal ones in the order of the levels. */
static void find_top(finding *f, size_t rows)
{
    const gram_column *c = &f->column;
    size_t *count = cli_alloc(c->level_count, sizeof *count);
    size_t most = f->summary.distinct < TOP ? f->summary.distinct : TOP;

    f->top = cli_alloc(most, sizeof *f->top);
    for (size_t i = 0; i < rows; i++)
        if (c->codes[i] >= 0)
            count[c->codes[i]]++;
    while (f->tops < most) {
        size_t best = 0;
        for (size_t k = 1; k < c->level_count; k++)
            if (count[k] > count[best])
                best = k;
        f->top[f->tops++] = (level){c->levels[best], count[best]};
        count[best] = 0;
    }
    free(count);
}

static void say_levels(const finding *f, FILE *out)
{
    enum { LEVEL_WIDTH = 24 };

    fprintf(out, "%zu level%s", f->summary.distinct,
            f->summary.distinct == 1 ? "" : "s");
    for (size_t k = 0; k < f->tops; k++) {
        size_t width = cli_width(f->top[k].name);
        fputs(k ? ", " : ": ", out);
        cli_cell(out, f->top[k].name,
                 width < LEVEL_WIDTH ? width : LEVEL_WIDTH);
        if (f->top[0].count > 1)
            fprintf(out, " %zu", f->top[k].count);
    }
    if (f->tops < f->summary.distinct)
        fprintf(out, ", %s", cli_glyphs_get()->ellipsis);
}

static void say_texts(const finding *f, FILE *out)
{
    fprintf(out, "%zu different, e.g. ", f->summary.distinct);
    cli_put(out, f->top[0].name);
}

static double density(const finding *f, size_t rows)
{
    return (double)f->summary.count / ((double)rows * (double)f->column.width);
}

static void say_sparse(const finding *f, size_t rows, FILE *out)
{
    const gram_summary *s = &f->summary;
    char a[CLI_ROOM], b[CLI_ROOM], c[CLI_ROOM];

    fprintf(out, "%zu wide, %zu stored (%s%%)", f->column.width, s->count,
            cli_number(a, 100 * density(f, rows), 3));
    if (s->count > 0)
        fprintf(out, ", %s .. %s, mean %s", cli_number(a, s->min, 4),
                cli_number(b, s->max, 4), cli_number(c, s->mean, 4));
}

static void say_dates(const finding *f, FILE *out)
{
    const gram_summary *s = &f->summary;
    int hours = s->max - s->min < 7 && s->min != floor(s->min);
    char a[CLI_ROOM], b[CLI_ROOM];

    fprintf(out, "%s .. %s", cli_date(a, s->min, hours),
            cli_date(b, s->max, hours));
}

static int find_words(finding *f, size_t rows)
{
    size_t n;
    FILE *out;

    if (f->column.type == GRAM_TYPE_NUMBER && f->summary.count > 0)
        return CLI_GOOD;
    out = open_memstream(&f->words, &n);
    if (!out)
        return cli_fail("out of memory");
    if (f->column.type == GRAM_TYPE_SPARSE)
        say_sparse(f, rows, out);
    else if (f->summary.count == 0)
        fputs("no values", out);
    else if (f->column.type == GRAM_TYPE_DATE)
        say_dates(f, out);
    else if (f->column.type == GRAM_TYPE_TEXT)
        say_texts(f, out);
    else
        say_levels(f, out);
    return fclose(out) ? cli_fail("out of memory") : CLI_GOOD;
}

static int examine(const gram_table *table, finding *found)
{
    int code = CLI_GOOD;
    size_t rows = gram_table_rows(table), cols = gram_table_cols(table);

    cli_exec("describing");
    for (size_t j = 0; j < cols; j++) {
        finding *f = &found[j];
        CLI_TRY(cli_tick((double)j / (double)cols));
        f->column = gram_table_column(table, j);
        CLI_TRY(cli_status(gram_table_summary(table, j, &f->summary)));
        if (f->column.codes)
            find_top(f, rows);
        CLI_TRY(find_words(f, rows));
    }
done:
    return code;
}

/* ------------------------------------------------------------------- JSON */

/* Dates as people write them; the keys with _days have the numbers. */
static json_t *json_dates(const gram_summary *s)
{
    int hours = s->min != floor(s->min) || s->max != floor(s->max);
    char a[CLI_ROOM], b[CLI_ROOM], c[CLI_ROOM];

    if (s->count == 0)
        return json_object();
    return json_pack(
        "{s:s, s:s, s:s, s:f, s:f, s:f}", "min", cli_date(a, s->min, hours),
        "max", cli_date(b, s->max, hours), "mean", cli_date(c, s->mean, hours),
        "min_days", s->min, "max_days", s->max, "mean_days", s->mean);
}

static json_t *json_levels(const finding *f)
{
    json_t *list = json_array();

    for (size_t k = 0; k < f->tops; k++)
        json_array_append_new(
            list, json_pack("{s:o, s:I}", "name", cli_json_text(f->top[k].name),
                            "count", (json_int_t)f->top[k].count));
    return json_pack("{s:I, s:n, s:o}", "distinct",
                     (json_int_t)f->summary.distinct, "histogram", "levels",
                     list);
}

static json_t *json_histogram(const gram_summary *s)
{
    json_t *list = json_array();

    for (size_t k = 0; k < GRAM_HISTOGRAM_BINS; k++)
        json_array_append_new(list, json_integer((json_int_t)s->histogram[k]));
    return list;
}

/* Keys that every column has, then those of its type. */
static json_t *json_column(const finding *f, size_t rows)
{
    const gram_column *c = &f->column;
    const gram_summary *s = &f->summary;
    json_t *more = NULL;
    json_t *object = json_pack(
        "{s:o, s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:n, s:o}", "name",
        cli_json_text(c->name), "type", gram_type_name(c->type), "role",
        gram_role_name(c->role), "missing", (json_int_t)c->missing, "count",
        (json_int_t)s->count, "min", cli_json_number(s->min), "max",
        cli_json_number(s->max), "mean", cli_json_number(s->mean), "std",
        cli_json_number(s->std), "distinct", "histogram", json_histogram(s));

    if (c->codes)
        more = json_levels(f);
    else if (c->type == GRAM_TYPE_DATE)
        more = json_dates(s);
    else if (c->type == GRAM_TYPE_SPARSE)
        more = json_pack("{s:I, s:o}", "width", (json_int_t)c->width, "density",
                         cli_json_number(density(f, rows)));
    if (more)
        json_object_update(object, more);
    json_decref(more);
    return object;
}

static int print_json(const char *path, const gram_table *table,
                      const finding *found, double read_seconds, double seconds)
{
    size_t rows = gram_table_rows(table), cols = gram_table_cols(table);
    json_t *columns = json_array();

    for (size_t j = 0; j < cols; j++)
        json_array_append_new(columns, json_column(&found[j], rows));
    return cli_json_print(json_pack(
        "{s:o, s:I, s:I, s:o, s:f, s:f, s:I}", "file", cli_json_text(path),
        "rows", (json_int_t)rows, "cols", (json_int_t)cols, "columns", columns,
        "read_seconds", read_seconds, "seconds", seconds, "peak_bytes",
        (json_int_t)gram_memory_peak()));
}

/* ------------------------------------------------------------------- text */

/* Widths of what is printed; 0 leaves a part out. */
typedef struct layout {
    size_t index, name, type, role, missing;
    size_t low, high, mean, std; /* of numbers */
    size_t values;               /* all four together */
    size_t bars;
    int digits;
} layout;

enum { GAP = 2, BARS = GRAM_HISTOGRAM_BINS };

static void widen(size_t *width, size_t n)
{
    if (*width < n)
        *width = n;
}

static void widen_number(size_t *width, double x, int digits)
{
    char text[CLI_ROOM];

    widen(width, strlen(cli_number(text, x, digits)));
}

/* Rounding of the data leaves a mean that is zero for all purposes. */
static double shown_mean(const gram_summary *s)
{
    return fabs(s->mean) < 1e-12 * s->std ? 0 : s->mean;
}

static int has_bars(const finding *f)
{
    return f->summary.count > 0 && (f->column.type == GRAM_TYPE_NUMBER ||
                                    f->column.type == GRAM_TYPE_DATE);
}

/* The widths that show everything with that many digits. */
static layout measure(const finding *found, size_t cols, int digits)
{
    char text[CLI_ROOM];
    size_t sign = cli_width(cli_glyphs_get()->plus_minus);
    layout w = {.name = 4, .type = 4, .digits = digits};

    w.index = (size_t)snprintf(text, sizeof text, "%zu", cols - (cols > 0));
    for (size_t j = 0; j < cols; j++) {
        const gram_column *c = &found[j].column;
        const gram_summary *s = &found[j].summary;
        widen(&w.name, cli_width(c->name));
        widen(&w.type, strlen(gram_type_name(c->type)));
        if (c->role != GRAM_ROLE_FEATURE)
            widen(&w.role, strlen(gram_role_name(c->role)));
        if (c->missing > 0)
            widen(&w.missing, strlen("missing"));
        if (has_bars(&found[j]))
            w.bars = BARS;
        if (!found[j].words) {
            widen_number(&w.low, s->min, digits);
            widen_number(&w.high, s->max, digits);
            widen_number(&w.mean, shown_mean(s), digits);
            widen_number(&w.std, s->std, digits);
        }
    }
    if (w.low > 0) { /* room for the title, "mean +- std" */
        if (w.mean + w.std < 7)
            w.std = 7 - w.mean;
        w.values = w.low + 4 + w.high + GAP + w.mean + 2 + sign + w.std;
    }
    for (size_t j = 0; j < cols; j++)
        if (found[j].words && has_bars(&found[j]))
            widen(&w.values, cli_width(found[j].words));
    return w;
}

/* Columns of the page up to the values. */
static size_t lead(const layout *w)
{
    return w->index + GAP + w->name + GAP + w->type + GAP +
           (w->role ? w->role + GAP : 0) + (w->missing ? w->missing + GAP : 0);
}

static size_t total(const layout *w)
{
    return lead(w) + w->values + (w->bars ? GAP + w->bars : 0);
}

/* The first way to fit on the page, names cut to no less than `name`. */
static layout fit(const finding *found, size_t cols, size_t page)
{
    enum { WORDS = 24 }; /* what a column of words wants at least */
    static const struct way {
        int digits;
        size_t bars, name;
    } ways[] = {{4, 16, 1000}, {4, 9, 20}, {4, 8, 12}, {3, 9, 12},
                {3, 8, 8},     {3, 4, 8},  {3, 0, 8}};
    layout w = {.index = 0};

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        w = measure(found, cols, ways[i].digits);
        if (w.bars > ways[i].bars)
            w.bars = ways[i].bars;
        size_t wanted = total(&w);
        widen(&wanted, lead(&w) + WORDS);
        if (wanted <= page)
            break;
        size_t over = wanted - page, least = ways[i].name;
        if (least > w.name)
            least = w.name;
        w.name = w.name > least + over ? w.name - over : least;
        if (total(&w) <= page)
            break;
    }
    return w;
}

static void print_titles(const layout *w)
{
    cli_cell_right(stdout, "#", w->index);
    printf("%*s", GAP, "");
    cli_cell(stdout, "name", w->name + GAP);
    cli_cell(stdout, "type", w->type + GAP);
    if (w->role)
        cli_cell(stdout, "role", w->role + GAP);
    if (w->missing)
        printf("%*s%*s", (int)w->missing, "missing", GAP, "");
    if (w->low) {
        char mean[32];
        cli_cell(stdout, "range", w->low + 4 + w->high + GAP);
        snprintf(mean, sizeof mean, "mean %s std",
                 cli_glyphs_get()->plus_minus);
        cli_cell(stdout, mean, w->values - (w->low + 4 + w->high + GAP));
    } else if (w->bars) {
        cli_cell(stdout, "range", w->values);
    } else {
        fputs("values", stdout);
    }
    puts(w->bars >= 9 ? "  histogram" : w->bars ? "  shape" : "");
}

static void print_numbers(const gram_summary *s, const layout *w)
{
    char a[CLI_ROOM], b[CLI_ROOM], c[CLI_ROOM], d[CLI_ROOM];
    size_t used = w->low + 4 + w->high + GAP + w->mean + 2 +
                  cli_width(cli_glyphs_get()->plus_minus);

    cli_cell_right(stdout, cli_number(a, s->min, w->digits), w->low);
    fputs(" .. ", stdout);
    cli_cell(stdout, cli_number(b, s->max, w->digits), w->high + GAP);
    cli_cell_right(stdout, cli_number(c, shown_mean(s), w->digits), w->mean);
    printf(" %s ", cli_glyphs_get()->plus_minus);
    cli_cell(stdout, cli_number(d, s->std, w->digits), w->values - used);
}

/* A list that is too long ends after the last item that fits. */
static void print_words(const finding *f, size_t room)
{
    char *words = f->words, *fits = NULL;

    if (cli_width(words) > room && f->column.type != GRAM_TYPE_TEXT)
        for (char *s = words; (s = strstr(s, ", ")); s += 2) {
            *s = '\0';
            if (cli_width(words) + 3 <= room)
                fits = s;
            *s = ',';
        }
    if (fits) {
        *fits = '\0';
        cli_put(stdout, words);
        printf(", %s", cli_glyphs_get()->ellipsis);
    } else {
        size_t width = cli_width(words);
        cli_cell(stdout, words, width < room ? width : room);
    }
}

static void print_column(size_t j, const finding *f, const layout *w,
                         size_t page)
{
    const gram_column *c = &f->column;

    printf("%*zu%*s", (int)w->index, j, GAP, "");
    cli_cell(stdout, c->name, w->name);
    printf("%*s", GAP, "");
    cli_cell(stdout, gram_type_name(c->type), w->type + GAP);
    if (w->role)
        cli_cell(stdout,
                 c->role == GRAM_ROLE_FEATURE ? "" : gram_role_name(c->role),
                 w->role + GAP);
    if (w->missing && c->missing)
        printf("%*zu%*s", (int)w->missing, c->missing, GAP, "");
    else if (w->missing)
        printf("%*s", (int)w->missing + GAP, "");
    if (!f->words) {
        print_numbers(&f->summary, w);
    } else if (has_bars(f)) {
        cli_cell(stdout, f->words, w->values);
    } else {
        print_words(f, page > lead(w) ? page - lead(w) : 1);
    }
    if (has_bars(f) && w->bars) {
        printf("%*s", GAP, "");
        cli_bars(stdout, f->summary.histogram, BARS,
                 w->bars == 9 ? 8 : w->bars);
    }
    putchar('\n');
}

/* data.csv: 150 rows x 5 columns, no missing cells */
static void print_headline(const char *path, const gram_table *table,
                           const finding *found, size_t page)
{
    size_t rows = gram_table_rows(table), cols = gram_table_cols(table);
    size_t missing = 0;
    char text[160], gaps[32] = "no";

    for (size_t j = 0; j < cols; j++)
        missing += found[j].column.missing;
    if (missing > 0)
        snprintf(gaps, sizeof gaps, "%zu", missing);
    snprintf(text, sizeof text, "%zu row%s %s %zu column%s, %s missing cell%s",
             rows, rows == 1 ? "" : "s", cli_glyphs_get()->times, cols,
             cols == 1 ? "" : "s", gaps, missing == 1 ? "" : "s");
    path = cli_path(path, "standard input");
    cli_put(stdout, path);
    printf(":%s%s\n", cli_width(path) + 2 + cli_width(text) > page ? "\n" : " ",
           text);
}

static void print_text(const char *path, const gram_table *table,
                       const finding *found)
{
    size_t cols = gram_table_cols(table), page = cli_columns();
    layout w = fit(found, cols, page);

    print_headline(path, table, found, page);
    if (cols > 0)
        print_titles(&w);
    for (size_t j = 0; j < cols; j++)
        print_column(j, &found[j], &w, page);
}

/* ---------------------------------------------------------------- command */

static int run(int count, char **operands)
{
    int code = CLI_GOOD;
    double read_seconds, start;
    size_t cols = 0;
    gram_table *table = NULL;
    finding *found = NULL;

    (void)count;
    CLI_TRY(
        cli_table_read(operands[0], GRAM_MISSING_KEEP, &table, &read_seconds));
    start = cli_clock();
    cols = gram_table_cols(table);
    found = cli_alloc(cols, sizeof *found);
    CLI_TRY(examine(table, found));
    cli_progress_clear();
    if (cli.json)
        code = print_json(operands[0], table, found, read_seconds,
                          cli_clock() - start);
    else
        print_text(operands[0], table, found);
done:
    for (size_t j = 0; j < cols && found; j++) {
        free(found[j].top);
        free(found[j].words);
    }
    free(found);
    gram_table_free(table);
    return code;
}

const cli_command cmd_describe = {
    .operands = "DATA",
    .least = 1,
    .most = 1,
    .about =
        "Show the columns of a table: type, missing cells, range, mean and "
        "standard deviation, a small histogram; for categories and text the "
        "most frequent values; for sparse blocks width and density. DATA is a "
        "file, \"-\" for standard input, or builtin:NAME.\n\n"
        "Missing cells are left as they are unless --missing says otherwise; "
        "the result of that is described.",
    .examples = "gram describe data.csv\n"
                "gram describe builtin:iris --target species\n"
                "gram describe train.svm.gz --json\n",
    .groups = {&cli_group_reading, &cli_group_running, &cli_group_output,
               &cli_group_help},
    .run = run,
};
