"""Three managers on three members of etcd, of which any may be killed, stopped or cut off at any moment (C24, levels A to C).

The end of each round is compared with what the providers really have. CHAOS_SECONDS sets how long the rounds last in all (1800 for
the acceptance of docs/spec/MANAGERS.md), CHAOS_SEED the first seed.
"""

import collections
import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import threading
import time

import pytest
from pylib.etcd import Missing
from pylib.etcd_three import Three
from pylib.managers import until
from pylib.peers import Linked, Way
from manager import machines_in  # isort: skip

pytestmark = pytest.mark.skipif(shutil.which("etcd") is None, reason="needs etcd")
SECONDS = float(os.environ.get("CHAOS_SECONDS", "30"))
SEED = int(os.environ.get("CHAOS_SEED", "1"))
ROUND_S = 15
FAULTS_AT_ONCE = 3
SETTLED_S = 60  # beside the patience of `until`
ASSIGNED_S = 20  # 15 s of silence and a beat, docs/spec/MANAGERS.md section 4
WRITE_S = 4
FILES, DROPLETS = "disk", "shop"


class World(Linked):
    """Managers that reach each member of etcd, and each other, by ways that can be cut."""

    def __init__(self, folder, etcd, **rest):
        self.stores = []
        self.etcd = etcd
        super().__init__(folder, etcd, **rest)

    def endpoints(self, number):
        """The addresses of etcd for a manager: the ways of its own to the members."""
        assert number == len(self.stores)
        self.stores.append([Way(member.port) for member in self.etcd.members])
        return [f"https://127.0.0.1:{way.port}" for way in self.stores[number]]

    def __exit__(self, *exception):
        try:
            super().__exit__(*exception)
        finally:
            for way in sum(self.stores, []):
                way.close()


@contextlib.contextmanager
def held(ways):
    """Nothing passes these connections, and neither end gets an error."""
    for way in ways:
        way.hold = True
    try:
        yield
    finally:
        for way in ways:
            way.hold = False


@contextlib.contextmanager
def stopped(process):
    """A process that does not run, while its connections stay open."""
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def slow(process):
    """A process that gets a tenth of its time, as one whose disk is slow."""
    over = threading.Event()

    def run():
        while not over.wait(0.02):
            process.send_signal(signal.SIGSTOP)
            over.wait(0.18)
            process.send_signal(signal.SIGCONT)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        process.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def ended(manager, number):
    """A manager that was ended by a signal; it is started again."""
    manager.end(number)
    try:
        yield
    finally:
        manager.start(wait=False)


@contextlib.contextmanager
def members_killed(members):
    """Members of etcd that were killed; they are started again."""
    for member in members:
        member.kill()
    try:
        yield
    finally:
        for member in members:
            member.begin()


class Chaos:
    """Faults at random moments, at most FAULTS_AT_ONCE at a time, and one of each manager and member."""

    def __init__(self, world, seed):
        self.world, self.luck = world, random.Random(seed)
        self.active = {}  # what it concerns: (its end, the fault)
        self.next = 0
        self.counts = collections.Counter()

    def draw(self):
        """(name, what it concerns, the fault), or None where that is not possible now."""
        world, luck = self.world, self.luck
        manager = luck.choice([one for one in world.all if one not in self.active] or [None])
        members = [one for one in world.etcd.members if one not in self.active]
        member = luck.choice(members or [None])
        kinds = {
            "kill": (manager, lambda: ended(manager, signal.SIGKILL)),
            "end": (manager, lambda: ended(manager, signal.SIGTERM)),
            "stop": (manager, lambda: stopped(manager.process)),
            "cut from etcd": (manager, lambda: held(world.stores[world.all.index(manager)])),
            "cut from one member": (manager, lambda: held([luck.choice(world.stores[world.all.index(manager)])])),
            "cut from managers": (manager, lambda: held([world.way(manager)])),
            "cut off": (manager, lambda: held([world.way(manager), *world.stores[world.all.index(manager)]])),
            "kill member": (member, lambda: members_killed([member])),
            "stop member": (member, lambda: stopped(member.process)),
            "slow member": (member, lambda: slow(member.process)),
        }
        name = luck.choice(list(kinds))
        concerned, fault = kinds[name]
        return (name, concerned, fault()) if concerned is not None else None

    def step(self):
        """End the faults whose time is over, and perhaps begin one."""
        now = time.monotonic()
        for concerned, (end, fault) in list(self.active.items()):
            if now >= end:
                del self.active[concerned]
                fault.__exit__(None, None, None)
        if now >= self.next and len(self.active) < FAULTS_AT_ONCE:
            self.next = now + self.luck.uniform(0.1, 2)
            drawn = self.draw()
            if drawn:
                name, concerned, fault = drawn
                fault.__enter__()  # pylint: disable=unnecessary-dunder-call
                self.active[concerned] = now + self.luck.choice((0.3, 1, 3, 8)) * self.luck.uniform(0.5, 1.5), fault
                self.counts[name] += 1

    def calm(self):
        """End all faults."""
        while self.active:
            _, (_, fault) = self.active.popitem()
            fault.__exit__(None, None, None)


