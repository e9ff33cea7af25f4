"""The managed store: its process with a real etcd, through kills, a full disk, a used port, and a rebuild."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess

import pytest
from pylib.etcd import make_ca, make_certificate
from pylib.member import Member, Refused
from pylib.ports import free_port

pytestmark = pytest.mark.skipif(shutil.which("etcd") is None or shutil.which("etcdctl") is None, reason="needs etcd and etcdctl")


@pytest.fixture(name="member")
def fixture_member(tmp_path):
    """A member's process with an empty folder."""
    member = Member(tmp_path / "data")
    member.start()
    yield member
    with contextlib.suppress(OSError):
        member.stop()


def arguments(name="one", token="t1", port=2380, **more):
    """The arguments of a store with one member, which listens on sockets only."""
    url = f"https://127.0.0.1:{port}"
    return {"manager": "m", "name": name, "token": token, "cluster": f"{name}={url}", "peer_advertise": url, **more}


def secured(folder, name="one", token="t1"):
    """The arguments of a store with one member that listens with TLS."""
    make_ca(folder)
    make_certificate(folder, "server")
    peer, client = free_port(), free_port()
    return arguments(name, token, peer, peer_listen=f"https://127.0.0.1:{peer}", client_listen=f"https://127.0.0.1:{client}",
                     client_advertise=f"https://127.0.0.1:{client}", ca=str(folder / "ca.pem"), certificate=str(folder / "server.pem"),
                     key=str(folder / "server.key"))


def test_a_member_starts_once_and_stops(member):
    assert member.ask("status")["state"] == "absent"
    first = member.ask("start", arguments())
    assert first["state"] == "running" and first["version"], first
    assert member.folder.stat().st_mode & 0o777 == 0o700
    member.until(lambda status: status["is_serving"] and status["has_leader"])
    member.etcdctl("put", "a", "1")
    assert member.ask("start", arguments())["pid"] == first["pid"]  # the same arguments: nothing happens
    applied = member.ask("wait")
    assert applied["applied"] >= applied["committed"] > 0
    assert member.ask("stop")["state"] == "stopped" == member.ask("stop")["state"]
    with pytest.raises(Refused, match="does not run"):
        member.ask("wait")
    member.ask("start", arguments())
    assert "1" in member.etcdctl("get", "a")


def test_other_hosts_reach_it_only_with_a_certificate(member, tmp_path):
    given = secured(tmp_path)
    plain = {**given, "peer_listen": "", "client_listen": "", "ca": "", "certificate": "", "key": ""}
    first = member.ask("start", plain)
    member.until(lambda status: status["is_serving"])
    member.etcdctl("put", "a", "1")
    second = member.ask("start", given)  # with certificates: etcd is started again
    assert second["pid"] != first["pid"]
    member.until(lambda status: status["is_serving"])
    make_certificate(tmp_path, "client")
    words = ["etcdctl", f"--endpoints={given['client_listen']}", f"--cacert={tmp_path}/ca.pem", "get", "a"]
    keys = [f"--cert={tmp_path}/client.pem", f"--key={tmp_path}/client.key"]
    env = {**os.environ, "ETCDCTL_API": "3"}
    assert "1" in subprocess.run([*words, *keys], capture_output=True, text=True, check=True, timeout=60, env=env).stdout
    assert subprocess.run(words, capture_output=True, text=True, check=False, timeout=60, env=env).returncode != 0


def test_kills_of_both_processes_lose_nothing(member):
    member.ask("start", arguments())
    member.until(lambda status: status["is_serving"])
    for round_number in range(3):
        member.etcdctl("put", "a", str(round_number))
        os.kill(member.ask("status")["pid"], signal.SIGKILL)
        crashed = member.until(lambda status: status["crashes"] > 0 and status["is_serving"])
        assert "signal 9" in crashed["reason"], crashed
        assert str(round_number) in member.etcdctl("get", "a")
        former = member.ask("status")["pid"]
        member.kill()
        member.start()
        again = member.until(lambda status: status["is_serving"])
        assert again["pid"] != former
        assert str(round_number) in member.etcdctl("get", "a")
        assert has_ended(former)


