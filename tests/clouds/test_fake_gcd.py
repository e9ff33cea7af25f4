"""The gcd fake is as strict as the provider: tokens, operations, names, fingerprints, field masks, scopes."""

import time
import urllib.parse
import uuid

import pytest
import rest

ZONE = "reeve-test/zones/us-central1-a"
AGGREGATED = "reeve-test/aggregated/instances"


@pytest.fixture
def ask(fake_gcd):
    """A client with a token."""
    return rest.google(fake_gcd)


def body(name="n1", **more):
    """What a small instance needs."""
    image = {"sourceImage": "projects/debian-cloud/global/images/family/debian-12"}
    return {"name": name, "machineType": "zones/us-central1-a/machineTypes/e2-micro",
            "disks": [{"boot": True, "autoDelete": True, "initializeParams": image}],
            "networkInterfaces": [{"network": "global/networks/default"}], **more}


def insert(ask, name="n1", query="", **more):
    """Insert and wait; returns the operation."""
    status, operation = ask("POST", f"{ZONE}/instances{query}", body(name, **more))
    assert status == 200, operation
    return wait(ask, operation)


def wait(ask, operation):
    """The operation when it is done."""
    while operation["status"] != "DONE":
        status, operation = ask("POST", f"{ZONE}/operations/{operation['name']}/wait")
        assert status == 200, operation
    return operation


def reason(answer):
    """(status, reason) of an error."""
    return answer[0], answer[1]["error"]["errors"][0]["reason"]


def listed(ask, **query):
    """One page of the aggregated listing."""
    status, answer = ask("GET", f"{AGGREGATED}?{urllib.parse.urlencode(query)}")
    assert status == 200, answer
    return answer


def names(answer):
    """The names in it."""
    return [row["name"] for scope in answer["items"].values() for row in scope.get("instances", [])]


def test_an_instance_from_insert_to_delete(ask, fake_gcd):
    fake_gcd.faults(end_ms=3000)
    status, operation = ask("POST", f"{ZONE}/instances", body(labels={"reeve-cluster": "x"}))
    assert (status, operation["status"], operation["operationType"]) == (200, "PENDING", "insert")
    assert ask("GET", f"{ZONE}/instances/n1")[1]["status"] in ("PROVISIONING", "STAGING", "RUNNING")
    assert "error" not in wait(ask, operation)
    row = ask("GET", f"{ZONE}/instances/n1")[1]
    assert row["status"] == "RUNNING" and isinstance(row["id"], str) and row["networkInterfaces"][0]["networkIP"] == "127.0.0.1"
    assert "accessConfigs" not in row["networkInterfaces"][0] and row["disks"][0]["diskSizeGb"] == "10"
    assert reason(ask("POST", f"{ZONE}/instances", body())) == (409, "alreadyExists")
    status, operation = ask("DELETE", f"{ZONE}/instances/n1")
    assert reason(ask("DELETE", f"{ZONE}/instances/n1")) == (400, "resourceNotReady")
    wait(ask, operation)
    assert reason(ask("GET", f"{ZONE}/instances/n1")) == reason(ask("DELETE", f"{ZONE}/instances/n1")) == (404, "notFound")
    state = fake_gcd.state()
    assert not state["machines"] and not state["disks"] and len(state["ended"]) == 1


def test_a_request_id_gives_the_same_operation(ask, fake_gcd):
    query = f"?requestId={uuid.uuid4()}"
    first = ask("POST", f"{ZONE}/instances{query}", body())[1]["name"]
    assert ask("POST", f"{ZONE}/instances{query}", body())[1]["name"] == first
    assert len(fake_gcd.alive()) == 1
    for wrong in ("x", "00000000-0000-0000-0000-000000000000"):
        assert reason(ask("POST", f"{ZONE}/instances?requestId={wrong}", body("n2"))) == (400, "invalid")


def test_an_insert_fails_later_and_so_does_its_request_id(ask, fake_gcd):
    fake_gcd.faults(capacity={"us-central1-a": 0})
    query = f"?requestId={uuid.uuid4()}"
    operation = insert(ask, query=query)
    assert operation["error"]["errors"][0]["code"] == "ZONE_RESOURCE_POOL_EXHAUSTED" and operation["httpErrorStatusCode"] == 503
    assert reason(ask("GET", f"{ZONE}/instances/n1")) == (404, "notFound")
    fake_gcd.faults(capacity={})
    assert "error" in insert(ask, query=query)
    assert "error" not in insert(ask, query=f"?requestId={uuid.uuid4()}")
    fake_gcd.faults(fail_later=1, fail_later_code="INTERNAL_ERROR")
    assert insert(ask, "n2")["error"]["errors"][0]["code"] == "INTERNAL_ERROR"
    assert [failed["reason"] for failed in fake_gcd.state()["failed"]] == ["INTERNAL_ERROR"]


