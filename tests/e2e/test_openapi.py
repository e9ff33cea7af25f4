"""The API's description of itself: a validator that is not ours takes it, every example in it is answered
as it says, and 10,000 random requests made from it find no fault of the manager."""

import http.client
import json
import os
import random
import shutil
import subprocess

import pytest

from manager import ROOT, Manager, cluster

REQUESTS = int(os.environ.get("API_REQUESTS", "10000"))
METHODS = ("get", "post", "put", "patch", "delete")


@pytest.fixture(name="reeved", scope="module")
def running(tmp_path_factory):
    """A manager with a few objects."""
    manager = Manager(tmp_path_factory.mktemp("openapi")).start()
    manager.apply(cluster("shop", web=3, db=1),
                  {"kind": "ClusterTemplate", "name": "std", "groups": {"web": {"size": 2}}},
                  {"kind": "NodeGroupTemplate", "name": "gpu", "size": 1})
    yield manager
    assert manager.stop() == 0, manager.log.read_text()


def validator(tmp_path):
    """The validator, installed as its lock file says."""
    folder = tmp_path / "validator"
    shutil.copytree(ROOT / "tests/e2e/openapi", folder)
    subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder,
                   check=True, capture_output=True, timeout=300)
    return folder / "validate.mjs"


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_a_validator_that_is_not_ours_takes_it(reeved, tmp_path):
    document = tmp_path / "openapi.json"
    document.write_bytes(reeved.get("/openapi.json").bytes)
    answer = subprocess.run(["node", str(validator(tmp_path)), str(document)],
                            capture_output=True, text=True, timeout=400, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def examples(document):
    """Every example of the document, in the order of the names: method, path, type, body, target."""
    found = []
    for path, operations in document["paths"].items():
        for method in METHODS:
            if method not in operations:
                continue
            for kind, content in operations[method].get("requestBody", {}).get("content",
                                                                             {}).items():
                for name, example in content.get("examples", {}).items():
                    found.append((name, method, path, kind, example["value"],
                                  example["x-reeve-path"]))
    return [example[1:] for example in sorted(found, key=lambda one: one[0])]


def test_every_example_is_answered(tmp_path):
    manager = Manager(tmp_path).start()
    try:
        manager.apply(cluster("shop", web=3))
        document = manager.get("/openapi.json").json
        found = examples(document)
        assert len(found) >= 10
        for method, path, kind, body, target in found:
            saved = manager.post("/v1/plans", {"documents": [cluster("planned", web=1)]}).json["id"]
            answer = manager.ask(method.upper(), target.replace("PLAN", saved), json.dumps(body),
                                 Content_Type=kind)
            assert answer.status < 300, (method, path, target, answer.text)
    finally:
        assert manager.stop() == 0, manager.log.read_text()


# ---- random requests ----

WORDS = ("shop", "shop/web", "shop/none", "std", "gpu", "nothing", "a" * 300, "%00", "%ff", "..",
         "%2e%2e/%2e%2e", "-", "_", "0", "ä", "'", '"', "<b>", "shop%2fweb")
VALUES = ("", "0", "1", "-1", "true", "web=1", "role in (a,b", "a" * 5000, "99999999999999999999",
          "destroy:4", "destroy:-1", "rename:1,destroy:x", "shop", "%", "%zz", "null", "{}")
SCALARS = (None, True, False, 0, 1, -1, 3.5, 1e300, 2 ** 63, "", "web", "shop", "sim", "a" * 1000,
           "\u0000", "\ud7ff", "{group}-{n}", "10%", "5m", "20GiB", "off")


def random_tree(luck, depth=0):
    """Any JSON, of words that the schema knows now and then."""
    choice = luck.random()
    if depth > 4 or choice < 0.4:
        return luck.choice(SCALARS)
    if choice < 0.6:
        return [random_tree(luck, depth + 1) for _ in range(luck.randrange(4))]
    keys = ("name", "kind", "version", "groups", "size", "defaults", "labels", "from", "spec",
            "metadata", "documents", "take", "allow", "op", "path", "value", "to", "web", "user",
            "role", "revision", "resourcePlugin", "image", "template")
    return {luck.choice(keys): random_tree(luck, depth + 1) for _ in range(luck.randrange(6))}


def mutated(luck, tree):
    """A right document with something changed."""
    if isinstance(tree, dict) and tree and luck.random() < 0.85:
        key = luck.choice(sorted(tree))
        copy = dict(tree)
        if luck.random() < 0.2:
            del copy[key]
        else:
            copy[key] = mutated(luck, tree[key])
        return copy
    if isinstance(tree, list) and tree and luck.random() < 0.85:
        copy = list(tree)
        place = luck.randrange(len(copy))
        copy[place] = mutated(luck, copy[place])
        return copy
    return random_tree(luck)


def random_body(luck):
    """Bytes of a body."""
    right = cluster(luck.choice(("shop", "new", "x")), web=luck.randrange(5))
    if luck.random() < 0.3:
        right = {"documents": [right]}
    choice = luck.random()
    if choice < 0.3:
        tree = right
    elif choice < 0.7:
        tree = mutated(luck, right)
    else:
        tree = random_tree(luck)
    data = json.dumps(tree).encode()
    if luck.random() < 0.1:
        place = luck.randrange(len(data))
        data = data[:place] + bytes([luck.randrange(256)]) + data[place + luck.randrange(3):]
    return data


def random_target(luck, path, operation):
    """A path with its places filled in, and a query."""
    kinds = ("clusters", "nodegroups", "clustertemplates", "nodegrouptemplates", "nodes", "x")
    target = path.replace("{kinds}", luck.choice(kinds)).replace("{name}", luck.choice(WORDS))
    pairs = []
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "query" and parameter["name"] != "wait" and luck.random() < 0.3:  # wait takes its time
            pairs.append(f"{parameter['name']}={luck.choice(VALUES)}")
    if luck.random() < 0.05:
        pairs.append(luck.choice(("tenant=_", "x=1", "&&", "limit", "=", "limit=1&limit=2")))
    return (target + ("?" + "&".join(pairs) if pairs else "")).encode("utf-8")


def test_random_requests_find_no_fault_of_the_manager(reeved):
    document = reeved.get("/openapi.json").json
    operations = [(method, path, row[method]) for path, row in document["paths"].items()
                  for method in METHODS if method in row and path != "/v1/watch"]
    seed = int(os.environ.get("API_SEED", "1"))
    luck = random.Random(seed)
    connection = reeved.connect()
    answered = {}
    for number in range(REQUESTS):
        method, path, operation = luck.choice(operations)
        target = random_target(luck, path, operation)
        types = list(operation.get("requestBody", {}).get("content", {}))
        body = random_body(luck) if types and luck.random() < 0.95 else b""
        head = f"{method.upper()} ".encode() + target.replace(b" ", b"%20") + b" HTTP/1.1\r\nHost: reeve\r\n"
        if types and luck.random() < 0.95:
            head += f"Content-Type: {luck.choice(types)}\r\n".encode()
        if luck.random() < 0.1:
            head += luck.choice((b'If-Match: "1"\r\n', b"If-Match: x\r\n", b"Idempotency-Key: k\r\n",
                                 b"Idempotency-Key: \r\n", b"Reeve-Tenant: other\r\n"))
        head += f"Content-Length: {len(body)}\r\n\r\n".encode()
        if connection.sock is None:
            connection.connect()
        connection.sock.sendall(head + body)
        response = http.client.HTTPResponse(connection.sock, method=method.upper())
        response.begin()
        data = response.read()
        where = (seed, number, method, target, body[:500])
        # this manager reconciles no clusters: it says so where a pass is asked for
        assert response.status < 500 or b'"code":"R0548"' in data, (*where, data)
        answered[response.status] = answered.get(response.status, 0) + 1
        if response.status >= 400:
            assert response.headers["Content-Type"] == "application/problem+json", where
            assert json.loads(data)["status"] == response.status, where
        if response.will_close:
            connection.close()
    connection.close()
    assert reeved.process.poll() is None
    assert reeved.get("/readyz").status == 200
    assert len(answered) >= 6, answered
