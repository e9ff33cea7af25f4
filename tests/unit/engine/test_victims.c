/* An operator selects the machines to remove when a group shrinks: by name, range, id or token.
 * They are checked against the group and its protection, and no other machines are removed. */

#include "engine/lab.h"

#include "codec/json.h"
#include "change/change_patch.h"

#include <stdio.h>
#include <string.h>

enum { SLOTS_MAX = 10 };

struct answer {
    bool is_there;
    char text[LIMIT_ERROR_TEXT_BYTES]; /* text of the first error; empty: no error */
    char hint[LIMIT_ERROR_TEXT_BYTES];
};

static void on_answer(void *arg, const struct service_answer *answer)
{
    struct answer *out = arg;

    out->is_there = true;
    if (answer->errors->count > 0) {
        snprintf(out->text, sizeof(out->text), "%s", answer->errors->items[0].text);
        snprintf(out->hint, sizeof(out->hint), "%s", answer->errors->items[0].hint);
    }
}

static const struct answer *resize(unsigned size, const char *victims)
{
    static struct answer answer;
    const struct service_actor actor = { TEXT("default"), TEXT("ana") };
    struct service_patch patch = { .kind = objects_kind("NodeGroup"),
                                   .name = TEXT("shop/web"),
                                   .patch_kind = CHANGE_PATCH_MERGE };
    struct doc *spec = arena_one(lab.arena, struct doc);
    struct err err;

    answer = (struct answer){ 0 };
    assert_true(json_parse(lab.arena, arena_printf(lab.arena, "{\"size\":%u}", size),
                           arena_one(lab.arena, struct origin), spec, &err));
    patch.patch = spec;
    patch.change =
        (struct service_change){ .victims = text_from(victims), .allow = { .destroy = 1000 } };
    service_patch(lab.service, lab.arena, &actor, &patch, on_answer, &answer);
    for (int i = 0; i < 1000 && !answer.is_there; i++) {
        turn();
    }
    assert_true(answer.is_there);
    return &answer;
}

/* Returns the slots with running machines: "0 2 3". */
static const char *slots(void)
{
    static char text[2 * SLOTS_MAX + 1];
    bool runs[SLOTS_MAX] = { false };
    struct text cluster = text_from(lab.cluster);
    size_t length = 0;

    for (struct sim_machine *one = sim_first(lab.cloud, cluster); one != NULL;
         one = sim_next(lab.cloud, cluster, one)) {
        if (sim_is_running(lab.cloud, one)) {
            assert_true(sim_tags(one).slot < SLOTS_MAX);
            runs[sim_tags(one).slot] = true;
        }
    }
    for (size_t i = 0; i < SLOTS_MAX; i++) {
        if (runs[i]) {
            text[length++] = (char)('0' + i);
            text[length++] = ' ';
        }
    }
    text[length > 0 ? length - 1 : 0] = '\0';
    return text;
}

static void begin(void)
{
    apply_web(5);
    pass_time(2 * MINUTE);
    assert_string_equal(slots(), "0 1 2 3 4");
}

static void test_those_that_are_named_go(void **state)
{
    static const char *const words[] = { "web-1,web-3", "shop/web-1,shop/web-3", "web-[1,3]" };

    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        begin();
        assert_string_equal(resize(3, words[i])->text, "");
        pass_time(2 * MINUTE);
        assert_string_equal(slots(), "0 2 4");
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
    }
}

static void test_fewer_may_be_named_than_go(void **state)
{
    (void)state;
    begin();
    assert_string_equal(resize(3, "web-0")->text, "");
    pass_time(2 * MINUTE);
    assert_string_equal(slots(), "1 2 3");
}

static void test_one_that_is_named_twice_counts_once(void **state)
{
    (void)state;
    begin();
    assert_string_equal(resize(4, "web-2,shop/web-2")->text, "");
    pass_time(2 * MINUTE);
    assert_string_equal(slots(), "0 1 3 4");
}

