"""Cases of C37 that need stages: a provisioning that fails, jobs beside each other, a manager that is killed in a job, a node that is away at the restart.

Each machine has file trees of its own at /etc and /var/lib: what runs on one is not found on another.
"""
import contextlib
import json
import os
import subprocess

import pytest

from conftest import REEVE
from hosts import Sshd, port_of
from manager import until
from test_contiv import MASTER, World

NETWORK = "127.0.29"
pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="needs mount namespaces")
STAGE = """echo "$$" >>/var/lib/begun
until [ -e /var/lib/go ]; do sleep 0.1; done
[ -e /var/lib/licence ] || { echo "E: no licence" >&2; exit 7; }
echo done >>/var/lib/ended
"""


class Apart(Sshd):
    """A machine with file trees of its own."""

    def __init__(self, *words):
        super().__init__(*words)
        etc, lib = self.folder / "etc", self.folder / "lib"
        subprocess.run(["cp", "-a", "/etc", etc], check=True)
        lib.mkdir()
        self.lib = lib
        self.wrap = ["unshare", "--mount", "sh", "-c", f"mount --bind {etc} /etc && mount --bind {lib} /var/lib && exec \"$@\"", "sh"]

    def lines(self, name):
        path = self.lib / name
        return len(path.read_text().splitlines()) if path.exists() else 0


@pytest.fixture
def world(tmp_path):
    """Two machines, and a cluster whose configuration waits for a file and needs another one."""
    port = port_of(NETWORK)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", tmp_path / "login"], check=True)
    with contextlib.ExitStack() as stack:
        machines = [Apart(tmp_path / f"machine-{number}", [f"{NETWORK}.{number}"], port) for number in range(1, 3)]
        for one in machines:
            stack.callback(one.stop)
            one.start((tmp_path / "login.pub").read_text().strip())
        world = World(tmp_path, machines)
        stack.enter_context(world.manager)
        world.start()
        repo = tmp_path / "repo/web"
        repo.mkdir(parents=True)
        (repo / "bootstrap.sh").write_text(STAGE)
        (repo / "cleanup.sh").write_text("touch /var/lib/cleaned\n")
        (tmp_path / "repo/configuration.yaml").write_text(json.dumps({"bundles": [{"tar": "web", "idempotent": True}]}))
        done = subprocess.run([str(REEVE), "config", "push", str(tmp_path / "repo"), "--name", "web"], capture_output=True, text=True, check=False,
                              env={**os.environ, "REEVE_URL": f"unix:{world.manager.socket}"}, timeout=60)
        assert done.returncode == 0, done.stderr
        assert world.manager.patch("/v1/clusters/dc", {"defaults": {"configuration": "web"}}).status == 200
        yield world


def begin(world, machine, name):
    """A commission whose stage waits on the machine."""
    before = machine.lines("begun")
    assert world.contiv.post("/commission/nodes", nodes=[name], host_group=MASTER) == (200, "")
    until(lambda: machine.lines("begun") > before, world.manager.log.read_text)


def condition(world, name):
    return {one["type"]: one["reason"] for one in world.manager.get(f"/v1/nodes/{name}").json.get("conditions", [])}


def test_jobs_run_beside_each_other_and_one_fails(world):
    """A node is in one job, other nodes are in others; what fails is cleaned up, unallocated, and named with its first error."""
    contiv = world.contiv
    one, other = world.machines
    failing, serving = world.discover(0, 1)
    begin(world, one, failing)
    status, text = contiv.ask("GET", "/info/job/active")
    assert status == 200 and json.loads(text)["status"] == "Running", text
    for path, body in (("/commission/nodes", {"nodes": [failing], "host_group": MASTER}), ("/commission/nodes", {"nodes": [serving, failing], "host_group": MASTER})):
        status, text = contiv.post(path, **body)
        assert status == 409 and failing in text, text
    assert contiv.status(serving) == ("Unallocated", "Discovered")
    begin(world, other, serving)  # the first one still waits
    assert (one.lines("ended"), other.lines("ended")) == (0, 0)
    (other.lib / "licence").touch()
    for machine in (other, one):
        (machine.lib / "go").touch()
    world.becomes(serving, "Allocated")
    world.becomes(failing, "Unallocated")
    assert condition(world, failing).keys() == {"failed"} and "E: no licence" in condition(world, failing)["failed"]
    assert (one.lib / "cleaned").exists() and not (other.lib / "cleaned").exists() and not (one.lib / "reeve-node").exists()
    until(lambda: contiv.ask("GET", "/info/job/active")[0] == 404)
    texts = json.dumps([job["status"] for job in world.manager.get("/v1/jobs?cluster=dc").json["items"]])
    assert "E: no licence" in texts and '"failed"' in texts, texts
    assert contiv.ask("GET", "/info/job/last")[0] == 200
    # it can be tried again when it is repaired
    (one.lib / "licence").touch()
    world.commission(MASTER, failing)
    assert condition(world, failing) == {} and other.lines("begun") == 1


@pytest.mark.parametrize("moment", ["reserved", "begun", "ended"])
def test_a_manager_that_is_killed_in_a_job_continues_it(world, moment):
    """kill -9 at its steps: the same node becomes a member, and its stage runs once."""
    contiv = world.contiv
    machine = world.machines[0]
    [name] = world.discover(0)
    (machine.lib / "licence").touch()
    assert contiv.post("/commission/nodes", nodes=[name], host_group=MASTER) == (200, "")
    if moment != "reserved":
        until(lambda: machine.lines("begun") == 1, world.manager.log.read_text)
    if moment == "ended":
        (machine.lib / "go").touch()
        until(lambda: machine.lines("ended") == 1, world.manager.log.read_text)
    world.manager.kill()
    world.manager.start()
    (machine.lib / "go").touch()
    world.becomes(name, "Allocated")
    assert (machine.lines("begun"), machine.lines("ended")) == (1, 1)
    assert contiv.get(f"/info/node/{name}")["configuration_state"]["host_group"] == MASTER
    until(lambda: contiv.ask("GET", "/info/job/active")[0] == 404)


def test_a_node_that_is_away_at_the_restart_is_still_known(world):
    """As disappeared, with the time since; statuses are those of before."""
    contiv = world.contiv
    name, other = world.discover(0, 1)
    world.machines[0].stop()
    until(lambda: contiv.status(name) == ("Unallocated", "Disappeared"), lambda: str(contiv.status(name)))
    before = world.manager.get(f"/v1/nodes/{name}").json
    world.manager.kill()
    world.manager.start()
    assert (contiv.status(name), contiv.status(other)) == (("Unallocated", "Disappeared"), ("Unallocated", "Discovered"))
    after = world.manager.get(f"/v1/nodes/{name}").json
    assert {key: after[key] for key in ("stateSince", "flaps", "prevState")} == {key: before[key] for key in ("stateSince", "flaps", "prevState")}
    world.machines[0].start()
    until(lambda: contiv.status(name) == ("Unallocated", "Discovered"), lambda: str(contiv.status(name)))
