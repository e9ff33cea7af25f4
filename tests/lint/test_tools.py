"""The counting of tests, the coverage bounds, the package list, the measuring of shape."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
from pylib import bounded, coverage, junit, shape, unit  # noqa: E402
from pylib.junit import FAILED, PASSED, SKIPPED, Result  # noqa: E402
from pylib.tree import Tree  # noqa: E402


def script(path, text):
    """Make an executable script."""
    path.write_text(f"#!/bin/bash\n{text}\n")
    path.chmod(0o755)


# --- deadlines ----------------------------------------------------------------------------------

def is_over(pid):
    """Is it gone, or nothing but an entry that nobody has read?"""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_a_step_that_hangs_is_ended_with_all_that_it_started(tmp_path):
    child = None
    for seconds in (1, 5, 60):  # so long that it had begun to hang
        code, output = bounded.run(["bash", "-c", "trap '' TERM; sleep 1000 & echo $!; wait"], tmp_path / "log", seconds=seconds)
        assert code != 0
        *child, why = output.split("\n")[:-1]
        assert why == f"it did not end within {seconds} s"
        if child:
            break
    deadline = time.monotonic() + 60
    while not is_over(int(child[0])):  # it was killed, and has to be run to die of it
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_what_a_step_leaves_behind_holds_nobody_up(tmp_path):
    code, output = bounded.run(["bash", "-c", "sleep 30 & echo $!"], tmp_path / "log", seconds=20)
    os.kill(int(output), signal.SIGKILL)
    assert code == 0


# --- counting -----------------------------------------------------------------------------------

MESON_BUILD = """\
project('reeve')
foreach name : ['good', 'bad', 'dies', 'silent', 'lies']
    test(name, find_program(meson.current_source_dir() / name), protocol: 'tap')
