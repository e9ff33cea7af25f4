"""Processes, as in proc(5). A process may end before or while it is examined (ESRCH if its file is already open). A
missing process is reported as such, and is not an error."""

import contextlib
import os
import pathlib


def processes():
    """Returns the ids of all processes."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def said_of(pid, name):
    """Returns the content of a process's file in /proc; empty: the process is gone."""
    try:
        return pathlib.Path(f"/proc/{pid}/{name}").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def named(pid):
    """Returns the name of a process."""
    return said_of(pid, "comm")


def fields_of(pid):
    """Returns the fields of `stat` after the name: state, parent and so on. Empty: the process is gone."""
    return said_of(pid, "stat").rpartition(")")[2].split()


def state_of(pid):
    """Returns the state of a process, as a letter; X: the process is gone."""
    return (fields_of(pid) or ["X"])[0]


def is_running(pid):
    """Returns whether the process exists and is not a zombie."""
    return state_of(pid) not in "ZX"


def described(pids):
    """Returns a text about the running processes of these."""
    return "\n".join(f"{pid}: {said_of(pid, 'cmdline')}\n{said_of(pid, 'status')}" for pid in filter(is_running, pids))


def children(pid):
    """Returns all descendants of a process, as the kernel lists them."""
    found = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for task in os.listdir(f"/proc/{pid}/task"):
            for child in said_of(pid, f"task/{task}/children").split():
                found += [int(child), *children(int(child))]
    return found
