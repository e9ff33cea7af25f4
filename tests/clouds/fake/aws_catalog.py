"""The plain world of the AWS fake: regions, images, types, keys, networks; and the calls that only read it."""

import fnmatch
import hashlib
import json
import base64

from aws_protocol import Refusal

ACCOUNT = "123456789012"
REGIONS = ("eu-west-1", "us-east-1")
ZONES = ("a", "b", "c")
DEBIAN, AMAZON, CANONICAL, ROCKY = "136693071363", "137112412989", "099720109477", "792107900819"
# name, owner, architecture, date, description, platform details
IMAGES = (
    ("debian-12-amd64-20260601-1", DEBIAN, "x86_64", "2026-06-01T08:00:00.000Z", "Debian 12 (20260601-1)"),
    ("debian-12-arm64-20260601-1", DEBIAN, "arm64", "2026-06-01T08:00:00.000Z", "Debian 12 (20260601-1)"),
    ("debian-12-amd64-20260301-1", DEBIAN, "x86_64", "2026-03-01T08:00:00.000Z", "Debian 12 (20260301-1)"),
    ("debian-13-amd64-20260601-1", DEBIAN, "x86_64", "2026-06-01T09:00:00.000Z", "Debian 13 (20260601-1)"),
    ("al2023-ami-2023.7.20260601.0-kernel-6.1-x86_64", AMAZON, "x86_64", "2026-06-01T10:00:00.000Z", "Amazon Linux 2023"),
    ("al2023-ami-2023.7.20260601.0-kernel-6.1-arm64", AMAZON, "arm64", "2026-06-01T10:00:00.000Z", "Amazon Linux 2023"),
    ("amzn2-ami-kernel-5.10-hvm-2.0.20260601.0-x86_64-gp2", AMAZON, "x86_64", "2026-06-01T10:00:00.000Z", "Amazon Linux 2"),
    ("ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-amd64-server-20260601", CANONICAL, "x86_64", "2026-06-01T11:00:00.000Z", "Ubuntu 22.04"),
    ("ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-amd64-server-20260601", CANONICAL, "x86_64", "2026-06-01T11:00:00.000Z", "Ubuntu 24.04"),
    ("ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-arm64-server-20260601", CANONICAL, "arm64", "2026-06-01T11:00:00.000Z", "Ubuntu 24.04"),
    ("Rocky-9-EC2-Base-9.4-20260601.0.x86_64", ROCKY, "x86_64", "2026-06-01T12:00:00.000Z", "Rocky Linux 9"),
)
# name, architecture, virtual processors, MiB, zones without it
TYPES = {
    "t2.micro": ("x86_64", 1, 1024, ""), "t2.small": ("x86_64", 1, 2048, ""), "t3.small": ("x86_64", 2, 2048, ""),
    "t3.medium": ("x86_64", 2, 4096, ""), "m5.large": ("x86_64", 2, 8192, "c"), "m6g.large": ("arm64", 2, 8192, ""),
}
KEYS = ("mwas", "ops")
# SSM parameters that name images: path -> name of the image.
PARAMETERS = {
    "/aws/service/debian/release/12/latest/amd64": "debian-12-amd64-20260601-1",
    "/aws/service/debian/release/12/latest/arm64": "debian-12-arm64-20260601-1",
    "/aws/service/debian/release/13/latest/amd64": "debian-13-amd64-20260601-1",
    "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64": "al2023-ami-2023.7.20260601.0-kernel-6.1-x86_64",
    "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-arm64": "al2023-ami-2023.7.20260601.0-kernel-6.1-arm64",
    "/aws/service/ami-amazon-linux-latest/amzn2-ami-kernel-5.10-hvm-x86_64-gp2": "amzn2-ami-kernel-5.10-hvm-2.0.20260601.0-x86_64-gp2",
    "/aws/service/canonical/ubuntu/server/24.04/stable/current/amd64/hvm/ebs-gp3/ami-id":
        "ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-amd64-server-20260601",
    "/aws/service/canonical/ubuntu/server/24.04/stable/current/arm64/hvm/ebs-gp3/ami-id":
        "ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-arm64-server-20260601",
    "/aws/service/canonical/ubuntu/server/22.04/stable/current/amd64/hvm/ebs-gp2/ami-id":
        "ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-amd64-server-20260601",
}
PROFILES = ("reeve-node", "other")
PLACEMENT_GROUPS = {"rack": "cluster", "apart": "spread"}
ROLES = {"arn:aws:iam::123456789012:role/reeve": "external-1"}


