"""The manager as a program: beginning, ending, configuration, what it refuses; and clients that mean it ill."""

import grp
import http.client
import json
import os
import socket
import ssl
import subprocess
import tempfile
import time

import pytest

from manager import REEVED, Events, Manager, cluster, free_port


@pytest.fixture(name="reeved")
def running(tmp_path):
    """A manager that runs, and still answers afterwards."""
    manager = Manager(tmp_path).start()
    yield manager
    assert manager.get("/readyz").status == 200
    assert manager.stop() == 0, manager.log.read_text()


def run(*arguments):
    """The program to its end."""
    return subprocess.run([str(REEVED), *map(str, arguments)], text=True, capture_output=True,
                          check=False, timeout=60)


# --- beginning and ending -----------------------------------------------------------------------


def test_what_was_acknowledged_is_there_after_a_restart(tmp_path):
    manager = Manager(tmp_path).start()
    revision = manager.apply(cluster("shop", web=3)).json["revision"]
    assert manager.kill() == -9
    manager.start()
    assert manager.get("/v1/clusters/shop").json["metadata"]["revision"] == revision
    assert manager.stop() == 0
    log = manager.log.read_text()
    for event in ("daemon: starting", "daemon: ready", "daemon: stopping", "daemon: stopped"):
        assert event in log
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
    assert not (tmp_path / "s").exists()


def test_a_store_has_one_owner(tmp_path):
    manager = Manager(tmp_path).start()
    second = run("--data", tmp_path / "data", "--socket", tmp_path / "other")
    assert second.returncode == 1 and "R0507" in second.stderr
    third = run("--data", tmp_path / "data2", "--socket", tmp_path / "s")
    assert third.returncode == 1 and "another process listens" in third.stderr
    assert manager.get("/readyz").status == 200, "its socket is gone"
    assert manager.stop() == 0


def test_a_damaged_store_is_refused(tmp_path):
    manager = Manager(tmp_path).start()
    for number in range(20):
        manager.apply(cluster(f"shop{number}", web=1))
    manager.stop()
    for path in (tmp_path / "data").iterdir():
        if path.is_file() and path.stat().st_size > 4096:
            data = bytearray(path.read_bytes())
            data[4096:] = os.urandom(len(data) - 4096)
            path.write_bytes(data)
    refused = run("--data", tmp_path / "data", "--socket", tmp_path / "s")
    assert refused.returncode == 1 and "R0506" in refused.stderr, refused.stderr


def test_ready_is_told_to_the_service_manager(tmp_path, monkeypatch):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ours:
        ours.bind(str(tmp_path / "notify"))
        ours.settimeout(20)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        manager = Manager(tmp_path).start()
        assert ours.recv(100) == b"READY=1"
        assert manager.stop() == 0
        assert ours.recv(100) == b"STOPPING=1"


ASK = """
import socket, sys
one = socket.socket(socket.AF_UNIX)
try:
    one.connect(sys.argv[1])
except PermissionError:
    sys.exit("kept out")
one.sendall(b"GET /v1/whoami HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n")
print(one.makefile().read())
"""


@pytest.mark.skipif(os.getuid() != 0, reason="acts as other users, which takes root")
def test_members_of_the_group_are_admins_and_others_are_kept_out(tmp_path):
    group = grp.getgrnam("nogroup").gr_gid
    config = tmp_path / "reeved.yaml"
    config.write_text("socketGroup: nogroup\n")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        manager = Manager(folder, "--config", str(config)).start()

        def ask(extra_groups, main_group=4242):
            return subprocess.run(["/usr/bin/python3", "-c", ASK, manager.socket], user=4242,
                                  group=main_group, extra_groups=extra_groups, text=True,
                                  capture_output=True, check=False, timeout=60)
        assert '"role":"owner"' in ask([7, group]).stdout
        assert '"role":"owner"' in ask([], group).stdout
        assert '"user":"uid-4242"' in ask([], group).stdout
        assert "kept out" in ask([7]).stderr
        os.chmod(manager.socket, 0o666)  # even then the kernel's word counts, not that he came in
        assert "R0410" in ask([7]).stdout
        assert manager.stop() == 0


