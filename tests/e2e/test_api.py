"""The HTTP API as programs use it: objects, changes, lists, problems, watches."""

import json
import re

import pytest

from manager import ROOT, Events, Manager, cluster


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
    twice = '{"documents":[{"name":"a","version":"1"},{"name":"b","name":"c"}]}'
    error = reeved.post("/v1/apply", twice, Content_Type="application/json").json["errors"][0]
    assert (error["code"], error["document"], error["pointer"]) == ("R0102", 1, "/name")


@pytest.mark.parametrize("method, path, body, status, code", [
    ("GET", "/v1/nothing", None, 404, "R0423"),
    ("GET", "/", None, 404, "R0423"),
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


def test_a_watch_tells_every_change(reeved):
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


def test_a_watch_with_a_selector_tells_who_leaves(reeved):
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


def test_a_watch_ends_with_the_manager(tmp_path):
    manager = Manager(tmp_path).start()
    watch = Events(manager)
    assert watch.next()[0] == "hello"
    assert manager.stop() == 0
    assert watch.next() is None


def test_events_tell_what_happened(reeved):
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
    rows = re.findall(r'^ROUTE\("(\w+)", "([^"]+)"', (ROOT / "src/api/routes.def").read_text(),
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


def test_saved_plans_are_listed(reeved):
    saved = reeved.post("/v1/plans", {"documents": [cluster("shop", web=3)], "why": "opening"}).json
    listed = reeved.get("/v1/plans").json["items"]
    assert [plan["id"] for plan in listed] == [saved["id"]]
    assert listed[0]["sums"]["create"] == 3 and listed[0]["why"] == "opening"
