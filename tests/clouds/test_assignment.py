"""Three managers on one etcd: which of them has a cluster, how it is handed over, and what operators see of it."""

import re
import shutil
import time

import pytest
from pylib.etcd import Missing
from pylib.etcd_three import Three
from pylib.managers import Managers, reeve, until
import plugin  # isort: skip  the folder of pylib.managers
from manager import machine_files  # isort: skip

pytestmark = pytest.mark.skipif(shutil.which("etcd") is None, reason="needs etcd")
CLUSTERS = 24


@pytest.fixture(name="etcd", scope="module")
def fixture_etcd(tmp_path_factory):
    """One etcd."""
    try:
        with Three(tmp_path_factory.mktemp("etcd")) as three:
            yield three
    except Missing as missing:
        pytest.skip(str(missing))


def managers(etcd, tmp_path, more=""):
    """Three managers whose windows of a minute last a second."""
    return Managers(tmp_path, etcd, prefix=f"/{tmp_path.name}/", more=more, flags=("--haste", "60"))


def cluster(name, plugin="sim", size=0):
    """A cluster with one group."""
    return {"name": name, "version": "1", "groups": {"web": {"size": size, "resourcePlugin": {"name": plugin}}}}


def shown_by(manager, query=""):
    """The managers, as the API of one of them shows them."""
    answer = manager.get("/v1/managers" + query)
    assert answer.status == 200, answer.text
    return answer.json


def held(world):
    """The number of clusters of each manager that holds its own leases, as the API shows it."""
    return {row["name"]: row["clusters"] for row in shown_by(world.all[0])["items"] if row["state"] != "ended"}


def holder(world, name):
    """The manager of a cluster, and why it has it."""
    rows = shown_by(world.all[0], f"?cluster={name}")["clusters"]
    return (rows[0].get("manager"), rows[0]["reason"]) if rows else (None, "")


def events(manager, kind):
    """What happened, of this kind."""
    return [one for one in manager.get("/v1/events?limit=1000").json["items"] if one["type"] == kind]


def state(manager, name):
    """The state of a manager as another one shows it."""
    return {row["name"]: row["state"] for row in shown_by(manager)["items"]}[name]


def housekeeper(manager):
    """The manager that does the work on the whole store."""
    return shown_by(manager).get("housekeeper")


