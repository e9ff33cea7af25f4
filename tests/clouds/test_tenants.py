"""Clusters of two tenants, and of two managers, with one id at one account: neither touches a machine of the other.

And credentials that many accounts have: none of them is found where anybody could read it.
"""
import json
import pathlib
import re
import subprocess
import time

import pytest

from cloudy import ACCOUNTS, World, until
from manager import Manager

# A provider that keeps tokens, and one that does not: their listings are matched in different ways.
CLOUDS = ("aws", "digitalOcean")
PROPERTIES = {"aws": "{instanceType: t3.small, image: debian}", "digitalOcean": "{size: s-1vcpu-1gb, image: debian}",
              "gcd": "{machineType: e2-small, image: debian}", "openstack": "{flavor: m1.small, image: debian}"}
ZONES = {"aws": "eu-west-1a", "gcd": "us-central1-a", "digitalOcean": "fra1", "openstack": "nova"}
# How long the other cluster is watched after a change. Reconcile passes follow each other within a second at the time scale of these tests.
WATCHED_S = 5
CANARIES = 64


def shop(cloud, size):
    """A group at a cloud in a cluster whose id is fixed."""
    return (f'name: shop\nid: one-id\nversion: "1"\ngroups:\n  web:\n    size: {size}\n'
            f"    resourcePlugin: {{name: {cloud}, account: {ACCOUNTS[cloud]}}}\n    resourceProperties: {PROPERTIES[cloud]}\n")


def ids(fake):
    """The ids of the live machines."""
    return {machine["id"] for machine in fake.alive()}


def stay(fake, wanted, said):
    """For a while, these machines and no others live."""
    end = time.monotonic() + WATCHED_S
    while time.monotonic() < end:
        assert ids(fake) == wanted, said()
        time.sleep(0.2)


def take_apart(fake, said, first, second):
    """Two clusters with one id grow, shrink and go. `first` and `second`: apply a size, or delete the cluster (None)."""
    first(2)
    until(lambda: len(ids(fake)) == 2, said)
    of_first = ids(fake)
    second(3)
    until(lambda: len(ids(fake)) == 5, said)
    of_second = ids(fake) - of_first
    stay(fake, of_first | of_second, said)
    first(1)
    until(lambda: len(ids(fake)) == 4, said)
    assert of_second <= ids(fake), said()
    [lost] = [machine for machine in fake.alive() if machine["id"] == min(of_second)]
    fake.end(lost["id"])
    until(lambda: len(ids(fake)) == 4 and lost["id"] not in ids(fake), said)  # its own manager replaces it
    left = ids(fake) & of_first
    assert len(left) == 1, said()
    second(None)
    until(lambda: len(ids(fake)) == 1, said)
    stay(fake, left, said)
    first(None)
    until(lambda: not ids(fake), said)
    state = fake.state()
    assert state["most_alive"] == 5 and not state["duplicates"], state


def changes(world, cloud, **variables):
    """A function that gives the cluster a size, or deletes it (None)."""
    def change(size):
        words = ("delete", "cluster/shop", "--yes", "--detach", "--allow=destroy=9")
        if size is not None:
            words = ("apply", "--yes", "--detach", "--allow=destroy=9", "-f", "-")
        code, out, err = world.reeve(*words, text=shop(cloud, size or 0), **variables)
        assert code == 0, out + err
    return change


@pytest.mark.parametrize("cloud", CLOUDS)
def test_two_tenants_with_one_cluster_id_at_one_account(tmp_path, cloud):
    """CLOUDS.md 13j."""
    with World(tmp_path, clouds=(cloud,)) as world:
        fake = world.fakes[cloud]
        assert world.manager.post("/v1/tenants", {"name": "other"}).status == 201
        world.account(cloud, tenant="other")
        take_apart(fake, world.said, changes(world, cloud), changes(world, cloud, REEVE_TENANT="other"))
        fake.check()


