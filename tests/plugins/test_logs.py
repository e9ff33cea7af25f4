"""What people see of the bootstrap of real containers: facts, steps, output of stages (issue 7; E21).

Requirements: K27.
"""

import contextlib
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
from conftest import REEVE  # noqa: E402
from manager import until  # noqa: E402
from pylib.containers import ground  # noqa: E402
from test_local_rolls import World  # noqa: E402

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")

# what a stage waits for, so that a test sees it while it runs
STAGES = {
    "hello": "for i in 1 2 3; do echo \"line $i of hello\"; done\nprintf 'no text: \\377\\n'\n",
    "slow": "echo slow begins\nuntil [ -e /tmp/go ]; do sleep 0.05; done\necho slow ends\n",
    "bad": "echo it goes on\necho 'E: no such package' >&2\nexit 3\n",
}
HELLO = ["line 1 of hello", "line 2 of hello", "line 3 of hello", "no text: ?"]
FILE = """
name: shop
version: "1"
groups:
  web:
    size: 2
    resourcePlugin: {name: local}
    resourceProperties: {image: host}
    bootstrap: [{tar: hello}, {tar: slow}, {tar: bad}]
"""


@pytest.fixture(name="world")
def a_world(tmp_path):
    """Two containers that run three stages, of which the second waits and the third fails."""
    with ground(tmp_path) as folder, contextlib.ExitStack() as stack:
        one = World(folder)
        stack.callback(one.close)
        for name, lines in STAGES.items():
            (folder / name).mkdir()
            (folder / name / "bootstrap.sh").write_text(lines)
        (folder / "shop.yaml").write_text(FILE)
        yield one


def run(world, *words, code=0):
    """What the command line says."""
    done = subprocess.run([str(REEVE), *words], capture_output=True, text=True, check=False, timeout=240,
                          env=environment(world))
    assert done.returncode == code, f"{done}"
    return done.stdout if code == 0 else done.stderr


def environment(world):
    """For the command line."""
    return {**os.environ, "REEVE_URL": f"unix:{world.manager.socket}", "HOME": str(world.manager.folder)}


def inside(world, name):
    """The root of a container."""
    rows = world.manager.get("/v1/resources?cluster=shop").json["items"]
    ids = [row["status"].get("id") for row in rows if row["metadata"]["name"] == name]
    return next(pathlib.Path(f"/proc/{one.init}/root") for one in world.containers.machines() if one.id in ids)


def steps(world):
    """How far each node is."""
    rows = world.manager.get("/v1/resources?cluster=shop").json["items"]
    return {row["metadata"]["name"]: row["status"].get("node", {}) for row in rows}


def are_at(world, step):
    """Until both nodes are there."""
    until(lambda: [one.get("step") for one in steps(world).values()] == [step, step],
          lambda: json.dumps(steps(world)) + world.manager.log.read_text()[-4000:], 120)


def follower(world, *words):
    """A command that goes on, whose interrupts are its own."""
    return subprocess.Popen([str(REEVE), "logs", "shop/web-0", "-F", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=environment(world),
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))


def said(text):
    """A text without what differs in its width."""
    return [" ".join(line.split()) for line in text.splitlines()]


