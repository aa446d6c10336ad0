/* test_report.c - what a test found, for people and as JSON: the verdict, then
 * the columns and rows that speak most for it.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { ROWS = 3, COLUMNS = 5 }; /* rows and columns that people see */

/* What says why, of two samples. */
typedef struct reasons {
    gram_table *columns;
    double *witness;
    size_t row[2][ROWS]; /* SIZE_MAX: fewer */
    double seconds;
} reasons;

/* The rows of one sample with the largest sign * witness. */
static void find_rows(const double *w, size_t rows, double sign, size_t *out)
{
    for (size_t k = 0; k < ROWS; k++) {
        out[k] = SIZE_MAX;
        for (size_t i = 0; i < rows; i++) {
            int taken = 0;

            for (size_t q = 0; q < k; q++)
                taken |= out[q] == i;
            if (!taken &&
                (out[k] == SIZE_MAX || sign * w[i] > sign * w[out[k]]))
                out[k] = i;
        }
    }
}

/* The witness at the rows of both files. */
static int find_witness(const gram_test *t, const cli_pair *pair, double **out)
{
    size_t m = gram_table_rows(pair->table[0]);
    double *w = cli_alloc(m + gram_table_rows(pair->table[1]) + 1, sizeof *w);
    gram_exec exec = cli_exec("explaining");
    int code = CLI_GOOD;

    *out = w;
    if (!pair->part)
        return cli_status(gram_test_witness(t, NULL, &exec, w));
    code = cli_status(gram_test_witness(t, pair->table[0], &exec, w));
    if (code == CLI_GOOD)
        code = cli_status(gram_test_witness(t, pair->table[1], &exec, w + m));
    return code;
}

static int find_reasons(const gram_test *t, const cli_pair *pair, reasons *r)
{
    int code = CLI_GOOD;
    size_t m = gram_table_rows(pair->table[0]);
    double start = cli_clock();

    gram_exec exec = cli_exec("explaining");
    CLI_TRY(cli_status(gram_test_columns(t, &exec, &r->columns)));
    CLI_TRY(find_witness(t, pair, &r->witness));
    find_rows(r->witness, m, 1, r->row[0]);
    find_rows(r->witness + m, gram_table_rows(pair->table[1]), -1, r->row[1]);
    r->seconds = cli_clock() - start;
done:
    return code;
}

/* ------------------------------------------------------------------- JSON */

static json_t *json_rows(const size_t *row)
{
    json_t *list = json_array();

    for (size_t k = 0; k < ROWS && row[k] != SIZE_MAX; k++)
        json_array_append_new(list, json_integer((json_int_t)row[k] + 1));
    return list;
}

static int print_json(const gram_test_report *r, const cli_pair *pair,
                      const reasons *why)
{
    json_t *o = cli_json_fields(gram_test_report_fields(), r);

    json_object_set_new(o, "read_seconds", json_real(pair->read_seconds));
    if (why->columns)
        json_object_update_new(o,
                               json_pack("{s:o, s:o, s:o, s:f}", "columns",
                                         cli_json_table(why->columns),
                                         "rows_first", json_rows(why->row[0]),
                                         "rows_second", json_rows(why->row[1]),
                                         "explain_seconds", why->seconds));
    return cli_json_print(o);
}

/* ------------------------------------------------------------------- text */

static void put_verdict(const gram_test_report *r)
{
    char p[CLI_ROOM], alpha[CLI_ROOM], line[400];
    const char *differ =
        r->other ? "The columns depend on each other" : "The samples differ";
    const char *alike =
        r->other ? "No dependence was found" : "No difference was found";

    cli_number(p, r->p_value, 3);
    cli_number(alpha, r->alpha, 3);
    if (r->reject)
        snprintf(line, sizeof line, "%s: p = %s is at most the level %s.",
                 differ, p, alpha);
    else
        snprintf(line, sizeof line,
                 "%s: p = %s is above the level %s. That is no proof that "
                 "there is none.",
                 alike, p, alpha);
    cli_wrap(stdout, line, 0, 0);
}

static void item_method(const gram_test_report *r)
{
    char p[CLI_ROOM];

    cli_number(p, r->p_value, 4);
    if (r->permutations == 0)
        cli_item("p-value", "%s, from the %s distribution", p, r->method);
    else if (r->bins == 0)
        cli_item("p-value", "%s, from %zu draws (%s)", p, r->permutations,
                 r->method);
    else if (r->bins < r->m + r->n)
        cli_item("p-value", "%s, from %zu permutations of %zu bins of rows", p,
                 r->permutations, r->bins);
    else
        cli_item("p-value", "%s, from %zu permutations of the rows", p,
                 r->permutations);
}

static void item_columns(const gram_table *columns)
{
    gram_column name = gram_table_column(columns, 0);
    gram_column part = gram_table_column(columns, 1);
    gram_column distance = gram_table_column(columns, 2);
    char d[CLI_ROOM];

    for (size_t i = 0; i < gram_table_rows(columns) && i < COLUMNS; i++) {
        const char *s = name.levels[name.codes[i]];
        double share = 100 * fmax(0, fmin(1, part.values[i]));

        if (isnan(distance.values[i]))
            cli_item(i ? "" : "columns", "%s: %.0f %% less without it", s,
                     share);
        else
            cli_item(i ? "" : "columns",
                     "%s: %.0f %% less without it; by itself %s deviations "
                     "apart",
                     s, share, cli_number(d, distance.values[i], 2));
    }
}

