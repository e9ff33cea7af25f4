"""A manager and its plugin process are killed at any moment while a group grows and goes, at clouds that lose, delay and refuse answers: there is
never a machine more than the size, and at the end nothing is left (CLOUDS.md section 13b).

CLOUD_KILLS is the number of kills of each run (500 for the acceptance), CLOUD_SEED what they are drawn from.
"""
import contextlib
import json
import os
import pathlib
import random
import signal
import subprocess
import time

import pytest

from cloudy import REEVED, ROOT, Manager, until
from pylib.clouds import Fake

KILLS = int(os.environ.get("CLOUD_KILLS", "6"))
SEED = int(os.environ.get("CLOUD_SEED", "1"))
SIZE = max(4, min(30, KILLS // 2))
UNKIND = {"boot_ms": 50, "end_ms": 50, "operation_ms": 30, "lag_ms": 500, "lose_before": 0.03, "lose_after": 0.03, "late": 0.03, "late_ms": 1000,
          "error_5xx": 0.03, "error_5xx_with_effect": 0.03}
KIND = {name: 0 for name in ("lag_ms", "lose_before", "lose_after", "late", "error_5xx", "error_5xx_with_effect")}
PROPERTIES = {"aws": {"instanceType": "t3.small", "image": "debian-12"}, "digitalOcean": {"size": "s-1vcpu-1gb", "image": "debian-12"},
              "openstack": {"flavor": "m1.small", "image": "debian-12"}}
# Declared windows of minutes, shortened as the manager's own clock is; the fakes' delays are within them.
MORE = {"digitalOcean": {"region": "fra1", "requestsPerHour": 3600000, "lagMs": 2000, "lateMs": 3000}, "openstack": {"lagMs": 2000, "lateMs": 3000}}


class Fleet:
    """A manager with one account at one fake, and a group there."""

    def __init__(self, folder, fake, cloud):
        self.folder, self.fake, self.cloud = folder, fake, cloud
        configuration = folder / "reeved.yaml"
        configuration.write_text(f"endpoints: {{{cloud}: ['127.0.0.1:{fake.port}']}}\n")
        self.manager = Manager(folder, "--config", str(configuration), "--haste", "50", control=True)
        self.manager.start()
        self.manager.apply({"kind": "Secret", "name": "own", "value": fake.credential},
                           {"kind": "Account", "name": "own", "plugin": cloud, "secret": "own",
                            "settings": {**fake.settings, **MORE.get(cloud, {})}})

    def apply(self, size):
        """The group in this size; the answer is not waited for longer than until the change is taken."""
        text = json.dumps({"name": "shop", "version": "1", "groups": {"web": {
            "size": size, "resourcePlugin": {"name": self.cloud, "account": "own"}, "resourceProperties": PROPERTIES[self.cloud]}}})
        done = subprocess.run([str(REEVED.parent / "reeve"), "apply", "--yes", "--detach", "--no-preflight", f"--allow=destroy={SIZE}", "-f", "-"],
                              input=text, timeout=400, capture_output=True, text=True, check=False, cwd=ROOT,
                              env={**os.environ, "REEVE_URL": f"unix:{self.manager.socket}", "HOME": str(self.folder)})
        assert done.returncode == 0, done.stdout + done.stderr

    def hosts(self):
        """The processes in which plugins run, by number."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                words = path.read_bytes().split(b"\0")
                if words[0] == b"reeve-host" and str(self.folder / "data").encode() in words:
                    found.append(int(path.parent.name))
        return found

    def kill(self, drawn):
        """The manager, or the process of its plugins; which one is drawn."""
        if drawn.random() < 0.6:
            self.manager.kill()
            self.manager.start()
            return
        for pid in self.hosts():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def said(self):
        """What there is to read when something does not come."""
        return f"{json.dumps(self.fake.state())[:3000]}\n{self.manager.log.read_text()[-3000:]}"


@pytest.mark.parametrize("cloud", PROPERTIES)
def test_N4_kills_at_any_moment_make_no_second_machine_and_leave_nothing(tmp_path, cloud):
    drawn = random.Random(f"{SEED} {cloud}")
    with Fake(cloud, seed=SEED, faults=UNKIND, record=tmp_path / "requests") as fake:
        fleet = Fleet(tmp_path, fake, cloud)
        for size in (SIZE, 0):
            fleet.apply(size)
            for _ in range(KILLS // 2):
                time.sleep(drawn.random())
                fleet.kill(drawn)
            until(lambda size=size: len(fake.alive()) == size, fleet.said, 120)
        fake.faults(**KIND)
        until(lambda: not any(fake.state()[kind] for kind in ("disks", "ports")) and not fake.alive(), fleet.said, 120)
        state = fake.state()
        assert state["most_alive"] <= SIZE and not state["duplicates"], fleet.said()
        assert not state["unknown"], state["unknown"][:5]
        fleet.manager.stop()
