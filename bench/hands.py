#!/usr/bin/python3 -B
"""`true` on many hosts by ssh, beside xargs with ssh, pssh, pdsh and ControlMaster: hands.py BUILD [HOSTS]

One sshd process a host, on loopback addresses of its own, with host keys of their own. All use curve25519-sha256: the
default of Debian 12's ssh costs each side some 50 ms of processor more, and would flatter us. SHLVL keeps bash from
reading the account's .bashrc (it can cost 90 ms a session). Client and servers share the processors, and a session costs
the server some twenty times what it costs us: wall says little more than that we do not stand in its way. Processor time
of the client, and latencies that are waits, say more.
"""

import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from beside import family, middle, say

HOSTS, PAIRS, TURNS, IDLE = 200, 3, 20, 1000
KEX = "curve25519-sha256"
SSHD = """AuthorizedKeysFile {folder}/allowed
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
PasswordAuthentication no
UseDNS no
PrintMotd no
MaxStartups 2000
MaxSessions 100
PidFile none
SetEnv SHLVL=3
LogLevel ERROR
"""
SSH = """Port {port}
User root
IdentityFile {folder}/user
IdentitiesOnly yes
UserKnownHostsFile {folder}/known
GlobalKnownHostsFile /dev/null
BatchMode yes
KexAlgorithms {kex}
LogLevel ERROR
GSSAPIAuthentication no
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("", 0))
        return probe.getsockname()[1]


class Hosts:
    """So many sshd processes; ends them, and removes what they need."""

    def __init__(self, count, folder):
        self.folder, self.port, self.listeners = folder, free_port(), []
        self.addresses = [f"127.77.{i // 200}.{1 + i % 200}" for i in range(count)]
        os.makedirs("/run/sshd", exist_ok=True)
        self.key("user")
        shutil.copy(folder / "user.pub", folder / "allowed")
        (folder / "sshd").write_text(SSHD.format(folder=folder))
        ssh = SSH.format(folder=folder, port=self.port, kex=KEX)
        (folder / "ssh").write_text(ssh)
        self.certify()
        (folder / "ssh-certified").write_text(ssh.replace(f"{folder}/user", f"{folder}/certified"))
        (folder / "kept").write_text(f"{ssh}ControlMaster auto\nControlPersist 600\nControlPath {folder}/m/%h\n")
        (folder / "m").mkdir()

    def key(self, name):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", self.folder / name], check=True)
        return " ".join((self.folder / f"{name}.pub").read_text().split()[:2])

    def certify(self):
        """A key that an authority lets in, as reeve's own one is: sshd checks the authority's word three times in a login."""
        self.key("ca")
        self.key("certified")
        subprocess.run(["ssh-keygen", "-q", "-s", self.folder / "ca", "-I", "bench", "-n", "root", self.folder / "certified.pub"],
                       check=True)
        with (self.folder / "allowed").open("a") as out:
            out.write(f"cert-authority {(self.folder / 'ca.pub').read_text()}")

    def __enter__(self):
        lines = []
        for i, address in enumerate(self.addresses):
            lines.append(f"{address} {self.key(f'host{i}')}")
            self.listeners.append(subprocess.Popen(
                ["/usr/sbin/sshd", "-D", "-e", "-f", self.folder / "sshd", "-o", f"ListenAddress={address}:{self.port}",
                 "-h", self.folder / f"host{i}"], stderr=subprocess.DEVNULL))
        (self.folder / "hosts").write_text("\n".join(lines) + "\n")
        (self.folder / "known").write_text("".join(
            f"[{line.split()[0]}]:{self.port} {line.split(' ', 1)[1]}\n" for line in lines))
        (self.folder / "names").write_text("".join(f"{address}\n" for address in self.addresses))
        for address in self.addresses:
            self.wait(address)
        return self

    def wait(self, address):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                socket.create_connection((address, self.port), 1).close()
                return
            except OSError:
                time.sleep(0.01)
        sys.exit(f"hands: no sshd at {address}")

    def __exit__(self, *_):
        for listener in self.listeners:
            for pid in reversed(family(listener.pid)):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            listener.wait()


def children_cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command, **options):
    """(wall ms, cpu ms) of a whole client with all that it starts."""
    before, begin = children_cpu(), time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=True, timeout=300, **options)
    return (time.perf_counter() - begin) * 1000, (children_cpu() - before) * 1000


def peers(hosts, settings="ssh"):
    """Each the best way that its users have, fifty at once; by a key alone, or with ssh-certified by a certificate."""
    folder = hosts.folder
    names = folder / "names"
    ways = {"xargs -P 50 ssh": lambda: run(["xargs", "-a", names, "-P", "50", "-I{}", "ssh", "-F", folder / settings, "{}",
                                            "true"])}
    if shutil.which("parallel-ssh"):
        ways["pssh -p 50"] = lambda: run(["parallel-ssh", "-p", "50", "-h", names, "-x", f"-F {folder}/{settings}", "true"])
    if shutil.which("pdsh"):
        ways["pdsh -f 50"] = lambda: run(["pdsh", "-R", "ssh", "-f", "50", "-w", f"^{names}", "true"],
                                         env={**os.environ, "PDSH_SSH_ARGS": f"-F {folder}/{settings} %h"})
    return ways


def ours(build, hosts, *words):
    """The lines that bench_hands prints."""
    place = hosts.folder / "hands"
    text = subprocess.run([build / "bench/bench_session_pool", build / "reeve-session", place, hosts.folder / "hosts",
                           str(hosts.port), hosts.folder / "user", *map(str, words)],
                          stdout=subprocess.PIPE, check=True, timeout=300).stdout
    return [json.loads(line) for line in text.splitlines()]


def cold(build, hosts):
    """P5, P6: no session is there; the starts of the clients count."""
    count, ways = len(hosts.addresses), peers(hosts)
    theirs = {name: [] for name in ways}
    mine = []
    for turn in range(PAIRS + 1):
        taken = ours(build, hosts, "rounds", 1)[0]
        others = {name: way() for name, way in ways.items()}
        if turn > 0:  # the first one warms up
            mine.append((taken["wall_ms"], taken["cpu_ms"]))
            for name, figures in others.items():
                theirs[name].append(figures)
    best = [min(theirs[name][i][0] for name in ways) for i in range(PAIRS)]
    cpu = [theirs["xargs -P 50 ssh"][i][1] for i in range(PAIRS)]
    for name, figures in theirs.items():
        say(f"hands/cold/{name}", wall_ms=middle([f[0] for f in figures]),
            cpu_ms_host=middle([f[1] / count for f in figures]))
    say("hands/cold/wall", hosts=count, unit="ms", ours=middle([m[0] for m in mine]), theirs=middle(best),
        peer="the best of them", ratio=middle([m[0] / b for m, b in zip(mine, best)]), goal=0.75)
    say("hands/cold/cpu", hosts=count, unit="ms a host", ours=middle([m[1] / count for m in mine]),
        theirs=middle([c / count for c in cpu]), peer="ssh", ratio=middle([m[1] / c for m, c in zip(mine, cpu)]),
        goal=0.25)


def one(build, hosts):
    """P7: one host, no session with it; the process of the sessions runs, as a manager's does."""
    mine = [line["wall_ms"] for line in ours(build, hosts, "turn", TURNS)]
    theirs = [run(["ssh", "-F", hosts.folder / "ssh", address, "true"])[0] for address in hosts.addresses[:TURNS]]
    say("hands/one", unit="ms", ours=middle(mine[1:]), with_its_start=round(mine[0], 1), theirs=middle(theirs),
        peer="ssh", ratio=round(statistics.median(mine[1:]) / statistics.median(theirs), 3), goal=0.25)


