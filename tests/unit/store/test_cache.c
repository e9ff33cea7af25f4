/* The watch cache on a memory store. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "engine/cache.h"
#include "store/memory.h"

#include <stdio.h>
#include <string.h>

enum { RING = 64 };

struct fixture {
    struct store *store;
    struct cache *cache;
    struct arena *arena;
};

static void nothing_done(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)answer;
    assert_int_equal(outcome, OUTCOME_OK);
}

static void put(struct fixture *fixture, const char *key, const char *value)
{
    struct store_op op = { .key = text_from(key),
                           .value = text_from(value == NULL ? "" : value),
                           .is_delete = value == NULL };

    store_txn(fixture->store, &(struct store_txn){ .ops = &op, .op_count = 1 }, nothing_done, NULL);
}

static void turn(struct fixture *fixture)
{
    for (int i = 0; i < 5; i++) {
        store_run(fixture->store);
        cache_run(fixture->cache);
    }
}

static int setup(void **state)
{
    static struct fixture fixture;

    fixture.arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    fixture.store = memory_open((const unsigned char *)"0123456789abcdef");
    put(&fixture, "/t/cluster/a/spec", "a1");
    put(&fixture, "/t/cluster/a/status", "up");
    put(&fixture, "/t/node/n/spec", "n1");
    put(&fixture, "/t/lease", "not an object");
    put(&fixture, "/u/cluster/a/spec", "other");
    fixture.cache = cache_new(fixture.store, RING);
    turn(&fixture);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    cache_free(fixture->cache);
    store_close(fixture->store);
    arena_free(fixture->arena);
    return 0;
}

static const char *part_of(const struct fixture *fixture, const char *tenant, const char *kind,
                           const char *id, enum cache_part part)
{
    const struct cache_object *object =
        cache_find(fixture->cache, text_from(tenant), text_from(kind), text_from(id));

    if (object == NULL) {
        return "no object";
    }
    return object->parts[part].bytes == NULL ? "no part" : object->parts[part].bytes->data;
}

static void test_it_holds_what_was_there_at_the_start(void **state)
{
    struct fixture *fixture = *state;
    const struct cache_object *object;

    assert_int_equal(cache_state(fixture->cache), CACHE_READY);
    assert_int_equal(cache_revision(fixture->cache), 5);
    assert_int_equal(cache_count(fixture->cache), 3);
    assert_string_equal(part_of(fixture, "t", "cluster", "a", CACHE_SPEC), "a1");
    assert_string_equal(part_of(fixture, "t", "cluster", "a", CACHE_STATUS), "up");
    assert_string_equal(part_of(fixture, "t", "cluster", "a", CACHE_BASE), "no part");
    assert_string_equal(part_of(fixture, "t", "cluster", "b", CACHE_SPEC), "no object");
    object = cache_find(fixture->cache, TEXT("t"), TEXT("cluster"), TEXT("a"));
    assert_int_equal(object->parts[CACHE_SPEC].revision, 1);
}

static void test_a_status_changes_no_revision_of_the_spec(void **state)
{
    struct fixture *fixture = *state;
    const struct cache_object *object;

    put(fixture, "/t/cluster/a/status", "down");
    turn(fixture);
    object = cache_find(fixture->cache, TEXT("t"), TEXT("cluster"), TEXT("a"));
    assert_int_equal(object->parts[CACHE_SPEC].revision, 1);
    assert_int_equal(object->parts[CACHE_STATUS].revision, 6);
    assert_int_equal(cache_revision(fixture->cache), 6);
}

static void test_an_object_goes_with_its_last_part(void **state)
{
    struct fixture *fixture = *state;

    put(fixture, "/t/cluster/a/spec", NULL);
    turn(fixture);
    assert_string_equal(part_of(fixture, "t", "cluster", "a", CACHE_SPEC), "no part");
    put(fixture, "/t/cluster/a/status", NULL);
    turn(fixture);
    assert_string_equal(part_of(fixture, "t", "cluster", "a", CACHE_SPEC), "no object");
    assert_int_equal(cache_count(fixture->cache), 2);
}

static void test_a_walk_goes_in_order_and_keeps_to_its_prefix(void **state)
{
    struct fixture *fixture = *state;
    const struct cache_object *object = cache_first(fixture->cache, TEXT("/t/"));

    assert_true(text_is(object->kind, "cluster"));
    object = cache_next(fixture->cache, TEXT("/t/"), object);
    assert_true(text_is(object->kind, "node"));
    assert_null(cache_next(fixture->cache, TEXT("/t/"), object));
    assert_null(cache_first(fixture->cache, TEXT("/v/")));
}

static void test_bytes_may_be_kept_beyond_their_object(void **state)
{
    struct fixture *fixture = *state;
    struct blob *bytes = blob_share(
        cache_find(fixture->cache, TEXT("t"), TEXT("node"), TEXT("n"))->parts[CACHE_SPEC].bytes);

    put(fixture, "/t/node/n/spec", NULL);
    turn(fixture);
    assert_true(text_is(blob_text(bytes), "n1"));
    blob_free(bytes);
}

struct seen {
    char text[4096];
    unsigned resets;
    uint64_t last_revision;
    struct cache_watch *close_after;
};

/* Everything a watch is told, as one line of text. */
static void seen_keep(void *arg, enum cache_watch_state state, const struct cache_change *change)
{
    struct seen *seen = arg;
    size_t used = strlen(seen->text);

    if (state == CACHE_WATCH_RESET) {
        seen->resets++;
        return;
    }
    assert_true(change->revision >= seen->last_revision);
    seen->last_revision = change->revision;
    snprintf(seen->text + used, sizeof(seen->text) - used, "%llu %.*s/%.*s/%.*s:%d=%s%s;",
             (unsigned long long)change->revision, TEXT_ARG(change->tenant), TEXT_ARG(change->kind),
             TEXT_ARG(change->id), (int)change->part,
             change->bytes == NULL ? "-" : change->bytes->data, change->is_last ? "" : "+");
    if (seen->close_after != NULL) {
        cache_watch_close(seen->close_after);
    }
}

