"""The fake of DigitalOcean: /v2 with droplets, actions, tags, volumes, and what they refer to."""

import re
import time

import digital_ocean_catalog as catalog
from digital_ocean_volumes import ROUTES as VOLUME_ROUTES
from faults import Bucket
from harness import Answer, Service
from routes import Route, Routes
from world import Machine, Replicated

TOKEN = "dop_v1_" + "7e57" * 16
HOST_NAME = re.compile(r"^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,253}[A-Za-z0-9])?$")
TAG_NAME = re.compile(r"^[A-Za-z0-9_:-]{1,255}$")
USER_DATA_MAX = 65536
PER_PAGE, PER_PAGE_MAX = 20, 200
PAGE = ("page", "per_page")
HOURLY, PER_MINUTE, KEYS_PER_MINUTE = 5000, 250, 10
DROPLET_FIELDS = {"name", "names", "region", "size", "image", "ssh_keys", "backups", "backup_policy", "ipv6", "monitoring", "tags", "user_data",
                  "private_networking", "public_networking", "volumes", "vpc_uuid", "with_droplet_agent"}


def refuse(status, id, message, headers=None):
    """An error as DigitalOcean writes it."""
    return Answer(status, {"id": id, "message": message, "request_id": "4d9d8375-3c56-4925-a3e7-eb137fed17e9"}, headers=headers)


def unprocessable(message):
    """422."""
    return refuse(422, "unprocessable_entity", message)


def not_found():
    """404."""
    return refuse(404, "not_found", "The resource you were accessing could not be found.")


