"""`reeve plugin test` of each cloud's plugin at its strict fake (CLOUDS.md section 13a): every rule, and nothing left behind."""
import json
import os
import pathlib
import subprocess

import pytest

from pylib.clouds import Fake

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("REEVE_BIN", ROOT / "build/reeve")).resolve().parent
SET = {"aws": ("instanceType=t3.small", "image=debian-12"), "gcd": ("machineType=e2-micro", "image=debian-12"),
       "digitalOcean": ("size=s-1vcpu-1gb", "image=debian-12"), "openstack": ("flavor=m1.small", "image=debian-12")}
MORE = {"digitalOcean": {"region": "fra1", "requestsPerHour": 3600000, "lagMs": 1000, "lateMs": 2000}, "openstack": {"lagMs": 1000, "lateMs": 2000}}
CALM = {"boot_ms": 20, "operation_ms": 20, "end_ms": 20, "tag_lag_ms": 20, "quota": 1000}


def tried(folder, fake, cloud):
    """The report of the suite, and its exit code."""
    settings, credential = folder / "settings.json", folder / "credential"
    settings.write_text(json.dumps({**fake.settings, **MORE.get(cloud, {})}))
    credential.touch(0o600)
    credential.write_text(fake.credential)
    words = [word for each in SET[cloud] for word in ("--set", each)]
    done = subprocess.run([str(BUILD / "reeve"), "plugin", "test", str(BUILD / f"plugins/{cloud}.so"), "--settings", str(settings),
                           "--credential", str(credential), "--endpoint", f"127.0.0.1:{fake.port}", "--lag", "1s", "--late", "2s", *words],
                          capture_output=True, text=True, check=False, timeout=900)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("cloud", ["aws", "gcd", "digitalOcean", "openstack"])
def test_every_rule_is_kept_at_a_calm_fake_and_nothing_is_left(tmp_path, cloud):
    with Fake(cloud, faults=CALM, record=tmp_path / "requests") as fake:
        code, report = tried(tmp_path, fake, cloud)
        assert code == 0, report
        fake.check()
        state = fake.state()
        assert not fake.alive() and not state["disks"] and not state["ports"], (report, state)
