"""The Debian packages, in a clean Debian: install, start, first cluster, upgrade, migration, removal and purge (UX.md 6.2, C14, K33)."""

import os
import pathlib
import re
import shutil
import subprocess
import tarfile

import pytest

from conftest import BUILD, NEWER, ROOT, packages
from room import copy_in

FIRST = re.search(r"```yaml first\.yaml\n(.*?)```", (ROOT / "docs/guide/first-cluster.md").read_text(), re.DOTALL)[1]
FORMER = ROOT / "tests/e2e/fixtures/store-format-1.tar.xz"


def apt(room, *words):
    """apt-get there; what it prints."""
    done = room.run("apt-get", "-q", "-y", "--no-install-recommends", *words)
    return done.stdout + done.stderr


def install(room, debs):
    """Install packages from a folder of that room."""
    return apt(room, "install", *copy_in(room, debs))


def stat(room, path):
    """Mode, owner and group of a file."""
    return room.run("stat", "-c", "%a %U:%G", path).stdout.strip()


def pid_of(room):
    """The number of the manager there."""
    return room.shell("cat /run/reeve/reeved.pid").strip()


def has_good_health(room):
    """doctor has no complaint about the installation."""
    done = room.run("reeve", "doctor", code=None)
    assert done.returncode == 0 and "FAIL" not in done.stdout, done.stdout + done.stderr
    return done.stdout


def starts_by_the_plain_script(room):
    """Nothing is started in a container without an init system; the script does it, and stops again."""
    assert room.run("/etc/init.d/reeved", "status", code=3).stdout == "reeved is not running.\n"
    assert "fix: start it: service reeved start" in room.run("reeve", "doctor", code=1).stdout
    room.run("/etc/init.d/reeved", "start")
    assert "runs already" in room.shell("service reeved start")
    room.run("service", "reeved", "restart")
    room.run("service", "reeved", "reload")
    assert room.run("service", "reeved", "status").stdout == "reeved is running.\n"
    # The signal has arrived when the script ends; the manager reads its files after that.
    room.shell("for i in $(seq 100); do ! grep -q reloaded /var/log/reeve/reeved.log || exit 0; sleep 0.1; done; cat /var/log/reeve/reeved.log; exit 1")


def has_owners_and_modes(room):
    """What the manager checks when it starts, and what doctor says."""
    assert stat(room, "/etc/reeve") == "755 root:root" and stat(room, "/etc/reeve/reeved.yaml") == "644 root:root"
    assert stat(room, "/var/lib/reeve") == "700 reeved:reeved" and stat(room, "/var/lib/reeve/store.db").endswith(" reeved:reeved")
    assert stat(room, "/run/reeve") == "755 root:root" and stat(room, "/run/reeve/reeved.sock") == "660 root:reeve"
    assert stat(room, "/var/log/reeve") == "750 root:adm" and stat(room, "/var/log/reeve/reeved.log") == "640 root:adm"
    status = room.shell(f"cat /proc/{pid_of(room)}/status")
    assert re.search(r"^NoNewPrivs:\t1$", status, re.MULTILINE) and not re.search(r"^Uid:\t0", status, re.MULTILINE), status


def has_its_first_cluster(room):
    """By the guide, with the plugin file."""
    (room.root / "root/first.yaml").write_text(FIRST)
    room.run("reeve", "apply", "-f", "/root/first.yaml", "--yes")
    return nodes(room)


def nodes(room):
    """The machines of the first cluster."""
    return room.run("reeve", "get", "nodes", "-c", "hello", "-o", "name").stdout.split()


def has_pages_and_completions(room, newer):
    """Each file is in the package that its reader has."""
    held = {name: room.run("dpkg", "-L", name).stdout for name in ("reeve", "reeved", "reeve-plugins")}
    for name, path in (("reeve", "/usr/share/bash-completion/completions/reeve"), ("reeve", "/usr/share/zsh/vendor-completions/_reeve"),
                       ("reeve", "/usr/share/fish/vendor_completions.d/reeve.fish"), ("reeve", "/usr/include/reeve/plugin.h"),
                       ("reeved", "/usr/lib/systemd/system/reeved.service"), ("reeved", "/usr/lib/reeve/plugins/file.so"),
                       ("reeve-plugins", "/usr/lib/reeve/plugins/local.so")):
        assert f"{path}\n" in held[name], (name, path)
    listed = subprocess.run(["dpkg-deb", "-c", str(newer[0])], capture_output=True, text=True, check=True, timeout=60).stdout
    assert "man1/reeve.1.gz" in listed and "man1/reeve-scale.1.gz" in listed


