"""The example bundles do what they say, on real containers: etcd as members join and are lost, ansible on its own node (C39)."""

import os
import pathlib
import shutil
import signal
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from manager import until  # noqa: E402
from test_bootstrap import World, world  # noqa: E402, F401  (a fixture is found by its name)

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")


class Example:
    """One of the files, applied."""

    def __init__(self, world, name, cluster):
        self.world, self.cluster = world, cluster
        shutil.copytree(ROOT / "examples/bundles", world.folder / "bundles")
        shutil.copy(ROOT / "examples" / name, world.folder)
        world.reeve("apply", "--yes", "--detach", "-f", name)

    def ready(self):
        """Do all serve, and no other?"""
        status = self.world.manager.get(f"/v1/clusters/{self.cluster}").json.get("status", {}).get("machines", {})
        return (len(self.world.by_name()) == status.get("ready") == status.get("wanted")
                and status.get("leaving") == 0)

    def wait_ready(self, seconds=120):
        """Until they do."""
        until(self.ready, self.why, seconds)

    def why(self):
        """What there is to read when something does not come."""
        items = self.world.manager.get(f"/v1/events?cluster={self.cluster}&limit=500").json["items"]
        events = "\n".join(f"{one['type']} {one.get('node', '')} {one.get('fact', '')}" for one in items)
        logs = "".join(self.world.reeve("logs", f"{self.cluster}/{node}") for node in self.world.by_name())
        return f"{self.world.by_name()}\n{events}\n{logs}\n{self.world.manager.log.read_text()[-4000:]}"

    def on(self, node, *command):
        """A command on a node."""
        return self.world.reeve("ssh", f"{self.cluster}/{node}", "--", *command)


def healthy(example, asked):
    """How many members one of them says are healthy."""
    rows = example.on(asked, "etcdctl endpoint health --cluster 2>&1 || true").splitlines()
    return sum("is healthy" in row for row in rows)


def test_etcd_of_three_loses_one_and_gets_it_back(world):  # noqa: F811
    example = Example(world, "etcd.yaml", "keys")
    example.wait_ready()
    names = sorted(world.by_name())
    assert len(names) == 3
    until(lambda: [healthy(example, name) for name in names] == [3, 3, 3], example.why)  # one who is held up answers late
    example.on(names[0], "etcdctl", "put", "kept", "throughout")

    lost = world.by_name()[names[1]]
    os.kill(lost.init, signal.SIGKILL)
    until(lambda: names[1] in world.by_name() and world.by_name()[names[1]].id != lost.id, example.why, 60)
    example.wait_ready()
    assert sorted(world.by_name()) == names
    until(lambda: [healthy(example, name) for name in names] == [3, 3, 3], example.why)
    assert example.on(names[1], "etcdctl", "get", "--print-value-only", "kept").strip() == "throughout"
    assert len(example.on(names[0], "etcdctl", "member", "list").splitlines()) == 3


def test_ansible_runs_on_its_own_node(world):  # noqa: F811
    example = Example(world, "ansible.yaml", "plays")
    example.wait_ready()
    members = sorted((name, one.address) for name, one in world.by_name().items())
    for name, _ in members:
        lines = example.on(name, "cat", "/etc/motd").splitlines()
        assert lines == ["One of 2 members:", *(f"{each} {address}" for each, address in members)]
        assert example.on(name, "stat", "-c", "%a", "/srv/data").strip() == "750"
    assert "ok=2 " in world.reeve("logs", f"plays/{members[0][0]}")
