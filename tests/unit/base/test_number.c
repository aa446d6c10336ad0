/* test_number.c - text to doubles and back.
 *
 * strtod and printf of the C library are the judges.  Random bit patterns
 * cover all exponents; random text alone would almost never come near a tie
 * between two doubles, so ties are made: the exact decimal halfway between
 * neighbours, cut to any length, or nudged in its last digit or far behind.
 */
#include "check.h"

#include <float.h>

#include "base/number.h"
#include "base/power5.h"
#include "base/rng.h"

static uint64_t bits_of(double x)
{
    uint64_t b;

    memcpy(&b, &x, sizeof b);
    return b;
}

static double from_bits(uint64_t b)
{
    double x;

    memcpy(&x, &b, sizeof x);
    return x;
}

static double random_finite(gi_rng *r)
{
    double x;

    do
        x = from_bits(gi_rng_u64(r));
    while (!isfinite(x));
    return x;
}

/* The n bytes at s, all of them, parse to what strtod says.  They are copied
 * to a block of just that size, so that a sanitizer sees reads behind it. */
static void agrees_with_strtod(const char *s, size_t n)
{
    char *copy = malloc(n);
    double x = 0, y = strtod(s, NULL);
    const char *p;

    assert_non_null(copy);
    memcpy(copy, s, n);
    p = gi_number_parse(copy, copy + n, &x);
    if (p != copy + n || bits_of(x) != bits_of(y))
        fail_msg("%.60s (%zu bytes): %.17g, expected %.17g", s, n, x, y);
    free(copy);
}

static size_t length_at(const char *s)
{
    double x;
    const char *p = gi_number_parse(s, s + strlen(s), &x);

    return p ? (size_t)(p - s) : 0;
}

