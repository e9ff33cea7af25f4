"""The chain of events: whatever takes an event away, or changes one, behind the manager's back is noticed at the next start, by
`reeve doctor` and by `reeve audit`."""

import contextlib
import json
import shutil
import sqlite3
import time

import pytest

from manager import DEADLINE_S, Manager, cluster

FINE = "no event is missing"


@pytest.fixture(name="world")
def written(tmp_path):
    """A manager that has ended, with events of two clusters and of the tenant."""
    manager = Manager(tmp_path).start()
    manager.apply(cluster("shop", web=1))
    manager.apply(cluster("lab", web=1))
    for size in (2, 3):
        manager.patch("/v1/nodegroups/shop/web", {"size": size})
        manager.post("/v1/users", {"name": f"user{size}"})
    assert manager.stop() == 0
    yield manager
    manager.stop()


@contextlib.contextmanager
def opened(manager):
    """The database of one that does not run."""
    with contextlib.closing(sqlite3.connect(manager.folder / "data/store.db")) as database:
        yield database
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for name in ("store.db-wal", "store.db-shm", "store.db-note"):  # of another life of the file
        (manager.folder / "data" / name).unlink(missing_ok=True)


def checksum(*parts, seed=0):
    """As src/store/checksum.c has it: for bits that flip, and not against people."""
    def number(value, seed):
        value = (seed ^ value) * 0x9e3779b97f4a7c15 % 2**64
        return value ^ value >> 32
    for part in parts:
        if isinstance(part, int):
            seed = number(part, seed)
            continue
        seed = number(len(part), seed)
        for start in range(0, len(part), 8):
            seed = number(int.from_bytes(part[start:start + 8], "little"), seed)
    return seed


def mark_of(row, links):
    """The checksum of an event in the chain, and its links."""
    return checksum(links[:32], links[32:], seed=checksum(*row) >> 1).to_bytes(8, "big") + links


def audit(manager, **more):
    """What the API says."""
    answer = manager.get("/v1/audit?verify=1", **more)
    assert answer.status == 200, answer.text
    return answer.json


def told(manager, reeve, words):
    """It has started, and everybody who looks is told so."""
    env = {"REEVE_URL": f"unix:{manager.socket}"}
    assert f"store: events_missing reason=\"{words}" in manager.log.read_text()
    assert words in audit(manager)["fault"]
    doctor = reeve("doctor", env=env)
    assert doctor.returncode == 1 and f"FAIL  the events do not match their hash chain: {words}" in doctor.stdout, doctor.stdout
    verify = reeve("audit", env=env)
    assert verify.returncode == 1 and "R0578" in verify.stderr and words in verify.stderr
    assert "reeve_events_fit_chain 0" in manager.get("/metrics").text


def test_what_is_whole_stays_so(world, reeve):
    """Through an end, a kill, and more events."""
    with opened(world) as database:
        count, = database.execute("SELECT count(*) FROM events").fetchone()
    for end in (world.stop, world.kill, world.stop):
        world.start()
        world.post("/v1/users", {"name": f"one{count}"})
        count += 1
        found = audit(world)
        assert "fault" not in found and found["written"] == count and found["head"].startswith("reeve-audit 1 "), found
        end()
        assert (world.folder / "data/store.db-audit").stat().st_mode & 0o777 == 0o600
    world.start()
    env = {"REEVE_URL": f"unix:{world.socket}"}
    assert FINE in reeve("doctor", env=env).stdout
    done = reeve("audit", env=env)
    assert done.returncode == 0 and found["head"] in done.stdout, done
    assert "events_missing" not in world.log.read_text()
    world.post("/v1/users", {"name": "ana"})
    world.post("/v1/grants", {"user": "ana", "role": "admin"})
    token = world.post("/v1/tokens", {"user": "ana"}).json["token"]
    assert world.get("/v1/audit", token=token).code == "R0409"  # it is of all tenants


@pytest.mark.parametrize("which", ["SELECT max(id) FROM events", "SELECT min(id) FROM events",
                                   "SELECT max(id) FROM events WHERE CAST(body AS TEXT) LIKE '%\"lab\"%'",
                                   "SELECT max(id) FROM events WHERE CAST(body AS TEXT) LIKE '%\"shop\"%'"])
