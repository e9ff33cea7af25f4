"""The protocols of AWS by botocore's models: requests are decoded and answers encoded by shapes, signatures checked by SigV4Auth."""

import base64
import calendar
import datetime
import json
import time
import urllib.parse
import uuid
import xml.sax.saxutils

import botocore.auth
import botocore.awsrequest
import botocore.credentials
import botocore.loaders
import botocore.model
import botocore.validate
from harness import Answer

SIGNATURE_LIFE_S = 300
XMLNS = {"ec2": "http://ec2.amazonaws.com/doc/2016-11-15/", "sts": "https://sts.amazonaws.com/doc/2011-06-15/"}
# The service as a credential scope or a host name has it, and botocore's name of its model.
MODELS = {"ec2": "ec2", "sts": "sts", "ssm": "ssm", "servicequotas": "service-quotas"}


class Refusal(Exception):
    """The provider refuses a request."""

    def __init__(self, code, message, status=400):
        super().__init__(f"{code}: {message}")
        self.code, self.message, self.status = code, message, status


class UnknownToModel(Refusal):
    """The model does not know what was sent. Such a request is a defect of the client, so it is counted."""


def load_models():
    """The service models that the fake serves."""
    loader = botocore.loaders.Loader()
    return {service: botocore.model.ServiceModel(loader.load_service_model(name, "service-2"), name) for service, name in MODELS.items()}


# -- reading


def parse_query(request):
    """The parameters of a request of the query protocol, by GET or POST."""
    pairs = list(request.query)
    if request.method == "POST" and request.body:
        content = request.headers.get("content-type", "").split(";")[0].strip()
        if content != "application/x-www-form-urlencoded":
            raise UnknownToModel("InvalidParameterValue", f"the content type '{content}' is not application/x-www-form-urlencoded")
        try:
            text = request.body.decode("ascii")
        except UnicodeDecodeError:
            raise UnknownToModel("MalformedQueryString", "the body is not percent-encoded") from None
        pairs += urllib.parse.parse_qsl(text, keep_blank_values=True)
    parameters = {}
    for name, value in pairs:
        if name in parameters:
            raise UnknownToModel("InvalidQueryParameter", f"The parameter {name} occurs twice")
        parameters[name] = value
    return parameters


def to_tree(parameters):
    """A.1.B=x as {A: {1: {B: x}}}."""
    tree = {}
    for name, value in parameters.items():
        place, parts = tree, name.split(".")
        for part in parts[:-1]:
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                raise UnknownToModel("UnknownParameter", f"The parameter {name} is not recognized")
        if isinstance(place.get(parts[-1]), dict):
            raise UnknownToModel("UnknownParameter", f"The parameter {name} is not recognized")
        place[parts[-1]] = value
    return tree


def ec2_name(member, shape):
    """The name of a member of a structure in a request to EC2."""
    serialization = shape.serialization
    if "queryName" in serialization:
        return serialization["queryName"]
    if "name" in serialization:
        return serialization["name"][0].upper() + serialization["name"][1:]
    return member


def query_name(member, shape):
    """The same in the query protocol proper (STS)."""
    return shape.serialization.get("name", member)


class Decoder:
    """Decodes the parameters of one call by its input shape."""

    def __init__(self, namer, wrapped):
        self.namer, self.wrapped = namer, wrapped

    def decode(self, tree, shape, prefix=""):
        """A value of a shape."""
        if shape.type_name == "structure":
            return self._structure(tree, shape, prefix)
        if shape.type_name == "list":
            return self._list(tree, shape, prefix)
        if isinstance(tree, dict):
            raise UnknownToModel("UnknownParameter", f"The parameter {prefix}.{next(iter(tree))} is not recognized")
        return scalar(tree, shape, prefix)

    def _structure(self, tree, shape, prefix):
        if not isinstance(tree, dict):
            raise UnknownToModel("UnknownParameter", f"The parameter {prefix} is not recognized")
        names = {self.namer(member, inner): (member, inner) for member, inner in shape.members.items()}
        found = {}
        for name, value in tree.items():
            path = f"{prefix}.{name}" if prefix else name
            if name not in names:
                raise UnknownToModel("UnknownParameter", f"The parameter {path} is not recognized")
            member, inner = names[name]
            found[member] = self.decode(value, inner, path)
        return found

    def _list(self, tree, shape, prefix):
        if self.wrapped and not shape.serialization.get("flattened") and isinstance(tree, dict):
            wrapper = shape.member.serialization.get("name", "member")
            if set(tree) != {wrapper}:
                raise UnknownToModel("UnknownParameter", f"The parameter {prefix}.{next(iter(tree))} is not recognized")
            tree = tree[wrapper]
        if not isinstance(tree, dict):
            raise UnknownToModel("UnknownParameter", f"The parameter {prefix} is not recognized")
        if sorted(tree, key=lambda key: (len(key), key)) != [str(i) for i in range(1, len(tree) + 1)]:
            raise UnknownToModel("UnknownParameter", f"The elements of {prefix} are not numbered from 1: {sorted(tree)}")
        return [self.decode(tree[str(i)], shape.member, f"{prefix}.{i}") for i in range(1, len(tree) + 1)]


