/* plan_voters over all states of up to seven managers and five members.
 *
 * A state is a multiset of slots: a manager with its state, and its member with its state. From
 * every state with a quorum, the acts are applied one after the other, while learners catch up,
 * live managers become fresh and silent members are decided both ways. */

#include "unit.h"

#include "plan/voters.h"

enum { SLOTS = 7, MEMBERS = 5, ROUNDS = 40, NOW = 1000000, SILENT = 30000, FRESH = 60000 };

enum slot_manager { SLOT_DEAD, SLOT_LIVE, SLOT_FRESH, SLOT_LEAVING, SLOT_FORGOTTEN };
enum slot_member { SLOT_NONE, SLOT_VOTER, SLOT_LEARNER, SLOT_CAUGHT_UP };
enum slot_voice { SLOT_HEARD, SLOT_SILENT, SLOT_LOST, SLOT_STOPPED };

struct slot {
    enum slot_manager manager;
    enum slot_member member;
    enum slot_voice voice;
};

/* The kinds of slot that exist: first those with a voter, then those with a learner, then those
 * without a member. */
static const struct slot kinds[] = {
    { SLOT_FRESH, SLOT_VOTER, SLOT_HEARD },       { SLOT_LIVE, SLOT_VOTER, SLOT_HEARD },
    { SLOT_DEAD, SLOT_VOTER, SLOT_HEARD },        { SLOT_LEAVING, SLOT_VOTER, SLOT_HEARD },
    { SLOT_FORGOTTEN, SLOT_VOTER, SLOT_HEARD },   { SLOT_FRESH, SLOT_VOTER, SLOT_SILENT },
    { SLOT_DEAD, SLOT_VOTER, SLOT_SILENT },       { SLOT_FRESH, SLOT_VOTER, SLOT_LOST },
    { SLOT_DEAD, SLOT_VOTER, SLOT_LOST },         { SLOT_LEAVING, SLOT_VOTER, SLOT_LOST },
    { SLOT_DEAD, SLOT_VOTER, SLOT_STOPPED },      { SLOT_FRESH, SLOT_LEARNER, SLOT_HEARD },
    { SLOT_FRESH, SLOT_CAUGHT_UP, SLOT_HEARD },   { SLOT_DEAD, SLOT_CAUGHT_UP, SLOT_LOST },
    { SLOT_LEAVING, SLOT_CAUGHT_UP, SLOT_HEARD }, { SLOT_FORGOTTEN, SLOT_LEARNER, SLOT_LOST },
    { SLOT_FRESH, SLOT_NONE, SLOT_HEARD },        { SLOT_LIVE, SLOT_NONE, SLOT_HEARD },
    { SLOT_DEAD, SLOT_NONE, SLOT_HEARD },         { SLOT_LEAVING, SLOT_NONE, SLOT_HEARD },
};

struct run {
    uint32_t rules_off;
    size_t states;
    size_t acts;
    size_t violations;
    struct slot slots[SLOTS];
    size_t count;
    bool is_first_only; /* stop at the first violation */
};

struct input {
    struct plan_voters_manager managers[SLOTS];
    size_t manager_count;
    struct plan_voters_member members[SLOTS];
    size_t member_count;
    struct plan_voters_evidence evidence;
};

static const char *const names[SLOTS] = { "m1", "m2", "m3", "m4", "m5", "m6", "m7" };
static const char *const zones[SLOTS] = { "a", "b", "c", "a", "b", "c", "a" };

static void violation(struct run *run, const char *what)
{
    run->violations++;
    if (run->rules_off == 0) {
        fprintf(stderr, "violation: %s:", what);
        for (size_t i = 0; i < run->count; i++) {
            fprintf(stderr, " %d/%d/%d", run->slots[i].manager, run->slots[i].member,
                    run->slots[i].voice);
        }
        fprintf(stderr, "\n");
    }
}

static bool is_heard_voter(const struct slot *slot)
{
    return slot->member == SLOT_VOTER && slot->voice == SLOT_HEARD;
}

static bool has_quorum(const struct slot *slots, size_t count)
{
    size_t voters = 0;
    size_t heard = 0;

    for (size_t i = 0; i < count; i++) {
        voters += slots[i].member == SLOT_VOTER;
        heard += is_heard_voter(&slots[i]);
    }
    return heard >= voters / 2 + 1;
}

