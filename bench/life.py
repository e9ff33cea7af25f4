#!/usr/bin/python3 -B
"""Life cycle of nodes, the goals of LIFECYCLE.md section 19: life.py BUILD [PART...]

1. `serf`: 10,000 members of an agent until all have a row that the API lists, the same after a restart, and one more member
   from its event until it is committed. The agent is a program of this file: a real one knows as many members as run.
2. `verify`: the files of VERIFIED nodes compared with their baseline by `reeve verify`, and ansible-playbook in check mode on them.
3. `commission`: machines of another tenant by `reeve commission` beside the bootstrap of as many that exist, in turn; the same bundle.

The manager runs without haste. 2 and 3 as root. What plays a playbook is playbooks.py.
"""

import contextlib
import json
import os
import pathlib
import shutil
import socketserver
import subprocess
import sys
import tempfile
import threading
import time

PARTS = sys.argv[2:] or ["serf", "verify", "commission"]
sys.argv[2:] = []
from beside import Manager, middle, say  # noqa: E402
from bootstrap import REEVE, STAGE, World, run  # noqa: E402
from manager import until  # noqa: E402
from pylib.containers import ground  # noqa: E402

MEMBERS = int(os.environ.get("BENCH_MEMBERS", "10000"))
VERIFIED = int(os.environ.get("BENCH_VERIFIED", "20"))
COMMISSIONED = int(os.environ.get("BENCH_COMMISSIONED", "20"))
PAIRS = 3


# ---- msgpack, as far as agents of serf need it ----

def packed(value):
    if isinstance(value, dict):
        return b"\xdf" + len(value).to_bytes(4, "big") + b"".join(packed(one) + packed(other) for one, other in value.items())
    if isinstance(value, list):
        return b"\xdd" + len(value).to_bytes(4, "big") + b"".join(map(packed, value))
    if isinstance(value, int):
        return b"\xce" + value.to_bytes(4, "big")
    data = value.encode() if isinstance(value, str) else value
    return b"\xdb" + len(data).to_bytes(4, "big") + data


def unpacked(file):
    """The next value of a stream; None at its end. What the manager sends: maps, texts, numbers, truth."""
    head = file.read(1)
    if not head:
        return None
    kind = head[0]
    if kind < 0x80:
        return kind
    if kind < 0x90 or kind in (0xde, 0xdf):
        count = kind & 15 if kind < 0x90 else int.from_bytes(file.read(2 if kind == 0xde else 4), "big")
        return {unpacked(file): unpacked(file) for _ in range(count)}
    if 0xa0 <= kind < 0xc0:
        return file.read(kind & 31).decode()
    if kind in (0xc2, 0xc3):
        return kind == 0xc3
    size = {0xcc: 1, 0xcd: 2, 0xce: 4, 0xcf: 8, 0xd9: 1, 0xda: 2, 0xdb: 4}[kind]
    number = int.from_bytes(file.read(size), "big")
    return file.read(number).decode() if kind >= 0xd9 else number


