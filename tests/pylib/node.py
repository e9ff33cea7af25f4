"""A machine made of an sshd in separate namespaces, with separate /etc, /root, /home, /run and /var. Its disk is a folder."""
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

from pylib.ports import free_port

STATE = "var/lib/reeve-node"
USER = "ops"


def keygen(*words):
    """Runs ssh-keygen, which must succeed."""
    subprocess.run(["ssh-keygen", *map(str, words)], check=True, capture_output=True,
                   stdin=subprocess.DEVNULL, timeout=240)


def wait(condition, seconds=240, why=lambda: ""):
    """Waits until the condition is true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"it did not come: {why()}"
        time.sleep(0.02)


class Node:
    """One node. Its disk is kept when it is killed, like the disk of a machine."""

    def __init__(self, folder, name="web-1", disk_kib=0, address="127.0.0.1", port=None):
        self.folder, self.name, self.disk_kib, self.address = folder, name, disk_kib, address
        self.port = port or free_port()
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
            f"Include /etc/ssh/sshd_config.d/*.conf\nListenAddress {address}\nPort {self.port}\n"
            "PidFile /run/sshd.pid\nUsePAM no\nStrictModes no\nPermitRootLogin yes\n"
            "PasswordAuthentication no\nUseDNS no\nMaxStartups 100\nLogLevel ERROR\n")
        shutil.rmtree(etc / "ssh/sshd_config.d", ignore_errors=True)
        (etc / "ssh/sshd_config.d").mkdir()
        (folder / "env").write_text("")

    def allow_sudo(self, allowed=True):
        """Sets whether the user may become root."""
        path = self.folder / "etc/sudoers.d/ops"
        path.unlink(missing_ok=True)
        if allowed:
            path.write_text(f"{USER} ALL=(ALL) NOPASSWD: ALL\n")
            path.chmod(0o440)

    def start(self):
        """Starts the node, and waits until it answers."""
        small = ""
        if self.disk_kib:
            small = f"mount -t tmpfs -o size={self.disk_kib}k disk $d/var/lib; "
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
        """Returns whether it answers."""
        assert self.process.poll() is None, "the node has ended"
        return self.is_heard()

    def is_heard(self):
        """Returns whether any process accepts connections at its port."""
        with socket.socket() as one:
            return one.connect_ex((self.address, self.port)) == 0

    def kill(self):
        """Kills the node as by a power cut, except that data in the system's cache is kept."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait(60)
            wait(lambda: not self.is_heard(), why=self.listeners)  # its child processes end a moment later

    def listeners(self):
        """Returns the processes that listen at its port."""
        return subprocess.run(["ss", "-ltnp", f"sport = :{self.port}"], capture_output=True, text=True, check=False).stdout

    def init(self):
        """Returns the process id of its first process in the namespace of the test."""
        path = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        ends = time.monotonic() + 60
        while not (words := path.read_text().split()):  # the kernel leaves out children while processes end
            assert time.monotonic() < ends, f"the node has ended: {self.process.poll()}"
            time.sleep(0.01)
        return int(words[0])

    def put_before(self, command, script):
        """Installs a program that this node finds before the program of the system."""
        words = ("mountpoint -q /usr/local/sbin || mount -t tmpfs before /usr/local/sbin; "
                 'printf "%s" "$1" >/usr/local/sbin/$0; chmod 755 /usr/local/sbin/$0')
        subprocess.run(["nsenter", "--mount", "--target", str(self.init()), "sh", "-c", words, command, script],
                       check=True, timeout=240)

    def cut_sessions(self):
        """Kills the processes of sessions, but not the listener."""
        for word in pathlib.Path(f"/proc/{self.init()}/task/{self.init()}/children").read_text().split():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a process may end meanwhile
                if pathlib.Path(f"/proc/{word}/comm").read_text().startswith("sshd"):  # or sshd-session
                    os.kill(int(word), signal.SIGKILL)

    def path(self, name):
        """Returns the path of a node's file for the test; while the node runs, through its mount namespace."""
        if self.disk_kib and self.process:
            return pathlib.Path(f"/proc/{self.init()}/root") / name
        return self.folder / name

    def read(self, name):
        """Returns the content of a node's file; empty if there is none."""
        try:
            return self.path(name).read_text()
        except OSError:
            return ""

    def stage(self, number):
        """Returns the folder of a stage."""
        return self.path(f"{STATE}/stage-{number}")
