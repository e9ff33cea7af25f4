"""Volumes as the plugins make, attach, keep and delete them at strict fakes, without a manager (CLOUDS.md 4.10, G8)."""

import base64
import collections
import time

import pytest
from driver import CAPACITY, INVALID, OK, QUOTA, TRANSIENT, UNKNOWN
from ocean import CLUSTER, Caller, make_tags, make_token
from pylib.clouds import Fake

GIB = 1 << 30
VOLUMES = [{"name": "data", "size": 20 * GIB, "mount": "/srv/data", "keep": "slot"}, {"name": "scratch", "size": 10 * GIB, "keep": "node"}]
Cloud = collections.namedtuple("Cloud", "properties zones settings creates destroys")
CLOUDS = {
    "openstack": Cloud({"flavor": "m1.small", "image": "debian-12"}, ("nova", "az2"), {"lagMs": 200, "lateMs": 400},
                       ("volumes.create", "ports.create", "servers.create", "attachments.create", "volume_metadata.delete"),
                       ("volume_metadata.set", "servers.delete", "ports.delete")),
    "gcd": Cloud({"machineType": "e2-micro", "image": "debian-12"}, ("europe-west1-b", "europe-west1-c"), {},
                 ("disks.insert", "instances.insert", "disks.setLabels"), ("disks.setLabels", "instances.delete")),
    "digitalOcean": Cloud({"size": "s-1vcpu-1gb", "image": "debian-12"}, ("fra1", "nyc1"), {"lagMs": 200, "lateMs": 400, "requestsPerHour": 3600000},
                          ("volumes.create", "droplets.create"), ("droplets.delete", "volumes.delete")),
}
CALM = {"boot_ms": 20, "operation_ms": 20, "end_ms": 20, "lag_ms": 0, "tag_lag_ms": 0}


@pytest.fixture(name="site", params=CLOUDS)
def fixture_site(request, tmp_path):
    """(fake, caller, cloud) of each cloud; afterwards nothing was unknown or doubled."""
    name, cloud = request.param, CLOUDS[request.param]
    with Fake(name, faults=CALM, record=tmp_path / "requests") as fake:
        caller = Caller(fake, tmp_path / "folder", name, {**cloud.properties, "volumes": VOLUMES}, **cloud.settings)
        yield fake, caller, cloud
        caller.close()
        fake.check()


def disks(fake):
    """The additional disks by the name that the file gives them; there is one of each."""
    found = [disk for disk in fake.state()["disks"] if "reeve.volume" in disk["tags"]]
    assert len({disk["tags"]["reeve.name"] for disk in found}) == len(found), found
    return {disk["tags"]["reeve.name"]: disk for disk in found}


def made(caller, token, **fields):
    """The id of a machine of slot 0. A create that does not succeed is repeated after the time that its answer states, as a manager does."""
    for _ in range(40):
        answer = caller.create(token=token, **fields)
        if answer.result == OK:
            return answer.made
        time.sleep((answer.retry_after_ms or 0) / 1000)
    raise AssertionError(answer)


def gone(caller, id, **fields):
    """Destroy a machine. A call that does not succeed is repeated after the time that its answer states."""
    for _ in range(40):
        answer = caller.destroy(id, **fields)
        if answer.result == OK:
            return
        time.sleep((answer.retry_after_ms or 0) / 1000)
    raise AssertionError(answer)


