"""Nodes for tests of bootstrap: each an sshd in namespaces of its own, with its own /etc, /root, /home, /run and /var."""
import contextlib
import io
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import threading
import time

import pytest
from stages import Stages

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from pylib.ports import free_port  # noqa: E402

BUILD = ROOT / "build/asan"
TOOL = BUILD / "tests/remote/node_run"
HAND = BUILD / "reeve-hand"
NATIVE = BUILD / "src/native/reeve-node-checked"
PROGRAMS = ROOT / "src/remote/programs"
STATE = "var/lib/reeve-node"
USER = "ops"

needs_root = pytest.mark.skipif(os.getuid() != 0, reason="needs root")

ENDS = ["done", "continued", "failed", "timeout", "interrupted", "unreachable", "host key",
        "user key", "no root", "no space", "refused", "cancelled"]


def keygen(*words):
    """ssh-keygen, which must go well."""
    subprocess.run(["ssh-keygen", *map(str, words)], check=True, capture_output=True,
                   stdin=subprocess.DEVNULL, timeout=60)


def wait(condition, seconds=60, why=lambda: ""):
    """Until it is so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"it did not come: {why()}"
        time.sleep(0.02)


class Node:
    """One node: its disk stays when it is killed, as a machine's does."""

    def __init__(self, folder, name="web-1", disk_kib=0):
        self.folder, self.name, self.disk_kib = folder, name, disk_kib
        self.port = free_port()
        self.process = None
        folder.mkdir(parents=True)
        shutil.copytree("/etc", folder / "etc", symlinks=True)
        for part in ("root/.ssh", f"home/{USER}", "run/sshd", "var/lib"):
            (folder / part).mkdir(parents=True)
        (folder / "root").chmod(0o700)
        self.key = folder / "key"
        keygen("-q", "-t", "ed25519", "-N", "", "-C", "", "-f", self.key)
        etc = folder / "etc"
        for path in (etc / "ssh").glob("ssh_host_*"):
            path.unlink()
        keygen("-q", "-t", "ed25519", "-N", "", "-C", "", "-f", etc / "ssh/ssh_host_ed25519_key")
        self.host_key = " ".join((etc / "ssh/ssh_host_ed25519_key.pub").read_text().split()[:2])
        public = (folder / "key.pub").read_text()
        (folder / "root/.ssh/authorized_keys").write_text(public)
        home = folder / f"home/{USER}"
        (home / ".ssh").mkdir()
        (home / ".ssh/authorized_keys").write_text(public)
        for path in (home, home / ".ssh", home / ".ssh/authorized_keys"):
            os.chown(path, 4242, 4242)
        with (etc / "passwd").open("a") as out:
            out.write(f"{USER}:x:4242:4242::/home/{USER}:/bin/bash\n")
        with (etc / "shadow").open("a") as out:
            out.write(f"{USER}:*:19000:0:99999:7:::\n")
        with (etc / "group").open("a") as out:
            out.write(f"{USER}:x:4242:\n")
        (etc / "sudoers.d").mkdir(exist_ok=True)
        self.allow_sudo()
        (etc / "ssh/sshd_config").write_text(
            f"Include /etc/ssh/sshd_config.d/*.conf\nListenAddress 127.0.0.1\nPort {self.port}\n"
            "PidFile /run/sshd.pid\nUsePAM no\nStrictModes no\nPermitRootLogin yes\n"
            "PasswordAuthentication no\nUseDNS no\nMaxStartups 100\nLogLevel ERROR\n")
        shutil.rmtree(etc / "ssh/sshd_config.d", ignore_errors=True)
        (etc / "ssh/sshd_config.d").mkdir()
        (folder / "env").write_text("")

    def allow_sudo(self, allowed=True):
        """May the user become root?"""
        path = self.folder / "etc/sudoers.d/ops"
        path.unlink(missing_ok=True)
        if allowed:
            path.write_text(f"{USER} ALL=(ALL) NOPASSWD: ALL\n")
            path.chmod(0o440)

    def start(self):
        """Until it answers."""
        small = ""
        if self.disk_kib:
            small = (f"mount -t tmpfs -o size={self.disk_kib}k disk $d/var/lib; mkdir -p $d/root/native $d/{STATE}; "
                     f"chmod 700 $d/{STATE}; ln -s /root/native $d/{STATE}/native; ")  # which is not what is tested there
        script = ("set -e; d=$0; mount -t proc proc /proc; hostname $1; " + small +
                  "for i in etc root home run var; do mount --rbind $d/$i /$i; done; "
                  "exec /usr/sbin/sshd -D -E /root/sshd.log")
        self.process = subprocess.Popen(
            ["unshare", "--mount", "--pid", "--uts", "--fork", "--kill-child", "--propagation",
             "private", "sh", "-c", script, self.folder, self.name],
            stdin=subprocess.DEVNULL)
        wait(self.is_up)
        return self

    def is_up(self):
        """Does it answer?"""
        assert self.process.poll() is None, "the node has ended"
        return self.is_heard()

    def is_heard(self):
        """Does anybody take a connection there?"""
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self):
        """As a cut of its power, but for what is in the system's memory."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait(60)
            wait(lambda: not self.is_heard(), why=self.listeners)  # what it has started ends a moment later

    def listeners(self):
        """Who listens at its port."""
        return subprocess.run(["ss", "-ltnp", f"sport = :{self.port}"], capture_output=True, text=True, check=False).stdout

    def init(self):
        """The number of its first process, as seen from here."""
        path = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        ends = time.monotonic() + 60
        while not (words := path.read_text().split()):  # the system leaves children out while processes end
            assert time.monotonic() < ends, f"the node has ended: {self.process.poll()}"
            time.sleep(0.01)
        return int(words[0])

    def put_before(self, command, script):
        """A program that is found before one of the system's, on this node alone."""
        words = ("mountpoint -q /usr/local/sbin || mount -t tmpfs before /usr/local/sbin; "
                 'printf "%s" "$1" >/usr/local/sbin/$0; chmod 755 /usr/local/sbin/$0')
        subprocess.run(["nsenter", "--mount", "--target", str(self.init()), "sh", "-c", words, command, script],
                       check=True, timeout=60)

    def cut_sessions(self):
        """Kill what serves sessions, and not the listener."""
        for word in pathlib.Path(f"/proc/{self.init()}/task/{self.init()}/children").read_text().split():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # one may end by itself meanwhile
                if pathlib.Path(f"/proc/{word}/comm").read_text().startswith("sshd"):  # or sshd-session
                    os.kill(int(word), signal.SIGKILL)

    def path(self, name):
        """A file of the node's, as seen from here; in its own namespace while it runs."""
        if self.disk_kib and self.process:
            return pathlib.Path(f"/proc/{self.init()}/root") / name
        return self.folder / name

    def read(self, name):
        """What is in a file of the node's; empty where there is none."""
        try:
            return self.path(name).read_text()
        except OSError:
            return ""

    def stage(self, number):
        """The folder of a stage."""
        return self.path(f"{STATE}/stage-{number}")


