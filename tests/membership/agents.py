"""Serf agents of a test, and the driver that watches one of them."""
import json
import pathlib
import queue
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from pylib.ports import free_port  # noqa: E402

WATCH = ROOT / "build/asan/tests/membership/serf_watch"
PATIENCE_S = 90  # agents tell of a death after seconds, and of a return up to half a minute after it


class Agent:
    """One agent. All of a test are on loopback, each with a port of its own."""

    def __init__(self, folder, name, tags=(), join=None, rpc_auth="", name_shown=None):
        self.name, self.port, self.rpc = name, free_port(), free_port()
        self.log = (folder / f"{name}.log").open("wb")
        config = folder / f"{name}.json"
        config.write_text(json.dumps({"rpc_auth": rpc_auth} if rpc_auth else {}))
        words = ["serf", "agent", "-node", name_shown or name, "-bind", f"127.0.0.1:{self.port}",
                 "-rpc-addr", f"127.0.0.1:{self.rpc}", "-profile=local", "-config-file", config]
        for tag in tags:
            words += ["-tag", tag]
        if join:
            words += ["-retry-join", f"127.0.0.1:{join.port}", "-retry-interval", "1s"]
        self.process = subprocess.Popen(words, stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL)

    def call(self, *words):
        """A command of serf for this agent."""
        return subprocess.run(["serf", words[0], f"-rpc-addr=127.0.0.1:{self.rpc}", *words[1:]], check=True, capture_output=True,
                              timeout=60).stdout.decode()

    def end(self):
        """Kill it."""
        self.process.kill()
        self.process.wait()


class Watch:
    """The driver, and what it has reported so far."""

    def __init__(self, port, key=""):
        self.process = subprocess.Popen([WATCH, "127.0.0.1", str(port), *([key] if key else [])], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.lines, self.seen = queue.Queue(), []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))

    def until(self, condition, seconds=PATIENCE_S):
        """The first report from here on for which the condition holds."""
        end = time.monotonic() + seconds
        while True:
            try:
                report = self.lines.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"not reported; these were: {self.seen}") from None
            self.seen.append(report)
            if condition(report):
                return report

    def until_change(self, change, name=None, **tags):
        """The first such report that is about the member."""
        return self.until(lambda report: report["change"] == change and (name is None or any(
            member["name"] == name and tags.items() <= member["tags"].items() for member in report["members"])))

    def end(self):
        """It ends well: nothing leaks, nothing was undefined."""
        self.process.stdin.close()
        assert self.process.wait(60) == 0
