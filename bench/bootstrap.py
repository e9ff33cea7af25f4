#!/usr/bin/python3 -B
"""From a file to bootstrapped nodes on containers of this computer: bootstrap.py BUILD [MANY]

1. Five and twenty nodes from `reeve apply` until all have run two small stages; their image is kept.
2. Processor time of the manager and its helpers for each member of clusters of 10, 50 and 100: keys, trust, facts of all.
3. A bundle of 1 MiB sent to MANY nodes (200), checked, unpacked and run, from `reeve apply` until the last has run it, beside
   pssh's plain copy of it to the same nodes and ansible's copy, unpack and run. The nodes share the processors with whoever
   is measured, and a session costs the node much more than the client: cpu of the client says more than the wall.

The manager runs as it does in earnest, without haste, in a network of its own. As root.
"""

import contextlib
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests"))
os.environ["REEVE_BIN"] = f"{sys.argv[1]}/reeve"
from beside import TICKS, Manager, middle, say  # noqa: E402
from pylib.containers import Folder, Room, ground  # noqa: E402
from pylib.proc import children, named  # noqa: E402

REEVE = pathlib.Path(sys.argv[1], "reeve").resolve()
MANY = int(sys.argv[2]) if sys.argv[2:] else 200
PAIRS, WAIT_S = 3, 300
OF_US = ("reeved", "reeve-session", "reeve-signer", "reeve-host")
STAGE = "mkdir -p /srv && cat args >>/srv/ran 2>/dev/null || echo ran >>/srv/ran\n"
SSH = "-o KexAlgorithms=curve25519-sha256 -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o IdentitiesOnly=yes"


class World:
    """A manager with nothing in it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.room = Room(folder)
        self.manager = Manager(folder, control=True, within=self.room.within)
        self.containers = Folder(self.folder / "data", self.room)
        self.containers.prepare(self.folder / "data")
        self.manager.start()
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", self.folder / "user"], check=True)
        for name in ("one", "two"):
            self.bundle(name, STAGE)

    def bundle(self, name, script, payload=0):
        """A folder that is a bundle; `payload`: so many bytes that no packer makes smaller."""
        (self.folder / name).mkdir(exist_ok=True)
        (self.folder / name / "bootstrap.sh").write_text(script)
        if payload:
            (self.folder / name / "payload").write_bytes(random.randbytes(payload))

    def apply(self, size, *stages):
        """Seconds until a file is carried out."""
        key = (self.folder / "user.pub").read_text().strip()
        (self.folder / "c.yaml").write_text(
            f'version: "1"\nname: c\ngroups:\n  n:\n    size: {size}\n    image: host\n'
            f"    resourcePlugin: {{name: local}}\n    resourceProperties: {{sshKey: {key}}}\n"
            f"    bootstrap: [{', '.join(f'{{tar: {stage}}}' for stage in stages)}]\n")
        begin = time.perf_counter()
        self.reeve("apply", "--yes", "-q", "-f", "c.yaml")
        machines = self.manager.get("/v1/clusters/c").json["status"]["machines"]
        assert machines["ready"] == size, (machines, self.manager.log.read_text())
        return time.perf_counter() - begin

    def delete(self, size):
        """All of it goes."""
        self.reeve("delete", "cluster/c", "--yes", "--allow", f"destroy={size + 1}")

    def reeve(self, *words):
        """A command that must go well."""
        subprocess.run([*self.room.within, f"--wd={self.folder}", REEVE, *words], check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, timeout=WAIT_S,
                       env={**os.environ, "REEVE_URL": f"unix:{self.manager.socket}", "HOME": str(self.folder)})

    def ours(self):
        """The processes of ours: pid -> name."""
        names = {pid: named(pid) for pid in [self.manager.process.pid, *children(self.manager.process.pid)]}
        return {pid: name for pid, name in names.items() if name in OF_US}

    def cpu(self, but=()):
        """Processor seconds that they have taken so far. None ends while it is measured but idle hands, after minutes."""
        total = 0
        for pid, name in self.ours().items():
            if name not in but:
                fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
                total += (int(fields[11]) + int(fields[12])) / TICKS
        return total

    def memory_mib(self, *names):
        """Proportional memory of those of these names."""
        total = 0
        for pid, name in self.ours().items():
            if name in names:
                total += int(pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().split("Pss:")[1].split()[0])
        return round(total / 1024, 1)

    @contextlib.contextmanager
    def watched(self, *names):
        """The most memory that those of these names had at one time within: {"MiB": most}, looked at ten times a second."""
        most, over = {"mib": 0}, threading.Event()

        def look():
            while not over.wait(0.1):
                with contextlib.suppress(OSError):  # one has ended meanwhile
                    most["mib"] = max(most["mib"], self.memory_mib(*names))

        watcher = threading.Thread(target=look)
        watcher.start()
        try:
            yield most
        finally:
            over.set()
            watcher.join()

    def close(self):
        """End it."""
        self.manager.stop()
        self.containers.end_all()
        self.room.close()


def from_nothing(world):
    """1."""
    for size, goal in ((5, 4), (20, 12)):
        walls = []
        for _ in range(PAIRS):
            walls.append(world.apply(size, "one", "two"))
            world.delete(size)
        say(f"bootstrap/{size}", unit="s", ours=middle(walls), goal=goal)


def each_member(world):
    """2. What makes and looks at containers is not counted: it is measured by itself (tools/bench local)."""
    for size in (10, 50, 100):
        before, begin = world.cpu(but=("reeve-host",)), time.perf_counter()
        world.apply(size, "one")
        wall = time.perf_counter() - begin
        say("bootstrap/member", size=size, unit="ms of cpu a member", wall_s=round(wall, 2),
            ours=round((world.cpu(but=("reeve-host",)) - before) * 1000 / size, 2))
        world.delete(size)


def run(world, *command):
    """(wall, cpu) in seconds of a client with all that it starts, where the nodes can be reached."""
    before = os.times()
    begin = time.perf_counter()
    with subprocess.Popen([*world.room.within, f"--wd={world.folder}", *command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                          env={**os.environ, "HOME": str(world.folder), "LC_ALL": "C.UTF-8", "ANSIBLE_HOST_KEY_CHECKING": "False",
                               "ANSIBLE_SSH_ARGS": f"-i {world.folder}/user {SSH} -o ControlMaster=auto -o ControlPersist=60s",
                               "ANSIBLE_PIPELINING": "True"}) as client:
        try:
            assert client.wait(WAIT_S) == 0, command[0]
        except subprocess.TimeoutExpired:
            os.killpg(client.pid, signal.SIGKILL)  # with all that it has started
            raise
    after = os.times()
    return (time.perf_counter() - begin,
            after.children_user + after.children_system - before.children_user - before.children_system)


PLAY = """- hosts: all
  gather_facts: false
  become: true
  tasks:
    - {{ansible.builtin.file: {{path: /srv/unpacked, state: directory}}}}
    - {{ansible.builtin.unarchive: {{src: {tar}, dest: /srv/unpacked}}}}
    - {{ansible.builtin.command: sh bootstrap.sh, args: {{chdir: /srv/unpacked}}}}
