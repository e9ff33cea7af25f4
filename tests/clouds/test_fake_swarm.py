"""Many clients at once under sets of faults: the fakes themselves never fail, and their counts are right."""

import http.client
import threading

import botocore.exceptions
import botocore.parsers
import pytest
import rest
from pylib.clouds import FAULT_SETS, Fake

CLIENTS, ROUNDS = 4, 6
FAILED = (OSError, http.client.HTTPException, botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError,
          botocore.parsers.ResponseParserError)
GCD_ZONE = "reeve-test/zones/us-central1-a"


def use_aws(_fake, ec2, number):
    """Create, describe and terminate; each step may fail. Returns the ids of machines that were reported."""
    made = []
    image = None
    for i in range(ROUNDS):
        try:
            image = image or ec2.describe_images(Filters=[{"Name": "name", "Values": ["debian-12-amd64-20260601-1"]}])["Images"][0]["ImageId"]
            tags = [{"ResourceType": "instance", "Tags": [{"Key": "reeve.cluster_id", "Value": "t/c"}]}]
            row = ec2.run_instances(ImageId=image, InstanceType="t3.small", MinCount=1, MaxCount=1, ClientToken=f"{number}-{i}",
                                    TagSpecifications=tags)["Instances"][0]
            made.append(row["InstanceId"])
            list(ec2.get_paginator("describe_instances").paginate(Filters=[{"Name": "tag:reeve.cluster_id", "Values": ["t/c"]}]))
            ec2.create_tags(Resources=[row["InstanceId"]], Tags=[{"Key": "a", "Value": "1"}])
            if i % 2:
                ec2.terminate_instances(InstanceIds=[row["InstanceId"]])
        except FAILED:
            continue
    return made


def use_digital_ocean(fake, _client, number):
    """The same there."""
    ask, made = rest.digital_ocean(fake), []
    for i in range(ROUNDS):
        try:
            status, answer = ask("POST", "/droplets", {"name": f"n{number}-{i}", "region": "nyc1", "size": "s-1vcpu-1gb",
                                                       "image": "debian-12-x64", "tags": ["reeve:c:x"]})
            ask("GET", "/droplets?tag_name=reeve:c:x&per_page=200")
            if status == 202:
                made.append(str(answer["droplet"]["id"]))
                ask("GET", f"/actions/{answer['links']['actions'][0]['id']}")
                ask("POST", f"/droplets/{made[-1]}/actions", {"type": "power_cycle"})
                if i % 2:
                    ask("DELETE", f"/droplets/{made[-1]}")
        except FAILED:
            continue
    return made


def use_gcd(fake, _client, number):
    """The same there."""
    made = []
    body = {"machineType": "zones/us-central1-a/machineTypes/e2-micro", "labels": {"reeve-cluster": "x"},
            "disks": [{"boot": True, "autoDelete": True, "initializeParams": {
                "sourceImage": "projects/debian-cloud/global/images/family/debian-12"}}],
            "networkInterfaces": [{"network": "global/networks/default"}]}
    ask = None
    for i in range(ROUNDS):
        try:
            ask = ask or rest.google(fake)
            status, operation = ask("POST", f"{GCD_ZONE}/instances", {**body, "name": f"n{number}-{i}"})
            ask("GET", "reeve-test/aggregated/instances?filter=labels.reeve-cluster%3Dx&returnPartialSuccess=true")
            if status == 200 and isinstance(operation, dict):
                operation = ask("POST", f"{GCD_ZONE}/operations/{operation['name']}/wait")[1]
                if isinstance(operation, dict) and operation.get("status") == "DONE" and "error" not in operation:
                    made.append(f"us-central1-a/n{number}-{i}")
                if i % 2:
                    ask("DELETE", f"{GCD_ZONE}/instances/n{number}-{i}")
        except (*FAILED, AssertionError):
            continue
    return made


USERS = {"aws": use_aws, "digitalOcean": use_digital_ocean, "gcd": use_gcd}


@pytest.mark.parametrize("faults", ["calm", "lag", "broken", "mixed"])
@pytest.mark.parametrize("cloud", USERS)
def test_many_clients_under_faults(cloud, faults):
    made, threads = [], []
    with Fake(cloud, seed=3, faults={"boot_ms": 20, "end_ms": 20, "operation_ms": 10, **FAULT_SETS[faults]}) as fake:
        client = rest.aws(fake) if cloud == "aws" else None
        for number in range(CLIENTS):
            threads.append(threading.Thread(target=lambda number=number: made.extend(USERS[cloud](fake, client, number))))
            threads[-1].start()
        for thread in threads:
            thread.join()
        state = fake.wait(lambda state: not any(machine["state"] in ("shutting-down", "STOPPING") for machine in state["machines"]))
        # A traceback of the fake would be among the unknown requests.
        assert not state["unknown"]
        known = {machine["id"] for machine in state["machines"] + state["ended"]}
        assert set(made) <= known and state["alive"] == sum(machine["alive"] for machine in state["machines"]) <= state["most_alive"]
        assert faults != "calm" or len(made) == CLIENTS * ROUNDS and state["alive"] == CLIENTS * ROUNDS / 2
        assert cloud == "digitalOcean" or not state["duplicates"]


def test_every_fault_set_is_known(fake_digital_ocean):
    for values in FAULT_SETS.values():
        fake_digital_ocean.faults(**values)
        shown = fake_digital_ocean.ask("/faults")
        assert {name: shown[name] for name in values} == values
