"""Ports, floating addresses, networks, images and volume types of the OpenStack fake."""

import openstack_catalog as catalog
from harness import Answer
from openstack_servers import new_port
from routes import Route

PORT_FIELDS = {"network_id", "fixed_ips", "security_groups", "name", "description", "admin_state_up"}
FLOATING_FIELDS = {"floating_network_id", "port_id", "description"}


def filtered(call, rows, *keys):
    """The rows that have the values of the query."""
    return [row for row in rows if all(str(row.get(key)).lower() == call.query[key].lower() if key == "router:external" else row.get(key) == call.query[key]
                                       for key in keys if key in call.query)]


def clean(row):
    """A row without the members of the fake itself."""
    return {key: value for key, value in row.items() if key not in ("kind", "region", "by_nova")}


def here(call, kind):
    """The ports or floating addresses of the region."""
    return [each for each in call.world.ports.values() if each["kind"] == kind and each["region"] == call.region]


def take_id(call, kind):
    """The object in the path."""
    row = call.world.ports.get(call.parts["id"])
    if row is None or row["kind"] != kind or row["region"] != call.region:
        raise call.refuse(404, f"{'Port' if kind == 'port' else 'Floating IP'} {call.parts['id']} could not be found.",
                          "PortNotFound" if kind == "port" else "FloatingIPNotFound")
    return row


def create_port(call):
    values, faults = call.body["port"], call.world.faults
    if unknown := set(values) - PORT_FIELDS:
        raise call.bad(f"Unrecognized attribute(s) '{sorted(unknown)[0]}'")
    subnets = [subnet for subnet in catalog.SUBNETS if subnet["network_id"] == values.get("network_id")]
    if not subnets:
        raise call.refuse(404, f"Network {values.get('network_id')} could not be found.", "NetworkNotFound")
    subnet = (values.get("fixed_ips") or [{"subnet_id": subnets[0]["id"]}])[0].get("subnet_id")
    if subnet not in [each["id"] for each in subnets]:
        raise call.refuse(400, "Invalid input for operation: Failed to create port on network, because fixed_ips included invalid subnet.", "InvalidInput")
    if unknown := set(values.get("security_groups") or []) - {group["id"] for group in catalog.GROUPS}:
        raise call.refuse(404, f"Security group {sorted(unknown)[0]} does not exist", "SecurityGroupNotFound")
    if faults.port_quota is not None and len(here(call, "port")) >= faults.port_quota:
        raise call.refuse(409, "Quota exceeded for resources: ['port'].", "OverQuota")
    if len(values.get("name", "")) > 255 or len(values.get("description", "")) > 255:
        raise call.bad("Invalid input for name. Reason: exceeds maximum length of 255.")
    call.service.addresses += 1
    port = new_port(catalog.make_uuid("port", str(faults.random.random())), call.region, f"10.0.0.{call.service.addresses % 250 + 2}", **{
        key: value for key, value in values.items() if key != "fixed_ips"})
    port["fixed_ips"][0]["subnet_id"] = subnet
    call.world.ports[port["id"]] = port
    return Answer(201, {"port": clean(port)})


def list_ports(call):
    return call.page("ports", filtered(call, here(call, "port"), "name", "device_id", "description", "id", "network_id"), clean)


def delete_port(call):
    port = take_id(call, "port")
    for each in here(call, "floatingip"):
        if each["port_id"] == port["id"]:
            each["port_id"] = None
    del call.world.ports[port["id"]]
    return Answer(204)


def create_floating(call):
    values = call.body["floatingip"]
    if unknown := set(values) - FLOATING_FIELDS:
        raise call.bad(f"Unrecognized attribute(s) '{sorted(unknown)[0]}'")
    if values.get("floating_network_id") not in [network["id"] for network in catalog.NETWORKS if network["router:external"]]:
        raise call.refuse(400, f"Bad floatingip request: Network {values.get('floating_network_id')} is not a valid external network.", "BadRequest")
    port = call.world.ports.get(values.get("port_id"))
    if port is None or port["kind"] != "port":
        raise call.refuse(404, f"Port {values.get('port_id')} could not be found.", "PortNotFound")
    if taken := [each for each in here(call, "floatingip") if each["port_id"] == port["id"]]:
        raise call.refuse(409, f"Cannot associate floating IP {taken[0]['floating_ip_address']} with port {port['id']} using fixed IP, as that "
                          "fixed IP already has a floating IP on external network.", "FloatingIPPortAlreadyAssociated")
    call.service.addresses += 1
    row = {"kind": "floatingip", "region": call.region, "id": catalog.make_uuid("floating", str(call.world.faults.random.random())), "status": "ACTIVE",
           "floating_ip_address": f"203.0.113.{call.service.addresses % 250 + 2}", "description": values.get("description", ""),
           "floating_network_id": values["floating_network_id"], "port_id": port["id"], "fixed_ip_address": port["fixed_ips"][0]["ip_address"]}
    call.world.ports[row["id"]] = row
    return Answer(201, {"floatingip": clean(row)})