/* Builds the input of the planner. `is_turned`: in the opposite order. */
static void input_make(const struct run *run, const struct slot *slots, size_t leader,
                       bool is_turned, struct input *out)
{
    *out = (struct input){ .evidence = { .has_quorum = true,
                                         .leader = leader + 1,
                                         .limits = { SILENT, FRESH, run->rules_off } } };
    for (size_t n = 0; n < run->count; n++) {
        size_t i = is_turned ? run->count - 1 - n : n;
        const struct slot *slot = &slots[i];

        if (slot->manager != SLOT_FORGOTTEN) {
            out->managers[out->manager_count++] = (struct plan_voters_manager){
                .id = text_from(names[i]),
                .zone = text_from(zones[i]),
                .heard_ms = slot->manager != SLOT_DEAD   ? NOW - 1000
                            : slot->voice == SLOT_SILENT ? NOW - 10000
                                                         : NOW - 50000,
                .fresh_since_ms = slot->manager == SLOT_FRESH || slot->manager == SLOT_LEAVING
                                      ? NOW - 70000
                                  : slot->manager == SLOT_LIVE ? NOW - 5000
                                                               : 0,
                .is_stopped = slot->voice == SLOT_STOPPED,
                .is_leaving = slot->manager == SLOT_LEAVING,
            };
        }
        if (slot->member != SLOT_NONE) {
            out->members[out->member_count++] = (struct plan_voters_member){
                .id = i + 1,
                .manager = text_from(names[i]),
                .heard_ms = slot->voice == SLOT_HEARD    ? NOW
                            : slot->voice == SLOT_SILENT ? NOW - SILENT + 1
                            : slot->voice == SLOT_LOST   ? NOW - SILENT
                                                         : NOW - 2000,
                .is_heard = slot->voice == SLOT_HEARD,
                .is_learner = slot->member != SLOT_VOTER,
                .is_caught_up = slot->member == SLOT_CAUGHT_UP,
            };
        }
    }
}

static struct plan_voters_act act_of(const struct input *input)
{
    return plan_voters(input->managers, input->manager_count, input->members, input->member_count,
                       &input->evidence, NOW);
}

/* Returns the act, after checks that hold for every state: the order of the input does not matter,
 * and nothing is done while another change is under way. */
static struct plan_voters_act act_checked(struct run *run, const struct slot *slots, size_t leader)
{
    struct input input;
    struct plan_voters_act act;
    struct plan_voters_act turned;

    input_make(run, slots, leader, true, &input);
    turned = act_of(&input);
    input_make(run, slots, leader, false, &input);
    act = act_of(&input);
    if (act.kind != turned.kind || act.member != turned.member || act.rule != turned.rule ||
        !text_is_equal(act.manager, turned.manager)) {
        violation(run, "the order of the input matters");
    }
    input.evidence.is_changing = true;
    if (act_of(&input).kind != PLAN_VOTERS_NONE) {
        violation(run, "two changes at once");
    }
    assert_non_null(act.reason);
    return act;
}

static size_t slot_of(const struct plan_voters_act *act)
{
    if (act->member != 0) {
        return act->member - 1;
    }
    for (size_t i = 0; i < SLOTS; i++) {
        if (text_is(act->manager, names[i])) {
            return i;
        }
    }
    return 0;
}

static size_t learners_of(const struct slot *slots, size_t count)
{
    size_t learners = 0;

    for (size_t i = 0; i < count; i++) {
        learners += slots[i].member == SLOT_LEARNER || slots[i].member == SLOT_CAUGHT_UP;
    }
    return learners;
}

/* Applies an act as etcd would. Returns false if etcd would reject it, or if it takes the quorum
 * away. */
static bool act_apply(struct run *run, struct slot *slots, size_t *leader,
                      const struct plan_voters_act *act)
{
    struct slot *slot = &slots[slot_of(act)];
    bool is_right = true;

    switch (act->kind) {
    case PLAN_VOTERS_ADD:
        is_right = slot->member == SLOT_NONE && slot->manager == SLOT_FRESH &&
                   learners_of(slots, run->count) == 0;
        slot->member = SLOT_LEARNER;
        slot->voice = SLOT_HEARD;
        break;
    case PLAN_VOTERS_PROMOTE:
        is_right = slot->member == SLOT_CAUGHT_UP && slot->voice == SLOT_HEARD;
        slot->member = SLOT_VOTER;
        break;
    case PLAN_VOTERS_REMOVE:
        is_right = slot->member != SLOT_NONE && slot_of(act) != *leader;
        slot->member = SLOT_NONE;
        break;
    case PLAN_VOTERS_MOVE_LEADER:
    case PLAN_VOTERS_NONE:
    case PLAN_VOTERS_KIND_COUNT:
        is_right = is_heard_voter(slot) && slot_of(act) != *leader;
        *leader = slot_of(act);
        break;
    }
    if (!is_right || !has_quorum(slots, run->count)) {
        violation(run, is_right ? "an act takes the quorum away" : "an act cannot be done");
        return false;
    }
    return true;
}

