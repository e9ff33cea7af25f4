"""Discovered machines on real nodes: keys, facts and stages as for every member, and no trace after they leave (C17, C21).

The machines are containers of another tenant, which knows nothing of this one."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from manager import until  # noqa: E402
from pylib.metal import LEFT, asked, blocked, inside, listens, machines, reeve, refused, rows, why  # noqa: E402
from test_bootstrap import BASE, world  # noqa: E402, F401  (a fixture is found by its name)

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")


def test_machines_are_members_and_leave_without_a_trace(world):
    world.apply(2)
    key = world.folder / "login"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key], check=True)
    owners = key.with_suffix(".pub").read_text()
    addresses = {}
    for name, machine in world.by_name().items():
        addresses[name] = machine.address
        folder = inside(world, name) / "root/.ssh"
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / "authorized_keys").write_text(owners)
    assert world.manager.ask("POST", "/v1/tenants", {"name": "metal"}).status in (200, 201)

    until(lambda: all(listens(one) for one in world.by_name().values()), lambda: why(world))
    told = reeve(world, "discover", *addresses.values(), "--key", "login")
    assert all(address in told for address in addresses.values()), told
    assert (inside(world, "web-0") / "root/.ssh/authorized_keys").read_text() == owners
    ids = {address: one["id"] for address, one in rows(world).items()}
    world.bundle("base", BASE)
    (world.folder / "dc.yaml").write_text(json.dumps({"name": "dc", "version": "1", "groups": {"box": {
        "size": 0, "resourcePlugin": {"name": "inventory"}, "bootstrap": [{"tar": "base", "args": ["one"]}]}}}))
    reeve(world, "apply", "--yes", "-f", "dc.yaml")
    reeve(world, "commission", *ids.values(), "-g", "dc/box", "--yes")
    members = {one["address"]: one["claim"]["name"] for one in rows(world).values()}
    assert sorted(members.values()) == ["box-0", "box-1"], why(world)
    for name in addresses:
        assert world.starts(name) == ["base one"], why(world)
        facts = json.loads((inside(world, name) / "etc/cluster_facts.json").read_text())
        assert sorted(facts) == ["box-0", "box-1"], facts
    first = members[addresses["web-0"]]
    assert reeve(world, "ssh", f"dc/{first}", "--", "hostname").strip()

    reeve(world, "decommission", f"dc/{first}", "--allow", "destroy=1")
    gone = until(lambda: (row := rows(world)[addresses["web-0"]]).get("status") == "decommissioned" and row, lambda: why(world))
    assert "claim" not in gone, gone
    assert [path for path in LEFT if (inside(world, "web-0") / path).exists()] == []
    assert (inside(world, "web-0") / "root/.ssh/authorized_keys").read_text() == owners
    events = [one["type"] for one in asked(world, "GET", "/v1/events?cluster=dc&limit=500").json["items"]]
    assert events.count("node.claimed") == 2 and "node.released" in events and "node.moved" in events, events

    # it comes back by the same login, with another slot's keys and stages of its own
    reeve(world, "commission", ids[addresses["web-0"]], "-g", "dc/box", "--yes")
    assert world.starts("web-0") == ["base one", "base one"], why(world)


def test_an_absent_machine_is_cleaned_up_when_it_returns(world):
    """It leaves at once; nothing is done with it before what reeve has left there is gone (I30)."""
    world.apply(1)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", world.folder / "login"], check=True)
    folder = inside(world, "web-0") / "root/.ssh"
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / "authorized_keys").write_text((world.folder / "login.pub").read_text())
    assert world.manager.ask("POST", "/v1/tenants", {"name": "metal"}).status in (200, 201)
    until(lambda: listens(world.by_name()["web-0"]), lambda: why(world))
    reeve(world, "discover", world.by_name()["web-0"].address, "--key", "login")
    [one] = rows(world).values()
    world.bundle("base", BASE)
    (world.folder / "dc.yaml").write_text(json.dumps({"name": "dc", "version": "1", "groups": {"box": {
        "size": 0, "resourcePlugin": {"name": "inventory"}, "bootstrap": [{"tar": "base", "args": ["one"]}]}}}))
    reeve(world, "apply", "--yes", "-f", "dc.yaml")
    reeve(world, "commission", one["id"], "-g", "dc/box", "--yes")
    assert (inside(world, "web-0") / "var/lib/reeve-node").exists()

    assert "has not disappeared" in refused(world, "decommission", "dc/box-0", "--absent", "--allow", "destroy=1")
    blocked(world, "web-0", True)
    until(lambda: rows(world)[one["address"]]["state"] == "disappeared", lambda: why(world))
    assert "box-0 cannot be cleaned up" in refused(world, "decommission", "dc/box-0", "--allow", "destroy=1")  # C26
    reeve(world, "decommission", "dc/box-0", "--absent", "--allow", "destroy=1")
    gone = until(lambda: rows(world)[one["address"]].get("cleanupPending") and rows(world)[one["address"]], lambda: why(world))
    assert gone["status"] == "decommissioned", gone
    blocked(world, "web-0", False)
    until(lambda: "cleanupPending" not in rows(world)[one["address"]], lambda: why(world))
    assert [path for path in LEFT if (inside(world, "web-0") / path).exists()] == []
    assert "node.cleaned" in asked(world, "GET", "/v1/events?limit=500").text


def test_a_failed_commission_returns_the_machine(world):
    """Its cleanup runs, the size is what it was, the job has failed with its first failing stage, and retry takes it again (C25)."""
    ids = machines(world, 2)
    cleaned = inside(world, "web-1") / "root/cleaned"
    world.bundle("base", BASE)
    world.bundle("fragile", 'test -e /root/licence || { echo "E: no licence" >&2; exit 7; }\n')
    (world.folder / "fragile/cleanup.sh").write_text("touch /root/cleaned\n")
    (inside(world, "web-0") / "root/licence").write_text("")
    (world.folder / "dc.yaml").write_text(json.dumps({"name": "dc", "version": "1", "groups": {"box": {
        "size": 0, "resourcePlugin": {"name": "inventory"}, "bootstrap": [{"tar": "base", "args": ["one"]}, {"tar": "fragile"}]}}}))
    reeve(world, "apply", "--yes", "-f", "dc.yaml")
    told = refused(world, "commission", *ids.values(), "-g", "dc/box", "--yes")
    assert "error[R0830]: 1 of 2 nodes failed; cleaned up, unallocated again, size of box 1" in told, told + why(world)
    assert "stage-1 fragile: E: no licence (exit 7)" in told and " --failed commissions them again" in told, told
    assert cleaned.exists()
    number = told.split("reeve job retry ")[1].split()[0]

    row = next(one for one in rows(world).values() if one["id"] == ids["web-1"])
    assert row["status"] == "unallocated" and "claim" not in row and row["prevStatus"] == "provisioning", row
    [failed] = [one for one in row["conditions"] if one["type"] == "failed"]
    assert "fragile" in failed["reason"] and "E: no licence" in failed["reason"], row
    assert [path for path in LEFT if (inside(world, "web-1") / path).exists()] == []
    [job] = asked(world, "GET", f"/v1/jobs/{number}").json["items"]
    assert job["status"]["state"] == "failed" and [one["machine"] for one in job["status"]["returned"]] == [ids["web-1"]], job
    assert asked(world, "GET", "/v1/nodegroups/dc/box").json["spec"]["size"] == 1
    assert len([one for one in asked(world, "GET", "/v1/jobs").json["items"] if int(one["status"]["revision"]) > int(number)]) == 0

    (inside(world, "web-1") / "root/licence").write_text("")
    told = reeve(world, "job", "retry", number, "--failed", "--yes")
    assert asked(world, "GET", "/v1/nodegroups/dc/box").json["spec"]["size"] == 2, told
    row = next(one for one in rows(world).values() if one["id"] == ids["web-1"])
    assert row["claim"]["name"] and "conditions" not in row, row


def failing(world, ids, **more):
    """A cluster whose only stage fails where there is no licence."""
    world.bundle("fragile", 'test -e /root/licence || { echo "E: no licence" >&2; exit 7; }\n')
    box = {"resourcePlugin": {"name": "inventory"}, "bootstrap": [{"tar": "fragile"}], **more.pop("box", {})}
    (world.folder / "dc.yaml").write_text(json.dumps({"name": "dc", "version": "1", "groups": {"box": box}, **more}))
    reeve(world, "apply", "--yes", "--detach", "-f", "dc.yaml")
    return ids["web-0"]


def test_a_failed_machine_is_not_taken_again_by_itself(world):
    """autoCommission: the size stays, the machine is returned, and only an operator's approval makes it a candidate again."""
    ids = machines(world, 1)
    [row] = rows(world).values()
    key = f"{row['id']}={row['fingerprint']}"
    reeve(world, "discover", "approve", key)
    failing(world, ids, autoCommission="listed", box={"size": 1, "heal": "off"})
    row = until(lambda: next((one for one in rows(world).values() if "conditions" in one and one["status"] == "unallocated"), None),
                lambda: why(world), 60)
    assert [one["type"] for one in row["conditions"]] == ["failed"], row
    (inside(world, "web-0") / "root/licence").write_text("")
    until(lambda: "none that waits fits autoCommission" in asked(world, "GET", "/v1/jobs").text, lambda: why(world), 60)
    assert "claim" not in next(iter(rows(world).values()))
    reeve(world, "discover", "approve", key)
    reeve(world, "job", "retry", str(asked(world, "GET", "/v1/jobs").json["items"][-1]["status"]["revision"]))
    until(lambda: "box-0" == next(iter(rows(world).values())).get("claim", {}).get("name"), lambda: why(world), 60)
    assert asked(world, "GET", "/v1/nodegroups/dc/box").json["spec"]["size"] == 1
    until(lambda: asked(world, "GET", "/v1/jobs").json["items"][-1]["status"]["state"] == "done", lambda: why(world), 60)


