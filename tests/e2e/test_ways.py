"""Every way to make a cluster, a node group and a template (M10 to M17), through files and the command
line, and where each effective value is said to come from (N12)."""
import json

import pytest

STANDARD = """kind: ClusterTemplate
name: std
version: "9"
labels: {tier: std}
defaults: {image: debian-12, resourcePlugin: {name: local}}
groups:
  db: {size: 1}
  web: {size: 2, zones: [a, b]}
"""
BASE = """kind: NodeGroupTemplate
name: base
size: 3
image: debian-13
labels: {pool: gpu}
resourcePlugin: {name: openstack}
fixed: [image]
"""
OTHER = """version: "7"
name: other
groups:
  web: {size: 2, image: debian-12, machineSize: big, resourcePlugin: {name: local}, members: {web-0: {image: x}}}
"""
FILES = {"std.yaml": STANDARD, "base.yaml": BASE, "other.yaml": OTHER}


@pytest.fixture
def plan(reeve, folder):
    """Plan a file beside those of FILES that it needs. Gives {(kind, name): {group: {path: (value,
    origin, place)}}}; the values of the object itself stand below the group ''."""
    def run(text, *others, code=0):
        (folder / "my.yaml").write_text(text)
        for name in others:
            (folder / name).write_text(FILES[name])
        files = [word for name in ("my.yaml", *others) for word in ("-f", name)]
        result = reeve("plan", "--offline", "--full", "-o", "json", *files)
        assert result.returncode == code, result.stderr
        if code != 0:
            return json.loads(result.stderr)
        return {(item["kind"], item["name"]): {
            "": values(item.get("values", [])),
            **{group["path"]: values(group["values"]) for group in item.get("groups", [])}}
            for item in json.loads(result.stdout)}
    return run


def values(items):
    return {item["path"]: (item["value"], item["origin"],
                           f"{item['file']}:{item['line']}:{item['column']}" if "file" in item else None)
            for item in items}


def given(group):
    """The values that are no built-in defaults: path -> (value, origin)."""
    return {path: found[:2] for path, found in group.items() if found[1] != "default"}


# ---- clusters ----

def test_M10_N12_cluster_from_its_request_alone(plan):
    shop = plan('version: "1"\nname: shop\ndefaults: {resourcePlugin: {name: local}}\n'
                "groups: {web: {size: 2, image: debian-12}}\n")["Cluster", "shop"]
    assert shop["web"]["size"] == (2, "group", "my.yaml:4:22")
    assert shop["web"]["image"] == ("debian-12", "group", "my.yaml:4:32")
    assert shop["web"]["resourcePlugin.name"] == ("local", "defaults", "my.yaml:3:35")
    assert shop["web"]["heal"] == ("replace", "default", None)
    assert given(shop[""]) == {"name": ("shop", "cluster"), "version": ("1", "cluster")}


def test_M11_N12_cluster_from_a_template_alone(plan):
    shop = plan("name: shop\nfrom: {template: std}\n", "std.yaml")["Cluster", "shop"]
    assert set(shop) == {"", "db", "web"}
    assert shop["web"]["size"] == (2, "template ct/std", "std.yaml:8:15")
    assert shop["web"]["image"] == ("debian-12", "template ct/std", "std.yaml:5:19")
    assert shop["web"]["labels.tier"][:2] == ("std", "template ct/std")
    assert shop[""]["version"][:2] == ("9", "template ct/std")


def test_M11_template_that_says_too_little_is_reported_at_from(plan):
    errors = plan('version: "1"\nname: shop\nfrom: {template: std}\ngroups: {web: {size: null}}\n',
                  "std.yaml", code=3)["errors"]
    assert [(error["code"], error["detail"]) for error in errors] == [
        ("R0330", "group 'web' needs 'size'")]


def test_M12_N12_cluster_is_a_clone(plan):
    shop = plan("name: shop\nfrom: {cluster: other}\n", "other.yaml")["Cluster", "shop"]
    assert shop["web"]["machineSize"] == ("big", "clone cluster/other", "other.yaml:4:49")
    assert shop["web"]["size"][:2] == (2, "clone cluster/other")
    assert shop[""]["name"][:2] == ("shop", "cluster")


def test_M13_N12_request_wins_over_the_template(plan):
    shop = plan('version: "1"\nname: shop\nfrom: {template: std}\ndefaults: {image: mine}\n'
                "groups:\n  web: {size: 5, zones: [c]}\n", "std.yaml")["Cluster", "shop"]
    assert given(shop["web"]) == {
        "image": ("mine", "defaults"), "labels.tier": ("std", "template ct/std"),
        "resourcePlugin.name": ("local", "template ct/std"), "size": (5, "group"), "zones": (["c"], "group")}
    assert shop["db"]["size"][:2] == (1, "template ct/std")
    assert shop[""]["version"][:2] == ("1", "cluster")


def test_M13_N12_request_wins_over_the_clone(plan):
    shop = plan('version: "1"\nname: shop\nfrom: {cluster: other}\ngroups: {web: {machineSize: small}}\n',
                "other.yaml")["Cluster", "shop"]
    assert shop["web"]["machineSize"][:2] == ("small", "group")
    assert shop["web"]["image"][:2] == ("debian-12", "clone cluster/other")


