"""Links between managers: their addresses, and certificates that openssl makes in place of the managers' authority."""

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
    """NAME.pem and NAME.key in a folder: a certificate whose common name is `identity`. `issuer` None: a CA issues it; otherwise it signs itself."""
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
    """The way to a port: it passes bytes on, keeps them (`hold`), or ends each connection after so many bytes of the port's answers (`cut`)."""

    def __init__(self, to):
        self.to, self.hold, self.cut = to, False, None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.is_open = True
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def close(self):
        """No more of it."""
        self.is_open = False
        self.thread.join(60)

    def accept(self, watched):
        """One more connection, both of its ends."""
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
        """Bytes of one end to the other one."""
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
        """Until it is closed."""
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
    """Managers with links. The authority is in the folder `authority`, and `ways` lead to the ports of their links."""

    def __init__(self, folder, etcd, count=3, more="", **rest):
        self.authority = pathlib.Path(folder) / "authority"
        self.authority.mkdir()
        make_ca(self.authority)
        self.ports = [free_port() for _ in range(count)]
        self.ways = [Way(port) for port in self.ports]
        super().__init__(folder, etcd, count=count, more=more, **rest)

    def make(self, number, prefix, more, flags):
        """A manager that is not started, with the address of its link."""
        link = f"peer: {{address: '127.0.0.1:{self.ways[number].port}', listen: '127.0.0.1:{self.ports[number]}'}}\n"
        one = super().make(number, prefix, more + link, flags)
        (one.folder / "data/peer").mkdir(parents=True, mode=0o700)
        (one.folder / "data/peer/external").touch()  # the certificates are this class's own
        return one

    def __exit__(self, *exception):
        try:
            super().__exit__(*exception)
        finally:
            for way in self.ways:
                way.close()

    def way(self, manager):
        """The way to a manager."""
        return self.ways[self.all.index(manager)]

    def start(self):
        """Start all of them, and give each its certificate, as soon as it has an id."""
        super().start()
        for number in range(len(self.all)):
            self.certify(number)
        self.wait_linked()
        return self

    def wait_linked(self):
        """Until every manager reaches every other one."""
        until(lambda: all(self.links(manager) == ["reachable"] * (len(self.all) - 1) for manager in self.all), self.said)

    def identity(self, number):
        """The id of a manager."""
        return (self.all[number].folder / "data/manager.id").read_text().strip()

    def certify(self, number, **more):
        """Give a manager a certificate."""
        folder = self.all[number].folder / "data/peer"
        folder.mkdir(exist_ok=True)
        make_peer(self.authority, f"m{number}", self.identity(number), **more)
        for name, content in (("ca.pem", "ca.pem"), ("key.pem", f"m{number}.key"), ("certificate.pem", f"m{number}.pem")):
            part = folder / (name + ".part")
            part.write_bytes((self.authority / content).read_bytes())
            part.chmod(0o600)
            part.rename(folder / name)

    def share_signer(self):
        """Every manager gets the key of the signer that one of them has made, as docs/reference/reeved.md wants it."""
        made = until(lambda: [manager.folder / "data.signer.key" for manager in self.all if (manager.folder / "data.signer.key").exists()], self.said)
        for manager in self.all:
            key = manager.folder / "data.signer.key"
            if key != made[0]:
                key.unlink(missing_ok=True)
                key.write_bytes(made[0].read_bytes())
                key.chmod(0o400)

    def links(self, manager):
        """The states of the links of a manager to the others that live."""
        rows = manager.get("/v1/managers").json["items"]
        return [row.get("link", {}).get("state") for row in rows if not row["here"] and row["state"] != "ended"]

    def holder(self, name):
        """The manager that has a cluster, and the others."""
        rows = until(lambda: [row for row in self.all[0].get(f"/v1/managers?cluster={name}").json["clusters"] if row.get("manager")], self.said)
        have = [manager for manager in self.all if manager.folder.name == rows[0]["manager"]]
        return have[0], [manager for manager in self.all if manager is not have[0]]

    def tls(self, number, name=None):
        """A connection to the port of peers of a manager, with a certificate of the folder of the authority, or with none."""
        context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=str(self.authority / "ca.pem"))
        context.check_hostname = False
        if name is not None:
            context.load_cert_chain(self.authority / f"{name}.pem", self.authority / f"{name}.key")
        return context.wrap_socket(socket.create_connection(("127.0.0.1", self.ports[number]), 60))

    def asked(self, number, name, path, **headers):
        """The status and the body of a request to the port of peers; (0, "") where the connection is closed."""
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
    """The lines of a stream."""
    return [json.loads(line) for line in answer.text.splitlines()]
