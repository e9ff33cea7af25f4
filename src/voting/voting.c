#include "voting/voting.h"

#include "base/limits.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "records/identity.h"
#include "state/objects.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* An intent without an effect in the list of members is withdrawn after this time. A call to etcd
 * has ended by then. */
enum { INTENT_MS = 15000, MEMBER_NAME_MAX = 8 };

#define MEMBER_PREFIX "/" OBJECTS_SYSTEM_TENANT "/Member/"

enum member_state { MEMBER_ADDING, MEMBER_ADDED, MEMBER_REMOVING, MEMBER_STATE_COUNT };

static const char *const member_states[MEMBER_STATE_COUNT] = { "adding", "added", "removing" };

/* An object /_/Member/NAME. */
struct member_object {
    struct text name;
    struct text manager;
    struct text peer;
    struct text client;
    struct text reason;
    uint64_t id; /* 0: unknown */
    enum member_state state;
    uint64_t revision;
};

/* What the objects, etcd and the managers say, for one step. */
struct voting_view {
    struct arena *arena;
    struct member_object objects[VOTING_MEMBERS_MAX];
    size_t object_count;
    struct voting_row rows[VOTING_MEMBERS_MAX];
    size_t row_count;
    uint64_t leader;
    struct voting_manager managers[VOTING_MANAGERS_MAX];
    size_t manager_count;
};

/* The change in progress. */
struct voting_change {
    enum plan_voters_kind kind;
    uint64_t member;
    char name[VOTING_TEXT_BYTES]; /* of the object */
    char peer[VOTING_TEXT_BYTES];
    char reason[VOTING_TEXT_BYTES];
};

struct voting {
    struct voting_options options;
    struct arena *memory;
    struct voting_change change;
    bool is_busy;                   /* a transaction or a change is in progress */
    char intent[VOTING_TEXT_BYTES]; /* name of the object with an intent that was seen */
    uint64_t intent_ms;             /* since when it has been seen */
    /* Name of an object whose member is not in the list, and since when. The list is read every few
     * seconds, and from a member that may lag. */
    char missing[VOTING_TEXT_BYTES];
    uint64_t missing_ms;
    uint64_t own_missing_ms; /* since when this host's member is not in the list; 0: it is */
    struct plan_voters_act act;
};

/* ---- objects ---- */

static bool member_object_read(struct arena *arena, const struct cache_object *object,
                               struct member_object *out)
{
    struct doc status;
    struct err err;
    int64_t id = 0;

    *out = (struct member_object){ .name = arena_text(arena, cache_id(object)),
                                   .revision = object->parts[CACHE_STATUS].revision };
    if (object->parts[CACHE_STATUS].bytes == NULL ||
        !json_parse(arena, arena_text(arena, blob_text(object->parts[CACHE_STATUS].bytes)), NULL,
                    &status, &err)) {
        return false;
    }
    out->manager = doc_child_text(&status, "manager");
    out->peer = doc_child_text(&status, "peer");
    out->client = doc_child_text(&status, "client");
    out->reason = doc_child_text(&status, "reason");
    /* stored as a signed number, because etcd's ids have 64 bits */
    out->id = text_parse_int64(doc_child_text(&status, "id"), &id) ? (uint64_t)id : 0;
    for (unsigned state = 0; state < MEMBER_STATE_COUNT; state++) {
        if (text_is(doc_child_text(&status, "state"), member_states[state])) {
            out->state = (enum member_state)state;
            return true;
        }
    }
    return false;
}

static void member_object_put(struct doc_builder *builder, const char *key, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, key, doc_text(value, NULL));
    }
}

static struct text member_object_format(struct arena *arena, const struct member_object *object,
                                        int64_t wall_ms)
{
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "at", doc_int(arena, wall_ms, NULL));
    member_object_put(&builder, "client", object->client);
    if (object->id != 0) {
        doc_builder_put(&builder, "id", doc_int(arena, (int64_t)object->id, NULL));
    }
    member_object_put(&builder, "manager", object->manager);
    member_object_put(&builder, "peer", object->peer);
    member_object_put(&builder, "reason", object->reason);
    doc_builder_put(&builder, "state", doc_text(text_from(member_states[object->state]), NULL));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

