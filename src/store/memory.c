#include "store/memory.h"

#include "base/limits.h"
#include "base/map.h"

#include <assert.h>
#include <string.h>

/* The store keeps all versions of all keys, newest first, and a log of changes in the order of
 * revisions.
 *
 * A call takes effect immediately, while its arguments are valid. Its answer waits in a queue until
 * store_run. So all answers are consistent with the order of the calls. With faults enabled, an
 * answer is delayed at random, or becomes UNKNOWN whether or not the call had an effect. */

struct version {
    struct version *older;
    uint64_t revision;
    uint64_t create_revision;
    struct blob *value; /* value; NULL: this version is a deletion */
};

struct key {
    struct blob *name;
    struct version *newest;
    struct key *next; /* list of all keys */
};

/* One change in the log, from which watches read. */
struct logged {
    uint64_t revision;
    struct key *key;
};

struct event_row {
    uint64_t number;
    uint64_t revision;
    uint64_t time_ms;
    struct cluster *cluster;
    struct blob *body;
};

struct cluster {
    struct blob *name;
    uint64_t last_number;
    struct cluster *next; /* list of all clusters */
};

/* A queued answer, with its data in a separate arena. */
struct pending {
    struct pending *next;
    struct arena *arena;
    store_done *done;
    void *arg;
    enum outcome outcome;
    struct store_answer answer;
    uint64_t due; /* the answer is delivered by the call of store_run with this number */
    struct text first_key;
};

struct store_watch {
    struct store_watch *next;
    struct blob *prefix;
    uint64_t next_revision; /* the first revision that the watch has not reported */
    store_watch_seen *seen;
    void *arg;
    bool is_closed;
};

struct memory_store {
    struct store store;
    struct memory_faults faults;
    unsigned char incarnation[16];
    uint64_t revision;
    uint64_t compacted;
    uint64_t runs;
    uint64_t bytes;
    struct arena *object_memory; /* holds this struct, the nodes of the maps, the log and the
                                  * events */
    struct map keys;             /* maps a name to struct key */
    struct map clusters;         /* maps a name to struct cluster */
    struct key *all_keys;
    struct cluster *all_clusters;
    struct pool *key_pool;
    struct pool *version_pool;
    struct pool *cluster_pool;
    struct pool *watch_pool;
    struct logged *log;
    size_t log_count;
    size_t log_room;
    struct event_row *events;
    size_t event_count;
    size_t event_room;
    struct pending *first;
    struct pending *last;
    struct pool *pending_pool;
    struct store_watch *watches;
    struct store_change *changes; /* changes of the revision that is being reported to a watch */
};

static struct memory_store *memory_memory_of(struct store *store)
{
    return (struct memory_store *)store; /* `store` is the first member of struct memory_store */
}

static const struct memory_store *memory_of_const(const struct store *store)
{
    return (const struct memory_store *)store;
}

/* ---- answers ---- */

static uint64_t draw(struct memory_store *memory, uint64_t below)
{
    if (memory->faults.random == NULL || below == 0) {
        return 0;
    }
    return memory->faults.random(memory->faults.random_arg) % below;
}

static struct pending *memory_pending_new(struct memory_store *memory, store_done *done, void *arg)
{
    struct pending *pending = pool_take(memory->pending_pool);

    assert(pending != NULL && "too many calls of the store are in progress");
    pending->arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    pending->done = done;
    pending->arg = arg;
    pending->outcome = OUTCOME_OK;
    return pending;
}

/* Queues an answer. It is never delivered before an earlier answer about the same key. */
static void pending_send(struct memory_store *memory, struct pending *pending,
                         struct text first_key)
{
    pending->first_key = arena_text(pending->arena, first_key);
    pending->due = memory->runs + 1 + draw(memory, memory->faults.late_max);
    for (const struct pending *other = memory->first; other != NULL; other = other->next) {
        if (other->due > pending->due && text_is_equal(other->first_key, pending->first_key)) {
            pending->due = other->due;
        }
    }
    if (memory->last == NULL) {
        memory->first = pending;
    } else {
        memory->last->next = pending;
    }
    memory->last = pending;
}

