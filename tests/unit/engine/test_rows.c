/* Rows that the controller stores: parsing the written row gives the same data, and a damaged row
 * is refused or parsed as empty. The rows are the counts of a cluster (record.h), the index of its
 * passes (pass_index.h), and operator commands (words.h). */

#include "unit.h"

#include "base/limits.h"
#include "codec/json.h"
#include "records/accepted.h"
#include "records/pass_index.h"
#include "records/record.h"
#include "records/commands.h"
#include "store/memory.h"

#include <stdio.h>
#include <string.h>

/* ---- counts ---- */

/* Each kind of count, in the order of the row. The first kind has two entries, because formatting
 * sorts them. */
static const char counts[] =
    "{\"absent\":{\"aa\":[1,20,30],\"bb\":[2,21,31]},\"believed\":{\"cc\":[3,22,32]},\"failed\":{"
    "\"dd\":[4,23,33]},\"held\":true,\"incarnation\":\"ee\",\"incarnationSince\":24,\"lookups\":{"
    "\"ff\":[6,26,36,\"gone\"],\"fg\":[6,26,36,\"running\"],\"fh\":[6,26,36,\"stopped\"]},"
    "\"missed\":{\"sim-1\":[5,25,35]},\"series\":{\"a1\":[7,27,37]},\"sighted\":{\"sim-2\":[8,28,38,\"spared\"],"
    "\"sim-3\":[1,28,38]},\"spent\":[[9,39],[10,40]],\"unheard\":{\"sim\":[11,29,41]}}";

static void test_counts_read_back(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct counters counters;
    struct counter first;
    struct err err;

    (void)state;
    assert_true(counters_parse(arena, text_from(counts), &counters, &err));
    assert_int_equal(counters.absent_count, 2);
    assert_int_equal(counters.said[0].lookup, PLAN_LOOKUP_GONE);
    assert_true(counters.sighted[0].is_spared && !counters.sighted[1].is_spared);
    assert_int_equal(counters.spent[1].seen.count, 10);
    assert_int_equal(counters.spent[1].seen.last_ms, 40);
    assert_int_equal(counters.absent[1].seen.first_ms, 21);
    first = counters.absent[0];
    counters.absent[0] = counters.absent[1];
    counters.absent[1] = first;
    assert_string_equal(arena_string(arena, counters_format(arena, &counters)), counts);
    counters = (struct counters){ 0 };
    assert_string_equal(arena_string(arena, counters_format(arena, &counters)), "{}");
}

static void test_a_damaged_row_of_counts_is_refused(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    static const char *const rows[] = {
        "{\"absent\":{\"aa\":[1,20]}}",
        "{\"absent\":{\"aa\":[-1,20,30]}}",
        "{\"believed\":{\"aa\":[1,\"x\",30]}}",
        "{\"lookups\":{\"aa\":7}}",
        "{\"sighted\":{\"aa\":[]}}",
        "{\"spent\":[[1]]}",
        "{\"spent\":[[1,-1]]}",
        "{\"spent\":[3]}",
        "{\"series\":{\"aa\":{}}}",
        "{\"missed\":{\"aa\":[1,2]}}",
        "{\"unheard\":{\"aa\":[1,2]}}",
        "{\"failed\":{\"aa\":[1,2]}}",
        "{",
    };
    struct counters counters;
    struct err err;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        assert_false(counters_parse(arena, text_from(rows[i]), &counters, &err));
    }
    /* members that are absent or of another type count as zero */
    assert_true(counters_parse(arena,
                               TEXT("{\"held\":false,\"incarnationSince\":0,\"incarnation\":[]}"),
                               &counters, &err));
    assert_true(!counters.is_life_held && counters.life_since == 0 && counters.life.length == 0);
    assert_true(counters_parse(arena, TEXT("{\"incarnationSince\":-5}"), &counters, &err));
    assert_int_equal(counters.life_since, 0);
    assert_true(
        counters_parse(arena, TEXT("{\"incarnationSince\":1,\"held\":true}"), &counters, &err));
    assert_int_equal(counters.life_since, 1);
    assert_true(counters.is_life_held);
    assert_true(counters_parse(arena, TEXT("{\"absent\":{\"aa\":[0,0,0]}}"), &counters, &err));
    assert_int_equal(counters.absent_count, 1);
}

