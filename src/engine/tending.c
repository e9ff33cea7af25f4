#include "engine/tending.h"

#include "base/limits.h"
#include "base/sort.h"
#include "base/time.h"
#include "engine/rollouts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* names: tending_ tended_ run_ control_ */

enum { BUSY_MS = 1000 }; /* until a run is tried again that nobody had room for */

uint64_t tending_now(const struct tending *tending)
{
    return reconciler_now(tending->reconciler);
}

static uint64_t port_now(const struct reconciler *reconciler)
{
    return reconciler->control->ports.now_ms(reconciler->control->ports.arg);
}

void tending_wake(struct tending *tending)
{
    struct reconciler *reconciler = tending->reconciler;

    heap_put(&reconciler->control->tending, &reconciler->tending_due, port_now(reconciler));
}

/* ---- runs ---- */

static const struct nodes_port *port_of(const struct tending *tending)
{
    return tending->reconciler->control->ports.nodes;
}

/* Once the end has begun (control_stop) whoever makes runs lets them go by himself. */
static void run_drop(struct tended_run *run)
{
    const struct tending *tending = run->tended->tending;
    const struct nodes_port *port = port_of(tending);

    if (run->run != NULL && !tending->reconciler->control->is_stopped) {
        port->drop(port->arg, run->run);
    }
    run->run = NULL;
}

void tended_drop_runs(struct tended *tended)
{
    run_drop(&tended->main);
    run_drop(&tended->beside);
    tended->doing = TEND_IDLE;
}

void tended_drop_release(struct tended *tended)
{
    if (tended->release.run != NULL) {
        run_drop(&tended->release);
    }
}

/* Which ends of stages were told already: they are not asked for once more. */
static const uint32_t *told_collect(struct arena *arena, const struct tended *tended, size_t count)
{
    uint32_t *told = arena_array(arena, uint32_t, count + 1);
    struct text rest = tended->state.took;
    struct node_took took;

    while (node_state_took_next(&rest, &took)) {
        if (took.number >= 0 && (size_t)took.number < count && took.attempt > 0 &&
            took.attempt <= UINT32_MAX) {
            told[took.number] = (uint32_t)took.attempt;
        }
    }
    return told;
}

static void run_begin(struct tended_run *run, unsigned with, bool is_beside)
{
    struct tended *tended = run->tended;
    struct tending *tending = tended->tending;
    const struct nodes_port *port = port_of(tending);
    const struct fleet_cluster *cluster = tending->reconciler->cluster;
    const struct fleet_group *group = fleet_group_find(cluster, tended->group);
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct nodes_order order = {
        .way = tended->way,
        .cluster_name = cluster->name,
        .group = tended->group,
        .with = with,
        .is_beside = is_beside,
    };

    const struct tending_batches *batches;
    bool is_again = false;
    struct rerun rerun;

    assert(run->run == NULL && group != NULL);
    order.owner = tended_owner(arena, group);
    order.way.cluster = cluster->key;
    order.way.key_secret = group->key_secret;
    order.way.takes_first = group->takes_first; /* of now, not of when the record was read */
    order.way.is_operators = group->is_operators;
    if ((with & TEND_WITH_STAGES) != 0) {
        order.stages = group->stages;
        order.stage_count = group->stage_count;
        order.told = told_collect(arena, tended, group->stage_count);
        tended_wish(tended, &order);
        is_again = tended_rerun_next(tended, &rerun, &batches);
        run->rerun = is_again && batches == NULL ? rerun.revision : 0;
        snprintf(run->job, sizeof(run->job), "%s",
                 is_again && batches != NULL ? batches->request : "");
        snprintf(run->chain, sizeof(run->chain), "%.*s", TEXT_ARG(group->chain));
    }
    if (tended->state.name.length == 0 || tended->state.is_operators != group->is_operators) {
        struct node_state state = tended->state; /* from here on something of reeve may be on it */

        state.name = tended->name;
        state.is_operators = group->is_operators;
        tended_change(tended, &state, NULL, TEXT(""));
    }
    run->with = with;
    run->run = port->begin(port->arg, &order, tending_told, run);
    if (run->run == NULL) {
        tended->again_ms = tending_now(tending) + BUSY_MS;
    } else if (!is_beside) {
        tended->doing = TEND_UNDER_WAY;
        if ((with & TEND_WITH_STAGES) != 0) {
            tended_chain_leave(tended, group->chain);
        }
        if (is_again && (batches == NULL || !batches_is_rollout(&batches->wish))) {
            tended_rerun_tell(tended, group, &rerun);
        }
        if ((with & TEND_WITH_STAGES) != 0 && tended->state.chain_failed.length > 0) {
            tending->reconciler->is_woken = true; /* its job waits no longer */
        }
    }
}

