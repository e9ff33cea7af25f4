"""The plugin gcd at a strict fake: names and request ids make one machine, and operations decide."""

import base64
import json
import threading

import pytest
from driver import AUTH, CAPACITY, GONE, INVALID, OK, QUOTA, RUNNING, STOPPED, THROTTLED, TRANSIENT, UNKNOWN
from ocean import CLUSTER, Caller, make_tags, make_token

ZONE = "us-central1-a"
LAG_MS = 30000
KEY = "ssh-ed25519 " + base64.b64encode(b"\0\0\0\x0bssh-ed25519\0\0\0 " + bytes(range(32))).decode()


@pytest.fixture
def fake(fake_gcd):
    """The fake, without delays."""
    fake_gcd.faults(boot_ms=50, operation_ms=20, end_ms=50)
    return fake_gcd


@pytest.fixture
def caller(fake, tmp_path):
    """The plugin."""
    caller = Caller(fake, tmp_path / "folder", "gcd", {"machineType": "e2-micro"})
    assert caller.plugin.started == OK, caller.plugin.log()
    yield caller
    caller.close()


def is_clean(fake):
    """Neither machines nor disks are left."""
    return fake.alive() == [] and fake.state()["disks"] == []


# -- create, describe, destroy


def test_life_of_a_machine(fake, caller):
    token = make_token("web-0" + CLUSTER)
    id = caller.make()
    assert id == f"reeve-test/{ZONE}/web-0-{token[-16:]}"
    answer = caller.describe()
    assert answer.result == OK and not answer.is_incomplete
    [row] = answer.rows
    assert row["id"] == id and row["state"] == RUNNING and row["zone"] == ZONE and row["address"]
    assert row["tags"] == make_tags(token)
    assert row["properties"] == {"size": "e2-micro", "user": "admin",
                                  "image": "projects/debian-cloud/global/images/debian-12-bookworm-v20260610"}
    [machine] = fake.alive()
    assert machine["image"] == "debian-cloud/debian-12-bookworm-v20260610"
    assert machine["metadata"]["enable-guest-attributes"] == "TRUE" and machine["metadata"]["block-project-ssh-keys"] == "TRUE"
    assert machine["metadata"]["startup-script"].startswith("#!/bin/sh\n")
    assert caller.describe(id).rows == [row]
    assert caller.destroy(id).result == OK
    assert is_clean(fake)
    assert caller.describe().rows == [] and caller.describe(id).rows == []
    assert caller.destroy(id).result == OK


def test_same_token_is_the_same_machine(fake, caller, tmp_path):
    id = caller.make()
    assert caller.make() == id
    caller.restart()
    assert caller.make() == id
    other = Caller(fake, tmp_path / "other", "gcd", caller.properties)
    assert other.make() == id
    other.close()
    assert len(fake.alive()) == 1


def test_same_token_of_a_deleted_machine_needs_an_answer(fake, caller):
    """The operation of the first insert says that it has succeeded; only a read of the machine shows that it has ended."""
    id = caller.make()
    assert caller.destroy(id).result == OK
    fake.fail_next("instances.get", "lose_after", times=8)
    answer = caller.create()
    assert answer.result == UNKNOWN and answer.retry_after_ms
    fake.faults(next=[])
    assert caller.create().result == GONE
    assert is_clean(fake)


def test_calls_at_once_make_one(fake, caller):
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(caller.create())) for _ in range(6)]
    [each.start() for each in threads]
    [each.join() for each in threads]
    assert {answer.result for answer in answers} == {OK} and len(fake.alive()) == 1


def test_properties_in_the_request(fake, caller):
    caller.properties = {"instanceType": "e2-small", "image": "ubuntu-22.04", "key": "ops", "subnet": "other", "securityGroups": ["web", "ssh"],
                         "network": {"address": "public"}, "rootSize": 20, "rootType": "pd-ssd", "preemptible": True, "owner": "sre",
                         "serviceAccount": "web@reeve-test.iam.gserviceaccount.com"}
    caller.make(keys="cert-authority ssh-ed25519 AAAA reeve", init="echo hi\n")
    [machine] = fake.alive()
    script = machine["metadata"]["startup-script"]
    assert "AAAAIops1" in script and "AAAAIops2" in script and "cert-authority" in script and "echo hi" in script and "user='ubuntu'" in script
    assert machine["networkTags"] == ["web", "ssh"] and machine["spot"] and machine["publicAddress"]
    [disk] = fake.state()["disks"]
    assert disk["size"] == 20 and disk["type"] == "pd-ssd"
    assert caller.describe().rows[0]["address"] == machine["publicAddress"]


