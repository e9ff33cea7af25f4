"""The common cause of failures (N9, G27, decision 0161): the zone that fails is left alone, and the other one is healed."""
import contextlib
import json
import os
import signal
import socket
import subprocess

import pytest

from conftest import REEVE
from manager import Manager, machines_in, until

NETWORK, SIZE = "127.0.11", 8  # every address of 127/8 is ours on loopback
CAUSE = "zone {} of file: {} of 4 nodes with it fail, and {} of 4 others"


class World:
    def __init__(self, folder, stack):
        self.folder, self.stack, self.doors = folder, stack, {}
        with socket.create_server((f"{NETWORK}.0", 0)) as first:
            self.port = first.getsockname()[1]
        for number in range(SIZE):
            self.open(number)
        self.manager = Manager(folder, "--haste", "100", control=True).start()

    def open(self, number):
        self.doors[number] = self.stack.enter_context(socket.create_server((f"{NETWORK}.{number}", self.port), backlog=4096))

    def close(self, *numbers):
        """The manager sees them closed at once, however long that takes."""
        self.manager.process.send_signal(signal.SIGSTOP)
        for number in numbers:
            self.doors.pop(number).close()
        self.manager.process.send_signal(signal.SIGCONT)

    def cli(self, *words, document=None, code=0):
        text = {"input": json.dumps(document)} if document else {"stdin": subprocess.DEVNULL}
        done = subprocess.run([str(REEVE), *words], text=True, capture_output=True, check=False, timeout=120, **text,
                              env={**os.environ, "REEVE_URL": f"unix:{self.manager.socket}", "HOME": str(self.folder)})
        assert done.returncode == code, f"{done}"
        return done.stdout + done.stderr

    def apply(self, **more):
        probe = {"tcp": self.port, "every": "100ms", "fail": 2, "timeout": "500ms"}
        self.cli("apply", "-f", "-", "--yes", "--detach", document={"name": "shop", "version": "1", "groups": {"web": {
            "size": SIZE, "zones": ["a", "b"], "resourcePlugin": {"name": "file"}, "resourceProperties": {"address": NETWORK + ".{n}"},
            "replaceAfter": "1s", "health": {"probe": probe, "grace": "0s"}, **more}}})

    def ready(self):
        return self.manager.get("/v1/clusters/shop").json.get("status", {}).get("machines", {}).get("ready")

    def rows(self):
        return {row["status"]["name"]: row["status"] for row in self.manager.get("/v1/resources?cluster=shop").json["items"]}

    def ids(self, numbers):
        return {name: row["id"] for name, row in self.rows().items() if int(name.rsplit("-", 1)[1]) in numbers}

    def zones(self):
        """The numbers of the nodes of each zone."""
        found = {"a": [], "b": []}
        for name, row in sorted(self.rows().items()):
            found[row["zone"]].append(int(name.rsplit("-", 1)[1]))
        return found

    def holds(self):
        return {one["status"]["rule"]: one for one in self.manager.get("/v1/holds?cluster=shop").json["items"]}

    def events(self, kind):
        return [event for event in self.manager.get("/v1/events?cluster=shop&limit=500").json["items"] if event["type"] == kind]

    def until(self, what, seconds=120):
        until(what, lambda: f"{self.holds()} {self.rows()} {self.manager.log.read_text()[-3000:]}", seconds)


@pytest.fixture
def world(tmp_path):
    with contextlib.ExitStack() as stack:
        found = World(tmp_path, stack)
        yield found
        assert found.manager.stop() in (0, None), found.manager.log.read_text()


