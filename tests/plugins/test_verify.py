"""A node is compared with the baseline that was taken after its stages; drift is shown and corrected within the rollout (C8, C9, C19, C23, N8).

Checked by what the nodes have run and what is on them.
"""

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

NAMES = ["web-0", "web-1"]
APP = """echo app >>/srv/starts
mkdir -p /srv/web
echo "port 80" >/srv/web/app.conf
chmod 644 /srv/web/app.conf
"""
HOOK = """[ -e /srv/broken ] || exit 0
echo "/srv/broken: state"
exit 1
"""
BOOT = "read -r id </proc/sys/kernel/random/boot_id; cut -d' ' -f22 </proc/1/stat"


def files(world, **more):
    """The repository and the file of the cluster, pushed and applied."""
    repo = world.folder / "repo"
    for name, script in (("base", "echo base >>/srv/starts\n"), ("app", APP)):
        (repo / name).mkdir(parents=True, exist_ok=True)
        (repo / name / "bootstrap.sh").write_text(script)
    (repo / "app/verify.sh").write_text(HOOK)
    (repo / "configuration.yaml").write_text(json.dumps(
        {"bundles": [{"tar": "base", "idempotent": True}, {"tar": "app", "idempotent": True}], "files": ["/srv/web"]}))
    assert run(world, "config", "push", str(repo), "--name", "web").returncode == 0
    group = {"size": 2, "image": "host", "resourcePlugin": {"name": "local"}, "configuration": "web", **more}
    (world.folder / "shop.yaml").write_text(json.dumps({"name": "shop", "version": "1", "groups": {"web": group}}))
    done = run(world, "apply", "--yes", "-f", "shop.yaml", seconds=400)
    assert done.returncode == 0, (done.stderr, world.why())


def shell(world, node, script):
    """Runs it on a node as root."""
    return world.on(node, "sudo", "sh", "-c", f"'{script}'")


def verify(world, *words, code=0):
    """The verdicts by node, with the files."""
    done = run(world, "verify", *words, "-o", "json", seconds=120)
    assert done.returncode == code, (done.stdout, done.stderr, world.why())
    rows = json.loads(done.stdout)
    return {row["node"]: (row["verdict"], *row.get("files", [])) for row in rows}


def facts(world, kind):
    """Nodes and facts of these events, oldest first."""
    return [(one.get("node"), one.get("fact", "")) for one in world.events(kind)]


def test_drift_is_found_and_corrected(world):
    """By command: verdicts, exit codes, what is shown; then the correction, and one that does not help."""
    files(world)
    assert verify(world, "--all") == {"shop/web-0": ("same",), "shop/web-1": ("same",)}

    shell(world, "web-1", "echo port 81 >/srv/web/app.conf; touch /srv/web/new")
    drift = ("drifted", "/srv/web/app.conf: content", "/srv/web/new: added")
    assert verify(world, "-g", "shop/web", "--exit-code", code=10) == {"shop/web-0": ("same",), "shop/web-1": drift}
    assert ("web-1", "drifted: /srv/web/app.conf: content and 1 more") in facts(world, "node.verified")
    until(lambda: "drifted" in world.reeve("get", "nodes", "--state", "drifted"), world.why)
    said = world.reeve("describe", "node", "shop/web-1")
    assert "drifted" in said and "/srv/web/app.conf: content" in said and "1970" not in said and "reeve verify --fix corrects the node" in said, said
    status = world.manager.get("/v1/clusters/shop").json["status"]["machines"]
    assert (status["ready"], status["drifted"]) == (2, 1)  # it is in service
    assert run(world, "verify", "shop/web-1", "--deep").returncode == 7

    # An operator's verification corrects nothing by itself.
    assert len(world.starts("web-1")) == 2
    assert verify(world, "shop/web-1", "--fix", "--yes", code=1) == {"shop/web-1": ("drifted", "/srv/web/new: added")}
    assert world.starts("web-1") == ["base", "app"] * 2 and len(world.starts("web-0")) == 2
    shell(world, "web-1", "rm /srv/web/new; echo port 82 >/srv/web/app.conf")
    assert verify(world, "--all", "--fix", "--yes") == {"shop/web-1": ("same",)}
    until(lambda: facts(world, "node.corrected") == [("web-1", "")], world.why)
    assert world.peek(world.by_name()["web-1"], "srv/web/app.conf") == "port 80\n"

    # The hook, and files that reeve has written itself.
    shell(world, "web-0", "touch /srv/broken")
    assert verify(world, "shop/web-0") == {"shop/web-0": ("same",)}
    assert verify(world, "shop/web-0", "--level", "hook") == {"shop/web-0": ("drifted", "/srv/broken: state")}
    shell(world, "web-0", "rm /srv/broken; chmod 600 /etc/cluster_facts.json; echo >>/etc/ssh/sshd_config.d/00-reeve.conf")
    assert verify(world, "shop/web-0") == {
        "shop/web-0": ("drifted", "/etc/cluster_facts.json: mode", "/etc/ssh/sshd_config.d/00-reeve.conf: content")}
    assert verify(world, "shop/web-0", "--fix", "--yes") == {"shop/web-0": ("same",)}
    # What reeve distributes anew is no drift.
    assert run(world, "scale", "shop/web", "3", "--yes", seconds=400).returncode == 0, world.why()
    assert set(verify(world, "--all").values()) == {("same",)}


