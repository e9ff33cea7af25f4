#include "sim.h"

#include <stdio.h>
#include <string.h>

/* public names start with: scenario_ */

/* Scripted scenarios for events that random faults produce very rarely. Each scenario shows errors
 * that certain guards prevent, or that certain planted bugs cause. A scenario begins with three
 * groups of three machines; its first step follows an hour later. */

enum { SECOND_MS = 1000, MINUTE_MS = 60 * SECOND_MS, HOUR_MS = 60 * MINUTE_MS };

/* ---- events ---- */

static void size_2(struct sim *sim)
{
    people_size(sim, 0, 2);
}

static void size_3(struct sim *sim)
{
    people_size(sim, 0, 3);
}

static void size_4(struct sim *sim)
{
    people_size(sim, 0, 4);
}

static void change_unheard(struct sim *sim)
{
    sim->scene.is_unheard = true;
    size_4(sim);
}

static void change_lost(struct sim *sim)
{
    sim->scene.is_lost = true;
    size_4(sim);
}

static void change_refused(struct sim *sim)
{
    sim->scene.is_refused = true;
    size_4(sim);
}

/* Delays a manager's change until another manager has taken over. */
static void change_stalled(struct sim *sim)
{
    sim->scene.until = sim->now_ms + 6 * MINUTE_MS;
    sim->scene.is_stalled = true;
    size_4(sim);
}

static void watches_behind(struct sim *sim)
{
    sim->scene.watch_delay_ms = 5 * MINUTE_MS;
}

static void ends_lost(struct sim *sim)
{
    sim->scene.ends_are_lost = true;
    size_2(sim);
}

static void create_late(struct sim *sim)
{
    sim->scene.effect_ms = 4 * MINUTE_MS;
    size_4(sim);
}

static void lists_empty(struct sim *sim)
{
    sim->scene.lists_are_empty = true;
}

static void lists_partial(struct sim *sim)
{
    sim->scene.lists_are_partial = true;
}

static void finds_lie(struct sim *sim)
{
    sim->scene.finds_lie = true;
}

static void finds_waver(struct sim *sim)
{
    sim->scene.finds_are_lost = false;
    sim->scene.finds_waver = true;
}

static void finds_lost(struct sim *sim)
{
    sim->scene.finds_are_lost = true;
}

/* Hide the first of all machines in all listings for a while. */
static void one_hidden(struct sim *sim)
{
    struct sim_machine *machine = sim_first(sim->cloud, text_from(sim->cluster));

    sim_hide(machine, sim->now_ms + 10 * MINUTE_MS);
}

static void one_glimpsed(struct sim *sim)
{
    struct sim_machine *machine = sim_first(sim->cloud, text_from(sim->cluster));

    sim_hide(machine, sim->now_ms + 150 * SECOND_MS);
}

static void one_stray(struct sim *sim)
{
    (void)mishap_stray(sim, 0);
}

static void two_strays(struct sim *sim)
{
    one_stray(sim);
    one_stray(sim);
}

/* Replaces the files of the store by a copy from before the creation of one machine of group a. */
static void backed_up_and_grown(struct sim *sim)
{
    backup_make(sim);
    size_4(sim);
}

static void put_back(struct sim *sim)
{
    backup_put_back(sim);
}

static void two_foreign(struct sim *sim)
{
    mishap_happen(sim, FAULT_foreign);
    mishap_happen(sim, FAULT_foreign);
}

static void all_crash(struct sim *sim)
{
    for (unsigned i = 0; i < SIM_MANAGERS; i++) {
        manager_crash(&sim->managers[i]);
        sim->managers[i].up_at = sim->now_ms + (SIM_MANAGERS - i) * MINUTE_MS;
    }
}

static void torn(struct sim *sim)
{
    sim->scene.tears = true;
}

static void paused(struct sim *sim)
{
    sim->wanted[0].paused_ms = sim->now_ms;
    people_write_pause(sim, 0, true);
}

static void spared(struct sim *sim)
{
    people_spare(sim);
}

