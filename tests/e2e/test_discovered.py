"""Machines that reeve did not create: discovered by address, approved, commissioned into a group, and returned (C1, C18, C28)."""
import contextlib
import json
import os
import re
import subprocess
import time
import urllib.parse
from concurrent import futures

import pytest

from conftest import REEVE
from hosts import ME, Sshd, port_of
from manager import Manager, until

NETWORK = "127.0.24"


@pytest.fixture
def keeping(tmp_path):
    """A manager that reconciles, in haste."""
    with Manager(tmp_path, "--haste", "100", control=True).start() as manager:
        yield manager


@pytest.fixture
def machines(tmp_path):
    """Three machines, each an sshd of its own, which accept one key."""
    port = port_of(NETWORK)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", tmp_path / "login"], check=True)
    with contextlib.ExitStack() as stack:
        found = [Sshd(tmp_path / f"machine-{number}", [f"{NETWORK}.{number}"], port) for number in range(1, 4)]
        for one in found:
            stack.callback(one.stop)
            one.start((tmp_path / "login.pub").read_text().strip())
        yield found


def place(machine):
    return f"{machine.addresses[0]}:{machine.port}"


def fingerprint(machine):
    shown = subprocess.run(["ssh-keygen", "-l", "-f", machine.folder / "key.pub"], capture_output=True, text=True, check=True)
    return shown.stdout.split()[1]


def group(size=0, **more):
    return {"name": "dc", "version": "1", "groups": {"workers": {
        "size": size, "resourcePlugin": {"name": "inventory"},
        "health": {"probe": {"exec": ["true"], "every": "200ms", "fail": 2, "timeout": "5s"}, "grace": "1m"}, **more}}}


def discovered(manager, *found, folder=None, **more):
    """The rows of these machines."""
    if folder:
        answer = manager.ask("POST", "/v1/secrets", {"name": "base-image", "value": (folder / "login").read_text()})
        assert answer.status in (200, 201, 409), answer.text
        more["keySecret"] = "base-image"
    answer = manager.ask("POST", "/v1/discover", {"addresses": [place(one) for one in found], "user": ME, **more})
    assert answer.status == 200, answer.text
    return answer.json


def row(manager, name):
    return manager.get(f"/v1/nodes/{name}").json


def commission(manager, size, *words):
    return manager.patch(f"/v1/nodegroups/dc/workers?commission={urllib.parse.quote(','.join(words))}", {"size": size})


def members(manager):
    """Member by member the machine that it is."""
    rows = manager.get("/v1/resources?cluster=dc").json["items"]
    return {one["metadata"]["name"]: one["status"]["id"] for one in rows if one["status"]["state"] == "active"}


def ready(manager):
    return manager.get("/v1/clusters/dc").json.get("status", {}).get("machines", {}).get("ready", 0)


def test_machines_are_discovered_by_address(keeping, machines):
    """The key is read without a login; nothing is approved, and nobody has logged in."""
    answer = discovered(keeping, *machines[:2])
    assert answer["problems"] == []
    assert [one["fingerprint"] for one in answer["items"]] == [fingerprint(one) for one in machines[:2]]
    assert [(one["status"], one["state"], "approved" in one) for one in answer["items"]] == [("unallocated", "discovered", False)] * 2
    assert ME not in machines[0].log().replace(str(machines[0].folder), ""), machines[0].log()
    listed = keeping.get("/v1/nodes?discovered=1").json["items"]
    assert {one["id"] for one in listed} == {one["id"] for one in answer["items"]}
    again = keeping.ask("POST", "/v1/discover", {"addresses": [place(machines[0])]})
    assert again.status == 409 and again.code == "R0825" and answer["items"][0]["id"] in again.text, again.text
    events = keeping.get("/v1/events?limit=100").json["items"]
    assert [event["type"] for event in events].count("node.seen") == 2
    assert 'reeve_discovered_nodes{state="discovered",status="unallocated"} 2' in keeping.get("/metrics").text


def test_an_address_without_sshd_gets_no_row(keeping, machines):
    answer = keeping.ask("POST", "/v1/discover", {"addresses": [f"{NETWORK}.9:{machines[0].port}", place(machines[0])]}).json
    assert len(answer["items"]) == 1 and [one["code"] for one in answer["problems"]] == ["R0719"], answer
    for wrong in ("machine", "10.0.0.300", "10.0.0.1:0", "10.0.0.1:x"):
        assert keeping.ask("POST", "/v1/discover", {"addresses": [wrong]}).code == "R0426", wrong
    refused = keeping.ask("POST", "/v1/discover", {"addresses": [place(machines[0])], "user": "-oProxyCommand=x"})
    assert refused.code == "R0310" and "is not a user name" in refused.text, refused.text


# ---- networks ----

def probed(manager, network, machines, **more):
    """All pieces of a network together."""
    found = {"items": [], "problems": [], "known": 0, "pieces": 0}
    while True:
        answer = manager.ask("POST", "/v1/discover", {"network": network, "port": machines[0].port, **more})
        assert answer.status == 200, answer.text
        found = {"items": found["items"] + answer.json["items"], "problems": found["problems"] + answer.json["problems"],
                 "known": found["known"] + answer.json["known"], "pieces": found["pieces"] + 1, "addresses": answer.json["addresses"]}
        if "next" not in answer.json:
            return found
        more["from"] = answer.json["next"]


def test_machines_of_a_network_are_discovered(keeping, machines):
    """Those that have an sshd; without a login, and without approval."""
    begun = time.monotonic()
    answer = probed(keeping, f"{NETWORK}.0/25", machines)
    assert time.monotonic() - begun >= 126 * 0.01, "more than 100 addresses a second"
    assert answer["addresses"] == 126 and answer["pieces"] == 2 and answer["problems"] == [] and answer["known"] == 0, answer
    assert [one["fingerprint"] for one in answer["items"]] == [fingerprint(one) for one in machines]
    assert [one["address"] for one in answer["items"]] == [one.addresses[0] for one in machines]
    assert {one["sources"][0]["kind"] for one in answer["items"]} == {"probe"} and not any("approved" in one for one in answer["items"])
    assert ME not in machines[0].log().replace(str(machines[0].folder), ""), machines[0].log()
    again = probed(keeping, f"{NETWORK}.0/28", machines)
    assert again["items"] == [] and again["known"] == 3 and again["problems"] == [], again
    types = [event["type"] for event in keeping.get("/v1/events?limit=100").json["items"]]
    assert types.count("node.seen") == 3, types


