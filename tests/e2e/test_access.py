"""Who may do what: every route for every role and tenant, from the table of routes itself; tokens; what a
tenant can see of another.

Requirements: M4.
"""

import json
import re
import signal
import subprocess

import pytest

from conftest import ENVIRONMENT, REEVE
from manager import ROOT, Events, Manager, cluster, kept_below

ROLES = ["nobody", "known", "viewer", "operator", "admin", "owner"]


def route_table():
    """(method, path, who) of every row of routes.def."""
    text = (ROOT / "src/api/request/routes.def").read_text()
    return re.findall(r'^ROUTE\("(\w+)", "([^"]+)", (\w+),', text, re.MULTILINE)


@pytest.fixture(name="world", scope="module")
def two_tenants(tmp_path_factory):
    """A manager with the tenants a and b, a token of each role in a, and a cluster in each."""
    manager = Manager(tmp_path_factory.mktemp("world")).start()
    tokens = {}
    for tenant in ("a", "b"):
        assert manager.post("/v1/tenants", {"name": tenant}).status == 201
        manager.apply(cluster("shop", web=1), Reeve_Tenant=tenant)
    for role in ROLES[1:]:
        manager.post("/v1/users?tenant=a", {"name": role})
        made = manager.post("/v1/tokens?tenant=a", {"user": role})
        assert made.status == 201, made.text
        tokens[role] = made.json["token"]
        if role == "owner":
            grant = {"user": role, "role": "admin", "tenant": "*"}
        elif role != "known":
            grant = {"user": role, "role": role}
        else:
            continue
        assert manager.post("/v1/grants?tenant=a", grant).status == 201
    tokens["nobody"] = "0" * 64
    yield manager, tokens
    manager.stop()


def fill(path):
    """A path of things that are not there."""
    return (path.replace("{kinds}", "clusters").replace("{name...}", "nothing")
            .replace("{name}", "nothing"))


def verdict(answer):
    """What an answer says of rights, whatever else was wrong: yes, no, or who are you?"""
    code = answer.json.get("code") if "json" in answer.headers.get("Content-Type", "") and isinstance(answer.json, dict) else None
    # R0422: wrong tokens of this address were too many, which says as little of it
    return {"R0410": "who", "R0422": "who", "R0409": "no"}.get(code, "yes")


def expected(who, role, tenant, is_object):
    """What the table says."""
    need = {"ANYONE": 0, "KNOWN": 1, "VIEWER": 2, "OPERATOR": 3, "ADMIN": 4, "OWNER": 5}[who]
    have = ROLES.index(role)
    if tenant != "a" and have < 5:
        have = min(have, 1)
    if need == 0:
        return "yes"
    if role == "nobody":
        return "who"
    if have >= need or (is_object and have < 2):  # one who may not look is told: there is none
        return "yes"
    return "no"


def test_every_route_for_every_role_and_tenant(world):
    manager, tokens = world
    differences, asked = [], 0
    routes = route_table()
    assert len(routes) > 25
    connection = manager.connect(tcp=True, source="127.0.0.9")  # of the wrong tokens from there others hear nothing
    for method, path, who in routes:
        if path == "/v1/watch":
            continue  # has no end; below
        for role in ROLES:
            for tenant in ("a", "b", "c"):
                answer = manager.ask(method, fill(path) + f"?tenant={tenant}", token=tokens[role],
                                     connection=connection)
                asked += 1
                want = expected(who, role, tenant, "{name...}" in path or path.startswith("/v1/clusters/"))
                if (method, path) == ("POST", "/v1/tokens") and tenant != "a":
                    want = {"nobody": "who", "owner": "yes"}.get(role, "no")  # no user there
                if (method, path) == ("POST", "/v1/session"):
                    want = "who"  # logging in: whatever the request came with, it named nobody
                if path == "/n/{name}/phone-home":
                    want = verdict(answer) if answer.status in (404, 429) else "a wrong token of any user"
                if verdict(answer) != want:
                    differences.append((method, path, role, tenant, want, answer.text))
    connection.close()
    assert not differences, differences[:5]
    assert asked == 18 * (len(routes) - 1)