def test_life_of_volumes(site):
    fake, caller, cloud = site
    one, two = make_token("one"), make_token("two")
    id = made(caller, one, zone=cloud.zones[0])
    [machine] = fake.alive()
    before = disks(fake)
    assert {name: (disk["size"], disk["zone"], disk["machine"]) for name, disk in before.items()} == {
        "data": (20, cloud.zones[0], machine["id"]), "scratch": (10, cloud.zones[0], machine["id"])}
    assert {name: disk["name"] for name, disk in before.items()} == {"data": "web-0-data", "scratch": "web-0-scratch"}
    script = {"openstack": lambda: base64.b64decode(machine["userData"]).decode(), "gcd": lambda: machine["metadata"]["startup-script"],
              "digitalOcean": lambda: machine["userData"]}[fake.cloud]()
    assert "/srv/data" in script and script.count("/dev/disk/by-id/") == 2
    listed = {each["tags"]["reeve.name"]: each for each in caller.plugin.call("resources", cluster=CLUSTER).of("resource") if each["resource"] == "volume"}
    assert {name: (each["attached"], each["zone"], each["bytes"], each["tags"]["reeve.keep"]) for name, each in listed.items()} == {
        "data": (id, cloud.zones[0], 20 * GIB, "slot"), "scratch": (id, cloud.zones[0], 10 * GIB, "node")}
    assert made(caller, one, zone=cloud.zones[0]) == id and disks(fake) == before, "the same request makes nothing anew"
    gone(caller, id)
    fake.wait(lambda _: set(disks(fake)) == {"data"}, "end of the disk of the node")
    # A volume of DigitalOcean has a description alone, which cannot be changed.
    assert disks(fake)["data"]["machine"] is None and ("reeve.kept" in disks(fake)["data"]["tags"]) == (fake.cloud != "digitalOcean")
    second = made(caller, two, zone=cloud.zones[0])
    after = disks(fake)
    assert second != id and after["data"]["id"] == before["data"]["id"] and after["scratch"]["id"] != before["scratch"]["id"]
    assert "reeve.kept" not in after["data"]["tags"] and {disk["machine"] for disk in after.values()} == {fake.alive()[0]["id"]}
    gone(caller, second)
    fake.wait(lambda _: set(disks(fake)) == {"data"}, "end of the disk of the node")
    [row] = [each for each in caller.plugin.call("resources", cluster=CLUSTER).of("resource") if each["resource"] == "volume"]
    assert row["attached"] == "" and row["tags"] == {**make_tags(one), **{key: row["tags"][key] for key in row["tags"] if key not in make_tags(one)}}
    for cluster, left in (("acme/other", {"data"}), (CLUSTER, set()), (CLUSTER, set())):
        assert caller.plugin.call("resource_destroy", cluster=cluster, resource="volume", id=row["id"]).result == OK
        fake.wait(lambda _, left=left: set(disks(fake)) == left, "end of the kept disk")


def test_a_kept_volume_binds_zone_and_size(site):
    fake, caller, cloud = site
    gone(caller, made(caller, make_token("one"), zone=cloud.zones[0]))
    answer = caller.create(token=make_token("two"), zone=cloud.zones[1])
    assert answer.result == INVALID and "do not move between zones" in answer.text and list(answer.faults) == ["/volumes"], answer
    caller.properties = {**caller.properties, "volumes": [{**VOLUMES[0], "size": 21 * GIB}]}
    answer = caller.create(token=make_token("three"), zone=cloud.zones[0])
    assert answer.result == INVALID and "has 20 GiB, and 21 are requested" in answer.text and list(answer.faults) == ["/volumes/0/size"], answer
    assert fake.alive() == [] and set(disks(fake)) == {"data"}


def test_a_refused_machine_leaves_no_volume_but_the_kept(site):
    fake, caller, cloud = site
    zone = cloud.zones[0]
    fake.faults(capacity={"*": 0})
    assert caller.create(token=make_token("one"), zone=zone).result == CAPACITY
    assert fake.state()["alive"] == 0 and not fake.wait(lambda _: disks(fake) == {}, "end of the disks")["ports"]
    fake.faults(capacity={})
    gone(caller, made(caller, make_token("two"), zone=zone))
    fake.faults(capacity={"*": 0})
    assert caller.create(token=make_token("three"), zone=zone).result == CAPACITY
    fake.wait(lambda _: set(disks(fake)) == {"data"}, "end of the disk of the node")
    fake.faults(capacity={})


