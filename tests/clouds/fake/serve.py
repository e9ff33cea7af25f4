#!/usr/bin/python3 -B
"""A strict fake of one cloud provider on loopback.

    tests/clouds/fake/serve.py aws|gcd|digitalOcean|openstack [--tls CERT KEY] [--seed N] [--faults JSON] [--record FILE]

It prints one line {"port": P, "truth": Q} and serves until its standard input is closed, or SIGTERM.

    tests/clouds/fake/serve.py aws|gcd|digitalOcean|openstack --forks SOCKET

It loads its modules once, which takes longer than most tests, and forks a fake for each connection to SOCKET. The first line of a connection
is a JSON list of the options above. The connection then stands for that fake's standard input and output.
"""

import argparse
import importlib
import json
import os
import pathlib
import select
import signal
import socket
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from faults import Faults  # noqa: E402
from harness import Harness  # noqa: E402
from world import World  # noqa: E402

MODULES = {"aws": "aws", "gcd": "gcd", "digitalOcean": "digital_ocean", "openstack": "openstack_cloud"}


def parse(values):
    """The options of one fake."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cloud", choices=MODULES)
    parser.add_argument("--tls", nargs=2, metavar=("CERT", "KEY"), help="serve https")
    parser.add_argument("--seed", type=int, default=1, help="of the faults")
    parser.add_argument("--faults", type=json.loads, default={}, help="as POST /faults of the truth port takes them")
    parser.add_argument("--record", help="append a line of JSON for each request")
    parser.add_argument("--address-file", help="JSON map from token or name to the address of a new machine; read for each of them")
    parser.add_argument("--forks", metavar="SOCKET", help="fork a fake for each connection to this socket")
    return parser.parse_args(values)


def fork_fakes(cloud, path):
    """Fork a fake for each connection until standard input is closed."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps them
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        print("{}", flush=True)
        while True:
            ready, _, _ = select.select([listener, sys.stdin], [], [])
            if sys.stdin in ready:
                os._exit(0)
            connection, _ = listener.accept()
            if os.fork() == 0:
                os.dup2(connection.fileno(), 0)
                os.dup2(connection.fileno(), 1)
                listener.close()
                connection.close()
                serve(parse([cloud, *json.loads(sys.stdin.readline())]))
            connection.close()


def serve(arguments):
    """Serve one fake until its standard input is closed."""
    world = World(Faults(arguments.seed, arguments.faults), arguments.address_file)
    service = importlib.import_module(MODULES[arguments.cloud]).make_service(world)
    harness = Harness(service, world, arguments.record, arguments.tls)
    port, truth = harness.start()
    service.on_start(port, bool(arguments.tls))
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    print(json.dumps({"port": port, "truth": truth, **service.announce()}), flush=True)
    while os.read(0, 65536):
        pass
    os._exit(0)


def main():
    arguments = parse(sys.argv[1:])
    if arguments.forks:
        importlib.import_module(MODULES[arguments.cloud])
        fork_fakes(arguments.cloud, arguments.forks)
    serve(arguments)


main()
