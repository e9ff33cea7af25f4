"""The HTTP API as programs use it: objects, changes, lists, problems, watches (N2)."""

import datetime
import json
import re
import time

import pytest

from manager import ROOT, SIM, Events, Manager, cluster


@pytest.fixture(name="reeved")
def running(tmp_path):
    """A manager that runs."""
    manager = Manager(tmp_path).start()
    yield manager
    assert manager.stop() == 0, manager.log.read_text()


def test_objects_come_and_go(reeved):
    made = reeved.post("/v1/clusters", cluster("shop", web=3))
    assert made.status == 201 and made.headers["Location"] == "/v1/clusters/shop"
    shown = reeved.get("/v1/clusters/shop")
    assert shown.json["spec"]["groups"]["web"]["size"] == 3
    assert shown.headers["ETag"] == f'"{shown.json["metadata"]["revision"]}"'
    assert int(shown.headers["Reeve-Revision"]) >= 1
    number = shown.json["metadata"]["id"]
    assert reeved.get(f"/v1/clusters/{number}").json == shown.json
    assert reeved.get("/v1/nodegroups/shop/web").json["spec"]["size"] == 3
    assert reeved.post("/v1/clusters", cluster("shop", web=3)).status == 409
    assert reeved.ask("DELETE", "/v1/clusters/shop").code == "R0405"
    gone = reeved.ask("DELETE", f"/v1/clusters/{number}?allow=destroy:4")
    assert gone.status == 200, gone.text
    assert reeved.get("/v1/clusters/shop").code == "R0403"


def test_changes_of_one_object(reeved):
    reeved.apply(cluster("shop", web=3))
    etag = reeved.get("/v1/clusters/shop").headers["ETag"]
    assert reeved.get("/v1/clusters/shop", If_None_Match=etag).status == 304
    patched = reeved.patch("/v1/clusters/shop", {"groups": {"web": {"size": 4}}}, If_Match=etag)
    assert patched.status == 200 and patched.json["changed"], patched.text
    late = reeved.patch("/v1/clusters/shop", {"groups": {"web": {"size": 5}}}, If_Match=etag)
    assert late.status == 412 and late.code == "R0401"
    steps = [{"op": "replace", "path": "/groups/web/size", "value": 6}]
    assert reeved.patch("/v1/clusters/shop", json.dumps(steps),
                        Content_Type="application/json-patch+json").status == 200
    assert reeved.get("/v1/nodegroups/shop/web").json["spec"]["size"] == 6
    put = reeved.ask("PUT", "/v1/clusters/shop?allow=destroy:9", cluster("shop", web=1))
    assert put.status == 200, put.text
    assert reeved.get("/v1/nodegroups/shop/web").json["spec"]["size"] == 1
    undone = reeved.post("/v1/clusters/shop/undo?allow=destroy:9", {})
    assert undone.status == 200, undone.text
    assert reeved.get("/v1/nodegroups/shop/web").json["spec"]["size"] == 6
    history = reeved.get("/v1/clusters/shop?view=history").json["items"]
    assert [item["generation"] for item in history] == [5, 4, 3, 2, 1]


