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
from pylib.ports import free_port
from pylib.proc import described, is_running, named, said_of, state_of

ME = pwd.getpwuid(os.getuid()).pw_name
SSHD = shutil.which("sshd", path="/usr/sbin:/usr/bin:/sbin")


def port_of(network):
    """A port that nobody has there; every address of 127/8 is ours on loopback."""
    return free_port(f"{network}.0")


def sessions_of(pid):
    """The processes of sshd that a process of sshd has begun; what people run in a session is none."""
    children = [int(child) for child in said_of(pid, f"task/{pid}/children").split()]
    return [child for child in children if is_running(child) and named(child).startswith("sshd")]


def halted(pids):
    """These processes of sshd with all that they have begun. None of them goes on, so none begins another one, and none is missed."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
    until(lambda: all(state_of(pid) in "TZX" for pid in pids), lambda: f"they do not halt:\n{described(pids)}")
    sessions = [session for pid in pids for session in sessions_of(pid)]
    return [*pids, *halted(sessions)] if sessions else pids


class Sshd:
    """One sshd, which is as many machines as it has addresses. What logs in has HOST_FOLDER, its folder, and no start-up files: those of
    the user who runs the tests may take seconds at each login."""

    def __init__(self, folder, addresses, port, *settings):
        self.folder, self.addresses, self.port, self.settings = folder, addresses, port, settings
        folder.mkdir()
        self.process = None
        self.wrap = []  # a command that starts it
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
                 *(self.settings or [f"SetEnv HOST_FOLDER={self.folder} HOME={self.folder}"])]
        (self.folder / "config").write_text("\n".join(lines) + "\n")
        with (self.folder / "log").open("a") as log:
            self.process = subprocess.Popen([*self.wrap, SSHD, "-D", "-e", "-f", self.folder / "config"], stderr=log)
        connection = until(lambda: self.process.poll() is not None or self.asked(), self.log)
        assert self.process.poll() is None, f"it has ended by itself: {self.log()}"
        with connection:  # until it is served: a session that comes later would be taken for somebody else's
            until(lambda: f" port {connection.getsockname()[1]} on " in self.log(), self.log)
        return self

    def asked(self):
        """The connection of who asked whether somebody listens; None: nobody does."""
        one = socket.socket()
        if one.connect_ex((self.addresses[-1], self.port)) == 0:
            return one
        one.close()
        return None

    def stop(self):
        """With all sessions of it, as a machine that loses its power. SIGTERM is not enough: a session that has not executed itself anew
        yet takes it for its listener's, one that is about to wait looks for it when it has waited, and both forget it."""
        process, self.process = self.process, None
        if process:
            assert process.poll() is None, f"it has ended by itself: {self.log()}"
            family = halted([process.pid])
            for pid in family:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.wait(60)
            until(lambda: not any(map(is_running, family)), lambda: f"they live on:\n{described(family)}")

    def log(self):
        """What sshd has said."""
        return (self.folder / "log").read_text()
