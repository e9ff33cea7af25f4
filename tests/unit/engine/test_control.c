/* The controller brings the observed state to the desired state. Requirements: X12, X13. */

#include "engine/lab.h"

#include "base/hex.h"
#include "codec/json.h"
#include "codec/yaml.h"
#include "state/commit.h"
#include "records/pass_index.h"
#include "plan/ledger.h"

#include <stdio.h>
#include <string.h>

/* Returns the number of machine records that contain this text. */
static size_t rows_with(const char *words)
{
    struct text prefix = TEXT("/default/Resource/");
    size_t count = 0;

    for (const struct cache_object *object = cache_first(lab.cache, prefix); object != NULL;
         object = cache_next(lab.cache, prefix, object)) {
        count += strstr(arena_string(lab.arena, blob_text(object->parts[CACHE_STATUS].bytes)),
                        words) != NULL;
    }
    return count;
}

/* ---- tests ---- */

static void test_a_group_gets_its_machines(void **state)
{
    (void)state;
    apply_web(3);
    pass_time(MINUTE);
    assert_int_equal(running(), 3);
    assert_int_equal(records(), 3);
    assert_int_equal(lab.last_end, CONTROL_END_QUIET);
}

/* From time to time, a full listing is made even if the provider reports no change; it shows what
 * exists. */
static void test_what_rests_is_looked_at_and_rests(void **state)
{
    (void)state;
    apply_web(3);
    pass_time(3 * 60 * MINUTE);
    assert_int_equal(running(), 3);
    assert_int_equal(lab.holds, 0);
}

static void test_it_shrinks_and_grows(void **state)
{
    (void)state;
    apply_web(4);
    pass_time(MINUTE);
    apply_web(1);
    pass_time(MINUTE);
    assert_int_equal(running(), 1);
    assert_int_equal(records(), 1);
    apply_web(2);
    pass_time(MINUTE);
    assert_int_equal(running(), 2);
}

static void test_what_dies_is_made_again_in_its_slot(void **state)
{
    struct sim_machine *machine;
    uint64_t slot;

    (void)state;
    apply_web(3);
    pass_time(MINUTE);
    machine = any_machine();
    slot = sim_tags(machine).slot;
    sim_end(lab.cloud, machine);
    pass_time(MINUTE);
    assert_int_equal(running(), 2); /* a missing machine does not yet count as gone (G5) */
    pass_time(9 * MINUTE);
    assert_int_equal(running(), 3);
    for (machine = sim_first(lab.cloud, text_from(lab.cluster)); machine != NULL;
         machine = sim_next(lab.cloud, text_from(lab.cluster), machine)) {
        slot = sim_is_there(machine) && sim_tags(machine).slot == slot ? UINT64_MAX : slot;
    }
    assert_true(slot == UINT64_MAX);
}

static void test_what_stops_is_replaced_soon(void **state)
{
    (void)state;
    apply_web(3);
    pass_time(MINUTE);
    sim_stop(lab.cloud, any_machine());
    pass_time(2 * MINUTE);
    assert_int_equal(running(), 3);
    assert_int_equal(records(), 3);
}

static void test_a_new_specification_rolls(void **state)
{
    (void)state;
    apply_web(3);
    pass_time(MINUTE);
    apply("version: '1'\nname: shop\ngroups: {web: {size: 3, image: debian-13, " SIM "}}\n");
    pass_time(10 * MINUTE);
    assert_int_equal(running(), 3);
    for (struct sim_machine *machine = sim_first(lab.cloud, text_from(lab.cluster));
         machine != NULL; machine = sim_next(lab.cloud, text_from(lab.cluster), machine)) {
        assert_true(!sim_is_there(machine) ||
                    strstr(machine->kind->properties.data, "debian-13") != NULL);
    }
}

static void test_a_group_without_its_plugin_waits(void **state)
{
    (void)state;
    apply("version: '1'\nname: shop\ngroups: {web: {size: 2, " SIM
          "}, db: {size: 1, resourcePlugin: {name: aws}}}\n");
    pass_time(MINUTE);
    assert_int_equal(running(), 2);
}

static void test_another_life_goes_on(void **state)
{
    (void)state;
    apply_web(3);
    pass_time(1500); /* the machine was requested, and does not exist yet */
    life_anew();
    pass_time(MINUTE);
    assert_int_equal(running(), 3);
    assert_int_equal(records(), 3);
}

static size_t keys(const char *prefix)
{
    size_t count = 0;

    for (const struct cache_object *object = cache_first(lab.cache, text_from(prefix));
         object != NULL; object = cache_next(lab.cache, text_from(prefix), object)) {
        count++;
    }
    return count;
}

static void written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)answer;
    assert_int_equal(outcome, OUTCOME_OK);
    *(bool *)arg = true;
}

/* Writes directly to the store; an empty value deletes. */
static void key_write(const char *kind, const char *rest, const char *value)
{
    struct text id = text_slice(text_from(lab.cluster), sizeof("default/") - 1, SIZE_MAX);
    struct store_op op = {
        .key = arena_printf(lab.arena, "/default/%s/%.*s%s/spec", kind, TEXT_ARG(id), rest),
        .value = text_from(value),
        .is_delete = value[0] == '\0',
    };
    struct store_txn txn = { .ops = &op, .op_count = 1 };
    bool is_written = false;

    store_txn(lab.store, &txn, written, &is_written);
    for (int i = 0; i < 100 && !is_written; i++) {
        turn();
    }
    assert_true(is_written);
}

/* X3: the machines of a deleted cluster are destroyed, and then nothing of it remains. */
static void test_a_deleted_cluster_is_ended(void **state)
{
    (void)state;
    apply_web(3);
    pass_time(MINUTE);
    change_do("version: '1'\nname: shop\ngroups: {web: {size: 3, " SIM "}}\n", CHANGE_DELETE);
    assert_int_equal(keys("/default/Name/"), 0); /* the name is free immediately */
    pass_time(MINUTE);
    assert_int_equal(running(), 0);
    assert_int_equal(records(), 0);
    pass_time(20 * MINUTE);
    assert_int_equal(keys("/default/Control/"), 0);
    assert_int_equal(keys("/default/Hold/"), 0);
    lab.passes = 0;
    pass_time(60 * MINUTE);
    assert_int_equal(lab.passes, 0); /* no passes are made for a cluster that no longer exists */
}

/* X2, G8: the specification has disappeared without a deletion command. */
static void test_a_lost_specification_ends_nothing(void **state)
{
    (void)state;
    apply_web(3);
    pass_time(MINUTE);
    key_write("NodeGroup", "/web", "");
    key_write("Cluster", "", "");
    pass_time(60 * MINUTE);
    assert_int_equal(running(), 3);
    assert_int_equal(keys("/default/Hold/"), 1);
    key_write("Control", "", "{\"deleting\":{\"by\":\"ana\"}}");
    pass_time(MINUTE);
    assert_int_equal(running(), 0);
    assert_int_equal(keys("/default/Hold/"), 0);
}

static size_t count_in(const char *zone)
{
    size_t count = 0;

    for (struct sim_machine *machine = sim_first(lab.cloud, text_from(lab.cluster));
         machine != NULL; machine = sim_next(lab.cloud, text_from(lab.cluster), machine)) {
        count += sim_is_running(lab.cloud, machine) && text_is(machine->kind->zone, zone);
    }
    return count;
}

/* M3, M24: the members are spread evenly when the group grows and when it shrinks. */
static void test_members_are_spread_over_zones(void **state)
{
    (void)state;
    apply("version: '1'\nname: shop\ngroups: {web: {size: 6, zones: [a, b, c], " SIM "}}\n");
    pass_time(MINUTE);
    assert_int_equal(count_in("a"), 2);
    assert_int_equal(count_in("b"), 2);
    assert_int_equal(count_in("c"), 2);
    apply("version: '1'\nname: shop\ngroups: {web: {size: 3, zones: [a, b, c], " SIM "}}\n");
    pass_time(MINUTE);
    assert_int_equal(count_in("a"), 1);
    assert_int_equal(count_in("b"), 1);
    assert_int_equal(count_in("c"), 1);
}

/* M3, X15: one lack of capacity leads to the alternative, and machines are not moved back later. */
static void test_an_alternative_is_taken(void **state)
{
    (void)state;
    lab.fault = PROVIDER_FAULT_CAPACITY;
    lab.refusals = 1;
    apply("version: '1'\nname: shop\ngroups: {web: {size: 1, machineSize: big, alternatives: "
          "[{machineSize: small}], " SIM "}}\n");
    pass_time(MINUTE);
    assert_int_equal(running(), 1);
    assert_non_null(strstr(any_machine()->kind->properties.data, "small"));
    pass_time(60 * MINUTE);
    assert_int_equal(running(), 1);
    assert_non_null(strstr(any_machine()->kind->properties.data, "small"));
}

/* X15: an invalid request is not repeated; a changed specification is tried immediately. */
static void test_what_is_wrong_waits_for_a_change(void **state)
{
    (void)state;
    lab.fault = PROVIDER_FAULT_INVALID;
    lab.refusals = 1;
    apply_web(1);
    pass_time(60 * MINUTE);
    assert_int_equal(running(), 0);
    assert_int_equal(keys("/default/Hold/"), 1);
    apply("version: '1'\nname: shop\ngroups: {web: {size: 1, image: debian-13, " SIM "}}\n");
    pass_time(MINUTE);
    assert_int_equal(running(), 1);
    assert_int_equal(keys("/default/Hold/"), 0);
}

