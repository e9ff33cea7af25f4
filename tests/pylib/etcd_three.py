"""Three members of one etcd on the loopback interface, each of which can be killed, stopped and restarted."""

import json
import signal
import subprocess
import time

from .etcd import OPTIONS, Etcd, make_ca, make_certificate
from .ports import free_port

READY_SECONDS = 60


class Member(Etcd):
    """One of three members. All members share the certificates."""

    def __init__(self, cluster, name):
        self.cluster, self.name = cluster, name
        self.folder = cluster.folder / name
        self.folder.mkdir()
        self.options = [*OPTIONS, *cluster.options]
        self.process = None
        self.port, self.peer_port, self.metrics_port = (free_port() for _ in range(3))

    def command(self):
        certificates = self.cluster.folder
        peer = f"http://127.0.0.1:{self.peer_port}"
        return ["etcd", f"--name={self.name}", f"--data-dir={self.folder / 'data'}", f"--listen-client-urls={self.endpoint}",
                f"--advertise-client-urls={self.endpoint}", f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
                "--initial-cluster=" + ",".join(f"{one.name}=http://127.0.0.1:{one.peer_port}" for one in self.cluster.members),
                "--initial-cluster-token=reeve-test", f"--listen-metrics-urls=http://127.0.0.1:{self.metrics_port}",
                f"--cert-file={certificates / 'server.pem'}", f"--key-file={certificates / 'server.key'}", "--client-cert-auth",
                f"--trusted-ca-file={certificates / 'ca.pem'}", "--logger=zap", "--log-outputs=stderr", "--heartbeat-interval=50",
                "--election-timeout=500", *self.options]

    def begin(self):
        """Starts it without waiting, because one member has no quorum."""
        with open(self.folder / "etcd.log", "ab") as log:
            self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log)


class Three:
    """The cluster. `healthy` waits until all running members answer."""

    def __init__(self, folder, options=()):
        self.folder, self.options = folder, options
        make_ca(folder)
        for name in ("server", "client"):
            make_certificate(folder, name)
        self.members = []
        for name in ("a", "b", "c"):
            self.members.append(Member(self, name))

    def __enter__(self):
        for member in self.members:
            member.begin()
        self.healthy()
        return self

    def __exit__(self, *_):
        for member in self.members:
            member.kill()

    def healthy(self):
        until = time.monotonic() + READY_SECONDS
        for member in self.members:
            while member.process is not None and not member.is_healthy():
                assert member.process.poll() is None and time.monotonic() < until, member.log_end()
                time.sleep(0.02)

    def environment(self, first=0):
        """Returns the environment variables for the C programs of the tests; the endpoints begin with this member."""
        order = self.members[first:] + self.members[:first]
        return {"ETCD_ENDPOINT": ",".join(one.endpoint for one in order), "ETCD_CA": str(self.folder / "ca.pem"),
                "ETCD_CERT": str(self.folder / "client.pem"), "ETCD_KEY": str(self.folder / "client.key")}

    def etcdctl(self, *words, member=0, check=True):
        """Runs Debian's etcd client."""
        done = subprocess.run(["etcdctl", f"--endpoints={self.members[member].endpoint}", f"--cacert={self.folder / 'ca.pem'}",
                               f"--cert={self.folder / 'client.pem'}", f"--key={self.folder / 'client.key'}", *words],
                              env={"ETCDCTL_API": "3", "PATH": "/usr/bin:/bin"}, capture_output=True, text=True, errors="replace", timeout=60,
                              check=False)
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def leader(self):
        """Returns the number of the leader."""
        for number, member in enumerate(self.members):
            if member.process is None:
                continue
            status = json.loads(self.etcdctl("endpoint", "status", "-w", "json", member=number))[0]["Status"]
            if status["leader"] == status["header"]["member_id"]:
                return number
        raise AssertionError("there is no leader")

    def stop(self, *numbers):
        """Stops members like a network cut or a hang: their connections remain open."""
        for number in numbers:
            self.members[number].signal(signal.SIGSTOP)

    def go_on(self, *numbers):
        for number in numbers:
            self.members[number].signal(signal.SIGCONT)