def test_foreign_objects_and_tenants_look_like_none(world):
    manager, tokens = world
    for role in ROLES[1:5]:
        answers = [manager.get(f"/v1/clusters/{name}?tenant={tenant}", token=tokens[role])
                   for name, tenant in (("shop", "b"), ("nothing", "b"), ("shop", "c"))]
        bodies = []
        for answer in answers:
            assert answer.status == 404
            body = answer.json
            del body["request"]
            bodies.append(json.dumps(body).replace("nothing", "shop"))
        assert len(set(bodies)) == 1
        lists = [manager.get(f"/v1/clusters?tenant={tenant}", token=tokens[role]).json["detail"]
                 for tenant in ("b", "c")]
        assert lists[0].replace("'b'", "'c'") == lists[1]


def test_what_is_not_permitted_is_not_done(world):
    manager, tokens = world
    assert manager.patch("/v1/clusters/shop", {"groups": {"web": {"size": 9}}},
                         token=tokens["viewer"]).code == "R0409"
    assert manager.get("/v1/nodegroups/shop/web?tenant=a").json["spec"]["size"] == 1
    seen = manager.get("/v1/clusters/shop", token=tokens["viewer"]).json
    assert seen["metadata"]["tenant"] == "a"


def test_a_grant_on_one_cluster_is_on_that_alone(world):
    manager, _ = world
    manager.post("/v1/users?tenant=a", {"name": "one"})
    token = manager.post("/v1/tokens?tenant=a", {"user": "one"}).json["token"]
    manager.apply(cluster("other", web=1, db=1), Reeve_Tenant="a")
    for grant in ({"cluster": "shop"}, {"cluster": "other", "nodegroup": "db"}):
        manager.post("/v1/grants?tenant=a", {"user": "one", "role": "operator", **grant})
    assert manager.get("/v1/clusters/shop", token=token).status == 200
    assert manager.get("/v1/nodegroups?cluster=shop", token=token).status == 200
    assert manager.get("/v1/clusters/other", token=token).status == 404
    assert manager.get("/v1/nodegroups/other/web", token=token).status == 404
    assert manager.get("/v1/nodegroups/other/db", token=token).status == 200
    assert manager.get("/v1/clusters/shop/facts", token=token).code == "R0730"  # asked, and none are known
    assert manager.get("/v1/clusters/shop/logs?node=web-0", token=token).code == "R0548"
    assert manager.get("/v1/clusters/other/facts", token=token).code == "R0403"
    assert manager.get("/v1/clusters", token=token).code == "R0409"
    assert "use -c NAME" in manager.get("/v1/holds", token=token).text  # what would be answered is told
    assert "use -c NAME" not in manager.post("/v1/users", {"name": "two"}, token=token).text
    for path in ("fleet", "holds", "nodes"):  # what is asked of the group alone is answered
        assert manager.get(f"/v1/{path}?cluster=other&group=db", token=token).status == 200, path
        for query in ("", "?cluster=other", "?cluster=other&group=", "?cluster=other&group=web", "?cluster=other&group=d", "?group=db"):
            assert manager.get(f"/v1/{path}{query}", token=token).status in (403, 404), (path, query)
    size = {"size": 2}
    assert manager.patch("/v1/nodegroups/other/db", size, token=token).status == 200
    assert manager.patch("/v1/nodegroups/other/web", size, token=token).status == 404


