"""Trust that ends: keys of machines that go are taken back from all others, and authorities are changed (E11, F21; decision 0050)."""

import os
import re
import shutil
import signal
import sys
import pathlib
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from manager import until  # noqa: E402
from pylib.proc import children, named  # noqa: E402
from test_bootstrap import BASE, world  # noqa: E402, F401  (a fixture is found by its name)

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")


def home_of(machine):
    """Root's keys in a machine's file tree."""
    return machine.folder / "upper" / "root" / ".ssh"


class Thief:
    """Somebody who has copied root's key, and the certificate that it had then, out of a machine."""

    def __init__(self, world, name):
        self.world = world
        self.folder = world.folder / f"stolen-{name}"
        self.folder.mkdir(mode=0o700)
        machine = world.by_name()[name]
        for file in ("id_ed25519", "id_ed25519-cert.pub"):
            source = home_of(machine) / file
            if source.exists():
                shutil.copy(source, self.folder / file)
        (self.folder / "id_ed25519").chmod(0o600)

    def enters(self, name, user="root", port=22):
        """Does he get in there? And what ssh says."""
        address = self.world.by_name()[name].address
        certificate = ["-o", f"CertificateFile={self.folder}/id_ed25519-cert.pub"] * (self.folder / "id_ed25519-cert.pub").exists()
        done = self.world.room.run("ssh", "-F", "none", "-n", "-v", "-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes", "-o",
                                   "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-p", str(port), "-i",
                                   f"{self.folder}/id_ed25519", *certificate, f"{user}@{address}", "id", "-un")
        return done.returncode == 0 and done.stdout.strip() == user


def answer(world, node, other):
    """What root of a node hears from the other, by name: its name, or what ssh has to say."""
    return world.on(node, "sudo", "-n", "ssh", "-n", "-o", "BatchMode=yes", other, "hostname", "2>&1", "||", "true").strip()


def reaches(world, node, other):
    """Is root of a node root on the other?"""
    return answer(world, node, other) == other


def listeners(world):
    """Which process listens on each machine, and since when: it closes its socket when it begins anew, and writes its number then."""
    return {name: world.on(name, "stat", "-c", "'%i %z'", "/run/sshd.pid") for name in world.by_name()}


def told_to_trust(world):
    """How often each machine has been given what it is to trust: the folder is another one each time."""
    return {name: os.readlink(machine.folder / "upper/etc/ssh/reeve") for name, machine in world.by_name().items()}


@pytest.mark.parametrize("trust", ["certificate", "classic"])
def test_keys_of_a_machine_that_goes_are_revoked(world, trust):
    """E11, F21: a copy of its key gets in nowhere, soon after it has gone."""
    stages = ((world.bundle("base", BASE), "one"),)
    world.apply(4, *stages, sshTrust=trust)
    thieves = [Thief(world, "web-2"), Thief(world, "web-3")]
    assert all(thief.enters(name) for thief in thieves for name in ("web-0", "web-1"))
    before = told_to_trust(world) if trust == "certificate" else {}
    world.apply(2, *stages, sshTrust=trust, waits=False, destroys=2)
    began = time.monotonic()
    until(lambda: not any(thief.enters(name) for thief in thieves for name in ("web-0", "web-1")), world.why, 60)
    print("refused after", time.monotonic() - began)
    world.wait_ready(2)
    assert reaches(world, "web-0", "web-1") and reaches(world, "web-1", "web-0")
    assert world.starts("web-0") == ["base one"]
    if trust == "classic":
        return
    assert not any(thief.enters(name, "admin") for thief in thieves for name in ("web-0", "web-1"))
    assert sorted(one["node"] for one in world.events("node.revoked")) == ["web-2", "web-3"]
    assert len(world.written("Revoked")) == 2
    # a second sshd with the same settings, which says why
    world.on("web-0", "sudo", "-n", "/usr/sbin/sshd", "-p", "2222", "-E", "/srv/sshd.log", "-o", "LogLevel=VERBOSE", "-o", "PidFile=none")
    assert not thieves[0].enters("web-0", port=2222)
    said = world.peek(world.by_name()["web-0"], "srv/sshd.log")
    assert "revoked" in said and "web-2." in said, said
    after = told_to_trust(world)
    assert all(before[name] != after[name] for name in after)


def test_what_is_revoked_stays_so(world):
    """Whoever is killed meanwhile: the manager before it has told anybody, and the signer that holds the list."""
    stages = ((world.bundle("base", BASE), "one"),)
    world.apply(3, *stages)
    thief = Thief(world, "web-2")
    assert thief.enters("web-0")
    world.apply(2, *stages, waits=False, destroys=1)
    until(lambda: world.written("Revoked"), world.why)
    world.manager.kill()
    world.manager.start()
    until(lambda: not thief.enters("web-0") and not thief.enters("web-1"), world.why, 60)
    world.wait_ready(2)
    signers = [pid for pid in children(world.manager.process.pid) if named(pid) == "reeve-signer"]
    assert signers
    for pid in signers:
        os.kill(pid, signal.SIGKILL)
    world.apply(3, *stages)  # the new one gets certificates from a signer that was given the list before
    reaches_all = [(one, other) for one in world.by_name() for other in world.by_name() if one != other]
    assert len(reaches_all) == 6 and all(reaches(world, *pair) for pair in reaches_all)
    assert not any(thief.enters(name) for name in world.by_name())
    book = (world.folder / "data.signer.log").read_text()
    assert book.count("signer: revoked ") >= 2, book  # each signer was given the list


