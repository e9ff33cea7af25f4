"""What many clusters and many machines cost a provider (CLOUDS.md 13m): numbers of requests and of connections, never a time."""
import threading
import time

import pytest
from cloudy import until
from driver import AUTH, OK, Plugin
from manager import Manager
from ocean import Caller

IDLE = 100
CLUSTERS = 40


def at_once(calls):
    """The results of functions that run in threads."""
    results = [None] * len(calls)

    def run(i):
        results[i] = calls[i]()
    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


# ---- digitalOcean: all clusters of an account share its few requests


def ocean_cluster(name, size):
    """A cluster with one group of droplets."""
    return {"name": name, "version": "1", "groups": {"web": {"size": size, "resourcePlugin": {"name": "digitalOcean", "account": "ocean"},
                                                             "resourceProperties": {"region": "fra1", "size": "s-1vcpu-1gb", "image": "debian"}}}}


def test_M7_a_hundred_idle_clusters_make_a_request_a_second_at_most_and_stop_no_machine(fake_digital_ocean, tmp_path):
    """A listing is made every 10 s. The calls of all clusters wait for it, and leave room for those that change something."""
    fake = fake_digital_ocean
    configuration = tmp_path / "reeved.yaml"
    configuration.write_text(f"endpoints: {{digitalOcean: ['127.0.0.1:{fake.port}']}}\n")
    with Manager(tmp_path, "--config", str(configuration), control=True).start() as manager:
        manager.apply({"kind": "Secret", "name": "ocean", "value": fake.credential},
                      {"kind": "Account", "name": "ocean", "plugin": "digitalOcean", "secret": "ocean", "settings": fake.settings})
        for i in range(IDLE):
            manager.apply(ocean_cluster(f"idle-{i}", 0))
        begin = time.monotonic()
        fake.ask("/reset", {})
        fake.wait(lambda state: state["calls"].get("droplets.list", 0) >= 3, "three listings", within_s=120)
        state = fake.state()
        assert set(state["calls"]) <= {"droplets.list", "volumes.list"} and sum(state["calls"].values()) <= 1 + time.monotonic() - begin, state["calls"]
        manager.apply(ocean_cluster("busy", 1))
        until(fake.alive, manager.log.read_text)
        assert fake.state()["connections"]["most"] <= 4


def test_many_callers_at_once_have_four_connections(fake_digital_ocean, tmp_path):
    """Each droplet is made on a new connection, which takes the place of another."""
    fake = fake_digital_ocean
    caller = Caller(fake, tmp_path / "plugin", requestsPerHour=3600000)
    answers = at_once([lambda i=i: caller.create(f"web-{i}", zone="") for i in range(20)])
    assert {answer.result for answer in answers} == {OK}
    connections = fake.state()["connections"]
    assert connections["most"] <= 4, connections
    caller.close()


# ---- aws: listings are shared where the account says so


@pytest.fixture
def aws(fake_aws, tmp_path):
    """The plugin with listings that clusters share."""
    plugin = Plugin("aws", tmp_path / "plugin", fake_aws.settings | {"shareListings": True}, fake_aws.credential)
    assert plugin.started == OK
    yield plugin
    plugin.close()


def cluster_of(number):
    """The id of a cluster."""
    return f"acme/c{number}"


def need(number):
    """The fields of a create, each in a cluster of its own."""
    token = f"{number:032x}"
    tags = {"reeve.cluster_id": cluster_of(number), "reeve.group": "web", "reeve.logical_id": "0", "reeve.incarnation": "1",
            "reeve.token": token, "reeve.mac": "b" * 32}
    return {"cluster": cluster_of(number), "token": token, "name": "web-0", "zone": "eu-west-1a", "tags": tags, "labels": {"labels": {}, "owner": ""},
            "properties": {"instanceType": "t3.small", "image": "debian-12"}, "keys": "", "init": ""}


def listings(fake):
    """The number of listings of EC2."""
    return fake.state()["calls"].get("DescribeInstances", 0)


