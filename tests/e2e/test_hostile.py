"""Clients that mean it ill, alone and in crowds: each is cut off or answered within its limit, memory stays bounded,
and every other client is answered."""

import contextlib
import http.client
import os
import pathlib
import resource
import select
import socket
import ssl
import threading
import time

import pytest

from manager import REEVED, Events, Manager, cluster, secure_manager, tls_context, until

CROWD = int(os.environ.get("HOSTILE_CROWD", "1000"))  # who drip, or say nothing
IDLE = int(os.environ.get("HOSTILE_IDLE", "10000"))
SHORT_S = 2
SHORT = f"deadlines: {{head: {SHORT_S}s, body: {SHORT_S}s, idle: 1m}}\n"
LONG = "deadlines: {head: 5m, body: 5m, idle: 5m}\n"  # where connections are to stay, however slow this machine is
PATIENCE_S = 60
# a sanitizer keeps what was freed, and puts space around what is used
MEMORY_FACTOR = 8 if REEVED.parent.name == "asan" else 1


def with_deadlines(folder, text):
    """A manager with these, not started."""
    (folder / "c.yaml").write_text(text)
    return Manager(folder, "--config", str(folder / "c.yaml"))


@pytest.fixture(name="reeved")
def running(tmp_path):
    """A manager that cuts nobody off, and still answers afterwards."""
    manager = with_deadlines(tmp_path, LONG).start()
    yield manager
    assert manager.get("/readyz").status == 200
    assert manager.stop() == 0, manager.log.read_text()


@pytest.fixture(name="hasty")
def that_cuts_off(tmp_path):
    """A manager that cuts off who is slow, and still answers afterwards."""
    manager = with_deadlines(tmp_path, SHORT).start()
    yield manager
    assert manager.get("/readyz").status == 200
    assert manager.stop() == 0, manager.log.read_text()


