"""Stages on one node: order, marks, reruns, and what is told.

Requirements: N7.
"""
import fcntl
import hashlib
import random
import re
import subprocess
import time

import pytest
from conftest import COUNT, ROOT, STATE, USER, bundle, needs_root, wait

pytestmark = needs_root


def two(folder, **options):
    """Two stages that count themselves."""
    one = bundle(folder / "one.tar", COUNT + "echo one $1; id -u; umask; pwd; test ! -t 0 && test ! -t 1 && echo no tty\n")
    other = bundle(folder / "two.tar", COUNT + "echo two $PROFILE $HOME; ls ../stage-0/stage-complete\n")
    return [{"tar": one, "args": ["a b'c"], **options}, {"tar": other, **options}]


def test_two_stages_run_in_order_once(node, run, tmp_path):
    """And an unchanged run runs nothing."""
    (node.folder / "etc/profile.d/x.sh").write_text("export PROFILE=read; cd /\n")
    first = run(node, two(tmp_path))
    assert first.wait() == "done", first.lines()
    assert first.output(0) == ["one a b'c", "0", "0022", f"/{STATE}/stage-0", "no tty"]
    assert first.output(1) == ["two read /root", "../stage-0/stage-complete"]
    assert node.read("root/starts").split() == ["0", "1"]
    assert "one a b'c" in node.read(f"{STATE}/stage-0/output")
    unseen = run(node, two(tmp_path))
    assert unseen.wait() == "done"
    assert unseen.output(0) == first.output(0) and unseen.output(1) == first.output(1)
    again = run(node, two(tmp_path, seen="1:0:whole"))
    assert again.wait() == "done"
    assert node.read("root/starts").split() == ["0", "1"]
    assert [line for line in again.lines() if line.startswith("same")] == ["same stage 0", "same stage 1"]
    assert not again.output(0) and not again.output(1)


def test_a_change_runs_again_from_there(node, run, tmp_path):
    """Another argument, another bundle: that stage and all behind it."""
    stages = two(tmp_path)
    assert run(node, stages).wait() == "done"
    stages[1]["args"] = ["more"]
    assert run(node, stages).wait() == "done"
    assert node.read("root/starts").split() == ["0", "1", "1"]
    stages[0]["args"] = ["other"]
    first = run(node, stages[:1])  # interrupted between both, as a death of the manager would
    assert first.wait() == "done"
    assert run(node, stages).wait() == "done"
    assert node.read("root/starts").split() == ["0", "1", "1", "0", "1"]
    bundle(tmp_path / "two.tar", COUNT + "test ! -e left && touch left\n")
    last = run(node, stages)
    assert last.wait() == "done", last.lines()  # in a fresh folder
    assert node.read("root/starts").split() == ["0", "1", "1", "0", "1", "1"]


def test_a_failure_stops_and_is_reported(node, run, tmp_path):
    """With its first error line; what failed is not tried again by itself, only by a request."""
    stages = two(tmp_path)
    stages.insert(0, {"tar": bundle(tmp_path / "bad.tar", COUNT + "echo fine\necho E: it cannot be\necho bye\n"
                                    "test -e /root/good\n")})
    first = run(node, stages)
    assert first.wait() == "failed"
    assert first.lines()[-1] == "end stage failed: : E: it cannot be"
    assert node.read("root/starts").split() == ["0"]
    again = run(node, stages)
    assert again.wait() == "failed"
    assert again.output(0) == ["fine", "E: it cannot be", "bye"]  # as it was kept
    assert node.read("root/starts").split() == ["0"]
    (node.folder / "root/good").touch()
    for _ in range(2):  # the request is fulfilled once
        assert run(node, stages, request="job-7", **{"from": "failed"}).wait() == "done"
        assert node.read("root/starts").split() == ["0", "0", "1", "2"]


