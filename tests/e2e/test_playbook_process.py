"""reeve-playbook by itself: what it passes on, how it ends, and that nothing remains of a run (decision 0133).

Requirements: C7.
"""

import glob
import io
import os
import pathlib
import socket
import struct
import subprocess
import tarfile
import time

import pytest

from conftest import REEVE

PROGRAM = REEVE.parent / "reeve-playbook"
ARCHIVE, KEY = 0, 5
FILE, START, STOP, READY, LINE, OUTPUT, END = 1, 2, 3, 17, 18, 19, 20
ENDED, LATE, STOPPED, SILENT, UNSTARTED = range(5)
NOBODY = 65534
USERS = [0, NOBODY] if os.geteuid() == 0 else [None]


def packed(value):
    """MessagePack of what messages have."""
    if isinstance(value, int):
        return b"\xcf" + struct.pack(">Q", value)
    if isinstance(value, list):
        return bytes([0x90 | len(value)]) + b"".join(map(packed, value))
    data, kind = (value.encode(), b"\xdb") if isinstance(value, str) else (value, b"\xc6")
    return kind + struct.pack(">I", len(data)) + data


def archive(**files):
    """A tar archive of files."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name.replace("_yml", ".yml"))
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


class Process:
    """One, with its socket."""

    def __init__(self, user):
        self.before = set(glob.glob("/tmp/reeve-playbook-*"))
        self.socket, theirs = socket.socketpair()
        self.socket.settimeout(20)
        self.bytes = b""

        def child():
            os.dup2(theirs.fileno(), 3)
            if user:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)

        self.process = subprocess.Popen([PROGRAM, "serve"], preexec_fn=child, close_fds=False, stderr=subprocess.PIPE)  # noqa: PLW1509
        theirs.close()

    def send(self, *fields):
        body = packed(list(fields))
        self.socket.sendall(struct.pack("<I", len(body)) + body)

    def until(self, kind):
        """All frames up to the first of this kind."""
        frames = []
        while not frames or frames[-1][0] != kind:
            while len(self.bytes) < 4 or len(self.bytes) < 4 + struct.unpack("<I", self.bytes[:4])[0]:
                piece = self.socket.recv(1 << 20)
                assert piece, "it has ended"
                self.bytes += piece
            length = struct.unpack("<I", self.bytes[:4])[0]
            frames.append((self.bytes[5], self.bytes[6:4 + length]))
            self.bytes = self.bytes[4 + length:]
        return frames

    def end(self):
        """Close the socket. Gives the exit code; nothing of it remains."""
        self.socket.close()
        code = self.process.wait(20)
        assert self.process.stderr.read() == b"" and set(glob.glob("/tmp/reeve-playbook-*")) <= self.before
        self.process.stderr.close()
        return code


def start(process, folder, script, timeout_ms=20000):
    """Run a script in place of ansible-playbook."""
    program = folder / "ansible-playbook"
    program.write_text("#!/bin/sh\n" + script)
    for one in (*list(program.parents)[:-2], program):
        one.chmod(0o755)
    process.send(FILE, ARCHIVE, archive(site_yml="- hosts: all\n"))
    process.send(FILE, KEY, b"secret")
    process.send(START, str(program), "site.yml", 0, 5, timeout_ms, 10000)


def named(mark):
    """Processes that have this word among their arguments."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [path.parent.name] if mark.encode() in path.read_bytes() else []
        except OSError:
            pass
    return found


@pytest.mark.parametrize("user", USERS)
def test_lines_are_passed_on_and_bounded(tmp_path, user):
    """A line of 70 KiB is dropped and counted; the files are those of the run, and the key is for its user only."""
    process = Process(user)
    start(process, tmp_path, """
echo '{"kind":"start"}' >&3
head -c 70000 /dev/zero | tr '\\0' x >&3; echo >&3
echo "$(cat site.yml) $(stat -c %a ../key) $(cat ../key) $#" >&3
echo 'ERROR! to be seen' >&2
exit 4
""")
    frames = process.until(END)
    lines = [body for kind, body in frames if kind == LINE]
    assert [kind for kind, _ in frames][0] == READY and len(lines) == 2
    assert b'{"kind":"start"}' in lines[0] and b"- hosts: all 600 secret 9" in lines[1]
    assert any(b"ERROR! to be seen" in body for kind, body in frames if kind == OUTPUT)
    assert frames[-1][1][:4] == bytes([ENDED, 4, 0, 1])  # reason, code, signal, dropped lines
    assert process.end() == 0


@pytest.mark.parametrize("user", USERS)
def test_nothing_remains_when_the_manager_is_gone(tmp_path, user):
    """Also of processes that made a session of their own."""
    mark = f"3600.{os.getpid()}{user or 0}"
    process = Process(user)
    start(process, tmp_path, f"echo '{{\"kind\":\"start\"}}' >&3\nsetsid sleep {mark} &\nsleep {mark}\n")
    process.until(LINE)
    until = time.monotonic() + 20
    while len(named(mark)) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    assert len(named(mark)) >= 2
    assert process.end() == 0 and named(mark) == []


def test_a_run_ends_at_once_when_it_is_stopped_late_or_silent(tmp_path):
    for script, more, reason in (("echo '{}' >&3; sleep 60", {"timeout_ms": 300}, LATE), ("echo '{}' >&3; sleep 60", {}, STOPPED)):
        process = Process(USERS[0])
        start(process, tmp_path, script, **more)
        process.until(LINE)
        if reason == STOPPED:
            process.send(STOP, 1)
        assert process.until(END)[-1][1][0] == reason
        assert process.end() == 0


def test_what_cannot_run_says_so():
    process = Process(USERS[0])
    process.send(START, "/usr/bin/ansible-playbook", "site.yml", 0, 5, 1000, 1000)
    end = process.until(END)[-1][1]
    assert end[0] == UNSTARTED and b"the archive of the revision is missing" in end
    assert process.end() == 0
    process = Process(USERS[0])
    process.send(99)
    process.socket.settimeout(20)
    assert process.process.wait(20) == 3
    process.socket.close()
    process.process.stderr.close()
