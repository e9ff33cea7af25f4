#include "bootstrap/bootstrap.h"

#include "base/limits.h"
#include "base/time.h"

#include <assert.h>

enum {
    RUNS = 1000,
    REST_MS = 5000,
};

struct bootstrap_limits bootstrap_limits_default(void)
{
    return (struct bootstrap_limits){ .runs = RUNS, .rest_ms = REST_MS };
}

/* The state of one decision. */
struct work {
    struct arena *arena;
    const struct bootstrap_world *world;
    const struct bootstrap_limits *limits;
    struct bootstrap_steps *out;
    size_t running;  /* runs in progress, including those that this decision begins */
    size_t keyless;  /* members whose keys are missing */
    size_t factless; /* members whose facts are missing */
    size_t untold;   /* running members that have not received the facts of all members */
    bool is_rested;  /* the facts have been unchanged for long enough to be distributed */
};

/* ---- predicates ---- */

static bool is_counted(const struct work *work, const struct bootstrap_member *member)
{
    return !member->is_going &&
           (!work->world->is_best_effort || (member->is_there && !member->is_unreachable));
}

static bool wants_stages(const struct bootstrap_member *member)
{
    return member->chain.length > 0 && !member->is_stuck && !member->is_slot_needed &&
           !text_is_equal(member->chain, member->chain_done);
}

static bool wants_trust(const struct bootstrap_member *member)
{
    return !member->has_keys ||
           (member->trust.length > 0 && !text_is_equal(member->trust, member->trust_given));
}

static bool knows_facts(const struct work *work, const struct bootstrap_member *member)
{
    return text_is_equal(member->facts_given, work->world->facts);
}

/* True if the member lacks keys of other members. This applies to classic trust only, where all
 * other nodes must have the keys of a new member. The renewal of a certificate delays no other
 * node. */
static bool lacks_keys(const struct work *work, const struct bootstrap_member *member)
{
    return work->world->is_classic && member->has_keys && wants_trust(member);
}

/* True if a member has not received all keys and facts, so that other nodes must wait. An
 * unreachable member does not count: it receives them when it returns, and until then no other node
 * could use it. A member at the facts barrier does not count either: it receives them before its
 * own stages begin. */
static bool is_untold(const struct work *work, const struct bootstrap_member *member)
{
    return member->is_there && !member->is_going && !member->is_unreachable && !member->is_paused &&
           (lacks_keys(work, member) ||
            (member->phase != BOOTSTRAP_AT_FACTS && !knows_facts(work, member)));
}

static bool is_at_point(const struct bootstrap_member *member)
{
    return member->phase == BOOTSTRAP_AT_KEYS || member->phase == BOOTSTRAP_AT_FACTS;
}

static enum bootstrap_wait facts_lack(const struct work *work,
                                      const struct bootstrap_member *member)
{
    if (!is_counted(work, member) || (member->is_there && member->has_facts)) {
        return BOOTSTRAP_WAIT_NONE;
    }
    return member->is_there ? BOOTSTRAP_WAIT_FACTS : BOOTSTRAP_WAIT_MACHINE;
}

static enum bootstrap_wait keys_lack(const struct work *work, const struct bootstrap_member *member)
{
    if (!is_counted(work, member) || (member->is_there && member->has_keys)) {
        return BOOTSTRAP_WAIT_NONE;
    }
    return member->is_there ? BOOTSTRAP_WAIT_KEYS : BOOTSTRAP_WAIT_MACHINE;
}

/* ---- counting ---- */

static void facts_wait_note(struct work *work, enum bootstrap_wait wait, size_t at)
{
    struct bootstrap_steps *out = work->out;

    if (wait == BOOTSTRAP_WAIT_NONE) {
        return;
    }
    if (out->facts_wait == BOOTSTRAP_WAIT_NONE) {
        out->facts_wait = wait;
        out->facts_for = at;
    } else {
        out->facts_others++;
    }
}

