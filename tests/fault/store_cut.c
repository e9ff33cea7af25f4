/* Power cuts with 64 writers, on a disk in memory (disk.h). The test runs FAULT_CUTS lives of a
 * store. Each ends by a power cut at any call of any file, some after a failed call, or by the
 * death of the program only. After each life the store must open and have all data that was ever
 * acknowledged or seen by a watch or a read. Every revision must be unchanged, none may be missing
 * or occur twice, events must match, and lists must equal the sum of the changes. */

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

enum {
    SLOTS = 64,
    CLUSTERS = 5,
    VALUE_BYTES = 300,
    REVISIONS_MAX = 60000, /* maximum number of revisions on one disk */
    LIVES_A_DISK = 12,
    WRITES_A_LIFE = 2500, /* number of writes of a life without a fault */
    COMPACT_EVERY = 300,
    COMPACT_KEEPS = 150,
    WAIT_MS = 20000,
    CUTS = 24 /* number of lives if FAULT_CUTS is not set */
};

static const unsigned char incarnation[17] = "power cut store.";

/* Known content of a revision: hashes of its change and of its event; 0: not known yet. */
struct fact {
    uint64_t change;
    uint64_t event;
};

struct slot {
    char key[32];
    char token[32];
    bool deletes;
    uint64_t newest; /* revision of the newest change of the key, which may be a deletion */
    bool is_deleted;
    struct world *world;
};

struct world {
    struct disk *disk;
    struct store *store;
    char folder[64];
    struct slot slots[SLOTS];
    struct fact *facts;
    uint64_t known_revision; /* the highest revision with a fact */
    uint64_t watched;        /* the highest revision that the watch has reported */
    uint64_t random;
    uint64_t tokens;
    uint64_t writes; /* number of writes of this life */
    uint64_t acknowledged;
    size_t pending;
    uint64_t end; /* revision up to which a check goes */
    uint64_t checked;
    uint64_t compacted;
    uint64_t after;
    uint64_t numbers[CLUSTERS];
    uint64_t listed[SLOTS];
    bool has_more;
    bool has_failed; /* a call of the check has failed */
    char loss[200];  /* description of the first loss; empty: none */
};

static void lose(struct world *world, const char *format, ...) PRINTF_LIKE(2, 3);
static void lose(struct world *world, const char *format, ...)
{
    va_list args;

    if (world->loss[0] == '\0') {
        va_start(args, format);
        vsnprintf(world->loss, sizeof(world->loss), format, args);
        va_end(args);
    }
}

static uint64_t dice(struct world *world, uint64_t sides)
{
    world->random = world->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (world->random >> 33) % sides;
}

/* ---- facts ---- */

static uint64_t change_hash(struct text key, struct text token, bool is_delete)
{
    return text_hash(is_delete ? TEXT("") : token, text_hash(key, is_delete)) | 1;
}

/* Returns the token at the start of a value. */
static struct text token_of(struct text value)
{
    return text_slice(value, 0, text_find_byte(value, '.'));
}

static void fact_learn(struct world *world, uint64_t revision, uint64_t change, uint64_t event)
{
    struct fact *fact;

    if (revision == 0 || revision >= REVISIONS_MAX) {
        lose(world, "revision %" PRIu64, revision);
        return;
    }
    fact = &world->facts[revision];
    if ((change != 0 && fact->change != 0 && fact->change != change) ||
        (event != 0 && fact->event != 0 && fact->event != event)) {
        lose(world, "revision %" PRIu64 " is not what it was", revision);
    }
    fact->change = change != 0 ? change : fact->change;
    fact->event = event != 0 ? event : fact->event;
    if (revision > world->known_revision) {
        world->known_revision = revision;
    }
}

static struct slot *slot_find(struct world *world, struct text key)
{
    for (size_t i = 0; i < SLOTS; i++) {
        if (text_is(key, world->slots[i].key)) {
            return &world->slots[i];
        }
    }
    lose(world, "a key that nobody wrote");
    return &world->slots[0];
}

static void slot_learn(struct slot *slot, uint64_t revision, bool is_deleted)
{
    if (revision >= slot->newest) {
        slot->newest = revision;
        slot->is_deleted = is_deleted;
    }
}