/* The newest time in a row, of any kind of count: later times in the row are of another clock. */
static void test_the_latest_moment_of_a_row(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    static const char *const kinds[] = { "absent", "believed", "failed",  "lookups",
                                         "missed", "series",   "sighted", "unheard" };
    struct counters counters;
    struct err err;

    (void)state;
    assert_true(counters_parse(arena, text_from(counts), &counters, &err));
    assert_int_equal(counters_latest(&counters), 41);
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        struct text row = arena_printf(
            arena,
            "{\"incarnationSince\":5,\"spent\":[[1,3]],\"%s\":{\"a\":[1,1,90],\"b\":[1,1,80]}}",
            kinds[i]);

        assert_true(counters_parse(arena, row, &counters, &err));
        assert_int_equal(counters_latest(&counters), 90);
    }
    assert_true(counters_parse(arena, TEXT("{\"incarnationSince\":5,\"spent\":[[1,7],[1,6]]}"),
                               &counters, &err));
    assert_int_equal(counters_latest(&counters), 7);
    assert_true(counters_parse(arena, TEXT("{\"incarnationSince\":8}"), &counters, &err));
    assert_int_equal(counters_latest(&counters), 8);
}

static void test_sightings_are_limited(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct counters counters = { 0 };

    (void)state;
    for (unsigned i = 0; i < LIMIT_CONTROL_ABSENCES; i++) {
        struct counter *counter =
            counters_sighting(arena, &counters, arena_printf(arena, "sim-%u", i));

        assert_non_null(counter);
        counter->seen.count = i + 1;
    }
    assert_null(counters_sighting(arena, &counters, TEXT("one more")));
    assert_int_equal(counters_sighting(arena, &counters, TEXT("sim-0"))->seen.count, 1);
    assert_int_equal(counters_sighting(arena, &counters, TEXT("sim-1999"))->seen.count, 2000);
    assert_int_equal(counters.sighted_count, LIMIT_CONTROL_ABSENCES);
}

static void test_a_count_is_found_by_its_key(void **state)
{
    struct counter counters[] = { { .key = TEXT("a") },
                                  { .key = TEXT("c") },
                                  { .key = TEXT("e") },
                                  { .key = TEXT("g") },
                                  { .key = TEXT("i") } };

    (void)state;
    for (size_t count = 0; count <= ARRAY_COUNT(counters); count++) {
        for (size_t i = 0; i < ARRAY_COUNT(counters); i++) {
            assert_ptr_equal(counter_find(counters, count, counters[i].key),
                             i < count ? &counters[i] : NULL);
        }
        assert_null(counter_find(counters, count, TEXT("")));
        assert_null(counter_find(counters, count, TEXT("d")));
        assert_null(counter_find(counters, count, TEXT("j")));
    }
}

/* ---- a store with one object ---- */

struct stored {
    struct store *store;
    struct cache *cache;
};

static void written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)answer;
    assert_int_equal(outcome, OUTCOME_OK);
}

static void turns(struct stored *stored)
{
    for (int i = 0; i < 20; i++) {
        store_run(stored->store);
        cache_run(stored->cache);
    }
}

static void put(struct stored *stored, const char *key, struct text value)
{
    struct store_op op = { .key = text_from(key), .value = value };

    store_txn(stored->store, &(struct store_txn){ .ops = &op, .op_count = 1 }, written, NULL);
    turns(stored);
}

static struct stored stored_new(void)
{
    struct stored stored = { .store = memory_open((const unsigned char *)"0123456789abcdef") };

    stored.cache = cache_new(stored.store, 64);
    turns(&stored);
    return stored;
}

static void stored_end(struct stored *stored)
{
    cache_free(stored->cache);
    while (store_run(stored->store) > 0) {
    }
    store_close(stored->store);
}

/* ---- the index of passes ---- */

static struct text index_reread(struct arena *arena, struct stored *stored, const char *value)
{
    struct pass_index index;

    put(stored, "/t/Pass/c/status", text_from(value));
    pass_index_read(arena, stored->cache, TEXT("t"), TEXT("c"), &index);
    return pass_index_format(arena, &index);
}

