"""Managers with `store: managed`: the first start, kills, other hosts, moves to and from it, backup and restore."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import pytest
from pylib.managers import REEVED, Manager, key_write, reeve, until
from pylib.member import Member, Refused
from pylib.ports import free_port
from manager import machine_files  # isort: skip

REEVE = REEVED.parent / "reeve"
pytestmark = pytest.mark.skipif(shutil.which("etcd") is None or shutil.which("etcdctl") is None, reason="needs etcd and etcdctl")


class Host:
    """A host with one manager, whose store is managed or in its folder."""

    def __init__(self, folder):
        self.folder = folder
        self.data = folder / "data"
        self.ports = {name: free_port() for name in ("peer", "member", "clients")}
        self.config, self.config_managed = folder / "reeved.yaml", folder / "managed.yaml"
        key_write(folder / "secrets.key", os.urandom(32))
        key_write(folder / "data.signer.key", os.urandom(32))
        self.manager = Manager(folder, "--config", str(self.config), "--haste", "20", control=True)
        self.common = f"name: m0\ndata: {self.data}\nsecretKey: {folder}/secrets.key\npeer: {{address: \"127.0.0.1:{self.ports['peer']}\"}}\n"
        self.config_managed.write_text(f"{self.common}store:\n  managed: {{address: \"127.0.0.1:{self.ports['member']}\", "
                                       f"clients: \"127.0.0.1:{self.ports['clients']}\"}}\n")

    def use(self, engine):
        """Let the manager use this engine from now on."""
        self.config.write_text(self.config_managed.read_text() if engine == "managed" else f"{self.common}store: sqlite\n")

    def start(self, engine="managed"):
        """Start the manager on this engine."""
        self.use(engine)
        return self.manager.start()

    def refused(self, engine="managed"):
        """What a manager says that does not start."""
        self.use(engine)
        before = len(self.manager.log.read_bytes()) if self.manager.log.exists() else 0
        self.manager.start(wait=False)
        assert self.manager.process.wait(60) != 0
        self.manager.process = None
        return self.manager.log.read_bytes()[before:].decode()

    def run(self, *words, code=0, **env):
        """A verb of `reeve` beside a manager that does not run."""
        done = subprocess.run([REEVE, *words, "--config", self.config_managed], capture_output=True, text=True, check=False, timeout=240,
                              env={**os.environ, **env})
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    @property
    def member(self):
        """The process of the member, which reeved has started."""
        return Member(self.data)

    def said(self):
        """The end of the logs."""
        store = self.data / "member/log"
        return self.manager.log.read_text()[-3000:] + (store.read_text()[-2000:] if store.exists() else "")

    def end(self):
        """End everything."""
        self.manager.kill()
        self.member.end()


@pytest.fixture(name="host")
def fixture_host(tmp_path):
    """A host whose manager is not started."""
    host = Host(tmp_path)
    yield host
    host.end()


def shop(size, name="shop"):
    """A cluster of machines of the plugin `file`, which exist on this host."""
    return {"name": name, "version": "1", "groups": {"web": {"size": size, "resourcePlugin": {"name": "file"}}}}


def until_machines(host, count):
    """Until there are so many machines."""
    return until(lambda: len(found := set(machine_files(host.folder))) == count and found, lambda: str(machine_files(host.folder)) + host.said())


def names(manager):
    """The names of the clusters."""
    return {row["metadata"]["name"] for row in manager.get("/v1/clusters").json["items"]}


def is_open(host):
    """Whether the member listens for other hosts, with the manager's certificate."""
    return host.member.ask("status")["arguments.client_listen"] == f"https://127.0.0.1:{host.ports['clients']}"


