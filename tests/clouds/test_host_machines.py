"""Machines that exist on the hosts of managers: each belongs to one manager, whichever of them has the cluster."""

import collections
import random
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


def machines(world, hosts=None):
    """The machines that the plugins have, by the manager on whose disk they are: {NAME: {SLOT: ID}}. No slot may exist twice."""
    found = {}
    for manager in hosts or world.all:
        tags = machines_in(manager.folder)
        found[manager.folder.name] = {machine["slot"]: path.stem for path, machine in tags.items()}
        assert len(found[manager.folder.name]) == len(tags), found
    slots = collections.Counter(slot for host in found.values() for slot in host)
    assert not slots or max(slots.values()) == 1, found
    return found


def counts(world, hosts=None):
    """How many machines exist on each host."""
    return {name: len(found) for name, found in machines(world, hosts).items()}


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
    assert fact.startswith(f"{dead}") and "unmanaged: 2 machines" in fact, fact
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


def test_the_machines_of_a_forgotten_host_are_made_elsewhere(world):
    world.all[0].apply(cluster("disk", 6))
    until(lambda: sorted(counts(world).values()) == [2, 2, 2], lambda: str(counts(world)) + world.said())
    lost, other = world.all[2], world.all[0]
    until(lambda: states(other, "disk") == ["active"] * 6, world.said)
    name, before = lost.folder.name, machines(world)
    assert "error[R0588]" in reeve(other, "manager", "forget", name, "--yes", code=5)
    lost.kill()
    until(lambda: "host_unreachable" in holds(other, "disk"), world.said)
    assert "error[R0024]" in reeve(other, "manager", "forget", name, code=11)  # its name is not typed
    stays(lambda: machines(world) == before, 1)
    assert "count as gone" in until(lambda: reeve(other, "manager", "forget", name, "--yes", "-m", "it burnt"), world.said)
    until(lambda: list(counts(world, world.all[:2]).values()) == [3, 3], lambda: str(counts(world, world.all[:2])) + world.said())
    until(lambda: not holds(other, "disk") and states(other, "disk") == ["active"] * 6, lambda: str(holds(other, "disk")) + world.said())
    forgotten = [event for event in other.get("/v1/events?limit=1000").json["items"] if event["type"] == "manager.forgotten"]
    assert [event["why"] for event in forgotten] == ["it burnt"], forgotten
    # the host comes back after all: its machines have no records any more, and an operator is asked
    lost.start()
    world.wait_linked()
    until(lambda: "quarantine" in holds(other, "disk"), lambda: str(holds(other, "disk")) + world.said())
    assert list(counts(world, world.all[:2]).values()) == [3, 3] and states(other, "disk") == ["active"] * 6


@pytest.mark.parametrize("seed", [1, 2])
def test_kills_at_any_moment_double_nothing(world, seed):
    luck = random.Random(seed)
    size = 3
    world.all[0].apply(cluster("disk", size))
    for _ in range(4):
        victim = luck.choice(world.all)
        other = luck.choice([manager for manager in world.all if manager is not victim])
        size += luck.randint(1, 4)
        other.apply(cluster("disk", size))
        stays(lambda: sum(counts(world).values()) <= size, luck.random())  # pylint: disable=cell-var-from-loop
        victim.kill()
        stays(lambda: sum(counts(world).values()) <= size, 1 + luck.random())  # pylint: disable=cell-var-from-loop
        victim.start()
        world.wait_linked()
        until(lambda: sum(counts(world).values()) == size and states(other, "disk") == ["active"] * size,  # pylint: disable=cell-var-from-loop
              lambda: f"{counts(world)} of {size} {states(other, 'disk')} {holds(other, 'disk')}" + world.said())  # pylint: disable=cell-var-from-loop
        until(lambda: not holds(other, "disk"), lambda: str(holds(other, "disk")) + world.said())  # pylint: disable=cell-var-from-loop


def owners(world, name):
    """The machines of a `static` cluster, by their addresses."""
    rows = world.all[0].get(f"/v1/resources?cluster={name}").json["items"]
    return {row["status"]["address"]: row["metadata"]["name"] for row in rows if row["status"]["state"] == "active"}


def test_addresses_have_one_owner_whichever_manager_has_the_cluster(world):
    addresses = [f"192.0.2.{number}" for number in range(1, 9)]
    documents = [{"name": name, "version": "1", "groups": {"rack": {"size": 4, "resourcePlugin": {"name": "static"},
                                                                   "resourceProperties": {"addresses": addresses}}}}
                 for name in ("one", "two")]
    world.all[0].apply(*documents)
    until(lambda: len(owners(world, "one")) == 4 == len(owners(world, "two")), world.said)
    before = owners(world, "one"), owners(world, "two")
    assert sorted([*before[0], *before[1]]) == addresses
    holder, _ = world.holder("one")
    dead = world.all[1] if holder is world.all[0] else holder
    dead.kill()
    until(lambda: world.holder("one")[0] is not dead and world.holder("two")[0] is not dead, world.said)
    stays(lambda: (owners(world, "one"), owners(world, "two")) == before, 3)  # many times the interval of listings
    assert not holds(world.all[0], "one") and not holds(world.all[0], "two")
    # a machine that leaves frees its address for the other cluster, whichever manager has that
    documents[0]["groups"]["rack"]["size"] = 3
    world.all[0].apply(documents[0], query="?allow=destroy:1")
    until(lambda: len(owners(world, "one")) == 3, world.said)
    documents[1]["groups"]["rack"]["size"] = 5
    world.all[0].apply(documents[1])
    until(lambda: len(owners(world, "two")) == 5, world.said)
    assert sorted([*owners(world, "one"), *owners(world, "two")]) == addresses
    dead.start()
    world.wait_linked()
    stays(lambda: sorted([*owners(world, "one"), *owners(world, "two")]) == addresses, 1)
