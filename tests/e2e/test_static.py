"""The plugin static: machines that are there already are taken and let go, never made or ended."""
import contextlib
import json
import os
import shutil
import subprocess

import pytest

from conftest import REEVE
from hosts import ME, Sshd, port_of
from manager import REEVED, Manager, until

PLUGIN = REEVED.parent / "plugins/static.so"


@pytest.fixture
def keeping(tmp_path):
    """A manager that keeps clusters, in haste."""
    with Manager(tmp_path, "--haste", "100", control=True).start() as manager:
        yield manager


def document(size, addresses, name="shop"):
    return {"name": name, "version": "1", "groups": {"rack": {
        "size": size, "resourcePlugin": {"name": "static"}, "resourceProperties": {"addresses": addresses}}}}


def taken(manager, name="shop"):
    """Member by member, the address that it has."""
    rows = manager.get(f"/v1/resources?cluster={name}").json["items"]
    return {row["metadata"]["name"]: row["status"].get("address") for row in rows if row["status"]["state"] == "active"}


def test_it_keeps_its_promises(tmp_path):
    (tmp_path / "many.json").write_text(json.dumps({"addresses": [f"10.0.0.{n}" for n in range(1, 60)]}))
    done = subprocess.run([str(REEVE), "plugin", "test", str(PLUGIN), "--properties", str(tmp_path / "many.json")],
                          capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr


def test_machines_are_taken_in_their_order_and_let_go(keeping):
    keeping.apply(document(2, ["192.0.2.1", "192.0.2.2", "192.0.2.3"]))
    until(lambda: taken(keeping) == {"rack-0": "192.0.2.1", "rack-1": "192.0.2.2"}, lambda: str(taken(keeping)))
    keeping.apply(document(1, ["192.0.2.2", "192.0.2.3"], "other"))  # one of them is taken
    until(lambda: taken(keeping, "other") == {"rack-0": "192.0.2.3"}, lambda: str(taken(keeping, "other")))
    answer = keeping.ask("POST", "/v1/apply", {"documents": [document(1, ["192.0.2.1", "192.0.2.2", "192.0.2.3"])],
                                               "allow": {"destroy": 1}})
    assert answer.status == 200, answer.text
    until(lambda: taken(keeping) == {"rack-0": "192.0.2.1"})
    keeping.apply(document(2, ["192.0.2.2", "192.0.2.3"], "other"))
    until(lambda: taken(keeping, "other") == {"rack-0": "192.0.2.3", "rack-1": "192.0.2.2"})


def test_each_token_has_its_link(tmp_path):
    """By which a machine is found again; what an earlier life has taken without them gets them before anything new is."""
    addresses = ["192.0.2.1", "192.0.2.2", "192.0.2.3"]

    def links():
        found = []
        for link in tmp_path.rglob(".tokens/*"):
            with contextlib.suppress(FileNotFoundError):  # it goes in this moment
                found.append(os.readlink(link))
        return sorted(found)

    with Manager(tmp_path, "--haste", "100", control=True).start() as manager:
        manager.apply(document(2, addresses))
        until(lambda: len(taken(manager)) == 2 and links() == addresses[:2], lambda: str(links()))
        manager.ask("POST", "/v1/apply", {"documents": [document(1, addresses)], "allow": {"destroy": 1}})
        until(lambda: links() == addresses[:1], lambda: str(links()))
    for link in tmp_path.rglob(".tokens/*"):
        link.unlink()
    with Manager(tmp_path, "--haste", "100", control=True).start() as manager:
        manager.apply(document(2, addresses))
        until(lambda: taken(manager) == {"rack-0": addresses[0], "rack-1": addresses[1]}, lambda: str(taken(manager)))
        assert links() == addresses[:2]


def test_more_than_there_are_wait(keeping):
    keeping.apply(document(2, ["192.0.2.1"]))
    until(lambda: list(taken(keeping).values()) == ["192.0.2.1"])  # both ask at once: either may have it
    until(lambda: "list more of them" in json.dumps(keeping.get("/v1/resources?cluster=shop").json["items"])
          or "list more of them" in keeping.get("/v1/events?cluster=shop&limit=100").text)


@pytest.mark.parametrize("addresses, place, words", [
    ([], "/addresses", "1 to 4096"), (["10.0.0.1", "10.0.0.1"], "/addresses/1", "already"),
    (["../x"], "/addresses/0", "neither an address"), ([""], "/addresses/0", "neither an address")])
def test_faults_have_their_place(keeping, addresses, place, words):
    answer = keeping.ask("POST", "/v1/apply", {"documents": [document(1, addresses)]})
    assert answer.status == 422 and place in answer.text and words in answer.text, answer.text


@pytest.fixture
def slow(tmp_path):
    """A manager whose reeve-host does first what a script says. Returns what starts it with such a script."""
    (tmp_path / "bin/plugins").mkdir(parents=True)
    for name in ("reeved", "reeve-host", "plugins/static.so"):
        shutil.copy(REEVED.parent / name, tmp_path / "bin" / name)
    host = (tmp_path / "bin/reeve-host").rename(tmp_path / "bin/real")
    running = []

    def start(first):
        (tmp_path / "bin/reeve-host").write_text(f'#!/bin/sh\n{first}\nexec {host} "$@"\n')
        (tmp_path / "bin/reeve-host").chmod(0o755)
        running.append(Manager(tmp_path, "--haste", "100", control=True, program=tmp_path / "bin/reeved").start())
        return running[0]
    yield start
    for manager in running:
        manager.stop()


def test_a_change_waits_for_plugins_that_have_not_said_who_they_are(slow):
    """Right after a first start nothing would be judged, and a cluster be taken that cannot be."""
    manager = slow("sleep 1.5")
    answer = manager.ask("POST", "/v1/apply", {"documents": [document(1, [])]})
    assert answer.status == 422 and "/addresses" in answer.text, answer.text
    assert manager.ask("POST", "/v1/apply", {"documents": [document(1, ["192.0.2.1"])]}).status == 200


def test_a_plugin_that_cannot_be_asked_is_a_warning(slow, tmp_path):
    manager = slow(f"test ! -e {tmp_path}/away || exit 1")
    until(lambda: [row["version"] for row in manager.get("/v1/plugins").json["items"] if row.get("version")])
    (tmp_path / "away").touch()
    answer = manager.ask("POST", "/v1/apply", {"documents": [document(1, [])]})
    [warning] = answer.json["warnings"]
    assert answer.status == 200 and warning["code"] == "R0802" and "static could not validate" in json.dumps(warning), answer.text
    assert warning["pointer"] == "/groups/rack/resourcePlugin/name" and warning["document"] == 0, warning


# ---- a group that grows and shrinks, on real sshds ----

NETWORK = "127.0.21"


@pytest.fixture
def racks(tmp_path):
    """Six machines, each an sshd of its own; none of them runs yet."""
    port = port_of(NETWORK)
    with contextlib.ExitStack() as stack:
        found = [Sshd(tmp_path / f"rack-{number}", [f"{NETWORK}.{number}"], port) for number in range(1, 7)]
        for one in found:
            stack.callback(one.stop)
        yield found


def probed(racks, **group):
    """A cluster of these machines, which reeve logs in to."""
    return {"name": "shop", "version": "1", "groups": {"rack": {
        "size": len(racks), "resourcePlugin": {"name": "static"},
        "resourceProperties": {"addresses": [one.addresses[0] for one in racks], "port": racks[0].port, "user": ME,
                               "hostKeys": {one.addresses[0]: one.key for one in racks}},
        "health": {"probe": {"exec": ["true"], "every": "200ms", "fail": 2, "timeout": "5s"}, "grace": "1m"}, **group}}}


def ready(manager):
    return manager.get("/v1/clusters/shop").json.get("status", {}).get("machines", {}).get("ready")


def identities(manager):
    """Member by member the machine that it is: another token is another machine, whatever address it has."""
    rows = manager.get("/v1/resources?cluster=shop").json["items"]
    return {row["metadata"]["name"]: (row["status"]["id"], row["status"]["token"]) if "token" in row["status"] else row["status"]["id"]
            for row in rows if row["status"]["state"] == "active"}


def condemned(manager):
    events = manager.get("/v1/events?cluster=shop&limit=500").json["items"]
    return [event["node"] for event in events if event["type"] == "machine.condemned"]


def test_a_group_grows_and_shrinks_in_place(keeping, racks):
    """Addresses are data of the provider: another list of them replaces no machine (A5)."""
    keeping.apply(probed(racks[:3]))
    line = until(lambda: keeping.get("/v1/clusters/shop").json.get("status", {}).get("ssh"), keeping.log.read_text)
    for one in racks:
        one.start(line)
    until(lambda: ready(keeping) == 3, keeping.log.read_text)
    before = identities(keeping)
    planned = keeping.post("/v1/apply?dry-run=1", {"documents": [probed(racks)]}).json
    assert planned["needs"]["replace"] == planned["needs"]["destroy"] == 0 and planned["sums"]["create"] == 3, planned
    assert "replace" not in planned["plan"][0]["groups"][0], planned
    keeping.apply(probed(racks))  # nobody has to consent to anything
    until(lambda: ready(keeping) == 6, lambda: f"{keeping.get('/v1/holds?cluster=shop').text} {keeping.log.read_text()}")
    assert {name: one for name, one in identities(keeping).items() if name in before} == before
    assert condemned(keeping) == []
    answer = keeping.post("/v1/apply?allow=destroy:4", {"documents": [probed(racks[:2])]})
    assert answer.status == 200 and answer.json["needs"]["replace"] == 0, answer.text
    until(lambda: sorted(identities(keeping)) == ["rack-0", "rack-1"], keeping.log.read_text)
    assert identities(keeping) == {name: before[name] for name in ("rack-0", "rack-1")}
    assert sorted(condemned(keeping)) == ["rack-2", "rack-3", "rack-4", "rack-5"]
    until(lambda: ready(keeping) == 2)
    assert keeping.get("/v1/holds?cluster=shop").json["items"] == []
    assert keeping.ask("DELETE", "/v1/clusters/shop?allow=destroy:9").status == 200
    until(lambda: not keeping.get("/v1/resources?cluster=shop").json.get("items"))

