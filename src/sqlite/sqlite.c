#include "sqlite/sqlite.h"

#include "base/limits.h"
#include "sqlite/sqlite_salvage.h"
#include "sqlite/sqlite_store.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

static struct sqlite_store *sqlite_of(struct store *store)
{
    return (struct sqlite_store *)store; /* `store` is the first member of struct sqlite_store */
}

/* ---- calls ---- */

void sqlite_requests_finish(struct sqlite_store *sqlite, struct request *first)
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

/* Rejects a request if the store is closing. */
static bool is_sqlite_refused(struct sqlite_store *sqlite, struct request *request)
{
    if (sqlite->is_over) {
        request->result.outcome = OUTCOME_REFUSED;
        err_set(&request->result.err, CODE_R0501, "the store is closed");
        sqlite_requests_finish(sqlite, request);
    }
    return sqlite->is_over;
}

void sqlite_read_put(struct sqlite_store *sqlite, struct request *request)
{
    if (!is_sqlite_refused(sqlite, request)) {
        queue_put(&sqlite->reads, request, request);
    }
}

struct request *sqlite_request_new(struct sqlite_store *sqlite, enum request_kind kind,
                                   store_done *done, void *arg)
{
    struct request *request = pool_take(sqlite->requests);

    assert(request != NULL && "too many calls of the store are in progress");
    request->arena = stock_take(&sqlite->arenas);
    request->kind = kind;
    request->done = done;
    request->arg = arg;
    return request;
}

static void request_free(struct sqlite_store *sqlite, struct request *request)
{
    stock_give(&sqlite->arenas, request->arena);
    pool_give(sqlite->requests, request);
}

static void sqlite_list(struct store *store, const struct store_range *range, store_done *done,
                        void *arg)
{
    struct sqlite_store *sqlite = sqlite_of(store);
    struct request *request = sqlite_request_new(sqlite, REQUEST_LIST, done, arg);

    request->range = *range;
    request->range.prefix = arena_text(request->arena, range->prefix);
    request->range.after = arena_text(request->arena, range->after);
    sqlite_read_put(sqlite, request);
}

/* Queues a write. If the store is known to be damaged, or was read-only when it was opened, rejects
 * it. */
static void write_put(struct sqlite_store *sqlite, struct request *request)
{
    if (sqlite->refusal.code == CODE_R0506 || sqlite->opening.is_read_only) {
        request->result = (struct sqlite_result){ OUTCOME_REFUSED, sqlite->refusal };
        sqlite_requests_finish(sqlite, request);
        return;
    }
    if (!is_sqlite_refused(sqlite, request)) {
        queue_put(&sqlite->writes, request, request);
    }
}

static void txn_copy(struct request *request, const struct store_txn *txn)
{
    struct store_compare *compares =
        arena_array(request->arena, struct store_compare, txn->compare_count);
    struct store_op *ops = arena_array(request->arena, struct store_op, txn->op_count);
    struct store_event *events = arena_array(request->arena, struct store_event, txn->event_count);

    request->changes.items = arena_array(request->arena, struct store_change, txn->op_count);
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
    struct request *request = sqlite_request_new(sqlite, REQUEST_TXN, done, arg);

    if (!store_txn_check(txn, &request->result.err)) {
        request->result.outcome = OUTCOME_REFUSED;
        request->answer.revision = sqlite->figures.revision;
        sqlite_requests_finish(sqlite, request);
        return;
    }
    txn_copy(request, txn);
    write_put(sqlite, request);
}

static void sqlite_compact(struct store *store, uint64_t revision, store_done *done, void *arg)
{
    struct sqlite_store *sqlite = sqlite_of(store);
    struct request *request = sqlite_request_new(sqlite, REQUEST_COMPACT, done, arg);

    request->number = revision;
    write_put(sqlite, request);
}

static void sqlite_events(struct store *store, struct text cluster, uint64_t after_number,
                          size_t limit, store_done *done, void *arg)
{
    struct sqlite_store *sqlite = sqlite_of(store);
    struct request *request = sqlite_request_new(sqlite, REQUEST_EVENTS, done, arg);

    request->key = arena_text(request->arena, cluster);
    request->number = after_number;
    request->limit = limit;
    sqlite_read_put(sqlite, request);
}