TEST(the_longest_number_is_read)
{
    static const struct {
        const char *text;
        size_t length;
    } cases[] = {
        {"", 0},          {"+", 0},         {"-", 0},        {".", 0},
        {"-.", 0},        {".e1", 0},       {"e1", 0},       {" 1", 0},
        {"+-1", 0},       {"nan", 0},       {"inf", 0},      {"-inf", 0},
        {"1", 1},         {"5.", 2},        {".5", 2},       {"5.e1", 4},
        {"1e", 1},        {"1e+", 1},       {"1e-x", 1},     {"1e5", 3},
        {"1E+05", 5},     {"1e5.5", 3},     {"1.2.3", 3},    {"1..2", 2},
        {"0x10", 1},      {"1,5", 1},       {"12345678", 8}, {"1-2", 1},
        {"12345678/", 8}, {"1234567:8", 7}, {"1\xb0", 1},    {"7 ", 1},
        {"1.e", 2},       {"-0.0e-0,", 7},  {"1e1e1", 3},    {"+.5f", 3},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (length_at(cases[i].text) != cases[i].length)
            fail_msg("\"%s\": %zu bytes, expected %zu", cases[i].text,
                     length_at(cases[i].text), cases[i].length);
}

TEST(no_byte_but_a_digit_is_a_digit)
{
    for (int c = 0; c < 256; c++)
        for (size_t at = 0; at < 8; at++) {
            char s[] = "11111111";

            s[at] = (char)c;
            if (c >= '0' && c <= '9')
                assert_int_equal(length_at(s), 8);
            else if (c != '.' && c != 'e' && c != 'E' && at > 0)
                assert_int_equal(length_at(s), at);
        }
}

TEST(nothing_behind_the_end_is_read)
{
    const char s[] = "1234567890123456789.5e12";
    double x;

    for (size_t n = 0; n < sizeof s - 1; n++)
        for (size_t from = 0; from < n; from++) {
            char cut[sizeof s] = "";
            const char *p = gi_number_parse(s + from, s + n, &x);

            memcpy(cut, s + from, n - from);
            if (strcmp(cut, ".") == 0 || cut[0] == 'e')
                CHECK(p == NULL);
            else
                CHECK(p == s + from + length_at(cut) && p <= s + n &&
                      x == strtod(cut, NULL));
        }
    CHECK(gi_number_parse(NULL, NULL, &x) == NULL);
}

TEST(whole_numbers_are_whole_and_finite)
{
    static const char *const bad[] = {"", "1e", "1 ", "1e400", "-1e400", "x"};
    const char good[] = "-12.5e1";
    double x;

    CHECK(gi_number_whole(good, good + strlen(good), &x) && x == -125);
    CHECK(!gi_number_whole(NULL, NULL, &x));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(!gi_number_whole(bad[i], bad[i] + strlen(bad[i]), &x));
}

/* Cases that have broken parsers of others, and the edges of the range. */
TEST(hard_numbers_parse_to_the_nearest)
{
    static const char *const cases[] = {
        "0",
        "-0",
        "0.0",
        "-0e5",
        "0e999999999999999999999",
        "-0.000e-999999999999999999999",
        "1e999999999999999999999",
        "-1e999999999999999999999",
        "1e-999999999999999999999",
        "1e18446744073709551617",
        "1e-18446744073709551617",
        /* 2^53 + 1, + 3: ties to even, down and up; and off the tie */
        "9007199254740993",
        "9007199254740995",
        "9007199254740993.0",
        "9007199254740993.00000000000000000000000000000000000001",
        "9007199254740992.99999999999999999999999999999999999999",
        "900719925474099300e-2",
        "4503599627370496.5",
        "4503599627370497.5",
        "1e22",
        "1e23",
        "8.5e22",
        "9007199254740993e22",
        /* the largest subnormal, the least normal, and between them */
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072014e-308",
        "2.225073858507201136e-308",
        "2.2250738585072008889e-308",
        /* the least, half of it, and a little more than half */
        "4.9406564584124654e-324",
        "5e-324",
        "3e-324",
        "2e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "7.4109846876186981e-324",
        "1e-323",
        "1e-342",
        "9999999999999999999e-342",
        "9999999999999999999e-343",
        /* the largest, and where rounding gives infinity */
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "179769313486231580793e289",
        "1e308",
        "1e309",
        "1.8e308",
        "17976931348623158079e289",
        /* 19 and 20 digits */
        "9999999999999999999",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999",
        "1000000000000000000000000000000",
        "0.00000000000000000000000000000000000123456789012345678",
        "00000000000000000000000000000000000000000000001.5",
        "7.2057594037927933e16",
        "3.518437208883201171875e13",
        "6.631236846766476e-316",
        "1.448997445238699",
        "0.500000000000000166533",
        "3.237883913302901289588352412501532174863e-319",
        "2.98023223876953125E-8",
        "104110013277974872254e-225",
        "123456789012345678901234567890e-400",
        "1090544144181609348671888949248",
        "1090544144181609348835077142190",
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        agrees_with_strtod(cases[i], strlen(cases[i]));
}

/* Exactly the number (|x| + its upper neighbour)/2, as an integer's digits
 * and a power of ten; returns the number of digits. */
static int halfway(double x, char *digits, int *exponent)
{
    double y = nextafter(fabs(x), INFINITY);
    long double half = (long double)fabs(x) / 2 + (long double)y / 2;
    char text[1200];
    int n = 0;

    snprintf(text, sizeof text, "%.1100Le", half);
    for (const char *p = text; *p != 'e'; p++)
        if (*p != '.')
            digits[n++] = *p;
    *exponent = atoi(strchr(text, 'e') + 1);
    while (n > 1 && digits[n - 1] == '0')
        n--;
    *exponent -= n - 1;
    return n;
}

/* The tie itself, the tie cut to `keep` digits and that plus one in the last
 * place, and the tie with a 1 after `zeros` zeros. */
static void ties_near(double x, int keep, int zeros)
{
    char digits[1200], text[6000];
    int exponent, n = halfway(x, digits, &exponent), k = keep < n ? keep : n;

    agrees_with_strtod(text, (size_t)snprintf(text, sizeof text, "%.*se%d", n,
                                              digits, exponent));
    snprintf(text, sizeof text, "%.*s%0*de%d", n, digits, zeros, 1,
             exponent - zeros);
    agrees_with_strtod(text, strlen(text));
    snprintf(text, sizeof text, "0.%.*s%0*de%d", n, digits, zeros, 0,
             exponent + n);
    agrees_with_strtod(text, strlen(text));
    snprintf(text, sizeof text, "%.*se%d", k, digits, exponent + n - k);
    agrees_with_strtod(text, strlen(text));
    if (digits[k - 1] < '9') {
        text[k - 1]++;
        agrees_with_strtod(text, strlen(text));
    }
}

static void random_ties(uint64_t count)
{
    gi_rng r = gi_rng_new(1, 0);

    for (uint64_t i = 0; i < count; i++) {
        double x = random_finite(&r);

        if (i % 4 == 0) /* short ties: integers and binary fractions */
            x = ldexp(1 + gi_rng_uniform(&r), (int)gi_rng_below(&r, 90) - 10);
        if (fabs(x) < DBL_MAX)
            ties_near(x, 15 + (int)gi_rng_below(&r, 8),
                      1 + (int)gi_rng_below(&r, i % 64 ? 30 : 3000));
    }
}

TEST(ties_go_to_even)
{
    random_ties(300);
}

TEST(many_ties_go_to_even)
{
    random_ties(60000);
}

static void random_text(uint64_t count)
{
    gi_rng r = gi_rng_new(2, 0);
    char text[64];

    for (uint64_t i = 0; i < count; i++) {
        size_t n = 1 + gi_rng_below(&r, 25), point = gi_rng_below(&r, 30);
        int e = (int)gi_rng_below(&r, 720) - 370;

        for (size_t j = 0; j < n; j++)
            text[j] = (char)(j == point ? '.' : '0' + gi_rng_below(&r, 10));
        if (n == 1 && point == 0)
            continue;
        if (i % 4)
            n += (size_t)snprintf(text + n, sizeof text - n, "e%d",
                                  i % 2 ? e : e % 30);
        text[n] = '\0';
        agrees_with_strtod(text, n);
    }
}

TEST(random_text_parses_to_the_nearest)
{
    random_text(20000);
}

TEST(much_random_text_parses_to_the_nearest)
{
    random_text(3000000);
}

/* Ten million digits, where only the last one breaks the tie. */
TEST(very_long_numbers_are_exact)
{
    const size_t n = 10000000;
    char *s = malloc(n);
    double x = 0;

    assert_non_null(s);
    memset(s, '0', n);
    memcpy(s, "9007199254740993.", 17);
    CHECK(gi_number_parse(s, s + n, &x) == s + n && x == 9007199254740992);
    s[n - 1] = '1';
    CHECK(gi_number_parse(s, s + n, &x) == s + n && x == 9007199254740994);
    memset(s, '0', n);
    memcpy(s, "0.", 2);
    memcpy(s + n - 9, "1e9999988", 9);
    CHECK(gi_number_parse(s, s + n, &x) == s + n && x == 0.01);
    memset(s, '9', n);
    CHECK(gi_number_parse(s, s + n, &x) == s + n && x == INFINITY);
    memcpy(s + n - 9, "e-9999990", 9);
    CHECK(gi_number_parse(s, s + n, &x) == s + n && x == 10);
    free(s);
}

static void check_print(double x, const char *expected)
{
    char s[GI_NUMBER_ROOM];

    assert_int_equal(gram_number_print(x, s), strlen(expected));
    CHECK_STR(s, expected);
}

TEST(numbers_are_laid_out_as_documented)
{
    check_print(0, "0");
    check_print(-0.0, "-0");
    check_print(NAN, "nan");
    check_print(-NAN, "nan");
    check_print(INFINITY, "inf");
    check_print(-INFINITY, "-inf");
    check_print(3, "3");
    check_print(-120, "-120");
    check_print(0.1, "0.1");
    check_print(0.1 + 0.2, "0.30000000000000004");
    check_print(-12.5, "-12.5");
    check_print(0.0001, "0.0001");
    check_print(0.00001, "1e-5");
    check_print(0.000123, "0.000123");
    check_print(-0.00012345678901234567, "-0.00012345678901234567");
    check_print(1e16, "10000000000000000");
    check_print(1e17, "1e17");
    check_print(12345678901234568e1, "1.2345678901234568e17");
    check_print(1e30, "1e30");
    check_print(1e100, "1e100");
    check_print(9007199254740991, "9007199254740991");
    check_print(5e-324, "5e-324");
    check_print(1e-323, "1e-323");
    check_print(-2.2250738585072014e-308, "-2.2250738585072014e-308");
    check_print(2e23, "2e23");
    check_print(9007199254740993e7, "9.007199254740994e22"); /* the nearer */
    check_print(DBL_MAX, "1.7976931348623157e308");
}

/* The digits of a printed number in `out`, without zeros at either end. */
static int significant(const char *s, char *out)
{
    int n = 0;

    for (; *s && *s != 'e'; s++)
        if (*s >= '0' && *s <= '9' && (n > 0 || *s != '0'))
            out[n++] = *s;
    while (n > 0 && out[n - 1] == '0')
        n--;
    out[n] = '\0';
    return n;
}

static void returns(double x)
{
    char s[GI_NUMBER_ROOM];
    size_t n = gi_number_print(x, s);
    double y = 0;

    if (!gi_number_whole(s, s + n, &y) || bits_of(x) != bits_of(y))
        fail_msg("%.17g printed as %s, parsed as %.17g", x, s, y);
}

/* It parses back, by strtod too; no shorter decimal does; if the nearest of
 * its length does, it is that one; an exponent is where %.17g has one. */
static void prints_best(double x)
{
    char s[GI_NUMBER_ROOM], t[64], s_digits[32], t_digits[32];
    int n;

    returns(x);
    gi_number_print(x, s);
    n = significant(s, s_digits);
    if (bits_of(strtod(s, NULL)) != bits_of(x))
        fail_msg("%.17g printed as %s", x, s);
    if (n > 1) {
        snprintf(t, sizeof t, "%.*e", n - 2, x);
        if (strtod(t, NULL) == x)
            fail_msg("%.17g printed as %s, shorter is %s", x, s, t);
    }
    snprintf(t, sizeof t, "%.*e", n > 0 ? n - 1 : 0, x);
    significant(t, t_digits);
    if (strtod(t, NULL) == x)
        CHECK_STR(s_digits, t_digits);
    snprintf(t, sizeof t, "%.17g", x);
    CHECK(!strchr(s, 'e') == !strchr(t, 'e'));
}

/* Where the gap between doubles changes, and the powers of ten. */
TEST(powers_and_their_neighbours_print_shortest)
{
    char s[16];

    for (int e = -1074; e < 1024; e++) {
        double x = ldexp(1, e);

        prints_best(x);
        prints_best(nextafter(x, INFINITY) < INFINITY ? nextafter(x, INFINITY)
                                                      : x);
        prints_best(-nextafter(x, 0));
    }
    for (int e = -323; e <= 308; e++) {
        double x;

        snprintf(s, sizeof s, "1e%d", e);
        x = strtod(s, NULL);
        prints_best(x);
        prints_best(nextafter(x, INFINITY));
        prints_best(nextafter(x, 0));
    }
}

/* M 2^s with M odd, of 54 bits and a multiple of 5^j, is a tie between two
 * doubles and a short decimal.  It belongs to the even one of them, which must
 * print as it, and not to the odd one. */
TEST(ends_of_intervals_go_to_the_even_number)
{
    gi_rng r = gi_rng_new(4, 0);

    for (int i = 0; i < 5000; i++) {
        const uint64_t one = (uint64_t)1 << 53;
        int j = (int)gi_rng_below(&r, 22), s = (int)gi_rng_below(&r, 60);
        uint64_t five = 1, tie;

        for (int f = 0; f < j; f++)
            five *= 5;
        tie = ((one + gi_rng_below(&r, one - five)) / five + 1) * five;
        tie += tie % 2 ? 0 : five;
        prints_best(ldexp((double)(tie / 2), s + 1));
        prints_best(ldexp((double)(tie / 2 + 1), s + 1));
    }
}

static double random_short(gi_rng *r)
{
    static const uint64_t bounds[] = {10, 1000, 100000, 10000000000};

    return (double)gi_rng_below(r, bounds[gi_rng_below(r, 4)]) /
           pow(10, (double)gi_rng_below(r, 12));
}

static void random_prints(uint64_t best, uint64_t more)
{
    gi_rng r = gi_rng_new(3, 0);

    for (uint64_t i = 0; i < best; i++) {
        prints_best(random_finite(&r));
        prints_best(random_short(&r));
        prints_best(from_bits(gi_rng_u64(&r) >> 12)); /* subnormal */
        prints_best(gi_rng_uniform(&r));
    }
    for (uint64_t i = 0; i < more; i++)
        returns(random_finite(&r));
}

TEST(random_numbers_print_shortest_and_return)
{
    random_prints(2000, 20000);
}

TEST(many_random_numbers_print_shortest_and_return)
{
    random_prints(200000, 10000000);
}

/* T[q+1] is T[q] * 5 up to the rounding of both, whatever the power of two. */
TEST(each_power_of_five_is_five_times_the_last)
{
    const gi_u128 *table = gi_power5_table();

    for (int q = GI_POWER5_MIN; q <= GI_POWER5_MAX; q++)
        CHECK(table[q] >> 127 == 1);
    CHECK(table[0] == (gi_u128)1 << 127);
    for (int q = GI_POWER5_MIN; q < GI_POWER5_MAX; q++) {
        /* times 5/4 or 5/8, without overflow: five eighths */
        gi_u128 eighths = table[q] / 8 * 5 + table[q] % 8 * 5 / 8;
        gi_u128 next = table[q + 1];

        next = eighths >> 127 ? next : next / 2;
        CHECK(next - eighths + 4 <= 8);
    }
}

TESTS(SMALL(the_longest_number_is_read), SMALL(no_byte_but_a_digit_is_a_digit),
      SMALL(nothing_behind_the_end_is_read),
      SMALL(whole_numbers_are_whole_and_finite),
      SMALL(hard_numbers_parse_to_the_nearest), SMALL(ties_go_to_even),
      NORMAL(many_ties_go_to_even), SMALL(random_text_parses_to_the_nearest),
      NORMAL(much_random_text_parses_to_the_nearest),
      NORMAL(very_long_numbers_are_exact),
      SMALL(numbers_are_laid_out_as_documented),
      SMALL(powers_and_their_neighbours_print_shortest),
      SMALL(ends_of_intervals_go_to_the_even_number),
      SMALL(random_numbers_print_shortest_and_return),
      NORMAL(many_random_numbers_print_shortest_and_return),
      SMALL(each_power_of_five_is_five_times_the_last))
