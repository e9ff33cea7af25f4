/* An object that is split into records, written, read and joined is the same object: its leaves,
 * and the origin of every value. */
#include "world.h"

#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "codec/json.h"
#include "model/diff.h"
#include "model/merge.h"
#include "model/nest.h"
#include "model/stored.h"

#define AWS "resourcePlugin: {name: aws}"
#define CT                                                                                  \
    "kind: ClusterTemplate\nname: t\nversion: 9\nlabels: {a: 1}\nfixed: [defaults.image]\n" \
    "defaults: {image: a, " AWS "}\ngroups: {web: {size: 2}, db: {size: 1}}\n---\n"
#define NGT "kind: NodeGroupTemplate\nname: n\nsize: 3\nimage: i\n" AWS "\n---\n"

static const char *const worlds[] = {
    "version: 1\nname: shop\ngroups: {web: {size: 2, image: b, " AWS "}}\n",
    "version: 1\nname: shop\ndefaults: {image: x, " AWS "}\n"
    "groups: {a: {groups: {b: {size: 1}, c: {groups: {d: {size: 2}}}}}, a.c: {size: 1}}\n",
    CT "name: shop\nfrom: {template: t}\n",
    CT "name: shop\nversion: 3\nfrom: {template: t}\ngroups: {db: null, web: {size: 7}}\n",
    NGT "kind: ClusterTemplate\nname: t\ndefaults: {image: a, " AWS
        "}\n---\nname: shop\nversion: 3\nfrom: {template: t}\n"
        "groups: {x: {from: {nodegrouptemplate: n}, size: 4}, y: {groups: {z: {from: "
        "{nodegroup: shop/x}}}}}\n",
    "version: 1\nname: shop\nempty: true\n",
    CT "kind: ClusterTemplate\nname: shop\nfrom: {template: t}\nfixed: [defaults.user]\n",
    NGT "kind: NodeGroupTemplate\nname: shop\nfrom: {nodegrouptemplate: n}\nsize: null\n",
};

static struct model_object *shop_find(const struct model_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        if (text_is(set->objects[i].name, "shop")) {
            return &set->objects[i];
        }
    }
    fail();
    return NULL;
}

static const char *json_of(struct arena *arena, const struct doc *doc)
{
    struct buf buf;

    buf_init(&buf, arena);
    if (doc_is_present(doc)) {
        json_format(&buf, doc);
    }
    return buf_text(&buf).data;
}

/* Writes both values of a record and reads them again. */
static struct stored_part travel(struct arena *arena, const struct schema_kind *kind,
                                 const struct stored_part *part)
{
    static const struct origin origin = { .kind = ORIGIN_FILE };
    struct doc base = stored_base_make(arena, part);
    struct stored_part back;
    struct buf bytes;
    struct err err;

    buf_init(&bytes, arena);
    stored_spec_format(&bytes, kind, part);
    assert_true(stored_part_parse(arena, buf_text(&bytes), text_from(json_of(arena, &base)),
                                  &origin, &back, &err));
    return back;
}

static void same_origins(struct arena *arena, const struct doc *a, const struct doc *b)
{
    if (doc_is_map(a) && a->entry_count > 0) {
        assert_int_equal(a->entry_count, b->entry_count);
        for (size_t i = 0; i < a->entry_count; i++) {
            same_origins(arena, &a->entries[i].value, &b->entries[i].value);
        }
        return;
    }
    if (a->origin != NULL &&
        (a->origin->kind == ORIGIN_TEMPLATE || a->origin->kind == ORIGIN_CLONE)) {
        assert_non_null(b->origin);
        assert_int_equal(a->origin->kind, b->origin->kind);
        assert_true(text_is_equal(a->origin->name, b->origin->name));
    }
}

