/* The properties of a group's machines in the format for its plugin (K12, E4). */
#include "unit.h"

#include "base/buf.h"
#include "base/limits.h"
#include "codec/json.h"
#include "model/properties.h"
#include "reeve/plugin.h"

static struct wire_property schema[] = {
    { .name = TEXT("ami"),
      .type = REEVE_TYPE_TEXT,
      .role = REEVE_ROLE_IMAGE,
      .flags = REEVE_PROPERTY_REQUIRED },
    { .name = TEXT("cpus"),
      .type = REEVE_TYPE_INTEGER,
      .initial = TEXT("2"),
      .least = 1,
      .most = 64 },
    { .name = TEXT("memory"),
      .type = REEVE_TYPE_SIZE,
      .initial = TEXT("1GiB"),
      .least = 1024,
      .most = 1024 * 1024 * 1024 },
    { .name = TEXT("kind"), .type = REEVE_TYPE_TEXT, .choices = TEXT("small|large") },
    { .name = TEXT("spot"), .type = REEVE_TYPE_BOOLEAN },
    { .name = TEXT("groups"), .type = REEVE_TYPE_TEXTS, .role = REEVE_ROLE_SECURITY_GROUPS },
    { .name = TEXT("disks"), .type = REEVE_TYPE_LIST, .role = REEVE_ROLE_VOLUMES },
    { .name = TEXT("weight"), .type = REEVE_TYPE_NUMBER },
    { .name = TEXT("extra"), .type = REEVE_TYPE_MAP },
};

static const struct wire_hello plugin = { .name = TEXT("cloud"),
                                          .properties = { schema, ARRAY_COUNT(schema) } };
static const struct wire_hello plain = { .name = TEXT("plain") };

/* A second description with the features that the first one lacks. Its last property comes from a
 * later version of reeve. */
static struct wire_property more_schema[] = {
    { .name = TEXT("region"), .type = REEVE_TYPE_TEXT, .initial = TEXT("7") },
    { .name = TEXT("drive"), .type = REEVE_TYPE_MAP, .role = REEVE_ROLE_DRIVER },
    { .name = TEXT("anything"), .type = REEVE_TYPE_ANY, .flags = REEVE_PROPERTY_IN_PLACE },
    { .name = TEXT("disks"), .type = REEVE_TYPE_LIST, .role = REEVE_ROLE_VOLUMES },
    { .name = TEXT("net"), .type = REEVE_TYPE_TEXT, .role = REEVE_ROLE_NETWORK },
    { .name = TEXT("login"),
      .type = REEVE_TYPE_TEXT,
      .role = REEVE_ROLE_USER,
      .flags = REEVE_PROPERTY_IN_PLACE },
    { .name = TEXT("few"), .type = REEVE_TYPE_INTEGER, .most = 5 },
    { .name = TEXT("ratio"), .type = REEVE_TYPE_NUMBER, .least = 1, .most = 2 },
    { .name = TEXT("quota"), .type = REEVE_TYPE_SIZE, .least = 1, .most = 1000 },
    { .name = TEXT("sort"),
      .type = REEVE_TYPE_TEXT,
      .choices = TEXT("slow|fast"),
      .flags = REEVE_PROPERTY_REQUIRED,
      .help = TEXT("how quick it is") },
    { .name = TEXT("later"), .type = 99, .role = 99, .initial = TEXT("8") },
};

static const struct wire_hello more_plugin = {
    .name = TEXT("more"), .properties = { more_schema, ARRAY_COUNT(more_schema) }
};

static struct doc *doc_of(struct arena *arena, const char *json)
{
    struct doc *doc = arena_one(arena, struct doc);
    struct err err;

    if (json != NULL && !json_parse(arena, text_from(json), NULL, doc, &err)) {
        fail_msg("%s: %s", json, err.text);
    }
    return doc;
}

static void assert_made(const struct wire_hello *hello, const char *leaf, const char *more,
                        const char *expected)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct doc made = properties_make(arena, hello, doc_of(arena, leaf),
                                      more == NULL ? NULL : doc_of(arena, more));
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, &made);
    assert_text(buf_text(&buf), expected);
}