static void sqlite_events_before(struct store *store, struct text cluster, uint64_t before_number,
                                 size_t limit, store_done *done, void *arg)
{
    struct sqlite_store *sqlite = sqlite_of(store);
    struct request *request = sqlite_request_new(sqlite, REQUEST_EVENTS_BEFORE, done, arg);

    request->key = arena_text(request->arena, cluster);
    request->number = before_number;
    request->limit = limit;
    sqlite_read_put(sqlite, request);
}

static void sqlite_events_drop(struct store *store, uint64_t before_ms, uint64_t rows_max,
                               store_done *done, void *arg)
{
    struct sqlite_store *sqlite = sqlite_of(store);
    struct request *request = sqlite_request_new(sqlite, REQUEST_EVENTS_DROP, done, arg);

    request->drop = (struct sqlite_drop){ .before_ms = before_ms, .rows_max = rows_max };
    write_put(sqlite, request);
}

static void sqlite_audit(struct store *store, bool is_deep, store_done *done, void *arg)
{
    struct sqlite_store *sqlite = sqlite_of(store);
    struct request *request = sqlite_request_new(sqlite, REQUEST_AUDIT, done, arg);

    request->key = text_from(sqlite->opening.path);
    request->number = is_deep;
    sqlite_read_put(sqlite, request);
}

static void sqlite_history(struct store *store, struct text key, store_done *done, void *arg)
{
    struct sqlite_store *sqlite = sqlite_of(store);
    struct request *request = sqlite_request_new(sqlite, REQUEST_HISTORY, done, arg);

    request->key = arena_text(request->arena, key);
    sqlite_read_put(sqlite, request);
}

/* ---- the store itself ---- */

/* Updates the store's state from an answer. */
static void refusal_learn(struct sqlite_store *sqlite, const struct request *request)
{
    enum code code = request->result.outcome == OUTCOME_OK ? CODE_NONE : request->result.err.code;

    if (sqlite->refusal.code == CODE_R0506 || sqlite->opening.is_read_only) {
        return; /* a damaged store stays damaged until a restore */
    }
    if (code == CODE_R0506) {
        sqlite->refusal = request->result.err;
    } else if (request->kind == REQUEST_TXN && code != CODE_R0502 && code != CODE_R0504) {
        /* although this transaction has succeeded, a larger one may still lack space */
        if (code != CODE_NONE) {
            sqlite->refusal = request->result.err;
        } else if (request->has_room) {
            sqlite->refusal = (struct err){ 0 };
        }
    }
    if (request->kind == REQUEST_TXN && code == CODE_R0505) {
        sqlite->no_room = request->result.err;
        sqlite->no_rooms++;
    }
}

static void sqlite_request_end(struct sqlite_store *sqlite, struct request *request)
{
    enum outcome outcome = request->result.outcome;

    refusal_learn(sqlite, request);
    if (request->kind == REQUEST_CHANGES) {
        sqlite_watch_finish(sqlite, request);
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
    request->done(request->arg, outcome, &request->answer);
    if (request->kind == REQUEST_TXN && outcome == OUTCOME_OK) {
        sqlite_watches_report(sqlite, request);
    }
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

        sqlite_request_end(sqlite, request);
        request_free(sqlite, request);
        request = next;
        count++;
    }
    sqlite_watches_turn(sqlite);
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
        .is_writable = sqlite->refusal.code == CODE_NONE,
        .problem = sqlite->refusal,
        .is_held = sqlite->damage.is_damaged || sqlite->opening.is_read_only,
        .damage = sqlite->damage.is_damaged ? &sqlite->damage : NULL,
        .refusals = sqlite->no_rooms,
        .refusal = sqlite->no_room,
        .audit_fault = sqlite->audit_fault[0] == '\0' ? NULL : sqlite->audit_fault,
    };
    memcpy(out->incarnation, sqlite->figures.incarnation, sizeof(out->incarnation));
}

