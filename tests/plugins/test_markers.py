"""Nodes that another tool has bootstrapped are taken over: what it has run counts where the file says so (E19; decision 0053)."""

import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from manager import until  # noqa: E402
from test_bootstrap import BASE, world  # noqa: E402, F401  (a fixture is found by its name)
from test_stages_fail import run, write  # noqa: E402

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")
NODES = {"web-0": "root", "web-1": "home/admin"}


def mark(world, stage):
    """What the tool before reeve has left on both."""
    for name, home in NODES.items():
        folder = pathlib.Path(f"/proc/{world.by_name()[name].init}/root") / home / stage
        folder.mkdir(parents=True)
        (folder / "stage-complete").touch()


def bootstrapped(world, count):
    """Until so many of them were."""
    until(lambda: len(world.events("node.bootstrapped")) == count, world.why, 60)


def marked(world):
    """Two nodes that another tool has begun to set up, and two bundles for them."""
    world.bundle("base", BASE), world.bundle("last", 'echo "last $*" >>/srv/starts\n')
    write(world, 2)
    world.reeve("apply", "--yes", "--detach", "-f", "shop.yaml")
    world.wait_ready(2)
    mark(world, "stage-0")


def test_nodes_of_another_tool_are_taken_over(world):
    """Its stage is not run where it was, the one behind it is; whoever comes later runs both; and a word runs it, when it was agreed to."""
    marked(world)
    write(world, 2, {"tar": "base", "trustMarkers": True}, "last")
    world.reeve("apply", "--yes", "--detach", "-f", "shop.yaml")
    bootstrapped(world, 2)
    assert {name: world.starts(name) for name in NODES} == dict.fromkeys(NODES, ["last "])
    told = {one["node"]: one["fact"] for one in world.events("node.stage_trusted")}
    assert told == {name: f"stage-0 base: counts as complete because of the empty file /{home}/stage-0/stage-complete"
                    for name, home in NODES.items()}

    write(world, 3, {"tar": "base", "trustMarkers": True}, "last")
    world.reeve("apply", "--yes", "--detach", "-f", "shop.yaml")
    bootstrapped(world, 3)
    assert world.starts("web-2") == ["base ", "last "]
    world.look_again()

    asked = run(world, "bootstrap", "run", "shop/web-0", "--rerun")
    assert asked.returncode == 11 and "stage-0 base" in asked.stderr, asked.stderr
    world.reeve("bootstrap", "run", "shop/web-0", "--rerun", "--yes", "--detach")
    bootstrapped(world, 4)
    assert world.starts("web-0") == ["last ", "base ", "last "]
    assert world.starts("web-1") == ["last "]

    write(world, 3, {"tar": "base", "trustMarkers": True}, {"tar": "last", "args": ["more"]})
    world.reeve("apply", "--yes", "--allow", "rerun=3", "--detach", "-f", "shop.yaml")
    bootstrapped(world, 7)
    assert world.starts("web-1") == ["last ", "last more"]
    assert len(world.events("node.stage_trusted")) == 2  # people hear of it once


def test_markers_of_another_tool_count_for_nothing_unasked(world):
    """Both stages run."""
    marked(world)
    write(world, 2, "base", "last")
    world.reeve("apply", "--yes", "--detach", "-f", "shop.yaml")
    bootstrapped(world, 2)
    assert {name: world.starts(name) for name in NODES} == dict.fromkeys(NODES, ["base ", "last "])
    assert not world.events("node.stage_trusted")
