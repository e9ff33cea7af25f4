"""A machine that somebody else set up keeps its own SSH trust when reeve takes it over (I34, F32): its certificate authority,
principals, revocations and host keys count as before, and reeve's own count beside them."""
import os
import shutil
import subprocess

import pytest
from conftest import USER, bundle, keygen, needs_root, wait
from pylib.proc import said_of
from test_prepare import PRINCIPAL, Trust, hash_number, told_of

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
            text=True, capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=240, env={"PATH": os.environ["PATH"]})
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
        text=True, capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=240, env={"PATH": os.environ["PATH"]})
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
        text=True, capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=240,
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


# ---- released ----

HERE = ("etc", "root", "home", "var")


def disk(node):
    """Every file of the machine: mode, owner and content; of folders mode and owner. What sshd itself writes is left out."""
    found = {}
    for part in HERE:
        for path in sorted((node.folder / part).rglob("*")):
            name = str(path.relative_to(node.folder))
            if name == "root/sshd.log":
                continue
            state = path.lstat()
            content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
            found[name] = (oct(state.st_mode), state.st_uid, state.st_gid, content)
    return found


def differences(before, after):
    """Names of what is not as it was."""
    return {name: (before.get(name, "missing"), after.get(name, "missing")) for name in before | after if before.get(name) != after.get(name)}


def release(run, node, user="root", **words):
    """Release the machine; its last line."""
    one = run(node, [], user=user, cluster=PRINCIPAL.removeprefix("cluster:"), **{"with": 8}, **words)
    assert one.wait() == "done", one.lines()
    return one.lines()[-1]


def let_in(node, user, home):
    """The line that lets reeve's authority in, as the owners have put it there."""
    path = node.folder / home / ".ssh/authorized_keys"
    was = path.read_text()
    path.write_text(was + f'cert-authority,principals="{PRINCIPAL}" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGV1 reeve\n')
    return path, was


@pytest.mark.parametrize("user, home", [("root", "root"), (USER, f"home/{USER}")])
def test_a_released_machine_is_as_it_was(company, run, trust, tmp_path, user, home):
    """A machine with an authority, principals, a revocation list, ssh settings, hosts and keys of its owners: after the release its
    disk is what it was, but for the line that the owners had added for reeve; their login works throughout."""
    node = company.node
    (node.folder / COMPANY / "root").write_text("staff-root\n")
    (node.folder / COMPANY / "gone").write_text((company.folder / "eve.pub").read_text())
    company.settings("TrustedUserCAKeys /etc/ssh/company/ca.pub", "AuthorizedPrincipalsFile /etc/ssh/company/%u",
                     "RevokedKeys /etc/ssh/company/gone")
    settings = node.folder / "etc/ssh/sshd_config"
    settings.write_text(settings.read_text().replace("Include", "# Include"))
    settings.chmod(0o640)
    (node.folder / "etc/ssh/ssh_config").write_text("Host *\n    HashKnownHosts no")  # and no newline behind it
    (node.folder / "etc/hosts").write_text("127.0.0.1 localhost")
    keygen("-q", "-t", "ed25519", "-N", "", "-C", "owner", "-f", node.folder / "root/.ssh/id_ed25519")
    (node.folder / "root/.ssh/id_ed25519.pub").chmod(0o600)
    (node.folder / "root/.ssh/id_ed25519-cert.pub").write_text("the owners' own certificate\n")
    shutil.rmtree(node.folder / "etc/ssh/ssh_config.d", ignore_errors=True)
    restart(node)
    before = disk(node)
    path, was = let_in(node, user, home)
    logins = [("ana", "root", "staff-root"), ("ana", "root", "root"), ("eve", "root", "staff-root")]
    assert [company.login(*one) for one in logins] == [True, False, False]
    facts = tmp_path / "facts.json"
    facts.write_text("{}")
    for _ in range(2):
        files = trust.sign(node, told_of(run, node), mark=True)
        one = run(node, [], user=user, trust=files, hosts="127.0.0.1 web-1\n192.0.2.9 web-2\n", facts=facts, **{"with": 3})
        assert one.wait() == "done", one.lines()
        wait(lambda: [company.login(*one) for one in logins] == [True, False, False])
    assert len(differences(before, disk(node))) > 10
    assert release(run, node, user) == "end done: : "
    assert differences(before, disk(node)) == {}
    assert path.read_text() == was
    wait(lambda: [company.login(*one) for one in logins] == [True, False, False])
    assert not reeve_login(trust, node)
    release(run, node, user)  # the key of the test lets in still; nothing is left to do
    assert differences(before, disk(node)) == {}


def test_a_release_keeps_what_owners_have_changed_since(company, run, trust, tmp_path):
    """Lines that they have added meanwhile stay, and keys that reeve has made go. A stage that runs is ended."""
    node = company.node
    before = disk(node)
    facts = tmp_path / "facts.json"
    facts.write_text("{}")
    stage = {"tar": bundle(tmp_path / "b.tar", "echo $$ >/root/running; sleep 600\n")}
    one = run(node, [stage], trust=trust.sign(node, told_of(run, node)), facts=facts, **{"with": 7})
    wait(lambda: node.read("root/running"), why=one.lines)
    pid = node.read("root/running").strip()
    one.kill()
    (node.folder / "root/running").unlink()
    for name in ("etc/hosts", "etc/ssh/sshd_config", "root/.ssh/authorized_keys"):
        with (node.folder / name).open("a") as out:
            out.write("# of ours\n")
    release(run, node)
    changed = differences(before, disk(node))
    assert sorted(changed) == ["etc/hosts", "etc/ssh/sshd_config", "root/.ssh/authorized_keys"], changed
    for was, now in changed.values():
        assert now[:3] == was[:3] and now[3] == was[3] + b"# of ours\n"
    wait(lambda: said_of(node.init(), f"root/proc/{pid}/cmdline") == "")  # nobody may have waited for it


def test_a_release_is_cut_at_every_byte(company, run, trust, tmp_path, proxy):
    """The connection is cut: whoever begins anew ends it, also where the answer alone was lost."""
    node = company.node
    before = disk(node)
    facts = tmp_path / "facts.json"
    facts.write_text("{}")
    way = proxy(node.port)
    for number in range(4):
        one = run(node, [], trust=trust.sign(node, told_of(run, node)), facts=facts, **{"with": 3})
        assert one.wait() == "done", one.lines()
        passed = way.passed
        if number > 0:
            way.cuts = [hash_number(number, 2) % total]
        release(run, node, port=way.port)
        total = way.passed - passed
        assert differences(before, disk(node)) == {}, number
