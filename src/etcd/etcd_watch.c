#include "base/limits.h"
#include "etcd/etcd_parts.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

/* Watches. All watches share one stream on a separate connection; each message has the id of its
 * watch.
 *
 * A watch knows the first revision that it has not reported. After the loss of a stream, the next
 * stream starts there, so that no change is missed. Changes that were reported before are dropped
 * by their revision. The stream starts one revision earlier than necessary, because etcd may lack
 * deletions of the revision to which it was compacted. So etcd answers "compacted" whenever a
 * change could be missing.
 *
 * The changes of one revision are reported together; a message has complete revisions only.
 * (Fragments are not requested from etcd, because it computes them in quadratic time. A message
 * that is too large ends the stream, and the watch is lost.) */

enum { BACK_OFF_FIRST_MS = 20, ID_BYTES = 8 };

struct store_watch {
    struct blob *prefix; /* prefix of the watched keys, as the caller gave it */
    int64_t id;
    char id_key[ID_BYTES]; /* key of this watch in the map of watches */
    uint64_t next_revision;
    store_watch_seen *seen;
    void *arg;
    bool is_sent;    /* the watch was requested on the current stream */
    bool is_created; /* etcd has confirmed the watch */
    bool is_closed;

    struct arena *held_arena; /* arena of the changes that wait to be reported; NULL: none */
    struct store_change *held;
    size_t held_count;
    size_t held_room;
    uint64_t held_revision;
    bool is_held; /* held_revision must be reported, even if it has no changes */

    /* A revision of the store need not change a key of the watch. If a watch lags behind the store,
     * the driver writes a "nudge": a key below the watch's prefix that clients never see. */
    uint64_t behind_ms;      /* time since which the watch lags behind; 0: it does not */
    uint64_t nudged_ms;      /* time at which the nudge was written; 0: no nudge is expected */
    uint64_t nudge_revision; /* revision of the nudge */
    bool is_nudging;         /* the nudge is being written */
    bool was_stalled;        /* the watch was stalled, and has reported no change since then */
};

/* ---- the watches ---- */

void etcd_watches_init(struct etcd_store *store)
{
    store->watch_pool = pool_new(sizeof(struct store_watch), LIMIT_STORE_WATCHES);
    map_init(&store->watches, store->memory);
    store->back_off_ms = BACK_OFF_FIRST_MS;
}

/* Requests that the next run creates or removes watches. */
static void watches_due(struct etcd_store *store)
{
    store->is_watch_due = true;
    etcd_link_wake(store->link, 0);
}

static struct text id_text(const struct store_watch *watch)
{
    return (struct text){ watch->id_key, sizeof(watch->id_key) };
}

struct store_watch *etcd_watch(struct store *store, struct text prefix, uint64_t from_revision,
                               store_watch_seen *seen, void *arg)
{
    struct etcd_store *etcd = (struct etcd_store *)store;
    struct store_watch *watch = pool_take(etcd->watch_pool);
    uint64_t id_bytes;

    assert(watch != NULL && "too many watches of the store are open");
    watch->id = ++etcd->last_watch_id;
    id_bytes = htobe64((uint64_t)watch->id);
    memcpy(watch->id_key, &id_bytes, sizeof(id_bytes));
    watch->prefix = blob_new(prefix);
    watch->next_revision = from_revision == 0 ? 1 : from_revision;
    watch->seen = seen;
    watch->arg = arg;
    map_put(&etcd->watches, id_text(watch), watch);
    watches_due(etcd);
    return watch;
}

void etcd_watch_close(struct store *store, struct store_watch *watch)
{
    watch->is_closed = true; /* the next run frees it, because this may be called within `seen` */
    watches_due((struct etcd_store *)store);
}

static void held_drop(struct store_watch *watch)
{
    watch->is_held = false;
    arena_free(watch->held_arena);
    watch->held_arena = NULL;
    watch->held = NULL;
    watch->held_count = 0;
    watch->held_room = 0;
}

static void watch_free(struct etcd_store *store, struct store_watch *watch)
{
    map_remove(&store->watches, id_text(watch));
    held_drop(watch);
    blob_free(watch->prefix);
    pool_give(store->watch_pool, watch);
}

static void watch_end(struct etcd_store *store, struct store_watch *watch,
                      enum store_watch_state state)
{
    if (!watch->is_closed) {
        watch->is_closed = true;
        watches_due(store);
        watch->seen(watch->arg, state, 0, NULL, 0);
    }
}

/* ---- changes ---- */

