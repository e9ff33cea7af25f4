"""kill -9 of the manager, of its reeve-hosts and of containers' first processes while two groups of real containers are
scaled at random (issue 6 e; SAFETY.md F1, F5, I1, I3, I4, I21). After each settle there are exactly the machines that are
wanted, and of those that were there is nothing left: no process, mount, namespace, control group, link, address, disk or
loop device. What the kernel and the folder say is counted, not what the store says."""

import collections
import contextlib
import json
import os
import random
import signal
import time

import pytest

from conftest import rounds
from manager import REEVED, Manager
from pylib.containers import HAS_LXC, Folder, Room, ground
from pylib.proc import children, named
from pylib.hosted import Host

GROUPS = ("web", "db")
SIZE_MAX = 6
SETTLE_S = 400
SETTLES = 6  # kills from one look at the end to the next
MOMENTS_S = (0.0, 0.01, 0.05, 0.2, 0.5, 1.0)

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")
both = pytest.mark.parametrize("isolation", [
    pytest.param("lxc", marks=pytest.mark.skipif(not HAS_LXC, reason="liblxc is missing")), "plain"])


class World:
    """What is wanted, and the containers that there are."""

    def __init__(self, folder, isolation, luck):
        self.room = Room(folder)
        self.settings = {"isolation": isolation, "network": {"cidr": "10.77.0.0/24"}}
        config = folder / "reeved.json"
        config.write_text(json.dumps({"plugins": {"local": self.settings}}))
        self.manager = Manager(folder, "--config", str(config), "--haste", "100", control=True, within=self.room.within)
        self.containers = Folder(folder / "data", self.room)
        self.luck = luck
        self.sizes = {"web": 3, "db": 2}
        self.done = collections.Counter()
        self.ever = set()  # machines that there were

    def wish(self):
        """Say what is wanted."""
        volumes = [{"name": "own", "size": "16MiB", "keep": "node"}]
        groups = {group: {"size": self.sizes[group], "image": "host", "resourcePlugin": {"name": "local"},
                          "maxUnhealthy": "100%"} for group in GROUPS}
        groups["db"]["volumes"] = volumes
        answer = self.manager.ask("POST", "/v1/apply", {
            "documents": [{"name": "shop", "version": "1", "groups": groups}], "allow": {"destroy": 1000, "replace": 1000}})
        assert answer.status in (200, 201), answer.text

    def look(self):
        """A slot is at most one machine that is not going, and no token is two machines."""
        machines = self.containers.machines()
        self.ever |= {one.id for one in machines}
        assert len({one.token for one in machines}) == len(machines), [(one.id, one.token) for one in machines]
        slots = collections.Counter(one.key() for one in machines if not one.is_going)
        assert max(slots.values(), default=0) <= 1, slots

    def unsettled(self):
        """What is not as it shall be; empty: nothing."""
        machines = self.containers.machines()
        counts = collections.Counter(one.group for one in machines if not one.is_going)
        if any(counts[group] != self.sizes[group] for group in GROUPS) or any(one.is_going for one in machines):
            return f"{dict(counts)}, not {self.sizes}"
        dead = [one.id for one in machines if one.init is None]
        records = self.manager.get("/v1/resources?cluster=shop").json["items"]
        # one that was cancelled under a call is looked for until the call can have no effect any more
        told = {one["metadata"]["id"] for one in records if one["status"]["state"] != "delete"}
        if dead or told != {one.token for one in machines}:
            return f"dead {dead}, records {[(one['metadata']['id'], one['status']['state']) for one in records]}"
        return self.leaked({one.id for one in machines})

    def leaked(self, ids):
        """What is more, or less, than these machines need."""
        found = self.containers.traces(self.ever)
        disks = {one.id for one in self.containers.machines() if one.group == "db"}
        lxc = self.settings["isolation"] == "lxc"
        want = {**dict.fromkeys(found, ids), "half-made": set(), "trash": set()}
        for what in ("disks", "volumes", "loops"):
            want[what] = {f"{one}-own" for one in disks} if what == "volumes" or self.containers.has_disks() else set()
        for what in ("locks", "monitors"):
            want[what] = ids if lxc else set()
        wrong = {what: found[what] for what in found if what != "links" and found[what] != want[what]}
        if len(found["links"]) != len(ids):
            wrong["links"] = found["links"]
        return f"wanted {ids}: {wrong}" if wrong else ""

    def settle(self):
        """Wait until it is so."""
        ends = time.monotonic() + SETTLE_S
        while (wrong := self.unsettled()) and time.monotonic() < ends:
            self.look()
            time.sleep(0.1)
        assert not wrong, f"{wrong}\n{self.manager.get('/v1/holds').text}"

    def watch(self, seconds):
        """Look for so long."""
        ends = time.monotonic() + seconds
        while True:
            self.look()
            if time.monotonic() >= ends:
                return
            time.sleep(0.02)

    # ---- what happens ----

    def change(self):
        """People resize a group."""
        self.sizes[self.luck.choice(GROUPS)] = self.luck.randint(0, SIZE_MAX)
        self.wish()

    def hosts(self):
        """The processes of plugins: children of the manager."""
        return [pid for pid in children(self.manager.process.pid) if named(pid) == "reeve-host"]

    def kill(self):
        """One of them dies."""
        what = self.luck.choice(("manager", "host", "machine"))
        living = [one for one in self.containers.machines() if one.init]
        if what == "host" and self.hosts():
            pids = self.hosts()
        elif what == "machine" and living:
            pids = [self.luck.choice(living).init]
        else:
            what, pids = "manager", []
        self.done[what] += 1
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, TypeError):
                os.kill(pid, signal.SIGKILL)
        if not pids:
            self.manager.kill()
            if self.luck.random() < 0.3:
                self.watch(self.moment())  # what is left goes on alone
            self.manager.start()

    def moment(self):
        """How long something goes on."""
        return self.luck.choice(MOMENTS_S) * self.luck.random()

    def close(self):
        """End what is left of a test that has failed."""
        self.manager.kill()
        self.containers.end_all()
        self.room.close()


