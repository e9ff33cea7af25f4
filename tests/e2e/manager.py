"""A manager of one's own for a test: started on a temporary folder and socket, ended by its number."""

import contextlib
import http.client
import json
import os
import pathlib
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))  # whoever has this has what all tests share
from pylib.consent import acts_without_consent  # noqa: E402
from pylib.consistency import differences  # noqa: E402
from pylib.ports import free_port  # noqa: E402

REEVED = pathlib.Path(os.environ.get("REEVE_BIN", ROOT / "build/reeve")).resolve().parent / "reeved"
DEADLINE_S = 240
PATIENCE = 4  # a bound is for what never comes: a machine that is busy with three suites takes its time
MERGE = "application/merge-patch+json"
SIM = {"name": "sim"}


class Connection(http.client.HTTPConnection):
    """HTTP on a unix socket."""

    def __init__(self, path, timeout=DEADLINE_S):
        super().__init__("reeve", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(self.path)  # waits for its turn, which it would not with a deadline
        self.sock.settimeout(self.timeout)


class Answer:
    """What came back."""

    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.bytes = response.read()
        self.text = self.bytes.decode(errors="replace")

    @property
    def json(self):
        """The body, read."""
        return json.loads(self.bytes)

    @property
    def code(self):
        """The error code of a problem."""
        return self.json["code"]


class Manager:
    """One reeved. Starts anew on the same folder after stop() or kill(); `within`: words before its own that become it."""

    def __init__(self, folder, *flags, program=REEVED, control=False, within=()):
        self.folder = pathlib.Path(folder)
        self.socket = str(self.folder / "s")
        self.port = free_port()
        self.flags = flags if control else (*flags, "--no-control")
        self.program = program
        self.within = within
        self.process = None
        self.log = self.folder / "log"

    def start(self, wait=True):
        """Start, and wait until it is ready. One that does not become so is ended: nobody has it to end."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*self.within, str(self.program), "--data", str(self.folder / "data"), "--socket", self.socket,
                 "--listen-plain", f"127.0.0.1:{self.port}", *self.flags],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        if wait:
            try:
                self.wait_ready()
            except BaseException:
                self.kill()
                raise
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        assert self.stop() in (0, None), self.log.read_text()

    def wait_ready(self):
        """Until /readyz says so."""
        deadline = time.monotonic() + DEADLINE_S
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.log.read_text()
            try:
                if self.get("/readyz").status == 200:
                    return
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.01)
        raise AssertionError("not ready: " + self.log.read_text())

    def end(self, number):
        """Send a signal and wait for the end; gives the exit code."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            code = self.process.wait(DEADLINE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"signal {number} did not end it: {self.log.read_text()}") from None
        self.process = None
        return code

    def written(self, kind):
        """Keys of objects of one kind in the store, read from a copy: the manager has the original for itself. Two looks that
        are the same, or the one file may be from before a checkpoint and the other from after it."""
        def look():
            found = {}
            for name in ("store.db", "store.db-wal"):
                with contextlib.suppress(FileNotFoundError):  # a manager that has ended leaves no journal
                    found[name] = (self.folder / "data" / name).read_bytes()
            return found

        found = until(lambda: (found := look()) == look() and found, self.log.read_text)
        with tempfile.TemporaryDirectory() as place:
            for name, content in found.items():
                pathlib.Path(place, name).write_bytes(content)
            with contextlib.closing(sqlite3.connect(pathlib.Path(place, "store.db"))) as database:
                rows = database.execute("SELECT CAST(key AS TEXT) FROM current WHERE dead=0 AND CAST(key AS TEXT) LIKE ?",
                                        (f"/default/{kind}/%",))
                return [key for key, in rows]

    def stop(self):
        """End it as the service manager would. No test may leave a request behind that would have written outside of its
        sender's grants (src/query/service_scope.c), nor a destructive act that nobody agreed to (pylib/consent.py); and what it says of
        each node it says by every way of asking (pylib/consistency.py)."""
        is_alive = self.process is not None and self.process.poll() is None and "--no-control" not in self.flags
        differing = differences(self) if is_alive else []
        code = self.end(signal.SIGTERM)
        assert not differing, "of one node different things are said:\n" + "\n".join(differing)
        for path in (self.folder / "data").glob("store.db*"):
            assert b"access.escaped" not in path.read_bytes(), f"a request went past the check of its rights: {self.log.read_text()}"
        found = acts_without_consent(self.folder / "data")
        assert not found, "acts without consent:\n" + "\n".join(found)
        return code

    def kill(self):
        """End it as a power cut would."""
        return self.end(signal.SIGKILL)

    def connect(self, tcp=False, timeout=DEADLINE_S, source="127.0.0.1"):
        """A connection: of this user on the unix socket, or of anybody by TCP, from an address of this machine."""
        if tcp:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout, source_address=(source, 0))
        return Connection(self.socket, timeout)

    def ask(self, method, path, body=None, token=None, connection=None, **headers):
        """One request; a body that is no text goes as JSON. Header names: _ is -."""
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
            names.setdefault("Content-Type", "application/json")
        if token is not None:
            names["Authorization"] = f"Bearer {token}"
        one = connection or self.connect(tcp=token is not None)
        try:
            one.request(method, path, body=body, headers=names)
            return Answer(one.getresponse())
        finally:
            if connection is None:
                one.close()

    def get(self, path, **more):
        """GET."""
        return self.ask("GET", path, **more)

    def post(self, path, body, **more):
        """POST of JSON."""
        return self.ask("POST", path, body, **more)

    def patch(self, path, body, **more):
        """PATCH by a merge patch."""
        more.setdefault("Content_Type", MERGE)
        return self.ask("PATCH", path, body if isinstance(body, (str, bytes)) else json.dumps(body),
                        **more)

    def apply(self, *documents, query="", **more):
        """POST /v1/apply, which must be taken."""
        answer = self.post("/v1/apply" + query, {"documents": list(documents)}, **more)
        assert answer.status == 200, answer.text
        return answer

    def raw(self, data, timeout=DEADLINE_S, tcp=False):
        """Send bytes, and read until the other side ends the connection."""
        if tcp:
            one = socket.create_connection(("127.0.0.1", self.port), timeout)
        else:
            one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            one.settimeout(timeout)
            one.connect(self.socket)
        with one:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # refused before all of it was there
                one.sendall(data)
            out = b""
            while True:
                try:
                    part = one.recv(65536)
                except ConnectionResetError:
                    break
                if not part:
                    break
                out += part
        return out


