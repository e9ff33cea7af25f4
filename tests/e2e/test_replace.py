"""reeve replace and reeve rollout restart: other machines in the slots of nodes, though nothing of their group changes (issue 24 D2)."""

import pytest

from manager import Manager, machine_files, reeve, until

FILE = {"name": "file"}


@pytest.fixture(name="keeping", scope="module")
def manager_of_all_tests(tmp_path_factory):
    """One manager, in haste; each test has a cluster of its own."""
    with Manager(tmp_path_factory.mktemp("m"), "--haste", "100", control=True).start() as manager:
        yield manager


def machines(manager, cluster):
    """The id of the machine that each node has."""
    items = manager.get(f"/v1/resources?cluster={cluster}").json["items"]
    return {one["metadata"]["name"]: one["status"].get("id") for one in items if one["status"]["state"] == "active"}


def made(manager, name, **groups):
    """A cluster of these groups; its machines, once all are ready."""
    manager.apply({"name": name, "version": "1", "groups": {path: {"resourcePlugin": FILE, **group} for path, group in groups.items()}})
    count = sum(group["size"] for group in groups.values())

    def ready():
        counts = manager.get(f"/v1/clusters/{name}").json.get("status", {}).get("machines", {})
        return counts.get("ready") == counts.get("wanted") == count and counts["leaving"] == 0
    until(ready, manager.log.read_text)
    return machines(manager, name)


def test_a_node_gets_another_machine_and_no_other_one_does(keeping):
    before = made(keeping, "one", web={"size": 3}, db={"size": 1})
    shown = reeve(keeping, "replace", "one/web-1", "--dry-run")
    assert "! web  size 3  replace 1: web-1" in shown and "replace 1, change 0" in shown
    said = reeve(keeping, "replace", "one/web-1", "--yes", code=11)
    assert "R0024" in said and "--allow replace=1" in said and machines(keeping, "one") == before
    said = reeve(keeping, "replace", "one/web-1", "--allow", "replace=1", "-m", "its disk is slow")
    assert "state=done" in said
    after = machines(keeping, "one")
    assert after.keys() == before.keys() and {name for name in after if after[name] != before[name]} == {"web-1"}
    assert "an operator requested the replacement of the machine" in reeve(keeping, "why", "one/web-1")
    assert before["web-1"] in reeve(keeping, "why", "one/web-1", "--previous")
    assert "its disk is slow" in reeve(keeping, "describe", "one/web", "--history")
    events = keeping.get("/v1/events?cluster=one").json["items"]
    asked = [one for one in events if one["type"] == "cluster.changed" and one.get("fact")]
    assert asked[-1]["fact"] == "to be replaced: web-1" and asked[-1]["sums"]["replace"] == 1


def test_nodes_of_several_groups_by_range_and_by_id(keeping):
    before = made(keeping, "two", web={"size": 4}, db={"size": 2})
    said = reeve(keeping, "replace", "two/web-[0-1]", f"two/{before['web-3']}", "two/db-0", "--allow", "replace=4")
    assert "replace 3: web-[0-1,3]" in said and "replace 1: db-0" in said
    until(lambda: {name for name, one in machines(keeping, "two").items() if one != before[name]} == {"web-0", "web-1", "web-3", "db-0"}
          and len(machines(keeping, "two")) == 6, keeping.log.read_text)
    until(lambda: keeping.get("/v1/jobs?cluster=two").json["items"][0]["status"]["state"] == "done", keeping.log.read_text)


def test_what_cannot_be_replaced_is_refused_with_the_reason(keeping):
    before = made(keeping, "three", web={"size": 2}, kept={"size": 1, "protected": True})
    said = reeve(keeping, "replace", "three/web-9", code=4)
    assert "there is no machine 'web-9' in three" in said and "reeve get nodes -c three" in said
    said = reeve(keeping, "replace", "three/kept-0", "--allow", "replace=1", code=5)
    assert "R0820" in said and "'three/kept-0' cannot be replaced: the machine is protected" in said
    assert "reeve set nodegroup/three/kept protected=false" in said
    said = reeve(keeping, "rollout", "restart", "three/kept", "--allow", "replace=9", code=5)
    assert "R0820" in said and "has no machine that can be replaced" in said
    answer = keeping.patch("/v1/nodegroups/three/web?replace=web-0&allow=replace:1", {"size": 5})
    assert answer.status == 409 and answer.code == "R0820" and "changes nothing else" in answer.text
    assert machines(keeping, "three") == before


