/* Laws of merging, with thousands of random sets of documents. A seed always gives the same set; a
 * second seed only changes the order of its keys. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "model/diff.h"
#include "model/merge.h"
#include "world.h"

enum { SETS = 800, PARTS_MAX = 24 };

/* ---- making texts ---- */

struct maker {
    struct arena *arena;
    uint64_t content; /* random state for the content */
    uint64_t order;   /* random state for the order; 0: unchanged order */
};

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static uint64_t pick(struct maker *maker, uint64_t below)
{
    return random_next(&maker->content) % below;
}

/* The parts of one map or list of documents, before they are joined. */
struct parts {
    struct text items[PARTS_MAX];
    size_t count;
};

#define part(maker, parts, ...) \
    ((parts)->items[(parts)->count++] = arena_printf((maker)->arena, __VA_ARGS__))

/* Adds a text between two strings as a part. The text is a parameter, because TEXT_ARG would
 * evaluate it twice. */
static void part_wrap(struct maker *maker, struct parts *parts, const char *before,
                      struct text text, const char *after)
{
    part(maker, parts, "%s%.*s%s", before, TEXT_ARG(text), after);
}

/* Puts the parts in the order of the second seed, and joins them. */
static struct text join(struct maker *maker, struct parts *parts, const char *between)
{
    struct buf buf;

    for (size_t i = parts->count; maker->order != 0 && i > 1; i--) {
        size_t other = random_next(&maker->order) % i;
        struct text last = parts->items[i - 1];

        parts->items[i - 1] = parts->items[other];
        parts->items[other] = last;
    }
    buf_init(&buf, maker->arena);
    for (size_t i = 0; i < parts->count; i++) {
        buf_add_string(&buf, i == 0 ? "" : between);
        buf_add(&buf, parts->items[i]);
    }
    return buf_text(&buf);
}

static struct text small_map(struct maker *maker)
{
    static const char *const keys[] = { "a", "b", "c" };
    static const char *const values[] = {
        "1", "x", "'1'", "null", "{p: 1, q: null}", "[1, {r: null}]", "{p: 2}"
    };
    struct parts parts = { .count = 0 };

    for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
        if (pick(maker, 2) == 0) {
            part(maker, &parts, "%s: %s", keys[i], values[pick(maker, ARRAY_COUNT(values))]);
        }
    }
    return join(maker, &parts, ", ");
}

static struct text labels(struct maker *maker)
{
    static const char *const keys[] = { "a", "b", "c" };
    struct parts parts = { .count = 0 };

    for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
        if (pick(maker, 2) == 0) {
            part(maker, &parts, "%s: %s", keys[i],
                 pick(maker, 5) == 0 ? "null"
                 : pick(maker, 2)    ? "1"
                                     : "2");
        }
    }
    return join(maker, &parts, ", ");
}

/* Makes fields that are valid in defaults, in a leaf, and in templates. */
static void fields_make(struct maker *maker, struct parts *parts, bool is_leaf)
{
    static const char *const plain[] = {
        "image: a",
        "image: b",
        "image: null",
        "user: u",
        "zones: [a, b]",
        "zones: [c]",
        "zones: null",
        "heal: off",
        "heal: reboot",
        "replaceAfter: 1h",
        "replaceAfter: 60m",
        "network: {cidr: 10.0.0.0/8}",
        "network: {address: public, cidr: null}",
        "network: null",
        "volumes: [{size: 3}, {size: 4GB, type: null}]",
        "volumes: []",
        "protected: true",
    };
    static const size_t firsts[] = { 0, 3, 4, 7, 9, 11, 14, 16, 17 };

    for (size_t i = 0; i + 1 < ARRAY_COUNT(firsts); i++) {
        uint64_t choice = pick(maker, 2 * (firsts[i + 1] - firsts[i]));

        if (firsts[i] + choice < firsts[i + 1]) {
            part(maker, parts, "%s", plain[firsts[i] + choice]);
        }
    }
    if (pick(maker, 3) > 0) {
        part(maker, parts, "resourcePlugin: {name: %s}", pick(maker, 4) == 0 ? "gcd" : "aws");
    }
    if (pick(maker, 2) == 0) {
        part_wrap(maker, parts, "resourceProperties: {", small_map(maker), "}");
    }
    if (pick(maker, 2) == 0) {
        part_wrap(maker, parts, "labels: {", labels(maker), "}");
    }
    if (pick(maker, 3) == 0) {
        part(maker, parts, "mergeLabels: %s", pick(maker, 3) == 0 ? "false" : "true");
    }
    if (is_leaf && pick(maker, 4) > 0) {
        part(maker, parts, "size: %d", (int)pick(maker, 4));
    }
}

