"""reeve repair: each node in the gentlest way that its group allows, shown and consented to before anything happens (LIFECYCLE.md section 5)."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from manager import until  # noqa: E402
from test_bootstrap import world  # noqa: E402, F401  (a fixture is found by its name)
from test_stages_fail import run  # noqa: E402

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")

PROBE = {"probe": {"tcp": 22, "every": "500ms", "fail": 2, "timeout": "2s"}, "grace": "0s"}


def cut_off(world, name, change="down"):
    """Its network goes, so its probe fails, or comes back."""
    subprocess.run(["nsenter", "-t", str(world.by_name()[name].init), "-n", "--", "ip", "link", "set", "eth0", change], check=True, timeout=20)
    until(lambda: change == "up" or "unreachable" in world.reeve("get", "nodes", "-c", "shop"), world.why, 60)


def files(world, heal, **more):
    """Two nodes whose second stage fails without a licence."""
    world.bundle("base", "echo base >>/srv/starts\n")
    world.bundle("fragile", "test -e /root/licence || { echo 'E: no licence' >&2; exit 7; }\n")
    group = {"size": 2, "image": "host", "resourcePlugin": {"name": "local"}, "heal": heal, "health": PROBE, "replaceAfter": "1h",
             "keepFailed": {"max": 2, "for": "1h"}, "bootstrap": [{"tar": "base", "idempotent": True}, {"tar": "fragile", "idempotent": True}], **more}
    (world.folder / "shop.yaml").write_text(json.dumps({"name": "shop", "version": "1", "groups": {"web": group}}))
    return run(world, "apply", "--yes", "-f", "shop.yaml", seconds=120)


def test_each_node_is_repaired_as_its_group_allows(world):
    assert "E: no licence" in files(world, "off").stderr
    done = run(world, "repair", "--state", "failed", "--dry-run")
    assert done.returncode == 0 and done.stderr.count("runs its failed stages again (stage-1 fragile: E: no licence") == 2, done.stderr
    assert run(world, "repair", "--state", "failed").returncode == 11  # no consent
    for name in ("web-0", "web-1"):
        world.on(name, "sudo", "touch", "/root/licence")
    done = run(world, "repair", "shop/web-0", "--yes", "--batch", "1", seconds=120)
    assert done.returncode == 0, (done.stderr, world.why())
    answer = world.manager.get("/v1/repairs?cluster=shop").json
    assert [(one["node"], one["by"]) for one in answer["items"]] == [("web-1", "bootstrap")], answer
    assert [(one["node"], one["why"]) for one in answer["left"]] == [("web-0", "the node is ready")], answer
    assert run(world, "repair", "-g", "shop/web", "--yes", seconds=120).returncode == 0, world.why()
    until(lambda: world.ready(2), world.why)
    done = run(world, "repair", "--all", "--yes")
    assert done.returncode == 4 and "none of these nodes can be repaired" in done.stderr, done.stderr

    # A machine that does not serve is rebooted where nothing else is allowed.
    cut_off(world, "web-0")
    done = run(world, "repair", "shop/web-0", "--yes")
    assert done.returncode == 11 and "shop/web-0" in done.stderr and ": reboots (" in done.stderr, done.stderr
    done = run(world, "repair", "shop/web-0", "--allow", "reboot=1", "--batch", "1")
    assert done.returncode == 2 and "--batch applies only to stages" in done.stderr, done.stderr
    booted = world.by_name()["web-0"].init
    done = run(world, "repair", "shop/web-0", "--allow", "reboot=1", "--detach", seconds=120)
    assert done.returncode == 0 and "changed cluster/shop" in done.stderr, (done.stderr, world.why())
    assert [one["fact"] for one in world.events("cluster.changed")][-1] == "to be rebooted: web-0"
    cut_off(world, "web-0", "up")  # so that it is reached before its reboot is late in this haste
    until(lambda: world.by_name()["web-0"].init != booted and world.ready(2), world.why, 60)


def test_a_group_that_heals_by_replacement_replaces(world):
    """Its own replacement would take an hour here."""
    files(world, "replace", bootstrap=[{"tar": "base", "idempotent": True}])
    until(lambda: world.ready(2), world.why)
    before = {name: machine.id for name, machine in world.by_name().items()}
    cut_off(world, "web-1")
    done = run(world, "repair", "--state", "unhealthy,unreachable", "--allow", "replace=1", seconds=180)
    assert done.returncode == 0 and "is replaced" in done.stderr, (done.stderr, world.why())
    until(lambda: world.ready(2) and world.by_name()["web-1"].id != before["web-1"], world.why)
    assert world.by_name()["web-0"].id == before["web-0"]
