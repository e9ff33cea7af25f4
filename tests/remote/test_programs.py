"""Programs of a node by themselves, without a node: on a tree of files, with stand-ins for what they start."""
import fcntl
import hashlib
import io
import os
import pathlib
import signal
import subprocess
import tarfile

import pytest
from conftest import PROGRAMS, wait

SSHD = """#!/bin/sh
case $1 in -t | -T) exit 0 ;; esac
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
        # a shell traps no signal that was ignored when it began, as SIGHUP is under nohup
        self.sshd = subprocess.Popen(["env", "--default-signal=HUP", folder / "bin/sshd"])
        wait((folder / "run/sshd.pid").exists)

    def tool(self, name, text):
        """A program that is found before one of the system's."""
        path = self.folder / "bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def trust(self, files):
        """The answer of the program to this tar."""
        text = "".join((PROGRAMS / f"{name}.sh").read_text() for name in ("common", "before", "members", "own", "trust"))
        for old, new in (("/etc/ssh", f"{self.folder}/etc/ssh"), ("/run/", f"{self.folder}/run/"),
                         ("LC_ALL=C PATH=", f"LC_ALL=C PATH={self.folder}/bin:")):
            text = text.replace(old, new)
        words = ["sh", "-c", text, "reeve", self.folder / "node", "", hashlib.sha256(files).hexdigest(), "root"]
        done = subprocess.run(words, input=files, capture_output=True, check=True, timeout=240)
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
    files = archive({"etc/authorities": "a\n", "etc/host-cert.pub": "b\n", "sshd.conf": "TrustedUserCAKeys x\n"})
    blocked = tree.folder / "etc/ssh/ssh_config.d"
    blocked.write_text("no folder\n")
    assert tree.trust(files)[0] == "fault space"
    assert (tree.folder / "etc/ssh/sshd_config.d/00-reeve.conf").exists() and tree.heard() == 0
    blocked.unlink()
    assert tree.trust(files) == ["same no"]
    wait(lambda: tree.heard() == 1)  # it is waited for a second at most, and somebody else may have the processor
    assert tree.trust(files) == ["same yes"]
    assert tree.heard() == 1  # nobody is refused for a moment without need


@pytest.mark.parametrize("text", ["", '{"a":"it\'s","b":"\u00e4"}'])
def test_variables_come_before_the_bundle(stages, text):
    """Byte by byte, for the user alone, and without them there is no file."""
    stages.bundle("cat vars.json 2>/dev/null; stat -c %a vars.json 2>/dev/null; echo over\n")
    stages.head = text.encode()
    lines, output = stages.run(variables=len(stages.head))
    assert output == (f"{text}\n600\nover\n" if text else "over\n"), (lines, output)


def test_variables_that_were_cut_begin_nothing(stages):
    """The connection ended within them, and the bundle is here already."""
    stages.bundle("echo here\n")
    lines, _ = stages.run(start=0)  # the bundle alone
    tar, stages.tar, stages.head = stages.tar, b"", b'{"a":'
    lines, output = stages.run(variables=9)
    stages.tar = tar
    assert lines[0] == "fault digest" and output == "" and stages.state()[0] == "absent", (lines, output)


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


MAKE = {"link": "ln -s ../there", "name": "ln ../there", "pipe": "mkfifo", "folder": "mkdir"}


@pytest.mark.parametrize("code", [0, 3])
@pytest.mark.parametrize("kind", MAKE)
def test_what_a_stage_leaves_in_the_place_of_its_marks(stages, kind, code):
    """Is not written through and not waited for, whatever it is; its end is marked, and who looks is told."""
    places = "stage-complete ../marks/0.end ../marks/0.next ../marks/0.reserve"
    stages.bundle(f"for i in {places}; do rm -rf $i; {MAKE[kind]} $i; done; echo here; exit {code}\n")
    stages.folder.mkdir()
    (stages.folder / "there").write_text("somebody else's\n")
    lines, output = stages.run(idempotent=1)
    assert (lines[-1].split()[2:6], output) == (["ended", "1", stages.chain, "1"], "here\n"), lines
    assert stages.state()[:5] == ["ended", "1", stages.chain, "1", str(code)]
    if code:
        lines, output = stages.run(attempt=2, idempotent=1)
        assert (lines[-1].split()[2:4], output) == (["ended", "2"], "here\n"), lines
    assert (stages.folder / "there").read_text() == "somebody else's\n"


def test_pipes_in_the_place_of_all_marks(stages):
    """Who looks waits at none of them."""
    stages.bundle("cd ../marks; rm -f *; for i in 0.attempt 0.end 0.pid facts clean; do mkfifo $i; done; mkfifo ../stage-0/stage-complete\n")
    lines, _ = stages.run()
    assert lines[-1].split()[2] == "absent" and "facts" in stages.look(facts=1), lines


def test_the_mark_of_a_tree_in_the_bundle(stages):
    """One that leads out is no way out."""
    stages.bundle("echo here\n", {".reeve": "../there"})
    lines, _ = stages.run()
    assert lines[-1].split()[2] == "ended" and not (stages.folder / "there").exists(), lines


