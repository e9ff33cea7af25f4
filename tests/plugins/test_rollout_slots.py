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

KILLS = int(os.environ.get("REEVE_KILLS", "3"))
SIZE = 4
NAMES = [f"web-{number}" for number in range(SIZE)]
CAREFUL = {"surge": 1, "canary": 1, "bake": "3s", "batch": 1, "maxFail": 1}

# Each run has two lines on its node, with the time; all machines have one clock.
GOOD = 'echo "+ $(date +%s.%N) $*" >>/srv/starts\nsleep 0.3\necho "- $(date +%s.%N) $*" >>/srv/starts\n'
BAD = 'echo "+ $(date +%s.%N) $*" >>/srv/starts\necho "error: no licence on this node" >&2\nexit 5\n'


def write(world, script, rollout=None, idempotent=True, **more):
    """The file: a group of four with one stage."""
    world.bundle("stage", script)
    group = {"size": SIZE, "image": "host", "resourcePlugin": {"name": "local"}, "rollout": rollout or CAREFUL,
             "bootstrap": [{"tar": "stage", "idempotent": idempotent}], **more}
    (world.folder / "shop.yaml").write_text(json.dumps({"name": "shop", "version": "1", "groups": {"web": group}}))


def made(world, rollout=None):
    """Four members that have run the good stage once, and serve."""
    write(world, GOOD, rollout)
    assert run(world, "apply", "--yes", "-f", "shop.yaml", seconds=700).returncode == 0, world.why()
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
    """The canary breaks, three are untouched; the hold names node, stage, exit code and error; undo repairs the broken node."""
    made(world)
    write(world, BAD)
    done = run(world, "apply", "--yes", "-f", "shop.yaml", seconds=400)
    assert done.returncode == 9, (done.stdout, done.stderr)
    assert counts(world) == [3, 2, 2, 2]
    fact = "web-0 stage-0 stage failed with exit code 5: error: no licence on this node; 3 of 4 have not started"
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
    assert run(world, "apply", "--yes", "-f", "shop.yaml", seconds=700).returncode == 0, world.why()
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


def test_a_plan_says_how_it_runs_in_place(world):
    """Class, members, canary, batches, bound and an estimate, as text and JSON."""
    made(world)
    write(world, GOOD + ": changed\n")
    text = run(world, "plan", "-f", "shop.yaml").stdout
    assert ("in place 4: canary 1 (bakes 3 s), then 3 batches of at most 1; 1 at a time (batch); stops at 1 failure; about "
            in " ".join(text.split())), text
    plan = json.loads(run(world, "plan", "-f", "shop.yaml", "-o", "json").stdout)
    group, = [one for item in plan for one in item["groups"]]
    told = group["inPlace"]
    assert {key: told[key] for key in ("class", "members", "canary", "batches", "batch", "bound", "atOnce", "bakeMs", "maxFail")} == {
        "class": "in place", "members": 4, "canary": 1, "batches": 4, "batch": 1, "bound": "batch", "atOnce": 1, "bakeMs": 3000,
        "maxFail": 1}
    assert told["estimateMs"] >= 3000 and "rerun" not in told
    # What counts is what the file says of the stage that would run again, not what it said of the one that ran.
    write(world, GOOD + ": changed\n", idempotent=False)
    plan = " ".join(run(world, "plan", "-f", "shop.yaml").stdout.split())
    assert "rerun 4: stage-0 stage not idempotent, already started on web-0 and 3 more" in plan, plan
    done = run(world, "apply", "--yes", "-f", "shop.yaml")
    assert done.returncode == 11 and "--allow rerun=4" in done.stderr, done.stderr
    assert counts(world) == [2] * SIZE


def test_what_is_not_idempotent_needs_consent_of_its_own(world):
    """--yes alone reruns nothing on members that serve: --allow rerun=4 does, as `job retry` asks before it does."""
    world.bundle("stage", GOOD)
    write(world, GOOD, idempotent=False)
    assert run(world, "apply", "--yes", "-f", "shop.yaml", seconds=700).returncode == 0, world.why()
    write(world, GOOD + ": changed\n", idempotent=False)
    plan = " ".join(run(world, "plan", "-f", "shop.yaml").stdout.split())
    assert "rerun 4: stage-0 stage not idempotent, already started on web-0 and 3 more" in plan, plan
    done = run(world, "apply", "--yes", "-f", "shop.yaml")
    assert done.returncode == 11 and "--allow rerun=4" in done.stderr, done.stderr
    done = run(world, "apply", "--yes", "--allow", "rerun=3", "-f", "shop.yaml")
    assert done.returncode == 11 and "--allow rerun=4" in done.stderr, done.stderr
    assert counts(world) == [2] * SIZE and not rollouts(world)
    # nor does the API, which no question protects
    group = world.manager.get("/v1/nodegroups/shop/web").json
    stage, = group.get("spec", group)["bootstrap"]
    answer = world.manager.patch("/v1/nodegroups/shop/web", {"bootstrap": [{**stage, "args": ["again"]}]})
    assert answer.status == 409 and answer.json["code"] == "R0811", answer.json
    assert counts(world) == [2] * SIZE and not rollouts(world)
    done = run(world, "apply", "--yes", "--allow", "rerun=4", "-f", "shop.yaml", seconds=700)
    assert done.returncode == 0, (done.stdout, done.stderr, world.why())
    assert counts(world) == [4] * SIZE


