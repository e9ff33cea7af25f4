#!/usr/bin/python3 -B
"""Several managers on etcd, the goals of MANAGERS.md section 15: managers.py BUILD

Three managers on three members of etcd, on loopback, without haste, CLUSTERS clusters without machines. For each of REPEATS rounds:

1. `killed`: the manager with the most clusters is killed; until the last of them has another manager. It starts again.
2. `stopped`: the same with SIGTERM, and
3. `drained`: with `reeve manager drain`.
4. `rolling`: all are restarted, one after the other; two minutes later, the largest deviation from the mean number of clusters.

A time includes the look of this program, every 20 ms. What the API of a manager that goes on shows is counted.
"""

import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

BUILD = pathlib.Path(sys.argv[1]).resolve()
os.environ.setdefault("REEVE_BIN", str(BUILD / "reeve"))
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.argv[1:] = []
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/e2e"), str(ROOT / "bench")]
from beside import say  # noqa: E402
from manager import until  # noqa: E402
from pylib.etcd_three import Three  # noqa: E402
from pylib.managers import Managers  # noqa: E402

CLUSTERS = int(os.environ.get("BENCH_CLUSTERS", "60"))
REPEATS = int(os.environ.get("BENCH_REPEATS", "3"))
SPREAD_S = int(os.environ.get("BENCH_SPREAD_SECONDS", "120"))
GOALS = {"killed": 5.0, "stopped": 2.0, "drained": 2.0, "rolling": 15.0}


def held(manager):
    """The number of clusters of each manager that lives, as one of them shows it."""
    return {row["name"]: row["clusters"] for row in manager.get("/v1/managers").json["items"] if row["state"] in ("live", "draining", "drained", "silent")}


def holders(manager):
    """The manager of each cluster; None: it has none."""
    return {row["cluster"]: row.get("manager") for row in manager.get("/v1/managers?clusters=1").json["clusters"]}


def settled(world):
    """All managers live, and all clusters have one. Balance comes only after a minute, and is not awaited."""
    until(lambda: len(found := held(world.all[0])) == len(world.all) and sum(found.values()) == CLUSTERS, lambda: f"{held(world.all[0])}\n{world.said()}")


def taken_over(world, end):
    """The seconds from the end of the manager with the most clusters until the last of them has another manager."""
    settled(world)
    counts = held(world.all[0])
    name = max(counts, key=counts.get)
    manager = next(one for one in world.all if one.folder.name == name)
    other = next(one for one in world.all if one is not manager)
    begun = time.monotonic()
    end(manager, other)
    while any(one in (None, name) for one in holders(other).values()):
        time.sleep(0.02)
        assert time.monotonic() - begun < 120, world.said()
    took = time.monotonic() - begun
    if manager.process is None:
        manager.start()
    else:
        other.post(f"/v1/managers/{name}/undrain", {})
    return took


def drained(manager, other):
    """Let a manager hand its clusters over."""
    until(lambda: other.post(f"/v1/managers/{manager.folder.name}/drain", {}).status == 200, lambda: "the drain is refused")


def stopped(manager, _):
    """SIGTERM; its end is not awaited, because others take over before."""
    manager.process.terminate()
    process, manager.process = manager.process, None
    manager.ending = process


def killed(manager, _):
    """kill -9."""
    manager.kill()


def spread(world):
    """The largest deviation from the mean in percent, after all were restarted one after the other."""
    for manager in world.all:
        assert manager.stop() == 0, world.said()
        manager.start()
        until(lambda: all(holders(world.all[0]).values()), world.said)
    time.sleep(SPREAD_S)
    counts = held(world.all[0])
    mean = CLUSTERS / len(world.all)
    return max(abs(count - mean) for count in counts.values()) / mean * 100


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "etcd").mkdir()
    try:
        with Three(folder / "etcd") as etcd, Managers(folder, etcd, more="fetch: {enabled: false}\n") as world:
            world.start()
            world.all[0].apply(*({"name": f"c{number}", "version": "1", "groups": {"web": {"size": 0, "resourcePlugin": {"name": "sim"}}}}
                                 for number in range(CLUSTERS)))
            for name, end in (("killed", killed), ("stopped", stopped), ("drained", drained)):
                times = []
                for _ in range(REPEATS):
                    times.append(taken_over(world, end))
                    for manager in world.all:
                        if (process := getattr(manager, "ending", None)) is not None:
                            process.wait(60)
                            manager.ending = None
                say(f"managers.{name}", seconds=round(statistics.median(times), 2), all=[round(one, 2) for one in times], goal=GOALS[name], clusters=CLUSTERS)
            say("managers.rolling", percent=round(spread(world), 1), goal=GOALS["rolling"], clusters=CLUSTERS)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
