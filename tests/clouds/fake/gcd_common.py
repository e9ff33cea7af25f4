"""What the parts of the gcd fake share: refusals, calls, pages, filters, operations."""

import base64
import json
import re
import time
import uuid

import gcd_schema
from harness import Answer

TERM = re.compile(r'^\(?\s*([\w.-]+)\s*(!=|=|\beq\b|\bne\b|:)\s*"?([^")]*)"?\s*\)?$')
PAGE_MAX = 500
DOMAINS = {"rateLimitExceeded": "usageLimits", "userRateLimitExceeded": "usageLimits", "quotaExceeded": "usageLimits",
           "accessNotConfigured": "usageLimits"}
STATUSES = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 409: "ALREADY_EXISTS",
            412: "FAILED_PRECONDITION", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE"}


class Refused(Answer):
    """An error as Compute Engine writes it."""

    def __init__(self, status, reason, message, headers=None):
        super().__init__(status, {"error": {"code": status, "message": message, "errors": [
            {"message": message, "domain": DOMAINS.get(reason, "global"), "reason": reason}],
            **({"status": STATUSES[status]} if status in STATUSES else {})}}, "application/json; charset=UTF-8", headers)


class UnknownToModel(Refused):
    """The model does not know what was sent. Such a request is a defect of the client, so it is counted."""

    def __init__(self, message):
        super().__init__(400, "badRequest", message)
        self.message = message


def not_found(resource):
    """404."""
    return Refused(404, "notFound", f"The resource '{resource}' was not found")


