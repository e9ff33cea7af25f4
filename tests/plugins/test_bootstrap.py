"""Nodes from bare containers to bootstrapped ones, under a manager with all its helpers (E10 to E25; decisions 0053, 0058).

Requirements: E1, E9.
"""

import collections
import contextlib
import json
import os
import pathlib
import random
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from conftest import ENVIRONMENT, REEVE  # noqa: E402
from manager import Manager, until  # noqa: E402
from pylib.containers import Folder, Room, ground  # noqa: E402

KILLS = int(os.environ.get("REEVE_KILLS", "3"))

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")

# Each script counts its starts on the node itself, where no stage's folder is.
BASE = 'echo "base $*" >>/srv/starts\n'
JOIN = r"""set -eu
echo "join $*" >>/srv/starts
cp /etc/cluster_facts.json /srv/facts
sed -n 's/^[{ ]*"\([^"]*\)":{.*/\1/p' /etc/cluster_facts.json >/srv/names
: >/srv/seen
while read -r name; do
    ssh -n -o BatchMode=yes -o ConnectTimeout=20 "root@$name" 'echo "$(id -un)@$(hostname)"' >>/srv/seen
done </srv/names
"""
FRAGILE = """echo "fragile $*" >>/srv/starts
echo looking for the licence
[ "$(hostname)" != web-1 ] || [ -e /srv/licence ] || {
    printf 'error: no licence on this node\\r\\n' >&2
    echo 'giving up'
    exit 7
}
"""
# Whoever is killed in the middle of it has an odd one in the file.
SLOW = 'echo "slow begins" >>/srv/starts\nsleep 3\nuntil [ -e /srv/go ]; do sleep 0.1; done\necho "slow ends" >>/srv/starts\n'
ENDLESS = 'echo "endless" >>/srv/starts\nsleep 100000\n'


class World:
    """A manager in a room of its own, its containers, and somebody with a file at the command line."""

    def __init__(self, folder):
        self.folder = folder
        self.room = Room(folder)
        self.manager = Manager(folder, "--haste", "100", control=True, within=self.room.within)
        self.containers = Folder(folder / "data", self.room)
        self.containers.prepare(folder / "data")
        self.manager.start()

    def said(self, *words, code=0):
        """A command of reeve's, where the machines can be reached: what it prints, and what it says besides."""
        done = subprocess.run([*self.room.within, f"--wd={self.folder}", str(REEVE), *words], text=True,
                              capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=240,
                              env={**ENVIRONMENT, "REEVE_URL": f"unix:{self.manager.socket}", "HOME": str(self.folder)})
        assert done.returncode == code, f"{done}\n{self.manager.log.read_text()}"  # a text is shown whole
        return done.stdout, done.stderr

    def reeve(self, *words, code=0):
        """What it prints."""
        return self.said(*words, code=code)[0]

    def bundle(self, name, script):
        """A folder that is a bundle."""
        (self.folder / name).mkdir(exist_ok=True)
        (self.folder / name / "bootstrap.sh").write_text(script)
        return name

    def apply(self, size, *stages, waits=True, destroys=0, **more):
        """A file with one group, applied; stages: (bundle, arguments)."""
        bootstrap = [{"tar": name, "args": list(arguments)} for name, *arguments in stages]
        group = {"size": size, "image": "host", "resourcePlugin": {"name": "local"}, "bootstrap": bootstrap}
        (self.folder / "shop.yaml").write_text(json.dumps({"name": "shop", "version": "1", "groups": {"web": group}, **more}))
        self.reeve("apply", "--yes", "--allow", f"destroy={destroys},rerun={size}", "--detach", "-f", "shop.yaml")
        if waits:
            self.wait_ready(size)

    def ready(self, size):
        """Do so many serve, and no other?"""
        status = self.manager.get("/v1/clusters/shop").json.get("status", {}).get("machines", {})
        return (len(self.containers.machines()) == size == status.get("ready") == status.get("wanted")
                and status.get("leaving") == 0)

    def wait_ready(self, size, seconds=60):
        """Until all do."""
        until(lambda: self.ready(size), self.why, seconds)

    def why(self):
        """What there is to read when something does not come."""
        events = "\n".join(f"{one['type']} {one.get('node', '')} {one.get('fact', '')}" for one in self.events())
        return f"{self.by_name()}\n{events}\n{self.manager.log.read_text()}"

    def events(self, kind=None):
        """What happened, or what of one kind did."""
        items = self.manager.get("/v1/events?cluster=shop&limit=500").json["items"]
        return [one for one in items if kind in (None, one["type"])]

    def by_name(self):
        """The machines that are not going."""
        return {one.name: one for one in self.containers.machines() if not one.is_going}

    def on(self, node, *command):
        """A command on a node, as people give one."""
        return self.reeve("ssh", f"shop/{node}", "--", *command)

    def peek(self, machine, name):
        """A file of a machine's, as it is on its disk; empty where there is none (yet)."""
        with contextlib.suppress(OSError):
            return (machine.folder / "upper" / name).read_text()
        return ""

    def starts(self, node):
        """Which bundles began on a node, and with what."""
        return self.peek(self.by_name()[node], "srv/starts").splitlines()

    def look_again(self):
        """The manager decides anew, some times, and once more after it was ended and started."""
        for _ in range(3):
            assert self.manager.ask("POST", "/v1/clusters/shop/pass").status == 200
        assert self.manager.stop() == 0, self.manager.log.read_text()
        self.manager.start()
        for _ in range(3):
            assert self.manager.ask("POST", "/v1/clusters/shop/pass").status == 200

    def written(self, kind):
        """Keys of objects of one kind in the store."""
        return self.manager.written(kind)

    def close(self):
        """End it, whatever state it is in."""
        self.manager.kill()
        self.containers.end_all()
        self.room.close()