static void sqlite_store_free(struct sqlite_store *sqlite)
{
    sqlite_disconnect(sqlite);
    pthread_mutex_destroy(&sqlite->connecting);
    pthread_mutex_destroy(&sqlite->copying);
    queue_fini(&sqlite->writes);
    queue_fini(&sqlite->reads);
    queue_fini(&sqlite->backups);
    queue_fini(&sqlite->finished);
    fd_cleanup(&sqlite->wake);
    fd_cleanup(&sqlite->lock_file);
    pool_free(sqlite->requests);
    stock_fini(&sqlite->arenas);
    pool_free(sqlite->watch_pool);
    arena_free(sqlite->memory);
}

/* Before they end, the threads complete their requests, so that every request is answered. */
static void sqlite_close(struct store *store)
{
    struct sqlite_store *sqlite = sqlite_of(store);

    sqlite_watches_end(sqlite);
    sqlite_threads_stop(sqlite);
    sqlite->is_over = true;
    while (sqlite_run(store) > 0) {
    }
    assert(sqlite->watches == NULL);
    sqlite_store_free(sqlite);
}

static const struct store_driver sqlite_driver = {
    .name = "sqlite",
    .close = sqlite_close,
    .descriptor = sqlite_descriptor,
    .run = sqlite_run,
    .audit = sqlite_audit,
    .status = sqlite_status,
    .list = sqlite_list,
    .txn = sqlite_txn,
    .watch = sqlite_watch_open,
    .watch_close = sqlite_watch_close,
    .compact = sqlite_compact,
    .events = sqlite_events,
    .events_before = sqlite_events_before,
    .events_drop = sqlite_events_drop,
    .history = sqlite_history,
};

void sqlite_backup(struct store *store, const char *path, store_done *done, void *arg)
{
    struct sqlite_store *sqlite = sqlite_of(store);
    struct request *request = sqlite_request_new(sqlite, REQUEST_BACKUP, done, arg);

    assert(store->driver == &sqlite_driver);
    request->key = text_from(arena_string(request->arena, text_from(path)));
    queue_put(&sqlite->backups, request, request);
}

/* Disables SQLite's memory statistics; it must be called before SQLite is first used. One lock
 * protects the statistics, so two threads that read a store in parallel would wait for each other
 * at every page. */
static void library_prepare(void)
{
    /* this fails if SQLite is already in use; reads are then slower */
    (void)!sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/* Creates the store without its connections. */
static struct sqlite_store *store_new(const char *vfs, const char *folder,
                                      const unsigned char incarnation[16])
{
    struct arena *memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct sqlite_store *sqlite = arena_one(memory, struct sqlite_store);
    struct text named = arena_text(memory, (struct text){ (const char *)incarnation, 16 });

    library_prepare();
    sqlite->store.driver = &sqlite_driver;
    sqlite->memory = memory;
    sqlite->opening = (struct sqlite_opening){
        .path = arena_printf(memory, "%s/store.db", folder).data,
        .vfs = vfs,
        .incarnation = (const unsigned char *)named.data,
    };
    sqlite->lock_file = FD_NONE;
    sqlite->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assert(sqlite->wake >= 0);
    sqlite->requests = pool_new(sizeof(struct request), LIMIT_STORE_PENDING);
    sqlite->watch_pool = sqlite_watch_pool_new();
    queue_init(&sqlite->writes);
    queue_init(&sqlite->reads);
    queue_init(&sqlite->backups);
    queue_init(&sqlite->finished);
    pthread_mutex_init(&sqlite->connecting, NULL);
    pthread_mutex_init(&sqlite->copying, NULL);
    return sqlite;
}

uint64_t sqlite_folder_bytes(const char *folder)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct stat facts;

    return stat(arena_printf(arena, "%s/store.db", folder).data, &facts) == 0
               ? (uint64_t)facts.st_size
               : 0;
}

