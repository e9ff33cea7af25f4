"""The store in a real etcd that is killed, stopped, or not the one that was meant."""

import os
import signal
import socket
import subprocess
import threading

import pytest

from conftest import facts, program, rounds
from pylib.etcd import Etcd, Missing, make_ca
from pylib.ports import free_port

KILLS = rounds("FAULT_KILLS", 5)
SECONDS_MAX = 120 + 2 * KILLS  # of one program: what it reads and writes grows with the kills
ACKS_BETWEEN = 300
UNDER_WAY = 64  # writes, of which a kill may leave each unknown
SHORT = {"ETCD_TIMEOUT_MS": "500"}


@pytest.fixture(scope="module")
def etcd(tmp_path_factory):
    try:
        member = Etcd(tmp_path_factory.mktemp("etcd"))
    except Missing as missing:
        pytest.skip(str(missing))
    with member:
        yield member


@pytest.fixture
def prefix(request):
    return f"etcd:/{request.node.name}/"


def environment(etcd, **changes):
    wanted = {**os.environ, **etcd.environment(), **changes}
    return {name: value for name, value in wanted.items() if value is not None}


def read(etcd, prefix, **changes):
    """(exit code, lines) of the reader; what a sanitizer says fails the test."""
    run = subprocess.run([program("store_reader", "asan"), prefix], capture_output=True,
                         check=False, timeout=SECONDS_MAX, env=environment(etcd, **changes))
    assert run.stderr == b"", run.stderr.decode(errors="replace")
    return run.returncode, run.stdout.split(b"\n")


def refusal(etcd, prefix="etcd:/refused/", **changes):
    """(code, text) of an open that is refused."""
    code, lines = read(etcd, prefix, **changes)
    assert code == 2, lines[0]
    _, number, text = lines[0].decode().split(" ", 2)
    return number, text


