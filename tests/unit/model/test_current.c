/* A document that a patch made from a stored document: unchanged parts are not parsed again. */
#include "world.h"

#include <string.h>

#include "base/macros.h"
#include "codec/json.h"
#include "codec/yaml.h"
#include "model/patch.h"

#define AWS "resourcePlugin: {name: aws}"
#define STORED                                                            \
    "version: 1\nname: shop\nlabels: {a: b}\ndefaults: {zones: [x, y]}\n" \
    "groups: {web: {size: 2, " AWS ", resourceProperties: {a: [1]}},"     \
    " db: {size: 1, " AWS ", volumes: [{size: 1}]}, in: {c: {size: 1}}}\n"

static struct doc json_read(struct arena *arena, const char *json)
{
    struct doc doc;
    struct err err;

    if (!json_parse(arena, text_from(json), NULL, &doc, &err)) {
        fail_msg("%s: %s", json, err.text);
    }
    return doc;
}

/* Returns the normal form of the stored document. */
static struct doc stored_read(struct arena *arena, struct err_list *errors)
{
    static const struct origin origin = { .source = 1 };
    struct yaml_docs docs = { 0 };
    struct err err;

    assert_true(yaml_parse(arena, TEXT(STORED), &origin, &docs, &err));
    return shape_read(arena, &docs.items[0], NULL, errors).doc;
}

static const struct doc *at(const struct doc *doc, const char *pointer)
{
    return pointer == NULL ? NULL : doc_at(doc, text_from(pointer));
}

/* With the current document, the result is the same as without it, and unchanged parts are
 * shared. */
static void test_what_a_patch_leaves_alone_is_shared(void **state)
{
    static const struct {
        const char *patch;
        const char *shared[2]; /* pointers of shared values; NULL: end */
        const char *made;      /* pointer of a list or map that is new; NULL: none */
    } cases[] = {
        { "{}", { "/labels", "/defaults/zones" }, NULL },
        { "{\"version\":\"2\"}", { "/labels", "/groups/web/resourceProperties" }, NULL },
        { "{\"labels\":{\"c\":\"d\"}}", { "/defaults/zones", "/groups/db/volumes" }, "/labels" },
        { "{\"defaults\":{\"zones\":[\"x\",\"y\"]}}", { "/labels", NULL }, "/defaults/zones" },
        { "{\"groups\":{\"web\":{\"size\":3}}}",
          { "/groups/web/resourceProperties", "/groups/db/volumes" },
          NULL },
        { "{\"groups\":{\"web\":null}}", { "/groups/db/volumes", "/labels" }, NULL },
        { "{\"groups\":{\"new\":{\"size\":1,\"zones\":[\"z\"]}}}",
          { "/groups/db/volumes", "/labels" },
          "/groups/new/zones" },
        { "{\"groups\":{\"db\":{\"volumes\":[{\"size\":\"2GiB\"}]}}}",
          { "/groups/web/resourceProperties", NULL },
          "/groups/db/volumes" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
        struct err_list errors;
        struct doc current;
        struct doc patch = json_read(arena, cases[i].patch);
        struct doc patched;
        struct shape_object with;
        struct shape_object without;

        err_list_init(&errors, arena);
        current = stored_read(arena, &errors);
        patched = patch_merge(arena, &current, &patch);
        with = shape_read(arena, &patched, &current, &errors);
        without = shape_read(arena, &patched, NULL, &errors);
        assert_int_equal(errors.count, 0);
        assert_true(doc_is_equal(&with.doc, &without.doc));
        for (size_t j = 0; j < 2 && cases[i].shared[j] != NULL; j++) {
            const struct doc *before = at(&current, cases[i].shared[j]);

            assert_non_null(before);
            assert_true(doc_is_shared(at(&with.doc, cases[i].shared[j]), before));
        }
        if (cases[i].made != NULL) {
            const struct doc *before = at(&current, cases[i].made);

            assert_non_null(at(&with.doc, cases[i].made));
            assert_true(before == NULL || !doc_is_shared(at(&with.doc, cases[i].made), before));
        }
    }
}

/* The same branch at another path has another origin, and perhaps another type. */
static void test_a_branch_that_moved_is_read_again(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct doc move = json_read(
        arena, "[{\"op\":\"move\",\"from\":\"/defaults/zones\",\"path\":\"/groups/web/zones\"},"
               "{\"op\":\"copy\",\"from\":\"/groups/db/volumes\",\"path\":\"/defaults/volumes\"}]");
    struct err_list errors;
    struct doc current;
    struct doc patched;
    struct shape_object object;
    struct err err;

    (void)state;
    err_list_init(&errors, arena);
    current = stored_read(arena, &errors);
    assert_true(patch_json(arena, &current, &move, &patched, &err));
    object = shape_read(arena, &patched, &current, &errors);
    assert_int_equal(errors.count, 0);
    assert_int_equal(at(&object.doc, "/groups/web/zones")->origin->kind, ORIGIN_GROUP);
    assert_int_equal(at(&object.doc, "/groups/web/zones/0")->origin->kind, ORIGIN_GROUP);
    assert_int_equal(at(&object.doc, "/defaults/volumes")->origin->kind, ORIGIN_DEFAULTS);
    assert_int_equal(at(&object.doc, "/defaults/volumes/0/size")->origin->kind, ORIGIN_DEFAULTS);
    assert_int_equal(at(&object.doc, "/groups/db/volumes")->origin->kind, ORIGIN_GROUP);
}

static void test_a_patch_can_have_faults_of_its_own(void **state)
{
    static const struct {
        const char *patch;
        const char *code;
        const char *path;
    } cases[] = {
        { "{\"groups\":{\"db\":{\"volumes\":[{\"size\":\"2Gb\"}]}}}", "R0319",
          "/groups/db/volumes/0/size" },
        { "{\"defaults\":{\"zones\":[\"x\",\"x\"]}}", "R0306", "/defaults/zones/1" },
        { "{\"labels\":[]}", "R0302", "/labels" },
        { "{\"groups\":{\"web\":{\"labels\":{\"-\":\"x\"}}}}", "R0313", "/groups/web/labels/-" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
        struct doc patch = json_read(arena, cases[i].patch);
        struct err_list errors;
        struct doc current;
        struct doc patched;

        err_list_init(&errors, arena);
        current = stored_read(arena, &errors);
        patched = patch_merge(arena, &current, &patch);
        shape_read(arena, &patched, &current, &errors);
        assert_int_equal(errors.count, 1);
        assert_string_equal(code_get(errors.items[0].code)->name, cases[i].code);
        assert_string_equal(errors.items[0].path, cases[i].path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_patch_leaves_alone_is_shared),
        cmocka_unit_test(test_a_branch_that_moved_is_read_again),
        cmocka_unit_test(test_a_patch_can_have_faults_of_its_own),
    };

    return cmocka_run_group_tests_name("current", tests, NULL, NULL);
}
