/* Nodes get keys, receive the facts of other nodes and are bootstrapped: the engine's part, with
 * simulated runs. */

#include "engine/fake_nodes.h"

#include <stdio.h>
#include <string.h>

/* ---- tests ---- */

static void test_nodes_are_bootstrapped_and_then_count(void **state)
{
    (void)state;
    fake.slow = "web-2";
    apply_staged(3, "a");
    bootstrap_time(20 * 1000);
    assert_int_equal(running(), 3);
    assert_int_equal(fake.staged, 3);
    assert_true(cluster_says("\"creating\":3")); /* they run; their stages wait for the slow node */
    assert_string_equal(fake.last_facts, "");

    fake.slow = NULL;
    bootstrap_time(20 * 1000);
    assert_int_equal(fake.staged, 3);
    assert_int_equal(fake.trusted, 3);
    assert_true(cluster_says("\"ready\":3"));
    assert_string_equal(fake.last_facts,
                        "{\"web-0\":{\"name\":\"web-0\"},\n \"web-1\":{\"name\":\"web-1\"},\n "
                        "\"web-2\":{\"name\":\"web-2\"}}\n");
    assert_int_equal(count_of("Node"), 3);
    bootstrap_time(10 * MINUTE);
    assert_int_equal(fake.begun, 3); /* nothing is left to do */
}

/* web-2 is unreachable for a long time, and stages wait for all members. */
static void test_a_group_says_from_when_its_machines_count(void **state)
{
    (void)state;
    fake.slow = "web-2";
    apply_ready(3, "running");
    bootstrap_time(20 * 1000);
    assert_true(cluster_says("\"ready\":3"));
    assert_string_equal(fake.last_facts, "");
    apply_ready(4, "reachable");
    bootstrap_time(20 * 1000);
    assert_true(cluster_says("\"ready\":4")); /* counted members remain counted */
    fake.slow = "web-4";
    apply_ready(5, "reachable");
    bootstrap_time(20 * 1000);
    assert_true(cluster_says("\"creating\":1"));
    assert_true(cluster_says("\"ready\":4"));
    apply_ready(5, "running");
    bootstrap_time(20 * 1000);
    assert_true(cluster_says("\"ready\":5"));
    fake.slow = NULL;
    bootstrap_time(20 * 1000);
    assert_non_null(
        /* regardless of what counts, all members get the facts and run the stages */
        strstr(fake.last_facts, "web-4"));
}

static void test_another_manager_goes_on(void **state)
{
    (void)state;
    fake.slow = "web-1";
    apply_staged(2, "a");
    bootstrap_time(20 * 1000);
    life_anew();
    assert_int_equal(fake.dropped, 2); /* the runs of the member ended with it */
    fake.slow = NULL;
    bootstrap_time(20 * 1000);
    assert_true(cluster_says("\"ready\":2"));
    assert_int_equal(fake.trusted, 2); /* web-0 got its keys from the first manager */
    fake.begun = 0;
    life_anew();
    bootstrap_time(MINUTE);
    assert_int_equal(fake.begun, 0);
}

/* Reports of nodes under the former epoch are refused by the store, which must not stop the
 * cluster. */
static void test_a_lease_that_is_won_again_while_news_waits(void **state)
{
    (void)state;
    fake.slow = "web-1";
    apply_staged(2, "a");
    bootstrap_time(20 * 1000);
    fake.slow = NULL;
    bootstrap_time(100); /* the node has reported something that is not written yet */
    lease_rewrite();
    bootstrap_time(MINUTE);
    assert_true(cluster_says("\"ready\":2")); /* its probe had succeeded before */
    apply_staged(3, "a");
    bootstrap_time(MINUTE);
    assert_true(cluster_says("\"ready\":3"));
}

/* Runs with keys, facts and stages detect a wrong host key as a probe does: there is no login until
 * the machine shows the right key again. */
static void test_another_host_key_is_an_alarm(void **state)
{
    (void)state;
    fake.other = "web-1";
    fake.shows = "ssh-ed25519 AAAA";
    apply_staged(2, "a");
    bootstrap_time(20 * 1000);
    assert_true(any_says("Resource", "\"alarm\":\"the host has another key\""));
    assert_true(any_says("Resource", "\"shown\":\"ssh-ed25519 AAAA\""));
    assert_int_equal(events_of("machine.alarm"), 1);
    bootstrap_time(5 * MINUTE);
    /* reported once, regardless of the number of attempts */
    assert_int_equal(events_of("machine.alarm"), 1);
    fake.shows = "ssh-ed25519 BBBB";
    bootstrap_time(20 * MINUTE);
    assert_true(any_says("Resource", "\"shown\":\"ssh-ed25519 BBBB\""));
    assert_int_equal(events_of("machine.alarm"), 2);
    fake.other = NULL;
    bootstrap_time(20 * MINUTE);
    assert_true(cluster_says("\"ready\":2"));
    assert_false(any_says("Resource", "\"alarm\":"));
    assert_false(any_says("Resource", "\"shown\":"));
    assert_int_equal(events_of("machine.alarm_cleared"), 1);
}

