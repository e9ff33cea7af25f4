"""The HTTP server of all fakes: it reads requests, injects faults, records calls, and serves the truth port."""

import base64
import email.utils
import functools
import gzip
import http.server
import io
import json
import select
import socket
import socketserver
import ssl
import threading
import time
import traceback
import urllib.parse

from faults import BadFault

HTML = b"<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>\r\n"
BODY_MAX = 64 << 20
DRIP_BYTES = 200


class Request:
    """One request. `query` is a list of (name, value)."""

    def __init__(self, method, target, headers, body):
        self.method, self.target, self.headers, self.body = method, target, headers, body
        self.path, _, self.query_text = target.partition("?")
        self.query = urllib.parse.parse_qsl(self.query_text, keep_blank_values=True)
        self.call, self.status, self.problem = None, None, None

    def json(self):
        """The body as JSON; an empty one is None."""
        return json.loads(self.body) if self.body else None


class Answer(Exception):
    """One answer. It is also an exception, so that a check deep down can end its request with it."""

    def __init__(self, status, body=b"", content_type="application/json", headers=None):
        super().__init__(status)
        self.status = status
        if isinstance(body, str):
            body = body.encode()
        elif not isinstance(body, bytes):
            body = json.dumps(body).encode()
        self.body, self.content_type, self.headers = body, content_type, dict(headers or {})


class Cut(Exception):
    """The connection ends without a (whole) answer."""


class Service:
    """What a fake provides. Each of them derives from this class."""

    name = "?"

    def __init__(self, world):
        self.world = world

    def name_call(self, request):
        """The name of the call in a request, for counts and faults."""
        raise NotImplementedError

    def is_change(self, call):
        """Does a call change something?"""
        raise NotImplementedError

    def region_of(self, _request):
        """The region or scope that a request is for, for the fault `dead_region`."""
        return None

    def is_dead_place(self, place):
        """Is a region or scope in the fault `dead_region`?"""
        return place in self.world.faults.dead_region

    def faults_changed(self):
        """POST /faults was received."""

    def on_start(self, port, is_tls):
        """The ports are bound."""

    def announce(self):
        """What the first line of output has besides the ports."""
        return {}

    def truth_set(self, machine, values):
        """POST /machine: set members of a machine."""
        raise NotImplementedError

    def handle(self, request):
        """Answer a request; the lock of the world is held."""
        raise NotImplementedError

    def throttled(self, request, retry_after_s):
        """The provider's answer to too many calls."""
        raise NotImplementedError

    def failure(self, request):
        """The provider's own 5xx."""
        raise NotImplementedError

    def error(self, request, status, code, message, headers=None):
        """An error of the provider's form."""
        raise NotImplementedError

    def common_headers(self, _request):
        """Headers of each answer."""
        return {}

    def truth_end(self, machine, reason):
        """A machine ends behind reeve's back: spot, host, user, stop."""
        raise NotImplementedError


