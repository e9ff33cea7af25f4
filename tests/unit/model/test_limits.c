/* Limits, hostile input, many faults at the same time, and the schema for editors. There is no time
 * measurement: code that is too slow does not end, and code that needs too much memory fails an
 * assertion of the arena. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "codec/json.h"
#include "model/json_schema.h"
#include "world.h"

#define AWS  "resourcePlugin: {name: aws}"
#define SHOP "version: 1\nname: shop\n"

/* Parses `head`, `count` lines in which each # is replaced by a number, and `tail`. */
static struct world *many_read(const char *head, const char *line, size_t count, const char *tail)
{
    AUTO(arena) arena = arena_new((size_t)64 << 20);
    struct buf buf;

    buf_init(&buf, arena);
    buf_add_string(&buf, head);
    for (size_t i = 0; i < count; i++) {
        for (const char *byte = line; *byte != '\0'; byte++) {
            if (*byte == '#') {
                buf_printf(&buf, "%zu", i);
            } else {
                buf_add_bytes(&buf, *byte, 1);
            }
        }
    }
    buf_add_string(&buf, tail);
    return world_read_bytes(buf_text(&buf), false);
}

static void many_assert(const char *head, const char *line, size_t count, const char *tail,
                        const char *code, const char *text)
{
    struct world *world = many_read(head, line, count, tail);

    if (code == NULL) {
        world_assert_clean(world);
    } else {
        assert_int_equal(world->errors.errors, 1);
        assert_string_equal(code_get(world->errors.items[0].code)->name, code);
        if (strstr(world->errors.items[0].text, text) == NULL) {
            fail_msg("'%s' does not hold '%s'", world->errors.items[0].text, text);
        }
    }
    world_free(world);
}

static void test_ten_thousand_groups_are_allowed_and_no_more(void **state)
{
    const char *head = SHOP "defaults: {" AWS "}\ngroups:\n";

    (void)state;
    many_assert(head, "  g#: {size: 1}\n", 10000, "", NULL, NULL);
    many_assert(head, "  g#: {size: 1}\n", 10002, "", "R0320", "at most 10000 groups");
}

static void test_ten_thousand_bare_sub_groups_are_linear(void **state)
{
    (void)state;
    many_assert(SHOP "defaults: {" AWS "}\ngroups:\n  o:\n", "    g#: {size: 1}\n", 10000, "", NULL,
                NULL);
}

static void test_group_documents_below_one_group_are_linear(void **state)
{
    (void)state; /* merging them one by one would need five times the memory of the arena */
    many_assert(SHOP "defaults: {" AWS "}\nempty: true\n",
                "---\nkind: NodeGroup\ncluster: shop\nname: o/g#\nsize: 1\n", 9000, "", NULL, NULL);
}

static void test_many_references_into_one_cluster_are_linear(void **state)
{
    AUTO(arena) arena = arena_new((size_t)16 << 20);
    struct world *world;
    struct buf buf;

    (void)state;
    buf_init(&buf, arena);
    buf_add_string(&buf, "version: 1\nname: a\ndefaults: {" AWS "}\ngroups:\n");
    for (int i = 0; i < 5000; i++) {
        buf_printf(&buf, "  a-group-with-number-%d: {size: 1}\n", i);
    }
    buf_add_string(&buf, "---\nversion: 1\nname: b\ngroups:\n");
    for (int i = 0; i < 5000; i++) {
        buf_printf(&buf, "  g%d: {from: {nodegroup: a/a-group-with-number-%d}}\n", i, i);
    }
    world = world_read_bytes(buf_text(&buf), false);
    world_assert_clean(world);
    world_free(world);
}

static void test_many_faults_are_counted_and_fifty_kept(void **state)
{
    struct world *world = many_read(SHOP "empty: true\n", "versiom#: 1\n", 100000, "");

    (void)state;
    assert_int_equal(world->errors.errors, 100000);
    assert_int_equal(world->errors.count, 50);
    world_free(world);
}

static void test_renames_are_linear(void **state)
{
    (void)state;
    many_assert(SHOP "defaults: {" AWS "}\ngroups:\n", "  g#: {size: 1, renamedFrom: old-#}\n",
                10000, "", NULL, NULL);
}

static void test_what_takes_too_much_room_is_a_fault(void **state)
{
    AUTO(arena) arena = arena_new((size_t)16 << 20);
    struct world *world;
    struct buf buf;

    (void)state; /* 300 clusters with 5,000 groups each would fail the arena's assertion */
    buf_init(&buf, arena);
    buf_add_string(&buf,
                   "kind: ClusterTemplate\nname: t\nversion: 1\ndefaults: {" AWS "}\ngroups:\n");
    for (int i = 0; i < 5000; i++) {
        buf_printf(&buf, "  g%d: {size: 1}\n", i);
    }
    for (int i = 0; i < 400; i++) {
        buf_printf(&buf, "---\nname: c%d\nfrom: {template: t}\n", i);
    }
    world = world_read_bytes(buf_text(&buf), false);
    assert_int_equal(world->errors.errors, 1);
    assert_non_null(
        strstr(world->errors.items[0].text, "resolved form of these files is larger than"));
    world_free(world);
}

