"""A context with several addresses: the command line uses the one that answers."""

import os
import socket
import subprocess
import threading

import pytest
from manager import REEVED, Manager, cluster


@pytest.fixture(name="manager", scope="module")
def fixture_manager(tmp_path_factory):
    """A manager."""
    with Manager(tmp_path_factory.mktemp("manager")) as one:
        yield one.start()


def reeve(folder, *words, stdin=None):
    """The command line of somebody whose home is this folder."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("REEVE", "XDG"))}
    return subprocess.run([str(REEVED.parent / "reeve"), *words], capture_output=True, text=True, check=False, timeout=240, input=stdin,
                          cwd=folder, env={**environment, "HOME": str(folder)})


def contexts(folder, urls):
    """The file of the user."""
    (folder / ".config/reeve").mkdir(parents=True, exist_ok=True)
    (folder / ".config/reeve/config.yaml").write_text(f"context: all\ncontexts: {{all: {{urls: {urls}}}}}\n")


def test_the_address_that_answers_is_used_and_remembered(manager, tmp_path):
    good, dead = f"unix:{manager.socket}", f"unix:{tmp_path}/nobody"
    contexts(tmp_path, [dead, good])
    first = reeve(tmp_path, "get", "clusters")
    assert first.returncode == 0 and f"! {dead} does not answer; {good} does" in first.stderr, first.stderr
    again = reeve(tmp_path, "get", "clusters")
    assert again.returncode == 0 and "does not answer" not in again.stderr, again.stderr
    memo = tmp_path / ".local/state/reeve/addresses/all"
    assert memo.read_text() == good and memo.stat().st_mode & 0o77 == 0
    os.utime(memo, (0, 0))  # longer ago than an hour
    assert "does not answer" in reeve(tmp_path, "status").stderr
    applied = reeve(tmp_path, "apply", "-f", "-", "--yes", "--allow-missing-plugin", "--detach", stdin=str(cluster("shop", web=1)).replace("'", '"'))
    assert applied.returncode == 0, applied.stderr
    shown = reeve(tmp_path, "context", "show")
    assert f"url        {dead}\n" in shown.stdout and f"or         {good}\n" in shown.stdout, shown.stdout


def test_no_address_answers(tmp_path):
    contexts(tmp_path, [f"unix:{tmp_path}/a", f"unix:{tmp_path}/b"])
    done = reeve(tmp_path, "get", "clusters")
    assert done.returncode == 7 and f"no manager reachable at unix:{tmp_path}/b" in done.stderr, done.stderr


def test_a_request_without_a_key_is_not_repeated_elsewhere(manager, tmp_path):
    """The first address takes the request and ends the connection without an answer."""
    taken = []
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(tmp_path / "breaks"))
    server.listen()

    def serve():
        while True:
            try:
                one, _ = server.accept()
            except OSError:
                return
            taken.append(one.recv(65536))
            one.close()
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    contexts(tmp_path, [f"unix:{tmp_path}/breaks", f"unix:{manager.socket}"])
    sent = reeve(tmp_path, "manager", "drain", "m1")
    assert sent.returncode != 0 and len(taken) == 1, (sent.stderr, taken)
    assert reeve(tmp_path, "get", "clusters").returncode == 0 and len(taken) > 1  # a GET goes on to the next
    server.close()


@pytest.mark.parametrize("urls", ["[]", "unix:/a", "[{a: b}]"])
def test_addresses_must_be_a_list(tmp_path, urls):
    contexts(tmp_path, urls)
    done = reeve(tmp_path, "get", "clusters")
    assert done.returncode != 0 and "error[R0021]" in done.stderr and "urls must be a list of addresses" in done.stderr, done.stderr