def make_id(kind, *parts):
    """An id that is the same in each run."""
    return f"{kind}-{hashlib.sha256('/'.join(parts).encode()).hexdigest()[:17]}"


class Region:
    """The fixed objects of a region."""

    def __init__(self, name):
        self.name = name
        self.zones = [name + letter for letter in ZONES]
        self.vpc, self.other_vpc = make_id("vpc", name), make_id("vpc", name, "other")
        self.images = {make_id("ami", name, row[0]): row for row in IMAGES}
        self.image_ids = {row[0]: id for id, row in self.images.items()}
        self.subnets = {make_id("subnet", zone): {"zone": zone, "vpc": self.vpc, "cidr": f"172.31.{16 * i}.0/20", "default": True,
                                                  "name": f"default-{zone[-1]}", "free": 4091}
                        for i, zone in enumerate(self.zones)}
        self.subnets[make_id("subnet", name, "other")] = {"zone": self.zones[0], "vpc": self.other_vpc, "cidr": "10.9.0.0/24",
                                                          "default": False, "name": "other", "free": 251}
        self.groups = {make_id("sg", name, group, vpc): {"name": group, "vpc": vpc} for vpc, groups in (
            (self.vpc, ("default", "web")), (self.other_vpc, ("default", "other"))) for group in groups}

    def default_subnet(self, zone):
        """The id of the default subnet of a zone."""
        return next(id for id, subnet in self.subnets.items() if subnet["zone"] == zone and subnet["default"])

    def group_id(self, name, vpc):
        """The id of a security group by its name; None: there is none."""
        return next((id for id, group in self.groups.items() if group["name"] == name and group["vpc"] == vpc), None)


# -- filters and pages


def matches(filters, values_of, known):
    """Does an object match all filters? values_of(name) gives its values, known(name) whether such a filter exists."""
    for each in filters or []:
        name = each["Name"]
        if not known(name):
            raise Refusal("InvalidParameterValue", f"The filter '{name}' is invalid")
        values = [str(value) for value in values_of(name)]
        if not any(matches_text(value, pattern) for value in values for pattern in each.get("Values", [])):
            return False
    return True


def matches_text(value, pattern):
    """A value of a filter: * and ? are wildcards, a backslash quotes one."""
    if "*" not in pattern and "?" not in pattern:
        return value == pattern
    return fnmatch.fnmatchcase(value, pattern.replace("[", "[[]"))


def filter_rows(rows, filters, fields, tags_of=None):
    """The rows that match. fields: {name of a filter: function of the row to a value or a list of them}."""
    def known(name):
        return name in fields or (tags_of is not None and (name == "tag-key" or name.startswith("tag:")))

    def values_of(row, name):
        if name.startswith("tag:"):
            return [value for key, value in tags_of(row).items() if key == name[4:]]
        if name == "tag-key":
            return list(tags_of(row))
        value = fields[name](row)
        value = value if isinstance(value, list) else [value]
        return [{True: "true", False: "false"}.get(each, each) if isinstance(each, bool) else each for each in value if each is not None]

    for each in filters or []:
        if not known(each["Name"]):
            raise Refusal("InvalidParameterValue", f"The filter '{each['Name']}' is invalid")
    return [row for row in rows if matches(filters, lambda name, row=row: values_of(row, name), known)]


def page(call, rows, key, least=5, most=1000, ids=None):
    """One page of rows, and the token of the next one (None: this is the last). The rows are sorted by key(row)."""
    faults, wanted = call.world.faults, call.parameters.get("MaxResults")
    if ids and wanted is not None:
        raise Refusal("InvalidParameterCombination", "The parameter instancesSet cannot be used with the parameter maxResults")
    if wanted is not None and not least <= wanted <= most:
        raise Refusal("InvalidParameterValue", f"Value ( {wanted} ) for parameter maxResults is invalid. "
                      f"Expecting a value between {least} and {most}.")
    rows = sorted(rows, key=key)
    subject = hashlib.sha256(json.dumps({name: value for name, value in call.parameters.items() if name not in ("MaxResults", "NextToken")},
                                        sort_keys=True, default=str).encode()).hexdigest()[:16]
    if token := call.parameters.get("NextToken"):
        try:
            of, after = json.loads(base64.urlsafe_b64decode(token))
        except ValueError:
            raise Refusal("InvalidNextToken", "The specified NextToken is not valid") from None
        if of != subject or faults.strikes("expire_page_tokens"):
            raise Refusal("InvalidNextToken", "The specified NextToken is not valid")
        rows = [row for row in rows if list(key(row)) > after]
    size = min(wanted or most * 100, faults.page_size or most * 100)
    if (ids and not faults.page_size) or len(rows) <= size:
        return rows, None
    return rows[:size], base64.urlsafe_b64encode(json.dumps([subject, list(key(rows[size - 1]))]).encode()).decode()


