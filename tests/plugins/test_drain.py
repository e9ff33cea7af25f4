"""Nodes are taken out of service and back by their hooks, within the policy of their group (LIFECYCLE.md section 5, I31).

Checked by what the hooks have done on the nodes, and after a restart of the manager.
"""

import json
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from manager import until  # noqa: E402
from test_bootstrap import world  # noqa: E402, F401  (a fixture is found by its name)
from test_stages_fail import run  # noqa: E402

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")

DRAIN = """echo drain {name} >>/srv/hooks
[ ! -e /srv/busy ] || {{ echo "moving pods"; echo "error: pod db-0 cannot be moved"; echo bye; exit 4; }}
"""


def files(world):
    """Two bundles with hooks, pushed and applied; one node may be out of service."""
    for name in ("base", "app"):
        folder = world.folder / "repo" / name
        folder.mkdir(parents=True)
        (folder / "bootstrap.sh").write_text(f"echo {name} >>/srv/starts\n")
        (folder / "drain.sh").write_text(DRAIN.format(name=name))
        (folder / "undrain.sh").write_text(f"echo undrain {name} >>/srv/hooks\n[ ! -e /srv/{name}.stays ] || exit 1\n")
    (world.folder / "repo/configuration.yaml").write_text(
        json.dumps({"bundles": [{"tar": "base", "idempotent": True}, {"tar": "app", "idempotent": True}]}))
    assert run(world, "config", "push", "repo", "--name", "web").returncode == 0
    group = {"size": 2, "image": "host", "resourcePlugin": {"name": "local"}, "configuration": "web"}
    (world.folder / "shop.yaml").write_text(json.dumps({"name": "shop", "version": "1", "groups": {"web": group}}))
    done = run(world, "apply", "--yes", "-f", "shop.yaml", seconds=400)
    assert done.returncode == 0, (done.stderr, world.why())


def shell(world, node, script):
    """Runs it on a node as root."""
    return world.on(node, "sudo", "sh", "-c", f"'{script}'")


def hooks(world, node):
    """What the hooks have done on a node since the last look."""
    return shell(world, node, "cat /srv/hooks 2>/dev/null; rm -f /srv/hooks").splitlines()


def facts(world, kind):
    """Nodes and facts of these events, oldest first."""
    return [(one.get("node"), one.get("fact", "")) for one in world.events(kind)]


def machines(world):
    """The counts of the cluster."""
    return world.manager.get("/v1/clusters/shop").json["status"]["machines"]