def test_M7_clusters_of_an_account_share_a_listing_from_eight_upwards(fake_aws, aws):
    made = [aws.call("create", **need(i)).made for i in range(3)]
    before = listings(fake_aws)
    for i in range(7):
        rows = aws.call("describe", cluster=cluster_of(i), ids=[]).rows
        assert [row["id"] for row in rows] == made[i:i + 1]
    assert listings(fake_aws) == before + 7
    # The first answer takes its time, so that the others wait for the next one.
    fake_aws.faults(drip_ms=10, next=[{"call": "DescribeInstances", "fault": "slow_drip"}])
    answers = at_once([lambda i=i: aws.call("describe", cluster=cluster_of(i), ids=[], leftMs=120000) for i in range(CLUSTERS)])
    assert listings(fake_aws) <= before + 7 + CLUSTERS // 2
    for i, answer in enumerate(answers):
        assert answer.result == OK and [row["id"] for row in answer.rows] == made[i:i + 1] and not answer.is_incomplete
    row, = answers[0].rows
    assert row["tags"]["reeve.cluster_id"] == cluster_of(0) and row["properties"]["size"] == "t3.small" and row["zone"] == "eu-west-1a"
    # One machine is still asked for by its id, and of another cluster it is not shown.
    assert aws.call("describe", cluster=cluster_of(0), ids=[made[0]]).rows and not aws.call("describe", cluster=cluster_of(1), ids=[made[0]]).rows


def test_a_shared_listing_that_fails_fails_for_all_with_the_provider_s_text(fake_aws, aws):
    for i in range(8):
        assert aws.call("describe", cluster=cluster_of(i), ids=[]).result == OK
    fake_aws.faults(drip_ms=20, next=[
        {"call": "DescribeInstances", "fault": "slow_drip"},
        *({"call": "DescribeInstances", "fault": "error", "status": 403, "code": "UnauthorizedOperation", "message": "not you"} for _ in range(CLUSTERS))])
    answers = at_once([lambda i=i: aws.call("describe", cluster=cluster_of(i), ids=[], leftMs=120000) for i in range(CLUSTERS)])
    refused = [answer for answer in answers if answer.result == AUTH]
    assert len(refused) >= CLUSTERS - 2 and all("not you" in answer.text for answer in refused)
    fake_aws.faults(next=[])
    assert aws.call("describe", cluster=cluster_of(0), ids=[]).result == OK


def test_a_shared_listing_without_one_region_is_incomplete_for_all(fake_aws, tmp_path):
    plugin = Plugin("aws", tmp_path / "plugin", fake_aws.settings | {"shareListings": True, "regions": ["eu-west-1", "us-east-1"]},
                    fake_aws.credential)
    fake_aws.faults(dead_region=["us-east-1"], dead_ms=10)
    answers = at_once([lambda i=i: plugin.call("describe", cluster=cluster_of(i), ids=[], leftMs=60000) for i in range(12)])
    assert {answer.result for answer in answers} == {OK} and all(answer.is_incomplete for answer in answers)
    plugin.close()


def test_calls_of_many_callers_have_four_connections(fake_aws, aws):
    """And a listing of rows of real length comes over the same ones."""
    fake_aws.faults(interfaces=5)
    answers = at_once([lambda i=i: aws.call("create", **need(i)) for i in range(6)] +
                      [lambda i=i: aws.call("describe", cluster=cluster_of(i), ids=[]) for i in range(30)])
    assert {answer.result for answer in answers} == {OK}
    connections = fake_aws.state()["connections"]
    assert connections["most"] <= 4 and connections["made"] <= 4, connections


def test_the_name_of_an_image_is_looked_up_once_for_many_creates(fake_aws, aws):
    assert {aws.call("create", **need(i)).result for i in range(4)} == {OK}
    calls = fake_aws.state()["calls"]
    assert calls == {"DescribeInstanceTypes": 1, "GetParameters": 1, "RunInstances": 4}
    # After a refusal it is looked up again: the image may be gone.
    fake_aws.fail_next("RunInstances", status=400, code="InvalidAMIID.NotFound", message="gone")
    assert aws.call("create", **need(5)).result != OK and aws.call("create", **need(6)).result == OK
    assert fake_aws.state()["calls"]["GetParameters"] == 2


def test_a_setting_that_is_no_truth_value_is_refused(fake_aws, tmp_path):
    plugin = Plugin("aws", tmp_path / "plugin", fake_aws.settings | {"shareListings": 8}, fake_aws.credential)
    assert plugin.started != OK and "shareListings must be true or false" in plugin.log()
    plugin.kill()
