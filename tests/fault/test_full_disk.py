"""A disk that is full under the manager: said once, told by /readyz, reads go on; and it ends by itself."""

import contextlib
import json
import os
import re
import subprocess
import time

import pytest

from manager import REEVED, Manager, cluster

DEADLINE_S = 240
BALLAST = 8 << 20
REEVE = REEVED.parent / "reeve"


@pytest.fixture(name="disk")
def small_disk(tmp_path):
    """A disk of 16 MiB of its own, of which the ballast takes half: a write-ahead log of 5 MiB fits into what is freed."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", folder]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk can be mounted by root only")
    yield folder
    subprocess.run(["umount", folder], check=True)


def told(manager, event):
    """How often the log has an event."""
    return manager.log.read_text().count(event)


def writable(manager):
    """The metric."""
    return "reeve_store_writable 1" in manager.get("/metrics").text


def reeve(manager, *words):
    """What the command line shows of it."""
    done = subprocess.run([REEVE, *words], capture_output=True, text=True, check=False, timeout=DEADLINE_S,
                          env={**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": str(manager.folder)})
    assert done.returncode == 0, done
    return done.stdout


def wait_for(what):
    """Until it is so."""
    deadline = time.monotonic() + DEADLINE_S
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_full_disk(disk, tmp_path):
    manager = Manager(tmp_path, "--data", str(disk / "data")).start()
    try:
        manager.apply(cluster("shop", web=3))
        (disk / "ballast").write_bytes(b"x" * BALLAST)
        answer, number = None, 0
        while answer is None or answer.status == 200:
            number += 1
            wide = cluster(f"wide{number}", **{f"g{i}": 1 for i in range(200)})  # more than one transaction
            answer = manager.post("/v1/apply", {"documents": [wide]})
            assert number < 1000
        assert (answer.status, answer.code) == (503, "R0505"), answer.text
        assert answer.headers["Retry-After"] and f"no space left in '{disk / 'data'}'" in answer.json["detail"]
        for _ in range(20):
            refused = manager.post("/v1/apply", {"documents": [wide]})  # also where its first transaction was written
            assert (refused.status, refused.code) == (503, "R0505"), refused.text
            assert manager.get("/v1/clusters/shop").status == 200
        ready = manager.get("/readyz")
        assert (ready.status, ready.code) == (503, "R0505") and "disk is full" in ready.json["detail"]
        assert manager.get("/healthz").status == 200 and not writable(manager)
        trouble = f"the store accepts no changes: the disk is full: no space left in '{disk / 'data'}'; hint: free space on that disk; the store then recovers automatically"
        assert reeve(manager, "status").splitlines()[0] == f"  ! {trouble}"
        assert json.loads(reeve(manager, "status", "-o", "json"))["problem"] == trouble
        wait_for(lambda: told(manager, "not_writable") > 0)
        assert told(manager, "not_writable") == 1, "said once, not once a request"
        (disk / "ballast").unlink()
        wait_for(lambda: manager.get("/readyz").status == 200)  # nobody writes meanwhile
        assert writable(manager)
        manager.apply(wide)
        wait_for(lambda: told(manager, "store: writable") == 1)
        assert told(manager, "not_writable") == 1
        ended = next(line for line in manager.log.read_text().splitlines() if "store: writable" in line)
        assert re.search(r" ms=[0-9]+ was=.*no space left in ", ended), ended
        assert "  ! " not in reeve(manager, "status")
        whole = manager.get(f"/v1/clusters/wide{number}").json
        manager.kill()
        manager.start()
        assert manager.get(f"/v1/clusters/wide{number}").json == whole
    finally:
        manager.stop()


def test_a_disk_that_has_room_for_small_changes_alone(disk, tmp_path):
    """A large change is refused, and small ones are taken before anything has looked: the store counts as full, everywhere and
    without a break, until a change as large as the refused one has room. It is reported once for each time that the disk is full."""
    manager = Manager(tmp_path, "--data", str(disk / "data")).start()
    labels = {f"l{i}": "x" * 60 for i in range(60)}
    wide = {}

    def fill_up():
        """Until a large change has no room, and small ones have."""
        (disk / "crumb").write_bytes(b"x" * (256 << 10))
        with contextlib.suppress(OSError), (disk / "ballast").open("wb", buffering=0) as ballast:
            for _ in range(BALLAST >> 16):
                ballast.write(b"x" * (1 << 16))
        answer = None
        while answer is None or answer.status == 200:
            wide.clear()
            wide.update(cluster(f"wide{len(manager.get('/v1/clusters').json['items'])}", **{f"g{i}": 1 for i in range(45)}))
            for group in wide["groups"].values():
                group["labels"] = labels
            answer = manager.post("/v1/apply", {"documents": [wide]})
        assert (answer.status, answer.code) == (503, "R0505"), answer.text
        (disk / "crumb").unlink()

    def small_ones_are_taken():
        """And the store counts as full all the same."""
        for n in range(5):
            assert manager.patch("/v1/clusters/shop", {"labels": {"n": str(n)}}).status == 200
            assert (manager.get("/readyz").status, writable(manager)) == (503, False)
        assert "the disk is full" in reeve(manager, "status").splitlines()[0]

    try:
        manager.apply(cluster("shop", web=3))
        fill_up()
        small_ones_are_taken()
        wait_for(lambda: told(manager, "not_writable") == 1)
        assert manager.post("/v1/apply", {"documents": [wide]}).status == 503
        small_ones_are_taken()
        assert (told(manager, "not_writable"), told(manager, "store: writable")) == (1, 0)
        (disk / "ballast").unlink()
        wait_for(lambda: manager.get("/readyz").status == 200)
        manager.apply(wide)
        wait_for(lambda: told(manager, "store: writable") == 1)
        fill_up()
        small_ones_are_taken()
        wait_for(lambda: told(manager, "not_writable") == 2)
        (disk / "ballast").unlink()
        wait_for(lambda: told(manager, "store: writable") == 2)
        assert told(manager, "not_writable") == 2
    finally:
        manager.stop()
