"""One flipped bit in the closed store of a manager: harmless, or the damage is named everywhere and the rest can be read.

The manager always starts. It never shows what was not written, never hangs in reading its store, and never touches a
machine while its store is damaged."""

import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import tempfile

import pytest

from conftest import rounds
from manager import REEVED, Manager, cluster, machine_files, until

FLIPS = rounds("FAULT_FLIPS_MANAGER", 64)
REEVE = REEVED.parent / "reeve"
PAGE = 4096
LISTS = ("clusters", "nodegroups", "resources", "jobs")
FILE = {"name": "file"}


def machines(folder):
    """The files that are machines, and which files they are."""
    return {path.relative_to(folder): path.stat().st_ino for path in machine_files(folder)}


@pytest.fixture(scope="module", name="closed")
def closed_store(tmp_path_factory):
    """The folder of a manager that has ended: three machines, clusters with a history, events; and what it answered."""
    folder = tmp_path_factory.mktemp("closed")
    manager = Manager(folder, "--haste", "100", control=True).start()
    manager.apply({"name": "shop", "version": "1", "groups": {"web": {"size": 3, "resourcePlugin": FILE}}})
    until(lambda: manager.get("/v1/clusters/shop").json.get("status", {}).get("machines", {}).get("ready") == 3)
    for n in range(24):
        manager.apply(cluster(f"c{n}", **{f"g{i}": 0 for i in range(n % 4 + 1)}))
        for turn in range(3):
            assert manager.patch(f"/v1/clusters/c{n}", {"labels": {"turn": f"{turn}" * 40}}).status == 200
    assert manager.stop() == 0
    assert not (folder / "data/store.db-wal").exists()
    quiet = Manager(folder).start()  # keeps nothing: what it shows stays as it is
    whole = shown(quiet)
    assert quiet.stop() == 0
    return folder, whole


def shown(manager):
    """All that it shows, by what it is; of jobs and machines what does not change by itself."""
    found = {}
    for kind in LISTS:
        answer = manager.get(f"/v1/{kind}?limit=500")
        assert answer.status == 200, (kind, answer.text)
        for item in answer.json["items"]:
            meta = item["metadata"]
            path = {"nodegroups": f"{meta.get('cluster')}/{meta['name']}", "clusters": meta["name"]}.get(kind, meta.get("id"))
            found[kind, path] = json.dumps([meta.get("id"), item.get("spec")], sort_keys=True)
    for name in [name for kind, name in found if kind == "clusters"]:
        answer = manager.get(f"/v1/events?cluster={name}&limit=1000")
        if answer.status == 404 and answer.code == "R0403":
            continue  # the row that gives the name to the cluster is damaged
        assert answer.status == 200, (name, answer.text)
        for event in answer.json["items"]:
            found["events", name, event["number"]] = json.dumps(event, sort_keys=True)
    return found