def test_quotas_refuse_at_once_or_later(ask, fake_gcd):
    fake_gcd.faults(quota=0)
    found = set()
    for i in range(20):
        status, answer = ask("POST", f"{ZONE}/instances", body(f"n{i}"))
        found.add(reason((status, answer))[1] if status != 200 else wait(ask, answer)["error"]["errors"][0]["code"])
    assert found == {"quotaExceeded", "QUOTA_EXCEEDED"}
    quotas = {each["metric"]: each for each in ask("GET", "reeve-test/regions/us-central1")[1]["quotas"]}
    assert quotas["INSTANCES"]["limit"] == 0


@pytest.mark.parametrize("change, wanted", [
    ({"name": "N1"}, (400, "invalid")), ({"machineType": "zones/us-central1-a/machineTypes/t2.micro"}, (400, "invalid")),
    ({"machineType": "zones/us-central1-b/machineTypes/e2-micro"}, (400, "invalid")), ({"labels": {"Upper": "x"}}, (400, "invalid")),
    ({"labels": {"a": "x" * 64}}, (400, "invalid")), ({"description": "x" * 2049}, (400, "invalid")), ({"disks": []}, (400, "invalid")),
    ({"disks": [{"boot": True, "initializeParams": {"sourceImage": "projects/debian-cloud/global/images/family/none"}}]}, (404, "notFound")),
    ({"networkInterfaces": []}, (400, "required")),
    ({"networkInterfaces": [{"subnetwork": "regions/us-central1/subnetworks/none"}]}, (404, "notFound")),
    ({"networkInterfaces": [{"subnetwork": "regions/europe-west1/subnetworks/default"}]}, (400, "invalid")),
    ({"scheduling": {"provisioningModel": "SPOT"}}, (400, "badRequest")), ({"tags": {"items": ["Web"]}}, (400, "invalid")),
    ({"metadata": {"items": [{"key": "a", "value": "1"}, {"key": "a", "value": "2"}]}}, (400, "invalid")),
    ({"machineType": "zones/us-central1-a/machineTypes/t2a-standard-1"}, (400, "invalid"))])
def test_insert_refuses(ask, fake_gcd, change, wanted):
    assert reason(ask("POST", f"{ZONE}/instances", body(**{"name": "n1", **change}))) == wanted
    assert not fake_gcd.state()["machines"] and not fake_gcd.state()["disks"]


def test_the_listing_has_pages_scopes_and_a_filter(ask, fake_gcd):
    for i in range(7):
        ask("POST", f"{ZONE}/instances", body(f"n{i}", labels={"reeve-cluster": "x"} if i else {}))
    fake_gcd.faults(page_size=3)
    found, query = [], {"filter": "labels.reeve-cluster=x", "returnPartialSuccess": "true"}
    page = listed(ask, **query)
    while True:
        found += names(page)
        if "nextPageToken" not in page:
            break
        page = listed(ask, **query, pageToken=page["nextPageToken"])
    assert found == [f"n{i}" for i in range(1, 7)]
    assert page["items"]["zones/us-central1-b"]["warning"]["code"] == "NO_RESULTS_ON_PAGE"
    token = listed(ask, **query)["nextPageToken"]
    assert reason(ask("GET", f"{AGGREGATED}?pageToken={token}")) == (400, "invalid")
    fake_gcd.faults(expire_page_tokens=1)
    assert reason(ask("GET", f"{AGGREGATED}?{urllib.parse.urlencode({**query, 'pageToken': token})}")) == (400, "invalid")


def test_a_scope_that_does_not_answer_is_reported(ask, fake_gcd):
    insert(ask)
    fake_gcd.faults(dead_region=["us-central1-a"], dead_ms=1)
    page = listed(ask, returnPartialSuccess="true")
    assert names(page) == [] and page["unreachables"] == ["zones/us-central1-a"]
    assert page["items"]["zones/us-central1-a"]["warning"]["code"] == "UNREACHABLE"
    assert reason(ask("GET", AGGREGATED)) == (503, "backendError")
    with pytest.raises(OSError):
        ask("GET", f"{ZONE}/instances/n1")


def test_field_masks(ask, fake_gcd):
    insert(ask, labels={"a": "b"}, metadata={"items": [{"key": "startup-script", "value": "#!/bin/sh"}]})
    row = listed(ask, fields="items/*/instances(id,labels,networkInterfaces/networkIP),nextPageToken")
    assert set(row) == {"items"}
    only = row["items"]["zones/us-central1-a"]["instances"][0]
    assert set(only) == {"id", "labels", "networkInterfaces"} and only["networkInterfaces"] == [{"networkIP": "127.0.0.1"}]
    assert row["items"]["zones/us-central1-b"] == {}
    for wrong in ("items/*/machines", "items/*/instances(colour)", "items/*/instances(id"):
        assert ask("GET", f"{AGGREGATED}?{urllib.parse.urlencode({'fields': wrong})}")[0] == 400
    fake_gcd.unknown_expected = True