def test_what_is_protected_is_changed_by_who_has_seen_it(reeved):
    document = cluster("shop", web=3, db=1)
    document["groups"]["db"]["protected"] = True
    reeved.apply(document)
    etag = {kind: reeved.get(path).headers["ETag"] for kind, path in (
        ("db", "/v1/nodegroups/shop/db"), ("shop", "/v1/clusters/shop"))}
    for method, path, body in (("PATCH", "/v1/nodegroups/shop/db", {"size": 2}),
                               ("PATCH", "/v1/clusters/shop", {"groups": {"db": {"size": 2}}}),
                               ("PUT", "/v1/clusters/shop", cluster("shop", web=3, db=2))):
        kind = "application/json" if method == "PUT" else "application/merge-patch+json"
        answer = reeved.ask(method, path, json.dumps(body), Content_Type=kind)
        assert (answer.status, answer.code) == (428, "R0432"), answer.text
        assert reeved.ask(method, path + "?dry-run=1", json.dumps(body),
                          Content_Type=kind).status == 200
    assert reeved.patch("/v1/nodegroups/shop/web", {"size": 4}).status == 200
    assert reeved.patch("/v1/nodegroups/shop/db", {"size": 2}, If_Match=etag["db"]).status == 200
    assert reeved.patch("/v1/nodegroups/shop/db", {"size": 3}, If_Match=etag["db"]).status == 412
    assert reeved.patch("/v1/nodegroups/shop/db", {"size": 3}, If_Match="*").status == 200
    for path in ("/v1/nodegroups/shop/db", "/v1/clusters/shop"):
        gone = reeved.ask("DELETE", path + "?allow=destroy:9", If_Match="*")
        assert (gone.status, gone.code) == (409, "R0404"), gone.text
    less = reeved.patch("/v1/nodegroups/shop/db?allow=destroy:9", {"size": 1}, If_Match="*")
    assert (less.status, less.code) == (409, "R0404")
    assert reeved.patch("/v1/nodegroups/shop/db", {"protected": False}).status == 428
    assert reeved.patch("/v1/nodegroups/shop/db", {"protected": False}, If_Match="*").status == 200
    assert reeved.ask("DELETE", "/v1/clusters/shop?allow=destroy:9").status == 200


def test_a_dry_run_and_a_plan_change_nothing(reeved):
    dry = reeved.post("/v1/apply?dry-run=1", {"documents": [cluster("shop", web=3)]})
    assert dry.json["sums"]["create"] == 3
    assert reeved.get("/v1/clusters/shop").status == 404
    plan = reeved.post("/v1/plans", {"documents": [cluster("shop", web=3)]}).json["id"]
    assert reeved.get("/v1/clusters/shop").status == 404
    assert reeved.get(f"/v1/plans/{plan}").json["sums"]["create"] == 3
    assert reeved.post(f"/v1/plans/{plan}/apply", {}).status == 200
    assert reeved.get("/v1/clusters/shop").status == 200
    stale = reeved.post("/v1/plans", {"documents": [cluster("shop", web=5)]}).json["id"]
    reeved.apply(cluster("shop", web=4))
    assert reeved.post(f"/v1/plans/{stale}/apply", {}).code == "R0408"


def test_a_plan_is_carried_out_once(reeved):
    """Also when what it made is gone again, and all is as it was when it was made."""
    plan = reeved.post("/v1/plans", {"documents": [cluster("once", web=3)]}).json["id"]
    key = {"Idempotency_Key": "once"}
    assert reeved.post(f"/v1/plans/{plan}/apply", {}, **key).status == 200
    assert reeved.post(f"/v1/plans/{plan}/apply", {}, **key).status == 200, "the same request, and its answer"
    assert reeved.ask("DELETE", "/v1/clusters/once?allow=destroy:9").status == 200
    again = reeved.post(f"/v1/plans/{plan}/apply", {})
    assert again.code == "R0408" and "was executed already, by" in again.json["detail"], again.text
    assert reeved.get("/v1/clusters/once").status == 404
    assert [row["used"]["by"] for row in reeved.get("/v1/plans").json["items"] if row["id"] == plan]
    other = reeved.post("/v1/plans", {"documents": [cluster("once", web=3)]}).json["id"]
    assert reeved.post(f"/v1/plans/{other}/apply", {}).status == 200
    assert reeved.ask("DELETE", "/v1/clusters/once?allow=destroy:9").status == 200


def test_a_request_that_is_repeated_is_made_once(reeved):
    first = reeved.post("/v1/clusters", cluster("shop", web=1), Idempotency_Key="k1")
    again = reeved.post("/v1/clusters", cluster("shop", web=1), Idempotency_Key="k1")
    assert first.status == 201 and again.status in (200, 201)
    assert first.json["objects"] == again.json["objects"]


