"""The plugin openstack at a strict fake: a port makes one machine of a token, and nothing is left of what failed."""

import base64
import contextlib
import json
import pathlib
import re
import threading

import pytest
from driver import AUTH, CAPACITY, GONE, INVALID, OK, PENDING, QUOTA, RUNNING, STOPPED, THROTTLED, TRANSIENT, UNKNOWN
from ocean import CLUSTER, Caller, make_tags, make_token
from pylib.clouds import Fake

PROPERTIES = {"flavor": "m1.small", "image": "debian-12"}
KEY = "ssh-ed25519 " + base64.b64encode(b"\0\0\0\x0bssh-ed25519\0\0\0 " + bytes(range(32))).decode()
USUAL = {"boot_ms": 40, "end_ms": 20, "lag_ms": 0, "capacity": {}, "quota": None, "fail_later": 0.0, "fail_later_code": None, "page_size": 0,
         "dead_region": [], "down_cells": [], "port_quota": None, "free_addresses": None, "limits": {}, "token_ms": 3600000, "next": [],
         "credentials": None, "compute_max": "2.90", "dead_ms": 50, "expire_page_tokens": 0.0, "clock_skew_s": 0, "volume_limit": 100}
LAG_MS, LATE_MS = 300, 600
SETTINGS = {"lagMs": LAG_MS, "lateMs": LATE_MS, "regions": ["RegionOne", "RegionTwo"]}
HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One fake for all tests here."""
    with Fake("openstack", faults=USUAL, record=tmp_path_factory.mktemp("openstack") / "requests") as fake:
        yield fake


@pytest.fixture(scope="module")
def plugin(server, tmp_path_factory):
    """One plugin for all tests that need no other."""
    caller = Caller(server, tmp_path_factory.mktemp("plugin") / "folder", "openstack", dict(PROPERTIES), **SETTINGS)
    assert caller.plugin.started == OK, caller.plugin.log()
    yield caller
    caller.close()


@pytest.fixture
def fake(server):
    """The fake without faults; afterwards nothing is left, and nothing was unknown."""
    server.faults(**USUAL)
    server.ask("/reset", {})
    yield server
    server.check()


@pytest.fixture
def caller(fake, plugin):
    """The plugin; it deletes what a test leaves."""
    plugin.properties = dict(PROPERTIES)
    yield plugin
    fake.faults(**USUAL)
    for machine in fake.alive():
        plugin.destroy(f"{machine['region']}/{machine['id']}", cluster=machine["tags"].get("reeve.cluster_id", CLUSTER))
    assert is_clean(fake), fake.state()


def is_clean(fake):
    """Neither machines nor ports and addresses are left."""
    state = fake.state()
    return state["alive"] == 0 and state["ports"] == []


def kinds(fake):
    """The ports and addresses that there are."""
    return sorted(port["kind"] for port in fake.state()["ports"])


# -- create, describe, destroy


def test_life_of_a_machine(fake, caller):
    token = make_token("web-0" + CLUSTER)
    id = caller.make(keys="cert-authority ssh-ed25519 AAAA reeve", init="echo hi\n", zone="az2")
    assert re.fullmatch(r"RegionOne/[0-9a-f-]{36}", id)
    answer = caller.describe()
    assert answer.result == OK and not answer.is_incomplete
    [row] = answer.rows
    assert row["id"] == id and row["state"] == RUNNING and row["zone"] == "az2" and row["address"] == "127.0.0.1"
    assert row["tags"] == make_tags(token) and row["properties"]["size"] == "m1.small" and row["properties"]["user"] == "admin"
    [machine] = fake.alive()
    script = base64.b64decode(machine["userData"]).decode()
    assert script.startswith("#!/bin/sh\n") and "cert-authority" in script and "echo hi" in script
    assert machine["name"] == f"web-0-{token[-12:]}" and machine["token"] == token
    [port] = fake.state()["ports"]
    assert port["name"] == f"reeve-{token}" and port["device_id"] == machine["id"]
    assert caller.describe(id).rows[0]["id"] == id
    assert caller.destroy(id).result == OK
    assert is_clean(fake)
    assert caller.describe().rows == [] and caller.describe(id).rows == [] and caller.destroy(id).result == OK


def test_properties_in_the_request(fake, caller):
    caller.properties = {"flavor": "2", "image": "Ubuntu 24.04", "key": "ops", "subnet": "private-2", "securityGroups": ["web"], "owner": "sre",
                         "network": {"name": "private", "address": "public"}, "bootVolume": {"size": 30, "type": "ssd"}, "serverGroup": "apart",
                         "configDrive": True, "user": "core", "region": "RegionTwo"}
    id = caller.make(labels={"labels": {"env": "prod"}, "owner": "sre"})
    [machine] = fake.alive()
    assert id.startswith("RegionTwo/") and machine["size"] == "m1.small" and machine["keyName"] == "ops" and machine["configDrive"] and machine["group"]
    [mapping] = machine["mapping"]
    assert mapping["volume_size"] == 30 and mapping["volume_type"] == "ssd" and mapping["delete_on_termination"] and mapping["boot_index"] == 0
    assert machine["tags"]["env"] == "prod" and machine["tags"]["owner"] == "sre"
    state = fake.state()
    port = next(each for each in state["ports"] if each["kind"] == "port")
    floating = next(each for each in state["ports"] if each["kind"] == "floatingip")
    assert port["security_groups"] != [] and len(port["security_groups"]) == 1 and floating["port_id"] == port["id"]
    [row] = caller.describe().rows
    assert row["address"] == floating["floating_ip_address"] and row["properties"]["user"] == "core"
    listed = caller.plugin.call("resources", cluster=CLUSTER).of("resource")
    assert sorted((each["resource"], each["attached"]) for each in listed) == [("address", id), ("port", id)]
    assert caller.make() == id and kinds(fake) == ["floatingip", "port"]
    assert caller.destroy(id).result == OK and is_clean(fake)


def test_same_token_is_the_same_machine(fake, caller, tmp_path):
    id = caller.make()
    assert caller.make() == id
    other = Caller(fake, tmp_path / "other", "openstack", caller.properties, **SETTINGS)
    assert other.make() == id
    other.close()
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(caller.create("web-1"))) for _ in range(5)]
    [each.start() for each in threads]
    [each.join() for each in threads]
    assert {answer.result for answer in answers} == {OK} and len(fake.alive()) == 2 and kinds(fake) == ["port", "port"]


def test_pages_regions_and_clusters(fake, caller):
    fake.faults(page_size=2)
    ids = {caller.make(f"web-{i}", properties={**PROPERTIES, "region": ("RegionOne", "RegionTwo")[i % 2]}) for i in range(5)}
    other = caller.make("web-0", cluster="acme/other")
    answer = caller.describe()
    assert {row["id"] for row in answer.rows} == ids and len(answer.rows) == 5 and not answer.is_incomplete
    assert {row["id"] for row in caller.describe(*list(ids)[:3]).rows} == set(list(ids)[:3])
    assert [row["id"] for row in caller.describe(cluster="acme/other").rows] == [other]
    fake.fail_next("servers.detail", skip=1, status=400, message="marker [x] not found")
    assert {row["id"] for row in caller.describe().rows} == ids
    fake.faults(expire_page_tokens=1.0)
    assert caller.describe().is_incomplete
    fake.faults(expire_page_tokens=0.0, dead_region=["RegionTwo"])
    answer = caller.describe()
    assert answer.result == OK and answer.is_incomplete and {row["id"] for row in answer.rows} == {id for id in ids if id.startswith("RegionOne")}


def test_cell_that_is_down_makes_the_listing_incomplete(fake, caller):
    """nova leaves its servers out of a listing with a filter, and knows only the id of each."""
    id, other = caller.make(zone="az2"), caller.make("web-1")
    fake.faults(down_cells=["az2"])
    answer = caller.describe()
    assert answer.result == OK and answer.is_incomplete and [row["id"] for row in answer.rows] == [other]
    for result in (caller.describe(id), caller.destroy(id), caller.label(id, {"a": "b"}), caller.reboot(id)):
        assert result.result == TRANSIENT and "cell" in result.text and result.retry_after_ms
    assert len(fake.alive()) == 2


def test_odd_group_and_labels_come_back(fake, caller):
    token = make_token("odd")
    tags = make_tags(token, group="Web/" + "Ünï:_%" * 40)
    id = caller.make("odd", token=token, tags=tags, labels={"labels": {"env": "prod", "Odd Key": "A" * 300, "x": ""}, "owner": "ops"})
    assert caller.describe().rows[0]["tags"] == tags
    assert caller.label(id, {"env": "test", "tier": "1"}, owner="sre").result == OK
    seen = fake.alive()[0]["tags"]
    assert (seen["env"], seen["tier"], seen["owner"]) == ("test", "1", "sre") and "x" not in seen and "reeve.labels.1" not in seen
    assert caller.label(id, {}).result == OK
    assert {name for name in fake.alive()[0]["tags"] if not name.startswith(("reeve.", "openstack."))} == set()
    assert caller.describe().rows[0]["tags"] == tags


def test_another_cluster_is_never_touched(fake, caller):
    id = caller.make()
    before = fake.state()["ports"], fake.alive()
    assert caller.destroy(id, cluster="acme/other").result == OK
    assert caller.label(id, {"a": "b"}, cluster="acme/other").result == GONE
    assert caller.reboot(id, cluster="acme/other").result == GONE
    assert caller.describe(id, cluster="acme/other").rows == []
    assert caller.plugin.call("console", cluster="acme/other", id=id).result == GONE
    answer = caller.destroy(id.replace("RegionOne", "RegionX"))
    assert answer.result == INVALID and "no usable endpoint" in answer.text
    assert caller.destroy("RegionOne/x").result == OK and caller.destroy("x").result == OK
    port = next(port for port in before[0])
    assert caller.plugin.call("resource_destroy", cluster="acme/other", resource="port", id=f"RegionOne/{port['id']}").result == OK
    assert (fake.state()["ports"], fake.alive()) == before


def test_reboot_console_and_host_key(fake, caller):
    id = caller.make()
    token = make_token("web-0" + CLUSTER)
    assert caller.reboot(id).result == OK and fake.alive()[0]["reboots"] == 1
    fake.end(id, "stop")
    assert caller.describe().rows[0]["state"] == STOPPED
    assert caller.reboot(id).result == OK and caller.describe().rows[0]["state"] == RUNNING
    fake.end(id, "host")
    row = caller.describe().rows[0]
    assert row["state"] == STOPPED and row["properties"]["fault"] == "Compute host is down"
    assert caller.reboot(id).result == OK and caller.describe().rows[0]["state"] == RUNNING
    fake.set_machine(id, console=f"boot\nreeve-hostkey {'0' * 32} {KEY}\n")
    other = caller.make("web-1")
    assert "hostKey" not in caller.describe(id).rows[0]["properties"]
    fake.set_machine(other, console=f"boot\nreeve-hostkey {make_token('web-1' + CLUSTER)} {KEY}\n")
    assert caller.describe(other).rows[0]["properties"]["hostKey"] == KEY and token
    assert "reeve-hostkey" in caller.plugin.call("console", cluster=CLUSTER, id=other).text_of_console


STATES = [("BUILD", 0, PENDING), *((name, 1, RUNNING) for name in ("ACTIVE", "REBOOT", "HARD_REBOOT", "PASSWORD", "RESIZE", "VERIFY_RESIZE", "REVERT_RESIZE",
                                                                      "MIGRATING", "RESCUE")),
          *((name, 4, STOPPED) for name in ("SHUTOFF", "SUSPENDED", "PAUSED", "SHELVED", "SHELVED_OFFLOADED")), ("ERROR", 1, RUNNING), ("ERROR", 0, STOPPED),
          ("SOMETHING_NEW", 0, STOPPED), ("SOFT_DELETED", 4, None)]


def test_states(fake, caller):
    id = caller.make()
    for state, power, expected in STATES:
        fake.set_machine(id, state=state, power=power)
        rows = caller.describe().rows
        assert [row["state"] for row in rows] == ([] if expected is None else [expected]), state
        assert [row["state"] for row in caller.describe(id).rows] == ([] if expected is None else [expected]), state
    fake.set_machine(id, state="ACTIVE", power=1)


# -- errors


# (status, code, message, headers, result)
ANSWERS = [(400, None, "Flavor x could not be found.", {}, INVALID), (404, None, "no such thing", {}, INVALID),
           (406, None, "Version 2.79 is not supported", {}, INVALID),
           (403, None, "Quota exceeded for cores: Requested 1, but already used 20 of 20 cores", {}, QUOTA), (413, None, "Over limit", {}, QUOTA),
           (403, None, "Policy doesn't allow os_compute_api:servers:create to be performed.", {}, AUTH),
           (409, None, "Cannot 'x' instance y while it is in task_state z", {}, TRANSIENT),
           (409, None, "Cannot x while it is in vm_state error", {}, TRANSIENT),
           (409, None, "Instance y is locked", {}, TRANSIENT), (409, None, "Instance y is not ready", {}, TRANSIENT),
           (409, None, "Zero fixed IPs available: No fixed IP addresses available for network: n", {}, CAPACITY), (409, None, "Multiple networks", {}, INVALID),
           (500, None, "Unexpected API Error.", {}, UNKNOWN), (503, None, "Service Unavailable", {}, UNKNOWN),
           (500, None, "No valid host was found.", {}, CAPACITY)]


def test_answers_to_the_request_for_a_server(fake, caller):
    """Each row of the table: its class, the provider's text, and no port that is left."""
    for number, (status, code, message, headers, result) in enumerate(ANSWERS):
        fake.fail_next("servers.create", status=status, code=code, message=message, headers=headers)
        answer = caller.create(f"n{number}", leftMs=3000)
        assert (answer.result, message[:20] in answer.text) == (result, True), (status, message, answer)
        assert (answer.retry_after_ms is not None) == (result == UNKNOWN), (status, message, answer)
        left = fake.state()["ports"]
        assert (left == []) == (result != UNKNOWN), (status, message, left)
        for port in left:
            caller.plugin.call("resource_destroy", cluster=CLUSTER, resource="port", id=f"RegionOne/{port['id']}")


