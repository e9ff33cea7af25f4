/* Forgetting goes in slices of bounded work, whatever the shape of the log. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "store/sqlite_db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = 64 };

static const unsigned char incarnation[17] = "swept in slices.";

struct fixture {
    char folder[48];
    char path[64];
    struct sqlite_db *db;
    uint64_t revision;
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    struct err err;

    snprintf(fixture->folder, sizeof(fixture->folder), "/tmp/store-sweep-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    snprintf(fixture->path, sizeof(fixture->path), "%s/store.db", fixture->folder);
    assert_true(sqlite_db_open(&(struct sqlite_opening){ fixture->path, NULL, incarnation },
                               &fixture->db, &err));
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    char note[80];

    sqlite_db_close(fixture->db);
    snprintf(note, sizeof(note), "%s-note", fixture->path);
    unlink(note);
    unlink(fixture->path);
    assert_int_equal(rmdir(fixture->folder), 0);
    free(fixture);
    return 0;
}

/* So many changes of so many keys in turn. */
static void change(struct fixture *fixture, unsigned changes, unsigned keys, const char *part)
{
    struct store_answer answers[BATCH] = { 0 };
    struct sqlite_write writes[BATCH];
    struct store_txn txns[BATCH];
    struct store_op ops[BATCH];
    char names[BATCH][48];

    for (unsigned done = 0; done < changes; done += BATCH) {
        for (unsigned i = 0; i < BATCH; i++) {
            snprintf(names[i], sizeof(names[i]), "/t/k/o%u/%s", (done + i) % keys, part);
            ops[i] = (struct store_op){ .key = text_from(names[i]), .value = TEXT("v") };
            txns[i] = (struct store_txn){ .ops = &ops[i], .op_count = 1 };
            writes[i] = (struct sqlite_write){ .txn = &txns[i], .answer = &answers[i] };
        }
        sqlite_db_write(fixture->db, writes, BATCH);
        assert_int_equal(writes[BATCH - 1].result.outcome, OUTCOME_OK);
        fixture->revision = answers[BATCH - 1].revision;
    }
}

/* Compact all but the newest; every slice keeps the bound. Returns how many slices it took. */
static size_t sweep(struct fixture *fixture)
{
    struct sqlite_result result;
    size_t slices = 1;

    sqlite_db_compact(fixture->db, fixture->revision, &result);
    assert_int_equal(result.outcome, OUTCOME_OK);
    while (sqlite_db_sweep(fixture->db)) {
        assert_in_range(sqlite_db_sweep_rows(fixture->db), 1, SQLITE_SWEEP_ROWS_MAX);
        slices++;
    }
    assert_in_range(sqlite_db_sweep_rows(fixture->db), 0, SQLITE_SWEEP_ROWS_MAX);
    return slices;
}

static size_t history_count(struct fixture *fixture, const char *key)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct store_answer answer = { 0 };
    struct sqlite_result result;

    sqlite_db_history(fixture->db, arena, text_from(key), &result, &answer);
    assert_int_equal(result.outcome, OUTCOME_OK);
    return answer.count;
}

static void test_specs_with_a_long_history_are_swept_in_slices(void **state)
{
    struct fixture *fixture = *state;

    change(fixture, 64 * 150, 64, "spec");
    assert_true(sweep(fixture) > 10);
    assert_int_equal(history_count(fixture, "/t/k/o1/spec"), LIMIT_STORE_HISTORY);
}

static void test_what_became_old_since_is_swept_too(void **state)
{
    struct fixture *fixture = *state;

    change(fixture, 64 * 99, 64, "spec");
    sweep(fixture);
    change(fixture, 64 * 120, 64, "spec");
    sweep(fixture);
    assert_int_equal(history_count(fixture, "/t/k/o1/spec"), LIMIT_STORE_HISTORY);
    change(fixture, 64 * 1, 64, "spec"); /* each of these walks over all that is kept */
    sweep(fixture);
    assert_int_equal(history_count(fixture, "/t/k/o1/spec"), LIMIT_STORE_HISTORY);
}

static void test_other_keys_keep_only_their_newest(void **state)
{
    struct fixture *fixture = *state;

    change(fixture, 5120, 10, "status");
    assert_true(sweep(fixture) > 5);
    assert_int_equal(history_count(fixture, "/t/k/o1/status"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_specs_with_a_long_history_are_swept_in_slices, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_what_became_old_since_is_swept_too, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_keys_keep_only_their_newest, setup, teardown),
    };

    return cmocka_run_group_tests_name("store/sqlite_sweep", tests, NULL, NULL);
}