@pytest.fixture
def nodes(tmp_path):
    """Make nodes: nodes("web-1", disk_kib=0); they end with the test."""
    made = []

    def make(name="web-1", **options):
        made.append(Node(tmp_path / name, name, **options))  # one that does not come up ends as well
        return made[-1].start()
    yield make
    for node in made:
        node.kill()


@pytest.fixture
def node(nodes):
    """A node."""
    return nodes()


def bundle(path, script, files=None):
    """An archive with this script; its path."""
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in {"bootstrap.sh": script.encode(), **(files or {})}.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(data), 0o644
            tar.addfile(member, io.BytesIO(data))
    return path


# Counts its starts where no stage's folder is: on the node's disk, at once.
COUNT = "echo $REEVE_STAGE >>/root/starts; sync /root/starts\n"


class Run:
    """One run of the machine of a node; its lines."""

    def __init__(self, node, folder, stages, port=None, user="root", **words):
        self.folder = pathlib.Path(f"/tmp/reeve-node-{os.getpid()}-{random.randrange(1 << 30)}")
        self.folder.mkdir(mode=0o700)
        command = [TOOL, f"hand={HAND}", f"folder={self.folder}/h", "address=127.0.0.1",
                   f"port={port or node.port}", f"user={user}", f"key={node.key}",
                   f"host-key={node.host_key}"]
        command += [f"{key.replace('_', '-')}={value}" for key, value in words.items()]
        for stage in stages:
            arguments = stage.pop("args", [])
            command += ["stage"] + [f"{key}={value}" for key, value in stage.items()]
            command += ["args", *arguments] if arguments else []
        self.log = folder / f"run-{random.randrange(1 << 30)}"
        self.error = self.log.with_suffix(".err")
        self.process = subprocess.Popen(command, stdout=self.log.open("w"),
                                        stderr=self.error.open("w"),
                                        stdin=subprocess.DEVNULL)

    def wait(self, seconds=120):
        """Until it has ended; its end."""
        code = self.process.wait(seconds)
        shutil.rmtree(self.folder, ignore_errors=True)
        assert 10 <= code < 10 + len(ENDS), self.error.read_text() + "\n".join(self.lines())
        return ENDS[code - 10]

    def kill(self):
        """As if the manager died."""
        self.process.kill()
        self.process.wait(60)
        shutil.rmtree(self.folder, ignore_errors=True)

    def lines(self):
        """What was told."""
        return self.log.read_text(errors="replace").splitlines()

    def output(self, stage):
        """The output of a stage, all attempts."""
        found = [re.match(rf"line {stage} \d+ \d+ (.*)", line) for line in self.lines()]
        return [match[1] for match in found if match]


