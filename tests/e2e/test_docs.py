"""The sessions in the documents are run, and the output must be what they show.

These need no manager. Sessions of README.md with a manager (`console session`) run in tests/e2e/test_demo.py as a user and in
tests/plugins/test_demo_local.py as root; those marked `console machines` need containers and run in the latter.
"""

import os
import pathlib
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
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
                             check=False, text=True, env=ENVIRONMENT)
        got = run.stdout.splitlines()
        assert matches(expected, got), f"$ {command}\n{run.stdout}\nexpected:\n" + "\n".join(expected)


def test_a_session_that_differs_is_seen():
    assert matches(["a", "...", "c"], ["a", "b", "b", "c"])
    assert not matches(["a", "c"], ["a", "b", "c"])
    assert not matches(["a", "..."], ["b", "a"])
    assert matches(["a ... c"], ["a b b c"]) and not matches(["a ... c"], ["a b"])
