"""What the fault tests share: the two programs, and what a whole store must look like."""

import os
import pathlib
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests")]


def program(name, kind="release"):
    """A program of one build directory."""
    build = ROOT / "build" if kind == "release" else ROOT / "build" / kind
    path = build / "tests/fault" / name
    assert path.exists(), f"{path.relative_to(ROOT)} is missing: tools/build {kind}"
    return str(path)


def rounds(name, default):
    """How often, from the environment."""
    return int(os.environ.get(name, default))


def write(folder, seed, count, *options):
    """Let the writer do so many transactions and close the store."""
    return subprocess.run([program("store_writer"), folder, str(seed), *options, str(count)],
                          text=True, capture_output=True, check=False, timeout=400)


def read(folder, kind="release"):
    """(exit code, lines) of the reader; what a sanitizer says fails the test."""
    run = subprocess.run([program("store_reader", kind), folder], capture_output=True, check=False,
                         timeout=400)
    assert run.stderr == b"", run.stderr.decode(errors="replace")
    assert run.returncode in (0, 2), f"the reader ended with {run.returncode}"
    return run.returncode, run.stdout.split(b"\n")


def log_bytes(folder):
    """So much of the WAL holds what was committed, as the note says; zeros follow."""
    head = (folder / "store.db-wal").read_bytes()[:32]
    frames = struct.unpack_from("<Q", (folder / "store.db-note").read_bytes(), 32)[0]
    return 32 + frames * (24 + struct.unpack_from(">I", head, 8)[0])


def facts(lines, word):
    """The lines of one sort, split into words."""
    return [line.decode().split(" ")[1:] for line in lines if line.startswith(word + b" ")]


def assert_whole(lines):
    """Revisions and event numbers without gap or double, and a watch that told each change once.

    Returns {token: revision} of every change; each transaction of the writer is one change and one
    event."""
    revision = int(facts(lines, b"status")[0][0])
    changes = facts(lines, b"change")
    assert [int(change[0]) for change in changes] == list(range(1, revision + 1))
    events = facts(lines, b"event")
    assert [int(event[2]) for event in events] == list(range(1, revision + 1))
    numbers = {}
    for cluster, number, *_ in events:
        numbers[cluster] = numbers.get(cluster, 0) + 1
        assert int(number) == numbers[cluster], f"{cluster}: {number}"
    tokens = {change[3].rstrip("."): int(change[0]) for change in changes}
    assert len(tokens) == revision
    assert tokens == {event[4]: int(event[2]) for event in events}
    newest = {change[1]: int(change[0]) for change in changes}
    items = {item[1]: int(item[2]) for item in facts(lines, b"item") if int(item[0]) == revision}
    assert items == newest
    return tokens
