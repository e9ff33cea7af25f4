/* The watch cache with a store in memory. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "state/cache.h"
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

    assert_true(text_is(cache_kind(object), "cluster"));
    object = cache_next(fixture->cache, TEXT("/t/"), object);
    assert_true(text_is(cache_kind(object), "node"));
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

/* Records every report of a watch as one line of text. */
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
    snprintf(seen->text + used, sizeof(seen->text) - used, "%llu %.*s/%.*s/%.*s:%d=%s%s%s;",
             (unsigned long long)change->revision, TEXT_ARG(change->tenant), TEXT_ARG(change->kind),
             TEXT_ARG(change->id), (int)change->part,
             change->bytes == NULL ? "-" : change->bytes->data,
             change->move == CACHE_ENTERS   ? ">"
             : change->move == CACHE_LEAVES ? "<"
                                            : "",
             change->is_last ? "" : "+");
    if (seen->close_after != NULL) {
        cache_watch_close(seen->close_after);
    }
}

static struct cache_watch *watch(struct fixture *fixture, const char *prefix,
                                 uint64_t from_revision, struct seen *seen)
{
    return cache_watch(fixture->cache, &(struct cache_scope){ .prefix = text_from(prefix) },
                       from_revision, seen_keep, seen);
}

static void test_a_watch_is_reported_what_it_wants_in_order(void **state)
{
    struct fixture *fixture = *state;
    struct seen all = { .text = "" };
    struct seen nodes = { .text = "" };
    struct store_op ops[2] = { { .key = TEXT("/t/node/m/spec"), .value = TEXT("m1") },
                               { .key = TEXT("/t/node/m/status"), .value = TEXT("s1") } };

    watch(fixture, "/t/", 6, &all);
    watch(fixture, "/t/node/", 6, &nodes);
    store_txn(fixture->store, &(struct store_txn){ .ops = ops, .op_count = 2 }, nothing_done, NULL);
    put(fixture, "/u/node/x/spec", "x");
    put(fixture, "/t/cluster/a/spec", NULL);
    turn(fixture);
    assert_string_equal(all.text, "6 t/node/m:0=m1>+;6 t/node/m:1=s1;8 t/cluster/a:0=-;");
    assert_string_equal(nodes.text, "6 t/node/m:0=m1>+;6 t/node/m:1=s1;");
    assert_int_equal(all.resets + nodes.resets, 0);
}

static void test_a_watch_resumes_by_revision(void **state)
{
    struct fixture *fixture = *state;
    struct seen seen = { .text = "" };

    put(fixture, "/t/node/n/spec", "n2");
    put(fixture, "/t/node/n/spec", "n3");
    turn(fixture);
    watch(fixture, "/", 7, &seen);
    turn(fixture);
    assert_string_equal(seen.text, "7 t/node/n:0=n3;");
}

static void test_a_watch_resumes_behind_what_a_former_cache_has_reported(void **state)
{
    struct fixture *fixture = *state;
    struct seen seen = { 0 };

    put(fixture, "/t/cluster/a/spec", "a2");
    put(fixture, "/t/node/n/spec", NULL);
    turn(fixture);
    cache_free(fixture->cache);
    fixture->cache = cache_new(fixture->store, RING);
    while (cache_state(fixture->cache) == CACHE_LOADING) {
        assert_true(cache_revision(fixture->cache) < 7);
        turn(fixture);
    }
    assert_int_equal(cache_revision(fixture->cache), 7);
    assert_string_equal(part_of(fixture, "t", "cluster", "a", CACHE_SPEC), "a2");
    watch(fixture, "/t/", 3, &seen);
    turn(fixture);
    assert_string_equal(seen.text, "3 t/node/n:0=n1>;6 t/cluster/a:0=a2;7 t/node/n:0=-<;");
    assert_int_equal(seen.resets, 0);
}

static void test_a_watch_may_end_itself(void **state)
{
    struct fixture *fixture = *state;
    struct seen seen = { .text = "" };

    seen.close_after = watch(fixture, "/", 6, &seen);
    put(fixture, "/t/node/n/spec", "n2");
    put(fixture, "/t/node/n/spec", "n3");
    turn(fixture);
    assert_string_equal(seen.text, "6 t/node/n:0=n2;");
}

