#include "base/limits.h"
#include "sqlite/sqlite_statement.h"

#include <assert.h>
#include <string.h>

/* Drops events. In each cluster the events with the lowest numbers are dropped, up to the first
 * event to keep. So the numbers have no gap, and a gap always means damage. The last event of a
 * cluster is always kept.
 *
 * There are three passes, each in slices. The first pass counts the events; numbers have no gap, so
 * two lookups per cluster are enough. If there are too many, the second pass finds the id up to
 * which they are dropped. The third pass drops events, cluster by cluster. The cost depends on the
 * number of clusters and of dropped events, but not on the number of kept events. */

/* COUNT_ROWS: lookups per cluster in the first pass. STEP_ROWS: rows of the smallest step in the
 * third pass: the lookup of the cluster, and three events, two of which are dropped. */
enum { COUNT_ROWS = 3, STEP_ROWS = 6 };

static size_t rows_left(const struct sqlite_db *db)
{
    assert(db->sweep_rows <= SQLITE_SWEEP_ROWS_MAX);
    return SQLITE_SWEEP_ROWS_MAX - db->sweep_rows;
}

/* Finds the cluster after the current one, with its first and last number. */
static enum found cluster_next(struct sqlite_db *db, const struct sqlite_drop *drop,
                               struct text *out_cluster, uint64_t *out_events)
{
    sqlite3_stmt *handle = statement_start(db, SQL_EVENT_CLUSTER);
    int code;

    statement_bind_text(handle, 1, (struct text){ drop->cluster, drop->cluster_bytes });
    code = sqlite3_step(handle);
    if (code != SQLITE_ROW) {
        return code == SQLITE_DONE ? MISSING : FAILED;
    }
    *out_cluster = column_text(handle, 0);
    *out_events = column_number(handle, 2) - column_number(handle, 1) + 1;
    return out_cluster->length <= LIMIT_STORE_KEY_BYTES ? FOUND : DAMAGED;
}

/* Records that a cluster is complete. `cluster` is copied, because a reset of the statement
 * invalidates it. */
static void cluster_pass(struct sqlite_drop *drop, struct text cluster)
{
    assert(cluster.length > 0 && cluster.length <= sizeof(drop->cluster));
    memcpy(drop->cluster, cluster.data, cluster.length);
    drop->cluster_bytes = cluster.length;
}

static void pass_begin(struct sqlite_drop *drop, enum sqlite_drop_pass pass)
{
    drop->pass = pass;
    drop->cluster_bytes = 0;
}

static enum found count_slice(struct sqlite_db *db, struct sqlite_drop *drop)
{
    enum found found = FOUND;

    while (found == FOUND && rows_left(db) >= COUNT_ROWS) {
        struct text cluster;
        uint64_t events;

        found = cluster_next(db, drop, &cluster, &events);
        db->sweep_rows += COUNT_ROWS;
        if (found == FOUND) {
            drop->rows += events;
            cluster_pass(drop, cluster);
        }
    }
    if (found == MISSING) {
        bool is_more = drop->rows > drop->rows_max;

        drop->rows = is_more ? drop->rows - drop->rows_max : 0;
        pass_begin(drop, is_more ? SQLITE_DROP_WALK : SQLITE_DROP_CLUSTERS);
    }
    return found;
}

static enum found walk_slice(struct sqlite_db *db, struct sqlite_drop *drop)
{
    sqlite3_stmt *handle = statement_start(db, SQL_EVENT_AHEAD);
    uint64_t rows = drop->rows < rows_left(db) ? drop->rows : rows_left(db);
    int code;

    assert(rows > 0);
    statement_bind_number(handle, 1, drop->id);
    statement_bind_number(handle, 2, rows - 1);
    code = sqlite3_step(handle);
    if (code == SQLITE_ROW) {
        drop->id = column_number(handle, 0);
        drop->rows -= rows;
        db->sweep_rows += rows;
    }
    sqlite3_reset(handle);
    if (drop->rows == 0) {
        pass_begin(drop, SQLITE_DROP_CLUSTERS);
    }
    return code == SQLITE_ROW ? FOUND : code == SQLITE_DONE ? DAMAGED : FAILED;
}

/* Finds the first events to drop in a cluster, at most ids_max (more than one): *out_count ids, and
 * whether each event is in the chain (sqlite_audit.h). *out_is_all: the cluster has no further
 * events to drop. */