@pytest.mark.parametrize("status", [413, 429])
def test_throttled(fake, tmp_path, status):
    """With Retry-After it is a rate, and no quota; nothing more is sent before that time."""
    caller = Caller(fake, tmp_path / "throttled", "openstack", dict(PROPERTIES), **SETTINGS)
    fake.fail_next("ports.list", status=status, message="This request was rate-limited.", headers={"Retry-After": "60"})
    answer = caller.create(leftMs=3000)
    assert answer.result == THROTTLED and 50000 < answer.retry_after_ms <= 60000 and is_clean(fake)
    assert caller.describe(leftMs=3000).result == THROTTLED and "servers.list" not in fake.state()["calls"]
    caller.close()


NEUTRON = [(409, "OverQuota", "Quota exceeded for resources: ['port'].", QUOTA),
           (409, "IpAddressGenerationFailure", "No more IP addresses available on network n.", CAPACITY),
           (403, "PolicyNotAuthorized", "rule:create_port is disallowed by policy", AUTH), (400, "InvalidInput", "Invalid input for operation", INVALID),
           (500, "HTTPInternalServerError", "Request Failed: internal server error", UNKNOWN)]


def test_answers_to_the_request_for_a_port(fake, caller):
    for number, (status, code, message, result) in enumerate(NEUTRON):
        fake.fail_next("ports.create", status=status, code=code, message=message)
        answer = caller.create(f"p{number}", leftMs=3000)
        assert (answer.result, message in answer.text) == (result, True), (code, answer)
    assert is_clean(fake)