@pytest.mark.parametrize("cloud", CLOUDS)
def test_two_managers_with_one_cluster_id_at_one_account(tmp_path, cloud):
    """CLOUDS.md 13j: the tags of their machines differ in the code that each manager computes with a key of its own."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with World(tmp_path / "one", clouds=(cloud,)) as world, World(tmp_path / "two", clouds=(cloud,), fakes=world.fakes) as other:
        fake = world.fakes[cloud]
        take_apart(fake, lambda: world.said() + other.said(), changes(world, cloud), changes(other, cloud))
        fake.check()


def canary(fake, number):
    """(the credential of an account, the texts of it that are secret). All are well formed, and the fake refuses them."""
    secret = f"canary{number:02}Zq8vW3xR7tK1mN5pL9sD2fG6hJ4"
    if fake.cloud == "aws":
        return f"AKIDCANARY{number:02}\n{secret}\n", [secret]
    if fake.cloud == "digitalOcean":
        return f"dop_v1_{secret}\n", [secret]
    if fake.cloud == "openstack":
        return re.sub(r"(?m)^(.*OS_APPLICATION_CREDENTIAL_SECRET=).*$", rf"\g<1>{secret}", fake.credential), [secret]
    key = subprocess.run(["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True).stdout
    return json.dumps({**json.loads(fake.credential), "private_key": key, "private_key_id": f"key-{number}"}), key.split("\n")[1:4]


def processes():
    """Of each process below this one: its command line, its environment, and its limit of core files."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            yield folder.name, (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes(), (folder / "limits").read_text()
        except OSError:  # it has ended
            continue


def test_F21_of_64_credentials_none_is_found_anywhere(tmp_path):
    """CLOUDS.md 13j: no log, event, journal, core, argument or plan has one. Each account is used: preflight asks the provider with it."""
    clouds = ("aws", "gcd", "digitalOcean", "openstack")
    with World(tmp_path, clouds=clouds) as world:
        secrets, groups = [], []
        for number in range(CANARIES):
            cloud = clouds[number % len(clouds)]
            credential, texts = canary(world.fakes[cloud], number)
            secrets += texts
            world.account(cloud, credential, name=f"canary-{number}")
            groups.append(f"  g{number}:\n    size: 1\n    zones: [{ZONES[cloud]}]\n    resourcePlugin: {{name: {cloud}, account: canary-{number}}}\n"
                          f"    resourceProperties: {PROPERTIES[cloud]}\n")
        text = 'name: shop\nversion: "1"\ngroups:\n' + "".join(groups)
        planned = world.reeve("plan", "-f", "-", text=text)
        assert planned[0] == 3 and planned[2].count("[R0606]: ") == 20 and f"and {CANARIES - 20} more errors" in planned[2], planned
        applied = world.reeve("apply", "--yes", "--detach", "--no-preflight", "-f", "-", text=text)
        assert applied[0] == 0, applied
        said = [*planned[1:], *applied[1:]]
        until(lambda: all(fake.state()["calls"] for fake in world.fakes.values()), world.said)
        for words in (("status",), ("why", "shop/g0"), ("get", "accounts", "-o", "yaml"), ("get", "holds", "-o", "json"), ("doctor",),
                      ("get", "cluster/shop", "-o", "json"), ("events", "-n", "1000", "-o", "jsonl"), ("logs", "shop")):
            said += map(str, world.reeve(*words))
        seen = "\n".join(said) + world.manager.log.read_text() + world.manager.get("/v1/events?limit=1000").text + world.manager.get("/metrics").text
        running = list(processes())
        [manager] = [limits for pid, _, limits in running if pid == str(world.manager.process.pid)]
        assert [line.split()[4:6] for line in manager.split("\n") if line.startswith("Max core file size")] == [["0", "0"]], manager
        files = {path: path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file()}
        assert len(secrets) >= CANARIES and len(files) > 3
        for secret in secrets:
            assert secret not in seen, secret
            assert not [path for path, content in files.items() if secret.encode() in content], secret
            assert not [pid for pid, content, _ in running if secret.encode() in content], secret
