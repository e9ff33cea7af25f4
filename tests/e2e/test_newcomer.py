"""What people who were new to the command line stumbled over: each of it said wrongly, or not at all, before."""

import json
import os
import subprocess

import pytest

from conftest import ENVIRONMENT, REEVE
from manager import SIM, Manager, machine_files, reeve, until

FILE = {"name": "file"}


@pytest.fixture(name="keeping")
def manager_that_keeps(tmp_path):
    """A manager that keeps clusters, in haste."""
    with Manager(tmp_path, "--haste", "100", control=True).start() as manager:
        yield manager


def shop(plugin=None, **sizes):
    """A cluster of groups with these sizes."""
    return {"name": "shop", "version": "1",
            "groups": {path: {"size": size, "resourcePlugin": plugin or SIM} for path, size in sizes.items()}}


def ready(manager, count):
    """Wait until so many run, as the manager knows them."""
    def look():
        machines = manager.get("/v1/clusters/shop").json.get("status", {}).get("machines", {})
        return machines.get("ready") == machines.get("wanted") == count and machines["leaving"] == 0
    until(look, manager.log.read_text)


# ---- scale ----

def test_a_size_below_nothing_says_what_it_would_be(keeping):
    keeping.apply(shop(web=7))
    said = reeve(keeping, "scale", "shop/web", "-20", code=3)
    assert "R0305" in said and "7" in said and "-13" in said and "smallest is 0" in said and "reeve scale shop/web 0" in said
    said = reeve(keeping, "scale", "shop/web", "+100000", code=3)
    assert "R0305" in said and "100007" in said and "largest is 100000" in said


def test_the_plan_says_who_goes_by_name(keeping):
    keeping.apply(shop(web=6))
    ready(keeping, 6)
    said = reeve(keeping, "scale", "shop/web", "-2", "--pick", "web-1", "--pick", "web-3", "--dry-run")
    assert "destroy web-[1,3] (picked by name)" in said
    said = reeve(keeping, "scale", "shop/web", "-3", "--pick", "web-1", "--pick", "newest", "--dry-run")
    assert "(web-1 picked by name, the rest by newest)" in said
    told = keeping.patch("/v1/nodegroups/shop/web?victims=web-1&dry-run=1", {"size": 5}).json["plan"][0]["groups"][0]
    assert told["named"] == "web-1" and "pick" not in told
    told = keeping.patch("/v1/nodegroups/shop/web?victims=web-1&dry-run=1", {"size": 4}).json["plan"][0]["groups"][0]
    assert told["named"] == "web-1" and told["pick"] == "oldestConfig"


# ---- holds ----

@pytest.fixture(name="held")
def manager_that_holds(keeping):
    """Five of six machines are gone at once: that is not believed."""
    keeping.apply(shop(FILE, web=6))
    ready(keeping, 6)
    keeping.stop()
    for path in machine_files(keeping.folder)[:5]:
        path.unlink()
    keeping.flags = ("--haste", "3")  # that it is believed in the end takes a while now: who looks at the hold may be held up
    keeping.start()
    until(lambda: any(one["status"]["rule"] == "listing_brake" for one in keeping.get("/v1/holds?cluster=shop").json["items"]))
    return keeping


def brake(manager):
    """The name of the hold."""
    return next(name for name in reeve(manager, "get", "holds", "-o", "name").split() if "listing_brake" in name)


def test_an_answer_is_given_once(held):
    """Who says the same again hears who has said it; the other answer takes its place, and says so."""
    name = brake(held)
    assert " open " in reeve(held, "get", "holds") and " ! hold/" in reeve(held, "status")
    reeve(held, "hold", "reject", name, "-m", "they were mine")
    said = reeve(held, "hold", "reject", name, code=5)
    assert "R0433" in said and "rejected already, by root at 20" in said and "they were mine" in said
    assert "reeve hold approve shop" in said
    shown = reeve(held, "get", "holds")
    assert "rejected by root, 20" in shown and " open " not in shown
    status = reeve(held, "status")
    assert "1 of them answered" in status and " ~ hold/" in status and " ! hold/" not in status and "they were mine" in status, status
    said = reeve(held, "hold", "approve", name)
    assert "approved" in said and "this replaces the answer: rejected by root, 20" in said


# ---- flags ----

