/* Cases of which node gets a role by a rule with `keep`, with one text of nodes each. Requirements:
 * C11. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "roles/roles_decide.h"

#include <stdio.h>
#include <string.h>

enum { NOW_MS = 1000000, AFTER_MS = 300000, PLACES_MAX = 16 };

/* Nodes as "GROUP-SLOT@ZONE FLAGS", separated by ", ". Flags: r ready, h holder, s has it by its
 * group, l leaves, a away for a minute, A away for an hour. The answer: "give N", "give N take M",
 * "take M", "rest"; then "missing N" and "again" if there is another decision later. */
static const struct {
    const char *name;
    const char *rule; /* KEEP[/zone][:GROUP] */
    const char *nodes;
    const char *want;
} cases[] = {
    { "the lowest slot is first", "1", "db-2@a r, db-0@b r, db-1@a r", "give db-0" },
    { "nobody is ready", "2", "db-0@a , db-1@b ", "rest missing 2" },
    { "as many as wanted", "1", "db-0@a r, db-1@a rh", "rest" },
    { "one at a time", "3", "db-0@a rh, db-1@a r, db-2@a r", "give db-1 missing 1" },
    { "the emptiest zone is first", "3/zone", "db-0@a rh, db-1@a r, db-2@b r, db-3@c rh",
      "give db-2" },
    { "without spread zones do not count", "2", "db-0@a rh, db-1@a r, db-2@b r", "give db-1" },
    { "equal zones: the lowest slot", "3/zone", "db-0@a rh, db-1@b rh, db-3@b r, db-2@a r",
      "give db-2" },
    { "holders of the group count", "2", "db-0@a rs, db-1@a rs, db-2@a r", "rest" },
    { "holders of the group count in zones", "2/zone", "db-0@a rs, db-1@a r, db-2@b r",
      "give db-2" },
    { "only members of its groups", "1:web", "db-0@a r, web-3@a r", "give web-3" },
    { "a member that leaves gets none", "1", "db-0@a rl, db-1@a r", "give db-1" },
    { "a member that is away gets none", "1", "db-0@a ra, db-1@a r", "give db-1" },
    { "a holder that leaves loses it", "1", "db-0@a rhl, db-1@a r", "take db-0" },
    { "a holder that is away keeps it for a while", "1", "db-0@a ha, db-1@a r", "rest again" },
    { "a holder that is away too long is followed", "1", "db-0@a hA, db-1@a r",
      "give db-1 take db-0" },
    { "no follower: it keeps the role", "1", "db-0@a hA, db-1@a ", "rest missing 1" },
    { "one of two is followed", "2", "db-1@a hA, db-0@a hA, db-2@a r",
      "give db-2 take db-0 missing 1" },
    { "a smaller keep takes nothing", "1", "db-0@a rh, db-1@a rh, db-2@a rh", "rest" },
    { "a better place takes nothing", "2/zone", "db-0@a rh, db-1@a rh, db-2@b r", "rest" },
    { "keep 0 ends it", "0", "db-1@a rh, db-0@a rh", "take db-0" },
    { "a group that the rule leaves out ends it", "1:web", "db-0@a rh, web-0@a r", "take db-0" },
};

static struct roles_place place_parse(struct arena *arena, struct text node)
{
    size_t dash = text_find_byte(node, '-');
    size_t at = text_find_byte(node, '@');
    size_t blank = text_find_byte(node, ' ');
    struct text flags = text_slice(node, blank + 1, SIZE_MAX);
    struct roles_place place = {
        .token = arena_text(arena, text_slice(node, 0, at)),
        .group = arena_text(arena, text_slice(node, 0, dash)),
        .zone = arena_text(arena, text_slice(node, at + 1, blank - at - 1)),
        .replace_after_ms = AFTER_MS,
    };
    int64_t slot;

