"""A machine that somebody else set up keeps its own SSH trust when reeve takes it over (I34, F32): its certificate authority,
principals, revocations and host keys count as before, and reeve's own count beside them."""
import os
import subprocess

import pytest
from conftest import USER, keygen, needs_root, wait
from test_prepare import PRINCIPAL, Trust, told_of

pytestmark = needs_root

COMPANY = "etc/ssh/company"


class Company:
    """The authority of the machine's owners: what they wrote into sshd's settings, and how they log in."""

    def __init__(self, folder, node):
        self.folder, self.node = folder, node
        keygen("-q", "-t", "ed25519", "-N", "", "-C", "company", "-f", folder / "company")
        for who in ("ana", "eve"):
            keygen("-q", "-t", "ed25519", "-N", "", "-C", who, "-f", folder / who)
        (node.folder / COMPANY).mkdir()
        (node.folder / COMPANY / "ca.pub").write_text((folder / "company.pub").read_text())

    def settings(self, *lines):
        path = self.node.folder / "etc/ssh/sshd_config"
        path.write_text(path.read_text() + "".join(f"{line}\n" for line in lines))

    def login(self, who, user, principal):
        """What a login as this user answers, with a certificate that the company signed."""
        key = self.folder / who
        keygen("-q", "-s", self.folder / "company", "-I", who, "-n", principal, str(key) + ".pub")
        done = subprocess.run(
            ["ssh", "-F", "none", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
             "-o", "IdentitiesOnly=yes", "-o", f"IdentityFile={key}", "-o", f"CertificateFile={key}-cert.pub",
             "-p", str(self.node.port), f"{user}@127.0.0.1", "echo in"],
            text=True, capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=60, env={"PATH": os.environ["PATH"]})
        return done.stdout == "in\n"