def cut_off(world, node, state):
    """The link of a node goes down, or up again."""
    subprocess.run(["nsenter", "-t", str(world.by_name()[node].init), "-n", "ip", "link", "set", "eth0", state], check=True, timeout=90)


def test_a_node_that_returns_is_verified_and_corrected(world):
    """With the same boot, and with another one; by an interval; not where a stage may not run twice."""
    files(world)
    shell(world, "web-1", "echo port 81 >/srv/web/app.conf")
    cut_off(world, "web-1", "down")
    until(lambda: world.manager.get("/v1/clusters/shop").json["status"]["machines"]["unreachable"] == 1, world.why)
    assert world.manager.stop() == 0
    world.manager.start()  # another manager knows that it was away
    cut_off(world, "web-1", "up")
    until(lambda: facts(world, "node.corrected"), world.why)
    assert facts(world, "node.returned") == [("web-1", "boot: same")]
    assert [fact for _, fact in facts(world, "node.verified")] == ["drifted: /srv/web/app.conf: content", "same"]
    assert (world.starts("web-1"), world.starts("web-0")) == (["base", "app"] * 2, ["base", "app"])
    until(lambda: world.ready(2), world.why)

    # A boot by itself runs no stage.
    assert run(world, "reboot", "shop/web-0", "--yes", "--allow", "reboot=1").returncode == 0, world.why()
    until(lambda: len(facts(world, "node.returned")) == 2 and len(facts(world, "node.verified")) == 3, world.why)
    assert facts(world, "node.returned")[1] == ("web-0", "boot: other") and facts(world, "node.verified")[2] == ("web-0", "same")
    assert world.starts("web-0") == ["base", "app"]

    # By time, without correction.
    assert run(world, "set", "shop/web", "verify={every: 1s, correct: false}", "--yes").returncode == 0, world.why()
    shell(world, "web-0", "touch /srv/web/b")
    until(lambda: facts(world, "node.verified")[-1] == ("web-0", "drifted: /srv/web/b: added"), world.why)
    assert run(world, "set", "shop/web", "verify.correct=true", "--yes").returncode == 0, world.why()
    # A correction that does not help is not repeated.
    until(lambda: "did not remove the drift" in world.reeve("describe", "node", "shop/web-0"), world.why)
    seen = len(world.starts("web-0"))
    assert seen == 4
    verified = world.manager.get("/v1/nodes?cluster=shop").json
    until(lambda: world.manager.get("/v1/nodes?cluster=shop").json != verified, world.why)
    assert len(world.starts("web-0")) == seen


def test_members_that_leave_clean_up(world):
    """Only where the group says so, for machines that are destroyed; a hook that fails is reported and keeps nothing."""
    for name, hook in (("base", "exit 3\n"), ("app", "true\n")):
        (world.folder / "repo" / name).mkdir(parents=True)
        (world.folder / "repo" / name / "cleanup.sh").write_text(hook)
    files(world, decommission={"cleanup": "always", "cleanupTimeout": "20s"})
    assert run(world, "scale", "shop/web", "1", "--yes", "--allow", "destroy=1", seconds=120).returncode == 0, world.why()
    assert facts(world, "node.cleanup_failed") == [("web-1", "stage-0: cleanup.sh ended with exit code 3 (R0831)")]
    assert run(world, "set", "shop/web", "decommission.cleanup=retained", "--yes").returncode == 0
    assert run(world, "delete", "shop", "--yes", "--allow", "destroy=1", seconds=120).returncode == 0, world.why()
