"""What the benchmarks beside others share: pairs in turn, figures of a process, the peers as they are run."""

import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests")]
from pylib.etcd import Etcd  # noqa: E402  pylint: disable=wrong-import-position
from manager import Manager  # noqa: E402  pylint: disable=wrong-import-position

TICKS = os.sysconf("SC_CLK_TCK")
PAIRS = 5
# as many facts as slurm's record of a node has: 569 bytes and more, as the API sends it
RICH = {"size": 1, "image": "debian-12", "machineSize": "m6i.large", "resourcePlugin": {"name": "sim"},
        "zones": ["zone-a", "zone-b"], "user": "root",
        "labels": {"arch": "x86_64", "boot": "2026-01-01T00-00-00", "cores": "4", "features": "none",
                   "memory": "8000", "partition": "all", "sockets": "1", "state": "UNKNOWN",
                   "threads": "1", "weight": "1", "owner": "nobody", "reason": "none",
                   "os": "Linux-6.1.0-18-amd64-1-SMP-PREEMPT_DYNAMIC-Debian", "version": "22.05.8",
                   "boards": "1", "load": "0.01", "gres": "none", "started": "2026-01-01T00-00-10",
                   "busy": "2026-01-01T00-00-20", "address": "192.0.2.10", "host": "node-000001"},
        "resourceProperties": {"profile": "p1", "tags": {"cost": "cc-1", "free": "7900"}}}


def say(name, **figures):
    """One line."""
    print(json.dumps({"name": name, **figures, "load": round(os.getloadavg()[0], 1)}), flush=True)


def middle(values, digits=3):
    """Median, least and most."""
    return {"median": round(statistics.median(values), digits), "min": round(min(values), digits),
            "max": round(max(values), digits)}


def pairs(name, unit, ours, theirs, peer, count=PAIRS, **facts):
    """Ours and theirs in turn; the ratio is the median of the ratios of the pairs. Gives it."""
    left, right = [], []
    for _ in range(count):
        left.append(ours())
        right.append(theirs())
    ratios = [a / b for a, b in zip(left, right)]
    say(name, unit=unit, ours=middle(left), theirs=middle(right), peer=peer,
        ratio=middle(ratios), pairs=count, **facts)
    return statistics.median(ratios)


def alone(name, unit, ours, peer, recorded=None, **facts):
    """Ours, where the peer cannot be run: said so, with the recorded figure where there is one."""
    figure = middle([ours() for _ in range(PAIRS)])
    if recorded is None:
        say(name, unit=unit, ours=figure, theirs="absent", peer=peer, **facts)
    else:
        say(name, unit=unit, ours=figure, theirs=recorded, peer=f"{peer}, recorded (PEERS)",
            ratio=round(figure["median"] / recorded, 5), **facts)


def cpu_s(pid):
    """Processor time of a process."""
    words = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / TICKS


def family(pid):
    """A process and all that it and its children have started and that live: a manager with its plugins."""
    found = [pid]
    for one in found:
        for path in pathlib.Path(f"/proc/{one}/task").glob("*/children"):
            found += map(int, path.read_text().split())
    return found


def memory_kib(pid, what="Pss:"):
    """Proportional memory of a process, or another line of its summary."""
    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith(what))


def wall_ms(command, environment=None):
    """A whole process, its output thrown away."""
    start = time.perf_counter()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                   stdin=subprocess.DEVNULL, check=True, timeout=120)
    return (time.perf_counter() - start) * 1000


def client(build, program, *words):
    """One run of a client: answers a second, its latencies and its own processor time for each in microseconds."""
    begin = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([str(build / "bench" / program), *map(str, words)], stdout=subprocess.PIPE,
                         text=True, check=True, timeout=120)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime
    count, took, half, late, most = (float(word) for word in run.stdout.split())
    return {"rate": count / took, "p50": half, "p99": late, "max": most, "cpu": cpu * 1e6 / count}


def manager(build, folder):
    """A manager of the release build, not started yet."""
    folder.mkdir(exist_ok=True)
    return Manager(folder, program=build / "reeved")


def body(one, path):
    """What an object is as the API sends it."""
    answer = one.get(path)
    assert answer.status == 200, answer.text
    return answer.bytes


def fill(one, count, width=5000, prefix="wide"):
    """So many rich groups, so many in a cluster."""
    for start in range(0, count, width):
        groups = {f"n{number:06}": {**RICH, "labels": {**RICH["labels"], "number": str(number)}}
                  for number in range(start, min(count, start + width))}
        one.apply({"name": f"{prefix}{start // width}", "version": "1", "groups": groups})


class PlainEtcd(Etcd):
    """etcd without TLS, as the peer's best: its clients are on loopback and unencrypted."""

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def socket(self):
        """A unix socket, as ours has: etcd makes one that is called like an address, in its folder."""
        return self.folder / f"localhost:{self.port}"

    def command(self):
        words = [word for word in super().command()
                 if not word.startswith(("--cert-file", "--key-file", "--client-cert-auth", "--trusted-ca-file"))]
        both = f"--listen-client-urls={self.endpoint},unix://localhost:{self.port}"
        return ["env", f"--chdir={self.folder}",
                *(both if word.startswith("--listen-client-urls") else word for word in words)]


def etcd_fill(build, etcd, count, value):
    """So many keys with these bytes."""
    path = etcd.folder / "value"
    path.write_bytes(value)
    subprocess.run([str(build / "bench/etcd_client"), str(etcd.port), str(count), "0", "fill", str(path)],
                   check=True, timeout=120)


class Slurm:
    """slurmctld with so many nodes that nobody reaches, on ports of its own."""

    CONFIGURATION = """ClusterName=bench
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmdPort={node_port}
AuthType=auth/none
CredType=cred/none
SlurmUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/pid
SlurmctldLogFile={folder}/log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
ReturnToService=2
SlurmdTimeout=0
MpiDefault=none
NodeName=n[00001-{nodes:05}] NodeAddr=127.79.0.1 CPUs=4 RealMemory=8000 State=UNKNOWN
PartitionName=all Nodes=n[00001-{nodes:05}] Default=YES MaxTime=INFINITE State=UP
"""

    def __init__(self, folder, nodes, port, user):
        self.folder = folder
        (folder / "state").mkdir(parents=True)
        (folder / "slurm.conf").write_text(self.CONFIGURATION.format(
            host=os.uname().nodename, folder=folder, nodes=nodes, port=port, node_port=port + 1, user=user))
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        self.process = None

    @staticmethod
    def is_installed():
        """Is there one to run?"""
        return all(shutil.which(tool) for tool in ("slurmctld", "scontrol"))

    def start(self):
        """Start; gives the milliseconds until it answers."""
        begin = time.perf_counter()
        with (self.folder / "out").open("ab") as out:
            self.process = subprocess.Popen(["slurmctld", "-D", "-f", str(self.folder / "slurm.conf")],
                                            env=self.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        while time.perf_counter() - begin < 30:
            ping = subprocess.run(["scontrol", "ping"], env=self.environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, check=False)
            if b"is UP" in ping.stdout:
                return (time.perf_counter() - begin) * 1000
            if self.process.poll() is not None:
                break
        self.stop()
        raise RuntimeError("slurmctld does not serve: " + (self.folder / "out").read_text()[-1000:])

    def stop(self):
        """End it by its number."""
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process = None
