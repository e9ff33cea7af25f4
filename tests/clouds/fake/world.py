"""What a fake provider has: machines and other objects, as its replicas show them, and what the truth port reports of them."""

import collections
import copy
import heapq
import itertools
import json
import pathlib
import threading
import time

REPLICAS = 3


class Replicated:
    """An object that each replica shows in the version which has reached it."""

    def commit(self, world):
        """The object was changed: its present state spreads over the replicas."""
        self._add(world, self._snapshot())

    def erase(self, world):
        """The object was deleted; replicas that are behind still show it."""
        self._add(world, None)

    def view(self, replica, now):
        """The object as a replica shows it; None: not at all."""
        for times, snapshot in reversed(self.versions):
            if times[replica] <= now:
                return snapshot
        return None

    def is_forgotten(self, now):
        """Does no replica show it any more, or ever again?"""
        times, snapshot = self.versions[-1]
        return snapshot is None and max(times) <= now

    def _snapshot(self):
        one = copy.copy(self)
        one.versions = []
        for name, value in vars(one).items():
            if isinstance(value, (dict, list)) and name != "versions":
                setattr(one, name, copy.deepcopy(value))
        return one

    def _add(self, world, snapshot):
        now, lag_s = world.now(), world.faults.lag_ms / 1000
        versions = self.__dict__.setdefault("versions", [])
        before = versions[-1][0] if versions else [0] * REPLICAS
        # Each replica in a part of the lag of its own, so that no two agree by chance.
        parts = [(part + 0.4 + 0.6 * world.faults.random.random()) / REPLICAS for part in world.faults.random.sample(range(REPLICAS), REPLICAS)]
        times = [max(earlier, now + part * lag_s) if lag_s else now for earlier, part in zip(before, parts)]
        versions.append((times, snapshot))
        while len(versions) > 1 and max(versions[1][0]) <= now:
            versions.pop(0)


class Machine(Replicated):
    """One machine. Providers add members of their own."""

    def __init__(self, id, token, name, zone, size, image, **more):
        self.id, self.token, self.name, self.zone, self.size, self.image = id, token, name, zone, size, image
        self.state, self.address, self.public_address = "new", None, None
        self.created_at, self.ended_at, self.reason = None, None, None
        self.alive, self.is_ended, self.reboots, self.console = True, False, 0, None
        self.tags, self.disks = {}, []
        vars(self).update(more)

    def truth(self):
        """The row of the truth port."""
        return {"id": self.id, "token": self.token, "name": self.name, "zone": self.zone, "size": self.size, "image": self.image,
                "state": self.state, "address": self.address, "publicAddress": self.public_address, "alive": self.alive,
                "createdAt": self.created_at, "endedAt": self.ended_at, "reason": self.reason, "reboots": self.reboots,
                "tags": dict(self.tags), "disks": list(self.disks), **getattr(self, "details", {})}


class World:
    """All objects of a provider, its clock, and what happened. Every method is called with the lock held."""

    def __init__(self, faults, address_file=None):
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.faults = faults
        self.address_file = address_file
        self.machines = {}
        self.history = []
        self.disks, self.ports, self.tags, self.keys = {}, {}, {}, {}
        self.calls = collections.Counter()
        self.unknown = []
        self.duplicates = []
        self.failed = []
        self.most_alive = 0
        self._due = []
        self._order = itertools.count()
        self._addresses = itertools.count(1)
        self._at = None

    def now(self):
        """Seconds since the epoch; during something that was due earlier, its own moment."""
        return self._at if self._at is not None else time.time()

    def is_late(self):
        """Is this the late effect of a request whose connection was cut?"""
        return self._at is not None

    def clock(self):
        """What the provider believes the time is."""
        return self.now() + self.faults.clock_skew_s

    def replica(self):
        """The replica that serves a read."""
        return self.faults.random.randrange(REPLICAS)

    def after(self, delay_s, function):
        """Call a function later, before anything that comes after that moment."""
        heapq.heappush(self._due, (self.now() + delay_s, next(self._order), function))

    def run_due(self, is_all=False):
        """Let everything happen that is due by now, in its order; or everything that is due at all."""
        now = time.time()
        while self._due and (is_all or self._due[0][0] <= now):
            at, _, function = heapq.heappop(self._due)
            self._at = min(at, now)
            try:
                function()
            finally:
                self._at = None
            self.changed.notify_all()

    def next_due_s(self):
        """The time until something is due, for those who wait; None: nothing is."""
        return max(0.0, self._due[0][0] - time.time()) if self._due else None

    def address_for(self, *names):
        """The address of a new machine, by its token or name; "*" in the file is the prefix of those of all others."""
        if self.address_file:
            try:
                known = json.loads(pathlib.Path(self.address_file).read_text())
            except (OSError, ValueError):
                known = {}
            for name in names:
                if name in known:
                    return known[name]
            if "*" in known:
                return f"{known['*']}{next(self._addresses)}"
        return "127.0.0.1"

    def add_machine(self, machine):
        """A machine is created."""
        machine.created_at = self.now()
        self.machines[machine.id] = machine
        machine.commit(self)
        alive = [other for other in self.machines.values() if other.alive]
        self.most_alive = max(self.most_alive, len(alive))
        twins = [other.id for other in alive if other.token == machine.token and other.token]
        if len(twins) > 1:
            self.duplicates.append({"at": self.now(), "token": machine.token, "machines": twins})

    def note_failed(self, id, token, reason, cluster=None):
        """The fault `fail_later` struck: what was accepted is not made, or has just ended."""
        self.failed.append({"at": self.now(), "id": id, "token": token, "reason": reason, "cluster": cluster})

    def alive_in(self, zone=None, size=None):
        """The number of live machines, of a zone or size where given."""
        return sum(1 for machine in self.machines.values() if machine.alive and zone in (None, machine.zone) and
                   size in (None, machine.size))

    def is_full(self, zone, size):
        """Has the fault `capacity` no room for one more such machine?"""
        capacity = self.faults.capacity
        return any(name in capacity and self.alive_in(*place) >= capacity[name] for name, place in (
            (zone, (zone, None)), (size, (None, size)), (f"{zone}/{size}", (zone, size)), ("*", (None, None))))

    def is_over_quota(self, more=1):
        """Would so many more machines exceed the fault `quota`?"""
        return self.faults.quota is not None and self.alive_in() + more > self.faults.quota

    def forget_ended(self):
        """Drop machines that no replica shows any more; the truth port still reports them as ended."""
        now = self.now()
        for key, machine in [pair for pair in self.machines.items() if pair[1].is_forgotten(now)]:
            del self.machines[key]
            self.history.append(machine.truth())
            del self.history[:-2000]

    def view(self, objects, replica):
        """The objects that a replica shows, in the order of their creation."""
        now = self.now()
        for one in list(objects.values()):
            if (seen := one.view(replica, now)) is not None:
                yield seen

    def state(self):
        """What GET /state of the truth port answers."""
        self.run_due()
        self.forget_ended()
        return {"machines": [machine.truth() for machine in self.machines.values()], "ended": self.history,
                "disks": [dict(disk.truth()) for disk in self.disks.values()],
                "ports": list(self.ports.values()), "tags": list(self.tags.values()), "keys": list(self.keys.values()),
                "calls": dict(self.calls), "unknown": self.unknown, "duplicates": self.duplicates, "failed": self.failed, "most_alive": self.most_alive,
                "alive": self.alive_in()}
