"""What src/ssh writes, read by ssh-keygen; and what ssh-keygen writes, read by src/ssh."""
import re
import subprocess

import pytest

from conftest import keygen, tool

DAY = 24 * 3600


def test_E10_keys(pair, tmp_path):
    root = pair("root")
    print_, comment = tool("public", root.line).split()
    said = keygen("-l", "-f", root.public).split()
    assert said[1:] == [print_, comment, "(ED25519)"]
    assert keygen("-y", "-f", root.file).strip() == root.line
    keygen("-q", "-t", "ed25519", "-N", "", "-C", "a stranger's", "-f", tmp_path / "stranger")
    print_ = tool("public", (tmp_path / "stranger.pub").read_text())
    assert print_.split(maxsplit=1) == [keygen("-l", "-f", tmp_path / "stranger").split()[1],
                                        "a stranger's\n"]


def certificate(path, monkeypatch):
    """What ssh-keygen -L says, {heading: [lines]}."""
    monkeypatch.setenv("TZ", "UTC")
    found = {}
    for line in keygen("-L", "-f", path).splitlines()[1:]:
        if match := re.match(r" {8}(\S[^:]*): ?(.*)", line):
            found[match[1]] = [match[2]] if match[2] else []
        else:
            found[list(found)[-1]].append(line.strip())
    return found


def test_a_certificate_is_what_ssh_keygen_reads(pair, monkeypatch):
    users, root = pair("users"), pair("root")
    root.cert_file.write_text(tool("cert", users.seed, "user", root.line, "acme/0f3c/web-1/root",
                                   2**64 - 2, 1767225600, 1767225600 + 7 * DAY,
                                   "cluster:acme/0f3c,other", "force-command=uptime",
                                   "permit-port-forwarding", "permit-pty"))
    said = certificate(root.cert_file, monkeypatch)
    assert said["Type"] == ["ssh-ed25519-cert-v01@openssh.com user certificate"]
    assert said["Public key"][0].split()[1] == keygen("-l", "-f", root.public).split()[1]
    assert said["Signing CA"][0].split()[1] == keygen("-l", "-f", users.public).split()[1]
    assert said["Key ID"] == ['"acme/0f3c/web-1/root"']
    assert said["Serial"] == [str(2**64 - 2)]
    assert said["Valid"] == ["from 2026-01-01T00:00:00 to 2026-01-08T00:00:00"]
    assert said["Principals"] == ["cluster:acme/0f3c", "other"]
    assert said["Critical Options"] == ["force-command uptime"]
    assert said["Extensions"] == ["permit-port-forwarding", "permit-pty"]


@pytest.mark.parametrize("kind", ["user", "host"])
def test_a_certificate_of_ssh_keygen_is_read_and_holds(pair, tmp_path, kind):
    users, root = pair("users"), pair("root")
    keygen("-q", "-s", users.file, "-I", "an id with blanks", "-n", "one,two", "-z", "77",
           "-V", "20260101000000Z:20270101000000Z", *(["-h"] if kind == "host" else []), root.public)
    line = root.cert_file.read_text()
    said = tool("read", line).splitlines()
    assert said[:5] == [f"kind {kind}", "serial 77", "id an id with blanks", "after 1767225600",
                        "before 1798761600"]
    assert [word for word in said if word.startswith("principal")] == ["principal one",
                                                                      "principal two"]
    assert tool("check", line, users.line, kind, "two", 1767225600) == "holds\n"
    assert "R0742" in tool("check", line, users.line, kind, "two", 1798761600, fails=True)
    assert "R0742" in tool("check", line, root.line, kind, "two", 1767225600, fails=True)


def krl_says(path, certificate_file):
    """Is it revoked? ssh-keygen -Q ends with 1 then."""
    run = subprocess.run(["ssh-keygen", "-Q", "-f", path, certificate_file], text=True,
                         capture_output=True, check=False, timeout=240)
    assert run.returncode in (0, 1), run.stderr
    assert ("REVOKED" in run.stdout) == (run.returncode == 1), run.stdout
    return run.returncode == 1


@pytest.mark.parametrize(("serials", "ids", "with_key", "revoked"), [
    ("-", "-", False, set()), ("5", "-", False, {5}), ("3-5,9", "-", False, {3, 4, 5, 9}),
    ("1,3,5,7-8,20", "-", False, {1, 3, 5, 7, 8, 20}), ("-", "id-4,id-6", False, {4, 6}),
    ("2", "id-6", True, set(range(1, 11)) | {20})])
def test_a_list_of_ours_is_what_ssh_keygen_reads(pair, tmp_path, serials, ids, with_key, revoked):
    users, root = pair("users"), pair("root")
    tool("krl", tmp_path / "list", 3, users.line, serials, ids, *([root.line] if with_key else []))
    assert "# KRL version 3" in keygen("-Q", "-l", "-f", tmp_path / "list")
    for serial in [*range(1, 11), 20]:
        root.certify(users, "user", "x", serial=serial, name=f"id-{serial}")
        assert krl_says(tmp_path / "list", root.cert_file) is (serial in revoked), serial
    assert krl_says(tmp_path / "list", root.public) is with_key


def test_a_list_of_ssh_keygen_is_read(pair, tmp_path):
    users, root = pair("users"), pair("root")
    numbers = sorted({number * number % 4001 + 1 for number in range(1, 900)})
    (tmp_path / "words").write_text("".join(f"serial: {number}\n" for number in numbers)
                                    + "serial: 10000-20000\nid: web-1\n")
    keygen("-q", "-k", "-f", tmp_path / "list", "-z", "6", "-s", users.public, tmp_path / "words")
    keygen("-q", "-k", "-u", "-f", tmp_path / "list", "-z", "7", root.public)
    said = tool("krl-read", tmp_path / "list").splitlines()
    read = set()
    for line in said:
        if match := re.match(r"serials (\d+)-(\d+)$", line):
            read.update(range(int(match[1]), int(match[2]) + 1))
    assert read == set(numbers) | set(range(10000, 20001))
    assert {"version 7", "id web-1", "authority " + " ".join(users.line.split()[:2]),
            "key " + " ".join(root.line.split()[:2])} <= set(said)
    (tmp_path / "words").write_text(f"hash: {keygen('-l', '-f', root.public).split()[1]}\n")
    keygen("-q", "-k", "-f", tmp_path / "digests", tmp_path / "words")
    assert "R0743" in tool("krl-read", tmp_path / "digests", fails=True)
