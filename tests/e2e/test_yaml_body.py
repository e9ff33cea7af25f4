"""A file as a person wrote it, sent as it is (POST /v1/apply and /v1/plans, application/yaml): read as the command line reads it."""

import json
import re
import subprocess

import pytest

from conftest import ENVIRONMENT, REEVE
from manager import Manager

YAML = {"Content_Type": "application/yaml"}
GOOD = """# a comment
name: shop
version: "1"
groups:
  web:
    size: 3
    resourcePlugin: {name: sim}
---
name: blog
version: "1"
groups: {all: {size: 1, resourcePlugin: {name: sim}}}
"""
MISTAKES = [
    "name: shop\nversion: \"1\"\ngroups:\n  web:\n    size: -3\n    resourcePlugin: {name: sim}\n",
    "name: shop\nversion: \"1\"\ngroups:\n  web:\n    sise: 3\n    size: many\n    resourcePlugin: {name: sim}\n",
    "name: shop\nversion: \"1\"\ngroups:\n  wéb ü:\n    size: 3\n    resourcePlugin: {name: sim}\n    resourcePlugin: {name: sim}\n",
    "name: shop\nversion: \"1\"\nlabels: {a: b, a: c}\ngroups:\n  web: {size: 3, zones: 5, resourcePlugin: {name: sim}}\n---\nname: other\ngroups: 7\n",
    "name: [shop\n",
    "name: shop\n\tversion: 1\n",
    "# nothing but this\n",
    "name: shop\nversion: \"1\"\nfrom: {template: nowhere}\n",
]


@pytest.fixture(scope="module", name="manager")
def manager_of_all(tmp_path_factory):
    manager = Manager(tmp_path_factory.mktemp("yaml")).start()
    yield manager
    assert manager.stop() == 0, manager.log.read_text()


def told_by_command(text):
    """What `reeve validate` finds in it."""
    run = subprocess.run([str(REEVE), "validate", "-f", "-", "-o", "json"], input=text, text=True, capture_output=True, check=False, env=ENVIRONMENT)
    found = json.loads(run.stderr)
    return sorted(place_of(one) for one in found["errors"] if one["severity"] == "error")


def place_of(one):
    """What is wrong, and where, as either tells it."""
    note = one.get("noteAt", {})
    return one["code"], one["line"], one["column"], one["length"], one.get("text", one.get("detail")), note.get("line"), note.get("column")


@pytest.mark.parametrize("text", MISTAKES[:-1])
def test_mistakes_are_reported_at_their_places_as_the_command_line_shows_them(manager, text):
    answer = manager.ask("POST", "/v1/apply?dry-run=1", text.encode(), **YAML)
    assert answer.status in (400, 422), answer.text
    ours = sorted(place_of(one) for one in answer.json["errors"] if one["severity"] == "error")
    assert ours and ours == told_by_command(text)
    lines = text.split("\n")
    assert all(one["column"] - 1 <= len(lines[one["line"] - 1]) for one in answer.json["errors"])


def test_what_only_the_manager_knows_is_reported_at_its_place_too(manager):
    answer = manager.ask("POST", "/v1/apply?dry-run=1", MISTAKES[-1].encode(), **YAML)
    one, = answer.json["errors"]
    assert (one["line"], one["document"], "nowhere" in one["text"]) == (3, 0, True), one


def test_a_second_document_has_its_own_lines_and_number(manager):
    answer = manager.ask("POST", "/v1/plans", GOOD.replace("size: 1", "size: x").encode(), **YAML)
    one, = answer.json["errors"]
    assert (one["line"], one["document"]) == (11, 1), one


def test_a_file_means_what_its_json_means(manager):
    ours = manager.ask("POST", "/v1/apply?dry-run=1&why=autumn", GOOD.encode(), **YAML)
    documents = [{"name": "shop", "version": "1", "groups": {"web": {"size": 3, "resourcePlugin": {"name": "sim"}}}},
                 {"name": "blog", "version": "1", "groups": {"all": {"size": 1, "resourcePlugin": {"name": "sim"}}}}]
    theirs = manager.post("/v1/apply?dry-run=1", {"documents": documents, "why": "autumn"})
    known = [re.sub(r'"id":"[^"]*"', "", one.text) for one in (ours, theirs)]
    assert ours.status == 200 and known[0] == known[1]
    assert manager.get("/v1/clusters").json["items"] == [], "a dry run writes nothing"
    plan = manager.ask("POST", "/v1/plans", GOOD.encode(), **YAML)
    assert manager.post(f"/v1/plans/{plan.json['id']}/apply", {}).status == 200
    assert manager.get("/v1/nodegroups/shop/web").json["spec"]["size"] == 3


def test_what_others_have_set_is_kept_unless_it_is_taken(manager):
    file = GOOD.replace("shop", "kept").replace("blog", "kept2").encode()
    assert manager.ask("POST", "/v1/apply", file, **YAML).status == 200
    manager.patch("/v1/nodegroups/kept/web", {"size": 5})
    kept = manager.ask("POST", "/v1/apply", file.replace(b"# a", b"# an"), **YAML).json["kept"]
    assert [(one["path"], one["live"], one["file"]) for one in kept] == [("groups.web.size", 5, 3)], kept
    taken = manager.ask("POST", "/v1/apply?take=groups.web.size&allow=destroy:2", file, **YAML)
    assert taken.status == 200 and taken.json["kept"] == [], taken.text
    assert manager.get("/v1/nodegroups/kept/web").json["spec"]["size"] == 3
    refused = manager.post("/v1/apply?take=groups.web.size", {"documents": []})
    assert (refused.status, refused.code) == (400, "R0426")


@pytest.mark.parametrize("body", [b"name: \xff\xfe\n", b"\0", b"&a [*a, *a]: 3\n", b"- " * 5000, b"{" * 200, b"name: shop\n---\n" * 20000])
def test_what_is_no_file_is_refused_and_nothing_else_happens(manager, body):
    answer = manager.ask("POST", "/v1/apply", body, **YAML)
    assert answer.status in (400, 413, 422, 429), answer.text[:300]
    assert all(one["code"].startswith("R") for one in answer.json["errors"])
    assert manager.get("/healthz").status == 200


def test_a_folder_beside_the_file_is_not_seen(manager):
    text = GOOD.replace("    size: 3\n", "    size: 3\n    bootstrap:\n      - {args: [a], tar: base}\n    vars: {bootstrap: [{tar: mine}]}\n")
    answer = manager.ask("POST", "/v1/apply?dry-run=1", text.encode(), **YAML)
    found = [(one["line"], one["column"], one["length"]) for one in answer.json["errors"] if one["code"] == "R0429"]
    assert found == [(8, 26, 4)], answer.text


def test_other_requests_take_no_file(manager):
    assert manager.ask("POST", "/v1/clusters", b"name: x", **YAML).code == "R0425"