static void test_a_watch_that_is_held_goes_on_where_it_was(void **state)
{
    struct fixture *fixture = *state;
    struct seen seen = { .text = "" };
    struct cache_watch *held = watch(fixture, "/t/", 6, &seen);

    cache_watch_hold(held, true);
    put(fixture, "/t/node/n/spec", "n2");
    put(fixture, "/t/node/n/spec", "n3");
    turn(fixture);
    assert_string_equal(seen.text, "");
    cache_watch_hold(held, false);
    turn(fixture);
    assert_string_equal(seen.text, "6 t/node/n:0=n2;7 t/node/n:0=n3;");
    cache_watch_hold(held, true);
    for (int i = 0; i <= RING; i++) {
        char value[16];

        snprintf(value, sizeof(value), "n%d", i);
        put(fixture, "/t/node/n/spec", value);
        turn(fixture);
    }
    assert_int_equal(seen.resets, 1);
}

static void cache_begin_anew(struct fixture *fixture)
{
    cache_free(fixture->cache);
    fixture->cache = cache_new(fixture->store, RING);
    while (cache_state(fixture->cache) == CACHE_LOADING) {
        turn(fixture);
    }
}

static void test_of_a_young_store_everything_is_known_one_by_one(void **state)
{
    struct fixture *fixture = *state;
    struct seen seen = { .text = "" };
    struct seen later = { .text = "" };

    watch(fixture, "/t/", 1, &seen);
    turn(fixture);
    assert_int_equal(seen.resets, 0);
    assert_string_equal(seen.text, "1 t/cluster/a:0=a1>;2 t/cluster/a:1=up;3 t/node/n:0=n1>;");
    for (int i = 0; i < LIMIT_CACHE_BEHIND; i++) {
        put(fixture, "/t/node/n/spec", "n");
    }
    turn(fixture);
    cache_begin_anew(fixture);
    /* of the initial content only the state is known, not its history */
    watch(fixture, "/t/", 1, &later);
    turn(fixture);
    assert_int_equal(later.resets, 1);
    assert_string_equal(part_of(fixture, "t", "cluster", "a", CACHE_SPEC), "a1");
}

static void test_what_begins_with_the_latest_reads_nothing_of_before(void **state)
{
    struct fixture *fixture = *state;
    struct seen seen = { .text = "" };
    struct seen before = { .text = "" };

    cache_free(fixture->cache);
    fixture->cache = cache_new_latest(fixture->store, RING);
    turn(fixture);
    assert_int_equal(cache_state(fixture->cache), CACHE_READY);
    assert_string_equal(part_of(fixture, "t", "cluster", "a", CACHE_SPEC), "a1");
    watch(fixture, "/t/", 1, &before);
    watch(fixture, "/t/", 6, &seen);
    put(fixture, "/t/node/n/spec", "n2");
    turn(fixture);
    assert_int_equal(before.resets, 1);
    assert_string_equal(seen.text, "6 t/node/n:0=n2;");
}

static void test_a_watch_that_fell_behind_is_reported_to_begin_anew(void **state)
{
    struct fixture *fixture = *state;
    struct seen old = { .text = "" };
    struct seen future = { .text = "" };

    for (int i = 0; i < RING + 1; i++) {
        put(fixture, "/t/node/n/spec", "n");
    }
    turn(fixture);
    old.resets = 0;
    watch(fixture, "/", 6, &old);
    watch(fixture, "/", 7, &future);
    turn(fixture);
    assert_int_equal(old.resets, 1);
    assert_int_equal(future.resets, 0);
    assert_int_equal(future.last_revision, 6 + RING);
}

/* Puts a value of this size. */
static void put_large(struct fixture *fixture, const char *key, size_t bytes)
{
    static char value[LIMIT_CACHE_PAST_BYTES / 4 + 1];

    memset(value, 'v', bytes);
    value[bytes] = '\0';
    put(fixture, key, value);
    turn(fixture);
}

