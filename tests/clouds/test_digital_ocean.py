"""The plugin digitalOcean at a strict fake: one droplet per token, whatever is lost, late or refused."""

import os
import threading
import time

import pytest
from driver import AUTH, CAPACITY, INVALID, OK, PENDING, QUOTA, RUNNING, STOPPED, THROTTLED, TRANSIENT, UNKNOWN
from ocean import CLUSTER, PROPERTIES, Caller, make_tags, make_token

FAST = {"requestsPerHour": 3600000}
LATE_MS, LAG_MS = 180000, 60000


@pytest.fixture
def fake(fake_digital_ocean):
    """The fake, without delays."""
    fake_digital_ocean.faults(boot_ms=50, operation_ms=20)
    return fake_digital_ocean


@pytest.fixture
def caller(fake, tmp_path):
    """The plugin, as often as the fake can answer."""
    caller = Caller(fake, tmp_path / "folder", **FAST)
    assert caller.plugin.started == OK, caller.plugin.log()
    yield caller
    caller.close()


def age(caller, kind, name, seconds):
    """Make an entry of the journal older."""
    path = caller.folder / kind / name
    then = time.time() - seconds
    os.utime(path, (then, then))


def own_tags(fake):
    """The tags of the account that begin with reeve:, which must not be left."""
    return [tag["name"] for tag in fake.state()["tags"] if tag["name"].lower().startswith("reeve:")]


# -- create, describe, destroy


def test_life_of_a_machine(fake, caller):
    token = make_token("web-0" + CLUSTER)
    id = caller.make()
    [machine] = fake.alive()
    assert machine["id"] == id and machine["name"] == f"web-0-{token[-12:]}"
    answer = caller.describe()
    assert answer.result == OK and not answer.is_incomplete
    [row] = answer.rows
    assert row["id"] == id and row["state"] == RUNNING and row["zone"] == "fra1"
    assert row["tags"] == make_tags(token)
    assert row["properties"] == {"image": "debian-12-x64", "size": "s-1vcpu-1gb", "user": "root"}
    assert row["address"]
    assert caller.describe(id).rows == [row]
    assert caller.destroy(id).result == OK
    assert fake.alive() == [] and own_tags(fake) == []
    assert caller.describe().rows == [] and caller.describe(id).rows == []
    assert caller.destroy(id).result == OK


def test_same_token_is_the_same_machine(fake, caller):
    id = caller.make()
    assert caller.make() == id
    caller.restart()
    assert caller.make() == id
    assert fake.state()["calls"]["droplets.create"] == 1


def test_found_without_a_journal(fake, caller, tmp_path):
    """Another manager has another folder."""
    id = caller.make()
    other = Caller(fake, tmp_path / "other", **FAST)
    assert other.make() == id
    other.close()
    assert fake.state()["calls"]["droplets.create"] == 1


def test_calls_at_once_make_one(fake, caller):
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(caller.create())) for _ in range(6)]
    [each.start() for each in threads]
    [each.join() for each in threads]
    assert {answer.made for answer in answers} == {fake.alive()[0]["id"]}
    assert fake.state()["calls"]["droplets.create"] == 1


def test_lists_all_pages_of_its_cluster_only(fake, caller):
    fake.faults(page_size=5, quota=100)
    ids = {caller.make(f"web-{i}") for i in range(12)}
    other = caller.make("web-0", cluster="acme/other")
    assert {row["id"] for row in caller.describe().rows} == ids
    assert [row["id"] for row in caller.describe(cluster="acme/other").rows] == [other]
    assert {row["id"] for row in caller.describe(*list(ids)[:6]).rows} == set(list(ids)[:6])


def test_odd_group_comes_back_exactly(fake, caller):
    fake.faults(other_case=True)
    group = "Web/" + "Ünï:_%" * 40
    token = make_token("odd")
    tags = make_tags(token, group=group)
    caller.make("odd", token=token, tags=tags)
    assert caller.describe().rows[0]["tags"] == tags


