/* Lets the n-th call of a file fail, for n from 1 to the end of a script that uses all functions of
 * the port. Calls fail with an I/O error, once or permanently, with "disk full", or with a file
 * that seems to end early. There must be no crash and no leak, and every outcome must be true: data
 * that was acknowledged is there when the store is opened again, refused data is not, and reads
 * return nothing else.
 *
 * FAULT_NTH is the step of n (1: every call; default 29). */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "disk.h"
#include "sqlite/sqlite.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WRITES = 12, KEYS = 5, WAIT_MS = 30000, STEP = 29, VALUE_BYTES = 3000 };

static const unsigned char incarnation[17] = "n-th call fails.";

/* The outcome of a write, and the value that the store has for it afterwards. */
struct write_made {
    char key[24];
    char token[24];
    bool is_delete;
    bool was_tried;
    enum outcome outcome;
    uint64_t revision;
};

struct script {
    struct disk *disk;
    struct store *store;
    char folder[48];
    char backup[64];
    struct write_made writes[WRITES];
    size_t count;
    bool has_come;
    enum outcome outcome; /* outcome of the newest call */
    struct err err;
    uint64_t revision;
    uint64_t seen; /* number of changes that the watch has reported */
    bool is_lost;
    /* damage is a permitted result, because a file that seems to end early looks damaged */
    bool allows_damage;
    uint64_t compacted;
    const char *kind;
    uint64_t n;
};

#define MUST(script, condition)                                                                  \
    do {                                                                                         \
        if (!(condition)) {                                                                      \
            fail_msg("%s at call %" PRIu64 ": %s (%s)", (script)->kind, (script)->n, #condition, \
                     (script)->err.text);                                                        \
        }                                                                                        \
    } while (0)

static void wait_for(struct script *script)
{
    while (!script->has_come) {
        struct pollfd wait = { .fd = store_descriptor(script->store), .events = POLLIN };

        MUST(script, poll(&wait, 1, WAIT_MS) != 0);
        store_run(script->store);
    }
    script->has_come = false;
}

static void answer_take(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct script *script = arg;

    script->has_come = true;
    script->outcome = outcome;
    script->err = answer->err;
    script->revision = answer->revision;
    if (outcome != OUTCOME_OK) {
        MUST(script, answer->err.code != CODE_NONE && answer->err.text[0] != '\0');
        MUST(script, answer->err.code != CODE_R0506 || script->allows_damage);
    }
}

/* ---- expected content ---- */

/* Returns whether a key may have this value (NULL: may be absent) after the writes so far. */
static bool may_be(const struct script *script, const char *key, struct text value, bool is_there)
{
    for (size_t i = script->count; i > 0; i--) {
        const struct write_made *write = &script->writes[i - 1];

        if (!write->was_tried || strcmp(write->key, key) != 0 ||
            write->outcome == OUTCOME_REFUSED) {
            continue;
        }
        if (is_there ? !write->is_delete && text_has_prefix(value, text_from(write->token))
                     : write->is_delete) {
            return true;
        }
        if (write->outcome == OUTCOME_OK) {
            return false;
        }
    }
    return !is_there;
}

static void list_take(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct script *script = arg;

    answer_take(arg, outcome, answer);
    for (unsigned k = 0; outcome == OUTCOME_OK && k < KEYS; k++) {
        struct text value = TEXT("");
        bool is_there = false;
        char key[24];

        snprintf(key, sizeof(key), "/t/k/o%u/spec", k);
        for (size_t i = 0; i < answer->count; i++) {
            if (text_is(answer->items[i].key, key)) {
                is_there = true;
                value = answer->items[i].value;
            }
        }
        MUST(script, may_be(script, key, value, is_there));
    }
}

static void events_take(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct script *script = arg;

    answer_take(arg, outcome, answer);
    for (size_t i = 1; i < answer->count; i++) {
        MUST(script, answer->events[i].number == answer->events[i - 1].number + 1);
    }
}

static void changes_take(void *arg, enum store_watch_state state, uint64_t revision,
                         const struct store_change *changes, size_t count)
{
    struct script *script = arg;

    (void)changes;
    if (state != STORE_WATCH_CHANGES) {
        script->is_lost = true;
        return;
    }
    MUST(script, revision > script->seen && count == 1);
    for (size_t i = 0; i < script->count; i++) { /* no acknowledged write may be missing */
        const struct write_made *write = &script->writes[i];

        MUST(script, write->is_delete || write->outcome != OUTCOME_OK ||
                         write->revision <= script->seen || write->revision >= revision);
    }
    script->seen = revision;
}

/* ---- the script ---- */

static void write_one(struct script *script, unsigned key, bool is_delete)
{
    struct write_made *write = &script->writes[script->count++];
    char value[VALUE_BYTES];
    struct store_op op = { .key = { write->key, 0 }, .is_delete = is_delete };
    struct store_event event = { .cluster = TEXT("t/c"), .body = text_from("e"), .time_ms = 5 };

    snprintf(write->key, sizeof(write->key), "/t/k/o%u/spec", key);
    snprintf(write->token, sizeof(write->token), "token%zu.", script->count);
    write->is_delete = is_delete;
    write->was_tried = true;
    memset(value, '.', sizeof(value));
    memcpy(value, write->token, strlen(write->token));
    op.key = text_from(write->key);
    op.value = (struct text){ value, sizeof(value) };
    store_txn(script->store, &(struct store_txn){ NULL, 0, &op, 1, &event, 1 }, answer_take,
              script);
    wait_for(script);
    write->outcome = script->outcome;
    write->revision = script->revision;
}

