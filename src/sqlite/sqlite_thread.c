#include "base/limits.h"
#include "sqlite/sqlite_backup.h"
#include "sqlite/sqlite_store.h"

#include <assert.h>
#include <time.h>

/* One thread writes, in groups; one reads; one makes backups.
 *
 * After a failed write or sync, the content of the disk is unknown: the kernel marks unwritten
 * pages as clean, and the next sync succeeds. So before any request is answered, both connections
 * are closed as by a crash. They are then opened like any other store: the files are checked, and
 * the WAL is rewritten and synced. If that fails, requests are rejected, and the thread tries
 * again. */

enum { GROUP_MAX = 256, RETRY_MS = 1000, AUDIT_NOTE_MS = 1000 };

static uint64_t sqlite_thread_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- connections ---- */

bool sqlite_connect(struct sqlite_store *sqlite, struct err *err)
{
    assert(sqlite->writer_db == NULL && sqlite->reader_db == NULL);
    sqlite->problem = (struct err){ 0 };
    sqlite->tried_ms = sqlite_thread_now_ms();
    if (sqlite->opening.is_read_only) {
        err_set(err, CODE_R0505,
                "the store is read-only, because its folder cannot be written: "
                "'%s'",
                sqlite->opening.path);
        err_hint(err, "make the folder writable, then restart reeved");
        if (sqlite_db_open_still(&sqlite->opening, &sqlite->reader_db, err)) {
            sqlite->problem = *err;
            return true;
        }
    } else if (sqlite_db_open(&sqlite->opening, &sqlite->writer_db, err)) {
        if (sqlite_db_open_reader(&sqlite->opening, &sqlite->reader_db, err)) {
            sqlite_db_audit_look(sqlite->writer_db, sqlite->opening.path);
            return true;
        }
    } else if (sqlite_db_open_still(&sqlite->opening, &sqlite->reader_db, err)) {
        sqlite->problem = *err;
        return true;
    }
    sqlite_disconnect(sqlite);
    sqlite->problem = *err;
    return false;
}

void sqlite_disconnect(struct sqlite_store *sqlite)
{
    sqlite_db_close(sqlite->reader_db);
    sqlite_db_close(sqlite->writer_db); /* the last connection to be closed moves the WAL into the
                                         * database */
    sqlite->reader_db = NULL;
    sqlite->writer_db = NULL;
}

/* Called by the writer: reopens the connections after a disk failure, and retries failed
 * attempts. */
static void connections_reopen(struct sqlite_store *sqlite)
{
    struct err err;
    bool is_due = sqlite->writer_db != NULL
                      ? sqlite_db_is_tainted(sqlite->writer_db)
                      : sqlite->problem.code != CODE_R0506 && !sqlite->opening.is_read_only &&
                            sqlite_thread_now_ms() >= sqlite->tried_ms + RETRY_MS;

    if (is_due) {
        atomic_store(&sqlite->copy_is_to_stop, true);
        pthread_mutex_lock(&sqlite->copying);
        pthread_mutex_lock(&sqlite->connecting);
        sqlite_disconnect(sqlite);
        (void)!sqlite_connect(sqlite, &err); /* if it fails, requests are answered with `problem` */
        pthread_mutex_unlock(&sqlite->connecting);
        atomic_store(&sqlite->copy_is_to_stop, false);
        pthread_mutex_unlock(&sqlite->copying);
    }
}

/* ---- the writer ---- */

/* Writes the head of the event chain to its file, at most every `every_ms`. */
static void audit_note(struct sqlite_store *sqlite, uint64_t every_ms)
{
    if (sqlite->writer_db != NULL && sqlite_thread_now_ms() - sqlite->audit_noted_ms >= every_ms) {
        sqlite->audit_noted_ms = sqlite_thread_now_ms();
        sqlite_db_audit_note(sqlite->writer_db, sqlite->opening.path, &sqlite->audit_written);
    }
}