def test_a_known_machine_of_a_network_is_renewed(keeping, machines, tmp_path):
    """The source is noted; a machine that shows another key never changes its row; a member of a group is skipped."""
    keeping.apply(group())
    [one, two] = discovered(keeping, *machines[:2], folder=tmp_path)["items"]
    assert commission(keeping, 1, f"{one['id']}={one['fingerprint']}").status == 200
    until(lambda: ready(keeping) == 1, keeping.log.read_text)
    before = row(keeping, one["id"])
    answer = probed(keeping, f"{NETWORK}.0/29", machines)
    assert answer["known"] == 2 and [item["fingerprint"] for item in answer["items"]] == [fingerprint(machines[2])], answer
    assert [source["kind"] for source in row(keeping, two["id"])["sources"]] == ["manual", "probe"]
    assert row(keeping, one["id"])["sources"] == before["sources"]
    machines[1].stop()
    machines[1].key_make()
    machines[1].start()
    answer = probed(keeping, f"{NETWORK}.0/29", machines)
    assert [problem["code"] for problem in answer["problems"]] == ["R0713"] and two["id"] in answer["problems"][0]["why"], answer
    assert row(keeping, two["id"])["fingerprint"] == two["fingerprint"]


@pytest.mark.parametrize("network, more, code", [
    ("10.0.0.0/8", {}, "R0844"), ("10.0.0.5/24", {}, "R0844"), ("fd00::/120", {}, "R0844"), ("224.0.0.0/24", {}, "R0844"), ("0.0.0.0/24", {}, "R0844"),
    ("10.0.0.0/33", {}, "R0844"), ("10.0.0.0/-1", {}, "R0844"), ("10.0.0/24", {}, "R0844"), ("lab", {}, "R0844"),
    (f"{NETWORK}.0/28", {"approve": True}, "R0426"), (f"{NETWORK}.0/28", {"addresses": ["10.0.0.1"]}, "R0426"),
    (f"{NETWORK}.0/28", {"from": 14}, "R0426"), (f"{NETWORK}.0/28", {"port": 70000}, "R0426")])
def test_other_networks_are_not_probed(keeping, network, more, code):
    answer = keeping.ask("POST", "/v1/discover", {"network": network, **more})
    assert answer.code == code and answer.status == 400, answer.text


def test_few_networks_are_probed_at_once(keeping, machines):
    """Requests wait for their turn, up to a limit."""
    with futures.ThreadPoolExecutor(24) as pool:
        answers = list(pool.map(lambda _: keeping.ask("POST", "/v1/discover", {"network": f"{NETWORK}.64/26", "port": machines[0].port}), range(24)))
    codes = [answer.code for answer in answers if answer.status != 200]
    assert set(codes) == {"R0845"} and len(codes) < 24, [answer.text for answer in answers]


# ---- boot reports ----

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + "A" * 43
FORM = "application/x-www-form-urlencoded"


def boot_path(manager, **more):
    answer = manager.post("/v1/boot-tokens", more)
    assert answer.status == 200 and answer.json["path"].startswith("/n/default-"), answer.text
    return answer.json["path"]


def report(manager, path, body, source, kind=FORM):
    """What a machine with this address sends; without any login."""
    body = urllib.parse.urlencode(body) if isinstance(body, dict) and kind == FORM else body
    return manager.ask("POST", path, body, connection=manager.connect(tcp=True, source=source), Content_Type=kind)


def test_a_machine_reports_its_first_boot(keeping, machines):
    """As phone_home of cloud-init does. The row is not approved, and a repeated report takes no use."""
    path = boot_path(keeping, uses=2, seconds=600, note="rack 7")
    source = machines[0].addresses[0]
    body = {"instance_id": "i-1", "hostname": "rack-1", "fqdn": "rack-1.lab", "pub_key_dsa": "N/A", "pub_key_rsa": "N/A",
            "pub_key_ed25519": machines[0].key + " root@rack-1\n"}
    for _ in range(3):
        answer = report(keeping, path, body, source)
        assert answer.status == 200 and answer.json == {"noted": True}, answer.text
    [one] = keeping.get("/v1/nodes?discovered=1").json["items"]
    assert (one["name"], one["address"], one["fingerprint"]) == ("rack-1", source, fingerprint(machines[0])), one
    assert one["sources"][0]["kind"] == "boot" and one["status"] == "unallocated" and "approved" not in one, one
    [token] = keeping.get("/v1/boot-tokens").json["items"]
    assert token["uses"] == 1 and token["note"] == "rack 7" and token["name"] not in path and path.split("-")[-2] not in str(token), token
    as_json = report(keeping, path, json.dumps({"pub_key_ed25519": machines[1].key, "hostname": "rack-2", "odd": [1]}), machines[1].addresses[0],
                     "application/json")
    assert as_json.status == 200, as_json.text
    assert [event["type"] for event in keeping.get("/v1/events?limit=100").json["items"]].count("node.seen") == 2
    spent = report(keeping, path, {"pub_key_ed25519": machines[2].key}, machines[2].addresses[0])
    assert spent.status == 404 and spent.code == "R0846", spent.text
    assert report(keeping, path, body, source).status == 200  # a repeated report


def test_a_report_that_contradicts_a_known_machine_changes_nothing(keeping, machines, tmp_path):
    keeping.apply(group())
    [one] = discovered(keeping, machines[0], folder=tmp_path)["items"]
    path = boot_path(keeping, uses=5)
    keeping.ask("POST", f"/v1/nodes/{one['id']}/forget", {})
    assert report(keeping, path, {"pub_key_ed25519": machines[1].key}, "127.0.24.7").status == 200
    [known] = keeping.get("/v1/nodes?discovered=1").json["items"]
    for key, source in ((machines[2].key, "127.0.24.7"), (machines[1].key, "127.0.24.8")):
        answer = report(keeping, path, {"pub_key_ed25519": key}, source)
        assert answer.status == 409 and answer.code == "R0826" and known["id"] not in answer.text, answer.text
    [after] = keeping.get("/v1/nodes?discovered=1").json["items"]
    assert after["fingerprint"] == known["fingerprint"] and after["address"] == "127.0.24.7", after
    types = [event["type"] for event in keeping.get("/v1/events?limit=100").json["items"]]
    assert types.count("node.contradicted") == 2, types
    assert keeping.get("/v1/boot-tokens").json["items"][0]["uses"] == 2