/* ---- what it is to trust ---- */

static bool is_member(const struct tended *tended)
{
    return !tended->is_going && !tended->is_shadow && !tended->is_taken;
}

static bool has_trusted_keys(const struct tended *tended)
{
    return !tended->is_going && !tended->is_taken && tended->state.keys.host.length > 0;
}

/* Of all keys that are known, each with its name. */
static uint64_t keys_hash(const struct tending *tending)
{
    uint64_t hash = 0;

    for (const struct tended *one = tending->first; one != NULL; one = one->next) {
        if (has_trusted_keys(one)) {
            hash += text_hash(one->state.keys.host, text_hash(one->name, 1)) +
                    text_hash(one->state.keys.root, 2) + text_hash(one->state.keys.user, 3);
        }
    }
    return hash;
}

/* Are its certificates at half of their life? */
static bool is_renewed(const struct tended *tended)
{
    return tended->state.renew_ms > 0 && tending_now(tended->tending) >= tended->state.renew_ms &&
           !tended->tending->reconciler->cluster->is_classic;
}

/* Changes whenever the form of what nodes are given does: nodes that have the older one get the new one, and keep their
 * certificates. 2: the authority of hosts counts for members alone (0114). */
#define TRUST_FORM "2"

/* What all members are to trust: a digest, another one is another trust. Empty: not known yet. */
static struct text trust_of_all(struct arena *arena, const struct tending *tending)
{
    const struct nodes_port *port = port_of(tending);
    const struct fleet_cluster *cluster = tending->reconciler->cluster;
    const char *apart = cluster->is_apart ? "-apart" : "";
    struct nodes_mark mark;

    if (cluster->is_classic) {
        return arena_printf(arena, "k%016llx%s", (unsigned long long)keys_hash(tending), apart);
    }
    if (!port->authority(port->arg, cluster->key, &mark)) {
        return TEXT("");
    }
    return arena_printf(arena, "c%016llx%s.%016llx.%llx." TRUST_FORM,
                        (unsigned long long)mark.signs, apart, (unsigned long long)mark.trusts,
                        (unsigned long long)mark.list);
}

/* Are its certificates of who signs now, and young? What it was given says so, and what it could not take is given whole. */
static bool keeps_certificates(const struct tended *tended, struct text mark)
{
    size_t length = text_find_byte(mark, '.');

    return length != SIZE_MAX && tended->failures == 0 && !is_renewed(tended) &&
           text_is_equal(text_slice(tended->state.trust_given, 0, length + 1),
                         text_slice(mark, 0, length + 1));
}

/* What this one is, whose certificates may be at half of their life. */
static struct text trust_mark(const struct tended *tended, struct text all)
{
    return tended->state.keys.host.length == 0 ? TEXT("")
           : is_renewed(tended)                ? TEXT("renew")
                                               : all;
}

static void classic_collect(struct arena *arena, const struct tending *tending,
                            struct nodes_trust *out)
{
    struct nodes_keys *keys = arena_array(arena, struct nodes_keys, tending->count + 1);

