"""A plugin in a process of its own, called without a manager (plugin_driver.c)."""

import json
import os
import pathlib
import subprocess
import threading

OK, INVALID, AUTH, QUOTA, CAPACITY, THROTTLED, TRANSIENT, GONE, UNKNOWN = range(9)
PENDING, RUNNING, STOPPING, STOPPED, ENDED = range(5)
NAMES = ["OK", "INVALID", "AUTH", "QUOTA", "CAPACITY", "THROTTLED", "TRANSIENT", "GONE", "UNKNOWN"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("REEVE_BIN", ROOT / "build"))


class Answer:
    """What one call gave."""

    def __init__(self, line):
        self.result, self.all = line["result"], line.get("all", [])

    def of(self, kind):
        """All that was handed over of one kind."""
        return [each for each in self.all if each["kind"] == kind]

    @property
    def rows(self):
        """The rows of a listing."""
        return self.of("row")

    @property
    def made(self):
        """The id of the machine; None: none was reported."""
        return next((each["id"] for each in self.of("made")), None)

    @property
    def retry_after_ms(self):
        """The time before a retry; None: none was reported."""
        return next((each["ms"] for each in reversed(self.of("retryAfter"))), None)

    @property
    def is_incomplete(self):
        """Was the listing reported as incomplete?"""
        return bool(self.of("incomplete"))

    @property
    def faults(self):
        """{pointer: message}"""
        return {each["pointer"]: each["message"] for each in self.of("fault")}

    @property
    def text(self):
        """All messages of faults in one text."""
        return "\n".join(each["message"] for each in self.of("fault"))

    @property
    def text_of_console(self):
        """What the console showed."""
        return "".join(each["text"] for each in self.of("text"))

    def __repr__(self):
        return f"<{NAMES[self.result] if 0 <= self.result < len(NAMES) else self.result} {self.all}>"


class Plugin:
    """The process. `calls` may come from several threads."""

    def __init__(self, name, folder, settings, credential, environment=None):
        folder.mkdir(parents=True, exist_ok=True)
        secret = folder.parent / f"{folder.name}.credential"
        secret.write_text(credential)
        secret.chmod(0o600)
        self.log_path = folder.parent / f"{folder.name}.log"
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(
                [BUILD / "tests/clouds/plugin_driver", BUILD / f"plugins/{name}.so", folder, json.dumps(settings)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                env={"PATH": "/usr/bin:/bin", "REEVE_DRIVER_CREDENTIAL": str(secret)} |
                    {key: value for key, value in os.environ.items() if key.endswith("SAN_OPTIONS")} | (environment or {}))
        self.started = json.loads(self.process.stdout.readline())["result"]
        self.lock = threading.Lock()
        self.answers, self.count = {}, 0
        self.arrived = threading.Condition()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            answer = json.loads(line)
            with self.arrived:
                self.answers[answer["tag"]] = Answer(answer)
                self.arrived.notify_all()
        with self.arrived:
            self.answers[None] = True
            self.arrived.notify_all()

    def call(self, what, **fields):
        """Make a call and wait for its answer."""
        with self.lock:
            self.count += 1
            tag = str(self.count)
            self.process.stdin.write(json.dumps({"call": what, "tag": tag} | fields) + "\n")
            self.process.stdin.flush()
        with self.arrived:
            assert self.arrived.wait_for(lambda: tag in self.answers or None in self.answers, timeout=400), "no answer"
            assert tag in self.answers, self.log()
            return self.answers.pop(tag)

    def log(self):
        """What was written to the log."""
        return self.log_path.read_text(errors="replace")

    def kill(self):
        """End the process as a crash would."""
        self.process.kill()
        self.process.wait()

    def close(self):
        """End it in order; it must not fail."""
        if self.process.poll() is None:
            self.process.stdin.close()
        assert self.process.wait(60) == 0, self.log()