def test_what_a_stage_leaves_in_the_place_of_the_next_output(stages):
    """A pipe that nobody reads, and a folder where the output of before is to go."""
    stages.bundle("echo try $REEVE_ATTEMPT; mkfifo output-new; [ $REEVE_ATTEMPT = 2 ] || mkdir -p output.1/in; exit 1\n")
    for attempt in (1, 2):
        lines, output = stages.run(attempt=attempt, idempotent=1)
        assert (lines[-1].split()[2:4], output) == (["ended", str(attempt)], f"try {attempt}\n"), lines
    assert (stages.folder / "stage-0/output.1").read_text() == "try 1\n"


def test_what_a_stage_leaves_in_the_place_of_a_piece(stages):
    """A pipe that nobody reads: output goes on, and so does the time of the stage."""
    most = 1
    texts = stages.texts
    stages.texts = lambda *names: [text.replace("-lt 2097152", "-lt 1").replace("count=32", "count=1").replace("-eq 32", "-eq 1")
                                 for text in texts(*names)]  # then a piece of the shell's is one write
    stages.bundle(f"mkfifo output.1.at-{most:015}; head -c {most - 1} /dev/zero; until [ $(stat -c %s output) -eq {most - 1} ]; "
                f"do sleep 0.05; done; printf .; until [ $(stat -c %s output) -eq {most} ]; do sleep 0.05; done; echo over\n")
    lines, _ = stages.run(timeout=90)
    assert lines[-2 if lines[-1].startswith("more ") else -1].split()[2:7] == ["ended", "1", stages.chain, "1", "0"], lines
    assert stages.run()[1].endswith(".")
    assert (stages.folder / f"stage-0/output.1.at-{most:015}").read_text() == "over\n"


def test_a_stage_that_has_left_its_group(stages):
    """Ends with its time all the same."""
    stages.bundle("exec /usr/bin/python3 -c 'import os, time; os.setpgid(0, os.getpgid(os.getppid())); time.sleep(50)'\n")
    lines, _ = stages.run(timeout=1)
    assert lines[-1].split()[2:8] == ["ended", "1", stages.chain, "1", "124", "timeout"], lines


@pytest.mark.parametrize("number", ["", "none", "-1", "0", "99999999999999999999"])
def test_who_runs_a_stage_is_not_known(stages, number):
    """A full disk or the stage itself has spoiled the mark: whoever comes later is told what is there, and holds nobody up."""
    go = stages.folder.parent / "go"
    stages.bundle(f"echo '{number}' >../marks/0.pid; echo here; until [ -e {go} ]; do sleep 0.05; done; echo there\n")
    one = stages.begin()
    wait(lambda: (stages.folder / "stage-0/output").exists() and (stages.folder / "stage-0/output").read_text() == "here\n")
    one.kill()
    one.wait(30)
    lines, output = stages.run(start=0)
    assert (lines[-1].split()[2], output) == ("running", "here\n"), lines
    go.touch()
    wait(lambda: stages.state()[0] == "ended")
    assert stages.run(start=0)[1] == "here\nthere\n"