def test_a_column_is_turned_around(keeping):
    for name, size in (("a", 1), ("b", 3), ("c", 2)):
        keeping.apply({**shop(web=size), "name": name})
    for words in (["--sort", "-NODES"], ["--sort=-NODES"], ["--sort", "-nodes"]):
        assert reeve(keeping, "get", "clusters", *words, "-o", "name").split() == ["cluster/b", "cluster/c", "cluster/a"]
    assert "R0003" in reeve(keeping, "get", "clusters", "--sort", "--watch", code=2)


# ---- templates ----

TEMPLATE = """kind: ClusterTemplate
name: std
groups:
  web: {size: 2, resourcePlugin: {name: sim}}
  db: {size: 1}
"""


def test_a_template_makes_no_machine(keeping):
    """Its plan speaks of groups and sizes alone."""
    (keeping.folder / "std.yaml").write_text(TEMPLATE)
    (keeping.folder / "more.yaml").write_text(TEMPLATE.replace("size: 2", "size: 5"))
    for words in (["plan", "--offline", "-f"], ["plan", "-f"], ["apply", "--yes", "-f"]):
        said = reeve(keeping, *words, str(keeping.folder / "std.yaml"))
        assert "clustertemplate std: 2 groups" in said and "size 2" in said and "node" not in said and "create " not in said, said
    said = reeve(keeping, "plan", "-f", str(keeping.folder / "more.yaml"))
    assert "size 2 -> 5" in said and "node" not in said and "web-" not in said
    said = reeve(keeping, "plan", "--offline", "-f", str(keeping.folder / "std.yaml"), "--against", str(keeping.folder / "more.yaml"))
    assert "size 5 -> 2" in said and "destroy" not in said


# ---- get ----

EFFECTIVE = """kind: Cluster
name: shop
version: "1"
labels: {team: x}
defaults: {image: debian-12, zones: [a, b], resourcePlugin: {name: sim}}
groups:
  web: {size: 2, labels: {tier: front}}
  db: {size: 1, image: null, zones: [c]}
---
kind: Cluster
name: plain
version: "1"
groups: {one: {size: 1, image: own, resourcePlugin: {name: sim}}}
"""


def rows(text):
    """A table by its first column."""
    head, *lines = text.splitlines()
    return {line.split()[0]: dict(zip(head.split(), line.split())) for line in lines}


def test_groups_show_what_is_in_force(keeping):
    """What comes from the defaults of their cluster is shown as well; what they take away is not."""
    (keeping.folder / "e.yaml").write_text(EFFECTIVE)
    reeve(keeping, "apply", "-f", str(keeping.folder / "e.yaml"), "--yes")
    shown = rows(reeve(keeping, "get", "nodegroups", "-o", "wide"))
    assert (shown["shop/web"]["IMAGE"], shown["shop/web"]["ZONES"], shown["shop/web"]["PLUGIN"]) == ("debian-12", "a,b", "sim")
    assert (shown["shop/db"]["IMAGE"], shown["shop/db"]["ZONES"], shown["shop/db"]["LABELS"]) == ("-", "c", '{"team":"x"}')
    assert shown["shop/web"]["LABELS"] == '{"tier":"front"}' and shown["plain/one"]["IMAGE"] == "own"
    assert [row.split()[0] for row in reeve(keeping, "get", "ng", "--sort", "-IMAGE").splitlines()[1:]] == ["plain/one", "shop/web", "shop/db"]
    own = json.loads(reeve(keeping, "get", "ng/shop/web", "-o", "json"))["spec"]
    assert "image" not in own and own["size"] == 2, "a file has what the group itself says"


