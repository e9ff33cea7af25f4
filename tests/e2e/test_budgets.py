"""Budgets above groups: how many nodes operations may have out of service at once, and when (N10, decision 0158)."""

import json
import subprocess
import time

import pytest

from conftest import ENVIRONMENT, REEVE
from manager import Manager, machines_in

SIZE, OLD, NEW = 4, "debian-12", "debian-13"


def cluster(name, image=OLD):
    """A cluster whose group would be replaced as a whole at once."""
    return {"name": name, "version": "1", "groups": {"web": {
        "size": SIZE, "image": image, "resourcePlugin": {"name": "file"}, "labels": {"tier": "front"},
        "rollout": {"surge": 0, "unavailable": SIZE, "batch": "100%", "maxFail": SIZE}}}}


def budget(most, **more):
    return {"kind": "Budget", "name": "front", "selector": "tier=front", "maxUnavailable": most, **more}


class World:
    def __init__(self, folder):
        self.folder = folder
        self.manager = Manager(folder, "--haste", "100", control=True).start()

    def cli(self, *words, documents=(), code=0):
        text = {"input": "\n---\n".join(json.dumps(one) for one in documents)} if documents else {"stdin": subprocess.DEVNULL}
        done = subprocess.run([str(REEVE), *words], text=True, capture_output=True, check=False, timeout=120, cwd=self.folder,
                              env={**ENVIRONMENT, "REEVE_URL": f"unix:{self.manager.socket}"}, **text)
        assert done.returncode == code, f"{done}"
        return done.stdout + done.stderr

    def apply(self, *documents, code=0):
        return self.cli("apply", "-f", "-", "--yes", "--allow", f"replace={2 * SIZE}", "--detach", documents=documents, code=code)

    def running(self, image=None):
        return [one for one in machines_in(self.folder).values() if image in (None, one["properties"]["image"])]

    def ready(self, *names):
        """Are all members of these clusters ready?"""
        return all(self.manager.get(f"/v1/clusters/{name}").json.get("status", {}).get("machines", {}).get("ready") == SIZE for name in names)

    def tickets(self):
        """How many tickets there are, by what the manager waits for."""
        return [one["status"] for one in self.manager.get("/v1/holds").json["items"] if one["status"]["rule"] == "ticket"]

    def until(self, what, seconds=120, least=0):
        """Look until it is so; never fewer machines than `least` run meanwhile."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            assert len(self.running()) >= least, self.running()
            if what():
                return
            time.sleep(0.02)
        raise AssertionError(self.manager.get("/v1/holds").text + self.manager.log.read_text()[-3000:])


@pytest.fixture
def world(tmp_path):
    one = World(tmp_path)
    yield one
    assert one.manager.stop() in (0, None), one.manager.log.read_text()


def test_two_clusters_share_a_budget(world):
    """Of eight machines never more than two are gone, although each group would replace all of its own at once."""
    world.apply(budget(2), cluster("shop"), cluster("dock"))
    world.until(lambda: world.ready("shop", "dock"))
    world.apply(cluster("shop", NEW), cluster("dock", NEW))
    world.until(lambda: len(world.running(NEW)) == 2 * SIZE and world.ready("shop", "dock"), least=2 * SIZE - 2)
    world.until(lambda: not world.tickets())


def test_a_frozen_budget_holds_replacements_and_reboots(world):
    """The hold and why name it; it continues when the budget has room, and a closed window is no room."""
    world.apply(budget(0), cluster("shop"))
    world.until(lambda: world.ready("shop"))
    world.apply(cluster("shop", NEW))
    world.until(world.tickets)
    assert "budget front: 0 nodes are out of service, and at most 0 may be" in world.tickets()[0]["fact"]
    assert "budget front" in world.cli("why", "nodegroup/shop/web")
    assert len(world.running(OLD)) == SIZE
    today = time.gmtime().tm_wday
    day = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"][(today + 3) % 7]
    world.apply(budget(4, windows=[{"days": [day]}]))
    world.until(lambda: "no window is open" in world.tickets()[0]["fact"])
    assert len(world.running(OLD)) == SIZE
    world.apply(budget(1))
    world.until(lambda: len(world.running(NEW)) == SIZE and world.ready("shop"), least=SIZE - 1)
    world.until(lambda: not world.tickets())


def test_healing_takes_no_ticket(world):
    """A machine that is gone is replaced although the budget allows nothing."""
    world.apply(budget(0), cluster("shop"))
    world.until(lambda: world.ready("shop"))
    path = next(iter(machines_in(world.folder)))
    path.unlink()
    world.until(lambda: len(world.running()) == SIZE and world.ready("shop"))


def test_faults_of_a_budget_have_their_place(world):
    """The window and the selector are named."""
    told = world.apply(budget(1, windows=[{"days": ["funday"]}]), code=3)
    assert "no valid form" in told, told
    told = world.apply({**budget(1), "selector": "tier=("}, code=2)
    assert "R0531" in told, told
    world.apply(budget(3))
    assert json.loads(world.cli("get", "budgets", "-o", "json"))[0]["spec"]["maxUnavailable"] == 3
    world.cli("delete", "budget/front", "--yes")
