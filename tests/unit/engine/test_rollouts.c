/* Members that were in service run changed stages by rollout slots (decision 0110): the controller
 * that grants the slots, with simulated nodes. */

#include "engine/fake_nodes.h"

#include "codec/json.h"
#include "service/service_command.h"

#include <string.h>

enum { NODES = 4, SOON = 20 * 1000, BAKE = 20 * 1000 };

/* Applies cluster shop with group web, a rollout policy and one stage with this argument. */
static void apply_batched(unsigned size, const char *argument, const char *rollout,
                          const struct service_batching *batching)
{
    change_batched(
        arena_string(lab.arena, arena_printf(lab.arena,
                                             "version: '1'\nname: shop\ngroups: {web: {size: "
                                             "%u, " SIM ", rollout: {%s}, bootstrap: [{bundle: "
                                             "'base@sha256:" DIGEST "', args: [%s]}]}}\n",
                                             size, rollout, argument)),
        CHANGE_APPLY, batching);
}

static void apply_rolled(unsigned size, const char *argument, const char *rollout)
{
    apply_batched(size, argument, rollout, NULL);
}

static const char careful[] = "surge: 1, canary: 1, bake: 20s, batch: 1, maxFail: 1";

static void nodes_make(const char *rollout)
{
    apply_rolled(NODES, "a", rollout);
    bootstrap_time(SOON);
    assert_int_equal(fake.staged, NODES); /* members that were never in service need no slot */
    assert_true(cluster_says("\"ready\":4"));
    assert_int_equal(count_of("Batches"), 0);
}

static void key_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)answer;
    assert_int_equal(outcome, OUTCOME_OK);
    *(bool *)arg = true;
}

/* Executes `rollout promote`: approves the hold of the rollout for this observation. */
static void web_approve_for(const char *observation)
{
    struct text id = text_slice(text_from(lab.cluster), sizeof("default/") - 1, SIZE_MAX);
    struct store_op op = {
        .key = arena_printf(lab.arena, "/default/Hold/%.*s/rollout/web/spec", TEXT_ARG(id)),
        .value = arena_printf(lab.arena, "{\"approved\":{\"at\":1,\"observation\":\"%s\"}}",
                              observation),
    };
    bool is_written = false;

    store_txn(lab.store, &(struct store_txn){ .ops = &op, .op_count = 1 }, key_written,
              &is_written);
    for (int i = 0; i < 100 && !is_written; i++) {
        turn();
    }
    assert_true(is_written);
}

/* Returns the present observation of the rollout's hold, which the API copies into an approval. */
static const char *observed(void)
{
    static const char mark[] = "\"observation\":\"";
    struct text id = text_slice(text_from(lab.cluster), sizeof("default/") - 1, SIZE_MAX);
    const struct cache_object *hold =
        cache_find(lab.cache, TEXT("default"), TEXT("Hold"),
                   arena_printf(lab.arena, "%.*s/rollout/web", TEXT_ARG(id)));
    const char *found;

    assert_non_null(hold);
    found = strstr(arena_string(lab.arena, blob_text(hold->parts[CACHE_STATUS].bytes)), mark);
    assert_non_null(found);
    found += sizeof(mark) - 1;
    return arena_string(lab.arena, (struct text){ found, strcspn(found, "\"") });
}

static void web_approve(void)
{
    web_approve_for(observed());
}

static bool job_says(const char *words)
{
    return any_says("Job", words);
}

/* ---- tests ---- */

static void test_one_broken_canary_keeps_three_untouched(void **state)
{
    (void)state;
    nodes_make(careful);
    fake.bad = "web-0";
    apply_rolled(NODES, "b", careful);
    bootstrap_time(10 * MINUTE);
    assert_int_equal(fake.staged, NODES + 1);
    assert_true(job_says("\"verb\":\"rollout\""));
    assert_true(job_says("\"state\":\"held\""));
    assert_true(job_says("\"failedNodes\":\"web-0\""));
    assert_int_equal(count_of("Batches"), 1);
    assert_true(any_says("Hold", "\"rule\":\"rollout\""));
    assert_true(any_says(
        "Hold",
        "\"fact\":\"web-0 stage-0 base failed with exit code 3: E: no such package; 3 of 4 have not started\""));
    assert_true(job_says("\"state\":\"waiting\"")); /* the job of the change */
    life_anew();
    bootstrap_time(MINUTE);
    assert_int_equal(events_of("hold.began"), 1); /* another manager has the same hold */
    assert_int_equal(events_of("hold.ended"), 0);
}

