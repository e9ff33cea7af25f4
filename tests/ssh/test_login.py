"""Logins through a real sshd by what src/ssh wrote: accepted and refused as they must be."""
import subprocess

import pytest

from conftest import PRINCIPAL, SSHD, Sshd, keygen, tool


def test_a_certificate_of_the_cluster_logs_in(site, pair):
    root = pair("root")
    root.certify(site.users, "user", PRINCIPAL, "permit-port-forwarding", "permit-pty")
    good, said = site.login(root)
    assert good and "in" in said.split(), said + site.log()
    assert 'Accepted certificate ID "someone" (serial 1) signed by ED25519' in site.log()


def test_without_a_certificate_nobody_logs_in(site, pair):
    good, said = site.login(pair("root"))
    assert not good and "Permission denied" in said


@pytest.mark.parametrize("principals", ["cluster:acme/0f3d", "root", "cluster:acme/0f3c/x", "-"])
def test_a_certificate_for_somebody_else_is_refused(site, pair, principals):
    root = pair("root")
    root.certify(site.users, "user", principals)
    good, said = site.login(root)
    assert not good and "Permission denied" in said


@pytest.mark.parametrize(("after", "before", "is_good"), [
    (-300, 600, True), (-7200, -3600, False), (3600, 7200, False)])
def test_a_certificate_holds_for_its_time_alone(site, pair, after, before, is_good):
    root = pair("root")
    root.certify(site.users, "user", PRINCIPAL, after=after, before=before)
    assert site.login(root)[0] is is_good, site.log()


def test_a_certificate_of_the_wrong_authority_or_kind_is_refused(site, pair):
    root = pair("root")
    root.certify(site.hosts, "user", PRINCIPAL)
    assert not site.login(root)[0]
    root.certify(site.users, "host", PRINCIPAL)
    assert not site.login(root)[0]
    root.certify(site.users, "user", PRINCIPAL)
    assert site.login(root)[0], site.log()


def test_a_certificate_that_was_changed_is_refused(site, pair):
    root = pair("root")
    line = root.certify(site.users, "user", PRINCIPAL)
    kind, blob = line.split()[:2]
    place = len(blob) // 2
    root.cert_file.write_text(f"{kind} {blob[:place]}{'A' if blob[place] != 'A' else 'B'}"
                              f"{blob[place + 1:]} x\n")
    assert not site.login(root)[0]


@pytest.mark.parametrize("by", ["serial", "range", "id", "key", "list"])
def test_what_is_revoked_does_not_log_in_any_more(site, pair, by):
    """sshd reads the list at each login: nothing has to be started again."""
    root, other = pair("root"), pair("other")
    root.certify(site.users, "user", PRINCIPAL, serial=41, name="acme/0f3c/web-1/root")
    other.certify(site.users, "user", PRINCIPAL, serial=52, name="acme/0f3c/web-2/root")
    assert site.login(root)[0] and site.login(other)[0], site.log()
    many = ",".join(str(number) for number in (3, 5, 41, 60, 62))
    serials = {"serial": "41", "range": "40-45", "list": many}.get(by, "-")
    ids = "acme/0f3c/web-1/root" if by == "id" else "-"
    tool("krl", site.revoked, 2, site.users.line, serials, ids,
         *([root.line] if by == "key" else []))
    good, said = site.login(root)
    assert not good and "Permission denied" in said
    assert site.login(other)[0], site.log()


def test_a_host_without_its_certificate_is_not_believed(site, pair, tmp_path):
    root = pair("root")
    root.certify(site.users, "user", PRINCIPAL)
    (tmp_path / "known").write_text(tool("known", "authority", f"[127.0.0.1]:{site.port}",
                                         site.users.line))
    good, said = site.login(root)
    assert not good and "Host key verification failed" in said


@pytest.mark.parametrize(("names", "before", "is_good"), [
    ("127.0.0.1", 600, True), ("web-1", 600, False), ("127.0.0.1", -60, False)])
def test_a_host_is_believed_under_its_names_and_in_its_time(tmp_path, pair, names, before, is_good):
    users, hosts, host, root = pair("users"), pair("hosts"), pair("host"), pair("root")
    host.certify(hosts, "host", names, after=-3600, before=before)
    root.certify(users, "user", PRINCIPAL)
    sshd = Sshd(tmp_path, users, hosts, host).start()
    try:
        good, said = sshd.login(root)
    finally:
        sshd.stop()
    assert good is is_good, said
    assert good or "Host key verification failed" in said


def test_a_plain_host_key_and_a_revoked_one(site, pair, tmp_path):
    root = pair("root")
    root.certify(site.users, "user", PRINCIPAL)
    where = f"[127.0.0.1]:{site.port}"
    plain = ("-o", "HostKeyAlgorithms=ssh-ed25519")
    (tmp_path / "known").write_text(tool("known", "host", where, site.host.line))
    assert site.login(root, options=plain)[0], site.log()
    (tmp_path / "known").write_text(tool("known", "host", where, site.host.line)
                                    + tool("known", "revoked", "*", site.host.line))
    good, said = site.login(root, options=plain)
    assert not good and "REVOKED" in said.upper()


def test_a_private_key_logs_in_as_ssh_keygen_reads_it(site, pair):
    root = pair("root")
    assert keygen("-y", "-f", root.file).split()[:2] == root.line.split()[:2]
    assert (root.file.stat().st_mode & 0o777) == 0o600


def test_conditions_are_kept_by_sshd(site, pair):
    root = pair("root")
    root.certify(site.users, "user", PRINCIPAL, "force-command=echo forced")
    good, said = site.login(root)
    assert good and "forced" in said
    root.certify(site.users, "user", PRINCIPAL, "source-address=192.0.2.0/24")
    assert not site.login(root)[0]
    root.certify(site.users, "user", PRINCIPAL, "unknown@example.org=x")
    assert not site.login(root)[0]


def test_sshd_takes_the_configuration(site):
    said = subprocess.run([SSHD, "-T", "-f", site.config, "-C",
                           "user=root,host=h,addr=192.0.2.1"],
                          text=True, capture_output=True, check=True, timeout=240).stdout.splitlines()
    assert f"trustedusercakeys {site.folder}/authorities" in said
    assert f"revokedkeys {site.revoked}" in said
    assert f"hostcertificate {site.host.cert_file}" in said
    assert f"authorizedprincipalsfile {site.folder}/principals-%u" in said


def test_E11_classic_keys_stand_in_a_block_of_their_own(site, pair, tmp_path):
    """`sshTrust: classic`: what stands in the block logs in as long as it stands there; what is somebody else's always."""
    file = tmp_path / "authorized_keys"
    root, mine = pair("root"), pair("mine")
    file.write_text(f"# mine\n{mine.line}")
    assert not site.login(root)[0] and site.login(mine)[0], site.log()
    file.write_text(tool("block", file, "acme/0f3c", "ssh-rsa AAAA other", root.line))
    assert site.login(root)[0] and site.login(mine)[0], site.log()
    file.write_text(tool("block", file, "acme/0f3c"))
    assert not site.login(root)[0] and site.login(mine)[0], site.log()
    assert file.read_text() == f"# mine\n{mine.line}\n"