static struct store_event member_event(struct arena *arena, const char *type,
                                       const struct member_object *object, int64_t wall_ms)
{
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    member_object_put(&builder, "actor", TEXT("reeve"));
    member_object_put(&builder, "fact", object->reason);
    member_object_put(&builder, "kind", TEXT("Member"));
    member_object_put(&builder, "manager", object->manager);
    member_object_put(&builder, "name", object->name);
    member_object_put(&builder, "object", object->name);
    member_object_put(&builder, "type", text_from(type));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return (struct store_event){ .cluster = TEXT(IDENTITY_TENANT_DEFAULT "/"),
                                 .body = buf_text(&buf),
                                 .time_ms = (uint64_t)wall_ms };
}

/* Commits an object, or its removal, under a compare of its revision. `event` may be NULL. */
static void member_object_write(struct voting *voting, struct arena *arena,
                                const struct member_object *object, bool is_delete,
                                const char *event, store_done *done)
{
    const struct voting_ports *ports = &voting->options.ports;
    int64_t wall_ms = ports->wall_ms(ports->arg);
    struct text key =
        objects_key(arena, TEXT(OBJECTS_SYSTEM_TENANT), TEXT("Member"), object->name, CACHE_STATUS);
    struct store_compare compare = { key, object->revision };
    struct store_op op = { .key = key, .is_delete = is_delete };
    struct store_txn txn = { .compares = &compare, .compare_count = 1, .ops = &op, .op_count = 1 };
    struct store_event happened;

    if (!is_delete) {
        op.value = member_object_format(arena, object, wall_ms);
    }
    if (event != NULL) {
        happened = member_event(arena, event, object, wall_ms);
        txn.events = &happened;
        txn.event_count = 1;
    }
    voting->is_busy = true;
    store_txn(voting->options.store, &txn, done, voting);
}

/* ---- the view ---- */

static void voting_view_read(struct voting *voting, struct arena *arena, struct voting_view *out)
{
    const struct voting_ports *ports = &voting->options.ports;
    struct cache *cache = voting->options.cache;
    struct text prefix = TEXT(MEMBER_PREFIX);

    *out = (struct voting_view){ .arena = arena };
    for (const struct cache_object *object = cache_first(cache, prefix);
         object != NULL && out->object_count < VOTING_MEMBERS_MAX;
         object = cache_next(cache, prefix, object)) {
        out->object_count +=
            member_object_read(arena, object, &out->objects[out->object_count]) ? 1 : 0;
    }
    out->row_count = ports->members(ports->arg, out->rows, &out->leader);
    out->manager_count = ports->managers(ports->arg, out->managers);
}

/* Returns the object of a member: by its name, and before its first start by its peer address. */
static const struct member_object *voting_object_of(const struct voting_view *view,
                                                    const struct voting_row *row)
{
    for (size_t i = 0; i < view->object_count; i++) {
        const struct member_object *object = &view->objects[i];

        if (row->name.length > 0
                ? text_is_equal(object->name, row->name)
                : object->id == row->id ||
                      (object->state == MEMBER_ADDING && text_is_equal(object->peer, row->peer))) {
            return object;
        }
    }
    return NULL;
}

static const struct voting_row *voting_row_of(const struct voting_view *view,
                                              const struct member_object *object)
{
    for (size_t i = 0; i < view->row_count; i++) {
        if (voting_object_of(view, &view->rows[i]) == object) {
            return &view->rows[i];
        }
    }
    return NULL;
}

static const struct voting_manager *voting_manager_find(const struct voting_view *view,
                                                        struct text id)
{
    for (size_t i = 0; i < view->manager_count; i++) {
        if (text_is_equal(view->managers[i].plan.id, id)) {
            return &view->managers[i];
        }
    }
    return NULL;
}

/* ---- the member of this host ---- */

static const struct member_object *voting_own_object(const struct voting *voting,
                                                     const struct voting_view *view)
{
    for (size_t i = 0; i < view->object_count; i++) {
        if (text_is_equal(view->objects[i].manager, voting->options.manager) &&
            view->objects[i].state == MEMBER_ADDED) {
            return &view->objects[i];
        }
    }
    return NULL;
}

/* Returns all members as etcd's --initial-cluster: those that have started by their names in etcd,
 * the others by their objects. */
static struct text voting_cluster_format(const struct voting_view *view)
{
    struct buf buf;

    buf_init(&buf, view->arena);
    for (size_t i = 0; i < view->row_count; i++) {
        const struct voting_row *row = &view->rows[i];
        const struct member_object *object = voting_object_of(view, row);
        struct text name = row->name.length > 0 ? row->name
                           : object != NULL     ? object->name
                                                : TEXT("");

        if (name.length > 0) {
            buf_printf(&buf, "%s%.*s=%.*s", i == 0 ? "" : ",", TEXT_ARG(name), TEXT_ARG(row->peer));
        }
    }
    return buf_text(&buf);
}