static void test_the_canary_bakes_and_others_follow_one_by_one(void **state)
{
    (void)state;
    nodes_make(careful);
    apply_rolled(NODES, "b", careful);
    bootstrap_time(BAKE / 2);
    assert_int_equal(fake.staged, NODES + 1);
    fake.slow = "web-2";
    bootstrap_time(3 * MINUTE);
    assert_int_equal(fake.staged, NODES + 3); /* web-1 is done, and web-3 waits for web-2 */
    fake.slow = NULL;
    bootstrap_time(SOON);
    assert_int_equal(fake.staged, NODES + 4);
    assert_true(job_says("\"state\":\"done\""));
    assert_int_equal(count_of("Batches"), 0);
    bootstrap_time(10 * MINUTE);
    assert_int_equal(fake.staged, NODES + 4);
}

static void test_the_default_is_one_canary(void **state)
{
    (void)state;
    nodes_make("surge: 1");
    fake.slow = "web-0";
    apply_rolled(NODES, "b", "surge: 1");
    bootstrap_time(10 * MINUTE);
    assert_int_equal(fake.staged, NODES + 1);
    fake.slow = NULL;
    bootstrap_time(MINUTE);
    assert_int_equal(fake.staged, NODES + 4);
}

static void test_managers_that_die_all_the_time_resume_the_same_rollout(void **state)
{
    (void)state;
    nodes_make(careful);
    apply_rolled(NODES, "b", careful);
    for (int i = 0; i < 300; i++) {
        bootstrap_time(300);
        life_anew();
    }
    bootstrap_time(2 * MINUTE);
    assert_true(job_says("\"state\":\"done\""));
    assert_int_equal(fake.known_count, NODES); /* each node had a slot exactly once */
    /* the jobs of both changes, and of the rollout */
    assert_int_equal(events_of("job.began"), 2 + 1);
    assert_int_equal(count_of("Batches"), 0);
}

static void test_managers_that_die_all_the_time_stop_at_the_canary(void **state)
{
    (void)state;
    nodes_make(careful);
    fake.bad = "web-0";
    apply_rolled(NODES, "b", careful);
    for (int i = 0; i < 100; i++) {
        bootstrap_time(300);
        life_anew();
    }
    bootstrap_time(2 * MINUTE);
    assert_true(job_says("\"state\":\"held\""));
    assert_int_equal(fake.known_count, 0); /* a failed run leaves no marker of its request */
    assert_true(job_says("\"waiting\":3"));
}

static void held_make(void)
{
    nodes_make(careful);
    fake.bad = "web-0";
    apply_rolled(NODES, "b", careful);
    bootstrap_time(MINUTE);
    assert_true(job_says("\"state\":\"held\""));
    assert_int_equal(fake.staged, NODES + 1);
}

static void test_resume_tries_the_failed_one_first(void **state)
{
    (void)state;
    held_make();
    web_write("Control", "{\"resumed\":{\"at\":1}}");
    bootstrap_time(MINUTE);
    /* it has failed again, and no other node was started */
    assert_int_equal(fake.staged, NODES + 2);
    assert_true(job_says("\"state\":\"held\""));
    assert_true(job_says("\"waiting\":3"));
    fake.bad = NULL;
    life_anew(); /* the same command is not executed twice */
    bootstrap_time(MINUTE);
    assert_int_equal(fake.staged, NODES + 2);
    web_write("Control", "{\"resumed\":{\"at\":2}}");
    bootstrap_time(BAKE / 2);
    assert_int_equal(fake.staged, NODES + 3);
    assert_int_equal(count_of("Hold"), 0);
    bootstrap_time(2 * MINUTE);
    assert_int_equal(fake.staged, NODES + 6);
    assert_true(job_says("\"verb\":\"rollout\""));
    assert_false(job_says("\"state\":\"held\""));
    assert_int_equal(count_of("Batches"), 0);
}

