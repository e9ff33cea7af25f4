"""The plugin `aws` against the strict fake of AWS: every row of its error table, lost answers, lag, accounts, preflight."""

import base64
import json
import re
import threading

import pytest
from driver import (AUTH, CAPACITY, ENDED, GONE, INVALID, OK, PENDING, QUOTA, ROOT, RUNNING, STOPPED, STOPPING, THROTTLED, TRANSIENT, UNKNOWN,
                    Plugin)
from pylib.clouds import Fake

CLUSTER = "acme/shop"
ERRORS = (ROOT / "plugins/aws/ec2_errors.def").read_text()


def token_of(number):
    """A token of 32 hexadecimal digits."""
    return f"{number:032x}"


def need(number=1, cluster=CLUSTER, group="web", **fields):
    """The fields of a create."""
    token = token_of(number)
    tags = {"reeve.cluster_id": cluster, "reeve.group": group, "reeve.logical_id": f"web-{number}", "reeve.incarnation": "1",
            "reeve.token": token, "reeve.mac": "b" * 32}
    return {"cluster": cluster, "token": token, "name": f"web-{number}", "zone": "eu-west-1a", "tags": tags,
            "labels": {"labels": {"tier": "front"}, "owner": "ops"},
            "properties": {"instanceType": "t3.small", "image": "debian-12"}, "keys": "ssh-ed25519 AAAA test\n"} | fields


@pytest.fixture
def aws(fake_aws, tmp_path):
    """The plugin, connected to the fake."""
    plugin = Plugin("aws", tmp_path / "plugin", fake_aws.settings, fake_aws.credential)
    assert plugin.started == OK
    yield plugin
    plugin.close()


def one(fake):
    """The only live machine."""
    machines = fake.alive()
    assert len(machines) == 1
    return machines[0]


# ---- the life of a machine


def test_life(fake_aws, aws):
    made = aws.call("create", **need())
    assert made.result == OK and made.made.startswith("eu-west-1/i-")
    again = aws.call("create", **need())
    assert again.result == OK and again.made == made.made
    fake_aws.wait(lambda state: state["machines"][0]["state"] == "running")
    row, = aws.call("describe", cluster=CLUSTER, ids=[]).rows
    assert row["id"] == made.made and row["state"] == RUNNING and row["zone"] == "eu-west-1a" and row["address"] == "127.0.0.1"
    assert {name: value for name, value in row["tags"].items() if name in need()["tags"]} == need()["tags"]
    assert row["properties"]["user"] == "admin" and row["properties"]["size"] == "t3.small"
    assert aws.call("describe", cluster=CLUSTER, ids=[made.made]).rows[0]["id"] == made.made
    assert aws.call("describe", cluster="acme/other", ids=[]).rows == []
    assert aws.call("describe", cluster="acme/other", ids=[made.made]).rows == []
    assert aws.call("reboot", cluster=CLUSTER, id=made.made).result == OK
    assert one(fake_aws)["reboots"] == 1
    assert aws.call("destroy", cluster="acme/other", id=made.made).result == OK
    one(fake_aws)
    assert aws.call("destroy", cluster=CLUSTER, id=made.made).result == OK
    assert not fake_aws.alive()
    assert aws.call("destroy", cluster=CLUSTER, id=made.made).result == OK
    fake_aws.wait(lambda state: state["machines"][0]["state"] == "terminated")
    row, = aws.call("describe", cluster=CLUSTER, ids=[]).rows
    assert row["state"] == ENDED and row["properties"]["endReason"] == "user"
    gone = aws.call("create", **need())
    assert gone.result == GONE and "IdempotentInstanceTerminated" in gone.text


def test_requests_carry_what_the_properties_state(fake_aws, aws):
    properties = {"instanceType": "t3.small", "image": "debian-12", "key": "ops", "securityGroups": ["web"], "owner": "me", "rootSize": 20 << 30,
                  "rootType": "gp3", "instanceProfileName": "reeve-node", "placementGroup": "apart", "ebsOptimized": True,
                  "network": {"address": "public"}, "metadata": {"tokens": "optional", "hops": 2}, "tags": {"team": "web"}, "user": "deploy"}
    assert aws.call("create", **need(properties=properties)).result == OK
    machine = one(fake_aws)
    assert machine["key"] == "ops" and len(machine["groups"]) == 1 and machine["profile"]
    assert machine["tags"]["team"] == "web" and machine["tags"]["Owner"] == "me" and machine["tags"]["Name"] == "web-1"
    disk, = fake_aws.state()["disks"]
    assert disk["size"] == 20 and disk["tags"]["reeve.cluster_id"] == CLUSTER
    port, = fake_aws.state()["ports"]
    assert port["tags"]["reeve.token"] == token_of(1)
    script = base64.b64decode(machine["userData"]).decode()
    assert "deploy" in script and "ssh-ed25519 AAAA test" in script
    assert aws.call("describe", cluster=CLUSTER, ids=[]).rows[0]["properties"]["user"] == "deploy"


