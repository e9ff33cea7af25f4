"""Programs of a node by themselves, without a node: on a tree of files, with stand-ins for what they start."""
import hashlib
import io
import os
import pathlib
import re
import signal
import subprocess
import tarfile

import pytest
from conftest import ROOT, wait

PROGRAMS = ROOT / "src/remote/programs"
SSHD = """#!/bin/sh
[ "$1" != -t ] || exit 0
heard() { echo >>'{0}/heard'; rm -f '{0}/run/sshd.pid'; echo $$ >'{0}/run/sshd.pid'; }
trap heard HUP
echo $$ >'{0}/run/sshd.pid'
while sleep 0.05; do :; done
"""


class Tree:
    """The places that `trust` writes to, and an sshd that counts how often it is to read its settings."""

    def __init__(self, folder):
        self.folder = folder
        for part in ("bin", "etc/ssh", "run", "node", "home"):
            (folder / part).mkdir(parents=True)
        (folder / "etc/ssh/sshd_config").write_text("Include /etc/ssh/sshd_config.d/*.conf\n")
        self.tool("sshd", SSHD.replace("{0}", str(folder)))
        self.tool("getent", f"#!/bin/sh\necho 'root:x:0:0::{folder}/home:/bin/sh'\n")
        self.sshd = subprocess.Popen([folder / "bin/sshd"])
        wait((folder / "run/sshd.pid").exists)

    def tool(self, name, text):
        """A program that is found before one of the system's."""
        path = self.folder / "bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def trust(self, files):
        """The answer of the program to this tar."""
        text = (PROGRAMS / "common.sh").read_text() + (PROGRAMS / "trust.sh").read_text()
        for old, new in (("/etc/ssh", f"{self.folder}/etc/ssh"), ("/run/", f"{self.folder}/run/"),
                         ("LC_ALL=C PATH=", f"LC_ALL=C PATH={self.folder}/bin:")):
            text = text.replace(old, new)
        words = ["sh", "-c", text, "reeve", self.folder / "node", "", hashlib.sha256(files).hexdigest(), "root"]
        done = subprocess.run(words, input=files, capture_output=True, check=True, timeout=60)
        return done.stdout.decode().split("\n")[2:-2]

    def heard(self):
        """How often sshd was to read its settings."""
        path = self.folder / "heard"
        return len(path.read_text().splitlines()) if path.exists() else 0


@pytest.fixture(name="tree")
def make_tree(tmp_path):
    """One, until its test is over."""
    one = Tree(pathlib.Path(tmp_path) / "tree")
    yield one
    one.sshd.kill()
    one.sshd.wait(30)


def archive(files):
    """A tar of these."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(data), 0o644
            tar.addfile(info, io.BytesIO(data.encode()))
    return out.getvalue()


def test_settings_that_were_installed_in_part_are_read(tree):
    """A fault behind sshd's settings: whoever comes next finds nothing that differs there, and has sshd read them all the same."""
    files = archive({"etc/authorities": "a\n", "etc/host-cert.pub": "b\n", "sshd.conf": "TrustedUserCAKeys x\n",
                     "ssh.conf": "Host *\n"})
    blocked = tree.folder / "etc/ssh/ssh_config.d"
    blocked.write_text("no folder\n")
    assert tree.trust(files)[0] == "fault space"
    assert (tree.folder / "etc/ssh/sshd_config.d/00-reeve.conf").exists() and tree.heard() == 0
    blocked.unlink()
    assert tree.trust(files) == ["same no"]
    assert tree.heard() == 1
    assert tree.trust(files) == ["same yes"]
    assert tree.heard() == 1  # nobody is refused for a moment without need


