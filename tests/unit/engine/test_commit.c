/* Changes of any size (state/commit.h): either the whole change is made or nothing, even if a
 * manager ends in the middle of it. */

#include "unit.h"

#include "base/limits.h"
#include "base/mem.h"
#include "state/commit.h"
#include "store/memory.h"

#include <string.h>

enum { OPS = 1500, NONE = 1000 };

/* A store in front of a store in memory. It stops or refuses at a transaction that the test
 * chooses. */
struct front {
    struct store store;
    struct store *inner;
    unsigned txns;
    unsigned
        ends_at; /* from this transaction on nothing is executed, as if the manager was killed */
    unsigned refuses_at; /* number of the transaction that is refused with `code` */
    enum code code;
    unsigned acts_at; /* number of the transaction before which `acts` is called */
    void (*act)(struct front *front);
    store_done *refused;
    void *refused_arg;
};

static void front_txn(struct store *store, const struct store_txn *txn, store_done *done, void *arg)
{
    struct front *front = (struct front *)store;
    unsigned number = front->txns++;

    if (number >= front->ends_at) {
        return;
    }
    if (number == front->refuses_at) {
        front->refused = done;
        front->refused_arg = arg;
        return;
    }
    if (number == front->acts_at) {
        front->act(front);
    }
    store_txn(front->inner, txn, done, arg);
}

static void front_list(struct store *store, const struct store_range *range, store_done *done,
                       void *arg)
{
    struct front *front = (struct front *)store;

    if (front->txns <= front->ends_at) {
        store_list(front->inner, range, done, arg);
    }
}

static const struct store_driver front_driver = { .name = "front",
                                                  .txn = front_txn,
                                                  .list = front_list };

static struct front front_of(struct store *inner)
{
    return (struct front){ .store = { &front_driver },
                           .inner = inner,
                           .ends_at = NONE,
                           .refuses_at = NONE,
                           .acts_at = NONE };
}

static void front_run(struct front *front)
{
    bool is_any = true;

    while (is_any) {
        is_any = store_run(front->inner) > 0;
        if (front->refused != NULL) {
            struct store_answer answer = { 0 };
            store_done *done = front->refused;

            front->refused = NULL;
            (void)!err_set(&answer.err, front->code, "refused by the test");
            done(front->refused_arg, OUTCOME_REFUSED, &answer);
            is_any = true;
        }
    }
}

/* ---- what is in it ---- */

struct listed {
    size_t count;
    bool are_new; /* all objects have the value of the change */
};

static void keys_seen(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct listed *out = arg;

    assert_int_equal(outcome, OUTCOME_OK);
    out->count = answer->count;
    out->are_new = true;
    for (size_t i = 0; i < answer->count; i++) {
        out->are_new = out->are_new && text_is(answer->items[i].value, "new");
    }
}

static struct listed list(struct store *store, const char *prefix)
{
    struct store_range range = { .prefix = text_from(prefix) };
    struct listed out = { 0 };

    store_list(store, &range, keys_seen, &out);
    while (store_run(store) > 0) {
    }
    return out;
}

static bool is_clean(struct store *store)
{
    return list(store, COMMIT_HEADS).count == 0 && list(store, COMMIT_PARTS).count == 0;
}

static void put_done(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)answer;
    assert_int_equal(outcome, OUTCOME_OK);
}

static void put(struct store *store, const char *key, const char *value)
{
    struct store_op op = { .key = text_from(key), .value = text_from(value) };

    store_txn(store, &(struct store_txn){ .ops = &op, .op_count = 1 }, put_done, NULL);
}

/* ---- the change ---- */

static void ended(void *arg, const struct commit_answer *answer)
{
    *(struct commit_answer *)arg = *answer;
}

/* Makes a change. The outcome is OUTCOME_UNKNOWN if there was no answer. */
static struct commit_answer change_of(struct arena *arena, struct front *front,
                                      const struct store_compare *compare, size_t count)
{
    static struct commit_answer answer;
    struct store_op *ops = arena_array(arena, struct store_op, count);
    struct commit *commit = arena_one(arena, struct commit);

    for (size_t i = 0; i < count; i++) {
        ops[i] = (struct store_op){ .key = arena_printf(arena, "/t/Thing/%06zu/spec", i),
                                    .value = TEXT("new") };
    }
    *commit = (struct commit){ .id = TEXT("op"),
                               .subjects = TEXT("t/thing"),
                               .compares = compare,
                               .compare_count = compare == NULL ? 0 : 1,
                               .ops = ops,
                               .op_count = count };
    answer = (struct commit_answer){ .outcome = OUTCOME_UNKNOWN };
    commit_start(arena, &front->store, commit, ended, &answer);
    front_run(front);
    return answer;
}