def test_nodes_are_listed(keeping):
    """By all forms of selection, and as the machines that they are."""
    (keeping.folder / "e.yaml").write_text(EFFECTIVE)
    reeve(keeping, "apply", "-f", str(keeping.folder / "e.yaml"), "--yes")
    ready(keeping, 3)
    until(lambda: "plain/one-0" in reeve(keeping, "get", "nodes", "--state", "ready"))
    shown = rows(reeve(keeping, "get", "nodes"))
    assert list(shown) == ["plain/one-0", "shop/db-0", "shop/web-0", "shop/web-1"]
    assert shown["shop/db-0"]["STATE"] == "ready" and shown["shop/db-0"]["ZONE"] == "c" and shown["shop/db-0"]["GROUP"] == "db"

    def names(*words):
        return reeve(keeping, "get", *words, "-o", "name").split()
    web = ["node/shop/web-0", "node/shop/web-1"]
    assert names("nodes", "-g", "shop/web") == names("nodes", "shop/web-[0-1]") == names("nodes", "-l", "tier=front") == web
    assert names("no", "-c", "shop", "--state", "ready") == ["node/shop/db-0", *web] and names("nodes", "--state", "unhealthy") == []
    assert names("node/shop/web-1") == names("nodes", "node/shop/web-1") == names("nodes", "web-1") == web[1:]
    one = json.loads(reeve(keeping, "get", "nodes", "shop/web-1", "-o", "json"))[0]
    assert one["kind"] == "Node" and one["metadata"]["name"] == "web-1" and one["status"]["plugin"] == "sim"
    assert "R0403" in reeve(keeping, "get", "nodes", "shop/none-0", code=4)
    assert "--state applies only to nodes" in reeve(keeping, "get", "clusters", "--state", "ready", code=2)
    assert keeping.get("/v1/nodes?group=web").code == "R0426" and keeping.get("/v1/nodes?state=odd").code == "R0426"


def test_nodes_come_in_pages(keeping):
    """Each machine once, in one order, whatever the pages; a page says where the next one begins."""
    keeping.apply(shop(web=7))
    ready(keeping, 7)
    whole = [one["metadata"]["name"] for one in keeping.get("/v1/nodes").json["items"]]
    assert len(whole) >= 7
    for limit in (1, 3, len(whole), 100):
        seen, following = [], ""
        while following is not None:
            page = keeping.get(f"/v1/nodes?limit={limit}&next={following}").json
            assert len(page["items"]) <= limit
            seen += [one["metadata"]["name"] for one in page["items"]]
            following = page.get("next")
        assert seen == whole
    first = keeping.get("/v1/nodes?limit=2").json
    assert "changed" not in keeping.get(f"/v1/nodes?limit=2&next={first['next']}").json
    keeping.apply(shop(web=8))
    assert keeping.get(f"/v1/nodes?limit=2&next={first['next']}").json["changed"] is True
    assert keeping.get("/v1/nodes?next=x").code == "R0426" and keeping.get("/v1/nodes?limit=x").code == "R0426"


def test_plans_are_listed(keeping):
    """What was saved, when, by whom and of what; -o name is what apply takes."""
    (keeping.folder / "e.yaml").write_text(EFFECTIVE)
    assert reeve(keeping, "get", "plans", "-o", "json").strip() == "[]"
    saved = reeve(keeping, "plan", "-f", str(keeping.folder / "e.yaml"), "--save").split("plan/")[1].split()[0].rstrip(",")
    table = reeve(keeping, "get", "plans")
    assert saved in table and "root" in table and "create cluster/shop, create cluster/plain" in table and "MADE" in table
    assert reeve(keeping, "get", "plans", "-o", "name").split() == reeve(keeping, "get", f"plan/{saved}", "-o", "name").split() == [f"plan/{saved}"]
    assert "R0403" in reeve(keeping, "get", "plan", "none", code=4)
    assert "R0005" in reeve(keeping, "get", "plans", "-w", code=2)


# ---- events, pauses ----

def test_the_log_has_what_why_takes(keeping):
    """The number is in the table, and -o name prints what can be asked about."""
    keeping.apply(shop(web=1))
    ready(keeping, 1)
    table = rows(reeve(keeping, "events", "cluster/shop", "--type", "machine.wanted"))
    number = next(iter(table.values()))["NUMBER"]
    name = reeve(keeping, "events", "--type", "machine.wanted", "-o", "name").strip()
    assert name == f"event/shop/{number}"
    assert "create, by reeve" in reeve(keeping, "why", name)


def test_all_clusters_are_paused(keeping):
    """And go on; what is so already stays so, and is told."""
    for name in ("a", "b"):
        keeping.apply({**shop(web=1), "name": name})
    reeve(keeping, "pause", "b")
    said = reeve(keeping, "pause", "--all", "-m", "moving")
    assert "cluster/a: no machine is created" in said and "cluster/b: already in this state" in said
    said = reeve(keeping, "resume", "--all")
    assert "cluster/a: resumed" in said and "cluster/b: resumed" in said
    assert "R0005" in reeve(keeping, "pause", "a", "--all", code=2) and "R0005" in reeve(keeping, "pause", code=2)
    assert [event["why"] for event in keeping.get("/v1/events?cluster=a").json["items"] if event["type"] == "cluster.paused"] == ["moving"]


# ---- completion ----

