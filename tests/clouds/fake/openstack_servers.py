"""Servers of the OpenStack fake: their life, metadata, actions, and what nova refuses."""

import base64
import binascii
import re
import time

import openstack_catalog as catalog
from harness import Answer
from routes import Route
from world import Machine

META_KEY = re.compile(r"^[a-zA-Z0-9-_:. ]{1,255}$")
TAG = re.compile(r"^[^,/]{1,60}$")
NAME = re.compile(r"^(?! )[\x20-\U0010ffff]{1,255}(?<! )$")
USER_DATA_MAX = 65535
FIELDS = {"name", "flavorRef", "imageRef", "networks", "user_data", "metadata", "tags", "key_name", "availability_zone", "config_drive",
          "block_device_mapping_v2", "security_groups", "min_count", "max_count", "OS-DCF:diskConfig", "description", "hostname"}
MAPPING_FIELDS = {"boot_index", "uuid", "source_type", "destination_type", "volume_size", "volume_type", "delete_on_termination"}
NO_HOST = "No valid host was found. There are not enough hosts available."
LIST_QUERY = ("tags", "limit", "marker", "name", "status", "sort_key", "sort_dir")


def show_fault(code, message, world):
    """The fault of a server in ERROR."""
    return {"code": code, "message": message, "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(world.now()))}


def token_of(tags):
    """The token in server tags; None: there is none."""
    return next((tag[len("reeve.t."):] for tag in tags if tag.startswith("reeve.t.")), None)


# -- create


def check_server(call, server):
    """The refusals of the request schema."""
    def invalid(field, why):
        return call.bad(f"Invalid input for field/attribute {field}. Value: {server.get(field)!r}. {why}")
    if unknown := set(server) - FIELDS:
        raise call.bad(f"Invalid input for field/attribute server. Additional properties are not allowed ({sorted(unknown)[0]!r} was unexpected)")
    if not isinstance(server.get("name"), str) or not NAME.match(server["name"]):
        raise invalid("name", "it does not match the format")
    metadata, tags = server.get("metadata", {}), server.get("tags", [])
    for key, value in metadata.items():
        if not META_KEY.match(key) or not isinstance(value, str) or len(value) > 255:
            raise call.bad(f"Invalid input for field/attribute {key}. Value: {value}.")
    if len(metadata) > 128:
        raise call.refuse(403, "Quota exceeded for metadata items: Requested more than the maximum of 128")
    if tags and call.version < (2, 52):
        raise invalid("tags", "Additional properties are not allowed ('tags' was unexpected)")
    if len(tags) > 50 or not all(isinstance(tag, str) and TAG.match(tag) for tag in tags):
        raise invalid("tags", "a tag is too long or has a character that is not allowed")
    if "user_data" in server:
        try:
            base64.b64decode(server["user_data"], validate=True)
        except (binascii.Error, ValueError):
            raise invalid("user_data", "it is not base64") from None
        if len(server["user_data"]) > USER_DATA_MAX:
            raise call.refuse(400, f"Invalid input for field/attribute user_data. {len(server['user_data'])} is too long")
    if call.version >= (2, 37) and "networks" not in server:
        raise call.bad("Invalid input for field/attribute server. 'networks' is a required property")
    for mapping in server.get("block_device_mapping_v2", []):
        if unknown := set(mapping) - MAPPING_FIELDS:
            raise call.bad(f"block_device_mapping_v2: {sorted(unknown)[0]} was unexpected")
        if "volume_type" in mapping and call.version < (2, 67):
            raise call.bad("volume_type was unexpected")


def find_image(call, server, flavor):
    """The image of the request; flavors that are too small are refused."""
    mapping = next(iter(server.get("block_device_mapping_v2", [])), None)
    id = mapping["uuid"] if mapping else server.get("imageRef")
    image = next((image for image in catalog.IMAGES if image["id"] == id and image["status"] == "active"), None)
    if image is None:
        raise call.refuse(400, "Can not find requested image")
    if flavor["ram"] < image["min_ram"]:
        raise call.refuse(400, "Flavor's memory is too small for requested image.")
    if (mapping["volume_size"] if mapping else flavor["disk"]) < image["min_disk"]:
        raise call.refuse(400, "Flavor's disk is too small for requested image.")
    return image


def find_ports(call, server):
    """The ports of the request: [port or None for one that nova makes itself]."""
    networks = server.get("networks", "auto")
    if isinstance(networks, str):
        return [None]
    found = []
    for each in networks:
        if "port" not in each:
            if each.get("uuid") not in [network["id"] for network in catalog.NETWORKS]:
                raise call.refuse(400, f"Network {each.get('uuid')} could not be found.")
            found.append(None)
            continue
        port = call.world.ports.get(each["port"])
        if port is None or port["region"] != call.region:
            raise call.refuse(400, f"Port id {each['port']} could not be found.")
        if port["device_id"]:
            raise call.refuse(409, f"Port {port['id']} is still in use.")
        found.append(port)
    return found


def create_server(call):
    server, world, faults = call.body["server"], call.world, call.world.faults
    hints = call.body.get("os:scheduler_hints") or {}
    check_server(call, server)
    flavor = next((flavor for flavor in catalog.FLAVORS.values() if flavor["id"] == server.get("flavorRef")), None)
    if flavor is None:
        raise call.refuse(400, f"Flavor {server.get('flavorRef')} could not be found.")
    image = find_image(call, server, flavor)
    zone = server.get("availability_zone") or catalog.ZONES[0]
    if zone not in catalog.ZONES:
        raise call.refuse(400, "The requested availability zone is not available")
    if server.get("key_name") and server["key_name"] not in catalog.KEYPAIRS:
        raise call.refuse(400, "Invalid key_name provided.")
    if hints.get("group") and hints["group"] not in [catalog.make_uuid("servergroup", name) for name in catalog.SERVER_GROUPS]:
        raise call.refuse(400, f"Invalid input for group {hints['group']}")
    ports = find_ports(call, server)
    if world.is_over_quota():
        raise call.refuse(403, f"Quota exceeded for instances: Requested 1, but already used {world.alive_in()} of {faults.quota} instances")
    id = catalog.make_uuid("server", str(len(world.machines) + len(world.history)), str(faults.random.random()))
    machine = Machine(id, token_of(server.get("tags", [])), server["name"], zone, flavor["name"], image["id"], region=call.region,
                      metadata=dict(server.get("metadata", {})), server_tags=list(server.get("tags", [])), fault=None, power=0, task="scheduling")
    machine.state, machine.tags = "BUILD", machine.metadata
    machine.details = {"userData": server.get("user_data"), "keyName": server.get("key_name"), "configDrive": server.get("config_drive", False),
                       "group": hints.get("group"), "mapping": server.get("block_device_mapping_v2"), "networks": server.get("networks"),
                       "securityGroups": server.get("security_groups"), "region": call.region}
    failure = NO_HOST if world.is_full(zone, flavor["name"]) else None
    world.add_machine(machine)
    if failure is None and faults.strikes("fail_later"):
        failure = faults.fail_later_code or NO_HOST
        world.note_failed(machine.id, machine.token, failure)
    begin_boot(call, machine, ports, failure)
    body = {"id": id, "links": links(call, id), "OS-DCF:diskConfig": "MANUAL", "adminPass": "zPnp2GseTqG4", "security_groups": [{"name": "default"}]}
    return Answer(202, {"server": body}, headers={"Location": f"{call.service.base}/{call.region}/compute/v2.1/servers/{id}"})


def begin_boot(call, machine, ports, failure):
    """The compute service takes the ports, then the server boots, or ends in ERROR."""
    world, service = call.world, call.service

    def fail(message):
        machine.state, machine.fault, machine.task = "ERROR", show_fault(500, message, world), None
        machine.commit(world)

    def take_ports():
        if not machine.alive:
            return
        taken = next((port for port in ports if port and (port["device_id"] or port["id"] not in world.ports)), None)
        if failure or taken:
            fail(failure or f"Port {taken['id']} is still in use.")
            return
        for port in ports:
            if port is None:
                service.addresses += 1
                port = new_port(catalog.make_uuid("port", machine.id), call.region, f"10.0.0.{service.addresses % 250 + 2}", by_nova=True)
                world.ports[port["id"]] = port
            port |= {"device_id": machine.id, "device_owner": f"compute:{machine.zone}", "status": "ACTIVE"}

    def run():
        if machine.alive and machine.state == "BUILD":
            machine.state, machine.power, machine.task = "ACTIVE", 1, None
            machine.address = world.address_for(machine.token, machine.name)
            machine.commit(world)
    boot_s = world.faults.boot_ms / 1000
    world.after(boot_s / 2, take_ports)
    world.after(boot_s, run)


def new_port(id, region, address, by_nova=False, **values):
    """A port as it is stored."""
    return {"id": id, "kind": "port", "region": region, "name": "", "network_id": catalog.NETWORKS[0]["id"], "device_id": "", "device_owner": "",
            "status": "DOWN", "description": "", "security_groups": [catalog.GROUPS[0]["id"]], "admin_state_up": True, "by_nova": by_nova,
            "fixed_ips": [{"subnet_id": catalog.SUBNETS[0]["id"], "ip_address": address}], "project_id": catalog.PROJECT} | values


def begin_delete(service, machine):
    """Accepted: the server goes soon, and its ports are free then; nova deletes only those that it made."""
    world = service.world
    if not machine.alive:
        return
    machine.alive, machine.is_ended, machine.task, machine.ended_at = False, True, "deleting", world.now()
    machine.commit(world)

    def gone():
        for port in [port for port in world.ports.values() if port.get("device_id") == machine.id]:
            if port["by_nova"]:
                del world.ports[port["id"]]
            else:
                port |= {"device_id": "", "device_owner": "", "status": "DOWN"}
        service.release_volumes(world, machine)
        machine.state = "DELETED"
        machine.erase(world)
    world.after(world.faults.end_ms / 1000, gone)


# -- reads


def links(call, id):
    """The links of a server."""
    return [{"rel": "self", "href": f"{call.service.base}/{call.region}/compute/v2.1/servers/{id}"}]


def show_addresses(call, machine):
    """The addresses of a running server, floating ones last."""
    if machine.address is None:
        return {}
    shown = [{"addr": machine.address, "version": 4, "OS-EXT-IPS:type": "fixed", "OS-EXT-IPS-MAC:mac_addr": "fa:16:3e:00:00:01"}]
    owned = {port["id"] for port in call.world.ports.values() if port.get("device_id") == machine.id}
    shown += [{"addr": each["floating_ip_address"], "version": 4, "OS-EXT-IPS:type": "floating", "OS-EXT-IPS-MAC:mac_addr": "fa:16:3e:00:00:01"}
              for each in call.world.ports.values() if each["kind"] == "floatingip" and each["port_id"] in owned]
    return {"private": shown}


def show_server(call, machine):
    """A server with all that nova shows of it at 2.79; of a cell that is down it knows very little."""
    row = {"id": machine.id, "links": links(call, machine.id), "tenant_id": catalog.PROJECT, "created": "2026-06-01T00:00:00Z"}
    if machine.zone in call.world.faults.down_cells:
        return row | {"status": "UNKNOWN"}
    flavor = catalog.FLAVORS[machine.size]
    row |= {"name": machine.name, "status": machine.state, "metadata": dict(machine.metadata), "tags": list(machine.server_tags),
            "user_id": "u1", "hostId": "", "image": {"id": machine.image, "links": []}, "updated": "2026-06-01T00:00:00Z", "accessIPv4": "", "accessIPv6": "",
            "flavor": {"original_name": flavor["name"], "vcpus": flavor["vcpus"], "ram": flavor["ram"], "disk": flavor["disk"], "ephemeral": 0,
                       "swap": 0, "extra_specs": {}}, "addresses": show_addresses(call, machine), "key_name": machine.details["keyName"],
            "OS-EXT-AZ:availability_zone": machine.zone, "OS-EXT-STS:power_state": machine.power, "OS-EXT-STS:task_state": machine.task,
            "OS-EXT-STS:vm_state": "active" if machine.state == "ACTIVE" else machine.state.lower(),
            "config_drive": "True" if machine.details["configDrive"] else "",
            "locked": False, "description": None, "os-extended-volumes:volumes_attached": [
                {"id": disk.id, "delete_on_termination": disk.delete} for disk in call.world.disks.values() if disk.machine == machine.id], "OS-DCF:diskConfig": "MANUAL"}
    if machine.details["mapping"]:
        row["image"] = ""
    if machine.fault:
        row["fault"] = machine.fault
    return row


def list_servers(call):
    """The servers of the region, newest first. A listing with a filter or in pages leaves out those of a cell that is down."""
    world, query = call.world, call.query
    rows = [row for row in world.view(world.machines, world.replica()) if row.region == call.region][::-1]
    if "tags" in query:
        if call.version < (2, 26):
            raise call.bad("tags was unexpected")
        wanted = set(query["tags"].split(","))
        rows = [row for row in rows if wanted <= set(row.server_tags)]
    if "name" in query:
        rows = [row for row in rows if re.search(query["name"], row.name)]
    if query:
        rows = [row for row in rows if row.zone not in world.faults.down_cells]

    def brief(machine):
        row = show_server(call, machine)
        return {key: row[key] for key in ("id", "name", "links", "status") if key in row and (key != "status" or row[key] == "UNKNOWN")}
    return call.page("servers", rows, (lambda row: show_server(call, row)) if call.route.name == "servers.detail" else brief, "servers_links")


def find_server(call):
    """The server in the path; its own API is strong unless the fault `lag_by_id` says otherwise."""
    machine = call.world.machines.get(call.parts["id"])
    missing = call.refuse(404, f"Instance {call.parts['id']} could not be found.")
    if machine is None or machine.state == "DELETED" or machine.region != call.region:
        raise missing
    if call.world.faults.lag_by_id and machine.view(call.world.replica(), call.world.now()) is None:
        raise missing
    return machine


def get_server(call):
    return Answer(200, {"server": show_server(call, find_server(call))})


def delete_server(call):
    begin_delete(call.service, find_server(call))
    return Answer(204)


# -- changes


def set_metadata(call):
    machine, metadata = find_server(call), call.body["metadata"]
    for key, value in metadata.items():
        if not META_KEY.match(key) or not isinstance(value, str) or len(value) > 255:
            raise call.bad(f"Invalid input for field/attribute {key}. Value: {value}.")
    if len({**machine.metadata, **metadata}) > 128:
        raise call.refuse(403, "Quota exceeded for metadata items")
    machine.metadata.update(metadata)
    machine.commit(call.world)
    return Answer(200, {"metadata": dict(machine.metadata)})


def delete_metadata(call):
    machine, key = find_server(call), call.parts["key"]
    if key not in machine.metadata:
        raise call.refuse(404, "Metadata item was not found")
    del machine.metadata[key]
    machine.commit(call.world)
    return Answer(204)


def act(call):
    """POST /servers/ID/action."""
    machine, world = find_server(call), call.world
    [(kind, values)] = call.body.items() or [(None, None)]
    if kind == "os-getConsoleOutput":
        if machine.state == "BUILD":
            raise call.refuse(409, f"Instance {machine.id} is not ready")
        lines = (machine.console or "").split("\n")
        return Answer(200, {"output": "\n".join(lines[-int(values["length"]):]) if values.get("length") else machine.console or ""})
    if kind not in ("reboot", "os-start", "os-stop"):
        raise call.bad(f"There is no such action: {kind}")
    if machine.task:
        raise call.refuse(409, f"Cannot '{kind}' instance {machine.id} while it is in task_state {machine.task}")
    allowed = {"os-start": ("SHUTOFF",), "os-stop": ("ACTIVE",), "reboot": ("ACTIVE",)}[kind]
    if kind == "reboot" and values["type"] == "HARD":
        allowed = ("ACTIVE", "SHUTOFF", "ERROR", "SUSPENDED", "PAUSED")
    if machine.state not in allowed:
        raise call.refuse(409, f"Cannot '{kind}' instance {machine.id} while it is in vm_state {machine.state.lower()}")
    machine.reboots += kind == "reboot"
    machine.state, machine.power, machine.fault = ("SHUTOFF", 4, None) if kind == "os-stop" else ("ACTIVE", 1, None)
    machine.commit(world)
    return Answer(202)


# -- what servers are made of


def list_flavors(call):
    return call.page("flavors", list(catalog.FLAVORS.values()), dict, "flavors_links")


def show_limits(call):
    used = call.world.alive_in()
    quota = call.world.faults.quota
    return Answer(200, {"limits": {"rate": [], "absolute": {**catalog.ABSOLUTE, **call.world.faults.limits,
                                                            "maxTotalInstances": -1 if quota is None else quota, "totalInstancesUsed": used}}})


def get_keypair(call):
    if call.parts["name"] not in catalog.KEYPAIRS:
        raise call.refuse(404, f"Keypair {call.parts['name']} not found for user u1")
    return Answer(200, {"keypair": {"name": call.parts["name"], "type": "ssh", "public_key": "ssh-ed25519 AAAA", "fingerprint": "7e:57"}})


def list_keypairs(_call):
    return Answer(200, {"keypairs": [{"keypair": {"name": name, "type": "ssh", "public_key": "ssh-ed25519 AAAA", "fingerprint": "7e:57"}}
                                     for name in catalog.KEYPAIRS]})


def list_zones(_call):
    return Answer(200, {"availabilityZoneInfo": [{"zoneName": name, "zoneState": {"available": True}, "hosts": None} for name in catalog.ZONES]})


def list_server_groups(_call):
    return Answer(200, {"server_groups": [{"id": catalog.make_uuid("servergroup", name), "name": name, "policy": policy, "rules": {}, "members": [],
                                           "project_id": catalog.PROJECT, "user_id": "u1"} for name, policy in catalog.SERVER_GROUPS.items()]})


BASE = "/{region}/compute/v2.1"
ROUTES = [Route("servers.create", "POST", f"{BASE}/servers", create_server, (), ("server", "os:scheduler_hints")),
          Route("servers.list", "GET", f"{BASE}/servers", list_servers, LIST_QUERY),
          Route("servers.detail", "GET", f"{BASE}/servers/detail", list_servers, LIST_QUERY),
          Route("servers.get", "GET", f"{BASE}/servers/{{id}}", get_server),
          Route("servers.delete", "DELETE", f"{BASE}/servers/{{id}}", delete_server),
          Route("servers.action", "POST", f"{BASE}/servers/{{id}}/action", act, (), ()),
          Route("metadata.set", "POST", f"{BASE}/servers/{{id}}/metadata", set_metadata, (), ("metadata",)),
          Route("metadata.delete", "DELETE", f"{BASE}/servers/{{id}}/metadata/{{key}}", delete_metadata),
          Route("flavors.list", "GET", f"{BASE}/flavors/detail", list_flavors, ("limit", "marker", "is_public")),
          Route("limits.get", "GET", f"{BASE}/limits", show_limits),
          Route("keypairs.list", "GET", f"{BASE}/os-keypairs", list_keypairs, ("limit", "marker")),
          Route("keypairs.get", "GET", f"{BASE}/os-keypairs/{{name}}", get_keypair),
          Route("zones.list", "GET", f"{BASE}/os-availability-zone", list_zones),
          Route("groups.list", "GET", f"{BASE}/os-server-groups", list_server_groups, ("limit", "offset"))]
