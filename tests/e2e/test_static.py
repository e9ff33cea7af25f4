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
from pylib import hosted  # isort: skip

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


def former(address, token, cluster="default/c1"):
    """A machine as releases before interface 1.3 wrote it into the plugin's folder."""
    tags = {"reeve.cluster_id": cluster, "reeve.group": "rack", "reeve.logical_id": "0", "reeve.incarnation": "1", "reeve.token": token}
    return json.dumps({"state": "running", "name": "rack-0", "tags": tags, "labels": {"labels": {}, "owner": ""},
                       "properties": {"addresses": ["192.0.2.1"] * 4000}, "reach": {"port": 22}}, indent=2)


def test_machines_in_files_of_a_former_release_are_moved_into_the_state(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "192.0.2.1.json").write_text(former("192.0.2.1", "t1"))
    (folder / "192.0.2.2.json").write_text(former("192.0.2.2", "t2", "default/c2"))
    (folder / "notes.txt").write_text("not a machine")
    addresses = json.dumps({"addresses": ["192.0.2.1", "192.0.2.2", "192.0.2.3"]})
    for life in range(2):
        host = hosted.Host(REEVED.parent / "reeve-host", PLUGIN, folder)
        [row] = host.call("describe", cluster="default/c1").rows
        assert (row.id, row.state, row.tags["reeve.token"]) == ("192.0.2.1", "running", "t1") and row.properties == {"port": 22}
        assert [row.id for row in host.call("describe", cluster="default/c2").rows] == ["192.0.2.2"]
        made = host.call("create", cluster="default/c3", token=f"t3-{life}", name="rack-0", properties=addresses,
                         tags={"reeve.cluster_id": "default/c3", "reeve.token": f"t3-{life}"})
        assert (made.result, made.id) == (("ok", "192.0.2.3") if life == 0 else ("capacity", "")), made.faults
        assert sorted(path.name for path in folder.glob("*")) == [".claims", ".state", "notes.txt"]
        host.kill()
    host = hosted.Host(REEVED.parent / "reeve-host", PLUGIN, folder)
    assert host.call("destroy", cluster="default/c1", machine="192.0.2.2").result == "ok"  # of another cluster
    assert host.call("destroy", cluster="default/c1", machine="192.0.2.1", token="t1").result == "ok"
    assert host.call("describe", cluster="default/c1").rows == []
    assert [row.id for row in host.call("describe", cluster="default/c2").rows] == ["192.0.2.2"]
    host.close()


