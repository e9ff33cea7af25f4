"""Machines for tests of sessions: an sshd of one's own on addresses of loopback, ended by its number."""
import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess

from manager import until

ME = pwd.getpwuid(os.getuid()).pw_name
SSHD = shutil.which("sshd", path="/usr/sbin:/usr/bin:/sbin")


def port_of(network):
    """A port that nobody has there now; every address of 127/8 is ours on loopback."""
    with socket.socket() as one:
        one.bind((f"{network}.0", 0))
        return one.getsockname()[1]


def is_running(pid):
    """Is it there, and not only waiting to be forgotten?"""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


class Sshd:
    """One sshd, which is as many machines as it has addresses. What logs in has HOST_FOLDER, its folder."""

    def __init__(self, folder, addresses, port, *settings):
        self.folder, self.addresses, self.port, self.settings = folder, addresses, port, settings
        folder.mkdir()
        self.process = None
        self.key_make()

    def key_make(self):
        """Another host key."""
        for path in self.folder.glob("key*"):
            path.unlink()
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", self.folder / "key"], check=True)
        self.key = (self.folder / "key.pub").read_text().strip()

    def start(self, line=""):
        """Until it answers; `line` stands in the authorized_keys of whoever runs the tests, empty: what stood there."""
        if line:
            (self.folder / "authorized_keys").write_text(line + "\n")
        if os.getuid() == 0:
            pathlib.Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        lines = [*(f"ListenAddress {address}:{self.port}" for address in self.addresses), "PidFile none", "UsePAM no",
                 "StrictModes no", f"HostKey {self.folder}/key", f"AuthorizedKeysFile {self.folder}/authorized_keys",
                 "PermitRootLogin yes", "PasswordAuthentication no", "KbdInteractiveAuthentication no", "LogLevel VERBOSE",
                 *(self.settings or [f"SetEnv HOST_FOLDER={self.folder}"])]
        (self.folder / "config").write_text("\n".join(lines) + "\n")
        with (self.folder / "log").open("a") as log:
            self.process = subprocess.Popen([SSHD, "-D", "-e", "-f", self.folder / "config"], stderr=log)
        until(self.answers, self.log)
        return self

    def answers(self):
        """Does somebody listen?"""
        with socket.socket() as one:
            return one.connect_ex((self.addresses[-1], self.port)) == 0

    def stop(self):
        """With all sessions of it."""
        if self.process:
            sessions = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
            for pid in [self.process.pid, *map(int, sessions)]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM)
            self.process.wait(30)
            until(lambda: not any(map(is_running, sessions)))
            self.process = None

    def log(self):
        """What sshd has said."""
        return (self.folder / "log").read_text()
