"""The manager as a program: beginning, ending, configuration, what it refuses; TLS."""

import contextlib
import grp
import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import tempfile
import time

import pytest

from manager import REEVED, Manager, cluster, make_certificate, secure_manager, tls_context, until


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
                          check=False, timeout=240)


# --- beginning and ending -----------------------------------------------------------------------


def test_what_was_acknowledged_is_there_after_a_restart(tmp_path):
    manager = Manager(tmp_path).start()
    # The answer of an apply has the revision of the store, which other records may have raised.
    manager.apply(cluster("shop", web=3))
    revision = manager.get("/v1/clusters/shop").json["metadata"]["revision"]
    assert manager.kill() == -9
    manager.start()
    assert manager.get("/v1/clusters/shop").json["metadata"]["revision"] == revision
    assert manager.stop() == 0
    log = manager.log.read_text()
    for event in ("daemon: starting", "daemon: ready", "daemon: stopping", "daemon: stopped"):
        assert event in log
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o711])
def test_a_folder_that_others_can_look_into_is_closed_and_reported(tmp_path, mode):
    with Manager(tmp_path) as manager:
        manager.start()
        assert "folder_mode_repaired" not in manager.log.read_text()
        assert manager.stop() == 0
        (tmp_path / "data").chmod(mode)
        manager.start()
        assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
        assert f"folder_mode_repaired folder={tmp_path}/data was={mode:04o} now=0700" in manager.log.read_text()


def test_a_key_of_tls_that_others_can_read_is_refused(tmp_path):
    manager, port = secure_manager(tmp_path)
    for mode in (0o644, 0o604, 0o660):
        (tmp_path / "key.pem").chmod(mode)
        refused = run("--config", tmp_path / "reeved.yaml", "--data", tmp_path / "data", "--socket", tmp_path / "s")
        assert refused.returncode == 1 and f"(mode {mode:04o})" in refused.stderr and "chmod 0600" in refused.stderr, refused.stderr
    (tmp_path / "key.pem").chmod(0o640)  # a group of its own
    with manager.start():
        before = certificate_of(port)
        make_certificate(tmp_path)
        (tmp_path / "key.pem").chmod(0o644)
        manager.process.send_signal(signal.SIGHUP)
        until(lambda: "certificate_not_renewed" in manager.log.read_text(), manager.log.read_text)
        assert certificate_of(port) == before


def test_a_store_has_one_owner(tmp_path):
    manager = Manager(tmp_path).start()
    second = run("--data", tmp_path / "data", "--socket", tmp_path / "other")
    assert second.returncode == 1 and "R0507" in second.stderr
    assert f"fuser {tmp_path}/data/store.lock" in second.stderr
    third = run("--data", tmp_path / "data2", "--socket", tmp_path / "s")
    assert third.returncode == 1 and "another process listens" in third.stderr
    assert manager.get("/readyz").status == 200, "its socket is gone"
    assert manager.stop() == 0


def test_the_next_one_waits_a_moment_for_the_lock_of_one_that_is_killed(tmp_path):
    """A child that it was just starting has its descriptors until it is somebody else."""
    first, second = Manager(tmp_path), Manager(tmp_path)
    for number in (1, 3, 5):
        first.start()
        second.start(wait=False)
        until(lambda number=number: first.log.read_text().count("daemon: starting") > number)
        first.kill()
        with contextlib.suppress(AssertionError):  # this machine has paused for longer than that moment: once more
            second.wait_ready()
            break
    assert second.stop() == 0, second.log.read_text()


