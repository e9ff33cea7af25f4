"""Instances of the AWS fake: run, describe, end, tags, reboot, console."""

import base64
import binascii
import json
import time

import aws_catalog
from aws_catalog import ACCOUNT, TYPES, check_id, make_id
from aws_protocol import Refusal, UnknownToModel, iso_time
from world import Machine

STATE_CODES = {"pending": 0, "running": 16, "shutting-down": 32, "terminated": 48, "stopping": 64, "stopped": 80}
USER_DATA_MAX = 16384
TAGS_MAX, TAG_KEY_MAX, TAG_VALUE_MAX, TOKEN_MAX = 50, 127, 256, 64
RUN_TAGGED = {"instance", "volume", "network-interface", "spot-instances-request", "elastic-gpu"}
USER_ENDED = ("Client.UserInitiatedShutdown", "Client.UserInitiatedShutdown: User initiated shutdown")
# What ends a machine behind reeve's back: reason -> code and text of its StateReason.
END_REASONS = {
    "spot": ("Server.SpotInstanceTermination", "Server.SpotInstanceTermination: Spot instance termination"),
    "host": ("Server.InternalError", "Server.InternalError: Internal error on launch"),
    "user": USER_ENDED,
    "capacity": ("Server.InsufficientInstanceCapacity", "Server.InsufficientInstanceCapacity: Insufficient instance capacity"),
    "quota": ("Client.VolumeLimitExceeded", "Client.VolumeLimitExceeded: Volume limit exceeded"),
}


def random_id(call, kind):
    """A new id."""
    return f"{kind}-{call.world.faults.random.getrandbits(68):017x}"


# -- tags


def read_tags(tags):
    """A list of tags as a map; refused where EC2 refuses it."""
    found = {}
    for tag in tags or []:
        key, value = tag.get("Key", ""), tag.get("Value", "")
        if not key:
            raise Refusal("InvalidParameterValue", "Tag key cannot be empty.")
        if key.lower().startswith("aws:"):
            raise Refusal("InvalidParameterValue", "Tag keys starting with 'aws:' are reserved for internal use")
        if len(key) > TAG_KEY_MAX:
            raise Refusal("InvalidParameterValue", f"Tag key exceeds the maximum length of {TAG_KEY_MAX} characters")
        if len(value) > TAG_VALUE_MAX:
            raise Refusal("InvalidParameterValue", f"Tag value exceeds the maximum length of {TAG_VALUE_MAX} characters")
        if key in found:
            raise Refusal("InvalidParameterValue", f"Duplicate tag key '{key}' specified.")
        found[key] = value
    if len(found) > TAGS_MAX:
        raise Refusal("TagLimitExceeded", f"More than {TAGS_MAX} tags specified")
    return found


def read_specifications(call, allowed):
    """TagSpecification of a create call: {kind of resource: tags}."""
    found = {}
    for each in call.parameters.get("TagSpecifications", []):
        kind = each.get("ResourceType")
        if kind not in allowed:
            raise Refusal("InvalidParameterValue", f"'{kind}' is not a valid taggable resource type for this operation.")
        if kind in found:
            raise Refusal("InvalidParameterValue", f"Duplicate resource type '{kind}' in the tag specifications.")
        found[kind] = read_tags(each.get("Tags"))
    return found


def show_tags(tags):
    """Tags as a row has them."""
    return [{"Key": key, "Value": value} for key, value in sorted(tags.items())]


def tagged(call, id):
    """The object with that id: an instance, a volume or a network interface."""
    world, kind = call.world, id.split("-")[0]
    if kind == "i":
        check_id(id, "i", "InvalidInstanceID")
        return seen_machine(call, id)
    if kind == "vol" and id in world.disks and world.disks[id].region == call.region.name:
        return world.disks[id]
    if kind == "eni" and id in world.ports:
        return world.ports[id]
    codes = {"vol": "InvalidVolume.NotFound", "eni": "InvalidNetworkInterfaceID.NotFound"}
    raise Refusal(codes.get(kind, "InvalidID"), f"The ID '{id}' is not valid or does not exist")


def tags_of(thing):
    """The tags of one of these objects, to be changed."""
    return thing["tags"] if isinstance(thing, dict) else thing.tags


def create_tags(call):
    new = read_tags(call.parameters.get("Tags"))
    things = [tagged(call, id) for id in call.parameters["Resources"]]
    for thing in things:
        if len({**tags_of(thing), **new}) > TAGS_MAX:
            raise Refusal("TagLimitExceeded", f"A resource can have at most {TAGS_MAX} tags")
    call.end_dry_run()
    for thing in things:
        tags_of(thing).update(new)
        if not isinstance(thing, dict):
            thing.commit(call.world)


