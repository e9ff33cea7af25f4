"""The calls about the members of etcd, against three real members: list, status, learner, promotion, leader, removal, and each kind of problem."""

import os
import shutil
import subprocess
import time

import pytest

from conftest import program
from pylib.etcd_three import Member, Three

pytestmark = pytest.mark.skipif(shutil.which("etcd") is None, reason="needs etcd")
PATIENCE_S = 60


class Client:
    """store_members: one answer for each command."""

    def __init__(self, three, endpoint=None, **changes):
        environment = {**os.environ, **three.environment(), "ETCD_TIMEOUT_MS": "2000", **changes}
        if endpoint:
            environment["ETCD_ENDPOINT"] = endpoint
        kind = os.environ.get("STORE_MEMBERS", "release")
        self.process = subprocess.Popen([program("store_members", kind)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=environment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        assert self.process.wait(timeout=PATIENCE_S) == 0

    def call(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().split()

    def rows(self):
        """The members by their names: (id, peer, client, kind)."""
        words = self.call("list")
        assert words[0] == "ok", words
        rows = [words[at:at + 5] for at in range(2, len(words), 5)]
        return {row[1]: (row[0], *row[2:]) for row in rows}

    def until(self, line, condition):
        """Repeats the call until the condition holds for its answer."""
        until = time.monotonic() + PATIENCE_S
        while not condition(words := self.call(line)):
            assert time.monotonic() < until, words
            time.sleep(0.05)
        return words


@pytest.fixture(name="three")
def three_fixture(tmp_path):
    with Three(tmp_path, options=["--strict-reconfig-check"]) as three:
        yield three


class Joining(Member):
    """A member that joins the three, in an empty folder."""

    def __init__(self, cluster, name):
        super().__init__(cluster, name)
        self.peer = f"http://127.0.0.1:{self.peer_port}"

    def command(self):
        known = ",".join(f"{one.name}=http://127.0.0.1:{one.peer_port}" for one in [*self.cluster.members, self])
        words = [word for word in super().command() if not word.startswith("--initial-cluster=")]
        return [*words, f"--initial-cluster={known}", "--initial-cluster-state=existing"]


def test_list_and_status(three):
    """The list and the status of each member are those of etcd's own client."""
    with Client(three) as client:
        rows = client.rows()
        assert sorted(rows) == ["a", "b", "c"] and {row[3] for row in rows.values()} == {"voter"}
        cluster = client.call("list")[1]
    leaders = set()
    for member in three.members:
        with Client(three, member.endpoint) as client:
            words = client.call("status")
            assert words[:3] == ["ok", cluster, rows[member.name][0]] and words[7:] == ["voter", "3.4.23", "fine"] or \
                words[7] == "voter" and words[9] == "fine", words
            leaders.add(words[3])
            assert int(words[4]) >= 2 and int(words[5]) >= int(words[6]) > 0
    assert leaders == {rows["abc"[three.leader()]][0]}


def test_replace_a_member(three):
    """A dead voter is removed, a learner is added, promoted when it has caught up, and becomes the leader."""
    with Client(three) as client:
        rows = client.rows()
        dead = next(number for number in range(3) if number != three.leader())
        three.members[dead].kill()
        removed = three.members.pop(dead)
        assert client.call(f"remove {rows[removed.name][0]}")[0] == "ok"
        assert sorted(client.rows()) == sorted({"a", "b", "c"} - {removed.name})
        # a member that does not exist counts as removed
        assert client.call(f"remove {rows[removed.name][0]}")[0] == "ok"
        joining = Joining(three, "d")
        # etcd rejects it until its members have been connected for five seconds
        words = client.until(f"add {joining.peer}", lambda words: words[0] == "ok" or words[:2] != ["refused", "rejected"])
        assert words[0] == "ok" and words[2] == "added", words
        added = words[3]
        assert client.call(f"promote {added}")[:2] == ["refused", "rejected"]
        joining.begin()
        three.members.append(joining)
        client.until(f"promote {added}", lambda words: words[0] == "ok")
        assert client.rows()["d"][3] == "voter"
        leader = three.members[three.leader()]
    with Client(three, leader.endpoint) as client:
        assert client.until(f"move {added}", lambda words: words[0] == "ok")
        client.until("status", lambda words: words[3] == added)
        rows = client.rows()
        assert client.call(f"update {rows[leader.name][0]} http://127.0.0.1:{leader.peer_port}")[0] == "ok"


def test_second_learner_and_unknown_member(three):
    """etcd rejects a second learner and a promotion of no member: nothing has happened."""
    with Client(three) as client:
        client.until("add http://127.0.0.1:1", lambda words: words[0] == "ok")
        assert client.call("add http://127.0.0.1:2")[:2] == ["refused", "rejected"]
        assert client.call("promote 12345")[:2] == ["refused", "rejected"]


def test_problems(three):
    """Not reached, no quorum and another etcd are different problems; each call ends in its time."""
    with Client(three) as client:
        assert client.call("expect 42") == ["ok"]
        assert client.call("list")[:3] == ["unknown", "replaced", "R0519"]
    with Client(three, "https://127.0.0.1:1") as client:
        assert client.call("list")[:2] == ["refused", "unreachable"]
    last = three.members[2]
    with Client(three, last.endpoint) as client:
        for member in three.members[:2]:
            member.kill()
        client.until("status", lambda words: words[:3] == ["unknown", "no", "quorum"])
        begun = time.monotonic()
        assert client.call("add http://127.0.0.1:1")[:3] == ["unknown", "no", "quorum"]
        assert time.monotonic() - begun < 30
        last.kill()
        assert client.call("status")[1] == "unreachable"
