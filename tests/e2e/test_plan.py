"""plan --offline: what it says, and that nothing destructive hides behind a fold."""
import json

OLD = """version: "1"
name: shop
groups:
  old: {size: 3, resourcePlugin: {name: aws}}
  same: {size: 1, resourcePlugin: {name: aws}}
  web: {size: 5, resourcePlugin: {name: aws}, image: debian-12}
---
version: "1"
name: zoo
groups: {a: {size: 5, resourcePlugin: {name: x}}}
"""
NEW = """version: "2"
name: shop
groups:
  new: {size: 2, resourcePlugin: {name: aws}}
  same: {size: 1, resourcePlugin: {name: aws}}
  web: {size: 4, resourcePlugin: {name: aws}, image: debian-13, zones: [a, b]}
"""


def test_whole_text(reeve, folder):
    (folder / "new.yaml").write_text(NEW)
    assert reeve("plan", "--offline", "-f", "new.yaml").stdout == """\
cluster shop, version 2: 3 groups, 7 nodes
  new   2 nodes  new-[0-1]  aws
      resourcePlugin.name  aws  group
  same  1 node   same-0     aws
      resourcePlugin.name  aws  group
  web   4 nodes  web-[0-3]  aws
      image                debian-13  group
      resourcePlugin.name  aws        group
      zones                [a, b]     group
"""


def test_difference_has_the_worst_first(reeve, folder):
    (folder / "old.yaml").write_text(OLD)
    (folder / "new.yaml").write_text(NEW)
    run = reeve("plan", "--offline", "-f", "new.yaml", "--against", "old.yaml")
    assert run.stdout == """\
cluster zoo: 0 groups, 0 nodes (destroy); destroy 5, replace 0, change 0, create 0 nodes
  - a  destroy a-[0-4]
cluster shop, version 2: 3 groups, 7 nodes; destroy 4, replace 4, change 0, create 2 nodes
    version  1 -> 2   cluster
  - old   destroy old-[0-2]
  ! web   size 5 -> 4  destroy web-4  replace 4
        image  debian-12 -> debian-13   group
        zones  (none) -> [a, b]   group
  + new   size 2  create new-[0-1]
    1 group unchanged
"""


def test_forty_lines_and_what_is_destroyed_is_among_them(reeve, folder):
    groups = "".join(f"  g{i:04}: {{size: 1, resourcePlugin: {{name: x}}}}\n" for i in range(500))
    (folder / "old.yaml").write_text(f'version: "1"\nname: big\ngroups:\n{groups}  zz: {{size: 2, '
                                     'resourcePlugin: {name: x}}\n---\nversion: "1"\nname: zoo\n'
                                     'groups: {a: {size: 1, resourcePlugin: {name: x}}}\n')
    (folder / "new.yaml").write_text(f'version: "1"\nname: big\ngroups:\n{groups}'
                                     .replace("size: 1", "size: 2"))
    run = reeve("plan", "--offline", "-f", "new.yaml", "--against", "old.yaml")
    lines = run.stdout.splitlines()
    assert len(lines) <= 40
    assert "  - zz     destroy zz-[0-1]" in lines
    assert "more changed groups; --full shows all" in run.stdout
    assert lines[0].startswith("cluster zoo") and "destroy 1" in lines[0]
    full = reeve("plan", "--offline", "--full", "-f", "new.yaml", "--against", "old.yaml").stdout
    assert full.count("create g0") == 500
    summary = reeve("plan", "--offline", "--summary", "-f", "new.yaml", "--against", "old.yaml").stdout
    assert summary.count("\n") == 2


def test_forty_lines_at_any_shape(reeve, folder):
    for objects, groups in ((500, 1), (1, 500), (30, 30), (3, 12), (13, 2), (1, 40), (40, 0)):
        text = "---\n".join(
            f'version: "1"\nname: c{i}\n' + (
                "groups:\n" + "".join(f"  g{j}: {{size: 1, resourcePlugin: {{name: x}}, image: a}}\n"
                                      for j in range(groups)) if groups else "empty: true\n")
            for i in range(objects))
        (folder / "a.yaml").write_text(text)
        (folder / "b.yaml").write_text(text.replace("size: 1", "size: 2").replace("image: a", "image: b"))
        for against in ([], ["--against", "b.yaml"]):
            run = reeve("plan", "--offline", "-f", "a.yaml", *against)
            assert run.returncode == 0
            assert 0 < run.stdout.count("\n") <= 40, (objects, groups, run.stdout)


