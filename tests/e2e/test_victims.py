"""Who goes when a group shrinks: those who are named, of the machines that there are, and with the change or not at all."""

import json
import subprocess

import pytest

from conftest import ENVIRONMENT, REEVE
from manager import SIM, Manager, until


@pytest.fixture(name="manager")
def manager_that_keeps(tmp_path):
    """Six machines of shop/web, two of shop/db."""
    with Manager(tmp_path, "--haste", "100", control=True).start() as one:
        assert one.apply({"name": "shop", "version": "1", "groups": {"web": {"size": 6, "resourcePlugin": SIM},
                                                                     "db": {"size": 2, "resourcePlugin": SIM}}}).status == 200
        settled(one, 8)
        yield one


def nodes(manager, group="web"):
    """Names of the machines of a group that run, or are to."""
    return sorted(item["metadata"]["name"] for item in manager.get("/v1/resources?cluster=shop&limit=1000").json["items"]
                  if item["status"]["group"] == group and item["status"]["state"] != "delete")


def settled(manager, count):
    """Until so many machines run, and no other is left."""
    until(lambda: [item["status"]["state"] for item in manager.get("/v1/resources?cluster=shop&limit=1000").json["items"]] == ["active"] * count,
          lambda: manager.log.read_text())


def patch(manager, size, victims, allow="", group="web", **more):
    """Another size, with names."""
    return manager.patch(f"/v1/nodegroups/shop/{group}?victims={victims}{allow and '&allow=' + allow}", {"size": size}, **more)


@pytest.mark.parametrize("named,left", [
    ("web-1", ["web-0", "web-2", "web-3", "web-4"]), ("web-0,web-3", ["web-1", "web-2", "web-4", "web-5"]),
    ("shop/web-[2-3]", ["web-0", "web-1", "web-4", "web-5"]), ("web-5", ["web-0", "web-1", "web-2", "web-3"])])
def test_those_who_are_named_go(manager, named, left):
    answer = patch(manager, 4, named, "destroy:2")
    assert answer.status == 200, answer.text
    told = answer.json["plan"][0]["groups"][0]
    assert (told["oldSize"], told["size"]) == (6, 4) and answer.json["needs"]["destroy"] == 2
    settled(manager, 6)
    assert nodes(manager) == left, told["destroy"]
    event = [item for item in manager.get("/v1/events?cluster=shop&after=0").json["items"] if item["type"] == "cluster.changed" or item["type"] == "nodegroup.changed"][-1]
    assert event["fact"] == f"machines selected for removal: {named}"


def shown(manager, cluster="shop"):
    """The members of the groups in tree, and those of group web in describe and in the API."""
    def run(*arguments):
        done = subprocess.run([str(REEVE), *arguments], text=True, capture_output=True, check=True,
                              env={**ENVIRONMENT, "REEVE_URL": f"unix:{manager.socket}"})
        return done.stdout
    groups = manager.get(f"/v1/clusters/{cluster}?view=effective").json["groups"]
    return run("tree", cluster), run("describe", f"{cluster}/{groups[-1]['path']}"), groups[-1]


def test_members_are_those_that_exist(manager):
    """tree and describe name the machines that there are, not the slots of the size, and mark those to come (a new-user trial)."""
    assert patch(manager, 3, "web-0,web-1,web-4", "destroy:3").status == 200
    settled(manager, 5)
    for text in shown(manager):
        assert "web-[2-3,5]" in str(text) and "web-[0-2]" not in str(text)
    answer = patch(manager, 2, "web-0", "destroy:1")
    assert "the group has no such member" in answer.json["detail"], answer.text
    renamed = {"name": "shop", "version": "1", "groups": {"site": {"size": 3, "resourcePlugin": SIM, "renamedFrom": "web"},
                                                          "db": {"size": 2, "resourcePlugin": SIM}}}
    assert manager.apply(renamed).status == 200
    until(lambda: len(nodes(manager, "site")) == 3, manager.log.read_text)
    for text in shown(manager):
        assert "web-[2-3,5]" in str(text) and "site-" not in str(text)
    assert manager.post("/v1/nodegroups/shop/site/say", {"command": "pause"}).status in (200, 201)
    assert manager.patch("/v1/nodegroups/shop/site", {"size": 6}).status == 200
    tree, described, group = shown(manager)
    assert (group["members"], group["planned"]) == ("web-[2-3,5]", "site-[0-1],site-4")
    for text in (tree, described):
        assert "web-[2-3,5], planned site-[0-1],site-4" in text


