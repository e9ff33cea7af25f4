"""A disk that is full under a plugin: what cannot be made is not ready, and every way of asking says the same of each node."""

import contextlib
import json
import os
import subprocess

import pytest

from manager import REEVED, Manager, machines_in, until
from pylib.consistency import Observer

REEVE = REEVED.parent / "reeve"
SIZE, MORE = 3, 6


@pytest.fixture(name="place")
def small_disk(tmp_path):
    """The plugins of the manager have a disk of 1 MiB of their own."""
    folder = tmp_path / "data" / "plugins"
    folder.mkdir(parents=True)
    for one in (folder, folder.parent):
        one.chmod(0o700)
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", folder]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk can be mounted by root only")
    yield tmp_path
    subprocess.run(["umount", folder], check=True)


def reeve(manager, *words):
    """The command line, whatever it ends with."""
    done = subprocess.run([REEVE, *words], capture_output=True, text=True, check=False, timeout=60, stdin=subprocess.DEVNULL,
                          env={**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": str(manager.folder)})
    return done.returncode, done.stdout


def document(size):
    """One group of machines that are files."""
    return {"name": "shop", "version": "1", "groups": {"web": {"size": size, "image": "debian-12", "resourcePlugin": {"name": "file"}}}}


def test_a_full_disk_under_a_plugin(place):
    manager = Manager(place, "--haste", "100", control=True).start()
    counts = lambda: manager.get("/v1/clusters/shop").json.get("status", {}).get("machines", {})  # noqa: E731
    running = lambda: [one["name"] for one in machines_in(place).values()]  # noqa: E731
    try:
        with Observer(manager, "shop", lambda *words: reeve(manager, *words), running, every=0.3) as observer:
            manager.apply(document(SIZE))
            until(lambda: counts().get("ready") == SIZE, lambda: json.dumps(counts()))
            ballast = place / "data/plugins/ballast"
            with ballast.open("wb", buffering=0) as out, contextlib.suppress(OSError):
                while True:
                    out.write(b"x" * 4096)
            manager.apply(document(MORE))
            until(lambda: counts().get("creating") == MORE - SIZE, lambda: json.dumps(counts()))
            tried = lambda: [one for one in manager.get("/v1/resources?cluster=shop").json["items"] if one["status"].get("tries", 0) >= 2]  # noqa: E731
            until(lambda: len(tried()) == MORE - SIZE, manager.log.read_text)
            code, tree = reeve(manager, "tree", "shop")
            assert code == 0 and f"ready {SIZE}/{MORE}" in tree and "creating" in tree, tree
            until(lambda: observer.seen and observer.seen[-1]["creating"] == MORE - SIZE)
            ballast.unlink()
            assert manager.post("/v1/nodegroups/shop/web/say", {"word": "retry"}).status == 200
            until(lambda: counts().get("ready") == MORE, lambda: json.dumps(counts()))
    finally:
        assert manager.stop() == 0, manager.log.read_text()