# --- configuration ------------------------------------------------------------------------------


def test_a_configuration_with_faults_has_carets(tmp_path):
    path = tmp_path / "reeved.yaml"
    path.write_text("data: /tmp/x\nsoket: /tmp/s\nlog: loud\nlisten:\n"
                    "  - {address: 0.0.0.0:80, plain: true}\n  - {address: 127.0.0.1:99999}\n")
    shown = run("--config", path, "--check-config")
    assert shown.returncode == 3
    for part in (f"{path}:2:1: error[R0301]", "did you mean 'socket'?", f"{path}:3:6: error[R0307]",
                 "error[R0552]", "error[R0314]", "^^^^^"):
        assert part in shown.stderr, shown.stderr
    path.write_text("log: debug\nlisten:\n  - {address: 127.0.0.1:8080, plain: true}\n")
    assert run("--config", path, "--check-config").returncode == 0


@pytest.mark.parametrize("arguments, code", [
    (["--dat", "x"], "R0002"), (["--data"], "R0003"), (["--config", "/nowhere"], "R0011"),
    (["--listen-plain", "0.0.0.0:80"], "R0552"), (["--listen-plain", "here"], "R0314"),
])
def test_wrong_arguments(arguments, code):
    shown = run(*arguments)
    assert shown.returncode != 0 and code in shown.stderr


def test_help_and_version():
    assert "--check-config" in run("--help").stdout
    assert run("--version").stdout.startswith("reeved ")


def test_sighup_reads_the_configuration_again(tmp_path):
    path = tmp_path / "reeved.yaml"
    path.write_text("log: info\n")
    manager = Manager(tmp_path, "--config", str(path)).start()
    for text, event in (("log: warn\n", "reloaded"), ("log: [\n", "not_reloaded")):
        path.write_text("log: debug\n" if event == "reloaded" else text)
        manager.process.send_signal(1)
        deadline = time.monotonic() + 20
        while f"daemon: {event}" not in manager.log.read_text():
            assert time.monotonic() < deadline
            time.sleep(0.02)
    assert manager.get("/healthz").status == 200
    assert manager.stop() == 0


# --- TLS ----------------------------------------------------------------------------------------


