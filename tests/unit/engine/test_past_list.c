/* A list of a past revision with a selector equals the list at that time, regardless of later
 * changes and of page sizes. Groups are nested, so that other keys are between a spec and its
 * status. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "codec/json.h"
#include "state/objects.h"
#include "service/service_read.h"
#include "store/memory.h"

#include <stdio.h>
#include <string.h>

enum { RING = 4096, ROUNDS = 200, NAMES = 8, KEY_BYTES = 96 };

static const char *const names[NAMES] = {
    "web", "web/a", "web/spec", "web/sq", "web/sta", "web/sta/x", "web/status", "web/sub",
};

static const char *const selectors[] = {
    "role=a", "state=up", "role=a,state!=up", "!state", "role in (a,b),state", "role=c",
};

struct fixture {
    struct store *store;
    struct cache *cache;
    struct service *service;
    struct arena *arena;
    uint64_t random;
};

static struct fixture fixture;

static int64_t wall_ms(void *arg)
{
    (void)arg;
    return INT64_C(1760000000000);
}

static void id_make(void *arg, char out[static 37])
{
    (void)arg;
    snprintf(out, 37, "00000000-0000-4000-8000-000000000000");
}

static void turn(void)
{
    store_run(fixture.store);
    cache_run(fixture.cache);
    service_run(fixture.service);
}

static int setup(void **state)
{
    (void)state;
    fixture = (struct fixture){ .random = 5 };
    fixture.arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    fixture.store = memory_open((const unsigned char *)"0123456789abcdef");
    fixture.cache = cache_new(fixture.store, RING);
    fixture.service = service_new(fixture.store, fixture.cache,
                                  (struct service_ports){ wall_ms, id_make, &fixture });
    for (int i = 0; i < 20; i++) {
        turn();
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cache_free(fixture.cache);
    store_close(fixture.store);
    service_free(fixture.service);
    arena_free(fixture.arena);
    return 0;
}

static unsigned below(unsigned bound)
{
    fixture.random = fixture.random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(fixture.random >> 33) % bound;
}

static void nothing_done(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)answer;
    assert_int_equal(outcome, OUTCOME_OK);
}

/* Creates, changes or deletes one part of one group. */
static void change(void)
{
    char key[KEY_BYTES];
    char value[160];
    const char *name = names[below(NAMES)];
    bool is_spec = below(2) == 0;
    struct store_op op = { .is_delete = below(5) == 0 };

    snprintf(key, sizeof(key), "/default/NodeGroup/c/%s/%s", name, is_spec ? "spec" : "status");
    if (is_spec) {
        snprintf(
            value, sizeof(value),
            "{\"kind\":\"NodeGroup\",\"metadata\":{\"labels\":{\"role\":\"%c\"},\"name\":\"%s\"},\"spec\":{}}",
            "abc"[below(3)], name);
    } else {
        snprintf(value, sizeof(value), "{\"state\":\"%s\"}", below(2) == 0 ? "up" : "down");
    }
    op.key = text_from(key);
    op.value = op.is_delete ? TEXT("") : text_from(value);
    store_txn(fixture.store, &(struct store_txn){ .ops = &op, .op_count = 1 }, nothing_done, NULL);
    for (int i = 0; i < 5; i++) {
        turn();
    }
}

struct reply {
    bool is_there;
    unsigned found; /* names that were found, as bits */
    size_t rows;
    struct text next;
};

static void replied(void *arg, const struct service_answer *answer)
{
    struct reply *reply = arg;
    const struct doc *items;
    struct doc body;
    struct err err;

    assert_int_equal(answer->errors->count, 0);
    assert_true(
        json_parse(fixture.arena, arena_text(fixture.arena, answer->body), NULL, &body, &err));
    reply->is_there = true;
    reply->next = arena_text(fixture.arena, answer->next);
    items = doc_child(&body, "items");
    reply->rows = items->item_count;
    for (size_t i = 0; i < items->item_count; i++) {
        struct text name = doc_child(doc_child(&items->items[i], "metadata"), "name")->text;

        for (unsigned bit = 0; bit < NAMES; bit++) {
            if (text_is(name, names[bit])) {
                assert_int_equal(reply->found & 1u << bit, 0); /* each name is found once */
                reply->found |= 1u << bit;
            }
        }
    }
}

/* Reads all pages of a list with this number of rows per page. Returns the names as bits. */
static unsigned list_all(const char *selector, uint64_t revision, size_t limit)
{
    struct service_actor actor = { TEXT("default"), TEXT("ana") };
    struct service_list list = { .kind = objects_kind("NodeGroup"),
                                 .selector = text_from(selector),
                                 .limit = limit,
                                 .at_revision = revision };
    unsigned found = 0;
    struct reply reply;

    do {
        reply = (struct reply){ 0 };
        service_list(fixture.service, fixture.arena, &actor, &list, replied, &reply);
        for (int i = 0; i < 100 && !reply.is_there; i++) {
            turn();
        }
        assert_true(reply.is_there);
        assert_true(reply.rows <= limit && (reply.rows == limit || reply.next.length == 0));
        assert_int_equal(found & reply.found, 0);
        found |= reply.found;
        list.next = reply.next;
    } while (reply.next.length > 0);
    return found;
}

static void test_a_selector_finds_what_it_found_then(void **state)
{
    unsigned was[ROUNDS][ARRAY_COUNT(selectors)];
    uint64_t revisions[ROUNDS];
    unsigned most = 0;

    (void)state;
    for (size_t round = 0; round < ROUNDS; round++) {
        change();
        revisions[round] = cache_revision(fixture.cache);
        for (size_t i = 0; i < ARRAY_COUNT(selectors); i++) {
            was[round][i] = list_all(selectors[i], 0, LIMIT_PAGE);
            most |= was[round][i];
        }
    }
    assert_int_equal(most, (1u << NAMES) - 1); /* every group was found by some selector */
    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < ARRAY_COUNT(selectors) && revisions[round] > 0; i++) {
            for (size_t limit = 1; limit <= 3; limit++) {
                assert_int_equal(list_all(selectors[i], revisions[round], limit), was[round][i]);
            }
        }
    }
}

static void refused(void *arg, const struct service_answer *answer)
{
    assert_int_equal(answer->errors->count, 1);
    *(enum code *)arg = answer->errors->items[0].code;
}

static void test_a_selector_that_is_none_is_reported(void **state)
{
    struct service_actor actor = { TEXT("default"), TEXT("ana") };
    enum code code = CODE_NONE;

    (void)state;
    change();
    service_list(fixture.service, fixture.arena, &actor,
                 &(struct service_list){ .kind = objects_kind("NodeGroup"),
                                         .selector = TEXT("role in ("),
                                         .at_revision = 1 },
                 refused, &code);
    assert_int_equal(code, CODE_R0531);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_selector_finds_what_it_found_then, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_selector_that_is_none_is_reported, setup, teardown),
    };

    return cmocka_run_group_tests_name("engine/past_list", tests, NULL, NULL);
}