def test_spot(fake_aws, aws):
    properties = {"instanceType": "t3.small", "image": "debian-12", "spot": {"maxPrice": 0.05}}
    made = aws.call("create", **need(properties=properties))
    assert made.result == OK and one(fake_aws)["spot"]
    fake_aws.end(made.made.split("/")[1], "spot")
    fake_aws.wait(lambda state: state["machines"][0]["state"] == "terminated")
    row, = aws.call("describe", cluster=CLUSTER, ids=[]).rows
    assert row["state"] == ENDED and row["properties"]["endReason"] == "spot" and row["properties"]["endMessage"]


@pytest.mark.parametrize(("how", "reason"), (("host", "host"), ("user", "user"), ("capacity", "capacity"), ("quota", "quota")))
def test_end_reasons(fake_aws, aws, how, reason):
    made = aws.call("create", **need())
    fake_aws.end(made.made.split("/")[1], how)
    fake_aws.wait(lambda state: state["machines"][0]["state"] == "terminated")
    row, = aws.call("describe", cluster=CLUSTER, ids=[made.made]).rows
    assert row["state"] == ENDED and row["properties"]["endReason"] == reason


def test_stopped_machine_is_started(fake_aws, aws):
    made = aws.call("create", **need())
    fake_aws.wait(lambda state: state["machines"][0]["state"] == "running")
    fake_aws.end(made.made.split("/")[1], "stop")
    fake_aws.wait(lambda state: state["machines"][0]["state"] == "stopped")
    assert aws.call("describe", cluster=CLUSTER, ids=[made.made]).rows[0]["state"] == STOPPED
    assert aws.call("reboot", cluster=CLUSTER, id=made.made).result == OK
    fake_aws.wait(lambda state: state["machines"][0]["state"] == "running")


def test_labels_are_replaced(fake_aws, aws):
    made = aws.call("create", **need())
    many = {f"label-{i}": "x" * 60 for i in range(12)}
    assert aws.call("label", cluster=CLUSTER, id=made.made, labels={"labels": many, "owner": "you"}).result == OK
    tags = one(fake_aws)["tags"]
    assert "tier" not in tags and tags["label-3"] == "x" * 60 and tags["Owner"] == "you" and tags["reeve.token"] == token_of(1)
    assert json.loads(aws.call("describe", cluster=CLUSTER, ids=[]).rows[0]["tags"]["reeve.labels"])["labels"] == many
    assert aws.call("label", cluster=CLUSTER, id=made.made, labels={"labels": {}}).result == OK
    tags = one(fake_aws)["tags"]
    assert not [name for name in tags if name.startswith("label-")] and "Owner" not in tags and tags["Name"] == "web-1"
    assert aws.call("label", cluster="acme/other", id=made.made, labels={"labels": {"a": "b"}}).result == GONE
    assert "a" not in one(fake_aws)["tags"]


def test_groups_and_profile_are_changed_in_place(fake_aws, aws):
    def label(**properties):
        answer = aws.call("label", cluster=CLUSTER, id=made.made, labels={"labels": {"tier": "front"}, "owner": "ops", "properties": properties})
        assert answer.result == OK, answer
        machine = one(fake_aws)
        assert "properties" not in machine["tags"]["reeve.labels"]
        return len(machine["groups"]), machine["profile"]

    made = aws.call("create", **need())
    before = one(fake_aws)["groups"]
    assert label(securityGroups=["web", "default"], instanceProfileName="reeve-node") == (2, "reeve-node")
    changes = {name: fake_aws.state()["calls"].get(name) for name in ("ModifyInstanceAttribute", "AssociateIamInstanceProfile")}
    assert label(securityGroups=["default", "web"], instanceProfileName="reeve-node") == (2, "reeve-node")
    assert {name: fake_aws.state()["calls"].get(name) for name in changes} == changes == {"ModifyInstanceAttribute": 1, "AssociateIamInstanceProfile": 1}
    assert label(securityGroups=["web"], instanceProfileName="other") == (1, "other")
    assert label() == (1, None) and one(fake_aws)["groups"] == before
    answer = aws.call("label", cluster=CLUSTER, id=made.made, labels={"labels": {}, "properties": {"securityGroups": ["nobody"]}})
    assert answer.result == INVALID and "/securityGroups/0" in answer.faults, answer


def test_long_groups_come_back(aws):
    group = "/".join(["ü" * 20] * 12)
    assert aws.call("create", **need(group=group)).result == OK
    assert aws.call("describe", cluster=CLUSTER, ids=[]).rows[0]["tags"]["reeve.group"] == group


@pytest.mark.parametrize("id", ("nobody", "i-0123456789abcdef0", "eu-west-1/i-xyz", "../..", "eu-west-1/i-0123456789abcdef0"))
def test_unknown_ids(aws, id):
    assert aws.call("describe", cluster=CLUSTER, ids=[id]).rows == []
    assert aws.call("destroy", cluster=CLUSTER, id=id).result == OK
    assert aws.call("label", cluster=CLUSTER, id=id, labels={"labels": {}}).result == GONE
    assert aws.call("reboot", cluster=CLUSTER, id=id).result == GONE