static void voting_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct voting *voting = arg;

    (void)outcome; /* the next step reads the objects again */
    (void)answer;
    voting->is_busy = false;
}

/* Runs the member that this host shall have. The first member of a store has no object: its manager
 * writes it. A member that is no longer in the list was removed: it is put aside. */
static void voting_own_run(struct voting *voting, const struct voting_view *view)
{
    const struct voting_ports *ports = &voting->options.ports;
    const struct member_object *object = voting_own_object(voting, view);
    struct text name = ports->own_name(ports->arg);
    uint64_t now_ms = ports->now_ms(ports->arg);
    uint64_t missing_ms = voting->own_missing_ms;

    voting->own_missing_ms = 0;
    if (!ports->is_own_known(ports->arg) || view->row_count == 0) {
        return;
    }
    if (object != NULL && voting_row_of(view, object) != NULL) {
        ports->own_run(ports->arg, &(struct voting_own){ .name = object->name,
                                                         .cluster = voting_cluster_format(view),
                                                         .peer = object->peer,
                                                         .client = object->client });
        return;
    }
    for (size_t i = 0; i < view->row_count; i++) {
        const struct voting_row *row = &view->rows[i];

        if (name.length > 0 && text_is_equal(row->name, name)) {
            if (voting_object_of(view, row) == NULL && !voting->is_busy) {
                member_object_write(voting, view->arena,
                                    &(struct member_object){ .name = name,
                                                             .manager = voting->options.manager,
                                                             .peer = row->peer,
                                                             .client = row->client,
                                                             .reason = TEXT("it runs here"),
                                                             .id = row->id,
                                                             .state = MEMBER_ADDED },
                                    false, NULL, voting_written);
            }
            return;
        }
    }
    /* while the object names it, it is not put aside: the housekeeper removes the object first */
    if (name.length == 0 || !ports->has_quorum(ports->arg) || !ports->is_list_certain(ports->arg) ||
        (object != NULL && text_is_equal(object->name, name))) {
        return;
    }
    voting->own_missing_ms = missing_ms == 0 ? now_ms : missing_ms;
    if (now_ms - voting->own_missing_ms >= INTENT_MS) {
        ports->own_run(ports->arg, NULL);
    }
}

/* ---- changes ---- */

static const struct member_object *voting_object_named(const struct voting_view *view,
                                                       const char *name)
{
    for (size_t i = 0; i < view->object_count; i++) {
        if (text_is(view->objects[i].name, name)) {
            return &view->objects[i];
        }
    }
    return NULL;
}

/* Commits the outcome of a change. What is not certain stays an intent, which the next steps
 * decide. */
static void voting_change_done(void *arg, bool is_done, bool is_certain, uint64_t id,
                               const char *reason)
{
    static const char *const events[PLAN_VOTERS_KIND_COUNT] = {
        [PLAN_VOTERS_ADD] = "store.voter.added",
        [PLAN_VOTERS_PROMOTE] = "store.voter.promoted",
        [PLAN_VOTERS_REMOVE] = "store.voter.removed",
        [PLAN_VOTERS_MOVE_LEADER] = "store.leader.moved",
    };
    struct voting *voting = arg;
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct member_object *found;
    struct member_object object;
    struct voting_view view;

    voting->is_busy = false;
    voting_view_read(voting, arena, &view);
    found = voting_object_named(&view, voting->change.name);
    if (found == NULL || !is_certain) {
        return;
    }
    object = *found;
    if (!is_done) {
        /* etcd has rejected the change, so the intent is withdrawn */
        (void)reason;
        if (voting->change.kind == PLAN_VOTERS_ADD) {
            member_object_write(voting, arena, &object, true, NULL, voting_written);
        } else if (voting->change.kind == PLAN_VOTERS_REMOVE) {
            object.state = MEMBER_ADDED;
            member_object_write(voting, arena, &object, false, NULL, voting_written);
        }
        return;
    }
    object.state = MEMBER_ADDED;
    object.id = id != 0 ? id : object.id;
    object.reason = text_from(voting->change.reason);
    member_object_write(voting, arena, &object, voting->change.kind == PLAN_VOTERS_REMOVE,
                        events[voting->change.kind], voting_written);
}

