#include "base/time.h"

#include <time.h>

#include "unit.h"

static void test_a_time_is_written_as_everybody_does(void **state)
{
    static const struct {
        int64_t time_ms;
        const char *text;
    } cases[] = {
        { 0, "1970-01-01T00:00:00.000Z" },
        { -1, "1969-12-31T23:59:59.999Z" },
        { INT64_C(1795255200123), "2026-11-21T10:00:00.123Z" },
        { INT64_C(951782400000), "2000-02-29T00:00:00.000Z" },
        { TIME_MIN_MS, "0000-01-01T00:00:00.000Z" },
        { TIME_MAX_MS, "9999-12-31T23:59:59.999Z" },
        { INT64_MIN, "0000-01-01T00:00:00.000Z" },
        { INT64_MAX, "9999-12-31T23:59:59.999Z" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        char out[TIME_TEXT_BYTES];

        time_format(cases[i].time_ms, out);
        assert_string_equal(out, cases[i].text);
    }
}

static void test_what_is_taken(void **state)
{
    static const struct {
        const char *text;
        int64_t time_ms;
    } cases[] = {
        { "1970-01-01T00:00:00Z", 0 },
        { "1970-01-01t00:00:00z", 0 },
        { "1970-01-01 00:00:00.5Z", 500 },
        { "1970-01-01T00:00:00.123456789Z", 123 },
        { "1970-01-01T01:00:00+01:00", 0 },
        { "1969-12-31T18:30:00-05:30", 0 },
        { "1970-01-01T00:00:00-00:00", 0 },
        { "2016-12-31T23:59:60Z", INT64_C(1483228800000) },
        { "2024-02-29T00:00:00Z", INT64_C(1709164800000) },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        int64_t time_ms = -7;

        assert_true(time_parse(text_from(cases[i].text), &time_ms));
        assert_int_equal(time_ms, cases[i].time_ms);
    }
}

static void test_what_is_refused_and_leaves_the_answer_alone(void **state)
{
    static const char *const cases[] = {
        "",
        "1970",
        "1970-01-01",
        "1970-01-01T00:00Z",
        "1970-01-01T00:00:00",
        "1970-1-01T00:00:00Z",
        "1970-13-01T00:00:00Z",
        "1970-00-01T00:00:00Z",
        "1970-01-32T00:00:00Z",
        "1970-01-00T00:00:00Z",
        "2023-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "1970-04-31T00:00:00Z",
        "1970-01-01T24:00:00Z",
        "1970-01-01T00:60:00Z",
        "1970-01-01T00:00:61Z",
        "1970-01-01T00:00:00.Z",
        "1970-01-01T00:00:00.1234567890Z",
        "1970-01-01T00:00:00+0100",
        "1970-01-01T00:00:00+24:00",
        "1970-01-01T00:00:00Zx",
        " 1970-01-01T00:00:00Z",
        "-970-01-01T00:00:00Z",
        "0000-01-01T00:00:00+00:01",
        "9999-12-31T23:59:60Z",
        "1970_01-01T00:00:00Z",
        "1970-01-01_00:00:00Z",
        "+970-01-01T00:00:00Z",
    };
    int64_t time_ms = -7;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        assert_false(time_parse(text_from(cases[i]), &time_ms));
        assert_int_equal(time_ms, -7);
    }
    assert_false(time_parse((struct text){ "1970-01-01T00:00:00Z\0", 21 }, &time_ms));
}

/* Compares random times with the calendar of libc, in both directions. */
static void test_random_times_are_those_of_libc(void **state)
{
    uint32_t seed = 4711;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint64_t number = (uint64_t)unit_random(&seed) << 32 | unit_random(&seed);
        int64_t time_ms = TIME_MIN_MS + (int64_t)(number % (uint64_t)(TIME_MAX_MS - TIME_MIN_MS));
        int64_t ms = (time_ms % 1000 + 1000) % 1000;
        time_t seconds = (time_ms - ms) / 1000;
        int64_t again = 0;
        char out[TIME_TEXT_BYTES];
        char expected[64];
        struct tm parts;

        assert_non_null(gmtime_r(&seconds, &parts));
        snprintf(expected, sizeof(expected), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
                 parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
                 parts.tm_sec, (int)ms);
        time_format(time_ms, out);
        assert_string_equal(out, expected);
        assert_true(time_parse(text_from(out), &again));
        assert_int_equal(again, time_ms);
    }
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(test_a_time_is_written_as_everybody_does),
        cmocka_unit_test(test_what_is_taken),
        cmocka_unit_test(test_what_is_refused_and_leaves_the_answer_alone),
        cmocka_unit_test(test_random_times_are_those_of_libc),
    };

    return cmocka_run_group_tests(cases, NULL, NULL);
}