class Harness:
    """Binds a service to its two ports."""

    def __init__(self, service, world, record=None, tls=None):
        self.service, self.world = service, world
        self.record = open(record, "a", encoding="utf-8") if record else None
        self.record_lock = threading.Lock()
        self.server = make_server(self.serve, tls)
        self.truth = make_server(self.serve_truth, None)

    def start(self):
        """Serve in threads. Returns the two ports."""
        for server in (self.server, self.truth):
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.5}, daemon=True).start()
        return self.server.server_address[1], self.truth.server_address[1]

    def serve(self, request, connection):
        """Answer one request of the provider's port, or fail it as the faults say."""
        request.call = self.service.name_call(request)
        try:
            answer, fault = self._answer(request)
        except Cut:
            self._note(request, None)
            raise
        request.status = answer.status
        self._note(request, answer)
        self._send(request, connection, answer, fault)

    def _answer(self, request):
        world, service = self.world, self.service
        with world.lock:
            world.run_due()
            region = service.region_of(request)
            is_dead = region is not None and service.is_dead_place(region)
            dead_s = world.faults.dead_ms / 1000
            fault, entry = world.faults.pick(request.call, service.is_change(request.call))
            world.calls[request.call] += 1
        if is_dead:
            time.sleep(dead_s)
            raise Cut
        with world.lock:
            if fault == "error":
                if entry.get("effect"):
                    self._handle(request)
                return service.error(request, entry.get("status", 400), entry.get("code", "Injected"), entry.get("message", "injected"),
                                     entry.get("headers")), None
            if fault == "throttle":
                return service.throttled(request, world.faults.retry_after_s), None
            if fault == "error_5xx":
                return service.failure(request), None
            if fault == "html":
                return Answer(502, HTML, "text/html"), None
            if fault == "lose_before":
                raise Cut
            if fault == "late":
                late_ms = (entry or {}).get("late_ms")
                late_ms = world.faults.random.random() * world.faults.late_ms if late_ms is None else late_ms
                world.after(late_ms / 1000, lambda: self._handle(request))
                raise Cut
            answer = self._handle(request)
            if fault == "lose_after":
                raise Cut
            if fault == "error_5xx_with_effect":
                return service.failure(request), None
            return answer, fault

    def _handle(self, request):
        """The answer of the service. A bug of the fake is a 500 that the fixture finds in `unknown`."""
        try:
            return self.service.handle(request)
        except Answer as answer:
            return answer
        except Exception:  # noqa: B902 (a defect of the fake itself must not look like one of the provider)
            problem = traceback.format_exc()
            request.problem = problem
            self.world.unknown.append({"call": request.call, "problem": problem})
            return self.service.failure(request)
        finally:
            self.world.changed.notify_all()

    def _note(self, request, answer):
        """Write a line of the record."""
        if self.record is None:
            return
        line = {"at": time.time(), "call": request.call, "method": request.method, "target": request.target,
                "headers": request.headers, "body": base64.b64encode(request.body).decode(),
                "status": answer.status if answer else None, "problem": request.problem}
        with self.record_lock:
            self.record.write(json.dumps(line) + "\n")
            self.record.flush()

    def _send(self, request, connection, answer, fault):
        faults = self.world.faults
        headers = {"Date": email.utils.formatdate(time.time() + faults.clock_skew_s, usegmt=True),
                   "Content-Type": answer.content_type} | self.service.common_headers(request) | answer.headers
        body = answer.body
        accepts_gzip = "gzip" in request.headers.get("accept-encoding", "")
        if fault == "gzip_bomb" and accepts_gzip:
            body = bomb(faults.bomb_bytes)
            headers["Content-Encoding"] = "gzip"
        elif faults.gzip and accepts_gzip and body:
            body = gzip.compress(body, 1)
            headers["Content-Encoding"] = "gzip"
        raw = connection.head(answer.status, headers, body) + (b"" if request.method == "HEAD" else body)
        if fault == "cut":
            connection.send(raw[:min(faults.cut_at, len(raw) - 1)])
            raise Cut
        if fault == "slow_drip":
            for i in range(min(DRIP_BYTES, len(raw))):
                connection.send(raw[i:i + 1])
                time.sleep(faults.drip_ms / 1000)
            raw = raw[DRIP_BYTES:]
        connection.send(raw)

    def serve_truth(self, request, connection):
        """Answer a request of the truth port."""
        try:
            with self.world.lock:
                status, body = self._truth(request)
        except (BadFault, KeyError, TypeError, ValueError) as problem:
            status, body = 400, {"error": f"{type(problem).__name__}: {problem}"}
        raw = json.dumps(body).encode()
        connection.send(connection.head(status, {"Content-Type": "application/json"}, raw) + raw)

    def _truth(self, request):
        world = self.world
        world.run_due()
        if (request.method, request.path) == ("GET", "/state"):
            return 200, {**world.state(), "connections": self.server.connections}
        if (request.method, request.path) == ("GET", "/faults"):
            return 200, world.faults.values
        if request.method != "POST":
            return 404, {"error": "there are GET /state, GET /faults, POST /faults, POST /end, POST /machine, POST /due, POST /reset"}
        values = request.json() or {}
        if request.path == "/due":
            world.run_due(is_all=True)
            return 200, {}
        if request.path == "/faults":
            world.faults.set(values)
            self.service.faults_changed()
            return 200, {}
        if request.path == "/reset":
            world.duplicates.clear()
            world.failed.clear()
            world.unknown.clear()
            world.calls.clear()
            self.server.reset_connections()
            world.most_alive = world.alive_in()
            return 200, {}
        machine = world.machines[find_machine(world, values.pop("id"))]
        if request.path == "/end":
            self.service.truth_end(machine, values.get("reason", "host"))
        elif request.path == "/machine":
            self.service.truth_set(machine, values)
        else:
            return 404, {"error": f"there is no {request.path}"}
        machine.commit(world) if not machine.is_forgotten(world.now()) else None
        return 200, machine.truth()


