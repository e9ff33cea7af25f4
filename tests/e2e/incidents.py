"""A world with twelve kinds of incident at the same time, among 1,200 nodes (issue 24, "shown by c"; UX.md U31). tests/e2e/test_incidents.py compares
what the command line says of them, tests/web/test_twelve_incidents.py what the page shows."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import sqlite3
import subprocess

import pytest

import plugin
from manager import Manager, machine_files, until
from pylib.node import USER, Node
from pylib.ports import free_port

ROOT = pathlib.Path(__file__).resolve().parents[2]
REEVE = pathlib.Path(os.environ.get("REEVE_BIN", ROOT / "build/reeve")).resolve()
SOURCES = (ROOT / "tests/e2e/fixtures/incident.c", ROOT / "plugins/file/machine.c")
REFUSALS = {"quota": ("REEVE_QUOTA", "the project may have 20 machines, and has 20"), "cred": ("REEVE_AUTH", "the access key expired yesterday"),
            "image": ("REEVE_INVALID", "there is no image debian-13.7")}
HEALTHY, REFUSED, ZONE = 1100, 30, 20
NETWORK = "127.0.41"
METAL = ["bundle-0", "cut-0", "clock-0", "key-0", "sudo-0"]
WRONG_CLOCK = """#include <time.h>
time_t time(time_t *out) { struct timespec now; clock_gettime(CLOCK_REALTIME, &now); if (out) { *out = now.tv_sec - 864000; } return now.tv_sec - 864000; }
"""


class World:
    """One manager; all twelve have happened when it is there, but for the damaged store."""

    def __init__(self, folder, stack, network=NETWORK):
        self.folder, self.stack, self.network = folder, stack, network
        self.install(stack)
        self.manager = Manager(folder, "--haste", "100", control=True).start()
        stack.callback(self.manager.kill)
        self.nodes = self.metal(stack)
        self.run("apply", "--yes", "--detach", "-f", "metal.yaml")
        self.manager.apply(self.fleet(HEALTHY))

    def install(self, stack):
        """The plugins of a bad day, and a disk of 256 KiB for one of them."""
        installed = self.folder / "data/installed"
        installed.mkdir(parents=True, mode=0o700)
        (self.folder / "data").chmod(0o700)
        for name, (result, words) in REFUSALS.items():
            plugin.build(installed, name, sources=SOURCES, RESULT=result, WORDS=f'"{words}"')
        plugin.build(installed, "hung", sources=SOURCES, HANGS=1, RESULT="REEVE_OK", WORDS='""')
        plugin.build(installed, "full")
        disk = self.folder / "data/plugins/default/full"
        disk.mkdir(parents=True)
        for one in (disk, disk.parent, disk.parent.parent):
            one.chmod(0o700)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs", disk], capture_output=True, check=False).returncode:
            pytest.skip("a small disk cannot be mounted")
        stack.callback(subprocess.run, ["umount", disk], check=False)
        with (disk / "ballast").open("wb", buffering=0) as out, contextlib.suppress(OSError):
            while True:
                out.write(b"x" * 4096)

    @staticmethod
    def fleet(healthy):
        """Machines that only stand in tables and files."""
        group = lambda name, size, **more: {"size": size, "image": "debian-12", "resourcePlugin": {"name": name}, **more}  # noqa: E731
        return {"name": "fleet", "version": "1", "groups": {
            "web": group("sim", healthy), "near": group("file", 4, zones=["a"]), "zone": group("file", ZONE - 4, zones=["b"]), "quota": group("quota", REFUSED),
            "cred": group("cred", REFUSED), "image": group("image", REFUSED), "full": group("full", 5), "hung": group("hung", 2)}}

    def metal(self, stack):
        """Five machines with an sshd, and the file that takes them."""
        port, nodes, groups = free_port(), {}, {}
        (self.folder / "good").mkdir()
        (self.folder / "good/bootstrap.sh").write_text("echo good\n")
        (self.folder / "bad").mkdir()
        (self.folder / "bad/bootstrap.sh").write_text("echo 'error: no package nginx-lite' >&2\nexit 5\n")
        for number, name in enumerate(METAL, 1):
            node = nodes[name] = Node(self.folder / name, name, address=f"{self.network}.{number}", port=port)
            stack.callback(node.kill)
            group = name.split("-", maxsplit=1)[0]
            groups[group] = {"size": 1, "resourcePlugin": {"name": "static"}, "heal": "off", "bootstrap": [{"tar": "bad" if group == "bundle" else "good"}],
                             "resourceProperties": {"addresses": [node.address], "port": port, "user": USER,
                                                    **({} if group == "key" else {"hostKeys": {node.address: node.host_key}})}}
        nodes["sudo-0"].allow_sudo(False)
        (self.folder / "late.c").write_text(WRONG_CLOCK)
        late = nodes["clock-0"].folder / "root/late.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", late, self.folder / "late.c"], check=True, timeout=240)
        (nodes["clock-0"].folder / "etc/ld.so.preload").write_text("/root/late.so\n")
        (self.folder / "metal.yaml").write_text(json.dumps({"name": "metal", "version": "1", "barrier": "bestEffort", "groups": groups}))
        return nodes

    def run(self, *words):
        """The command line: what it prints, on one line."""
        done = subprocess.run([str(REEVE), *words], capture_output=True, text=True, check=False, timeout=240, cwd=self.folder, stdin=subprocess.DEVNULL,
                              env={**os.environ, "REEVE_URL": f"unix:{self.manager.socket}", "HOME": str(self.folder)})
        return " ".join((done.stdout + done.stderr).split())

    def status_of(self, cluster):
        """Its status."""
        answer = self.manager.get(f"/v1/clusters/{cluster}")
        return answer.json.get("status", {}) if answer.status == 200 else {}

    def records(self, cluster):
        """Member by member how it stands."""
        return {one["status"]["name"]: one["status"] for one in self.manager.get(f"/v1/resources?cluster={cluster}&limit=5000").json["items"]}

    def cut(self, node):
        """Nothing answers there any more: its sshd has ended, and a queue that is full takes no connection."""
        node.kill()
        listener = self.stack.enter_context(socket.socket())
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((node.address, node.port))
        listener.listen(0)
        for _ in range(4):
            one = self.stack.enter_context(socket.socket())
            one.setblocking(False)
            one.connect_ex((node.address, node.port))

    def happen(self):
        """All but the damaged store."""
        self.run_in()
        self.lose_zone()

    def run_in(self):
        """Let reeve in, and cut one off."""
        until(lambda: self.status_of("metal").get("ssh"), self.manager.log.read_text)
        for node in self.nodes.values():
            with (node.folder / f"home/{USER}/.ssh/authorized_keys").open("a") as out:
                out.write(self.status_of("metal")["ssh"] + "\n")
            node.start()
        until(lambda: self.records("metal")["cut-0"]["displayed"] == "ready", lambda: json.dumps(self.records("metal"), indent=1), 90)
        self.cut(self.nodes["cut-0"])
        until(lambda: self.status_of("fleet")["machines"]["ready"] == HEALTHY + ZONE, lambda: str(self.status_of("fleet")), 120)

    def lose_zone(self):
        """Take the machines of a zone away while the manager does not look."""
        self.manager.process.send_signal(signal.SIGSTOP)
        for path in machine_files(self.folder):
            if json.loads(path.read_text())["zone"] == "b":
                path.unlink()
        self.manager.process.send_signal(signal.SIGCONT)

    def damage(self):
        """Change the row of a cluster with failed nodes behind the manager's back, and start it again."""
        assert self.manager.stop() == 0
        with contextlib.closing(sqlite3.connect(self.folder / "data/store.db")) as store:
            cluster = "SELECT id FROM current WHERE dead=0 AND cast(key AS TEXT) LIKE '/default/Cluster/%/spec'"
            found = store.execute(f"SELECT id FROM log WHERE id IN ({cluster}) AND cast(value AS TEXT) LIKE '%\"metal\"%'").fetchall()
            assert len(found) == 1, found
            store.execute("UPDATE log SET value=value||' ' WHERE id=?", found[0])
            store.commit()
        self.manager.start(wait=False)