def test_the_first_start_makes_a_store_that_outlives_the_manager(host):
    manager = host.start()
    manager.apply(shop(2))
    machines = until_machines(host, 2)
    shown = manager.get("/v1/managers").json
    assert shown["store"] == "managed"
    until(lambda: is_open(host), host.said)
    first = host.member.until(lambda status: status["is_serving"])
    assert (host.data / "member").stat().st_mode & 0o777 == 0o700
    peer = host.data / "peer"
    words = ["etcdctl", f"--endpoints=https://127.0.0.1:{host.ports['clients']}", f"--cacert={peer}/ca.pem", "endpoint", "health"]
    env = {**os.environ, "ETCDCTL_API": "3"}
    assert subprocess.run([*words, f"--cert={peer}/certificate.pem", f"--key={peer}/key.pem"], check=False, timeout=60, env=env).returncode == 0
    assert subprocess.run(words, check=False, timeout=60, env=env).returncode != 0  # without a certificate
    assert manager.stop() == 0
    assert host.member.ask("status")["pid"] == first["pid"]  # the store goes on
    manager = host.start()
    assert host.member.ask("status")["pid"] == first["pid"]
    assert names(manager) == {"shop"} and set(machine_files(host.folder)) == machines
    manager.apply(shop(3))
    assert machines < until_machines(host, 3)
    assert manager.stop() == 0


def test_kills_of_each_process(host):
    manager = host.start()
    until(lambda: is_open(host) and host.member.ask("status")["is_serving"], host.said)
    done = set()
    for number, victim in enumerate(("etcd", "reeve-store", "reeved", "all")):
        name = f"c{number}"
        until(lambda: manager.post("/v1/clusters?allow=", shop(0, name)).status in (200, 201, 202, 409), host.said)  # pylint: disable=cell-var-from-loop
        done.add(name)
        if victim in ("etcd", "all"):
            os.kill(host.member.ask("status")["pid"], signal.SIGKILL)
        if victim in ("reeve-store", "all"):
            os.kill(host.member.pid(), signal.SIGKILL)
        if victim in ("reeved", "all"):  # a manager that goes on starts reeve-store again
            manager.kill()
            manager = host.start()
        until(lambda: manager.get("/readyz").status == 200 and names(manager) == done, host.said)


def test_a_store_that_cannot_be_opened_says_why(host, tmp_path):
    assert host.start().stop() == 0
    until(lambda: host.member.ask("status")["is_serving"], host.said)
    other = tmp_path / "other"
    other.mkdir()
    copy = Host(other)
    try:
        copy.data.mkdir(mode=0o700)
        (copy.data / "member").mkdir(mode=0o700)
        shutil.copy(host.data / "member/member.json", copy.data / "member")
        (copy.data / "manager.id").write_text("00000000-0000-4000-8000-000000000000\n")
        assert "error[R0596]" in (refused := copy.refused()) and "copied from another host" in refused, refused
    finally:
        copy.end()
    host.member.ask("stop")
    shutil.rmtree(host.data / "member/etcd")
    assert "error[R0596]" in (refused := host.refused()) and "are missing" in refused, refused
    assert not (host.data / "member/etcd").exists()


def test_there_and_back(host):
    manager = host.start("sqlite")
    manager.apply(shop(2))
    machines = until_machines(host, 2)
    assert manager.stop() == 0
    assert "the store has moved to the managed store" in host.run("manager", "move-store", "--to", "managed")
    assert "error[R0591]" in (refused := host.refused("sqlite")) and "the store was moved to the managed store" in refused, refused
    manager = host.start()
    manager.apply(shop(3))
    grown = until_machines(host, 3)
    assert machines < grown
    assert manager.stop() == 0
    assert "set store: sqlite" in host.run("manager", "move-store", "--to", "sqlite")
    assert host.member.ask("status")["state"] == "absent"
    manager = host.start("sqlite")
    manager.apply(shop(4))
    assert grown < until_machines(host, 4)
    assert manager.stop() == 0
    host.run("manager", "move-store", "--to", "managed")
    assert names(host.start()) == {"shop"}


def test_kills_at_each_step_of_a_move_to_the_managed_store(host):
    manager = host.start("sqlite")
    manager.apply(shop(0))
    assert manager.stop() == 0
    for step in ("open", "arrive", "copy", "arrived", "check", "commit", "activate"):
        host.run("manager", "move-store", "--to", "managed", code=-signal.SIGKILL, REEVE_MOVE_END=step)
        if step == "activate":
            assert "error[R0591]" in host.refused("sqlite")
            break
        assert "error[R0523]" in host.refused(), step
        manager = host.start("sqlite")
        manager.apply(shop(0, f"c-{step}"))
        assert manager.stop() == 0
    assert len(names(host.start())) == 7


