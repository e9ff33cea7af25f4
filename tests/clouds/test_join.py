"""The keys that the managers of a store share: which of them uses its own, and how another host gets them."""

import json
import shutil
import subprocess
import time

import pytest
from pylib.etcd import Missing
from pylib.etcd_three import Three
from pylib.managers import REEVED, Managers, reeve, until

REEVE = REEVED.parent / "reeve"
pytestmark = pytest.mark.skipif(shutil.which("etcd") is None, reason="needs etcd")


@pytest.fixture(name="etcd", scope="module")
def fixture_etcd(tmp_path_factory):
    """Three members of one etcd."""
    try:
        with Three(tmp_path_factory.mktemp("etcd")) as three:
            yield three
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture(name="world")
def fixture_world(etcd, tmp_path):
    """Two managers without keys, that are not started."""
    with Managers(tmp_path, etcd, count=2, prefix=f"/{tmp_path.name}/", more="fetch: {enabled: false}\n", flags=("--haste", "20"),
                  has_keys=False) as managers:
        yield managers


def status(manager):
    """What a manager says of all, by name."""
    return {row["name"]: row for row in json.loads(reeve(manager, "manager", "status", "-o", "json"))[0]["items"]}


def lacks(manager, name):
    """The keys that a manager lacks, as `manager` says."""
    return [lack["key"].split()[0] for lack in status(manager).get(name, {}).get("lacks", []) if "key" in lack]


def offline(manager, *words, data=None):
    """`reeve manager` on the host of a manager."""
    config = manager.folder / "reeved.yaml"
    if "data:" not in config.read_text():
        config.write_text(config.read_text() + f"data: {manager.folder / 'data'}\n")
    return subprocess.run([REEVE, "manager", *words, "--config", config], input=data, capture_output=True, text=True, check=False, timeout=60)


def key_of(manager, name):
    """The content of the file of a key."""
    return (manager.folder / f"data.{name}").read_text()


def empty(name):
    """A cluster without machines."""
    return {"name": name, "version": "1", "groups": {"web": {"size": 0, "resourcePlugin": {"name": "file"}}}}


def test_a_manager_without_the_keys_gets_no_cluster_until_it_joins(world):
    first, second = world.all
    first.start()
    first.apply({"kind": "Secret", "name": "s", "value": "hush"}, *(empty(f"c{number}") for number in range(6)))
    until(lambda: "/_/KeyRing/signer/base" in world.stored("/_/KeyRing/"), world.said)
    assert set(world.stored("/_/KeyRing/")) == {"/_/KeyRing/secrets/base", "/_/KeyRing/signer/base"}
    second.start()
    until(lambda: lacks(first, "m1"), world.said)
    assert not (second.folder / "data.key").exists() and not (second.folder / "data.signer.key").exists()
    assert "key s" in reeve(first, "get", "managers")
    until(lambda: status(first)["m0"]["clusters"] == 6, world.said)
    busy = offline(second, "join", "reeve-join-" + 43 * "A")
    assert busy.returncode == 1 and "R0507" in busy.stderr
    assert second.stop() == 0
    made = offline(first, "token")
    assert made.returncode == 0 and made.stdout.startswith("reeve-join-"), made.stderr
    token = made.stdout.strip()
    assert key_of(first, "signer.key").split()[1] not in json.dumps(world.stored("/_/JoinToken/"))
    joined = offline(second, "join", "-", data=token + "\n")
    assert joined.returncode == 0 and "secrets: the key " in joined.stdout, joined.stderr
    assert [key_of(first, name) for name in ("key", "signer.key")] == [key_of(second, name) for name in ("key", "signer.key")]
    assert (second.folder / "data.key").stat().st_mode & 0o777 == 0o400
    assert not world.stored("/_/JoinToken/")
    again = offline(second, "join", token)
    assert again.returncode == 3 and "R0674" in again.stderr, again.stderr
    second.start()
    until(lambda: status(first)["m1"]["state"] == "live" and not lacks(first, "m1"), world.said)
    first.post("/v1/managers/m0/drain", {})
    until(lambda: status(first)["m1"]["clusters"] == 6, world.said)
    assert second.stop() == 0


def test_two_managers_that_start_at_once_draw_one_key_between_them(world):
    world.start()
    until(lambda: bool(lacks(world.all[0], "m0")) != bool(lacks(world.all[0], "m1")), world.said)
    lame = world.all[0] if lacks(world.all[0], "m0") else world.all[1]
    whole = world.all[1] if lame is world.all[0] else world.all[0]
    until(lambda: (lame.folder / "data/peer/ca.pem").exists() or "no_certificate" in lame.log.read_text(), world.said)
    assert lame.stop() == 0
    joined = offline(lame, "join", offline(whole, "token").stdout.strip())
    assert joined.returncode == 0, joined.stderr
    assert key_of(lame, "signer.key") == key_of(whole, "signer.key")
    former = list(lame.folder.glob("data.signer.key.*"))
    assert len(former) <= 1  # one was drawn there, unless the other manager was faster
    lame.start()
    until(lambda: not lacks(whole, "m0") and not lacks(whole, "m1"), world.said)
    authorities = {(manager.folder / "data/peer/ca.pem").read_text() for manager in world.all
                   if until((manager.folder / "data/peer/certificate.pem").exists, world.said)}
    assert len(authorities) == 1


def test_managers_recognise_each_other_by_their_certificates(world):
    first = world.all[0].start()
    peer = first.folder / "data/peer"
    until((peer / "certificate.pem").exists, world.said)
    words = ["openssl", "verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", peer / "ca.pem", peer / "certificate.pem"]
    judged = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert judged.returncode == 0, judged.stdout + judged.stderr
    shown = subprocess.run(["openssl", "x509", "-noout", "-text", "-in", peer / "certificate.pem"], capture_output=True, text=True, check=True,
                           timeout=60).stdout
    assert f"DNS:{(first.folder / 'data/manager.id').read_text().strip()}" in shown and "TLS Web Client Authentication" in shown
    assert (peer / "key.pem").stat().st_mode & 0o777 == 0o600


def test_a_token_is_refused_with_the_reason(world, tmp_path):
    first, second = world.all
    nothing = offline(first, "token")
    assert nothing.returncode == 1 and "R0675" in nothing.stderr, nothing.stderr
    first.start()
    until((first.folder / "data.signer.key").exists, world.said)
    wrong = offline(second, "join", "reeve-join-x")
    assert wrong.returncode == 3 and "R0674" in wrong.stderr and "the text is not a token" in wrong.stderr
    foreign = offline(second, "join", "reeve-join-" + 43 * "A")
    assert foreign.returncode == 3 and "the store does not know the token" in foreign.stderr
    assert offline(first, "token", "--ttl", "2d").returncode == 2
    begin = time.monotonic()
    short = offline(first, "token", "--ttl", "1s").stdout.strip()
    until(lambda: time.monotonic() - begin > 1.1, world.said)
    late = offline(second, "join", short)
    assert late.returncode == 3 and "the token has expired" in late.stderr
    alone = tmp_path / "alone.yaml"
    alone.write_text(f"data: {tmp_path / 'alone'}\n")
    said = subprocess.run([REEVED, "--config", alone, "--join-token", "15m"], capture_output=True, text=True, check=False, timeout=60)
    assert said.returncode == 5 and "R0582" in said.stderr, said
