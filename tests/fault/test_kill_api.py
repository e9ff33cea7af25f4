"""kill -9 while clients write and watch through the API: what was acknowledged is there, each once, and the events are
without gap or double; a watcher resumes by its id and has missed nothing; a request whose answer was lost, repeated
with its key, is done once."""

import http.client
import json
import random
import shutil
import threading
import time

from conftest import rounds
from manager import DEADLINE_S, Events, Manager, cluster

WRITERS = 4
KILLS_OF_A_STORE = 50
CREATES_EVERY = 200  # of the changes of a writer: others change its one cluster
GONE = (OSError, http.client.HTTPException, ValueError)


class Writer:
    """Changes one cluster again and again, and keeps what was acknowledged."""

    def __init__(self, manager, number):
        self.manager = manager
        self.name = f"c{number}"
        self.acknowledged = set()  # what was sent, by its `why`
        self.sent = set()
        self.lost = []  # (why, path, body): sent, and no answer came
        self.repeated = 0
        self.events = []  # that were read in earlier rounds: they do not change any more
        self.count = 0
        self.is_over = False
        self.fault = None
        self.thread = None

    def request(self, connection, why, path, body):
        """One request; its `why` is its name in history, and its key."""
        self.sent.add(why)
        self.lost.append((why, path, body))
        connection.request("POST", path, body=body, headers={"Content-Type": "application/json",
                                                             "Idempotency-Key": why})
        response = connection.getresponse()
        text = response.read()
        if response.status == 503:  # it is ending, or not yet there: nothing was done
            return
        self.lost.pop()
        if response.status not in (200, 201):
            self.fault = self.fault or (why, response.status, text)
        self.acknowledged.add(why)

    def next(self, connection):
        """The next change."""
        self.count += 1
        why = f"{self.name}-{self.count}"
        if self.count % CREATES_EVERY == 0:
            self.request(connection, why, f"/v1/clusters?why={why}",
                         json.dumps(cluster(f"{self.name}x{self.count}", web=1)))
            return
        self.request(connection, why, "/v1/apply", json.dumps({
            "documents": [cluster(self.name, web=self.count)], "why": why,
            "allow": {"destroy": 1000000}}))

    def work(self):
        """Write until the manager is gone. What was lost is repeated behind another change, so that doing it twice
        would show."""
        connection = self.manager.connect()
        try:
            lost, self.lost = self.lost, []
            if lost:
                self.next(connection)
            for one in lost:
                self.repeated += 1
                self.request(connection, *one)
            while not self.is_over:
                self.next(connection)
        except GONE:
            self.lost += [one for one in lost if one[0] not in self.acknowledged
                          and one not in self.lost]
        finally:
            connection.close()

    def start(self):
        """Begin a round."""
        self.is_over = False
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def join(self):
        """End a round."""
        self.is_over = True
        self.thread.join(60)
        assert not self.thread.is_alive() and self.fault is None, self.fault


class Watcher:
    """Follows everything, over all lives of the manager, by the id of what it saw last."""

    def __init__(self, manager):
        self.manager = manager
        self.view = {}  # what the objects are, as far as it was told
        self.position = None
        self.stores = set()
        self.resets = 0
        self.resumed = 0
        self.thread = None

    def take(self, name, number, data):
        """One event."""
        if name == "hello":
            self.stores.add(data["store"])
        elif name == "put":
            self.view[key_of(data)] = data["metadata"]["revision"]
        else:
            self.resets += 1
        self.position = number if number is not None else self.position

    def work(self):
        """Read until the manager is gone."""
        headers = {} if self.position is None else {"Last-Event-ID": str(self.position)}
        self.resumed += len(headers)
        try:
            events = Events(self.manager, **headers)
            while True:
                event = events.next()
                if event is None:
                    break
                self.take(*event)
        except GONE:
            pass

    def start(self):
        """Resume."""
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def wait(self, wanted):
        """Until it has been told all of that, and nothing else."""
        deadline = time.monotonic() + DEADLINE_S
        while self.view != wanted:
            assert time.monotonic() < deadline, (
                f"missed since {self.position}: {sorted(set(wanted.items()) - set(self.view.items()))[:3]}")
            time.sleep(0.01)


def key_of(shown):
    """What an object is known by here."""
    return shown["kind"], shown["metadata"].get("cluster"), shown["metadata"]["name"]


