"""Volumes of the AWS fake, and the listing of all tags and interfaces."""

import json

import aws_catalog
from aws_catalog import check_id
from aws_instances import check_volume_type, random_id, read_specifications, seen_machine, show_tags
from aws_protocol import Refusal
from world import Replicated


class Volume(Replicated):
    """One EBS volume."""

    def __init__(self, id, region, zone, size, kind, tags, **more):
        self.id, self.region, self.zone, self.size, self.kind, self.tags = id, region, zone, size, kind, tags
        self.state, self.machine, self.device, self.delete, self.attached_at, self.created_at = "creating", None, None, False, None, 0
        self.iops, self.throughput, self.client_token, self.snapshot = None, None, None, None
        vars(self).update(more)

    def truth(self):
        """The row of the truth port."""
        return {"id": self.id, "region": self.region, "zone": self.zone, "size": self.size, "type": self.kind, "state": self.state,
                "machine": self.machine, "device": self.device, "tags": dict(self.tags), "iops": self.iops, "name": self.tags.get("Name"),
                "token": self.client_token}


def add_root_volume(call, machine, id, root, tags):
    """The root volume of a new machine."""
    volume = Volume(id, machine.region, machine.zone, root["VolumeSize"], root["VolumeType"], dict(tags), machine=machine.id,
                    device=root["DeviceName"], delete=root["DeleteOnTermination"], attached_at=call.world.now(), created_at=call.world.now(),
                    state="in-use", snapshot=aws_catalog.make_id("snap", machine.image))
    call.world.disks[id] = volume
    volume.commit(call.world)
    link(machine, volume)


def link(machine, volume):
    """The machine shows its volume."""
    machine.mappings.append({"device": volume.device, "volume": volume.id, "delete": volume.delete, "at": volume.attached_at,
                             "state": "attached"})
    machine.disks.append(volume.id)


def release_volumes(world, machine):
    """A machine is terminated: its volumes go with it, or become free."""
    for volume in [each for each in world.disks.values() if each.machine == machine.id]:
        if volume.delete:
            erase(world, volume)
        else:
            volume.state, volume.machine, volume.device = "available", None, None
            volume.commit(world)


def erase(world, volume):
    """The volume is gone; replicas show it a little longer."""
    volume.erase(world)
    del world.disks[volume.id]


def show_volume(volume):
    """A volume as a row."""
    return {"VolumeId": volume.id, "AvailabilityZone": volume.zone, "Size": volume.size, "VolumeType": volume.kind, "State": volume.state,
            "CreateTime": volume.created_at, "Encrypted": False, "SnapshotId": volume.snapshot or "", "Iops": volume.iops,
            "Throughput": volume.throughput, "MultiAttachEnabled": False, "Tags": show_tags(volume.tags),
            "Attachments": [show_attachment(volume, "attached")] if volume.machine else []}


def show_attachment(volume, state):
    """An attachment as a row."""
    return {"AttachTime": volume.attached_at, "Device": volume.device, "InstanceId": volume.machine, "State": state, "VolumeId": volume.id,
            "DeleteOnTermination": volume.delete}


