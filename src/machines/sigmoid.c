/* sigmoid.c - probabilities from decision values: 1/(1 + exp(a f + b)).
 *
 * a and b have the greatest likelihood on rows that the function had not seen,
 * with targets drawn in from 0 and 1 by their counts (Platt 1999), by Newton's
 * method with backtracking and logarithms that do not overflow (Lin, Lin and
 * Weng, Machine Learning 68, 2007).
 */
#include <math.h>

#include "machines/classes.h"

typedef struct sigmoid {
    const double *f, *y, *weight;
    size_t n, stride;
    double yes, no; /* targets of the two classes */
    double a, b, value;
} sigmoid;

/* Minus the log likelihood of target t at z = a f + b. */
static double cross_entropy(double t, double z)
{
    return z >= 0 ? t * z + log1p(exp(-z)) : (t - 1) * z + log1p(exp(z));
}

static double target_of(const sigmoid *s, size_t i)
{
    return s->y[i * s->stride] > 0 ? s->yes : s->no;
}

static double weight_of(const sigmoid *s, size_t i)
{
    return s->y[i * s->stride] == 0 ? 0 : s->weight ? s->weight[i] : 1;
}

static double value_at(const sigmoid *s, double a, double b)
{
    double sum = 0;

    for (size_t i = 0; i < s->n; i++)
        sum += weight_of(s, i) *
               cross_entropy(target_of(s, i), a * s->f[i * s->stride] + b);
    return sum;
}

/* Newton's direction; 0 if the gradient is small. */
static int direction(const sigmoid *s, double *da, double *db, double *slope)
{
    const double ridge = 1e-12, enough = 1e-5;
    double h11 = ridge, h22 = ridge, h21 = 0, g1 = 0, g2 = 0, det;

    for (size_t i = 0; i < s->n; i++) {
        double x = s->f[i * s->stride], z = s->a * x + s->b;
        double p = z >= 0 ? exp(-z) / (1 + exp(-z)) : 1 / (1 + exp(z));
        double w = weight_of(s, i), h = w * p * (1 - p);
        double g = w * (target_of(s, i) - p);

        h11 += x * x * h;
        h22 += h;
        h21 += x * h;
        g1 += x * g;
        g2 += g;
    }
    det = h11 * h22 - h21 * h21;
    *da = -(h22 * g1 - h21 * g2) / det;
    *db = -(h11 * g2 - h21 * g1) / det;
    *slope = g1 * *da + g2 * *db;
    return fabs(g1) >= enough || fabs(g2) >= enough;
}

/* Go there, by half as much as long as that is too far; 0 if it always is. */
static int step(sigmoid *s, double da, double db, double slope)
{
    enum { HALVINGS = 33 };
    const double share = 1e-4;

    for (int k = 0; k < HALVINGS; k++) {
        double size = ldexp(1, -k);
        double next = value_at(s, s->a + size * da, s->b + size * db);

        if (next < s->value + share * size * slope) {
            s->a += size * da;
            s->b += size * db;
            s->value = next;
            return 1;
        }
    }
    return 0;
}

void gi_sigmoid_fit(const double *f, const double *y, const double *weight,
                    size_t n, size_t stride, double *a, double *b)
{
    enum { STEPS = 100 };
    sigmoid s = {.f = f, .y = y, .weight = weight, .n = n, .stride = stride};
    double plus = 0, minus = 0, da, db, slope;

    for (size_t i = 0; i < n; i++) {
        plus += y[i * stride] > 0 ? weight_of(&s, i) : 0;
        minus += y[i * stride] < 0 ? weight_of(&s, i) : 0;
    }
    s.yes = (plus + 1) / (plus + 2);
    s.no = 1 / (minus + 2);
    s.b = log((minus + 1) / (plus + 1));
    s.value = value_at(&s, s.a, s.b);
    for (int i = 0; i < STEPS && direction(&s, &da, &db, &slope); i++)
        if (!step(&s, da, db, slope))
            break;
    *a = s.a;
    *b = s.b;
}