def test_a_protected_group_keeps_its_size_and_its_failed_machine(world):
    """What an operator has protected is not changed by reeve itself; an event says so."""
    one = failing(world, machines(world, 1), box={"size": 0})
    world.bundle("fragile", "until test -e /root/go; do sleep 0.1; done; exit 7\n")
    reeve(world, "apply", "--yes", "--detach", "-f", "dc.yaml")
    reeve(world, "commission", one, "-g", "dc/box", "--yes", "--detach")
    until(lambda: "claim" in next(iter(rows(world).values())), lambda: why(world), 60)
    reeve(world, "set", "nodegroup/dc/box", "protected=true", "--yes", "--detach")
    (inside(world, "web-0") / "root/go").write_text("")
    until(lambda: "node.return_refused" in asked(world, "GET", "/v1/events?limit=500").text, lambda: why(world), 60)
    assert asked(world, "GET", "/v1/nodegroups/dc/box").json["spec"]["size"] == 1
    assert next(iter(rows(world).values()))["claim"]["name"] == "box-0"


def test_a_cleanup_that_fails_is_pending_until_it_succeeds(world):
    """The machine leaves all the same; everybody sees that it is pending, and the hooks run again before anything else is done (I30)."""
    ids = machines(world, 1)
    world.bundle("base", BASE)
    (world.folder / "base/cleanup.sh").write_text("echo cleanup >>/srv/cleanups\necho E: volume busy >&2\ntest -e /srv/free\n")
    (world.folder / "dc.yaml").write_text(json.dumps({"name": "dc", "version": "1", "groups": {"box": {
        "size": 0, "resourcePlugin": {"name": "inventory"}, "bootstrap": [{"tar": "base", "args": ["one"]}]}}}))
    reeve(world, "apply", "--yes", "-f", "dc.yaml")
    reeve(world, "commission", ids["web-0"], "-g", "dc/box", "--yes")
    reeve(world, "decommission", "dc/box-0", "--allow", "destroy=1")
    [row] = rows(world).values()
    assert row["status"] == "decommissioned" and row["cleanupPending"]["member"] == "box-0", (row, why(world))
    assert "stage-0: cleanup.sh ended with exit code 1: E: volume busy" in row["conditions"][0]["reason"], row
    [event] = [one for one in asked(world, "GET", "/v1/events?limit=500").json["items"] if one["type"] == "node.cleanup_pending"]
    assert "E: volume busy (R0831)" in event["fact"], event
    said = reeve(world, "status")
    assert "cleanup pending  1 (R0831): reeve discover" in said and "was dc/box-0: stage-0: cleanup.sh ended" in said, said
    assert "cleanup: stage-0" in reeve(world, "discover")
    assert "its cleanup is pending" in refused(world, "commission", ids["web-0"], "-g", "dc/box", "--yes")
    (inside(world, "web-0") / "srv/free").write_text("")
    until(lambda: "cleanupPending" not in next(iter(rows(world).values())), lambda: why(world), 60)
    assert [path for path in LEFT if (inside(world, "web-0") / path).exists()] == []
    assert asked(world, "GET", "/v1/nodes?discovered=1&condition=cleanupPending").json["items"] == []
    assert len((inside(world, "web-0") / "srv/cleanups").read_text().split()) >= 2
    assert world.manager.ask("GET", "/v1/nodes?discovered=1&condition=odd").status == 400