def stamp(at):
    """A time."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at)) if at is not None else None


def token_in(tags):
    """The token that tags of reeve name; None: there is none."""
    return next((tag.split(":", 2)[2] for tag in tags if tag.lower().startswith(("reeve:token:", "reeve:t:"))), None)


class Action(Replicated):
    """One action on a droplet or a volume."""

    def __init__(self, id, kind, resource_id, resource_type, region, started_at):
        self.id, self.kind, self.resource_id, self.resource_type, self.region = id, kind, resource_id, resource_type, region
        self.started_at, self.completed_at, self.status = started_at, None, "in-progress"

    def show(self):
        """The row."""
        return {"id": self.id, "status": self.status, "type": self.kind, "started_at": stamp(self.started_at),
                "completed_at": stamp(self.completed_at), "resource_id": self.resource_id, "resource_type": self.resource_type,
                "region": catalog.show_region(self.region), "region_slug": self.region}


class Call:
    """One call: its route, the parts of the path, query and body."""

    def __init__(self, service, request, route, parts, query, body):
        self.service, self.world, self.request, self.route = service, service.world, request, route
        self.parts, self.query, self.body = parts, query, body

    def droplet(self):
        """The droplet in the path; by its number the answer is strong, unless the fault `lag_by_id` says otherwise."""
        machine = self.world.machines.get(self.parts["id"])
        if machine is None or not machine.alive:
            raise not_found()
        if self.world.faults.lag_by_id and machine.view(self.world.replica(), self.world.now()) is None:
            raise not_found()
        return machine


class DigitalOcean(Service):
    """The service behind the port."""

    name = "digitalOcean"

    def __init__(self, world):
        super().__init__(world)
        self.routes = Routes(ROUTES + VOLUME_ROUTES)
        self.actions = {}
        self.numbers = iter(range(300000001, 400000000))
        self.keys = {id: catalog.show_key(id, name) for id, name in catalog.KEYS.items()}
        world.keys = self.keys
        self.buckets = {}
        self.base = ""
        self.reset_buckets()

    def on_start(self, port, is_tls):
        """The ports are bound."""
        self.base = f"http{'s' if is_tls else ''}://127.0.0.1:{port}/v2"

    def announce(self):
        """What the first line of output tells besides the ports."""
        return {"credential": TOKEN + "\n"}

    def faults_changed(self):
        """The token buckets start anew."""
        self.reset_buckets()

    def reset_buckets(self):
        """Full buckets."""
        self.buckets = {"hour": Bucket(HOURLY / 3600, HOURLY), "minute": Bucket(PER_MINUTE / 60, PER_MINUTE),
                        "keys": Bucket(KEYS_PER_MINUTE / 60, KEYS_PER_MINUTE)}

    # -- what the harness asks

    def name_call(self, request):
        route, _ = self.routes.find(request.method, request.path.rstrip("/"))
        return route.name if route else "unknown"

    def is_change(self, call):
        return not call.endswith((".list", ".get"))

    def throttled(self, request, retry_after_s):
        return refuse(429, "too_many_requests", "API Rate limit exceeded.", {"retry-after": str(retry_after_s), "ratelimit-remaining": "0"})

    def failure(self, request):
        return self.world.faults.random.choice((refuse(500, "server_error", "Unexpected server-side error"),
                                                refuse(503, "service_unavailable", "The service is temporarily unavailable")))

    def error(self, request, status, code, message, headers=None):
        return refuse(status, code, message, headers)

    def common_headers(self, request):
        with self.world.lock:
            now = time.time()
            left = int(self.buckets["hour"].level)
            reset = int(now + self.buckets["hour"].wait_s(now, HOURLY))
        return {"ratelimit-limit": str(HOURLY), "ratelimit-remaining": str(left), "ratelimit-reset": str(reset)}

    def truth_end(self, machine, reason):
        if reason == "stop":
            machine.state = "off"
            machine.commit(self.world)
        else:
            machine.reason = reason
            self.delete_droplet(machine)

    def truth_set(self, machine, values):
        for name, value in values.items():
            if name == "tags_due":
                apply_tags(self, machine, machine.asked_tags)
                continue
            if name not in ("address", "state", "public_address", "tags", "name"):
                raise KeyError(f"a machine has no '{name}' to be set")
            setattr(machine, name, value)

    # -- requests

    def handle(self, request):
        tokens = self.world.faults.credentials or [TOKEN]
        if request.headers.get("authorization", "") not in [f"Bearer {token}" for token in tokens]:
            return refuse(401, "unauthorized", "Unable to authenticate you")
        if (limited := self.charge(request)) is not None:
            return limited
        route, parts = self.routes.find(request.method, request.path.rstrip("/"))
        if route is None:
            self.note_unknown(request, f"there is no {request.method} {request.path}")
            return not_found() if not self.routes.has_path(request.path.rstrip("/")) else refuse(405, "method_not_allowed", "The method is not allowed")
        query = dict(request.query)
        if unknown := set(query) - route.query - set(PAGE):
            self.note_unknown(request, f"{route.name} has no query parameter '{sorted(unknown)[0]}'")
            return unprocessable(f"unknown query parameter {sorted(unknown)[0]}")
        try:
            body = self.read_body(request, route)
        except ValueError as problem:
            self.note_unknown(request, str(problem))
            return unprocessable(str(problem))
        return route.function(Call(self, request, route, parts, query, body))

    def charge(self, request):
        """The answer where a rate limit is exceeded."""
        if not self.world.faults.buckets:
            return None
        now = time.time()
        kinds = ["hour", "minute"] + (["keys"] if request.path.startswith("/v2/account/keys") else [])
        fits = [self.buckets[kind].take(now) for kind in kinds]
        if not all(fits):
            wait = max(self.buckets[kind].wait_s(now) for kind in kinds)
            return self.throttled(request, max(1, int(wait + 1)))
        return None

    def note_unknown(self, request, problem):
        """What the model does not know is a defect of the client."""
        request.problem = problem
        self.world.unknown.append({"call": request.call, "problem": problem})

    @staticmethod
    def read_body(request, route):
        """The body as a map of known fields."""
        if request.method == "GET" or not request.body:
            if request.method == "POST" and route.body is not None:
                raise ValueError("there is no body")
            return {}
        if request.headers.get("content-type", "").split(";")[0] != "application/json":
            raise ValueError("the content type is not application/json")
        body = request.json()
        if not isinstance(body, dict):
            raise ValueError("the body is not a JSON object")
        if unknown := set(body) - set(route.body or ()):
            raise ValueError(f"{route.name} has no field '{sorted(unknown)[0]}'")
        return body

    # -- shared by the calls

    def page(self, call, name, rows, show):
        """One page of rows. Page numbers count what is there at the moment, so they shift."""
        faults = self.world.faults
        try:
            number, size = int(call.query.get("page", 1)), int(call.query.get("per_page", PER_PAGE))
        except ValueError:
            raise unprocessable("page and per_page are numbers") from None
        if number < 1 or not 1 <= size <= PER_PAGE_MAX:
            raise unprocessable(f"per_page must be between 1 and {PER_PAGE_MAX}")
        asked, size = size, min(size, faults.page_size or size)
        last = max(1, -(-len(rows) // size))
        others = "".join(f"&{key}={value}" for key, value in call.query.items() if key not in PAGE)

        def link(to):
            return f"{self.base}{call.request.path[3:]}?page={to}&per_page={asked}{others}"
        pages = {}
        if number > 1:
            pages.update(first=link(1), prev=link(number - 1))
        if number < last:
            pages.update(next=link(number + 1), last=link(last))
        return Answer(200, {name: [show(row) for row in rows[(number - 1) * size:number * size]],
                            "links": {"pages": pages} if pages else {}, "meta": {"total": len(rows)}})

    def begin_action(self, kind, resource_id, resource_type, region, delay_ms, on_end=None):
        """A new action; on_end() runs when it completes and returns the status (None: completed)."""
        action = Action(next(self.numbers), kind, resource_id, resource_type, region, self.world.now())
        self.actions[str(action.id)] = action

        def end():
            action.status = (on_end() if on_end else None) or "completed"
            action.completed_at = self.world.now()
        self.world.after(delay_ms / 1000, end)
        return action

    def tag_object(self, name):
        """The account's tag of that name in any case; made where it is missing."""
        if not isinstance(name, str) or not TAG_NAME.match(name):
            raise unprocessable(f"Tag name is invalid: {name}")
        tags = self.world.tags
        if name.lower() not in tags:
            tags[name.lower()] = {"name": name.swapcase() if self.world.faults.other_case else name, "lastTagged": None}
        return tags[name.lower()]

    def forget_tag(self, key):
        """A tag is deleted: it goes from every resource."""
        del self.world.tags[key]
        for thing in [*self.world.machines.values(), *self.world.disks.values()]:
            if key in thing.tag_keys:
                thing.tag_keys.remove(key)
                self.show_tags_of(thing)

    def show_tags_of(self, thing):
        """The tags of a resource, in the case of the tag objects."""
        names = [self.world.tags[key]["name"] for key in thing.tag_keys]
        thing.tags = {name: "" for name in names}
        if isinstance(thing, Machine):
            thing.token = token_in(names) or thing.token
        thing.commit(self.world)

    def delete_droplet(self, machine):
        """A droplet goes at once; its volumes stay."""
        machine.alive, machine.is_ended, machine.state, machine.ended_at = False, True, "deleted", self.world.now()
        for volume in [each for each in self.world.disks.values() if each.machine == machine.id]:
            volume.machine = None
            volume.commit(self.world)
        machine.disks = []
        machine.erase(self.world)