static void held_report(struct store_watch *watch)
{
    if (watch->is_held && !watch->is_closed) {
        watch->was_stalled = false;
        watch->next_revision = watch->held_revision + 1;
        watch->seen(watch->arg, STORE_WATCH_CHANGES, watch->held_revision, watch->held,
                    watch->held_count);
    }
    held_drop(watch);
}

/* Copies a change until it can be reported. Returns false if the change is damaged. */
MUST_CHECK static bool change_hold(struct etcd_store *store, struct store_watch *watch,
                                   const struct message_event *event)
{
    struct store_change change = { .is_delete = event->is_delete };
    struct etcd_revisions revisions = { 0 };

    watch->is_held = true;
    watch->held_revision = event->item.revision - store->base;
    if (!etcd_key_name(store->prefix, ETCD_SECTION_OBJECT, event->item.key, &change.item.key) ||
        (!event->is_delete && !etcd_item_read(store, ETCD_SECTION_OBJECT, change.item.key,
                                              &event->item, &revisions, &change.item.value))) {
        return false;
    }
    if (etcd_name_is_nudge(change.item.key)) {
        return true;
    }
    if (watch->held_arena == NULL) {
        watch->held_arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    }
    if (watch->held_count == watch->held_room) {
        size_t room = watch->held_room * 2 + 4;

        watch->held = arena_grow(watch->held_arena, watch->held, watch->held_room * sizeof(change),
                                 room * sizeof(change));
        watch->held_room = room;
    }
    change.item.key = arena_text(watch->held_arena, change.item.key);
    change.item.value = arena_text(watch->held_arena, change.item.value);
    change.item.revision = watch->held_revision;
    change.item.create_revision = revisions.created;
    watch->held[watch->held_count++] = change;
    return true;
}

/* Handles the events of one message, in order of their revisions. */
static void events_take(struct etcd_store *store, struct store_watch *watch,
                        const struct message_watch_answer *answer)
{
    for (size_t i = 0; i < answer->count && !watch->is_closed; i++) {
        const struct message_event *event = &answer->events[i];
        uint64_t revision = event->item.revision - store->base;

        if (event->item.revision <= store->copied || revision < watch->next_revision) {
            continue; /* reported before, on an earlier stream */
        }
        if (watch->is_held && revision != watch->held_revision) {
            bool is_turning_back = revision < watch->held_revision;

            held_report(watch);
            if (is_turning_back) {
                watch_end(store, watch, STORE_WATCH_LOST);
            }
        }
        if (!watch->is_closed && !change_hold(store, watch, event)) {
            watch_end(store, watch, STORE_WATCH_LOST);
        }
    }
    held_report(watch);
}

/* ---- messages ---- */

static struct store_watch *watch_find(const struct etcd_store *store, int64_t id)
{
    uint64_t bytes = htobe64((uint64_t)id);

    return map_find(&store->watches, (struct text){ (const char *)&bytes, sizeof(bytes) });
}

/* Finds the watch that etcd has rejected. etcd does not identify it, but answers in the order of
 * the requests. */
static struct store_watch *watch_oldest_asked(const struct etcd_store *store)
{
    for (const struct map_node *node = map_first(&store->watches, TEXT("")); node != NULL;
         node = map_after(&store->watches, node->key)) {
        struct store_watch *watch = node->value;

        if (watch->is_sent && !watch->is_created && !watch->is_closed) {
            return watch;
        }
    }
    return NULL;
}

static void watch_canceled(struct etcd_store *store, struct store_watch *watch,
                           const struct message_watch_answer *answer)
{
    if (answer->compact_revision > store->copied &&
        answer->compact_revision - store->base > store->compacted) {
        store->compacted = answer->compact_revision - store->base;
    }
    watch_end(store, watch,
              answer->compact_revision > 0 ? STORE_WATCH_COMPACTED : STORE_WATCH_LOST);
}

static void watch_reported(struct etcd_store *store, struct store_watch *watch,
                           const struct message_watch_answer *answer)
{
    if (answer->is_canceled) {
        watch_canceled(store, watch, answer);
    } else if (answer->is_created) {
        watch->is_created = true;
    } else if (answer->count > 0) {
        events_take(store, watch, answer);
    } else if (!watch->is_held && answer->header.revision > store->copied &&
               answer->header.revision - store->base >= watch->next_revision) {
        watch->is_held = true; /* report the revision although it has no changes */
        watch->held_revision = answer->header.revision - store->base;
        held_report(watch);
    }
}

static void watches_end_all(struct etcd_store *store, enum store_watch_state state)
{
    for (const struct map_node *node = map_first(&store->watches, TEXT("")); node != NULL;
         node = map_after(&store->watches, node->key)) {
        watch_end(store, node->value, state);
    }
}