/* Logs the damage in one line: its extent and the first error. */
static void sqlite_damage_report(struct sqlite_store *sqlite, const struct err *why)
{
    const struct store_damage *damage = &sqlite->damage;
    char keys[64];
    char events[64] = "";

    snprintf(keys, sizeof(keys), "%s%llu of %llu objects", damage->is_list_cut ? "at least " : "",
             (unsigned long long)damage->keys,
             (unsigned long long)(damage->keys + damage->objects));
    if (damage->events > 0) {
        snprintf(events, sizeof(events), " and %llu event%s", (unsigned long long)damage->events,
                 damage->events == 1 ? "" : "s");
    } else if (damage->is_events_cut) {
        snprintf(events, sizeof(events), " and some events");
    }
    err_set(&sqlite->problem, CODE_R0506,
            "the store is damaged and read-only: %s%s cannot be shown: %s", keys, events,
            why->text);
    err_hint(
        &sqlite->problem,
        "reeve doctor names what is lost; stop reeved, then: reeve restore FILE --data-dir DIR --replace");
}

/* Opens the connections. If the store is damaged, opens its undamaged data for reading. */
MUST_CHECK static bool connect_or_salvage(struct sqlite_store *sqlite, struct err *err)
{
    struct err why;

    if (sqlite_connect(sqlite, err)) {
        if (!sqlite->is_salvaging || sqlite->problem.code != CODE_R0506) {
            return true;
        }
        *err = sqlite->problem;
        sqlite_disconnect(sqlite);
    } else if (!sqlite->is_salvaging || (err->code != CODE_R0506 && err->code != CODE_R0508)) {
        return false;
    }
    why = *err;
    if (!sqlite_salvage(&sqlite->opening, sqlite->memory, &sqlite->damage, &sqlite->reader_db,
                        err)) {
        return false;
    }
    sqlite_damage_report(sqlite, &why);
    return true;
}

/* Makes the store read-only if its folder does not permit the creation of a file. */
static void read_only_learn(struct sqlite_store *sqlite, const char *folder)
{
    sqlite->opening.is_read_only = faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0 &&
                                   (errno == EROFS || errno == EACCES);
}

MUST_CHECK static bool store_open(struct sqlite_store *sqlite, const char *folder,
                                  const struct store_reading *reading, struct store **out,
                                  struct err *err)
{
    sqlite->opening.reading = reading;
    if (!sqlite_folder_lock(folder, &sqlite->lock_file, err) ||
        !sqlite_restore_finish(folder, err) || !connect_or_salvage(sqlite, err) ||
        !sqlite_db_figures(sqlite->reader_db, &sqlite->figures, err)) {
        sqlite_store_free(sqlite);
        return false;
    }
    /* the content must not be passed on again when the store is reopened */
    sqlite->opening.reading = NULL;
    sqlite->refusal = sqlite->problem;
    if (sqlite->writer_db != NULL) {
        snprintf(sqlite->audit_fault, sizeof(sqlite->audit_fault), "%s",
                 sqlite_db_audit_fault(sqlite->writer_db));
    }
    sqlite_threads_start(sqlite);
    *out = &sqlite->store;
    return true;
}

bool sqlite_open(const char *folder, const unsigned char incarnation[16], struct store **out,
                 struct err *err)
{
    return store_open(store_new(NULL, folder, incarnation), folder, NULL, out, err);
}

bool sqlite_open_brief(const char *folder, const unsigned char incarnation[16], struct store **out,
                       struct err *err)
{
    struct sqlite_store *sqlite = store_new(NULL, folder, incarnation);

    sqlite->opening.is_brief = true;
    if (!store_open(sqlite, folder, NULL, out, err)) {
        return false;
    }
    if (sqlite->problem.code == CODE_R0506) { /* no passes: a pass would act on incomplete data */
        *err = sqlite->problem;
        store_close(*out);
        return false;
    }
    return true;
}

bool sqlite_open_reading(const char *folder, const unsigned char incarnation[16],
                         const struct store_reading *reading, struct store **out, struct err *err)
{
    struct sqlite_store *sqlite = store_new(NULL, folder, incarnation);

    sqlite->is_salvaging = true;
    read_only_learn(sqlite, folder);
    return store_open(sqlite, folder, reading, out, err);
}

bool sqlite_open_on(const char *vfs, const char *folder, const unsigned char incarnation[16],
                    struct store **out, struct err *err)
{
    return store_open(store_new(vfs, folder, incarnation), folder, NULL, out, err);
}
