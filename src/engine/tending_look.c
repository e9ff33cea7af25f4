#include "base/limits.h"
#include "codec/json.h"
#include "engine/tending.h"

#include <assert.h>
#include <stdio.h>

/* names: tending_ tended_ */

/* What machines there are, and what was written down of their nodes. */

/* ---- one machine ---- */

static struct tended *tended_new(struct tending *tending, struct text token)
{
    struct arena *home = arena_new_small(SIZE_MAX);
    struct tended *tended = arena_one(home, struct tended);

    *tended = (struct tended){
        .tending = tending,
        .home = home,
        .machine = arena_new_small(SIZE_MAX),
        .state_home = arena_new_small(SIZE_MAX),
        .token = arena_text(home, token),
    };
    tended->main.tended = tended;
    tended->beside.tended = tended;
    return tended;
}

static void tended_free(struct tended *tended)
{
    tended_drop_runs(tended);
    tended_drop_release(tended);
    arena_free(tended->machine);
    arena_free(tended->state_home);
    arena_free(tended->home);
}

static struct text state_id(struct arena *arena, const struct tending *tending, struct text token)
{
    return arena_printf(arena, "%.*s/%.*s", TEXT_ARG(tending->reconciler->cluster->id),
                        TEXT_ARG(token));
}

/* What another manager has seen of it, or this one in an earlier life. What cannot be read is asked again. */
static void state_load(struct tended *tended)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct tending *tending = tended->tending;
    const struct cache_object *object =
        cache_find(tending->reconciler->control->cache, tending->reconciler->cluster->tenant,
                   TEXT("Node"), state_id(arena, tending, tended->token));
    const struct cache_bytes *status = object == NULL ? NULL : &object->parts[CACHE_STATUS];
    struct node_state state;
    struct err err;

    if (status == NULL || status->bytes == NULL) {
        return;
    }
    tended->state_revision = status->revision;
    tended->written = text_hash(blob_text(status->bytes), 0);
    if (node_state_parse(arena, blob_text(status->bytes), &state, &err)) {
        tended_state_set(tended, &state);
    }
}

/* What was written by who did not write it yet, or while none was known, counts as keyed with the one that stands in its record. */
static void host_key_look(struct tended *tended)
{
    uint64_t host_key = node_state_host_key(tended->way.host_key);

    if (tended->state.host_key == 0 && tended->state.trust_given.length > 0) {
        tended->state.host_key = host_key;
    } else if (tended->state.host_key != 0 && host_key != 0 && tended->state.host_key != host_key) {
        tended_forget(tended);
    }
}

/* What stood in its record is read anew when that has changed. */
static void machine_read(struct tended *tended, const struct fleet_machine *machine)
{
    struct arena *arena;
    struct record record;
    struct err err;

    if (tended->revision == machine->revision) {
        return;
    }
    arena = arena_new_small(SIZE_MAX);
    if (!record_parse(arena, tended->token, arena_text(arena, blob_text(machine->bytes)), &record,
                      &err)) {
        arena_free(arena);
        return; /* the pass says so */
    }
    arena_free(tended->machine);
    tended->machine = arena;
    tended->revision = machine->revision;
    tended->name = record.name;
    tended->group = record.plan.group;
    tended->id = record.plan.id;
    tended->way = fleet_way(tended->tending->reconciler->cluster, &record);
    tended->way.cluster = TEXT(""); /* they live as long as what is wanted, which is read anew */
    tended->way.key_secret = TEXT("");
    tended->slot = record.plan.slot;
    tended->is_there = record.plan.state == PLAN_RECORD_ACTIVE && record.address.length > 0;
    tended->is_going = record.plan.state == PLAN_RECORD_DELETE;
    tended->is_unwell = record.plan.unreachable_since_ms > 0;
    tended->is_sick = record.plan.sick_since_ms > 0;
    tended->is_protected = record.plan.is_protected;
    tended->generation = record.plan.generation;
    tended->is_starting = record.plan.is_starting && !record.plan.is_reboot_served;
    tended->is_unanswered = record.plan.is_starting && record.plan.is_reboot_served;
    tended->is_rebooting = plan_is_rebooting(&record.plan);
    tended->is_answered = tended->is_answered && !tended->is_rebooting;
    tended->failed_since_ms = record.plan.failed_since_ms;
    host_key_look(tended);
}

/* A machine that counts before its stages are done serves also while its group has none: stages that are added later reach it by
 * a rollout. */
static void service_look(struct tended *tended)
{
    const struct fleet_group *group =
        fleet_group_find(tended->tending->reconciler->cluster, tended->group);
    struct node_state state = tended->state;

    if (group != NULL && group->stage_count == 0 && group->ready != FLEET_READY_BOOTSTRAPPED &&
        tended->is_there && !tended->is_starting && !state.has_served) {
        state.has_served = true;
        tended_state_set(tended, &state);
        tended_note(tended, NULL, TEXT(""));
    }
}

