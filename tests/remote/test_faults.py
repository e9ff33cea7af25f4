"""Whatever is cut, killed or full: a run ends in done or in a named state, and no stage that is not idempotent runs twice.

FAULT_CUTS=200 is the long run.

Requirements: E2.
"""
import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import threading
import time

import pytest
from conftest import COUNT, STATE, bundle, needs_root, wait

pytestmark = needs_root

CUTS = int(os.environ.get("FAULT_CUTS", "8"))
LINES = 800


@pytest.fixture(name="stages")
def make_stages(tmp_path):
    """Two that may not run twice: a bundle of some size, and one with much output."""
    big = bundle(tmp_path / "big.tar", COUNT + "echo begun; sleep 0.1; sha256sum <data >sum; echo over\n",
                 {"data": random.Random(1).randbytes(300000)})
    loud = bundle(tmp_path / "loud.tar", COUNT + f"i=0; while [ $i -lt {LINES} ]; do i=$((i + 1)); "
                  "echo \"line $i of many, so that something is to be cut\"; done; sleep 0.1; echo over\n")
    return [{"tar": big}, {"tar": loud}]


@pytest.fixture(name="bad")
def make_bad(tmp_path):
    """One that fails, and may not run twice; it counts its attempts."""
    return {"tar": bundle(tmp_path / "bad.tar", COUNT + "echo $REEVE_ATTEMPT >>/root/attempts; exit 3\n")}


def forget(node):
    """The node as it was before its first stage."""
    shutil.rmtree(node.path(STATE), ignore_errors=True)
    (node.folder / "root/starts").unlink(missing_ok=True)


def assert_whole(one, node):
    """It is done, each stage was started once, all output was told once and in order."""
    assert one.wait() == "done", one.lines()
    assert node.read("root/starts").split() == ["0", "1"], one.lines()
    assert one.output(0) == ["begun", "over"], one.lines()
    lines = [f"line {i + 1} of many, so that something is to be cut" for i in range(LINES)]
    assert one.output(1) == lines + ["over"]
    assert not list(node.path(STATE).glob("*.new")), "half a tree"
    assert not list(node.path(STATE).glob("bundles/*.part"))


def test_a_connection_cut_at_random_bytes(node, run, stages, proxy):
    """At every byte of a run, several times in one."""
    chance = random.Random(int(os.environ.get("FAULT_SEED", "8")))
    way = proxy(node.port)
    first = run(node, stages, port=way.port)
    assert_whole(first, node)
    total = way.passed
    assert total > 350000
    retried = 0
    for _ in range(CUTS):
        forget(node)
        way.cuts = [chance.randrange(total) for _ in range(2)]
        one = run(node, stages, port=way.port)
        assert_whole(one, node)
        retried += sum(line.startswith("retry") for line in one.lines())
    assert retried >= CUTS / 2


