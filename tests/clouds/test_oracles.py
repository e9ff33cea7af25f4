"""Models and clients that others wrote judge the fakes: what a fake accepts and answers is what the provider has."""

import base64
import re
import sys

import oracles
import pytest
import rest

sys.path.insert(0, str(oracles.ROOT / "tests/clouds/fake"))

DEBIAN = "136693071363"


# -- AWS: boto3, and botocore's model of every request


def test_boto3_drives_the_aws_fake(fake_aws):
    ec2 = rest.aws(fake_aws)
    image = ec2.describe_images(Owners=[DEBIAN], Filters=[{"Name": "name", "Values": ["debian-12-amd64-*"]}])["Images"][0]["ImageId"]
    tags = [{"ResourceType": kind, "Tags": [{"Key": "reeve.cluster_id", "Value": "t/c"}]} for kind in ("instance", "volume", "network-interface")]
    ids = [ec2.run_instances(ImageId=image, InstanceType="t3.small", MinCount=1, MaxCount=1, ClientToken=f"token-{i}", KeyName="mwas",
                             TagSpecifications=tags, UserData="#!/bin/sh\n", MetadataOptions={"HttpTokens": "required"},
                             Placement={"AvailabilityZone": "eu-west-1b"}, InstanceInitiatedShutdownBehavior="stop",
                             )["Instances"][0]["InstanceId"] for i in range(12)]
    ec2.get_waiter("instance_running").wait(InstanceIds=ids, WaiterConfig={"Delay": 1, "MaxAttempts": 30})
    ec2.create_tags(Resources=ids, Tags=[{"Key": "a", "Value": "1"}, {"Key": "b", "Value": ""}])
    ec2.delete_tags(Resources=ids[:3], Tags=[{"Key": "a"}])
    pages = list(ec2.get_paginator("describe_instances").paginate(
        Filters=[{"Name": "tag:reeve.cluster_id", "Values": ["t/c"]}, {"Name": "tag:a", "Values": ["1"]}], PaginationConfig={"PageSize": 5}))
    rows = [row for page in pages for reservation in page["Reservations"] for row in reservation["Instances"]]
    assert [len(page["Reservations"]) for page in pages] == [5, 4] and {row["InstanceId"] for row in rows} == set(ids[3:])
    assert rows[0]["MetadataOptions"]["HttpTokens"] == "required" and rows[0]["SecurityGroups"][0]["GroupName"] == "default"
    ec2.terminate_instances(InstanceIds=ids)
    ec2.get_waiter("instance_terminated").wait(InstanceIds=ids, WaiterConfig={"Delay": 1, "MaxAttempts": 30})
    assert not fake_aws.alive()


def test_a_request_that_botocore_would_not_send_is_found(fake_aws):
    rest.aws(fake_aws).describe_instances(MaxResults=5)
    record = oracles.read_record(fake_aws.record)
    assert record and not oracles.judge_aws(record)
    line = record[0]
    line["body"] = base64.b64encode(base64.b64decode(line["body"]).replace(b"MaxResults=5", b"MaxResults=05")).decode()
    assert oracles.judge_aws(record)[0][0] == "DescribeInstances"


# -- DigitalOcean: python3-digitalocean, and the model of the official client


