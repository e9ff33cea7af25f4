/* The ways to make clusters, groups and templates (M10 to M17), how layers are merged (FILE.md 6),
 * and the reported origin of each value. */
#include "world.h"

#include <stdio.h>
#include <string.h>

#include "base/macros.h"

#define AWS  "resourcePlugin: {name: aws}"
#define PLUG "\"resourcePlugin\":{\"name\":\"aws\"}"
#define SEP  "---\n"
#define SHOP "version: 1\nname: shop\n"
#define CT                                                                          \
    "kind: ClusterTemplate\nname: t\nversion: 9\ndriver: d\nlabels: {a: 1, b: 1}\n" \
    "defaults: {image: a, " AWS "}\ngroups: {web: {size: 2, zones: [x, y]}, db: {size: 1}}\n" SEP
#define NGT \
    "kind: NodeGroupTemplate\nname: n\nsize: 3\nimage: i\nlabels: {pool: gpu}\n" AWS "\n" SEP

/* The expected final value of a leaf of cluster `shop`. json NULL: there is no such leaf. */
struct leaf_case {
    const char *name;
    const char *yaml;
    const char *path;
    const char *json;
};

static const struct leaf_case cases[] = {
    /* ---- clusters ---- */
    { "M10_a_cluster_is_made_from_its_request_alone",
      SHOP "groups: {web: {size: 2, image: b, " AWS "}}\n", "web",
      "{\"image\":\"b\"," PLUG ",\"size\":2}" },
    { "M11_a_cluster_is_made_from_a_template_alone", CT "name: shop\nfrom: {template: t}\n", "web",
      "{\"image\":\"a\",\"labels\":{\"a\":\"1\",\"b\":\"1\"}," PLUG
      ",\"size\":2,\"zones\":[\"x\",\"y\"]}" },
    { "M12_a_cluster_is_a_clone_of_another",
      "version: 1\nname: other\ngroups: {web: {size: 2, image: b, " AWS "}}\n" SEP
      "name: shop\nfrom: {cluster: other}\n",
      "web", "{\"image\":\"b\"," PLUG ",\"size\":2}" },
    { "M13_the_request_wins_over_the_template",
      CT SHOP "from: {template: t}\ndefaults: {image: z}\ngroups: {web: {size: 5}}\n", "web",
      "{\"image\":\"z\",\"labels\":{\"a\":\"1\",\"b\":\"1\"}," PLUG
      ",\"size\":5,\"zones\":[\"x\",\"y\"]}" },
    { "M13_the_request_wins_over_the_clone",
      "version: 1\nname: other\ngroups: {web: {size: 2, image: b, " AWS "}}\n" SEP SHOP
      "from: {cluster: other}\ngroups: {web: {image: c}}\n",
      "web", "{\"image\":\"c\"," PLUG ",\"size\":2}" },
    { "M13_lists_replace", CT SHOP "from: {template: t}\ngroups: {web: {zones: [z]}}\n", "web",
      "{\"image\":\"a\",\"labels\":{\"a\":\"1\",\"b\":\"1\"}," PLUG
      ",\"size\":2,\"zones\":[\"z\"]}" },
    { "M13_a_group_is_added_inline",
      CT SHOP "from: {template: t}\ngroups: {new: {size: 7, labels: {}}}\n", "new",
      "{\"image\":\"a\",\"labels\":{}," PLUG ",\"size\":7}" },
    { "M13_a_group_is_added_by_reference_to_a_template",
      CT NGT SHOP "from: {template: t}\ngroups: {new: {from: {nodegrouptemplate: n}, size: 4}}\n",
      "new",
      "{\"from\":{\"nodegrouptemplate\":\"n\"},\"image\":\"i\",\"labels\":{\"pool\":\"gpu\"}," PLUG
      ",\"size\":4}" },
    { "M13_a_group_is_added_by_reference_to_a_group",
      CT "version: 1\nname: other\ngroups: {g: {size: 8, image: b, " AWS "}}\n" SEP SHOP
         "from: {template: t}\ngroups: {new: {from: {nodegroup: other/g}}}\n",
      "new",
      "{\"from\":{\"nodegroup\":\"other/g\"},\"image\":\"b\",\"labels\":{\"a\":\"1\",\"b\":\"1\"}," PLUG
      ",\"size\":8}" },
    { "M13_a_group_is_dropped_by_null_while_others_come",
      CT NGT SHOP "from: {template: t}\ngroups: {db: null, in: {size: 1}, "
                  "ref: {from: {nodegrouptemplate: n}}}\n",
      "db", NULL },
    { "M13_a_groups_own_from_lies_over_the_clusters",
      CT NGT SHOP "from: {template: t}\ngroups: {web: {from: {nodegrouptemplate: n}}}\n", "web",
      "{\"from\":{\"nodegrouptemplate\":\"n\"},\"image\":\"i\",\"labels\":{\"pool\":\"gpu\"}," PLUG
      ",\"size\":3,\"zones\":[\"x\",\"y\"]}" },
    { "M13_what_is_leaf_and_inner_is_judged_after_merging",
      CT SHOP "from: {template: t}\ngroups: {web: {size: null, zones: null, eu: {size: 1}}}\n",
      "web/eu", "{\"image\":\"a\",\"labels\":{\"a\":\"1\",\"b\":\"1\"}," PLUG ",\"size\":1}" },

    /* ---- groups ---- */
    { "M16_a_group_document_belongs_to_its_cluster",
      "kind: NodeGroup\ncluster: shop\nname: web\nsize: 2\n" SEP SHOP
      "empty: true\ngroups: {}\ndefaults: {" AWS "}\n",
      "web", "{" PLUG ",\"size\":2}" },
    { "M16_a_group_document_may_name_a_sub_group",
      "kind: NodeGroup\ncluster: shop\nname: eu/a/web\nsize: 2\n" SEP
      "kind: NodeGroup\ncluster: shop\nname: eu/db\nsize: 1\n" SEP
      "kind: NodeGroup\ncluster: shop\nname: eu-x\nsize: 1\n" SEP SHOP
      "groups: {eu: {z: {size: 1}}}\n"
      "defaults: {" AWS "}\n",
      "eu/a/web", "{" PLUG ",\"size\":2}" },
    { "M16_a_group_document_may_be_made_from_a_template",
      NGT
      "kind: NodeGroup\ncluster: shop\nname: web\nfrom: {nodegrouptemplate: n}\nimage: j\n" SEP SHOP
      "empty: true\ngroups: {}\n",
      "web",
      "{\"from\":{\"nodegrouptemplate\":\"n\"},\"image\":\"j\",\"labels\":{\"pool\":\"gpu\"}," PLUG
      ",\"size\":3}" },
    { "M16_a_group_is_a_clone_without_its_members",
      "version: 1\nname: other\ngroups: {g: {size: 8, " AWS
      ", members: {g-0: {image: q}}}}\n" SEP SHOP "groups: {h: {from: {nodegroup: other/g}}}\n",
      "h", "{\"from\":{\"nodegroup\":\"other/g\"}," PLUG ",\"size\":8}" },

    { "M16_a_group_is_a_clone_of_one_beside_it",
      SHOP "groups: {c: {from: {nodegroup: shop/b}}, b: {from: {nodegroup: shop/in/a}, size: 4}, "
           "in: {a: {size: 1, image: i, " AWS "}}}\n",
      "c", "{\"from\":{\"nodegroup\":\"shop/b\"},\"image\":\"i\"," PLUG ",\"size\":4}" },
    { "M16_a_clone_deep_inside_of_one_above_it",
      SHOP "groups: {a: {size: 1, " AWS "}, x: {y: {z: {from: {nodegroup: shop/a}, image: j}}}}\n",
      "x/y/z", "{\"from\":{\"nodegroup\":\"shop/a\"},\"image\":\"j\"," PLUG ",\"size\":1}" },
    { "M15_a_group_of_a_template_is_a_clone_of_one_beside_it",
      "kind: ClusterTemplate\nname: t\ngroups: {a: {size: 2, " AWS
      "}, b: {from: {nodegrouptemplate: t/a}, image: k}}\n" SEP SHOP "from: {template: t}\n",
      "b", "{\"image\":\"k\"," PLUG ",\"size\":2}" },

    /* ---- templates ---- */
    { "M15_a_cluster_template_is_made_from_another",
      CT
      "kind: ClusterTemplate\nname: u\nfrom: {template: t}\ngroups: {db: null, web: {size: 9}}\n" SEP
      "name: shop\nfrom: {template: u}\n",
      "web",
      "{\"image\":\"a\",\"labels\":{\"a\":\"1\",\"b\":\"1\"}," PLUG
      ",\"size\":9,\"zones\":[\"x\",\"y\"]}" },
    { "M15_a_cluster_template_is_made_from_a_cluster",
      "version: 1\nname: other\ngroups: {web: {size: 2, image: b, " AWS "}}\n" SEP
      "kind: ClusterTemplate\nname: u\nfrom: {cluster: other}\n" SEP SHOP "from: {template: u}\n",
      "web", "{\"image\":\"b\"," PLUG ",\"size\":2}" },
    { "M17_a_group_template_is_made_from_another",
      NGT "kind: NodeGroupTemplate\nname: m\nfrom: {nodegrouptemplate: n}\nimage: k\n" SEP SHOP
          "groups: {web: {from: {nodegrouptemplate: m}}}\n",
      "web",
      "{\"from\":{\"nodegrouptemplate\":\"m\"},\"image\":\"k\",\"labels\":{\"pool\":\"gpu\"}," PLUG
      ",\"size\":3}" },
    { "M17_a_group_template_is_made_from_a_group",
      "version: 1\nname: other\ngroups: {a: {b: {size: 2, image: b, " AWS "}}}\n" SEP
      "kind: NodeGroupTemplate\nname: m\nfrom: {nodegroup: other/a/b}\n" SEP SHOP
      "groups: {web: {from: {nodegrouptemplate: m}}}\n",
      "web", "{\"from\":{\"nodegrouptemplate\":\"m\"},\"image\":\"b\"," PLUG ",\"size\":2}" },
    { "M7_a_group_of_a_cluster_template_is_a_group_template",
      CT SHOP "groups: {web: {from: {nodegrouptemplate: t/web}, size: 1}}\n", "web",
      "{\"from\":{\"nodegrouptemplate\":\"t/web\"},\"image\":\"a\",\"labels\":{\"a\":\"1\",\"b\":\"1\"}," PLUG
      ",\"size\":1,\"zones\":[\"x\",\"y\"]}" },
    { "M6_a_template_may_say_next_to_nothing",
      "kind: NodeGroupTemplate\nname: n\n" SEP "kind: ClusterTemplate\nname: t\n" SEP SHOP
      "from: {template: t}\ngroups: {web: {from: {nodegrouptemplate: n}, size: 1, " AWS "}}\n",
      "web", "{\"from\":{\"nodegrouptemplate\":\"n\"}," PLUG ",\"size\":1}" },

    /* ---- FILE.md 6 ---- */
    { "E4_defaults_lie_under_every_leaf",
      SHOP "defaults: {image: a, user: u, network: {cidr: 10.0.0.0/8}, " AWS "}\n"
           "groups: {web: {size: 1, image: b, network: {address: public}}}\n",
      "web",
      "{\"image\":\"b\",\"network\":{\"address\":\"public\",\"cidr\":\"10.0.0.0/8\"}," PLUG
      ",\"size\":1,\"user\":\"u\"}" },
    { "null_drops_a_default",
      SHOP "defaults: {image: a, " AWS "}\ngroups: {web: {size: 1, image: null}}\n", "web",
      "{" PLUG ",\"size\":1}" },
    { "null_drops_a_property_of_a_default",
      SHOP "defaults: {" AWS ", resourceProperties: {a: 1, b: {c: 2, d: 3}}}\n"
           "groups: {web: {size: 1, resourceProperties: {a: null, b: {c: null}}}}\n",
      "web", "{" PLUG ",\"resourceProperties\":{\"b\":{\"d\":3}},\"size\":1}" },
    { "null_drops_what_a_template_gives_and_the_default_too",
      CT SHOP "from: {template: t}\ngroups: {web: {image: null, zones: null, labels: null}}\n",
      "web", "{" PLUG ",\"size\":2}" },
    { "M3_null_stays_in_an_alternative_and_in_a_member",
      SHOP "groups: {web: {size: 1, " AWS ", zones: [a], alternatives: [{zones: null}], "
           "members: {web-0: {image: null}, web-1: null}}}\n",
      "web",
      "{\"alternatives\":[{\"zones\":null}],\"members\":{\"web-0\":{\"image\":null}}," PLUG
      ",\"size\":1,\"zones\":[\"a\"]}" },
    { "K12_lists_of_properties_are_left_alone",
      SHOP "groups: {web: {size: 1, " AWS
           ", resourceProperties: {a: [null, {b: null, c: 0x1F}, 1.10]}}}\n",
      "web",
      "{" PLUG ",\"resourceProperties\":{\"a\":[null,{\"b\":null,\"c\":31},1.10]},\"size\":1}" },
    { "another_plugin_discards_properties_below",
      SHOP
      "defaults: {resourcePlugin: {name: aws, version: 2, account: p}, resourceProperties: {a: 1}}\n"
      "groups: {web: {size: 1, resourcePlugin: {name: gcd}, resourceProperties: {b: 2}}}\n",
      "web",
      "{\"resourcePlugin\":{\"name\":\"gcd\"},\"resourceProperties\":{\"b\":2},\"size\":1}" },
    { "the_same_plugin_keeps_them",
      SHOP
      "defaults: {resourcePlugin: {name: aws, account: p}, resourceProperties: {a: 1}}\n"
      "groups: {web: {size: 1, resourcePlugin: {name: aws, version: 2}, resourceProperties: {b: 2}}}\n",
      "web",
      "{\"resourcePlugin\":{\"account\":\"p\",\"name\":\"aws\",\"version\":\"2\"},"
      "\"resourceProperties\":{\"a\":1,\"b\":2},\"size\":1}" },
    { "another_plugin_over_a_template_discards_properties_below",
      "kind: NodeGroupTemplate\nname: n\nresourcePlugin: {name: aws, url: 'file:///x'}\n"
      "resourceProperties: {a: 1}\n" SEP SHOP
      "groups: {web: {from: {nodegrouptemplate: n}, size: 1, resourcePlugin: {name: gcd}}}\n",
      "web",
      "{\"from\":{\"nodegrouptemplate\":\"n\"},\"resourcePlugin\":{\"name\":\"gcd\"},\"size\":1}" },
    { "M22_labels_of_a_group_replace",
      SHOP "labels: {a: 1}\ndefaults: {mergeLabels: true, labels: {b: 1}, " AWS "}\n"
           "groups: {web: {size: 1, mergeLabels: false, labels: {c: 1}}}\n",
      "web", "{\"labels\":{\"c\":\"1\"},\"mergeLabels\":false," PLUG ",\"size\":1}" },
    { "M22_labels_merge_when_asked",
      SHOP "labels: {a: 1, z: 1}\ndefaults: {" AWS "}\n"
           "groups: {web: {size: 1, mergeLabels: true, labels: {c: 1, a: 2, z: null}}}\n",
      "web", "{\"labels\":{\"a\":\"2\",\"c\":\"1\"},\"mergeLabels\":true," PLUG ",\"size\":1}" },
    { "M22_labels_of_the_cluster_are_inherited",
      SHOP "labels: {a: 1}\ngroups: {web: {size: 1, " AWS "}}\n", "web",
      "{\"labels\":{\"a\":\"1\"}," PLUG ",\"size\":1}" },
    { "M22_labels_of_a_template_merge_when_asked",
      NGT SHOP
      "groups: {web: {from: {nodegrouptemplate: n}, mergeLabels: true, labels: {tier: burst}}}\n",
      "web",
      "{\"from\":{\"nodegrouptemplate\":\"n\"},\"image\":\"i\",\"labels\":{\"pool\":\"gpu\",\"tier\":"
      "\"burst\"},\"mergeLabels\":true," PLUG ",\"size\":3}" },
    { "K8_an_empty_group_is_kept", SHOP "groups: {web: {size: 0, " AWS "}}\n", "web",
      "{" PLUG ",\"size\":0}" },
};

