"""What a grant on a part of a tenant covers, and nothing else: every route that changes or reads anything, for senders with a
grant on one group, on one cluster, beside a role of the whole tenant, and without any; with every form of body that names
something else than the path does."""

import contextlib
import itertools
import json
import pathlib
import sqlite3
import tempfile

import pytest

from manager import Manager, cluster, until
from test_access import route_table

CANARY = "xyzzy"
JSON, MERGE, PATCH, YAML = ("application/json", "application/merge-patch+json", "application/json-patch+json",
                            "application/yaml")
ALLOW = "allow=destroy:9,replace:9,rename:9,lift:9"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f a"


def store_rows(manager):
    """Every key of the store and its value, and the types of all events, read from a copy."""
    def look():
        found = {}
        for name in ("store.db", "store.db-wal"):
            with contextlib.suppress(FileNotFoundError):
                found[name] = (manager.folder / "data" / name).read_bytes()
        return found

    found = until(lambda: (found := look()) == look() and found, manager.log.read_text)
    with tempfile.TemporaryDirectory() as place:
        for name, content in found.items():
            pathlib.Path(place, name).write_bytes(content)
        with contextlib.closing(sqlite3.connect(pathlib.Path(place, "store.db"))) as database:
            rows = {bytes(key).decode(): bytes(value or b"") for key, value in database.execute(
                "SELECT current.key, log.value FROM current JOIN log ON log.id = current.id WHERE dead=0")}
            events = [json.loads(body)["type"] for body, in database.execute("SELECT body FROM events")]
    return rows, events


def labelled(document, word=CANARY):
    """All groups of a cluster document with a label that nobody else has."""
    for group in document["groups"].values():
        group["labels"] = {"word": word}
    return document


class World:
    """A manager with two tenants; in the tenant a two clusters, templates, an account with its secret; and senders."""

    # user: (grants, groups of clusters that are covered; None: all of a cluster)
    SENDERS = {
        "group": ([{"role": "operator", "cluster": "shop", "nodegroup": "web"}], {"shop": ["web"]}),
        "cluster": ([{"role": "operator", "cluster": "shop"}], {"shop": None}),
        "mixed": ([{"role": "viewer"}, {"role": "operator", "cluster": "shop", "nodegroup": "web"}], {"shop": ["web"]}),
        "looker": ([{"role": "viewer", "cluster": "shop"}], {}),
        "viewer": ([{"role": "viewer"}], {}),
        "known": ([], {}),
    }

    def __init__(self, folder):
        self.manager = Manager(folder).start()
        for tenant in ("a", "b"):
            assert self.manager.post("/v1/tenants", {"name": tenant}).status == 201
        self.manager.apply(labelled(cluster("shop", web=3, db=2)), labelled(cluster("prod", web=2, db=3)),
                           {"kind": "Secret", "name": "sec", "value": "s3cret"},
                           {"kind": "Account", "name": "acc", "plugin": "sim", "secret": "sec"},
                           {"kind": "NodeGroupTemplate", "name": "big", "size": 7},
                           {"kind": "ClusterTemplate", "name": "std", "groups": {}}, Reeve_Tenant="a")
        self.manager.apply(labelled(cluster("prod", db=3)), Reeve_Tenant="b")
        self.ids = {item["metadata"]["name"]: item["metadata"]["id"]
                    for item in self.manager.get("/v1/clusters?tenant=a").json["items"]}
        saved = self.manager.post("/v1/plans?tenant=a", {"documents": [labelled(cluster("prod", web=2, db=0))]})
        self.plan = saved.json["id"]
        self.tokens = {}
        for user, (grants, _) in self.SENDERS.items():
            self.manager.post("/v1/users?tenant=a", {"name": user})
            self.tokens[user] = self.manager.post("/v1/tokens?tenant=a", {"user": user}).json["token"]
            for grant in grants:
                made = self.manager.post("/v1/grants?tenant=a", {"user": user, **grant})
                assert made.status == 201, made.text

    def is_covered(self, user, key):
        """May this sender change this key?"""
        covered = self.SENDERS[user][1]
        _, tenant, kind, *rest = key.split("/")
        if kind == "Command" or (tenant, kind) == ("_", "Token"):
            return True
        for name, groups in covered.items():
            if groups is None and key == f"/a/Name/Cluster/{name}/base":
                return True
            if tenant != "a" or rest[0] != self.ids[name]:
                continue
            if groups is None or (kind in ("NodeGroup", "Control") and "/".join(rest[1:-1]).split("/", maxsplit=1)[0] in groups):
                return True
        return False

    def outside(self, user, rows):
        """Everything that this sender may not change; of a cluster of which he may change a group what it says itself."""
        found = {}
        for key, value in rows.items():
            if self.is_covered(user, key):
                continue
            if key.split("/")[2] == "Cluster" and key.endswith("/spec"):
                whole = json.loads(value)
                value = {"spec": whole["spec"], "name": whole["metadata"]["name"]}
            found[key] = value
        return found


