#include "plan/voters.h"

#include <assert.h>

/* public names start with: plan_voters_ */

/* The rules of MANAGERS.md section 8, in their order. The first one that applies decides.
 *
 * Normal case: managers join one after the other, each gets a learner, and the learner is promoted
 * while the number of voters that the managers allow is not reached.
 *
 * Failure modes that the rules exclude: an act that takes the quorum away (every removal counts the
 * voters that answer now); two voters as a lasting state (a promotion to an even number needs a
 * next step); a restart of a manager that moves members (a manager counts while its member
 * answers). */

enum { VOTERS_FEW = 3, VOTERS_MANY = 5, MANAGERS_FOR_MANY = 7 };

/* The input, with what all rules need. */
struct voters_view {
    const struct plan_voters_manager *managers;
    size_t manager_count;
    const struct plan_voters_member *members;
    size_t member_count;
    const struct plan_voters_evidence *evidence;
    uint64_t now_ms;
    struct plan_voters_wanted wanted;
    size_t voters;       /* all voters of the store */
    size_t heard_voters; /* voters that answer now */
    size_t good_voters;  /* voters of managers that count */
    size_t learners;
};

static bool voters_rule_is_on(const struct voters_view *view, enum plan_voters_rule rule)
{
#ifdef REEVE_GUARD_SWITCHES
    return (view->evidence->limits.rules_off & 1u << rule) == 0;
#else
    (void)view;
    (void)rule;
    return true;
#endif
}

static size_t voters_majority(size_t voters)
{
    return voters / 2 + 1;
}

static const struct plan_voters_manager *voters_manager_of(const struct voters_view *view,
                                                           const struct plan_voters_member *member)
{
    for (size_t i = 0; i < view->manager_count; i++) {
        if (member->manager.length > 0 && text_is_equal(view->managers[i].id, member->manager)) {
            return &view->managers[i];
        }
    }
    return NULL;
}

/* True if the member belongs to a manager that stays. */
static bool voters_is_kept(const struct voters_view *view, const struct plan_voters_member *member)
{
    const struct plan_voters_manager *manager = voters_manager_of(view, member);

    return manager != NULL && !manager->is_leaving;
}

static bool voters_is_stopped(const struct voters_view *view,
                              const struct plan_voters_member *member)
{
    const struct plan_voters_manager *manager = voters_manager_of(view, member);

    return manager != NULL && manager->is_stopped;
}

/* True if the member is proven stopped, or was not heard for too long. */
static bool voters_is_lost(const struct voters_view *view, const struct plan_voters_member *member)
{
    return voters_is_stopped(view, member) ||
           (!member->is_heard &&
            view->now_ms - member->heard_ms >= view->evidence->limits.silent_ms);
}

static bool voters_has_member(const struct voters_view *view,
                              const struct plan_voters_manager *manager)
{
    for (size_t i = 0; i < view->member_count; i++) {
        if (text_is_equal(view->members[i].manager, manager->id)) {
            return true;
        }
    }
    return false;
}

/* True if the manager counts for the number of voters. A manager that restarts counts while its
 * member answers, and otherwise for the time after which a member counts as lost. */
static bool voters_counts(const struct voters_view *view, const struct plan_voters_manager *manager)
{
    if (manager->is_leaving || manager->is_stopped) {
        return false;
    }
    if (manager->heard_ms != 0 &&
        view->now_ms - manager->heard_ms < view->evidence->limits.silent_ms) {
        return true;
    }
    for (size_t i = 0; i < view->member_count; i++) {
        if (text_is_equal(view->members[i].manager, manager->id) &&
            !voters_is_lost(view, &view->members[i])) {
            return true;
        }
    }
    return false;
}

static struct plan_voters_wanted voters_wanted_of(const struct voters_view *view)
{
    struct plan_voters_wanted wanted = { .voters = 1 };
    size_t known = 0;

    for (size_t i = 0; i < view->manager_count; i++) {
        known += view->managers[i].is_leaving ? 0 : 1;
        wanted.managers += voters_counts(view, &view->managers[i]) ? 1 : 0;
    }
    if (known >= MANAGERS_FOR_MANY && wanted.managers >= VOTERS_MANY) {
        wanted.voters = VOTERS_MANY;
    } else if (wanted.managers >= VOTERS_FEW) {
        wanted.voters = VOTERS_FEW;
    } else {
        wanted.learners = wanted.managers == 2 ? 1 : 0;
    }
    return wanted;
}

