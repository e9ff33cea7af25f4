"""`store: managed` with several managers: they join by a token, voters follow them, and a lost host costs nothing."""

import json
import os
import shutil
import signal
import subprocess

import pytest
from pylib.managers import REEVED, Manager, reeve, until
from pylib.member import Member
from pylib.ports import free_port

REEVE = REEVED.parent / "reeve"
pytestmark = pytest.mark.skipif(shutil.which("etcd") is None or shutil.which("etcdctl") is None, reason="needs etcd and etcdctl")


class Host:
    """A host of its own, as far as folders and ports go."""

    def __init__(self, folder, name):
        self.name, self.folder, self.data = name, folder / name, folder / name / "data"
        self.folder.mkdir()
        self.ports = {port: free_port() for port in ("peer", "member", "clients")}
        self.config = self.folder / "reeved.yaml"
        self.config.write_text(f"name: {name}\nzone: z-{name}\ndata: {self.data}\nsecretKey: {self.folder}/secrets.key\n"
                               f"peer: {{address: \"127.0.0.1:{self.ports['peer']}\"}}\n"
                               f"store:\n  managed: {{address: \"127.0.0.1:{self.ports['member']}\", clients: \"127.0.0.1:{self.ports['clients']}\"}}\n")
        self.manager = Manager(self.folder, "--config", str(self.config), "--haste", "20", control=True)

    def run(self, *words, code=0, stdin=None):
        """A verb of `reeve` for this host."""
        done = subprocess.run([REEVE, *words, "--config", self.config], capture_output=True, text=True, check=False, timeout=120, input=stdin)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout if code == 0 else done.stderr

    def token(self):
        """A token for another host."""
        return self.run("manager", "token").strip()

    def join(self, token, code=0):
        """Join with a token, before the first start."""
        return self.run("manager", "join", "-", stdin=token, code=code)

    def status(self):
        """GET /v1/managers of this manager."""
        return self.manager.get("/v1/managers").json

    @property
    def member(self):
        """reeve-store of this host."""
        return Member(self.data)

    def kill(self):
        """A power cut: the manager, reeve-store and etcd."""
        pid = self.member.ask("status")["pid"] if self.has_member() else None
        self.manager.kill()
        self.member.end()
        if pid:
            until(lambda: not os.path.exists(f"/proc/{pid}") or "State:\tZ" in open(f"/proc/{pid}/status", encoding="utf-8").read(), str)

    def has_member(self):
        """Whether a member is in the folder."""
        return (self.data / "member/member.json").exists()

    def said(self):
        """The ends of the logs."""
        store = self.data / "member/log"
        return f"--- {self.name}\n" + (self.manager.log.read_text()[-4000:] if self.manager.log.exists() else "") + (
            store.read_text()[-2000:] if store.exists() else "")


class World:
    """Hosts, which are ended with the test."""

    def __init__(self, folder):
        self.folder, self.hosts = folder, []

    def host(self, start=True):
        """A further host; it joins with a token of the first one."""
        host = Host(self.folder, f"m{len(self.hosts)}")
        self.hosts.append(host)
        if len(self.hosts) > 1:
            host.join(self.hosts[0].token())
        if start:
            host.manager.start()
        if len(self.hosts) == 1:
            self.until(lambda: host.member.ask("status")["arguments.client_listen"])
        return host

    def until(self, look, seconds=60):
        """Until it is so; otherwise everything that was said."""
        return until(look, lambda: json.dumps(self.hosts[0].status().get("members"), indent=1) + "".join(host.said() for host in self.hosts), seconds)

    def until_members(self, voters, learners=0, by=0):
        """Until the store has so many members that answer."""
        def look():
            shown = self.hosts[by].status()
            kinds = [row["kind"] for row in shown["members"] if row["state"] == "answers"]
            return kinds.count("voter") == voters and kinds.count("learner") == learners and len(kinds) == len(shown["members"]) and shown
        return self.until(look)


@pytest.fixture(name="world")
def fixture_world(tmp_path):
    """A world of hosts."""
    world = World(tmp_path)
    yield world
    for host in world.hosts:
        host.manager.kill()
        host.member.end()


def shop(size, name="shop"):
    """A cluster of simulated machines."""
    return {"name": name, "version": "1", "groups": {"web": {"size": size, "resourcePlugin": {"name": "sim"}}}}


