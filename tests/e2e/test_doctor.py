"""`reeve doctor` on the computer of the manager, and `reeved --check-installation`, which it runs: each planted problem is one finding
with a command that helps (UX.md 2.2)."""

import datetime
import json
import os
import shutil
import subprocess
import time

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from conftest import ENVIRONMENT, REEVE

REEVED = REEVE.parent / "reeved"
SPACES = ["unshare", "--mount", "--propagation", "private", "sh", "-c"]


def check(*flags, program=REEVED):
    """The findings; the code says whether one of them is wrong."""
    done = subprocess.run([str(program), "--check-installation", *map(str, flags)], capture_output=True, text=True, check=False, timeout=240,
                          env=ENVIRONMENT)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert done.returncode == int(not all(one["ok"] for one in found)), found
    assert all((one["fix"] == "") == one["ok"] for one in found), found
    return found


def wrong(*flags, **more):
    """What is wrong, in one text."""
    return "\n".join(f"{one['what']} -> {one['fix']}" for one in check(*flags, **more) if not one["ok"])


@pytest.fixture(name="place")
def installed_place(tmp_path):
    """Flags of an installation in which nothing is wrong, and its folder."""
    (tmp_path / "data").mkdir(mode=0o700)
    config = tmp_path / "reeved.yaml"
    config.write_text(f"data: {tmp_path}/data\nsocket: {tmp_path}/s\n")
    config.chmod(0o644)
    return tmp_path, ("--config", config)


def certificate(folder, days):
    """A certificate and its key that are valid so many days from now; negative: that have expired."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "reeve.example")])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
            .not_valid_before(now - datetime.timedelta(days=30)).not_valid_after(now + datetime.timedelta(days=days * 1.1)).sign(key, hashes.SHA256()))
    (folder / "tls.crt").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "tls.key").write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    (folder / "tls.key").chmod(0o600)


def test_nothing_is_wrong(place):
    folder, flags = place
    found = check(*flags)
    text = "\n".join(one["what"] for one in found)
    assert all(one["ok"] for one in found), found
    for part in ("the programs in ", f"the configuration {folder}/reeved.yaml has no errors", f"{folder}/data belongs to ", "MiB free",
                 "control groups: ", "the clock "):
        assert part in text, (part, text)


def test_files_that_others_can_change_or_read(place):
    folder, flags = place
    (folder / "reeved.yaml").chmod(0o666)
    (folder / "data").chmod(0o755)
    (folder / "data.key").write_text("secret")
    (folder / "data.key").chmod(0o644)
    found = wrong(*flags)
    assert "can change the configuration" in found and "sudo chmod 0644" in found
    assert f"other users can open {folder}/data (mode 0755) -> sudo chmod 0700 {folder}/data" in found
    assert f"other users can read or replace the key {folder}/data.key (mode 0644) -> chmod 0600" in found
    assert len(found.splitlines()) == 3, found


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_folder_of_nobody(place):
    folder, flags = place
    os.chown(folder / "data", 61234, 61234)
    assert f"{folder}/data belongs to the user 61234, which has no account here -> sudo chown -R reeved:reeved" in wrong(*flags)


def test_a_folder_that_is_missing_or_none(place):
    folder, flags = place
    (folder / "data").rmdir()
    assert wrong(*flags) == ""
    (folder / "data").write_text("")
    assert "is not a folder" in wrong(*flags)


def test_a_full_disk(place, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root can mount")
    folder, flags = place
    words = [*SPACES, f'mount -t tmpfs -o size=1m,mode=700 small {folder}/data; exec "$@"', "sh", str(REEVED), "--check-installation", *map(str, flags)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=240, env=ENVIRONMENT, cwd=tmp_path)
    assert done.returncode == 1 and "free, and 256 MiB are needed" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("days, words", [(300, ""), (5, "is valid for 5 days"), (-3, "expired 3 days ago")])
def test_dates_of_certificates(place, days, words):
    folder, flags = place
    certificate(folder, days)
    with (folder / "reeved.yaml").open("a") as file:
        file.write(f"listen: [{{address: 127.0.0.1:8420, tls: {{certificate: {folder}/tls.crt, key: {folder}/tls.key}}}}]\n")
    found = wrong(*flags)
    assert words in found and bool(found) == bool(words), found
    (folder / "tls.key").chmod(0o644)
    assert "can read or replace the key" in wrong(*flags)
    (folder / "tls.crt").write_text("none")
    assert "has no certificate in PEM" in wrong(*flags)
    (folder / "tls.crt").unlink()
    assert "tls.crt" in wrong(*flags)


def test_programs_of_two_versions(place):
    """One that is missing, one of another version, one that says nothing."""
    folder, flags = place
    programs = folder / "bin"
    programs.mkdir()
    shutil.copy(REEVED, programs / "reeved")
    for name in ("reeve", "reeve-controller", "reeve-fetch", "reeve-playbook", "reeve-session", "reeve-signer", "reeve-store"):
        (programs / name).symlink_to(REEVE.parent / name)
    assert "the program reeve-host is missing" in wrong(*flags, program=programs / "reeved")
    for text, shown in (("#!/bin/sh\necho reeve-host 0.0.9\n", "is of version 0.0.9, and reeved of"), ("#!/bin/sh\nexit 0\n", "is of version unknown")):
        (programs / "reeve-host").write_text(text)
        (programs / "reeve-host").chmod(0o755)
        found = wrong(*flags, program=programs / "reeved")
        assert shown in found and "apt-get install --reinstall" in found, found


def test_ansible_is_found_and_not_too_old(place):
    """A missing one is no error, because only configurations with playbooks need it."""
    folder, flags = place
    fake = folder / "ansible-playbook"
    with (folder / "reeved.yaml").open("a") as file:
        file.write(f"playbook: {{ansible: {fake}, runs: 3}}\n")
    assert wrong(*flags) == ""
    for version, words in (("2.13.7", "is of ansible-core 2.13.7, and playbooks need 2.14 or later"), ("3.0.1", ""), ("2.14.0", ""), ("2", "ansible-core 2, and")):
        fake.write_text(f"#!/bin/sh\necho 'ansible-playbook [core {version}]'\n")
        fake.chmod(0o755)
        found = wrong(*flags)
        assert words in found and bool(found) == bool(words), found


def test_a_clock_that_is_behind(place):
    """Before the file of the program was made."""
    folder, flags = place
    programs = folder / "bin"
    programs.mkdir()
    shutil.copy(REEVED, programs / "reeved")
    for path in REEVE.parent.glob("reeve*"):
        if path.is_file() and os.access(path, os.X_OK) and path.name != "reeved":
            (programs / path.name).symlink_to(path)
    ahead = time.time() + 2.5 * 3600
    os.utime(programs / "reeved", (ahead, ahead))
    assert "the clock of this machine is behind: it is 2 hours before" in wrong(*flags, program=programs / "reeved")


def test_a_configuration_with_errors_is_shown_at_its_place(place):
    folder, flags = place
    (folder / "reeved.yaml").write_text("lgo: debug\n")
    done = subprocess.run([str(REEVED), "--check-installation", *map(str, flags)], capture_output=True, text=True, check=False, timeout=240,
                          env=ENVIRONMENT)
    assert done.returncode == 3 and "reeved.yaml:1:1" in done.stderr and done.stdout == "", done


def doctor_here(program, folder):
    """What doctor says where the address is the one of the system's manager, with a configuration in its place."""
    script = ('mount -t tmpfs run /run; mkdir -m 700 /run/upper /run/work /run/data; chmod 755 /run/upper; '
              'mount -t overlay etc -o lowerdir=/etc,upperdir=/run/upper,workdir=/run/work /etc; '
              'mkdir -p /etc/reeve; printf "data: /run/data\\n" >/etc/reeve/reeved.yaml; exec "$@"')
    done = subprocess.run([*SPACES, script, "sh", str(program), "doctor", "-o", "json"], capture_output=True, text=True, check=False, timeout=240,
                          cwd=folder, env={**ENVIRONMENT, "REEVE_URL": "unix:/run/reeve/reeved.sock"})
    return json.loads(done.stdout)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