@pytest.fixture
def make_world(tmp_path):
    """Worlds that end with the test."""
    with ground(tmp_path) as folder, contextlib.ExitStack() as stack:
        def make(isolation, seed):
            one = World(folder, isolation, random.Random(seed))
            stack.callback(one.close)
            one.manager.start()
            one.wish()
            return one
        yield make


def ended(world):
    """The cluster is deleted: nothing at all is left."""
    world.sizes = dict.fromkeys(GROUPS, 0)
    answer = world.manager.ask("DELETE", "/v1/clusters/shop?allow=destroy:1000")
    assert answer.status in (200, 202), answer.text
    ends = time.monotonic() + SETTLE_S
    while (wrong := world.containers.machines() or world.leaked(set()) or world.room.links() or world.room.mounts()) \
            and time.monotonic() < ends:
        time.sleep(0.1)
    assert not wrong, f"{wrong}"
    assert world.manager.stop() == 0


@both
def test_killed_while_it_is_scaled(make_world, isolation):
    """The whole: LOCAL_KILLS kills at random moments."""
    world = make_world(isolation, 11)
    world.settle()
    for number in range(1, rounds("LOCAL_KILLS", 3) + 1):
        if world.luck.random() < 0.6:
            world.change()
        world.watch(world.moment())
        world.kill()
        if number % SETTLES == 0:
            world.settle()
    world.settle()
    print(f"{dict(world.done)}, {len(world.ever)} machines")
    ended(world)


@both
def test_all_destroyed_behind_its_back(make_world, isolation):
    """All machines are gone at once, as somebody else ended them: others come, in the same slots."""
    world = make_world(isolation, 12)
    world.settle()
    before = {one.id for one in world.containers.machines()}
    cluster = json.loads((next((world.containers.path / "machines").iterdir()) / "meta.json").read_text())["cluster"]
    other = Host(REEVED.parent / "reeve-host", REEVED.parent / "plugins/local.so", world.containers.path, world.settings,
                 within=world.room.within)
    for machine in before:
        assert other.call("destroy", cluster=cluster, machine=machine, reason="terminate").result == "ok"
    other.close()
    world.settle()
    assert not before & {one.id for one in world.containers.machines()}
    ended(world)