/* An invalid request is also tried again after the operator command `retry`. */
static void test_what_is_wrong_is_tried_again_when_reported(void **state)
{
    (void)state;
    lab.fault = PROVIDER_FAULT_AUTH;
    lab.refusals = 1;
    apply_web(1);
    pass_time(10 * MINUTE);
    assert_int_equal(running(), 0);
    key_write("Control", "/web", "{\"retry\":true}");
    pass_time(MINUTE);
    assert_int_equal(running(), 1);
}

/* Decision 0066: a retry is executed once for each command. Another command about the cluster is
 * not a retry, even under another manager. */
static void test_another_word_is_none_to_try_again(void **state)
{
    (void)state;
    lab.fault = PROVIDER_FAULT_AUTH;
    lab.refusals = 100;
    apply_web(1);
    pass_time(10 * MINUTE);
    assert_int_equal(lab.asked, 1);
    assert_true(say(SERVICE_COMMAND_RETRY, ""));
    pass_time(10 * MINUTE);
    assert_int_equal(lab.asked, 2);
    for (int i = 0; i < 3; i++) {
        assert_true(say(SERVICE_COMMAND_PAUSE, ""));
        pass_time(10 * MINUTE);
        assert_true(say(SERVICE_COMMAND_RESUME, ""));
        pass_time(10 * MINUTE);
        assert_int_equal(lab.asked, 2);
        life_anew();
    }
    /* a command given during a pause is executed when the pause ends */
    assert_true(say(SERVICE_COMMAND_PAUSE, ""));
    assert_true(say(SERVICE_COMMAND_RETRY, ""));
    pass_time(10 * MINUTE);
    assert_int_equal(lab.asked, 2);
    assert_true(say(SERVICE_COMMAND_RESUME, ""));
    pass_time(10 * MINUTE);
    assert_int_equal(lab.asked, 3);
}

/* K25: after three attempts that each created a machine, the slot is in back-off. */
static void test_a_slot_is_given_up_after_three_tries(void **state)
{
    (void)state;
    apply_web(1);
    for (int i = 0; i < 30 * 60 && lab.now_ms < 30 * MINUTE; i++) {
        struct sim_machine *machine = sim_first(lab.cloud, text_from(lab.cluster));

        for (; machine != NULL; machine = sim_next(lab.cloud, text_from(lab.cluster), machine)) {
            if (sim_is_there(machine) && machine->stopped_ms == 0) {
                sim_stop(lab.cloud, machine);
            }
        }
        pass_time(1000);
    }
    assert_int_equal(running(), 0);
    assert_int_equal(records(), 1);
    assert_int_equal(keys("/default/Hold/"), 1);
    pass_time(60 * MINUTE); /* then the slot is tried again */
    assert_int_equal(running(), 1);
}

/* K25: a token whose machine has ended is abandoned, which counts as an attempt of its slot. */
static void test_a_token_whose_machine_has_ended_is_given_up(void **state)
{
    (void)state;
    lab.fault = PROVIDER_FAULT_GONE;
    lab.refusals = 1;
    apply_web(1);
    pass_time(MINUTE);
    assert_int_equal(running(), 1);
    assert_int_equal(lab.asked, 2);
    lab.refusals = 100;
    apply_web(2);
    pass_time(20 * MINUTE);
    assert_int_equal(lab.asked, 2 + 3);
    assert_int_equal(keys("/default/Hold/"), 1);
}

/* F1, G26: with a provider without tokens, a create of unknown outcome is repeated only when a late
 * machine would be listed. */
static void test_a_doubt_is_waited_out_without_tokens(void **state)
{
    (void)state;
    lab.provider->traits.has_tokens = false;
    lab.provider->traits.late_ms = 2 * MINUTE;
    lab.provider->traits.lag_ms = MINUTE;
    lab.unknowns = 1;
    apply_web(1);
    pass_time(2 * MINUTE);
    assert_int_equal(lab.asked, 1);
    assert_int_equal(keys("/default/Hold/"), 1);
    life_anew(); /* another lease holder does not restart the wait */
    lab.provider->traits.has_tokens = false;
    lab.provider->traits.late_ms = 2 * MINUTE;
    lab.provider->traits.lag_ms = MINUTE;
    pass_time(2 * MINUTE);
    assert_int_equal(lab.asked, 2);
    assert_int_equal(running(), 1);
    assert_int_equal(keys("/default/Hold/"), 0);
}

/* Same as above, but the manager ends while it waits for the answer. */
static void test_an_outcome_that_is_lost_is_a_doubt(void **state)
{
    (void)state;
    lab.provider->traits.has_tokens = false;
    lab.answer_ms = 10 * MINUTE;
    apply_web(1);
    pass_time(1000);
    assert_int_equal(lab.asked, 1);
    assert_int_equal(rows_with("\"asked\":true"), 1);
    life_anew();
    lab.provider->traits.has_tokens = false;
    lab.provider->traits.late_ms = 2 * MINUTE;
    lab.provider->traits.lag_ms = MINUTE;
    pass_time(MINUTE);
    assert_int_equal(lab.asked, 1);
    pass_time(5 * MINUTE);
    assert_int_equal(running(), 1);
    assert_int_equal(rows_with("\"asked\":true"), 0);
}

/* A destroy call contains the age of the machine's record. */
static void test_calls_know_the_age_of_a_machine(void **state)
{
    (void)state;
    apply_web(2);
    pass_time(7 * MINUTE);
    apply_web(1);
    pass_time(MINUTE);
    assert_int_equal(running(), 1);
    assert_true(lab.age_ms >= 7 * MINUTE && lab.age_ms < 9 * MINUTE);
}

static void text_sought(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    const char **sought = arg;

    assert_int_equal(outcome, OUTCOME_OK);
    for (size_t i = 0; *sought != NULL && i < answer->count; i++) {
        const char *body = arena_string(lab.arena, answer->events[i].body);

        *sought = strstr(body, *sought) == NULL ? *sought : NULL;
    }
}

/* True if an event of the cluster has this text. */
static bool is_reported(const char *text)
{
    const char *sought = text;

    store_events(lab.store, text_from(lab.cluster), 0, 1000, text_sought, &sought);
    turn();
    return sought == NULL;
}

/* G5: a machine that is listed as ended is certainly gone. M3: if the reason was a lack of
 * capacity, the next alternative follows. */
static void test_what_is_shown_as_ended_is_replaced_at_once(void **state)
{
    struct sim_machine *machine;

    (void)state;
    apply("version: '1'\nname: shop\ngroups: {web: {size: 1, machineSize: big, alternatives: "
          "[{machineSize: small}], " SIM "}}\n");
    pass_time(MINUTE);
    machine = any_machine();
    machine->end_reason = TEXT("host");
    sim_end(lab.cloud, machine);
    pass_time(MINUTE);
    assert_int_equal(running(), 1);
    machine = any_machine();
    assert_non_null(strstr(machine->kind->properties.data, "big"));
    assert_true(is_reported("\"fact\":\"host\""));
    machine->end_reason = TEXT("spot");
    machine->end_message = TEXT("full");
    sim_end(lab.cloud, machine);
    pass_time(MINUTE);
    assert_true(is_reported("spot: full"));
    assert_int_equal(running(), 1);
    assert_non_null(strstr(any_machine()->kind->properties.data, "small"));
    assert_int_equal(keys("/default/Hold/"), 0);
    assert_int_equal(records(), 1);
}

/* X8: changed labels replace no machine. */
static void test_labels_change_in_place(void **state)
{
    struct sim_machine *machine;

    (void)state;
    apply_web(1);
    pass_time(MINUTE);
    machine = any_machine();
    apply("version: '1'\nname: shop\ngroups: {web: {size: 1, labels: {tier: front}, " SIM "}}\n");
    pass_time(MINUTE);
    assert_true(sim_is_there(machine));
    assert_non_null(strstr(machine->labels.data, "front"));
    pass_time(10 * MINUTE);
    assert_int_equal(lab.last_end, CONTROL_END_QUIET);
}

/* K28: an unhealthy bare-metal machine is rebooted once; after that, operators are notified. */
static void test_metal_is_rebooted_once(void **state)
{
    struct sim_machine *machine;

    (void)state;
    apply_web(1);
    pass_time(MINUTE);
    machine = any_machine();
    sim_stop(lab.cloud, machine);
    pass_time(5 * MINUTE);
    assert_int_equal(machine->reboots, 1);
    assert_int_equal(running(), 1);
    sim_stop(lab.cloud, machine);
    pass_time(60 * MINUTE);
    assert_int_equal(machine->reboots, 1);
    assert_true(sim_is_there(machine));
    assert_int_equal(keys("/default/Hold/"), 1);
}

/* K7: a renamed group keeps its machines. */
static void test_a_renamed_group_keeps_its_machines(void **state)
{
    struct sim_machine *machine;

    (void)state;
    apply_web(1);
    pass_time(MINUTE);
    machine = any_machine();
    apply("version: '1'\nname: shop\ngroups: {front: {size: 1, renamedFrom: web, " SIM "}}\n");
    pass_time(10 * MINUTE);
    assert_true(sim_is_there(machine));
    assert_int_equal(running(), 1);
}

