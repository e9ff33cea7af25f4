"""Instances and operations of the gcd fake."""

import base64
import hashlib
import json
import re
import time

import gcd_catalog as catalog
from gcd_common import (Refused, answer, begin_operation, known_operation, list_page, list_scopes, not_found, stamp)
from gcd_disks import Disk, add_disk, erase_disk, find_disk
from routes import Route
from world import Machine

NAME = re.compile(r"^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$")
LABEL_KEY, LABEL_VALUE = re.compile(r"^[a-z][a-z0-9_-]{0,62}$"), re.compile(r"^[a-z0-9_-]{0,63}$")
LABELS_MAX, DESCRIPTION_MAX, METADATA_VALUE_MAX, METADATA_MAX = 64, 2048, 256 << 10, 512 << 10
STOCKOUT = "ZONE_RESOURCE_POOL_EXHAUSTED"


def fingerprint(value):
    """The fingerprint of labels, metadata or tags."""
    return base64.b64encode(hashlib.sha256(json.dumps(value, sort_keys=True).encode()).digest()[:8]).decode()


def invalid(field, value, text):
    """400 invalid, in the words of Compute Engine."""
    return Refused(400, "invalid", f"Invalid value for field '{field}': '{value}'. {text}")


def check_labels(labels, field="resource.labels"):
    """The limits of labels."""
    if len(labels) > LABELS_MAX:
        raise invalid(field, "", f"At most {LABELS_MAX} labels are allowed.")
    for key, value in labels.items():
        if not LABEL_KEY.match(key):
            raise invalid(field, key, "Label key must match regex '[a-z][a-z0-9_-]{0,62}'.")
        if not LABEL_VALUE.match(value):
            raise invalid(field, value, "Label value must match regex '[a-z0-9_-]{0,63}'.")


def last_part(call, url, kind, place):
    """The name at the end of a URL of a resource; the part before must name the place (zones/Z, global, regions/R)."""
    found = re.fullmatch(rf"(?:https://(?:www|compute)\.googleapis\.com/compute/v1/)?(?:projects/([^/]+)/)?{re.escape(place)}/{kind}/([^/]+)", url)
    if not found:
        return None, None
    return found[1] or call.service.project, found[2]