@pytest.fixture(name="files", autouse=True)
def many_files():
    """As many descriptors as this process may have; gives the number."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def metric(manager, name):
    """One of its figures."""
    line = next(line for line in manager.get("/metrics").text.splitlines()
                if line.startswith(name + " "))
    return float(line.rpartition(" ")[2])


def resident(manager):
    """Bytes of memory in use."""
    text = pathlib.Path(f"/proc/{manager.process.pid}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in text.splitlines()
                if line.startswith("VmRSS:"))


def processor_s(manager):
    """Time of processors that the manager took."""
    words = pathlib.Path(f"/proc/{manager.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def local(manager):
    """A connection to the unix socket, as plain as it can be."""
    one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    one.connect(manager.socket)
    return one


def cut_off(ones, deadline_s=PATIENCE_S):
    """Wait until the other side has ended all of these; gives those that it did not."""
    poll, left = select.poll(), {one.fileno(): one for one in ones}
    for number in left:
        poll.register(number, select.POLLIN | select.POLLRDHUP)
    deadline = time.monotonic() + deadline_s
    while left and time.monotonic() < deadline:
        for number, events in poll.poll(200):
            data = b""
            with contextlib.suppress(ConnectionResetError):
                data = left[number].recv(65536)
            if not data or events & (select.POLLHUP | select.POLLERR):
                poll.unregister(number)
                del left[number]
    return list(left.values())


class Others(threading.Thread):
    """Other clients, who ask all the while: one that reads, one that writes."""

    def __init__(self, manager):
        super().__init__()
        self.manager = manager
        self.statuses = []
        self.is_over = False

    def run(self):
        while not self.is_over:
            self.statuses.append(self.manager.get("/v1/clusters").status)
            self.statuses.append(self.manager.post(
                "/v1/apply?allow=destroy:99", {"documents": [cluster("shop", web=len(self.statuses) % 7)]}).status)
            time.sleep(0.01)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        until(lambda: len(self.statuses) > 2 or not self.is_alive(), lambda: str(self.statuses))  # the crowd is still there
        self.is_over = True
        self.join(PATIENCE_S)
        assert not self.is_alive() and len(self.statuses) > 2
        assert set(self.statuses) == {200}


# --- one at a time ------------------------------------------------------------------------------



def head(method="POST", path="/v1/apply", *lines):
    """Bytes of a head."""
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: x", "Content-Type: application/json",
                        *lines, "", ""]).encode()


def status(answer):
    """The status of raw bytes; 0: the connection was cut without one."""
    return int(answer.split()[1]) if answer.startswith(b"HTTP/1.1 ") else 0


def test_a_body_that_is_too_large(reeved):
    body = b"x" * (20 * 1024 * 1024)
    answer = reeved.ask("POST", "/v1/apply", body, Content_Type="application/json")
    assert answer.status == 413 and answer.code == "R0421"
    first = reeved.raw(head("POST", "/v1/apply", "Expect: 100-continue", "Content-Length: 20971520"))
    assert status(first) == 413
    huge = reeved.raw(head("POST", "/v1/apply", "Content-Length: 99999999999"))
    assert status(huge) == 413


@pytest.mark.parametrize("lines", [
    ["Content-Length: 2", "Transfer-Encoding: chunked"],
    ["Content-Length: 2", "Content-Length: 2"],
    ["Content-Length: 2", "Content-Length: 3"],
    ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
    ["Transfer-Encoding: gzip"],
    ["Host: y", "Content-Length: 2"],
    ["Content-Length: -2"], ["Content-Length: 2x"], ["Content-Length: 99999999999999999999999"],
    ["If-Match: \"1\"", "If-Match: \"2\"", "Content-Length: 2"],
    ["Authorization: Bearer a", "Authorization: Bearer b", "Content-Length: 2"],
])
def test_a_head_that_can_be_read_in_two_ways(reeved, lines):
    smuggled = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    answer = reeved.raw(head("POST", "/v1/apply", *lines, "Connection: close") + b"{}" + smuggled)
    assert status(answer) in (0, 400, 413), answer
    assert b"\r\nok\n" not in answer


def test_length_beside_chunks(reeved):
    """Well-formed by either of the two, and so taken by a server that believes one of them."""
    answer = reeved.raw(head("POST", "/v1/apply", "Content-Length: 12", "Transfer-Encoding: chunked")
                        + b"2\r\n{}\r\n0\r\n\r\n")
    assert status(answer) == 400 and b"R0420" in answer and b"Connection: close" in answer
    assert answer.count(b"HTTP/1.1 ") == 1


def test_chunks_without_end(reeved):
    chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    one = reeved.connect()
    one.connect()
    with one.sock as sock:
        sock.sendall(head("POST", "/v1/apply", "Transfer-Encoding: chunked"))
        sent = 0
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            while sent < 1024:
                sock.sendall(chunk)
                sent += 1
    assert sent < 1024
    small = b"".join([chunk] * 300) + b"0\r\n\r\n"
    answer = reeved.raw(head("POST", "/v1/apply", "Transfer-Encoding: chunked", "Connection: close")
                        + small)
    assert status(answer) == 413 and b"R0421" in answer


def test_very_long_heads(reeved):
    assert status(reeved.raw(head("GET", "/v1/clusters", "X: " + "y" * 200000))) in (0, 400, 431)
    assert status(reeved.raw(head("GET", "/" + "y" * 9000, "Connection: close"))) in (0, 400, 414)
    many = [f"X-{number}: y" for number in range(100)]
    assert status(reeved.raw(head("GET", "/v1/clusters", *many, "Connection: close"))) == 400


@pytest.mark.parametrize("data", [
    b"\0" * 100, b"\r\n" * 50000, b"GET\r\n\r\n", b"GET  /  HTTP/9.9\r\n\r\n", b"\x16\x03\x01" * 50,
    b"GET http://x/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n",
], ids=["nul", "newlines", "no_target", "version", "tls", "absolute", "no_host"])
def test_bytes_that_are_no_request(hasty, data):
    one = hasty.connect()
    one.connect()
    with one.sock as sock:
        try:
            sock.sendall(data)
            sock.shutdown(socket.SHUT_WR)
            sock.settimeout(60)
            answer = sock.recv(65536)
        except (BrokenPipeError, ConnectionResetError):
            answer = b""
    assert status(answer) in (0, 400, 414, 505), answer[:200]


GROUPS = 6000


def wide(label):
    """More groups than the queue of a watcher takes."""
    return {"name": "wide", "version": "1", "groups": {
        f"g{number}": {"size": 1, "labels": {"x": label}, "resourcePlugin": {"name": "sim"}}
        for number in range(GROUPS)}}


def test_a_revision_of_more_than_the_queue_ends_no_stream(reeved):
    watch = Events(reeved, "?kinds=nodegroup")
    watch.next()
    reeved.apply(wide("y" * 200))  # more than the socket takes: the manager waits for the reader
    told = [watch.next() for _ in range(GROUPS)]
    assert {event[0] for event in told} == {"put"}
    assert len({event[2]["metadata"]["name"] for event in told}) == GROUPS
    revisions = [event[2]["metadata"]["revision"] for event in told]
    ends = [one != after for one, after in zip(revisions, revisions[1:] + [0])]
    assert [event[1] is not None for event in told] == ends
    watch.close()


def test_every_change_of_one_object_is_reported(reeved):
    """More than the socket takes, and fewer than are told one by one."""
    reeved.apply(cluster("shop", web=1))
    watch = Events(reeved, "?kinds=nodegroup")
    watch.next()
    for number in range(100):
        labels = {f"x{place}": f"{number:03}" * 60 for place in range(60)}
        assert reeved.patch("/v1/clusters/shop", {"groups": {"web": {"labels": labels}}}).status == 200
    told = [watch.next() for _ in range(100)]
    assert [event[2]["spec"]["labels"]["x0"][:3] for event in told] == [f"{n:03}" for n in range(100)]
    numbers = [event[1] for event in told]
    assert numbers == sorted(set(numbers))
    watch.close()


def test_a_watcher_that_hardly_reads_costs_a_bounded_queue(reeved):
    one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    one.connect(reeved.socket)
    one.sendall(b"GET /v1/watch HTTP/1.1\r\nHost: x\r\n\r\n")
    one.settimeout(60)
    seen = b""

    def read():
        nonlocal seen
        part = one.recv(65536)
        assert part and b"\n:\n" not in part, "ended, or quiet, without a reset"
        seen = seen[-100:] + part
        return b"event: reset" in seen

    is_reset = read()
    for number in range(12):  # the row of changes takes 65,536 of them
        reeved.apply(wide("y" * 200 + str(number)))
        is_reset = is_reset or read()  # next to nothing: who takes nothing at all for 30 s is cut off instead
    while not is_reset:
        is_reset = read()
    one.close()


# --- crowds -------------------------------------------------------------------------------------


def drip(ones, texts):
    """A byte a second from each, until all are cut off."""
    left = dict(zip(ones, texts))
    deadline = time.monotonic() + PATIENCE_S
    position = 0
    while left and time.monotonic() < deadline:
        for one in list(left):
            try:
                one.send(left[one][position:position + 1])
            except OSError:
                del left[one]
        position += 1
        for one in select_readable(left):
            with contextlib.suppress(OSError):
                if one.recv(65536):
                    continue
            del left[one]
        time.sleep(1)
    return len(left)


def select_readable(ones):
    """Those of them that can be read."""
    poll, by_number = select.poll(), {one.fileno(): one for one in ones}
    for number in by_number:
        poll.register(number, select.POLLIN)
    return [by_number[number] for number, _ in poll.poll(0)]


def test_a_crowd_of_slow_heads_and_bodies(hasty):
    before = resident(hasty)
    heads = [local(hasty) for _ in range(CROWD // 2)]
    bodies = [local(hasty) for _ in range(CROWD // 2)]
    for one in bodies:
        with contextlib.suppress(OSError):  # this machine has paused, and it was cut off already
            one.sendall(head("POST", "/v1/apply", "Content-Length: 1000"))
    with Others(hasty):
        left = drip(heads + bodies, [b"GET /healthz HTTP/1.1\r\nX: " + b"y" * 200] * len(heads)
                    + [b" " * 1000] * len(bodies))
    assert left == 0, "some were not cut off"
    assert resident(hasty) - before < MEMORY_FACTOR * (CROWD * 40 * 1024 + (32 << 20))
    for one in heads + bodies:
        one.close()


def test_a_crowd_that_is_idle(reeved, files):
    count = min(IDLE, files - 500)
    assert count >= 500, "too few descriptors to show anything"
    before = resident(reeved)
    with Others(reeved):
        idle = [local(reeved) for _ in range(count)]
        assert reeved.get("/healthz").status == 200
        assert metric(reeved, "reeve_http_connections") >= count
    assert resident(reeved) - before < MEMORY_FACTOR * (count * 40 * 1024 + (32 << 20))
    for one in idle:
        one.close()


def test_one_address_does_not_take_all_connections(reeved):
    idle = [socket.create_connection(("127.0.0.1", reeved.port), 60) for _ in range(2048)]
    refused = reeved.ask("GET", "/healthz", connection=reeved.connect(tcp=True))
    assert refused.status == 429 and refused.code == "R0422" and refused.headers["Retry-After"]
    assert reeved.get("/healthz").status == 200
    idle.pop().close()
    deadline = time.monotonic() + PATIENCE_S
    while reeved.ask("GET", "/healthz", connection=reeved.connect(tcp=True)).status != 200:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    for one in idle:
        one.close()


def test_bodies_of_nobody_are_not_kept(reeved):
    before = resident(reeved)
    ones = [socket.create_connection(("127.0.0.1", reeved.port), 60) for _ in range(20)]
    part = b"x" * (1 << 20)
    for one in ones:
        one.sendall(head("POST", "/v1/apply", "Content-Length: 20971520"))
    for _ in range(20):
        for one in ones:
            with contextlib.suppress(OSError):
                one.sendall(part)
    assert resident(reeved) - before < MEMORY_FACTOR * (32 << 20)
    for one in ones:
        one.close()


# --- where descriptors run out ------------------------------------------------------------------


def few_files(tmp_path, count):
    """A manager that may have so many descriptors."""
    program = tmp_path / "reeved"
    program.write_text(f"#!/bin/sh\nulimit -n {count}\nexec '{Manager(tmp_path).program}' \"$@\"\n")
    program.chmod(0o755)
    (tmp_path / "c.yaml").write_text(LONG)
    return Manager(tmp_path, "--config", str(tmp_path / "c.yaml"), program=program).start()


def ask_raw(one):
    """What a connection says to a request; nothing where it is cut."""
    one.settimeout(60)
    with contextlib.suppress(OSError):
        one.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    with contextlib.suppress(OSError):
        return one.recv(65536)
    return b""


def test_more_connections_than_descriptors(tmp_path):
    manager = few_files(tmp_path, 200)
    first = manager.connect()
    assert manager.ask("GET", "/healthz", connection=first).status == 200
    outside = [socket.create_connection(("127.0.0.1", manager.port), 60) for _ in range(300)]
    answers = [ask_raw(one) for one in outside]
    served = [answer for answer in answers if status(answer) == 200]
    assert 50 < len(served) < 140, "not bounded by its descriptors"
    refused = [answer for answer in answers if status(answer) == 503]
    assert len(refused) > 100 and all(b"R0430" in answer and b"Retry-After" in answer
                                      for answer in refused)
    assert manager.get("/healthz").status == 200, "somebody of this machine is locked out"
    manager.apply(cluster("shop", web=2), connection=first)  # the store has descriptors of its own
    inside = [local(manager) for _ in range(100)]
    answers = [ask_raw(one) for one in inside]
    assert {status(answer) for answer in answers} >= {200, 503}
    assert manager.ask("GET", "/v1/clusters/shop", connection=first).status == 200
    for one in outside + inside:
        one.close()
    deadline = time.monotonic() + PATIENCE_S
    while manager.get("/healthz", connection=manager.connect(tcp=True)).status != 200:
        assert time.monotonic() < deadline
    assert manager.stop() == 0, manager.log.read_text()


def test_no_descriptor_at_all(reeved):
    """The system has none left for it: it refuses with the one it keeps, and does not spin."""
    first = reeved.connect()
    until(lambda: "\nreeve_http_connections 1\n" in reeved.get("/metrics", connection=first).text)  # who asked before is gone
    folder = pathlib.Path(f"/proc/{reeved.process.pid}/fd")
    numbers = sorted(int(path.name) for path in folder.iterdir())
    whole = resource.prlimit(reeved.process.pid, resource.RLIMIT_NOFILE)
    gaps = [number for number in range(numbers[-1]) if number not in numbers]
    fill = [local(reeved) for _ in gaps]
    assert reeved.ask("GET", "/healthz", connection=first).status == 200
    top = max(int(path.name) for path in folder.iterdir()) + 1
    resource.prlimit(reeved.process.pid, resource.RLIMIT_NOFILE, (top, whole[1]))
    try:
        waiting = [local(reeved) for _ in range(50)]
        waiting += [socket.create_connection(("127.0.0.1", reeved.port), 60) for _ in range(50)]
        answers = [ask_raw(one) for one in waiting]
        assert {status(answer) for answer in answers} == {503}
        assert all(b"R0430" in answer for answer in answers)
        before = processor_s(reeved)
        time.sleep(1)
        assert processor_s(reeved) - before < 0.5, "it spins"
        assert reeved.ask("GET", "/healthz", connection=first).status == 200
        reeved.apply(cluster("shop", web=2), connection=first)
    finally:
        resource.prlimit(reeved.process.pid, resource.RLIMIT_NOFILE, whole)
    for one in waiting + fill:
        one.close()
    assert reeved.get("/v1/clusters/shop").status == 200


# --- TLS ----------------------------------------------------------------------------------------


def ask_tls(port):
    """One request over a new connection; one for which this machine took too long is cut off, as it should, and another one asks."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        begun = time.monotonic()
        one = http.client.HTTPSConnection("127.0.0.1", port, timeout=PATIENCE_S, context=tls_context())
        try:
            one.request("GET", "/healthz")
            return one.getresponse().status
        except (OSError, http.client.HTTPException):
            if not begun + SHORT_S <= time.monotonic() < deadline:
                raise
        finally:
            one.close()