static struct voters_view
voters_view_make(const struct plan_voters_manager *managers, size_t manager_count,
                 const struct plan_voters_member *members, size_t member_count,
                 const struct plan_voters_evidence *evidence, uint64_t now_ms)
{
    struct voters_view view = { .managers = managers,
                                .manager_count = manager_count,
                                .members = members,
                                .member_count = member_count,
                                .evidence = evidence,
                                .now_ms = now_ms };

    for (size_t i = 0; i < member_count; i++) {
        const struct plan_voters_member *member = &members[i];

        assert(member->id != 0 && member->heard_ms <= now_ms);
        if (member->is_learner) {
            view.learners++;
            continue;
        }
        view.voters++;
        view.heard_voters += member->is_heard ? 1 : 0;
        view.good_voters += voters_is_kept(&view, member) && !voters_is_lost(&view, member) ? 1 : 0;
    }
    view.wanted = voters_wanted_of(&view);
    return view;
}

/* Returns how many voters are in the zone of this member's or manager's zone. */
static size_t voters_in_zone(const struct voters_view *view, struct text zone)
{
    size_t count = 0;

    for (size_t i = 0; i < view->member_count; i++) {
        const struct plan_voters_manager *manager = voters_manager_of(view, &view->members[i]);

        count += manager != NULL && text_is_equal(manager->zone, zone) ? 1 : 0;
    }
    return count;
}

/* True if the store has a quorum of voters that answer after this member was removed. */
static bool voters_can_remove(const struct voters_view *view,
                              const struct plan_voters_member *member)
{
    size_t heard = view->heard_voters - (member->is_heard ? 1 : 0);

    return member->is_learner || !voters_rule_is_on(view, PLAN_VOTERS_CHECK_REST) ||
           (view->voters > 1 && heard >= voters_majority(view->voters - 1));
}

static struct plan_voters_act voters_act(enum plan_voters_kind kind, enum plan_voters_rule rule,
                                         const struct plan_voters_member *member,
                                         const char *reason)
{
    return (struct plan_voters_act){ .kind = kind,
                                     .rule = rule,
                                     .manager = member->manager,
                                     .member = member->id,
                                     .reason = reason };
}

static struct plan_voters_act voters_wait(enum plan_voters_rule rule, const char *reason)
{
    return (struct plan_voters_act){ .rule = rule, .reason = reason };
}

/* Rule 2: removes a member that is lost, the one with the lowest id first. Learners are included: a
 * lost learner would keep etcd from accepting another one. */
MUST_CHECK static bool voters_remove_lost(const struct voters_view *view,
                                          struct plan_voters_act *out)
{
    const struct plan_voters_member *found = NULL;

    for (size_t i = 0; i < view->member_count; i++) {
        const struct plan_voters_member *member = &view->members[i];

        if (voters_is_lost(view, member) && member->id != view->evidence->leader &&
            voters_can_remove(view, member) && (found == NULL || member->id < found->id)) {
            found = member;
        }
    }
    if (found != NULL) {
        *out = voters_act(PLAN_VOTERS_REMOVE, PLAN_VOTERS_RULE_SILENT, found,
                          voters_is_stopped(view, found)
                              ? "its machine is proven stopped"
                              : "neither two managers nor the leader hear it");
    }
    return found != NULL;
}

/* Returns the other one of two voters. */
static const struct plan_voters_member *voters_find(const struct voters_view *view, bool is_leader)
{
    for (size_t i = 0; i < view->member_count; i++) {
        const struct plan_voters_member *member = &view->members[i];

        if (!member->is_learner && (member->id == view->evidence->leader) == is_leader) {
            return member;
        }
    }
    return NULL;
}

/* Rule 3: two voters tolerate no loss. While both answer, one of them remains; the other one is
 * removed, and returns as a learner by rule 4. */
MUST_CHECK static bool voters_split_pair(const struct voters_view *view,
                                         struct plan_voters_act *out)
{
    const struct plan_voters_member *leader;
    const struct plan_voters_member *other;

    if (view->voters != 2 || view->heard_voters != 2 || view->wanted.managers >= VOTERS_FEW) {
        return false;
    }
    leader = voters_find(view, true);
    other = voters_find(view, false);
    if (leader == NULL || other == NULL) {
        return false;
    }
    if (!voters_is_kept(view, leader) && voters_is_kept(view, other)) {
        *out = voters_act(PLAN_VOTERS_MOVE_LEADER, PLAN_VOTERS_RULE_PAIR, other,
                          "the manager of the leader leaves");
    } else {
        *out = voters_act(PLAN_VOTERS_REMOVE, PLAN_VOTERS_RULE_PAIR, other,
                          "two voters tolerate no loss, and there is no third manager");
    }
    return true;
}

static bool voters_is_candidate(const struct voters_view *view,
                                const struct plan_voters_manager *manager)
{
    return !manager->is_leaving && manager->fresh_since_ms != 0 &&
           view->now_ms - manager->fresh_since_ms >= view->evidence->limits.fresh_ms &&
           !voters_has_member(view, manager);
}

