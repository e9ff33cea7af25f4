"""Guards of the reconciler: holds by their own sources, approvals that end, orphans that are forgotten (SAFETY.md, F31, F33)."""
import json

import pytest

from manager import Manager, machine_files, machines_in, until

FILE = {"name": "file"}


@pytest.fixture
def keeping(tmp_path, request):
    """A manager that keeps clusters, in haste."""
    with Manager(tmp_path, "--haste", str(getattr(request, "param", 100)), control=True).start() as manager:
        yield manager


def document(**groups):
    return {"name": "shop", "version": "1", "groups": {
        name: {"size": size, "resourcePlugin": plugin} for name, (size, plugin) in groups.items()}}


def holds(manager):
    """Rules of the holds that stand, by their group."""
    return {(row["status"].get("group", ""), row["status"]["rule"]) for row in manager.get("/v1/holds?cluster=shop").json["items"]}


def alarms(manager, rule):
    events = manager.get("/v1/events?cluster=shop&limit=500").json["items"]
    return [event for event in events if event["type"] == "hold.began" and event.get("rule") == rule]


def names(manager):
    return sorted(machine["name"] for machine in machines_in(manager.folder).values())


def lose(manager, count):
    """So many machines of web, which serve, are gone all at once."""
    until(lambda: [row["status"]["state"] for row in manager.get("/v1/resources?cluster=shop").json["items"]
                   if row["status"]["group"] == "web"] == ["active"] * 4, manager.log.read_text)
    for path in [path for path, one in machines_in(manager.folder).items() if one["group"] == "web"][:count]:
        path.unlink()


@pytest.mark.parametrize("keeping", [20], indirect=True)
def test_a_missing_provider_keeps_no_hold_of_another_group(keeping):
    """The brake of the healthy group ends by itself; and what was approved once lets no other loss pass (F31)."""
    web = [f"web-{number}" for number in range(4)]
    keeping.apply(document(web=(4, FILE), db=(3, {"name": "nowhere"})), query="?allow-missing-plugin=1")
    until(lambda: names(keeping) == web, keeping.log.read_text)
    until(lambda: holds(keeping) == {("", "unlisted")}, lambda: str(holds(keeping)))
    lose(keeping, 3)
    until(lambda: alarms(keeping, "listing_brake"), keeping.log.read_text)
    keeping.post("/v1/nodegroups/shop/web/say", {"command": "approve", "rule": "listing_brake"})  # or it has opened already
    until(lambda: names(keeping) == web, keeping.log.read_text)
    until(lambda: holds(keeping) == {("", "unlisted")}, lambda: str(holds(keeping)))
    before = len(alarms(keeping, "listing_brake"))
    lose(keeping, 3)
    until(lambda: len(alarms(keeping, "listing_brake")) > before, lambda: json.dumps(sorted(holds(keeping))))
    until(lambda: names(keeping) == web, keeping.log.read_text)
    until(lambda: holds(keeping) == {("", "unlisted")}, lambda: str(holds(keeping)))


def test_a_cluster_is_deleted_after_an_orphan_of_it_was_destroyed(keeping):
    """A machine that was taken for lost comes back, and is destroyed as nobody asked for it. The deletion ends at once after that (F33)."""
    keeping.apply(document(web=(3, FILE)))
    until(lambda: len(names(keeping)) == 3, keeping.log.read_text)
    path = machine_files(keeping.folder)[0]
    machine = path.read_bytes()
    path.unlink()
    until(lambda: len(names(keeping)) == 3, keeping.log.read_text)
    until(lambda: len(keeping.get("/v1/resources?cluster=shop").json["items"]) == 3)
    path.write_bytes(machine)
    until(lambda: alarms(keeping, "quarantine"), keeping.log.read_text)
    until(lambda: not path.exists(), keeping.log.read_text)
    until(lambda: len(keeping.get("/v1/resources?cluster=shop").json["items"]) == 3)
    assert keeping.ask("DELETE", "/v1/clusters/shop?allow=destroy:9").status == 200
    until(lambda: not machine_files(keeping.folder), keeping.log.read_text)
    until(lambda: not keeping.get("/v1/resources").json["items"],
          lambda: keeping.get("/v1/resources").text + keeping.get("/v1/holds").text)
    assert keeping.get("/v1/holds").json["items"] == []
