"""Roles of nodes: listed by groups and members, needed by others, and given by rules.
Requirements: C11, C12."""
import contextlib
import socket
import subprocess

import pytest

from conftest import REEVE
from hosts import port_of
from manager import Manager, until

MASTERS = ["192.0.2.1", "192.0.2.2", "192.0.2.3"]
WORKERS = ["192.0.2.11", "192.0.2.12", "192.0.2.13"]


@pytest.fixture
def keeping(tmp_path):
    """A manager that reconciles, in haste."""
    with Manager(tmp_path, "--haste", "100", control=True).start() as manager:
        yield manager


def group(size, addresses, **more):
    return {"size": size, "resourcePlugin": {"name": "static"}, "resourceProperties": {"addresses": addresses}, **more}


def document(masters=None, workers=None, **more):
    groups = {"masters": group(masters, MASTERS, roles=["service-master"]) if masters is not None else None,
              "workers": group(workers, WORKERS, roles=["service-worker"]) if workers is not None else None}
    return {"name": "dc", "version": "1", "groups": {name: one for name, one in groups.items() if one}, **more}


def apply(manager, *documents, **more):
    return manager.ask("POST", "/v1/apply", {"documents": list(documents), "allow": {"destroy": 9, "replace": 9}, **more})


def nodes(manager, query=""):
    items = manager.get(f"/v1/nodes?cluster=dc{query}").json["items"]
    return {one["metadata"]["name"]: one["status"].get("roles", []) for one in items if one["status"]["state"] == "ready"}


def codes(answer):
    return sorted({one["code"] for one in [answer.json, *answer.json.get("errors", [])] if "code" in one})


def settle(manager, *names):
    until(lambda: sorted(nodes(manager)) == sorted(names), lambda: str(nodes(manager)))


def test_listed_roles_are_shown_selected_and_exported(keeping):
    both = document(2, 2)
    both["groups"]["workers"]["members"] = {"workers-1": {"roles": ["service-worker", "volplugin-test"]}}
    assert apply(keeping, both).status == 200
    settle(keeping, "masters-0", "masters-1", "workers-0", "workers-1")
    assert nodes(keeping) == {"masters-0": ["service-master"], "masters-1": ["service-master"], "workers-0": ["service-worker"],
                              "workers-1": ["service-worker", "volplugin-test"]}
    assert list(nodes(keeping, "&selector=role%3Dvolplugin-test")) == ["workers-1"]
    assert sorted(nodes(keeping, "&selector=role!%3Dservice-worker")) == ["masters-0", "masters-1"]
    assert sorted(nodes(keeping, "&selector=role%20in(service-master,volplugin-test)")) == ["masters-0", "masters-1", "workers-1"]
    shown = keeping.get("/v1/inventory/ansible-list?cluster=dc").json
    assert shown["service-master"] == shown["role_service_master"] == {"hosts": ["masters-0", "masters-1"]}
    assert shown["volplugin-test"] == {"hosts": ["workers-1"]}
    assert shown["_meta"]["hostvars"]["workers-1"]["reeve_roles"] == ["service-worker", "volplugin-test"]
    assert keeping.get("/v1/why?cluster=dc&name=workers-1").json["machine"]["roles"] == ["service-worker", "volplugin-test"]
    scraped = keeping.get("/v1/sd/prometheus?cluster=dc&port=9200&selector=role%3Dservice-worker")
    assert scraped.status == 200 and scraped.headers["Content-Type"] == "application/json"
    scraped = scraped.json
    assert [one["targets"] for one in scraped] == [["192.0.2.11:9200"], ["192.0.2.12:9200"]]
    assert keeping.get("/v1/sd/prometheus?cluster=dc&selector=role%3Dnone").json == []
    assert keeping.get("/v1/sd/prometheus?cluster=dc&port=99999").status == 400
    scraped = scraped[1:]
    assert scraped[0]["labels"]["__meta_reeve_roles"] == ",service-worker,volplugin-test,"