static void memory_refuse(struct memory_store *memory, struct pending *pending, enum code code,
                          const char *text)
{
    pending->outcome = OUTCOME_REFUSED;
    pending->answer.revision = memory->revision;
    err_set(&pending->answer.err, code, "%s", text);
}

/* ---- reading ---- */

static const struct version *version_at(const struct key *key, uint64_t revision)
{
    const struct version *version = key->newest;

    while (version != NULL && version->revision > revision) {
        version = version->older;
    }
    return version;
}

static bool memory_range_has(const struct store_range *range, struct text name)
{
    return range->is_exact ? text_is_equal(name, range->prefix)
                           : text_has_prefix(name, range->prefix);
}

/* Checks that the revision is readable; otherwise sets the error of the answer. */
static bool revision_check(struct memory_store *memory, struct pending *pending, uint64_t revision)
{
    if (revision < memory->compacted) {
        memory_refuse(memory, pending, CODE_R0503, "the revision has been compacted away");
        return false;
    }
    if (revision > memory->revision) {
        memory_refuse(memory, pending, CODE_R0503, "the revision does not exist yet");
        return false;
    }
    return true;
}

static void item_fill(struct pending *pending, struct store_item *item, const struct key *key,
                      const struct version *version)
{
    *item = (struct store_item){
        .key = arena_text(pending->arena, blob_text(key->name)),
        .value = version->value == NULL ? TEXT("")
                                        : arena_text(pending->arena, blob_text(version->value)),
        .create_revision = version->create_revision,
        .revision = version->revision,
    };
}

static void memory_list(struct store *store, const struct store_range *range, store_done *done,
                        void *arg)
{
    struct memory_store *memory = memory_memory_of(store);
    struct pending *pending = memory_pending_new(memory, done, arg);
    uint64_t at = range->at_revision == 0 ? memory->revision : range->at_revision;
    size_t limit =
        range->limit == 0 || range->limit > LIMIT_STORE_LIST ? LIMIT_STORE_LIST : range->limit;
    size_t bytes_max = range->bytes == 0 ? SIZE_MAX : range->bytes;
    struct store_item *items = NULL;
    size_t bytes = 0;
    size_t room = 0;
    size_t count = 0;
    const struct map_node *node;

    node = text_compare(range->after, range->prefix) >= 0 && range->after.length > 0
               ? map_after(&memory->keys, range->after)
               : map_first(&memory->keys, range->prefix);
    if (revision_check(memory, pending, at)) {
        for (; node != NULL && memory_range_has(range, node->key);
             node = map_after(&memory->keys, node->key)) {
            const struct version *version = version_at(node->value, at);

            if (version == NULL || version->value == NULL) {
                continue;
            }
            if (count == limit || bytes >= bytes_max) {
                pending->answer.has_more = true;
                break;
            }
            bytes += node->key.length + (size_t)blob_text(version->value).length;
            if (count == room) {
                items = arena_grow(pending->arena, items, room * sizeof(*items),
                                   (room * 2 + 4) * sizeof(*items));
                room = room * 2 + 4;
            }
            item_fill(pending, &items[count++], node->value, version);
        }
        pending->answer.revision = at;
        pending->answer.items = items;
        pending->answer.count = count;
    }
    pending_send(memory, pending, range->prefix);
}

/* ---- changing ---- */

static void log_add(struct memory_store *memory, struct key *key)
{
    if (memory->log_count == memory->log_room) {
        size_t room = memory->log_room == 0 ? 256 : memory->log_room * 2;

        memory->log =
            arena_grow(memory->object_memory, memory->log, memory->log_room * sizeof(*memory->log),
                       room * sizeof(*memory->log));
        memory->log_room = room;
    }
    memory->log[memory->log_count++] = (struct logged){ memory->revision, key };
}