# -- calls that read


def describe_images(call):
    ids, owners = call.parameters.get("ImageIds"), call.parameters.get("Owners")
    aliases = {"amazon": AMAZON, "self": ACCOUNT}
    for id in ids or []:
        check_id(id, "ami", "InvalidAMIID")
        if id not in call.region.images:
            raise Refusal("InvalidAMIID.NotFound", f"The image id '[{id}]' does not exist")
    owners = {aliases.get(owner, owner) for owner in owners or []}
    rows = [{"Architecture": row[2], "CreationDate": row[3], "ImageId": id, "ImageLocation": f"amazon/{row[0]}", "ImageType": "machine",
             "Public": True, "OwnerId": row[1], "PlatformDetails": "Linux/UNIX", "UsageOperation": "RunInstances", "State": "available",
             "BlockDeviceMappings": [{"DeviceName": "/dev/xvda", "Ebs": {"DeleteOnTermination": True, "SnapshotId": make_id("snap", id),
                                                                         "VolumeSize": 8, "VolumeType": "gp3", "Encrypted": False}}],
             "Description": row[4], "EnaSupport": True, "Hypervisor": "xen", "Name": row[0], "RootDeviceName": "/dev/xvda",
             "RootDeviceType": "ebs", "SriovNetSupport": "simple", "VirtualizationType": "hvm", "Tags": []}
            for id, row in call.region.images.items() if (not ids or id in ids) and (not owners or row[1] in owners)]
    rows = filter_rows(rows, call.parameters.get("Filters"), {
        "name": lambda row: row["Name"], "architecture": lambda row: row["Architecture"], "state": lambda row: row["State"],
        "image-id": lambda row: row["ImageId"], "owner-id": lambda row: row["OwnerId"], "image-type": lambda row: row["ImageType"],
        "root-device-type": lambda row: row["RootDeviceType"], "virtualization-type": lambda row: row["VirtualizationType"],
        "is-public": lambda row: row["Public"], "creation-date": lambda row: row["CreationDate"],
        "owner-alias": lambda row: "amazon" if row["OwnerId"] == AMAZON else None, "hypervisor": lambda row: row["Hypervisor"],
        "ena-support": lambda row: row["EnaSupport"], "description": lambda row: row["Description"]}, lambda row: {})
    if "MaxResults" in call.model.operation_model("DescribeImages").input_shape.members:
        rows, token = page(call, rows, lambda row: (row["ImageId"],), 1)
        return {"Images": rows, "NextToken": token}
    return {"Images": rows}


def check_id(id, kind, code):
    """The form of an id."""
    prefix, _, digits = id.partition("-")
    if prefix != kind or len(digits) not in (8, 17) or any(digit not in "0123456789abcdef" for digit in digits):
        raise Refusal(f"{code}.Malformed", f'Invalid id: "{id}" (expecting "{kind}-...")')


def describe_instance_types(call):
    wanted = call.parameters.get("InstanceTypes")
    if unknown := [name for name in wanted or [] if name not in TYPES]:
        raise Refusal("InvalidInstanceType", f"The following supplied instance types do not exist: [{', '.join(unknown)}]")
    rows = [{"InstanceType": name, "CurrentGeneration": not name.startswith("t2"), "FreeTierEligible": name == "t2.micro",
             "SupportedUsageClasses": ["on-demand", "spot"], "SupportedRootDeviceTypes": ["ebs"], "SupportedVirtualizationTypes": ["hvm"],
             "BareMetal": False, "Hypervisor": "xen" if name.startswith("t2") else "nitro",
             "ProcessorInfo": {"SupportedArchitectures": [architecture], "SustainedClockSpeedInGhz": 2.5},
             "VCpuInfo": {"DefaultVCpus": cpus, "DefaultCores": cpus, "DefaultThreadsPerCore": 1}, "MemoryInfo": {"SizeInMiB": memory},
             "InstanceStorageSupported": False, "BurstablePerformanceSupported": name.startswith("t"), "DedicatedHostsSupported": False}
            for name, (architecture, cpus, memory, _) in TYPES.items() if not wanted or name in wanted]
    rows = filter_rows(rows, call.parameters.get("Filters"), {
        "instance-type": lambda row: row["InstanceType"], "vcpu-info.default-vcpus": lambda row: row["VCpuInfo"]["DefaultVCpus"],
        "memory-info.size-in-mib": lambda row: row["MemoryInfo"]["SizeInMiB"], "current-generation": lambda row: row["CurrentGeneration"],
        "processor-info.supported-architecture": lambda row: row["ProcessorInfo"]["SupportedArchitectures"]})
    rows, token = page(call, rows, lambda row: (row["InstanceType"],), 5, 100)
    return {"InstanceTypes": rows, "NextToken": token}