static struct commit_answer change(struct arena *arena, struct front *front,
                                   const struct store_compare *compare)
{
    return change_of(arena, front, compare, OPS);
}

static struct commit_answer resume(struct arena *arena, struct front *front)
{
    static struct commit_answer answer;

    answer = (struct commit_answer){ .outcome = OUTCOME_UNKNOWN };
    commit_resume(arena, &front->store, ended, &answer);
    front_run(front);
    return answer;
}

static struct store *memory_new(void)
{
    return memory_open((const unsigned char *)"0123456789abcdef");
}

static uint64_t revision_of(const struct store *store)
{
    struct store_status status;

    store_status(store, &status);
    return status.revision;
}

/* Returns the number of transactions of the change. */
static unsigned steps(void)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    struct store *store = memory_new();
    struct front front = front_of(store);

    assert_int_equal(change(arena, &front, NULL).outcome, OUTCOME_OK);
    store_close(store);
    assert_true(front.txns > 4);
    return front.txns;
}

static void test_what_fits_is_one_transaction(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        AUTO(arena) arena = arena_new(SIZE_MAX);
        struct store *store = memory_new();
        struct front front = front_of(store);
        size_t count = LIMIT_STORE_TXN_OPERATIONS + more;

        assert_int_equal(change_of(arena, &front, NULL, count).outcome, OUTCOME_OK);
        assert_true((front.txns == 1) == (more == 0));
        assert_int_equal(list(store, "/t/Thing/").count, count);
        store_close(store);
    }
}

static void test_a_large_change_is_written_whole(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    struct store *store = memory_new();
    struct front front = front_of(store);
    struct commit_answer answer = change(arena, &front, NULL);

    (void)state;
    assert_int_equal(answer.outcome, OUTCOME_OK);
    assert_int_equal(answer.revision, revision_of(store));
    assert_int_equal(list(store, "/t/Thing/").count, OPS);
    assert_true(is_clean(store));
    store_close(store);
}

/* I13: if the manager is killed before any of the transactions, the next start finds the change
 * complete or not made at all. */
static void test_killed_anywhere_it_is_all_or_nothing(void **state)
{
    unsigned count = steps();
    unsigned wholes = 0;

    (void)state;
    for (unsigned at = 0; at < count; at++) {
        AUTO(arena) arena = arena_new(SIZE_MAX);
        struct store *store = memory_new();
        struct front front = front_of(store);
        struct listed things;

        front.ends_at = at;
        assert_int_equal(change(arena, &front, NULL).outcome, OUTCOME_UNKNOWN);
        front = front_of(store);
        assert_int_equal(resume(arena, &front).outcome, OUTCOME_OK);
        things = list(store, "/t/Thing/");
        assert_true(things.count == 0 || (things.count == OPS && things.are_new));
        assert_true(is_clean(store));
        wholes += things.count == OPS;
        store_close(store);
    }
    assert_true(wholes > 0 && wholes < count);
}

/* The manager that continues may be killed too, before each of its transactions. */
static void test_killed_again_while_it_goes_on(void **state)
{
    unsigned count = steps();

    (void)state;
    for (unsigned at = 0; at < count; at++) {
        AUTO(arena) arena = arena_new(SIZE_MAX);
        struct store *store = memory_new();
        struct front front = front_of(store);

        front.ends_at = 3; /* the parts and the head are written */
        (void)change(arena, &front, NULL);
        assert_int_equal(list(store, COMMIT_HEADS).count, 1);
        front = front_of(store);
        front.ends_at = at;
        (void)resume(arena, &front);
        front = front_of(store);
        assert_int_equal(resume(arena, &front).outcome, OUTCOME_OK);
        assert_int_equal(list(store, "/t/Thing/").count, OPS);
        assert_true(is_clean(store));
        store_close(store);
    }
}

/* A full store refuses the change, and the client is notified. An acknowledged change is completed
 * when there is room. */