    for (const struct tended *one = tending->first; one != NULL; one = one->next) {
        if (has_trusted_keys(one)) {
            keys[out->count] = one->state.keys;
            keys[out->count++].name = one->name;
        }
    }
    out->keys = keys;
}

void run_trust(struct tended_run *run)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct tended *tended = run->tended;
    struct tending *tending = tended->tending;
    const struct nodes_port *port = port_of(tending);
    struct nodes_keys own = tended->state.keys;
    const struct fleet_cluster *cluster = tending->reconciler->cluster;
    struct nodes_trust trust = { .is_classic = cluster->is_classic,
                                 .is_apart = cluster->is_apart,
                                 .cert_ms = cluster->cert_ms };
    struct text mark = trust_of_all(arena, tending); /* what it gets is what all have */

    own.name = tended->name;
    if (trust.is_classic) {
        classic_collect(arena, tending, &trust);
    } else {
        trust.keys = &own;
        trust.count = 1;
    }
    run->keeps = !trust.is_classic && keeps_certificates(tended, mark);
    trust.keeps = run->keeps;
    snprintf(run->trust, sizeof(run->trust), "%.*s", TEXT_ARG(mark));
    port->trust(port->arg, run->run, &trust);
    if (run == &tended->main) {
        tended->doing = TEND_UNDER_WAY;
    }
}

/* ---- the facts of all ---- */

static bool has_facts(const struct tended *tended)
{
    return is_member(tended) && tended->state.facts.length > 0;
}

static void facts_digest(struct tending *tending)
{
    char digest[sizeof(tending->facts)];
    uint64_t sums[2] = { 0, 0 };

    for (const struct tended *one = tending->first; one != NULL; one = one->next) {
        if (has_facts(one)) {
            uint64_t name = text_hash(one->name, 7);

            sums[0] += text_hash(one->state.facts, name);
            sums[1] += text_hash(one->state.facts, ~name);
        }
    }
    snprintf(digest, sizeof(digest), "%016llx%016llx", (unsigned long long)sums[0],
             (unsigned long long)sums[1]);
    if (strcmp(digest, tending->facts) != 0) {
        memcpy(tending->facts, digest, sizeof(digest));
        tending->facts_changed_ms = tending_now(tending);
    }
}

static int name_compare(const void *a, const void *b, void *arg)
{
    const struct tended *const *first = a;
    const struct tended *const *second = b;

    (void)arg;
    return text_compare((*first)->name, (*second)->name);
}

/* Members whose facts are known, by name. */
static const struct tended **facts_sort(struct arena *arena, const struct tending *tending,
                                        size_t *out_count)
{
    const struct tended **all = arena_array(arena, const struct tended *, tending->count + 1);

    *out_count = 0;
    for (const struct tended *one = tending->first; one != NULL; one = one->next) {
        if (has_facts(one)) {
            all[(*out_count)++] = one;
        }
    }
    sort_stable(arena, all, *out_count, sizeof(*all), name_compare, NULL);
    return all;
}

static struct text facts_text(struct arena *arena, const struct tending *tending)
{
    size_t count;
    const struct tended **all = facts_sort(arena, tending, &count);
    struct node_state_facts *items = arena_array(arena, struct node_state_facts, count + 1);

    for (size_t i = 0; i < count; i++) {
        items[i] = (struct node_state_facts){ all[i]->name, all[i]->state.facts };
    }
    return node_state_facts_format(arena, items, count);
}

/* By which they find each other: an address and a name a line. An address that is a name needs no entry in /etc/hosts, and is a
 * comment there: the node has to know it as a member's all the same (members.sh). */