def test_a_crowd_that_says_nothing_to_the_tls_port(tmp_path):
    manager, port = secure_manager(tmp_path, SHORT)
    manager.start()
    mute = [socket.create_connection(("127.0.0.1", port), 60) for _ in range(CROWD)]
    begun = [socket.create_connection(("127.0.0.1", port), 60) for _ in range(100)]
    for one in begun:
        one.sendall(b"\x16\x03\x01\x02\x00\x01")  # a handshake that is never finished
    with Others(manager):
        assert {ask_tls(port) for _ in range(20)} == {200}
        assert not cut_off(mute + begun), "some were not cut off"
    for one in mute + begun:
        one.close()
    until(lambda: metric(manager, "reeve_http_connections") < 10)  # who was answered has gone too
    assert manager.stop() == 0, manager.log.read_text()


def test_a_crowd_of_handshakes(tmp_path):
    manager, port = secure_manager(tmp_path, LONG)
    manager.start()
    context = tls_context()
    ones = []
    for _ in range(300):
        raw = socket.create_connection(("127.0.0.1", port), 60)
        raw.setblocking(False)
        one = context.wrap_socket(raw, do_handshake_on_connect=False)
        with contextlib.suppress(ssl.SSLWantReadError):
            one.do_handshake()
        ones.append(one)
    with Others(manager):
        for one in ones:
            one.settimeout(PATIENCE_S)
            one.do_handshake()
    for one in ones:
        one.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert {status(one.recv(65536)) for one in ones} == {200}
    for one in ones:
        one.close()
    assert manager.stop() == 0, manager.log.read_text()