def test_pages_zones_and_clusters(fake, caller):
    fake.faults(page_size=5)
    ids = {caller.make(f"web-{i}", zone=("us-central1-a", "us-central1-b", "europe-west1-b")[i % 3]) for i in range(13)}
    caller.make("web-0", cluster="acme/other")
    answer = caller.describe()
    assert {row["id"] for row in answer.rows} == ids and len(answer.rows) == 13 and not answer.is_incomplete
    assert {row["id"] for row in caller.describe(*list(ids)[:3]).rows} == set(list(ids)[:3])


def test_zone_that_does_not_answer_makes_the_listing_incomplete(fake, caller):
    caller.make()
    other = caller.make("web-1", zone="europe-west1-b")
    fake.faults(dead_region=["us-central1-a"])
    answer = caller.describe()
    assert answer.result == OK and answer.is_incomplete and [row["id"] for row in answer.rows] == [other]


def test_page_token_that_expires(fake, caller):
    fake.faults(page_size=2)
    ids = {caller.make(f"web-{i}") for i in range(5)}
    fake.fail_next("instances.aggregatedList", "error", skip=1, status=400, code="invalid", message="Invalid value for field 'pageToken': 'x'.")
    answer = caller.describe()
    assert {row["id"] for row in answer.rows} == ids and not answer.is_incomplete
    fake.faults(expire_page_tokens=1.0)
    assert caller.describe().is_incomplete


def test_odd_group_and_labels_come_back(fake, caller):
    token = make_token("odd")
    tags = make_tags(token, group="Web/" + "Ünï:_%" * 40)
    caller.make("odd", token=token, tags=tags, labels={"labels": {"env": "prod", "Odd Key": "A"}, "owner": "ops"})
    assert caller.describe().rows[0]["tags"] == tags
    labels = fake.alive()[0]["tags"]
    assert labels["env"] == "prod" and labels["owner"] == "ops" and labels["reeve-token"] == token


# -- operations, conflicts


def test_operation_that_fails_is_a_refusal(fake, caller):
    """A 200 to an insert is no success; the next try has another request id."""
    fake.faults(capacity={ZONE: 0})
    answer = caller.create()
    assert answer.result == CAPACITY and "ZONE_RESOURCE_POOL_EXHAUSTED" in answer.text
    assert is_clean(fake)
    fake.faults(capacity={})
    caller.make()


OPERATION_ERRORS = [("ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS", CAPACITY), ("RESOURCE_POOL_EXHAUSTED", CAPACITY), ("STOCKOUT", CAPACITY),
                    ("QUOTA_EXCEEDED", QUOTA), ("INTERNAL_ERROR", UNKNOWN), ("SOMETHING_NEW", TRANSIENT)]


@pytest.mark.parametrize("code, result", OPERATION_ERRORS)
def test_errors_of_operations(fake, caller, code, result):
    fake.faults(fail_later=1.0, fail_later_code=code)
    answer = caller.create()
    assert answer.result == result and code in answer.text
    fake.faults(fail_later=0.0)
    caller.make()


def test_operation_beyond_the_deadline(fake, caller):
    fake.faults(boot_ms=3000, operation_ms=3000)
    answer = caller.create(leftMs=1500)
    assert answer.result == UNKNOWN and answer.retry_after_ms
    assert caller.make() and len(fake.alive()) == 1


@pytest.mark.parametrize("fault", ["lose_before", "lose_after", "error_5xx", "error_5xx_with_effect", "html", "cut"])
def test_lost_answers_to_the_insert(fake, caller, fault):
    fake.fail_next("instances.insert", fault)
    caller.make()
    assert len(fake.alive()) == 1


def test_insert_that_never_gets_an_answer(fake, caller):
    fake.fail_next("instances.insert", "lose_after", times=8)
    assert caller.create().result == UNKNOWN
    fake.faults(next=[])
    caller.restart()
    caller.make()
    assert len(fake.alive()) == 1