FAULTS = [("No valid host was found. There are not enough hosts available.", CAPACITY), ("Exceeded maximum number of retries. Exhausted all hosts", CAPACITY),
          ("MaxRetriesExceeded: Exceeded max scheduling attempts 3 for instance x", CAPACITY), ("Quota exceeded for instances: Requested 1", QUOTA),
          ("Build of instance x aborted: Failed to allocate the network(s)", TRANSIENT)]


def test_server_that_ends_in_error_is_deleted_with_its_port(fake, caller):
    for number, (message, result) in enumerate(FAULTS):
        fake.faults(fail_later=1.0, fail_later_code=message)
        answer = caller.create(f"f{number}")
        assert (answer.result, message in answer.text) == (result, True), answer
        assert is_clean(fake), message
    assert [failed["reason"] for failed in fake.state()["failed"]] == [message for message, _ in FAULTS]
    fake.faults(fail_later=0.0)
    caller.make("f0")


def test_no_room_in_a_zone_and_a_quota(fake, caller):
    fake.faults(capacity={"nova": 0})
    assert caller.create(zone="nova").result == CAPACITY and is_clean(fake)
    fake.faults(capacity={}, quota=0)
    assert caller.create().result == QUOTA and is_clean(fake)
    fake.faults(quota=None)
    caller.make()


