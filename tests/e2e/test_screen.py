"""What a person sees on a terminal: the pager, the note while nothing comes, line mode, one header, Ctrl-C (UX.md 3.5, 3.7)."""
import os
import pty
import re
import signal
import socket
import subprocess
import termios
import threading
import time

import pytest

from conftest import ENVIRONMENT, REEVE, sigint_default

WEB_DB = "examples/web-db.yaml"
PAGER = "sed s/^/PAGED:/"


@pytest.fixture
def shop(managed):
    """reeve with the cluster shop."""
    assert managed("apply", "-f", WEB_DB, "--yes").returncode == 0
    return managed


# ---- pager ----

@pytest.mark.parametrize("words", [["explain", "nodegroup"], ["help", "env"], ["apply", "--help"]])
def test_long_output_is_paged(screen, words):
    one = screen(*words, env={"PAGER": PAGER}, rows=10)
    assert one.end() == 0 and one.text.count("PAGED:") > 10, one.text
    one = screen(*words, env={"PAGER": "false", "REEVE_PAGER": PAGER}, rows=10)
    assert one.end() == 0 and one.text.count("PAGED:") > 10


@pytest.mark.parametrize("words,env,rows", [
    (["explain", "nodegroup", "--no-pager"], {"PAGER": PAGER}, 10), (["explain", "nodegroup"], {"PAGER": ""}, 10),
    (["explain", "nodegroup"], {"PAGER": PAGER, "REEVE_PLAIN": "1"}, 10), (["explain", "nodegroup"], {"PAGER": PAGER}, 400),
    (["explain", "nodegroup"], {"PAGER": PAGER, "TERM": "dumb"}, 10), (["version"], {"PAGER": PAGER}, 1),
    (["explain", "nodegroup"], {"PAGER": "nonesuch-pager"}, 10)])
def test_what_is_not_paged(screen, words, env, rows):
    one = screen(*words, env=env, rows=rows)
    assert one.end() == 0 and "PAGED:" not in one.text and len(one.text) > 3


def test_no_pager_in_pipes(reeve):
    assert "PAGED:" not in reeve("explain", "nodegroup", env={"PAGER": PAGER}).stdout


def test_a_pager_may_be_left_early(screen):
    one = screen("explain", "nodegroup", env={"PAGER": "head -1"}, rows=10)
    assert one.end() == 0 and one.text.count("\n") == 1


# ---- the note ----

@pytest.fixture
def mute(folder):
    """Somebody who listens, and answers when a test says so: `may_answer`."""
    path = str(folder / "mute")
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(path)
    server.listen()
    may_answer = threading.Event()

    def serve():
        while True:
            try:
                one = server.accept()[0]
            except OSError:
                return
            with one:
                one.recv(65536)
                may_answer.wait(60)
                one.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 21\r\n\r\n{"items":[],"next":""}'[:-1])
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield {"REEVE_URL": f"unix:{path}", "HOME": str(folder)}, may_answer
    may_answer.set()
    server.shutdown(socket.SHUT_RDWR)
    server.close()


def test_a_note_while_nothing_comes(screen, mute):
    at, may_answer = mute
    one = screen("get", "clusters", env=at, columns=300).expect("waiting for the manager at unix:")
    may_answer.set()
    one.end()
    assert "\r\x1b[K" in one.text  # wiped out when the answer came
    may_answer.clear()
    one = screen("get", "clusters", env=at, columns=40).expect("waiting for the manager")
    may_answer.set()
    one.end()
    assert "unix:" not in one.text, "one line is wiped out, not two"
    may_answer.clear()
    one = screen("get", "clusters", env={**at, "REEVE_PLAIN": "1"}).expect("waiting for the manager")
    may_answer.set()
    one.end()
    assert "\x1b[K" not in one.text
    may_answer.clear()
    one = screen("get", "clusters", "-q", env=at)
    time.sleep(0.8)
    may_answer.set()
    one.end()
    assert "waiting for" not in one.text


def test_no_note_in_pipes(reeve, mute):
    at, may_answer = mute
    threading.Timer(0.8, may_answer.set).start()
    assert "waiting for" not in reeve("get", "clusters", env=at).stderr


# ---- live ----

