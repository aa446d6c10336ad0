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

/* |y - exact| within the rounding of a sum of n terms of that size. */
static void OF(check_times)(const gi_cpu *cpu, size_t m, size_t n, size_t r,
                            size_t gap, int turn, int both)
{
    static REAL t[ROOM * ROOM];
    static double v[ROOM * 10], y[ROOM * 10], y0[ROOM * 10], other[ROOM * 10];
    const size_t ld = r + gap, ins = turn ? m : n, outs = turn ? n : m;

    for (size_t i = 0; i < m * (n + 1); i++)
        t[i] = (REAL)gi_rng_normal(&rng);
    for (size_t i = 0; i < ROOM * 10; i++) {
        v[i] = gi_rng_normal(&rng);
        y[i] = y0[i] = gi_rng_normal(&rng);
    }
    if (both)
        cpu->OF(times_both)(m, n, t, n + 1, v, v, ld, r, turn ? other : y,
                            turn ? y : other);
    else
        (turn ? cpu->OF(times_transposed) : cpu->OF(times))(m, n, t, n + 1, v,
                                                            ld, r, y, ld);
    for (size_t i = 0; i < ROOM * 10; i++) {
        size_t out = i / ld, q = i % ld;
        double sum = y0[i], size = fabs(y0[i]);

        for (size_t in = 0; out < outs && q < r && in < ins; in++) {
            double a = t[turn ? in * (n + 1) + out : out * (n + 1) + in];

            sum += a * v[in * ld + q];
            size += fabs(a * v[in * ld + q]);
        }
        CHECK(fabs(y[i] - sum) <= (double)(2 * ins) * DBL_EPSILON * size);
    }
}

static void OF(tiles_multiply_vectors)(const gi_cpu *cpu)
{
    static const size_t size[][2] = {{0, 5}, {5, 0},   {1, 1},   {3, 17},
                                     {8, 8}, {19, 33}, {64, 96}, {17, 99}};

    for (size_t k = 0; k < sizeof size / sizeof *size; k++)
        for (size_t r = 1; r <= 8; r++)
            for (size_t gap = 0; gap < 3; gap += 2)
                for (int way = 0; way < 4; way++)
                    OF(check_times)
    (cpu, size[k][0], size[k][1], r, gap, way % 2, way / 2);
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
