"""Disks of the gcd fake."""

import base64
import hashlib
import json

import gcd_catalog as catalog
from gcd_common import Refused, answer, begin_operation, known_operation, list_page, list_scopes, not_found, stamp
from routes import Route
from world import Replicated


class Disk(Replicated):
    """One persistent disk."""

    def __init__(self, name, zone, size, kind, labels, created_at, number):
        self.name, self.zone, self.size, self.kind, self.labels, self.created_at = name, zone, size, kind, dict(labels), created_at
        self.number, self.machine, self.state, self.description = number, None, "READY", ""

    def truth(self):
        """The row of the truth port."""
        labels = {name.replace("reeve-", "reeve.", 1): value for name, value in self.labels.items()}
        return {"id": f"{self.zone}/{self.name}", "name": self.labels.get("reeve-disk", self.name), "zone": self.zone, "size": self.size,
                "type": self.kind, "machine": self.machine, "state": "in-use" if self.machine else self.state,
                "tags": {**labels, **(json.loads(self.description) if self.description.startswith("{") else {})}}


def find_disk(world, zone, name):
    """A disk by its name; None: there is none."""
    return world.disks.get(f"{zone}/{name}")


def add_disk(world, disk):
    """A new disk."""
    world.disks[f"{disk.zone}/{disk.name}"] = disk
    disk.commit(world)


def erase_disk(world, disk):
    """A disk is gone."""
    disk.erase(world)
    del world.disks[f"{disk.zone}/{disk.name}"]


def fingerprint(value):
    """The fingerprint of labels."""
    return base64.b64encode(hashlib.sha256(json.dumps(value, sort_keys=True).encode()).digest()[:8]).decode()


def show_disk(call, disk):
    """A disk as a row."""
    row = {"kind": "compute#disk", "id": disk.number, "name": disk.name, "zone": call.link(f"zones/{disk.zone}"), "sizeGb": str(disk.size),
           "type": call.link(f"zones/{disk.zone}/diskTypes/{disk.kind}"), "status": disk.state, "creationTimestamp": stamp(disk.created_at),
           "selfLink": call.link(f"zones/{disk.zone}/disks/{disk.name}"), "labelFingerprint": fingerprint(disk.labels),
           "physicalBlockSizeBytes": "4096", "description": disk.description}
    if disk.labels:
        row["labels"] = dict(disk.labels)
    if disk.machine:
        zone, _, name = disk.machine.partition("/")
        row["users"] = [call.link(f"zones/{zone}/instances/{name}")]
    return row


def insert_disk(call):
    from gcd_instances import NAME, check_disk_type, check_labels, invalid
    if (known := known_operation(call)) is not None:
        return known
    zone, name, body = catalog.check_zone(call), call.body.get("name", ""), call.body
    if not NAME.match(name):
        raise invalid("resource.name", name, "Must be a match of regex '(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)'")
    check_labels(body.get("labels", {}))
    size = int(body.get("sizeGb", 500))
    kind = check_disk_type(call, body.get("type"), zone, size)
    if find_disk(call.world, zone, name) is not None:
        raise Refused(409, "alreadyExists", f"The resource '{call.name_resource(f'zones/{zone}/disks/{name}')}' already exists")
    if sum(bool(each.description) for each in call.world.disks.values()) >= call.world.faults.volume_limit:
        raise Refused(403, "quotaExceeded", f"Quota 'DISKS_TOTAL_GB' exceeded.  Limit: 100.0 in region {zone[:-2]}.")
    disk = Disk(name, zone, size, kind, body.get("labels", {}), call.world.now(), str(5000000000000000000 + next(call.service.numbers)))
    disk.description, disk.state = body.get("description", ""), "CREATING"
    add_disk(call.world, disk)

    def end():
        if find_disk(call.world, zone, name) is disk:
            disk.state = "READY"
            disk.commit(call.world)
    operation, _ = begin_operation(call, "insert", f"zones/{zone}/disks/{name}", call.world.faults.operation_ms, end)
    return answer(call, operation.show(call))


def seen_disk(call):
    """The disk in the path."""
    zone, name = catalog.check_zone(call), call.parts["disk"]
    if (disk := find_disk(call.world, zone, name)) is None:
        raise not_found(call.name_resource(f"zones/{zone}/disks/{name}"))
    return disk


def get_disk(call):
    return answer(call, show_disk(call, seen_disk(call)), "Disk")


def list_disks(call):
    zone = catalog.check_zone(call)
    rows = [show_disk(call, disk) for disk in call.world.view(call.world.disks, call.world.replica()) if disk.zone == zone]
    return list_page(call, "compute#diskList", rows, "DiskList")


def aggregate_disks(call):
    rows = [(disk.zone, show_disk(call, disk)) for disk in call.world.view(call.world.disks, call.world.replica())]
    return list_scopes(call, "compute#diskAggregatedList", "disks", rows, catalog.ZONES, "DiskAggregatedList")


def delete_disk(call):
    if (known := known_operation(call)) is not None:
        return known
    disk = seen_disk(call)
    target = f"zones/{disk.zone}/disks/{disk.name}"
    if disk.machine:
        raise Refused(400, "resourceInUseByAnotherResource", f"The disk resource '{call.name_resource(target)}' is already being used by "
                      f"'{disk.machine}'")
    erase_disk(call.world, disk)
    operation, _ = begin_operation(call, "delete", target, call.world.faults.operation_ms)
    return answer(call, operation.show(call))


def set_labels(call):
    from gcd_instances import check_labels
    disk = seen_disk(call)
    check_labels(call.body.get("labels", {}), "labels")
    if call.body.get("labelFingerprint") != fingerprint(disk.labels):
        raise Refused(412, "conditionNotMet", "Labels fingerprint either invalid or resource labels have changed")
    disk.labels = dict(call.body.get("labels", {}))
    disk.commit(call.world)
    operation, _ = begin_operation(call, "setLabels", f"zones/{disk.zone}/disks/{disk.name}", call.world.faults.operation_ms)
    return answer(call, operation.show(call))


DISK = f"{catalog.BASE}/zones/{{zone}}/disks/{{disk}}"
ROUTES = [
    Route("disks.aggregatedList", "GET", f"{catalog.BASE}/aggregated/disks", aggregate_disks,
          (*catalog.LIST, "includeAllScopes", "serviceProjectNumber")),
    Route("disks.list", "GET", f"{catalog.BASE}/zones/{{zone}}/disks", list_disks, catalog.LIST),
    Route("disks.insert", "POST", f"{catalog.BASE}/zones/{{zone}}/disks", insert_disk, ("requestId", "sourceImage"), "Disk"),
    Route("disks.get", "GET", DISK, get_disk),
    Route("disks.delete", "DELETE", DISK, delete_disk, ("requestId",)),
    Route("disks.setLabels", "POST", f"{DISK}/setLabels", set_labels, ("requestId",), "ZoneSetLabelsRequest"),
]
