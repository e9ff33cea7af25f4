#!/usr/bin/python3 -B
"""What machines of clouds cost: clouds.py BUILD [MACHINES [WHAT...]], WHAT of aws gcd digitalOcean openstack rows creates boto3

For each cloud, MACHINES (100) are made and destroyed by `reeve` at a real manager and a fake of the provider, on this computer. The floor is what the
provider's rate allows for the creates alone; the fakes of aws and gcd apply the provider's rates. DigitalOcean's (one request a second) would take
minutes, so its fake has none here, and `floor_s` is the time that its rate takes for the requests that were made. `rows` describes 1,000 instances
with rows of real length, `creates` makes instances on kept connections, both in a plugin without a manager (CLOUDS.md section 13m). `boto3` is
the same number of RunInstances by boto3 with 16 threads, with its own retries.
"""

import concurrent.futures
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests"), str(ROOT / "tests/clouds")]
from pylib.clouds import Fake  # noqa: E402  pylint: disable=wrong-import-position
from manager import Manager  # noqa: E402  pylint: disable=wrong-import-position

THREADS, WAIT_S = 16, 1500
ROWS, LISTINGS, CREATES = 1000, 10, 20
FAULTS = {"boot_ms": 50, "end_ms": 50, "operation_ms": 50, "quota": 100000}
PROPERTIES = {"aws": {"instanceType": "t3.small", "image": "debian"}, "gcd": {"machineType": "e2-micro", "image": "debian"},
              "digitalOcean": {"size": "s-1vcpu-1gb", "image": "debian"}, "openstack": {"flavor": "m1.small", "image": "debian-12"}}
SETTINGS = {"digitalOcean": {"region": "fra1", "requestsPerHour": 3600000}}
GROUP = {"gcd": {"zones": ["us-central1-a"]}}
# The least time for the creates alone: requests over a burst, by the rate a second.
BURSTS = {"aws": (5, 2), "digitalOcean": (100, 1), "openstack": (5, 5)}


def say(name, **figures):
    """One line, with the computer and its load: a figure of a loaded one is an upper bound."""
    print(json.dumps({"name": f"clouds/{name}", **figures, "machine": f"{os.cpu_count()} processors, Linux {platform.release()}",
                      "load": round(os.getloadavg()[0], 1)}), flush=True)


def cpu_s(pid):
    """Processor time of a process, to the nanosecond: its own clock."""
    return time.clock_gettime(~pid << 3 | 2)


def pss_kib(pid):
    """Memory of a process, its part of what it shares."""
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


def waited(fake, count):
    """Wait until the fake has so many machines."""
    end = time.monotonic() + WAIT_S
    while (alive := len(fake.alive())) != count and time.monotonic() < end:
        time.sleep(0.2)
    assert alive == count, f"{alive} of {count}"