static void test_promote_goes_on_without_the_failed_one(void **state)
{
    (void)state;
    held_make();
    web_approve();
    bootstrap_time(3 * MINUTE);
    assert_int_equal(fake.staged, NODES + 4); /* the three other nodes, but not the failed node */
    assert_true(job_says("\"ready\":3"));
    /* one member is still failed, so the job remains held */
    assert_true(job_says("\"state\":\"held\""));
    assert_true(any_says(
        "Hold", "\"fact\":\"web-0 stage-0 base failed with exit code 3: E: no such package\""));
}

/* The approval covers the failures that its hold showed; the next failure stops the rollout again
 * (G20). */
static void test_promote_covers_one_observation(void **state)
{
    const char *first;

    (void)state;
    held_make();
    first = observed();
    fake.bad = "web-1";
    web_approve_for("");
    bootstrap_time(MINUTE);
    /* an approval without the right observation covers no failure */
    assert_int_equal(fake.staged, NODES + 1);
    web_approve_for(first);
    bootstrap_time(3 * MINUTE);
    assert_int_equal(fake.staged, NODES + 2); /* web-1 has failed, and web-2 does not start */
    assert_true(job_says("\"state\":\"held\""));
    assert_int_equal(events_of("hold.began"), 2);
    assert_string_not_equal(observed(), first);
    web_approve_for(first); /* the earlier approval covers no further failure */
    bootstrap_time(3 * MINUTE);
    assert_int_equal(fake.staged, NODES + 2);
    life_anew();
    web_approve();
    bootstrap_time(3 * MINUTE);
    assert_int_equal(fake.staged, NODES + 4);
}

/* The approval covered an unreachable member. If its stages fail later, that is another failure. */
static void test_promote_of_a_lost_member_does_not_cover_its_failed_stages(void **state)
{
    (void)state;
    nodes_make("surge: 1, canary: 1, batch: 1, maxFail: 1");
    fake.far = "web-0";
    apply_rolled(NODES, "b", "surge: 1, canary: 1, batch: 1, maxFail: 1");
    bootstrap_time(30 * MINUTE);
    assert_true(job_says("\"state\":\"held\""));
    fake.far = NULL;
    fake.bad = "web-0";
    web_approve();
    bootstrap_time(30 * MINUTE);
    assert_true(
        any_says("Hold", "web-0 stage-0 base failed with exit code 3: E: no such package; 3 of 4"));
    web_approve();
    bootstrap_time(30 * MINUTE);
    assert_true(any_says(
        "Hold", "\"fact\":\"web-0 stage-0 base failed with exit code 3: E: no such package\""));
}

/* X18: a failed attempt never counts as ready, regardless of its earlier service, and regardless of
 * members that wait for their rollout slot. */
static void test_a_failed_attempt_is_never_ready(void **state)
{
    (void)state;
    held_make();
    assert_true(cluster_says("\"failed\":1,\"leaving\":0,\"outdated\":4,\"ready\":3,"));
    assert_true(any_says("Resource", "\"failed\":"));
    assert_true(job_says("\"outdated\":4,\"ready\":3"));
    life_anew();
    bootstrap_time(SOON);
    assert_true(cluster_says("\"failed\":1,\"leaving\":0,\"outdated\":4,\"ready\":3,"));
    web_approve();
    bootstrap_time(3 * MINUTE);
    assert_true(cluster_says("\"failed\":1,\"leaving\":0,\"outdated\":1,\"ready\":3,"));
    assert_true(job_says("\"state\":\"waiting\"")); /* the job of the change is not done */
    fake.bad = NULL;
    web_write("Control", "{\"resumed\":{\"at\":1}}");
    bootstrap_time(MINUTE);
    assert_true(cluster_says("\"failed\":0,\"leaving\":0,\"outdated\":0,\"ready\":4,"));
    assert_false(any_says("Resource", "\"failed\":"));
    assert_true(job_says("\"state\":\"done\""));
}

