"""What reeve says of each node is one truth, at every second of what goes wrong (X18): a rollout that fails, a stage that times out, a node that
is cut off, a restart of the manager. Compared with each other, with the containers that run and with what the stages themselves have left. The page of
the cluster is open in one browser for all of it. A full disk under a plugin is in tests/fault/test_full_plugin_disk.py."""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from conftest import ENVIRONMENT, REEVE  # noqa: E402
from manager import until  # noqa: E402
from pylib.browser import Browser  # noqa: E402
from pylib.consistency import Observer  # noqa: E402
from pylib.containers import ground  # noqa: E402
from pylib.displayed import Tabs  # noqa: E402
from pylib.site import Site  # noqa: E402
from test_bootstrap import World  # noqa: E402

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")

SIZE = 4
NAMES = [f"web-{number}" for number in range(SIZE)]
ALL_AT_ONCE = {"surge": 0, "canary": 0, "bake": "0s", "batch": SIZE, "unavailable": SIZE, "maxFail": SIZE}
PROBE = {"probe": {"tcp": 22, "every": "1s", "fail": 2, "timeout": "8s"}, "grace": "0s"}
GOOD = "echo done >/srv/result\n"
BAD = "echo failed >/srv/result\necho 'error: no licence on this node' >&2\nexit 5\n"
ENDLESS = "echo failed >/srv/result\nsleep 1000\n"


class Watched(World):
    """A world that is looked at meanwhile, also by somebody with a browser in its room."""

    def __init__(self, folder, stack):
        super().__init__(folder)
        stack.callback(self.close)
        browser = Browser(folder, within=self.room.within)
        stack.callback(browser.end)
        self.page = Tabs(Site(self.manager, browser), "shop")

    def write(self, script, timeout="30m", **rollout):
        """The file: a group of four with one stage."""
        self.bundle("stage", script)
        group = {"size": SIZE, "image": "host", "resourcePlugin": {"name": "local"}, "rollout": {**ALL_AT_ONCE, **rollout}, "heal": "off",
                 "health": PROBE, "bootstrap": [{"tar": "stage", "idempotent": True, "timeout": timeout}]}
        (self.folder / "shop.yaml").write_text(json.dumps({"name": "shop", "version": "1", "groups": {"web": group}}))
        self.reeve("apply", "--yes", "--supersede", "--detach", "-f", "shop.yaml")

    def run(self, *words):
        """The command line, whatever it ends with."""
        done = subprocess.run([str(REEVE), *words], text=True, capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=90,
                              env={**ENVIRONMENT, "REEVE_URL": f"unix:{self.manager.socket}", "HOME": str(self.folder)})
        return done.returncode, done.stdout

    def own(self):
        """Of each node whose stage has left a word: has it failed, and does it run no more?"""
        return {name: self.peek(machine, "srv/result") == "failed\n" and not self.is_running(machine) for name, machine in self.by_name().items()}

    @staticmethod
    def is_running(machine):
        """Does its stage run?"""
        with contextlib.suppress(OSError):
            tasks = pathlib.Path(f"/proc/{machine.init}/root/proc")
            return any(b"bootstrap.sh" in (one / "cmdline").read_bytes() for one in tasks.iterdir() if one.name.isdigit())
        return False

    def running(self):
        """Names of containers that have a first process."""
        return [name for name, machine in self.by_name().items() if machine.init]

    def observed(self):
        """Looked at until it is left."""
        return Observer(self.manager, "shop", self.page, self.run, self.running, self.own, every=0.5)

    def counts(self):
        """As the status has them."""
        return self.manager.get("/v1/clusters/shop").json.get("status", {}).get("machines", {})

    def until_counted(self, **wanted):
        """Until the status has these counts."""
        until(lambda: all(self.counts().get(word) == count for word, count in wanted.items()), lambda: f"{self.counts()}\n{self.why()}", 90)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """One world for all of it: four nodes that have run the good stage once, and serve."""
    with ground(tmp_path_factory.mktemp("consistency")) as folder, contextlib.ExitStack() as stack:
        one = Watched(folder, stack)
        with one.observed():
            one.write(GOOD)
            one.until_counted(ready=SIZE, failed=0, outdated=0)
        yield one


