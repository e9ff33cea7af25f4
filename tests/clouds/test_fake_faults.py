"""The harness of the fakes: each fault does what the table of README.md says, and the truth port reports it."""

import gzip
import http.client
import json
import socket
import ssl
import subprocess
import time
import urllib.request

import pytest
import rest
from pylib.clouds import SERVE, Fake
from pylib.fetching import Authority

BODY = {"name": "n1", "region": "nyc1", "size": "s-1vcpu-1gb", "image": "debian-12-x64"}
LOST = (OSError, http.client.HTTPException)


@pytest.fixture
def ask(fake_digital_ocean):
    """A client of the fake on which the faults are tried."""
    return rest.digital_ocean(fake_digital_ocean)


def created(fake):
    """How many droplets there were ever."""
    state = fake.state()
    return len(state["machines"]) + len(state["ended"])


def test_an_answer_is_lost_before_the_effect(ask, fake_digital_ocean):
    fake_digital_ocean.fail_next("droplets.create", "lose_before")
    with pytest.raises(LOST):
        ask("POST", "/droplets", BODY)
    assert created(fake_digital_ocean) == 0 and ask("POST", "/droplets", BODY)[0] == 202


def test_an_answer_is_lost_after_the_effect(ask, fake_digital_ocean):
    fake_digital_ocean.fail_next("droplets.create", "lose_after")
    with pytest.raises(LOST):
        ask("POST", "/droplets", BODY)
    assert created(fake_digital_ocean) == 1


def test_an_effect_comes_after_the_connection_was_cut(ask, fake_digital_ocean):
    fake_digital_ocean.faults(late_ms=300)
    fake_digital_ocean.fail_next("droplets.create", "late", times=8)
    for i in range(8):
        with pytest.raises(LOST):
            ask("POST", "/droplets", {**BODY, "name": f"n{i}"})
    fake_digital_ocean.wait(lambda state: state["alive"] == 8)
    assert fake_digital_ocean.state()["most_alive"] == 8


@pytest.mark.parametrize("fault, effect", [("error_5xx", 0), ("error_5xx_with_effect", 1), ("html", 0), ("throttle", 0)])
def test_errors_with_and_without_effect(ask, fake_digital_ocean, fault, effect):
    fake_digital_ocean.fail_next("droplets.create", fault)
    status, answer = ask("POST", "/droplets", BODY)
    assert status == 429 if fault == "throttle" else status in (500, 502, 503)
    assert isinstance(answer, bytes) == (fault == "html") and created(fake_digital_ocean) == effect
    assert (ask.headers.get("retry-after") == "1") == (fault == "throttle")


def test_an_answer_is_cut(ask, fake_digital_ocean):
    fake_digital_ocean.faults(cut_at=300)
    fake_digital_ocean.fail_next("sizes.list", "cut")
    with pytest.raises(http.client.IncompleteRead) as caught:
        ask("GET", "/sizes")
    assert len(caught.value.partial) < 300


def test_an_answer_drips(ask, fake_digital_ocean):
    fake_digital_ocean.faults(drip_ms=1)
    fake_digital_ocean.fail_next("sizes.list", "slow_drip")
    assert ask("GET", "/sizes")[0] == 200


def test_a_bomb_is_sent_to_those_who_accept_gzip(ask, fake_digital_ocean):
    fake_digital_ocean.faults(bomb_bytes=8 << 20)
    fake_digital_ocean.fail_next("sizes.list", "gzip_bomb", times=2)
    assert isinstance(ask("GET", "/sizes")[1], dict)
    raw = ask("GET", "/sizes", **{"Accept-Encoding": "gzip"})[1]
    assert ask.headers["content-encoding"] == "gzip" and len(raw) < 100000 and len(gzip.decompress(raw)) == 8 << 20
    fake_digital_ocean.faults(gzip=True)
    assert gzip.decompress(ask("GET", "/sizes", **{"Accept-Encoding": "gzip"})[1]).startswith(b"{")


def test_the_next_calls_get_an_answer_of_the_test(ask, fake_digital_ocean):
    fake_digital_ocean.fail_next("droplets.create", status=422, code="unprocessable_entity", message="no capacity", skip=1, times=2)
    assert [ask("POST", "/droplets", {**BODY, "name": f"n{i}"})[0] for i in range(4)] == [202, 422, 422, 202]
    fake_digital_ocean.fail_next("*", status=401, code="unauthorized", message="x", headers={"retry-after": "7"})
    assert ask("GET", "/account")[0] == 401 and ask.headers["retry-after"] == "7" and ask("GET", "/account")[0] == 200


def test_probabilities_are_seeded():
    def run(seed):
        with Fake("digitalOcean", seed=seed, faults={"error_5xx": 0.5}) as fake:
            ask = rest.digital_ocean(fake)
            return [ask("GET", "/account")[0] == 200 for _ in range(40)]
    first = run(7)
    assert run(7) == first != run(8) and 5 < sum(first) < 35