static void read_all(struct script *script)
{
    store_list(script->store, &(struct store_range){ .prefix = TEXT("/t/") }, list_take, script);
    wait_for(script);
    store_get(script->store, TEXT("/t/k/o0/spec"), 0, answer_take, script);
    wait_for(script);
    store_list(script->store, &(struct store_range){ .prefix = TEXT("/t/"), .at_revision = 1 },
               answer_take, script);
    wait_for(script);
    store_events(script->store, TEXT("t/c"), 0, 0, events_take, script);
    wait_for(script);
    store_history(script->store, TEXT("/t/k/o0/spec"), answer_take, script);
    wait_for(script);
}

static void forget(struct script *script)
{
    uint64_t revision = script->writes[2].revision;

    store_compact(script->store, revision, answer_take, script);
    wait_for(script);
    if (script->outcome == OUTCOME_OK) {
        script->compacted = revision;
    }
    store_events_drop(script->store, 0, 3, answer_take, script);
    wait_for(script);
}

static void backup(struct script *script)
{
    sqlite_backup(script->store, script->backup, answer_take, script);
    wait_for(script);
    MUST(script, (access(script->backup, F_OK) == 0) == (script->outcome == OUTCOME_OK));
    unlink(script->backup);
}

/* Runs the whole script once. The store may fail to open. */
static void script_play(struct script *script)
{
    struct store_status status;

    script->err = (struct err){ 0 };
    if (!sqlite_open_on("nth", script->folder, incarnation, &script->store, &script->err)) {
        MUST(script, script->err.code == CODE_R0505 || script->err.code == CODE_R0521 ||
                         script->err.code == CODE_R0501 || script->allows_damage);
        return;
    }
    store_watch(script->store, TEXT("/t/"), script->seen + 1, changes_take, script);
    for (unsigned i = 0; i < 4; i++) {
        write_one(script, i % KEYS, false);
    }
    read_all(script);
    write_one(script, 0, false);
    write_one(script, 1, true);
    backup(script);
    forget(script);
    write_one(script, 4, false);
    read_all(script);
    store_status(script->store, &status);
    MUST(script, status.is_writable == (status.problem.code == CODE_NONE));
    store_close(script->store);
}

/* Checks the store on an intact disk: it opens, accepts writes, and has the data that it
 * acknowledged. */
static void truth_check(struct script *script)
{
    struct store_status status;

    script->kind = "afterwards";
    MUST(script, sqlite_open_on("nth", script->folder, incarnation, &script->store, &script->err));
    script->allows_damage = false;
    store_status(script->store, &status);
    MUST(script, status.is_writable);
    MUST(script, status.compacted_revision >= script->compacted);
    read_all(script);
    write_one(script, 3, false);
    MUST(script, script->outcome == OUTCOME_OK);
    read_all(script);
    store_close(script->store);
}

/* Runs the script with the n-th call failing. Returns false if the script has fewer calls. */
static bool nth_fails(const struct disk_plan *plan, const char *kind, const char *folder)
{
    struct script script = { .kind = kind, .n = plan->fail_at, .allows_damage = plan->is_short };
    bool has_struck;

    snprintf(script.folder, sizeof(script.folder), "%s", folder);
    snprintf(script.backup, sizeof(script.backup), "%s/backup", folder);
    script.disk = disk_new("nth");
    disk_plan_set(script.disk, plan);
    script_play(&script);
    has_struck = disk_has_struck(script.disk);
    disk_revive(script.disk);
    truth_check(&script);
    disk_free(script.disk);
    return has_struck;
}

static void every_nth_fails(const struct disk_plan *sort, const char *kind)
{
    const char *said = getenv("FAULT_NTH");
    uint64_t step = said == NULL ? STEP : strtoull(said, NULL, 10);
    struct disk_plan plan = *sort;
    char folder[] = "/tmp/store-nth-XXXXXX";
    char path[64];

    assert_non_null(mkdtemp(folder));
    for (plan.fail_at = 1; nth_fails(&plan, kind, folder); plan.fail_at += step) {
    }
    print_message("# %s: %" PRIu64 " calls\n", kind, plan.fail_at);
    assert_true(plan.fail_at > 200);
    snprintf(path, sizeof(path), "%s/store.lock", folder);
    unlink(path);
    snprintf(path, sizeof(path), "%s/store.db-audit", folder);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* no part of a backup may remain either */
}

static void test_one_call_fails(void **state)
{
    (void)state;
    every_nth_fails(&(struct disk_plan){ 0 }, "one failing call");
}

static void test_all_calls_fail_from_one_on(void **state)
{
    (void)state;
    every_nth_fails(&(struct disk_plan){ .lasts = true }, "all calls failing");
}

static void test_one_write_finds_no_room(void **state)
{
    (void)state;
    every_nth_fails(&(struct disk_plan){ .is_full = true }, "one write without room");
}

static void test_the_disk_is_full_from_one_write_on(void **state)
{
    (void)state;
    every_nth_fails(&(struct disk_plan){ .is_full = true, .lasts = true }, "a full disk");
}

static void test_one_read_is_short(void **state)
{
    (void)state;
    every_nth_fails(&(struct disk_plan){ .is_short = true }, "one short read");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_call_fails),
        cmocka_unit_test(test_all_calls_fail_from_one_on),
        cmocka_unit_test(test_one_write_finds_no_room),
        cmocka_unit_test(test_the_disk_is_full_from_one_write_on),
        cmocka_unit_test(test_one_read_is_short),
    };

    return cmocka_run_group_tests_name("store nth", tests, NULL, NULL);
}
