"""The observer of consent (pylib/consent.py) finds each act that is planted here: what one manager has left behind, and then what
it says with a consent taken away, or an act added."""
import json
import shutil
import sqlite3

import pytest

from manager import Manager, cluster, machine_files, until
from pylib.consent import NODE_STATE, acts_without_consent

FILE = {"resourcePlugin": {"name": "file"}}


def group(size, **more):
    """Cluster shop, group web, of the plugin `file`."""
    return {"name": "shop", "version": "1", "groups": {"web": {"size": size, **FILE, **more}}}


@pytest.fixture(scope="module", name="past")
def fixture_past(tmp_path_factory):
    """A data directory: machines were made, one went by size, all by another image, and one was lost."""
    folder = tmp_path_factory.mktemp("past")
    manager = Manager(folder, "--haste", "100", control=True).start()

    def events(kind):
        return [one for one in manager.get("/v1/events?limit=1000").json["items"] if one.get("type") == kind]

    def machines(count):
        return until(lambda: len(machine_files(folder)) == count and len(events("machine.ready")) >= count, manager.log.read_text)

    manager.apply(group(3))
    machines(3)
    manager.post("/v1/apply?allow=destroy:9", {"documents": [group(2)]})
    until(lambda: len(machine_files(folder)) == 2 and len(events("machine.gone")) == 1, manager.log.read_text)
    manager.post("/v1/apply?allow=destroy:9,replace:9", {"documents": [group(2, image="other")]})
    until(lambda: len(events("machine.gone")) == 3, manager.log.read_text)
    machine_files(folder)[0].unlink()
    until(lambda: any(one.get("rule") == "lost" for one in events("machine.condemned")), manager.log.read_text)
    until(lambda: len(machine_files(folder)) == 2, manager.log.read_text)
    assert manager.stop() in (0, None)
    return folder / "data"


class Past:
    """A copy of it that is changed."""

    def __init__(self, past, folder):
        self.data = folder / "data"
        shutil.copytree(past, self.data)
        self.added = 10 ** 6
        self.database = sqlite3.connect(self.data / "store.db")

    def look(self):
        """What the observer says."""
        self.database.commit()
        self.database.close()
        return acts_without_consent(self.data)

    def events(self, kind):
        """(id, body) of this type."""
        rows = [(number, json.loads(body)) for number, body in self.database.execute("SELECT id, body FROM events ORDER BY id")]
        return [(number, body) for number, body in rows if body["type"] == kind]

    def put(self, number, body):
        """Another body."""
        self.database.execute("UPDATE events SET body=? WHERE id=?", (json.dumps(body).encode(), number))

    def drop(self, number):
        """It was never said."""
        self.database.execute("DELETE FROM events WHERE id=?", (number,))

    def add(self, body):
        """One more, the last."""
        self.added += 1
        self.database.execute("INSERT INTO events(cluster,number,time_ms,body,checksum) VALUES('x',?,1,?,0)",
                              (self.added, json.dumps(body).encode()))

    def spec_set(self, kind, **words):
        """All versions of a kind's spec have these words."""
        rows = self.database.execute("SELECT id, value FROM log WHERE CAST(key AS TEXT) LIKE ?", (f"/%/{kind}/%/spec",)).fetchall()
        for number, value in rows:
            doc = json.loads(value)
            doc["spec"].update(words)
            self.database.execute("UPDATE log SET value=? WHERE id=?", (json.dumps(doc).encode(), number))


@pytest.fixture(name="one")
def fixture_one(past, tmp_path):
    """One to be changed."""
    return Past(past, tmp_path)


def rules_of(one):
    """What was destroyed, by rule."""
    return sorted(body["rule"] for _, body in one.events("machine.condemned"))


def test_what_was_agreed_to_is_no_finding(one):
    assert rules_of(one) == ["lost", "rolled", "rolled", "scale_in"]
    assert sorted(one.data.glob("plugins/*/file/journal")) != []
    assert one.look() == []


def test_a_size_that_nobody_reduced(one):
    for number, body in one.events("cluster.changed"):
        body["sums"]["destroy"] = 0
        one.put(number, body)
    found = one.look()
    assert len(found) == 1 and "scale_in" in found[0] and "people agreed to 0" in found[0]


def test_a_replacement_that_nobody_asked_for(one):
    for number, _ in one.events("cluster.changed")[1:]:
        one.drop(number)
    first, body = one.events("cluster.changed")[0]
    one.put(first, {**body, "actor": "reeve"})
    assert sum("nobody changed its specification" in line for line in one.look()) == 2