def has_ended(pid):
    """Whether a process is gone, or waits for its parent only."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def test_a_folder_of_another_manager_or_store_is_not_used(member):
    member.ask("start", arguments())
    with pytest.raises(Refused, match="of the manager m, not of other"):
        member.ask("start", {**arguments(), "manager": "other"})
    with pytest.raises(Refused, match="of the store t1"):
        member.ask("start", arguments(token="t2"))
    with pytest.raises(Refused, match="is invalid"):
        member.ask("start", arguments(name="-x"))
    with pytest.raises(Refused, match="ca, certificate and key"):
        member.ask("start", arguments(peer_listen="https://127.0.0.1:1"))
    aside = member.ask("aside")
    assert aside["state"] == "absent" and [path.name.split(".")[0] for path in (member.folder / "aside").iterdir()] == ["one"]
    assert member.ask("start", arguments(name="two", token="t2"))["state"] == "running"


def test_lost_data_are_not_replaced_by_an_empty_store(member):
    member.ask("start", arguments())
    member.ask("stop")
    assert member.record()["hasBegun"]
    shutil.rmtree(member.folder / "etcd")
    with pytest.raises(Refused, match="data of the member 'one' are missing"):
        member.ask("start", arguments())
    assert not (member.folder / "etcd").exists()


def test_a_used_port_is_named_and_waited_for(member, tmp_path):
    given = secured(tmp_path)
    with member_socket(given["client_listen"]):
        with pytest.raises(Refused, match="address already in use"):
            member.ask("start", given)
        status = member.until(lambda status: status["crashes"] >= 2)
        assert status["state"] in ("waiting", "running") and "address already in use" in status["reason"]
    member.until(lambda status: status["is_serving"])


@contextlib.contextmanager
def member_socket(url):
    """Another process that uses the address of a URL."""
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", int(url.rsplit(":", 1)[1])))
        taken.listen()
        yield


def test_a_full_disk_is_reported_and_survived(tmp_path):
    """DATA on a small tmpfs, which is filled."""
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=220m,mode=0700", "tmpfs", data], check=False, capture_output=True, timeout=60).returncode != 0:
        pytest.skip("needs mount")
    member = Member(data).start()
    try:
        member.ask("start", arguments())
        member.until(lambda status: status["is_serving"])
        member.etcdctl("put", "a", "1")
        filler = data / "filler"
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
            while True:
                file.write(b"x" * 65536)
        os.kill(member.ask("status")["pid"], signal.SIGKILL)  # the next one has no room to begin
        failing = member.until(lambda status: status["free_bytes"] < 1 << 20 and status["crashes"] > 0)
        assert failing["reason"], failing
        filler.unlink()
        member.until(lambda status: status["is_serving"])
        assert "1" in member.etcdctl("get", "a")
        member.etcdctl("put", "a", "2")
    finally:
        member.end()
        subprocess.run(["umount", "-l", data], check=True, timeout=60)


def test_a_member_without_quorum_becomes_a_store_of_its_own(member, tmp_path):
    """Two voters, of which one is lost: the other has no quorum, and is rebuilt from its database."""
    given = secured(tmp_path)
    member.ask("start", given)
    member.until(lambda status: status["is_serving"])
    for number in range(50):
        member.etcdctl("put", f"k{number}", "v")
    member.etcdctl("member", "add", "lost", "--peer-urls=https://127.0.0.1:1")
    with pytest.raises(subprocess.CalledProcessError):
        member.etcdctl("--command-timeout=2s", "put", "x", "y")
    before = member.ask("status")
    assert not before["has_leader"] or before["applied"]
    with pytest.raises(Refused, match="of the manager m"):
        member.ask("rebuild", {**given, "manager": "n", "token": "t2"})
    rebuilt = member.ask("rebuild", {**given, "name": "one-2", "cluster": given["cluster"].replace("one=", "one-2="), "token": "t2"})
    assert rebuilt["state"] == "running" and rebuilt["arguments.token"] == "t2"
    member.until(lambda status: status["is_serving"] and status["has_leader"])
    assert member.etcdctl("get", "k", "--prefix", "--keys-only").split() == sorted(f"k{number}" for number in range(50))
    assert member.etcdctl("member", "list").count("\n") == 1
    assert len(list((member.folder / "aside").iterdir())) == 1


@pytest.mark.parametrize("phase", ["1", "2", "3"])
def test_a_rebuild_continues_after_a_kill(member, tmp_path, phase):
    """A killed reeve-store, whose file names the step at which it was."""
    given = secured(tmp_path)
    member.ask("start", given)
    member.until(lambda status: status["is_serving"])
    member.etcdctl("put", "a", "1")
    if phase == "1":
        member.kill()
    else:
        member.stop()  # the log was replayed, and its etcd has ended
    record = member.record()
    target = {**record["arguments"], "name": "one-2", "token": "t2", "cluster": record["arguments"]["cluster"].replace("one=", "one-2=")}
    (member.folder / "member.json").write_text(json.dumps({**record, "phase": int(phase), "next": target}))
    if phase == "2":
        (member.folder / "etcd.new/member").mkdir(parents=True)  # remains of a step that was interrupted
    if phase == "3":
        subprocess.run(["etcdctl", "snapshot", "restore", "etcd/member/snap/db", "--skip-hash-check", "--name=one-2",
                        f"--initial-cluster={target['cluster']}", f"--initial-advertise-peer-urls={given['peer_advertise']}",
                        "--initial-cluster-token=t2", "--data-dir=etcd.new"], cwd=member.folder, check=True, capture_output=True, timeout=60,
                       env={**os.environ, "ETCDCTL_API": "3"})
    member.start()
    member.until(lambda status: status["state"] == "running" and status["is_serving"] and status["arguments.token"] == "t2")
    assert "1" in member.etcdctl("get", "a")