def test_pointers_are_into_the_document_as_it_was_sent(reeved):
    bad = cluster("two", web=1)
    bad["groups"]["web"]["szie"] = 1
    answer = reeved.post("/v1/apply", {"documents": [cluster("one", web=1), bad]})
    error = answer.json["errors"][0]
    assert answer.status == 422 and answer.headers["Content-Type"] == "application/problem+json"
    assert (error["code"], error["document"], error["pointer"]) == ("R0301", 1, "/groups/web/szie")
    assert "size" in error["hint"]
    bad = cluster("two", web=1)
    bad["groups"]["web"]["zones"] = ["a", "b", "a"]
    error = reeved.post("/v1/apply", {"documents": [bad]}).json["errors"][0]
    assert (error["code"], error["pointer"], error["note"]) == ("R0306", "/groups/web/zones/2", "first here")
    twice = '{"documents":[{"name":"a","version":"1"},{"name":"b","name":"c"}]}'
    error = reeved.post("/v1/apply", twice, Content_Type="application/json").json["errors"][0]
    assert (error["code"], error["document"], error["pointer"]) == ("R0102", 1, "/name")


@pytest.mark.parametrize("method, path, body, status, code", [
    ("GET", "/v1/nothing", None, 404, "R0423"),
    ("GET", "/v2/", None, 404, "R0423"),
    ("DELETE", "/v1/clusters", None, 405, "R0424"),
    ("BREW", "/v1/clusters", None, 405, "R0424"),
    ("GET", "/v1/clusters?limt=1", None, 400, "R0426"),
    ("GET", "/v1/clusters?limit=-1", None, 400, "R0426"),
    ("GET", "/v1/clusters?limit=1&limit=2", None, 400, "R0420"),
    ("GET", "/v1/clusters?next=zz", None, 400, "R0537"),
    ("GET", "/v1/clusters?selector=%3D", None, 400, "R0531"),
    ("GET", "/v1/clusters/%zz", None, 400, "R0420"),
    ("GET", "/v1/clusters/%00", None, 400, "R0420"),
    ("GET", "/v1/../v1/clusters", None, 400, "R0420"),
    ("GET", "/v1/clusters/shop?view=odd", None, 400, "R0426"),
    ("POST", "/v1/apply", "{", 400, "R0122"),
    ("POST", "/v1/apply", "size: 3", 400, "R0101"),
    ("POST", "/v1/apply", "[]", 422, "R0429"),
    ("POST", "/v1/apply", '{"documents":[]}', 422, "R0429"),
    ("POST", "/v1/apply", '{"documets":[]}', 422, "R0429"),
    ("POST", "/v1/apply", '{"documents":[7]}', 422, None),
    ("POST", "/v1/clusters", '{"kind":"NodeGroup","name":"x"}', 422, "R0429"),
    ("POST", "/v1/clusters?allow=all", "{}", 400, "R0426"),
    ("GET", "/v1/clusters?min-revision=999999", None, 504, "R0427"),
    ("GET", "/v1/plans/7f3a", None, 404, "R0403"),
])
def test_problems_have_their_status(reeved, method, path, body, status, code):
    more = {} if body is None else {"Content_Type": "application/json"}
    answer = reeved.ask(method, path, body, **more)
    assert answer.status == status, answer.text
    assert code is None or answer.code == code
    assert answer.json["exit"] > 0 and answer.json["request"]
    assert answer.json["errors"][0]["text"]
    if status == 405:
        assert "GET" in answer.headers["Allow"]


def test_a_body_of_another_type_is_refused(reeved):
    answer = reeved.ask("PATCH", "/v1/clusters/shop", "{}", Content_Type="application/json")
    assert answer.status == 415 and "merge-patch" in answer.json["detail"]


def test_lists_come_in_pages_of_one_revision(reeved):
    for number in range(7):
        document = cluster(f"c{number}", web=1)
        document["labels"] = {"odd": str(number % 2)}
        reeved.apply(document)
    names, token, first = [], "", None
    while True:
        page = reeved.get(f"/v1/clusters?limit=3&next={token}").json
        names += [item["metadata"]["name"] for item in page["items"]]
        first = first or page["revision"]
        assert page["revision"] == first
        if "next" not in page:
            break
        token = page["next"]
        reeved.apply(cluster(f"new-{len(names)}", web=1))
    assert sorted(names) == [f"c{number}" for number in range(7)]
    odd = reeved.get("/v1/clusters?selector=odd=1&fields=metadata.name,spec.labels").json["items"]
    assert sorted(item["metadata"]["name"] for item in odd) == ["c1", "c3", "c5"]
    assert set(odd[0]) == {"metadata", "spec"} and set(odd[0]["metadata"]) == {"name"}
    lines = reeved.get("/v1/clusters?limit=4", Accept="application/jsonl")
    assert lines.headers["Content-Type"] == "application/jsonl" and lines.headers["Reeve-Next"]
    assert len([json.loads(line) for line in lines.text.splitlines()]) == 4


