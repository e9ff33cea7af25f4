/* The manifest of a configuration repository: the fields of Config, without a kind and a name.
 * Requirements: C6. */
#include "world.h"

#include <string.h>

#include "codec/json.h"
#include "codec/yaml.h"
#include "model/shape.h"

static struct doc manifest_of(struct arena *arena, const char *text, struct err_list *errors)
{
    static const struct origin origin = { .source = 1 };
    struct yaml_docs docs;
    struct err err;

    err_list_init(errors, arena);
    assert_true(yaml_parse(arena, text_from(text), &origin, &docs, &err));
    assert_int_equal(docs.count, 1);
    return shape_read_manifest(arena, &docs.items[0], errors);
}

static void test_C6_a_manifest_is_read_in_normal_form(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct err_list errors;
    struct buf json;
    struct doc manifest = manifest_of(
        arena, "bundles:\n- {tries: 2, tar: base}\n- {tar: web, args: [80]}\nrunner: bundles\n",
        &errors);

    (void)state;
    assert_int_equal(errors.errors, 0);
    buf_init(&json, arena);
    json_format(&json, &manifest);
    assert_string_equal(arena_string(arena, buf_text(&json)),
                        "{\"bundles\":[{\"tar\":\"base\",\"tries\":2},{\"args\":[\"80\"],"
                        "\"tar\":\"web\"}],\"runner\":\"bundles\"}");
}

static void test_C6_faults_of_a_manifest_have_their_place(void **state)
{
    static const struct {
        const char *text;
        enum code code;
        uint32_t line;
        uint32_t column;
        const char *path;
    } rows[] = {
        { "- base\n", CODE_R0302, 1, 1, "" },
        { "base\n", CODE_R0302, 1, 1, "" },
        { "runner: chef\n", CODE_R0307, 1, 9, "/runner" },
        { "kind: Config\n", CODE_R0301, 1, 1, "/kind" },
        { "name: web\n", CODE_R0301, 1, 1, "/name" },
        { "bundles:\n- {tar: base, tries: 0}\n", CODE_R0305, 2, 22, "/bundles/0/tries" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
        struct err_list errors;

        (void)manifest_of(arena, rows[i].text, &errors);
        if (errors.errors != 1 || errors.items[0].code != rows[i].code ||
            errors.items[0].place.column != rows[i].column) {
            print_message("# %s %zu errors\n", rows[i].text, errors.errors);
        }
        assert_int_equal(errors.errors, 1);
        assert_int_equal(errors.items[0].code, rows[i].code);
        assert_int_equal(errors.items[0].place.line, rows[i].line);
        assert_int_equal(errors.items[0].place.column, rows[i].column);
        assert_string_equal(errors.items[0].path, rows[i].path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_C6_a_manifest_is_read_in_normal_form),
        cmocka_unit_test(test_C6_faults_of_a_manifest_have_their_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
