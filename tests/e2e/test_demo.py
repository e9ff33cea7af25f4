"""tools/demo: up, again, what it prints works, down leaves nothing (UX.md 2.1)."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import pytest

from conftest import ENVIRONMENT, ROOT
from manager import until
from pylib.pages import consented, quickstart_commands, session_run, sessions
from pylib.proc import is_running

PARTS = ("tools/demo", "tools/lib.sh", "examples/demo.yaml", "examples/local.yaml")


def checkout(place):
    """A checkout of its own with the binaries that are tested, so that nobody's demo is touched."""
    for part in PARTS:
        (place / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / part, place / part)
    (place / "build").mkdir()
    built = pathlib.Path(os.environ.get("REEVE_BIN", ROOT / "build/reeve")).resolve().parent
    for name in ("reeve", "reeved", "reeve-host"):
        shutil.copy(built / name, place / "build" / name)
    (place / "build/plugins").mkdir()
    shutil.copy(built / "plugins/file.so", place / "build/plugins")
    return place


@pytest.fixture
def tree(tmp_path):
    place = checkout(tmp_path / "t")
    yield place
    pid = place / "build/demo/pid"
    if pid.exists():  # the test has failed half-way
        run(place, "tools/demo", "down")


def run(place, *words, **env):
    home = {**ENVIRONMENT, "HOME": str(place / "home"), "REEVE_DEMO": "file", **env}
    home.pop("REEVE_URL")
    return subprocess.run(words, cwd=place, env=home, capture_output=True, text=True, check=False, timeout=400)


def done(one):
    assert one.returncode == 0, one.stdout + one.stderr
    return one.stdout


USER = 64999  # not 65534: a manager takes that for a user of another namespace
AS_USER = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups") if os.geteuid() == 0 else ()


@pytest.fixture
def user_tree():
    """A checkout of a user who is not root."""
    with tempfile.TemporaryDirectory(prefix="rvdemo") as top:
        place = checkout(pathlib.Path(top) / "t")
        for name in ("seed.yaml", "seed-broken.yaml"):
            shutil.copy(ROOT / "examples" / name, place / "examples" / name)
        if AS_USER:
            pathlib.Path(top).chmod(0o755)
            for path in (place, *place.rglob("*")):
                os.chown(path, USER, USER)
        yield place
        if (place / "build/demo/pid").exists():  # the test has failed half-way
            run(place, *AS_USER, "tools/demo", "down")


def test_readme_and_quickstart_line_by_line(user_tree):
    """As a user without root: the first apply makes machines (issue 24 D1). As root: tests/plugins/test_demo_local.py."""
    def typed(command, code=0):
        one = run(user_tree, *AS_USER, "bash", "-c", f"({command}) 2>&1")
        assert code is None or one.returncode == code, f"$ {command}\n{one.stdout}"
        return one.stdout

    done(run(user_tree, *AS_USER, "tools/demo", "up"))
    commands = quickstart_commands(ROOT / "quickstart.sh")
    assert len(commands) == 9
    for command, code in commands:
        typed(consented(command), code)
    session_run(sessions(ROOT / "README.md", "session"), lambda command: typed(command, None))
    done(run(user_tree, *AS_USER, "tools/demo", "down"))


def test_up_and_down(tree):
    first = done(run(tree, "tools/demo", "up"))
    pid = (tree / "build/demo/pid").read_text()
    again = done(run(tree, "tools/demo", "up"))
    assert "demo is ready" in first and first[first.index("demo is ready"):] == again[again.index("demo is ready"):]
    assert (tree / "build/demo/pid").read_text() == pid  # nothing was restarted
    printed = re.findall(r"^  \w+ +(build/reeve .*)$", first, re.MULTILINE)
    assert len(printed) == 8
    for line in printed:
        done(run(tree, "sh", "-c", consented(line), EDITOR="true"))
    assert "context demo" in done(run(tree, "build/reeve", "status"))
    told = done(run(tree, "tools/demo", "down"))
    assert f"ended process {pid.strip()}" in told and "removed context demo" in told
    assert not (tree / "build/demo").exists() and not (tree / ".reeve.yaml").exists()
    assert not is_running(pid.strip())
    assert done(run(tree, "tools/demo", "down")) == ""  # nothing is left to end


