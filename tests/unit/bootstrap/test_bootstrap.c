#include "unit.h"

#include "bootstrap/bootstrap.h"

#include <stdio.h>

/* Decisions about the nodes of a cluster: fixed cases, and a small simulation of nodes that
 * executes all decisions, with random faults, until nothing is left to do. */

enum { MEMBERS = 12, WORLDS = 3000, TURNS = 4000 };

static struct bootstrap_steps decide(struct arena *arena, const struct bootstrap_world *world)
{
    struct bootstrap_limits limits = bootstrap_limits_default();
    struct bootstrap_steps out;

    bootstrap_decide(arena, world, &limits, &out);
    return out;
}

static const struct bootstrap_step *step_of(const struct bootstrap_steps *steps, size_t member)
{
    for (size_t i = 0; i < steps->count; i++) {
        if (steps->steps[i].member == member) {
            return &steps->steps[i];
        }
    }
    return NULL;
}

static struct bootstrap_member fresh(const char *name)
{
    return (
        struct bootstrap_member){ .name = text_from(name), .is_there = true, .chain = TEXT("c") };
}

/* Returns a member that has its keys, knows the facts F and has run its stages. */
static struct bootstrap_member settled(const char *name)
{
    struct bootstrap_member member = fresh(name);

    member.has_keys = true;
    member.has_facts = true;
    member.chain_done = TEXT("c");
    member.trust = TEXT("t");
    member.trust_given = TEXT("t");
    member.facts_given = TEXT("F");
    return member;
}

/* ---- cases ---- */

static void a_fresh_node_gets_all_of_it(void **state)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct bootstrap_member members[] = { fresh("a-0") };
    struct bootstrap_world world = { .now_ms = 100, .members = members, .count = 1 };
    struct bootstrap_steps out = decide(arena, &world);

    (void)state;
    assert_int_equal(out.count, 1);
    assert_int_equal(out.steps[0].what, BOOTSTRAP_BEGIN);
    assert_int_equal(out.steps[0].with, RUN_WITH_KEYS | RUN_WITH_FACTS | RUN_WITH_STAGES);
    arena_free(arena);
}

static void nothing_is_done_where_all_is_as_it_should_be(void **state)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct bootstrap_member members[] = { settled("a-0"), settled("a-1") };
    struct bootstrap_world world = {
        .now_ms = 100, .members = members, .count = 2, .facts = TEXT("F")
    };
    struct bootstrap_steps out = decide(arena, &world);

    (void)state;
    assert_int_equal(out.count, 0);
    assert_true(out.is_at_rest);
    arena_free(arena);
}

static void stages_wait_for_a_slot_without_a_machine(void **state)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct bootstrap_member members[] = { settled("a-0"), fresh("a-1") };
    struct bootstrap_world world = {
        .now_ms = 100, .members = members, .count = 2, .facts = TEXT("F")
    };
    struct bootstrap_steps out;

    (void)state;
    members[0].phase = BOOTSTRAP_AT_FACTS;
    members[0].chain_done = TEXT("");
    members[1].is_there = false;
    out = decide(arena, &world);
    assert_int_equal(out.count, 0);
    assert_int_equal(out.facts_wait, BOOTSTRAP_WAIT_MACHINE);
    assert_text(
        bootstrap_wait_words(arena, &world, out.facts_wait, out.facts_for, out.facts_others),
        "waits for a-1: its machine does not exist yet");

    world.is_best_effort = true;
    out = decide(arena, &world);
    assert_int_equal(out.count, 1);
    assert_int_equal(out.steps[0].what, BOOTSTRAP_DISTRIBUTE);

    world.is_best_effort = false;
    members[1].is_going = true; /* other members no longer wait for it */
    out = decide(arena, &world);
    assert_int_equal(out.count, 1);
    arena_free(arena);
}

