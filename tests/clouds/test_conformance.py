"""`reeve plugin test` of each cloud's plugin at its strict fake (CLOUDS.md section 13a): every rule, and nothing left behind.

By default each cloud has one fault set. CLOUD_SETS=all (or names, with commas) and CLOUD_SEEDS=3 are the acceptance run.
"""
import json
import os
import pathlib
import re
import subprocess

import pytest

from pylib.clouds import FAULT_SETS, Fake

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("REEVE_BIN", ROOT / "build/reeve")).resolve().parent
SETS = os.environ.get("CLOUD_SETS", "")
SEEDS = int(os.environ.get("CLOUD_SEEDS", "1"))
SET = {"aws": ("instanceType=t3.small", "image=debian-12"), "gcd": ("machineType=e2-micro", "image=debian-12"),
       "digitalOcean": ("size=s-1vcpu-1gb", "image=debian-12"), "openstack": ("flavor=m1.small", "image=debian-12")}
MORE = {"digitalOcean": {"region": "fra1", "requestsPerHour": 3600000}}
# Plugins whose own windows can be shortened, as --lag and --late do for the suite.
HAVE_TIMES = ("digitalOcean", "openstack")
CALM = {"boot_ms": 20, "operation_ms": 20, "end_ms": 20, "tag_lag_ms": 20, "quota": 1000}
LATE_MS = 2000
# One set each, and over the clouds those that differ most.
SAMPLE = {"aws": "late", "gcd": "lost", "digitalOcean": "failing", "openstack": "lost"}
# What the CPUs of a region are for the suite, which has some dozen machines at once where a listing lags.
ROOM = {"gcd": {"limits": {"CPUS": 1000.0}}}
# The suite asks so often for a machine for which there is no capacity.
TRIES = 8
REFUSED = re.compile(r"create was refused \((\w+)\): .*; for the token (\w+)$", re.S)
COUNTED = re.compile(r"(\d+) machines are listed in cluster (\S+), and (\d+) should be")
WORD = re.compile(r"[\w-]+")


def cases():
    """(cloud, fault set, seed) of this run."""
    names = list(FAULT_SETS) if SETS == "all" else SETS.split(",")
    return [(cloud, name, seed) for cloud in SET for name in (names if SETS else [SAMPLE[cloud]]) for seed in range(1, SEEDS + 1)]


def tried(folder, fake, cloud, seed, lag_ms):
    """The report of the suite, and what it printed."""
    settings, credential = folder / "settings.json", folder / "credential"
    times = {"lagMs": lag_ms, "lateMs": LATE_MS} if cloud in HAVE_TIMES else {}
    settings.write_text(json.dumps({**fake.settings, **MORE.get(cloud, {}), **times}))
    credential.touch(0o600)
    credential.write_text(fake.credential)
    words = [word for each in SET[cloud] for word in ("--set", each)]
    done = subprocess.run([str(BUILD / "reeve"), "plugin", "test", str(BUILD / f"plugins/{cloud}.so"), "--settings", str(settings), "-o", "json",
                           "--credential", str(credential), "--endpoint", f"127.0.0.1:{fake.port}", "--seed", str(seed), "--lag", f"{lag_ms}ms",
                           "--late", f"{LATE_MS}ms", "--rate", "0", *words], capture_output=True, text=True, check=False, timeout=1800)
    assert done.returncode in (0, 1) and done.stdout, done.stdout + done.stderr
    [report] = json.loads(done.stdout)
    return report


def is_of_provider(failed, words):
    """Does a rule report what the provider itself failed after it had accepted it, by the list `failed` of the truth port?"""
    if refused := REFUSED.search(words):
        # A machine that was made and has ended is gone; a creation that fails is tried again.
        tokens = [each["token"] for each in failed]
        return tokens.count(refused[2]) >= {"gone": 1, "capacity": TRIES}.get(refused[1], len(tokens) + 1)
    if counted := COUNTED.search(words):
        return 0 < int(counted[3]) - int(counted[1]) <= [each["cluster"] for each in failed].count(counted[2])
    return any(each["id"] in WORD.findall(words) for each in failed)


def left(state):
    """What there is beside the account's own."""
    # Tags of digitalOcean that droplets share, `reeve` and those of labels, are the account's: plugins/digitalOcean/README.md.
    tags = [tag["name"] for tag in state["tags"] if tag["name"].lower().startswith("reeve:")]
    return {kind: found for kind, found in {"tags": tags, **{kind: state[kind] for kind in ("alive", "disks", "ports")}}.items() if found}


@pytest.mark.parametrize(("cloud", "name", "seed"), cases())
def test_every_rule_is_kept_and_nothing_is_doubled_or_left(tmp_path, cloud, name, seed):
    faults = FAULT_SETS[name]
    lag_ms = max(1000, faults.get("lag_ms", 0) + 500, faults.get("tag_lag_ms", 0) + 500)
    with Fake(cloud, faults={**CALM, **ROOM.get(cloud, {}), **faults}, seed=seed, record=tmp_path / "requests") as fake:
        before = left(fake.state())
        report = tried(tmp_path, fake, cloud, seed, lag_ms)
        state = fake.state()
        broken = [f"{rule['rule']}: {rule['words']}" for rule in report["rules"] if rule["verdict"] == "broken"]
        fake.check()
        assert left(state) == before, (broken, left(state))
        assert not [each for each in broken if not is_of_provider(state["failed"], each)], "\n".join(broken)


@pytest.mark.parametrize(("words", "is_permitted"), [
    ("create was refused (gone): RunInstances: has been terminated.; for the token a1", True),
    ("create was refused (gone): RunInstances: has been terminated.; for the token b2", False),
    ("create was refused (quota): too many; for the token a1", False),
    ("create was refused (capacity): no room; for the token a1", False),
    ("create was refused (capacity): no room; for the token c3", True),
    ("destroy was refused (gone): no such machine", False),
    ("label was refused (gone): the machine eu-west-1/i-1 does not exist", True),
    ("label was refused (gone): the machine eu-west-1/i-11 does not exist", False),
    ("machine 'eu-west-1/i-1' was created, but is stopping", True),
    ("machine 'eu-west-1/i-2' was created, but is stopping", False),
    ("after create returned OK, 0 machines are listed in cluster kit/t-1, and 1 should be", True),
    ("after create returned OK, 0 machines are listed in cluster kit/t-1, and 2 should be", False),
    ("after create returned OK, 0 machines are listed in cluster kit/t-2, and 1 should be", False),
    ("after create returned OK, 2 machines are listed in cluster kit/t-1, and 1 should be", False),
    ("after 200 calls of describe there are 3 processes more", False),
])
def test_only_what_the_provider_failed_is_permitted(words, is_permitted):
    failed = [{"id": "i-1", "token": "a1", "cluster": "kit/t-1"}, *({"id": f"i-3{n}", "token": "c3", "cluster": None} for n in range(TRIES))]
    assert is_of_provider(failed, words) == is_permitted
