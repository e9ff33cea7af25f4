"""Jobs: what a change brings about is watched, left, stopped, tried again and outlives its manager (UX.md 3.7).

Requirements: C29, X12.
"""

import http.server
import json
import os
import re
import signal
import socketserver
import subprocess
import threading
import time

import pytest

from conftest import ENVIRONMENT, REEVE, sigint_default
from pylib.proc import children, named
from manager import Events, Manager, in_time, until


def shop(size, plugin="sim", **more):
    """The document of a cluster with one group."""
    return {"name": "shop", "version": "1",
            "groups": {"web": {"size": size, "resourcePlugin": {"name": plugin}, **more}}}


@pytest.fixture
def keeping(tmp_path):
    """A manager that keeps clusters of simulated machines, in haste."""
    with Manager(tmp_path, "--haste", "100", control=True).start() as manager:
        yield manager


@pytest.fixture
def cli(keeping, tmp_path):
    """reeve against it, off a terminal."""
    def run(*words, document=None):
        text = None if document is None else json.dumps(document)
        words = (*words, *["--allow-missing-plugin"] * any(f'"{name}"' in (text or "") for name in ("nowhere", "smi")))
        return subprocess.run([str(REEVE), *words], input=text, text=True, capture_output=True, check=False, timeout=240,
                              env={**ENVIRONMENT, "REEVE_URL": f"unix:{keeping.socket}"}, cwd=tmp_path,
                              **({} if text is not None else {"stdin": subprocess.DEVNULL}))
    return run


def number_of(run):
    """The job that a run names."""
    return int(re.search(r"\bjob[=/](\d+)", run.stderr).group(1))


def job(manager, number):
    """The only job with this number."""
    items = manager.get(f"/v1/jobs/{number}").json["items"]
    assert len(items) == 1
    return items[0]


def ended(manager, number, seconds=240):
    """Wait until it has ended, and how."""
    deadline = time.monotonic() + seconds
    status = {}
    while time.monotonic() < deadline:
        answer = manager.get(f"/v1/jobs/{number}")
        status = answer.json["items"][0]["status"] if answer.status == 200 else {}
        if "ended" in status:
            return status
        time.sleep(0.02)
    raise AssertionError(status)