def test_line_mode(shop, screen, at):
    one = screen("get", "clusters", "-w", env={**at, "REEVE_PLAIN": "1"}).expect("shop")
    assert shop("scale", "shop/web", "7", "--yes").returncode == 0
    one.expect("cluster/shop changed revision=").type("\x03")
    assert one.end() == 130 and "\x1b[" not in one.text
    one = screen("get", "clusters", "-w", env=at).expect("shop").type("\x03")
    assert one.end() == 130 and "\x1b[2J" in one.text


@pytest.mark.parametrize("form,header", [("table", "TIME "), ("csv", "TIME,"), ("md", "| TIME ")])
def test_events_have_one_header(shop, at, form, header):
    following = subprocess.Popen([str(REEVE), "events", "-F", "-o", form], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, env={**ENVIRONMENT, **at})
    lines = []
    for number in range(3):
        assert shop("scale", "shop/web", str(7 + number), "--yes", "-m", f"why{number}").returncode == 0
        while not any(f"why{number}" in line for line in lines):
            lines.append(following.stdout.readline())
    following.terminate()
    following.communicate(timeout=240)
    assert sum(line.startswith(header) for line in lines) == 1
    if form == "table":
        assert len({re.search(r"(nodegroup|cluster|tenant)/", line).start() for line in lines[2:]}) == 1


# ---- Ctrl-C at every prompt ----

@pytest.mark.parametrize("words,prompt", [
    (["scale", "shop/web", "+1"], "Apply?"), (["scale", "shop/web", "3", "--yes"], "destroy 3"),
    (["delete", "cluster", "shop"], "shop:"), (["apply", "-f", "-"], "ctrl-d"),
    (["context", "login", "http://127.0.0.1:9"], "token:")])
def test_ctrl_c(shop, screen, at, words, prompt):
    before = shop("get", "shop", "-o", "yaml", "--bare").stdout
    one = screen(*words, env=at).expect(prompt).type("\x03")
    assert one.end() == 130, one.text
    assert shop("get", "shop", "-o", "yaml", "--bare").stdout == before


def test_ctrl_c_leaves_a_terminal_that_shows_what_is_typed(terminal_pair):
    """A token is typed unseen; Ctrl-C there must not leave the shell blind."""
    ours, theirs = terminal_pair
    process = subprocess.Popen(["setsid", "--ctty", "--wait", str(REEVE), "context", "login", "http://127.0.0.1:9"], stdin=theirs,
                               stdout=theirs, stderr=theirs, env=ENVIRONMENT, preexec_fn=sigint_default)
    shown = b""
    while b"token:" not in shown:  # a terminal gives what it has
        shown += os.read(ours, 1000)
    deadline = time.monotonic() + 60
    while termios.tcgetattr(theirs)[3] & termios.ECHO and time.monotonic() < deadline:
        time.sleep(0.01)
    os.write(ours, b"\x03")
    assert process.wait(60) in (130, -signal.SIGINT)
    assert termios.tcgetattr(theirs)[3] & termios.ECHO


@pytest.fixture
def terminal_pair():
    """Both ends of a terminal, open until the test is over."""
    pair = pty.openpty()
    yield pair
    for fd in pair:
        os.close(fd)


def test_names_are_whole_while_others_can_be_cut(shop, terminal, at):
    """Of two rows that are called shop/... nobody knows which is which."""
    code, text = terminal(80, "get", "nodegroups", "-o", "wide", env={**at, "NO_COLOR": "1"})
    names = [line.split()[0] for line in text.splitlines()[1:]]
    assert code == 0 and "\u2026" in text and names and all(name.startswith("shop/") and "\u2026" not in name for name in names), text


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("words", [["status"], ["get", "clusters"], ["get", "ng"], ["events"], ["describe", "shop", "--history"],
                                   ["tree"], ["get", "ng", "-o", "wide"], ["--help"], ["wait", "--help"]])
def test_narrow(shop, terminal, at, columns, words):
    """Tables fit; of words only those that cannot be broken stand out."""
    code, text = terminal(columns, *words, env={**at, "NO_COLOR": "1"})
    assert code == 0
    if words[0] in ("get", "events", "describe") or columns == 80:
        wide = [line for line in text.splitlines() if len(line) > max(columns, 80 if words[-1] == "--help" else 0)]
        assert not wide or words[-1] == "--help" or words == ["status"], wide