static void test_undo_repairs_the_broken_one_alone(void **state)
{
    (void)state;
    held_make();
    fake.bad = NULL;
    apply_rolled(NODES, "a", careful);
    bootstrap_time(2 * MINUTE);
    assert_int_equal(fake.staged, NODES + 2);
    assert_int_equal(count_of("Hold"), 0);
    assert_int_equal(count_of("Batches"), 0);
    assert_true(job_says("\"state\":\"superseded\""));
    bootstrap_time(10 * MINUTE);
    assert_int_equal(fake.staged, NODES + 2);
}

/* The third stage chain supersedes the second: a member that ran the second continues with the
 * third, and all other members never run the second. */
static void test_another_chain_supersedes_it(void **state)
{
    (void)state;
    nodes_make(careful);
    fake.slow = "web-1";
    apply_rolled(NODES, "b", careful);
    bootstrap_time(2 * MINUTE);
    assert_int_equal(fake.staged, NODES + 2);
    apply_rolled(NODES, "c", careful);
    bootstrap_time(MINUTE);
    assert_int_equal(fake.staged,
                     /* the running stage is completed, and its member is out of service until
                      * then */
                     NODES + 2);
    fake.slow = NULL;
    bootstrap_time(5 * MINUTE);
    assert_int_equal(fake.staged, NODES + 2 + 4);
    assert_int_equal(count_of("Batches"), 0);
    /* and back to a chain that was rolled out before */
    apply_rolled(NODES, "b", careful);
    bootstrap_time(5 * MINUTE);
    assert_int_equal(fake.staged, NODES + 2 + 4 + 4);
    assert_int_equal(count_of("Batches"), 0);
}

/* Same as apply_rolled, with a configuration and with these members. */
static void apply_configured(const char *vars, const char *members)
{
    apply(arena_string(
        lab.arena,
        arena_printf(lab.arena,
                     "version: '1'\nname: shop\ngroups: {web: {size: %u, " SIM
                     ", rollout: {%s}, configuration: site@r1, configured: {revision: site@r1, "
                     "bundles: [{bundle: 'base@sha256:" DIGEST
                     "'}]}, vars: {%s}, members: {%s}}}\n",
                     (unsigned)NODES, careful, vars, members)));
}

/* With changed variables of one member, only this member runs its stages again; with changed
 * variables of the group, all members do. */
static void test_variables_of_a_member_are_its_own(void **state)
{
    (void)state;
    apply_configured("a: 1", "");
    bootstrap_time(SOON);
    assert_int_equal(fake.staged, NODES);
    apply_configured("a: 1", "web-2: {vars: {b: 2}}");
    bootstrap_time(3 * MINUTE);
    assert_int_equal(fake.staged, NODES + 1);
    assert_true(job_says("\"verb\":\"rollout\""));
    assert_int_equal(count_of("Batches"), 0);
    apply_configured("a: 2", "web-2: {vars: {b: 2}}");
    bootstrap_time(5 * MINUTE);
    assert_int_equal(fake.staged, NODES + 1 + NODES);
    /* the same values in another place of the file are not a change */
    apply_configured("a: 2", "web-2: {vars: {a: 2, b: 2}}, web-1: {vars: {a: 2}}");
    bootstrap_time(5 * MINUTE);
    assert_int_equal(fake.staged, NODES + 1 + NODES);
    apply_configured("a: 2", "");
    bootstrap_time(5 * MINUTE);
    assert_int_equal(fake.staged, NODES + 1 + NODES + 1);
    assert_int_equal(count_of("Batches"), 0);
}

/* While the rollout of one member is stopped, another member's change waits. A change of a member
 * in the rollout supersedes it, and its failure no longer counts, because that chain is no longer
 * desired. */
