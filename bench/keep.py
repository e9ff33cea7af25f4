#!/usr/bin/python3 -B
"""What keeping clusters costs (PEERS.md P1, P2, P4): keep.py BUILD

Machines of plugins, files or rows of one: from nothing to all of them running and recorded, every intent and event durable, by the
manager; then a pass without drift by reeve-controller, as a whole process from its start to its end. Terraform's
figures are recorded ones (2 processors, its null plugin): it is not among Debian's packages.
"""

import contextlib
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from beside import Manager, cpu_s, family, middle, say

TERRAFORM = {1000: {"apply_wall_s": 10.05, "apply_cpu_s": 13.0, "plan_cpu_s": 1.97}, 10_000: {"plan_cpu_s": 158.0}}
PASSES = 9
MADE = 3
MANY_S = 120


def cpus_s(pid):
    """Processor time of a manager and its plugins."""
    total = 0.0
    for one in family(pid):
        with contextlib.suppress(FileNotFoundError):  # a host that was only asked who it is has ended
            total += cpu_s(one)
    return total


def made(folder, build, count, plugin):
    """Seconds, of wall and of processor (the manager's and its plugin's), until so many machines are ready, from nothing.
    Those of `sim` do nothing, as terraform's do."""
    folder.mkdir()
    with Manager(folder, program=build / "reeved", control=True).start() as one:
        begin, start = cpus_s(one.process.pid), time.perf_counter()
        one.apply({"name": "big", "version": "1", "groups": {
            "web": {"size": count, "resourcePlugin": {"name": plugin}}}})
        connection = one.connect()
        while time.perf_counter() - start < MANY_S:
            status = one.get("/v1/clusters/big", connection=connection).json.get("status", {})
            if status.get("machines", {}).get("ready") == count:
                return time.perf_counter() - start, cpus_s(one.process.pid) - begin
            time.sleep(0.02)
        raise AssertionError("not all machines are ready")


def passes(folder, build):
    """Wall and processor ms of passes that find nothing to do, and the most memory one took."""
    walls, cpus, most = [], [], 0
    for _ in range(PASSES):
        start = time.perf_counter()
        with subprocess.Popen([str(build / "reeve-controller"), "big", "--data", str(folder / "data")],
                              stdout=subprocess.PIPE, text=True) as run:
            said = run.stdout.read()
            _, status, used = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
        walls.append((time.perf_counter() - start) * 1000)
        cpus.append((used.ru_utime + used.ru_stime) * 1000)
        most = max(most, used.ru_maxrss)
        assert run.returncode == 0 and " 0 actions" in said, said
    return walls, cpus, most / 1024


def main():
    """All of it."""
    build = pathlib.Path(sys.argv[1])
    figures = {}
    for count in (1000, 10_000):
        peer = TERRAFORM[count]
        with tempfile.TemporaryDirectory(dir=build) as name:
            folder = pathlib.Path(name)
            for plugin in ("sim", "file"):
                runs = [made(folder / f"{plugin}{run}", build, count, plugin) for run in range(MADE)]
                wall, cpu = (statistics.median(figures) for figures in zip(*runs))
                goal = "wall 0.05, cpu 0.02" if plugin == "sim" and "apply_wall_s" in peer else None
                say(f"keep/made_{count}_{plugin}", unit="s", wall=round(wall, 3), cpu=round(cpu, 3), goal=goal,
                    theirs_recorded=peer.get("apply_wall_s"),
                    wall_ratio=round(wall / peer["apply_wall_s"], 3) if "apply_wall_s" in peer else None,
                    cpu_ratio=round(cpu / peer["apply_cpu_s"], 4) if "apply_cpu_s" in peer else None)
            folder /= "file0"
            walls, cpus, most = passes(folder, build)
            figures[count] = middle(cpus)["median"]
            say(f"keep/pass_{count}", unit="ms", wall=middle(walls), cpu=middle(cpus), memory_mb=round(most, 1),
                theirs_recorded_cpu_s=peer["plan_cpu_s"],
                cpu_ratio=round(figures[count] / 1000 / peer["plan_cpu_s"], 5),
                goal="cpu 0.02, wall 60 ms" if count == 1000 else "cpu 0.002, 100 MB")
    say("keep/growth", exponent=round(math.log10(figures[10_000] / figures[1000]), 2), goal=1.1)


if __name__ == "__main__":
    os.environ.pop("REEVE_URL", None)
    main()