def describe_instance_type_offerings(call):
    kind = call.parameters.get("LocationType", "region")
    places = {"region": [call.region.name], "availability-zone": call.region.zones}.get(kind)
    if places is None:
        raise Refusal("InvalidParameterValue", f"the fake knows no offerings by {kind}")
    rows = [{"InstanceType": name, "LocationType": kind, "Location": place} for name, row in TYPES.items() for place in places
            if kind == "region" or place[-1] not in row[3]]
    rows = filter_rows(rows, call.parameters.get("Filters"), {"location": lambda row: row["Location"],
                                                              "instance-type": lambda row: row["InstanceType"]})
    rows, token = page(call, rows, lambda row: (row["InstanceType"], row["Location"]))
    return {"InstanceTypeOfferings": rows, "NextToken": token}


def describe_key_pairs(call):
    names = call.parameters.get("KeyNames")
    if unknown := [name for name in names or [] if name not in KEYS]:
        raise Refusal("InvalidKeyPair.NotFound", f"The key pair '{unknown[0]}' does not exist")
    rows = [{"KeyPairId": make_id("key", name), "KeyName": name, "KeyType": "ed25519", "KeyFingerprint": f"{name}-fingerprint=", "Tags": []}
            for name in KEYS if not names or name in names]
    return {"KeyPairs": filter_rows(rows, call.parameters.get("Filters"), {
        "key-name": lambda row: row["KeyName"], "key-pair-id": lambda row: row["KeyPairId"],
        "fingerprint": lambda row: row["KeyFingerprint"]}, lambda row: {})}


def by_id(ids, known, kind, code, text):
    """The ids that were asked for, or all."""
    for id in ids or []:
        check_id(id, kind, code if code != "InvalidGroup" else "InvalidGroupId")
        if id not in known:
            raise Refusal(f"{code}.NotFound", f"The {text} '{id}' does not exist")
    return list(ids or known)


def describe_subnets(call):
    subnets = call.region.subnets
    rows = []
    for id in by_id(call.parameters.get("SubnetIds"), subnets, "subnet", "InvalidSubnetID", "subnet ID"):
        subnet = subnets[id]
        used = sum(1 for machine in call.world.machines.values() if machine.alive and machine.subnet == id)
        rows.append({"AvailabilityZone": subnet["zone"], "AvailableIpAddressCount": subnet["free"] - used, "CidrBlock": subnet["cidr"],
                     "DefaultForAz": subnet["default"], "MapPublicIpOnLaunch": subnet["default"], "State": "available", "SubnetId": id,
                     "VpcId": subnet["vpc"], "OwnerId": ACCOUNT, "Tags": [{"Key": "Name", "Value": subnet["name"]}]})
    rows = filter_rows(rows, call.parameters.get("Filters"), {
        "subnet-id": lambda row: row["SubnetId"], "vpc-id": lambda row: row["VpcId"], "state": lambda row: row["State"],
        "availability-zone": lambda row: row["AvailabilityZone"], "availabilityZone": lambda row: row["AvailabilityZone"],
        "default-for-az": lambda row: row["DefaultForAz"], "defaultForAz": lambda row: row["DefaultForAz"],
        "cidr-block": lambda row: row["CidrBlock"]}, row_tags)
    rows, token = page(call, rows, lambda row: (row["SubnetId"],))
    return {"Subnets": rows, "NextToken": token}


def row_tags(row):
    """The tags of a row as a map."""
    return {tag["Key"]: tag["Value"] for tag in row.get("Tags", [])}