/* Returns how many of `count` watches, each starting a revision earlier, receive a reset. */
static unsigned resets_count(struct fixture *fixture, uint64_t newest, uint64_t count)
{
    struct seen seen[16] = { { .resets = 0 } };
    unsigned resets = 0;

    assert_true(count <= ARRAY_COUNT(seen));
    for (uint64_t i = 0; i < count; i++) {
        watch(fixture, "/t/", newest - i, &seen[i]);
    }
    turn(fixture);
    for (uint64_t i = 0; i < count; i++) {
        resets += seen[i].resets;
    }
    return resets;
}

static void test_the_past_weighs_no_more_than_what_there_is(void **state)
{
    struct fixture *fixture = *state;
    enum { EIGHTH = LIMIT_CACHE_PAST_BYTES / 8 };

    for (int i = 0; i < 12; i++) { /* one object with eleven past values */
        put_large(fixture, "/t/node/n/spec", EIGHTH);
    }
    assert_int_equal(cache_revision(fixture->cache), 17);
    /* with the overhead of each step, seven steps fit */
    assert_int_equal(resets_count(fixture, 17, 12), 5);
    for (int i = 0; i < 12; i++) {
        char key[32];

        snprintf(key, sizeof(key), "/t/node/m-%d/spec", i);
        put_large(fixture, key, EIGHTH);
    }
    for (int i = 0; i < 12; i++) { /* now there are thirteen objects */
        put_large(fixture, "/t/node/n/spec", EIGHTH);
    }
    assert_int_equal(cache_revision(fixture->cache), 41);
    assert_int_equal(resets_count(fixture, 41, 12), 0);
}

static void test_the_past_of_a_store_that_is_read_anew_is_weighed_anew(void **state)
{
    struct fixture *fixture = *state;
    enum { QUARTER = LIMIT_CACHE_PAST_BYTES / 4, OBJECTS = 8 };
    char keys[OBJECTS][32];

    for (int i = 0; i < OBJECTS; i++) {
        snprintf(keys[i], sizeof(keys[i]), "/t/node/m-%d/spec", i);
        put_large(fixture, keys[i], QUARTER);
    }
    for (int i = 0; i < OBJECTS; i++) { /* the earlier content no longer counts */
        put(fixture, keys[i], NULL);
    }
    store_compact(fixture->store, 21, nothing_done, NULL);
    turn(fixture);
    assert_int_equal(cache_state(fixture->cache), CACHE_READY);
    for (int i = 0; i < 6; i++) {
        put_large(fixture, "/t/node/m/spec", QUARTER);
    }
    assert_int_equal(cache_revision(fixture->cache), 27);
    assert_int_equal(resets_count(fixture, 27, 6), 3);
}

/* Blocks of the ring are reused: a position has the content that was stored last, for any number of
 * cycles. */
static void test_a_row_that_is_mostly_empty_goes_round(void **state)
{
    struct fixture *fixture = *state;
    struct seen seen = { .text = "" };
    struct seen late = { .text = "" };

    cache_free(fixture->cache);
    fixture->cache = cache_new_latest(fixture->store, 2048);
    turn(fixture);
    watch(fixture, "/t/node/n", 6, &seen);
    for (int i = 0; i < 5000; i++) {
        char value[16];

        snprintf(value, sizeof(value), "%d", i);
        put(fixture, "/t/node/n/spec", value);
        if (i % 100 == 0) {
            put_large(fixture, "/t/node/m/spec", LIMIT_CACHE_PAST_BYTES / 4);
        }
    }
    turn(fixture);
    watch(fixture, "/t/node/n", 5053, &late);
    turn(fixture);
    assert_int_equal(seen.resets, 0);
    assert_int_equal(seen.last_revision, 5055);
    assert_string_equal(late.text,
                        "5053 t/node/n:0=4997;5054 t/node/n:0=4998;5055 t/node/n:0=4999;");
}

static void test_a_lost_store_is_loaded_anew_and_watches_are_reported(void **state)
{
    struct fixture *fixture = *state;
    struct seen seen = { .text = "" };

    watch(fixture, "/", 6, &seen);
    cache_run(fixture->cache);
    put(fixture, "/t/node/n/spec", "n2");
    put(fixture, "/t/node/n/spec", "n3");
    /* compacted before the store's watch reported it */
    store_compact(fixture->store, 7, nothing_done, NULL);
    turn(fixture);
    assert_int_equal(seen.resets, 1);
    assert_int_equal(cache_state(fixture->cache), CACHE_READY);
    assert_string_equal(part_of(fixture, "t", "node", "n", CACHE_SPEC), "n3");
    assert_int_equal(cache_revision(fixture->cache), 7);
}

