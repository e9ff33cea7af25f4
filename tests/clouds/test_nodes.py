"""The clouds with real nodes: each machine of a fake is an sshd that has run its user data, so that reeve logs in, by the host key that
the provider reports, and bootstraps it (CLOUDS.md 10 and acceptance i)."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

from cloudy import ROOT, World, until
from nodes import Nodes
from test_sample import OVERLAY

# The nodes listen at port 22 of addresses of loopback, so each test runs in a network of its own.
IS_INSIDE = "REEVE_TEST_NETWORK" in os.environ
pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="nodes are made by root")
STAGE = "#!/bin/sh\nset -e\nhostname >>/root/stages\n[ -e /etc/cluster_facts.json ]\n"
DONE = "root/stages"


def in_network(function):
    """Run the test in a new network namespace, in a process of its own."""
    def outside(tmp_path):
        name = f"{pathlib.Path(__file__).relative_to(ROOT)}::{function.__name__}"
        done = subprocess.run(["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable, "-m", "pytest", "-q",
                               "-p", "no:cacheprovider", f"--basetemp={tmp_path}/inside", name], cwd=ROOT, capture_output=True, text=True, check=False,
                              timeout=800, env={**os.environ, "REEVE_TEST_NETWORK": "1"})
        assert done.returncode == 0, done.stdout[-20000:] + done.stderr[-2000:]

    if IS_INSIDE:
        return function
    outside.__name__, outside.__doc__ = function.__name__, function.__doc__
    return outside


class Real(World):
    """A world whose machines are nodes."""

    def __init__(self, folder, **options):
        super().__init__(folder, addresses=True, **options)
        (folder / "stage").mkdir()
        (folder / "stage/bootstrap.sh").write_text(STAGE)

    def __enter__(self):
        super().__enter__()
        self.nodes = self.open.enter_context(Nodes(self.folder / "nodes", self.fakes))
        return self

    def said(self):
        consoles = "\n".join(f"{key}: {getattr(node, 'console', '')[-500:]}" for key, node in self.nodes.running.items())
        return f"{self.nodes.failed}\n{consoles}\n{super().said()}"

    def is_settled(self):
        """All nodes are ready, and each has run its stage once: a node that is replaced is another one."""
        return super().is_settled() and all(len(node.read(DONE).splitlines()) == 1 for node in self.nodes.running.values()) and \
            len(self.nodes.running) == sum(self.counts().values())

    def group(self, cloud, size, **values):
        """A cluster of one group at a cloud."""
        path = self.folder / f"{cloud}.yaml"
        path.write_text(json.dumps({"name": cloud, "version": "1", "groups": {"web": {
            "size": size, "resourcePlugin": {"name": cloud, "account": cloud}, "bootstrap": [{"tar": "stage", "idempotent": True}],
            "resourceProperties": values}}}))
        code, out, err = self.reeve("apply", "--yes", "--detach", "-f", str(path))
        assert code == 0, out + err

    def states(self, cluster):
        """The states of a cluster's nodes."""
        return [node["status"]["state"] for node in self.manager.get(f"/v1/nodes?cluster={cluster}").json["items"]]


@in_network
def test_K33_the_machines_of_the_sample_are_keyed_bootstrapped_healed_rolled_scaled_and_destroyed(tmp_path):
    """Nine machines: two of Amazon, two of Google and three of DigitalOcean are nodes. Amazon and Google report the host key; a machine of
    DigitalOcean has no console, so its group accepts the first key."""
    stages = {"bootstrap": [{"tar": "stage", "idempotent": True}]}
    with Real(tmp_path) as world:
        ours = world.ours("ours", group1=stages, group2={"sub-group1": stages, "sub-group2": {**stages, "ssh": {"firstUse": True}}})
        world.apply(OVERLAY, ours)
        world.wait()
        assert [len(world.nodes.of(cloud)) for cloud in ("aws", "gcd", "digitalOcean")] == [2, 2, 3]
        # One whose provider ends it is replaced, and the new one is bootstrapped.
        ended = world.fakes["aws"].alive()[0]["id"]
        world.fakes["aws"].end(ended, "host")
        until(lambda: ended not in [machine["id"] for machine in world.fakes["aws"].alive()] and world.counts()["aws"] == 2, world.said)
        world.wait()
        # Another image: the group is rolled to new nodes.
        before = {machine["id"] for machine in world.fakes["aws"].alive()}
        ubuntu = world.ours("ubuntu", group1={**stages, "resourceProperties": {"image": "ubuntu"}},
                            group2={"sub-group1": stages, "sub-group2": {**stages, "ssh": {"firstUse": True}}})
        world.apply(OVERLAY, ubuntu, allow=("replace=2",))
        until(lambda: world.counts()["aws"] == 2 and not before & {machine["id"] for machine in world.fakes["aws"].alive()}, world.said)
        world.wait()
        # More, then none.
        world.apply(OVERLAY, ubuntu, world.ours("more", group1={"size": 3}))
        world.wait(aws=3)
        assert sorted(node.name for node in world.nodes.of("aws")) == ["group1-0", "group1-1", "group1-2"]
        code, _, err = world.reeve("delete", "basic_cluster", "--yes", "--detach", "--allow", "destroy=10")
        assert code == 0, err
        until(lambda: set(world.counts().values()) == {0} and not world.nodes.running, world.said)
        for fake in world.fakes.values():
            fake.check()
            fake.wait(lambda state: not [disk for disk in state["disks"] if not disk.get("kept")], "end of the disks")