static void test_what_is_refused(void **state)
{
    static const struct {
        unsigned size;
        const char *victims;
        const char *text;
    } cases[] = {
        { 3, "web-7", "'web-7' cannot be removed: the group has no such member" },
        { 4, "web-[1,3]",
          "'web-[1,3]' cannot be removed: more machines are given than will be removed" },
        { 3, "web-0,web-1,web-2",
          "'web-2' cannot be removed: more machines are given than will be removed" },
        { 5, "web-1", "machines to destroy are given, but the change destroys none" },
        { 6, "web-1", "machines to destroy are given, but the change destroys none" },
    };

    (void)state;
    begin();
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        assert_string_equal(resize(cases[i].size, cases[i].victims)->text, cases[i].text);
        pass_time(MINUTE);
        assert_string_equal(slots(), "0 1 2 3 4");
    }
    assert_string_equal(resize(3, "web-7")->hint,
                        "without this name, these members of web would be removed: web-[3-4]");
}

/* The names are dropped with the next change of the size. */
static void test_names_count_for_one_change(void **state)
{
    (void)state;
    begin();
    assert_string_equal(resize(4, "web-0")->text, "");
    pass_time(2 * MINUTE);
    assert_string_equal(slots(), "1 2 3 4");
    assert_string_equal(resize(5, "")->text, "");
    pass_time(2 * MINUTE);
    assert_string_equal(slots(), "0 1 2 3 4");
    assert_string_equal(resize(4, "")->text, "");
    pass_time(2 * MINUTE);
    assert_string_equal(slots(), "0 1 2 3");
}

static void written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)answer;
    assert_int_equal(outcome, OUTCOME_OK);
    *(bool *)arg = true;
}

/* Protects the machine in a slot, as an operator does. */
static void protect(const char *slot)
{
    const struct text prefix = TEXT("/default/Resource/");

    for (const struct cache_object *object = cache_first(lab.cache, prefix); object != NULL;
         object = cache_next(lab.cache, prefix, object)) {
        const char *bytes = arena_string(lab.arena, blob_text(object->parts[CACHE_STATUS].bytes));
        const char *reason = strstr(bytes, "\"reason\":");

        if (strstr(bytes, slot) != NULL && reason != NULL) {
            struct store_op op = {
                .key = arena_printf(lab.arena, "/default/Resource/%.*s/status",
                                    TEXT_ARG(cache_id(object))),
                .value = arena_printf(lab.arena, "%.*s\"protected\":true,%s", (int)(reason - bytes),
                                      bytes, reason),
            };
            bool is_written = false;

            store_txn(lab.store, &(struct store_txn){ .ops = &op, .op_count = 1 }, written,
                      &is_written);
            for (int i = 0; i < 100 && !is_written; i++) {
                turn();
            }
            assert_true(is_written);
            turn();
            return;
        }
    }
    fail();
}

static void test_a_protected_machine_does_not_go(void **state)
{
    (void)state;
    begin();
    protect("\"slot\":1");
    assert_string_equal(resize(4, "web-1")->text,
                        "'web-1' cannot be removed: the machine is protected");
    assert_string_equal(resize(3, "web-0,web-1")->text,
                        "'web-1' cannot be removed: the machine is protected");
    pass_time(2 * MINUTE);
    assert_string_equal(slots(), "0 1 2 3 4");
    assert_string_equal(resize(4, "web-0")->text, "");
    pass_time(2 * MINUTE);
    assert_string_equal(slots(), "1 2 3 4");
}

/* By the provider's id of the machine, and by its token. */
static void test_machines_are_named_by_id_and_token(void **state)
{
    struct sim_machine *machine;

    (void)state;
    begin();
    machine = any_machine();
    assert_string_equal(resize(4, arena_string(lab.arena, machine->id))->text, "");
    pass_time(2 * MINUTE);
    assert_false(sim_is_there(machine));
    machine = any_machine();
    assert_string_equal(resize(3, arena_string(lab.arena, machine->token))->text, "");
    pass_time(2 * MINUTE);
    assert_false(sim_is_there(machine));
    assert_string_equal(resize(2, "shopweb-1")->text,
                        "'shopweb-1' cannot be removed: the group has no such member");
    assert_string_equal(resize(2, "shop/")->text,
                        "'shop/' cannot be removed: the group has no such member");
}