/* The intent is committed: changes etcd. */
static void voting_intent_written(void *arg, enum outcome outcome,
                                  const struct store_answer *answer)
{
    struct voting *voting = arg;
    const struct voting_ports *ports = &voting->options.ports;

    (void)answer;
    if (outcome != OUTCOME_OK) {
        /* refused or unknown: the next step reads the objects again */
        voting->is_busy = false;
        return;
    }
    ports->change(ports->arg, voting->change.kind, voting->change.member,
                  text_from(voting->change.peer), voting_change_done, voting);
}

static void voting_text_set(char out[static VOTING_TEXT_BYTES], struct text text)
{
    snprintf(out, VOTING_TEXT_BYTES, "%.*s", TEXT_ARG(text));
}

static void voting_add_begin(struct voting *voting, const struct voting_view *view,
                             const struct plan_voters_act *act)
{
    const struct voting_manager *manager = voting_manager_find(view, act->manager);
    struct member_object object = {
        .name = arena_printf(
            view->arena, "%.*s-%" PRIx64,
            (int)(act->manager.length < MEMBER_NAME_MAX ? act->manager.length : MEMBER_NAME_MAX),
            act->manager.data, cache_revision(voting->options.cache)),
        .manager = act->manager,
        .peer = manager->peer,
        .client = manager->client,
        .reason = text_from(act->reason),
        .state = MEMBER_ADDING,
    };

    voting_text_set(voting->change.name, object.name);
    voting_text_set(voting->change.peer, object.peer);
    member_object_write(voting, view->arena, &object, false, NULL, voting_intent_written);
}

/* Begins an act: commits the intent, then changes etcd. A promotion and a move of the leader need
 * no intent: repeated, they have no further effect. */
static void voting_act_begin(struct voting *voting, const struct voting_view *view,
                             const struct plan_voters_act *act)
{
    const struct voting_ports *ports = &voting->options.ports;
    const struct member_object *object = NULL;
    struct member_object next;

    voting->change = (struct voting_change){ .kind = act->kind, .member = act->member };
    voting_text_set(voting->change.reason, text_from(act->reason));
    if (act->kind == PLAN_VOTERS_ADD) {
        voting_add_begin(voting, view, act);
        return;
    }
    for (size_t i = 0; i < view->row_count; i++) {
        object = view->rows[i].id == act->member ? voting_object_of(view, &view->rows[i]) : object;
    }
    if (object != NULL) {
        voting_text_set(voting->change.name, object->name);
    }
    if (act->kind == PLAN_VOTERS_REMOVE && object != NULL) {
        next = *object;
        next.state = MEMBER_REMOVING;
        next.reason = text_from(act->reason);
        member_object_write(voting, view->arena, &next, false, NULL, voting_intent_written);
        return;
    }
    voting->is_busy = true;
    ports->change(ports->arg, act->kind, act->member, TEXT(""), voting_change_done, voting);
}

/* Completes or withdraws the intent that an ended housekeeper, or an unknown outcome, has left.
 * Returns true if there is one. */
static bool voting_intent_settle(struct voting *voting, const struct voting_view *view)
{
    const struct voting_ports *ports = &voting->options.ports;
    uint64_t now_ms = ports->now_ms(ports->arg);
    const struct member_object *intent = NULL;
    const struct voting_row *row;
    struct member_object next;

    for (size_t i = 0; i < view->object_count; i++) {
        intent = view->objects[i].state != MEMBER_ADDED ? &view->objects[i] : intent;
    }
    if (intent == NULL) {
        voting->intent[0] = '\0';
        return false;
    }
    if (!text_is(intent->name, voting->intent)) {
        voting_text_set(voting->intent, intent->name);
        voting->intent_ms = now_ms;
    }
    row = voting_row_of(view, intent);
    next = *intent;
    if (intent->state == MEMBER_ADDING && row != NULL) {
        next.state = MEMBER_ADDED;
        next.id = row->id;
        member_object_write(voting, view->arena, &next, false, "store.voter.added", voting_written);
    } else if (intent->state == MEMBER_REMOVING && row == NULL) {
        member_object_write(voting, view->arena, &next, true, "store.voter.removed",
                            voting_written);
    } else if (now_ms - voting->intent_ms >= INTENT_MS) {
        next.state = MEMBER_ADDED;
        member_object_write(voting, view->arena, &next, intent->state == MEMBER_ADDING, NULL,
                            voting_written);
    }
    return true;
}

/* Removes the object of a member that etcd has not had for a while. Returns true if there is one:
 * nothing else is decided meanwhile, because the list may be older than the object. */