def test_the_playbook_of_an_absent_machine_runs_when_it_returns(world):
    """The cluster, its group and its revision may be gone by then: what the cleanup needs is kept with the machine."""
    ids = machines(world, 1)
    (world.folder / "repo").mkdir()
    for name in ("site", "cleanup"):
        task = {"name": name, "ansible.builtin.shell": f"echo {name} '{{{{ greeting }}}}' on '{{{{ inventory_hostname }}}}' >>/srv/plays"}
        (world.folder / f"repo/{name}.yml").write_text(json.dumps([{"hosts": "all", "gather_facts": False, "tasks": [task]}]))
    (world.folder / "repo/configuration.yaml").write_text(json.dumps({"vars": {"greeting": "hello"}}))
    reeve(world, "config", "push", "repo", "--name", "web")
    (world.folder / "dc.yaml").write_text(json.dumps({"name": "dc", "version": "1", "groups": {"box": {
        "size": 0, "resourcePlugin": {"name": "inventory"}, "configuration": "web"}}}))
    reeve(world, "apply", "--yes", "-f", "dc.yaml")
    reeve(world, "commission", ids["web-0"], "-g", "dc/box", "--yes")
    plays = inside(world, "web-0") / "srv/plays"
    assert plays.read_text().splitlines() == ["site hello on box-0"], why(world)
    blocked(world, "web-0", True)
    until(lambda: next(iter(rows(world).values()))["state"] == "disappeared", lambda: why(world))
    reeve(world, "decommission", "dc/box-0", "--absent", "--allow", "destroy=1")
    until(lambda: "cleanupPending" in next(iter(rows(world).values())), lambda: why(world))
    assert world.manager.stop() == 0
    world.manager.start()
    blocked(world, "web-0", False)
    until(lambda: "cleanupPending" not in next(iter(rows(world).values())), lambda: why(world), 60)
    assert plays.read_text().splitlines() == ["site hello on box-0", "cleanup hello on box-0"], why(world)
    assert [path for path in LEFT if (inside(world, "web-0") / path).exists()] == []


