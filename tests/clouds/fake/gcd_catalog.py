"""The plain world of the gcd fake, and the calls that only read it."""

import hashlib
import re

from gcd_common import Refused, answer, list_page, not_found
from routes import Route

PROJECT, NUMBER = "reeve-test", "415104041262"
ZONES = ("us-central1-a", "us-central1-b", "us-central1-c", "europe-west1-b", "europe-west1-c", "europe-west1-d")
REGIONS = ("us-central1", "europe-west1")
# name: (processors, MiB, architecture)
MACHINE_TYPES = {"e2-micro": (2, 1024, "X86_64"), "e2-small": (2, 2048, "X86_64"), "e2-medium": (2, 4096, "X86_64"),
                 "n1-standard-1": (1, 3840, "X86_64"), "n2-standard-2": (2, 8192, "X86_64"), "t2a-standard-1": (1, 4096, "ARM64")}
CUSTOM = re.compile(r"^(?:n2-|e2-)?custom-(\d+)-(\d+)$")
# project: [(name, family, architecture, GiB, created)]
IMAGES = {
    "debian-cloud": [("debian-12-bookworm-v20260512", "debian-12", "X86_64", 10, "2026-05-12T00:00:00.000-07:00"),
                     ("debian-12-bookworm-v20260610", "debian-12", "X86_64", 10, "2026-06-10T00:00:00.000-07:00"),
                     ("debian-12-bookworm-arm64-v20260610", "debian-12-arm64", "ARM64", 10, "2026-06-10T00:00:00.000-07:00"),
                     ("debian-13-trixie-v20260610", "debian-13", "X86_64", 10, "2026-06-10T00:00:00.000-07:00")],
    "ubuntu-os-cloud": [("ubuntu-2204-jammy-v20260601", "ubuntu-2204-lts", "X86_64", 10, "2026-06-01T00:00:00.000-07:00"),
                        ("ubuntu-2404-noble-amd64-v20260601", "ubuntu-2404-lts-amd64", "X86_64", 10, "2026-06-01T00:00:00.000-07:00"),
                        ("ubuntu-2404-noble-arm64-v20260601", "ubuntu-2404-lts-arm64", "ARM64", 10, "2026-06-01T00:00:00.000-07:00")],
    "rocky-linux-cloud": [("rocky-linux-9-v20260601", "rocky-linux-9", "X86_64", 20, "2026-06-01T00:00:00.000-07:00")],
    PROJECT: [("golden-1", "golden", "X86_64", 10, "2026-06-05T00:00:00.000-07:00")],
}
DISK_TYPES = {"pd-standard": (10, 65536), "pd-balanced": (10, 65536), "pd-ssd": (10, 65536), "hyperdisk-balanced": (4, 65536)}
SSH_KEYS = "mwas:ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAImwas mwas\nops:ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIops1 ops\n" \
    "ops:ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIops2 ops"
NETWORKS = ("default", "other")
SUBNETWORKS = {("us-central1", "default"): "default", ("europe-west1", "default"): "default", ("us-central1", "other"): "other"}
QUOTAS = {"CPUS": 24.0, "INSTANCES": 200.0, "IN_USE_ADDRESSES": 8.0, "DISKS_TOTAL_GB": 4096.0, "SSD_TOTAL_GB": 500.0, "PREEMPTIBLE_CPUS": 0.0}
PERMISSIONS = {f"compute.{name}" for name in (
    "instances.create instances.delete instances.get instances.list instances.setLabels instances.setMetadata instances.setTags "
    "instances.reset instances.start instances.stop instances.getSerialPortOutput instances.getGuestAttributes instances.attachDisk "
    "instances.detachDisk instances.setServiceAccount disks.create disks.delete disks.get disks.list disks.use disks.setLabels "
    "subnetworks.use subnetworks.useExternalIp subnetworks.get images.useReadOnly images.get images.list images.getFromFamily "
    "zones.get zones.list regions.get machineTypes.get machineTypes.list zoneOperations.get projects.get").split()}


def number(*parts):
    """A 64-bit number that is the same in each run."""
    return str(int(hashlib.sha256("/".join(parts).encode()).hexdigest()[:15], 16))


def region_of(zone):
    """The region of a zone."""
    return zone.rpartition("-")[0]


def machine_type(name):
    """(processors, MiB, architecture) of a machine type; None: there is none."""
    if name in MACHINE_TYPES:
        return MACHINE_TYPES[name]
    if (found := CUSTOM.match(name)) and int(found[2]) % 256 == 0 and 1 <= int(found[1]) <= 96:
        return int(found[1]), int(found[2]), "X86_64"
    return None


def check_zone(call):
    """The zone in the path."""
    if call.parts["zone"] not in ZONES:
        raise Refused(400, "invalid", f"Invalid value for field 'zone': '{call.parts['zone']}'. Unknown zone.")
    return call.parts["zone"]


def check_region(call):
    """The region in the path."""
    if call.parts["region"] not in REGIONS:
        raise Refused(400, "invalid", f"Invalid value for field 'region': '{call.parts['region']}'. Unknown region.")
    return call.parts["region"]