static void who_joins_waits_until_the_others_know_of_it(void **state)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct bootstrap_member members[] = { settled("a-0"), settled("a-1"), fresh("a-2") };
    struct bootstrap_world world = {
        .now_ms = 100, .members = members, .count = 3, .facts = TEXT("G"), .facts_changed_ms = 99
    };
    struct bootstrap_steps out;

    (void)state;
    members[1].phase = BOOTSTRAP_IN_STAGES;
    members[1].chain_done = TEXT("");
    members[2].has_keys = members[2].has_facts = true;
    members[2].phase = BOOTSTRAP_AT_FACTS;
    out = decide(arena, &world);
    assert_int_equal(out.count, 2);
    assert_int_equal(step_of(&out, 0)->what, BOOTSTRAP_BEGIN);
    assert_int_equal(step_of(&out, 0)->with, RUN_WITH_FACTS);
    assert_int_equal(step_of(&out, 1)->what, BOOTSTRAP_REPORT);
    assert_null(step_of(&out, 2));
    assert_text(
        bootstrap_wait_words(arena, &world, out.facts_wait, out.facts_for, out.facts_others),
        "waits for a-0: it has not received the new facts (and 1 more)");

    members[0].facts_given = TEXT("G");
    members[1].is_unreachable = true; /* it is unreachable, and gets the facts when it is back */
    out = decide(arena, &world);
    assert_int_equal(step_of(&out, 2)->what, BOOTSTRAP_DISTRIBUTE);
    arena_free(arena);
}

static void classic_keys_are_brought_to_all(void **state)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct bootstrap_member members[] = { settled("a-0"), settled("a-1"), fresh("a-2") };
    struct bootstrap_world world = {
        .now_ms = 100, .members = members, .count = 3, .facts = TEXT("F"), .is_classic = true
    };
    struct bootstrap_steps out;

    (void)state;
    members[2].phase = BOOTSTRAP_AT_KEYS;
    out = decide(arena, &world);
    assert_int_equal(out.count, 0); /* its own facts are not known yet */
    assert_int_equal(out.keys_wait, BOOTSTRAP_WAIT_KEYS);

    members[2].has_keys = true;
    members[0].trust = members[1].trust = members[2].trust = TEXT("u");
    /* it has passed the barrier, so the facts need a separate run */
    members[1].phase = BOOTSTRAP_AT_FACTS;
    members[1].chain_done = TEXT("");
    out = decide(arena, &world);
    assert_int_equal(step_of(&out, 0)->with, RUN_WITH_KEYS);
    assert_int_equal(step_of(&out, 1)->what, BOOTSTRAP_REPORT);
    assert_int_equal(step_of(&out, 1)->with, RUN_WITH_KEYS);
    assert_int_equal(step_of(&out, 2)->what, BOOTSTRAP_TRUST);
    arena_free(arena);
}

static void facts_that_change_often_are_reported_once(void **state)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct bootstrap_member members[] = { settled("a-0"), fresh("a-1") };
    struct bootstrap_world world = { .now_ms = 10000,
                                     .members = members,
                                     .count = 2,
                                     .facts = TEXT("G"),
                                     .facts_changed_ms = 9000 };
    struct bootstrap_steps out;

    (void)state;
    members[1].is_there = false;
    out = decide(arena, &world);
    assert_int_equal(out.count, 0);
    assert_int_equal(out.next_ms, 14000);
    assert_false(out.is_at_rest);
    world.now_ms = out.next_ms;
    out = decide(arena, &world);
    assert_int_equal(out.count, 1);
    assert_int_equal(out.steps[0].with, RUN_WITH_FACTS);
    arena_free(arena);
}

static void what_is_paused_begins_nothing(void **state)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct bootstrap_member members[] = { fresh("a-0"), fresh("a-1") };
    struct bootstrap_world world = {
        .now_ms = 100, .members = members, .count = 2, .facts = TEXT("F")
    };

    (void)state;
    members[0].phase = BOOTSTRAP_AT_FACTS;
    for (size_t i = 0; i < 2; i++) {
        members[i].has_keys = members[i].has_facts = members[i].is_paused = true;
    }
    members[1].facts_given = TEXT("F");
    assert_int_equal(decide(arena, &world).count, 0);
    members[0].is_paused = members[1].is_paused = false;
    assert_int_equal(decide(arena, &world).count, 2);
    arena_free(arena);
}

