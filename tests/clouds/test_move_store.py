"""A store that moves between its folder and etcd, with machines that go on; kills at each step; backups of a store in etcd."""

import json
import os
import shutil
import signal
import subprocess

import pytest
from pylib.etcd import Etcd, Missing, make_ca, make_certificate
from pylib.etcd_three import Three
from pylib.managers import REEVED, Manager, Managers, key_write, reeve, until
from manager import machine_files  # isort: skip

REEVE = REEVED.parent / "reeve"
pytestmark = pytest.mark.skipif(shutil.which("etcd") is None, reason="needs etcd")


@pytest.fixture(name="etcd", scope="module")
def fixture_etcd(tmp_path_factory):
    """Three members of one etcd."""
    try:
        with Three(tmp_path_factory.mktemp("etcd")) as three:
            yield three
    except Missing as missing:
        pytest.skip(str(missing))


class Host:
    """A host with one manager, whose configuration names its folder or etcd."""

    def __init__(self, folder, etcd, prefix=None):
        self.folder, self.etcd, self.prefix = folder, etcd, prefix or f"/{folder.name}/"
        self.credentials = etcd.folder
        self.config, self.config_etcd = folder / "reeved.yaml", folder / "etcd.yaml"
        key_write(folder / "secrets.key", os.urandom(32))
        key_write(folder / "data.signer.key", os.urandom(32))
        self.manager = Manager(folder, "--config", str(self.config), "--haste", "20", control=True)
        self.write("client")

    def write(self, name, endpoints=None):
        """The configurations, with the certificate of this name for etcd."""
        members = [member.endpoint for member in getattr(self.etcd, "members", [self.etcd])]
        self.config_etcd.write_text(
            f"name: m0\ndata: {self.folder}/data\nsecretKey: {self.folder}/secrets.key\nstore:\n  etcd:\n"
            f"    endpoints: {json.dumps(endpoints or members)}\n"
            f"    ca: {self.etcd.folder}/ca.pem\n    certificate: {self.etcd.folder}/{name}.pem\n    key: {self.etcd.folder}/{name}.key\n"
            f"    prefix: {self.prefix}\n")

    def use(self, engine):
        """Let the manager use this engine from now on."""
        self.config.write_text(self.config_etcd.read_text() if engine == "etcd" else
                               f"name: m0\ndata: {self.folder}/data\nsecretKey: {self.folder}/secrets.key\nstore: sqlite\n")

    def start(self, engine):
        """Start the manager on this engine."""
        self.use(engine)
        return self.manager.start()

    def refused(self, engine):
        """What a manager says that does not start on this engine."""
        self.use(engine)
        before = len(self.manager.log.read_bytes()) if self.manager.log.exists() else 0
        self.manager.start(wait=False)
        assert self.manager.process.wait(60) != 0
        self.manager.process = None
        return self.manager.log.read_bytes()[before:].decode()

    def move(self, to, code=0, **env):
        """`reeve manager move-store`."""
        done = subprocess.run([REEVE, "manager", "move-store", "--to", to, "--config", self.config_etcd], capture_output=True, text=True, check=False,
                              timeout=240, env={**os.environ, **env})
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def said(self):
        """The end of the log."""
        return self.manager.log.read_text()[-3000:]


@pytest.fixture(name="host")
def fixture_host(etcd, tmp_path):
    """A host whose manager is not started."""
    host = Host(tmp_path, etcd)
    yield host
    assert host.manager.stop() in (0, None), host.said()


def shop(size, name="shop"):
    """A cluster of machines of the plugin `file`, which exist on this host."""
    return {"name": name, "version": "1", "groups": {"web": {"size": size, "resourcePlugin": {"name": "file"}}}}


def versions(manager):
    """The versions of the cluster's specification."""
    return manager.get("/v1/clusters/shop?view=history").json["items"]


