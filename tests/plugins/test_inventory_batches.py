"""Commission and decommission of several machines in batches (C22; UX.md 3.3, decision 0166)."""

import json
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from manager import until  # noqa: E402
from pylib.metal import asked, inside, machines, reeve, refused, rows, why  # noqa: E402
from test_bootstrap import world  # noqa: E402, F401  (a fixture is found by its name)

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")

# A stage that waits for a file of the test before it continues, and fails if the file says so.
GATED = """echo "gated $(hostname)" >>/root/starts
until test -e /root/go; do sleep 0.1; done
test ! -e /root/bad
"""


def boxes(world, count):
    """Discovered machines and a group for them, of size 0, whose stage waits."""
    ids = machines(world, count)
    world.bundle("gated", GATED)
    (world.folder / "dc.yaml").write_text(json.dumps({"name": "dc", "version": "1", "groups": {"box": {
        "size": 0, "resourcePlugin": {"name": "inventory"}, "bootstrap": [{"tar": "gated"}]}}}))
    reeve(world, "apply", "--yes", "-f", "dc.yaml")
    return ids


def begun(world):
    """The machines on which the stage has begun."""
    return sorted(name for name in world.by_name() if (inside(world, name) / "root/starts").exists())


def let(world, *names, file="go"):
    """Let the stage of these machines go on."""
    for name in names:
        (inside(world, name) / "root" / file).write_text("")


def batch_job(world, verb):
    """The newest job of this verb."""
    return next((one["status"] for one in reversed(asked(world, "GET", "/v1/jobs?cluster=dc").json["items"])
                 if one["status"].get("verb") == verb), None)


def test_machines_are_commissioned_in_batches(world):
    """Every machine shows its new status at once; stages begin batch by batch, the canary first, also after a restart of the manager."""
    ids = boxes(world, 3)
    told = reeve(world, "commission", *ids.values(), "-g", "dc/box", "--canary", "1", "--batch", "2", "--yes", "--detach")
    assert "1 canary" in told and "2 at a time" in told, told
    assert asked(world, "GET", "/v1/nodegroups/dc/box").json["spec"]["size"] == 3
    until(lambda: len(begun(world)) == 1, lambda: why(world), 60)
    [first] = begun(world)
    job = until(lambda: batch_job(world, "commission"), lambda: why(world), 60)
    assert (job["machines"]["wanted"], job["machines"]["waiting"], job["batch"]["count"]) == (3, 2, 2), job
    assert {one["claim"]["group"] for one in rows(world).values()} == {"box"}
    told = reeve(world, "why", "dc/box-2")
    assert f"job/{job['revision']}" in told and "batch" in told, told

    assert world.manager.stop() == 0
    world.manager.start()
    for _ in range(3):
        assert asked(world, "POST", "/v1/clusters/dc/pass").status == 200
    assert begun(world) == [first], why(world)
    let(world, first)
    until(lambda: len(begun(world)) == 3, lambda: why(world), 60)
    let(world, *world.by_name())
    until(lambda: (batch_job(world, "commission") or {}).get("state") == "done", lambda: why(world), 60)
    until(lambda: asked(world, "GET", "/v1/clusters/dc").json["status"]["machines"]["ready"] == 3, lambda: why(world), 60)
    told = reeve(world, "job", "watch", str(job["revision"]))
    assert "verb=commission state=done batch=2/2 ready=3" in told, told


def test_a_failed_canary_returns_all_machines(world):
    """No other machine runs a stage. All are unallocated again with the reason, the size is what it was, and retry takes them again."""
    ids = boxes(world, 2)
    let(world, *world.by_name())
    let(world, *world.by_name(), file="bad")
    told = refused(world, "commission", *ids.values(), "-g", "dc/box", "--canary", "1", "--yes")
    assert "R0830" in told and "size of box 0" in told, told + why(world)
    assert len(begun(world)) == 1, why(world)
    job = batch_job(world, "commission")
    assert (job["state"], job["cut"]) == ("stopped", "canary"), job
    until(lambda: not [one for one in rows(world).values() if "claim" in one], lambda: why(world), 60)
    reasons = sorted(next(one["reason"] for one in row["conditions"] if one["type"] == "failed") for row in rows(world).values())
    assert f"job/{job['revision']} has stopped" in reasons[0] and "gated" in reasons[1], reasons
    number = told.split("reeve job retry ")[1].split()[0]
    for name in world.by_name():
        (inside(world, name) / "root/bad").unlink()
    reeve(world, "job", "retry", number, "--failed", "--yes")
    assert asked(world, "GET", "/v1/nodegroups/dc/box").json["spec"]["size"] == 2