@pytest.fixture(name="world", scope="module")
def made_world(tmp_path_factory):
    """One for all tests: none of them may change anything of it."""
    world = World(tmp_path_factory.mktemp("grants"))
    yield world
    world.manager.stop()


def test_a_body_does_not_say_which_object_is_written(world):
    """As it was found: the path names the own group, the body another one."""
    manager, token = world.manager, world.tokens["group"]
    before, _ = store_rows(manager)
    body = {"cluster": "prod", "name": "db", "size": 0}
    for query in ("?allow=destroy:3", "?dry-run=1"):
        refused = manager.patch("/v1/nodegroups/shop/web" + query, body, token=token)
        assert (refused.status, refused.code) == (422, "R0429"), refused.text
        operations = [{"op": "replace", "path": f"/{key}", "value": value} for key, value in body.items()]
        refused = manager.patch("/v1/nodegroups/shop/web" + query, json.dumps(operations), token=token, Content_Type=PATCH)
        assert (refused.status, refused.code) == (422, "R0429"), refused.text
        refused = manager.patch("/v1/nodegroups/shop/web" + query, body)  # no right makes it another object's patch
        assert refused.status == 404, refused.text
        refused = manager.patch(f"/v1/nodegroups/shop/web{query}&tenant=a", body)
        assert refused.code == "R0429", refused.text
    renamed = {"kind": "NodeGroup", "cluster": "shop", "name": "web", "renamedFrom": "db", "size": 1, "resourcePlugin": {"name": "sim"}}
    refused = manager.ask("PUT", f"/v1/nodegroups/shop/web?dry-run=1&{ALLOW}", renamed, token=token)
    assert refused.status in (403, 404), refused.text
    assert world.outside("group", store_rows(manager)[0]) == world.outside("group", before)


def test_a_grant_covers_no_account_of_the_tenant(world):
    """Machines of a group are made with the credentials of its account: naming another one is not within a grant on the group."""
    manager = world.manager
    for user in ("group", "cluster", "mixed"):
        refused = manager.patch("/v1/nodegroups/shop/web?dry-run=1", {"resourcePlugin": {"name": "sim", "account": "acc"}},
                                token=world.tokens[user])
        assert refused.status == 403 and "account 'acc'" in refused.text, refused.text
    assert manager.patch("/v1/nodegroups/shop/web?dry-run=1&tenant=a&allow=replace:9",
                         {"resourcePlugin": {"name": "sim", "account": "acc"}}).status == 200


def test_another_name_of_a_cluster_is_not_covered(world):
    manager = world.manager
    refused = manager.patch("/v1/clusters/shop?dry-run=1&allow=rename:1", {"name": "other"}, token=world.tokens["cluster"])
    assert (refused.status, refused.code) == (403, "R0409"), refused.text
    assert manager.patch("/v1/clusters/shop?dry-run=1&tenant=a&allow=rename:1", {"name": "other"}).status == 200


def test_what_a_grant_covers_is_done(world):
    manager = world.manager
    for user, size in (("group", 4), ("mixed", 5), ("cluster", 3)):
        done = manager.patch("/v1/nodegroups/shop/web?allow=destroy:9", {"size": size}, token=world.tokens[user])
        assert done.status == 200, done.text
    assert manager.post("/v1/nodegroups/shop/web/say", {"command": "pause"}, token=world.tokens["group"]).status == 200
    assert manager.post("/v1/nodegroups/shop/web/say", {"command": "resume"}, token=world.tokens["mixed"]).status == 200
    assert manager.get("/v1/nodegroups/shop/web?tenant=a").json["spec"]["size"] == 3


# ---- every route with every form of body ----


