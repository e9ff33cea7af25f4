"""`reeve bootstrap run` in batches, as it is asked for, watched and told: against a manager that is played here, for real ones need
machines (tests/plugins/test_bootstrap.py; UX.md 3.3, 3.7; decision 0107)."""
import http.server
import json
import os
import signal
import socketserver
import subprocess
import threading
import urllib.parse

import pytest

from conftest import ENVIRONMENT, REEVE, sigint_default
from manager import SIM, Manager, until

ENDED = ("done", "failed", "stopped", "superseded")
FAILED = {"name": "web-1", "text": "stage-0 base: E: no licence (exit 7)", "tries": 1, "node": {
    "stage": "base", "number": 0, "attempt": 1, "since": 5, "code": 7, "end": "exit", "why": "E: no licence"}}


def status(state, number=1, count=4, canary=False, size=1, problems=(), waits=(), more=None, **machines):
    """A job of twelve machines as its row has it."""
    return {"verb": "bootstrap", "state": state, "begun": "1970-01-01T00:00:01.000Z", "by": "ann", "cluster": "shop", "revision": 912, "groups": [],
            "batch": {"canary": canary, "count": count, "number": number, "size": size},
            "machines": {"wanted": 12, "ready": 0, "failed": 0, "staging": 0, "waiting": 0, "skipped": 0, "gone": 0,
                         "creating": 0, "leaving": 0, "old": 0, **machines},
            "problems": list(problems), "waits": list(waits), **({"ended": "1970-01-01T00:00:02.000Z"} if state in ENDED else {}), **(more or {})}


WELL = [status("running", staging=3, waiting=9), status("running", 2, ready=3, staging=3, waiting=6), status("done", 4, ready=12)]
ASKED = {"batches": [{"canary": True, "nodes": ["shop/web-0"]}, {"canary": False, "nodes": ["shop/web-2", "shop/web-1"]}],
         "job": 912, "left": [], "nodes": 3, "revision": 912}


class Played(http.server.BaseHTTPRequestHandler):
    """A manager of the clusters lab and shop with three machines each."""
    protocol_version = "HTTP/1.1"
    plays = {}  # number of a job to what looks at it show, one after the other; the last one stays
    looks = {}  # how many there were
    answers = {}  # of a cluster, to the request
    requests = []
    once = ""  # stages that are not idempotent
    trouble = ""  # why its store cannot be written

    def answer(self, body, code=200, kind="application/json"):
        """All of an answer."""
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, code, name, text):
        """A problem."""
        self.answer({"status": code, "title": "no", "code": name, "detail": text,
                     "errors": [{"code": name, "text": text}]}, code, "application/problem+json")

    def watch(self):
        """A word about each job that has something new to show, then nothing more."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b"event: hello\ndata: {}\n\n")
        for number, play in self.plays.items():
            if self.looks.get(number, 0) < len(play):
                self.wfile.write(b'event: put\nid: 9\ndata: {"kind":"Job","metadata":{"name":"%d"}}\n\n' % number)
        self.rfile.read()  # until who asked has gone

    def do_GET(self):  # pylint: disable=invalid-name
        """Lists, and looks at jobs."""
        path, _, query = self.path.partition("?")
        asked = dict(urllib.parse.parse_qsl(query))
        if path == "/v1/watch":
            self.watch()
        elif path == "/v1/inventory/names":
            self.answer("".join(f"{asked['cluster']}/web-{at}\n" for at in range(3)).encode(), kind="text/plain")
        elif path == "/v1/resources":
            self.answer({"items": [{"kind": "Resource", "metadata": {
                "cluster": asked["cluster"], "group": "web", "id": f"t{at}", "name": f"web-{at}", "revision": 1},
                "status": {"state": "active", "token": f"t{at}", **({"node": {"stage": "base", "number": 0, "once": self.once}} if self.once else {})}}
                for at in range(3)], "revision": 9})
        elif path == "/v1/clusters":
            self.answer({"items": [{"kind": "Cluster", "metadata": {"name": name, "revision": 1}, "spec": {}} for name in ("lab", "shop")],
                         "revision": 9})
        elif path == "/v1/nodegroups/shop/web":
            self.answer({"kind": "NodeGroup", "metadata": {"name": "web", "cluster": "shop", "revision": 1}, "spec": {}})
        elif path == "/v1/whoami":
            self.answer({"user": "ann", "role": "operator", "tenant": "default", "version": "1"})
        elif path == "/readyz" and self.trouble:
            self.refuse(503, "R0505", self.trouble)
        elif path in ("/v1/holds", "/v1/events", "/readyz", "/v1/nodegroups"):
            self.answer({"items": [], "revision": 9})
        elif path == "/v1/jobs":
            self.answer({"items": [self.job(number, play[0], 0) for number, play in self.plays.items()], "revision": 9})
        elif path.startswith("/v1/jobs/"):
            number = int(path.rpartition("/")[2])
            at = min(self.looks.get(number, 0), len(self.plays[number]) - 1)
            self.looks[number] = at + 1
            self.answer({"items": [self.job(number, self.plays[number][at], 100 + at)], "revision": 200})
        else:
            self.refuse(404, "R0403", f"there is no {path}")

    @staticmethod
    def job(number, shown, revision):
        """Its row."""
        return {"kind": "Job", "metadata": {"cluster": shown["cluster"], "name": str(number), "revision": revision},
                "status": {**shown, "revision": number}}

    def do_POST(self):  # pylint: disable=invalid-name
        """It is asked for, or something is said of it."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.requests.append((self.path, body))
        cluster = self.path.split("/")[3]
        answer = self.answers.get(cluster, {"revision": 950})
        if "code" in answer:
            self.refuse(409, answer["code"], "web-0 is in job/900 already")
        elif self.path.endswith("/say") or not body.get("dryRun"):
            self.answer(answer)
        else:
            self.answer({key: value for key, value in answer.items() if key != "job"})

    def address_string(self):
        return "unix"

    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        """Nothing."""