static void who_is_stuck_has_facts_and_no_stages(void **state)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct bootstrap_member members[] = { settled("a-0") };
    struct bootstrap_world world = {
        .now_ms = 100, .members = members, .count = 1, .facts = TEXT("G")
    };
    struct bootstrap_steps out;

    (void)state;
    members[0].chain = TEXT("d");
    members[0].is_stuck = true;
    out = decide(arena, &world);
    assert_int_equal(out.count, 1);
    assert_int_equal(out.steps[0].with, RUN_WITH_FACTS);
    arena_free(arena);
}

static void no_more_runs_than_may_be(void **state)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct bootstrap_member members[] = { fresh("a-0"), fresh("a-1"), fresh("a-2"), fresh("a-3") };
    struct bootstrap_world world = { .now_ms = 100, .members = members, .count = 4 };
    struct bootstrap_limits limits = { .runs = 2, .rest_ms = 5000 };
    struct bootstrap_steps out;

    (void)state;
    members[0].phase = BOOTSTRAP_UNDER_WAY;
    members[1].phase = BOOTSTRAP_AT_FACTS; /* it waits at the barrier */
    bootstrap_decide(arena, &world, &limits, &out);
    assert_int_equal(out.count, 1);
    assert_int_equal(out.steps[0].member, 2);
    arena_free(arena);
}

/* ---- worlds ---- */

/* The true state of a node, and the manager's knowledge of it. */
struct node {
    struct bootstrap_member known;
    unsigned with;
    unsigned reported_with;
    bool is_gone;
    char trust[32];
    char trust_given[32];
    char facts_given[32];
    char name[16];
};

struct game {
    uint32_t luck;
    bool is_rough; /* random faults still happen */
    uint64_t now_ms;
    uint64_t changed_ms;
    struct node nodes[MEMBERS];
    size_t count;
    bool is_classic;
    bool is_best_effort;
    unsigned generation; /* generation of the authorities */
    char facts[32];
};

static bool chance(struct game *game, unsigned of)
{
    return game->is_rough && unit_random(&game->luck) % of == 0;
}

static uint64_t mask_of(const struct game *game, bool of_keys)
{
    uint64_t mask = 0;

    for (size_t i = 0; i < game->count; i++) {
        const struct bootstrap_member *known = &game->nodes[i].known;
        bool is_in =
            known->is_there && !known->is_going && (of_keys ? known->has_keys : known->has_facts);

        mask |= is_in ? UINT64_C(1) << i : 0;
    }
    return mask;
}

/* Sets the digests of the desired state, as the driver does. */
static void digests_write(struct game *game)
{
    char facts[32];

    snprintf(facts, sizeof(facts), "f%llx", (unsigned long long)mask_of(game, false));
    if (strcmp(facts, game->facts) != 0) {
        memcpy(game->facts, facts, sizeof(facts));
        game->changed_ms = game->now_ms;
    }
    for (size_t i = 0; i < game->count; i++) {
        struct node *node = &game->nodes[i];

        if (game->is_classic) {
            snprintf(node->trust, sizeof(node->trust), "k%llx",
                     (unsigned long long)mask_of(game, true));
        } else {
            snprintf(node->trust, sizeof(node->trust), "c%u", game->generation);
        }
        node->known.trust = text_from(node->known.has_keys ? node->trust : "");
        node->known.trust_given = text_from(node->trust_given);
        node->known.facts_given = text_from(node->facts_given);
    }
}

/* Checks from outside, when stages start, that the guarantee of the barrier holds. */
static void promise_check(const struct game *game, size_t at)
{
    for (size_t i = 0; i < game->count; i++) {
        const struct node *node = &game->nodes[i];
        const struct bootstrap_member *known = &node->known;
        bool is_lost = !known->is_there || known->is_unreachable;

        if (known->is_going || (is_lost && game->is_best_effort)) {
            continue;
        }
        assert_true(known->is_there && known->has_facts);
        if (i != at && !known->is_unreachable) {
            assert_true(known->phase == BOOTSTRAP_AT_FACTS ||
                        strcmp(node->facts_given, game->facts) == 0);
            assert_true(!game->is_classic || strcmp(node->trust, node->trust_given) == 0);
        }
    }
}

