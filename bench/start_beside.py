#!/usr/bin/python3 -B
"""Start to ready, idle memory, and memory under commands, beside etcd and slurmctld: start_beside.py BUILD

Ready: the first answer that says so, asked for every millisecond or as fast as the asking process is. Memory is
proportional (Pss) after two seconds of rest. Under commands: 1,000 rounds of one object, a plan and a change, with a list of all every
tenth time, at 10,000 objects; slurm 20 rounds of its own, after which it grows no more.
"""

import os
import pathlib
import pwd
import subprocess
import sys
import tempfile
import time

from beside import PlainEtcd, Slurm, alone, body, etcd_fill, fill, manager, memory_kib, pairs, say
from pylib.etcd import Missing

ROUNDS, LOTS = 1000, 4


def start_ms(one):
    """From starting the program to ready. The caller stops it."""
    begin = time.perf_counter()
    one.start(wait=False)
    while True:
        try:
            if one.get("/readyz").status == 200:
                return (time.perf_counter() - begin) * 1000
        except OSError:
            time.sleep(0.001)


def start_again(one):
    """The same, of a manager that runs."""
    one.stop()
    return start_ms(one)


def beside_etcd(build, folder):
    """An empty store."""
    made = iter(range(1000))

    def ours():
        one = manager(build, folder / f"empty{next(made)}")
        took = start_ms(one)
        one.stop()
        return took

    def theirs():
        place = folder / f"etcd{next(made)}"
        place.mkdir()
        etcd = PlainEtcd(place)
        begin = time.perf_counter()
        etcd.start()
        took = (time.perf_counter() - begin) * 1000
        etcd.stop()
        return took

    try:
        pairs("start/empty", "ms", ours, theirs, "etcd", goal=0.1, goal_ms=50)
    except Missing:
        alone("start/empty", "ms", ours, "etcd", 420, goal=0.1)


def restart_beside_etcd(build, folder, one):
    """With 100,000 objects of the same bytes."""
    place = folder / "full"
    place.mkdir()
    try:
        with PlainEtcd(place) as etcd:
            etcd_fill(build, etcd, 100_000, body(one, "/v1/nodegroups/wide0/n000042"))

            def theirs():
                etcd.stop()
                begin = time.perf_counter()
                etcd.start()
                return (time.perf_counter() - begin) * 1000

            pairs("start/100000", "ms", lambda: start_again(one), theirs, "etcd", goal=0.2, count=3)
    except Missing:
        alone("start/100000", "ms", lambda: start_again(one), "etcd", 2930, goal=0.2)


def rounds_run(one, count):
    """One object, a plan and a change, and every tenth time a list of all."""
    connection = one.connect()
    for number in range(count):
        path, change = f"/v1/nodegroups/wide0/n{number % 5000:06}", {"labels": {"round": str(number)}}
        assert one.get(path, connection=connection).status == 200
        assert one.patch(path + "?dry-run=1", change, connection=connection).status == 200
        assert one.patch(path, change, connection=connection).status == 200
        if number % 10 == 0:
            assert one.get("/v1/nodegroups?limit=10000", connection=connection).status == 200
    connection.close()


def under_commands(one):
    """P21: rounds, and again: what each lot adds to the one before is what never ends."""
    figures = [memory_kib(one.process.pid)]
    for _ in range(LOTS):
        rounds_run(one, ROUNDS)
        figures.append(memory_kib(one.process.pid))
    say("start/memory_each_1000_rounds", unit="KiB", ours=figures)
    return figures[1]


def slurm_rounds(slurm):
    """Its own commands; memory afterwards."""
    for number in range(20):
        for command in (["show", "nodes"], ["show", "node", "n00042"],
                        ["update", "nodename=n00042", f"state={'drain' if number % 2 == 0 else 'resume'}", "reason=x"]):
            subprocess.run(["scontrol", *command], env=slurm.environment, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=False, timeout=60)
    return memory_kib(slurm.process.pid)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="bench-start-", dir=build) as name:
        folder = pathlib.Path(name)
        beside_etcd(build, folder)
        one = manager(build, folder / "ours").start()
        try:
            time.sleep(2)
            say("start/idle_memory", unit="KiB", ours=memory_kib(one.process.pid), goal=12 * 1024, most=True)
            fill(one, 10_000)
            if Slurm.is_installed():
                slurm = Slurm(folder / "slurm", 10000, 26817, pwd.getpwuid(os.getuid()).pw_name)

                def theirs():
                    slurm.stop()
                    return slurm.start()

                try:
                    pairs("start/10000", "ms", lambda: start_again(one), theirs, "slurmctld", goal_ms=280)
                    time.sleep(1)
                    say("start/memory_10000", unit="KiB", ours=memory_kib(one.process.pid),
                        theirs=memory_kib(slurm.process.pid), peer="slurmctld")
                    say("start/memory_after_commands", unit="KiB", ours=under_commands(one),
                        theirs=slurm_rounds(slurm), peer="slurmctld, 20 rounds", goal=0.5)
                finally:
                    slurm.stop()
            else:
                alone("start/10000", "ms", lambda: start_again(one), "slurmctld", 280)
                under_commands(one)
            fill(one, 90_000, prefix="more")
            restart_beside_etcd(build, folder, one)
        finally:
            one.stop()


main()