def test_another_machine_takes_the_slot_of_one_that_is_decommissioned(world):
    """--refill keeps the size: the machine leaves, cleaned up, and the next one that fits is commissioned."""
    ids = machines(world, 2)
    world.bundle("base", BASE)
    (world.folder / "dc.yaml").write_text(json.dumps({"name": "dc", "version": "1", "autoCommission": "listed", "groups": {"box": {
        "size": 0, "resourcePlugin": {"name": "inventory"}, "bootstrap": [{"tar": "base", "args": ["one"]}]}}}))
    reeve(world, "apply", "--yes", "-f", "dc.yaml")
    reeve(world, "commission", ids["web-0"], "-g", "dc/box", "--yes")
    other = next(one for one in rows(world).values() if one["id"] == ids["web-1"])
    reeve(world, "discover", "approve", f"{other['id']}={other['fingerprint']}")
    assert "exclude each other" in refused(world, "decommission", "dc/box-0", "--refill", "--absent")
    reeve(world, "decommission", "dc/box-0", "--refill", "--allow", "replace=1", "--detach")
    until(lambda: next(one for one in rows(world).values() if one["id"] == ids["web-1"]).get("claim", {}).get("name") == "box-0", lambda: why(world), 60)
    assert next(one for one in rows(world).values() if one["id"] == ids["web-0"])["status"] == "decommissioned"
    assert [path for path in LEFT if (inside(world, "web-0") / path).exists()] == []
    until(lambda: world.starts("web-1") == ["base one"], lambda: why(world), 60)
    assert asked(world, "GET", "/v1/nodegroups/dc/box").json["spec"]["size"] == 1