def test_a_former_file_gives_way_to_the_owner_of_its_address(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    host = hosted.Host(REEVED.parent / "reeve-host", PLUGIN, folder)
    assert host.call("create", cluster="default/c1", token="t1", name="rack-0", properties='{"addresses": ["192.0.2.1"]}',
                     tags={"reeve.cluster_id": "default/c1", "reeve.token": "t1"}).id == "192.0.2.1"
    host.kill()
    (folder / "192.0.2.1.json").write_text(former("192.0.2.1", "t2", "default/c2"))
    host = hosted.Host(REEVED.parent / "reeve-host", PLUGIN, folder)
    assert host.call("describe", cluster="default/c2").rows == []
    assert [row.id for row in host.call("describe", cluster="default/c1").rows] == ["192.0.2.1"]
    host.close()


class Claims:
    """The plugin with a folder and a state below it, which is what a manager keeps in its store."""

    def __init__(self, folder):
        self.folder, self.state, self.host = folder, folder / ".state", None
        folder.mkdir()
        self.start()

    def start(self):
        """A new process of the plugin."""
        if self.host:
            self.host.kill()
        self.host = hosted.Host(REEVED.parent / "reeve-host", PLUGIN, self.folder)

    def create(self, cluster, token, *addresses):
        """The address of the machine that it allocates."""
        made = self.host.call("create", cluster=cluster, token=token, name="rack-0", properties=json.dumps({"addresses": addresses}),
                              tags={"reeve.cluster_id": cluster, "reeve.token": token})
        return made.id if made.result == "ok" else made.result

    def destroy(self, cluster, address, token):
        """Release a machine."""
        return self.host.call("destroy", cluster=cluster, machine=address, token=token).result

    def listed(self, cluster):
        """The tokens of a cluster's machines, by address."""
        return {row.id: row.tags["reeve.token"] for row in self.host.call("describe", cluster=cluster).rows}

    def evidence(self):
        """The addresses of its files."""
        return sorted(path.name for path in (self.folder / ".claims").iterdir())


ONE, TWO, THREE = "192.0.2.1", "192.0.2.2", "192.0.2.3"


def test_an_older_state_gets_the_claims_made_since(tmp_path):
    """After the restore of a backup, machines that were claimed since are listed, so that their cluster is held. Nobody else gets them."""
    claims = Claims(tmp_path / "folder")
    assert claims.create("default/c1", "t1", ONE) == ONE and claims.create("default/c1", "t2", TWO) == TWO
    shutil.copytree(claims.state, tmp_path / "backup")
    assert claims.create("default/c1", "t3", THREE) == THREE
    assert claims.destroy("default/c1", TWO, "t2") == "ok" and claims.create("default/c2", "t4", TWO) == TWO
    assert claims.destroy("default/c1", ONE, "t1") == "ok"
    assert claims.evidence() == [TWO, THREE]
    for _ in range(2):  # the second process finds that the state is as new as the folder
        shutil.rmtree(claims.state)
        shutil.copytree(tmp_path / "backup", claims.state)
        claims.start()
        # t1 was released after the backup, and its address is free since: the state alone has it
        assert claims.listed("default/c1") == {ONE: "t1", THREE: "t3"} and claims.listed("default/c2") == {TWO: "t4"}
        assert claims.create("default/c3", "t5", ONE, TWO, THREE) == "capacity"
        claims.start()
        assert claims.listed("default/c1") == {ONE: "t1", THREE: "t3"} and claims.listed("default/c2") == {TWO: "t4"}
    claims.host.close()


def test_what_another_manager_has_released_does_not_come_back(tmp_path):
    """Two managers have folders of their own and share the state. The files of the first are no evidence against it."""
    claims = Claims(tmp_path / "folder")
    assert claims.create("default/c1", "t1", ONE) == ONE and claims.create("default/c1", "t2", TWO) == TWO
    other = tmp_path / "other"
    (claims.folder / ".claims").rename(other)  # as the folder of the other manager, which has no evidence
    claims.start()
    assert claims.listed("default/c1") == {ONE: "t1", TWO: "t2"} and claims.destroy("default/c1", ONE, "t1") == "ok"
    claims.host.kill()
    shutil.rmtree(claims.folder / ".claims")
    other.rename(claims.folder / ".claims")
    claims.start()
    assert claims.listed("default/c1") == {TWO: "t2"} and claims.evidence() == [TWO]
    assert claims.create("default/c2", "t3", ONE, TWO) == ONE
    claims.host.close()


def test_files_that_are_no_evidence_change_nothing(tmp_path):
    """Half a file, a number that is none, a file without an owner: each is passed over."""
    claims = Claims(tmp_path / "folder")
    assert claims.create("default/c1", "t1", ONE) == ONE
    for name, content in {"192.0.2.4": "", "192.0.2.5": "7", "192.0.2.6": "-3 default/c1/t6\n{}", "192.0.2.7": "x default/c1/t7\n{}",
                          "192.0.2.8": "99999999999999999999999 default/c1/t8\n{}", "192.0.2.9": "9 nobody\n{}", "a=b": "9 default/c1/t9\n{}"}.items():
        (claims.folder / ".claims" / name).write_text(content)
    claims.start()
    assert claims.listed("default/c1") == {ONE: "t1"}
    claims.host.close()


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

