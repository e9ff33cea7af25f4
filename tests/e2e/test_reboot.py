"""reeve reboot: nodes are rebooted one after the other, and it is proven that they were (issue 24 D2). Real sshd, whose start is the boot."""

import contextlib
import json
import os
import subprocess
import threading
import time

import pytest

from conftest import REEVE
from manager import Manager, until
from pylib.node import USER, Node
from pylib.ports import free_port

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="nodes are namespaces that root makes")

NETWORK = "127.0.37"
SIZE = 3
# In place of the system's: the test restarts the node when it was called.
REBOOT = "#!/bin/sh\necho down >>/root/reboots\n"


class World:
    """A manager, three nodes that boot again on request, and a cluster of the plugin `file`."""

    def __init__(self, folder, stack):
        self.folder, self.stays_down, self.is_over = folder, set(), False
        self.manager = stack.enter_context(Manager(folder, "--haste", "50", control=True).start())
        port = free_port()
        self.nodes = {f"web-{number}": Node(folder / f"node-{number}", f"web-{number}", address=f"{NETWORK}.{number + 1}", port=port)
                      for number in range(SIZE)}
        (folder / "base").mkdir()
        (folder / "base/bootstrap.sh").write_text("echo ran >>/root/runs\n")
        self.groups = {"web": {"size": SIZE, "resourcePlugin": {"name": "static"}, "bootstrap": [{"tar": "base", "idempotent": True}],
                               "heal": "off", "health": {"probe": {"ssh": True, "every": "500ms", "fail": 2}, "grace": "0s"},
                               "resourceProperties": {"addresses": [node.address for node in self.nodes.values()], "port": port, "user": USER,
                                                      "hostKeys": {node.address: node.host_key for node in self.nodes.values()}}}}
        (folder / "shop.yaml").write_text(json.dumps({"name": "shop", "version": "1", "groups": self.groups}))
        self.reeve("apply", "--yes", "--detach", "-f", "shop.yaml")
        until(lambda: self.manager.get("/v1/clusters/shop").json.get("status", {}).get("ssh"), self.manager.log.read_text)
        line = self.manager.get("/v1/clusters/shop").json["status"]["ssh"]
        for node in self.nodes.values():
            with (node.folder / f"home/{USER}/.ssh/authorized_keys").open("a") as out:
                out.write(line.strip() + "\n")
            stack.callback(node.kill)
            self.boot(node)
        self.watcher = threading.Thread(target=self.watch, daemon=True)
        self.watcher.start()
        self.manager.apply({"name": "paper", "version": "1", "groups": {"db": {"size": 2, "resourcePlugin": {"name": "file"}}}})
        until(lambda: self.ready("shop") == SIZE and self.ready("paper") == 2, self.manager.log.read_text)

    def end(self):
        """Nobody restarts nodes any more."""
        self.is_over = True
        self.watcher.join(60)

    @staticmethod
    def boot(node):
        """It starts, with a command that reboots it."""
        node.start()
        node.put_before("reboot", REBOOT)

    def watch(self):
        """Restart a node when its reboot command was called."""
        done = dict.fromkeys(self.nodes, 0)
        while not self.is_over:
            for name, node in self.nodes.items():
                asked = self.reboots(name)
                if asked > done[name]:
                    done[name] = asked
                    node.kill()
                    if name not in self.stays_down:
                        self.boot(node)
            time.sleep(0.05)

    def records(self, cluster):
        """Member by member how it stands."""
        return {one["status"]["name"]: one["status"] for one in self.manager.get(f"/v1/resources?cluster={cluster}").json["items"]}

    def job(self, cluster):
        """The newest one."""
        return max(self.manager.get(f"/v1/jobs?cluster={cluster}").json["items"], key=lambda one: one["status"]["revision"])["status"]

    def reboots(self, name):
        """How often it was told to reboot."""
        return len(self.nodes[name].read("root/reboots").splitlines())

    def reeve(self, *words, code=0):
        """The command line; code None: whatever it ends with."""
        run = subprocess.run([str(REEVE), *words], capture_output=True, text=True, check=False, timeout=240, stdin=subprocess.DEVNULL,
                             cwd=self.folder, env={**os.environ, "REEVE_URL": f"unix:{self.manager.socket}", "HOME": str(self.folder)})
        assert code is None or run.returncode == code, run.stdout + run.stderr
        return run.stdout + run.stderr

    def ready(self, cluster):
        """How many of its machines are."""
        return self.manager.get(f"/v1/clusters/{cluster}").json.get("status", {}).get("machines", {}).get("ready")

    def events(self, cluster, *types):
        """(type, node, fact) of what happened, oldest first."""
        return [(one["type"], one.get("node"), one.get("fact")) for one in self.manager.get(f"/v1/events?cluster={cluster}&limit=1000").json["items"]
                if one["type"] in types]


