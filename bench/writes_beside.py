#!/usr/bin/python3 -B
"""Durable writes through the API, 64 clients and one, beside etcd's compare and put: writes_beside.py BUILD

Each of ours is a PATCH that is read, validated, planned, written with its event, and answered when it is synced; each of
etcd's a transaction that compares the revision of a key and puts as many bytes as our object has. Both clients are
one process of the same kind (one event loop, a connection for each client); etcd is spoken to in the clear.
"""

import pathlib
import sys
import tempfile

from beside import PlainEtcd, RICH, body, client, cpu_s, manager, memory_kib, middle, pairs, say
from pylib.etcd import Missing

SECONDS = 3


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="bench-writes-", dir=build) as name:
        folder = pathlib.Path(name)
        ours = manager(build, folder / "ours").start()
        try:
            for number in range(64):
                ours.apply({"name": f"c{number}", "version": "1", "groups": {"web": RICH}})
            size = len(body(ours, "/v1/nodegroups/c0/web"))

            cost = {"ours": [], "etcd": []}
            clients = {"ours": [], "etcd": []}

            def counted(who, process, *words):
                begin = cpu_s(process.pid)
                run = client(build, *words)
                cost[who].append((cpu_s(process.pid) - begin) * 1e6 / (run["rate"] * SECONDS))
                clients[who].append(run["cpu"])
                return run["rate"]

            def patches(count):
                return lambda: counted("ours", ours.process, "bench_api_client", ours.socket, count, SECONDS, "PATCH",
                                       "/v1/clusters/c")

            try:
                etcd = PlainEtcd(folder)
            except Missing:
                say("writes/64", unit="1/s", ours=patches(64)(), theirs="absent", peer="etcd")
                return
            with etcd:
                for count, goal in ((64, 1.5), (1, None)):
                    pairs(f"writes/{count}", "1/s", patches(count),
                          lambda: counted("etcd", etcd.process, "etcd_client", etcd.socket, count, SECONDS, "txn", size),
                          "etcd, compare and put", goal=goal, bytes=size)
                    for what, figures in (("server", cost), ("client", clients)):
                        say(f"writes/{count}_{what}_cpu", unit="us each", ours=middle(figures["ours"], 1),
                            theirs=middle(figures["etcd"], 1), peer="etcd, compare and put")
                        figures["ours"].clear()
                        figures["etcd"].clear()
            say("writes/memory_after", kib=memory_kib(ours.process.pid))
        finally:
            ours.stop()


main()
