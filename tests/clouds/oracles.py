"""Models of clouds that were not written by this project, to judge requests, answers and the fakes.

botocore's models are Debian's; those of Compute Engine and DigitalOcean are the official clients, which tools/cloud-models fetches.
"""

import base64
import functools
import json
import pathlib
import re
import subprocess
import sys
import urllib.parse

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "build/cloud-models"
sys.path.insert(0, str(ROOT / "tests/clouds/fake"))


@functools.lru_cache(maxsize=1)
def fetch_models():
    """The reason why there are no models; empty: they are there."""
    try:
        done = subprocess.run([str(ROOT / "tools/cloud-models")], capture_output=True, text=True, timeout=150, check=False)
    except (OSError, subprocess.TimeoutExpired) as problem:
        return str(problem)
    return "" if done.returncode == 0 else done.stderr.strip() or f"tools/cloud-models ended with {done.returncode}"


def need_models():
    """Skip the test where the models cannot be had."""
    if reason := fetch_models():
        pytest.skip(reason)


# -- AWS


def read_record(path):
    """The lines of a record of requests."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@functools.lru_cache(maxsize=None)
def aws_models():
    """botocore's models and their serializers."""
    import aws_protocol
    import botocore.serialize
    models = aws_protocol.load_models()
    return {service: (model, botocore.serialize.create_serializer(model.metadata["protocol"], False)) for service, model in models.items()}


def judge_aws(record):
    """What botocore would not have sent like that: [(call, difference)].

    Each request is decoded by the fake, checked by ParamValidator, and encoded again by botocore's own serializer: the result has to be
    the request.
    """
    import aws_protocol
    import botocore.validate
    found = []
    for line in record:
        request = FakeRequest(line)
        if request.path.startswith("/latest/") or line["problem"]:
            continue
        service, _ = aws_protocol.service_of(request)
        model, serializer = aws_models()[service]
        operation = model.operation_model(line["call"])
        if service in ("ssm", "servicequotas"):
            sent = json.loads(request.body)
            value = sent
        else:
            sent = aws_protocol.parse_query(request)
            value = aws_protocol.decode_query(sent, model, line["call"])
        report = botocore.validate.ParamValidator().validate(value, operation.input_shape) if operation.input_shape else None
        again = serializer.serialize_to_request(value, operation)["body"]
        again = json.loads(again) if isinstance(again, (bytes, str)) else {name: text(value) for name, value in again.items()}
        if (report and report.has_errors()) or again != sent:
            found.append((line["call"], report.generate_report() if report else "", sorted(set(map(str, sent.items())) ^ set(map(str, again.items())))))
    return found


def text(value):
    """A parameter as it is sent."""
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


class FakeRequest:
    """A line of a record as the fake's protocol reads it."""

    def __init__(self, line):
        self.method, self.headers, self.body = line["method"], line["headers"], base64.b64decode(line["body"])
        self.path, _, query = line["target"].partition("?")
        self.query = urllib.parse.parse_qsl(query, keep_blank_values=True)


# -- Compute Engine


class ComputeModel:
    """Messages and routes of Compute Engine v1, from the official client."""

    SCALARS = {"string": "string", "bool": "boolean", "int32": "integer", "uint32": "integer", "int64": "long", "uint64": "long",
               "double": "double", "float": "double"}

    # Fields that version 4.1.0 does not have yet and 7.8.0 has; that one in turn leaves returnPartialSuccess out of all listings.
    NEWER = {("MachineType", "architecture"): "string"}

    def __init__(self):
        root = json.loads((MODELS / "compute.json").read_text())
        for name in ("google", "cloud", "compute", "v1"):
            root = root["nested"][name]
        self.messages = root["nested"]
        self.routes = {}
        for service in self.messages.values():
            for method in service.get("methods", {}).values():
                self._add_route(method)

    def _add_route(self, method):
        options = method["options"]
        for verb in ("get", "post", "delete", "put", "patch"):
            if path := options.get(f"(google.api.http).{verb}"):
                body, fields = options.get("(google.api.http).body"), self.messages[method["requestType"]]["fields"]
                parts = {camel(name) for name in re.findall(r"\{(\w+)\}", path)}
                query = {name for name in fields if name not in parts and name != camel(body or "")}
                message = fields[camel(body)]["type"] if body else None
                self.routes[verb.upper(), shape_of(path)] = query, message, method["responseType"]

    def kind_of(self, message, name):
        """The type of a field as the fake's schema writes it, or a message; None: there is no such field."""
        field = self.messages[message]["fields"].get(name)
        if field is None:
            return self.NEWER.get((message, name))
        kind = self.SCALARS.get(field["type"], field["type"])
        enumeration = self.messages[message].get("nested", {}).get(kind) or self.messages.get(kind, {})
        if "values" in enumeration:
            kind = "string"
        return {"*": kind} if "keyType" in field else [kind] if field.get("rule") == "repeated" else kind

    def compare_schema(self, schemas, schema, message, path=""):
        """Differences between a schema of the fake and a message."""
        for name, kind in schemas[schema].items():
            known = self.kind_of(message, name)
            where = f"{path}{schema}.{name}"
            if known is None:
                yield f"{where}: the model has no such field"
                continue
            ours, theirs = kind, known
            while isinstance(ours, (list, dict)):
                if not isinstance(theirs, type(ours)):
                    yield f"{where}: {kind} here, {known} in the model"
                    break
                ours, theirs = (ours[0], theirs[0]) if isinstance(ours, list) else (ours["*"], theirs["*"])
            else:
                if ours in schemas:
                    yield from self.compare_schema(schemas, ours, theirs, f"{where}: ")
                elif ours != theirs:
                    yield f"{where}: {kind} here, {known} in the model"

    def compare_value(self, value, kind, path=""):
        """What of an answer the model does not have."""
        if isinstance(kind, list):
            for each in value:
                yield from self.compare_value(each, kind[0], path)
        elif isinstance(kind, dict):
            for name, each in value.items():
                yield from self.compare_value(each, kind["*"], f"{path}.{name}")
        elif kind in self.messages and "fields" in self.messages[kind]:
            for name, each in value.items():
                known = self.kind_of(kind, name)
                if known is None:
                    yield f"{path}: {kind} has no {name}"
                else:
                    yield from self.compare_value(each, known, f"{path}.{name}")
        else:
            right = {"string": str, "boolean": bool, "integer": int, "long": str, "double": (int, float)}[kind]
            if not isinstance(value, right):
                yield f"{path}: {value!r} is no {kind}"


