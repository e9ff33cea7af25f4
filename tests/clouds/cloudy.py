"""A manager whose plugins reach fakes of the clouds, and a release host for a plugin of a user."""
import contextlib
import hashlib
import json
import os
import pathlib
import subprocess
import sys

from pylib.clouds import Fake

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests/pylib")]
import plugin  # noqa: E402
from fetching import Authority, Server  # noqa: E402
from manager import REEVED, Manager, until  # noqa: E402

SEED = ROOT / "examples/seed.yaml"
CLOUDS = ("aws", "gcd", "digitalOcean")
ACCOUNTS = {"aws": "aws", "gcd": "gcd", "digitalOcean": "digitalocean", "openstack": "openstack"}
MORE = {"digitalOcean": {"region": "fra1"}}  # the sample names none


class World:
    """A manager, a fake of each cloud, and a release host for the plugin of the fourth group. `addresses`: the machines of each cloud
    have addresses of their own, at which nodes.py starts real ones. `fakes`: those of another world, which it ends."""

    def __init__(self, folder, clouds=CLOUDS, addresses=False, haste=50, fakes=None, **faults):
        self.folder, self.clouds, self.addresses, self.haste, self.faults = folder, clouds, addresses, haste, faults
        self.fakes = fakes
        self.open = contextlib.ExitStack()

    def __enter__(self):
        folder = self.folder
        authority = Authority(folder / "ca")
        self.built = plugin.build(folder / "built", "my-custom-plugin",
                                  sources=(ROOT / "tests/clouds/custom.c", ROOT / "plugins/file/machine.c")).read_bytes()
        self.server = self.open.enter_context(Server(authority.sign("server")))
        self.server.paths["/0.0.1/plugin.so"] = self.built
        self.fakes = self.fakes or {name: self.open.enter_context(Fake(name, record=folder / f"{name}.requests", faults=self.faults.get(name),
                                                                     address_file=self.address_file(name, number)))
                                    for number, name in enumerate(self.clouds)}
        rows = ", ".join(f"{name}: ['127.0.0.1:{fake.port}']" for name, fake in self.fakes.items())
        configuration = folder / "reeved.yaml"
        configuration.write_text(f"endpoints: {{{rows}}}\nfetch: {{allow: [127.0.0.0/8], ca: {authority.file}}}\n")
        self.manager = Manager(folder, "--config", str(configuration), "--haste", str(self.haste), control=True)
        self.open.enter_context(self.manager).start()
        for name in self.clouds:
            self.account(name)
        return self

    def address_file(self, name, number):
        """The file from which a fake takes the addresses of machines."""
        if not self.addresses:
            return None
        path = self.folder / f"{name}.addresses"
        path.write_text(json.dumps({"*": f"127.40.{number}."}))
        return path

    def __exit__(self, *ends):
        return self.open.__exit__(*ends)

    def account(self, cloud, credential=None, name=None, tenant="default", **settings):
        """Write an account of a cloud, with another credential, under another name, in another tenant or with other settings."""
        fake, name = self.fakes[cloud], name or ACCOUNTS[cloud]
        self.manager.apply({"kind": "Secret", "name": name, "value": credential or fake.credential},
                           {"kind": "Account", "name": name, "plugin": cloud, "secret": name,
                            "settings": {**fake.settings, **MORE.get(cloud, {}), **settings}}, Reeve_Tenant=tenant)

    def reeve(self, *words, text=None, **variables):
        """Exit code and both outputs of the command line. `variables`: more of its environment."""
        done = subprocess.run([str(REEVED.parent / "reeve"), *words], input=text, timeout=400, capture_output=True, text=True, check=False, cwd=ROOT,
                              env={**os.environ, "REEVE_URL": f"unix:{self.manager.socket}", "HOME": str(self.folder), "COLUMNS": "200", **variables})
        return done.returncode, done.stdout, done.stderr

    def ours(self, name, **values):
        """An overlay for the release host that is there, and for values that a test changes."""
        path = self.folder / f"{name}.yaml"
        custom = {"resourcePlugin": {"url": self.server.url("/0.0.1/plugin.so"), "sha256": hashlib.sha256(self.built).hexdigest()}}
        path.write_text(json.dumps({"name": "basic_cluster", "groups": {"customDatacenter": custom, **values}}))
        return str(path)

    def apply(self, *overlays, allow=()):
        """The sample with these overlays; it must be taken."""
        words = [word for overlay in overlays for word in ("--overlay", str(overlay))]
        code, out, err = self.reeve("apply", "--yes", "-f", str(SEED), *words, *(f"--allow={each}" for each in allow))
        assert code == 0, out + err
        return out + err

    def counts(self):
        """Live machines by cloud, by the clouds' own count."""
        return {name: len(fake.alive()) for name, fake in self.fakes.items()}

    def wait(self, **counts):
        """Until each cloud has so many, and the manager says that all nodes are ready."""
        until(lambda: self.counts() == {"aws": 2, "gcd": 2, "digitalOcean": 3, **counts}, lambda: f"{self.counts()}\n{self.said()}")
        until(self.is_settled, self.said)

    def is_settled(self):
        """Are all nodes of the clouds shown as ready, and as many as there are?"""
        nodes = self.manager.get("/v1/nodes?cluster=basic_cluster").json["items"]
        of_clouds = [node for node in nodes if node["status"]["plugin"].split("/")[0] in CLOUDS]
        return len(of_clouds) == sum(self.counts().values()) and {node["status"]["state"] for node in of_clouds} == {"ready"}

    def said(self):
        """What the manager says, for a failed test."""
        return "\n".join((*self.reeve("status")[1:], *self.reeve("get", "nodes")[1:], self.manager.log.read_text()[-3000:]))
