"""Overlays, pruning, plans made anew, and looking back (UX.md 3.4).

Requirements: N11.
"""
import json
import re
import time

import pytest

WEB_DB = "examples/web-db.yaml"
LAB = "examples/overlays/web-db-lab.yaml"


def done(run, code=0):
    assert run.returncode == code, run.stdout + run.stderr
    return run


@pytest.fixture
def shop(managed):
    """reeve with the cluster shop."""
    done(managed("apply", "-f", WEB_DB, "--yes"))
    return managed


def groups(run):
    return json.loads(run("get", "cluster", "shop", "-o", "json").stdout)["spec"]["groups"]


# ---- overlays ----

def test_overlay(managed, folder):
    """The rules of FILE.md 6: maps merge, lists and scalars replace, null drops; several in their order."""
    (folder / "more.yaml").write_text("name: shop\ngroups:\n  web: {zones: [d], size: 2}\n  db: null\n")
    plan = done(managed("plan", "-f", WEB_DB, "--overlay", LAB, "--exit-code"), 10).stdout
    assert "2 groups, 2 nodes" in plan
    done(managed("apply", "-f", WEB_DB, "--overlay", LAB, "--overlay", "more.yaml", "--yes"))
    web = groups(managed)["web"]
    assert web["size"] == 2 and web["zones"] == ["d"] and web["machineSize"] == "t3.small"
    assert web["minSize"] == 1 and web["maxSize"] == 12 and "db" not in groups(managed)
    run = done(managed("apply", "-f", WEB_DB, "--overlay", LAB, "--overlay", "more.yaml"))
    assert run.stderr.endswith("nothing to do\n")
    assert done(managed("validate", "-f", WEB_DB, "--overlay", LAB)).returncode == 0
    assert "2 groups, 2 nodes" in done(managed("plan", "--offline", "-f", WEB_DB, "--overlay", LAB)).stdout
    assert "+groups.db.size" in done(managed("diff", "-f", WEB_DB, "--overlay", LAB)).stdout


@pytest.mark.parametrize("text,told", [
    ("name: shop\ngroups:\n  web: {szie: 2}\n", r"over.yaml:3:9: error\[R0301\]: unknown field 'szie'"),
    ("name: shop\ngroups:\n  web: {size: 99}\n", r"over.yaml:3:15: error\[R0"),
    ("name: shup\n", r"over.yaml:1:7: error\[R0030\]: this overlay is for cluster 'shup'"),
    ("kind: ClusterTemplate\nname: shop\n", r"over.yaml:2:7: error\[R0030\]"),
])
def test_what_is_wrong_in_an_overlay_has_its_place_there(managed, folder, text, told):
    (folder / "over.yaml").write_text(text)
    for verb in (["apply", "--yes"], ["plan"], ["plan", "--offline"], ["validate"]):
        run = done(managed(*verb, "-f", WEB_DB, "--overlay", "over.yaml"), 3)
        assert re.search(told, run.stderr), run.stderr


def test_an_overlay_keeps_the_precondition_of_its_file(shop, folder):
    (folder / "bundles").symlink_to("examples/bundles")
    (folder / "live.yaml").write_text(done(shop("get", "cluster", "shop", "-o", "yaml")).stdout)
    done(shop("scale", "shop/web", "7", "--yes"))
    assert "error[R0401]" in done(shop("apply", "-f", "live.yaml", "--overlay", LAB), 5).stderr


# ---- pruning ----

def test_prune(managed, folder):
    for name, tier in (("one", "a"), ("two", "a"), ("three", "b")):
        (folder / f"{name}.yaml").write_text(
            f'version: "1"\nname: {name}\nlabels: {{tier: {tier}}}\n'
            "groups:\n  web: {size: 2, resourcePlugin: {name: sim}}\n")
    done(managed("apply", "-f", "one.yaml", "-f", "two.yaml", "-f", "three.yaml", "--yes"))
    run = done(managed("apply", "-f", "one.yaml", "--prune", "-l", "tier=a", "--yes"), 11)
    assert "destroy web-[0-1]" in run.stdout and "--allow destroy=2" in run.stderr
    assert "three" not in run.stdout
    done(managed("apply", "-f", "one.yaml", "--prune", "-l", "tier=a", "--allow", "destroy=3"))
    assert done(managed("get", "clusters", "-o", "name")).stdout == "cluster/one\ncluster/three\n"
    run = done(managed("apply", "-f", "one.yaml", "--prune", "-l", "tier=a"))
    assert run.stderr.endswith("nothing to do\n")
    assert "--prune needs -l" in done(managed("apply", "-f", "one.yaml", "--prune"), 2).stderr
    assert "-l is only for --prune, which is missing" in done(managed("apply", "-f", "one.yaml", "-l", "a=b"), 2).stderr


