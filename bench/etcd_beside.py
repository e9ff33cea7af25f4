#!/usr/bin/python3 -B
"""The embedded store beside etcd, in one run, taking turns: etcd_beside.py BUILD-FOLDER

Durable writes of 1 KiB, one and 64 under way: our embedded store, etcd by plain puts over the driver's
own connection (TLS, gRPC), and the driver's transactions. Then a restart with 100,000 objects of 1 KiB:
etcd from its start until it serves, and our embedded store from its start until it is open."""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests"))
from pylib.etcd import Etcd, Missing  # noqa: E402

ROUNDS = 5
WRITES = {1: 1000, 64: 10000}
OBJECTS = 100_000


def say(bench, **facts):
    print(json.dumps({"bench": bench, **facts}), flush=True)


class Bench:
    def __init__(self, program, folder, etcd):
        self.program, self.folder, self.etcd = program, folder, etcd

    def run(self, what, *numbers):
        """The figure that one run of the program prints."""
        store = self.folder / "embedded"
        store.mkdir(exist_ok=True)
        output = subprocess.run([self.program, what, store, *map(str, numbers)], check=True,
                                capture_output=True, text=True, timeout=120,
                                env={**os.environ, **self.etcd.environment()}).stdout
        return float(output) if output else None

    def writes(self, in_flight, target):
        whats = ("embedded", "raw", "driver")
        rates = {what: [] for what in whats}
        for _ in range(ROUNDS):
            for what in whats:
                rates[what].append(self.run(what, in_flight, WRITES[in_flight]))
        ratios = sorted(ours / theirs for ours, theirs in zip(rates["embedded"], rates["raw"]))
        for what, name in (("embedded", "embedded store"), ("raw", "etcd, plain puts"),
                           ("driver", "store in etcd")):
            say(f"{name}, {in_flight} writers of 1 KiB",
                per_s=round(statistics.median(rates[what])), min=round(min(rates[what])),
                max=round(max(rates[what])))
        say(f"embedded store beside etcd, {in_flight} writers",
            ratio=round(statistics.median(ratios), 2), min=round(ratios[0], 2),
            max=round(ratios[-1], 2), target=target)

    def restart(self):
        self.run("fill-driver", OBJECTS)
        self.run("fill-embedded", OBJECTS)
        theirs, ours = [], []
        for _ in range(3):
            self.etcd.stop()
            start = time.monotonic()
            self.etcd.start()
            theirs.append(time.monotonic() - start)
            ours.append(self.run("open-embedded"))
        say(f"start with {OBJECTS} objects of 1 KiB: etcd",
            s=round(statistics.median(theirs), 3))
        say(f"start with {OBJECTS} objects of 1 KiB: embedded store",
            s=round(statistics.median(ours), 3),
            ratio=round(statistics.median(ours) / statistics.median(theirs), 3), target=0.2)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="bench-etcd-", dir=build) as folder:
        try:
            etcd = Etcd(folder)
        except Missing as missing:
            sys.exit(f"bench etcd: {missing}; tools/install-packages bench")
        with etcd:
            bench = Bench(build / "bench/bench_etcd", pathlib.Path(folder), etcd)
            bench.writes(1, target=2)
            bench.writes(64, target=4)
            bench.restart()


main()
