/* Reading through the read-ahead layer gives the content of the file, in any order of reads. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "store/checksum.h"
#include "sqlite/sqlite_ahead.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 400, VALUE_BYTES = 90000 };

struct fixture {
    char folder[48];
    char path[64];
    struct sqlite_ahead *ahead;
    sqlite3 *plain;
    sqlite3 *fast;
};

static void run(sqlite3 *database, const char *sql)
{
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
}

/* Writes rows of a few bytes and of many pages, and deletes some of them, so that pages of
 * different rows are interleaved. */
static void fill(sqlite3 *database)
{
    sqlite3_stmt *add = NULL;
    unsigned char *value = calloc(1, VALUE_BYTES);

    run(database, "PRAGMA journal_mode=WAL;CREATE TABLE t(id INTEGER PRIMARY KEY,value BLOB);"
                  "CREATE TABLE k(name BLOB PRIMARY KEY) WITHOUT ROWID;BEGIN");
    assert_int_equal(sqlite3_prepare_v2(database, "INSERT INTO t VALUES(?1,?2)", -1, &add, NULL),
                     SQLITE_OK);
    for (int i = 0; i < ROWS; i++) {
        int bytes = i % 7 == 0 ? VALUE_BYTES - i * 13 : 1200 + i;

        memset(value, i, VALUE_BYTES);
        memcpy(value, &i, sizeof(i));
        sqlite3_bind_int(add, 1, i);
        sqlite3_bind_blob(add, 2, value, bytes, SQLITE_STATIC);
        assert_int_equal(sqlite3_step(add), SQLITE_DONE);
        sqlite3_reset(add);
    }
    sqlite3_finalize(add);
    free(value);
    run(database, "INSERT INTO k SELECT hex(randomblob(20))||id FROM t;DELETE FROM t WHERE id%5=1;"
                  "COMMIT;BEGIN;UPDATE t SET value=zeroblob(40000) WHERE id%11=3;COMMIT");
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));

    snprintf(fixture->folder, sizeof(fixture->folder), "/tmp/store-ahead-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    snprintf(fixture->path, sizeof(fixture->path), "%s/store.db", fixture->folder);
    assert_int_equal(sqlite3_open(fixture->path, &fixture->plain), SQLITE_OK);
    fill(fixture->plain);
    fixture->ahead = sqlite_ahead_new(sqlite3_vfs_find(NULL));
    assert_non_null(fixture->ahead);
    assert_int_equal(sqlite3_open_v2(fixture->path, &fixture->fast, SQLITE_OPEN_READWRITE,
                                     sqlite_ahead_name(fixture->ahead)),
                     SQLITE_OK);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    sqlite3_close(fixture->fast);
    sqlite3_close(fixture->plain);
    sqlite_ahead_free(fixture->ahead);
    unlink(fixture->path);
    assert_int_equal(rmdir(fixture->folder), 0);
    free(fixture);
    return 0;
}

/* Returns a hash of the complete result of a statement. */
static uint64_t hash_of(sqlite3 *database, const char *sql)
{
    sqlite3_stmt *handle = NULL;
    uint64_t hash = 0;
    int code;

    assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &handle, NULL), SQLITE_OK);
    while ((code = sqlite3_step(handle)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(handle); i++) {
            const void *data = sqlite3_column_blob(handle, i);
            size_t length = (size_t)sqlite3_column_bytes(handle, i);

            hash = checksum_text((struct text){ data == NULL ? "" : data, length }, hash);
        }
    }
    assert_int_equal(code, SQLITE_DONE);
    sqlite3_finalize(handle);
    return hash;
}

static void everything_is_compared(struct fixture *fixture)
{
    static const char *const sqls[] = {
        "SELECT * FROM t ORDER BY id",
        "SELECT * FROM t ORDER BY id DESC",
        "SELECT id,value FROM t ORDER BY (id*37)%401",
        "SELECT * FROM k ORDER BY name",
        "SELECT substr(value,60000,100) FROM t",
        "PRAGMA integrity_check",
        "PRAGMA freelist_count",
    };

    for (size_t i = 0; i < ARRAY_COUNT(sqls); i++) {
        assert_true(hash_of(fixture->plain, sqls[i]) == hash_of(fixture->fast, sqls[i]));
    }
}

static void test_it_reads_what_stands_there(void **state)
{
    struct fixture *fixture = *state;

    everything_is_compared(fixture); /* many pages come from the WAL */
    assert_int_equal(
        sqlite3_wal_checkpoint_v2(fixture->plain, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL),
        SQLITE_OK);
    everything_is_compared(fixture);
}

static void test_it_stands_above_the_right_file(void **state)
{
    struct fixture *fixture = *state;
    sqlite3_vfs *layer = sqlite3_vfs_find(sqlite_ahead_name(fixture->ahead));
    sqlite3 *none = NULL;

    assert_non_null(layer);
    assert_int_equal(sqlite3_open_v2("/nowhere/at/all", &none, SQLITE_OPEN_READWRITE, layer->zName),
                     SQLITE_CANTOPEN);
    sqlite3_close(none);
    run(fixture->fast, "INSERT INTO t VALUES(100000,'written through it')");
    assert_true(hash_of(fixture->plain, "SELECT value FROM t WHERE id=100000") ==
                hash_of(fixture->plain, "SELECT CAST('written through it' AS BLOB)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_it_reads_what_stands_there, setup, teardown),
        cmocka_unit_test_setup_teardown(test_it_stands_above_the_right_file, setup, teardown),
    };

    return cmocka_run_group_tests_name("store/sqlite_ahead", tests, NULL, NULL);
}