static void test_a_stopped_rollout_of_a_member(void **state)
{
    (void)state;
    apply_configured("a: 1", "");
    bootstrap_time(SOON);
    fake.bad = "web-0";
    apply_configured("a: 1", "web-0: {vars: {b: 2}}");
    bootstrap_time(3 * MINUTE);
    assert_int_equal(fake.staged, NODES + 1);
    assert_true(job_says("\"state\":\"held\""));
    apply_configured("a: 1", "web-0: {vars: {b: 2}}, web-1: {vars: {b: 3}}");
    bootstrap_time(5 * MINUTE);
    assert_int_equal(fake.staged, NODES + 1);
    assert_int_equal(count_of("Batches"), 1);
    fake.bad = NULL;
    apply_configured("a: 1", "web-0: {vars: {b: 4}}, web-1: {vars: {b: 3}}");
    bootstrap_time(5 * MINUTE);
    assert_int_equal(fake.staged, NODES + 3);
    assert_int_equal(count_of("Batches"), 0);
    assert_true(cluster_says("\"ready\":4"));
}

/* With `onFail: revert`, a failed member runs its former stages and is in service again. The
 * rollout remains stopped, also with another manager, until an operator resumes it. */
static void test_a_failed_member_is_reverted(void **state)
{
    static const char reverting[] =
        "surge: 1, canary: 1, bake: 20s, batch: 1, maxFail: 1, onFail: revert";

    (void)state;
    nodes_make(careful);
    fake.bad = "web-0";
    fake.bad_argument = "b";
    apply_rolled(NODES, "b", reverting);
    bootstrap_time(5 * MINUTE);
    assert_int_equal(fake.staged, NODES + 2); /* chain b, which fails, and chain a */
    assert_int_equal(events_of("node.reverted"), 1);
    assert_true(job_says("\"state\":\"held\""));
    assert_true(job_says("\"revertedNodes\":\"web-0\""));
    assert_true(cluster_says("\"ready\":4"));
    life_anew();
    bootstrap_time(5 * MINUTE);
    assert_int_equal(fake.staged, NODES + 2);
    assert_true(cluster_says("\"ready\":4"));
    web_write("Control", "{\"resumed\":{\"at\":1}}");
    bootstrap_time(5 * MINUTE);
    assert_int_equal(fake.staged, NODES + 4); /* both chains once more */
    fake.bad = NULL;
    web_write("Control", "{\"resumed\":{\"at\":2}}");
    bootstrap_time(5 * MINUTE);
    assert_int_equal(fake.staged, NODES + 8);
    assert_int_equal(count_of("Hold"), 0);
    assert_int_equal(count_of("Batches"), 0);
}

/* If managers die at any moment, the member is still reverted only once. */
static void test_managers_that_die_revert_once(void **state)
{
    static const char reverting[] =
        "surge: 1, canary: 1, bake: 20s, batch: 1, maxFail: 1, onFail: revert";

    (void)state;
    nodes_make(careful);
    fake.bad = "web-0";
    fake.bad_argument = "b";
    apply_rolled(NODES, "b", reverting);
    for (int i = 0; i < 60; i++) {
        bootstrap_time(700);
        life_anew();
    }
    bootstrap_time(5 * MINUTE);
    assert_int_equal(events_of("node.reverted"), 1);
    assert_true(job_says("\"state\":\"held\""));
    assert_true(cluster_says("\"ready\":4"));
    assert_int_equal(count_of("Batches"), 1);
}

static void test_a_paused_rollout_grants_no_slot(void **state)
{
    (void)state;
    nodes_make(careful);
    web_write("Control", "{\"rollout\":\"paused\"}");
    apply_rolled(NODES, "b", careful);
    bootstrap_time(2 * MINUTE);
    assert_int_equal(fake.staged, NODES);
    assert_true(any_says("Hold", "4 members wait for their rollout slots"));
    assert_true(job_says("\"waits\":[\"web is paused in its rollout\"]"));
    web_write("Control", NULL);
    bootstrap_time(3 * MINUTE);
    assert_int_equal(fake.staged, NODES + 4);
    assert_int_equal(count_of("Hold"), 0);
}