static void test_refused_for_want_of_room_it_says_so(void **state)
{
    unsigned count = steps();

    (void)state;
    for (unsigned at = 0; at < count; at++) {
        AUTO(arena) arena = arena_new(SIZE_MAX);
        struct store *store = memory_new();
        struct front front = front_of(store);
        struct commit_answer answer;
        struct listed things;
        bool has_head;

        front.refuses_at = at;
        front.code = CODE_R0505;
        answer = change(arena, &front, NULL);
        assert_int_equal(answer.outcome, OUTCOME_REFUSED);
        assert_int_equal(answer.err.code, CODE_R0505);
        assert_int_equal(front.txns, at + 1); /* no further transaction is tried */
        has_head = list(store, COMMIT_HEADS).count > 0;
        front = front_of(store);
        front.refuses_at = 0;
        front.code = CODE_R0505;
        answer = resume(arena, &front);
        assert_true(answer.outcome == OUTCOME_REFUSED || front.txns == 0);
        assert_true(front.txns == 0 || answer.err.code == CODE_R0505);
        assert_true(front.txns <= 1);
        front = front_of(store);
        assert_int_equal(resume(arena, &front).outcome, OUTCOME_OK);
        things = list(store, "/t/Thing/");
        assert_int_equal(things.count, has_head ? OPS : 0);
        assert_true(is_clean(store));
        store_close(store);
    }
}

static void test_a_compare_that_fails_changes_nothing(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    struct store *store = memory_new();
    struct front front = front_of(store);
    struct store_compare compare = { .key = TEXT("/t/Cluster/c/spec"), .revision = 77 };
    struct commit_answer answer = change(arena, &front, &compare);

    (void)state;
    assert_int_equal(answer.outcome, OUTCOME_REFUSED);
    assert_int_equal(answer.err.code, CODE_R0502);
    assert_int_equal(answer.failed_compare, 0);
    assert_int_equal(list(store, "/t/Thing/").count, 0);
    assert_int_equal(resume(arena, &front).outcome, OUTCOME_OK);
    assert_true(is_clean(store));
    store_close(store);
}

/* ---- two at once ---- */

static struct arena *others_arena;

/* Another manager finds the head and completes the change; then a user changes the written
 * objects. */
static void other_goes_on(struct front *front)
{
    struct front other = front_of(front->inner);

    assert_int_equal(resume(others_arena, &other).outcome, OUTCOME_OK);
    put(front->inner, "/t/Thing/000000/spec", "newer");
    put(front->inner, "/t/Thing/001499/spec", "newer");
    while (store_run(front->inner) > 0) {
    }
}

static void test_who_comes_late_takes_nothing_back(void **state)
{
    unsigned count = steps();

    (void)state;
    for (unsigned at = 3; at < count; at++) {
        AUTO(arena) arena = arena_new(SIZE_MAX);
        struct store *store = memory_new();
        struct front front = front_of(store);
        struct listed things;

        others_arena = arena;
        front.acts_at = at;
        front.act = other_goes_on;
        assert_int_equal(change(arena, &front, NULL).outcome, OUTCOME_OK);
        things = list(store, "/t/Thing/");
        assert_int_equal(things.count, OPS);
        assert_false(things.are_new);
        assert_true(list(store, "/t/Thing/000000").count == 1 &&
                    !list(store, "/t/Thing/000000").are_new);
        assert_false(list(store, "/t/Thing/001499").are_new);
        assert_true(is_clean(store));
        store_close(store);
    }
}

/* The head is written at the moment when a starting manager removes parts that it considers
 * abandoned. */
static void head_comes(struct front *front)
{
    put(front->inner, COMMIT_HEADS "op/base", "{\"parts\":1}\nt/thing");
    while (store_run(front->inner) > 0) {
    }
}

static void test_a_part_whose_head_comes_meanwhile_is_not_swept(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    struct store *store = memory_new();
    struct front front = front_of(store);

    (void)state;
    put(store, COMMIT_PARTS "op.000000/base", "P 17 3\n/t/Thing/one/specnew");
    front.acts_at = 0;
    front.act = head_comes;
    assert_int_equal(resume(arena, &front).outcome, OUTCOME_OK);
    assert_int_equal(list(store, "/t/Thing/").count, 1);
    assert_true(list(store, "/t/Thing/").are_new);
    assert_true(is_clean(store));
    store_close(store);
}

