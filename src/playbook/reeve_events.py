"""Callback of reeve-playbook: reports the steps of a playbook as JSON, one object on each line, to an inherited descriptor.

The objects are described in src/playbook/report.h. Ansible reports a wrong signature of a method as a warning only, so
tests/unit/playbook and tests/plugins/test_playbooks.py check each of them.
"""

import json
import os

from ansible import __version__ as ansible_version
from ansible.playbook.block import Block
from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: reeve_events
type: notification
short_description: events for reeve
description: Reports what a playbook does as JSON, one object on each line, to the descriptor REEVE_EVENTS.
"""

LINE = 48 * 1024
TEXT = 4096
TAIL = 4096
PATHS = 64
PATH_MODULES = {"file", "copy", "template", "lineinfile", "blockinfile", "replace", "assemble", "get_url", "unarchive"}


def clean(value):
    """A text without characters that are no text."""
    text = value if isinstance(value, str) else str(value)
    text = text.encode("utf-8", "replace").decode("utf-8", "replace")
    return "".join(c if c >= " " or c in "\n\t" else "?" for c in text)


def head(value, most=TEXT):
    """The beginning of a text."""
    return clean(value)[:most]


def tail(value):
    """The end of a text."""
    return clean(value)[-TAIL:]


class CallbackModule(CallbackBase):
    """Writes the events. The descriptor is closed in programs that Ansible starts."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "reeve_events"
    CALLBACK_NEEDS_ENABLED = False

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        number = int(os.environ["REEVE_EVENTS"])
        os.set_inheritable(number, False)
        self.out = os.fdopen(number, "wb", buffering=0)
        self.root = os.environ.get("REEVE_ROOT", "").rstrip("/") + "/"
        self.stop = os.environ.get("REEVE_STOP", "")
        self.numbers = {}
        self.send(kind="start", ansible=ansible_version)

    # ---- writing ----

    def send(self, **event):
        """Write one line. If it is too long, its texts are dropped."""
        line = json.dumps(event, separators=(",", ":")).encode("ascii")
        if len(line) > LINE:
            line = json.dumps({key: value[:TEXT // 8] if isinstance(value, str) else [] if isinstance(value, list) else value
                               for key, value in event.items()}, separators=(",", ":")).encode("ascii")
        line += b"\n"
        while line:
            line = line[self.out.write(line):]

    def path_of(self, task):
        """FILE:LINE, relative to the top of the repository."""
        path = clean(task.get_path() or "")
        return path[len(self.root):] if path.startswith(self.root) else path

    def number(self, task):
        """The number of a task, which is announced when it is first seen: handlers and free strategies skip the start."""
        if task._uuid not in self.numbers:
            self.numbers[task._uuid] = len(self.numbers) + 1
            self.announce(task, False)
        return self.numbers[task._uuid]

    def announce(self, task, is_handler):
        """A task begins."""
        number = self.numbers.setdefault(task._uuid, len(self.numbers) + 1)
        self.send(kind="task", task=number, name=head(task.get_name(), 512), path=self.path_of(task), action=head(task.action, 256),
                  handler=is_handler)

    # ---- failures ----

    @staticmethod
    def is_rescued(task):
        """True if a rescue around the task catches its failure. A task in a rescue is caught by an outer one only."""
        child, parent = task, task._parent
        while parent is not None:
            if isinstance(parent, Block) and parent.rescue and any(one._uuid == child._uuid for one in parent.block):
                return True
            child, parent = parent, parent._parent
        return False

    def result(self, result, outcome, is_item=False):
        """The result of a task on a host, or of one item of a loop."""
        task, values = result._task, result._result
        event = {"kind": "result", "host": result._host.get_name(), "task": self.number(task), "outcome": outcome}
        hidden = bool(task.no_log or values.get("_ansible_no_log"))
        if outcome in ("failed", "unreachable", "ignored"):
            event["rescued"] = outcome == "failed" and self.is_rescued(task)
            event["fatal"] = outcome != "ignored" and bool(task.any_errors_fatal)
        if is_item:
            event["item"] = "hidden" if hidden else head(values.get("_ansible_item_label", values.get("item", "")), 256)
        if "rc" in values and isinstance(values["rc"], int):
            event["rc"] = values["rc"]
        if hidden:
            event["hidden"] = True
        else:
            self.texts(event, task, values, outcome)
        self.send(**event)

    @staticmethod
    def texts(event, task, values, outcome):
        """Adds the module's messages."""
        if outcome in ("failed", "unreachable", "ignored") or values.get("msg"):
            event["msg"] = head(values.get("msg", ""))
        for name in ("stdout", "stderr"):
            if values.get(name):
                event[name] = tail(values[name])
        if "stdout" not in event and values.get("module_stdout"):
            event["stdout"] = tail(values["module_stdout"])
        if "stderr" not in event and values.get("module_stderr"):
            event["stderr"] = tail(values["module_stderr"])
        if outcome == "skipped":
            event["reason"] = head(values.get("skip_reason") or values.get("msg") or "", 256)
        if task.action.rsplit(".", 1)[-1] in PATH_MODULES:
            event["paths"] = [head(values[name], 1024) for name in ("dest", "path") if isinstance(values.get(name), str)][:PATHS]

    # ---- what Ansible calls ----

    def v2_playbook_on_play_start(self, play):
        self.send(kind="play", name=head(play.get_name(), 512))
        names = [host.get_name() for host in play.get_variable_manager()._inventory.get_hosts(play.hosts)]
        for first in range(0, len(names), 100):
            self.send(kind="selected", hosts=names[first:first + 100])

    def v2_playbook_on_task_start(self, task, is_conditional):
        if self.stop and os.path.exists(self.stop):
            self.send(kind="stopped")
            raise KeyboardInterrupt
        self.announce(task, False)

    def v2_playbook_on_handler_task_start(self, task):
        self.announce(task, True)

    def v2_playbook_on_cleanup_task_start(self, task):
        self.announce(task, False)

    def v2_runner_on_start(self, host, task):
        self.send(kind="begin", host=host.get_name(), task=self.number(task))

    def v2_runner_on_ok(self, result):
        self.result(result, "changed" if result._result.get("changed") else "ok")

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self.result(result, "ignored" if ignore_errors else "failed")

    def v2_runner_on_skipped(self, result):
        self.result(result, "skipped")

    def v2_runner_on_unreachable(self, result):
        self.result(result, "ignored" if result._task.ignore_unreachable else "unreachable")

    def v2_runner_item_on_ok(self, result):
        self.result(result, "changed" if result._result.get("changed") else "ok", True)

    def v2_runner_item_on_failed(self, result):
        self.result(result, "ignored" if result._task.ignore_errors else "failed", True)

    def v2_runner_item_on_skipped(self, result):
        self.result(result, "skipped", True)

    def v2_on_file_diff(self, result):
        if result._task.no_log or result._result.get("_ansible_no_log"):
            return
        diffs = result._result.get("diff") or []
        for diff in diffs if isinstance(diffs, list) else [diffs]:
            if isinstance(diff, dict) and (diff.get("before") != diff.get("after") or diff.get("prepared")):
                name = diff.get("after_header") or diff.get("before_header") or result._result.get("path") or result._result.get("dest") or ""
                self.send(kind="diff", host=result._host.get_name(), task=self.number(result._task), file=head(name, 1024))

    def v2_playbook_on_stats(self, stats):
        hosts = {host: stats.summarize(host) for host in sorted(stats.processed)}
        names = sorted(hosts)
        for first in range(0, len(names), 100):
            self.send(kind="stats", hosts={name: hosts[name] for name in names[first:first + 100]}, last=first + 100 >= len(names))
        if not names:
            self.send(kind="stats", hosts={}, last=True)
