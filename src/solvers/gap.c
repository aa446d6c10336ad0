/* gap.c - objective, gap and gradient of a solution.
 *
 * If alpha is moved into the domain of V*, to alpha - d, the gap is the sum of
 * the header with the a_i of that, plus lambda d'K d.
 */
#include "solvers/gap.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "solvers/smooth.h"
#include "solvers/system.h"

typedef struct measure {
    gi_run *run;
    const gi_problem *p;
    gi_solution *out;
    gi_loss loss;
    size_t count; /* n x targets */
    double *f;    /* K alpha */
    double *move; /* d, K d */
    int moved;
} measure;

gi_loss gi_problem_loss(const gi_problem *p)
{
    return p->loss ? *p->loss
                   : (gi_loss){.class_ = gi_loss_with(GRAM_LOSS_SQUARED)};
}

/* Row k/targets, with its intercept. */
static double value_at(const measure *m, size_t k)
{
    return m->f[k] + m->out->intercept[k % m->p->targets];
}

static double weight_at(const measure *m, size_t k)
{
    return 1 / gi_system_noise(m->p, k / m->p->targets);
}

/* The point nearest to a where V* is finite, on the way to a slope. */
static double inside(const measure *m, double y, double a, double f)
{
    enum { HALVINGS = 60 };
    double good = gi_loss_slope(&m->loss, y, f), bad = a;

    if (!isinf(gi_loss_conjugate(&m->loss, y, a)))
        return a;
    for (int k = 0; k < HALVINGS; k++) {
        double middle = good + (bad - good) / 2;

        *(isinf(gi_loss_conjugate(&m->loss, y, middle)) ? &bad : &good) =
            middle;
    }
    return good;
}

static void add_up(measure *m)
{
    const gi_problem *p = m->p;
    const double rounding = 1e-13;
    double value = 0, norm = 0, gap = 0;

    for (size_t k = 0; k < m->count; k++) {
        double y = p->y[k], w = weight_at(m, k), f = value_at(m, k);
        double alpha = m->out->alpha[k], a = -2 * p->lambda * alpha / w;
        double good = inside(m, y, a, f), v = gi_loss_value(&m->loss, y, f);

        value += w * v;
        norm += alpha * m->f[k];
        gap += w * (v + gi_loss_conjugate(&m->loss, y, good) - good * f);
        m->move[k] = 0;
        if (fabs(a - good) > rounding * fabs(a)) {
            m->move[k] = alpha + w * good / (2 * p->lambda);
            m->moved = 1;
        }
    }
    m->out->objective = value + p->lambda * norm;
    m->out->gap = gap;
}

static gram_status add_moved(measure *m)
{
    const gi_problem *p = m->p;
    double *image = m->f, norm = 0;
    gram_status status;

    GI_TRY(gi_operator_product(p->K, m->run, 0, m->move, p->targets, image));
    for (size_t k = 0; k < m->count; k++)
        norm += m->move[k] * image[k];
    m->out->gap += p->lambda * norm;
done:
    return status;
}

/* 1'alpha of a target. */
static double sum_of(const measure *m, size_t j)
{
    double sum = 0;

    for (size_t k = j; k < m->count; k += m->p->targets)
        sum += m->out->alpha[k];
    return sum;
}

/* g = w V' + 2 lambda alpha, and beside it that of f = 0. */
static gram_status find_gradient(measure *m)
{
    const gi_problem *p = m->p;
    const size_t t = p->targets, width = 2 * t;
    double *g = NULL, *Kg = NULL, off = 0, size = 0;
    gram_status status;

    GI_TRY(GI_NEW(m->run, g, p->n * width));
    GI_TRY(GI_NEW(m->run, Kg, p->n * width));
    for (size_t k = 0; k < m->count; k++) {
        double *to = g + k / t * width + k % t, w = weight_at(m, k);

        to[0] = w * gi_loss_slope(&m->loss, p->y[k], value_at(m, k)) +
                2 * p->lambda * m->out->alpha[k];
        to[t] = w * gi_loss_slope(&m->loss, p->y[k], 0);
    }
    GI_TRY(gi_operator_product(p->K, m->run, 0, g, width, Kg));
    for (size_t j = 0; j < t; j++) {
        double more = -2 * p->lambda * sum_of(m, j);

        off = hypot(off, gi_smooth_norm(p, g, Kg, j, width, more));
        size = hypot(size, gi_smooth_norm(p, g, Kg, t + j, width, 0));
    }
    m->out->gradient = size > 0 ? off / size : off;
done:
    gi_free(g);
    gi_free(Kg);
    return status;
}

gram_status gi_gap_measure(gi_run *run, const gi_problem *p, gi_solution *out)
{
    measure m = {.run = run,
                 .p = p,
                 .out = out,
                 .loss = gi_problem_loss(p),
                 .count = p->n * p->targets};
    const unsigned flags = m.loss.class_->flags;
    gram_status status = GRAM_OK;

    out->objective = out->gap = out->gradient = NAN;
    if (flags & GRAM_LOSS_JOINT)
        goto done;
    GI_TRY(GI_NEW(run, m.f, m.count));
    GI_TRY(GI_NEW(run, m.move, m.count));
    GI_TRY(gi_operator_product(p->K, run, 0, out->alpha, p->targets, m.f));
    add_up(&m);
    if (flags & GRAM_LOSS_SMOOTH)
        GI_TRY(find_gradient(&m));
    if (m.moved)
        GI_TRY(add_moved(&m));
done:
    gi_free(m.f);
    gi_free(m.move);
    return status;
}
