"""Discovered machines on real nodes: keys, facts and stages as for every member, and no trace after they leave (C17, C21).

The machines are containers of another tenant, which knows nothing of this one."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from conftest import ENVIRONMENT, REEVE  # noqa: E402
from manager import until  # noqa: E402
from test_bootstrap import BASE, world  # noqa: E402, F401  (a fixture is found by its name)

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")
LEFT = ("var/lib/reeve-node", "etc/cluster_facts.json", "etc/ssh/reeve", "etc/ssh/sshd_config.d/00-reeve.conf")


def asked(world, method, path, body=None, **headers):
    """A request of the tenant that has the inventory."""
    return world.manager.ask(method, path, body, Reeve_Tenant="metal", **headers)


def reeve(world, *words):
    """A command of somebody in that tenant, where the machines can be reached."""
    done = subprocess.run([*world.room.within, f"--wd={world.folder}", str(REEVE), *words], text=True, capture_output=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=240,
                          env={**ENVIRONMENT, "REEVE_URL": f"unix:{world.manager.socket}", "HOME": str(world.folder), "REEVE_TENANT": "metal"})
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}\n{why(world)}"
    return done.stdout + done.stderr


def refused(world, *words):
    """What a command says that is refused."""
    done = subprocess.run([*world.room.within, f"--wd={world.folder}", str(REEVE), *words], text=True, capture_output=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=240,
                          env={**ENVIRONMENT, "REEVE_URL": f"unix:{world.manager.socket}", "HOME": str(world.folder), "REEVE_TENANT": "metal"})
    assert done.returncode != 0, done
    return done.stderr


def blocked(world, name, is_away):
    """The network of a machine goes away, and comes back."""
    subprocess.run(["nsenter", "-t", str(world.by_name()[name].init), "-n", "--", "ip", "link", "set", "eth0", "down" if is_away else "up"],
                   check=True)


def rows(world):
    """Row by row: its name, and what is known of it."""
    return {one["address"]: one for one in asked(world, "GET", "/v1/nodes?discovered=1").json["items"]}


def why(world):
    """What there is to read when something does not come."""
    events = asked(world, "GET", "/v1/events?limit=500").json["items"]
    lines = [f"{one['time']} {one['type']} {one.get('node', '')} {one.get('fact', '')}" for one in events]
    return "\n".join([json.dumps(rows(world)), *lines, world.manager.log.read_text()])


def inside(world, name):
    """The file tree of a machine."""
    return pathlib.Path(f"/proc/{world.by_name()[name].init}/root")


def test_machines_are_members_and_leave_without_a_trace(world):
    world.apply(2)
    key = world.folder / "login"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key], check=True)
    owners = key.with_suffix(".pub").read_text()
    addresses = {}
    for name, machine in world.by_name().items():
        addresses[name] = machine.address
        folder = inside(world, name) / "root/.ssh"
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / "authorized_keys").write_text(owners)
    assert world.manager.ask("POST", "/v1/tenants", {"name": "metal"}).status in (200, 201)

    told = reeve(world, "discover", *addresses.values(), "--key", "login")
    assert all(address in told for address in addresses.values()), told
    assert (inside(world, "web-0") / "root/.ssh/authorized_keys").read_text() == owners
    ids = {address: one["id"] for address, one in rows(world).items()}
    world.bundle("base", BASE)
    (world.folder / "dc.yaml").write_text(json.dumps({"name": "dc", "version": "1", "groups": {"box": {
        "size": 0, "resourcePlugin": {"name": "inventory"}, "bootstrap": [{"tar": "base", "args": ["one"]}]}}}))
    reeve(world, "apply", "--yes", "-f", "dc.yaml")
    reeve(world, "commission", *ids.values(), "-g", "dc/box", "--yes")
    members = {one["address"]: one["claim"]["name"] for one in rows(world).values()}
    assert sorted(members.values()) == ["box-0", "box-1"], why(world)
    for name in addresses:
        assert world.starts(name) == ["base one"], why(world)
        facts = json.loads((inside(world, name) / "etc/cluster_facts.json").read_text())
        assert sorted(facts) == ["box-0", "box-1"], facts
    first = members[addresses["web-0"]]
    assert reeve(world, "ssh", f"dc/{first}", "--", "hostname").strip()

    reeve(world, "decommission", f"dc/{first}", "--allow", "destroy=1")
    gone = until(lambda: rows(world)[addresses["web-0"]].get("status") and rows(world)[addresses["web-0"]], lambda: why(world))
    assert gone["status"] == "decommissioned" and "claim" not in gone, gone
    assert [path for path in LEFT if (inside(world, "web-0") / path).exists()] == []
    assert (inside(world, "web-0") / "root/.ssh/authorized_keys").read_text() == owners
    events = [one["type"] for one in asked(world, "GET", "/v1/events?cluster=dc&limit=500").json["items"]]
    assert events.count("node.claimed") == 2 and "node.released" in events and "node.moved" in events, events

    # it comes back by the same login, with another slot's keys and stages of its own
    reeve(world, "commission", ids[addresses["web-0"]], "-g", "dc/box", "--yes")
    assert world.starts("web-0") == ["base one", "base one"], why(world)


def test_an_absent_machine_is_cleaned_up_when_it_returns(world):
    """It leaves at once; nothing is done with it before what reeve has left there is gone (I30)."""
    world.apply(1)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", world.folder / "login"], check=True)
    folder = inside(world, "web-0") / "root/.ssh"
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / "authorized_keys").write_text((world.folder / "login.pub").read_text())
    assert world.manager.ask("POST", "/v1/tenants", {"name": "metal"}).status in (200, 201)
    reeve(world, "discover", world.by_name()["web-0"].address, "--key", "login")
    [one] = rows(world).values()
    world.bundle("base", BASE)
    (world.folder / "dc.yaml").write_text(json.dumps({"name": "dc", "version": "1", "groups": {"box": {
        "size": 0, "resourcePlugin": {"name": "inventory"}, "bootstrap": [{"tar": "base", "args": ["one"]}]}}}))
    reeve(world, "apply", "--yes", "-f", "dc.yaml")
    reeve(world, "commission", one["id"], "-g", "dc/box", "--yes")
    assert (inside(world, "web-0") / "var/lib/reeve-node").exists()

    assert "has not disappeared" in refused(world, "decommission", "dc/box-0", "--absent", "--allow", "destroy=1")
    blocked(world, "web-0", True)
    until(lambda: rows(world)[one["address"]]["state"] == "disappeared", lambda: why(world))
    reeve(world, "decommission", "dc/box-0", "--absent", "--allow", "destroy=1")
    gone = until(lambda: rows(world)[one["address"]].get("cleanupPending") and rows(world)[one["address"]], lambda: why(world))
    assert gone["status"] == "decommissioned", gone
    blocked(world, "web-0", False)
    until(lambda: "cleanupPending" not in rows(world)[one["address"]], lambda: why(world))
    assert [path for path in LEFT if (inside(world, "web-0") / path).exists()] == []
    assert "node.cleaned" in asked(world, "GET", "/v1/events?limit=500").text
