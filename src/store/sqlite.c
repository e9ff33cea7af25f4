#include "store/sqlite.h"

#include "base/limits.h"
#include "store/sqlite_db.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <unistd.h>

/* A call becomes a request with a copy of its arguments. It goes into the queue of the writer or of
 * the reader, is carried out there, and comes back through the list of finished ones, which store_run
 * empties. Every list is its own lock's; a request belongs to one side at a time.
 *
 * A watch is a read that is asked again when there was a commit behind what it has seen. */

enum request_kind {
    REQUEST_LIST,
    REQUEST_TXN,
    REQUEST_COMPACT,
    REQUEST_EVENTS,
    REQUEST_EVENTS_DROP,
    REQUEST_HISTORY,
    REQUEST_CHANGES
};

struct request {
    struct request *next;
    struct arena *arena;
    enum request_kind kind;
    store_done *done;
    void *arg;
    struct store_range range;
    struct store_txn txn;
    struct text key; /* cluster, key, prefix */
    uint64_t number; /* revision, number, time */
    uint64_t limit;
    struct store_watch *watch;
    struct sqlite_changes changes;
    struct sqlite_result result;
    struct store_answer answer;
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct request *first;
    struct request *last;
    bool is_ending;
};

struct store_watch {
    struct store_watch *next;
    struct blob *prefix;
    uint64_t next_revision;
    store_watch_seen *seen;
    void *arg;
    bool is_asking; /* a read for it is under way */
    bool is_closed;
};

struct sqlite_store {
    struct store store;
    struct arena *home;
    int lock_file;
    int wake; /* eventfd: something has finished */
    struct sqlite_db *writer_db;
    struct sqlite_db *reader_db;
    pthread_t writer;
    pthread_t reader;
    struct queue writes;
    struct queue reads;
    struct queue finished;
    struct pool *requests;
    struct pool *watch_pool;
    struct store_watch *watches;
    struct sqlite_figures figures; /* as of the newest answer */
    bool is_writable;
};

static struct sqlite_store *sqlite_of(struct store *store)
{
    return (struct sqlite_store *)store; /* the store is its first member */
}

/* ---- queues ---- */

static void queue_init(struct queue *queue)
{
    int failed = pthread_mutex_init(&queue->lock, NULL) | pthread_cond_init(&queue->filled, NULL);

    assert(failed == 0);
    (void)failed;
}

static void queue_fini(struct queue *queue)
{
    assert(queue->first == NULL);
    pthread_mutex_destroy(&queue->lock);
    pthread_cond_destroy(&queue->filled);
}

static void queue_put(struct queue *queue, struct request *first, struct request *last)
{
    pthread_mutex_lock(&queue->lock);
    if (queue->last == NULL) {
        queue->first = first;
    } else {
        queue->last->next = first;
    }
    queue->last = last;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
}

/* Take all that is there; with `waits`, wait until there is something or the queue ends. */
static struct request *queue_take(struct queue *queue, bool waits)
{
    struct request *first;

    pthread_mutex_lock(&queue->lock);
    while (waits && queue->first == NULL && !queue->is_ending) {
        pthread_cond_wait(&queue->filled, &queue->lock);
    }
    first = queue->first;
    queue->first = NULL;
    queue->last = NULL;
    pthread_mutex_unlock(&queue->lock);
    return first;
}

static void queue_end(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->is_ending = true;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
}

static bool queue_is_ending(struct queue *queue)
{
    bool is_ending;

    pthread_mutex_lock(&queue->lock);
    is_ending = queue->is_ending;
    pthread_mutex_unlock(&queue->lock);
    return is_ending;
}

/* Hand a chain of requests back to the loop. */
static void requests_finish(struct sqlite_store *sqlite, struct request *first)
{
    struct request *last = first;
    uint64_t one = 1;

    while (last->next != NULL) {
        last = last->next;
    }
    queue_put(&sqlite->finished, first, last);
    while (write(sqlite->wake, &one, sizeof(one)) < 0 && errno == EINTR) {
    }
}

/* ---- the writer ---- */

enum { GROUP_MAX = 256 };