static struct text leaf_make(struct maker *maker, const char *reference)
{
    struct parts parts = { .count = 0 };

    fields_make(maker, &parts, true);
    if (reference[0] != '\0' && pick(maker, 3) == 0) {
        part(maker, &parts, "from: {%s}", reference);
    }
    if (pick(maker, 5) == 0) {
        part_wrap(maker, &parts, "alternatives: [{zones: null, resourceProperties: {",
                  small_map(maker), "}}]");
    }
    return join(maker, &parts, ", ");
}

static struct text groups_make(struct maker *maker, const char *reference)
{
    struct parts parts = { .count = 0 };

    if (pick(maker, 4) > 0) {
        part_wrap(maker, &parts, "web: {", leaf_make(maker, reference), "}");
    }
    if (pick(maker, 3) == 0) {
        part(maker, &parts, "db: %s", pick(maker, 3) == 0 ? "null" : "{size: 1}");
    }
    if (pick(maker, 3) == 0) {
        struct text first = leaf_make(maker, reference);
        struct text second = leaf_make(maker, reference);

        part(maker, &parts, "in: {x: {%.*s}, groups: {y: {%.*s}}}", TEXT_ARG(first),
             TEXT_ARG(second));
    }
    return join(maker, &parts, ", ");
}

static struct text cluster_make(struct maker *maker, const char *head, const char *reference)
{
    struct parts parts = { .count = 0 };
    struct parts defaults = { .count = 0 };

    part(maker, &parts, "%s", head);
    fields_make(maker, &defaults, false);
    part_wrap(maker, &parts, "defaults: {", join(maker, &defaults, ", "), "}");
    part_wrap(maker, &parts, "labels: {", labels(maker), "}");
    part_wrap(maker, &parts, "groups: {", groups_make(maker, reference), "}");
    return join(maker, &parts, "\n");
}

/* Makes a group template, a cluster template, a cluster made from it, a clone of that cluster, and
 * a group document. */
static struct text set_make(struct arena *arena, uint64_t content, uint64_t order)
{
    struct maker maker = { arena, content * 2654435761u + 88172645463325252u, order };
    struct parts documents = { .count = 0 };
    struct parts fields = { .count = 0 };

    part(&maker, &fields, "kind: NodeGroupTemplate\nname: n");
    fields_make(&maker, &fields, true);
    part_wrap(&maker, &documents, "", join(&maker, &fields, "\n"), "");
    part_wrap(&maker, &documents, "",
              cluster_make(&maker, "kind: ClusterTemplate\nname: t", "nodegrouptemplate: n"), "");
    part_wrap(&maker, &documents, "",
              cluster_make(&maker, "version: 1\nempty: true\nname: shop\nfrom: {template: t}",
                           "nodegrouptemplate: n"),
              "");
    part(&maker, &documents, "empty: true\nname: copy\nfrom: {cluster: shop}");
    if (pick(&maker, 2) == 0) {
        part_wrap(&maker, &documents, "{kind: NodeGroup, cluster: shop, name: in/z, ",
                  leaf_make(&maker, "nodegrouptemplate: n"), "}");
    }
    return join(&maker, &documents, "\n---\n");
}

/* ---- the laws ---- */

static const struct model_object *cluster_get(const struct world *world, const char *name)
{
    const struct model_object *object = model_set_find(&world->set, "Cluster", text_from(name));

    assert_non_null(object);
    return object;
}