static void removed_with_stray(struct sim *sim)
{
    one_stray(sim);
    people_remove(sim);
}

static void removed(struct sim *sim)
{
    people_remove(sim);
}

/* Remove the specification without a deletion command. */
static void vanished(struct sim *sim)
{
    char key[100];

    snprintf(key, sizeof(key), "/default/Cluster/%s/spec", sim->cluster + strlen("default/"));
    people_write(sim, text_from(key), TEXT(""));
}

/* Let providers accept only one call per second. */
static void calls_slow(struct sim *sim)
{
    for (unsigned i = 0; i < SIM_MANAGERS; i++) {
        sim->managers[i].provider->traits.calls_per_s = 1;
    }
    people_size(sim, 0, 6);
}

/* Suspend the lease holder for longer than managers wait for late effects. */
static void leader_sleeps(struct sim *sim)
{
    const struct cache_object *lease = cache_find(sim->view, TEXT("default"), TEXT("Lease"),
                                                  text_from(sim->cluster + strlen("default/")));
    struct text said = blob_text(lease->parts[CACHE_STATUS].bytes);

    for (unsigned i = 0; i < SIM_MANAGERS; i++) {
        struct manager *manager = &sim->managers[i];
        const char *session = manager->session;

        if (memmem(said.data, said.length, session, strlen(session)) != NULL) {
            manager_pause(manager, sim->now_ms + 25 * MINUTE_MS);
        }
    }
}

/* Return the machine of a slot of the first group. */
static struct sim_machine *member(struct sim *sim, uint64_t slot)
{
    struct text cluster = text_from(sim->cluster);
    struct sim_machine *one = sim_first(sim->cloud, cluster);

    while (sim_tags(one).group.data[0] != 'a' || sim_tags(one).slot != slot || !sim_is_there(one)) {
        one = sim_next(sim->cloud, cluster, one);
    }
    return one;
}

static void newest_dies(struct sim *sim)
{
    sim_end(sim->cloud, member(sim, 5));
}

static void last_hidden(struct sim *sim)
{
    sim_hide(member(sim, 2), sim->now_ms + 10 * MINUTE_MS);
}

/* Makes the store unavailable for so long that all cached data is outdated afterwards. */
static void one_dies_in_outage(struct sim *sim)
{
    sim->outage_until = sim->now_ms + 45 * MINUTE_MS;
    sim_end(sim->cloud, member(sim, 0));
    size_2(sim);
}

static void size_9(struct sim *sim)
{
    people_size(sim, 0, 9);
}

static void eight_strays(struct sim *sim)
{
    for (int i = 0; i < 8; i++) {
        one_stray(sim);
    }
}

/* Let managers reach only one machine of each group. */
static void all_cut(struct sim *sim)
{
    sim->scene.is_cut = true;
}

/* Make the machines in these slots of the first group unhealthy from now on. */
static void unhealthy(struct sim *sim, uint64_t first, uint64_t end)
{
    for (uint64_t slot = first; slot < end; slot++) {
        member(sim, slot)->unhealthy_ms = sim->now_ms;
    }
}

static void first_unhealthy(struct sim *sim)
{
    unhealthy(sim, 0, 1);
}

static void four_unhealthy(struct sim *sim)
{
    unhealthy(sim, 1, 5);
}

static void image_bad(struct sim *sim)
{
    sim->wanted[0].bad_image = sim->wanted[0].image + 1;
    people_image(sim, 0);
}

static void restaged(struct sim *sim)
{
    people_restage(sim, 0, false);
}

static void all_restaged(struct sim *sim)
{
    people_restage(sim, SIM_GROUPS, false);
}

static void restaged_badly(struct sim *sim)
{
    people_restage(sim, 0, true);
}

static void image_new(struct sim *sim)
{
    people_image(sim, 0);
}

/* Ends five machines without reeve's action. Answers to lookups are lost too, so that the hold of
 * the listing guard does not end without an operator. */
static void five_die(struct sim *sim)
{
    sim->scene.finds_are_lost = true;
    for (uint64_t slot = 0; slot < 5; slot++) {
        sim_end(sim->cloud, member(sim, slot));
    }
}