# -- droplets


def create_droplets(call):
    body, service, world = call.body, call.service, call.world
    names = body.get("names", [body.get("name")])
    check_droplet(call, names)
    for tag in body.get("tags") or []:
        if not isinstance(tag, str) or not TAG_NAME.match(tag):
            raise unprocessable(f"Tag name is invalid: {tag}")
    if world.is_over_quota(len(names)):
        raise unprocessable("creating this/these droplet(s) will exceed your droplet limit")
    if world.is_full(body["region"], body["size"]):
        raise unprocessable("Size is not available in this region.")
    made = [create_droplet(call, name) for name in names]
    links = [{"id": action.id, "rel": "create", "href": f"{service.base}/actions/{action.id}"} for _, action in made]
    shown = [show_droplet(machine) for machine, _ in made]
    return Answer(202, {"droplets": shown, "links": {"actions": links}} if "names" in body else {"droplet": shown[0], "links": {"actions": links}})


def check_droplet(call, names):
    """The refusals of a create request."""
    body, service = call.body, call.service
    for field in ("region", "size", "image"):
        if not body.get(field):
            raise unprocessable(f"{field.capitalize()} can't be blank")
    if not isinstance(names, list) or not 1 <= len(names) <= 10:
        raise unprocessable("names must have 1 to 10 elements")
    for name in names:
        if not isinstance(name, str) or not HOST_NAME.match(name):
            raise unprocessable("Only valid hostname characters are allowed. (a-z, A-Z, 0-9, . and -)")
    if body["region"] not in catalog.REGIONS:
        raise unprocessable("Region is not available" if body["region"] in catalog.CLOSED_REGIONS else "You specified an invalid region for Droplet creation.")
    size = {**catalog.SIZES, **catalog.GPU_SIZES}.get(body["size"])
    if size is None:
        raise unprocessable("You specified an invalid size for Droplet creation.")
    if body["region"] in size[5]:
        raise unprocessable("Size is not available in this region.")
    if catalog.find_image(body["image"]) is None:
        raise unprocessable("You specified an invalid image for Droplet creation.")
    if len((body.get("user_data") or "").encode()) > USER_DATA_MAX:
        raise unprocessable("User data is too long (maximum is 65536 bytes)")
    known = {each for key in service.keys.values() for each in (key["id"], str(key["id"]), key["fingerprint"])}
    for key in body.get("ssh_keys") or []:
        if key not in known:
            raise unprocessable(f"{key} are invalid key identifiers for Droplet creation.")
    vpc = body.get("vpc_uuid")
    if vpc and (vpc not in catalog.VPCS or catalog.VPCS[vpc][1] != body["region"]):
        raise unprocessable("VPC is not in the region of the Droplet or does not exist")
    for id in body.get("volumes") or []:
        volume = call.world.disks.get(id)
        if volume is None or volume.region != body["region"] or volume.machine:
            raise unprocessable(f"volume {id} cannot be attached to the Droplet")