def test_console_and_host_key(fake_aws, aws):
    made = aws.call("create", **need())
    fake_aws.wait(lambda state: state["machines"][0]["state"] == "running")
    fake_aws.set_machine(made.made.split("/")[1], console=f"boot\nreeve-hostkey {token_of(2)} ssh-ed25519 AAAAwrong\n")
    assert "boot" in aws.call("console", cluster=CLUSTER, id=made.made).text_of_console
    assert "hostKey" not in aws.call("describe", cluster=CLUSTER, ids=[made.made]).rows[0]["properties"]
    fake_aws.set_machine(made.made.split("/")[1], console=f"boot\nreeve-hostkey {token_of(1)} ssh-ed25519 AAAAright\n")
    calls = fake_aws.state()["calls"]["GetConsoleOutput"]
    assert "hostKey" not in aws.call("describe", cluster=CLUSTER, ids=[made.made]).rows[0]["properties"]
    assert fake_aws.state()["calls"]["GetConsoleOutput"] == calls, "a console is read every 5 s"


def test_console_of_a_type_without_nitro(fake_aws, aws):
    made = aws.call("create", **need(properties={"instanceType": "t2.small", "image": "debian-12"}))
    fake_aws.wait(lambda state: state["machines"][0]["state"] == "running")
    fake_aws.set_machine(made.made.split("/")[1], console="boot\n")
    assert aws.call("console", cluster=CLUSTER, id=made.made).text_of_console == "boot\n"


@pytest.mark.parametrize("call, what", (("RebootInstances", "reboot"), ("CreateTags", "label"), ("TerminateInstances", "destroy")))
def test_a_replica_that_does_not_know_the_machine(fake_aws, aws, call, what):
    made = aws.call("create", **need())
    fake_aws.fail_next(call, status=400, code="InvalidInstanceID.NotFound", message="text")
    assert aws.call(what, cluster=CLUSTER, id=made.made, labels={"labels": {"x": "y"}}).result == TRANSIENT


def test_host_key_is_kept(fake_aws, aws, tmp_path):
    made = aws.call("create", **need())
    fake_aws.wait(lambda state: state["machines"][0]["state"] == "running")
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB3pZ1mXlJz0wNqvWJm9J6x5l8m0p1f3s2k7d4c5b6a7"
    fake_aws.set_machine(made.made.split("/")[1], console=f"boot\nreeve-hostkey {token_of(1)} {key}\n")
    assert aws.call("describe", cluster=CLUSTER, ids=[made.made]).rows[0]["properties"]["hostKey"] == key
    aws.kill()
    other = Plugin("aws", tmp_path / "plugin", fake_aws.settings, fake_aws.credential)
    assert other.call("describe", cluster=CLUSTER, ids=[]).rows[0]["properties"]["hostKey"] == key
    other.close()
    aws.process.returncode = 0


# ---- the error table


ROWS = [(name, status, code, contains, result) for name, status, code, contains, result in re.findall(
    r'CLASSIFY_ROW\((\w+),\s*(\d+),\s*"([^"]+)",\s*(NULL|"[^"]*"),\s*(\w+)\)', ERRORS)]
RESULTS = {"REEVE_CAPACITY": CAPACITY, "REEVE_QUOTA": QUOTA, "REEVE_THROTTLED": THROTTLED, "REEVE_AUTH": AUTH, "REEVE_TRANSIENT": TRANSIENT,
           "REEVE_GONE": GONE, "REEVE_INVALID": INVALID, "CLASSIFY_SERVER": UNKNOWN}
FULL = {"InsufficientCapacity*": "InsufficientCapacityOnHost", "Invalid*": "InvalidGroup.Duplicate", "Missing*": "MissingParameter",
        "Unknown*": "UnknownParameter", "*.NotFound": "Thing.NotFound", "*.Malformed": "Thing.Malformed"}


def test_the_table_is_complete():
    assert len(ROWS) == ERRORS.count("CLASSIFY_ROW(") - 1 and len(ROWS) > 50


@pytest.mark.parametrize("row", [row for row in ROWS if row[0] != "IdempotentParameterMismatch"], ids=lambda row: row[0])
def test_error_row(fake_aws, aws, row):
    _, _, code, contains, result = row
    code = FULL.get(code, code)
    message = "the provider's text" + ("" if contains == "NULL" else f" of the {contains.strip(chr(34))}")
    status = 503 if result in ("REEVE_THROTTLED", "CLASSIFY_SERVER") else 500 if result == "REEVE_CAPACITY" else 400
    fake_aws.fail_next("RunInstances", status=status, code=code, message=message, times=100)
    answer = aws.call("create", **need(leftMs=2500))
    assert answer.result == RESULTS[result] and answer.text.startswith(f"RunInstances: {code}: {message}")
    assert (answer.retry_after_ms is not None) == (result == "REEVE_THROTTLED")
    assert not fake_aws.alive()
    calls = fake_aws.state()["calls"]["RunInstances"]
    assert calls == 3 if result == "CLASSIFY_SERVER" else calls >= 2 if result == "REEVE_THROTTLED" else calls == 1
    fake_aws.faults(next=[])
    fake_aws.unknown_expected = True
    if result != "REEVE_GONE":
        assert aws.call("create", **need()).result == OK and one(fake_aws)