static void three_die(struct sim *sim)
{
    for (uint64_t slot = 5; slot < 8; slot++) {
        sim_end(sim->cloud, member(sim, slot));
    }
}

static void approved(struct sim *sim)
{
    people_approve(sim);
}

static void is_braked(struct sim *sim)
{
    oracle_braked(sim);
    sim->scene.finds_are_lost = false;
}

/* Makes creates slow: listings may be five minutes old, and a new machine appears in listings after
 * the same time. */
static void create_slow(struct sim *sim)
{
    for (unsigned i = 0; i < SIM_MANAGERS; i++) {
        sim->managers[i].provider->traits.lag_ms = 5 * MINUTE_MS;
    }
    create_late(sim);
}

static void fourth_hidden(struct sim *sim)
{
    sim_hide(member(sim, 3), sim->now_ms + 4 * MINUTE_MS);
    sim->scene.finds_lie = true;
}

static void foreign_go(struct sim *sim)
{
    struct text cluster = text_from(sim->cluster);

    for (struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        if (one->is_planted && sim_is_there(one)) {
            sim_end(sim->cloud, one);
        }
    }
}

static void is_unbraked(struct sim *sim)
{
    oracle_unbraked(sim);
}

static void all_is_well(struct sim *sim)
{
    sim->scene = (struct scene){ .step = sim->scene.step, .due = sim->scene.due };
}

/* ---- sequences ---- */

enum { STEPS_MAX = 5 };

