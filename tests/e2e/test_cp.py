"""Files and folders to machines and back: `reeve cp`, on real sshd processes (issue 7)."""
import os
import pathlib
import signal
import subprocess

import pytest

from conftest import REEVE
from manager import until
from test_exec import ME, a_world  # noqa: F401  (the fixture `world`)

AWKWARD = 'it\'s a "file" $HOME `x` *'


@pytest.fixture(name="here")
def a_folder(tmp_path):
    """Files of this computer."""
    (tmp_path / "app.conf").write_text("port = 80\n")
    (tmp_path / "app.conf").chmod(0o640)
    tree = tmp_path / "tree"
    (tree / "inner/empty").mkdir(parents=True)
    (tree / "run").write_text("#!/bin/sh\n")
    (tree / "run").chmod(0o755)
    (tree / "inner/link").symlink_to("../run")
    (tree / AWKWARD).write_bytes(os.urandom(300000))
    return tmp_path


@pytest.fixture(name="there")
def a_place(world, tmp_path):
    """A folder of the machines: all are this computer."""
    path = world.folder / f"there-{tmp_path.name}"
    path.mkdir()
    return path


def shape(folder):
    """What is in a folder: names, modes, bytes."""
    found = {}
    for path in sorted(folder.rglob("*")):
        kind = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(folder))] = (path.lstat().st_mode, kind)
    return found


def test_a_file_there_and_back(world, here, there):
    out, err = world.run("cp", f"{here}/app.conf", f"shop/web-0:{there}/conf")
    assert (there / "conf").read_text() == "port = 80\n" and (there / "conf").stat().st_mode & 0o777 == 0o640
    assert out == "" and err == "shop/web-0: copied\n"
    world.run("cp", f"shop/web-0:{there}/conf", f"{here}/back")
    assert (here / "back").read_text() == "port = 80\n" and (here / "back").stat().st_mode & 0o777 == 0o640
    # into a folder, by its end or because it is one; over what is there
    world.run("cp", f"{here}/app.conf", f"shop/web-0:{there}/")
    (there / "app.conf").write_text("old\n")
    world.run("cp", f"{here}/app.conf", f"node/shop/web-0:{there}")
    assert (there / "app.conf").read_text() == "port = 80\n"
    assert sorted(path.name for path in there.iterdir()) == ["app.conf", "conf"]  # nothing is left of the way


def test_a_folder_there_and_back(world, here, there):
    world.run("cp", f"{here}/tree", f"shop/web-0:{there}/tree")
    assert shape(there / "tree") == shape(here / "tree") and len(shape(there / "tree")) == 5
    world.run("cp", f"shop/web-0:{there}/tree/", f"{here}/back")
    assert shape(here / "back") == shape(here / "tree")
    (there / "tree/more").touch()
    assert "--replace" in world.run("cp", f"{here}/tree", f"shop/web-0:{there}", code=1)[1]
    assert (there / "tree/more").exists()
    world.run("cp", "--replace", f"{here}/tree", f"shop/web-0:{there}")
    assert shape(there / "tree") == shape(here / "tree")
    assert [path.name for path in there.iterdir()] == ["tree"]


def test_names_that_are_awkward(world, here, there):
    world.run("cp", f"{here}/tree/{AWKWARD}", f"shop/web-0:{there}/{AWKWARD} 2")
    assert (there / f"{AWKWARD} 2").read_bytes() == (here / "tree" / AWKWARD).read_bytes()
    world.run("cp", f"shop/web-0:{there}/{AWKWARD} 2", f"{here}/-x")
    assert (here / "-x").read_bytes() == (here / "tree" / AWKWARD).read_bytes()
    (here / "a:b").write_text("colon\n")
    assert "R0784" in world.run("cp", "a:b", "shop/web-0:/x", code=2, cwd=here)[1]
    world.run("cp", "./a:b", f"shop/web-0:{there}/colon", cwd=here)
    assert (there / "colon").read_text() == "colon\n"


def test_one_source_for_many(world, here, there):
    _, err = world.run("cp", f"{here}/app.conf", f"shop/web-[0-2]:{there}/conf")
    assert [line.split(":")[0] for line in err.splitlines()] == ["shop/web-0", "shop/web-1", "shop/web-2"]
    assert "several machines" in world.run("cp", f"shop/web-[0-1]:{there}/conf", f"{here}/x", code=2)[1]


@pytest.mark.parametrize("source, target, code, said", [
    ("{here}/none", "shop/web-0:{there}/x", 1, "'{here}/none' is not there"), ("shop/web-0:{there}/none", "{here}/x", 1, "is not there"),
    ("{here}/app.conf", "shop/web-0:{there}/none/x", 1, "not copied"), ("shop/web-0:{there}", "{here}/none/x", 1, "not copied"),
    ("{here}/app.conf", "shop/web-77:/x", 4, "web-77"), ("{here}/app.conf", "shop/web-[70-77]:/x", 4, "R0780"),
    ("{here}/app.conf", "blog/web-0:/x", 4, "blog"), ("{here}/app.conf", "{here}/x", 2, "R0784"),
    ("shop/web-0:/x", "shop/web-1:/x", 2, "R0784"), ("/", "shop/web-0:{there}/x", 1, "not there")])
def test_what_is_refused(world, here, there, source, target, code, said):
    words = [word.format(here=here, there=there) for word in (source, target)]
    assert said.format(here=here) in world.run("cp", *words, code=code)[1]
    assert list(there.iterdir()) == [] and not (here / "x").exists()


def test_one_that_is_cut_leaves_what_was_there(world, here, there):
    with (here / "big").open("wb") as file:
        file.truncate(3 << 30)  # noughts, which cost no disk here
    (there / "big").write_text("before\n")
    one = subprocess.Popen([str(REEVE), "cp", f"{here}/big", f"shop/web-0:{there}/big"], stderr=subprocess.PIPE, text=True,
                           env=world.environment())
    until(lambda: any(path.stat().st_size > 1 << 20 for path in there.glob(".reeve-cp.*/big")))
    children = pathlib.Path(f"/proc/{one.pid}/task/{one.pid}/children").read_text().split()
    ssh = next(int(pid) for pid in children if b"ssh" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0])
    os.kill(ssh, signal.SIGKILL)
    assert one.wait(60) == 1 and "what stood under that name is as it was" in one.stderr.read()
    one.stderr.close()
    until(lambda: [path.name for path in there.iterdir()] == ["big"], lambda: str(list(there.iterdir())))
    assert (there / "big").stat().st_size == len("before\n")


def test_nothing_of_it_stays_here(world, here, there):
    folder = here / "temporary"
    folder.mkdir()
    done = subprocess.run([str(REEVE), "cp", f"{here}/app.conf", f"shop/web-0:{there}/x"], check=True, capture_output=True,
                          env={**world.environment(), "TMPDIR": str(folder)})
    assert done.returncode == 0 and list(folder.iterdir()) == []  # key, certificate, settings
    events = world.manager.get("/v1/events?cluster=shop&limit=500").json["items"]
    assert any(event["type"] == "machine.entered" and event["actor"] == ME for event in events)