class Shop:
    """A manager with an account at a fake, and a cluster there."""

    def __init__(self, build, folder, fake):
        self.build, self.folder, self.fake = build, folder, fake
        configuration = folder / "reeved.yaml"
        configuration.write_text(f"endpoints: {{{fake.cloud}: ['127.0.0.1:{fake.port}']}}\n")
        self.manager = Manager(folder, "--config", str(configuration), program=build / "reeved", control=True).start()
        self.manager.apply({"kind": "Secret", "name": "own", "value": fake.credential},
                           {"kind": "Account", "name": "own", "plugin": fake.cloud, "secret": "own",
                            "settings": {**fake.settings, **SETTINGS.get(fake.cloud, {})}})

    def reeve(self, *words, text=None):
        """The command line, which must succeed."""
        done = subprocess.run([str(self.build / "reeve"), *words], input=text, text=True, check=False, capture_output=True, timeout=WAIT_S,
                              env={**os.environ, "REEVE_URL": f"unix:{self.manager.socket}", "HOME": str(self.folder)})
        assert done.returncode == 0, done.stdout + done.stderr

    def make(self, count):
        """Seconds until all machines run at the provider, and until the manager reports them as ready."""
        cloud = self.fake.cloud
        text = json.dumps({"name": "shop", "version": "1", "groups": {"web": {
            "size": count, "resourcePlugin": {"name": cloud, "account": "own"}, "resourceProperties": PROPERTIES[cloud], **GROUP.get(cloud, {})}}})
        begin = time.monotonic()
        self.reeve("apply", "--yes", "--detach", "--no-preflight", "-f", "-", text=text)
        waited(self.fake, count)
        running = time.monotonic() - begin
        self.reeve("wait", "cluster/shop", "--for", "ready", "--timeout", f"{WAIT_S}s")
        return running, time.monotonic() - begin

    def destroy(self, count):
        """Seconds until the provider has none of them."""
        begin = time.monotonic()
        self.reeve("delete", "cluster", "shop", "--yes", f"--allow=destroy={count}", "--detach")
        waited(self.fake, 0)
        return time.monotonic() - begin

    def cpus(self):
        """Processor time of the manager and of its plugin processes."""
        return cpu_s(self.manager.process.pid), sum(cpu_s(pid) for pid in plugin_pids(self.manager))


def run_cloud(build, cloud, count):
    """Machines of one cloud, made and destroyed."""
    faults = FAULTS | ({} if cloud == "digitalOcean" else {"buckets": True})
    with tempfile.TemporaryDirectory() as place, Fake(cloud, faults=faults) as fake:
        shop = Shop(build, pathlib.Path(place), fake)
        try:
            before = shop.cpus()
            running, ready = shop.make(count)
            made, between = fake.state(), shop.cpus()
            pss = max((pss_kib(pid) for pid in plugin_pids(shop.manager)), default=0)
            gone = shop.destroy(count)
            after, state = shop.cpus(), fake.state()
            assert not state["duplicates"], state["duplicates"]
        finally:
            shop.manager.kill()
    requests, all_requests = sum(made["calls"].values()), sum(state["calls"].values())
    burst, per_s = BURSTS.get(cloud, (count, 1))
    floor = max(0.0, ((requests if cloud == "digitalOcean" else count) - burst) / per_s)
    say(f"{cloud}/{count} machines", running_s=round(running, 1), ready_s=round(ready, 1), floor_s=round(floor, 1), gone_s=round(gone, 1),
        requests_each=round(requests / count, 1), requests_each_with_end=round(all_requests / count, 1),
        reeved_cpu_ms_each=round((between[0] - before[0]) / count * 1000, 1), plugin_cpu_ms_each=round((between[1] - before[1]) / count * 1000, 1),
        cpu_ms_each_end=round((sum(after) - sum(between)) / count * 1000, 1), plugin_pss_kib=pss, connections=state["connections"], calls=state["calls"])


def aws_plugin(folder, fake, **settings):
    """The plugin aws in a process of its own, without a manager."""
    from driver import OK, Plugin  # pylint: disable=import-outside-toplevel
    plugin = Plugin("aws", folder / "plugin", fake.settings | settings, fake.credential)
    assert plugin.started == OK
    return plugin


def need(number):
    """The fields of a create."""
    token = f"{number:032x}"
    tags = {"reeve.cluster_id": "acme/shop", "reeve.group": "web", "reeve.logical_id": str(number), "reeve.incarnation": "1",
            "reeve.token": token, "reeve.mac": "b" * 32}
    return {"cluster": "acme/shop", "token": token, "name": f"web-{number}", "zone": "eu-west-1a", "tags": tags,
            "labels": {"labels": {}, "owner": ""}, "properties": PROPERTIES["aws"], "keys": "", "init": "", "leftMs": 120000}


