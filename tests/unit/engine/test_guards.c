/* Guards of the reconciler whose state lives in the engine (SAFETY.md 5). */

#include "engine/lab.h"

#include "codec/json.h"
#include "plan/compute.h"

#include <stdio.h>
#include <string.h>

static void ignored(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)outcome;
    (void)answer;
}

static bool has_hold(enum plan_rule rule)
{
    struct text prefix = TEXT("/default/Hold/");
    const char *name = plan_rule_name(rule);

    for (const struct cache_object *object = cache_first(lab.cache, prefix); object != NULL;
         object = cache_next(lab.cache, prefix, object)) {
        if (object->parts[CACHE_STATUS].bytes != NULL &&
            memmem(cache_id(object).data, cache_id(object).length, name, strlen(name)) != NULL) {
            return true;
        }
    }
    return false;
}

/* ---- self-suspicion (G17) ---- */

static void apply_probed(unsigned size, const char *max_unhealthy)
{
    char yaml[400];

    snprintf(yaml, sizeof(yaml),
             "version: '1'\nname: shop\ngroups: {web: {size: %u, onUnreachable: replace, "
             "replaceAfter: 1m, maxUnhealthy: %s, health: {probe: {tcp: 80, every: 1s, timeout: "
             "500ms, fail: 3}}, " SIM "}}\n",
             size, max_unhealthy);
    apply(yaml);
}

/* maxUnhealthy permits every replacement, but no machine is replaced, because the manager itself is
 * cut off. */
static void test_a_manager_that_is_cut_off_replaces_nothing(void **state)
{
    (void)state;
    apply_probed(4, "100%");
    pass_time(3 * MINUTE);
    assert_int_equal(running(), 4);
    lab.cut = 3;
    pass_time(60 * MINUTE);
    assert_int_equal(events_of("machine.condemned"), 0);
    assert_int_equal(running(), 4);
    assert_true(has_hold(PLAN_RULE_self_suspicion));
    /* the second event reports that machines are unreachable */
    assert_int_equal(events_of("hold.began"), 2);
    lab.cut = 0;
    pass_time(3 * MINUTE);
    assert_int_equal(holds_count(), 0); /* the hold ended without an operator */
    assert_int_equal(events_of("machine.condemned"), 0);
}

/* One of four machines is not the majority. */
static void test_one_machine_that_is_lost_is_replaced(void **state)
{
    (void)state;
    apply_probed(4, "100%");
    pass_time(3 * MINUTE);
    lab.cut = 1;
    pass_time(10 * MINUTE);
    assert_false(has_hold(PLAN_RULE_self_suspicion));
    assert_true(events_of("machine.condemned") > 0);
}

static void group_write(struct text value)
{
    struct text id = text_slice(text_from(lab.cluster), sizeof("default/") - 1, SIZE_MAX);
    struct store_op op = {
        .key = arena_printf(lab.arena, "/default/NodeGroup/%.*s/web/spec", TEXT_ARG(id)),
        .value = value,
        .is_delete = value.length == 0,
    };
    struct store_txn txn = { .ops = &op, .op_count = 1 };

    store_txn(lab.store, &txn, ignored, NULL);
}

/* While the specification cannot be read, no machine is probed. A machine that was silent before is
 * probed again before its silence counts (G17). */
static void test_evidence_of_long_ago_is_probed_again(void **state)
{
    struct text id;
    struct text spec;

    (void)state;
    apply_probed(4, "100%");
    pass_time(3 * MINUTE);
    id = text_slice(text_from(lab.cluster), sizeof("default/") - 1, SIZE_MAX);
    spec = arena_text(lab.arena,
                      blob_text(cache_find(lab.cache, TEXT("default"), TEXT("NodeGroup"),
                                           arena_printf(lab.arena, "%.*s/web", TEXT_ARG(id)))
                                    ->parts[CACHE_SPEC]
                                    .bytes));
    for (unsigned cut = 0; cut < 2; cut++) {
        lab.cut = 1;
        pass_time(30 * 1000);
        group_write(TEXT(""));
        pass_time(30 * 1000);
        lab.cut = cut;
        pass_time(10 * MINUTE);
        group_write(spec);
        pass_time(5 * MINUTE);
        assert_int_equal(events_of("machine.unreachable"), 1 + cut);
        assert_int_equal(events_of("machine.condemned") > 0,
                         cut); /* the machine that is still unreachable */
    }
}

/* The hold ends when half of the machines answer again; the other machines are then judged
 * normally. */