def create_volume(call):
    parameters = call.parameters
    zone, kind, size = parameters["AvailabilityZone"], parameters.get("VolumeType", "gp2"), parameters.get("Size")
    if zone not in call.region.zones:
        raise Refusal("InvalidZone.NotFound", f"The zone '{zone}' does not exist.")
    if size is None:
        raise Refusal("MissingParameter", "The request must contain the parameter size or snapshotId")
    check_volume_type(kind, size, parameters.get("Iops"), parameters.get("Throughput"))
    tags = read_specifications(call, {"volume"}).get("volume", {})
    call.end_dry_run()
    token = parameters.get("ClientToken")
    digest = json.dumps({name: value for name, value in parameters.items() if name != "ClientToken"}, sort_keys=True)
    if token and (known := call.service.volume_tokens.get((call.region.name, token))):
        if known[0] != digest:
            raise Refusal("IdempotentParameterMismatch", "Arguments on this idempotent request are inconsistent with arguments used in "
                          "previous request(s).")
        if known[1].id in call.world.disks:
            return show_created(known[1])
        raise Refusal("InvalidVolume.NotFound", f"The volume '{known[1].id}' does not exist.")
    volume = Volume(random_id(call, "vol"), call.region.name, zone, size, kind, tags, created_at=call.world.now(), client_token=token,
                    iops=parameters.get("Iops") or (3000 if kind == "gp3" else None), throughput=125 if kind == "gp3" else None)
    call.world.disks[volume.id] = volume
    volume.commit(call.world)
    if token:
        call.service.volume_tokens[call.region.name, token] = digest, volume

    def set_available():
        if volume.state == "creating":
            volume.state = "available"
            volume.commit(call.world)
    call.world.after(call.world.faults.operation_ms / 1000, set_available)
    return show_created(volume)


def show_created(volume):
    """The answer of CreateVolume, which has no attachments."""
    row = show_volume(volume)
    del row["Attachments"]
    return row


def seen_volume(call, id):
    """The volume itself, where the replica of this call shows it."""
    check_id(id, "vol", "InvalidVolumeID")
    volume = call.world.disks.get(id)
    if volume is None or volume.region != call.region.name or volume.view(call.replica, call.world.now()) is None:
        raise Refusal("InvalidVolume.NotFound", f"The volume '{id}' does not exist.")
    return volume


def attach_volume(call):
    volume, machine = seen_volume(call, call.parameters["VolumeId"]), seen_machine(call, call.parameters["InstanceId"])
    device = call.parameters["Device"]
    if volume.machine:
        raise Refusal("VolumeInUse", f"{volume.id} is already attached to an instance")
    if volume.state != "available":
        raise Refusal("IncorrectState", f"{volume.id} is not 'available'.")
    if volume.zone != machine.zone:
        raise Refusal("InvalidVolume.ZoneMismatch", f"The volume '{volume.id}' is not in the same availability zone as instance '{machine.id}'")
    if machine.state not in ("running", "stopped"):
        raise Refusal("IncorrectState", f"Instance '{machine.id}' is not 'running'.")
    if device in [each["device"] for each in machine.mappings]:
        raise Refusal("InvalidParameterValue", f"Invalid value '{device}' for unixDevice. Attachment point {device} is already in use")
    if not device.startswith(("/dev/sd", "/dev/xvd")):
        raise Refusal("InvalidParameterValue", f"Value ({device}) for parameter device is invalid. {device} is not a valid EBS device name.")
    call.end_dry_run()
    volume.machine, volume.device, volume.state, volume.attached_at, volume.delete = machine.id, device, "in-use", call.world.now(), False
    link(machine, volume)
    volume.commit(call.world)
    machine.commit(call.world)
    return show_attachment(volume, "attaching")


def detach_volume(call):
    volume = seen_volume(call, call.parameters["VolumeId"])
    if not volume.machine:
        raise Refusal("IncorrectState", f"Volume '{volume.id}' is in the 'available' state.")
    if call.parameters.get("InstanceId", volume.machine) != volume.machine:
        raise Refusal("InvalidAttachment.NotFound", f"The volume '{volume.id}' is not attached to instance '{call.parameters['InstanceId']}'")
    call.end_dry_run()
    shown = show_attachment(volume, "detaching")
    machine = call.world.machines.get(volume.machine)
    if machine is not None:
        machine.mappings = [each for each in machine.mappings if each["volume"] != volume.id]
        machine.disks = [each for each in machine.disks if each != volume.id]
        machine.commit(call.world)
    volume.machine, volume.device, volume.state = None, None, "available"
    volume.commit(call.world)
    return shown


def delete_volume(call):
    volume = seen_volume(call, call.parameters["VolumeId"])
    if volume.machine:
        raise Refusal("VolumeInUse", f"Volume {volume.id} is currently attached to {volume.machine}")
    call.end_dry_run()
    erase(call.world, volume)


