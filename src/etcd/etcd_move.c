#include "etcd/etcd_move.h"

#include "base/limits.h"
#include "etcd/etcd_dump.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    MOVE_BATCH_BYTES = 1024 * 1024, /* below etcd's default limit for a request */
    MOVE_BEATS_MS = 2500,           /* longer than two intervals of a manager's heartbeats, which
                                     * are 1 s */
    MOVE_SESSIONS = 4096
};

struct etcd_move {
    struct etcd_store *store;
    struct arena *memory;
    struct etcd_meta meta;
    bool has_meta;
    /* The transaction that is being collected. */
    struct arena *batch_arena;
    struct buf batch;
    size_t batch_ops;
    uint64_t batch_revision;
    /* The number of the newest event of each cluster. */
    struct arena *counter_memory;
    struct map counters;
    uint64_t revision; /* revision of the copied store */
    uint64_t written;  /* etcd's revision of the last write */
    bool is_event_batch;
};

/* ---- opening ---- */

bool etcd_move_open(const struct etcd_options *options, struct etcd_move **out,
                    struct etcd_move_found *out_found, struct err *err)
{
    static const enum etcd_move_state states[] = { [ETCD_META_ACTIVE] = ETCD_MOVE_ACTIVE,
                                                   [ETCD_META_ARRIVING] = ETCD_MOVE_ARRIVING,
                                                   [ETCD_META_FROZEN] = ETCD_MOVE_FROZEN,
                                                   [ETCD_META_MOVED] = ETCD_MOVE_MOVED };
    struct arena *memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct etcd_move *move = arena_one(memory, struct etcd_move);
    uint64_t revision = 0;

    move->memory = memory;
    *out_found = (struct etcd_move_found){ .state = ETCD_MOVE_NONE };
    if (!etcd_store_make(options, &move->store, err)) {
        arena_free(memory);
        return false;
    }
    if (!etcd_meta_find(move->store, memory, &move->meta, &revision, &move->has_meta, err)) {
        etcd_move_close(move);
        return false;
    }
    if (move->has_meta) {
        out_found->state = states[move->meta.state];
        memcpy(out_found->id.bytes, move->meta.move, sizeof(out_found->id.bytes));
        memcpy(out_found->incarnation, move->meta.incarnation, sizeof(out_found->incarnation));
        snprintf(out_found->place, sizeof(out_found->place), "%.*s", TEXT_ARG(move->meta.place));
    }
    *out = move;
    return true;
}

void etcd_move_close(struct etcd_move *move)
{
    if (move != NULL) {
        arena_free(move->batch_arena);
        arena_free(move->counter_memory);
        etcd_store_free(move->store);
        arena_free(move->memory);
    }
}

bool etcd_move_dump(struct etcd_move *move, const struct store_dump_sink *sink,
                    struct store_dump_head *out, struct err *err)
{
    memcpy(out->incarnation, move->meta.incarnation, sizeof(out->incarnation));
    return etcd_dump(move->store, sink, &out->revision, err);
}

/* ---- the metadata ---- */

/* Writes the metadata, unless they have changed since they were read. */
MUST_CHECK static bool move_meta_write(struct etcd_move *move, struct buf *message,
                                       const struct etcd_meta *meta, struct err *err)
{
    struct message_header header = { 0 };
    struct message_txn_answer answer;

    message_txn_put_add(message, move->store->meta_key,
                        etcd_value_pack(message->arena, ETCD_SECTION_META, TEXT(""),
                                        etcd_meta_pack(message->arena, meta)));
    if (!etcd_txn_wait(move->store, message, &header, &answer, err)) {
        return false;
    }
    if (!answer.has_succeeded) {
        err_set(err, CODE_R0592, "another process has changed the store in the meantime");
        return err_hint(err,
                        "make sure that no manager of this store runs, and repeat the command");
    }
    move->meta = *meta;
    move->meta.place = arena_text(move->memory, meta->place);
    move->has_meta = true;
    move->store->meta = header.revision;
    move->store->base = meta->base;
    move->store->copied = meta->copied;
    move->store->revision = 0;
    move->written = header.revision;
    return etcd_header_is_ours(move->store, &header) ||
           err_set(err, CODE_R0519, "the etcd that answers is not the one that was opened");
}

/* Begins a transaction that fails if the metadata have changed since they were read. */
static void move_message_begin(const struct etcd_move *move, struct buf *message,
                               struct arena *arena)
{
    buf_init(message, arena);
    message_compare_add(message, move->store->meta_key, move->has_meta ? move->store->meta : 0);
}

