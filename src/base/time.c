#include "base/time.h"

#include <assert.h>

/* Days are counted in the proleptic Gregorian calendar, in eras of 400 years (146,097 days) that
 * begin on the first of March. So a leap day is the last day of its year, and a formula gives the
 * lengths of the months. */

enum { ERA_DAYS = 146097, DAYS_TO_1970 = 719468 };

#define DAY_MS INT64_C(86400000)

struct date {
    int64_t year;
    int64_t month;
    int64_t day;
};

static int64_t days_of(struct date date)
{
    int64_t year = date.year - (date.month <= 2 ? 1 : 0);
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t month = (date.month + 9) % 12; /* months are counted from March, which is 0 */
    int64_t day_of_year = (153 * month + 2) / 5 + date.day - 1;

    assert(date.month >= 1 && date.month <= 12);
    return era * ERA_DAYS + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
           DAYS_TO_1970;
}

static struct date date_of(int64_t days)
{
    int64_t shifted = days + DAYS_TO_1970;
    int64_t era = (shifted >= 0 ? shifted : shifted - ERA_DAYS + 1) / ERA_DAYS;
    int64_t day_of_era = shifted - era * ERA_DAYS;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / (ERA_DAYS - 1)) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month = (5 * day_of_year + 2) / 153;
    struct date date = {
        .year = year_of_era + era * 400,
        .month = month < 10 ? month + 3 : month - 9,
        .day = day_of_year - (153 * month + 2) / 5 + 1,
    };

    date.year += date.month <= 2 ? 1 : 0;
    return date;
}

static char *digits_put(char *at, int64_t value, int count)
{
    for (int i = count - 1; i >= 0; i--) {
        at[i] = (char)('0' + value % 10);
        value /= 10;
    }
    assert(value == 0);
    return at + count;
}

void time_format(int64_t time_ms, char out[static TIME_TEXT_BYTES])
{
    static const char separators[] = "--T::.Z";
    int64_t inside = time_ms > TIME_MAX_MS ? TIME_MAX_MS : time_ms;
    int64_t days;
    int64_t rest;
    struct date date;
    char *at = out;

    inside = inside < TIME_MIN_MS ? TIME_MIN_MS : inside;
    days = (inside >= 0 ? inside : inside - (DAY_MS - 1)) / DAY_MS;
    rest = inside - days * DAY_MS;
    assert(rest >= 0 && rest < DAY_MS);
    date = date_of(days);
    {
        const int64_t values[] = { date.year,         date.month,       date.day,   rest / 3600000,
                                   rest / 60000 % 60, rest / 1000 % 60, rest % 1000 };
        const int widths[] = { 4, 2, 2, 2, 2, 2, 3 };

        for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
            at = digits_put(at, values[i], widths[i]);
            *at++ = separators[i];
        }
    }
    *at = '\0';
    assert(at - out == TIME_TEXT_BYTES - 1);
}

/* The text still to be read. */
struct reader {
    struct text text;
    size_t at;
};

static char time_letter_now(const struct reader *reader)
{
    return reader->at < reader->text.length ? reader->text.data[reader->at] : '\0';
}

static bool time_letter_take(struct reader *reader, const char *some)
{
    char letter = time_letter_now(reader);

    for (; *some != '\0'; some++) {
        if (letter == *some) {
            reader->at++;
            return true;
        }
    }
    return false;
}

/* Read exactly `count` digits with a value of low to high. */
static bool time_digits_take(struct reader *reader, int count, int64_t low, int64_t high,
                             int64_t *out)
{
    int64_t value = 0;

    for (int i = 0; i < count; i++) {
        char letter = time_letter_now(reader);

        if (letter < '0' || letter > '9') {
            return false;
        }
        value = value * 10 + (letter - '0');
        reader->at++;
    }
    if (value < low || value > high) {
        return false;
    }
    *out = value;
    return true;
}

static int64_t month_days(int64_t year, int64_t month)
{
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    if (month == 2) {
        return is_leap ? 29 : 28;
    }
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

static bool date_take(struct reader *reader, int64_t *out_days)
{
    struct date date;

    if (!time_digits_take(reader, 4, 0, 9999, &date.year) || !time_letter_take(reader, "-") ||
        !time_digits_take(reader, 2, 1, 12, &date.month) || !time_letter_take(reader, "-") ||
        !time_digits_take(reader, 2, 1, month_days(date.year, date.month), &date.day)) {
        return false;
    }
    *out_days = days_of(date);
    return true;
}

/* Read an optional fraction of a second such as `.123`. */
static bool fraction_take(struct reader *reader, int64_t *out_ms)
{
    int64_t unit = 100;
    int64_t ms = 0;
    size_t count = 0;

    if (time_letter_take(reader, ".")) {
        for (; time_letter_now(reader) >= '0' && time_letter_now(reader) <= '9'; count++) {
            ms += (time_letter_now(reader) - '0') * unit;
            unit /= 10;
            reader->at++;
        }
        if (count == 0 || count > 9) {
            return false;
        }
    }
    *out_ms = ms;
    return true;
}

static bool clock_take(struct reader *reader, int64_t *out_ms)
{
    int64_t hour;
    int64_t minute;
    int64_t second;
    int64_t fraction_ms;

    if (!time_digits_take(reader, 2, 0, 23, &hour) || !time_letter_take(reader, ":") ||
        !time_digits_take(reader, 2, 0, 59, &minute) || !time_letter_take(reader, ":") ||
        !time_digits_take(reader, 2, 0, 60, &second) || !fraction_take(reader, &fraction_ms)) {
        return false;
    }
    *out_ms = ((hour * 60 + minute) * 60 + second) * 1000 + fraction_ms;
    return true;
}

static bool offset_take(struct reader *reader, int64_t *out_ms)
{
    int64_t hours;
    int64_t minutes;
    bool is_west;

    if (time_letter_take(reader, "Zz")) {
        *out_ms = 0;
        return true;
    }
    is_west = time_letter_now(reader) == '-';
    if (!time_letter_take(reader, "+-") || !time_digits_take(reader, 2, 0, 23, &hours) ||
        !time_letter_take(reader, ":") || !time_digits_take(reader, 2, 0, 59, &minutes)) {
        return false;
    }
    *out_ms = (hours * 60 + minutes) * (is_west ? -60000 : 60000);
    return true;
}

bool time_parse(struct text text, int64_t *out_ms)
{
    struct reader reader = { .text = text };
    int64_t days;
    int64_t of_day_ms;
    int64_t offset_ms;
    int64_t time_ms;

    if (!date_take(&reader, &days) || !time_letter_take(&reader, "Tt ") ||
        !clock_take(&reader, &of_day_ms) || !offset_take(&reader, &offset_ms) ||
        reader.at != text.length) {
        return false;
    }
    time_ms = days * DAY_MS + of_day_ms - offset_ms;
    if (time_ms < TIME_MIN_MS || time_ms > TIME_MAX_MS) {
        return false;
    }
    *out_ms = time_ms;
    return true;
}
