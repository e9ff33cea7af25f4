"""Events as a stream: GET /v1/watch?kinds=event. Each once, in their order, whoever resumes where; what page and list tell is the same.

Requirements: K24, M32.
"""

import concurrent.futures

import pytest

from manager import Events, Manager, cluster, until


@pytest.fixture(name="manager")
def manager_of_one(tmp_path):
    """A manager that keeps nothing: what happens is what it is told."""
    one = Manager(tmp_path).start()
    yield one
    assert one.stop() in (0, None), one.log.read_text()


def listed(manager, after=0, tenant="default"):
    """All events, as the list has them."""
    items, more = [], True
    while more:
        page = manager.ask("GET", f"/v1/events?after={items[-1]['revision'] if items else after}&limit=1000&tenant={tenant}").json
        items += page["items"]
        more = page["more"]
    return items


def page(manager, query):
    answer = manager.ask("GET", f"/v1/events?{query}")
    assert answer.status == 200, answer.text
    return answer.json


def test_the_newest_are_read_from_their_end(manager):
    manager.apply(cluster("shop", web=1), cluster("ops", web=1))
    for n in range(12):
        label(manager, "shop" if n % 3 else "ops", n)
    every = listed(manager)
    shop = [event for event in every if event["name"] == "shop"]
    newest = page(manager, "last=5")
    assert newest["items"] == every[-5:] and newest["more"]
    assert not page(manager, "last=1000")["more"] and page(manager, "last=1000")["items"] == every
    assert page(manager, "last=3&cluster=shop")["items"] == shop[-3:]
    backwards, more, before = [], True, 0
    while more:  # from the newest down, each once
        one = page(manager, f"last=2&before={before}")
        more, before = one["more"], one["items"][0]["revision"] if one["items"] else 0
        backwards = one["items"] + backwards
    assert backwards == every
    middle = every[len(every) // 2]
    later = [event for event in every if event["revision"] > middle["revision"]]
    assert page(manager, f"since={middle['revision']}")["items"] == later
    assert page(manager, f"since={middle['revision']}&last=2")["items"] == later[-2:]
    assert page(manager, f"since={middle['revision']}&last=1000")["more"] is False
    of_shop = [event for event in later if event["name"] == "shop"]
    assert page(manager, f"since={middle['revision']}&cluster=shop")["items"] == of_shop
    timed = [event for event in every if event["time"] >= middle["time"]]
    assert page(manager, f"since={middle['time']}")["items"] == timed
    assert page(manager, f"since={middle['time']}&cluster=shop&last=1000")["items"] == [one for one in timed if one["name"] == "shop"]
    assert page(manager, "since=2099-01-01T00:00:00Z")["items"] == []
    for wrong in ("last=2&limit=2", "since=yesterday", "last=x"):
        assert manager.ask("GET", f"/v1/events?{wrong}").status == 400, wrong


def label(manager, name, value):
    """One more event."""
    answer = manager.patch(f"/v1/clusters/{name}", {"labels": {"n": str(value)}})
    assert answer.status == 200, answer.text


def take(stream, count):
    """So many events, with the ids that stand behind them; hello is not one."""
    found = []
    while len(found) < count:
        name, number, data = stream.next()
        if name == "event":
            found.append((number, data))
        else:
            assert name == "hello", (name, data)
    return found


def test_events_come_as_they_are_written_and_as_the_list_has_them(manager):
    stream = Events(manager, "?kinds=event")
    assert stream.next()[0] == "hello"
    manager.apply(cluster("shop", web=1))
    for n in range(5):
        label(manager, "shop", n)
    truth = listed(manager)
    assert len(truth) >= 6
    found = take(stream, len(truth))
    assert [data for _, data in found] == truth
    at = {}
    for number, data in found:  # an id stands behind the last event of a revision, and says it
        at.setdefault(data["revision"], []).append(number)
    for revision, numbers in at.items():
        assert numbers[:-1] == [None] * (len(numbers) - 1) and numbers[-1].split(".")[1] == str(revision), at
    stream.close()


def test_who_comes_back_misses_none_and_hears_none_twice(manager):
    manager.apply(cluster("shop", web=1))
    stream = Events(manager, "?kinds=event&from=0")
    for n in range(6):
        label(manager, "shop", n)
    first = take(stream, 4)
    last = [number for number, _ in first if number][-1]
    stream.close()
    truth = listed(manager)
    rest = [one for one in truth if one["revision"] > int(last.split(".")[1])]
    again = Events(manager, "?kinds=event", Last_Event_ID=last)
    assert [data for _, data in take(again, len(rest))] == rest
    label(manager, "shop", "later")
    assert [data for _, data in take(again, 1)] == listed(manager)[-1:]
    again.close()


@pytest.mark.parametrize("objects,events", [(0, 0), (1, 0), (0, 1), (2, 0), (0, 2), (2, 1)])
def test_objects_and_events_go_on_each_by_itself(manager, objects, events):
    """From an id that says how far each had come, what is left of each is told."""
    manager.apply(cluster("shop", web=1))
    before = int(manager.get("/v1/clusters").headers["Reeve-Revision"])
    label(manager, "shop", "one")
    label(manager, "shop", "two")
    truth = listed(manager, after=before)
    assert [one["revision"] for one in truth] == [before + 1, before + 2]
    start = f"{before + objects}.{before + events}"
    stream = Events(manager, "?kinds=cluster,event", Last_Event_ID=start)
    seen = [stream.next() for _ in range(1 + 4 - objects - events)]
    assert seen[0][:2] == ("hello", None), "who comes back has an id"
    assert [data["metadata"]["revision"] for name, _, data in seen if name == "put"] == [before + 1, before + 2][objects:]
    assert [data for name, _, data in seen if name == "event"] == truth[events:]
    assert seen[-1][1] == f"{before + 2}.{before + 2}", "both have reached the end"
    label(manager, "shop", "three")  # and nothing else was on its way
    assert sorted(stream.next()[0] for _ in range(2)) == ["event", "put"]
    stream.close()


def test_a_plain_revision_is_one_of_both(manager):
    manager.apply(cluster("shop", web=1))
    before = int(manager.get("/v1/clusters").headers["Reeve-Revision"])
    label(manager, "shop", "one")
    stream = Events(manager, f"?kinds=cluster,event&from={before}")
    assert sorted(stream.next()[0] for _ in range(3)) == ["event", "hello", "put"]
    stream.close()


def test_very_many_at_once_and_somebody_who_begins_at_the_beginning(manager):
    """More than a page of the store has; one who follows, one who reads all that was kept."""
    follower = Events(manager, "?kinds=event")
    assert follower.next()[0] == "hello"
    with concurrent.futures.ThreadPoolExecutor(1) as reader:  # who does not read for long is cut off
        followed = reader.submit(take, follower, 1301)
        manager.apply(cluster("shop", web=1))
        for n in range(1300):
            label(manager, "shop", n)
    truth = listed(manager)
    assert len(truth) > 1300
    late = Events(manager, "?kinds=event&from=0")
    for found in (followed.result() + take(follower, len(truth) - 1301), take(late, len(truth))):
        assert [data for _, data in found] == truth
    follower.close()
    late.close()


def test_a_tenant_hears_his_own_alone(manager):
    assert manager.post("/v1/tenants", {"name": "lab"}).status == 201
    theirs = Events(manager, "?kinds=event&tenant=lab&from=0")
    ours = Events(manager, "?kinds=event&from=0")
    manager.apply(cluster("shop", web=1))
    answer = manager.ask("POST", "/v1/clusters?tenant=lab", {"name": "bench", "version": "1", "empty": True})
    assert answer.status == 201, answer.text
    label(manager, "shop", "last")
    hers = listed(manager, tenant="lab")
    assert {one["cluster"].split("/")[0] for one in hers} == {"lab"}
    assert [data for _, data in take(theirs, len(hers))] == hers
    own = listed(manager)
    assert [data for _, data in take(ours, len(own))] == own
    theirs.close()
    ours.close()


@pytest.mark.parametrize("query", ["kinds=event&from=x", "kinds=event&from=1.x", "kinds=event&from=1.2.3", "kinds=event&from=1.-2", "kinds=event&from=.1", "kinds=events,nothing"])
def test_what_is_no_place_is_refused(manager, query):
    answer = manager.get(f"/v1/watch?{query}")
    assert answer.status == 400 and answer.code == "R0426", answer.text


def test_readers_that_go_leave_nothing_behind(manager):
    manager.apply(cluster("shop", web=1))
    for n in range(30):
        stream = Events(manager, f"?kinds=event&from={n % 3}")
        stream.next()
        if n % 2:
            stream.next()
        stream.close()
        label(manager, "shop", n)
    until(lambda: "reeve_watch_clients 0" in manager.get("/metrics").text, lambda: manager.get("/metrics").text)
