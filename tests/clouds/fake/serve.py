#!/usr/bin/python3 -B
"""A strict fake of one cloud provider on loopback.

    tests/clouds/fake/serve.py aws|gcd|digitalOcean|openstack [--tls CERT KEY] [--seed N] [--faults JSON] [--record FILE]

It prints one line {"port": P, "truth": Q} and serves until its standard input is closed, or SIGTERM.
"""

import argparse
import importlib
import json
import os
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from faults import Faults  # noqa: E402
from harness import Harness  # noqa: E402
from world import World  # noqa: E402

MODULES = {"aws": "aws", "gcd": "gcd", "digitalOcean": "digital_ocean", "openstack": "openstack_cloud"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cloud", choices=MODULES)
    parser.add_argument("--tls", nargs=2, metavar=("CERT", "KEY"), help="serve https")
    parser.add_argument("--seed", type=int, default=1, help="of the faults")
    parser.add_argument("--faults", type=json.loads, default={}, help="as POST /faults of the truth port takes them")
    parser.add_argument("--record", help="append a line of JSON for each request")
    parser.add_argument("--address-file", help="JSON map from token or name to the address of a new machine; read for each of them")
    arguments = parser.parse_args()

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


main()