endforeach
"""


def test_unit_tests_are_counted_by_case(tmp_path):
    (tmp_path / "meson.build").write_text(MESON_BUILD)
    script(tmp_path / "good", "echo 1..3; echo 'ok 1 - a'; echo 'ok 2 - b'; echo 'ok 3 # SKIP c'")
    script(tmp_path / "bad", "echo 1..2; echo 'ok 1 - a'; echo 'not ok 2 - b'; echo '# why'; exit 1")
    script(tmp_path / "dies", "echo 1..2; echo 'ok 1 - a'; kill -SEGV $$")
    script(tmp_path / "silent", "exit 0")
    script(tmp_path / "lies", "echo 1..1; echo 'ok 1 - a'; exit 99")
    subprocess.run(["/usr/bin/meson", "setup", tmp_path / "build", tmp_path], check=True,
                   stdout=subprocess.DEVNULL)

    results, log = unit.run_unit_tests(tmp_path / "build")

    failed = sorted(result.name for result in results if result.outcome == FAILED)
    assert failed == ["unit/bad/b", "unit/dies", "unit/lies", "unit/silent"]
    assert junit.count(results, PASSED) == 5
    assert junit.count(results, SKIPPED) == 1
    assert "# why" in log


def test_who_takes_longer_on_a_busy_machine_has_not_failed(tmp_path, monkeypatch):
    assert unit.PATIENCE > 1
    monkeypatch.setattr(unit, "PATIENCE", 60)  # this machine is one
    (tmp_path / "meson.build").write_text(
        "project('reeve')\ntest('slow', find_program('slow'), protocol: 'tap', timeout: 1)\n")
    script(tmp_path / "slow", "echo 1..1; sleep 1.5; echo 'ok 1 - a'")
    subprocess.run(["/usr/bin/meson", "setup", tmp_path / "build", tmp_path], check=True,
                   stdout=subprocess.DEVNULL)
    results, log = unit.run_unit_tests(tmp_path / "build")
    assert [(result.name, result.outcome) for result in results] == [("unit/slow/a", PASSED)], log


def test_no_unit_tests_is_a_failure(tmp_path):
    (tmp_path / "meson.build").write_text("project('reeve')\n")
    subprocess.run(["/usr/bin/meson", "setup", tmp_path / "build", tmp_path], check=True,
                   stdout=subprocess.DEVNULL)
    results, _ = unit.run_unit_tests(tmp_path / "build")
    assert [(result.outcome, result.detail) for result in results] == [
        (FAILED, "no unit tests found")]


def test_pytest_report(tmp_path):
    report = tmp_path / "report.xml"
    report.write_text("""<testsuites><testsuite name="pytest">
        <testcase classname="tests.e2e.test_x" name="test_a[1]"/>
        <testcase classname="tests.e2e.test_x" name="test_b"><failure message="no">trace</failure></testcase>
        <testcase classname="tests.e2e.test_x" name="test_c"><skipped message="no root"/></testcase>
        <testcase classname="" name="tests.e2e.test_y"><error message="import"/></testcase>
        </testsuite></testsuites>""")
    assert junit.read(report, "e2e") == [
        Result("e2e/test_x/test_a[1]", PASSED),
        Result("e2e/test_x/test_b", FAILED, "no"),
        Result("e2e/test_x/test_c", SKIPPED, "no root"),
        Result("e2e//tests.e2e.test_y", FAILED, "import"),
    ]


@pytest.mark.parametrize("outcomes, line", [
    ([], "0 passed, 0 failed"),
    ([PASSED, PASSED, FAILED], "2 passed, 1 failed"),
    ([PASSED, SKIPPED], "1 passed, 0 failed, 1 skipped"),
])
def test_summary(outcomes, line):
    assert junit.summary([Result("x", outcome) for outcome in outcomes]) == line


def test_a_failure_that_passes_alone_is_flaky():
    results = [Result("e2e/a", FAILED), Result("e2e/b", FAILED), Result("lint", FAILED), Result("e2e/c", PASSED)]
    flaky = junit.run_again(results, lambda result: {"e2e/a": True, "e2e/b": False}.get(result.name))
    assert [one.name for one in flaky] == ["e2e/a"]
    assert [one.outcome for one in results] == [PASSED, FAILED, FAILED, PASSED]


def test_a_broken_tree_is_not_run_again():
    results = [Result(f"e2e/{number}", FAILED) for number in range(junit.AGAIN_MAX + 1)]
    assert junit.run_again(results, lambda result: True) == []
    assert junit.count(results, FAILED) == len(results)


def test_a_test_of_pytest_has_the_name_that_runs_it_alone(tmp_path):
    report = tmp_path / "report.xml"
    report.write_text('<testsuites><testsuite><testcase classname="tests.e2e.test_x" name="test_a[1-b]">'
                      '<failure message="no"/></testcase></testsuite></testsuites>')
    (result,) = junit.read(report, "e2e-asan")
    assert result.test == "tests/e2e/test_x.py::test_a[1-b]"


def test_only_listed_skips_are_expected(tmp_path):
    listed = tmp_path / "expected-skips"
    listed.write_text("# reasons below\ne2e/*/test_c   # needs root\n")
    results = [Result("e2e/test_x/test_c", SKIPPED), Result("e2e.2/test_x/test_c", SKIPPED), Result("e2e/test_x/test_d", SKIPPED),
               Result("e2e/test_x/test_e", PASSED)]
    patterns = junit.read_expected_skips(listed)
    assert [one.name for one in junit.unexpected_skips(results, patterns)] == ["e2e/test_x/test_d"]
    assert junit.read_expected_skips(tmp_path / "none") == []


# --- coverage -----------------------------------------------------------------------------------


def covered(lines_hit, lines, branches_hit, branches):
    """gcovr's report of one file of base."""
    rows = [{"count": int(index < lines_hit), "line_number": index, "branches": []}
            for index in range(lines)]
    rows[0]["branches"] = [{"count": int(index < branches_hit)} for index in range(branches)]
    return {"files": [{"file": "src/base/x.c", "lines": rows},
                      {"file": "src/cli/y.c", "lines": [{"count": 0, "line_number": 1,
                                                         "branches": []}] * 99}]}


@pytest.mark.parametrize("figures, good", [
    ((95, 100, 85, 100), True), ((94, 100, 85, 100), False), ((95, 100, 84, 100), False),
])
def test_coverage_bounds(figures, good, capsys):
    assert coverage.print_folder(covered(*figures), "base", 95.0, 85.0) == good
    assert ("BELOW 95 / 85" in capsys.readouterr().out) != good


# --- packages -----------------------------------------------------------------------------------


