"""Cinder of the OpenStack fake, and how nova attaches its volumes."""

import ast
import re

import openstack_catalog as catalog
from harness import Answer
from openstack_servers import find_server
from routes import Route

FIELDS = {"size", "name", "description", "availability_zone", "volume_type", "metadata", "multiattach", "imageRef", "snapshot_id", "source_volid",
          "consistencygroup_id"}
KEY = re.compile(r"^[a-zA-Z0-9-_:. ]{1,255}$")
TYPE = {catalog.make_uuid("type", name): name for name in catalog.VOLUME_TYPES} | {name: name for name in catalog.VOLUME_TYPES}


class Volume:
    """One volume."""

    def __init__(self, id, region, zone, at, **values):
        self.id, self.region, self.zone, self.created_at = id, region, zone, at
        self.size, self.kind, self.name = values["size"], TYPE[values.get("volume_type") or catalog.VOLUME_TYPES[0]], values.get("name") or ""
        self.description, self.metadata = values.get("description"), dict(values.get("metadata") or {})
        self.state, self.machine, self.device, self.delete = "creating", None, None, False

    def truth(self):
        """The row of the truth port. People read the description, because the name is the key."""
        return {"id": self.id, "region": self.region, "zone": self.zone, "size": self.size, "type": self.kind, "state": self.state, "token": None,
                "machine": self.machine, "device": self.device, "delete": self.delete, "tags": dict(self.metadata), "name": self.description or self.name}


def check_metadata(call, metadata):
    """The refusals of the request schema."""
    for key, value in metadata.items():
        if not KEY.match(key) or not isinstance(value, str) or len(value) > 255:
            raise call.bad(f"Invalid input for field/attribute {key}. Value: {value}. It is not a valid item of metadata.")


def create_volume(call):
    values, faults = call.body["volume"], call.world.faults
    if unknown := set(values) - FIELDS:
        raise call.bad(f"Additional properties are not allowed ({sorted(unknown)[0]!r} was unexpected)")
    if not isinstance(values.get("size"), int) or values["size"] < 1:
        raise call.bad(f"Invalid input for field/attribute size. Value: {values.get('size')}.")
    if any(len(values.get(name) or "") > 255 for name in ("name", "description")):
        raise call.bad("Invalid input for field/attribute name. It is too long.")
    check_metadata(call, values.get("metadata") or {})
    zone = values.get("availability_zone") or catalog.ZONES[0]
    if zone not in catalog.ZONES:
        raise call.refuse(400, f"Invalid input received: Availability zone '{zone}' is invalid.")
    if values.get("volume_type") and values["volume_type"] not in TYPE:
        raise call.refuse(404, f"Volume type with name {values['volume_type']} could not be found.")
    if len(call.world.disks) >= faults.volume_limit:
        raise Answer(413, {"overLimit": {"code": 413, "message": "VolumeLimitExceeded: Maximum number of volumes allowed "
                                         f"({faults.volume_limit}) exceeded for quota 'volumes'.", "retryAfter": "0"}}, headers={"Retry-After": "0"})
    volume = Volume(catalog.make_uuid("volume", str(faults.random.random())), call.region, zone, call.world.now(), **values)
    call.world.disks[volume.id] = volume
    state = "error" if faults.strikes("fail_later") else "available"

    def made():
        if volume.state == "creating":
            volume.state = state
    call.world.after(faults.operation_ms / 1000, made)
    return Answer(202, {"volume": show_volume(call, volume)})


def show_volume(call, volume):
    """A volume with all that cinder shows to a user."""
    attached = [{"server_id": volume.machine, "attachment_id": catalog.make_uuid("attachment", volume.id), "volume_id": volume.id, "id": volume.id,
                 "device": volume.device, "host_name": None, "attached_at": "2026-06-01T00:00:00.000000"}] if volume.machine else []
    return {"id": volume.id, "name": volume.name, "description": volume.description, "size": volume.size, "status": volume.state,
            "availability_zone": volume.zone, "volume_type": volume.kind, "metadata": dict(volume.metadata), "attachments": attached,
            "created_at": f"{volume.created_at:020.6f}", "updated_at": None, "bootable": "false", "encrypted": False, "multiattach": False,
            "snapshot_id": None, "source_volid": None, "consistencygroup_id": None, "replication_status": None, "user_id": "u1",
            "links": [{"rel": "self", "href": f"{call.service.base}/{call.region}/volume/v3/{catalog.PROJECT}/volumes/{volume.id}"}]}


def list_volumes(call):
    rows = [row for row in call.world.disks.values() if row.region == call.region][::-1]
    if "name" in call.query:
        rows = [row for row in rows if row.name == call.query["name"]]
    if "status" in call.query:
        rows = [row for row in rows if row.state == call.query["status"]]
    if "metadata" in call.query:
        try:
            wanted = ast.literal_eval(call.query["metadata"])
        except (SyntaxError, ValueError):
            raise call.bad("metadata is not a map") from None
        rows = [row for row in rows if all(row.metadata.get(key) == value for key, value in wanted.items())]
    return call.page("volumes", rows, lambda row: show_volume(call, row), "volumes_links")


def find_volume(call, id=None):
    """The volume of the path."""
    volume = call.world.disks.get(id or call.parts["id"])
    if volume is None or volume.region != call.region:
        raise call.refuse(404, f"Volume {id or call.parts['id']} could not be found.")
    return volume


