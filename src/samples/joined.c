/* joined.c - two samples as one table, and a kernel for all of its rows.
 *
 * What the kernel learns, the scale of columns and the median distance, it
 * learns from all rows, whichever sample they are from: permutation tests need
 * a kernel that stays the same when rows change sides.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/proof/certified.h"
#include "samples/mmd.h"
#include "data/table/subset.h"
#include "kernels/program/unknowns.h"
#include "kernels/program/scaled.h"

gram_status gi_sentence_add(gi_run *run, gi_dict *to, const char *format, ...)
{
    char line[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    return gi_dict_add_text(run, to, line, NULL);
}

/* ------------------------------------------------------------------ tables */

static gram_status check_rows(const char *which, size_t rows)
{
    return rows >= 2 ? GRAM_OK
                     : gi_fail(GRAM_ERR_SHAPE,
                               "%s sample: %zu row%s, must be 2 or more", which,
                               rows, rows == 1 ? "" : "s");
}

/* Warn of features of b that a does not have. */
static gram_status warn_columns(gi_run *run, const gram_table *a,
                                const gram_table *b, gi_dict *warnings)
{
    gram_status status = GRAM_OK;

    for (size_t j = 0; j < b->cols; j++) {
        const gi_column *c = &b->column[j];

        if (c->role == GRAM_ROLE_FEATURE &&
            gi_dict_find(&a->names, c->name, strlen(c->name)) < 0)
            GI_TRY(gi_sentence_add(run, warnings,
                                   "column \"%s\" is in the second sample only "
                                   "and was not compared",
                                   c->name));
    }
done:
    return status;
}

/* Drop rows with missing cells, and count those of each sample again. */
static gram_status leave_out(gi_run *run, gi_joined *p)
{
    gram_status status = GRAM_OK;
    unsigned char *whole = NULL;
    size_t first = p->m, second = p->n;

    GI_TRY(GI_NEW(run, whole, p->table->rows));
    gi_table_whole_rows(p->table, NULL, whole);
    for (size_t i = 0; i < p->table->rows; i++)
        *(i < first ? &p->m : &p->n) -= !whole[i];
    gi_table_keep_rows(p->table, whole);
    GI_TRY(check_rows(second ? "first" : "the", p->m));
    if (second)
        GI_TRY(check_rows("second", p->n));
done:
    gi_free(whole);
    return status;
}

static gram_status complete(gi_run *run, gram_missing missing, gi_joined *p)
{
    gram_status status = GRAM_OK;

    if (missing == GRAM_MISSING_DROP)
        GI_TRY(leave_out(run, p));
    GI_TRY(gi_fills_learn(run, p->table, missing, &p->fills));
    if (missing == GRAM_MISSING_MEAN || missing == GRAM_MISSING_INDICATOR)
        GI_TRY(gi_fills_apply(run, &p->fills, p->table));
done:
    return status;
}

gram_status gi_joined_join(gi_run *run, const gram_table *a,
                           const gram_table *b, gram_missing missing,
                           gi_dict *warnings, gi_joined *out)
{
    gram_status status = GRAM_OK;
    unsigned char *feature = NULL;
    gram_table *part = NULL;

    GI_TRY(gi_table_context(check_rows(b ? "first" : "the", a->rows), a));
    if (b)
        GI_TRY(gi_table_context(check_rows("second", b->rows), b));
    GI_TRY(GI_NEW(run, feature, a->cols));
    for (size_t j = 0; j < a->cols; j++)
        feature[j] = a->column[j].role == GRAM_ROLE_FEATURE;
    GI_TRY(gi_table_subset(run, a, feature, NULL, &part));
    if (b) {
        GI_TRY(gi_table_join(run, part, b, &out->table));
        GI_TRY(warn_columns(run, a, b, warnings));
    } else {
        out->table = part;
        part = NULL;
    }
    out->sample[0] = a;
    out->sample[1] = b;
    out->m = a->rows;
    out->n = b ? b->rows : 0;
    GI_TRY(complete(run, missing, out));
done:
    gram_table_free(part);
    gi_free(feature);
    return status;
}

