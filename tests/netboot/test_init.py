"""The program of the netboot system without a machine: what it reads, and above all when it writes to a disk.

Programs that write to disks are replaced by some that only note that they were called. Requirements: C4, C13.
"""
import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import tarfile

import pytest

INIT = pathlib.Path(__file__).resolve().parents[2] / "packaging/netboot/init"
WRITERS = ("wipefs", "sfdisk", "mke2fs", "dd", "mount", "umount", "reboot", "mdev")
SHELLS = [shell for shell in (["busybox", "sh"], ["dash"]) if shutil.which(shell[0])]
ORDER = "do install\nid i-1\nname box-0\nimage d1\nformat tar.gz\nminBytes 100\ndisk {}\nkernelArgs quiet\nsay installs\n"
CURL = """#!/bin/sh
# Answers the next file of $ANSWERS, and notes what was sent.
out=
while [ $# -gt 0 ]; do
    case $1 in
    -o) out=$2 && shift ;;
    --data-urlencode) echo "$2" >>"$ANSWERS/posted" && shift ;;
    */netboot/image/*) cat "$ANSWERS/image" && exit ;;
    esac
    shift
done
number=$(cat "$ANSWERS/number" 2>/dev/null || echo 0)
echo $((number + 1)) >"$ANSWERS/number"
[ -f "$ANSWERS/$number" ] || number=last
[ -f "$ANSWERS/$number" ] || exit 22
cp "$ANSWERS/$number" "$out"
"""


class Place:
    """A machine of files, and programs that write nothing."""

    def __init__(self, folder, shell):
        self.folder = folder
        self.shell = shell
        for name in ("bin", "work", "keys", "answers", "sys/class/net", "sys/class/dmi/id", "sys/block", "proc/sys/kernel/random"):
            (folder / name).mkdir(parents=True)
        (folder / "sys/class/dmi/id/product_serial").write_text("CZ\x011\n")
        (folder / "proc/cpuinfo").write_text("processor : 0\nprocessor : 1\n")
        (folder / "proc/meminfo").write_text("MemTotal:        2048 kB\n")
        (folder / "proc/sys/kernel/random/uuid").write_text("11111111-2222-3333-4444-555555555555\n")
        for name, body in (("curl", CURL), *((one, f"#!/bin/sh\necho {one} \"$@\" >>{folder}/written\n") for one in WRITERS)):
            (folder / "bin" / name).write_text(body)
            (folder / "bin" / name).chmod(0o755)

    def disk(self, name, sectors, **more):
        """A block device of the kernel."""
        path = self.folder / "sys/block" / name
        path.mkdir()
        (path / "size").write_text(f"{sectors}\n")
        for key, value in {"removable": 0, "ro": 0, **more}.items():
            (path / key).write_text(f"{value}\n")
        (path / "device").mkdir()

    def answers(self, *texts):
        """What the manager says, the last one for ever."""
        for number, text in enumerate(texts[:-1]):
            (self.folder / "answers" / str(number)).write_text(text)
        (self.folder / "answers/last").write_text(texts[-1])

    def run(self, script):
        """Functions of the program."""
        # a shell with programs of its own prefers them: functions come first in all shells
        stubs = "\n".join(f"{one}() {{ {self.folder}/bin/{one} \"$@\"; }}" for one in ("curl", *WRITERS))
        names = {"SYS": "sys", "PROC": "proc", "WORK": "work", "KEYS": "keys", "TARGET": "target", "CONSOLE": "console", "ANSWERS": "answers"}
        done = subprocess.run([*self.shell, "-c", f". {INIT}\n{stubs}\nURL=http://m BOOT=b CURL_OPTIONS= HOST_KEY=k\n{script}"], text=True,
                              capture_output=True, check=False, timeout=60, stdin=subprocess.DEVNULL,
                              env={"PATH": f"{self.folder}/bin:/usr/bin:/bin", "REEVE_NETBOOT_TEST": "1",
                                   **{key: str(self.folder / value) for key, value in names.items()}})
        return done.stdout.strip(), done

    def noted(self, name):
        """The lines of a file, if it is there."""
        path = self.folder / name
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture(params=SHELLS, ids=lambda shell: shell[0])
def place(request, tmp_path):
    """A machine with one disk."""
    one = Place(tmp_path, request.param)
    one.disk("vda", 8192)
    return one