@pytest.mark.parametrize("body, kind, status", [
    ({"pub_key_ed25519": "ssh-rsa AAAA"}, FORM, 422), ({"pub_key_ed25519": KEY + "\nssh-ed25519 AAAA"}, FORM, 422), ({"hostname": "a"}, FORM, 422),
    ({"pub_key_rsa": "N/A"}, FORM, 422), ({"pub_key_ed25519": KEY, "hostname": "a b"}, FORM, 400), ({"pub_key_ed25519": KEY, "hostname": "-x"}, FORM, 400),
    ({"pub_key_ed25519": KEY, "hostname": "a" * 254}, FORM, 400), ("pub_key_ed25519=%zz", FORM, 422), ("pub_key_ed25519=%f", FORM, 422),
    ("pub_key_ed25519=%ff%fe", FORM, 422), ("pub_key_ed25519", FORM, 422), ("hostname=a&hostname=b", FORM, 422), ("a=1&" * 40, FORM, 422),
    ("{", "application/json", 400), ("[]", "application/json", 422), ("x=1", "text/plain", 415), ("a=" + "x" * 5000, FORM, 413)])
def test_hostile_reports_are_refused(keeping, body, kind, status):
    path = boot_path(keeping)
    answer = report(keeping, path, body, "127.0.24.9", kind)
    assert answer.status == status, (answer.status, answer.text)
    assert keeping.get("/v1/nodes?discovered=1").json["items"] == []
    assert keeping.get("/v1/boot-tokens").json["items"][0]["uses"] == 1


def test_tokens_for_boot_reports_end(keeping, machines):
    """By time, by an operator; wrong ones are counted; and only operators of the tenant make them."""
    body = {"pub_key_ed25519": machines[0].key}
    path = boot_path(keeping, seconds=1)
    until(lambda: report(keeping, path, body, "127.0.24.9").status == 404)
    path = boot_path(keeping)
    name = max(keeping.get("/v1/boot-tokens").json["items"], key=lambda token: token["expires"])["name"]
    assert keeping.ask("DELETE", f"/v1/boot-tokens/{name}").status == 200
    assert report(keeping, path, body, "127.0.24.9").code == "R0846"
    assert keeping.ask("DELETE", f"/v1/boot-tokens/{name}").code == "R0403"
    for wrong in ("/n/default/phone-home", "/n/-/phone-home", "/n/nobody-1/phone-home", f"/n/default-{'0' * 64}/phone-home"):
        assert report(keeping, wrong, body, "127.0.24.9").code == "R0846", wrong
    codes = {report(keeping, "/n/default-1/phone-home", body, "127.0.24.10").code for _ in range(40)}
    assert "R0422" in codes, codes
    assert keeping.post("/v1/boot-tokens", {"uses": 1001}).code == keeping.post("/v1/boot-tokens", {"seconds": 10 ** 6}).code == "R0426"
    local = keeping.ask("POST", boot_path(keeping), urllib.parse.urlencode(body), Content_Type=FORM)
    assert local.code == "R0426", local.text


def duplicate(manager, name):
    """Why a machine is marked as a duplicate."""
    return [one["reason"] for one in row(manager, name).get("conditions", []) if one["type"] == "duplicate"]


def copied(machines, number):
    """A machine gets the host key of the first one."""
    machines[number].stop()
    for name in ("key", "key.pub"):
        (machines[number].folder / name).write_bytes((machines[0].folder / name).read_bytes())
    machines[number].start()


def test_a_copied_host_key_is_a_duplicate(keeping, machines, tmp_path):
    """Each has a row and names the other; it is commissioned by its id alone (decision 0163)."""
    copied(machines, 1)
    keeping.apply({**group(size=1), "autoCommission": "listed"})
    [first] = discovered(keeping, machines[0], folder=tmp_path)["items"]
    [second] = discovered(keeping, machines[1], folder=tmp_path, approve=True)["items"]
    until(lambda: duplicate(keeping, first["id"]))
    for one, other in ((first, second), (second, first)):
        [why] = duplicate(keeping, one["id"])
        assert other["id"] in why and "has the same host key" in why, why
    [told] = [event["fact"] for event in keeping.get("/v1/events?limit=100").json["items"] if event["type"] == "node.duplicate"]
    assert first["id"] in told and second["id"] in told, told

    until(lambda: "none that waits fits autoCommission" in keeping.get("/v1/jobs").text)
    assert members(keeping) == {}
    by_name = commission(keeping, 2, second["name"])
    assert by_name.status == 409 and by_name.code == "R0826" and second["id"] in by_name.text, by_name.text
    assert commission(keeping, 2, second["id"]).status == 200
    until(lambda: list(members(keeping).values()) == [second["id"]], lambda: str(members(keeping)) + keeping.log.read_text())


def test_a_key_of_a_machine_that_is_away_is_refused(keeping, machines):
    """It is the same machine at another address, or it has taken its place: an operator decides."""
    copied(machines, 1)
    [first] = discovered(keeping, machines[0])["items"]
    machines[0].stop()
    until(lambda: row(keeping, first["id"])["state"] == "disappeared")
    answer = discovered(keeping, machines[1])
    assert answer["items"] == [] and answer["problems"][0]["code"] == "R0826", answer
    assert keeping.ask("POST", f"/v1/nodes/{first['id']}/forget", {}).status == 200
    assert len(discovered(keeping, machines[1])["items"]) == 1


def test_approve_ignore_forget(keeping, machines):
    [one] = discovered(keeping, machines[0])["items"]
    wrong = keeping.ask("POST", f"/v1/nodes/{one['id']}/approve", {"fingerprint": fingerprint(machines[1])})
    assert wrong.status == 403 and wrong.code == "R0837", wrong.text
    assert keeping.ask("POST", f"/v1/nodes/{one['name']}/approve", {"fingerprint": fingerprint(machines[0])}).status == 200
    assert row(keeping, one["id"])["approved"]["key"] == fingerprint(machines[0])
    assert keeping.ask("POST", f"/v1/nodes/{one['id']}/ignore", {}).json["ignored"] is True
    assert "ignored" not in keeping.ask("POST", f"/v1/nodes/{one['id']}/ignore", {"ignored": False}).json
    assert keeping.ask("POST", f"/v1/nodes/{one['id']}/forget", {}).status == 200
    assert keeping.get(f"/v1/nodes/{one['id']}").code == "R0403"
    types = [event["type"] for event in keeping.get("/v1/events?limit=100").json["items"]]
    assert {"node.approved", "node.ignored", "node.unignored", "node.forgotten"} <= set(types)


