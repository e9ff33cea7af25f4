"""A fake cloud provider (tests/clouds/fake) for tests: its ports, its faults, and the state behind its API."""

import atexit
import json
import pathlib
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERVE = ROOT / "tests/clouds/fake/serve.py"
START_S = 200
# The fault sets of docs/spec/CLOUDS.md section 11, with rates at which a test meets several faults
# in a run.
FAULT_SETS = {
    "calm": {},
    "lag": {"lag_ms": 2500},
    "lost": {"lose_before": 0.05, "lose_after": 0.05},
    "late": {"late": 0.05, "late_ms": 1500},
    "errors": {"error_5xx": 0.05, "error_5xx_with_effect": 0.05},
    "throttled": {"throttle": 0.1},
    "buckets": {"buckets": True},
    "failing": {"fail_later": 0.1},
    "pages": {"page_size": 5, "expire_page_tokens": 0.05},
    "broken": {"cut": 0.05, "html": 0.05, "slow_drip": 0.01, "drip_ms": 5, "gzip_bomb": 0.01},
    "tokens": {"token_ms": 1500},
    "tags": {"tag_lag_ms": 2500, "other_case": True},
    "mixed": {"lag_ms": 1500, "lose_before": 0.02, "lose_after": 0.02, "late": 0.02, "late_ms": 1500, "error_5xx": 0.02,
              "error_5xx_with_effect": 0.02, "throttle": 0.05, "html": 0.01, "cut": 0.01, "fail_later": 0.03, "page_size": 5,
              "expire_page_tokens": 0.02, "tag_lag_ms": 1500},
}
STOP_S = 90


class Forks:
    """The processes that fork the fakes, one for each cloud. They load their modules once for all tests."""

    running = {}

    @classmethod
    def of(cls, cloud):
        """Returns the socket of a cloud's process, and starts the process if it does not run."""
        if cloud not in cls.running:
            folder = tempfile.TemporaryDirectory(prefix="fakes-")
            path = f"{folder.name}/socket"
            process = subprocess.Popen(["/usr/bin/python3", "-B", str(SERVE), cloud, "--forks", path],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            assert process.stdout.readline(), f"the fakes of {cloud} did not start: exit {process.wait(START_S)}"
            cls.running[cloud] = folder, path, process
            atexit.register(cls.end, cloud)
        return cls.running[cloud][1]

    @classmethod
    def end(cls, cloud):
        """Ends a cloud's process."""
        folder, _, process = cls.running.pop(cloud)
        process.stdin.close()
        process.wait(STOP_S)
        process.stdout.close()
        folder.cleanup()


class Fake:
    """One fake provider in a separate process.

    .port and .truth are the ports of its API and of its true state, .credential is the text of the account's secret,
    .settings are the settings of a plugin for it. `with` starts and ends it.
    """

    SETTINGS = {"aws": {"regions": ["eu-west-1"]}, "gcd": {}, "digitalOcean": {}, "openstack": {}}

    def __init__(self, cloud, *options, faults=None, seed=1, record=None, tls=None, address_file=None):
        self.cloud, self.record = cloud, record
        self.options = ["--seed", str(seed), *map(str, options)]
        for name, value in (("--faults", json.dumps(faults) if faults else None), ("--record", record), ("--address-file", address_file)):
            if value is not None:
                self.options += [name, str(value)]
        if tls:
            self.options += ["--tls", *map(str, tls)]
        self.is_tls, self.unknown_expected, self.duplicates_expected = bool(tls), False, False

    def __enter__(self):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.settimeout(START_S)
        self.connection.connect(Forks.of(self.cloud))
        self.connection.sendall(json.dumps(self.options).encode() + b"\n")
        line = self.connection.makefile().readline()
        assert line, f"the fake of {self.cloud} did not start"
        info = json.loads(line)
        self.port, self.truth, self.credential = info["port"], f"http://127.0.0.1:{info['truth']}", info["credential"]
        self.endpoint = f"http{'s' if self.is_tls else ''}://{'localhost' if self.is_tls else '127.0.0.1'}:{self.port}"
        self.settings = {"endpoint": self.endpoint, **self.SETTINGS[self.cloud], **info.get("settings", {})}
        return self

    def __exit__(self, *_):
        """Ends it, and waits until its process has closed the connection."""
        with self.connection:
            self.connection.settimeout(STOP_S)
            self.connection.shutdown(socket.SHUT_WR)
            assert not self.connection.recv(1), f"the fake of {self.cloud} prints more than one line"

    def ask(self, path, values=None):
        """Sends one request to the port of the true state."""
        body = None if values is None else json.dumps(values).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(self.truth + path, data=body), timeout=120) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from None

    def state(self):
        """Returns the true state of the provider: machines, ended, disks, ports, tags, calls, unknown, duplicates,
        most_alive, alive."""
        return self.ask("/state")

    def alive(self):
        """Returns the live machines."""
        return [machine for machine in self.state()["machines"] if machine["alive"]]

    def faults(self, **values):
        """Changes these faults, and keeps the others."""
        self.ask("/faults", values)

    def fail_next(self, call, fault="error", times=1, **more):
        """Lets the next calls of a kind meet a fault, or return an answer: status, code, message, headers (fault `error`)."""
        self.faults(next=[{"call": call, "fault": fault, "times": times, **more}])

    def end(self, id, reason="host"):
        """Ends a machine without reeve's action, with the reason spot, host, user, capacity or quota; `stop` only stops it."""
        return self.ask("/end", {"id": id, "reason": reason})

    def set_machine(self, id, **values):
        """Sets the address, console, state or tags of a machine."""
        return self.ask("/machine", {"id": id, **values})

    def wait(self, condition, what="a state", within_s=60):
        """Waits until condition(state) is true. Returns the state."""
        end = time.monotonic() + within_s
        while not condition(state := self.state()):
            assert time.monotonic() < end, f"no {what} within {within_s} s: {json.dumps(state)[:4000]}"
            time.sleep(0.02)
        return state

    def check(self):
        """Checks that every request was known to the model, and that no token ever had two live machines."""
        state = self.state()
        assert self.unknown_expected or not state["unknown"], state["unknown"][:5]
        assert self.duplicates_expected or not state["duplicates"], state["duplicates"][:5]
