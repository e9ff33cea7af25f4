"""Files and folders to machines and back: `reeve cp`, on real sshd processes (issue 7)."""
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess

import pytest

from conftest import REEVE, sigint_default
from hosts import ME
from manager import until
from pylib.proc import children, fields_of, named, processes, said_of
from test_exec import COUNT, WHO, a_world  # noqa: F401  (the fixture `world`)

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


def interruptible():
    """A process group of its own, as a terminal has it."""
    os.setpgid(0, 0)
    sigint_default()


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
    assert sorted(err.splitlines()) == ["shop/web-0: copied", "shop/web-1: copied", "shop/web-2: copied"]
    assert "one folder for each machine" in " ".join(world.run("cp", f"shop/web-[0-1]:{there}/conf", f"{here}/x", code=2)[1].split())
    # whom the flags mean, with and without a name
    _, err = world.run("cp", f"{here}/app.conf", f":{there}/conf", "-g", "shop/db")
    assert sorted(err.splitlines()) == ["shop/db-0: copied", "shop/db-1: copied"]
    _, err = world.run("cp", f"{here}/app.conf", f"web-[3-4]:{there}/conf", "-c", "shop", "-l", "tier=front")
    assert sorted(err.splitlines()) == ["shop/web-3: copied", "shop/web-4: copied"]
    assert "has no machine before its colon" in world.run("cp", f"{here}/app.conf", f":{there}/conf", code=2)[1]
    assert "R0780" in world.run("cp", f"{here}/app.conf", f":{there}/conf", "-l", "tier=none", code=4)[1]
    assert "no job/77" in world.run("cp", f"{here}/app.conf", f":{there}/conf", "-c", "shop", "--failed-of", "77", code=4)[1]


def test_many_into_folders_of_their_own(world, here, there):
    (there / "of").mkdir()
    _, err = world.run("exec", "-g", "shop/web", "--", f"mkdir -p {there}/of/$({WHO}) && hostname > {there}/of/$({WHO})/name")
    world.run("cp", f"shop/web-[0-4]:{there}/of", f"{here}/got/")
    assert sorted(path.name for path in (here / "got/shop").iterdir()) == [f"web-{number}" for number in range(5)]
    assert all(shape(here / f"got/shop/web-{number}/of") == shape(there / "of") for number in range(5))
    # a folder that is there stays, and nobody is kept from the rest by it
    world.run("exec", "shop/web-0", "--", "true")
    _, err = world.run("cp", f"shop/web-[4-6]:{there}/of", f"{here}/got/", code=9)
    assert "shop/web-4: a folder of this name already exists" in err and {"shop/web-5: copied", "shop/web-6: copied"} <= set(err.splitlines())
    assert (here / "got/shop/web-6/of").is_dir()
    # where nothing comes nothing is left
    _, err = world.run("cp", f"shop/web-[0-1]:{there}/none", f"{here}/empty/", code=1)
    assert err.count("does not exist") == 2 and not list(here.glob("empty/*"))


def test_one_that_fails_stops_no_other(world, here, there):
    line = (world.one.folder / "authorized_keys").read_text().strip()
    world.one.stop()
    try:
        _, err = world.run("cp", f"{here}/app.conf", f":{there}/$HOME/../conf", "-c", "shop", code=1)
        assert err.count("the destination folder does not exist") == COUNT - 1  # there is no such folder, nor a shell that makes one of $HOME
        assert re.search(r"^shop/web-3: .*: no such folder$", err, re.M), err  # whose line it is
        _, err = world.run("cp", f"{here}/app.conf", f":{there}/conf", "-c", "shop", code=9)
        assert "shop/db-1: the copy failed" in err and re.search(r"^shop/db-1: ssh: connect to ", err, re.M), err
        assert err.count(": copied") == COUNT - 1
    finally:
        world.one_comes_back(line)


def test_several_are_under_way_at_once(world, here, there):
    log = here / "log"
    log.write_text("")
    (here / "bin").mkdir()  # an ssh that writes down when it begins and ends, and waits for a second one
    (here / "bin/ssh").write_text(f'#!/bin/sh\necho + >> {log}\nuntil [ "$(grep -c + {log})" -ge 2 ]; do sleep 0.05; done\n'
                                  f'{shutil.which("ssh")} "$@"\ncode=$?\necho - >> {log}\nexit $code\n')
    (here / "bin/ssh").chmod(0o755)
    done = subprocess.run([str(REEVE), "cp", f"{here}/app.conf", f"shop/web-[0-9]:{there}/$(id).%n"], capture_output=True, text=True,
                          check=False, timeout=240, env={**world.environment(), "PATH": f"{here}/bin:{os.environ['PATH']}"})
    assert done.returncode == 0, done.stderr
    at_once = most = 0
    for sign in log.read_text().split():
        at_once += 1 if sign == "+" else -1
        most = max(most, at_once)
    assert 2 <= most <= 8 and log.read_text().count("-") == 10, log.read_text()
    assert sorted(path.name for path in there.iterdir()) == ["$(id).%n"]


def test_ctrl_c_ends_all_of_them(world, here, there):
    with (here / "big").open("wb") as file:
        file.truncate(3 << 30)
    one = subprocess.Popen([str(REEVE), "cp", f"{here}/big", f"shop/web-[0-9]:{there}/big"], stderr=subprocess.PIPE, text=True,
                           env=world.environment(), preexec_fn=interruptible)
    until(lambda: len(list(there.glob(".reeve-cp.*/in/big"))) >= 2)
    os.killpg(one.pid, signal.SIGINT)
    assert one.wait(60) == 130
    one.stderr.close()
    until(lambda: not list(there.iterdir()), lambda: str(list(there.iterdir())))


