"""Processes, as proc(5) has them. Any of them may end before it is looked at, or amid that (ESRCH, where its file is open already):
whoever is gone is told as such, and nobody trips over it."""

import contextlib
import os
import pathlib


def processes():
    """Numbers of all of them."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def said_of(pid, name):
    """A file of /proc about it; empty: it has gone."""
    try:
        return pathlib.Path(f"/proc/{pid}/{name}").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def named(pid):
    """What it is called."""
    return said_of(pid, "comm")


def fields_of(pid):
    """What `stat` has behind its name: state, parent, ... Nothing: it has gone."""
    return said_of(pid, "stat").rpartition(")")[2].split()


def state_of(pid):
    """How it stands, as a letter; X: it has gone."""
    return (fields_of(pid) or ["X"])[0]


def is_running(pid):
    """Is it there, and not only waiting to be forgotten?"""
    return state_of(pid) not in "ZX"


def described(pids):
    """Those that run, in words."""
    return "\n".join(f"{pid}: {said_of(pid, 'cmdline')}\n{said_of(pid, 'status')}" for pid in filter(is_running, pids))


def children(pid):
    """All processes below one, as the kernel lists them."""
    found = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for task in os.listdir(f"/proc/{pid}/task"):
            for child in said_of(pid, f"task/{task}/children").split():
                found += [int(child), *children(int(child))]
    return found