def positions(path):
    """Bits in the head, in the head and the body of each table's first page, and all over the file."""
    dice = random.Random(23)
    pages = path.stat().st_size // PAGE
    heads = [dice.randrange(100 * 8) for _ in range(FLIPS // 8)]
    roots = [(page * PAGE + at) * 8 + dice.randrange(8) for page in range(1, 6) for at in (0, 3, 4, 5, 9, PAGE - 5)]
    rest = [dice.randrange(pages * PAGE * 8) for _ in range(FLIPS)]
    return (heads + roots + rest)[:FLIPS]


def flip(path, position):
    """One bit, counted from the beginning of the file."""
    data = bytearray(path.read_bytes())
    data[position // 8] ^= 1 << position % 8
    path.write_bytes(data)


def manager_on(closed, folder):
    """A manager that keeps clusters, on a copy of the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    subprocess.run(["cp", "-a", closed / "data", folder / "data"], check=True)
    for key in closed.glob("data.*"):
        shutil.copy(key, folder)
    return Manager(folder, "--haste", "100", control=True)


def answers(manager):
    """Wait until it serves; gives what /readyz says then."""
    def look():
        assert manager.process.poll() is None, manager.log.read_text()
        try:
            ready = manager.get("/readyz")
        except OSError:
            return None
        return None if ready.status != 200 and ready.code == "R0428" else ready

    return until(look, manager.log.read_text, seconds=20)


def reeve(manager, *words):
    """The command line; (exit code, what it says on both)."""
    done = subprocess.run([REEVE, *words], capture_output=True, text=True, check=False, timeout=90,
                          env={**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": str(manager.folder)})
    return done.returncode, done.stdout, done.stderr


def is_damage_named(manager):
    """In the answer of /readyz, the log, the metrics, `status`, `doctor`, `get`, and on every answer; and changes are refused."""
    ready = manager.get("/readyz")
    assert (ready.status, ready.code) == (503, "R0506") and "the store is damaged" in ready.json["detail"], ready.text
    assert "reeve restore FILE" in ready.json["hint"], ready.text
    assert "store: damaged" in manager.log.read_text()
    metrics = manager.get("/metrics").text
    assert "reeve_store_writable 0" in metrics and "reeve_store_damaged 0" not in metrics
    assert "the store is damaged" in manager.get("/v1/clusters").headers["Reeve-Store"]
    refused = manager.patch("/v1/clusters/c1", {"labels": {"a": "b"}})
    assert refused.status in (404, 503) and refused.code in ("R0403", "R0506"), refused.text


def judge(manager, whole, before, position):
    """One flip: harmless, or named. Gives which."""
    ready = answers(manager)
    found = shown(manager)
    wrong = {key for key in found if found[key] != whole.get(key)} - {
        key for key in found if key[0] == "events" and key not in whole and ready.status == 200}
    assert not wrong, f"bit {position}: it shows what was not written: {sorted(wrong)}"
    missing = set(whole) - set(found)
    if ready.status == 200:
        assert not missing, f"bit {position}: missing, and nothing is said: {sorted(missing)}"
    else:
        is_damage_named(manager)
        told = " ".join(manager.get("/v1/audit").json["damage"])
        for kind, name, *_ in missing:
            cluster_is_missing = ("clusters", name.split("/")[0]) in missing
            named = f"{name}'" in told or (cluster_is_missing and f"'{name.split('/')[0]}'" in told)
            owner = whole.get(("clusters", name.split("/")[0]))
            named = named or (owner is not None and json.loads(owner)[0] in told)  # by its id, where no name is left
            named = named or "cannot be listed" in told or "further objects" in told  # of many the first ones are named
            assert named or (kind == "events" and "event" in told) or kind == "jobs", (position, kind, name, told)
        assert machines(manager.folder) == before, f"bit {position}: a machine was touched"
    return "harmless" if ready.status == 200 else "named"


def test_a_flipped_bit_is_named_or_harmless(closed, tmp_path):
    folder, whole = closed
    counts = {"harmless": 0, "named": 0}
    for position in positions(folder / "data/store.db"):
        manager = manager_on(folder, tmp_path / "flipped")
        before = machines(manager.folder)
        flip(manager.folder / "data/store.db", position)
        manager.start(wait=False)
        try:
            counts[judge(manager, whole, before, position)] += 1
            assert set(machines(manager.folder)) == set(before)
        finally:
            manager.kill()
    print(counts)
    assert counts["named"] >= FLIPS // 4 and counts["harmless"] > 0


def test_damage_is_named_to_people(closed, tmp_path):
    """The specification of one cluster is damaged: status, get and doctor name it, and all others are shown."""
    folder, whole = closed
    manager = manager_on(folder, tmp_path / "flipped")
    store = sqlite3.connect(manager.folder / "data/store.db")
    key = store.execute("SELECT key FROM log WHERE cast(value AS TEXT) LIKE '%\"c7\"%' AND cast(key AS TEXT) LIKE "
                        "'/default/Cluster/%/spec'").fetchone()[0]
    store.execute("UPDATE log SET value=value||' ' WHERE id=(SELECT id FROM current WHERE key=?)", (key,))
    store.commit()
    store.close()
    before = machines(manager.folder)
    manager.start(wait=False)
    try:
        answers(manager)
        is_damage_named(manager)
        assert "the store is damaged and read-only: 1 of" in reeve(manager, "status")[1].splitlines()[0]
        code, out, said = reeve(manager, "get", "clusters")
        assert code == 0 and "shop" in out and "c6" in out and "c7 " not in out
        assert "! the store is damaged and read-only: 1 of" in said
        code, out, _ = reeve(manager, "doctor")
        assert code != 0 and "spec of Cluster 'c7' in tenant default cannot be shown" in out and "reeve restore FILE" in out
        assert [line for line in out.splitlines() if "objects are intact" in line][0].startswith("ok ")
        found = shown(manager)
        assert {name for kind, name, *_ in set(whole) - set(found) if kind == "clusters"} == {"c7"}
        assert machines(manager.folder) == before
    finally:
        manager.kill()


@pytest.mark.parametrize("spoil, words", [
    (lambda path: path.write_bytes(b"\0" * 8192 + path.read_bytes()[8192:]), "is damaged"),
    (lambda path: path.write_bytes(path.read_bytes()[:1000]), "at least 0 of 0 objects"),
    (lambda path: path.write_bytes(b""), "at least 0 of 0 objects"),
    (lambda path: path.write_bytes(os.urandom(65536)), "at least 0 of 0 objects"),
    (lambda path: path.write_bytes(path.read_bytes()[:PAGE * 20]), "is damaged"),
])
def test_a_store_that_is_all_but_gone(closed, tmp_path, spoil, words):
    folder, _ = closed
    manager = manager_on(folder, tmp_path / "spoiled")
    before = machines(manager.folder)
    spoil(manager.folder / "data/store.db")
    bytes_before = (manager.folder / "data/store.db").read_bytes()
    manager.start(wait=False)
    try:
        assert words in answers(manager).json["detail"]
        is_damage_named(manager)
        shown(manager)
        assert machines(manager.folder) == before
        assert (manager.folder / "data/store.db").read_bytes() == bytes_before, "it is left as it was found"
    finally:
        manager.kill()


def test_an_event_that_is_gone_refuses_no_start(closed, tmp_path):
    folder, whole = closed
    manager = manager_on(folder, tmp_path / "gap")
    with sqlite3.connect(manager.folder / "data/store.db") as store:
        row = store.execute("SELECT id FROM events WHERE number=2 ORDER BY id DESC LIMIT 1").fetchone()
        store.execute("DELETE FROM events WHERE id=?", row)
    store.close()
    manager.start(wait=False)
    try:
        answers(manager)
        is_damage_named(manager)
        assert "1 event of cluster" in " ".join(manager.get("/v1/audit").json["damage"])
        assert len(set(whole) - set(shown(manager))) == 1
    finally:
        manager.kill()


def is_read_only(manager, before):
    """It serves, says everywhere that nothing is changed, and changes nothing."""
    ready = answers(manager)
    assert (ready.status, ready.code) == (503, "R0505") and "read-only" in ready.json["detail"], ready.text
    assert "reeve_store_writable 0" in manager.get("/metrics").text and "reeve_store_damaged 0" in manager.get("/metrics").text
    assert "read-only" in manager.get("/v1/clusters").headers["Reeve-Store"]
    refused = manager.patch("/v1/clusters/c1", {"labels": {"a": "b"}})
    assert (refused.status, refused.code) == (503, "R0505"), refused.text
    assert "read-only" in reeve(manager, "status")[1].splitlines()[0]
    code, out, said = reeve(manager, "get", "clusters")
    assert code == 0 and "shop" in out and "read-only" in said
    code, out, _ = reeve(manager, "doctor")
    assert code != 0 and "read-only" in out
    until(lambda: "not_writable" in manager.log.read_text(), manager.log.read_text)
    assert machines(manager.folder) == before


@pytest.fixture(name="ground")
def reachable_ground(tmp_path):
    """A folder that other users reach too; what is mounted there is not any more afterwards."""
    if os.geteuid() != 0:
        pytest.skip("another user, and a mount, are for root only")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="reeve-ground-"))
    folder.chmod(0o755)
    yield folder
    subprocess.run(["umount", "-q", folder / "at/data"], check=False)
    shutil.rmtree(folder)


def test_a_disk_that_is_read_only(closed, ground):
    folder, whole = closed
    manager = manager_on(folder, ground / "at")
    data = manager.folder / "data"
    subprocess.run(["mount", "--bind", data, data], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro", data], check=True)
    before = machines(manager.folder)
    manager.start(wait=False)
    try:
        is_read_only(manager, before)
        assert shown(manager) == whole
    finally:
        manager.kill()


def test_a_folder_that_its_owner_has_made_read_only(closed, ground):
    """As another user than root, for whom the mode counts. Writable again and started again, it goes on."""
    folder, whole = closed
    manager = manager_on(folder, ground / "at")
    data = manager.folder / "data"
    subprocess.run(["chown", "-R", "nobody", manager.folder], check=True)
    subprocess.run(["chmod", "-R", "a-w", data], check=True)
    manager.within = ("setpriv", "--reuid=nobody", "--clear-groups")
    before = machines(manager.folder)
    manager.start(wait=False)
    try:
        is_read_only(manager, before)
        assert shown(manager) == whole
        assert data.stat().st_mode & 0o777 == 0o500, "the mode is left as the owner wants it"
        manager.kill()
        subprocess.run(["chmod", "-R", "u+w", data], check=True)
        manager.start()
        assert manager.patch("/v1/clusters/c1", {"labels": {"a": "b"}}).status == 200
    finally:
        manager.kill()