def test_machines_of_a_surge_are_counted(manager):
    """In a rollout with surge, a slot has two machines: a deletion and a shrink name and count both (a new-user trial)."""
    rolled = {"size": 6, "resourcePlugin": SIM, "image": "two", "resourceProperties": {"boot": 3600000}, "rollout": {"batch": 2, "surge": 2}}
    document = {"name": "shop", "version": "1", "groups": {"web": rolled, "db": {"size": 2, "resourcePlugin": SIM}}}
    assert manager.post("/v1/apply?allow=replace:6", {"documents": [document]}).status == 200
    until(lambda: len(nodes(manager)) == 8, manager.log.read_text)
    deletion = manager.ask("DELETE", "/v1/clusters/shop?dry-run=1").json
    group = next(one for one in deletion["plan"][0]["groups"] if one["path"] == "web")
    assert deletion["needs"]["destroy"] == deletion["plan"][0]["sums"]["destroy"] == 10, deletion
    assert (group["destroy"], group["victims"]) == ("web-[0-5]", {"creating": "web-[0-1]", "healthy": "web-[0-5]"})
    shrunk = manager.patch("/v1/nodegroups/shop/web?victims=web-5&dry-run=1", {"size": 4}).json
    assert shrunk["needs"]["destroy"] == shrunk["plan"][0]["sums"]["destroy"] == 4, shrunk
    assert manager.ask("DELETE", "/v1/clusters/shop?allow=destroy:9").code == "R0405"
    assert manager.ask("DELETE", "/v1/clusters/shop?allow=destroy:10").status == 200


def test_the_plan_has_their_names(manager):
    for named, told in (("web-1", "web-[1,5]"), ("web-0,web-3", "web-[0,3]"), ("web-5", "web-[4-5]")):
        answer = manager.patch(f"/v1/nodegroups/shop/web?victims={named}&dry-run=1", {"size": 4}).json
        assert answer["plan"][0]["groups"][0]["destroy"] == told
    assert nodes(manager) == [f"web-{n}" for n in range(6)]
    assert patch(manager, 4, "web-1").code == "R0405", "it asks for consent as ever"


@pytest.mark.parametrize("size,named,why", [
    (4, "web-9", "'web-9' cannot be removed: the group has no such member"), (4, "db-0", "'db-0' cannot be removed: the group has no such member"),
    (4, "web-[0-2]", "more machines are given than will be removed"), (5, "web-1,web-2", "more machines are given than will be removed"), (8, "web-1", "the change destroys none"),
    (6, "web-1", "the change destroys none"), (4, "shup/web-1", "'shup/web-1' cannot be removed")])
def test_who_cannot_go_stops_the_change(manager, size, named, why):
    before = manager.get("/v1/nodegroups/shop/web").json["metadata"]["revision"]
    answer = patch(manager, size, named, "destroy:9")
    assert answer.status == 400 and answer.code == "R0791" and why in answer.json["detail"], answer.text
    assert manager.get("/v1/nodegroups/shop/web").json["metadata"]["revision"] == before
    answer = manager.patch("/v1/nodegroups/shop/web?allow=destroy:2", {"size": 4})
    assert answer.status == 200, "nobody was named by what was refused"
    settled(manager, 6)
    assert nodes(manager) == [f"web-{n}" for n in range(4)]


def test_groups_of_a_cluster_lose_named_machines_together(manager):
    """One request, which is carried out as a whole or not at all (C27)."""
    path = "/v1/clusters/shop?allow=destroy:9&victims=web-1,db-0"
    refused = manager.patch(path + ",db-7", {"groups": {"web": {"size": 5}, "db": {"size": 0}}})
    assert refused.status == 400 and refused.code == "R0791" and "db-7" in refused.text, refused.text
    assert manager.patch(path, {"groups": {"web": {"size": 6}, "db": {"size": 1}}}).code == "R0791"  # web does not shrink
    assert manager.patch(path, {"groups": {"web": {"size": 5}, "db": {"size": 1}}}).status == 200
    settled(manager, 6)
    assert nodes(manager, "db") == ["db-1"] and nodes(manager) == ["web-0", "web-2", "web-3", "web-4", "web-5"]


def test_only_a_size_of_a_group_names_them(manager):
    for path, body in (("clusters/shop", {"labels": {"a": "b"}}), ("nodegroups/shop/web", {"labels": {"a": "b"}})):
        answer = manager.patch(f"/v1/{path}?victims=web-1&allow=destroy:9", body)
        assert answer.status == 400 and answer.code == "R0791", answer.text
    assert manager.ask("PUT", "/v1/nodegroups/shop/web?victims=web-1", {"name": "web"}).status == 400