def scalar(text, shape, name):
    """A number, boolean, timestamp or string."""
    kind = shape.type_name
    try:
        if kind in ("integer", "long"):
            return int(text)
        if kind in ("float", "double"):
            return float(text)
        if kind == "boolean":
            return {"true": True, "false": False}[text]
        if kind == "blob":
            return base64.b64decode(text, validate=True)
        if kind == "timestamp":
            return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except (ValueError, KeyError):
        raise UnknownToModel("InvalidParameterValue", f"Value ({text}) for parameter {name} is invalid. It is no {kind}.") from None
    return text


def validate(parameters, shape):
    """botocore's own check of the input: what is required, types, lengths."""
    report = botocore.validate.ParamValidator().validate(parameters, shape)
    if report.has_errors():
        text = report.generate_report()
        code = "MissingParameter" if "Missing required" in text else "InvalidParameterValue"
        raise UnknownToModel(code, text)


def decode_query(request_parameters, model, operation):
    """The input of a call of the query or EC2 protocol."""
    shape = model.operation_model(operation).input_shape
    parameters = {name: value for name, value in request_parameters.items() if name not in ("Action", "Version")}
    if shape is None:
        if parameters:
            raise UnknownToModel("UnknownParameter", f"The parameter {next(iter(parameters))} is not recognized")
        return {}
    is_ec2 = model.metadata["protocol"] == "ec2"
    found = Decoder(ec2_name if is_ec2 else query_name, not is_ec2).decode(to_tree(parameters), shape)
    validate(found, shape)
    return found


def decode_json(body, model, operation):
    """The input of a call of the JSON protocol."""
    shape = model.operation_model(operation).input_shape
    try:
        found = json.loads(body or b"{}")
    except ValueError:
        raise UnknownToModel("SerializationException", "the body is not JSON") from None
    if unknown := set(found) - set(shape.members):
        raise UnknownToModel("ValidationException", f"unknown member {sorted(unknown)[0]}")
    validate(found, shape)
    return found


# -- writing


INDENT = "    "


def encode_xml(value, shape, out, depth=1):
    """The content of an element, indented as EC2 does it."""
    kind = shape.type_name
    if kind == "structure":
        if unknown := set(value) - set(shape.members):
            raise AssertionError(f"the fake answers with {sorted(unknown)[0]}, which {shape.name} does not have")
        for member, inner in shape.members.items():
            if value.get(member) is not None:
                encode_member(value[member], inner, inner.serialization.get("name", member), out, depth)
    elif kind == "list":
        for each in value:
            encode_member(each, shape.member, shape.member.serialization.get("name", "member"), out, depth)
    elif kind == "boolean":
        out.append("true" if value else "false")
    elif kind == "timestamp":
        out.append(iso_time(value))
    elif kind == "blob":
        out.append(base64.b64encode(value).decode())
    else:
        out.append(xml.sax.saxutils.escape(str(value)))


def encode_member(value, shape, name, out, depth):
    """One element, or many of them where a list has no wrapper."""
    if shape.type_name == "list" and shape.serialization.get("flattened"):
        for each in value:
            encode_member(each, shape.member, name, out, depth)
        return
    begin = "\n" + INDENT * depth
    if value in ([], {}):
        out.append(f"{begin}<{name}/>")
        return
    out.append(f"{begin}<{name}>")
    encode_xml(value, shape, out, depth + 1)
    out.append(f"{begin if shape.type_name in ('structure', 'list') else ''}</{name}>")