@pytest.mark.parametrize("source, target, code, said", [
    ("{here}/none", "shop/web-0:{there}/x", 1, "'{here}/none' does not exist"), ("shop/web-0:{there}/none", "{here}/x", 1, "does not exist"),
    ("{here}/app.conf", "shop/web-0:{there}/none/x", 1, "reeve exec shop/web-0 -- mkdir -p '{there}/none/'"),
    ("shop/web-0:{there}", "{here}/none/", 1, "create it first: mkdir -p '{here}/none/'"),
    ("{here}/app.conf", "shop/web-77:/x", 4, "web-77"), ("{here}/app.conf", "shop/web-[70-77]:/x", 4, "web-[70-77]"),
    ("{here}/app.conf", "blog/web-0:/x", 4, "blog"), ("{here}/app.conf", "{here}/x", 2, "R0784"),
    ("shop/web-0:/x", "shop/web-1:/x", 2, "R0784"), ("/", "shop/web-0:{there}/x", 2, "name the file or folder itself"),
    ("shop/web-0:", "{here}/x", 2, "name the file or folder itself"), ("{here}/tree/..", "shop/web-0:{there}/x", 2, "name the file")])
def test_what_is_refused(world, here, there, source, target, code, said):
    words = [word.format(here=here, there=there) for word in (source, target)]
    err = world.run("cp", *words, code=code)[1]
    assert said.format(here=here, there=there) in err and "tar" not in err.replace(f"{here}", ""), err
    assert list(there.iterdir()) == [] and not (here / "x").exists()


def test_what_is_not_here_is_no_machines_fault(world, here, there):
    """Nobody is let in anywhere for it, and it is told once."""
    def entered():
        events = world.manager.get("/v1/events?cluster=shop&limit=500").json["items"]
        return [event["number"] for event in events if event["type"] == "machine.entered"]

    before = entered()
    _, err = world.run("cp", f"{here}/none", f":{there}/x", "-c", "shop", code=1)
    assert err.count("does not exist") == 1 and "on this computer" in err and "shop/" not in err.replace(f"{here}", ""), err
    assert entered() == before


def test_files_of_the_kernel_come_whole(world, here):
    """The size that it tells of them is none, or that of a page."""
    world.run("cp", "shop/web-0:/proc/self/limits", f"{here}/limits")
    assert (here / "limits").read_text().startswith("Limit ")
    world.run("cp", "shop/web-0:/sys/class/net/lo/mtu", f"{here}/mtu")
    assert (here / "mtu").read_text() == pathlib.Path("/sys/class/net/lo/mtu").read_text()


@pytest.mark.skipif(os.geteuid() != 0, reason="devices are made by root")
def test_a_machine_gives_this_computer_no_rights(world, here, there):
    """What root unpacks would be a device, or run as root, for everybody who works here."""
    (there / "tree").mkdir()
    (there / "tree/kept").write_text("kept\n")
    os.mkfifo(there / "tree/pipe")
    os.mknod(there / "tree/disk", stat.S_IFBLK | 0o666, os.makedev(8, 0))
    shutil.copy("/bin/true", there / "tree/run")
    (there / "tree/run").chmod(0o6755)
    _, err = world.run("cp", f"shop/web-0:{there}/tree", f"{here}/got", code=1)
    assert sorted(path.name for path in (here / "got").iterdir()) == ["kept", "run"]
    assert (here / "got/run").stat().st_mode & 0o7777 == 0o755
    assert "tree/disk: neither a file" in err and "tree/pipe: neither a file" in err and "only a part was copied" in err, err
    # alone, and from several
    _, err = world.run("cp", f"shop/web-0:{there}/tree/disk", f"{here}/disk", code=1)
    assert "the copy failed" in err and not (here / "disk").exists()
    _, err = world.run("cp", f"shop/web-[0-1]:{there}/tree", f"{here}/of/", code=1)
    assert sorted(path.name for path in (here / "of/shop/web-1/tree").iterdir()) == ["kept", "run"]


def ssh_of(one, there):
    """The client that carries it."""
    del there
    return next(pid for pid in children(one.pid) if "ssh" in named(pid))


def session_of(one, there):
    """The process of sshd that serves it: whoever it has begun works in a folder of its own there."""
    del one
    pids = [pid for pid in processes() if f"{there}" in said_of(pid, "cmdline") and named(pid) in ("sh", "bash", "cat", "tar")]
    parents = {int(fields_of(pid)[1]) for pid in pids}
    return next(pid for pid in parents if named(pid).startswith("sshd"))


@pytest.mark.parametrize("who, said", [(ssh_of, "the lines above have the reason"), (session_of, "the connection failed or was lost")])
def test_one_that_is_cut_leaves_what_was_there(world, here, there, who, said):
    with (here / "big").open("wb") as file:
        file.truncate(3 << 30)  # noughts, which cost no disk here
    (there / "big").write_text("before\n")
    one = subprocess.Popen([str(REEVE), "cp", f"{here}/big", f"shop/web-0:{there}/big"], stderr=subprocess.PIPE, text=True,
                           env=world.environment())
    until(lambda: any(path.stat().st_size > 1 << 20 for path in there.glob(".reeve-cp.*/in/big")))
    os.kill(who(one, there), signal.SIGKILL)
    assert one.wait(60) == 1
    told = one.stderr.read()
    one.stderr.close()
    assert said in told and "the target still has its previous content" in told, told
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
