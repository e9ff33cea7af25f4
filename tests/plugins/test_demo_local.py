"""tools/demo as root: five containers with sshd, one broken and there again, and nothing left behind (issue 6 a, UX.md 2.1)."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from manager import until  # noqa: E402
from pylib.containers import IMAGES, Room, census, ground, left_over  # noqa: E402
from pylib.pages import consented, quickstart_commands, session_run, sessions  # noqa: E402
from test_local import BUILD, Place, debian  # noqa: E402

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")


@pytest.fixture
def base(tmp_path):
    """A folder on which file systems can be laid."""
    with ground(tmp_path, is_alone=True) as folder:
        yield folder


@pytest.fixture
def room(base):
    """Links and mounts of its own."""
    one = Room(base)
    yield one
    one.close()


@pytest.fixture
def tree(base, room):
    """A checkout of its own with the binaries that are tested, and the images that are kept between runs."""
    place = base / "rvtestdemo"
    for part in ("tools/demo", "tools/lib.sh", "examples/demo.yaml", "examples/local.yaml"):
        (place / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / part, place / part)
    shutil.copytree(ROOT / "examples/bundles", place / "examples/bundles")
    (place / "build/plugins").mkdir(parents=True)
    for name in ("reeve", "reeved", "reeve-host", "reeve-signer", "reeve-session", "plugins/local.so"):
        shutil.copy(BUILD / name, place / "build" / name)
    (place / "build/demo-images").symlink_to(IMAGES)
    yield place
    if (place / "build/demo").exists():  # the test has failed half-way
        run(room, place, "tools/demo", "down")


def run(room, place, *words):
    """Run a command there."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("REEVE_")}
    done = subprocess.run([*room.within, "sh", "-c", 'cd "$0" && exec "$@"', str(place), *words],
                          env={**kept, "HOME": str(place / "home")}, capture_output=True, text=True, check=False,
                          timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def resources(room, place):
    """Machine and address of each node."""
    told = run(room, place, "build/reeve", "get", "resources")
    return {node: (machine, address) for node, machine, address in
            re.findall(r"^demo/(\S+)\s+active\s+\S+\s+local\s+(\S+)\s+(\S+)", told, re.MULTILINE)}


def greeting(room, address):
    """What sshd says, once it does."""
    ends = time.monotonic() + 60
    while not (said := room.banner(address)):
        assert time.monotonic() < ends, f"nobody answers at {address}"
        time.sleep(0.05)
    return said


def said_by(room, place, node):
    """What its second stage has written."""
    lines = run(room, place, "build/reeve", "logs", f"demo/{node}", "--stage", "meet", "-o", "jsonl").splitlines()
    return [json.loads(line)["text"] for line in lines]


@debian
def test_five_containers_one_broken(base, tree, room):
    first = Place(base, "plain", IMAGES)  # the image is made where there is a way to the mirror
    made = first.create("0123456789abcdef01", image="debian", deadline_s=600)
    assert made.result == "ok", made
    first.destroy(made.id)
    first.host.close()
    before = census(str(tree)), room.mounts(), room.links()
    told = run(room, tree, "tools/demo", "up")
    assert "5 ready" in told and "containers with sshd" in told
    nodes = resources(room, tree)
    assert len(nodes) == 5 and len({address for _, address in nodes.values()}) == 5
    for _, address in nodes.values():
        assert greeting(room, address).startswith("SSH-2.0-")
    assert len(room.links()) == 1 + 5 and len(room.mounts()) == 5  # or the census below would see nothing
    met = [f"met {node}" for node in ("db-0", "db-1", "web-0", "web-1", "web-2")]
    assert said_by(room, tree, "web-0") == met
    began = time.monotonic()
    told = run(room, tree, "tools/demo", "break", "web-2")
    assert "in its place" in told
    after = resources(room, tree)
    assert after.get("web-2", nodes["web-2"])[0] != nodes["web-2"][0], run(room, tree, "build/reeve", "events", "--since", "1")
    assert greeting(room, after["web-2"][1]).startswith("SSH-2.0-")
    print(f"another web-2 answers {time.monotonic() - began:.1f} s after the end of the first one")
    assert {node: one for node, one in after.items() if node != "web-2"} == \
        {node: one for node, one in nodes.items() if node != "web-2"}
    run(room, tree, "build/reeve", "wait", "cluster/demo", "--for", "ready", "--timeout", "30s")
    assert said_by(room, tree, "web-2") == met  # the promise holds for who came later
    assert run(room, tree, "build/reeve", "ssh", "demo/db-0", "--", "sudo", "ssh", "web-2", "hostname") == "web-2\n"
    session_run(sessions(ROOT / "README.md", "machines"), lambda command: run(room, tree, "bash", "-c", f"{command} 2>&1"))
    for command, _ in quickstart_commands(ROOT / "quickstart.sh"):
        if "examples/" not in command:  # those are of tests/e2e/test_demo.py
            run(room, tree, "bash", "-c", consented(command))
    session_run(sessions(ROOT / "README.md", "session"), lambda command: run(room, tree, "bash", "-c", f"{command} 2>&1 || true"))
    (tree / "own.yaml").write_text(json.dumps({"name": "own", "version": "1", "groups": {
        "x": {"size": 1, "image": "debian", "resourcePlugin": {"name": "local"}}}}))
    run(room, tree, "build/reeve", "apply", "-f", "own.yaml", "--yes")
    told = run(room, tree, "tools/demo", "down")
    assert "machines of cluster demo" in told and "machines of cluster own" in told
    assert left_over(before[0], str(tree)) == {}
    until(lambda: (room.mounts(), room.links()) == before[1:], lambda: (room.mounts(), room.links()))  # its bridge goes after the last machine
    assert not (tree / "build/demo").exists()


@debian
def test_where_another_checkout_has_the_network_the_next_one_is_taken(tree, room):
    for words in (("link", "add", "reeve0", "type", "bridge"), ("address", "add", "10.77.0.1/24", "dev", "reeve0"),
                  ("link", "set", "reeve0", "up")):
        run(room, tree, "ip", *words)
    before = room.links()
    assert "5 ready" in run(room, tree, "tools/demo", "up")
    addresses = [address for _, address in resources(room, tree).values()]
    assert len(addresses) == 5 and all(address.startswith("10.78.0.") for address in addresses), addresses
    run(room, tree, "tools/demo", "down")
    until(lambda: room.links() == before, room.links)  # what another one made is left alone