MUST_CHECK static bool move_state_write(struct etcd_move *move, enum etcd_meta_state state,
                                        struct err *err)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct etcd_meta meta = move->meta;
    struct buf message;

    meta.format = ETCD_META_FORMAT;
    meta.state = state;
    move_message_begin(move, &message, arena);
    return move_meta_write(move, &message, &meta, err);
}

/* ---- to etcd ---- */

/* Checks that there is no key below the prefix. */
MUST_CHECK static bool move_empty_check(struct etcd_move *move, struct err *err)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct message_range range = { .key = move->store->prefix,
                                   .end = etcd_key_end(arena, move->store->prefix),
                                   .limit = 1,
                                   .has_keys_only = true };
    struct message_header header = { 0 };
    struct message_found found;
    struct buf message;
    struct text bytes;

    buf_init(&message, arena);
    message_range_add(&message, &range);
    if (!etcd_call_wait(move->store, "KV/Range", &message, &bytes, err)) {
        return false;
    }
    if (!message_found_read(arena, bytes, LIMIT_ETCD_PAGE_MAX, &header, &found)) {
        return err_set(err, CODE_R0518, "an answer of etcd is malformed");
    }
    if (found.count == 0) {
        return true;
    }
    err_set(err, CODE_R0592,
            "etcd has keys below '%.*s' that are not those of a store, such as '%.*s'",
            TEXT_ARG(move->store->prefix), TEXT_ARG(found.items[0].key));
    return err_hint(err, "choose another prefix in reeved.yaml (store.etcd.prefix)");
}

MUST_CHECK static bool move_target_check(const struct etcd_move *move,
                                         const struct store_dump_head *head, bool replaces,
                                         struct err *err)
{
    bool is_same = memcmp(move->meta.incarnation, head->incarnation, 16) == 0;

    if (replaces || (is_same && (move->meta.state == ETCD_META_ARRIVING ||
                                 move->meta.state == ETCD_META_MOVED))) {
        return true;
    }
    err_set(err, CODE_R0523, "there is a store below '%.*s' in etcd",
            TEXT_ARG(move->store->prefix));
    return err_hint(err, move->meta.state == ETCD_META_ACTIVE
                             ? "managers may use it; choose another prefix in reeved.yaml "
                               "(store.etcd.prefix)"
                             : "it is left of another store; choose another prefix in reeved.yaml "
                               "(store.etcd.prefix), or delete its keys with etcdctl");
}

bool etcd_move_arrive(struct etcd_move *move, const struct store_dump_head *head,
                      const struct etcd_move_id *id, struct text place, bool replaces,
                      struct err *err)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct text meta_key = move->store->meta_key;
    struct etcd_meta meta = { .format = ETCD_META_FORMAT, .state = ETCD_META_ARRIVING };
    struct buf message;
    struct buf after;

    if (move->has_meta ? !move_target_check(move, head, replaces, err)
                       : !move_empty_check(move, err)) {
        return false;
    }
    memcpy(meta.incarnation, head->incarnation, sizeof(meta.incarnation));
    memcpy(meta.move, id->bytes, sizeof(meta.move));
    meta.place = text_slice(place, 0, ETCD_MOVE_PLACE_BYTES - 1);
    /* all keys except that of the metadata */
    buf_init(&after, arena);
    buf_add(&after, meta_key);
    buf_add_bytes(&after, 0, 1);
    move_message_begin(move, &message, arena);
    message_txn_delete_range_add(&message, move->store->prefix, meta_key);
    message_txn_delete_range_add(&message, buf_text(&after),
                                 etcd_key_end(arena, move->store->prefix));
    move->revision = head->revision;
    return move_meta_write(move, &message, &meta, err);
}

MUST_CHECK static bool move_batch_send(struct etcd_move *move, struct err *err)
{
    struct message_header header = { 0 };
    struct message_txn_answer answer;

    if (move->batch_ops == 0) {
        return true;
    }
    if (!etcd_txn_wait(move->store, &move->batch, &header, &answer, err)) {
        if (err->code == CODE_R0505) {
            err_hint(err, "the copy is not in use; give etcd more space (quota-backend-bytes), or "
                          "compact and defragment it, and repeat the command");
        }
        return false;
    }
    if (!answer.has_succeeded) {
        return err_set(err, CODE_R0592, "another process has changed the store in the meantime");
    }
    move->written = header.revision;
    arena_free(move->batch_arena);
    move->batch_arena = NULL;
    move->batch_ops = 0;
    return true;
}

