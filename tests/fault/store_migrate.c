/* Migrates a store of the former format. At each call of a file, the process is killed or the power
 * is cut. The remaining files must open again, with all data under the present names, at the same
 * revisions, and with an event chain that verifies. The same is tested with a disk that is full
 * from each call on.
 *
 * Without an environment variable it makes a small store; MIGRATE_STORE is the path of another
 * store.db. FAULT_NTH is the step between tested calls for kills (1: each call; default 5). For
 * power cuts and full disks the step is four times as large. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/mem.h"
#include "disk.h"
#include "sqlite/sqlite.h"
#include "state/migrate.h"
#include "sys/digest.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WAIT_MS = 30000, STEP = 5, FILE_BYTES_MAX = 64 << 20 };

static const unsigned char incarnation[17] = "former format...";

static const struct {
    const char *key;
    const char *value;
} former[] = {
    { "/t/Cluster/c/spec", "{\"life\":\"kept\"}" },
    { "/t/Resource/c/a/status", "{\"life\":\"x\",\"reason\":\"sick\",\"sick\":5,\"slot\":1}" },
    { "/t/Hold/c/terminated/web/status", "{\"rule\":\"terminated\"}" },
    { "/t/Hold/c/terminated/web/spec", "{\"approved\":{}}" },
    { "/t/Job/c/7/status", "{\"troubles\":[],\"waits\":[\"web:terminated\"]}" },
    { "/t/Resource/c/a/status", "{\"life\":\"x\",\"reason\":\"taken_back\",\"slot\":1}" },
    { "/t/Cluster/c/spec", "{\"life\":\"newer\"}" },
};
static const char *const former_events[] = {
    "{\"rule\":\"sick\",\"type\":\"machine.ended\"}",
    "{\"type\":\"machine.made\"}",
    "{\"rule\":\"terminated\",\"type\":\"hold.began\"}",
};

struct world {
    struct disk *disk;
    struct store *store;
    char folder[48];
    char path[64];
    unsigned char *image; /* bytes of the former store.db */
    size_t image_bytes;
    char whole[DIGEST_TEXT_BYTES]; /* digest of the store after an undisturbed migration */
    bool has_come;
    enum outcome outcome;
    struct digest_stream *digest; /* digest of the data that is being read */
    /* number of items and events that still have a name of the former format */
    uint64_t former_names;
    uint64_t items;
    uint64_t events;
    char fault[160];
};

static void wait_for(struct world *world)
{
    while (!world->has_come) {
        struct pollfd wait = { .fd = store_descriptor(world->store), .events = POLLIN };

        assert_int_equal(poll(&wait, 1, WAIT_MS), 1);
        store_run(world->store);
    }
    world->has_come = false;
    assert_int_equal(world->outcome, OUTCOME_OK);
}

static void answer_take(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct world *world = arg;

    (void)answer;
    world->has_come = true;
    world->outcome = outcome;
}

static void number_digest(struct world *world, uint64_t number)
{
    char digits[24];

    snprintf(digits, sizeof(digits), " %" PRIu64 "\n", number);
    digest_stream_add(world->digest, text_from(digits));
}

/* ---- what is in the store ---- */

static void items_take(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct world *world = arg;

    answer_take(arg, outcome, answer);
    for (size_t i = 0; i < answer->count; i++) {
        const struct store_item *item = &answer->items[i];
        struct text key;
        struct text value;

        digest_stream_add(world->digest, item->key);
        digest_stream_add(world->digest, item->value);
        number_digest(world, item->create_revision);
        number_digest(world, item->revision);
        world->former_names += migrate_item(arena, item->key, item->value, &key, &value);
        world->items++;
    }
}

static void events_take(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct world *world = arg;

    answer_take(arg, outcome, answer);
    for (size_t i = 0; i < answer->count; i++) {
        const struct store_event *event = &answer->events[i];

        digest_stream_add(world->digest, event->body);
        number_digest(world, event->number);
        number_digest(world, event->revision);
        world->former_names += !text_is_equal(migrate_event(arena, event->body), event->body);
        world->events++;
    }
}