def test_a_listing_lags_but_get_does_not(ask, fake_gcd):
    fake_gcd.faults(lag_ms=60000)
    insert(ask)
    assert names(listed(ask)) == [] and ask("GET", f"{ZONE}/instances/n1")[0] == 200


def test_fingerprints(ask, fake_gcd):
    insert(ask, labels={"a": "b"}, tags={"items": ["web"]})
    row = ask("GET", f"{ZONE}/instances/n1")[1]
    assert reason(ask("POST", f"{ZONE}/instances/n1/setLabels", {"labels": {}, "labelFingerprint": "x"})) == (412, "conditionNotMet")
    wait(ask, ask("POST", f"{ZONE}/instances/n1/setLabels", {"labels": {"c": "d"}, "labelFingerprint": row["labelFingerprint"]})[1])
    assert fake_gcd.state()["machines"][0]["tags"] == {"c": "d"}
    assert reason(ask("POST", f"{ZONE}/instances/n1/setLabels", {"labels": {}, "labelFingerprint": row["labelFingerprint"]}))[0] == 412
    wait(ask, ask("POST", f"{ZONE}/instances/n1/setTags", {"items": ["ssh"], "fingerprint": row["tags"]["fingerprint"]})[1])
    assert fake_gcd.state()["machines"][0]["networkTags"] == ["ssh"]


def test_stopped_means_terminated(ask, fake_gcd):
    insert(ask, networkInterfaces=[{"network": "global/networks/default", "accessConfigs": [{"type": "ONE_TO_ONE_NAT", "name": "nat"}]}])
    assert ask("GET", f"{ZONE}/instances/n1")[1]["networkInterfaces"][0]["accessConfigs"][0]["natIP"] == "127.0.0.1"
    wait(ask, ask("POST", f"{ZONE}/instances/n1/reset")[1])
    fake_gcd.faults(end_ms=3000)
    fake_gcd.end("n1", "spot")
    assert reason(ask("POST", f"{ZONE}/instances/n1/reset")) == reason(ask("DELETE", f"{ZONE}/instances/n1")) == (400, "resourceNotReady")
    fake_gcd.wait(lambda state: state["machines"][0]["state"] == "TERMINATED")
    assert "preempted" in ask("GET", f"{ZONE}/instances/n1")[1]["statusMessage"]
    wait(ask, ask("POST", f"{ZONE}/instances/n1/start")[1])
    assert fake_gcd.state()["machines"][0]["state"] == "RUNNING"
    fake_gcd.end("n1", "host")
    fake_gcd.wait(lambda state: not state["machines"])
    assert fake_gcd.state()["ended"][0]["reason"] == "host"


def test_console_and_guest_attributes(ask, fake_gcd):
    insert(ask, "n1")
    insert(ask, "n2", metadata={"items": [{"key": "enable-guest-attributes", "value": "TRUE"}]})
    fake_gcd.set_machine("n2", console="reeve-hostkey t ssh-ed25519 AAAA\n", guest_attributes={"reeve/hostkey": "ssh-ed25519 AAAA"})
    console = ask("GET", f"{ZONE}/instances/n2/serialPort")[1]
    assert console["contents"].startswith("reeve-hostkey") and console["next"] == str(len(console["contents"]))
    assert ask("GET", f"{ZONE}/instances/n2/serialPort?start=6")[1]["contents"].startswith("hostkey")
    found = ask("GET", f"{ZONE}/instances/n2/getGuestAttributes?queryPath=reeve/")[1]
    assert found["queryValue"]["items"] == [{"namespace": "reeve", "key": "hostkey", "value": "ssh-ed25519 AAAA"}]
    assert ask("GET", f"{ZONE}/instances/n2/getGuestAttributes?queryPath=other/")[0] == 404
    assert ask("GET", f"{ZONE}/instances/n1/getGuestAttributes?queryPath=reeve/")[0] == 412