def test_two_machines_are_commissioned_scaled_and_returned(keeping, machines, tmp_path):
    keeping.apply(group())
    rows = discovered(keeping, *machines, folder=tmp_path)["items"]
    unapproved = commission(keeping, 1, rows[0]["id"])
    assert unapproved.status == 403 and unapproved.code == "R0837", unapproved.text
    answer = commission(keeping, 2, f"{rows[0]['id']}={rows[0]['fingerprint']}", f"{rows[1]['name']}={rows[1]['fingerprint']}")
    assert answer.status == 200, answer.text
    until(lambda: ready(keeping) == 2, lambda: keeping.log.read_text() + json.dumps(keeping.get("/v1/nodes?discovered=1").json))
    assert members(keeping) == {"workers-0": rows[0]["id"], "workers-1": rows[1]["id"]}
    claimed = row(keeping, rows[0]["id"])
    assert claimed["claim"]["name"] == "workers-0" and claimed["cluster"] == "dc" and "status" not in claimed, claimed
    again = commission(keeping, 3, f"{rows[0]['id']}={rows[0]['fingerprint']}")
    assert again.status == 409 and again.code == "R0822", again.text
    assert keeping.ask("POST", f"/v1/nodes/{rows[0]['id']}/forget", {}).code == "R0827"
    # nothing is reserved for a group that grows by itself
    keeping.patch("/v1/nodegroups/dc/workers", {"size": 3})
    until(lambda: "reeve commission NODE -g dc/workers" in keeping.get("/v1/resources?cluster=dc").text,
          lambda: keeping.get("/v1/resources?cluster=dc").text)
    keeping.patch("/v1/nodegroups/dc/workers?allow=destroy:1&victims=workers-2", {"size": 2})
    until(lambda: len(keeping.get("/v1/resources?cluster=dc").json["items"]) == 2, lambda: keeping.get("/v1/resources?cluster=dc").text)
    # one leaves by name, and can be commissioned again
    gone = keeping.patch("/v1/nodegroups/dc/workers?allow=destroy:1&victims=workers-0", {"size": 1})
    assert gone.status == 200, gone.text
    until(lambda: members(keeping) == {"workers-1": rows[1]["id"]}, lambda: str(members(keeping)))
    back = until(lambda: row(keeping, rows[0]["id"]).get("status") and row(keeping, rows[0]["id"]))
    assert back["status"] == "decommissioned" and "claim" not in back, back
    assert commission(keeping, 2, rows[0]["id"]).status == 200  # its key is approved
    until(lambda: ready(keeping) == 2, keeping.log.read_text)
    assert members(keeping) == {"workers-0": rows[0]["id"], "workers-1": rows[1]["id"]}


def test_a_machine_that_goes_away_is_seen_again(keeping, machines, tmp_path):
    """The manager's own probes decide about machines that no source reports; nothing is done because of it."""
    keeping.apply(group())
    [one, *others] = discovered(keeping, *machines, folder=tmp_path, approve=True)["items"]
    assert len(others) == 2
    machines[0].stop()
    until(lambda: row(keeping, one["id"])["state"] == "disappeared", lambda: str(row(keeping, one["id"])))
    refused = commission(keeping, 1, one["id"])
    assert refused.status == 409 and refused.code == "R0842", refused.text
    machines[0].start()
    until(lambda: row(keeping, one["id"])["state"] == "discovered", lambda: str(row(keeping, one["id"])))
    back = row(keeping, one["id"])
    assert back["prevState"] == "disappeared" and back["flaps"] == 2 and back["status"] == "unallocated", back
    types = [event["type"] for event in keeping.get("/v1/events?limit=100").json["items"]]
    assert types.count("node.lost") == types.count("node.returned") == 1, types
    assert commission(keeping, 1, one["id"]).status == 200
    until(lambda: ready(keeping) == 1, keeping.log.read_text)


def test_a_machine_that_is_away_leaves_and_is_cleaned_up_when_it_is_back(keeping, machines, tmp_path):
    """Until then its row stays."""
    keeping.apply(group())
    [one] = discovered(keeping, machines[0], folder=tmp_path)["items"]
    assert commission(keeping, 1, f"{one['id']}={one['fingerprint']}").status == 200
    until(lambda: ready(keeping) == 1, keeping.log.read_text)
    machines[0].stop()
    until(lambda: row(keeping, one["id"])["state"] == "disappeared", lambda: str(row(keeping, one["id"])))
    smaller = "/v1/nodegroups/dc/workers?allow=destroy:1&victims=workers-0"
    for leaves in ("", "&release=1"):  # C26: nothing waits for a machine that may never return
        refused = keeping.patch(smaller + leaves, {"size": 0})
        assert refused.status == 409 and refused.code == "R0842" and "--absent" in refused.text, refused.text
    assert "reserved" not in row(keeping, one["id"]) and keeping.get("/v1/nodegroups/dc/workers").json["spec"]["size"] == 1
    assert keeping.patch(f"{smaller}&absent=1", {"size": 0}).status == 200
    gone = until(lambda: row(keeping, one["id"]).get("cleanupPending") and row(keeping, one["id"]), lambda: str(row(keeping, one["id"])))
    assert gone["status"] == "decommissioned" and "claim" not in gone, gone
    kept = keeping.ask("POST", f"/v1/nodes/{one['id']}/forget", {})
    assert kept.status == 409 and kept.code == "R0822" and "cleanup is pending" in kept.text, kept.text
    machines[0].start()
    until(lambda: "cleanupPending" not in row(keeping, one["id"]), lambda: str(row(keeping, one["id"])) + keeping.log.read_text())
    assert keeping.ask("POST", f"/v1/nodes/{one['id']}/forget", {}).status == 200


def test_machines_of_a_network_are_commissioned_automatically(keeping, machines, tmp_path):
    """Up to the size of the group, and never a machine that an operator has ignored."""
    rows = discovered(keeping, *machines, folder=tmp_path)["items"]
    keeping.ask("POST", f"/v1/nodes/{rows[0]['id']}/ignore", {})
    wrong = keeping.post("/v1/apply", {"documents": [{**group(1), "autoCommission": "all"}]})
    assert wrong.status == 422 and "/autoCommission" in wrong.text, wrong.text
    keeping.apply({**group(1, match="cpu>=4"), "autoCommission": f"{NETWORK}.0/24"})  # no facts are known
    until(lambda: "cpu>=4" in keeping.get("/v1/resources?cluster=dc").text)
    keeping.apply({**group(1), "autoCommission": f"{NETWORK}.0/24"})
    until(lambda: ready(keeping) == 1, lambda: keeping.get("/v1/resources?cluster=dc").text)
    [taken] = members(keeping).values()
    assert taken in {rows[1]["id"], rows[2]["id"]}
    assert row(keeping, taken)["approved"]["by"] == "autoCommission"
    assert "node.auto_claimed" in keeping.get("/v1/events?cluster=dc&limit=100").text