def test_what_one_may_not_read_one_may_not_copy(world):
    """`from` of a change follows only what whoever makes it may read; the rest is as if it were not there."""
    manager, _ = world
    tenant = {"Reeve_Tenant": "a"}
    secret = cluster("vault", web=1)
    secret["groups"]["web"]["labels"] = {"word": "xyzzy"}
    template = {"kind": "ClusterTemplate", "name": "std", "groups": {"web": {
        "size": 1, "resourcePlugin": {"name": "sim"}, "labels": {"word": "xyzzy"}}}}
    made = {"name": "made", "version": "1", "from": {"template": "std"}}
    manager.apply(secret, template, {"kind": "NodeGroupTemplate", "name": "big", "size": 7}, **tenant)
    manager.apply(made, cluster("own", web=1, db=1), **tenant)
    manager.post("/v1/users?tenant=a", {"name": "narrow"})
    token = manager.post("/v1/tokens?tenant=a", {"user": "narrow"}).json["token"]
    for grant in ({"cluster": "made"}, {"cluster": "own", "nodegroup": "web"}):
        manager.post("/v1/grants?tenant=a", {"user": "narrow", "role": "operator", **grant})

    def change(path, body):
        return manager.patch(path + "?allow=destroy:9,replace:9", body, token=token)
    for body in ({"groups": {"new": {"from": {"nodegroup": "vault/web"}}}},
                 {"groups": {"new": {"from": {"nodegroup": "own/db"}}}},
                 {"groups": {"new": {"from": {"nodegrouptemplate": "big"}}}},
                 {"groups": {"new": {"from": {"nodegrouptemplate": "std/web"}}}},
                 {"from": {"cluster": "vault"}}):
        refused = change("/v1/clusters/made", body)
        assert refused.status in (404, 422), (body, refused.text)
        same = manager.patch("/v1/clusters/made?dry-run=1&allow=destroy:9,replace:9",
                             json.loads(json.dumps(body).replace("vault", "nothere")
                                        .replace("own/db", "own/nothere").replace("std", "nothere")
                                        .replace("big", "nothere")), **tenant)
        assert refused.json["errors"][0]["code"] == same.json["errors"][0]["code"]
        assert "xyzzy" not in refused.text
    refused = change("/v1/nodegroups/own/web", {"from": {"nodegroup": "own/db"}})
    assert refused.status in (404, 409, 422), refused.text
    # what is his he may copy, and what was made from something else goes on
    assert change("/v1/clusters/made", {"groups": {"new": {"from": {"nodegroup": "own/web"}}}}).status == 200
    assert change("/v1/clusters/made", {"groups": {"web": {"size": 2}}}).status == 200
    undone = manager.post("/v1/clusters/made/undo?allow=destroy:9", {}, token=token)
    assert undone.status == 200, undone.text
    shown = manager.get("/v1/clusters/made?view=export", token=token).text
    assert manager.ask("PUT", "/v1/clusters/made?allow=destroy:9", shown, token=token,
                       Content_Type="application/json").status == 200


def test_tokens_are_shown_once_and_end_at_once(world):
    manager, tokens = world
    made = manager.post("/v1/tokens", {"note": "mine", "days": 1}, token=tokens["viewer"])
    assert made.status == 201, made.text
    token, number = made.json["token"], made.json["metadata"]["id"]
    assert manager.get("/v1/whoami", token=token).json["user"] == "viewer"
    listed = manager.get("/v1/tokens", token=tokens["viewer"])
    assert token not in listed.text and number in listed.text
    assert {item["spec"]["user"] for item in listed.json["items"]} == {"viewer"}
    assert manager.ask("DELETE", f"/v1/tokens/{number}", token=tokens["operator"]).status == 404
    assert manager.ask("DELETE", f"/v1/tokens/{number}", token=tokens["viewer"]).status == 200
    assert manager.get("/v1/whoami", token=token).code == "R0410"
    stored = b"".join(kept_below(manager.folder / "data").values())
    assert token.encode() not in stored and tokens["viewer"].encode() not in stored


def test_a_token_ends_with_the_token_that_made_it(world):
    manager, tokens = world
    first = manager.post("/v1/tokens", {"days": 1}, token=tokens["viewer"]).json
    short = first["token"]
    second = manager.post("/v1/tokens", {}, token=short)
    assert second.status == 201 and second.json["spec"]["expires"] == first["spec"]["expires"], second.text
    for days in (2, 3650):
        refused = manager.post("/v1/tokens", {"days": days}, token=short)
        assert (refused.status, refused.code) == (403, "R0409"), refused.text
    third = manager.post("/v1/tokens", {}, token=second.json["token"]).json["token"]
    assert manager.get("/v1/whoami", token=third).status == 200
    assert manager.ask("DELETE", f"/v1/tokens/{first['metadata']['id']}", token=tokens["viewer"]).status == 200
    for token in (short, second.json["token"], third):
        assert manager.get("/v1/whoami", token=token).code == "R0410"
    listed = manager.get("/v1/tokens", token=tokens["viewer"]).text
    assert second.json["metadata"]["id"] not in listed
    # by way of the socket, tokens have no end but their own
    assert "expires" not in manager.post("/v1/tokens?tenant=a", {"user": "viewer"}).json["spec"]