static void run_end(struct game *game, struct node *node)
{
    node->known.phase = BOOTSTRAP_IDLE;
    node->with = 0;
    node->known.again_ms = game->is_rough ? game->now_ms + unit_random(&game->luck) % 3000 : 0;
}

static void run_begin(struct game *game, struct node *node, unsigned with)
{
    assert_int_equal(node->known.phase, BOOTSTRAP_IDLE);
    assert_true(node->known.is_there && !node->known.is_going);
    assert_true(game->now_ms >= node->known.again_ms);
    node->known.phase = BOOTSTRAP_UNDER_WAY;
    node->with = with;
}

static void step_carry_out(struct game *game, const struct bootstrap_step *step)
{
    struct node *node = &game->nodes[step->member];

    switch (step->what) {
    case BOOTSTRAP_BEGIN:
        run_begin(game, node, step->with);
        break;
    case BOOTSTRAP_REPORT:
        assert_false(node->known.is_reported);
        node->known.is_reported = true;
        node->reported_with = step->with;
        break;
    case BOOTSTRAP_TRUST:
        assert_int_equal(node->known.phase, BOOTSTRAP_AT_KEYS);
        assert_true(node->known.has_keys);
        memcpy(node->trust_given, node->trust, sizeof(node->trust));
        node->with &= ~(unsigned)RUN_WITH_KEYS;
        node->known.phase = BOOTSTRAP_UNDER_WAY;
        break;
    case BOOTSTRAP_DISTRIBUTE:
        assert_int_equal(node->known.phase, BOOTSTRAP_AT_FACTS);
        if ((node->with & RUN_WITH_STAGES) != 0) {
            promise_check(game, step->member);
        }
        memcpy(node->facts_given, game->facts, sizeof(game->facts));
        node->with &= ~(unsigned)RUN_WITH_FACTS;
        node->known.phase = BOOTSTRAP_IN_STAGES;
        break;
    case BOOTSTRAP_CANCEL:
        assert_true(node->known.is_going || !node->known.is_there);
        node->known.is_reported = false;
        run_end(game, node);
        break;
    }
}

/* A node executes a part of its run. */
static void node_go(struct game *game, struct node *node)
{
    struct bootstrap_member *known = &node->known;

    if (chance(game, 20)) {
        run_end(game, node);
        known->is_unreachable = chance(game, 2);
        return;
    }
    known->is_unreachable = false;
    if (known->phase == BOOTSTRAP_UNDER_WAY && (node->with & RUN_WITH_KEYS) != 0) {
        known->has_keys = true;
        known->phase = BOOTSTRAP_AT_KEYS;
    } else if (known->phase == BOOTSTRAP_UNDER_WAY && (node->with & RUN_WITH_FACTS) != 0) {
        known->has_facts = true;
        known->phase = BOOTSTRAP_AT_FACTS;
    } else if (known->phase == BOOTSTRAP_UNDER_WAY) {
        run_end(game, node);
    } else if (known->phase == BOOTSTRAP_IN_STAGES) {
        if ((node->with & RUN_WITH_STAGES) != 0) {
            known->is_stuck = chance(game, 10);
            known->chain_done = known->is_stuck ? known->chain_done : known->chain;
        }
        run_end(game, node);
    }
    if (known->is_reported && unit_random(&game->luck) % 2 == 0) {
        known->is_reported = false;
        if ((node->reported_with & RUN_WITH_KEYS) != 0) {
            memcpy(node->trust_given, node->trust, sizeof(node->trust));
        }
        if ((node->reported_with & RUN_WITH_FACTS) != 0) {
            memcpy(node->facts_given, game->facts, sizeof(game->facts));
        }
    }
}

static void node_replace(struct game *game, struct node *node, bool is_there)
{
    size_t at = (size_t)(node - game->nodes);

    *node = (struct node){ 0 };
    snprintf(node->name, sizeof(node->name), "n-%zu", at);
    node->known = fresh(node->name);
    node->known.is_there = is_there;
    if (unit_random(&game->luck) % 4 == 0) {
        node->known.chain = TEXT("");
    }
}

/* Random events: machines are added and removed, users change the desired state, the manager
 * dies. */