static bool voting_objects_sweep(struct voting *voting, const struct voting_view *view)
{
    const struct voting_ports *ports = &voting->options.ports;
    uint64_t now_ms = ports->now_ms(ports->arg);
    const struct member_object *missing = NULL;

    for (size_t i = 0; i < view->object_count; i++) {
        const struct member_object *object = &view->objects[i];

        if (object->state == MEMBER_ADDED && voting_row_of(view, object) == NULL) {
            missing = object;
        }
    }
    if (missing == NULL) {
        voting->missing[0] = '\0';
        return false;
    }
    if (!text_is(missing->name, voting->missing)) {
        voting_text_set(voting->missing, missing->name);
        voting->missing_ms = now_ms;
    } else if (now_ms - voting->missing_ms >= INTENT_MS) {
        member_object_write(voting, view->arena, missing, true, "store.voter.removed",
                            voting_written);
    }
    return true;
}

/* True if a voter that answers has no object yet. Its manager writes it soon; until then it would
 * count as a member of no manager. */
static bool voting_has_stranger(const struct voting_view *view)
{
    for (size_t i = 0; i < view->row_count; i++) {
        if (view->rows[i].is_heard && voting_object_of(view, &view->rows[i]) == NULL) {
            return true;
        }
    }
    return false;
}

static void voting_decide(struct voting *voting, const struct voting_view *view)
{
    const struct voting_ports *ports = &voting->options.ports;
    struct plan_voters_manager managers[VOTING_MANAGERS_MAX];
    struct plan_voters_member members[VOTING_MEMBERS_MAX];
    size_t manager_count = 0;
    struct plan_voters_evidence evidence = { .has_quorum = ports->has_quorum(ports->arg),
                                             .is_changing = voting->is_busy,
                                             .leader = view->leader,
                                             .limits = voting->options.limits };

    for (size_t i = 0; i < view->manager_count; i++) {
        managers[manager_count] = view->managers[i].plan;
        if (view->managers[i].peer.length == 0) {
            managers[manager_count].fresh_since_ms = 0; /* it cannot hold a member */
        }
        manager_count++;
    }
    for (size_t i = 0; i < view->row_count; i++) {
        const struct voting_row *row = &view->rows[i];
        const struct member_object *object = voting_object_of(view, row);

        members[i] = (struct plan_voters_member){
            .id = row->id,
            .manager = object == NULL ? TEXT("") : object->manager,
            .heard_ms = row->heard_ms,
            .is_heard = row->is_heard,
            .is_learner = row->is_learner,
            .is_caught_up = row->is_caught_up,
        };
    }
    voting->act = plan_voters(managers, manager_count, members, view->row_count, &evidence,
                              ports->now_ms(ports->arg));
    if (voting->act.kind != PLAN_VOTERS_NONE) {
        voting_act_begin(voting, view, &voting->act);
    }
    voting->act.manager = TEXT(""); /* its text lives in the view */
}

/* ---- public ---- */

struct voting *voting_new(const struct voting_options *options)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct voting *voting = arena_one(memory, struct voting);

    *voting = (struct voting){ .options = *options,
                               .memory = memory,
                               .act = { .reason = "nothing was decided yet" } };
    voting->options.manager = arena_text(memory, options->manager);
    return voting;
}

void voting_free(struct voting *voting)
{
    if (voting != NULL) {
        arena_free(voting->memory);
    }
}

struct plan_voters_act voting_act(const struct voting *voting)
{
    return voting->act;
}

void voting_run(struct voting *voting)
{
    const struct voting_ports *ports = &voting->options.ports;
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct voting_view view;

    if (voting->is_busy || cache_state(voting->options.cache) != CACHE_READY) {
        return;
    }
    voting_view_read(voting, arena, &view);
    voting_own_run(voting, &view);
    if (voting->is_busy || view.row_count == 0 || !ports->is_housekeeper(ports->arg) ||
        !ports->has_quorum(ports->arg)) {
        return;
    }
    if (!ports->is_list_certain(ports->arg)) {
        voting->act = (struct plan_voters_act){ .reason = "the leader of the store is not heard" };
        return;
    }
    if (voting_intent_settle(voting, &view) || voting_objects_sweep(voting, &view)) {
        return;
    }
    if (voting_has_stranger(&view)) {
        voting->act = (struct plan_voters_act){ .reason = "the manager of a member is unknown" };
    } else {
        voting_decide(voting, &view);
    }
}