def test_a_member_on_which_changed_stages_fail_is_returned(world):
    """rollout.onFail: clean: its cleanup runs, the size is smaller, and the others are not touched (decision 0156)."""
    ids = machines(world, 2)
    licence = 'test -e /root/licence || { echo "E: no licence" >&2; exit 7; }\n'
    world.bundle("fragile", f"echo one >>/root/starts\n{licence}")
    (world.folder / "fragile/cleanup.sh").write_text("touch /root/cleaned\n")
    for name in ("web-0", "web-1"):
        (inside(world, name) / "root/licence").write_text("")
    box = {"size": 0, "resourcePlugin": {"name": "inventory"}, "bootstrap": [{"tar": "fragile", "idempotent": True}],
           "rollout": {"onFail": "clean", "canary": 1, "maxFail": 1}}
    file = world.folder / "dc.yaml"
    file.write_text(json.dumps({"name": "dc", "version": "1", "groups": {"box": box}}))
    reeve(world, "apply", "--yes", "-f", "dc.yaml")
    reeve(world, "commission", *ids.values(), "-g", "dc/box", "--var", "device=sdb", "--var", "mode=slow", "--yes")
    members = asked(world, "GET", "/v1/nodegroups/dc/box").json["spec"]["members"]
    assert members == {name: {"vars": {"device": "sdb", "mode": "slow"}} for name in ("box-0", "box-1")}, members

    first = next(one for one in rows(world).values() if one["claim"]["name"] == "box-0")
    machine = next(name for name, one in ids.items() if one == first["id"])
    other = next(name for name in ids if name != machine)
    (inside(world, machine) / "root/licence").unlink()
    world.bundle("fragile", f"echo two >>/root/starts\n{licence}")
    box["size"] = 2
    file.write_text(json.dumps({"name": "dc", "version": "2", "groups": {"box": box}}))
    reeve(world, "apply", "--yes", "--detach", "-f", "dc.yaml")
    until(lambda: next(one for one in rows(world).values() if one["id"] == ids[machine]).get("claim") is None, lambda: why(world), 120)
    row = next(one for one in rows(world).values() if one["id"] == ids[machine])
    assert row["status"] == "unallocated" and [one["type"] for one in row["conditions"]] == ["failed"], row
    assert (inside(world, machine) / "root/cleaned").exists()
    group = asked(world, "GET", "/v1/nodegroups/dc/box").json["spec"]
    assert group["size"] == 1 and list(group["members"]) == ["box-1"], group
    assert (inside(world, other) / "root/starts").read_text() == "one\n"


# ---- adoption ----

def boxes(world, *stages, **more):
    """A cluster with an empty group, whose bundles leave a mark when they clean up."""
    world.bundle("base", BASE)
    (world.folder / "base/cleanup.sh").write_text("touch /root/cleaned\n")
    (world.folder / "dc.yaml").write_text(json.dumps({"name": "dc", "version": "1", "groups": {"box": {
        "size": 0, "resourcePlugin": {"name": "inventory"}, "bootstrap": [{"tar": "base", "args": [word]} for word in stages], **more}}}))
    reeve(world, "apply", "--yes", "-f", "dc.yaml")