def test_a_store_that_is_all_but_gone_is_served_with_its_damage(tmp_path):
    """It starts (decision 0115); tests/fault/test_flip_manager.py has the rest."""
    manager = Manager(tmp_path).start()
    for number in range(20):
        manager.apply(cluster(f"shop{number}", web=1))
    manager.stop()
    ended = len(manager.log.read_text())
    for path in (tmp_path / "data").iterdir():
        if path.is_file() and path.stat().st_size > 4096:
            data = bytearray(path.read_bytes())
            data[4096:] = os.urandom(len(data) - 4096)
            path.write_bytes(data)
    manager.start(wait=False)
    until(lambda: "daemon: ready" in manager.log.read_text()[ended:], manager.log.read_text)
    ready = manager.get("/readyz")
    assert (ready.status, ready.code) == (503, "R0506") and "the store is damaged" in ready.json["detail"]
    assert manager.get("/v1/clusters").json["items"] == []
    refused = manager.post("/v1/apply", {"documents": [cluster("shop0", web=1)]})
    assert (refused.status, refused.code) == (503, "R0506"), refused.text
    assert manager.stop() == 0


def test_ready_is_reported_to_the_service_manager(tmp_path, monkeypatch):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ours:
        ours.bind(str(tmp_path / "notify"))
        ours.settimeout(60)
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
                                  capture_output=True, check=False, timeout=240)
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


def test_what_keeps_it_from_starting_shows_what_to_do(tmp_path):
    """A port that is taken, a folder that cannot be made: the first things that go wrong for somebody new."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        shown = run("--data", tmp_path / "d", "--socket", tmp_path / "s", "--listen-plain", f"127.0.0.1:{port}")
    assert shown.returncode == 1 and f"127.0.0.1, port {port}: Address already in use" in shown.stderr
    assert "choose another port" in shown.stderr
    shown = run("--data", tmp_path / "no/such", "--socket", tmp_path / "s")
    assert shown.returncode == 1 and "create the parent folder" in shown.stderr
    shown = run("--data", "/proc/reeve", "--socket", tmp_path / "s")
    assert shown.returncode == 1 and "--data DIR" in shown.stderr


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
        deadline = time.monotonic() + 60
        while f"daemon: {event}" not in manager.log.read_text():
            assert time.monotonic() < deadline
            time.sleep(0.02)
    assert manager.get("/healthz").status == 200
    assert manager.stop() == 0


# --- TLS ----------------------------------------------------------------------------------------


@pytest.fixture(name="secure")
def with_tls(tmp_path):
    """A manager with a TLS listener: (manager, port)."""
    manager, port = secure_manager(tmp_path)
    manager.start()
    yield manager, port
    assert manager.stop() == 0, manager.log.read_text()


def test_tls_is_version_1_3_and_takes_tokens(secure):
    manager, port = secure
    manager.post("/v1/users", {"name": "ana"})
    token = manager.post("/v1/tokens", {"user": "ana"}).json["token"]
    one = http.client.HTTPSConnection("127.0.0.1", port, timeout=240, context=tls_context())
    one.request("GET", "/v1/whoami", headers={"Authorization": f"Bearer {token}"})
    assert json.loads(one.getresponse().read())["user"] == "ana"
    assert one.sock.version() == "TLSv1.3"
    one.close()
    old = http.client.HTTPSConnection("127.0.0.1", port, timeout=240,
                                      context=tls_context(ssl.TLSVersion.TLSv1_2))
    with pytest.raises(ssl.SSLError):
        old.request("GET", "/healthz")


def test_plain_http_at_the_tls_port_gets_that_error(secure):
    _, port = secure
    with socket.create_connection(("127.0.0.1", port), 60) as one:
        one.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = one.recv(4096)
    assert answer.startswith(b"HTTP/1.1 400") and b"https://" in answer


def certificate_of(port):
    """What the listener shows."""
    with socket.create_connection(("127.0.0.1", port), 60) as one:
        with tls_context().wrap_socket(one) as wrapped:
            return wrapped.getpeercert(binary_form=True)


def test_sighup_renews_certificates_and_open_connections_go_on(secure):
    manager, port = secure
    before = certificate_of(port)
    old = http.client.HTTPSConnection("127.0.0.1", port, timeout=240, context=tls_context())
    old.request("GET", "/healthz")
    assert old.getresponse().read() == b"ok\n"
    make_certificate(manager.folder)
    manager.process.send_signal(1)
    deadline = time.monotonic() + 60
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