static struct key *memory_key_take(struct memory_store *memory, struct text name)
{
    struct key *key = map_find(&memory->keys, name);

    if (key == NULL) {
        key = pool_take(memory->key_pool);
        assert(key != NULL);
        key->name = blob_new(name);
        key->next = memory->all_keys;
        memory->all_keys = key;
        map_put(&memory->keys, blob_text(key->name), key);
    }
    return key;
}

static bool key_exists(const struct key *key)
{
    return key != NULL && key->newest != NULL && key->newest->value != NULL;
}

static void op_apply(struct memory_store *memory, const struct store_op *op)
{
    struct key *key = memory_key_take(memory, op->key);
    struct version *version = pool_take(memory->version_pool);

    assert(version != NULL);
    *version = (struct version){
        .older = key->newest,
        .revision = memory->revision,
        .create_revision = key_exists(key) ? key->newest->create_revision : memory->revision,
        .value = op->is_delete ? NULL : blob_new(op->value),
    };
    key->newest = version;
    memory->bytes += op->value.length;
    log_add(memory, key);
}

static void memory_event_add(struct memory_store *memory, const struct store_event *event)
{
    struct cluster *cluster = map_find(&memory->clusters, event->cluster);

    if (cluster == NULL) {
        cluster = pool_take(memory->cluster_pool);
        assert(cluster != NULL);
        cluster->name = blob_new(event->cluster);
        cluster->next = memory->all_clusters;
        memory->all_clusters = cluster;
        map_put(&memory->clusters, blob_text(cluster->name), cluster);
    }
    if (memory->event_count == memory->event_room) {
        size_t room = memory->event_room == 0 ? 256 : memory->event_room * 2;

        memory->events = arena_grow(memory->object_memory, memory->events,
                                    memory->event_room * sizeof(struct event_row),
                                    room * sizeof(struct event_row));
        memory->event_room = room;
    }
    memory->events[memory->event_count++] = (struct event_row){
        .number = ++cluster->last_number,
        .revision = memory->revision,
        .time_ms = event->time_ms,
        .cluster = cluster,
        .body = blob_new(event->body),
    };
}

/* Returns the index of the first compare that fails; their number if all succeed. */
static size_t compares_check(const struct memory_store *memory, const struct store_txn *txn)
{
    for (size_t i = 0; i < txn->compare_count; i++) {
        const struct key *key = map_find(&memory->keys, txn->compares[i].key);
        uint64_t revision = key_exists(key) ? key->newest->revision : 0;

        if (revision != txn->compares[i].revision) {
            return i;
        }
    }
    return txn->compare_count;
}

static bool txn_has_effect(const struct memory_store *memory, const struct store_txn *txn)
{
    for (size_t i = 0; i < txn->op_count; i++) {
        if (!txn->ops[i].is_delete || key_exists(map_find(&memory->keys, txn->ops[i].key))) {
            return true;
        }
    }
    return txn->event_count > 0;
}

static void txn_apply(struct memory_store *memory, const struct store_txn *txn)
{
    if (!txn_has_effect(memory, txn)) {
        return;
    }
    memory->revision++;
    for (size_t i = 0; i < txn->op_count; i++) {
        if (!txn->ops[i].is_delete || key_exists(map_find(&memory->keys, txn->ops[i].key))) {
            op_apply(memory, &txn->ops[i]);
        }
    }
    for (size_t i = 0; i < txn->event_count; i++) {
        memory_event_add(memory, &txn->events[i]);
    }
}

