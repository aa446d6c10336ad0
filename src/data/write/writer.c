/* writer.c - a table to a path, and the list of all formats.
 *
 * Text is made in parallel: a window of blocks of rows, each into a buffer of
 * its own, then written in order, so that the file does not depend on the
 * number of threads and memory does not depend on the number of rows.
 */
#include "data/write/writer.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "data/read/reader.h"

#define WRITER(name) extern const gi_writer_class gi_writer_##name;
#include "data/write/writers.def"
#undef WRITER

static const gi_writer_class *const classes[] = {
#define WRITER(name) &gi_writer_##name,
#include "data/write/writers.def"
#undef WRITER
};

enum {
    CLASSES = sizeof classes / sizeof *classes,
    BLOCKS = GI_WRITE_BLOCKS,           /* in a window */
    BLOCK_CELLS = GI_WRITE_BLOCK_CELLS, /* about, in a block */
    DENSE_MOST = 100000,
    FORMATS_MOST = 32
};

/* ------------------------------------------------------------- the format */

static gram_status no_format(const char *path, const char *format)
{
    char list[256] = "";

    for (size_t k = 0; k < CLASSES; k++) {
        size_t n = strlen(list);

        snprintf(list + n, sizeof list - n, "%s%s", k ? ", " : "",
                 classes[k]->name);
    }
    if (format)
        return gi_fail(GRAM_ERR_NAME,
                       "no format \"%s\" to write, must be one of %s", format,
                       list);
    return gi_fail(GRAM_ERR_NAME,
                   "%s: the extension names no format, must be one of %s", path,
                   list);
}

static gram_status find_class(const char *path, const char *format,
                              const gi_writer_class **out)
{
    if (!format && strcmp(path, "-") == 0)
        format = "csv";
    for (size_t k = 0; k < CLASSES; k++)
        if (format ? strcmp(format, classes[k]->name) == 0
                   : gi_path_has_extension(path, classes[k]->extensions)) {
            *out = classes[k];
            return GRAM_OK;
        }
    return no_format(path, format);
}

gram_status gram_table_write(const gram_table *table, const char *path,
                             const gram_write_options *options,
                             const gram_exec *exec)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    const gi_writer_class *class = NULL;
    const char *name = strcmp(path, "-") == 0 ? "standard output" : path;
    gi_output *out = NULL;

    GI_TRY(find_class(path, options ? options->format : NULL, &class));
    if (table->cols == 0)
        return gi_fail(GRAM_ERR_SHAPE, "%s: no columns to write", name);
    gi_run_stage(&run, "writing");
    GI_TRY(gi_output_open(&run, path, &out));
    GI_TRY(class->write(&run, table, name, out));
    GI_TRY(gi_run_tick(&run, 1));
    GI_TRY(gi_output_commit(out));
done:
    gi_output_free(out);
    return status;
}

/* -------------------------------------------------------------- all formats */

static gram_format formats[FORMATS_MOST];
static size_t format_count;

static gram_format *format_named(const char *name)
{
    for (size_t k = 0; k < format_count; k++)
        if (strcmp(formats[k].name, name) == 0)
            return &formats[k];
    formats[format_count].name = name;
    return &formats[format_count++];
}

/* Readers and writers of one name are one format; a reader can also read
 * what has the name of one of its extensions. */
static void list_formats(void)
{
    const gi_reader_class *r;

    for (size_t i = 0; (r = gi_reader_class_at(i)); i++) {
        gram_format *f = format_named(r->name);

        f->brief = r->brief;
        f->extensions = r->extensions;
        f->can_read = 1;
    }
    for (size_t k = 0; k < CLASSES; k++) {
        gram_format *f = format_named(classes[k]->name);

        f->can_write = 1;
        f->keeps_texts = classes[k]->keeps_texts;
        if (f->can_read)
            continue;
        f->brief = classes[k]->brief;
        f->extensions = classes[k]->extensions;
    }
}

const gram_format *gram_format_at(size_t i)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, list_formats);
    return i < format_count ? &formats[i] : NULL;
}

gram_status gram_format_to_write(const char *path,
                                 const gram_write_options *options,
                                 const gram_format **out)
{
    gram_status status = GRAM_OK;
    const gi_writer_class *class = NULL;

    GI_TRY(find_class(path, options ? options->format : NULL, &class));
    for (size_t i = 0; (*out = gram_format_at(i)); i++)
        if (strcmp((*out)->name, class->name) == 0)
            break;
done:
    return status;
}

/* ------------------------------------------------------- for all writers */

gram_status gi_dense_cols(const gram_table *t, const char *name, size_t *cols)
{
    *cols = 0;
    for (size_t j = 0; j < t->cols; j++) {
        const gi_column *c = &t->column[j];

        if (c->type == GRAM_TYPE_SPARSE && c->sparse.width > DENSE_MOST)
            return gi_fail(GRAM_ERR_SHAPE,
                           "%s: column \"%s\" is a sparse block of %zu "
                           "features, at most %d can be written densely (use "
                           "LIBSVM text)",
                           name, c->name, c->sparse.width, DENSE_MOST);
        *cols += c->type == GRAM_TYPE_SPARSE ? c->sparse.width : 1;
    }
    return GRAM_OK;
}

/* What one thread writes. */
typedef struct block {
    gi_buf text;
    gram_status status;
    char message[1024];
} block;

static void fill_block(gi_run *run, block *b, size_t from, size_t to,
                       gi_row_text text, const void *context)
{
    b->text.n = 0;
    b->status = GRAM_OK;
    for (size_t i = from; i < to && b->status == GRAM_OK; i++)
        b->status = text(run, context, i, &b->text);
    if (b->status != GRAM_OK)
        snprintf(b->message, sizeof b->message, "%s", gram_error_message());
}

gram_status gi_write_rows(gi_run *run, gi_output *out, size_t rows,
                          size_t cells, gi_row_text text, const void *context)
{
    gram_status status = GRAM_OK;
    size_t step = cells < BLOCK_CELLS ? BLOCK_CELLS / (cells + 1) + 1 : 1;
    block *blocks = NULL;

    GI_TRY(GI_NEW_ZERO(run, blocks, BLOCKS));
    for (size_t row = 0; row < rows; row += step * BLOCKS) {
        size_t left = rows - row, count = (left + step - 1) / step;

        count = count < BLOCKS ? count : BLOCKS;
        GI_PARALLEL_TASKS(count > 1 ? run->threads : 1)
        for (size_t k = 0; k < count; k++) {
            size_t from = row + k * step;

            fill_block(run, &blocks[k], from,
                       rows - from < step ? rows : from + step, text, context);
        }
        for (size_t k = 0; k < count; k++) {
            if (blocks[k].status != GRAM_OK)
                GI_TRY(gi_fail(blocks[k].status, "%s", blocks[k].message));
            GI_TRY(gi_output_write(out, blocks[k].text.s, blocks[k].text.n));
        }
        GI_TRY(gi_run_tick(run, (double)row / (double)rows));
    }
done:
    for (size_t k = 0; blocks && k < BLOCKS; k++)
        gi_buf_free(&blocks[k].text);
    gi_free(blocks);
    return status;
}