def test_a_restart_replaces_each_machine_of_a_group_through_its_rollout(keeping):
    before = made(keeping, "four", web={"size": 3, "rollout": {"canary": 1, "batch": 1}}, db={"size": 1})
    reeve(keeping, "rollout", "pause", "four/web")
    said = reeve(keeping, "rollout", "restart", "four/web", "--allow", "replace=3", "--detach")
    assert "replace 3: web-[0-2]" in said
    until(lambda: "outdated 3" in reeve(keeping, "tree", "four"), keeping.log.read_text)
    assert machines(keeping, "four") == before, "a paused rollout replaces nothing"
    said = reeve(keeping, "replace", "four/web-1", "--allow", "replace=1", code=5)
    assert "is being replaced already" in said
    reeve(keeping, "rollout", "resume", "four/web")
    reeve(keeping, "wait", "cluster/four", "--for", "updated", "--timeout", "60s")
    after = machines(keeping, "four")
    assert {name for name in after if after[name] != before[name]} == {"web-0", "web-1", "web-2"} and len(after) == 4


def test_a_restart_means_nobody_that_comes_later(keeping):
    """A machine that is still being created when its group is restarted is not replaced once it is there: nobody agreed to that."""
    made(keeping, "late", web={"size": 2})
    folder = next(path.parent for path in machine_files(keeping.folder) if path.stem in machines(keeping, "late").values())
    folder.chmod(0o500)  # the plugin cannot make a third one now
    reeve(keeping, "scale", "late/web", "3", "--yes", "--detach")
    until(lambda: "web-2" in keeping.get("/v1/resources?cluster=late").text, keeping.log.read_text)
    assert "replace 2: web-[0-1]" in reeve(keeping, "rollout", "restart", "late/web", "--allow", "replace=2", "--detach")
    folder.chmod(0o700)
    reeve(keeping, "wait", "cluster/late", "--for", "updated", "--timeout", "60s")
    until(lambda: keeping.get("/v1/jobs?cluster=late").json["items"][0]["status"]["state"] == "done", keeping.log.read_text)
    ended = [one["node"] for one in keeping.get("/v1/events?cluster=late&limit=500").json["items"] if one["type"] == "machine.condemned"]
    assert sorted(ended) == ["web-0", "web-1"] and len(machines(keeping, "late")) == 3


def test_a_machine_that_does_not_run_is_replaced_though_healing_is_off(keeping):
    before = made(keeping, "five", web={"size": 2, "heal": "off"})
    path = next(path for path in machine_files(keeping.folder) if path.stem == before["web-0"])
    path.write_text(path.read_text().replace('"running"', '"stopped"'))
    until(lambda: "unhealed" in reeve(keeping, "get", "holds", "-c", "five", "-o", "name"), keeping.log.read_text)
    said = reeve(keeping, "replace", "five/web-0", "--allow", "replace=1")
    assert "state=done" in said
    after = machines(keeping, "five")
    assert after["web-0"] != before["web-0"] and after["web-1"] == before["web-1"]


def test_who_may_change_a_group_may_replace_its_nodes_and_no_others(keeping):
    before = made(keeping, "six", web={"size": 1}, db={"size": 1})
    keeping.post("/v1/users", {"name": "ana"})
    keeping.post("/v1/grants", {"user": "ana", "role": "operator", "cluster": "six", "nodegroup": "web"})
    token = keeping.post("/v1/tokens", {"user": "ana", "days": 1}).json["token"]
    assert keeping.patch("/v1/nodegroups/six/db?replace=*&allow=replace:1", {}, token=token).status in (403, 404)
    assert keeping.patch("/v1/nodegroups/six/web?replace=*&allow=replace:1", {}, token=token).status == 200
    until(lambda: machines(keeping, "six").get("web-0") not in (None, before["web-0"]), keeping.log.read_text)
    assert machines(keeping, "six")["db-0"] == before["db-0"]