/* After thousands of random changes, the cache equals the list of the store. */
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

static struct selector selector_of(struct fixture *fixture, const char *text)
{
    struct selector selector;
    struct err err;

    assert_true(selector_parse(fixture->arena, text_from(text), &selector, &err));
    return selector;
}

static void test_a_watch_with_a_selector_is_reported_who_comes_and_goes(void **state)
{
    struct fixture *fixture = *state;
    struct selector selector = selector_of(fixture, "role=web, mem>=64Gi, state=up");
    struct cache_scope scope = { TEXT("/"), TEXT("node"), &selector };
    struct seen seen = { .text = "" };
    struct seen late = { .text = "" };
    const char *all;

    cache_watch(fixture->cache, &scope, 6, seen_keep, &seen);
    put(fixture, "/t/node/w/spec", "{\"a\":1,\"labels\":{\"role\":\"web\"}}");
    put(fixture, "/t/node/w/status", "{\"facts\":{\"mem\":\"64Gi\"},\"state\":\"up\"}");
    put(fixture, "/t/cluster/w/spec", "{\"labels\":{\"role\":\"web\"}}");
    put(fixture, "/t/node/w/base", "b");
    put(fixture, "/t/node/w/spec", "{\"labels\":{\"role\":\"db\"}}");
    put(fixture, "/t/node/w/status", "{\"state\":\"up\"}");
    put(fixture, "/t/node/v/spec", "{\"metadata\":{\"labels\":{\"role\":\"web\"}}}");
    put(fixture, "/t/node/v/status", "{\"facts\":{\"mem\":68719476736},\"state\":\"up\"}");
    put(fixture, "/t/node/v/spec", NULL);
    turn(fixture);
    all = "7 t/node/w:1={\"facts\":{\"mem\":\"64Gi\"},\"state\":\"up\"}>;"
          "9 t/node/w:2=b;"
          "10 t/node/w:0={\"labels\":{\"role\":\"db\"}}<;"
          "13 t/node/v:1={\"facts\":{\"mem\":68719476736},\"state\":\"up\"}>;"
          "14 t/node/v:0=-<;";
    assert_string_equal(seen.text, all);
    /* a later watch that reads from the ring receives the same changes */
    cache_watch(fixture->cache, &scope, 6, seen_keep, &late);
    turn(fixture);
    assert_string_equal(late.text, all);
}

struct listing {
    char text[1 << 16];
    size_t length;
    size_t rows;
};

static void row_keep(void *arg, const struct cache_object *object)
{
    struct listing *listing = arg;

    listing->rows++;
    listing->length += (size_t)snprintf(
        listing->text + listing->length, sizeof(listing->text) - listing->length, "%.*s/%.*s/%.*s",
        TEXT_ARG(cache_tenant(object)), TEXT_ARG(cache_kind(object)), TEXT_ARG(cache_id(object)));
    for (int part = 0; part < CACHE_PART_COUNT; part++) {
        const struct cache_bytes *bytes = &object->parts[part];

        if (bytes->bytes != NULL) {
            listing->length += (size_t)snprintf(
                listing->text + listing->length, sizeof(listing->text) - listing->length,
                ":%d=%s@%llu", part, bytes->bytes->data, (unsigned long long)bytes->revision);
        }
    }
    listing->text[listing->length++] = ';';
    listing->text[listing->length] = '\0';
}

static const char *list_of(struct fixture *fixture, struct cache_scope scope, size_t limit,
                           struct cache_page *page, struct listing *listing)
{
    struct err err;

    if (!cache_list(fixture->cache, fixture->arena, &scope, page, limit, row_keep, listing, &err)) {
        fail_msg("%s", err.text);
    }
    return listing->text;
}