/* What was taken back of them, and what is wished of them, may be another than it was. */
static void others_look(struct tending *tending)
{
    for (struct tended *one = tending->first; one != NULL; one = one->next) {
        one->is_taken = tended_is_taken(one);
        tended_rerun_look(one);
        service_look(one);
    }
}

/* ---- whose it is ---- */

struct text tended_owner(struct arena *arena, const struct fleet_group *group)
{
    struct doc more;
    struct err err;
    const struct doc *owner;

    if (!json_parse(arena, arena_text(arena, group->more), NULL, &more, &err)) {
        return TEXT("");
    }
    owner = doc_child(&more, "owner");
    return doc_is_scalar(owner) ? owner->text : TEXT("");
}

void tended_owner_look(struct tended *tended)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct fleet_group *group =
        fleet_group_find(tended->tending->reconciler->cluster, tended->group);
    const struct doc *owner = NULL;
    struct doc facts;
    struct err err;

    tended->is_owned = true;
    if (group == NULL || tended->state.facts.length == 0 ||
        !json_parse(arena, arena_text(arena, tended->state.facts), NULL, &facts, &err)) {
        return;
    }
    owner = doc_child(&facts, "owner");
    tended->is_owned =
        text_is_equal(doc_is_scalar(owner) ? owner->text : TEXT(""), tended_owner(arena, group));
}

/* Only what is wanted says another one. */
static void owners_look(struct tending *tending)
{
    uint64_t wanted = tending->reconciler->cluster->wanted_revision;

    for (struct tended *one = tending->first; one != NULL && tending->wanted != wanted;
         one = one->next) {
        tended_owner_look(one);
    }
    tending->wanted = wanted;
}

/* ---- all of them ---- */

/* Two machines in one slot: the name is that one's which serves, else the older one's (E6). */
static void name_settle(struct map *names, struct tended *tended)
{
    struct tended *other = map_find(names, tended->name);
    bool is_better =
        other == NULL || (other->is_starting && !tended->is_starting) ||
        (other->is_starting == tended->is_starting && other->revision > tended->revision);

    tended->is_shadow = !is_better;
    if (is_better) {
        if (other != NULL) {
            other->is_shadow = true;
        }
        map_put(names, tended->name, tended);
    }
}

static void names_settle(struct tending *tending)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct map names;

    map_init(&names, arena);
    for (struct tended *one = tending->first; one != NULL; one = one->next) {
        one->is_shadow = false;
        if (!one->is_going && one->name.length > 0) {
            name_settle(&names, one);
        }
    }
}

static void machines_look(struct tending *tending)
{
    const struct fleet_cluster *cluster = tending->reconciler->cluster;
    const struct nodes_port *port = tending->reconciler->control->ports.nodes;

    for (size_t i = 0; i < cluster->count; i++) {
        struct text token = fleet_machine_token(cluster->machines[i]);
        struct tended *tended = map_find(&tending->by_token, token);

        if (tended == NULL &&
            !port->logs_in(port->arg, fleet_machine_plugin(cluster->machines[i]))) {
            continue;
        }

        if (tended == NULL) {
            tended = tended_new(tending, token);
            tended->is_owned = true;
            state_load(tended);
            tended->next = tending->first;
            tending->first = tended;
            tending->count++;
            map_put(&tending->by_token, tended->token, tended);
        }
        machine_read(tended, cluster->machines[i]);
        tended->is_seen = true;
    }
}

/* Whose record is gone is forgotten; what was written of it goes when it is compared. */
static void gone_forget(struct tending *tending)
{
    struct tended **at = &tending->first;

    while (*at != NULL) {
        struct tended *tended = *at;

        if (tended->is_seen) {
            tended->is_seen = false;
            at = &tended->next;
            continue;
        }
        *at = tended->next;
        tending->count--;
        map_remove(&tending->by_token, tended->token);
        tended_free(tended);
    }
}

void tending_look(struct tending *tending)
{
    const struct fleet_cluster *cluster = tending->reconciler->cluster;

    if (tending->version == cluster->version) {
        return;
    }
    tending->version = cluster->version;
    machines_look(tending);
    gone_forget(tending);
    others_look(tending);
    owners_look(tending);
    names_settle(tending);
}

/* ---- life ---- */

static struct tending *tending_new(struct reconciler *reconciler)
{
    struct arena *home = arena_new_small(SIZE_MAX);
    struct tending *tending = arena_one(home, struct tending);

