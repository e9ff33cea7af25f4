"""The fake of AWS: EC2, STS, SSM, Service Quotas and the metadata address, at one port.

The service is recognised by the credential scope of the signature, otherwise by the host name.
"""

import aws_catalog
import aws_instances
import aws_protocol
import aws_volumes
from aws_protocol import Refusal, UnknownToModel
from faults import Bucket
from harness import Answer, Service

ACCESS_KEY, SECRET_KEY = "AKIDTEST", "secrettest"
VERSION = {"ec2": "2016-11-15", "sts": "2011-06-15"}
CALLS = {**aws_catalog.CALLS, **aws_instances.CALLS, **aws_volumes.CALLS}
READS = ("Describe", "Get", "List", "AssumeRole")
# Kind of call: (requests per second, burst), (resources per second, burst).
BUCKETS = {"run": ((2, 5), (2, 1000)), "terminate": ((5, 100), (20, 1000)), "read": ((20, 100), None), "change": ((5, 50), None)}
QUOTAS = {"L-1216C47A": ("Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances", 64.0)}


class Call:
    """One call to EC2."""

    def __init__(self, service, name, region, parameters):
        self.service, self.world, self.model, self.name, self.region = service, service.world, service.models["ec2"], name, region
        self.parameters = parameters
        self.is_dry = parameters.pop("DryRun", False)
        self.replica = self.world.replica()

    def end_dry_run(self):
        """All checks are made; a dry run ends here."""
        if self.is_dry:
            raise Refusal("DryRunOperation", "Request would have succeeded, but DryRun flag is set.", 412)