def stays(holds, seconds):
    """Nothing happens: it is looked at during the whole time, because a change may be undone again."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert holds()
        time.sleep(0.05)


def test_a_drain_hands_over_and_an_undrain_is_balanced(etcd, tmp_path):
    with managers(etcd, tmp_path) as world:
        world.start()
        first = world.all[0]
        first.apply(*(cluster(f"idle-{number}") for number in range(CLUSTERS)))
        until(lambda: sum(held(world).values()) == CLUSTERS and max(held(world).values()) <= 10, lambda: str(held(world)) + world.said())
        until(lambda: "reeve_clusters_unassigned 0\n" in first.get("/metrics").text, world.said)
        assert "hands its clusters over" in reeve(first, "manager", "drain", "m0", "-m", "new kernel")
        until(lambda: state(first, "m0") == "drained" and held(world)["m0"] == 0, world.said)
        assert sum(held(world).values()) == CLUSTERS
        shown = reeve(first, "manager", "status")
        assert "3 managers: 2 live, 1 drained" in shown and re.search(r"\nm0 +z0 +drained +0 ", shown), shown
        moved = [event for event in events(first, "cluster.assigned") if event["reason"] == "drain of m0"]
        assert moved and {event["from"] for event in moved} == {"m0"} and {event["to"] for event in moved} <= {"m1", "m2"}
        assert events(first, "manager.drained") and events(first, "manager.draining")[0]["why"] == "new kernel"
        assert re.search(rf"manager +{moved[0]['to']} since .*: drain of m0\n", reeve(first, "describe", f"cluster/{moved[0]['name']}"))
        reeve(first, "manager", "drain", "m1")
        until(lambda: state(first, "m1") in ("draining", "drained"), world.said)
        assert "error[R0581]" in reeve(first, "manager", "drain", "m2", code=5)
        until(lambda: held(world)["m2"] == CLUSTERS, world.said)
        until(lambda: housekeeper(first) == "m2", world.said)
        reeve(first, "manager", "undrain", "m0")
        reeve(first, "manager", "undrain", "m1")
        until(lambda: max(held(world).values()) <= 10, lambda: str(held(world)) + world.said())  # 1.15 times the mean, and one
        reasons = [event["reason"] for event in events(first, "cluster.assigned")]
        assert "balance: manager m2 had more load" in reasons, f"{reasons}\n{world.said()}"
        before = world.leases()
        stays(lambda: world.leases() == before, 3)  # nothing moves to and fro
        assert 'reeve_managers{state="live"} 3\n' in first.get("/metrics").text
        assert "error[R0403]" in reeve(first, "manager", "drain", "m9", code=4)


def test_a_plugin_that_only_one_manager_has_brings_the_cluster_there(etcd, tmp_path):
    built = plugin.build(tmp_path / "built", "mine")
    with managers(etcd, tmp_path) as world:
        world.start()
        owner = world.all[1]
        installed = owner.ask("POST", "/v1/plugins?name=mine", built.read_bytes(), Content_Type="application/octet-stream")
        assert installed.status in (200, 201), installed.text
        owner.apply(*(cluster(f"odd-{number}", "mine") for number in range(6)))

        def at_home():
            return all(holder(world, f"odd-{number}")[0] == "m1" for number in range(6))
        until(at_home, lambda: str([holder(world, f"odd-{number}") for number in range(6)]) + world.said())
        stays(at_home, 2)
        lacks = {row["name"]: [one["plugin"] for one in row["lacks"]] for row in shown_by(owner)["items"]}
        assert lacks["m1"] == [] and "default/mine" in lacks["m0"] + lacks["m2"], lacks
        moved = [event for event in events(owner, "cluster.assigned") if event["reason"].startswith("inability of ")]
        assert moved and all(event["reason"].endswith(": plugin default/mine") or "plugin mine" in event["reason"] for event in moved), moved


def test_a_cluster_that_no_manager_can_have_is_shown_first_with_the_reason(etcd, tmp_path):
    with managers(etcd, tmp_path, "fetch: {enabled: false}\n") as world:
        world.start()
        first = world.all[0]
        first.apply(cluster("shop"))
        first.apply(cluster("odd", "nobodys"), query="?allow-missing-plugin=1")
        first_lines = r"\Aclusters without a manager 1\n  ! odd  since \S+: no live manager can use plugin nobodys\n"
        shown = until(lambda: re.search(first_lines, shown := reeve(first, "status")) and "3 live" in shown and shown, lambda: reeve(first, "status") + world.said())
        assert "3 managers: 3 live\n" in shown and "reeve_clusters_unassigned 1\n" in first.get("/metrics").text, shown
        assert re.search(r"manager +none since \S+: no live manager can use plugin nobodys\n", reeve(first, "describe", "cluster/odd"))
        assert holder(world, "shop")[0] in ("m0", "m1", "m2")
        world.all[2].kill()
        until(lambda: state(first, "m2") == "ended", world.said)
        until(lambda: [event["name"] for event in events(first, "manager.ended")] == ["m2"], world.said)
        assert world.all[1].stop() == 0
        until(lambda: state(first, "m1") == "ended", world.said)
        assert [event["name"] for event in events(first, "manager.left")] == ["m1"]
        assert sorted(event["name"] for event in events(first, "manager.joined")) == ["m0", "m1", "m2"]
        until(lambda: housekeeper(first) == "m0", world.said)
        assert list(world.stored("/_/Lease/")) == ["/_/Lease/housekeeping/status"]
        assert reeve(first, "get", "managers", "-o", "path=.state").split() == ["live", "ended", "ended"]


def machines(world):
    """The machines of the plugin `file` that exist, by the manager on whose disk they are."""
    return {manager.folder.name: len(machine_files(manager.folder)) for manager in world.all}


def test_machines_of_a_host_are_never_made_again_elsewhere(etcd, tmp_path):
    with managers(etcd, tmp_path) as world:
        world.start()
        names = {manager.folder.name: manager for manager in world.all}
        world.all[0].apply(cluster("disk", "file", 3), cluster("idle"))
        until(lambda: sum(machines(world).values()) == 3 and holder(world, "disk")[0], lambda: str(machines(world)) + world.said())
        home = holder(world, "disk")[0]
        assert machines(world)[home] == 3
        other = next(manager for name, manager in names.items() if name != home)
        reeve(other, "manager", "drain", home)
        until(lambda: state(other, home) == "draining" and holder(world, "idle")[0] != home, world.said)
        stays(lambda: holder(world, "disk")[0] == home and state(other, home) == "draining", 1)  # its manager is not drained
        reeve(other, "manager", "undrain", home)
        names[home].kill()
        other.apply(cluster("disk", "file", 4))
        until(lambda: state(other, home) == "ended" and [event["name"] for event in events(other, "manager.ended")] == [home], world.said)
        stays(lambda: sum(machines(world).values()) == 3 and machines(world)[home] == 3, 4)  # many times the windows of the guards
        assert "  ! disk  since " in (shown := reeve(other, "status")) and f"the machines of the cluster exist only on the host of manager {home}\n" in shown, shown
        names[home].start()
        until(lambda: machines(world)[home] == 4, lambda: str(machines(world)) + world.said())
        assert sum(machines(world).values()) == 4 and "error" not in reeve(other, "status")
