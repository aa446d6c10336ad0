/* cpu_tile_cases.h - the tests of test_cpu_tile.c for numbers of type REAL. */

static void OF(register_blocks_divide_the_tile)(const gi_cpu *cpu)
{
    CHECK(cpu->OF(pair_rows)() > 0 && 64 % cpu->OF(pair_rows)() == 0);
    CHECK(cpu->OF(pair_cols)() > 0 && 96 % cpu->OF(pair_cols)() == 0);
}

static void OF(panels_hold_the_rows_and_then_zeros)(const gi_cpu *cpu)
{
    enum { W = 8, N = 19, D = 3, LD = 5, PANELS = 3 };
    double x[N * LD];
    REAL p[PANELS * W * D + 1];

    for (size_t i = 0; i < N * LD; i++)
        x[i] = gi_rng_normal(&rng);
    p[PANELS * W * D] = (REAL)untouched;
    cpu->OF(pack)(W, N, D, x, LD, p);
    for (size_t i = 0; i < PANELS * W; i++)
        for (size_t k = 0; k < D; k++)
            CHECK(p[i / W * W * D + k * W + i % W] ==
                  (i < N ? (REAL)x[i * LD + k] : 0));
    CHECK(p[PANELS * W * D] == (REAL)untouched);
}

/* Two matrices of rows, packed for the first and the second operand. */
typedef struct OF(operands) {
    size_t m, n, d;
    double a[ROOM * WIDEST], b[ROOM * WIDEST]; /* exact in REAL */
    REAL rows[ROOM * WIDEST], cols[ROOM * WIDEST];
} OF(operands);

static OF(operands) OF(op);

static void OF(fill)(const gi_cpu *cpu, size_t blocks, size_t d)
{
    OF(operands) *o = &OF(op);

    o->m = blocks * cpu->OF(pair_rows)();
    o->n = blocks * cpu->OF(pair_cols)();
    o->d = d;
    for (size_t i = 0; i < o->m * d; i++)
        o->a[i] = (REAL)gi_rng_normal(&rng);
    for (size_t i = 0; i < o->n * d; i++)
        o->b[i] = (REAL)gi_rng_normal(&rng);
    cpu->OF(pack)(cpu->OF(pair_rows)(), o->m, d, o->a, d, o->rows);
    cpu->OF(pack)(cpu->OF(pair_cols)(), o->n, d, o->b, d, o->cols);
}

typedef void OF(pairs)(size_t m, size_t n, size_t d, const REAL *a,
                       const REAL *b, REAL *c, size_t ldc);

static long double OF(product)(double a, double b)
{
    return (long double)a * b;
}

static long double OF(square)(double a, double b)
{
    return ((long double)a - b) * ((long double)a - b);
}

/* Every sum is within d + 2 roundings of the sum of term's absolute values,
 * and the space between rows of c is left alone. */
static void OF(check_pairs)(const gi_cpu *cpu, OF(pairs) * pairs,
                            long double (*term)(double, double))
{
    static const size_t depth[] = {0, 1, 2, 20, 255, 256, 257, WIDEST};
    static REAL c[ROOM * (ROOM + 3)];
    const OF(operands) *o = &OF(op);

    for (size_t k = 0; k < sizeof depth / sizeof *depth; k++) {
        const size_t ld = ROOM + 3;

        OF(fill)(cpu, k < 4 ? 2 : 1, depth[k]);
        for (size_t i = 0; i < ROOM * ld; i++)
            c[i] = (REAL)untouched;
        pairs(o->m, o->n, o->d, o->rows, o->cols, c, ld);
        for (size_t i = 0; i < o->m; i++)
            for (size_t j = 0; j < ld; j++) {
                long double sum = 0, size = 0;

                for (size_t l = 0; j < o->n && l < o->d; l++) {
                    long double t =
                        term(o->a[i * o->d + l], o->b[j * o->d + l]);

                    sum += t;
                    size += fabsl(t);
                }
                if (j < o->n)
                    CHECK(fabsl(c[i * ld + j] - sum) <=
                          (long double)(o->d + 2) * EPSILON * size);
                else
                    CHECK(c[i * ld + j] == (REAL)untouched);
            }
    }
}

static void OF(dot_is_the_inner_product)(const gi_cpu *cpu)
{
    OF(check_pairs)(cpu, cpu->OF(dot), OF(product));
}