static void test_subjects_of_a_head(void **state)
{
    struct text head = TEXT("{\"parts\":12}\nt/one\nt/two");

    (void)state;
    assert_true(commit_is_of(head, TEXT("t/one")));
    assert_true(commit_is_of(head, TEXT("t/two")));
    assert_false(commit_is_of(head, TEXT("t/on")));
    assert_false(commit_is_of(head, TEXT("t/three")));
    assert_true(commit_is_below(head, TEXT("t/")));
    assert_true(commit_is_below(head, TEXT("t/two")));
    assert_false(commit_is_below(head, TEXT("u/")));
    assert_false(commit_is_of(TEXT(""), TEXT("t/one")));
}

/* ---- parts that an earlier life left behind ---- */

static void text_put(struct store *store, const char *key, struct text value)
{
    struct store_op op = { .key = text_from(key), .value = value };

    store_txn(store, &(struct store_txn){ .ops = &op, .op_count = 1 }, put_done, NULL);
    while (store_run(store) > 0) {
    }
}

/* Makes a store with a head and one part, which resume() executes. */
static struct store *left_behind(struct text part)
{
    struct store *store = memory_new();

    text_put(store, "/t/Thing/old/spec", TEXT("new"));
    text_put(store, COMMIT_HEADS "op/base", TEXT("{\"parts\":1}\nt/thing"));
    text_put(store, COMMIT_PARTS "op.000000/base", part);
    return store;
}

/* Puts and deletes of a part are executed up to the first damaged byte. The part is then
 * removed. */
static void test_a_damaged_part_is_carried_out_up_to_its_damage(void **state)
{
    static const struct {
        const char *part;
        size_t count; /* number of objects afterwards; one exists before */
    } rows[] = {
        { "", 1 },
        { "P 13 3\n/t/Thing/a/bc", 1 }, /* shorter than the stated length */
        { "P 15 3\n/t/Thing/a/specnew", 2 },
        { "P 15 3\n/t/Thing/a/specnewP 15 3\n/t/Thing/b/specnew", 3 },
        { "P 15 3\n/t/Thing/a/specnewD 17 0\n/t/Thing/old/spec", 1 },
        { "D 17 0\n/t/Thing/old/specP 15 3\n/t/Thing/a/specnew", 1 },
        { "D 17 0\n/t/Thing/old/specD", 0 },
        { "P 15 3\n/t/Thing/a/specnewX 15 3\n/t/Thing/b/specnew", 2 },
        { "P 15 3\n/t/Thing/a/specnewP_15 3\n/t/Thing/b/specnew", 2 },
        { "P 15 3\n/t/Thing/a/specnewP 15\n3\n/t/Thing/b/specnew", 2 },
        { "P 15 3\n/t/Thing/a/specnewP 15 3 /t/Thing/b/specnew", 2 },
        { "P 15 3\n/t/Thing/a/specnewP x 3\n/t/Thing/b/specnew", 2 },
        { "P 15 3\n/t/Thing/a/specnewP 15 \n/t/Thing/b/specnew", 2 },
        { "P 15 3\n/t/Thing/a/specnewP 15 4\n/t/Thing/b/specnew", 2 },
        { "P 0000015 3\n/t/Thing/a/specnew", 2 },  /* seven digits */
        { "P 00000015 3\n/t/Thing/a/specnew", 1 }, /* eight digits are too many */
        { "P 15 3", 1 },
        { "P", 1 },
        { "P ", 1 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        AUTO(arena) arena = arena_new(SIZE_MAX);
        struct store *store = left_behind(text_from(rows[i].part));
        struct front front = front_of(store);

        assert_int_equal(resume(arena, &front).outcome, OUTCOME_OK);
        assert_int_equal(list(store, "/t/Thing/").count, rows[i].count);
        assert_true(list(store, "/t/Thing/").are_new);
        assert_true(is_clean(store));
        store_close(store);
    }
}

/* The parts of an unreadable head are removed and not executed. */
static void test_a_damaged_head_has_no_parts(void **state)
{
    static const char *const heads[] = {
        "{\"parts\":x}\n", "{\"parts\":1\n", "{\"PARTS\":1}\n", "{\"parts\":}\n", "", "{\"parts\":"
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(heads); i++) {
        AUTO(arena) arena = arena_new(SIZE_MAX);
        struct store *store = left_behind(TEXT("P 15 3\n/t/Thing/a/specnew"));
        struct front front = front_of(store);

        text_put(store, COMMIT_HEADS "op/base", text_from(heads[i]));
        assert_int_equal(resume(arena, &front).outcome, OUTCOME_OK);
        assert_int_equal(list(store, "/t/Thing/").count, 1);
        assert_true(is_clean(store));
        store_close(store);
    }
}

static void counted(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    assert_int_equal(outcome, OUTCOME_OK);
    *(size_t *)arg = answer->items[0].value.length;
}

/* A part has at most 200 KiB, unless a single change is larger. A change is never split. */
static void test_parts_are_bounded_in_bytes(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    static const size_t sizes[] = { 102400, 102340, 150 * 1024, 150 * 1024, 250 * 1024, 10 };
    static const struct {
        size_t least;
        size_t most;
        /* with the next change, the part would be 4 bytes too large */
    } parts[] = { { 102400, 102500 },         { 102340, 102500 },
                  { 150 * 1024, 151 * 1024 }, { 150 * 1024, 151 * 1024 },
                  { 250 * 1024, 251 * 1024 }, { 20, 200 * 1024 } };
    struct store *store = memory_new();
    struct front front = front_of(store);
    struct store_op *ops = arena_array(arena, struct store_op, OPS);
    struct commit commit = {
        .id = TEXT("op"), .subjects = TEXT("t/thing"), .ops = ops, .op_count = OPS
    };
    struct commit_answer answer;

    (void)state;
    for (size_t i = 0; i < OPS; i++) {
        size_t size = i < ARRAY_COUNT(sizes) ? sizes[i] : 3;

        ops[i].key = arena_printf(arena, "/t/Thing/%06zu/spec", i);
        ops[i].value = (struct text){ arena_array(arena, char, size), size };
        memset((char *)(uintptr_t)ops[i].value.data, 'x', size);
    }
    front.ends_at = 1; /* only the parts are written */
    commit_start(arena, &front.store, &commit, ended, &answer);
    front_run(&front);
    for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
        size_t length = 0;

        store_get(store, arena_printf(arena, COMMIT_PARTS "op.%06zu/base", i), 0, counted, &length);
        while (store_run(store) > 0) {
        }
        assert_in_range(length, parts[i].least, parts[i].most);
    }
    store_close(store);
}