/* ----------------------------------------------------------------- kernels */

/* The power with which a number multiplies what it scales. */
static double power_of(const gram_program *p, int theta)
{
    for (size_t i = 0; i < p->ops; i++)
        if (p->op[i].slot == theta)
            return p->op[i].power;
    return 1;
}

void gi_joined_widen(const gi_joined *p, double factor)
{
    const gram_program *q = p->program;

    for (size_t s = 0; s < q->kernel->slots; s++) {
        const gi_slot *slot = &q->kernel->slot[s];
        const int first = q->first_theta[s];

        if (!slot->open || !slot->param || !slot->param->per_column)
            continue;
        for (size_t k = 0; k < gi_program_count(q, s); k++)
            q->theta[(size_t)first + k] *=
                power_of(q, first) < 0 ? factor : 1 / factor;
    }
}

/* Put open numbers at their starts. */
static gram_status start_values(gi_run *run, gi_joined *p)
{
    gram_status status = GRAM_OK;
    gi_unknown *unknown = NULL;
    size_t count = 0;

    GI_TRY(gi_unknowns_new(run, p->program, p->x, &unknown, &count));
    for (size_t u = 0; u < count; u++)
        p->program->theta[unknown[u].theta] = unknown[u].start;
done:
    gi_free(unknown);
    return status;
}

/* All rows; a cell that the kernel does not take is counted in its sample. */
static gram_status gather(gi_run *run, gi_joined *p)
{
    gram_status status =
        gi_points_new(run, p->program, p->table, GI_DOUBLE, &p->x);

    for (int i = 0; i < 2 && status == GRAM_ERR_RANGE; i++) {
        gi_points *x = NULL;

        if (p->sample[i] && gi_points_new(run, p->program, p->sample[i],
                                          GI_DOUBLE, &x) == GRAM_ERR_RANGE)
            break;
        gi_points_free(x);
    }
    return status;
}

static void forget_kernel(gi_joined *p)
{
    gi_points_free(p->x);
    gi_program_free(p->program);
    gram_kernel_free(p->kernel);
    gi_buf_free(&p->text);
    p->x = NULL;
    p->program = NULL;
    p->kernel = NULL;
}

gram_status gi_joined_kernel(gi_run *run, const char *text,
                             gram_kernel_scale scale, double widen,
                             gi_joined *out)
{
    gram_status status = GRAM_OK;
    gram_kernel *written = NULL;
    int unknown_psd = 0;

    forget_kernel(out);
    text = text ? text : GI_KERNEL_DEFAULT;
    GI_TRY(gi_kernel_new(run, text, &written));
    GI_TRY(gi_kernel_certified(run, written, &unknown_psd));
    GI_TRY(gi_kernel_scaled(run, written, (gi_scaling)scale, &out->kernel));
    GI_TRY(gi_program_new_scaled(run, out->kernel, text, out->table,
                                 &out->program));
    GI_TRY(gather(run, out));
    out->sample[0] = out->sample[1] = NULL;
    GI_TRY(start_values(run, out));
    gi_joined_widen(out, widen);
done:
    gram_kernel_free(written);
    return status;
}

void gi_joined_take_kernel(gi_joined *p, gi_joined *from)
{
    forget_kernel(p);
    p->kernel = from->kernel;
    p->program = from->program;
    p->x = from->x;
    from->kernel = NULL;
    from->program = NULL;
    from->x = NULL;
}

gram_status gi_joined_print(gi_run *run, gi_joined *p)
{
    return p->text.n
               ? GRAM_OK
               : gi_program_print(run, p->program, p->program->theta, &p->text);
}

void gi_joined_clear(gi_joined *p)
{
    forget_kernel(p);
    gram_table_free(p->table);
    gi_fills_free(&p->fills);
    *p = (gi_joined){0};
}

int gi_joined_is_fixed(const gi_joined *p)
{
    return gi_program_reads_matrix(p->program);
}
