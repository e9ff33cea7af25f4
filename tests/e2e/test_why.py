"""reeve why: the rule, the fact and the inputs of a create, a deletion, a replacement, a refusal and a held deletion, and
whether each is decided so again (X11, N1)."""

import json
import os
import re
import subprocess

import pytest

from conftest import REEVE
from manager import Manager, machine_files, until

FILE = {"name": "file"}


def document(size, **more):
    """A cluster with one group of machines that are files."""
    return {"name": "shop", "version": "1", "groups": {"web": {"size": size, "resourcePlugin": FILE, **more}}}


@pytest.fixture
def keeping(tmp_path):
    """A manager that keeps clusters, in haste."""
    with Manager(tmp_path, "--haste", "100", control=True).start() as manager:
        yield manager


def reeve(manager, *words):
    """The command line, talking to that manager."""
    return subprocess.run([str(REEVE), *words], capture_output=True, text=True, check=False, timeout=240,
                          env={**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": str(manager.folder)})


def why(manager, *words):
    """The answer as JSON."""
    done = reeve(manager, "why", *words, "-o", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def ready(manager, count):
    """Wait until so many run, as the manager knows them."""
    def look():
        machines = manager.get("/v1/clusters/shop").json.get("status", {}).get("machines", {})
        return machines.get("ready") == machines.get("wanted") == count and machines["leaving"] == 0
    until(look)


def nodes_of(manager):
    """Machines that are not going, by name."""
    return {one["metadata"]["name"]: one for one in manager.get("/v1/resources?cluster=shop").json["items"]
            if one["status"]["displayed"] != "leaving"}


def machine_of(manager, name):
    """The file that is this machine."""
    for path in machine_files(manager.folder):
        if json.loads(path.read_text())["name"] == name:
            return path
    raise AssertionError(name)


def same(manager, *words):
    """It is decided so again."""
    done = reeve(manager, "why", *words, "--replay")
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert "same decision" in done.stdout
    return done.stdout


def test_X11_a_create(keeping):
    keeping.apply(document(2))
    ready(keeping, 2)
    told = why(keeping, "shop/web-1")
    assert (told["act"], told["rule"], told["fact"]) == ("create", "free_slot", "size is 2, 0 recorded")
    assert told["description"].startswith("fewer members are recorded than the size")
    assert told["actor"] == "reeve" and told["revision"] > 0 and told["pass"] == 1
    assert told["inputs"]["group"]["size"] == 2 and told["inputs"]["members"]["listed"] == 0
    assert [step["type"] for step in told["steps"]] == ["machine.wanted", "machine.created", "machine.ready"]
    same(keeping, "shop/web-1")
    # by its token, its machine's id, its bare name, its event, and for people
    record = keeping.get("/v1/resources?cluster=shop").json["items"][0]
    for word in (record["metadata"]["id"], record["status"]["id"]):
        assert why(keeping, f"shop/{word}")["node"] == record["metadata"]["name"]
    assert why(keeping, "web-0")["subject"] == "shop/web-0"
    assert why(keeping, f"event/shop/{told['number']}")["node"] == "web-1"
    text = reeve(keeping, "why", "shop/web-1").stdout
    assert "rule     free_slot: " in text and "fact     size is 2, 0 recorded" in text
    assert len(text.splitlines()) <= 12


def test_X11_a_deletion_that_was_asked_for(keeping):
    keeping.apply(document(3))
    ready(keeping, 3)
    answer = keeping.post("/v1/apply", {"documents": [document(2)], "allow": {"destroy": 1}})
    assert answer.status == 200, answer.text
    ready(keeping, 2)
    gone = until(lambda: [one for one in keeping.get("/v1/events?cluster=shop").json["items"]
                          if one["type"] == "machine.condemned"])[0]
    told = why(keeping, f"shop/{gone['node']}")  # there is no record of it any more
    assert (told["act"], told["rule"]) == ("destroy", "scale_in")
    assert told["inputs"]["record"]["state"] == "active" and told["inputs"]["group"]["size"] == 2
    assert told["inputs"]["listed"]["state"] == "running"
    same(keeping, f"shop/{gone['node']}")


def test_X11_a_replacement(keeping):
    keeping.apply(document(2))
    ready(keeping, 2)
    machine_of(keeping, "web-0").unlink()
    until(lambda: len([one for one in keeping.get("/v1/events?cluster=shop").json["items"]
                       if one["type"] == "machine.wanted" and one["node"] == "web-0"]) == 2)
    ready(keeping, 2)
    told = why(keeping, "shop/web-0")  # for the machine that is there now
    token = nodes_of(keeping)["web-0"]["metadata"]["id"]
    assert (told["act"], told["token"], told["machine"]["displayed"], told["hasPrevious"]) == ("create", token, "ready", True)
    assert {step["token"] for step in told["steps"]} == {token}
    shown = reeve(keeping, "why", "shop/web-0").stdout
    assert "  state    ready" in shown and "reeve why shop/web-0 --previous" in shown and "destroy," not in shown, shown
    told = why(keeping, "shop/web-0", "--previous")
    assert (told["act"], told["rule"]) == ("destroy", "lost") and told["token"] != token
    assert {step["token"] for step in told["steps"]} == {told["token"]}
    steps = [(step["type"], step["rule"]) for step in told["steps"]]
    assert ("machine.condemned", "lost") in steps and ("machine.gone", "forget") in steps
    lost = next(step for step in told["steps"] if step["type"] == "machine.condemned")
    loss = why(keeping, f"event/shop/{lost['number']}")
    assert loss["act"] == "destroy" and loss["inputs"]["limits"]["absences"] == 3
    assert "absence" in loss["inputs"]["record"] and loss["inputs"]["record"]["lookup"] == "gone"
    same(keeping, f"event/shop/{lost['number']}")
    same(keeping, "shop/web-0")
    same(keeping, "shop/web-0", "--previous")
    none = reeve(keeping, "why", "shop/web-1", "--previous")
    assert none.returncode == 4 and "no machine of 'shop/web-1' was destroyed recently" in none.stderr, none


def test_X11_a_refusal(keeping):
    keeping.apply(document(1))
    ready(keeping, 1)
    assert keeping.post("/v1/clusters/shop/say", {"command": "pause", "why": "moving"}).status == 200
    keeping.apply(document(3))
    hold = until(lambda: [one for one in keeping.get("/v1/holds?cluster=shop").json["items"]
                          if one["status"]["rule"] == "paused"])[0]
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", hold["status"]["since"])
    name = hold["metadata"]["name"]
    place, rule = name.rsplit(":", 1) if ":" in name else ("", name)
    word = f"hold/shop/{place}:{rule}" if place else f"hold/shop:{rule}"
    told = why(keeping, word)
    assert (told["act"], told["rule"]) == ("hold", "paused") and told["description"] == "the cluster or group is paused"
    assert told["inputs"]["cluster"]["paused"] == "true" or told["inputs"]["cluster"]["paused"] is True
    same(keeping, word)
    assert why(keeping, "cluster/shop")["rule"] == "paused"


def test_a_pause_says_everywhere_who_set_it_and_why(keeping):
    keeping.apply(document(1))
    ready(keeping, 1)
    assert reeve(keeping, "pause", "shop", "-m", "moving").returncode == 0
    assert reeve(keeping, "pause", "shop/web", "-m", "the rack").returncode == 0
    keeping.apply(document(2))
    hold = until(lambda: [one for one in keeping.get("/v1/holds").json["items"] if one["status"]["rule"] == "paused"])[0]
    user = keeping.get("/v1/whoami").json["user"]
    assert [(one["of"], one["by"], one["why"]) for one in hold["status"]["pauses"]] == [("shop/web", user, "the rack"), ("shop", user, "moving")]
    at = "20[-0-9T:.]+Z"
    fact = f"paused by {user}, {at}: the rack; cluster/shop paused by {user}, {at}: moving; observation continues"
    status = reeve(keeping, "status").stdout
    assert re.search(rf"^  ! hold/shop/web:paused  {fact} \(began {at}\)$", status, re.M), status
    shown = reeve(keeping, "get", "holds", "-o", "tsv").stdout.splitlines()
    row = dict(zip(shown[0].split("\t"), shown[1].split("\t"), strict=True))
    assert re.fullmatch(fact, row["FACT"]) and row["SINCE"] == hold["status"]["since"]
    told = json.loads(reeve(keeping, "status", "-o", "json").stdout)["holds"]
    assert [(one["name"], one["pauses"], one["since"]) for one in told] == [
        ("hold/shop/web:paused", hold["status"]["pauses"], hold["status"]["since"])]
    assert why(keeping, "cluster/shop")["holds"] == told
    assert reeve(keeping, "resume", "shop").returncode == 0
    assert [one["of"] for one in keeping.get("/v1/holds").json["items"][0]["status"]["pauses"]] == ["shop/web"]


@pytest.fixture
def keeping_longer(tmp_path):
    """The same in less haste: what is held for minutes in earnest stays for as long as some commands take here."""
    with Manager(tmp_path, "--haste", "20", control=True).start() as manager:
        yield manager


def test_X11_a_deletion_that_is_held(keeping_longer):
    """Half of the machines are gone from the listing at once: that is not believed."""
    keeping = keeping_longer
    keeping.apply(document(6))
    ready(keeping, 6)
    keeping.stop()  # at once: no listing comes while only some of them are gone
    for number in range(5):
        machine_of(keeping, f"web-{number}").unlink()
    keeping.start()
    until(lambda: [one for one in keeping.get("/v1/holds?cluster=shop").json["items"]
                   if one["status"]["rule"] == "listing_brake"])
    names = [one["metadata"]["name"] for one in keeping.get("/v1/holds?cluster=shop").json["items"]]
    word = "hold/shop/web:listing_brake" if "web:listing_brake" in names else "hold/shop:listing_brake"
    told = why(keeping, word)
    assert told["rule"] == "listing_brake" and told["act"] == "hold"
    assert told["inputs"]["members"]["active"] == 6 and told["inputs"]["members"]["listed"] == 1
    assert told["inputs"]["limits"] == {"brakePermille": 500} or told["inputs"]["limits"]["brakePermille"] == "500"
    same(keeping, word)


def test_N1_every_decision_that_is_kept_is_made_again(keeping):
    keeping.apply(document(4))
    ready(keeping, 4)
    machine_of(keeping, "web-2").unlink()
    keeping.apply(document(6))
    ready(keeping, 6)
    listed = keeping.get("/v1/passes?cluster=shop").json["items"]
    assert [one["pass"] for one in listed] == list(range(1, len(listed) + 1))
    done = reeve(keeping, "why", "shop", "--replay", "--all", "-o", "json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert len(told["passes"]) >= len(listed) and all(one["same"] for one in told["passes"])
    shown = keeping.get("/v1/passes/1?cluster=shop").json
    assert shown["plan"][0] == "create web/0 [free_slot] size is 4, 0 recorded" and shown["kept"] is True
    assert shown["world"]["groups"][0]["path"] == "web" and shown["limits"]["absences"] == 3


def test_N1_a_pass_without_changes_keeps_nothing(keeping):
    keeping.apply(document(2))
    ready(keeping, 2)
    before = keeping.get("/v1/passes?cluster=shop").json["items"]
    for _ in range(5):
        report = keeping.post("/v1/clusters/shop/pass", {}).json
        assert (report["end"], report["actions"]) == ("quiet", []), report
    assert keeping.get("/v1/passes?cluster=shop").json["items"] == before


def test_what_is_not_known_says_so(keeping):
    keeping.apply(document(1))
    ready(keeping, 1)
    for words, code, exit_code in (
            (("shop/nothing",), "R0434", 4), (("none/web-0",), "R0403", 4), (("event/shop/99999",), "R0434", 4),
            (("hold/shop/web:budget",), "R0403", 4), (("event/shop/x",), "R0005", 2), (("shop", "--all"), "R0005", 2)):
        done = reeve(keeping, "why", *words)
        assert done.returncode == exit_code and code in done.stderr, (words, done)
    for path, code in (("/v1/why", "R0426"), ("/v1/passes/9999?cluster=shop", "R0435"),
                       ("/v1/passes/x?cluster=shop", "R0435"), ("/v1/passes/1?cluster=shop&view=x", "R0426"),
                       ("/v1/why?cluster=shop&event=-1", "R0426")):
        assert keeping.get(path).code == code, path


def test_who_may_see_one_cluster_may_ask_why_there_alone(keeping):
    keeping.apply(document(1))
    ready(keeping, 1)
    keeping.apply({**document(1), "name": "other"})
    keeping.post("/v1/users", {"name": "one"})
    token = keeping.post("/v1/tokens", {"user": "one"}).json["token"]
    keeping.post("/v1/grants", {"user": "one", "role": "viewer", "cluster": "shop"})
    for path, inside in (("/v1/why?name=web-0&", True), ("/v1/passes?", True), ("/v1/passes/1?", True)):
        assert keeping.get(path + "cluster=shop", token=token).status == 200, path
        assert keeping.get(path + "cluster=other", token=token).status == 403, path
        assert inside


def test_describe_and_tree_show_machines(keeping):
    keeping.apply(document(3))
    ready(keeping, 3)
    text = reeve(keeping, "tree", "shop").stdout
    assert "web  3 nodes wanted" in text and "ready 3/3" in text and len(text.splitlines()) == 2
    assert len(reeve(keeping, "tree", "shop", "--unfold").stdout.splitlines()) == 5
    told = reeve(keeping, "describe", "resource", "shop/web-1").stdout
    record = next(one for one in keeping.get("/v1/resources?cluster=shop").json["items"]
                  if one["metadata"]["name"] == "web-1")
    for line in ("state      ready", "because    free_slot: fewer members are recorded than the size",
                 f"machine    {record['status']['id']}", f"token      {record['metadata']['id']}", "group      shop/web",
                 "machine.ready  activate", "why shop/web-1"):
        assert line in told, (line, told)
    for words in (("node/shop/web-1",), ("res", f"shop/{record['metadata']['id']}")):
        assert reeve(keeping, "describe", *words).stdout == told
    whole = json.loads(reeve(keeping, "describe", "resource/shop/web-1", "-o", "json").stdout)
    assert whole["object"]["metadata"]["name"] == "web-1" and whole["why"]["rule"] == "free_slot"
    missing = reeve(keeping, "describe", "resource", "shop/web-9")
    assert missing.returncode == 4 and "R0403" in missing.stderr


def test_a_tree_of_many_is_folded(tmp_path):
    with Manager(tmp_path).start() as manager:
        manager.apply({"name": "shop", "version": "1", "groups": {
            f"g{number:04}": {"size": 2, "resourcePlugin": FILE} for number in range(1000)}})
        folded = reeve(manager, "tree", "shop").stdout.splitlines()
        assert len(folded) == 42 and folded[-1] == "  and 960 more groups, 1920 nodes wanted: --unfold shows them"
        assert len(reeve(manager, "tree", "shop", "--unfold").stdout.splitlines()) == 1001


def test_X11_of_a_group_and_of_a_cluster_that_is_gone(keeping):
    keeping.apply(document(2))
    ready(keeping, 2)
    assert why(keeping, "nodegroup/shop/web")["rule"] == "free_slot"
    cluster = keeping.get("/v1/clusters/shop").json["metadata"]["id"]
    answer = keeping.ask("DELETE", "/v1/clusters/shop?allow=destroy:10")
    assert answer.status == 200, answer.text
    until(lambda: not machine_files(keeping.folder))
    told = why(keeping, f"{cluster}/web-1")  # by its id: the name may be another's by now
    assert told["act"] == "destroy" and told["inputs"]["record"]["state"] == "active"
    same(keeping, f"{cluster}/web-1")


def test_a_tree_names_the_machines_that_are_not_ready(tmp_path):
    with Manager(tmp_path, control=True).start() as manager:
        groups = {"web": {"size": 7, "resourcePlugin": {"name": "sim"}, "resourceProperties": {"boot": 600000}}}
        manager.apply({"name": "shop", "version": "1", "groups": groups})

        def look():
            text = reeve(manager, "tree").stdout
            return text if "more creating" in text else None
        lines = until(look).splitlines()
        assert len(lines) == 6 and "  creating  free_slot" in lines[2] and lines[5].endswith("more creating")


def test_a_tree_shows_what_is_held_and_draws_its_branches_through(tmp_path):
    with Manager(tmp_path, control=True).start() as manager:
        groups = {name: {"size": 2, "resourcePlugin": {"name": "sim"}, "resourceProperties": {"boot": 600000}}
                  for name in ("db", "web")}
        manager.apply({"name": "shop", "version": "1", "groups": groups})
        manager.apply({"name": "typo", "version": "1", "groups": {"a": {"size": 1, "resourcePlugin": {"name": "smi"}}}},
                      query="?allow-missing-plugin=1")

        def look(creating, holds):
            text = reeve(manager, "tree", "--ascii").stdout
            return text if (text.count("creating"), text.count("! hold/")) == (creating, holds) else None
        until(lambda: look(4, 1))
        assert reeve(manager, "pause", "shop/db").returncode == 0
        lines = until(lambda: look(4, 2)).splitlines()
        shop = lines[:lines.index("typo  1 group, 1 node wanted")]
        assert re.fullmatch(r"  ! hold/shop/db:paused  paused by \w+, 20[-0-9T:.]+Z; observation continues \(began 20[-0-9T:.]+Z\)", shop[1])
        first = next(i for i, line in enumerate(shop) if line.startswith("  |- db "))
        assert [line[:8] for line in shop[first:]] == ["  |- db ", "  |  |- ", "  |  `- ", "  `- web", "     |- ", "     `- "]
        assert "hold/typo:unlisted  smi" in lines[len(shop) + 1] and "this manager has no such plugin" in lines[len(shop) + 1]