def others(world):
    """Documents that name something else than the path does, or more."""
    flat = {"cluster": "prod", "name": "db", "size": 0}
    whole = {"kind": "NodeGroup", **flat, "resourcePlugin": {"name": "sim"}}
    prod = labelled(cluster("prod", web=2, db=0))
    return [
        {"size": 0}, flat, {"name": "db", "size": 0}, {"cluster": "prod", "size": 0}, whole, prod,
        {"kind": "NodeGroup", "metadata": {"cluster": "prod", "name": "db"}, "spec": {"size": 0}},
        {"kind": "NodeGroup", "metadata": {"cluster": "shop", "name": "web"}, "spec": {"cluster": "prod", "name": "db", "size": 0}},
        {"metadata": {"cluster": "prod", "name": "db"}, "cluster": "shop", "name": "web", "size": 0},
        {"kind": "Cluster", "name": "prod", "groups": {}}, {"id": world.ids["prod"], "name": "prod", "groups": {}},
        {"id": world.ids["prod"], "size": 0}, {"kind": "Cluster", "id": world.ids["prod"], "name": "shop", "version": "1", "groups": {}},
        {"renamedFrom": "db", "size": 1}, {"kind": "NodeGroup", "cluster": "shop", "name": "web", "renamedFrom": "db", "size": 1},
        {"groups": {"db": {"size": 0}}}, {"groups": {"web": {"renamedFrom": "db"}}}, {"name": "prod2"},
        {"from": {"nodegroup": "prod/db"}}, {"from": {"cluster": "prod"}}, {"resourcePlugin": {"name": "sim", "account": "acc"}},
        {"bootstrap": [{"tar": "x" * 64, "run": "true"}], "cluster": "prod", "name": "db"},
        {"plugin": "sim", "secret": "sec", "name": "acc"}, {"value": "other"}, {"tenant": "b"}, {"tenant": "b", **flat},
        {"to": 1}, {"link": "x"},
        {"documents": [labelled(cluster("shop", web=1, db=2)), prod]}, {"documents": [whole]},
        {"documents": [{"kind": "NodeGroup", "cluster": "shop", "name": "web", "size": 1}, whole]},
        *({"command": word, "rule": rule, "node": "db-0", "job": "1", "key": KEY, "from": "0"}
          for word in ("pause", "resume", "approve", "reject", "retry", "rollout-abort", "rotate", "revoke", "bootstrap", "accept", "job-cancel")
          for rule in ("listing_brake", "listing_brake/db")),
        {"command": "true", "nodes": "db-0"}, {"nodes": "prod/db-0", "from": "0", "again": True}, {"node": "db-0", "key": KEY},
        {"user": "viewer", "role": "admin"}, {"user": "group", "role": "operator"}, {"name": "eve"}, {"user": "viewer", "days": 1},
        {"name": "sim2", "url": "https://example.org/x", "digest": "0" * 64},
    ]


def operations(document):
    """The same as a JSON patch: member by member, and as a whole."""
    if isinstance(document, dict):
        yield [{"op": "add", "path": f"/{key}", "value": value} for key, value in document.items()]
        yield [{"op": "replace", "path": "", "value": document}]
    yield [{"op": "move", "from": "/size", "path": "/name"}]
    yield [{"op": "copy", "from": "/name", "path": "/cluster"}]


def bodies(world, method, consumes):
    """(body, its type), of every type that the route takes."""
    if method in ("GET", "DELETE") or not consumes.strip('"'):
        yield None, None
        return
    for document in others(world):
        if JSON in consumes or "JSON_TYPE" in consumes or "FILE_TYPES" in consumes:
            yield json.dumps(document), JSON
        if "PATCH_TYPES" in consumes:
            yield json.dumps(document), MERGE
            for patch in operations(document):
                yield json.dumps(patch), PATCH
        if "FILE_TYPES" in consumes:
            documents = document.get("documents", [document])
            yield "\n---\n".join(json.dumps(one) for one in documents), YAML
    if "BYTES_TYPE" in consumes:
        yield b"bytes", "application/octet-stream"


