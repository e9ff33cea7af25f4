"""The members of a store in etcd, and the service level, as managers show them."""

import contextlib
import os
import pathlib
import shutil
import signal

import pytest
from pylib.etcd import Missing
from pylib.etcd_three import Three
from pylib.managers import REEVED, Manager, Managers, key_write, reeve, until

pytestmark = pytest.mark.skipif(shutil.which("etcd") is None, reason="needs etcd")


@pytest.fixture(name="etcd")
def fixture_etcd(tmp_path_factory):
    """Three members of one etcd."""
    try:
        with Three(tmp_path_factory.mktemp("etcd")) as three:
            yield three
    except Missing as missing:
        pytest.skip(str(missing))


def shown_by(manager):
    """What the manager shows, with its members by name."""
    shown = manager.get("/v1/managers").json
    return shown, {row.get("name"): row for row in shown.get("members", [])}


def stores_of(data):
    """The processes reeve-store of this data folder."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = path.read_bytes().split(b"\0")
            if words[0].endswith(b"reeve-store") and str(data).encode() in words:
                found.append(int(path.parent.name))
    return found


def level(manager):
    return shown_by(manager)[0].get("level")


def metric(manager):
    return next((line.split()[1] for line in manager.get("/metrics").text.splitlines() if line.startswith("reeve_store_level ")), None)


def test_levels_and_members(etcd, tmp_path):
    """A with all members, B without one, C without a majority, and A again. Every manager shows it, also the one whose member is gone."""
    with Managers(tmp_path, etcd, count=2) as managers:
        managers.start()
        first = managers.all[0]
        until(lambda: level(first) == "A" and all(row["state"] == "answers" for row in shown_by(first)[1].values()), managers.said)
        shown, members = shown_by(first)
        assert sorted(members) == ["a", "b", "c"] and shown["spare"] == 1 and "levelReason" not in shown
        assert [row["leader"] for row in members.values()].count(True) == 1
        assert all(row["kind"] == "voter" and row["lag"] < 1000 and row["version"].startswith("3.") for row in members.values()), members
        assert metric(first) == "0"
        said = reeve(first, "manager", "status")
        assert "store level A\n" in said and "member a  voter" in said and ", leader" in said, said
        assert "store level" not in reeve(first, "status")

        etcd.members[0].kill()
        for manager in managers.all:
            until(lambda: level(manager) == "B", managers.said)  # pylint: disable=cell-var-from-loop
        shown, members = shown_by(first)
        assert shown["levelReason"] == "member a does not answer; one more loss stops all writes" and shown["spare"] == 0
        assert members["a"]["state"] == "silent" and members["a"]["reason"] and members["b"]["state"] == "answers"
        assert metric(first) == "1"
        assert "store level B: member a does not answer" in reeve(first, "status")

        etcd.members[1].kill()
        until(lambda: level(first) == "C" and metric(first) == "2", managers.said)
        assert shown_by(first)[0]["levelReason"].startswith("no quorum answers: ")
        etcd.members[0].begin()
        etcd.members[1].begin()
        until(lambda: level(first) == "A" and metric(first) == "0", managers.said)


def test_a_member_that_was_replaced(etcd, tmp_path):
    """The list follows etcd: a removed member is gone, a new one that has never started is shown with the reason."""
    with Managers(tmp_path, etcd, count=1) as managers:
        managers.start()
        first = managers.all[0]
        until(lambda: len(shown_by(first)[1]) == 3, managers.said)
        removed = shown_by(first)[1]["c"]["id"].lstrip("0")
        etcd.members[2].kill()
        until(lambda: removed not in etcd.etcdctl("member", "list", check=False) or not etcd.etcdctl("member", "remove", removed, check=False), managers.said)
        # etcd rejects it until its members have been connected for five seconds
        peer = "http://127.0.0.1:1"
        until(lambda: "added" in etcd.etcdctl("member", "add", "d", "--learner", f"--peer-urls={peer}", check=False)
              or peer in etcd.etcdctl("member", "list", check=False), managers.said)  # an attempt that was not answered may have succeeded
        until(lambda: sorted(row["kind"] for row in shown_by(first)[0]["members"]) == ["learner", "voter", "voter"], managers.said)
        learner = until(lambda: next((row for row in shown_by(first)[0]["members"] if row["kind"] == "learner" and row.get("reason")), None), managers.said)
        assert learner["state"] == "silent" and learner["reason"] == "it has never started" and learner["peer"] == "http://127.0.0.1:1"
        assert level(first) == "A"


@pytest.mark.skipif(shutil.which("etcdctl") is None or not (REEVED.parent / "reeve-store").exists(), reason="needs etcdctl and reeve-store")
def test_a_managed_store_of_one_member(tmp_path):
    """The only member listens on this host alone, and is asked there: the level is A."""
    key_write(tmp_path / "secrets.key", os.urandom(32))
    key_write(tmp_path / "data.signer.key", os.urandom(32))
    config = tmp_path / "reeved.yaml"
    config.write_text(f"name: m0\ndata: {tmp_path}/data\nsecretKey: {tmp_path}/secrets.key\nstore: managed\n")
    manager = Manager(tmp_path, "--config", str(config), "--haste", "20", control=True)
    manager.start()
    try:
        until(lambda: level(manager) == "A" and [row["state"] for row in shown_by(manager)[0]["members"]] == ["answers"],
              lambda: str(shown_by(manager)[0]))
        shown = shown_by(manager)[0]
        assert shown["store"] == "managed" and shown["members"][0]["leader"] and shown["spare"] == 0, shown
        assert "store level A\n" in reeve(manager, "manager", "status")
    finally:
        manager.stop()
        for pid in stores_of(tmp_path / "data"):
            os.kill(pid, signal.SIGTERM)
        until(lambda: not stores_of(tmp_path / "data"))
