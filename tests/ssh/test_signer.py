"""reeve-signer as it is run: bounds, log, rotation, revocation, sandbox, kills; and logins by what it signed."""
import base64
import datetime
import os
import re
import resource
import signal
import struct
import time

import pytest

from conftest import PRINCIPAL, Sshd, keygen, tool
from signing import ASK, HOST, Gone, Signer, code_number, pack

DAY = 24 * 3600
AT_ONCE, PER_S = 10000, 100  # signings of one authority


@pytest.fixture
def signer(tmp_path):
    """A signer with one authority, loaded."""
    one = Signer(tmp_path)
    one.sealed = one.good("make").sealed
    one.authority = one.good("load", sealed=one.sealed)
    yield one
    one.stop()


class Line:
    """A public key line where a pair is expected."""

    def __init__(self, line):
        self.line = line


def fields(certificate):
    """What stands in a certificate, {word: [rest]}."""
    found = {}
    for line in tool("read", certificate).splitlines():
        word, _, rest = line.partition(" ")
        found.setdefault(word, []).append(rest)
    return found


def certify(signer, pair, **more):
    """A certificate beside its key."""
    told = signer.good("certify", key=pair.line, **{"principals": [PRINCIPAL], **more})
    pair.cert_file.write_text(told.certificate + "\n")
    return told


def test_what_it_signs_is_within_its_bounds(signer, pair):
    root = pair("root")
    now = time.time()
    told = certify(signer, root)
    read = fields(told.certificate)
    assert read["kind"] == ["user"] and read["principal"] == [PRINCIPAL]
    assert read["serial"] == [str(told.serial)] and read["id"] == ["acme/0f3c/web-1/root"]
    assert abs(int(read["after"][0]) - (now - 300)) < 60
    assert abs(int(read["before"][0]) - (now + 7 * DAY)) < 60
    assert read["may"] == ["permit-port-forwarding 0", "permit-pty 0"] and "must" not in read
    assert read["authority"] == signer.authority.users and read["key"] == [
        " ".join(root.line.split()[:2])]
    told = signer.good("certify", kind=HOST, key=root.line, principals=["web-1", "10.0.0.7"])
    read = fields(told.certificate)
    assert read["kind"] == ["host"] and read["principal"] == ["web-1", "10.0.0.7"]
    assert abs(int(read["before"][0]) - (now + 30 * DAY)) < 60 and "may" not in read
    assert read["authority"] == signer.authority.hosts != signer.authority.users


@pytest.mark.parametrize(("code", "change"), [
    ("R0746", {"ttl": 10 * 365 * DAY}), ("R0746", {"ttl": 30 * DAY + 1}),
    ("R0746", {"ttl": 299}), ("R0746", {"ttl": 2**64 - 1}),
    ("R0746", {"principals": []}), ("R0746", {"principals": ["root"]}),
    ("R0746", {"principals": [PRINCIPAL, "root"]}), ("R0746", {"principals": [PRINCIPAL + "x"]}),
    ("R0746", {"principals": ["cluster:acme/*"]}), ("R0746", {"principals": ["acme/0f3c"]}),
    ("R0746", {"kind": HOST}), ("R0746", {"kind": HOST, "principals": ["*"]}),
    ("R0746", {"kind": HOST, "principals": ["a,b"]}), ("R0746", {"kind": HOST, "principals": []}),
    ("R0746", {"kind": HOST, "principals": ["a b"]}),
    ("R0746", {"kind": HOST, "principals": [f"web-{i}" for i in range(33)]}),
    ("R0746", {"kind": HOST, "principals": ["w" * 200 + str(i) for i in range(20)]}),
    ("R0746", {"kind": 0}), ("R0746", {"kind": 3}), ("R0746", {"who": ""}),
    ("R0746", {"who": "a b"}), ("R0746", {"who": "a\nb"}), ("R0746", {"name": ""}),
    ("R0746", {"name": "a b"}), ("R0746", {"name": "n" * 256}),
    ("R0746", {"authority": "acme"}), ("R0746", {"authority": "acme/a/b"}),
    ("R0746", {"authority": "../x"}),
    ("R0746", {"authority": "acme/a b"}), ("R0746", {"authority": "/x"}), ("R0749", {"authority": "acme/other"}),
    ("R0740", {"key": ""}), ("R0740", {"key": "ssh-rsa AAAA"}),
    ("R0740", {"key": "no-pty ssh-ed25519 AAAA"})])