    assert_true(text_parse_int64(text_slice(node, dash + 1, at - dash - 1), &slot));
    place.slot = (uint64_t)slot;
    for (size_t i = 0; i < flags.length; i++) {
        char flag = flags.data[i];

        place.is_ready |= flag == 'r';
        place.is_holder |= flag == 'h';
        place.is_static |= flag == 's';
        place.is_leaving |= flag == 'l';
        place.lost_ms = flag == 'a'   ? NOW_MS - 60000
                        : flag == 'A' ? NOW_MS - 400000
                                      : place.lost_ms;
    }
    return place;
}

static size_t places_parse(struct arena *arena, const char *nodes, struct roles_place *out)
{
    struct text rest = text_from(nodes);
    size_t count = 0;

    while (rest.length > 0) {
        size_t comma = text_find_byte(rest, ',');

        out[count++] = place_parse(arena, text_slice(rest, 0, comma));
        rest = comma == SIZE_MAX ? TEXT("") : text_slice(rest, comma + 2, SIZE_MAX);
    }
    return count;
}

static struct roles_rule rule_parse(struct arena *arena, const char *rule)
{
    struct roles_rule out = { .name = TEXT("r"),
                              .keep = (uint32_t)(rule[0] - '0'),
                              .is_spread = strstr(rule, "/zone") != NULL };
    const char *colon = strchr(rule, ':');

    if (colon != NULL) {
        roles_list_add(arena, &out.of, text_from(colon + 1));
    }
    return out;
}

static const char *move_format(struct arena *arena, const struct roles_place *places,
                               const struct roles_move *move)
{
    char text[128] = "";
    size_t at = 0;

    if (move->given >= 0) {
        at += (size_t)snprintf(text + at, sizeof(text) - at, "give %.*s ",
                               TEXT_ARG(places[move->given].token));
    }
    if (move->taken >= 0) {
        at += (size_t)snprintf(text + at, sizeof(text) - at, "take %.*s ",
                               TEXT_ARG(places[move->taken].token));
    }
    if (move->step == ROLES_REST) {
        at += (size_t)snprintf(text + at, sizeof(text) - at, "rest ");
    }
    if (move->missing > 0) {
        at += (size_t)snprintf(text + at, sizeof(text) - at, "missing %zu ", move->missing);
    }
    if (move->next_ms != 0) {
        assert_int_equal(move->next_ms, NOW_MS - 60000 + AFTER_MS);
        at += (size_t)snprintf(text + at, sizeof(text) - at, "again ");
    }
    return arena_string(arena, text_slice(text_from(text), 0, at - 1));
}

static void test_cases(void **state)
{
    struct roles_place places[PLACES_MAX];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct arena *arena = arena_new(SIZE_MAX);
        struct roles_rule rule = rule_parse(arena, cases[i].rule);
        size_t count = places_parse(arena, cases[i].nodes, places);
        struct roles_move move;

        roles_decide(&rule, places, count, NOW_MS, false, &move);
        if (strcmp(move_format(arena, places, &move), cases[i].want) != 0) {
            fail_msg("%s: got '%s', want '%s'", cases[i].name, move_format(arena, places, &move),
                     cases[i].want);
        }
        arena_free(arena);
    }
}

/* The order of the nodes has no influence, and no role is given while a move is unfinished. */
static void test_order_and_unfinished_moves(void **state)
{
    struct roles_place places[PLACES_MAX];
    struct roles_place turned[PLACES_MAX];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct arena *arena = arena_new(SIZE_MAX);
        struct roles_rule rule = rule_parse(arena, cases[i].rule);
        size_t count = places_parse(arena, cases[i].nodes, places);
        struct roles_move first;
        struct roles_move second;

        for (size_t j = 0; j < count; j++) {
            turned[j] = places[count - 1 - j];
        }
        roles_decide(&rule, places, count, NOW_MS, false, &first);
        roles_decide(&rule, turned, count, NOW_MS, false, &second);
        assert_string_equal(move_format(arena, places, &first),
                            move_format(arena, turned, &second));
        roles_decide(&rule, places, count, NOW_MS, true, &second);
        assert_true(second.step != ROLES_GIVE);
        arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_order_and_unfinished_moves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