static void stream_got(void *arg, struct text message)
{
    struct etcd_store *store = arg;
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct message_watch_answer answer;
    struct store_watch *watch;
    bool is_read = message_watch_read(arena, message, LIMIT_ETCD_WATCH_EVENTS, &answer);

    if (is_read && answer.header.revision == 0) {
        answer.header.revision = store->meta; /* for a compacted watch, etcd sends no revision */
    }
    if (!is_read || !etcd_header_is_ours(store, &answer.header)) {
        watches_end_all(store, STORE_WATCH_LOST);
        return;
    }
    store->back_off_ms = BACK_OFF_FIRST_MS;
    watch = answer.watch_id < 0 ? watch_oldest_asked(store) : watch_find(store, answer.watch_id);
    if (watch != NULL && !watch->is_closed) {
        watch_reported(store, watch, &answer);
    }
}

static void stream_ended(void *arg, const struct err *err)
{
    struct etcd_store *store = arg;

    store->stream = NULL;
    store->is_watch_due = true;
    store->stream_after_ms = etcd_link_now_ms() + store->back_off_ms;
    etcd_link_wake(store->link, store->back_off_ms);
    store->back_off_ms = store->back_off_ms * 2 < LIMIT_ETCD_BACK_OFF_MS ? store->back_off_ms * 2
                                                                         : LIMIT_ETCD_BACK_OFF_MS;
    if (err->code == CODE_R0518 || err->code == CODE_R0513) {
        watches_end_all(store, STORE_WATCH_LOST); /* another attempt would have the same result */
        return;
    }
    for (const struct map_node *node = map_first(&store->watches, TEXT("")); node != NULL;
         node = map_after(&store->watches, node->key)) {
        struct store_watch *watch = node->value;

        watch->is_sent = false;
        watch->is_created = false;
        watch->nudged_ms = 0;
        held_drop(watch); /* the next stream delivers the change again */
    }
}

/* ---- requests ---- */

static void etcd_watch_stream_open(struct etcd_store *store)
{
    struct etcd_stream_events events = { stream_got, stream_ended, store };

    store->stream = etcd_link_stream(store->link, "Watch/Watch", &events);
}

static void etcd_watch_message_send(struct etcd_store *store, const struct store_watch *watch,
                                    bool is_cancel)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct text begin =
        etcd_key_full(arena, store->prefix, ETCD_SECTION_OBJECT, blob_text(watch->prefix));
    struct buf message;

    buf_init(&message, arena);
    if (is_cancel) {
        message_watch_cancel_add(&message, watch->id);
    } else {
        message_watch_add(&message, watch->id, begin, etcd_key_end(arena, begin),
                          store->base + watch->next_revision - 1);
    }
    etcd_link_stream_send(store->link, store->stream, buf_text(&message));
}

/* Creates new watches on the stream and removes closed ones. */
void etcd_watches_run(struct etcd_store *store)
{
    const struct map_node *node = map_first(&store->watches, TEXT(""));

    if (!store->is_watch_due || node == NULL || !store->is_open) {
        return;
    }
    if (store->stream == NULL) {
        uint64_t now_ms = etcd_link_now_ms();

        if (now_ms < store->stream_after_ms) {
            etcd_link_wake(store->link, (unsigned)(store->stream_after_ms - now_ms));
            return;
        }
        etcd_watch_stream_open(store);
    }
    store->is_watch_due = false;
    while (node != NULL) {
        struct store_watch *watch = node->value;
        char key[ID_BYTES];

        memcpy(key, watch->id_key, sizeof(key));
        if (watch->is_closed && watch->is_sent) {
            etcd_watch_message_send(store, watch, true);
        } else if (!watch->is_closed && watch->next_revision <= etcd_copied_revision(store)) {
            watch_end(store, watch, STORE_WATCH_COMPACTED);
        } else if (!watch->is_closed && !watch->is_sent) {
            etcd_watch_message_send(store, watch, false);
            watch->is_sent = true;
        }
        if (watch->is_closed) {
            watch_free(store, watch);
        }
        node = map_after(&store->watches, (struct text){ key, sizeof(key) });
    }
}

/* ---- watches that lag behind ---- */

bool etcd_name_is_nudge(struct text name)
{
    return name.length > 0 && name.data[name.length - 1] == '/';
}

struct nudge {
    struct etcd_store *store;
    struct arena *arena;
    int64_t watch;
};