static void memory_txn(struct store *store, const struct store_txn *txn, store_done *done,
                       void *arg)
{
    struct memory_store *memory = memory_memory_of(store);
    struct pending *pending = memory_pending_new(memory, done, arg);
    bool is_unknown =
        memory->faults.random != NULL && draw(memory, 1000) < memory->faults.unknown_permille;
    bool is_lost = is_unknown && draw(memory, 1000) < memory->faults.lost_permille;
    size_t failed = compares_check(memory, txn);

    if (!store_txn_check(txn, &pending->answer.err)) {
        pending->outcome = OUTCOME_REFUSED;
        pending->answer.revision = memory->revision;
        is_unknown = false;
    } else if (failed < txn->compare_count) {
        memory_refuse(memory, pending, CODE_R0502, "a key has changed since it was read");
        pending->answer.failed_compare = failed;
    } else if (!is_lost) {
        txn_apply(memory, txn);
        pending->answer.revision = memory->revision;
    }
    if (is_unknown) {
        pending->outcome = OUTCOME_UNKNOWN;
        pending->answer = (struct store_answer){ 0 };
        err_set(&pending->answer.err, CODE_R0501, "the store did not report the outcome");
    }
    pending_send(memory, pending, txn->op_count > 0 ? txn->ops[0].key : TEXT(""));
}

/* ---- watching ---- */

static struct store_watch *memory_watch(struct store *store, struct text prefix,
                                        uint64_t from_revision, store_watch_seen *seen, void *arg)
{
    struct memory_store *memory = memory_memory_of(store);
    struct store_watch *watch = pool_take(memory->watch_pool);

    assert(watch != NULL && "too many watches of the store are open");
    *watch = (struct store_watch){
        .next = memory->watches,
        .prefix = blob_new(prefix),
        .next_revision = from_revision,
        .seen = seen,
        .arg = arg,
    };
    memory->watches = watch;
    return watch;
}

static void memory_watch_close(struct store *store, struct store_watch *watch)
{
    (void)store;
    watch->is_closed = true; /* the next store_run frees it, because this may be called from within
                              * `seen` */
}

