"""Nodes wait with their stages for a role that they need, and run them again when a rule gives them a role (C11, C12).

Checked by what the nodes have run and what is on them.
"""

import json
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from manager import until  # noqa: E402
from test_bootstrap import world  # noqa: E402, F401  (a fixture is found by its name)
from test_stages_fail import run  # noqa: E402

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")


def apply(world, rules):
    """A master that is in service once it has the file /srv/up, and a worker."""
    common = {"size": 1, "image": "host", "resourcePlugin": {"name": "local"}, "configuration": "dc"}
    probe = {"probe": {"exec": ["test", "-e", "/srv/up"], "every": "200ms", "fail": 9, "timeout": "5s"}, "grace": "1h"}
    document = {"name": "shop", "version": "1", "roles": rules, "groups": {
        "masters": common | {"roles": ["service-master"], "health": probe}, "workers": common | {"roles": ["service-worker"]}}}
    answer = world.manager.ask("POST", "/v1/apply", {"documents": [document]})
    assert answer.status == 200, answer.text


def roles(world, node):
    """By member, what the facts on a node say."""
    facts = json.loads(world.on(node, "cat", "/etc/cluster_facts.json"))
    return {name: one.get("roles", []) for name, one in facts.items()}


def test_stages_wait_for_a_role_and_follow_one(world):
    repo = world.folder / "repo"
    (repo / "base").mkdir(parents=True)
    (repo / "base/bootstrap.sh").write_text("echo base >>/srv/starts\n")
    (repo / "configuration.yaml").write_text(json.dumps({"bundles": [{"tar": "base", "idempotent": True}]}))
    assert run(world, "config", "push", str(repo), "--name", "dc").returncode == 0
    apply(world, {})
    until(lambda: "masters-0" in world.by_name() and world.starts("masters-0") == ["base"], world.why)
    until(lambda: "waits for" in world.reeve("describe", "node", "shop/workers-0"), world.why)
    assert "a node in service with the role 'service-master'" in world.reeve("why", "shop/workers-0")
    assert world.starts("workers-0") == []
    world.on("masters-0", "sudo", "touch", "/srv/up")
    until(lambda: world.starts("workers-0") == ["base"], world.why)
    assert roles(world, "workers-0") == {"masters-0": ["service-master"], "workers-0": ["service-worker"]}
    until(lambda: world.ready(2), world.why)

    apply(world, {"leader": {"keep": 1, "of": ["masters"]}})
    until(lambda: world.starts("masters-0") == ["base", "base"], world.why)
    assert [(one["node"], one["fact"]) for one in world.events("role.moved")] == [("masters-0", "the node has the role 'leader'")]
    until(lambda: roles(world, "workers-0")["masters-0"] == ["service-master", "leader"], world.why)
    assert world.starts("workers-0") == ["base"]