def test_M13_N12_groups_inline_and_by_reference_and_dropped_in_one_request(plan):
    shop = plan('version: "1"\nname: shop\nfrom: {template: std}\ngroups:\n'
                "  inline: {size: 7}\n"
                "  of-template: {from: {nodegrouptemplate: base}, size: 4}\n"
                "  of-part: {from: {nodegrouptemplate: std/web}}\n"
                "  of-group: {from: {nodegroup: other/web}}\n"
                "  db: null\n", "std.yaml", "base.yaml", "other.yaml")["Cluster", "shop"]
    assert set(shop) == {"", "inline", "of-template", "of-part", "of-group", "web"}
    assert shop["inline"]["size"][:2] == (7, "group")
    assert shop["inline"]["image"][:2] == ("debian-12", "template ct/std")
    assert shop["of-template"]["size"][:2] == (4, "group")
    assert shop["of-template"]["image"][:2] == ("debian-13", "template ngt/base")
    assert shop["of-part"]["zones"][:2] == (["a", "b"], "template ngt/std/web")
    assert shop["of-group"]["machineSize"][:2] == ("big", "clone ng/other/web")


def test_M9_fixed_field_is_refused_with_both_places(plan):
    errors = plan('version: "1"\nname: shop\ngroups:\n  web:\n    from: {nodegrouptemplate: base}\n'
                  "    image: mine\n", "base.yaml", code=3)["errors"]
    assert [(error["code"], error["line"], error["column"]) for error in errors] == [("R0335", 6, 5)]


def test_M14_no_reference_is_kept(plan):
    """What was made from a template does not differ from what says the same by itself, but for origins."""
    made = plan("name: shop\nfrom: {template: std}\n", "std.yaml")["Cluster", "shop"]
    plain = plan('version: "9"\nname: shop\nlabels: {tier: std}\n'
                 "defaults: {image: debian-12, resourcePlugin: {name: local}}\n"
                 "groups: {db: {size: 1}, web: {size: 2, zones: [a, b]}}\n")["Cluster", "shop"]
    assert {group: {path: found[0] for path, found in paths.items()} for group, paths in made.items()} \
        == {group: {path: found[0] for path, found in paths.items()} for group, paths in plain.items()}


# ---- node groups ----

PARENT = '---\nversion: "1"\nname: shop\nempty: true\ngroups: {}\n'


def test_M16_N12_group_from_its_request_alone(plan):
    shop = plan("kind: NodeGroup\ncluster: shop\nname: web\nsize: 2\nresourcePlugin: {name: local}\n"
                + PARENT)["Cluster", "shop"]
    assert given(shop["web"]) == {"resourcePlugin.name": ("local", "group"), "size": (2, "group")}


def test_M16_N12_group_from_a_template(plan):
    shop = plan("kind: NodeGroup\ncluster: shop\nname: web\nfrom: {nodegrouptemplate: base}\n" + PARENT,
                "base.yaml")["Cluster", "shop"]
    assert shop["web"]["size"] == (3, "template ngt/base", "base.yaml:3:7")


def test_M16_M7_N12_group_from_a_part_of_a_cluster_template(plan):
    shop = plan("kind: NodeGroup\ncluster: shop\nname: web\nfrom: {nodegrouptemplate: std/web}\n" + PARENT,
                "std.yaml")["Cluster", "shop"]
    assert shop["web"]["zones"][:2] == (["a", "b"], "template ngt/std/web")
    assert shop["web"]["image"][:2] == ("debian-12", "template ngt/std/web")


def test_M16_N12_group_is_a_clone(plan):
    shop = plan("kind: NodeGroup\ncluster: shop\nname: web\nfrom: {nodegroup: other/web}\n" + PARENT,
                "other.yaml")["Cluster", "shop"]
    assert shop["web"]["machineSize"][:2] == ("big", "clone ng/other/web")
    assert not any(path.startswith("members") for path in shop["web"])


def test_M16_N12_group_from_a_template_with_overrides(plan):
    shop = plan("kind: NodeGroup\ncluster: shop\nname: web\nfrom: {nodegrouptemplate: base}\nsize: 9\n"
                "labels: {mine: yes}\nmergeLabels: true\n" + PARENT, "base.yaml")["Cluster", "shop"]
    assert shop["web"]["size"][:2] == (9, "group")
    assert shop["web"]["labels.mine"][:2] == ("yes", "group")


def test_M16_group_needs_its_parent(plan):
    errors = plan("kind: NodeGroup\nname: web\nsize: 1\nresourcePlugin: {name: local}\n", code=3)["errors"]
    assert [error["detail"] for error in errors] == ["nodegroup needs 'cluster'"]
    errors = plan("kind: NodeGroup\ncluster: nowhere\nname: web\nsize: 1\nresourcePlugin: {name: local}\n",
                  code=4)["errors"]
    assert [error["detail"] for error in errors] == ["there is no cluster 'nowhere'"]


