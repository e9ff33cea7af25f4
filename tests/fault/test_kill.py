"""kill -9 of a process with 64 writes under way, at random moments: nothing acknowledged is lost."""

import collections
import random
import signal
import subprocess
import time

import pytest

from conftest import assert_whole, facts, program, read, rounds

ROUNDS = rounds("FAULT_KILLS", 24)
LIVES_A_STORE = 10  # then a fresh one, so that reading does not become the test
SECONDS_MAX = 0.15


def kill_once(folder, seed, seconds, *options):
    """Start the writer, kill it after a while. Returns [(token, revision)] it acknowledged."""
    with subprocess.Popen([program("store_writer"), folder, str(seed), *options],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as writer:
        first = writer.stdout.readline()  # a life that never wrote would show nothing
        deadline = time.monotonic() + seconds
        output = [first]
        while time.monotonic() < deadline:
            output.append(writer.stdout.read1(1 << 20))
        writer.send_signal(signal.SIGKILL)
        output.append(writer.stdout.read())
        assert writer.stderr.read() == b""
        assert writer.wait() == -signal.SIGKILL
    lines = b"".join(output).decode().split("\n")
    return [(line.split()[2], int(line.split()[3])) for line in lines[:-1]]


def lives(folder, seed, count, *options):
    """Several lives of one store. Returns (acknowledged, {token: revision} after each life)."""
    dice = random.Random(seed)
    acknowledged = []
    for life in range(count):
        acknowledged += kill_once(folder, seed * 1000 + life, dice.uniform(0, SECONDS_MAX),
                                  *options)
        code, lines = read(folder)
        assert code == 0, lines
        yield acknowledged, assert_whole(lines)


def lost(acknowledged, stored):
    """Acknowledged writes that are not there, or are at another revision (0: none was told)."""
    return [token for token, revision in acknowledged
            if token not in stored or revision not in (0, stored[token])]


@pytest.mark.parametrize("store", range((ROUNDS + LIVES_A_STORE - 1) // LIVES_A_STORE))
def test_what_was_acknowledged_survives_kill_9(tmp_path, store):
    seen = 0
    for acknowledged, stored in lives(tmp_path, store + 1,
                                      min(LIVES_A_STORE, ROUNDS - store * LIVES_A_STORE)):
        assert lost(acknowledged, stored) == []
        seen = len(acknowledged)
    assert seen > 0


def test_a_store_that_is_compacted_survives_kill_9(tmp_path):
    """What compaction has deleted is no damage, wherever it was killed."""
    dice = random.Random(7)
    for life in range(15):
        acknowledged = kill_once(tmp_path, life, dice.uniform(0, 4 * SECONDS_MAX), "--compact")
        code, lines = read(tmp_path, "release")
        assert code == 0, lines
        items = {item[4].rstrip("."): int(item[2]) for item in facts(lines, b"item")}
        items.update((change[3].rstrip("."), int(change[0])) for change in facts(lines, b"change"))
        compacted = int(facts(lines, b"status")[0][1])
        assert [token for token, revision in acknowledged
                if revision > compacted and items.get(token) != revision] == []
    versions = collections.Counter(row[0] for row in facts(lines, b"history"))
    assert compacted > 10000
    assert {versions[key] for key in versions if key.endswith("/spec")} == {100}


def test_acknowledging_before_the_commit_is_seen(tmp_path):
    """The test can fail: the writer's planted fault turns it red."""
    assert any(lost(acknowledged, stored)
               for acknowledged, stored in lives(tmp_path, 99, 20, "--ack-early"))
