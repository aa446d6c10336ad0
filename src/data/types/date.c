/* date.c - ISO 8601 dates in the proleptic Gregorian calendar.
 *
 * The day number is computed from the civil date in closed form by counting
 * years from March, so that the leap day is the last of its year.  A double
 * holds days of this millennium to about a microsecond.
 */
#include "data/types/date.h"

#include <math.h>
#include <stdio.h>

static const double DAY = 86400, MICRO = 1e6;

/* Exactly `digits` decimal digits at s + *at, which moves behind them. */
static int take(const char *s, size_t n, size_t *at, int digits, int *out)
{
    int x = 0;

    for (int i = 0; i < digits; i++, (*at)++) {
        if (*at >= n || s[*at] < '0' || s[*at] > '9')
            return 0;
        x = 10 * x + s[*at] - '0';
    }
    *out = x;
    return 1;
}

static int take_byte(const char *s, size_t n, size_t *at, const char *any)
{
    for (; *at < n && *any; any++)
        if (s[*at] == *any) {
            (*at)++;
            return 1;
        }
    return 0;
}

static int days_in_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return days[month - 1] + (month == 2 && leap);
}

/* 0000-03-01 begins a cycle of 400 years = 146097 days; it is day -719468. */
static long day_number(int year, int month, int day)
{
    long y = year - (month <= 2), cycle = (y >= 0 ? y : y - 399) / 400;
    long of_cycle = y - cycle * 400;
    long of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;

    return cycle * 146097 + of_cycle * 365 + of_cycle / 4 - of_cycle / 100 +
           of_year - 719468;
}

/* hh:mm[:ss[.f]] as seconds. */
static int time_of_day(const char *s, size_t n, size_t *at, double *seconds)
{
    int hour, minute, second = 0, digit;
    double fraction = 0, unit = 0.1;

    if (!take(s, n, at, 2, &hour) || !take_byte(s, n, at, ":") ||
        !take(s, n, at, 2, &minute))
        return 0;
    if (take_byte(s, n, at, ":")) {
        if (!take(s, n, at, 2, &second))
            return 0;
        if (take_byte(s, n, at, ".,")) {
            if (!take(s, n, at, 1, &digit))
                return 0;
            do {
                fraction += digit * unit;
                unit /= 10;
            } while (take(s, n, at, 1, &digit));
        }
    }
    *seconds = hour * 3600.0 + minute * 60.0 + second + fraction;
    return hour < 24 && minute < 60 && second <= 60;
}

/* Z, +hh:mm or +hhmm, in seconds east of Greenwich. */
static int time_zone(const char *s, size_t n, size_t *at, double *seconds)
{
    int hour, minute, west;

    *seconds = 0;
    if (*at == n || take_byte(s, n, at, "Zz"))
        return 1;
    west = s[*at] == '-';
    if (!take_byte(s, n, at, "+-") || !take(s, n, at, 2, &hour))
        return 0;
    take_byte(s, n, at, ":");
    if (!take(s, n, at, 2, &minute))
        return 0;
    *seconds = (west ? -60.0 : 60.0) * (60 * hour + minute);
    return hour < 24 && minute < 60;
}

int gi_date_parse(const char *s, size_t n, double *days)
{
    double seconds = 0, east = 0;
    int year, month, day, dashes;
    size_t at = 0;

    if (!take(s, n, &at, 4, &year))
        return 0;
    dashes = take_byte(s, n, &at, "-");
    if (!take(s, n, &at, 2, &month) || dashes != take_byte(s, n, &at, "-") ||
        !take(s, n, &at, 2, &day))
        return 0;
    if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month))
        return 0;
    if (take_byte(s, n, &at, "Tt ") &&
        (!time_of_day(s, n, &at, &seconds) || !time_zone(s, n, &at, &east)))
        return 0;
    *days = (double)day_number(year, month, day) + (seconds - east) / DAY;
    return at == n;
}

/* Year, month and day of a day number: day_number() solved backwards. */
static void civil(long number, long *year, long *month, long *day)
{
    long z = number + 719468, cycle = (z >= 0 ? z : z - 146096) / 146097;
    long of_cycle = z - cycle * 146097;
    long y =
        (of_cycle - of_cycle / 1460 + of_cycle / 36524 - of_cycle / 146096) /
        365;
    long of_year = of_cycle - (365 * y + y / 4 - y / 100);
    long from_march = (5 * of_year + 2) / 153;

    *day = of_year - (153 * from_march + 2) / 5 + 1;
    *month = from_march < 10 ? from_march + 3 : from_march - 9;
    *year = cycle * 400 + y + (*month <= 2);
}

void gi_date_print(double days, char out[GI_DATE_ROOM])
{
    long number, year, month, day, hour, minute;
    double seconds;
    int n;

    if (!(days >= -719528 && days < 2932897)) { /* years 0000 to 9999 */
        snprintf(out, GI_DATE_ROOM, "day %.17g", days);
        return;
    }
    number = (long)floor(days);
    seconds = round((days - (double)number) * DAY * MICRO) / MICRO;
    if (seconds >= DAY) {
        seconds -= DAY;
        number++;
    }
    civil(number, &year, &month, &day);
    n = snprintf(out, GI_DATE_ROOM, "%04ld-%02ld-%02ld", year, month, day);
    if (seconds == 0)
        return;
    hour = (long)seconds / 3600;
    minute = (long)seconds % 3600 / 60;
    seconds -= (double)(hour * 3600 + minute * 60);
    n += snprintf(out + n, GI_DATE_ROOM - (size_t)n, "T%02ld:%02ld:%02d", hour,
                  minute, (int)seconds);
    if (seconds != floor(seconds))
        snprintf(out + n, GI_DATE_ROOM - (size_t)n, ".%06ld",
                 lround((seconds - floor(seconds)) * MICRO));
}
