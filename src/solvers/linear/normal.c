/* normal.c - see normal.h.
 *
 * Dense: two passes over blocks of rows, the first for the means; a tile of C
 * gets its part of a block by one product on one thread, blocks in order.
 * Sparse: row j of C is summed by one thread over the rows that have feature
 * j, and the means are taken off C at the end, since sparse rows must stay
 * sparse; what cancels is small where means are.
 */
#include "solvers/linear/normal.h"

#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "linalg/dense/gemm.h"
#include "solvers/system.h"

enum { ROWS = GI_NORMAL_ROWS, EDGE = GI_NORMAL_EDGE };

double gi_normal_seconds(const gi_run *run, const gi_problem *p, size_t rows)
{
    const double scattered = 1e9; /* additions a second to sparse places */
    const gi_csr *csr = p->K->csr;
    double N = (double)p->K->features, sum = 0;

    if (!csr)
        return (double)rows * N * N / gi_rate_gemm(&gi_blas_double) /
               run->threads;
    for (size_t i = 0; i < csr->rows; i++) {
        double entries = (double)(csr->start[i + 1] - csr->start[i]);

        sum += entries * entries / 2;
    }
    return sum * ((double)rows / (double)csr->rows) / scattered / run->threads;
}

/* -------------------------------------------------------------------- dense */

typedef struct blocks {
    gi_run *run;
    const gi_problem *p;
    gi_normal *q;
    double *phi;   /* ROWS x N */
    double *y;     /* ROWS x targets */
    size_t rows;   /* of this block */
    size_t across; /* tiles along an edge of C */
} blocks;

static gram_status read_block(blocks *b, size_t row)
{
    b->rows = b->p->n - row < ROWS ? b->p->n - row : ROWS;
    return gi_operator_features(b->p->K, b->run, row, b->rows, b->phi, b->q->N);
}

static gram_status find_means(blocks *b)
{
    const size_t N = b->q->N;
    gram_status status = GRAM_OK;

    for (size_t row = 0; row < b->p->n; row += ROWS) {
        GI_TRY(read_block(b, row));
        for (size_t i = 0; i < b->rows; i++) {
            double w = 1 / gi_system_noise(b->p, row + i) / b->q->weight;

            for (size_t j = 0; j < N; j++)
                b->q->mean[j] += w * b->phi[i * N + j];
        }
    }
done:
    return status;
}

/* W^1/2 (phi - mean) and W^1/2 (y - mean) of a block. */
static gram_status weigh_block(blocks *b, size_t row)
{
    const size_t N = b->q->N, t = b->p->targets;
    gram_status status;

    GI_TRY(read_block(b, row));
    for (size_t i = 0; i < b->rows; i++) {
        double w = sqrt(1 / gi_system_noise(b->p, row + i));

        for (size_t j = 0; j < N; j++)
            b->phi[i * N + j] = w * (b->phi[i * N + j] - b->q->mean[j]);
        for (size_t j = 0; j < t; j++)
            b->y[i * t + j] =
                w * (b->p->y[(row + i) * t + j] - b->q->mean_y[j]);
    }
done:
    return status;
}

/* A tile of C += phi'phi. */
static gram_status add_tile(void *user, size_t task)
{
    const blocks *b = user;
    const size_t N = b->q->N;
    const size_t row = task / b->across * EDGE, col = task % b->across * EDGE;

    if (col >= row)
        gi_blas_double.gemm(1, 0, N - row < EDGE ? N - row : EDGE,
                            N - col < EDGE ? N - col : EDGE, b->rows, 1,
                            b->phi + row, N, b->phi + col, N, 1,
                            b->q->C + row * N + col, N);
    return GRAM_OK;
}

static gram_status sum_dense(gi_run *run, const gi_problem *p, gi_normal *q)
{
    const size_t N = q->N, t = p->targets;
    blocks b = {.run = run, .p = p, .q = q, .across = (N + EDGE - 1) / EDGE};
    gram_status status;

    gi_blas_start();
    GI_TRY(GI_NEW(run, b.phi, ROWS * N));
    GI_TRY(GI_NEW(run, b.y, ROWS * t));
    if (p->intercept)
        GI_TRY(find_means(&b));
    for (size_t row = 0; row < p->n; row += ROWS) {
        GI_TRY(weigh_block(&b, row));
        GI_TRY(gi_parallel_for(run, b.across * b.across, add_tile, &b));
        GI_TRY(gi_gemm_double(run, 1, 0, N, t, b.rows, 1, b.phi, N, b.y, t, 1,
                              q->c, t));
        GI_TRY(gi_run_tick(run, (double)row / (double)p->n));
    }
done:
    gi_free(b.phi);
    gi_free(b.y);
    return status;
}

