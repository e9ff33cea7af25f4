"""Three managers on three members of etcd, at one provider: the store decides which of them reconciles a cluster."""

import shutil

import pytest
from pylib.etcd import Missing
from pylib.etcd_three import Three
from pylib.managers import Managers, until

pytestmark = pytest.mark.skipif(shutil.which("etcd") is None, reason="needs etcd")
CLUSTERS, SIZE = 6, 2


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
    with Managers(tmp_path, etcd, more=f"endpoints: {{digitalOcean: ['127.0.0.1:{fake_digital_ocean.port}']}}\n",
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