"""


def bundle(world):
    """3. (P9)"""
    world.apply(MANY, "one")
    hosts = "".join(f"{one.address}\n" for one in world.containers.machines())
    (world.folder / "hosts").write_text(hosts)
    (world.folder / "inventory").write_text("".join(f"{line} ansible_user=admin\n" for line in hosts.split()))
    (world.folder / "play.yaml").write_text(PLAY.format(tar=world.folder / "big.tar"))
    mine, copies = [], []
    for turn in range(PAIRS):
        world.bundle(f"big{turn}", STAGE, 1 << 20)
        subprocess.run(["tar", "cf", world.folder / "big.tar", "-C", world.folder / f"big{turn}", "."], check=True)
        before = world.cpu()
        with world.watched("reeved", "reeve-session") as most:
            wall = world.apply(MANY, "one", f"big{turn}")
        mine.append((wall, world.cpu() - before, most["mib"]))
        if shutil.which("parallel-scp"):
            copies.append(run(world, "parallel-scp", "-p", "50", "-t", "100", "-h", "hosts", "-l", "admin", "-x",
                              f"-i {world.folder}/user {SSH}", "big.tar", "/tmp/big.tar"))
    say("bootstrap/bundle", hosts=MANY, unit="s", ours=middle([m[0] for m in mine]), cpu=middle([m[1] for m in mine]),
        most_mib=middle([m[2] for m in mine]), then_mib=world.memory_mib("reeved", "reeve-session"))
    if copies:
        say("bootstrap/bundle/pssh", unit="s", theirs=middle([c[0] for c in copies]), cpu=middle([c[1] for c in copies]),
            ratio=middle([m[0] / c[0] for m, c in zip(mine, copies)]), goal=0.8)
    if shutil.which("ansible-playbook"):
        median = middle([m[0] for m in mine])["median"]
        try:
            wall, cpu = run(world, "ansible-playbook", "-f", "50", "-i", "inventory", "play.yaml")
            say("bootstrap/bundle/ansible", unit="s", theirs=round(wall, 1), cpu=round(cpu, 1), ratio=round(median / wall, 3),
                goal=round(1 / 15, 3))
        except subprocess.TimeoutExpired:
            say("bootstrap/bundle/ansible", unit="s", theirs=f"more than {WAIT_S}", ratio=f"less than {median / WAIT_S:.3f}",
                goal=round(1 / 15, 3))


def main():
    with tempfile.TemporaryDirectory() as place, ground(place) as folder, contextlib.ExitStack() as stack:
        world = World(folder)
        stack.callback(world.close)
        from_nothing(world)
        each_member(world)
        bundle(world)


if __name__ == "__main__":
    main()