def test_name_of_another_machine(fake, caller):
    """A conflict is only ours if the token is."""
    id = caller.make()
    fake.set_machine(id, labels={})
    machine = caller.describe(id).rows
    assert machine, "the description decides, not a label"
    token = make_token("web-0" + CLUSTER)
    answer = caller.create(token="0" * 16 + token[-16:])
    assert answer.result == INVALID and "is not one of this cluster" in answer.text


# -- destroy, ownership


def test_another_cluster_is_never_touched(fake, caller):
    id = caller.make()
    before = fake.alive()
    assert caller.destroy(id, cluster="acme/other").result == OK
    assert caller.label(id, {"a": "b"}, cluster="acme/other").result == GONE
    assert caller.reboot(id, cluster="acme/other").result == GONE
    assert caller.describe(id, cluster="acme/other").rows == []
    assert fake.alive() == before


@pytest.mark.parametrize("id", ["nobody", ".", "a/b", "reeve-test/us-central1-a/../x", "other/us-central1-a/web", "reeve-test/us-central1-a/a/b",
                                "reeve-test//x", "reeve-test/nowhere-9/x", "i-0123456789abcdef0"])
def test_odd_ids_are_gone(fake, caller, id):
    assert caller.destroy(id).result == OK
    assert caller.describe(id).rows == []


def test_lost_answers_to_the_delete(fake, caller):
    id = caller.make()
    fake.fail_next("instances.delete", "lose_after")
    assert caller.destroy(id).result == OK
    assert is_clean(fake)


def test_stopping_machine_is_destroyed_when_it_has_stopped(fake, caller):
    fake.faults(end_ms=1500)
    id = caller.make()
    fake.end(id, "stop")
    assert caller.destroy(id, leftMs=1000).result == TRANSIENT
    assert caller.destroy(id).result == OK
    assert is_clean(fake)


def test_killed_after_the_deletion(fake, caller):
    """The second destroy does not read the machine, which may not be shown: it deletes it again, which is certain."""
    id = caller.make()
    fake.fail_next("instances.delete", "lose_after", times=8)
    assert caller.destroy(id).result == UNKNOWN
    fake.faults(next=[])
    caller.restart()
    assert caller.destroy(id).result == OK
    assert is_clean(fake)


def test_answer_of_another_form_is_no_proof(fake, caller):
    """A machine is not taken for gone, or for one of another cluster, because of an answer that has none."""
    id = caller.make()
    for what in ("describe", "destroy", "reboot"):
        fake.fail_next("instances.get", status=200, message="of another form")
        assert getattr(caller, what)(id).result == TRANSIENT, what
    assert len(fake.alive()) == 1


def test_young_machine_that_is_not_shown(fake, caller):
    id = caller.make()
    for what in ("describe", "destroy", "label", "reboot"):
        fake.fail_next("instances.get", "error", status=404, code="notFound", message="The resource was not found")
        answer = getattr(caller, what)(id)
        assert answer.result == TRANSIENT and 0 < answer.retry_after_ms <= LAG_MS, what
    assert len(fake.alive()) == 1


def test_stopped_and_rebooted(fake, caller):
    id = caller.make()
    assert caller.reboot(id).result == OK and fake.alive()[0]["reboots"] == 1
    fake.end(id, "spot")
    fake.wait(lambda _: caller.describe(id).rows[0]["state"] == STOPPED, "stop")
    assert "preempted" in caller.describe(id).rows[0]["properties"]["statusMessage"]
    assert caller.reboot(id).result == OK
    assert caller.describe(id).rows[0]["state"] == RUNNING


def test_labels(fake, caller):
    id = caller.make(labels={"labels": {"env": "prod"}, "owner": "ops"})
    assert caller.label(id, {"env": "test", "more": "x"}, "dev").result == OK
    labels = fake.alive()[0]["tags"]
    assert labels["env"] == "test" and labels["more"] == "x" and labels["owner"] == "dev" and len(labels["reeve-cluster"]) == 32
    fake.fail_next("instances.setLabels", "error", status=412, code="conditionNotMet", message="Labels fingerprint either invalid")
    assert caller.label(id).result == OK
    assert set(fake.alive()[0]["tags"]) == {"reeve-cluster", "reeve-token"}
    assert caller.label(id, {f"k{i}": "v" * 63 for i in range(80)}).result == INVALID