def find_machine(world, id):
    """The key of a machine by its id, as the provider or as reeve writes it (REGION/ID), or by its name or token."""
    for key, machine in world.machines.items():
        if str(id) in (str(key), str(machine.id), str(machine.name), str(machine.token)) or str(id).endswith(f"/{key}"):
            return key
    raise KeyError(id)


@functools.lru_cache(maxsize=4)
def bomb(size):
    """A gzip body that grows to that size."""
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=9) as packed:
        block = b"\0" * (1 << 20)
        for _ in range(size >> 20):
            packed.write(block)
    return out.getvalue()


class Connection(http.server.BaseHTTPRequestHandler):
    """Reads requests. Head and body of an answer leave in one write: two would wait for a delayed acknowledgement."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 120

    def log_message(self, *_):
        """Nothing is written to stderr for each request."""

    def head(self, status, headers, body):
        """The head of an answer."""
        reason = self.responses.get(status, ("Status",))[0]
        lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in headers.items())]
        if status != 204:
            lines.append(f"Content-Length: {len(body)}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")

    def send(self, raw):
        """Write at once."""
        self.wfile.write(raw)
        self.wfile.flush()

    def answer_request(self):
        """Read the body and let the harness answer."""
        length = int(self.headers.get("Content-Length") or 0)
        if length > BODY_MAX:
            self.close_connection = True
            return
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            body = self.read_chunked()
        elif len(body := self.rfile.read(length)) < length:
            # The client ended amid its request, which a provider never carries out.
            self.close_connection = True
            return
        headers = {}
        for name, value in self.headers.items():
            name = name.lower()
            headers[name] = f"{headers[name]},{value}" if name in headers else value
        try:
            self.server.serve_request(Request(self.command, self.path, headers, body), self)
        except (Cut, OSError):
            self.close_connection = True
            cut(self.connection)

    def read_chunked(self):
        """A body in chunks."""
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return body

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = answer_request


def cut(connection):
    """End a connection at once."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """One thread a connection."""

    daemon_threads = True
    request_queue_size = 512
    tls = None

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.count_lock = threading.Lock()
        self.open = set()  # descriptors of connections
        self.connections = {"most": 0, "made": 0}

    def count_open(self):
        """The number of connections that their clients have not ended; called with the lock."""
        watch = select.poll()
        for descriptor in self.open:
            watch.register(descriptor, select.POLLRDHUP)
        return len(self.open) - len(watch.poll(0))

    def reset_connections(self):
        """Count from now on."""
        with self.count_lock:
            self.connections = {"most": self.count_open(), "made": 0}

    def process_request(self, request, client_address):
        """Counted before its thread starts, so that a client that was answered is counted."""
        with self.count_lock:
            self.open.add(request.fileno())
            self.connections["made"] += 1
            self.connections["most"] = max(self.connections["most"], self.count_open())
        super().process_request(request, client_address)

    def shutdown_request(self, request):
        """The connection has ended."""
        with self.count_lock:
            self.open.discard(request.fileno())
        super().shutdown_request(request)

    def server_bind(self):
        """Without the name lookup of HTTPServer."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]

    def finish_request(self, request, client_address):
        """The TLS handshake is made in the thread of the connection."""
        if self.tls is not None:
            try:
                request.settimeout(30)
                request = self.tls.wrap_socket(request, server_side=True)
            except OSError:
                return
        super().finish_request(request, client_address)

    def handle_error(self, request, client_address):
        """A client that goes away is no error."""


def make_server(serve_request, tls):
    """A server on loopback, on a port of the system's choice. tls: (certificate, key)."""
    server = Server(("127.0.0.1", 0), Connection)
    server.serve_request = serve_request
    if tls:
        server.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.tls.load_cert_chain(*tls)
    return server