def test_on_failure_continue(node, run, tmp_path):
    """The others run; the end says so."""
    bad = {"tar": bundle(tmp_path / "bad.tar", COUNT + "exit 7\n"), "continue": 1}
    one = run(node, [bad, *two(tmp_path)[:1]])
    assert one.wait() == "continued", one.lines()
    assert "stage 0 1 7 stage failed: " in one.lines()
    assert node.read("root/starts").split() == ["0", "1"]


def test_tries_of_an_idempotent_stage(node, run, tmp_path):
    """So many, and no more; one that is not is tried once, whatever is said."""
    bad = {"tar": bundle(tmp_path / "bad.tar", COUNT + "test $REEVE_ATTEMPT -ge 3\n"), "tries": 3,
           "idempotent": 1}
    one = run(node, [bad])
    assert one.wait() == "done", one.lines()
    assert node.read("root/starts").split() == ["0", "0", "0"]
    bad["args"] = ["again"]
    bad["tar"] = bundle(tmp_path / "bad.tar", COUNT + "exit 3\n")
    assert run(node, [bad]).wait() == "failed"
    assert len(node.read("root/starts").split()) == 6
    bad.update(args=["once"], idempotent=0)
    assert run(node, [bad]).wait() == "failed"
    assert len(node.read("root/starts").split()) == 7


def test_a_timeout_ends_all_of_a_stage(node, run, tmp_path):
    """By the node itself."""
    slow = {"tar": bundle(tmp_path / "slow.tar", COUNT + "echo begun; sleep 121 & sleep 120\n")}
    for seconds in (1, 5, 25):  # so many that it came to say so
        one = run(node, [{**slow, "timeout": seconds, "args": [str(seconds)]}])
        assert one.wait() == "timeout", one.lines()
        if one.output(0):
            break
    assert one.output(0) == ["begun"]


def test_rerun_from_a_stage(node, run, tmp_path):
    """A request for all from there on, fulfilled once."""
    assert run(node, two(tmp_path)).wait() == "done"
    for _ in range(2):
        assert run(node, two(tmp_path), request="r-1", **{"from": 1}).wait() == "done"
        assert node.read("root/starts").split() == ["0", "1", "1"]


def test_a_bundle_comes_with_its_stage(node, run, tmp_path):
    """To become root once more costs a node as much as the rest of a short stage; whoever watches still sees both steps."""
    (node.folder / "etc/sudoers.d/log").write_text("Defaults logfile=/root/sudo.log, loglinelen=0\n")
    one = run(node, two(tmp_path), user=USER)
    assert one.wait() == "done", one.lines()
    assert node.read("root/sudo.log").count("COMMAND=") == 1 + 2 + 1  # a look, two stages, and the baseline
    steps = [line for line in one.lines() if line.startswith("step ")]
    assert [step for step in steps if "bundle" in step or "stage" in step] == [
        "step bundle 0", "step stage 0", "step bundle 1", "step stage 1"], one.lines()


def test_a_silent_stage_is_seen_as_soon_as_it_begins(node, run, tmp_path):
    """Though the program that brought its bundle has not answered yet."""
    one = run(node, [{"tar": bundle(tmp_path / "a.tar", "until test -e /root/go; do sleep 0.05; done\n")}])
    wait(lambda: "step stage 0" in one.lines())
    (node.folder / "root/go").touch()
    assert one.wait() == "done"


@pytest.mark.parametrize("extra", [10, 5 << 20])
def test_what_a_login_shell_says_is_not_of_the_stage(node, run, tmp_path, extra):
    """Nor does it make a bundle whole that comes in several pieces."""
    (node.folder / f"home/{USER}/.bashrc").write_text("echo hello; echo there >&2; printf 'no end'\n")
    tar = bundle(tmp_path / "a.tar", COUNT + "echo one; sleep 0.5; echo two\n", {"data": random.Random(1).randbytes(extra)})
    one = run(node, [{"tar": tar}], user=USER)
    assert one.wait() == "done", one.lines()
    assert one.output(0) == ["one", "two"]
    again = run(node, [{"tar": tar}], user=USER)
    assert again.wait() == "done", again.lines()
    assert node.read("root/starts").split() == ["0"]
    assert again.output(0) == one.output(0)