def test_python_digitalocean_drives_the_fake(fake_digital_ocean, monkeypatch):
    digitalocean = pytest.importorskip("digitalocean", reason="the package python3-digitalocean is missing")
    monkeypatch.setenv("DIGITALOCEAN_END_POINT", fake_digital_ocean.endpoint + "/v2/")
    fake_digital_ocean.faults(page_size=5)
    token = fake_digital_ocean.credential.strip()
    manager = digitalocean.Manager(token=token)
    assert manager.get_account().status == "active" and len(manager.get_all_sizes()) == 11 and len(manager.get_all_sshkeys()) == 2
    droplets = [digitalocean.Droplet(token=token, name=f"n{i}", region="nyc1", image="debian-12-x64", size_slug="s-1vcpu-1gb",
                                     ssh_keys=[512189], tags=["reeve:c:x"]) for i in range(7)]
    for droplet in droplets:
        droplet.create()
    fake_digital_ocean.wait(lambda state: all(machine["state"] == "active" for machine in state["machines"]))
    assert droplets[0].get_actions()[0].status == "completed"
    found = manager.get_all_droplets(tag_name="REEVE:C:X")
    assert [droplet.name for droplet in found] == [f"n{i}" for i in range(7)] and found[0].ip_address == "127.0.0.1"
    volume = digitalocean.Volume(token=token, name="reeve-1", region="nyc1", size_gigabytes=10)
    volume.create()
    volume.attach(droplets[0].id, "nyc1")
    fake_digital_ocean.wait(lambda state: state["disks"][0]["machine"])
    tag = digitalocean.Tag(token=token, name="label")
    tag.create()
    tag.add_droplets([str(droplets[1].id)])
    assert [droplet.name for droplet in manager.get_all_droplets(tag_name="label")] == ["n1"]
    tag.delete()
    droplets[0].destroy()
    volume.load()
    assert volume.droplet_ids == [] and len(manager.get_all_droplets()) == 6


def test_routes_and_fields_of_digitalocean_are_those_of_its_client():
    oracles.need_models()
    import digital_ocean
    model, found = oracles.DigitalOceanModel(), []
    bodies = {"droplets.create": ("Droplet_single_create", "Droplet_multi_create"), "keys.create": ("SshKeys",), "tags.create": ("Tags",),
              "tags.add": ("Tags_resource",), "tags.remove": ("Tags_resource",), "volumes.create": ("Volumes_ext4",),
              "volumes.act": ("Volume_action_post_attach",), "droplets.act": ("Droplet_action",)}
    for route in digital_ocean.ROUTES + digital_ocean.VOLUME_ROUTES:
        query = model.routes.get((route.method, oracles.shape_of(route.path)))
        if query is None:
            found.append(f"{route.method} {route.path}: the model has no such route")
            continue
        found += [f"{route.name}: the model has no query parameter {name}" for name in route.query - query]
        known = {name for message in bodies.get(route.name, ()) for name in model.fields(message)}
        found += [f"{route.name}: the model has no field {name}" for name in set(route.body or ()) - known]
    assert not found


def test_answers_of_digitalocean_are_those_of_its_client(fake_digital_ocean):
    oracles.need_models()
    model, ask, found = oracles.DigitalOceanModel(), rest.digital_ocean(fake_digital_ocean), []
    body = {"name": "n1", "region": "nyc1", "size": "s-1vcpu-1gb", "image": "debian-12-x64", "tags": ["x"]}
    answer = ask("POST", "/droplets", body)[1]
    ask("POST", "/volumes", {"name": "v1", "region": "nyc1", "size_gigabytes": 1})
    fake_digital_ocean.wait(lambda state: state["machines"][0]["state"] == "active")
    found += model.compare_value(answer["droplet"], "Droplet")
    for path, name, message in (
            ("/droplets", "droplets", "Droplet"), ("/actions", "actions", "Action"), ("/sizes", "sizes", "Size"), ("/regions", "regions", "Region"),
            ("/images", "images", "Image"), ("/account/keys", "ssh_keys", "SshKeys"), ("/vpcs", "vpcs", "Vpc"), ("/tags", "tags", "Tags"),
            ("/firewalls", "firewalls", "Firewall"), ("/volumes", "volumes", "Volume_full"), ("/account", "account", "Account")):
        rows = ask("GET", path)[1][name]
        assert rows, path
        for row in rows if isinstance(rows, list) else [rows]:
            found += model.compare_value(row, message)
    assert not sorted(set(found))


# -- Compute Engine: the model of the official client


@pytest.fixture(scope="module")
def compute():
    """The model."""
    oracles.need_models()
    return oracles.ComputeModel()


