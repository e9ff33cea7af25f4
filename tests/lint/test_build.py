"""tools/build and quickstart.sh on a tiny project: what a person sees, and the answers."""

import shutil
import subprocess

import pytest

from conftest import ROOT

SOURCE = "int main(void)\n{\n    return 0;\n}\n"


@pytest.fixture
def project(tmp_path):
    """A project of one program, with our scripts."""
    root = tmp_path / "project"
    (root / "tools").mkdir(parents=True)
    for name in ("tools/build", "tools/lib.sh", "quickstart.sh"):
        shutil.copy(ROOT / name, root / name)
    (root / "meson.build").write_text("project('p', 'c')\nexecutable('reeve', 'main.c')\n")
    (root / "main.c").write_text(SOURCE)
    return root


def run(root, *command):
    """Run one of the scripts from elsewhere. Returns (code, stdout, stderr)."""
    done = subprocess.run([root / command[0], *command[1:]], cwd="/", text=True, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    return done.returncode, done.stdout, done.stderr


def test_build_is_one_line_and_fast_the_second_time(project):
    code, out, err = run(project, "tools/build", "release")
    assert (code, err) == (0, "")
    assert out.startswith("build      2/2 ok ") and out.count("\n") == 1
    assert "up to date ok" in run(project, "tools/build", "release")[1]
    assert (project / "build/reeve").exists()


def test_build_counts_warnings_and_strict_fails(project):
    (project / "main.c").write_text(SOURCE.replace("return 0", "int unused;\n    return 0"))
    code, out, _ = run(project, "tools/build", "release")
    assert code == 0
    assert out.splitlines()[0].startswith("build      1 warnings")
    code, _, err = run(project, "tools/build", "--clean", "--strict", "release")
    assert code == 1
    assert err.startswith("main.c:3:9: warning: unused variable")


def test_build_failure_shows_the_place_and_the_log(project):
    (project / "main.c").write_text("int main(void)\n{\n    return;;}}\n")
    code, out, err = run(project, "tools/build", "release")
    assert code == 1
    assert out.startswith("build      failed")
    assert "main.c:3:" in err.splitlines()[1] and "error" in err
    assert err.splitlines()[-1] == "the whole log: build/build.log"


def test_build_of_a_moved_tree_begins_anew(project):
    assert run(project, "tools/build", "release")[0] == 0
    moved = project.parent / "moved"
    project.rename(moved)
    code, out, _ = run(moved, "tools/build", "release")
    assert (code, out.startswith("build      2/2 ok ")) == (0, True)


def test_build_unknown_kind(project):
    code, _, err = run(project, "tools/build", "relase")
    assert code == 1
    assert err == "tools/build: unknown kind 'relase': release, asan, coverage, clang, late or fuzz\n"


FAKE_REEVE = """\
#include <stdio.h>
#include <string.h>

int main(int count, char **words)
{
    printf("%s\\n", words[1]);
    return strstr(words[count - 1], "broken") ? BROKEN : 0;
}
"""


@pytest.mark.parametrize("broken, code", [(3, 0), (0, 1)])
def test_quickstart_knows_how_each_command_must_end(project, broken, code):
    (project / "main.c").write_text(FAKE_REEVE.replace("BROKEN", str(broken)))
    (project / "tools/install-packages").write_text("#!/bin/sh\n")
    (project / "tools/install-packages").chmod(0o755)
    (project / "tools/demo").write_text("#!/bin/sh\necho demo $1\n")
    (project / "tools/demo").chmod(0o755)
    answer, out, err = run(project, "quickstart.sh")
    assert answer == code
    assert "$ build/reeve plan --offline -f examples/seed.yaml\nplan\n" in out
    if code == 0:
        assert "demo up\n" in out and "Your own file:" in out
    else:
        assert err == ("this ended with 0 instead of 3; please report it with the output above\n")


def test_quickstart_stops_where_packages_are_missing(project):
    (project / "tools/install-packages").write_text("#!/bin/sh\necho 'run: x' >&2\nexit 1\n")
    (project / "tools/install-packages").chmod(0o755)
    assert run(project, "quickstart.sh") == (1, "", "run: x\n")