def test_disks_are_those_that_an_image_may_be_on(place):
    place.disk("loop0", 10)
    place.disk("sr0", 10)
    place.disk("sdb", 4096, removable=1)
    place.disk("sdc", 4096, ro=1)
    place.disk("sdd", 0)
    place.disk("nvme0n1", 2048)
    assert place.run("disks")[0].splitlines() == ["nvme0n1 1048576", "vda 4194304"]
    assert place.run("disk_choose 'nvme*'")[0] == "nvme0n1 1048576"
    assert place.run("disk_choose vda")[0] == "vda 4194304"
    assert place.run("disk_choose 'sd*' || cat $WORK/log")[0].startswith("no disk matches 'sd*': the machine has nvme0n1")
    assert "2 disks match '*', so none is chosen: set install.disks[0].match" in place.run("disk_choose '' || cat $WORK/log")[0]
    assert place.run("partition sda 1; partition nvme0n1 1")[0].splitlines() == ["sda1", "nvme0n1p1"]


def test_a_machine_that_waits_writes_nothing(place):
    """Whatever the manager says that is no order."""
    for text in ("do wait\nseconds 5\nsay waits\n", "", "do reinstall\n", "say do install\n"):
        place.answers(text)
        place.run("turn")
    assert place.noted("written") == [] and "serial=CZ1" in place.noted("answers/posted"), place.noted("answers/posted")
    assert "disks=vda 4194304" in place.noted("answers/posted") and "memory_kib=2048" in place.noted("answers/posted")


def test_no_program_writes_without_an_order(place):
    """The guard in front of each of them."""
    for setting in ("ID= DISK=vda", "ID=i-1 DISK=", "ID= DISK="):
        out, _ = place.run(f"{setting}; disk_write wipefs -a /dev/vda || echo refused")
        assert out == "refused", setting
    assert place.noted("written") == []
    place.run("ID=i-1 DISK=vda; disk_write wipefs -a /dev/vda")
    assert place.noted("written") == ["wipefs -a /dev/vda"]


def test_an_installation_that_the_manager_ends_writes_nothing_more(place):
    """It was given up between the order and the first step."""
    place.answers(ORDER.format("vda"), "do wait\nsay was given up\n")
    place.run("turn")
    assert place.noted("written") == [] and "step=disk" in place.noted("answers/posted")
    place.folder.joinpath("answers/number").unlink()
    place.answers(ORDER.format("vda"), ORDER.format("vda").replace("i-1", "i-2"))  # another installation has begun
    place.run("turn")
    assert place.noted("written") == []


def test_a_disk_that_does_not_fit_is_reported(place):
    """Before anything is written, with the numbers."""
    place.answers(ORDER.format("sd*"))
    place.run("turn")
    place.answers(ORDER.format("vda").replace("minBytes 100", "minBytes 99999999"))
    place.run("turn")
    place.disk("vdb", 8192)
    place.answers(ORDER.format(""))
    place.run("turn")
    posted = "\n".join(place.noted("answers/posted"))
    assert "state=failed" in posted and "text=no disk matches 'sd*'" in posted, posted
    assert "text=disk vda has 4194304 bytes, and the image needs 99999999" in posted, posted
    assert "text=2 disks match '*'" in posted, posted
    assert [line for line in place.noted("written") if not line.startswith("umount")] == []


def test_an_image_is_unpacked_only_as_it_was_pushed(place):
    """The digest is that of the bytes that arrived; a truncated or a wrong one is named."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        member = tarfile.TarInfo("etc/motd")
        member.size = 100_000
        archive.addfile(member, io.BytesIO(os.urandom(member.size)))
    image = out.getvalue()
    target = place.folder / "target"
    script = 'ID=i-1 FORMAT=tar.gz DIGEST={}; mkdir -p $TARGET; image_unpack && echo good || cat $WORK/log'
    (place.folder / "answers/image").write_bytes(image)
    assert place.run(script.format(hashlib.sha256(image).hexdigest()))[0] == "good"
    assert (target / "etc/motd").stat().st_size == 100_000
    assert "does not have the digest" in place.run(script.format("0" * 64))[0]
    for bad in (image[:50_000], b"not an image", b""):
        (place.folder / "answers/image").write_bytes(bad)
        printed = place.run(script.format(hashlib.sha256(image).hexdigest()))[0]
        assert printed and printed != "good", bad[:20]
    assert "is not known" in place.run("FORMAT=qcow2; image_unpack || cat $WORK/log")[0]


def test_a_manager_that_is_away_is_named(place):
    """Once, and the next report is sent as before."""
    place.run("turn; turn")
    console = place.noted("console")
    assert console and all("the manager does not answer" in line for line in console), console
    assert place.noted("written") == []
