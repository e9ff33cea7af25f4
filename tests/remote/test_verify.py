"""The baseline of a node: taken after its stages, compared by `verify`, with the hooks of its bundles."""
import re
import subprocess
import time

import pytest
from conftest import COUNT, bundle, needs_root

pytestmark = needs_root

STAGES, VERIFY = 4, 32
BEGIN = COUNT + "mkdir -p /var/web\n"
WRITE = BEGIN + "echo port 80 >/var/web/app.conf\necho a >/var/web/a\nchmod 640 /var/web/a\nln -sfn a /var/web/link\n"


def inside(node, script):
    """Runs it on the node."""
    subprocess.run(["nsenter", "-t", str(node.init()), "-m", "sh", "-c", script], check=True, timeout=60)


def baseline(one):
    """The digest that a run with stages has told; empty: there is none."""
    return re.search(r"^baseline (\S*) ", "\n".join(one.lines()) + "\n", re.MULTILINE)[1]


def stages_run(run, node, stages, **words):
    """A run with these stages; the digest of the baseline."""
    one = run(node, [dict(stage) for stage in stages], files="/var/web", **{"with": STAGES, **words})
    assert one.wait() == "done", one.lines()
    return baseline(one)


def verdict(run, node, stages, digest, **words):
    """The files that differ, and why the verdict is unknown."""
    one = run(node, [dict(stage) for stage in stages], files="/var/web", baseline=digest, **{"with": VERIFY, **words})
    assert one.wait() == "done", one.lines()
    text = "\n".join(one.lines())
    found = re.search(r"^verdict (\d+) (.*)\n((?:.*\n)*?)end ", text, re.MULTILINE)
    files = [line for line in found[3].splitlines() if line]
    assert int(found[1]) == len(files) or len(files) == 20, text
    return files, found[2]


@pytest.fixture(name="web")
def make_web(nodes, tmp_path):
    """A node below whose /var the files lie, and its stages."""
    node = nodes()
    hook = ("case $(cat /var/state 2>/dev/null) in '') exit 0 ;; drift) echo '/etc/other: content'; exit 1 ;; slow) sleep 60 ;; *) echo confused; exit 3 ;; esac\n")
    one = bundle(tmp_path / "web.tar", WRITE, {"verify.sh": hook.encode()})
    return node, [{"tar": one, "idempotent": 1, "timeout": 2}]


def test_what_differs_from_the_baseline_is_named(web, run):
    """Content, mode, owner, and files that are missing or new; nothing while nothing was changed."""
    node, stages = web
    digest = stages_run(run, node, stages)
    assert len(digest) == 64
    assert verdict(run, node, stages, digest) == ([], "")
    script = ("echo port 81 >/var/web/app.conf; chmod 600 /var/web/a; chown 7:7 /var/web/a; rm /var/web/link; echo new >'/var/web/n w'; chmod 700 /var/web")
    inside(node, script)
    assert verdict(run, node, stages, digest) == ([
        "/var/web: mode", "/var/web/a: mode, owner", "/var/web/app.conf: content", "/var/web/n w: added", "/var/web/link: missing"], "")
    # The node keeps its baseline: another look finds the same.
    assert len(verdict(run, node, stages, digest)[0]) == 5


def test_a_link_cannot_add_files_to_the_list(web, run):
    """A link whose target has control characters is left out: its second line would look like another file."""
    node, stages = web
    digest = stages_run(run, node, stages)
    inside(node, "ln -s \"$(printf 'a\\n/var/invented\\tf\\t644\\t0:0\\t')\" /var/web/odd; ln -s 'b c' /var/web/even")
    assert verdict(run, node, stages, digest) == (["/var/web/even: added"], "")


def test_only_the_first_files_are_named(web, run):
    """All are counted."""
    node, stages = web
    digest = stages_run(run, node, stages)
    inside(node, "for i in $(seq 10 39); do echo >/var/web/$i; done")
    one = run(node, [dict(stage) for stage in stages], files="/var/web", baseline=digest, **{"with": VERIFY})
    assert one.wait() == "done"
    assert [line for line in one.lines() if line.startswith("verdict ")] == ["verdict 30 "]
    assert sum(line.endswith(": added") for line in one.lines()) == 20


def test_the_baseline_itself_is_compared(web, run):
    """A list that was edited is drift; another list than the one that is known is unknown, and so is a missing one."""
    node, stages = web
    digest = stages_run(run, node, stages)
    path = next(node.folder.rglob("marks/baseline"))
    assert path.stat().st_mode & 0o777 == 0o600
    text = path.read_text()
    inside(node, "echo port 81 >/var/web/app.conf")
    path.write_text("".join(line for line in text.splitlines(True) if "app.conf" not in line))
    files, _ = verdict(run, node, stages, digest)
    assert files[0].endswith("/marks/baseline: content") and files[1] == "/var/web/app.conf: added"
    path.write_text(text)
    assert verdict(run, node, stages, digest) == (["/var/web/app.conf: content"], "")
    inside(node, "echo port 80 >/var/web/app.conf")
    assert verdict(run, node, stages, "ab" * 32) == ([], "the baseline of the node is not the one that was recorded")
    # Without a recorded digest the list stays too, and what differs from it is found.
    inside(node, "echo port 81 >/var/web/app.conf")
    assert verdict(run, node, stages, "-") == (["/var/web/app.conf: content"], "the baseline of the node is not the one that was recorded")
    assert path.read_text() == text
    path.unlink()
    assert verdict(run, node, stages, digest) == ([], "there was no baseline; one was taken now")
    assert verdict(run, node, stages, digest)[0] == []