def seen(manager):
    """What users see: objects with ids and revisions, versions of specifications, jobs, events with their numbers."""
    found = {}
    for kind in ("clusters", "nodes", "secrets", "users"):
        found[kind] = [(row["metadata"].get("id"), row["metadata"]["name"], row["metadata"].get("revision")) for row in
                       manager.get(f"/v1/{kind}").json["items"]]
    found["history"] = versions(manager)
    found["jobs"] = sorted((row["metadata"]["id"], row["status"]["state"]) for row in manager.get("/v1/jobs").json["items"])
    found["events"] = [(row["cluster"], row["number"], row["revision"], row["type"]) for row in manager.get("/v1/events?limit=1000").json["items"]
                       if row["type"].split(".")[0] != "manager" and row["type"] != "cluster.assigned"]
    return found


def until_machines(host, count):
    """Until there are so many machines, of which none was made again."""
    return until(lambda: len(found := set(machine_files(host.folder))) == count and found, lambda: str(machine_files(host.folder)) + host.said())


def ready(host, size):
    """Until the cluster is as it should be."""
    until(lambda: host.manager.get("/v1/clusters/shop").json["status"]["machines"]["ready"] == size
          and not any(row["status"]["state"] in ("running", "waiting", "begun") for row in host.manager.get("/v1/jobs").json["items"]), host.said)


def other_host(host):
    """Another host whose manager uses the same place in etcd."""
    folder = host.folder / "other"
    folder.mkdir()
    return Host(folder, host.etcd, prefix=host.prefix)


def test_there_and_back_with_machines_that_go_on(host):
    first = host.start("sqlite")
    first.apply(shop(2), {"kind": "Secret", "name": "s", "value": "hush"})
    until_machines(host, 2)
    first.apply(shop(3))
    machines = until_machines(host, 3)
    ready(host, 3)
    assert first.post("/v1/users", {"name": "ana"}).status == 201
    token = first.post("/v1/tokens", {"user": "ana"})
    assert token.status in (200, 201), token.text
    revision = first.get("/v1/clusters/shop").json["metadata"]["revision"]
    before = seen(first)
    assert first.stop() == 0
    assert "error[R0523]" in (refused := host.refused("etcd")) and "reeve manager move-store --to etcd" in refused, refused
    said = host.move("etcd")
    assert "comparing counts and digests" in said and "the store has moved to etcd: " in said, said
    refused = host.refused("sqlite")
    assert "error[R0591]" in refused and f"the store was moved to etcd {host.etcd.members[0].endpoint}" in refused, refused
    assert "has moved to etcd" in host.move("etcd")  # again: nothing to do
    manager = host.start("etcd")
    assert seen(manager) == before
    assert set(machine_files(host.folder)) == machines
    # a compare with a revision that is not that of the cluster, and with the one from before the move
    for match, status in ((revision - 1, 412), (revision, 200)):
        answer = manager.patch("/v1/clusters/shop", {"groups": {"web": {"size": 4}}}, If_Match=f'"{match}"')
        assert answer.status == status, answer.text
    grown = until_machines(host, 4)
    assert machines < grown
    ready(host, 4)
    assert len(versions(manager)) == len(before["history"]) + 1
    before = seen(manager)
    assert manager.stop() == 0
    said = host.move("sqlite")
    assert "set store: sqlite" in said, said
    assert "error[R0523]" in host.refused("etcd")
    assert "error[R0591]" in (refused := other_host(host).refused("etcd")) and "was moved to the folder" in refused, refused
    manager = host.start("sqlite")
    assert seen(manager) == before and set(machine_files(host.folder)) == grown
    assert "events were written" in reeve(manager, "audit")
    manager.apply(shop(5))
    machines = until_machines(host, 5)
    assert grown < machines
    assert manager.stop() == 0
    assert manager.start().stop() == 0  # the file is a store like any other
    host.move("etcd")
    manager = host.start("etcd")
    assert set(machine_files(host.folder)) == machines
    manager.apply(shop(6))
    assert until_machines(host, 6) > machines