def create_droplet(call, name):
    """One droplet and its action."""
    body, service, world, faults = call.body, call.service, call.world, call.world.faults
    id = str(next(service.numbers))
    image = catalog.find_image(body["image"])
    token = token_in(body.get("tags") or []) or name
    machine = Machine(id, token, name, body["region"], body["size"], image, tag_keys=[], asked_tags=body.get("tags") or [], vpc=body.get("vpc_uuid") or
                      catalog.make_uuid("vpc", body["region"]), is_public=body.get("public_networking", True) is not False, is_locked=True)
    machine.state, machine.details = "new", {"userData": body.get("user_data"), "keys": body.get("ssh_keys") or [], "vpc": machine.vpc}
    world.add_machine(machine)

    def add_tags():
        if machine.alive:
            apply_tags(service, machine, machine.asked_tags)
    if faults.tag_lag_ms:
        world.after(faults.random.random() * faults.tag_lag_ms / 1000, add_tags)
    else:
        add_tags()
    fails = faults.strikes("fail_later")

    def end():
        if not machine.alive:
            return "errored"
        if fails:
            machine.reason = faults.fail_later_code or "capacity"
            world.note_failed(machine.id, machine.token, machine.reason)
            service.delete_droplet(machine)
            return "errored"
        machine.state, machine.is_locked = "active", False
        machine.address = world.address_for(machine.token, name)
        machine.public_address = machine.address if machine.is_public else None
        for volume_id in body.get("volumes") or []:
            if volume_id in world.disks:
                world.disks[volume_id].machine = machine.id
                machine.disks.append(volume_id)
                world.disks[volume_id].commit(world)
        machine.commit(world)
        return None
    return machine, service.begin_action("create", int(id), "droplet", body["region"], faults.boot_ms, end)


def apply_tags(service, thing, names):
    """Put tags on a resource."""
    for name in names:
        key = name.lower()
        service.tag_object(name)["lastTagged"] = getattr(thing, "id", None)
        if key not in thing.tag_keys:
            thing.tag_keys.append(key)
    service.show_tags_of(thing)


