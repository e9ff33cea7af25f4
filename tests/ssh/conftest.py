"""What the tests of keys and certificates share: the tool over src/ssh, OpenSSH, an sshd of one's own."""
import hashlib
import os
import pathlib
import pwd
import socket
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from pylib.ports import free_port  # noqa: E402

BUILD = ROOT / "build/asan"
TOOL = BUILD / "tests/ssh/ssh_tool"
SSHD = "/usr/sbin/sshd"
ME = pwd.getpwuid(os.getuid()).pw_name
HOST = "127.0.0.1"
PRINCIPAL = "cluster:acme/0f3c"


def tool(*words, fails=False):
    """What the tool prints; with fails, what it says of why not."""
    assert TOOL.exists(), "tools/build asan"
    run = subprocess.run([TOOL, *map(str, words)], text=True, capture_output=True, check=False,
                         timeout=240)
    assert run.returncode == (1 if fails else 0), run.stderr
    return run.stderr if fails else run.stdout


def keygen(*words, code=0):
    """What ssh-keygen prints."""
    run = subprocess.run(["ssh-keygen", *map(str, words)], text=True, capture_output=True,
                         stdin=subprocess.DEVNULL, check=False, timeout=240)
    assert run.returncode == code, run.stdout + run.stderr
    return run.stdout + run.stderr


def seed(name):
    """A seed, the same for the same name."""
    return hashlib.sha256(name.encode()).hexdigest()


class Pair:
    """A key of src/ssh's, in a file that ssh can use."""

    def __init__(self, folder, name):
        self.seed = seed(name)
        self.file = folder / name
        self.line = tool("key", self.seed, f"{name}@test", self.file).strip()
        self.public = folder / f"{name}.pub"
        self.public.write_text(self.line + "\n")
        self.cert_file = folder / f"{name}-cert.pub"

    def certify(self, authority, kind, principals, *options, serial=1, name="someone",
                after=-300, before=3600):
        """A certificate for this key, times as seconds from now; ssh finds it beside the key."""
        now = int(time.time())
        line = tool("cert", authority.seed, kind, self.line, name, serial, now + after,
                    now + before, principals, *options)
        self.cert_file.write_text(line)
        return line.strip()


@pytest.fixture
def pair(tmp_path):
    """Make a pair: pair("alice")."""
    return lambda name: Pair(tmp_path, name)


class Sshd:
    """An sshd with a host certificate, trusting one authority of users; ended by its number."""

    def __init__(self, folder, users, hosts, host):
        self.folder = folder
        self.port = free_port()
        self.revoked = folder / "revoked"
        self.process = None
        (folder / "authorities").write_text(users.line + "\n")
        (folder / f"principals-{ME}").write_text(tool("principals", PRINCIPAL))
        if not self.revoked.exists():
            tool("krl", self.revoked, 1, users.line, "-", "-")
        (folder / "known").write_text(tool("known", "authority", f"[{HOST}]:{self.port}",
                                           hosts.line))
        part = tool("sshd", folder / "authorities", host.file, host.cert_file,
                    f"{folder}/principals-%u", self.revoked)
        self.config = folder / "sshd_config"
        self.config.write_text(
            f"ListenAddress {HOST}\nPort {self.port}\nPidFile none\nUsePAM no\nStrictModes no\n"
            f"AuthorizedKeysFile {folder}/authorized_keys\nPasswordAuthentication no\nPermitRootLogin yes\n"
            f"KbdInteractiveAuthentication no\nLogLevel VERBOSE\n{part}")

    def start(self):
        """Until it answers."""
        if os.getuid() == 0:
            pathlib.Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        self.process = subprocess.Popen([SSHD, "-D", "-e", "-f", self.config],
                                        stderr=(self.folder / "log").open("a"))
        for _ in range(1200):
            with socket.socket() as one:
                if one.connect_ex((HOST, self.port)) == 0:
                    return self
            assert self.process.poll() is None, self.log()
            time.sleep(0.05)
        raise AssertionError(self.log())

    def stop(self):
        """And wait for its end."""
        if self.process:
            self.process.terminate()
            self.process.wait(60)

    def log(self):
        """What it has said."""
        return (self.folder / "log").read_text()

    def login(self, user, command="echo in", options=()):
        """(did it go well, what came)."""
        run = subprocess.run(
            ["ssh", "-F", "none", "-i", user.file, "-p", str(self.port), "-o", "BatchMode=yes",
             "-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none",
             "-o", "StrictHostKeyChecking=yes", "-o", "GlobalKnownHostsFile=none",
             "-o", f"UserKnownHostsFile={self.folder}/known", *options, f"{ME}@{HOST}", command],
            text=True, capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=240)
        return run.returncode == 0, run.stdout + run.stderr


@pytest.fixture
def site(tmp_path, pair):
    """Authorities of users and hosts, a host with its certificate, and its sshd, which runs."""
    users, hosts, host = pair("users"), pair("hosts"), pair("host")
    host.certify(hosts, "host", f"{HOST},web-1", serial=9, name="web-1")
    sshd = Sshd(tmp_path, users, hosts, host)
    sshd.users, sshd.hosts, sshd.host = users, hosts, host
    yield sshd.start()
    sshd.stop()
