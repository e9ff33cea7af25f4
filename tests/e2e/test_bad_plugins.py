"""A manager with bad plugins (F5, F6, I21): each harms its own cluster only, is named there, and nothing is made twice."""

import shutil
import time

import pytest

from pylib.proc import children, described, is_running
from manager import REEVED, Manager, until

WATCHED_S = 3  # windows are over many times meanwhile
BUILT = REEVED.parent / "tests/plugins"
# What is said of each, beside its name in the log, or in a hold of its cluster.
BAD = {
    "segv": "the process", "garbage": "frame", "hang-describe": "did not answer", "drip": "did not answer",
    "end-start": "the process", "gigabyte": "reason=", "bad-utf8": "not UTF-8", "unnamed": "returned REEVE_OK but no machine",
    "forged": "did not create", "duplicates": "", "foreign": "", "empty-list": "", "stderr": "nnn", "forks": "",
}
# These answer in the end, and their machines are there.
COME_BACK = ("segv", "garbage", "stderr", "forks", "duplicates", "foreign", "forged")


def document(name, plugin, size):
    """A cluster of machines of one plugin."""
    return {"name": name, "version": "1", "groups": {"web": {"size": size, "resourcePlugin": {"name": plugin}}}}


def made(manager, plugin):
    """The machines that a plugin really made: each has one cluster here."""
    folders = (manager.folder / "data/plugins").glob(f"*/{plugin}/*")
    return sorted(path.name for folder in folders for path in folder.glob("file-*"))


def counts(manager, name):
    """What the manager knows of the machines of a cluster."""
    return manager.get(f"/v1/clusters/{name}").json.get("status", {}).get("machines", {})


@pytest.fixture
def among_bad(tmp_path):
    """A manager with all of them, and a good one."""
    installed = tmp_path / "data/installed"
    installed.mkdir(parents=True, mode=0o700)
    (tmp_path / "data").chmod(0o700)
    for name in ["good", *BAD]:
        shutil.copy(BUILT / f"{name}.so", installed)
    with Manager(tmp_path, "--haste", "100", control=True).start() as manager:
        yield manager


def told(manager, name):
    """All that is told of a plugin: lines of the log, and the holds of its cluster."""
    lines = [line for line in manager.log.read_text(errors="replace").splitlines() if f"plugin={name} " in line]
    return "\n".join([*lines, manager.get(f"/v1/holds?cluster={name}").text])


def test_I21_bad_plugins_harm_nobody_else(among_bad):
    manager = among_bad
    manager.apply(document("steady", "good", 1))
    for name in BAD:
        manager.apply(document(name, name, 2))
    for size in (3, 5, 8):  # what is good goes on meanwhile
        manager.apply(document("steady", "good", size))
        until(lambda size=size: len(made(manager, "good")) == size
              and counts(manager, "steady").get("ready") == size)
    for name in COME_BACK:
        until(lambda name=name: counts(manager, name).get("ready") == 2)
    for name, words in BAD.items():
        until(lambda name=name, words=words: words in told(manager, name), lambda name=name: name)
    before = {name: made(manager, name) for name in BAD if name != "empty-list"}  # that one is believed: it is gone
    assert {name: len(machines) for name, machines in before.items() if len(machines) > 2} == {}
    hosts = set(children(manager.process.pid))
    assert hosts
    ends = time.monotonic() + WATCHED_S
    while time.monotonic() < ends:  # nothing is destroyed for what they say, and nothing is made twice, at any moment
        for name, machines in before.items():
            assert set(made(manager, name)) >= set(machines), name
            assert len(made(manager, name)) <= 2, name
    hosts |= set(children(manager.process.pid))
    assert manager.stop() == 0
    until(lambda: not any(map(is_running, hosts)), lambda: described(hosts))