def test_who_is_not_root_any_more_gets_that_error(node, run, tmp_path):
    """Also where the next thing is a bundle."""
    first = bundle(tmp_path / "a.tar", "rm -f /etc/sudoers.d/*\n")
    other = bundle(tmp_path / "b.tar", "echo never\n")
    one = run(node, [{"tar": first}, {"tar": other}], user=USER)
    assert one.wait() == "no root", one.lines()
    assert "sudo" in one.lines()[-1]


def test_a_bundle_whose_writer_has_no_name_yet(node, run, tmp_path):
    """Somebody has the lock and was cut off before he said who he is: that is waited for."""
    (node.folder / STATE / "bundles").mkdir(parents=True)
    (node.folder / STATE / "marks").mkdir(parents=True)
    with subprocess.Popen(["flock", node.folder / STATE / "bundles/lock", "sleep", "2"]):
        one = run(node, [{"tar": bundle(tmp_path / "a.tar", COUNT)}])
        assert one.wait() == "done", one.lines()


def test_a_user_becomes_root_by_sudo(node, run, tmp_path):
    """And is told where it may not."""
    one = run(node, two(tmp_path), user=USER)
    assert one.wait() == "done", one.lines()
    assert one.output(0)[1] == "0"
    node.allow_sudo(False)
    last = run(node, two(tmp_path), user=USER)
    assert last.wait() == "no root"
    assert last.lines()[-1].startswith("end cannot become root: sudo: ")


def test_output_comes_while_it_runs(node, run, tmp_path):
    """Line by line, and long lines in pieces; what a stage leaves running does not hold it up."""
    stage = {"tar": bundle(tmp_path / "a.tar", "echo first; sleep 300 &\nuntil test -e /root/go; do sleep 0.05; done\n"
                           "head -c 20000 /dev/zero | tr '\\0' x; echo; printf end\n")}
    one = run(node, [stage])
    wait(lambda: one.output(0) == ["first"])
    (node.folder / "root/go").touch()
    assert one.wait() == "done"
    assert [len(line) for line in one.output(0)] == [5, 16384, 3616, 3]


def test_a_large_bundle_comes_in_pieces(node, run, tmp_path):
    """And is continued where it was."""
    data = bytes(range(256)) * 20000
    stage = {"tar": bundle(tmp_path / "big.tar", COUNT + "sha256sum <data\n", {"data": data})}
    one = run(node, [stage])
    assert one.wait() == "done", one.lines()
    assert one.output(0) == [hashlib.sha256(data).hexdigest() + "  -"]
    assert [line for line in one.lines() if line.startswith("step")] == ["step look 0", "step bundle 0", "step stage 0", "step baseline 0"]


def test_no_stage_before_the_barrier(nodes, run, tmp_path):
    """Three nodes at once: each waits with its facts until those of all are there; then each finds them when it begins."""
    facts = tmp_path / "facts.json"
    facts.write_text('{"web-1": {}, "web-2": {}, "db-0": {}}\n')
    stage = {"tar": bundle(tmp_path / "a.tar", COUNT + "cat /etc/cluster_facts.json\n")}
    members = [nodes(name) for name in ("web-1", "web-2", "db-0")]
    runs = [run(node, [stage], facts=facts, hold=tmp_path / "go", **{"with": 7}) for node in members]
    for one in runs:
        wait(lambda one=one: "point facts" in one.lines())
    time.sleep(0.5)
    assert all(node.read("root/starts") == "" and node.read("etc/cluster_facts.json") == "" for node in members)
    (tmp_path / "go").touch()
    for node, one in zip(members, runs):
        assert one.wait() == "done", one.lines()
        assert one.output(0) == [facts.read_text().strip()]
        assert node.read("root/starts").split() == ["0"]