def describe_security_groups(call):
    groups = call.region.groups
    rows = []
    names = call.parameters.get("GroupNames")
    for name in names or []:
        if call.region.group_id(name, call.region.vpc) is None:
            raise Refusal("InvalidGroup.NotFound", f"The security group '{name}' does not exist in default VPC '{call.region.vpc}'")
    for id in by_id(call.parameters.get("GroupIds"), groups, "sg", "InvalidGroup", "security group"):
        group = groups[id]
        if not names or (group["name"] in names and group["vpc"] == call.region.vpc):
            rows.append({"Description": group["name"], "GroupName": group["name"], "GroupId": id, "OwnerId": ACCOUNT, "VpcId": group["vpc"],
                         "IpPermissions": [], "IpPermissionsEgress": [], "Tags": []})
    rows = filter_rows(rows, call.parameters.get("Filters"), {
        "group-id": lambda row: row["GroupId"], "group-name": lambda row: row["GroupName"], "vpc-id": lambda row: row["VpcId"],
        "description": lambda row: row["Description"], "owner-id": lambda row: row["OwnerId"]}, row_tags)
    rows, token = page(call, rows, lambda row: (row["GroupId"],))
    return {"SecurityGroups": rows, "NextToken": token}


def describe_availability_zones(call):
    names = call.parameters.get("ZoneNames")
    if unknown := [name for name in names or [] if name not in call.region.zones]:
        raise Refusal("InvalidParameterValue", f"Invalid availability zone: [{unknown[0]}]")
    rows = [{"State": "available", "OptInStatus": "opt-in-not-required", "Messages": [], "RegionName": call.region.name, "ZoneName": zone,
             "ZoneId": f"{call.region.name}-az{i}", "GroupName": call.region.name, "ZoneType": "availability-zone"}
            for i, zone in enumerate(call.region.zones, 1) if not names or zone in names]
    return {"AvailabilityZones": filter_rows(rows, call.parameters.get("Filters"), {
        "zone-name": lambda row: row["ZoneName"], "state": lambda row: row["State"], "region-name": lambda row: row["RegionName"],
        "zone-type": lambda row: row["ZoneType"], "zone-id": lambda row: row["ZoneId"]})}


def describe_regions(call):
    names = call.parameters.get("RegionNames") or REGIONS
    return {"Regions": [{"RegionName": name, "Endpoint": f"ec2.{name}.amazonaws.com", "OptInStatus": "opt-in-not-required"}
                        for name in REGIONS if name in names]}


def describe_vpcs(call):
    rows = [{"CidrBlock": "172.31.0.0/16" if id == call.region.vpc else "10.9.0.0/16", "State": "available", "VpcId": id,
             "OwnerId": ACCOUNT, "IsDefault": id == call.region.vpc, "Tags": []}
            for id in by_id(call.parameters.get("VpcIds"), [call.region.vpc, call.region.other_vpc], "vpc", "InvalidVpcID", "vpc ID")]
    rows = filter_rows(rows, call.parameters.get("Filters"), {"is-default": lambda row: row["IsDefault"], "isDefault": lambda row: row["IsDefault"],
                                                              "vpc-id": lambda row: row["VpcId"], "state": lambda row: row["State"]}, row_tags)
    rows, token = page(call, rows, lambda row: (row["VpcId"],))
    return {"Vpcs": rows, "NextToken": token}


def describe_placement_groups(call):
    names = call.parameters.get("GroupNames")
    if unknown := [name for name in names or [] if name not in PLACEMENT_GROUPS]:
        raise Refusal("InvalidPlacementGroup.Unknown", f"The Placement Group '{unknown[0]}' is unknown.")
    return {"PlacementGroups": [{"GroupName": name, "State": "available", "Strategy": strategy, "GroupId": make_id("pg", name)}
                                for name, strategy in PLACEMENT_GROUPS.items() if not names or name in names]}


CALLS = {
    "DescribeImages": describe_images, "DescribeInstanceTypes": describe_instance_types,
    "DescribeInstanceTypeOfferings": describe_instance_type_offerings, "DescribeKeyPairs": describe_key_pairs,
    "DescribeSubnets": describe_subnets, "DescribeSecurityGroups": describe_security_groups,
    "DescribeAvailabilityZones": describe_availability_zones, "DescribeRegions": describe_regions, "DescribeVpcs": describe_vpcs,
    "DescribePlacementGroups": describe_placement_groups,
}