static void on_answer(void *arg, const struct service_answer *answer)
{
    (void)arg;
    assert_int_equal(answer->errors->errors, 0);
}

static void web_reboot(const char *names)
{
    struct service_actor actor = { TEXT("default"), TEXT("ana") };
    struct doc *empty = arena_one(lab.arena, struct doc);
    struct service_patch patch = { .kind = objects_kind("NodeGroup"),
                                   .name = TEXT("shop/web"),
                                   .patch_kind = CHANGE_PATCH_MERGE,
                                   .patch = empty,
                                   .change = { .mode = CHANGE_REPLACE,
                                               .supersedes = true,
                                               .reboots = text_from(names),
                                               .allow = { .reboot = 1 } } };
    struct err err;

    assert_true(json_parse(lab.arena, TEXT("{}"), NULL, empty, &err));
    service_patch(lab.service, lab.arena, &actor, &patch, on_answer, NULL);
    for (int i = 0; i < 100; i++) {
        turn();
    }
}

/* A member that was in service and waits for changed stages is outdated, but must count as in
 * service after a reboot. */
static void test_a_lagging_member_serves_after_its_reboot(void **state)
{
    static const char probed[] =
        "surge: 1, canary: 1, bake: 20s, batch: 1, maxFail: 1}, onUnreachable: hold, health: {probe: "
        "{tcp: 80, every: 2s, timeout: 500ms, fail: 3}";

    (void)state;
    nodes_make(probed);
    lab.probed = CONTROL_PROBED_UNREACHABLE;
    fake.is_shut = true; /* without logins, the plugin's answer ends the reboot */
    web_reboot("web-1");
    bootstrap_time(10 * 1000);
    fake.is_shut = false;
    assert_int_equal(events_of("machine.rebooted"), 1);
    web_write("Control", "{\"rollout\":\"paused\"}");
    apply_rolled(NODES, "b", probed);
    lab.probed = CONTROL_PROBED_WELL;
    bootstrap_time(5 * MINUTE);
    assert_int_equal(fake.staged, NODES);
    assert_true(cluster_says("\"ready\":4"));
    web_write("Control", NULL);
    bootstrap_time(5 * MINUTE);
    assert_int_equal(fake.staged, NODES + 4);
    assert_true(cluster_says("\"ready\":4"));
}

/* A member that is already unhealthy goes first; while it is unhealthy, no ready member starts. */
static void test_who_is_out_of_service_goes_first(void **state)
{
    (void)state;
    held_make(); /* the second chain fails on web-0 */
    fake.bad = NULL;
    fake.slow = "web-0";
    apply_rolled(NODES, "c", careful);
    bootstrap_time(MINUTE);
    assert_int_equal(fake.staged, NODES + 2);
    assert_true(job_says("\"staging\":1,\"waiting\":3"));
    fake.slow = NULL;
    bootstrap_time(3 * MINUTE);
    assert_int_equal(fake.staged, NODES + 5);
}

/* Machines of another generation are replaced, so they get the changed stages without a slot. */
static void test_no_slot_while_machines_are_replaced(void **state)
{
    (void)state;
    nodes_make(careful);
    apply("version: '1'\nname: shop\ngroups: {web: {size: 4, image: other, " SIM
          ", rollout: {surge: 1, canary: 1, bake: 20s, batch: 1, maxFail: 1}, bootstrap: [{bundle: "
          "'base@sha256:" DIGEST "', args: [b]}]}}\n");
    bootstrap_time(10 * MINUTE);
    assert_int_equal(fake.staged, NODES + 4);
    assert_true(cluster_says("\"ready\":4"));
    assert_false(job_says("\"verb\":\"rollout\""));
}

/* The members of a group without stages are in service, so added stages run by slots. */
static void test_first_stages_of_members_that_serve(void **state)
{
    (void)state;
    apply("version: '1'\nname: shop\ngroups: {web: {size: 4, " SIM "}}\n");
    bootstrap_time(SOON);
    assert_true(cluster_says("\"ready\":4"));
    fake.bad = "web-0";
    apply_rolled(NODES, "a", careful);
    bootstrap_time(5 * MINUTE);
    assert_int_equal(fake.staged, 1);
    assert_true(any_says("Hold", "\"rule\":\"rollout\""));
}