def test_console_and_host_key(fake, caller):
    token = make_token("web-0" + CLUSTER)
    id = caller.make()
    fake.set_machine(id, console="x" * 70000 + "\nlogin:")
    assert caller.plugin.call("console", cluster=CLUSTER, id=id).of("text")[0]["text"] == ("x" * 70000 + "\nlogin:")[-65536:]
    fake.set_machine(id, guest_attributes={"reeve/hostkey": f"reeve-hostkey {token} {KEY}"})
    assert caller.describe(id).rows[0]["properties"]["hostKey"] == KEY
    calls = fake.state()["calls"]["instances.getGuestAttributes"]
    assert caller.describe(id).rows[0]["properties"]["hostKey"] == KEY
    assert caller.describe().rows[0]["properties"]["hostKey"] == KEY
    assert fake.state()["calls"]["instances.getGuestAttributes"] == calls


def test_host_key_of_another_machine_is_not_believed(fake, caller):
    id = caller.make()
    fake.set_machine(id, guest_attributes={"reeve/hostkey": f"reeve-hostkey {'0' * 32} {KEY}"})
    assert "hostKey" not in caller.describe(id).rows[0]["properties"]
    calls = fake.state()["calls"]["instances.getGuestAttributes"]
    caller.describe(id)
    assert fake.state()["calls"]["instances.getGuestAttributes"] == calls, "at most once in 5 s"


# -- the error table


ERRORS = [
    (403, "quotaExceeded", "Quota 'CPUS' exceeded. Limit: 24.0 in region us-central1.", QUOTA),
    (403, "forbidden", "Required 'compute.instances.create' permission", AUTH),
    (403, "accessNotConfigured", "Compute Engine API has not been used in project", AUTH),
    (401, "authError", "Request had invalid authentication credentials.", AUTH),
    (400, "resourceNotReady", "The resource is not ready", TRANSIENT),
    (412, "conditionNotMet", "The condition is not met", TRANSIENT),
    (409, "resourceInUseByAnotherResource", "The resource is in use", TRANSIENT),
    (404, "notFound", "The resource 'projects/x/global/images/y' was not found", INVALID),
    (400, "invalid", "Invalid value for field 'resource.machineType'", INVALID),
]


@pytest.mark.parametrize("status, code, message, result", ERRORS)
def test_refusals_of_an_insert(fake, caller, status, code, message, result):
    fake.fail_next("instances.insert", "error", times=2, status=status, code=code, message=message)
    answer = caller.create()
    assert answer.result == result and message in answer.text and code in answer.text
    assert is_clean(fake)
    fake.faults(next=[])
    caller.make()


THROTTLES = [(403, "rateLimitExceeded", "Rate Limit Exceeded"), (403, "userRateLimitExceeded", "User Rate Limit Exceeded"),
             (403, "quotaExceeded", "Quota exceeded for quota metric 'Queries': too many requests per minute."), (429, "rateLimitExceeded", "Exhausted")]


@pytest.mark.parametrize("status, code, message", THROTTLES)
def test_throttled(fake, caller, status, code, message):
    fake.fail_next("instances.insert", "error", status=status, code=code, message=message)
    caller.make()
    fake.fail_next("instances.aggregatedList", "error", times=1000, status=status, code=code, message=message)
    answer = caller.describe(leftMs=1500)
    assert answer.result == THROTTLED and answer.retry_after_ms > 0
    fake.faults(next=[])


def test_5xx_of_a_reading_is_transient(fake, caller):
    fake.faults(error_5xx=1.0, only=["instances.aggregatedList"])
    assert caller.describe().result == TRANSIENT


# -- the account


def test_access_token_is_kept_and_renewed(fake, caller):
    caller.make()
    caller.describe()
    assert fake.state()["calls"]["token"] == 1
    fake.fail_next("instances.aggregatedList", "error", status=401, code="authError", message="expired")
    assert caller.describe().result == OK
    assert fake.state()["calls"]["token"] == 2


def test_token_that_expires(fake, tmp_path):
    fake.faults(token_ms=1200)
    caller = Caller(fake, tmp_path / "short", "gcd", {"machineType": "e2-micro"})
    ids = {caller.make(f"web-{i}") for i in range(8)}
    assert len(ids) == 8
    caller.close()