def test_a_token_ends_with_the_user_that_made_it(world):
    manager, tokens = world
    manager.post("/v1/users?tenant=a", {"name": "boss"})
    manager.post("/v1/grants?tenant=a", {"user": "boss", "role": "admin"})
    boss = manager.post("/v1/tokens?tenant=a", {"user": "boss"}).json["token"]
    made = manager.post("/v1/tokens", {"user": "viewer"}, token=boss).json["token"]
    assert manager.get("/v1/whoami", token=made).json["user"] == "viewer"
    assert manager.ask("DELETE", "/v1/users/boss?tenant=a").status == 200
    assert manager.get("/v1/whoami", token=made).code == "R0410"
    assert manager.get("/v1/whoami", token=tokens["viewer"]).status == 200


def test_tokens_are_not_made_with_one_another_without_end(world):
    manager, tokens = world
    token, made = manager.post("/v1/tokens", {}, token=tokens["known"]).json["token"], 1
    while (answer := manager.post("/v1/tokens", {}, token=token)).status == 201:
        token, made = answer.json["token"], made + 1
        assert manager.get("/v1/whoami", token=token).status == 200 and made < 20
    assert answer.code == "R0409"


def test_login_links_of_one_tenant_shut_out_nobody_else(world):
    """600 links of users of one tenant: those of others still count; a user has the newest eight."""
    manager, tokens = world

    def link(token):
        return manager.post("/v1/links", None, token=token).json["link"]

    def is_taken(one):
        return manager.post("/v1/session", {"link": one}).status == 201
    own = link(tokens["admin"])
    flood = [link(tokens["viewer"]) for _ in range(70)]
    assert [is_taken(one) for one in flood[-9:]] == [False] + 8 * [True]
    assert is_taken(own)
    manager.post("/v1/tenants", {"name": "crowd"})
    crowd = []
    for number in range(70):
        manager.post("/v1/users?tenant=crowd", {"name": f"u{number}"})
        crowd.append(manager.post("/v1/tokens?tenant=crowd", {"user": f"u{number}"}).json["token"])
    own = link(tokens["admin"])
    flood = [link(token) for token in crowd for _ in range(9)]
    assert is_taken(own) and is_taken(flood[-1])


def test_I10_what_was_made_and_not_answered_is_not_made_twice(world):
    manager, tokens = world
    key = {"Idempotency_Key": "k1"}
    first = manager.post("/v1/users", {"name": "zoe"}, token=tokens["admin"], **key)
    assert first.status == 201, first.text
    again = manager.post("/v1/users", {"name": "zoe"}, token=tokens["admin"], **key)
    assert again.status == 201 and again.json == first.json
    assert manager.post("/v1/users", {"name": "zoe"}, token=tokens["admin"]).code == "R0402"
    assert manager.post("/v1/users", {"name": "yan"}, token=tokens["admin"], **key).code == "R0412"
    key = {"Idempotency_Key": "k2"}
    made = manager.post("/v1/tokens", {"note": "twice"}, token=tokens["viewer"], **key)
    assert made.status == 201
    count = len(manager.get("/v1/tokens", token=tokens["viewer"]).json["items"])
    again = manager.post("/v1/tokens", {"note": "twice"}, token=tokens["viewer"], **key)
    assert again.code == "R0402" and "shown once" in again.text and made.json["token"] not in again.text
    assert len(manager.get("/v1/tokens", token=tokens["viewer"]).json["items"]) == count
    stored = b"".join(kept_below(manager.folder / "data").values())
    assert made.json["token"].encode() not in stored