def test_floating_address_that_is_refused(fake, caller):
    """A machine that was to be public is deleted with its port, and the refusal is returned."""
    caller.properties = {**PROPERTIES, "network": {"address": "public"}}
    for status, code, result in ((403, "PolicyNotAuthorized", AUTH), (409, "OverQuota", QUOTA), (400, "ExternalIpAddressExhausted", CAPACITY)):
        fake.fail_next("floatingips.create", status=status, code=code, message="refused")
        answer = caller.create(f"public-{status}")
        assert (answer.result, code in answer.text, is_clean(fake)) == (result, True, True), answer
    fake.fail_next("floatingips.create", "lose_after")
    caller.make("public")
    assert kinds(fake) == ["floatingip", "port"]


# -- doubt


@pytest.mark.parametrize("call", ["servers.create", "ports.create"])
@pytest.mark.parametrize("fault", ["lose_before", "lose_after", "error_5xx_with_effect", "html", "cut"])
def test_lost_answers(fake, caller, call, fault):
    """One server and one port, whatever was lost: the next create finds them, or waits for the lag."""
    fake.fail_next(call, fault)
    name = f"{call}-{fault}".replace(".", "-").replace("_", "-")
    answer = caller.create(name)
    assert answer.result == UNKNOWN
    fake.wait(lambda _: caller.create(name).result == OK, "machine", 20)
    assert len(fake.alive()) == 1 and kinds(fake) == ["port"] and fake.state()["calls"].get("servers.create", 0) <= 2


def test_killed_after_the_request(fake, caller, tmp_path):
    """Another process finds the server: by its port, and by its tag before the port is bound."""
    fake.faults(boot_ms=600)
    answers = []
    other = Caller(fake, tmp_path / "killed", "openstack", caller.properties, **SETTINGS)

    def create():
        with contextlib.suppress(AssertionError):  # the process is killed
            answers.append(other.create("k"))
    thread = threading.Thread(target=create)
    thread.start()
    fake.wait(lambda state: state["alive"] == 1)
    other.plugin.kill()
    thread.join()
    id = caller.make("k")
    assert len(fake.alive()) == 1 and kinds(fake) == ["port"] and id.endswith(fake.alive()[0]["id"])


def test_request_that_takes_effect_late(fake, caller):
    """The second request meets the port of the first, or the first meets that of the second: one machine."""
    fake.fail_next("servers.create", "late", late_ms=1)
    assert caller.create("late").result == UNKNOWN
    fake.wait(lambda _: caller.create("late").result == OK, "machine", 20)
    assert len(fake.alive()) == 1


def test_request_that_takes_effect_after_the_next_one(fake, caller):
    """Later than the plugin waits, and than an engine would: the port, which the second request has bound, keeps the first from a second machine."""
    fake.fail_next("servers.create", "late", late_ms=3600000)
    assert caller.create("later").result == UNKNOWN
    fake.wait(lambda _: caller.create("later").result == OK, "machine", 20)
    fake.ask("/due", {})
    state = fake.state()
    assert state["alive"] == 1 and not state["duplicates"] and state["calls"]["servers.create"] == 2


def test_loser_of_a_port_is_deleted(fake, caller):
    """Two requests of one token in the same moment: the server that did not get the port is deleted, the other one is the machine."""
    token = make_token("twin")
    id = caller.make("twin", token=token)
    fake.duplicates_expected = True
    machine = fake.alive()[0]
    status, body = ask(fake)("POST", "/RegionOne/compute/v2.1/servers", {"server": {
        "name": "twin", "flavorRef": "2", "imageRef": machine["image"], "networks": "auto", "metadata": machine["tags"],
        "tags": [f"reeve.t.{token}"]}}, **{"OpenStack-API-Version": "compute 2.79"})
    assert status == 202
    twin = body["server"]["id"]
    fake.wait(lambda state: all(each["state"] == "ACTIVE" for each in state["machines"] if each["alive"]))
    fake.set_machine(twin, state="ERROR", fault="Port x is still in use.", power=0)
    assert caller.make("twin", token=token) == id and [each["id"] for each in fake.alive()] == [machine["id"]]
    fake.ask("/reset", {})
    fake.duplicates_expected = False


