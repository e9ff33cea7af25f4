"""Keys, trust and facts on one node: made once, whole or not at all, unchanged where nothing differs."""
import fcntl
import hashlib
import io
import json
import os
import pathlib
import random
import subprocess
import tarfile
import time

import pytest
from conftest import STATE, USER, keygen, needs_root, wait
from pylib.proc import processes, said_of

pytestmark = needs_root

PRINCIPAL = "cluster:acme/0f3c"
KEYS = ["etc/ssh/ssh_host_ed25519_key", "root/.ssh/id_ed25519", f"home/{USER}/.ssh/id_ed25519"]


def told(one):
    """The keys that were told."""
    return {line.split()[1]: " ".join(line.split()[2:]) for line in one.lines() if line.startswith("key ")}


def archive(path, files):
    """A tar of these."""
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(data), 0o644
            tar.addfile(info, io.BytesIO(data.encode() if isinstance(data, str) else data))
    return path


class Trust:
    """Two authorities, and what a node is to have of them."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("users", "hosts"):
            keygen("-q", "-t", "ed25519", "-N", "", "-C", name, "-f", folder / name)

    def sign(self, node, keys, mark=False):
        """The tar for a node, with certificates for its keys; with the lines that let reeve's authority in."""
        (self.folder / "host.pub").write_text(keys["host"] + "\n")
        (self.folder / "root.pub").write_text(keys["root"] + "\n")
        keygen("-q", "-s", self.folder / "hosts", "-h", "-I", node.name, "-n", f"{node.name},127.0.0.1",
               self.folder / "host.pub")
        keygen("-q", "-s", self.folder / "users", "-I", "root", "-n", PRINCIPAL, self.folder / "root.pub")
        revoked = self.folder / "revoked"
        if not revoked.exists():
            keygen("-q", "-k", "-f", revoked)
        return archive(self.folder / f"{node.name}.tar", {
            "etc/authorities": (self.folder / "users.pub").read_text(),
            "etc/principals/root": PRINCIPAL + "\n",
            "etc/revoked": revoked.read_bytes(),
            "etc/host-cert.pub": (self.folder / "host-cert.pub").read_text(),
            "etc/host-authorities": (self.folder / "hosts.pub").read_text(),
            "sshd.conf": "TrustedUserCAKeys /etc/ssh/reeve/authorities\nHostKey /etc/ssh/ssh_host_ed25519_key\n"
                         "HostCertificate /etc/ssh/reeve/host-cert.pub\n"
                         "AuthorizedPrincipalsFile /etc/ssh/reeve/principals/%u\nRevokedKeys /etc/ssh/reeve/revoked\n",
            "root-cert.pub": (self.folder / "root-cert.pub").read_text(), **self.lines(mark)})

    def lines(self, mark):
        """The line of authorized_keys, as it is now."""
        start = f'cert-authority,principals="{PRINCIPAL}" '
        return {"mark": start, "lines": f"{start}{(self.folder / 'users.pub').read_text()}"} if mark else {}


@pytest.fixture(name="trust")
def make_trust(tmp_path):
    """Authorities."""
    (tmp_path / "trust").mkdir()
    return Trust(tmp_path / "trust")


def hop(one, other):
    """From root of a node to root of another one, without a prompt."""
    return subprocess.run(
        ["nsenter", "-t", str(one.init()), "-m", "-u", "ssh", "-o", "BatchMode=yes", "-p", str(other.port),
         "root@127.0.0.1", "hostname"], text=True, capture_output=True, check=False,
        stdin=subprocess.DEVNULL, timeout=240, env={"HOME": "/root", "PATH": os.environ["PATH"]})


def reached(one, other):
    """The hop that goes well: for a moment sshd does not listen, while it reads its settings anew."""
    tried = []

    def try_it():
        tried.append(hop(one, other))
        return tried[-1].returncode == 0
    wait(try_it, 60, lambda: tried[-1].stderr)
    return tried[-1]