def test_a_user_who_logs_out_revokes_the_token_he_came_with(world):
    manager, tokens = world
    own = [manager.post("/v1/tokens", {}, token=tokens["known"]).json["token"] for _ in range(3)]
    for token, tenant in zip(own, ("", "?tenant=a", "?tenant=b")):
        answer = manager.ask("DELETE", f"/v1/tokens/self{tenant}", token=token)
        assert (answer.status, answer.json) == (200, {"changed": True}), answer.text
        assert manager.get("/v1/whoami", token=token).code == "R0410"
        assert manager.ask("DELETE", "/v1/tokens/self", token=token).code == "R0410"
    assert manager.get("/v1/whoami", token=tokens["known"]).json["user"] == "known"
    assert manager.ask("DELETE", "/v1/tokens/self").code == "R0403"
    assert "/_/" not in manager.get("/v1/events?tenant=b").text, "told to another tenant"
    assert not [event for event in manager.get("/v1/events?tenant=b").json["items"]
                if event["kind"] == "Token"], "told to another tenant"


def pages_of(manager, path, limit):
    """Every page of a list, as sets of names or ids; what goes meanwhile hurts nobody."""
    found, token = [], ""
    while token is not None:
        page = manager.get(f"{path}&limit={limit}&next={token}").json
        found.append([item["metadata"].get("name") or item["metadata"]["id"] for item in page["items"]])
        token = page.get("next")
    return found


def test_lists_of_people_come_in_pages(world):
    manager, _ = world
    manager.post("/v1/tenants", {"name": "many"})
    users = [f"u{number}" for number in range(7)]
    tokens = []
    for user in users:
        manager.post("/v1/users?tenant=many", {"name": user})
        made = manager.post("/v1/tokens?tenant=many", {"user": user}).json
        tokens.append(made["metadata"]["id"])
        manager.post("/v1/grants?tenant=many", {"user": user, "role": "viewer"})
    assert pages_of(manager, "/v1/users?tenant=many", 3) == [users[:3], users[3:6], users[6:]]
    pages = pages_of(manager, "/v1/tokens?tenant=many", 2)
    assert [len(page) for page in pages] == [2, 2, 2, 1]
    assert sum(pages, []) == sorted(tokens)
    assert [len(page) for page in pages_of(manager, "/v1/grants?tenant=many", 7)] == [7]
    first = manager.get("/v1/users?tenant=many&limit=3").json
    manager.ask("DELETE", "/v1/users/u2?tenant=many")
    rest = manager.get(f"/v1/users?tenant=many&limit=9&next={first['next']}").json
    assert [item["metadata"]["name"] for item in rest["items"]] == users[3:]
    assert len(manager.get("/v1/tokens?tenant=many&limit=1").json["next"]) == 16
    assert manager.get("/v1/users?limit=x").status == 400


def test_a_user_who_may_see_parts_is_shown_those(world, reeve, tmp_path):
    """The lists of the command line; the manager's stay for those who may see all."""
    manager, _ = world
    for name in ("part", "hidden"):
        manager.apply(cluster(name, web=1, db=2), Reeve_Tenant="a")
    manager.post("/v1/users?tenant=a", {"name": "parted"})
    token = manager.post("/v1/tokens?tenant=a", {"user": "parted"}).json["token"]
    (tmp_path / "token").write_text(token)
    (tmp_path / "token").chmod(0o600)
    env = {"REEVE_URL": f"unix:{manager.socket}", "REEVE_TOKEN_FILE": str(tmp_path / "token")}
    assert reeve("get", "clusters", env=env).returncode == 6  # a right to nothing
    for grant in ({"cluster": "part"}, {"cluster": "part", "role": "operator"}, {"cluster": "hidden", "nodegroup": "db"},
                  {"cluster": "part", "nodegroup": "web"}, {"cluster": "nowhere"}):
        assert manager.post("/v1/grants?tenant=a", {"user": "parted", "role": "viewer", **grant}).status == 201
    told = manager.get("/v1/whoami", token=token).json
    assert {"cluster": "hidden", "nodegroup": "db", "role": "viewer"} in told["grants"] and "nowhere" not in str(told)
    assert manager.get("/v1/clusters", token=token).code == "R0409"

    def names(*words):
        done = reeve("get", *words, "-o", "name", env=env)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()
    assert names("clusters") == ["cluster/part"]
    assert names("nodegroups") == ["nodegroup/hidden/db", "nodegroup/part/db", "nodegroup/part/web"]
    assert names("holds") == names("jobs") == names("resources") == []
    for words in (("status",), ("tree",)):
        done = reeve(*words, env=env)
        assert done.returncode == 0 and "part" in done.stdout and "hidden" not in done.stdout, (words, done)
    assert reeve("get", "clusters", "-l", "a=b", env=env).returncode == 6  # a part cannot be chosen from
    assert reeve("get", "clustertemplates", env=env).returncode == 6