def test_portless(fake, caller):
    caller.properties = {**PROPERTIES, "portless": True, "securityGroups": ["web"]}
    fake.fail_next("servers.create", "lose_before")
    first = caller.create("bare")
    again = caller.create("bare")
    assert (first.result, again.result) == (UNKNOWN, UNKNOWN) and "may still take effect" in again.text and again.retry_after_ms <= LATE_MS
    fake.wait(lambda _: caller.create("bare").result == OK, "machine", 20)
    [machine] = fake.alive()
    assert machine["networks"][0].keys() == {"uuid"} and machine["securityGroups"] and fake.state()["calls"].get("ports.create", 0) == 0
    assert caller.destroy(f"RegionOne/{machine['id']}").result == OK and is_clean(fake)


def test_deadline_while_it_boots_and_while_it_is_deleted(fake, caller):
    fake.faults(boot_ms=2500, end_ms=2500)
    answer = caller.create("slow", leftMs=1800)
    assert answer.result == UNKNOWN and answer.retry_after_ms
    id = caller.make("slow")
    answer = caller.destroy(id, leftMs=1800)
    assert answer.result == UNKNOWN and answer.retry_after_ms
    assert caller.destroy(id).result == OK and is_clean(fake)


def test_young_server_that_is_not_shown(fake, caller):
    id = "RegionOne/" + "0" * 8 + "-0000-4000-8000-" + "0" * 12
    answer = caller.destroy(id, ageMs=100)
    assert answer.result == TRANSIENT and answer.retry_after_ms
    assert caller.destroy(id, ageMs=60000).result == OK


def test_young_machine_that_a_read_does_not_find(fake, caller):
    id = caller.make("young")
    for what in ("describe", "destroy", "label", "reboot"):
        caller.plugin.call("describe", cluster=CLUSTER, ids=[])
        fake.fail_next("servers.get", status=404, message="Instance could not be found.")
        answer = getattr(caller, what)(id, ageMs=0)
        assert answer.result == TRANSIENT and 0 < answer.retry_after_ms <= LAG_MS, what
    fake.fail_next("servers.get", "html", times=8)
    assert caller.describe(id, leftMs=2000).result == TRANSIENT
    fake.faults(next=[])
    assert len(fake.alive()) == 1


def test_refusal_after_doubt_leaves_no_port(fake, caller):
    """A create in doubt has a port; if the next one is refused for good, the port is deleted first."""
    fake.fail_next("servers.create", "lose_before")
    assert caller.create("doubt").result == UNKNOWN and kinds(fake) == ["port"]
    caller.properties = {**PROPERTIES, "flavor": "m9.huge"}
    fake.wait(lambda _: caller.create("doubt").result == INVALID, "refusal", 10)
    assert is_clean(fake)
    caller.properties = dict(PROPERTIES)
    answer = caller.create("long", init="#" * 60000)
    assert answer.result == INVALID and "too long" in answer.text or "make init" in answer.text
    assert is_clean(fake)


def test_killed_after_the_deletion(fake, tmp_path):
    """A destroy that was interrupted after it had seen the owner goes on, and deletes the port."""
    caller = Caller(fake, tmp_path / "going", "openstack", dict(PROPERTIES), **SETTINGS)
    id = caller.make("going")
    fake.fail_next("servers.delete", "lose_after", times=8)
    assert caller.destroy(id, leftMs=4000).result == UNKNOWN and fake.alive() == [] and kinds(fake) == ["port"]
    fake.faults(next=[])
    caller.restart()
    assert caller.destroy(id, ageMs=0).result == OK and is_clean(fake)
    caller.close()


def test_port_that_cannot_be_listed_after_the_deletion(fake, caller):
    id = caller.make()
    fake.fail_next("ports.list", "lose_before", times=9)
    assert caller.destroy(id, leftMs=8000).result == UNKNOWN and fake.alive() == [] and kinds(fake) == ["port"]
    fake.fail_next("servers.delete", code="Forbidden", status=403, message="by policy")
    assert caller.destroy(id).result == UNKNOWN, "the first one has deleted the server"
    assert caller.destroy(id).result == OK and is_clean(fake)