/* The transactions at the front of a chain, up to GROUP_MAX, in one commit. Returns the rest. */
static struct request *group_write(struct sqlite_store *sqlite, struct request *first)
{
    struct sqlite_write writes[GROUP_MAX];
    struct request *requests[GROUP_MAX];
    struct request *rest = first;
    size_t count = 0;

    for (; rest != NULL && rest->kind == REQUEST_TXN && count < GROUP_MAX; rest = rest->next) {
        requests[count] = rest;
        writes[count++] = (struct sqlite_write){ .txn = &rest->txn, .answer = &rest->answer };
    }
    assert(count > 0);
    sqlite_db_write(sqlite->writer_db, writes, count);
    for (size_t i = 0; i < count; i++) {
        requests[i]->result = writes[i].result;
    }
    requests[count - 1]->next = NULL;
    requests_finish(sqlite, first);
    sqlite_db_checkpoint(sqlite->writer_db);
    return rest;
}

static struct request *write_one(struct sqlite_store *sqlite, struct request *request)
{
    struct request *rest = request->next;

    if (request->kind == REQUEST_TXN) {
        return group_write(sqlite, request);
    }
    if (request->kind == REQUEST_COMPACT) {
        sqlite_db_compact(sqlite->writer_db, request->number, &request->result);
        request->answer.revision = request->number;
    } else {
        assert(request->kind == REQUEST_EVENTS_DROP);
        sqlite_db_events_drop(sqlite->writer_db, request->number, request->limit, &request->result);
    }
    request->next = NULL;
    requests_finish(sqlite, request);
    return rest;
}

static void *writer_run(void *arg)
{
    struct sqlite_store *sqlite = arg;
    bool has_sweep = true; /* what an earlier life left */

    while (true) {
        struct request *requests = queue_take(&sqlite->writes, !has_sweep);

        if (requests == NULL && queue_is_ending(&sqlite->writes)) {
            return NULL;
        }
        while (requests != NULL) {
            has_sweep = has_sweep || requests->kind == REQUEST_COMPACT;
            requests = write_one(sqlite, requests);
        }
        if (has_sweep) {
            has_sweep = sqlite_db_sweep(sqlite->writer_db); /* a slice between two groups */
        }
    }
}

/* ---- the reader ---- */

static void read_one(struct sqlite_store *sqlite, struct request *request)
{
    struct sqlite_db *db = sqlite->reader_db;

    switch (request->kind) {
    case REQUEST_LIST:
        sqlite_db_list(db, request->arena, &request->range, &request->result, &request->answer);
        break;
    case REQUEST_EVENTS:
        sqlite_db_events(db, request->arena, request->key, request->number, (size_t)request->limit,
                         &request->result, &request->answer);
        break;
    case REQUEST_HISTORY:
        sqlite_db_history(db, request->arena, request->key, &request->result, &request->answer);
        break;
    case REQUEST_CHANGES:
        sqlite_db_changes(db, request->arena, request->key, request->number, &request->result,
                          &request->changes);
        break;
    case REQUEST_TXN:
    case REQUEST_COMPACT:
    case REQUEST_EVENTS_DROP:
        assert(false && "the writer's");
    }
}

static void *reader_run(void *arg)
{
    struct sqlite_store *sqlite = arg;

    while (true) {
        struct request *request = queue_take(&sqlite->reads, true);

        if (request == NULL) {
            return NULL;
        }
        while (request != NULL) {
            struct request *next = request->next;

            request->next = NULL;
            read_one(sqlite, request);
            requests_finish(sqlite, request);
            request = next;
        }
    }
}

/* ---- calls ---- */

static struct request *request_new(struct sqlite_store *sqlite, enum request_kind kind,
                                   store_done *done, void *arg)
{
    struct request *request = pool_take(sqlite->requests);

    assert(request != NULL && "more calls under way than a store takes");
    request->arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    request->kind = kind;
    request->done = done;
    request->arg = arg;
    return request;
}

static void request_free(struct sqlite_store *sqlite, struct request *request)
{
    arena_free(request->arena);
    pool_give(sqlite->requests, request);
}

static void sqlite_list(struct store *store, const struct store_range *range, store_done *done,
                        void *arg)
{
    struct sqlite_store *sqlite = sqlite_of(store);
    struct request *request = request_new(sqlite, REQUEST_LIST, done, arg);

    request->range = *range;
    request->range.prefix = arena_text(request->arena, range->prefix);
    request->range.after = arena_text(request->arena, range->after);
    queue_put(&sqlite->reads, request, request);
}

