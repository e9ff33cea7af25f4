#include "managers/roster.h"

#include "base/limits.h"
#include "base/macros.h"
#include "codec/doc.h"
#include "codec/json.h"
#include "managers/lease.h"
#include "managers/managers.h"
#include "state/objects.h"

#include <assert.h>
#include <string.h>

/* public names start with: roster_ */

enum { ROSTER_SESSIONS_MAX = 4096, ROSTER_NAME_BYTES = 64, ROSTER_ACKED_MAX = 16 };

#define ROSTER_SESSIONS "/" OBJECTS_SYSTEM_TENANT "/Session/"

/* Another session, as this process observes it. */
struct roster_other {
    struct roster_other *next;
    struct roster *roster;
    char session[ROSTER_NAME_BYTES];
    uint64_t revision; /* revision of its newest heartbeat */
    /* when the newest heartbeat was first seen, or when this manager became fresh again */
    uint64_t since_ms;
    uint64_t asked_ms; /* when a connection to its host was last tried; 0: never */
    bool is_there;     /* the key of the session exists */
    bool is_asking;
    bool is_refused;  /* its host refused a connection after its newest heartbeat */
    bool is_silent;   /* it counts as ended only because of missing heartbeats */
    bool is_sibling;  /* the session belongs to an earlier process of this manager */
    bool is_replaced; /* it belongs to an earlier process of this manager in the present boot */
    bool has_ended;
};

/* A heartbeat that the store has acknowledged, but that has not arrived through the watch yet. */
struct roster_acked {
    uint64_t sent_ms;
    uint64_t revision;
};

struct roster {
    struct arena *memory;
    struct roster_options options;
    struct pool *pool;
    struct roster_other *others;
    uint64_t begun_ms;
    uint64_t beat;
    uint64_t beat_due_ms;
    uint64_t sending_ms; /* when the pending heartbeat was sent */
    uint64_t acked_ms;   /* when the newest acknowledged heartbeat was sent; 0: none */
    /* heartbeats that have not arrived through the watch, oldest first */
    struct roster_acked acked[ROSTER_ACKED_MAX];
    size_t acked_count;
    uint64_t seen_ms; /* when the newest heartbeat that arrived through the watch was sent */
    /* Revision that the key of this session must have for the next heartbeat; UINT64_MAX: unknown,
     * because a heartbeat was not answered. */
    uint64_t expected;
    uint64_t looked_ms;
    uint64_t ends;
    bool is_beating;
    bool was_fresh;
    bool is_left;
    bool is_removing; /* the objects of this manager are removed with the session */
    void (*left)(void *arg);
    void *left_arg;
};

static uint64_t roster_now(const struct roster *roster)
{
    return roster->options.now_ms(roster->options.arg);
}

struct roster *roster_new(const struct roster_options *options)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct roster *roster = arena_one(memory, struct roster);

    assert(options->session.length > 0 && options->session.length < ROSTER_NAME_BYTES);
    assert(options->beat_ms > 0 && options->fresh_ms >= options->beat_ms);
    *roster = (struct roster){ .memory = memory, .options = *options };
    roster->options.session = arena_text(memory, options->session);
    roster->options.manager.id = arena_text(memory, options->manager.id);
    roster->options.manager.address = arena_text(memory, options->manager.address);
    roster->options.clock = arena_text(memory, options->clock);
    roster->pool = pool_new(sizeof(struct roster_other), ROSTER_SESSIONS_MAX);
    roster->begun_ms = roster_now(roster);
    return roster;
}

void roster_free(struct roster *roster)
{
    if (roster != NULL) {
        pool_free(roster->pool);
        arena_free(roster->memory);
    }
}

/* ---- the session of this process ---- */

static struct text roster_key(struct arena *arena, struct text session)
{
    return arena_printf(arena, ROSTER_SESSIONS "%.*s/status", TEXT_ARG(session));
}

static void roster_beat_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct roster *roster = arg;

    roster->is_beating = false;
    if (outcome == OUTCOME_OK) {
        roster->acked_ms = roster->sending_ms;
        roster->expected = answer->revision;
        if (roster->acked_count == ROSTER_ACKED_MAX) { /* the watch lags far behind */
            roster->acked_count--;
        }
        roster->acked[roster->acked_count++] =
            (struct roster_acked){ roster->sending_ms, answer->revision };
    } else if (outcome == OUTCOME_REFUSED && answer->err.code == CODE_R0502) {
        /* Another manager has ended this session. A new session begins, which has no leases. */
        roster->acked_ms = 0;
        roster->seen_ms = 0;
        roster->acked_count = 0;
        roster->expected = 0;
    } else if (outcome != OUTCOME_REFUSED) {
        roster->expected = UINT64_MAX;
    }
}

