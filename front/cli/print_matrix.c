/* print_matrix.c - a matrix that a command computes and writes as .npy.
 *
 * Its memory is the library's: counted, on huge pages, within --mem.  The
 * report goes to stderr, since the matrix may go to stdout.
 */
#include <string.h>

#include "cli.h"

int cli_matrix_begin(const char *path)
{
    if (!path)
        return cli_usage("missing option: -o FILE says where the matrix goes");
    if (cli.json && strcmp(path, "-") == 0)
        return cli_fail("--json: the matrix goes to standard output already");
    return CLI_GOOD;
}

int cli_matrix_alloc(cli_matrix *m)
{
    gram_exec exec = cli_exec("computing");
    size_t size = m->single ? sizeof(float) : sizeof(double);

    if (m->cols <= (size_t)-1 / size &&
        gram_memory_new(m->rows, m->cols * size, &exec, &m->data) == GRAM_OK)
        return CLI_GOOD;
    return cli_fail("%zu x %zu numbers of %zu bytes: %s", m->rows, m->cols,
                    size, gram_error_message());
}

static int report(const cli_matrix *m, const char *path)
{
    const char *type = m->single ? "float32" : "float64";
    char seconds[CLI_ROOM];

    if (cli.json)
        return cli_json_print(
            json_pack("{s:o, s:o, s:I, s:I, s:s, s:f, s:f, s:f, s:I}", "kernel",
                      cli_json_text(m->kernel), "to", cli_json_text(path),
                      "rows", (json_int_t)m->rows, "cols", (json_int_t)m->cols,
                      "type", type, "seconds", m->seconds, "read_seconds",
                      m->read_seconds, "write_seconds", m->write_seconds,
                      "peak_bytes", (json_int_t)gram_memory_peak()));
    if (!cli.quiet) {
        cli_put(stderr, cli_path(path, "standard output"));
        fprintf(stderr, ": %zu %s %zu, %s, computed in %s s\n", m->rows,
                cli_glyphs_get()->times, m->cols, type,
                cli_number(seconds, m->seconds, 2));
    }
    return CLI_GOOD;
}

int cli_matrix_write(cli_matrix *m, const char *path)
{
    int code = CLI_GOOD;
    gram_exec exec = cli_exec("writing");
    double start = cli_clock();

    CLI_TRY(cli_status(
        m->single
            ? gram_matrix_write_single(m->data, m->rows, m->cols, path, &exec)
            : gram_matrix_write(m->data, m->rows, m->cols, path, &exec)));
    m->write_seconds = cli_clock() - start;
    code = report(m, path);
done:
    return code;
}
