/* Common causes of failures (N9, G27, decision 0161): how they are detected, and what their hold
 * stops. */

#include "engine/fake_nodes.h"

#include "cause/cause.h"
#include "codec/json.h"
#include "plan/compute.h"

#include <stdio.h>
#include <string.h>

/* ---- what is a cause ---- */

enum { HOUR_MS = 60 * MINUTE, NOW = 100 * HOUR_MS, LONG_AGO = NOW - 2 * HOUR_MS };

/* A number of nodes with these attributes, of which some failed at this time. */
struct crowd {
    const char *zone;
    const char *image;
    const char *task; /* failed task of the failed nodes */
    size_t count;
    size_t failed;
    uint64_t failed_ms; /* time of the failure; 0: a minute ago */
};

static struct cause_attributes attributes_of(const struct crowd *crowd, bool is_failed)
{
    const char *values[] = { crowd->zone, crowd->image, is_failed ? crowd->task : NULL };
    const enum cause_kind kinds[] = { CAUSE_ZONE, CAUSE_IMAGE, CAUSE_TASK };
    struct cause_attribute *items = arena_array(lab.arena, struct cause_attribute, 3);
    size_t count = 0;

    for (size_t i = 0; i < 3; i++) {
        if (values[i] != NULL) {
            items[count++] = (struct cause_attribute){ kinds[i], text_from(values[i]) };
        }
    }
    return (struct cause_attributes){ items, count };
}

/* Returns the cause as text: "zone b: 4 of 4, others 0 of 4"; "": there is no cause. */
static const char *found(const struct crowd *crowds, const struct cause_attribute *standing)
{
    struct cause_node nodes[2000];
    size_t count = 0;
    struct cause cause;

    for (; crowds->count > 0; crowds++) {
        for (size_t i = 0; i < crowds->count; i++) {
            bool is_failed = i < crowds->failed;

            assert_true(count < ARRAY_COUNT(nodes));
            nodes[count++] = (struct cause_node){
                .shared = attributes_of(crowds, is_failed),
                .failed_ms = !is_failed              ? 0
                             : crowds->failed_ms > 0 ? crowds->failed_ms
                                                     : NOW - MINUTE,
            };
        }
    }
    if (!cause_find(lab.arena, nodes, count, standing, NOW, HOUR_MS, &cause)) {
        return "";
    }
    return arena_printf(lab.arena, "%.*s: %zu of %zu, others %zu of %zu",
                        TEXT_ARG(cause_attribute_text(lab.arena, &cause.attribute)), cause.failed,
                        cause.nodes, cause.others_failed, cause.others)
        .data;
}