def test_a_long_list_is_whole_and_may_be_left(reeved):
    reeved.apply({**cluster("wide"), "groups": {f"n{number:04}": {"size": 1, "image": "i" * 100,
                                                                  "resourcePlugin": {"name": "sim"}}
                                                for number in range(2000)}})
    path = "/v1/nodegroups?limit=5000"
    reader, slow = reeved.connect(), reeved.connect()
    slow.request("GET", path)  # its answer is begun, and read when all has changed
    for number in range(2):  # a second request of the same connection
        whole = reeved.get(path, connection=reader)
        names = [item["metadata"]["name"] for item in whole.json["items"]]
        assert names == [f"n{each:04}" for each in range(2000)], number
    assert int(whole.headers["Content-Length"]) == len(whole.bytes) > 300_000
    lines = reeved.get(path, Accept="application/jsonl")
    assert [json.loads(line) for line in lines.text.splitlines()] == whole.json["items"]
    left = reeved.connect()
    left.request("GET", path)
    assert left.getresponse().read(1000)
    left.close()
    assert reeved.ask("HEAD", path).headers["Content-Length"] == whole.headers["Content-Length"]
    reeved.ask("DELETE", "/v1/clusters/wide?allow=destroy:2001")
    assert json.loads(slow.getresponse().read())["items"] == whole.json["items"]
    assert reeved.get(path).json["items"] == []


def test_a_watch_reports_every_change(reeved):
    reeved.apply(cluster("shop", web=1))
    watch = Events(reeved, "?kinds=cluster,nodegroup")
    name, start, hello = watch.next()
    assert name == "hello" and hello["revision"] == start
    reeved.apply(cluster("shop", web=2))
    seen = [watch.next(), watch.next()]
    assert {event[2]["kind"] for event in seen} == {"Cluster", "NodeGroup"}
    assert seen[0][1] is None and seen[1][1] == start + 1
    group = next(event[2] for event in seen if event[2]["kind"] == "NodeGroup")
    assert group["spec"]["size"] == 2
    watch.close()
    reeved.apply(cluster("shop", web=3))
    reeved.ask("DELETE", "/v1/clusters/shop?allow=destroy:9")
    again = Events(reeved, Last_Event_ID=str(start))
    assert again.next()[0] == "hello"
    seen = [again.next() for _ in range(6)]
    assert [event[0] for event in seen] == ["put"] * 4 + ["del"] * 2
    assert [event[1] for event in seen] == [None, start + 1, None, start + 2, None, start + 3]
    sizes = [event[2]["spec"]["size"] for event in seen[:4] if event[2]["kind"] == "NodeGroup"]
    assert sizes == [2, 3]
    again.close()


def test_a_watch_with_a_selector_reports_who_leaves(reeved):
    document = cluster("shop", web=1)
    document["labels"] = {"role": "web"}
    watch = Events(reeved, "?kinds=cluster&selector=role%3Dweb")
    watch.next()
    reeved.apply(cluster("other", web=1))
    reeved.apply(document)
    assert watch.next()[2]["metadata"]["name"] == "shop"
    document["labels"] = {"role": "db"}
    reeved.apply(document)
    assert watch.next()[0] == "del"
    watch.close()


def test_a_group_that_goes_names_its_cluster(reeved):
    reeved.apply(cluster("named", web=1, db=1))
    watch = Events(reeved, "?kinds=nodegroup")
    watch.next()
    assert reeved.ask("DELETE", "/v1/nodegroups/named/db?allow=destroy:1").status == 200
    name, _, gone = watch.next()
    assert (name, gone["cluster"], gone["name"]) == ("del", "named", "db")
    watch.close()


