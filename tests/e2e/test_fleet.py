"""GET /v1/fleet: all machines at one revision, in pieces and compressed; what a watch tells behind it completes it."""

import concurrent.futures
import gzip
import json
import re
import zlib

import pytest

from manager import Events, Manager, reeve, until

MANY = 4500  # several pieces


@pytest.fixture(name="manager", scope="module")
def manager_of_all(tmp_path_factory):
    """A manager that keeps very many machines."""
    one = Manager(tmp_path_factory.mktemp("fleet"), "--haste", "100", control=True).start()
    one.apply({"name": "large", "version": "1", "groups": {"web": {"size": MANY, "resourcePlugin": {"name": "sim"}}}},
              {"name": "small", "version": "1", "groups": {"db": {"size": 3, "resourcePlugin": {"name": "sim"}}}})
    for name, count in (("large", MANY), ("small", 3)):
        until(lambda name=name, count=count: one.get(f"/v1/clusters/{name}").json.get("status", {}).get("machines", {}).get("ready") == count,
              lambda name=name: one.get(f"/v1/clusters/{name}").text, 240)
    yield one
    assert one.stop() in (0, None), one.log.read_text()[-2000:]


def rows(fleet):
    """Machines by id: (cluster, name, group, state)."""
    columns = fleet["columns"]
    assert {len(column) for column in columns.values()} == {fleet["count"]}
    found = {columns["id"][at]: (fleet["clusterNames"][columns["cluster"][at]], columns["name"][at], fleet["groups"][columns["group"][at]], columns["state"][at] & 3)
             for at in range(fleet["count"])}
    assert len(found) == fleet["count"], "none twice"
    return found


def test_compressed_and_plain_are_the_same(manager):
    plain = manager.get("/v1/fleet")
    assert plain.headers.get("Content-Encoding") is None and plain.headers["Vary"] == "Accept-Encoding"
    small = manager.get("/v1/fleet", Accept_Encoding="deflate, gzip;q=0.5, *;q=0")
    assert small.headers["Content-Encoding"] == "gzip"
    told, text = json.loads(gzip.decompress(small.bytes)), plain.json
    assert {**told, "revision": 0} == {**text, "revision": 0} and told["count"] == MANY + 3
    assert len(small.bytes) * 2 < len(plain.bytes), "most of it are random ids"
    assert small.headers["ETag"] == f'"{told["revision"]}-gzip"' and plain.headers["ETag"] == f'"{text["revision"]}"'
    part = manager.get("/v1/fleet?cluster=small", Accept_Encoding="gzip")
    assert json.loads(gzip.decompress(part.bytes))["count"] == 3


def test_the_counts_of_groups_travel_without_their_nodes(manager):
    """As `reeve get nodegroups` shows them: what comes does not grow with the machines."""
    answer = manager.get("/v1/fleet?view=counts")
    found = {(one["cluster"], one["group"]): one["counts"] for one in answer.json["groups"]}
    assert {key: counts["ready"] for key, counts in found.items()} == {("large", "web"): MANY, ("small", "db"): 3}
    assert all(sum(counts.values()) == counts["ready"] for counts in found.values()) and len(answer.bytes) < 1000, answer.text
    one = manager.get("/v1/fleet?view=counts&cluster=small")
    assert one.json["groups"] == [{"cluster": "small", "group": "db", "counts": found["small", "db"]}]
    assert manager.get("/v1/fleet?view=nothing").code == "R0426" and manager.get("/v1/fleet?view=counts&cluster=nobody").code == "R0403"
    told = reeve(manager, "get", "nodegroups")
    assert re.search(rf"large/web +{MANY} +{MANY} ", told) and re.search(r"small/db +3 +3 ", told), told
    manager.apply({"name": "none", "version": "1", "groups": {"db": {"size": 0, "resourcePlugin": {"name": "sim"}}}})
    assert re.search(r"none/db +0 +0 ", reeve(manager, "get", "nodegroups"))
    assert manager.ask("DELETE", "/v1/clusters/none").status == 200  # not in the way of others
    counts = [line for line in manager.log.read_text().splitlines() if "/v1/nodes" in line]
    assert not counts, counts


@pytest.mark.parametrize("accept,is_gzip", [("gzip", True), ("GZIP", True), ("x-gzip", True), ("*", True), ("br, gzip", True), ("gzip;q=1", True), ("gzip; q=0.001", True),
                                            ("gzip;q=0", False), ("gzip;q=0.000", False), ("br", False), ("identity", False), ("gzippy", False), ("", False), ("*;q=0", False)])
def test_who_does_not_take_gzip_gets_none(manager, accept, is_gzip):
    answer = manager.get("/v1/fleet?cluster=small", Accept_Encoding=accept)
    assert (answer.headers.get("Content-Encoding") == "gzip") == is_gzip
    body = zlib.decompress(answer.bytes, 31) if is_gzip else answer.bytes
    assert json.loads(body)["count"] == 3