/* ---- made ---- */

static void test_without_a_schema_properties_are_as_they_are(void **state)
{
    (void)state;
    assert_made(&plain,
                "{\"image\":\"x\",\"resourceProperties\":{\"b\":[1,\"2\"],\"a\":{\"c\":null}}}",
                NULL, "{\"a\":{\"c\":null},\"b\":[1,\"2\"]}");
    assert_made(&plain, "{}", NULL, "{}");
}

static void test_a_schema_gives_what_nobody_says(void **state)
{
    (void)state;
    assert_made(&plugin, "{}", NULL, "{\"cpus\":2,\"memory\":1073741824}");
    assert_made(&plugin, "{\"resourceProperties\":{\"cpus\":4}}", NULL,
                "{\"cpus\":4,\"memory\":1073741824}");
}

static void test_portable_fields_come_by_their_role(void **state)
{
    (void)state;
    assert_made(&plugin, "{\"image\":\"debian\",\"securityGroups\":[\"a\"]}", NULL,
                "{\"ami\":\"debian\",\"cpus\":2,\"groups\":[\"a\"],\"memory\":1073741824}");
    assert_made(&plugin, "{}", "{\"image\":\"debian\"}",
                "{\"ami\":\"debian\",\"cpus\":2,\"memory\":1073741824}");
    assert_made(&plugin, "{\"resourceProperties\":{\"ami\":\"own\"}}", "{\"image\":\"debian\"}",
                "{\"ami\":\"own\",\"cpus\":2,\"memory\":1073741824}");
}

static void test_sizes_are_bytes_and_volumes_count_gigabytes(void **state)
{
    (void)state;
    assert_made(&plugin, "{\"resourceProperties\":{\"memory\":\"512MiB\"}}", NULL,
                "{\"cpus\":2,\"memory\":536870912}");
    assert_made(
        &plugin, "{\"volumes\":[{\"name\":\"data\",\"size\":2}]}", NULL,
        "{\"cpus\":2,\"disks\":[{\"name\":\"data\",\"size\":2000000000}],\"memory\":1073741824}");
    assert_made(
        &plugin, "{\"resourceProperties\":{\"disks\":[{\"name\":\"data\",\"size\":2}]}}", NULL,
        "{\"cpus\":2,\"disks\":[{\"name\":\"data\",\"size\":2000000000}],\"memory\":1073741824}");
}