/* Slots without a machine are removed first, from the highest number on. */
static void test_places_that_are_not_filled(void **state)
{
    (void)state;
    apply("version: '1'\nname: shop\ngroups: {web: {size: 5, resourcePlugin: {name: aws}}}\n");
    pass_time(2 * MINUTE);
    assert_int_equal(records(), 0);
    assert_string_equal(resize(4, "web-1")->text,
                        "'web-1' cannot be removed: while no machine exists, the slots with the "
                        "highest numbers are removed first");
    assert_string_equal(resize(4, "web-3,web-4")->text,
                        "'web-3' cannot be removed: while no machine exists, the slots with the "
                        "highest numbers are removed first");
    assert_string_equal(resize(3, "web-4,web-3,web-2")->text,
                        "'web-2' cannot be removed: while no machine exists, the slots with the "
                        "highest numbers are removed first");
    assert_string_equal(resize(4, "web-4")->text, "");
}

/* Other operator commands of the group are not affected. */
static void test_other_words_of_the_group_stay(void **state)
{
    struct text id;
    const struct cache_object *control;
    const char *words;

    (void)state;
    begin();
    assert_true(say(SERVICE_COMMAND_PAUSE, ""));
    {
        struct store_op op = { .value = TEXT("{\"paused\":{\"by\":\"ben\"}}") };
        bool is_written = false;

        id = text_slice(text_from(lab.cluster), sizeof("default/") - 1, SIZE_MAX);
        op.key = arena_printf(lab.arena, "/default/Control/%.*s/web/spec", TEXT_ARG(id));
        store_txn(lab.store, &(struct store_txn){ .ops = &op, .op_count = 1 }, written,
                  &is_written);
        for (int i = 0; i < 100 && !is_written; i++) {
            turn();
        }
        turn();
    }
    assert_string_equal(resize(4, "web-2")->text, "");
    control = cache_find(lab.cache, TEXT("default"), TEXT("Control"),
                         arena_printf(lab.arena, "%.*s/web", TEXT_ARG(id)));
    words = arena_string(lab.arena, blob_text(control->parts[CACHE_SPEC].bytes));
    assert_non_null(strstr(words, "{\"paused\":{\"by\":\"ben\"},\"victims\":[\""));
    assert_string_equal(resize(3, "")->text, "");
    control = cache_find(lab.cache, TEXT("default"), TEXT("Control"),
                         arena_printf(lab.arena, "%.*s/web", TEXT_ARG(id)));
    words = arena_string(lab.arena, blob_text(control->parts[CACHE_SPEC].bytes));
    assert_string_equal(words, "{\"paused\":{\"by\":\"ben\"}}");
}

/* Names are valid only together with the size of one group. */
static void test_names_without_a_group_are_refused(void **state)
{
    const struct service_actor actor = { TEXT("default"), TEXT("ana") };
    struct answer answer = { 0 };
    struct doc *spec = arena_one(lab.arena, struct doc);
    struct service_patch patch = { .kind = objects_kind("Cluster"),
                                   .name = TEXT("shop"),
                                   .patch_kind = CHANGE_PATCH_MERGE,
                                   .patch = spec,
                                   .change = { .victims = TEXT("web-1"),
                                               .allow = { .destroy = 1000 } } };
    struct err err;

    (void)state;
    begin();
    assert_true(json_parse(lab.arena, TEXT("{\"protected\":false}"),
                           arena_one(lab.arena, struct origin), spec, &err));
    service_patch(lab.service, lab.arena, &actor, &patch, on_answer, &answer);
    for (int i = 0; i < 1000 && !answer.is_there; i++) {
        turn();
    }
    assert_string_equal(answer.text,
                        "select machines to destroy only together with new sizes of groups of one "
                        "cluster");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_those_that_are_named_go, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fewer_may_be_named_than_go, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_that_is_named_twice_counts_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_names_count_for_one_change, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_protected_machine_does_not_go, setup, teardown),
        cmocka_unit_test_setup_teardown(test_machines_are_named_by_id_and_token, setup, teardown),
        cmocka_unit_test_setup_teardown(test_places_that_are_not_filled, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_words_of_the_group_stay, setup, teardown),
        cmocka_unit_test_setup_teardown(test_names_without_a_group_are_refused, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
