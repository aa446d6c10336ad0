/* write_npy.c - a table of numbers, or a matrix, as one NumPy array in C
 * order.
 *
 * Columns of a table are written in their order, whatever their role; dates are
 * days, missing cells are NaN, a sparse block is as many columns as it has
 * features.  Names are lost: the format has none.  A matrix is written as it is.
 */
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "data/read/npy.h"
#include "data/write/writer.h"

enum { BUFFER = GI_NPY_BUFFER_BYTES };

static gram_status check(const gram_table *t, const char *name)
{
    for (size_t j = 0; j < t->cols; j++) {
        const gi_column *c = &t->column[j];

        if (c->type == GRAM_TYPE_CATEGORY || c->type == GRAM_TYPE_TEXT)
            return gi_fail(
                GRAM_ERR_SHAPE,
                "%s: column \"%s\" is of type %s, .npy holds numbers only",
                name, c->name, gram_type_name(c->type));
    }
    return GRAM_OK;
}

static void fill_row(const gram_table *t, size_t i, double *row)
{
    for (size_t j = 0; j < t->cols; j++) {
        const gi_column *c = &t->column[j];
        const gi_sparse *s = &c->sparse;

        if (c->type != GRAM_TYPE_SPARSE) {
            *row++ = c->values[i];
            continue;
        }
        memset(row, 0, s->width * sizeof *row);
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++)
            row[s->index[k]] = s->entries[k];
        row += s->width;
    }
}

static gram_status write(gi_run *run, const gram_table *t, const char *name,
                         gi_output *out)
{
    gram_status status = GRAM_OK;
    char header[GI_NPY_HEADER];
    double *buffer = NULL;
    size_t cols = 0, step;

    GI_TRY(check(t, name));
    GI_TRY(gi_dense_cols(t, name, &cols));
    gi_npy_header(t->rows, cols, sizeof *buffer, header);
    GI_TRY(gi_output_write(out, header, sizeof header));
    step = BUFFER / sizeof *buffer / (cols + 1) + 1;
    GI_TRY(GI_NEW(run, buffer, step * cols));
    for (size_t row = 0; row < t->rows; row += step) {
        size_t n = t->rows - row < step ? t->rows - row : step;

        for (size_t i = 0; i < n; i++)
            fill_row(t, row + i, buffer + i * cols);
        GI_TRY(gi_output_write(out, buffer, n * cols * sizeof *buffer));
        GI_TRY(gi_run_tick(run, (double)row / (double)t->rows));
    }
done:
    gi_free(buffer);
    return status;
}

const gi_writer_class gi_writer_npy = {
    .name = "npy",
    .brief = "one NumPy array of doubles",
    .extensions = "npy",
    .write = write,
};

/* --------------------------------------------------------------- matrices */

static gram_status write_matrix(gi_run *run, const void *data, size_t rows,
                                size_t cols, size_t size, const char *path)
{
    gram_status status = GRAM_OK;
    char header[GI_NPY_HEADER];
    size_t bytes = rows * cols * size;
    gi_output *out = NULL;

    if (strcmp(path, "-") != 0 && !gi_path_has_extension(path, "npy"))
        return gi_fail(GRAM_ERR_NAME,
                       "%s: a matrix is written as .npy, and its name must "
                       "say so (gram convert makes other formats of it)",
                       path);
    gi_run_stage(run, "writing");
    GI_TRY(gi_output_open(run, path, &out));
    gi_npy_header(rows, cols, size, header);
    GI_TRY(gi_output_write(out, header, sizeof header));
    for (size_t at = 0; at < bytes; at += BUFFER) {
        size_t n = bytes - at < BUFFER ? bytes - at : BUFFER;

        GI_TRY(gi_output_write(out, (const char *)data + at, n));
        GI_TRY(gi_run_tick(run, (double)(at + n) / (double)bytes));
    }
    GI_TRY(gi_output_commit(out));
done:
    gi_output_free(out);
    return status;
}

gram_status gram_matrix_write(const double *data, size_t rows, size_t cols,
                              const char *path, const gram_exec *exec)
{
    GI_RUN(run, exec);

    return write_matrix(&run, data, rows, cols, sizeof *data, path);
}

gram_status gram_matrix_write_single(const float *data, size_t rows,
                                     size_t cols, const char *path,
                                     const gram_exec *exec)
{
    GI_RUN(run, exec);

    return write_matrix(&run, data, rows, cols, sizeof *data, path);
}