def reeve_login(trust, node):
    """Does a certificate of reeve's own authority let root in?"""
    key = trust.folder / "hand"
    key.unlink(missing_ok=True)
    keygen("-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key)
    keygen("-q", "-s", trust.folder / "users", "-I", "hand", "-n", PRINCIPAL, str(key) + ".pub")
    done = subprocess.run(
        ["ssh", "-F", "none", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
         "-o", "IdentitiesOnly=yes", "-o", f"IdentityFile={key}", "-o", f"CertificateFile={key}-cert.pub",
         "-p", str(node.port), "root@127.0.0.1", "echo in"],
        text=True, capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=60, env={"PATH": os.environ["PATH"]})
    return done.stdout == "in\n"


@pytest.fixture(name="company")
def make_company(tmp_path, nodes):
    (tmp_path / "company").mkdir()
    return Company(tmp_path / "company", nodes("web-1"))


@pytest.fixture(name="trust")
def make_trust(tmp_path):
    (tmp_path / "trust").mkdir()
    return Trust(tmp_path / "trust")


def restart(node):
    node.kill()
    node.start()


def take_over(run, trust, node):
    """Keys and trust of reeve on the node; again nothing changes."""
    files = trust.sign(node, told_of(run, node))
    one = run(node, [], trust=files, **{"with": 1})
    assert one.wait() == "done", one.lines()
    wait(lambda: reeve_login(trust, node))
    again = run(node, [], trust=files, **{"with": 1})
    assert again.wait() == "done" and "same trust 0" in again.lines()


def test_an_authority_without_principals_files(company, run, trust):
    """TrustedUserCAKeys alone: a certificate lets in as the user that it names."""
    node = company.node
    company.settings("TrustedUserCAKeys /etc/ssh/company/ca.pub")
    restart(node)
    before = [company.login("ana", user, principal) for user, principal in (("root", "root"), (USER, USER), ("root", USER))]
    assert before == [True, True, False]
    take_over(run, trust, node)
    assert [company.login("ana", user, principal)
            for user, principal in (("root", "root"), (USER, USER), ("root", USER))] == before


def test_an_authority_with_principals_and_revocations(company, run, trust):
    """All three settings; the list of revoked keys is text, and then a KRL."""
    node = company.node
    for user in ("root", USER):
        (node.folder / COMPANY / user).write_text(f"staff-{user}\n")
    (node.folder / COMPANY / "gone").write_text((company.folder / "eve.pub").read_text())
    company.settings("TrustedUserCAKeys /etc/ssh/company/ca.pub", "AuthorizedPrincipalsFile /etc/ssh/company/%u",
                     "RevokedKeys /etc/ssh/company/gone")
    restart(node)
    logins = [("ana", "root", "staff-root"), ("ana", USER, f"staff-{USER}"), ("ana", "root", "root"), ("eve", "root", "staff-root"),
              ("eve", USER, f"staff-{USER}")]
    before = [company.login(*one) for one in logins]
    assert before == [True, True, False, False, False]
    take_over(run, trust, node)
    assert [company.login(*one) for one in logins] == before
    keygen("-q", "-k", "-f", node.folder / COMPANY / "gone", company.folder / "eve.pub")
    take_over(run, trust, node)
    assert [company.login(*one) for one in logins] == before


def test_host_keys_of_other_kinds_stay(company, run, trust):
    """A client that knows the machine by its ECDSA key goes on."""
    node = company.node
    keygen("-q", "-t", "ecdsa", "-N", "", "-C", "", "-f", node.folder / "etc/ssh/ssh_host_ecdsa_key")
    restart(node)

    def kinds():
        done = subprocess.run(["ssh-keyscan", "-p", str(node.port), "127.0.0.1"], text=True, capture_output=True, check=False)
        return {line.split()[1] for line in done.stdout.splitlines() if line[:1] != "#"}
    before = kinds()
    assert "ecdsa-sha2-nistp256" in before
    take_over(run, trust, node)
    wait(lambda: kinds() >= before)


def test_a_revocation_list_that_cannot_be_merged_is_refused(company, run, trust):
    """It says which; what was there is as it was."""
    node = company.node
    (node.folder / COMPANY / "gone").write_bytes(b"SSHKRL\n\0" + b"\xff" * 40)
    company.settings("RevokedKeys /etc/ssh/company/gone")
    one = run(node, [], trust=trust.sign(node, told_of(run, node)), **{"with": 1})
    assert one.wait() == "refused"
    assert "RevokedKeys" in one.lines()[-1] and "/etc/ssh/company/gone" in one.lines()[-1]
    assert not (node.folder / "etc/ssh/sshd_config.d/00-reeve.conf").exists()


def accepted(one, host, port):
    """Does ssh of this node, asked for nothing, accept the host that answers to this name at this port?"""
    done = subprocess.run(
        ["nsenter", "-t", str(one.init()), "-m", "-u", "ssh", "-o", "BatchMode=yes", "-p", str(port), f"root@{host}", "true"],
        text=True, capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=60,
        env={"HOME": "/root", "PATH": os.environ["PATH"]})
    if "Connection refused" in done.stderr:  # sshd is reading its settings anew
        return None
    assert done.returncode == 0 or "Host key verification failed" in done.stderr, done.stderr
    return done.returncode == 0


def test_the_authority_counts_for_members_alone(nodes, run, trust, tmp_path):
    """A host outside of the cluster shows a certificate that the cluster's authority has signed: it is not accepted. Members are,
    by name and address, and the list follows them. What the owners have set for ssh counts for all other hosts."""
    one, member, outsider = nodes("web-1"), nodes("web-2"), nodes("other")
    facts, owners = tmp_path / "facts.json", one.folder / "etc/ssh/ssh_config"
    facts.write_text("{}")
    owners.write_text(owners.read_text() + "Host *\n    GlobalKnownHostsFile /etc/ssh/company_hosts\n    ConnectionAttempts 7\n")

    def distribute(node, *members):
        lines = "".join(f"{line}\n" for line in members)
        done = run(node, [], trust=trust.sign(node, told_of(run, node)), hosts=lines, facts=facts, **{"with": 3})
        assert done.wait() == "done", done.lines()
        with (node.folder / "etc/hosts").open("a") as out:
            out.write("127.0.0.1 web-2 other\n")

    def is_accepted(host, node, answer):
        wait(lambda: accepted(one, host, node.port) is answer)
    for node in (member, outsider, one):
        distribute(node, "127.0.0.1 web-1", "127.0.0.1 web-2")
    is_accepted("web-2", member, True)
    is_accepted("127.0.0.1", member, True)
    is_accepted("other", outsider, False)
    settings = subprocess.run(["nsenter", "-t", str(one.init()), "-m", "ssh", "-G", "example.org"], text=True, capture_output=True,
                              check=True).stdout.splitlines()
    assert "globalknownhostsfile /etc/ssh/company_hosts" in settings and "connectionattempts 7" in settings
    assert not [line for line in settings if line.startswith("revokedhostkeys")]
    distribute(one, "127.0.0.1 web-1", "# other web-3")  # an address that is a name
    is_accepted("other", outsider, True)
    is_accepted("web-2", member, False)
    distribute(one, "127.0.0.1 *", "127.0.0.1 !web-1,*", "* web-1", "127.0.0.1 a,*")
    is_accepted("other", outsider, False)
