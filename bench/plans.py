#!/usr/bin/python3 -B
"""What a change costs beside the rest that stands (P3), and the command line on 10,000 groups: plans.py BUILD

A plan by PATCH of one group in clusters of 100 and 10,000, and a plan of a whole file of which one group changed: wall
time of the request, and processor time of the manager. Then `reeve plan` and `reeve get` as whole processes.
"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

from beside import RICH, cpu_s, manager, middle, say

SMALL, BIG, REPEATS = 100, 10_000, 21


def document(count, size=1):
    """A cluster of so many groups, of which one in the middle has this size."""
    return {"name": f"c{count}", "version": "1", "groups": {
        f"n{number:06}": {**RICH, "size": size if number == count // 2 else 1} for number in range(count)}}


def asked(one, ask, repeats):
    """(wall ms, processor ms of the manager) of a request."""
    begin, walls = cpu_s(one.process.pid), []
    for _ in range(repeats):
        start = time.perf_counter()
        answer = ask()
        walls.append((time.perf_counter() - start) * 1000)
        assert answer.status == 200, answer.text
    return walls, (cpu_s(one.process.pid) - begin) * 1000 / repeats


def requests(one):
    """Plans and changes of one group among few and among many."""
    figures = {}
    for count in (SMALL, BIG):
        path, group, number = f"/v1/clusters/c{count}", f"n{count // 2:06}", iter(range(2, 10**6))
        with_connection = {"connection": one.connect()}
        for name, query in (("plan", "?dry-run=1"), ("change", "")):
            walls, cpu = asked(one, lambda: one.patch(f"/v1/nodegroups/c{count}/{group}{query}", {
                "size": next(number)}, **with_connection), 200)
            figures[name, count] = middle(walls)["median"]
            say(f"plans/{name}_one_of_{count}", unit="ms", ours=middle(walls), server_cpu_ms=round(cpu, 3))
        walls, cpu = asked(one, lambda: one.patch(path + "?dry-run=1", {
            "groups": {group: {"size": next(number)}}}, **with_connection), REPEATS)
        say(f"plans/plan_one_of_{count}_by_its_cluster", unit="ms", ours=middle(walls), server_cpu_ms=round(cpu, 3))
        text = json.dumps({"documents": [document(count, 99999)]})
        walls, cpu = asked(one, lambda: one.post("/v1/apply?dry-run=1", text, Content_Type="application/json"), REPEATS)
        say(f"plans/file_one_of_{count}_changed", unit="ms", ours=middle(walls), server_cpu_ms=round(cpu, 2),
            bytes=len(text), goal=100 if count == BIG else None, most=True)
    for name in ("plan", "change"):
        say(f"plans/{name}_{BIG}_against_{SMALL}", ratio=round(figures[name, BIG] / figures[name, SMALL], 2),
            goal=3, most=True)


def commands(build, one, folder):
    """Processor time of whole processes of ours."""
    environment = {**os.environ, "REEVE_URL": f"unix:{one.socket}", "HOME": str(folder)}
    changed = folder / "changed.json"
    changed.write_text(json.dumps(document(BIG, 99999)))
    for name, words, goal in (("get_10000_table", ["get", "nodegroups"], 150),
                              ("get_10000_json", ["get", "nodegroups", "-o", "json"], None),
                              ("plan_file_one_of_10000", ["plan", "-f", str(changed)], None)):
        cpus, walls = [], []
        for _ in range(7):
            begin, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run([str(build / "reeve"), *words], env=environment, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=True, timeout=60)
            end = resource.getrusage(resource.RUSAGE_CHILDREN)
            walls.append((time.perf_counter() - start) * 1000)
            cpus.append((end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime) * 1000)
        say(f"plans/reeve_{name}", unit="ms of cpu", ours=middle(cpus, 1), wall_ms=middle(walls, 1), goal=goal, most=True)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="bench-plans-", dir=build) as name:
        folder = pathlib.Path(name)
        one = manager(build, folder / "ours").start()
        try:
            for count in (SMALL, BIG):
                one.apply(document(count))
            requests(one)
            commands(build, one, folder)
        finally:
            one.stop()


main()