def test_faults_can_be_limited_to_calls(ask, fake_digital_ocean):
    fake_digital_ocean.faults(html=1, only=["sizes.list"])
    assert ask("GET", "/account")[0] == 200 and ask("GET", "/sizes")[0] == 502
    fake_digital_ocean.faults(only=[], changes_only=True)
    assert ask("GET", "/sizes")[0] == 200 and ask("POST", "/droplets", BODY)[0] == 502


def test_a_wrong_fault_is_refused(fake_digital_ocean):
    for values in ({"colour": 1}, {"html": 2}, {"next": [{"call": "x", "fault": "y"}]}, {"next": [{"colour": 1}]}):
        with pytest.raises(AssertionError, match="BadFault"):
            fake_digital_ocean.faults(**values)


def test_all_calls_are_recorded_and_counted(ask, fake_digital_ocean):
    ask("GET", "/account")
    ask("POST", "/droplets", BODY)
    lines = [json.loads(line) for line in fake_digital_ocean.record.read_text().splitlines()]
    assert [(line["call"], line["status"]) for line in lines] == [("account.get", 200), ("droplets.create", 202)]
    assert fake_digital_ocean.state()["calls"] == {"account.get": 1, "droplets.create": 1}
    fake_digital_ocean.ask("/reset", {})
    assert fake_digital_ocean.state()["calls"] == {}


def test_machines_get_addresses_from_a_file(tmp_path):
    addresses = tmp_path / "addresses.json"
    addresses.write_text(json.dumps({"n1": "10.0.0.1"}))
    with Fake("digitalOcean", address_file=addresses, faults={"boot_ms": 1}) as fake:
        ask = rest.digital_ocean(fake)
        ask("POST", "/droplets", BODY)
        addresses.write_text(json.dumps({"t2": "10.0.0.2"}))
        fake.wait(lambda state: state["machines"][0]["address"] in ("10.0.0.1", "127.0.0.1"))
        ask("POST", "/droplets", {**BODY, "name": "n2", "tags": ["reeve:token:t2"]})
        fake.wait(lambda state: state["machines"][1]["address"] == "10.0.0.2")
        fake.set_machine("n2", address="10.0.0.3")
        assert ask("GET", "/droplets?name=n2")[1]["droplets"][0]["networks"]["v4"][0]["ip_address"] == "10.0.0.3"


@pytest.mark.parametrize("cloud", ["aws", "gcd", "digitalOcean"])
def test_tls(tmp_path, cloud):
    authority = Authority(tmp_path / "authority")
    pair = authority.sign("server")
    with Fake(cloud, tls=(pair, pair)) as fake:
        assert fake.endpoint.startswith("https://localhost:")
        context = ssl.create_default_context(cafile=str(authority.file))
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(fake.endpoint + "/", context=context, timeout=120)
        with pytest.raises(OSError):
            urllib.request.urlopen(fake.endpoint + "/", timeout=120)
        fake.unknown_expected = True


def test_head_and_body_leave_in_one_write(ask):
    with socket.create_connection(("127.0.0.1", ask.port), timeout=120) as one:
        one.sendall(f"GET /v2/account HTTP/1.1\r\nHost: x\r\nAuthorization: {ask.common['Authorization']}\r\n\r\n".encode())
        assert b"\r\n\r\n{" in one.recv(65536)


def test_a_request_whose_client_ended_amid_it_has_no_effect(ask, fake_digital_ocean):
    raw = json.dumps(BODY).encode()
    with socket.create_connection(("127.0.0.1", ask.port), timeout=120) as one:
        one.sendall(f"POST /v2/droplets HTTP/1.1\r\nHost: x\r\nAuthorization: {ask.common['Authorization']}\r\n"
                    f"Content-Type: application/json\r\nContent-Length: {len(raw) + 1}\r\n\r\n".encode() + raw)
        one.shutdown(socket.SHUT_WR)
        assert one.recv(100) == b""
    assert created(fake_digital_ocean) == 0 and not fake_digital_ocean.state()["calls"]


def test_it_ends_with_its_standard_input():
    with subprocess.Popen(["/usr/bin/python3", "-B", str(SERVE), "digitalOcean"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as fake:
        assert set(json.loads(fake.stdout.readline())) >= {"port", "truth", "credential"}
        fake.stdin.close()
        assert fake.wait(60) == 0


def test_replicas_forget_what_is_gone(ask, fake_digital_ocean):
    ask("POST", "/droplets", BODY)
    id = str(ask("GET", "/droplets")[1]["droplets"][0]["id"])
    fake_digital_ocean.faults(lag_ms=1000)
    ask("DELETE", f"/droplets/{id}")
    assert ask("GET", f"/droplets/{id}")[0] == 404
    seen, end = [], time.monotonic() + 30
    while seen[-20:] != [0] * 20 and time.monotonic() < end:
        seen.append(len(ask("GET", "/droplets")[1]["droplets"]))
    assert 1 in seen and seen[-1] == 0