def test_a_role_waits_for_what_it_needs(keeping):
    refused = apply(keeping, document(None, 1))
    assert refused.status == 409 and codes(refused) == ["R0823"], refused.text
    assert "a new node of group 'workers' cannot get the role 'service-worker'" in refused.text
    assert apply(keeping, document(1, 0)).status == 200
    settle(keeping, "masters-0")
    assert keeping.patch("/v1/nodegroups/dc/workers", {"size": 2}).status == 200
    settle(keeping, "masters-0", "workers-0", "workers-1")
    # a dry run names it too; its own node may have any other role
    refused = apply(keeping, document(1, 2, roles={"service-worker": {"needs": ["service-master", "none"]}},
                                      defaults={"roles": ["x"]}) | {"groups": document(1, 3)["groups"]})
    assert refused.status == 409 and "'none'" in refused.text, refused.text


def test_the_last_holder_stays_while_it_is_needed(keeping):
    assert apply(keeping, document(2, 1)).status == 200
    settle(keeping, "masters-0", "masters-1", "workers-0")
    assert keeping.patch("/v1/nodegroups/dc/masters?allow=destroy:1", {"size": 1}).status == 200
    settle(keeping, "masters-0", "workers-0")
    for path, change in (("masters?allow=destroy:1", {"size": 0}), ("masters", {"roles": []})):
        refused = keeping.patch(f"/v1/nodegroups/dc/{path}", change)
        assert refused.status == 409 and codes(refused) == ["R0824"], refused.text
    refused = apply(keeping, document(None, 1))
    assert refused.status == 409 and codes(refused) == ["R0824"], refused.text
    assert apply(keeping, document(0, 0)).status == 200  # all of them in one request
    settle(keeping)


class Services:
    """Ports that answer on addresses of their own, until one is closed."""

    def __init__(self, count):
        self.port = port_of("127.0.31")
        self.open = {}
        for number in range(count):
            self.listen(number)

    def listen(self, number):
        one = socket.socket()
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind((f"127.0.31.{number + 1}", self.port))
        one.listen()
        self.open[number] = one

    def close(self, number):
        self.open.pop(number).close()

    def close_all(self):
        for number in list(self.open):
            self.close(number)


def moves(manager):
    items = manager.get("/v1/events?cluster=dc&limit=500").json["items"]
    return [(one["node"], one["fact"]) for one in items if one["type"] == "role.moved"]


def test_a_rule_keeps_holders(keeping):
    services = Services(4)
    with contextlib.ExitStack() as stack:
        stack.callback(services.close_all)
        masters = group(2, [f"127.0.31.{number + 1}" for number in range(4)], replaceAfter="1s", heal="off", health={
            "probe": {"tcp": services.port, "every": "200ms", "fail": 2, "timeout": "5s"}, "grace": "1m"})
        rules = {"leader": {"keep": 2, "of": ["masters"]}, "client": {"needs": ["leader"]}}
        both = {"name": "dc", "version": "1", "roles": rules,
                "groups": {"masters": masters, "apps": group(1, WORKERS, roles=["client"])}}
        assert apply(keeping, both).status == 200

        def leaders():
            return sorted(name for name, roles in nodes(keeping).items() if "leader" in roles)

        until(lambda: leaders() == ["masters-0", "masters-1"], lambda: str(nodes(keeping)))
        assert sorted(moves(keeping)) == [(name, "the node has the role 'leader'") for name in ("masters-0", "masters-1")]
        assert keeping.patch("/v1/nodegroups/dc/masters", {"size": 3}).status == 200
        settle(keeping, "masters-0", "masters-1", "masters-2", "apps-0")
        services.close(0)  # away for longer than replaceAfter
        until(lambda: leaders() == ["masters-1", "masters-2"], lambda: str(nodes(keeping)))
        assert moves(keeping)[2:] == [("masters-2", "the node has the role 'leader' in place of masters-0, which is away")]
        services.listen(0)  # when it is back, it takes nothing from others
        settle(keeping, "masters-0", "masters-1", "masters-2", "apps-0")
        assert leaders() == ["masters-1", "masters-2"] and len(moves(keeping)) == 3
        # a holder that leaves is followed: it may leave although others need the role
        answer = keeping.patch("/v1/nodegroups/dc/masters?allow=destroy:1&victims=masters-2", {"size": 2})
        assert answer.status == 200, answer.text
        until(lambda: leaders() == ["masters-0", "masters-1"], lambda: str(nodes(keeping)))
        assert keeping.stop() == 0
        keeping.start()  # a new process reads the holder from the store
        settle(keeping, "masters-0", "masters-1", "apps-0")
        assert leaders() == ["masters-0", "masters-1"]
        refused = keeping.patch("/v1/nodegroups/dc/masters?allow=destroy:2", {"size": 0})
        assert refused.status == 409 and codes(refused) == ["R0824"], refused.text
        # a rule that is gone takes the role from all
        assert apply(keeping, both | {"roles": {}, "groups": {"masters": masters}}).status == 200
        until(lambda: leaders() == [], lambda: str(nodes(keeping)))


