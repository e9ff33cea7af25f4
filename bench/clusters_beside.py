#!/usr/bin/python3 -B
"""A list of 1,000 clusters of two groups each, beside magnum-api: clusters_beside.py BUILD

magnum-api is not run here: it needs a database made from its models and three of its parts taken out, all in its favour
(no keystone, no conductor, one constant answered in place). Its figure was recorded once on the machine that PEERS tells
of, and the line says so. Clusters are listed without their groups there and here.
"""

import pathlib
import sys
import tempfile

from beside import RICH, alone, client, cpu_s, manager, say

CLUSTERS, SECONDS = 1000, 2
RECORDED_PER_S, RECORDED_CPU_S = 0.26, 3.81


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="bench-clusters-", dir=build) as name:
        one = manager(build, pathlib.Path(name) / "ours").start()
        try:
            for start in range(0, CLUSTERS, 100):
                one.apply(*({"name": f"c{number}", "version": "1", "groups": {"first": RICH, "second": RICH}}
                            for number in range(start, start + 100)))
            path = f"/v1/clusters?limit={CLUSTERS}"
            begin, count = cpu_s(one.process.pid), 0

            def listed():
                nonlocal count
                run = client(build, "bench_api_client", one.socket, 1, SECONDS, "GET", path)
                count += run["rate"] * SECONDS
                return run["rate"]

            alone("clusters/list_1000", "1/s", listed, "magnum-api", RECORDED_PER_S, goal=500,
                  bytes=len(one.get(path).bytes))
            say("clusters/list_1000_server_cpu", unit="ms", ours=round((cpu_s(one.process.pid) - begin) * 1000 / count, 3),
                theirs=RECORDED_CPU_S * 1000, peer="magnum-api, recorded (PEERS)")
        finally:
            one.stop()


main()
