"""Batches of `reeve exec`: canaries, zones, orders, a deadline of the whole, and what it would do (UX.md 3.3; decision 0062)."""
import json
import os
import re
import subprocess
import time

import pytest

from conftest import REEVE
from manager import until
from test_exec import COUNT, WHO, Reader, a_world, running  # noqa: F401  (the fixture `world`)

EVERYBODY = [*(f"db-{number}" for number in range(2)), *(f"web-{number}" for number in range(COUNT - 2))]


def dry(world, *words):
    """The batches that it would make: [canary?, [name]]."""
    rows = json.loads(world.run("exec", *words, "--dry-run", "-o", "json", "--", "false")[0])
    assert [row["batch"] for row in rows] == list(range(1, len(rows) + 1))
    return [(row["canary"], [name.partition("/")[2] for name in row["nodes"]]) for row in rows]


def zones(world):
    """Of each machine."""
    return {row["metadata"]["name"]: row["status"].get("zone", "")
            for row in world.manager.get("/v1/resources?cluster=shop").json["items"]}


def commanded(world):
    """How often it was written down that a command is run."""
    return len([one for one in world.manager.get("/v1/events?cluster=shop&limit=1000").json["items"]
                if one["type"] == "machines.commanded"])


class Log:
    """What the machines have written into one file: all of them are this computer."""

    def __init__(self, path):
        self.path = path
        path.write_text("")

    def add(self, word):
        """A shell's line that adds which machine it is, with a word and the time."""
        return f"echo {word} $({WHO}) $(date +%s.%N) >> {self.path}"

    def rows(self):
        """[word, address, time]"""
        return [line.split() for line in self.path.read_text().splitlines()]


@pytest.fixture(name="log")
def a_log(tmp_path):
    """One that is empty."""
    return Log(tmp_path / "log")


def test_what_it_would_do_is_said_and_nothing_is_done(world):
    before = (world.many.folder / "log").read_text().count("Starting session")
    events = commanded(world)
    out, err = world.run("exec", "-c", "shop", "--canary", "1", "--batch", "6", "--dry-run", "--", "touch", str(world.folder / "touched"))
    assert out == ("batch 1, canary: 1 node, db-0\n"
                   "batch 2: 6 nodes, db-1,web-[0-4]\n"
                   "batch 3: 5 nodes, web-[5-9]\n")
    assert err == f"nothing was run: it would run on {COUNT} nodes, in 3 batches\n"
    assert dry(world, "-c", "shop") == [(False, EVERYBODY)]
    lines = world.run("exec", "-g", "shop/db", "--batch", "1", "--dry-run", "-o", "jsonl", "--", "false")[0].splitlines()
    assert [json.loads(line)["nodes"] for line in lines] == [["shop/db-0"], ["shop/db-1"]]
    assert not (world.folder / "touched").exists() and commanded(world) == events
    assert (world.many.folder / "log").read_text().count("Starting session") == before
    assert "R0780" in world.run("exec", "-l", "tier=none", "--dry-run", "--", "true", code=4)[1]


def test_who_is_left_out_is_said_beforehand(world):
    spare = f"{world.many.addresses[0].rpartition('.')[0]}.250"
    world.manager.apply({"name": "lab", "version": "1", "groups": {"web": {
        "size": 2, "resourcePlugin": {"name": "static"},
        "resourceProperties": {"addresses": [spare], "port": world.many.port, "hostKeys": {spare: world.many.key}}}}})
    try:
        def states():
            return sorted(row["status"]["state"] for row in world.manager.get("/v1/resources?cluster=lab").json["items"])
        until(lambda: states() == ["active", "create"], lambda: str(states()))
        until(lambda: world.run("get", "nodes", "-c", "lab", "--state", "refused", "-o", "name")[0], lambda: str(states()))
        refused = world.run("get", "nodes", "-c", "lab", "--state", "refused", "-o", "name")[0].strip().removeprefix("node/")
        out, err = world.run("exec", "-c", "lab", "--dry-run", "--", "true")
        assert f"  ! not on {refused.partition('/')[2]}: it is refused" in out and "on 1 node, in 1 batch\n" in err
        # of several clusters one comes behind the other, and a canary of the first that fails ends it for all
        out, err = world.run("exec", "--all", "--canary", "2", "--dry-run", "--", "true")
        assert out.index("lab/web-") < out.index("shop/web-") and "batch 2, canary: 2 nodes, shop/db-[0-1]\n" in out
        out, err = world.run("exec", "--all", "--canary", "2", "--", f"touch {world.folder}/touched", code=1)
        assert not (world.folder / "touched").exists() and "not started: machines of shop\n" in err
        world.run("exec", "--all", "--state", "ready", "--", "true", code=9)  # without a canary the other one is begun
    finally:
        world.run("delete", "cluster", "lab", "--yes", "--allow", "destroy=9,rename")
        until(lambda: world.manager.get("/v1/clusters/lab").status == 404, lambda: f"{states()}\n{world.manager.log.read_text()}")


