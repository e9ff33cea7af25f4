"""The fake of OpenStack at one port: keystone at /v3, and each region's services below /REGION/compute, network, image and volume."""

import secrets
import time

import openstack_catalog as catalog
from faults import Bucket
from harness import Answer, Service
from openstack_network import ROUTES as NETWORK_ROUTES
from openstack_servers import ROUTES as SERVER_ROUTES
from openstack_servers import begin_delete, show_fault
from openstack_volumes import ROUTES as VOLUME_ROUTES
from openstack_volumes import release_volumes
from routes import Route, Routes

MICROVERSION_MIN, RATE = (2, 1), (50, 500)
FAULT_NAMES = {400: "badRequest", 401: "unauthorized", 403: "forbidden", 404: "itemNotFound", 405: "badMethod", 409: "conflictingRequest",
               413: "overLimit", 415: "badMediaType", 429: "overLimit", 503: "serviceUnavailable"}
SERVICES = (("compute", "nova", "compute/v2.1"), ("network", "neutron", "network"), ("image", "glance", "image"),
            ("volumev3", "cinderv3", f"volume/v3/{catalog.PROJECT}"))
STATE_NAMES = ("address", "console", "state", "tags", "metadata", "fault", "power")


def stamp(at):
    """A time."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime(at))


def refuse(service, status, message, code=None, headers=None):
    """An error as the service of that name writes it."""
    if service == "network":
        return Answer(status, {"NeutronError": {"type": code or "BadRequest", "message": message, "detail": ""}}, headers=headers)
    if service == "image":
        return Answer(status, f"<html><head><title>{status}</title></head><body>{message}</body></html>", "text/html; charset=UTF-8", headers)
    if service == "identity":
        return Answer(status, {"error": {"code": status, "message": message, "title": code or "Unauthorized"}}, headers=headers)
    return Answer(status, {FAULT_NAMES.get(status, "computeFault"): {"code": status, "message": message}}, headers=headers)


class Call:
    """One call: its route, the parts of the path, query and body."""

    def __init__(self, service, request, route, parts, version):
        self.service, self.world, self.request, self.route, self.parts, self.version = service, service.world, request, route, parts, version
        self.query, self.region, self.body = dict(request.query), parts.get("region"), None
        self.kind = service.kind_of(request)

    def refuse(self, status, message, code=None):
        """An error of this service."""
        return refuse(self.kind, status, message, code)

    def bad(self, problem):
        """What no model knows is a defect of the client."""
        self.service.note_unknown(self.request, problem)
        return self.refuse(400, problem)

    def page(self, name, rows, show, links=None):
        """A page by limit and marker, newest first as given; an unknown marker is refused."""
        faults, query = self.world.faults, self.query
        limit = int(query.get("limit", 1000))
        limit = min(limit, faults.page_size or limit)
        if marker := query.get("marker"):
            ids = [row.id if not isinstance(row, dict) else row["id"] for row in rows]
            if marker not in ids or faults.strikes("expire_page_tokens"):
                raise self.refuse(400, f"marker [{marker}] not found")
            rows = rows[ids.index(marker) + 1:]
        shown, more = [show(row) for row in rows[:limit]], len(rows) > limit
        answer = {name: shown}
        if links and (more or ("limit" in query and len(shown) == limit)) and shown:
            others = "".join(f"{key}={value}&" for key, value in self.request.query if key != "marker")
            answer[links] = [{"rel": "next", "href": f"{self.service.base}{self.request.path}?{others}marker={shown[-1]['id']}"}]
        return Answer(200, answer)


class OpenStack(Service):
    """The service behind the port."""

    name = "openstack"
    release_volumes = staticmethod(release_volumes)

    def __init__(self, world):
        super().__init__(world)
        self.routes = Routes(ROUTES + SERVER_ROUTES + NETWORK_ROUTES + VOLUME_ROUTES)
        self.tokens, self.base, self.bucket, self.addresses = {}, "", Bucket(*RATE), 0

    def on_start(self, port, is_tls):
        """The ports are bound."""
        self.base = f"http{'s' if is_tls else ''}://127.0.0.1:{port}"

    def announce(self):
        """An openrc as Horizon writes it for an application credential."""
        lines = ("#!/usr/bin/env bash", "export OS_AUTH_TYPE=v3applicationcredential", f"export OS_AUTH_URL={self.base}/v3",
                 "export OS_IDENTITY_API_VERSION=3", 'export OS_REGION_NAME="RegionOne"', "export OS_INTERFACE=public",
                 f"export OS_APPLICATION_CREDENTIAL_ID={catalog.CREDENTIAL_ID}",
                 f"export OS_APPLICATION_CREDENTIAL_SECRET={catalog.CREDENTIAL_SECRET}")
        return {"credential": "\n".join(lines) + "\n"}

    def faults_changed(self):
        self.bucket = Bucket(*RATE)

    # -- what the harness asks

    @staticmethod
    def kind_of(request):
        """The service that a request is for."""
        parts = request.path.split("/")
        return parts[2] if len(parts) > 2 and parts[1] in catalog.REGIONS else "identity"

    def name_call(self, request):
        route, _ = self.routes.find(request.method, request.path.rstrip("/"))
        return route.name if route else "unknown"

    def is_change(self, call):
        return call.endswith((".create", ".delete", ".action", ".set"))

    def region_of(self, request):
        part = request.path.split("/")[1]
        return part if part in catalog.REGIONS else None

    def throttled(self, request, retry_after_s):
        status = self.world.faults.random.choice((413, 429))
        return Answer(status, {"overLimit": {"code": status, "message": "This request was rate-limited.", "retryAfter": str(retry_after_s)}},
                      headers={"Retry-After": str(retry_after_s)})

    def failure(self, request):
        return self.world.faults.random.choice((
            refuse("compute", 500, "Unexpected API Error. Please report this at http://bugs.launchpad.net/nova/ and attach the Nova API log if possible."),
            refuse("compute", 503, "Service Unavailable")))

    def error(self, request, status, code, message, headers=None):
        return refuse(self.kind_of(request), status, message, code if code != "Injected" else None, headers)

    def common_headers(self, request):
        headers = {"X-Openstack-Request-Id": "req-7e577e57-0000-0000-0000-000000000000"}
        if self.kind_of(request) == "compute":
            headers |= {"OpenStack-API-Version": "compute 2.79", "Vary": "OpenStack-API-Version"}
        return headers

    def truth_end(self, machine, reason):
        if reason == "stop":
            machine.state, machine.power = "SHUTOFF", 4
        elif reason == "host":
            machine.state, machine.power, machine.fault = "ERROR", 0, show_fault(500, "Compute host is down", self.world)
        else:
            machine.reason = reason
            begin_delete(self, machine)
        machine.commit(self.world)

    def truth_set(self, machine, values):
        for name, value in values.items():
            if name not in STATE_NAMES:
                raise KeyError(f"a machine has no '{name}' to be set")
            setattr(machine, name, show_fault(500, value, self.world) if name == "fault" and value else value)

    # -- requests

    def note_unknown(self, request, problem):
        """What no model knows is a defect of the client."""
        request.problem = problem
        self.world.unknown.append({"call": request.call, "problem": problem})

    def handle(self, request):
        kind = self.kind_of(request)
        if self.world.faults.buckets and not self.bucket.take(self.world.now()):
            return self.throttled(request, 1)
        route, parts = self.routes.find(request.method, request.path.rstrip("/"))
        if route is None:
            self.note_unknown(request, f"there is no {request.method} {request.path}")
            return refuse(kind, 404, "The resource could not be found.")
        is_open = route.name.startswith(("version.", "tokens."))
        if not is_open and self.tokens.get(request.headers.get("x-auth-token", ""), 0) < self.world.clock():
            return refuse("identity", 401, "The request you have made requires authentication.", headers={"WWW-Authenticate": "Keystone uri=''"})
        version = self.read_version(request, kind)
        call = Call(self, request, route, parts, version)
        if unknown := set(call.query) - route.query:
            raise call.bad(f"{route.name} has no query parameter '{sorted(unknown)[0]}'")
        if route.body is not None:
            call.body = self.read_body(call)
        return route.function(call)

    def read_version(self, request, kind):
        """The microversion of a request to nova."""
        text = request.headers.get("openstack-api-version", "")
        if kind != "compute" or not text.startswith("compute "):
            return MICROVERSION_MIN
        try:
            version = tuple(int(part) for part in text.split()[1].split("."))
        except ValueError:
            raise refuse(kind, 400, f"API Version String {text} is of invalid format.") from None
        most = tuple(int(part) for part in self.world.faults.compute_max.split("."))
        if not MICROVERSION_MIN <= version <= most:
            raise refuse(kind, 406, f"Version {text.split()[1]} is not supported by the API. Minimum is 2.1 and maximum is {self.world.faults.compute_max}.")
        return version

    @staticmethod
    def read_body(call):
        """The body as a map with the one member that the route states."""
        if call.request.headers.get("content-type", "").split(";")[0] != "application/json":
            raise call.bad("Unsupported Content-Type")
        try:
            body = call.request.json()
        except ValueError:
            raise call.bad("Malformed request body") from None
        if not isinstance(body, dict) or (call.route.body and not set(body) <= set(call.route.body)):
            raise call.bad(f"Invalid input for {call.route.name}: {sorted(body) if isinstance(body, dict) else body}")
        return body

    # -- keystone

    def catalog_of(self):
        """The service catalog of a token."""
        return [{"type": kind, "name": name, "id": catalog.make_uuid("service", kind), "endpoints": [
            {"id": catalog.make_uuid("endpoint", kind, region, interface), "interface": interface, "region": region, "region_id": region,
             "url": f"{self.base}/{region}/{path}" if interface == "public" else "http://192.0.2.1/internal"}
            for region in catalog.REGIONS for interface in ("internal", "public")]} for kind, name, path in SERVICES]


def create_token(call):
    """POST /v3/auth/tokens."""
    service, auth = call.service, call.body.get("auth") or {}
    identity = auth.get("identity") or {}
    secret, accepted = None, call.world.faults.credentials or [catalog.CREDENTIAL_SECRET, catalog.PASSWORD]
    if identity.get("methods") == ["application_credential"]:
        given = identity.get("application_credential") or {}
        if given.get("id") == catalog.CREDENTIAL_ID and "scope" not in auth:
            secret = given.get("secret")
    elif identity.get("methods") == ["password"]:
        given = (identity.get("password") or {}).get("user") or {}
        scope = (auth.get("scope") or {}).get("project") or {}
        if (given.get("name"), (given.get("domain") or {}).get("name")) == (catalog.USER, "Default") and (
                scope.get("id") == catalog.PROJECT or (scope.get("name"), (scope.get("domain") or {}).get("id")) == ("shop", "default")):
            secret = given.get("password")
    else:
        raise call.bad(f"unknown methods {identity.get('methods')}")
    if secret not in accepted:
        raise call.refuse(401, "The request you have made requires authentication.")
    token = "gAAAAAB" + secrets.token_urlsafe(64)
    now, life = call.world.clock(), call.world.faults.token_ms / 1000
    service.tokens[token] = now + life
    body = {"methods": identity["methods"], "user": {"id": "u1", "name": catalog.USER, "domain": {"id": "default", "name": "Default"}},
            "project": {"id": catalog.PROJECT, "name": "shop", "domain": {"id": "default", "name": "Default"}}, "is_domain": False,
            "roles": [{"id": "r1", "name": "member"}], "catalog": service.catalog_of(), "issued_at": stamp(now), "expires_at": stamp(now + life + 0.999),
            "audit_ids": ["7e57"]}
    return Answer(201, {"token": body}, headers={"X-Subject-Token": token, "Vary": "X-Auth-Token"})


def show_identity(call):
    version = {"id": "v3.14", "status": "stable", "updated": "2020-04-07T00:00:00Z", "media-types": [],
               "links": [{"rel": "self", "href": f"{call.service.base}/v3/"}]}
    return Answer(200, {"version": version})


def show_versions(call):
    """The version documents of the services, which clients read before their first call."""
    base = f"{call.service.base}/{call.region}/{call.kind}"
    versions = {"compute": ("v2.1", "2.1", call.world.faults.compute_max), "network": ("v2.0", None, None), "image": ("v2.9", None, None),
                "volume": ("v3.0", "3.0", "3.70")}
    id, least, most = versions[call.kind]
    path = id if call.kind in ("compute", "network") else id.split(".")[0]
    row = {"id": id, "status": "CURRENT", "updated": "2013-07-23T11:33:21Z", "links": [{"rel": "self", "href": f"{base}/{path}/"}]}
    if least:
        row |= {"min_version": least, "version": most}
    return Answer(200, {"versions": [row]} if call.route.name == "version.list" else {"version": row})


ROUTES = [Route("tokens.create", "POST", "/v3/auth/tokens", create_token, ("nocatalog",), ("auth",)),
          Route("version.identity", "GET", "/v3", show_identity),
          Route("version.get", "GET", "/{region}/compute/v2.1", show_versions),
          Route("version.get", "GET", "/{region}/volume/v3", show_versions),
          Route("version.list", "GET", "/{region}/network", show_versions),
          Route("version.list", "GET", "/{region}/image", show_versions)]


def make_service(world):
    """For serve.py."""
    return OpenStack(world)