class World:
    """The command line before it."""

    def __init__(self, folder):
        self.played = type("Playing", (Played,), {"plays": {}, "looks": {}, "answers": {"shop": ASKED}, "requests": []})
        self.folder = folder
        self.environment = {**ENVIRONMENT, "REEVE_URL": f"unix:{folder}/s", "HOME": str(folder)}

    def play(self, *shown, number=912, cluster="shop"):
        """What looks at a job show."""
        self.played.looks[number] = 0
        self.played.plays[number] = [{**one, "cluster": cluster} for one in shown]

    def run(self, *words, code=0):
        """Standard output and error, where it ends with this code."""
        done = subprocess.run([str(REEVE), *words], capture_output=True, text=True, check=False, timeout=240, stdin=subprocess.DEVNULL,
                              env=self.environment, cwd=self.folder)
        assert done.returncode == code, f"{done}"
        return done.stdout, done.stderr

    def bodies(self):
        """What was asked for, by cluster."""
        return {path.split("/")[3]: body for path, body in self.played.requests if path.endswith("/bootstrap")}


@pytest.fixture
def world(tmp_path):
    """Such a manager, and who asks it."""
    here = World(tmp_path)
    with socketserver.ThreadingUnixStreamServer(str(tmp_path / "s"), here.played) as server:
        server.daemon_threads = True
        server.handle_error = lambda *_: None  # who asked has gone
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield here
        server.shutdown()


def lines_of(err):
    """The lines about the job."""
    return [line.partition(" ")[2] for line in err.splitlines() if " job=" in line]


def test_it_is_asked_for_with_all_its_flags(world):
    world.play(*WELL)
    world.run("bootstrap", "run", "-g", "shop/web", "web-[0-2]", "-l", "tier=front", "--state", "failed", "--from-stage", "1", "--batch", "25%",
              "--max-fail", "2", "--canary", "1", "--bake", "5m", "--pause-between", "10s", "--order", "random", "--seed", "7", "--spread", "zone",
              "-m", "the mirror was stale")
    path, body = world.played.requests[0]
    assert path == "/v1/nodegroups/shop/web/bootstrap"
    assert body == {"nodes": "web-[0-2]", "selector": "tier=front", "state": "failed", "from": "1", "batch": "25%", "maxFail": "2", "canary": 1,
                    "bakeMs": 300000, "pauseMs": 10000, "order": "random", "seed": 7, "spread": "zone", "why": "the mirror was stale"}