class Aws(Service):
    """The service behind the port."""

    name = "aws"

    def __init__(self, world):
        super().__init__(world)
        self.models = aws_protocol.load_models()
        self.regions = {name: aws_catalog.Region(name) for name in aws_catalog.REGIONS}
        self.client_tokens, self.volume_tokens, self.profile_uses = {}, {}, {}
        self.sessions, self.metadata_tokens = {}, {}
        self.buckets = {}
        self.is_tls, self.port = False, 0

    def on_start(self, port, is_tls):
        """The ports are bound."""
        self.port, self.is_tls = port, is_tls

    def announce(self):
        """What the first line of output tells besides the ports."""
        return {"credential": f"{ACCESS_KEY}\n{SECRET_KEY}\n"}

    # -- what the harness asks

    def name_call(self, request):
        if request.path.startswith("/latest/"):
            return "metadata"
        service, _ = aws_protocol.service_of(request)
        if service in ("ssm", "servicequotas"):
            return request.headers.get("x-amz-target", "").rpartition(".")[2] or "unknown"
        try:
            return aws_protocol.parse_query(request).get("Action", "unknown")
        except Refusal:
            return "unknown"

    def is_change(self, call):
        return not call.startswith(READS) and call != "metadata"

    def region_of(self, request):
        return aws_protocol.service_of(request)[1]

    def throttled(self, request, retry_after_s):
        service, _ = aws_protocol.service_of(request)
        if service == "ec2":
            return aws_protocol.answer_error("ec2", 503, "RequestLimitExceeded", "Request limit exceeded.")
        return aws_protocol.answer_error(service, 400, "ThrottlingException" if service != "sts" else "Throttling", "Rate exceeded")

    def failure(self, request):
        service, _ = aws_protocol.service_of(request)
        status, code = self.world.faults.random.choice(((500, "InternalError"), (503, "Unavailable")))
        return aws_protocol.answer_error(service, status, code, "An internal error has occurred")

    def error(self, request, status, code, message, headers=None):
        return aws_protocol.answer_error(aws_protocol.service_of(request)[0], status, code, message, headers)

    def faults_changed(self):
        """The token buckets start anew."""
        self.buckets.clear()

    def truth_end(self, machine, reason):
        if reason == "stop":
            aws_instances.stop_machine(self, machine)
        else:
            aws_instances.end_machine(self, machine, aws_instances.END_REASONS.get(reason, (reason, reason)))

    def truth_set(self, machine, values):
        for name, value in values.items():
            if name not in ("address", "state", "console", "public_address", "tags"):
                raise KeyError(f"a machine has no '{name}' to be set")
            setattr(machine, name, value)

    def add_root_volume(self, call, machine, id, root, tags):
        """Used by RunInstances."""
        aws_volumes.add_root_volume(call, machine, id, root, tags)

    def release_volumes(self, machine):
        """Used when a machine is terminated."""
        aws_volumes.release_volumes(self.world, machine)

    def charge(self, call, kind, resources):
        """The resource bucket of a call."""
        if self.world.faults.buckets:
            limits = BUCKETS[kind][1]
            bucket = self.buckets.setdefault((call.region.name, kind, "resources"), Bucket(*limits))
            if not bucket.take(self.world.now(), resources):
                raise Refusal("RequestLimitExceeded", "Request limit exceeded.", 503)

    def charge_request(self, region, name):
        """The request bucket of a call."""
        if self.world.faults.buckets:
            kind = {"RunInstances": "run", "TerminateInstances": "terminate"}.get(name, "read" if name.startswith(READS) else "change")
            bucket = self.buckets.setdefault((region, kind, "requests"), Bucket(*BUCKETS[kind][0]))
            if not bucket.take(self.world.now()):
                raise Refusal("RequestLimitExceeded", "Request limit exceeded.", 503)

    # -- requests

    def handle(self, request):
        if request.path.startswith("/latest/"):
            return self.answer_metadata(request)
        service, region = aws_protocol.service_of(request)
        try:
            return self.answer_service(request, service, region)
        except UnknownToModel as refusal:
            request.problem = str(refusal)
            self.world.unknown.append({"call": request.call, "problem": str(refusal)})
            return self.refuse(service, refusal)
        except Refusal as refusal:
            return self.refuse(service, refusal)

    def refuse(self, service, refusal):
        """A refusal, with the codes of its service."""
        code, status = refusal.code, refusal.status
        if service != "ec2":
            sts = {"AuthFailure": ("InvalidClientTokenId", 403), "RequestExpired": ("SignatureDoesNotMatch", 403),
                   "ExpiredToken": ("ExpiredToken", 403)}
            json_codes = {"AuthFailure": ("UnrecognizedClientException", 400), "RequestExpired": ("InvalidSignatureException", 400),
                          "SignatureDoesNotMatch": ("InvalidSignatureException", 400), "ExpiredToken": ("ExpiredTokenException", 400),
                          "MissingAuthenticationToken": ("MissingAuthenticationTokenException", 400)}
            code, status = (sts if service == "sts" else json_codes).get(code, (code, status))
            if refusal.code == "RequestExpired":
                return aws_protocol.answer_error(service, status, code, f"Signature expired: {refusal.message}")
        if service == "ec2" and code == "ExpiredToken":
            code = "RequestExpired"
        return aws_protocol.answer_error(service, status, code, refusal.message)

    def secret_of(self, access_key):
        """(secret, session token, end of life) of an access key."""
        usual = self.world.faults.credentials or {ACCESS_KEY: SECRET_KEY}
        if access_key in usual:
            return usual[access_key], None, None
        return self.sessions.get(access_key)

    def answer_service(self, request, service, region):
        if service not in self.models:
            raise UnknownToModel("InvalidAction", f"the fake has no service '{service}'")
        model = self.models[service]
        aws_protocol.check_signature(request, self.secret_of, self.world.clock(), self.is_tls)
        if region not in self.regions:
            raise UnknownToModel("AuthFailure", f"there is no region '{region}'")
        if service in ("ssm", "servicequotas"):
            return self.answer_json_service(request, service, region)
        parameters = aws_protocol.parse_query(request)
        action, version = parameters.get("Action"), parameters.get("Version")
        if action is None:
            raise UnknownToModel("MissingAction", "The request must contain the parameter Action")
        if version != VERSION[service]:
            raise UnknownToModel("NoSuchVersion", f"The requested version ({version}) of service {service} does not exist")
        if action not in model.operation_names:
            raise UnknownToModel("InvalidAction", f"The action {action} is not valid for this web service.")
        value = aws_protocol.decode_query(parameters, model, action)
        if service == "sts":
            return aws_protocol.answer_query(model, action, self.answer_sts(request, action, value))
        if action not in CALLS:
            raise UnknownToModel("InvalidAction", f"the fake does not have {action}")
        self.charge_request(region, action)
        call = Call(self, action, self.regions[region], value)
        found = CALLS[action](call)
        if call.is_dry:
            call.end_dry_run()
        return aws_protocol.answer_query(model, action, found)

    def answer_sts(self, request, action, value):
        access_key = aws_protocol.parse_authorization(request)[0]
        session = self.sessions.get(access_key)
        if action == "GetCallerIdentity":
            arn = f"arn:aws:sts::{aws_catalog.ACCOUNT}:assumed-role/reeve/reeve" if session else f"arn:aws:iam::{aws_catalog.ACCOUNT}:user/reeve"
            return {"UserId": "AIDATEST", "Account": aws_catalog.ACCOUNT, "Arn": arn}
        if action != "AssumeRole":
            raise UnknownToModel("InvalidAction", f"the fake does not have {action}")
        arn = value["RoleArn"]
        if aws_catalog.ROLES.get(arn, "") != value.get("ExternalId", ""):
            raise Refusal("AccessDenied", f"User: arn:aws:iam::{aws_catalog.ACCOUNT}:user/reeve is not authorized to perform: sts:AssumeRole on "
                          f"resource: {arn}", 403)
        ends_at = self.world.clock() + min(value.get("DurationSeconds", 3600), self.world.faults.token_ms / 1000)
        made = self.make_session(ends_at)
        return {"Credentials": made, "AssumedRoleUser": {"AssumedRoleId": "AROATEST:" + value["RoleSessionName"],
                                                         "Arn": f"arn:aws:sts::{aws_catalog.ACCOUNT}:assumed-role/reeve/{value['RoleSessionName']}"}}

    def make_session(self, ends_at):
        """New temporary credentials."""
        number = len(self.sessions) + 1
        access_key, secret, token = f"ASIATEST{number}", f"session-secret-{number}", f"session-token-{number}/+="
        self.sessions[access_key] = secret, token, ends_at
        return {"AccessKeyId": access_key, "SecretAccessKey": secret, "SessionToken": token, "Expiration": ends_at}

    def answer_json_service(self, request, service, region):
        prefix, _, action = request.headers.get("x-amz-target", "").rpartition(".")
        model = self.models[service]
        if prefix != model.metadata["targetPrefix"] or action not in model.operation_names:
            raise UnknownToModel("UnknownOperationException", f"there is no target '{prefix}.{action}'")
        if request.headers.get("content-type") != "application/x-amz-json-1.1":
            raise UnknownToModel("UnknownOperationException", f"the content type '{request.headers.get('content-type')}' is not that of JSON 1.1")
        value = aws_protocol.decode_json(request.body, model, action)
        functions = {"GetParameter": self.get_parameter, "GetParameters": self.get_parameters, "GetServiceQuota": self.get_quota,
                     "ListServiceQuotas": self.list_quotas}
        if action not in functions:
            raise UnknownToModel("UnknownOperationException", f"the fake does not have {action}")
        return aws_protocol.answer_json(model, action, functions[action](value, self.regions[region]))

    def show_parameter(self, path, region):
        """A public parameter; None: there is none."""
        name = aws_catalog.PARAMETERS.get(path)
        if name is None:
            return None
        return {"Name": path, "Type": "String", "Value": region.image_ids[name], "Version": 7, "LastModifiedDate": 1780300800.0,
                "ARN": f"arn:aws:ssm:{region.name}::parameter{path}", "DataType": "aws:ec2:image"}

    def get_parameter(self, value, region):
        if (found := self.show_parameter(value["Name"], region)) is None:
            raise Refusal("ParameterNotFound", "")
        return {"Parameter": found}

    def get_parameters(self, value, region):
        found = {path: self.show_parameter(path, region) for path in value["Names"]}
        return {"Parameters": [row for row in found.values() if row], "InvalidParameters": [path for path, row in found.items() if not row]}

    @staticmethod
    def show_quota(code, region):
        name, amount = QUOTAS[code]
        return {"ServiceCode": "ec2", "ServiceName": "Amazon Elastic Compute Cloud (Amazon EC2)", "QuotaCode": code, "QuotaName": name,
                "QuotaArn": f"arn:aws:servicequotas:{region.name}:{aws_catalog.ACCOUNT}:ec2/{code}", "Value": amount, "Unit": "None",
                "Adjustable": True, "GlobalQuota": False}

    def get_quota(self, value, region):
        if value["ServiceCode"] != "ec2" or value["QuotaCode"] not in QUOTAS:
            raise Refusal("NoSuchResourceException", "The request failed because the specified quota does not exist.")
        return {"Quota": self.show_quota(value["QuotaCode"], region)}

    def list_quotas(self, value, region):
        return {"Quotas": [self.show_quota(code, region) for code in QUOTAS] if value["ServiceCode"] == "ec2" else []}

    def answer_metadata(self, request):
        """IMDSv2, with the role `reeve`."""
        now = self.world.clock()
        if request.path == "/latest/api/token":
            if request.method != "PUT" or "x-aws-ec2-metadata-token-ttl-seconds" not in request.headers:
                return Answer(400 if request.method == "PUT" else 405, b"", "text/plain")
            token = f"metadata-{len(self.metadata_tokens)}=="
            self.metadata_tokens[token] = now + int(request.headers["x-aws-ec2-metadata-token-ttl-seconds"])
            return Answer(200, token, "text/plain")
        if self.metadata_tokens.get(request.headers.get("x-aws-ec2-metadata-token"), 0) < now:
            return Answer(401, b"", "text/plain")
        if request.path == "/latest/meta-data/iam/security-credentials/":
            return Answer(200, "reeve", "text/plain")
        if request.path == "/latest/meta-data/iam/security-credentials/reeve":
            made = self.make_session(now + self.world.faults.token_ms / 1000)
            return Answer(200, {"Code": "Success", "LastUpdated": aws_protocol.iso_time(now), "Type": "AWS-HMAC", "Token": made["SessionToken"],
                                "AccessKeyId": made["AccessKeyId"], "SecretAccessKey": made["SecretAccessKey"],
                                "Expiration": aws_protocol.iso_time(made["Expiration"])}, "text/plain")
        if request.path == "/latest/meta-data/placement/region":
            return Answer(200, aws_catalog.REGIONS[0], "text/plain")
        return Answer(404, b"", "text/plain")


def make_service(world):
    """For serve.py."""
    return Aws(world)