def test_life_of_an_installation(debian, older, newer):
    """From a clean Debian to a purge, with data kept until the purge."""
    said = install(debian, older)
    assert "reeved is not running. To start it: service reeved start" in said, said
    starts_by_the_plain_script(debian)
    has_owners_and_modes(debian)
    good = has_good_health(debian)
    assert "the programs in /usr/bin are of version" in good and "aws, " in good and "/var/lib/reeve belongs to reeved alone" in good, good
    made = has_its_first_cluster(debian)
    assert len(made) == 2
    has_pages_and_completions(debian, newer)
    # an upgrade: a running manager is started again, configuration and data stay
    debian.shell("echo '# by the administrator' >>/etc/reeve/reeved.yaml")
    before = pid_of(debian)
    said = install(debian, newer)
    assert "reeved is running. Next: reeve status" in said, said
    assert pid_of(debian) != before and nodes(debian) == made
    assert "# by the administrator" in (debian.root / "etc/reeve/reeved.yaml").read_text()
    assert debian.run("dpkg-query", "-W", "-f", "${Version}", "reeved").stdout == NEWER
    # one that was stopped stays so
    debian.run("service", "reeved", "stop")
    said = apt(debian, "install", "--reinstall", *[f"/tmp/packages/{path.name}" for path in newer])
    assert "reeved was stopped before the upgrade, and stays so" in said, said
    debian.run("service", "reeved", "status", code=3)
    # a configuration with errors leaves the manager as it is
    debian.run("service", "reeved", "start")
    debian.shell("echo 'lgo: debug' >>/etc/reeve/reeved.yaml")
    before = pid_of(debian)
    said = apt(debian, "install", "--reinstall", *[f"/tmp/packages/{path.name}" for path in newer])
    assert "the configuration has errors, so the manager is left as it is" in said and pid_of(debian) == before, said
    assert "the configuration /etc/reeve/reeved.yaml has errors" in debian.run("reeve", "doctor", code=1).stdout
    debian.shell("sed -i '/^lgo/d' /etc/reeve/reeved.yaml")
    # a removal stops it and leaves the data; installed again, it has them
    said = apt(debian, "remove", "reeved")
    assert "/var/lib/reeve has the store, and stays" in said, said
    assert debian.shell("pidof reeved", code=1) == "" and (debian.root / "var/lib/reeve/store.db").exists()
    install(debian, newer)
    debian.run("service", "reeved", "start")
    assert nodes(debian) == made
    # a purge removes them
    said = apt(debian, "purge", "reeved")
    assert "the store of /var/lib/reeve, its keys and its log are removed" in said, said
    left = [path for path in ("etc/reeve", "etc/init.d/reeved", "etc/logrotate.d/reeved", "var/lib/reeve", "var/log/reeve", "run/reeve")
            if (debian.root / path).exists()]
    assert not left and debian.shell("ls -d /var/lib/reeve* 2>/dev/null", code=2) == "", left
    assert debian.shell("pidof reeved", code=1) == ""


@pytest.mark.parametrize("debian", ["bookworm"], indirect=True)
def test_a_store_of_the_version_before_is_copied_and_migrated(debian, older, newer, tmp_path):
    """The postinst makes the copy, the manager migrates."""
    install(debian, older)
    with tarfile.open(FORMER) as archive:
        archive.extractall(tmp_path)  # our own archive
    debian.run("sh", "-c", "rm -rf /var/lib/reeve")
    shutil.copytree(tmp_path / "data", debian.root / "var/lib/reeve")
    debian.run("chown", "-R", "reeved:reeved", "/var/lib/reeve")
    # what runs is a manager of the format before: none is at hand, so one is only said to run
    said = install(debian, newer)
    copy = debian.root / "var/lib/reeve/store.before-format-2"
    assert "a copy of the store from before its migration to format 2 is /var/lib/reeve/store.before-format-2" in said, said
    for name in ("store.db", "store.db-wal", "store.db-note", "store.db-audit"):
        assert (copy / name).read_bytes() == (tmp_path / "data" / name).read_bytes()
    assert stat(debian, "/var/lib/reeve/store.before-format-2") == "700 reeved:reeved"
    debian.run("service", "reeved", "start")
    assert "migrated" in debian.shell("cat /var/log/reeve/reeved.log")
    assert "shop" in debian.run("reeve", "get", "clusters").stdout
    said = apt(debian, "install", "--reinstall", f"/tmp/packages/{newer[1].name}")
    assert "a copy of the store" not in said and "reeved is running" in said, said


def test_two_packages_of_one_build_are_equal(older, tmp_path):
    """The same bytes, whatever the time and the umask."""
    again = packages(tmp_path / "again", older[0].name.split("_")[1])
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in older]