@pytest.mark.parametrize("call, what", (("DescribeInstances", "describe"), ("TerminateInstances", "destroy"), ("CreateTags", "label"),
                                        ("RebootInstances", "reboot")))
@pytest.mark.parametrize("code, result", (("AuthFailure", AUTH), ("InternalError", None), ("UnknownToUs", INVALID)))
def test_errors_of_other_calls(fake_aws, aws, call, what, code, result):
    made = aws.call("create", **need())
    fake_aws.fail_next(call, status=500 if code == "InternalError" else 400, code=code, message="text", times=100)
    answer = aws.call(what, cluster=CLUSTER, id=made.made, ids=[], labels={"labels": {"x": "y"}}, leftMs=4000)
    expected = result if result is not None else TRANSIENT if what == "describe" else UNKNOWN
    assert answer.result == expected and answer.text.startswith(f"{call}: {code}: text")


def test_instance_profiles_become_visible_late(fake_aws, aws):
    properties = {"instanceType": "t3.small", "image": "debian-12", "instanceProfileName": "new"}
    answer = aws.call("create", **need(properties=properties))
    assert answer.result == TRANSIENT and "IAM Instance Profile" in answer.text


def test_mismatch_is_looked_up(fake_aws, aws, tmp_path):
    """Another manager made the machine with other parameters; this one has no stored request."""
    other = Plugin("aws", tmp_path / "other", fake_aws.settings, fake_aws.credential)
    made = other.call("create", **need())
    other.close()
    answer = aws.call("create", **need(properties={"instanceType": "t3.medium", "image": "debian-12"}))
    assert answer.result == OK and answer.made == made.made and one(fake_aws)


def test_mismatch_of_a_lost_machine(fake_aws, aws):
    fake_aws.fail_next("RunInstances", status=400, code="IdempotentParameterMismatch", message="text")
    answer = aws.call("create", **need())
    assert answer.result == UNKNOWN and answer.retry_after_ms == 5000


# ---- doubt


@pytest.mark.parametrize("fault", ("lose_before", "lose_after", "error_5xx", "error_5xx_with_effect", "html", "cut"))
def test_lost_answers_make_one_machine(fake_aws, aws, fault):
    fake_aws.fail_next("RunInstances", fault=fault, times=2)
    answer = aws.call("create", **need(leftMs=20000))
    assert answer.result == OK and one(fake_aws)["id"] in answer.made


def test_doubt_persists(fake_aws, aws):
    """An answer that was lost, then a refusal: the first request may have made a machine."""
    fake_aws.faults(next=[{"call": "RunInstances", "fault": "lose_after"},
                          {"call": "RunInstances", "fault": "error", "status": 400, "code": "AuthFailure", "message": "text"}])
    assert aws.call("create", **need()).result == UNKNOWN
    answer = aws.call("create", **need(properties={"instanceType": "m5.large", "image": "ubuntu"}))
    assert answer.result == OK and one(fake_aws)["size"] == "t3.small", "the stored request is sent again byte for byte"


def test_capacity_after_doubt_is_capacity(fake_aws, aws):
    fake_aws.faults(next=[{"call": "RunInstances", "fault": "lose_before"},
                          {"call": "RunInstances", "fault": "error", "status": 500, "code": "InsufficientInstanceCapacity", "message": "text"}])
    assert aws.call("create", **need()).result == CAPACITY


def test_a_killed_plugin_sends_the_same_request(fake_aws, aws, tmp_path):
    fake_aws.fail_next("RunInstances", fault="lose_after", times=100)
    assert aws.call("create", **need(leftMs=3000)).result == UNKNOWN
    fake_aws.faults(next=[])
    aws.kill()
    aws.process.returncode = 0
    other = Plugin("aws", tmp_path / "plugin", fake_aws.settings, fake_aws.credential)
    assert other.call("create", **need(keys="ssh-ed25519 BBBB other\n")).result == OK
    assert "AAAA" in base64.b64decode(one(fake_aws)["userData"]).decode()
    other.close()


def test_nothing_answers(fake_aws, tmp_path):
    plugin = Plugin("aws", tmp_path / "plugin", fake_aws.settings | {"endpoint": "http://127.0.0.1:1"}, fake_aws.credential)
    for what in ("create", "describe", "destroy"):
        answer = plugin.call(what, **need(id="eu-west-1/i-0123456789abcdef0", ids=[]))
        assert answer.result == TRANSIENT and "127.0.0.1 port 1" in answer.text
    plugin.close()


# ---- throttling, lag, pages, regions


def test_throttled_create_waits(fake_aws, aws):
    fake_aws.fail_next("RunInstances", fault="throttle", times=2)
    assert aws.call("create", **need(leftMs=20000)).result == OK


