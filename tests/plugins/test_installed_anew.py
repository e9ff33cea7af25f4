"""A machine of other people's that is installed anew under reeve's hands: an alarm, a word, and it goes on (E10, E11, X5; decision 0051)."""

import json
import os
import pathlib
import signal
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from conftest import REEVE  # noqa: E402, F401
from manager import until  # noqa: E402
from pylib.proc import children, fields_of  # noqa: E402
from test_bootstrap import BASE, world  # noqa: E402, F401  (a fixture is found by its name)
from test_stages_fail import run  # noqa: E402

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")
HOST_KEY = "etc/ssh/ssh_host_ed25519_key"


def metal(world, address, *arguments):
    """A cluster of one machine that somebody else has made."""
    group = {"size": 1, "resourcePlugin": {"name": "static"}, "ssh": {"firstUse": True}, "heal": "off",
             "resourceProperties": {"addresses": [address], "user": "root"},
             "bootstrap": [{"tar": "base", "args": list(arguments)}]}
    (world.folder / "metal.yaml").write_text(json.dumps({"name": "metal", "version": "1", "groups": {"box": group}}))
    world.reeve("apply", "--yes", "--allow", "rerun=1", "--detach", "-f", "metal.yaml")


def of_metal(world, path="resources?cluster=metal"):
    """What the manager says."""
    return world.manager.get(f"/v1/{path}").json["items"]


def box(world):
    """How it stands."""
    return of_metal(world)[0]["status"]


def told(world, kind):
    """What happened to it, of one kind."""
    return [one for one in of_metal(world, "events?cluster=metal&limit=500") if one["type"] == kind]


def why(world):
    """What there is to read when something does not come."""
    lines = [f"{one['time']} {one['type']} {one.get('fact', '')}" for one in of_metal(world, "events?cluster=metal&limit=500")]
    return "\n".join([json.dumps(box(world)), run(world, "describe", "node", "metal/box-0").stdout, *lines, world.manager.log.read_text()])


def let_in(world, inside):
    """Whoever runs the machine puts the authority's line there."""
    until(lambda: world.manager.get("/v1/clusters/metal").json.get("status", {}).get("ssh"), world.why)
    folder = inside / "root/.ssh"
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / "authorized_keys").write_text(world.reeve("ca", "show", "metal"))


def key_anew(init, forgets=""):
    """Its sshd has a key that nobody has seen."""
    subprocess.run(["nsenter", "-t", str(init), "-m", "--", "sh", "-ec",
                    f"{forgets}\nrm /{HOST_KEY}*; ssh-keygen -q -t ed25519 -N '' -C '' -f /{HOST_KEY}"], check=True)
    for pid in children(init):
        with open(f"/proc/{pid}/comm", encoding="ascii") as name:
            if name.read().strip() == "sshd":
                os.kill(pid, signal.SIGKILL)
    return pathlib.Path(f"/proc/{init}/root/{HOST_KEY}.pub").read_text().strip()


def install_anew(init):
    """As good as another disk: nothing of reeve's is left."""
    return key_anew(init, "rm -rf /var/lib/reeve-node /etc/ssh/reeve* /etc/ssh/ssh*_config.d/* /etc/cluster_facts.json ~root/.ssh /srv/starts")


def bootstrapped(world):
    """A cluster of one machine, which has run its stage."""
    world.apply(1)
    init = world.by_name()["web-0"].init
    world.bundle("base", BASE)
    metal(world, world.by_name()["web-0"].address, "one")
    let_in(world, pathlib.Path(f"/proc/{init}/root"))
    until(lambda: told(world, "node.bootstrapped"), lambda: why(world))
    assert world.starts("web-0") == ["base one"]
    return init


def test_a_machine_that_was_installed_anew(world):
    """Nobody logs in until somebody has said that its key is right; then it is given keys, facts and stages like any other."""
    init = bootstrapped(world)
    inside = pathlib.Path(f"/proc/{init}/root")
    before = box(world)["hostKey"]
    key = install_anew(init)
    metal(world, world.by_name()["web-0"].address, "two")
    until(lambda: box(world).get("alarm"), lambda: why(world))
    assert box(world)["shown"] == " ".join(key.split()[:2]) and box(world)["hostKey"] == before
    refused = run(world, "ssh", "metal/box-0", "--", "true")
    assert refused.returncode != 0 and "R0713" in refused.stderr, refused
    assert not (inside / "var/lib/reeve-node").exists()

    let_in(world, inside)
    world.reeve("ca", "accept", "metal/box-0", key)
    until(lambda: world.starts("web-0") == ["base two"], lambda: why(world))
    until(lambda: len(told(world, "node.bootstrapped")) == 2, lambda: why(world))
    assert "alarm" not in box(world)
    assert len(told(world, "node.bootstrap_reset")) == 1 and len(told(world, "node.keyed")) == 2
    assert (inside / "etc/cluster_facts.json").exists() and (inside / "etc/ssh/sshd_config.d/00-reeve.conf").exists()
    assert world.reeve("ssh", "metal/box-0", "--", "hostname").strip()


def test_a_machine_whose_key_alone_is_another(world):
    """Its marks say that its stage was run; its certificate is made for the new key. A manager that begins in between sees it as well."""
    init = bootstrapped(world)
    key = key_anew(init)
    assert world.manager.stop() == 0
    world.manager.start()
    world.reeve("ca", "accept", "metal/box-0", key)
    until(lambda: len(told(world, "node.keyed")) == 2, lambda: why(world))
    until(lambda: len(told(world, "node.bootstrapped")) == 2, lambda: why(world))
    assert world.starts("web-0") == ["base one"] and not told(world, "machine.alarm")
    signed = subprocess.run(["nsenter", "-t", str(init), "-m", "--", "sh", "-c",
                             f"ssh-keygen -Lf /etc/ssh/reeve/host-cert.pub; ssh-keygen -lf /{HOST_KEY}.pub"],
                            capture_output=True, text=True, check=True).stdout
    assert signed.count(signed.split()[-3]) >= 2, signed  # by its fingerprint
