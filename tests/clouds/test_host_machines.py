"""Machines that exist on the hosts of managers: each belongs to one manager, whichever of them has the cluster."""

import collections
import shutil
import time

import pytest
from pylib.etcd import Missing
from pylib.etcd_three import Three
from pylib.managers import reeve, until
from pylib.peers import Linked
from manager import machine_files, machines_in  # isort: skip

pytestmark = pytest.mark.skipif(shutil.which("etcd") is None, reason="needs etcd")


@pytest.fixture(name="etcd", scope="module")
def fixture_etcd(tmp_path_factory):
    """Three members of one etcd."""
    try:
        with Three(tmp_path_factory.mktemp("etcd")) as three:
            yield three
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture(name="world")
def fixture_world(etcd, tmp_path):
    """Three managers with links whose windows of a minute last a second."""
    with Linked(tmp_path, etcd, prefix=f"/{tmp_path.name}/", flags=("--haste", "60")) as world:
        yield world.start()


def cluster(name, size, **more):
    """A cluster with one group of files."""
    return {"name": name, "version": "1", "groups": {"web": {"size": size, "resourcePlugin": {"name": "file"}, **more}}}


def machines(world):
    """The machines that the plugins have, by the manager on whose disk they are: {NAME: {SLOT: ID}}. No slot may exist twice."""
    found = {}
    for manager in world.all:
        tags = machines_in(manager.folder)
        found[manager.folder.name] = {machine["slot"]: path.stem for path, machine in tags.items()}
        assert len(found[manager.folder.name]) == len(tags), found
    slots = collections.Counter(slot for host in found.values() for slot in host)
    assert not slots or max(slots.values()) == 1, found
    return found


def counts(world):
    """How many machines exist on each host."""
    return {name: len(found) for name, found in machines(world).items()}


def holds(manager, name):
    """The holds of a cluster, by their rule."""
    return {row["status"]["rule"]: row["status"] for row in manager.get(f"/v1/holds?cluster={name}").json["items"]}


def states(manager, name):
    """The states of its machines."""
    return sorted(row["status"]["state"] for row in manager.get(f"/v1/resources?cluster={name}").json["items"])


def stays(holds_, seconds):
    """Nothing happens: it is looked at during the whole time, because a change may be undone again."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert holds_()
        time.sleep(0.05)


def test_a_killed_lease_holder_is_taken_over_and_no_machine_is_doubled(world):
    world.all[0].apply(cluster("disk", 6))
    until(lambda: sorted(counts(world).values()) == [2, 2, 2], lambda: str(counts(world)) + world.said())
    holder, others = world.holder("disk")
    until(lambda: states(holder, "disk") == ["active"] * 6, world.said)
    before, dead = machines(world), holder.folder.name
    holder.kill()
    # the others take over, and do not touch what they cannot see
    until(lambda: "host_unreachable" in holds(others[0], "disk"), lambda: str(holds(others[0], "disk")) + world.said())
    fact = holds(others[0], "disk")["host_unreachable"]["fact"]
    assert fact.startswith(f"{dead}") and "2 machines not looked after" in fact, fact
    stays(lambda: machines(world) == before, 4)  # many times the windows of the guards
    # the cluster can still grow, on the hosts that live
    others[0].apply(cluster("disk", 8))
    until(lambda: sum(counts(world).values()) == 8, lambda: str(counts(world)) + world.said())
    assert counts(world)[dead] == 2 and all(counts(world)[one.folder.name] == 3 for one in others), counts(world)
    # a machine that is really gone on a host that lives is replaced meanwhile
    machine_files(others[1].folder)[0].unlink()
    until(lambda: sum(counts(world).values()) == 8, lambda: str(counts(world)) + world.said())
    shown = reeve(others[0], "why", "hold/disk:host_unreachable")
    assert f"{dead}" in shown and "manager forget" in shown, shown
    holder.start()
    world.wait_linked()
    until(lambda: not holds(others[0], "disk"), lambda: str(holds(others[0], "disk")) + world.said())
    assert machines(world)[dead] == before[dead] and sum(counts(world).values()) == 8
    others[0].apply(cluster("disk", 0), query="?allow=destroy:8")
    until(lambda: sum(counts(world).values()) == 0, lambda: str(counts(world)) + world.said())
