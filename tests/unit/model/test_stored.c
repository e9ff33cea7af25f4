/* An object taken apart into records, written, read back and put together is the same object: its
 * leaves, and where every value is said to come from. */
#include "world.h"

#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "codec/json.h"
#include "model/diff.h"
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

/* Write both values of a record and read them back. */
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
        nest_put(arena, &own, "name", *doc_child(&shop->own, "name")); /* stands in the metadata */
    assert_string_equal(json_of(arena, &own), json_of(arena, &shop->own));
    model_set_init(&set, arena, &world->errors);
    model_set_add_stored(&set, shop->kind, &own, stored_made(arena, &split), false);
    model_set_resolve(&set); /* without the templates: they may be gone */
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

/* Who changed a value, and when, stays known until somebody changes it again. */
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

int main(void)
{
    struct CMUnitTest tests[ARRAY_COUNT(worlds) + 1];
    size_t count = 0;

    for (size_t i = 0; i < ARRAY_COUNT(worlds); i++) {
        static char names[ARRAY_COUNT(worlds)][40];

        snprintf(names[i], sizeof(names[i]), "K2_an_object_comes_back_%zu", i);
        tests[count++] = (struct CMUnitTest){ names[i], an_object_comes_back, NULL, NULL,
                                              (void *)(uintptr_t)worlds[i] };
    }
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(live_marks_know_who_and_when);
    return _cmocka_run_group_tests("stored", tests, count, NULL, NULL);
}