/* Handles a change from the watch. It must be the next revision. */
static void change_take(struct world *world, uint64_t revision, const struct store_change *changes,
                        size_t count, uint64_t *last)
{
    if (count != 1 || revision != *last + 1) {
        lose(world, "%zu changes at revision %" PRIu64 " behind %" PRIu64, count, revision, *last);
    }
    *last = revision;
    fact_learn(
        world, revision,
        change_hash(changes[0].item.key, token_of(changes[0].item.value), changes[0].is_delete), 0);
    slot_learn(slot_find(world, changes[0].item.key), revision, changes[0].is_delete);
}

/* ---- checks of the store's answers ---- */

static void world_turn(struct world *world)
{
    struct pollfd wait = { .fd = store_descriptor(world->store), .events = POLLIN };

    if (poll(&wait, 1, WAIT_MS) == 0) {
        fail_msg("the store does not answer");
    }
    store_run(world->store);
}

static void changes_check(void *arg, enum store_watch_state state, uint64_t revision,
                          const struct store_change *changes, size_t count)
{
    struct world *world = arg;

    if (state != STORE_WATCH_CHANGES) {
        world->has_failed = true;
        return;
    }
    change_take(world, revision, changes, count, &world->checked);
}

static void events_check(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct world *world = arg;

    world->pending--;
    world->has_more = answer->has_more && outcome == OUTCOME_OK;
    world->has_failed = world->has_failed || outcome != OUTCOME_OK;
    for (size_t i = 0; i < answer->count; i++) {
        const struct store_event *event = &answer->events[i];
        uint64_t cluster = (uint64_t)(event->cluster.data[3] - '0');

        if (event->revision != world->after + 1 || event->number != world->numbers[cluster] + 1) {
            lose(world, "event %" PRIu64 " of %" PRIu64 " behind %" PRIu64, event->number,
                 event->revision, world->after);
        }
        world->numbers[cluster] = event->number;
        world->after = event->revision;
        fact_learn(world, event->revision, 0, text_hash(event->body, 0) | 1);
    }
}

static void list_check(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct world *world = arg;

    world->pending--;
    world->has_failed = world->has_failed || outcome != OUTCOME_OK;
    for (size_t i = 0; i < answer->count; i++) {
        const struct store_item *item = &answer->items[i];
        struct slot *slot = slot_find(world, item->key);

        fact_learn(world, item->revision, change_hash(item->key, token_of(item->value), false), 0);
        world->listed[slot - world->slots] = item->revision;
    }
}

static void items_compare(struct world *world)
{
    for (size_t i = 0; i < SLOTS; i++) {
        const struct slot *slot = &world->slots[i];

        if (world->listed[i] != (slot->is_deleted ? 0 : slot->newest)) {
            lose(world, "%s is listed at %" PRIu64 " and not at %" PRIu64, slot->key,
                 world->listed[i], slot->newest);
        }
    }
}

/* Reads all data and compares it with the known facts. Returns false if a call failed. */
static bool world_check(struct world *world)
{
    struct store_status status;
    struct store_watch *watch = NULL;

    store_status(world->store, &status);
    if (status.revision < world->known_revision) {
        lose(world, "the store ends at %" PRIu64 ", known is %" PRIu64, status.revision,
             world->known_revision);
        return true;
    }
    world->has_failed = false;
    world->compacted = status.compacted_revision;
    world->checked = status.compacted_revision;
    world->after = 0;
    memset(world->numbers, 0, sizeof(world->numbers));
    memset(world->listed, 0, sizeof(world->listed));
    if (world->checked < status.revision) {
        watch = store_watch(world->store, TEXT("/"), world->checked + 1, changes_check, world);
    }
    while (world->checked < status.revision && !world->has_failed) {
        world_turn(world);
    }
    do {
        world->pending++;
        store_events(world->store, TEXT(""), world->after, 0, events_check, world);
        while (world->pending > 0) {
            world_turn(world);
        }
    } while (world->has_more);
    world->pending++;
    store_list(world->store, &(struct store_range){ .prefix = TEXT("/") }, list_check, world);
    while (world->pending > 0) {
        world_turn(world);
    }
    if (world->has_failed) {
        return false;
    }
    if (watch != NULL) {
        store_watch_close(world->store, watch);
    }
    if (world->after != status.revision) {
        lose(world, "events end at %" PRIu64 ", changes at %" PRIu64, world->after,
             status.revision);
    }
    items_compare(world);
    return true;
}

