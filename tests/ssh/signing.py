"""A real reeve-signer, asked as the manager does: frames of MessagePack over a socket pair."""
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "pylib"))
from hosted import pack  # noqa: E402
import msgpack  # noqa: E402

from conftest import BUILD  # noqa: E402

ASK, READY, TOLD = 1, 17, 18
METHODS = ["make", "load", "forget", "certify", "rotate", "revoke"]
PHASES = ["steady", "made", "trusted", "signs"]
USER, HOST = 1, 2


class Gone(Exception):
    """It has ended before it answered."""


class Told:
    """One answer."""

    def __init__(self, fields):
        (self.id, code, self.message, self.hint, self.sealed, phase, self.users, self.hosts,
         self.certificate, self.serial, self.before, self.krl) = fields
        self.code = code
        self.phase = PHASES[phase]
        self.is_good = code == 0


class Signer:
    """The process; what it says of itself is in `parts`."""

    def __init__(self, folder, new=True, program=BUILD / "reeve-signer"):
        self.key, self.book = folder / "signer.key", folder / "signings.log"
        self.id = 0
        ours, theirs = socket.socketpair()
        self.socket = ours
        self.socket.settimeout(60)

        def descriptors():
            os.dup2(theirs.fileno(), 3)
            os.set_inheritable(3, True)

        self.process = subprocess.Popen(
            [program, "serve-new" if new else "serve", self.key, self.book],
            preexec_fn=descriptors, close_fds=False, stderr=subprocess.PIPE, env={})
        theirs.close()
        kind, self.key_id, parts = self.receive()
        assert kind == READY
        self.parts = dict(map(tuple, parts))

    def take(self, count):
        """So many bytes."""
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise Gone(self.process.communicate(timeout=240)[1].decode())
            data += piece
        return data

    def receive(self):
        """One message."""
        try:
            return msgpack.unpackb(self.take(struct.unpack("<I", self.take(4))[0]))
        except ConnectionResetError as error:
            raise Gone from error

    def send(self, body):
        """The bytes of one message."""
        self.socket.sendall(struct.pack("<I", len(body)) + body)

    def put(self, method, authority="acme/0f3c", who="tester", sealed="", kind=USER, key="",
            name="acme/0f3c/web-1/root", principals=(), ttl=0, phase=0, version=0, serials=(),
            names=(), keys=(), is_more=0):
        """Send a question."""
        self.id += 1
        self.send(pack([ASK, self.id, METHODS.index(method), authority, who, sealed, kind, key, name,
                        list(principals), ttl, phase, version, list(serials), list(names),
                        list(keys), is_more]))

    def ask(self, method, **fields):
        """Ask and wait."""
        self.put(method, **fields)
        kind, *told = self.receive()
        assert kind == TOLD and told[0] == self.id
        return Told(told)

    def good(self, method, **fields):
        """Ask for what has to be done."""
        told = self.ask(method, **fields)
        assert told.is_good, told.message
        return told

    def refused(self, code, method, **fields):
        """Ask for what must not be; the code is the number of the CODE, by its place in codes.def."""
        told = self.ask(method, **fields)
        assert not told.is_good
        assert told.sealed == "" and told.certificate == "" and told.krl in (b"", None)
        assert told.code == code_number(code), told.message
        return told.message

    def lines(self):
        """The log of signings."""
        return self.book.read_text().splitlines()

    def stop(self):
        """Its exit code."""
        self.socket.close()
        self.process.communicate(timeout=240)
        return self.process.returncode


def code_number(name):
    """How a code travels: its place in the table."""
    text = (pathlib.Path(__file__).resolve().parents[2] / "src/base/codes.def").read_text()
    return re.findall(r"^CODE\((R\d+),", text, re.MULTILINE).index(name) + 1