static enum found sqlite_drop_cluster_look(struct sqlite_db *db, const struct sqlite_drop *drop,
                                           struct text cluster, uint64_t *ids, bool *is_chained,
                                           size_t ids_max, size_t *out_count, bool *out_is_all)
{
    sqlite3_stmt *handle = statement_start(db, SQL_EVENTS_OF);
    size_t count = 0;
    bool stays = false;
    bool is_good = true;
    int code = SQLITE_ROW;

    assert(ids_max > 1 && ids_max <= SQLITE_SWEEP_ROWS_MAX / 2);
    statement_bind_text(handle, 1, cluster);
    statement_bind_number(handle, 2, 0);
    statement_bind_number(handle, 3, ids_max + 1);
    while (is_good && !stays && count < ids_max && (code = sqlite3_step(handle)) == SQLITE_ROW) {
        struct store_event event;
        uint64_t id = column_number(handle, 0);

        db->sweep_rows++;
        is_good = event_read(handle, &event);
        stays = event.time_ms >= drop->before_ms && id > drop->id;
        if (!stays) {
            is_chained[count] = sqlite3_column_type(handle, 5) == SQLITE_BLOB;
            ids[count++] = id;
        }
    }
    sqlite3_reset(handle);
    if (!is_good) {
        return DAMAGED;
    }
    /* the last event that was found may be the cluster's last one, which is kept */
    *out_count = stays || count == 0 ? count : count - 1;
    *out_is_all = stays || count < ids_max;
    return code == SQLITE_ROW || code == SQLITE_DONE ? FOUND : FAILED;
}

/* Drops events of one cluster as far as the slice permits. */
static enum found cluster_drop(struct sqlite_db *db, struct sqlite_drop *drop, size_t *dropped)
{
    uint64_t ids[SQLITE_SWEEP_ROWS_MAX / 2];
    bool is_chained[SQLITE_SWEEP_ROWS_MAX / 2];
    struct text cluster;
    uint64_t events;
    size_t count = 0;
    bool is_all = false;
    enum found found = cluster_next(db, drop, &cluster, &events);

    db->sweep_rows++;
    if (found == FOUND) {
        found = sqlite_drop_cluster_look(db, drop, cluster, ids, is_chained,
                                         (rows_left(db) - 1) / 2, &count, &is_all);
    }
    if (found != FOUND) {
        return found;
    }
    if (is_all) {
        cluster_pass(drop, cluster);
    }
    sqlite3_reset(db->statements[SQL_EVENT_CLUSTER]);
    for (size_t i = 0; i < count; i++) {
        statement_bind_number(statement_start(db, SQL_EVENT_DROP), 1, ids[i]);
        if (!statement_run(db, SQL_EVENT_DROP)) {
            return FAILED;
        }
        db->audit.dropped += is_chained[i];
    }
    db->sweep_rows += count;
    *dropped += count;
    return FOUND;
}

static enum found clusters_slice(struct sqlite_db *db, struct sqlite_drop *drop)
{
    bool is_begun = statement_do(db, SQL_BEGIN_WRITE) && sqlite_db_audit_begin(db);
    enum found found = is_begun ? FOUND : FAILED;
    size_t dropped = 0;
    uint64_t newest;

    while (found == FOUND && rows_left(db) >= STEP_ROWS) {
        found = cluster_drop(db, drop, &dropped);
    }
    sqlite3_reset(db->statements[SQL_EVENT_CLUSTER]);
    if (found == FAILED || found == DAMAGED) {
        return found;
    }
    if (dropped > 0 && !(meta_newest(db, &newest) && meta_put(db, META_REVISION, newest) &&
                         sqlite_db_audit_end(db))) {
        return FAILED;
    }
    return statement_do(db, SQL_COMMIT) ? found : FAILED;
}

bool sqlite_db_events_drop(struct sqlite_db *db, struct sqlite_drop *drop,
                           struct sqlite_result *result)
{
    enum found found;
    bool is_last = drop->pass == SQLITE_DROP_CLUSTERS;

    db->sweep_rows = 0;
    result->outcome = OUTCOME_OK;
    if (drop->pass == SQLITE_DROP_COUNT) {
        found = count_slice(db, drop);
    } else {
        found = is_last ? clusters_slice(db, drop) : walk_slice(db, drop);
    }
    if (found == FAILED || found == DAMAGED) {
        result_fail(db, result);
    }
    sqlite3_reset(db->statements[SQL_EVENT_CLUSTER]);
    transaction_rollback(db);
    return found == FOUND || (found == MISSING && !is_last);
}
