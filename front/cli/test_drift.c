/* test_drift.c - gram test REFERENCE -: rows as they come, a batch at a time.
 *
 * Lines of CSV are collected until there are enough for a batch, which is read
 * as a file of its own with the header in front and the types of the reference;
 * so a batch is judged as soon as its last line is there.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli.h"

/* "a=number,b=category": the types of the reference for columns of the header;
 * others are left to the reader. */
static char *types_of(const gram_table *reference, const char *header)
{
    char *text = NULL, *copy = strdup(header), *rest = copy, *name;
    size_t n, j;
    FILE *out = open_memstream(&text, &n);

    if (!out || !copy)
        exit(cli_fail("out of memory"));
    while ((name = strsep(&rest, ",\r\n"))) {
        if (!*name || gram_table_find(reference, name, &j) != GRAM_OK)
            continue;
        fprintf(out, "%s%s=%s", ftell(out) > 0 ? "," : "", name,
                gram_type_name(gram_table_column(reference, j).type));
    }
    if (fclose(out))
        exit(cli_fail("out of memory"));
    free(copy);
    return text;
}

/* The lines as a table. */
static int read_batch(const char *text, size_t size, const char *types,
                      gram_table **out)
{
    gram_read_options o = {.format = "csv",
                           .types = types,
                           .header = 1,
                           .missing =
                               cli_fills() ? GRAM_MISSING_KEEP : cli_missing()};
    int code = CLI_GOOD, file = memfd_create("batch", 0);
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (file < 0 || write(file, text, size) != (ssize_t)size)
        code = cli_fail("a batch cannot be kept in memory");
    else if (gram_table_read(path, &o, NULL, out) != GRAM_OK) {
        const char *why = strchr(gram_error_message(), ':');

        code = cli_fail("standard input, line of its batch%s",
                        why ? why : gram_error_message());
    }
    if (file >= 0)
        close(file);
    return code;
}

static int print_line(const gram_drift_report *r)
{
    char p[CLI_ROOM], evidence[CLI_ROOM], statistic[CLI_ROOM];
    int code = CLI_GOOD;

    if (cli.json)
        code = cli_json_print(cli_json_fields(gram_drift_report_fields(), r));
    else
        printf("batch %zu: %zu rows, MMD^2 %s, p %s, evidence %s%s\n", r->batch,
               r->rows, cli_number(statistic, r->statistic, 3),
               cli_number(p, r->p_value, 3),
               cli_number(evidence, r->evidence, 3),
               r->alarm ? "  the stream differs" : "");
    fflush(stdout);
    return code;
}

/* Judge what is collected behind the header, and forget it. */
static int end_batch(gram_drift *d, const char *types, const char *text,
                     size_t size)
{
    int code = CLI_GOOD;
    gram_table *t = NULL;
    gram_drift_report r;

    CLI_TRY(read_batch(text, size, types, &t));
    gram_exec exec = cli_exec("testing");
    CLI_TRY(cli_status(gram_drift_add(d, t, &exec, &r)));
    code = print_line(&r);
done:
    gram_table_free(t);
    return code;
}

int cli_drift_run(const gram_table *reference, const gram_test_options *o,
                  size_t batch)
{
    int code = CLI_GOOD;
    gram_drift *d = NULL;
    char *line = NULL, *header = NULL, *types = NULL, *text = NULL;
    size_t room = 0, size = 0, lines = 0;
    FILE *to = NULL;

    gram_exec exec = cli_exec("testing");
    CLI_TRY(cli_status(gram_drift_new(reference, o, &exec, &d)));
    if (getline(&header, &room, stdin) < 0)
        CLI_TRY(cli_fail("standard input: no header"));
    types = types_of(reference, header);
    room = 0;
    for (ssize_t n = 1; n > 0 && code == CLI_GOOD && !cli_signal();) {
        if (!to) {
            to = open_memstream(&text, &size);
            if (!to || fputs(header, to) < 0)
                exit(cli_fail("out of memory"));
            lines = 0;
        }
        n = getline(&line, &room, stdin);
        if (n > 1) {
            fputs(line, to);
            lines++;
        }
        if (lines == batch || (n < 0 && lines > 1)) {
            fclose(to);
            to = NULL;
            code = end_batch(d, types, text, size);
            free(text);
            text = NULL;
        }
    }
done:
    if (to)
        fclose(to);
    free(text);
    free(line);
    free(header);
    free(types);
    gram_drift_free(d);
    return code;
}
