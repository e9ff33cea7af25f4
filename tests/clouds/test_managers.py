"""Three managers on three members of etcd, at one provider: the store decides which of them reconciles a cluster."""

import re
import shutil
import signal
import time

import pytest
from pylib.etcd import Missing
from pylib.etcd_three import Three
from pylib.managers import Managers, reeve, until

pytestmark = pytest.mark.skipif(shutil.which("etcd") is None, reason="needs etcd")
CLUSTERS, SIZE = 6, 2
TAKEN_OVER_MS = 20000  # by then another manager has the cluster: 5 s after a crash, or 15 s after silence


@pytest.fixture(name="etcd", scope="module")
def fixture_etcd(tmp_path_factory):
    """Three members of one etcd."""
    try:
        with Three(tmp_path_factory.mktemp("etcd")) as three:
            yield three
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture(name="world")
def fixture_world(etcd, fake_digital_ocean, tmp_path):
    """Three managers and a cloud that all of them reach."""
    with Managers(tmp_path, etcd, prefix=f"/{tmp_path.name}/", more=f"endpoints: {{digitalOcean: ['127.0.0.1:{fake_digital_ocean.port}']}}\n",
                  flags=("--haste", "5")) as managers:
        managers.start()
        managers.all[0].apply({"kind": "Secret", "name": "ocean", "value": fake_digital_ocean.credential},
                              {"kind": "Account", "name": "ocean", "plugin": "digitalOcean", "secret": "ocean",
                               "settings": {**fake_digital_ocean.settings, "requestsPerHour": 3600000}})
        yield managers


def cluster(name, size=SIZE):
    """A cluster with one group of droplets."""
    return {"name": name, "version": "1", "groups": {"web": {"size": size, "resourcePlugin": {"name": "digitalOcean", "account": "ocean"},
                                                             "resourceProperties": {"region": "fra1", "size": "s-1vcpu-1gb", "image": "debian"}}}}


def test_a_killed_manager_loses_its_clusters_to_the_others_and_no_machine_is_doubled(world, fake_digital_ocean):
    for number in range(CLUSTERS):
        world.all[number % 3].apply(cluster(f"shop-{number}"))
    until(lambda: len(fake_digital_ocean.alive()) == CLUSTERS * SIZE, world.said)
    before = until(lambda: len(world.leases()) == CLUSTERS and world.leases(), world.said)
    dead = world.all[0]
    dead.kill()
    world.all[1].apply(*(cluster(f"shop-{number}", SIZE + 1) for number in range(CLUSTERS)))
    until(lambda: len(fake_digital_ocean.alive()) == CLUSTERS * (SIZE + 1), world.said)
    lost = {session for session in before.values()} - set(world.leases().values())
    assert len(lost) <= 1 and fake_digital_ocean.state()["most_alive"] == CLUSTERS * (SIZE + 1)


def test_a_failover_in_the_middle_of_a_create_makes_one_machine(world, fake_digital_ocean):
    """CLOUDS.md 13c: the provider does not compare tokens. The manager that sent the create is killed before it has an answer, and the
    droplet appears when another manager has taken the cluster over."""
    world.all[0].apply({"kind": "Account", "name": "ocean", "plugin": "digitalOcean", "secret": "ocean",
                        "settings": {**fake_digital_ocean.settings, "requestsPerHour": 3600000, "lagMs": 20000, "lateMs": 120000}})
    world.all[0].apply(cluster("shop", 0))
    lease = until(world.leases, world.said)
    fake_digital_ocean.faults(next=[{"call": "droplets.create", "fault": "late", "late_ms": TAKEN_OVER_MS}])
    world.all[0].apply(cluster("shop", 1))
    fake_digital_ocean.wait(lambda state: state["calls"].get("droplets.create", 0) >= 1, "create")
    holder = next(manager for manager in world.all if sessions(world)[manager.folder.name] in lease.values())
    holder.kill()
    until(lambda: set(world.leases().values()) - set(lease.values()), world.said)
    one = next(manager for manager in world.all if manager is not holder)
    until(lambda: one.get("/v1/clusters/shop").json.get("status", {}).get("machines", {}).get("running", 0)
          + one.get("/v1/clusters/shop").json.get("status", {}).get("machines", {}).get("ready", 0) == 1, world.said)
    state = fake_digital_ocean.state()
    assert state["calls"]["droplets.create"] == 1, "a second create was sent while the first could still take effect"
    assert len(fake_digital_ocean.alive()) == 1 and state["most_alive"] == 1 and not state["duplicates"], state
    one.apply(cluster("shop", 1))
    assert [row["status"]["id"] for row in one.get("/v1/resources?cluster=shop").json["items"]] == [fake_digital_ocean.alive()[0]["id"]]