static void test_suspicion_ends_when_half_answer_again(void **state)
{
    (void)state;
    apply_probed(4, "100%");
    pass_time(3 * MINUTE);
    lab.cut = 4;
    pass_time(10 * MINUTE);
    assert_true(has_hold(PLAN_RULE_self_suspicion));
    lab.cut = 3;
    pass_time(10 * MINUTE);
    assert_true(has_hold(PLAN_RULE_self_suspicion));
    assert_int_equal(events_of("machine.condemned"), 0);
    lab.cut = 2;
    pass_time(10 * MINUTE);
    assert_false(has_hold(PLAN_RULE_self_suspicion));
    assert_true(events_of("machine.condemned") > 0);
}

/* An operator's approval covers this observation, but not the next one (G20). */
static void test_approved_suspicion_is_not_approved_again(void **state)
{
    (void)state;
    apply_probed(4, "100%");
    pass_time(3 * MINUTE);
    lab.cut = 3;
    pass_time(10 * MINUTE);
    assert_int_equal(events_of("machine.condemned"), 0);
    assert_true(hold_answer(SERVICE_COMMAND_APPROVE, "shop", PLAN_RULE_self_suspicion));
    pass_time(5 * MINUTE);
    assert_true(events_of("machine.condemned") > 0);
    lab.cut = 0;
    pass_time(60 * MINUTE);
    assert_int_equal(holds_count(), 0);
    assert_int_equal(running(), 4);
    {
        size_t destroyed = events_of("machine.condemned");

        lab.cut = 3;
        pass_time(60 * MINUTE);
        assert_true(has_hold(PLAN_RULE_self_suspicion));
        assert_int_equal(events_of("machine.condemned"), destroyed);
    }
}

/* Another manager that starts while the network is cut suspects its own network after its first
 * probes. */
static void test_a_manager_that_starts_anew_suspects_itself(void **state)
{
    (void)state;
    apply_probed(4, "100%");
    pass_time(3 * MINUTE);
    lab.cut = 3;
    pass_time(20 * 1000);
    life_anew();
    pass_time(60 * MINUTE);
    assert_true(has_hold(PLAN_RULE_self_suspicion));
    assert_int_equal(events_of("machine.condemned"), 0);
}

/* Another manager takes over the cluster and reaches all machines: the previous manager's failed
 * probes are not evidence. */
static void test_what_another_manager_did_not_reach_is_probed_first(void **state)
{
    (void)state;
    apply_probed(4, "100%");
    pass_time(3 * MINUTE);
    lab.cut = 3;
    pass_time(60 * MINUTE);
    lab.cut = 0;
    life_anew();
    pass_time(60 * MINUTE);
    assert_int_equal(holds_count(), 0);
    assert_int_equal(events_of("machine.condemned"), 0);
}

/* Reports of the provider still count: a machine that is gone is replaced. */
static void test_suspicion_leaves_the_provider_its_say(void **state)
{
    (void)state;
    apply_probed(4, "100%");
    pass_time(3 * MINUTE);
    lab.cut = 3;
    pass_time(5 * MINUTE);
    sim_end(lab.cloud, any_machine());
    pass_time(20 * MINUTE);
    assert_int_equal(running(), 4);
    assert_true(has_hold(PLAN_RULE_self_suspicion));
}

/* ---- own sources, and what an approval covers (G19, G20) ---- */

static void apply_beside_a_missing_plugin(void)
{
    apply("version: '1'\nname: shop\ngroups: {web: {size: 4, " SIM
          "}, db: {size: 3, resourcePlugin: {name: aws}}}\n");
    pass_time(3 * MINUTE);
    assert_int_equal(running(), 4);
    assert_true(has_hold(PLAN_RULE_unlisted)); /* the only hold is that db has no plugin */
    assert_int_equal(holds_count(), 1);
}

static void end_some(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        sim_end(lab.cloud, any_machine());
    }
}

/* Waits for the hold. Passes observe immediately, so that the hold is approved before single
 * machines are confirmed as gone. */
static void brake_wait(void)
{
    for (int i = 0; i < 600 && !has_hold(PLAN_RULE_listing_brake); i++) {
        pass_time(1000);
    }
    assert_true(has_hold(PLAN_RULE_listing_brake));
}

/* The missing plugin of one group does not keep a hold of another group open, and an approved
 * listing guard does not permit another loss. */
