"""The housekeeper of members on real members of etcd: voters follow managers as they come, die and return."""

import json
import os
import queue
import shutil
import subprocess
import threading
import time

import pytest

from conftest import program
from pylib.etcd import OPTIONS, make_ca, make_certificate
from pylib.etcd_three import Member, Three
from pylib.ports import free_port

pytestmark = pytest.mark.skipif(shutil.which("etcd") is None, reason="needs etcd")
PATIENCE_S = 90


class Voter(Member):
    """A member of a manager; its name changes, its addresses do not."""

    def __init__(self, cluster, manager):
        cluster.members.append(self)
        self.cluster, self.manager, self.name = cluster, manager, manager
        self.options, self.process = [*OPTIONS, "--strict-reconfig-check"], None
        self.port, self.peer_port, self.metrics_port = (free_port() for _ in range(3))
        self.peer, self.known, self.state = f"http://127.0.0.1:{self.peer_port}", "", "existing"

    def command(self):
        words = [word for word in super().command() if not word.startswith("--initial-cluster=")]
        return [*words, f"--initial-cluster={self.known}", f"--initial-cluster-state={self.state}"]

    def run(self, name, known, state="existing"):
        """Runs a member with this name in an empty folder."""
        self.kill()
        self.name, self.known, self.state = name, known, state
        self.folder = self.cluster.folder / name
        self.folder.mkdir()
        self.begin()


class World(Three):
    """A store that begins with one member, the housekeeper, and managers that do what it says."""

    def __init__(self, folder):  # pylint: disable=super-init-not-called
        self.folder, self.options, self.members, self.lines, self.said = folder, (), [], queue.Queue(), []
        make_ca(folder)
        for name in ("server", "client"):
            make_certificate(folder, name)

    def __enter__(self):
        first = Voter(self, "ma")
        first.run("first", f"first={first.peer}", "new")
        self.healthy()
        self.process = subprocess.Popen([program("store_voting", os.environ.get("STORE_VOTING", "release")), "etcd:/voting/"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **self.environment(), "ETCD_TIMEOUT_MS": "2000"})
        threading.Thread(target=self.read, daemon=True).start()
        self.say(f"manager ma first {first.peer}")
        return self

    def __exit__(self, kind, *_):
        self.process.stdin.close()
        code = self.process.wait(timeout=60)
        super().__exit__()
        assert kind is not None or code == 0, self.said

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.split())

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def join(self, manager):
        """A new manager without a member."""
        self.say(f"manager {manager} - {Voter(self, manager).peer}")

    def of(self, manager):
        return next(member for member in self.members if member.manager == manager)

    def rows(self):
        """The members in etcd: (name, is a learner), of those that have started."""
        live = next(number for number, member in enumerate(self.members) if member.process is not None and member.process.poll() is None)
        try:
            return sorted((row.get("name", ""), row.get("isLearner", False)) for row in json.loads(self.etcdctl("member", "list", "-w", "json", member=live))["members"])
        except (AssertionError, json.JSONDecodeError):
            return []

    def until(self, condition):
        """Does what the housekeeper says until the condition holds for the members."""
        end = time.monotonic() + PATIENCE_S
        while not condition(rows := self.rows()):
            assert self.process.poll() is None and time.monotonic() < end, (rows, self.said[-20:])
            try:
                words = self.lines.get(timeout=0.2)
            except queue.Empty:
                continue
            self.said.append(words)
            if words[0] == "run":
                self.of(words[1]).run(words[2], words[4])
            elif words[0] == "aside":
                self.of(words[1]).kill()
        return rows


def kinds(rows):
    """The number of voters and of learners, if all members have started."""
    return None if any(not name for name, _ in rows) else (sum(not learner for _, learner in rows), sum(learner for _, learner in rows))


def test_voters_follow_managers(tmp_path):
    """One voter; a learner with the second manager; three voters with the third; one and a learner when one dies; three when it returns."""
    with World(tmp_path) as world:
        world.join("mb")
        rows = world.until(lambda rows: kinds(rows) == (1, 1))
        assert ("first", False) in rows
        world.join("mc")
        rows = world.until(lambda rows: kinds(rows) == (3, 0))
        names = {name for name, _ in rows}
        world.say("lost mc")
        world.of("mc").kill()
        rows = world.until(lambda rows: kinds(rows) == (1, 1))
        # the voter that became a learner has a new name, and its former folder is not used again
        assert len({name for name, _ in rows} - names) == 1, (rows, names)
        world.join("md")
        world.until(lambda rows: kinds(rows) == (3, 0))