static struct text hosts_text(struct arena *arena, const struct tending *tending)
{
    size_t count;
    const struct tended **all = facts_sort(arena, tending, &count);
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; i < count; i++) {
        struct text address = all[i]->way.address;
        bool is_number = text_find_byte(address, ':') != SIZE_MAX ||
                         (address.length > 0 && address.data[0] >= '0' && address.data[0] <= '9');

        buf_printf(&buf, "%s%.*s %.*s\n", is_number ? "" : "# ", TEXT_ARG(address),
                   TEXT_ARG(all[i]->name));
    }
    return buf_text(&buf);
}

void run_distribute(struct tended_run *run)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct tended *tended = run->tended;
    struct tending *tending = tended->tending;
    const struct nodes_port *port = port_of(tending);

    facts_digest(tending);
    memcpy(run->facts, tending->facts, sizeof(run->facts));
    port->distribute(port->arg, run->run, facts_text(arena, tending), hosts_text(arena, tending));
    if (run == &tended->main) {
        tended->doing = TEND_IN_STAGES;
    }
}

/* ---- what is decided ---- */

struct tending_words *tended_words(const struct tended *tended)
{
    const struct tending *tending = tended->tending;

    for (size_t i = 0; i < tending->word_count; i++) {
        if (text_is_equal(tending->words[i].group, tended->group)) {
            return &tending->words[i];
        }
    }
    return NULL;
}

/* Somebody has said since that what failed is to be tried again. Revisions would not do: the one of its state is an older one until
 * that is written, and the one of the word moves with all that is said of its subject. They are for what managers wrote who
 * knew no names. */
static bool is_retried(const struct tended *tended)
{
    const struct tending_words *words = tended_words(tended);

    if (words == NULL || words->retry_revision == 0) {
        return false;
    }
    return tended->state.retry.length > 0 ? !text_is_equal(words->retry, tended->state.retry)
                                          : words->retry_revision > tended->state_revision;
}

void tended_wish(const struct tended *tended, struct nodes_order *order)
{
    const struct tending_words *words = tended_words(tended);
    const struct tending_batches *batches;
    struct rerun rerun;

    if (tended_rerun_next(tended, &rerun, &batches)) {
        /* with its time: a store that was restored counts its revisions anew, and nodes keep names */
        order->wish = batches != NULL ? arena_printf(tended->machine, "job-%s", batches->request)
                                      : arena_printf(tended->machine, "rerun-%llu-%lld",
                                                     (unsigned long long)rerun.revision,
                                                     (long long)rerun.at_ms);
        order->is_wish_of_all = !rerun.is_failed;
        order->wish_from = rerun.from;
    } else if (tended->state.chain_failed.length > 0 && is_retried(tended)) {
        order->wish = arena_printf(tended->machine, "retry-%.*s", TEXT_ARG(words->retry));
    }
}

bool tended_is_stuck(const struct tended *tended, struct text chain)
{
    return chain.length > 0 && text_is_equal(tended->state.chain_failed, chain) &&
           !is_retried(tended) && !tended_is_rerun(tended);
}

bool tended_is_staging(const struct tended *tended)
{
    return tended->main.run != NULL && (tended->main.with & TEND_WITH_STAGES) != 0;
}

/* Of a node whose stages ended, but one that failed and may, the word to try again is about all of them. */
static struct text done_chain(const struct tended *tended)
{
    const struct node_state *state = &tended->state;
    bool is_wished =
        tended_is_rerun(tended) || (state->chain_failed.length > 0 && is_retried(tended));

    return is_wished ? TEXT("") : state->chain_done;
}

bool tended_wants_stages(const struct tended *tended, struct text chain)
{
    return !text_is_equal(done_chain(tended), chain);
}

static struct tend_member member_make(const struct tended *tended, struct text all)
{
    const struct tending *tending = tended->tending;
    const struct fleet_group *group = fleet_group_find(tending->reconciler->cluster, tended->group);
    const struct tending_words *words = tended_words(tended);
    const struct node_state *state = &tended->state;
    struct text chain = group == NULL ? TEXT("") : group->chain;