def delete_tags(call):
    things = [tagged(call, id) for id in call.parameters["Resources"]]
    call.end_dry_run()
    for thing in things:
        tags = tags_of(thing)
        if "Tags" not in call.parameters:
            tags.clear()
        for tag in call.parameters.get("Tags", []):
            key = tag.get("Key", "")
            if key in tags and ("Value" not in tag or tags[key] == tag["Value"]):
                del tags[key]
        if not isinstance(thing, dict):
            thing.commit(call.world)


# -- RunInstances


class Launch:
    """The checked parameters of RunInstances."""

    def __init__(self, call):
        self.call, self.parameters, self.region = call, call.parameters, call.region
        self.tags = read_specifications(call, RUN_TAGGED)
        self.image_id = self._image()
        self.size = self._size()
        if "KeyName" in self.parameters and self.parameters["KeyName"] not in aws_catalog.KEYS:
            raise Refusal("InvalidKeyPair.NotFound", f"The key pair '{self.parameters['KeyName']}' does not exist")
        self.subnet, self.is_public, self.groups = self._network()
        self.placement = self.parameters.get("Placement", {})
        self.is_zonal = self.subnet is not None or "AvailabilityZone" in self.placement
        self.zone = self._zone()
        self.groups = self._checked_groups()
        self.profile = self._profile()
        self.root = self._mappings()
        self._user_data()
        self._market()
        self._metadata()
        if (name := self.placement.get("GroupName")) and name not in aws_catalog.PLACEMENT_GROUPS:
            raise Refusal("InvalidPlacementGroup.Unknown", f"The placement group '{name}' is unknown.")
        if len(self.parameters.get("ClientToken", "")) > TOKEN_MAX:
            raise Refusal("InvalidParameterValue", f"The client token is longer than {TOKEN_MAX} characters")
        least, most = self.parameters["MinCount"], self.parameters["MaxCount"]
        if not 1 <= least <= most:
            raise Refusal("InvalidParameterValue", f"Invalid value '{least}' for MinCount or '{most}' for MaxCount")

    def _image(self):
        id = self.parameters.get("ImageId")
        if id is None:
            raise Refusal("MissingParameter", "The request must contain the parameter ImageId")
        check_id(id, "ami", "InvalidAMIID")
        if id not in self.region.images:
            raise Refusal("InvalidAMIID.NotFound", f"The image id '[{id}]' does not exist")
        return id

    def _size(self):
        size = self.parameters.get("InstanceType", "t2.micro")
        if size not in TYPES:
            raise Refusal("InvalidParameterValue", f"Invalid value '{size}' for InstanceType.")
        architecture, needed = TYPES[size][0], self.region.images[self.image_id][2]
        if architecture != needed:
            raise Refusal("InvalidParameterValue", f"The architecture '{architecture}' of the specified instance type does not match the "
                          f"architecture '{needed}' of the specified AMI. Specify an instance type and an AMI that have matching "
                          "architectures, and try again.")
        return size

    def _network(self):
        """(subnet or None, public address or None, group ids)."""
        parameters, interfaces = self.parameters, self.parameters.get("NetworkInterfaces")
        if not interfaces:
            return parameters.get("SubnetId"), None, parameters.get("SecurityGroupIds")
        if "SubnetId" in parameters:
            raise Refusal("InvalidParameterCombination", "Network interfaces and an instance-level subnet ID may not be specified on the same "
                          "request")
        if "SecurityGroupIds" in parameters or "SecurityGroups" in parameters:
            raise Refusal("InvalidParameterCombination", "Network interfaces and an instance-level security groups may not be specified on the "
                          "same request")
        if len(interfaces) != 1 or interfaces[0].get("DeviceIndex") != 0:
            raise Refusal("InvalidParameterValue", "the fake wants exactly one network interface, with device index 0")
        return interfaces[0].get("SubnetId"), interfaces[0].get("AssociatePublicIpAddress"), interfaces[0].get("Groups")

    def _zone(self):
        zone = self.placement.get("AvailabilityZone")
        if zone is not None and zone not in self.region.zones:
            raise Refusal("InvalidParameterValue", f"Invalid availability zone: [{zone}]")
        if self.subnet is not None:
            check_id(self.subnet, "subnet", "InvalidSubnetID")
            if self.subnet not in self.region.subnets:
                raise Refusal("InvalidSubnetID.NotFound", f"The subnet ID '{self.subnet}' does not exist")
            of = self.region.subnets[self.subnet]["zone"]
            if zone not in (None, of):
                raise Refusal("InvalidParameterValue", f"The availability zone '{zone}' and the subnet '{self.subnet}' are in different "
                              "availability zones.")
            zone = of
        if zone is None:
            offered = [each for each in self.region.zones if each[-1] not in TYPES[self.size][3]]
            zone = self.call.world.faults.random.choice([each for each in offered if not self.call.world.is_full(each, self.size)] or offered)
        if zone[-1] in TYPES[self.size][3]:
            raise Refusal("Unsupported", f"Your requested instance type ({self.size}) is not supported in your requested Availability Zone "
                          f"({zone}). Please retry your request by not specifying an Availability Zone or choosing another one.")
        self.subnet = self.subnet or self.region.default_subnet(zone)
        return zone

    def _checked_groups(self):
        vpc = self.region.subnets[self.subnet]["vpc"]
        groups = list(self.groups or [])
        for name in self.parameters.get("SecurityGroups", []):
            if (id := self.region.group_id(name, self.region.vpc)) is None:
                raise Refusal("InvalidGroup.NotFound", f"The security group '{name}' does not exist in default VPC '{self.region.vpc}'")
            groups.append(id)
        check_groups(self.region, groups, vpc, self.subnet)
        return groups or [self.region.group_id("default", vpc)]

    def _profile(self):
        profile = self.parameters.get("IamInstanceProfile")
        if profile is None:
            return None
        return check_profile(self.call, profile)

    def _mappings(self):
        root = {"DeviceName": "/dev/xvda", "VolumeSize": 8, "VolumeType": "gp3", "DeleteOnTermination": True}
        for mapping in self.parameters.get("BlockDeviceMappings", []):
            ebs = mapping.get("Ebs", {})
            if mapping.get("DeviceName") != root["DeviceName"]:
                raise Refusal("InvalidBlockDeviceMapping", f"the fake creates the root device /dev/xvda only, not {mapping.get('DeviceName')}")
            if ebs.get("VolumeSize", 8) < 8:
                raise Refusal("InvalidBlockDeviceMapping", f"Volume of size {ebs['VolumeSize']}GB is smaller than snapshot "
                              f"'{make_id('snap', self.image_id)}', expect size >= 8GB")
            check_volume_type(ebs.get("VolumeType", "gp3"), ebs.get("VolumeSize", 8), ebs.get("Iops"), ebs.get("Throughput"))
            root.update({name: value for name, value in ebs.items() if name in root})
        return root

    def _user_data(self):
        text = self.parameters.get("UserData")
        if text is None:
            return
        try:
            raw = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raise UnknownToModel("InvalidParameterValue", "Invalid BASE64 encoding of user data") from None
        if len(raw) > USER_DATA_MAX:
            raise Refusal("InvalidParameterValue", f"User data is limited to {USER_DATA_MAX} bytes")

    def _market(self):
        market = self.parameters.get("InstanceMarketOptions", {})
        self.is_spot = market.get("MarketType") == "spot"
        options = market.get("SpotOptions", {})
        if price := options.get("MaxPrice"):
            try:
                too_low = float(price) < 0.001
            except ValueError:
                raise Refusal("InvalidParameterValue", f"Invalid value '{price}' for maxPrice") from None
            if too_low:
                raise Refusal("SpotMaxPriceTooLow", f"Your Spot request price of {price} is lower than the minimum required Spot request "
                              "fulfillment price of 0.001.")
        if options.get("InstanceInterruptionBehavior") in ("stop", "hibernate") and options.get("SpotInstanceType") != "persistent":
            raise Refusal("InvalidParameterCombination", "Stop and hibernate require a persistent Spot request.")

    def _metadata(self):
        options = self.parameters.get("MetadataOptions", {})
        if not 1 <= options.get("HttpPutResponseHopLimit", 1) <= 64:
            raise Refusal("InvalidParameterValue", "HttpPutResponseHopLimit is between 1 and 64")