static void an_object_comes_back(void **state)
{
    struct world *world = world_read(*state);
    const struct model_object *shop = shop_find(&world->set);
    struct arena *arena = world->arena;
    struct stored_object split;
    struct model_object *again;
    struct model_set set;
    struct doc own;

    world_assert_clean(world);
    split = stored_split(arena, shop, NULL);
    split.part = travel(arena, split.kind, &split.part);
    for (size_t i = 0; i < split.group_count; i++) {
        split.groups[i].part =
            travel(arena, schema_kind_find(TEXT("NodeGroup")), &split.groups[i].part);
        assert_ptr_equal(stored_group_find(&split, split.groups[i].path), &split.groups[i]);
    }
    own = stored_join(arena, &split, STORED_OWN);
    own =
        /* the name is in the metadata */
        nest_put(arena, &own, "name", *doc_child(&shop->own, "name"));
    assert_string_equal(json_of(arena, &own), json_of(arena, &shop->own));
    model_set_init(&set, arena, &world->errors);
    model_set_add_stored(&set, shop->kind, &own, stored_made(arena, &split), false);
    model_set_resolve(&set); /* without the templates, because they may be deleted */
    world_assert_clean(world);
    again = shop_find(&set);
    assert_int_equal(again->leaf_count, shop->leaf_count);
    for (size_t i = 0; i < shop->leaf_count; i++) {
        assert_true(text_is_equal(again->leaves[i].path, shop->leaves[i].path));
        assert_string_equal(json_of(arena, &again->leaves[i].doc),
                            json_of(arena, &shop->leaves[i].doc));
        same_origins(arena, &shop->leaves[i].doc, &again->leaves[i].doc);
    }
    assert_string_equal(json_of(arena, &again->merged), json_of(arena, &shop->merged));
    assert_string_equal(json_of(arena, &split.part.fixed), json_of(arena, &shop->fixed));
    world_free(world);
}

/* The user and the time of a change of a value are kept until the value changes again. */
static void live_marks_know_who_and_when(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct stored_part old = { 0 };
    struct stored_part part = { 0 };
    struct err err;

    (void)state;
    assert_true(json_parse(arena, TEXT("{\"image\":\"a\",\"size\":3}"), NULL, &old.applied, &err));
    assert_true(json_parse(arena, TEXT("{\"image\":\"a\",\"size\":6}"), NULL, &old.own, &err));
    stored_live_mark(arena, &old, NULL, TEXT("ana"), TEXT("t1"));
    assert_string_equal(json_of(arena, &old.live), "{\"size\":{\"at\":\"t1\",\"by\":\"ana\"}}");
    part = old;
    assert_true(json_parse(arena, TEXT("{\"image\":\"b\",\"size\":6}"), NULL, &part.own, &err));
    stored_live_mark(arena, &part, &old, TEXT("bob"), TEXT("t2"));
    assert_string_equal(json_of(arena, &part.live), "{\"image\":{\"at\":\"t2\",\"by\":\"bob\"},"
                                                    "\"size\":{\"at\":\"t1\",\"by\":\"ana\"}}");
    old = part;
    part.own = part.applied;
    stored_live_mark(arena, &part, &old, TEXT("bob"), TEXT("t3"));
    assert_false(doc_is_present(&part.live));
}

static struct doc doc_of(struct arena *arena, const char *json)
{
    struct doc doc = { 0 };
    struct err err;

    if (json != NULL && !json_parse(arena, text_from(json), NULL, &doc, &err)) {
        fail_msg("%s: %s", json, err.text);
    }
    return doc;
}