def test_signals_that_the_caller_ignores(stages):
    """Ends of children, and what is to end a stage: those are not handed down."""
    stages.bundle("grep SigIgn /proc/self/status; exec sleep 50\n")
    ignored = (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
    for attempt, seconds in enumerate((1, 5, 25), 1):  # so many that it came to say so
        lines, output = stages.run(attempt=attempt, idempotent=1, timeout=seconds,
                                 preexec_fn=lambda: [signal.signal(number, signal.SIG_IGN) for number in ignored])
        if output:
            break
    assert lines[-1].split()[2:8] == ["ended", str(attempt), stages.chain, str(attempt), "124", "timeout"], lines
    assert output == "SigIgn:\t0000000000000000\n"


def test_a_tree_without_bottom(stages):
    """Gives way to the next one: it goes deeper than anybody has descriptors for."""
    stages.bundle("d=$(printf 'd/%.0s' $(seq 300)); mkdir -p $d; echo here; exit 1\n")
    assert stages.run()[0][-1].split()[2] == "ended"
    stages.chain = "cd" * 32
    lines, _ = stages.run(attempt=2)
    assert lines[-1].split()[2:5] == ["ended", "2", stages.chain], lines


def test_a_folder_behind_a_link(stages):
    """A stage is told where it is by the name that reeve uses."""
    stages.folder.with_name("real").mkdir()
    stages.folder.symlink_to("real")
    stages.bundle("echo $PWD\n")
    assert stages.run()[1] == f"{stages.folder}/stage-0\n"


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


def test_who_writes_the_bundle_is_not_known(stages):
    """Something else stands in the mark that names them: nobody is ended for it, and least of all whoever asks."""
    stages.bundle("echo here\n")
    (stages.folder / "bundles").mkdir(parents=True)
    (stages.folder / "bundles/pid").write_text("0\n")  # all of the group of whoever asks
    with open(stages.folder / "bundles/lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lines, _ = stages.run(start_new_session=True)
    assert lines[0] == "fault busy", lines


def test_hosts_that_cannot_be_read(stages):
    """Nothing of them is lost."""
    hosts, facts = stages.folder.parent / "hosts", stages.folder.parent / "facts"
    hosts.write_text("127.0.0.1 localhost\n")
    text = "".join(stages.texts("common", "distribute")).replace("/etc/hosts", str(hosts)).replace("/etc/cluster_facts.json", str(facts))
    data = b"{}10.0.0.1 web-1\n"
    words = ["sh", "-c", text, "reeve", stages.folder, "", hashlib.sha256(data).hexdigest(), "2"]
    stages.tool("awk", "exit 2")
    assert b"\nfault space\n" in subprocess.run(words, input=data, capture_output=True, check=True, timeout=240).stdout
    assert hosts.read_text() == "127.0.0.1 localhost\n"
    (stages.bin / "awk").unlink()
    assert b"\nsame no\n" in subprocess.run(words, input=data, capture_output=True, check=True, timeout=240).stdout
    assert hosts.read_text().startswith("127.0.0.1 localhost\n# reeve begin")


# ---- facts of a machine that is no member ----

def machine_facts(tmp_path, serial, links="pid:[4026531836]"):
    """What `machine` says of a machine with this firmware; nobody can read it but root."""
    sys, tools = tmp_path / "sys", tmp_path / "bin"
    for path in (sys / "class/dmi/id", sys / "class/net/eth0/device", sys / "class/net/lo", tools):
        path.mkdir(parents=True)
    (sys / "class/dmi/id/product_serial").write_text(serial + "\n")
    (sys / "class/dmi/id/product_uuid").write_text("4c4c\0\n")
    (sys / "class/net/eth0/address").write_text("52:54:00:aa:bb:01\n")
    (sys / "class/net/lo/address").write_text("00:00:00:00:00:00\n")
    for disk, size in (("sda", 2048), ("nvme0n1", 4096), ("loop0", 99), ("dm-0", 99), ("sr0", 0)):
        (sys / "block" / disk).mkdir(parents=True)
        (sys / "block" / disk / "size").write_text(f"{size}\n")
    for slot, words in (("0", "0x030200 0x10de 0x20b0"), ("1", "0x030000 0x1a03 0x2000"), ("2", "0x020000 0x8086 0x1521"),
                        ("3", "0x120000 0x1002 0x74a1")):
        (sys / "bus/pci/devices" / slot).mkdir(parents=True)
        for name, word in zip(("class", "vendor", "device"), words.split(), strict=True):
            (sys / "bus/pci/devices" / slot / name).write_text(word + "\n")
    (sys / "firmware/efi").mkdir(parents=True)
    (sys / "class/dmi/id/bios_vendor").write_text("ACME\n")
    (sys / "class/dmi/id/bios_version").write_text("1.2\n")
    (tools / "readlink").write_text(f"#!/bin/sh\necho '{links}'\n")
    (tools / "readlink").chmod(0o755)
    text = "".join((PROGRAMS / f"{name}.sh").read_text() for name in ("common", "facts", "machine"))
    text = text.replace(" /sys/", f" {sys}/").replace("</sys/", f"<{sys}/").replace("LC_ALL=C PATH=", f"LC_ALL=C PATH={tools}:")
    words = ["sh", "-c", text, "reeve", tmp_path / "node", "10.0.0.1 4711 10.0.0.71 22"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=240)
    assert not (tmp_path / "node").exists(), "it has written"
    lines = done.stdout.split("\n")[2:-2]
    assert done.stdout.endswith("\nend\n") and all(" " in line for line in lines), done.stdout
    return {word: value for word, _, value in (line.partition(" ") for line in lines)}


def test_a_machine_reports_facts_and_identity(tmp_path):
    found = machine_facts(tmp_path, "CZ1234")
    assert (found["serial"], found["uuid"], found["mac"], found["address"]) == ("CZ1234", "4c4c", "52:54:00:aa:bb:01", "10.0.0.71"), found
    assert int(found["cpus"]) > 0 and int(found["memory"]) > 0 and int(found["disk"]) > 0 and found["architecture"] == os.uname().machine, found
    assert (found["disks"], found["storage"], found["gpus"], found["gpu-model"]) == ("2", "3072", "2", "10de:20b0"), found
    assert (found["firmware"], found["firmware-version"]) == ("uefi", "ACME 1.2"), found


def test_a_container_has_no_identity_and_no_hardware_of_its_own(tmp_path):
    found = machine_facts(tmp_path, "CZ1234", links="pid:[4026532281]")
    assert not {"serial", "uuid", "mac", "disks", "gpus", "firmware"} & set(found) and int(found["cpus"]) > 0, found


def test_a_serial_number_is_one_line(tmp_path):
    """Whatever the firmware says, it adds no line to the answer."""
    assert machine_facts(tmp_path, "CZ1\nend\nmac 1")["serial"] == "CZ1 end mac 1"