def check_groups(region, groups, vpc, subnet):
    """Do the security groups exist, in the network of the subnet?"""
    for id in groups:
        check_id(id, "sg", "InvalidGroupId")
        if id not in region.groups:
            raise Refusal("InvalidGroup.NotFound", f"The security group '{id}' does not exist")
        if region.groups[id]["vpc"] != vpc:
            raise Refusal("InvalidParameter", f"Security group {id} and subnet {subnet} belong to different networks.")


def check_profile(call, profile):
    """The name of an instance profile; a new one becomes visible late."""
    name, faults = profile.get("Name") or profile.get("Arn", "").rsplit("/", 1)[-1], call.world.faults
    text = f"Value ({name}) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name"
    if name not in aws_catalog.PROFILES:
        raise Refusal("InvalidParameterValue", text)
    first = call.service.profile_uses.setdefault(name, call.world.now())
    if call.world.now() < first + faults.profile_visible_ms / 1000:
        raise Refusal("InvalidParameterValue", text)
    return name


def check_volume_type(kind, size, iops, throughput):
    """The combinations that EBS accepts."""
    bounds = {"gp3": (1, 16384), "gp2": (1, 16384), "io1": (4, 16384), "io2": (4, 16384), "st1": (125, 16384), "sc1": (125, 16384),
              "standard": (1, 1024)}
    if kind not in bounds:
        raise Refusal("UnknownVolumeType", f"Unknown volume type '{kind}'")
    least, most = bounds[kind]
    if not least <= size <= most:
        raise Refusal("InvalidParameterValue", f"Invalid volume size: {size}GiB. The volume type '{kind}' has sizes from {least} to {most}GiB")
    if kind in ("io1", "io2") and iops is None:
        raise Refusal("MissingParameter", f"The request must contain the parameter iops for volume type '{kind}'")
    if kind not in ("io1", "io2", "gp3") and iops is not None:
        raise Refusal("InvalidParameterCombination", f"The parameter iops is not supported for {kind} volumes.")
    if kind != "gp3" and throughput is not None:
        raise Refusal("InvalidParameterCombination", f"The parameter throughput is not supported for {kind} volumes.")
    ratio = {"io1": 50, "io2": 500}.get(kind)
    if iops is not None and not 100 <= iops <= 64000:
        raise Refusal("InvalidParameterValue", f"Volume iops of {iops} is out of range; from 100 to 64000")
    if ratio and iops > ratio * size:
        raise Refusal("InvalidParameterValue", f"Iops to volume size ratio of {iops / size:.6f} is too high; maximum is {ratio}")