/* Writes the transactions at the front of a chain, at most GROUP_MAX, in one commit. Returns the
 * rest of the chain. */
static struct request *sqlite_thread_group_write(struct sqlite_store *sqlite, struct request *first)
{
    struct sqlite_write writes[GROUP_MAX];
    struct request *last = first;
    struct request *rest = first;
    size_t count = 0;

    for (; rest != NULL && rest->kind == REQUEST_TXN && count < GROUP_MAX; rest = rest->next) {
        last = rest;
        writes[count++] =
            (struct sqlite_write){ &rest->txn, &rest->result, &rest->answer, &rest->changes };
    }
    assert(count > 0);
    sqlite_db_write(sqlite->writer_db, writes, count);
    last->next = NULL;
    sqlite_room_learn(sqlite, first);
    connections_reopen(sqlite);
    sqlite_requests_finish(sqlite, first);
    if (sqlite->writer_db != NULL) {
        sqlite_db_checkpoint(sqlite->writer_db);
        audit_note(sqlite, AUDIT_NOTE_MS);
    }
    return rest;
}

/* Background tasks of the writer. One slice of each runs between two groups. */
struct chores {
    bool has_sweep;
    struct request *drops; /* pending drops in order, answered when they are complete */
};

static void drop_add(struct chores *chores, struct request *request)
{
    struct request **link = &chores->drops;

    while (*link != NULL) {
        link = &(*link)->next;
    }
    *link = request;
    request->next = NULL;
}

static void drop_end(struct sqlite_store *sqlite, struct chores *chores)
{
    struct request *request = chores->drops;

    chores->drops = request->next;
    request->next = NULL;
    sqlite_requests_finish(sqlite, request);
}

/* Runs one slice of each task. */
static void chores_do(struct sqlite_store *sqlite, struct chores *chores)
{
    struct request *drop = chores->drops;

    if (chores->has_sweep && sqlite->writer_db != NULL) {
        chores->has_sweep = sqlite_db_sweep(sqlite->writer_db);
        connections_reopen(sqlite);
    }
    if (drop != NULL && sqlite->writer_db == NULL) {
        drop->result = (struct sqlite_result){ OUTCOME_REFUSED, sqlite->problem };
        drop_end(sqlite, chores);
    } else if (drop != NULL) {
        bool has_more = sqlite_db_events_drop(sqlite->writer_db, &drop->drop, &drop->result);

        connections_reopen(sqlite);
        if (!has_more) {
            drop_end(sqlite, chores);
        }
    }
    if (sqlite->writer_db != NULL) {
        sqlite_db_checkpoint(sqlite->writer_db);
    }
}

/* Rejects pending drops when the store closes. A later drop continues their work. */
static void drops_give_up(struct sqlite_store *sqlite, struct chores *chores)
{
    while (chores->drops != NULL) {
        struct sqlite_result *result = &chores->drops->result;

        result->outcome = OUTCOME_REFUSED;
        err_set(&result->err, CODE_R0525, "the store was closed while old events were dropped");
        drop_end(sqlite, chores);
    }
}

/* Processes one or more requests from the front of a chain. Returns the rest of the chain. */
static struct request *write_next(struct sqlite_store *sqlite, struct chores *chores,
                                  struct request *request)
{
    struct request *rest = request->next;

    connections_reopen(sqlite);
    if (sqlite->writer_db == NULL) {
        request->result = (struct sqlite_result){ OUTCOME_REFUSED, sqlite->problem };
    } else if (request->kind == REQUEST_TXN) {
        return sqlite_thread_group_write(sqlite, request);
    } else if (request->kind == REQUEST_EVENTS_DROP) {
        drop_add(chores, request);
        return rest;
    } else {
        assert(request->kind == REQUEST_COMPACT);
        sqlite_db_compact(sqlite->writer_db, request->number, &request->result);
        request->answer.revision = request->number;
        chores->has_sweep = true;
        connections_reopen(sqlite);
    }
    request->next = NULL;
    sqlite_requests_finish(sqlite, request);
    return rest;
}