class Insert:
    """The checked body of instances.insert."""

    def __init__(self, call):
        self.call, self.body, self.zone = call, call.body, catalog.check_zone(call)
        self.name = self.body.get("name", "")
        if not NAME.match(self.name):
            raise invalid("resource.name", self.name, "Must be a match of regex '(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)'")
        self.labels = self.body.get("labels", {})
        check_labels(self.labels)
        if len(self.body.get("description", "")) > DESCRIPTION_MAX:
            raise invalid("resource.description", "...", f"Must be at most {DESCRIPTION_MAX} characters")
        self.size = self._size()
        self.metadata = check_metadata(self.body.get("metadata", {}))
        check_tags(self.body.get("tags", {}).get("items", []))
        self.subnetwork, self.is_public = self._network()
        self.is_spot = self._scheduling()
        self.image = None
        self.disks = self._disks()

    def _size(self):
        url = self.body.get("machineType", "")
        _, name = last_part(self.call, url, "machineTypes", f"zones/{self.zone}")
        if name is None:
            raise invalid("resource.machineType", url, "The URL is malformed.")
        if catalog.machine_type(name) is None:
            raise invalid("resource.machineType", url, "The referenced resource does not exist.")
        return name

    def _network(self):
        interfaces = self.body.get("networkInterfaces", [])
        if len(interfaces) != 1:
            raise Refused(400, "required", "Required field 'resource.networkInterfaces' not specified" if not interfaces
                          else "the fake has one interface a machine")
        one, region = interfaces[0], catalog.region_of(self.zone)
        url, name = one.get("subnetwork"), "default"
        if url is not None:
            _, name = last_part(self.call, url, "subnetworks", f"regions/{region}")
            if name is None:
                raise invalid("resource.networkInterfaces[0].subnetwork", url, "The URL is malformed or names another region.")
            if (region, name) not in catalog.SUBNETWORKS:
                raise not_found(self.call.name_resource(f"regions/{region}/subnetworks/{name}"))
        if (network := one.get("network")) is not None:
            _, wanted = last_part(self.call, network, "networks", "global")
            if wanted not in catalog.NETWORKS:
                raise not_found(self.call.name_resource(f"global/networks/{wanted}"))
            if url is not None and catalog.SUBNETWORKS[region, name] != wanted:
                raise invalid("resource.networkInterfaces[0].subnetwork", url, "The subnetwork is not in the specified network.")
        for access in one.get("accessConfigs", []):
            if access.get("type") != "ONE_TO_ONE_NAT":
                raise invalid("resource.networkInterfaces[0].accessConfigs[0].type", access.get("type"), "")
        return name, bool(one.get("accessConfigs"))

    def _scheduling(self):
        scheduling = self.body.get("scheduling", {})
        is_spot = scheduling.get("provisioningModel") == "SPOT"
        if (is_spot or scheduling.get("preemptible")) and scheduling.get("automaticRestart") is not False:
            raise Refused(400, "badRequest", "Scheduling must have automatic restart set to false when instance is preemptible.")
        if is_spot and scheduling.get("onHostMaintenance", "TERMINATE") != "TERMINATE":
            raise Refused(400, "badRequest", "Scheduling must have onHostMaintenance set to TERMINATE for Spot VMs.")
        return is_spot

    def _disks(self):
        disks = self.body.get("disks", [])
        if not disks or not disks[0].get("boot"):
            raise Refused(400, "invalid", "Invalid value for field 'resource.disks': ''. Boot disk must be specified.")
        return [self._disk(disk, i) for i, disk in enumerate(disks)]

    def _disk(self, disk, index):
        """(parameters of a new disk or None, existing disk or None, the request)."""
        if source := disk.get("source"):
            _, name = last_part(self.call, source, "disks", f"zones/{self.zone}")
            existing = find_disk(self.call.world, self.zone, name)
            if existing is None:
                raise not_found(self.call.name_resource(f"zones/{self.zone}/disks/{name}"))
            if existing.machine and disk.get("mode") != "READ_ONLY":
                raise Refused(400, "resourceInUseByAnotherResource", f"The disk resource '{source}' is already being used by '{existing.machine}'")
            return None, existing, disk
        parameters = disk.get("initializeParams", {})
        size, image = 10, None
        if image_url := parameters.get("sourceImage"):
            image = self._image(image_url)
            size = image[1][3]
            if index == 0:
                self.image = f"{image[0]}/{image[1][0]}"
        elif index == 0:
            raise Refused(400, "invalid", "Invalid value for field 'resource.disks[0].initializeParams.sourceImage': ''. Image is required.")
        wanted = int(parameters.get("diskSizeGb", size))
        if wanted < size:
            raise invalid(f"resource.disks[{index}].initializeParams.diskSizeGb", wanted,
                          f"Requested disk size cannot be smaller than the image size ({size} GB)")
        return {"size": wanted, "kind": check_disk_type(self.call, parameters.get("diskType"), self.zone, wanted),
                "name": parameters.get("diskName") or (self.name if index == 0 else f"{self.name}-{index}"),
                "labels": parameters.get("labels", {})}, None, disk

    def _image(self, url):
        project, name = last_part(self.call, url, "images", "global")
        if name is not None:
            row = catalog.find_image(project, name=name)
            resource = f"projects/{project}/global/images/{name}"
        else:
            project, name = last_part(self.call, url, "images/family", "global")
            if name is None:
                raise invalid("resource.disks[0].initializeParams.sourceImage", url, "The URL is malformed.")
            row, resource = catalog.find_image(project, family=name), f"projects/{project}/global/images/family/{name}"
        if row is None:
            raise not_found(resource)
        if row[2] != catalog.machine_type(self.size)[2]:
            raise invalid("resource.machineType", self.size, f"The architecture of the image is {row[2]}.")
        return project, row


def check_disk_type(call, url, zone, size):
    """The name of a disk type, with its sizes."""
    if url is None:
        return "pd-standard"
    _, name = last_part(call, url, "diskTypes", f"zones/{zone}")
    if name not in catalog.DISK_TYPES:
        raise invalid("resource.type", url, "The referenced resource does not exist.")
    least, most = catalog.DISK_TYPES[name]
    if not least <= size <= most:
        raise invalid("resource.sizeGb", size, f"Disk size: '{size} GB' is outside of {least} to {most} GB.")
    return name