def test_a_node_leaves_service_and_returns(world):
    """Its hooks run in order, the status outlives the manager, the policy holds, and a failing hook is named."""
    files(world)
    assert run(world, "drain", "shop/web-0").returncode == 11  # no consent, and nothing was done
    assert hooks(world, "web-0") == []
    done = run(world, "drain", "shop/web-[0-1]", "--yes")
    assert done.returncode == 5 and "R0836" in done.stderr and "at most 1 may be" in done.stderr, done.stderr
    done = run(world, "drain", "shop/web-0", "--yes", "-m", "new disk")
    assert done.returncode == 0 and "verb=drain state=done" in done.stderr, (done.stderr, world.why())
    assert hooks(world, "web-0") == ["drain app", "drain base"] and hooks(world, "web-1") == []
    until(lambda: machines(world).get("maintenance") == 1, world.why)
    assert world.manager.stop() == 0
    world.manager.start()  # another manager knows it
    until(lambda: "maintenance" in world.reeve("get", "nodes", "--state", "maintenance"), world.why)
    said = world.reeve("describe", "node", "shop/web-0")
    assert "maintenance: drained by " in said and ": new disk" in said and "1970" not in said, said
    assert (machines(world)["ready"], machines(world)["maintenance"]) == (1, 1)
    assert "maintenance 1" in world.reeve("status")

    # One is out: no other may leave. Changed stages reach it at once, and the others wait for its return.
    assert run(world, "drain", "shop/web-1", "--yes").returncode == 5
    assert "the node is drained already" in run(world, "drain", "shop/web-0", "--yes").stderr
    assert "it is not drained" in run(world, "undrain", "shop/web-1").stderr
    (world.folder / "repo/app/bootstrap.sh").write_text("echo other >>/srv/starts\n")
    assert run(world, "config", "push", "repo", "--name", "web").returncode == 0
    assert run(world, "upgrade", "shop/web", "--config", "web", "--yes", "--detach").returncode == 0
    until(lambda: world.starts("web-0") == ["base", "app", "other"], world.why)
    until(lambda: "out of service: web-0; at most 1 may be" in world.reeve("rollout", "status", "shop/web"), world.why)
    assert world.starts("web-1") == ["base", "app"]

    # A hook that fails is the blocker, and the node stays in maintenance.
    shell(world, "web-0", "touch /srv/app.stays")
    done = run(world, "undrain", "shop/web-0")
    assert done.returncode == 1 and "undrain.sh ended with exit code 1" in done.stderr, done.stderr
    assert hooks(world, "web-0") == ["undrain base", "undrain app"]
    assert "blocker" in world.reeve("describe", "node", "shop/web-0")
    shell(world, "web-0", "rm /srv/app.stays")
    assert run(world, "undrain", "shop/web-0").returncode == 0, world.why()
    until(lambda: world.ready(2) and world.starts("web-1") == ["base", "app", "other"], world.why)
    shell(world, "web-1", "touch /srv/busy")
    done = run(world, "drain", "shop/web-1", "--yes")
    assert done.returncode == 1 and "stage-1: drain.sh ended with exit code 4: error: pod db-0 cannot be moved" in done.stderr, done.stderr
    assert hooks(world, "web-1") == ["drain app"]
    until(lambda: machines(world).get("maintenance") == 1, world.why)
    assert run(world, "undrain", "shop/web-1").returncode == 0, world.why()
    assert [fact for node, fact in facts(world, "node.moved")][0].endswith(": new disk")
    # A node's second event is written after its state, and so after the end of the job.
    until(lambda: [node for node, _ in facts(world, "node.moved")] == ["web-0", "web-0", "web-1", "web-1"], world.why)
    assert len(facts(world, "node.drained")) == 1 and len(facts(world, "node.undrained")) == 2
    assert [node for node, _ in facts(world, "node.drain_blocked")] == ["web-0", "web-1"]
    assert world.starts("web-0") == ["base", "app", "other"]


def test_the_last_node_with_a_needed_role_stays_in_service(world):
    """A drain of it is refused, unless those that need the role leave in the same request; what changes after the request makes it wait (C12)."""
    world.bundle("base", "true\n")
    box = {"image": "host", "resourcePlugin": {"name": "local"}, "bootstrap": [{"tar": "base"}], "rollout": {"unavailable": 2}}
    (world.folder / "shop.yaml").write_text(json.dumps({"name": "shop", "version": "1", "groups": {
        "masters": {**box, "size": 2, "roles": ["service-master"]}, "web": {**box, "size": 1, "roles": ["service-worker"]}}}))
    assert run(world, "apply", "--yes", "-f", "shop.yaml", seconds=400).returncode == 0, world.why()
    done = run(world, "drain", "shop/masters-[0-1]", "--yes")
    assert done.returncode == 5 and "R0824" in done.stderr and "masters-0, masters-1" in done.stderr, done.stderr
    assert "drain the nodes that need the role in the same request" in done.stderr, done.stderr
    assert machines(world).get("maintenance", 0) == 0

    # both requests are accepted while both nodes serve, and nothing may begin yet
    assert run(world, "pause", "shop/masters", "-m", "test").returncode == 0
    jobs = [world.manager.ask("POST", "/v1/clusters/shop/jobs", {"verb": "drain", "nodes": name}).json["job"] for name in ("masters-0", "masters-1")]
    assert run(world, "resume", "shop/masters").returncode == 0
    until(lambda: "last node in service with the role 'service-master'" in "".join(world.manager.get(f"/v1/jobs/{job}").text for job in jobs),
          world.why, 30)
    until(lambda: machines(world).get("maintenance") == 1, world.why, 30)
    assert run(world, "drain", "shop/web-0", "--yes").returncode == 0, world.why()
    until(lambda: machines(world).get("maintenance") == 3 and len(facts(world, "node.drained")) == 3, world.why, 30)
    until(lambda: all(world.manager.get(f"/v1/jobs/{job}").json["items"][0]["status"]["state"] == "done" for job in jobs), world.why, 30)
    assert run(world, "undrain", "-c", "shop", "--all").returncode == 0, world.why()
    assert run(world, "drain", "shop/masters-[0-1]", "shop/web-0", "--yes").returncode == 0, world.why()