@in_network
def test_the_first_login_uses_the_host_key_that_the_provider_reports(tmp_path):
    """aws and openstack show it on the console, gcd as a guest attribute; no group has firstUse."""
    with Real(tmp_path, clouds=("aws", "gcd", "openstack")) as world:
        world.group("aws", 1, image="debian", instanceType="t3.small")
        world.group("gcd", 1, image="debian", instanceType="e2-micro")
        world.group("openstack", 1, image="debian-12", flavor="m1.small")
        until(lambda: len(world.nodes.running) == 3 and all(node.read(DONE) for node in world.nodes.running.values()), world.said)
        until(lambda: all(world.states(cloud) == ["ready"] for cloud in world.clouds), world.said)
        for (cloud, id), node in world.nodes.running.items():
            shown = world.reeve("describe", "node", f"{cloud}/web-0")[1]
            assert f"{id}\n" in shown and f"host key   {node.host_key}\n" in shown, shown


@in_network
def test_a_console_with_the_token_of_another_machine_is_not_believed(tmp_path):
    """Nobody logs in to a machine whose console shows a key under another token, until it shows its own."""
    with Real(tmp_path, clouds=("aws",), haste=5) as world:
        world.nodes.is_quiet = lambda machine: True
        world.group("aws", 1, image="debian", instanceType="t3.small")
        until(lambda: world.nodes.running and getattr(world.nodes.of("aws")[0], "console", ""), world.said)
        ((_, id), node), = world.nodes.running.items()
        token = world.fakes["aws"].alive()[0]["token"]
        other = f"{'0' if token[0] != '0' else '1'}{token[1:]}"
        world.fakes["aws"].set_machine(id, console=f"boot\nreeve-hostkey {other} {node.host_key}\n")
        reads = world.fakes["aws"].state()["calls"].get("GetConsoleOutput", 0)
        until(lambda: world.fakes["aws"].state()["calls"].get("GetConsoleOutput", 0) >= reads + 3, world.said)
        assert not node.read(DONE) and world.states("aws") != ["ready"]
        world.fakes["aws"].set_machine(id, console=node.console)
        until(lambda: node.read(DONE) and world.states("aws") == ["ready"], world.said)


@in_network
def test_apply_waits_for_a_host_key_that_comes_late(tmp_path):
    """A console is minutes behind: until then the machine is starting, and nobody is asked to do anything."""
    with Real(tmp_path, clouds=("aws",), haste=5) as world:
        world.nodes.is_quiet = lambda machine: True
        world.group("aws", 1, image="debian", instanceType="t3.small")
        until(lambda: world.nodes.running and getattr(world.nodes.of("aws")[0], "console", ""), world.said)
        until(lambda: "the provider has not reported the host key of web-0 yet" in world.reeve("status")[1], world.said)
        job = world.manager.get("/v1/jobs?cluster=aws").json["items"][0]
        assert job["status"]["state"] == "running", job
        ((_, id), node), = world.nodes.running.items()
        world.fakes["aws"].set_machine(id, console=node.console)
        code, out, err = world.reeve("wait", "cluster/aws", "--for", "ready", "--timeout", "60s")
        assert code == 0, (out, err, world.said())