static void txn_copy(struct request *request, const struct store_txn *txn)
{
    struct store_compare *compares =
        arena_array(request->arena, struct store_compare, txn->compare_count);
    struct store_op *ops = arena_array(request->arena, struct store_op, txn->op_count);
    struct store_event *events = arena_array(request->arena, struct store_event, txn->event_count);

    for (size_t i = 0; i < txn->compare_count; i++) {
        compares[i] = txn->compares[i];
        compares[i].key = arena_text(request->arena, txn->compares[i].key);
    }
    for (size_t i = 0; i < txn->op_count; i++) {
        ops[i] = txn->ops[i];
        ops[i].key = arena_text(request->arena, txn->ops[i].key);
        ops[i].value = arena_text(request->arena, txn->ops[i].value);
    }
    for (size_t i = 0; i < txn->event_count; i++) {
        events[i] = txn->events[i];
        events[i].cluster = arena_text(request->arena, txn->events[i].cluster);
        events[i].body = arena_text(request->arena, txn->events[i].body);
    }
    request->txn = (struct store_txn){ compares, txn->compare_count, ops, txn->op_count,
                                       events,   txn->event_count };
}

static void sqlite_txn(struct store *store, const struct store_txn *txn, store_done *done,
                       void *arg)
{
    struct sqlite_store *sqlite = sqlite_of(store);
    struct request *request = request_new(sqlite, REQUEST_TXN, done, arg);

    if (!store_txn_check(txn, &request->result.err)) {
        request->result.outcome = OUTCOME_REFUSED;
        request->answer.revision = sqlite->figures.revision;
        requests_finish(sqlite, request);
        return;
    }
    txn_copy(request, txn);
    queue_put(&sqlite->writes, request, request);
}

static void sqlite_compact(struct store *store, uint64_t revision, store_done *done, void *arg)
{
    struct sqlite_store *sqlite = sqlite_of(store);
    struct request *request = request_new(sqlite, REQUEST_COMPACT, done, arg);

    request->number = revision;
    queue_put(&sqlite->writes, request, request);
}

static void sqlite_events(struct store *store, struct text cluster, uint64_t after_number,
                          size_t limit, store_done *done, void *arg)
{
    struct sqlite_store *sqlite = sqlite_of(store);
    struct request *request = request_new(sqlite, REQUEST_EVENTS, done, arg);

    request->key = arena_text(request->arena, cluster);
    request->number = after_number;
    request->limit = limit;
    queue_put(&sqlite->reads, request, request);
}

static void sqlite_events_drop(struct store *store, uint64_t before_ms, uint64_t rows_max,
                               store_done *done, void *arg)
{
    struct sqlite_store *sqlite = sqlite_of(store);
    struct request *request = request_new(sqlite, REQUEST_EVENTS_DROP, done, arg);

    request->number = before_ms;
    request->limit = rows_max;
    queue_put(&sqlite->writes, request, request);
}

static void sqlite_history(struct store *store, struct text key, store_done *done, void *arg)
{
    struct sqlite_store *sqlite = sqlite_of(store);
    struct request *request = request_new(sqlite, REQUEST_HISTORY, done, arg);

    request->key = arena_text(request->arena, key);
    queue_put(&sqlite->reads, request, request);
}

/* ---- watches ---- */

static void watch_ask(struct sqlite_store *sqlite, struct store_watch *watch)
{
    struct request *request = request_new(sqlite, REQUEST_CHANGES, NULL, NULL);

    assert(!watch->is_asking);
    watch->is_asking = true;
    request->watch = watch;
    request->key = arena_text(request->arena, blob_text(watch->prefix));
    request->number = watch->next_revision;
    queue_put(&sqlite->reads, request, request);
}