@pytest.fixture
def world(tmp_path):
    """A world that ends with the test."""
    with ground(tmp_path) as folder, contextlib.ExitStack() as stack:
        one = World(folder)
        stack.callback(one.close)
        yield one


def reaches_all(world, node, names):
    """The last stage of this node was root on every other one, by name, and had the facts of all."""
    assert world.on(node, "cat", "/srv/seen").split() == [f"root@{name}" for name in names]
    facts = json.loads(world.on(node, "cat", "/srv/facts"))
    assert sorted(facts) == names
    assert {name: (one["name"], one["hostname"], one["ip_address"], one["main_user"]) for name, one in facts.items()} == {
        name: (name, name, one.address, "admin") for name, one in world.by_name().items() if name in names}


@pytest.mark.parametrize("trust", ["certificate", "classic"])
def test_all_reach_all_when_the_first_bundle_starts(world, trust):
    size = int(os.environ.get("REEVE_NODES", "3"))
    stages = (world.bundle("base", BASE), "one"), (world.bundle("join", JOIN), "two words", "")
    names = [f"web-{i}" for i in range(size)]
    began = ["base one", "join two words "]
    world.apply(size, *stages, sshTrust=trust)
    for name in names:
        reaches_all(world, name, names)
        assert world.starts(name) == began
    told = [one["type"] for one in world.events() if one.get("node") == "web-0"]
    assert [kind for kind in told if kind.startswith("node.")] == ["node.keyed", "node.stage", "node.stage",
                                                                  "node.bootstrapped"]
    newest = f"web-{size}"
    world.apply(size + 1, *stages, sshTrust=trust)
    reaches_all(world, newest, [*names, newest])
    assert world.starts(newest) == began
    for name in names:
        assert world.on(name, "sudo", "-n", "ssh", "-n", "-o", "BatchMode=yes", newest, "hostname").strip() == newest
        assert sorted(json.loads(world.on(name, "cat", "/etc/cluster_facts.json"))) == [*names, newest]
        assert world.starts(name) == began


@pytest.mark.parametrize("trust", ["certificate", "classic"])
def test_root_is_let_in_nowhere_where_that_is_switched_off(world, trust):
    def reaches():
        """What root of one node hears from the other."""
        return world.on("web-0", "sudo", "-n", "ssh", "-n", "-o", "BatchMode=yes", "web-1", "hostname", "2>&1", "||", "true")

    stages = ((world.bundle("base", BASE), "one"),)
    world.apply(2, *stages, sshTrust=trust, mutualRootSsh=False)
    assert "Permission denied" in reaches()  # it knows the host, and is not let in
    world.apply(2, *stages, sshTrust=trust)
    until(lambda: reaches().strip() == "web-1", world.why)
    world.apply(2, *stages, sshTrust=trust, mutualRootSsh=False)
    until(lambda: "Permission denied" in reaches(), world.why)
    assert world.starts("web-0") == ["base one"]


