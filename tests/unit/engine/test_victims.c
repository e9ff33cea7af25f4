/* An operator names the machines that go when a group shrinks: by name, range, id or token, checked against the group and
 * its protection, and no others go. */

#include "engine/lab.h"

#include "codec/json.h"
#include "engine/change_patch.h"

#include <stdio.h>
#include <string.h>

enum { SLOTS_MAX = 10 };

struct answer {
    bool is_there;
    char text[LIMIT_ERROR_TEXT_BYTES]; /* of the first error; empty: there was none */
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

/* The slots whose machines run: "0 2 3". */
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
        { 3, "web-7", "'web-7' cannot go: the group has no such member" },
        { 4, "web-[1,3]", "'web-[1,3]' cannot go: more are named than shall go" },
        { 3, "web-0,web-1,web-2", "'web-2' cannot go: more are named than shall go" },
        { 5, "web-1", "it is said who goes, and nobody does" },
        { 6, "web-1", "it is said who goes, and nobody does" },
    };

    (void)state;
    begin();
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        assert_string_equal(resize(cases[i].size, cases[i].victims)->text, cases[i].text);
        pass_time(MINUTE);
        assert_string_equal(slots(), "0 1 2 3 4");
    }
    assert_string_equal(resize(3, "web-7")->hint, "of web these would go: web-[3-4]");
}

/* The next change of the size takes the names away. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_those_that_are_named_go, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fewer_may_be_named_than_go, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_that_is_named_twice_counts_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_names_count_for_one_change, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