def test_swarm(fake, tmp_path):
    """Five per cent of everything, and at the end one server and one port for each token, and nothing after the deletion."""
    fake.faults(lose_after=0.05, lose_before=0.05, throttle=0.03, error_5xx=0.03, error_5xx_with_effect=0.03, html=0.02, lag_ms=250, fail_later=0.1,
                late=0.03, late_ms=200, retry_after_s=1)
    caller = Caller(fake, tmp_path / "swarm", "openstack", dict(PROPERTIES), **SETTINGS)

    def one(name):
        for _ in range(60):
            if caller.create(name).result == OK:
                return
            caller.describe(leftMs=5000)
    threads = [threading.Thread(target=one, args=(f"s-{i}",)) for i in range(8)]
    [each.start() for each in threads]
    [each.join() for each in threads]
    fake.faults(**{name: 0.0 for name in ("lose_after", "lose_before", "throttle", "error_5xx", "error_5xx_with_effect", "html", "fail_later", "late")})
    assert len(fake.alive()) == 8 and len({machine["token"] for machine in fake.alive()}) == 8
    for machine in fake.alive():
        fake.wait(lambda _, id=machine["id"]: caller.destroy(f"RegionOne/{id}").result == OK, "end")
    assert is_clean(fake)
    caller.close()


def test_server_deleted_by_hand_leaves_no_port(fake, caller):
    id = caller.make("hand")
    fake.end(id, "user")
    fake.wait(lambda state: all(port["device_id"] == "" for port in state["ports"]))
    fake.wait(lambda _: caller.destroy(id, token=make_token("hand" + CLUSTER)).result == OK, "end", 5)
    assert is_clean(fake)
    token = make_token("hand" + CLUSTER)
    again = caller.create("hand", token=token)
    assert again.result in (OK, GONE)


# -- accounts and tokens


def ask(fake):
    """A plain client with a token."""
    from rest import Rest
    rest = Rest(fake.port)
    secret = re.search(r"CREDENTIAL_SECRET=(\S+)", fake.credential)[1]
    body = {"auth": {"identity": {"methods": ["application_credential"], "application_credential": {
        "id": re.search(r"CREDENTIAL_ID=(\S+)", fake.credential)[1], "secret": secret}}}}
    assert rest("POST", "/v3/auth/tokens", body)[0] == 201
    rest.common = {"X-Auth-Token": rest.headers["x-subject-token"]}
    return rest


def test_token_that_expires_or_is_revoked(fake, tmp_path):
    fake.faults(token_ms=1000)
    caller = Caller(fake, tmp_path / "short", "openstack", dict(PROPERTIES), **SETTINGS)
    assert caller.describe().result == OK
    made = fake.state()["calls"]["tokens.create"]
    fake.wait(lambda _: caller.describe().result == OK and fake.state()["calls"]["tokens.create"] > made, "new token", 20)
    fake.faults(token_ms=3600000)
    fake.fail_next("servers.list", status=401, message="expired", times=1)
    assert caller.describe().result == OK
    fake.fail_next("servers.list", status=401, message="expired", times=2)
    assert caller.describe().result == AUTH
    fake.faults(clock_skew_s=3600)
    assert caller.describe().result == OK
    caller.close()


def test_lookup_without_a_whole_answer_refuses_nothing(fake, caller):
    """An answer that was cut, or a page whose marker was deleted, says nothing about what the file states."""
    for number, call in enumerate(("flavors.list", "images.list", "networks.list", "servers.detail", "ports.list")):
        fake.fail_next(call, "cut", times=9)
        answer = caller.create(f"cut-{number}", leftMs=4000)
        assert answer.result in (OK, TRANSIENT, UNKNOWN), (call, answer)
        fake.faults(next=[])
    fake.fail_next("flavors.list", status=400, message="marker [4] not found")
    assert caller.create("marker").result == TRANSIENT


def test_answers_of_another_form(fake, caller):
    """A service that answers 200 with something else refuses nothing, and ends no process."""
    calls = ("flavors.list", "images.list", "networks.list", "servers.detail", "ports.list", "ports.create", "servers.create", "servers.get")
    for number, call in enumerate(calls):
        fake.fail_next(call, status=200, message="of another form", times=9)
        answer = caller.create(f"form-{number}", leftMs=3000)
        assert answer.result in (TRANSIENT, UNKNOWN), (call, answer)
        fake.faults(next=[])
        made = []
        fake.wait(lambda _: made.append(caller.create(f"form-{number}").made) or made[-1], "server")  # noqa: B023
        assert caller.destroy(made[-1]).result == OK
    id = caller.make("form")
    for what, call in (("describe", "servers.list"), ("describe", "servers.detail"), ("destroy", "servers.get"), ("destroy", "ports.list")):
        fake.fail_next(call, status=200, message="of another form", times=9)
        answer = getattr(caller, what)(*((id,) if what == "destroy" else ()), leftMs=3000)
        assert answer.result in (TRANSIENT, UNKNOWN) or answer.is_incomplete, (call, answer)
        fake.faults(next=[])
    assert caller.destroy(id).result == OK


def test_keystone_that_gives_no_token(fake, tmp_path):
    """Only a refusal of the credential is AUTH, for which an operator is called."""
    caller = Caller(fake, tmp_path / "none", "openstack", dict(PROPERTIES), **SETTINGS | {"regions": ["RegionOne"]})
    wait = {"Retry-After": "2"}
    for fault, more, result in (("error", {"status": 413, "headers": wait}, THROTTLED), ("error", {"status": 429, "headers": wait}, THROTTLED),
                                ("html", {}, TRANSIENT), ("cut", {}, TRANSIENT), ("lose_after", {}, TRANSIENT), ("error", {"status": 403}, AUTH)):
        fake.fail_next("tokens.create", fault, **more)
        assert caller.describe().result == result, (fault, more)
    assert caller.describe().result == OK
    for fault in ("cut", "lose_before"):
        fake.faults(next=[{"call": "servers.list", "fault": "error", "status": 401, "message": "expired"}, {"call": "tokens.create", "fault": fault}])
        assert caller.describe().result == TRANSIENT, "the token expired, and there was no answer to the request for another one"
        assert caller.describe().result == OK
    caller.close()