/* X9: an aborted rollout is reverted. */
static void test_an_aborted_rollout_is_undone(void **state)
{
    struct sim_machine *machine;

    (void)state;
    apply_web(1);
    pass_time(MINUTE);
    machine = any_machine();
    key_write("Control", "/web", "{\"rollout\":\"paused\"}");
    apply("version: '1'\nname: shop\ngroups: {web: {size: 1, image: debian-13, " SIM "}}\n");
    pass_time(10 * MINUTE);
    assert_true(any_machine() == machine);
    key_write("Control", "/web", "");
    pass_time(1500);
    key_write("Control", "/web", "{\"rollout\":\"aborted\"}");
    pass_time(30 * MINUTE);
    assert_true(sim_is_there(machine));
    assert_int_equal(running(), 1);
}

static size_t made_of(const char *image)
{
    size_t count = 0;

    for (struct sim_machine *machine = sim_first(lab.cloud, text_from(lab.cluster));
         machine != NULL; machine = sim_next(lab.cloud, text_from(lab.cluster), machine)) {
        count += sim_is_running(lab.cloud, machine) &&
                 strstr(machine->kind->properties.data, image) != NULL;
    }
    return count;
}

static void stop_one_of(const char *image)
{
    struct sim_machine *machine = sim_first(lab.cloud, text_from(lab.cluster));

    while (machine != NULL && !(sim_is_running(lab.cloud, machine) &&
                                strstr(machine->kind->properties.data, image) != NULL)) {
        machine = sim_next(lab.cloud, text_from(lab.cluster), machine);
    }
    assert_non_null(machine);
    sim_stop(lab.cloud, machine);
}

/* Starts a rollout that replaces four machines, with one canary. */
static void canary_begin(void)
{
    apply_web(4);
    pass_time(MINUTE);
    apply("version: '1'\nname: shop\ngroups: {web: {size: 4, image: debian-13, rollout: "
          "{canary: 1, bake: 10m, maxFail: 1}, " SIM "}}\n");
    pass_time(MINUTE);
}

/* X9: a rollout stops at maxFail, and is completed after an operator's approval. */
static void test_a_failed_rollout_stops_until_it_is_approved(void **state)
{
    (void)state;
    canary_begin();
    assert_int_equal(made_of("debian-13"), 1);
    stop_one_of("debian-13");
    pass_time(60 * MINUTE);
    assert_int_equal(made_of("debian-13"), 1);
    assert_int_equal(running(), 4);
    assert_int_equal(keys("/default/Hold/"), 1);
    assert_true(hold_answer(SERVICE_COMMAND_APPROVE, "shop/web", PLAN_RULE_roll_failed));
    pass_time(60 * MINUTE);
    assert_int_equal(made_of("debian-13"), 4);
    assert_int_equal(keys("/default/Hold/"), 0);
}

/* ---- accounts (X15) ---- */

static void test_a_provider_is_asked_as_often_as_it_bears(void **state)
{
    (void)state;
    lab.provider->traits.calls_per_s = 10;
    apply_web(35);
    pass_time(400);
    assert_in_range(lab.asked, 10, 14);
    pass_time(1000);
    assert_in_range(lab.asked, 20, 24);
    pass_time(MINUTE);
    assert_int_equal(running(), 35);
    assert_int_equal(lab.asked, 35); /* no machine is requested twice because its call waited */
}

static void test_a_provider_is_asked_so_many_things_at_once(void **state)
{
    (void)state;
    lab.provider->traits.calls_max = 3;
    lab.answer_ms = 1000;
    apply_web(9);
    pass_time(900);
    assert_int_equal(lab.asked, 3);
    pass_time(1000);
    assert_int_equal(lab.asked, 6);
    pass_time(MINUTE);
    assert_int_equal(running(), 9);
}

/* A call that waited in the queue and was decided again was never sent, so its outcome is not in
 * doubt. Otherwise its record would have to be kept until a late machine could appear, even after
 * the deletion of its cluster. */
static void test_what_was_never_asked_for_is_in_no_doubt(void **state)
{
    (void)state;
    lab.provider->traits.calls_max = 3;
    lab.answer_ms = 1000;
    apply_web(9);
    pass_time(500);
    apply_web(10);
    pass_time(MINUTE);
    assert_int_equal(running(), 10);
    assert_int_equal(lab.asked, 10);
    change_do("name: shop\nversion: '1'\n", CHANGE_DELETE);
    pass_time(2 * MINUTE);
    assert_int_equal(running(), 0);
    assert_int_equal(records(), 0);
}

/* A machine whose creation takes long is observed soon after it, and not only after the same long
 * time. */
static void test_who_was_made_slowly_is_looked_after_soon(void **state)
{
    (void)state;
    lab.answer_ms = 40 * 1000;
    apply_web(1);
    pass_time(51 * 1000);
    assert_int_equal(rows_with("\"state\":\"active\""), 0);
    pass_time(5 * 1000);
    assert_int_equal(rows_with("\"state\":\"active\""), 1);
}

static void test_clusters_take_turns(void **state)
{
    (void)state;
    lab.provider->traits.calls_max = 2;
    lab.answer_ms = 1000;
    apply_web(40);
    pass_time(500);
    apply("version: '1'\nname: little\ngroups: {db: {size: 1, " SIM "}}\n");
    pass_time(4500);
    assert_string_not_equal(lab.cluster, "");
    assert_int_equal(keys("/default/Resource/"), 41);
    assert_in_range(lab.asked, 8, 12);
    {
        struct text prefix = TEXT("/default/Resource/");
        size_t made = 0;

        for (const struct cache_object *object = cache_first(lab.cache, prefix); object != NULL;
             object = cache_next(lab.cache, prefix, object)) {
            struct text bytes = blob_text(object->parts[CACHE_STATUS].bytes);

            const char *row = arena_string(lab.arena, bytes);

            made += strstr(row, "\"group\":\"db\"") != NULL && strstr(row, "\"id\":\"") != NULL;
        }
        assert_int_equal(made, 1); /* it did not wait for the forty other clusters */
    }
}

static void test_who_only_fails_is_left_in_peace(void **state)
{
    (void)state;
    apply_web(1);
    pass_time(MINUTE);
    lab.is_failing = true;
    apply_web(40);
    pass_time(2 * MINUTE);
    lab.asked_in_all = 0;
    pass_time(8 * MINUTE);
    assert_in_range(lab.asked_in_all, 6,
                    18); /* about one attempt per minute, not repeated attempts of all forty */
    lab.is_failing = false;
    pass_time(5 * MINUTE);
    assert_int_equal(running(), 40);
}

/* Apply a file with this many clusters of one machine each. */
static void clusters_apply(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char yaml[160];

        snprintf(yaml, sizeof(yaml),
                 "version: '1'\nname: many%u\ngroups: {web: {size: 1, " SIM "}}\n", i);
        apply(yaml);
    }
}

/* A13: one throttled listing postpones the listings of all clusters of the account. Their pauses
 * differ, so that they do not all resume at the same time. */
static void test_a_limit_of_listings_holds_for_all_clusters(void **state)
{
    (void)state;
    clusters_apply(20);
    pass_time(2 * MINUTE);
    assert_int_equal(rows_with("\"state\":\"active\""), 20);
    lab.limited_until_ms = lab.now_ms + 4 * MINUTE;
    lab.lists = 0;
    pass_time(4 * MINUTE - 1000);
    assert_in_range(lab.lists, 1, 20); /* the listings that were in progress at the first refusal */
    lab.lists = 0;
    pass_time(7 * MINUTE);
    assert_in_range(lab.lists, 20, 300);
    assert_int_equal(rows_with("\"state\":\"active\""), 20);
    assert_int_equal(keys("/default/Hold/"), 0);
}

static void test_what_waits_is_undone_by_a_change(void **state)
{
    (void)state;
    lab.provider->traits.calls_max = 2;
    lab.answer_ms = 1000;
    apply_web(20);
    pass_time(1500);
    assert_int_equal(lab.asked, 4);
    apply_web(2);
    pass_time(30 * MINUTE);
    assert_int_equal(running(), 2);
    assert_in_range(lab.asked, 4, 6);
    assert_int_equal(records(), 2);
}

/* The manager's session is not valid until the store answers, so no work is due, for any length of
 * time. */
static void test_who_waits_for_the_store_does_not_spin(void **state)
{
    (void)state;
    lab.is_shared = true;
    life_anew();
    apply_web(1);
    pass_time(MINUTE);
    lab.now_ms += 30 * MINUTE;
    for (int i = 0; i < 3; i++) {
        assert_true(control_run(lab.control) > lab.now_ms);
    }
    pass_time(MINUTE);
    assert_int_equal(lab.last_end, CONTROL_END_QUIET);
}

/* A failed listing does not change the conclusions from the previous listing. */
static void test_a_hold_outlasts_a_listing_that_fails(void **state)
{
    struct provider_tags tags = { .group = TEXT("web"), .token = TEXT("somebody") };
    struct sim_machine *machine;

    (void)state;
    apply_web(1);
    pass_time(MINUTE);
    tags.cluster = text_from(lab.cluster);
    machine = sim_plant(lab.cloud, &tags);
    pass_time(10 * MINUTE);
    assert_int_equal(keys("/default/Hold/"), 1);
    lab.is_failing = true;
    pass_time(5 * MINUTE);
    assert_int_equal(keys("/default/Hold/"), 1);
    sim_end(lab.cloud, machine);
    pass_time(MINUTE);
    lab.is_failing = false;
    pass_time(15 * MINUTE);
    assert_int_equal(keys("/default/Hold/"), 0);
}