def test_a_stage_that_fails_is_started_once(node, run, tmp_path, proxy):
    """Though nobody hears of its start, or of its end, and though it is over when it is asked for again."""
    stage = {"tar": bundle(tmp_path / "bad.tar", COUNT + "echo no; exit 3\n")}
    way = proxy(node.port)
    sizes, retried = [], 0
    for _ in range(3):  # one that was slow has asked once more, or logged in again
        forget(node)
        before = way.passed
        assert run(node, [stage], port=way.port).wait() == "failed"
        sizes.append(way.passed - before)
    total = min(sizes)
    for number in range(max(CUTS // 2, 10)):
        forget(node)
        way.cuts = [total - 50 - number * 900 // max(CUTS // 2, 10)]  # its start was heard, its answer is cut
        one = run(node, [stage], port=way.port)
        assert one.wait() == "failed", one.lines()
        assert node.read("root/starts").split() == ["0"], one.lines()
        assert one.output(0) == ["no"], one.lines()
        retried += sum(line.startswith(("retry bundle", "retry stage")) for line in one.lines())
    assert retried >= 3


def test_a_bundle_goes_on_where_it_was_cut(node, run, tmp_path, proxy):
    """Pieces that have arrived are not sent again."""
    size = 12000000
    stage = {"tar": bundle(tmp_path / "big.tar", COUNT, {"data": random.Random(1).randbytes(size)})}
    way = proxy(node.port)
    way.cuts = [10000000]
    one = run(node, [stage], port=way.port)
    assert one.wait() == "done", one.lines()
    assert "retry bundle" in "\n".join(one.lines())
    assert way.passed < size + 4000000  # the piece that was cut, and what goes around it


def test_sessions_killed_on_the_node(node, run, stages):
    """sshd of each session, at random times."""
    chance = random.Random(3)
    for _ in range(max(CUTS // 6, 3)):
        forget(node)
        one = run(node, stages, patience=60000)
        while one.process.poll() is None:
            time.sleep(chance.random() * 0.3)
            node.cut_sessions()
            if chance.random() < 0.4:
                break
        assert_whole(one, node)


def test_a_manager_that_dies(node, run, stages):
    """The next one goes on where it was: the run of the stage, and its output, which is told from the byte that was seen."""
    chance = random.Random(5)
    for _ in range(max(CUTS // 6, 3)):
        forget(node)
        seen, lines, ends = {}, {0: [], 1: []}, None
        for life in range(8):
            for number, stage in enumerate(stages):
                if number in seen:
                    stage["seen"] = f"{seen[number][0]}:{seen[number][1]}"
                else:
                    stage.pop("seen", None)
            one = run(node, stages)
            if life < 3:
                time.sleep(0.2 + chance.random() * 0.5)
                one.kill()
            else:
                ends = one.wait()
            for line in one.lines():
                if match := re.fullmatch(r"line (\d) (\d+) (\d+) (.*)", line):
                    lines[int(match[1])].append(match[4])
                    seen[int(match[1])] = (match[2], match[3])
            if ends:
                break
        for stage in stages:
            stage.pop("seen", None)
        assert ends == "done", one.lines()
        assert node.read("root/starts").split() == ["0", "1"]
        assert len(lines[1]) == LINES + 1 and lines[0] == ["begun", "over"], lines[1][-3:]


def test_a_node_that_is_killed(node, run, stages):
    """At random times: done, or interrupted where the stage may not run twice; then one that may is done."""
    chance = random.Random(7)
    ends = []
    for number in range(max(CUTS // 6, 3)):
        idempotent = number % 2
        forget(node)
        one = run(node, [{**stage, "idempotent": idempotent} for stage in stages], patience=60000)
        time.sleep(0.15 + chance.random() * 0.5)
        node.kill()
        node.start()
        ends.append(one.wait())
        starts = node.read("root/starts").split()
        if idempotent:
            assert ends[-1] == "done", one.lines()
            assert starts == sorted(starts) and set(starts) == {"0", "1"}
        else:
            assert ends[-1] in ("done", "interrupted"), one.lines()
            assert starts == ["0", "1"][:len(starts)], starts  # begun, and killed before it counted itself
            assert ends[-1] == "interrupted" or len(starts) == 2, one.lines()


def test_a_stage_whose_node_dies_is_interrupted(node, run, tmp_path):
    """Not started again by itself, however often it is asked for; by a request it is."""
    stage = {"tar": bundle(tmp_path / "a.tar", COUNT + "echo begun; test -e /root/go || sleep 60\n")}
    one = run(node, [stage])
    wait(lambda: one.output(0))
    node.kill()
    node.start()
    assert one.wait() == "interrupted"
    for _ in range(2):
        one = run(node, [stage])
        assert one.wait() == "interrupted"
        assert one.lines()[-1].startswith("end stage interrupted: the stage was interrupted")
    assert node.read("root/starts").split() == ["0"]
    (node.folder / "root/go").touch()
    assert run(node, [stage], request="w", **{"from": "failed"}).wait() == "done"
    assert node.read("root/starts").split() == ["0", "0"]


# In place of a program: the first one that asks for this waits until it is let go. Of a stage: it is known how it stands, and not written yet that
# it is to run again. Of a request: it is known that it is not fulfilled, when it is asked for the second time.
UNTIL = "! mkdir /root/held 2>/dev/null || until test -e /root/go; do sleep 0.05; done"
HELD = {
    "stage": ("sync", f"#!/bin/sh\ncase $* in */stage-0/) {UNTIL} ;; esac\nexec /usr/bin/sync \"$@\"\n"),
    "wish": ("grep", "#!/bin/sh\n/usr/bin/grep \"$@\"\ncode=$?\n"
             f"case $* in */marks/wish) mkdir /root/asked 2>/dev/null || {UNTIL} ;; esac\nexit $code\n"),
}


def begun_amid_a_request(node, run, stage, place, **words):
    """A manager dies amid its request `w`, and its program goes on behind what the next run does; that run, when all is over."""
    assert run(node, [stage]).wait() == "failed"
    node.put_before(*HELD[place])
    one = run(node, [stage], request="w", **{"from": "failed"})
    wait((node.folder / "root/held").exists)
    one.kill()
    next_one = run(node, [{**stage, "args": words.pop("args", [])}], **words)
    with contextlib.suppress(subprocess.TimeoutExpired):
        next_one.process.wait(2)
    (node.folder / "root/go").touch()
    assert next_one.wait() == "failed", next_one.lines()
    return next_one


@pytest.mark.parametrize("place", HELD)
@pytest.mark.parametrize("asked", ["w", "other"])
def test_a_request_whose_manager_is_gone_is_no_second_run(node, run, bad, asked, place):
    """A caller that comes next waits for it, and each request is answered, in whatever order it is made again."""
    one = begun_amid_a_request(node, run, bad, place, request=asked, **{"from": "failed"})
    for name in ("w", asked):
        assert run(node, [bad], request=name, **{"from": "failed"}).wait() == "failed"
        assert node.read("root/attempts").split() == ["1", "2"], one.lines()


def test_the_mark_of_an_attempt_is_not_written_over(node, run, bad):
    """By a request that is late: the file has changed since, and the stage was begun for that."""
    one = begun_amid_a_request(node, run, bad, "stage", args=["new"])
    assert run(node, [{**bad, "args": ["new"]}]).wait() == "failed"
    assert node.read("root/attempts").split() == ["1", "2"], one.lines()


def test_requests_are_fulfilled_once_in_any_order(node, run, bad):
    """Also one that is asked for again when others have been fulfilled since, as a manager does who does not know how it ended."""
    for number in range(4):
        words = {"request": f"w-{number}", "from": "failed"} if number else {}
        assert run(node, [bad], **words).wait() == "failed"
        assert len(node.read("root/starts").split()) == number + 1
    for number in range(1, 4):
        assert run(node, [bad], request=f"w-{number}", **{"from": "failed"}).wait() == "failed"
    assert len(node.read("root/starts").split()) == 4


def test_no_stage_without_who_marks_its_end(node, run, tmp_path):
    """What runs it is killed: the stage ends too, and is interrupted."""
    stage = {"tar": bundle(tmp_path / "a.tar", COUNT + "echo begun; until test -e /root/go; do sleep 0.05; done; echo late >/root/late\n")}
    one = run(node, [stage])
    wait(lambda: one.output(0))
    inside = int(node.read(f"{STATE}/marks/0.pid"))
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                ids = re.search(r"^NSpid:\s*(.*)$", open(f"/proc/{entry}/status").read(), re.M)[1].split()
                if len(ids) == 2 and int(ids[1]) == inside and \
                        os.readlink(f"/proc/{entry}/ns/pid") == os.readlink(f"/proc/{node.init()}/ns/pid"):
                    os.kill(int(entry), signal.SIGKILL)
            except OSError:
                pass
    assert one.wait() == "interrupted", one.lines()
    (node.folder / "root/go").touch()
    time.sleep(1)
    assert node.read("root/late") == ""


ONCE = "mkdir /root/once 2>/dev/null &&"


@pytest.mark.parametrize("command, script", [
    ("setsid", f"#!/bin/sh\n{ONCE} exit 1\nexec /usr/bin/setsid \"$@\"\n"),
    ("mv", f"#!/bin/sh\ncase $* in *.next*.attempt) {ONCE} kill -9 $PPID && exit 1 ;; esac\nexec /usr/bin/mv \"$@\"\n")])
def test_a_stage_that_nobody_ran_has_not_begun(node, run, tmp_path, command, script):
    """Who should run it is gone before he does: also one that may not run twice is begun again, for it never was."""
    bad = {"tar": bundle(tmp_path / "bad.tar", "echo $REEVE_ATTEMPT | tee -a /root/attempts; exit 3\n")}
    node.put_before(command, script)
    one = run(node, [bad])
    assert one.wait() == "failed", one.lines()
    assert (node.folder / "root/once").exists() and node.read("root/attempts").split() == ["1"], one.lines()
    (node.folder / "root/once").rmdir()  # and so where an attempt was before it, whose output stays
    again = run(node, [bad], request="w", **{"from": "failed"})
    assert again.wait() == "failed", again.lines()
    assert (node.folder / "root/once").exists() and node.read("root/attempts").split() == ["1", "2"], again.lines()
    assert node.read(f"{STATE}/stage-0/output.1") == "1\n" and again.output(0)[-1] == "2", again.lines()


def test_a_full_disk_is_named(nodes, run, tmp_path):
    """A bundle that does not fit, and one that fits and not its tree; nothing half is left. With room it is done."""
    small = nodes("small", disk_kib=1024)
    stage = {"tar": bundle(tmp_path / "a.tar", COUNT, {"data": random.Random(1).randbytes(600000)})}
    one = run(small, [stage])
    assert one.wait() == "no space", one.lines()
    assert "KiB are free" in one.lines()[-1]
    assert not list(small.path(f"{STATE}/bundles").glob("*.part"))
    fits = nodes("fits", disk_kib=2048)
    filler = fits.path("var/lib/filler")
    filler.write_bytes(bytes(500 * 1024))
    assert run(fits, [stage]).wait() == "done"


def test_a_stage_that_makes_room(nodes, run, tmp_path):
    """For the bundle of the next one: what was free before it counts no more. So it is of a stage that makes the disk larger."""
    node = nodes("grows", disk_kib=4096)
    node.path("var/lib/fill").write_bytes(bytes(3 << 20))
    facts = tmp_path / "facts.json"
    facts.write_text("{}")
    one = run(node, [{"tar": bundle(tmp_path / "a.tar", COUNT + "rm /var/lib/fill\n")},
                     {"tar": bundle(tmp_path / "b.tar", COUNT, {"data": random.Random(1).randbytes(1000000)})}],
              facts=facts, **{"with": 6})
    assert one.wait() == "done", one.lines()
    assert node.read("root/starts").split() == ["0", "1"]


def test_a_stage_that_fills_the_disk(nodes, run, tmp_path):
    """Its end is marked all the same."""
    node = nodes("full", disk_kib=1024)
    stage = {"tar": bundle(tmp_path / "a.tar", COUNT + "head -c 9000000 /dev/zero >/var/lib/fill; echo much; exit 5\n")}
    one = run(node, [stage])
    assert one.wait() == "failed", one.lines()
    assert "stage 0 1 5 stage failed: " in "\n".join(one.lines())
    assert node.read(f"{STATE}/marks/0.end").split() == ["1", "5", "exit"]


def test_disks_of_many_sizes(nodes, run, tmp_path):
    """Whatever there is room for: done, or no space, and then done when there is room."""
    stage = {"tar": bundle(tmp_path / "a.tar", COUNT + "echo over\n", {"data": random.Random(1).randbytes(100000)})}
    seen = set()
    for kib in (64, 180, 260, 300, 340, 420, 600):
        node = nodes(f"d{kib}", disk_kib=kib)
        end = run(node, [stage]).wait()
        seen.add(end)
        assert end in ("done", "no space"), end
        assert node.read("root/starts").split() == (["0"] if end == "done" else [])
        assert not list(node.path(STATE).glob("bundles/*.part"))
        assert not list(node.path(STATE).glob("*.new"))
        node.kill()
    assert seen == {"done", "no space"}


def test_a_node_that_is_away(node, run, stages):
    """Is waited for as long as patience lasts, and then has a name."""
    node.kill()
    one = run(node, stages, patience=1500)
    assert one.wait() == "unreachable", one.lines()
    thread = threading.Timer(1.0, node.start)
    thread.start()
    assert_whole(run(node, stages, patience=60000), node)
    thread.join()
    shutil.copy(node.folder / "etc/ssh/ssh_host_ed25519_key", node.folder / "kept")
    node.host_key = node.host_key[:-4] + "AAAA"
    assert run(node, stages, patience=60000).wait() in ("host key", "refused")
