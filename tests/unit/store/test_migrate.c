/* Stored data of the former format under the present names: keys, fields, values and events. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/macros.h"
#include "sqlite/sqlite.h"
#include "sqlite/sqlite_db.h"
#include "sqlite/sqlite_migrate.h"
#include "state/migrate.h"

#include <poll.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WAIT_MS = 10000, FILE_BYTES_MAX = 1 << 20 };

static const unsigned char incarnation[17] = "former format...";

static const struct item {
    const char *key;
    const char *value;
    const char *new_key; /* the present key; NULL: unchanged */
    const char *new_value;
} items[] = {
    /* names of fields, sorted by bytes */
    { "/t/Resource/c/k/status",
      "{\"active\":1,\"group\":\"web\",\"labels\":\"{\\\"sick\\\":\\\"x\\\"}\",\"life\":\"ab\","
      "\"reason\":\"sick\",\"sick\":12,\"slot\":3,\"state\":\"active\"}",
      NULL,
      "{\"active\":1,\"group\":\"web\",\"incarnation\":\"ab\",\"labels\":\"{\\\"sick\\\":\\\"x\\\"}\","
      "\"reason\":\"unhealthy\",\"slot\":3,\"state\":\"active\",\"unhealthy\":12}" },
    { "/t/Resource/c/k/status", "{\"sick\":12,\"unhealthy\":13}", NULL, "{\"unhealthy\":13}" },
    { "/t/Resource/c/k/status", "{\"life\":\"ab\",\"reason\":\"rolled\",\"slot\":0}", NULL,
      "{\"incarnation\":\"ab\",\"reason\":\"rolled\",\"slot\":0}" },
    { "/t/Control/c/web/status",
      "{\"life\":\"ab\",\"lifeSince\":24,\"missed\":{},\"said\":{\"t\":[1,2,3]}}", NULL,
      "{\"incarnation\":\"ab\",\"incarnationSince\":24,\"lookups\":{\"t\":[1,2,3]},\"missed\":{}}" },
    { "/t/Job/c/00000000000000000007/status",
      "{\"progress\":{\"cut\":\"none\",\"marks\":\"w\",\"wish\":\"r-1\"},\"state\":\"waiting\","
      "\"troubles\":[{\"name\":\"web-1\",\"text\":\"wish\"}],\"waits\":[\"web/a:terminated\",\"paused\","
      "\"new_life\"]}",
      NULL,
      "{\"problems\":[{\"name\":\"web-1\",\"text\":\"wish\"}],\"progress\":{\"cut\":\"none\","
      "\"marks\":\"w\",\"request\":\"r-1\"},\"state\":\"waiting\",\"waits\":[\"web/a:backoff_exhausted\","
      "\"paused\",\"new_incarnation\"]}" },
    { "/t/Authority/c/base",
      "{\"at\":1,\"hosts\":[],\"phase\":0,\"sealed\":\"s\",\"users\":[],\"wish\":\"9\"}", NULL,
      "{\"at\":1,\"hosts\":[],\"phase\":0,\"request\":\"9\",\"sealed\":\"s\",\"users\":[]}" },
    /* keys: the name of a hold contains a rule */
    { "/t/Hold/c/terminated/web/a/status", "{\"fact\":\"f\",\"rule\":\"terminated\"}",
      "/t/Hold/c/backoff_exhausted/web/a/status",
      "{\"fact\":\"f\",\"rule\":\"backoff_exhausted\"}" },
    { "/t/Hold/c/new_life/spec", "{\"approved\":{}}", "/t/Hold/c/new_incarnation/spec",
      "{\"approved\":{}}" },
    { "/t/Hold/c/terminated/status", "", "/t/Hold/c/backoff_exhausted/status", "" },
};

/* Data that has these names by chance, and invalid data, is not changed. */
static const char *const kept[][2] = {
    { "/t/Cluster/c/spec",
      "{\"life\":\"x\",\"said\":\"y\",\"sick\":1,\"troubles\":[],\"wish\":\"z\"}" },
    { "/t/Hold/c/paused/web/status", "{\"rule\":\"paused\"}" },
    { "/t/Hold/c/refused/terminated/status", "{\"rule\":\"refused\"}" },
    { "/t/Hold/terminated", "x" },
    { "/t/Resource/c/k/status", "{\"life\":" },
    { "/t/Resource/c/k/status", "[1]" },
    { "/t/Resource/c/k/status",
      "{\"incarnation\":\"a\",\"reason\":\"unhealthy\",\"unhealthy\":1}" },
    { "/t/Resource/c/k/status", "" },
    { "/t/Job/c/7/status", "{\"progress\":7,\"waits\":{}}" },
    { "/t/Job/c/7/status", "{\"waits\":[[],\"web:\",\":\",\"\"]}" },
    { "nothing", "{}" },
    { "", "" },
};

