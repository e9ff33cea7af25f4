"""The process of the managed store (reeve-store), as its socket shows it (src/wire/member_ipc.h)."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import time

BUILD = pathlib.Path(os.environ.get("REEVE_BUILD", pathlib.Path(__file__).resolve().parents[2] / "build"))
STORE = BUILD / "reeve-store"
METHODS = {"status": 0, "start": 1, "stop": 2, "wait": 3, "aside": 4, "rebuild": 5}
STATES = ("absent", "stopped", "running", "ending", "waiting", "rebuilding")
ARGUMENTS = ("manager", "name", "token", "cluster", "is_joining", "peer_listen", "peer_advertise", "client_listen",
             "client_advertise", "ca", "certificate", "key")
REPLY = ("code", "message", "hint", "state", *(f"arguments.{name}" for name in ARGUMENTS), "pid", "crashes", "reason",
         "is_serving", "term", "last", "committed", "applied", "has_leader", "version", "bytes", "free_bytes")


def packed(value):
    """MessagePack of a number, a text or a list."""
    if isinstance(value, int):
        return bytes([value]) if value < 128 else b"\xcf" + struct.pack(">Q", value)
    if isinstance(value, str):
        data = value.encode()
        return (bytes([0xa0 + len(data)]) if len(data) < 32 else b"\xda" + struct.pack(">H", len(data))) + data
    return b"\xdc" + struct.pack(">H", len(value)) + b"".join(packed(item) for item in value)


def unpacked(data, at=0):
    """The value at a place of MessagePack, and the place behind it."""
    head = data[at]
    if head < 128:
        return head, at + 1
    if 0xa0 <= head < 0xc0:
        return data[at + 1:at + 1 + head - 0xa0].decode(), at + 1 + head - 0xa0
    if head in (0xcc, 0xcd, 0xce, 0xcf):
        size = 1 << (head - 0xcc)
        return int.from_bytes(data[at + 1:at + 1 + size], "big"), at + 1 + size
    if head in (0xd9, 0xda):
        size = 1 << (head - 0xd9)
        length = int.from_bytes(data[at + 1:at + 1 + size], "big")
        return data[at + 1 + size:at + 1 + size + length].decode(), at + 1 + size + length
    count, at = (head - 0x90, at + 1) if 0x90 <= head < 0xa0 else (struct.unpack(">H", data[at + 1:at + 3])[0], at + 3)
    items = []
    for _ in range(count):
        item, at = unpacked(data, at)
        items.append(item)
    return items, at


class Refused(Exception):
    """The process has rejected a method, or it has failed."""


class Member:
    """A data folder and the process for its member."""

    def __init__(self, data):
        self.data = pathlib.Path(data)
        self.data.mkdir(exist_ok=True, mode=0o700)
        self.folder = self.data / "member"
        self.process = None

    def start(self):
        """Start reeve-store and wait until it listens."""
        self.process = subprocess.Popen([STORE, "serve", self.data], stderr=(self.data.parent / "store.log").open("ab"))
        self.until_served()
        return self

    def until_served(self, seconds=20):
        """Wait until the process answers."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                return self.ask("status")
            except OSError:
                time.sleep(0.05)
        raise AssertionError((self.data.parent / "store.log").read_text()[-2000:])

    def ask(self, method, arguments=None, timeout_ms=0):
        """Ask and return the reply as a dictionary; Refused: it has failed."""
        given = arguments or {}
        fields = [1, METHODS.get(method, method), *(given.get(name, 0 if name == "is_joining" else "") for name in ARGUMENTS), timeout_ms]
        body = packed(fields)
        folder = os.open(self.folder, os.O_PATH)
        try:
            with socket.socket(socket.AF_UNIX) as channel:
                channel.settimeout(120)
                channel.connect(f"/proc/self/fd/{folder}/control")
                channel.sendall(struct.pack("<I", len(body)) + body)
                data = b""
                while piece := channel.recv(65536):
                    data += piece
                    if len(data) >= 4 and len(data) >= 4 + struct.unpack("<I", data[:4])[0]:
                        break
        finally:
            os.close(folder)
        if not data:
            raise ConnectionError("no reply")
        values, _ = unpacked(data[4:])
        reply = dict(zip(REPLY, values[1:]))
        reply["state"] = STATES[reply["state"]]
        if reply["code"]:
            raise Refused(reply["message"])
        return reply

    def until(self, condition, seconds=60):
        """Wait until the status meets a condition."""
        deadline = time.monotonic() + seconds
        while not condition(status := self.until_served()):
            assert time.monotonic() < deadline, (status, (self.data.parent / "store.log").read_text()[-2000:])
            time.sleep(0.05)
        return status

    def record(self):
        """The content of the file of the process."""
        return json.loads((self.folder / "member.json").read_text())

    def etcdctl(self, *words):
        """Run etcdctl at the member's socket."""
        return subprocess.run(["etcdctl", "--endpoints=unix://client:0", *words], cwd=self.folder, capture_output=True, text=True, check=True,
                              timeout=60, env={**os.environ, "ETCDCTL_API": "3"}).stdout

    def pid(self):
        """The process id of the reeve-store that serves this folder, also if another process has started it; None: there is none."""
        for found in (pid for pid in os.listdir("/proc") if pid.isdigit()):
            with contextlib.suppress(OSError):
                words = pathlib.Path(f"/proc/{found}/cmdline").read_bytes().split(b"\0")
                if words[0].endswith(b"reeve-store") and str(self.data).encode() in words:
                    return int(found)
        return None

    def end(self):
        """End the reeve-store that serves this folder, and with it etcd."""
        deadline = time.monotonic() + 60
        if (pid := self.pid()) is not None:
            os.kill(pid, signal.SIGTERM)
        while self.pid() is not None:
            assert time.monotonic() < deadline, "reeve-store does not end"
            time.sleep(0.05)

    def kill(self):
        """kill -9 of reeve-store."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(20)

    def stop(self):
        """End reeve-store, and with it etcd."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            assert self.process.wait(60) == 0, (self.data.parent / "store.log").read_text()[-2000:]