def show_droplet(machine):
    """A droplet as a row."""
    memory, cpus, disk, _, _, _ = {**catalog.SIZES, **catalog.GPU_SIZES}[machine.size]
    addresses = []
    if machine.address:
        addresses.append({"ip_address": machine.address, "netmask": "255.255.240.0", "gateway": "10.10.0.1", "type": "private"})
        if machine.public_address:
            addresses.append({"ip_address": machine.public_address, "netmask": "255.255.240.0", "gateway": "203.0.113.1", "type": "public"})
    return {"id": int(machine.id), "name": machine.name, "memory": memory, "vcpus": cpus, "disk": disk, "locked": machine.is_locked,
            "status": machine.state, "kernel": None, "created_at": stamp(machine.created_at), "features": ["droplet_agent"], "backup_ids": [],
            "next_backup_window": None, "snapshot_ids": [], "image": catalog.show_image(machine.image), "volume_ids": list(machine.disks),
            "size": catalog.show_size(machine.size), "size_slug": machine.size, "networks": {"v4": addresses, "v6": []},
            "region": catalog.show_region(machine.zone), "tags": list(machine.tags), "vpc_uuid": machine.vpc}


def list_droplets(call):
    world, query = call.world, call.query
    if "name" in query and "tag_name" in query:
        call.service.note_unknown(call.request, "name and tag_name cannot be combined")
        raise unprocessable("name and tag_name cannot be combined")
    rows = list(world.view(world.machines, world.replica()))
    if "tag_name" in query:
        rows = [row for row in rows if query["tag_name"].lower() in row.tag_keys]
    if "name" in query:
        rows = [row for row in rows if row.name.lower() == query["name"].lower()]
    rows = [row for row in rows if (row.size in catalog.GPU_SIZES) == (query.get("type") == "gpus")]
    return call.service.page(call, "droplets", rows, show_droplet)


def get_droplet(call):
    return Answer(200, {"droplet": show_droplet(call.droplet())})


def delete_droplet(call):
    call.service.delete_droplet(call.droplet())
    return Answer(204)


def delete_tagged(call):
    if "tag_name" not in call.query:
        raise unprocessable("tag_name is required")
    for machine in list(call.world.machines.values()):
        if machine.alive and call.query["tag_name"].lower() in machine.tag_keys:
            call.service.delete_droplet(machine)
    return Answer(204)


# -- actions

# type: (states in which it is possible, state afterwards)
DROPLET_ACTIONS = {"power_cycle": (("active", "off"), "active"), "power_on": (("off",), "active"), "power_off": (("active",), "off"),
                   "reboot": (("active",), "active"), "shutdown": (("active",), "off")}


def act_on_droplet(call):
    machine, kind = call.droplet(), call.body.get("type")
    if kind not in DROPLET_ACTIONS:
        raise unprocessable("The action type is not valid")
    if machine.is_locked:
        raise unprocessable("Droplet already has a pending event.")
    states, after = DROPLET_ACTIONS[kind]
    if machine.state not in states:
        raise unprocessable(f"Droplet is already powered {'on' if kind == 'power_on' else 'off'}.")
    machine.is_locked = True
    machine.commit(call.world)

    def end():
        if machine.alive:
            machine.state, machine.is_locked = after, False
            machine.reboots += kind in ("power_cycle", "reboot")
            machine.commit(call.world)
    action = call.service.begin_action(kind, int(machine.id), "droplet", machine.zone, call.world.faults.operation_ms, end)
    return Answer(201, {"action": action.show()})


def get_action(call):
    action = call.service.actions.get(call.parts.get("action") or call.parts["id"])
    if action is None or ("action" in call.parts and str(action.resource_id) != call.parts["id"]):
        raise not_found()
    return Answer(200, {"action": action.show()})


def list_actions(call):
    wanted = call.parts.get("id")
    rows = [action for action in reversed(call.service.actions.values()) if wanted in (None, str(action.resource_id))]
    return call.service.page(call, "actions", rows, Action.show)