/* ---- another host key is right ---- */

/* Returns a host key; each number gives another key. */
static const char *key_of(unsigned number)
{
    return arena_printf(lab.arena, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA%042u", number).data;
}

static void accept_reported(void *arg, const struct service_answer *answer)
{
    *(bool *)arg = answer->errors->count == 0;
}

/* Sends the command that accepts a key. *out_said is true when the manager has accepted it. */
static void accept_say(const char *node, const char *key, bool *out_said)
{
    const struct service_say one = { .kind = objects_kind("Cluster"),
                                     .name = TEXT("shop"),
                                     .word = SERVICE_COMMAND_ACCEPT,
                                     .node = text_from(node),
                                     .key = text_from(key) };
    const struct service_actor actor = { .tenant = TEXT("default"), .user = TEXT("ana") };

    *out_said = false;
    service_say(lab.service, lab.arena, &actor, &one, accept_reported, out_said);
}

static void accept(const char *key)
{
    bool is_said;

    accept_say("web-0", key, &is_said);
    bootstrap_time(1000);
    assert_true(is_said);
    assert_true(any_says("Resource", arena_printf(lab.arena, "\"hostKey\":\"%s\"", key).data));
    assert_int_equal(count_of("Accepted"), 0);
}

/* An observation from the time of the old key that is reported only now is not an alarm. */
static void test_an_alarm_about_the_key_that_was_accepted_is_none(void **state)
{
    (void)state;
    fake.other = "web-0";
    fake.shows = key_of(2);
    apply_staged(1, "a");
    bootstrap_time(20 * 1000);
    assert_int_equal(events_of("machine.alarm"), 1);
    accept(key_of(2));
    bootstrap_time(5 * MINUTE);
    assert_int_equal(events_of("machine.alarm"), 1);
    assert_false(any_says("Resource", "\"alarm\":"));
    fake.shows = key_of(3);
    bootstrap_time(20 * MINUTE);
    assert_int_equal(events_of("machine.alarm"), 2);
    fake.other = NULL;
    bootstrap_time(20 * MINUTE);
    assert_true(cluster_says("\"ready\":1"));
    assert_false(any_says("Resource", "\"alarm\":"));
}

/* Results of stages that still run on the old machine do not count for the new machine. The host
 * key distinguishes the two. */
static void test_what_the_old_machine_still_does_is_not_the_new_ones(void **state)
{
    (void)state;
    fake.slow = "web-0";
    apply_staged(1, "a");
    bootstrap_time(20 * 1000);
    accept(key_of(1));
    fake.slow = NULL;
    bootstrap_time(20 * 1000);
    assert_true(cluster_says("\"ready\":1"));
    assert_int_equal(events_of("node.bootstrap_reset"), 0);
    fake.slow = "web-0";
    apply_staged(1, "b");
    bootstrap_time(20 * 1000);
    assert_int_equal(fake.staged, 2);
    accept(key_of(2));
    assert_int_equal(events_of("node.bootstrap_reset"), 1);
    fake.slow = NULL;
    bootstrap_time(MINUTE);
    assert_int_equal(fake.staged, 3);
    assert_int_equal(fake.trusted, 2);
    assert_true(cluster_says("\"ready\":1"));
}

/* A node that got its keys before host keys were recorded is identified by the next recorded
 * key. */
static void test_who_was_keyed_without_a_key_is_known_by_the_next(void **state)
{
    (void)state;
    apply_staged(1, "a");
    bootstrap_time(20 * 1000);
    assert_false(any_says("Node", "\"hostKey\":"));
    accept(key_of(1));
    assert_int_equal(events_of("node.bootstrap_reset"), 0);
    accept(key_of(2));
    bootstrap_time(MINUTE);
    assert_int_equal(events_of("node.bootstrap_reset"), 1);
    assert_int_equal(fake.trusted, 2);
    assert_int_equal(fake.staged, 2);
    accept(key_of(3));
    bootstrap_time(MINUTE);
    assert_int_equal(events_of("node.bootstrap_reset"), 2);
    life_anew();
    bootstrap_time(10 * MINUTE);
    assert_int_equal(events_of("node.bootstrap_reset"), 2);
    assert_int_equal(fake.trusted, 3);
}

/* A duplicate machine: the one without a record, which is listed first (sim-10), does not determine
 * the other's host key. */
static void test_the_duplicate_of_a_machine_says_nothing_of_its_key(void **state)
{
    struct sim_machine *machine;
    struct provider_tags tags;
    bool is_said;

    (void)state;
    apply_staged(9, "a");
    bootstrap_time(20 * 1000);
    machine = any_machine();
    while (!text_is(machine->id, "sim-9")) {
        machine = sim_next(lab.cloud, text_from(lab.cluster), machine);
    }
    tags = sim_tags(machine);
    machine->host_key = text_from(key_of(1));
    bootstrap_time(MINUTE);
    assert_int_equal(events_of("machine.hostkey"), 1);
    sim_plant(lab.cloud, &tags);
    accept_say("sim-9", key_of(2), &is_said);
    bootstrap_time(10 * 1000);
    assert_true(is_said);
    assert_int_equal(events_of("machine.hostkey"), 1);
    assert_int_equal(events_of("machine.accept_ignored"), 1);
    assert_false(any_says("Resource", key_of(2)));
}

/* A command that arrives at any time while the previous one is executed is not lost. */
static void test_the_last_key_that_was_accepted_counts(void **state)
{
    (void)state;
    apply_staged(1, "a");
    bootstrap_time(20 * 1000);
    for (unsigned steps = 0; steps < 120; steps++) {
        bool is_first;
        bool is_second;

        accept_say("web-0", key_of(2 * steps), &is_first);
        for (unsigned i = 0; i < steps; i++) {
            (void)(i % 4 == 0   ? store_run(lab.store)
                   : i % 4 == 1 ? cache_run(lab.cache)
                   : i % 4 == 2 ? sim_cloud_run(lab.cloud)
                                : control_run(lab.control));
        }
        accept_say("web-0", key_of(2 * steps + 1), &is_second);
        (void)control_run(lab.control); /* this pass does not have the command yet */
        bootstrap_time(10 * 1000);
        assert_true(is_first);
        assert_true(any_says("Resource", key_of(2 * steps + is_second)));
        assert_int_equal(count_of("Accepted"), 0);
    }
}

static void test_who_joins_is_reported_of_first(void **state)
{
    (void)state;
    apply_staged(2, "a");
    bootstrap_time(20 * 1000);
    assert_int_equal(fake.begun, 2);
    apply_staged(3, "a");
    bootstrap_time(20 * 1000);
    assert_true(cluster_says("\"ready\":3"));
    /* the new node, and both other nodes that received its facts */
    assert_int_equal(fake.begun, 5);
    assert_int_equal(fake.staged, 3);
    apply_staged(2, "a");
    bootstrap_time(2 * MINUTE);
    assert_int_equal(count_of("Node"), 2); /* the data of the node is deleted with it */
    assert_int_equal(fake.staged, 3);
}

static void test_a_failed_stage_waits_for_a_change(void **state)
{
    (void)state;
    fake.bad = "web-1";
    apply_staged(2, "a");
    bootstrap_time(5 * MINUTE);
    assert_int_equal(fake.staged, 2);
    assert_true(cluster_says("\"ready\":1"));
    assert_true(any_says("Node", "E: no such package"));
    assert_true(any_says("Node", "\"end\":\"stage failed\""));
    fake.bad = NULL;
    apply_staged(2, "b"); /* with other arguments, both nodes run their stages again */
    bootstrap_time(MINUTE);
    assert_int_equal(fake.staged, 4);
    assert_true(cluster_says("\"ready\":2"));
    assert_false(any_says("Node", "stage failed"));
}

/* Decision 0069: the job waits for an operator, also after another manager has started, until no
 * stage is failed. */
static void test_a_job_waits_where_stages_failed(void **state)
{
    (void)state;
    fake.bad = "web-1";
    apply_staged(3, "a");
    bootstrap_time(MINUTE);
    assert_true(any_says("Job", "\"state\":\"waiting\""));
    assert_true(any_says(
        "Job", "\"machines\":{\"creating\":0,\"failed\":1,\"leaving\":0,\"old\":0,\"ready\":2"));
    assert_true(any_says("Job", "base: E: no such package\",\"tries\":1"));
    life_anew();
    bootstrap_time(MINUTE);
    assert_true(any_says("Job", "\"state\":\"waiting\""));
    fake.bad = NULL;
    retry_say();
    bootstrap_time(MINUTE);
    assert_int_equal(strncmp(fake.last_request, "retry-", 6), 0);
    assert_false(any_says("Job", "waiting"));
    assert_true(any_says("Job", "\"state\":\"done\""));
    assert_int_equal(fake.staged, 4);
}

/* A member whose stage may fail is in service: it is not replaced, but its job still waits. */
static void test_a_job_waits_for_a_stage_that_may_fail(void **state)
{
    (void)state;
    fake.bad = "web-1";
    fake.goes_on = true;
    apply_staged(3, "a");
    bootstrap_time(2 * 60 * MINUTE);
    assert_true(cluster_says("\"ready\":3"));
    assert_int_equal(fake.staged, 3);
    assert_false(any_says("Resource", "\"failed\":"));
    assert_true(any_says("Job", "\"state\":\"waiting\""));
    assert_true(any_says("Job", "\"failed\":1,\"leaving\":0,\"old\":0,\"ready\":3"));
    life_anew();
    bootstrap_time(MINUTE);
    assert_true(
        any_says("Job", "\"state\":\"waiting\"")); /* the job was never shown as done in between */
    fake.bad = NULL;
    retry_say();
    bootstrap_time(MINUTE);
    assert_true(any_says("Job", "\"state\":\"done\""));
    assert_int_equal(fake.staged, 4);
}

/* X4: a failed machine is kept for half an hour, also across the death of a manager, and is then
 * replaced by a machine that runs its stages. */
static void test_a_failed_machine_is_kept_and_then_replaced(void **state)
{
    (void)state;
    fake.bad = "web-1";
    apply_staged(4, "a");
    bootstrap_time(5 * MINUTE);
    assert_int_equal(fake.staged, 4);
    assert_true(any_says("Resource", "\"failed\":"));
    assert_true(cluster_says("\"failed\":1"));
    assert_true(any_says("Hold", "kept"));
    bootstrap_time(20 * MINUTE);
    assert_int_equal(records(), 4);
    assert_int_equal(fake.staged, 4);

    life_anew();
    fake.bad = NULL;
    bootstrap_time(3 * MINUTE); /* 28 minutes are left */
    assert_int_equal(fake.staged, 4);
    assert_true(any_says("Node", "stage failed"));
    bootstrap_time(8 * MINUTE);
    assert_int_equal(fake.staged, 5);
    assert_int_equal(running(), 4);
    assert_true(cluster_says("\"ready\":4"));
    assert_false(any_says("Node", "stage failed"));
    assert_false(any_says("Resource", "\"failed\":"));
    assert_false(any_says("Hold", "kept"));
}

/* A slot whose machines fail repeatedly is in back-off for longer each time. */
static void test_a_bundle_that_fails_for_ever_costs_few_machines(void **state)
{
    (void)state;
    fake.bad = "web-1";
    apply_staged(4, "a");
    bootstrap_time(24 * 60 * MINUTE);
    assert_true(fake.staged >= 6);
    assert_true(fake.staged <= 4 + 48 / 2);
    assert_int_equal(running() + 1, 4 + (running() == 4));
    assert_true(cluster_says("\"ready\":3"));
}

/* If a changed bundle fails on machines that were in service, none is replaced, because they have
 * data. */
static void test_what_has_served_is_never_replaced_for_its_stages(void **state)
{
    (void)state;
    apply_staged(3, "a");
    bootstrap_time(MINUTE);
    assert_true(cluster_says("\"ready\":3"));
    fake.bad = "web-1";
    apply_staged(3, "b");
    bootstrap_time(2 * 60 * MINUTE);
    assert_int_equal(fake.staged, 3 + 2); /* the canary, and the failed node; web-2 is untouched */
    assert_true(any_says("Node", "stage failed"));
    assert_true(any_says("Resource", "\"failed\":"));
    assert_true(cluster_says("\"failed\":1,\"leaving\":0,\"outdated\":2,\"ready\":2,"));
    assert_int_equal(records(), 3);
    assert_int_equal(running(), 3);
}

/* A failed stage may have changed the machine, so the previous stages run again when the file
 * requests them again. */
static void test_stages_of_before_are_run_again(void **state)
{
    (void)state;
    apply_staged(3, "a");
    bootstrap_time(MINUTE);
    fake.bad = "web-1";
    apply_staged(3, "b");
    bootstrap_time(MINUTE);
    assert_true(any_says("Node", "stage failed"));
    fake.bad = NULL;
    life_anew();
    apply_staged(3, "a");
    bootstrap_time(MINUTE);
    assert_int_equal(fake.staged, 3 + 2 + 2); /* web-2 still had the previous stages */
    assert_false(any_says("Node", "stage failed"));
    assert_true(any_says("Job", "\"state\":\"done\""));
    assert_false(any_says("Job", "\"state\":\"waiting\""));
}

/* Stages change no machine record, but their job is updated immediately. */
static void test_a_job_hears_of_stages_at_once(void **state)
{
    (void)state;
    apply_staged(3, "a");
    bootstrap_time(MINUTE);
    fake.slow = "web-1";
    apply_staged(3, "b");
    bootstrap_time(MINUTE);
    assert_true(any_says("Job", "\"state\":\"running\""));
    fake.slow = NULL;
    bootstrap_time(1500);
    assert_false(any_says("Job", "\"state\":\"running\""));

    fake.slow = "web-1";
    apply_staged(3, "c");
    bootstrap_time(MINUTE);
    fake.bad = "web-1";
    fake.slow = NULL;
    bootstrap_time(1500);
    assert_true(any_says("Job", "\"state\":\"waiting\""));
}

static void test_who_cannot_be_reached_is_tried_again(void **state)
{
    (void)state;
    fake.far = "web-0";
    apply_staged(1, "a");
    bootstrap_time(MINUTE);
    assert_true(fake.begun >= 2 && fake.begun <= 8); /* the delay grows each time */
    assert_true(any_says("Node", "no route to host"));
    fake.far = NULL;
    bootstrap_time(10 * MINUTE);
    assert_true(cluster_says("\"ready\":1"));
}

static void test_another_authority_is_given_to_all(void **state)
{
    (void)state;
    apply_staged(2, "a");
    bootstrap_time(20 * 1000);
    assert_int_equal(fake.trusted, 2);
    fake.mark.signs = 2;
    control_wake(lab.control, text_from(lab.cluster));
    bootstrap_time(20 * 1000);
    assert_int_equal(fake.trusted, 4);
    assert_int_equal(fake.kept, 0);
    fake.mark.trusts = 2; /* one more authority is trusted; existing certificates remain valid */
    control_bootstrap(lab.control, text_from(lab.cluster));
    bootstrap_time(20 * 1000);
    assert_int_equal(fake.trusted, 6);
    assert_int_equal(fake.kept, 2);
    assert_int_equal(fake.staged, 2);
}

/* Returns the number of entries about removed machines in the store that contain `words`. */
static size_t taken_with(const char *words)
{
    size_t count = 0;

    for (const struct cache_object *object = cache_first(lab.cache, TEXT("/default/Revoked/"));
         object != NULL; object = cache_next(lab.cache, TEXT("/default/Revoked/"), object)) {
        const struct blob *bytes = object->parts[CACHE_BASE].bytes;

        count += bytes != NULL && strstr(blob_text(bytes).data, words) != NULL;
    }
    return count;
}

/* Lets days pass without a manager, and then starts one. */
static void days_go_by(unsigned days)
{
    lab.now_ms += (uint64_t)days * 24 * 60 * MINUTE;
    life_anew();
    bootstrap_time(MINUTE);
}

static void test_what_goes_is_revoked(void **state)
{
    (void)state;
    apply_staged(4, "a");
    bootstrap_time(MINUTE);
    assert_int_equal(taken_with(""), 0);
    apply_staged(2, "a"); /* two machines are removed at the same time */
    bootstrap_time(MINUTE);
    assert_int_equal(taken_with(""), 2);
    assert_int_equal(taken_with("\"name\":\"web-2\""), 1);
    assert_int_equal(taken_with("\"name\":\"web-3\""), 1);
    assert_int_equal(taken_with("\"root\":"), 0); /* all machines have the same key */
    life_anew();
    fake.trusted = fake.kept = 0;
    fake.mark.list = 7;
    control_bootstrap(lab.control, text_from(lab.cluster));
    bootstrap_time(MINUTE);
    /* one write for each remaining node, regardless of the number of removed nodes */
    assert_int_equal(fake.trusted, 2);
    assert_int_equal(fake.kept, 2);
    assert_int_equal(taken_with(""), 2);
    days_go_by(31); /* by then their certificates have expired; the newest entry names the list */
    assert_int_equal(taken_with(""), 1);
    assert_int_equal(fake.trusted, 2);
    change_do("name: shop\nversion: '1'\n", CHANGE_DELETE);
    bootstrap_time(5 * MINUTE);
    assert_int_equal(taken_with(""), 0); /* the authority is deleted with the cluster */
}

static void test_who_cannot_be_destroyed_is_let_in_no_more(void **state)
{
    (void)state;
    apply_staged(3, "a");
    bootstrap_time(MINUTE);
    lab.is_keeping = true;
    apply_staged(2, "a");
    bootstrap_time(MINUTE);
    assert_int_equal(running(), 3);
    assert_int_equal(taken_with("\"name\":\"web-2\""), 1);
}

static void test_what_went_without_a_word_is_revoked(void **state)
{
    (void)state;
    fake.own_keys = true;
    apply_staged(2, "a");
    bootstrap_time(MINUTE);
    sim_end(lab.cloud, any_machine());
    bootstrap_time(30 * MINUTE);
    assert_true(cluster_says("\"ready\":2"));
    assert_int_equal(taken_with("\"name\":\"web-"), 1);
    assert_int_equal(taken_with("\"root\":"), 1);
    assert_int_equal(count_of("Node"), 2);
}

static void test_classic_trust_takes_nothing_back(void **state)
{
    (void)state;
    apply("version: '1'\nname: shop\nsshTrust: classic\ngroups: {web: {size: 3, " SIM
          ", bootstrap: [{bundle: 'base@sha256:" DIGEST "'}]}}\n");
    bootstrap_time(MINUTE);
    fake.trusted = 0;
    apply("version: '1'\nname: shop\nsshTrust: classic\ngroups: {web: {size: 2, " SIM
          ", bootstrap: [{bundle: 'base@sha256:" DIGEST "'}]}}\n");
    bootstrap_time(MINUTE);
    assert_int_equal(fake.trusted, 2); /* their blocks are written without the removed key */
    assert_int_equal(taken_with(""), 0);
}

static void test_certificates_are_given_anew_in_time(void **state)
{
    (void)state;
    fake.renew_ms = 5 * MINUTE;
    apply_staged(2, "a");
    bootstrap_time(MINUTE);
    assert_int_equal(fake.trusted, 2);
    bootstrap_time(6 * MINUTE);
    assert_int_equal(fake.trusted, 4);
    bootstrap_time(5 * MINUTE);
    assert_int_equal(fake.trusted, 6);
    assert_int_equal(fake.staged, 2); /* no stage runs again */
}

static void test_runs_end_with_their_machines(void **state)
{
    (void)state;
    fake.slow = "web-1";
    apply_staged(2, "a");
    bootstrap_time(20 * 1000);
    apply_staged(1, "a");
    bootstrap_time(2 * MINUTE);
    assert_int_equal(fake.dropped, 1);
    assert_true(cluster_says("\"ready\":1"));
    change_do("name: shop\nversion: '1'\n", CHANGE_DELETE);
    bootstrap_time(5 * MINUTE);
    assert_int_equal(records(), 0);
    assert_int_equal(count_of("Node"), 0);
}

static void test_runs_go_on_where_nobody_can_say_what_is_wanted(void **state)
{
    (void)state;
    fake.slow = "web-1";
    apply_staged(2, "a");
    bootstrap_time(20 * 1000);
    web_write("NodeGroup", NULL);
    for (int i = 0; i < 20; i++) {
        bootstrap_time(3 * 1000);
        control_bootstrap(lab.control, text_from(lab.cluster));
    }
    assert_int_equal(lab.last_end, CONTROL_END_DAMAGED);
    assert_int_equal(fake.dropped, 0);
    assert_int_equal(running(), 2);
}

/* A stage that begins while the specification is unreadable must be recorded, because otherwise it
 * would run twice. */
static void test_a_stage_that_begins_where_nobody_can_say_what_is_wanted_is_known(void **state)
{
    (void)state;
    fake.slow = "web-0";
    apply_staged(1, "a");
    bootstrap_time(20 * 1000);
    web_write("NodeGroup", NULL);
    bootstrap_time(60 * 1000);
    for (size_t i = 0; i < RUNS; i++) {
        if (fake.runs[i].is_used && is_named(&fake.runs[i], "web-0")) {
            fake.runs[i].reported(fake.runs[i].arg,
                                  &(struct nodes_event){ .kind = NODES_EVENT_STAGE, .attempt = 1 });
        }
    }
    bootstrap_time(60 * 1000);
    assert_int_equal(lab.last_end, CONTROL_END_DAMAGED);
    assert_true(any_says("Node", "\"once\":\"0 "));
}

static void apply_two(const char *argument)
{
    char yaml[400];

    snprintf(yaml, sizeof(yaml),
             "version: '1'\nname: shop\ngroups: {web: {size: 1, " SIM ", bootstrap: [{bundle: "
             "'base@sha256:" DIGEST "'}, {bundle: 'last@sha256:" DIGEST
             "', args: [%s], trustMarkers: true}]}}\n",
             argument);
    apply(yaml);
}

/* The reported success of a stage is known to the next manager, but only for that attempt. */
static void test_ends_that_were_reported_are_not_asked_for_again(void **state)
{
    (void)state;
    fake.reports = 3;
    apply_two("a");
    bootstrap_time(MINUTE);
    assert_int_equal(fake.staged, 1);
    assert_int_equal(fake.reported[0], 0);
    apply_two("b");
    bootstrap_time(MINUTE);
    assert_int_equal(fake.staged, 2);
    assert_int_equal(fake.reported[0], 3);
    fake.reports = 4;
    life_anew();
    apply_two("c");
    bootstrap_time(MINUTE);
    assert_int_equal(fake.reported[0], 3);
    apply_two("d");
    bootstrap_time(MINUTE);
    assert_int_equal(fake.reported[0], 4);
    assert_int_equal(fake.reported[1], 0);
}

/* A manager that receives the marker again knows it too. A retry command applies to a stage that
 * has run. */
static void test_a_marker_of_old_is_known(void **state)
{
    (void)state;
    fake.is_marked = true;
    apply_two("a");
    bootstrap_time(MINUTE);
    assert_true(any_says("Node", "\"marked\":\"1\""));
    assert_true(any_says("Node", "\"once\":\"1 last\""));
    life_anew();
    apply_two("b");
    bootstrap_time(MINUTE);
    assert_int_equal(fake.staged, 2);
    assert_true(any_says("Node", "\"marked\":\"1\""));
}

static void test_where_nobody_logs_in_no_stage_is_waited_for(void **state)
{
    (void)state;
    fake.is_shut = true;
    apply_staged(2, "a");
    bootstrap_time(20 * 1000);
    assert_true(cluster_says("\"ready\":2"));
    assert_int_equal(fake.begun, 0);
    assert_int_equal(count_of("Node"), 0);
}

/* Decision 0066: a retry command gives one run of each node that had failed at that time. This
 * holds while the store does not know the end of that run, with another manager, and with another
 * command about the cluster. */
static void test_a_word_to_try_again_is_one_run(void **state)
{
    (void)state;
    fake.bad = "web-1";
    apply_staged(3, "a");
    bootstrap_time(MINUTE);
    assert_int_equal(fake.staged, 3);
    assert_true(say(SERVICE_COMMAND_RETRY, ""));
    bootstrap_time(MINUTE);
    assert_int_equal(fake.staged, 4);
    life_anew();
    bootstrap_time(MINUTE);
    assert_int_equal(fake.staged, 4);
    assert_true(say(SERVICE_COMMAND_RETRY, "")); /* a second retry command */
    bootstrap_time(MINUTE);
    assert_int_equal(fake.staged, 5);
}

static void test_another_word_is_none_to_try_again(void **state)
{
    char request[sizeof(fake.last_request)];

    (void)state;
    fake.bad = "web-1";
    apply_staged(3, "a");
    bootstrap_time(MINUTE);
    assert_true(say(SERVICE_COMMAND_RETRY, ""));
    bootstrap_time(MINUTE);
    assert_int_equal(fake.staged, 4);
    snprintf(request, sizeof(request), "%s", fake.last_request);
    life_anew(); /* the next manager knows the command */
    assert_true(say(SERVICE_COMMAND_PAUSE, ""));
    bootstrap_time(MINUTE);
    assert_true(say(SERVICE_COMMAND_RESUME, ""));
    bootstrap_time(MINUTE);
    assert_int_equal(fake.staged, 4);
    assert_true(
        /* a command given during a pause is executed when the pause ends */
        say(SERVICE_COMMAND_PAUSE, ""));
    assert_true(say(SERVICE_COMMAND_RETRY, ""));
    bootstrap_time(MINUTE);
    assert_int_equal(fake.staged, 4);
    assert_true(say(SERVICE_COMMAND_RESUME, ""));
    bootstrap_time(MINUTE);
    assert_int_equal(fake.staged, 5);
    assert_string_not_equal(fake.last_request, request);
}

/* If another command follows, an unreachable node must still get the retry with the same id,
 * because it may already have started it. */
static void test_a_word_to_try_again_keeps_its_name(void **state)
{
    char request[sizeof(fake.last_request)];

    (void)state;
    fake.bad = "web-1";
    apply_staged(3, "a");
    bootstrap_time(MINUTE);
    fake.far = "web-1";
    assert_true(say(SERVICE_COMMAND_RETRY, ""));
    bootstrap_time(MINUTE);
    snprintf(request, sizeof(request), "%s", fake.last_request);
    assert_int_equal(strncmp(request, "retry-", 6), 0);
    assert_true(say(SERVICE_COMMAND_PAUSE, ""));
    bootstrap_time(MINUTE);
    assert_true(say(SERVICE_COMMAND_RESUME, ""));
    fake.far = NULL;
    fake.staged = 0;
    bootstrap_time(10 * MINUTE);
    assert_int_equal(fake.staged, 1);
    assert_string_equal(fake.last_request, request);
}

static void test_authorities_are_changed_step_by_step(void **state)
{
    (void)state;
    apply_staged(3, "a");
    bootstrap_time(MINUTE);
    assert_int_equal(fake.steps, 0);
    assert_true(say(SERVICE_COMMAND_ROTATE, ""));
    fake.trusted = 0;
    fake.far = "web-1";
    bootstrap_time(5 * MINUTE);
    assert_int_equal(fake.rotation.phase,
                     ROTATION_TRUSTED); /* the rotation waits for the unreachable node */
    assert_true(cluster_says(
        "\"rotation\":\"all machines are being informed of the new authorities; waits for web-1\""));
    life_anew();
    fake.far = NULL;
    bootstrap_time(10 * MINUTE);
    assert_int_equal(fake.rotation.phase,
                     ROTATION_SIGNS); /* as long as certificates of the old authority may be used */
    fake.kept = 0;
    fake.rotation.age_ms = 6 * MINUTE;
    bootstrap_time(2 * MINUTE);
    assert_int_equal(fake.steps, 4);
    assert_int_equal(fake.rotation.phase, ROTATION_STEADY);
    assert_int_equal(fake.kept, 3); /* the last step issues no certificates */
    assert_non_null(strstr(fake.event, "cluster.rotated"));
    bootstrap_time(30 * MINUTE);
    assert_int_equal(fake.steps, 4); /* once for each request */
    assert_false(cluster_says("rotation"));
}

static void test_keys_are_revoked_by_process(void **state)
{
    (void)state;
    fake.own_keys = true;
    apply_staged(3, "a");
    bootstrap_time(MINUTE);
    assert_false(say(SERVICE_COMMAND_REVOKE, "web-7"));
    assert_true(say(SERVICE_COMMAND_REVOKE, "web-1"));
    assert_false(say(SERVICE_COMMAND_REVOKE, "web-1"));
    assert_int_equal(taken_with("\"by\":\"ana\""), 1);
    fake.trusted = 0;
    fake.mark.list = 9;
    control_bootstrap(lab.control, text_from(lab.cluster));
    bootstrap_time(5 * MINUTE);
    assert_int_equal(fake.trusted,
                     2); /* the node gets nothing any more, and the others no longer trust it */
    assert_null(strstr(fake.last_facts, "web-1"));
    days_go_by(60);
    /* the entry is kept as long as the machine exists */
    assert_int_equal(taken_with("\"by\":\"ana\""), 1);
    assert_int_equal(running(), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_nodes_are_bootstrapped_and_then_count, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_group_says_from_when_its_machines_count, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_another_manager_goes_on, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_lease_that_is_won_again_while_news_waits,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_another_host_key_is_an_alarm, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_alarm_about_the_key_that_was_accepted_is_none,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_the_old_machine_still_does_is_not_the_new_ones,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_who_was_keyed_without_a_key_is_known_by_the_next,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_duplicate_of_a_machine_says_nothing_of_its_key,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_last_key_that_was_accepted_counts, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_who_joins_is_reported_of_first, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_failed_stage_waits_for_a_change, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_job_waits_where_stages_failed, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_job_waits_for_a_stage_that_may_fail, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_failed_machine_is_kept_and_then_replaced,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_bundle_that_fails_for_ever_costs_few_machines,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_has_served_is_never_replaced_for_its_stages,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_stages_of_before_are_run_again, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_job_hears_of_stages_at_once, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_who_cannot_be_reached_is_tried_again, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_another_authority_is_given_to_all, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_what_goes_is_revoked, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_who_cannot_be_destroyed_is_let_in_no_more, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_what_went_without_a_word_is_revoked, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_classic_trust_takes_nothing_back, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_word_to_try_again_is_one_run, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_another_word_is_none_to_try_again, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_word_to_try_again_keeps_its_name, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_authorities_are_changed_step_by_step, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_keys_are_revoked_by_process, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_ends_that_were_reported_are_not_asked_for_again,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_marker_of_old_is_known, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_where_nobody_logs_in_no_stage_is_waited_for,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_certificates_are_given_anew_in_time, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(
            test_a_stage_that_begins_where_nobody_can_say_what_is_wanted_is_known, nodes_setup,
            teardown),
        cmocka_unit_test_setup_teardown(test_runs_go_on_where_nobody_can_say_what_is_wanted,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_runs_end_with_their_machines, nodes_setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