def sessions(world):
    """The sessions in the store, by the name of their manager."""
    names = {key.split("/")[3]: value["name"] for key, value in world.stored("/_/Manager/").items() if key.endswith("/status")}
    return {names[value["manager"]]: key.split("/")[3] for key, value in world.stored("/_/Session/").items() if value["manager"] in names}


def held(world, names=("m0", "m1", "m2")):
    """The number of leases of each manager; those of ended sessions count for None."""
    owners = {session: name for name, session in sessions(world).items()}
    counts = dict.fromkeys(names, 0)
    for session in world.leases().values():
        counts[owners.get(session)] = counts.get(owners.get(session), 0) + 1
    return counts


def seconds_until(condition, world):
    """How long it takes until it holds."""
    begin = time.monotonic()
    until(condition, world.said)
    return time.monotonic() - begin


def test_an_end_a_crash_and_a_pause_move_exactly_the_leases_that_they_must(world):
    """The times of sessions are a third here: an orderly end takes no time, a crash that its host proves three heartbeats, silence 5 s."""
    world.all[0].apply(*(cluster(f"idle-{number}", 0) for number in range(30)))
    until(lambda: sum(held(world).values()) == 30 and None not in held(world), world.said)
    assert max(held(world).values()) <= 13, held(world)  # nobody takes more than 1.15 times the mean, and one
    names = {manager.folder.name: manager for manager in world.all}
    idle = names["m2"]
    assert idle.stop() == 0
    assert seconds_until(lambda: held(world)["m2"] == 0 and None not in held(world), world) < 3, held(world)
    idle.start()
    until(lambda: "m2" in sessions(world), world.said)
    before = world.leases()
    # An idle manager that was stopped longer than a session lives has seen nobody end: it takes nothing when it goes on.
    idle.process.send_signal(signal.SIGSTOP)
    time.sleep(7)
    idle.process.send_signal(signal.SIGCONT)
    time.sleep(3)
    assert world.leases() == before
    dead = "m0" if held(world)["m0"] > 0 else "m1"
    names[dead].kill()
    assert seconds_until(lambda: held(world).get(None, 0) == 0 and held(world)[dead] == 0, world) < 5, held(world)
    until(lambda: dead not in sessions(world), world.said)  # its key is removed


def first_event(manager):
    """The data of the first event of a watch."""
    connection = manager.connect()
    connection.request("GET", "/v1/watch?kinds=cluster")
    answer = connection.getresponse()
    while not (line := answer.readline().decode()).startswith("data: "):
        pass
    connection.close()
    return line


def test_answers_without_quorum_say_how_old_they_are(world, etcd):
    manager = world.all[0]
    manager.apply(cluster("shop", 0))
    assert "as of" not in reeve(manager, "get", "clusters", "--fresh")
    stopped = [etcd.leader(), (etcd.leader() + 1) % 3]
    etcd.stop(*stopped)
    try:
        answer = until(lambda: (answer := manager.get("/v1/clusters")).headers.get("Reeve-Stale") and answer, world.said)
        assert answer.status == 200 and "shop" in answer.text and answer.headers["Reeve-Stale-Reason"].startswith("m0 "), answer.headers
        stale = answer.json["stale"]
        assert stale["seconds"] >= 1 and stale["reason"].startswith("m0 ") and stale["since"].endswith("Z") and stale["revision"] > 0, stale
        assert manager.get("/v1/clusters/shop").json["stale"]["reason"] == stale["reason"]
        assert '"stale":{"reason":"m0 ' in first_event(manager)
        ready = manager.get("/readyz")
        assert ready.status == 503, ready.text
        assert "\nreeve_store_stale_seconds 0\n" not in manager.get("/metrics").text
        shown = reeve(manager, "get", "clusters")
        assert re.search(r"! the shown state is \d+s old, of revision \d+: m0 ", shown) and "shop" in shown, shown
        assert "error[R0580]" in reeve(manager, "get", "clusters", "--fresh", code=7)
    finally:
        etcd.go_on(*stopped)
    until(lambda: all(one.get("/readyz").status == 200 for one in world.all), world.said)
    answer = manager.get("/v1/clusters")
    assert "Reeve-Stale" not in answer.headers and "stale" not in answer.json