static bool hold_says(const char *words)
{
    const struct cache_object *object = cache_first(lab.cache, TEXT("/default/Hold/"));

    assert_non_null(object);
    return strstr(blob_text(object->parts[CACHE_STATUS].bytes).data, words) != NULL;
}

static uint64_t no_luck(void *arg)
{
    (void)arg;
    return 0;
}

/* The controller may end at any moment, also while a write is pending; it does not access the cache
 * then (ASan). */
static void test_the_end_comes_in_the_middle(void **state)
{
    for (int turns = 0; turns < 40; turns++) {
        apply_web(3);
        for (int i = 0; i < turns; i++) {
            turn();
        }
        memory_set_faults(lab.store,
                          &(struct memory_faults){ .random = no_luck, .unknown_permille = 1000 });
        control_run(lab.control); /* and its pending requests are not answered */
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
    }
}

/* ---- a store that went back (I14, G18) ---- */

static bool hold_is_there(const char *rule)
{
    struct text id = arena_printf(lab.arena, "%s/%s", lab.cluster + sizeof("default/") - 1, rule);
    const struct cache_object *object = cache_find(lab.cache, TEXT("default"), TEXT("Hold"), id);

    return object != NULL && object->parts[CACHE_STATUS].bytes != NULL;
}

/* The files of a store are replaced by older files, from before the creation of two machines, with
 * a smaller size. */
static void test_files_that_are_put_back_destroy_nothing(void **state)
{
    struct store *saved;

    (void)state;
    apply_web(2);
    pass_time(MINUTE);
    saved = store_save();
    apply_web(4);
    pass_time(MINUTE);
    store_put_back(saved, false);
    pass_time(3 * 60 * MINUTE);
    assert_int_equal(running(), 4);
    assert_true(hold_is_there("store_went_back"));
    assert_true(hold_says("2 machines that the store never recorded"));
    apply_web(4);
    pass_time(30 * MINUTE);
    assert_int_equal(running(), 4); /* held: no machine is created either */
    key_write("Hold", "/store_went_back", "{\"approved\":{\"by\":\"ana\"}}");
    pass_time(30 * MINUTE);
    assert_int_equal(running(), 4);
    assert_int_equal(records(), 4);
    assert_false(hold_is_there("store_went_back"));
    apply_web(1);
    pass_time(10 * MINUTE);
    assert_int_equal(running(), 1); /* adopted machines are managed like all others */
}

/* After an approval with a size that is too small for them, these machines are kept and
 * reported. */
static void test_machines_that_nobody_has_room_for_are_left_alone(void **state)
{
    struct store *saved;

    (void)state;
    apply_web(2);
    pass_time(MINUTE);
    saved = store_save();
    apply_web(4);
    pass_time(MINUTE);
    store_put_back(saved, false);
    pass_time(MINUTE);
    key_write("Hold", "/store_went_back", "{\"approved\":{\"by\":\"ana\"}}");
    pass_time(3 * 60 * MINUTE);
    assert_int_equal(running(), 4);
    assert_int_equal(records(), 2);
    assert_true(hold_is_there("foreign"));
    assert_false(hold_is_there("store_went_back"));
    sim_end(lab.cloud, any_machine());
    pass_time(60 * MINUTE);
    assert_in_range(running(), 3, 4); /* the recorded machine is replaced, whichever it was */
}

static void test_machines_of_a_rejected_return_are_left_alone(void **state)
{
    struct store *saved;

    (void)state;
    apply_web(1);
    pass_time(MINUTE);
    saved = store_save();
    apply_web(2);
    pass_time(MINUTE);
    store_put_back(saved, false);
    apply_web(2);
    pass_time(MINUTE);
    assert_int_equal(running(), 2);
    key_write("Hold", "/store_went_back", "{\"rejected\":{\"by\":\"ana\"}}");
    pass_time(3 * 60 * MINUTE);
    assert_int_equal(running(), 3);
    assert_int_equal(records(), 2);
    assert_false(hold_is_there("store_went_back"));
}

/* A restored store begins a new incarnation, and the cluster is held even if all machines are
 * known. */
static void test_a_restored_store_starts_held(void **state)
{
    struct store *saved;

    (void)state;
    apply_web(2);
    pass_time(MINUTE);
    saved = store_save();
    apply_web(3);
    pass_time(MINUTE);
    sim_end(lab.cloud, any_machine());
    store_put_back(saved, true);
    apply_web(3);
    pass_time(3 * 60 * MINUTE);
    assert_int_equal(running(), 2);
    assert_true(hold_is_there("store_went_back"));
    life_anew(); /* the cluster remains held with the next manager */
    pass_time(60 * MINUTE);
    assert_int_equal(running(), 2);
    key_write("Hold", "/store_went_back", "{\"approved\":{\"by\":\"ana\"}}");
    pass_time(60 * MINUTE);
    assert_int_equal(running(), 3);
    assert_int_equal(records(), 3);
    assert_false(hold_is_there("store_went_back"));
}

/* Deleting the cluster does not destroy machines that the store never recorded, before the operator
 * has approved. */
static void test_a_deletion_waits_for_the_approval(void **state)
{
    struct store *saved;

    (void)state;
    apply_web(1);
    pass_time(MINUTE);
    saved = store_save();
    apply_web(2);
    pass_time(MINUTE);
    store_put_back(saved, false);
    pass_time(MINUTE);
    change_do("version: '1'\nname: shop\ngroups: {web: {size: 1, " SIM "}}\n", CHANGE_DELETE);
    pass_time(60 * MINUTE);
    assert_int_equal(running(), 2);
    key_write("Hold", "/store_went_back", "{\"approved\":{\"by\":\"ana\"}}");
    pass_time(60 * MINUTE);
    assert_int_equal(running(), 0);
}

/* Listings lack the machine, but a lookup by id finds it: only its absence after the lookup counts
 * (G5). */
static void test_an_absence_begins_anew_where_it_is_known_to_run(void **state)
{
    struct sim_machine *machine;

    (void)state;
    apply_web(3);
    pass_time(MINUTE);
    machine = any_machine();
    sim_hide(machine, lab.now_ms + 60 * MINUTE);
    while (lab.finds == 0) {
        pass_time(1000);
    }
    pass_time(3000);
    lab.finds_lie = true;
    pass_time(2 * MINUTE);
    assert_true(sim_is_there(machine)); /* the machine has not been missing for long enough */
    lab.finds_lie = false;
    pass_time(20 * MINUTE);
    assert_true(sim_is_there(machine));
    lab.finds_lie = true;
    pass_time(10 * MINUTE);
    assert_false(sim_is_there(machine)); /* by then listings and lookups agree */
}

/* The text of a hold shows the present state, not the state when the hold began. */
static void test_a_hold_counts_what_is_there(void **state)
{
    struct provider_tags tags = { .group = TEXT("web"), .token = TEXT("somebody") };

    (void)state;
    apply_web(1);
    pass_time(MINUTE);
    tags.cluster = text_from(lab.cluster);
    sim_plant(lab.cloud, &tags);
    pass_time(MINUTE);
    assert_true(hold_says("1 machine with tags of reeve"));
    sim_plant(lab.cloud, &tags);
    pass_time(MINUTE);
    assert_true(hold_says("2 machines with tags of reeve"));
}

/* ---- nothing has changed (0043) ---- */

/* A change that a driver does not report is found by the next full listing. */
static void test_a_driver_that_is_wrong_about_itself_is_found_out(void **state)
{
    struct sim_machine *machine;

    (void)state;
    apply_web(3);
    pass_time(3 * MINUTE);
    machine = any_machine();
    machine->ended_ms = lab.now_ms; /* the listing token has not changed */
    pass_time(4 * MINUTE);
    assert_int_equal(running(), 2); /* only the listing token was compared */
    pass_time(20 * MINUTE);
    assert_int_equal(running(), 3);
}

static void test_what_is_still_is_left_at_once(void **state)
{
    (void)state;
    apply_web(3);
    pass_time(5 * MINUTE);
    sim_end(lab.cloud, any_machine());
    pass_time(5 * MINUTE);
    assert_int_equal(running(), 3);
    apply_web(4);
    pass_time(10 * 1000);
    assert_int_equal(running(), 4);
    key_write("Control", "", "{\"paused\":{}}");
    apply_web(2);
    pass_time(5 * MINUTE);
    assert_int_equal(running(), 4);
}

/* The pause command has a wall-clock time; after it was converted, changing the wall clock has no
 * effect (I18). */
