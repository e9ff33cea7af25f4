#!/usr/bin/python3 -B
"""`reeve exec -c shop -- true` on many hosts, beside xargs with ssh, pssh, pdsh, ansible and ControlMaster: exec.py BUILD [HOSTS]

What `hands.py` measures of the pool, here of all of it: the command, the manager that it asks, the processes of the sessions. Their
processor time is counted together, from /proc, before and after each command; the manager's own work (its cluster is there, and
nothing is wanted of it) is in it. Hosts, settings and traps are those of `hands.py`.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/e2e"))
from beside import family, middle, say  # noqa: E402
from hands import HOSTS, Hosts, peers, run  # noqa: E402
from manager import Manager, until  # noqa: E402

PAIRS, TURNS = 3, 10
TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")


def cpu_ms(pids):
    """Of these processes, with their children that have ended."""
    total = 0
    for pid in pids:
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        total += sum(int(field) for field in fields[11:15])
    return total * TICK_MS


class World:
    """A manager that has these hosts as a cluster."""

    def __init__(self, build, hosts, folder):
        self.build, self.hosts = build, hosts
        self.manager = Manager(folder, program=build / "reeved", control=True).start()
        keys = dict(line.split(" ", 1) for line in (hosts.folder / "hosts").read_text().splitlines())
        self.manager.apply({"name": "shop", "version": "1", "groups": {"web": {
            "size": len(hosts.addresses), "resourcePlugin": {"name": "static"}, "resourceProperties": {
                "addresses": hosts.addresses, "port": hosts.port, "user": "root", "hostKeys": keys}}}})
        until(lambda: self.manager.get("/v1/clusters/shop").json.get("status", {}).get("ssh"), seconds=300)
        line = self.manager.get("/v1/clusters/shop").json["status"]["ssh"]
        with (hosts.folder / "allowed").open("a") as out:
            out.write(f"{line}\n")
        until(lambda: self.manager.get("/v1/clusters/shop").json.get("status", {}).get("machines", {}).get("ready") ==
              len(hosts.addresses), seconds=300)
        self.environment = {**os.environ, "REEVE_URL": f"unix:{self.manager.socket}", "HOME": str(folder)}

    def command(self, *words):
        """(wall ms, cpu ms) of a command, its manager and the hands."""
        before, begin = cpu_ms(family(self.manager.process.pid)), time.perf_counter()
        _, own = run([self.build / "reeve", "exec", *words, "--", "true"], env=self.environment)
        wall = (time.perf_counter() - begin) * 1000
        return wall, own + cpu_ms(family(self.manager.process.pid)) - before

    def forget(self):
        """No session is there any more, and no process of one."""
        self.manager.stop()
        self.manager.start()
        until(lambda: self.manager.get("/v1/clusters/shop").json.get("status", {}).get("machines", {}).get("ready") ==
              len(self.hosts.addresses), seconds=300)
        until(lambda: not any(self.is_hand(pid) for pid in family(self.manager.process.pid)))

    @staticmethod
    def is_hand(pid):
        """Does this process hold sessions?"""
        try:
            return pathlib.Path(f"/proc/{pid}/comm").read_text() == "reeve-session\n"
        except OSError:
            return False


def ansible(hosts):
    """Its module for commands, as people use it; and raw, which needs no Python there: the least that it does."""
    if not shutil.which("ansible"):
        return {}
    names = hosts.folder / "inventory"
    names.write_text("\n".join(hosts.addresses) + "\n")
    environment = {**os.environ, "ANSIBLE_SSH_ARGS": f"-F {hosts.folder}/ssh", "ANSIBLE_HOST_KEY_CHECKING": "True",
                   "HOME": str(hosts.folder), "ANSIBLE_LOCAL_TEMP": str(hosts.folder / "ansible"),
                   "ANSIBLE_REMOTE_TEMP": str(hosts.folder / "ansible-there"), "ANSIBLE_PIPELINING": "True"}

    def by(module):
        return lambda: run(["ansible", "-i", names, "all", "-f", "50", "-m", module, "-a", "true"], env=environment)
    return {f"ansible -f 50 -m {module}": by(module) for module in ("command", "raw")}


def cold(world):
    """P5, P6: no session is there, and no process that could hold one."""
    count = len(world.hosts.addresses)
    certified = {f"{name}, certified": way for name, way in peers(world.hosts, "ssh-certified").items()}
    ways = {**peers(world.hosts), **certified, **ansible(world.hosts)}
    theirs, mine = {name: [] for name in ways}, []
    for turn in range(PAIRS + 1):
        world.forget()
        taken = world.command("-c", "shop")
        others = {name: way() for name, way in ways.items()}
        if turn > 0:  # the first one warms up
            mine.append(taken)
            for name, figures in others.items():
                theirs[name].append(figures)
    plain = [name for name in ways if not name.startswith("ansible") and name not in certified]
    best, alike = ([min(theirs[name][i][0] for name in names) for i in range(PAIRS)] for names in (plain, certified))
    cpu = [theirs["xargs -P 50 ssh"][i][1] for i in range(PAIRS)]
    for name, figures in theirs.items():
        say(f"ssh/cold/{name}", wall_ms=middle([f[0] for f in figures]), cpu_ms_host=middle([f[1] / count for f in figures]),
            ours_to_theirs=middle([m[0] / f[0] for m, f in zip(mine, figures)]))
    say("ssh/cold/wall", hosts=count, unit="ms", ours=middle([m[0] for m in mine]), theirs=middle(best),
        peer="the best of them but ansible", ratio=middle([m[0] / b for m, b in zip(mine, best)]), goal=0.75)
    say("ssh/cold/alike", hosts=count, unit="ms", ours=middle([m[0] for m in mine]), theirs=middle(alike),
        peer="the best of them that log in by a certificate, as reeve does", ratio=middle([m[0] / b for m, b in zip(mine, alike)]), goal=0.75)
    say("ssh/cold/cpu", hosts=count, unit="ms a host", ours=middle([m[1] / count for m in mine]),
        theirs=middle([c / count for c in cpu]), peer="ssh", ratio=middle([m[1] / c for m, c in zip(mine, cpu)]), goal=0.25)


def one(world):
    """P7: one host, no session with it; the manager runs, and has a hand."""
    world.command("shop/web-0")
    mine = [world.command(f"shop/web-{number}")[0] for number in range(1, TURNS + 1)]
    theirs = [run(["ssh", "-F", world.hosts.folder / "ssh", address, "true"])[0] for address in world.hosts.addresses[1:TURNS + 1]]
    again = [world.command(f"shop/web-{number}")[0] for number in range(1, TURNS + 1)]
    say("ssh/one", unit="ms", ours=middle(mine), again=middle(again), theirs=middle(theirs), peer="ssh",
        ratio=middle([m / t for m, t in zip(mine, theirs)]), goal=0.25)


def kept(world):
    """P8: the second command on sessions that are there."""
    count, folder = len(world.hosts.addresses), world.hosts.folder
    command = ["xargs", "-a", folder / "names", "-P", "50", "-I{}", "ssh", "-F", folder / "kept", "{}", "true"]
    run(command, stderr=subprocess.DEVNULL)
    world.command("-c", "shop")
    pairs = [(world.command("-c", "shop"), run(command)) for _ in range(PAIRS)]
    for address in world.hosts.addresses:
        subprocess.run(["ssh", "-F", folder / "kept", "-O", "exit", address], stderr=subprocess.DEVNULL, check=False)
    say("ssh/kept/wall", hosts=count, unit="ms", ours=middle([m[0] for m, _ in pairs]), theirs=middle([t[0] for _, t in pairs]),
        peer="ControlMaster", ratio=middle([m[0] / t[0] for m, t in pairs]), goal=0.6)
    say("ssh/kept/cpu", hosts=count, unit="ms a host", ours=middle([m[1] / count for m, _ in pairs]),
        theirs=middle([t[1] / count for _, t in pairs]), peer="ControlMaster",
        ratio=middle([m[1] / t[1] for m, t in pairs]), goal=0.25)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if os.getuid() != 0:
        sys.exit("exec: sshd processes that let root in need root")
    with tempfile.TemporaryDirectory(prefix="reeve-exec-", dir="/tmp") as name:
        folder = pathlib.Path(name)
        with Hosts(int(sys.argv[2]) if len(sys.argv) > 2 else HOSTS, folder) as hosts:
            (folder / "manager").mkdir()
            world = World(build, hosts, folder / "manager")
            try:
                for measure in (one, cold, kept):
                    measure(world)
            finally:
                world.manager.stop()


main()