def check_metadata(metadata):
    """Items of metadata as a map."""
    found = {}
    for item in metadata.get("items", []):
        key, value = item.get("key", ""), item.get("value", "")
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", key):
            raise invalid("resource.metadata", key, "Metadata key must match regex '[a-zA-Z0-9-_]{1,128}'")
        if key in found:
            raise invalid("resource.metadata", key, f"Metadata has duplicate key: '{key}'")
        if len(value.encode()) > METADATA_VALUE_MAX:
            raise invalid("resource.metadata", key, f"Metadata value exceeds {METADATA_VALUE_MAX} bytes")
        found[key] = value
    if sum(len(key) + len(value.encode()) for key, value in found.items()) > METADATA_MAX:
        raise invalid("resource.metadata", "", f"Metadata exceeds {METADATA_MAX} bytes")
    return found


def check_tags(items):
    """Network tags."""
    for tag in items:
        if not NAME.match(tag):
            raise invalid("resource.tags", tag, "Tag must match regex '(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)'")
    if len(items) != len(set(items)):
        raise invalid("resource.tags", items, "Duplicate tags")


def insert_instance(call):
    if (known := known_operation(call)) is not None:
        return known
    insert, world, faults = Insert(call), call.world, call.world.faults
    target = f"zones/{insert.zone}/instances/{insert.name}"
    if find_machine(call, insert.zone, insert.name) is not None:
        raise Refused(409, "alreadyExists", f"The resource '{call.name_resource(target)}' already exists")
    for parameters, _, _ in insert.disks:
        if parameters and find_disk(world, insert.zone, parameters["name"]) is not None:
            taken = call.name_resource(f"zones/{insert.zone}/disks/{parameters['name']}")
            raise Refused(409, "alreadyExists", f"The resource '{taken}' already exists")
    quota = ("QUOTA_EXCEEDED", f"Quota 'INSTANCES' exceeded.  Limit: {faults.quota} in region {catalog.region_of(insert.zone)}.", 403)
    problem = None
    if world.is_over_quota():
        if faults.random.random() < 0.5:
            raise Refused(403, "quotaExceeded", quota[1])
        problem = quota
    elif world.is_full(insert.zone, insert.size):
        problem = (STOCKOUT, f"The zone '{call.name_resource('zones/' + insert.zone)}' does not have enough resources available to fulfill "
                   "the request.  Try a different zone, or try again later.", 503)
    elif faults.strikes("fail_later"):
        code = faults.fail_later_code or STOCKOUT
        problem = (code, f"{code}: the operation failed.", 503)
        world.note_failed(f"{insert.zone}/{insert.name}", insert.labels.get("reeve-token"), code)
    if problem:
        operation, _ = begin_operation(call, "insert", target, faults.operation_ms, lambda: problem)
        return answer(call, operation.show(call))
    machine = create_machine(call, insert)

    def end():
        set_running(world, machine)
    operation, _ = begin_operation(call, "insert", target, max(faults.operation_ms, faults.boot_ms), end)
    return answer(call, operation.show(call))


def create_machine(call, insert):
    """The instance and its disks."""
    world, now = call.world, call.world.now()
    token = insert.labels.get("reeve-token") or insert.name
    number = str(6000000000000000000 + next(call.service.numbers))
    body = insert.body
    machine = Machine(f"{insert.zone}/{insert.name}", token, insert.name, insert.zone, insert.size, insert.image, number=number,
                      labels=dict(insert.labels), metadata=dict(insert.metadata), network_tags=list(body.get("tags", {}).get("items", [])),
                      subnetwork=insert.subnetwork, is_public=insert.is_public, is_spot=insert.is_spot, attached=[], started_at=now,
                      stopped_at=None, description=body.get("description", ""), service_accounts=body.get("serviceAccounts", []),
                      is_protected=body.get("deletionProtection", False), scheduling=body.get("scheduling", {}), guest_attributes={},
                      status_message=None, nat_name=(body["networkInterfaces"][0].get("accessConfigs") or [{}])[0].get("name", "External NAT"))
    machine.state, machine.tags = "PROVISIONING", machine.labels
    machine.details = {"number": number, "description": machine.description, "metadata": machine.metadata,
                       "networkTags": machine.network_tags, "spot": machine.is_spot}
    for index, (parameters, disk, wanted) in enumerate(insert.disks):
        if disk is None:
            disk = Disk(parameters["name"], insert.zone, parameters["size"], parameters["kind"], parameters["labels"], world.now(),
                        str(5000000000000000000 + next(call.service.numbers)))
            add_disk(world, disk)
        attach(machine, disk, wanted, index)
        disk.commit(world)
    world.add_machine(machine)
    world.after(world.faults.boot_ms / 2000, lambda: set_state(world, machine, "PROVISIONING", "STAGING"))
    return machine