def test_token_service_that_gives_no_token(fake, caller):
    """Only a refusal of the credential is AUTH, for which an operator is called."""
    rate = {"status": 403, "code": "rateLimitExceeded", "message": "Rate Limit Exceeded"}
    for fault, more, result in (("error", rate, THROTTLED), ("error", {"status": 429, "code": "x"}, THROTTLED), ("cut", {}, TRANSIENT), ("html", {}, TRANSIENT),
                                ("lose_after", {}, TRANSIENT), ("error", {"status": 403, "code": "forbidden", "message": "no"}, AUTH)):
        fake.fail_next("token", fault, **more)
        assert caller.describe().result == result, (fault, more)
    assert caller.describe().result == OK
    for fault in ("cut", "lose_before"):
        fake.fail_next("instances.aggregatedList", status=401, code="authError", message="expired")
        fake.faults(next=[*fake.ask("/faults")["next"], {"call": "token", "fault": fault}])
        assert caller.describe().result == TRANSIENT, "the token expired, and there was no answer to the request for another one"
        assert caller.describe().result == OK


@pytest.mark.parametrize("skew", [5400, -3600])
def test_clock_that_is_wrong(fake, tmp_path, skew):
    fake.faults(clock_skew_s=skew)
    caller = Caller(fake, tmp_path / "skew", "gcd", {"machineType": "e2-micro"})
    caller.make()
    caller.make("web-1")
    assert fake.state()["calls"]["token"] == 2, "one refusal, then the right time"
    caller.close()


@pytest.mark.parametrize("secret", ["", "no JSON", "{}", '{"client_email": "a", "private_key": "b", "token_uri": "http://10.0.0.1/token"}'])
def test_bad_credential(fake, caller, secret):
    answer = caller.create(credential=secret)
    assert answer.result == AUTH and "service account" in answer.text


def test_key_that_is_refused(fake, caller):
    account = json.loads(fake.credential)
    answer = caller.create(credential=json.dumps(account | {"client_email": "other@reeve-test.iam.gserviceaccount.com"}))
    assert answer.result == AUTH and "invalid_grant" in answer.text
    answer = caller.create(credential=json.dumps(account | {"private_key": "broken"}))
    assert answer.result == AUTH
    caller.make()


def test_changed_credential_is_used_by_the_next_call(fake, caller):
    """CLOUDS.md 13k: an access token is kept for the credential that obtained it, and for no other."""
    caller.make()
    assert fake.state()["calls"]["token"] == 1
    account = json.loads(fake.credential)
    assert caller.describe(credential=json.dumps(account | {"client_email": "other@reeve-test.iam.gserviceaccount.com"})).result == AUTH
    assert caller.describe().result == OK and fake.state()["calls"]["token"] == 3
    assert len(caller.describe(credential='{"from": "instance"}').rows) == 1
    calls = fake.state()["calls"]
    assert calls["token"] == 3 and sum(count for call, count in calls.items() if "metadata" in call) == 2, calls  # its project, its token


def test_credential_of_the_computer(fake, caller):
    caller.make(credential='{"from": "instance"}')
    assert len(fake.alive()) == 1


def test_secret_is_nowhere(fake, caller):
    caller.make()
    caller.describe()
    secret = json.loads(fake.credential)["private_key"].splitlines()[1]
    for path in caller.folder.rglob("*"):
        assert not path.is_file() or not any(word in path.read_text(errors="replace") for word in (secret, "ya29")), path
    assert secret not in caller.plugin.log() and "ya29" not in caller.plugin.log()


# -- preflight, validate


def test_preflight(fake, caller):
    answer = caller.preflight({"machineType": "e2-medium", "key": "mwas", "image": "debian"}, zones=[ZONE], count=2)
    assert answer.result == OK, answer
    assert {each["pointer"]: each["value"] for each in answer.of("pin")} == {
        "/image": "projects/debian-cloud/global/images/debian-12-bookworm-v20260610"}
    assert {each["name"]: each["value"] for each in answer.of("fact")} == {"arch": "amd64", "quotaLeft": "12"}
    assert not any(name.endswith((".insert", ".delete", ".setLabels")) for name in fake.state()["calls"])