def get_volume(call):
    return Answer(200, {"volume": show_volume(call, find_volume(call))})


def delete_volume(call):
    volume = find_volume(call)
    if volume.state not in ("available", "error") or volume.machine:
        raise call.refuse(400, "Invalid volume: Volume status must be available or error or error_restoring or error_extending or error_managing and "
                          "must not be migrating, attached, belong to a group, have snapshots or be disassociated from snapshots after volume transfer.")
    erase(call.world, volume)
    return Answer(202)


def erase(world, volume):
    """The volume goes soon."""
    volume.state = "deleting"
    world.after(world.faults.operation_ms / 1000, lambda: world.disks.pop(volume.id, None))


def set_metadata(call):
    volume, metadata = find_volume(call), call.body["metadata"]
    check_metadata(call, metadata)
    volume.metadata.update(metadata)
    return Answer(200, {"metadata": dict(volume.metadata)})


def delete_metadata(call):
    volume, key = find_volume(call), call.parts["key"]
    if key not in volume.metadata:
        raise call.refuse(404, f"Volume {volume.id} has no metadata with key {key}.")
    del volume.metadata[key]
    return Answer(200)


# -- nova


def show_attachment(volume):
    """An attachment at 2.79."""
    return {"id": volume.id, "volumeId": volume.id, "serverId": volume.machine, "device": volume.device, "tag": None,
            "delete_on_termination": volume.delete}


def attach(call):
    machine, values = find_server(call), call.body["volumeAttachment"]
    allowed = {"volumeId", "device"} | ({"tag"} if call.version >= (2, 49) else set()) | ({"delete_on_termination"} if call.version >= (2, 79) else set())
    if unknown := set(values) - allowed:
        raise call.bad(f"Additional properties are not allowed ({sorted(unknown)[0]!r} was unexpected)")
    if machine.task or machine.state not in ("ACTIVE", "PAUSED", "SHUTOFF"):
        raise call.refuse(409, f"Cannot 'attach_volume' instance {machine.id} while it is in vm_state building")
    volume = call.world.disks.get(values["volumeId"])
    if volume is None or volume.region != call.region:
        raise call.refuse(404, f"Volume {values['volumeId']} could not be found.")
    if volume.state != "available":
        raise call.refuse(400, f"Invalid volume: volume '{volume.id}' status must be 'available'. Currently in '{volume.state}'")
    if volume.zone != machine.zone:
        raise call.refuse(400, f"Invalid volume: Instance {machine.id} and volume {volume.id} are not in the same availability_zone. "
                          f"Instance is in {machine.zone}. Volume is in {volume.zone}")
    used = {each.device for each in call.world.disks.values() if each.machine == machine.id}
    volume.device = next(f"/dev/vd{letter}" for letter in "bcdefghijklmnopqrstuvwxyz" if f"/dev/vd{letter}" not in used)
    volume.state, volume.machine, volume.delete = "attaching", machine.id, bool(values.get("delete_on_termination"))

    def attached():
        if volume.state == "attaching":
            volume.state = "in-use"
    call.world.after(call.world.faults.operation_ms / 1000, attached)
    return Answer(200, {"volumeAttachment": show_attachment(volume)})


def list_attachments(call):
    machine = find_server(call)
    return Answer(200, {"volumeAttachments": [show_attachment(each) for each in call.world.disks.values() if each.machine == machine.id]})


def detach(call):
    machine, volume = find_server(call), find_volume(call, call.parts["volume"])
    if volume.machine != machine.id:
        raise call.refuse(404, f"Instance {machine.id} is not attached.")
    volume.state, volume.machine, volume.device = "available", None, None
    return Answer(202)


def release_volumes(world, machine):
    """A server is gone: its volumes go with it, or become free."""
    for volume in [each for each in world.disks.values() if each.machine == machine.id]:
        volume.state, volume.machine, volume.device = "available", None, None
        if volume.delete:
            erase(world, volume)


def list_zones(_call):
    return Answer(200, {"availabilityZoneInfo": [{"zoneName": name, "zoneState": {"available": True}} for name in catalog.ZONES]})


BASE, NOVA = "/{region}/volume/v3/{project}", "/{region}/compute/v2.1/servers/{id}/os-volume_attachments"
ROUTES = [Route("volumes.create", "POST", f"{BASE}/volumes", create_volume, (), ("volume",)),
          Route("volumes.list", "GET", f"{BASE}/volumes/detail", list_volumes, ("name", "status", "metadata", "limit", "marker", "sort")),
          Route("volumes.get", "GET", f"{BASE}/volumes/{{id}}", get_volume),
          Route("volumes.delete", "DELETE", f"{BASE}/volumes/{{id}}", delete_volume, ("cascade", "force")),
          Route("volume_metadata.set", "POST", f"{BASE}/volumes/{{id}}/metadata", set_metadata, (), ("metadata",)),
          Route("volume_metadata.delete", "DELETE", f"{BASE}/volumes/{{id}}/metadata/{{key}}", delete_metadata),
          Route("volume_zones.list", "GET", f"{BASE}/os-availability-zone", list_zones),
          Route("attachments.create", "POST", NOVA, attach, (), ("volumeAttachment",)),
          Route("attachments.list", "GET", NOVA, list_attachments),
          Route("attachments.delete", "DELETE", f"{NOVA}/{{volume}}", detach)]