    return (struct tend_member){
        .name = tended->name,
        .is_made = true,
        .is_there = tended->is_there,
        .is_going = tended->is_going || tended->is_taken || group == NULL,
        /* with barrier: bestEffort nobody waits for a node on which nothing can be done */
        .is_unreachable =
            tended->is_unreachable || tended->is_unwell ||
            (tending->reconciler->cluster->is_best_effort && state->blocked != NODES_CAUSE_NONE),
        .is_paused = words == NULL || words->is_paused || tended->is_rebooting,
        .has_keys = state->keys.host.length > 0,
        .has_facts = state->facts.length > 0 && tended->is_owned,
        .is_stuck = tended_is_stuck(tended, chain),
        .needs_slot = group != NULL && tended_needs_slot(tended, group),
        .chain = chain,
        .chain_done = done_chain(tended),
        .trust = trust_mark(tended, all),
        .trust_given = state->trust_given,
        .facts_given = state->facts_given,
        .again_ms = tended->again_ms,
        .doing = tended->doing,
        .is_told = tended->beside.run != NULL,
    };
}

/* Does this machine stand in a slot of the group, for all who ask by name? */
static bool stands_in(const struct tended *tended, const struct fleet_group *group)
{
    return !tended->is_going && !tended->is_shadow &&
           text_is_equal(tended->group, group->plan.path);
}

/* Slots that are wanted and in which nothing stands yet: they are waited for. They are the lowest ones (E6). */
static size_t missing_add(struct arena *arena, const struct tending *tending,
                          const struct fleet_group *group, struct tend_member *out)
{
    size_t room = group->plan.size + tending->count;
    bool *is_used = arena_array(arena, bool, room + 1);
    size_t missing = 0;
    size_t standing = 0;

    memset(is_used, 0, room + 1);
    for (const struct tended *one = tending->first; one != NULL; one = one->next) {
        if (stands_in(one, group)) {
            standing++;
            if (one->slot - group->plan.first_slot < room) {
                is_used[one->slot - group->plan.first_slot] = true;
            }
        }
    }
    for (size_t at = 0; standing + missing < group->plan.size; at++) {
        if (at >= room || !is_used[at]) {
            out[missing++] =
                (struct tend_member){ .name = naming_format(arena, &group->affix,
                                                            group->plan.first_slot + at) };
        }
    }
    return missing;
}

static size_t members_room(const struct tending *tending)
{
    const struct fleet_cluster *cluster = tending->reconciler->cluster;
    size_t room = tending->count;

    for (size_t i = 0; i < cluster->group_count; i++) {
        room += cluster->groups[i].plan.size;
    }
    return room;
}

static void step_make(struct tended **tended, const struct tend_step *step)
{
    struct tended *one = tended[step->member];

    assert(one != NULL && "nothing is done where nothing stands");
    switch (step->what) {
    case TEND_BEGIN:
        run_begin(&one->main, step->with, false);
        break;
    case TEND_TELL:
        run_begin(&one->beside, step->with, true);
        break;
    case TEND_TRUST:
        run_trust(&one->main);
        break;
    case TEND_DISTRIBUTE:
        run_distribute(&one->main);
        break;
    case TEND_CANCEL:
        tended_drop_runs(one);
        break;
    }
}

static void waits_note(struct tending *tending, const struct tend_world *world,
                       const struct tend_steps *steps)
{
    bool is_of_keys = steps->keys_wait != TEND_WAIT_NONE;

    arena_free(tending->waits_home);
    tending->waits_home = arena_new_small(SIZE_MAX);
    tending->waits = tend_wait_words(
        tending->waits_home, world, is_of_keys ? steps->keys_wait : steps->facts_wait,
        is_of_keys ? steps->keys_for : steps->facts_for, is_of_keys ? 0 : steps->facts_others);
}