def test_who_has_it_already_gets_that_error(manager):
    def steady():
        """A time in which nothing happens."""
        first = manager.get("/v1/fleet?cluster=small")
        tags = [f'"{first.json["revision"]}"', f'"{first.json["revision"]}-gzip"']
        answers = [manager.get("/v1/fleet?cluster=small", If_None_Match=tag) for tag in tags]
        return answers if manager.get("/v1/clusters").headers["Reeve-Revision"] == str(first.json["revision"]) else None
    for answer in until(steady):
        assert answer.status == 304 and answer.bytes == b"" and answer.headers["Vary"] == "Accept-Encoding"
    assert manager.get("/v1/fleet?cluster=small", If_None_Match='"1"').status == 200
    assert manager.get("/v1/fleet?cluster=nobody").code == "R0403"


def test_it_is_of_one_revision_while_everything_changes(manager):
    """What a watch tells behind an answer makes of it what there is in the end."""
    answers = []
    for n in range(8):
        assert manager.patch("/v1/nodegroups/large/web", {"size": MANY - 40 * (n % 2), "labels": {"n": str(n)}}).status in (200, 409) or \
            manager.ask("PATCH", "/v1/nodegroups/large/web?allow=destroy:99", json.dumps({"size": MANY - 40}), Content_Type="application/merge-patch+json").status == 200
        answers.append(manager.get("/v1/fleet").json)
    assert len({one["revision"] for one in answers}) > 3, "they were asked for while things changed"
    names = {one["metadata"]["id"]: one["metadata"]["name"] for one in manager.get("/v1/clusters").json["items"]}

    def still():
        """Nothing happens any more."""
        one = manager.get("/v1/fleet").json
        machines = manager.get("/v1/clusters/large").json["status"]["machines"]
        return one if machines["ready"] == machines["wanted"] and manager.get("/v1/fleet").json["revision"] == one["revision"] else None
    last = until(still, seconds=240)
    for answer in answers:
        found = rows(answer)
        stream = Events(manager, f"?kinds=resource&from={answer['revision']}")
        seen = answer["revision"]
        while seen < last["revision"]:
            kind, number, data = stream.next()
            assert kind in ("hello", "put", "del"), (kind, data)
            if kind == "put":
                state = {"active": 1, "delete": 2}.get(data["status"]["state"], 0)
                found[data["metadata"]["id"]] = (data["metadata"]["cluster"], data["metadata"]["name"], data["status"]["group"], state)
            elif kind == "del":
                found.pop(data["id"].split("/")[1], None)
            seen = number or seen
            if kind != "hello" and data.get("revision", 0) >= last["revision"]:
                break
            if rows(last) == found:
                break
        stream.close()
        assert found == rows(last)
    assert set(names.values()) == {"large", "small"}


def test_many_who_ask_at_once_are_all_answered(manager):
    connections = [manager.connect() for _ in range(12)]
    for at, connection in enumerate(connections):
        connection.request("GET", "/v1/fleet", headers={"Accept-Encoding": "gzip"} if at % 2 else {})
    connections[0].close()  # who asked first goes away
    for at, connection in enumerate(connections[1:], 1):
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200
        assert len(rows(json.loads(gzip.decompress(body) if at % 2 else body))) > MANY - 100
        connection.close()
    assert manager.get("/v1/whoami").status == 200


def test_the_manager_ends_while_it_is_made(manager):
    """Nobody waits for what does not come, and nothing is left behind (the sanitizers look)."""
    def read(connection):
        """What one who reads at once is told: an answer that is whole, a refusal, or (its request was not read yet) an end."""
        try:
            answer = connection.getresponse()
            answer.read()
            return answer.status
        except ConnectionError:
            return None
    connections = [manager.connect() for _ in range(4)]
    with concurrent.futures.ThreadPoolExecutor(len(connections)) as pool:
        for connection in connections:
            connection.request("GET", "/v1/fleet")
        answers = [pool.submit(read, connection) for connection in connections]
        assert manager.stop() == 0, "what is told to somebody who reads does not hold it up"
        assert {answer.result() for answer in answers} <= {200, 503, None}
    for connection in connections:
        connection.close()
    manager.start()


def test_long_answers_are_compressed_for_who_takes_it(manager):
    """Events, and every other list; short ones, and those of who does not take it, are as they were."""
    for path in ("/v1/events?cluster=large&last=500", "/v1/resources?cluster=large&limit=200"):
        plain = manager.get(path, connection=manager.connect(tcp=False))
        packed = manager.ask("GET", path, Accept_Encoding="gzip")
        assert plain.headers["Content-Encoding"] is None and packed.headers["Content-Encoding"] == "gzip" and packed.headers["Vary"] == "Accept-Encoding"
        assert len(packed.bytes) < len(plain.bytes) / 2 and json.loads(gzip.decompress(packed.bytes))["items"] == plain.json["items"]
    short = manager.ask("GET", "/v1/events?cluster=large&last=1", Accept_Encoding="gzip")
    assert short.headers["Content-Encoding"] is None and short.json["items"]