static void *writer_run(void *arg)
{
    struct sqlite_store *sqlite = arg;
    /* true, because an earlier process may have left rows to sweep */
    struct chores chores = { .has_sweep = true };

    while (true) {
        bool is_busy = chores.drops != NULL || (chores.has_sweep && sqlite->writer_db != NULL);
        int wait_ms = is_busy ? QUEUE_NOT : sqlite->reader_db == NULL ? RETRY_MS : QUEUE_EVER;
        struct request *requests = queue_take(&sqlite->writes, wait_ms);

        if (requests == NULL && queue_is_ending(&sqlite->writes)) {
            drops_give_up(sqlite, &chores);
            audit_note(sqlite, 0);
            return NULL;
        }
        while (requests != NULL) {
            requests = write_next(sqlite, &chores, requests);
        }
        chores_do(sqlite, &chores);
        connections_reopen(sqlite);
    }
}

/* ---- the reader ---- */

static void read_one(struct sqlite_db *db, struct request *request)
{
    switch (request->kind) {
    case REQUEST_LIST:
        sqlite_db_list(db, request->arena, &request->range, &request->result, &request->answer);
        break;
    case REQUEST_EVENTS:
        sqlite_db_events(db, request->arena, request->key, request->number, (size_t)request->limit,
                         &request->result, &request->answer);
        break;
    case REQUEST_EVENTS_BEFORE:
        sqlite_db_events_before(db, request->arena, request->key, request->number,
                                (size_t)request->limit, &request->result, &request->answer);
        break;
    case REQUEST_AUDIT:
        sqlite_db_audit(db, request->arena, request->key, request->number != 0, &request->result,
                        &request->answer);
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
    case REQUEST_BACKUP:
        assert(false && "another thread's");
    }
}

static void *sqlite_thread_reader_run(void *arg)
{
    struct sqlite_store *sqlite = arg;

    while (true) {
        struct request *request = queue_take(&sqlite->reads, QUEUE_EVER);

        if (request == NULL) {
            return NULL;
        }
        while (request != NULL) {
            struct request *next = request->next;

            request->next = NULL;
            pthread_mutex_lock(&sqlite->connecting);
            if (sqlite->reader_db == NULL) {
                request->result = (struct sqlite_result){ OUTCOME_REFUSED, sqlite->problem };
            } else {
                read_one(sqlite->reader_db, request);
            }
            pthread_mutex_unlock(&sqlite->connecting);
            sqlite_requests_finish(sqlite, request);
            request = next;
        }
    }
}

/* ---- backups ---- */

static void *backups_run(void *arg)
{
    struct sqlite_store *sqlite = arg;

    while (true) {
        struct request *request = queue_take(&sqlite->backups, QUEUE_EVER);

        if (request == NULL) {
            return NULL;
        }
        while (request != NULL) {
            struct request *next = request->next;

            request->next = NULL;
            sqlite_backup_run(sqlite, request);
            sqlite_requests_finish(sqlite, request);
            request = next;
        }
    }
}

void sqlite_threads_start(struct sqlite_store *sqlite)
{
    int failed = pthread_create(&sqlite->writer, NULL, writer_run, sqlite) |
                 pthread_create(&sqlite->reader, NULL, sqlite_thread_reader_run, sqlite) |
                 pthread_create(&sqlite->backups_thread, NULL, backups_run, sqlite);

    assert(failed == 0 && "no thread can be made");
    (void)failed;
}

void sqlite_threads_stop(struct sqlite_store *sqlite)
{
    queue_end(&sqlite->backups);
    pthread_join(sqlite->backups_thread, NULL);
    queue_end(&sqlite->writes);
    pthread_join(sqlite->writer, NULL);
    queue_end(&sqlite->reads);
    pthread_join(sqlite->reader, NULL);
}