def test_user_data(fake, caller):
    caller.properties |= {"user": "deploy", "network": {"address": "public"}}
    caller.make("0web.eu", init="#!/bin/sh\necho hello\n", keys="ssh-ed25519 AAAA ops")
    [machine] = fake.alive()
    data = machine["userData"]
    assert data.startswith("#!/bin/sh\n") and "echo hello" in data and "ssh-ed25519 AAAA ops" in data
    assert "host_name='n0web-eu'" in data and "user='deploy'" in data
    [row] = caller.describe().rows
    assert row["properties"]["user"] == "deploy"


def test_too_much_user_data(fake, caller):
    answer = caller.create(init="#" * 65000)
    assert answer.result == INVALID and "65536" in answer.text
    assert fake.alive() == []


def test_stopped_and_rebooted(fake, caller):
    id = caller.make()
    fake.end(id, "stop")
    assert caller.describe(id).rows[0]["state"] == STOPPED
    assert caller.reboot(id).result == OK
    assert caller.describe(id).rows[0]["state"] == RUNNING
    assert caller.reboot(id).result == OK
    assert fake.alive()[0]["reboots"] == 1


# -- ownership


def test_another_cluster_is_never_touched(fake, caller):
    id = caller.make()
    before = fake.alive()
    assert caller.destroy(id, cluster="acme/other").result == OK
    assert caller.label(id, {"a": "b"}, cluster="acme/other").result == 7
    assert caller.reboot(id, cluster="acme/other").result == 7
    assert caller.describe(id, cluster="acme/other").rows == []
    assert fake.alive() == before


@pytest.mark.parametrize("id", ["", "nobody", ".", "..", "1/2", "0", "1" * 30, "../account", "12?x=1"])
def test_odd_ids_are_gone(fake, caller, id):
    calls = sum(fake.state()["calls"].values())
    assert caller.destroy(id).result == OK
    assert caller.describe(id or "x").rows == []
    assert sum(fake.state()["calls"].values()) == calls


# -- what is lost or late


def test_lost_answer_makes_one(fake, caller):
    fake.fail_next("droplets.create", "lose_after")
    answer = caller.create()
    assert answer.result == UNKNOWN and 0 < answer.retry_after_ms <= LATE_MS
    caller.restart()
    assert caller.make() == fake.alive()[0]["id"]
    assert fake.state()["calls"]["droplets.create"] == 1


def test_lost_request_is_not_repeated_before_it_is_safe(fake, caller):
    """The guard: without the journal this would be the second POST."""
    fake.fail_next("droplets.create", "lose_before")
    assert caller.create().result == UNKNOWN
    caller.restart()
    answer = caller.create()
    assert answer.result == UNKNOWN and 0 < answer.retry_after_ms <= LATE_MS
    assert fake.state()["calls"]["droplets.create"] == 1
    age(caller, "requests", make_token("web-0" + CLUSTER), LATE_MS / 1000 + 1)
    caller.make()
    assert fake.state()["calls"]["droplets.create"] == 2 and len(fake.alive()) == 1


@pytest.mark.parametrize("fault", ["error_5xx", "error_5xx_with_effect", "html", "cut"])
def test_doubtful_answers_to_the_create(fake, caller, fault):
    fake.fail_next("droplets.create", fault)
    assert caller.create().result == UNKNOWN
    second = caller.create()
    assert fake.state()["calls"]["droplets.create"] == 1
    assert second.result == (OK if fake.alive() else UNKNOWN)


def test_lookup_of_another_form_is_no_proof(fake, caller):
    fake.fail_next("droplets.list", status=200, message="of another form")
    assert caller.create().result == TRANSIENT
    fake.faults(next=[])
    assert fake.alive() == []
    fake.fail_next("droplets.create", "lose_after")
    assert caller.create().result == UNKNOWN
    fake.fail_next("droplets.list", status=200, message="of another form")
    assert caller.create().result == UNKNOWN, "a request without an answer came before"
    assert caller.make() == fake.alive()[0]["id"]


def test_lost_answers_to_the_destroy(fake, caller):
    id = caller.make()
    fake.fail_next("droplets.delete", "lose_after")
    assert caller.destroy(id).result == OK
    assert fake.alive() == [] and own_tags(fake) == []


def test_killed_between_droplet_and_tags(fake, caller):
    id = caller.make()
    fake.fail_next("tags.delete", "error", status=401, code="unauthorized", message="no")
    assert caller.destroy(id).result == AUTH
    caller.restart()
    assert len(own_tags(fake)) > 0
    assert caller.destroy(id).result == OK
    assert own_tags(fake) == []