def test_lintian_finds_nothing(older):
    """Errors and warnings; what is permitted is in the overrides, with its reason."""
    if shutil.which("lintian") is None:
        pytest.skip("lintian is not installed")
    done = subprocess.run(["lintian", "--allow-root", *map(str, older)], capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0 and done.stdout == "", done.stdout + done.stderr


def test_no_path_of_the_build_is_in_a_package(older, tmp_path):
    """Else two builds of one commit in two folders would differ."""
    for path in older:
        subprocess.run(["dpkg-deb", "-x", str(path), str(tmp_path)], check=True, timeout=60)
    found = subprocess.run(["grep", "-rl", "--binary-files=text", str(ROOT), str(tmp_path)], capture_output=True, text=True, check=False, timeout=60)
    assert found.stdout == ""


def test_make_install_needs_no_package(tmp_path):
    """Below a folder and a prefix; the unit and the start script name the programs there, and a configuration is not replaced."""
    words = ["--prefix", "/opt/reeve", "--destdir", str(tmp_path)]
    subprocess.run([str(ROOT / "tools/install"), *words], check=True, timeout=240)
    unit = (tmp_path / "opt/reeve/lib/systemd/system/reeved.service").read_text()
    assert "ExecStart=/opt/reeve/bin/reeved --config /etc/reeve/reeved.yaml" in unit
    assert "DAEMON=/opt/reeve/bin/reeved" in (tmp_path / "etc/init.d/reeved").read_text()
    (tmp_path / "etc/reeve/reeved.yaml").write_text("log: warn\n")
    subprocess.run([str(ROOT / "tools/install"), *words], check=True, timeout=240)
    assert (tmp_path / "etc/reeve/reeved.yaml").read_text() == "log: warn\n"
    shown = subprocess.run([str(tmp_path / "opt/reeve/bin/reeve"), "version"], capture_output=True, text=True, check=True, timeout=60).stdout
    assert shown == subprocess.run([str(BUILD / "reeve"), "version"], capture_output=True, text=True, check=True, timeout=60).stdout
    assert (tmp_path / "opt/reeve/lib/reeve/plugins/local.so").exists()


def test_the_configuration_shows_what_can_be_set(tmp_path):
    """With its comments removed it is valid as well."""
    text = (ROOT / "packaging/reeved.yaml").read_text()
    for number, content in enumerate((text, re.sub(r"^#(?! \S)", "", text, flags=re.MULTILINE))):
        path = tmp_path / f"{number}.yaml"
        path.write_text(content)
        done = subprocess.run([str(BUILD / "reeved"), "--check-config", "--config", str(path)], capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, content + done.stderr
    names = set(re.findall(r"^#?([a-zA-Z]+):", text, re.MULTILINE))
    known = set(re.findall(r'^        \{ "(\w+)", \w+, ', (ROOT / "src/daemon/config/config.c").read_text().split("whole_read")[1], re.MULTILINE))
    experimental = {"name", "peer", "store", "zone"}  # several managers
    assert known - names - experimental <= {"deadlines", "secretKey", "user"} and names <= known, (known - names, names - known)


def test_logs_are_rotated_without_a_loss(tmp_path):
    """The manager's log is copied and emptied; the process that writes the log of certificates is ended, so that it is opened anew."""
    program = shutil.which("logrotate") or "/usr/sbin/logrotate"
    if not pathlib.Path(program).exists():
        pytest.skip("logrotate is not installed")
    rules = (ROOT / "packaging/reeved.logrotate").read_text()
    (tmp_path / "log").mkdir()
    path = tmp_path / "rules"
    path.write_text(rules.replace("/var/log/reeve", str(tmp_path / "log")).replace("/var/lib", str(tmp_path)))
    path.chmod(0o644)
    (tmp_path / "log/reeved.log").write_text("one\n")
    with (tmp_path / "reeve.signer.log").open("a") as signed, (tmp_path / "log/reeved.log").open("a") as written:
        signed.write("certificate\n")
        signed.flush()
        signer = subprocess.Popen(["sleep", "600"], stdout=signed)
        manager = subprocess.Popen(["sleep", "600"], stdout=written)
        signed.close()  # or this process would be taken for the signer
        try:
            done = subprocess.run([program, "--force", "--state", str(tmp_path / "state"), str(path)], capture_output=True, text=True, check=False,
                                  timeout=60)
            assert done.returncode == 0, done.stderr
            assert signer.wait(60) == -15 and manager.poll() is None
        finally:
            for process in (signer, manager):
                process.kill()
                process.wait(60)
    assert (tmp_path / "reeve.signer.log.1").read_text() == "certificate\n" and not (tmp_path / "reeve.signer.log").exists()
    assert (tmp_path / "log/reeved.log.1").read_text() == "one\n" and (tmp_path / "log/reeved.log").read_text() == ""


if os.environ.get("INSTALL_REBUILD"):  # it compiles everything twice
    def test_two_builds_of_one_commit_are_equal(tmp_path):
        """Compiled in two folders; what is not committed is in neither."""
        made = []
        for name in ("one", "another-folder"):
            subprocess.run(["git", "clone", "-q", str(ROOT), str(tmp_path / name)], check=True, timeout=240)
            for words in (["tools/build", "release"], ["tools/deb"]):
                subprocess.run(words, cwd=tmp_path / name, check=True, timeout=3600, stdout=subprocess.DEVNULL,
                               env={**os.environ, "CCACHE_DISABLE": "1"})
            made.append(sorted((tmp_path / name / "build/deb").glob("*.deb")))
        assert [path.name for path in made[0]] == [path.name for path in made[1]] and len(made[0]) == 3
        assert [path.read_bytes() for path in made[0]] == [path.read_bytes() for path in made[1]]