def test_cycles_and_names_have_a_caret(tmp_path):
    file = tmp_path / "dc.yaml"
    file.write_text("version: 1\nname: dc\nroles:\n  a: {needs: [b]}\n  b: {needs: [c, a]}\n"
                    "groups: {web: {size: 1, resourcePlugin: {name: static}, roles: [web, 'a b']}}\n")
    done = subprocess.run([str(REEVE), "validate", "-f", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "R0839" in done.stderr and "a needs b needs a" in done.stderr and ":4:15" in done.stderr, done.stderr
    assert "R0310" in done.stderr and "a role" in done.stderr, done.stderr
    assert "hint: remove one of the roles from needs" in done.stderr
    file.write_text("version: 1\nname: dc\nroles:\n  a: {keep: 2, of: [wbe, db]}\n  b: {needs: [batchh, service-master]}\n"
                    "groups: {web: {size: 1, resourcePlugin: {name: static}, members: {web-0: {roles: [batch]}}}}\n")
    done = subprocess.run([str(REEVE), "validate", "-f", str(file)], capture_output=True, text=True, check=False)
    for place, what, hint in ((":4:21", "there is no group 'wbe'", "did you mean 'web'?"), (":4:26", "there is no group 'db'", "name groups of this cluster by their paths"),
                              (":5:15", "there is no role 'batchh'", "did you mean 'batch'?")):
        assert f"{file}{place}: error[R0333]: {what}" in done.stderr and hint in done.stderr, done.stderr
    assert done.stderr.count("R0333") == 3
    file.write_text("version: 1\nname: dc\nroles: {a: {keep: 2, of: [web], spread: zone}}\n"
                    "groups: {web: {size: 1, resourcePlugin: {name: static}, roles: [a], members: {web-0: {roles: [b]}}}}\n")
    done = subprocess.run([str(REEVE), "validate", "-f", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_change_of_a_rule_does_not_take_the_last_needed_holder(keeping):
    """Without the rule, with keep 0, and with another group alone, nobody would have the role, and workers need it."""
    def ruled(**leader):
        base = document(2, None, roles={"leader": {"keep": 1, "of": ["masters"], **leader}, "client": {"needs": ["leader"]}})
        base["groups"]["masters"].pop("roles")
        base["groups"]["others"] = group(0, ["192.0.2.21"])
        base["groups"]["workers"] = group(1, WORKERS, roles=["client"])
        return base

    assert apply(keeping, ruled()).status == 200
    settle(keeping, "masters-0", "masters-1", "workers-0")
    until(lambda: any("leader" in roles for roles in nodes(keeping).values()), lambda: str(nodes(keeping)))
    without = ruled()
    del without["roles"]["leader"]
    for change in (ruled(keep=0), ruled(of=["others"]), without):
        answer = apply(keeping, change)
        assert answer.status == 409 and "R0824" in codes(answer), answer.text
    assert sum("leader" in roles for roles in nodes(keeping).values()) == 1