static void item_rows(const char *name, const size_t *row, const double *w)
{
    char text[ROWS * 2 * CLI_ROOM] = "", number[CLI_ROOM];

    for (size_t k = 0; k < ROWS && row[k] != SIZE_MAX; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%srow %zu (%s)", k ? ", " : "", row[k] + 1,
                 cli_number(number, w[row[k]], 3));
    cli_item(name, "%s", text);
}

static void item_power(const gram_test_report *r)
{
    if (isnan(r->rows_needed))
        return;
    if (isinf(r->rows_needed))
        cli_item("power", "the estimate is not above 0: no number of rows can "
                          "be named");
    else
        cli_item("power",
                 "with about %.0f rows of each sample a difference like this "
                 "is seen 8 times in 10",
                 r->rows_needed);
}

static void print_text(const gram_test_report *r, const cli_pair *pair,
                       const reasons *why)
{
    char a[CLI_ROOM], b[CLI_ROOM];
    char *kernel = cli_kernel_rounded(r->kernel);

    put_verdict(r);
    if (isnan(r->std_error))
        cli_item("HSIC", "%s", cli_number(a, r->statistic, 4));
    else
        cli_item("MMD^2", "%s %s %s, %s", cli_number(a, r->statistic, 4),
                 cli_glyphs_get()->plus_minus, cli_number(b, r->std_error, 2),
                 r->statistic_name);
    item_method(r);
    if (r->n > 0)
        cli_item("rows", "%zu and %zu, of %zu column%s", r->m, r->n, r->d,
                 r->d == 1 ? "" : "s");
    else
        cli_item("rows", "%zu, of %zu columns", r->m, r->d);
    if (r->kernels > 1)
        cli_item("kernels", "%zu, of which this one sees most", r->kernels);
    cli_item("kernel", "%s", kernel);
    free(kernel);
    if (r->other) {
        kernel = cli_kernel_rounded(r->other);
        cli_item("and", "%s", kernel);
        free(kernel);
    }
    item_power(r);
    if (why->columns) {
        item_columns(why->columns);
        item_rows("typical of A", why->row[0], why->witness);
        item_rows("typical of B", why->row[1],
                  why->witness + gram_table_rows(pair->table[0]));
    }
    for (size_t i = 0; i < r->warning_count; i++)
        cli_item("warning", "%s", r->warnings[i]);
}

int cli_test_print(const gram_test *t, const cli_pair *pair)
{
    int code = CLI_GOOD;
    const gram_test_report *r = gram_test_report_get(t);
    reasons why = {0};

    if (pair->table[1] && !cli.quiet)
        CLI_TRY(find_reasons(t, pair, &why));
    if (cli.json)
        code = print_json(r, pair, &why);
    else
        print_text(r, pair, &why);
done:
    gram_table_free(why.columns);
    free(why.witness);
    return code;
}

/* ---------------------------------------------------------------- witness */

/* A column of both files, one behind the other; where the second has none of
 * that type, and where it is sparse, it is left out. */
static int add_column(gram_table *out, const cli_pair *pair, size_t j)
{
    gram_column a = gram_table_column(pair->table[0], j);
    size_t k;

    if (a.type == GRAM_TYPE_SPARSE ||
        gram_table_find(pair->table[1], a.name, &k) != GRAM_OK ||
        gram_table_column(pair->table[1], k).type != a.type)
        return CLI_GOOD;
    return cli_status(gram_table_add_copy(out, a.name, pair->table, 2, NULL));
}

int cli_test_witness(const gram_test *t, const cli_pair *pair, const char *path)
{
    int code = CLI_GOOD;
    size_t m = gram_table_rows(pair->table[0]);
    size_t rows = m + gram_table_rows(pair->table[1]);
    const char **sample = cli_alloc(rows + 1, sizeof *sample);
    double *number = cli_alloc(rows + 1, sizeof *number), *w = NULL;
    gram_table *out = NULL;

    for (size_t i = 0; i < rows; i++) {
        sample[i] = i < m ? "A" : "B";
        number[i] = (double)(i < m ? i : i - m) + 1;
    }
    CLI_TRY(find_witness(t, pair, &w));
    CLI_TRY(cli_status(gram_table_new(rows, &out)));
    for (size_t j = 0; j < gram_table_cols(pair->table[0]); j++)
        CLI_TRY(add_column(out, pair, j));
    CLI_TRY(cli_status(
        gram_table_add_strings(out, "sample_of", GRAM_TYPE_CATEGORY, sample)));
    CLI_TRY(cli_status(gram_table_add_numbers(out, "row_of", number, 1)));
    CLI_TRY(cli_status(gram_table_add_numbers(out, "witness", w, 1)));
    gram_exec exec = cli_exec("writing");
    code = cli_status(gram_table_write(out, path, NULL, &exec));
done:
    gram_table_free(out);
    free(sample);
    free(number);
    free(w);
    return code;
}