def test_a_watch_ends_with_the_manager(tmp_path):
    manager = Manager(tmp_path).start()
    watch = Events(manager)
    assert watch.next()[0] == "hello"
    assert manager.stop() == 0
    assert watch.next() is None


def test_events_show_what_happened(reeved):
    reeved.apply(cluster("shop", web=1))
    reeved.apply(cluster("shop", web=2))
    events = reeved.get("/v1/events?cluster=shop").json
    assert [event["type"] for event in events["items"]] == ["cluster.created", "cluster.changed"]
    assert [event["number"] for event in events["items"]] == [1, 2]
    assert not events["more"]


def test_min_revision_waits_for_it(reeved):
    revision = reeved.apply(cluster("shop", web=1)).json["revision"]
    assert reeved.get(f"/v1/clusters/shop?min-revision={revision}").status == 200


def test_the_api_describes_itself(reeved):
    whole = reeved.get("/openapi.json").json
    assert whole["openapi"] == "3.1.0"
    rows = re.findall(r'^ROUTE\("(\w+)", "([^"]+)"', (ROOT / "src/api/request/routes.def").read_text(),
                      re.MULTILINE)
    told = {(method.upper(), path) for path, item in whole["paths"].items() for method in item}
    assert told == {(method, path.replace("...", "")) for method, path in rows}
    assert "Cluster" in whole["components"]["schemas"]
    reference = (ROOT / "docs/reference/api.md").read_text()
    for _, path in rows:
        assert path.split("{")[0].rstrip("/") in reference, path


def test_metrics_count_requests(reeved):
    def value(name):
        lines = [line for line in reeved.get("/metrics").text.splitlines()
                 if line.startswith(name)]
        return float(lines[0].rpartition(" ")[2]) if lines else 0.0
    name = 'reeve_http_requests_total{route="GET /v1/{kinds}",code="200"}'
    before = value(name)
    for _ in range(5):
        reeved.get("/v1/clusters")
    assert value(name) == before + 5
    assert value("process_resident_memory_bytes") > 0
    watch = Events(reeved)
    watch.next()
    assert value("reeve_watch_clients") == 1
    watch.close()


def test_wait_answers_when_there_is_something_new(reeved):
    reeved.apply(cluster("shop", web=1), cluster("other", web=1))
    seen = reeved.get("/v1/clusters/shop").headers["Reeve-Revision"]
    paths = {"/v1/clusters/shop": True, "/v1/clusters/other": False, "/v1/clusters": True,
             "/v1/nodegroups?cluster=shop": True, "/v1/nodegroups?cluster=other": False,
             "/v1/clusters?selector=x%3Dy": False}
    waiting = {}
    for path in paths:
        one = waiting[path] = reeved.connect()
        one.request("GET", f"{path}{'&' if '?' in path else '?'}wait={seen}")
    assert reeved.get("/healthz").status == 200
    reeved.apply(cluster("shop", web=2))
    newest = reeved.get("/v1/clusters").headers["Reeve-Revision"]
    for path, is_new in paths.items():
        if is_new:
            answer = waiting[path].getresponse()
            assert answer.status == 200 and int(answer.headers["Reeve-Revision"]) > int(seen), path
            assert json.loads(answer.read())
    again = reeved.get(f"/v1/clusters/shop?wait={seen}")  # it is there already
    assert again.status == 200 and again.json["spec"]["groups"]["web"]["size"] == 2
    assert reeved.get("/v1/clusters?wait=1").status == 200
    reeved.ask("DELETE", "/v1/clusters/other?allow=destroy:9")
    assert waiting["/v1/clusters/other"].getresponse().status == 404
    assert waiting["/v1/nodegroups?cluster=other"].getresponse().status in (200, 404)
    assert reeved.get(f"/v1/clusters/nothing?wait={newest}").status == 404
    assert reeved.get("/v1/clusters?wait=x").status == 400
    assert reeved.get(f"/v1/clusters?wait={seen}&next=x").status == 400
    assert reeved.stop() == 0  # nobody keeps it from ending
    assert waiting["/v1/clusters?selector=x%3Dy"].getresponse().status == 304
    reeved.start()


