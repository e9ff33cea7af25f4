"""A manager whose store is in etcd: its configuration, what it refuses, and a start while etcd does not answer."""

import subprocess

import pytest
from manager import REEVED, Manager, cluster, make_certificate, reeve, until
from pylib.ports import free_port

STORE = "store: {etcd: {endpoints: ['https://127.0.0.1:1'], ca: ca.pem}}\n"


def check(tmp_path, text):
    """What --check-config says of a configuration, and its exit code."""
    config = tmp_path / "reeved.yaml"
    config.write_text(text)
    done = subprocess.run([str(REEVED), "--config", str(config), "--check-config"], text=True, capture_output=True, check=False,
                          timeout=240)
    return done.returncode, done.stderr


@pytest.mark.parametrize("text,expected", [
    ("store: mysql\n", ":1:8: error[R0307]: store must be sqlite, managed, or a mapping with etcd"),
    ("store: {etc: {}}\n", "did you mean 'etcd'?"),
    ("store: {etcd: {ca: ca.pem}}\n", "etcd needs endpoints"),
    ("store: {etcd: {endpoints: ['https://a:2379']}}\n", "etcd needs ca"),
    ("store: {etcd: {endpoints: ['http://a:2379'], ca: ca.pem}}\n", ":1:28: error[R0307]: an endpoint must be of the form https://HOST:PORT"),
    ("store: {etcd: {endpoints: ['https://a:1'], ca: c, prefx: /a/}}\n", "did you mean 'prefix'?"),
    ("store: {etcd: {endpoints: ['https://a:1'], ca: c, prefix: a}}\n", "prefix must begin with '/'"),
    ("store: {etcd: {endpoints: ['https://a:1'], ca: c, key: k}}\n", "etcd needs certificate and key, or neither"),
    (STORE + "backups: {every: 1h}\n", "backups at intervals need store: sqlite"),
    ("name: -a\n", ":1:7: error[R0307]: the name must be 1 to 63 letters, digits"),
    ("zone: [a]\n", ":1:7: error[R0307]: the name must be 1 to 63 letters, digits"),
])
def test_faults_of_the_store_are_reported_at_their_place(tmp_path, text, expected):
    code, err = check(tmp_path, text)
    assert code == 3 and expected in err, err


def test_the_store_of_a_manager_is_checked_and_accepted(tmp_path):
    assert check(tmp_path, "store: sqlite\nname: reeve-a\nzone: a\n") == (0, "")
    assert check(tmp_path, STORE) == (0, "")


@pytest.fixture(name="lonely")
def fixture_lonely(tmp_path):
    """A manager whose etcd does not answer, started."""
    make_certificate(tmp_path)
    config = tmp_path / "reeved.yaml"
    config.write_text(f"store: {{etcd: {{endpoints: ['https://127.0.0.1:{free_port()}'], ca: {tmp_path}/cert.pem}}}}\n")
    with Manager(tmp_path, "--config", str(config)) as manager:
        manager.start(wait=False)
        yield manager


def answers(manager):
    """Does it answer at its socket?"""
    try:
        return manager.get("/healthz").status == 200
    except OSError:
        return False


def test_a_manager_starts_without_etcd_and_says_so(lonely):
    until(lambda: answers(lonely), lonely.log.read_text)
    ready = lonely.get("/readyz")
    assert ready.status == 503 and "cannot read its store yet: https://127.0.0.1:" in ready.text, ready.text
    assert lonely.post("/v1/apply", {"documents": [cluster("shop", web=1)]}).status == 503
    assert "store: shared" in lonely.log.read_text() and (lonely.folder / "data/manager.id").read_text().count("-") == 4
    refused = lonely.post("/v1/backups", None)
    assert refused.status in (403, 503), refused.text


def test_commands_that_need_the_embedded_store_refuse_the_folder_of_a_shared_one(lonely, tmp_path):
    until(lambda: answers(lonely), lonely.log.read_text)
    second = subprocess.run([str(REEVED), *lonely.flags, "--data", str(tmp_path / "data"), "--socket", str(tmp_path / "t")],
                            text=True, capture_output=True, check=False, timeout=240)
    assert second.returncode == 1 and "error[R0507]" in second.stderr and "each manager needs its own" in second.stderr, second.stderr
    assert lonely.stop() == 0
    for words in (["--rewrap", str(tmp_path / "new.key")], []):
        done = subprocess.run([str(REEVED), *words, "--data", str(tmp_path / "data"), "--socket", str(tmp_path / "s")], text=True,
                              capture_output=True, check=False, timeout=240)
        assert done.returncode != 0 and "error[R0579]" in done.stderr and "belongs to a manager" in done.stderr, done.stderr
    done = subprocess.run([str(REEVED.parent / "reeve-controller"), "--data", str(tmp_path / "data"), "shop"], text=True,
                          capture_output=True, check=False, timeout=240)
    assert done.returncode != 0 and not (tmp_path / "data/store.db").exists(), done.stderr


def test_the_folder_of_an_embedded_store_is_not_hidden_by_etcd(tmp_path):
    with Manager(tmp_path) as manager:
        manager.start()
        assert manager.stop() == 0
        (tmp_path / "ca.pem").write_text("")
        config = tmp_path / "reeved.yaml"
        config.write_text(STORE.replace("ca.pem", str(tmp_path / "ca.pem")))
        done = subprocess.run([str(REEVED), "--config", str(config), "--data", str(tmp_path / "data"), "--socket", str(tmp_path / "s")],
                              text=True, capture_output=True, check=False, timeout=240)
        assert done.returncode != 0 and "error[R0523]" in done.stderr, done.stderr
        assert "reeve" in reeve(manager.start(), "version")