static void test_I18_a_pause_ends_by_itself(void **state)
{
    const int64_t years_ms = INT64_C(10) * 365 * 24 * 3600 * 1000;
    char word[80];

    (void)state;
    apply_web(1);
    pass_time(5 * MINUTE);
    snprintf(word, sizeof(word), "{\"paused\":{\"until\":%lld}}",
             1760000000000LL + (long long)lab.now_ms + 10LL * MINUTE);
    key_write("Control", "/web", word);
    apply_web(3);
    pass_time(2 * MINUTE);
    assert_int_equal(running(), 1);
    lab.wall_ahead_ms = years_ms;
    pass_time(4 * MINUTE);
    assert_int_equal(running(), 1);
    lab.wall_ahead_ms = -years_ms;
    pass_time(3 * MINUTE + 50 * 1000);
    assert_int_equal(running(), 1);
    pass_time(30 * 1000);
    assert_int_equal(running(), 3);
}

/* ---- changed while it is looked at ---- */

static void until_listing(void)
{
    unsigned lists = lab.lists;

    while (lab.lists == lists) {
        pass_time(100);
    }
}

/* Returns whether a machine counts as absent. */
static bool is_one_absent(void)
{
    const struct text prefix = TEXT("/default/Control/");

    for (const struct cache_object *row = cache_first(lab.cache, prefix); row != NULL;
         row = cache_next(lab.cache, prefix, row)) {
        const struct cache_bytes *status = &row->parts[CACHE_STATUS];

        if (status->bytes != NULL &&
            strstr(blob_text(status->bytes).data, "\"absent\":{\"") != NULL) {
            return true;
        }
    }
    return false;
}

/* "Unchanged" listings have no meaning after the listing with which they were compared was
 * dropped. */
static void test_a_change_in_the_midst_of_a_look_hides_no_machine(void **state)
{
    (void)state;
    apply_web(3);
    pass_time(3 * MINUTE);
    lab.list_ms = 3000;
    until_listing(); /* to get the listing token */
    apply_web(4);
    for (int i = 0; i < 300; i++) {
        pass_time(100);
        assert_false(is_one_absent());
    }
    assert_int_equal(lab.holds, 0);
    assert_int_equal(running(), 4);
    sim_end(lab.cloud, any_machine());
    pass_time(MINUTE);
    assert_true(is_one_absent()); /* the absence would be noticed */
}

/* A plugin that was added during an observation is queried before anything is decided. */
static void test_a_change_in_the_midst_of_a_look_brings_another_plugin(void **state)
{
    (void)state;
    apply_web(2);
    pass_time(MINUTE);
    lab.list_ms = 3000;
    until_listing();
    apply("version: '1'\nname: shop\ngroups: {web: {size: 3, " SIM
          "}, db: {size: 1, resourcePlugin: {name: aws}}}\n");
    pass_time(MINUTE);
    assert_int_equal(running(), 3);
    assert_true(hold_says("\"aws: only sim is here\""));
    until_listing();
    apply("version: '1'\nname: shop\ngroups: {web: {size: 2, " SIM
          ", alternatives: [{resourcePlugin: {name: other}}]}}\n");
    pass_time(MINUTE);
    assert_int_equal(running(), 2);
}

/* Makes a record unreadable, like a record of a later version. */
static void record_spoil(size_t which)
{
    const struct cache_object *row = cache_first(lab.cache, TEXT("/default/Resource/"));
    struct store_op op = { .value = TEXT("{\"state\":\"of a later version\"}") };
    struct store_txn txn = { .ops = &op, .op_count = 1 };
    bool is_written = false;

    while (which-- > 0) {
        row = cache_next(lab.cache, TEXT("/default/Resource/"), row);
    }
    op.key = arena_printf(lab.arena, "%.*s/status", TEXT_ARG(blob_text(row->key)));
    store_txn(lab.store, &txn, written, &is_written);
    for (int i = 0; i < 100 && !is_written; i++) {
        turn();
    }
    assert_true(is_written);
}

static void test_what_cannot_be_read_in_the_midst_of_a_look_ends_it(void **state)
{
    for (size_t which = 0; which < 3; which++) {
        apply_web(3);
        pass_time(3 * MINUTE);
        lab.list_ms = 3000;
        until_listing();
        record_spoil(which);
        pass_time(10 * MINUTE);
        assert_int_equal(lab.last_end, CONTROL_END_DAMAGED);
        assert_int_equal(running(), 3);
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
    }
}

static void change_answered(void *arg, const struct service_answer *answer)
{
    bool *is_answered = arg;

    assert_int_equal(answer->errors->count, 0);
    *is_answered = true;
}

/* Sends a change without waiting for the answer. */
static void text_change(struct text yaml, bool *is_answered)
{
    struct service_change *change = arena_one(lab.arena, struct service_change);
    struct yaml_docs *docs = arena_one(lab.arena, struct yaml_docs);
    struct origin *origin = arena_one(lab.arena, struct origin);
    struct err_list *faults = arena_one(lab.arena, struct err_list);
    struct err err;

    err_list_init(faults, lab.arena);
    assert_true(yaml_parse_tolerant(lab.arena, yaml, origin, docs, faults, &err));
    *change = (struct service_change){ .mode = CHANGE_APPLY,
                                       .allow = { 1000, 1000, 1000, 1000 },
                                       .documents = docs->items,
                                       .document_count = docs->count };
    service_change(lab.service, lab.arena, &(struct service_actor){ TEXT("default"), TEXT("ana") },
                   change, change_answered, is_answered);
}

/* Same as text_change, with many groups. */
static void groups_change(unsigned count, bool *is_answered)
{
    struct buf yaml;

    buf_init(&yaml, lab.arena);
    buf_add_string(&yaml, "version: '1'\nname: shop\ngroups:\n");
    for (unsigned i = 0; i < count; i++) {
        buf_printf(&yaml, "  g%03u: {size: 1, " SIM "}\n", i);
    }
    text_change(buf_text(&yaml), is_answered);
}

/* A change in several transactions is stored partially between them; the missing groups must not
 * count as removed. */
static void test_a_change_in_parts_is_decided_on_when_it_is_whole(void **state)
{
    (void)state;
    for (unsigned offset = 0; offset < 6; offset++) {
        bool is_answered = false;

        groups_change(100, &is_answered);
        pass_time(20 * MINUTE);
        assert_true(is_answered);
        assert_int_equal(running(), 100);
        sim_end(lab.cloud,
                any_machine()); /* otherwise the next listing would be reported as unchanged */
        until_listing();
        pass_time(500);
        lab.list_ms = 1000;
        until_listing();
        is_answered = false;
        groups_change(300, &is_answered);
        for (unsigned i = 0; i < 40; i++) {
            lab.now_ms +=
                /* the listing arrives between two transactions of the change */
                i == offset ? 1100 : 0;
            turn();
            control_run(lab.control);
            assert_true(running() >= 99);
        }
        lab.list_ms = 0;
        for (unsigned i = 0; i < 100; i++) {
            pass_time(100);
            assert_true(running() >= 99);
        }
        pass_time(20 * MINUTE);
        assert_int_equal(running(), 300);
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
    }
}

static void test_jobs_of_a_cluster_that_is_gone_go_with_time(void **state)
{
    (void)state;
    apply_web(2);
    pass_time(MINUTE);
    assert_int_equal(keys("/default/Job/"), 1);
    lab.now_ms += UINT64_C(30) * 24 * 60 * MINUTE; /* the cluster exists, so its jobs are kept */
    service_sweep(lab.service);
    pass_time(1000);
    assert_int_equal(keys("/default/Job/"), 1);
    change_do("name: shop\nversion: '1'\n", CHANGE_DELETE);
    pass_time(90 * MINUTE);
    service_sweep(lab.service);
    pass_time(1000);
    assert_int_equal(keys("/default/Job/"), 1); /* a user may still ask for the result */
    lab.now_ms += UINT64_C(30) * 24 * 60 * MINUTE;
    service_sweep(lab.service);
    pass_time(1000);
    assert_int_equal(keys("/default/Job/"), 0);
}

/* ---- what was decided is kept ---- */

struct keys {
    size_t count;
    bool is_reported;
};

static void keys_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct keys *keys = arg;

    assert_int_equal(outcome, OUTCOME_OK);
    *keys = (struct keys){ answer->count, true };
}

/* Returns the number of keys of passes in the store, including their index. */
static size_t pass_keys(void)
{
    struct keys keys = { 0 };

    store_list(lab.store, &(struct store_range){ .prefix = TEXT("/default/Pass/") }, keys_reported,
               &keys);
    for (int i = 0; i < 100 && !keys.is_reported; i++) {
        turn();
    }
    assert_true(keys.is_reported);
    return keys.count;
}

static struct pass_index index_now(void)
{
    struct text id = text_slice(text_from(lab.cluster), strlen("default/"), SIZE_MAX);
    struct pass_index index;

    pass_index_read(lab.arena, lab.cache, TEXT("default"), id, &index);
    return index;
}

struct control_record {
    char bytes[512 * 1024];
    size_t length;
    bool is_there;
};

static void pass_replied(void *arg, const struct service_answer *answer)
{
    struct control_record *record = arg;
    struct text key = TEXT("\"record\":\"");
    struct text body = answer->body;
    const char *begin = memmem(body.data, body.length, key.data, key.length);
    struct text digits;

    assert_int_equal(answer->errors->count, 0);
    assert_non_null(begin);
    digits = text_slice(body, (size_t)(begin - body.data) + key.length, SIZE_MAX);
    digits = text_slice(digits, 0, text_find_byte(digits, '"'));
    assert_true(digits.length / 2 <= sizeof(record->bytes) && hex_is(digits));
    hex_parse(digits, record->bytes);
    record->length = digits.length / 2;
    record->is_there = true;
}