def test_a_rollout_that_fails(world):
    """All four are broken by a changed stage: none is ready, whatever it served before; the page of before said 4 of 4."""
    with world.observed() as observer:
        world.write(BAD)
        world.until_counted(ready=0, failed=SIZE, outdated=SIZE)
        code, _ = world.run("wait", "cluster/shop", "--for", "ready", "--timeout", "1s")
        assert code != 0
        tree = world.run("tree", "shop")[1]
        assert f"ready 0/{SIZE}, failed {SIZE}, outdated {SIZE}" in tree, tree
        told = world.run("why", "shop/web-1")[1]
        assert "  state    failed, outdated: stage-0 stage, attempt 2: error: no licence on this node (exit 5)\n" in told, told
        shown = " ".join(world.run("status")[1].split())
        assert re.search(r"! shop/web-\[0-3\] \(4\) failed, outdated, since [^:]+.*?: stage-0 stage: error: no licence on this node \(exit 5\) "
                         "next: reeve does nothing: the machine has been ready before; repair the bundle", shown), shown
        until(lambda: observer.has_agreed(failed=SIZE), lambda: str(observer.since), 20)
        world.write(GOOD + "# again\n")
        world.until_counted(ready=SIZE, failed=0, outdated=0)
        assert world.run("wait", "cluster/shop", "--for", "updated", "--timeout", "20s")[0] == 0, world.why()


def test_one_that_waits_for_its_rollout_slot(world):
    """The canary fails; the three others serve, and are marked as outdated."""
    with world.observed() as observer:
        world.write(BAD, canary=1, batch=1, maxFail=1)
        world.until_counted(ready=SIZE - 1, failed=1, outdated=SIZE)
        until(lambda: observer.has_agreed(failed=1), lambda: str(observer.since), 20)
        world.write(GOOD)
        world.until_counted(ready=SIZE, failed=0, outdated=0)


def test_a_stage_that_times_out(world):
    with world.observed() as observer:
        world.write(ENDLESS, timeout="2s")
        world.until_counted(ready=0, failed=SIZE)
        until(lambda: observer.has_agreed(failed=SIZE), lambda: str(observer.since), 20)
        world.write(GOOD)
        world.until_counted(ready=SIZE, failed=0, outdated=0)


def test_a_node_that_is_cut_off(world):
    """Its link is down: unreachable, not ready; and it comes back."""
    machine = world.by_name()["web-2"]
    link = "nsenter", "-t", str(machine.init), "-n", "ip", "link", "set", "eth0"
    with world.observed() as observer:
        subprocess.run([*link, "down"], check=True, timeout=90)
        world.until_counted(ready=SIZE - 1, unreachable=1)
        until(lambda: observer.has_agreed(unreachable=1), lambda: str(observer.since), 20)
        subprocess.run([*link, "up"], check=True, timeout=90)
        world.until_counted(ready=SIZE, unreachable=0)


def test_a_restart_of_the_manager(world):
    """While one node is broken and others wait: the next manager says the same."""
    with world.observed() as observer:
        world.write(BAD, canary=1, batch=1, maxFail=1)
        world.until_counted(ready=SIZE - 1, failed=1, outdated=SIZE)
        world.manager.kill()
        world.manager.start()
        world.until_counted(ready=SIZE - 1, failed=1, outdated=SIZE)
        assert world.manager.ask("POST", "/v1/clusters/shop/pass").status == 200
        world.until_counted(ready=SIZE - 1, failed=1, outdated=SIZE)
        until(lambda: observer.has_agreed(failed=1, outdated=SIZE), lambda: str(observer.since), 30)
        world.write(GOOD)
        world.until_counted(ready=SIZE, failed=0, outdated=0)
