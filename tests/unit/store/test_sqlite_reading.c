/* A cache that is filled while the store is verified equals a cache that lists the store: the same
 * objects, revisions and changes after every revision, for any writes, deletions and
 * compactions. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/limits.h"
#include "state/cache.h"
#include "sqlite/sqlite.h"
#include "sqlite/sqlite_db.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = 32, OPS = 6, KEYS = 24, WAIT_MS = 10000 };

static const unsigned char incarnation[17] = "told while read.";

static const char *const key_formats[] = {
    "/t/Cluster/c%u/spec",  "/t/NodeGroup/c%u/web/spec",   "/t/NodeGroup/c%u/web/status",
    "/u/Cluster/c%u/base",  "/_/OperationPart/%u/1/spec",  "/t/lease%u",
    "/t/Node/c%u/n/status", "/t/NodeGroup/c%u/other/spec",
};

struct history {
    unsigned revisions;
    unsigned compact_every; /* number of batches between compactions; 0: never */
    size_t ring;
};

struct one {
    char keys[OPS][48];
    char values[OPS][64];
    struct store_op ops[OPS];
    struct store_txn txn;
    struct sqlite_result result;
    struct store_answer answer;
};

struct writing {
    struct sqlite_db *db;
    uint64_t state; /* state of the random numbers */
    struct one ones[BATCH];
};

static unsigned below(struct writing *writing, unsigned bound)
{
    writing->state = writing->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(writing->state >> 33) % bound;
}

/* Makes a transaction of some changes with different keys. */
static void one_make(struct writing *writing, struct one *one)
{
    unsigned first = below(writing, (unsigned)ARRAY_COUNT(key_formats));
    unsigned count = 1 + below(writing, OPS);

    for (unsigned i = 0; i < count; i++) {
        const char *format = key_formats[(first + i) % ARRAY_COUNT(key_formats)];
        size_t number = (size_t)(strchr(format, '%') - format);

        snprintf(one->keys[i], sizeof(one->keys[i]), "%.*s%u%s", (int)number, format,
                 below(writing, KEYS), format + number + 2);
        snprintf(one->values[i], sizeof(one->values[i]), "value %u", below(writing, 1000000));
        one->ops[i] = (struct store_op){ .key = text_from(one->keys[i]),
                                         .value = text_from(one->values[i]),
                                         .is_delete = below(writing, 4) == 0 };
    }
    one->txn = (struct store_txn){ .ops = one->ops, .op_count = count };
    one->result = (struct sqlite_result){ 0 };
    one->answer = (struct store_answer){ 0 };
}

/* Writes `count` transactions in one commit. Returns the resulting revision. */
static uint64_t batch_write(struct writing *writing, size_t count)
{
    struct sqlite_write writes[BATCH];

    for (size_t i = 0; i < count; i++) {
        struct one *one = &writing->ones[i];

        one_make(writing, one);
        writes[i] = (struct sqlite_write){ &one->txn, &one->result, &one->answer, NULL };
    }
    sqlite_db_write(writing->db, writes, count);
    assert_int_equal(writing->ones[count - 1].result.outcome, OUTCOME_OK);
    return writing->ones[count - 1].answer.revision;
}

/* Compacts up to a slightly older revision, and sweeps some of it, perhaps not all. */
static void some_compact(struct writing *writing, uint64_t revision)
{
    struct sqlite_result result;

    sqlite_db_compact(writing->db, revision - below(writing, 20), &result);
    assert_int_equal(result.outcome, OUTCOME_OK);
    for (unsigned slices = below(writing, 3); slices > 0; slices--) {
        sqlite_db_sweep(writing->db);
    }
}

static void history_write(const char *folder, const struct history *history)
{
    static struct writing writing;
    char path[64];
    uint64_t revision = 0;
    uint64_t compacted = 0;
    struct err err;

    snprintf(path, sizeof(path), "%s/store.db", folder);
    writing.state = history->revisions;
    assert_true(sqlite_db_open(&(struct sqlite_opening){ .path = path, .incarnation = incarnation },
                               &writing.db, &err));
    while (revision < history->revisions) {
        uint64_t left = history->revisions - revision;

        revision = batch_write(&writing, left < BATCH ? (size_t)left : BATCH);
        if (history->compact_every > 0 && revision >= compacted + history->compact_every) {
            some_compact(&writing, revision);
            compacted = revision;
        }
    }
    sqlite_db_close(writing.db);
}

static void settle(struct store *store, struct cache *cache)
{
    struct pollfd one = { .fd = store_descriptor(store), .events = POLLIN };

    while (cache_state(cache) != CACHE_READY) {
        assert_int_equal(poll(&one, 1, WAIT_MS), 1);
        store_run(store);
        cache_run(cache);
    }
    cache_run(cache);
}

static struct text bytes_of(const struct blob *blob)
{
    return blob == NULL ? TEXT("-") : blob_text(blob);
}

static struct text objects_report(struct arena *arena, const struct cache *cache)
{
    struct buf buf;

    buf_init(&buf, arena);
    buf_printf(&buf, "%zu at %llu\n", cache_count(cache),
               (unsigned long long)cache_revision(cache));
    for (const struct cache_object *object = cache_first(cache, TEXT("/")); object != NULL;
         object = cache_next(cache, TEXT("/"), object)) {
        buf_printf(&buf, "%.*s:", TEXT_ARG(blob_text(object->key)));
        for (int part = 0; part < CACHE_PART_COUNT; part++) {
            buf_printf(&buf, " %.*s %llu", TEXT_ARG(bytes_of(object->parts[part].bytes)),
                       (unsigned long long)object->parts[part].revision);
        }
        buf_printf(&buf, "\n");
    }
    return buf_text(&buf);
}

