/* The syntax of --fault. */
#include "unit.h"

#include "simulation/fault.h"

enum { MINUTE = 60 * 1000, HOUR = 60 * MINUTE };

static struct simulation_fault good(const char *word)
{
    struct simulation_fault fault;
    struct err err;

    assert_true(simulation_fault_parse(text_from(word), HOUR, &fault, &err));
    return fault;
}

static void bad(const char *word, enum code code, const char *words)
{
    struct simulation_fault fault = { .at_ms = 77 };
    struct err err;

    assert_false(simulation_fault_parse(text_from(word), HOUR, &fault, &err));
    assert_int_equal(err.code, code);
    assert_non_null(strstr(err.text, words));
    assert_int_equal(fault.at_ms, 77);
}

static void test_every_part(void **state)
{
    struct simulation_fault fault = good("zone-lost@20m+90s=eu-1/a=b");

    (void)state;
    assert_int_equal(fault.kind, SIMULATION_FAULT_ZONE_LOST);
    assert_int_equal(fault.at_ms, 20 * MINUTE);
    assert_int_equal(fault.span_ms, 90 * 1000);
    assert_text(fault.name, "eu-1/a=b");
    assert_text(fault.word, "zone-lost@20m+90s=eu-1/a=b");
}

static void test_what_is_left_out(void **state)
{
    struct simulation_fault fault = good("mass-death");

    (void)state;
    assert_int_equal(fault.at_ms, 20 * MINUTE);
    assert_int_equal(fault.span_ms, 0);
    assert_int_equal(fault.number, 60);
    assert_int_equal(good("outage").span_ms, 5 * MINUTE);
    assert_int_equal(good("outage").name.length, 0);
    assert_int_equal(good("death@0s=7").at_ms, 0);
    assert_int_equal(good("death@0s=7").number, 7);
}

static void test_what_cannot_be(void **state)
{
    (void)state;
    bad("", CODE_R0556, "there are: death, stop, ");
    bad("deth=2", CODE_R0556, "manager-killed, approve");
    bad("death@1h", CODE_R0557, "after the end");
    bad("death@10", CODE_R0557, "length of time");
    bad("death+1m", CODE_R0557, "one moment");
    bad("outage+0s", CODE_R0557, "one like 30s");
    bad("death=0", CODE_R0557, "number of machines");
    bad("death=99999999999999999999", CODE_R0557, "number of machines");
    bad("mass-death=101", CODE_R0557, "1 to 100");
    bad("zone-lost", CODE_R0557, "name of a zone");
    bad("capacity=", CODE_R0557, "empty");
    bad("manager-killed=2", CODE_R0557, "no value");
}

static void test_it_goes_on_from_its_time_for_its_length(void **state)
{
    struct simulation_fault fault = good("outage@10m+1m");

    (void)state;
    assert_false(simulation_fault_is_on(&fault, 10 * MINUTE - 1));
    assert_true(simulation_fault_is_on(&fault, 10 * MINUTE));
    assert_true(simulation_fault_is_on(&fault, 11 * MINUTE - 1));
    assert_false(simulation_fault_is_on(&fault, 11 * MINUTE));
    fault = good("death@10m");
    assert_false(simulation_fault_is_on(&fault, 10 * MINUTE));
}

static void test_every_fault_has_a_page(void **state)
{
    (void)state;
    for (int i = 0; i < SIMULATION_FAULT_COUNT; i++) {
        const struct simulation_fault_page *page =
            simulation_fault_page((enum simulation_fault_kind)i);

        assert_true(page->word[0] != '\0' && page->text[0] != '\0');
        if (page->argument != SIMULATION_ARGUMENT_ZONE) {
            assert_int_equal(good(page->word).kind, i);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_part),
        cmocka_unit_test(test_what_is_left_out),
        cmocka_unit_test(test_what_cannot_be),
        cmocka_unit_test(test_it_goes_on_from_its_time_for_its_length),
        cmocka_unit_test(test_every_fault_has_a_page),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