static void roster_put(struct doc_builder *builder, struct arena *arena, const char *name,
                       struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, name, doc_text(arena_text(arena, value), NULL));
    }
}

static struct text roster_text(struct arena *arena, struct doc_builder *builder)
{
    struct doc doc = doc_builder_map(builder, NULL);
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

static void roster_beat(struct roster *roster, uint64_t now)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text key = roster_key(arena, roster->options.session);
    struct store_compare compare = { .key = key, .revision = roster->expected };
    struct doc_builder builder;
    struct store_op op = { .key = key };
    struct store_txn txn = { .compares = &compare,
                             .compare_count = roster->expected == UINT64_MAX ? 0 : 1,
                             .ops = &op,
                             .op_count = 1 };

    doc_builder_init(&builder, arena);
    roster_put(&builder, arena, "address", roster->options.manager.address);
    doc_builder_put(&builder, "beat", doc_int(arena, (int64_t)++roster->beat, NULL));
    roster_put(&builder, arena, "clock", roster->options.clock);
    roster_put(&builder, arena, "manager", roster->options.manager.id);
    op.value = roster_text(arena, &builder);
    roster->is_beating = true;
    roster->sending_ms = now;
    roster->beat_due_ms = now + roster->options.beat_ms;
    store_txn(roster->options.store, &txn, roster_beat_reported, roster);
}

bool roster_is_alive(const struct roster *roster)
{
    return !roster->is_left && roster->acked_ms > 0 &&
           roster_now(roster) - roster->acked_ms < roster->options.ttl_ms;
}

bool roster_is_fresh(const struct roster *roster)
{
    return roster->seen_ms > 0 && roster_now(roster) - roster->seen_ms < roster->options.fresh_ms;
}

bool roster_is_stale(const struct roster *roster)
{
    return roster_stale_ms(roster) >= roster->options.fresh_ms;
}

uint64_t roster_stale_ms(const struct roster *roster)
{
    return roster_now(roster) - (roster->seen_ms > 0 ? roster->seen_ms : roster->begun_ms);
}

/* ---- sessions of other managers ---- */

static const struct cache_object *roster_object(const struct roster *roster, struct text session)
{
    const struct cache_object *object =
        cache_find(roster->options.cache, TEXT(OBJECTS_SYSTEM_TENANT), TEXT("Session"), session);

    return object != NULL && object->parts[CACHE_STATUS].bytes != NULL ? object : NULL;
}

static struct text roster_member(const struct doc *doc, const char *name)
{
    const struct doc *member = doc_child(doc, name);

    return doc_is_scalar(member) ? member->text : TEXT("");
}

static struct roster_other *roster_find(const struct roster *roster, struct text session)
{
    struct roster_other *other = roster->others;

    while (other != NULL && !text_is(session, other->session)) {
        other = other->next;
    }
    return other;
}

/* Reads to which manager a session belongs. */
static void roster_read(struct roster *roster, struct roster_other *other,
                        const struct cache_object *object)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text manager = roster->options.manager.id;
    struct doc doc;
    struct err err;

    if (manager.length == 0 ||
        !json_parse(arena, blob_text(object->parts[CACHE_STATUS].bytes), NULL, &doc, &err)) {
        return;
    }
    other->is_sibling = text_is_equal(roster_member(&doc, "manager"), manager);
    other->is_replaced = other->is_sibling && roster->options.clock.length > 0 &&
                         text_is_equal(roster_member(&doc, "clock"), roster->options.clock);
}

static struct roster_other *roster_take(struct roster *roster, struct text session,
                                        const struct cache_object *object, uint64_t now)
{
    struct roster_other *other = roster_find(roster, session);

    if (other != NULL || session.length >= ROSTER_NAME_BYTES ||
        pool_count(roster->pool) == ROSTER_SESSIONS_MAX) {
        return other;
    }
    other = pool_take(roster->pool);
    *other = (struct roster_other){ .next = roster->others, .roster = roster, .since_ms = now };
    memcpy(other->session, session.data, session.length);
    other->session[session.length] = '\0';
    other->revision = object->parts[CACHE_STATUS].revision;
    other->is_there = true;
    roster->others = other;
    roster_read(roster, other, object);
    return other;
}

static void roster_refusal_known(void *arg, bool is_refused)
{
    struct roster_other *other = arg;

    other->is_asking = false;
    other->is_refused = is_refused;
}