def test_SAFETY_what_lies_outside_is_refused_and_leaves_no_line(signer, pair, code, change):
    """Ask for 10 years: refused."""
    before = signer.lines()
    signer.refused(code, "certify", **{"key": pair("root").line, "principals": [PRINCIPAL], **change})
    assert signer.lines() == before
    certify(signer, pair("root"), ttl=300)
    certify(signer, pair("root"), ttl=30 * DAY)


def test_an_authoritys_own_key_gets_no_certificate(signer):
    signer.refused("R0746", "certify", key=signer.authority.hosts[0], principals=[PRINCIPAL])
    signer.refused("R0746", "revoke", keys=[signer.authority.users[0]])


def test_every_signing_is_in_the_book_before_it_is_given_out(signer, pair):
    root = pair("root")
    told = certify(signer, root, who="system:keeper")
    line = signer.lines()[-1]
    until = datetime.datetime.fromtimestamp(told.before, datetime.timezone.utc)
    for word in ("signer: signed", "authority=acme/0f3c", "who=system:keeper", "kind=user",
                 "id=acme/0f3c/web-1/root", f"serial={told.serial}",
                 f"until={until:%Y-%m-%dT%H:%M:%S}.000Z", tool("public", root.line).split()[0],
                 f"principals={PRINCIPAL}"):
        assert word in line, line
    assert len(signer.lines()) == 2 and "signer: made" in signer.lines()[0]
    assert (signer.book.stat().st_mode & 0o777) == 0o600