def test_throttled_listing_reports_the_time(fake_aws, aws):
    fake_aws.fail_next("DescribeInstances", fault="throttle", times=100)
    answer = aws.call("describe", cluster=CLUSTER, ids=[], leftMs=2000)
    assert answer.result == THROTTLED and answer.retry_after_ms >= 500


def test_young_machines_are_not_gone(fake_aws, aws, tmp_path):
    made = aws.call("create", **need())
    fake_aws.fail_next("DescribeInstances", status=400, code="InvalidInstanceID.NotFound", message="text", times=100)
    for what in ("destroy", "label", "reboot"):
        answer = aws.call(what, cluster=CLUSTER, id=made.made, labels={"labels": {}})
        assert answer.result == TRANSIENT and answer.retry_after_ms == 5000
    assert aws.call("describe", cluster=CLUSTER, ids=[made.made]).result == TRANSIENT
    aws.kill()
    aws.process.returncode = 0
    other = Plugin("aws", tmp_path / "plugin", fake_aws.settings, fake_aws.credential)
    assert other.call("destroy", cluster=CLUSTER, id=made.made).result == TRANSIENT, "it is known after a kill"
    other.close()
    third = Plugin("aws", tmp_path / "third", fake_aws.settings, fake_aws.credential)
    assert third.call("destroy", cluster=CLUSTER, id=made.made, ageMs=1000).result == TRANSIENT, "the record is young"
    assert third.call("destroy", cluster=CLUSTER, id=made.made, ageMs=400000).result == OK
    assert third.call("destroy", cluster=CLUSTER, id=made.made).result == OK
    third.close()
    fake_aws.faults(next=[])
    one(fake_aws)


def test_pages(fake_aws, aws):
    fake_aws.faults(page_size=5)
    made = [aws.call("create", **need(number, leftMs=60000)).made for number in range(1, 13)]
    answer = aws.call("describe", cluster=CLUSTER, ids=[])
    assert sorted(row["id"] for row in answer.rows) == sorted(made) and not answer.is_incomplete
    some = aws.call("describe", cluster=CLUSTER, ids=made[:7])
    assert sorted(row["id"] for row in some.rows) == sorted(made[:7])
    fake_aws.fail_next("DescribeInstances", skip=1, status=400, code="InvalidNextToken", message="text")
    answer = aws.call("describe", cluster=CLUSTER, ids=[])
    assert answer.result == OK and sorted(row["id"] for row in answer.rows) == sorted(made)
    fake_aws.fail_next("DescribeInstances", skip=1, fault="cut", times=2)
    answer = aws.call("describe", cluster=CLUSTER, ids=[])
    assert answer.result == OK and sorted(row["id"] for row in answer.rows) == sorted(made)


def test_a_dead_region_makes_the_listing_incomplete(fake_aws, tmp_path):
    plugin = Plugin("aws", tmp_path / "plugin", fake_aws.settings | {"regions": ["eu-west-1", "us-east-1"]}, fake_aws.credential)
    first = plugin.call("create", **need(1))
    second = plugin.call("create", **need(2, zone="us-east-1b"))
    assert second.made.startswith("us-east-1/")
    assert {row["id"] for row in plugin.call("describe", cluster=CLUSTER, ids=[]).rows} == {first.made, second.made}
    fake_aws.faults(dead_region=["eu-west-1"], dead_ms=300)
    answer = plugin.call("describe", cluster=CLUSTER, ids=[], leftMs=6000)
    assert answer.result == OK and answer.is_incomplete and [row["id"] for row in answer.rows] == [second.made]
    fake_aws.faults(dead_region=["eu-west-1", "us-east-1"])
    assert plugin.call("describe", cluster=CLUSTER, ids=[], leftMs=6000).result == TRANSIENT
    plugin.close()


@pytest.mark.parametrize("faults", ({"gzip": True}, {"slow_drip": 1.0, "drip_ms": 1}))
def test_answers_in_other_forms(fake_aws, aws, faults):
    fake_aws.faults(**faults)
    assert aws.call("create", **need(leftMs=60000)).result == OK
    assert len(aws.call("describe", cluster=CLUSTER, ids=[], leftMs=60000).rows) == 1


def test_a_gzip_bomb_is_refused(fake_aws, aws):
    fake_aws.fail_next("DescribeInstances", fault="gzip_bomb", times=3)
    assert aws.call("describe", cluster=CLUSTER, ids=[], leftMs=60000).result == TRANSIENT
    assert aws.call("describe", cluster=CLUSTER, ids=[]).result == OK