def test_nonsense_at_the_tls_port(tmp_path):
    manager, port = secure_manager(tmp_path, SHORT)
    manager.start()
    for data in (b"\x16" + b"\xff" * 70000, b"\0" * 1000, b"\x16\x03\x01\x40\x00" + b"\x01" * 16384,
                 b"", b"GET " + b"/" * 100000):
        with socket.create_connection(("127.0.0.1", port), 60) as one:
            with contextlib.suppress(OSError):
                one.sendall(data)
                one.shutdown(socket.SHUT_WR)
            assert not cut_off([one])
    assert ask_tls(port) == 200
    assert manager.stop() == 0, manager.log.read_text()


# ---- lines that two parsers could read in two ways ----

HEALTH = b"GET /v1/clusters HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"


@pytest.mark.parametrize("data", [
    b"GET /v1/clusters HTTP/1.1\nHost: x\nConnection: close\n\n",
    b"GET /v1/clusters HTTP/1.1\nHost: x\r\nConnection: close\r\n\r\n",
    b"GET /v1/clusters HTTP/1.1\r\nHost: x\nConnection: close\r\n\r\n",
    b"GET /v1/clusters HTTP/1.1\r\nHost: x\r\nConnection: close\n\r\n",
    HEALTH + b"\n",
    HEALTH + b"X: a\rReeve-Tenant: b\r\n\r\n",
    HEALTH + b"X: a\0b\r\n\r\n",
    HEALTH + b"X: a\0Reeve-Tenant: b\r\nY: c\r\n\r\n",
    HEALTH + b"Reeve-Tenant: default\0x\r\nY: c\r\n\r\n",
    HEALTH + b"Reeve-Tenant: default\0\r\nY: c\r\n\r\n",
    HEALTH + b"X\0Y: a\r\n\r\n",
    HEALTH + b"X: a\r\n b\r\n\r\n",
    b"GET /v1/clusters\0x HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /v1/clusters HTTP/1.1\0x\r\nHost: x\r\n\r\n",
    b"POST /v1/clusters HTTP/1.1\nHost: x\nContent-Type: application/json\nContent-Length: 2\nConnection: close\n\n{}",
])
def test_lines_end_with_cr_lf_and_hold_no_nul(reeved, data):
    for tcp in (False, True):
        answer = reeved.raw(data, tcp=tcp)
        assert status(answer) in (400, 0), answer
        assert status(answer) == 400 or b"\0" in data