def held(world):
    """Four members whose canary broke."""
    made(world)
    write(world, BAD)
    assert run(world, "apply", "--yes", "-f", "shop.yaml", seconds=400).returncode == 9, world.why()
    assert counts(world) == [3, 2, 2, 2]


def flat(world, *words):
    """What a command shows, on one line."""
    done = run(world, *words)
    assert done.returncode == 0, done
    return " ".join(done.stdout.split())


def test_undo_repairs_the_one_that_is_broken(world):
    """Where one looks, what is waited for is said; undo runs the previous stage on the broken member alone."""
    held(world)
    number = rollouts(world)[0]["revision"]
    fact = "web-0 stage-0 stage failed with exit code 5: error: no licence on this node; 3 of 4 have not started"
    status = flat(world, "rollout", "status", "shop/web")
    assert f"job/{number} held, in place: 0 of 4 with the changed stages, 1 failed, 3 waiting" in status and fact in status, status
    waits = f"wait for {fact} (job/{number}, "
    after = "an operator decides: reeve rollout resume, promote or undo shop/web"
    why = flat(world, "why", "shop/web-1")
    assert "slot the changed stages " + waits in why and "then " + after in why, why
    shown = flat(world, "describe", "node", "shop/web-1")
    assert f"rollout waits for {fact} (job/{number}, " in shown and after in shown, shown
    assert "rollout" not in flat(world, "describe", "node", "shop/web-0").replace("job.", "").split("last events")[0]
    assert fact in flat(world, "get", "holds") and fact in flat(world, "why", f"job/{number}")
    assert "reeve rollout pause, resume, abort or undo shop/web" in run(world, "job", "cancel", str(number)).stderr

    # a file says nothing of the rollout: it takes a word
    write(world, BAD + ": other\n")
    done = run(world, "apply", "--yes", "-f", "shop.yaml")
    assert done.returncode == 5 and "--supersede" in done.stderr, done.stderr
    assert run(world, "undo", "shop/web", "--yes").returncode == 0, world.why()
    until(lambda: counts(world) == [5, 2, 2, 2] and not holds(world), world.why, 60)
    until(lambda: [one["state"] for one in rollouts(world)] == ["superseded", "done"], world.why, 60)
    world.look_again()
    assert counts(world) == [5, 2, 2, 2]


def test_promote_and_resume(world):
    """Promote runs the stage on the others, though it breaks them as well; resume tries those that failed again, and first."""
    made(world)
    write(world, GOOD + '[ "$(hostname)" != web-0 ] || [ -e /srv/licence ] || exit 5\n')
    assert run(world, "apply", "--yes", "-f", "shop.yaml", seconds=400).returncode == 9, world.why()
    assert counts(world) == [4, 2, 2, 2]
    world.reeve("rollout", "promote", "shop/web")
    until(lambda: counts(world) == [4, 4, 4, 4], world.why, 60)
    until(lambda: holds(world) == {"rollout": "web-0 stage-0 stage failed with exit code 5"}, world.why, 60)
    world.on("web-0", "sudo", "-n", "touch", "/srv/licence")
    world.reeve("rollout", "resume", "shop/web")
    until(lambda: [one["state"] for one in rollouts(world)] == ["done"], world.why, 60)
    assert counts(world) == [6, 4, 4, 4] and not holds(world)


def test_paused_in_mid_rollout(world):
    """What runs comes to its end, and nobody else starts until it is resumed."""
    made(world)
    write(world, GOOD + ": changed\n")
    world.reeve("apply", "--yes", "--detach", "-f", "shop.yaml")
    until(lambda: counts(world)[0] >= 3, world.why, 60)
    world.reeve("rollout", "pause", "shop/web")
    until(lambda: "roll_stopped" in holds(world), world.why, 60)
    assert "web is paused in its rollout" in flat(world, "why", "shop/web-2")
    time.sleep(4)  # longer than it bakes
    assert counts(world) == [4, 2, 2, 2]
    world.reeve("rollout", "resume", "shop/web")
    until(lambda: counts(world) == [4, 4, 4, 4], world.why, 60)