def standing(manager):
    """Every object and its revision."""
    found = {}
    for kinds in ("clusters", "nodegroups"):
        token = ""
        while token is not None:
            page = manager.get(f"/v1/{kinds}?limit=1000&next={token}").json
            found |= {key_of(item): item["metadata"]["revision"] for item in page["items"]}
            token = page.get("next")
    return found


def read_events(manager, writer):
    """The events of the writer's cluster that were not read before."""
    events = writer.events
    while True:
        after = events[-1]["number"] if events else 0
        page = manager.get(f"/v1/events?cluster={writer.name}&after={after}&limit=1000").json
        if page.get("code") == "R0403":
            break  # not made yet
        events += page["items"]
        if not page["more"]:
            break
    return events


def assert_whole(manager, writers):
    """Everything acknowledged is there, in events and as what stands."""
    told = {}
    for writer in writers:
        events = read_events(manager, writer)
        assert [event["number"] for event in events] == list(range(1, len(events) + 1))
        reasons = [event["why"] for event in events]
        assert len(set(reasons)) == len(reasons), "an event stands twice"
        made = {why for why in writer.acknowledged if int(why.partition("-")[2]) % CREATES_EVERY == 0}
        lost = writer.acknowledged - made - set(reasons)
        assert not lost, f"{len(lost)} acknowledged changes are gone: {sorted(lost)[:3]}"
        assert set(reasons) <= writer.sent
        told[writer.name] = len(events)
        if events:
            shown = manager.get(f"/v1/clusters/{writer.name}").json
            assert shown["metadata"]["why"] == reasons[-1]
            assert f'{writer.name}-{shown["spec"]["groups"]["web"]["size"]}' == reasons[-1]
    return told


def assert_log_whole(manager, writers):
    """The log of the whole tenant: each cluster's numbers from 1 on, each change once, also of clusters that were made."""
    numbers, reasons, after = {}, [], 0
    while True:
        page = manager.get(f"/v1/events?after={after}&limit=1000").json
        for event in page["items"]:
            numbers.setdefault(event["cluster"], []).append(event["number"])
            reasons.append(event["why"])
            after = event["revision"]
        if not page["more"]:
            break
    for name, found in numbers.items():
        assert found == list(range(1, len(found) + 1)), name
    assert len(set(reasons)) == len(reasons), "a change was made twice"
    for writer in writers:
        assert writer.acknowledged <= set(reasons)


def live_and_die(folder, luck, count):
    """One store, and so many kills. Gives (acknowledged, repeated, resumed)."""
    manager = Manager(folder).start()
    writers = [Writer(manager, number) for number in range(WRITERS)]
    watcher = Watcher(manager)
    watcher.start()
    while watcher.position is None:
        time.sleep(0.01)
    for _ in range(count):
        for writer in writers:
            writer.start()
        threading.Event().wait(luck.uniform(0.05, 0.4))
        manager.kill()
        for writer in writers:
            writer.join()
        watcher.thread.join(60)
        manager.start()
        told = assert_whole(manager, writers)
        watcher.start()
        watcher.wait(standing(manager))
    assert watcher.resets == 0 and len(watcher.stores) == 1
    for writer in writers:
        writer.events.clear()
    assert assert_whole(manager, writers) == told
    assert_log_whole(manager, writers)
    assert manager.stop() == 0
    return (sum(len(writer.acknowledged) for writer in writers),
            sum(writer.repeated for writer in writers), watcher.resumed)


def test_kill_under_writes(tmp_path):
    luck = random.Random(4711)
    left, kills, sums = rounds("FAULT_KILLS", 6), 0, [0, 0, 0]
    while left > 0:  # a store of one's own now and then: a start should not be most of what this does
        count = min(left, KILLS_OF_A_STORE)
        folder = tmp_path / str(kills)
        folder.mkdir()
        for place, number in enumerate(live_and_die(folder, luck, count)):
            sums[place] += number
        shutil.rmtree(folder)
        left, kills = left - count, kills + count
        print(f"{kills} kills: {sums[0]} acknowledged, {sums[1]} repeated, resumed {sums[2]} times",
              flush=True)
    assert sums[0] > 10 * WRITERS and sums[1] > 0, "nothing was written, or no answer was ever lost"