/* Replays every pass of the index, and checks that the decisions have the same bytes. Returns the
 * number of passes. */
static size_t passes_replay(void)
{
    static struct control_record record;
    struct service_actor actor = { TEXT("default"), TEXT("ana") };
    struct pass_index index = index_now();
    size_t count = 0;

    for (size_t i = 0; i < index.count; i++) {
        for (uint64_t at = 0; at < index.chains[i].count; at++, count++) {
            struct service_pass wanted = { .cluster = TEXT("shop"),
                                           .number = index.chains[i].first + at,
                                           .is_record = true };
            AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
            struct ledger_pass pass;
            struct text value;
            struct err err;

            record.is_there = false;
            service_pass_get(lab.service, arena, &actor, &wanted, pass_replied, &record);
            for (int j = 0; j < 100 && !record.is_there; j++) {
                turn();
            }
            assert_true(record.is_there);
            value = (struct text){ record.bytes, record.length };
            assert_true(ledger_read(arena, &value, 1, &pass, &err));
            assert_int_equal(pass.head.number, wanted.number);
            assert_true(text_is_equal(ledger_replay(arena, &pass), pass.decision));
        }
    }
    return count;
}

static void test_what_was_decided_is_decided_again(void **state)
{
    struct pass_index index;

    (void)state;
    for (unsigned i = 0; i < 60; i++) {
        apply_web(i % 7);
        pass_time(MINUTE);
    }
    index = index_now();
    assert_true(index.count >= 2); /* a chain of passes reached its maximum length */
    assert_int_equal(index.chains[0].count, LIMIT_PASS_CHAIN);
    assert_int_equal(passes_replay(), index.next - 1);
    assert_int_equal(pass_keys(), index.next); /* the passes and the index, and nothing else */
    pass_time(5 * MINUTE);                     /* no event happens */
    assert_int_equal(index_now().next, index.next);
}

/* A manager that takes over does not know the state of the last pass, so it starts with a complete
 * record. */
static void test_another_life_begins_a_chain(void **state)
{
    (void)state;
    apply_web(3);
    pass_time(MINUTE);
    assert_int_equal(index_now().count, 1);
    life_anew();
    apply_web(4);
    pass_time(MINUTE);
    assert_int_equal(index_now().count, 2);
    assert_true(passes_replay() > 2);
}

static void test_passes_are_forgotten_with_age(void **state)
{
    uint64_t month = (uint64_t)(LIMIT_PASSES_DAYS + 1) * 24 * 60 * MINUTE;
    struct pass_index index;

    (void)state;
    for (unsigned i = 0; i < 12; i++) {
        apply_web(1 + i % 2);
        pass_time(MINUTE);
    }
    lab.now_ms += month;
    life_anew();
    for (unsigned i = 0; i < 6; i++) {
        apply_web(3 + i % 2);
        pass_time(MINUTE);
    }
    index = index_now();
    assert_int_equal(index.count, 1); /* the old chain was removed */
    assert_true(index.chains[0].first > 12);
    assert_int_equal(pass_keys(), index.chains[0].count + 1);
    assert_int_equal(passes_replay(), index.chains[0].count);
    change_do("version: '1'\nname: shop\ngroups: {}\nempty: true\n", CHANGE_DELETE);
    pass_time(10 * MINUTE);
    /* the reason why it was destroyed can be queried */
    assert_true(pass_keys() > index.chains[0].count);
    service_sweep(lab.service);
    pass_time(1000);
    assert_true(pass_keys() > 0);
    lab.now_ms += month;
    service_sweep(lab.service);
    pass_time(1000);
    assert_int_equal(pass_keys(), 0);
}

/* The alarm of the machine is written first, and a pass runs in between; the probe's result is
 * still reported with the failure. */
static void test_what_a_probe_said_is_not_lost_behind_an_alarm(void **state)
{
    const struct cache_object *object;
    struct text bytes;

    (void)state;
    apply("version: '1'\nname: shop\ngroups: {web: {size: 1, heal: off, health: {probe: {tcp: 80, "
          "every: 100ms, timeout: 500ms, fail: 1}}, " SIM "}}\n");
    pass_time(MINUTE);
    lab.probed = CONTROL_PROBED_ALARM;
    lab.probe_argv = "another key";
    pass_time_busily(10 * 1000);
    object = cache_first(lab.cache, TEXT("/default/Resource/"));
    assert_non_null(object);
    bytes = blob_text(object->parts[CACHE_STATUS].bytes);
    for (size_t i = 0; i < 3; i++) {
        static const char *const parts[] = { "\"alarm\":\"another key\"",
                                             "\"cause\":\"another key\"", "\"unreachable\":" };

        assert_non_null(memmem(bytes.data, bytes.length, parts[i], strlen(parts[i])));
    }
}

static bool is_any_record(const char *part)
{
    struct text prefix = TEXT("/default/Resource/");
    bool is_any = false;

    for (const struct cache_object *object = cache_first(lab.cache, prefix); object != NULL;
         object = cache_next(lab.cache, prefix, object)) {
        struct text bytes = blob_text(object->parts[CACHE_STATUS].bytes);

        is_any = is_any || memmem(bytes.data, bytes.length, part, strlen(part)) != NULL;
    }
    return is_any;
}

/* Reads the part of a record from this member's name to the next name. */
static void member_read(const char *name, char *out, size_t size)
{
    const struct cache_object *object = cache_first(lab.cache, TEXT("/default/Resource/"));
    struct text bytes = blob_text(object->parts[CACHE_STATUS].bytes);
    const char *at = memmem(bytes.data, bytes.length, name, strlen(name));

    assert_non_null(at);
    snprintf(out, size, "%.*s", (int)strcspn(at, ",}"), at);
}

static void spec_read(const char *kind, const char *rest, char *out, size_t size)
{
    struct text id = text_slice(text_from(lab.cluster), sizeof("default/") - 1, SIZE_MAX);
    const struct cache_object *object =
        cache_find(lab.cache, TEXT("default"), text_from(kind),
                   arena_printf(lab.arena, "%.*s%s", TEXT_ARG(id), rest));

    assert_non_null(object);
    snprintf(out, size, "%.*s", TEXT_ARG(blob_text(object->parts[CACHE_SPEC].bytes)));
}

/* Only the first transaction of a change is written: the cluster's common values are already
 * changed, the groups are not, and their number is the same as before. */
static void test_a_change_that_keeps_the_number_of_groups_is_whole_or_not_there(void **state)
{
    unsigned asked = 0;

    (void)state;
    for (int i = 0; i < 2; i++) {
        bool is_common = i == 0;
        bool is_answered = false;
        struct buf yaml;

        buf_init(&yaml, lab.arena);
        buf_printf(&yaml, "version: '1'\nname: shop\ndefaults: {%sheal: off}\ngroups:\n",
                   is_common ? "image: debian-12, " : "");
        for (unsigned j = 0; j < 300; j++) {
            buf_printf(&yaml, "  g%03u: {size: 1, %s" SIM "}\n", j,
                       is_common ? "" : "image: debian-12, ");
        }
        text_change(buf_text(&yaml), &is_answered);
        for (unsigned j = 0; j < 200; j++) {
            turn();
            control_run(lab.control);
        }
        pass_time(20 * MINUTE);
        assert_true(is_answered);
        assert_int_equal(running(), 300);
        assert_int_equal(records(), 300);
        assert_true(is_common || lab.asked == asked);
        asked = lab.asked;
    }
}

/* Operator commands about very many groups are deleted with the groups, and do not prevent the
 * deletion. */
static void test_words_of_very_many_groups_go_with_them(void **state)
{
    bool is_answered = false;

    (void)state;
    groups_change(150, &is_answered);
    pass_time(MINUTE);
    assert_true(is_answered);
    for (unsigned i = 0; i < 150; i++) {
        char rest[8];

        snprintf(rest, sizeof(rest), "/g%03u", i);
        key_write("Control", rest, "{\"rollout\":\"paused\"}");
    }
    pass_time(MINUTE);
    change_do("version: '1'\nname: shop\ngroups: {web: {size: 3, " SIM "}}\n", CHANGE_DELETE);
    pass_time(60 * MINUTE);
    assert_int_equal(running(), 0);
    assert_int_equal(records(), 0);
    assert_int_equal(keys("/default/Control/"), 0);
}

struct refusal {
    bool is_there;
    enum code code; /* CODE_NONE: the request succeeded */
};

static void refusal_reported(void *arg, const struct service_answer *answer)
{
    struct refusal *refusal = arg;

    refusal->is_there = true;
    refusal->code = answer->errors->count == 0 ? CODE_NONE : answer->errors->items[0].code;
}

static void pause_reported(void *arg, const struct service_answer *answer)
{
    *(bool *)arg = answer->errors->count == 0;
}