/* The next time at which certificates are to be given anew; 0: none. */
static uint64_t renew_next(const struct tending *tending, uint64_t next_ms)
{
    uint64_t now = tending_now(tending);

    for (const struct tended *one = tending->first; one != NULL; one = one->next) {
        uint64_t at_ms = one->state.renew_ms;

        next_ms = at_ms > now ? time_earlier(next_ms, at_ms) : next_ms;
    }
    return next_ms;
}

uint64_t tending_decide(struct tending *tending)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct fleet_cluster *cluster = tending->reconciler->cluster;
    const struct nodes_port *port = port_of(tending);
    size_t room = members_room(tending);
    struct tend_member *members = arena_array(arena, struct tend_member, room + 1);
    struct tended **tended = arena_array(arena, struct tended *, room + 1);
    struct tend_limits limits = tend_limits_default();
    struct text all = trust_of_all(arena, tending);
    struct tend_steps steps;
    struct tend_world world;
    size_t count = 0;

    facts_digest(tending);
    for (struct tended *one = tending->first; one != NULL; one = one->next) {
        tended[count] = one;
        members[count++] = member_make(one, all);
    }
    for (size_t i = 0; i < cluster->group_count; i++) {
        const struct fleet_group *group = &cluster->groups[i];

        if (port->logs_in(port->arg, group->choices[0].plugin)) {
            count += missing_add(arena, tending, group, &members[count]);
        }
    }
    world = (struct tend_world){
        .now_ms = tending_now(tending),
        .members = members,
        .count = count,
        .facts = text_from(tending->facts),
        .facts_changed_ms = tending->facts_changed_ms,
        .is_classic = cluster->is_classic,
        .is_best_effort = cluster->is_best_effort,
    };
    tend_decide(arena, &world, &limits, &steps);
    waits_note(tending, &world, &steps);
    steps.next_ms = time_earlier(steps.next_ms, tending_rotate(tending, &world));
    for (size_t i = 0; i < steps.count; i++) {
        step_make(tended, &steps.steps[i]);
    }
    return renew_next(tending, steps.next_ms);
}

/* ---- whose turn it is ---- */

void control_tend(struct control *control, struct text cluster)
{
    struct fleet_cluster *found = fleet_find(control->fleet, cluster);
    struct reconciler *reconciler = found == NULL ? NULL : found->reconciler;

    if (reconciler != NULL && reconciler->tending != NULL) {
        tending_wake(reconciler->tending);
    }
}

static void reconciler_tend(struct reconciler *reconciler, uint64_t now_ms)
{
    struct tending *tending = reconciler->tending;
    uint64_t next_ms = 0;

    if (reconciler->cluster->is_stale || reconciler->epoch == 0 ||
        reconciler->cluster->trouble.code != CODE_NONE) {
        return; /* the next pass that can read what is wanted comes back here */
    }
    tending_look(tending);
    next_ms = time_earlier(tending_batches_run(tending), tending_release(tending));
    if (reconciler->cluster->is_tended) {
        next_ms = time_earlier(next_ms, tending_decide(tending));
    } else {
        for (struct tended *one = tending->first; one != NULL; one = one->next) {
            tended_drop_runs(one);
        }
    }
    if ((reconciler->is_woken || tending_is_dirty(reconciler)) &&
        reconciler->step == RECONCILER_IDLE) {
        control_schedule(reconciler, 0);
    }
    if (next_ms != 0) {
        uint64_t now = tending_now(tending);

        heap_put(&reconciler->control->tending, &reconciler->tending_due,
                 now_ms + (next_ms > now ? next_ms - now : 0));
    }
}

uint64_t tending_run(struct control *control, uint64_t now_ms)
{
    struct heap_node *first;

    while ((first = heap_first(&control->tending)) != NULL && first->due <= now_ms) {
        struct reconciler *reconciler = heap_owner(first, struct reconciler, tending_due);

        heap_remove(&control->tending, first);
        reconciler_tend(reconciler, now_ms);
    }
    return first == NULL ? UINT64_MAX : first->due;
}
