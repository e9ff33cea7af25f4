"""kill -9 while clients write through the API: what was acknowledged is there, each once, and the events are without
gap or double."""

import http.client
import json
import pathlib
import random
import sys
import threading

from conftest import ROOT, rounds

sys.path.insert(0, str(pathlib.Path(ROOT) / "tests/e2e"))
from manager import Manager, cluster  # noqa: E402  pylint: disable=wrong-import-position

WRITERS = 4


class Writer(threading.Thread):
    """Changes one cluster again and again, and keeps what was acknowledged."""

    def __init__(self, manager, number):
        super().__init__()
        self.manager = manager
        self.name_of = f"c{number}"
        self.acknowledged = []  # (revision, why)
        self.sent = []
        self.events = []  # that were read in earlier rounds: they do not change any more
        self.count = 0
        self.is_over = False

    def one(self, connection):
        """One change; its `why` is the name it has in history."""
        self.count += 1
        why = f"{self.name_of}-{self.count}"
        self.sent.append(why)
        body = json.dumps({"documents": [cluster(self.name_of, web=self.count)], "why": why,
                           "allow": {"destroy": 100000}})
        connection.request("POST", "/v1/apply", body=body,
                           headers={"Content-Type": "application/json"})
        response = connection.getresponse()
        answer = json.loads(response.read())
        if response.status == 200:
            self.acknowledged.append((answer["revision"], why))

    def run(self):
        connection = self.manager.connect()
        try:
            while not self.is_over:
                self.one(connection)
        except (OSError, http.client.HTTPException, ValueError):
            pass  # the manager is gone
        finally:
            connection.close()


def assert_whole(manager, writers):
    """Everything acknowledged is there, in events and as what stands."""
    told = {}
    for writer in writers:
        events = writer.events
        while True:
            after = events[-1]["number"] if events else 0
            page = manager.get(f"/v1/events?cluster={writer.name_of}&after={after}&limit=1000").json
            if page.get("code") == "R0403":
                break  # not made yet
            events += page["items"]
            if not page["more"]:
                break
        assert [event["number"] for event in events] == list(range(1, len(events) + 1))
        reasons = [event["why"] for event in events]
        assert len(set(reasons)) == len(reasons), "an event stands twice"
        lost = {why for _, why in writer.acknowledged} - set(reasons)
        assert not lost, f"{len(lost)} acknowledged changes are gone: {sorted(lost)[:3]}"
        assert set(reasons) <= set(writer.sent)
        told[writer.name_of] = len(events)
        if events:
            shown = manager.get(f"/v1/clusters/{writer.name_of}").json
            assert shown["metadata"]["why"] == reasons[-1]
            assert f'{writer.name_of}-{shown["spec"]["groups"]["web"]["size"]}' == reasons[-1]
    return told


def test_kill_under_writes(tmp_path):
    seed = random.Random(4711)
    manager = Manager(tmp_path).start()
    writers = [Writer(manager, number) for number in range(WRITERS)]
    for _ in range(rounds("FAULT_KILLS", 10)):
        fresh = []
        for writer in writers:
            again = Writer(manager, 0)
            again.name_of, again.count = writer.name_of, writer.count
            again.sent, again.acknowledged = writer.sent, writer.acknowledged
            again.events = writer.events
            fresh.append(again)
        writers = fresh
        for writer in writers:
            writer.start()
        threading.Event().wait(seed.uniform(0.05, 0.4))
        manager.kill()
        for writer in writers:
            writer.is_over = True
            writer.join(60)
        manager.start()
        told = assert_whole(manager, writers)
    for writer in writers:
        writer.events.clear()
    assert assert_whole(manager, writers) == told
    assert sum(told.values()) > 10 * WRITERS
    print(f"{sum(len(writer.acknowledged) for writer in writers)} acknowledged")
    assert manager.stop() == 0
