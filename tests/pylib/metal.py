"""Machines of an inventory in the tenant `metal`. They are containers of another tenant, which is not aware of this use."""

import json
import pathlib
import re
import subprocess

from conftest import ENVIRONMENT, REEVE
from manager import until

# Files that are on a machine while it is a member.
LEFT = ("var/lib/reeve-node", "etc/cluster_facts.json", "etc/ssh/reeve", "etc/ssh/sshd_config.d/00-reeve.conf")


def asked(world, method, path, body=None, **headers):
    """Sends a request for the tenant with the inventory."""
    return world.manager.ask(method, path, body, Reeve_Tenant="metal", **headers)


def reeve(world, *words):
    """Runs a command of a user of that tenant, from where the machines can be reached."""
    done = subprocess.run([*world.room.within, f"--wd={world.folder}", str(REEVE), *words], text=True, capture_output=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=600,
                          env={**ENVIRONMENT, "REEVE_URL": f"unix:{world.manager.socket}", "HOME": str(world.folder), "REEVE_TENANT": "metal"})
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}\n{why(world)}"
    return done.stdout + done.stderr


def refused(world, *words, code=None):
    """Returns the output of a refused command with this exit code."""
    done = subprocess.run([*world.room.within, f"--wd={world.folder}", str(REEVE), *words], text=True, capture_output=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=600,
                          env={**ENVIRONMENT, "REEVE_URL": f"unix:{world.manager.socket}", "HOME": str(world.folder), "REEVE_TENANT": "metal"})
    assert done.returncode != 0 if code is None else done.returncode == code, f"{done}\n{why(world)}"
    return done.stderr


def blocked(world, name, is_away):
    """Blocks or restores the network of a machine."""
    subprocess.run(["nsenter", "-t", str(world.by_name()[name].init), "-n", "--", "ip", "link", "set", "eth0", "down" if is_away else "up"],
                   check=True)


def rows(world):
    """Returns the rows by name."""
    return {one["address"]: one for one in asked(world, "GET", "/v1/nodes?discovered=1").json["items"]}


def why(world):
    """Returns diagnostic output for an event that does not happen."""
    events = asked(world, "GET", "/v1/events?limit=500").json["items"]
    lines = [f"{one['time']} {one['type']} {one.get('node', '')} {one.get('fact', '')}" for one in events]
    return "\n".join([json.dumps(rows(world)), *lines, world.manager.log.read_text()])


def inside(world, name):
    """Returns the file tree of a machine."""
    return pathlib.Path(f"/proc/{world.by_name()[name].init}/root")


def listens(machine):
    """Does sshd listen in it? A container runs before its sshd does."""
    return any(re.search(r":0016 0+:0000 0A", pathlib.Path(f"/proc/{machine.init}/net/{name}").read_text()) for name in ("tcp", "tcp6"))


def machines(world, count):
    """Makes discovered machines: containers of another tenant, with a separate login."""
    world.apply(count)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", world.folder / "login"], check=True)
    for name in world.by_name():
        folder = inside(world, name) / "root/.ssh"
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / "authorized_keys").write_text((world.folder / "login.pub").read_text())
    assert world.manager.ask("POST", "/v1/tenants", {"name": "metal"}).status in (200, 201)
    until(lambda: all(listens(one) for one in world.by_name().values()), lambda: why(world))
    reeve(world, "discover", *(one.address for one in world.by_name().values()), "--key", "login")
    return {name: rows(world)[one.address]["id"] for name, one in world.by_name().items()}