def test_supersede_is_nothing_where_nothing_is_rolled(shop):
    run = done(shop("apply", "-f", WEB_DB, "--supersede"))
    assert run.stderr == "nothing to do\n"


# ---- saved plans ----

def test_rebase(shop):
    saved = re.search(r"plan/\w+", done(shop("plan", "-f", "examples/web-db-grown.yaml", "--save")).stderr).group()
    done(shop("scale", "shop/web", "8", "--yes"))
    done(shop("apply", saved, "--yes", "--allow", "replace=3"), 5)
    run = done(shop("plan", "-f", "examples/web-db-grown.yaml", "--rebase", saved))
    assert f"differences from {saved}" in run.stdout
    assert "- cluster/shop/web.create: web-[6-8]\n  + cluster/shop/web.create: web-8\n" in run.stdout
    again = re.search(r"plan/\w+", run.stderr).group()
    assert again != saved
    run = done(shop("plan", "-f", "examples/web-db-grown.yaml", "--rebase", again))
    assert f"the effect is the same as that of {again}" in run.stdout
    done(shop("apply", again, "--yes"), 11)  # three machines get another size
    done(shop("apply", again, "--yes", "--allow", "replace=3"))
    assert groups(shop)["web"]["size"] == 9
    assert "error[R0403]" in done(shop("plan", "-f", WEB_DB, "--rebase", "plan/nope"), 4).stderr
    done(shop("plan", "-f", WEB_DB, "--rebase", "nope"), 2)
    done(shop("plan", "--offline", "-f", WEB_DB, "--rebase", again), 2)


# ---- looking back ----

def test_diff_of_two_revisions(shop):
    first = json.loads(shop("get", "cluster", "shop", "-o", "json").stdout)["metadata"]["revision"]
    done(shop("scale", "shop/web", "7", "--yes"))
    second = json.loads(shop("get", "cluster", "shop", "-o", "json").stdout)["metadata"]["revision"]
    done(shop("scale", "shop/web", "8", "--yes"))
    run = done(shop("diff", "cluster/shop", "--rev", f"{first}..{second}", "--exit-code"), 10)
    assert run.stdout == (f"--- cluster/shop (revision {first})\n+++ cluster/shop (revision {second})\n"
                          "-groups.web.size: 6\n+groups.web.size: 7\n")
    for rev in (f"{first}..", str(first)):
        assert "-groups.web.size: 6\n+groups.web.size: 8\n" in done(shop("diff", "cluster/shop", "--rev", rev)).stdout
    assert "+groups.web.size: 6\n" in done(shop("diff", "cluster/shop", "--rev", f"{second}..{first}")).stdout
    assert "-size: 6\n+size: 8\n" in done(shop("diff", "ng/shop/web", "--rev", str(first))).stdout
    for rev in ("x", "..", "..3", "3..x", "3...4", "-1", ""):
        done(shop("diff", "cluster/shop", f"--rev={rev}"), 2)


def test_get_at(shop):
    first = json.loads(shop("get", "cluster", "shop", "-o", "json").stdout)["metadata"]
    time.sleep(0.01)
    done(shop("scale", "shop/web", "7", "--yes"))
    for at in (str(first["revision"]), first["updated"]):
        run = done(shop("get", "nodegroup", "shop/web", "--at", at, "-o", "path=$.spec.size"))
        assert run.stdout == "6\n"
        assert re.search(r"shop +1 +2 +9 ", done(shop("get", "cluster", "shop", "--at", at)).stdout)
    assert "cluster/shop did not exist at" in done(shop("get", "cluster", "shop", "--at", "2h"), 4).stderr
    assert "a list shows only the current state" in done(shop("get", "clusters", "--at", "2"), 2).stderr
    assert "--at does not accept 'soon'" in done(shop("get", "cluster", "shop", "--at", "soon"), 2).stderr
