"""Real serf agents: what they say arrives, whatever happens to them."""
import os
import shutil
import signal
import socket
import subprocess
import threading
import time

import pytest
from agents import Agent, Watch

pytestmark = pytest.mark.skipif(shutil.which("serf") is None, reason="needs serf")


@pytest.fixture(name="agents")
def fixture_agents(tmp_path):
    """Make agents, and end them with the test."""
    made = []

    def make(name, **options):
        made.append(Agent(tmp_path, name, **options))
        return made[-1]
    yield make
    for agent in made:
        agent.process.send_signal(signal.SIGCONT)
        agent.end()


@pytest.fixture(name="watches")
def fixture_watches():
    """Make watches, and end them with the test."""
    made = []

    def make(*words):
        made.append(Watch(*words))
        return made[-1]
    yield make
    for watch in made:
        watch.end()


def names(report):
    return sorted(member["name"] for member in report["members"])


def test_members_and_their_changes_are_reported(agents, watches):
    first = agents("n1", tags=["NodeLabel=n1", "NodeSerial=0"])
    watch = watches(first.rpc)
    snapshot = watch.until_change("snapshot", "n1")
    assert snapshot["own"] == "n1" and names(snapshot) == ["n1"]
    assert snapshot["members"][0] == {"name": "n1", "address": "127.0.0.1", "status": "alive",
                                      "tags": {"NodeLabel": "n1", "NodeSerial": "0"}}
    second = agents("n2", join=first)
    third = agents("n3", join=first)
    watch.until_change("join", "n2")
    if not any("n3" in names(report) for report in watch.seen):
        watch.until_change("join", "n3")
    second.call("tags", "-set", "role=db")
    watch.until_change("updated", "n2", role="db")
    third.call("leave")
    watch.until_change("left", "n3")
    second.end()
    watch.until_change("failed", "n2")
    first.call("force-leave", "n2")
    watch.until_change("left", "n2")


def test_a_cut_agent_fails_and_joins_again(agents, watches):
    first = agents("n1")
    second = agents("n2", join=first)
    agents("n3", join=first)
    watch = watches(first.rpc)
    watch.until(lambda report: any("n2" in names(each) for each in watch.seen) and any("n3" in names(each) for each in watch.seen))
    os.kill(second.process.pid, signal.SIGSTOP)
    watch.until_change("failed", "n2")
    os.kill(second.process.pid, signal.SIGCONT)
    watch.until_change("join", "n2")


def test_the_own_agent_dies_hangs_and_returns(agents, watches, tmp_path):
    first = agents("n1")
    watch = watches(first.rpc)
    watch.until_change("snapshot", "n1")
    first.end()
    down = watch.until_change("unavailable")
    assert f"127.0.0.1:{first.rpc}" in down["why"]
    again = Agent.__new__(Agent)
    again.__dict__.update(first.__dict__)
    again.process = subprocess.Popen(["serf", "agent", "-node", "n1", "-bind", f"127.0.0.1:{first.port}", "-rpc-addr",
                                      f"127.0.0.1:{first.rpc}", "-profile=local", "-tag", "back=yes"], stdout=first.log,
                                     stderr=first.log, stdin=subprocess.DEVNULL)
    try:
        assert watch.until(lambda report: True)["change"] == "available"
        watch.until_change("snapshot", "n1", back="yes")
        os.kill(again.process.pid, signal.SIGSTOP)
        assert "did not answer" in watch.until_change("unavailable")["why"]
        os.kill(again.process.pid, signal.SIGCONT)
        watch.until_change("available")
        watch.until_change("snapshot", "n1")
    finally:
        again.end()


def test_a_key_is_needed_where_the_agent_has_one(agents, watches):
    first = agents("n1", rpc_auth="secret")
    good = watches(first.rpc, "secret")
    good.until_change("snapshot", "n1")
    for watch in (watches(first.rpc), watches(first.rpc, "wrong")):
        report = watch.until(lambda _: True)
        assert report["change"] == "unavailable" and "refused a request" in report["why"], report
        assert "secret" not in report["why"] and "wrong" not in report["why"]


def test_an_agent_that_sends_garbage_harms_nobody(watches):
    """Each connection sends other bytes; the last one answers nothing at all."""
    listener = socket.create_server(("127.0.0.1", 0))
    bodies = [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xc1", b"\x82\xa3Seq\x00\xa5Error\xa0" + b"\xdb\xff\xff\xff\xff" + b"x" * 65536,
              b"\x82\xa3Seq\xcd\xff\xff\xa5Error\xa0", b"\xdd\xff\xff\xff\xff" * 1000, b"\x82\xa3Seq\x04\xa5Error\xa0\x81\xa7Members\x93"]
    served = []

    def serve():
        for body in bodies:
            connection, _ = listener.accept()
            connection.sendall(body)
            served.append(body)
            connection.settimeout(3)
            try:
                while connection.recv(65536):
                    pass
            except OSError:
                pass
            connection.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    watch = watches(listener.getsockname()[1])
    assert watch.until(lambda _: True)["change"] == "unavailable"
    deadline = time.monotonic() + 120
    while len(served) < 4 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert len(served) >= 4
    listener.close()
    assert all(report["change"] == "unavailable" for report in watch.seen)