static void test_what_the_schema_does_not_understand_stays_as_it_is(void **state)
{
    static const struct {
        const char *own;
        const char *expected;
    } cases[] = {
        { "\"disks\":\"two\"", "\"disks\":\"two\"" },
        { "\"disks\":[7,{\"size\":\"big\"},{\"size\":[]}]",
          "\"disks\":[7,{\"size\":\"big\"},{\"size\":[]}]" },
        { "\"disks\":[{\"size\":\"18446744073709551615B\"}]",
          "\"disks\":[{\"size\":\"18446744073709551615B\"}]" }, /* larger than an integer of JSON */
        { "\"disks\":[{\"size\":\"1KiB\"}]", "\"disks\":[{\"size\":1024}]" },
        { "\"drive\":{\"quota\":\"1kB\"}", "\"drive\":{\"quota\":\"1kB\"}" },
        { "\"a\":\"1kB\"", "\"a\":\"1kB\"" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        char leaf[200];
        char expected[200];

        snprintf(leaf, sizeof(leaf), "{\"resourceProperties\":{%s,\"region\":\"x\"}}",
                 cases[i].own);
        snprintf(expected, sizeof(expected), "{%s,\"later\":8,\"region\":\"x\"}",
                 cases[i].expected);
        assert_made(&more_plugin, leaf, NULL, expected);
    }
}

static void test_an_initial_value_has_the_type_of_its_property(void **state)
{
    (void)state;
    assert_made(&more_plugin, "{}", NULL, "{\"later\":8,\"region\":\"7\"}");
    assert_made(&more_plugin, "{\"user\":\"me\"}", "{\"user\":\"you\",\"driver\":{\"a\":1}}",
                "{\"drive\":{\"a\":1},\"later\":8,\"login\":\"me\",\"region\":\"7\"}");
}

/* ---- roles ---- */

static void test_a_role_is_one_portable_field(void **state)
{
    static const struct {
        uint64_t role;
        const char *field;
        bool in_plugin;
        bool in_more;
    } cases[] = {
        { REEVE_ROLE_IMAGE, "image", true, false },
        { REEVE_ROLE_MACHINE_SIZE, "machineSize", false, false },
        { REEVE_ROLE_VOLUMES, "volumes", true, true },
        { REEVE_ROLE_SECURITY_GROUPS, "securityGroups", true, false },
        { REEVE_ROLE_USER, "user", false, true },
        { REEVE_ROLE_DRIVER, "driver", false, true },
        { REEVE_ROLE_NONE, NULL, true, true },
        { 99, NULL, false, true },
        { UINT64_MAX, NULL, false, false },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        const char *field = properties_portable(cases[i].role);

        assert_int_equal(field == NULL, cases[i].field == NULL);
        assert_true(field == NULL || strcmp(field, cases[i].field) == 0);
        assert_int_equal(properties_has_role(&plugin, cases[i].role), cases[i].in_plugin);
        assert_int_equal(properties_has_role(&more_plugin, cases[i].role), cases[i].in_more);
        assert_false(properties_has_role(&plain, cases[i].role));
    }
}

static void test_what_changes_in_place_is_known_by_its_path(void **state)
{
    static const struct {
        const char *path;
        bool is_below;
    } cases[] = {
        { "resourceProperties.anything", true },
        { "resourceProperties.anything.deep.inside", true },
        { "resourceProperties.anything[3]", true },
        { "resourceProperties.anything-else", false },
        { "resourceProperties", false },
        { "resourceProperties.login", false }, /* this property is set by a portable field */
        { "user", true },
        { "username", false },
        { "", false },
    };
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    const struct text *paths;
    size_t count = properties_in_place(arena, &more_plugin, &paths);

    (void)state;
    assert_int_equal(count, 2);
    assert_text(paths[0], "resourceProperties.anything");
    assert_text(paths[1], "user");
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        assert_int_equal(properties_is_below(text_from(cases[i].path), paths, count),
                         cases[i].is_below);
    }
    assert_int_equal(properties_in_place(arena, &plain, &paths), 0);
    assert_false(properties_is_below(TEXT("user"), paths, 0));
}

/* ---- judged ---- */

/* Returns the faults of a group in line 7. */
static struct err_list faults_of(struct arena *arena, const struct wire_hello *hello,
                                 const char *leaf)
{
    struct err_list errors;

    err_list_init(&errors, arena);
    properties_check(hello, doc_of(arena, leaf), (struct place){ .line = 7, .column = 3 }, &errors);
    return errors;
}

/* Asserts exactly one fault, with this code and this text; code NULL: no fault. */
static void assert_judged(const char *leaf, const char *code, const char *words)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct err_list list;
    struct err_list *errors = &list;

    err_list_init(errors, arena);
    properties_check(&plugin, doc_of(arena, leaf), (struct place){ 0 }, errors);
    if (code == NULL) {
        assert_int_equal(errors->count, 0);
        return;
    }
    if (errors->count != 1 || strstr(errors->items[0].text, words) == NULL) {
        fail_msg("%s: %zu faults, the first: %s", leaf, (size_t)errors->count,
                 errors->count == 0 ? "" : errors->items[0].text);
    }
    assert_string_equal(code_get(errors->items[0].code)->name, code);
}

#define WITH(text) "{\"image\":\"x\",\"resourceProperties\":{" text "}}"

static void test_what_fits_is_right(void **state)
{
    (void)state;
    assert_judged("{\"image\":\"x\"}", NULL, NULL);
    assert_judged("{\"resourceProperties\":{\"ami\":\"x\"}}", NULL, NULL);
    assert_judged(WITH("\"cpus\":1,\"memory\":1024"), NULL, NULL);
    assert_judged(
        WITH("\"cpus\":64,\"memory\":\"1GiB\",\"kind\":\"small\",\"spot\":true,\"weight\":1.5,"
             "\"extra\":{},\"groups\":[\"a\"],\"disks\":[]"),
        NULL, NULL);
}

