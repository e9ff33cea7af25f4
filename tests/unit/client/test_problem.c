#include "client/problem.h"

#include "unit.h"

static struct place place_find(void *arg, size_t document, struct text pointer, enum code code)
{
    (void)arg;
    (void)pointer;
    (void)code;
    return (struct place){ .line = (uint32_t)document + 1, .column = 1, .length = 1, .source = 1 };
}

static void read_into(struct arena *arena, int status, const char *body, struct err_list *errors,
                      struct doc *plan)
{
    struct client_answer answer = { .head = { .status = status }, .body = text_from(body) };

    err_list_init(errors, arena);
    problem_read(arena, &answer, place_find, NULL, errors, plan);
}

static void test_errors_come_with_places_hints_and_plan(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct err_list errors;
    struct doc plan;

    (void)state;
    read_into(arena, 409,
              "{\"code\":\"R0301\",\"detail\":\"x\",\"plan\":{\"changed\":true},\"errors\":["
              "{\"code\":\"R0301\",\"document\":2,\"pointer\":\"/a\",\"text\":\"unknown 'a'\","
              "\"hint\":\"did you\",\"note\":\"because\"},"
              "{\"code\":\"R0336\",\"pointer\":\"\",\"text\":\"old\",\"severity\":\"warning\"}]}",
              &errors, &plan);
    assert_int_equal(errors.errors, 1);
    assert_int_equal(errors.warnings, 1);
    assert_int_equal(errors.items[0].code, CODE_R0301);
    assert_int_equal(errors.items[0].place.line, 3);
    assert_string_equal(errors.items[0].path, "/a");
    assert_string_equal(errors.items[0].hint, "did you");
    assert_string_equal(errors.items[0].note, "because");
    assert_int_equal(errors.items[1].place.line, 0);
    assert_true(doc_is_map(&plan));
}

/* The manager lists the first 50 errors and reports the number of all. */
static void test_errors_that_are_not_listed_are_counted(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct err_list errors;
    struct doc plan;

    (void)state;
    read_into(arena, 422,
              "{\"total\":70,\"warnings\":6,\"errors\":[{\"code\":\"R0301\",\"text\":\"a\"},"
              "{\"code\":\"R0301\",\"text\":\"b\"}]}",
              &errors, &plan);
    assert_int_equal(errors.errors, 64);
    assert_int_equal(errors.warnings, 6);
    assert_int_equal(errors.count, 2);
    read_into(arena, 422,
              "{\"total\":-9,\"warnings\":-1,\"errors\":[{\"code\":\"R0301\",\"text\":\"a\"}]}",
              &errors, &plan);
    assert_int_equal(errors.errors, 1);
}

/* Every answer gives at least one error, whose code follows from the status. */
static void test_what_is_not_understood_is_an_error_all_the_same(void **state)
{
    static const struct {
        int status;
        const char *body;
        enum code code;
    } cases[] = {
        { 404, "not json", CODE_R0403 },
        { 503, "", CODE_R0501 },
        { 401, "[]", CODE_R0410 },
        { 409, "{\"errors\":[{\"code\":\"R9999\",\"text\":\"new\"}]}", CODE_R0401 },
        { 500, "{}", CODE_R0017 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO(arena) arena = arena_new(1 << 20);
        struct err_list errors;
        struct doc plan;

        read_into(arena, cases[i].status, cases[i].body, &errors, &plan);
        assert_int_equal(errors.errors, 1);
        assert_int_equal(errors.items[0].code, cases[i].code);
        assert_false(doc_is_present(&plan));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors_come_with_places_hints_and_plan),
        cmocka_unit_test(test_errors_that_are_not_listed_are_counted),
        cmocka_unit_test(test_what_is_not_understood_is_an_error_all_the_same),
    };

    return cmocka_run_group_tests_name("client/problem", tests, NULL, NULL);
}