def test_an_admin_of_a_tenant_does_not_become_one_of_all(world):
    manager, tokens = world
    everywhere = {"user": "viewer", "role": "admin", "tenant": "*"}
    assert manager.post("/v1/grants", everywhere, token=tokens["admin"]).code == "R0409"
    assert manager.post("/v1/tokens", {"user": "owner"}, token=tokens["admin"]).code == "R0409"


def test_an_admin_of_a_tenant_takes_nothing_from_an_owner(world):
    manager, tokens = world
    token = manager.get("/v1/tokens?tenant=a").json["items"]
    token = next(item["metadata"]["id"] for item in token if item["spec"]["user"] == "owner")
    grant = manager.get("/v1/grants?tenant=a").json["items"]
    grant = next(item["metadata"]["name"] if "name" in item["metadata"] else item["metadata"]["id"]
                 for item in grant if item["spec"]["user"] == "owner")
    for path in ("users/owner", f"grants/{grant}", f"tokens/{token}"):
        refused = manager.ask("DELETE", f"/v1/{path}", token=tokens["admin"])
        assert (refused.status, refused.code) == (403, "R0409"), (path, refused.text)
    assert manager.get("/v1/whoami", token=tokens["owner"]).json["role"] == "owner"
    spare = manager.post("/v1/tokens", {}, token=tokens["owner"]).json["metadata"]["id"]
    assert manager.ask("DELETE", f"/v1/tokens/{spare}", token=tokens["owner"]).status == 200


def test_a_user_goes_with_tokens_and_grants(world):
    manager, _ = world
    manager.post("/v1/users?tenant=a", {"name": "brief"})
    token = manager.post("/v1/tokens?tenant=a", {"user": "brief"}).json["token"]
    manager.post("/v1/grants?tenant=a", {"user": "brief", "role": "viewer"})
    assert manager.get("/v1/clusters", token=token).status == 200
    assert manager.ask("DELETE", "/v1/users/brief?tenant=a").status == 200
    manager.post("/v1/users?tenant=a", {"name": "brief"})
    assert manager.get("/v1/clusters", token=token).code == "R0410"
    assert "brief" not in manager.get("/v1/grants?tenant=a").text
    assert manager.ask("DELETE", "/v1/tenants/a").code == "R0404"


def test_changes_of_rights_are_events(world):
    manager, _ = world
    kinds = [event["kind"] for event in manager.get("/v1/events?tenant=a").json["items"]
             if event["type"] == "identity.created"]
    assert {"User", "Token", "Grant"} <= set(kinds)


def test_a_watch_is_of_one_tenant(world):
    manager, tokens = world
    assert manager.get("/v1/watch", token=tokens["known"]).code == "R0409"
    watch = Events(manager, "?tenant=a&kinds=cluster")
    watch.next()
    manager.apply(cluster("foreign", web=1), Reeve_Tenant="b")
    manager.apply(cluster("mine", web=1), Reeve_Tenant="a")
    assert watch.next()[2]["metadata"]["name"] == "mine"
    watch.close()