/* Lets time pass: returns whether anything changed. */
static bool time_pass(const struct run *run, struct slot *slots, bool is_silence_death)
{
    bool has_changed = false;

    for (size_t i = 0; i < run->count; i++) {
        struct slot was = slots[i];

        slots[i].manager = was.manager == SLOT_LIVE ? SLOT_FRESH : was.manager;
        if (was.member == SLOT_LEARNER && was.voice == SLOT_HEARD) {
            slots[i].member = SLOT_CAUGHT_UP;
        }
        if (was.voice == SLOT_SILENT) {
            slots[i].voice = is_silence_death || was.member == SLOT_NONE ? SLOT_LOST : SLOT_HEARD;
        }
        has_changed = has_changed || was.manager != slots[i].manager ||
                      was.member != slots[i].member || was.voice != slots[i].voice;
    }
    return has_changed;
}

/* Checks the members at the end. */
static bool is_as_wanted(const struct run *run, const struct slot *slots)
{
    size_t staying = 0;
    size_t known = 0;
    size_t voters = 0;
    size_t bad = 0;
    size_t wanted;

    for (size_t i = 0; i < run->count; i++) {
        bool is_kept = slots[i].manager != SLOT_LEAVING && slots[i].manager != SLOT_FORGOTTEN;
        bool has_voice = slots[i].member != SLOT_NONE && slots[i].voice == SLOT_HEARD;

        known += is_kept;
        staying += is_kept && (slots[i].manager == SLOT_FRESH || has_voice);
        voters += slots[i].member == SLOT_VOTER;
        bad += slots[i].member != SLOT_NONE && (!is_kept || slots[i].voice != SLOT_HEARD);
    }
    if (staying == 0) {
        return true; /* nobody can take a member: nothing can become better */
    }
    wanted = staying < 3 ? 1 : known >= 7 && staying >= 5 ? 5 : 3;
    return voters == wanted && bad == 0 && learners_of(slots, run->count) == (staying == 2 ? 1 : 0);
}

/* Checks that no voter that answers is removed before there are as many others as wanted. A pair of
 * voters is another matter: one of them tolerates as much as two. */
static void removal_check(struct run *run, const struct slot *slots, size_t leader,
                          const struct plan_voters_act *act)
{
    struct input input;
    size_t kept = 0;

    if (act->kind != PLAN_VOTERS_REMOVE || act->rule == PLAN_VOTERS_RULE_PAIR ||
        !is_heard_voter(&slots[slot_of(act)])) {
        return;
    }
    input_make(run, slots, leader, false, &input);
    for (size_t i = 0; i < run->count; i++) {
        kept += i != slot_of(act) && slots[i].member == SLOT_VOTER &&
                slots[i].manager != SLOT_LEAVING && slots[i].manager != SLOT_FORGOTTEN;
    }
    if (kept < plan_voters_wanted(input.managers, input.manager_count, input.members,
                                  input.member_count, &input.evidence, NOW)
                   .voters) {
        violation(run, "a voter is removed before there is another one");
    }
}

/* Checks that two voters which cannot become three do not remain: the next act concerns one of
 * them, before all that is less urgent. */
static void pair_check(struct run *run, const struct slot *slots, const struct plan_voters_act *act)
{
    size_t voters = 0;
    size_t counting = 0;

    for (size_t i = 0; i < run->count; i++) {
        bool is_kept = slots[i].manager != SLOT_LEAVING && slots[i].manager != SLOT_FORGOTTEN;
        bool has_member = slots[i].member != SLOT_NONE;

        if (has_member && slots[i].voice != SLOT_HEARD) {
            return;
        }
        voters += slots[i].member == SLOT_VOTER;
        counting += is_kept &&
                    (slots[i].manager != SLOT_DEAD || has_member || slots[i].voice == SLOT_SILENT);
    }
    if (voters == 2 && counting < 3 &&
        (act->kind == PLAN_VOTERS_NONE || slots[slot_of(act)].member != SLOT_VOTER)) {
        violation(run, "two voters remain");
    }
}

static void state_run(struct run *run, size_t leader, bool is_silence_death)
{
    struct slot slots[SLOTS];

    memcpy(slots, run->slots, sizeof(slots));
    for (size_t round = 0; round < ROUNDS; round++) {
        struct plan_voters_act act = act_checked(run, slots, leader);

        pair_check(run, slots, &act);
        removal_check(run, slots, leader, &act);
        if (act.kind == PLAN_VOTERS_NONE) {
            if (time_pass(run, slots, is_silence_death)) {
                if (!has_quorum(slots, run->count)) {
                    return;
                }
                continue;
            }
            if (!is_as_wanted(run, slots)) {
                violation(run, act.reason);
            }
            return;
        }
        run->acts++;
        if (!act_apply(run, slots, &leader, &act)) {
            return;
        }
    }
    violation(run, "the acts do not end");
}