static void members_count(struct work *work)
{
    const struct bootstrap_world *world = work->world;
    struct bootstrap_steps *out = work->out;

    for (size_t i = 0; i < world->count; i++) {
        const struct bootstrap_member *member = &world->members[i];
        enum bootstrap_wait keys = keys_lack(work, member);
        enum bootstrap_wait facts = facts_lack(work, member);

        work->running += member->phase != BOOTSTRAP_IDLE && !is_at_point(member) ? 1 : 0;
        work->running += member->is_reported ? 1 : 0;
        work->untold += is_untold(work, member);
        work->keyless += keys != BOOTSTRAP_WAIT_NONE;
        work->factless += facts != BOOTSTRAP_WAIT_NONE;
        if (out->keys_wait == BOOTSTRAP_WAIT_NONE && world->is_classic) {
            out->keys_wait = keys;
            out->keys_for = i;
        }
        facts_wait_note(work, facts, i);
    }
    for (size_t i = 0; work->factless == 0 && i < world->count; i++) {
        facts_wait_note(
            work,
            is_untold(work, &world->members[i]) ? BOOTSTRAP_WAIT_REPORTED : BOOTSTRAP_WAIT_NONE, i);
    }
    work->is_rested =
        work->factless == 0 || world->now_ms >= world->facts_changed_ms + work->limits->rest_ms;
}

/* ---- steps ---- */

static void bootstrap_step_add(struct work *work, enum bootstrap_what what, size_t member,
                               unsigned with)
{
    struct bootstrap_steps *out = work->out;

    assert(out->count < 2 * work->world->count);
    out->steps[out->count++] = (struct bootstrap_step){ what, member, with };
}

static void look_again(struct work *work, uint64_t at_ms)
{
    if (at_ms > work->world->now_ms) {
        work->out->next_ms = time_earlier(work->out->next_ms, at_ms);
    }
}

/* True if changed facts may be delivered to a member that does not wait for them. If not, the
 * planner decides again when the facts have been unchanged for long enough. */
static bool is_to_be_reported(struct work *work, const struct bootstrap_member *member)
{
    if (knows_facts(work, member)) {
        return false;
    }
    if (!work->is_rested) {
        look_again(work, work->world->facts_changed_ms + work->limits->rest_ms);
    }
    return work->is_rested;
}

/* True if a paused member needs new trusted keys. Even during a pause certificates must not expire,
 * and removed members must not keep their access. */
static bool is_only_trusted(const struct bootstrap_member *member)
{
    return member->is_paused && member->has_keys && member->trust_given.length > 0 &&
           wants_trust(member);
}

static bool may_begin(struct work *work, const struct bootstrap_member *member)
{
    if (member->is_paused && !is_only_trusted(member)) {
        return false;
    }
    if (work->world->now_ms < member->again_ms) {
        look_again(work, member->again_ms);
        return false;
    }
    return work->running < work->limits->runs;
}

static unsigned with_of(struct work *work, const struct bootstrap_member *member)
{
    unsigned with = wants_trust(member) ? RUN_WITH_KEYS : 0;

    if (wants_stages(member)) {
        with |= RUN_WITH_FACTS | RUN_WITH_STAGES;
    }
    if (!member->has_facts || is_to_be_reported(work, member)) {
        with |= RUN_WITH_FACTS;
    }
    return with;
}

static void idle_decide(struct work *work, size_t at)
{
    const struct bootstrap_member *member = &work->world->members[at];
    unsigned with;

    if (!may_begin(work, member)) {
        return;
    }
    with = member->is_paused ? RUN_WITH_KEYS : with_of(work, member);
    if (with != 0) {
        bootstrap_step_add(work, BOOTSTRAP_BEGIN, at, with);
        work->running++;
    }
}

/* Decides about a member whose run is past its barriers. Stages take long, so a second run in
 * parallel delivers keys and facts that have changed since. */
static void beside_decide(struct work *work, size_t at)
{
    const struct bootstrap_member *member = &work->world->members[at];
    unsigned with = 0;

    if (member->is_reported || !may_begin(work, member)) {
        return;
    }
    with |= member->has_keys && wants_trust(member) ? RUN_WITH_KEYS : 0;
    with |= !member->is_paused && member->phase == BOOTSTRAP_IN_STAGES &&
                    is_to_be_reported(work, member)
                ? RUN_WITH_FACTS
                : 0;
    if (with != 0) {
        bootstrap_step_add(work, BOOTSTRAP_REPORT, at, with);
        work->running++;
    }
}