def test_keys_are_made_once(node, run):
    """For host, root and user; what is there stays; a public half that is lost comes back."""
    first = run(node, [], user=USER, **{"with": 1})
    assert first.wait() == "done", first.lines()
    keys = told(first)
    assert set(keys) == {"host", "root", "user"} and len(set(keys.values())) == 3
    assert keys["host"] == node.host_key
    for path, word in zip(KEYS, ("host", "root", "user")):
        assert " ".join(node.read(path + ".pub").split()[:2]) == keys[word]
        assert (node.folder / path).stat().st_mode & 0o777 == 0o600
    assert (node.folder / KEYS[2]).stat().st_uid == 4242
    (node.folder / (KEYS[1] + ".pub")).unlink()
    (node.folder / (KEYS[2] + ".pub")).write_text("ssh-ed25519 AAAA other\n")
    again = run(node, [], user=USER, **{"with": 1})
    assert again.wait() == "done"
    assert told(again) == keys
    assert " ".join(node.read(KEYS[1] + ".pub").split()[:2]) == keys["root"]
    assert not list((node.folder / "root/.ssh").glob(".reeve*"))


def test_a_key_that_is_locked_is_named(node, run):
    """It is not replaced."""
    keygen("-q", "-t", "ed25519", "-N", "secret", "-f", node.folder / KEYS[1])
    before = node.read(KEYS[1])
    one = run(node, [], **{"with": 1})
    assert one.wait() == "refused"
    assert f"/{KEYS[1]}" in one.lines()[-1]
    assert node.read(KEYS[1]) == before


def test_root_reaches_root_by_certificates(nodes, run, trust, tmp_path):
    """Of two nodes, both ways; again nothing changes; a revoked one is shut out of what has the list."""
    pair = [nodes("web-1"), nodes("web-2")]
    members = {"hosts": "127.0.0.1 web-1\n127.0.0.1 web-2\n", "facts": tmp_path / "facts.json", "with": 3}
    members["facts"].write_text("{}")
    assert hop(*pair).returncode != 0
    for node in pair:
        keys = told_of(run, node)
        files = trust.sign(node, keys)
        one = run(node, [], trust=files, **members)
        assert one.wait() == "done", one.lines()
        assert "same trust 0" not in one.lines()
        again = run(node, [], trust=files, **members)
        assert again.wait() == "done"
        assert "same trust 0" in again.lines() and "same distribute 0" in again.lines()
    for one, other in (pair, pair[::-1]):
        assert reached(one, other).stdout == other.name + "\n"
    (trust.folder / "gone.pub").write_text(told_of(run, pair[0])["root"] + "\n")
    keygen("-q", "-k", "-f", trust.folder / "revoked", trust.folder / "gone.pub")
    assert run(pair[1], [], trust=trust.sign(pair[1], told_of(run, pair[1])), **{"with": 1}).wait() == "done"
    assert hop(*pair).returncode != 0
    reached(*pair[::-1])
    assert len(list((pair[1].folder / "etc/ssh").glob("reeve-*"))) == 1


def told_of(run, node):
    """The keys of a node."""
    one = run(node, [], **{"with": 1})
    assert one.wait() == "done", one.lines()
    return told(one)


def test_settings_that_sshd_refuses(node, run, trust):
    """Are not installed; what was there is as it was, and lets in."""
    keys = told_of(run, node)
    good = trust.sign(node, keys)
    assert run(node, [], trust=good, **{"with": 1}).wait() == "done"
    before = snapshot(node)
    bad = archive(trust.folder / "bad.tar", {
        "etc/authorities": "x", "etc/host-cert.pub": "y", "sshd.conf": "NoSuchWord yes\n"})
    one = run(node, [], trust=bad, patience=10000, **{"with": 1})
    assert one.wait() == "refused"
    assert "NoSuchWord" in one.lines()[-1]
    assert snapshot(node) == before
    assert run(node, [], **{"with": 1}).wait() == "done"


def snapshot(node):
    """All of /etc/ssh, as a reader sees it."""
    folder = node.folder / "etc/ssh"
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
            for path in sorted(folder.rglob("*")) if not path.is_symlink()}


def test_settings_without_an_include(node, run, trust):
    """Get one, at their beginning."""
    path = node.folder / "etc/ssh/sshd_config"
    path.write_text(path.read_text().replace("Include", "#Include"))
    path.chmod(0o600)
    os.chown(path, 0, 4)
    assert run(node, [], trust=trust.sign(node, told_of(run, node)), **{"with": 1}).wait() == "done"
    assert path.read_text().splitlines()[0] == "Include /etc/ssh/sshd_config.d/*.conf"
    assert (path.stat().st_mode & 0o777, path.stat().st_gid) == (0o600, 4)  # who could not read it cannot now