static void OF(sqdist_is_the_squared_distance)(const gi_cpu *cpu)
{
    OF(check_pairs)(cpu, cpu->OF(sqdist), OF(square));
}

/* Here sums are taken in the order of k with two roundings per term. */
static void OF(l1_and_min_sum_have_the_bits_of_generic)(const gi_cpu *cpu)
{
    static REAL l1[ROOM * ROOM], least[ROOM * ROOM];
    const OF(operands) *o = &OF(op);

    OF(fill)(cpu, 1, 300);
    cpu->OF(l1)(o->m, o->n, o->d, o->rows, o->cols, l1, o->n);
    cpu->OF(min_sum)(o->m, o->n, o->d, o->rows, o->cols, least, o->n);
    for (size_t i = 0; i < o->m; i++)
        for (size_t j = 0; j < o->n; j++) {
            REAL sum = 0, sum_min = 0;

            for (size_t k = 0; k < o->d; k++) {
                REAL a = (REAL)o->a[i * o->d + k], b = (REAL)o->b[j * o->d + k];

                sum += a < b ? b - a : a - b;
                sum_min += a < b ? a : b;
            }
            CHECK(l1[i * o->n + j] == sum);
            CHECK(least[i * o->n + j] == sum_min);
        }
}

/* So that half of a symmetric matrix may be mirrored. */
static void OF(swapping_the_operands_changes_no_bit)(const gi_cpu *cpu)
{
    static REAL c[96 * 96], c2[96 * 96], rows[96 * 20], cols[96 * 20];
    double x[96 * 20], y[96 * 20];
    OF(pairs) * pairs[] = {cpu->OF(dot), cpu->OF(sqdist), cpu->OF(l1),
                           cpu->OF(min_sum)};
    const size_t mr = cpu->OF(pair_rows)(), nr = cpu->OF(pair_cols)();

    for (size_t i = 0; i < 96 * 20; i++) {
        x[i] = gi_rng_normal(&rng);
        y[i] = gi_rng_normal(&rng);
    }
    for (size_t k = 0; k < 4; k++) {
        cpu->OF(pack)(mr, 96, 20, x, 20, rows);
        cpu->OF(pack)(nr, 96, 20, y, 20, cols);
        pairs[k](96, 96, 20, rows, cols, c, 96);
        cpu->OF(pack)(mr, 96, 20, y, 20, rows);
        cpu->OF(pack)(nr, 96, 20, x, 20, cols);
        pairs[k](96, 96, 20, rows, cols, c2, 96);
        for (size_t i = 0; i < 96; i++)
            for (size_t j = 0; j < 96; j++)
                CHECK(c[i * 96 + j] == c2[j * 96 + i]);
    }
}

static void OF(equal_rows_have_distance_zero)(const gi_cpu *cpu)
{
    static REAL c[96 * 96], rows[96 * 7], cols[96 * 7];
    double x[96 * 7];

    for (size_t i = 0; i < 96 * 7; i++)
        x[i] = 1e6 + gi_rng_normal(&rng);
    cpu->OF(pack)(cpu->OF(pair_rows)(), 96, 7, x, 7, rows);
    cpu->OF(pack)(cpu->OF(pair_cols)(), 96, 7, x, 7, cols);
    cpu->OF(sqdist)(96, 96, 7, rows, cols, c, 96);
    for (size_t i = 0; i < 96; i++)
        CHECK(c[i * 96 + i] == 0 && c[i * 96 + (i + 1) % 96] > 0);
    cpu->OF(l1)(96, 96, 7, rows, cols, c, 96);
    for (size_t i = 0; i < 96; i++)
        CHECK(c[i * 96 + i] == 0 && c[i * 96 + (i + 1) % 96] > 0);
}

static void OF(norms_and_inner_products_give_distances)(const gi_cpu *cpu)
{
    enum { M = 5, N = 37, LD = 41 };
    REAL h[M], g[N], t[M * LD], e[M * LD];

    for (size_t i = 0; i < M * LD; i++) {
        h[i % M] = (REAL)fabs(gi_rng_normal(&rng));
        g[i % N] = (REAL)fabs(gi_rng_normal(&rng));
        t[i] = e[i] = (REAL)gi_rng_normal(&rng);
    }
    t[3] = e[3] = (REAL)NAN;
    CHECK(cpu->OF(sqdist_from_dot)(M, N, h, g, (REAL)0.01, t, LD));
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < LD; j++) {
            REAL was = e[i * LD + j], d = (h[i] + g[j % N]) - 2 * was;

            if (j >= N)
                CHECK(t[i * LD + j] == was);
            else if (isnan(was))
                CHECK(isnan(t[i * LD + j]));
            else
                CHECK(t[i * LD + j] == (d < 0 ? 0 : d));
        }
}