def test_canaries_run_alone_then_it_waits(world, log):
    world.run("exec", "-c", "shop", "--canary", "2", "--bake", "1500ms", "--", f"{log.add('+')}; sleep 0.3; {log.add('-')}")
    words = [row[0] for row in log.rows()]
    assert sorted(words[:4]) == ["+", "+", "-", "-"] and len(words) == 2 * COUNT
    assert words.index("-") >= 1 and float(log.rows()[4][2]) - float(log.rows()[3][2]) >= 1.4
    first = {row[1] for row in log.rows()[:4]}
    assert first == {world.many.addresses[-1], world.one.addresses[0]}  # db-0, db-1


def test_a_canary_that_fails_ends_it(world, log):
    _, err = world.run("exec", "-c", "shop", "--canary", "1", "--bake", "1h", "--", f"{log.add('x')}; exit 3", code=1)
    assert len(log.rows()) == 1
    assert f"{COUNT - 1} nodes, db-1,web-[0-9], not run, skipped: a canary has failed" in err
    assert f"the command did not exit with 0 on {COUNT} of {COUNT} machines" in err
    # one that fails behind them ends nothing
    world.run("exec", "-c", "shop", "--canary", "1", "--batch", "4", "--",
              f"{log.add('y')}; [ $({WHO}) != {world.one.addresses[0]} ]", code=9)
    assert len([row for row in log.rows() if row[0] == "y"]) == COUNT


def test_zones_are_never_mixed(world, log):
    of = zones(world)
    assert sorted(set(of.values())) == ["", "a", "b"]
    batches = dry(world, "-c", "shop", "--spread", "zone", "--batch", "4")
    assert all(len({of[name] for name in names}) == 1 and len(names) <= 4 for _, names in batches)
    assert sorted(sum((names for _, names in batches), [])) == sorted(EVERYBODY) and len(batches) == 5  # 2; 4 and 1; 4 and 1
    batches = dry(world, "-c", "shop", "--order", "zone", "--batch", "5")
    assert [of[name] for _, names in batches for name in names] == sorted(of.values())
    assert any(len({of[name] for name in names}) > 1 for _, names in batches)
    # and in earnest: nobody of another zone runs meanwhile
    world.run("exec", "-g", "shop/web", "--spread", "zone", "--", f"{log.add('+')}; sleep 0.2; {log.add('-')}")
    addresses = dict(zip(world.many.addresses, EVERYBODY[2:]))
    under_way = set()
    for word, address, _ in log.rows():
        (under_way.add if word == "+" else under_way.discard)(addresses[address])
        assert len({of[name] for name in under_way}) <= 1
    assert len(log.rows()) == 2 * (COUNT - 2)


def test_a_random_order_can_be_said_again(world):
    out, err = world.run("exec", "-c", "shop", "--order", "random", "--batch", "1", "--dry-run", "-o", "json", "--", "true")
    seed = re.search(r"--seed (\d+) repeats it", err).group(1)
    names = [row["nodes"][0].partition("/")[2] for row in json.loads(out)]
    assert sorted(names) == sorted(EVERYBODY)
    again = dry(world, "-c", "shop", "--order", "random", "--seed", seed, "--batch", "1")
    assert [one for _, (one,) in again] == names
    orders = {tuple(one for _, (one,) in dry(world, "-c", "shop", "--order", "random", "--seed", str(number), "--batch", "1"))
              for number in range(1, 6)}
    assert len(orders) == 5
    # a machine less: the others stay in their order
    fewer = dry(world, "-g", "shop/web", "--order", "random", "--seed", seed, "--batch", "1")
    assert [one for _, (one,) in fewer] == [name for name in names if name.startswith("web")]


