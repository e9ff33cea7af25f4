"""A disk that is full under the manager: said once, told by /readyz, reads go on; and it ends by itself."""

import os
import pathlib
import subprocess
import sys
import time

import pytest

from conftest import ROOT

sys.path.insert(0, str(pathlib.Path(ROOT) / "tests/e2e"))
from manager import Manager, cluster  # noqa: E402  pylint: disable=wrong-import-position

DEADLINE_S = 60


@pytest.fixture(name="disk")
def small_disk(tmp_path):
    """A disk of 8 MiB of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", folder]
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
        (disk / "ballast").write_bytes(b"x" * (2 << 20))
        answer, number = None, 0
        while answer is None or answer.status == 200:
            number += 1
            wide = cluster(f"wide{number}", **{f"g{i}": 1 for i in range(200)})
            answer = manager.post("/v1/apply", {"documents": [wide]})
            assert number < 1000
        assert (answer.status, answer.code) == (503, "R0505"), answer.text
        assert answer.headers["Retry-After"]
        for _ in range(20):
            assert manager.post("/v1/apply", {"documents": [wide]}).status == 503
            assert manager.get("/v1/clusters/shop").status == 200
        ready = manager.get("/readyz")
        assert (ready.status, ready.code) == (503, "R0505") and "disk is full" in ready.json["detail"]
        assert manager.get("/healthz").status == 200 and not writable(manager)
        wait_for(lambda: told(manager, "not_writable") > 0)
        assert told(manager, "not_writable") == 1, "said once, not once a request"
        (disk / "ballast").unlink()
        wait_for(lambda: manager.get("/readyz").status == 200)  # nobody writes meanwhile
        assert writable(manager)
        manager.apply(wide)
        wait_for(lambda: told(manager, "store: writable") == 1)
        assert told(manager, "not_writable") == 1
        whole = manager.get(f"/v1/clusters/wide{number}").json
        manager.kill()
        manager.start()
        assert manager.get(f"/v1/clusters/wide{number}").json == whole
    finally:
        manager.stop()