/* Begins a new batch, unless the current batch has room for these operations. */
MUST_CHECK static bool move_batch_have(struct etcd_move *move, size_t ops, struct err *err)
{
    if (move->batch_ops > 0 &&
        (move->batch_ops + ops > LIMIT_STORE_TXN_OPERATIONS ||
         buf_text(&move->batch).length > MOVE_BATCH_BYTES) &&
        !move_batch_send(move, err)) {
        return false;
    }
    if (move->batch_ops == 0) {
        arena_free(move->batch_arena);
        move->batch_arena = arena_new(LIMIT_WORK_ARENA_BYTES);
        move_message_begin(move, &move->batch, move->batch_arena);
    }
    return true;
}

static void move_put(struct etcd_move *move, enum etcd_section section, struct text name,
                     struct text value)
{
    message_txn_put_add(
        &move->batch, etcd_key_full(move->batch_arena, move->store->prefix, section, name), value);
    move->batch_ops++;
}

static void move_counter_put(struct etcd_move *move, enum etcd_counts counts, struct text of,
                             const struct etcd_counter *counter)
{
    struct text name = etcd_counter_name(move->batch_arena, counts, of);

    move_put(move, ETCD_SECTION_COUNTER, name,
             etcd_value_pack(move->batch_arena, ETCD_SECTION_COUNTER, name,
                             etcd_counter_pack(move->batch_arena, counter)));
}

MUST_CHECK static bool move_row(void *arg, const struct store_dump_row *row, struct err *err)
{
    struct etcd_move *move = arg;
    struct etcd_copied copied = { .revision = row->revision, .created = row->created };
    struct etcd_counter counter = { row->number, row->created, row->is_delete };
    struct text name;

    if (!move_batch_have(move, 3, err)) {
        return false;
    }
    if (etcd_key_has_history(row->key)) {
        name = etcd_version_name(move->batch_arena, row->key, row->number);
        move_put(move, ETCD_SECTION_HISTORY, name,
                 etcd_copied_pack(move->batch_arena, ETCD_SECTION_HISTORY, name, &copied,
                                  etcd_version_pack(move->batch_arena, &counter, row->value)));
        if (row->is_newest) {
            move_counter_put(move, ETCD_COUNTS_VERSIONS, row->key, &counter);
        }
    }
    if (row->is_newest && !row->is_delete) {
        move_put(move, ETCD_SECTION_OBJECT, row->key,
                 etcd_copied_pack(move->batch_arena, ETCD_SECTION_OBJECT, row->key, &copied,
                                  row->value));
    }
    return true;
}

/* Adds an event to the batch. All events of one revision are in one batch, so that etcd's revisions
 * have the same order as the store's. */
MUST_CHECK static bool move_event(void *arg, const struct store_event *event, unsigned index,
                                  struct err *err)
{
    struct etcd_move *move = arg;
    struct etcd_copied copied = { .revision = event->revision, .created = event->revision };
    struct etcd_event_name parts = { .cluster = event->cluster,
                                     .number = event->number,
                                     .time_ms = event->time_ms };
    uint64_t *number;
    struct text name;

    (void)index;
    if (move->batch_ops > 0 && event->revision != move->batch_revision &&
        (!move->is_event_batch || move->batch_ops >= ETCD_REVISION_EVENTS / 2 ||
         buf_text(&move->batch).length > MOVE_BATCH_BYTES / 2) &&
        !move_batch_send(move, err)) {
        return false;
    }
    if (move->batch_ops == 0 && !move_batch_have(move, 1, err)) {
        return false;
    }
    move->is_event_batch = true;
    move->batch_revision = event->revision;
    parts.index = (unsigned)move->batch_ops;
    name = etcd_event_name_pack(move->batch_arena, &parts);
    move_put(move, ETCD_SECTION_EVENT, name,
             etcd_copied_pack(move->batch_arena, ETCD_SECTION_EVENT, name, &copied, event->body));
    if (move->counter_memory == NULL) {
        move->counter_memory = arena_new_small(SIZE_MAX);
        map_init(&move->counters, move->counter_memory);
    }
    number = map_find(&move->counters, event->cluster);
    if (number == NULL) {
        number = arena_one(move->counter_memory, uint64_t);
        map_put(&move->counters, arena_text(move->counter_memory, event->cluster), number);
    }
    *number = event->number > *number ? event->number : *number;
    return true;
}

struct store_dump_sink etcd_move_sink(struct etcd_move *move)
{
    return (struct store_dump_sink){ move_row, move_event, move };
}

/* Writes the counters of the newest event numbers. */
MUST_CHECK static bool move_counters_write(struct etcd_move *move, struct err *err)
{
    const struct map_node *node =
        move->counter_memory == NULL ? NULL : map_first(&move->counters, TEXT(""));

    for (; node != NULL; node = map_after(&move->counters, node->key)) {
        const uint64_t *number = node->value;
        struct etcd_counter counter = { .number = *number };

        if (!move_batch_have(move, 1, err)) {
            return false;
        }
        move_counter_put(move, ETCD_COUNTS_EVENTS, node->key, &counter);
    }
    return move_batch_send(move, err);
}

