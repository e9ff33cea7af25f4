"""Stages run again in batches on real machines (UX.md 3.3; decision 0107): one behind the other, whoever is killed meanwhile."""

import os
import pathlib
import random
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from conftest import ENVIRONMENT, REEVE  # noqa: E402
from manager import until  # noqa: E402
from test_bootstrap import world  # noqa: E402, F401  (a fixture is found by its name)

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")

KILLS = int(os.environ.get("REEVE_KILLS", "3"))

# Each run has two lines on its node, with the time; all machines have one clock.
COUNT = 'echo "+ $(date +%s.%N)" >>/srv/starts\nsleep 0.4\necho "- $(date +%s.%N)" >>/srv/starts\n'
FRAGILE = """echo "+ $(date +%s.%N)" >>/srv/starts
[ ! -e /srv/broken ] || { echo 'error: no licence on this node' >&2; exit 7; }
"""
SIZE = 6
NAMES = [f"web-{number}" for number in range(SIZE)]


def made(world, script):
    """Machines that have run this stage once."""
    world.apply(SIZE, (world.bundle("count", script),))


def job(world, number):
    """How it stands; None: it has not begun."""
    answer = world.manager.get(f"/v1/jobs/{number}")
    return answer.json["items"][0]["status"] if answer.status == 200 else None


def detached(world, *words):
    """Said, and not watched: the number of its job."""
    before = {one["status"]["revision"] for one in world.manager.get("/v1/jobs?cluster=shop").json["items"]}
    world.said("bootstrap", "run", *words, "--yes", "--detach")
    def new():
        return {one["status"]["revision"] for one in world.manager.get("/v1/jobs?cluster=shop").json["items"]} - before
    return until(new, world.why).pop()


def times(world, name, word):
    """When its stage began, or ended."""
    return [float(line.split()[1]) for line in world.starts(name) if line.startswith(word)]


def test_one_batch_behind_the_other(world):
    """Two at a time, watched to its end; a second word runs nothing of the first one again."""
    made(world, COUNT)
    out, err = world.said("bootstrap", "run", "-g", "shop/web", "--batch", "2", "--rerun", "--yes")
    assert "batch=3/3" in err and "state=done" in err and out == "", (out, err)
    moments = []
    for name in NAMES:
        assert [line[0] for line in world.starts(name)] == ["+", "-", "+", "-"], world.starts(name)
        moments += [(times(world, name, "+")[1], 1), (times(world, name, "-")[1], -1)]
    under_way = 0
    for _, step in sorted(moments):
        under_way += step
        assert under_way <= 2
    # the batches are those that it said beforehand, and one has ended when the next begins
    for first in (0, 2):
        assert max(times(world, NAMES[at], "-")[1] for at in (first, first + 1)) < min(
            times(world, NAMES[at], "+")[1] for at in (first + 2, first + 3))
    types = [one["type"] for one in world.events()]
    assert types.count("job.batch") == 3 and types.count("nodes.rerun_requested") == 1
    world.look_again()
    assert all(len(world.starts(name)) == 4 for name in NAMES)


def test_a_canary_that_fails_and_then_those_that_failed(world):
    made(world, FRAGILE)
    world.on("web-2", "sudo", "-n", "touch", "/srv/broken")
    done = world.said("bootstrap", "run", "-g", "shop/web", "web-[2-5]", "--canary", "1", "--rerun", "--yes", code=1)[1]
    assert "error: no licence on this node" in done and "canary" in done, done
    assert [len(world.starts(name)) for name in NAMES] == [1, 1, 2, 1, 1, 1]
    number = max(one["status"]["revision"] for one in world.manager.get("/v1/jobs?cluster=shop").json["items"])
    assert job(world, number)["failedNodes"] == "web-2" and job(world, number)["machines"]["skipped"] == 3
    # those that serve go on serving, and the cluster's own job is no other
    assert world.manager.get("/v1/clusters/shop").json["status"]["machines"]["wanted"] == SIZE
    world.on("web-2", "sudo", "-n", "rm", "/srv/broken")
    world.said("bootstrap", "run", "--failed-of", str(number), "--yes")
    assert [len(world.starts(name)) for name in NAMES] == [1, 1, 3, 1, 1, 1]
    world.wait_ready(SIZE)


def test_killed_at_any_moment(world):
    """kill -9 of the manager again and again: each node runs its part once, and the job comes to its end."""
    seed = random.randrange(1 << 30)
    print("seed", seed)
    dice = random.Random(seed)
    made(world, COUNT)
    number = detached(world, "-g", "shop/web", "--batch", "2", "--rerun")
    for _ in range(KILLS):
        time.sleep(dice.random() * dice.choice((0.5, 2)))
        world.manager.kill()
        world.manager.start()
    until(lambda: (job(world, number) or {}).get("ended"), world.why, 120)
    assert job(world, number)["state"] == "done", job(world, number)
    for name in NAMES:
        assert [line[0] for line in world.starts(name)] == ["+", "-", "+", "-"], (name, world.starts(name))


def test_words_about_it(world):
    """Paused, resumed, cancelled; Ctrl-C only stops watching."""
    made(world, 'echo "+ $(date +%s.%N)" >>/srv/starts\nuntil [ ! -e /srv/wait ]; do sleep 0.1; done\n')
    for name in NAMES:
        world.on(name, "sudo", "-n", "touch", "/srv/wait")
    words = [*world.room.within, f"--wd={world.folder}", str(REEVE), "bootstrap", "run", "-g", "shop/web", "--batch", "2", "--rerun", "--yes"]
    watching = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**ENVIRONMENT, "REEVE_URL": f"unix:{world.manager.socket}", "HOME": str(world.folder)})
    until(lambda: all(len(world.starts(name)) == 2 for name in NAMES[:2]), world.why)
    number = max(one["status"]["revision"] for one in world.manager.get("/v1/jobs?cluster=shop").json["items"])
    world.reeve("job", "pause", str(number))
    world.on("web-0", "sudo", "-n", "rm", "/srv/wait")
    world.on("web-1", "sudo", "-n", "rm", "/srv/wait")
    until(lambda: job(world, number)["machines"]["ready"] == 2, world.why)
    world.look_again()
    assert [len(world.starts(name)) for name in NAMES] == [2, 2, 1, 1, 1, 1]
    assert f"job/{number}" in world.said("bootstrap", "run", "shop/web-4", "--yes", code=5)[1]
    world.reeve("job", "resume", str(number))
    until(lambda: all(len(world.starts(name)) == 2 for name in NAMES[2:4]), world.why)
    world.reeve("job", "cancel", str(number), "-m", "wrong bundle")
    until(lambda: job(world, number)["state"] == "stopping", world.why)
    world.on("web-2", "sudo", "-n", "rm", "/srv/wait")
    world.on("web-3", "sudo", "-n", "rm", "/srv/wait")
    until(lambda: job(world, number).get("ended"), world.why)
    watching.communicate(timeout=240)
    assert watching.returncode == 9
    assert job(world, number)["cut"] == "cancelled" and job(world, number)["machines"]["skipped"] == 2
    assert [len(world.starts(name)) for name in NAMES] == [2, 2, 2, 2, 1, 1]