/* ---- writing ---- */

static void slot_begin(struct slot *slot);

static void slot_again(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct slot *slot = arg;
    struct world *world = slot->world;

    world->pending--;
    if (outcome == OUTCOME_OK && answer->count == 1) {
        fact_learn(world, answer->items[0].revision,
                   change_hash(answer->items[0].key, token_of(answer->items[0].value), false), 0);
        slot_learn(slot, answer->items[0].revision, false);
        slot_begin(slot);
    } else if (outcome == OUTCOME_OK) {
        slot->is_deleted = true; /* the watch reports the revision of the deletion */
        slot_begin(slot);
    }
}

static void slot_done(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct slot *slot = arg;
    struct world *world = slot->world;

    world->pending--;
    if (outcome == OUTCOME_OK) {
        world->acknowledged++;
        fact_learn(world, answer->revision,
                   change_hash(text_from(slot->key), text_from(slot->token), slot->deletes),
                   text_hash(text_from(slot->token), 0) | 1);
        slot_learn(slot, answer->revision, slot->deletes);
        slot_begin(slot);
        return;
    }
    if (outcome == OUTCOME_REFUSED && answer->err.code == CODE_R0506) {
        lose(world, "a write is refused: %s", answer->err.text);
    }
    if (world->writes++ < WRITES_A_LIFE) {
        world->pending++;
        store_get(world->store, text_from(slot->key), 0, slot_again, slot);
    }
}

static void compact_done(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct world *world = arg;

    (void)outcome;
    (void)answer;
    world->pending--;
}

static void slot_begin(struct slot *slot)
{
    struct world *world = slot->world;
    char value[VALUE_BYTES];
    char cluster[8];
    size_t length;
    struct store_compare compare = { text_from(slot->key), slot->is_deleted ? 0 : slot->newest };
    struct store_op op = { .key = text_from(slot->key) };
    struct store_event event = { .time_ms = world->tokens };
    struct store_txn txn = { &compare, 1, &op, 1, &event, 1 };

    if (world->writes++ >= WRITES_A_LIFE) {
        return;
    }
    length = (size_t)snprintf(slot->token, sizeof(slot->token), "T%" PRIu64, world->tokens++);
    memset(value, '.', sizeof(value));
    memcpy(value, slot->token, length);
    slot->deletes = !slot->is_deleted && slot->newest != 0 && dice(world, 10) == 0;
    op.is_delete = slot->deletes;
    op.value = (struct text){ value, length + 1 + dice(world, VALUE_BYTES - length - 1) };
    snprintf(cluster, sizeof(cluster), "t/c%u", (unsigned)dice(world, CLUSTERS));
    event.cluster = text_from(cluster);
    event.body = text_from(slot->token);
    world->pending++;
    store_txn(world->store, &txn, slot_done, slot);
    if (world->tokens % COMPACT_EVERY == 0 && world->known_revision > COMPACT_KEEPS) {
        world->pending++;
        store_compact(world->store, world->known_revision - COMPACT_KEEPS, compact_done, world);
    }
}

static void changes_seen(void *arg, enum store_watch_state state, uint64_t revision,
                         const struct store_change *changes, size_t count)
{
    struct world *world = arg;

    if (state == STORE_WATCH_CHANGES) {
        change_take(world, revision, changes, count, &world->watched);
    }
}

static void world_write(struct world *world)
{
    uint64_t from = world->watched < world->compacted ? world->compacted : world->watched;

    world->writes = 0;
    world->watched = from;
    store_watch(world->store, TEXT("/"), from + 1, changes_seen, world);
    for (size_t i = 0; i < SLOTS; i++) {
        slot_begin(&world->slots[i]);
    }
    while (world->pending > 0) {
        world_turn(world);
    }
}

/* ---- lives ---- */

static struct world *world_new(uint64_t seed, const char *name)
{
    struct world *world = calloc(1, sizeof(*world));

    assert_non_null(world);
    world->facts = calloc(REVISIONS_MAX, sizeof(world->facts[0]));
    world->random = seed;
    world->disk = disk_new(name);
    snprintf(world->folder, sizeof(world->folder), "/tmp/store-cut-XXXXXX");
    assert_non_null(mkdtemp(world->folder));
    for (unsigned i = 0; i < SLOTS; i++) {
        snprintf(world->slots[i].key, sizeof(world->slots[i].key), "/t/cluster/o%u/%s", i,
                 i % 4 == 0 ? "spec" : "status");
        world->slots[i].world = world;
        world->slots[i].is_deleted = true;
    }
    return world;
}

