"""A manager that leaves its store for good: what it waits for, what it is refused for, and what is left of it."""

import json
import os
import shutil
import signal
import subprocess

import pytest
from pylib.etcd import Missing
from pylib.etcd_three import Three
from pylib.managers import REEVED, Managers, reeve, until
from pylib.peers import Linked
from test_peers import archive, has, sent
from manager import machine_files  # isort: skip

REEVE = REEVED.parent / "reeve"
pytestmark = pytest.mark.skipif(shutil.which("etcd") is None, reason="needs etcd")


@pytest.fixture(name="etcd", scope="module")
def fixture_etcd(tmp_path_factory):
    """Three members of one etcd."""
    try:
        with Three(tmp_path_factory.mktemp("etcd")) as three:
            yield three
    except Missing as missing:
        pytest.skip(str(missing))


def cluster(name, plugin="sim", size=0):
    """A cluster with one group."""
    return {"name": name, "version": "1", "groups": {"web": {"size": size, "resourcePlugin": {"name": plugin}}}}


def shown(manager):
    """The managers, by name, as one of them shows them."""
    return {row["name"]: row for row in manager.get("/v1/managers").json["items"]}


def events(manager, kind):
    """What happened, of this kind."""
    return [one for one in manager.get("/v1/events?limit=1000").json["items"] if one["type"] == kind]


def leaving(manager, *words):
    """`reeve manager leave`, started."""
    return subprocess.Popen([REEVE, "manager", "leave", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": str(manager.folder)})


def offline(manager, *words, data=None):
    """`reeve manager` on the host of a manager."""
    config = manager.folder / "reeved.yaml"
    if "data:" not in config.read_text():
        config.write_text(config.read_text() + f"data: {manager.folder / 'data'}\n")
    return subprocess.run([REEVE, "manager", *words, "--config", config], input=data, capture_output=True, text=True, check=False, timeout=60)


def test_a_manager_leaves_with_its_clusters_and_blobs_and_comes_back_by_joining(etcd, tmp_path):
    with Linked(tmp_path, etcd, prefix=f"/{tmp_path.name}/", flags=("--haste", "60")) as world:
        world.start()
        first, second, third = world.all
        first.apply(*(cluster(f"c{number}") for number in range(6)))
        until(lambda: sum(row["clusters"] for row in shown(first).values()) == 6 and shown(first)["m1"]["clusters"] > 0, world.said)
        # a bundle that only the manager has that leaves: the other one with a copy has lost its disk
        digest, copies = sent(second, archive("echo kept\n"))
        assert copies == 2
        for manager in (first, third):
            for path in has(manager, digest):
                path.unlink()
        assert second.process is not None and has(second, digest)
        said = reeve(first, "manager", "leave", "m1", "--yes", "-m", "smaller")
        assert "m1: " in said and "m1: it ends\n" in said and "m1 has left the store" in said, said
        assert second.process.wait(60) == 0
        second.process = None
        assert set(shown(first)) == {"m0", "m2"} and not [key for key in world.stored("/_/") if world.identity(1) in key]
        assert sum(row["clusters"] for row in shown(first).values()) == 6
        assert has(first, digest) or has(third, digest)
        assert events(first, "manager.leaving")[0]["why"] == "smaller"
        assert [event["name"] for event in events(first, "manager.removed")] == ["m1"] and not events(first, "manager.left")
        second.start(wait=False)
        assert second.process.wait(60) != 0
        second.process = None
        assert "error[R0590]" in second.log.read_text() and "reeve manager join" in second.log.read_text()
        assert set(shown(first)) == {"m0", "m2"}
        token = offline(first, "token").stdout.strip()
        joined = offline(second, "join", token)
        assert joined.returncode == 0, joined.stderr
        second.start()
        until(lambda: shown(first).get("m1", {}).get("state") == "live" and not shown(first)["m1"].get("leaving"), world.said)
        # They ask the plugins of each other's hosts. Each of them answers such requests with an error when it stops, and so none waits for another.
        assert [manager.stop() for manager in world.all] == [0] * len(world.all)


def test_what_keeps_a_manager_from_leaving(etcd, tmp_path):
    with Managers(tmp_path, etcd, count=2, prefix=f"/{tmp_path.name}/", flags=("--haste", "60")) as world:
        first, second = world.all
        first.start()
        until(lambda: shown(first).get("m0", {}).get("state") == "live", world.said)
        assert "error[R0581]" in reeve(first, "manager", "leave", "--yes", code=5)
        first.apply(cluster("disk", "file", 2))
        until(lambda: len(machine_files(first.folder)) == 2, world.said)
        second.start()
        until(lambda: [row["state"] for row in shown(second).values()] == ["live"] * 2, world.said)
        refused = reeve(second, "manager", "leave", "m0", "--yes", code=5)
        assert "error[R0589]" in refused and "2 machines exist on the host of manager 'm0': clusters disk" in refused and "reeve replace" in refused
        assert "error[R0403]" in reeve(first, "manager", "leave", "m9", "--yes", code=4)
        assert "leave" not in json.dumps(world.stored("/_/Manager/"))
        # by its own socket, without a name; the last state is seen although it no longer answers
        said = reeve(second, "manager", "leave", "--yes")
        assert "m1: it ends\n" in said and "m1 has left the store" in said, said
        assert second.process.wait(60) == 0
        second.process = None
        until(lambda: set(shown(first)) == {"m0"}, world.said)


def test_waiting_ends_without_ending_the_leaving(etcd, tmp_path):
    with Managers(tmp_path, etcd, count=2, prefix=f"/{tmp_path.name}/", flags=("--haste", "60")) as world:
        world.start()
        first, second = world.all
        uploaded = second.ask("POST", "/v1/bundles", archive("echo only here\n"), content_type="application/octet-stream")
        assert uploaded.status in (200, 201), uploaded.text  # without links no other manager can copy it
        until(lambda: [row["state"] for row in shown(first).values()] == ["live"] * 2, world.said)
        late = reeve(first, "manager", "leave", "m1", "--yes", "--timeout", "5s", code=8)
        assert "error[R0028]" in late and "0 of 1 blobs are copied to another manager: this manager has no links" in late, late
        assert "reeve manager undrain m1" in late.replace(str(REEVE), "reeve")
        waiting = leaving(first, "m1", "--yes")
        while "blobs are copied" not in waiting.stderr.readline():
            assert waiting.poll() is None
        waiting.send_signal(signal.SIGINT)
        assert "interrupted: m1 leaves as soon as it can" in waiting.communicate(timeout=60)[1] and waiting.returncode == 130
        waiting = leaving(first, "m1", "--yes")
        while "blobs are copied" not in waiting.stderr.readline():
            assert waiting.poll() is None
        reeve(first, "manager", "undrain", "m1")
        output = waiting.communicate(timeout=60)[1]
        assert waiting.returncode == 5 and "the request to leave was withdrawn" in output, output
        until(lambda: shown(first)["m1"]["state"] == "live", world.said)
        # killed after it has noted that it left, and before its objects are removed: another manager removes them
        second.kill()
        (second.folder / "data/manager.left").write_text("left\n")
        until(lambda: shown(first)["m1"]["state"] == "ended" and events(first, "manager.ended"), world.said)
        assert "m1 had ended, and is removed" in reeve(first, "manager", "leave", "m1", "--yes")
        until(lambda: set(shown(first)) == {"m0"}, world.said)