/* Returns the manager that gets the next member: in the zone with the fewest members, then with the
 * lowest id. NULL: no manager can get one now. */
static const struct plan_voters_manager *voters_candidate(const struct voters_view *view)
{
    const struct plan_voters_manager *found = NULL;
    size_t found_in_zone = 0;

    for (size_t i = 0; i < view->manager_count; i++) {
        const struct plan_voters_manager *manager = &view->managers[i];
        size_t in_zone;

        if (!voters_is_candidate(view, manager)) {
            continue;
        }
        in_zone = voters_in_zone(view, manager->zone);
        if (found == NULL || in_zone < found_in_zone ||
            (in_zone == found_in_zone && text_compare(manager->id, found->id) < 0)) {
            found = manager;
            found_in_zone = in_zone;
        }
    }
    return found;
}

/* Rule 4: adds a learner. etcd accepts one learner at a time. */
MUST_CHECK static bool voters_add(const struct voters_view *view, struct plan_voters_act *out)
{
    const struct plan_voters_manager *manager = voters_candidate(view);

    if (manager == NULL || view->learners > 0 ||
        view->good_voters >= view->wanted.voters + view->wanted.learners) {
        return false;
    }
    *out = (struct plan_voters_act){ .kind = PLAN_VOTERS_ADD,
                                     .rule = PLAN_VOTERS_RULE_ADD,
                                     .manager = manager->id,
                                     .reason = view->wanted.learners > 0 &&
                                                       view->good_voters >= view->wanted.voters
                                                   ? "the second manager holds a copy"
                                                   : "there are fewer voters than wanted" };
    return true;
}

/* True if a voter exists that will be removed once there is another one. */
static bool voters_has_replaced(const struct voters_view *view)
{
    return view->good_voters < view->voters;
}

/* Rule 5: promotes a learner. An even number of voters is only a passing state, so the step after
 * it has to be possible too. */
MUST_CHECK static bool voters_promote(const struct voters_view *view, struct plan_voters_act *out)
{
    if (view->good_voters >= view->wanted.voters ||
        (view->voters % 2 == 1 && !voters_has_replaced(view) && voters_candidate(view) == NULL)) {
        return false;
    }
    for (size_t i = 0; i < view->member_count; i++) {
        const struct plan_voters_member *member = &view->members[i];

        if (member->is_learner && member->is_heard && member->is_caught_up &&
            !voters_is_stopped(view, member) && voters_is_kept(view, member)) {
            *out = voters_act(PLAN_VOTERS_PROMOTE, PLAN_VOTERS_RULE_PROMOTE, member,
                              "the learner caught up");
            return true;
        }
    }
    return false;
}

/* True if a is removed before b: members of managers that leave first, then those in the zone with
 * the most members, then the highest id. */
static bool voters_goes_before(const struct voters_view *view, const struct plan_voters_member *a,
                               const struct plan_voters_member *b)
{
    bool is_a_kept = voters_is_kept(view, a);

    if (is_a_kept != voters_is_kept(view, b)) {
        return !is_a_kept;
    }
    if (is_a_kept) {
        size_t in_zone_a = voters_in_zone(view, voters_manager_of(view, a)->zone);
        size_t in_zone_b = voters_in_zone(view, voters_manager_of(view, b)->zone);

        if (in_zone_a != in_zone_b) {
            return in_zone_a > in_zone_b;
        }
    }
    return a->id > b->id;
}

/* Returns the voter that goes first, without the leader. NULL: none can go. */
static const struct plan_voters_member *voters_surplus(const struct voters_view *view)
{
    const struct plan_voters_member *found = NULL;

    for (size_t i = 0; i < view->member_count; i++) {
        const struct plan_voters_member *member = &view->members[i];

        if (!member->is_learner &&
            (member->id != view->evidence->leader ||
             !voters_rule_is_on(view, PLAN_VOTERS_CHECK_LEADER)) &&
            voters_can_remove(view, member) &&
            (found == NULL || voters_goes_before(view, member, found))) {
            found = member;
        }
    }
    return found;
}

/* Returns the kept voter with the lowest id that answers and does not lead: the next leader. */
static const struct plan_voters_member *voters_next_leader(const struct voters_view *view)
{
    const struct plan_voters_member *found = NULL;

    for (size_t i = 0; i < view->member_count; i++) {
        const struct plan_voters_member *member = &view->members[i];

        if (!member->is_learner && member->is_heard && member->id != view->evidence->leader &&
            voters_is_kept(view, member) && (found == NULL || member->id < found->id)) {
            found = member;
        }
    }
    return found;
}

/* Removes a learner that has no use: it belongs to a manager that leaves, or there are enough
 * members without it. */
