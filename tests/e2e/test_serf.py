"""Machines with agents of serf appear in the inventory, and what happens to the agents is evidence and nothing more (LIFECYCLE.md 3, C1, C16, X7)."""
import contextlib
import json
import os
import shutil
import subprocess
import urllib.parse

import pytest

from hosts import ME, Sshd
from manager import Manager, until
from pylib.serf import Agent

NETWORK = "127.0.25"
PORT = 22  # of machines that serf reports
pytestmark = [pytest.mark.skipif(shutil.which("serf") is None, reason="needs serf"),
              pytest.mark.skipif(os.getuid() != 0, reason="needs root for port 22")]


@pytest.fixture(name="place")
def fixture_place(tmp_path):
    """Three machines with agents, and a manager with one of its own."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", tmp_path / "login"], check=True)
    with contextlib.ExitStack() as stack:
        own = Agent(tmp_path, "manager", address=f"{NETWORK}.9")
        stack.callback(own.end)
        machines, agents = [], []
        for number in range(1, 4):
            machine = Sshd(tmp_path / f"machine-{number}", [f"{NETWORK}.{number}"], PORT)
            stack.callback(machine.stop)
            machine.start((tmp_path / "login.pub").read_text().strip())
            machines.append(machine)
            agents.append(Agent(tmp_path, f"n{number}", tags=[f"NodeLabel=node{number}", "NodeSerial=0"], join=own, address=f"{NETWORK}.{number}"))
            stack.callback(agents[-1].end)
        config = tmp_path / "c.json"
        config.write_text(json.dumps({"inventory": [{"user": ME, "key": "secret://base-image", "serf": {"address": f"{NETWORK}.9:{own.rpc}"}}]}))
        with Manager(tmp_path, "--config", str(config), "--haste", "20", control=True).start() as manager:
            manager.ask("POST", "/v1/secrets", {"name": "base-image", "value": (tmp_path / "login").read_text()})
            yield manager, machines, agents, own


def rows(manager):
    """The machines of the inventory, by address."""
    return {one["address"]: one for one in manager.get("/v1/nodes?discovered=1").json["items"]}


def state(manager, number):
    return rows(manager).get(f"{NETWORK}.{number}", {}).get("state")


def types(manager):
    return [event["type"] for event in manager.get("/v1/events?limit=200").json["items"]]


def test_agents_appear_fail_and_return(place):
    manager, machines, agents, own = place
    until(lambda: len([one for one in rows(manager).values() if one["state"] == "discovered"]) == 3, lambda: str(rows(manager)))
    found = rows(manager)
    assert f"{NETWORK}.9" not in found, "the manager's own agent is a machine of the inventory"
    assert sorted(one["name"] for one in found.values()) == ["node1-0", "node2-0", "node3-0"]
    until(lambda: all("hostKey" in one.get("identity", {}) for one in rows(manager).values()), lambda: str(rows(manager)))

    # the agent alone dies: the second opinion says that the machine is there
    agents[0].end()
    own.call("force-leave", "n1")
    # the agent and the machine die
    agents[1].end()
    machines[1].stop()
    until(lambda: state(manager, 2) == "disappeared", lambda: str(rows(manager)))
    assert state(manager, 3) == "discovered" and "node.moved" not in types(manager)
    agents[1].begin()
    machines[1].start()
    until(lambda: state(manager, 2) == "discovered", lambda: str(rows(manager)))

    # The source itself fails: no state changes, and that is said. Two of three agents that failed at nearly the same time
    # may have looked like it before.
    until(lambda: types(manager).count("inventory.held") == types(manager).count("inventory.freed"), lambda: str(types(manager)))
    freed = types(manager).count("inventory.freed")
    own.end()
    until(lambda: types(manager).count("inventory.held") == freed + 1, lambda: str(types(manager)))
    assert state(manager, 2) == state(manager, 3) == "discovered"

    # other machines can still be commissioned (C37)
    manager.apply({"name": "dc", "version": "1", "groups": {"workers": {
        "size": 0, "resourcePlugin": {"name": "inventory"},
        "health": {"probe": {"exec": ["true"], "every": "200ms", "fail": 2, "timeout": "5s"}, "grace": "1m"}}}})
    row = rows(manager)[f"{NETWORK}.3"]
    word = f"{row['id']}={row['fingerprint']}"
    answer = manager.patch(f"/v1/nodegroups/dc/workers?commission={urllib.parse.quote(word)}", {"size": 1})
    assert answer.status == 200, answer.text
    until(lambda: manager.get("/v1/clusters/dc").json.get("status", {}).get("machines", {}).get("ready", 0) == 1, manager.log.read_text)
    assert types(manager).count("inventory.freed") == freed


def test_machines_of_serf_are_commissioned(place):
    manager, _, _, _ = place
    until(lambda: len([one for one in rows(manager).values() if one["state"] == "discovered" and "hostKey" in one.get("identity", {})]) == 3,
          lambda: str(rows(manager)))
    manager.apply({"name": "dc", "version": "1", "groups": {"workers": {
        "size": 0, "resourcePlugin": {"name": "inventory"},
        "health": {"probe": {"exec": ["true"], "every": "200ms", "fail": 2, "timeout": "5s"}, "grace": "1m"}}}})
    names = [rows(manager)[f"{NETWORK}.{number}"]["id"] for number in (1, 2)]
    for name in names:
        key = manager.get(f"/v1/nodes/{name}").json["fingerprint"]
        assert manager.ask("POST", f"/v1/nodes/{name}/approve", {"fingerprint": key}).status == 200
    answer = manager.patch(f"/v1/nodegroups/dc/workers?commission={','.join(names)}", {"size": 2})
    assert answer.status == 200, answer.text
    until(lambda: manager.get("/v1/clusters/dc").json.get("status", {}).get("machines", {}).get("ready", 0) == 2, manager.log.read_text)