STEPS = ("open", "arrive", "copy", "arrived", "check", "commit", "activate")


def test_kills_at_each_step_of_a_move_to_etcd(host):
    manager = host.start("sqlite")
    manager.apply(shop(1))
    machines = until_machines(host, 1)
    assert manager.stop() == 0
    for step in STEPS:
        host.move("etcd", code=-signal.SIGKILL, REEVE_MOVE_END=step)
        if step == "activate":
            assert "error[R0591]" in host.refused("sqlite")
            break
        assert "error[R0523]" in host.refused("etcd"), step
        manager = host.start("sqlite")
        manager.apply(shop(1), {"kind": "Secret", "name": f"s-{step}", "value": "hush"})  # the copy is of an older state now
        assert manager.stop() == 0
    manager = host.start("etcd")
    assert set(machine_files(host.folder)) == machines
    assert {row["metadata"]["name"] for row in manager.get("/v1/secrets").json["items"]} == {f"s-{step}" for step in STEPS[:-1]}


def test_kills_at_each_step_of_a_move_from_etcd(host):
    manager = host.start("sqlite")
    manager.apply(shop(1))
    machines = until_machines(host, 1)
    assert manager.stop() == 0
    host.move("etcd")
    for step in ("open", "frozen", "copy", "arrived", "check", "commit", "activate"):
        host.move("sqlite", code=-signal.SIGKILL, REEVE_MOVE_END=step)
        if step == "activate":
            assert "error[R0591]" in other_host(host).refused("etcd")
            break
        assert "error[R0" in (refused := host.refused("sqlite")) and ("R0593" in refused or "R0591" in refused or "R0579" in refused), (step, refused)
        manager = host.start("etcd")
        manager.apply({"kind": "Secret", "name": f"s-{step}", "value": "hush"})
        assert manager.stop() == 0
    manager = host.start("sqlite")
    assert set(machine_files(host.folder)) == machines
    assert {row["metadata"]["name"] for row in manager.get("/v1/secrets").json["items"]} == {f"s-{step}" for step in
                                                                                  ("open", "frozen", "copy", "arrived", "check", "commit")}
    assert not (host.folder / "data/store.move").exists() and not (host.folder / "data/store.db-arriving").exists()


def usable(host):
    """The old store still is."""
    manager = host.start("sqlite")
    assert manager.get("/v1/clusters/shop").status == 200
    assert manager.stop() == 0


