#!/usr/bin/python3 -B
"""A hundred machines at a fake of EC2 that has the provider's own rates: clouds.py BUILD [MACHINES]

Ours: `reeve apply` until the fake has all machines. Theirs: boto3 with 16 threads that make the same number of RunInstances calls, with its
own retries (adaptive; in the mode `standard` it gives up after some seconds). The floor is the provider's rate: two requests a second after a
burst of five. Both run against a fresh fake, in turn.
"""

import concurrent.futures
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests")]
from pylib.clouds import Fake  # noqa: E402  pylint: disable=wrong-import-position
from manager import Manager  # noqa: E402  pylint: disable=wrong-import-position

PAIRS, THREADS, BURST, PER_S, WAIT_S = 2, 16, 5, 2, 600
FAULTS = {"buckets": True, "boot_ms": 50, "quota": 100000}
FILE = """name: shop
version: "1"
groups:
  web:
    size: %d
    resourcePlugin: {name: aws, account: aws}
    resourceProperties: {instanceType: t3.small, image: debian}
"""


def waited(fake, count):
    """Seconds until the fake has so many machines."""
    end = time.monotonic() + WAIT_S
    while (alive := len(fake.alive())) < count and time.monotonic() < end:
        time.sleep(0.1)
    assert alive == count, f"{alive} of {count}"


def pss_of(pid):
    """KiB of memory of a process, its part of what it shares."""
    return next(int(line.split()[1]) for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines() if line.startswith("Pss:"))


def plugin_pids(manager):
    """The processes of plugins that the manager holds."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"reeve-host") and any(str(manager.folder).encode() in word for word in words):
            found.append(int(path.parent.name))
    return found


def ours(build, count):
    """Wall seconds, and the largest process of a plugin in KiB."""
    with tempfile.TemporaryDirectory() as place, Fake("aws", faults=FAULTS) as fake:
        folder = pathlib.Path(place)
        (folder / "reeved.yaml").write_text(f"endpoints: {{aws: ['127.0.0.1:{fake.port}']}}\n")
        with Manager(folder, "--config", str(folder / "reeved.yaml"), program=build / "reeved", control=True).start() as manager:
            manager.apply({"kind": "Secret", "name": "aws", "value": fake.credential},
                          {"kind": "Account", "name": "aws", "plugin": "aws", "secret": "aws", "settings": fake.settings})
            begin = time.monotonic()
            subprocess.run([str(build / "reeve"), "apply", "--yes", "--detach", "--no-preflight", "-f", "-"], input=FILE % count, text=True, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120,
                           env={**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": place})
            waited(fake, count)
            took = time.monotonic() - begin
            largest = max((pss_of(pid) for pid in plugin_pids(manager)), default=0)
            state = fake.state()
            assert not state["duplicates"], state["duplicates"]
            manager.kill()
            return took, largest, state["calls"].get("RunInstances", 0)


def theirs(count):
    """Wall seconds of boto3, and the number of requests."""
    import boto3  # pylint: disable=import-outside-toplevel
    from botocore.config import Config  # pylint: disable=import-outside-toplevel
    with Fake("aws", faults=FAULTS) as fake:
        key, secret = fake.credential.split("\n")[:2]
        client = boto3.client("ec2", region_name="eu-west-1", endpoint_url=fake.endpoint, aws_access_key_id=key, aws_secret_access_key=secret,
                              config=Config(max_pool_connections=THREADS, retries={"max_attempts": 200, "mode": "adaptive"}))
        image = client.describe_images(Filters=[{"Name": "name", "Values": ["debian-12-amd64-*"]}])["Images"][0]["ImageId"]
        begin = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(lambda i: client.run_instances(ImageId=image, InstanceType="t3.small", MinCount=1, MaxCount=1, ClientToken=f"t{i}"),
                          range(count)))
        waited(fake, count)
        return time.monotonic() - begin, fake.state()["calls"].get("RunInstances", 0)


def main():
    build, count = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 100
    pairs = [(ours(build, count), theirs(count)) for _ in range(PAIRS)]
    print(json.dumps({
        "name": f"clouds/{count} machines at EC2's rates", "floor_s": (count - BURST) / PER_S,
        "reeve_s": [round(one[0], 1) for one, _ in pairs], "boto3_s": [round(one[0], 1) for _, one in pairs],
        "ratio": round(statistics.median(a[0] / b[0] for a, b in pairs), 2),
        "reeve_requests": pairs[0][0][2], "boto3_requests": pairs[0][1][1], "plugin_pss_kib": pairs[0][0][1],
        "children_cpu_s": round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, 1)}), flush=True)


main()