def test_a_manager_that_was_built_anew_meanwhile_is_ours_all_the_same(tree):
    done(run(tree, "tools/demo", "up"))
    pid = (tree / "build/demo/pid").read_text()
    built = tree / "build/reeved"
    shutil.copy(built, tree / "build/new")
    (tree / "build/new").rename(built)
    try:
        done(run(tree, "tools/demo", "up"))
        assert (tree / "build/demo/pid").read_text() == pid, "a second one was started"
        assert f"ended process {pid.strip()}" in done(run(tree, "tools/demo", "down"))
        assert not is_running(pid.strip())
    finally:
        if is_running(pid.strip()):
            os.kill(int(pid), signal.SIGKILL)


def test_a_machine_that_is_broken_comes_again(tree):
    done(run(tree, "tools/demo", "up"))
    told = done(run(tree, "tools/demo", "break", "web-2"))
    assert "wrote stopped into the file of web-2" in told and "in its place" in told
    assert "there is no machine of 'web-9'" in run(tree, "tools/demo", "break", "web-9").stderr
    done(run(tree, "tools/demo", "down"))


def test_a_demo_that_was_killed_comes_up_with_what_it_had(tree):
    done(run(tree, "tools/demo", "up"))
    done(run(tree, "build/reeve", "scale", "demo/web", "+1", "--yes"))
    before = done(run(tree, "build/reeve", "get", "demo", "-o", "yaml", "--bare"))
    pid = (tree / "build/demo/pid").read_text().strip()
    os.kill(int(pid), 9)
    until(lambda: not is_running(pid))
    done(run(tree, "tools/demo", "up"))
    assert done(run(tree, "build/reeve", "get", "demo", "-o", "yaml", "--bare")) == before
    done(run(tree, "tools/demo", "down"))


def test_wrong_use(tree):
    one = run(tree, "tools/demo", "sideways")
    assert one.returncode != 0 and "up|break NODE|down" in one.stderr


def test_a_demo_whose_context_is_lost_is_found_again(tree):
    """No second manager is started, and the pid is still that of the one that runs."""
    done(run(tree, "tools/demo", "up"))
    pid = (tree / "build/demo/pid").read_text()
    done(run(tree, "build/reeve", "context", "rm", "demo"))
    assert "demo is ready" in done(run(tree, "tools/demo", "up"))
    assert (tree / "build/demo/pid").read_text() == pid
    assert f"ended process {pid.strip()}" in done(run(tree, "tools/demo", "down"))


def test_demos_of_two_checkouts_leave_each_other_alone(tree, tmp_path):
    """One home, so one list of contexts: the second demo takes another name, and `down` deletes its own cluster only."""
    other = tmp_path / "o"
    shutil.copytree(tree, other)
    home = str(tmp_path / "home")
    try:
        done(run(tree, "tools/demo", "up", HOME=home))
        told = done(run(other, "tools/demo", "up", HOME=home))
        assert "demo is ready" in told and "create 5 nodes" in told
        assert (tree / ".reeve.yaml").read_text() == "context: demo\n"
        assert (other / ".reeve.yaml").read_text() == "context: demo-2\n"
        done(run(other, "build/reeve", "scale", "demo/web", "7", "--yes", HOME=home))
        assert "3 nodes wanted" in done(run(tree, "build/reeve", "tree", "demo", HOME=home))
        assert "demo-2" in done(run(other, "build/reeve", "context", "show", HOME=home))
        assert "removed context demo-2" in done(run(other, "tools/demo", "down", HOME=home))
        assert "3 nodes wanted" in done(run(tree, "build/reeve", "tree", "demo", HOME=home))
    finally:
        run(other, "tools/demo", "down", HOME=home)
        run(tree, "tools/demo", "down", HOME=home)


def test_a_context_that_was_moved_moves_no_demo(tree, tmp_path):
    """Somebody else's manager under the name `demo`: nothing of it is waited for, applied to or deleted."""
    done(run(tree, "tools/demo", "up"))
    done(run(tree, "build/reeve", "context", "rm", "demo"))
    (tree / "home/.config/reeve/config.yaml").write_text("contexts: {demo: {url: 'http://127.0.0.1:1'}}\n")
    (tree / "home/.config/reeve/config.yaml").chmod(0o600)
    told = done(run(tree, "tools/demo", "down"))
    assert "ended process" in told and "removed context" not in told
    assert "127.0.0.1:1" in (tree / "home/.config/reeve/config.yaml").read_text()
