"""The fields of the bodies that the gcd fake accepts, and checks of names, types and field masks.

It is a part of Compute Engine v1: tests/clouds/test_oracles.py compares each name and type with a model that was not written here.
A schema is a map from names to types: "string", "boolean", "integer" (32 bits), "long" (64 bits, a string in JSON), "double", a list with
one type, {"*": type} for a map, or the name of another schema.
"""

SCHEMAS = {
    "Instance": {
        "name": "string", "description": "string", "machineType": "string", "zone": "string", "canIpForward": "boolean", "tags": "Tags",
        "labels": {"*": "string"}, "labelFingerprint": "string", "metadata": "Metadata", "disks": ["AttachedDisk"],
        "networkInterfaces": ["NetworkInterface"], "scheduling": "Scheduling", "serviceAccounts": ["ServiceAccount"],
        "deletionProtection": "boolean", "minCpuPlatform": "string", "hostname": "string", "guestAccelerators": ["AcceleratorConfig"],
        "shieldedInstanceConfig": "ShieldedInstanceConfig", "resourcePolicies": ["string"], "privateIpv6GoogleAccess": "string",
        "reservationAffinity": "ReservationAffinity", "displayDevice": "DisplayDevice", "advancedMachineFeatures": "AdvancedMachineFeatures",
        "confidentialInstanceConfig": "ConfidentialInstanceConfig",
        "kind": "string", "id": "long", "creationTimestamp": "string", "status": "string", "statusMessage": "string", "selfLink": "string",
        "cpuPlatform": "string", "fingerprint": "string", "lastStartTimestamp": "string", "lastStopTimestamp": "string",
        "startRestricted": "boolean",
    },
    "Tags": {"items": ["string"], "fingerprint": "string"},
    "Metadata": {"items": ["MetadataItems"], "fingerprint": "string", "kind": "string"},
    "MetadataItems": {"key": "string", "value": "string"},
    "AttachedDisk": {
        "autoDelete": "boolean", "boot": "boolean", "deviceName": "string", "diskSizeGb": "long", "index": "integer", "interface": "string",
        "initializeParams": "AttachedDiskInitializeParams", "kind": "string", "licenses": ["string"], "mode": "string", "source": "string",
        "type": "string", "guestOsFeatures": ["GuestOsFeature"],
    },
    "AttachedDiskInitializeParams": {
        "description": "string", "diskName": "string", "diskSizeGb": "long", "diskType": "string", "labels": {"*": "string"},
        "sourceImage": "string", "sourceSnapshot": "string", "resourcePolicies": ["string"], "provisionedIops": "long",
        "onUpdateAction": "string",
    },
    "GuestOsFeature": {"type": "string"},
    "NetworkInterface": {
        "accessConfigs": ["AccessConfig"], "aliasIpRanges": ["AliasIpRange"], "fingerprint": "string", "kind": "string", "name": "string",
        "network": "string", "networkIP": "string", "nicType": "string", "stackType": "string", "subnetwork": "string", "queueCount": "integer",
    },
    "AliasIpRange": {"ipCidrRange": "string", "subnetworkRangeName": "string"},
    "AccessConfig": {"kind": "string", "name": "string", "natIP": "string", "networkTier": "string", "type": "string",
                     "publicPtrDomainName": "string", "setPublicPtr": "boolean"},
    "Scheduling": {"automaticRestart": "boolean", "onHostMaintenance": "string", "preemptible": "boolean", "provisioningModel": "string",
                   "instanceTerminationAction": "string", "minNodeCpus": "integer", "locationHint": "string"},
    "ServiceAccount": {"email": "string", "scopes": ["string"]},
    "AcceleratorConfig": {"acceleratorCount": "integer", "acceleratorType": "string"},
    "ShieldedInstanceConfig": {"enableIntegrityMonitoring": "boolean", "enableSecureBoot": "boolean", "enableVtpm": "boolean"},
    "ReservationAffinity": {"consumeReservationType": "string", "key": "string", "values": ["string"]},
    "DisplayDevice": {"enableDisplay": "boolean"},
    "AdvancedMachineFeatures": {"enableNestedVirtualization": "boolean", "threadsPerCore": "integer"},
    "ConfidentialInstanceConfig": {"enableConfidentialCompute": "boolean"},
    "Disk": {
        "name": "string", "description": "string", "sizeGb": "long", "type": "string", "zone": "string", "labels": {"*": "string"},
        "labelFingerprint": "string", "sourceImage": "string", "sourceSnapshot": "string", "physicalBlockSizeBytes": "long",
        "provisionedIops": "long", "resourcePolicies": ["string"], "licenses": ["string"], "guestOsFeatures": ["GuestOsFeature"],
        "id": "long", "kind": "string", "creationTimestamp": "string", "status": "string", "selfLink": "string", "users": ["string"],
        "lastAttachTimestamp": "string", "lastDetachTimestamp": "string",
    },
    "InstancesSetLabelsRequest": {"labels": {"*": "string"}, "labelFingerprint": "string"},
    "ZoneSetLabelsRequest": {"labels": {"*": "string"}, "labelFingerprint": "string"},
    "InstancesSetServiceAccountRequest": {"email": "string", "scopes": ["string"]},
    "TestPermissionsRequest": {"permissions": ["string"]},
    "Warning": {"code": "string", "message": "string", "data": ["WarningData"]},
    "WarningData": {"key": "string", "value": "string"},
    "InstancesScopedList": {"instances": ["Instance"], "warning": "Warning"},
    "DisksScopedList": {"disks": ["Disk"], "warning": "Warning"},
    "InstanceAggregatedList": {"id": "string", "items": {"*": "InstancesScopedList"}, "kind": "string", "nextPageToken": "string",
                               "selfLink": "string", "unreachables": ["string"], "warning": "Warning"},
    "DiskAggregatedList": {"id": "string", "items": {"*": "DisksScopedList"}, "kind": "string", "nextPageToken": "string",
                           "selfLink": "string", "unreachables": ["string"], "warning": "Warning"},
    "InstanceList": {"id": "string", "items": ["Instance"], "kind": "string", "nextPageToken": "string", "selfLink": "string",
                     "warning": "Warning"},
    "DiskList": {"id": "string", "items": ["Disk"], "kind": "string", "nextPageToken": "string", "selfLink": "string", "warning": "Warning"},
}
SCALARS = {"string": (str,), "boolean": (bool,), "integer": (int,), "double": (int, float), "long": (str, int)}
SHOWN = {"string": "TYPE_STRING", "boolean": "TYPE_BOOL", "integer": "TYPE_INT32", "double": "TYPE_DOUBLE", "long": "TYPE_INT64"}