@pytest.fixture
def begin(tmp_path):
    """Begin a run: begin(node, [{tar: ...}], ...)."""
    made = []

    def one_more(node, stages, **words):
        made.append(Run(node, tmp_path, [dict(stage) for stage in stages], **words))
        return made[-1]
    yield one_more
    for one in made:
        if one.process.poll() is None:
            one.kill()


@pytest.fixture(params=["shell", "native"])
def run(begin, request):
    """The same, by the node's own programs of the shell, and by reeve-node."""
    def one_more(node, stages, **words):
        return begin(node, stages, **({"native": NATIVE} if request.param == "native" else {}), **words)
    return one_more


class Proxy:
    """Passes bytes on to a node; cuts each connection behind so many bytes (both ways), as often as it is told."""

    def __init__(self, port):
        self.to, self.cuts, self.passed = port, [], 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.threads = [threading.Thread(target=self.serve, daemon=True)]
        self.threads[0].start()

    def serve(self):
        """Take connections until the listener is closed."""
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            left = [self.cuts.pop(0) if self.cuts else 1 << 60]
            try:
                server = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                client.close()
                continue
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=self.pump, args=(one, other, left), daemon=True).start()

    def pump(self, one, other, left):
        """One direction."""
        try:
            while data := one.recv(min(65536, max(left[0], 1))):
                data = data[:max(left[0], 0)]
                other.sendall(data)
                self.passed += len(data)
                left[0] -= len(data)
                if left[0] <= 0:
                    break
        except OSError:
            pass
        for end in (one, other):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        """No more connections."""
        self.listener.close()


@pytest.fixture
def proxy():
    """Make a proxy to a port."""
    made = []

    def make(port):
        made.append(Proxy(port))
        return made[-1]
    yield make
    for one in made:
        one.close()


@pytest.fixture
def stages(tmp_path):
    """One node's, by its programs of the shell."""
    return Stages(tmp_path, PROGRAMS, NATIVE)


@pytest.fixture(params=["shell", "native"])
def both(request, stages):  # pylint: disable=redefined-outer-name
    """The same, by the programs of the shell and by reeve-node."""
    stages.native = request.param == "native"
    return stages