def test_a_change_is_watched_to_its_end(cli, keeping):
    done = cli("apply", "-f", "-", "--yes", "-m", "first", document=shop(3))
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if " job=" in line]
    assert all(re.match(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\S*Z job=\d+ cluster=shop state=", line) for line in lines), lines
    assert "state=done ready=3 wanted=3 creating=0 leaving=0 old=0" in lines[-1]
    kept = job(keeping, number_of(done))
    assert kept["metadata"]["cluster"] == "shop" and kept["status"]["by"] and kept["status"]["why"] == "first"
    generation = keeping.get("/v1/resources?cluster=shop").json["items"][0]["status"]["generation"]
    assert kept["status"]["groups"] == [
        {"creating": 0, "generations": [generation], "group": "web", "leaving": 0, "old": 0, "ready": 3, "updated": 3, "wanted": 3}]
    assert kept["status"]["ended"] >= kept["status"]["begun"] > "2026-"  # times, as everywhere


def test_a_name_that_is_printed_is_taken_by_every_verb(cli, keeping):
    number = number_of(cli("apply", "-f", "-", "--yes", document=shop(1)))
    assert cli("get", "jobs", "-o", "name").stdout == f"job/{number}\n"
    for name in (f"job/{number}", f"job/shop/{number}"):
        for words in (("job", "watch", name), ("wait", name, "--for", "job=done", "--timeout", "50s"), ("why", name)):
            done = cli(*words)
            assert done.returncode == 0, (words, done.stderr)
    for name in ("job/shop", "job/", "job/0"):
        assert cli("wait", name).returncode == 2


def test_it_may_be_left_at_once(cli, keeping):
    left = cli("apply", "-f", "-", "--yes", "--detach", document=shop(2))
    assert left.returncode == 0 and "continues; reeve job watch" in left.stderr
    number = number_of(left)
    assert cli("wait", f"job/{number}", "--for", "job=done", "--timeout", "50s").returncode == 0
    assert ended(keeping, number)["state"] == "done"
    watched = cli("job", "watch", str(number))
    assert watched.returncode == 0 and "state=done" in watched.stderr
    assert cli("wait", "cluster/shop", "--for", "ready", "--timeout", "50s").returncode == 0


def test_programs_get_its_number(cli, keeping):
    made = cli("apply", "-f", "-", "--yes", "-o", "json", document=shop(2))
    assert made.returncode == 0
    assert ended(keeping, json.loads(made.stdout)["job"])["state"] == "done"


def test_what_changes_no_machine_has_none(cli, keeping):
    assert cli("apply", "-f", "-", "--yes", document=shop(1)).returncode == 0
    before = keeping.get("/v1/jobs").json["items"]
    assert cli("set", "cluster/shop", "version=2", "--yes").returncode == 0
    assert keeping.get("/v1/jobs").json["items"] == before


def test_what_waits_for_somebody_is_named_and_left(cli):
    held = cli("apply", "-f", "-", "--yes", document=shop(2, plugin="nowhere"))
    assert held.returncode == 1, held.stderr
    assert "! held: hold/shop:unlisted" in held.stderr and "reeve job retry" in held.stderr
    number = number_of(held)
    late = in_time(lambda: cli("wait", f"job/{number}", "--timeout", "1s"))
    assert late.returncode == 8 and "R0028" in late.stderr
    failed = cli("wait", f"job/{number}", "--or-fail", "--timeout", "50s")
    assert failed.returncode == 1


def test_what_wants_nothing_else_takes_no_place(cli, keeping):
    """Who applies what is there says of a size that was scaled that a file has it: that is written down, and all goes on."""
    keeping.apply(shop(2, resourceProperties={"boot": 600000}, labels={"tier": "front"}))
    assert cli("scale", "shop/web", "3", "--yes", "--detach").returncode == 0
    number = keeping.get("/v1/clusters/shop").json["metadata"]["revision"]
    until(lambda: keeping.get(f"/v1/jobs/{number}").status == 200)
    exported = json.loads(cli("get", "shop", "-o", "json", "--bare").stdout)
    applied = cli("apply", "-f", "-", "--yes", document=exported)
    web = keeping.get("/v1/nodegroups/shop/web").json["metadata"]
    assert applied.returncode == 0, applied
    told = re.fullmatch(r"the desired state is unchanged; only its new source is recorded: revision (\d+)\n", applied.stderr)
    assert told and web["revision"] <= int(told[1]) <= keeping.get("/v1/jobs").json["revision"], applied  # others write as well
    assert web["revision"] > number and web["wantedSince"] == number, "it was written"
    plans = keeping.get("/v1/plans").json
    again = cli("apply", "-f", "-", "--yes", document=exported)
    assert again.stderr == "nothing to do\n" and "plan/" not in again.stdout
    # The revision is that of the store, which others write too.
    assert keeping.get("/v1/plans").json["items"] == plans["items"], "a plan was written"
    assert keeping.get("/v1/nodegroups/shop/web").json["metadata"]["revision"] == web["revision"], again

    def newest():
        """The job that is not over, after a look."""
        assert keeping.post("/v1/clusters/shop/pass", {}).status == 200
        jobs = keeping.get("/v1/jobs?cluster=shop").json["items"]
        return [int(job["metadata"]["name"]) for job in jobs if job["status"]["state"] == "running"]
    assert newest() == [number]
    assert keeping.stop() == 0
    keeping.start()  # and what it is told when it begins says the same
    assert until(newest) == [number]
    assert cli("scale", "shop/web", "2", "--yes", "--allow", "destroy=3", "--detach").returncode == 0
    assert "wantedSince" not in keeping.get("/v1/nodegroups/shop/web").json["metadata"]
    assert until(newest) != [number]


def test_another_change_takes_its_place(cli, keeping):
    first = cli("apply", "-f", "-", "--yes", "--detach", document=shop(2, plugin="nowhere"))
    number = number_of(first)
    deadline = time.monotonic() + 60
    while keeping.get(f"/v1/jobs/{number}").status != 200 and time.monotonic() < deadline:
        time.sleep(0.02)
    second = cli("apply", "-f", "-", "--yes", "--allow", "replace=2", document=shop(3))
    assert second.returncode == 0, second.stderr
    status = ended(keeping, number)
    assert status["state"] == "superseded" and status["supersededBy"] == f"job/{number_of(second)}"
    assert cli("job", "watch", str(number)).returncode == 5


@pytest.mark.parametrize("words", (("job", "watch", "{}", "--timeout", "1s"), ("wait", "job/{}", "--timeout", "1s"),
                                   ("scale", "shop/web", "+1", "--yes", "--timeout", "1s")), ids=lambda words: words[0])
def test_who_waits_for_a_time_leaves_then(cli, keeping, words):
    number = number_of(cli("apply", "-f", "-", "--yes", "--detach",
                           document=shop(3, resourceProperties={"boot": 600000})))
    begun = time.monotonic()
    run = in_time(lambda: cli(*(word.format(number) for word in words)))
    assert run.returncode == 8 and time.monotonic() - begun < 120, run
    assert "is not done yet" in run.stderr and "the job continues; reeve job watch" in run.stderr


def test_who_watches_for_a_time_leaves_then(cli):
    cli("apply", "-f", "-", "--yes", "--detach", document=shop(3, resourceProperties={"boot": 600000}))
    for words in (("get", "clusters", "-w"), ("tree", "-w"), ("events", "-F")):
        begun = time.monotonic()
        run = in_time(lambda words=words: cli(*words, "--timeout", "1s"))
        assert run.returncode == 0 and 1 <= time.monotonic() - begun < 120, run


def test_a_job_that_is_to_begin_is_waited_for(tmp_path):
    """However long the look at the cluster takes: who deletes a cluster and goes on must not find its machines."""
    with Manager(tmp_path, control=True).start() as manager:
        manager.apply(shop(2, plugin="static", resourceProperties={"addresses": ["192.0.2.1", "192.0.2.2"]}))
        until(lambda: manager.get("/v1/clusters/shop").json.get("status", {}).get("machines", {}).get("ready") == 2)
        hosts = [pid for pid in children(manager.process.pid) if named(pid) == "reeve-host"]
        for pid in hosts:
            os.kill(pid, signal.SIGSTOP)
        with subprocess.Popen([str(REEVE), "delete", "cluster/shop", "--yes", "--allow", "destroy=3"], text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=tmp_path,
                              env={**ENVIRONMENT, "REEVE_URL": f"unix:{manager.socket}"}) as going:
            said = line = going.stderr.readline()
            while line and "has not started yet" not in line:  # said when a job would have had to begin; an end of it ends this
                line = going.stderr.readline()
                said += line
            is_over = going.poll() is not None
            for pid in hosts:
                os.kill(pid, signal.SIGCONT)
            said += going.stderr.read()
            assert not is_over and going.wait(60) == 0 and "has not started yet" in said and "state=done" in said, said
        assert not manager.get("/v1/resources").json["items"]


def test_ctrl_c_stops_watching_and_nothing_else(keeping, tmp_path):
    environment = {**ENVIRONMENT, "REEVE_URL": f"unix:{keeping.socket}"}
    with subprocess.Popen([str(REEVE), "apply", "-f", "-", "--yes"], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdout=subprocess.DEVNULL, env=environment, cwd=tmp_path, text=True,
                          preexec_fn=sigint_default) as run:
        run.stdin.write(json.dumps(shop(2, resourceProperties={"boot": 600000})))  # what is held it would leave by itself
        run.stdin.close()
        first = run.stderr.readline()
        while " job=" not in first:
            first = run.stderr.readline()
        os.kill(run.pid, signal.SIGINT)
        rest = run.stderr.read()
        number = first.split(" job=")[1].split()[0]
        assert run.wait(60) == 130 and f"job/{number} continues: reeve job watch {number}, " in rest, rest
    assert keeping.get("/v1/clusters/shop").status == 200
    assert "ended" not in job(keeping, int(first.split(" job=")[1].split()[0]))["status"]


def groups_ready(manager, number, group):
    """Is the group of the job complete?"""
    row = manager.get(f"/v1/jobs/{number}")
    return row.status == 200 and any(one["group"] == group and one["ready"] == one["wanted"]
                                     for item in row.json["items"] for one in item["status"]["groups"])


def test_cancel_begins_nothing_more_until_it_is_resumed(cli, keeping):
    document = shop(2, plugin="nowhere")
    document["groups"]["db"] = {"size": 1, "resourcePlugin": {"name": "file"}}
    number = keeping.apply(document, query="?allow-missing-plugin=1").json["job"]
    deadline = time.monotonic() + 60
    while not groups_ready(keeping, number, "db") and time.monotonic() < deadline:
        time.sleep(0.02)
    said = cli("job", "cancel", str(number), "-m", "wrong plugin")
    assert said.returncode == 0 and "no more work starts, failed machines are not healed" in said.stderr, said.stderr
    assert "reeve resume shop/web continues it, reeve undo shop reverts it" in said.stderr and "shop/db" not in said.stderr
    words = [event for event in keeping.get("/v1/events?cluster=shop").json["items"]
             if event["type"].endswith(".paused")]
    assert [(one["type"], one["group"], one["why"]) for one in words] == [("nodegroup.paused", "web", f"job/{number} cancel: wrong plugin")], \
        "the group that is complete is healed as before"
    deadline = time.monotonic() + 60
    while job(keeping, number)["status"]["state"] != "paused" and time.monotonic() < deadline:
        time.sleep(0.02)
    assert job(keeping, number)["status"]["state"] == "paused"
    said = cli("job", "resume", str(number))
    assert said.returncode == 0 and f"job/{number}, nodegroup/shop/web: resumed" in said.stderr, said
    assert cli("job", "cancel").returncode == 2
    assert cli("job", "cancel", "999999").returncode == 4
    assert cli("job", "nonsense", "1").returncode == 2


def test_a_number_that_was_printed_can_be_cancelled_at_once(cli, keeping):
    for n in range(4):
        applied = cli("apply", "-f", "-", "--yes", "--detach", "-o", "json",
                      document={**shop(2, plugin="nowhere"), "name": f"shop{n}"})
        number = json.loads(applied.stdout)["job"]
        said = cli("job", "cancel", str(number))
        assert said.returncode == 0 and f"job/{number}, nodegroup/shop{n}/web: paused" in said.stderr, said
    assert cli("job", "cancel", "999999").returncode == 4, "of what was never said nobody waits"


def test_it_outlives_its_manager(tmp_path):
    manager = Manager(tmp_path, "--haste", "100", control=True).start()
    number = manager.apply(shop(40, plugin="file")).json["job"]
    manager.kill()
    with Manager(tmp_path, "--haste", "100", control=True).start() as again:
        assert ended(again, number)["state"] == "done"
        types = [event["type"] for event in again.get("/v1/events?cluster=shop").json["items"]]
        assert types.count("job.began") == 1 and types.count("job.done") == 1


def test_the_end_of_a_cluster_is_a_job(cli, keeping):
    assert cli("apply", "-f", "-", "--yes", document=shop(3)).returncode == 0
    gone = cli("delete", "cluster", "shop", "--allow", "destroy=4")
    assert gone.returncode == 0, gone.stderr
    assert "state=done ready=0 wanted=0" in gone.stderr
    kept = job(keeping, number_of(gone))
    assert kept["metadata"]["cluster"] == "shop"


def test_only_the_newest_are_kept(cli, keeping):
    assert cli("apply", "-f", "-", "--yes", document=shop(1)).returncode == 0
    for size in range(2, 15):
        assert cli("scale", "shop/web", str(size), "--yes").returncode == 0
    numbers = [int(item["metadata"]["name"]) for item in keeping.get("/v1/jobs").json["items"]]
    assert len(numbers) == 10 and numbers == sorted(numbers)
    assert "done" in cli("get", "jobs").stdout.splitlines()[1].split()


def test_a_rollout_is_paused_and_goes_on(cli, keeping):
    assert cli("apply", "-f", "-", "--yes", document=shop(4)).returncode == 0
    assert cli("rollout", "pause", "shop/web").returncode == 0
    changed = cli("set", "nodegroup/shop/web", "image=debian-13", "--allow", "replace=4")
    assert changed.returncode == 9, changed.stderr  # machines are there, and the rest waits
    assert "hold/shop/web:roll_stopped" in changed.stderr
    (group,) = job(keeping, number_of(changed))["status"]["groups"]
    assert (group["old"], group["batch"], group["canary"]) == (4, 1, 0), "10% of four is one"
    shown = cli("rollout", "status", "shop/web")
    assert "0 of 4 as wanted, 4 to be replaced" in shown.stdout, shown.stdout
    assert cli("rollout", "resume", "shop/web").returncode == 0
    assert cli("wait", f"job/{number_of(changed)}", "--timeout", "50s").returncode == 0
    assert "batch" not in job(keeping, number_of(changed))["status"]["groups"][0], "nothing is replaced any more"
    assert "4 of 4 as wanted" in cli("rollout", "status", "shop/web").stdout
    assert cli("rollout", "promote", "shop/web").returncode == 4
    assert cli("rollout", "status", "shop").returncode == 2


def test_machines_holds_and_jobs_are_watched(keeping):
    events = Events(keeping, "?kinds=resource,job,hold")
    keeping.apply(shop(2))
    kinds, state = set(), None
    while state != "done":
        name, _, data = events.next()
        if name == "put":
            kinds.add(data["kind"])
            assert data["metadata"]["cluster"] == "shop"
            state = data["status"]["state"] if data["kind"] == "Job" else state
    events.close()
    assert kinds >= {"Resource", "Job"}


def test_an_undo_before_any_machine_has_moved_is_done(cli):
    """All are as they are wanted again: there is no job, and that is no error."""
    assert cli("apply", "-f", "-", "--yes", document=shop(1)).returncode == 0
    mistyped = cli("apply", "-f", "-", "--yes", "--allow", "replace=1", document=shop(1, plugin="smi"))
    assert "! held: hold/shop:unlisted" in mistyped.stderr
    undone = cli("undo", "cluster", "shop", "--yes", "--allow", "replace=1")
    assert undone.returncode == 0, undone.stderr
    assert "this change affects no machine" in undone.stderr or "state=done" in undone.stderr


@pytest.mark.parametrize("word", ["cancel", "pause", "resume", "retry"])
def test_nothing_is_said_of_a_job_that_has_ended(cli, keeping, word):
    """It would hit the change that came after it."""
    number = number_of(cli("apply", "-f", "-", "--yes", document=shop(1)))
    assert ended(keeping, number)["state"] == "done"
    late = cli("job", word, str(number))
    assert late.returncode == 4 and f"job/{number} has ended" in late.stderr
    types = [event["type"] for event in keeping.get("/v1/events?cluster=shop").json["items"]]
    assert "cluster.paused" not in types


def test_kinds_that_are_kept_are_not_denied(cli):
    for words, hint in ((("describe", "job/3"), "reeve job watch"),
                        (("describe", "hold", "x"), "reeve why hold/"), (("get", "events"), "reeve events")):
        run = cli(*words)
        assert run.returncode == 2 and hint in run.stderr and "in this version" not in run.stderr, run.stderr
    assert "jobs, holds, plugins" in cli("get", "frobs").stderr
    assert "there is no job '3'" in cli("why", "job/3").stderr


def test_a_canary_that_bakes_is_waited_for(tmp_path):
    with Manager(tmp_path, control=True).start() as manager:
        def apply(*words, image, bake="1s"):
            document = shop(2, image=image, rollout={"canary": 1, "bake": bake})
            return subprocess.run([str(REEVE), "apply", "-f", "-", *words], input=json.dumps(document), text=True, capture_output=True,
                                  check=False, timeout=400, env={**ENVIRONMENT, "REEVE_URL": f"unix:{manager.socket}"})
        assert apply("--yes", image="one").returncode == 0
        for bake in ("3s", "9s", "27s"):  # so long that it is seen
            changed = apply("--allow", "replace=2", image=f"baked {bake}", bake=bake)
            assert changed.returncode == 0 and "state=done ready=2" in changed.stderr, changed.stderr
            if "held: hold/shop/web:bake" in changed.stderr:
                break
        assert "held: hold/shop/web:bake" in changed.stderr, changed.stderr


def test_the_rollout_of_no_group_is_not_found(cli):
    assert cli("apply", "-f", "-", "--yes", document=shop(1)).returncode == 0
    assert cli("rollout", "status", "shop/web").returncode == 0
    assert cli("rollout", "status", "shop/nope").returncode == 4


def test_events_name_their_machine_and_why(cli):
    assert cli("apply", "-f", "-", "--yes", document=shop(2)).returncode == 0
    lines = cli("events", "cluster", "shop", "--type", "machine.wanted").stdout.splitlines()
    assert [line.split()[3] for line in lines[1:]] == ["node/shop/web-0", "node/shop/web-1"]
    assert all("free_slot: size is 2" in line for line in lines[1:])


def test_events_of_a_machine_and_of_a_group_are_asked_for_as_the_table_names_them(cli):
    document = shop(2)
    document["groups"]["db"] = {"size": 1, "resourcePlugin": {"name": "sim"}}
    assert cli("apply", "-f", "-", "--yes", document=document).returncode == 0

    def about(*words):
        """What the events are about, one time each."""
        shown = cli("events", *words, "-o", "cols=OBJECT")
        assert shown.returncode == 0, shown.stderr
        return set(shown.stdout.split()) - {"OBJECT"}
    assert about("cluster/shop") == {"cluster/shop", "node/shop/web-0", "node/shop/web-1", "node/shop/db-0"}
    assert about("node/shop/web-1") == about("node", "shop/web-1") == {"node/shop/web-1"}
    assert about("shop") == about("cluster/shop") and about("shop/web-1") == about("node/shop/web-1")
    assert about("nodegroup/shop/web") == about("shop/web") == {"node/shop/web-0", "node/shop/web-1"}
    assert about("node/shop/web-1", "--type", "machine.nothing") == set()
    for words, code, said in ((("node/shop/web-9",), 4, "R0403"), (("nodegroup/shop/nope",), 4, "R0403"), (("nodegroup/shop/we",), 4, "R0403"),
                              (("node/nope/web-1",), 4, "R0403"), (("node/web-1",), 2, "does not name the cluster"), (("nodes",), 2, "one machine"),
                              (("node/shop/web-1", "more"), 2, "one machine"), (("shop/nope",), 4, "R0403")):
        refused = cli("events", *words)
        assert (refused.returncode, said in refused.stderr, refused.stdout) == (code, True, ""), refused
    assert cli("delete", "cluster", "shop", "--allow", "destroy=4").returncode == 0


def test_edit_without_a_terminal_and_without_an_editor_starts_none(cli):
    assert cli("apply", "-f", "-", "--yes", document=shop(1)).returncode == 0
    run = cli("edit", "cluster", "shop")
    assert run.returncode == 11 and "R0024" in run.stderr and "reeve get cluster NAME -o yaml --bare" in run.stderr


def test_status_names_a_hold_as_every_verb_takes_it(cli):
    assert cli("apply", "-f", "-", "--yes", document=shop(1, plugin="nowhere")).returncode == 1
    shown = cli("status").stdout
    assert "! hold/shop:unlisted" in shown
    pasted = next(line.split()[1:] for line in shown.splitlines() if " why hold/" in line)
    assert cli(*pasted).returncode == 0


def test_the_deletion_of_a_cluster_counts_its_machines(cli):
    assert cli("apply", "-f", "-", "--yes", document=shop(2)).returncode == 0
    run = cli("delete", "cluster", "shop", "--yes")
    assert run.returncode == 11 and "--allow destroy=2;" in run.stderr
    run = cli("delete", "cluster", "shop", "--allow", "destroy=100")
    assert run.returncode == 0 and "destroy 2," in run.stdout and "permits more than the change needs: destroy=2\n" in run.stderr, run


def test_a_cluster_without_a_machine_asks_for_no_destruction(cli):
    assert cli("apply", "-f", "-", "--yes", document=shop(2, plugin="nowhere")).returncode == 1
    run = cli("delete", "cluster", "shop", "--yes")
    assert run.returncode == 0, run
    assert "unfilled web-[0-1]" in run.stdout and "destroy 0" in run.stdout, run.stdout


def test_a_change_of_one_group_is_done_whatever_others_wait_for(cli):
    document = shop(1)
    document["groups"]["bad"] = {**document["groups"]["web"], "resourcePlugin": {"name": "nowhere"}}
    assert cli("apply", "-f", "-", "--yes", document=document).returncode == 9
    run = cli("scale", "shop/web", "2", "--yes")
    assert run.returncode == 0 and "waits for other groups: reeve get holds" in run.stderr, run
    run = cli("scale", "shop/bad", "2", "--yes")
    assert run.returncode == 9 and "reeve get holds shows the reason" in run.stderr, run


def test_records_are_got_by_name(cli):
    applied = cli("apply", "-f", "-", "--yes", document=shop(1, plugin="nowhere"))
    number = str(number_of(applied))
    assert json.loads(cli("get", "job", number, "-o", "json").stdout)["metadata"]["name"] == number
    assert cli("get", f"job/{number}", "-o", "name").stdout == f"job/{number}\n"
    for word in ("shop", "shop:unlisted", "hold/shop:unlisted"):
        assert cli("get", "holds", word, "-o", "name").stdout == "hold/shop/unlisted\n", word
    assert cli("get", "holds", "shop/web", "-o", "json").stdout == "[]\n"  # it holds the cluster
    for kind, word in (("job", "99"), ("holds", "nope"), ("resource", "web-0")):
        run = cli("get", kind, word)
        assert run.returncode == 4 and f"reeve get {kind.rstrip('s')}s lists those" in run.stderr, run
    cli("delete", "cluster", "shop", "--yes")
    cli("apply", "-f", "-", "--yes", document=shop(2))
    for word in ("web-1", "shop/web-1"):
        assert cli("get", "resource", word, "-o", "name").stdout == "resource/shop/web-1\n"


def test_a_manager_that_hangs_is_reported_within_seconds(cli, keeping):
    keeping.process.send_signal(signal.SIGSTOP)
    try:
        run = cli("status")
    finally:
        keeping.process.send_signal(signal.SIGCONT)
    assert run.returncode == 8 and "did not answer in time" in run.stderr, run


def test_explain_names_the_exit_code_of_a_refusal(cli):
    assert "(exit 11)" in cli("explain", "R0024").stdout
    assert cli("apply", "-f", "-", document=shop(1)).returncode == 11


def test_only_what_failed_goes_on_is_said_of_retry_alone(cli):
    """That it is so is shown by tests/plugins/test_bootstrap.py."""
    for word in ("watch", "pause", "cancel", "resume"):
        refused = cli("job", word, "912", "--failed")
        assert refused.returncode == 2 and f"--failed applies only to retry, not to {word}" in refused.stderr
    assert cli("job", "retry", "--failed", "912").returncode == 4


def test_of_a_job_that_no_pass_could_make_yet_something_else_is_said(tmp_path):
    """A plugin that does not say who it is keeps the controller from beginning: the change has no job, and will have one."""
    (tmp_path / "data/installed").mkdir(parents=True)
    (tmp_path / "slow.c").write_text("#include <unistd.h>\n__attribute__((constructor)) static void wait(void) { (void)sleep(60); }\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(tmp_path / "data/installed/slow.so"), str(tmp_path / "slow.c")], check=True)
    with Manager(tmp_path, "--haste", "100", control=True).start() as manager:
        change = manager.ask("POST", "/v1/apply", {"documents": [shop(1)]})
        assert change.status == 200, change.text
        for number, code in ((change.json["job"], "R0803"), (change.json["job"] + 1, "R0403")):
            answer = manager.get(f"/v1/jobs/{number}")
            assert answer.status == 404 and answer.json["errors"][0]["code"] == code, answer.text
        until(lambda: manager.get(f"/v1/jobs/{change.json['job']}").status == 200)


class Anew(http.server.BaseHTTPRequestHandler):
    """A manager that begins anew between what its stream tells and the look that follows."""
    protocol_version = "HTTP/1.1"
    looks = []

    def answer(self, code, kind, body):
        """All of an answer."""
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):  # pylint: disable=invalid-name
        """Looks: it runs, twice nobody can say, it is done."""
        if self.path.startswith("/v1/watch"):
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write(b'event: hello\ndata: {}\n\nevent: put\nid: 8\ndata: {"kind":"Job","metadata":{"name":"5"}}\n\n')
            self.rfile.read()  # until who asked has gone
            return
        state = ["running", None, None, "done"][len(self.looks)]
        self.looks.append(state)
        if state is None:
            self.answer(503, "application/problem+json", json.dumps({"status": 503, "title": "not ready yet", "code": "R0428"}).encode())
            return
        job = {"kind": "Job", "metadata": {"cluster": "shop", "name": "5", "revision": 7},
               "status": {"state": state, "begun": "2026-01-01T00:00:00Z", "by": "ann", "groups": [], "revision": 5,
                          "machines": {"wanted": 1, "ready": int(state == "done")},
                          **({"ended": "2026-01-01T00:00:01Z"} if state == "done" else {})}}
        self.answer(200, "application/json", json.dumps({"items": [job], "revision": 9}).encode())

    def address_string(self):
        return "unix"

    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        """Nothing."""


def test_a_job_is_followed_by_a_manager_that_begins_anew(tmp_path):
    with socketserver.ThreadingUnixStreamServer(str(tmp_path / "s"), Anew) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        run = subprocess.run([str(REEVE), "job", "watch", "5"], capture_output=True, text=True, check=False, timeout=240,
                             env={**ENVIRONMENT, "REEVE_URL": f"unix:{tmp_path}/s", "HOME": str(tmp_path)})
        server.shutdown()
    assert run.returncode == 0 and Anew.looks == ["running", None, None, "done"], (run, Anew.looks)
