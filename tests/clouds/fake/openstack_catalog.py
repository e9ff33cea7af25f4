"""What the fake of OpenStack offers: flavors, images, networks, groups and the rest; the same in each region."""

import uuid

PROJECT = "9f1e0c7a2b3d4e5f8a6b7c8d9e0f1a2b"
REGIONS = ("RegionOne", "RegionTwo")
ZONES = ("nova", "az2")
KEYPAIRS = ("mwas", "ops")
SERVER_GROUPS = {"apart": "anti-affinity"}
VOLUME_TYPES = ("standard", "ssd")
CREDENTIAL_ID, CREDENTIAL_SECRET = "0f2c6d9f2d6b4d1f9d0b7a8c9e1f2a3b", "app-cred-7e57-7e57-7e57"
USER, PASSWORD = "reeve", "password-7e57"


def make_uuid(*names):
    """An id that is the same in each run."""
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, "/".join(names)))


# name: (ram in MB, vcpus, disk in GB)
FLAVORS = {name: {"id": str(number), "name": name, "ram": ram, "vcpus": cpus, "disk": disk, "swap": 0, "OS-FLV-EXT-DATA:ephemeral": 0,
                  "OS-FLV-DISABLED:disabled": False, "os-flavor-access:is_public": True, "rxtx_factor": 1.0, "description": None,
                  "extra_specs": {}}
           for number, (name, (ram, cpus, disk)) in enumerate({"m1.tiny": (512, 1, 1), "m1.small": (2048, 1, 20), "m1.medium": (4096, 2, 40),
                                                             "m1.large": (8192, 4, 80)}.items(), 1)}


def _image(name, distro, version, created, min_disk=2, min_ram=512, status="active", hidden=False, architecture="x86_64"):
    return {"id": make_uuid("image", name, created), "name": name, "status": status, "os_distro": distro, "os_version": version,
            "os_hidden": hidden, "visibility": "public", "min_disk": min_disk, "min_ram": min_ram, "created_at": created, "updated_at": created,
            "architecture": architecture, "disk_format": "qcow2", "container_format": "bare", "size": 400 << 20, "protected": False, "tags": [],
            "checksum": "0" * 32, "owner": PROJECT, "virtual_size": None, "file": "", "self": "", "schema": "/v2/schemas/image"}


IMAGES = [_image("Debian 12 old", "debian", "12", "2026-01-01T00:00:00Z"), _image("Debian 12", "debian", "12", "2026-06-01T00:00:00Z"),
          _image("Debian 12 next", "debian", "12", "2026-09-01T00:00:00Z", status="queued"),
          _image("Debian 12 secret", "debian", "12", "2026-08-01T00:00:00Z", hidden=True),
          _image("Ubuntu 24.04", "ubuntu", "24.04", "2026-05-01T00:00:00Z", min_disk=10), _image("big", "custom", "1", "2026-05-01T00:00:00Z", min_disk=100)]


def _network(name, subnets, external=False):
    return {"id": make_uuid("network", name), "name": name, "status": "ACTIVE", "admin_state_up": True, "shared": external,
            "router:external": external, "subnets": [make_uuid("subnet", subnet) for subnet in subnets], "project_id": PROJECT,
            "tenant_id": PROJECT, "mtu": 1450, "description": "", "tags": []}


NETWORKS = [_network("private", ("private-1", "private-2")), _network("public", ("public-1",), external=True)]
SUBNETS = [{"id": make_uuid("subnet", name), "name": name, "network_id": make_uuid("network", network), "cidr": cidr, "ip_version": 4,
            "gateway_ip": None, "enable_dhcp": True, "project_id": PROJECT, "tenant_id": PROJECT, "description": "", "tags": []}
           for name, network, cidr in (("private-1", "private", "10.0.0.0/24"), ("private-2", "private", "10.0.1.0/24"),
                                       ("public-1", "public", "203.0.113.0/24"))]
GROUPS = [{"id": make_uuid("group", name), "name": name, "description": "", "project_id": PROJECT, "tenant_id": PROJECT,
           "security_group_rules": [], "tags": []} for name in ("default", "web")]
ABSOLUTE = {"maxTotalCores": -1, "totalCoresUsed": 0, "maxTotalRAMSize": -1, "totalRAMUsed": 0, "maxServerMeta": 128, "maxTotalKeypairs": 100,
            "maxServerGroups": 10, "maxServerGroupMembers": 10, "totalServerGroupsUsed": 0}