static bool wants_specs(void *arg, const struct cache_change *change)
{
    (void)arg;
    return change->part == CACHE_SPEC;
}

static void test_a_watch_is_told_what_it_wants_in_order(void **state)
{
    struct fixture *fixture = *state;
    struct seen all = { .text = "" };
    struct seen specs = { .text = "" };
    struct store_op ops[2] = { { .key = TEXT("/t/node/m/spec"), .value = TEXT("m1") },
                               { .key = TEXT("/t/node/m/status"), .value = TEXT("s1") } };

    cache_watch(fixture->cache, TEXT("/t/"), 6, NULL, seen_keep, &all);
    cache_watch(fixture->cache, TEXT("/t/node/"), 6, wants_specs, seen_keep, &specs);
    store_txn(fixture->store, &(struct store_txn){ .ops = ops, .op_count = 2 }, nothing_done, NULL);
    put(fixture, "/u/node/x/spec", "x");
    put(fixture, "/t/cluster/a/spec", NULL);
    turn(fixture);
    assert_string_equal(all.text, "6 t/node/m:0=m1+;6 t/node/m:1=s1;8 t/cluster/a:0=-;");
    assert_string_equal(specs.text, "6 t/node/m:0=m1+;");
    assert_int_equal(all.resets + specs.resets, 0);
}

static void test_a_watch_resumes_by_revision(void **state)
{
    struct fixture *fixture = *state;
    struct seen seen = { .text = "" };

    put(fixture, "/t/node/n/spec", "n2");
    put(fixture, "/t/node/n/spec", "n3");
    turn(fixture);
    cache_watch(fixture->cache, TEXT("/"), 7, NULL, seen_keep, &seen);
    turn(fixture);
    assert_string_equal(seen.text, "7 t/node/n:0=n3;");
}

static void test_a_watch_may_end_itself(void **state)
{
    struct fixture *fixture = *state;
    struct seen seen = { .text = "" };

    seen.close_after = cache_watch(fixture->cache, TEXT("/"), 6, NULL, seen_keep, &seen);
    put(fixture, "/t/node/n/spec", "n2");
    put(fixture, "/t/node/n/spec", "n3");
    turn(fixture);
    assert_string_equal(seen.text, "6 t/node/n:0=n2;");
}

