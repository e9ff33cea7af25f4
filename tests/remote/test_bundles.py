"""What is taken as a bundle, and what is refused, each for its reason."""
import io
import json
import os
import pathlib
import subprocess
import tarfile

import pytest
from conftest import BUILD
from hostile import GOOD, SCRIPT, every, make, member

CASES = list(every())
SANITIZED = {**os.environ, "ASAN_OPTIONS": "allocator_may_return_null=1"}


def check(path, *words):
    """reeve bootstrap check."""
    return subprocess.run([BUILD / "reeve", "bootstrap", "check", path, *words], text=True,
                          capture_output=True, check=False, timeout=240, env=SANITIZED)


def digest(path):
    """Of a bundle that is one."""
    run = check(path, "-o", "json")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)["sha256"]


def test_there_are_a_hundred():
    """With names of their own."""
    assert len(CASES) >= 100
    assert len({case[0] for case in CASES}) == len(CASES)


@pytest.mark.parametrize("name,data,code,word", CASES, ids=[case[0] for case in CASES])
def test_a_hostile_archive_is_refused(tmp_path, name, data, code, word):
    """For the reason that it is hostile, and no other."""
    path = tmp_path / "x.tar"
    path.write_bytes(data)
    run = check(path)
    assert run.returncode in (1, 3), run.stderr
    assert code in run.stderr and word in run.stderr, run.stderr
    assert "Sanitizer" not in run.stderr
    assert sorted(os.listdir(tmp_path)) == ["x.tar"]


def tree(folder):
    """A folder with all that a bundle may have."""
    long = "d/" + "long-" * 18 + "/" + "name-" * 30
    (folder / pathlib.Path(long).parent).mkdir(parents=True)
    (folder / "bootstrap.sh").write_bytes(GOOD)
    (folder / long).write_text("far")
    (folder / "d/run").write_text("#!/bin/sh\n")
    (folder / "d/run").chmod(0o755)
    (folder / "d/link").symlink_to("../bootstrap.sh")
    (folder / "empty").mkdir()
    (folder / "d-e").write_text("sorts between")
    (folder / "ü.txt").write_text("")
    return folder


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_a_folder_and_its_archives_are_one_bundle(tmp_path, form):
    """In any format and order, with any owner and time, with ./ or without."""
    folder = tree(tmp_path / "b")
    expected = digest(folder)
    os.utime(folder / "d/run", (1, 1))
    assert digest(folder) == expected
    for number, prefix in enumerate(("", "./")):
        with tarfile.open(tmp_path / f"{number}.tar", "w", format=form) as tar:
            for path in sorted(folder.rglob("*"), reverse=True):
                tar.add(path, prefix + str(path.relative_to(folder)), recursive=False)
        assert digest(tmp_path / f"{number}.tar") == expected
    run = subprocess.run(["tar", "-C", folder, "--sort=none", "-cf", tmp_path / "gnu.tar", "."], check=False)
    assert run.returncode == 0
    assert digest(tmp_path / "gnu.tar") == expected
    (folder / "d/run").chmod(0o644)
    assert digest(folder) != expected


def test_folders_that_an_archive_leaves_out(tmp_path):
    """Are there all the same."""
    (tmp_path / "b/d/e").mkdir(parents=True)
    (tmp_path / "b/bootstrap.sh").write_bytes(GOOD)
    (tmp_path / "b/d/e/f").write_bytes(b"1")
    (tmp_path / "b/d/g").write_bytes(b"2")
    (tmp_path / "x.tar").write_bytes(make(member("d/g", b"2"), SCRIPT, member("d/e/f", b"1")))
    assert digest(tmp_path / "x.tar") == digest(tmp_path / "b")


def test_a_folder_has_the_same_rules(tmp_path):
    """As an archive."""
    folder = tmp_path / "b"
    folder.mkdir()
    (folder / "bootstrap.sh").write_bytes(GOOD)
    assert check(folder).returncode == 0
    os.mkfifo(folder / "pipe")
    assert "R0724" in check(folder).stderr
    (folder / "pipe").unlink()
    (folder / "link").symlink_to("/etc/passwd")
    assert "outside of the bundle: '/etc/passwd'" in check(folder).stderr
    (folder / "link").unlink()
    (folder / "output").write_text("")
    assert "R0723" in check(folder).stderr
    assert check(tmp_path / "none").returncode == 1
    assert "R0011" in check(tmp_path / "none").stderr


def test_what_people_see(tmp_path):
    """One line; the verb knows its words."""
    (tmp_path / "x.tar").write_bytes(make(SCRIPT))
    run = check(tmp_path / "x.tar")
    assert run.stdout.startswith(f"ok: {tmp_path}/x.tar: 1 member, 2048 bytes, sha256:")
    other = subprocess.run([BUILD / "reeve", "bootstrap", "chekc", "x"], text=True, capture_output=True, check=False)
    assert other.returncode == 2 and "did you mean 'check'" in other.stderr


def test_cut_at_every_byte(tmp_path):
    """No archive that is cut is taken."""
    whole = io.BytesIO(make(SCRIPT, member("a", b"x" * 600))).getvalue()
    end = len(whole.rstrip(b"\0"))
    for length in range(0, end + 512, 97):
        (tmp_path / "x.tar").write_bytes(whole[:length])
        assert check(tmp_path / "x.tar").returncode == 3, length


CLUSTER = """version: "1"
name: shop
defaults: {{resourcePlugin: {{name: sim}}, bootstrap: [{{tar: {defaults}}}]}}
groups:
  web: {{size: 1}}
  db: {{size: 1, bootstrap: [{{tar: {group}}}], members: {{db-0: {{bootstrap: [{{tar: {member}}}]}}}}}}
"""


def test_bundles_are_read_with_the_file_that_names_them(tmp_path):
    """A fault at its place for each, once, before any manager is asked; a path counts from the folder of the file."""
    (tmp_path / "files").mkdir()
    (tmp_path / "good").mkdir()
    (tmp_path / "good/bootstrap.sh").write_bytes(GOOD)
    (tmp_path / "crlf.tar").write_bytes(make(member("bootstrap.sh", b"a\r\n")))
    path = tmp_path / "files/x.yaml"
    env = {**SANITIZED, "REEVE_URL": "unix:/nonexistent/reeved.sock", "HOME": "/proc/nobody"}

    def plan(**names):
        path.write_text(CLUSTER.format(**names))
        return subprocess.run([BUILD / "reeve", "plan", "-f", "files/x.yaml"], cwd=tmp_path, text=True, env=env,
                              capture_output=True, check=False, timeout=240)
    bad = plan(defaults="../none", group="../crlf.tar", member="../files")
    assert bad.returncode == 3 or bad.returncode == 1, bad.stderr
    assert "files/x.yaml:3:59: error[R0011]" in bad.stderr and bad.stderr.count("R0011") == 1, bad.stderr
    assert "files/x.yaml:6:35: error[R0722]: line 1 of bootstrap.sh ends in CR LF" in bad.stderr
    assert "hint: a shell treats the CR as part of the line: sed -i 's/\\r$//' bootstrap.sh" in bad.stderr
    assert "^^^^^^^^^^^\n" in bad.stderr and "a bundle is a folder, or a tar of the content of a folder" in bad.stderr
    assert "the bundle has no bootstrap.sh" in bad.stderr and bad.stderr.count("error[") == 3
    good = plan(defaults="../good", group=f"{tmp_path}/good", member="../good/")
    assert "R0011" not in good.stderr and "R072" not in good.stderr and good.returncode != 3, good.stderr