def test_disks(ask, fake_gcd):
    insert(ask)
    disk = {"name": "reeve-1", "sizeGb": "20", "type": "zones/us-central1-a/diskTypes/pd-balanced", "labels": {"reeve-cluster": "x"}}
    assert "error" not in wait(ask, ask("POST", f"{ZONE}/disks", disk)[1])
    assert reason(ask("POST", f"{ZONE}/disks", disk)) == (409, "alreadyExists")
    source = {"source": "projects/reeve-test/zones/us-central1-a/disks/reeve-1", "deviceName": "reeve-1", "autoDelete": False}
    wait(ask, ask("POST", f"{ZONE}/instances/n1/attachDisk", source)[1])
    assert reason(ask("DELETE", f"{ZONE}/disks/reeve-1")) == (400, "resourceInUseByAnotherResource")
    assert ask("GET", f"{ZONE}/disks/reeve-1")[1]["users"][0].endswith("/instances/n1")
    wait(ask, ask("DELETE", f"{ZONE}/instances/n1")[1])
    assert [each["name"] for each in fake_gcd.state()["disks"]] == ["reeve-1"]
    scopes = ask("GET", "reeve-test/aggregated/disks?filter=labels.reeve-cluster%3Dx")[1]["items"]
    assert [row["name"] for row in scopes["zones/us-central1-a"]["disks"]] == ["reeve-1"]
    wait(ask, ask("DELETE", f"{ZONE}/disks/reeve-1")[1])
    assert not fake_gcd.state()["disks"]


@pytest.mark.parametrize("method, path, sent, text", [
    ("POST", f"{ZONE}/instances", body(colour="red"), 'Unknown name "colour" at \'resource\''),
    ("POST", f"{ZONE}/instances", body(canIpForward="yes"), "TYPE_BOOL"),
    ("POST", f"{ZONE}/instances", body(disks=[{"boot": True, "initializeParams": {"diskSizeGB": "1"}}]), 'Unknown name "diskSizeGB"'),
    ("GET", f"{ZONE}/instances?colour=red", None, 'Unknown name "colour": Cannot bind query parameter'),
    ("GET", f"{ZONE}/machines", None, "there is no GET"), ("POST", f"{ZONE}/instances", b"{", "Invalid JSON payload")])
def test_what_the_model_does_not_know_is_refused_and_counted(ask, fake_gcd, method, path, sent, text):
    status, answer = ask(method, path, sent)
    assert status == 400 and text in answer["error"]["message"]
    assert len(fake_gcd.state()["unknown"]) == 1
    fake_gcd.unknown_expected = True


def test_the_assertion_is_checked(fake_gcd):
    status, answer = rest.google_token(fake_gcd)
    assert status == 200 and answer["token_type"] == "Bearer" and answer["expires_in"] == 3599
    for changes in ({"aud": "https://example.com"}, {"iss": "other"}, {"scope": "https://www.googleapis.com/auth/drive"},
                    {"exp": int(time.time()) + 7300}):
        assert rest.google_token(fake_gcd, **changes)[0] == 400
    assert rest.google_token(fake_gcd, time.time() - 7200)[1]["error"] == "invalid_grant"
    fake_gcd.faults(clock_skew_s=7200)
    assert rest.google_token(fake_gcd)[1]["error"] == "invalid_grant"
    assert rest.google_token(fake_gcd, time.time() + 7200)[0] == 200


def test_an_access_token_expires(fake_gcd):
    fake_gcd.faults(clock_skew_s=100, token_ms=1)
    ask = rest.google(fake_gcd)
    fake_gcd.faults(clock_skew_s=101)
    assert reason(ask("GET", AGGREGATED)) == (401, "authError")
    assert rest.Rest(fake_gcd.port, "none", "/compute/v1/projects/")("GET", AGGREGATED)[0] == 401


def test_the_metadata_address(fake_gcd):
    ask = rest.Rest(fake_gcd.port)
    path = "/computeMetadata/v1/instance/service-accounts/default/token"
    assert ask("GET", path)[0] == 403
    token = ask("GET", path, **{"Metadata-Flavor": "Google"})[1]["access_token"]
    assert rest.Rest(fake_gcd.port, token, "/compute/v1/projects/")("GET", AGGREGATED)[0] == 200


def test_the_catalog_and_the_permissions(ask, fake_gcd):
    newest = ask("GET", "debian-cloud/global/images/family/debian-12")[1]
    assert newest["name"] == "debian-12-bookworm-v20260610" and newest["architecture"] == "X86_64"
    assert ask("GET", "debian-cloud/global/images?filter=family%3Ddebian-13")[1]["items"][0]["family"] == "debian-13"
    assert ask("GET", f"{ZONE}/machineTypes/custom-2-4096")[1]["guestCpus"] == 2
    assert reason(ask("GET", f"{ZONE}/machineTypes/t2.micro")) == (404, "notFound")
    keys = {item["key"]: item["value"] for item in ask("GET", "reeve-test")[1]["commonInstanceMetadata"]["items"]}
    assert keys["ssh-keys"].startswith("mwas:ssh-ed25519 ")
    wanted = {"permissions": ["compute.instances.create", "compute.none"]}
    path = "reeve-test/regions/us-central1/subnetworks/default/testIamPermissions"
    assert ask("POST", path, wanted)[1] == {"permissions": ["compute.instances.create"]}
    fake_gcd.faults(permissions=[])
    assert ask("POST", path, wanted)[1] == {}
    assert reason(ask("GET", "other-project/zones")) == (403, "forbidden")
