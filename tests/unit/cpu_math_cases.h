/* cpu_math_cases.h - the tests of test_cpu_math.c for numbers of type REAL. */

/* |got - exact| in units of the last place of REAL at exact. */
static double OF(ulps)(REAL got, long double exact)
{
    int e;

    (void)frexpl(exact, &e);
    e = e - DIGITS > LEAST_EXPONENT ? e - DIGITS : LEAST_EXPONENT;
    return (double)(fabsl(got - exact) / ldexpl(1, e));
}

static int OF(same)(REAL a, REAL b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

/* The largest error of y = f(x), in units of allowed + slope |log2 f|. */
static void OF(check_ulps)(const char *what, const gi_cpu *cpu, const REAL *y,
                           const REAL *x, double c,
                           long double (*f)(double, double), double allowed,
                           double slope)
{
    for (size_t i = 0; i < N; i++) {
        long double exact = f((double)x[i], c);
        double error = OF(ulps)(y[i], exact);
        double log = slope > 0 ? (double)fabsl(log2l(exact)) : 0;

        if (!(error <= allowed + slope * log))
            fail_msg("%s, %s: %zu bytes, f(%.17g) with c = %.17g is off by "
                     "%g ulp",
                     cpu->name, what, sizeof(REAL), (double)x[i], c, error);
    }
}

static void OF(exp_is_within_its_ulps)(const gi_cpu *cpu)
{
    static const double factor[] = {1, -1, -0.3, 1e-3, -7e10};
    const double allowed = sizeof(REAL) == sizeof(double) ? 1.2 : 1.5;
    REAL x[N], y[N];

    for (size_t k = 0; k < sizeof factor / sizeof *factor; k++)
        for (double range = (double)FAR; range > 1e-9; range /= 30) {
            const REAL c = (REAL)factor[k];

            for (size_t i = 0; i < N; i++)
                x[i] = (REAL)(uniform(-range, range) / (double)c);
            cpu->OF(exp)(y, x, c, N);
            OF(check_ulps)("exp", cpu, y, x, (double)c, exact_exp, allowed, 0);
        }
}

static void OF(exp_has_its_special_values)(const gi_cpu *cpu)
{
    const REAL inf = (REAL)INFINITY;
    const REAL x[] = {0,       (REAL)-0.0, inf, -inf, (REAL)NAN,
                      LARGEST, -LARGEST,   800, -800};
    const REAL expected[] = {1, 1, inf, 0, (REAL)NAN, inf, 0, inf, 0};
    enum { COUNT = sizeof x / sizeof *x };
    REAL y[COUNT], least = 0;

    cpu->OF(exp)(y, x, 1, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        CHECK(OF(same)(y[i], expected[i]));
    cpu->OF(exp)(y, x, (REAL)1e30, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        CHECK(OF(same)(y[i], expected[i]));
    cpu->OF(exp)(y, x, (REAL)-1e-30, COUNT); /* only infinities are far */
    CHECK(y[0] == 1 && y[1] == 1 && y[2] == 0 && y[3] == inf && isnan(y[4]));
    CHECK(y[7] == 1 && y[8] == 1);
    cpu->OF(exp)(y, x, 0, COUNT);
    CHECK(y[0] == 1 && isnan(y[2]) && isnan(y[4]) && y[5] == 1 && y[8] == 1);
    cpu->OF(exp)(&least, &least, (REAL)NAN, 1);
    CHECK(isnan(least));
}

/* Between the smallest normal number and 0 the error is in units of the
 * smallest subnormal number. */
static void OF(exp_underflows_gradually)(const gi_cpu *cpu)
{
    const double least = LEAST_EXPONENT * log(2.0);
    REAL x[N], y[N];
    size_t subnormal = 0, zero = 0;

    for (size_t i = 0; i < N; i++)
        x[i] = (REAL)(least - 2 + 40 * (double)i / N);
    cpu->OF(exp)(y, x, 1, N);
    for (size_t i = 0; i < N; i++) {
        CHECK(OF(ulps)(y[i], exact_exp((double)x[i], 1)) <= 1.5);
        subnormal += fpclassify(y[i]) == FP_SUBNORMAL;
        zero += y[i] == 0;
        CHECK(i == 0 || y[i] >= y[i - 1]);
    }
    CHECK(subnormal > 100 && zero > 10);
}

static void OF(power_of_is_within_its_ulps)(const gi_cpu *cpu)
{
    static const double exponent[] = {-0.5, 1, 2.5, -3, 1e-4, -40, 1 / 3.0};
    const int wide = sizeof(REAL) == sizeof(double);
    const double allowed = wide ? 2 : 1, slope = wide ? 0.02 : 0;
    REAL x[N], y[N];

    for (size_t k = 0; k < sizeof exponent / sizeof *exponent; k++) {
        const REAL c = (REAL)exponent[k];
        double most = (double)FAR / fabs((double)c);

        most = most < (double)FAR ? most : (double)FAR;
        for (double range = most; range > 1e-12; range /= 50) {
            for (size_t i = 0; i < N; i++)
                x[i] = (REAL)exp(uniform(-range, range));
            cpu->OF(power_of)(y, x, c, N);
            OF(check_ulps)
            ("power_of", cpu, y, x, (double)c, exact_power_of, allowed, slope);
        }
    }
}

static void OF(power_of_has_the_special_values_of_pow)(const gi_cpu *cpu)
{
    static const double exponent[] = {-2.5, -1, 0, 0.5, 3, 1000, -1000};
    const REAL least = (REAL)ldexp(1, LEAST_EXPONENT);
    const REAL x[] = {0,  (REAL)-0.0,    1,       (REAL)INFINITY, (REAL)NAN,
                      -1, (REAL)-0x1p-9, LARGEST, least,          3 * least};
    enum { COUNT = sizeof x / sizeof *x };
    REAL y[COUNT];

    for (size_t k = 0; k < sizeof exponent / sizeof *exponent; k++) {
        const REAL c = (REAL)exponent[k];

        cpu->OF(power_of)(y, x, c, COUNT);
        for (size_t i = 0; i < COUNT; i++) {
            const REAL p = (REAL)pow(fabs((double)x[i]), (double)c);

            if (!(x[i] >= 0))
                CHECK(isnan(y[i]));
            else if (p == 0 || p == 1 || isinf(p))
                CHECK(OF(same)(y[i], p));
            else
                CHECK_NEAR((double)(y[i] / p), 1,
                           sizeof(REAL) == sizeof(double) ? 1e-14 : 1e-6);
        }
    }
}

static void OF(sines_and_cosines_are_within_their_ulps)(const gi_cpu *cpu)
{
    REAL x[N], s[N], c[N];

    for (double range = 1e6; range > 1e-12; range /= 10) {
        for (size_t i = 0; i < N; i++)
            x[i] = (REAL)uniform(-range, range);
        cpu->OF(sin2pi)(s, x, N);
        cpu->OF(cos2pi)(c, x, N);
        OF(check_ulps)("sin2pi", cpu, s, x, 0, exact_sin2pi, 4, 0);
        OF(check_ulps)("cos2pi", cpu, c, x, 0, exact_cos2pi, 4, 0);
        for (size_t i = 0; i < N; i++) /* close to a zero of the cosine */
            x[i] = (REAL)(0.25 * (i % 2 ? 3 : 1) + uniform(-range, range));
        cpu->OF(cos2pi)(c, x, N);
        OF(check_ulps)("cos2pi", cpu, c, x, 0, exact_cos2pi, 4, 0);
    }
}

static void OF(sines_and_cosines_are_exact_at_quarter_turns)(const gi_cpu *cpu)
{
    const REAL x[] = {0, (REAL)0.25, (REAL)0.5,      (REAL)0.75,
                      1, -1,         (REAL)-0.5,     LARGEST,
                      7, (REAL)NAN,  (REAL)INFINITY, (REAL)-INFINITY};
    enum { COUNT = sizeof x / sizeof *x, FINITE = 9 };
    const REAL sines[FINITE] = {0, (REAL)0.5, 1, (REAL)0.5, 0, 0, 1, 0, 0};
    const REAL cosines[FINITE] = {1, 0, -1, 0, 1, 1, -1, 1, 1};
    REAL s[COUNT], c[COUNT];

    cpu->OF(sin2pi)(s, x, COUNT);
    cpu->OF(cos2pi)(c, x, COUNT);
    for (size_t i = 0; i < FINITE; i++) {
        CHECK(OF(ulps)(s[i], sines[i]) <= 1);
        CHECK(c[i] == cosines[i]);
    }
    for (size_t i = FINITE; i < COUNT; i++)
        CHECK(isnan(s[i]) && isnan(c[i]));
}

static void OF(tanh_is_within_its_ulps)(const gi_cpu *cpu)
{
    const REAL far[] = {(REAL)INFINITY, (REAL)-INFINITY, (REAL)NAN, 100, 0};
    REAL x[N], y[N];

    for (double range = 30; range > 1e-12; range /= 10) {
        for (size_t i = 0; i < N; i++)
            x[i] = (REAL)uniform(-range, range);
        cpu->OF(tanh)(y, x, N);
        OF(check_ulps)("tanh", cpu, y, x, 0, exact_tanh, 4, 0);
    }
    cpu->OF(tanh)(y, far, 5);
    CHECK(y[0] == 1 && y[1] == -1 && isnan(y[2]) && y[3] == 1 && y[4] == 0);
}

/* Numbers of all kinds, special ones among them. */
static void OF(any)(REAL *x, size_t n)
{
    const REAL special[] = {0,
                            (REAL)-0.0,
                            (REAL)INFINITY,
                            (REAL)-INFINITY,
                            (REAL)NAN,
                            LARGEST,
                            1,
                            (REAL)ldexp(3, LEAST_EXPONENT)};

    for (size_t i = 0; i < n; i++)
        x[i] = gi_rng_below(&rng, 3)
                   ? (REAL)(gi_rng_normal(&rng) * exp(uniform(-9, 9)))
                   : special[gi_rng_below(&rng, 8)];
}

static void OF(arithmetic_has_the_bits_of_c)(const gi_cpu *cpu)
{
    const REAL c = (REAL)(1 / 3.0), e = (REAL)-7.7;
    REAL x[N], z[N], y[6][N];

    OF(any)(x, N);
    OF(any)(z, N);
    cpu->OF(scale)(y[0], x, c, N);
    cpu->OF(combine)(y[1], x, c, z, e, N);
    cpu->OF(add)(y[2], x, z, N);
    cpu->OF(multiply)(y[3], x, z, N);
    cpu->OF(divide)(y[4], x, z, N);
    cpu->OF(sqrt)(y[5], x, N);
    for (size_t i = 0; i < N; i++) {
        const REAL cx = c * x[i], ez = e * z[i];

        CHECK(OF(same)(y[0][i], cx));
        CHECK(OF(same)(y[1][i], cx + ez));
        CHECK(OF(same)(y[2][i], x[i] + z[i]));
        CHECK(OF(same)(y[3][i], x[i] * z[i]));
        CHECK(OF(same)(y[4][i], z[i] == 0 ? 0 : x[i] / z[i]));
        CHECK(OF(same)(y[5][i], (REAL)sqrt((double)x[i])));
    }
}

static void OF(integer_powers_have_the_bits_of_generic)(const gi_cpu *cpu)
{
    REAL x[N], y[N], e[N];

    OF(any)(x, N);
    for (int p = -9; p < 20; p++) {
        cpu->OF(power)(y, x, p, N);
        gi_cpu_generic.OF(power)(e, x, p, N);
        for (size_t i = 0; i < N; i++)
            CHECK(OF(same)(y[i], e[i]));
    }
    cpu->OF(power)(y, x, 3, N);
    for (size_t i = 0; i < N; i++)
        CHECK(OF(same)(y[i], x[i] * (x[i] * x[i])));
}

/* y = f(x, z) for every operation f, by number; 0 behind the last. */
static int OF(run)(const gi_cpu *cpu, int f, REAL *y, const REAL *x,
                   const REAL *z, size_t n)
{
    switch (f) {
    case 0:
        cpu->OF(exp)(y, x, (REAL)-0.7, n);
        return 1;
    case 1:
        cpu->OF(power_of)(y, x, (REAL)-0.7, n);
        return 1;
    case 2:
        cpu->OF(power)(y, x, 5, n);
        return 1;
    case 3:
        cpu->OF(sqrt)(y, x, n);
        return 1;
    case 4:
        cpu->OF(tanh)(y, x, n);
        return 1;
    case 5:
        cpu->OF(sin2pi)(y, x, n);
        return 1;
    case 6:
        cpu->OF(cos2pi)(y, x, n);
        return 1;
    case 7:
        cpu->OF(scale)(y, x, (REAL)0.1, n);
        return 1;
    case 8:
        cpu->OF(combine)(y, x, (REAL)0.1, z, (REAL)0.7, n);
        return 1;
    case 9:
        cpu->OF(add)(y, x, z, n);
        return 1;
    case 10:
        cpu->OF(multiply)(y, x, z, n);
        return 1;
    case 11:
        cpu->OF(divide)(y, x, z, n);
        return 1;
    default:
        return 0;
    }
}

/* In arrays of any length, at any place, in place of x or of z; and nothing
 * behind the n elements is written. */
static void OF(an_element_has_the_same_value_everywhere)(const gi_cpu *cpu)
{
    enum { LONGEST = 70 };
    const REAL untouched = (REAL)-7.25;
    REAL x[LONGEST + 1], z[LONGEST + 1], one[LONGEST], y[LONGEST + 1];

    OF(any)(x, LONGEST + 1);
    OF(any)(z, LONGEST + 1);
    for (int f = 0; OF(run)(cpu, f, y, x, z, 0); f++) {
        for (size_t i = 0; i < LONGEST; i++)
            OF(run)(cpu, f, one + i, x + i, z + i, 1);
        for (size_t n = 0; n <= LONGEST; n++)
            for (size_t from = 0; from <= n; from += 1 + n / 3)
                for (int place = 0; place < 3; place++) {
                    const REAL *a = place == 1 ? y : x + from;
                    const REAL *b = place == 2 ? y : z + from;

                    for (size_t i = 0; i <= LONGEST; i++)
                        y[i] = untouched;
                    if (place)
                        memcpy(y, (place == 1 ? x : z) + from,
                               (n - from) * sizeof *y);
                    OF(run)(cpu, f, y, a, b, n - from);
                    for (size_t i = from; i < n; i++)
                        CHECK(OF(same)(y[i - from], one[i]));
                    CHECK(y[n - from] == untouched);
                }
    }
}
