/* emit_file.c - instructions whose matrix comes from a file.
 *
 * precomputed reads k(x_i, t_j) itself.  metric reads A and needs x'At: with
 * A = V'DV, V orthogonal, x'At is the inner product of Fx and Ft where F is
 * sqrt(D) V without the rows of zero eigenvalues; so it becomes a plain inner
 * product of another view of the columns.  A file is read once, however often
 * the expression names it.
 *
 * Cost: O(d^3) for a d x d matrix A.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "data/read/reader.h"
#include "kernels/program/views.h"
#include "linalg/dense/eigen.h"

/* Matrices that were computed in single precision are symmetric up to that. */
#define SYMMETRY 1e-6

/* A sentence about the file, at the kernel that names it. */
static gram_status blame(const gram_program *p, gram_status status)
{
    if (status == GRAM_OK)
        return status;
    return gi_spec_fail(p->kernel->spec, p->node->at->at, status, "%s",
                        gram_error_message());
}

static double largest(const gi_matrix *m)
{
    double most = 0;

    for (size_t i = 0; i < m->rows * m->cols; i++)
        most = fmax(most, fabs(m->data[i]));
    return most;
}

static int is_symmetric(const gi_matrix *m)
{
    double most = SYMMETRY * largest(m);

    if (m->rows != m->cols)
        return 0;
    for (size_t i = 0; i < m->rows; i++)
        for (size_t j = 0; j < i; j++)
            if (fabs(m->data[i * m->cols + j] - m->data[j * m->cols + i]) >
                most)
                return 0;
    return 1;
}

static gram_status read_matrix(gi_run *run, const char *path, gi_matrix *m)
{
    gi_run quiet = gi_run_quiet(run);
    gram_status status = GRAM_OK;
    gram_table *t = NULL;

    quiet.stage = NULL;
    GI_TRY(gi_table_read(&quiet, path, NULL, NULL, 0, &t));
    m->rows = t->rows;
    m->cols = t->cols;
    GI_TRY(gi_alloc(run, &m->data, t->rows, t->cols * sizeof *m->data));
    for (size_t j = 0; j < t->cols; j++) {
        const gi_column *c = &t->column[j];

        if (c->type != GRAM_TYPE_NUMBER)
            GI_TRY(gi_fail(GRAM_ERR_SHAPE,
                           "%s: column \"%s\" is of type %s, a matrix has "
                           "numbers",
                           path, c->name, gram_type_name(c->type)));
        for (size_t i = 0; i < t->rows; i++)
            m->data[i * t->cols + j] = c->values[i];
    }
    m->symmetric = is_symmetric(m);
done:
    gram_table_free(t);
    return status;
}

/* Replace A by F with A = F'F. */
static gram_status factor(gi_run *run, gi_matrix *m)
{
    gram_status status = GRAM_OK;
    size_t d = m->rows, rank = 0;
    double *value = NULL, zero;

    if (!m->symmetric)
        return gi_fail(GRAM_ERR_SHAPE,
                       "%s: a matrix of %zu x %zu that is not symmetric, A "
                       "must be",
                       m->path, m->rows, m->cols);
    GI_TRY(GI_NEW(run, value, d));
    GI_TRY(gi_eigen_symmetric(run, d, m->data, d, 1, value));
    zero = 10 * (double)d * DBL_EPSILON * fmax(value[d - 1], -value[0]);
    if (value[0] < -zero)
        GI_TRY(gi_fail(GRAM_ERR_SHAPE,
                       "%s: A has the eigenvalue %g, must be positive "
                       "semidefinite",
                       m->path, value[0]));
    for (size_t j = 0; j < d; j++) {
        double root = sqrt(fmax(value[j], 0));

        if (value[j] <= zero && j + 1 < d) /* a row is left even if A = 0 */
            continue;
        for (size_t k = 0; k < d; k++)
            m->data[rank * d + k] = root * m->data[j * d + k];
        rank++;
    }
    m->rows = rank;
    m->factor = 1;
done:
    gi_free(value);
    return status;
}

/* The matrix in the file parameter, or its factor. */
static gram_status load(gram_program *p, int param, int wants_factor,
                        const gi_matrix **out)
{
    gram_status status = GRAM_OK;
    const char *path = p->node->file[param];
    gi_matrix *m = NULL;

    for (size_t i = 0; i < p->matrices; i++)
        if (p->matrix[i]->factor == wants_factor &&
            strcmp(p->matrix[i]->path, path) == 0) {
            *out = p->matrix[i];
            return status;
        }
    GI_TRY(GI_GROW(p->run, p->matrix, p->matrices + 1));
    GI_TRY(GI_NEW_ZERO(p->run, m, 1));
    p->matrix[p->matrices++] = m;
    m->path = path;
    GI_TRY(read_matrix(p->run, path, m));
    if (wants_factor)
        GI_TRY(factor(p->run, m));
    *out = m;
done:
    return blame(p, status);
}

int gram_emit_matrix(gram_program *p, int param)
{
    gi_op op = GI_OP(GI_OP_MATRIX, -1, -1);

    if (p->status == GRAM_OK)
        p->status = load(p, param, 0, &op.matrix);
    return gi_program_emit(p, op);
}

static gram_status metric_view(gram_program *p, int param, int *view)
{
    gram_status status = GRAM_OK;
    const gi_view *v = &p->view[p->node_view];
    const gi_matrix *F = NULL;

    if (v->sparse >= 0)
        return gi_spec_fail(p->kernel->spec, p->node->at->at, GRAM_ERR_SHAPE,
                            "column \"%s\" is sparse, %s takes dense columns",
                            p->source[v->sparse].name, p->node->class_->name);
    GI_TRY(load(p, param, 1, &F));
    if (F->cols != v->width)
        return gi_spec_fail(p->kernel->spec, p->node->at->at, GRAM_ERR_SHAPE,
                            "%s: a matrix of %zu x %zu, the columns are %zu",
                            F->path, F->cols, F->cols, v->width);
    GI_TRY(gi_view_transform(p, p->node_view, F, view));
done:
    return status;
}

int gram_emit_metric(gram_program *p, int param)
{
    gi_op op = GI_OP(GI_OP_DOT, -1, -1);

    if (p->status == GRAM_OK)
        p->status = metric_view(p, param, &op.view);
    return gi_program_emit(p, op);
}