static void leaf_case_run(void **state)
{
    const struct leaf_case *row = *state;
    struct world *world = world_read(row->yaml);
    struct world *backwards = world_read_backwards(row->yaml);

    world_assert_clean(world);
    world_assert_clean(backwards);
    if (row->json == NULL) {
        const struct model_object *object = model_set_find(&world->set, "Cluster", TEXT("shop"));

        assert_null(map_find(&object->leaf_by_path, text_from(row->path)));
        assert_int_not_equal(object->leaf_count, 0);
    } else {
        assert_string_equal(world_leaf_json(world, "shop", row->path), row->json);
        assert_string_equal(world_leaf_json(backwards, "shop", row->path), row->json);
    }
    world_free(backwards);
    world_free(world);
}

static void test_N12_every_layer_is_named(void **state)
{
    struct world *world = world_read(CT NGT SHOP /* lines 1 to 17 */
                                     "from: {template: t}\n"
                                     "defaults: {user: u}\n"
                                     "groups:\n"
                                     "  web: {image: b}\n"
                                     "  gpu: {from: {nodegrouptemplate: n}, labels: {x: y}}\n");
    const struct doc *image;

    (void)state;
    world_assert_clean(world);
    world_assert_origin(world, "shop", "web", "/image", "group", 21);
    world_assert_origin(world, "shop", "web", "/user", "defaults", 19);
    world_assert_origin(world, "shop", "web", "/zones", "template ct/t", 7);
    world_assert_origin(world, "shop", "web", "/size", "template ct/t", 7);
    world_assert_origin(world, "shop", "web", "/labels/a", "template ct/t", 5);
    world_assert_origin(world, "shop", "web", "/resourcePlugin/name", "template ct/t", 6);
    world_assert_origin(world, "shop", "gpu", "/image", "template ngt/n", 12);
    world_assert_origin(world, "shop", "gpu", "/labels/x", "group", 22);
    image = doc_at(&world_leaf(world, "Cluster", "shop", "gpu")->doc, TEXT("/image"));
    assert_int_equal(image->origin->kind, ORIGIN_TEMPLATE);
    assert_int_equal(image->origin->at.line, 22);
    assert_int_equal(image->origin->at.column, 15);
    world_free(world);
}