def paths(world, path):
    """A path with everything that it can name: what is covered, and what is not."""
    if "{kinds}/{name...}" in path:
        names = ["nodegroups/shop/web", "nodegroups/shop/db", "nodegroups/prod/db", "clusters/shop", "clusters/prod",
                 f"clusters/{world.ids['prod']}", f"nodegroups/{world.ids['prod']}/db", "nodegrouptemplates/big",
                 "clustertemplates/std", "accounts/acc", "secrets/sec", "clusters/shop%2Fweb", "nodegroups/shop"]
        return [path.replace("{kinds}/{name...}", name) for name in names]
    if "{kinds}" in path:
        return [path.replace("{kinds}", kind) for kind in ("clusters", "nodegroups", "secrets", "accounts", "clustertemplates")]
    if path.startswith("/v1/plans/"):
        return [path.replace("{name}", world.plan)]
    if "{name}" in path:
        return [path.replace("{name}", name) for name in ("shop", "prod", "viewer", "sim", "1", "ansible", "0" * 64)]
    return [path]


def table_with_types():
    """(method, path, who, consumes) of every row of routes.def."""
    from manager import ROOT  # pylint: disable=import-outside-toplevel
    import re  # pylint: disable=import-outside-toplevel
    text = (ROOT / "src/api/request/routes.def").read_text()
    rows = re.findall(r'^ROUTE\("(\w+)", "([^"]+)", (\w+), \w+,\s*(.*?),\s*("[^"]*"|[A-Z_ "a-z]+?),\s*"', text, re.MULTILINE | re.DOTALL)
    return [(method, path, who, consumes) for method, path, who, _, consumes in rows]


def test_the_table_is_read_whole():
    assert [row[:3] for row in table_with_types()] == route_table()


QUERIES = ["", "dry-run=1", "cluster=shop", "tenant=b", f"{ALLOW}&dry-run=1", ALLOW, f"{ALLOW}&victims=db-0"]
OWN = {"/v1/tokens", "/v1/tokens/{name}", "/v1/session", "/v1/links"}  # of whoever asks: test_access.py


@pytest.mark.parametrize("user", World.SENDERS)
def test_no_request_writes_outside_of_its_grants(tmp_path, user):
    world = World(tmp_path)
    manager, token = world.manager, world.tokens[user]
    before, _ = store_rows(manager)
    asked, done, wide = 0, [], []
    connection = manager.connect(tcp=True)
    for method, path, who, consumes in table_with_types():
        if method == "GET" or who == "ANYONE" or path in OWN:
            continue
        for filled, (body, kind), query in itertools.product(paths(world, path), bodies(world, method, consumes), QUERIES):
            if user in ("viewer", "known", "looker") and query not in ("", "cluster=shop", ALLOW):
                continue
            headers = {} if kind is None else {"Content_Type": kind}
            answer = manager.ask(method, f"{filled}?{query}", body, token=token, connection=connection, **headers)
            asked += 1
            if answer.status < 300:
                done.append((method, filled, query, body))
                wide += [(done[-1], item) for item in answer.json.get("objects", [])
                         if item["kind"] not in ("Cluster", "NodeGroup") or not item["name"].startswith("shop")]
    connection.close()
    after, events = store_rows(manager)
    manager.stop()
    assert not wide, wide[:3]
    assert world.outside(user, after) == world.outside(user, before), done[-5:]
    assert events and "access.escaped" not in events
    assert asked > 400
    if user in ("viewer", "known", "looker"):
        assert not done, done[:3]


@pytest.mark.parametrize("user", ["group", "cluster", "looker", "known"])
def test_no_request_reads_outside_of_its_grants(world, user):
    manager, token = world.manager, world.tokens[user]
    leaks, asked = [], 0
    connection = manager.connect(tcp=True)
    secret = [world.ids["prod"], "prod/db", '"prod"', CANARY] if user == "known" else [world.ids["prod"], "prod/db", '"prod"']
    for method, path, _, _ in table_with_types():
        if method != "GET" or path == "/v1/watch":
            continue
        for filled, query in itertools.product(paths(world, path), ["", "cluster=shop", "cluster=prod", "tenant=b", "cluster=shop&name=prod/db-0",
                                                                    "cluster=shop&nodes=prod/db-0", "cluster=shop&event=1", "node=prod/db-0",
                                                                    "selector=cluster=prod&cluster=shop", "cluster=shop&group=db"]):
            answer = manager.ask("GET", f"{filled}?{query}", token=token, connection=connection)
            asked += 1
            text = answer.text.replace(filled, "")
            if answer.status < 300 and any(word in text for word in secret):
                leaks.append((filled, query, answer.text[:300]))
    connection.close()
    assert not leaks, leaks[:3]
    assert asked > 200
