"""kill -9 of the manager while it scales, rolls and heals a cluster whose machines are files: no machine is leaked, none
is doubled, there are never more than wanted and one for the rollout, and in the end there are exactly those wanted
(SAFETY.md I1, I3, I4, I8; F1). Between its lives reeve-controller makes passes, and is killed and stopped too; beside it,
it asks. Manager and controller are stopped for a while in the middle of their work (F4). The machines are the truth: they
are counted in their folder, not in the store."""

import collections
import fcntl
import json
import os
import random
import signal
import subprocess
import time

from conftest import rounds
from manager import REEVED, Manager, machines_in
from pylib.proc import state_of

REEVE = REEVED.parent / "reeve"
CONTROLLER = REEVED.parent / "reeve-controller"
GROUPS = ("web", "db", "cache")
SIZE_MAX = 6
SURGE = 1
SETTLE_S = 300
HASTE = 100
SETTLES = 5  # lives from one look at the end to the next: fewer than the store keeps chains of decisions
MOMENTS_S = (0.0, 0.002, 0.01, 0.05, 0.2, 0.5)


class World:
    """What is wanted, and the machines that there are."""

    def __init__(self, folder, luck):
        self.manager = Manager(folder, "--haste", str(HASTE), control=True)
        self.luck = luck
        self.sizes = {group: luck.randint(1, SIZE_MAX) for group in GROUPS}
        self.images = dict.fromkeys(GROUPS, 0)
        self.most = dict(self.sizes)  # that may run while a change takes effect
        self.removed = 0
        self.replayed = set()  # decisions that were made again
        self.done = collections.Counter()

    def wish(self):
        """Say what is wanted; a manager that dies meanwhile is asked again by the next one."""
        groups = {group: {"size": self.sizes[group], "image": f"i{self.images[group]}",
                          "resourcePlugin": {"name": "file"}} for group in GROUPS}
        answer = self.manager.ask("POST", "/v1/apply", {
            "documents": [{"name": "shop", "version": "1", "groups": groups}],
            "allow": {"destroy": 1000, "replace": 1000}})
        assert answer.status in (200, 201), answer.text

    def files(self):
        """The machines, by group; one that is being written or removed in this moment is none."""
        found = collections.defaultdict(list)
        for path, machine in machines_in(self.manager.folder).items():
            found[machine["group"]].append((machine["slot"], machine["token"], path))
        return found

    def look(self):
        """Never more than the size, of lately, and one for a rollout; a slot is at most two machines."""
        for group, machines in self.files().items():
            slots = collections.Counter(slot for slot, _, _ in machines)
            tokens = {token for _, token, _ in machines}
            assert len(tokens) == len(machines), (group, machines)
            assert len(machines) <= self.most[group] + SURGE, (group, self.most, machines)
            assert max(slots.values()) <= 1 + SURGE, (group, slots)

    def change(self):
        """Something happens: people resize or change an image, or a machine is gone."""
        group = self.luck.choice(GROUPS)
        what = self.luck.random()
        if what < 0.5:
            size = self.luck.randint(0, SIZE_MAX)
            self.most[group] = max(self.sizes[group], size, self.most[group])
            self.sizes[group] = size
            self.wish()
        elif what < 0.7:
            self.images[group] += 1
            self.wish()
        else:
            self.change_outside(group)

    def change_outside(self, group=None):
        """A machine is gone."""
        machines = self.files()[group or self.luck.choice(GROUPS)]
        if machines:
            self.luck.choice(machines)[2].unlink(missing_ok=True)
            self.removed += 1

    def is_settled(self):
        """Are the machines exactly those wanted, of the wanted image, and does the store know them all?"""
        found = self.files()
        if any(len(found[group]) != self.sizes[group] for group in GROUPS):
            return False
        try:
            made = [(group, json.loads(path.read_text())["properties"]["image"]) for group in GROUPS for _, _, path in found[group]]
        except FileNotFoundError:  # one has gone since
            return False
        if any(image != f"i{self.images[group]}" for group, image in made):
            return False
        records = self.manager.get("/v1/resources?cluster=shop").json["items"]
        tokens = {token for group in GROUPS for _, token, _ in found[group]}
        return {one["metadata"]["id"] for one in records} == tokens

    def settle(self):
        """Wait until it is so."""
        deadline = time.monotonic() + SETTLE_S
        while time.monotonic() < deadline:
            self.look()
            if self.is_settled():
                self.most = dict(self.sizes)
                return
            time.sleep(0.05)
        holds = self.manager.get("/v1/holds").text
        raise AssertionError(f"not settled: wanted {self.sizes}, {dict(self.files())}, {holds}")


    def watch(self, seconds):
        """Look for so long."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.look()

    def kept(self):
        """The decisions that are kept."""
        return {one["pass"] for one in self.manager.get("/v1/passes?cluster=shop").json["items"]}

    def replay(self):
        """Every decision that is kept, by whichever life, is made again with the same bytes (N1), none of them is torn,
        and none was made that was never kept."""
        before = self.kept()
        done = subprocess.run([str(REEVE), "why", "shop", "--replay", "--all", "-o", "json"],
                              env={**os.environ, "REEVE_URL": f"unix:{self.manager.socket}",
                                   "HOME": str(self.manager.folder)},
                              capture_output=True, text=True, check=False, timeout=SETTLE_S)
        assert done.returncode == 0, (done.stdout, done.stderr)
        told = json.loads(done.stdout)
        again = {one["pass"] for one in told["passes"] if one["same"]}
        assert told["same"] and len(again) == len(told["passes"]), told
        assert before & self.kept() <= again, "what is kept cannot be read"  # the oldest go as new ones come
        self.replayed |= again
        assert self.replayed == set(range(1, max(self.replayed) + 1)), "decisions went before they were made again"


def moment(luck):
    """How long something goes on before it is interrupted."""
    return luck.choice(MOMENTS_S) * luck.random()


def end_of(world, process, codes):
    """Wait for the end of a controller, looking; it may only end so."""
    deadline = time.monotonic() + SETTLE_S
    while process.poll() is None:
        assert time.monotonic() < deadline, "reeve-controller does not end"
        world.look()
    assert process.returncode in codes, (process.returncode, process.stderr.read())
    process.stderr.close()


def controller(world):
    """A pass of its own begins, or the manager is asked for one."""
    world.done["controller"] += 1
    return subprocess.Popen([str(CONTROLLER), "shop", "--data", str(world.manager.folder / "data"), "--haste", str(HASTE)],
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def halt(process):
    """Stop it, and wait until it stands still or has ended."""
    process.send_signal(signal.SIGSTOP)
    deadline = time.monotonic() + SETTLE_S
    while process.poll() is None:  # only the poll takes its entry away
        if state_of(process.pid) == "T":
            return
        assert time.monotonic() < deadline


def is_owned(world):
    """Has anybody the store? (Nobody else tries to take it just now.)"""
    with (world.manager.folder / "data/store.lock").open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def refused(world):
    """A manager that comes while the store is another's says so and ends; nothing of the store is its."""
    second = subprocess.run([str(REEVED), "--data", str(world.manager.folder / "data"), "--socket",
                             str(world.manager.folder / "s2"), "--haste", str(HASTE)],
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=SETTLE_S)
    assert second.returncode != 0 and "R0507" in second.stdout + second.stderr, second
    world.done["refused"] += 1