/* Checks a law for every set without faults, and that there are enough such sets. */
static void for_each_set(void (*law)(const struct world *world, struct text yaml, uint64_t seed))
{
    size_t clean = 0;

    for (uint64_t seed = 1; seed <= SETS; seed++) {
        AUTO(arena) arena = arena_new((size_t)1 << 24);
        struct text yaml = set_make(arena, seed, 0);
        struct world *world = world_read_bytes(yaml, false);

        if (world->errors.errors == 0) {
            clean++;
            law(world, yaml, seed);
        }
        world_free(world);
    }
    assert_in_range(clean, SETS / 10, SETS);
}

static void leaves_assert_same(const struct world *a, const struct world *b)
{
    const struct model_object *first = cluster_get(a, "shop");
    const struct model_object *second = cluster_get(b, "shop");

    assert_int_equal(first->leaf_count, second->leaf_count);
    for (size_t i = 0; i < first->leaf_count; i++) {
        assert_string_equal(world_json(a, &first->leaves[i].doc),
                            world_json(b, &second->leaves[i].doc));
    }
}

static void order_law(const struct world *world, struct text yaml, uint64_t seed)
{
    AUTO(arena) arena = arena_new((size_t)1 << 24);
    struct world *shuffled = world_read_bytes(set_make(arena, seed, seed * 7919 + 1), false);
    struct world *backwards = world_read_bytes(yaml, true);

    world_assert_clean(shuffled);
    world_assert_clean(backwards);
    leaves_assert_same(world, shuffled);
    leaves_assert_same(world, backwards);
    world_free(shuffled);
    world_free(backwards);
}

static void test_order_of_keys_and_documents_does_not_matter(void **state)
{
    (void)state;
    for_each_set(order_law);
}

static void test_order_does_not_decide_whether_there_are_faults(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SETS; seed++) {
        AUTO(arena) arena = arena_new((size_t)1 << 24);
        struct world *world = world_read_bytes(set_make(arena, seed, 0), false);
        struct world *shuffled = world_read_bytes(set_make(arena, seed, seed + 1), true);

        assert_int_equal(world->errors.errors, shuffled->errors.errors);
        world_free(world);
        world_free(shuffled);
    }
}

static void override_law(const struct world *world, struct text yaml, uint64_t seed)
{
    const struct model_object *shop = cluster_get(world, "shop");

    (void)seed;
    for (size_t i = 0; i < shop->leaf_count; i++) {
        const struct model_leaf *leaf = &shop->leaves[i];
        size_t slash = text_find_byte(leaf->path, '/');
        struct text outer = text_slice(leaf->path, 0, slash);
        struct text inner = slash == SIZE_MAX ? TEXT("") : text_slice(leaf->path, slash + 1, 99);
        struct text more = arena_printf(
            world->arena,
            "%.*s\n---\nempty: true\nname: over\nfrom: {cluster: shop}\ngroups: {%.*s: %s%.*s%s"
            "{image: zz, network: {subnet: s}, resourceProperties: {new: 1}}%s}\n",
            TEXT_ARG(yaml), TEXT_ARG(outer), inner.length > 0 ? "{" : "", TEXT_ARG(inner),
            inner.length > 0 ? ": " : "", inner.length > 0 ? "}" : "");
        struct world *over = world_read_bytes(more, false);
        const struct model_leaf *made;
        struct diff diff;

        world_assert_clean(over);
        made = world_leaf(over, "Cluster", "over", arena_string(over->arena, leaf->path));
        assert_true(text_is(doc_child(&made->doc, "image")->text, "zz"));
        diff = diff_find(
            over->arena, OWNER_GROUP,
            &world_leaf(over, "Cluster", "shop", arena_string(over->arena, leaf->path))->doc,
            &made->doc);
        for (size_t j = 0; j < diff.count; j++) { /* nothing else has changed */
            static const char *const moved[] = { "from",
                                                 "image",
                                                 "network",
                                                 "network.subnet",
                                                 "resourceProperties",
                                                 "resourceProperties.new" };
            bool is_known = false;

            for (size_t k = 0; k < ARRAY_COUNT(moved); k++) {
                is_known = is_known || text_is(diff.changes[j].path, moved[k]);
            }
            assert_true(is_known || text_has_prefix(diff.changes[j].path, TEXT("from.")));
        }
        world_free(over);
    }
}