def test_heads_that_come_byte_by_byte_or_are_long_are_served(reeved):
    """What tells lines apart works on the memory that they are received in: however they come, and however many they are."""
    many = b"".join(b"X-%d: %s\r\n" % (number, b"y" * 150) for number in range(55))
    for data in (HEALTH + b"\r\n", HEALTH + many + b"\r\n", HEALTH + b"Empty:\r\nBlank: \t \r\nLast: z \r\n\r\n",
                 b"GET /v1/clusters HTTP/1.1\r\nHost: x\r\nCookie: a=b; c=d\r\nConnection: close\r\n\r\n"):
        for step in (1, 7, 1000, len(data)):
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
                one.settimeout(PATIENCE_S)
                one.connect(reeved.socket)
                for start in range(0, len(data), step):
                    one.sendall(data[start:start + step])
                answer = b""
                while part := one.recv(65536):
                    answer += part
            assert status(answer) == 200, (data[-80:], step, answer)


def test_wrong_tokens_of_one_address_are_limited(reeved):
    """Further ones get 429 for a minute; one that is right counts all the same."""
    reeved.post("/v1/users", {"name": "ana"})
    token = reeved.post("/v1/tokens", {"user": "ana"}).json["token"]
    codes = [reeved.get("/v1/clusters", token="0" * 64).status for _ in range(30)]
    assert codes == 20 * [401] + 10 * [429]
    assert reeved.post("/v1/session", {"token": "1" * 64}, connection=reeved.connect(tcp=True)).status == 429
    assert reeved.post("/v1/session", {"link": "1" * 64}, connection=reeved.connect(tcp=True)).status == 429
    assert reeved.get("/v1/whoami", token=token).status == 200
    assert reeved.get("/v1/whoami").status == 200  # by the socket
    assert reeved.log.read_text().count("api: wrong_tokens") == 1