def test_managers_join_and_hold_members(world):
    first = world.host()
    first.manager.apply(shop(2))
    second = world.host()
    names = {row["name"] for row in world.until(lambda: len(second.status()["items"]) == 2 and second.status()["items"])}
    assert names == {"m0", "m1"}
    world.until_members(1, 1)  # two managers: a voter and a learner
    third = world.host()
    shown = world.until_members(3)
    assert shown["level"] == "A" and shown["spare"] == 1
    assert {row["metadata"]["name"] for row in third.manager.get("/v1/clusters").json["items"]} == {"shop"}
    # each manager reaches the store by the member of its host, and knows the others for its next start
    for host in world.hosts:
        known = world.until(lambda: len((text := (host.data / "store.members").read_text()).split()) == 2 and text)  # pylint: disable=cell-var-from-loop
        assert f":{host.ports['clients']}" not in known
    # the host of the first member is lost: the two others go on, and both still write
    first.kill()
    world.hosts.remove(first)
    world.until(lambda: second.manager.get("/readyz").status == 200 and third.manager.get("/readyz").status == 200)
    second.manager.apply(shop(3))
    third.manager.apply(shop(1, "other"))
    # its member is removed: of two managers one is a voter, and the other learns
    world.until_members(1, 1)
    # it returns with its former folder, gets a new member, and all three vote again
    world.hosts.insert(0, first)
    first.manager.start()
    world.until_members(3)
    assert {row["metadata"]["name"] for row in first.manager.get("/v1/clusters").json["items"]} == {"shop", "other"}
    assert len(list((first.data / "member/aside").iterdir())) == 1
    for host in world.hosts:
        assert host.manager.stop() == 0, host.said()


def test_a_manager_that_leaves_gives_its_member_back(world):
    first = world.host()
    second = world.host()
    world.until_members(1, 1)
    # the manager with the only voter leaves: the other one becomes it
    done = subprocess.run([REEVE, "manager", "leave", "m0", "--yes"], capture_output=True, text=True, check=False, timeout=240,
                          env={**os.environ, "REEVE_URL": f"unix:{second.manager.socket}", "HOME": str(second.folder)})
    assert done.returncode == 0, done.stdout + done.stderr + first.said() + second.said()
    shown = world.until_members(1, by=1)
    assert shown["members"][0]["leader"] and [row["name"] for row in shown["items"]] == ["m1"]
    assert first.manager.process.wait(60) == 0
    first.manager.process = None
    second.manager.apply(shop(1))
    # its host joins again, in the same folder
    first.join(second.token())
    first.manager.start()
    world.until_members(1, 1, by=1)


def test_a_token_that_does_not_fit_is_refused(world):
    first = world.host()
    second = Host(world.folder, "m1")
    world.hosts.append(second)
    token = first.token()
    key, contact = token.split(".", 1)
    assert "error[R0674]" in second.join(key, code=3)
    assert "error[R0674]" in second.join(f"{key}.{contact[:-40]}", code=3)
    assert not (second.data / "store.members").exists() and not (second.data / "peer/store.pem").exists()
    second.join(token)
    # used once, and not on a host that has a store
    third = Host(world.folder, "m2")
    world.hosts.append(third)
    assert "error[R0674]" in third.join(token, code=3)
    assert not (third.data / "store.members").exists() and not (third.data / "peer/store.pem").exists()
    assert "error[R0523]" in first.join(first.token(), code=5)
    second.manager.start()
    world.until(lambda: len(second.status()["items"]) == 2)
    # a stopped manager that is alone with its member still reaches the store of the others
    assert second.manager.stop() == 0 and first.manager.get("/readyz").status == 200


def test_kills_while_it_grows(world):
    first = world.host()
    second, third = world.host(), world.host()
    for number, victim in enumerate((second, third, first, second, third, first)):
        os.kill(victim.manager.process.pid, signal.SIGKILL)
        victim.manager.process.wait()
        victim.manager.process = None
        if number % 2 and victim.has_member() and victim.member.ask("status")["pid"]:
            os.kill(victim.member.ask("status")["pid"], signal.SIGKILL)
        victim.manager.start()
    world.until_members(3)
    first.manager.apply(shop(1))
    assert reeve(first.manager, "manager", "status").count("voter") == 3