def test_kills_at_each_step_of_a_move_from_the_managed_store(host):
    manager = host.start()
    manager.apply(shop(0))
    assert manager.stop() == 0
    for step in ("open", "frozen", "copy", "arrived", "check", "commit", "activate"):
        host.run("manager", "move-store", "--to", "sqlite", code=-signal.SIGKILL, REEVE_MOVE_END=step)
        if step == "activate":
            break
        assert "error[R0" in host.refused("sqlite"), step
        manager = host.start()
        manager.apply(shop(0, f"c-{step}"))
        assert manager.stop() == 0
    os.kill(host.member.pid(), signal.SIGKILL)  # also reeve-store is gone when the manager starts
    assert len(names(host.start("sqlite"))) == 7


def test_a_failed_move_leaves_no_member(host):
    manager = host.start("sqlite")
    manager.apply(shop(0))
    assert "error[R0507]" in host.run("manager", "move-store", "--to", "managed", code=1)  # while it runs
    with pytest.raises((OSError, Refused)):
        assert host.member.ask("status")["state"] == "absent"
        raise Refused
    assert "error[R0582]" in host.run("manager", "move-store", "--to", "etcd", code=5)


def test_backup_and_restore(host, tmp_path):
    manager = host.start()
    manager.apply(shop(1))
    machines = until_machines(host, 1)
    until(lambda: list((host.data / "backups").glob("*.reevebackup")), host.said)  # without being asked
    saved = tmp_path / "saved"
    reeve(manager, "backup", str(saved))
    manager.apply(shop(0, "later"))
    assert manager.stop() == 0
    assert "error[R0523]" in host.run("restore", saved, code=5)
    assert "the managed store has the store of revision" in host.run("restore", saved, "--replace")
    manager = host.start()
    assert names(manager) == {"shop"} and set(machine_files(host.folder)) == machines
    assert manager.stop() == 0
    # into an empty folder: the member is lost
    host.member.end()
    shutil.rmtree(host.data / "member")
    host.run("restore", saved)
    assert names(host.start()) == {"shop"}


USER = 61234  # an id that no account has


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_the_member_runs_as_the_owner_of_the_folder():
    """A manager that root starts becomes the owner of its folder, and so does the process of its member. The path of the folder is
    longer than that of a socket may be."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="managed-"))
    folder.chmod(0o755)
    deep = folder / ("long-" * 18)
    deep.mkdir(mode=0o755)
    host = Host(deep)
    host.manager.socket = str(folder / "s")
    try:
        host.data.mkdir(mode=0o700)
        for path in (host.data, deep / "secrets.key"):
            os.chown(path, USER, USER)
        host.start().apply(shop(0))
        uids = pathlib.Path(f"/proc/{host.member.pid()}/status").read_text().split("Uid:")[1].split()[:4]
        assert set(uids) == {str(USER)} and (host.data / "member").stat().st_uid == USER
        until(lambda: is_open(host), host.said)
        assert host.manager.stop() == 0
        assert names(host.start()) == {"shop"}
        assert host.manager.stop() == 0
    finally:
        host.end()
        shutil.rmtree(folder)


def test_a_manager_without_etcd_says_what_to_install(host, tmp_path):
    """`unshare` gives the manager a file system without the program etcd."""
    empty = tmp_path / "empty"
    empty.touch()
    if subprocess.run(["unshare", "-m", "mount", "--bind", empty, "/usr/bin/etcd"], check=False, capture_output=True, timeout=60).returncode != 0:
        pytest.skip("needs mount namespaces")
    host.use("managed")
    script = f"mount --bind {empty} /usr/bin/etcd && exec {REEVED} --config {host.config} --socket {host.folder}/s"
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, check=False, timeout=120)
    assert "error[R0597]" in done.stderr and "apt-get install etcd-server etcd-client" in done.stderr, done.stderr + host.said()