def iso_time(value):
    """A time as EC2 writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(value))


def answer_query(model, operation, value):
    """The answer to a call that succeeded."""
    shape = model.operation_model(operation).output_shape
    service, request_id, out = model.service_name, str(uuid.uuid4()), []
    if service == "ec2":
        out.append(f'<?xml version="1.0" encoding="UTF-8"?>\n<{operation}Response xmlns="{XMLNS["ec2"]}">\n'
                   f"{INDENT}<requestId>{request_id}</requestId>")
        if shape is not None:
            encode_xml(value or {}, shape, out)
        if shape is None or not shape.members:
            out.append(f"\n{INDENT}<return>true</return>")
        out.append(f"\n</{operation}Response>\n")
    else:
        out.append(f'<{operation}Response xmlns="{XMLNS[service]}"><{operation}Result>')
        encode_xml(value, shape, out)
        out.append(f"</{operation}Result><ResponseMetadata><RequestId>{request_id}</RequestId></ResponseMetadata></{operation}Response>")
    return Answer(200, "".join(out), "text/xml;charset=UTF-8")


def answer_json(model, operation, value):
    """The answer to a call of the JSON protocol; timestamps are numbers there."""
    shape = model.operation_model(operation).output_shape
    if unknown := set(value) - set(shape.members):
        raise AssertionError(f"the fake answers with {sorted(unknown)[0]}, which {shape.name} does not have")
    return Answer(200, value, "application/x-amz-json-1.1")


def answer_error(service, status, code, message, headers=None):
    """An error, in the form of its service."""
    escape = xml.sax.saxutils.escape
    if service in ("ssm", "servicequotas"):
        return Answer(status, {"__type": code, "message": message}, "application/x-amz-json-1.1", headers)
    if service == "sts":
        kind = "Sender" if status < 500 else "Receiver"
        return Answer(status, f'<ErrorResponse xmlns="{XMLNS["sts"]}">\n<Error><Type>{kind}</Type><Code>{escape(code)}</Code>'
                      f"<Message>{escape(message)}</Message></Error><RequestId>{uuid.uuid4()}</RequestId></ErrorResponse>", "text/xml",
                      headers)
    return Answer(status, '<?xml version="1.0" encoding="UTF-8"?>\n<Response><Errors><Error>'
                  f"<Code>{escape(code)}</Code><Message>{escape(message)}</Message></Error></Errors>"
                  f"<RequestID>{uuid.uuid4()}</RequestID></Response>", "text/xml;charset=UTF-8", headers)


# -- signatures


def parse_authorization(request):
    """The parts of the Authorization header: (access key, date, region, service, signed headers, signature); None: there is none."""
    text = request.headers.get("authorization", "")
    if not text.startswith("AWS4-HMAC-SHA256 "):
        return None
    fields = dict(part.strip().partition("=")[::2] for part in text.split(" ", 1)[1].split(","))
    try:
        access_key, date, region, service, last = fields["Credential"].split("/")
    except (KeyError, ValueError):
        return None
    if last != "aws4_request":
        return None
    return access_key, date, region, service, fields.get("SignedHeaders", "").split(";"), fields.get("Signature", "")


def service_of(request):
    """(service, region), by the credential scope, otherwise by the host name."""
    if (parts := parse_authorization(request)) is not None:
        return parts[3], parts[2]
    labels = request.headers.get("host", "").split(":")[0].split(".")
    if len(labels) >= 3 and labels[0] in MODELS:
        return labels[0], labels[1] if labels[1] != "amazonaws" else "us-east-1"
    return "ec2", "us-east-1"


def check_signature(request, secret_of, now, is_tls):
    """Is the request signed as SigV4 demands? secret_of(access key) is (secret, token, end of life) or None.

    Returns the access key. Raises Refusal with the codes that EC2 uses.
    """
    parts = parse_authorization(request)
    if parts is None:
        raise Refusal("MissingAuthenticationToken", "Request is missing Authentication Token", 403)
    access_key, date, region, service, signed, signature = parts
    stamp = request.headers.get("x-amz-date", "")
    try:
        at = calendar.timegm(time.strptime(stamp, "%Y%m%dT%H%M%SZ"))
    except ValueError:
        raise Refusal("IncompleteSignature", "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.") from None
    must = {"host"} | {name for name in request.headers if name.startswith("x-amz-")}
    if missing := must - set(signed):
        raise Refusal("SignatureDoesNotMatch", f"the header {sorted(missing)[0]} is not signed", 403)
    if stamp[:8] != date:
        raise Refusal("SignatureDoesNotMatch", f"Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date: {date}", 403)
    known = secret_of(access_key)
    if known is None:
        raise Refusal("AuthFailure", "AWS was not able to validate the provided access credentials", 401)
    secret, token, ends_at = known
    if request.headers.get("x-amz-security-token") != token:
        raise Refusal("AuthFailure", "AWS was not able to validate the provided access credentials", 401)
    if signature != expected_signature(request, parts, secret, stamp, is_tls):
        raise Refusal("SignatureDoesNotMatch", "The request signature we calculated does not match the signature you provided. "
                      "Check your AWS Secret Access Key and signing method. Consult the service documentation for details.", 403)
    if abs(now - at) > SIGNATURE_LIFE_S:
        raise Refusal("RequestExpired", f"Request has expired. Timestamp date is {iso_time(at)}")
    if ends_at is not None and now > ends_at:
        raise Refusal("ExpiredToken", "The security token included in the request is expired", 400)
    return access_key


def expected_signature(request, parts, secret, stamp, is_tls):
    """What botocore signs for this request."""
    access_key, _, region, service, signed, _ = parts
    signer = botocore.auth.SigV4Auth(botocore.credentials.Credentials(access_key, secret), service, region)
    headers = {name: request.headers[name] for name in signed if name in request.headers}
    if "x-amz-content-sha256" in headers:
        headers["X-Amz-Content-SHA256"] = headers.pop("x-amz-content-sha256")
    aws = botocore.awsrequest.AWSRequest(method=request.method, url=f"http{'s' if is_tls else ''}://{request.headers['host']}{request.target}",
                                         headers=headers, data=request.body)
    aws.context["timestamp"] = stamp
    return signer.signature(signer.string_to_sign(aws, signer.canonical_request(aws)), aws)