class Stages:
    """A node's folder, what `stage` and `look` say there, and what they find before the system's programs."""

    def __init__(self, folder):
        self.folder = folder / "node"
        self.bin = folder / "bin"
        self.bin.mkdir(parents=True)
        self.chain = "ab" * 32
        self.shell = "sh"
        self.tar = b""

    def texts(self, *names):
        """Of these programs."""
        return [(PROGRAMS / f"{name}.sh").read_text().replace("LC_ALL=C PATH=", f"LC_ALL=C PATH={self.bin}:") for name in names]

    def tool(self, name, text):
        """A program that is found before one of the system's."""
        path = self.bin / name
        path.write_text(f"#!/bin/sh\nPATH=${{PATH#*:}}\n{text}\n")
        path.chmod(0o755)

    def bundle(self, script, links=None):
        """The one that stage 0 is of."""
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            info = tarfile.TarInfo("bootstrap.sh")
            info.size = len(script)
            tar.addfile(info, io.BytesIO(script.encode()))
            for name, to in (links or {}).items():
                info = tarfile.TarInfo(name)
                info.type, info.linkname = tarfile.SYMTYPE, to
                tar.addfile(info)
        self.tar = out.getvalue()

    def digest(self):
        """Of the bundle."""
        return hashlib.sha256(self.tar).hexdigest()

    def begin(self):
        """`stage`, which is sent the bundle, begins attempt 1, and follows it."""
        common, send, stage, run = self.texts("common", "send", "stage", "run")
        stage = stage.replace("setsid sh ", f"setsid {self.shell} ")
        words = [0, self.digest(), self.chain, 1, 1, 60, 0, 0, 20, len(self.tar), 0, 1]
        main = 'common=$3 main=$4; eval "$common"; shift 2; eval "$main"'
        one = subprocess.Popen([self.shell, "-c", main, "reeve", self.folder, "1 2 3 4", common, send + stage, run, *map(str, words)],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        one.stdin.write(self.tar)
        one.stdin.close()
        one.stdin = None
        return one

    def run(self):
        """Its answer, without the first line; and the output."""
        out, error = self.begin().communicate(timeout=60)
        return error.decode().split("\n")[2:-2], out.decode().split("\nreeve1\n", 1)[-1]

    def state(self):
        """How stage 0 stands, as `look` says."""
        common, look = self.texts("common", "look")
        done = subprocess.run(["sh", "-c", common + look, "reeve", self.folder, "1 2 3 4", "root", "-", "0", "1", "0", self.digest()],
                              capture_output=True, check=True, timeout=60)
        return re.search(r"^stage 0 (.*)$", done.stdout.decode(), re.MULTILINE)[1].split()


@pytest.fixture(name="stages")
def make_stages(tmp_path):
    """One node's."""
    return Stages(pathlib.Path(tmp_path))


def test_a_stage_goes_on_without_who_began_it(stages):
    """It is marked as begun, and nobody waits for its number any more: it runs all the same, for it is run once."""
    go = stages.folder.parent / "go"
    stages.bundle("echo here\n")
    stages.tool("mv", f'mv "$@"; case "$*" in *attempt) until [ -e {go} ]; do sleep 0.05; done ;; esac')
    one = stages.begin()
    wait((stages.folder / "marks/0.attempt").exists)
    one.kill()
    one.wait(30)
    go.touch()
    wait(lambda: stages.state()[0] == "ended", why=stages.state)
    assert (stages.folder / "stage-0/output").read_text() == "here\n"


def test_who_keeps_output_holds_no_stage(stages):
    """Who runs the stage is killed before anybody writes: nothing is left that says the stage runs."""
    stages.bundle("echo here\n")
    texts, next_line = stages.texts, "umask 022 # as in"
    assert next_line in texts("run")[0]
    stages.texts = lambda *names: [text.replace(next_line, f"kill -9 $$\n{next_line}") for text in texts(*names)]
    assert stages.run()[0][-1].split()[2] == "lost"
    assert stages.state()[0] == "lost"
    os.close(os.open(stages.folder / "marks/0.pipe", os.O_RDWR))  # and it ends


@pytest.mark.parametrize("to", ["log", "build/log"])
def test_a_link_in_the_place_of_output(stages, to):
    """One that leads nowhere is put aside as a file would be."""
    stages.bundle("echo here; ls\n", {"output": to})
    lines, output = stages.run()
    assert lines[-1].split()[2:4] == ["ended", "1"] and output == "here\nbootstrap.sh\noutput\noutput.0\n"


def test_a_link_in_the_place_of_a_mark(stages):
    """Is not written through."""
    stages.bundle("ln -s /nowhere stage-complete; ln -s ../there ../marks/0.end; echo here\n")
    lines, _ = stages.run()
    assert lines[-1].split()[2:7] == ["ended", "1", stages.chain, "1", "0"], lines
    assert not (stages.folder / "there").exists()


@pytest.mark.parametrize("shell", ["dash", "bash"])
def test_a_stage_that_leaves_somebody_running_is_over(stages, shell):
    """Whatever sh is on the node: once all is read that it has written, nobody waits for what the one it has left may write."""
    said, left = stages.folder.parent / "said", stages.folder.parent / "left"
    stages.shell = shell
    stages.bundle(f"tail -f /dev/null & echo $! >{left}; echo here\n")
    stages.tool("sleep", f'echo "$1" >>{said}; exec sleep "$@"')
    lines, output = stages.run()
    os.kill(int(left.read_text()), signal.SIGKILL)
    assert lines[-1].split()[2] == "ended" and output == "here\n"
    assert said.read_text().split().count("0.05") < 100


def test_where_no_piece_of_output_can_begin(stages):
    """It goes on in the one before it, and the next one is named by the byte at which it begins."""
    size, most = 300000, 30
    no_files = stages.folder.parent / "no-files"
    no_files.touch()
    stages.bundle(f"for i in {' '.join(map(str, range(most)))}; do head -c {size} /dev/zero | tr '\\0' .; sleep 0.05; "
                  f"[ $i -lt 8 ] || rm -f {no_files}; done\n")
    texts, make = stages.texts, '(: >>"$next")'
    assert make in texts("run")[0]
    stages.texts = lambda *names: [text.replace(make, f"[ ! -e {no_files} ] && {make}") for text in texts(*names)]
    stages.run()
    wait(lambda: stages.state()[0] == "ended")
    folder = stages.folder / "stage-0"
    at = (folder / "output").stat().st_size
    for path in sorted(folder.glob("output.1.at-*")):
        assert int(path.name[-15:]) == at, path.name
        at += path.stat().st_size
    assert at == most * size and list(folder.glob("output.1.at-*"))


def test_two_programs_that_have_one_bundle(stages):
    """The one of a connection that is gone gives the bundle its name while the other one is amid it."""
    stages.bundle("echo here\n")
    bundles = stages.folder / "bundles"
    stages.tool("sync", f'sync "$@"; mv -f {bundles}/{stages.digest()}.part {bundles}/{stages.digest()} 2>/dev/null')
    lines, output = stages.run()
    assert (lines[-1].split()[2], output) == ("ended", "here\n"), lines
    assert [path.name for path in bundles.iterdir() if len(path.name) > 60] == [stages.digest()]


def test_hosts_that_cannot_be_read(stages):
    """Nothing of them is lost."""
    hosts, facts = stages.folder.parent / "hosts", stages.folder.parent / "facts"
    hosts.write_text("127.0.0.1 localhost\n")
    text = "".join(stages.texts("common", "distribute")).replace("/etc/hosts", str(hosts)).replace("/etc/cluster_facts.json", str(facts))
    data = b"{}10.0.0.1 web-1\n"
    words = ["sh", "-c", text, "reeve", stages.folder, "", hashlib.sha256(data).hexdigest(), "2"]
    stages.tool("awk", "exit 2")
    assert b"\nfault space\n" in subprocess.run(words, input=data, capture_output=True, check=True, timeout=60).stdout
    assert hosts.read_text() == "127.0.0.1 localhost\n"
    (stages.bin / "awk").unlink()
    assert b"\nsame no\n" in subprocess.run(words, input=data, capture_output=True, check=True, timeout=60).stdout
    assert hosts.read_text().startswith("127.0.0.1 localhost\n# reeve begin")
