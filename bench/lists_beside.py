#!/usr/bin/python3 -B
"""Lists and single objects of 10,000 and 100,000, beside slurmctld and etcd's JSON gateway: lists_beside.py BUILD

Slurm has 10,000 nodes, ours 10,000 groups with as many facts (569 bytes of a node there and more here); a whole process
asks for all and throws it away. etcd holds the bytes of our object, as often. Processor time of the server counts
where a list is large: it is what a list costs everybody else.
"""

import http.client
import json
import os
import pathlib
import pwd
import socket
import sys
import tempfile

from beside import PAIRS, PlainEtcd, Slurm, alone, body, client, cpu_s, etcd_fill, fill, manager, middle, pairs, say, wall_ms
from pylib.etcd import Missing

MANY, LISTS = 100_000, 10


def free_port():
    """A port, with the next one free as well most likely."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def beside_slurm(build, ours, folder):
    """P12, P15 at 10,000: whole processes."""
    reeve = {**os.environ, "REEVE_URL": f"unix:{ours.socket}", "HOME": str(folder)}
    ask = str(build / "bench/bench_api_client")
    everything = [ask, ours.socket, "1", "0", "GET", "/v1/nodegroups?limit=10000"]
    single = [ask, ours.socket, "1", "0", "GET", "/v1/nodegroups/wide0/n000042"]
    cases = (("list_10000", everything, ["scontrol", "show", "nodes"], 0.5),
             ("list_10000_reeve_jsonl", [str(build / "reeve"), "get", "nodegroups", "-o", "jsonl"],
              ["scontrol", "show", "nodes"], None),
             ("one_of_10000", single, ["scontrol", "show", "node", "n00042"], 0.2),
             ("one_of_10000_reeve", [str(build / "reeve"), "get", "nodegroup", "wide0/n000042"],
              ["scontrol", "show", "node", "n00042"], None))
    recorded = {"list_10000": 49, "list_10000_reeve_jsonl": 49, "one_of_10000": 27, "one_of_10000_reeve": 27}
    if not Slurm.is_installed():
        for name, command, _, goal in cases:
            alone(f"lists/{name}", "ms", lambda: wall_ms(command, reeve), "slurmctld", recorded[name], goal=goal)
        return
    slurm = Slurm(folder / "slurm", 10000, free_port(), pwd.getpwuid(os.getuid()).pw_name)
    slurm.start()
    try:
        for name, command, theirs, goal in cases:
            pairs(f"lists/{name}", "ms", lambda: wall_ms(command, reeve),
                  lambda: wall_ms(theirs, slurm.environment), "slurmctld, " + " ".join(theirs), count=20, goal=goal)
    finally:
        slurm.stop()


def server_cpu(process, ask):
    """Milliseconds of the server for one call, and the bytes of one."""
    begin, count = cpu_s(process.pid), 0
    for _ in range(LISTS):
        count = ask()
    return (cpu_s(process.pid) - begin) * 1000 / LISTS, count


def gateway_ask(etcd):
    """All of it by the JSON gateway: the bytes that came."""
    one = http.client.HTTPConnection("127.0.0.1", etcd.port, timeout=60)
    one.request("POST", "/v3/kv/range", json.dumps({"key": "L2ZpbGwv", "range_end": "L2ZpbGww"}))  # /fill/ to /fill0
    count = len(one.getresponse().read())
    one.close()
    return count


def beside_gateway(build, ours, folder):
    """P13: processor time of the server for each megabyte it sends."""
    def asked():
        return len(ours.get(f"/v1/nodegroups?limit={MANY}").bytes)

    cpu, count = zip(*(server_cpu(ours.process, asked) for _ in range(PAIRS)))
    say("lists/100000_server_cpu", unit="ms", ours=middle(cpu, 1), bytes=count[0], per_object=round(count[0] / MANY),
        goal="22 for objects of 238 bytes; bench cache measures the floor beside",
        ours_for_238=round(middle(cpu)["median"] * 238 / (count[0] / MANY), 1))
    try:
        with PlainEtcd(folder) as etcd:
            etcd_fill(build, etcd, MANY, body(ours, "/v1/nodegroups/wide0/n000042"))
            pairs("lists/100000_server_cpu_each_megabyte", "ms/MB",
                  lambda: each_megabyte(server_cpu(ours.process, asked)),
                  lambda: each_megabyte(server_cpu(etcd.process, lambda: gateway_ask(etcd))),
                  "etcd, JSON gateway", count=3, goal=0.2)
    except Missing:
        say("lists/100000_server_cpu_each_megabyte", ours=each_megabyte((middle(cpu)["median"], count[0])),
            theirs="absent", peer="etcd")


def each_megabyte(measured):
    """Milliseconds for each megabyte."""
    return measured[0] / (measured[1] / 1e6)


def requests(build, ours):
    """One object by the socket, kept open: alone, and from 64 connections of one process."""
    path = "/v1/nodegroups/wide0/n000042"
    runs = [client(build, "bench_api_client", ours.socket, 1, 1, "GET", path) for _ in range(PAIRS)]
    say("lists/get_one", unit="us", ours=middle([run["p50"] for run in runs]), goal=150, most=True)
    runs = [client(build, "bench_api_client", ours.socket, 64, 2, "GET", path) for _ in range(PAIRS)]
    say("lists/get_64", unit="1/s", ours=middle([run["rate"] for run in runs], 0), goal=30000)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="bench-lists-", dir=build) as name:
        folder = pathlib.Path(name)
        ours = manager(build, folder / "ours").start()
        try:
            fill(ours, 10_000)
            beside_slurm(build, ours, folder)
            requests(build, ours)
            fill(ours, MANY - 10_000, prefix="more")
            beside_gateway(build, ours, folder)
        finally:
            ours.stop()


main()
