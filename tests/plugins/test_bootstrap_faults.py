"""Nodes are bootstrapped while everything that can die does (issue 7; E15 to E19).

REEVE_FAULTS=200 REEVE_NODES=20 is the long run: as many faults, spread over as many bootstraps as they need. REEVE_SEED repeats one.
"""

import contextlib
import os
import pathlib
import random
import signal
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from manager import until  # noqa: E402
from pylib.proc import children, fields_of, named  # noqa: E402
from test_bootstrap import BASE, World, world  # noqa: E402, F401  (a fixture is found by its name)

FAULTS = int(os.environ.get("REEVE_FAULTS", "5"))
FAULTS_OF_ONE = 10  # of one bootstrap: after them it must come to its end
SIZE = int(os.environ.get("REEVE_NODES", "4"))

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")

# A stage that must not be begun twice, long enough to be met in the middle.
WORK = 'echo "work begins" >>/srv/starts\nfor i in 1 2 3 4 5 6; do echo "part $i"; sleep 0.3; done\necho "work ends" >>/srv/starts\n'
# Its own connections are cut as well.
LAST = 'until ssh -n -o BatchMode=yes -o ConnectTimeout=5 root@web-0 true; do sleep 0.3; done\necho "last" >>/srv/starts\n'
WHOLE = ["base ", "work begins", "work ends", "last"]


def kill(pids):
    """End these at once."""
    for pid in filter(None, pids):  # a machine that has ended meanwhile has none
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


class Faults:
    """What can go wrong, one at a time."""

    def __init__(self, world, dice):  # noqa: F811
        self.world, self.dice = world, dice
        self.kinds = [self.manager_dies, self.helper_dies, self.sessions_end, self.sshd_ends, self.cable_is_pulled,
                      self.machine_dies]

    def one(self):
        """Any of them; its name."""
        kind = self.dice.choice(self.kinds)
        kind()
        return kind.__name__

    def manager_dies(self):
        """kill -9, and a new one after a moment."""
        self.world.manager.kill()
        time.sleep(self.dice.random() / 2)
        self.world.manager.start()

    def helper_dies(self):
        """A hand, or the signer."""
        helpers = [pid for pid in children(self.world.manager.process.pid) if named(pid) in ("reeve-session", "reeve-signer")]
        kill(self.dice.sample(helpers, min(1, len(helpers))))

    def of_sshd(self, machine, is_session):
        """The listening sshd of a machine, or those that are a session each."""
        found = [pid for pid in children(machine.init or 0) if named(pid).startswith("sshd")]  # or sshd-session
        return [pid for pid in found if named_parent(pid).startswith("sshd") == is_session]

    def machines(self, most):
        """Some that live."""
        living = [one for one in self.world.by_name().values() if one.init]
        return self.dice.sample(living, min(len(living), self.dice.randint(1, most)))

    def sessions_end(self):
        """Connections, cut on the node."""
        kill(pid for machine in self.machines(SIZE) for pid in self.of_sshd(machine, True))

    def sshd_ends(self):
        """And is started again by the machine's first process."""
        kill(pid for machine in self.machines(SIZE // 4 + 1) for pid in self.of_sshd(machine, False))

    def cable_is_pulled(self):
        """Nobody hears anybody for a while."""
        links = self.dice.sample(names := [name for name in self.world.room.links() if name.startswith("rv")], len(names) // 2)
        for state in ("down", "up"):
            for name in links:
                self.world.room.run("ip", "link", "set", name, state)
            time.sleep(self.dice.random() * 2 if state == "down" else 0)

    def machine_dies(self):
        """Another one takes its place, and begins anew."""
        kill(machine.init for machine in self.machines(1))


def named_parent(pid):
    """What the process above is called."""
    return named(fields_of(pid)[1]) if fields_of(pid) else ""


def test_nodes_whatever_dies(world):  # noqa: F811
    seed = int(os.environ.get("REEVE_SEED", "0")) or random.randrange(1 << 30)
    print("seed", seed)
    dice = random.Random(seed)
    faults = Faults(world, dice)
    stages = (world.bundle("base", BASE),), (world.bundle("work", WORK),), (world.bundle("last", LAST),)
    done = []
    while len(done) < FAULTS:
        world.apply(SIZE, *stages, waits=False)
        until(lambda: len(world.by_name()) > 0, world.why)
        for _ in range(min(FAULTS_OF_ONE, FAULTS - len(done))):
            time.sleep(dice.random() * dice.choice((0.2, 1, 2)))
            done.append(faults.one())
            print(f"{time.monotonic():.1f} {done[-1]}", flush=True)
        world.wait_ready(SIZE, 180)
        for name, machine in world.by_name().items():
            assert world.peek(machine, "srv/starts").splitlines() == WHOLE, (name, machine.id, world.why())
        assert not world.events("node.failed"), world.why()
        seen = {one.id for one in world.containers.machines()}
        world.reeve("delete", "cluster/shop", "--yes", "--allow", f"destroy={SIZE + 1}", "--detach")
        until(lambda: not any(world.containers.traces(seen).values()) and  # noqa: B023
              world.manager.get("/v1/clusters/shop").status == 404, world.why, 60)
    print({kind: done.count(kind) for kind in sorted(set(done))})