def offered(manager, *words):
    """What a shell would offer in place of the last word."""
    said = reeve(manager, "completion", "--words", str(len(words) - 1), "--", *words)
    return [line.split("\t")[0] for line in said.splitlines()]


def test_completion_knows_what_is_kept(held):
    """Jobs by their numbers, holds by their names, conditions, nodes, plans."""
    job = json.loads(reeve(held, "get", "jobs", "-o", "json"))[0]["metadata"]["name"]

    def comes(wanted, *words):  # who completes waits 40 ms for the manager, which may be late
        until(lambda: offered(held, *words) == wanted, lambda: str(offered(held, *words)))
    assert offered(held, "job", "") == ["cancel", "pause", "resume", "retry", "watch"]
    comes([job], "job", "watch", "")
    comes([f"job/{job}"], "wait", "job/")
    comes([job], "exec", "--failed-of", "")
    until(lambda: any("listing_brake" in name for name in offered(held, "hold", "approve", "")))
    assert all(name.startswith("shop") for name in offered(held, "hold", "reject", ""))
    assert all(name.startswith("hold/shop") for name in offered(held, "hold", "reject", "hold/"))
    assert offered(held, "hold", "") == ["approve", "reject"]
    reeve(held, "pause", "shop")  # a hold that stays: a brake opens by itself
    until(lambda: any("paused" in name for name in offered(held, "why", "hold/")))
    assert offered(held, "wait", "cluster/shop", "--for", "") == ["exists", "gone", "ready", "revision=", "updated", "job=done"]
    assert offered(held, "wait", "cluster/shop", "--for", "exists,re") == ["exists,ready", "exists,revision="]
    assert offered(held, "wait", "cluster/shop", "--for=g") == ["--for=gone"]
    comes(["shop/web"], "rollout", "status", "")
    until(lambda: "node/shop/web-0" in offered(held, "get", "node/"))
    assert {"node", "resource", "job", "hold", "plan", "plugin", "cluster"} <= set(offered(held, "get", ""))
    assert "job" not in offered(held, "edit", "")
    reeve(held, "plan", "-f", str(plan_file(held)), "--save")
    until(lambda: [name for name in offered(held, "apply", "plan/") if name.startswith("plan/")])


def test_completion_knows_names_without_their_kind(keeping):
    """Where a verb takes them: scale shop/, pause shop, ssh shop/web-0."""
    keeping.apply(shop(web=1))

    def comes(wanted, *words):
        until(lambda: wanted(offered(keeping, *words)), lambda: str(offered(keeping, *words)))
    comes(lambda names: names == ["shop/web"], "scale", "shop/")
    comes(lambda names: "shop/web" in names and "nodegroup" in names, "scale", "")
    assert offered(keeping, "scale", "shop/web", "") == []
    comes(lambda names: "shop" in names, "pause", "sh")
    comes(lambda names: names == ["shop/web"], "resume", "shop/")
    comes(lambda names: names == ["shop"], "pause", "other", "s")
    comes(lambda names: "shop" in names, "tree", "s")
    comes(lambda names: names == ["shop/web"], "get", "nodegroups", "shop/")
    for verb in ("ssh", "logs", "exec"):
        comes(lambda names: names == ["shop/web-0"], verb, "shop/w")
    for verb in ("why", "describe", "events"):
        comes(lambda names: names == ["shop/web", "shop/web-0"], verb, "shop/")
    for verb in ("set", "edit", "undo", "delete", "wait"):
        comes(lambda names: names == ["shop/web"], verb, "shop/")
        comes(lambda names: "shop" in names, verb, "sh")
    comes(lambda names: names == ["shop"], "ca", "show", "")
    for words in (("exec", "shop/db-7"), ("bootstrap", "run"),
                  ("bootstrap", "run", "shop/db-7"), ("bootstrap", "try", "bundle", "--node")):
        comes(lambda names: names == ["shop/web-0"], *words, "shop/w")
    # one side of a copy is a machine and a path, or a file here
    comes(lambda names: names == ["shop/web-0:", ":files"], "cp", "shop/w")
    comes(lambda names: names == ["shop/web-0:", ":files"], "cp", "a.conf", "")
    assert offered(keeping, "cp", "a.conf", "shop/web-0:/e") == [":files"] == offered(keeping, "cp", "./s")
    # and no kinds where none is taken
    for verb in ("ssh", "logs", "exec"):
        comes(lambda names: names == ["shop/web-0"], verb, "")
    assert offered(keeping, "ca", "") == ["accept", "revoke", "rotate", "show"]
    assert {"ansible", "hosts", "prometheus", "ssh", "terraform"} < set(offered(keeping, "get", "nodes", "-o", ""))