static void test_a_brake_ends_beside_a_missing_provider(void **state)
{
    size_t alarms;

    (void)state;
    apply_beside_a_missing_plugin();
    end_some(3);
    brake_wait();
    assert_true(hold_answer(SERVICE_COMMAND_APPROVE, "shop/web", PLAN_RULE_listing_brake) ||
                hold_answer(SERVICE_COMMAND_APPROVE, "shop", PLAN_RULE_listing_brake));
    pass_time(60 * MINUTE);
    assert_int_equal(running(), 4);
    assert_false(has_hold(PLAN_RULE_listing_brake));
    assert_int_equal(holds_count(), 1);
    alarms = events_of("hold.began");
    end_some(3);
    brake_wait();
    assert_true(events_of("hold.began") > alarms);
    pass_time(60 * MINUTE);
    assert_int_equal(running(), 4);
    assert_int_equal(holds_count(), 1); /* the hold ended without an operator */
}

/* More machines disappear after the approval and before it takes effect: that needs another
 * hold. */
static void test_an_approval_covers_what_it_was_given_for(void **state)
{
    (void)state;
    apply("version: '1'\nname: shop\ngroups: {web: {size: 12, " SIM "}}\n");
    pass_time(3 * MINUTE);
    end_some(8);
    brake_wait();
    assert_true(hold_answer(SERVICE_COMMAND_APPROVE, "shop/web", PLAN_RULE_listing_brake));
    for (int i = 0; i < 100 && has_hold(PLAN_RULE_listing_brake); i++) {
        pass_time(500);
    }
    assert_false(has_hold(PLAN_RULE_listing_brake));
    end_some(4);
    brake_wait();
}

/* A foreign machine while another provider is missing: the hold ends with the machine. */
static void test_a_foreign_machine_is_forgotten_beside_a_missing_provider(void **state)
{
    struct provider_tags tags = { .group = TEXT("web"), .token = TEXT("somebody") };
    struct sim_machine *machine;

    (void)state;
    apply_beside_a_missing_plugin();
    tags.cluster = text_from(lab.cluster);
    machine = sim_plant(lab.cloud, &tags);
    pass_time(10 * MINUTE);
    assert_true(has_hold(PLAN_RULE_foreign));
    sim_end(lab.cloud, machine);
    pass_time(10 * MINUTE);
    assert_false(has_hold(PLAN_RULE_foreign));
    assert_int_equal(holds_count(), 1);
}

/* ---- sightings (G21) ---- */

/* Deletes a record, which leaves an unrequested machine with a valid stamp. */
static void record_lose(void)
{
    const struct cache_object *object = cache_first(lab.cache, TEXT("/default/Resource/"));
    struct store_op op = { .is_delete = true };

    assert_non_null(object);
    op.key = arena_printf(lab.arena, "/default/Resource/%.*s/status", TEXT_ARG(cache_id(object)));
    store_txn(lab.store, &(struct store_txn){ .ops = &op, .op_count = 1 }, ignored, NULL);
    for (int i = 0; i < 100; i++) {
        turn();
    }
}

/* After a rejection, the machines seen at that time are kept; the next unrequested machine causes a
 * new hold (G20). */
static void test_a_rejection_covers_the_machines_that_were_sighted(void **state)
{
    (void)state;
    apply_beside_a_missing_plugin();
    record_lose();
    pass_time(5 * MINUTE);
    assert_true(has_hold(PLAN_RULE_quarantine));
    assert_true(hold_answer(SERVICE_COMMAND_REJECT, "shop", PLAN_RULE_quarantine));
    pass_time(60 * MINUTE);
    assert_false(has_hold(PLAN_RULE_quarantine));
    assert_int_equal(running(), 5); /* the four desired machines, and the machine that is kept */
    record_lose();
    pass_time(5 * MINUTE);
    assert_true(has_hold(PLAN_RULE_quarantine));
    pass_time(60 * MINUTE);
    assert_int_equal(running(), 5);
}

static void test_a_cluster_is_deleted_after_its_orphan_was_destroyed(void **state)
{
    (void)state;
    apply_web(3);
    pass_time(3 * MINUTE);
    record_lose();
    pass_time(60 * MINUTE);
    /* a new machine was created, and the unrequested machine is gone */
    assert_int_equal(running(), 3);
    assert_int_equal(records(), 3);
    change_do("version: '1'\nname: shop\ngroups: {web: {size: 3, " SIM "}}\n", CHANGE_DELETE);
    pass_time(3 * MINUTE);
    assert_int_equal(running(), 0);
    assert_int_equal(records(), 0);
    assert_int_equal(holds_count(), 0);
}

