"""A real etcd on the loopback interface, with separate certificates, in a folder of the caller."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

from .ports import free_port

READY_SECONDS = 30
OPTIONS = ["--max-txn-ops=1024", "--max-request-bytes=41943040",
           "--quota-backend-bytes=4294967296"]


class Missing(Exception):
    """etcd or openssl is not installed here."""


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=240)


def make_ca(folder, name="ca"):
    """Makes NAME.pem and NAME.key, valid for a day."""
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "1", "-subj", f"/CN=reeve test {name}", "-keyout", folder / f"{name}.key",
            "-out", folder / f"{name}.pem")


def make_certificate(folder, name, ca="ca"):
    """Makes NAME.pem and NAME.key for loopback addresses, issued by a CA."""
    names = folder / f"{name}.ext"
    names.write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n"
                     "extendedKeyUsage=serverAuth,clientAuth\n")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
            f"/CN={name}", "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.csr")
    openssl("x509", "-req", "-days", "1", "-in", folder / f"{name}.csr", "-CA",
            folder / f"{ca}.pem", "-CAkey", folder / f"{ca}.key", "-CAcreateserial", "-extfile",
            names, "-out", folder / f"{name}.pem")


class Etcd:
    """One member. start() waits until it answers; stop() and kill() end it by its process id."""

    def __init__(self, folder, options=()):
        for tool in ("etcd", "openssl"):
            if shutil.which(tool) is None:
                raise Missing(f"{tool} is not installed: tools/install-packages test")
        self.folder = pathlib.Path(folder)
        self.options = [*OPTIONS, *options]
        self.process = None
        make_ca(self.folder)
        for name in ("server", "client"):
            make_certificate(self.folder, name)
        self.port, self.peer_port, self.metrics_port = (free_port() for _ in range(3))

    @property
    def endpoint(self):
        return f"https://127.0.0.1:{self.port}"

    def environment(self):
        """Returns the environment variables for the C programs of the tests."""
        return {"ETCD_ENDPOINT": self.endpoint, "ETCD_CA": str(self.folder / "ca.pem"),
                "ETCD_CERT": str(self.folder / "client.pem"),
                "ETCD_KEY": str(self.folder / "client.key")}

    def command(self):
        peer = f"http://127.0.0.1:{self.peer_port}"
        return ["etcd", "--name=one", f"--data-dir={self.folder / 'data'}",
                f"--listen-client-urls={self.endpoint}",
                f"--advertise-client-urls={self.endpoint}",
                f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
                f"--initial-cluster=one={peer}",
                f"--listen-metrics-urls=http://127.0.0.1:{self.metrics_port}",
                f"--cert-file={self.folder / 'server.pem'}",
                f"--key-file={self.folder / 'server.key'}", "--client-cert-auth",
                f"--trusted-ca-file={self.folder / 'ca.pem'}", "--logger=zap",
                "--log-outputs=stderr", *self.options]

    def start(self):
        with open(self.folder / "etcd.log", "ab") as log:
            self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log)
        until = time.monotonic() + READY_SECONDS
        while not self.is_healthy():
            if self.process.poll() is not None or time.monotonic() > until:
                self.kill()
                raise RuntimeError("etcd does not serve: " + self.log_end())
            time.sleep(0.01)

    def is_healthy(self):
        """Returns whether it answers /health."""
        try:
            with socket.create_connection(("127.0.0.1", self.metrics_port), 1) as client:
                client.sendall(b"GET /health HTTP/1.0\r\n\r\n")
                answer = b""
                while part := client.recv(4096):
                    answer += part
                return b'"true"' in answer
        except OSError:
            return False

    def log_end(self):
        return (self.folder / "etcd.log").read_text(errors="replace")[-2000:]

    def signal(self, number):
        os.kill(self.process.pid, number)

    def stop(self, seconds=60):
        """Ends it with SIGTERM, or with SIGKILL if that takes too long."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            pass
        self.kill()

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.send_signal(signal.SIGCONT)
            self.process.wait()
            self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()
