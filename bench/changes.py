#!/usr/bin/python3 -B
"""The cost of one more machine in a cluster of many, with the controller on: changes.py BUILD [COUNT...]

One cluster, one group of machines of `sim`. A change makes the group one machine larger; its cost is the processor time of the manager and
its plugin from the request until the machine is ready, and the cost of the time after it until the manager is at rest. Another client asks
for /livez all the while: its longest wait shows for how long one act blocked the loop.
"""

import pathlib
import statistics
import sys
import tempfile
import threading
import time

from beside import Manager, middle, say
from keep import cpus_s

COUNTS = (1_000, 10_000, 100_000)
REPEATS = 10
MOST_S = 600
REST_S = 1.5  # a window of measurement: what a change costs after its answer falls into it


class Other(threading.Thread):
    """A client that asks again and again, and keeps its longest wait in ms."""

    def __init__(self, one):
        super().__init__(daemon=True)
        self.one, self.longest_ms, self.is_over = one, 0.0, False

    def run(self):
        connection = self.one.connect()
        while not self.is_over:
            begin = time.perf_counter()
            self.one.get("/livez", connection=connection)
            self.longest_ms = max(self.longest_ms, (time.perf_counter() - begin) * 1000)
            time.sleep(0.001)  # without a pause its own requests would be the load

    def end(self):
        """Its longest wait."""
        self.is_over = True
        self.join()
        return self.longest_ms


def wait_ready(one, connection, count):
    """Until so many machines are ready."""
    end = time.perf_counter() + MOST_S
    while one.get("/v1/clusters/big", connection=connection).json.get("status", {}).get("machines", {}).get("ready") != count:
        assert time.perf_counter() < end, "not all machines are ready"
        time.sleep(0.02)


def rest_ms(one):
    """The processor time a second of a manager that has nothing to do, in ms."""
    begin = cpus_s(one.process.pid)
    time.sleep(REST_S)
    return (cpus_s(one.process.pid) - begin) * 1000 / REST_S


def wait_rest(one):
    """Until the manager is at rest."""
    end = time.perf_counter() + MOST_S
    while rest_ms(one) > 30:
        assert time.perf_counter() < end, "the manager has not come to rest"


def changes(build, folder, count):
    """The figures for one size."""
    folder.mkdir()
    with Manager(folder, program=build / "reeved", control=True).start() as one:
        connection = one.connect()
        one.apply({"name": "big", "version": "1", "groups": {"web": {"size": count, "resourcePlugin": {"name": "sim"}}}})
        wait_ready(one, connection, count)
        wait_rest(one)
        costs, answers, blocked, plans = [], [], [], []
        for number in range(1, REPEATS + 1):
            begin = cpus_s(one.process.pid)
            start = time.perf_counter()
            answer = one.patch("/v1/nodegroups/big/web?dry-run=1", {"size": count + number}, connection=connection)
            assert answer.status == 200, answer.text
            plans.append((time.perf_counter() - start) * 1000)
            other = Other(one) if number % 2 == 0 else None  # its requests cost processor time too
            if other:
                other.start()
            start = time.perf_counter()
            answer = one.patch("/v1/nodegroups/big/web", {"size": count + number}, connection=connection)
            assert answer.status == 200, answer.text
            answers.append((time.perf_counter() - start) * 1000)
            wait_ready(one, connection, count + number)
            time.sleep(REST_S)
            if other:
                blocked.append(other.end())
            else:
                costs.append((cpus_s(one.process.pid) - begin) * 1000)
        rest = rest_ms(one)
        say(f"changes/plus_one_of_{count}", unit="ms", cpu=middle(costs, 1), answer=middle(answers, 1), plan=middle(plans, 1),
            blocked=middle(blocked, 1), rest_ms_per_s=round(rest, 1))
        return statistics.median(costs)


def main():
    """All sizes."""
    build = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory(dir=build) as name:
        figures = {count: changes(build, pathlib.Path(name) / str(count), count) for count in map(int, sys.argv[2:] or COUNTS)}
    least, most = min(figures), max(figures)
    say(f"changes/plus_one_{most}_against_{least}", ratio=round(figures[most] / figures[least], 2), goal=1.5, most=True)


if __name__ == "__main__":
    main()
