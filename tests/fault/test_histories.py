"""Several clients read, write, and write on a condition through the API, and watch, while the manager is killed and started
again: what they were told is linearizable (REQUIREMENTS R8). And the checker finds what is planted."""

import dataclasses
import http.client
import json
import random
import threading
import time

import pytest

from conftest import rounds
from histories import LOST, OK, REFUSED, TURNED_AWAY, Operation, violations
from manager import Events, Manager, cluster

CLIENTS, WATCHERS, TARGETS = 4, 2, ("a", "b")
GONE = (OSError, http.client.HTTPException, ValueError)


# ---- the checker ----


def history():
    """A sound one: two writes behind each other, one on a condition, one refused, one lost without effect."""
    operations = [
        Operation("p", "a", "write", 1, 2, OK, "x1"),
        Operation("q", "a", "read", 3, 4, OK, "x1", 5),
        Operation("q", "a", "write", 5, 7, OK, "x2", expected=5),
        Operation("p", "a", "write", 6, 8, REFUSED, "x3", expected=5),
        Operation("p", "a", "write", 9, 10, LOST, "x4"),
        Operation("p", "a", "write", 11, 12, TURNED_AWAY, "x5"),
        Operation("q", "a", "read", 13, 14, OK, "x2", 9),
    ]
    return operations, {"w": {"a": [(3, "x0"), (5, "x1"), (9, "x2")]}, "v": {"a": [(3, "x0"), (5, "x1"), (9, "x2")]}}


def changed(number, **fields):
    """The sound history with one operation that is another."""
    operations, streams = history()
    operations[number] = dataclasses.replace(operations[number], **fields)
    return operations, streams


def told(watcher, *versions, also=()):
    """The sound history with another stream."""
    operations, streams = history()
    for name in (watcher, *also):
        streams[name] = {"a": list(versions)}
    return operations, streams


def test_a_sound_history_has_no_violation():
    assert violations(*history()) == []
    operations, streams = changed(4, outcome=LOST)
    for stream in streams.values():
        stream["a"].append((12, "x4"))  # the lost one was done
    operations[6] = dataclasses.replace(operations[6], value="x4", revision=12)
    assert violations(operations, streams) == []


BOTH = ("v",)


@pytest.mark.parametrize("planted, words", [
    (told("w", (3, "x0"), (9, "x2"), also=BOTH), "acknowledged, and is lost"),
    (told("w", (3, "x0"), (5, "x1"), (7, "x1"), (9, "x2"), also=BOTH), "was done 2 times"),
    (told("w", (3, "x0"), (5, "x1"), (9, "x2"), (10, "x3"), also=BOTH), "refused, and done all the same"),
    (told("w", (3, "x0"), (5, "x1"), (9, "x2"), (10, "x5"), also=BOTH), "turned away, and done all the same"),
    (told("w", (3, "x0"), (5, "x1"), (9, "x2"), (10, "y"), also=BOTH), "was never written"),
    (told("w", (3, "x0"), (5, "x1")), "was not told version"),
    (told("w", (3, "x0"), (9, "x2"), (5, "x1")), "out of order"),
    (told("w", (3, "x0"), (5, "x1"), (5, "x1"), (9, "x2")), "or twice"),
    (told("w", (3, "x0"), (5, "x1"), (5, "x4"), (9, "x2"), also=BOTH), "two values at one revision"),
    (changed(2, expected=3), "expected revision 3, and overwrote 5"),
    (changed(3, expected=9), "although 9 was its newest revision"),
    (changed(1, value="x9"), "which was never written"),
    (changed(1, revision=9, value="x2"), "before it was written"),
    (changed(6, revision=5, value="x1"), "had ended"),  # a stale read
    (changed(0, began=20, ended=21), "had ended"),  # a write behind the one that came after it
])
def test_a_planted_violation_is_found(planted, words):
    found = violations(*planted)
    assert any(words in fault for fault in found), found


# ---- a campaign ----


