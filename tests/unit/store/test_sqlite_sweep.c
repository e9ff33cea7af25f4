/* Deleting old data proceeds in slices of limited work, for any shape of the log. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "sqlite/sqlite.h"
#include "sqlite/sqlite_db.h"

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
    snprintf(note, sizeof(note), "%s-audit", fixture->path);
    unlink(note);
    unlink(fixture->path);
    assert_int_equal(rmdir(fixture->folder), 0);
    free(fixture);
    return 0;
}

/* Makes this number of changes, to this number of keys in turn. */
static void change(struct fixture *fixture, unsigned changes, unsigned keys, const char *part)
{
    struct store_answer answers[BATCH] = { 0 };
    struct sqlite_result results[BATCH] = { 0 };
    struct sqlite_write writes[BATCH];
    struct store_txn txns[BATCH];
    struct store_op ops[BATCH];
    char names[BATCH][48];

    for (unsigned done = 0; done < changes; done += BATCH) {
        for (unsigned i = 0; i < BATCH; i++) {
            snprintf(names[i], sizeof(names[i]), "/t/k/o%u/%s", (done + i) % keys, part);
            ops[i] = (struct store_op){ .key = text_from(names[i]), .value = TEXT("v") };
            txns[i] = (struct store_txn){ .ops = &ops[i], .op_count = 1 };
            writes[i] = (struct sqlite_write){ &txns[i], &results[i], &answers[i] };
        }
        sqlite_db_write(fixture->db, writes, BATCH);
        assert_int_equal(results[BATCH - 1].outcome, OUTCOME_OK);
        fixture->revision = answers[BATCH - 1].revision;
    }
}

/* Compacts all but the newest revision, and checks the limit of every slice. Returns the number of
 * slices. */
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
    change(fixture, 64 * 1, 64, "spec"); /* each of these passes over all remaining data */
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

/* Adds events of this number of clusters in turn. The number of an event is also its time. */
static void events_add(struct fixture *fixture, unsigned events, unsigned clusters,
                       uint64_t from_ms)
{
    struct store_event items[BATCH];
    char names[BATCH][32];

    for (unsigned done = 0; done < events; done += BATCH) {
        struct store_txn txn = { .events = items, .event_count = BATCH };
        struct store_answer answer = { 0 };
        struct sqlite_result result = { 0 };
        struct sqlite_write write = { &txn, &result, &answer };

        for (unsigned i = 0; i < BATCH; i++) {
            snprintf(names[i], sizeof(names[i]), "t/c%04u", (done + i) % clusters);
            items[i] = (struct store_event){ .cluster = text_from(names[i]),
                                             .body = TEXT("e"),
                                             .time_ms = from_ms + done + i };
        }
        sqlite_db_write(fixture->db, &write, 1);
        assert_int_equal(result.outcome, OUTCOME_OK);
    }
}

/* Drops old events, and checks the limit of every slice. Returns the number of slices. */
static size_t drop(struct fixture *fixture, uint64_t before_ms, uint64_t rows_max)
{
    struct sqlite_drop state = { .before_ms = before_ms, .rows_max = rows_max };
    struct sqlite_result result;
    size_t slices = 1;

    while (sqlite_db_events_drop(fixture->db, &state, &result)) {
        assert_int_equal(result.outcome, OUTCOME_OK);
        assert_in_range(sqlite_db_sweep_rows(fixture->db), 1, SQLITE_SWEEP_ROWS_MAX);
        slices++;
    }
    assert_in_range(sqlite_db_sweep_rows(fixture->db), 0, SQLITE_SWEEP_ROWS_MAX);
    assert_int_equal(result.outcome, OUTCOME_OK);
    return slices;
}

/* Returns the number of events of a cluster ("": all), and the number of the first. */
static size_t events_count(struct fixture *fixture, const char *cluster, uint64_t *out_first)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct store_answer answer = { 0 };
    struct sqlite_result result;

    sqlite_db_events(fixture->db, arena, text_from(cluster), 0, 0, &result, &answer);
    assert_int_equal(result.outcome, OUTCOME_OK);
    *out_first = answer.count == 0 ? 0 : answer.events[0].number;
    for (size_t i = 1; cluster[0] != '\0' && i < answer.count; i++) {
        assert_int_equal(answer.events[i].number, answer.events[i - 1].number + 1);
    }
    return answer.count;
}

static void test_too_many_events_are_dropped_in_slices(void **state)
{
    struct fixture *fixture = *state;
    uint64_t first;

    events_add(fixture, 9600, 3, 1);
    assert_true(drop(fixture, 0, 600) > 15);
    assert_int_equal(events_count(fixture, "", &first), 600);
    assert_int_equal(events_count(fixture, "t/c0001", &first), 200);
    assert_int_equal(first, 3001);
    assert_int_equal(drop(fixture, 0, 600), 2); /* only one step for each cluster is needed */
    events_add(fixture, 64, 1, 20000);
    assert_int_equal(events_count(fixture, "t/c0000", &first), 264);
}