@pytest.fixture(scope="module", name="world")
def rebooting_world(tmp_path_factory):
    """All nodes are ready when it is there."""
    with contextlib.ExitStack() as stack:
        one = World(tmp_path_factory.mktemp("reboot"), stack)
        stack.callback(one.end)
        yield one


def test_nodes_are_rebooted_one_after_the_other(world):
    shown = world.reeve("reboot", "shop/web-[0-1]", "--dry-run")
    assert "! web  size 3  reboot 2: web-[0-1]" in shown and "reboot 2, change 0" in shown, shown
    said = world.reeve("reboot", "shop/web-[0-1]", "--yes", code=11)
    assert "R0024" in said and "--allow reboot=2" in said and world.reboots("web-0") == 0
    before = {name: node.read("root/runs") for name, node in world.nodes.items()}
    said = world.reeve("reboot", "shop/web-[0-1]", "--allow", "reboot=2", "-m", "a new kernel")
    assert "state=done" in said, said
    assert {name: world.reboots(name) for name in world.nodes} == {"web-0": 1, "web-1": 1, "web-2": 0}
    steps = world.events("shop", "machine.rebooting", "machine.rebooted", "machine.unreachable", "machine.reboot_failed", "machine.ready")
    steps = steps[[one[0] for one in steps].index("machine.rebooting"):]
    assert [one[:2] for one in steps] == [(f"machine.{step}", name) for name in ("web-0", "web-1") for step in ("rebooting", "rebooted", "ready")], steps
    assert all(fact.startswith("reboot, requested by ") for step, _, fact in steps if step != "machine.ready"), steps
    assert before == {name: node.read("root/runs") for name, node in world.nodes.items()}, "a boot runs no stage"
    assert world.ready("shop") == SIZE


def test_what_cannot_be_rebooted_is_refused_with_the_reason(world):
    said = world.reeve("reboot", "shop/web-9", code=4)
    assert "there is no machine 'web-9' in shop" in said and "reeve get nodes -c shop" in said
    answer = world.manager.patch("/v1/nodegroups/shop/web?reboot=web-0&allow=reboot:1", {"size": 5})
    assert answer.status == 409 and answer.code == "R0821" and "changes nothing else" in answer.text
    answer = world.manager.patch("/v1/nodegroups/shop/web?reboot=web-7&allow=reboot:1", {})
    assert answer.status == 409 and answer.code == "R0821" and "the group has no such machine" in answer.text
    for verb, code in (("reboot", "R0821"), ("replace", "R0820")):
        answer = world.manager.patch(f"/v1/nodegroups/shop/web?{verb}=,", {})
        assert answer.status == 409 and answer.code == code and f"no machine to be {verb}" in answer.text, answer.text
    answer = world.manager.patch("/v1/nodegroups/shop/web?reboot=web-0", {})
    assert answer.status == 409 and answer.code == "R0405" and answer.json["plan"]["needs"]["reboot"] == 1, answer.text