def ec2(fake):
    """boto3's client, with its own retries."""
    import boto3  # pylint: disable=import-outside-toplevel
    from botocore.config import Config  # pylint: disable=import-outside-toplevel
    key, secret = fake.credential.split("\n")[:2]
    return boto3.client("ec2", region_name="eu-west-1", endpoint_url=fake.endpoint, aws_access_key_id=key, aws_secret_access_key=secret,
                        config=Config(max_pool_connections=THREADS, retries={"max_attempts": 200, "mode": "adaptive"}))


def debian(client):
    """The image of `debian`."""
    return client.describe_images(Filters=[{"Name": "name", "Values": ["debian-12-amd64-*"]}])["Images"][0]["ImageId"]


def run_rows():
    """1,000 instances with rows of 5 KiB, described several times."""
    with tempfile.TemporaryDirectory() as place, Fake("aws", faults=FAULTS | {"interfaces": 5}) as fake:
        client = ec2(fake)
        tags = [{"Key": f"reeve.{name}", "Value": value} for name, value in (
            ("cluster_id", "acme/shop"), ("group", "web"), ("logical_id", "0"), ("incarnation", "1"), ("token", "a" * 32), ("mac", "b" * 32))]
        client.run_instances(ImageId=debian(client), InstanceType="t3.small", MinCount=ROWS, MaxCount=ROWS,
                             TagSpecifications=[{"ResourceType": "instance", "Tags": tags}])
        plugin = aws_plugin(pathlib.Path(place), fake)
        pid = plugin.process.pid
        costs = []
        for _ in range(LISTINGS):
            before = cpu_s(pid)
            answer = plugin.call("describe", cluster="acme/shop", ids=[], leftMs=120000)
            costs.append((cpu_s(pid) - before) * 1000)
            assert len(answer.rows) == ROWS, answer
        peak = next(int(line.split()[1]) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM:"))
        say(f"{ROWS} rows of 5 KiB described", cpu_ms=round(sorted(costs)[LISTINGS // 2], 1), least_ms=round(min(costs), 1), most_ms=round(max(costs), 1),
            goal_ms=60, pss_kib=pss_kib(pid), most_rss_kib=peak, goal_kib=48 * 1024, connections=fake.state()["connections"],
            counts="the plugin with a driver that writes each row as JSON")
        plugin.close()


def run_creates():
    """Creates on kept connections; the first ones look names up and connect."""
    with tempfile.TemporaryDirectory() as place, Fake("aws", faults=FAULTS) as fake:
        plugin = aws_plugin(pathlib.Path(place), fake)
        pid = plugin.process.pid
        for i in range(3):
            assert plugin.call("create", **need(i)).made
        begin = cpu_s(pid)
        for i in range(CREATES):
            assert plugin.call("create", **need(100 + i)).made
        say(f"{CREATES} creates on a kept connection", cpu_ms_each=round((cpu_s(pid) - begin) * 1000 / CREATES, 2), goal_ms=2,
            connections=fake.state()["connections"], calls=fake.state()["calls"])
        plugin.close()


def run_boto3(count):
    """The same number of RunInstances by boto3."""
    with Fake("aws", faults=FAULTS | {"buckets": True}) as fake:
        client = ec2(fake)
        image = debian(client)
        begin = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(lambda i: client.run_instances(ImageId=image, InstanceType="t3.small", MinCount=1, MaxCount=1, ClientToken=f"t{i}"),
                          range(count)))
        waited(fake, count)
        say(f"boto3/{count} machines", running_s=round(time.monotonic() - begin, 1), floor_s=(count - BURSTS["aws"][0]) / BURSTS["aws"][1],
            requests_each=fake.state()["calls"].get("RunInstances", 0) / count)


def main():
    """All of it, or what the arguments name."""
    build, count = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 100
    os.environ["REEVE_BIN"] = str(build)  # for the driver of a plugin without a manager
    for what in sys.argv[3:] or ["rows", "creates", *PROPERTIES, "boto3"]:
        if what in PROPERTIES:
            run_cloud(build, what, count)
        else:
            {"rows": run_rows, "creates": run_creates, "boto3": lambda: run_boto3(count)}[what]()


main()