static void test_M13_an_override_wins_and_moves_nothing_else(void **state)
{
    (void)state;
    for_each_set(override_law);
}

static void clone_law(const struct world *world, struct text yaml, uint64_t seed)
{
    const struct model_object *shop = cluster_get(world, "shop");
    const struct model_object *copy = cluster_get(world, "copy");

    (void)yaml;
    (void)seed;
    assert_int_equal(shop->leaf_count, copy->leaf_count);
    for (size_t i = 0; i < shop->leaf_count; i++) {
        struct diff diff =
            diff_find(world->arena, OWNER_GROUP, &shop->leaves[i].doc, &copy->leaves[i].doc);

        assert_true(diff.count == 0 || (diff.count == 1 && text_is(diff.changes[0].path, "from")));
    }
}

static void test_M12_a_clone_has_the_effective_values_of_its_source(void **state)
{
    (void)state;
    for_each_set(clone_law);
}

static void twice_law(const struct world *world, struct text yaml, uint64_t seed)
{
    (void)yaml;
    (void)seed;
    for (size_t i = 0; i < world->set.count; i++) {
        const struct model_object *object = &world->set.objects[i];
        enum merge_rule rule = object->leaf_count > 0 ? MERGE_CLUSTER : MERGE_LEAF;
        struct doc once = merge_layers(world->arena, rule, &object->from, &object->own);
        struct doc twice = merge_layers(world->arena, rule, &once, &object->own);

        if (doc_is_present(&once)) {
            assert_string_equal(world_json(world, &once), world_json(world, &twice));
        }
    }
}

static void test_merging_twice_changes_nothing(void **state)
{
    (void)state;
    for_each_set(twice_law);
}

/* Checks that there is no null except in lists and in values that are merged later, and that every
 * scalar has an origin with a place. */
static void tree_assert(const struct doc *doc)
{
    if (doc_is_scalar(doc)) {
        assert_non_null(doc->origin);
        assert_int_equal(doc->origin->source, 1);
        assert_true(place_is_known(doc_place(doc)));
        assert_true(doc->origin->kind != ORIGIN_TEMPLATE || place_is_known(doc->origin->at));
    }
    for (size_t i = 0; doc_is_map(doc) && i < doc->entry_count; i++) {
        assert_false(doc_is_null(&doc->entries[i].value));
        tree_assert(&doc->entries[i].value);
    }
}

static void leaf_law(const struct world *world, struct text yaml, uint64_t seed)
{
    (void)yaml;
    (void)seed;
    for (size_t i = 0; i < world->set.count; i++) {
        for (size_t j = 0; j < world->set.objects[i].leaf_count; j++) {
            tree_assert(&world->set.objects[i].leaves[j].doc);
        }
    }
}

static void test_N12_no_leaf_has_a_null_or_a_value_without_origin(void **state)
{
    (void)state;
    for_each_set(leaf_law);
}

/* Returns one change as a document to merge: {a: {b: value}}. */
static struct doc change_doc(struct arena *arena, struct text path, const struct doc *value)
{
    size_t dot = text_find_byte(path, '.');
    struct doc_builder builder;
    struct doc_entry entry = { .key = text_slice(path, 0, dot) };

    entry.value = dot != SIZE_MAX ? change_doc(arena, text_slice(path, dot + 1, path.length), value)
                  : value == NULL ? doc_plain(TEXT("null"), NULL)
                                  : *value;
    doc_builder_init(&builder, arena);
    doc_builder_add(&builder, &entry);
    return doc_builder_map(&builder, NULL);
}