static void test_a_watch_that_fell_behind_is_told_to_begin_anew(void **state)
{
    struct fixture *fixture = *state;
    struct seen old = { .text = "" };
    struct seen future = { .text = "" };

    cache_watch(fixture->cache, TEXT("/"), 5, NULL, seen_keep, &old);
    turn(fixture);
    assert_int_equal(old.resets, 1);
    for (int i = 0; i < RING + 1; i++) {
        put(fixture, "/t/node/n/spec", "n");
    }
    turn(fixture);
    old.resets = 0;
    cache_watch(fixture->cache, TEXT("/"), 6, NULL, seen_keep, &old);
    cache_watch(fixture->cache, TEXT("/"), 7, NULL, seen_keep, &future);
    turn(fixture);
    assert_int_equal(old.resets, 1);
    assert_int_equal(future.resets, 0);
    assert_int_equal(future.last_revision, 6 + RING);
}

static void test_a_lost_store_is_loaded_anew_and_watches_are_told(void **state)
{
    struct fixture *fixture = *state;
    struct seen seen = { .text = "" };

    cache_watch(fixture->cache, TEXT("/"), 6, NULL, seen_keep, &seen);
    cache_run(fixture->cache);
    put(fixture, "/t/node/n/spec", "n2");
    put(fixture, "/t/node/n/spec", "n3");
    /* compacted before the store's watch was told of it */
    store_compact(fixture->store, 7, nothing_done, NULL);
    turn(fixture);
    assert_int_equal(seen.resets, 1);
    assert_int_equal(cache_state(fixture->cache), CACHE_READY);
    assert_string_equal(part_of(fixture, "t", "node", "n", CACHE_SPEC), "n3");
    assert_int_equal(cache_revision(fixture->cache), 7);
}

/* After a few thousand random changes the cache is what the store lists. */
static void list_compare(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct fixture *fixture = arg;
    size_t objects = 0;

    assert_int_equal(outcome, OUTCOME_OK);
    assert_int_equal(answer->revision, cache_revision(fixture->cache));
    for (size_t i = 0; i < answer->count; i++) {
        struct text key = answer->items[i].key;
        const struct cache_object *object;

        if (!text_has_suffix(key, TEXT("/spec"))) {
            continue;
        }
        objects++;
        object = cache_first(fixture->cache, text_slice(key, 0, key.length - 5));
        assert_non_null(object);
        assert_true(
            text_is_equal(blob_text(object->parts[CACHE_SPEC].bytes), answer->items[i].value));
        assert_int_equal(object->parts[CACHE_SPEC].revision, answer->items[i].revision);
        assert_int_equal(object->parts[CACHE_SPEC].create_revision,
                         answer->items[i].create_revision);
    }
    assert_int_equal(objects, cache_count(fixture->cache));
}

static void test_random_changes_leave_it_equal_to_the_store(void **state)
{
    struct fixture *fixture = *state;
    uint64_t seed = 99;

    put(fixture, "/t/cluster/a/status", NULL);
    for (int step = 0; step < 5000; step++) {
        char key[64];
        char value[32];

        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        snprintf(key, sizeof(key), "/t%u/node/n%03u/spec", (unsigned)(seed >> 60) % 3,
                 (unsigned)(seed >> 33) % 200);
        snprintf(value, sizeof(value), "v%d", step);
        put(fixture, key, (seed >> 20) % 4 == 0 ? NULL : value);
        if (step % 50 == 0) {
            turn(fixture);
        }
    }
    turn(fixture);
    store_list(fixture->store, &(struct store_range){ .prefix = TEXT("/") }, list_compare, fixture);
    turn(fixture);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest cases[] = {
        CASE(test_it_holds_what_was_there_at_the_start),
        CASE(test_a_status_changes_no_revision_of_the_spec),
        CASE(test_an_object_goes_with_its_last_part),
        CASE(test_a_walk_goes_in_order_and_keeps_to_its_prefix),
        CASE(test_bytes_may_be_kept_beyond_their_object),
        CASE(test_a_watch_is_told_what_it_wants_in_order),
        CASE(test_a_watch_resumes_by_revision),
        CASE(test_a_watch_may_end_itself),
        CASE(test_a_watch_that_fell_behind_is_told_to_begin_anew),
        CASE(test_a_lost_store_is_loaded_anew_and_watches_are_told),
        CASE(test_random_changes_leave_it_equal_to_the_store),
    };

    return cmocka_run_group_tests(cases, NULL, NULL);
}