    *tending = (struct tending){ .reconciler = reconciler,
                                 .home = home,
                                 .rotating_hash = text_hash(TEXT(""), 0) };
    map_init(&tending->by_token, home);
    return tending;
}

void tending_drop(struct reconciler *reconciler)
{
    struct tending *tending = reconciler->tending;

    if (tending == NULL) {
        return;
    }
    heap_remove(&reconciler->control->tending, &reconciler->tending_due);
    for (struct tended *one = tending->first, *next; one != NULL; one = next) {
        next = one->next;
        tended_free(one);
    }
    tending_batches_drop(tending);
    arena_free(tending->rollouts_home);
    arena_free(tending->words_home);
    arena_free(tending->waits_home);
    arena_free(tending->gone_home);
    arena_free(tending->home);
    reconciler->tending = NULL;
}

/* An operator who asks for another try does not wait for the back-off of runs that could not do their work. */
static void retries_look(struct tending *tending, const struct tending *former)
{
    for (struct tended *one = tending->first; one != NULL; one = one->next) {
        const struct tending_words *words = tended_words(one);

        for (size_t i = 0; words != NULL && i < former->word_count; i++) {
            if (text_is_equal(former->words[i].group, words->group) &&
                !text_is_equal(former->words[i].retry, words->retry) &&
                one->state.blocked != NODES_CAUSE_NONE) {
                one->again_ms = 0;
                one->failures = 0;
            }
        }
    }
}

/* What operators have said stands in keys that the pass reads; it is kept until the next pass that does. */
static void words_look(struct tending *tending)
{
    struct reconciler *reconciler = tending->reconciler;
    const struct fleet_cluster *cluster = reconciler->cluster;
    struct pass *pass = reconciler->pass;
    struct tending former;
    struct pass_words all;

    if (pass == NULL || !pass->is_decided) {
        return;
    }
    former = *tending;
    tending->words_home = arena_new_small(SIZE_MAX);
    tending->words =
        arena_array(tending->words_home, struct tending_words, cluster->group_count + 1);
    tending->word_count = cluster->group_count;
    all = pass_words_read(pass, TEXT(""));
    tending->rotate = arena_text(tending->words_home, all.rotate);
    for (size_t i = 0; i < cluster->group_count; i++) {
        struct text path = cluster->groups[i].plan.path;
        struct pass_words words = pass_words_read(pass, path);

        tending->words[i] = (struct tending_words){
            .group = arena_text(tending->words_home, path),
            .is_paused = all.is_paused || words.is_paused || all.is_deleting,
            .roll = words.roll > all.roll ? words.roll : all.roll,
            .retry_revision = words.retry_revision > all.retry_revision ? words.retry_revision
                                                                        : all.retry_revision,
            .retry = tending_retry_name(tending->words_home, tending, path),
        };
    }
    retries_look(tending, &former);
    arena_free(former.words_home);
}

static bool has_any(const struct reconciler *reconciler, const char *kind)
{
    const struct fleet_cluster *cluster = reconciler->cluster;
    char prefix[LIMIT_STORE_KEY_BYTES];
    int length = snprintf(prefix, sizeof(prefix), "/%.*s/%s/%.*s/", TEXT_ARG(cluster->tenant), kind,
                          TEXT_ARG(cluster->id));

    assert(length > 0 && (size_t)length < sizeof(prefix));
    return cache_first(reconciler->control->cache, (struct text){ prefix, (size_t)length }) != NULL;
}

/* Does anything stand in the store of its nodes? It goes with them. */
static bool has_states(const struct reconciler *reconciler)
{
    return has_any(reconciler, "Node") || has_any(reconciler, BATCHES_KIND);
}

void tending_note(struct reconciler *reconciler)
{
    const struct control *control = reconciler->control;

    if (control->ports.nodes == NULL || control->options.is_dry || control->options.is_single) {
        return;
    }
    if (reconciler->epoch > 0 && reconciler->cluster->trouble.code != CODE_NONE) {
        return; /* nobody can say what is wanted: what runs goes on */
    }
    if (reconciler->epoch == 0 || (!reconciler->cluster->is_tended && !has_states(reconciler))) {
        tending_drop(reconciler);
        return;
    }
    if (reconciler->tending == NULL) {
        reconciler->tending = tending_new(reconciler);
        health_tell_again(reconciler->health); /* who has answered before is not known here */
        reconciler->is_woken =
            reconciler->cluster->is_tended; /* jobs count what is known only now */
        reconciler->due_ms = control->ports.now_ms(control->ports.arg);
    }
    words_look(reconciler->tending);
    tending_look(reconciler->tending);
    tending_compare(reconciler->tending);
    tending_wake(reconciler->tending);
}