static void test_a_list_keeps_to_its_scope(void **state)
{
    struct fixture *fixture = *state;
    struct selector web = selector_of(fixture, "role=web");
    const struct {
        struct cache_scope scope;
        const char *rows;
    } cases[] = {
        { { .prefix = TEXT("/") },
          "t/cluster/a:0=a1@1:1=up@2;t/node/n:0=n1@3;u/cluster/a:0=other@5;"
          "u/node/w:0={\"labels\":{\"role\":\"web\"}}@6;u-1/cluster/b:0=b@7;" },
        { { .prefix = TEXT("/t/") }, "t/cluster/a:0=a1@1:1=up@2;t/node/n:0=n1@3;" },
        { { .prefix = TEXT("/t/node/n") }, "t/node/n:0=n1@3;" },
        { { .prefix = TEXT("/v/") }, "" },
        { { .prefix = TEXT("/"), .kind = TEXT("cluster") },
          "t/cluster/a:0=a1@1:1=up@2;u/cluster/a:0=other@5;u-1/cluster/b:0=b@7;" },
        { { .prefix = TEXT("/"), .kind = TEXT("node") },
          "t/node/n:0=n1@3;u/node/w:0={\"labels\":{\"role\":\"web\"}}@6;" },
        { { .prefix = TEXT("/"), .kind = TEXT("zone") }, "" },
        { { .prefix = TEXT("/t/"), .kind = TEXT("node") }, "t/node/n:0=n1@3;" },
        { { .prefix = TEXT("/"), .selector = &web },
          "u/node/w:0={\"labels\":{\"role\":\"web\"}}@6;" },
    };

    put(fixture, "/u/node/w/spec", "{\"labels\":{\"role\":\"web\"}}");
    put(fixture, "/u-1/cluster/b/spec", "b"); /* '-' sorts before '/' */
    turn(fixture);
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct cache_page page = { .revision = 0 };
        struct listing listing = { .text = "" };
        char expected[512] = "";

        /* in byte order "/u-1/" comes before "/u/" */
        if (strstr(cases[i].rows, "u-1") != NULL) {
            const char *late = strstr(cases[i].rows, "u-1");
            const char *u = strstr(cases[i].rows, "u/");

            snprintf(expected, sizeof(expected), "%.*s%s%.*s", (int)(u - cases[i].rows),
                     cases[i].rows, late, (int)(late - u), u);
        }
        assert_string_equal(list_of(fixture, cases[i].scope, 100, &page, &listing),
                            expected[0] != '\0' ? expected : cases[i].rows);
        assert_int_equal(page.token.length, 0);
        assert_int_equal(page.revision, 7);
    }
}

static void test_no_tenant_is_stepped_over(void **state)
{
    struct fixture *fixture = *state;
    static const char *const keys[] = { "/t!/zone/a/spec", "/t-/zone/a/spec",  "/t/zone/a/spec",
                                        "/t0/zone/a/spec", "/t00/zone/a/spec", "/ta/zone/a/spec" };
    struct cache_page page = { .revision = 0 };
    struct listing listing = { .text = "" };

    for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
        put(fixture, keys[i], "z");
        put(fixture, (const char *[]){ "/t0/aaa/b/spec", "/t0/zzz/b/spec" }[i % 2], "other");
    }
    turn(fixture);
    list_of(fixture, (struct cache_scope){ .prefix = TEXT("/"), .kind = TEXT("zone") }, 100, &page,
            &listing);
    assert_int_equal(listing.rows, ARRAY_COUNT(keys));
}