def test_hooks_are_asked_too(web, run):
    """Exit code 1 is drift with the lines of the hook; another one, or a timeout, says nothing. Only with this level."""
    node, stages = web
    digest = stages_run(run, node, stages)
    assert verdict(run, node, stages, digest, hook=1) == ([], "")
    for state, expected in (("drift", (["/etc/other: content"], "")), ("odd", ([], "verify.sh of stage-0 ended with exit code 3: confused")),
                            ("slow", ([], "verify.sh of stage-0 took longer than 2 s"))):
        inside(node, f"echo {state} >/var/state")
        assert verdict(run, node, stages, digest, hook=1) == expected
        assert verdict(run, node, stages, digest) == ([], "")


def test_a_hook_may_leave_a_process(nodes, run, tmp_path):
    """The program does not wait for a process that keeps the output of a hook open; a later one finds no lock."""
    node = nodes()
    hook = "echo $REEVE_HOOK >>/var/hooks; echo before; sleep 300 & echo after; exit 3\n"
    one = bundle(tmp_path / "web.tar", WRITE, {"verify.sh": hook.encode(), "cleanup.sh": hook.encode()})
    stages = [{"tar": one, "idempotent": 1, "timeout": 600}]
    digest = stages_run(run, node, stages)
    for _ in range(2):
        began = time.monotonic()
        assert verdict(run, node, stages, digest, hook=1) == ([], "verify.sh of stage-0 ended with exit code 3: after")
        assert time.monotonic() - began < 100
    one = run(node, [], cleanup=600, **{"with": 128})
    assert one.wait(100) == "done", one.lines()
    assert "cleaned 0 stage-0: cleanup.sh ended with exit code 3: after" in one.lines()
    assert node.read("var/hooks").split() == ["verify", "verify", "cleanup"]


def test_a_correction_leads_to_the_same_baseline(web, run):
    """With `keep` the list stays, and what the stages do not restore is found; another run takes a new one."""
    node, stages = web
    digest = stages_run(run, node, stages)
    inside(node, "echo port 81 >/var/web/app.conf; echo b >/var/web/b")
    again = {"request": "one", "from": 0, "keep": 1}
    assert stages_run(run, node, stages, **again) == digest
    assert verdict(run, node, stages, digest) == (["/var/web/b: added"], "")
    # A run in which no stage runs changes nothing.
    assert stages_run(run, node, stages) == digest
    later = stages_run(run, node, stages, request="two", **{"from": 0})
    assert later != digest
    assert verdict(run, node, stages, later) == ([], "")


def test_hooks_clean_up_in_reverse_order(nodes, run, tmp_path):
    """One that fails is named, and the others run; those that went well run once."""
    node = nodes()
    hook = "echo $REEVE_STAGE >>/var/cleaned\n"
    ends = ("", "[ -e /var/go ] || { echo it is in use; exit 4; }\n", "")
    stages = [{"tar": bundle(tmp_path / f"{number}.tar", "true\n", {"cleanup.sh": (hook + end).encode()})} for number, end in enumerate(ends)]
    assert run(node, stages, **{"with": STAGES}).wait() == "done"

    def cleanup():
        one = run(node, [], cleanup=60, **{"with": 128})
        assert one.wait() == "done", one.lines()
        return next(line for line in one.lines() if line.startswith("cleaned "))
    assert cleanup() == "cleaned 2 stage-1: cleanup.sh ended with exit code 4: it is in use"
    assert node.read("var/cleaned").split() == ["2", "1", "0"]
    (node.folder / "var/go").touch()
    assert cleanup() == "cleaned 1 "
    assert node.read("var/cleaned").split() == ["2", "1", "0", "1"]


def test_a_newer_revision_of_a_bundle_is_upgraded(nodes, run, tmp_path):
    """upgrade.sh runs where an older revision of the bundle of this name was complete, until it succeeds; then again bootstrap.sh."""
    node = nodes()

    def stage(revision, name="web", fails=False):
        say = f"echo {{}} {revision} $1 >>/var/says\n"
        upgrade = say.format("upgrade") + ("[ -e /var/go ]\n" if fails else "")
        tar = bundle(tmp_path / f"{name}{revision}.tar", say.format("bootstrap"), {"upgrade.sh": upgrade.encode()})
        return {"name": name, "tar": tar, "idempotent": 1, "args": ["x"]}

    def says(one, end="done", **words):
        assert run(node, [one], **{"with": STAGES, **words}).wait() == end
        return node.read("var/says").splitlines()[-1]
    assert says(stage(1)) == "bootstrap 1 x"
    assert says(stage(2)) == "upgrade 2 x"
    assert says(stage(2), request="again", **{"from": 0}) == "bootstrap 2 x"
    assert says(stage(3, fails=True), "failed") == "upgrade 3 x"
    (node.folder / "var/go").touch()
    assert says(stage(4)) == "upgrade 4 x"  # the one before was not complete, but it was an upgrade
    assert says(stage(5, name="other")) == "bootstrap 5 x"