def test_clients_behind_a_proxy_are_distinguished(tmp_path):
    """What a proxy says in X-Forwarded-For counts, what anybody else says there does not; its connections are not limited as one's."""
    (tmp_path / "c.yaml").write_text("connectionsPerAddress: 5\ntrustedProxies: [127.0.0.2, 10.0.0.0/8]\n" + LONG)
    with Manager(tmp_path, "--config", str(tmp_path / "c.yaml")) as manager:
        manager.start()

        def come(source):
            return socket.create_connection(("127.0.0.1", manager.port), PATIENCE_S, source_address=(source, 0))

        def ask(source, forwarded):
            with come(source) as one:
                one.sendall(b"GET /v1/clusters HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\nConnection: close\r\n"
                            + b"".join(b"X-Forwarded-For: %s\r\n" % part for part in forwarded) + b"\r\n")
                answer = b""
                while part := one.recv(65536):
                    answer += part
            return status(answer)
        for _ in range(20):
            assert ask("127.0.0.2", [b"192.0.2.1, 10.1.1.1"]) == 401
        assert ask("127.0.0.2", [b"192.0.2.1"]) == 429
        assert ask("127.0.0.2", [b"192.0.2.1", b"192.0.2.2"]) == 401  # the one that the proxy has seen
        for number in range(20):
            assert ask("127.0.0.3", [b"192.0.2.%d" % number]) == 401
        assert ask("127.0.0.3", [b"192.0.2.99"]) == 429  # no proxy of ours
        with contextlib.ExitStack() as stack:
            for _ in range(5):
                stack.enter_context(come("127.0.0.3"))
            until(lambda: ask("127.0.0.3", []) == 429)
            for _ in range(20):
                stack.enter_context(come("127.0.0.2"))
            assert ask("127.0.0.2", [b"192.0.2.7"]) == 401