def test_the_zone_that_fails_is_left_alone_and_the_other_is_healed(world):
    world.apply()
    world.until(lambda: world.ready() == SIZE)
    zones = world.zones()
    assert len(zones["a"]) == len(zones["b"]) == 4, zones
    before = world.ids(zones["b"])
    alone, *rest = zones["a"]
    world.close(*zones["b"])
    world.until(lambda: "common_cause" in world.holds())
    world.close(alone)  # a machine of the other zone dies by itself, and is replaced
    world.until(lambda: [event for event in world.events("machine.destroyed") if event["node"] == f"web-{alone}"])
    world.open(alone)
    world.until(lambda: world.ready() == 4)
    for _ in range(3):
        assert world.manager.ask("POST", "/v1/clusters/shop/pass").status == 200
    assert world.ids(zones["b"]) == before
    assert {event["node"] for event in world.events("machine.destroyed")} == {f"web-{alone}"}
    assert sorted(machine["slot"] for machine in machines_in(world.folder).values()) == list(range(SIZE))
    assert world.ids(rest).keys() == {f"web-{number}" for number in rest}

    # everything that shows holds shows it, with the zone
    fact = CAUSE.format("b", 4, 0)
    held = world.holds()["common_cause"]["status"]
    assert held["fact"].startswith(fact) and held["attribute"] == "zone b of file" and held["wouldDestroy"] == 4, held
    assert fact in world.cli("status") and "common_cause" in world.cli("get", "holds", "-c", "shop")
    assert fact in world.cli("why", "hold/shop:common_cause") and fact in world.cli("why", "cluster/shop")
    sick, well = f"shop/web-{zones['b'][0]}", f"shop/web-{rest[0]}"
    assert "reeve does nothing until the hold common_cause ends: zone b of file" in world.cli("why", sick)
    assert "common_cause" not in world.cli("why", well)
    assert "common_cause" in {event.get("rule") for event in world.events("hold.began")}

    # nodes that fail for another reason are not of the hold
    world.cli("pause", "shop/web", "-m", "test")
    world.close(rest[0])
    world.until(lambda: world.rows()[f"web-{rest[0]}"].get("unhealthy"))
    [row] = [json.loads(line) for line in world.cli("get", "holds", "-c", "shop", "-o", "jsonl").splitlines() if "common_cause" in line]
    named = row["status"]["nodes"]
    listed = next(line for line in world.cli("get", "holds", "-c", "shop", "-o", "csv").splitlines() if "common_cause" in line)
    assert listed.count(named) == 2 and f"web-{rest[0]} " not in listed, listed
    world.open(rest[0])
    world.cli("resume", "shop/web")

    # it ends by itself, and another manager has gone on with it before
    world.manager.stop()
    world.manager.start()
    assert "common_cause" in world.holds()
    assert world.manager.ask("POST", "/v1/clusters/shop/pass").status == 200
    for number in zones["b"]:
        world.open(number)
    world.until(lambda: world.ready() == SIZE and not world.holds())
    assert world.ids(zones["b"]) == before


def test_an_operator_may_have_the_zone_replaced(world):
    world.apply()
    world.until(lambda: world.ready() == SIZE)
    zones = world.zones()
    before = world.ids(zones["b"])
    world.close(*zones["b"])
    world.until(lambda: "common_cause" in world.holds())
    world.cli("hold", "approve", "shop:common_cause", "-m", "zone b is gone for good")
    world.until(lambda: world.events("machine.condemned"))
    for number in zones["b"]:
        world.open(number)
    world.until(lambda: world.ready() == SIZE and not world.holds())
    assert world.ids(zones["b"]) != before


def test_all_machines_alike_are_no_common_cause(world):
    """Nothing lacks what they have in common: that is a matter for maxUnhealthy."""
    world.apply(zones=["b"])
    world.until(lambda: world.ready() == SIZE)
    before = world.ids(range(SIZE))
    world.close(*range(SIZE - 2))
    world.until(lambda: "unhealthy_brake" in world.holds())
    world.until(lambda: sum(bool(row.get("unhealthy")) for row in world.rows().values()) == SIZE - 2)
    assert world.manager.ask("POST", "/v1/clusters/shop/pass").status == 200
    assert "common_cause" not in world.holds()
    assert world.ids(range(SIZE)) == before