def test_a_user_who_has_a_right_to_a_cluster_may_follow_it(world):
    """It, what belongs to it, and what happens to it; nothing of others."""
    manager, _ = world
    for name in ("mine", "theirs"):
        manager.apply(cluster(name, web=1, db=2), Reeve_Tenant="a")
    manager.post("/v1/users?tenant=a", {"name": "follower"})
    token = manager.post("/v1/tokens?tenant=a", {"user": "follower"}).json["token"]
    for grant in ({"cluster": "mine"}, {"cluster": "theirs", "nodegroup": "db"}):
        assert manager.post("/v1/grants?tenant=a", {"user": "follower", "role": "viewer", **grant}).status == 201
    for query in ("", "?cluster=theirs", "?cluster=nothing"):
        assert manager.get("/v1/watch" + query, token=token).code == "R0409"
    assert manager.get("/v1/watch?tenant=a&cluster=nothing").code == "R0403"
    revision = manager.get("/v1/clusters?tenant=a").json["revision"]
    watch = Events(manager, f"?cluster=mine&kinds=cluster,nodegroup,clustertemplate,event&from={revision}", Authorization=f"Bearer {token}")
    assert watch.next()[0] == "hello"
    manager.apply({"kind": "ClusterTemplate", "name": "std", "groups": {}}, Reeve_Tenant="a")
    for name in ("theirs", "mine"):
        manager.patch(f"/v1/nodegroups/{name}/web?tenant=a", {"labels": {"of": name}})
    manager.ask("DELETE", "/v1/clusters/theirs?tenant=a&allow=destroy:9")
    manager.ask("DELETE", "/v1/clusters/mine?tenant=a&allow=destroy:9")
    told = []
    while not any(name == "event" and data["type"] == "cluster.deleted" for name, data in told) or \
            sum(name == "del" for name, _ in told) < 3:
        name, _, data = watch.next()
        told.append((name, data))
    watch.close()
    assert "theirs" not in str(told) and "std" not in str(told), told
    assert [data["metadata"]["name"] for name, data in told if name == "put" and data["kind"] == "NodeGroup"] == ["web"]
    assert [data["type"] for name, data in told if name == "event"] == ["cluster.changed", "cluster.deleted"]


def test_events_of_a_cluster_are_followed_by_who_has_a_right_to_it(world, reeve, tmp_path):
    manager, _ = world
    manager.apply(cluster("mine", web=1), cluster("theirs", web=1), Reeve_Tenant="a")
    manager.post("/v1/users?tenant=a", {"name": "listener"})
    (tmp_path / "token").write_text(manager.post("/v1/tokens?tenant=a", {"user": "listener"}).json["token"])
    (tmp_path / "token").chmod(0o600)
    assert manager.post("/v1/grants?tenant=a", {"user": "listener", "role": "viewer", "cluster": "mine"}).status == 201
    env = {**ENVIRONMENT, "REEVE_URL": f"unix:{manager.socket}", "REEVE_TOKEN_FILE": str(tmp_path / "token")}
    with subprocess.Popen([str(REEVE), "events", "cluster/mine", "-F", "-o", "jsonl"], stdout=subprocess.PIPE, text=True, env=env) as following:
        assert json.loads(following.stdout.readline())["type"] == "cluster.created"
        for name in ("theirs", "mine"):
            manager.patch(f"/v1/nodegroups/{name}/web?tenant=a&why=party", {"labels": {"of": name}})
        event = json.loads(following.stdout.readline())
        assert (event["name"], event["why"]) == ("mine", "party")
        following.send_signal(signal.SIGINT)
        assert following.wait(60) == 130
    assert reeve("events", "cluster/theirs", "-F", env=env).returncode in (4, 6)
    with subprocess.Popen([str(REEVE), "get", "nodegroups", "-w"], stdout=subprocess.PIPE, text=True, env=env) as watching:
        while "web" not in watching.stdout.readline():
            pass
        for name in ("theirs", "mine"):
            manager.patch(f"/v1/nodegroups/{name}/web?tenant=a", {"labels": {"of": "both"}})
        line = watching.stdout.readline()
        assert "nodegroup/mine/web changed" in line, line
        watching.send_signal(signal.SIGINT)
        assert watching.wait(60) == 130
    assert manager.post("/v1/grants?tenant=a", {"user": "listener", "role": "viewer", "cluster": "theirs"}).status == 201
    refused = reeve("get", "nodegroups", "-w", env=env)  # two: they are named one by one
    assert refused.returncode == 6 and "R0409" in refused.stderr