/* A pause that arrives while a delete is checked: the user that deletes has not seen it. */
static void test_a_pause_in_the_midst_of_a_delete_is_seen(void **state)
{
    const struct service_actor actor = { .tenant = TEXT("default"), .user = TEXT("ana") };
    static const char *const subjects[] = { "shop", "shop/web" };

    for (size_t i = 0; i < ARRAY_COUNT(subjects); i++) {
        struct doc *document = arena_one(lab.arena, struct doc);
        struct service_change change = { .mode = CHANGE_DELETE,
                                         .allow = { .destroy = 9 },
                                         .documents = document,
                                         .document_count = 1 };
        struct service_say pause = { .kind = objects_kind(i == 0 ? "Cluster" : "NodeGroup"),
                                     .name = text_from(subjects[i]),
                                     .word = SERVICE_COMMAND_PAUSE };
        struct refusal refused = { 0 };
        bool is_said = false;
        struct err err;

        apply_web(2);
        pass_time(MINUTE);
        assert_true(json_parse(lab.arena, TEXT("{\"kind\":\"Cluster\",\"name\":\"shop\"}"),
                               arena_one(lab.arena, struct origin), document, &err));
        service_say(lab.service, lab.arena, &actor, &pause, pause_reported, &is_said);
        service_change(lab.service, lab.arena, &actor, &change, refusal_reported, &refused);
        for (int turns = 0; turns < 1000 && !refused.is_there; turns++) {
            turn();
        }
        assert_true(is_said);
        assert_int_equal(refused.code, CODE_R0437);
        change.allow.lift = 1;
        refused = (struct refusal){ 0 };
        service_change(lab.service, lab.arena, &actor, &change, refusal_reported, &refused);
        pass_time(10 * MINUTE);
        assert_int_equal(refused.code, CODE_NONE);
        assert_int_equal(running(), 0);
        assert_int_equal(keys("/default/Control/"), 0);
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
    }
}

/* While the specification cannot be read, it is unknown which machines are probed; this does not
 * count as a probe result. */
static void test_who_is_failing_stays_so_where_what_is_wanted_cannot_be_read(void **state)
{
    static const char *const shop =
        "version: '1'\nname: shop\ngroups: {db: {size: 1, " SIM "}, web: {size: 1, heal: off, "
        "health: {probe: {tcp: 80, every: 1s, timeout: 500ms, fail: 1}}, " SIM "}}\n";
    char bytes[4000];

    (void)state;
    apply(shop);
    pass_time(MINUTE);
    lab.probed = CONTROL_PROBED_FAILING;
    pass_time(MINUTE);
    assert_true(is_any_record("\"unhealthy\":"));
    spec_read("NodeGroup", "/db", bytes, sizeof(bytes));
    key_write("NodeGroup", "/db", "");
    pass_time(5 * 1000);
    assert_int_equal(lab.last_end, CONTROL_END_DAMAGED);
    assert_true(is_any_record("\"unhealthy\":"));
    key_write("NodeGroup", "/db", bytes);
    pass_time(500);
    assert_true(is_any_record("\"unhealthy\":"));
    lab.probed = CONTROL_PROBED_WELL;
    pass_time(MINUTE);
    assert_false(is_any_record("\"unhealthy\":"));
}

static uint64_t luck_none(void *arg)
{
    (void)arg;
    return 0;
}

/* The store accepts no writes for a while. A probe result found then is written once, with its
 * cause, when the store accepts writes again. */
static void test_what_a_probe_has_found_is_kept_until_the_store_takes_it(void **state)
{
    static const struct memory_faults refusing = { .random = luck_none,
                                                   .unknown_permille = 1000,
                                                   .lost_permille = 1000 };
    static const struct memory_faults none = { 0 };

    (void)state;
    apply("version: '1'\nname: shop\ngroups: {web: {size: 1, heal: off, "
          "health: {probe: {tcp: 80, every: 1s, timeout: 500ms, fail: 1}}, " SIM "}}\n");
    pass_time(MINUTE);
    memory_set_faults(lab.store, &refusing);
    lab.probed = CONTROL_PROBED_FAILING;
    lab.probe_argv = "exit code 3";
    pass_time(20 * 1000);
    assert_false(is_any_record("\"unhealthy\":"));
    memory_set_faults(lab.store, &none);
    pass_time(MINUTE);
    assert_true(is_any_record("\"unhealthy\":"));
    assert_true(is_any_record("\"cause\":\"exit code 3\""));
    assert_int_equal(events_of("machine.unhealthy"), 1);
}

/* The reason why a machine is unhealthy comes from the latest probes. The start of the unhealthy
 * state, and its event, do not change. */
static void test_who_is_unhealthy_for_another_reason_says_so(void **state)
{
    static const char *const shop =
        "version: '1'\nname: shop\ngroups: {web: {size: 1, heal: off, onUnreachable: hold, "
        "health: {probe: {tcp: 80, every: 1s, timeout: 500ms, fail: 3}}, " SIM "}}\n";
    char since[64];

    (void)state;
    apply(shop);
    pass_time(MINUTE);
    lab.probed = CONTROL_PROBED_UNREACHABLE;
    lab.probe_argv = "refused";
    pass_time(MINUTE);
    assert_true(is_any_record("\"cause\":\"refused\""));
    member_read("\"unreachable\":", since, sizeof(since));
    assert_int_equal(events_of("machine.unreachable"), 1);
    /* a reason that changes with each probe is not written each time */
    for (int i = 0; i < 30; i++) {
        lab.probe_argv = i % 2 == 0 ? "no route" : "refused";
        pass_time(1000);
        assert_true(is_any_record("\"cause\":\"refused\""));
    }
    lab.probed = CONTROL_PROBED_ALARM;
    lab.probe_argv = "another key";
    pass_time(10 * 1000);
    assert_true(is_any_record("\"cause\":\"another key\""));
    assert_true(is_any_record(since));
    assert_int_equal(events_of("machine.unreachable"), 1);
    lab.probed = CONTROL_PROBED_FAILING;
    lab.probe_argv = "exit code 3";
    pass_time(10 * 1000);
    assert_true(is_any_record("\"cause\":\"exit code 3\""));
    assert_int_equal(events_of("machine.unhealthy"), 1);
    lab.probed = CONTROL_PROBED_WELL;
    lab.probe_argv = "open";
    pass_time(MINUTE);
    assert_false(is_any_record("exit code 3"));
}

/* The decision about a hold is the command, and not the name of the user or the message. */
static void test_a_hold_that_is_rejected_by_somebody_called_approved_is_rejected(void **state)
{
    (void)state;
    canary_begin();
    stop_one_of("debian-13");
    pass_time(60 * MINUTE);
    assert_int_equal(made_of("debian-13"), 1);
    key_write("Hold", "/roll_failed/web", "{\"rejected\":{\"by\":\"ana\",\"why\":\"approved\"}}");
    pass_time(60 * MINUTE);
    assert_int_equal(made_of("debian-13"), 1);
}

static void operation_resumed(void *arg, const struct commit_answer *answer)
{
    assert_int_equal(answer->outcome, OUTCOME_OK);
    ++*(int *)arg;
}

static void history_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    assert_int_equal(outcome, OUTCOME_OK);
    *(size_t *)arg = answer->count;
}

/* Two managers start while an operation of a third, dead manager is unfinished: each of its parts
 * is written by only one of them. */
static void test_a_part_is_carried_out_once_by_any_manager(void **state)
{
    struct store_op ops[] = {
        { .key = TEXT("/_/OperationPart/x.000000/base"),
          .value = TEXT("P 21 4\n/default/Image/i/specnull") },
        { .key = TEXT("/_/Operation/x/base"), .value = TEXT("{\"parts\":1}\n") },
    };
    struct store_txn txn = { .ops = ops, .op_count = 2 };
    bool is_written = false;
    size_t times = 0;
    int ended = 0;

    (void)state;
    store_txn(lab.store, &txn, written, &is_written);
    for (int i = 0; i < 10; i++) {
        store_run(lab.store);
    }
    assert_true(is_written);
    commit_resume(lab.arena, lab.store, operation_resumed, &ended);
    commit_resume(lab.arena, lab.store, operation_resumed, &ended);
    for (int i = 0; i < 50; i++) {
        store_run(lab.store);
    }
    assert_int_equal(ended, 2);
    store_history(lab.store, TEXT("/default/Image/i/spec"), history_reported, &times);
    for (int i = 0; i < 10; i++) {
        store_run(lab.store);
    }
    assert_int_equal(times, 1);
}

static const struct cache_object *web_find(void)
{
    return cache_find(lab.cache, TEXT("default"), TEXT("NodeGroup"),
                      arena_printf(lab.arena, "%s/web", lab.cluster + strlen("default/")));
}

static bool web_has(const char *words)
{
    return strstr(blob_text(web_find()->parts[CACHE_SPEC].bytes).data, words) != NULL;
}

/* Leaves an unfinished change: a manager wrote its head and died. The change increases group web
 * from 2 to 4. */
static void half_change_leave(void)
{
    struct text spec = arena_text(lab.arena, blob_text(web_find()->parts[CACHE_SPEC].bytes));
    struct text key =
        arena_printf(lab.arena, "/default/NodeGroup/%s/web/spec", lab.cluster + strlen("default/"));
    char *size = strstr(spec.data, "\"size\":2");
    struct store_op ops[] = {
        { .key = TEXT("/_/OperationPart/x.000000/base") },
        { .key = TEXT("/_/Operation/x/base"),
          .value = arena_printf(lab.arena, "{\"parts\":1}\n%s\n", lab.cluster) },
    };
    struct store_txn txn = { .ops = ops, .op_count = 2 };
    bool is_written = false;

    assert_non_null(size);
    size[strlen("\"size\":")] = '4';
    ops[0].value = arena_printf(lab.arena, "P %zu %zu\n%.*s%.*s", key.length, spec.length,
                                TEXT_ARG(key), TEXT_ARG(spec));
    store_txn(lab.store, &txn, written, &is_written);
    for (int i = 0; i < 10; i++) {
        turn();
    }
    assert_true(is_written);
}

