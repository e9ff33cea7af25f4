#!/usr/bin/python3 -B
"""Machines of the plugin sim, a thousand in each cluster, under one manager: million.py BUILD [CLUSTERS]

What a look at all of them costs when nothing has changed, what one change costs beside so many others, and the memory
of each. MACHINES in the environment sets how many thousands (100; a million takes ten minutes).
"""

import math
import os
import pathlib
import sys
import tempfile
import time

from beside import Manager, cpu_s, family, memory_kib, say

EACH = 1000
RESYNC_S = 30
SWEEPS = 4
CHANGES = 20
DEADLINE_S = 1800


def cpus_s(pid):
    """Processor time of a manager and its plugins."""
    return sum(cpu_s(one) for one in family(pid))


def memories_kib(pid):
    """Memory of a manager, and of its plugins: a simulated machine lives in one of them, a real one elsewhere."""
    return memory_kib(pid), sum(memory_kib(one) for one in family(pid)[1:])


def document(name, size):
    """A cluster with one group."""
    return {"name": name, "version": "1", "groups": {"web": {"size": size, "resourcePlugin": {"name": "sim"}}}}


def ready(one, connection, name, wanted):
    """Wait until so many are ready."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        status = one.get(f"/v1/clusters/{name}", connection=connection).json.get("status", {})
        if status.get("machines", {}).get("ready") == wanted:
            return
        time.sleep(0.01)
    raise AssertionError(f"{name} has not {wanted} machines")


def change_cost(one, pid, connection):
    """Processor seconds of one machine more in a cluster, until it is ready."""
    before = cpus_s(pid)
    for number in range(CHANGES):
        one.apply(document("c0", EACH + number + 1))
        ready(one, connection, "c0", EACH + number + 1)
    one.post("/v1/apply", {"documents": [document("c0", EACH)], "allow": {"destroy": CHANGES}})
    ready(one, connection, "c0", EACH)
    return (cpus_s(pid) - before) / CHANGES


def measured(build, clusters):
    """Figures with so many clusters."""
    with tempfile.TemporaryDirectory(dir=build) as name, \
            Manager(pathlib.Path(name), program=build / "reeved", control=True).start() as one:
        pid, connection = one.process.pid, one.connect()
        empty, start = memory_kib(pid), cpus_s(pid)
        each = clusters * EACH
        for number in range(clusters):
            one.apply(document(f"c{number}", EACH))
        for number in range(clusters):
            ready(one, connection, f"c{number}", EACH)
        made = cpus_s(pid) - start
        memory = (memory_kib(pid) - empty) / each
        time.sleep(2 * RESYNC_S)
        ours, plugins = memories_kib(pid)
        before = cpus_s(pid)
        time.sleep(SWEEPS * RESYNC_S)
        sweep = (cpus_s(pid) - before) / SWEEPS
        change = change_cost(one, pid, one.connect())  # the other one was idle for too long
    return {"made": made, "memory": memory, "rest": (ours - empty) / each, "plugins": plugins / each, "sweep": sweep,
            "change": change}


def main():
    """All of it."""
    build = pathlib.Path(sys.argv[1]).resolve()
    clusters = int(os.environ.get("MACHINES", "100"))
    small, large = measured(build, 1), measured(build, clusters)
    say(f"million/sweep_{clusters}k", unit="s", cpu=round(large["sweep"], 3), a_million=round(
        large["sweep"] * 1000 / clusters, 3), goal="1 s of a million")
    say(f"million/memory_{clusters}k", unit="KiB each", ours=round(large["memory"], 2),
        at_rest=round(large["rest"], 2), plugins=round(large["plugins"], 2), goal=1)
    say(f"million/made_{clusters}k", unit="s", cpu=round(large["made"], 1))
    say(f"million/change_{clusters}k", unit="ms", ours=round(large["change"] * 1000, 2),
        alone=round(small["change"] * 1000, 2), ratio=round(large["change"] / small["change"], 2), goal="2 times")
    ten = measured(build, max(1, clusters // 10))
    say("million/growth", exponent=round(math.log10(max(large["sweep"], 0.001) / max(ten["sweep"], 0.001)), 2), goal=1.1)


if __name__ == "__main__":
    os.environ.pop("REEVE_URL", None)
    main()