static void keys_decide(struct work *work, size_t at)
{
    const struct bootstrap_member *member = &work->world->members[at];

    if (work->world->is_classic && work->keyless > 0) {
        return;
    }
    if (member->trust.length > 0) {
        bootstrap_step_add(work, BOOTSTRAP_TRUST, at, 0);
    } else if (work->out->keys_wait == BOOTSTRAP_WAIT_NONE) {
        work->out->keys_wait = BOOTSTRAP_WAIT_TRUST;
        work->out->keys_for = at;
    }
}

static void facts_decide(struct work *work, size_t at)
{
    const struct bootstrap_member *member = &work->world->members[at];
    bool is_free = wants_stages(member)
                       ? work->factless == 0 && work->untold == 0 && !member->is_paused
                       : is_to_be_reported(work, member) || knows_facts(work, member);

    if (is_free) {
        bootstrap_step_add(work, BOOTSTRAP_DISTRIBUTE, at, 0);
    }
}

static void member_decide(struct work *work, size_t at)
{
    const struct bootstrap_member *member = &work->world->members[at];

    if (member->is_going || !member->is_there) {
        if (member->phase != BOOTSTRAP_IDLE || member->is_reported) {
            bootstrap_step_add(work, BOOTSTRAP_CANCEL, at, 0);
        }
        return;
    }
    switch (member->phase) {
    case BOOTSTRAP_IDLE:
        idle_decide(work, at);
        break;
    case BOOTSTRAP_UNDER_WAY:
        break;
    case BOOTSTRAP_AT_KEYS:
        keys_decide(work, at);
        break;
    case BOOTSTRAP_AT_FACTS:
        facts_decide(work, at);
        beside_decide(work, at);
        break;
    case BOOTSTRAP_IN_STAGES:
        beside_decide(work, at);
        break;
    }
}

void bootstrap_decide(struct arena *arena, const struct bootstrap_world *world,
                      const struct bootstrap_limits *limits, struct bootstrap_steps *out)
{
    struct work work = { .arena = arena, .world = world, .limits = limits, .out = out };
    bool is_busy = false;

    *out = (struct bootstrap_steps){
        .steps = arena_array(arena, struct bootstrap_step, 2 * world->count + 1),
    };
    members_count(&work);
    for (size_t i = 0; i < world->count; i++) {
        member_decide(&work, i);
        is_busy =
            is_busy || world->members[i].phase != BOOTSTRAP_IDLE || world->members[i].is_reported;
    }
    out->is_at_rest = out->count == 0 && !is_busy && out->next_ms == 0;
}

/* ---- texts ---- */

struct text bootstrap_wait_words(struct arena *arena, const struct bootstrap_world *world,
                                 enum bootstrap_wait wait, size_t member, size_t others)
{
    static const char *const words[BOOTSTRAP_WAIT_COUNT] = {
        [BOOTSTRAP_WAIT_NONE] = "",
        [BOOTSTRAP_WAIT_MACHINE] = "its machine does not exist yet",
        [BOOTSTRAP_WAIT_KEYS] = "it has not reported its keys",
        [BOOTSTRAP_WAIT_FACTS] = "it has not reported its facts",
        [BOOTSTRAP_WAIT_REPORTED] = "it has not received the new facts",
        [BOOTSTRAP_WAIT_TRUST] = "its certificates are not signed yet",
    };
    struct text more = TEXT("");

    if (wait == BOOTSTRAP_WAIT_NONE) {
        return more;
    }
    assert(member < world->count);
    if (others > 0) {
        more = arena_printf(arena, " (and %zu more)", others);
    }
    return arena_printf(arena, "waits for %.*s: %s%.*s", TEXT_ARG(world->members[member].name),
                        words[wait], TEXT_ARG(more));
}