def describe_volumes(call):
    volumes = {volume.id: volume for volume in call.world.view(call.world.disks, call.replica) if volume.region == call.region.name}
    ids = call.parameters.get("VolumeIds")
    for id in ids or []:
        check_id(id, "vol", "InvalidVolumeID")
        if id not in volumes:
            raise Refusal("InvalidVolume.NotFound", f"The volume '{id}' does not exist.")
    rows = [volumes[id] for id in ids] if ids else list(volumes.values())
    rows = aws_catalog.filter_rows(rows, call.parameters.get("Filters"), {
        "volume-id": lambda volume: volume.id, "status": lambda volume: volume.state, "availability-zone": lambda volume: volume.zone,
        "size": lambda volume: volume.size, "volume-type": lambda volume: volume.kind, "attachment.instance-id": lambda volume: volume.machine,
        "attachment.device": lambda volume: volume.device, "snapshot-id": lambda volume: volume.snapshot,
        "attachment.status": lambda volume: "attached" if volume.machine else None,
        "attachment.delete-on-termination": lambda volume: volume.delete if volume.machine else None}, lambda volume: volume.tags)
    rows, token = aws_catalog.page(call, rows, lambda volume: (volume.created_at, volume.id), 1, 1000, ids)
    return {"Volumes": [show_volume(volume) for volume in rows], "NextToken": token}


def describe_interfaces(call):
    rows = []
    for port in call.world.ports.values():
        machine = call.world.machines[port["machine"]]
        if port["region"] == call.region.name:
            rows.append({"NetworkInterfaceId": port["id"], "SubnetId": machine.subnet, "VpcId": machine.vpc, "Status": "in-use",
                         "PrivateIpAddress": machine.address, "AvailabilityZone": machine.zone, "OwnerId": aws_catalog.ACCOUNT,
                         "Groups": [{"GroupId": id, "GroupName": call.region.groups[id]["name"]} for id in machine.groups],
                         "Attachment": {"InstanceId": machine.id, "DeviceIndex": 0, "DeleteOnTermination": True, "Status": "attached"},
                         "TagSet": show_tags(port["tags"])})
    rows = aws_catalog.filter_rows(rows, call.parameters.get("Filters"), {
        "attachment.instance-id": lambda row: row["Attachment"]["InstanceId"], "network-interface-id": lambda row: row["NetworkInterfaceId"],
        "subnet-id": lambda row: row["SubnetId"], "vpc-id": lambda row: row["VpcId"], "status": lambda row: row["Status"]},
        lambda row: {tag["Key"]: tag["Value"] for tag in row["TagSet"]})
    rows, token = aws_catalog.page(call, rows, lambda row: (row["NetworkInterfaceId"],))
    return {"NetworkInterfaces": rows, "NextToken": token}


def describe_tags(call):
    world, rows = call.world, []
    for kind, things in (("instance", world.view(world.machines, call.replica)), ("volume", world.view(world.disks, call.replica))):
        rows += [{"Key": key, "Value": value, "ResourceId": thing.id, "ResourceType": kind} for thing in things
                 if thing.region == call.region.name for key, value in thing.tags.items()]
    rows = aws_catalog.filter_rows(rows, call.parameters.get("Filters"), {
        "key": lambda row: row["Key"], "value": lambda row: row["Value"], "resource-id": lambda row: row["ResourceId"],
        "resource-type": lambda row: row["ResourceType"]})
    rows, token = aws_catalog.page(call, rows, lambda row: (row["ResourceId"], row["Key"]))
    return {"Tags": rows, "NextToken": token}


CALLS = {
    "CreateVolume": create_volume, "AttachVolume": attach_volume, "DetachVolume": detach_volume, "DeleteVolume": delete_volume,
    "DescribeVolumes": describe_volumes, "DescribeNetworkInterfaces": describe_interfaces, "DescribeTags": describe_tags,
}