def run_instances(call):
    launch = Launch(call)
    call.end_dry_run()
    token = call.parameters.get("ClientToken")
    key = (call.region.name, launch.zone if launch.is_zonal else "", token)
    digest = json.dumps({name: value for name, value in call.parameters.items() if name != "ClientToken"}, sort_keys=True)
    known = call.service.client_tokens.get(key) if token else None
    if known is not None:
        if known["parameters"] != digest:
            raise Refusal("IdempotentParameterMismatch", "Arguments on this idempotent request are inconsistent with arguments used in "
                          "previous request(s).")
        if known["machines"]:
            return repeat_answer(call, known)
    elif token:
        known = call.service.client_tokens[key] = {"parameters": digest, "machines": [], "reservation": random_id(call, "r")}
    count = room_for(call, launch)
    if known is None:
        known = {"machines": [], "reservation": random_id(call, "r")}
    call.service.charge(call, "run", count)
    machines = [create_machine(call, launch, known["reservation"], i) for i in range(count)]
    known["machines"] = [machine.id for machine in machines]
    return reservation(call, machines)


def repeat_answer(call, known):
    """The answer to a token that has its machines already: what they are now."""
    machines = [call.world.machines.get(id) for id in known["machines"]]
    if any(machine is None or not machine.alive for machine in machines):
        raise Refusal("IdempotentInstanceTerminated", "Request will not be processed because the instance associated with the provided client "
                      "token has been terminated.")
    return reservation(call, machines)


def room_for(call, launch):
    """The number of machines that fit, or the refusal."""
    world, least, most = call.world, launch.parameters["MinCount"], launch.parameters["MaxCount"]
    if launch.region.subnets[launch.subnet]["free"] <= sum(1 for each in world.machines.values() if each.alive and each.subnet == launch.subnet):
        raise Refusal("InsufficientFreeAddressesInSubnet", f"There are not enough free addresses in subnet '{launch.subnet}'")
    if world.is_over_quota(least):
        raise Refusal("VcpuLimitExceeded", f"You have requested more vCPU capacity than your current vCPU limit of {world.faults.quota} allows "
                      "for the instance bucket that the specified instance type belongs to.")
    if world.is_full(launch.zone, launch.size):
        zones = ", ".join(zone for zone in launch.region.zones if zone != launch.zone)
        raise Refusal("InsufficientInstanceCapacity", f"We currently do not have sufficient {launch.size} capacity in the Availability Zone you "
                      f"requested ({launch.zone}). Our system will be working on provisioning additional capacity. You can currently get "
                      f"{launch.size} capacity by not specifying an Availability Zone in your request or choosing {zones}.", 500)
    return most