static void audit_take(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct world *world = arg;

    answer_take(arg, outcome, answer);
    snprintf(world->fault, sizeof(world->fault), "%s",
             outcome == OUTCOME_OK ? answer->audit->fault : "");
    if (outcome == OUTCOME_OK) {
        digest_stream_add(world->digest, text_from(answer->audit->line));
    }
}

/* Reads all data, and computes its digest. */
static void store_read(struct world *world, char out[static DIGEST_TEXT_BYTES])
{
    world->digest = digest_stream_new();
    world->former_names = 0;
    world->items = 0;
    world->events = 0;
    store_list(world->store, &(struct store_range){ .prefix = TEXT("/") }, items_take, world);
    wait_for(world);
    store_events(world->store, TEXT(""), 0, 0, events_take, world);
    wait_for(world);
    store_history(world->store, TEXT("/t/Cluster/c/spec"), items_take, world);
    wait_for(world);
    store_audit(world->store, true, audit_take, world);
    wait_for(world);
    digest_stream_end(world->digest, out);
}

/* ---- the former store ---- */

static void former_write(struct world *world)
{
    struct err err;

    assert_true(sqlite_open_on("migrate", world->folder, incarnation, &world->store, &err));
    for (size_t i = 0; i < sizeof(former) / sizeof(former[0]); i++) {
        struct store_op op = { .key = text_from(former[i].key),
                               .value = text_from(former[i].value) };
        size_t number = i % (sizeof(former_events) / sizeof(former_events[0]));
        struct store_event event = { .cluster = TEXT("t/c"),
                                     .body = text_from(former_events[number]),
                                     .time_ms = 5 + i };

        store_txn(world->store, &(struct store_txn){ NULL, 0, &op, 1, &event, 1 }, answer_take,
                  world);
        wait_for(world);
    }
    store_close(world->store);
}

/* Takes the bytes of a closed store, and sets the number of the former format at byte 60 of the
 * file. */
static void image_take(struct world *world, const unsigned char *bytes, size_t count)
{
    world->image = malloc(count);
    assert_non_null(world->image);
    memcpy(world->image, bytes, count);
    world->image_bytes = count;
    world->image[63] = STORE_FORMAT_OLDEST;
}

static void image_make(struct world *world)
{
    const char *name = getenv("MIGRATE_STORE");
    const unsigned char *bytes;
    size_t count = 0;

    world->disk = disk_new("migrate");
    if (name != NULL) {
        FILE *file = fopen(name, "rb");
        unsigned char *read = malloc(FILE_BYTES_MAX);

        assert_true(file != NULL && read != NULL);
        count = fread(read, 1, FILE_BYTES_MAX, file);
        fclose(file);
        image_take(world, read, count);
        free(read);
    } else {
        former_write(world);
        bytes = disk_file(world->disk, world->path, &count);
        assert_non_null(bytes);
        image_take(world, bytes, count);
    }
    disk_free(world->disk);
}

static void disk_renew(struct world *world)
{
    char path[96];

    snprintf(path, sizeof(path), "%s-audit", world->path);
    unlink(path);
    world->disk = disk_new("migrate");
    disk_file_set(world->disk, world->path, world->image, world->image_bytes);
}

/* ---- the tests ---- */

static void whole_check(struct world *world, const char *kind, uint64_t n)
{
    char found[DIGEST_TEXT_BYTES];
    struct store_status status;
    struct err err = { 0 };

    disk_plan_set(world->disk, &(struct disk_plan){ 0 });
    if (!sqlite_open_on("migrate", world->folder, incarnation, &world->store, &err)) {
        fail_msg("%s at call %" PRIu64 ": it does not open: %s", kind, n, err.text);
    }
    store_status(world->store, &status);
    assert_true(status.is_writable);
    store_read(world, found);
    if (world->former_names > 0 || world->fault[0] != '\0' || strcmp(found, world->whole) != 0) {
        fail_msg("%s at call %" PRIu64 ": %" PRIu64 " former names, audit '%s', digest %s of %s",
                 kind, n, world->former_names, world->fault, found, world->whole);
    }
    store_close(world->store);
}