def stamp(at):
    """A time as Compute Engine writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + f".{int(at * 1000) % 1000:03d}-00:00"


class Call:
    """One call: its route, the parts of the path, query and body."""

    def __init__(self, service, request, route, parts, query, body):
        self.service, self.world, self.request, self.route = service, service.world, request, route
        self.parts, self.query, self.body = parts, query, body

    def link(self, path):
        """The address of a resource of the project."""
        return f"https://www.googleapis.com/compute/v1/projects/{self.service.project}" + (f"/{path}" if path else "")

    def name_resource(self, path):
        """A resource as texts of errors name it."""
        return f"projects/{self.service.project}/{path}"


def answer(call, value, schema=None):
    """200, reduced to the fields that were asked for."""
    if "fields" in call.query:
        try:
            mask = gcd_schema.parse_mask(call.query["fields"])
            if schema:
                gcd_schema.check_mask(mask, schema)
        except gcd_schema.BadBody as problem:
            raise UnknownToModel(str(problem)) from None
        value = gcd_schema.apply_mask(value, mask)
    return Answer(200, value, "application/json; charset=UTF-8")


def parse_filter(text):
    """A filter as a list of (field, is equal, value)."""
    terms = []
    for part in re.split(r"\s+AND\s+|(?<=\))\s*(?=\()", text.strip()) if text else []:
        found = TERM.match(part.strip())
        if not found:
            raise Refused(400, "invalid", f"Invalid value for field 'filter': '{text}'. Invalid list filter expression.")
        terms.append((found[1], found[2] not in ("!=", "ne"), found[2], found[3]))
    return terms


def matches(row, terms):
    """Does a row match a filter?"""
    for field, wants_equal, operator, value in terms:
        place = row
        for name in field.split("."):
            place = place.get(name) if isinstance(place, dict) else None
        if operator == ":":
            is_equal = place is not None and (value == "*" or value in str(place))
        else:
            is_equal = str(place).lower() == value.lower() if isinstance(place, bool) else place == value
        if is_equal != wants_equal:
            return False
    return True


def cut_page(call, rows, key):
    """One page of rows in the order of key(row), and the token of the next page or None."""
    faults = call.world.faults
    try:
        size = int(call.query.get("maxResults", PAGE_MAX))
    except ValueError:
        raise Refused(400, "invalid", "Invalid value for field 'maxResults'") from None
    if not 0 <= size <= PAGE_MAX:
        raise Refused(400, "invalid", f"Invalid value for field 'maxResults': '{size}'. Value must be in the range 0 to {PAGE_MAX}")
    size = min(size or PAGE_MAX, faults.page_size or PAGE_MAX)
    rows = sorted(rows, key=key)
    subject = f"{call.request.path}?{call.query.get('filter', '')}"
    if token := call.query.get("pageToken"):
        try:
            of, after = json.loads(base64.urlsafe_b64decode(token))
        except ValueError:
            of, after = None, None
        if of != subject or faults.strikes("expire_page_tokens"):
            raise Refused(400, "invalid", f"Invalid value for field 'pageToken': '{token}'. The page token is invalid or has expired.")
        rows = [row for row in rows if list(key(row)) > after]
    if len(rows) <= size:
        return rows, None
    return rows[:size], base64.urlsafe_b64encode(json.dumps([subject, list(key(rows[size - 1]))]).encode()).decode()


def list_page(call, kind, rows, schema=None):
    """A listing of one scope."""
    rows, token = cut_page(call, [row for row in rows if matches(row, parse_filter(call.query.get("filter")))], lambda row: (row["name"],))
    value = {"kind": kind, "id": call.request.path[len("/compute/v1/"):], "selfLink": call.link(call.request.path.split("/", 5)[-1])}
    if rows:
        value["items"] = rows
    if token:
        value["nextPageToken"] = token
    return answer(call, value, schema)


def list_scopes(call, kind, name, rows, zones, schema):
    """An aggregated listing: rows are (zone, row)."""
    terms = parse_filter(call.query.get("filter"))
    dead = [zone for zone in zones if call.service.is_dead_place(zone)]
    is_partial = call.query.get("returnPartialSuccess") == "true"
    if dead and not is_partial:
        raise Refused(503, "backendError", f"Backend Error: zone {dead[0]} is unreachable")
    found, token = cut_page(call, [pair for pair in rows if pair[0] not in dead and matches(pair[1], terms)],
                            lambda pair: (pair[0], pair[1]["name"]))
    items = {}
    for zone in zones:
        of_zone = [row for where, row in found if where == zone]
        scope = f"zones/{zone}"
        if zone in dead:
            items[scope] = {"warning": {"code": "UNREACHABLE", "message": f"The scope '{scope}' is unreachable.",
                                        "data": [{"key": "scope", "value": scope}]}}
        elif of_zone:
            items[scope] = {name: of_zone}
        else:
            items[scope] = {"warning": {"code": "NO_RESULTS_ON_PAGE", "message": f"There are no results for scope '{scope}' on this page.",
                                        "data": [{"key": "scope", "value": scope}]}}
    value = {"kind": kind, "id": call.request.path[len("/compute/v1/"):], "items": items, "selfLink": call.link(f"aggregated/{name}")}
    if dead:
        value["unreachables"] = [f"zones/{zone}" for zone in dead]
    if token:
        value["nextPageToken"] = token
    return answer(call, value, schema)


# -- operations


class Operation:
    """One operation of a zone."""

    def __init__(self, number, zone, kind, target, started_at):
        self.name = f"operation-{int(started_at * 1000)}-{uuid.UUID(int=number).hex[-12:]}-{number:08x}"
        self.number, self.zone, self.kind, self.target, self.started_at = number, zone, kind, target, started_at
        self.status, self.ended_at, self.errors, self.http_status = "PENDING", None, [], None

    def show(self, call):
        """The row."""
        value = {"kind": "compute#operation", "id": str(8000000000000000000 + self.number), "name": self.name, "operationType": self.kind,
                 "zone": call.link(f"zones/{self.zone}"), "targetLink": call.link(self.target), "targetId": str(7000000000000000000 + self.number),
                 "status": self.status, "user": call.service.email, "progress": {"PENDING": 0, "RUNNING": 50, "DONE": 100}[self.status],
                 "insertTime": stamp(self.started_at), "startTime": stamp(self.started_at),
                 "selfLink": call.link(f"zones/{self.zone}/operations/{self.name}")}
        if self.ended_at is not None:
            value["endTime"] = stamp(self.ended_at)
        if self.errors:
            value.update({"error": {"errors": self.errors}, "httpErrorStatusCode": self.http_status or 503,
                          "httpErrorMessage": "SERVICE UNAVAILABLE" if (self.http_status or 503) == 503 else "FORBIDDEN"})
        return value


def begin_operation(call, kind, target, delay_ms, on_end=None):
    """A new operation, or the known one of the same requestId: (operation, is new).

    on_end() runs when it is done and returns None, or (code, text, HTTP status) of its error.
    """
    world, service, zone = call.world, call.service, call.parts["zone"]
    request_id = call.query.get("requestId")
    if request_id is not None and request_id in service.request_ids:
        return service.request_ids[request_id], False
    operation = Operation(next(service.numbers), zone, kind, target, world.now())
    service.operations[zone, operation.name] = operation
    if request_id is not None:
        service.request_ids[request_id] = operation

    def run():
        operation.status = "RUNNING"

    def end():
        problem = on_end() if on_end else None
        if problem:
            code, text, operation.http_status = problem
            operation.errors = [{"code": code, "message": text}]
        operation.status, operation.ended_at = "DONE", world.now()
    world.after(delay_ms / 2000, run)
    world.after(delay_ms / 1000, end)
    return operation, True


def check_request_id(call):
    """requestId must be a UUID, and not the zero one."""
    text = call.query.get("requestId")
    if text is None:
        return
    try:
        is_right = uuid.UUID(text).int != 0 and re.fullmatch(r"[0-9a-fA-F-]{36}", text)
    except ValueError:
        is_right = False
    if not is_right:
        raise Refused(400, "invalid", f"Invalid value for field 'requestId': '{text}'. Must be a valid UUID and not the zero UUID.")


def known_operation(call):
    """The answer to a requestId that was used already; None: it is new."""
    check_request_id(call)
    operation = call.service.request_ids.get(call.query.get("requestId"))
    return answer(call, operation.show(call)) if operation is not None else None