static void test_items_have_the_present_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(items); i++) {
        AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
        const char *new_key = items[i].new_key == NULL ? items[i].key : items[i].new_key;
        struct text key;
        struct text value;

        assert_true(
            migrate_item(arena, text_from(items[i].key), text_from(items[i].value), &key, &value));
        assert_string_equal(arena_string(arena, key), new_key);
        assert_string_equal(arena_string(arena, value), items[i].new_value);
        assert_false(migrate_item(arena, key, value, &key, &value));
        assert_string_equal(arena_string(arena, value), items[i].new_value);
    }
}

static void test_other_items_stay(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(kept); i++) {
        AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
        struct text key;
        struct text value;

        assert_false(
            migrate_item(arena, text_from(kept[i][0]), text_from(kept[i][1]), &key, &value));
        assert_string_equal(arena_string(arena, key), kept[i][0]);
        assert_string_equal(arena_string(arena, value), kept[i][1]);
    }
}

static void test_events_have_the_present_names(void **state)
{
    static const char *const events[][2] = {
        { "{\"fact\":\"machine.made\",\"rule\":\"sick\",\"type\":\"machine.ended\"}",
          "{\"fact\":\"machine.made\",\"rule\":\"unhealthy\",\"type\":\"machine.destroyed\"}" },
        { "{\"type\":\"machine.calm\"}", "{\"type\":\"machine.alarm_cleared\"}" },
        { "{\"rule\":\"terminated\",\"type\":\"hold.began\"}",
          "{\"rule\":\"backoff_exhausted\",\"type\":\"hold.began\"}" },
        { "{\"type\":\"machine.ready\"}", "{\"type\":\"machine.ready\"}" },
        { "{\"sums\":{\"type\":\"machine.made\"},\"type\":7}",
          "{\"sums\":{\"type\":\"machine.made\"},\"type\":7}" },
        { "{\"type\":\"machine.made", "{\"type\":\"machine.made" },
        { "e", "e" },
        { "", "" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(events); i++) {
        AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
        struct text body = migrate_event(arena, text_from(events[i][0]));

        assert_string_equal(arena_string(arena, body), events[i][1]);
        assert_string_equal(arena_string(arena, migrate_event(arena, body)), events[i][1]);
    }
}

/* ---- stores that are not written to ---- */

struct folder {
    char path[64];
    char database[80];
    bool has_come;
};

static void txn_done(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct folder *folder = arg;

    (void)answer;
    assert_int_equal(outcome, OUTCOME_OK);
    folder->has_come = true;
}

static void run(const struct folder *folder, const char *sql)
{
    sqlite3 *handle;

    assert_int_equal(sqlite3_open(folder->database, &handle), SQLITE_OK);
    assert_int_equal(sqlite3_exec(handle, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(handle), SQLITE_OK);
}

/* Makes a closed store of the former format. */
static int setup(void **state)
{
    static const char *const writes[][2] = {
        { "/t/Resource/c/a/status", "{\"life\":\"x\",\"reason\":\"sick\",\"slot\":1}" },
        { "/t/Hold/c/terminated/web/status", "{\"rule\":\"terminated\"}" },
        { "/t/Zone/c/spec", "{}" },
    };
    struct folder *folder = calloc(1, sizeof(*folder));
    struct store *store;
    struct err err;

    assert_non_null(folder);
    snprintf(folder->path, sizeof(folder->path), "/tmp/test-migrate-XXXXXX");
    assert_non_null(mkdtemp(folder->path));
    snprintf(folder->database, sizeof(folder->database), "%s/store.db", folder->path);
    assert_true(sqlite_open(folder->path, incarnation, &store, &err));
    for (size_t i = 0; i < ARRAY_COUNT(writes); i++) {
        struct store_op op = { .key = text_from(writes[i][0]), .value = text_from(writes[i][1]) };
        struct store_event event = { .cluster = TEXT("t/c"),
                                     .body = TEXT("{\"rule\":\"sick\",\"type\":\"machine.ended\"}"),
                                     .time_ms = 5 };

        folder->has_come = false;
        store_txn(store, &(struct store_txn){ NULL, 0, &op, 1, &event, 1 }, txn_done, folder);
        while (!folder->has_come) {
            struct pollfd wait = { .fd = store_descriptor(store), .events = POLLIN };

            assert_int_equal(poll(&wait, 1, WAIT_MS), 1);
            store_run(store);
        }
    }
    store_close(store);
    run(folder, "PRAGMA user_version=1");
    *state = folder;
    return 0;
}

static int teardown(void **state)
{
    static const char *const names[] = { "store.lock",   "store.db",      "store.db-wal",
                                         "store.db-shm", "store.db-note", "store.db-audit" };
    struct folder *folder = *state;
    char path[96];

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder->path, names[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(folder->path), 0);
    free(folder);
    return 0;
}

static size_t file_read(const struct folder *folder, unsigned char *out)
{
    FILE *file = fopen(folder->database, "rb");
    size_t bytes;

    assert_non_null(file);
    bytes = fread(out, 1, FILE_BYTES_MAX, file);
    fclose(file);
    return bytes;
}

/* Reads the data of a connection: the hold by its present key, and an event. */
static void shown_check(struct sqlite_db *db, size_t count)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct store_range range = { .prefix = TEXT("/") };
    struct store_answer answer = { 0 };
    struct sqlite_result result;

    sqlite_db_list(db, arena, &range, &result, &answer);
    assert_int_equal(result.outcome, OUTCOME_OK);
    assert_int_equal(answer.count, count);
    assert_string_equal(arena_string(arena, answer.items[0].key),
                        "/t/Hold/c/backoff_exhausted/web/status");
    assert_string_equal(arena_string(arena, answer.items[0].value),
                        "{\"rule\":\"backoff_exhausted\"}");
    answer = (struct store_answer){ 0 };
    sqlite_db_events(db, arena, TEXT("t/c"), 0, 0, &result, &answer);
    assert_int_equal(result.outcome, OUTCOME_OK);
    assert_int_equal(answer.count, 3);
    assert_string_equal(arena_string(arena, answer.events[0].body),
                        "{\"rule\":\"unhealthy\",\"type\":\"machine.destroyed\"}");
}

/* A read-only store is served under the present names, and nothing is written. */
static void test_a_read_only_store_is_served(void **state)
{
    static unsigned char before[FILE_BYTES_MAX];
    static unsigned char after[FILE_BYTES_MAX];
    const struct folder *folder = *state;
    struct sqlite_opening opening = { .path = folder->database,
                                      .incarnation = incarnation,
                                      .is_read_only = true };
    size_t bytes = file_read(folder, before);
    struct err err = { .code = CODE_R0505 };
    struct sqlite_db *db;

    assert_true(sqlite_db_open_still(&opening, &db, &err));
    assert_int_equal(err.code, CODE_R0505);
    shown_check(db, 3);
    sqlite_db_close(db);
    assert_int_equal(file_read(folder, after), bytes);
    assert_memory_equal(before, after, bytes);
}

static void listed(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct folder *folder = arg;

    assert_int_equal(outcome, OUTCOME_OK);
    assert_int_equal(answer->count, 2);
    assert_memory_equal(answer->items[0].value.data, "{\"rule\":\"backoff_exhausted\"}",
                        answer->items[0].value.length);
    folder->has_come = true;
}

/* The readable part of a damaged store is served under the present names too. */
static void test_a_damaged_store_is_served(void **state)
{
    struct folder *folder = *state;
    struct store_status status;
    struct store *store;
    struct err err;

    run(folder, "UPDATE log SET value='{ }' WHERE CAST(key AS TEXT)='/t/Zone/c/spec'");
    assert_true(sqlite_open_reading(folder->path, incarnation, NULL, &store, &err));
    store_status(store, &status);
    assert_true(status.is_held && status.damage != NULL && status.damage->keys == 1);
    folder->has_come = false;
    store_list(store, &(struct store_range){ .prefix = TEXT("/") }, listed, folder);
    while (!folder->has_come) {
        struct pollfd wait = { .fd = store_descriptor(store), .events = POLLIN };

        assert_int_equal(poll(&wait, 1, WAIT_MS), 1);
        store_run(store);
    }
    store_close(store);
}

/* After one migration, the data has the present format at the same revisions, and the format number
 * shows that. */
static void test_a_store_is_migrated_once(void **state)
{
    const struct folder *folder = *state;
    struct sqlite_opening opening = { .path = folder->database, .incarnation = incarnation };
    static unsigned char before[FILE_BYTES_MAX];
    static unsigned char after[FILE_BYTES_MAX];
    struct sqlite_db *db;
    struct err err;
    size_t bytes;

    for (int i = 0; i < 2; i++) {
        assert_true(sqlite_db_open(&opening, &db, &err));
        shown_check(db, 3);
        sqlite_db_close(db);
        bytes = file_read(folder, i == 0 ? before : after);
        assert_int_equal(before[63], STORE_FORMAT);
    }
    assert_memory_equal(before + 100, after + 100, bytes - 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_items_have_the_present_names),
        cmocka_unit_test(test_other_items_stay),
        cmocka_unit_test(test_events_have_the_present_names),
        cmocka_unit_test_setup_teardown(test_a_read_only_store_is_served, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_damaged_store_is_served, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_store_is_migrated_once, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
