"""The fake of Google Compute Engine v1, with the token endpoint of its service account and the metadata address, at one port."""

import json
import urllib.parse

import gcd_catalog
import gcd_disks
import gcd_instances
import gcd_schema
import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from faults import Bucket
from gcd_common import Call, Refused, UnknownToModel
from harness import Answer, Service
from routes import Routes

STANDARD_QUERY = {"alt", "fields", "key", "prettyPrint", "quotaUser", "userIp", "$.xgafv"}
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
SCOPES = {"https://www.googleapis.com/auth/compute", "https://www.googleapis.com/auth/cloud-platform"}
JWT_LIFE_S, SKEW_S = 3600, 300
RATES = {"read": (10, 100), "change": (5, 50)}
READS = ("get", "list", "aggregatedList", "getFromFamily", "getSerialPortOutput", "getGuestAttributes", "testIamPermissions", "wait")


class Gcd(Service):
    """The service behind the port."""

    name = "gcd"

    def __init__(self, world):
        super().__init__(world)
        self.project = gcd_catalog.PROJECT
        self.email = f"reeve@{self.project}.iam.gserviceaccount.com"
        self.routes = Routes(gcd_catalog.ROUTES + gcd_disks.ROUTES + gcd_instances.ROUTES)
        self.private_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.operations, self.request_ids = {}, {}
        self.numbers = iter(range(1001, 100000000))
        self.tokens, self.buckets = {}, {}
        self.token_uri = ""

    def on_start(self, port, is_tls):
        """The ports are bound."""
        self.token_uri = f"http{'s' if is_tls else ''}://{'localhost' if is_tls else '127.0.0.1'}:{port}/token"

    def announce(self):
        """What the first line of output tells besides the ports."""
        pem = self.private_key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        account = {"type": "service_account", "project_id": self.project, "private_key_id": "0123456789abcdef0123456789abcdef01234567",
                   "private_key": pem.decode(), "client_email": self.email, "client_id": "104041262415104041262",
                   "auth_uri": self.token_uri.replace("/token", "/auth"), "token_uri": self.token_uri,
                   "universe_domain": "googleapis.com"}
        return {"credential": json.dumps(account, indent=2) + "\n", "settings": {"zones": [gcd_catalog.ZONES[0]]}}

    def faults_changed(self):
        """The token buckets start anew."""
        self.buckets.clear()

    # -- what the harness asks

    def name_call(self, request):
        if request.path == "/token":
            return "token"
        if request.path.startswith("/computeMetadata/"):
            return "metadata"
        route, _ = self.routes.find(request.method, urllib.parse.unquote(request.path))
        return route.name if route else "unknown"

    def is_change(self, call):
        return call not in ("token", "metadata", "unknown") and call.rpartition(".")[2] not in READS

    def region_of(self, request):
        parts = request.path.split("/")
        return next((parts[i + 1] for i, part in enumerate(parts[:-1]) if part in ("zones", "regions")), None)

    def is_dead_place(self, place):
        """Is a zone, or its region, in the fault `dead_region`?"""
        return place in self.world.faults.dead_region or gcd_catalog.region_of(place) in self.world.faults.dead_region

    def throttled(self, request, retry_after_s):
        status, reason, message = self.world.faults.random.choice((
            (403, "rateLimitExceeded", "Rate Limit Exceeded"), (403, "userRateLimitExceeded", "User Rate Limit Exceeded"),
            (403, "quotaExceeded", "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute' of service 'compute.googleapis.com' "
             "for consumer 'project_number:415104041262': too many requests per minute."),
            (429, "rateLimitExceeded", "Resource has been exhausted (e.g. check quota).")))
        return Refused(status, reason, message, {"Retry-After": str(retry_after_s)} if status == 429 else None)

    def failure(self, request):
        return self.world.faults.random.choice((Refused(503, "backendError", "Backend Error"), Refused(500, "internalError", "Internal Error")))

    def error(self, request, status, code, message, headers=None):
        return Refused(status, code, message, headers)

    def truth_end(self, machine, reason):
        if reason == "stop":
            gcd_instances.stop_machine(self, machine)
        elif reason == "spot":
            machine.reason = reason
            gcd_instances.stop_machine(self, machine, "Instance was preempted.")
        else:
            machine.reason = reason
            gcd_instances.begin_end(self, machine)
            self.world.after(self.world.faults.end_ms / 1000, lambda: gcd_instances.set_gone(self, machine))

    def truth_set(self, machine, values):
        for name, value in values.items():
            if name not in ("address", "state", "public_address", "console", "guest_attributes", "labels"):
                raise KeyError(f"a machine has no '{name}' to be set")
            setattr(machine, name, value)
        machine.tags = machine.labels

    # -- requests

    def handle(self, request):
        if request.path == "/token":
            return self.answer_token(request)
        if request.path.startswith("/computeMetadata/"):
            return self.answer_metadata(request)
        try:
            return self.answer_call(request)
        except UnknownToModel as refusal:
            request.problem = refusal.message
            self.world.unknown.append({"call": request.call, "problem": refusal.message})
            return refusal

    def answer_call(self, request):
        self.check_token(request)
        path = urllib.parse.unquote(request.path)
        route, parts = self.routes.find(request.method, path)
        if route is None:
            raise UnknownToModel(f"there is no {request.method} {path}")
        if parts.get("project") != self.project and not route.name.startswith("images."):
            raise Refused(403, "forbidden", f"Required permission for 'projects/{parts.get('project')}'")
        query = self.read_query(request, route)
        body = self.read_body(request, route)
        self.charge(route.name)
        return route.function(Call(self, request, route, parts, query, body))

    def check_token(self, request):
        """The access token."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme != "Bearer" or self.tokens.get(token, 0) < self.world.clock():
            message = "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid " \
                "authentication credential."
            raise Refused(401, "authError", message, {"WWW-Authenticate": 'Bearer realm="https://accounts.google.com/", error="invalid_token"'})

    @staticmethod
    def read_query(request, route):
        """The query parameters, each known and of the right form."""
        query = {}
        for name, value in request.query:
            if name not in route.query and name not in STANDARD_QUERY:
                raise UnknownToModel(f'Invalid JSON payload received. Unknown name "{name}": Cannot bind query parameter. Field \'{name}\' could '
                                     "not be found in request message.")
            if name in query:
                raise UnknownToModel(f"the query parameter '{name}' occurs twice")
            query[name] = value
        if query.get("alt", "json") != "json":
            raise UnknownToModel(f"alt={query['alt']} is not supported")
        for name in ("returnPartialSuccess", "includeAllScopes", "prettyPrint"):
            if query.get(name, "true") not in ("true", "false"):
                raise UnknownToModel(f"Invalid value at '{name}' (TYPE_BOOL), \"{query[name]}\"")
        return query

    @staticmethod
    def read_body(request, route):
        """The body, checked against its schema."""
        if route.body is None:
            if request.body not in (b"", b"{}"):
                raise UnknownToModel(f"{route.name} has no body")
            return {}
        if request.headers.get("content-type", "").split(";")[0] != "application/json":
            raise UnknownToModel("the content type is not application/json")
        try:
            body = request.json()
        except ValueError as problem:
            raise UnknownToModel(f"Invalid JSON payload received. {problem}") from None
        if not isinstance(body, dict):
            raise UnknownToModel("Invalid JSON payload received. The body is not an object.")
        try:
            gcd_schema.check(body, route.body)
        except gcd_schema.BadBody as problem:
            raise UnknownToModel(str(problem)) from None
        return body

    def charge(self, name):
        """The rate of the calls of a kind."""
        if self.world.faults.buckets:
            kind = "change" if self.is_change(name) else "read"
            if not self.buckets.setdefault(kind, Bucket(*RATES[kind])).take(self.world.now()):
                raise Refused(403, "rateLimitExceeded", "Rate Limit Exceeded")

    # -- tokens

    def new_token(self):
        """An access token: (text, seconds of its life)."""
        token = f"ya29.test-{len(self.tokens)}"
        life = self.world.faults.token_ms / 1000
        self.tokens[token] = self.world.clock() + life
        return {"access_token": token, "expires_in": max(1, int(life) - 1), "token_type": "Bearer"}

    def answer_token(self, request):
        """The assertion of the service account is exchanged for an access token."""
        def refuse(text, code="invalid_grant"):
            return Answer(400, {"error": code, "error_description": text})
        fields = dict(urllib.parse.parse_qsl(request.body.decode("latin-1")))
        if request.method != "POST" or request.headers.get("content-type", "").split(";")[0] != "application/x-www-form-urlencoded":
            return refuse("Invalid content type", "invalid_request")
        if fields.get("grant_type") != GRANT:
            return refuse("Invalid grant_type", "unsupported_grant_type")
        try:
            claims = jwt.decode(fields.get("assertion", ""), self.private_key.public_key(), algorithms=["RS256"],
                                audience=self.token_uri, issuer=self.email, options={"verify_exp": False, "verify_iat": False,
                                                                                   "require": ["exp", "iat", "iss", "aud"]})
        except jwt.InvalidSignatureError:
            return refuse("Invalid JWT Signature.")
        except jwt.PyJWTError as problem:
            return refuse(f"Invalid JWT: {problem}")
        now = self.world.clock()
        if not (claims["iat"] - SKEW_S <= now < claims["exp"] + SKEW_S) or claims["exp"] - claims["iat"] > JWT_LIFE_S:
            return refuse("Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values "
                          "in the JWT claim.")
        if not SCOPES & set(claims.get("scope", "").split()):
            return refuse("Invalid OAuth scope or ID token audience provided.", "invalid_scope")
        return Answer(200, self.new_token())

    def answer_metadata(self, request):
        """The metadata address of an instance."""
        if request.headers.get("metadata-flavor") != "Google":
            return Answer(403, "Missing Metadata-Flavor:Google header.", "text/html")
        paths = {"/computeMetadata/v1/instance/service-accounts/default/token": self.new_token,
                 "/computeMetadata/v1/instance/service-accounts/default/email": lambda: self.email,
                 "/computeMetadata/v1/project/project-id": lambda: self.project}
        if request.path not in paths:
            return Answer(404, "not found", "text/html", {"Metadata-Flavor": "Google"})
        return Answer(200, paths[request.path](), headers={"Metadata-Flavor": "Google"})


def make_service(world):
    """For serve.py."""
    return Gcd(world)