static void seen(void *arg, enum cache_watch_state state, const struct cache_change *change)
{
    struct buf *buf = arg;

    if (state == CACHE_WATCH_RESET) {
        buf_printf(buf, "reset\n");
        return;
    }
    buf_printf(buf, "%llu %.*s %d %d %d %.*s of", (unsigned long long)change->revision,
               TEXT_ARG(blob_text(change->key)), change->part, change->move, change->is_last,
               TEXT_ARG(bytes_of(change->bytes)));
    for (int part = 0; part < CACHE_PART_COUNT; part++) {
        buf_printf(buf, " %llu", (unsigned long long)change->parts[part].revision);
    }
    buf_printf(buf, "\n");
}

static struct text changes_report(struct arena *arena, struct cache *cache, uint64_t from)
{
    static const struct cache_scope all = { .prefix = { "/", 1 } };
    struct buf buf;
    struct cache_watch *watch = cache_watch(cache, &all, from, seen, &buf);

    buf_init(&buf, arena);
    cache_run(cache);
    if (!text_is(buf_text(&buf), "reset\n")) {
        cache_watch_close(watch);
    }
    return buf_text(&buf);
}

static void folder_remove(const char *folder)
{
    static const char *const names[] = { "store.db",   "store.db-note", "store.db-audit",
                                         "store.lock", "store.db-wal",  "store.db-shm" };
    char path[96];

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

static void same_check(const struct history *history)
{
    char folder[] = "/tmp/store-told-XXXXXX";
    struct cache *reported = cache_new_ahead(history->ring);
    struct store_reading reading = cache_reading(reported);
    struct store *store;
    struct cache *listed;
    struct err err;

    assert_non_null(mkdtemp(folder));
    history_write(folder, history);
    assert_true(sqlite_open_reading(folder, incarnation, &reading, &store, &err));
    cache_follow(reported, store);
    assert_int_equal(cache_state(reported), CACHE_READY); /* without reading the store */
    listed = cache_new(store, history->ring);
    settle(store, listed);
    settle(store, reported);
    for (uint64_t from = 1; from <= cache_revision(reported) + 1; from += 1 + from / 40) {
        AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);

        assert_string_equal(changes_report(arena, reported, from).data,
                            changes_report(arena, listed, from).data);
    }
    {
        AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);

        assert_string_equal(objects_report(arena, reported).data,
                            objects_report(arena, listed).data);
    }
    cache_free(reported);
    cache_free(listed);
    store_close(store);
    folder_remove(folder);
}

static void test_what_is_reported_is_what_is_listed(void **state)
{
    static const struct history histories[] = {
        { 0, 0, 64 },       { 1, 0, 64 },         { 300, 0, 4096 },     { 300, 0, 64 },
        { 300, 90, 4096 },  { 1023, 0, 8192 },    { 1024, 0, 8192 },    { 1025, 0, 8192 },
        { 1500, 0, 8192 },  { 1500, 0, 256 },     { 1500, 1400, 8192 }, { 1500, 250, 8192 },
        { 1500, 1500, 64 }, { 2600, 700, 16384 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(histories); i++) {
        same_check(&histories[i]);
    }
}

/* Changes one byte of a value in the file. */
static void value_damage(const char *folder)
{
    char path[64];
    static char bytes[1 << 20];
    FILE *file;
    size_t length;
    char *at;

    snprintf(path, sizeof(path), "%s/store.db", folder);
    file = fopen(path, "r+b");
    assert_non_null(file);
    length = fread(bytes, 1, sizeof(bytes), file);
    at = memmem(bytes, length, "value 4", 7); /* this text is a value, not the name of a column */
    assert_non_null(at);
    assert_int_equal(fseek(file, at - bytes, SEEK_SET), 0);
    assert_int_equal(fputc('V', file), 'V');
    assert_int_equal(fclose(file), 0);
}

static void test_of_a_damaged_store_nothing_is_believed(void **state)
{
    char folder[] = "/tmp/store-told-XXXXXX";
    struct cache *cache = cache_new_ahead(64);
    struct store_reading reading = cache_reading(cache);
    struct store *store;
    struct pollfd one = { .events = POLLIN };
    struct store_status status;
    struct err err;

    (void)state;
    assert_non_null(mkdtemp(folder));
    history_write(folder, &(struct history){ 100, 0, 64 });
    value_damage(folder);
    assert_true(sqlite_open_reading(folder, incarnation, &reading, &store, &err));
    cache_follow(cache, store);
    assert_int_equal(cache_state(cache), CACHE_LOADING);
    assert_int_equal(cache_count(cache), 0);
    one.fd = store_descriptor(store);
    while (cache_state(cache) == CACHE_LOADING) {
        assert_int_equal(poll(&one, 1, WAIT_MS), 1);
        store_run(store);
    }
    assert_int_equal(cache_state(cache), CACHE_READY); /* with the intact data */
    store_status(store, &status);
    assert_false(status.is_writable);
    assert_true(status.is_held);
    assert_int_equal(status.problem.code, CODE_R0506);
    assert_non_null(status.damage);
    assert_int_equal(status.damage->revision, 100);
    assert_int_equal(cache_revision(cache), 100);
    assert_true(status.damage->keys <= 1); /* the damaged row, if it was the newest of its key */
    assert_int_equal(status.damage->named, status.damage->keys);
    cache_free(cache);
    store_close(store);
    folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_reported_is_what_is_listed),
        cmocka_unit_test(test_of_a_damaged_store_nothing_is_believed),
    };

    return cmocka_run_group_tests_name("store/sqlite_reading", tests, NULL, NULL);
}