@pytest.mark.parametrize("words, said", [
    ([], "stages that did not succeed run again"), (["--rerun"], "all stages run again"), (["--from-stage", "2"], "all stages from stage-2 on run again")])
def test_what_runs_again_is_said(world, words, said):
    assert f"job/912: shop/web-[0-2]: {said}, in 2 batches\n" in world.run("bootstrap", "run", "-c", "shop", "--detach", *words)[1]


def test_it_is_watched_to_its_end(world):
    world.play(*WELL)
    _, err = world.run("bootstrap", "run", "-c", "shop", "--rerun")
    assert world.bodies() == {"shop": {"from": "0"}}
    assert "job/912: shop/web-[0-2]: all stages run again, in 2 batches\n" in err
    assert lines_of(err) == [
        "job=912 cluster=shop verb=bootstrap state=running batch=1/4 ready=0 wanted=12 failed=0 staging=3 waiting=9 skipped=0 gone=0",
        "job=912 cluster=shop verb=bootstrap state=running batch=2/4 ready=3 wanted=12 failed=0 staging=3 waiting=6 skipped=0 gone=0",
        "job=912 cluster=shop verb=bootstrap state=done batch=4/4 ready=12 wanted=12 failed=0 staging=0 waiting=0 skipped=0 gone=0"]


def test_who_is_left_out_is_said_once_for_each_reason(world):
    world.play(*WELL)
    world.played.answers["shop"] = {**ASKED, "left": [{"node": f"shop/web-{at}", "why": why} for at, why in
                                                      ((9, "it is creating"), (7, "it is refused"), (8, "it is creating"))]}
    err = world.run("bootstrap", "run", "-c", "shop")[1]
    assert "shop/web-[8-9]: left out, it is creating\nshop/web-7: left out, it is refused\n" in err
    assert "stages that did not succeed run again" in err


def test_nobody_has_to_watch(world):
    _, err = world.run("bootstrap", "run", "-c", "shop", "--detach")
    assert err.endswith("job/912 continues; reeve job watch 912, reeve job cancel 912\n") and not lines_of(err)
    assert json.loads(world.run("bootstrap", "run", "-c", "shop", "-o", "json")[0]) == [ASKED]


