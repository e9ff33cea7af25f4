#!/usr/bin/python3 -B
"""Other clients while some mean it ill: the median and the most of a read, quiet and under each crowd, one JSON line each;
and what one TLS handshake costs the manager: hostile.py BUILD
"""

import contextlib
import json
import os
import pathlib
import resource
import socket
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from manager import Manager, cluster, secure_manager, tls_context  # noqa: E402  pylint: disable=wrong-import-position

READS, CROWD, IDLE, HANDSHAKES = 400, 1000, 10000, 300


def say(name, **figures):
    """One line."""
    print(json.dumps({"name": f"hostile/{name}", **figures}), flush=True)


def reads(manager):
    """Times of reads, one after the other, in microseconds, sorted."""
    connection, times = manager.connect(), []
    for _ in range(READS):
        begin = time.perf_counter()
        assert manager.get("/v1/clusters/shop", connection=connection).status == 200
        times.append((time.perf_counter() - begin) * 1e6)
    connection.close()
    return sorted(times)


def measure(name, manager):
    """One line about what others see now."""
    times = reads(manager)
    say(name, p50_us=round(times[len(times) // 2]), p99_us=round(times[len(times) * 99 // 100]),
        max_us=round(times[-1]))


def processor_s(manager):
    """Time of processors that the manager took."""
    words = pathlib.Path(f"/proc/{manager.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def local(manager, data=b""):
    """A connection that has said so much."""
    one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    one.connect(manager.socket)
    one.sendall(data)
    return one


@contextlib.contextmanager
def dripping(ones):
    """A byte a second from each."""
    over = threading.Event()

    def drip():
        while not over.wait(1):
            for one in ones:
                with contextlib.suppress(OSError):
                    one.send(b"x")
    thread = threading.Thread(target=drip)
    thread.start()
    yield
    over.set()
    thread.join()
    for one in ones:
        one.close()


def shake(port, count):
    """So many handshakes that begin at once."""
    context, ones = tls_context(), []
    for _ in range(count):
        raw = socket.create_connection(("127.0.0.1", port), 30)
        ones.append(context.wrap_socket(raw, do_handshake_on_connect=False))
    for one in ones:
        one.setblocking(False)
        with contextlib.suppress(OSError):
            one.do_handshake()
    for one in ones:
        one.setblocking(True)
        one.do_handshake()
        one.close()


def main():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(dir=build) as folder:
        manager, port = secure_manager(pathlib.Path(folder))
        manager.program = build / "reeved"
        manager.start()
        try:
            manager.apply(cluster("shop", web=3))
            reads(manager)
            measure("quiet", manager)
            head = b"POST /v1/apply HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            ones = [local(manager, head) for _ in range(CROWD // 2)]
            ones += [local(manager, head + b"Content-Length: 1000\r\n\r\n") for _ in range(CROWD // 2)]
            with dripping(ones):
                measure(f"{CROWD} slow heads and bodies", manager)
            ones = [local(manager) for _ in range(min(IDLE, hard - 500))]
            measure(f"{len(ones)} idle", manager)
            for one in ones:
                one.close()
            ones = [socket.create_connection(("127.0.0.1", port), 30) for _ in range(CROWD)]
            measure(f"{CROWD} mute before TLS", manager)
            for one in ones:
                one.close()
            before = processor_s(manager)
            shake(port, HANDSHAKES)
            say("handshake", processor_us=round((processor_s(manager) - before) / HANDSHAKES * 1e6))
            thread = threading.Thread(target=shake, args=(port, HANDSHAKES))
            thread.start()
            measure(f"{HANDSHAKES} handshakes at once", manager)
            thread.join()
            measure("quiet again", manager)
        finally:
            manager.stop()


main()
