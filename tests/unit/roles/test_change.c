/* Cases of requests that give roles to nodes, or take the last holder away. Requirements: C12,
 * C37. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "codec/json.h"
#include "roles/roles_change.h"

#include <stdio.h>
#include <string.h>

enum { NODES_MAX = 16 };

#define MASTER "service-master"
#define WORKER "service-worker"

/* Nodes as "NAME BEFORE>AFTER [!]", separated by ", ": m is service-master, w service-worker, - no
 * role, + a new node, x a node that leaves. "!" means that the node is not in service. */
static const struct {
    const char *name;
    const char *nodes;
    const char *want; /* expected codes, with the nodes of R0823 */
    bool can_wait;
} cases[] = {
    { "a worker without a master", "workers +>w", "R0823 workers", false },
    { "a worker with a master", "m0 m>m, workers +>w", "", false },
    { "the master is away", "m0 m>m !, workers +>w", "R0823 workers", false },
    { "the master is in the same request", "masters +>m, workers +>w", "R0823 workers", false },
    { "a document creates both", "masters +>m, workers +>w", "", true },
    { "a document does not create the master", "m0 m>m !, workers +>w", "R0823 workers", true },
    { "the master leaves in the same request", "m0 m>x, workers +>w", "R0823 workers R0824",
      false },
    { "a node gets the role beside its own", "n0 ->w", "R0823 n0", false },
    { "a node with both needs no other", "both +>mw", "", false },
    { "masters in one request", "masters +>m", "", false },
    { "two workers", "w0 ->w, w1 ->w", "R0823 w0 R0823 w1", false },
    { "the last master with a worker", "m0 m>x, w0 w>w", "R0824", false },
    { "all at once", "m0 m>x, w0 w>x", "", false },
    { "workers first", "m0 m>m, w0 w>x", "", false },
    { "one of two masters", "m0 m>x, m1 m>m, w0 w>w", "", false },
    { "the other master is away", "m0 m>x, m1 m>m !, w0 w>w", "R0824", false },
    { "a master that is away may leave", "m0 m>x !, w0 w>w", "", false },
    { "the worker is away", "m0 m>x, w0 w>w !", "R0824", false },
    { "the last master becomes a worker", "m0 m>w", "R0823 m0 R0824", false },
    { "the role moves to a live node", "m0 m>-, n1 ->m, w0 w>w", "", true },
};

static struct roles_list roles_parse(struct arena *arena, struct text letters)
{
    struct roles_list list = { 0 };

    for (size_t i = 0; i < letters.length; i++) {
        if (letters.data[i] == 'm' || letters.data[i] == 'w') {
            roles_list_add(arena, &list, letters.data[i] == 'm' ? TEXT(MASTER) : TEXT(WORKER));
        }
    }
    return list;
}

static struct roles_node node_parse(struct arena *arena, struct text node)
{
    size_t blank = text_find_byte(node, ' ');
    struct text rest = text_slice(node, blank + 1, SIZE_MAX);
    size_t arrow = text_find_byte(rest, '>');
    struct text after = text_slice(rest, arrow + 1, SIZE_MAX);

    return (struct roles_node){
        .name = arena_text(arena, text_slice(node, 0, blank)),
        .group = TEXT("g"),
        .before = roles_parse(arena, text_slice(rest, 0, arrow)),
        .after = roles_parse(arena, after),
        .is_live = rest.data[0] != '+' && text_find_byte(after, '!') == SIZE_MAX,
        .is_leaving = after.data[0] == 'x',
        .is_new = rest.data[0] == '+',
    };
}

static size_t nodes_parse(struct arena *arena, const char *nodes, struct roles_node *out)
{
    struct text rest = text_from(nodes);
    size_t count = 0;

    while (rest.length > 0) {
        size_t comma = text_find_byte(rest, ',');

        out[count++] = node_parse(arena, text_slice(rest, 0, comma));
        rest = comma == SIZE_MAX ? TEXT("") : text_slice(rest, comma + 2, SIZE_MAX);
    }
    return count;
}

/* Returns the codes of the errors, and for R0823 the first word of the message, which is the
 * node. */
static const char *errors_format(struct arena *arena, const struct err_list *errors)
{
    char text[256] = "";
    size_t at = 0;

    for (size_t i = 0; i < errors->count; i++) {
        const struct err *err = &errors->items[i];
        struct text message = text_from(err->text);

        at += (size_t)snprintf(text + at, sizeof(text) - at, "%sR0%d", at == 0 ? "" : " ",
                               err->code == CODE_R0823 ? 823 : 824);
        if (err->code == CODE_R0823) {
            at += (size_t)snprintf(text + at, sizeof(text) - at, " %.*s",
                                   (int)text_find_byte(message, ' '), message.data);
        }
    }
    return arena_string(arena, text_from(text));
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct arena *arena = arena_new(SIZE_MAX);
        struct roles_rules rules = roles_rules_read(arena, NULL);
        struct roles_node nodes[NODES_MAX];
        struct roles_change change = { .rules = &rules,
                                       .nodes = nodes,
                                       .can_wait = cases[i].can_wait };
        struct err_list errors;

        err_list_init(&errors, arena);
        change.count = nodes_parse(arena, cases[i].nodes, nodes);
        roles_change_check(arena, &change, &errors);
        if (strcmp(errors_format(arena, &errors), cases[i].want) != 0) {
            fail_msg("%s: got '%s', want '%s'", cases[i].name, errors_format(arena, &errors),
                     cases[i].want);
        }
        arena_free(arena);
    }
}

/* A rule with `keep` permits a holder to leave if another node can take over its role. */
static void test_a_kept_role_can_lose_its_holder(void **state)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct roles_rules rules;
    struct roles_node nodes[NODES_MAX];
    struct roles_change change = { .rules = &rules, .nodes = nodes };
    struct err_list errors;
    struct err err;
    struct doc doc;

    (void)state;
    assert_true(json_parse(arena, TEXT("{\"service-master\":{\"keep\":1}}"), NULL, &doc, &err));
    rules = roles_rules_read(arena, &doc);
    err_list_init(&errors, arena);
    change.count = nodes_parse(arena, "m0 m>x, n1 ->-, w0 w>w", nodes);
    roles_change_check(arena, &change, &errors);
    assert_int_equal(errors.count, 0);
    nodes[1].is_live = false;
    nodes[2].is_live = false;
    roles_change_check(arena, &change, &errors);
    assert_int_equal(errors.count, 1);
    assert_int_equal(errors.items[0].code, CODE_R0824);
    arena_free(arena);
}

static void test_what_a_group_waits_for(void **state)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct roles_rules rules = roles_rules_read(arena, NULL);
    struct roles_node nodes[NODES_MAX];
    struct roles_list worker = roles_parse(arena, TEXT("w"));
    struct roles_list both = roles_parse(arena, TEXT("wm"));
    size_t count = nodes_parse(arena, "m0 m>m !, w0 w>w", nodes);

    (void)state;
    assert_true(text_is(roles_wait_find(&rules, &worker, nodes, count), MASTER));
    assert_int_equal(roles_wait_find(&rules, &both, nodes, count).length, 0);
    nodes[0].is_live = true;
    assert_int_equal(roles_wait_find(&rules, &worker, nodes, count).length, 0);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_a_kept_role_can_lose_its_holder),
        cmocka_unit_test(test_what_a_group_waits_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