def attach(machine, disk, wanted, index):
    """A disk belongs to a machine."""
    disk.machine = machine.id
    machine.disks.append(disk.name)
    machine.attached.append({"disk": disk.name, "boot": wanted.get("boot", False), "autoDelete": wanted.get("autoDelete", False),
                             "deviceName": wanted.get("deviceName") or f"persistent-disk-{index}", "mode": wanted.get("mode", "READ_WRITE"),
                             "size": disk.size})


def set_state(world, machine, before, after):
    """One step of a life, unless the machine took another way."""
    if machine.state == before:
        machine.state = after
        machine.commit(world)


def set_running(world, machine):
    """It booted."""
    if machine.state in ("PROVISIONING", "STAGING"):
        machine.state = "RUNNING"
        machine.address = world.address_for(machine.token, machine.name)
        machine.public_address = machine.address if machine.is_public else None
        machine.commit(world)


def find_machine(call, zone, name):
    """The machine, while any part of it is there; None: it is gone."""
    machine = call.world.machines.get(f"{zone}/{name}")
    return machine if machine is not None and not machine.is_ended else None


def seen_machine(call):
    """The machine in the path."""
    zone, name = catalog.check_zone(call), call.parts["instance"]
    machine = find_machine(call, zone, name)
    if machine is None or (call.world.faults.lag_by_id and machine.view(call.world.replica(), call.world.now()) is None):
        raise not_found(call.name_resource(f"zones/{zone}/instances/{name}"))
    return machine


def show_instance(call, machine):
    """An instance as a row."""
    zone, region = machine.zone, catalog.region_of(machine.zone)
    interface = {"kind": "compute#networkInterface", "name": "nic0", "network": call.link(f"global/networks/{catalog.SUBNETWORKS[region, machine.subnetwork]}"),
                 "subnetwork": call.link(f"regions/{region}/subnetworks/{machine.subnetwork}"), "fingerprint": "Ax6Zb_s4gCc=", "stackType": "IPV4_ONLY"}
    if machine.address:
        interface["networkIP"] = machine.address
    if machine.is_public:
        interface["accessConfigs"] = [{"kind": "compute#accessConfig", "name": machine.nat_name, "type": "ONE_TO_ONE_NAT", "networkTier": "PREMIUM",
                                       **({"natIP": machine.public_address} if machine.public_address else {})}]
    items = [{"key": key, "value": value} for key, value in machine.metadata.items()]
    row = {"kind": "compute#instance", "id": machine.number, "name": machine.name, "description": machine.description,
           "creationTimestamp": stamp(machine.created_at), "machineType": call.link(f"zones/{zone}/machineTypes/{machine.size}"),
           "status": machine.state, "zone": call.link(f"zones/{zone}"), "selfLink": call.link(f"zones/{zone}/instances/{machine.name}"),
           "canIpForward": False, "networkInterfaces": [interface], "labelFingerprint": fingerprint(machine.labels),
           "tags": {"fingerprint": fingerprint(machine.network_tags)},
           "metadata": {"kind": "compute#metadata", "fingerprint": fingerprint(machine.metadata), "items": items},
           "disks": [{"kind": "compute#attachedDisk", "type": "PERSISTENT", "mode": each["mode"], "index": index, "boot": each["boot"],
                      "autoDelete": each["autoDelete"], "deviceName": each["deviceName"], "diskSizeGb": str(each["size"]), "interface": "SCSI",
                      "source": call.link(f"zones/{zone}/disks/{each['disk']}")} for index, each in enumerate(machine.attached)],
           "scheduling": {"onHostMaintenance": "TERMINATE" if machine.is_spot else "MIGRATE", "automaticRestart": not machine.is_spot,
                          "preemptible": machine.is_spot, "provisioningModel": "SPOT" if machine.is_spot else "STANDARD"},
           "cpuPlatform": "Intel Broadwell", "startRestricted": False, "deletionProtection": machine.is_protected,
           "fingerprint": fingerprint([machine.labels, machine.metadata]), "lastStartTimestamp": stamp(machine.started_at)}
    if machine.network_tags:
        row["tags"]["items"] = list(machine.network_tags)
    if machine.labels:
        row["labels"] = dict(machine.labels)
    if machine.service_accounts:
        row["serviceAccounts"] = machine.service_accounts
    if machine.stopped_at:
        row["lastStopTimestamp"] = stamp(machine.stopped_at)
    if machine.status_message:
        row["statusMessage"] = machine.status_message
    return row


