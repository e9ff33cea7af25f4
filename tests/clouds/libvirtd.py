"""A libvirt daemon of the test, in a folder of its own: its test driver, and QEMU without an accelerator."""

import functools
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import time

from driver import BUILD, Plugin
from ocean import CLUSTER, make_tags, make_token

TOOLS = ("libvirtd", "virsh", "qemu-system-x86_64", "qemu-img")
MISSING = [tool for tool in TOOLS if shutil.which(tool, path="/usr/sbin:/usr/bin") is None]
OTHER = 65534  # the daemon's user where the test runs as root: the session driver keeps all its files in its folder


class Daemon:
    """libvirtd in session mode. `test` and `qemu` are the URIs of its drivers."""

    def __init__(self):
        self.folder = folder = pathlib.Path(tempfile.mkdtemp(prefix="lv"))  # short: sockets are in it
        self.holders = []
        for name in ("run", "h", "images", "disks"):
            (folder / name).mkdir()
        config = folder / "libvirtd.conf"
        config.write_text(f'unix_sock_dir = "{folder}/run"\nauth_unix_rw = "none"\nauth_unix_ro = "none"\n')
        self.socket = folder / "run/libvirt-sock"
        self.test, self.qemu = f"test+unix:///default?socket={self.socket}", f"qemu+unix:///session?socket={self.socket}"
        self.environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": f"{folder}/h"} | {
            f"XDG_{name}": f"{folder}/h/{name[:2]}" for name in ("RUNTIME_DIR", "CONFIG_HOME", "CACHE_HOME", "DATA_HOME")}
        words = ["libvirtd", "-f", config, "-p", folder / "pid"]
        if os.geteuid() == 0:
            words = ["setpriv", f"--reuid={OTHER}", f"--regid={OTHER}", "--clear-groups", *words]
            for path in (folder, *folder.iterdir()):
                os.chown(path, OTHER, OTHER)
        with (folder / "log").open("wb") as log:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment)
        self.wait(self.socket.exists, "the daemon's socket")

    def wait(self, condition, what, seconds=60):
        """Wait until a condition holds."""
        ends = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < ends and self.process.poll() is None, (what, (self.folder / "log").read_text())
            time.sleep(0.05)

    def keep(self):
        """Hold a connection to the test driver: its state is lost with the last one."""
        holder = subprocess.Popen(["virsh", "-c", self.test], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.environment, text=True)
        self.holders.append(holder)
        holder.stdin.write("uri\n")
        holder.stdin.flush()
        assert any("+unix" in line for line in iter(holder.stdout.readline, "")), "virsh ended"

    def virsh(self, uri, *words, check=True):
        """What libvirt's own client prints."""
        done = subprocess.run(["virsh", "-q", "-c", uri, *map(str, words)], capture_output=True, text=True, env=self.environment, timeout=60,
                              check=False)
        assert not check or done.returncode == 0, done.stderr
        return done.stdout.strip()

    def lines(self, uri, *words):
        """The same, as a list of the first word of each line."""
        return [line.split()[0] for line in self.virsh(uri, *words).splitlines() if line.strip()]

    def close(self):
        """End it."""
        for holder in self.holders:
            holder.stdin.close()
            holder.wait(30)
        self.process.terminate()
        self.process.wait(60)
        shutil.rmtree(self.folder)


class Relay:
    """A socket before the daemon's. It can end its client after the n-th request, with its effect and without its answer."""

    def __init__(self, path, daemon):
        self.daemon, self.left, self.end = daemon, None, None
        self.uri = f"test+unix:///default?socket={path}"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def arm(self, requests, end):
        """Call `end` in place of the answer to this request, counted from now."""
        self.left, self.end = requests, end

    def _accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(str(self.daemon.socket))
            for pair in ((client, server, True), (server, client, False)):
                threading.Thread(target=self._pass, args=pair, daemon=True).start()

    def _pass(self, source, target, is_request):
        """Pass messages on: each has its length in front."""
        stream = source.makefile("rb")
        try:
            while head := stream.read(4):
                message = head + stream.read(int.from_bytes(head, "big") - 4)
                if is_request and self.left:
                    self.left -= 1
                elif not is_request and self.left == 0:
                    self.left = None
                    self.end()
                    break
                target.sendall(message)
        except OSError:
            pass  # the other end is gone
        for each in (source, target):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        """Accept no more."""
        self.listener.close()


@functools.cache
def preloaded():
    """AddressSanitizer replaces functions of libtirpc, which libvirt loads later: it must find the original ones when it starts."""
    linked = subprocess.run(["ldd", BUILD / "tests/clouds/plugin_driver"], capture_output=True, text=True, check=True).stdout
    sanitizer = [line.split()[2] for line in linked.splitlines() if "libasan" in line]
    return {"LD_PRELOAD": f"{sanitizer[0]} libtirpc.so.3"} if sanitizer else {}


class Caller:
    """The plugin, as a manager would call it."""

    def __init__(self, folder, properties=None, **settings):
        self.folder, self.settings, self.properties = pathlib.Path(folder), settings, properties or {}
        self.plugin = None
        self.start()

    def start(self):
        """A new process over the same folder."""
        self.plugin = Plugin("libvirt", self.folder, self.settings, "", preloaded())

    def restart(self):
        """Killed, and started again."""
        self.plugin.kill()
        self.start()

    def create(self, name="web-0", token=None, cluster=CLUSTER, tags=None, **fields):
        """Ask for a machine."""
        token = token or make_token(name + cluster)
        return self.plugin.call("create", **{"cluster": cluster, "token": token, "name": name, "tags": tags or make_tags(token, cluster),
                                             "labels": {"labels": {}, "owner": ""}, "properties": self.properties, "init": "", "keys": "",
                                             "zone": "", "leftMs": 60000} | fields)

    def make(self, name="web-0", **fields):
        """The id of a new machine."""
        answer = self.create(name, **fields)
        assert answer.result == 0 and answer.made, answer
        return answer.made

    def rows(self, *ids, cluster=CLUSTER):
        """All machines of the cluster, or these."""
        answer = self.plugin.call("describe", cluster=cluster, ids=list(ids))
        assert answer.result == 0 and not answer.is_incomplete, answer
        return answer.rows

    def call(self, what, **fields):
        """Another call."""
        return self.plugin.call(what, **{"cluster": CLUSTER, "leftMs": 60000} | fields)

    def close(self):
        """End it."""
        self.plugin.close()