class Client:
    """Does one thing after the other, and writes down what it was told."""

    def __init__(self, manager, name, seed):
        self.manager, self.name, self.luck = manager, name, random.Random(seed)
        self.operations, self.known, self.count = [], {}, 0
        self.connection, self.fault = None, None

    def request(self, method, path, body=None, headers=()):
        """(status, headers, answer)."""
        self.connection.request(method, path, body=None if body is None else json.dumps(body), headers=dict(headers))
        response = self.connection.getresponse()
        return response.status, response.headers, json.loads(response.read())

    def read(self, target):
        began = time.monotonic()
        status, _, shown = self.request("GET", f"/v1/clusters/{target}")
        if status == 200:
            self.known[target] = shown["metadata"]["revision"]
            self.operations.append(Operation(self.name, target, "read", began, time.monotonic(), OK,
                                             shown["spec"]["labels"]["op"], self.known[target]))
        else:
            assert status == 503, shown

    def write(self, target, how):
        self.count += 1
        value = f"{self.name}-{self.count}"
        expected = self.known.get(target, 0) if how == "conditional" else 0
        headers = {"Content-Type": "application/merge-patch+json"}
        began, outcome = time.monotonic(), LOST
        try:
            if how == "apply":
                status, _, answer = self.request("POST", "/v1/apply", {"documents": [document(target, value)]},
                                                 {"Content-Type": "application/json"})
            else:
                if expected:
                    headers["If-Match"] = f'"{expected}"'
                status, _, answer = self.request("PATCH", f"/v1/clusters/{target}", {"labels": {"op": value}}, headers)
            assert status in (200, 409, 412, 503), answer
            outcome = {200: OK, 503: TURNED_AWAY}.get(status, REFUSED)
            if answer.get("code") == "R0542":
                outcome = LOST
        finally:
            self.operations.append(Operation(self.name, target, "write", began, time.monotonic(), outcome, value,
                                             expected=expected))

    def live(self):
        """Until the manager is gone."""
        try:
            self.connection = self.manager.connect()
            while True:
                target = self.luck.choice(TARGETS)
                kind = self.luck.choice(("read", "read", "conditional", "conditional", "plain", "apply"))
                if kind == "read":
                    self.read(target)
                else:
                    self.write(target, kind)
        except GONE:
            pass
        except AssertionError as fault:
            self.fault = fault
        finally:
            if self.connection is not None:
                self.connection.close()


class Watcher:
    """Follows the clusters over all lives of the manager."""

    def __init__(self, manager):
        self.manager, self.versions, self.position, self.resets = manager, {}, None, 0

    def live(self):
        """Until the manager is gone."""
        headers = {} if self.position is None else {"Last-Event-ID": str(self.position)}
        try:
            events = Events(self.manager, "?kinds=cluster", **headers)
            while (event := events.next()) is not None:
                name, number, data = event
                if name == "put":
                    version = (data["metadata"]["revision"], data["spec"]["labels"]["op"])
                    line = self.versions.setdefault(data["metadata"]["name"], [])
                    if not line or line[-1] != version:  # its status changes too
                        line.append(version)
                elif name != "hello":
                    self.resets += 1
                self.position = number if number is not None else self.position
        except GONE:
            pass


def document(name, value):
    """A cluster whose label is the value."""
    return {**cluster(name, web=0), "labels": {"op": value}}


def test_histories_are_linearizable_over_kills(tmp_path):
    seed, seconds = rounds("HISTORY_SEED", 1), rounds("HISTORY_SECONDS", 20)
    luck = random.Random(seed)
    manager = Manager(tmp_path).start()
    watchers = [Watcher(manager) for _ in range(WATCHERS)]
    clients = [Client(manager, f"c{number}", luck.random()) for number in range(CLIENTS)]
    followers = [threading.Thread(target=watcher.live) for watcher in watchers]
    for follower in followers:
        follower.start()
    while not all(watcher.position is not None for watcher in watchers):
        time.sleep(0.01)
    for name in TARGETS:
        manager.apply(document(name, "first"))
    until, kills = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        threads = [threading.Thread(target=client.live) for client in clients]
        for thread in threads:
            thread.start()
        time.sleep(luck.uniform(0.2, 1.2))
        manager.kill()
        kills += 1
        for thread in threads + followers:
            thread.join(60)
            assert not thread.is_alive()
        assert [client.fault for client in clients if client.fault] == []
        manager.start()
        followers = [threading.Thread(target=watcher.live) for watcher in watchers]
        for follower in followers:
            follower.start()
    newest = {name: manager.get(f"/v1/clusters/{name}").json["metadata"]["revision"] for name in TARGETS}
    deadline = time.monotonic() + 60
    while not all(watcher.versions.get(name, [(0, "")])[-1][0] >= newest[name] for watcher in watchers for name in TARGETS):
        assert time.monotonic() < deadline, "a watch does not come to the end"
        time.sleep(0.02)
    assert manager.stop() == 0
    for follower in followers:
        follower.join(60)
    operations = [operation for client in clients for operation in client.operations]
    faults = violations(operations, {f"w{i}": watcher.versions for i, watcher in enumerate(watchers)})
    counts = {}
    for operation in operations:
        kind = f"{operation.kind}{' on a condition' if operation.expected else ''} {operation.outcome}"
        counts[kind] = counts.get(kind, 0) + 1
    print(f"seed {seed}, {kills} kills: {counts}")
    assert not faults, (seed, len(faults), faults[:5])
    assert sum(watcher.resets for watcher in watchers) == 0
    for kind in ("write ok", "write on a condition ok", "write on a condition refused", "read ok"):
        assert counts.get(kind, 0) > 10, (kind, counts)
    assert counts.get("write lost", 0) + counts.get("write on a condition lost", 0) > 0, "no answer was ever lost"