def create_machine(call, launch, reservation_id, index):
    """One instance with its root volume and interface."""
    world, parameters, now = call.world, launch.parameters, call.world.now()
    tags = dict(launch.tags.get("instance", {}))
    token = tags.get("reeve.token") or parameters.get("ClientToken")
    id, volume_id, port_id = random_id(call, "i"), random_id(call, "vol"), random_id(call, "eni")
    subnet = launch.region.subnets[launch.subnet]
    address = world.address_for(token, tags.get("Name"), parameters.get("ClientToken"))
    is_public = subnet["default"] if launch.is_public is None else launch.is_public
    machine = Machine(id, token, tags.get("Name"), launch.zone, launch.size, launch.image_id, region=call.region.name, vpc=subnet["vpc"],
                      subnet=launch.subnet, groups=list(launch.groups), key=parameters.get("KeyName"), user_data=parameters.get("UserData"),
                      client_token=parameters.get("ClientToken", ""), reservation=reservation_id, index=index, is_spot=launch.is_spot,
                      profile=launch.profile, association=random_id(call, "iip-assoc") if launch.profile else None,
                      placement_group=launch.placement.get("GroupName"), ebs_optimized=parameters.get("EbsOptimized", False),
                      metadata=dict(parameters.get("MetadataOptions", {})), port=port_id, state_reason=None, transition_reason="",
                      launched_at=now, is_protected=parameters.get("DisableApiTermination", False), mappings=[])
    machine.state, machine.tags, machine.address = "pending", tags, address
    machine.public_address = address if is_public else None
    machine.details = {"region": call.region.name, "clientToken": machine.client_token, "key": machine.key, "groups": machine.groups,
                       "subnet": machine.subnet, "userData": machine.user_data, "spot": machine.is_spot, "profile": machine.profile}
    world.ports[port_id] = {"id": port_id, "machine": id, "region": call.region.name, "tags": dict(launch.tags.get("network-interface", {}))}
    call.service.add_root_volume(call, machine, volume_id, launch.root, launch.tags.get("volume", {}))
    world.add_machine(machine)
    if world.faults.strikes("fail_later"):
        reason = END_REASONS.get(world.faults.fail_later_code) or (END_REASONS["capacity"] if not world.faults.fail_later_code else
                                                                   (world.faults.fail_later_code, world.faults.fail_later_code))

        def fail():
            if machine.alive:
                world.note_failed(machine.id, machine.token, reason[0], machine.tags.get("reeve.cluster_id"))
            end_machine(call.service, machine, reason)
        world.after(world.faults.boot_ms / 1000, fail)
    else:
        world.after(world.faults.boot_ms / 1000, lambda: set_running(world, machine))
    return machine


def set_running(world, machine):
    """A machine that was to boot has booted, unless it ended."""
    if machine.state == "pending":
        machine.state = "running"
        machine.commit(world)


def end_machine(service, machine, reason, transition=""):
    """Shutting down, then terminated, then forgotten."""
    world = service.world
    if not machine.alive:
        return
    machine.alive, machine.state, machine.ended_at = False, "shutting-down", world.now()
    machine.state_reason, machine.reason, machine.transition_reason = reason, reason[0], transition
    machine.commit(world)
    world.after(world.faults.end_ms / 1000, lambda: set_terminated(service, machine))


def set_terminated(service, machine):
    """Its volumes and interface go with the machine, or become free."""
    world = service.world
    machine.state, machine.is_ended = "terminated", True
    service.release_volumes(machine)
    world.ports.pop(machine.port, None)
    machine.mappings, machine.disks, machine.address, machine.public_address = [], [], None, None
    machine.commit(world)
    world.after(world.faults.ended_ms / 1000, lambda: machine.erase(world))


# -- rows