def test_killed_after_the_deletion(fake, caller):
    """A young droplet that is not shown may exist; one whose deletion was sent is deleted again, which is certain."""
    id = caller.make()
    fake.fail_next("droplets.delete", "lose_after", times=8)
    assert caller.destroy(id).result == UNKNOWN and fake.alive() == []
    fake.faults(next=[])
    caller.restart()
    assert caller.destroy(id).result == OK
    assert own_tags(fake) == []


def test_late_tags(fake, caller):
    """A droplet without tags is found by its name, and is ours by the journal or by the record's token."""
    fake.faults(tag_lag_ms=600000)
    token = make_token("web-0" + CLUSTER)
    id = caller.make()
    assert caller.make() == id
    assert [row["tags"] for row in caller.describe(id).rows] == [make_tags(token)]
    (caller.folder / "created" / id).unlink()
    (caller.folder / "requests" / token).unlink()
    assert caller.make() == id
    (caller.folder / "created" / id).unlink()
    assert caller.destroy(id).result == OK and len(fake.alive()) == 1
    assert caller.destroy(id, token=token).result == OK and fake.alive() == []


def test_tags_that_are_set_while_the_droplet_is_destroyed(fake, caller):
    """The tag that holds the labels is known from the journal, as the others are."""
    fake.faults(tag_lag_ms=600000)
    caller.properties |= {"user": "deploy", "network": {"address": "public"}}
    id = caller.make(labels={"labels": {"team": "a"}, "owner": "ops"})
    [row] = caller.describe(id).rows
    assert row["properties"]["user"] == "deploy"
    fake.fail_next("droplets.delete", status=401, code="unauthorized", message="no")
    assert caller.destroy(id).result == AUTH and own_tags(fake) == []
    fake.set_machine(id, tags_due=True)
    assert len(own_tags(fake)) == 3
    assert caller.destroy(id).result == OK
    assert own_tags(fake) == []


def test_young_machine_that_is_not_shown(fake, caller):
    """Not found does not mean gone while a machine is young."""
    id = caller.make()
    for what in ("describe", "destroy", "label", "reboot"):
        fake.fail_next("droplets.get", "error", status=404, code="not_found", message="The resource you were accessing could not be found.")
        answer = getattr(caller, what)(id)
        assert answer.result == TRANSIENT and 0 < answer.retry_after_ms <= LAG_MS, what
    (caller.folder / "created" / id).unlink()
    fake.fail_next("droplets.get", "error", status=404, code="not_found", message="x")
    assert caller.destroy(id, ageMs=5000).result == TRANSIENT
    fake.fail_next("droplets.get", "error", status=404, code="not_found", message="x")
    assert caller.destroy(id, ageMs=LAG_MS + 1).result == OK
    assert len(fake.alive()) == 1


def test_lag(fake, caller):
    fake.faults(lag_ms=1500, quota=100)
    ids = [caller.make(f"web-{i}") for i in range(8)]
    assert [caller.make(f"web-{i}") for i in range(8)] == ids
    assert fake.state()["calls"]["droplets.create"] == 8
    fake.wait(lambda _: len(caller.describe().rows) == 8, "complete listing")
    for id in ids:
        assert caller.destroy(id).result == OK
    assert fake.alive() == [] and own_tags(fake) == []


def test_creation_that_fails_later(fake, caller):
    fake.faults(fail_later=1.0)
    answer = caller.create(labels={"labels": {"team": "a"}, "owner": "ops"})
    assert answer.result == CAPACITY and answer.made is None
    assert fake.alive() == [] and own_tags(fake) == []
    assert [failed["token"] for failed in fake.state()["failed"]] == [make_token("web-0" + CLUSTER)]
    fake.faults(fail_later=0.0)
    assert caller.make() == fake.alive()[0]["id"]


def test_still_being_created_at_the_deadline(fake, caller):
    fake.faults(boot_ms=3000)
    answer = caller.create(leftMs=2000)
    assert answer.result == UNKNOWN and len(fake.alive()) == 1
    assert caller.describe().rows[0]["state"] == PENDING
    assert caller.make() == fake.alive()[0]["id"]