def get_instance(call):
    return answer(call, show_instance(call, seen_machine(call)), "Instance")


def list_instances(call):
    zone = catalog.check_zone(call)
    rows = [show_instance(call, machine) for machine in call.world.view(call.world.machines, call.world.replica()) if machine.zone == zone]
    return list_page(call, "compute#instanceList", rows, "InstanceList")


def aggregate_instances(call):
    rows = [(machine.zone, show_instance(call, machine)) for machine in call.world.view(call.world.machines, call.world.replica())]
    return list_scopes(call, "compute#instanceAggregatedList", "instances", rows, catalog.ZONES, "InstanceAggregatedList")


def delete_instance(call):
    if (known := known_operation(call)) is not None:
        return known
    machine = seen_machine(call)
    target = f"zones/{machine.zone}/instances/{machine.name}"
    if machine.is_protected:
        raise Refused(400, "invalid", f"Invalid resource usage: 'Resource cannot be deleted if it's protected against deletion. {target}'.")
    if machine.state == "STOPPING":
        raise Refused(400, "resourceNotReady", f"The resource '{call.name_resource(target)}' is not ready")
    begin_end(call.service, machine)

    def end():
        set_gone(call.service, machine)
    operation, _ = begin_operation(call, "delete", target, call.world.faults.end_ms, end)
    return answer(call, operation.show(call))


def begin_end(service, machine):
    """It is being deleted."""
    world = service.world
    machine.alive, machine.state, machine.ended_at = False, "STOPPING", world.now()
    machine.commit(world)


def set_gone(service, machine):
    """It is gone, with the disks that go with it. Its name is free again."""
    world = service.world
    if machine.is_ended:
        return
    machine.is_ended, machine.state = True, "deleted"
    for each in machine.attached:
        disk = find_disk(world, machine.zone, each["disk"])
        if disk is not None and each["autoDelete"]:
            erase_disk(world, disk)
        elif disk is not None:
            disk.machine = None
            disk.commit(world)
    machine.attached, machine.disks = [], []
    machine.erase(world)
    key = f"{machine.zone}/{machine.name}"
    if world.machines.get(key) is machine:
        del world.machines[key]
        world.machines[f"{key}#{machine.number}"] = machine


def stop_machine(service, machine, message=None):
    """STOPPING, then TERMINATED, which means stopped."""
    world = service.world
    if machine.state not in ("RUNNING", "STAGING", "PROVISIONING"):
        return
    machine.state, machine.status_message = "STOPPING", message
    machine.commit(world)

    def end():
        if machine.alive and machine.state == "STOPPING":
            machine.state, machine.stopped_at = "TERMINATED", world.now()
            machine.public_address = None
            machine.commit(world)
    world.after(world.faults.end_ms / 1000, end)


def stop_instance(call):
    machine = seen_machine(call)
    stop_machine(call.service, machine)
    operation, _ = begin_operation(call, "stop", f"zones/{machine.zone}/instances/{machine.name}", call.world.faults.end_ms)
    return answer(call, operation.show(call))


def reset_instance(call):
    machine = seen_machine(call)
    if machine.state != "RUNNING":
        raise Refused(400, "resourceNotReady", f"The resource '{call.name_resource(f'zones/{machine.zone}/instances/{machine.name}')}' is not ready")
    machine.reboots += 1
    operation, _ = begin_operation(call, "reset", f"zones/{machine.zone}/instances/{machine.name}", call.world.faults.operation_ms)
    return answer(call, operation.show(call))