def kept(build, hosts):
    """P8: the second command on sessions that are there."""
    count, folder = len(hosts.addresses), hosts.folder
    command = ["xargs", "-a", folder / "names", "-P", "50", "-I{}", "ssh", "-F", folder / "kept", "{}", "true"]
    # masters outlive who starts them, and would hold a pipe open
    run(command, stderr=subprocess.DEVNULL)
    masters = [run(command) for _ in range(PAIRS)]
    mine = ours(build, hosts, "rounds", PAIRS + 1)[1:]
    for address in hosts.addresses:
        subprocess.run(["ssh", "-F", folder / "kept", "-O", "exit", address], stderr=subprocess.DEVNULL, check=False)
    # what a master itself does for a command is in no child that has ended: theirs is somewhat more than this
    say("hands/kept/wall", hosts=count, unit="ms", ours=middle([m["wall_ms"] for m in mine]),
        theirs=middle([m[0] for m in masters]), peer="ControlMaster",
        ratio=middle([m["wall_ms"] / t[0] for m, t in zip(mine, masters)]), goal=0.6)
    say("hands/kept/cpu", hosts=count, unit="ms a host", ours=middle([m["cpu_ms"] / count for m in mine]),
        theirs=middle([m[1] / count for m in masters]), peer="ControlMaster",
        ratio=middle([m["cpu_ms"] / t[1] for m, t in zip(mine, masters)]), goal=0.25)


def idle(build, hosts):
    """What sessions cost that nobody uses."""
    line = ours(build, hosts, "idle", max(1, IDLE // len(hosts.addresses)))[0]
    say("hands/idle", **line, goal_mib=150)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if os.getuid() != 0:
        sys.exit("hands: sshd processes that let root in need root")
    with tempfile.TemporaryDirectory(prefix="reeve-sessions-", dir="/tmp") as folder:
        with Hosts(int(sys.argv[2]) if len(sys.argv) > 2 else HOSTS, pathlib.Path(folder)) as hosts:
            # waits first, before fifty clients at once have filled the machine
            for measure in (one, cold, kept, idle):
                measure(build, hosts)


if __name__ == "__main__":
    main()