def test_an_event_that_is_deleted_is_missed(world, reeve, which):
    """The newest one; the first of a cluster, as if it were dropped for its age; the last of a cluster that is not the newest one."""
    with opened(world) as database:
        assert database.execute(f"DELETE FROM events WHERE id=({which})").rowcount == 1
    world.start()
    told(world, reeve, "1 of ")
    world.post("/v1/users", {"name": "more"})  # what comes behind it does not hide it
    world.stop()
    world.start()
    assert "1 of " in audit(world)["fault"]


def test_an_event_amid_its_cluster_keeps_the_store_from_starting(world):
    with opened(world) as database:
        assert database.execute("DELETE FROM events WHERE number=2 AND length(cluster)>length('default/')").rowcount == 1
    world.start(wait=False)
    answer, deadline = None, time.monotonic() + DEADLINE_S
    while answer is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            answer = world.get("/readyz")
        time.sleep(0.02)
    assert answer is not None and answer.status == 503, answer
    assert "an event is missing" in world.log.read_text()
    world.kill()


def test_a_head_that_was_made_to_fit_is_missed_as_well(world, reeve, tmp_path):
    """Meta is put back with the events; the file beside the database remembers."""
    with opened(world) as database:
        before = database.execute("SELECT name,value,checksum FROM meta WHERE name='audit'").fetchone()
        newest, = database.execute("SELECT max(id) FROM events").fetchone()
    world.start()
    world.post("/v1/users", {"name": "intruder"})
    world.stop()
    kept = (tmp_path / "data/store.db-audit").read_text()
    with opened(world) as database:
        assert database.execute("DELETE FROM events WHERE id>?", (newest,)).rowcount == 1
        database.execute("UPDATE meta SET value=?2, checksum=?3 WHERE name=?1", before)
    world.start()
    told(world, reeve, "the store has fewer events than the audit file beside it records")
    world.stop()
    assert (tmp_path / "data/store.db-audit").read_text() == kept  # what was found is not written over


def test_an_older_copy_of_the_store_is_noticed(world, reeve, tmp_path):
    with opened(world):
        pass
    shutil.copy(world.folder / "data/store.db", tmp_path / "older")
    world.start()
    world.post("/v1/users", {"name": "later"})
    world.stop()
    with opened(world):
        pass
    shutil.copy(tmp_path / "older", world.folder / "data/store.db")
    world.start()
    told(world, reeve, "the store has fewer events than the audit file beside it records")


def test_events_of_before_the_chain_are_no_fault(world):
    """A store of an older version: its events have no links, and are not counted; those that come are in the chain."""
    with opened(world) as database:
        for row in database.execute("SELECT id, number, time_ms, cluster, body FROM events").fetchall():
            database.execute("UPDATE events SET checksum=? WHERE id=?", (checksum(*row) >> 1, row[0]))
        database.execute("DELETE FROM meta WHERE name='audit'")
    (world.folder / "data/store.db-audit").unlink()
    world.start()
    assert audit(world) | {"head": "", "revision": 0} == {"head": "", "revision": 0, "written": 0, "dropped": 0}
    world.post("/v1/users", {"name": "first"})
    found = audit(world)
    assert found["written"] == 1 and "fault" not in found
    assert json.loads(world.get("/v1/events").text)["items"]


def test_an_event_that_is_changed_is_found_by_verifying(world, reeve):
    """Its checksum is made to fit, so that nothing is damaged; its link is not."""
    with opened(world) as database:
        row = database.execute("SELECT id, number, time_ms, cluster, body, checksum FROM events WHERE CAST(body AS TEXT) LIKE '%user2%'").fetchone()
        assert mark_of(row[:5], row[5][8:]) == row[5]
        body = row[4].replace(b"user2", b"nobod")
        mark = mark_of((*row[:4], body), row[5][8:])
        database.execute("UPDATE events SET body=?, checksum=? WHERE id=?", (body, mark, row[0]))
    world.start()
    assert "nobod" in world.get("/v1/events").text
    verify = reeve("audit", env={"REEVE_URL": f"unix:{world.socket}"})
    assert verify.returncode == 1 and "1 events differ from what was written" in verify.stderr, verify