def test_a_request_is_part_of_its_trace(reeved):
    trace, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"

    def told(header=None, path="/v1/limits"):
        more = {} if header is None else {"traceparent": header}
        answer = reeved.get(path, **more)
        version, number, ours, flags = answer.headers["traceparent"].split("-")
        assert (version, len(number), len(ours)) == ("00", 32, 16) and ours != span
        return number, flags, answer
    assert told(f"00-{trace}-{span}-01")[:2] == (trace, "01")
    assert told(f"00-{trace}-{span}-00")[:2] == (trace, "00")
    assert told(f"cc-{trace}-{span}-01-more")[:2] == (trace, "01")
    problem = told(f"00-{trace}-{span}-01", "/v1/clusters/nothing")[2]
    assert problem.status == 404 and problem.json["request"] == trace
    for bad in (None, "", "x", f"00-{trace}-{span}", f"00-{trace}-{span}-01-more", f"ff-{trace}-{span}-01",
                f"00-{'0' * 32}-{span}-01", f"00-{trace}-{'0' * 16}-01", f"00-{trace.upper()}-{span}-01",
                f"00_{trace}_{span}_01"):
        assert told(bad)[0] != trace, bad
    assert told()[0] != told()[0]


def test_each_answer_has_a_line_for_who_debugs(tmp_path):
    (tmp_path / "c.yaml").write_text("log: debug\n")
    manager = Manager(tmp_path, "--config", str(tmp_path / "c.yaml")).start()
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    manager.get("/v1/clusters?selector=word%3Dhidden", traceparent=f"00-{trace}-00f067aa0ba902b7-01")
    assert manager.stop() == 0
    lines = [line for line in manager.log.read_text().splitlines() if trace in line]
    assert len(lines) == 1 and "/v1/{kinds}" in lines[0] and "200" in lines[0]
    assert "hidden" not in lines[0]


def test_limits_and_who_asks(reeved):
    assert reeved.get("/v1/limits").json["bodyBytes"] == 16 * 1024 * 1024
    assert reeved.get("/v1/whoami").json["role"] == "owner"


def test_the_past_is_shown_until_it_is_compacted(reeved):
    reeved.apply(cluster("shop", web=3))
    before = reeved.get("/v1/clusters/shop")
    reeved.patch("/v1/nodegroups/shop/web", {"size": 5})
    revision = before.headers["ETag"].strip('"')
    assert reeved.get(f"/v1/clusters/shop?at={revision}").json == before.json
    assert reeved.get(f"/v1/nodegroups/shop/web?at={revision}").json["spec"]["size"] == 3
    assert reeved.get("/v1/nodegroups/shop/web").json["spec"]["size"] == 5
    assert reeved.get("/v1/clusters/shop?at=x").status == 400
    assert reeved.get(f"/v1/clusters/shop?at={revision}&view=export").status == 400
    assert reeved.get("/v1/clusters/shop?at=99999").status == 410


def test_only_groups_are_of_a_cluster(reeved):
    """Now and in the past; to read one cluster is no right to see the others."""
    reeved.apply(cluster("shop", web=3))
    revision = reeved.get("/v1/clusters/shop").json["metadata"]["revision"]
    for at in ("", f"&at={revision}"):
        assert reeved.get(f"/v1/clusters?cluster=shop{at}").code == "R0426"
        assert len(reeved.get(f"/v1/nodegroups?cluster=shop{at}").json["items"]) >= 1


