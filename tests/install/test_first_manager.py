"""reeve bootstrap manager: a bare Debian with nothing but an sshd becomes the first manager, and every step can be repeated (LIFECYCLE.md 12, C14)."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import pytest

import room
from conftest import BUILD, ROOT, has_release

sys.path.insert(0, str(ROOT / "tests"))
from pylib.etcd import Etcd, openssl  # noqa: E402
HOST, HERE = "10.231.7.2", "10.231.7.1"
RUN_S = 600


def ip(*words):
    subprocess.run(["ip", *words], check=True, timeout=60)


@contextlib.contextmanager
def linked(first):
    """A cable between this computer and a room."""
    name = f"rv{os.getpid()}"
    ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", str(first))
    try:
        ip("addr", "add", f"{HERE}/30", "dev", name)
        ip("link", "set", name, "up")
        for words in (["addr", "add", f"{HOST}/30", "dev", "eth0"], ["link", "set", "eth0", "up"]):
            subprocess.run(["nsenter", "-t", str(first), "-n", "ip", *words], check=True, timeout=60)
        yield
    finally:
        subprocess.run(["ip", "link", "del", name], check=False, timeout=60, stderr=subprocess.DEVNULL)


class Operator:
    """Somebody with reeve, an ssh key and a home of their own."""

    def __init__(self, folder, debs):
        self.folder = folder
        folder.mkdir()
        self.debs = folder / "debs"
        self.debs.mkdir()
        for deb in debs:
            shutil.copy(deb, self.debs)
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / "key")], check=True, timeout=60)
        self.env = {"HOME": str(folder), "PATH": f"{folder}/bin:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        (folder / "bin").mkdir()
        # ssh of the account itself would read root's own files; a wrapper names those of this operator
        wrapper = folder / "bin/ssh"
        wrapper.write_text(f'#!/bin/sh\nexec /usr/bin/ssh -F /dev/null -o UserKnownHostsFile={folder}/known_hosts "$@"\n')
        wrapper.chmod(0o755)

    def knows(self, host_key):
        (self.folder / "known_hosts").write_text(f"{HOST} {host_key}\n")

    def reeve(self, *words, code=0):
        """Run reeve; what it prints on both streams."""
        done = subprocess.run([BUILD / "reeve", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, env=self.env, timeout=RUN_S, check=False)
        assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def bootstrap(self, *words, code=0):
        return self.reeve("bootstrap", "manager", HOST, "--key", str(self.folder / "key"), "--packages", str(self.debs), *words, code=code)


@pytest.fixture(name="host")
def bare_host(tmp_path, older):
    """A bare Debian 12 with an sshd."""
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        pytest.skip("a clean Debian needs root and debootstrap")
    if not has_release("bookworm"):
        pytest.skip("the mirror of this computer has no bookworm")
    with room.Room(room.layers_of("bookworm", older, ("openssh-server", "sudo", "openssl")), tmp_path / "room") as made, linked(made.first):
        yield made


def sshd_start(host, operator):
    """Its sshd, which admits root and the user admin, who may become root."""
    public = (operator.folder / "key.pub").read_text()
    host.shell("mkdir -p /run/sshd /root/.ssh && ssh-keygen -A >/dev/null && (id admin >/dev/null 2>&1 || useradd -m -s /bin/bash -p '*' admin)")
    (host.root / "root/.ssh/authorized_keys").write_text(public)
    host.shell("install -d -m 700 -o admin -g admin /home/admin/.ssh && install -m 600 -o admin -g admin /root/.ssh/authorized_keys /home/admin/.ssh/")
    host.shell("/usr/sbin/sshd -o UsePAM=no -o StrictModes=no")
    operator.knows(" ".join((host.root / "etc/ssh/ssh_host_ed25519_key.pub").read_text().split()[:2]))


def steps(output):
    return re.findall(rf"^{re.escape(HOST)}  (\w+)", output, re.MULTILINE)


def test_a_bare_host_becomes_the_first_manager(host, tmp_path, older):
    operator = Operator(tmp_path / "operator", older)
    repository = tmp_path / "web"
    shutil.copytree(ROOT / "examples/configuration", repository)

    # what cannot work says so before anything is changed
    out = operator.bootstrap(code=1)
    assert "R0852" in out and "ssh must work without questions" in out
    sshd_start(host, operator)
    host.shell("rm -f /etc/sudoers.d/admin")
    out = operator.bootstrap("--user", "admin", code=1)
    assert "may not become root by sudo -n" in out
    (host.root / "etc/sudoers.d/admin").write_text("admin ALL=(ALL) NOPASSWD: ALL\n")
    out = operator.reeve("bootstrap", "manager", HOST, "--packages", str(tmp_path), code=1)
    assert "no packages of reeve and reeved" in out and "make deb" in out
    assert host.shell("ls /var/lib/reeve-bootstrap /etc/reeve 2>&1", code=2).count("No such file") == 2

    # all of it
    out = operator.bootstrap("--user", "admin", "--repo", str(repository))
    assert steps(out) == ["preflight", "packages", "configure", "start", "login", "repository"], out
    assert operator.reeve("context", "list", "-o", "name").split() == [HOST]
    assert '"role":"owner"' in operator.reeve("api", "GET", "/v1/whoami")  # the account of this test is root
    assert "web" in operator.reeve("get", "configs")
    assert host.run("stat", "-c", "%a", "/etc/reeve/tls.key").stdout.strip() == "600"
    (tmp_path / "first.yaml").write_text(re.search(r"```yaml first\.yaml\n(.*?)```", (ROOT / "docs/guide/first-cluster.md").read_text(), re.DOTALL)[1])
    operator.reeve("apply", "-f", str(tmp_path / "first.yaml"), "--yes")
    certificate = (host.root / "etc/reeve/tls.crt").read_bytes()

    # again: nothing is installed or made a second time, and the manager is not started again
    pid = host.shell("cat /run/reeve/reeved.pid")
    out = operator.bootstrap("--user", "admin")
    assert "is installed" in out and "the listeners stay" in out and steps(out)[-1] == "login"
    assert host.shell("cat /run/reeve/reeved.pid") == pid and (host.root / "etc/reeve/tls.crt").read_bytes() == certificate
    assert operator.reeve("get", "nodes", "-o", "name").strip()

    # a manager that was made in another way is left alone, and its address is reported
    host.shell("rm -r /var/lib/reeve-bootstrap")
    out = operator.bootstrap(code=5)
    assert "R0851" in out and "has a manager already, at 0.0.0.0:8420" in out
    host.shell("service reeved stop")


def test_an_interrupted_run_goes_on_where_it_stopped(host, tmp_path, older):
    operator = Operator(tmp_path / "operator", older)
    sshd_start(host, operator)
    words = [BUILD / "reeve", "bootstrap", "manager", HOST, "--key", str(operator.folder / "key"), "--packages", str(operator.debs)]
    # killed after each step in turn
    for mark in ("packages", "configure", "start", "token"):
        process = subprocess.Popen(words, env=operator.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        ends = time.monotonic() + RUN_S
        while not (host.root / "var/lib/reeve-bootstrap" / mark).exists() and process.poll() is None and time.monotonic() < ends:
            time.sleep(0.01)
        process.kill()
        process.wait()
        assert (host.root / "var/lib/reeve-bootstrap" / mark).exists()
    out = operator.bootstrap()
    assert steps(out)[-1] == "login" and "context" in out
    assert host.shell("grep -c '^listen:' /etc/reeve/reeved.yaml").strip() == "1"
    operator.reeve("status")
    host.shell("service reeved stop")


def test_clock_and_port_are_checked(host, tmp_path, older):
    operator = Operator(tmp_path / "operator", older)
    sshd_start(host, operator)
    date = pathlib.Path(host.root / "usr/local/bin/date")
    date.write_text('#!/bin/sh\n[ "$1" = +%s ] && echo 1000000000 || exec /bin/date "$@"\n')
    date.chmod(0o755)
    blocker = subprocess.Popen(["nsenter", "-t", host.first, "-n", sys.executable, "-c",
                                "import socket, time; s = socket.create_server(('0.0.0.0', 8420)); time.sleep(600)"])
    try:
        ends = time.monotonic() + 60
        while "port used" not in (out := operator.bootstrap(code=5)) and "port 8420 is in use" not in out:
            assert time.monotonic() < ends, out
        assert "port 8420 is in use" in out and "the clock of the host differs" in out  # both faults in one run
        assert not (host.root / "etc/reeve").exists()
    finally:
        blocker.kill()
        blocker.wait()


class ReachableEtcd(Etcd):
    """An etcd at the address by which the room reaches this computer."""

    def __init__(self, folder):
        super().__init__(folder)
        names = folder / "here.ext"
        names.write_text(f"subjectAltName=IP:{HERE}\nextendedKeyUsage=serverAuth,clientAuth\n")
        openssl("x509", "-req", "-days", "1", "-in", folder / "server.csr", "-CA", folder / "ca.pem", "-CAkey", folder / "ca.key", "-CAcreateserial",
                "-extfile", names, "-out", folder / "server.pem")

    @property
    def endpoint(self):
        return f"https://{HERE}:{self.port}"


def test_the_first_manager_on_an_etcd_becomes_a_member(host, tmp_path, older):
    """--store: no manager with a store of its own is started before. --as: the host is adopted into a group, which is made."""
    operator = Operator(tmp_path / "operator", older)
    sshd_start(host, operator)
    (host.root / "etc/sudoers.d/admin").write_text("admin ALL=(ALL) NOPASSWD: ALL\n")
    (tmp_path / "etcd").mkdir()
    files = tmp_path / "etcd"
    out = operator.bootstrap("--store", "http://10.0.0.1:2379", code=2)
    assert "is not an endpoint of etcd" in out
    assert "--store needs --store-ca" in operator.bootstrap("--store", "https://10.0.0.1:2379", code=2)
    assert "--as CLUSTER/GROUP" in operator.bootstrap("--as", "home", code=2)
    with ReachableEtcd(files) as etcd:
        words = ("--user", "admin", "--store", etcd.endpoint, "--store-ca", str(files / "ca.pem"), "--store-certificate", str(files / "client.pem"),
                 "--store-key", str(files / "client.key"), "--as", "home/managers")
        out = operator.bootstrap(*words)
        assert steps(out) == ["preflight", "packages", "store", "configure", "start", "login", "member"], out
        assert not (host.root / "var/lib/reeve/store.db").exists() and not (host.root / "usr/sbin/policy-rc.d").exists()
        assert host.shell("stat -c '%U %a' /etc/reeve/store.key").strip() == "reeved 600"
        assert f'peer: {{address: "{HOST}:7443"}}' in (host.root / "etc/reeve/reeved.yaml").read_text()
        assert "etcd" in operator.reeve("manager", "status", "-o", "json") or "live" in operator.reeve("manager", "status")
        assert operator.reeve("get", "nodes", "-o", "name").split() == ["node/home/managers-0"]
        assert "ready" in operator.reeve("get", "nodes")
        out = operator.bootstrap(*words)
        assert "the store stays as it is configured" in out and "is a member of home/managers" in out, out
        host.shell("service reeved stop")


def test_a_host_with_a_store_of_its_own_gets_no_other(host, tmp_path, older):
    """The first run had no --store: moving the store is a command of its own."""
    operator = Operator(tmp_path / "operator", older)
    sshd_start(host, operator)
    (host.root / "var/lib/reeve").mkdir(parents=True)
    (host.root / "var/lib/reeve/store.db").write_text("")
    for name in ("ca", "cert", "key"):
        (tmp_path / name).write_text("x\n")
    host.shell("mkdir -p /var/lib/reeve-bootstrap && echo 0.0.1 >/var/lib/reeve-bootstrap/packages")
    out = operator.bootstrap("--store", f"https://{HERE}:1", "--store-ca", str(tmp_path / "ca"), "--store-certificate", str(tmp_path / "cert"),
                             "--store-key", str(tmp_path / "key"), code=1)
    assert "reeve manager move-store --to etcd" in out, out
