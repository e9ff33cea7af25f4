"""Nodes for tests of bootstrap: each an sshd in namespaces of its own, with its own /etc, /root, /home, /run and /var."""
import io
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import threading

import pytest
from stages import Stages

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from pylib.node import STATE, USER, Node, keygen, wait  # noqa: E402, F401  (for the tests here)

BUILD = ROOT / "build/asan"
TOOL = BUILD / "tests/remote/node_run"
HAND = BUILD / "reeve-session"
PROGRAMS = ROOT / "src/remote/programs"

needs_root = pytest.mark.skipif(os.getuid() != 0, reason="needs root")

ENDS = ["done", "continued", "failed", "timeout", "interrupted", "unreachable", "host key",
        "user key", "no root", "no space", "refused", "cancelled"]


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

    def wait(self, seconds=400):
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
def run(tmp_path):
    """Begin a run: run(node, [{tar: ...}], ...)."""
    made = []

    def one_more(node, stages, **words):
        made.append(Run(node, tmp_path, [dict(stage) for stage in stages], **words))
        return made[-1]
    yield one_more
    for one in made:
        if one.process.poll() is None:
            one.kill()


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
    return Stages(tmp_path, PROGRAMS)