def make_certificate(folder):
    """A new key and a certificate that it signed itself."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
                   check=True, capture_output=True, timeout=60)


@pytest.fixture(name="secure")
def with_tls(tmp_path):
    """A manager with a TLS listener: (manager, port)."""
    port = free_port()
    make_certificate(tmp_path)
    config = tmp_path / "reeved.yaml"
    config.write_text(f"listen:\n  - address: 127.0.0.1:{port}\n    tls: "
                      f"{{certificate: {tmp_path}/cert.pem, key: {tmp_path}/key.pem}}\n")
    manager = Manager(tmp_path, "--config", str(config)).start()
    yield manager, port
    assert manager.stop() == 0, manager.log.read_text()


def context(version=None):
    """A client that trusts anybody, at most of this version."""
    one = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    one.check_hostname = False
    one.verify_mode = ssl.CERT_NONE
    if version is not None:
        one.maximum_version = version
    return one


def test_tls_is_version_1_3_and_takes_tokens(secure):
    manager, port = secure
    manager.post("/v1/users", {"name": "ana"})
    token = manager.post("/v1/tokens", {"user": "ana"}).json["token"]
    one = http.client.HTTPSConnection("127.0.0.1", port, timeout=20, context=context())
    one.request("GET", "/v1/whoami", headers={"Authorization": f"Bearer {token}"})
    assert json.loads(one.getresponse().read())["user"] == "ana"
    assert one.sock.version() == "TLSv1.3"
    one.close()
    old = http.client.HTTPSConnection("127.0.0.1", port, timeout=20,
                                      context=context(ssl.TLSVersion.TLSv1_2))
    with pytest.raises(ssl.SSLError):
        old.request("GET", "/healthz")


def test_plain_http_at_the_tls_port_is_told_so(secure):
    _, port = secure
    with socket.create_connection(("127.0.0.1", port), 20) as one:
        one.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = one.recv(4096)
    assert answer.startswith(b"HTTP/1.1 400") and b"https://" in answer


def certificate_of(port):
    """What the listener shows."""
    with socket.create_connection(("127.0.0.1", port), 20) as one:
        with context().wrap_socket(one) as wrapped:
            return wrapped.getpeercert(binary_form=True)


def test_sighup_renews_certificates_and_open_connections_go_on(secure):
    manager, port = secure
    before = certificate_of(port)
    old = http.client.HTTPSConnection("127.0.0.1", port, timeout=20, context=context())
    old.request("GET", "/healthz")
    assert old.getresponse().read() == b"ok\n"
    make_certificate(manager.folder)
    manager.process.send_signal(1)
    deadline = time.monotonic() + 20
    while certificate_of(port) == before:
        assert time.monotonic() < deadline
    old.request("GET", "/healthz")
    assert old.getresponse().read() == b"ok\n"
    old.close()
    renewed = certificate_of(port)
    (manager.folder / "key.pem").write_text("no key")
    manager.process.send_signal(1)
    while "certificate_not_renewed" not in manager.log.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert certificate_of(port) == renewed


# --- clients that mean it ill -------------------------------------------------------------------


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
def test_bytes_that_are_no_request(reeved, data):
    one = reeved.connect()
    one.connect()
    with one.sock as sock:
        try:
            sock.sendall(data)
            sock.shutdown(socket.SHUT_WR)
            sock.settimeout(20)
            answer = sock.recv(65536)
        except (BrokenPipeError, ConnectionResetError):
            answer = b""
    assert status(answer) in (0, 400, 414, 505), answer[:200]


def test_a_slow_head_and_a_slow_body_do_not_stay(reeved):
    """Both drip; neither holds its connection beyond the absolute deadline."""
    slow = reeved.connect(timeout=30)
    slow.connect()
    start = time.monotonic()
    ended = False
    try:
        for byte in b"GET /healthz HTTP/1.1\r\nX: " + b"y" * 200:
            slow.sock.sendall(bytes([byte]))
            slow.sock.settimeout(0.2)
            try:
                ended = slow.sock.recv(100) == b""
            except TimeoutError:
                continue
            break
    except (BrokenPipeError, ConnectionResetError):
        ended = True
    slow.close()
    assert ended and time.monotonic() - start < 40


def test_very_many_idle_connections(reeved):
    idle = []
    for _ in range(5000):
        one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        one.connect(reeved.socket)
        idle.append(one)
    assert reeved.get("/healthz").status == 200
    for one in idle:
        one.close()


def test_one_address_does_not_take_all_connections(reeved):
    idle = [socket.create_connection(("127.0.0.1", reeved.port), 20) for _ in range(2100)]
    with pytest.raises((OSError, http.client.HTTPException)):
        reeved.ask("GET", "/healthz", connection=reeved.connect(tcp=True))
    assert reeved.get("/healthz").status == 200
    for one in idle:
        one.close()


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


def test_every_change_of_one_object_is_told(reeved):
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


def test_a_watcher_that_never_reads_costs_a_bounded_queue(reeved):
    one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    one.connect(reeved.socket)
    one.sendall(b"GET /v1/watch HTTP/1.1\r\nHost: x\r\n\r\n")
    assert reeved.get("/healthz").status == 200
    for number in range(12):  # the row of changes takes 65,536 of them
        reeved.apply(wide("y" * 200 + str(number)))
    one.settimeout(40)
    seen = b""
    while b"event: reset" not in seen:
        part = one.recv(65536)
        assert part and b"\n:\n" not in part, "ended, or quiet, without a reset"
        seen = seen[-100:] + part
    one.close()