/* The unrequested machine was ended by another party: the deletion waits for a while, names the
 * machine, and ends. */
static void test_a_deletion_names_what_it_waits_for(void **state)
{
    struct sim_machine *machine;

    (void)state;
    apply_web(3);
    pass_time(3 * MINUTE);
    record_lose();
    pass_time(2 * MINUTE);
    for (machine = sim_first(lab.cloud, text_from(lab.cluster)); machine != NULL;
         machine = sim_next(lab.cloud, text_from(lab.cluster), machine)) {
        if (sim_is_there(machine)) {
            sim_end(lab.cloud, machine);
        }
    }
    change_do("version: '1'\nname: shop\ngroups: {web: {size: 3, " SIM "}}\n", CHANGE_DELETE);
    pass_time(5 * MINUTE);
    assert_true(has_hold(PLAN_RULE_lingering));
    pass_time(30 * MINUTE);
    assert_int_equal(records(), 0);
    assert_int_equal(holds_count(), 0);
}

/* ---- changes ---- */

struct reply {
    bool is_there;
    enum code code;
};

static void replied(void *arg, const struct service_answer *answer)
{
    struct reply *reply = arg;

    reply->is_there = true;
    reply->code = answer->errors->count > 0 ? answer->errors->items[0].code : CODE_NONE;
}

static void change_send(struct service *service, struct text json, struct reply *reply)
{
    struct service_actor actor = { TEXT("default"), TEXT("ana") };
    struct service_change change = { .mode = CHANGE_APPLY,
                                     .allow = { 1000, 1000, 1000, 1000 },
                                     .supersedes = true };
    struct doc *doc = arena_one(lab.arena, struct doc);
    struct err err;

    assert_true(json_parse(lab.arena, json, arena_one(lab.arena, struct origin), doc, &err));
    change.documents = doc;
    change.document_count = 1;
    service_change(service, lab.arena, &actor, &change, replied, reply);
}

/* ---- what is changed in place (A5) ---- */

/* Applies addresses. The service of the lab has no plugins, so its plan says that a rollout is
 * superseded. */
static void apply_addresses(unsigned size, const char *addresses)
{
    struct reply reply = { 0 };

    change_send(lab.service,
                arena_printf(lab.arena,
                             "{\"groups\":{\"web\":{\"resourcePlugin\":{\"name\":\"sim\"},"
                             "\"resourceProperties\":{\"addresses\":[%s],\"disk\":\"big\"},"
                             "\"size\":%u}},\"name\":\"shop\",\"version\":\"1\"}",
                             addresses, size),
                &reply);
    for (int i = 0; i < 1000 && !reply.is_there; i++) {
        turn();
    }
    assert_int_equal(reply.code, CODE_NONE);
}

/* This also holds if the machines' records are from a version that did not distinguish these
 * properties. */
static void test_what_is_changed_in_place_makes_no_other_machine(void **state)
{
    static const struct text paths[] = { { "resourceProperties.addresses",
                                           sizeof("resourceProperties.addresses") - 1 } };

    (void)state;
    apply_addresses(2, "\"a\",\"b\"");
    pass_time(MINUTE);
    assert_int_equal(running(), 2);
    lab.provider->traits.in_place = paths;
    lab.provider->traits.in_place_count = 1;
    control_wake(lab.control, text_from(lab.cluster));
    pass_time(MINUTE);
    assert_int_equal(events_of("machine.condemned"), 0);
    apply_addresses(3, "\"a\",\"b\",\"c\"");
    pass_time(30 * MINUTE);
    assert_int_equal(running(), 3);
    assert_int_equal(events_of("machine.condemned"), 0);
    assert_int_equal(holds_count(), 0);
}

/* ---- what slept (A10) ---- */

static int64_t wall_ms(void *arg)
{
    (void)arg;
    return (int64_t)lab.now_ms;
}

static void id_make(void *arg, char out[static 37])
{
    (void)arg;
    snprintf(out, 37, "0f3c0000-0000-4000-8000-%012u", ++lab.ids);
}

static size_t clusters(void)
{
    struct text prefix = TEXT("/default/Cluster/");
    size_t count = 0;

    for (const struct cache_object *object = cache_first(lab.cache, prefix); object != NULL;
         object = cache_next(lab.cache, prefix, object)) {
        count += object->parts[CACHE_SPEC].bytes != NULL;
    }
    return count;
}