# -- tags


def show_tag(call, key):
    """A tag with the counts of its resources."""
    droplets = [machine for machine in call.world.machines.values() if machine.alive and key in machine.tag_keys]
    volumes = [volume for volume in call.world.disks.values() if key in volume.tag_keys]
    return {"name": call.world.tags[key]["name"], "resources": {
        "count": len(droplets) + len(volumes), "droplets": {"count": len(droplets)}, "images": {"count": 0},
        "volumes": {"count": len(volumes)}, "volume_snapshots": {"count": 0}, "databases": {"count": 0}}}


def find_tag(call):
    """The key of the tag in the path."""
    key = call.parts["tag"].lower()
    if key not in call.world.tags:
        raise not_found()
    return key


def create_tag(call):
    call.service.tag_object(call.body.get("name"))
    return Answer(201, {"tag": show_tag(call, call.body["name"].lower())})


def list_tags(call):
    return call.service.page(call, "tags", sorted(call.world.tags), lambda key: show_tag(call, key))


def get_tag(call):
    return Answer(200, {"tag": show_tag(call, find_tag(call))})


def delete_tag(call):
    call.service.forget_tag(find_tag(call))
    return Answer(204)


def tagged_resources(call):
    """The resources in the body."""
    found = []
    for each in call.body.get("resources") or []:
        if set(each) != {"resource_id", "resource_type"} or not isinstance(each["resource_id"], str):
            raise unprocessable("each resource has a resource_id (a string) and a resource_type")
        things = {"droplet": call.world.machines, "volume": call.world.disks}.get(each["resource_type"])
        if things is None:
            raise unprocessable(f"'{each['resource_type']}' cannot be tagged")
        thing = things.get(each["resource_id"])
        if thing is None or not getattr(thing, "alive", True):
            raise not_found()
        found.append(thing)
    return found


def tag_resources(call):
    key = find_tag(call)
    for thing in tagged_resources(call):
        apply_tags(call.service, thing, [key])
    return Answer(204)


def untag_resources(call):
    key = find_tag(call)
    for thing in tagged_resources(call):
        if key in thing.tag_keys:
            thing.tag_keys.remove(key)
            call.service.show_tags_of(thing)
    return Answer(204)


# -- what only is read


def get_account(call):
    faults = call.world.faults
    limit = faults.quota if faults.quota is not None else 25
    return Answer(200, {"account": {"droplet_limit": limit, "floating_ip_limit": 3,
                                    "email": "sre@example.com", "name": "SRE", "uuid": "b6fr89dbf6d9156cace5f3c78dc9851d957381ef",
                                    "email_verified": True, "status": faults.account_status, "status_message": "",
                                    "team": {"uuid": "5df3e3004a17e242b7c20ca6c9fc25b701a47ece", "name": "My Team"}}})


def list_sizes(call):
    return call.service.page(call, "sizes", [*catalog.SIZES, *catalog.GPU_SIZES], catalog.show_size)


def list_regions(call):
    return call.service.page(call, "regions", [*catalog.REGIONS, *catalog.CLOSED_REGIONS], catalog.show_region)


def list_images(call):
    query = call.query
    rows = list(catalog.PRIVATE_IMAGES if query.get("private") == "true" else
                catalog.IMAGES if query.get("type") == "distribution" else
                [] if query.get("type") == "application" else {**catalog.IMAGES, **catalog.PRIVATE_IMAGES})
    return call.service.page(call, "images", rows, catalog.show_image)


def get_image(call):
    if (id := catalog.find_image(call.parts["id"])) is None:
        raise not_found()
    return Answer(200, {"image": catalog.show_image(id)})


def list_keys(call):
    return call.service.page(call, "ssh_keys", list(call.service.keys.values()), lambda key: key)


def find_key(call):
    """The key in the path, by its number or fingerprint."""
    for key in call.service.keys.values():
        if call.parts["id"] in (str(key["id"]), key["fingerprint"]):
            return key
    raise not_found()