def test_only_what_changed_runs_again(world):
    first, second = world.bundle("base", BASE), world.bundle("join", JOIN)
    names = ["web-0", "web-1", "web-2"]
    world.apply(3, (first, "a"), (second, "b"))
    machines = {name: one.id for name, one in world.by_name().items()}
    world.apply(3, (first, "a"), (second, "b"))
    world.look_again()
    world.wait_ready(3)
    for name in names:
        assert world.starts(name) == ["base a", "join b"]
    world.apply(3, (first, "a"), (second, "c"), waits=False)
    until(lambda: len(world.events("node.bootstrapped")) == 6, world.why)
    world.wait_ready(3)
    for name in names:
        assert world.starts(name) == ["base a", "join b", "join c"]
    assert {name: one.id for name, one in world.by_name().items()} == machines


def test_one_that_fails_waits_for_somebody(world):
    stages = (world.bundle("base", BASE),), (world.bundle("fragile", FRAGILE),)
    world.apply(3, *stages, waits=False)
    until(lambda: len(world.events("node.bootstrapped")) == 2 and world.events("node.failed"), world.why)
    failed = world.events("node.failed")
    assert [one["node"] for one in failed] == ["web-1"]
    assert failed[0]["fact"] == "stage-1 fragile: stage failed: error: no licence on this node"
    assert {one["node"] for one in world.events("node.bootstrapped")} == {"web-0", "web-2"}
    until(lambda: world.manager.get("/v1/clusters/shop").json["status"]["machines"]["ready"] == 2, world.why)
    world.look_again()
    world.apply(4, *stages, waits=False)  # when the newest is through, there was time for the others too
    until(lambda: len(world.events("node.bootstrapped")) == 3, world.why)
    for name in ("web-0", "web-1", "web-2", "web-3"):
        assert world.starts(name) == ["base ", "fragile "]
    assert len(world.events("node.failed")) == 1

    world.on("web-1", "sudo", "-n", "touch", "/srv/licence")
    jobs = [one["status"] for one in world.manager.get("/v1/jobs?cluster=shop").json["items"]]
    world.reeve("job", "retry", str(max(one["revision"] for one in jobs)), "--failed", "--yes")
    world.wait_ready(4)
    assert world.starts("web-1") == ["base ", "fragile ", "fragile "]
    for name in ("web-0", "web-2", "web-3"):
        assert world.starts(name) == ["base ", "fragile "]


def test_one_that_fails_is_kept_and_then_replaced(world):
    """X4, decision 0069: while it is kept it can be looked at; then another machine comes and is given its stages."""
    hopeful = 'echo "hopeful" >>/srv/starts\n[ "$(hostname)" != web-1 ] || ssh -n -o BatchMode=yes root@web-0 test -e /srv/licence\n'
    stages = ((world.bundle("hopeful", hopeful),),)
    world.apply(3, *stages, waits=False, defaults={"keepFailed": {"max": 1, "for": "1h"}})  # as long as it is looked at
    until(lambda: "  failed" in world.reeve("tree", "shop", "--color", "never"), world.why)
    broken = world.by_name()["web-1"].id
    until(lambda: "kept" in world.reeve("get", "holds"), world.why)
    assert world.on("web-1", "cat", "/srv/starts") == "hopeful\n"
    world.on("web-0", "sudo", "-n", "touch", "/srv/licence")
    assert world.by_name()["web-1"].id == broken
    world.apply(3, *stages, defaults={"keepFailed": {"max": 1, "for": "1s"}})
    assert world.by_name()["web-1"].id != broken
    assert world.starts("web-1") == ["hopeful"]
    assert [one["rule"] for one in world.events("machine.condemned")] == ["unfinished"]
    assert "kept" not in world.reeve("get", "holds")


