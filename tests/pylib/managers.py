"""Several managers that share a store in etcd."""

import base64
import contextlib
import json
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from manager import REEVED, Manager, reeve, until  # noqa: E402, F401


def key_write(path, key):
    """Writes the file of a key that seals values (src/sys/seal.c)."""
    path.write_text(f"reeve-key-1 {base64.b64encode(key).decode()}\n")
    path.chmod(0o400)


class Managers:
    """Managers of one installation, each with a separate folder. `with` ends them."""

    def __init__(self, folder, etcd, count=3, prefix="/reeve/", more="", flags=(), has_keys=True):
        self.folder, self.etcd, self.prefix, self.has_keys = pathlib.Path(folder), etcd, prefix, has_keys
        self.signer_key = os.urandom(32)
        self.key = self.folder / "secrets.key"
        self.all = [self.make(number, prefix, more, flags) for number in range(count)]

    def make(self, number, prefix, more, flags):
        """Makes a manager without starting it; it has the keys of the other managers."""
        folder = self.folder / f"m{number}"
        folder.mkdir()
        if self.has_keys:
            key_write(folder / "data.signer.key", self.signer_key)
        config = folder / "reeved.yaml"
        config.write_text(f"name: m{number}\nzone: z{number}\n{self.secret_key_line()}store:\n  etcd:\n"
                          f"    endpoints: {json.dumps(self.endpoints(number))}\n    ca: {self.etcd.folder}/ca.pem\n"
                          f"    certificate: {self.etcd.folder}/client.pem\n    key: {self.etcd.folder}/client.key\n"
                          f"    prefix: {prefix}\n{more}")
        return Manager(folder, "--config", str(config), *flags, control=True)

    def secret_key_line(self):
        """Returns the setting of the key that all managers share; without it, each manager generates a key."""
        return f"secretKey: {self.key}\n" if self.has_keys else ""

    def endpoints(self, number):
        """Returns the members of etcd, in a different order for each manager."""
        members = [member.endpoint for member in getattr(self.etcd, "members", [self.etcd])]
        return members[number % len(members):] + members[:number % len(members)]

    def start(self):
        """Starts all managers at the same time."""
        for manager in self.all:
            manager.start(wait=False)
        for manager in self.all:
            manager.wait_ready()
        return self

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        for manager in self.all if kind is not None else ():
            manager.kill()
        # all managers are stopped before one of them is checked, because otherwise a failed test
        # would leave the others running
        codes = [(manager, manager.stop()) for manager in self.all if kind is None]
        for manager, code in codes:
            assert code in (0, None), manager.log.read_text()

    def stored(self, kind):
        """Returns the stored objects of a kind of this tenant, by their key: the parsed bytes after the checksum."""
        words = ("get", "--prefix", f"{self.prefix}k{kind}", "-w", "json")
        found = {}
        for row in json.loads(self.etcd.etcdctl(*words)).get("kvs", []):
            value = base64.b64decode(row["value"])
            found[base64.b64decode(row["key"]).decode()[len(self.prefix) + 1:]] = self.parsed(value)
        return found

    @staticmethod
    def parsed(value):
        """Returns the JSON object at the end of a stored value. The bytes before it may have braces too."""
        for at in (match.start() for match in re.finditer(rb"{", value)):
            with contextlib.suppress(ValueError):
                return json.loads(value[at:])
        raise AssertionError(value)

    def said(self):
        """Returns the logs of all managers, for a failed test."""
        return "\n".join(f"--- {manager.folder.name}\n{manager.log.read_text()[-3000:]}" for manager in self.all)

    def leases(self):
        """Returns the session that holds each cluster, by the key of its lease."""
        return {key: lease["session"] for key, lease in self.stored("/default/Lease/").items()}
