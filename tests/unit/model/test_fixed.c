/* M9: values that a template fixes cannot be overridden in any way by objects made from it. */
#include "world.h"

#include "base/macros.h"

#define AWS      "resourcePlugin: {name: aws}"
#define TEMPLATE "kind: ClusterTemplate\nname: t\nversion: 1\n"
#define SHOP     "---\nversion: 1\nname: shop\nfrom: {template: t}\n"
#define GPU                                                                                \
    "kind: NodeGroupTemplate\nname: gpu\n" AWS "\nimage: a\nnetwork: {cidr: 10.0.0.0/8}\n" \
    "labels: {x: 1}\nresourceProperties: {p: 1}\n"
#define USE "---\nversion: 1\nname: shop\ngroups:\n"

static const struct fault_case cases[] = {
    { "M9_a_fixed_field_of_a_group_template_cannot_be_set",
      GPU "fixed: [image]\n" USE "  web: {from: {nodegrouptemplate: gpu}, size: 1, image: b}\n",
      "R0335", 13, 50, "'image' is fixed by the template", "leave the field out", NULL },
    { "M9_nor_dropped_by_null",
      GPU "fixed: [image]\n" USE "  web: {from: {nodegrouptemplate: gpu}, size: 1, image: null}\n",
      "R0335", 13, 50, "'image' is fixed", NULL, NULL },
    { "M9_nor_dropped_by_null_above_it",
      GPU "fixed: [network.cidr]\n" USE
          "  web: {from: {nodegrouptemplate: gpu}, size: 1, network: null}\n",
      "R0335", 13, 50, "'network.cidr' is fixed", NULL, NULL },
    { "M9_nor_lost_because_labels_replace",
      GPU "fixed: [labels.x]\n" USE
          "  web: {from: {nodegrouptemplate: gpu}, size: 1, labels: {y: 1}}\n",
      "R0335", 13, 50, "'labels.x' is fixed", NULL, NULL },
    { "M9_nor_lost_because_another_plugin_discards_properties",
      GPU "fixed: [resourceProperties.p]\n" USE
          "  web: {from: {nodegrouptemplate: gpu}, size: 1, resourcePlugin: {name: gcd}}\n",
      "R0335", 13, 15, "'resourceProperties.p' is fixed", NULL, NULL },
    { "M9_nor_got_round_by_an_alternative",
      GPU "fixed: [image]\n" USE
          "  web: {from: {nodegrouptemplate: gpu}, size: 1, alternatives: [{image: b}]}\n",
      "R0335", 13, 66, "'image' is fixed", NULL, NULL },
    { "M9_nor_got_round_by_a_member",
      GPU "fixed: [image]\n" USE
          "  web: {from: {nodegrouptemplate: gpu}, size: 1, members: {web-0: {image: b}}}\n",
      "R0335", 13, 68, "'image' is fixed", NULL, NULL },
    { "M9_a_template_made_from_a_template_keeps_what_that_fixes",
      GPU
      "fixed: [image]\n---\nkind: NodeGroupTemplate\nname: big\nfrom: {nodegrouptemplate: gpu}\n"
      "fixed: [labels.x]\n" USE "  web: {from: {nodegrouptemplate: big}, size: 1, image: b}\n",
      "R0335", 18, 50, "'image' is fixed", NULL, NULL },
    { "M9_a_template_made_from_a_template_cannot_override_either",
      GPU
      "fixed: [image]\n---\nkind: NodeGroupTemplate\nname: big\nfrom: {nodegrouptemplate: gpu}\n"
      "image: b\n",
      "R0335", 13, 1, "'image' is fixed", NULL, NULL },
    { "M9_a_fixed_field_of_a_group_of_a_cluster_template_cannot_be_set",
      TEMPLATE "fixed: [groups.web.image]\ngroups: {web: {size: 1, image: a, " AWS "}}\n" SHOP
               "groups: {web: {image: b}}\n",
      "R0335", 10, 16, "'groups.web.image' is fixed", NULL, NULL },
    { "M9_nor_come_from_another_template_of_the_group",
      TEMPLATE "fixed: [groups.web.image]\ngroups: {web: {size: 1, image: a, " AWS "}}\n---\n"
               "kind: NodeGroupTemplate\nname: n\nimage: b\n" SHOP
               "groups: {web: {from: {nodegrouptemplate: n}}}\n",
      "R0335", 14, 22, "'groups.web.image' is fixed", NULL, NULL },
    { "M9_a_sub_group_is_fixed_by_its_path",
      TEMPLATE "fixed: [groups.a/b.image]\ngroups: {a: {b: {size: 1, image: a, " AWS "}}}\n" SHOP
               "groups: {a: {b: {image: b}}}\n",
      "R0335", 10, 18, "'groups.a/b.image' is fixed", NULL, NULL },
    { "M9_a_fixed_default_cannot_be_set",
      TEMPLATE "fixed: [defaults.image]\ndefaults: {image: a, " AWS
               "}\ngroups: {web: {size: 1}}\n" SHOP "defaults: {image: b}\n",
      "R0335", 11, 12, "'defaults.image' is fixed", NULL, NULL },
    { "M9_nor_on_a_group",
      TEMPLATE "fixed: [defaults.image]\ndefaults: {image: a, " AWS
               "}\ngroups: {web: {size: 1}}\n" SHOP "groups: {web: {image: b}}\n",
      "R0335", 11, 16, "'defaults.image' is fixed", NULL, NULL },
    { "M9_nor_dropped_on_a_new_group",
      TEMPLATE "fixed: [defaults.image]\ndefaults: {image: a, " AWS
               "}\ngroups: {web: {size: 1}}\n" SHOP "groups: {db: {size: 1, image: null}}\n",
      "R0335", 11, 24, "'defaults.image' is fixed", NULL, NULL },
    { "M9_nor_by_an_alternative_of_a_group",
      TEMPLATE "fixed: [defaults.image]\ndefaults: {image: a, " AWS
               "}\ngroups: {web: {size: 1}}\n" SHOP "groups: {web: {alternatives: [{image: b}]}}\n",
      "R0335", 11, 32, "'defaults.image' is fixed", NULL, NULL },
    { "M9_a_group_made_from_one_of_a_cluster_template_keeps_what_is_fixed_there",
      TEMPLATE "fixed: [groups.web.image]\ngroups: {web: {size: 1, image: a, " AWS "}}\n" USE
               "  web: {from: {nodegrouptemplate: t/web}, image: b}\n",
      "R0335", 10, 43, "'image' is fixed", NULL, NULL },
    { "M9_and_what_is_fixed_in_its_defaults",
      TEMPLATE "fixed: [defaults.image]\ndefaults: {image: a}\ngroups: {web: {size: 1, " AWS
               "}}\n" USE "  web: {from: {nodegrouptemplate: t/web}, image: b}\n",
      "R0335", 11, 43, "'image' is fixed", NULL, NULL },
    { "M9_a_group_that_is_fixed_itself_cannot_be_dropped",
      TEMPLATE "fixed: [groups.web]\ngroups: {web: {size: 1, " AWS "}, db: {size: 1, " AWS
               "}}\n" SHOP "groups: {web: null}\n",
      "R0335", 10, 10, "'groups.web' is fixed", NULL, NULL },
    { "M9_a_fixed_path_must_exist", "kind: NodeGroupTemplate\nname: t\nfixed: [netwrok.cidr]\n",
      "R0301", 3, 9, "a node group template has no field 'netwrok'", "did you mean 'network'?",
      NULL },
    { "M9_a_fixed_path_must_exist_below_an_object",
      "kind: ClusterTemplate\nname: t\nfixed: [defaults.network.cird]\n", "R0301", 3, 9,
      "network has no field 'cird'", "did you mean 'cidr'?", NULL },
    { "M9_a_fixed_path_must_exist_in_a_group",
      "kind: ClusterTemplate\nname: t\nfixed: [groups.a/b.imag]\n", "R0301", 3, 9,
      "a group has no field 'imag'", "did you mean 'image'?", NULL },

    /* ---- what is allowed ---- */
    { "M9_the_same_value_may_be_repeated",
      GPU "fixed: [image, network.cidr, labels.x]\n" USE
          "  web: {from: {nodegrouptemplate: gpu}, size: 1, image: a, network: {cidr: 10.0.0.0/8}, "
          "labels: {x: 1}}\n" },
    { "M9_fields_beside_a_fixed_one_are_free",
      GPU "fixed: [network.cidr, labels.x, resourceProperties.p]\n" USE
          "  web: {from: {nodegrouptemplate: gpu}, size: 1, network: {gateway: 10.0.0.1}, "
          "mergeLabels: true, labels: {y: 1}, resourceProperties: {q: 1},\n"
          "        alternatives: [{zones: [a]}], members: {web-0: {image: b}}}\n" },
    { "M9_a_group_may_be_dropped_with_what_is_fixed_in_it",
      TEMPLATE "fixed: [groups.web.image]\n"
               "groups: {web: {size: 1, image: a, " AWS "}, db: {size: 1, " AWS "}}\n" SHOP
               "groups: {web: null}\n" },
    { "M9_a_template_may_break_its_own_default_in_a_group", TEMPLATE
      "fixed: [defaults.image, defaults.labels.x]\ndefaults: {image: a, labels: {x: 1}, " AWS
      "}\ngroups: {web: {size: 1, image: b, labels: {y: 1}}}\n" SHOP "groups: {web: {size: 2}}\n" },
    { "M9_what_is_fixed_for_one_group_is_free_in_another",
      TEMPLATE "fixed: [groups.web.image]\ngroups: {web: {size: 1, image: a, " AWS "}}\n" SHOP
               "groups: {db: {size: 1, image: b, " AWS ", alternatives: [{image: c}]}}\n" },
    { "M9_a_change_of_the_cluster_itself_is_not_bound_by_a_clone", GPU
      "fixed: [image]\n" USE "  web: {from: {nodegrouptemplate: gpu}, size: 1}\n---\nversion: 1\n"
      "name: copy\nfrom: {cluster: shop}\ngroups: {web: {image: b}}\n" },
    { "M9_every_sort_of_path_can_be_fixed",
      "kind: ClusterTemplate\nname: t\nfixed: [driver, labels.a, defaults.rollout.surge, "
      "groups.web.resourceProperties.x.y, groups.a/b.volumes, groups.web.members.web-0.image]\n" },
};

int main(void)
{
    return fault_cases_run("what is fixed", cases, ARRAY_COUNT(cases));
}
