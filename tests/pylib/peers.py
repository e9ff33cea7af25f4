"""Links between managers: their addresses, and certificates made by openssl in place of the managers' authority."""

import json
import pathlib
import selectors
import socket
import ssl
import threading

from .etcd import make_ca, openssl
from .managers import Managers, until
from .ports import free_port


def make_peer(folder, name, identity, ca="ca", days=1, uses="clientAuth,serverAuth", issuer=None):
    """Makes NAME.pem and NAME.key in a folder: a certificate with the common name `identity`. It is issued by a CA or
    by `issuer`; if there is none, it is self-signed."""
    extensions = folder / f"{name}.ext"
    extensions.write_text(f"extendedKeyUsage={uses}\nsubjectAltName=DNS:{identity},IP:127.0.0.1\n")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={identity}", "-keyout", folder / f"{name}.key")
    if issuer == "itself":
        openssl("req", "-x509", *key, "-days", "1", "-addext", f"extendedKeyUsage={uses}", "-out", folder / f"{name}.pem")
        return
    openssl("req", *key, "-out", folder / f"{name}.csr")
    openssl("x509", "-req", "-days", str(days), "-in", folder / f"{name}.csr", "-CA", folder / f"{ca}.pem", "-CAkey", folder / f"{ca}.key",
            "-CAcreateserial", "-extfile", extensions, "-out", folder / f"{name}.pem")


class Way:
    """A proxy in front of a port: it forwards bytes, holds them (`hold`), or ends each connection after a number of
    bytes of the port's answers (`cut`)."""

    def __init__(self, to):
        self.to, self.hold, self.cut = to, False, None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.is_open = True
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def close(self):
        """Closes the proxy."""
        self.is_open = False
        self.thread.join(60)

    def accept(self, watched):
        """Accepts one more connection, and connects to the port."""
        near, _ = self.listener.accept()
        try:
            far = socket.create_connection(("127.0.0.1", self.to), 5)
        except OSError:
            near.close()
            return
        counts = {"answered": 0}
        watched.register(near, selectors.EVENT_READ, (far, near, counts, False))
        watched.register(far, selectors.EVENT_READ, (near, far, counts, True))

    def move(self, watched, key):
        """Moves bytes from one end to the other."""
        to, source, counts, is_answer = key.data
        try:
            part = source.recv(65536)
            if is_answer:
                counts["answered"] += len(part)
                if self.cut is not None and counts["answered"] > self.cut:
                    part = b""
            if part:
                to.settimeout(30)
                to.sendall(part)
        except OSError:
            part = b""
        if not part:
            for one in (to, source):
                watched.unregister(one)
                one.close()

    def run(self):
        """Runs until the proxy is closed."""
        with selectors.DefaultSelector() as watched, self.listener:
            watched.register(self.listener, selectors.EVENT_READ)
            while self.is_open:
                for key, _ in watched.select(0.05):
                    if key.fileobj.fileno() < 0 or (self.hold and key.data is not None):
                        continue
                    if key.data is None:
                        self.accept(watched)
                    else:
                        self.move(watched, key)
                if self.hold:
                    threading.Event().wait(0.05)


class Linked(Managers):
    """Managers with links. The authority is in the folder `authority`, and `ways` are the proxies to the ports of their
    links."""

    def __init__(self, folder, etcd, count=3, more="", **rest):
        self.authority = pathlib.Path(folder) / "authority"
        self.authority.mkdir()
        make_ca(self.authority)
        self.ports = [free_port() for _ in range(count)]
        self.ways = [Way(port) for port in self.ports]
        super().__init__(folder, etcd, count=count, more=more, **rest)

    def make(self, number, prefix, more, flags):
        """Makes a manager without starting it, with the address of its link."""
        link = f"peer: {{address: '127.0.0.1:{self.ways[number].port}', listen: '127.0.0.1:{self.ports[number]}'}}\n"
        one = super().make(number, prefix, more + link, flags)
        (one.folder / "data/peer").mkdir(parents=True, mode=0o700)
        (one.folder / "data/peer/external").touch()  # the certificates come from this class
        return one

    def __exit__(self, *exception):
        try:
            super().__exit__(*exception)
        finally:
            for way in self.ways:
                way.close()

    def way(self, manager):
        """Returns the proxy of a manager."""
        return self.ways[self.all.index(manager)]

    def start(self):
        """Starts all managers, and gives each its certificate as soon as it has an id."""
        super().start()
        for number in range(len(self.all)):
            self.certify(number)
        self.wait_linked()
        return self

    def wait_linked(self):
        """Waits until every manager reaches all others."""
        until(lambda: all(self.links(manager) == ["reachable"] * (len(self.all) - 1) for manager in self.all), self.said)

    def identity(self, number):
        """Returns the id of a manager."""
        return (self.all[number].folder / "data/manager.id").read_text().strip()

    def certify(self, number, **more):
        """Gives a manager a certificate."""
        folder = self.all[number].folder / "data/peer"
        folder.mkdir(exist_ok=True)
        make_peer(self.authority, f"m{number}", self.identity(number), **more)
        for name, content in (("ca.pem", "ca.pem"), ("key.pem", f"m{number}.key"), ("certificate.pem", f"m{number}.pem")):
            part = folder / (name + ".part")
            part.write_bytes((self.authority / content).read_bytes())
            part.chmod(0o600)
            part.rename(folder / name)

    def share_signer(self):
        """Gives all managers the signer key that one of them has made, as docs/reference/reeved.md requires."""
        made = until(lambda: [manager.folder / "data.signer.key" for manager in self.all if (manager.folder / "data.signer.key").exists()], self.said)
        for manager in self.all:
            key = manager.folder / "data.signer.key"
            if key != made[0]:
                key.unlink(missing_ok=True)
                key.write_bytes(made[0].read_bytes())
                key.chmod(0o400)

    def links(self, manager):
        """Returns the states of a manager's links to the other live managers."""
        rows = manager.get("/v1/managers").json["items"]
        return [row.get("link", {}).get("state") for row in rows if not row["here"] and row["state"] != "ended"]

    def holder(self, name):
        """Returns the manager that holds a cluster, and the other managers."""
        rows = until(lambda: [row for row in self.all[0].get(f"/v1/managers?cluster={name}").json["clusters"] if row.get("manager")], self.said)
        have = [manager for manager in self.all if manager.folder.name == rows[0]["manager"]]
        return have[0], [manager for manager in self.all if manager is not have[0]]

    def tls(self, number, name=None):
        """Opens a connection to the peer port of a manager, with a certificate from the authority's folder, or with none."""
        context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=str(self.authority / "ca.pem"))
        context.check_hostname = False
        if name is not None:
            context.load_cert_chain(self.authority / f"{name}.pem", self.authority / f"{name}.key")
        return context.wrap_socket(socket.create_connection(("127.0.0.1", self.ports[number]), 60))

    def asked(self, number, name, path, **headers):
        """Returns the status and the body of the answer to a request to the peer port; (0, "") if the connection is closed."""
        lines = [f"GET {path} HTTP/1.1", "Host: x", "Connection: close", *(f"{key.replace('_', '-')}: {value}" for key, value in headers.items())]
        try:
            with self.tls(number, name) as one:
                one.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
                answer = b""
                while part := one.recv(65536):
                    answer += part
        except (ConnectionError, ssl.SSLError):
            return 0, ""
        return (int(answer.split(b" ", 2)[1]), answer.partition(b"\r\n\r\n")[2].decode()) if answer else (0, "")


def rows(answer):
    """Returns the parsed lines of a stream."""
    return [json.loads(line) for line in answer.text.splitlines()]
