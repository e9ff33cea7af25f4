"""Programs of a node by themselves, without a node: on a tree of files, with stand-ins for what they start."""
import hashlib
import io
import pathlib
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
