/* test_cpu_math.c - every CPU table's elementwise operations, in both
 * precisions (cpu_math_cases.inc): errors in ulps against long double, special
 * values, and that an element's result depends on nothing but the element.
 * What needs an accurate long double is not small, for valgrind has none.
 */
#include "check.h"

#include <float.h>

#include "base/rng.h"
#include "cpu/cpu.h"

enum { N = 2000 };

static gi_rng rng;

/* Calls f(table) for every table. */
static void for_each_table(void (*f)(const gi_cpu *))
{
    for (size_t i = 0; gi_cpu_at(i); i++) {
        rng = gi_rng_new(4, 0);
        f(gi_cpu_at(i));
    }
}

static double uniform(double low, double high)
{
    return low + (high - low) * gi_rng_uniform(&rng);
}

/* exp(c x) of the exact product c x = p + e. */
static long double exact_exp(double x, double c)
{
    double p = c * x;

    return expl(p) * (1 + (long double)fma(c, x, -p));
}

static long double exact_power_of(double x, double c)
{
    return powl(x, c);
}

static long double exact_tanh(double x, double c)
{
    (void)c;
    return tanhl(x);
}

static long double exact_sin2pi(double x, double c)
{
    long double s = sinl(3.14159265358979323846264L * (x - rint(x)));

    (void)c;
    return s * s;
}

/* sin(2 pi (1/4 - r)): near its zeros the argument is small and exact */
static long double exact_cos2pi(double x, double c)
{
    (void)c;
    return sinl(2 * 3.14159265358979323846264L * (0.25 - fabs(x - rint(x))));
}

#define REAL double
#define OF(name) name##_d
#define DIGITS DBL_MANT_DIG
#define LEAST_EXPONENT (DBL_MIN_EXP - DBL_MANT_DIG)
#define LARGEST DBL_MAX
#define FAR 700.0
#include "cpu_math_cases.inc"
#undef REAL
#undef OF
#undef DIGITS
#undef LEAST_EXPONENT
#undef LARGEST
#undef FAR
#define REAL float
#define OF(name) name##_s
#define DIGITS FLT_MANT_DIG
#define LEAST_EXPONENT (FLT_MIN_EXP - FLT_MANT_DIG)
#define LARGEST FLT_MAX
#define FAR 85.0F
#include "cpu_math_cases.inc"

#define BOTH(sentence)                                                         \
    TEST(sentence)                                                             \
    {                                                                          \
        for_each_table(sentence##_d);                                          \
        for_each_table(sentence##_s);                                          \
    }

BOTH(exp_is_within_its_ulps)
BOTH(exp_has_its_special_values)
BOTH(exp_underflows_gradually)
BOTH(power_of_is_within_its_ulps)
BOTH(power_of_has_the_special_values_of_pow)
BOTH(sines_and_cosines_are_within_their_ulps)
BOTH(sines_and_cosines_are_exact_at_quarter_turns)
BOTH(tanh_is_within_its_ulps)
BOTH(arithmetic_has_the_bits_of_c)
BOTH(integer_powers_have_the_bits_of_generic)
BOTH(an_element_has_the_same_value_everywhere)

TESTS(NORMAL(exp_is_within_its_ulps), SMALL(exp_has_its_special_values),
      NORMAL(exp_underflows_gradually), NORMAL(power_of_is_within_its_ulps),
      SMALL(power_of_has_the_special_values_of_pow),
      NORMAL(sines_and_cosines_are_within_their_ulps),
      SMALL(sines_and_cosines_are_exact_at_quarter_turns),
      NORMAL(tanh_is_within_its_ulps), SMALL(arithmetic_has_the_bits_of_c),
      SMALL(integer_powers_have_the_bits_of_generic),
      SMALL(an_element_has_the_same_value_everywhere))
