"""The sessions in the documents are run, and what they show must be what comes out.

A block marked `console` is a session: lines with `$ ` are typed, what follows is the output (both
streams). A line `...` stands for any number of lines.
"""

import os
import pathlib
import re
import subprocess

import pytest

from conftest import ENVIRONMENT

ROOT = pathlib.Path(__file__).resolve().parents[2]
REEVE = pathlib.Path(os.environ.get("REEVE_BIN", ROOT / "build" / "reeve"))
PAGES = ["README.md"]


def sessions(page):
    """Steps of a page: (command, expected lines), in order."""
    steps = []
    for block in re.findall(r"```console\n(.*?)```", (ROOT / page).read_text(), re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
    return steps


def matches(expected, got):
    """Do the lines match, where `...` stands for any number of them?"""
    pattern = "".join("(?:.*\n)*" if line == "..." else re.escape(line) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in got)) is not None


@pytest.mark.parametrize("page", PAGES)
def test_sessions_show_what_comes_out(page, tmp_path, at):
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "reeve").symlink_to(REEVE.resolve())
    steps = sessions(page)
    assert steps, f"{page} has no session"
    for command, expected in steps:
        run = subprocess.run(["bash", "-c", command], cwd=tmp_path, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
                             check=False, text=True, env={**ENVIRONMENT, **at})
        got = run.stdout.splitlines()
        assert matches(expected, got), f"$ {command}\n{run.stdout}\nexpected:\n" + "\n".join(expected)


def test_a_session_that_differs_is_seen():
    assert matches(["a", "...", "c"], ["a", "b", "b", "c"])
    assert not matches(["a", "c"], ["a", "b", "c"])
    assert not matches(["a", "..."], ["b", "a"])