def test_a_deadline_of_the_whole(world, log):
    marker = f"64{os.getpid() % 1000:03}.25"
    for deadline in ("4s", "12s", "36s"):  # a slow machine needs more until the second batch has begun
        log.path.write_text("")
        begun = time.monotonic()
        out, err = world.run("exec", "-c", "shop", "--batch", "2", "--deadline", deadline, "--",
                             f"{log.add('x')}; case $({WHO}) in *.{COUNT - 1}|*.{COUNT}) exit 0;; esac; sleep {marker}", code=8)
        if len(log.rows()) == 4:
            break
    assert time.monotonic() - begun < 60
    assert out == "2 nodes, db-[0-1]\n" and len(log.rows()) == 4
    assert "8 nodes, web-[2-9], not run, deadline: the deadline passed before the command was started" in err
    assert "2 nodes, web-[0-1], the command may have run, deadline: the deadline passed while the command ran, and it got SIGTERM" in err
    assert "error[R0796]: the deadline has passed: the command was not started on 8 of 12 machines, and was stopped on 2" in err
    until(lambda: not running(marker), lambda: str(running(marker)))
    # also while it bakes, and what is through in time knows nothing of it
    for deadline in ("3s", "9s", "27s"):
        begun = time.monotonic()
        _, err = world.run("exec", "-c", "shop", "--canary", "1", "--bake", "1h", "--deadline", deadline, "--", "true", code=8)
        if " was stopped on 0" in err:
            break
    assert 3 <= time.monotonic() - begun < 60 and f"was not started on {COUNT - 1} of {COUNT} machines, and was stopped on 0" in err
    assert world.run("exec", "-c", "shop", "--deadline", "1h", "--", "true") == (f"{COUNT} nodes\n", "")


@pytest.mark.parametrize("words, code, said", [
    (["--surge", "1"], 2, "exec has no --surge: a surge applies only to rollouts"),
    (["--unavailable", "1"], 2, "exec has no --unavailable"),
    (["--detach"], 2, "exec has no --detach: a command ends with the client that waits for it"),
    (["--bake", "1m"], 2, "--bake needs --canary"), (["--seed", "4"], 2, "--seed needs --order random"),
    (["--order", "zone", "--seed", "4"], 2, "--seed needs --order random"),
    (["--order", "age"], 2, "--order does not accept 'age'"), (["--spread", "rack"], 2, "--spread does not accept 'rack'"),
    (["--canary", "0"], 2, "canary is a number from 1"), (["--deadline", "soon"], 2, "--deadline"),
    (["--bake", "long", "--canary", "1"], 2, "--bake"), (["--deadline", "25h"], 2, "deadlineMs must be a number")])
def test_what_means_nothing_is_refused(world, log, words, code, said):
    err = world.run("exec", "-c", "shop", *words, "--", log.add("x"), code=code)[1]
    assert said in " ".join(err.split()) and not log.rows(), err
    assert "has no flag" not in err


def test_the_route_has_the_same_words(world):
    body = {"command": "true", "canary": 1, "batch": "6", "order": "random", "seed": 7, "spread": "zone", "dryRun": True}
    rows = Reader(world, body).rows()
    assert rows[0]["begin"]["seed"] == 7 and rows[0]["begin"]["nodes"] == COUNT and rows[0]["begin"]["revision"] > 0
    assert rows[0]["begin"]["batches"] == len(rows) - 2 and rows[1]["batch"]["canary"] is True
    assert rows[-1] == {"done": {"failed": 0, "nodes": COUNT, "well": 0}}
    rows = Reader(world, {"command": "false", "canary": 1}).rows()
    assert rows[-1] == {"done": {"cut": "canary", "failed": COUNT, "nodes": COUNT, "well": 0}}
    rows = Reader(world, {"command": "false", "maxFail": "2", "batch": "1"}).rows()
    assert rows[-1]["done"]["cut"] == "failed"
    rows = Reader(world, {"command": "sleep 60", "deadlineMs": 500, "nodes": "web-0"}).rows()
    assert rows[-1]["done"]["cut"] == "deadline" and rows[-2]["end"]["fault"] == "deadline"
    assert Reader(world, {"command": "true"}).rows()[-1] == {"done": {"failed": 0, "nodes": COUNT, "well": COUNT}}
    for wrong in ({"bakeMs": 5}, {"seed": 5}, {"order": "size"}, {"spread": "rack"}, {"dryRun": 1}, {"canary": "x"}, {"revision": "x"},
                  {"failedOf": "job/x"}):
        assert json.loads(Reader(world, {"command": "true", **wrong}).response.read())["code"] == "R0426", wrong


def test_ctrl_c_while_it_bakes(world, log):
    one = world.begin("exec", "-c", "shop", "--canary", "1", "--bake", "1h", "-o", "jsonl", "--", log.add("x"))
    assert json.loads(one.stdout.readline())["node"] == "shop/db-0"  # said when it has ended
    one.send_signal(2)
    err = one.communicate(timeout=240)[1]
    assert one.returncode == 130 and "the command exited with 0 on 1 of 12 machines" in err and len(log.rows()) == 1
    assert subprocess.run([str(REEVE), "exec", "-c", "shop", "--", "true"], env=world.environment(), check=False,
                          capture_output=True, text=True).stdout == f"{COUNT} nodes\n"