def test_listing_that_does_not_fit_together(fake, caller):
    """An id that comes twice, or a total that is not the number of rows, on each of three times."""
    fake.faults(quota=100)
    [caller.make(f"web-{i}") for i in range(3)]
    row = {"id": 1, "name": "x", "tags": ["reeve"], "status": "active"}
    import json
    body = json.dumps({"droplets": [row], "links": {}, "meta": {"total": 2}})
    calls = fake.state()["calls"]["droplets.list"]
    fake.faults(next=[{"call": "droplets.list", "fault": "error", "times": 1, "status": 200, "code": "x", "message": body}])
    answer = caller.describe()
    assert answer.result == OK
    assert fake.state()["calls"]["droplets.list"] - calls >= 2 or answer.is_incomplete
    assert {row["id"] for row in caller.describe().rows} == {machine["id"] for machine in fake.alive()}


def test_swarm(fake, caller):
    """Five per cent of everything, and at the end the truth port agrees."""
    fake.faults(quota=100, lose_after=0.05, lose_before=0.05, throttle=0.05, error_5xx=0.03, error_5xx_with_effect=0.03, html=0.02, lag_ms=300,
                tag_lag_ms=300, retry_after_s=1)
    made = {}

    def one(name):
        answer = caller.create(name)
        for _ in range(20):
            if answer.result in (OK, UNKNOWN):
                break
            answer = caller.create(name)
        made[name] = answer
    threads = [threading.Thread(target=one, args=(f"web-{i}",)) for i in range(16)]
    [each.start() for each in threads]
    [each.join() for each in threads]
    fake.faults(lose_after=0, lose_before=0, throttle=0, error_5xx=0, error_5xx_with_effect=0, html=0)
    names = [machine["name"] for machine in fake.alive()]
    assert len(set(names)) == len(names)
    ok = {answer.made for answer in made.values() if answer.result == OK}
    assert ok <= {machine["id"] for machine in fake.alive()} and len(ok) >= 4
    # A machine whose create had no answer is not in the plugin's journal: until it is shown, its id counts as gone.
    fake.wait(lambda _: all(time.time() > machine["createdAt"] + 0.5 for machine in fake.alive()), "listing of the newest machine")
    for machine in fake.alive():
        fake.wait(lambda _, id=machine["id"]: caller.destroy(id).result == OK, "end")
    assert fake.alive() == []


# -- the error table


ERRORS = [
    (401, "unauthorized", "Unable to authenticate you", AUTH),
    (403, "forbidden", "You are not authorized to perform this operation", AUTH),
    (422, "unprocessable_entity", "creating this/these droplet(s) will exceed your droplet limit", QUOTA),
    (422, "unprocessable_entity", "Size is not available in this region.", CAPACITY),
    (422, "unprocessable_entity", "The size is currently unavailable", CAPACITY),
    (422, "unprocessable_entity", "There is no capacity in this region", CAPACITY),
    (422, "unprocessable_entity", "Droplet already has a pending event.", TRANSIENT),
    (422, "unprocessable_entity", "Name is invalid", INVALID),
    (400, "bad_request", "The request is malformed", INVALID),
    (404, "not_found", "The resource you were accessing could not be found.", INVALID),
    (409, "conflict", "Something else", INVALID),
]


@pytest.mark.parametrize("status, code, message, result", ERRORS)
def test_refusals_of_a_create(fake, caller, status, code, message, result):
    fake.fail_next("droplets.create", "error", status=status, code=code, message=message)
    answer = caller.create()
    assert answer.result == result and message in answer.text and code in answer.text
    assert fake.alive() == []
    # the refusal was definite: the next create need not wait
    assert caller.create().result == OK


def test_throttled_create(fake, caller):
    fake.fail_next("droplets.create", "error", status=429, code="too_many_requests", message="API Rate limit exceeded.",
                   headers={"retry-after": "1"})
    assert caller.create(leftMs=10000).result == OK
    assert fake.state()["calls"]["droplets.create"] == 2


def test_throttled_longer_than_the_call(fake, caller):
    fake.fail_next("droplets.create", "error", status=429, code="too_many_requests", message="API Rate limit exceeded.",
                   headers={"retry-after": "77"})
    answer = caller.create(leftMs=3000)
    assert answer.result == THROTTLED and answer.retry_after_ms >= 76000
    assert fake.alive() == []


