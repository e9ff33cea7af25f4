"""A store of the release before is opened, migrated and used: by kill -9 at any moment of it, from a backup, and by one program
after the other (issue 25, d). `fixtures/store-format-1.tar.xz` was written by that release (fixtures/former_store.py)."""
import json
import pathlib
import re
import socket
import sqlite3
import subprocess
import tarfile
import time

import pytest

from conftest import ENVIRONMENT, REEVE
from manager import REEVED, Manager, machines_in, until

FORMER = pathlib.Path(__file__).parent / "fixtures/store-format-1.tar.xz"
FORMAT = 2
PORT = 47391
NAMES = re.compile(r'"(?:sick|taken_back|terminated|new_life|old_life|life|lifeSince|said|wish|troubles|machine\.(?:calm|well|made|'
                   r'ended)|node\.anew|\w+\.(?:rerun|rotation)_wished)"|:terminated"')


@pytest.fixture
def doors():
    """What the probes of the machines of shop/web ask."""
    opened = [socket.create_server((f"127.0.77.{number}", PORT), backlog=4096) for number in range(4)]
    yield opened
    for one in opened:
        one.close()


@pytest.fixture
def former(tmp_path, doors):
    """A manager on the store of the former release, not started yet."""
    with tarfile.open(FORMER) as archive:
        archive.extractall(tmp_path)  # our own archive
    manager = Manager(tmp_path, control=True)  # not in haste: the holds of the former release stay
    yield manager
    manager.kill()


def format_of(manager):
    with sqlite3.connect(f"file:{manager.folder}/data/store.db?mode=ro", uri=True) as store:
        return store.execute("PRAGMA user_version").fetchone()[0]


def stored(manager):
    """Every current value and event body that the store of a manager has; it has ended."""
    with sqlite3.connect(f"file:{manager.folder}/data/store.db?mode=ro", uri=True) as store:
        values = store.execute("SELECT CAST(l.key AS TEXT),l.value FROM current c JOIN log l ON l.id=c.id WHERE NOT dead").fetchall()
        return [(key, value.decode(errors="replace")) for key, value in values]


def seen(manager):
    """All that the API shows of clusters, machines, jobs, holds and events."""
    paths = ("clusters", "nodegroups", "resources?cluster=shop", "resources?cluster=lab", "jobs?cluster=shop", "holds?cluster=shop",
             "events?cluster=shop&limit=1000", "events?cluster=lab&limit=1000", "events?limit=1000")
    return {path: manager.get(f"/v1/{path}").json for path in paths}


def tokens(manager):
    """The machines, but for those of the group `bad`, whose back-off ends at some time after the release wrote its store."""
    return {one["token"]: (one["group"], one["slot"]) for one in machines_in(manager.folder).values() if one["group"] != "bad"}


def reeve(manager, *words, code=0):
    done = subprocess.run([str(REEVE), *words], text=True, capture_output=True, check=False, timeout=240, stdin=subprocess.DEVNULL,
                          env={**ENVIRONMENT, "REEVE_URL": f"unix:{manager.socket}"})
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def test_a_store_of_the_former_format_is_migrated_and_used(former, tmp_path):
    before = tokens(former)
    former.start()
    assert re.search(r"store: migrated .*format=2", former.log.read_text()), former.log.read_text()
    shown = seen(former)
    assert not NAMES.search(json.dumps(shown)), NAMES.search(json.dumps(shown))
    types = {one["type"] for one in shown["events?cluster=shop&limit=1000"]["items"]}
    assert {"machine.created", "machine.destroyed", "machine.unhealthy", "machine.condemned"} <= types
    rules = {one.get("rule") for one in shown["events?cluster=shop&limit=1000"]["items"]}
    assert {"unhealthy", "rollout_aborted", "backoff_exhausted"} <= rules
    assert "app:roll_stopped" in {one["metadata"]["name"] for one in shown["holds?cluster=shop"]["items"]}
    assert len(former.get("/v1/users").json["items"]) == 1 and len(former.get("/v1/grants").json["items"]) == 1
    assert former.get("/v1/tokens").json["items"][0]["spec"]["note"] == "of the former release"
    for name in ("shop", "lab"):  # no drift
        file = tmp_path / f"{name}.yaml"
        file.write_text(reeve(former, "get", "cluster", name, "-o", "yaml", "--bare"))
        assert "no difference" in reeve(former, "plan", "-f", str(file))
    assert tokens(former) == before
    assert former.patch("/v1/nodegroups/lab/one", {"size": 3}).status == 200
    until(lambda: sum(group == "one" for group, _ in tokens(former).values()) == 3, former.log.read_text)
    assert before.items() <= tokens(former).items()
    reeve(former, "audit")  # events of both releases follow one another
    assert "rollout_aborted" in former.get("/v1/events?cluster=shop&limit=1000").text
    assert former.stop() == 0
    assert format_of(former) == FORMAT
    assert not [(key, value) for key, value in stored(former) if key.split("/")[2] in ("Resource", "Hold", "Job", "Control", "Authority")
                and NAMES.search(value)]


def test_a_manager_that_is_killed_while_it_migrates(former):
    """Whenever it is killed, the next one has everything."""
    before = tokens(former)
    for delay in (0, 0.005, 0.01, 0.02, 0.04, 0.08):
        former.start(wait=False)
        time.sleep(delay)
        former.kill()
    former.start()
    assert not NAMES.search(json.dumps(seen(former)))
    count = re.match(r"(\d+) events were written, 0 of them dropped", reeve(former, "audit"))
    assert count and int(count[1]) >= 111  # and those of this release
    assert tokens(former) == before
    assert former.stop() == 0
    assert format_of(former) == FORMAT


def test_a_backup_of_the_former_format_is_restored(former, tmp_path):
    (backup,) = (former.folder / "data/backups").iterdir()
    new = Manager(tmp_path / "new", "--haste", "100", control=True)
    new.folder.mkdir()
    done = subprocess.run([str(REEVE), "restore", str(backup), "--data-dir", str(new.folder / "data")], text=True,
                          capture_output=True, check=False, timeout=240, env=ENVIRONMENT)
    assert done.returncode == 0, done.stdout + done.stderr
    with new.start():
        assert "store: migrated" in new.log.read_text()
        assert not NAMES.search(json.dumps(seen(new)))
        reeve(new, "audit")
    assert format_of(new) == FORMAT


def test_a_store_of_a_later_format_is_left_alone(former):
    with sqlite3.connect(former.folder / "data/store.db") as store:
        store.execute("PRAGMA user_version=4")
    store.close()
    done = subprocess.run([str(REEVED), "--data", str(former.folder / "data"), "--socket", former.socket], capture_output=True, text=True,
                          check=False, timeout=240)
    assert done.returncode != 0 and "R0508" in done.stderr and "format 4" in done.stderr, done.stderr
    assert "use the version that wrote the store" in done.stderr
    assert format_of(former) == 4
