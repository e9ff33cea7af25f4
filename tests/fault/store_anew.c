/* Shows why the store reopens its database after a failed sync (docs/decisions/0012): the sequence
 * of calls in which continuing would lose acknowledged data, on a disk in memory.
 *
 *   1. commits; a reader takes its snapshot; more commits
 *   2. a checkpoint copies only what the reader has seen, and does not sync the database
 *   3. the reader ends; the next checkpoint copies the rest, and its sync fails: the pages of both
 *      copies are neither on the disk nor scheduled to be written
 *   4. the next checkpoint copies the rest once more, and its sync succeeds: all pages seem to be
 *      on the disk
 *   5. the next commit restarts the WAL and overwrites the only copy of the pages from step 2
 *   6. the power is cut */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "disk.h"
#include "sqlite/sqlite_db.h"
#include "sqlite/sqlite_wal.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAGE_BYTES = 4096,
    BEFORE_READER = 8, /* number of writes of LIMIT_STORE_VALUE_BYTES each */
    AFTER_READER = 12,
    /* number of the checkpoint's last calls, which include its sync of the database */
    LAST_CALLS = 12,
};

static const char path[] = "/disk/store.db";
static const unsigned char incarnation[17] = "looks anew......";

struct world {
    struct disk *disk;
    struct sqlite_db *db;
    unsigned writes;
    uint64_t acknowledged; /* newest acknowledged revision */
    char *value;
};

MUST_CHECK static bool db_open(struct world *world, struct err *err)
{
    return sqlite_db_open(&(struct sqlite_opening){ path, "anew", incarnation }, &world->db, err);
}

static void write_one(struct world *world, size_t bytes)
{
    char key[32];
    struct store_op op = { .key = TEXT(""), .value = { world->value, bytes } };
    struct store_txn txn = { .ops = &op, .op_count = 1 };
    struct store_answer answer = { 0 };
    struct sqlite_result result = { 0 };
    struct sqlite_write write = { &txn, &result, &answer };

    snprintf(key, sizeof(key), "/t/k/o%u/status", world->writes++);
    op.key = text_from(key);
    sqlite_db_write(world->db, &write, 1);
    assert_int_equal(result.outcome, OUTCOME_OK);
    world->acknowledged = answer.revision;
}

static void writes_make(struct world *world, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        write_one(world, LIMIT_STORE_VALUE_BYTES);
    }
}

/* Opens a snapshot of the present store. It is held until it is closed. */
static sqlite3 *snapshot_take(void)
{
    sqlite3 *reader = NULL;

    assert_int_equal(sqlite3_open_v2(path, &reader, SQLITE_OPEN_READWRITE, "anew"), SQLITE_OK);
    assert_int_equal(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM log", NULL, NULL, NULL),
                     SQLITE_OK);
    return reader;
}

/* Makes steps 1 and 2. */
static struct world *world_new(void)
{
    struct world *world = calloc(1, sizeof(*world));
    sqlite3 *reader;
    struct err err;

    assert_non_null(world);
    world->value = malloc(LIMIT_STORE_VALUE_BYTES);
    assert_non_null(world->value);
    memset(world->value, 'v', LIMIT_STORE_VALUE_BYTES);
    world->disk = disk_new("anew");
    assert_true(db_open(world, &err));
    writes_make(world, BEFORE_READER);
    reader = snapshot_take();
    writes_make(world, AFTER_READER);
    assert_true(world->writes * (LIMIT_STORE_VALUE_BYTES / PAGE_BYTES) >
                SQLITE_WAL_CHECKPOINT_FRAMES);
    sqlite_db_checkpoint(world->db);
    assert_int_equal(sqlite3_close(reader), SQLITE_OK);
    return world;
}

static void world_free(struct world *world)
{
    sqlite_db_close(world->db);
    disk_free(world->disk);
    free(world->value);
    free(world);
}

/* Returns the number of calls that the checkpoint of step 3 makes. */
static uint64_t calls_count(void)
{
    struct world *world = world_new();
    uint64_t calls;

    disk_plan_set(world->disk, &(struct disk_plan){ 0 });
    sqlite_db_checkpoint(world->db);
    calls = disk_calls(world->disk);
    world_free(world);
    return calls;
}

struct outcome_seen {
    bool was_tainted;
    bool is_lost;
};

/* Makes all six steps, where this call of step 3 fails. */
static struct outcome_seen life_lead(uint64_t fail_at, bool looks_anew)
{
    struct world *world = world_new();
    struct outcome_seen seen = { 0 };
    struct sqlite_figures figures = { 0 };
    struct err err;

    disk_plan_set(world->disk, &(struct disk_plan){ .fail_at = fail_at });
    sqlite_db_checkpoint(world->db);
    disk_plan_set(world->disk, &(struct disk_plan){ 0 });
    seen.was_tainted = sqlite_db_is_tainted(world->db);
    if (seen.was_tainted && looks_anew) {
        sqlite_db_close(world->db);
        world->db = NULL;
        assert_true(db_open(world, &err));
    }
    write_one(world, 1);
    sqlite_db_checkpoint(world->db);
    write_one(world, 1);
    disk_plan_set(world->disk, &(struct disk_plan){ .cut_at = 1 });
    sqlite_db_close(world->db);
    world->db = NULL;
    disk_power_cycle(world->disk, fail_at);
    disk_plan_set(world->disk, &(struct disk_plan){ 0 });
    seen.is_lost = !db_open(world, &err) || !sqlite_db_figures(world->db, &figures, &err) ||
                   figures.revision < world->acknowledged;
    world_free(world);
    return seen;
}

/* Repeats the sequence with each of the checkpoint's last calls failing. */
static struct outcome_seen lives_lead(bool looks_anew)
{
    struct outcome_seen any = { 0 };
    uint64_t calls = calls_count();

    assert_true(calls > LAST_CALLS);
    for (uint64_t n = calls - LAST_CALLS; n <= calls; n++) {
        struct outcome_seen seen = life_lead(n, looks_anew);

        any.was_tainted = any.was_tainted || seen.was_tainted;
        any.is_lost = any.is_lost || seen.is_lost;
    }
    return any;
}

static void test_looking_anew_after_a_failed_sync_loses_nothing(void **state)
{
    struct outcome_seen any = lives_lead(true);

    (void)state;
    assert_true(any.was_tainted);
    assert_false(any.is_lost);
}

static void test_going_on_after_a_failed_sync_is_seen_to_lose(void **state)
{
    struct outcome_seen any = lives_lead(false);

    (void)state;
    assert_true(any.was_tainted);
    assert_true(any.is_lost);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_looking_anew_after_a_failed_sync_loses_nothing),
        cmocka_unit_test(test_going_on_after_a_failed_sync_is_seen_to_lose),
    };

    return cmocka_run_group_tests_name("store anew", tests, NULL, NULL);
}
