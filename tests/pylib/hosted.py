"""A plugin in a real reeve-host, with the same protocol as the manager: frames of MessagePack over a socket pair."""

import hashlib
import itertools
import json
import os
import pathlib
import socket
import struct
import subprocess
import threading

OPEN, CALL, HELLO, FAILED, PAGE, ANSWER, LOG = 1, 2, 17, 18, 19, 20, 21
METHODS = ["validate", "create", "destroy", "describe", "label", "reboot"]
RESULTS = ["ok", "invalid", "auth", "quota", "capacity", "throttled", "transient", "gone", "unknown"]
STATES = ["pending", "running", "stopping", "stopped"]
PROFILE_HOST = 1


def pack(value):
    """Formats a value as MessagePack: natural numbers, texts, lists."""
    if isinstance(value, int):
        if value < 128:
            return bytes([value])
        return b"\xcf" + struct.pack(">Q", value)
    if isinstance(value, str):
        data = value.encode()
        return b"\xdb" + struct.pack(">I", len(data)) + data
    return b"\xdd" + struct.pack(">I", len(value)) + b"".join(pack(item) for item in value)


def unpack(data, at=0):
    """Parses a value. Returns (value, end offset)."""
    kind = data[at]
    at += 1
    if kind < 0x80:
        return kind, at
    if kind >= 0xe0:
        return kind - 256, at
    if 0x90 <= kind <= 0x9f or kind in (0xdc, 0xdd):
        if kind <= 0x9f:
            count = kind & 15
        else:
            size = 2 if kind == 0xdc else 4
            count = int.from_bytes(data[at:at + size], "big")
            at += size
        items = []
        for _ in range(count):
            item, at = unpack(data, at)
            items.append(item)
        return items, at
    if 0xa0 <= kind <= 0xbf or kind in (0xd9, 0xda, 0xdb):
        if kind <= 0xbf:
            length = kind & 31
        else:
            size = {0xd9: 1, 0xda: 2, 0xdb: 4}[kind]
            length = int.from_bytes(data[at:at + size], "big")
            at += size
        return data[at:at + length].decode(), at + length
    sizes = {0xcc: 1, 0xcd: 2, 0xce: 4, 0xcf: 8, 0xd0: 1, 0xd1: 2, 0xd2: 4, 0xd3: 8}
    assert kind in sizes, f"MessagePack {kind:#x}"
    size = sizes[kind]
    return int.from_bytes(data[at:at + size], "big", signed=kind >= 0xd0), at + size


class Gone(Exception):
    """The host ended before it answered."""


class Answer:
    """The result of a call."""

    def __init__(self, fields, rows):
        self.result = RESULTS[fields[1]]
        self.retry_ms, self.is_incomplete = fields[2], bool(fields[3])
        self.id = fields[5]
        self.faults = [(pointer, text) for pointer, text in fields[7]]
        self.rows = rows

    def __repr__(self):
        return f"<{self.result} {self.id} {self.faults}>"


class Row:
    """A machine as it is listed."""

    def __init__(self, fields):
        self.id, self.state, self.address, self.zone = (fields[0], STATES[fields[1]], fields[2],
                                                        fields[3])
        self.properties = json.loads(fields[4]) if fields[4] else {}
        self.tags = dict(fields[5])


class Host:
    """One reeve-host with one plugin. Calls may come from several threads. `within`: a command line prefix that runs it."""

    def __init__(self, binary, plugin, folder, settings=None, within=()):
        ours, theirs = socket.socketpair()
        self.socket, self.folder = ours, pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen(
            [*within, str(binary), "serve"], close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            preexec_fn=lambda: (os.dup2(theirs.fileno(), 3), os.set_inheritable(3, True),
                                os.closerange(4, 256)))
        theirs.close()
        self.lock, self.numbers = threading.Lock(), itertools.count(1)
        self.waiting, self.logs = {}, []
        self.is_gone = False
        digest = hashlib.sha256(pathlib.Path(plugin).read_bytes()).hexdigest()
        self._send([OPEN, str(plugin), digest, "", str(folder), json.dumps(settings or {}),
                    PROFILE_HOST, 32, 0])
        self.hello = threading.Event()
        self.failed = None
        threading.Thread(target=self._read, daemon=True).start()
        assert self.hello.wait(60), "no word from the host"

    def _send(self, message):
        body = pack(message)
        with self.lock if hasattr(self, "lock") else threading.Lock():
            self.socket.sendall(struct.pack("<I", len(body)) + body)

    def _receive(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise Gone()
            data += part
        return data

    def _read(self):
        rows = {}
        try:
            while True:
                length = struct.unpack("<I", self._receive(4))[0]
                kind, *fields = unpack(self._receive(length))[0]
                if kind == LOG:
                    self.logs.append(fields[1])
                elif kind == PAGE:
                    rows.setdefault(fields[0], []).extend(Row(row) for row in fields[1])
                elif kind == ANSWER:
                    event, box = self.waiting.pop(fields[0])
                    box.append(Answer(fields, rows.pop(fields[0], [])))
                    event.set()
                else:
                    self.failed = fields[0] if kind == FAILED else None
                    self.hello.set()
        except (Gone, OSError):
            self.is_gone = True
            self.hello.set()
            for event, _ in list(self.waiting.values()):
                event.set()

    def call(self, method, deadline_s=60, **given):
        """Makes a call. Raises Gone if the host ends before its answer."""
        number = next(self.numbers)
        event, box = threading.Event(), []
        self.waiting[number] = (event, box)
        names = ["cluster", "machine", "token", "name", "zone", "labels", "properties", "init", "keys",
                 "reason", "known", "secret"]
        assert set(given) <= {*names, "tags", "ids"}, given
        values = [given.get(name, "") for name in names]
        try:
            self._send([CALL, number, METHODS.index(method), int(deadline_s * 1000), *values,
                        [list(tag) for tag in given.get("tags", {}).items()], given.get("ids", [])])
        except OSError as error:
            raise Gone() from error
        if self.is_gone or not event.wait(deadline_s + 30) or not box:
            raise Gone()
        return box[0]

    def kill(self):
        """Kills the host with SIGKILL."""
        self.process.kill()
        self.process.wait()
        self.socket.close()

    def close(self):
        """Closes the host as the manager does."""
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.socket.close()