/* Tries to connect to the host of a session that misses heartbeats. */
static void roster_ask(struct roster *roster, struct roster_other *other,
                       const struct cache_object *object, uint64_t now)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text address;
    struct doc doc;
    struct err err;
    bool is_here;

    if (roster->options.refuses == NULL || other->is_asking ||
        (other->asked_ms > 0 && now - other->asked_ms < roster->options.beat_ms) ||
        !json_parse(arena, blob_text(object->parts[CACHE_STATUS].bytes), NULL, &doc, &err)) {
        return;
    }
    address = roster_member(&doc, "address");
    is_here = roster->options.clock.length > 0 &&
              text_is_equal(roster_member(&doc, "clock"), roster->options.clock);
    if (address.length > 0) {
        other->is_asking = true;
        other->asked_ms = now;
        roster->options.refuses(roster->options.arg, address, is_here, roster_refusal_known, other);
    }
}

/* Determines whether a session has ended. Call this only while this manager, and so its cache, is
 * fresh. */
static void roster_judge(struct roster *roster, struct roster_other *other, uint64_t now)
{
    const struct cache_object *object = roster_object(roster, text_from(other->session));
    uint64_t quiet_ms;
    bool has_ended;

    other->is_there = object != NULL;
    if (object != NULL && object->parts[CACHE_STATUS].revision != other->revision) {
        other->revision = object->parts[CACHE_STATUS].revision;
        other->since_ms = now;
        other->is_refused = false;
        other->has_ended = false;
        return;
    }
    quiet_ms = now - other->since_ms;
    has_ended = object == NULL || other->is_replaced || quiet_ms >= roster->options.ttl_ms ||
                (other->is_sibling && quiet_ms >= roster->options.fresh_ms) ||
                (other->is_refused && quiet_ms > 2 * roster->options.beat_ms);
    other->is_silent = object != NULL && !other->is_sibling && !other->is_refused;
    roster->ends += has_ended && !other->has_ended ? 1 : 0;
    other->has_ended = has_ended;
    if (object != NULL && !has_ended && quiet_ms > 2 * roster->options.beat_ms) {
        roster_ask(roster, other, object, now);
    }
}

/* Removes sessions whose keys no longer exist. */
static void roster_forget(struct roster *roster)
{
    struct roster_other **link = &roster->others;

    while (*link != NULL) {
        struct roster_other *other = *link;

        if (!other->is_there && !other->is_asking) {
            *link = other->next;
            pool_give(roster->pool, other);
        } else {
            link = &other->next;
        }
    }
}

/* Checks all other sessions. */
static void roster_look(struct roster *roster, uint64_t now)
{
    struct text prefix = TEXT(ROSTER_SESSIONS);

    for (const struct cache_object *object = cache_first(roster->options.cache, prefix);
         object != NULL; object = cache_next(roster->options.cache, prefix, object)) {
        if (object->parts[CACHE_STATUS].bytes != NULL &&
            !text_is_equal(cache_id(object), roster->options.session)) {
            (void)roster_take(roster, cache_id(object), object, now);
        }
    }
    for (struct roster_other *other = roster->others; other != NULL; other = other->next) {
        roster_judge(roster, other, now);
    }
    roster_forget(roster);
}

/* Restarts all measurements of missing heartbeats, because this manager received none while it was
 * not fresh. */
static void roster_count_anew(struct roster *roster, uint64_t now)
{
    for (struct roster_other *other = roster->others; other != NULL; other = other->next) {
        other->since_ms = now;
        other->is_refused = false;
        other->has_ended = false;
    }
}

static void roster_freshness_check(struct roster *roster, uint64_t now)
{
    uint64_t revision = cache_revision(roster->options.cache);
    size_t seen = 0;
    bool is_fresh;

    while (seen < roster->acked_count && roster->acked[seen].revision <= revision) {
        roster->seen_ms = roster->acked[seen++].sent_ms;
    }
    roster->acked_count -= seen;
    memmove(roster->acked, roster->acked + seen, roster->acked_count * sizeof(roster->acked[0]));
    is_fresh = roster_is_fresh(roster);
    if (is_fresh && !roster->was_fresh) {
        roster_count_anew(roster, now);
    }
    roster->was_fresh = is_fresh;
}

uint64_t roster_run(struct roster *roster)
{
    uint64_t now = roster_now(roster);

    if (roster->is_left) {
        return UINT64_MAX;
    }
    roster_freshness_check(roster, now);
    if (roster->was_fresh) {
        roster_look(roster, now);
    }
    if (now >= roster->beat_due_ms && !roster->is_beating) {
        roster_beat(roster, now);
    }
    return roster->is_beating ? now + roster->options.beat_ms : roster->beat_due_ms;
}