static void test_what_does_not_fit_is_named(void **state)
{
    (void)state;
    assert_judged(WITH("\"cpu\":1"), "R0301", "unknown field 'cpu'");
    assert_judged(WITH("\"cpus\":\"two\""), "R0302", "must be an integer");
    assert_judged(WITH("\"cpus\":1.5"), "R0302", "must be an integer");
    assert_judged(WITH("\"cpus\":0"), "R0305", "must be from 1 to 64");
    assert_judged(WITH("\"cpus\":65"), "R0305", "must be from 1 to 64");
    assert_judged(WITH("\"memory\":\"1\""), "R0305", "bytes");
    assert_judged(WITH("\"memory\":\"2GiB\""), "R0305", "bytes");
    assert_judged(WITH("\"memory\":\"much\""), "R0302", "a size");
    assert_judged(WITH("\"kind\":\"huge\""), "R0307", "small|large");
    assert_judged(WITH("\"spot\":\"perhaps\""), "R0302", "true or false");
    assert_judged(WITH("\"groups\":\"a\""), "R0302", "a list of texts");
    assert_judged(WITH("\"groups\":[[]]"), "R0302", "a list of texts");
    assert_judged(WITH("\"extra\":[]"), "R0302", "a mapping");
    assert_judged(WITH("\"weight\":\"heavy\""), "R0302", "a number");
}

static void test_what_is_missing_twice_or_without_a_role_is_named(void **state)
{
    (void)state;
    assert_judged("{}", "R0330", "needs 'ami'");
    assert_judged(WITH("\"ami\":\"y\""), "R0306", "set the same property");
    assert_judged("{\"image\":\"x\",\"subnet\":\"n\"}", "R0347", "has no 'subnet'");
    assert_judged("{\"image\":\"x\",\"user\":\"me\"}", NULL,
                  NULL); /* has a meaning without the plugin */
}

#define MORE(text) "{\"resourceProperties\":{\"sort\":\"fast\"," text "}}"

static void test_a_fault_of_a_property_has_a_hint_and_a_place(void **state)
{
    static const struct {
        const char *leaf;
        const char *code; /* expected code; NULL: no fault */
        const char *words;
        const char *hint;
    } cases[] = {
        { "{\"resourceProperties\":{\"sort\":\"fats\"}}", "R0307", "allowed are slow|fast",
          "did you mean 'fast'?" },
        { "{\"resourceProperties\":{\"sort\":\"purple\"}}", "R0307",
          "'purple' is not a value of 'sort'", "" },
        { MORE("\"regoin\":1"), "R0301", "unknown field 'regoin'", "did you mean 'region'?" },
        { MORE("\"zzzzzzzz\":1"), "R0301", "unknown field 'zzzzzzzz'",
          "reeve explain plugin/more lists its fields" },
        { "{}", "R0330", "plugin more needs 'sort'", "how quick it is" },
        { "{\"resourceProperties\":{}}", "R0330", "plugin more needs 'sort'", "how quick it is" },
        { MORE("\"few\":6"), "R0305", "must be from 0 to 5", "" },
        { MORE("\"few\":-1"), "R0305", "must be from 0 to 5", "" },
        { MORE("\"few\":[]"), "R0302", "must be an integer", "" },
        { MORE("\"quota\":\"18446744073709551615B\""), "R0305", "must be from 1 to 1000 bytes",
          "" },
        { MORE("\"quota\":{}"), "R0302", "must be a size", "" },
        { MORE("\"ratio\":true"), "R0302", "must be a number", "" },
        { MORE("\"ratio\":[]"), "R0302", "must be a number", "" },
        { MORE("\"region\":null"), "R0302", "must be a text", "" },
        { MORE("\"region\":[]"), "R0302", "must be a text", "" },
        { MORE("\"region\":1}, \"image\":{\"a\":1"), "R0347", "plugin more has no 'image'",
          "leave the field out" },
        { MORE("\"ratio\":7.5"), NULL, NULL, NULL }, /* limits apply only to integers and sizes */
        { MORE("\"anything\":{\"a\":[null]},\"later\":[]"), NULL, NULL, NULL },
        { MORE("\"few\":5}, \"image\":null, \"owner\":\"x\", \"driver\":{\"a\":1"), NULL, NULL,
          NULL },
        { MORE("\"few\":0}, \"volumes\":7, \"network\":{\"cidr\":1"), NULL, NULL, NULL },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
        struct err_list errors = faults_of(arena, &more_plugin, cases[i].leaf);
        const struct err *err = errors.items;

        if (errors.count != (cases[i].code != NULL)) {
            fail_msg("%s: %zu faults", cases[i].leaf, errors.count);
        }
        if (cases[i].code == NULL) {
            continue;
        }
        assert_string_equal(code_get(err->code)->name, cases[i].code);
        assert_non_null(strstr(err->text, cases[i].words));
        assert_non_null(strstr(err->hint, cases[i].hint));
        assert_int_equal(err->hint[0] == '\0', cases[i].hint[0] == '\0');
        assert_true(err->place.line != 0);
    }
}