static void change_begin(struct service *service, unsigned size, struct reply *reply)
{
    change_send(service,
                arena_printf(lab.arena,
                             "{\"groups\":{\"web\":{\"resourcePlugin\":{\"name\":\"sim\"},"
                             "\"size\":%u}},\"name\":\"shop\",\"version\":\"1\"}",
                             size),
                reply);
}

/* A manager is suspended in the middle of a request, and another manager deletes the cluster. When
 * the manager continues, the request is too old to have an effect; otherwise it would create the
 * cluster again. */
static void a_request_sleeps(uint64_t asleep_ms, enum code code, size_t left)
{
    struct cache *cache = cache_new(lab.store, RING);
    struct service *service =
        service_new(lab.store, cache, (struct service_ports){ wall_ms, id_make, &lab });
    struct reply first = { 0 };
    struct reply reply = { 0 };

    for (int i = 0; i < 20; i++) {
        turn();
        cache_run(cache);
        service_run(service);
    }
    change_begin(lab.service, 1, &first); /* the second change is refused and computed again */
    change_begin(service, 3, &reply);
    for (int i = 0; i < 20; i++) {
        turn();
    }
    assert_true(first.is_there);
    assert_false(reply.is_there);
    change_do("version: '1'\nname: shop\ngroups: {web: {size: 1, " SIM "}}\n", CHANGE_DELETE);
    pass_time(asleep_ms);
    for (int i = 0; i < 200 && !reply.is_there; i++) {
        turn();
        cache_run(cache);
        service_run(service);
    }
    assert_true(reply.is_there);
    assert_int_equal(reply.code, code);
    for (int i = 0; i < 20; i++) {
        turn();
    }
    assert_int_equal(clusters(), left);
    cache_free(cache);
    service_free(service);
}

static void test_a_request_that_slept_has_no_effect(void **state)
{
    (void)state;
    a_request_sleeps(10 * MINUTE, CODE_R0577, 0);
}

static void test_a_request_that_waited_a_moment_is_made(void **state)
{
    (void)state;
    a_request_sleeps(MINUTE, CODE_NONE, 1);
}

/* Texts from a provider are limited where they are received, so they never reach a record, whose
 * length is asserted. */
static void test_a_text_that_no_record_has_room_for_is_reported(void **state)
{
    const struct sim_kind *good;
    struct sim_machine *machine;
    struct sim_kind long_zone;
    char zone[400];

    (void)state;
    apply_web(2);
    pass_time(3 * MINUTE);
    assert_int_equal(running(), 2);
    machine = any_machine();
    good = machine->kind;
    long_zone = *good;
    memset(zone, 'z', sizeof(zone));
    long_zone.zone = (struct text){ zone, sizeof(zone) };
    machine->kind = &long_zone;
    pass_time(60 * MINUTE);
    assert_true(has_hold(PLAN_RULE_unlisted));
    machine->kind = good;
    pass_time(60 * MINUTE);
    assert_false(has_hold(PLAN_RULE_unlisted));
    assert_int_equal(running(), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_manager_that_is_cut_off_replaces_nothing,
                                        setup_nodes, teardown),
        cmocka_unit_test_setup_teardown(test_one_machine_that_is_lost_is_replaced, setup_nodes,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_suspicion_ends_when_half_answer_again, setup_nodes,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_approved_suspicion_is_not_approved_again, setup_nodes,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_manager_that_starts_anew_suspects_itself,
                                        setup_nodes, teardown),
        cmocka_unit_test_setup_teardown(test_evidence_of_long_ago_is_probed_again, setup_nodes,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_what_another_manager_did_not_reach_is_probed_first,
                                        setup_nodes, teardown),
        cmocka_unit_test_setup_teardown(test_suspicion_leaves_the_provider_its_say, setup_nodes,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_brake_ends_beside_a_missing_provider, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_an_approval_covers_what_it_was_given_for, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(
            test_a_foreign_machine_is_forgotten_beside_a_missing_provider, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_rejection_covers_the_machines_that_were_sighted,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_cluster_is_deleted_after_its_orphan_was_destroyed,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_text_that_no_record_has_room_for_is_reported, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_deletion_names_what_it_waits_for, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_is_changed_in_place_makes_no_other_machine, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_request_that_slept_has_no_effect, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_request_that_waited_a_moment_is_made, setup,
                                        teardown),
    };

    return cmocka_run_group_tests_name("guards", tests, NULL, NULL);
}