/* Migrates with this plan, and then without a plan. Returns false if the plan had no effect,
 * because the migration has fewer calls. */
static bool disturbed_migrate(struct world *world, const struct disk_plan *plan, bool is_power_cut,
                              const char *kind, uint64_t n)
{
    struct err err;
    bool has_struck;

    disk_renew(world);
    disk_plan_set(world->disk, plan);
    if (sqlite_open_on("migrate", world->folder, incarnation, &world->store, &err)) {
        store_close(world->store);
    }
    has_struck = disk_has_struck(world->disk);
    if (is_power_cut) {
        disk_power_cycle(world->disk, n);
    } else {
        disk_revive(world->disk);
    }
    whole_check(world, kind, n);
    disk_free(world->disk);
    return has_struck;
}

static uint64_t step_of(void)
{
    const char *said = getenv("FAULT_NTH");

    return said == NULL ? STEP : strtoull(said, NULL, 10);
}

static void test_a_migration_that_nothing_disturbs(void **state)
{
    struct world *world = *state;
    struct err err;
    size_t bytes;

    disk_renew(world);
    assert_true(sqlite_open_on("migrate", world->folder, incarnation, &world->store, &err));
    store_read(world, world->whole);
    assert_int_equal(world->former_names, 0);
    assert_string_equal(world->fault, "");
    assert_true(world->items > 4 && world->events > 2);
    store_close(world->store);
    assert_int_equal(disk_file(world->disk, world->path, &bytes)[63], STORE_FORMAT);
    whole_check(world, "again", 0);
    disk_free(world->disk);
}

static void test_a_kill_at_each_call(void **state)
{
    uint64_t n = 1;

    while (disturbed_migrate(*state, &(struct disk_plan){ .cut_at = n }, false, "kill", n)) {
        n += step_of();
    }
    print_message("# kill: %" PRIu64 " calls\n", n);
    assert_true(n > 50);
}

static void test_a_power_cut_at_each_call(void **state)
{
    uint64_t n = 1;

    while (disturbed_migrate(*state, &(struct disk_plan){ .cut_at = n }, true, "power cut", n)) {
        n += 4 * step_of();
    }
    assert_true(n > 50);
}

static void test_a_disk_that_is_full_from_each_call_on(void **state)
{
    uint64_t n = 1;

    while (disturbed_migrate(*state,
                             &(struct disk_plan){ .fail_at = n, .is_full = true, .lasts = true },
                             false, "full disk", n)) {
        n += 4 * step_of();
    }
    assert_true(n > 10);
}

static int setup(void **state)
{
    struct world *world = calloc(1, sizeof(*world));

    assert_non_null(world);
    snprintf(world->folder, sizeof(world->folder), "/tmp/store-migrate-XXXXXX");
    assert_non_null(mkdtemp(world->folder));
    snprintf(world->path, sizeof(world->path), "%s/store.db", world->folder);
    image_make(world);
    *state = world;
    return 0;
}

static int teardown(void **state)
{
    static const char *const names[] = { "store.lock", "store.db-audit" };
    struct world *world = *state;
    char path[96];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", world->folder, names[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(world->folder), 0);
    free(world->image);
    free(world);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_migration_that_nothing_disturbs),
        cmocka_unit_test(test_a_kill_at_each_call),
        cmocka_unit_test(test_a_power_cut_at_each_call),
        cmocka_unit_test(test_a_disk_that_is_full_from_each_call_on),
    };

    return cmocka_run_group_tests_name("store migrate", tests, setup, teardown);
}
