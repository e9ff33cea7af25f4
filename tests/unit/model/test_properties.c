/* What a group says of its machines, as its plugin gets it (K12, E4). */
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

/* ---- judged ---- */

/* Exactly one fault, of this code, with this in its words; code NULL: none. */
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
    assert_judged(WITH("\"cpus\":\"two\""), "R0302", "takes an integer");
    assert_judged(WITH("\"cpus\":1.5"), "R0302", "takes an integer");
    assert_judged(WITH("\"cpus\":0"), "R0305", "takes 1 to 64");
    assert_judged(WITH("\"cpus\":65"), "R0305", "takes 1 to 64");
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
    assert_judged(WITH("\"ami\":\"y\""), "R0306", "the same thing");
    assert_judged("{\"image\":\"x\",\"subnet\":\"n\"}", "R0347", "has no 'subnet'");
    assert_judged("{\"image\":\"x\",\"user\":\"me\"}", NULL,
                  NULL); /* means something without the plugin */
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
        cmocka_unit_test(test_what_fits_is_right),
        cmocka_unit_test(test_what_does_not_fit_is_named),
        cmocka_unit_test(test_what_is_missing_twice_or_without_a_role_is_named),
        cmocka_unit_test(test_a_pointer_of_the_plugin_is_found_where_it_was_written),
    };

    return cmocka_run_group_tests_name("model/properties", cases, NULL, NULL);
}
