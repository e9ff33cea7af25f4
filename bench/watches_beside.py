#!/usr/bin/python3 -B
"""A change told to 1,000 watchers, beside etcd: watches_beside.py BUILD

From the change being sent to the last watcher being told, one change after the other. Ours watch by a connection each,
as real watchers do; etcd's share one, as its own client has them, and its watchers cost the client next to
nothing. Then ours again with one watcher more, who never reads; and what a watcher takes of memory.
"""

import pathlib
import socket
import sys
import tempfile
import time

from beside import PlainEtcd, RICH, alone, body, client, manager, memory_kib, pairs, say
from pylib.etcd import Missing

SECONDS, WATCHERS = 3, 1000


def memory_each(ours):
    """What a watcher takes: connected, and told of some changes."""
    before, watchers = memory_kib(ours.process.pid), []
    for number in range(WATCHERS):
        one = socket.socket(socket.AF_UNIX)
        one.connect(ours.socket)
        one.sendall(b"GET /v1/watch HTTP/1.1\r\nHost: x\r\n\r\n")
        watchers.append(one)
    for number in range(20):
        assert ours.patch("/v1/clusters/c0", {"labels": {"number": str(number)}}).status == 200
    time.sleep(1)
    say("watches/memory_each", unit="KiB", goal=64, most=True,
        ours=round((memory_kib(ours.process.pid) - before) / WATCHERS, 1))
    for one in watchers:
        one.close()
    time.sleep(1)


def beside_a_slow_one(ours, told):
    """With a watcher who never reads, and whose socket is full."""
    with socket.socket(socket.AF_UNIX) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        slow.connect(ours.socket)
        slow.sendall(b"GET /v1/watch HTTP/1.1\r\nHost: x\r\n\r\n")
        assert ours.get("/healthz").status == 200
        for number in range(300):
            assert ours.patch("/v1/clusters/c0", {"labels": {"number": str(number)}}).status == 200
        return told()


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="bench-watches-", dir=build) as name:
        folder = pathlib.Path(name)
        ours = manager(build, folder / "ours").start()
        try:
            ours.apply({"name": "c0", "version": "1", "groups": {"web": RICH}})
            size = len(body(ours, "/v1/clusters/c0"))

            memory_each(ours)

            def told():
                return client(build, "bench_api_client", ours.socket, WATCHERS, SECONDS, "WATCH", "/v1/clusters/c")["p50"] / 1000

            try:
                with PlainEtcd(folder) as etcd:
                    pairs("watches/last_of_1000", "ms", told,
                          lambda: client(build, "etcd_client", etcd.port, WATCHERS, SECONDS, "watch", size)["p50"] / 1000,
                          "etcd", goal=0.5, bytes=size)
            except Missing:
                alone("watches/last_of_1000", "ms", told, "etcd")
            pairs("watches/last_of_1000_with_a_slow_one", "ms", lambda: beside_a_slow_one(ours, told), told,
                  "ours without it")
        finally:
            ours.stop()


main()