static void test_an_index_of_passes_reads_back(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    static const char *const damaged[] = {
        "[0,2,3,4,5]",  "[1,0,3,4,5]",     "[1,2,0,4,5]",  "[1,2,3,4]", "[1,2,3,4,5,6]",
        "[1,2,3,4,-5]", "[1,2,3,\"x\",5]", "[1,2,3,[],5]", "[]",        "7",
    };
    static const char whole[] = "{\"chains\":[[1,2,3,4,5],[3,1,1,0,0]],\"next\":4}";
    struct stored stored = stored_new();
    struct pass_index index;

    (void)state;
    pass_index_read(arena, stored.cache, TEXT("t"), TEXT("c"), &index);
    assert_true(index.next == 1 && index.count == 0); /* the index has no passes */
    assert_string_equal(arena_string(arena, index_reread(arena, &stored, whole)), whole);
    for (size_t i = 0; i < ARRAY_COUNT(damaged); i++) { /* damaged entries are left out */
        struct text value =
            arena_printf(arena, "{\"chains\":[%s,[3,1,1,7,8]],\"next\":4}", damaged[i]);

        assert_string_equal(
            arena_string(arena, index_reread(arena, &stored, arena_string(arena, value))),
            "{\"chains\":[[3,1,1,7,8]],\"next\":4}");
    }
    assert_string_equal(arena_string(arena, index_reread(arena, &stored, "{\"next\":0}")),
                        "{\"chains\":[],\"next\":1}");
    assert_string_equal(arena_string(arena, index_reread(arena, &stored, "{\"next\":-3}")),
                        "{\"chains\":[],\"next\":1}");
    assert_string_equal(arena_string(arena, index_reread(arena, &stored, "{\"next\":\"x\"}")),
                        "{\"chains\":[],\"next\":1}");
    assert_string_equal(arena_string(arena, index_reread(arena, &stored, "no JSON")),
                        "{\"chains\":[],\"next\":1}");
    stored_end(&stored);
}

static void test_an_index_has_room_for_so_many_chains(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct stored stored = stored_new();
    struct pass_index index;
    struct buf buf;

    (void)state;
    buf_init(&buf, arena);
    buf_add_string(&buf, "{\"chains\":[");
    for (unsigned i = 1; i <= PASS_INDEX_ROOM + 1; i++) {
        buf_printf(&buf, "%s[%u,1,1,1,1]", i > 1 ? "," : "", i);
    }
    buf_add_string(&buf, "],\"next\":99}");
    put(&stored, "/t/Pass/c/status", buf_text(&buf));
    pass_index_read(arena, stored.cache, TEXT("t"), TEXT("c"), &index);
    assert_int_equal(index.count, PASS_INDEX_ROOM);
    assert_int_equal(index.chains[PASS_INDEX_ROOM - 1].first, PASS_INDEX_ROOM);
    stored_end(&stored);
}

static void test_a_pass_is_found_in_its_chain(void **state)
{
    const struct pass_index index = {
        .next = 9, .chains = { { .first = 3, .count = 2 }, { .first = 7, .count = 1 } }, .count = 2
    };

    (void)state;
    assert_null(pass_index_find(&index, 2));
    assert_ptr_equal(pass_index_find(&index, 3), &index.chains[0]);
    assert_ptr_equal(pass_index_find(&index, 4), &index.chains[0]);
    assert_null(pass_index_find(&index, 5));
    assert_null(pass_index_find(&index, 6));
    assert_ptr_equal(pass_index_find(&index, 7), &index.chains[1]);
    assert_null(pass_index_find(&index, 8));
}

static void test_keys_of_passes_are_in_their_order(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);

    (void)state;
    assert_true(text_is(pass_key(arena, TEXT("t"), TEXT("c"), 12, 0), "/t/Pass/c/000000000012"));
    assert_true(
        text_is(pass_key(arena, TEXT("t"), TEXT("c"), 12, 1), "/t/Pass/c/000000000012/0001"));
}

/* ---- instructions of operators ---- */

/* The revision of a retry: the revision in the value if it is older than the key's, otherwise the
 * key's. */