class BadBody(Exception):
    """A body or field mask that the model does not know."""


def check(value, kind, path="resource"):
    """Has a value the type? Raises BadBody with the text that Google's parser writes."""
    if isinstance(kind, list):
        if not isinstance(value, list):
            raise BadBody(f"Invalid value at '{path}' (list expected)")
        for i, each in enumerate(value):
            check(each, kind[0], f"{path}[{i}]")
    elif isinstance(kind, dict) or kind in SCHEMAS:
        fields = kind if isinstance(kind, dict) else SCHEMAS[kind]
        if not isinstance(value, dict):
            raise BadBody(f"Invalid value at '{path}' (object expected)")
        for name, inner in value.items():
            if "*" not in fields and name not in fields:
                raise BadBody(f'Invalid JSON payload received. Unknown name "{name}" at \'{path}\': Cannot find field.')
            check(inner, fields.get("*", fields.get(name)), f"{path}.{name}")
    else:
        is_right = isinstance(value, SCALARS[kind]) and (kind == "boolean" or not isinstance(value, bool))
        if kind == "long" and isinstance(value, str):
            is_right = value.lstrip("-").isdigit()
        if not is_right:
            raise BadBody(f"Invalid value at '{path}' ({SHOWN[kind]}), {value!r}")


# -- field masks


def parse_mask(text):
    """`a,b/c(d,e)` as {a: None, b: {c: {d: None, e: None}}}; None: all below."""
    mask, rest = _parse_list(text)
    if rest:
        raise BadBody(f"Invalid field selection {text}")
    return mask


def _parse_list(text):
    mask = {}
    while True:
        text = _parse_path(text, mask)
        if not text.startswith(","):
            return mask, text
        text = text[1:]


def _parse_path(text, mask):
    """One path of a list is added to the mask; returns the rest of the text."""
    end = next((i for i, letter in enumerate(text) if letter in ",()/"), len(text))
    name, text = text[:end], text[end:]
    if not name:
        raise BadBody("Invalid field selection")
    if text.startswith("/"):
        inner = {}
        text = _parse_path(text[1:], inner)
    elif text.startswith("("):
        inner, text = _parse_list(text[1:])
        if not text.startswith(")"):
            raise BadBody("Invalid field selection")
        text = text[1:]
    else:
        inner = None
    known = mask.get(name, {})
    mask[name] = None if inner is None or known is None else merge(known, inner)
    return text


def merge(one, other):
    """Both masks."""
    for name, inner in other.items():
        known = one.get(name, {})
        one[name] = None if inner is None or known is None else merge(known, inner)
    return one


def check_mask(mask, kind, path=""):
    """Does the type have all fields of the mask?"""
    if isinstance(kind, list):
        kind = kind[0]
    if mask is None:
        return
    fields = kind if isinstance(kind, dict) else SCHEMAS.get(kind)
    for name, inner in mask.items():
        if fields is None or (name != "*" and "*" not in fields and name not in fields):
            raise BadBody(f"Invalid field selection {path}{name}")
        for each in (fields.values() if name == "*" else [fields.get(name, fields.get("*"))]):
            check_mask(inner, each, f"{path}{name}/")


def apply_mask(value, mask):
    """What the mask leaves of a value."""
    if mask is None:
        return value
    if isinstance(value, list):
        return [apply_mask(each, mask) for each in value]
    if not isinstance(value, dict):
        return value
    found = {}
    for name, inner in value.items():
        if name in mask:
            found[name] = apply_mask(inner, mask[name])
        elif "*" in mask:
            found[name] = apply_mask(inner, mask["*"])
    return found
