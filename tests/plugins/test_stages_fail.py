"""Stages that fail, as people meet them: exit code, words, logs, trying again (E19, E20, X4; decisions 0060, 0066 and 0069)."""

import contextlib
import json
import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from conftest import ENVIRONMENT, REEVE  # noqa: E402
from manager import until  # noqa: E402
from test_bootstrap import BASE, world  # noqa: E402, F401  (a fixture is found by its name)

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")

SIZE = int(os.environ.get("REEVE_NODES", "5"))
BAD = f"web-{SIZE - 1}"  # the one that goes when the group shrinks
LINES = 3000  # more than one answer of the manager has
# It fails on one node, where the line that tells of it stands in the middle of much else.
FRAGILE = f"""echo "fragile $*" >>/srv/starts
[ "$(hostname)" = {BAD} ] || exit 0
[ ! -e /srv/licence ] || exit 0
seq {LINES // 2}
echo 'error: no licence on this node' >&2
seq {LINES // 2}
echo 'giving up'
exit 7
"""
LAST = 'echo "last $*" >>/srv/starts\n'
SAID = [*map(str, range(1, LINES // 2 + 1)), "error: no licence on this node", *map(str, range(1, LINES // 2 + 1)), "giving up"]


def run(world, *words, seconds=240):
    """A command, whatever it ends with."""
    return subprocess.run([*world.room.within, f"--wd={world.folder}", str(REEVE), *words], text=True, capture_output=True,
                          check=False, stdin=subprocess.DEVNULL, timeout=seconds,
                          env={**ENVIRONMENT, "REEVE_URL": f"unix:{world.manager.socket}", "HOME": str(world.folder)})


def write(world, size, *stages):
    """A file with one group; stages: bundles, or maps with more of them."""
    bootstrap = [one if isinstance(one, dict) else {"tar": one} for one in stages]
    group = {"size": size, "image": "host", "resourcePlugin": {"name": "local"}, "bootstrap": bootstrap}
    (world.folder / "shop.yaml").write_text(json.dumps({"name": "shop", "version": "1", "groups": {"web": group}}))


def newest_job(world):
    """Its status."""
    jobs = [one["status"] for one in world.manager.get("/v1/jobs?cluster=shop").json["items"]]
    return max(jobs, key=lambda one: one["revision"])


def all_starts(world):
    """Which bundles began, on every node."""
    return {name: world.starts(name) for name in world.by_name()}


@pytest.mark.parametrize("on_failure", ["stop", "continue"])
def test_one_of_many_fails(world, on_failure):
    """Exit 9 with its first error on the screen; all others are done; trying again is about that one alone."""
    goes_on = on_failure == "continue"
    world.bundle("base", BASE), world.bundle("fragile", FRAGILE), world.bundle("last", LAST)
    stages = "base", {"tar": "fragile", "onFailure": on_failure}, "last"
    write(world, SIZE, *stages)
    done = run(world, "apply", "--yes", "-f", "shop.yaml", seconds=400)
    assert done.returncode == 9, (done.stdout, done.stderr, world.why())

    # what is on the screen: a line when it happened, and the end
    number = newest_job(world)["revision"]
    words = "stage-1 fragile: error: no licence on this node (exit 7)"
    assert f"node={BAD} event=failed stage=1 name=fragile exit=7 attempt=1 error=\"error: no licence on this node\"" in done.stderr
    assert done.stderr.count("event=failed") == 1
    assert f"error[R0810]: 1 of {SIZE} nodes failed" in done.stderr
    assert f"shop/{BAD}: {words}" in done.stderr
    assert f"reeve logs shop/{BAD} --stage 1; then reeve job retry {number} --failed" in done.stderr

    # and where else one looks
    job = newest_job(world)
    assert (job["state"], job["machines"]["ready"], job["machines"]["failed"], job["machines"]["creating"]) == (
        "waiting", SIZE - (not goes_on), 1, 0)
    assert [(one["name"], one["text"], one["tries"]) for one in job["problems"]] == [
        (BAD, "stage-1 fragile: error: no licence on this node", 1)]
    assert "ended" not in job and job["failedNodes"] == BAD
    assert world.reeve("get", "nodes", "-o", "name", "--failed-of", str(number)).split() == [f"node/shop/{BAD}"]
    assert world.reeve("get", "nodes", "-o", "name", "--revision", "!current").split() == ([] if goes_on else [f"node/shop/{BAD}"])
    told = {one["type"]: one.get("fact") for one in world.events() if one.get("node") == BAD}
    ended = "node.bootstrapped" if goes_on else "node.failed"
    assert told[ended] == "stage-1 fragile: stage failed: error: no licence on this node"
    assert told["node.stage_failed"] == "stage-1 fragile, stage failed, exit code 7: error: no licence on this node"
    assert ("node.failed" in told) != goes_on
    tree = " ".join(run(world, "tree", "shop", "--unfold").stdout.split())
    assert (f"step: bootstrapped, but {words}" if goes_on else f"failed: {words}") in tree
    folded = run(world, "tree", "shop").stdout
    assert words in " ".join(folded.split())
    assert folded.count("web-") == 2, folded  # in the group's line, and this one: the others are as they should be
    shown = " ".join(run(world, "describe", "node", f"shop/{BAD}").stdout.split())
    assert (f"step bootstrapped, but {words}" if goes_on else f"failed {words}") in shown

    # the stage behind it was begun on the others, and here where the file says so
    starts = ["base ", "fragile ", "last "]
    wanted = dict.fromkeys((f"web-{i}" for i in range(SIZE)), starts)
    wanted[BAD] = starts if goes_on else starts[:2]
    world.look_again()
    assert all_starts(world) == wanted
    state = newest_job(world)["state"]
    assert state == "waiting", state  # also after the manager began anew

    # again: that one, and what failed there
    world.on(BAD, "sudo", "-n", "touch", "/srv/licence")
    world.reeve("job", "retry", str(number), "--failed", "--yes")
    until(lambda: "ended" in newest_job(world), world.why, 90)
    assert (newest_job(world)["state"], newest_job(world)["revision"]) == ("done", number)
    wanted[BAD] = [*starts, "fragile "] if goes_on else ["base ", "fragile ", "fragile ", "last "]
    assert all_starts(world) == wanted
    world.look_again()
    assert all_starts(world) == wanted

    # all that it wrote is there, also when it is gone
    logs = "logs", f"shop/{BAD}", "--stage", "1", "--attempt", "1"
    assert run(world, *logs).stdout.splitlines() == SAID
    write(world, SIZE - 1, *stages)
    world.reeve("apply", "--yes", "--allow", "destroy=1", "-f", "shop.yaml")
    until(lambda: BAD not in world.by_name() and world.ready(SIZE - 1), world.why, 60)
    until(lambda: not [one for one in world.manager.get("/v1/resources?cluster=shop").json["items"]
                       if one["metadata"]["name"] == BAD], world.why, 60)
    gone = run(world, *logs)
    assert (gone.returncode, gone.stdout.splitlines()) == (0, SAID)
    assert f"shop/{BAD} no longer exists" in gone.stderr


def test_a_changed_bundle_runs_again_from_its_stage_on(world):
    """Nothing runs for an apply that changes nothing; what was changed runs, and what is behind it."""
    world.bundle("base", BASE), world.bundle("second", 'echo "second $*" >>/srv/starts\n'), world.bundle("last", LAST)
    write(world, 3, "base", "second", "last")
    assert run(world, "apply", "--yes", "-f", "shop.yaml", seconds=400).returncode == 0, world.why()
    names = ["web-0", "web-1", "web-2"]
    machines = {name: one.id for name, one in world.by_name().items()}
    first = ["base ", "second ", "last "]
    for _ in range(2):
        assert run(world, "apply", "--yes", "-f", "shop.yaml").returncode == 0
        world.look_again()
        assert all_starts(world) == dict.fromkeys(names, first)
    world.bundle("second", 'echo "second, new $*" >>/srv/starts\n')
    world.reeve("apply", "--yes", "--detach", "-f", "shop.yaml", code=11)  # none of them is idempotent
    world.reeve("apply", "--yes", "--allow", "rerun=3", "--detach", "-f", "shop.yaml")
    until(lambda: len(world.events("node.bootstrapped")) == 6, world.why)
    world.look_again()
    assert all_starts(world) == dict.fromkeys(names, [*first, "second, new ", "last "])
    assert {name: one.id for name, one in world.by_name().items()} == machines


QUIET = 'echo "quiet $*" >>/srv/starts\n[ -e /srv/licence ] || exit 3\n'
LOUD = 'echo "loud $*" >>/srv/starts\necho "error: it is too early"\nuntil [ -e /srv/go ]; do sleep 0.1; done\necho "giving up"\nexit 4\n'


def failed_at(world, node, kind="node.failed"):
    """What was told of it."""
    return [one.get("fact") for one in world.events(kind) if one["node"] == node]


def test_a_stage_that_fails_without_a_word(world):
    """Its exit code stands where its words would; and it is asked about before it runs again, by everybody."""
    world.bundle("base", BASE), world.bundle("quiet", QUIET), world.bundle("last", LAST)
    write(world, 1, {"tar": "base", "idempotent": True}, "quiet", "last")
    done = run(world, "apply", "--yes", "-f", "shop.yaml", seconds=400)
    assert done.returncode == 1, (done.stdout, done.stderr)  # all that there is has failed
    silence = "stage-1 quiet: exit 3, without any output"
    assert f"shop/web-0: {silence}" in done.stderr
    assert failed_at(world, "web-0") == ["stage-1 quiet: stage failed: exit code 3, without any output"]
    for words in (), ("--stage", "quiet"), ("--stage", "1", "--attempt", "1"), ("--tail", "5"):
        logs = run(world, "logs", "shop/web-0", *words)
        assert (logs.returncode, logs.stdout, logs.stderr.strip()) == (0, "", silence), logs
    empty = run(world, "logs", "shop/web-0", "--stage", "0")
    assert "without output" not in empty.stderr and "there is no output yet" in empty.stderr

    # a word that has it run twice names it, and waits for a yes
    number = str(newest_job(world)["revision"])
    question = "stage-1 quiet is not idempotent, and runs again on shop/web-0\n"
    for words in ("job", "retry", number, "--failed"), ("bootstrap", "run", "shop/web-0"), ("bootstrap", "run", "shop/web-0", "--rerun"):
        asked = run(world, *words)
        assert asked.returncode == 11 and question in asked.stderr and "R0024" in asked.stderr, asked
        assert "base" not in asked.stderr and "last" not in asked.stderr  # one may run twice, the other never ran
    for path, body in (("/v1/clusters/shop/say", {"command": "retry"}), ("/v1/nodegroups/shop/web/say", {"command": "retry"}),
                       ("/v1/clusters/shop/say", {"command": "bootstrap", "node": "web-0"}),
                       ("/v1/clusters/shop/say", {"command": "bootstrap", "node": "web-0", "from": "1"})):
        answer = world.manager.ask("POST", path, body)
        assert (answer.status, answer.code) == (409, "R0811"), answer.text
        assert "stage-1 quiet" in answer.text and "web-0" in answer.text
    world.look_again()
    assert world.starts("web-0") == ["base ", "quiet "]
    assert world.manager.ask("POST", "/v1/clusters/shop/say", {"command": "bootstrap", "node": "web-0", "from": "2"}).status == 200
    until(lambda: len(failed_at(world, "web-0")) == 2, world.why)  # stage-2 alone was wished, and stage-1 stands before it
    assert world.starts("web-0") == ["base ", "quiet "]
    world.on("web-0", "sudo", "-n", "touch", "/srv/licence")
    assert world.manager.ask("POST", "/v1/nodegroups/shop/web/say", {"command": "retry", "again": True}).status == 200
    world.wait_ready(1)
    assert world.starts("web-0") == ["base ", "quiet ", "quiet ", "last "]
    assert run(world, "bootstrap", "run", "shop/web-0", "--from-stage", "2").returncode == 11
    world.reeve("bootstrap", "run", "shop/web-0", "--from-stage", "2", "--yes", "--detach")
    until(lambda: world.starts("web-0")[4:] == ["last "], world.why)


def test_a_word_to_try_again_is_one_run_of_each(world):
    """Of nodes that fail again at once, however often it is said; and no other word is one (0066)."""
    names = ["web-0", "web-1", "web-2"]

    def runs(count):
        """So many of each, as its node counted and as people were told, and none more while one would begin."""
        ends = time.monotonic() + 3
        while time.monotonic() < ends:
            world.look_again()
            assert all_starts(world) == dict.fromkeys(names, ["quiet "] * count)
            assert [len(failed_at(world, name)) for name in names] == [count] * len(names)

    world.bundle("quiet", QUIET)
    write(world, 3, "quiet")
    told = run(world, "apply", "--yes", "-f", "shop.yaml", seconds=400)
    assert told.returncode == 1, world.why()
    assert told.stderr.count("event=failed") == 3 and told.stderr.count("  ! web-") == 2, told.stderr  # the first stands in the message
    number = str(newest_job(world)["revision"])
    runs(1)
    for count in range(2, 5):
        world.reeve("job", "retry", number, "--failed", "--yes")
        until(lambda count=count: all(len(failed_at(world, name)) >= count for name in names), world.why)
        runs(count)
    world.reeve("pause", "shop")
    world.reeve("resume", "shop")
    runs(4)


def test_the_first_error_is_known_after_a_kill(world):
    """It came to a manager that was killed before the stage ended."""
    world.bundle("loud", LOUD)
    write(world, 1, "loud")
    world.reeve("apply", "--yes", "--detach", "-f", "shop.yaml")
    until(lambda: "too early" in run(world, "logs", "shop/web-0").stdout, world.why)
    world.manager.kill()
    world.manager.start()
    until(lambda: world.by_name()["web-0"].init, world.why)
    pathlib.Path(f"/proc/{world.by_name()['web-0'].init}/root/srv/go").touch()
    until(lambda: failed_at(world, "web-0"), world.why)
    assert failed_at(world, "web-0") == ["stage-0 loud: stage failed: error: it is too early"]
    assert run(world, "logs", "shop/web-0").stdout == "stage-0  error: it is too early\nstage-0  giving up\n"
    assert world.starts("web-0") == ["loud "]


def test_a_bundle_is_tried_on_one_node(world):
    """As root, in its own folder, with its words as they come; nothing that the node knows of its stages changes."""
    world.bundle("base", BASE)
    write(world, 2, "base")
    assert run(world, "apply", "--yes", "-f", "shop.yaml", seconds=400).returncode == 0, world.why()
    world.bundle("probe", 'cat words\necho "$(id -un) in $PWD with $# $2, $(cat | wc -c) bytes" >&2\ntouch /srv/tried\nexit "$1"\n')
    (world.folder / "probe/words").write_text("it has its files\n")
    marks = "sudo", "-n", "sh", "-c", "'find / -xdev -name stage-complete -exec cat {} + ; ls /var/tmp'"
    before = world.on("web-1", *marks)
    good = run(world, "bootstrap", "try", "probe", "--node", "shop/web-1", "--", "0", "two words")
    assert good.returncode == 0 and "the bundle succeeded on shop/web-1" in good.stderr, good
    first, second = good.stdout.splitlines()
    assert first == "it has its files"
    assert second.startswith("root in /var/tmp/reeve-try.") and second.endswith("with 2 two words, 0 bytes")
    bad = run(world, "bootstrap", "try", "probe", "--node", "shop/web-1", "--", "7")
    assert bad.returncode == 1 and "error[R0812]: the bundle failed on shop/web-1: exit code 7" in bad.stderr, bad
    assert "tried" in world.on("web-1", "ls", "/srv") and "tried" not in world.on("web-0", "ls", "/srv")
    assert world.on("web-1", *marks) == before
    world.look_again()
    assert world.starts("web-0") == world.starts("web-1") == ["base "]
    assert run(world, "bootstrap", "try", "probe", "--node", "shop/web-7").returncode == 4
    assert run(world, "bootstrap", "try", "probe").returncode == 2
    assert run(world, "bootstrap", "try", "shop.yaml", "--node", "shop/web-1").returncode == 3
    # who goes away ends it
    world.bundle("endless", "echo $$ >/srv/endless\nsleep 100000\n")
    words = [*world.room.within, f"--wd={world.folder}", str(REEVE), "bootstrap", "try", "endless", "--node", "shop/web-1"]
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler), env={**ENVIRONMENT, "REEVE_URL": f"unix:{world.manager.socket}", "HOME": str(world.folder)})
    until(lambda: world.peek(world.by_name()["web-1"], "srv/endless").strip(), world.why)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(60) == 130
    alive = "sudo", "-n", "sh", "-c", "'kill -0 $(cat /srv/endless) 2>/dev/null && echo yes; ls /var/tmp'"
    until(lambda: world.on("web-1", *alive, "||", "true") == "", lambda: world.on("web-1", *alive, "||", "true") + world.on("web-1", "ps", "axf"))


def test_medians_stand_beside_what_runs(world):
    """In the live picture of apply, and in tree: how long the stage took on others of the group."""
    slow = 'echo "slow $*" >>/srv/starts\n[ "$(hostname)" != web-2 ] || until [ -e /srv/go ]; do sleep 0.1; done\nsleep 2\n'
    world.bundle("slow", slow)
    write(world, 2, "slow")
    assert run(world, "apply", "--yes", "-f", "shop.yaml", seconds=400).returncode == 0, world.why()
    took = [one["status"]["node"]["took"] for one in world.manager.get("/v1/resources?cluster=shop").json["items"]]
    assert [[(one["number"], one["attempt"]) for one in each] for each in took] == [[(0, 1)]] * 2
    assert all(each[0]["ms"] >= 2000 for each in took)
    median = sorted(each[0]["ms"] for each in took)[1]
    words = f"(median {(median + 500) // 1000} s)"
    write(world, 3, "slow")
    leader, follower = pty.openpty()
    shown = subprocess.Popen([*world.room.within, f"--wd={world.folder}", str(REEVE), "apply", "--yes", "-f", "shop.yaml"], stdin=subprocess.DEVNULL,
                             stdout=follower, stderr=follower, env={**ENVIRONMENT, "TERM": "xterm", "REEVE_URL": f"unix:{world.manager.socket}",
                                                                    "HOME": str(world.folder)})
    os.close(follower)
    seen = bytearray()

    def sees(what):
        """Is it on the screen by now?"""
        if select.select([leader], [], [], 0.2)[0]:
            with contextlib.suppress(OSError):
                seen.extend(os.read(leader, 65536))
        return what in " ".join(seen.decode(errors="replace").split())

    until(lambda: sees(words), lambda: seen.decode(errors="replace"), 60)
    assert "1 node stage-0 slow" in " ".join(seen.decode(errors="replace").split())
    assert words in run(world, "tree", "shop", "--unfold").stdout
    pathlib.Path(f"/proc/{world.by_name()['web-2'].init}/root/srv/go").touch()
    until(lambda: sees("nothing that is ever written") or shown.poll() is not None, world.why, 60)
    os.close(leader)
    assert shown.returncode == 0
    world.look_again()
    again = {one["metadata"]["name"]: one["status"]["node"]["took"] for one in world.manager.get("/v1/resources?cluster=shop").json["items"]}
    assert again["web-0"] in took and again["web-1"] in took and again["web-2"][0]["ms"] >= 2000


def test_facts_name_the_owner(world):
    """The seed's word: of the group, and anew on all nodes when the file says another one; no stage runs for it."""
    def owners(node):
        """As they stand on a node, of all."""
        return {name: one["owner"] for name, one in json.loads(world.on(node, "cat", "/etc/cluster_facts.json")).items()}

    def apply(owner):
        group = {"size": 2, "image": "host", "owner": owner, "resourcePlugin": {"name": "local"}, "bootstrap": [{"tar": "base"}]}
        (world.folder / "shop.yaml").write_text(json.dumps({"name": "shop", "version": "1", "groups": {"web": group}}))
        assert run(world, "apply", "--yes", "-f", "shop.yaml", seconds=400).returncode == 0, world.why()

    world.bundle("base", BASE)
    apply("data-team")
    assert owners("web-0") == {"web-0": "data-team", "web-1": "data-team"} == owners("web-1")
    assert json.loads(run(world, "describe", "shop/web-1", "--facts").stdout)["owner"] == "data-team"
    apply('the "other" team')
    both = {"web-0": 'the "other" team', "web-1": 'the "other" team'}
    until(lambda: owners("web-0") == both == owners("web-1"), world.why, 60)
    assert all_starts(world) == {"web-0": ["base "], "web-1": ["base "]}


def test_a_stage_that_takes_too_long_says_how_long_it_was_given(world):
    world.bundle("slow", "echo 'waiting for the mirror'\nsleep 300\n")
    write(world, 1, {"tar": "slow", "timeout": "2s"})
    done = run(world, "apply", "--yes", "-f", "shop.yaml", seconds=600)
    assert done.returncode == 1, done
    words = "stage-0 slow: timed out after 2 s: waiting for the mirror"
    assert f"shop/web-0: {words}" in done.stderr and "exit 1" not in done.stderr.split("error[R0810]")[1], done.stderr
    assert words in " ".join(run(world, "tree", "shop").stdout.split())
    assert "timed out after 2 s" in " ".join(run(world, "why", "shop/web-0").stdout.split())