def test_a_machine_that_two_groups_would_take_is_taken_by_neither(keeping, machines, tmp_path):
    """Both say so; a group that is full does not compete (C18, decision 0180)."""
    def groups(workers, spare):
        return {"name": "dc", "version": "1", "groups": {name: group(size, autoCommission=f"{NETWORK}.0/24")["groups"]["workers"]
                                                         for name, size in (("workers", workers), ("spare", spare))}}

    keeping.apply(groups(1, 1))
    [one] = discovered(keeping, machines[0], folder=tmp_path)["items"]
    causes = lambda: [slot["status"].get("cause", "") for slot in keeping.get("/v1/resources?cluster=dc").json["items"]]  # noqa: E731
    until(lambda: sum("so neither takes it" in cause and one["name"] in cause for cause in causes()) == 2, causes, 60)
    assert members(keeping) == {}
    keeping.apply(groups(1, 0), query="?allow=destroy:1")
    until(lambda: members(keeping) == {"workers-0": one["id"]}, keeping.log.read_text, 60)


def test_all_faults_of_a_commission_are_listed(keeping, machines):
    """And nothing changes if one machine is at fault."""
    keeping.apply(group())
    rows = discovered(keeping, *machines[:2], approve=True)["items"]
    answer = commission(keeping, 3, rows[0]["id"], "m-000000", f"{rows[1]['id']}={fingerprint(machines[2])}")
    codes = [answer.code, *(one["code"] for one in answer.json.get("errors", []))]
    assert "R0403" in codes and "R0837" in codes, answer.text
    assert "reserved" not in row(keeping, rows[0]["id"])
    assert keeping.get("/v1/nodegroups/dc/workers").json["spec"]["size"] == 0


def test_faults_in_the_batches_of_commissions_are_reported(keeping, machines):
    keeping.apply(group())
    [one] = discovered(keeping, machines[0], approve=True)["items"]
    for query, words in (("batching=1", "not a JSON map"), ('batching={"bakeMs":5}', "set canary"), ('batching={"order":"name"}', "in which they are given"),
                         ('batching={"batch":0}', "batch"), ('batching={"canary":1}&adopt=1', "that are adopted run no stages")):
        answer = keeping.ask("PATCH", "/v1/nodegroups/dc/workers?commission=" + one["id"] + "&" + query.replace('"', "%22").replace("{", "%7B").replace("}", "%7D"),
                             {"size": 1}, Content_Type="application/merge-patch+json", If_Match="*")
        assert answer.status in (400, 422) and words in answer.text, (query, answer.text)
    for flags, words in ((("--surge", "1"), "has no --surge"), (("--spread", "zone"), "has no --spread"), (("--order", "zone"), "have no zone"),
                         (("--bake", "1m"), "needs --canary"), (("--batch", "0"), "--batch must be")):
        assert words in reeve(keeping, "commission", one["id"], "-g", "dc/workers", *flags, code=2), flags
    for flags, words in ((("--unavailable", "1"), "has no --unavailable"), (("--batch", "1", "--absent"), "leave at once"),
                         (("--batch", "1", "--refill"), "rollout of the group")):
        assert words in reeve(keeping, "decommission", "dc/workers-0", *flags, code=2), flags
    assert "reserved" not in row(keeping, one["id"])


def test_batch_flags_of_a_change_that_replaces_machines_are_refused(keeping):
    """They are for changed stages: the planner that replaces machines knows the policy alone (decision 0172)."""
    keeping.apply({"name": "shop", "version": "1", "groups": {"web": {"size": 2, "image": "a", "resourcePlugin": {"name": "sim"}}}})
    until(lambda: keeping.get("/v1/clusters/shop").json.get("status", {}).get("machines", {}).get("ready", 0) == 2, keeping.log.read_text)
    for batching, body, words in (('{"batch":"1"}', {"image": "b"}, "machines of group web are replaced"), ('{"deadlineMs":5}', {"image": "b"}, "no deadline"),
                                  ('{"order":"name"}', {"size": 2}, "own order")):
        path = "/v1/nodegroups/shop/web?allow=replace:2&batching=" + urllib.parse.quote(batching)
        answer = keeping.ask("PATCH", path, body, Content_Type="application/merge-patch+json", If_Match="*")
        assert answer.status == 400 and answer.code == "R0426" and words in answer.text, (batching, answer.text)
    assert keeping.get("/v1/nodegroups/shop/web").json["spec"]["image"] == "a"


def test_fields_of_machines_that_are_made_are_refused(keeping):
    for field, value in (("image", "debian-13"), ("machineSize", "small"), ("volumes", [{"size": "10GiB"}])):
        answer = keeping.ask("POST", "/v1/apply", {"documents": [group(**{field: value})]})
        assert answer.status == 422 and f"/groups/workers/{field}" in answer.text, answer.text


# ---- settings of the manager ----

def test_the_settings_of_the_inventory_are_a_login(machines, tmp_path):
    """For machines that were discovered without one."""
    (tmp_path / "c.yaml").write_text(f"inventory: [{{user: {ME}, key: 'secret://base-image'}}]\n")
    with Manager(tmp_path, "--haste", "100", "--config", str(tmp_path / "c.yaml"), control=True).start() as manager:
        assert manager.post("/v1/secrets", {"name": "base-image", "value": (tmp_path / "login").read_text()}).status in (200, 201)
        manager.apply(group())
        [one] = manager.post("/v1/discover", {"addresses": [place(machines[0])], "approve": True}).json["items"]
        assert "user" not in one and "secret" not in one
        assert commission(manager, 1, one["id"]).status == 200
        until(lambda: ready(manager) == 1, manager.log.read_text)


@pytest.mark.parametrize("text, words", [
    ("inventory: {}", "must be a list"), ("inventory: [{key: abc}]", "name of a secret"), ("inventory: [{serf: {address: nowhere}}]", "127.0.0.1:7373"),
    ("inventory: [{user: a}, {tenant: default}]", "two inventories"), ("inventory: [{keys: x}]", "did you mean 'key'")])