def start_instance(call):
    machine, world = seen_machine(call), call.world
    target = f"zones/{machine.zone}/instances/{machine.name}"
    if machine.state not in ("TERMINATED", "RUNNING"):
        raise Refused(400, "resourceNotReady", f"The resource '{call.name_resource(target)}' is not ready")
    if machine.state == "TERMINATED":
        machine.state, machine.started_at, machine.status_message = "PROVISIONING", world.now(), None
        machine.commit(world)

    def end():
        set_running(world, machine)
    operation, _ = begin_operation(call, "start", target, world.faults.boot_ms, end)
    return answer(call, operation.show(call))


def set_labels(call):
    if (known := known_operation(call)) is not None:
        return known
    machine = seen_machine(call)
    check_labels(call.body.get("labels", {}), "labels")
    if call.body.get("labelFingerprint") != fingerprint(machine.labels):
        raise Refused(412, "conditionNotMet", "Labels fingerprint either invalid or resource labels have changed")
    machine.labels = dict(call.body.get("labels", {}))
    return change(call, machine, "setLabels")


def set_metadata(call):
    machine = seen_machine(call)
    metadata = check_metadata(call.body)
    if call.body.get("fingerprint") != fingerprint(machine.metadata):
        raise Refused(412, "conditionNotMet", "Supplied fingerprint does not match current metadata fingerprint.")
    machine.metadata = metadata
    return change(call, machine, "setMetadata")


def set_tags(call):
    machine = seen_machine(call)
    check_tags(call.body.get("items", []))
    if call.body.get("fingerprint") != fingerprint(machine.network_tags):
        raise Refused(412, "conditionNotMet", "Invalid fingerprint.")
    machine.network_tags = list(call.body.get("items", []))
    return change(call, machine, "setTags")


def set_service_account(call):
    machine = seen_machine(call)
    if machine.state != "TERMINATED":
        raise Refused(400, "resourceNotReady", "The instance must be stopped before the service account can be changed.")
    machine.service_accounts = [dict(call.body)] if call.body.get("email") else []
    return change(call, machine, "setServiceAccount")


def change(call, machine, kind):
    """A change of a machine was made; the answer is its operation."""
    machine.tags = machine.labels
    machine.details.update({"metadata": machine.metadata, "networkTags": machine.network_tags})
    machine.commit(call.world)
    operation, _ = begin_operation(call, kind, f"zones/{machine.zone}/instances/{machine.name}", call.world.faults.operation_ms)
    return answer(call, operation.show(call))


def attach_disk(call):
    machine = seen_machine(call)
    _, name = last_part(call, call.body.get("source", ""), "disks", f"zones/{machine.zone}")
    disk = find_disk(call.world, machine.zone, name)
    if disk is None:
        raise not_found(call.name_resource(f"zones/{machine.zone}/disks/{name}"))
    if disk.machine:
        raise Refused(400, "resourceInUseByAnotherResource", f"The disk resource is already being used by '{disk.machine}'")
    if call.body.get("deviceName") in [each["deviceName"] for each in machine.attached]:
        raise invalid("resource.deviceName", call.body["deviceName"], "The device name is already in use.")
    attach(machine, disk, call.body, len(machine.attached))
    disk.commit(call.world)
    return change(call, machine, "attachDisk")


def detach_disk(call):
    machine = seen_machine(call)
    found = next((each for each in machine.attached if each["deviceName"] == call.query.get("deviceName")), None)
    if found is None:
        raise invalid("deviceName", call.query.get("deviceName"), "No attached disk found with this device name.")
    machine.attached.remove(found)
    machine.disks.remove(found["disk"])
    disk = find_disk(call.world, machine.zone, found["disk"])
    disk.machine = None
    disk.commit(call.world)
    return change(call, machine, "detachDisk")


def get_serial_port(call):
    machine = seen_machine(call)
    text = (machine.console if machine.console is not None else f"SeaBIOS\n{machine.name} login: \n").encode()
    start = int(call.query.get("start", 0))
    first = max(start, len(text) - (1 << 20))
    return answer(call, {"kind": "compute#serialPortOutput", "contents": text[first:].decode(errors="replace"), "start": str(first),
                         "next": str(len(text)), "selfLink": call.link(f"zones/{machine.zone}/instances/{machine.name}/serialPort")})