def members(world, count):
    """Members of the group, whose cleanup waits until the test lets it go on. Returns the container of each."""
    ids = machines(world, count)
    world.bundle("gated", ":\n")
    (world.folder / "gated/cleanup.sh").write_text("until test -e /root/leave; do sleep 0.1; done\ntest ! -e /root/bad\n")
    (world.folder / "dc.yaml").write_text(json.dumps({"name": "dc", "version": "1", "groups": {"box": {
        "size": 0, "resourcePlugin": {"name": "inventory"}, "bootstrap": [{"tar": "gated"}]}}}))
    reeve(world, "apply", "--yes", "-f", "dc.yaml")
    reeve(world, "commission", *ids.values(), "-g", "dc/box", "--yes")
    names = {one.address: name for name, one in world.by_name().items()}
    return {row["claim"]["name"]: names[address] for address, row in rows(world).items()}


def size(world):
    return asked(world, "GET", "/v1/nodegroups/dc/box").json["spec"]["size"]


def test_machines_are_decommissioned_in_batches(world):
    """A machine of a later batch serves until its batch begins, also if the manager is restarted meanwhile."""
    boxes = members(world, 3)
    everyone = ("dc/box-0", "dc/box-1", "dc/box-2")
    assert "destroy=3" in refused(world, "decommission", *everyone, "--batch", "1", code=11)
    assert size(world) == 3
    told = reeve(world, "decommission", *everyone, "--batch", "1", "--allow", "destroy=3", "--detach")
    assert "batch 1 of 3: dc/box-0" in told and "batch 3 of 3: dc/box-2" in told, told
    until(lambda: size(world) == 2, lambda: why(world), 60)
    until(lambda: "node.releasing" in asked(world, "GET", "/v1/events?limit=500").text, lambda: why(world), 60)
    job = batch_job(world, "decommission")
    assert (job["machines"]["staging"], job["machines"]["waiting"]) == (1, 2), job
    assert world.manager.stop() == 0
    world.manager.start()
    for _ in range(3):
        assert asked(world, "POST", "/v1/clusters/dc/pass").status == 200
    assert size(world) == 2, why(world)
    let(world, boxes["box-0"], file="leave")
    until(lambda: size(world) == 1, lambda: why(world), 60)
    let(world, *world.by_name(), file="leave")
    until(lambda: batch_job(world, "decommission")["state"] == "done", lambda: why(world), 60)
    assert size(world) == 0 and {one["status"] for one in rows(world).values()} == {"decommissioned"}, rows(world)
    assert "3 of 3" in reeve(world, "events", "--since", "1h", "cluster/dc"), why(world)


def test_a_failed_cleanup_stops_a_decommission_and_a_protected_group_keeps_its_machines(world):
    """Machines whose batch has not begun stay members; those that may not leave are named with the reason."""
    boxes = members(world, 3)
    let(world, *world.by_name(), file="leave")
    let(world, boxes["box-0"], file="bad")
    told = refused(world, "decommission", "dc/box-0", "dc/box-1", "--canary", "1", "--allow", "destroy=2", code=1)
    assert "machines were not started: box-1" in told or "not started: box-1" in told, told
    job = batch_job(world, "decommission")
    assert (job["state"], job["cut"], job["skippedNodes"]) == ("stopped", "canary", "box-1"), (told, job)
    assert size(world) == 2, why(world)
    until(lambda: [one for one in rows(world).values() if "cleanupPending" in one], lambda: why(world), 60)

    reeve(world, "set", "nodegroup/dc/box", "protected=true", "--yes")
    answer = asked(world, "POST", "/v1/clusters/dc/jobs", {"verb": "decommission", "nodes": "box-1,box-2"})
    assert (answer.status, answer.json["code"]) == (409, "R0405"), answer.json
    answer = asked(world, "POST", "/v1/clusters/dc/jobs",
                   {"verb": "decommission", "nodes": "box-1,box-2", "batch": "2", "allow": {"destroy": 2}})
    assert answer.status == 200, answer.json
    job = until(lambda: next((one["status"] for one in asked(world, "GET", f"/v1/jobs/{answer.json['job']}").json.get("items", [])
                              if one["status"]["state"] == "stopped"), None), lambda: why(world), 60)
    assert [(one["name"], "protected" in one["text"]) for one in job["problems"]] == [("box-1", True), ("box-2", True)], job
    assert size(world) == 2 and "node.decommission_refused" in asked(world, "GET", "/v1/events?limit=500").text