static void test_a_retry_needs_no_slot(void **state)
{
    (void)state;
    held_make();
    fake.bad = NULL;
    retry_say();
    bootstrap_time(MINUTE);
    /* the member is repaired, and the rollout is still held */
    assert_int_equal(fake.staged, NODES + 2);
    assert_true(job_says("\"state\":\"held\""));
    web_write("Control", "{\"resumed\":{\"at\":1}}");
    bootstrap_time(3 * MINUTE);
    assert_int_equal(fake.staged, NODES + 5);
    assert_int_equal(count_of("Batches"), 0);
}

/* Members that count as soon as they run were in service only after completing their stages, so the
 * first members start immediately. */
static void test_members_that_count_before_their_stages(void **state)
{
    (void)state;
    apply_group(NODES, "a", "running");
    bootstrap_time(SOON);
    assert_int_equal(fake.staged, NODES);
    assert_int_equal(count_of("Batches"), 0);
    fake.bad = "web-0";
    apply_group(NODES, "b", "running");
    bootstrap_time(5 * MINUTE);
    assert_int_equal(fake.staged, NODES + 1);
    life_anew(); /* the marker of web-0 is known to the next manager too */
    bootstrap_time(MINUTE);
    assert_int_equal(fake.staged, NODES + 1);
    assert_true(job_says("\"state\":\"held\""));
}

/* Two members may be out of service: two run at the same time after the canary, and an unreachable
 * member counts. */
static void test_as_many_at_once_as_may_be_out(void **state)
{
    static const char policy[] = "surge: 1, canary: 1, batch: 3, unavailable: 2, maxFail: 2";

    (void)state;
    nodes_make(policy);
    fake.slow = "web-1";
    apply_rolled(NODES, "b", policy);
    bootstrap_time(2 * MINUTE);
    assert_int_equal(fake.staged, NODES + 4); /* web-2 and web-3 do not wait for the slow node */
    fake.slow = NULL;
    bootstrap_time(SOON);
    assert_true(job_says("\"state\":\"done\""));

    fake.far = "web-1";
    apply_rolled(NODES, "c", policy);
    bootstrap_time(5 * MINUTE);
    assert_true(job_says("web-1"));
    assert_true(any_says("Hold", "web-1 cannot be reached"));
}

/* Applies cluster shop with groups web and db, whose stages have this argument. */
static void apply_both(const char *argument)
{
    apply(arena_string(
        lab.arena, arena_printf(lab.arena,
                                "version: '1'\nname: shop\ngroups: {web: {size: 2, " SIM
                                ", bootstrap: [{bundle: 'base@sha256:" DIGEST
                                "', args: [%s]}]}, db: {size: 2, " SIM
                                ", bootstrap: [{bundle: 'base@sha256:" DIGEST "', args: [%s]}]}}\n",
                                argument, argument)));
}

/* Two rollouts created in one transaction have two jobs. */
static void test_two_groups_are_rolled_out_at_once(void **state)
{
    (void)state;
    apply_both("a");
    bootstrap_time(SOON);
    assert_int_equal(fake.staged, NODES);
    apply_both("b");
    bootstrap_time(2 * MINUTE);
    assert_int_equal(fake.staged, 2 * NODES);
    assert_int_equal(count_of("Batches"), 0);
    /* the jobs of both changes and of both rollouts */
    assert_int_equal(events_of("job.began"), 2 + 2);
}

/* A cluster that is deleted during a rollout leaves no data of the rollout. */
static void test_a_deleted_cluster_takes_its_rollout_along(void **state)
{
    (void)state;
    held_make();
    change_do(
        "version: '1'\nname: shop\ngroups: {web: {size: 4, " SIM
        ", rollout: {surge: 1, canary: 1, bake: 20s, batch: 1, maxFail: 1}, bootstrap: [{bundle: "
        "'base@sha256:" DIGEST "', args: [b]}]}}\n",
        CHANGE_DELETE);
    bootstrap_time(5 * MINUTE);
    assert_int_equal(running(), 0);
    assert_int_equal(count_of("Batches"), 0);
    assert_int_equal(count_of("Hold"), 0);
}