def test_stages_run_again_by_a_word(world):
    """On the nodes that are named, from the stage that is named, once; whoever is killed meanwhile. A failed one as well."""
    slow = 'echo "slow $*" >>/srv/starts\nsleep 1\n'
    world.apply(3, (world.bundle("base", BASE), "a"), (world.bundle("slow", slow), "b"), (world.bundle("fragile", FRAGILE),), waits=False)
    until(lambda: world.events("node.failed") and len(world.events("node.bootstrapped")) == 2, world.why)
    first = ["base a", "slow b", "fragile "]
    said = world.said("bootstrap", "run", "-g", "shop/web", "web-[0,2]", "--from-stage", "slow", "--yes", "--detach", "-m", "the mirror was stale")[1]
    assert "stage-2 fragile is not idempotent, and runs again on shop/web-0 shop/web-2\n" in said
    assert ": shop/web-[0,2]: all stages from slow on run again, in 2 batches\n" in said
    world.manager.kill()
    world.manager.start()
    until(lambda: len(world.events("node.bootstrapped")) == 4, world.why)
    world.look_again()
    for name in ("web-0", "web-2"):
        assert world.starts(name) == [*first, "slow b", "fragile "]
    assert world.starts("web-1") == first
    told = {one["node"]: one["fact"] for one in world.events("node.rerun")}
    assert told == dict.fromkeys(("web-0", "web-2"), "not idempotent, and run again: stage-1 slow, stage-2 fragile")
    world.reeve("bootstrap", "run", "shop/web-0", "--rerun", "--yes", "--detach")
    until(lambda: len(world.events("node.bootstrapped")) == 5, world.why)
    assert world.starts("web-0") == [*first, "slow b", "fragile ", *first]
    world.on("web-1", "sudo", "-n", "touch", "/srv/licence")
    number = max(one["status"]["revision"] for one in world.manager.get("/v1/jobs?cluster=shop").json["items"]
                 if "verb" not in one["status"])  # that of the change
    assert "web-1 has no stage 'slowly'" in world.said("bootstrap", "run", "shop/web-1", "--from-stage", "slowly", code=4)[1]
    assert "fragile is not idempotent" in world.said("bootstrap", "run", "--all", "--failed-of", str(number), code=11)[1]
    said = world.said("bootstrap", "run", "--failed-of", str(number), "--yes", "--detach")[1]  # what did not end well, and nothing else
    assert ": shop/web-1: stages that did not succeed run again, in 1 batch\n" in said and "web-0" not in said
    world.wait_ready(3)
    assert world.starts("web-1") == [*first, "fragile "]
    assert world.starts("web-2") == [*first, "slow b", "fragile "]


def test_killed_in_the_middle_of_stages(world):
    """kill -9 of the manager at any moment: every node ends bootstrapped, and nothing has begun twice."""
    seed = random.randrange(1 << 30)
    print("seed", seed)
    dice = random.Random(seed)
    in_the_middle = 0
    names = ["web-0", "web-1", "web-2"]
    world.apply(3, (world.bundle("base", BASE),), (world.bundle("slow", SLOW),), (world.bundle("join", JOIN),), waits=False)
    for kill in range(KILLS):
        if kill == KILLS // 2:
            until(lambda: any("slow begins" in world.starts(name) for name in world.by_name()), world.why)
        time.sleep(dice.random() * dice.choice((1, 3)))  # a new manager needs a while until it is back on the nodes
        begun = collections.Counter(line for name in world.by_name() for line in world.starts(name))
        in_the_middle += begun["slow begins"] > begun["slow ends"]
        world.manager.kill()
        time.sleep(dice.random() / 2)
        world.manager.start()
    until(lambda: all("slow begins" in world.starts(name) for name in world.by_name()) and len(world.by_name()) == 3, world.why)
    time.sleep(4)  # for the last one to find the stages running
    for machine in world.by_name().values():
        pathlib.Path(f"/proc/{machine.init}/root/srv/go").touch()
    world.wait_ready(3)
    for name in names:
        assert world.starts(name) == ["base ", "slow begins", "slow ends", "join "]
        reaches_all(world, name, names)
    assert {one["node"] for one in world.events("node.bootstrapped")} == set(names)
    assert not world.events("node.failed")
    assert in_the_middle > 0, "the stage was never met"


def test_deleted_in_the_middle(world):
    world.apply(3, (world.bundle("endless", ENDLESS),), waits=False)
    until(lambda: len(world.by_name()) == 3 and all(world.starts(name) for name in world.by_name()), world.why)
    seen = {one.id for one in world.containers.machines()}
    until(lambda: len(world.written("Node")) == 3, world.why)
    world.reeve("delete", "cluster/shop", "--yes", "--allow", "destroy=4", "--detach")
    until(lambda: not any(world.containers.traces(seen).values()), lambda: (world.containers.traces(seen), world.why()))
    until(lambda: world.manager.get("/v1/clusters/shop").status == 404, world.manager.log.read_text)
    # the bridge goes a moment after the last machine
    until(lambda: world.room.links() == [] and world.room.mounts() == [], lambda: (world.room.links(), world.room.mounts()))
    until(lambda: not any(map(world.written, ("Cluster", "Resource", "Node"))), lambda: world.written("Node"))
    assert world.manager.stop() == 0
    assert not any(map(world.written, ("Cluster", "Resource", "Node")))  # nor was anything written after it