static void nudge_written(void *arg, const struct etcd_reply *reply)
{
    struct nudge *nudge = arg;
    struct etcd_store *store = nudge->store;
    struct store_watch *watch = watch_find(store, nudge->watch);
    struct message_header header = { 0 };
    struct message_txn_answer answer;

    etcd_health_note(store, reply);
    etcd_health_note_write(store, reply);
    if (watch != NULL) {
        watch->is_nudging = false;
        watch->behind_ms = etcd_link_now_ms();
    }
    if (watch != NULL && reply->outcome == OUTCOME_OK &&
        message_txn_read(nudge->arena, reply->message, LIMIT_ETCD_TXN_OPERATIONS, &header,
                         &answer) &&
        etcd_header_is_ours(store, &header) && answer.has_succeeded) {
        watch->nudged_ms = etcd_link_now_ms();
        watch->nudge_revision = header.revision - store->base;
    }
    arena_free(nudge->arena);
}

/* Writes the nudge: a key whose name is the prefix of the watch. The name ends in a slash, so it is
 * never that of an object. */
static void watch_nudge(struct etcd_store *store, struct store_watch *watch)
{
    struct arena *arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct nudge *nudge = arena_one(arena, struct nudge);
    struct text name = blob_text(watch->prefix);
    struct buf message;

    *nudge = (struct nudge){ store, arena, watch->id };
    watch->is_nudging = true;
    buf_init(&message, arena);
    message_compare_add(&message, store->meta_key, store->meta);
    message_txn_put_add(&message, etcd_key_full(arena, store->prefix, ETCD_SECTION_OBJECT, name),
                        etcd_value_pack(arena, ETCD_SECTION_OBJECT, name, TEXT("")));
    etcd_link_call(store->link, "KV/Txn", buf_text(&message), arena, nudge_written, nudge);
}

/* Reopens the stream, at the next endpoint, if a watch is stalled: it has not received its nudge
 * although the connection is open. A watch that still receives bytes is only catching up. */
static void stream_renew(struct etcd_store *store)
{
    struct err err;

    err_set(&err, CODE_R0501, "a watch of etcd is stalled");
    etcd_link_stream_close(store->link, store->stream);
    etcd_link_endpoint_next(store->link);
    stream_ended(store, &err);
}

/* Checks whether one watch lags behind, and nudges it if necessary. Returns true if the watch is
 * stalled. */
static bool etcd_watch_look(struct etcd_store *store, struct store_watch *watch, uint64_t now_ms)
{
    bool is_behind = watch->is_created && !watch->is_closed &&
                     store->revision >= watch->next_revision &&
                     etcd_name_is_nudge(blob_text(watch->prefix));

    if (watch->nudged_ms != 0 && watch->next_revision > watch->nudge_revision) {
        watch->nudged_ms = 0;
    }
    if (!is_behind) {
        watch->behind_ms = 0;
        return false;
    }
    if (watch->behind_ms == 0) {
        watch->behind_ms = now_ms;
    }
    if (watch->nudged_ms != 0) {
        if (now_ms - watch->nudged_ms < LIMIT_ETCD_STALL_MS ||
            now_ms - etcd_link_stream_ms(store->link) < LIMIT_ETCD_STALL_MS) {
            return false;
        }
        if (watch->was_stalled) {
            watch_end(store, watch, STORE_WATCH_LOST); /* no member of etcd reports the changes */
        }
        watch->was_stalled = true;
        return true;
    }
    if (!watch->is_nudging && now_ms - watch->behind_ms >= LIMIT_ETCD_NUDGE_MS) {
        watch_nudge(store, watch);
    }
    return false;
}

void etcd_watches_check(struct etcd_store *store, uint64_t now_ms)
{
    bool is_stalled = false;
    bool is_behind = false;

    if (!store->is_open || store->stream == NULL) {
        return;
    }
    for (const struct map_node *node = map_first(&store->watches, TEXT("")); node != NULL;
         node = map_after(&store->watches, node->key)) {
        struct store_watch *watch = node->value;

        is_stalled = etcd_watch_look(store, watch, now_ms) || is_stalled;
        is_behind = is_behind || watch->behind_ms != 0;
    }
    if (is_stalled) {
        stream_renew(store);
    } else if (is_behind) {
        etcd_link_wake(store->link, LIMIT_ETCD_NUDGE_MS);
    }
}

void etcd_watches_fini(struct etcd_store *store)
{
    const struct map_node *node;

    if (store->watch_pool == NULL) {
        return;
    }
    if (store->stream != NULL) {
        etcd_link_stream_close(store->link, store->stream);
        store->stream = NULL;
    }
    while ((node = map_first(&store->watches, TEXT(""))) != NULL) {
        watch_free(store, node->value);
    }
    pool_free(store->watch_pool);
    store->watch_pool = NULL;
}