static void test_labels_have_limits(void **state)
{
    (void)state;
    many_assert(SHOP "groups: {web: {size: 1, " AWS ", labels: {", "l#: 1, ", 64, "}}}\n", NULL,
                NULL);
    many_assert(SHOP "groups: {web: {size: 1, " AWS ", labels: {", "l#: 1, ", 64000, "}}}\n",
                "R0320", "'labels' has 64000 entries, at most 64");
    many_assert(SHOP "labels: {a: 1}\ngroups: {web: {size: 1, " AWS
                     ", mergeLabels: true, labels: {",
                "l#: 1, ", 64, "}}}\n", "R0320", "has 65 labels with those it inherits");
}

static void test_a_leaf_has_a_limit(void **state)
{
    (void)state;
    many_assert(SHOP "groups: {web: {size: 1, " AWS ", resourceProperties: {",
                "property-with-a-name-#: 1, ", 9000, "}}}\n", "R0320",
                "bytes of effective values, at most 262144");
}

static void test_a_cluster_has_ten_million_nodes_at_most(void **state)
{
    (void)state;
    many_assert(SHOP "defaults: {" AWS "}\ngroups:\n", "  g#x: {size: 100000}\n", 100, "", NULL,
                NULL);
    many_assert(SHOP "defaults: {" AWS "}\ngroups:\n", "  g#x: {size: 100000}\n", 101, "", "R0320",
                "has 10100000 nodes, at most 10000000");
}

static void test_twelve_mistakes_are_reported_in_one_run(void **state)
{
    static const struct {
        const char *code;
        uint32_t line;
        uint32_t column;
    } faults[] = {
        { "R0301", 10, 18 }, { "R0302", 11, 15 }, { "R0336", 12, 15 }, { "R0102", 13, 27 },
        { "R0333", 14, 35 }, { "R0330", 15, 15 }, { "R0335", 16, 48 }, { "R0308", 17, 18 },
        { "R0313", 18, 27 }, { "R0319", 19, 35 }, { "R0333", 20, 27 }, { "R0306", 21, 28 },
    };
    struct world *world = world_read("kind: NodeGroupTemplate\n"
                                     "name: t\n"
                                     "image: a\n"
                                     "fixed: [image]\n"
                                     "---\n"
                                     "version: 1\n"
                                     "name: shop\n"
                                     "defaults: {" AWS "}\n"
                                     "groups:\n"
                                     "  g10: {size: 1, imgae: a}\n"
                                     "  g11: {size: three}\n"
                                     "  g12: {size: 9, maxSize: 5}\n"
                                     "  g13: {size: 1, user: a, user: b}\n"
                                     "  g14: {from: {nodegrouptemplate: tt}, size: 1}\n"
                                     "  g15: {from: {nodegrouptemplate: t}}\n"
                                     "  g16: {from: {nodegrouptemplate: t}, size: 1, image: b}\n"
                                     "  g17: {size: 1, eu: {size: 1}}\n"
                                     "  g18: {size: 1, labels: {-x: y}}\n"
                                     "  g19: {size: 1, volumes: [{size: 20Gb}]}\n"
                                     "  g20: {from: {nodegroup: shpo/web}, size: 1}\n"
                                     "  g21: {size: 1, image: a, ami: b}\n");

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(faults); i++) {
        world_fault(world, faults[i].code, faults[i].line, faults[i].column);
    }
    world_assert_faults(world, ARRAY_COUNT(faults));
    world_free(world);
}

