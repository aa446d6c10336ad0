/* test_date.c - dates to day numbers and back. */
#include "check.h"

#include <time.h>

#include "data/types/date.h"

static double days_of(const char *s)
{
    double days = NAN;

    CHECK(gi_date_parse(s, strlen(s), &days));
    return days;
}

TEST(day_numbers_are_those_of_the_system_calendar)
{
    for (int year = 1600; year < 2400; year += 7)
        for (int month = 1; month <= 12; month++) {
            struct tm tm = {
                .tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = 28};
            char s[32];

            snprintf(s, sizeof s, "%04d-%02d-28", year, month);
            CHECK(days_of(s) == (double)timegm(&tm) / 86400);
        }
}

TEST(printing_and_parsing_are_inverse)
{
    char s[GI_DATE_ROOM], again[GI_DATE_ROOM];

    for (int day = -719000; day < 2932897; day += 997) {
        gi_date_print(day, s);
        CHECK(strlen(s) == 10 && days_of(s) == day);
    }
    for (double day = 0.1; day < 20000; day += 13.377) {
        gi_date_print(day, s);
        CHECK_NEAR(days_of(s), day, 1e-11);
        gi_date_print(days_of(s), again);
        CHECK_STR(again, s);
    }
}

TEST(times_and_zones_are_fractions_of_a_day)
{
    CHECK(days_of("19700103") == 2);
    CHECK(days_of("1970-01-01T06:00") == 0.25);
    CHECK(days_of("1970-01-01 18:00:00") == 0.75);
    CHECK(days_of("1970-01-01T06:00Z") == 0.25);
    CHECK(days_of("1970-01-01T06:00+06:00") == 0);
    CHECK(days_of("1970-01-01T00:00-0600") == 0.25);
    CHECK_NEAR(days_of("1970-01-01T00:00:00.125"), 0.125 / 86400, 1e-15);
}

TEST(what_is_no_date_is_refused)
{
    static const char *const bad[] = {
        "",
        "2024",
        "2024-02-30",
        "2023-02-29",
        "1900-02-29",
        "2024-13-01",
        "2024-00-01",
        "2024-01-00",
        "24-01-01",
        "2024-1-1",
        "2024-01-01x",
        "2024-01-01T",
        "2024/01/01",
        "2024-0101",
        "202401-01",
        "2024-01-01T25:00",
        "2024-01-01T10:61",
        "2024-01-01T10:00:00.",
        "2024-01-01T10:00+1",
        "2024-01-01 10:00 CET",
    };
    double days;

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        CHECK(!gi_date_parse(bad[k], strlen(bad[k]), &days));
    CHECK(days_of("2000-02-29") == 11016);
}

TESTS(SMALL(day_numbers_are_those_of_the_system_calendar),
      SMALL(printing_and_parsing_are_inverse),
      SMALL(times_and_zones_are_fractions_of_a_day),
      SMALL(what_is_no_date_is_refused))