def test_a_machine_that_serves_is_adopted_without_stages(world):
    """It gets keys and facts; the next change of its group reaches it as every member; a release runs no hook of a stage that never ran."""
    ids = machines(world, 2)
    boxes(world, "one")
    told = reeve(world, "adopt", ids["web-0"], ids["web-1"], "-g", "dc/box", "--yes")
    assert "adopted as they are" in told and "observed by the manager, not verified" in told, told
    assert {one["claim"].get("adopted") for one in rows(world).values()} == {True}, why(world)
    for name in ids:
        assert world.starts(name) == [], why(world)
        assert sorted(json.loads((inside(world, name) / "etc/cluster_facts.json").read_text())) == ["box-0", "box-1"]
    types = [one["type"] for one in asked(world, "GET", "/v1/events?limit=500").json["items"]]
    assert types.count("node.adopted") == 2 and "node.stage" not in types, why(world)
    assert asked(world, "GET", "/v1/jobs").json["items"][-1]["status"]["state"] == "done", why(world)
    assert "R0822" in refused(world, "adopt", ids["web-0"], "-g", "dc/box", "--yes")

    members = {one["id"]: one["claim"]["name"] for one in rows(world).values()}
    reeve(world, "release", f"dc/{members[ids['web-1']]}", "--allow", "destroy=1")
    until(lambda: not any((inside(world, "web-1") / path).exists() for path in LEFT), lambda: why(world))
    assert not (inside(world, "web-1") / "root/cleaned").exists()
    row = next(one for one in rows(world).values() if one["id"] == ids["web-1"])
    assert row["status"] == "unallocated" and "claim" not in row and "conditions" not in row, row
    assert int(row["facts"]["cpu"]) > 0 and row["facts"]["memory"].endswith("MiB"), row
    assert row["facts"]["memory"] in reeve(world, "discover", "-o", "wide")

    (world.folder / "dc.yaml").write_text((world.folder / "dc.yaml").read_text().replace('"one"', '"two"').replace('"size": 0', '"size": 1'))
    reeve(world, "apply", "--yes", "-f", "dc.yaml")
    assert world.starts("web-0") == ["base two"], why(world)
    reeve(world, "decommission", f"dc/{members[ids['web-0']]}", "--allow", "destroy=1")
    until(lambda: (inside(world, "web-0") / "root/cleaned").exists(), lambda: why(world))


def test_a_machine_that_refuses_the_login_is_not_adopted(world):
    """Its row is as before, with the reason; the size of the group too; nothing is left on it."""
    ids = machines(world, 1)
    boxes(world, "one")
    (inside(world, "web-0") / "root/.ssh/authorized_keys").write_text("")
    told = refused(world, "adopt", ids["web-0"], "-g", "dc/box", "--yes")
    assert "R0830" in told and "login: " in told and "size of box 0" in told, told + why(world)
    [row] = rows(world).values()
    assert row["status"] == "unallocated" and "claim" not in row and "cleanupPending" not in row, row
    assert [one["type"] for one in row["conditions"]] == ["failed"], row
    assert asked(world, "GET", "/v1/nodegroups/dc/box").json["spec"]["size"] == 0
    assert [path for path in LEFT if (inside(world, "web-0") / path).exists()] == []
    (inside(world, "web-0") / "root/.ssh/authorized_keys").write_text((world.folder / "login.pub").read_text())
    reeve(world, "adopt", ids["web-0"], "-g", "dc/box", "--yes")
    assert world.starts("web-0") == [], why(world)


def test_a_node_that_waits_for_the_facts_of_others_says_so(world):
    """For which node, and since when."""
    ids = machines(world, 2)
    boxes(world, "one")
    (inside(world, "web-1") / "root/.ssh/authorized_keys").write_text("")
    reeve(world, "commission", *ids.values(), "-g", "dc/box", "--yes", "--detach")
    members = until(lambda: (found := {one["id"]: one["claim"]["name"] for one in rows(world).values() if "claim" in one}) and len(found) == 2 and found,
                    lambda: why(world))
    first, second = members[ids["web-0"]], members[ids["web-1"]]
    words = f"{second}: it has not reported its facts"
    until(lambda: words in reeve(world, "why", f"dc/{first}"), lambda: reeve(world, "why", f"dc/{first}") + why(world), 60)
    assert words in reeve(world, "describe", f"node/dc/{first}")
    assert "waits for facts of others, " in reeve(world, "tree", "dc", "--unfold")
    (inside(world, "web-1") / "root/.ssh/authorized_keys").write_text((world.folder / "login.pub").read_text())
    until(lambda: world.starts("web-0") == world.starts("web-1") == ["base one"], lambda: why(world), 90)