static void OF(distances_small_beside_the_norms_are_told)(const gi_cpu *cpu)
{
    enum { N = 37 };
    const REAL near = (REAL)0.125;
    REAL h[1] = {1}, g[N], t[N];

    for (size_t at = 0; at < N; at++)
        for (int below = 0; below < 2; below++) {
            for (size_t j = 0; j < N; j++) {
                g[j] = 1; /* distance 2, or 1/4 = near (1 + 1), or less */
                t[j] = j == at ? (REAL)(below ? 0.8750001 : 0.875) : 0;
            }
            CHECK(cpu->OF(sqdist_from_dot)(1, N, h, g, near, t, N) == below);
        }
}

static void
OF(transposing_and_streaming_move_every_number_once)(const gi_cpu *cpu)
{
    enum { SPACE = 40 * 45 };
    static REAL src[SPACE], dst[SPACE + 1];

    for (size_t i = 0; i < SPACE; i++)
        src[i] = (REAL)i;
    for (size_t m = 0; m <= 33; m += m < 10 ? 1 : 7)
        for (size_t n = 0; n <= 40; n += n < 20 ? 1 : 5)
            for (size_t turn = 0; turn < 2; turn++) {
                size_t lds = n + 3, ldd = (turn ? m : n) + 2, count = 0;

                for (size_t i = 0; i <= SPACE; i++)
                    dst[i] = (REAL)untouched;
                (turn ? cpu->OF(transpose) : cpu->OF(stream))(m, n, src, lds,
                                                              dst + 1, ldd);
                for (size_t i = 0; i < m; i++)
                    for (size_t j = 0; j < n; j++)
                        CHECK(dst[1 + (turn ? j * ldd + i : i * ldd + j)] ==
                              src[i * lds + j]);
                for (size_t i = 0; i <= SPACE; i++)
                    count += dst[i] == (REAL)untouched;
                CHECK(count == SPACE + 1 - m * n);
            }
}

/* Room for r vectors of COUNT numbers, or for sums, as REAL. */
enum { OF(COUNT) = 96, OF(SPACE) = OF(COUNT) * GI_TIMES_SUMS };

/* Where number q of vector j stands among r. */
static size_t OF(at)(const gi_cpu *cpu, size_t j, size_t q, size_t r)
{
    size_t p = cpu->OF(times_parts)(r);

    return r == 1 ? j : j / p * p * GI_TIMES + q * p + j % p;
}

static void OF(fill_vectors)(const gi_cpu *cpu, size_t r, REAL *v)
{
    memset(v, 0, OF(SPACE) * sizeof *v);
    for (size_t j = 0; j < OF(COUNT); j++)
        for (size_t q = 0; q < r; q++)
            v[OF(at)(cpu, j, q, r)] = (REAL)gi_rng_normal(&rng);
}

static double OF(sum_of)(const gi_cpu *cpu, const REAL *y, size_t i, size_t q,
                         size_t r)
{
    size_t p = cpu->OF(times_parts)(r);
    double sum = 0;

    for (size_t k = 0; k < p; k++)
        sum += (double)y[i * GI_TIMES_SUMS + q * p + k];
    return sum;
}

/* |sum - exact| within the rounding of a sum of that many terms of that size;
 * what was there is one of them. */
static void OF(check_sum)(double sum, double exact, double size, size_t terms)
{
    CHECK(fabs(sum - exact) <= (double)(terms + 1) * (double)EPSILON * size);
}