static void luck_strike(struct game *game)
{
    struct node *node = &game->nodes[unit_random(&game->luck) % game->count];

    if (chance(game, 30)) {
        node_replace(game, node, unit_random(&game->luck) % 2 == 0);
    }
    if (chance(game, 30)) {
        node->known.is_there = true;
    }
    if (chance(game, 40) && game->count < MEMBERS) {
        node_replace(game, &game->nodes[game->count++], false);
    }
    if (chance(game, 40)) {
        node->known.is_going = true;
    }
    if (chance(game, 50)) {
        game->generation++;
    }
    if (chance(game, 40)) {
        node->known.chain = TEXT("d");
        node->known.is_stuck = false;
    }
    if (chance(game, 100)) {
        for (size_t i = 0; i < game->count; i++) {
            run_end(game, &game->nodes[i]);
            game->nodes[i].known.is_reported = false;
        }
    }
}

/* Afterwards no faults happen, and the desired machines exist. */
static void cleared(struct game *game)
{
    game->is_rough = false;
    for (size_t i = 0; i < game->count; i++) {
        game->nodes[i].known.is_there = true;
        game->nodes[i].known.is_unreachable = false;
        game->nodes[i].known.again_ms = 0;
    }
}

static bool turn(struct game *game)
{
    struct arena *arena = arena_new_small(SIZE_MAX);
    struct bootstrap_member members[MEMBERS];
    struct bootstrap_world world = { .members = members,
                                     .count = game->count,
                                     .is_classic = game->is_classic,
                                     .is_best_effort = game->is_best_effort };
    struct bootstrap_steps out;
    bool is_at_rest;

    digests_write(game);
    for (size_t i = 0; i < game->count; i++) {
        members[i] = game->nodes[i].known;
    }
    world.now_ms = game->now_ms;
    world.facts = text_from(game->facts);
    world.facts_changed_ms = game->changed_ms;
    out = decide(arena, &world);
    is_at_rest = out.is_at_rest;
    for (size_t i = 0; i < out.count; i++) {
        step_carry_out(game, &out.steps[i]);
    }
    arena_free(arena);
    for (size_t i = 0; i < game->count; i++) {
        node_go(game, &game->nodes[i]);
    }
    game->now_ms += 500;
    return is_at_rest;
}

static void rest_check(const struct game *game)
{
    for (size_t i = 0; i < game->count; i++) {
        const struct bootstrap_member *known = &game->nodes[i].known;

        if (!known->is_going) {
            assert_true(known->has_keys && known->has_facts);
            assert_true(known->is_stuck || known->chain.length == 0 ||
                        text_is_equal(known->chain, known->chain_done));
            assert_string_equal(game->nodes[i].facts_given, game->facts);
            assert_string_equal(game->nodes[i].trust_given, game->nodes[i].trust);
        }
    }
}

static void every_world_keeps_the_promise_and_comes_to_rest(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= WORLDS; seed++) {
        struct game game = { .luck = seed * 2654435761U | 1, .is_rough = true, .now_ms = 1000 };
        size_t turns = 0;

        game.count = 1 + unit_random(&game.luck) % (MEMBERS - 1);
        game.is_classic = unit_random(&game.luck) % 3 == 0;
        game.is_best_effort = unit_random(&game.luck) % 3 == 0;
        for (size_t i = 0; i < game.count; i++) {
            node_replace(&game, &game.nodes[i], unit_random(&game.luck) % 2 == 0);
        }
        for (size_t i = 0; i < 200; i++) {
            luck_strike(&game);
            (void)turn(&game);
        }
        cleared(&game);
        while (!turn(&game)) {
            assert_true(++turns < TURNS);
        }
        rest_check(&game);
    }
}