@pytest.mark.parametrize("credential", ["", "two\nlines\n", "a b"])
def test_bad_credential_is_never_sent(fake, caller, credential):
    before = sum(fake.state()["calls"].values())
    for answer in (caller.plugin.call("describe", cluster=CLUSTER, ids=[], credential=credential),
                   caller.create(credential=credential)):
        assert answer.result == AUTH and "token" in answer.text
    assert sum(fake.state()["calls"].values()) == before


def test_wrong_credential(fake, caller):
    assert caller.create(credential="dop_v1_wrong").result == AUTH
    assert caller.plugin.call("describe", cluster=CLUSTER, ids=[], credential="dop_v1_wrong").result == AUTH
    assert "dop_v1" not in caller.plugin.log()


def test_capacity_and_quota_of_the_fake(fake, caller):
    fake.faults(capacity={"fra1": 1}, quota=2)
    caller.make("web-0")
    assert caller.create("web-1").result == CAPACITY
    caller.make("web-1", zone="ams3")
    assert caller.create("web-2", zone="ams3").result == QUOTA
    assert len(fake.alive()) == 2


# -- labels


def test_labels(fake, caller):
    id = caller.make(labels={"labels": {"env": "prod"}, "owner": "ops"})
    token = make_token("web-0" + CLUSTER)
    assert {"env:prod", "owner:ops", "reeve"} <= set(fake.alive()[0]["tags"])
    assert caller.label(id, {"env": "test", "odd": "a b"}, "dev").result == OK
    tags = set(fake.alive()[0]["tags"])
    assert {"env:test", "owner:dev", "reeve"} <= tags and not {"env:prod", "owner:ops"} & tags
    assert caller.describe(id).rows[0]["tags"] == make_tags(token)
    assert caller.label(id).result == OK
    assert {tag for tag in fake.alive()[0]["tags"] if not tag.startswith("reeve")} == set()
    assert caller.destroy(id).result == OK
    assert own_tags(fake) == []


def test_labels_keep_user_and_address(fake, caller):
    caller.properties |= {"user": "deploy", "network": {"address": "public"}}
    id = caller.make()
    before = caller.describe(id).rows
    assert caller.label(id, {"env": "test"}).result == OK
    assert caller.describe(id).rows == before


def test_label_interrupted_anywhere(fake, caller):
    caller.properties |= {"user": "deploy"}
    id = caller.make()
    before = caller.describe(id).rows
    for number in range(6):
        for call in ("tags.create", "tags.add", "tags.remove", "tags.delete"):
            fake.fail_next(call, "error", status=401, code="unauthorized", message="x")
            caller.label(id, {"env": f"v{number}"})
            fake.faults(next=[])
            assert caller.describe(id).rows == before
            number += 100
    assert caller.label(id, {"env": "last"}).result == OK
    assert "env:last" in fake.alive()[0]["tags"] and len([tag for tag in own_tags(fake) if "data" in tag]) == 1


# -- preflight, validate


def test_preflight(fake, caller):
    answer = caller.preflight({"instanceType": "standard", "memory": 1, "sshKey": "mwas"}, zones=["fra1"], count=2)
    assert answer.result == OK, answer
    assert {each["pointer"]: each["value"] for each in answer.of("pin")} == {"/image": "136001", "/size": "s-1vcpu-1gb"}
    assert {each["name"]: each["value"] for each in answer.of("fact")} == {"arch": "amd64", "pricePerHour": "0.00893 USD", "quotaLeft": "25"}
    assert not any(name.endswith((".create", ".delete", ".act", ".add")) for name in fake.state()["calls"])


def test_preflight_reports_every_fault(fake, caller):
    answer = caller.preflight({"size": "s-64vcpu-1gb", "image": "amazonlinux", "sshKey": "nobody", "subnet": "nowhere",
                               "securityGroups": ["web", "untagged", "none"]}, zones=["fra1", "nyc2"], count=1000)
    assert answer.result in (INVALID, QUOTA)
    assert set(answer.faults) == {"/size", "/image", "/sshKey", "/subnet", "/securityGroups/1", "/securityGroups/2", "/region", ""}
    assert "s-1vcpu-1gb" in answer.faults["/size"] and "debian-12-x64" in answer.faults["/image"]
    assert "mwas" in answer.faults["/sshKey"] and "tag" in answer.faults["/securityGroups/1"] and "25" in answer.faults[""]
    assert "fra1" in answer.faults["/region"]