def list_floating(call):
    return call.page("floatingips", filtered(call, here(call, "floatingip"), "description", "port_id"), clean)


def delete_floating(call):
    del call.world.ports[take_id(call, "floatingip")["id"]]
    return Answer(204)


def list_networks(call):
    return call.page("networks", filtered(call, catalog.NETWORKS, "name", "id", "router:external"), dict)


def list_subnets(call):
    return call.page("subnets", filtered(call, catalog.SUBNETS, "name", "id", "network_id"), dict)


def list_groups(call):
    return call.page("security_groups", filtered(call, catalog.GROUPS, "name", "id"), dict)


def show_availability(call):
    """Free addresses, which most clouds show to administrators only."""
    free = call.world.faults.free_addresses
    if free is None:
        raise call.refuse(403, "(rule:get_network_ip_availability) is disallowed by policy", "PolicyNotAuthorized")
    return Answer(200, {"network_ip_availability": {"network_id": call.parts["id"], "total_ips": 250, "used_ips": 250 - free, "subnet_ip_availability": []}})


# -- glance


def list_images(call):
    rows = filtered(call, catalog.IMAGES, "name", "id", "status", "os_distro", "os_version", "visibility")
    hidden = call.query.get("os_hidden", "false").lower() == "true"
    rows = sorted((row for row in rows if row["os_hidden"] == hidden), key=lambda row: row["created_at"], reverse=True)
    if call.query.get("sort", "created_at:desc") != "created_at:desc":
        raise call.bad("Unable to sort by anything else")
    return call.page("images", rows, dict)


def get_image(call):
    row = next((row for row in catalog.IMAGES if row["id"] == call.parts["id"]), None)
    if row is None:
        raise call.refuse(404, f"No image found with ID {call.parts['id']}")
    return Answer(200, row)


# -- cinder


def list_types(_call):
    return Answer(200, {"volume_types": [{"id": catalog.make_uuid("type", name), "name": name, "is_public": True, "description": None, "extra_specs": {}}
                                         for name in catalog.VOLUME_TYPES]})


def show_limits(call):
    return Answer(200, {"limits": {"rate": [], "absolute": {"maxTotalVolumes": call.world.faults.volume_limit, "totalVolumesUsed": 0,
                                                            "maxTotalVolumeGigabytes": 1000, "totalGigabytesUsed": 0}}})


NET, IMAGE, VOLUME = "/{region}/network/v2.0", "/{region}/image/v2", "/{region}/volume/v3/{project}"
PAGES = ("limit", "marker", "fields")
ROUTES = [Route("ports.create", "POST", f"{NET}/ports", create_port, (), ("port",)),
          Route("ports.list", "GET", f"{NET}/ports", list_ports, ("name", "device_id", "description", "id", "network_id", *PAGES)),
          Route("ports.delete", "DELETE", f"{NET}/ports/{{id}}", delete_port),
          Route("floatingips.create", "POST", f"{NET}/floatingips", create_floating, (), ("floatingip",)),
          Route("floatingips.list", "GET", f"{NET}/floatingips", list_floating, ("description", "port_id", *PAGES)),
          Route("floatingips.delete", "DELETE", f"{NET}/floatingips/{{id}}", delete_floating),
          Route("networks.list", "GET", f"{NET}/networks", list_networks, ("name", "id", "router:external", *PAGES)),
          Route("subnets.list", "GET", f"{NET}/subnets", list_subnets, ("name", "id", "network_id", *PAGES)),
          Route("security_groups.list", "GET", f"{NET}/security-groups", list_groups, ("name", "id", *PAGES)),
          Route("availability.get", "GET", f"{NET}/network-ip-availabilities/{{id}}", show_availability),
          Route("images.list", "GET", f"{IMAGE}/images", list_images,
                ("name", "id", "status", "os_distro", "os_version", "os_hidden", "visibility", "sort", "limit", "marker")),
          Route("images.get", "GET", f"{IMAGE}/images/{{id}}", get_image),
          Route("types.list", "GET", f"{VOLUME}/types", list_types, ("is_public",)),
          Route("volume_limits.get", "GET", f"{VOLUME}/limits", show_limits)]
