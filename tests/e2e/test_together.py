"""Several people at one object: nobody overwrites anybody, and who was too late is told what happened (UX.md 3.3)."""
import json
import re

import pytest

WEB_DB = "examples/web-db.yaml"


@pytest.fixture
def shop(managed):
    """reeve with the cluster shop."""
    assert managed("apply", "-f", WEB_DB, "--yes").returncode == 0
    return managed


def spec(run, ref):
    return json.loads(run("get", ref, "-o", "json").stdout)["spec"]


@pytest.mark.parametrize("ref,field,path", [
    ("nodegroup/shop/web", "size", "size"), ("cluster/shop", "groups.web.size", "groups.web.size")])
def test_set_reports_who_was_faster(shop, screen, at, ref, field, path):
    """Between the question and its answer somebody else changes the same field, and another one."""
    one = screen("set", ref, f"{field}=8", env=at).expect("Apply?")
    assert shop("set", "nodegroup/shop/web", "size=9", "maxSize=20", "--yes").returncode == 0
    assert one.type("yes\n").end() == 5, one.text
    assert re.search(r"error\[R0401\]: " + ref + r" was changed in the meantime by root,\s+(just now|\d+ s ago)",
                     one.text), one.text
    assert f"{path}: yours 8, theirs 9, previously 6" in one.text
    assert "maxSize: 12 -> 20" in one.text
    assert spec(shop, "nodegroup/shop/web")["size"] == 9


def test_a_group_is_not_in_the_way_of_its_neighbour(shop, screen, at):
    """If-Match of a group is the group's own: two people work in one cluster."""
    one = screen("set", "nodegroup/shop/web", "size=8", env=at).expect("Apply?")
    assert shop("set", "nodegroup/shop/db", "size=5", "--yes").returncode == 0
    assert one.type("yes\n").end() == 0, one.text
    groups = spec(shop, "cluster/shop")["groups"]
    assert (groups["web"]["size"], groups["db"]["size"]) == (8, 5)


@pytest.mark.parametrize("verb,consent", [
    (["scale", "shop/web", "+1"], "yes"), (["set", "shop/web", "labels.tier=gold"], "yes"),
    (["delete", "nodegroup/shop/web"], "destroy 6"), (["undo", "nodegroup/shop/web"], "replace 6")])
def test_every_change_of_a_group_is_pinned(shop, screen, at, verb, consent):
    assert shop("set", "nodegroup/shop/web", "image=debian-13", "--allow", "replace=6").returncode == 0
    one = screen(*verb, env=at).expect("Context")
    assert shop("set", "nodegroup/shop/web", "image=debian-14", "--allow", "replace=6").returncode == 0
    assert one.type(consent + "\n").end() == 5, one.text
    assert "nodegroup/shop/web was changed in the meantime by root" in one.text
    assert spec(shop, "nodegroup/shop/web")["image"] == "debian-14"
    assert spec(shop, "nodegroup/shop/web")["size"] == 6


def test_edit_keeps_what_was_written(shop, folder, at):
    """While the editor is open, somebody else changes the group: both values are told, the text is kept."""
    script = folder / "editor"
    script.write_text("#!/bin/sh\nsed -i s/size:.6/size:\\ 8/ \"$1\"\n"
                      "reeve set nodegroup/shop/web size=9 --yes --quiet > /dev/null\n")
    script.chmod(0o755)
    run = shop("edit", "nodegroup/shop/web", "--yes", env={"EDITOR": str(script), "TMPDIR": str(folder)})
    assert run.returncode == 5, run.stderr
    assert "size: yours 8, theirs 9, previously 6" in run.stderr
    kept = re.search(r"your text is saved in (\S+)", run.stderr).group(1)
    assert "size: 8" in open(kept, encoding="utf-8").read()
    assert spec(shop, "nodegroup/shop/web")["size"] == 9