def show_zone(call, zone):
    return {"kind": "compute#zone", "id": number(zone), "name": zone, "description": zone, "status": "UP",
            "region": call.link(f"regions/{region_of(zone)}"), "selfLink": call.link(f"zones/{zone}"), "supportsPzs": False}


def get_zone(call):
    if call.parts["zone"] not in ZONES:
        raise not_found(f"projects/{PROJECT}/zones/{call.parts['zone']}")
    return answer(call, show_zone(call, call.parts["zone"]))


def list_zones(call):
    return list_page(call, "compute#zoneList", [show_zone(call, zone) for zone in ZONES])


def usage(call, region, metric):
    """What of a quota is used."""
    machines = [machine for machine in call.world.machines.values() if machine.alive and region_of(machine.zone) == region]
    disks = [disk for disk in call.world.disks.values() if region_of(disk.zone) == region]
    return {"CPUS": sum(machine_type(machine.size)[0] for machine in machines), "INSTANCES": len(machines),
            "IN_USE_ADDRESSES": sum(1 for machine in machines if machine.is_public),
            "DISKS_TOTAL_GB": sum(disk.size for disk in disks if disk.kind == "pd-standard"),
            "SSD_TOTAL_GB": sum(disk.size for disk in disks if disk.kind != "pd-standard")}.get(metric, 0)


def limit_of(call, metric):
    """The limit of a quota; the fault `quota` bounds the instances."""
    quota = call.world.faults.quota
    usual = float(quota) if metric == "INSTANCES" and quota is not None else QUOTAS[metric]
    return call.world.faults.limits.get(metric, usual)


def show_region(call, region):
    return {"kind": "compute#region", "id": number(region), "name": region, "description": region, "status": "UP",
            "selfLink": call.link(f"regions/{region}"), "zones": [call.link(f"zones/{zone}") for zone in ZONES if region_of(zone) == region],
            "quotas": [{"metric": metric, "limit": limit_of(call, metric), "usage": float(usage(call, region, metric))} for metric in QUOTAS]}


def get_region(call):
    if call.parts["region"] not in REGIONS:
        raise not_found(f"projects/{PROJECT}/regions/{call.parts['region']}")
    return answer(call, show_region(call, call.parts["region"]))


def list_regions(call):
    return list_page(call, "compute#regionList", [show_region(call, region) for region in REGIONS])


def show_type(call, zone, name):
    cpus, memory, architecture = machine_type(name)
    return {"kind": "compute#machineType", "id": number(name), "name": name, "description": f"{cpus} vCPUs, {memory} MB", "guestCpus": cpus,
            "memoryMb": memory, "zone": zone, "selfLink": call.link(f"zones/{zone}/machineTypes/{name}"), "isSharedCpu": name.startswith("e2-m"),
            "maximumPersistentDisks": 128, "maximumPersistentDisksSizeGb": "263168", "imageSpaceGb": 0, "architecture": architecture}


def get_type(call):
    zone, name = check_zone(call), call.parts["type"]
    if machine_type(name) is None:
        raise not_found(f"projects/{PROJECT}/zones/{zone}/machineTypes/{name}")
    return answer(call, show_type(call, zone, name))


def list_types(call):
    zone = check_zone(call)
    return list_page(call, "compute#machineTypeList", [show_type(call, zone, name) for name in MACHINE_TYPES])


def show_image(call, project, row):
    name, family, architecture, size, created = row
    return {"kind": "compute#image", "id": number(project, name), "name": name, "family": family, "description": name, "status": "READY",
            "architecture": architecture, "diskSizeGb": str(size), "archiveSizeBytes": "1000000000", "creationTimestamp": created,
            "sourceType": "RAW", "selfLink": f"https://www.googleapis.com/compute/v1/projects/{project}/global/images/{name}",
            "storageLocations": ["us"], "labelFingerprint": "42WmSpB8rSM="}


def find_image(project, name=None, family=None):
    """The row of an image, by its name or as the newest of its family."""
    rows = [row for row in IMAGES.get(project, []) if (name and row[0] == name) or (family and row[1] == family)]
    return max(rows, key=lambda row: row[4]) if rows else None


def get_image(call):
    if (row := find_image(call.parts["project"], name=call.parts["image"])) is None:
        raise not_found(f"projects/{call.parts['project']}/global/images/{call.parts['image']}")
    return answer(call, show_image(call, call.parts["project"], row))


def get_image_family(call):
    if (row := find_image(call.parts["project"], family=call.parts["family"])) is None:
        raise not_found(f"projects/{call.parts['project']}/global/images/family/{call.parts['family']}")
    return answer(call, show_image(call, call.parts["project"], row))


def list_images(call):
    if call.parts["project"] not in IMAGES:
        raise Refused(403, "forbidden", f"Required 'compute.images.list' permission for 'projects/{call.parts['project']}'")
    return list_page(call, "compute#imageList", [show_image(call, call.parts["project"], row) for row in IMAGES[call.parts["project"]]])