def test_places_to_which_a_store_does_not_move(host):
    manager = host.start("sqlite")
    manager.apply(shop(0))
    assert "error[R0507]" in host.move("etcd", code=1)  # while it runs
    assert manager.stop() == 0
    # keys of another program below the prefix
    host.etcd.etcdctl("put", f"{host.prefix}theirs", "1")
    assert "error[R0592]" in (refused := host.move("etcd", code=5)) and f"{host.prefix}theirs" in refused, refused
    assert host.etcd.etcdctl("get", f"{host.prefix}theirs").split() == [f"{host.prefix}theirs", "1"]
    host.etcd.etcdctl("del", f"{host.prefix}theirs")
    # a certificate of another authority, and nobody at the address
    make_ca(host.etcd.folder, "foreign")
    make_certificate(host.etcd.folder, "stranger", ca="foreign")
    host.write("stranger")
    assert "error[R0512]" in host.move("etcd", code=1)
    host.write("client", endpoints=["https://127.0.0.1:1"])
    assert "error[R0511]" in host.move("etcd", code=7)
    host.write("client")
    usable(host)
    # the store of another installation
    other = other_host(host)
    assert other.start("etcd").stop() == 0
    assert "error[R0523]" in host.move("etcd", code=5)
    usable(host)
    assert other.start("etcd").stop() == 0
    # no etcd in the configuration, and an unknown engine
    host.use("sqlite")
    done = subprocess.run([REEVE, "manager", "move-store", "--to", "etcd", "--config", host.config], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 5 and "error[R0582]" in done.stderr, done.stderr
    done = subprocess.run([REEVE, "manager", "move-store", "--to", "mysql"], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2 and "needs --to managed, etcd or sqlite" in done.stderr, done.stderr


def test_an_etcd_without_room(tmp_path):
    folder = tmp_path / "etcd"
    folder.mkdir()
    etcd = Etcd(folder, ["--quota-backend-bytes=400000"])
    etcd.start()
    try:
        host = Host(tmp_path, etcd, prefix="/small/")
        manager = host.start("sqlite")
        manager.apply(*({"kind": "Secret", "name": f"s{number}", "value": "x" * 15000} for number in range(60)))
        manager.apply(shop(0))
        assert manager.stop() == 0
        refused = host.move("etcd", code=7)
        assert "error[R0505]" in refused and "quota-backend-bytes" in refused, refused
        usable(host)
    finally:
        etcd.kill()


def test_a_store_with_other_managers_does_not_move_to_a_folder(etcd, tmp_path):
    with Managers(tmp_path, etcd, count=2, prefix=f"/{tmp_path.name}/", flags=("--haste", "60")) as world:
        world.start()
        first, second = world.all
        config = first.folder / "reeved.yaml"
        config.write_text(config.read_text() + f"data: {first.folder}/data\n")

        def move(code):
            done = subprocess.run([REEVE, "manager", "move-store", "--to", "sqlite", "--config", config], capture_output=True, text=True, check=False, timeout=60)
            assert done.returncode == code, done.stdout + done.stderr
            return done.stderr
        assert first.stop() == 0
        assert "error[R0588]" in move(5)  # the other one runs
        assert second.stop() == 0
        assert "error[R0593]" in (refused := move(5)) and "1 other manager" in refused and "reeve manager leave" in refused
        first.start()
        until(lambda: {row["name"]: row["state"] for row in first.get("/v1/managers").json["items"]} == {"m0": "live", "m1": "ended"}, world.said)
        reeve(first, "manager", "leave", "m1", "--yes")
        assert first.stop() == 0
        move(0)


def test_backup_and_restore_of_a_store_in_etcd(etcd, tmp_path):
    with Managers(tmp_path, etcd, count=2, prefix=f"/{tmp_path.name}/", flags=("--haste", "60")) as world:
        world.start()
        first, second = world.all
        first.apply({"kind": "Secret", "name": "s", "value": "hush"}, shop(1, "old"))
        until(lambda: sum(len(machine_files(manager.folder)) for manager in world.all) == 1, world.said)
        saved = tmp_path / "saved"
        reeve(second, "backup", str(saved))
        assert "error[R0012]" in reeve(first, "backup", str(saved), code=1)  # it exists
        first.apply(shop(0, "new"))
        config = first.folder / "reeved.yaml"
        config.write_text(config.read_text() + f"data: {first.folder}/data\n")

        def restore(code, *words):
            done = subprocess.run([REEVE, "restore", saved, *words, "--config", config], capture_output=True, text=True, check=False, timeout=60)
            assert done.returncode == code, done.stdout + done.stderr
            return done.stdout + done.stderr
        assert "error[R0507]" in restore(1, "--replace")
        assert first.stop() == 0
        assert "error[R0523]" in restore(5)
        assert "error[R0588]" in restore(5, "--replace")  # the other one runs
        assert second.stop() == 0
        said = restore(0, "--replace")
        assert "store.before-restore" in said and (first.folder / "data/store.before-restore/store.db").exists(), said
        for manager in world.all:
            manager.start()
        assert [row["metadata"]["name"] for row in first.get("/v1/clusters").json["items"]] == ["old"]
        assert [row["metadata"]["name"] for row in second.get("/v1/secrets").json["items"]] == ["s"]
        until(lambda: "store_went_back" in reeve(first, "get", "holds"), world.said)