def test_classic_blocks(node, run, tmp_path):
    """Only reeve's lines are written; an empty block is taken away; a damaged one is left alone."""
    path = node.folder / "root/.ssh/authorized_keys"
    own = path.read_text()
    files = archive(tmp_path / "c.tar", {"authorized_keys": "ssh-ed25519 AAAA root@a\nssh-ed25519 BBBB root@b\n",
                                         "known_hosts": "a ssh-ed25519 CCCC\n"})
    one = run(node, [], trust=files, classic="acme/0f3c", **{"with": 1})
    assert one.wait() == "done", one.lines()
    with_block = path.read_text()
    assert with_block == (own + "# reeve begin acme/0f3c: these lines are reeve's, and are written anew\n"
                          "ssh-ed25519 AAAA root@a\nssh-ed25519 BBBB root@b\n# reeve end acme/0f3c\n")
    assert "a ssh-ed25519 CCCC\n" in node.read("root/.ssh/known_hosts")
    again = run(node, [], trust=files, classic="acme/0f3c", **{"with": 1})
    assert again.wait() == "done" and "same trust 0" in again.lines()
    path.write_text(with_block + "own line\n")
    empty = archive(tmp_path / "e.tar", {"authorized_keys": "", "known_hosts": ""})
    assert run(node, [], trust=empty, classic="acme/0f3c", **{"with": 1}).wait() == "done"
    assert path.read_text() == own + "own line\n"
    assert node.read("root/.ssh/known_hosts") == ""
    damaged = with_block.replace("# reeve end acme/0f3c\n", "")
    path.write_text(damaged)
    one = run(node, [], trust=files, classic="acme/0f3c", **{"with": 1})
    assert one.wait() == "refused" and "damaged" in one.lines()[-1]
    assert path.read_text() == damaged


def test_facts(node, run, tmp_path):
    """Collected, distributed whole, and the same bytes again."""
    facts = tmp_path / "facts.json"
    facts.write_text(json.dumps({"web-1": {"name": "web-1", "subnet": "x" * 200000}}))
    one = run(node, [], facts=facts, user=USER, **{"with": 2})
    assert one.wait() == "done", one.lines()
    assert "hostname web-1" in one.lines() and "address 127.0.0.1" in one.lines()
    assert "network 127.0.0.1/8" in one.lines()
    path = node.folder / "etc/cluster_facts.json"
    assert path.read_text() == facts.read_text()
    assert path.stat().st_mode & 0o777 == 0o644 and path.stat().st_uid == 0
    before = path.stat().st_mtime_ns, path.stat().st_ino
    node.put_before("sha256sum", '#!/bin/sh\necho >>/root/sent\nexec /usr/bin/sha256sum "$@"\n')
    again = run(node, [], facts=facts, **{"with": 2})
    assert again.wait() == "done" and "same distribute 0" in again.lines()
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == before and node.read("root/sent") == ""
    for name in ("etc/cluster_facts.json", "etc/hosts"):  # whoever writes to them has them written again
        was = node.read(name)
        with (node.folder / name).open("a") as out:
            out.write("# reeve begin\n")
        assert run(node, [], facts=facts, **{"with": 2}).wait() == "done" and node.read(name) == was
    (node.folder / "etc/hosts").unlink()
    assert run(node, [], facts=facts, **{"with": 2}).wait() == "done" and "# reeve begin" in node.read("etc/hosts")
    path.chmod(0o600)
    assert run(node, [], facts=facts, **{"with": 2}).wait() == "done" and path.stat().st_mode & 0o777 == 0o644
    assert node.read("root/sent").count("\n") == 4
    path.unlink()
    path.symlink_to("/etc/passwd")
    passwd = node.read("etc/passwd")
    assert run(node, [], facts=facts, **{"with": 2}).wait() == "done"
    assert not path.is_symlink() and node.read("etc/passwd") == passwd