def test_lists_and_objects_are_shown_as_they_were_at_a_time(reeved):
    reeved.apply(*(cluster(f"c{number}", web=1) for number in range(5)))
    before = reeved.get("/v1/clusters")
    revision = before.headers["Reeve-Revision"]
    time.sleep(0.05)  # the next change is of a later millisecond
    moment = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
    moment = moment.replace("+00:00", "Z")
    time.sleep(0.05)
    for number in range(3):
        reeved.patch(f"/v1/nodegroups/c{number}/web", {"size": 7})
    reeved.ask("DELETE", "/v1/clusters/c4?allow=destroy:9")
    reeved.apply(cluster("later", web=1))
    for at in (revision, moment):
        then = reeved.get(f"/v1/clusters?at={at}").json
        assert then["items"] == before.json["items"] and str(then["revision"]) == revision
        pages, token = [], ""
        while token is not None:
            page = reeved.get(f"/v1/clusters?at={at}&limit=2&next={token}&fields=metadata.name").json
            pages.append([item["metadata"]["name"] for item in page["items"]])
            token = page.get("next")
        assert [len(page) for page in pages] == [2, 2, 1]
        assert sorted(sum(pages, [])) == [f"c{number}" for number in range(5)]
        groups = reeved.get(f"/v1/nodegroups?cluster=c4&at={at}").json["items"]
        assert [group["spec"]["size"] for group in groups] == [1]
        assert reeved.get(f"/v1/nodegroups/c0/web?at={at}").json["spec"]["size"] == 1
        assert reeved.get(f"/v1/clusters/c4?at={at}").status == 200
        assert reeved.get(f"/v1/clusters/later?at={at}").status == 404
    lines = reeved.get(f"/v1/clusters?at={revision}&limit=4", Accept="application/jsonl")
    assert len(lines.text.splitlines()) == 4 and lines.headers["Reeve-Next"]
    now = reeved.get("/v1/clusters?at=2999-01-01T00:00:00Z").json
    assert {item["metadata"]["name"] for item in now["items"]} == {"c0", "c1", "c2", "c3", "later"}
    assert reeved.get("/v1/clusters?at=1999-01-01T00:00:00Z").status == 410
    assert reeved.get("/v1/clusters?at=99999").status == 410
    for bad in ("x", "-1", "2026-13-01T00:00:00Z", "0"):
        assert reeved.get(f"/v1/clusters?at={bad}").status == 400, bad
    assert reeved.get(f"/v1/clusters?at={revision}&selector=a").json["items"] == []
    assert reeved.get(f"/v1/clusters?at={revision}&selector=!a").json["items"] == before.json["items"]
    assert reeved.get(f"/v1/clusters?at={revision}&selector=a+in+(").code == "R0531"
    assert reeved.get(f"/v1/clusters?at={revision}&next=7777/default").code == "R0537"


def test_saved_plans_are_listed(reeved):
    saved = reeved.post("/v1/plans", {"documents": [cluster("shop", web=3)], "why": "opening"}).json
    listed = reeved.get("/v1/plans").json["items"]
    assert [plan["id"] for plan in listed] == [saved["id"]]
    assert listed[0]["sums"]["create"] == 3 and listed[0]["why"] == "opening"


@pytest.mark.parametrize("path, whole", [
    ("/v1/clusters/shop", {"name": "shop", "version": "1", "groups": {"web": {"size": 5, "resourcePlugin": SIM}}}),
    ("/v1/nodegroups/made/web", {"cluster": "made", "name": "web", "size": 5, "resourcePlugin": SIM})])
def test_an_undo_brings_back_what_it_was_made_from(reeved, path, whole):
    """A PUT without `from` drops it; undo gives back the same values from the same places, though the source has changed."""
    web = {"size": 2, "resourcePlugin": SIM, "labels": {"tier": "front"}}
    template = {"kind": "ClusterTemplate", "name": "std", "version": "1", "groups": {"web": web}}
    reeved.apply(template)
    reeved.apply({"name": "shop", "version": "1", "from": {"template": "std"}, "groups": {"web": {"size": 3}}})
    reeved.apply({"name": "made", "version": "1", "groups": {"web": {"from": {"nodegroup": "shop/web"}, "size": 4}}})
    before, effective = reeved.get(path).json, reeved.get(path + "?view=effective").json
    put = reeved.ask("PUT", path + "?allow=destroy:9", whole)
    assert put.status == 200, put.text
    assert "from" not in reeved.get(path).json["spec"]
    web["labels"] = {"tier": "back"}
    reeved.apply(template)
    undone = reeved.post(path + "/undo?allow=destroy:9", {})
    assert undone.status == 200, undone.text
    assert reeved.get(path).json["spec"] == before["spec"]
    assert reeved.get(path + "?view=effective").json == effective