def test_facts_steps_and_output(world):
    """From the first step to a failed stage, by every command that shows it."""
    folder = str(world.manager.folder / "shop.yaml")
    run(world, "apply", "--yes", "--detach", "-f", folder)
    are_at(world, "stage-1")

    # facts: the file of the node, byte for byte
    wanted = (inside(world, "web-1") / "etc/cluster_facts.json").read_bytes()
    assert world.manager.get("/v1/clusters/shop/facts").bytes == wanted
    assert json.loads(run(world, "describe", "shop", "--facts")) == json.loads(wanted)
    assert sorted(json.loads(wanted)) == ["web-0", "web-1"]
    assert json.loads(run(world, "describe", "shop/web-1", "--facts", "-o", "json")) == json.loads(wanted)["web-1"]
    assert "hostname: web-1" in run(world, "describe", "shop/web-1", "--facts", "-o", "yaml")
    assert "R0403" in run(world, "describe", "shop/web-7", "--facts", code=4)
    assert "R0403" in run(world, "describe", "blog", "--facts", code=4)

    # while a stage runs
    state = steps(world)["web-0"]
    assert (state["stage"], state["number"]) == ("slow", 1) and "end" not in state
    assert any(line.startswith("step stage-1 slow, for ") for line in said(run(world, "describe", "node", "shop/web-0")))
    assert sum("step: stage-1 slow, for " in line for line in said(run(world, "tree", "shop"))) == 2
    until(lambda: run(world, "logs", "shop/web-0", "--stage", "slow") == "slow begins\n")
    whole = [f"stage-0  {line}" for line in HELLO]
    assert run(world, "logs", "shop/web-0").splitlines() == [*whole, "stage-1  slow begins"]
    assert run(world, "logs", "shop/web-0", "--stage", "hello").splitlines() == HELLO
    assert run(world, "logs", "shop/web-0", "--stage", "0", "--tail", "2").splitlines() == HELLO[-2:]
    assert run(world, "logs", "shop/web-0", "--tail", "0") == ""
    assert run(world, "logs", "shop/web-0", "--attempt", "2") == ""
    rows = [json.loads(line) for line in run(world, "logs", "shop/web-0", "-o", "jsonl").splitlines()]
    assert [row["text"] for row in rows] == [*HELLO, "slow begins"]
    assert {(row["stage"], row["attempt"]) for row in rows} == {(0, 1), (1, 1)}
    assert [row["time"] for row in rows] == sorted(row["time"] for row in rows)
    for stage in ("nothing", "3"):  # said so, and which there are: not that it was silent
        told = run(world, "logs", "shop/web-0", "--stage", stage, code=4)
        assert "R0731" in told and "there are 0 hello, 1 slow, 2 bad" in told, told
    assert "count from 1" in run(world, "logs", "shop/web-0", "--attempt", "0", code=2)
    done = subprocess.run([str(REEVE), "logs", "shop/web-0", "--stage", "0", "--attempt", "7"], capture_output=True, text=True,
                          check=True, env=environment(world))
    assert done.stdout == "" and done.stderr == "no output of attempt 7 of shop/web-0 is stored\n"
    assert "R0403" in run(world, "logs", "shop/web-7", code=4)
    assert "R0403" in run(world, "logs", "shop", code=4)  # a name alone is a machine's
    assert world.manager.get("/v1/clusters/shop/logs?node=web-0&offset=x").code == "R0426"
    assert world.manager.get("/v1/clusters/shop/logs").code == "R0426"

    # who follows sees what comes, once, and the next stage
    one = follower(world)
    assert [one.stdout.readline().rstrip("\n") for _ in range(5)] == [*whole, "stage-1  slow begins"]
    # also when the manager is away meanwhile
    world.manager.kill()
    assert one.stderr.readline().endswith("; trying again\n")
    world.manager.start()
    for name in ("web-0", "web-1"):
        (inside(world, name) / "tmp/go").touch()
    assert [one.stdout.readline() for _ in range(3)] == ["stage-1  slow ends\n", "stage-2  it goes on\n",
                                                         "stage-2  E: no such package\n"]
    are_at(world, "failed")
    one.send_signal(signal.SIGINT)
    assert one.wait(60) == 130 and one.stdout.read() == ""
    one.stdout.close()
    one.stderr.close()

    # one that has failed
    state = steps(world)["web-0"]
    assert (state["code"], state["end"], state["why"], state["attempt"]) == (3, "stage failed", "E: no such package", 1)
    words = "stage-2 bad: E: no such package (exit 3)"
    assert f"failed {words}" in said(run(world, "describe", "node", "shop/web-0"))
    assert sum(line.endswith(f"failed: {words}") for line in said(run(world, "tree", "shop"))) == 2

    # and all is well behind a change: another attempt, which counts in place of the first; who stands behind the first
    # is told of it
    behind = world.manager.get("/v1/clusters/shop/logs?node=web-0").json["next"]
    (world.manager.folder / "bad/bootstrap.sh").write_text("seq 2500\necho all is well\n")
    run(world, "apply", "--yes", "--detach", "-f", folder)
    are_at(world, "bootstrapped")
    lines = [*map(str, range(1, 2501)), "all is well"]  # more than one answer has
    assert run(world, "logs", "shop/web-0", "--stage", "bad").splitlines() == lines
    assert run(world, "logs", "shop/web-0", "--stage", "bad", "--tail", "1200").splitlines() == lines[-1200:]
    assert run(world, "logs", "shop/web-0").splitlines()[-1] == "stage-2, attempt 2  all is well"
    assert run(world, "logs", "shop/web-0", "--stage", "2", "--attempt", "1").splitlines()[-1] == "E: no such package"

    # a job as a whole: all machines, and only the attempts that began during it (C29)
    jobs = sorted(int(one["metadata"]["name"]) for one in world.manager.get("/v1/jobs?cluster=shop").json["items"])
    whole = run(world, "logs", f"job/{jobs[0]}").splitlines()
    for name in ("web-0", "web-1"):
        assert [line for line in whole if line.startswith(f"{name} ")] == [
            *(f"{name}  stage-0 hello  {line}" for line in HELLO), f"{name}  stage-1 slow  slow begins", f"{name}  stage-1 slow  slow ends",
            f"{name}  stage-2 bad  it goes on", f"{name}  stage-2 bad  E: no such package"], whole
    until(lambda: [one for one in world.manager.get("/v1/jobs?cluster=shop").json["items"] if int(one["metadata"]["name"]) == jobs[-1] and "ended" in one["status"]])
    newest = run(world, "logs", f"job/{jobs[-1]}", "-F").splitlines()  # it has ended, and so does the command
    assert sorted(newest) == sorted(f"{name}  stage-2 bad, attempt 2  {line}" for name in ("web-0", "web-1") for line in lines)
    rows = [json.loads(line) for line in run(world, "logs", f"job/{jobs[0]}", "-o", "jsonl").splitlines()]
    assert {(row["cluster"], row["node"]) for row in rows} == {("shop", "web-0"), ("shop", "web-1")} and len(rows) == len(whole)
    assert "for the output of one" in run(world, "logs", f"job/{jobs[0]}", "--stage", "0", code=2)
    assert "R0803" in (missing := run(world, "logs", "job/1", code=4)) or "R0403" in missing, missing
    answer = world.manager.get(f"/v1/clusters/shop/logs?node=web-0&offset={behind}").json
    assert {(line["stage"], line["attempt"]) for line in answer["lines"]} == {(2, 2)}
    assert [line["text"] for line in answer["lines"]] == lines[:1000]
    assert answer["more"] and answer["next"] != behind
    assert "step bootstrapped" in said(run(world, "describe", "node", "shop/web-0"))
    assert "step" not in run(world, "tree", "shop", "--unfold")
