"""kill -9 of the manager while it scales, rolls and heals a cluster whose machines are files: no machine is leaked, none
is doubled, there are never more than wanted and one for the rollout, and in the end there are exactly those wanted
(SAFETY.md I1, I3, I4, I8; F1). The machines are the truth: they are counted in their folder, not in the store."""

import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import time

from conftest import ROOT, rounds

sys.path.insert(0, str(pathlib.Path(ROOT) / "tests/e2e"))
from manager import REEVED, Manager  # noqa: E402  pylint: disable=wrong-import-position

REEVE = REEVED.parent / "reeve"
GROUPS = ("web", "db", "cache")
SIZE_MAX = 6
SURGE = 1
SETTLE_S = 90
HASTE = 100


class World:
    """What is wanted, and the machines that there are."""

    def __init__(self, folder, luck):
        self.manager = Manager(folder, "--haste", str(HASTE), control=True)
        self.machines = pathlib.Path(folder) / "data/machines"
        self.luck = luck
        self.sizes = {group: luck.randint(1, SIZE_MAX) for group in GROUPS}
        self.images = dict.fromkeys(GROUPS, 0)
        self.most = dict(self.sizes)  # that may run while a change takes effect
        self.removed = 0

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
        for path in self.machines.glob("*/*/file-*.json"):
            try:
                machine = json.loads(path.read_text())
            except (FileNotFoundError, json.JSONDecodeError):
                continue
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
            machines = self.files()[group]
            if machines:
                self.luck.choice(machines)[2].unlink(missing_ok=True)
                self.removed += 1

    def is_settled(self):
        """Are the machines exactly those wanted, of the wanted image, and does the store know them all?"""
        found = self.files()
        if any(len(found[group]) != self.sizes[group] for group in GROUPS):
            return False
        for group in GROUPS:
            for _, _, path in found[group]:
                if json.loads(path.read_text())["properties"]["image"] != f"i{self.images[group]}":
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


def replayed(manager):
    """Every decision that is kept, by whichever life, is made again with the same bytes (N1), and none of them is torn."""
    kept = [one["pass"] for one in manager.get("/v1/passes?cluster=shop").json["items"]]
    done = subprocess.run([str(REEVE), "why", "shop", "--replay", "--all", "-o", "json"],
                          env={**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": str(manager.folder)},
                          capture_output=True, text=True, check=False, timeout=SETTLE_S)
    assert done.returncode == 0, (done.stdout, done.stderr)
    told = json.loads(done.stdout)
    assert len(kept) > 3 and kept[-1] in [one["pass"] for one in told["passes"]], (kept, told)
    assert told["missing"] == 0 and all(one["same"] for one in told["passes"]), told


def lives(world, luck):
    """One life after the other."""
    world.manager.start()
    world.wish()
    world.settle()
    for number in range(rounds("FAULT_KILLS", 30)):
        for _ in range(luck.randint(0, 2)):
            world.change()
        until = time.monotonic() + luck.choice((0.0, 0.002, 0.01, 0.05, 0.2, 0.5)) * luck.random()
        while time.monotonic() < until:
            world.look()
        world.manager.kill()
        world.look()
        world.manager.start()
        if number % 10 == 9:
            world.settle()
    world.settle()
    replayed(world.manager)
    assert world.manager.stop() == 0


def test_killed_at_random_moments(tmp_path):
    """The whole: FAULT_KILLS lives, each ended at a random moment of its work."""
    luck = random.Random(7)
    world = World(tmp_path, luck)
    try:
        lives(world, luck)
    finally:
        world.manager.kill()
