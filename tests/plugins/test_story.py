"""The life of machines that others own, from the first sign of them to their return: one story on real parts.

Five machines with sshd and agents of serf appear. Three of them become members of a group, whose configuration is a playbook of Ansible, or bundles;
one fails and is tried again; a bad revision stops at its canary and is undone; drift is corrected; one reboots, one is cut off, one leaves while
it is away. Each step is checked on the machines themselves (C1, C6, C8, C9, C10, C16, C17, C21, C25, C36).
"""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from manager import Manager, until  # noqa: E402
from pylib.containers import Folder, Room, ground  # noqa: E402
from pylib.metal import LEFT, asked, blocked, inside, reeve, refused, rows, why  # noqa: E402
from test_bootstrap import World  # noqa: E402

pytestmark = [pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root"),
              pytest.mark.skipif(shutil.which("ansible-playbook") is None, reason="there is no ansible-playbook"),
              pytest.mark.skipif(shutil.which("serf") is None, reason="there is no serf")]

COUNT = 5
LICENCE = "test -e /srv/licence || { echo 'E: no licence' >&2; exit 7; }"


class Story(World):
    """A manager with an agent of serf, and five containers of another tenant, each with an agent."""

    def __init__(self, folder):  # pylint: disable=super-init-not-called
        self.folder = folder
        self.room = Room(folder)
        self.agents = []
        (folder / "c.json").write_text(json.dumps({"inventory": [
            {"tenant": "metal", "user": "root", "key": "secret://login", "serf": {"address": "127.0.0.1:7373"}}]}))
        self.manager = Manager(folder, "--haste", "100", "--config", str(folder / "c.json"), control=True, within=self.room.within)
        self.containers = Folder(folder / "data", self.room)
        self.containers.prepare(folder / "data")
        self.manager.start()

    def agent(self, within, name, address, rpc, join=None):
        """An agent of serf in a network namespace."""
        words = ["serf", "agent", f"-node={name}", f"-bind={address}:7946", f"-rpc-addr={rpc}:7373", "-profile=local",
                 f"-tag=NodeLabel={name}", "-tag=NodeSerial=7", *([f"-retry-join={join}:7946", "-retry-interval=1s"] if join else [])]
        with (self.folder / f"{name}.serf").open("ab") as log:
            self.agents.append(subprocess.Popen([*within, *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log))

    def begin(self):
        """The machines, with a login of their owners and agents; nothing of this tenant knows them."""
        group = {"size": COUNT, "image": "host", "resourcePlugin": {"name": "local"}, "heal": "off"}
        (self.folder / "shop.yaml").write_text(json.dumps({"name": "shop", "version": "1", "groups": {"web": group}}))
        self.reeve("apply", "--yes", "--detach", "-f", "shop.yaml")
        self.wait_ready(COUNT)
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", self.folder / "login"], check=True)
        assert self.manager.ask("POST", "/v1/tenants", {"name": "metal"}).status in (200, 201)
        assert asked(self, "POST", "/v1/secrets", {"name": "login", "value": (self.folder / "login").read_text()}).status in (200, 201)
        for name in self.by_name():
            folder = inside(self, name) / "root/.ssh"
            folder.mkdir(mode=0o700, exist_ok=True)
            (folder / "authorized_keys").write_text((self.folder / "login.pub").read_text())
        # two machines were made from one image, with its host key
        for path in inside(self, "web-3").glob("etc/ssh/ssh_host_*"):
            shutil.copy(path, inside(self, "web-4") / "etc/ssh" / path.name)
        self.inside_run("web-4", "pkill -KILL sshd; true")
        subprocess.run([*self.room.within, "ip", "-o", "-4", "address"], check=True, stdout=(self.folder / "addresses").open("w"))
        own = next(line.split()[3].split("/")[0] for line in (self.folder / "addresses").read_text().splitlines() if " lo " not in f" {line} ")
        self.agent(self.room.within, "manager", own, "127.0.0.1")
        for name, machine in sorted(self.by_name().items()):
            self.agent(["nsenter", "-t", str(machine.init), "-n", "--"], name, machine.address, machine.address, join=own)

    def inside_run(self, name, script):
        """A command in a machine, by nobody's login."""
        subprocess.run(["nsenter", "-t", str(self.by_name()[name].init), "-m", "-p", "-n", "-u", "-i", "--", "sh", "-c", script], check=True, timeout=60)

    def read(self, name, path):
        """A file of a machine; empty where there is none."""
        with contextlib.suppress(OSError):
            return (inside(self, name) / path).read_text()
        return ""

    def close(self):
        for agent in self.agents:
            agent.kill()
            agent.wait()
        super().close()


@pytest.fixture(name="story")
def fixture_story(tmp_path):
    """It ends with the test."""
    with ground(tmp_path) as folder, contextlib.ExitStack() as stack:
        one = Story(folder)
        stack.callback(one.close)
        one.begin()
        yield one


def push(story, kind, revision, third):
    """A revision whose third step is `third`."""
    repo = story.folder / "repo"
    shutil.rmtree(repo, ignore_errors=True)
    steps = [("write its file", f"mkdir -p /srv/web && echo {revision} >/srv/web/app.conf"), ("count", f"echo {revision} >>/srv/plays"), ("start it", third)]
    manifest = {"files": ["/srv/web"]}
    repo.mkdir()
    if kind == "playbook":
        tasks = [{"name": name, "ansible.builtin.shell": script} for name, script in steps]
        (repo / "site.yml").write_text(json.dumps([{"hosts": "all", "gather_facts": False, "tasks": tasks}]))
    else:
        manifest["bundles"] = [{"tar": f"step{number}", "idempotent": True} for number in range(len(steps))]
        for number, (_, script) in enumerate(steps):
            (repo / f"step{number}").mkdir()
            (repo / f"step{number}/bootstrap.sh").write_text(f"{script}\n")
    (repo / "configuration.yaml").write_text(json.dumps(manifest))
    reeve(story, "config", "push", "repo", "--name", "web")


def members(story):
    """The container of each member: {"box-0": "web-2"}."""
    names = {one.address: name for name, one in story.by_name().items()}
    return {one["claim"]["name"]: names[one["address"]] for one in rows(story).values() if one.get("claim", {}).get("name")}


def machine_counts(story):
    return asked(story, "GET", "/v1/clusters/dc").json["status"]["machines"]


def facts(story, kind):
    """Nodes and facts of the events of a kind."""
    return [(one.get("node"), one.get("fact", "")) for one in asked(story, "GET", "/v1/events?limit=500").json["items"] if one["type"] == kind]


def appear(story):
    """Five machines appear; two with one host key name each other and are not taken."""
    until(lambda: len([one for one in rows(story).values() if one["state"] == "discovered" and "hostKey" in one.get("identity", {})]) == COUNT,
          lambda: why(story), 60)
    ids = {name: rows(story)[one.address]["id"] for name, one in story.by_name().items()}
    until(lambda: {name for name, one in story.by_name().items()
                   if "duplicate" in [mark["type"] for mark in rows(story)[one.address].get("conditions", [])]} == {"web-3", "web-4"}, lambda: why(story), 60)
    shown = reeve(story, "discover")
    assert all(one.address in shown for one in story.by_name().values()) and "duplicate" in shown, shown
    return ids


@pytest.mark.parametrize("kind", ["playbook", "bundles"])
def test_the_life_of_machines(story, kind):
    ids = appear(story)
    for name in ("web-0", "web-2"):
        (inside(story, name) / "srv/licence").write_text("")
    push(story, kind, "r1", LICENCE)
    (story.folder / "dc.yaml").write_text(json.dumps({"name": "dc", "version": "1", "groups": {"box": {
        "size": 0, "resourcePlugin": {"name": "inventory"}, "configuration": "web", "rollout": {"canary": 1, "batch": 1, "maxFail": 1}}}}))
    reeve(story, "apply", "--yes", "-f", "dc.yaml")
    keys = [f"{ids[name]}={rows(story)[story.by_name()[name].address]['fingerprint']}" for name in ("web-0", "web-1", "web-2")]
    reeve(story, "discover", "approve", *keys)
    assert "R0826" in refused(story, "commission", ids["web-3"], "-g", "dc/box", "--yes")

    # the third step fails on one of three, which is returned; the others serve
    told = refused(story, "commission", *(ids[name] for name in ("web-0", "web-1", "web-2")), "-g", "dc/box", "--yes")
    assert "R0830" in told and "1 of 3 nodes failed" in told and "no licence" in told, told + why(story)
    if kind == "playbook":
        assert "start it (site.yml:" in told, told
    assert sorted(members(story).values()) == ["web-0", "web-2"], why(story)
    assert [story.read(name, "srv/plays") for name in ("web-0", "web-2", "web-3", "web-4")] == ["r1\n", "r1\n", "", ""]
    assert [path for path in LEFT if (inside(story, "web-1") / path).exists()] == []
    assert machine_counts(story)["ready"] == 2, machine_counts(story)

    # repaired and tried again
    (inside(story, "web-1") / "srv/licence").write_text("")
    reeve(story, "job", "retry", told.split("reeve job retry ")[1].split()[0], "--failed", "--yes")
    until(lambda: machine_counts(story)["ready"] == 3, lambda: why(story), 60)
    of = members(story)
    assert sorted(of.values()) == ["web-0", "web-1", "web-2"] and sorted(of) == ["box-0", "box-1", "box-2"], of

    # a revision that breaks stops at its canary: one node is out, the others were not touched
    push(story, kind, "r2", "echo 'E: broken' >&2; exit 5")
    told = refused(story, "upgrade", "dc/box", "--yes")
    assert "E: broken" in told and "R0028" in told, told + why(story)
    holds = asked(story, "GET", "/v1/holds?cluster=dc").json["items"]
    assert ["E: broken" in json.dumps(hold) for hold in holds] == [True], holds
    [canary] = [name for name in of if story.read(of[name], "srv/web/app.conf") == "r2\n"]
    assert [story.read(of[name], "srv/plays").split() for name in sorted(of) if name != canary] == [["r1"]] * 2 or kind == "playbook", why(story)
    counts = machine_counts(story)
    assert (counts["ready"], counts["failed"]) == (2, 1), counts
    assert f"dc/{canary}" in reeve(story, "status") and "E: broken" in reeve(story, "why", f"dc/{canary}")

    # undone
    reeve(story, "undo", "dc", "--yes")
    until(lambda: machine_counts(story)["ready"] == 3, lambda: why(story), 60)
    assert [story.read(of[name], "srv/web/app.conf") for name in sorted(of)] == ["r1\n"] * 3, why(story)

    # drift by hand is found and corrected
    reeve(story, "set", "nodegroup/dc/box", "verify={every: 1s}", "--yes")
    other = next(name for name in sorted(of) if name != canary)
    (inside(story, of[other]) / "srv/web/app.conf").write_text("by hand\n")
    until(lambda: story.read(of[other], "srv/web/app.conf") == "r1\n", lambda: why(story), 60)
    until(lambda: other in [node for node, _ in facts(story, "node.corrected")], lambda: why(story), 60)

    # one is cut off and returns, one reboots
    blocked(story, of[other], True)
    until(lambda: machine_counts(story)["unreachable"] == 1, lambda: why(story), 60)
    blocked(story, of[other], False)
    until(lambda: (other, "boot: same") in facts(story, "node.returned"), lambda: why(story), 60)
    until(lambda: machine_counts(story)["ready"] == 3, lambda: why(story), 60)
    story.reeve("reboot", f"shop/{of[canary]}", "--yes", "--allow", "reboot=1")
    until(lambda: (canary, "boot: other") in facts(story, "node.returned"), lambda: why(story), 90)
    until(lambda: machine_counts(story)["ready"] == 3, lambda: why(story), 60)

    # one leaves while it is away, and is cleaned up when it is back
    blocked(story, of[other], True)
    address = story.by_name()[of[other]].address
    until(lambda: rows(story)[address]["state"] == "disappeared", lambda: why(story), 90)
    reeve(story, "decommission", f"dc/{other}", "--absent", "--allow", "destroy=1")
    until(lambda: "cleanupPending" in rows(story)[address], lambda: why(story), 60)
    blocked(story, of[other], False)
    until(lambda: "cleanupPending" not in rows(story)[address], lambda: why(story), 90)
    assert [path for path in LEFT if (inside(story, of[other]) / path).exists()] == []
    assert machine_counts(story)["ready"] == 2 and asked(story, "GET", "/v1/nodegroups/dc/box").json["spec"]["size"] == 2