static void test_N12_a_clone_is_named(void **state)
{
    struct world *world =
        world_read("version: 1\nname: a\ngroups: {g: {size: 1, " AWS "}}\n" SEP
                   "name: b\nfrom: {cluster: a}\n" SEP
                   "version: 1\nname: c\ngroups: {h: {from: {nodegroup: a/g}}}\n");
    (void)state;
    world_assert_clean(world);
    world_assert_origin(world, "b", "g", "/size", "clone cluster/a", 3);
    world_assert_origin(world, "c", "h", "/size", "clone ng/a/g", 3);
    world_free(world);
}

static void test_N12_values_of_a_group_document_are_the_groups(void **state)
{
    struct world *world =
        world_read(SHOP "groups: {}\nempty: true\n" SEP
                        "kind: NodeGroup\ncluster: shop\nname: g\nsize: 1\n" AWS "\n");
    (void)state;
    world_assert_clean(world);
    world_assert_origin(world, "shop", "g", "/size", "group", 9);
    world_free(world);
}

static void test_M14_nothing_refers_to_a_template_after_creation(void **state)
{
    struct world *world = world_read(CT "name: shop\nfrom: {template: t}\n");

    (void)state;
    world_assert_clean(world);
    assert_string_equal(
        world_object_json(world, "Cluster", "shop"),
        "{\"defaults\":{\"image\":\"a\"," PLUG "},\"driver\":\"d\",\"from\":{\"template\":\"t\"},"
        "\"groups\":{\"db\":{\"size\":1},\"web\":{\"size\":2,\"zones\":[\"x\",\"y\"]}},"
        "\"labels\":{\"a\":\"1\",\"b\":\"1\"},\"name\":\"shop\",\"version\":\"9\"}");
    world_free(world);
}

