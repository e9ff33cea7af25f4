"""The pages of docs/guide: their sessions run, their files are valid, and their commands exist.

Blocks marked `console run` run in their order, all pages at one manager that keeps clusters; files of blocks `yaml NAME` and
`sh NAME` are written when their turn comes. Other commands need real machines, or something that is broken: of these the
syntax alone is tried, at no manager.
"""

import os
import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from conftest import ENVIRONMENT, REEVE, ROOT
from manager import Manager, until
from pylib.pages import matches, page_commands, page_fragments, page_steps
from pylib.ports import free_port

GUIDE = ROOT / "docs/guide"
PAGES = sorted(str(path.relative_to(GUIDE)) for path in GUIDE.rglob("*.md"))
USAGE, UNAVAILABLE = 2, 7
# What these show changes while the manager works: they are tried again until it is what the page shows.
READS = re.compile(r"reeve (get|status|describe|tree|why|events|rollout status) ?[^|;&]*$")
SETTLE_S = 90


def shell(command, folder, env):
    """A command as somebody types it. Gives both streams and the exit code."""
    done = subprocess.run(["bash", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=240, check=False, text=True, env={**ENVIRONMENT, **env})
    return done.stdout, done.returncode


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A manager in haste, a folder beside it, and what leads commands there."""
    folder = tmp_path_factory.mktemp("g")
    (folder / "work").mkdir()
    (folder / "work/examples").symlink_to(ROOT / "examples")
    with Manager(folder, "--haste", "100", control=True).start() as manager:
        yield folder / "work", {"REEVE_URL": f"unix:{manager.socket}", "HOME": str(folder), "DATA": str(folder / "data"),
                                "PLUGINS": str(REEVE.parent / "plugins")}


@pytest.mark.parametrize("page", [page for page in PAGES if page_steps(GUIDE / page)])
def test_sessions_of_the_guide(page, place):
    folder, env = place
    for kind, what, lines in page_steps(GUIDE / page):
        if kind == "file":
            (folder / what).parent.mkdir(parents=True, exist_ok=True)
            (folder / what).write_text(lines)
            continue
        deadline = time.monotonic() + SETTLE_S
        got, _ = shell(what, folder, env)
        while not matches(lines, got.splitlines()) and READS.match(what) and time.monotonic() < deadline:
            time.sleep(0.1)
            got, _ = shell(what, folder, env)
        assert matches(lines, got.splitlines()), f"$ {what}\n{got}\nexpected:\n" + "\n".join(lines)


def test_a_manager_is_started_as_the_page_says(tmp_path):
    """In a home of its own, and at a port that is free."""
    page = (GUIDE / "first-cluster.md").read_text()
    make, start, login = re.search(r"^```console\n\$ (mkdir .*)\n\$ (reeved .*) &\n\$ (reeve context .*)\n```$", page, re.MULTILINE).groups()
    env = {"HOME": str(tmp_path), "REEVE_URL": ""}
    early, code = shell(start, tmp_path, env)
    assert code != 0 and "create the folder of the socket first" in early, early
    assert shell(make, tmp_path, env)[1] == 0
    with (tmp_path / "log").open("w") as log:
        manager = subprocess.Popen(["bash", "-c", "exec " + re.sub(r":8420\b", f":{free_port()}", start)], cwd=tmp_path, stdin=subprocess.DEVNULL,
                                   stdout=log, stderr=log, env={**ENVIRONMENT, **env})
    try:
        until(lambda: shell(login, tmp_path, env)[1] == 0, (tmp_path / "log").read_text)
        assert "context trial" in shell("reeve status", tmp_path, env)[0]
    finally:
        manager.terminate()
        assert manager.wait(60) == 0, (tmp_path / "log").read_text()


@pytest.mark.parametrize("page", PAGES)
def test_files_of_the_guide_are_valid(page, tmp_path):
    for text in page_fragments(GUIDE / page):
        done = subprocess.run([REEVE, "validate", "-f", "-"], input=text, cwd=tmp_path, capture_output=True, check=False, text=True,
                              timeout=240, env=ENVIRONMENT)
        assert done.returncode == 0, text + done.stderr


def wrong_use(command, folder):
    """What is wrong with a command, tried where no manager answers; empty: it is a right use of the command line."""
    got, code = shell(command, folder, {"EDITOR": "true", "VISUAL": "true"})
    if code != USAGE and not re.search(r"error\[R000[0-9]\]", got):
        return ""
    if name := re.fullmatch(r"reeve ([a-z]+)( [a-z]+)?", command):  # only the name of a verb, and of a part of it
        shown, code = shell(f"reeve {name[1]} --help", folder, {})
        if code == 0 and re.search(rf"\b{name[2] or name[1]}\b", shown):
            return ""
    return f"$ {command}\n{got}"


@pytest.mark.parametrize("page", PAGES)
def test_commands_of_the_guide_exist(page, tmp_path):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = "".join(pool.map(lambda command: wrong_use(command, tmp_path), page_commands(GUIDE / page)))
    assert not wrong, wrong


def test_a_wrong_command_is_seen(tmp_path):
    for command in ("reeve sclae shop/web 3", "reeve scale shop/web", "reeve apply -f x.yaml --alow destroy=1", "reeve hold aprove"):
        assert wrong_use(command, tmp_path), command
    assert shell("reeve scale shop/web 3 --yes", tmp_path, {})[1] == UNAVAILABLE


def test_every_page_is_in_the_index():
    index = (GUIDE / "README.md").read_text()
    missing = [page for page in PAGES if page != "README.md" and f"]({page})" not in index]
    assert not missing


def test_links_of_the_guide_lead_somewhere():
    for page in [*GUIDE.glob("*.md"), ROOT / "docs/ARCHITECTURE.md", ROOT / "README.md"]:
        for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)", page.read_text()):
            there = (page.parent / target) if target else page
            assert there.exists(), f"{page.name}: {target}"
            if anchor:
                titles = re.findall(r"^#+ (.*)$", there.read_text(), re.MULTILINE)
                assert anchor in {re.sub(r"[^\w\- ]", "", title).lower().replace(" ", "-") for title in titles}, f"{page.name}: {anchor}"