static void test_events_of_many_clusters_are_dropped_in_slices(void **state)
{
    struct fixture *fixture = *state;
    uint64_t first;

    events_add(fixture, 6400, 1600, 1);
    assert_true(drop(fixture, 4801, 1000000) > 10);
    assert_int_equal(events_count(fixture, "", &first), 1600);
    assert_int_equal(events_count(fixture, "t/c0007", &first), 1);
    assert_int_equal(first, 4);
    assert_true(drop(fixture, UINT64_C(1) << 40, 0) > 3);
    /* each cluster keeps its last event */
    assert_int_equal(events_count(fixture, "", &first), 1600);
}

/* After the clock was set back, events after a kept event are kept too. */
static void test_events_go_from_the_first_on_only(void **state)
{
    struct fixture *fixture = *state;
    uint64_t first;

    events_add(fixture, 64, 1, 1000);
    events_add(fixture, 64, 1, 5000);
    events_add(fixture, 64, 1, 1000);
    drop(fixture, 2000, 1000000);
    assert_int_equal(events_count(fixture, "t/c0000", &first), 128);
    assert_int_equal(first, 65);
}

/* Slices of every size end correctly: there is one cluster of each length, up to longer than a
 * slice. */
static void test_a_slice_may_end_at_any_event(void **state)
{
    struct fixture *fixture = *state;
    uint64_t first;

    for (unsigned kept = 1; kept <= 5; kept++) {
        for (unsigned i = 0; i < 12; i++) {
            events_add(fixture, 64 * (i + 1), 1 + i % 3, 1);
        }
        drop(fixture, 0, kept);
        assert_in_range(events_count(fixture, "", &first), kept, kept + 3);
    }
}

static void drop_done(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    enum code *code = arg;

    *code = outcome == OUTCOME_OK ? CODE_NONE : answer->err.code;
    assert_int_equal(outcome == OUTCOME_OK ? OUTCOME_OK : OUTCOME_REFUSED, outcome);
}

/* Closing a store does not wait for all slices: the drop reports that, and the rest is deleted next
 * time. */
static void test_a_store_is_closed_amid_a_drop(void **state)
{
    struct fixture *fixture = *state;
    enum code code = CODE_R0501;
    struct store *store;
    struct err err;
    uint64_t first;
    char path[96];

    events_add(fixture, 64 * 300, 2, 1);
    sqlite_db_close(fixture->db);
    assert_true(sqlite_open(fixture->folder, incarnation, &store, &err));
    store_events_drop(store, 0, 10, drop_done, &code);
    store_close(store);
    /* CODE_NONE: all slices were completed in time */
    assert_true(code == CODE_R0525 || code == CODE_NONE);
    assert_true(sqlite_db_open(&(struct sqlite_opening){ fixture->path, NULL, incarnation },
                               &fixture->db, &err));
    assert_in_range(events_count(fixture, "t/c0001", &first), code == CODE_NONE ? 5 : 10, 9600);
    drop(fixture, 0, 10);
    assert_int_equal(events_count(fixture, "", &first), 10);
    snprintf(path, sizeof(path), "%s/store.lock", fixture->folder);
    assert_int_equal(unlink(path), 0);
}

/* ---- the end ---- */

struct asking {
    struct store *store;
    unsigned answers;
    enum outcome last;
};

static void asking_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct asking *asking = arg;
    struct store_range all = { .prefix = TEXT("/") };

    (void)answer;
    asking->last = outcome;
    if (++asking->answers < 4) { /* the answer causes another request, as reading pages does */
        store_list(asking->store, &all, asking_reported, asking);
    }
}

/* A request while a store is being closed is answered with a refusal, as when a manager that cannot
 * listen ends while other data is loading. */
static void test_who_asks_while_a_store_is_closed_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct store_range all = { .prefix = TEXT("/") };
    struct asking asking = { 0 };
    struct err err;
    char path[96];

    sqlite_db_close(fixture->db);
    assert_true(sqlite_open(fixture->folder, incarnation, &asking.store, &err));
    store_list(asking.store, &all, asking_reported, &asking);
    store_close(asking.store);
    assert_int_equal(asking.answers, 4);
    assert_int_equal(asking.last, OUTCOME_REFUSED);
    assert_true(sqlite_db_open(&(struct sqlite_opening){ fixture->path, NULL, incarnation },
                               &fixture->db, &err));
    snprintf(path, sizeof(path), "%s/store.lock", fixture->folder);
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_specs_with_a_long_history_are_swept_in_slices, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_what_became_old_since_is_swept_too, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_keys_keep_only_their_newest, setup, teardown),
        cmocka_unit_test_setup_teardown(test_too_many_events_are_dropped_in_slices, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_events_of_many_clusters_are_dropped_in_slices, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_events_go_from_the_first_on_only, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_store_is_closed_amid_a_drop, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_slice_may_end_at_any_event, setup, teardown),
        cmocka_unit_test_setup_teardown(test_who_asks_while_a_store_is_closed_is_refused, setup,
                                        teardown),
    };

    return cmocka_run_group_tests_name("store/sqlite_sweep", tests, NULL, NULL);
}