@pytest.mark.parametrize("fault", ["lose_before", "lose_after"])
def test_killed_between_the_steps(site, fault):
    fake, caller, cloud = site
    data = None
    for number, step in enumerate(cloud.creates + cloud.destroys):
        token = make_token(f"{fault}{number}")
        if step in cloud.creates[:len(cloud.creates) if number else -1]:
            fake.fail_next(step, fault, times=9)
            caller.create(token=token, zone=cloud.zones[0], leftMs=3000)
            assert fake.ask("/faults")["next"] == [] or fake.ask("/faults")["next"][0]["times"] < 9, step
            fake.faults(next=[])
            caller.restart()
        id = made(caller, token, zone=cloud.zones[0])
        assert {disk["machine"] for disk in disks(fake).values()} == {machine["id"] for machine in fake.alive()} and set(disks(fake)) == {"data", "scratch"}, step
        assert data in (None, disks(fake)["data"]["id"]) and "reeve.kept" not in disks(fake)["data"]["tags"], step
        data = disks(fake)["data"]["id"]
        if step in cloud.destroys:
            fake.fail_next(step, fault, times=9)
            assert caller.destroy(id, leftMs=3000).result != OK, step
            fake.faults(next=[])
            caller.restart()
        gone(caller, id, token=token)
        fake.wait(lambda state: set(disks(fake)) == {"data"} and state["alive"] == 0 and not state["ports"], "end of the machine")


def test_a_volume_that_cannot_be_made(site):
    fake, caller, cloud = site
    fake.faults(volume_limit=1)
    answer = caller.create(token=make_token("one"), zone=cloud.zones[0])
    assert answer.result == QUOTA and fake.state()["alive"] == 0, answer
    fake.wait(lambda state: disks(fake) == {} and not state["ports"], "end of the first one")


def test_a_volume_waits_for_the_machine_that_had_it(site):
    fake, caller, cloud = site
    id = made(caller, make_token("one"), zone=cloud.zones[0])
    answer = caller.create(token=make_token("two"), zone=cloud.zones[0], leftMs=3000)
    [owner] = {disk["machine"] for disk in fake.state()["disks"] if disk["tags"].get("reeve.name") == "data"}
    assert answer.result != OK and id.endswith(owner), answer
    gone(caller, id)
    made(caller, make_token("two"), zone=cloud.zones[0])
    assert len({disk["machine"] for disk in fake.state()["disks"] if "reeve.volume" in disk["tags"]}) == 1


@pytest.mark.parametrize(("volumes", "pointer"), [
    ([{"name": "a"}], "/volumes/0/size"), ([{"name": "a", "size": 0}], "/volumes/0/size"), ([{"name": "a", "size": 10 * GIB, "keep": "maybe"}], "/volumes/0/keep"),
    ([{"name": "a", "size": 10 * GIB, "mount": "srv"}], "/volumes/0/mount"), ([{"name": "a", "size": 10 * GIB, "iops": 100}], "/volumes/0/iops"),
    ([{"name": "a", "size": 10 * GIB}, {"name": "a", "size": 10 * GIB}], "/volumes/1/name"), ([{"name": "a", "size": 10 * GIB, "snapshot": "s"}], "/volumes/0/snapshot"),
    ([{"name": f"v{n}", "size": 10 * GIB} for n in range(12)], "/volumes")])
def test_validate(site, volumes, pointer):
    _, caller, cloud = site
    answer = caller.validate({**cloud.properties, "volumes": volumes})
    assert answer.result == INVALID and list(answer.faults) == [pointer], answer
    assert caller.validate({**cloud.properties, "volumes": VOLUMES}).result == OK


def test_a_late_request_makes_no_second_volume(site):
    fake, caller, cloud = site
    fake.fail_next(cloud.creates[0], "late", late_ms=300)
    assert caller.create(token=make_token("one"), zone=cloud.zones[0], leftMs=2000).result in (OK, UNKNOWN)
    made(caller, make_token("one"), zone=cloud.zones[0])
    assert set(disks(fake)) == {"data", "scratch"}


def test_a_volume_in_use_is_not_deleted(site):
    fake, caller, cloud = site
    made(caller, make_token("one"), zone=cloud.zones[0])
    row = next(each for each in caller.plugin.call("resources", cluster=CLUSTER).of("resource") if each["tags"].get("reeve.name") == "data")
    answer = caller.plugin.call("resource_destroy", cluster=CLUSTER, resource="volume", id=row["id"])
    assert answer.result == TRANSIENT and disks(fake)["data"]["machine"], answer
