/* Selecting machines by a job or a revision: rows with and without the needed data. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "records/node_state.h"
#include "service/select.h"
#include "store/memory.h"

#include <string.h>

enum { RING = 256, ENDED_MS = 5000 };

struct fixture {
    struct store *store;
    struct cache *cache;
    struct arena *arena;
};

static struct fixture fixture;

static void turns(void)
{
    for (int i = 0; i < 20; i++) {
        store_run(fixture.store);
        cache_run(fixture.cache);
    }
}

static void written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)answer;
    assert_int_equal(outcome, OUTCOME_OK);
}

static void put(const char *key, struct text value)
{
    struct store_op op = { .key = text_from(key), .value = value };

    store_txn(fixture.store, &(struct store_txn){ .ops = &op, .op_count = 1 }, written, NULL);
    turns();
}

/* Writes a machine in service, of generation g1, and its node. */
static void machine_put(const char *token, const char *name, int64_t made_ms, const char *chain,
                        bool is_failed)
{
    struct record record = {
        .plan = { .token = text_from(token),
                  .group = TEXT("web"),
                  .generation = TEXT("g1"),
                  .id = text_from(token),
                  .state = PLAN_RECORD_ACTIVE,
                  .created_ms = 1,
                  .active_ms = 1,
                  .is_answered = true },
        .plugin = TEXT("sim"),
        .name = text_from(name),
        .life = TEXT("f00d"),
        .reason = TEXT("size"),
        .made_wall_ms = made_ms,
    };
    struct node_state state = {
        .chain_done = text_from(chain),
        .chain_failed = is_failed ? TEXT("c2") : TEXT(""),
        .step = is_failed ? TEXT(NODE_STATE_FAILED) : TEXT(NODE_STATE_BOOTSTRAPPED),
    };

    put(arena_printf(fixture.arena, "/default/Resource/c/%s/status", token).data,
        record_format(fixture.arena, &record));
    put(arena_printf(fixture.arena, "/default/Node/c/%s/status", token).data,
        node_state_format(fixture.arena, &state));
}

static void job_put(unsigned number, const char *row)
{
    put(arena_printf(fixture.arena, "/default/Job/c/%020u/status", number).data, text_from(row));
}

static int setup(void **state)
{
    (void)state;
    fixture.arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    fixture.store = memory_open((const unsigned char *)"0123456789abcdef");
    fixture.cache = cache_new(fixture.store, RING);
    turns();
    put("/default/Cluster/c/spec",
        TEXT("{\"kind\":\"Cluster\",\"metadata\":{\"name\":\"shop\"},\"spec\":{}}"));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cache_free(fixture.cache);
    store_close(fixture.store);
    arena_free(fixture.arena);
    return 0;
}

/* Returns the tokens of the selected machines, separated by blanks, or the code of the error. */
static struct text found(struct select_request request)
{
    struct service_actor actor = { TEXT("default"), TEXT("ana") };
    struct select_nodes nodes;
    struct buf buf;
    struct err err;

    buf_init(&buf, fixture.arena);
    if (!select_nodes(fixture.cache, fixture.arena, &actor, &request, &nodes, &err)) {
        buf_add_string(&buf, code_get(err.code)->name);
        return buf_text(&buf);
    }
    for (size_t i = 0; i < nodes.count; i++) {
        buf_printf(&buf, "%s%.*s", i == 0 ? "" : " ", TEXT_ARG(nodes.items[i].token));
    }
    return buf_text(&buf);
}

static void failed_check(const char *job, const char *tokens)
{
    struct text text = found((struct select_request){ .failed_of = text_from(job) });

    assert_string_equal(arena_string(fixture.arena, text), tokens);
}

static void revision_check(const char *revision, const char *tokens)
{
    struct text text = found((struct select_request){ .revision = text_from(revision) });

    assert_string_equal(arena_string(fixture.arena, text), tokens);
}

static void test_who_failed_in_a_job(void **state)
{
    (void)state;
    machine_put("t1", "web-1", 1000, "", true);
    machine_put("t2", "web-2", 1000, "", false);
    machine_put("t3", "web-3", ENDED_MS + 1, "", true);
    job_put(7, "{\"failedNodes\":\"web-[1,3]\",\"state\":\"waiting\",\"problems\":[{}]}");
    failed_check("7", "t1 t3");
    failed_check("job/7", "t1 t3");
    /* the job is over; web-3 was created later */
    job_put(
        8,
        "{\"ended\":5000,\"failedNodes\":\"web-[1,3]\",\"state\":\"superseded\",\"problems\":[{}]}");
    failed_check("8", "t1");
    job_put(9, "{\"ended\":5000,\"state\":\"done\",\"problems\":[]}");
    failed_check("9", "");
}

/* A row without complete data is an error, because a part of the machines must not count as all of
 * them. */
static void test_a_row_that_does_not_know_says_so(void **state)
{
    (void)state;
    machine_put("t1", "web-1", 1000, "", true);
    job_put(7, "{\"failedMore\":3,\"failedNodes\":\"web-1\",\"problems\":[{}]}");
    failed_check("7", "R0795");
    job_put(8, "{\"problems\":[{\"name\":\"web-1\"}]}"); /* a row of an older manager */
    failed_check("8", "R0795");
    failed_check("9", "R0795");
    failed_check("x", "R0426");
    revision_check("9", "R0795");
    revision_check("!9", "R0795");
    /* the rows of very many groups are not stored */
    job_put(10, "{\"groups\":[],\"problems\":[]}");
    revision_check("10", "R0795");
}

/* While one machine replaces another with the same name: a selection of failures means the failed
 * machine, any other selection the first. */
static void test_of_one_name_the_one_that_failed_is_meant(void **state)
{
    (void)state;
    machine_put("t1", "web-1", 1000, "", false);
    machine_put("t2", "web-1", 1000, "", true);
    job_put(7, "{\"failedNodes\":\"web-1\",\"problems\":[{}]}");
    failed_check("7", "t2");
    assert_true(text_is(found((struct select_request){ .names = TEXT("web-1") }), "t1"));
}

static void test_what_was_wanted_then(void **state)
{
    (void)state;
    machine_put("t1", "web-1", 1000, "c1", false);
    machine_put("t2", "web-2", 1000, "c2", false);
    machine_put("t3", "web-3", 1000, "c1", true); /* the stages of chain c2 have failed on it */
    job_put(7,
            "{\"groups\":[{\"chain\":\"c1\",\"generations\":[\"g0\",\"g1\"],\"group\":\"web\"}]}");
    revision_check("7", "t1 t3");
    revision_check("!7", "t2");
    job_put(8, "{\"groups\":[{\"chain\":\"c2\",\"generations\":[\"g1\"],\"group\":\"web\"}]}");
    revision_check("8", "t2");
    revision_check("!8", "t1 t3");
    job_put(9, "{\"groups\":[{\"generations\":[\"g2\"],\"group\":\"web\"}]}");
    revision_check("9", "");
    revision_check("!9", "t1 t2 t3");
    job_put(
        10,
        "{\"groups\":[{\"generations\":[\"g1\"],\"group\":\"db\"}]}"); /* the group did not exist */
    revision_check("10", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_who_failed_in_a_job, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_row_that_does_not_know_says_so, setup, teardown),
        cmocka_unit_test_setup_teardown(test_of_one_name_the_one_that_failed_is_meant, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_what_was_wanted_then, setup, teardown),
    };

    return cmocka_run_group_tests_name("engine/select", tests, NULL, NULL);
}
