"""The driver that watches a serf agent."""
import json
import pathlib
import queue
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from pylib.serf import Agent  # noqa: E402, F401  (for the tests here)

WATCH = ROOT / "build/asan/tests/membership/serf_watch"
PATIENCE_S = 90  # agents tell of a death after seconds, and of a return up to half a minute after it


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