static void diff_law(const struct world *world, struct text yaml, uint64_t seed)
{
    const struct model_object *shop = cluster_get(world, "shop");

    (void)yaml;
    (void)seed;
    for (size_t i = 0; i < shop->leaf_count; i++) {
        for (size_t j = 0; j < shop->leaf_count; j++) {
            const struct doc *from = &shop->leaves[i].doc;
            const struct doc *to = &shop->leaves[j].doc;
            struct diff diff = diff_find(world->arena, OWNER_GROUP, from, to);
            struct doc made = *from;

            assert_true(i != j || diff.count == 0);
            for (size_t k = 0; k < diff.count; k++) {
                struct doc change =
                    change_doc(world->arena, diff.changes[k].path, diff.changes[k].new_value);

                made = merge_layers(world->arena, MERGE_PLAIN, &made, &change);
            }
            made = merge_prune(world->arena, MERGE_LEAF, &made);
            diff = diff_find(world->arena, OWNER_GROUP, &made, to);
            assert_int_equal(diff.count, 0);
        }
    }
}

static void test_a_difference_laid_over_gives_the_other(void **state)
{
    (void)state;
    for_each_set(diff_law);
}

static void test_M9_what_is_fixed_comes_out_or_is_a_fault(void **state)
{
    static const char *const paths[][2] = { { "image", "/image" },
                                            { "network.cidr", "/network/cidr" },
                                            { "zones", "/zones" },
                                            { "labels.a", "/labels/a" },
                                            { "resourceProperties.a", "/resourceProperties/a" } };
    size_t clean = 0;
    size_t refused = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= SETS; seed++) {
        AUTO(arena) arena = arena_new((size_t)1 << 24);
        struct maker maker = { arena, seed * 2654435761u + 1, 0 };
        const char *const *path = paths[pick(&maker, ARRAY_COUNT(paths))];
        struct parts fields = { .count = 0 };
        struct text yaml;
        struct text leaf;
        struct world *world;

        part(&maker, &fields, "kind: NodeGroupTemplate\nname: n\nfixed: [%s]", path[0]);
        fields_make(&maker, &fields, true);
        yaml = join(&maker, &fields, "\n");
        leaf = leaf_make(&maker, "");
        yaml = arena_printf(arena,
                            "%.*s\n---\nversion: 1\nname: shop\ngroups: {web: {from: "
                            "{nodegrouptemplate: n}, %.*s}}\n",
                            TEXT_ARG(yaml), TEXT_ARG(leaf));
        world = world_read_bytes(yaml, false);
        if (world->errors.errors == 0) {
            const struct model_object *template =
                model_set_find(&world->set, "NodeGroupTemplate", TEXT("n"));
            const struct doc *before = doc_at(&template->merged, text_from(path[1]));
            const struct doc *after =
                doc_at(&world_leaf(world, "Cluster", "shop", "web")->doc, text_from(path[1]));

            before = doc_is_null(before) ? NULL : before;
            assert_int_equal(before == NULL, after == NULL);
            if (before != NULL) {
                struct doc pruned = merge_prune(arena, MERGE_PLAIN, before);

                assert_true(doc_is_equal(&pruned, after));
            }
            clean++;
        }
        for (size_t i = 0; i < world->errors.count; i++) {
            refused += world->errors.items[i].code == CODE_R0335;
        }
        world_free(world);
    }
    assert_in_range(clean, SETS / 10, SETS);
    assert_in_range(refused, SETS / 10, SETS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_keys_and_documents_does_not_matter),
        cmocka_unit_test(test_order_does_not_decide_whether_there_are_faults),
        cmocka_unit_test(test_M13_an_override_wins_and_moves_nothing_else),
        cmocka_unit_test(test_M12_a_clone_has_the_effective_values_of_its_source),
        cmocka_unit_test(test_merging_twice_changes_nothing),
        cmocka_unit_test(test_N12_no_leaf_has_a_null_or_a_value_without_origin),
        cmocka_unit_test(test_a_difference_laid_over_gives_the_other),
        cmocka_unit_test(test_M9_what_is_fixed_comes_out_or_is_a_fault),
    };

    return cmocka_run_group_tests_name("laws of merging", tests, NULL, NULL);
}