def test_healing_that_is_off_or_a_group_that_is_protected(one):
    one.spec_set("NodeGroup", heal="off")
    found = one.look()
    assert len(found) == 1 and "lost" in found[0] and "heal is off" in found[0]


def test_a_rule_that_nobody_entered(one):
    number, body = one.events("machine.condemned")[0]
    one.put(number, {**body, "rule": "tidied"})
    assert any("no consent is known for this rule" in line for line in one.look())


def test_a_machine_that_nobody_asked_for_and_nobody_could_spare(one):
    number, body = one.events("machine.condemned")[0]
    one.put(number, {**body, "rule": "orphan"})
    assert any("it was never held" in line for line in one.look())


def test_what_the_provider_destroyed_and_nobody_wrote_down(one):
    next(one.data.glob("plugins/*/file/journal")).open("a").write("destroy file-0000\n")
    assert one.look() == ["provider destroyed file-0000: the audit knows nothing of it"]


def test_an_act_while_it_is_paused(one):
    number, body = one.events("machine.condemned")[0]
    one.database.execute("INSERT INTO log(id,key,value,created,prev,version,checksum) VALUES(1,?,?,1,0,1,0)",
                         (f"/default/Control/{body['object']}/web/spec".encode(), b'{"paused":{"by":"ana"}}'))
    assert any("is paused" in line for line in one.look())
    assert number > 0


def test_a_stage_on_a_node_in_service(one):
    ready = one.events("machine.ready")[-1][1]
    one.add({**ready, "type": "node.bootstrapped", "actor": "reeve"})
    one.add({**ready, "type": "node.stage", "actor": "reeve"})
    found = one.look()
    assert len(found) == 1 and "a stage starts on a node in service" in found[0]


def test_a_machine_that_nobody_asked_to_replace(one):
    ready = one.events("machine.ready")[-1][1]
    one.add({**ready, "type": "machine.condemned", "rule": "replace", "actor": "reeve"})
    assert any("nobody asked that it is replaced" in line for line in one.look())


def test_a_reboot_that_no_policy_has(one):
    ready = one.events("machine.ready")[0][1]
    one.spec_set("NodeGroup", protected=True)
    one.add({**ready, "type": "machine.rebooting", "actor": "reeve"})
    assert any(line.startswith("machine.rebooting") for line in one.look())


def test_a_key_that_nobody_took_back(one):
    ready = one.events("machine.ready")[-1][1]
    one.add({**ready, "type": "node.revoked", "actor": "reeve", "token": "0", "object": "another"})
    assert any("nobody took it back" in line for line in one.look())


def disk_of(one, ready, attempts):
    """The disk of a node beside the data, on which a stage began so many times; its address is the id of its machine."""
    disk = one.data.parent / "node-1"
    (disk / "etc/ssh").mkdir(parents=True)
    (disk / "etc/ssh/sshd_config").write_text(f"ListenAddress {ready['id']}\nPort 22\n")
    if attempts:
        (disk / NODE_STATE / "marks").mkdir(parents=True)
        (disk / NODE_STATE / "marks/0.attempt").write_text(f"{attempts} 0123 1 4567\n")


def test_a_stage_that_only_the_node_knows(one):
    ready = one.events("machine.ready")[-1][1]
    for fact in ("stage-0 base", "stage-1 web"):
        one.add({**ready, "type": "node.stage", "actor": "reeve", "fact": fact})
    disk_of(one, ready, attempts=2)
    assert one.look() == [f"node {ready['id']} began stage 0 2 times: the audit knows of 1"]


def test_a_stage_that_node_and_audit_know(one):
    ready = one.events("machine.ready")[-1][1]
    for fact in ("stage-0 base", "stage-0 base, attempt 2"):
        one.add({**ready, "type": "node.stage", "actor": "reeve", "fact": fact})
    disk_of(one, ready, attempts=2)
    assert one.look() == []


def test_a_member_whose_traces_have_gone(one):
    ready = one.events("machine.ready")[-1][1]
    one.add({**ready, "type": "node.bootstrapped", "actor": "reeve"})
    disk_of(one, ready, attempts=0)
    assert one.look() == [f"node {ready['id']} serves, and its disk has nothing of reeve any more: nobody released it"]


def test_a_manager_without_acts_has_none(tmp_path):
    with Manager(tmp_path).start() as manager:
        manager.apply(cluster("shop", web=1))
    assert acts_without_consent(tmp_path / "data") == []