def test_preflight_of_the_first_seed(fake, caller):
    answer = caller.preflight({"instanceType": "t2.micro", "image": "amazonlinux", "key": "mwas"}, zones=[ZONE])
    assert answer.result == INVALID and set(answer.faults) == {"/instanceType", "/image"}
    assert "nearest by cpus and memory: e2-micro" in answer.faults["/instanceType"]
    assert "debian-12" in answer.faults["/image"] and "rocky-9" in answer.faults["/image"]
    assert caller.validate({"instanceType": "t2.micro", "image": "amazonlinux", "key": "mwas"}).result == OK


def test_preflight_reports_every_fault(fake, caller):
    fake.faults(permissions=["compute.instances.get"])
    answer = caller.preflight({"machineType": "e9-huge", "image": "projects/debian-cloud/global/images/none", "key": "nobody", "subnet": "none"},
                              zones=[ZONE, "us-central1-z"], count=100000)
    assert set(answer.faults) == {"/machineType", "/image", "/key", "/subnet", ""}
    texts = [each["message"] for each in answer.of("fault")]
    assert any("compute.instances.create" in text for text in texts) and any("us-central1-z" in text for text in texts)
    assert any("quota" in text for text in texts)


def test_preflight_arm(fake, caller):
    answer = caller.preflight({"machineType": "t2a-standard-1"}, zones=[ZONE])
    assert answer.result == OK and answer.of("pin")[0]["value"].endswith("debian-12-bookworm-arm64-v20260610")
    assert {"kind": "fact", "name": "arch", "value": "arm64"} in answer.of("fact")


def test_preflight_without_an_answer(fake, caller):
    fake.faults(error_5xx=1.0, only=["zones.get", "regions.get"])
    answer = caller.preflight()
    assert answer.result == OK and len(answer.of("notice")) == 2


def test_pinned_image(fake, caller):
    caller.make(pinned={"/image": "projects/debian-cloud/global/images/debian-12-bookworm-v20260512"})
    assert fake.alive()[0]["image"] == "debian-cloud/debian-12-bookworm-v20260512"


WRONG = [({"machineType": "E2"}, "/machineType"), ({"machineType": "e2-micro", "instanceType": "e2-micro"}, "/instanceType"),
         ({"image": "Debian 12"}, "/image"), ({"subnet": "a/b"}, "/subnet"), ({"securityGroups": ["A"]}, "/securityGroups/0"),
         ({"network": "x"}, "/network"), ({"network": {"address": "both"}}, "/network/address"), ({"network": {"cidr": "10.0.0.0/8"}}, "/network/cidr"),
         ({"rootSize": 0}, "/rootSize"), ({"rootType": "PD"}, "/rootType"), ({"user": "Root"}, "/user"), ({"preemptible": "yes"}, "/preemptible"),
         ({"volumes": [{"size": 1}]}, "/volumes/0/size")]


@pytest.mark.parametrize("properties, pointer", WRONG)
def test_validate(fake, caller, properties, pointer):
    answer = caller.validate(properties)
    assert answer.result == INVALID and pointer in answer.faults, answer
    assert fake.state()["calls"] == {}


@pytest.mark.parametrize("settings", [{"endpoint": "http://10.0.0.1"}, {"zones": "us-central1-a"}, {"regions": ["x"]}])
def test_bad_settings(fake, tmp_path, settings):
    caller = Caller(fake, tmp_path / "bad", "gcd", **settings)
    assert caller.plugin.started == INVALID and "settings" in caller.plugin.log()
    caller.plugin.kill()


def test_swarm(fake, caller):
    """Five per cent of everything, and at the end the truth port agrees."""
    fake.faults(lose_after=0.05, lose_before=0.05, throttle=0.05, error_5xx=0.03, error_5xx_with_effect=0.03, html=0.02, lag_ms=300, fail_later=0.1)

    def one(name):
        for _ in range(20):
            if caller.create(name).result == OK:
                return
    threads = [threading.Thread(target=one, args=(f"web-{i}",)) for i in range(12)]
    [each.start() for each in threads]
    [each.join() for each in threads]
    fake.faults(lose_after=0, lose_before=0, throttle=0, error_5xx=0, error_5xx_with_effect=0, html=0, fail_later=0)
    assert len(fake.alive()) == 12 and len({machine["name"] for machine in fake.alive()}) == 12
    for machine in fake.alive():
        fake.wait(lambda _, id=machine["id"]: caller.destroy(f"reeve-test/{id}").result == OK, "end")
    assert is_clean(fake)