static void test_0_10_words_of_the_second_seed_get_a_note(void **state)
{
    static const struct {
        const char *group;
        size_t warnings;
    } rows[] = {
        { "pool_size: 1", 1 },
        { "pool_size: 1, firstNumber: 0", 0 },
        { "size: 1, ebs: [], ec2_size: x", 1 },
        { "size: 1", 0 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char yaml[256];
        struct world *world;

        snprintf(yaml, sizeof(yaml), SHOP "groups: {web: {" AWS ", %s}}\n", rows[i].group);
        world = world_read(yaml);
        assert_int_equal(world->errors.errors, 0);
        assert_int_equal(world->errors.warnings, rows[i].warnings);
        world_free(world);
    }
}

/* ---- one object, several spellings ---- */

static void test_K7_list_mapping_and_nested_are_one_object(void **state)
{
    static const char *const spellings[] = {
        SHOP "groups:\n  a: {size: 1, image: x, " AWS "}\n  b: {c: {size: 2, " AWS "}}\n",
        SHOP "groups:\n- {name: b, groups: [{name: c, size: 2, " AWS
             "}]}\n- {image: x, name: a, size: 1, " AWS "}\n",
        SHOP "groups:\n  b: {groups: {c: {node_count: 2, " AWS "}}}\n"
             "  a: {ami: x, pool_size: 01, " AWS "}\n",
        ("{\"groups\": {\"b\": {\"c\": {\"resourcePlugin\": {\"name\": \"aws\"}, \"size\": 2}}, \"a\": {\"size\": 1, "
         "\"image\": \"x\", \"resourcePlugin\": {\"name\": \"aws\"}}}, \"version\": \"1\", \"name\": \"shop\"}"),
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(spellings); i++) {
        struct world *world = world_read(spellings[i]);

        world_assert_clean(world);
        assert_string_equal(
            world_object_json(world, "Cluster", "shop"),
            "{\"groups\":{\"a\":{\"image\":\"x\",\"resourcePlugin\":{\"name\":\"aws\"},\"size\":1},"
            "\"b\":{\"groups\":{\"c\":{\"resourcePlugin\":{\"name\":\"aws\"},\"size\":2}}}},"
            "\"name\":\"shop\",\"version\":\"1\"}");
        world_free(world);
    }
}

static void test_the_envelope_is_the_flat_form(void **state)
{
    struct world *world =
        world_read("kind: Cluster\nmetadata: {name: shop, id: x, labels: {a: b}, revision: 7}\n"
                   "spec:\n  version: 1\n  groups: {a: {size: 1, " AWS "}}\nstatus: {x: 1}\n");
    const struct model_object *object = model_set_find(&world->set, "Cluster", TEXT("shop"));

    (void)state;
    world_assert_clean(world);
    assert_int_equal(object->revision, 7);
    assert_string_equal(
        world_object_json(world, "Cluster", "shop"),
        "{\"groups\":{\"a\":{\"resourcePlugin\":{\"name\":\"aws\"},\"size\":1}},\"id\":\"x\","
        "\"labels\":{\"a\":\"b\"},\"name\":\"shop\",\"version\":\"1\"}");
    world_free(world);
}

static void test_K5_the_schema_types_scalars_and_not_their_spelling(void **state)
{
    struct world *world = world_read(
        "version: 1.10\nname: shop\ngroups:\n  web: {size: 007, heal: off, image: 0x1F, zones: [1, true, ~x],\n"
        "        resourcePlugin: {name: aws, version: 1.20}, labels: {a: 1.0, b: yes},\n"
        "        resourceProperties: {memory: 1.10, on: true, off: off, hex: 0x10, text: '5', none: ~, ami: x}}\n");

    (void)state;
    world_assert_clean(world);
    assert_string_equal(
        world_leaf_json(world, "shop", "web"),
        "{\"heal\":\"off\",\"image\":\"0x1F\",\"labels\":{\"a\":\"1.0\",\"b\":\"yes\"},"
        "\"resourcePlugin\":{\"name\":\"aws\",\"version\":\"1.20\"},\"resourceProperties\":"
        "{\"ami\":\"x\",\"hex\":16,\"memory\":1.10,\"off\":\"off\",\"on\":true,\"text\":\"5\"},"
        "\"size\":7,\"zones\":[\"1\",\"true\",\"~x\"]}");
    assert_string_equal(
        world_json(world, doc_child(&model_set_find(&world->set, "Cluster", TEXT("shop"))->merged,
                                    "version")),
        "\"1.10\"");
    world_free(world);
}

/* ---- for editors ---- */

static void test_the_schema_for_editors_is_whole(void **state)
{
    AUTO(arena) arena = arena_new((size_t)64 << 20);
    size_t count;
    const struct schema_kind *kinds = schema_kinds(&count);
    struct doc whole = json_schema_make(arena, NULL);
    struct doc cluster = json_schema_make(arena, schema_kind_find(TEXT("Cluster")));

    (void)state;
    assert_non_null(doc_at(&whole, TEXT("/$defs/nodegroup.volumes/required")));
    assert_non_null(doc_at(&whole, TEXT("/$defs/cluster.groups/properties/ami")));
    assert_non_null(doc_child(&cluster, "$defs"));
    for (size_t i = 0; i < count; i++) {
        if (kinds[i].is_in_files && schema_is_usable(kinds[i].since)) {
            struct doc one = json_schema_make(arena, &kinds[i]);

            assert_true(json_count_bytes(&one) > 100);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ten_thousand_groups_are_allowed_and_no_more),
        cmocka_unit_test(test_ten_thousand_bare_sub_groups_are_linear),
        cmocka_unit_test(test_group_documents_below_one_group_are_linear),
        cmocka_unit_test(test_many_references_into_one_cluster_are_linear),
        cmocka_unit_test(test_many_faults_are_counted_and_fifty_kept),
        cmocka_unit_test(test_renames_are_linear),
        cmocka_unit_test(test_what_takes_too_much_room_is_a_fault),
        cmocka_unit_test(test_labels_have_limits),
        cmocka_unit_test(test_a_leaf_has_a_limit),
        cmocka_unit_test(test_a_cluster_has_ten_million_nodes_at_most),
        cmocka_unit_test(test_twelve_mistakes_are_reported_in_one_run),
        cmocka_unit_test(test_0_10_words_of_the_second_seed_get_a_note),
        cmocka_unit_test(test_K7_list_mapping_and_nested_are_one_object),
        cmocka_unit_test(test_the_envelope_is_the_flat_form),
        cmocka_unit_test(test_K5_the_schema_types_scalars_and_not_their_spelling),
        cmocka_unit_test(test_the_schema_for_editors_is_whole),
    };

    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