static void test_a_plugin_without_a_schema_finds_no_fault(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);

    (void)state;
    assert_int_equal(
        faults_of(arena, &plain, "{\"image\":\"x\",\"resourceProperties\":{\"a\":1}}").count, 0);
}

static void test_what_is_missing_is_missed_at_the_group(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct err_list errors = faults_of(arena, &more_plugin, "{}");

    (void)state;
    assert_int_equal(errors.count, 1);
    assert_int_equal(errors.items[0].place.line, 7);
    assert_int_equal(errors.items[0].place.column, 3);
}

static void test_a_pointer_of_the_plugin_is_found_where_it_was_written(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    const struct doc *portable = doc_of(arena, "{\"image\":\"x\"}");
    const struct doc *own =
        doc_of(arena, "{\"image\":\"x\",\"resourceProperties\":{\"ami\":\"y\"}}");

    (void)state;
    assert_text(properties_place(arena, &plugin, portable, TEXT("/ami")), "/image");
    assert_text(properties_place(arena, &plugin, own, TEXT("/ami")), "/resourceProperties/ami");
    assert_text(properties_place(arena, &plugin, portable, TEXT("/extra/a/b")),
                "/resourceProperties/extra/a/b");
    assert_text(properties_place(arena, &plugin, doc_of(arena, "{\"volumes\":[{}]}"),
                                 TEXT("/disks/0/size")),
                "/volumes/0/size");
    assert_text(properties_place(arena, &plugin, portable, TEXT("")), "/resourceProperties");
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(test_without_a_schema_properties_are_as_they_are),
        cmocka_unit_test(test_a_schema_gives_what_nobody_says),
        cmocka_unit_test(test_portable_fields_come_by_their_role),
        cmocka_unit_test(test_sizes_are_bytes_and_volumes_count_gigabytes),
        cmocka_unit_test(test_what_the_schema_does_not_understand_stays_as_it_is),
        cmocka_unit_test(test_an_initial_value_has_the_type_of_its_property),
        cmocka_unit_test(test_a_role_is_one_portable_field),
        cmocka_unit_test(test_what_changes_in_place_is_known_by_its_path),
        cmocka_unit_test(test_what_fits_is_right),
        cmocka_unit_test(test_what_does_not_fit_is_named),
        cmocka_unit_test(test_what_is_missing_twice_or_without_a_role_is_named),
        cmocka_unit_test(test_a_fault_of_a_property_has_a_hint_and_a_place),
        cmocka_unit_test(test_a_plugin_without_a_schema_finds_no_fault),
        cmocka_unit_test(test_what_is_missing_is_missed_at_the_group),
        cmocka_unit_test(test_a_pointer_of_the_plugin_is_found_where_it_was_written),
    };

    return cmocka_run_group_tests_name("model/properties", cases, NULL, NULL);
}