bool etcd_move_arrived(struct etcd_move *move, struct err *err)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct etcd_meta meta = move->meta;
    struct buf message;

    if (!move_batch_send(move, err) || !move_counters_write(move, err)) {
        return false;
    }
    meta.copied = move->written;
    meta.base = move->written - move->revision;
    move_message_begin(move, &message, arena);
    return move_meta_write(move, &message, &meta, err);
}

bool etcd_move_activate(struct etcd_move *move, struct err *err)
{
    return move_state_write(move, ETCD_META_ACTIVE, err);
}

/* ---- from etcd ---- */

/* The sessions of a store, as the revisions of their heartbeats. */
struct move_sessions {
    uint64_t revisions[MOVE_SESSIONS];
    size_t count;
};

MUST_CHECK static bool move_session_seen(void *arg, const struct message_item *item,
                                         struct err *err)
{
    struct move_sessions *sessions = arg;

    (void)err;
    if (sessions->count < MOVE_SESSIONS) {
        sessions->revisions[sessions->count++] = item->revision;
    }
    return true;
}

/* The managers of a store. */
struct move_managers {
    const struct etcd_store *store;
    struct text own;
    char last[LIMIT_STORE_KEY_BYTES];
    size_t others;
};

#define MOVE_MANAGERS     "/_/Manager/"
#define MOVE_SESSION_KEYS "/_/Session/"

MUST_CHECK static bool move_manager_seen(void *arg, const struct message_item *item,
                                         struct err *err)
{
    struct move_managers *managers = arg;
    struct text name;
    struct text id;

    if (!etcd_key_name(managers->store->prefix, ETCD_SECTION_OBJECT, item->key, &name) ||
        etcd_name_is_nudge(name)) {
        return true;
    }
    id = text_slice(name, strlen(MOVE_MANAGERS), SIZE_MAX);
    id = text_slice(id, 0, text_find_byte(id, '/'));
    if (!text_is_equal(id, managers->own) && !text_is(id, managers->last)) {
        managers->others++;
        snprintf(managers->last, sizeof(managers->last), "%.*s", TEXT_ARG(id));
    }
    (void)err;
    return true;
}

static void move_sleep(unsigned ms)
{
    struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 };

    nanosleep(&time, NULL);
}

bool etcd_move_check(struct etcd_move *move, struct text manager, size_t *out_managers,
                     struct err *err)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct move_sessions *first = arena_one(arena, struct move_sessions);
    struct move_sessions *second = arena_one(arena, struct move_sessions);
    struct move_managers *managers = arena_one(arena, struct move_managers);
    uint64_t at = 0;

    *managers = (struct move_managers){ .store = move->store, .own = manager };
    if (!etcd_dump_section(move->store, ETCD_SECTION_OBJECT, TEXT(MOVE_SESSION_KEYS), &at,
                           move_session_seen, first, err)) {
        return false;
    }
    if (first->count > 0) {
        move_sleep(MOVE_BEATS_MS);
    }
    at = 0;
    if (!etcd_dump_section(move->store, ETCD_SECTION_OBJECT, TEXT(MOVE_SESSION_KEYS), &at,
                           move_session_seen, second, err) ||
        !etcd_dump_section(move->store, ETCD_SECTION_OBJECT, TEXT(MOVE_MANAGERS), &at,
                           move_manager_seen, managers, err)) {
        return false;
    }
    *out_managers = managers->others;
    /* a session that is new, or has sent a heartbeat between the two reads, belongs to a running
     * manager */
    for (size_t i = 0; i < second->count; i++) {
        bool is_known = false;

        for (size_t j = 0; j < first->count; j++) {
            is_known = is_known || first->revisions[j] == second->revisions[i];
        }
        if (!is_known) {
            err_set(err, CODE_R0588, "a manager of the store below '%.*s' runs",
                    TEXT_ARG(move->store->prefix));
            return err_hint(err, "stop all managers of this store first; reeve manager status "
                                 "shows them");
        }
    }
    return true;
}

bool etcd_move_freeze(struct etcd_move *move, const struct etcd_move_id *id, struct text place,
                      struct err *err)
{
    memcpy(move->meta.move, id->bytes, sizeof(move->meta.move));
    move->meta.place = arena_text(move->memory, text_slice(place, 0, ETCD_MOVE_PLACE_BYTES - 1));
    return move_state_write(move, ETCD_META_FROZEN, err);
}

bool etcd_move_leave(struct etcd_move *move, struct err *err)
{
    return move_state_write(move, ETCD_META_MOVED, err);
}