def member(number):
    name = "manager" if number == 0 else f"node{number}"
    address = bytes([0] * 10 + [255, 255, 10, number >> 16, number >> 8 & 255, number & 255])
    return {"Name": name, "Addr": address, "Port": 7946, "Status": "alive",
            "Tags": {"NodeLabel": name, "NodeSerial": f"CZ{number:06}", "NodeAddr": f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"}}


class Agent(socketserver.ThreadingTCPServer):
    """The RPC of an agent that knows MEMBERS members."""
    allow_reuse_address, daemon_threads = True, True

    def __init__(self):
        self.members = [member(number) for number in range(MEMBERS + 1)]
        self.streams = []
        super().__init__(("127.0.0.1", 0), Call)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def join(self, number):
        """One more member, as an event."""
        self.members.append(member(number))
        for file, sequence in self.streams:
            with contextlib.suppress(OSError, ValueError):
                file.write(packed({"Seq": sequence, "Error": ""}) + packed({"Event": "member-join", "Members": [member(number)]}))
                file.flush()


class Call(socketserver.StreamRequestHandler):
    wbufsize = 1 << 20

    def handle(self):
        with contextlib.suppress(OSError):
            while (head := unpacked(self.rfile)) is not None:
                command, sequence = head["Command"], head["Seq"]
                if command in ("handshake", "auth", "stream", "stop", "leave"):
                    unpacked(self.rfile)
                self.wfile.write(packed({"Seq": sequence, "Error": ""}))
                if command == "members":
                    self.wfile.write(packed({"Members": self.server.members}))
                elif command == "stats":
                    self.wfile.write(packed({"agent": {"name": "manager"}}))
                elif command == "stream":
                    self.server.streams.append((self.wfile, sequence))
                self.wfile.flush()


def serf():
    """1."""
    with tempfile.TemporaryDirectory() as place:
        agent = Agent()
        folder = pathlib.Path(place)
        (folder / "c.json").write_text(json.dumps({"inventory": [{"serf": {"address": f"127.0.0.1:{agent.server_address[1]}"}}]}))
        manager = Manager(folder, "--config", str(folder / "c.json"), control=True)

        def counted():
            return sum(int(line.rsplit(" ", 1)[1]) for line in manager.get("/metrics").text.splitlines() if line.startswith("reeve_discovered_nodes{"))

        def known(wanted):
            begin = time.perf_counter()
            while counted() < wanted:
                assert time.perf_counter() - begin < 300, manager.log.read_text()
                time.sleep(0.1)  # a request for the count takes processor time of the manager
            wall = time.perf_counter() - begin
            begin = time.perf_counter()
            items = len(manager.get("/v1/nodes?discovered=1").json["items"])
            return wall, time.perf_counter() - begin, items

        with manager:
            manager.start()
            wall, listed, items = known(MEMBERS)
            say("life/serf/new", members=items, unit="s", ours=round(wall, 2), listed=round(listed, 3), goal=1)
            committed = []
            for turn in range(PAIRS):
                begin = time.perf_counter()
                agent.join(MEMBERS + 1 + turn)
                until(lambda number=MEMBERS + 1 + turn: counted() >= number, manager.log.read_text, 60)
                committed.append(time.perf_counter() - begin)
            say("life/serf/event", members=items, unit="s", ours=middle(committed), goal=1)
            manager.stop()
            manager.start()
            wall, listed, items = known(MEMBERS)
            say("life/serf/known", members=items, unit="s", ours=round(wall, 2), listed=round(listed, 3), goal=1)
        agent.shutdown()


# ---- nodes ----

@contextlib.contextmanager
def begun():
    with tempfile.TemporaryDirectory() as place, ground(place) as folder, contextlib.ExitStack() as stack:
        world = World(folder)
        stack.callback(world.close)
        yield world


CHECK = """- hosts: all
  gather_facts: false
  become: true
  tasks:
    - ansible.builtin.copy: {dest: /srv/web/app.conf, content: "one"}
    - ansible.builtin.file: {path: /srv/web, state: directory, mode: "0755"}
"""


def verify():
    """2."""
    with begun() as world:
        repo = world.folder / "repo"
        (repo / "web").mkdir(parents=True)
        (repo / "web/bootstrap.sh").write_text("mkdir -p -m 755 /srv/web\nprintf one >/srv/web/app.conf\nfor i in $(seq 100); do echo $i >/srv/web/$i; done\n")
        (repo / "configuration.yaml").write_text(json.dumps({"bundles": [{"tar": "web", "idempotent": True}], "files": ["/srv/web"]}))
        world.reeve("config", "push", "repo", "--name", "site", "-q")
        group = {"size": VERIFIED, "image": "host", "resourcePlugin": {"name": "local"}, "configuration": "site",
                 "resourceProperties": {"sshKey": (world.folder / "user.pub").read_text().strip()}}
        (world.folder / "c.yaml").write_text(json.dumps({"version": "1", "name": "c", "groups": {"n": group}}))
        world.reeve("apply", "--yes", "-q", "-f", "c.yaml")
        walls, cpus = [], []
        for _ in range(PAIRS):
            begin, before = time.perf_counter(), world.cpu(but=("reeve-host",))
            world.reeve("verify", "-c", "c", "-q")
            walls.append(time.perf_counter() - begin)
            cpus.append((world.cpu(but=("reeve-host",)) - before) * 1000 / VERIFIED)
        say("life/verify", nodes=VERIFIED, unit="s", ours=middle(walls), goal="20 s for 1,000 nodes")
        say("life/verify/cpu", nodes=VERIFIED, unit="ms of cpu a node", ours=middle(cpus), goal=15)
        if shutil.which("ansible-playbook"):
            (world.folder / "inventory").write_text("".join(f"{one.address} ansible_user=admin\n" for one in world.containers.machines()))
            (world.folder / "play.yaml").write_text(CHECK)
            theirs = [run(world, "ansible-playbook", "--check", "--diff", "-f", str(min(VERIFIED, 25)), "-i", "inventory", "play.yaml") for _ in range(PAIRS)]
            say("life/verify/ansible", nodes=VERIFIED, tasks=2, unit="s", theirs=middle([one[0] for one in theirs]),
                cpu_ms=middle([one[1] * 1000 / VERIFIED for one in theirs]), ratio=middle([a / b[0] for a, b in zip(walls, theirs)]))


def metal(world, *words):
    """A command of the tenant that has the inventory."""
    subprocess.run([*world.room.within, f"--wd={world.folder}", REEVE, *words], check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600,
                   env={**os.environ, "REEVE_URL": f"unix:{world.manager.socket}", "HOME": str(world.folder), "REEVE_TENANT": "metal"})


def local(world, cluster, size, stages):
    """A cluster of containers without or with stages, all at once. Seconds until they serve."""
    group = {"size": size, "image": "host", "resourcePlugin": {"name": "local"}, "rollout": {"batch": size, "canary": 0, "unavailable": size, "maxFail": size},
             "resourceProperties": {"sshKey": (world.folder / "user.pub").read_text().strip()}, "bootstrap": [{"tar": "one"}] if stages else []}
    (world.folder / f"{cluster}.yaml").write_text(json.dumps({"version": "1", "name": cluster, "groups": {"n": group}}))
    begin = time.perf_counter()
    world.reeve("apply", "--yes", "-q", "-f", f"{cluster}.yaml")
    return time.perf_counter() - begin


def commission():
    """3."""
    with begun() as world:
        world.bundle("one", STAGE)
        local(world, "pool", COMMISSIONED, False)
        owned = [one.address for one in world.containers.machines()]
        assert world.manager.ask("POST", "/v1/tenants", {"name": "metal"}).status in (200, 201)
        (world.folder / "dc.yaml").write_text(json.dumps({"version": "1", "name": "dc", "groups": {
            "box": {"size": 0, "resourcePlugin": {"name": "inventory"}, "bootstrap": [{"tar": "one"}], "health": {"probe": {"ssh": True, "every": "500ms", "fail": 4, "timeout": "5s"}}}}}))
        metal(world, "apply", "--yes", "-q", "-f", "dc.yaml")
        metal(world, "discover", *owned, "--user", "admin", "--key", "user", "--approve")
        rows = world.manager.ask("GET", "/v1/nodes?discovered=1", None, Reeve_Tenant="metal").json["items"]
        names = [one["id"] for one in rows]
        ours, theirs = [], []
        for _ in range(PAIRS):
            begin = time.perf_counter()
            metal(world, "commission", *names, "-g", "dc/box", "--yes", "-q")
            ours.append(time.perf_counter() - begin)
            metal(world, "release", f"dc/box-[0-{COMMISSIONED - 1}]", "--allow", f"destroy={COMMISSIONED}", "--yes", "-q")
            local(world, "c", COMMISSIONED, False)
            theirs.append(local(world, "c", COMMISSIONED, True))
            world.reeve("delete", "cluster/c", "--yes", "-q", "--allow", f"destroy={COMMISSIONED + 1}")
        say("life/commission", nodes=COMMISSIONED, unit="s", ours=middle(ours), bootstrap=middle(theirs), ratio=middle([a / b for a, b in zip(ours, theirs)]), goal=1.3)


def main():
    for part in PARTS:
        if part != "serf" and os.geteuid() != 0:
            say(f"life/{part}", skipped="containers are made by root")
        else:
            {"serf": serf, "verify": verify, "commission": commission}[part]()


if __name__ == "__main__":
    main()
