#!/usr/bin/python3 -B
"""`reeve get nodes` of a whole fleet in every format: nodes.py BUILD [COUNT]

A manager with COUNT machines of the plugin `sim` (100,000 unless said otherwise) in one cluster of four groups; each format once
as the command line, from the start of the process to its end, and the most memory that it had. The lines are counted, so that
a format that leaves nodes out is noticed. The other lists of a fleet follow.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

from beside import Manager, say

GROUPS = 4
MANY_S = 600
FORMATS = ("table", "wide", "name", "json", "jsonl", "yaml", "csv", "tsv", "md")
OTHERS = (("status",), ("tree",), ("get", "nodegroups"), ("get", "clusters"))


def run(reeve, environment, *arguments):
    """Seconds, KiB at most, bytes and lines of the output."""
    start = time.perf_counter()
    size, lines = 0, 0
    with subprocess.Popen([reeve, *arguments], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        while piece := process.stdout.read(1 << 20):
            size, lines = size + len(piece), lines + piece.count(b"\n")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"bench: reeve {' '.join(arguments)} ended with {process.returncode}")
    return time.perf_counter() - start, usage.ru_maxrss, size, lines


def wait_ready(manager, count):
    """Until all machines are ready; the seconds that it took."""
    start = time.perf_counter()
    while time.perf_counter() - start < MANY_S:
        found = manager.get("/v1/clusters/big").json.get("status", {}).get("machines", {})
        if found.get("ready") == count:
            return time.perf_counter() - start
        time.sleep(0.2)
    raise AssertionError(f"not all machines are ready: {found}")


def main():
    build, count = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    with tempfile.TemporaryDirectory(dir=build) as name:
        folder = pathlib.Path(name)
        with Manager(folder, program=build / "reeved", control=True).start() as manager:
            manager.apply({"name": "big", "version": "1", "groups": {
                f"g{number}": {"size": count // GROUPS, "resourcePlugin": {"name": "sim"}} for number in range(GROUPS)}})
            say("nodes/made", unit="s", nodes=count, wall=round(wait_ready(manager, count), 1))
            environment = {**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": str(folder)}
            for kind in FORMATS:
                seconds, most, size, lines = run(str(build / "reeve"), environment, "get", "nodes", "-o", kind)
                assert lines >= count or kind == "json" and size > 100 * count, (kind, lines)
                say(f"nodes/{kind}", unit="s", nodes=count, wall=round(seconds, 2), memory_mb=round(most / 1024, 1), bytes=size, lines=lines)
            for arguments in OTHERS:
                seconds, most, size, lines = run(str(build / "reeve"), environment, *arguments)
                say(f"nodes/{' '.join(arguments)}", unit="s", nodes=count, wall=round(seconds, 3),
                    memory_mb=round(most / 1024, 1), bytes=size, lines=lines)


if __name__ == "__main__":
    os.environ.pop("REEVE_URL", None)
    main()