def test_keys_that_were_revoked_give_way(world):
    """A machine that is a member already, and one by hand: no certificate for it, and it is no member any more."""
    stages = ((world.bundle("base", BASE), "one"),)
    world.apply(3, *stages)
    thief = Thief(world, "web-1")
    assert thief.enters("web-0")
    world.reeve("ca", "revoke", "shop/web-1", "-m", "its disk was seen elsewhere")
    until(lambda: not thief.enters("web-0") and not thief.enters("web-2"), world.why, 60)
    world.reeve("ca", "revoke", "shop/web-1", code=5)  # it is done already
    shown = world.reeve("describe", "node", "shop/web-1")  # it serves on, and whoever looks at it is told
    assert re.search(r"^keys +revoked by root, since .*; the machine gets new keys only when it is replaced$", shown, re.M), shown
    assert "\nkeys " not in world.reeve("describe", "node", "shop/web-0")
    until(lambda: "web-1" not in world.on("web-0", "cat", "/etc/cluster_facts.json"), world.why)
    world.look_again()
    assert thief.enters("web-1")  # its own machine is left alone
    assert not thief.enters("web-0") and not reaches(world, "web-1", "web-0")
    assert reaches(world, "web-0", "web-2") and reaches(world, "web-2", "web-0")
    told = world.events("node.revoked")
    assert [(one["node"], one["why"]) for one in told] == [("web-1", "its disk was seen elsewhere")]


def test_authorities_are_changed_under_a_loop_of_logins(world):
    """F21: in each phase root of every machine reaches root of every other, reeve logs in, and the manager may be killed."""
    stages = ((world.bundle("base", BASE), "one"),)
    names = ["web-0", "web-1", "web-2"]
    world.apply(3, *stages)
    thief = Thief(world, "web-1")  # with a certificate of the old authority
    old = world.reeve("ca", "show", "shop")
    assert old.count("cert-authority") == 1
    before = listeners(world)
    pairs = [(one, other) for one in names for other in names if one != other]
    logins, phases, kills = [], [], 0
    world.reeve("ca", "rotate", "shop", "-m", "a drill")
    world.reeve("ca", "rotate", "shop", code=5)  # one at a time
    ends = time.monotonic() + 120
    while not world.events("cluster.rotated") and time.monotonic() < ends:
        pair = pairs[len(logins) % len(pairs)]
        logins.append((pair, answer(world, *pair)))  # by reeve's own login, and root's from there
        now = [one["fact"] for one in world.events("cluster.rotation")]
        if len(now) > len(phases) and kills < 2:
            kills += 1
            world.manager.kill()
            world.manager.start()
        phases = now
    until(lambda: world.events("cluster.rotated"), world.why)
    phases = [one["fact"] for one in world.events("cluster.rotation")]  # also what was told behind the last look
    for pair in pairs * 2:
        logins.append((pair, answer(world, *pair)))
    assert not [one for one in logins if one[1] != one[0][1]]
    if not pathlib.Path("/usr/lib/openssh/sshd-session").exists():  # up to 9.7; later listeners have to be told
        assert listeners(world) == before
    print(len(logins), "logins,", kills, "kills, phases:", phases)
    assert phases == ["new authorities are made", "all machines are being informed of the new authorities",
                      "all machines get certificates from the new authorities"]
    until(lambda: not any(thief.enters(name, user) for name in ("web-0", "web-2") for user in ("root", "admin")), world.why, 60)
    new = world.reeve("ca", "show", "shop")
    assert new.count("cert-authority") == 1 and new != old
    for name in names:  # nor is a line of the old one left where reeve logs in
        assert old.split()[2] not in world.on(name, "cat", ".ssh/authorized_keys")
    world.apply(4, *stages)  # who joins knows the new ones alone
    assert reaches(world, "web-3", "web-0") and reaches(world, "web-0", "web-3")
    assert world.starts("web-0") == ["base one"]


def test_certificates_are_renewed_in_time(world):
    """At half of their life, which haste makes short: the number is another one, and no login fails meanwhile."""
    def certificate(name):
        return (home_of(world.by_name()[name]) / "id_ed25519-cert.pub").read_text()

    def host_certificate(name):
        return world.peek(world.by_name()[name], f"etc/ssh/{pathlib.Path(os.readlink(world.by_name()[name].folder / 'upper/etc/ssh/reeve')).name}/host-cert.pub")

    def parts():
        """Those of both machines as they are now."""
        return {(what, name): what(name) for what in (certificate, host_certificate) for name in ("web-0", "web-1")}

    def is_renewed(before):
        """Is each of them another one?"""
        return not before.items() & parts().items()

    stages = ((world.bundle("base", BASE), "one"),)
    for ttl in ("5m", "30m"):  # half of it is 1.5 s with this haste, and a machine that stands still for that long needs more
        world.apply(2, *stages, sshCertTtl=ttl)
        before, logins = parts(), []
        if ttl != "5m":
            until(lambda: is_renewed(before), world.why)  # noqa: B023  (what is looked at now has the longer life)
            before = parts()
        ends = time.monotonic() + 60
        while time.monotonic() < ends and not is_renewed(before):
            logins.append(reaches(world, "web-0", "web-1"))
        assert is_renewed(before), (before, parts())
        if all(logins):
            break
    assert all(logins) and reaches(world, "web-1", "web-0")
    assert world.starts("web-0") == ["base one"]