def machine_files(folder):
    """The files that are machines of the plugin `file` below a manager's folder."""
    return sorted((pathlib.Path(folder) / "data/plugins").glob("*/file/*/file-*.json"))


def machines_in(folder):
    """What these say, by path; one that goes in this moment is none."""
    found = {}
    for path in machine_files(folder):
        with contextlib.suppress(FileNotFoundError):
            machine = json.loads(path.read_text())
            tags = machine["tags"]
            found[path] = {**machine, "group": tags["reeve.group"], "slot": int(tags["reeve.logical_id"]),
                           "token": tags["reeve.token"]}
    return found


def kept_below(folder):
    """What is in the files below a folder, by path; one that goes in this moment is none."""
    found = {}
    for top, _, names in os.walk(folder):
        for path in (pathlib.Path(top, name) for name in names):
            with contextlib.suppress(FileNotFoundError):
                if path.is_file():
                    found[path] = path.read_bytes()
    return found


def reeve(manager, *words, code=0):
    """What the command line prints when it talks to that manager, which it has to end with this code."""
    done = subprocess.run([str(REEVED.parent / "reeve"), *words], capture_output=True, text=True, check=False, timeout=DEADLINE_S,
                          stdin=subprocess.DEVNULL,
                          env={**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": str(manager.folder)})
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def until(look, why=lambda: "", seconds=60):
    """Look until it is so, and give what it gave."""
    deadline = time.monotonic() + PATIENCE * seconds
    while not (found := look()):
        assert time.monotonic() < deadline, f"it did not come: {why()}"
        time.sleep(0.02)
    return found


def in_time(run):
    """What a run says whose deadline is short, of a manager that has answered before it: one that was held up (R0016) is asked again."""
    for _ in range(9):
        done = run()
        if "R0016" not in done.stderr:
            break
    return done


def cluster(name, **groups):
    """A cluster document: cluster("shop", web=3)."""
    return {"name": name, "version": "1",
            "groups": {path: {"size": size, "resourcePlugin": SIM} for path, size in groups.items()}}


class Events:
    """A watch stream, read event by event."""

    def __init__(self, manager, query="", **headers):
        self.connection = manager.connect(timeout=DEADLINE_S)
        self.connection.request("GET", "/v1/watch" + query, headers={
            name.replace("_", "-"): value for name, value in headers.items()})
        self.response = self.connection.getresponse()
        assert self.response.status == 200, self.response.read()

    def next(self):
        """The next event as (name, id or None, data); None at the end. Comments are skipped."""
        name, number, data = None, None, None
        until = time.monotonic() + DEADLINE_S
        while True:
            assert time.monotonic() < until, "no event comes"
            line = self.response.readline().decode()
            if line == "":
                return None
            line = line.rstrip("\n")
            if line == "" and name is not None:
                return name, number, json.loads(data)
            key, _, value = line.partition(": ")
            if key == "event":
                name = value
            elif key == "id":
                number = int(value) if value.isdigit() else value
            elif key == "data":
                data = value

    def close(self):
        """Go away."""
        self.connection.close()


# ---- TLS ----


def make_certificate(folder):
    """A new key and a certificate that it signed itself."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
                   check=True, capture_output=True, timeout=240)


def secure_manager(folder, more=""):
    """A manager with a TLS listener, not started, and its port."""
    port = free_port()
    make_certificate(folder)
    config = folder / "reeved.yaml"
    config.write_text(f"listen:\n  - address: 127.0.0.1:{port}\n    tls: "
                      f"{{certificate: {folder}/cert.pem, key: {folder}/key.pem}}\n{more}")
    return Manager(folder, "--config", str(config)), port


def tls_context(version=None):
    """A client that trusts anybody, at most of this version."""
    one = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    one.check_hostname = False
    one.verify_mode = ssl.CERT_NONE
    if version is not None:
        one.maximum_version = version
    return one