/* A running manager completes the change; no manager needs to start. */
static void test_a_change_is_completed_by_any_manager_that_lives(void **state)
{
    (void)state;
    apply_web(2);
    pass_time(MINUTE);
    half_change_leave();
    pass_time(10 * 1000);
    assert_int_equal(running(), 2);
    assert_int_equal(keys("/_/Operation/"), 1); /* the manager of the change may just be slow */
    pass_time(MINUTE);
    assert_int_equal(keys("/_/Operation/"), 0);
    assert_int_equal(running(), 4);
}

/* A change is not computed from a partially written state, because it would be lost after the rest
 * is written. */
static void test_a_change_waits_for_one_that_is_half_written(void **state)
{
    const struct service_actor actor = { TEXT("default"), TEXT("ana") };
    struct service_patch patch = { .kind = objects_kind("NodeGroup"),
                                   .name = TEXT("shop/web"),
                                   .patch_kind = CHANGE_PATCH_MERGE };
    struct doc *request = arena_one(lab.arena, struct doc);
    bool is_answered = false;
    struct err err;

    (void)state;
    apply_web(2);
    pass_time(MINUTE);
    half_change_leave();
    assert_true(json_parse(lab.arena, TEXT("{\"labels\":{\"a\":\"b\"}}"),
                           arena_one(lab.arena, struct origin), request, &err));
    patch.patch = request;
    service_patch(lab.service, lab.arena, &actor, &patch, change_answered, &is_answered);
    pass_time(5 * 1000);
    assert_false(is_answered);
    pass_time(MINUTE);
    assert_true(is_answered);
    assert_true(web_has("\"size\":4") && web_has("\"a\":\"b\""));
}

/* An unreadable record is replaced by a readable one, as by a manager of a later version. */
static void test_who_can_be_read_again_is_looked_after_again(void **state)
{
    (void)state;
    for (size_t spoilt = 1; spoilt <= 2; spoilt++) {
        struct text keys_of[2];
        struct text bytes[2];
        const struct cache_object *row;

        apply_web(3);
        pass_time(MINUTE);
        row = cache_first(lab.cache, TEXT("/default/Resource/"));
        for (size_t i = 0; i < spoilt; i++) {
            keys_of[i] = arena_printf(lab.arena, "%.*s/status", TEXT_ARG(blob_text(row->key)));
            bytes[i] = arena_text(lab.arena, blob_text(row->parts[CACHE_STATUS].bytes));
            row = cache_next(lab.cache, TEXT("/default/Resource/"), row);
        }
        for (size_t i = 0; i < spoilt; i++) {
            record_spoil(i);
        }
        apply_web(4);
        pass_time(10 * MINUTE);
        assert_int_equal(lab.last_end, CONTROL_END_DAMAGED);
        for (size_t i = 0; i < spoilt; i++) {
            struct store_op op = { .key = keys_of[i], .value = bytes[i] };
            bool is_written = false;

            assert_int_equal(running(), 3);
            store_txn(lab.store, &(struct store_txn){ .ops = &op, .op_count = 1 }, written,
                      &is_written);
            pass_time(MINUTE);
            assert_true(is_written);
        }
        assert_int_equal(running(), 4);
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
    }
}

static void commit_reported(void *arg, const struct commit_answer *answer)
{
    *(int *)arg = answer->outcome == OUTCOME_OK ? 1 : -1;
}

/* A manager starts while another manager writes the parts of a change. It must not consider them
 * abandoned, and the change is made completely or not at all. */
static void test_parts_of_a_living_manager_are_not_swept(void **state)
{
    for (int begin = -1; begin < 12; begin++) {
        struct store_op *ops = arena_array(lab.arena, struct store_op, 300);
        struct commit *commit = arena_one(lab.arena, struct commit);
        int ended = 0;
        int made = 0;

        *commit = (struct commit){ .id = TEXT("live"), .ops = ops, .op_count = 300 };
        for (unsigned i = 0; i < 300; i++) {
            ops[i].key = arena_printf(lab.arena, "/default/Image/i%03u/spec", i);
            ops[i].value = TEXT("null");
        }
        if (begin < 0) {
            commit_resume(lab.arena, lab.store, operation_resumed, &ended);
        }
        commit_start(lab.arena, lab.store, commit, commit_reported, &made);
        for (int i = 0; i < 100; i++) {
            if (i == begin) {
                commit_resume(lab.arena, lab.store, operation_resumed, &ended);
            }
            store_run(lab.store);
            cache_run(lab.cache);
        }
        assert_int_equal(ended, 1);
        assert_int_not_equal(made, 0);
        assert_int_equal(keys("/default/Image/"), made == 1 ? 300 : 0);
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_group_gets_its_machines, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_rests_is_looked_at_and_rests, setup, teardown),
        cmocka_unit_test_setup_teardown(test_it_shrinks_and_grows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_dies_is_made_again_in_its_slot, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_stops_is_replaced_soon, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_new_specification_rolls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_group_without_its_plugin_waits, setup, teardown),
        cmocka_unit_test_setup_teardown(test_another_life_goes_on, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_deleted_cluster_is_ended, setup, teardown),
        cmocka_unit_test_setup_teardown(test_another_word_is_none_to_try_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_lost_specification_ends_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_members_are_spread_over_zones, setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_alternative_is_taken, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_is_wrong_waits_for_a_change, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_is_wrong_is_tried_again_when_reported, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_slot_is_given_up_after_three_tries, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_token_whose_machine_has_ended_is_given_up, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_doubt_is_waited_out_without_tokens, setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_outcome_that_is_lost_is_a_doubt, setup, teardown),
        cmocka_unit_test_setup_teardown(test_calls_know_the_age_of_a_machine, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_is_shown_as_ended_is_replaced_at_once,
                                        setup_ended, teardown),
        cmocka_unit_test_setup_teardown(test_labels_change_in_place, setup, teardown),
        cmocka_unit_test_setup_teardown(test_metal_is_rebooted_once, setup_metal, teardown),
        cmocka_unit_test_setup_teardown(test_a_renamed_group_keeps_its_machines, setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_aborted_rollout_is_undone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_failed_rollout_stops_until_it_is_approved, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_provider_is_asked_as_often_as_it_bears, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_who_was_made_slowly_is_looked_after_soon, setup_slow,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_what_was_never_asked_for_is_in_no_doubt, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_provider_is_asked_so_many_things_at_once, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_what_was_decided_is_decided_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_files_that_are_put_back_destroy_nothing, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_machines_that_nobody_has_room_for_are_left_alone,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_machines_of_a_rejected_return_are_left_alone, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_restored_store_starts_held, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_deletion_waits_for_the_approval, setup, teardown),
        cmocka_unit_test_setup_teardown(test_another_life_begins_a_chain, setup, teardown),
        cmocka_unit_test_setup_teardown(test_passes_are_forgotten_with_age, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_driver_that_is_wrong_about_itself_is_found_out,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_is_still_is_left_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_I18_a_pause_ends_by_itself, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_read_in_the_midst_of_a_look_ends_it,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_change_in_parts_is_decided_on_when_it_is_whole,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_a_change_that_keeps_the_number_of_groups_is_whole_or_not_there, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_pause_in_the_midst_of_a_delete_is_seen, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_words_of_very_many_groups_go_with_them, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(
            test_who_is_failing_stays_so_where_what_is_wanted_cannot_be_read, setup_nodes,
            teardown),
        cmocka_unit_test_setup_teardown(
            test_a_hold_that_is_rejected_by_somebody_called_approved_is_rejected, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_part_is_carried_out_once_by_any_manager, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_change_is_completed_by_any_manager_that_lives, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_change_waits_for_one_that_is_half_written, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_who_can_be_read_again_is_looked_after_again, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_parts_of_a_living_manager_are_not_swept, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_change_in_the_midst_of_a_look_hides_no_machine,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_change_in_the_midst_of_a_look_brings_another_plugin,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_jobs_of_a_cluster_that_is_gone_go_with_time, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_clusters_take_turns, setup, teardown),
        cmocka_unit_test_setup_teardown(test_who_only_fails_is_left_in_peace, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_limit_of_listings_holds_for_all_clusters, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_what_waits_is_undone_by_a_change, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_hold_outlasts_a_listing_that_fails, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_hold_counts_what_is_there, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_end_comes_in_the_middle, setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_absence_begins_anew_where_it_is_known_to_run, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_who_waits_for_the_store_does_not_spin, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(
            test_what_a_probe_has_found_is_kept_until_the_store_takes_it, setup_nodes, teardown),
        cmocka_unit_test_setup_teardown(test_who_is_unhealthy_for_another_reason_says_so,
                                        setup_nodes, teardown),
        cmocka_unit_test_setup_teardown(test_what_a_probe_said_is_not_lost_behind_an_alarm,
                                        setup_nodes, teardown),
    };

    return cmocka_run_group_tests_name("control", tests, NULL, NULL);
}