# ---- cluster templates ----

def test_M6_M15_cluster_template_may_say_next_to_nothing(plan):
    assert given(plan("kind: ClusterTemplate\nname: mine\n")["ClusterTemplate", "mine"][""]) == {
        "name": ("mine", "cluster")}


def test_M15_N12_cluster_template_from_its_request_alone(plan):
    mine = plan(STANDARD.replace("std", "mine"))["ClusterTemplate", "mine"]
    assert mine["web"]["size"] == (2, "group", "my.yaml:8:15")
    assert mine["web"]["image"] == ("debian-12", "defaults", "my.yaml:5:19")


def test_M15_N12_cluster_template_from_another_with_overrides(plan):
    mine = plan("kind: ClusterTemplate\nname: mine\nfrom: {template: std}\n"
                "groups: {db: null, web: {size: 9}}\n", "std.yaml")["ClusterTemplate", "mine"]
    assert set(mine) == {"", "web"}
    assert mine["web"]["size"][:2] == (9, "group")
    assert mine["web"]["zones"][:2] == (["a", "b"], "template ct/std")


def test_M15_N12_cluster_template_from_a_cluster(plan):
    mine = plan("kind: ClusterTemplate\nname: mine\nfrom: {cluster: other}\n",
                "other.yaml")["ClusterTemplate", "mine"]
    assert mine["web"]["machineSize"][:2] == ("big", "clone cluster/other")


def test_M7_N12_cluster_template_takes_in_a_group_template(plan):
    mine = plan("kind: ClusterTemplate\nname: mine\ngroups: {gpu: {from: {nodegrouptemplate: base}}}\n",
                "base.yaml")["ClusterTemplate", "mine"]
    assert mine["gpu"]["size"][:2] == (3, "template ngt/base")


# ---- node group templates ----

def test_M6_M17_group_template_may_say_next_to_nothing(plan):
    assert set(given(plan("kind: NodeGroupTemplate\nname: mine\n")["NodeGroupTemplate", "mine"][""])) == {
        "name"}


def test_M17_N12_group_template_from_its_request_alone(plan):
    mine = plan(BASE.replace("base", "mine"))["NodeGroupTemplate", "mine"]
    assert mine[""]["size"] == (3, "group", "my.yaml:3:7")


def test_M17_N12_group_template_from_another_with_overrides(plan):
    mine = plan("kind: NodeGroupTemplate\nname: mine\nfrom: {nodegrouptemplate: base}\nsize: 5\n",
                "base.yaml")["NodeGroupTemplate", "mine"]
    assert mine[""]["size"][:2] == (5, "group")
    assert mine[""]["image"] == ("debian-13", "template ngt/base", "base.yaml:4:8")


def test_M17_N12_group_template_from_a_group(plan):
    mine = plan("kind: NodeGroupTemplate\nname: mine\nfrom: {nodegroup: other/web}\n",
                "other.yaml")["NodeGroupTemplate", "mine"]
    assert mine[""]["machineSize"][:2] == ("big", "clone ng/other/web")


def test_M17_N12_group_template_from_a_part_of_a_cluster_template(plan):
    mine = plan("kind: NodeGroupTemplate\nname: mine\nfrom: {nodegrouptemplate: std/web}\n",
                "std.yaml")["NodeGroupTemplate", "mine"]
    assert mine[""]["zones"][:2] == (["a", "b"], "template ngt/std/web")


# ---- as people read it ----

def test_N12_the_text_names_every_origin_too(reeve, folder, plan):
    text = 'version: "1"\nname: shop\nfrom: {template: std}\ngroups: {web: {machineSize: big}}\n'
    plan(text, "std.yaml")
    out = reeve("plan", "--offline", "--full", "-f", "my.yaml", "-f", "std.yaml").stdout
    lines = [line.split() for line in out.splitlines()]
    assert ["size", "2", "template", "ct/std", "std.yaml:8:15"] in lines
    assert ["machineSize", "big", "group", "my.yaml:4:29"] in lines
    assert ["heal", "replace", "default"] in lines
    assert not any(line != line.rstrip() for line in out.splitlines())


def test_M22_labels_added_skipped_overridden(reeve, folder):
    (folder / "a.yaml").write_text(
        'version: "1"\nname: shop\nlabels: {a: parent, b: parent}\ndefaults: {resourcePlugin: {name: x}}\n'
        "groups:\n  all: {size: 1}\n  some: {size: 1, labels: {a: mine, c: mine}}\n"
        "  both: {size: 1, labels: {a: mine, c: mine}, mergeLabels: true}\n")
    groups = json.loads(reeve("plan", "--offline", "-o", "json", "-f", "a.yaml").stdout)[0]["groups"]
    labels = {group["path"]: group["labels"] for group in groups}
    assert labels["all"] == {"added": [], "skipped": [], "overridden": {}}
    assert labels["some"] == {"added": ["c"], "skipped": ["b"], "overridden": {"a": "parent"}}
    assert labels["both"] == {"added": ["c"], "skipped": [], "overridden": {"a": "parent"}}