def writer_of(etcd, prefix, *options, **changes):
    return subprocess.Popen([program("store_writer", "asan"), prefix, "1", "--stubborn", "--watch",
                             *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=environment(etcd, **changes))


def lines_until(writer, word, count):
    """Lines of the writer up to so many of one sort."""
    lines = []
    for line in writer.stdout:
        lines.append(line.rstrip(b"\n"))
        count -= line.startswith(word)
        if count == 0:
            break
    return lines


def finish(writer):
    """The rest of what it says; it must end well by itself."""
    watchdog = threading.Timer(SECONDS_MAX, writer.kill)
    watchdog.start()
    rest = writer.stdout.read()  # not communicate(): it passes over what the lines have read ahead
    errors = writer.stderr.read()
    code = writer.wait()
    watchdog.cancel()
    assert code == 0, errors.decode(errors="replace")
    assert errors == b"", errors.decode(errors="replace")
    return rest.rstrip(b"\n").split(b"\n")


def assert_whole(etcd, prefix, told):
    """What the writer was told is what stands in etcd: nothing lost, nothing twice, no gap."""
    code, lines = read(etcd, prefix)
    assert (code, lines[-2]) == (0, b"end"), lines[0]
    changes = [(int(revision), key, value.rstrip("."))
               for revision, key, _, value in facts(lines, b"change")]
    revisions = [change[0] for change in changes]
    assert revisions == sorted(set(revisions))
    tokens = {token: revision for revision, _, token in changes}
    assert len(tokens) == len(changes), "a transaction happened twice"
    acknowledged = {token: int(revision) for _, token, revision in facts(told, b"ack")}
    assert acknowledged.items() <= tokens.items()
    seen = [(int(revision), key, value.rstrip("."))
            for revision, key, value in facts(told, b"seen")]
    assert seen == changes
    numbers = {}
    for cluster, number, *_ in sorted(facts(lines, b"event"), key=lambda one: int(one[2])):
        numbers[cluster] = numbers.get(cluster, 0) + 1
        assert int(number) == numbers[cluster], f"{cluster}: {number}"
    assert {event[4]: int(event[2]) for event in facts(lines, b"event")} == tokens
    for key in {key for _, key, _ in changes if key.endswith("/spec")}:
        kept = [int(one[1]) for one in facts(lines, b"history") if one[0] == key]
        assert kept == [revision for revision, other, _ in reversed(changes)
                        if other == key][:100]
    return acknowledged


def test_kill_of_etcd_loses_nothing_that_was_acknowledged(etcd, prefix):
    told = []
    with writer_of(etcd, prefix, str((KILLS + 1) * ACKS_BETWEEN)) as writer:
        for _ in range(KILLS):
            told += lines_until(writer, b"ack ", ACKS_BETWEEN)
            etcd.kill()
            etcd.start()
        told += finish(writer)
    assert facts(told, b"lost"), "no write was under way when etcd was killed"
    acknowledged = assert_whole(etcd, prefix, told)
    assert len(acknowledged) > KILLS * (ACKS_BETWEEN - UNDER_WAY)


def test_two_managers_count_the_same_events_without_gap_or_double(etcd, prefix):
    told = []
    with writer_of(etcd, prefix, "600") as one:
        told += lines_until(one, b"ack ", 100)
        other = subprocess.run([program("store_writer", "asan"), prefix, "2", "--stubborn", "600"],
                               capture_output=True, check=True, timeout=400,
                               env=environment(etcd))
        told += finish(one)
        told += [line for line in other.stdout.split(b"\n") if not line.startswith(b"lost")]
    code, lines = read(etcd, prefix)
    assert code == 0
    events = facts(lines, b"event")
    acknowledged = {token: int(revision) for _, token, revision in facts(told, b"ack")}
    assert acknowledged.items() <= {event[4]: int(event[2]) for event in events}.items()
    numbers = {}
    for cluster, number, *_ in events:
        numbers.setdefault(cluster, []).append(int(number))
    for found in numbers.values():
        assert sorted(found) == list(range(1, len(found) + 1))


def test_a_stopped_etcd_ends_calls_at_their_deadline(etcd, prefix):
    with writer_of(etcd, prefix, "2000", **SHORT) as writer:
        told = lines_until(writer, b"ack ", ACKS_BETWEEN)
        etcd.signal(signal.SIGSTOP)
        try:
            stuck = lines_until(writer, b"lost ", 1)
            opened = refusal(etcd, prefix, **SHORT)
        finally:
            etcd.signal(signal.SIGCONT)
        told += stuck + finish(writer)
    assert facts(stuck, b"lost")[0][:2] == ["unknown", "R0501"]
    assert opened[0] in ("R0501", "R0511")
    assert_whole(etcd, prefix, told)


def test_a_ca_that_did_not_sign_is_reported(etcd, tmp_path):
    make_ca(tmp_path, "other")
    assert refusal(etcd, ETCD_CA=str(tmp_path / "other.pem"))[0] == "R0512"


def test_a_file_that_is_missing_is_reported(etcd, tmp_path):
    assert refusal(etcd, ETCD_CA=str(tmp_path / "none.pem")) == (
        "R0512", f"open: the CA file '{tmp_path}/none.pem' cannot be read")


def test_a_missing_client_certificate_is_reported(etcd):
    # With TLS 1.3 etcd hangs up after our side of the handshake: sometimes before its reason is read.
    assert refusal(etcd, ETCD_CERT=None, ETCD_KEY=None)[0] == "R0512"


def test_a_port_that_nobody_listens_on_is_reported(etcd):
    number, text = refusal(etcd, ETCD_ENDPOINT=f"https://127.0.0.1:{free_port()}")
    assert number == "R0511"
    assert "127.0.0.1" in text


def test_a_port_that_speaks_no_tls_is_reported(etcd):
    assert refusal(etcd, ETCD_ENDPOINT=f"https://127.0.0.1:{etcd.metrics_port}")[0] == "R0512"


def test_a_name_that_is_not_in_the_certificate_is_reported(etcd):
    assert refusal(etcd, ETCD_ENDPOINT=f"https://127.0.0.2:{etcd.port}")[0] in ("R0511", "R0512")


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:1", "127.0.0.1:1", "https://a:1/b", ","])
def test_plain_text_is_refused(etcd, endpoint):
    assert refusal(etcd, ETCD_ENDPOINT=endpoint)[0] == "R0516"


def test_a_prefix_without_an_end_is_refused(etcd):
    assert refusal(etcd, "etcd:/no-end")[0] == "R0516"


def test_another_endpoint_is_used_where_one_is_dead(etcd, prefix):
    dead = f"https://127.0.0.1:{free_port()}"
    assert read(etcd, prefix, ETCD_ENDPOINT=f"{dead},{etcd.endpoint}")[0] == 0


def test_another_endpoint_is_used_where_one_is_silent(etcd, prefix):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoints = f"https://127.0.0.1:{silent.getsockname()[1]},{etcd.endpoint}"
        assert read(etcd, prefix, ETCD_ENDPOINT=endpoints, ETCD_TIMEOUT_MS="2000")[0] == 0


def test_an_etcd_that_takes_few_operations_is_reported(tmp_path):
    try:
        member = Etcd(tmp_path, options=["--max-txn-ops=128"])
    except Missing as missing:
        pytest.skip(str(missing))
    with member:
        assert refusal(member)[0] == "R0514"