bool roster_has_ended(struct roster *roster, struct text session)
{
    const struct roster_other *other;

    if (!roster_is_fresh(roster) || text_is_equal(session, roster->options.session)) {
        return false;
    }
    if (roster_object(roster, session) == NULL) {
        return true;
    }
    other = roster_find(roster, session);
    return other != NULL && other->has_ended;
}

uint64_t roster_silent_ms(const struct roster *roster, struct text session)
{
    const struct roster_other *other = roster_find(roster, session);

    return other == NULL ? 0 : roster_now(roster) - other->since_ms;
}

bool roster_is_silent(const struct roster *roster, struct text session)
{
    const struct roster_other *other = roster_find(roster, session);

    return other != NULL && other->has_ended && other->is_silent;
}

bool roster_misses_beats(const struct roster *roster, struct text session)
{
    return roster_is_fresh(roster) && roster_silent_ms(roster, session) >= roster->options.fresh_ms;
}

uint64_t roster_ends(const struct roster *roster)
{
    return roster->ends;
}

/* ---- removing sessions ---- */

static void roster_removed(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)outcome; /* the next sweep finds the session again */
    (void)answer;
}

/* Adds the record of how the process ended to the removal of this session. */
static void roster_end_add(struct roster *roster, struct arena *arena,
                           struct managers_ending ending, struct store_txn *txn)
{
    struct store_op *ops = arena_array(arena, struct store_op, 2);
    struct store_event *event = arena_one(arena, struct store_event);

    if (roster->options.wall_ms == NULL) {
        return;
    }
    ending.wall_ms = roster->options.wall_ms(roster->options.arg);
    if (managers_end_describe(arena, roster->options.cache, &ending, &ops[1], event)) {
        ops[0] = txn->ops[0];
        txn->ops = ops;
        txn->op_count = 2;
        txn->events = event;
        txn->event_count = 1;
    }
}

static void roster_remove(struct roster *roster, const struct roster_other *other)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text key = roster_key(arena, text_from(other->session));
    struct store_compare compare = { .key = key, .revision = other->revision };
    struct store_op op = { .key = key, .is_delete = true };
    struct store_txn txn = { .compares = &compare, .compare_count = 1, .ops = &op, .op_count = 1 };

    store_txn(roster->options.store, &txn, roster_removed, NULL);
}

void roster_sweep(struct roster *roster, struct fleet *fleet)
{
    if (!roster_is_fresh(roster)) {
        return;
    }
    for (const struct roster_other *other = roster->others; other != NULL; other = other->next) {
        if (other->is_there && other->has_ended &&
            !lease_is_named(roster->options.cache, fleet, text_from(other->session))) {
            roster_remove(roster, other);
        }
    }
}

static void roster_left(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct roster *roster = arg;

    /* If the store does not answer, the other managers notice the end by the missing heartbeats. */
    (void)outcome;
    (void)answer;
    roster->left(roster->left_arg);
}

void roster_remove_own(struct roster *roster)
{
    roster->is_removing = true;
}

/* Adds the removal of this manager's objects to the removal of its session. */
static void roster_removal_add(struct roster *roster, struct arena *arena, struct store_txn *txn)
{
    struct store_op *ops = arena_array(arena, struct store_op, CACHE_PART_COUNT + 1);
    struct store_event *event = arena_one(arena, struct store_event);
    int64_t wall_ms =
        roster->options.wall_ms == NULL ? 0 : roster->options.wall_ms(roster->options.arg);

    ops[0] = txn->ops[0];
    managers_removal_describe(arena, roster->options.cache, roster->options.manager.id, wall_ms,
                              ops + 1, event);
    txn->ops = ops;
    txn->op_count = CACHE_PART_COUNT + 1;
    txn->events = event;
    txn->event_count = 1;
}

void roster_leave(struct roster *roster, void (*done)(void *arg), void *arg)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct store_op op = { .key = roster_key(arena, roster->options.session), .is_delete = true };
    struct store_txn txn = { .ops = &op, .op_count = 1 };

    assert(!roster->is_left);
    roster->is_left = true;
    roster->left = done;
    roster->left_arg = arg;
    if (roster->is_removing) {
        roster_removal_add(roster, arena, &txn);
    } else {
        roster_end_add(roster, arena,
                       (struct managers_ending){ .manager = roster->options.manager.id,
                                                 .session = roster->options.session,
                                                 .end = MANAGERS_END_LEFT },
                       &txn);
    }
    store_txn(roster->options.store, &txn, roster_left, roster);
}
