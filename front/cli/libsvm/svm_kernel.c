/* svm_kernel.c - precomputed kernels: LIBSVM text whose rows are
 *
 *     label 0:number 1:K(x,x_1) 2:K(x,x_2) ...
 *
 * with the number of the row among x_1, x_2, ... (any number in test data).
 * For training the matrix goes through a file of its own, since that is how
 * the kernel precomputed takes it.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "svm_train.h"

/* A text file read by lines. */
typedef struct lines {
    const char *path;
    FILE *in;
    char *line;
    size_t room, number;
} lines;

/* Rows as they come. */
typedef struct rows {
    size_t n, room, entries, entries_capacity, width;
    double *label, *serial, *value;
    size_t *start;
    unsigned *index;
} rows;

static void *grow(void *p, size_t count, size_t size)
{
    p = realloc(p, count * size);
    if (!p)
        exit(cli_fail("out of memory"));
    return p;
}

static char *skip_gaps(char *p)
{
    while (isspace((unsigned char)*p))
        p++;
    return p;
}

int svm_kernel_probe(const char *path)
{
    FILE *in = strcmp(path, "-") == 0 ? NULL : fopen(path, "r");
    char head[256] = "", *p = head;

    if (!in)
        return 0;
    if (!fgets(head, sizeof head, in))
        *head = '\0';
    fclose(in);
    p = skip_gaps(p);
    while (*p && !isspace((unsigned char)*p))
        p++;
    return strncmp(skip_gaps(p), "0:", 2) == 0;
}

static int bad(const lines *l, const char *what)
{
    return cli_fail("%s:%zu: %s", l->path, l->number, what);
}

/* index:value at *p, which moves behind it. */
static int read_pair(const lines *l, char **p, long *index, double *value)
{
    char *end;

    errno = 0;
    *index = strtol(*p, &end, 10);
    if (end == *p || *end != ':' || errno || *index < 0 || *index > 0x7fffffff)
        return bad(l, "not index:value");
    *p = end + 1;
    *value = strtod(*p, &end);
    if (end == *p || (*end && !isspace((unsigned char)*end)) ||
        !isfinite(*value))
        return bad(l, "a value that is not a finite number");
    *p = skip_gaps(end);
    return CLI_GOOD;
}

static void add_entry(rows *r, long index, double value)
{
    if (r->entries == r->entries_capacity) {
        r->entries_capacity = 2 * r->entries_capacity + 1024;
        r->index = grow(r->index, r->entries_capacity, sizeof *r->index);
        r->value = grow(r->value, r->entries_capacity, sizeof *r->value);
    }
    r->index[r->entries] = (unsigned)index - 1;
    r->value[r->entries++] = value;
    if ((size_t)index > r->width)
        r->width = (size_t)index;
}

static int read_row(const lines *l, rows *r)
{
    int code = CLI_GOOD;
    char *p = l->line, *end;
    long index = 0, last = 0;
    double value = 0;

    if (r->n + 1 >= r->room) {
        r->room = 2 * r->room + 64;
        r->label = grow(r->label, r->room, sizeof *r->label);
        r->serial = grow(r->serial, r->room, sizeof *r->serial);
        r->start = grow(r->start, r->room, sizeof *r->start);
    }
    r->start[r->n] = r->entries;
    r->label[r->n] = strtod(p, &end);
    if (end == p || !isspace((unsigned char)*end) || !isfinite(r->label[r->n]))
        return bad(l, "no label");
    p = skip_gaps(end);
    CLI_TRY(read_pair(l, &p, &index, &r->serial[r->n]));
    if (index != 0)
        return bad(l, "the first column must be 0:sample_serial_number");
    while (*p) {
        CLI_TRY(read_pair(l, &p, &index, &value));
        if (index <= last)
            return bad(l, "feature indices must increase");
        if (value != 0)
            add_entry(r, index, value);
        else if ((size_t)index > r->width)
            r->width = (size_t)index;
        last = index;
    }
    r->start[++r->n] = r->entries;
done:
    return code;
}

int svm_kernel_read(const char *path, svm_data *out)
{
    int code = CLI_GOOD;
    lines l = {.path = path, .in = fopen(path, "r")};
    rows r = {0};

    if (!l.in)
        return cli_fail("can't open input file %s", path);
    while (getline(&l.line, &l.room, l.in) >= 0) {
        l.number++;
        CLI_TRY(read_row(&l, &r));
    }
    CLI_TRY(cli_status(gram_table_new(r.n, &out->table)));
    CLI_TRY(
        cli_status(gram_table_add_numbers(out->table, "label", r.label, 1)));
    CLI_TRY(
        cli_status(gram_table_set_role(out->table, "label", GRAM_ROLE_TARGET)));
    CLI_TRY(cli_status(gram_table_add_sparse(out->table, "features", r.width,
                                             r.start, r.index, r.value)));
    out->serial = r.serial;
    r.serial = NULL;
done:
    fclose(l.in);
    free(l.line);
    free(r.label);
    free(r.serial);
    free(r.start);
    free(r.index);
    free(r.value);
    return code;
}

int svm_kernel_check(const svm_data *d)
{
    if (!d->serial)
        return cli_fail("ERROR: -t 4: the first column must be "
                        "0:sample_serial_number");
    for (size_t i = 0; i < d->rows; i++)
        if (d->serial[i] != floor(d->serial[i]) || d->serial[i] < 1 ||
            d->serial[i] > (double)d->x.width)
            return cli_fail("ERROR: row %zu: sample_serial_number %g, must be "
                            "from 1 to %zu",
                            i + 1, d->serial[i], d->x.width);
    return CLI_GOOD;
}

/* K[i][j] = entry serial(j) of row i. */
static void fill(const svm_problem *p, double *K)
{
    const gram_column *x = &p->data->x;
    double *row = cli_alloc(x->width, sizeof *row);

    for (size_t i = 0; i < p->n; i++) {
        memset(row, 0, x->width * sizeof *row);
        for (size_t e = x->start[p->row[i]]; e < x->start[p->row[i] + 1]; e++)
            row[x->index[e]] = x->entries[e];
        for (size_t j = 0; j < p->n; j++)
            K[i * p->n + j] = row[(size_t)p->data->serial[p->row[j]] - 1];
    }
    free(row);
}

int svm_temporary(char path[SVM_PATH], const char *ending)
{
    const char *folder = getenv("TMPDIR");
    int file;

    if (snprintf(path, SVM_PATH, "%s/svm-train-XXXXXX%s",
                 folder && *folder ? folder : "/tmp", ending) >= SVM_PATH)
        return cli_fail("TMPDIR is too long");
    file = mkstemps(path, (int)strlen(ending));
    if (file < 0)
        return cli_fail("%s: %s", path, strerror(errno));
    close(file);
    return CLI_GOOD;
}

int svm_kernel_write(const svm_problem *p, char path[SVM_PATH])
{
    int code = CLI_GOOD;
    void *K = NULL;
    gram_exec exec = cli_exec("preparing");

    CLI_TRY(
        cli_status(gram_memory_new(p->n * p->n, sizeof(double), &exec, &K)));
    fill(p, K);
    CLI_TRY(svm_temporary(path, ".npy"));
    CLI_TRY(cli_status(gram_matrix_write(K, p->n, p->n, path, &exec)));
done:
    gram_memory_free(K);
    return code;
}