def test_a_name_counts_for_the_machine_that_had_it_and_once(manager):
    """The next machine of that name is another one; and another size begins with nobody named."""
    assert patch(manager, 5, "web-2", "destroy:1").status == 200
    settled(manager, 7)
    assert manager.patch("/v1/nodegroups/shop/web", {"size": 6}).status == 200
    settled(manager, 8)
    assert "web-2" in nodes(manager)
    assert manager.patch("/v1/nodegroups/shop/web?allow=destroy:1", {"size": 5}).status == 200
    settled(manager, 7)
    assert nodes(manager) == ["web-0", "web-1", "web-2", "web-3", "web-4"]
    assert manager.post("/v1/clusters/shop/say", {"command": "pause"}).status == 200
    assert patch(manager, 4, "web-0", "destroy:1").status == 200  # said, and taken back before anybody went
    assert manager.patch("/v1/nodegroups/shop/web", {"size": 5}).status == 200
    assert manager.patch("/v1/nodegroups/shop/web?allow=destroy:1", {"size": 4}).status == 200
    assert manager.post("/v1/clusters/shop/say", {"command": "resume"}).status == 200
    settled(manager, 6)
    assert nodes(manager) == ["web-0", "web-1", "web-2", "web-3"]


def test_what_else_was_said_of_the_group_stays_said(manager):
    assert manager.post("/v1/nodegroups/shop/web/say", {"command": "pause", "why": "wait"}).status == 200
    assert patch(manager, 4, "web-0,web-1", "destroy:2").status == 200
    until(lambda: [hold for hold in manager.get("/v1/holds?cluster=shop").json["items"] if hold["status"]["rule"] == "paused"])
    assert len(nodes(manager)) == 6
    assert manager.post("/v1/nodegroups/shop/web/say", {"command": "resume"}).status == 200
    settled(manager, 6)
    assert nodes(manager) == ["web-2", "web-3", "web-4", "web-5"]


def test_the_same_request_again_is_another_one_with_other_names(manager):
    key = {"Idempotency_Key": "k1"}
    assert patch(manager, 5, "web-1", "destroy:1", **key).status == 200
    assert patch(manager, 5, "web-1", "destroy:1", **key).status == 200
    assert patch(manager, 5, "web-2", "destroy:1", **key).code == "R0412"


def test_they_outlive_a_kill(manager):
    assert manager.post("/v1/clusters/shop/say", {"command": "pause"}).status == 200
    assert patch(manager, 5, "web-3", "destroy:1").status == 200
    manager.kill()
    manager.start()
    assert manager.post("/v1/clusters/shop/say", {"command": "resume"}).status == 200
    settled(manager, 7)
    assert nodes(manager) == ["web-0", "web-1", "web-2", "web-4", "web-5"]


def reeve(manager, *words):
    return subprocess.run([str(REEVE), *words], env={**ENVIRONMENT, "REEVE_URL": f"unix:{manager.socket}"}, capture_output=True, text=True,
                          check=False, stdin=subprocess.DEVNULL, timeout=240)


def test_pick_names_machines_that_there_are(manager):
    run = reeve(manager, "scale", "shop/web", "-2", "--pick", "shop/web-1", "--pick", "web-3", "--allow", "destroy=2", "--detach")
    assert run.returncode == 0 and "web-[1,3]" in run.stderr + run.stdout, run
    settled(manager, 6)
    assert nodes(manager) == ["web-0", "web-2", "web-4", "web-5"]
    run = reeve(manager, "scale", "shop/web", "-1", "--pick", "web-1", "--allow", "destroy=1", "--yes")
    assert run.returncode == 2 and "R0791" in run.stderr, run


def test_a_rule_is_the_groups_from_then_on(manager):
    """It is in the plan, and whoever goes goes by it."""
    assert manager.patch("/v1/nodegroups/shop/web", {"size": 7}).status == 200
    settled(manager, 9)
    run = reeve(manager, "scale", "shop/web", "-2", "--pick", "oldest", "--allow", "destroy=2", "--detach")
    assert run.returncode == 0 and "pick" in run.stderr + run.stdout, run
    settled(manager, 7)
    assert json.loads(reeve(manager, "get", "ng/shop/web", "-o", "json").stdout)["spec"]["pick"] == "oldest"
    assert "web-6" in nodes(manager), "the youngest"


def planned(manager, **group):
    """What the plan of another group says of it; nothing is changed."""
    answer = manager.patch("/v1/nodegroups/shop/web?dry-run=1", group)
    assert answer.status == 200, answer.text
    return answer.json["plan"][0]["groups"][0]


