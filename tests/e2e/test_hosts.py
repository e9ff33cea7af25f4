"""The machines that other tests have: when one is stopped, all that served its sessions has ended."""
import contextlib
import os
import signal
import socket
import threading

import pytest

from hosts import Sshd, port_of, sessions_of
from manager import until

NETWORK = "127.0.14"


@pytest.fixture(name="sshd")
def an_sshd(tmp_path):
    """One that runs, and lets nobody in."""
    one = Sshd(tmp_path / "host", [f"{NETWORK}.1"], port_of(NETWORK), "MaxStartups 1000").start()
    yield one
    one.stop()


def connect(sshd):
    """A connection that says nothing, and so lives on as long as whoever serves it."""
    return socket.create_connection((sshd.addresses[0], sshd.port), 30)


def has_ended(connection):
    """Has the other side ended it?"""
    connection.settimeout(60)
    with connection, contextlib.suppress(ConnectionResetError, BrokenPipeError):
        connection.sendall(b"S")  # one that nobody took hears of the end only in answer to something
        while connection.recv(4096):
            pass
    return True


def test_sessions_that_come_meanwhile_end_with_their_sshd(sshd):
    """Among them some that have not executed themselves anew: they would take SIGTERM for their listener's, and forget it."""
    for _ in range(3):
        connections, enough = [], threading.Event()

        def come(connections=connections, enough=enough):
            with contextlib.suppress(OSError):  # nobody listens any more
                while True:
                    connections.append(connect(sshd))
                    if len(connections) >= 20:
                        enough.set()
        clients = [threading.Thread(target=come) for _ in range(3)]
        for client in clients:
            client.start()
        assert enough.wait(60), sshd.log()
        sshd.stop()
        for client in clients:
            client.join(60)
        assert all(map(has_ended, connections))
        sshd.start()


def test_one_that_cannot_hear_ends_with_its_sshd(sshd):
    """Others are served beside it, as who asked whether anybody answers may be yet."""
    with connect(sshd):
        connection = connect(sshd)
        port = connection.getsockname()[1]
        until(lambda: f" port {port} on " in sshd.log(), sshd.log)  # whoever serves it says so
        for session in sessions_of(sshd.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(session, signal.SIGSTOP)
        sshd.stop()
        assert has_ended(connection)
