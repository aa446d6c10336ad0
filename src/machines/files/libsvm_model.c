/* libsvm_model.c - LIBSVM's model files, written; libsvm_read.c has the form.
 *
 * Numbers are the shortest that read back to the same bits: LIBSVM itself
 * rounds features to 8 digits.
 */
#include "machines/files/libsvm_model.h"

#include <string.h>

#include "base/mem.h"
#include "base/number.h"

const char *const gi_libsvm_types[] = {"c_svc",       "nu_svc", "one_class",
                                       "epsilon_svr", "nu_svr", NULL};
const char *const gi_libsvm_kernels[] = {"linear",  "polynomial",  "rbf",
                                         "sigmoid", "precomputed", NULL};

const unsigned char gi_libsvm_takes[][3] = {
    [GI_LIBSVM_LINEAR] = {0, 0, 0},
    [GI_LIBSVM_POLY] = {1, 1, 1},
    [GI_LIBSVM_RBF] = {0, 1, 0},
    [GI_LIBSVM_SIGMOID] = {0, 1, 1},
    [GI_LIBSVM_PRECOMPUTED] = {0, 0, 0}};

void gi_libsvm_free(gi_libsvm *m)
{
    gi_free(m->rho);
    gi_free(m->label);
    gi_free(m->count);
    gi_free(m->prob_a);
    gi_free(m->prob_b);
    gi_free(m->marks);
    gi_free(m->coef);
    gi_free(m->x.start);
    gi_free(m->x.index);
    gi_free(m->x.entries);
    gi_free(m->serial);
}

/* ---------------------------------------------------------------- writing */

static gram_status put_number(gi_run *run, gi_buf *out, const char *before,
                              double x)
{
    gram_status status = GRAM_OK;
    char text[GI_NUMBER_ROOM];
    size_t n = gi_number_print(x, text);

    GI_TRY(gi_buf_add(run, out, before, strlen(before)));
    GI_TRY(gi_buf_add(run, out, text, n));
done:
    return status;
}

/* A key with its n numbers. */
static gram_status put_numbers(gi_run *run, gi_buf *out, const char *key,
                               const double *x, size_t n)
{
    gram_status status = GRAM_OK;

    GI_TRY(gi_buf_printf(run, out, "%s", key));
    for (size_t i = 0; i < n; i++)
        GI_TRY(put_number(run, out, " ", x[i]));
    GI_TRY(gi_buf_add(run, out, "\n", 1));
done:
    return status;
}

static gram_status print_header(gi_run *run, const gi_libsvm *m, gi_buf *out)
{
    gram_status status = GRAM_OK;
    const unsigned char *has = gi_libsvm_takes[m->kernel];
    size_t pairs = gi_libsvm_pairs(m->classes);
    double degree = m->degree;
    const char *const name[] = {"degree", "gamma", "coef0"};
    const double *parameter[] = {&degree, &m->gamma, &m->coef0};

    GI_TRY(gi_buf_printf(run, out, "svm_type %s\nkernel_type %s\n",
                         gi_libsvm_types[m->type],
                         gi_libsvm_kernels[m->kernel]));
    for (int i = 0; i < 3; i++)
        if (has[i])
            GI_TRY(put_numbers(run, out, name[i], parameter[i], 1));
    GI_TRY(gi_buf_printf(run, out, "nr_class %zu\ntotal_sv %zu\n", m->classes,
                         m->n));
    GI_TRY(put_numbers(run, out, "rho", m->rho, pairs));
    if (m->label) {
        GI_TRY(gi_buf_printf(run, out, "label"));
        for (size_t c = 0; c < m->classes; c++)
            GI_TRY(gi_buf_printf(run, out, " %d", m->label[c]));
        GI_TRY(gi_buf_add(run, out, "\n", 1));
    }
    if (m->prob_a)
        GI_TRY(put_numbers(run, out, "probA", m->prob_a, pairs));
    if (m->prob_b)
        GI_TRY(put_numbers(run, out, "probB", m->prob_b, pairs));
    if (m->marks)
        GI_TRY(put_numbers(run, out, "prob_density_marks", m->marks,
                           GI_LIBSVM_MARKS));
    if (m->count) {
        GI_TRY(gi_buf_printf(run, out, "nr_sv"));
        for (size_t c = 0; c < m->classes; c++)
            GI_TRY(gi_buf_printf(run, out, " %zu", m->count[c]));
        GI_TRY(gi_buf_add(run, out, "\n", 1));
    }
    GI_TRY(gi_buf_printf(run, out, "SV\n"));
done:
    return status;
}

gram_status gi_libsvm_print(gi_run *run, const gi_libsvm *m, gi_buf *out)
{
    gram_status status = GRAM_OK;
    size_t k = m->classes - 1;

    GI_TRY(print_header(run, m, out));
    for (size_t i = 0; i < m->n; i++) {
        for (size_t j = 0; j < k; j++) {
            GI_TRY(put_number(run, out, "", m->coef[i * k + j]));
            GI_TRY(gi_buf_add(run, out, " ", 1));
        }
        if (m->serial)
            GI_TRY(gi_buf_printf(run, out, "0:%zu ", m->serial[i]));
        for (size_t e = m->x.start[i]; e < m->x.start[i + 1]; e++) {
            GI_TRY(gi_buf_printf(run, out, "%u", m->x.index[e] + 1));
            GI_TRY(put_number(run, out, ":", m->x.entries[e]));
            GI_TRY(gi_buf_add(run, out, " ", 1));
        }
        GI_TRY(gi_buf_add(run, out, "\n", 1));
    }
done:
    return status;
}
