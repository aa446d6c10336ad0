/* mmd.c - the maximum mean discrepancy from sums of the kernel.
 *
 *     U = xx/(m(m-1)) + yy/(n(n-1)) - 2 xy/(mn)     E U = MMD^2
 *     V = (xx+dx)/m^2 + (yy+dy)/n^2 - 2 xy/(mn)     >= 0
 *
 * with xx, yy over pairs of different rows, dx, dy over the diagonal (Gretton
 * et al., A kernel two-sample test, JMLR 2012).  The variance of U has two
 * parts (Hoeffding): with a_i = E k(x_i,x) - E k(x_i,y), and b_j alike,
 *
 *     4 Var(a)/m + 4 Var(b)/n + 2 s_xx/(m(m-1)) + 2 s_yy/(n(n-1)) + 4 s_xy/(mn)
 *
 * s being the variance of k after the means over rows and over columns are
 * taken out.  The sample variance of the row means, which has s/(rows) in it,
 * is corrected for that.  If P = Q the second part alone is there, with one s.
 */
#include <math.h>

#include "base/distributions.h"
#include "base/mem.h"
#include "samples/mmd.h"

double gi_mmd_value(const gi_mmd_sums *s, double m, double n,
                    gram_test_statistic kind)
{
    if (kind == GRAM_TEST_BIASED)
        return (s->xx + s->dx) / (m * m) + (s->yy + s->dy) / (n * n) -
               2 * s->xy / (m * n);
    return s->xx / (m * (m - 1)) + s->yy / (n * (n - 1)) - 2 * s->xy / (m * n);
}

/* --------------------------------------------------------------- variances */

/* Sums over samples of the sums over bins. */
static gi_mmd_sums collect(const gi_bin_rows *c, const double *sums)
{
    const size_t s = c->bins.count;
    gi_mmd_sums r = {0};

    for (size_t g = 0; g < s; g++)
        for (size_t h = 0; h < s; h++) {
            int y = c->start[g] >= c->m, z = c->start[h] >= c->m;
            double *to = y != z ? &r.xy : y ? &r.yy : &r.xx;

            *to += y > z ? 0 : sums[g * s + h]; /* of xy one half */
        }
    for (size_t i = 0; i < c->m + c->n; i++)
        *(i < c->m ? &r.dx : &r.dy) += c->diagonal[i];
    return r;
}

/* The sample variance over rows first .. last-1 of a weighted row sum: sums over
 * the row's own sample weigh u, those over the other v. */
static double row_variance(const double *rows, size_t first, size_t last,
                           size_t own, double u, double v)
{
    double sum = 0, squares = 0, count = (double)(last - first);

    for (size_t i = first; i < last; i++)
        sum += u * rows[2 * i + own] + v * rows[2 * i + 1 - own];
    for (size_t i = first; i < last; i++) {
        double a =
            u * rows[2 * i + own] + v * rows[2 * i + 1 - own] - sum / count;

        squares += a * a;
    }
    return squares / (count - 1);
}

/* The variance of k over pairs of one kind, row and column means taken out, from
 * mean square, mean, variances of these means, and rows in each of them. */
static double residual(double square, double mean, double by_row, double in_row,
                       double by_col, double in_col)
{
    double s = square - mean * mean - by_row - by_col;

    /* by_row has s/in_row in it, by_col s/in_col */
    return fmax(0, s / fmax(0.5, 1 - 1 / in_row - 1 / in_col));
}

typedef struct parts {
    double xx, yy, xy; /* s */
    double a, b;       /* Var(a), Var(b) */
} parts;

static parts variances(const gi_bin_rows *c, const gi_mmd_sums *k,
                       const gi_mmd_sums *k2, const double *rows)
{
    const double m = (double)c->m, n = (double)c->n;
    const size_t end = c->m + c->n;
    double x = row_variance(rows, 0, c->m, 0, 1 / (m - 1), 0);
    double y = row_variance(rows, c->m, end, 1, 1 / (n - 1), 0);
    double x_of_y = row_variance(rows, 0, c->m, 0, 0, 1 / n);
    double y_of_x = row_variance(rows, c->m, end, 1, 0, 1 / m);
    parts p;

    p.xx = residual(k2->xx / (m * (m - 1)), k->xx / (m * (m - 1)), x, m - 1, x,
                    m - 1);
    p.yy = residual(k2->yy / (n * (n - 1)), k->yy / (n * (n - 1)), y, n - 1, y,
                    n - 1);
    p.xy = residual(k2->xy / (m * n), k->xy / (m * n), x_of_y, n, y_of_x, m);
    p.a = row_variance(rows, 0, c->m, 0, 1 / (m - 1), -1 / n);
    p.b = row_variance(rows, c->m, end, 1, 1 / (n - 1), -1 / m);
    p.a = fmax(0, p.a - p.xx / (m - 1) - p.xy / n);
    p.b = fmax(0, p.b - p.yy / (n - 1) - p.xy / m);
    return p;
}