def test_json_names_the_file_of_each_value(reeve):
    plan = json.loads(reeve("plan", "--offline", "-f", "examples/gpu-templates.yaml", "-o", "json").stdout)
    cluster = next(item for item in plan if item["name"] == "ml-prod")
    values = {v["path"]: v for group in cluster["groups"] if group["path"] == "gpu-a"
              for v in group["values"]}
    assert values["image"]["origin"] == "template ngt/gpu-std"
    assert values["image"]["file"] == "examples/gpu-templates.yaml"
    assert values["image"]["line"] == 5
    assert "source" not in values["image"]
    assert values["zones"]["value"] == ["a"]


def test_version_keeps_its_spelling(reeve, folder):
    (folder / "a.yaml").write_text("version: 1.10\nname: a\nempty: true\n")
    assert json.loads(reeve("plan", "--offline", "-f", "a.yaml", "-o", "json").stdout)[0]["version"] == "1.10"
    assert "version 1.10" in reeve("plan", "--offline", "-f", "a.yaml").stdout


def test_names_are_those_every_verb_accepts(reeve):
    run = reeve("plan", "--offline", "-f", "examples/gpu-templates.yaml", "-o", "name")
    assert run.stdout.split() == ["nodegroup/ml-prod/control", "nodegroup/ml-prod/gpu-a",
                                  "nodegroup/ml-prod/gpu-b", "nodegrouptemplate/ml-std/control",
                                  "nodegrouptemplate/ml-std/debug", "nodegrouptemplate/gpu-std"]


def test_columns(reeve):
    run = reeve("plan", "--offline", "-f", "examples/web-db.yaml", "-o",
                "cols=GROUP,Z:.values.zones,CIDR:.values['network.cidr']")
    assert run.stdout == "GROUP  Z      CIDR\ndb     -      -\nweb    a,b,c  -\n"
    run = reeve("plan", "--offline", "-f", "examples/web-db.yaml", "--cols", "+USER:.values.user", "-o", "csv")
    assert run.stdout.splitlines()[0].endswith(",DESTROY,USER")


STAGES = """version: "1"
name: shop
groups:
  web:
    size: 1
    resourcePlugin: {{name: aws}}
    bootstrap: [{0}]
"""
DIGEST = "0123456789ab" + "c" * 52
BASE, WEB = "{tar: base}", "{tar: web, args: [hello, '80'], timeout: 1m}"


def staged(reeve, folder, old, new, *flags):
    """The lines below the group of a change from one list of stages to another."""
    (folder / "old.yaml").write_text(STAGES.format(", ".join(old)))
    (folder / "new.yaml").write_text(STAGES.format(", ".join(new)))
    run = reeve("plan", "--offline", "-f", "new.yaml", "--against", "old.yaml", *flags)
    assert run.returncode == 0, run.stderr
    return [line.strip() for line in run.stdout.splitlines() if "->" in line]


def test_of_stages_only_what_differs(reeve, folder):
    """Two lists that begin alike look the same where they are cut at a terminal's width."""
    changed = staged(reeve, folder, [BASE, WEB], [BASE, "{tar: site, args: [hello, '80'], idempotent: true}"])
    assert changed == ["bootstrap[1].tar         web -> site   group", "bootstrap[1].timeout     1m -> (none)   group",
                       "bootstrap[1].idempotent  (none) -> true   group"]
    assert staged(reeve, folder, [BASE], [BASE, WEB]) == [
        "bootstrap[1]  (none) -> {args: [hello, 80], tar: web, timeout: 1m}   group"]
    assert staged(reeve, folder, [BASE, WEB], [BASE]) == [
        "bootstrap[1]  {args: [hello, 80], tar: web, timeout: 1m} -> (none)   group"]
    whole = staged(reeve, folder, [BASE, WEB], [WEB])  # another order: the lists say it best
    assert len(whole) == 1 and whole[0].startswith("bootstrap  [{tar: base}, {args: ")


def test_digests_are_cut_for_people_unless_all_is_asked_for(reeve, folder):
    old, new = [f"{{bundle: web@sha256:{digest}}}" for digest in (DIGEST, DIGEST[::-1])]
    assert staged(reeve, folder, [old], [new]) == [
        f"bootstrap[0].bundle  web@sha256:{DIGEST[:12]} -> web@sha256:{DIGEST[::-1][:12]}   group"]
    assert DIGEST in staged(reeve, folder, [old], [new], "--full")[0]