@pytest.fixture
def machine(tmp_path):
    """A PATH with a Debian that has nothing but gcc installed, and no sudo."""
    for name in ("bash", "sed", "awk", "sort", "xargs", "grep", "dirname", "cut", "wc", "echo"):
        (tmp_path / name).symlink_to(f"/usr/bin/{name}")
    script(tmp_path / "id", "echo 1000")
    script(tmp_path / "dpkg-query", '[ "$4" = gcc ] && printf installed')
    script(tmp_path / "apt-cache", '[ "$3" = libclang-rt-14-dev ] || echo "Package: $3"')

    def install(*groups):
        return subprocess.run([ROOT / "tools/install-packages", *groups], check=False, text=True,
                              env={"PATH": str(tmp_path)}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    install.path = tmp_path
    return install


def test_install_without_root_prints_the_command(machine):
    run = machine("build")
    assert run.returncode == 1
    assert run.stdout == ""
    assert run.stderr.startswith(
        "missing packages; run: sudo apt-get install --no-install-recommends libc6-dev make meson")
    assert run.stderr.count("\n") == 1


def test_install_takes_the_name_this_debian_knows(machine):
    assert "libclang-rt-19-dev" in machine("test").stderr
    assert "libclang-rt-14-dev" not in machine("test").stderr


def test_install_takes_a_command_from_elsewhere_for_the_package(machine):
    assert " npm" in machine("test").stderr
    script(machine.path / "npm", "true")
    run = machine("test")
    assert " npm" not in run.stderr
    assert " nodejs" in run.stderr


def test_install_with_nothing_missing_is_silent(machine):
    script(machine.path / "dpkg-query", "printf installed")
    run = machine("build", "test", "lint", "room", "analyze")
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_install_unknown_group(machine):
    run = machine("biuld")
    assert run.returncode == 1
    assert run.stderr == "tools/packages has no group 'biuld'\n"


def test_install_elsewhere_than_on_debian(machine):
    (machine.path / "dpkg-query").unlink()
    run = machine("build")
    assert run.returncode == 1
    assert run.stderr.startswith("this is not Debian; install the equivalents of the groups build")


# --- shape --------------------------------------------------------------------------------------


def figures(tree):
    """The table of a tree as {point: ours}."""
    return {point: ours for point, _, _, ours in shape.measure(Tree(tree.root))}


def test_shape_of_the_clean_tree(tree):
    tree.compile()
    ours = figures(tree)
    assert ours["functions of 60 lines or less"] == \
        "100 % of 2; longest 11: json_parse (src/codec/json.c)"
    assert ours["header declarations with a comment"].startswith("66.6 % of 3; first without: "
                                                                 "src/base/macros.h:4")
    assert ours["assertions per function, quiet half"] == "0.50"
    assert ours["goto per 1,000 lines, quiet half"] == "0.0 (0)"
    assert ours["planner free of system calls, proven"] == "proven for base codec"
    assert ours["folders in an include cycle"] == "0 of 2"


def test_shape_of_planted_faults(tree):
    body = "    err->code = 1;\n" * 60
    tree.replace("src/codec/json.c", "    err->code = 1;",
                 f"    static int calls;\n    calls++;\n    goto end;\n{body}end:\n")
    tree.replace("src/base/mem.h", "#include <stddef.h>",
                 '#include "codec/json.h"\n#include <stddef.h>')
    tree.compile()
    ours = figures(tree)
    assert ours["functions of 60 lines or less"] == \
        "50.0 % of 2; longest 75: json_parse (src/codec/json.c)"
    assert ours["goto per 1,000 lines, quiet half"].endswith("(1)")
    assert ours["mutable variables per 1,000 lines, quiet"].endswith("(1)")
    assert ours["folders in an include cycle"] == "2: base -> codec -> base"


# --- the scripts themselves ---------------------------------------------------------------------


def test_scripts_parse():
    tools = [path for path in sorted((ROOT / "tools").iterdir())
             if path.is_file() and path.read_text().startswith("#!/bin/bash")]
    for path in [ROOT / "quickstart.sh", ROOT / "test.sh", *tools]:
        subprocess.run(["bash", "-n", path], check=True)
        assert os.access(path, os.X_OK), path


def test_every_front_door_is_in_the_help():
    text = subprocess.run(["make", "-s", "-C", ROOT, "help"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    for door in ("make check", "make lint", "make format", "make shape", "make bench", "make fuzz",
                 "make coverage", "make clang", "./quickstart.sh", "./test.sh", "tools/clean-room"):
        assert door in text, door


def test_ci_calls_test_sh_and_nothing_else():
    assert pathlib.Path(ROOT / ".ci/run").read_text().splitlines()[1:] == [
        'exec "$(dirname "$0")/../test.sh"']


def test_slowest_files_are_named_with_their_sums():
    results = [junit.Result("e2e/test_a/x", junit.PASSED, seconds=2.0), junit.Result("e2e/test_a/y", junit.FAILED, seconds=3.5),
               junit.Result("e2e/test_b/x", junit.PASSED, seconds=4.0), junit.Result("lint", junit.PASSED)]
    assert junit.slowest(results, 5) == [(5.5, "e2e/test_a"), (4.0, "e2e/test_b")]
    assert junit.slowest(results, 1) == [(5.5, "e2e/test_a")]