def show_instance(call, machine):
    """An instance as a row of DescribeInstances."""
    region = call.region
    public = {"PublicIpAddress": machine.public_address,
              "PublicDnsName": f"ec2-{machine.public_address.replace('.', '-').replace(':', '-')}.compute.amazonaws.com"
              if machine.public_address else ""}
    interfaces = [] if machine.state == "terminated" else [{
        "NetworkInterfaceId": machine.port, "SubnetId": machine.subnet, "VpcId": machine.vpc, "OwnerId": ACCOUNT, "Status": "in-use",
        "MacAddress": "02:00:00:00:00:01", "PrivateIpAddress": machine.address, "SourceDestCheck": True, "InterfaceType": "interface",
        "Groups": [{"GroupId": id, "GroupName": region.groups[id]["name"]} for id in machine.groups], "Ipv6Addresses": [],
        "Attachment": {"AttachmentId": machine.port.replace("eni", "eni-attach"), "DeviceIndex": 0, "DeleteOnTermination": True,
                       "Status": "attached", "AttachTime": machine.launched_at}}]
    interfaces += [{**each, "NetworkInterfaceId": f"{each['NetworkInterfaceId'][:-1]}{i:x}"} for each in interfaces
                   for i in range(1, call.world.faults.interfaces)]
    row = {
        "InstanceId": machine.id, "ImageId": machine.image, "InstanceType": machine.size, "KeyName": machine.key,
        "AmiLaunchIndex": machine.index, "LaunchTime": machine.launched_at, "ClientToken": machine.client_token,
        "State": {"Code": STATE_CODES[machine.state], "Name": machine.state}, "StateTransitionReason": machine.transition_reason,
        "StateReason": {"Code": machine.state_reason[0], "Message": machine.state_reason[1]} if machine.state_reason else None,
        "Placement": {"AvailabilityZone": machine.zone, "GroupName": machine.placement_group or "", "Tenancy": "default"},
        "Monitoring": {"State": "disabled"}, "Architecture": TYPES[machine.size][0], "Hypervisor": "xen", "VirtualizationType": "hvm",
        "RootDeviceName": "/dev/xvda", "RootDeviceType": "ebs", "EbsOptimized": machine.ebs_optimized, "EnaSupport": True,
        "SourceDestCheck": True, "PrivateDnsName": "", "ProductCodes": [], "PlatformDetails": "Linux/UNIX", "UsageOperation": "RunInstances",
        "InstanceLifecycle": "spot" if machine.is_spot else None, "Tags": show_tags(machine.tags),
        "SecurityGroups": [{"GroupId": id, "GroupName": region.groups[id]["name"]} for id in machine.groups],
        "BlockDeviceMappings": [{"DeviceName": each["device"], "Ebs": {"AttachTime": each["at"], "DeleteOnTermination": each["delete"],
                                                                       "Status": each["state"], "VolumeId": each["volume"]}}
                                for each in machine.mappings],
        "NetworkInterfaces": interfaces,
        "MetadataOptions": {"State": "applied", "HttpTokens": machine.metadata.get("HttpTokens", "optional"), "HttpEndpoint": "enabled",
                            "HttpPutResponseHopLimit": machine.metadata.get("HttpPutResponseHopLimit", 1)},
        "IamInstanceProfile": {"Arn": f"arn:aws:iam::{ACCOUNT}:instance-profile/{machine.profile}", "Id": make_id("AIPA", machine.profile)}
        if machine.profile else None,
    }
    if machine.state != "terminated":
        row.update({"SubnetId": machine.subnet, "VpcId": machine.vpc, "PrivateIpAddress": machine.address, **public})
    return row


def reservation(call, machines):
    """Machines as one reservation."""
    return {"ReservationId": machines[0].reservation, "OwnerId": ACCOUNT, "Groups": [],
            "Instances": [show_instance(call, machine) for machine in machines]}


FIELDS = {
    "instance-id": lambda machine: machine.id, "instance-state-name": lambda machine: machine.state, "client-token": lambda machine: machine.client_token,
    "instance-state-code": lambda machine: STATE_CODES[machine.state], "availability-zone": lambda machine: machine.zone,
    "instance-type": lambda machine: machine.size, "image-id": lambda machine: machine.image, "key-name": lambda machine: machine.key,
    "vpc-id": lambda machine: machine.vpc if machine.state != "terminated" else None,
    "subnet-id": lambda machine: machine.subnet if machine.state != "terminated" else None,
    "private-ip-address": lambda machine: machine.address, "ip-address": lambda machine: machine.public_address,
    "instance.group-id": lambda machine: machine.groups, "reservation-id": lambda machine: machine.reservation,
    "instance-lifecycle": lambda machine: "spot" if machine.is_spot else None, "architecture": lambda machine: TYPES[machine.size][0],
    "root-device-name": lambda machine: "/dev/xvda", "owner-id": lambda machine: ACCOUNT,
    "block-device-mapping.volume-id": lambda machine: [each["volume"] for each in machine.mappings],
    "network-interface.network-interface-id": lambda machine: machine.port, "placement-group-name": lambda machine: machine.placement_group,
}


def is_strong(call):
    """Do reads of one object not lag?"""
    return call.world.faults.lag_by_id is False


def seen(call):
    """The instances of the region that the replica of this call shows: {id: machine}."""
    if is_strong(call) and call.parameters.get("InstanceIds"):
        return {machine.id: machine for machine in call.world.machines.values()
                if machine.region == call.region.name and not machine.is_forgotten(call.world.now())}
    return {machine.id: machine for machine in call.world.view(call.world.machines, call.replica) if machine.region == call.region.name}


def seen_machine(call, id):
    """The machine itself, where the replica of this call shows it."""
    machine = call.world.machines.get(id)
    if machine is None or machine.region != call.region.name or not (is_strong(call) or machine.view(call.replica, call.world.now())):
        raise Refusal("InvalidInstanceID.NotFound", f"The instance ID '{id}' does not exist")
    return machine


def chosen(call, machines):
    """The machines that InstanceIds names, or all."""
    ids = call.parameters.get("InstanceIds")
    for id in ids or []:
        check_id(id, "i", "InvalidInstanceID")
    if missing := [id for id in ids or [] if id not in machines]:
        text = f"The instance ID '{missing[0]}' does not exist" if len(missing) == 1 else \
            f"The instance IDs '{', '.join(missing)}' do not exist"
        raise Refusal("InvalidInstanceID.NotFound", text)
    return [machines[id] for id in ids] if ids else list(machines.values())