static void test_a_retry_keeps_its_revision(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    static const struct {
        const char *words;
        uint64_t revision;
    } rows[] = {
        { "{}", 0 },
        { "{\"paused\":{}}", 0 },
        { "{\"retry\":true}", 10 },
        { "{\"retry\":{\"by\":\"ana\"}}", 10 },
        { "{\"retry\":{\"revision\":1}}", 1 },
        { "{\"retry\":{\"revision\":9}}", 9 },
        { "{\"retry\":{\"revision\":10}}", 10 },
        { "{\"retry\":{\"revision\":11}}", 10 }, /* a revision of another store */
        { "{\"retry\":{\"revision\":0}}", 10 },
        { "{\"retry\":{\"revision\":-4}}", 10 },
        { "{\"retry\":{\"revision\":\"x\"}}", 10 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct doc words;
        struct err err;

        assert_true(json_parse(arena, text_from(rows[i].words), NULL, &words, &err));
        assert_int_equal(commands_retry_revision(&words, 10), rows[i].revision);
    }
}

static void test_a_pause_ends_at_its_time(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct doc words;
    struct err err;

    (void)state;
    assert_true(json_parse(arena, TEXT("{\"paused\":{\"until\":50}}"), NULL, &words, &err));
    assert_int_equal(commands_pause_end_ms(&words), 50);
    assert_true(commands_is_paused(&words, 49));
    assert_false(commands_is_paused(&words, 50));
    assert_true(json_parse(arena, TEXT("{\"paused\":{}}"), NULL, &words, &err));
    assert_true(commands_pause_end_ms(&words) == UINT64_MAX);
    assert_true(commands_is_paused(&words, 50));
    assert_true(json_parse(arena, TEXT("{\"paused\":true}"), NULL, &words, &err));
    assert_false(commands_is_paused(&words, 50));
    assert_true(json_parse(arena, TEXT("{\"paused\":{\"until\":\"x\"}}"), NULL, &words, &err));
    assert_true(commands_pause_end_ms(&words) == UINT64_MAX);
}

static struct text words_reread(struct arena *arena, struct stored *stored, const char *value)
{
    struct doc words;
    struct buf buf;

    put(stored, "/t/Control/c/spec", text_from(value));
    words = commands_read(arena, cache_find(stored->cache, TEXT("t"), TEXT("Control"), TEXT("c")));
    buf_init(&buf, arena);
    json_format(&buf, &words);
    return buf_text(&buf);
}

static void test_words_read_back(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct stored stored = stored_new();
    const struct cache_object *object;
    struct doc words;
    struct doc retry;
    struct text observation;

    (void)state;
    assert_false(commands_has(NULL, "approved"));
    assert_false(commands_approved(arena, NULL, &observation));
    assert_true(text_is(words_reread(arena, &stored, "no JSON"), "{}"));
    assert_true(text_is(words_reread(arena, &stored, "[1]"), "{}"));
    assert_true(text_is(words_reread(arena, &stored, "{\"retry\":true}"), "{\"retry\":true}"));
    assert_true(text_is(
        words_reread(arena, &stored,
                     "{\"approved\":{\"observation\":\"o/1\"},\"retry\":{"
                     "\"by\":\"ana\"}}"),
        "{\"approved\":{\"observation\":\"o/1\"},\"retry\":{\"by\":\"ana\",\"revision\":4}}"));
    object = cache_find(stored.cache, TEXT("t"), TEXT("Control"), TEXT("c"));
    assert_true(commands_has(object, "approved"));
    assert_false(commands_has(object, "rejected"));
    assert_true(commands_approved(arena, object, &observation));
    assert_true(text_is(observation, "o/1"));
    words = commands_read(arena, object);
    retry = commands_retry(arena, &words);
    assert_true(doc_is_present(doc_child(&retry, "by")));
    assert_false(doc_is_present(doc_child(&retry, "revision")));
    assert_true(text_is(words_reread(arena, &stored, "{\"approved\":{\"observation\":[]}}"),
                        "{\"approved\":{\"observation\":[]}}"));
    object = cache_find(stored.cache, TEXT("t"), TEXT("Control"), TEXT("c"));
    assert_true(commands_approved(arena, object, &observation));
    assert_int_equal(observation.length, 0);
    stored_end(&stored);
}

/* ---- accepted host keys ---- */

static void test_an_accepted_key_reads_back(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    const struct accepted accepted = { .key = TEXT("ssh-ed25519 AAAA"),
                                       .by = TEXT("ana"),
                                       .at_ms = 7 };
    struct text key = TEXT("");

    (void)state;
    assert_true(accepted_parse(arena, accepted_format(arena, &accepted), &key));
    assert_true(text_is(key, "ssh-ed25519 AAAA"));
    assert_false(accepted_parse(arena, TEXT("[1]"), &key));
    assert_false(accepted_parse(arena, TEXT("x"), &key));
    assert_false(accepted_parse(arena, TEXT("{}"), &key));
    assert_false(accepted_parse(arena, TEXT("{\"key\":\"\"}"), &key));
    assert_false(accepted_parse(arena, TEXT("{\"key\":\"a\\u0001b\"}"), &key));
    assert_true(accepted_parse(arena, TEXT("{\"key\":\"k\"}"), &key));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_read_back),
        cmocka_unit_test(test_a_damaged_row_of_counts_is_refused),
        cmocka_unit_test(test_the_latest_moment_of_a_row),
        cmocka_unit_test(test_sightings_are_limited),
        cmocka_unit_test(test_a_count_is_found_by_its_key),
        cmocka_unit_test(test_an_index_of_passes_reads_back),
        cmocka_unit_test(test_an_index_has_room_for_so_many_chains),
        cmocka_unit_test(test_a_pass_is_found_in_its_chain),
        cmocka_unit_test(test_keys_of_passes_are_in_their_order),
        cmocka_unit_test(test_a_retry_keeps_its_revision),
        cmocka_unit_test(test_a_pause_ends_at_its_time),
        cmocka_unit_test(test_words_read_back),
        cmocka_unit_test(test_an_accepted_key_reads_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