MUST_CHECK static bool voters_drop_learner(const struct voters_view *view,
                                           struct plan_voters_act *out)
{
    for (size_t i = 0; i < view->member_count; i++) {
        const struct plan_voters_member *member = &view->members[i];

        if (member->is_learner &&
            (!voters_is_kept(view, member) ||
             view->good_voters >= view->wanted.voters + view->wanted.learners)) {
            *out = voters_act(PLAN_VOTERS_REMOVE, PLAN_VOTERS_RULE_SURPLUS, member,
                              "the learner is not needed any more");
            return true;
        }
    }
    return false;
}

/* Rule 6: removes one member that is too many. The leader is never removed; if it is the only one
 * that should go, another voter leads first. */
MUST_CHECK static bool voters_remove_surplus(const struct voters_view *view,
                                             struct plan_voters_act *out)
{
    const struct plan_voters_member *leader = voters_find(view, true);
    const struct plan_voters_member *next;
    const struct plan_voters_member *surplus;

    if (voters_drop_learner(view, out)) {
        return true;
    }
    if (view->voters <= view->wanted.voters ||
        (view->good_voters < view->wanted.voters &&
         voters_rule_is_on(view, PLAN_VOTERS_CHECK_LEARNER))) {
        return false;
    }
    surplus = voters_surplus(view);
    next = voters_next_leader(view);
    if (leader != NULL && !voters_is_kept(view, leader) && next != NULL &&
        (surplus == NULL || voters_is_kept(view, surplus))) {
        *out = voters_act(PLAN_VOTERS_MOVE_LEADER, PLAN_VOTERS_RULE_SURPLUS, next,
                          "the manager of the leader leaves");
        return true;
    }
    if (surplus == NULL) {
        return false;
    }
    *out = voters_act(PLAN_VOTERS_REMOVE, PLAN_VOTERS_RULE_SURPLUS, surplus,
                      voters_is_kept(view, surplus) ? "there are more voters than wanted"
                                                    : "its manager leaves or is unknown");
    return true;
}

struct plan_voters_act plan_voters(const struct plan_voters_manager *managers, size_t manager_count,
                                   const struct plan_voters_member *members, size_t member_count,
                                   const struct plan_voters_evidence *evidence, uint64_t now_ms)
{
    struct voters_view view =
        voters_view_make(managers, manager_count, members, member_count, evidence, now_ms);
    struct plan_voters_act act;

    if (voters_rule_is_on(&view, PLAN_VOTERS_RULE_QUORUM) &&
        (!evidence->has_quorum || evidence->leader == 0 || view.voters == 0 ||
         view.heard_voters < voters_majority(view.voters))) {
        return voters_wait(PLAN_VOTERS_RULE_QUORUM, "the store has no quorum");
    }
    if (evidence->is_changing && voters_rule_is_on(&view, PLAN_VOTERS_CHECK_CHANGING)) {
        return voters_wait(PLAN_VOTERS_CHECK_CHANGING,
                           "another change of the members is under way");
    }
    if ((voters_rule_is_on(&view, PLAN_VOTERS_RULE_SILENT) && voters_remove_lost(&view, &act)) ||
        (voters_rule_is_on(&view, PLAN_VOTERS_RULE_PAIR) && voters_split_pair(&view, &act)) ||
        (voters_rule_is_on(&view, PLAN_VOTERS_RULE_ADD) && voters_add(&view, &act)) ||
        (voters_rule_is_on(&view, PLAN_VOTERS_RULE_PROMOTE) && voters_promote(&view, &act)) ||
        (voters_rule_is_on(&view, PLAN_VOTERS_RULE_SURPLUS) &&
         voters_remove_surplus(&view, &act))) {
        return act;
    }
    if (view.good_voters == view.wanted.voters && view.voters == view.wanted.voters &&
        view.learners == view.wanted.learners) {
        return voters_wait(0, "the members are as wanted");
    }
    return voters_wait(PLAN_VOTERS_RULE_ADD, view.learners > 0
                                                 ? "the learner has not caught up"
                                                 : "no manager can take another member yet");
}

struct plan_voters_wanted
plan_voters_wanted(const struct plan_voters_manager *managers, size_t manager_count,
                   const struct plan_voters_member *members, size_t member_count,
                   const struct plan_voters_evidence *evidence, uint64_t now_ms)
{
    return voters_view_make(managers, manager_count, members, member_count, evidence, now_ms)
        .wanted;
}

size_t plan_voters_spare(const struct plan_voters_member *members, size_t member_count)
{
    size_t voters = 0;
    size_t heard = 0;

    for (size_t i = 0; i < member_count; i++) {
        voters += members[i].is_learner ? 0 : 1;
        heard += !members[i].is_learner && members[i].is_heard ? 1 : 0;
    }
    return heard > voters_majority(voters) ? heard - voters_majority(voters) : 0;
}