def describe_instances(call):
    call.end_dry_run()
    rows = chosen(call, seen(call))
    rows = aws_catalog.filter_rows(rows, call.parameters.get("Filters"), FIELDS, lambda machine: machine.tags)
    rows, token = aws_catalog.page(call, rows, lambda machine: (machine.launched_at, machine.id), ids=call.parameters.get("InstanceIds"))
    return {"Reservations": [reservation(call, [machine]) for machine in rows], "NextToken": token}


def describe_instance_status(call):
    call.end_dry_run()
    rows = [machine for machine in chosen(call, seen(call)) if call.parameters.get("IncludeAllInstances") or machine.state == "running"]
    rows = aws_catalog.filter_rows(rows, call.parameters.get("Filters"), FIELDS)
    rows, token = aws_catalog.page(call, rows, lambda machine: (machine.launched_at, machine.id), ids=call.parameters.get("InstanceIds"))
    return {"NextToken": token, "InstanceStatuses": [
        {"InstanceId": machine.id, "AvailabilityZone": machine.zone, "Events": [],
         "InstanceState": {"Code": STATE_CODES[machine.state], "Name": machine.state},
         "InstanceStatus": {"Status": "ok"}, "SystemStatus": {"Status": "ok"}} for machine in rows]}


def change_states(call, function):
    """Answer of the calls that change the state of instances."""
    machines = [call.world.machines[machine.id] for machine in chosen(call, seen(call))]
    call.end_dry_run()
    rows = []
    for machine in machines:
        before = machine.state
        function(machine)
        rows.append({"InstanceId": machine.id, "PreviousState": {"Code": STATE_CODES[before], "Name": before},
                     "CurrentState": {"Code": STATE_CODES[machine.state], "Name": machine.state}})
    return rows


def terminate_instances(call):
    machines = [call.world.machines[machine.id] for machine in chosen(call, seen(call))]
    call.service.charge(call, "terminate", len(machines))
    if protected := [machine.id for machine in machines if machine.is_protected and machine.alive]:
        raise Refusal("OperationNotPermitted", f"The instance '{protected[0]}' may not be terminated. Modify its 'disableApiTermination' "
                      "instance attribute and try again.")
    stamp = time.strftime("%Y-%m-%d %H:%M:%S GMT", time.gmtime(call.world.clock()))
    return {"TerminatingInstances": change_states(
        call, lambda machine: end_machine(call.service, machine, USER_ENDED, f"User initiated ({stamp})"))}


def stop_machine(service, machine, reason=USER_ENDED):
    """Stopping, then stopped."""
    world = service.world
    if machine.state not in ("running", "pending"):
        return
    machine.state, machine.state_reason = "stopping", reason
    machine.commit(world)

    def set_stopped():
        if machine.state == "stopping":
            machine.state = "stopped"
            machine.commit(world)
    world.after(world.faults.end_ms / 1000, set_stopped)


def stop_instances(call):
    def stop(machine):
        if not machine.alive:
            raise Refusal("IncorrectInstanceState", f"This instance '{machine.id}' is not in a state from which it can be stopped.")
        stop_machine(call.service, machine)
    return {"StoppingInstances": change_states(call, stop)}


def start_instances(call):
    def start(machine):
        if machine.state not in ("stopped", "running", "pending"):
            raise Refusal("IncorrectInstanceState", f"The instance '{machine.id}' is not in a state from which it can be started.")
        if machine.state == "stopped":
            machine.state, machine.state_reason, machine.launched_at = "pending", None, call.world.now()
            machine.commit(call.world)
            call.world.after(call.world.faults.boot_ms / 1000, lambda: set_running(call.world, machine))
    return {"StartingInstances": change_states(call, start)}


def reboot_instances(call):
    def reboot(machine):
        if machine.state not in ("running", "pending"):
            raise Refusal("IncorrectInstanceState" if machine.alive else "IncorrectState",
                          f"The instance '{machine.id}' is not in the 'running' state.")
        machine.reboots += 1
    change_states(call, reboot)


def get_console_output(call):
    machine = seen_machine(call, call.parameters["InstanceId"])
    call.end_dry_run()
    if call.parameters.get("Latest") and machine.size.startswith("t2"):
        raise Refusal("UnsupportedOperation", "This instance type does not support retrieving the latest console logs.")
    text = machine.console if machine.console is not None else (
        f"[    0.000000] Linux version 6.1.0\n[  OK  ] Reached target multi-user at {iso_time(machine.launched_at)}\n"
        if machine.state in ("running", "stopped", "stopping") else "")
    return {"InstanceId": machine.id, "Timestamp": call.world.now(),
            "Output": base64.b64encode(text.encode()[-65536:]).decode() if text else None}