static struct store_watch *sqlite_watch(struct store *store, struct text prefix,
                                        uint64_t from_revision, store_watch_seen *seen, void *arg)
{
    struct sqlite_store *sqlite = sqlite_of(store);
    struct store_watch *watch = pool_take(sqlite->watch_pool);

    assert(watch != NULL && "more watches than a store takes");
    *watch = (struct store_watch){
        .next = sqlite->watches,
        .prefix = blob_new(prefix),
        .next_revision = from_revision == 0 ? 1 : from_revision,
        .seen = seen,
        .arg = arg,
    };
    sqlite->watches = watch;
    watch_ask(sqlite, watch);
    return watch;
}

static void sqlite_watch_close(struct store *store, struct store_watch *watch)
{
    (void)store;
    watch->is_closed = true; /* swept when no read for it is under way */
}

/* Tell what a read found, one call of `seen` for each revision. */
static void watch_tell(struct store_watch *watch, const struct request *request)
{
    const struct store_change *items = request->changes.items;
    size_t start = 0;

    while (start < request->changes.count && !watch->is_closed) {
        size_t end = start + 1;

        while (end < request->changes.count &&
               items[end].item.revision == items[start].item.revision) {
            end++;
        }
        watch->seen(watch->arg, STORE_WATCH_CHANGES, items[start].item.revision, items + start,
                    end - start);
        start = end;
    }
    watch->next_revision = request->changes.next_revision;
}

static void watch_finish(const struct request *request)
{
    struct store_watch *watch = request->watch;
    enum store_watch_state state =
        request->result.err.code == CODE_R0503 ? STORE_WATCH_COMPACTED : STORE_WATCH_LOST;

    watch->is_asking = false;
    if (watch->is_closed) {
        return;
    }
    if (request->result.outcome == OUTCOME_OK) {
        watch_tell(watch, request);
        return;
    }
    watch->is_closed = true;
    watch->seen(watch->arg, state, 0, NULL, 0);
}

/* Ask again where there is something new, and free what is closed. */
static void watches_turn(struct sqlite_store *sqlite)
{
    for (struct store_watch **link = &sqlite->watches; *link != NULL;) {
        struct store_watch *watch = *link;

        if (watch->is_closed && !watch->is_asking) {
            *link = watch->next;
            blob_free(watch->prefix);
            pool_give(sqlite->watch_pool, watch);
            continue;
        }
        if (!watch->is_closed && !watch->is_asking &&
            watch->next_revision <= sqlite->figures.revision) {
            watch_ask(sqlite, watch);
        }
        link = &watch->next;
    }
}

/* ---- the store itself ---- */

static void request_end(struct sqlite_store *sqlite, struct request *request)
{
    enum outcome outcome = request->result.outcome;

    if (request->kind == REQUEST_CHANGES) {
        watch_finish(request);
        return;
    }
    if (outcome == OUTCOME_OK) {
        if (request->answer.revision > sqlite->figures.revision) {
            sqlite->figures.revision = request->answer.revision;
        }
        if (request->kind == REQUEST_COMPACT && request->number > sqlite->figures.compacted) {
            sqlite->figures.compacted = request->number;
        }
    } else {
        request->answer.err = request->result.err;
    }
    if (request->kind == REQUEST_TXN) {
        sqlite->is_writable = outcome == OUTCOME_OK || request->result.err.code == CODE_R0502 ||
                              request->result.err.code == CODE_R0504;
    }
    request->done(request->arg, outcome, &request->answer);
}

static size_t sqlite_run(struct store *store)
{
    struct sqlite_store *sqlite = sqlite_of(store);
    uint64_t woken;
    struct request *request;
    size_t count = 0;

    while (read(sqlite->wake, &woken, sizeof(woken)) < 0 && errno == EINTR) {
    }
    request = queue_take(&sqlite->finished, false);
    while (request != NULL) {
        struct request *next = request->next;

        request_end(sqlite, request);
        request_free(sqlite, request);
        request = next;
        count++;
    }
    watches_turn(sqlite);
    return count;
}

static int sqlite_descriptor(const struct store *store)
{
    return ((const struct sqlite_store *)store)->wake;
}

static void sqlite_status(const struct store *store, struct store_status *out)
{
    const struct sqlite_store *sqlite = (const struct sqlite_store *)store;

    *out = (struct store_status){
        .driver = "sqlite",
        .revision = sqlite->figures.revision,
        .compacted_revision = sqlite->figures.compacted,
        .bytes = sqlite->figures.bytes,
        .is_writable = sqlite->is_writable,
    };
    memcpy(out->incarnation, sqlite->figures.incarnation, sizeof(out->incarnation));
}

