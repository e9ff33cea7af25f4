"""Changed stages reach members that have been in service by rollout slots (G15, I19, I31, F28; decision 0110). Checked by what the nodes
themselves have run, not only by what reeve says."""

import json
import os
import pathlib
import random
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from manager import until  # noqa: E402
from test_bootstrap import world  # noqa: E402, F401  (a fixture is found by its name)
from test_stages_fail import run  # noqa: E402

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")

KILLS = int(os.environ.get("REEVE_KILLS", "6"))
SIZE = 4
NAMES = [f"web-{number}" for number in range(SIZE)]
CAREFUL = {"surge": 1, "canary": 1, "bake": "3s", "batch": 1, "maxFail": 1}

# Each run has two lines on its node, with the time; all machines have one clock.
GOOD = 'echo "+ $(date +%s.%N) $*" >>/srv/starts\nsleep 0.3\necho "- $(date +%s.%N) $*" >>/srv/starts\n'
BAD = 'echo "+ $(date +%s.%N) $*" >>/srv/starts\necho "error: no licence on this node" >&2\nexit 5\n'


def write(world, script, rollout=None, **more):
    """The file: a group of four with one stage that may run again."""
    world.bundle("stage", script)
    group = {"size": SIZE, "image": "host", "resourcePlugin": {"name": "local"}, "rollout": rollout or CAREFUL,
             "bootstrap": [{"tar": "stage", "idempotent": True}], **more}
    (world.folder / "shop.yaml").write_text(json.dumps({"name": "shop", "version": "1", "groups": {"web": group}}))


def made(world, rollout=None):
    """Four members that have run the good stage once, and serve."""
    write(world, GOOD, rollout)
    assert run(world, "apply", "--yes", "-f", "shop.yaml", seconds=240).returncode == 0, world.why()
    assert all(len(world.starts(name)) == 2 for name in NAMES)


def rollouts(world):
    """The jobs of rollouts in place, oldest first."""
    jobs = [one["status"] for one in world.manager.get("/v1/jobs?cluster=shop").json["items"]]
    return sorted((one for one in jobs if one.get("verb") == "rollout"), key=lambda one: one["revision"])


def holds(world):
    """Rules and facts of what waits for an operator."""
    return {one["status"]["rule"]: one["status"]["fact"] for one in world.manager.get("/v1/holds?cluster=shop").json["items"]}


def counts(world):
    """How many lines each node has: two for a stage that ended, one for one that failed."""
    return [len(world.starts(name)) for name in NAMES]


def test_a_bad_bundle_breaks_one_of_four(world):
    """The canary breaks, three are untouched; the hold names node, stage and exit code; undo mends the one that is broken."""
    made(world)
    write(world, BAD)
    done = run(world, "apply", "--yes", "-f", "shop.yaml", seconds=120)
    assert done.returncode == 9, (done.stdout, done.stderr)
    assert counts(world) == [3, 2, 2, 2]
    fact = "web-0 stage-0 stage failed with exit code 5; 3 of 4 have not started"
    assert holds(world) == {"rollout": fact}
    job, = rollouts(world)
    assert (job["state"], job["failedNodes"], job["machines"]["waiting"]) == ("held", "web-0", 3), job
    world.look_again()  # another manager holds it as well
    assert counts(world) == [3, 2, 2, 2] and holds(world) == {"rollout": fact}
    assert len(rollouts(world)) == 1


def test_one_after_the_other(world):
    """The canary first, alone, and it bakes; then the others, one at a time."""
    made(world)
    write(world, GOOD + ": changed\n")
    assert run(world, "apply", "--yes", "-f", "shop.yaml", seconds=240).returncode == 0, world.why()
    assert counts(world) == [4] * SIZE
    times = sorted((float(line.split()[1]), line[0]) for name in NAMES for line in world.starts(name)[2:])
    assert [word for _, word in times] == ["+", "-"] * SIZE
    canary = float(world.starts("web-0")[3].split()[1])
    assert all(float(world.starts(name)[2].split()[1]) > canary + 2.9 for name in NAMES[1:])  # "bake: 3s"
    job, = rollouts(world)
    assert job["state"] == "done" and job["machines"]["ready"] == SIZE


def test_killed_in_mid_rollout(world):
    """kill -9 of the manager again and again: one rollout, and each node runs the changed stage once."""
    seed = random.randrange(1 << 30)
    print("seed", seed)
    dice = random.Random(seed)
    made(world)
    write(world, GOOD + ": changed\n")
    world.reeve("apply", "--yes", "--detach", "-f", "shop.yaml")
    for _ in range(KILLS):
        time.sleep(dice.random() * dice.choice((0.5, 2)))
        world.manager.kill()
        world.manager.start()
    until(lambda: rollouts(world) and rollouts(world)[-1].get("ended"), world.why, 120)
    assert [one["state"] for one in rollouts(world)] == ["done"]
    assert counts(world) == [4] * SIZE


def test_killed_while_it_is_held(world):
    """A manager that dies while the canary fails goes on to the same hold, and starts nobody else."""
    made(world)
    write(world, BAD)
    world.reeve("apply", "--yes", "--detach", "-f", "shop.yaml")
    for _ in range(KILLS):
        time.sleep(0.3)
        world.manager.kill()
        world.manager.start()
    until(lambda: "rollout" in holds(world), world.why, 60)
    world.look_again()
    assert counts(world) == [3, 2, 2, 2]
    assert [one["state"] for one in rollouts(world)] == ["held"]