def change_mapping(call, machine, change):
    """A volume of an instance is deleted with it, or is not any more."""
    for mapping in machine.mappings:
        if mapping["device"] == change["DeviceName"]:
            mapping["delete"] = change.get("Ebs", {}).get("DeleteOnTermination", mapping["delete"])
            volume = call.world.disks[mapping["volume"]]
            volume.delete = mapping["delete"]
            volume.commit(call.world)
            return
    raise Refusal("InvalidInstanceAttributeValue", f"No device is currently mapped at {change['DeviceName']}")


def modify_instance_attribute(call):
    machine = seen_machine(call, call.parameters["InstanceId"])
    changes = {name: value for name, value in call.parameters.items() if name not in ("InstanceId", "DryRun")}
    if unknown := set(changes) - {"Groups", "DisableApiTermination", "EbsOptimized", "BlockDeviceMappings"}:
        raise Refusal("InvalidParameterCombination", f"the fake does not change {sorted(unknown)[0]}")
    if len(changes) != 1:
        raise Refusal("InvalidParameterCombination", "Fields for multiple attribute types specified")
    if "Groups" in changes:
        check_groups(call.region, changes["Groups"], machine.vpc, machine.subnet)
    call.end_dry_run()
    if "Groups" in changes:
        machine.groups = list(changes["Groups"])
        machine.details["groups"] = machine.groups
    elif "BlockDeviceMappings" in changes:
        for change in changes["BlockDeviceMappings"]:
            change_mapping(call, machine, change)
    else:
        machine.is_protected = changes.get("DisableApiTermination", {}).get("Value", machine.is_protected)
        machine.ebs_optimized = changes.get("EbsOptimized", {}).get("Value", machine.ebs_optimized)
    machine.commit(call.world)


def show_association(machine):
    """The association of an instance profile."""
    return {"AssociationId": machine.association, "InstanceId": machine.id, "State": "associated",
            "IamInstanceProfile": {"Arn": f"arn:aws:iam::{ACCOUNT}:instance-profile/{machine.profile}", "Id": make_id("AIPA", machine.profile)}}


def associate_profile(call):
    machine = seen_machine(call, call.parameters["InstanceId"])
    name = check_profile(call, call.parameters["IamInstanceProfile"])
    if machine.profile:
        raise Refusal("IncorrectState", f"There is an existing association for instance {machine.id}")
    machine.profile, machine.association = name, random_id(call, "iip-assoc")
    machine.details["profile"] = name
    machine.commit(call.world)
    return {"IamInstanceProfileAssociation": show_association(machine)}


def by_association(call):
    """The machine of an association."""
    id = call.parameters["AssociationId"]
    for machine in call.world.machines.values():
        if machine.association == id and machine.region == call.region.name:
            return machine
    raise Refusal("InvalidAssociationID.NotFound", f"An invalid association-id of '{id}' was given")


def replace_profile(call):
    machine = by_association(call)
    machine.profile = check_profile(call, call.parameters["IamInstanceProfile"])
    machine.association = random_id(call, "iip-assoc")
    machine.details["profile"] = machine.profile
    machine.commit(call.world)
    return {"IamInstanceProfileAssociation": show_association(machine)}


def disassociate_profile(call):
    machine = by_association(call)
    shown = show_association(machine) | {"State": "disassociating"}
    machine.profile, machine.association = None, None
    machine.details["profile"] = None
    machine.commit(call.world)
    return {"IamInstanceProfileAssociation": shown}


def describe_associations(call):
    rows = [show_association(machine) for machine in seen(call).values() if machine.profile and machine.alive]
    rows = aws_catalog.filter_rows(rows, call.parameters.get("Filters"), {"instance-id": lambda row: row["InstanceId"],
                                                                          "state": lambda row: row["State"]})
    rows, token = aws_catalog.page(call, rows, lambda row: (row["AssociationId"],))
    return {"IamInstanceProfileAssociations": rows, "NextToken": token}


CALLS = {
    "RunInstances": run_instances, "DescribeInstances": describe_instances, "DescribeInstanceStatus": describe_instance_status,
    "TerminateInstances": terminate_instances, "StopInstances": stop_instances, "StartInstances": start_instances,
    "RebootInstances": reboot_instances, "GetConsoleOutput": get_console_output, "CreateTags": create_tags, "DeleteTags": delete_tags,
    "ModifyInstanceAttribute": modify_instance_attribute, "AssociateIamInstanceProfile": associate_profile,
    "ReplaceIamInstanceProfileAssociation": replace_profile, "DisassociateIamInstanceProfile": disassociate_profile,
    "DescribeIamInstanceProfileAssociations": describe_associations,
}