/* ------------------------------------------------------------------- sparse */

/* Phi by columns: the rows that have a feature, and where. */
typedef struct columns {
    const gi_problem *p;
    gi_normal *q;
    size_t *start, *row, *at;
} columns;

static gram_status columns_new(gi_run *run, const gi_csr *a, columns *c)
{
    size_t entries = a->start[a->rows];
    gram_status status;

    GI_TRY(GI_NEW_ZERO(run, c->start, a->cols + 2));
    GI_TRY(GI_NEW(run, c->row, entries));
    GI_TRY(GI_NEW(run, c->at, entries));
    for (size_t k = 0; k < entries; k++)
        c->start[a->index[k] + 2]++;
    for (size_t j = 2; j < a->cols + 2; j++)
        c->start[j] += c->start[j - 1];
    for (size_t i = 0; i < a->rows; i++)
        for (size_t k = a->start[i]; k < a->start[i + 1]; k++) {
            size_t place = c->start[a->index[k] + 1]++;

            c->row[place] = i;
            c->at[place] = k;
        }
done:
    return status;
}

/* Row j of C, row j of c and the mean of feature j. */
static gram_status sum_feature(void *user, size_t j)
{
    const columns *f = user;
    const gi_problem *p = f->p;
    const gi_csr *a = p->K->csr;
    const size_t t = p->targets;
    gi_normal *q = f->q;
    double *C = q->C + j * q->N, *c = q->c + j * t;

    for (size_t k = f->start[j]; k < f->start[j + 1]; k++) {
        size_t i = f->row[k];
        double w = a->entries[f->at[k]] / gi_system_noise(p, i);

        for (size_t e = f->at[k]; e < a->start[i + 1]; e++)
            C[a->index[e]] += w * a->entries[e];
        for (size_t s = 0; s < t; s++)
            c[s] += w * (p->y[i * t + s] - q->mean_y[s]);
        if (p->intercept)
            q->mean[j] += w / q->weight;
    }
    return GRAM_OK;
}

static gram_status sum_sparse(gi_run *run, const gi_problem *p, gi_normal *q)
{
    const size_t N = q->N;
    columns f = {.p = p, .q = q};
    gram_status status;

    GI_TRY(columns_new(run, p->K->csr, &f));
    GI_TRY(gi_parallel_for(run, N, sum_feature, &f));
    for (size_t i = 0; i < N; i++)
        for (size_t j = i; j < N; j++)
            q->C[i * N + j] -= q->weight * q->mean[i] * q->mean[j];
done:
    gi_free(f.start);
    gi_free(f.row);
    gi_free(f.at);
    return status;
}

gram_status gi_normal_new(gi_run *run, const gi_problem *p, gi_normal *out)
{
    const size_t N = p->K->features, t = p->targets;
    gram_status status;

    *out = (gi_normal){.N = N};
    GI_TRY(GI_NEW_ZERO(run, out->mean_y, t));
    GI_TRY(GI_NEW_ZERO(run, out->mean, N));
    GI_TRY(GI_NEW_ZERO(run, out->C, N * N));
    GI_TRY(GI_NEW_ZERO(run, out->c, N * t));
    out->weight = gi_system_means(p, out->mean_y);
    if (!p->intercept)
        memset(out->mean_y, 0, t * sizeof *out->mean_y);
    GI_TRY(p->K->csr ? sum_sparse(run, p, out) : sum_dense(run, p, out));
done:
    if (status != GRAM_OK)
        gi_normal_free(out);
    return status;
}

void gi_normal_free(gi_normal *q)
{
    gi_free(q->mean_y);
    gi_free(q->mean);
    gi_free(q->C);
    gi_free(q->c);
    *q = (gi_normal){0};
}