/* Members created while the rollout is held run the changed stages immediately, because they were
 * never in service. */
static void test_new_members_start_at_once(void **state)
{
    (void)state;
    held_make();
    fake.bad = NULL;
    apply_rolled(NODES + 1, "b", careful);
    bootstrap_time(2 * MINUTE);
    assert_int_equal(fake.staged, NODES + 2);
    assert_true(cluster_says("\"failed\":1,\"leaving\":0,\"outdated\":4,\"ready\":4,"));
    assert_true(job_says("\"state\":\"held\""));
}

/* Batch flags of a change apply only to its rollout, and can only tighten the policy (0172). */
static void test_batch_flags_tighten_one_rollout(void **state)
{
    static const char loose[] = "canary: 0, batch: 4, unavailable: 4, maxFail: 4";
    const struct service_batching strict = { .batch = { .number = 1, .is_given = true },
                                             .max_fail = { 25, true, true },
                                             .canary = 1,
                                             .bake_ms = BAKE };
    const struct service_batching wide = { .batch = { .number = 9, .is_given = true },
                                           .max_fail = { .number = 9, .is_given = true } };

    (void)state;
    nodes_make(loose);
    fake.bad = "web-0";
    apply_batched(NODES, "b", loose, &strict);
    assert_int_equal(count_of("Pacing"), 1);
    bootstrap_time(2 * MINUTE);
    assert_int_equal(fake.staged, NODES + 1);
    assert_true(job_says("\"state\":\"held\""));

    /* the next change uses the policy of the group, and deletes the request of the batch flags */
    fake.bad = NULL;
    apply_rolled(NODES, "c", loose);
    assert_int_equal(count_of("Pacing"), 0);
    bootstrap_time(SOON);
    assert_int_equal(fake.staged, NODES + 1 + NODES);

    /* less strict flags have no effect */
    apply_batched(NODES, "d", "canary: 1, bake: 20s, batch: 1, maxFail: 1", &wide);
    bootstrap_time(SOON / 2);
    assert_int_equal(fake.staged, NODES + 1 + NODES + 1);
    bootstrap_time(10 * MINUTE);
    assert_int_equal(fake.staged, NODES + 1 + NODES + NODES);

    /* the requests are deleted with their group */
    assert_int_equal(count_of("Pacing"), 1);
    apply("version: '1'\nname: shop\ngroups: {db: {size: 0, " SIM "}}\n");
    bootstrap_time(10 * MINUTE);
    assert_int_equal(count_of("Pacing"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_broken_canary_keeps_three_untouched, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_the_canary_bakes_and_others_follow_one_by_one,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_default_is_one_canary, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_batch_flags_tighten_one_rollout, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_managers_that_die_all_the_time_resume_the_same_rollout,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_managers_that_die_all_the_time_stop_at_the_canary,
                                        nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_resume_tries_the_failed_one_first, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_promote_goes_on_without_the_failed_one, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_promote_covers_one_observation, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_promote_of_a_lost_member_does_not_cover_its_failed_stages, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_failed_attempt_is_never_ready, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_undo_repairs_the_broken_one_alone, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_another_chain_supersedes_it, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_failed_member_is_reverted, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_managers_that_die_revert_once, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_variables_of_a_member_are_its_own, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_stopped_rollout_of_a_member, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_paused_rollout_grants_no_slot, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_lagging_member_serves_after_its_reboot, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_who_is_out_of_service_goes_first, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_no_slot_while_machines_are_replaced, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_first_stages_of_members_that_serve, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_retry_needs_no_slot, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_members_that_count_before_their_stages, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_as_many_at_once_as_may_be_out, nodes_setup, teardown),
        cmocka_unit_test_setup_teardown(test_two_groups_are_rolled_out_at_once, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_deleted_cluster_takes_its_rollout_along, nodes_setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_new_members_start_at_once, nodes_setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