def program(node, name, *words):
    """A program as whoever runs it late does; what it says."""
    folder = ROOT / "src/remote/programs"
    text = "".join((folder / f"{part}.sh").read_text() for part in ("common", "stages", "facts", name))
    return subprocess.run(["nsenter", "--mount", "--pid", "--target", str(node.init()), "sh", "-c", text, "reeve", f"/{STATE}", "",
                           *words], check=True, capture_output=True, text=True, timeout=240).stdout


def left(node):
    """Folders and marks of stages that are there, but for locks."""
    marks = [path.name for path in node.path(f"{STATE}/marks").iterdir() if not path.name.endswith("lock")]
    return sorted([path.name for path in node.path(STATE).glob("stage-*")] + [name for name in marks if name[0].isdigit()])


def three(folder):
    """Stages that count themselves."""
    return [{"tar": bundle(folder / f"{i}.tar", COUNT + f"echo {i}\n")} for i in range(3)]


def test_stages_that_are_no_more_go(node, run, tmp_path):
    """Their folders and marks; the number of an attempt is not used again, and who has them again runs them again."""
    stages = three(tmp_path)
    assert run(node, stages).wait() == "done"
    assert run(node, stages[:2]).wait() == "done"
    assert left(node) == ["0.attempt", "0.end", "0.pid", "1.attempt", "1.end", "1.pid", "2.attempt", "stage-0", "stage-1"]
    one = run(node, stages[:1])
    assert one.wait() == "done"
    assert [line for line in one.lines() if line.startswith("step")][:2] == ["step look 0", "step clean 0"]
    assert "stage-1" not in left(node)
    again = run(node, stages[:1])
    assert again.wait() == "done" and "step clean 0" not in again.lines()
    assert node.read("root/starts").split() == ["0", "1", "2"]
    last = run(node, stages)
    assert last.wait() == "done"
    assert node.read("root/starts").split() == ["0", "1", "2", "1", "2"]
    assert [line.split(":")[0] for line in last.lines() if line.startswith("stage ")][1:] == ["stage 1 2 0 done", "stage 2 2 0 done"]


def is_run(node, stage):
    """Has somebody its lock? Who runs it syncs its end before he gives that up."""
    with node.path(f"{STATE}/marks/{stage}.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_a_stage_that_is_no_more_and_runs_stays_until_it_has_ended(node, run, tmp_path):
    """Nobody takes its folder away from it."""
    slow = {"tar": bundle(tmp_path / "slow.tar", COUNT + "until test -e /root/go; do sleep 0.05; done; pwd >/root/ended\n")}
    stages = [*three(tmp_path)[:1], slow]
    first = run(node, stages)
    wait(lambda: node.read("root/starts").split() == ["0", "1"])
    first.kill()
    assert run(node, stages[:1]).wait() == "done"
    assert {"stage-1", "1.pid"} <= set(left(node))
    (node.folder / "root/go").touch()
    wait(lambda: node.read(f"{STATE}/marks/1.end").startswith("1 0 ") and not is_run(node, 1))
    assert node.read("root/ended") == f"/{STATE}/stage-1\n"
    assert run(node, stages[:1]).wait() == "done"
    assert left(node) == ["0.attempt", "0.end", "0.pid", "1.attempt", "stage-0"]


def test_who_is_late_with_an_older_list_cleans_nothing(node, run, tmp_path):
    """A program of a connection that is gone, behind a look with the list of now."""
    stages = three(tmp_path)
    assert run(node, stages).wait() == "done"
    found = program(node, "look", "root", "-", "0", "1", "0")
    name = re.search("^left (.*)$", found, re.MULTILINE)[1]
    assert run(node, stages).wait() == "done"  # they are wanted again
    assert program(node, "clean", "1", name).split() == ["reeve1", "end"]
    assert "stage-2" in left(node)
    assert run(node, stages).wait() == "done"
    assert node.read("root/starts").split() == ["0", "1", "2"]
    name = re.search("^left (.*)$", program(node, "look", "root", "-", "0", "1", "0"), re.MULTILINE)[1]
    program(node, "clean", "1", name)
    assert "stage-2" not in left(node)