static void test_a_chain_may_have_64_links_in_either_order(void **state)
{
    char yaml[16384];

    (void)state;
    for (int links = 64; links <= 65; links++) {
        size_t used = 0;
        struct world *forward;
        struct world *backward;

        for (int i = 0; i <= links; i++) {
            used += (size_t)snprintf(yaml + used, sizeof(yaml) - used,
                                     "kind: NodeGroupTemplate\nname: t%d\n", i);
            if (i > 0) {
                used += (size_t)snprintf(yaml + used, sizeof(yaml) - used,
                                         "from: {nodegrouptemplate: t%d}\n", i - 1);
            }
            used += (size_t)snprintf(yaml + used, sizeof(yaml) - used, "---\n");
        }
        forward = world_read(yaml);
        backward = world_read_backwards(yaml);
        assert_int_equal(forward->errors.errors > 0, links > 64);
        assert_int_equal(backward->errors.errors > 0, links > 64);
        world_free(forward);
        world_free(backward);
    }
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(test_N12_every_layer_is_named),
        cmocka_unit_test(test_N12_a_clone_is_named),
        cmocka_unit_test(test_N12_values_of_a_group_document_are_the_groups),
        cmocka_unit_test(test_M14_nothing_refers_to_a_template_after_creation),
        cmocka_unit_test(test_a_chain_may_have_64_links_in_either_order),
    };
    struct CMUnitTest tests[ARRAY_COUNT(cases) + ARRAY_COUNT(others)];

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        tests[i] = (struct CMUnitTest){ .name = cases[i].name,
                                        .test_func = leaf_case_run,
                                        .initial_state = (void *)(uintptr_t)&cases[i] };
    }
    memcpy(tests + ARRAY_COUNT(cases), others, sizeof(others));
    return cmocka_run_group_tests_name("making and merging", tests, NULL, NULL);
}