def test_faults_of_the_settings_are_reported(tmp_path, text, words):
    (tmp_path / "c.yaml").write_text(text + "\n")
    done = subprocess.run([str(REEVE.parent / "reeved"), "--config", str(tmp_path / "c.yaml"), "--data", str(tmp_path / "data")],
                          capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode != 0 and words in done.stderr, done.stderr


# ---- facts ----

class Metal(Sshd):
    """A machine whose firmware has a serial number and a product UUID, as root sees them."""

    def __init__(self, *words, serial="", uuid="", **more):
        super().__init__(*words, **more)
        self.wrap = ["unshare", "--mount", "sh", "-c", "mount -t tmpfs none /sys/class && mkdir -p /sys/class/dmi/id && "
                     f"echo '{serial}' >/sys/class/dmi/id/product_serial && echo '{uuid}' >/sys/class/dmi/id/product_uuid && exec \"$@\"", "sh"]


@pytest.fixture
def settings(tmp_path):
    """A manager with a login for all machines of the inventory, whose key does not exist yet."""
    (tmp_path / "c.yaml").write_text(f"inventory: [{{user: {ME}, key: 'secret://base-image'}}]\n")
    with Manager(tmp_path, "--haste", "100", "--config", str(tmp_path / "c.yaml"), control=True).start() as manager:
        yield manager


def key_put(manager, folder):
    assert manager.post("/v1/secrets", {"name": "base-image", "value": (folder / "login").read_text()}).status in (200, 201)


def test_facts_are_read_once_the_key_is_approved(settings, machines, tmp_path):
    """Nothing is sent before; then a fault is said where the machine is shown, and the facts are there before any commission."""
    [one, other] = settings.post("/v1/discover", {"addresses": [place(machine) for machine in machines[:2]]}).json["items"]
    assert settings.post(f"/v1/nodes/{one['id']}/approve", {"fingerprint": one["fingerprint"]}).status == 200
    until(lambda: "base-image" in row(settings, one["id"]).get("factsRead", {}).get("error", ""), settings.log.read_text)
    [line] = [line for line in reeve(settings, "discover").splitlines() if one["id"] in line]
    assert "a group: " in line and "; the login fails: " in line and "base-image" in line, line
    key_put(settings, tmp_path)
    facts = until(lambda: row(settings, one["id"]).get("facts"), settings.log.read_text)
    assert set(facts) >= {"arch", "cpu", "kernel", "memory", "os"} and facts["arch"] == os.uname().machine, facts
    assert row(settings, one["id"])["factsRead"].keys() == {"at"}
    for words in ((one["id"],), ("node", one["id"]), (f"node/{one['name']}",)):
        shown = reeve(settings, "describe", *words)
        assert f"cpu: {facts['cpu']}" in shown and one["fingerprint"] in shown and "seen by" in shown, shown
    assert json.loads(reeve(settings, "describe", one["id"], "-o", "json"))["object"]["facts"] == facts
    assert "there is no" in reeve(settings, "describe", "node/m-ffffff", code=4)
    assert facts["memory"] in reeve(settings, "discover", "-o", "wide")
    [event] = [event for event in settings.get("/v1/events?limit=100").json["items"] if event["type"] == "node.facts_read"]
    assert f"logged in as {ME} with the key 'base-image'" in event["fact"], event
    assert "facts" not in row(settings, other["id"]) and "Accepted" not in machines[1].log(), "a login without approval"


def test_a_group_chooses_by_facts(settings, machines, tmp_path):
    """`match` of a group whose network is listed: reeve reads the facts of machines that it would take, and takes those that fit."""
    key_put(settings, tmp_path)
    for cpu, size in ((1_000_000, 0), (1, 3)):
        settings.apply(group(3, autoCommission=f"{NETWORK}.0/24", match=f"cpu>={cpu}"))
        if not size:
            settings.post("/v1/discover", {"addresses": [place(machine) for machine in machines]})
            until(lambda: all("facts" in one for one in settings.get("/v1/nodes?discovered=1").json["items"]), settings.log.read_text, 120)
        until(lambda wanted=size: len(members(settings)) == wanted, settings.log.read_text, 120)


@pytest.mark.skipif(os.getuid() != 0 or os.readlink("/proc/self/ns/pid") != "pid:[4026531836]", reason="needs root outside of a container")
def test_duplicates_are_found_before_they_are_commissioned(settings, tmp_path, machines):
    """By serial number and product UUID, which only a login shows."""
    port, line = machines[0].port, (tmp_path / "login.pub").read_text().strip()
    key_put(settings, tmp_path)
    shown = (("CZ1", "4C4C4544-1"), ("CZ1", ""), ("CZ9", "4c4c4544-9"), ("To be filled by O.E.M.", "4C4C4544-9"), ("CZ7", "7"))
    with contextlib.ExitStack() as stack:
        found = [Metal(tmp_path / f"metal-{number}", [f"{NETWORK}.{number + 20}"], port, serial=serial, uuid=uuid)
                 for number, (serial, uuid) in enumerate(shown)]
        for one in found:
            stack.callback(one.stop)
            one.start(line)
        rows = settings.post("/v1/discover", {"addresses": [place(one) for one in found], "approve": True}).json["items"]
        until(lambda: all(row(settings, one["id"]).get("factsRead", {}).get("at") for one in rows), settings.log.read_text)
        marked = until(lambda: (seen := [[mark["reason"] for mark in row(settings, one["id"]).get("conditions", [])] for one in rows])
                       and all(seen[:4]) and seen, settings.log.read_text)
        assert "serial number" in marked[0][0] and "product UUID" in marked[2][0] and marked[4] == [], marked
        assert row(settings, rows[0]["id"])["identity"]["serial"] == "CZ1"
        settings.apply(group())
        assert commission(settings, 1, row(settings, rows[0]["id"])["name"]).code == "R0826"


# ---- the command line ----

def reeve(manager, *words, code=0):
    done = subprocess.run([str(REEVE), *words], capture_output=True, text=True, check=False, timeout=240,
                          env={**os.environ, "REEVE_URL": f"unix:{manager.socket}", "COLUMNS": "200"})
    assert done.returncode == code, (words, done.stdout, done.stderr)
    return done.stdout + done.stderr


def test_the_command_line_probes_a_network(keeping, machines):
    """Bounds are checked before anything is sent."""
    said = reeve(keeping, "discover", f"{NETWORK}.0/28:{machines[0].port}")
    assert "14 of 14 addresses were probed: 3 new machines, 0 known" in said and said.count("probe") >= 4, said
    said = reeve(keeping, "discover", f"{NETWORK}.0/28:{machines[0].port}")
    assert "0 new machines, 3 known" in said, said
    assert "R0844" in reeve(keeping, "discover", "10.0.0.0/8", code=2)
    assert "approve NODE=FINGERPRINT" in reeve(keeping, "discover", f"{NETWORK}.0/28", "--approve", code=2)
    assert "the only argument" in reeve(keeping, "discover", f"{NETWORK}.0/28", "10.0.0.1", code=2)


def test_a_machine_moves_to_another_group(keeping, machines, tmp_path):
    """It leaves its group first; without --move the error names the command. A reservation is the link, whatever process ends when."""
    workers = group()["groups"]["workers"]
    keeping.apply({"name": "dc", "version": "1", "groups": {"workers": workers, "spare": workers}})
    keeping.apply({**group(), "name": "lab"})
    [one, two] = discovered(keeping, *machines[:2], folder=tmp_path, approve=True)["items"]
    reeve(keeping, "commission", one["id"], two["id"], "-g", "dc/workers", "--yes")
    refused = reeve(keeping, "commission", one["id"], "-g", "dc/spare", "--yes", code=5)
    assert "R0822" in refused and "to move the machine to this group" in refused, refused
    assert "R0426" in keeping.patch("/v1/nodegroups/dc/spare?move=1", {"size": 0}).text
    declined = reeve(keeping, "commission", one["id"], "-g", "dc/spare", "--move", "--yes", code=11)
    assert "reserved" not in row(keeping, one["id"]), declined
    reeve(keeping, "commission", one["id"], "-g", "dc/spare", "--move", "--yes", "--allow", "destroy=1", "--detach")
    until(lambda: row(keeping, one["id"]).get("claim", {}).get("group") == "spare", lambda: str(row(keeping, one["id"])) + keeping.log.read_text())
    sizes = {name: keeping.get(f"/v1/nodegroups/dc/{name}").json["spec"]["size"] for name in ("workers", "spare")}
    assert sizes == {"workers": 1, "spare": 1}
    # into another cluster, and the manager is killed on the way
    reeve(keeping, "commission", two["id"], "-g", "lab/workers", "--move", "--yes", "--allow", "destroy=1", "--detach")
    keeping.kill()
    keeping.start()
    until(lambda: row(keeping, two["id"]).get("cluster") == "lab" and "claim" in row(keeping, two["id"]), lambda: str(row(keeping, two["id"])))
    until(lambda: keeping.get("/v1/clusters/lab").json.get("status", {}).get("machines", {}).get("ready", 0) == 1, keeping.log.read_text)
    assert "the machine is in this group already" in reeve(keeping, "commission", two["id"], "-g", "lab/workers", "--move", "--yes", code=5)


def test_the_command_line_makes_a_token_for_boot_reports(keeping, machines):
    """The lines for cloud-init have it, and nothing else has."""
    said = reeve(keeping, "discover", "token", "--uses", "3", "--for", "10m")
    path = re.search(r"url: https://MANAGER:8420(/n/default-[0-9a-f]+/phone-home)", said).group(1)
    assert "uses: 3" in said and said.startswith("#cloud-config"), said
    assert report(keeping, path, {"pub_key_ed25519": machines[0].key}, "127.0.24.9").status == 200
    assert "boot" in reeve(keeping, "discover")


def test_the_newest_command_decides_how_a_machine_leaves(keeping, machines, tmp_path):
    """A release that was undone before it was carried out has no effect later."""
    keeping.apply(group())
    [one] = discovered(keeping, machines[0], folder=tmp_path)["items"]
    assert commission(keeping, 1, f"{one['id']}={one['fingerprint']}").status == 200
    until(lambda: ready(keeping) == 1, keeping.log.read_text)
    reeve(keeping, "pause", "dc", "-m", "test")
    smaller = "/v1/nodegroups/dc/workers?allow=destroy:1&victims=workers-0"
    assert keeping.patch(f"{smaller}&release=1", {"size": 0}).status == 200
    assert row(keeping, one["id"])["claim"]["released"] is True
    assert keeping.patch("/v1/nodegroups/dc/workers", {"size": 1}).status == 200
    assert keeping.patch(smaller, {"size": 0}).status == 200
    assert "released" not in row(keeping, one["id"])["claim"]
    reeve(keeping, "resume", "dc")
    until(lambda: "claim" not in row(keeping, one["id"]), lambda: str(row(keeping, one["id"])))
    assert row(keeping, one["id"])["status"] == "decommissioned"


def test_the_command_line_takes_machines_and_returns_them(keeping, machines, tmp_path):
    keeping.apply(group())
    assert "no discovered machine waits" in reeve(keeping, "discover")
    told = reeve(keeping, "discover", place(machines[0]), place(machines[1]), "--user", ME, "--key", str(tmp_path / "login"))
    assert fingerprint(machines[0]) in told and "approval: " in told, told
    ids = {one["address"]: one["id"] for one in keeping.get("/v1/nodes?discovered=1").json["items"]}
    first, second = ids[machines[0].addresses[0]], ids[machines[1].addresses[0]]
    assert "R0825" in reeve(keeping, "discover", place(machines[0]), code=5)
    assert "R0719" in reeve(keeping, "discover", f"{NETWORK}.9:{machines[0].port}", code=7)
    reeve(keeping, "discover", "ignore", second)
    assert second not in reeve(keeping, "discover") and second in reeve(keeping, "discover", "--all")
    reeve(keeping, "discover", "show", second)
    assert fingerprint(machines[1]) in reeve(keeping, "discover", "approve", second, code=6)  # nobody has compared it
    reeve(keeping, "discover", "approve", f"{second}={fingerprint(machines[1])}")
    dry = reeve(keeping, "commission", first, second, "-g", "dc/workers", "--dry-run")
    assert "size 0 -> 2" in dry and "observed by the manager, not verified" in dry and "approved" in dry, dry
    assert "reserved" not in row(keeping, first)
    told = reeve(keeping, "commission", first, second, "-g", "dc/workers", "--yes")
    assert ready(keeping) == 2, told
    assert "R0822" in reeve(keeping, "commission", first, "-g", "dc/workers", "--yes", code=5)
    listed = reeve(keeping, "discover", "--all")
    assert "claimed" in listed and "dc/workers-0" in listed, listed
    reeve(keeping, "decommission", "dc/workers-0", "--allow", "destroy=1")
    until(lambda: row(keeping, first).get("status") == "decommissioned", lambda: str(row(keeping, first)))
    reeve(keeping, "release", "dc/workers-1", "--allow", "destroy=1")
    until(lambda: row(keeping, second).get("status") == "unallocated", lambda: str(row(keeping, second)))
    reeve(keeping, "commission", second, "-g", "dc/workers", "--yes")
    assert members(keeping) == {"workers-0": second}


def test_machines_are_selected_by_their_facts(settings, machines, tmp_path):
    """Those that wait and match, and no others; a whole group leaves by one command (C22); one machine has one history (C35)."""
    key_put(settings, tmp_path)
    settings.apply(group())
    rows = settings.post("/v1/discover", {"addresses": [place(machine) for machine in machines]}).json["items"]
    for one in rows[:2]:
        assert settings.post(f"/v1/nodes/{one['id']}/approve", {"fingerprint": one["fingerprint"]}).status == 200
        until(lambda one=one: row(settings, one["id"]).get("facts"), settings.log.read_text)
    [first, second] = [one["id"] for one in rows[:2]]
    asked = settings.get("/v1/nodes?discovered=1&selector=" + urllib.parse.quote("cpu>=1, mem>=1Mi, !gpu-of-nobody"))
    assert {one["id"] for one in asked.json["items"]} == {first, second}, asked.text
    assert settings.get("/v1/nodes?discovered=1&selector=cpu%3E%3D").code == "R0531"
    listed = reeve(settings, "discover", "-l", f"name={rows[0]['name']}")
    assert first in listed and second not in listed, listed
    assert "matches the selector" in reeve(settings, "discover", "-l", "cpu>=1000000")
    assert "takes no argument" in reeve(settings, "discover", "-l", "cpu>=1", place(machines[0]), code=2)

    assert "R0780" in reeve(settings, "commission", "-l", "cpu>=1000000", "-g", "dc/workers", "--yes", code=4)
    assert "exclude each other" in reeve(settings, "commission", first, "-l", "cpu>=1", "-g", "dc/workers", code=2)
    assert "no machines are selected" in reeve(settings, "commission", "-g", "dc/workers", code=2)
    assert "belongs to -l" in reeve(settings, "commission", first, "--count", "1", "-g", "dc/workers", code=2)
    reeve(settings, "commission", "-l", "cpu>=1", "--count", "1", "-g", "dc/workers", "--yes")
    assert members(settings) == {"workers-0": first}
    reeve(settings, "commission", "-l", "cpu>=1", "-g", "dc/workers", "--yes")
    assert members(settings) == {"workers-0": first, "workers-1": second}

    assert "no machines are selected" in reeve(settings, "decommission", "--allow", "destroy=2", code=2)
    reeve(settings, "decommission", "-g", "dc/workers", "--allow", "destroy=2")
    until(lambda: {row(settings, one)["status"] for one in (first, second)} == {"decommissioned"}, settings.log.read_text)
    left = reeve(settings, "commission", "-l", "cpu>=1", "-g", "dc/workers", "--yes", code=4)
    assert left.count("left out: ") == 2 and "name it to commission it again" in left, left

    history = json.loads(reeve(settings, "events", first, "-o", "json"))
    types = [event["type"] for event in history.get("items", history)] if isinstance(history, dict) else [event["type"] for event in history]
    order = [types.index(one) for one in ("node.seen", "node.approved", "node.facts_read", "node.claimed", "node.moved")]
    assert order == sorted(order), types
    assert second not in reeve(settings, "events", f"node/{first}")
    assert "R0403" in reeve(settings, "events", "m-ffffff", code=4)
    assert f"events {first}" in reeve(settings, "describe", first)


@pytest.mark.skipif(os.geteuid() != 0, reason="the bundle runs as root")
def test_a_bundle_sets_discovery_up_on_bare_machines(keeping, machines, tmp_path):
    """It runs by the operator's own ssh on machines that are new, and on no other; one on which it fails gets no row (C28)."""
    names = tmp_path / "bin"
    names.mkdir()
    known = tmp_path / "known_hosts"
    known.write_text("".join(f"[{one.addresses[0]}]:{one.port} {' '.join((one.folder / 'key.pub').read_text().split()[:2])}\n" for one in machines))
    wrapper = names / "ssh"
    wrapper.write_text(f'#!/bin/sh\nexec /usr/bin/ssh -F /dev/null -o UserKnownHostsFile={known} -o GlobalKnownHostsFile=/dev/null "$@"\n')
    wrapper.chmod(0o755)
    bundle = tmp_path / "agent"
    bundle.mkdir()
    (bundle / "bootstrap.sh").write_text(f'echo "$REEVE_ADDRESS $*" >>{tmp_path}/ran\ncat word\n[ "$REEVE_ADDRESS" != {NETWORK}.2 ] || [ -e {tmp_path}/licence ] || {{ echo "E: no licence" >&2; exit 7; }}\n')
    (bundle / "word").write_text("the agent is alive\n")
    env = {**os.environ, "REEVE_URL": f"unix:{keeping.socket}", "HOME": str(tmp_path), "PATH": f"{names}:{os.environ['PATH']}"}

    def discover(*words, code=0):
        done = subprocess.run([str(REEVE), "discover", *words], env=env, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    login = ("--user", ME, "--key", str(tmp_path / "login"), "--setup", str(bundle))
    assert "--setup needs the addresses" in discover("--setup", str(bundle), code=2)
    assert "R0011" in discover(place(machines[0]), "--user", ME, "--setup", str(tmp_path / "none"), code=1)
    out = discover(place(machines[0]), place(machines[1]), *login, "--", "10.0.0.1", "a b", code=1)
    assert f"{NETWORK}.1  setup      the agent is alive" in out and "R0852" in out and f"{NETWORK}.2: the step 'setup' failed: E: no licence" in out, out
    assert (tmp_path / "ran").read_text() == f"{NETWORK}.1 10.0.0.1 a b\n{NETWORK}.2 10.0.0.1 a b\n"
    assert [one["address"] for one in keeping.get("/v1/nodes?discovered=1").json["items"]] == [f"{NETWORK}.1"]

    # a known address is refused before anything runs there; the other one is repeated
    assert "R0825" in discover(place(machines[0]), *login, "--", "10.0.0.1", code=5)
    (tmp_path / "licence").touch()
    discover(place(machines[1]), *login, "--", "10.0.0.1")
    assert (tmp_path / "ran").read_text().splitlines()[2:] == [f"{NETWORK}.2 10.0.0.1"]
    assert len(keeping.get("/v1/nodes?discovered=1").json["items"]) == 2

    # ssh has to work without questions
    known.write_text("")
    assert "ssh must work without questions" in discover(place(machines[2]), *login, "--", "10.0.0.1", code=1)
    assert len(keeping.get("/v1/nodes?discovered=1").json["items"]) == 2 and not list(tmp_path.glob("reeve-setup*"))


def test_machines_of_the_inventory_have_no_image(keeping, tmp_path):
    """Nothing installs an image on a machine that reeve did not make, so an upgrade to one is refused (C5)."""
    keeping.apply(group())
    env = {**os.environ, "REEVE_URL": f"unix:{keeping.socket}", "HOME": str(tmp_path)}
    done = subprocess.run([str(REEVE), "upgrade", "dc/workers", "--image", "debian", "--yes"], env=env, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 3 and "image" in done.stderr, done
    assert "image" not in keeping.get("/v1/nodegroups/dc/workers").json["spec"]
