"""An https server on the loopback interface, with test certificates, that serves plugins correctly or incorrectly; and
runs of reeve-fetch with the same order as from its manager."""

import http.server
import json
import os
import pathlib
import ssl
import subprocess
import threading

DEADLINE_S = 400
MIB = 1024 * 1024


def openssl(*arguments):
    """Runs openssl. Its output is shown if it fails."""
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr


class Authority:
    """A CA that signs certificates of servers."""

    def __init__(self, folder, name="authority"):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.key, self.file = self.folder / f"{name}.key", self.folder / f"{name}.pem"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", f"/CN={name}", "-keyout", self.key, "-out", self.file)

    def sign(self, name, subjects="DNS:localhost,IP:127.0.0.1", days=1):
        """Makes a certificate and its key, in one file. With negative `days`, it has expired."""
        key, request, extra = (self.folder / f"{name}.{end}" for end in ("key", "csr", "ext"))
        whole = self.folder / f"{name}.pem"
        extra.write_text(f"subjectAltName={subjects}\n")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
                "-keyout", key, "-out", request)
        when = ["-days", str(days)] if days > 0 else ["-not_before", "20200101000000Z", "-not_after", "20200102000000Z"]
        try:
            openssl("x509", "-req", "-in", request, "-CA", self.file, "-CAkey", self.key, "-CAcreateserial", "-extfile", extra,
                    *when, "-out", whole)
        except AssertionError:  # an openssl without -not_before: `openssl ca` can set the date
            self._sign_past(request, extra, whole)
        whole.write_text(whole.read_text() + key.read_text())
        return whole

    def _sign_past(self, request, extra, out):
        ledger, serial, config = (self.folder / name for name in ("ledger", "number", "ca.conf"))
        ledger.write_text("")
        serial.write_text("01\n")
        config.write_text(f"[ca]\ndefault_ca=one\n[one]\ndatabase={ledger}\nserial={serial}\nnew_certs_dir={self.folder}\n"
                          f"default_md=sha256\npolicy=any\n[any]\ncommonName=supplied\n")
        openssl("ca", "-batch", "-config", config, "-in", request, "-cert", self.file, "-keyfile", self.key, "-extfile", extra,
                "-startdate", "20200101000000Z", "-enddate", "20200102000000Z", "-notext", "-out", out)


class Server:
    """Serves paths: each is bytes, or a function that receives the request and answers it in any way. Ends with `with`."""

    def __init__(self, certificate=None, host="127.0.0.1"):
        server = self
        self.paths, self.asked, self.headers = {}, [], []
        self.over = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                server.asked.append(self.path)
                server.headers.append(dict(self.headers))
                found = server.paths.get(self.path)
                try:
                    if callable(found):
                        found(self)
                    elif found is None:
                        server.answer(self, b"<html>no such page</html>", 404)
                    else:
                        server.answer(self, found)
                except OSError:
                    self.close_connection = True

            def log_message(self, *_):
                pass

        class Quiet(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Quiet((host, 0), Handler)
        self.port = self.server.server_port
        self.scheme = "http"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
            self.scheme = "https"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def url(self, path, host="localhost"):
        """Returns the URL of a path."""
        return f"{self.scheme}://{host}:{self.port}{path}"

    @staticmethod
    def answer(request, body, status=200, length=None, **headers):
        """Formats an answer; `length` may be wrong."""
        request.send_response(status)
        request.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(body)
        if length is not None:
            request.close_connection = True

    def redirect(self, path, target, status=302):
        """Redirects requests for a path."""
        self.paths[path] = lambda request: self.answer(request, b"", status, Location=target)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()


def fetch(program, out, url, allow=("127.0.0.0/8",), authority=None, environment=None, **order):
    """Returns the answer of reeve-fetch to an order; the fetched bytes are in `out`. The time limit is long enough for
    a busy computer."""
    order = {"allow": list(allow), "also": "", "ca": authority is not None, "deadline": 100000, "file": False, "sha256": "",
             "slow": 100000, "url": url, **order}
    target = os.open(out, os.O_CREAT | os.O_RDWR | os.O_TRUNC, 0o600)
    trusted = os.open(authority or os.devnull, os.O_RDONLY)

    def place():
        os.dup2(target, 60)
        os.dup2(trusted, 61)
        os.dup2(60, 3)
        os.dup2(61, 4)
        os.set_inheritable(3, True)
        os.set_inheritable(4, True)
        os.closerange(5, 256)

    try:
        done = subprocess.run([str(program), "serve"], input=json.dumps(order), capture_output=True, text=True,
                              timeout=DEADLINE_S, close_fds=False, preexec_fn=place, env=environment or {}, check=False)
    finally:
        os.close(target)
        os.close(trusted)
    assert done.stdout, f"no answer: {done.returncode} {done.stderr}"
    return json.loads(done.stdout)