def get_key(call):
    return Answer(200, {"ssh_key": find_key(call)})


def create_key(call):
    name, public = call.body.get("name"), call.body.get("public_key")
    if not name or not public:
        raise unprocessable("Name and public key are required")
    if any(key["public_key"] == public for key in call.service.keys.values()):
        raise unprocessable("SSH Key is already in use on your account")
    key = catalog.show_key(next(call.service.numbers), name, public)
    call.service.keys[key["id"]] = key
    return Answer(201, {"ssh_key": key})


def delete_key(call):
    del call.service.keys[find_key(call)["id"]]
    return Answer(204)


def list_vpcs(call):
    return call.service.page(call, "vpcs", list(catalog.VPCS), catalog.show_vpc)


def get_vpc(call):
    if call.parts["id"] not in catalog.VPCS:
        raise not_found()
    return Answer(200, {"vpc": catalog.show_vpc(call.parts["id"])})


def list_firewalls(call):
    def show(id):
        tags = {tag.lower() for tag in catalog.FIREWALLS[id][1]}
        return catalog.show_firewall(id, [int(machine.id) for machine in call.world.machines.values()
                                          if machine.alive and tags & set(machine.tag_keys)])
    return call.service.page(call, "firewalls", list(catalog.FIREWALLS), show)


ROUTES = [
    Route("account.get", "GET", "/v2/account", get_account),
    Route("keys.list", "GET", "/v2/account/keys", list_keys, PAGE),
    Route("keys.create", "POST", "/v2/account/keys", create_key, body={"name", "public_key"}),
    Route("keys.get", "GET", "/v2/account/keys/{id}", get_key),
    Route("keys.delete", "DELETE", "/v2/account/keys/{id}", delete_key),
    Route("sizes.list", "GET", "/v2/sizes", list_sizes, PAGE),
    Route("regions.list", "GET", "/v2/regions", list_regions, PAGE),
    Route("images.list", "GET", "/v2/images", list_images, (*PAGE, "type", "private", "tag_name")),
    Route("images.get", "GET", "/v2/images/{id}", get_image),
    Route("vpcs.list", "GET", "/v2/vpcs", list_vpcs, PAGE),
    Route("vpcs.get", "GET", "/v2/vpcs/{id}", get_vpc),
    Route("firewalls.list", "GET", "/v2/firewalls", list_firewalls, PAGE),
    Route("droplets.create", "POST", "/v2/droplets", create_droplets, body=DROPLET_FIELDS),
    Route("droplets.list", "GET", "/v2/droplets", list_droplets, (*PAGE, "tag_name", "name", "type")),
    Route("droplets.delete_tagged", "DELETE", "/v2/droplets", delete_tagged, ("tag_name",)),
    Route("droplets.get", "GET", "/v2/droplets/{id}", get_droplet),
    Route("droplets.delete", "DELETE", "/v2/droplets/{id}", delete_droplet),
    Route("droplets.act", "POST", "/v2/droplets/{id}/actions", act_on_droplet, body={"type"}),
    Route("droplets.actions.list", "GET", "/v2/droplets/{id}/actions", list_actions, PAGE),
    Route("droplets.actions.get", "GET", "/v2/droplets/{id}/actions/{action}", get_action),
    Route("actions.list", "GET", "/v2/actions", list_actions, PAGE),
    Route("actions.get", "GET", "/v2/actions/{id}", get_action),
    Route("tags.create", "POST", "/v2/tags", create_tag, body={"name"}),
    Route("tags.list", "GET", "/v2/tags", list_tags, PAGE),
    Route("tags.get", "GET", "/v2/tags/{tag}", get_tag),
    Route("tags.delete", "DELETE", "/v2/tags/{tag}", delete_tag),
    Route("tags.add", "POST", "/v2/tags/{tag}/resources", tag_resources, body={"resources"}),
    Route("tags.remove", "DELETE", "/v2/tags/{tag}/resources", untag_resources, body={"resources"}),
]


def make_service(world):
    """For serve.py."""
    return DigitalOcean(world)