/* Moments of the null, from all rows as one sample: the biased statistic has
 * the mean (1/m + 1/n) E k~(x,x) and both have the variance 2 (1/m + 1/n)^2
 * E k~(x,x')^2, k~ being centred. */
static void null_moments(const gi_bin_rows *c, const gi_mmd_sums *k,
                         const gi_mmd_sums *k2, const double *rows, gi_mmd *out)
{
    const double m = (double)c->m, n = (double)c->n, N = m + n;
    double sum = k->xx + k->yy + 2 * k->xy, mean = sum / (N * (N - 1));
    double square = (k2->xx + k2->yy + 2 * k2->xy) / (N * (N - 1));
    double by_row = 0, factor = 1 / m + 1 / n;

    for (size_t i = 0; i < c->m + c->n; i++) {
        double r = (rows[2 * i] + rows[2 * i + 1]) / (N - 1) - mean;

        by_row += r * r / (N - 1);
    }
    out->spread = square - mean * mean;
    out->null_variance = 2 * factor * factor *
                         residual(square, mean, by_row, N - 1, by_row, N - 1);
    out->null_mean = factor * ((k->dx + k->dy) / N - mean);
}

/* What follows from the sums over bins, two powers, and the row sums. */
static void estimate(const gi_bin_rows *c, const double *sums,
                     const double *rows, double *witness, gi_mmd *out)
{
    const size_t s = c->bins.count;
    const double m = (double)c->m, n = (double)c->n;
    gi_mmd_sums k = collect(c, sums), k2 = collect(c, sums + s * s);
    parts p = variances(c, &k, &k2, rows);

    *out = (gi_mmd){.sums = k, .witness = witness};
    out->unbiased = gi_mmd_value(&k, m, n, GRAM_TEST_UNBIASED);
    out->biased = gi_mmd_value(&k, m, n, GRAM_TEST_BIASED);
    out->first = 4 * p.a + 4 * p.b;
    out->variance = 4 * p.a / m + 4 * p.b / n + 2 * p.xx / (m * (m - 1)) +
                    2 * p.yy / (n * (n - 1)) + 4 * p.xy / (m * n);
    null_moments(c, &k, &k2, rows, out);
    for (size_t i = 0; i < c->m + c->n; i++) {
        int second = i >= c->m;

        witness[c->row[i]] =
            rows[2 * i] / (m - !second) - rows[2 * i + 1] / (n - second);
    }
}

gram_status gi_mmd_pass_new(gi_run *run, const gi_joined *p, size_t bins,
                            int precision, gi_mmd_pass *out)
{
    gram_status status;
    const size_t rows = p->m + p->n;
    size_t s;

    *out = (gi_mmd_pass){0};
    GI_TRY(gi_bin_rows_new(run, p, bins, precision, &out->c));
    s = out->c.bins.count;
    GI_TRY(GI_NEW(run, out->sums, 2 * s * s));
    GI_TRY(GI_NEW(run, out->rows, 2 * rows));
    GI_TRY(GI_NEW(run, out->witness, rows));
    GI_TRY(gi_engine_bins(run, p->program, out->c.at, &out->c.bins, 2,
                          out->sums, out->rows));
    estimate(&out->c, out->sums, out->rows, out->witness, &out->e);
done:
    return status;
}

void gi_mmd_pass_clear(gi_mmd_pass *l)
{
    gi_bin_rows_clear(&l->c);
    gi_free(l->sums);
    gi_free(l->rows);
    gi_free(l->witness);
    *l = (gi_mmd_pass){0};
}

/* ------------------------------------------------------------------- power */

/* With N rows in each sample the null has the deviation sd_0/N, so the test
 * rejects above z_alpha sd_0/N; the statistic has the variance
 * first/N + sd_0^2/N^2. */
static double power_margin(const gi_mmd *e, double sd, double z_alpha,
                           double z_power, double rows)
{
    return e->unbiased - z_alpha * sd / rows -
           z_power * sqrt(e->first / rows + sd * sd / (rows * rows));
}

double gi_mmd_rows_needed(const gi_mmd *e, size_t m, size_t n, double alpha)
{
    const double most = 1e12, power = 0.8;
    double factor = 1 / (double)m + 1 / (double)n;
    double sd = sqrt(e->null_variance) * 2 / factor; /* of one row each */
    double za = -gi_normal_quantile(alpha), zp = gi_normal_quantile(power);
    double low = 1, high = 2;

    if (!(e->unbiased > 0))
        return INFINITY;
    while (high < most && power_margin(e, sd, za, zp, high) < 0)
        high *= 2;
    if (high >= most)
        return INFINITY;
    for (low = high / 2; high - low > 0.5;) {
        double mid = (low + high) / 2;

        if (power_margin(e, sd, za, zp, mid) < 0)
            low = mid;
        else
            high = mid;
    }
    return fmax(2, ceil(high));
}
