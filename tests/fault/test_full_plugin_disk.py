"""A disk that is full under a plugin: what cannot be made is not ready, and every way of asking says the same of each node."""

import contextlib
import json
import os
import subprocess

import pytest

from manager import REEVED, Manager, machines_in, until
from pylib.browser import Browser
from pylib.consistency import Observer
from pylib.displayed import Tabs
from pylib.site import Site

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
    done = subprocess.run([REEVE, *words], capture_output=True, text=True, check=False, timeout=240, stdin=subprocess.DEVNULL,
                          env={**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": str(manager.folder)})
    return done.returncode, done.stdout


def document(size):
    """One group of machines that are files."""
    return {"name": "shop", "version": "1", "groups": {"web": {"size": size, "image": "debian-12", "resourcePlugin": {"name": "file"}}}}


def told(manager, place):
    """Cause, path, plugin, hint and next try: in the record, in status, why, events, and what holds."""
    folder = f"{place}/data/plugins/default/file"
    cause = f"no space left for plugin file; make room on the disk of {folder}"[:120]

    holds = lambda: manager.get("/v1/holds?cluster=shop").json["items"]  # noqa: E731
    tries = lambda: [one["status"].get("tries", 0) for one in manager.get("/v1/resources?cluster=shop").json["items"]]  # noqa: E731

    def is_held():
        """After some attempts; the retry of an operator makes the next one start at once."""
        before = tries()
        manager.post("/v1/nodegroups/shop/web/say", {"command": "retry"})
        until(lambda: holds() or tries() != before, manager.log.read_text)
        return holds()
    until(is_held, manager.log.read_text)
    for one in manager.get("/v1/resources?cluster=shop").json["items"]:
        if one["status"]["state"] == "create":
            problem = one["status"]["problem"]
            assert one["status"]["displayed"] == "refused" and one["status"]["fault"] == "capacity", one
            assert problem["cause"].startswith(cause) and problem["nextAt"] and problem["since"] and "make room" in problem["hint"], problem
    flat = lambda *words: " ".join(reeve(manager, *words)[1].split())  # noqa: E731
    status = flat("status")
    assert "! shop/web-[3-5] (3) refused, since " in status and cause in status and "next: reeve requests the machine again, at 20" in status, status
    assert "hold/shop/web:refused" in status, status
    assert cause in flat("why", "shop/web-3"), flat("why", "shop/web-3")
    assert cause in flat("why", "hold/shop/web:refused"), flat("why", "hold/shop/web:refused")
    facts = [one.get("fact", "") for one in manager.get("/v1/events?cluster=shop&limit=500").json["items"] if one["type"] == "machine.refused"]
    assert facts and all(fact.startswith(cause) for fact in facts), facts


def test_a_full_disk_under_a_plugin(place, tmp_path_factory):
    manager = Manager(place, "--haste", "100", control=True).start()
    counts = lambda: manager.get("/v1/clusters/shop").json.get("status", {}).get("machines", {})  # noqa: E731
    running = lambda: [one["name"] for one in machines_in(place).values()]  # noqa: E731
    browser = Browser(tmp_path_factory.mktemp("chromium"))
    try:
        page = Tabs(Site(manager, browser), "shop")
        with Observer(manager, "shop", page, lambda *words: reeve(manager, *words), running, every=0.3) as observer:
            manager.apply(document(SIZE))
            until(lambda: counts().get("ready") == SIZE, lambda: json.dumps(counts()))
            ballast = place / "data/plugins/ballast"
            with ballast.open("wb", buffering=0) as out, contextlib.suppress(OSError):
                while True:
                    out.write(b"x" * 4096)
            manager.apply(document(MORE))
            until(lambda: counts().get("creating") == MORE - SIZE, lambda: json.dumps(counts()))
            tried = lambda: [one for one in manager.get("/v1/resources?cluster=shop").json["items"] if one["status"].get("tries", 0) >= 1]  # noqa: E731
            until(lambda: len(tried()) == MORE - SIZE, manager.log.read_text)
            told(manager, place)
            code, tree = reeve(manager, "tree", "shop")
            assert code == 0 and f"ready {SIZE}/{MORE}" in tree and "refused" in tree, tree
            until(lambda: observer.has_agreed(creating=MORE - SIZE), lambda: str(observer.since))
            ballast.unlink()
            assert manager.post("/v1/nodegroups/shop/web/say", {"command": "retry"}).status == 200
            until(lambda: counts().get("ready") == MORE, lambda: json.dumps(counts()))
    finally:
        browser.end()
        assert manager.stop() == 0, manager.log.read_text()