def test_without_its_line_nothing_is_signed(tmp_path, pair):
    """The book has reached the limit of a file: as with a full disk."""
    book = tmp_path / "signings.log"
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limit[1]))
    try:
        book.write_bytes(b"x" * 4000)
        signer = Signer(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    try:
        assert "signing log" in signer.refused("R0748", "make")
        assert len(book.read_bytes()) <= 4096
    except Gone:
        pytest.fail("it was ended by SIGXFSZ")
    finally:
        signer.stop()


def test_serials_never_come_again_over_many_kills(tmp_path, pair):
    root = pair("root")
    seen, sealed = set(), None
    for life in range(6):
        signer = Signer(tmp_path, new=life == 0)
        sealed = sealed or signer.good("make").sealed
        signer.good("load", sealed=sealed)
        for _ in range(50):
            seen.add(certify(signer, root).serial)
        signer.put("certify", key=root.line, principals=[PRINCIPAL])
        inside_kill(signer)
        signer.stop()
    assert len(seen) == 300 and 0 not in seen


def inside_kill(signer):
    """kill -9 to the process that holds the keys."""
    for pid in family(signer.process.pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def family(pid):
    """A process and its children, the children first."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        children = [int(word) for word in file.read().split()]
    return [one for child in children for one in family(child)] + [pid]


def test_sealed_keys_open_for_their_cluster_and_key_alone(signer, tmp_path, pair):
    sealed = signer.sealed
    signer.refused("R0749", "load", authority="acme/other", sealed=sealed)
    signer.refused("R0749", "load", sealed="")
    signer.refused("R0749", "load", sealed=sealed[:-8])
    place = len(sealed) // 2
    signer.refused("R0749", "load", sealed=sealed[:place] + ("A" if sealed[place] != "A" else "B")
                   + sealed[place + 1:])
    (tmp_path / "other").mkdir()
    stranger = Signer(tmp_path / "other")
    try:
        stranger.refused("R0749", "load", sealed=sealed)
        other = stranger.good("make").sealed
    finally:
        stranger.stop()
    signer.refused("R0749", "load", sealed=other)
    certify(signer, pair("root"))


def test_its_key_is_nobody_elses(tmp_path):
    with pytest.raises(Gone):
        Signer(tmp_path, new=False)
    Signer(tmp_path).stop()
    assert (tmp_path / "signer.key").stat().st_mode & 0o777 == 0o400
    (tmp_path / "signer.key").chmod(0o644)
    with pytest.raises(Gone, match="other users own the file or can read it"):
        Signer(tmp_path, new=False)


def test_rotation_takes_four_steps_and_no_other(signer, pair):
    root = pair("root")
    old = signer.authority.users[0]
    for wrong in (0, 2, 3, 7):
        signer.refused("R0750", "rotate", phase=wrong)
    made = signer.good("rotate", phase=1)
    assert made.phase == "made" and made.users == [old]
    signer.refused("R0750", "rotate", phase=2)  # what was not kept is not in use
    assert signer.good("load", sealed=made.sealed).users == [old]
    trusted = signer.good("rotate", phase=2)
    assert trusted.users[0] == old and len(trusted.users) == 2
    signer.good("load", sealed=trusted.sealed)
    new = trusted.users[1]
    assert fields(certify(signer, root).certificate)["authority"] == [old]
    signs = signer.good("rotate", phase=3)
    assert signs.users == [new, old]
    signer.good("load", sealed=signs.sealed)
    assert fields(certify(signer, root).certificate)["authority"] == [new]
    dropped = signer.good("rotate", phase=0)
    assert dropped.users == [new] and dropped.phase == "steady"
    signer.good("load", sealed=dropped.sealed)
    assert fields(certify(signer, root).certificate)["authority"] == [new]
    signer.refused("R0749", "load", sealed=signer.sealed)  # older than what is in use
    signer.refused("R0750", "rotate", phase=0)


def test_what_is_revoked_is_not_signed_again(signer, pair, tmp_path):
    root, other = pair("root"), pair("other")
    told = certify(signer, root)
    good = certify(signer, other, name="acme/0f3c/web-2/root")
    (tmp_path / "list").write_bytes(signer.good("revoke", version=3, keys=[root.line],
                                                names=["acme/0f3c/web-9/root"]).krl)
    said = keygen("-Q", "-l", "-f", tmp_path / "list")
    assert "# KRL version 3" in said and "acme/0f3c/web-9/root" in said
    assert "REVOKED" in keygen("-Q", "-f", tmp_path / "list", root.cert_file, code=1)
    keygen("-Q", "-f", tmp_path / "list", other.cert_file)
    signer.refused("R0746", "certify", key=root.line, principals=[PRINCIPAL], name="new")
    signer.refused("R0746", "certify", key=other.line, principals=[PRINCIPAL],
                   name="acme/0f3c/web-9/root")
    certify(signer, other)
    (tmp_path / "list").write_bytes(signer.good("revoke", version=4, serials=[
        str(good.serial), "5-9"]).krl)
    other.cert_file.write_text(good.certificate)
    assert "REVOKED" in keygen("-Q", "-f", tmp_path / "list", other.cert_file, code=1)
    root.cert_file.write_text(told.certificate)
    keygen("-Q", "-f", tmp_path / "list", root.cert_file)
    for bad in ({"serials": ["0"]}, {"serials": ["9-5"]}, {"serials": ["x"]}, {"serials": ["-1"]},
                {"serials": [str(2**64)]}, {"names": [""]}, {"names": ["a b"]}):
        signer.refused("R0746", "revoke", version=5, **bad)


def test_a_long_list_comes_in_parts_and_has_a_bound(signer, tmp_path):
    numbers = [str(number) for number in range(1, 20001, 2)]
    for start in range(0, 8000, 4000):
        assert signer.good("revoke", serials=numbers[start:start + 4000], is_more=1).krl == b""
    (tmp_path / "list").write_bytes(signer.good("revoke", version=2, serials=numbers[8000:]).krl)
    said = tool("krl-read", tmp_path / "list").splitlines()
    assert said.count("serials 19999-19999") == 2 and "serials 1-1" in said  # users and hosts
    for start in range(8):
        signer.good("revoke", serials=[str(start * 8192 + 2 * i + 1) for i in range(4096)],
                    is_more=1)
    signer.refused("R0747", "revoke", serials=["99999999"])
    assert signer.good("revoke", version=3).krl != b""


def test_the_rate_has_a_bound_for_each_authority(signer, pair):
    """So many at once, and so many a second: on a slow machine it takes more of them to meet the bound."""
    root, count, begun = pair("root"), 0, time.monotonic()
    while (told := signer.ask("certify", key=root.line, principals=[PRINCIPAL])).is_good:
        count += 1
        assert count <= AT_ONCE + PER_S * (time.monotonic() - begun) + 1
    assert count >= AT_ONCE and "in a burst" in told.message
    sealed = signer.good("make", authority="acme/two").sealed
    signer.good("load", authority="acme/two", sealed=sealed)
    certify(signer, root, authority="acme/two", principals=["cluster:acme/two"])


def test_messages_that_nobody_can_read_end_it(tmp_path):
    for body in (b"", b"\xc0", b"\x91\x01\x02", pack([99]), pack([17, "x", []]),
                 pack([ASK, 1, "x"]), b"\x93\x01\x01\xa1\xff"):
        signer = Signer(tmp_path)
        signer.send(body)
        with pytest.raises(Gone):
            signer.receive()
        assert signer.stop() == 3
    signer = Signer(tmp_path)
    signer.socket.sendall(struct.pack("<I", 2**31))
    with pytest.raises(Gone):
        signer.receive()
    assert signer.stop() == 3
    signer = Signer(tmp_path)
    signer.send(pack([ASK, 1, 77, "acme/a", "me"]))  # a method that is none is answered
    assert signer.receive()[2] == code_number("R0752")
    assert signer.stop() == 0


def status(pid):
    """/proc/PID/status."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


def test_it_is_shut_in(signer):
    """As root all parts are there; elsewhere those that the machine has."""
    assert signer.parts["seccomp"].startswith("in force")
    assert signer.parts["noNewPrivileges"] == "in force"
    assert signer.parts["noDumps"] == "in force"
    if resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] > 4 << 20:
        assert signer.parts["lockedMemory"] == "in force"
    inside = family(signer.process.pid)[0]
    said = status(inside)
    assert said["Seccomp"] == "2" and said["NoNewPrivs"] == "1"
    assert int(said["CapEff"], 16) == int(said["CapPrm"], 16) == int(said["CapBnd"], 16) & 0
    assert int(said["Threads"]) == 1
    if os.getuid() == 0:
        wanted = {"userNamespace", "pidNamespace", "mountNamespace", "netNamespace", "ipcNamespace",
                  "capabilities", "user"}
        assert {part for part in wanted if signer.parts[part].startswith("in force")} == wanted
        assert said["Uid"].split()[0] != "0"
        open_now = sorted(os.readlink(f"/proc/{inside}/fd/{fd}")
                          for fd in os.listdir(f"/proc/{inside}/fd") if int(fd) > 2)
        assert len(open_now) == 2 and open_now[0] == str(signer.book), open_now
        assert open_now[1].startswith("socket:")
        assert os.readlink(f"/proc/{inside}/ns/net") != os.readlink("/proc/self/ns/net")
        assert os.listdir(f"/proc/{inside}/root") == []


def test_the_process_outside_never_had_the_key(signer, tmp_path):
    """What waits for the one inside is looked through for the key of the file."""
    if os.getuid() != 0:
        pytest.skip("only root may look into another process")
    outside = signer.process.pid
    inside = family(outside)[0]
    assert inside != outside
    key = base64.b64decode(signer.key.read_text().split()[1])
    for pid in (outside, inside):
        found = 0
        with open(f"/proc/{pid}/maps", encoding="ascii") as maps, \
                open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            for line in maps:
                match = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw", line)
                if match and int(match[2], 16) - int(match[1], 16) < 1 << 28:
                    memory.seek(int(match[1], 16))
                    try:
                        found += key in memory.read(int(match[2], 16) - int(match[1], 16))
                    except OSError:
                        pass
        assert found == 0, pid


def test_it_ends_with_its_manager(tmp_path):
    signer = Signer(tmp_path)
    pids = family(signer.process.pid)
    assert signer.stop() == 0
    for pid in pids:
        assert not os.path.exists(f"/proc/{pid}")


def test_E11_logins_by_what_it_signed(signer, pair, tmp_path):
    """Root of one machine reaches another one, until it is removed; through a rotation as well."""
    host, root = pair("host"), pair("root")
    certify(signer, host, kind=HOST, principals=["127.0.0.1"], name="web-1")
    sshd = Sshd(tmp_path, Line(signer.authority.users[0]), Line(signer.authority.hosts[0]),
                host).start()
    try:
        certify(signer, root)
        assert sshd.login(root)[0], sshd.log()
        for phase in (1, 2, 3):
            told = signer.good("rotate", phase=phase)
            signer.good("load", sealed=told.sealed)
            (tmp_path / "authorities").write_text("\n".join(told.users) + "\n")
            assert sshd.login(root)[0], (phase, sshd.log())
        old = root.cert_file.read_text()
        certify(signer, root)
        assert sshd.login(root)[0], sshd.log()
        told = signer.good("rotate", phase=0)
        signer.good("load", sealed=told.sealed)
        (tmp_path / "authorities").write_text("\n".join(told.users) + "\n")
        assert sshd.login(root)[0], sshd.log()
        root.cert_file.write_text(old)
        assert not sshd.login(root)[0]
        certify(signer, root)
        assert sshd.login(root)[0], sshd.log()
        sshd.revoked.write_bytes(signer.good("revoke", version=2, keys=[root.line]).krl)
        assert not sshd.login(root)[0]
    finally:
        sshd.stop()
