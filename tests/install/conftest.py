"""The packages of the release build, made once for all tests of this folder."""

import os
import pathlib
import shutil
import subprocess
import urllib.request

import pytest

import room

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
OLDER, NEWER = "0.1.0", "0.1.1"
RELEASES = os.environ.get("INSTALL_RELEASES", "bookworm trixie").split()


def packages(folder, version):
    """The packages of a version: client, manager, plugins."""
    done = subprocess.run([str(ROOT / "tools/deb"), "--version", version, "--out", str(folder)], capture_output=True, text=True, check=False,
                          timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    made = {path.name.split("_")[0]: path for path in folder.glob("*.deb")}
    return [made[name] for name in ("reeve", "reeved", "reeve-plugins")]


@pytest.fixture(scope="session", name="older")
def older_packages(tmp_path_factory):
    """The packages that are installed first."""
    return packages(tmp_path_factory.mktemp("debs") / "older", OLDER)


@pytest.fixture(scope="session", name="newer")
def newer_packages(tmp_path_factory, older):
    """The same files as a later version."""
    folder = tmp_path_factory.mktemp("newer")
    made = []
    for path in older:
        tree = folder / path.stem
        subprocess.run(["dpkg-deb", "-R", str(path), str(tree)], check=True, timeout=60)
        control = tree / "DEBIAN/control"
        control.write_text(control.read_text().replace(f"Version: {OLDER}", f"Version: {NEWER}").replace(f"(= {OLDER})", f"(= {NEWER})"))
        made.append(folder / path.name.replace(OLDER, NEWER))
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", str(tree), str(made[-1])], check=True, stdout=subprocess.DEVNULL, timeout=60)
    return made


def has_release(release):
    """Whether the root of a release exists, or can be made from this computer's mirror."""
    try:
        with urllib.request.urlopen(f"{room.mirror()}/dists/{release}/Release", timeout=20):
            return True
    except OSError:
        return room.is_root_made(release)


@pytest.fixture(name="debian", params=RELEASES)
def clean_debian(request, tmp_path, older):
    """A clean Debian without a network, in which apt finds what the packages depend on."""
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        pytest.skip("a clean Debian needs root and debootstrap")
    if not has_release(request.param):
        pytest.skip(f"the mirror of this computer has no {request.param}")
    with room.Room(room.layers_of(request.param, older), tmp_path / "room") as made:
        yield made