def test_preflight_that_gets_no_answer(fake, caller):
    fake.faults(error_5xx=1.0, only=["regions.list", "account.get"])
    answer = caller.preflight()
    assert answer.result == OK and {each["pointer"] for each in answer.of("notice")} == {"/region", ""}


def test_preflight_of_a_locked_account(fake, caller):
    fake.faults(account_status="locked")
    assert caller.preflight().result == AUTH


def test_pinned_values_are_used(fake, caller):
    caller.properties = {"region": "fra1", "instanceType": "standard", "memory": 1, "image": "debian"}
    caller.make(pinned={"/image": "136002", "/size": "s-2vcpu-4gb"})
    [machine] = fake.alive()
    assert machine["size"] == "s-2vcpu-4gb" and caller.describe().rows[0]["properties"]["image"] == "debian-13-x64"


def test_firewall_key_and_network(fake, caller):
    caller.properties |= {"securityGroups": ["web"], "sshKey": "mwas", "subnet": "default-fra1", "privateOnly": True}
    caller.make()
    [machine] = fake.alive()
    assert "fw-web" in machine["tags"] and machine["keys"] == [512189]
    calls = fake.state()["calls"]["keys.list"]
    caller.make("web-1")
    assert fake.state()["calls"]["keys.list"] == calls, "names are looked up once in ten minutes"


WRONG = [({"size": "S 1"}, "/size"), ({"size": "s-1vcpu-1gb", "instanceType": "standard"}, "/size"), ({"instanceType": "t2"}, "/instanceType"),
         ({"memory": "much"}, "/memory"), ({"memory": 0}, "/memory"), ({"cpus": 0}, "/cpus"), ({"image": "Debian 12"}, "/image"),
         ({"region": "a/b"}, "/region"), ({"user": "Root"}, "/user"), ({"network": {"address": "both"}}, "/network/address"),
         ({"network": {"cidr": "10.0.0.0/8"}}, "/network/cidr"), ({"securityGroups": "web"}, "/securityGroups"),
         ({"privateOnly": True, "network": {"address": "public"}}, "/privateOnly"), ({"volumes": [{"size": 1, "type": "ssd"}]}, "/volumes/0/type")]


@pytest.mark.parametrize("properties, pointer", WRONG)
def test_validate(fake, caller, properties, pointer):
    answer = caller.validate(properties)
    assert answer.result == INVALID and pointer in answer.faults, answer
    assert fake.state()["calls"] == {}


def test_validate_accepts(caller):
    for properties in ({}, PROPERTIES, {"instanceType": "standard", "memory": 1, "sshKey": "mwas"}, {"instanceType": "s-1vcpu-1gb"}):
        assert caller.validate(properties).result == OK


@pytest.mark.parametrize("settings", [{"endpoint": "http://10.0.0.1"}, {"region": []}, {"regions": ["fra1"]}, {"requestsPerHour": 1}])
def test_bad_settings(fake, tmp_path, settings):
    caller = Caller(fake, tmp_path / "bad", **settings)
    assert caller.plugin.started == INVALID and "settings" in caller.plugin.log()
    caller.plugin.kill()


# -- rates and sharing


def test_listings_are_shared(fake, tmp_path):
    """Twenty clusters that list at once need a few listings, not twenty."""
    caller = Caller(fake, tmp_path / "folder", requestsPerHour=36000)
    threads = [threading.Thread(target=caller.describe, kwargs={"cluster": f"acme/c{i}"}) for i in range(20)]
    [each.start() for each in threads]
    [each.join() for each in threads]
    caller.close()
    assert fake.state()["calls"]["droplets.list"] <= 3


def test_secret_is_nowhere(fake, caller):
    caller.make()
    caller.describe()
    secret = fake.credential.strip()
    for path in caller.folder.rglob("*"):
        assert not path.is_file() or secret not in path.read_text(errors="replace"), path
    assert secret not in caller.plugin.log()