def aged(manager):
    """Six machines of which web-0 and web-3 are the youngest: they were made last."""
    assert patch(manager, 4, "web-0,web-3", "destroy:2").status == 200
    settled(manager, 6)
    assert manager.patch("/v1/nodegroups/shop/web", {"size": 6}).status == 200
    settled(manager, 8)
    assert nodes(manager) == [f"web-{n}" for n in range(6)]


@pytest.mark.parametrize("rule,told", [("oldest", "web-[4-5]"), ("newest", "web-[0,3]"), ("oldestConfig", "web-[4-5]"), ("failed", "web-[4-5]")])
def test_the_plan_names_those_who_will_go(manager, rule, told):
    aged(manager)
    plan = planned(manager, size=4, pick=rule)
    assert (plan["destroy"], plan["pick"]) == (told, rule)
    assert manager.patch("/v1/nodegroups/shop/web?allow=destroy:2", {"size": 4, "pick": rule}).status == 200
    settled(manager, 6)
    assert len(nodes(manager)) == 4
    gone = [event["node"] for event in manager.get("/v1/events?cluster=shop&limit=1000").json["items"] if event["type"] == "machine.condemned"][-2:]
    assert sorted(gone) == {"web-[4-5]": ["web-4", "web-5"], "web-[0,3]": ["web-0", "web-3"]}[told]


def test_the_plan_names_those_who_are_there(manager):
    """Places without a machine are neither what goes nor what comes."""
    assert patch(manager, 3, "web-0,web-2,web-4", "destroy:3").status == 200
    settled(manager, 5)
    assert nodes(manager) == ["web-1", "web-3", "web-5"]
    assert planned(manager, size=2)["destroy"] == "web-5"
    assert planned(manager, size=0)["destroy"] == "web-[1,3,5]" and "pick" not in planned(manager, size=0)
    assert planned(manager, size=5)["create"] == "web-[0,2]"
    assert manager.ask("DELETE", "/v1/clusters/shop?dry-run=1").json["plan"][0]["groups"][1]["destroy"] == "web-[1,3,5]"
    assert manager.ask("DELETE", "/v1/nodegroups/shop/web?dry-run=1").json["plan"][0]["groups"][0]["destroy"] == "web-[1,3,5]"
    run = reeve(manager, "scale", "shop/web", "1", "--pick", "newest", "--dry-run")
    assert "destroy web-[3,5] (pick newest)" in run.stderr + run.stdout, run
    assert manager.patch("/v1/nodegroups/shop/web", {"size": 5}).status == 200
    settled(manager, 7)
    assert nodes(manager) == ["web-0", "web-1", "web-2", "web-3", "web-5"]


def test_places_that_nobody_has_filled_go_in_the_plan_too(tmp_path):
    with Manager(tmp_path).start() as one:  # keeps nothing
        assert one.apply({"name": "shop", "version": "1", "groups": {"web": {"size": 6, "resourcePlugin": SIM}}}).status == 200
        assert planned(one, size=4)["destroy"] == "web-[4-5]"
        assert planned(one, size=8)["create"] == "web-[6-7]"


def test_zones_keep_their_shares_in_the_plan_too(manager):
    """Eight in two zones: of four that go by age, two are of each."""
    spec = {"size": 8, "resourcePlugin": SIM, "zones": ["a", "b"], "pick": "oldest"}
    assert manager.apply({"name": "wide", "version": "1", "groups": {"web": spec}}).status == 200

    def zones():
        return {item["metadata"]["name"]: item["status"]["zone"] for item in manager.get("/v1/resources?cluster=wide&limit=1000").json["items"]
                if item["status"]["state"] == "active"}

    until(lambda: len(zones()) == 8)
    before = zones()
    told = manager.patch("/v1/nodegroups/wide/web?dry-run=1", {"size": 4}).json["plan"][0]["groups"][0]["destroy"]
    assert manager.patch("/v1/nodegroups/wide/web?allow=destroy:4", {"size": 4}).status == 200
    until(lambda: len(zones()) == 4 and manager.get("/v1/clusters/wide").json["status"]["machines"]["leaving"] == 0)
    gone = sorted(set(before) - set(zones()))
    assert told == ranges(gone) and sorted(before[name] for name in gone) == ["a", "a", "b", "b"]


def ranges(names):
    """web-[0,2-3] of sorted names with one digit."""
    parts, numbers = [], [int(name[-1]) for name in names]
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return f"web-[{','.join(str(a) if a == b else f'{a}-{b}' for a, b in parts)}]"