/* Threads first finish what they were given; then everything has its answer. */
static void sqlite_close(struct store *store)
{
    struct sqlite_store *sqlite = sqlite_of(store);

    for (struct store_watch *watch = sqlite->watches; watch != NULL; watch = watch->next) {
        watch->is_closed = true;
    }
    queue_end(&sqlite->writes);
    pthread_join(sqlite->writer, NULL);
    queue_end(&sqlite->reads);
    pthread_join(sqlite->reader, NULL);
    sqlite_run(store);
    assert(sqlite->watches == NULL);
    queue_fini(&sqlite->writes);
    queue_fini(&sqlite->reads);
    queue_fini(&sqlite->finished);
    sqlite_db_close(sqlite->reader_db);
    sqlite_db_close(sqlite->writer_db);
    close(sqlite->wake);
    close(sqlite->lock_file);
    pool_free(sqlite->requests);
    pool_free(sqlite->watch_pool);
    arena_free(sqlite->home);
}

static const struct store_driver sqlite_driver = {
    .name = "sqlite",
    .close = sqlite_close,
    .descriptor = sqlite_descriptor,
    .run = sqlite_run,
    .status = sqlite_status,
    .list = sqlite_list,
    .txn = sqlite_txn,
    .watch = sqlite_watch,
    .watch_close = sqlite_watch_close,
    .compact = sqlite_compact,
    .events = sqlite_events,
    .events_drop = sqlite_events_drop,
    .history = sqlite_history,
};

/* The session of a store on a file is a lock on one beside it: gone with the process, however it
 * ended. */
MUST_CHECK static bool lock_take(struct arena *arena, const char *folder, int *out, struct err *err)
{
    const char *path = arena_printf(arena, "%s/store.lock", folder).data;
    AUTO(fd) file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (file < 0) {
        return err_set(err, CODE_R0505, "'%s' cannot be opened: %s", path, strerror(errno));
    }
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
        return err_set(err, CODE_R0507, "another process has the store in '%s' open", folder);
    }
    *out = file;
    file = FD_NONE;
    return true;
}

static void threads_start(struct sqlite_store *sqlite)
{
    int failed = pthread_create(&sqlite->writer, NULL, writer_run, sqlite) |
                 pthread_create(&sqlite->reader, NULL, reader_run, sqlite);

    assert(failed == 0 && "no thread can be made");
    (void)failed;
}

bool sqlite_open(const char *folder, const unsigned char incarnation[16], struct store **out,
                 struct err *err)
{
    return sqlite_open_on(NULL, folder, incarnation, out, err);
}

bool sqlite_open_on(const char *vfs, const char *folder, const unsigned char incarnation[16],
                    struct store **out, struct err *err)
{
    struct arena *home = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct sqlite_store *sqlite = arena_one(home, struct sqlite_store);
    struct sqlite_opening opening = { arena_printf(home, "%s/store.db", folder).data, vfs,
                                      incarnation };

    sqlite->store.driver = &sqlite_driver;
    sqlite->home = home;
    sqlite->lock_file = FD_NONE;
    sqlite->is_writable = true;
    if (!lock_take(home, folder, &sqlite->lock_file, err) ||
        !sqlite_db_open(&opening, true, &sqlite->writer_db, err) ||
        !sqlite_db_open(&opening, false, &sqlite->reader_db, err) ||
        !sqlite_db_figures(sqlite->reader_db, &sqlite->figures, err)) {
        sqlite_db_close(sqlite->reader_db);
        sqlite_db_close(sqlite->writer_db);
        fd_cleanup(&sqlite->lock_file);
        arena_free(home);
        return false;
    }
    sqlite->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assert(sqlite->wake >= 0);
    sqlite->requests = pool_new(sizeof(struct request), LIMIT_STORE_PENDING);
    sqlite->watch_pool = pool_new(sizeof(struct store_watch), LIMIT_STORE_WATCHES);
    queue_init(&sqlite->writes);
    queue_init(&sqlite->reads);
    queue_init(&sqlite->finished);
    threads_start(sqlite);
    *out = &sqlite->store;
    return true;
}