@pytest.mark.parametrize("skew", [3600, -3600])
def test_clock_that_is_wrong(fake, tmp_path, skew):
    """CLOUDS.md 13k: the life of a token is the difference of two times of keystone, so nothing is refused."""
    fake.faults(clock_skew_s=skew)
    caller = Caller(fake, tmp_path / "skew", "openstack", dict(PROPERTIES), **SETTINGS)
    id = caller.make("skewed")
    assert caller.describe(id).rows and fake.state()["calls"]["tokens.create"] == 1
    assert caller.destroy(id).result == OK and is_clean(fake)
    caller.close()


def test_changed_credential_is_used_by_the_next_call(fake, tmp_path):
    """CLOUDS.md 13k: a token is kept for the credential that obtained it, and for no other."""
    caller = Caller(fake, tmp_path / "changed", "openstack", dict(PROPERTIES), **SETTINGS)
    assert caller.describe().result == OK and caller.describe().result == OK and fake.state()["calls"]["tokens.create"] == 1
    fake.faults(credentials=["password-7e57"])  # the application credential is revoked; its token lives on, as at keystone for minutes
    changed = ACCOUNTS[1][0].replace("@", fake.endpoint)
    assert caller.describe(credential=changed).result == OK and fake.state()["calls"]["tokens.create"] == 2
    assert caller.describe(credential=changed).result == OK and fake.state()["calls"]["tokens.create"] == 2
    assert caller.describe().result == AUTH, "the former credential has no token any more"
    caller.close()


ACCOUNTS = [
    ('{"OS_AUTH_URL": "@/v3", "OS_APPLICATION_CREDENTIAL_ID": "0f2c6d9f2d6b4d1f9d0b7a8c9e1f2a3b", "OS_APPLICATION_CREDENTIAL_SECRET": '
     '"app-cred-7e57-7e57-7e57", "OS_REGION_NAME": "RegionOne"}', OK, ""),
    ("# a comment\nexport OS_AUTH_URL='@'\nOS_USERNAME=reeve\nexport OS_PASSWORD=\"password-7e57\"\nOS_PROJECT_NAME=shop\n"
     "OS_PROJECT_DOMAIN_ID=default\nOS_USER_DOMAIN_NAME=Default\nunset OS_TENANT_ID\nOS_REGION_NAME=RegionOne", OK, ""),
    ("OS_AUTH_URL=@\nOS_USERNAME=reeve\nOS_PASSWORD=wrong\nOS_PROJECT_ID=9f1e0c7a2b3d4e5f8a6b7c8d9e0f1a2b\nOS_REGION_NAME=RegionOne", AUTH, "does not accept"),
    ("OS_AUTH_URL=@\nOS_USERNAME=reeve\nOS_PASSWORD=$OS_PASSWORD_INPUT\nOS_PROJECT_NAME=shop", AUTH, "OS_PASSWORD has no plain value"),
    ("OS_USERNAME=reeve\nOS_PASSWORD=x\nOS_PROJECT_NAME=shop", AUTH, "OS_AUTH_URL is missing"),
    ("OS_AUTH_URL=@\nOS_USERNAME=reeve\nOS_PASSWORD=x", AUTH, "OS_PROJECT_NAME"), ("OS_AUTH_URL=@", AUTH, "neither"), ("{]", AUTH, "no map"),
    ("OS_AUTH_URL=http://192.0.2.1:5000/v3\nOS_USERNAME=a\nOS_PASSWORD=x\nOS_PROJECT_NAME=shop", AUTH, "not a URL with https"),
    ("OS_AUTH_URL=@\nOS_USERNAME=reeve\nOS_PASSWORD=password-7e57\nOS_PROJECT_ID=9f1e0c7a2b3d4e5f8a6b7c8d9e0f1a2b\nOS_USER_DOMAIN_NAME=Default", INVALID,
     "several regions"),
    ("OS_AUTH_URL=@\nOS_USERNAME=reeve\nOS_PASSWORD=password-7e57\nOS_PROJECT_ID=9f1e0c7a2b3d4e5f8a6b7c8d9e0f1a2b\nOS_REGION_NAME=Other", INVALID,
     "no usable endpoint")]


def test_accounts(fake, tmp_path):
    """Each form of the secret, and what is wrong with it; one process, because the credential comes with each call."""
    for number, (secret, result, text) in enumerate(ACCOUNTS):
        caller = Caller(fake, tmp_path / f"account{number}", "openstack", dict(PROPERTIES))
        caller.close()
        caller.start({"lagMs": LAG_MS}, secret.replace("@", fake.endpoint))
        answer = caller.describe()
        assert (answer.result, text in answer.text) == (result, True), (secret, answer)
        assert "7e57" not in answer.text and "7e57" not in caller.plugin.log()
        caller.close()


