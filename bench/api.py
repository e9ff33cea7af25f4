#!/usr/bin/python3 -B
"""The API under load: reads, writes, lists, watches, start and memory, one JSON line each: api.py BUILD

The manager runs on a temporary folder below BUILD, so on the disk of the tree; the client is bench_api_client,
on the same machine.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from manager import Manager, cluster  # noqa: E402  pylint: disable=wrong-import-position

SECONDS, REPEATS = 2, 3


def say(name, **figures):
    """One line."""
    print(json.dumps({"name": f"api/{name}", **figures}), flush=True)


def load(build, manager, connections, method, path, seconds=SECONDS):
    """One run of the client: (answers a second, p50, p99, most)."""
    run = subprocess.run([str(build / "bench/bench_api_client"), manager.socket, str(connections),
                          str(seconds), method, path], stdout=subprocess.PIPE, text=True, check=True)
    count, took, middle, late, most = (float(word) for word in run.stdout.split())
    return count / took, middle, late, most


def measure(name, build, manager, connections, method, path):
    """The median of some runs."""
    runs = sorted(load(build, manager, connections, method, path) for _ in range(REPEATS))
    rate, middle, late, most = runs[REPEATS // 2]
    say(name, connections=connections, per_second=round(rate), p50_us=middle, p99_us=late,
        max_us=most, spread=[round(runs[0][0]), round(runs[-1][0])])


def pss_kib(manager):
    """Proportional memory of the manager."""
    text = pathlib.Path(f"/proc/{manager.process.pid}/smaps_rollup").read_text()
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))


def fill(manager, groups):
    """A cluster of so many groups in each of enough clusters."""
    left, number = groups, 0
    while left > 0:
        count = min(left, 5000)
        manager.apply(cluster(f"wide{number}", **{f"g{i}": 1 for i in range(count)}))
        left, number = left - count, number + 1


def start_time(manager):
    """From starting the program to ready, in ms."""
    begin = time.monotonic()
    manager.start()
    return (time.monotonic() - begin) * 1000


def main():
    build = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory(dir=build) as folder:
        manager = Manager(folder, program=build / "reeved")
        say("start", objects=0, ms=round(start_time(manager), 1))
        say("memory", objects=0, pss_kib=pss_kib(manager))
        for number in range(64):
            manager.apply(cluster(f"c{number}", web=1))
        measure("get", build, manager, 64, "GET", "/v1/clusters/c1")
        measure("get_one", build, manager, 1, "GET", "/v1/clusters/c1")
        measure("health", build, manager, 64, "GET", "/healthz")
        measure("patch", build, manager, 64, "PATCH", "/v1/clusters/c")
        measure("patch_one", build, manager, 1, "PATCH", "/v1/clusters/c")
        before = pss_kib(manager)
        measure("watch", build, manager, 1000, "WATCH", "/v1/clusters/c")
        say("watch_memory", connections=1000, pss_kib_after=pss_kib(manager), pss_kib_before=before)
        for objects in (10000, 100000):
            fill(manager, objects)
            measure(f"list_{objects}", build, manager, 1, "GET", f"/v1/nodegroups?limit={objects}")
        say("memory", objects=100000, pss_kib=pss_kib(manager))
        manager.stop()
        say("start", objects=100000, ms=round(start_time(manager), 1))
        manager.stop()


main()