class Writer:
    """Somebody who changes both clusters all the time, by any manager that answers."""

    def __init__(self, world, seed):
        self.world, self.luck = world, random.Random(seed)
        self.number = 0
        self.sizes = {FILES: 3, DROPLETS: 3}
        self.shape = "s-1vcpu-1gb"
        self.acknowledged, self.unanswered = {}, {FILES: set(), DROPLETS: set()}
        self.allowed = ""
        self.refused = []
        self.over = threading.Event()

    def document(self, name):
        """The cluster as it is wanted now; its version is the number of the write."""
        group = {"size": self.sizes[name], "resourcePlugin": {"name": "file"}}
        if name == DROPLETS:
            group |= {"resourcePlugin": {"name": "digitalOcean", "account": "ocean"}, "rollout": {"surge": 1, "bake": "1s"},
                      "resourceProperties": {"region": "fra1", "size": self.shape, "image": "debian"}}
        return {"name": name, "version": str(self.number), "groups": {"web": group}}

    def write(self, name, manager=None):
        """One write. Was it acknowledged?"""
        self.number += 1
        number, manager = self.number, manager or self.luck.choice(self.world.all)
        self.unanswered[name].add(number)
        try:
            connection = manager.connect(timeout=WRITE_S)
            with contextlib.closing(connection):
                answer = manager.post("/v1/apply" + self.allowed, {"documents": [self.document(name)]}, connection=connection)
        except (OSError, http.client.HTTPException):
            return False
        if answer.status != 200:
            if answer.status < 500 and answer.status not in (409, 429):
                self.refused.append(answer.text)
            return False
        self.unanswered[name].discard(number)
        self.acknowledged[name] = number
        return True

    def run(self):
        """Until it is over."""
        while not self.over.wait(self.luck.uniform(0.05, 0.6)):
            name = self.luck.choice((FILES, DROPLETS))
            if self.luck.random() < 0.3 and self.sizes[name] < 9 and not self.allowed:
                self.sizes[name] += 1
            self.write(name)

    @contextlib.contextmanager
    def writing(self):
        """It writes meanwhile."""
        self.over.clear()
        thread = threading.Thread(target=self.run, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self.over.set()
            thread.join()


class Observer:
    """What the providers really have, at every look."""

    def __init__(self, world, ocean, writer):
        self.world, self.ocean, self.writer = world, ocean, writer
        self.files, self.may_end = {}, {FILES: 0, DROPLETS: 0}
        self.surge = 0

    def on_disks(self):
        """The machines of the plugin `file`, on the hosts of all managers: {path: slot}."""
        found = {}
        for manager in self.world.all:
            found |= {path: machine["slot"] for path, machine in machines_in(manager.folder).items()}
        return found

    def look(self):
        """No machine too many, none in the place of one that lives, none destroyed that nobody gave up."""
        files = self.on_disks()
        slots = collections.Counter(files.values())
        assert not slots or max(slots.values()) == 1, f"two machines for one slot: {files}"
        self.files |= files
        gone = set(self.files) - set(files)
        assert len(gone) <= self.may_end[FILES], f"destroyed without consent: {gone}"
        state = self.ocean.state()
        assert not state["duplicates"], state["duplicates"]
        alive = [machine for machine in state["machines"] if machine["alive"]]
        dead = len(state["machines"]) - len(alive)
        assert dead <= self.may_end[DROPLETS], f"{dead} droplets destroyed, {self.may_end[DROPLETS]} given up"
        assert len(alive) <= self.writer.sizes[DROPLETS] + self.surge, f"{len(alive)} droplets live: {self.writer.sizes}"
        return len(files), alive


def settled(world, writer, observer):
    """Does every manager say what was written last, and do the providers have it?"""
    files, alive = observer.look()
    counts = {FILES: files, DROPLETS: len(alive)}
    if counts != writer.sizes or {machine["size"] for machine in alive} != {writer.shape}:
        return False
    for manager in world.all:
        for name in (FILES, DROPLETS):
            shown = manager.get(f"/v1/clusters/{name}").json
            states = [row["status"]["state"] for row in manager.get(f"/v1/resources?cluster={name}").json["items"]]
            if states != ["active"] * writer.sizes[name] or manager.get(f"/v1/holds?cluster={name}").json["items"]:
                return False
            number = int(shown["spec"]["version"])
            assert number == writer.acknowledged[name] or number in writer.unanswered[name], (number, writer.acknowledged)
    return True


def assigned(world):
    """Has every cluster a manager that lives?"""
    rows = world.all[0].get("/v1/managers").json
    return not rows.get("unassigned") and len(world.leases()) == 2


@pytest.fixture(name="etcd")
def fixture_etcd(tmp_path_factory):
    """Three members of one etcd."""
    try:
        with Three(tmp_path_factory.mktemp("etcd")) as three:
            yield three
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture(name="world")
def fixture_world(etcd, fake_digital_ocean, tmp_path):
    """The managers, with an account of a cloud that all of them reach. Its listing still has what was destroyed lately."""
    fake_digital_ocean.faults(quota=1000)
    with World(tmp_path, etcd, prefix=f"/{tmp_path.name}/", flags=("--haste", "20"),
               more=f"endpoints: {{digitalOcean: ['127.0.0.1:{fake_digital_ocean.port}']}}\n") as world:
        world.start()
        world.all[0].apply({"kind": "Secret", "name": "ocean", "value": fake_digital_ocean.credential},
                           {"kind": "Account", "name": "ocean", "plugin": "digitalOcean", "secret": "ocean",
                            "settings": {**fake_digital_ocean.settings, "requestsPerHour": 3600000, "lagMs": 2000, "lateMs": 5000}})
        yield world


def said(world, writer, observer):
    """For a failed test."""
    holds = {name: world.all[0].get(f"/v1/holds?cluster={name}").text for name in (FILES, DROPLETS)}
    return (f"wanted {writer.sizes}, {len(observer.on_disks())} files, {len(observer.ocean.alive())} droplets\n{json.dumps(holds)}\n"
            f"{world.all[0].get('/v1/managers').text}\n{world.said()}")


def one_round(world, writer, observer, chaos, kind):
    """Some seconds of faults, and the time until all is well after them."""
    if kind == "shrink":
        for name in (FILES, DROPLETS):
            fewer = min(2, writer.sizes[name] - 1)
            writer.sizes[name] -= fewer
            observer.may_end[name] += fewer
            writer.allowed = "?allow=destroy:9"
        observer.surge = 2
    if kind == "roll":
        writer.shape = "s-1vcpu-2gb" if writer.shape == "s-1vcpu-1gb" else "s-1vcpu-1gb"
        observer.may_end[DROPLETS] += writer.sizes[DROPLETS]
        writer.allowed, observer.surge = "?allow=replace:9", 1
    with writer.writing():
        end = time.monotonic() + ROUND_S
        try:
            while time.monotonic() < end:
                chaos.step()
                observer.look()
                time.sleep(0.05)
        finally:
            chaos.calm()
    begin = time.monotonic()
    world.etcd.healthy()
    for manager in world.all:
        manager.wait_ready()
    until(lambda: all(writer.write(name, world.all[0]) for name in (FILES, DROPLETS)), lambda: str(writer.refused[-3:]) + world.said())
    until(lambda: assigned(world), world.said, ASSIGNED_S)
    is_assigned = time.monotonic()
    until(lambda: settled(world, writer, observer), lambda: said(world, writer, observer), SETTLED_S)
    writer.allowed, observer.surge = "", 0
    for known in writer.unanswered.values():
        known.clear()
    return is_assigned - begin, time.monotonic() - begin


def test_nothing_is_doubled_or_lost_whatever_fails(world, fake_digital_ocean):
    writer = Writer(world, SEED)
    observer = Observer(world, fake_digital_ocean, writer)
    until(lambda: all(writer.write(name, world.all[0]) for name in (FILES, DROPLETS)), world.said)
    until(lambda: settled(world, writer, observer), lambda: said(world, writer, observer))
    end, seed, times, counts = time.monotonic() + SECONDS, SEED, [], collections.Counter()
    while time.monotonic() < end:
        kind = ("grow", "shrink", "roll")[seed % 3]
        chaos = Chaos(world, seed)
        try:
            times.append(one_round(world, writer, observer, chaos, kind))
        except BaseException:
            print(f"seed {seed} ({kind}), after {dict(chaos.counts)}")
            raise
        counts += chaos.counts
        print(f"seed {seed} {kind}: {dict(chaos.counts)}; assigned after {times[-1][0]:.1f} s, settled after {times[-1][1]:.1f} s", flush=True)
        seed += 1
    print(f"{seed - SEED} rounds, {writer.number} writes, {sum(counts.values())} faults: {dict(counts)}; settled at last after "
          f"{max(each for _, each in times):.1f} s")