def controllers(world, luck):
    """While no manager lives: passes, some of them killed at a random moment, some stopped for a while."""
    for _ in range(luck.randint(0, 2)):
        process = controller(world)
        what = luck.random()
        if what < 0.5:
            time.sleep(moment(luck) / 10)
            process.kill()
            end_of(world, process, (-signal.SIGKILL, 0, 5))
        elif what < 0.7:
            time.sleep(moment(luck) / 10)
            halt(process)
            world.watch(moment(luck))
            if luck.random() < 0.3 and is_owned(world):
                refused(world)
            if luck.random() < 0.3:
                process.kill()
            process.send_signal(signal.SIGCONT)
            end_of(world, process, (-signal.SIGKILL, 0, 5))
        else:
            end_of(world, process, (0, 5))


def life(world, luck):
    """One life of the manager, interrupted in the middle of its work."""
    what = luck.random()
    asked = None
    for _ in range(luck.randint(0, 2)):
        world.change()
    if what < 0.3:
        asked = controller(world)
    world.watch(moment(luck))
    if 0.2 < what < 0.5:
        halt(world.manager.process)
        world.done["stopped"] += 1
        if luck.random() < 0.3:
            world.change_outside()
        world.watch(moment(luck))
        if luck.random() < 0.5:  # or it is killed as it stands there
            world.manager.process.send_signal(signal.SIGCONT)
            world.watch(moment(luck))
    world.manager.kill()
    if asked is not None:
        end_of(world, asked, (0, 5, 7))  # 7: it died under the request


def lives(world, luck):
    """One life after the other."""
    world.manager.start()
    world.wish()
    world.settle()
    for number in range(1, rounds("FAULT_KILLS", 10) + 1):
        life(world, luck)
        world.look()
        if luck.random() < 0.1:  # killed before it is ready
            world.manager.start(wait=False)
            time.sleep(moment(luck) / 5)
            world.manager.kill()
        controllers(world, luck)
        world.manager.start()
        if number % SETTLES == 0:
            world.settle()
            world.replay()
    world.settle()
    world.replay()
    assert world.manager.stop() == 0
    print(f"{max(world.replayed)} decisions made again, {world.removed} machines removed, {dict(world.done)}")


def test_killed_at_random_moments(tmp_path):
    """The whole: FAULT_KILLS lives, each ended at a random moment of its work."""
    luck = random.Random(7)
    world = World(tmp_path, luck)
    try:
        lives(world, luck)
    finally:
        world.manager.kill()