static void a_pause_keeps_trust_as_it_is(void **state)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct bootstrap_member members[] = { settled("a-0"), fresh("a-1"), settled("a-2") };
    struct bootstrap_world world = {
        .now_ms = 100, .members = members, .count = 3, .facts = TEXT("F")
    };
    struct bootstrap_steps out;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        members[i].is_paused = true;
    }
    members[2].facts_given = TEXT("E");
    assert_int_equal(decide(arena, &world).count, 0);
    members[0].trust = TEXT("another list");
    members[2].trust = TEXT("another list");
    members[2].phase = BOOTSTRAP_IN_STAGES;
    out = decide(arena, &world);
    assert_int_equal(out.count, 2); /* a member that has received nothing yet is not changed */
    assert_int_equal(step_of(&out, 0)->what, BOOTSTRAP_BEGIN);
    assert_int_equal(step_of(&out, 0)->with, RUN_WITH_KEYS);
    /* the stages take long, so the facts are reported during them */
    assert_int_equal(step_of(&out, 2)->what, BOOTSTRAP_REPORT);
    assert_int_equal(step_of(&out, 2)->with, RUN_WITH_KEYS);
    arena_free(arena);
}

static struct bootstrap_turn turn_of(const struct bootstrap_world *world, enum rotation_phase phase,
                                     uint64_t age_ms, bool is_requested)
{
    struct bootstrap_rotation rotation = { .phase = phase,
                                           .is_requested = is_requested,
                                           .age_ms = age_ms };
    struct bootstrap_turn out;

    bootstrap_rotate(world, &rotation, &out);
    return out;
}

enum { HOUR_MS = 60 * 60 * 1000 };

static void authorities_are_changed_when_all_are_reported(void **state)
{
    struct bootstrap_member members[] = { settled("a-0"), settled("a-1"), settled("a-2") };
    struct bootstrap_world world = {
        .now_ms = 100, .members = members, .count = 3, .facts = TEXT("F")
    };

    (void)state;
    members[0].is_made = members[1].is_made = true; /* the third slot is empty and needs no run */
    members[2].is_there = false;
    members[2].trust_given = TEXT("");
    assert_false(turn_of(&world, ROTATION_STEADY, HOUR_MS, false).is_due);
    assert_true(turn_of(&world, ROTATION_STEADY, 0, true).is_due);
    assert_true(turn_of(&world, ROTATION_MADE, 0, false).is_due);
    assert_true(turn_of(&world, ROTATION_TRUSTED, 0, false).is_due);
    assert_false(turn_of(&world, ROTATION_SIGNS, 5 * 60 * 1000, false)
                     .is_due); /* a certificate of the old authority is still valid */
    assert_true(turn_of(&world, ROTATION_SIGNS, 6 * 60 * 1000, false).is_due);
    members[1].trust_given = TEXT("older");
    for (enum rotation_phase phase = ROTATION_TRUSTED; phase <= ROTATION_SIGNS; phase++) {
        struct bootstrap_turn turn = turn_of(&world, phase, 23 * HOUR_MS, false);

        assert_false(turn.is_due);
        assert_int_equal(turn.waiting, 1);
        assert_int_equal(turn.first, 1);
        assert_int_equal(turn.in_ms, HOUR_MS);
        assert_true(
            /* the wait for an unreachable member is limited */
            turn_of(&world, phase, 24 * HOUR_MS, false).is_due);
    }
    members[1].is_going = true;
    assert_true(turn_of(&world, ROTATION_TRUSTED, 0, false).is_due);
    members[2].is_made = true; /* it was requested with the old authorities only */
    members[2].has_keys = false;
    members[2].trust = TEXT("");
    assert_false(turn_of(&world, ROTATION_TRUSTED, 0, false).is_due);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fresh_node_gets_all_of_it),
        cmocka_unit_test(nothing_is_done_where_all_is_as_it_should_be),
        cmocka_unit_test(stages_wait_for_a_slot_without_a_machine),
        cmocka_unit_test(who_joins_waits_until_the_others_know_of_it),
        cmocka_unit_test(classic_keys_are_brought_to_all),
        cmocka_unit_test(facts_that_change_often_are_reported_once),
        cmocka_unit_test(what_is_paused_begins_nothing),
        cmocka_unit_test(who_is_stuck_has_facts_and_no_stages),
        cmocka_unit_test(no_more_runs_than_may_be),
        cmocka_unit_test(a_pause_keeps_trust_as_it_is),
        cmocka_unit_test(authorities_are_changed_when_all_are_reported),
        cmocka_unit_test(every_world_keeps_the_promise_and_comes_to_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