def test_a_block_of_hosts_without_its_end(node, run, tmp_path):
    """Reeve's lines go, and what somebody else has written behind them stays."""
    facts = tmp_path / "facts.json"
    path = node.folder / "etc/hosts"
    path.write_text("127.0.0.1 localhost\n")
    for lines in ("10.0.0.1 web-1\n10.0.0.2 web-2\n", "10.0.0.1 web-1\n10.0.0.3 web-3\n"):
        facts.write_text("{}")
        assert run(node, [], hosts=lines, facts=facts, **{"with": 2}).wait() == "done"
        assert path.read_text().endswith(f"written by reeve\n{lines}# reeve end\n")
        was = path.read_text()
        path.write_text(was.replace("# reeve end\n", "") + "192.168.7.7 printer\n")
    facts.write_text("{ }")
    assert run(node, [], hosts="10.0.0.4 web-4\n", facts=facts, **{"with": 2}).wait() == "done"
    assert path.read_text() == ("127.0.0.1 localhost\n192.168.7.7 printer\n192.168.7.7 printer\n"
                                "# reeve begin: members of the cluster, written by reeve\n10.0.0.4 web-4\n# reeve end\n")


def test_who_shares_files_takes_turns(node, run, tmp_path):
    """A program of a connection that is gone may still be amid them: the next one waits for it."""
    facts = tmp_path / "facts.json"
    facts.write_text("{}")
    assert run(node, [], facts=facts, **{"with": 2}).wait() == "done"
    facts.write_text("{ }")
    with (node.folder / STATE / "marks/shared.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        one = run(node, [], facts=facts, **{"with": 2})
        wait(lambda: any(said_of(pid, "cmdline") == "flock -w 10 8" for pid in processes()))
        assert node.read("etc/cluster_facts.json") == "{}"
    assert one.wait() == "done" and node.read("etc/cluster_facts.json") == "{ }"


def test_cuts_in_every_step(node, run, trust, tmp_path, proxy):
    """The connection is cut at random bytes of keys, trust and facts: all of it is there in the end."""
    facts = tmp_path / "facts.json"
    facts.write_text(json.dumps({"web-1": {"name": "web-1", "x": "y" * 50000}}))
    files = trust.sign(node, told_of(run, node))
    way = proxy(node.port)
    assert run(node, [], port=way.port, trust=files, facts=facts, **{"with": 3}).wait() == "done"
    total = way.passed
    for number in range(6):
        for path in ("etc/cluster_facts.json", "etc/ssh/sshd_config.d/00-reeve.conf"):
            (node.folder / path).unlink()
        way.cuts = [hash_number(number, 0) % total, hash_number(number, 1) % total]
        one = run(node, [], port=way.port, trust=files, facts=facts, **{"with": 3})
        assert one.wait() == "done", one.lines()
        assert node.read("etc/cluster_facts.json") == facts.read_text()
        assert node.read("etc/ssh/sshd_config.d/00-reeve.conf").startswith("TrustedUserCAKeys")


def hash_number(*words):
    """A number that looks random and is the same again."""
    return int(hashlib.sha256(repr(words).encode()).hexdigest()[:8], 16)


def test_kills_in_every_step(node, run, trust, tmp_path):
    """The node is killed at random times of keys, trust and facts; it comes back, lets in, and all of it is there."""
    facts = tmp_path / "facts.json"
    facts.write_text(json.dumps({"web-1": {"name": "web-1", "x": "y" * 50000}}))
    files = trust.sign(node, told_of(run, node))
    chance = random.Random(11)
    for _ in range(6):
        for path in ("etc/cluster_facts.json", "etc/ssh/sshd_config.d/00-reeve.conf", "root/.ssh/id_ed25519-cert.pub"):
            (node.folder / path).unlink(missing_ok=True)
        one = run(node, [], trust=files, hosts="127.0.0.1 web-1\n", facts=facts, patience=60000, **{"with": 3})
        time.sleep(0.1 + chance.random() * 0.6)
        node.kill()
        node.start()
        assert one.wait() == "done", one.lines()
        assert node.read("etc/cluster_facts.json") == facts.read_text()
        reached(node, node)
        assert not list((node.folder / "etc").glob("**/*.reeve-old"))