static void OF(check_times)(const gi_cpu *cpu, size_t m, size_t n, size_t r,
                            int both)
{
    static REAL t[64 * 97], v[OF(SPACE)], w[OF(SPACE)], y[OF(SPACE)],
        z[OF(SPACE)], y0[OF(SPACE)], z0[OF(SPACE)];
    static double sums[OF(COUNT) * (GI_TIMES + 2)];
    const size_t ldt = n + 1, parts = cpu->OF(times_parts)(r);

    for (size_t i = 0; i < m * ldt; i++)
        t[i] = (REAL)gi_rng_normal(&rng);
    for (size_t i = 0; i < OF(SPACE); i++)
        y[i] = y0[i] = (REAL)gi_rng_normal(&rng);
    OF(fill_vectors)(cpu, r, v);
    OF(fill_vectors)(cpu, r, w);
    OF(fill_vectors)(cpu, r, z);
    memcpy(z0, z, sizeof z);
    if (both)
        cpu->OF(times_both)(m, n, t, ldt, v, w, r, y, z);
    else
        cpu->OF(times)(m, n, t, ldt, v, r, y);
    for (size_t i = 0; i < OF(COUNT) * (GI_TIMES + 2); i++)
        sums[i] = untouched;
    cpu->OF(times_sums)(OF(COUNT), y, r, sums, r + 2);
    for (size_t k = 0; k < OF(COUNT); k++)
        for (size_t q = 0; q < r + 2; q++) {
            double extra = sums[k * (r + 2) + q] - untouched;

            if (q < r)
                CHECK_NEAR(extra, OF(sum_of)(cpu, y, k, q, r), 1e-14);
            else
                CHECK(extra == 0);
        }
    for (size_t k = 0; k < OF(COUNT); k++)
        for (size_t q = 0; q < r; q++) {
            double row = OF(sum_of)(cpu, y0, k, q, r), rows = fabs(row);
            double col = (double)z0[OF(at)(cpu, k, q, r)], cols = fabs(col);

            for (size_t p = 0; p < parts; p++)
                rows += fabs((double)y0[k * GI_TIMES_SUMS + q * parts + p]);
            for (size_t j = 0; j < n && k < m; j++) {
                double a =
                    (double)t[k * ldt + j] * (double)v[OF(at)(cpu, j, q, r)];

                row += a;
                rows += fabs(a);
            }
            for (size_t i = 0; i < m && k < n && both; i++) {
                double a =
                    (double)t[i * ldt + k] * (double)w[OF(at)(cpu, i, q, r)];

                col += a;
                cols += fabs(a);
            }
            OF(check_sum)(OF(sum_of)(cpu, y, k, q, r), row, rows, n);
            OF(check_sum)((double)z[OF(at)(cpu, k, q, r)], col, cols, m);
        }
}

static void OF(tiles_multiply_vectors)(const gi_cpu *cpu)
{
    static const size_t size[][2] = {
        {0, 16}, {8, 0}, {8, 16}, {24, 48}, {64, 96}};

    for (size_t r = 1; r <= GI_TIMES; r++) {
        size_t p = cpu->OF(times_parts)(r);

        CHECK(p >= 1 && p * (r == 1 ? 1 : GI_TIMES) <= GI_TIMES_SUMS);
        for (size_t k = 0; k < sizeof size / sizeof *size; k++)
            for (int both = 0; both < 2; both++)
                OF(check_times)(cpu, size[k][0], size[k][1], r, both);
    }
}

static void OF(powers_of_a_tile_are_summed_by_column)(const gi_cpu *cpu)
{
    enum { M = 7, N = 32, LDT = 40 };
    REAL t[M * LDT], out[GI_POWERS * N], wanted[GI_POWERS * N];

    for (size_t powers = 1; powers <= GI_POWERS; powers++) {
        for (size_t k = 0; k < M * LDT; k++)
            t[k] = (REAL)gi_rng_normal(&rng);
        for (size_t k = 0; k < GI_POWERS * N; k++)
            out[k] = wanted[k] = (REAL)untouched;
        for (size_t i = 0; i < M; i++)
            for (size_t j = 0; j < N; j++) {
                REAL x = t[i * LDT + j];

                for (size_t q = 0; q < powers; q++, x *= x)
                    wanted[q * N + j] += x;
            }
        cpu->OF(powers)(M, N, t, LDT, powers, out, N);
        CHECK(memcmp(out, wanted, sizeof out) == 0);
    }
}

static void OF(products_are_summed_in_double)(const gi_cpu *cpu)
{
    REAL x[ROOM], z[ROOM];

    for (size_t n = 0; n < ROOM; n++) {
        double sum = 0, size = 0;

        for (size_t i = 0; i < n; i++) {
            x[i] = (REAL)gi_rng_normal(&rng);
            z[i] = (REAL)gi_rng_normal(&rng);
            sum += (double)x[i] * (double)z[i];
            size += fabs((double)x[i] * (double)z[i]);
        }
        CHECK(fabs(cpu->OF(sum_products)(x, z, n) - sum) <=
              (double)(2 * n) * DBL_EPSILON * size);
    }
}