def test_doctor_adds_what_it_finds_on_this_computer(tmp_path):
    """With the configuration of the system's manager, the sandbox and the plugins beside the programs."""
    found = doctor_here(REEVE, tmp_path)
    text = "\n".join(one["what"] for one in found)
    for part in ("the configuration /etc/reeve/reeved.yaml has no errors", "/run/data belongs to root alone", "sandbox of plugins",
                 "plugins that can be loaded: "):
        assert part in text, (part, text)
    assert "local" in text.partition("plugins that can be loaded: ")[2].splitlines()[0]
    assert [one["what"][:20] for one in found if not one["ok"]] == ["no manager reachable"], found


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
def test_plugins_of_another_version(tmp_path):
    """One that is no plugin, and one for containers that is not the one built with these programs."""
    for name in ("reeve", "reeved", "reeve-host"):
        shutil.copy(REEVE.parent / name, tmp_path)
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins/text.so").write_text("this is no plugin\n")
    (tmp_path / "plugins/local.so").write_bytes((REEVE.parent / "plugins/local.so").read_bytes() + b"other")
    found = {one["what"]: one.get("fix") for one in doctor_here(tmp_path / "reeve", tmp_path) if not one["ok"]}
    text = "\n".join(found)
    assert "local.so is of another version than reeved, so it may not create machines on this computer" in text, text
    assert "text.so cannot be loaded: " in text and "the program reeve-signer is missing" in text, text


def test_doctor_of_another_manager_checks_nothing_here(reeve):
    """An address that is not the system's: its computer is unknown."""
    done = reeve("doctor")
    assert done.returncode == 1 and "the programs in" not in done.stdout and "control groups" not in done.stdout, done.stdout