/* Without a quorum, nothing may be done. */
static void state_without_quorum(struct run *run)
{
    struct plan_voters_act act = act_checked(run, run->slots, 0);

    if (act.kind != PLAN_VOTERS_NONE) {
        violation(run, "an act without a quorum");
    }
}

static void state_check(struct run *run)
{
    run->states++;
    if (!has_quorum(run->slots, run->count)) {
        state_without_quorum(run);
        return;
    }
    for (size_t leader = 0; leader < run->count; leader++) {
        if (is_heard_voter(&run->slots[leader])) {
            state_run(run, leader, false);
            state_run(run, leader, true);
        }
    }
}

/* Visits every multiset of kinds from `kind` on, within the limits of members. */
static void states_visit(struct run *run, size_t kind, size_t members, size_t learners)
{
    if (run->is_first_only && run->violations > 0) {
        return;
    }
    if (run->count > 0) {
        state_check(run);
    }
    if (run->count == SLOTS) {
        return;
    }
    for (size_t next = kind; next < ARRAY_COUNT(kinds); next++) {
        size_t is_member = kinds[next].member != SLOT_NONE;
        size_t is_learner = is_member && kinds[next].member != SLOT_VOTER;

        if (members + is_member <= MEMBERS && learners + is_learner <= 1) {
            run->slots[run->count++] = kinds[next];
            states_visit(run, next, members + is_member, learners + is_learner);
            run->count--;
        }
    }
}

static void test_all_states(void **state)
{
    struct run run = { .is_first_only = true };

    (void)state;
    states_visit(&run, 0, 0, 0);
    fprintf(stderr, "# %zu states, %zu acts\n", run.states, run.acts);
    assert_int_equal(run.violations, 0);
    assert_true(run.states > 100000);
}

static void test_switches(void **state)
{
    (void)state;
    for (unsigned rule = 1; rule < PLAN_VOTERS_RULE_COUNT; rule++) {
        struct run run = { .rules_off = 1u << rule, .is_first_only = true };

        states_visit(&run, 0, 0, 0);
        fprintf(stderr, "# switch %u: noticed after %zu states\n", rule, run.states);
        assert_true(run.violations > 0);
    }
}

static struct plan_voters_act act_in(const struct slot *slots, size_t count, size_t leader)
{
    struct run run = { .count = count };
    struct input input;

    memcpy(run.slots, slots, count * sizeof(*slots));
    input_make(&run, slots, leader, false, &input);
    return act_of(&input);
}

static void test_zones(void **state)
{
    /* m1 (zone a) holds the only voter; m4 shares its zone, m2 and m3 do not */
    const struct slot grows[] = { { SLOT_FRESH, SLOT_VOTER, SLOT_HEARD },
                                  { SLOT_DEAD, SLOT_NONE, SLOT_HEARD },
                                  { SLOT_FRESH, SLOT_NONE, SLOT_HEARD },
                                  { SLOT_FRESH, SLOT_NONE, SLOT_HEARD } };
    /* four voters: m1 and m4 share a zone */
    const struct slot shrinks[] = { { SLOT_FRESH, SLOT_VOTER, SLOT_HEARD },
                                    { SLOT_FRESH, SLOT_VOTER, SLOT_HEARD },
                                    { SLOT_FRESH, SLOT_VOTER, SLOT_HEARD },
                                    { SLOT_FRESH, SLOT_VOTER, SLOT_HEARD } };
    struct plan_voters_act act = act_in(grows, 4, 0);

    (void)state;
    assert_int_equal(act.kind, PLAN_VOTERS_ADD);
    assert_text(act.manager, "m3");
    act = act_in(shrinks, 4, 3);
    assert_int_equal(act.kind, PLAN_VOTERS_REMOVE);
    assert_int_equal(act.member, 1);
}

static void test_restart_moves_nothing(void **state)
{
    /* a manager restarts, and its member answers */
    const struct slot slots[] = { { SLOT_FRESH, SLOT_VOTER, SLOT_HEARD },
                                  { SLOT_FRESH, SLOT_VOTER, SLOT_HEARD },
                                  { SLOT_DEAD, SLOT_VOTER, SLOT_HEARD } };
    /* a host restarts: neither answers, for less than 30 s */
    const struct slot reboots[] = { { SLOT_FRESH, SLOT_VOTER, SLOT_HEARD },
                                    { SLOT_FRESH, SLOT_VOTER, SLOT_HEARD },
                                    { SLOT_DEAD, SLOT_VOTER, SLOT_SILENT } };

    (void)state;
    assert_int_equal(act_in(slots, 3, 0).kind, PLAN_VOTERS_NONE);
    assert_int_equal(act_in(reboots, 3, 0).kind, PLAN_VOTERS_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_states),
        cmocka_unit_test(test_switches),
        cmocka_unit_test(test_zones),
        cmocka_unit_test(test_restart_moves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
