"""The packages where systemd runs: its unit, its hardening, and containers that outlive the manager (UX.md 6.2, U29)."""

import re
import shutil

import pytest

from room import SYSTEMD, Room, copy_in, layers_of, unified

from pylib.containers import alone, laid

INSIDE = ("systemd-sysv", "dbus", "openssh-server", "iproute2", "python3-minimal", "sudo")
# As systemd-analyze computes it, times ten. Namespaces, users and the network are what a manager of sandboxes is for.
EXPOSURE_MAX, EXPOSURE_MAX_LOCAL = 55, 77
CLUSTER = """version: "1"
name: NAME
groups:
  web:
    size: 1
    image: host
    resourcePlugin: {name: PLUGIN}
"""


@pytest.fixture(name="booted")
def booted_debian(tmp_path, older):
    """Debian 12 whose first process is systemd."""
    if shutil.which("debootstrap") is None or unified() is None:
        pytest.skip("a Debian with systemd needs root, debootstrap and control groups of version 2")
    with alone(), laid(tmp_path) as place, Room(layers_of("bookworm", older, INSIDE), place / "room", init=SYSTEMD) as room:
        room.shell("until [ -S /run/systemd/private ]; do sleep 0.1; done; systemctl is-system-running --wait", code=None)
        yield room


def installed(room, debs):
    """Install packages; what it prints."""
    return room.run("apt-get", "-q", "-y", "--no-install-recommends", "install", *copy_in(room, debs)).stdout


def applied(room, plugin):
    """A cluster of one machine of a plugin; waits until it is ready."""
    (room.root / f"root/{plugin}.yaml").write_text(CLUSTER.replace("NAME", f"with-{plugin}").replace("PLUGIN", plugin)
                                                   .replace("    image: host\n", "    image: host\n" if plugin == "local" else ""))
    done = room.run("reeve", "apply", "-f", f"/root/{plugin}.yaml", "--yes", "--timeout", "2m")
    assert "state=done ready=1" in done.stderr, done.stdout + done.stderr


def machine(room):
    """The first process of each container. One that it forks looks like it until it runs another program."""
    rows = [line.split() for line in room.shell("ps -e -o pid=,ppid=,args=").splitlines()]
    first = {row[0]: row[1] for row in rows if row[2:3] == ["/run/reeve-init"]}
    return [pid for pid, parent in first.items() if parent not in first]


def exposure(room):
    """What systemd-analyze thinks of the service."""
    return int(float(re.search(r"exposure level for reeved\.service: ([\d.]+)", room.shell("systemd-analyze security --no-pager reeved"))[1]) * 10)


def test_the_service_of_the_packages(booted, older):
    """First the strict unit with the manager alone, then with containers, which stay when the manager is started again or purged."""
    said = installed(booted, older[:2])
    assert "reeved is running. Next: reeve status" in said, said
    assert booted.run("systemctl", "is-enabled", "reeved").stdout == "enabled\n"
    applied(booted, "file")
    booted.run("systemctl", "restart", "reeved")
    found = booted.run("reeve", "doctor").stdout
    assert "this computer supports the whole sandbox of plugins" in found and "/var/lib/reeve belongs to reeved alone" in found, found
    assert exposure(booted) <= EXPOSURE_MAX
    assert "reeved" not in booted.shell("systemd-analyze verify --man=no reeved.service"), "a warning of the unit"
    booted.run("systemctl", "reload", "reeved")
    assert "reloaded" in booted.shell("journalctl -u reeved")
    # with the other plugins
    installed(booted, older)
    assert exposure(booted) <= EXPOSURE_MAX_LOCAL
    assert "reeved" not in booted.shell("systemd-analyze verify --man=no reeved.service"), "a warning of its drop-in"
    applied(booted, "local")
    before = machine(booted)
    booted.run("systemctl", "restart", "reeved")
    assert before and machine(booted) == before
    booted.run("reeve", "scale", "with-local/web", "2", "--yes", "--timeout", "2m")
    booted.run("reeve", "scale", "with-local/web", "1", "--allow", "destroy=1", "--yes", "--timeout", "2m")
    left = machine(booted)
    assert len(left) == 1
    # a purge stops the manager, leaves nothing of the unit, and lets containers run on their files
    said = booted.run("apt-get", "-q", "-y", "purge", "reeved").stdout
    assert "machines of the plugin local run on this computer, so /var/lib/reeve/plugins stays" in said, said
    assert "removed. Machines elsewhere run on" in said and machine(booted) == left, said
    assert booted.run("ls", "/var/lib/reeve").stdout == "plugins\n" and "no such file" in booted.shell("ls /var/lib/reeve.*", code=2).lower()
    assert booted.shell("pgrep -x reeved", code=1) == ""
    assert "could not be found" in booted.shell("systemctl status reeved", code=4)