def get_guest_attributes(call):
    machine, path = seen_machine(call), call.query.get("queryPath", "")
    if machine.metadata.get("enable-guest-attributes", "").upper() != "TRUE":
        raise Refused(412, "conditionNotMet", "Guest attributes endpoint access is disabled.")
    items = [{"namespace": key.split("/", 1)[0], "key": key.split("/", 1)[1], "value": value}
             for key, value in machine.guest_attributes.items() if key == path or (path.endswith("/") and key.startswith(path)) or not path]
    if not items:
        raise not_found(call.name_resource(f"zones/{machine.zone}/instances/{machine.name}/guestAttributes/{path}"))
    return answer(call, {"kind": "compute#guestAttributes", "queryPath": path, "queryValue": {"items": items},
                         "selfLink": call.link(f"zones/{machine.zone}/instances/{machine.name}/guestAttributes")})


# -- operations


def find_operation(call):
    """The operation in the path."""
    zone, name = catalog.check_zone(call), call.parts["operation"]
    if (operation := call.service.operations.get((zone, name))) is None:
        raise not_found(call.name_resource(f"zones/{zone}/operations/{name}"))
    return operation


def get_operation(call):
    return answer(call, find_operation(call).show(call))


def wait_operation(call):
    """Answers when the operation is done, or after the provider's two minutes."""
    operation, world = find_operation(call), call.world
    end = time.monotonic() + world.faults.wait_ms / 1000
    while operation.status != "DONE" and not world.is_late() and time.monotonic() < end:
        due = world.next_due_s()
        world.changed.wait(min(end - time.monotonic(), 1.0 if due is None else max(due, 0.001)))
        world.run_due()
    return answer(call, operation.show(call))


BASE = catalog.BASE
INSTANCE = f"{BASE}/zones/{{zone}}/instances/{{instance}}"
LIST = catalog.LIST
ROUTES = [
    Route("instances.aggregatedList", "GET", f"{BASE}/aggregated/instances", aggregate_instances, (*LIST, "includeAllScopes", "serviceProjectNumber")),
    Route("instances.list", "GET", f"{BASE}/zones/{{zone}}/instances", list_instances, LIST),
    Route("instances.insert", "POST", f"{BASE}/zones/{{zone}}/instances", insert_instance, ("requestId", "sourceInstanceTemplate"), "Instance"),
    Route("instances.get", "GET", INSTANCE, get_instance),
    Route("instances.delete", "DELETE", INSTANCE, delete_instance, ("requestId",)),
    Route("instances.setLabels", "POST", f"{INSTANCE}/setLabels", set_labels, ("requestId",), "InstancesSetLabelsRequest"),
    Route("instances.setMetadata", "POST", f"{INSTANCE}/setMetadata", set_metadata, ("requestId",), "Metadata"),
    Route("instances.setTags", "POST", f"{INSTANCE}/setTags", set_tags, ("requestId",), "Tags"),
    Route("instances.setServiceAccount", "POST", f"{INSTANCE}/setServiceAccount", set_service_account, ("requestId",),
          "InstancesSetServiceAccountRequest"),
    Route("instances.attachDisk", "POST", f"{INSTANCE}/attachDisk", attach_disk, ("requestId", "forceAttach"), "AttachedDisk"),
    Route("instances.detachDisk", "POST", f"{INSTANCE}/detachDisk", detach_disk, ("requestId", "deviceName")),
    Route("instances.reset", "POST", f"{INSTANCE}/reset", reset_instance, ("requestId",)),
    Route("instances.start", "POST", f"{INSTANCE}/start", start_instance, ("requestId",)),
    Route("instances.stop", "POST", f"{INSTANCE}/stop", stop_instance, ("requestId", "discardLocalSsd")),
    Route("instances.getSerialPortOutput", "GET", f"{INSTANCE}/serialPort", get_serial_port, ("port", "start")),
    Route("instances.getGuestAttributes", "GET", f"{INSTANCE}/getGuestAttributes", get_guest_attributes, ("queryPath", "variableKey")),
    Route("zoneOperations.get", "GET", f"{BASE}/zones/{{zone}}/operations/{{operation}}", get_operation),
    Route("zoneOperations.wait", "POST", f"{BASE}/zones/{{zone}}/operations/{{operation}}/wait", wait_operation),
]