@pytest.mark.parametrize("settings", [{"regions": "RegionOne"}, {"interface": "secret"}, {"endpoint": "http://192.0.2.1"}, {"lagMs": 99999}, {"other": 1}])
def test_settings_that_are_refused(fake, tmp_path, settings):
    caller = Caller(fake, tmp_path / "bad", "openstack", **settings)
    assert caller.plugin.started == INVALID and "settings: " in caller.plugin.log()
    caller.plugin.kill()


# -- validate and preflight


WRONG = [({"image": "debian-12"}, "/flavor"), ({**PROPERTIES, "volumes": [{"size": 1, "keep": "no"}]}, "/volumes/0/keep"),
         ({**PROPERTIES, "network": {"cidr": "10.0.0.0/8"}}, "/network/cidr"),
         ({**PROPERTIES, "network": {"address": "any"}}, "/network/address"), ({**PROPERTIES, "portless": True, "subnet": "x"}, "/portless"),
         ({**PROPERTIES, "bootVolume": {"type": "ssd"}}, "/bootVolume"), ({**PROPERTIES, "user": "a b"}, "/user")]


def test_validate(fake, caller):
    calls = fake.state()["calls"]
    for properties, pointer in WRONG:
        answer = caller.validate(properties)
        assert answer.result == INVALID and pointer in answer.faults, (properties, answer)
    assert caller.validate(PROPERTIES).result == OK and fake.state()["calls"] == calls


def test_preflight_pins_what_names_mean(fake, caller):
    answer = caller.preflight(count=3)
    assert answer.result == OK, answer
    pins = {each["pointer"]: each["value"] for each in answer.of("pin")}
    facts = {each["name"]: each["value"] for each in answer.of("fact")}
    assert pins["/flavor"] == "2" and len(pins["/image"]) == 36 and facts == {"arch": "amd64"} and not answer.of("notice")
    id = caller.make("pin")
    assert fake.alive()[0]["image"] == pins["/image"] and id


def test_pages_are_read_again_when_a_marker_is_gone(fake, caller):
    fake.faults(**{**USUAL, "page_size": 2})
    gone = {"status": 400, "code": "badRequest", "message": "marker [4] not found"}
    fake.fail_next("flavors.list", skip=1, **gone)
    answer = caller.preflight()
    assert answer.result == OK and not answer.of("notice"), answer
    fake.fail_next("flavors.list", skip=1, times=99, **gone)
    answer = caller.preflight()
    assert answer.result == TRANSIENT and "marker" in answer.faults["/flavor"], answer
    fake.faults(next=[])
    for name in "abc":
        caller.make(name, properties={**PROPERTIES, "volumes": [{"name": "data", "size": 1 << 30, "keep": "node"}]})
    fake.fail_next("volumes.list", skip=1, **gone)
    answer = caller.plugin.call("resources", cluster=CLUSTER)
    assert answer.result == OK and len([each for each in answer.of("resource") if each["resource"] == "volume"]) == 3, answer


def test_preflight_reports_all_faults_in_one_run(fake, caller):
    answer = caller.preflight({"flavor": "m9.huge", "image": "solaris", "key": "nobody", "subnet": "nowhere", "securityGroups": ["web", "none"],
                               "network": {"address": "public"}, "externalNetwork": "outside", "serverGroup": "together",
                               "bootVolume": {"size": 2000, "type": "floppy"}}, zones=["nova", "moon"], count=2)
    assert answer.result == INVALID
    faults = answer.faults
    assert set(faults) == {"/flavor", "/image", "/key", "/subnet", "/securityGroups/1", "/externalNetwork", "/serverGroup", "/bootVolume",
                           "/bootVolume/type", ""}
    assert "m1.small" in faults["/flavor"] and "Debian 12" in faults["/image"] and "az2" in faults[""] and "public" in faults["/externalNetwork"]
    assert is_clean(fake)


def test_preflight_limits(fake, caller):
    cases = [({"quota": 1}, 2, QUOTA, "instances"), ({"limits": {"maxTotalCores": 1}}, 2, QUOTA, "cores"),
             ({"limits": {"maxTotalRAMSize": 2048}}, 2, QUOTA, "RAM"),
             ({"free_addresses": 1}, 2, CAPACITY, "free addresses"), ({"free_addresses": 2}, 2, OK, ""), ({"compute_max": "2.60"}, 1, INVALID, "2.60")]
    for faults, count, result, text in cases:
        fake.faults(**{**USUAL, **faults})
        answer = caller.preflight(count=count)
        assert (answer.result, text in answer.text) == (result, True), (faults, answer)
    fake.faults(**USUAL)
    small = caller.preflight({"flavor": "m1.tiny", "image": "big"})
    assert small.result == INVALID and "100 GB" in small.faults["/flavor"]
    fake.fail_next("limits.get", status=503, message="down", times=9)
    answer = caller.preflight(leftMs=4000)
    assert answer.result == OK and "limits" in json.dumps(answer.of("notice"))


def test_examples_are_valid(fake, caller):
    """What the pages and the example of this plugin state is accepted by its own check."""
    text = (HERE.parents[1] / "examples/cloud-openstack.yaml").read_text()
    flavor = re.search(r"machineSize: (\S+)", text)[1]
    assert caller.validate({"flavor": flavor, "image": "debian-12", "network": {"address": "public"}}).result == OK