/* Pages that are read while everything changes have the state at the revision of the first page. */
static void test_all_pages_are_of_the_revision_of_the_first(void **state)
{
    struct fixture *fixture = *state;
    static const char *const selectors[] = { NULL, "role=web", "role!=web" };
    uint64_t seed = 7;

    for (int round = 0; round < 60; round++) {
        struct selector selector;
        struct cache_scope scope = { .prefix = TEXT("/t") };
        static struct listing whole;
        static struct listing pages;
        struct cache_page page = { .revision = 0 };
        uint64_t revision;

        memset(&whole, 0, sizeof(whole));
        memset(&pages, 0, sizeof(pages));
        if (selectors[round % 3] != NULL) {
            selector = selector_of(fixture, selectors[round % 3]);
            scope.selector = &selector;
        }
        scope.kind = round % 2 == 0 ? TEXT("node") : TEXT("");
        list_of(fixture, scope, 1000, &page, &whole);
        assert_int_equal(page.token.length, 0);
        revision = page.revision;
        do {
            list_of(fixture, scope, (size_t)round % 5 + 1, &page, &pages);
            assert_int_equal(page.revision, revision);
            for (int i = 0; i < 3; i++) {
                char key[64];

                seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
                snprintf(key, sizeof(key), "/t%u/%s/n%02u/%s", (unsigned)(seed >> 60) % 3,
                         (seed >> 50) % 3 == 0 ? "cluster" : "node", (unsigned)(seed >> 33) % 8,
                         (seed >> 40) % 3 == 0 ? "status" : "spec");
                put(fixture, key,
                    (seed >> 20) % 4 == 0   ? NULL
                    : (seed >> 22) % 2 == 0 ? "{\"labels\":{\"role\":\"web\"}}"
                                            : "{\"labels\":{\"role\":\"db\"}}");
            }
            turn(fixture);
        } while (page.token.length > 0 && cache_revision(fixture->cache) < revision + RING - 3);
        if (page.token.length == 0) {
            assert_string_equal(pages.text, whole.text);
        }
    }
}

static void test_a_list_that_is_too_old_says_so_and_so_does_a_wrong_token(void **state)
{
    struct fixture *fixture = *state;
    static const char *const wrong[] = { "x",      "5",     "/t/",    "0/t/a",
                                         "-1/t/a", "5/u/a", "5x/t/a", "99999999999999999999/t/a" };
    struct cache_scope scope = { .prefix = TEXT("/t/") };
    struct cache_page page = { .revision = 0 };
    struct listing listing = { .text = "" };
    struct text token;
    struct err err;

    list_of(fixture, scope, 1, &page, &listing);
    token = page.token;
    for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
        page.token = text_from(wrong[i]);
        assert_false(
            cache_list(fixture->cache, fixture->arena, &scope, &page, 1, row_keep, &listing, &err));
        assert_int_equal(err.code, CODE_R0537);
    }
    page.token = TEXT("99/t/a");
    assert_false(
        cache_list(fixture->cache, fixture->arena, &scope, &page, 1, row_keep, &listing, &err));
    assert_int_equal(err.code, CODE_R0503);
    for (int i = 0; i < RING; i++) {
        put(fixture, "/t/node/n/spec", "n");
    }
    turn(fixture);
    page.token = token;
    listing = (struct listing){ .text = "" };
    assert_string_equal(list_of(fixture, scope, 9, &page, &listing), "t/node/n:0=n1@3;");
    put(fixture, "/t/node/n/spec", "n");
    turn(fixture);
    page.token = token;
    assert_false(
        cache_list(fixture->cache, fixture->arena, &scope, &page, 1, row_keep, &listing, &err));
    assert_int_equal(err.code, CODE_R0503);
    assert_non_null(strstr(err.text, "compacted"));
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
        CASE(test_a_watch_is_reported_what_it_wants_in_order),
        CASE(test_a_watch_resumes_by_revision),
        CASE(test_of_a_young_store_everything_is_known_one_by_one),
        CASE(test_a_watch_resumes_behind_what_a_former_cache_has_reported),
        CASE(test_a_watch_may_end_itself),
        CASE(test_a_watch_that_is_held_goes_on_where_it_was),
        CASE(test_what_begins_with_the_latest_reads_nothing_of_before),
        CASE(test_a_watch_that_fell_behind_is_reported_to_begin_anew),
        CASE(test_the_past_weighs_no_more_than_what_there_is),
        CASE(test_the_past_of_a_store_that_is_read_anew_is_weighed_anew),
        CASE(test_a_row_that_is_mostly_empty_goes_round),
        CASE(test_a_lost_store_is_loaded_anew_and_watches_are_reported),
        CASE(test_random_changes_leave_it_equal_to_the_store),
        CASE(test_a_watch_with_a_selector_is_reported_who_comes_and_goes),
        CASE(test_a_list_keeps_to_its_scope),
        CASE(test_no_tenant_is_stepped_over),
        CASE(test_all_pages_are_of_the_revision_of_the_first),
        CASE(test_a_list_that_is_too_old_says_so_and_so_does_a_wrong_token),
    };

    return cmocka_run_group_tests(cases, NULL, NULL);
}