def test_ctrl_c_only_stops_watching(world):
    world.play(status("running", staging=3, waiting=9))
    world.played.answers["lab"] = {**ASKED, "job": 911}
    world.play(status("running", staging=3, waiting=9), number=911, cluster="lab")
    with subprocess.Popen([str(REEVE), "bootstrap", "run", "--all"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          env=world.environment, cwd=world.folder, text=True, preexec_fn=sigint_default) as run:
        line = run.stderr.readline()
        while " job=911 " not in line:
            line = run.stderr.readline()
        os.kill(run.pid, signal.SIGINT)
        rest = run.stderr.read()
        assert run.wait(60) == 130, rest
    assert "no longer watched; job/911 continues: reeve job watch 911, reeve job cancel 911; not started: machines of shop" in rest
    assert list(world.bodies()) == ["lab"]


@pytest.mark.parametrize("last, code, said", [
    (status("failed", 4, ready=11, failed=1, problems=[FAILED]), 9,
     ["error[R0810]: 1 of 12 nodes failed", "note: shop/web-1: stage-0 base: E: no licence (exit 7)",
      "hint: reeve logs shop/web-1 --stage 0; then reeve bootstrap run --failed-of 912"]),
    (status("failed", 4, failed=12, problems=[FAILED, {"name": "web-2", "text": "it cannot be reached", "tries": 3}]), 1,
     ["12 of 12 nodes failed", "! web-2  it cannot be reached, 3 times", "--failed-of 912"]),
    (status("stopped", 1, canary=True, failed=1, skipped=11, problems=[FAILED], more={"cut": "canary"}), 1,
     ["1 of 12 nodes failed", "job/912: 11 of 12 machines were not started: a canary has failed\n"]),
    (status("stopped", 2, ready=3, failed=3, skipped=6, problems=[FAILED], more={"cut": "failed"}), 9,
     ["3 of 12 nodes failed", "job/912: 6 of 12 machines were not started: too many machines have failed\n", "... and 2 more; reeve tree shows all"]),
    (status("stopped", 2, ready=3, skipped=9, more={"cut": "cancelled"}), 9, ["job/912: 9 of 12 machines were not started: the job was cancelled\n"]),
    (status("stopped", 2, ready=3, failed=1, skipped=8, problems=[FAILED], more={"cut": "deadline"}), 8,
     ["error[R0796]: the deadline has passed: 8 of 12 machines were not started", "error[R0810]: 1 of 12 nodes failed"]),
    (status("stopped", 2, ready=3, skipped=9, more={"cut": "deadline", "skippedNodes": "web-[3-11]"}), 8, ["  not started: web-[3-11]\n", "error[R0796]"]),
    (status("stopped", 2, ready=3, skipped=9, more={"cut": "cancelled", "skippedNodes": "web-[3-11]"}), 9,
     ["job/912: 9 of 12 machines were not started: the job was cancelled\n  not started: web-[3-11]\n"]),
    (status("superseded", 2, ready=3, gone=9, more={"supersededBy": "job/930"}), 5, ["job/912 has ended: the cluster is deleted by job/930\n"]),
    (status("damaged", waits=["the stored request cannot be read (R0755)"]), 1,
     ["  ! the stored request cannot be read (R0755)\n", "job/912 waits: the stored request cannot be read (R0755); reeve job cancel 912 removes it\n"]),
    (status("stopping", 2, ready=3, staging=3, waiting=6, more={"cut": "deadline"}), 8,
     ["6 of 12 machines were not started", "note: machines in progress are completed: 3", "hint: reeve job watch 912"]),
])
def test_how_it_ends(world, last, code, said):
    world.play(WELL[0], last)
    err = world.run("bootstrap", "run", "-c", "shop", code=code)[1]
    for words in said:
        assert words in err, err


def test_what_nobody_moves_is_left(world):
    world.play(status("running", 2, ready=3, waiting=9, waits=["web is paused"]))
    err = world.run("bootstrap", "run", "-c", "shop", code=9)[1]
    assert "  ! web is paused\n" in err and "job/912 waits: web is paused; reeve job watch 912, reeve job cancel 912\n" in err
    world.play(status("paused", 1, waiting=12))
    err = world.run("bootstrap", "run", "-c", "shop", code=1)[1]
    assert "job/912 waits: the job is paused; reeve job watch 912, reeve job resume 912\n" in err


def test_a_job_that_rests_is_waited_for(world):
    world.play(status("resting", 1, canary=True, ready=1, waiting=11, more={"until": "2026-11-23T14:03:10.000Z"}), WELL[2])
    err = world.run("bootstrap", "run", "-c", "shop", "--canary", "1", "--bake", "1m")[1]
    assert "state=resting batch=1/4 ready=1" in err and "until=2026-11-23T14:03:10.000Z" in err


def test_several_clusters_follow_each_other(world):
    """One that ends badly keeps none from its turn; with --detach all begin at once."""
    world.played.answers["lab"] = {**ASKED, "job": 911}
    world.play(WELL[0], status("failed", 4, ready=11, failed=1, problems=[FAILED]), number=911, cluster="lab")
    world.play(*WELL)
    err = world.run("bootstrap", "run", "--all", code=9)[1]
    assert err.index("job=911 cluster=lab verb=bootstrap state=failed") < err.index("job/912: ")
    assert "state=done" in err and "shop/web-1" not in err and "note: lab/web-1: stage-0 base" in err
    world.play(WELL[0], status("stopped", 2, ready=3, skipped=9, more={"cut": "deadline"}), number=911, cluster="lab")
    world.play(WELL[0], status("failed", 4, ready=11, failed=1, problems=[FAILED]))
    assert "R0810" in world.run("bootstrap", "run", "--all", code=8)[1]
    world.played.answers["lab"] = {"code": "R0815"}
    world.play(*WELL)
    err = world.run("bootstrap", "run", "--all", code=9)[1]
    assert "error[R0815]" in err and "this concerns machines of lab" in err and "state=done" in err
    world.run("bootstrap", "run", "-c", "lab", code=5)


def test_a_seed_that_was_drawn_is_said_and_kept(world):
    world.played.answers = {"lab": {**ASKED, "job": 911, "seed": 77}, "shop": {**ASKED, "seed": 77}}
    err = world.run("bootstrap", "run", "--all", "--order", "random", "--detach")[1]
    assert err.count("order: random; --seed 77 repeats it\n") == 1
    assert "seed" not in world.bodies()["lab"] and world.bodies()["shop"]["seed"] == 77


def test_what_it_would_do(world):
    out, err = world.run("bootstrap", "run", "-c", "shop", "--dry-run")
    assert out == "batch 1, canary: 1 node, web-0\nbatch 2: 2 nodes, web-[2,1]\n"
    assert err == "nothing was run: it would run on 3 nodes, in 2 batches\n" and world.bodies()["shop"] == {"dryRun": True}
    rows = json.loads(world.run("bootstrap", "run", "-c", "shop", "--dry-run", "-o", "json")[0])
    assert rows == [{"batch": 1, **ASKED["batches"][0]}, {"batch": 2, **ASKED["batches"][1]}]


def test_what_would_run_twice_is_agreed_to_before_anything_is_sent(world):
    world.played.once = "stage-0 base"
    err = world.run("bootstrap", "run", "-c", "shop", "--rerun", code=11)[1]
    assert "stage-0 base is not idempotent, and runs again on shop/web-0 shop/web-1 shop/web-2\n" in err and not world.played.requests
    err = world.run("bootstrap", "run", "-c", "shop", "--rerun", "--dry-run")[1]  # named, and nobody is asked
    assert "is not idempotent" in err and world.bodies()["shop"]["again"]
    world.play(*WELL)
    world.run("bootstrap", "run", "-c", "shop", "--rerun", "--yes")
    assert world.bodies()["shop"] == {"from": "0", "again": True}


@pytest.mark.parametrize("words, code, said", [
    (["--surge", "1"], "R0794", "bootstrap run has no --surge: a surge applies only to rollouts"),
    (["--unavailable", "1"], "R0794", "bootstrap run has no --unavailable: a machine whose stages run again stays in service"),
    (["--bake", "1m"], "R0005", "--bake needs --canary"), (["--seed", "4"], "R0005", "--seed needs --order random"),
    (["--order", "age"], "R0004", "--order does not accept 'age'"), (["--spread", "rack"], "R0004", "--spread does not accept 'rack'"),
    (["--batch", "0"], "R0004", "--batch must be a number of machines (1 or more), or 1% to 100%, got '0'"),
    (["--max-fail", "101%", "--rerun"], "R0004", "--max-fail must be a number of machines (1 or more), or 1% to 100%, got '101%'"),
    (["--deadline", "soon"], "R0004", "--deadline"), (["--bake", "long", "--canary", "1"], "R0004", "--bake"),
    (["--rerun", "--from-stage", "1"], "R0005", "--rerun (all stages) and --from-stage")])
def test_what_means_nothing_is_refused(world, words, code, said):
    err = world.run("bootstrap", "run", "-c", "shop", *words, code=2)[1]
    assert said in " ".join(err.split()) and f"error[{code}]" in err and not world.played.requests, err


@pytest.mark.parametrize("words", [["--batch", "2"], ["--detach"], ["--dry-run"], ["--rerun"], ["--deadline", "1h"]], ids=lambda words: words[0])
def test_they_are_of_run_alone(world, words):
    err = world.run("bootstrap", "check", ".", *words, code=2)[1]
    assert f"bootstrap check takes no {words[0]}" in err


@pytest.mark.parametrize("verb, word", [("cancel", "job-cancel"), ("pause", "job-pause"), ("resume", "job-resume")])
def test_a_word_about_such_a_job_is_said_by_its_number(world, verb, word):
    world.play(WELL[0])
    err = world.run("job", verb, "912", "-m", "wrong mirror")[1]
    assert world.played.requests == [("/v1/clusters/shop/say", {"command": word, "job": "912", "why": "wrong mirror"})]
    assert err.startswith("job/912, cluster/shop: ")
    world.play(WELL[2])
    assert "job/912 has ended" in world.run("job", verb, "912", code=4)[1]


@pytest.mark.parametrize("last", [WELL[0], WELL[2]], ids=["running", "done"])
def test_nothing_of_it_is_tried_again(world, last):
    world.play(last)
    err = world.run("job", "retry", "912", code=5)[1]
    assert "error[R0816]" in err and "hint: to repeat its failed work: reeve bootstrap run --failed-of 912" in err and not world.played.requests


def test_where_jobs_are_shown(world):
    world.play(status("stopping", 2, ready=3, failed=1, staging=2, waiting=6, problems=[FAILED], more={"cut": "failed"}))
    table = world.run("get", "jobs")[0]
    assert "VERB" in table and "bootstrap 2/4" in table
    far = "3 of 12 bootstrapped again, 1 failed, 2 in progress, 6 waiting; batch 2 of 4; too many machines have failed\n"
    assert f"  job/912  shop  stopping: {far}" in world.run("status")[0]
    assert json.loads(world.run("status", "-o", "json")[0])["jobs"][0]["verb"] == "bootstrap"
    why = world.run("why", "job/912")[0]
    assert f"job/912  shop  stopping: {far}" in why and "  ! shop/web-1  stage-0 base: E: no licence (exit 7)" in why
    until(lambda: "state=stopping" in world.run("job", "watch", "912", "--timeout", "1s", code=8)[1])  # who is held up sees nothing in that time
    world.play(status("superseded", 2, ready=3, gone=9, more={"supersededBy": "job/930"}))
    assert "superseded: 3 of 12 bootstrapped again, 9 gone; the cluster is deleted by job/930\n" in world.run("why", "job/912")[0]
    world.play(status("stopped", 2, ready=3, skipped=9, more={"cut": "cancelled", "skippedNodes": "web-[3-11]"}))
    assert "  not started: web-[3-11]\n" in world.run("why", "job/912")[0]
    assert json.loads(world.run("why", "job/912", "-o", "json")[0])["items"][0]["status"]["skippedNodes"] == "web-[3-11]"
    world.play(WELL[0], status("stopped", 2, ready=3, skipped=9, more={"cut": "deadline"}))
    assert "R0796" in world.run("wait", "job/912", "--for", "job=done", code=8)[1]


def test_status_says_what_a_job_waits_for(world):
    world.play(status("paused", 2, ready=3, waiting=9, waits=["web is paused"]))
    assert "3 of 12 bootstrapped again, 9 waiting; batch 2 of 4\n  ! web is paused\n" in world.run("status")[0]


def test_who_watches_is_notified_that_the_store_takes_no_changes(world):
    """Nothing moves then, and a job that only stands says nothing of that."""
    world.played.trouble = "the store accepts no changes: the disk is full: no space left in '/data'"
    for seconds in (4, 12, 36):  # it is looked for as nothing moves, and one that was held up has no time left for that
        world.play(status("running", 2, ready=3, staging=3, waiting=6))
        err = world.run("job", "watch", "912", "--timeout", f"{seconds}s", code=8)[1]
        if "! the store" in err:
            break
    assert err.count("  ! the store accepts no changes: the disk is full: no space left in '/data'\n") == 1, err


def test_a_word_without_a_number_names_its_own_verb(world):
    err = world.run("job", "pause", code=2)[1]
    assert "job pause needs the number of a job" in err and "reeve job pause 912" in err


def test_a_rollout_is_not_hidden_by_it(world):
    """The newest change of a group is shown, also where stages run again since."""
    change = {"state": "running", "begun": "1970-01-01T00:00:00.001Z", "by": "ann", "machines": {"wanted": 3, "ready": 1}, "groups": [{"group": "web", "ready": 1, "wanted": 3, "old": 2}]}
    world.play(change, number=900)
    world.play(WELL[0])
    assert "shop/web  job/900 running: 1 of 3 as wanted, 2 to be replaced\n" in world.run("rollout", "status", "shop/web")[0]


def test_the_picture_of_it(world):
    """On a terminal: a bar, how far, and until when it rests."""
    import pty  # pylint: disable=import-outside-toplevel
    world.play(status("running", 1, canary=True, staging=1, waiting=11), status("resting", 1, canary=True, ready=1, waiting=11,
                                                                               more={"until": "2026-11-23T14:03:10.000Z"}), WELL[2])
    ours, theirs = pty.openpty()
    with subprocess.Popen([str(REEVE), "job", "watch", "912"], stdin=theirs, stdout=theirs, stderr=theirs, cwd=world.folder,
                          env={**world.environment, "TERM": "xterm", "COLUMNS": "200"}) as run:
        os.close(theirs)
        pieces = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            pieces += piece
        text = pieces.decode()
        assert run.wait(60) == 0, text
    os.close(ours)
    assert "running: 0 of 12 bootstrapped again, 1 in progress, 11 waiting; batch 1 of 4, the canary" in " ".join(text.split()), text
    assert "batch 1 of 4, the canary; until 14:03:10Z (canary bakes)" in " ".join(text.split()), text
    assert "########################  done: 12 of 12 bootstrapped again" in text, text


def test_the_route_reads_its_body(tmp_path):
    """Members are as `exec` has them; what is wrong is named, and what is said of a job names it."""
    with Manager(tmp_path).start() as manager:
        manager.apply({"name": "shop", "version": "1", "groups": {"web": {"size": 1, "resourcePlugin": SIM}}})
        for body, said in (([], "the body must be"), ({"batch": "101%"}, "batch must be a number of machines"), ({"maxFail": "0"}, "maxFail must be"), ({"canary": 0}, "canary must be"),
                           ({"bakeMs": "soon"}, "bakeMs"), ({"spread": "rack"}, "spread must be zone"), ({"again": "perhaps"}, "'again' must be true or false"),
                           ({"from": ["1"]}, "'from' must be a string"), ({"why": "x" * 5000}, "'why' must be a string of at most"), ({"dryRun": 1}, "'dryRun' must be true or false")):
            for path in ("clusters/shop", "nodegroups/shop/web"):
                answer = manager.ask("POST", f"/v1/{path}/bootstrap", body)
                assert (answer.status, answer.code) == (400, "R0426") and said in answer.text, answer.text
        answer = manager.ask("POST", "/v1/clustertemplates/shop/bootstrap", {})
        assert answer.code == "R0426" and "stages run again on machines of a cluster only, not of clustertemplates" in answer.text
        for verb, noun in (("verify", "verifications"), ("correct", "corrections")):
            answer = manager.ask("POST", "/v1/clustertemplates/shop/jobs", {"verb": verb})
            assert answer.code == "R0426" and f"{noun} run on machines of a cluster only, not of clustertemplates" in answer.text, answer.text
        for path, body, said in (("clusters/shop", {"command": "job-cancel"}, "'job-cancel' needs 'job'"), ("clusters/shop", {"command": "job-end", "job": "1"}, "job-pause or job-resume"),
                                 ("nodegroups/shop/web", {"command": "job-pause", "job": "1"}, "applies to a job of a cluster"), ("clusters/shop", {"command": "job-pause", "job": {}}, "'job' must be a string")):
            answer = manager.ask("POST", f"/v1/{path}/say", body)
            assert answer.code == "R0426" and said in answer.text, answer.text


def test_where_nobody_is_left_it_is_said_why(tmp_path):
    """A real manager, whose machines have no stages."""
    with Manager(tmp_path, control=True).start() as manager:
        manager.apply({"name": "shop", "version": "1", "groups": {"web": {"size": 2, "resourcePlugin": SIM}}})
        # A machine that is still being created is left out for that reason.
        until(lambda: [each["status"]["state"] for each in manager.get("/v1/nodes?cluster=shop").json["items"]] == ["ready"] * 2)
        refused = manager.ask("POST", "/v1/clusters/shop/bootstrap", {"from": 0})
        assert refused.status == 404 and refused.code == "R0780"
        assert "2 machines are left out; the first is shop/web-0: the group has no stages" in json.dumps(refused.json), refused.json