def test_routes_and_fields_of_compute_engine_are_those_of_its_client(compute):
    import gcd_catalog
    import gcd_disks
    import gcd_instances
    import gcd_schema
    found, messages = [], {"InstancesSetLabelsRequest", "ZoneSetLabelsRequest"}
    for route in gcd_catalog.ROUTES + gcd_disks.ROUTES + gcd_instances.ROUTES:
        if route.name.startswith("cloudresourcemanager"):
            continue
        known = compute.routes.get((route.method, oracles.shape_of(route.path)))
        if known is None:
            found.append(f"{route.method} {route.path}: the model has no such route")
            continue
        query, message, _ = known
        found += [f"{route.name}: the model has no query parameter {name}" for name in route.query - query]
        if message != route.body:
            found.append(f"{route.name}: its body is a {message}, not a {route.body}")
        elif message:
            messages.add(message)
    messages |= {"InstanceAggregatedList", "DiskAggregatedList", "InstanceList", "DiskList"}
    for message in sorted(messages):
        found += compute.compare_schema(gcd_schema.SCHEMAS, message, message)
    assert not found


def test_answers_of_compute_engine_are_those_of_its_client(fake_gcd, compute):
    ask, base, found = rest.google(fake_gcd), "reeve-test/zones/us-central1-a", []

    def compare(method, path, body=None):
        """Ask, and compare the answer with the message of the route."""
        status, answer = ask(method, path, body)
        assert status == 200, answer
        full = "/compute/v1/projects/" + path.partition("?")[0]
        for (verb, shape), (_, _, message) in compute.routes.items():
            pattern = "[^/]+".join(re.escape(part) for part in shape.split("{}"))
            if verb == method and re.fullmatch(pattern, full):
                found.extend(compute.compare_value(answer, message, message))
                return answer
        raise AssertionError(f"the model has no {method} {path}")

    image = {"sourceImage": "projects/debian-cloud/global/images/family/debian-12"}
    instance = {"name": "n1", "machineType": "zones/us-central1-a/machineTypes/e2-micro", "labels": {"a": "b"}, "tags": {"items": ["web"]},
                "disks": [{"boot": True, "initializeParams": image}], "networkInterfaces": [{"accessConfigs": [{"type": "ONE_TO_ONE_NAT"}]}],
                "metadata": {"items": [{"key": "enable-guest-attributes", "value": "TRUE"}]}}
    operation = compare("POST", f"{base}/instances", instance)
    compare("POST", f"{base}/operations/{operation['name']}/wait")
    fake_gcd.faults(capacity={"us-central1-a": 1})
    failed = ask("POST", f"{base}/instances", {**instance, "name": "n2"})[1]
    assert compare("POST", f"{base}/operations/{failed['name']}/wait")["error"]
    fake_gcd.set_machine("n1", guest_attributes={"reeve/hostkey": "x"})
    fake_gcd.faults(dead_region=["europe-west1"])
    for path in ("reeve-test/aggregated/instances?returnPartialSuccess=true", f"{base}/instances", f"{base}/instances/n1",
                 "reeve-test/aggregated/disks?returnPartialSuccess=true", f"{base}/disks/n1", f"{base}/instances/n1/serialPort",
                 f"{base}/instances/n1/getGuestAttributes?queryPath=reeve/", "reeve-test", "reeve-test/zones", "reeve-test/zones/us-central1-a",
                 "reeve-test/regions/us-central1", f"{base}/machineTypes", f"{base}/machineTypes/e2-micro",
                 "debian-cloud/global/images/family/debian-12", "debian-cloud/global/images",
                 "reeve-test/regions/us-central1/subnetworks/default", "reeve-test/global/networks/default"):
        compare("GET", path)
    compare("POST", f"{base}/instances/n1/testIamPermissions", {"permissions": ["compute.instances.get"]})
    assert not sorted(set(found))


# -- OpenStack: the official SDK