static void world_free(struct world *world)
{
    char path[96];

    disk_free(world->disk);
    snprintf(path, sizeof(path), "%s/store.lock", world->folder);
    unlink(path);
    rmdir(world->folder);
    free(world->facts);
    free(world);
}

/* Returns a random number from 1 to 2^bits. Small and large magnitudes are equally likely. */
static uint64_t call_choose(struct world *world, unsigned bits)
{
    return 1 + dice(world, UINT64_C(1) << (3 + dice(world, bits - 2)));
}

/* Opens the store, checks it, and writes until the life ends. Afterwards the power is on again. */
static void life_lead(struct world *world, struct disk_plan plan, bool has_plan_at_open)
{
    struct err err = { 0 };

    disk_plan_set(world->disk, has_plan_at_open ? &plan : &(struct disk_plan){ 0 });
    if (!sqlite_open_on("cut", world->folder, incarnation, &world->store, &err)) {
        if (!disk_has_struck(world->disk) || (err.code == CODE_R0506 && !plan.is_short)) {
            lose(world, "the store does not open: %s", err.text);
        }
    } else {
        if (world_check(world) && world->loss[0] == '\0') {
            if (!has_plan_at_open) {
                disk_plan_set(world->disk, &plan);
            }
            world_write(world);
        }
        store_close(world->store);
    }
}

static void life_end(struct world *world, bool is_cut)
{
    if (is_cut) {
        disk_power_cycle(world->disk, world->random);
    } else {
        disk_revive(world->disk);
    }
}

static struct disk_plan plan_choose(struct world *world)
{
    struct disk_plan plan = { .cut_at = call_choose(world, 16) };

    if (dice(world, 3) == 0) {
        plan.fail_at = call_choose(world, 14);
        plan.cut_at = plan.fail_at + call_choose(world, 14);
        plan.is_full = dice(world, 4) == 0;
        plan.lasts = dice(world, 4) == 0;
    }
    return plan;
}

static unsigned cuts_wanted(void)
{
    const char *said = getenv("FAULT_CUTS");

    return said == NULL ? CUTS : (unsigned)strtoul(said, NULL, 10);
}

/* Runs `count` lives on new disks. Returns the number of disks that lost data, and describes the
 * first loss. */
static unsigned lives_lead(unsigned count, bool ignores_sync, char *out_loss, size_t out_bytes)
{
    struct world *world = NULL;
    uint64_t acknowledged = 0;
    unsigned losses = 0;

    for (unsigned life = 0; life < count; life++) {
        struct disk_plan plan;

        if (world == NULL) {
            world = world_new(life + 1, "cut");
        }
        plan = plan_choose(world);
        plan.ignores_sync = ignores_sync;
        life_lead(world, plan, dice(world, 4) == 0);
        life_end(world, dice(world, 8) != 0);
        if (world->loss[0] != '\0' || (life + 1) % LIVES_A_DISK == 0 || life + 1 == count) {
            if (world->loss[0] != '\0' && losses++ == 0) {
                snprintf(out_loss, out_bytes, "life %u: %s", life, world->loss);
            }
            acknowledged += world->acknowledged;
            world_free(world);
            world = NULL;
        }
    }
    print_message("# %u lives, %" PRIu64 " writes acknowledged, %u disks lost something\n", count,
                  acknowledged, losses);
    assert_true(ignores_sync || acknowledged > count * 20);
    return losses;
}

static void test_a_power_cut_loses_nothing_that_was_acknowledged(void **state)
{
    char loss[256] = "";

    (void)state;
    lives_lead(cuts_wanted(), false, loss, sizeof(loss));
    assert_string_equal(loss, "");
}

static void test_without_syncs_a_power_cut_is_seen_to_lose(void **state)
{
    char loss[256] = "";

    (void)state;
    assert_true(lives_lead(LIVES_A_DISK, true, loss, sizeof(loss)) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_power_cut_loses_nothing_that_was_acknowledged),
        cmocka_unit_test(test_without_syncs_a_power_cut_is_seen_to_lose),
    };

    return cmocka_run_group_tests_name("store cut", tests, NULL, NULL);
}