static const struct scenario_plan {
    struct scenario is;
    struct {
        uint64_t after_ms;
        void (*happens)(struct sim *sim);
    } steps[STEPS_MAX];
} plans[] = {
    { { "lost-change", "G11: a change is neither applied nor answered" },
      { { HOUR_MS, change_lost } } },
    { { "refused-change", "BUG_REFUSED_IS_DONE: a change is refused" },
      { { HOUR_MS, change_refused } } },
    { { "stale-view", "G2: a change is applied but not answered, and the watches are late" },
      { { HOUR_MS, change_unheard }, { 50, watches_behind }, { MINUTE_MS, all_is_well } } },
    { { "two-leaders", "G10 BUG_EPOCH_UNCOMPARED: a change arrives after the lease has moved" },
      { { HOUR_MS, change_stalled } } },
    { { "given-up",
        "G3 BUG_TOKEN_REDRAWN: a create call times out and takes effect during the next one" },
      { { HOUR_MS, create_late } } },
    { { "given-up-tokenless",
        "G26: a create call of a provider without tokens takes effect later, and others follow",
        .is_tokenless = true },
      { { HOUR_MS, create_late } } },
    { { "handover-tokenless", "G26: the manager of that call crashes before it is answered",
        .is_tokenless = true },
      { { HOUR_MS, create_late }, { 30 * SECOND_MS, all_crash } } },
    { { "late-create", "G12: a cancelled create call takes effect later" },
      { { HOUR_MS, create_late }, { 30 * SECOND_MS, size_3 } } },
    { { "late-again", "G12: it takes effect when the machine of another try is destroyed already" },
      { { HOUR_MS, create_late }, { 2 * MINUTE_MS, size_3 } } },
    { { "late-unseen", "BUG_PARTIAL_IS_WHOLE: it takes effect, and listings report to be partial" },
      { { HOUR_MS, create_late },
        { 30 * SECOND_MS, size_3 },
        { MINUTE_MS, lists_partial },
        { 20 * MINUTE_MS, all_is_well } } },
    { { "lost-end", "G6 G14 BUG_FORGET_EARLY: destroy calls are lost, and the group grows again" },
      { { HOUR_MS, ends_lost }, { MINUTE_MS, size_3 }, { 10 * MINUTE_MS, all_is_well } } },
    { { "lost-end-unseen", "BUG_UNKNOWN_IS_DONE: a machine is not destroyed, and not listed" },
      { { HOUR_MS, ends_lost }, { 20 * SECOND_MS, last_hidden }, { 9 * MINUTE_MS, all_is_well } } },
    { { "dark-region", "G7: listings are empty, and later lookups find nothing for two minutes" },
      { { HOUR_MS, lists_empty },
        { 80 * SECOND_MS, finds_lie },
        { 130 * SECOND_MS, all_is_well } } },
    { { "hidden", "BUG_ANSWERS_MIXED: an unlisted machine gets lookups that differ or are lost" },
      { { HOUR_MS, one_hidden },
        { 120 * SECOND_MS, finds_lost },
        { 200 * SECOND_MS, finds_waver },
        { 4 * MINUTE_MS, all_is_well } } },
    { { "glimpse", "G5 BUG_ABSENCE_DOUBLED: a machine is briefly neither listed nor found by id" },
      { { HOUR_MS, one_glimpsed }, { MINUTE_MS, finds_lie }, { 90 * SECOND_MS, all_is_well } } },
    { { "last-good", "G9: a group shrinks while one of its machines is dead, and not known to be" },
      { { HOUR_MS, one_dies_in_outage } } },
    { { "foreign", "G4 BUG_STAMP_UNCHECKED: machines without our stamp" },
      { { HOUR_MS, two_foreign } } },
    { { "stray", "G13 BUG_SIGHTING_AGED: a machine with our stamp was not requested" },
      { { HOUR_MS, one_stray } } },
    { { "put-back", "G18: store files are put back that are older than one of the machines" },
      { { HOUR_MS, backed_up_and_grown }, { 5 * MINUTE_MS, put_back } } },
    { { "strays", "G8 BUG_BUDGET_UNCOUNTED: two unrequested machines at once" },
      { { HOUR_MS, two_strays } } },
    { { "handover", "BUG_CLOCK_TRUSTED: another manager continues with the counters of the first" },
      { { HOUR_MS, one_stray }, { 5 * MINUTE_MS, all_crash } } },
    { { "spared", "BUG_REJECTION_UNREAD: an operator spares a machine in quarantine" },
      { { HOUR_MS, one_stray }, { 8 * MINUTE_MS, spared } } },
    { { "removed", "nothing alone: the whole cluster is deleted, and created again" },
      { { HOUR_MS, removed } } },
    { { "removed-not-all", "nothing alone: the cluster and an unrequested machine are deleted" },
      { { HOUR_MS, removed_with_stray } } },
    { { "vanished", "G8: the specification is missing without a deletion command" },
      { { HOUR_MS, vanished } } },
    { { "asleep", "G10 BUG_QUEUE_KEPT: calls are queued while their manager is suspended" },
      { { HOUR_MS, calls_slow }, { 1500, leader_sleeps }, { 5 * MINUTE_MS, newest_dies } } },
    { { "paused", "BUG_PAUSE_UNREAD: a group is paused, and has another size" },
      { { HOUR_MS, paused }, { 20 * MINUTE_MS, size_4 } } },
    { { "torn", "BUG_PART_IS_WHOLE: the stored specification is partial during a listing" },
      { { HOUR_MS, torn }, { 30 * MINUTE_MS, torn } } },
    { { "many-strays", "BUG_UNKNOWN_UNBOUNDED: more machines are unknown than may be destroyed" },
      { { HOUR_MS, eight_strays } } },
    { { "slow-birth", "BUG_AGE_OF_RECORD: a machine appeared late, and a listing lacks it" },
      { { HOUR_MS, create_slow },
        { 165 * SECOND_MS, fourth_hidden },
        { 4 * MINUTE_MS, all_is_well } } },
    { { "removed-after-orphan", "G21: an orphan is destroyed, and then the cluster is deleted" },
      { { HOUR_MS, one_stray }, { 40 * MINUTE_MS, removed } } },
    { { "approved-once", "G20: a loss was approved, and another one follows" },
      { { HOUR_MS, size_9 },
        { 10 * MINUTE_MS, five_die },
        { 35 * SECOND_MS, approved },
        { 10 * SECOND_MS, three_die },
        { MINUTE_MS, is_braked } } },
    { { "beside-missing", "G19: the provider of another group is missing",
        .is_other_missing = true },
      { { HOUR_MS, two_foreign },
        { 30 * MINUTE_MS, foreign_go },
        { 30 * MINUTE_MS, is_unbraked } } },
    { { "cut-off", "G17: managers lose contact with most machines", 100 },
      { { HOUR_MS, all_cut }, { 40 * MINUTE_MS, all_is_well } } },
    { { "common-fault",
        "G16 BUG_UNHEALTHY_UNBOUNDED: machines become unhealthy one after the other", 34 },
      { { HOUR_MS, size_9 },
        { 10 * MINUTE_MS, first_unhealthy },
        { 2 * MINUTE_MS, four_unhealthy } } },
    { { "wrong-victim", "G22: a group shrinks while one of its machines is unhealthy", 34 },
      { { HOUR_MS, first_unhealthy }, { 2 * MINUTE_MS, size_2 } } },
    { { "canary", "BUG_BAKE_UNREAD: others follow when the canary has baked", 34, .canary = 1 },
      { { HOUR_MS, image_new } } },
    { { "bad-image", "BUG_FAILURES_UNCOUNTED: machines of another image are unhealthy", 34,
        .canary = 1, .fail_max = 1 },
      { { HOUR_MS, image_bad } } },
    { { "bad-image-again", "BUG_FAILURES_UNCOUNTED: the second failure stops a rollout", 34,
        .canary = 1, .fail_max = 2 },
      { { HOUR_MS, image_bad } } },
    { { "another-argument", "a rollout in place: the stage of a group gets another argument",
        .has_stages = true },
      { { HOUR_MS, restaged } } },
    { { "bad-argument", "a rollout in place stops: the first member fails with another argument",
        .has_stages = true },
      { { HOUR_MS, restaged_badly } } },
    { { "two-at-once",
        "BUG_SLOTS_UNBOUNDED: a batch has two members, and one may be out of service", 34,
        .has_stages = true, .batch = 2 },
      { { HOUR_MS, restaged } } },
    { { "canary-in-place", "G15: others follow when the canary has baked", 34, .canary = 1,
        .has_stages = true },
      { { HOUR_MS, restaged } } },
    { { "bad-argument-approved",
        "BUG_SLOT_FAILURES_UNCOUNTED: each failure stops a rollout until an operator approves it",
        34, .fail_max = 1, .canary = 1, .has_stages = true },
      { { HOUR_MS, restaged_badly }, { 40 * MINUTE_MS, approved } } },
    { { "budget",
        "G24 BUG_TICKET_SHARED BUG_TICKET_FREED: all groups get another argument, and one node may "
        "be out of service",
        .has_stages = true, .budget = 1 },
      { { HOUR_MS, all_restaged } } },
    { { "nothing-asked", "BUG_ROLL_UNASKED: no request is made, and nothing happens", 34 },
      { { HOUR_MS, all_is_well } } },
    { { "another-image", "BUG_ROLL_UNCOUNTED: a rollout has batches of one machine", 34 },
      { { HOUR_MS, image_new } } },
};

enum { PLAN_COUNT = sizeof(plans) / sizeof(plans[0]) };

void scenario_run(struct sim *sim)
{
    const struct scenario_plan *plan = (const struct scenario_plan *)sim->setup.scenario;
    unsigned step = sim->scene.step;

    sim->scene.due = UINT64_MAX;
    if (step > 0) {
        plan->steps[step - 1].happens(sim);
    }
    sim->scene.step++;
    if (step < STEPS_MAX && plan->steps[step].happens != NULL) {
        sim->scene.due = sim->now_ms + plan->steps[step].after_ms;
    }
}

const struct scenario *scenario_find(const char *name)
{
    for (size_t i = 0; i < PLAN_COUNT; i++) {
        if (strcmp(plans[i].is.name, name) == 0) {
            return &plans[i].is;
        }
    }
    return NULL;
}

const struct scenario *scenario_at(size_t index)
{
    return index < PLAN_COUNT ? &plans[index].is : NULL;
}