static void test_what_is_a_cause(void **state)
{
    static const struct {
        const char *what;
        struct crowd crowds[5];
        const char *cause;
    } rows[] = {
        { "nothing has failed", { { "a", "i", NULL, 4, 0, 0 }, { "b", "i", NULL, 4, 0, 0 } }, "" },
        { "a zone",
          { { "a", "i", NULL, 4, 0, 0 }, { "b", "i", NULL, 4, 4, 0 } },
          "zone b: 4 of 4, others 0 of 4" },
        { "an image, in all zones",
          { { "a", "i", NULL, 4, 0, 0 },
            { "b", "i", NULL, 4, 0, 0 },
            { "a", "j", NULL, 2, 2, 0 },
            { "b", "j", NULL, 2, 2, 0 } },
          "image j: 4 of 4, others 0 of 8" },
        { "two failures", { { "a", "i", NULL, 9, 0, 0 }, { "b", "i", NULL, 2, 2, 0 } }, "" },
        { "three failures",
          { { "a", "i", NULL, 9, 0, 0 }, { "b", "i", NULL, 3, 3, 0 } },
          "zone b: 3 of 3, others 0 of 9" },
        { "79 %: 15 of 19", { { "a", "i", NULL, 400, 4, 0 }, { "b", "i", NULL, 15, 15, 0 } }, "" },
        { "80 %: 16 of 20",
          { { "a", "i", NULL, 400, 4, 0 }, { "b", "i", NULL, 16, 16, 0 } },
          "zone b: 16 of 16, others 4 of 400" },
        { "three times as often: 12 of 40, and 3 of 30",
          { { "a", "i", NULL, 30, 3, 0 }, { "b", "i", NULL, 40, 12, 0 } },
          "zone b: 12 of 40, others 3 of 30" },
        { "less than three times as often: 12 of 41, and 3 of 30",
          { { "a", "i", NULL, 30, 3, 0 }, { "b", "i", NULL, 41, 12, 0 } },
          "" },
        { "one in ten: 3 of 30, and 0 of 100",
          { { "a", "i", NULL, 100, 0, 0 }, { "b", "i", NULL, 30, 3, 0 } },
          "zone b: 3 of 30, others 0 of 100" },
        { "fewer than one in ten: 3 of 31, and 0 of 300",
          { { "a", "i", NULL, 300, 0, 0 }, { "b", "i", NULL, 31, 3, 0 } },
          "" },
        { "all nodes have all of it: there is nothing to compare with",
          { { "b", "i", NULL, 8, 8, 0 } },
          "" },
        { "few others without a failure: 3 of 20, and 0 of 3",
          { { "a", "i", NULL, 3, 0, 0 }, { "b", "i", NULL, 20, 3, 0 } },
          "" },
        { "failures of long ago",
          { { "a", "i", NULL, 8, 0, 0 }, { "b", "i", NULL, 8, 8, LONG_AGO } },
          "" },
        { "of both times, those of the last hour count, and the others count nowhere",
          { { "a", "i", NULL, 9, 0, 0 },
            { "b", "i", NULL, 5, 5, LONG_AGO },
            { "b", "i", NULL, 3, 3, 0 } },
          "zone b: 3 of 3, others 0 of 9" },
        { "zone and image alike: the zone",
          { { "a", "i", NULL, 8, 0, 0 }, { "b", "j", NULL, 4, 4, 0 } },
          "zone b: 4 of 4, others 0 of 8" },
        { "the zone is more specific than the image",
          { { "a", "i", NULL, 90, 0, 0 },
            { "a", "j", NULL, 4, 0, 0 },
            { "b", "j", NULL, 4, 4, 0 } },
          "zone b: 4 of 4, others 0 of 94" },
        { "the image is more specific than the zone",
          { { "a", "i", NULL, 90, 0, 0 },
            { "b", "i", NULL, 4, 0, 0 },
            { "b", "j", NULL, 4, 4, 0 } },
          "image j: 4 of 4, others 0 of 94" },
        { "a zone explains the task",
          { { "a", "i", NULL, 8, 0, 0 }, { "b", "i", "stage-0 base", 4, 4, 0 } },
          "zone b: 4 of 4, others 0 of 8" },
        { "only the task is in common",
          { { "a", "i", "stage-0 base", 6, 2, 0 }, { "b", "i", "stage-0 base", 6, 2, 0 } },
          "task stage-0 base: 4 of 4, others 0 of 8" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const char *cause = found(rows[i].crowds, NULL);

        if (strcmp(cause, rows[i].cause) != 0) {
            fail_msg("%s: '%s' in place of '%s'", rows[i].what, cause, rows[i].cause);
        }
    }
}

/* A hold ends when nodes recover, and not merely because time passes. */
static void test_a_standing_cause_lasts_as_long_as_its_failures(void **state)
{
    struct cause_attribute zone = { CAUSE_ZONE, TEXT("b") };
    struct crowd crowds[3] = { { "a", "i", NULL, 8, 0, 0 }, { "b", "j", NULL, 8, 8, LONG_AGO } };

    (void)state;
    assert_string_equal(found(crowds, NULL), "");
    assert_string_equal(found(crowds, &zone), "zone b: 8 of 8, others 0 of 8");
    /* the cause does not change, even if another cause explains the failures equally well */
    zone.kind = CAUSE_IMAGE;
    zone.value = TEXT("j");
    assert_string_equal(found(crowds, &zone), "image j: 8 of 8, others 0 of 8");
    crowds[1].failed = 2;
    assert_string_equal(found(crowds, &zone), "");
    zone.value = TEXT("k");
    crowds[1].failed = 8;
    crowds[1].failed_ms = NOW - 1;
    assert_string_equal(found(crowds, &zone), "zone b: 8 of 8, others 0 of 8");
}

static void test_the_order_of_nodes_has_no_meaning(void **state)
{
    static const struct crowd forth[] = { { "a", "i", NULL, 8, 1, 0 },
                                          { "b", "j", NULL, 5, 4, 0 },
                                          { NULL, NULL, NULL, 0, 0, 0 } };
    static const struct crowd back[] = { { "b", "j", NULL, 5, 4, 0 },
                                         { "a", "i", NULL, 8, 1, 0 },
                                         { NULL, NULL, NULL, 0, 0, 0 } };

    (void)state;
    assert_string_equal(found(forth, NULL), "zone b: 4 of 5, others 1 of 8");
    assert_string_equal(found(back, NULL), "zone b: 4 of 5, others 1 of 8");
}

/* G20: an approval covers the failures that its hold showed. */
static void test_an_approval_covers_no_later_failure(void **state)
{
    struct cause cause = { .attribute = { CAUSE_ZONE, TEXT("b of sim") }, .newest_ms = 7000 };
    struct text seven = cause_observation_format(lab.arena, &cause);
    struct cause_attribute attribute;
    uint64_t newest_ms;
    struct text eight;

    (void)state;
    cause.newest_ms = 8000;
    eight = cause_observation_format(lab.arena, &cause);
    assert_true(cause_observation_covers(eight, eight));
    assert_true(cause_observation_covers(eight, seven));
    assert_false(cause_observation_covers(seven, eight));
    cause.attribute.value = TEXT("c of sim");
    assert_false(cause_observation_covers(eight, cause_observation_format(lab.arena, &cause)));
    assert_true(cause_observation_parse(eight, &attribute, &newest_ms));
    assert_int_equal(attribute.kind, CAUSE_ZONE);
    assert_true(text_is(attribute.value, "b of sim"));
    assert_int_equal(newest_ms, 8000);
    assert_false(cause_observation_parse(TEXT(""), &attribute, &newest_ms));
    assert_false(cause_observation_parse(TEXT("8000 zone"), &attribute, &newest_ms));
    assert_false(cause_observation_parse(TEXT("8000 moon b"), &attribute, &newest_ms));
    assert_false(cause_observation_parse(TEXT("x zone b"), &attribute, &newest_ms));
}

static void test_a_hold_names_its_nodes(void **state)
{
    struct text status = TEXT("{\"attribute\":\"zone b\",\"nodes\":\"db-1,web-[4-7]\"}");

    (void)state;
    assert_true(text_is(cause_hold_attribute(lab.arena, status, TEXT("web-5")), "zone b"));
    assert_true(text_is(cause_hold_attribute(lab.arena, status, TEXT("db-1")), "zone b"));
    assert_true(text_is(cause_hold_attribute(lab.arena, status, TEXT("web-8")), ""));
    assert_true(text_is(cause_hold_attribute(lab.arena, TEXT(""), TEXT("web-5")), ""));
    assert_true(text_is(cause_hold_attribute(lab.arena, TEXT("{"), TEXT("web-5")), ""));
}

/* ---- what its hold stops ---- */

static const struct cache_object *hold_find(enum plan_rule rule)
{
    struct text id = text_slice(text_from(lab.cluster), sizeof("default/") - 1, SIZE_MAX);
    const struct cache_object *object =
        cache_find(lab.cache, TEXT("default"), TEXT("Hold"),
                   arena_printf(lab.arena, "%.*s/%s", TEXT_ARG(id), plan_rule_name(rule)));

    return object != NULL && object->parts[CACHE_STATUS].bytes != NULL ? object : NULL;
}

/* Returns the text of the hold; "": there is none. */
static struct text fact(void)
{
    const struct cache_object *hold = hold_find(PLAN_RULE_common_cause);
    struct doc doc;
    struct err err;

    if (hold == NULL) {
        return TEXT("");
    }
    assert_true(json_parse(lab.arena,
                           arena_text(lab.arena, blob_text(hold->parts[CACHE_STATUS].bytes)), NULL,
                           &doc, &err));
    return doc_child(&doc, "fact")->text;
}

static void apply_zones(const char *image)
{
    char yaml[600];

    snprintf(yaml, sizeof(yaml),
             "version: '1'\nname: shop\ngroups: {web: {size: 8, zones: [a, b], image: %s, "
             "replaceAfter: 1m, rollout: {batch: 100%%, surge: 8, maxFail: 8, canary: 0}, "
             "health: {probe: {tcp: 80, every: 1s, timeout: 500ms, fail: 3}}, " SIM "}}\n",
             image);
    apply(yaml);
    pass_time(3 * MINUTE);
    assert_int_equal(running(), 8);
}

/* Returns the number of running machines of a zone that were created before this time. */
static size_t count_before(const char *zone, uint64_t before_ms)
{
    size_t count = 0;

    for (struct sim_machine *machine = sim_first(lab.cloud, text_from(lab.cluster));
         machine != NULL; machine = sim_next(lab.cloud, text_from(lab.cluster), machine)) {
        count += sim_is_running(lab.cloud, machine) && text_is(machine->kind->zone, zone) &&
                 machine->made_ms < before_ms;
    }
    return count;
}

/* Returns a machine of the zone, so that the test can let only this machine fail. */
static const char *node_of_zone(const char *zone)
{
    for (struct sim_machine *machine = sim_first(lab.cloud, text_from(lab.cluster));
         machine != NULL; machine = sim_next(lab.cloud, text_from(lab.cluster), machine)) {
        if (text_is(machine->kind->zone, zone)) {
            return arena_printf(lab.arena, "web-%llu", (unsigned long long)machine->slot).data;
        }
    }
    return NULL;
}

static void test_a_zone_that_fails_is_left_alone(void **state)
{
    uint64_t begun_ms;

    (void)state;
    apply_zones("one");
    begun_ms = lab.now_ms;
    lab.ill_zone = "b";
    lab.ill_node = node_of_zone("a");
    pass_time(10 * MINUTE);
    lab.ill_node = NULL;
    pass_time(2 * 60 * MINUTE); /* longer than past failures count */
    assert_int_equal(count_before("b", begun_ms), 4);
    assert_int_equal(count_before("a", begun_ms), 3); /* machines of the other zone are replaced */
    assert_int_equal(running(), 8);
    assert_true(text_is(
        fact(), "zone b of sim: 4 of 4 nodes with it fail, and 0 of 4 others; web-[1,3,5,7]"));
    assert_int_equal(holds_count(), 1);
    life_anew(); /* another manager continues */
    pass_time(2 * 60 * MINUTE);
    assert_int_equal(count_before("b", begun_ms), 4);
    lab.ill_zone = NULL;
    pass_time(5 * MINUTE);
    assert_int_equal(holds_count(), 0); /* the hold ended without an operator */
    assert_int_equal(count_before("b", begun_ms), 4);
}

static void test_a_rollout_goes_past_the_zone(void **state)
{
    uint64_t begun_ms;

    (void)state;
    apply_zones("one");
    begun_ms = lab.now_ms;
    lab.ill_zone = "b";
    pass_time(MINUTE / 2);
    assert_int_not_equal(fact().length, 0);
    apply("version: '1'\nname: shop\ngroups: {web: {size: 8, zones: [a, b], image: two, "
          "replaceAfter: 1m, rollout: {batch: 100%, surge: 8, maxFail: 8, canary: 0}, "
          "health: {probe: {tcp: 80, every: 1s, timeout: 500ms, fail: 3}}, " SIM "}}\n");
    pass_time(30 * MINUTE);
    assert_int_equal(count_before("b", begun_ms), 4);
    assert_int_equal(count_before("a", begun_ms), 0);
    lab.ill_zone = NULL;
    pass_time(30 * MINUTE);
    assert_int_equal(count_before("b", begun_ms), 0);
    assert_int_equal(holds_count(), 0);
}

static void apply_stages(const char *argument)
{
    apply(arena_string(
        lab.arena,
        arena_printf(lab.arena,
                     "version: '1'\nname: shop\ngroups: {web: {size: 8, zones: [a, b], " SIM
                     ", rollout: {canary: 1, bake: 10s, batch: 1, unavailable: 8, maxFail: 8}, "
                     "health: {probe: {tcp: 80, every: 1s, timeout: 500ms, fail: 3}}, "
                     "bootstrap: [{bundle: 'base@sha256:" DIGEST "', args: [%s]}]}}\n",
                     argument)));
}

/* Rollout slots: members of the other zone do not wait for members of this zone. */
static void test_members_of_the_zone_get_no_slot(void **state)
{
    (void)state;
    apply_stages("one");
    bootstrap_time(MINUTE);
    assert_int_equal(fake.staged, 8);
    lab.ill_zone = "b";
    bootstrap_time(MINUTE);
    assert_int_not_equal(fact().length, 0);
    apply_stages("two");
    bootstrap_time(10 * MINUTE);
    assert_int_equal(fake.staged, 8 + 4);
    assert_true(any_says("Job", "web-1, the canary: hold common_cause: zone b of sim"));
    assert_true(any_says("Job", "\"state\":\"running\""));
    lab.ill_zone = NULL;
    bootstrap_time(10 * MINUTE);
    assert_int_equal(fake.staged, 8 + 8);
    assert_false(any_says("Job", "\"state\":\"running\""));
    assert_int_equal(holds_count(), 0);
}

static void test_an_operator_may_approve(void **state)
{
    uint64_t begun_ms;

    (void)state;
    apply_zones("one");
    begun_ms = lab.now_ms;
    lab.ill_zone = "b";
    pass_time(10 * MINUTE);
    assert_int_equal(count_before("b", begun_ms), 4);
    assert_true(hold_answer(SERVICE_COMMAND_APPROVE, "shop", PLAN_RULE_common_cause));
    pass_time(5 * MINUTE); /* the budget permits one replacement */
    assert_true(count_before("b", begun_ms) < 4);
    pass_time(60 * MINUTE);
    /* the new machines fail too, which the approval does not cover */
    assert_int_not_equal(fact().length, 0);
    assert_true(events_of("hold.began") > 1);
}

static void test_two_failures_cost_nothing_and_stop_nothing(void **state)
{
    uint64_t begun_ms;

    (void)state;
    apply("version: '1'\nname: shop\ngroups: {web: {size: 8, zones: [a, b, c, d], "
          "replaceAfter: 1m, health: {probe: {tcp: 80, every: 1s, timeout: 500ms, fail: 3}}, " SIM
          "}}\n");
    pass_time(3 * MINUTE);
    begun_ms = lab.now_ms;
    lab.ill_zone = "b";
    pass_time(40 * MINUTE);
    assert_int_equal(fact().length, 0);
    assert_true(count_before("b", begun_ms) < 2);
}

/* Without guard G27, the machines of the failing zone are replaced one by one. maxUnhealthy permits
 * everything here, because it alone would stop the other zone too. */
static void zone_fails(uint32_t guards_off)
{
    lab.guards_off = guards_off;
    life_anew();
    apply("version: '1'\nname: shop\ngroups: {web: {size: 8, zones: [a, b], maxUnhealthy: 100%, "
          "replaceAfter: 1m, health: {probe: {tcp: 80, every: 1s, timeout: 500ms, fail: 3}}, " SIM
          "}}\n");
    pass_time(3 * MINUTE);
    lab.ill_zone = "b";
    pass_time(60 * MINUTE);
}

static void test_with_the_guard(void **state)
{
    (void)state;
    zone_fails(0);
    assert_int_equal(events_of("machine.condemned"), 0);
}

static void test_without_the_guard(void **state)
{
    (void)state;
    zone_fails(1u << G27);
    assert_true(events_of("machine.condemned") > 3);
    assert_int_equal(fact().length, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_is_a_cause, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_standing_cause_lasts_as_long_as_its_failures, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_the_order_of_nodes_has_no_meaning, setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_approval_covers_no_later_failure, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_hold_names_its_nodes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_zone_that_fails_is_left_alone, setup_nodes,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_rollout_goes_past_the_zone, setup_nodes, teardown),
        cmocka_unit_test_setup_teardown(test_members_of_the_zone_get_no_slot, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_an_operator_may_approve, setup_nodes, teardown),
        cmocka_unit_test_setup_teardown(test_two_failures_cost_nothing_and_stop_nothing,
                                        setup_nodes, teardown),
        cmocka_unit_test_setup_teardown(test_with_the_guard, setup_nodes, teardown),
        cmocka_unit_test_setup_teardown(test_without_the_guard, setup_nodes, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
