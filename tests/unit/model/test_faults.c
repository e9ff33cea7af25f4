/* Every fault that one document, or a set of them, can have: its code, its exact place, what the
 * message and the hint say. A row is a text with one fault in it. */
#include "world.h"

#include <string.h>

#include "base/macros.h"

/* Two lines that make a cluster of what follows. */
#define SHOP   "version: 1\nname: shop\n"
#define AWS    "resourcePlugin: {name: aws}"
#define GROUPS SHOP "groups:\n"

static const struct fault_case cases[] = {
    /* ---- one fault is told once ---- */
    { "a_size_of_the_wrong_type_is_not_told_as_missing_too",
      GROUPS "  web: {size: three, " AWS "}\n", "R0302", 4, 15,
      "'size' must be an integer, got 'three'", NULL, "/groups/web/size" },
    { "a_bad_name_is_not_told_as_missing_too", "version: 1\nname: 1shop\nempty: true\n", "R0310", 2,
      7, "'1shop' is no name of a cluster", "begins with a letter", "/name" },
    { "a_bad_version_is_not_told_as_missing_too", "version: [1]\nname: shop\nempty: true\n",
      "R0302", 1, 10, "'version' must be text, got a list", NULL, "/version" },
    { "a_group_with_a_bad_name_does_not_leave_a_cluster_without_groups",
      GROUPS "  1web: {size: 1, " AWS "}\n", "R0310", 4, 3, "'1web' is no name", NULL,
      "/groups/1web" },
    { "groups_of_the_wrong_type_are_not_told_as_missing_too", SHOP "groups: 5\n", "R0302", 3, 9,
      "groups must be a mapping", "groups: {web: {size: 2}}", "/groups" },
    { "a_plugin_that_is_no_map_is_not_told_as_missing_too",
      GROUPS "  web: {size: 1, resourcePlugin: aws}\n", "R0302", 4, 34, "must be a map", NULL,
      "/groups/web/resourcePlugin" },
    { "a_bad_name_of_a_plugin_is_not_told_as_missing_too",
      GROUPS "  web: {size: 1, resourcePlugin: {name: plugin}}\n", "R0310", 4, 41,
      "'plugin' says nothing", NULL, "/groups/web/resourcePlugin/name" },
    { "what_an_unknown_template_would_give_is_not_told_as_missing",
      GROUPS "  web: {from: {nodegrouptemplate: x}, size: 1}\n", "R0333", 4, 35,
      "nodegrouptemplate 'x' is not among the given files", "another -f", NULL },

    /* ---- null where nothing lower is ---- */
    { "null_does_not_give_a_volume_its_size",
      GROUPS "  web: {size: 1, " AWS ", volumes: [{size: null}]}\n", "R0330", 4, 57,
      "a volume needs 'size'", "a bare number counts GB", "/groups/web/volumes/0" },
    { "null_is_no_tar_of_a_bootstrap_item",
      GROUPS "  web: {size: 1, " AWS ", bootstrap: [{tar: null}]}\n", "R0321", 4, 59,
      "'tar' or 'bundle', got none", NULL, "/groups/web/bootstrap/0" },
    { "from_that_names_null_is_told", SHOP "from: {template: null}\nempty: true\n", "R0321", 3, 7,
      "'template' or 'cluster', got none", NULL, "/from" },

    /* ---- NodeGroup documents ---- */
    { "M2_a_node_group_needs_a_cluster", "kind: NodeGroup\nname: web\nsize: 1\n", "R0330", 2, 7,
      "nodegroup needs 'cluster'", "cluster: NAME", NULL },
    { "M2_a_node_group_needs_a_name", "kind: NodeGroup\ncluster: shop\nsize: 1\n", "R0330", 1, 1,
      "nodegroup needs 'name'", "its path in it", NULL },

    /* ---- leaf and inner ---- */
    { "K7_a_misspelled_field_that_holds_fields_is_no_sub_group",
      "kind: NodeGroupTemplate\nname: t\nsize: 1\n" AWS "\n---\n" GROUPS
      "  web: {from: {nodegrouptemplate: t}, resourcePropertis: {image: a}}\n",
      "R0301", 9, 39, "unknown field 'resourcePropertis'", "did you mean 'resourceProperties'",
      "/groups/web/resourcePropertis" },
    { "K7_a_misspelled_field_over_a_group_of_a_template_is_hinted_at",
      "kind: ClusterTemplate\nname: t\ngroups: {web: {size: 1, " AWS "}}\n---\n" SHOP
      "from: {template: t}\ngroups:\n  web: {resourcePropertis: {image: a}}\n",
      "R0308", 9, 9, "'resourcePropertis' is a sub-group of 'web'",
      "did you mean the field 'resourceProperties'", NULL },
};

int main(void)
{
    return fault_cases_run("model faults", cases, ARRAY_COUNT(cases));
}