def test_the_plugin_reboots_what_nobody_logs_in_to(world):
    said = world.reeve("reboot", "paper/db-[0-1]", "--allow", "reboot=2")
    assert "state=done" in said, said
    steps = world.events("paper", "machine.rebooting", "machine.rebooted")
    assert [one[:2] for one in steps] == [("machine.rebooting", "db-0"), ("machine.rebooted", "db-0"),
                                          ("machine.rebooting", "db-1"), ("machine.rebooted", "db-1")], steps


def test_reboots_that_have_not_begun_wait_for_a_pause_and_are_dropped_by_a_cancel(world):
    world.reeve("rollout", "pause", "shop/web")
    said = world.reeve("reboot", "shop/web-0", "shop/web-2", "--allow", "reboot=2", "--detach")
    number = said.split("job/")[1].split()[0].rstrip(";:,.")
    until(lambda: "2 machines to be rebooted" in world.reeve("get", "holds", "-c", "shop"), world.manager.log.read_text)
    again = world.reeve("reboot", "shop/web-0", "--allow", "reboot=1", code=5)
    assert "R0821" in again and "was requested already" in again
    assert "2 to be rebooted" in world.reeve("get", "jobs", "-o", "wide") + world.reeve("rollout", "status", "shop/web")
    said = world.reeve("job", "cancel", number)
    assert "2 reboots dropped" in said and "paused" not in said, said
    world.reeve("rollout", "resume", "shop/web")
    until(lambda: world.job("shop")["state"] == "done" and not world.manager.get("/v1/holds?cluster=shop").json["items"], lambda: str(world.job("shop")))
    assert {name: world.reboots(name) for name in world.nodes} == {"web-0": 1, "web-1": 1, "web-2": 0}


def test_a_manager_that_is_killed_loses_no_reboot_and_does_none_twice(world):
    before = {name: world.reboots(name) for name in world.nodes}
    world.reeve("reboot", "shop/web-[0-2]", "--allow", "reboot=3", "--detach")
    for kills in range(6):
        time.sleep(0.3 * kills)
        world.manager.kill()
        world.manager.start()
    until(lambda: world.job("shop")["state"] == "done" and world.ready("shop") == SIZE, world.manager.log.read_text, 120)
    assert {name: world.reboots(name) - before[name] for name in world.nodes} == {"web-0": 1, "web-1": 1, "web-2": 1}


def test_a_node_that_does_not_come_back_says_so_and_stops_the_others(world):
    world.stays_down.add("web-0")
    world.reeve("reboot", "shop/web-[0-1]", "--allow", "reboot=2", "--detach")
    until(lambda: world.records("shop")["web-0"].get("problem", {}).get("cause", "").startswith("reboot, requested by "), lambda: str(world.records("shop")))
    until(lambda: world.records("shop")["web-0"]["displayed"] == "unreachable", lambda: json.dumps(world.records("shop"), indent=1), 90)
    assert "did not come back" in world.records("shop")["web-0"]["problem"]["cause"]
    assert world.events("shop", "machine.reboot_failed")[-1][1] == "web-0"
    until(lambda: "did not come back after its reboot" in world.reeve("get", "holds", "-c", "shop"), world.manager.log.read_text)
    assert world.job("shop")["state"] == "waiting" and "web-0" in world.job("shop")["failedNodes"]
    assert world.reboots("web-1") == 2
    world.stays_down.clear()
    world.boot(world.nodes["web-0"])  # late, but it is back: the next one goes on
    until(lambda: world.job("shop")["state"] == "done" and world.ready("shop") == SIZE, lambda: json.dumps(world.job("shop"), indent=1), 90)
    assert world.reboots("web-1") == 3 and "machine.rebooted" in world.reeve("events", "cluster/shop")
    shown = world.reeve("why", "shop/web-1")
    assert "an operator requested a reboot of the machine" in shown, shown
