"""The sessions in the documents are run, and the output must be what they show.

These need no manager. The guide has tests of its own (test_guide.py). Sessions of README.md with a manager (`console session`)
run in tests/e2e/test_demo.py as a user and in tests/plugins/test_demo_local.py as root; those marked `console machines` need containers and run in the latter.
"""

import os
import pathlib
import re
import subprocess
import sys

import pytest

from conftest import ENVIRONMENT

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from pylib.pages import matches, sessions  # noqa: E402

REEVE = pathlib.Path(os.environ.get("REEVE_BIN", ROOT / "build" / "reeve"))
PAGES = ["README.md"]


@pytest.mark.parametrize("page", PAGES)
def test_sessions_show_what_comes_out(page, folder):
    (folder / "build").mkdir()
    (folder / "build" / "reeve").symlink_to(REEVE.resolve())
    steps = sessions(ROOT / page)
    assert steps, f"{page} has no session"
    for command, expected in steps:
        run = subprocess.run(["bash", "-c", command], cwd=folder, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240,
                             check=False, text=True, env=ENVIRONMENT)
        got = run.stdout.splitlines()
        assert matches(expected, got), f"$ {command}\n{run.stdout}\nexpected:\n" + "\n".join(expected)


def test_a_session_that_differs_is_seen():
    assert matches(["a", "...", "c"], ["a", "b", "b", "c"])
    assert not matches(["a", "c"], ["a", "b", "c"])
    assert not matches(["a", "..."], ["b", "a"])
    assert matches(["a ... c"], ["a b b c"]) and not matches(["a ... c"], ["a b"])


def test_every_hold_has_its_section():
    """Of the page that says what to do about it; and no section is about a hold that there is not."""
    rules = re.findall(r"^ADVICE\((\w+),", (ROOT / "src/plan/advice.def").read_text(), re.MULTILINE)
    sections = re.findall(r"^### (\w+)$", (ROOT / "docs/guide/holds.md").read_text(), re.MULTILINE)
    assert sorted(sections) == sorted(rules)
    for rule, part in re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", (ROOT / "docs/guide/holds.md").read_text(), re.MULTILINE | re.DOTALL):
        can = re.search(rf"^ADVICE\({rule}, (\w+),", (ROOT / "src/plan/advice.def").read_text(), re.MULTILINE)[1] == "true"
        assert ("Can be\nanswered" in part or "Can be answered" in part) == can, rule


def test_every_decision_is_in_the_index():
    folder = ROOT / "docs/decisions"
    named = re.findall(r"^\| \[\d{4}\]\(([^)]+)\) \|", (folder / "README.md").read_text(), re.MULTILINE)
    assert sorted(named) == sorted(path.name for path in folder.glob("[0-9]*.md"))


def tree_file(name):
    """A file that ARCHITECTURE names: there, or in a folder below its module."""
    path = ROOT / name
    module = ROOT.joinpath(*pathlib.Path(name).parts[:2])
    return path if path.exists() else next(module.rglob(path.name), path)


def test_architecture_names_real_functions():
    """Both walks: each function is defined in the file beside it."""
    page = (ROOT / "docs/ARCHITECTURE.md").read_text()
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| `([\w/]+\.c)` \|", page, re.MULTILINE)
    assert len(rows) > 40
    for functions, name in rows:
        text = tree_file(name).read_text()
        for function in re.findall(r"`(\w+)`", functions):
            assert re.search(rf"^[a-z][^;=\n]*?\b{function}\(", text, re.MULTILINE), f"{function} is not in {name}"


def test_architecture_names_every_folder():
    page = (ROOT / "docs/ARCHITECTURE.md").read_text()
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", page, re.MULTILINE)
    named = {folder for row in rows for folder in re.findall(r"`(\w+)`", row)}
    there = {path.name for path in (ROOT / "src").iterdir() if path.is_dir()}
    assert not there - named
    paths = re.findall(r"`((?:src|docs|tests|tools|plugins|web|sim|include|bench|examples|man|packaging)/[\w/.-]*)`", page)
    assert not [path for path in paths if not tree_file(path).exists()]