/* Finds every path at which the file and the user's document differ, at any depth. */
static void live_marks_are_where_file_and_document_differ(void **state)
{
    static const struct {
        const char *applied;
        const char *own;
        const char *paths; /* expected paths, separated by blanks */
    } cases[] = {
        { "{\"a\":{\"b\":{\"c\":1,\"d\":2}}}", "{\"a\":{\"b\":{\"c\":1,\"d\":3}}}", "a.b.d" },
        { "{\"a\":1}", "{\"b\":1}", "a b" },
        { "{\"a\":{\"b\":1}}", "{\"a\":7}", "a" },
        { "{\"a\":7}", "{\"a\":{\"b\":1}}", "a" },
        { "{\"a\":[1,2]}", "{\"a\":[1,3]}", "a" },
        { "{\"a\":{},\"c\":1}", "{\"a\":{\"b\":{\"c\":1}}}", "a.b c" },
        { "{\"a\":1,\"b\":[{}]}", "{\"a\":1,\"b\":[{}]}", "" },
        { NULL, "{\"a\":1}", "" }, /* no file contains the value */
        { "{\"a\":1}", NULL, "a" },
        { "7", "{\"a\":1}", "a" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new(1 << 20);
        struct stored_part part = { .applied = doc_of(arena, cases[i].applied),
                                    .own = doc_of(arena, cases[i].own) };
        struct buf paths;

        stored_live_mark(arena, &part, NULL, TEXT("ana"), TEXT("t1"));
        buf_init(&paths, arena);
        for (size_t j = 0; j < part.live.entry_count; j++) {
            buf_add(&paths, j == 0 ? TEXT("") : TEXT(" "));
            buf_add(&paths, part.live.entries[j].key);
        }
        assert_string_equal(arena_string(arena, buf_text(&paths)), cases[i].paths);
    }
}

static void what_nobody_touched_is_not_marked_even_as_a_shared_branch(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct stored_part part = { .applied = doc_of(arena, "{\"a\":{\"b\":1},\"c\":1}") };

    (void)state;
    part.own = nest_put(arena, &part.applied, "c", doc_of(arena, "2"));
    stored_live_mark(arena, &part, NULL, TEXT("ana"), TEXT("t1"));
    assert_string_equal(json_of(arena, &part.live), "{\"c\":{\"at\":\"t1\",\"by\":\"ana\"}}");
}

/* A mark belongs to a value: a value that was removed and set again is new. */
static void a_mark_stays_only_with_its_value(void **state)
{
    static const struct {
        const char *old_own;
        const char *own;
        const char *by;
    } cases[] = {
        { "{\"size\":6}", "{\"size\":6}", "ana" },
        { "{\"size\":6}", "{\"size\":7}", "bob" },
        { "{\"size\":6}", "{}", "bob" },
        { "{}", "{\"size\":6}", "bob" },
        { "{}", "{}", "ana" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new(1 << 20);
        struct doc applied = doc_of(arena, "{\"size\":3}");
        struct stored_part old = { .applied = applied, .own = doc_of(arena, cases[i].old_own) };
        struct stored_part part = { .applied = applied, .own = doc_of(arena, cases[i].own) };

        stored_live_mark(arena, &old, NULL, TEXT("ana"), TEXT("t1"));
        stored_live_mark(arena, &part, &old, TEXT("bob"), TEXT("t2"));
        assert_true(text_is(doc_at(&part.live, TEXT("/size/by"))->text, cases[i].by));
    }
}

/* Both values of a record, with all members. */
static void a_record_with_all_its_parts_comes_back(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct stored_part part = {
        .meta = { .id = TEXT("id-1"),
                  .name = TEXT("web"),
                  .cluster = TEXT("shop"),
                  .tenant = TEXT("tenant-1"),
                  .created = TEXT("2026-01-02T03:04:05Z"),
                  .updated = TEXT("2026-02-03T04:05:06Z"),
                  .by = TEXT("ana"),
                  .why = TEXT("more load"),
                  .generation = 12,
                  .wanted_since = 345,
                  .groups = 3,
                  .nodes = 7,
                  .has_totals = true },
        .spec = doc_of(arena, "{\"image\":\"b\",\"labels\":{\"a\":\"1\"},\"size\":2}"),
        .own = doc_of(arena, "{\"image\":\"b\"}"),
        .applied = doc_of(arena, "{\"image\":\"a\"}"),
        .fixed = doc_of(arena, "[\"size\"]"),
        .live = doc_of(arena, "{\"image\":{\"at\":\"t\",\"by\":\"ana\"}}"),
    };
    const struct schema_kind *kind = schema_kind_find(TEXT("NodeGroup"));
    struct stored_part back;
    struct buf bytes;

    (void)state;
    buf_init(&bytes, arena);
    stored_spec_format(&bytes, kind, &part);
    assert_string_equal(buf_text(&bytes).data,
                        "{\"kind\":\"NodeGroup\",\"metadata\":{\"by\":\"ana\",\"cluster\":\"shop\","
                        "\"created\":\"2026-01-02T03:04:05Z\",\"generation\":12,\"groups\":3,"
                        "\"id\":\"id-1\",\"labels\":{\"a\":\"1\"},\"name\":\"web\",\"nodes\":7,"
                        "\"tenant\":\"tenant-1\",\"updated\":\"2026-02-03T04:05:06Z\","
                        "\"wantedSince\":345,\"why\":\"more load\"},"
                        "\"spec\":{\"image\":\"b\",\"labels\":{\"a\":\"1\"},\"size\":2}}");
    back = travel(arena, kind, &part);
    assert_true(text_is_equal(back.meta.id, part.meta.id));
    assert_true(text_is_equal(back.meta.cluster, part.meta.cluster));
    assert_true(text_is_equal(back.meta.tenant, part.meta.tenant));
    assert_true(text_is_equal(back.meta.created, part.meta.created));
    assert_true(text_is_equal(back.meta.updated, part.meta.updated));
    assert_true(text_is_equal(back.meta.by, part.meta.by));
    assert_true(text_is_equal(back.meta.why, part.meta.why));
    assert_int_equal(back.meta.generation, 12);
    assert_int_equal(back.meta.wanted_since, 345);
    assert_true(back.meta.has_totals);
    assert_int_equal(back.meta.groups, 3);
    assert_int_equal(back.meta.nodes, 7);
    assert_true(doc_is_equal(&back.spec, &part.spec));
    assert_true(doc_is_equal(&back.own, &part.own));
    assert_true(doc_is_equal(&back.applied, &part.applied));
    assert_true(doc_is_equal(&back.fixed, &part.fixed));
    assert_true(doc_is_equal(&back.live, &part.live));
    assert_false(doc_is_present(&back.layers));
}

/* Values that equal the spec are not written twice, and absent values are null. */
static void the_base_has_only_what_the_spec_has_not(void **state)
{
    static const struct {
        const char *spec;
        const char *own;
        const char *applied;
        const char *fixed;
        const char *base;
    } cases[] = {
        { "{\"a\":1}", "{\"a\":1}", "{\"a\":1}", NULL, "" },
        { "{\"a\":1}", "{\"a\":1}", NULL, NULL, "{\"applied\":null}" },
        { "{\"a\":1}", NULL, NULL, NULL, "{\"own\":null}" },
        { "{\"a\":1}", NULL, "{\"b\":1}", NULL, "{\"applied\":{\"b\":1},\"own\":null}" },
        { "{\"fixed\":[\"a\"]}", "{\"fixed\":[\"a\"]}", "{\"fixed\":[\"a\"]}", "[\"a\"]", "" },
        { "{\"fixed\":[\"a\"]}", "{\"fixed\":[\"a\"]}", "{\"fixed\":[\"a\"]}", "[\"b\"]",
          "{\"fixed\":[\"b\"]}" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new(1 << 20);
        struct stored_part part = { .spec = doc_of(arena, cases[i].spec),
                                    .own = doc_of(arena, cases[i].own),
                                    .applied = doc_of(arena, cases[i].applied),
                                    .fixed = doc_of(arena, cases[i].fixed) };
        struct doc base = stored_base_make(arena, &part);
        struct stored_part back = travel(arena, schema_kind_find(TEXT("Cluster")), &part);

        assert_string_equal(json_of(arena, &base), cases[i].base);
        assert_string_equal(json_of(arena, &back.own), json_of(arena, &part.own));
        assert_string_equal(json_of(arena, &back.applied), json_of(arena, &part.applied));
        assert_string_equal(json_of(arena, &back.fixed), json_of(arena, &part.fixed));
    }
}

/* A record of another version or of another program is an error, or its unknown parts are
 * ignored. */
static void what_is_no_record_is_refused(void **state)
{
    static const struct {
        const char *spec;
        const char *base;
        bool is_good;
    } cases[] = {
        { "{\"metadata\":{},\"spec\":{}}", "", true },
        { "{\"metadata\":{},\"spec\":{}}", "{}", true },
        { "{\"metadata\":{\"id\":[],\"generation\":\"x\",\"groups\":-1,\"nodes\":2},\"spec\":{}}",
          "", true },
        { "{\"metadata\":{\"groups\":1,\"nodes\":{}},\"spec\":{}}",
          "{\"layers\":[{\"kind\":[]},7,{\"kind\":\"clone\"}],\"live\":null}", true },
        { "{\"metadata\":{},\"spec\":[]}", "", false },
        { "{\"metadata\":7,\"spec\":{}}", "", false },
        { "{\"spec\":{}}", "", false },
        { "{\"metadata\":{}}", "", false },
        { "{\"metadata\":{},\"spec\":{}", "", false },
        { "{\"metadata\":{},\"spec\":{}}", "{", false },
        { "[]", "", false },
        { "", "", false },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new(1 << 20);
        struct stored_part part = { .meta = { .generation = 77 } };
        struct err err = { 0 };

        if (stored_part_parse(arena, text_from(cases[i].spec), text_from(cases[i].base), NULL,
                              &part, &err) != cases[i].is_good) {
            fail_msg("%s %s", cases[i].spec, cases[i].base);
        }
        if (!cases[i].is_good) {
            assert_string_equal(code_get(err.code)->name, "R0541");
            assert_int_equal(part.meta.generation, 77); /* not changed */
            continue;
        }
        assert_int_equal(part.meta.id.length, 0);
        assert_int_equal(part.meta.generation, 0);
        assert_false(part.meta.has_totals);
        assert_false(doc_is_present(&part.layers));
        assert_false(doc_is_present(&part.live));
    }
}

static void the_same_branch_of_file_and_document_is_there_once(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct stored_part part;
    struct err err;

    (void)state;
    assert_true(stored_part_parse(
        arena, TEXT("{\"metadata\":{},\"spec\":{\"a\":{\"x\":[1]},\"b\":{\"y\":1},\"c\":1}}"),
        TEXT("{\"applied\":{\"a\":{\"x\":[1]},\"b\":{\"y\":2},\"c\":1,\"d\":{}}}"), NULL, &part,
        &err));
    assert_true(doc_is_shared(doc_child(&part.applied, "a"), doc_child(&part.own, "a")));
    assert_false(doc_is_shared(doc_child(&part.applied, "b"), doc_child(&part.own, "b")));
    assert_string_equal(json_of(arena, &part.applied),
                        "{\"a\":{\"x\":[1]},\"b\":{\"y\":2},\"c\":1,\"d\":{}}");
}

static void the_desired_state_is_as_old_as_its_record_says(void **state)
{
    static const struct {
        const char *spec;
        uint64_t since;
    } cases[] = {
        { "{\"metadata\":{\"wantedSince\":40}}", 40 },
        { "{\"metadata\":{\"wantedSince\":100}}", 100 },
        { "{\"metadata\":{\"wantedSince\":101}}", 100 }, /* a revision of another store */
        { "{\"metadata\":{\"wantedSince\":0}}", 100 },
        { "{\"metadata\":{\"wantedSince\":-1}}", 100 },
        { "{\"metadata\":{\"wantedSince\":\"x\"}}", 100 },
        { "{\"spec\":{\"wantedSince\":40}}", 100 },
        { "{\"metadata\":{}}", 100 },
        { "{\"metadata\":{\"wantedSince\":40}", 100 },
        { "", 100 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new(1 << 20);

        assert_int_equal(stored_wanted_since(arena, text_from(cases[i].spec), 100), cases[i].since);
    }
}

/* Groups are inserted at their paths, next to existing groups. */
static void each_side_of_an_object_is_put_together(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct stored_group groups[] = {
        { TEXT("db"), { .spec = doc_of(arena, "{\"size\":1}") } },
        { TEXT("eu/web"),
          { .own = doc_of(arena, "{\"size\":2}"),
            .applied = doc_of(arena, "{\"size\":3}"),
            .spec = doc_of(arena, "{\"size\":4}") } },
    };
    struct stored_object object = {
        .kind = schema_kind_find(TEXT("Cluster")),
        .part = { .own = doc_of(arena, "{\"groups\":{\"old\":null},\"version\":\"1\"}"),
                  .applied = doc_of(arena, "{\"version\":\"1\"}") },
        .groups = groups,
        .group_count = ARRAY_COUNT(groups),
    };
    static const struct {
        enum stored_side side;
        const char *json;
    } cases[] = {
        { STORED_OWN, "{\"groups\":{\"eu\":{\"groups\":{\"web\":{\"size\":2}}},\"old\":null},"
                      "\"version\":\"1\"}" },
        { STORED_APPLIED,
          "{\"groups\":{\"eu\":{\"groups\":{\"web\":{\"size\":3}}}},\"version\":\"1\"}" },
        { STORED_SPEC,
          "{\"groups\":{\"db\":{\"size\":1},\"eu\":{\"groups\":{\"web\":{\"size\":4}}}}}" },
        { STORED_LAYERS, "" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct doc joined = stored_join(arena, &object, cases[i].side);

        assert_string_equal(json_of(arena, &joined), cases[i].json);
    }
    assert_ptr_equal(stored_group_find(&object, TEXT("db")), &groups[0]);
    assert_ptr_equal(stored_group_find(&object, TEXT("eu/web")), &groups[1]);
    assert_null(stored_group_find(&object, TEXT("a")));
    assert_null(stored_group_find(&object, TEXT("eu")));
    assert_null(stored_group_find(&object, TEXT("zz")));
}

/* Sources are stored with their revisions, so that a change of the template is noticed. */
static void layers_come_back_with_their_sources(void **state)
{
    static const struct {
        const char *json;
        const char *back;
    } cases[] = {
        { "[{\"kind\":\"template\",\"name\":\"ct/t\",\"revision\":7,\"values\":{\"a\":1,\"b\":{}}},"
          "{\"kind\":\"clone\",\"name\":\"ng/x/y\",\"values\":{\"c\":{\"d\":[1]}}},"
          "{\"kind\":\"template\",\"name\":\"ct/t\",\"revision\":8,\"values\":{\"e\":1}}]",
          NULL },
        { "[{\"kind\":\"template\",\"revision\":\"x\",\"values\":{\"a\":1}}]",
          "[{\"kind\":\"template\",\"name\":\"\",\"values\":{\"a\":1}}]" },
        { "[{\"kind\":\"template\",\"name\":\"n\",\"revision\":-7,\"values\":{\"a\":1}}]",
          "[{\"kind\":\"template\",\"name\":\"n\",\"values\":{\"a\":1}}]" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        AUTO(arena) arena = arena_new(1 << 20);
        struct doc list = doc_of(arena, cases[i].json);
        struct doc layer = layers_parse(arena, &list);
        struct doc again = layers_format(arena, &layer);

        assert_string_equal(json_of(arena, &again),
                            cases[i].back == NULL ? cases[i].json : cases[i].back);
    }
}

static void values_without_a_source_are_those_of_a_template(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct doc layer = doc_of(arena, "{\"a\":1,\"b\":[2]}");
    struct doc list = layers_format(arena, &layer);
    struct doc none = layers_parse(arena, &layer);

    (void)state;
    assert_string_equal(json_of(arena, &list),
                        "[{\"kind\":\"template\",\"values\":{\"a\":1,\"b\":[2]}}]");
    assert_false(doc_is_present(&none)); /* the value is not a list */
}

static const struct CMUnitTest more_tests[] = {
    cmocka_unit_test(live_marks_know_who_and_when),
    cmocka_unit_test(live_marks_are_where_file_and_document_differ),
    cmocka_unit_test(what_nobody_touched_is_not_marked_even_as_a_shared_branch),
    cmocka_unit_test(a_mark_stays_only_with_its_value),
    cmocka_unit_test(a_record_with_all_its_parts_comes_back),
    cmocka_unit_test(the_base_has_only_what_the_spec_has_not),
    cmocka_unit_test(what_is_no_record_is_refused),
    cmocka_unit_test(the_same_branch_of_file_and_document_is_there_once),
    cmocka_unit_test(the_desired_state_is_as_old_as_its_record_says),
    cmocka_unit_test(each_side_of_an_object_is_put_together),
    cmocka_unit_test(layers_come_back_with_their_sources),
    cmocka_unit_test(values_without_a_source_are_those_of_a_template),
};

int main(void)
{
    struct CMUnitTest tests[ARRAY_COUNT(worlds) + ARRAY_COUNT(more_tests)];
    size_t count = 0;

    for (size_t i = 0; i < ARRAY_COUNT(worlds); i++) {
        static char names[ARRAY_COUNT(worlds)][40];

        snprintf(names[i], sizeof(names[i]), "K2_an_object_comes_back_%zu", i);
        tests[count++] = (struct CMUnitTest){ names[i], an_object_comes_back, NULL, NULL,
                                              (void *)(uintptr_t)worlds[i] };
    }
    memcpy(&tests[count], more_tests, sizeof(more_tests));
    count += ARRAY_COUNT(more_tests);
    return _cmocka_run_group_tests("stored", tests, count, NULL, NULL);
}