def test_creates_in_parallel(fake_aws, aws):
    answers = {}
    threads = [threading.Thread(target=lambda i=i: answers.update({i: aws.call("create", **need(i % 6 + 1, leftMs=60000))})) for i in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(answer.result == OK for answer in answers.values()) and len(fake_aws.alive()) == 6


# ---- accounts


@pytest.mark.parametrize("form", ("[default]\naws_access_key_id = {id}\naws_secret_access_key = {secret}\n",
                                  "export AWS_ACCESS_KEY_ID='{id}'\nexport AWS_SECRET_ACCESS_KEY=\"{secret}\"\n",
                                  '{{"accessKeyId": "{id}", "secretAccessKey": "{secret}"}}', "{id}\r\n{secret}\r\n"))
def test_forms_of_the_secret(fake_aws, aws, form):
    id, secret = fake_aws.credential.split()
    assert aws.call("create", **need(credential=form.format(id=id, secret=secret))).result == OK


@pytest.mark.parametrize("secret", ("", "one-line", "{", '{"accessKeyId": "a"}', "[default]\nregion = x\n", "AKID\nwrong\n"))
def test_bad_secrets(aws, secret):
    answer = aws.call("describe", cluster=CLUSTER, ids=[], credential=secret)
    assert answer.result == AUTH and answer.text
    assert "wrong" not in answer.text


def test_roles(fake_aws, aws):
    id, secret = fake_aws.credential.split()
    role = {"accessKeyId": id, "secretAccessKey": secret, "roleArn": "arn:aws:iam::123456789012:role/reeve", "externalId": "external-1"}
    assert aws.call("create", **need(credential=json.dumps(role))).result == OK
    assert aws.call("describe", cluster=CLUSTER, ids=[], credential=json.dumps(role)).rows
    assert fake_aws.state()["calls"]["AssumeRole"] == 1, "the keys are kept"
    fake_aws.fail_next("DescribeInstances", status=400, code="ExpiredToken", message="text")
    assert aws.call("describe", cluster=CLUSTER, ids=[], credential=json.dumps(role)).rows
    assert fake_aws.state()["calls"]["AssumeRole"] == 2, "refused keys are renewed once"
    answer = aws.call("describe", cluster=CLUSTER, ids=[], credential=json.dumps(role | {"externalId": "other"}))
    assert answer.result == AUTH and "AssumeRole" in answer.text


def test_the_role_of_this_computer(fake_aws, aws):
    answer = aws.call("describe", cluster=CLUSTER, ids=[], credential='{"from": "instance"}')
    assert answer.result == OK, answer


@pytest.mark.parametrize("skew", (3600, -3600))
def test_a_wrong_clock_is_corrected_once(fake_aws, aws, skew):
    fake_aws.faults(clock_skew_s=skew)
    assert aws.call("create", **need()).result == OK
    assert "aws.clock_corrected" in aws.log()
    calls = fake_aws.state()["calls"]
    assert aws.call("describe", cluster=CLUSTER, ids=[]).rows
    assert fake_aws.state()["calls"]["DescribeInstances"] == calls.get("DescribeInstances", 0) + 1


def test_secrets_are_nowhere(fake_aws, aws, tmp_path):
    id, secret = fake_aws.credential.split()
    fake_aws.fail_next("RunInstances", status=400, code="AuthFailure", message="text")
    aws.call("create", **need())
    aws.call("create", **need())
    for path in [aws.log_path, *(tmp_path / "plugin").rglob("*")]:
        if path.is_file():
            assert secret not in path.read_text(errors="replace") and id not in path.read_text(errors="replace"), path


# ---- validate, preflight, settings


BAD = {"instanceType": "small", "image": "windows", "key": "", "securityGroups": "web", "network": {"address": "any", "cidr": "10.0.0.0/8"},
       "rootSize": 5, "rootType": "fast", "spot": {"maxPrice": "much"}, "metadata": {"tokens": "maybe", "hops": 100}, "user": "Root",
       "ebsOptimized": "yes", "tags": {"aws:x": "y"}}


def test_validate_reports_all_faults(aws):
    answer = aws.call("validate", properties=BAD)
    assert answer.result == INVALID
    assert set(answer.faults) == {"/instanceType", "/image", "/key", "/securityGroups", "/network/address", "/network/cidr", "/rootSize",
                                  "/rootType", "/spot/maxPrice", "/metadata/tokens", "/metadata/hops", "/user", "/ebsOptimized", "/tags"}
    assert aws.call("validate", properties=need()["properties"]).result == OK
    for name in ("metadata", "network", "tags", "spot", "securityGroups"):
        assert set(aws.call("validate", properties=need()["properties"] | {name: 5}).faults) == {f"/{name}"}


def preflight(aws, count=1, zones=("eu-west-1a",), **properties):
    """Answer of a preflight."""
    return aws.call("preflight", cluster=CLUSTER, count=count, zones=list(zones),
                    properties={"instanceType": "t3.small", "image": "debian-12"} | properties, leftMs=30000)


def test_preflight_pins_the_image(fake_aws, aws):
    answer = preflight(aws, key="mwas", securityGroups=["web"], subnet="default-a", instanceProfileName="reeve-node", placementGroup="apart")
    assert answer.result == OK and not answer.of("notice"), answer
    pin, = answer.of("pin")
    assert pin["pointer"] == "/image" and pin["value"].startswith("ami-")
    assert answer.of("fact") == [{"kind": "fact", "name": "arch", "value": "x86_64"}]
    assert not fake_aws.state()["machines"], "nothing is created"
    calls = fake_aws.state()["calls"].get("GetParameters")
    assert aws.call("create", **need(pinned={"/image": pin["value"]})).result == OK
    assert one(fake_aws)["image"] == pin["value"] and fake_aws.state()["calls"].get("GetParameters") == calls


def test_preflight_reports_all_faults(fake_aws, aws):
    answer = preflight(aws, key="nobody", securityGroups=["web", "none"], instanceProfileName="missing", placementGroup="none",
                       zones=["eu-west-1a", "eu-west-1z"])
    assert answer.result == INVALID
    assert set(answer.faults) == {"/key", "/securityGroups/1", "/placementGroup", "/instanceProfileName", ""}
    assert "there is no zone 'eu-west-1z'" in answer.text
    answer = preflight(aws, instanceType="t9.huge", image="ami-00000000000000000", subnet="nowhere")
    assert answer.result == INVALID and set(answer.faults) == {"/instanceType", "/image", "/subnet"}
    answer = preflight(aws, instanceProfileName="missing")
    assert set(answer.faults) == {"/instanceProfileName"}
    answer = preflight(aws, instanceType="m5.large", zones=["eu-west-1c"])
    assert set(answer.faults) == {"/instanceType"} and "eu-west-1a" in answer.text
    answer = preflight(aws, instanceType="m6g.large", image="amazonlinux-2")
    assert set(answer.faults) == {"/image"}
    answer = preflight(aws, count=100000)
    assert "/instanceType" in answer.faults and "quota" in answer.text
    assert not fake_aws.state()["machines"]


def test_preflight_of_arm(aws):
    answer = preflight(aws, instanceType="m6g.large")
    assert answer.result == OK and answer.of("fact")[0]["value"] == "arm64"


def test_preflight_without_rights(fake_aws, aws):
    fake_aws.fail_next("RunInstances", status=403, code="UnauthorizedOperation", message="You are not authorized")
    answer = preflight(aws)
    assert answer.result == INVALID and "You are not authorized" in answer.faults[""]
    fake_aws.fail_next("GetServiceQuota", status=400, code="AccessDeniedException", message="no")
    answer = preflight(aws)
    assert answer.result == OK and "GetServiceQuota did not answer" in answer.of("notice")[0]["message"]


def test_preflight_of_a_cloud_that_does_not_answer(fake_aws, tmp_path):
    plugin = Plugin("aws", tmp_path / "plugin", fake_aws.settings | {"endpoint": "http://127.0.0.1:1"}, fake_aws.credential)
    answer = preflight(plugin)
    assert answer.result == OK and len(answer.of("notice")) == 1
    answer = plugin.call("preflight", cluster=CLUSTER, zones=[], properties=need()["properties"], credential="")
    assert answer.result == AUTH
    plugin.close()


@pytest.mark.parametrize("settings, at", (({"regions": "eu-west-1"}, "/settings/regions"), ({"regions": ["Europe"]}, "/settings/regions"),
                                          ({"endpoint": "http://example.com"}, "/settings/endpoint"), ({"partition": "x"}, "/settings/partition"),
                                          ({"ca": "x.pem"}, "/settings/ca"), ({"region": "eu-west-1"}, "/settings/region")))
def test_bad_settings(tmp_path, settings, at):
    plugin = Plugin("aws", tmp_path / "plugin", settings, "")
    assert plugin.started == INVALID
    plugin.process.wait(20)
    assert f"at={at} " in plugin.log()


def test_places(fake_aws, aws):
    assert aws.call("create", **need(1, zone="b")).result == OK
    assert one(fake_aws)["zone"] == "eu-west-1b"
    for zone, properties in (("us-east-1a", {}), ("eu-west-1a", {"region": "us-east-1"}), ("somewhere", {"region": "eu-west-1"})):
        answer = aws.call("create", **need(2, zone=zone, properties=need()["properties"] | properties))
        assert answer.result == INVALID and "region" in answer.text


def test_tls(tmp_path):
    """Only a certificate of the given authority is accepted."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    import subprocess
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    with Fake("aws", tls=(certificate, key)) as fake:
        plugin = Plugin("aws", tmp_path / "good", fake.settings | {"ca": str(certificate)}, fake.credential)
        assert plugin.call("create", **need()).result == OK
        plugin.close()
        plugin = Plugin("aws", tmp_path / "bad", fake.settings, fake.credential)
        answer = plugin.call("create", **need())
        assert answer.result == TRANSIENT and "certificate" in answer.text
        plugin.close()


# ---- volumes


VOLUMES = {"instanceType": "t3.small", "image": "debian-12", "volumes": [
    {"name": "data", "size": 20 << 30, "mount": "/srv/data", "keep": "slot"},
    {"name": "scratch", "size": 5 << 30, "type": "io1", "keep": "node"}]}


def disks(fake):
    """The additional disks by their names."""
    return {disk["name"]: disk for disk in fake.state()["disks"] if "reeve.volume" in disk["tags"]}


def test_volumes(fake_aws, aws):
    made = aws.call("create", **need(properties=VOLUMES, leftMs=60000))
    assert made.result == OK, made
    found = disks(fake_aws)
    assert set(found) == {"web-1-data", "web-1-scratch"} and {disk["machine"] for disk in found.values()} == {made.made.split("/")[1]}
    assert found["web-1-scratch"]["iops"] == 100 and found["web-1-data"]["size"] == 20
    script = base64.b64decode(one(fake_aws)["userData"]).decode()
    assert f"nvme-Amazon_Elastic_Block_Store_vol{found['web-1-data']['id'][4:]}" in script and "/srv/data" in script
    row, = aws.call("describe", cluster=CLUSTER, ids=[]).rows
    assert set(row["properties"]["volumes"]) == {disk["id"] for disk in found.values()}
    again = aws.call("create", **need(properties=VOLUMES, leftMs=60000))
    assert again.result == OK and len(disks(fake_aws)) == 2
    listed = aws.call("resources", cluster=CLUSTER).of("resource")
    assert {each["id"] for each in listed} == {f"eu-west-1/{disk['id']}" for disk in found.values()}
    assert all(each["attached"] == made.made for each in listed) and {each["bytes"] for each in listed} == {20 << 30, 5 << 30}
    assert aws.call("destroy", cluster=CLUSTER, id=made.made).result == OK
    fake_aws.wait(lambda state: state["machines"][0]["state"] == "terminated")
    kept = disks(fake_aws)
    assert set(kept) == {"web-1-data"} and "reeve.kept" in kept["web-1-data"]["tags"]
    tags = need(2)["tags"] | {"reeve.logical_id": "web-1"}
    other = aws.call("create", **need(2, name="web-1", tags=tags, properties=VOLUMES, leftMs=60000))
    assert other.result == OK
    used = disks(fake_aws)["web-1-data"]
    assert used["id"] == kept["web-1-data"]["id"] and used["machine"] == other.made.split("/")[1] and "reeve.kept" not in used["tags"]
    assert aws.call("destroy", cluster=CLUSTER, id=other.made).result == OK
    fake_aws.wait(lambda state: all(not machine["alive"] for machine in state["machines"]) and not any(disk["machine"] for disk in state["disks"]))
    rest, = aws.call("resources", cluster=CLUSTER).of("resource")
    assert rest["attached"] == "" and rest["resource"] == "volume"
    assert aws.call("resource_destroy", cluster="acme/other", resource="volume", id=rest["id"]).result == OK
    assert disks(fake_aws)
    assert aws.call("resource_destroy", cluster=CLUSTER, resource="volume", id=rest["id"]).result == OK
    assert not disks(fake_aws)
    assert aws.call("resource_destroy", cluster=CLUSTER, resource="volume", id=rest["id"]).result == OK


def test_a_kept_volume_stays_in_its_zone(fake_aws, aws):
    made = aws.call("create", **need(properties=VOLUMES, leftMs=60000))
    aws.call("destroy", cluster=CLUSTER, id=made.made)
    fake_aws.wait(lambda state: state["machines"][0]["state"] == "terminated")
    tags = need(2)["tags"] | {"reeve.logical_id": "web-1"}
    answer = aws.call("create", **need(2, tags=tags, zone="eu-west-1b", properties=VOLUMES, leftMs=60000))
    assert answer.result == INVALID and "zone eu-west-1a" in answer.faults["/volumes"]
    larger = VOLUMES | {"volumes": [VOLUMES["volumes"][0] | {"size": 30 << 30}]}
    answer = aws.call("create", **need(2, tags=tags, properties=larger, leftMs=60000))
    assert answer.result == INVALID and "20 GiB" in answer.faults["/volumes/0/size"]
    assert set(disks(fake_aws)) == {"web-1-data"} and not fake_aws.alive()


def test_a_refused_create_leaves_no_volume(fake_aws, aws):
    fake_aws.fail_next("RunInstances", status=400, code="InsufficientInstanceCapacity", message="text")
    assert aws.call("create", **need(properties=VOLUMES, leftMs=60000)).result == CAPACITY
    assert not fake_aws.state()["disks"]


@pytest.mark.parametrize("call, fault", (("CreateVolume", "lose_after"), ("AttachVolume", "lose_after"), ("AttachVolume", "lose_before"),
                                         ("RunInstances", "lose_after"), ("ModifyInstanceAttribute", "lose_before")))
def test_volumes_with_lost_answers(fake_aws, aws, call, fault):
    fake_aws.fail_next(call, fault=fault, times=100)
    first = aws.call("create", **need(properties=VOLUMES, leftMs=12000))
    assert first.result == UNKNOWN, first
    fake_aws.faults(next=[])
    made = aws.call("create", **need(properties=VOLUMES, leftMs=60000))
    assert made.result == OK, made
    assert len(disks(fake_aws)) == 2 and {disk["machine"] for disk in disks(fake_aws).values()} == {one(fake_aws)["id"]}