/* Deletes are executed like puts, also by the next manager. */
static void test_a_large_change_deletes(void **state)
{
    (void)state;
    for (unsigned ends_at = 2; ends_at < 8; ends_at++) {
        AUTO(arena) arena = arena_new(SIZE_MAX);
        struct store *store = memory_new();
        struct front front = front_of(store);
        struct store_op *ops = arena_array(arena, struct store_op, OPS);
        struct commit commit = {
            .id = TEXT("op"), .subjects = TEXT("t/thing"), .ops = ops, .op_count = OPS
        };
        struct commit_answer answer;

        assert_int_equal(change(arena, &front, NULL).outcome, OUTCOME_OK);
        for (size_t i = 0; i < OPS; i++) {
            ops[i].key = arena_printf(arena, "/t/Thing/%06zu/spec", i);
            ops[i].value = TEXT("new");
            ops[i].is_delete = i % 2 == 0;
        }
        front = front_of(store);
        front.ends_at = ends_at;
        commit_start(arena, &front.store, &commit, ended, &answer);
        front_run(&front);
        front = front_of(store);
        assert_int_equal(resume(arena, &front).outcome, OUTCOME_OK);
        assert_int_equal(list(store, "/t/Thing/").count, OPS / 2);
        assert_true(is_clean(store));
        store_close(store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_fits_is_one_transaction),
        cmocka_unit_test(test_a_large_change_is_written_whole),
        cmocka_unit_test(test_killed_anywhere_it_is_all_or_nothing),
        cmocka_unit_test(test_killed_again_while_it_goes_on),
        cmocka_unit_test(test_refused_for_want_of_room_it_says_so),
        cmocka_unit_test(test_a_compare_that_fails_changes_nothing),
        cmocka_unit_test(test_who_comes_late_takes_nothing_back),
        cmocka_unit_test(test_a_part_whose_head_comes_meanwhile_is_not_swept),
        cmocka_unit_test(test_subjects_of_a_head),
        cmocka_unit_test(test_a_damaged_part_is_carried_out_up_to_its_damage),
        cmocka_unit_test(test_a_damaged_head_has_no_parts),
        cmocka_unit_test(test_parts_are_bounded_in_bytes),
        cmocka_unit_test(test_a_large_change_deletes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