def camel(name):
    """a_b as aB."""
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name)


def shape_of(path):
    """A path without the names of its parts."""
    return re.sub(r"\{\w+\}", "{}", path)


# -- DigitalOcean


class DigitalOceanModel:
    """Messages and routes of DigitalOcean, from the official client, which is generated from its OpenAPI."""

    MESSAGE = re.compile(r"export function deserializeInto(\w+)\(\w+ = \{\}\) \{\s*return \{(.*?)\n    \};\n\}", re.DOTALL)
    FIELD = re.compile(r'"(\w+)": n => \{ .*? = (.*); \},')
    TEMPLATE = re.compile(r'UriTemplate = "\{\+baseurl\}([^"]*)"')
    METADATA = re.compile(r"RequestsMetadata = \{(.*?)\n\};", re.DOTALL)

    def __init__(self):
        self.messages = {}
        for name, body in self.MESSAGE.findall((MODELS / "digitalocean.js").read_text()):
            self.messages[name] = dict(self.FIELD.findall(body)), re.findall(r"\.\.\.deserializeInto(\w+)\(", body)
        self.routes = {}
        for file in (MODELS / "digitalocean-v2").rglob("index.js"):
            code = file.read_text()
            template, metadata = self.TEMPLATE.search(code), self.METADATA.search(code)
            if template and metadata:
                path, _, query = template[1].partition("{?")
                for verb in re.findall(r"^    (\w+): \{", metadata[1], re.MULTILINE):
                    self.routes[verb.upper(), shape_of(path)] = {name for name in re.findall(r"\w+", query)}

    def fields(self, message):
        """{name: how it is read}, with those that are inherited."""
        own, parents = self.messages[message]
        found = {}
        for parent in parents:
            found.update(self.fields(parent))
        return {**found, **own}

    # Names that its OpenAPI spells wrong.
    MISSPELT = {("Tags_resources", "images"): "imgages"}

    def compare_value(self, value, message, path=""):
        """What of an answer the model does not have."""
        known = self.fields(message)
        known = {**known, **{name: known[wrong] for (of, name), wrong in self.MISSPELT.items() if of == message}}
        for name, each in value.items():
            if name not in known:
                yield f"{path}{message} has no {name}"
            elif each is not None:
                yield from self._compare_field(each, known[name], f"{path}{message}.{name}: ")

    def _compare_field(self, value, reader, path):
        # A field that may have several types is read by several functions.
        inner = re.findall(r"create(\w+?)FromDiscriminatorValue", reader)
        if inner and inner[0] in self.messages:
            for each in value if "getCollection" in reader else [value]:
                yield from self.compare_value(each, inner[0], path)
            return
        types = {"getNumberValue": (int, float), "getStringValue": str, "getBooleanValue": bool, "getDateValue": str, "getGuidValue": str,
                 "getEnumValue": str, "getCollectionOfPrimitiveValues": list, "getCollectionOfEnumValues": list}
        wanted = [types[name] for name in re.findall(r"n\.(\w+)\(", reader) if name in types]
        if wanted and not any(isinstance(value, each) and isinstance(value, bool) == (each is bool) for each in wanted):
            yield f"{path}{value!r} is read by {reader}"