/* Returns the first log entry at or above a revision. */
static size_t log_find(const struct memory_store *memory, uint64_t revision)
{
    size_t low = 0;
    size_t high = memory->log_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (memory->log[middle].revision < revision) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Reports the changes of one revision to a watch. */
static void revision_report(struct memory_store *memory, struct store_watch *watch, size_t at)
{
    struct store_change *changes = memory->changes;
    uint64_t revision = memory->log[at].revision;
    size_t count = 0;

    for (; at < memory->log_count && memory->log[at].revision == revision; at++) {
        const struct key *key = memory->log[at].key;
        const struct version *version = version_at(key, revision);

        if (version != NULL && text_has_prefix(blob_text(key->name), blob_text(watch->prefix))) {
            assert(count < LIMIT_STORE_TXN_OPERATIONS);
            changes[count++] = (struct store_change){
                .item = { blob_text(key->name),
                          version->value == NULL ? TEXT("") : blob_text(version->value),
                          version->create_revision, version->revision },
                .is_delete = version->value == NULL,
            };
        }
    }
    watch->next_revision = revision + 1;
    if (count > 0) {
        watch->seen(watch->arg, STORE_WATCH_CHANGES, revision, changes, count);
    }
}

/* Reports the next revision to a watch. Returns false if there is no newer revision. */
static bool watch_step(struct memory_store *memory, struct store_watch *watch)
{
    size_t at;

    if (watch->is_closed ||
        (watch->next_revision > memory->revision && watch->next_revision > memory->compacted)) {
        return false;
    }
    if (watch->next_revision <= memory->compacted) {
        watch->is_closed = true;
        watch->seen(watch->arg, STORE_WATCH_COMPACTED, memory->compacted, NULL, 0);
        return true;
    }
    at = log_find(memory, watch->next_revision);
    if (at == memory->log_count) {
        return false;
    }
    revision_report(memory, watch, at);
    return true;
}

static size_t watches_run(struct memory_store *memory)
{
    size_t reported = 0;

    for (struct store_watch *watch = memory->watches; watch != NULL; watch = watch->next) {
        while (watch_step(memory, watch)) {
            reported++;
        }
    }
    for (struct store_watch **link = &memory->watches; *link != NULL;) {
        struct store_watch *watch = *link;

        if (watch->is_closed) {
            *link = watch->next;
            blob_free(watch->prefix);
            pool_give(memory->watch_pool, watch);
        } else {
            link = &watch->next;
        }
    }
    return reported;
}

/* ---- compaction ---- */

static bool has_history(const struct key *key)
{
    return text_has_suffix(blob_text(key->name), TEXT("/spec"));
}

static void versions_free(struct memory_store *memory, struct version *version)
{
    while (version != NULL) {
        struct version *older = version->older;

        blob_free(version->value);
        pool_give(memory->version_pool, version);
        version = older;
    }
}

/* Removes versions that can no longer be read: all versions before the latest one at or below the
 * revision. The last LIMIT_STORE_HISTORY versions of a spec are kept. */
static void key_compact(struct memory_store *memory, struct key *key, uint64_t revision)
{
    struct version *version = key->newest;
    size_t kept = 1;

    while (version != NULL && version->revision > revision) {
        version = version->older;
        kept++;
    }
    while (version != NULL && has_history(key) && kept < LIMIT_STORE_HISTORY) {
        version = version->older;
        kept++;
    }
    if (version != NULL) {
        versions_free(memory, version->older);
        version->older = NULL;
    }
}

/* Returns whether the key was deleted before all readable revisions. The log then has no reference
 * to it. */
static bool is_forgotten(const struct key *key, uint64_t revision)
{
    return key->newest->value == NULL && key->newest->revision <= revision && !has_history(key);
}

static void keys_compact(struct memory_store *memory, uint64_t revision)
{
    for (struct key **link = &memory->all_keys; *link != NULL;) {
        struct key *key = *link;

        assert(key->newest != NULL);
        key_compact(memory, key, revision);
        if (!is_forgotten(key, revision)) {
            link = &key->next;
            continue;
        }
        *link = key->next;
        versions_free(memory, key->newest);
        (void)map_remove(&memory->keys, blob_text(key->name));
        blob_free(key->name);
        pool_give(memory->key_pool, key);
    }
}

static void memory_compact(struct store *store, uint64_t revision, store_done *done, void *arg)
{
    struct memory_store *memory = memory_memory_of(store);
    struct pending *pending = memory_pending_new(memory, done, arg);

    if (revision_check(memory, pending, revision)) {
        size_t gone = log_find(memory, revision + 1);

        keys_compact(memory, revision);
        memmove(memory->log, memory->log + gone, (memory->log_count - gone) * sizeof(*memory->log));
        memory->log_count -= gone;
        memory->compacted = revision;
        pending->answer.revision = revision;
    }
    pending_send(memory, pending, TEXT(""));
}

/* ---- events and history ---- */

static bool is_event_between(const struct event_row *row, struct text cluster, uint64_t after,
                             uint64_t before)
{
    uint64_t place = cluster.length == 0 ? row->revision : row->number;

    return place > after && (before == 0 || place < before) &&
           (cluster.length == 0 || text_is_equal(blob_text(row->cluster->name), cluster));
}

static struct store_event event_copy(struct arena *arena, const struct event_row *row)
{
    return (struct store_event){
        .cluster = arena_text(arena, blob_text(row->cluster->name)),
        .body = arena_text(arena, blob_text(row->body)),
        .number = row->number,
        .revision = row->revision,
        .time_ms = row->time_ms,
    };
}

static void memory_events(struct store *store, struct text cluster, uint64_t after_number,
                          size_t limit, store_done *done, void *arg)
{
    struct memory_store *memory = memory_memory_of(store);
    struct pending *pending = memory_pending_new(memory, done, arg);
    size_t most = limit == 0 || limit > LIMIT_STORE_LIST ? LIMIT_STORE_LIST : limit;
    struct store_event *events;
    size_t count = 0;

    most = most < memory->event_count ? most : memory->event_count;
    events = arena_array(pending->arena, struct store_event, most);
    for (size_t i = 0; i < memory->event_count; i++) {
        if (!is_event_between(&memory->events[i], cluster, after_number, 0)) {
            continue;
        }
        if (count == most) {
            pending->answer.has_more = true;
            break;
        }
        events[count++] = event_copy(pending->arena, &memory->events[i]);
    }
    pending->answer.revision = memory->revision;
    pending->answer.events = events;
    pending->answer.count = count;
    pending_send(memory, pending, cluster);
}

static void memory_events_before(struct store *store, struct text cluster, uint64_t before_number,
                                 size_t limit, store_done *done, void *arg)
{
    struct memory_store *memory = memory_memory_of(store);
    struct pending *pending = memory_pending_new(memory, done, arg);
    size_t most = limit == 0 || limit > LIMIT_STORE_LIST ? LIMIT_STORE_LIST : limit;
    struct store_event *events;
    size_t first;

    /* filled from the end, so that the events of the answer are in ascending order */
    most = most < memory->event_count ? most : memory->event_count;
    events = arena_array(pending->arena, struct store_event, most);
    first = most;
    for (size_t i = memory->event_count; i > 0; i--) {
        if (!is_event_between(&memory->events[i - 1], cluster, 0, before_number)) {
            continue;
        }
        if (first == 0) {
            pending->answer.has_more = true;
            break;
        }
        events[--first] = event_copy(pending->arena, &memory->events[i - 1]);
    }
    pending->answer.revision = memory->revision;
    pending->answer.events = events + first;
    pending->answer.count = most - first;
    pending_send(memory, pending, cluster);
}

static void memory_events_drop(struct store *store, uint64_t before_ms, uint64_t rows_max,
                               store_done *done, void *arg)
{
    struct memory_store *memory = memory_memory_of(store);
    struct pending *pending = memory_pending_new(memory, done, arg);
    size_t surplus = memory->event_count > rows_max ? memory->event_count - (size_t)rows_max : 0;
    size_t kept = 0;

    for (size_t i = 0; i < memory->event_count; i++) {
        struct event_row *row = &memory->events[i];
        bool is_newest = row->number == row->cluster->last_number;

        if (!is_newest && (row->time_ms < before_ms || i < surplus)) {
            blob_free(row->body);
        } else {
            memory->events[kept++] = *row;
        }
    }
    memory->event_count = kept;
    pending->answer.revision = memory->revision;
    pending_send(memory, pending, TEXT(""));
}

static void memory_history(struct store *store, struct text name, store_done *done, void *arg)
{
    struct memory_store *memory = memory_memory_of(store);
    struct pending *pending = memory_pending_new(memory, done, arg);
    const struct key *key = map_find(&memory->keys, name);
    struct store_item *items = arena_array(pending->arena, struct store_item, LIMIT_STORE_HISTORY);
    size_t count = 0;

    for (const struct version *version = key == NULL ? NULL : key->newest;
         version != NULL && count < LIMIT_STORE_HISTORY; version = version->older) {
        item_fill(pending, &items[count++], key, version);
    }
    pending->answer.revision = memory->revision;
    pending->answer.items = items;
    pending->answer.count = count;
    pending_send(memory, pending, name);
}

/* ---- the store itself ---- */

static void pending_finish(struct memory_store *memory, struct pending *pending)
{
    pending->done(pending->arg, pending->outcome, &pending->answer);
    arena_free(pending->arena);
    pool_give(memory->pending_pool, pending);
}

/* Removes the answers that are due from the queue, in order, and returns them. */
static struct pending *due_take(struct memory_store *memory)
{
    struct pending *due = NULL;
    struct pending **due_end = &due;

    memory->last = NULL;
    for (struct pending **link = &memory->first; *link != NULL;) {
        struct pending *pending = *link;

        if (pending->due <= memory->runs) {
            *link = pending->next;
            pending->next = NULL;
            *due_end = pending;
            due_end = &pending->next;
        } else {
            memory->last = pending;
            link = &pending->next;
        }
    }
    return due;
}

static size_t memory_run(struct store *store)
{
    struct memory_store *memory = memory_memory_of(store);
    struct pending *due;
    size_t reported = 0;

    memory->runs++;
    due = due_take(memory);
    while (due != NULL) {
        struct pending *next = due->next;

        pending_finish(memory, due);
        due = next;
        reported++;
    }
    return reported + watches_run(memory);
}

static int memory_descriptor(const struct store *store)
{
    (void)store;
    return -1;
}

static void memory_status(const struct store *store, struct store_status *out)
{
    const struct memory_store *memory = memory_of_const(store);

    *out = (struct store_status){
        .driver = "memory",
        .revision = memory->revision,
        .compacted_revision = memory->compacted,
        .bytes = memory->bytes,
        .is_writable = true,
    };
    memcpy(out->incarnation, memory->incarnation, sizeof(out->incarnation));
}

static void contents_free(struct memory_store *memory)
{
    for (struct key *key = memory->all_keys; key != NULL; key = key->next) {
        versions_free(memory, key->newest);
        blob_free(key->name);
    }
    for (struct cluster *cluster = memory->all_clusters; cluster != NULL; cluster = cluster->next) {
        blob_free(cluster->name);
    }
    for (size_t i = 0; i < memory->event_count; i++) {
        blob_free(memory->events[i].body);
    }
    for (struct store_watch *watch = memory->watches; watch != NULL; watch = watch->next) {
        blob_free(watch->prefix);
    }
}

static void memory_close(struct store *store)
{
    struct memory_store *memory = memory_memory_of(store);

    while (memory->first != NULL) {
        struct pending *pending = memory->first;

        memory->first = pending->next;
        pending_finish(memory, pending);
    }
    contents_free(memory);
    pool_free(memory->key_pool);
    pool_free(memory->version_pool);
    pool_free(memory->cluster_pool);
    pool_free(memory->watch_pool);
    pool_free(memory->pending_pool);
    arena_free(memory->object_memory);
}

static const struct store_driver memory_driver = {
    .name = "memory",
    .close = memory_close,
    .descriptor = memory_descriptor,
    .run = memory_run,
    .status = memory_status,
    .list = memory_list,
    .txn = memory_txn,
    .watch = memory_watch,
    .watch_close = memory_watch_close,
    .compact = memory_compact,
    .events = memory_events,
    .events_before = memory_events_before,
    .events_drop = memory_events_drop,
    .history = memory_history,
};

struct store *memory_open(const unsigned char incarnation[16])
{
    struct arena *object_memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct memory_store *memory = arena_one(object_memory, struct memory_store);

    memory->store.driver = &memory_driver;
    memory->object_memory = object_memory;
    memcpy(memory->incarnation, incarnation, sizeof(memory->incarnation));
    memory->changes = arena_array(object_memory, struct store_change, LIMIT_STORE_TXN_OPERATIONS);
    map_init(&memory->keys, object_memory);
    map_init(&memory->clusters, object_memory);
    memory->key_pool = pool_new(sizeof(struct key), LIMIT_STORE_KEYS);
    memory->version_pool = pool_new(sizeof(struct version), LIMIT_STORE_KEYS);
    memory->cluster_pool = pool_new(sizeof(struct cluster), LIMIT_STORE_KEYS);
    memory->watch_pool = pool_new(sizeof(struct store_watch), LIMIT_STORE_WATCHES);
    memory->pending_pool = pool_new(sizeof(struct pending), LIMIT_STORE_PENDING);
    return &memory->store;
}

void memory_set_faults(struct store *store, const struct memory_faults *faults)
{
    assert(store->driver == &memory_driver);
    memory_memory_of(store)->faults = *faults;
}