def test_openstacksdk_drives_the_openstack_fake(fake_openstack):
    openstack = pytest.importorskip("openstack", reason="the package python3-openstacksdk is missing")
    secrets = dict(line.removeprefix("export ").split("=", 1) for line in fake_openstack.credential.splitlines() if "=" in line)
    cloud = openstack.connection.Connection(auth_type="v3applicationcredential", region_name="RegionOne", auth={
        "auth_url": secrets["OS_AUTH_URL"], "application_credential_id": secrets["OS_APPLICATION_CREDENTIAL_ID"],
        "application_credential_secret": secrets["OS_APPLICATION_CREDENTIAL_SECRET"]}, compute_default_microversion="2.79")
    flavor = next(each for each in cloud.compute.flavors() if each.name == "m1.small")
    image = next(cloud.image.images(status="active", sort="created_at:desc"))
    assert image.name == "Debian 12" and flavor.vcpus == 1
    network, outside = next(cloud.network.networks(name="private")), next(cloud.network.networks(is_router_external=True))
    port = cloud.network.create_port(network_id=network.id, name="reeve-x", security_groups=[next(cloud.network.security_groups(name="web")).id])
    server = cloud.compute.create_server(name="n1", flavor_id=flavor.id, image_id=image.id, networks=[{"port": port.id}], metadata={"a": "1"},
                                         tags=["reeve.c.x"], key_name="ops", user_data=base64.b64encode(b"#!/bin/sh\n").decode())
    server = cloud.compute.wait_for_server(server, interval=0.1, wait=30)
    assert server.status == "ACTIVE" and server.addresses["private"][0]["OS-EXT-IPS:type"] == "fixed" and server.flavor["original_name"] == "m1.small"
    with pytest.raises(openstack.exceptions.ConflictException, match="still in use"):
        cloud.compute.create_server(name="n2", flavor_id=flavor.id, image_id=image.id, networks=[{"port": port.id}])
    address = cloud.network.create_ip(floating_network_id=outside.id, port_id=port.id)
    assert [each.id for each in cloud.compute.servers(tags="reeve.c.x")] == [server.id] and not list(cloud.compute.servers(tags="reeve.c.y"))
    cloud.compute.set_server_metadata(server, b="2")
    seen = cloud.compute.get_server(server.id)
    assert seen.metadata == {"a": "1", "b": "2"}
    cloud.compute.delete_server_metadata(seen, ["a"])
    assert cloud.compute.get_server(server.id).metadata == {"b": "2"}
    cloud.compute.reboot_server(server, "HARD")
    assert cloud.compute.get_limits().absolute.instances_used == 1 and [zone.name for zone in cloud.compute.availability_zones()] == ["nova", "az2"]
    assert [each.name for each in cloud.compute.server_groups()] == ["apart"] and cloud.compute.find_keypair("mwas").name == "mwas"
    assert [each.name for each in cloud.block_storage.types()] == ["standard", "ssd"]
    volume = cloud.block_storage.create_volume(size=5, name="reeve-x", volume_type="ssd", availability_zone="nova", metadata={"reeve.keep": "node"})
    volume = cloud.block_storage.wait_for_status(volume, "available", interval=0.1, wait=30)
    cloud.compute.create_volume_attachment(server, volume_id=volume.id, delete_on_termination=True)
    volume = cloud.block_storage.wait_for_status(volume, "in-use", interval=0.1, wait=30)
    assert volume.attachments[0]["server_id"] == server.id and volume.volume_type == "ssd" and volume.metadata == {"reeve.keep": "node"}
    assert [each.id for each in cloud.compute.get_server(server.id).attached_volumes] == [volume.id]
    with pytest.raises(openstack.exceptions.BadRequestException, match="status must be"):
        cloud.block_storage.delete_volume(volume, ignore_missing=False)
    cloud.block_storage.set_volume_metadata(volume, more="1")
    cloud.block_storage.delete_volume_metadata(cloud.block_storage.get_volume(volume.id), keys=["more"])
    assert cloud.block_storage.get_volume(volume.id).metadata == {"reeve.keep": "node"}
    assert [each.id for each in cloud.block_storage.volumes(name="reeve-x")] == [volume.id]
    cloud.compute.delete_server(server)
    cloud.compute.wait_for_delete(server, interval=0.1, wait=30)
    assert next(cloud.network.ports(name="reeve-x")).device_id == ""
    cloud.block_storage.wait_for_delete(volume, interval=0.1, wait=30)  # it went with its server
    cloud.network.delete_ip(address)
    cloud.network.delete_port(port)
    assert not fake_openstack.state()["ports"] and not fake_openstack.alive()