def show_subnetwork(call, region, name):
    return {"kind": "compute#subnetwork", "id": number(region, name), "name": name, "ipCidrRange": "10.128.0.0/20", "gatewayAddress": "10.128.0.1",
            "network": call.link(f"global/networks/{SUBNETWORKS[region, name]}"), "region": call.link(f"regions/{region}"),
            "selfLink": call.link(f"regions/{region}/subnetworks/{name}"), "purpose": "PRIVATE", "stackType": "IPV4_ONLY",
            "creationTimestamp": "2024-01-01T00:00:00.000-07:00"}


def get_subnetwork(call):
    region, name = check_region(call), call.parts["subnetwork"]
    if (region, name) not in SUBNETWORKS:
        raise not_found(f"projects/{PROJECT}/regions/{region}/subnetworks/{name}")
    return answer(call, show_subnetwork(call, region, name))


def list_subnetworks(call):
    region = check_region(call)
    return list_page(call, "compute#subnetworkList", [show_subnetwork(call, *key) for key in SUBNETWORKS if key[0] == region])


def show_network(call, name):
    return {"kind": "compute#network", "id": number("network", name), "name": name, "autoCreateSubnetworks": name == "default",
            "selfLink": call.link(f"global/networks/{name}"),
            "subnetworks": [call.link(f"regions/{region}/subnetworks/{subnet}") for (region, subnet), of in SUBNETWORKS.items() if of == name]}


def get_network(call):
    if call.parts["network"] not in NETWORKS:
        raise not_found(f"projects/{PROJECT}/global/networks/{call.parts['network']}")
    return answer(call, show_network(call, call.parts["network"]))


def list_networks(call):
    return list_page(call, "compute#networkList", [show_network(call, name) for name in NETWORKS])


def get_project(call):
    items = [{"key": "ssh-keys", "value": SSH_KEYS}]
    return answer(call, {"kind": "compute#project", "id": number(PROJECT), "name": PROJECT, "selfLink": call.link(""),
                         "defaultServiceAccount": f"{NUMBER}-compute@developer.gserviceaccount.com", "xpnProjectStatus": "UNSPECIFIED_XPN_PROJECT_STATUS",
                         "defaultNetworkTier": "PREMIUM", "commonInstanceMetadata": {"kind": "compute#metadata", "fingerprint": "aGFzaA==",
                                                                                     "items": items},
                         "quotas": [{"metric": "NETWORKS", "limit": 5.0, "usage": 2.0}]})


def test_permissions(call):
    """The permissions of the list that the caller has."""
    have = PERMISSIONS if call.world.faults.permissions is None else set(call.world.faults.permissions)
    found = [name for name in call.body.get("permissions", []) if name in have]
    return answer(call, {"permissions": found} if found else {})


BASE = "/compute/v1/projects/{project}"
PERMISSION_PATHS = (f"{BASE}/zones/{{zone}}/instances/{{resource}}/testIamPermissions",
                    f"{BASE}/zones/{{zone}}/disks/{{resource}}/testIamPermissions",
                    f"{BASE}/regions/{{region}}/subnetworks/{{resource}}/testIamPermissions",
                    f"{BASE}/global/images/{{resource}}/testIamPermissions")
LIST = ("filter", "maxResults", "pageToken", "orderBy", "returnPartialSuccess")
ROUTES = [
    Route("zones.list", "GET", f"{BASE}/zones", list_zones, LIST),
    Route("zones.get", "GET", f"{BASE}/zones/{{zone}}", get_zone),
    Route("regions.list", "GET", f"{BASE}/regions", list_regions, LIST),
    Route("regions.get", "GET", f"{BASE}/regions/{{region}}", get_region),
    Route("machineTypes.list", "GET", f"{BASE}/zones/{{zone}}/machineTypes", list_types, LIST),
    Route("machineTypes.get", "GET", f"{BASE}/zones/{{zone}}/machineTypes/{{type}}", get_type),
    Route("images.list", "GET", f"{BASE}/global/images", list_images, LIST),
    Route("images.getFromFamily", "GET", f"{BASE}/global/images/family/{{family}}", get_image_family),
    Route("images.get", "GET", f"{BASE}/global/images/{{image}}", get_image),
    Route("subnetworks.list", "GET", f"{BASE}/regions/{{region}}/subnetworks", list_subnetworks, LIST),
    Route("subnetworks.get", "GET", f"{BASE}/regions/{{region}}/subnetworks/{{subnetwork}}", get_subnetwork),
    Route("networks.list", "GET", f"{BASE}/global/networks", list_networks, LIST),
    Route("networks.get", "GET", f"{BASE}/global/networks/{{network}}", get_network),
    Route("projects.get", "GET", BASE, get_project),
    Route("cloudresourcemanager.testIamPermissions", "POST", "/v1/projects/{project}:testIamPermissions", test_permissions,
          body="TestPermissionsRequest"),
    *(Route(path.split("/")[-3] + ".testIamPermissions", "POST", path, test_permissions, body="TestPermissionsRequest")
      for path in PERMISSION_PATHS),
]