def test_completion_knows_states_and_columns(reeve_anywhere):
    states = ["refused", "failed", "unhealthy", "unreachable", "creating", "starting", "leaving", "maintenance", "drifted", "ready", "outdated", "blocked"]
    assert reeve_anywhere("get", "nodes", "--state", "") == states == reeve_anywhere("exec", "--state", "")
    assert reeve_anywhere("get", "nodes", "--state=ready,u") == ["--state=ready,unhealthy", "--state=ready,unreachable"]
    assert reeve_anywhere("get", "nodes", "--sort", "") == ["name", "state", "outdated", "group", "zone", "address", "plugin", "machine", "host", "user", "port", "labels", "token"]
    assert reeve_anywhere("get", "jobs", "--sort", "-re") == ["-ready"]
    assert "used by" not in reeve_anywhere("get", "secrets", "--sort", "")
    assert reeve_anywhere("get", "--sort", "") == []


@pytest.fixture
def reeve_anywhere(tmp_path):
    """What is offered where there is no manager."""
    def ask(*words):
        said = subprocess.run([str(REEVE), "completion", "--words", str(len(words) - 1), "--", *words], text=True, capture_output=True,
                              check=True, env={**os.environ, "HOME": str(tmp_path), "REEVE_URL": f"unix:{tmp_path}/none"})
        return [line.split("\t")[0] for line in said.stdout.splitlines()]
    return ask


def test_completion_knows_what_flags_name(keeping, tmp_path):
    """A cluster behind -c, a group behind -g, a context behind --context."""
    keeping.apply(shop(web=1))
    shown = subprocess.run([str(REEVE), "describe", "cluster", "shop"], text=True, capture_output=True, check=True, timeout=240,
                           env={**ENVIRONMENT, "REEVE_URL": f"unix:{keeping.socket}"}).stdout
    assert "--full" not in shown  # which is no flag of describe
    for program in ("reeved", "reeve-controller"):
        for flag in ("-h", "--help"):
            assert "--data" in subprocess.run([str(REEVE.parent / program), flag], text=True, capture_output=True, check=True,
                                              timeout=240).stdout
    for words in (["get", "nodes", "-c", ""], ["exec", "-c", ""], ["wait", "nodegroups", "--cluster", "s"]):
        until(lambda words=words: offered(keeping, *words) == ["shop"], lambda words=words: str(offered(keeping, *words)))
    until(lambda: offered(keeping, "get", "nodes", "-g", "shop/") == ["shop/web"])
    until(lambda: offered(keeping, "get", "nodes", "--group=") == ["--group=shop/web"])
    settings = tmp_path / "reeve/config.yaml"
    settings.parent.mkdir()
    settings.write_text("contexts:\n  here: {url: unix:/nowhere/a}\n  there: {url: unix:/nowhere/b}\n")
    said = subprocess.run([str(REEVE), "completion", "--words", "3", "--", "get", "clusters", "--context", "t"], text=True,
                          capture_output=True, check=True, timeout=240, env={**ENVIRONMENT, "XDG_CONFIG_HOME": str(tmp_path)}).stdout
    assert said.split() == ["there"]
    listed = subprocess.run([str(REEVE), "context", "list", "--context", "there"], text=True, capture_output=True, check=True,
                            timeout=240, env={**ENVIRONMENT, "XDG_CONFIG_HOME": str(tmp_path)}).stdout
    assert [line.split() for line in listed.splitlines()] == [["IN", "USE", "NAME", "URL"], ["-", "here", "unix:/nowhere/a"],
                                                              ["*", "there", "unix:/nowhere/b"]]
    for form, said in (("name", "here\nthere\n"), ("jsonl", '"inUse":true')):
        listed = subprocess.run([str(REEVE), "context", "list", "--context", "there", "-o", form], text=True, capture_output=True, check=True,
                                timeout=240, env={**ENVIRONMENT, "XDG_CONFIG_HOME": str(tmp_path)}).stdout
        assert said in listed, listed


def plan_file(manager):
    """A file with another cluster."""
    path = manager.folder / "other.yaml"
    path.write_text(json.dumps({**shop(web=1), "name": "other"}))
    return path
