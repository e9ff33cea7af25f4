"""Block storage of the DigitalOcean fake."""

import json
import re
import time

import digital_ocean_catalog as catalog
from harness import Answer
from routes import Route
from world import Replicated

NAME = re.compile(r"^[a-z][a-z0-9-]{0,63}$")
SIZE_MAX, PER_DROPLET_MAX = 16384, 15
FIELDS = {"name", "size_gigabytes", "description", "region", "snapshot_id", "filesystem_type", "filesystem_label", "tags"}


class Volume(Replicated):
    """One volume."""

    def __init__(self, id, name, region, size, description, filesystem):
        self.id, self.name, self.region, self.size, self.description, self.filesystem = id, name, region, size, description, filesystem
        self.machine, self.tags, self.tag_keys, self.created_at = None, {}, [], time.time()

    def truth(self):
        """The row of the truth port."""
        tags = json.loads(self.description) if self.description.startswith("{") else {}
        name = f"{tags['reeve.node']}-{tags['reeve.name']}" if "reeve.node" in tags else self.name
        return {"id": self.id, "name": name, "zone": self.region, "size": self.size, "machine": self.machine, "tags": {**self.tags, **tags},
                "state": "in-use" if self.machine else "available"}


def refuse(status, id, message):
    """An error."""
    return Answer(status, {"id": id, "message": message})


def show_volume(volume):
    """A volume as a row."""
    return {"id": volume.id, "region": catalog.show_region(volume.region), "droplet_ids": [int(volume.machine)] if volume.machine else [],
            "name": volume.name, "description": volume.description, "size_gigabytes": volume.size,
            "created_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(volume.created_at)), "filesystem_type": volume.filesystem,
            "filesystem_label": "", "tags": list(volume.tags)}


def create_volume(call):
    body, world = call.body, call.world
    name, region, size = body.get("name"), body.get("region"), body.get("size_gigabytes")
    if region not in catalog.REGIONS:
        raise refuse(422, "unprocessable_entity", "region is invalid")
    if not isinstance(name, str) or not NAME.match(name):
        raise refuse(422, "unprocessable_entity", "name must be lowercase alphanumeric or '-', begin with a letter and be at most 64 characters")
    if not isinstance(size, int) or not 1 <= size <= SIZE_MAX:
        raise refuse(422, "unprocessable_entity", f"size_gigabytes must be between 1 and {SIZE_MAX}")
    if any(volume.name == name and volume.region == region for volume in world.disks.values()):
        raise refuse(409, "conflict", "a volume with the same name already exists in this region")
    if len(world.disks) >= world.faults.volume_limit:
        raise refuse(403, "forbidden", "failed to create volume: volume/snapshot capacity limit exceeded")
    id = catalog.make_uuid("volume", name, str(next(call.service.numbers)))
    volume = Volume(id, name, region, size, body.get("description") or "", body.get("filesystem_type") or "")
    world.disks[id] = volume
    for tag in body.get("tags") or []:
        call.service.tag_object(tag)
        volume.tag_keys.append(tag.lower())
    call.service.show_tags_of(volume)
    return Answer(201, {"volume": show_volume(volume)})


def list_volumes(call):
    rows = [volume for volume in call.world.view(call.world.disks, call.world.replica())
            if call.query.get("region") in (None, volume.region) and call.query.get("name") in (None, volume.name)]
    return call.service.page(call, "volumes", rows, show_volume)


def find_volume(call):
    """The volume in the path."""
    volume = call.world.disks.get(call.parts["id"])
    if volume is None:
        raise refuse(404, "not_found", "volume not found")
    return volume


def get_volume(call):
    return Answer(200, {"volume": show_volume(find_volume(call))})


def delete_volume(call):
    volume = find_volume(call)
    if volume.machine:
        raise refuse(409, "conflict", "volume is attached to a Droplet; detach it first")
    erase(call, volume)
    return Answer(204)


def delete_named(call):
    for volume in list(call.world.disks.values()):
        if (volume.name, volume.region) == (call.query.get("name"), call.query.get("region")):
            erase(call, volume)
            return Answer(204)
    raise refuse(404, "not_found", "volume not found")


def erase(call, volume):
    """The volume is gone."""
    volume.erase(call.world)
    del call.world.disks[volume.id]


def act_on_volume(call):
    volume, kind, world = find_volume(call), call.body.get("type"), call.world
    if kind not in ("attach", "detach"):
        raise refuse(422, "unprocessable_entity", "the fake attaches and detaches only")
    if not isinstance(call.body.get("droplet_id"), int):
        raise refuse(422, "unprocessable_entity", "droplet_id must be a number")
    machine = world.machines.get(str(call.body["droplet_id"]))
    if machine is None or not machine.alive:
        raise refuse(404, "not_found", "droplet not found")
    if kind == "attach":
        if volume.machine:
            raise refuse(422, "unprocessable_entity", "attachment failed: volume is already attached")
        if volume.region != machine.zone:
            raise refuse(422, "unprocessable_entity", "attachment failed: Droplet and volume are in different regions")
        if machine.is_locked:
            raise refuse(422, "unprocessable_entity", "Droplet already has a pending event.")
        if len(machine.disks) >= PER_DROPLET_MAX:
            raise refuse(422, "unprocessable_entity", f"attachment failed: at most {PER_DROPLET_MAX} volumes a Droplet")
    elif volume.machine != machine.id:
        raise refuse(422, "unprocessable_entity", "detachment failed: volume is not attached to the Droplet")

    def end():
        if volume.id not in world.disks or not machine.alive:
            return "errored"
        if kind == "attach":
            volume.machine = machine.id
            machine.disks.append(volume.id)
        else:
            volume.machine = None
            machine.disks = [id for id in machine.disks if id != volume.id]
        volume.commit(world)
        machine.commit(world)
        return None
    action = call.service.begin_action(f"{kind}_volume", None, "volume", volume.region, world.faults.operation_ms, end)
    action.resource_id = volume.id
    return Answer(202, {"action": action.show()})


PAGE = ("page", "per_page")
ROUTES = [
    Route("volumes.create", "POST", "/v2/volumes", create_volume, body=FIELDS),
    Route("volumes.list", "GET", "/v2/volumes", list_volumes, (*PAGE, "name", "region")),
    Route("volumes.delete_named", "DELETE", "/v2/volumes", delete_named, ("name", "region")),
    Route("volumes.get", "GET", "/v2/volumes/{id}", get_volume),
    Route("volumes.delete", "DELETE", "/v2/volumes/{id}", delete_volume),
    Route("volumes.act", "POST", "/v2/volumes/{id}/actions", act_on_volume, body={"type", "droplet_id", "region", "tags"}),
]
