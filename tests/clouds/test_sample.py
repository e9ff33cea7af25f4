"""The first seed's sample, end to end against fakes of its clouds (CLOUDS.md sections 1 and 10, K33): what the clouds refuse in it,
and, with those values corrected, nine machines that are made, healed, rolled, scaled and destroyed, exactly once."""
import base64
import contextlib
import hashlib
import json
import os
import pathlib
import subprocess
import sys

import pytest

from pylib.clouds import Fake

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests/pylib")]
import plugin  # noqa: E402
from fetching import Authority, Server  # noqa: E402
from manager import REEVED, Manager, until  # noqa: E402

SEED = ROOT / "examples/seed.yaml"
OVERLAY = ROOT / "examples/overlays/seed-clouds.yaml"
CLOUDS = ("aws", "gcd", "digitalOcean")
ACCOUNTS = {"aws": "aws", "gcd": "gcd", "digitalOcean": "digitalocean"}
MORE = {"digitalOcean": {"region": "fra1"}}  # the sample names none


class World:
    """A manager, a fake of each cloud, and a release host for the plugin of the fourth group."""

    def __init__(self, folder):
        self.folder = folder
        self.open = contextlib.ExitStack()

    def __enter__(self):
        folder = self.folder
        authority = Authority(folder / "ca")
        self.built = plugin.build(folder / "built", "my-custom-plugin",
                                  sources=(ROOT / "tests/clouds/custom.c", ROOT / "plugins/file/machine.c")).read_bytes()
        self.server = self.open.enter_context(Server(authority.sign("server")))
        self.server.paths["/0.0.1/plugin.so"] = self.built
        self.fakes = {name: self.open.enter_context(Fake(name, record=folder / f"{name}.requests")) for name in CLOUDS}
        rows = ", ".join(f"{name}: ['127.0.0.1:{fake.port}']" for name, fake in self.fakes.items())
        configuration = folder / "reeved.yaml"
        configuration.write_text(f"endpoints: {{{rows}}}\nfetch: {{allow: [127.0.0.0/8], ca: {authority.file}}}\n")
        self.manager = Manager(folder, "--config", str(configuration), "--haste", "50", control=True)
        self.open.enter_context(self.manager).start()
        for name, fake in self.fakes.items():
            self.manager.apply({"kind": "Secret", "name": ACCOUNTS[name], "value": fake.credential},
                               {"kind": "Account", "name": ACCOUNTS[name], "plugin": name, "secret": ACCOUNTS[name],
                                "settings": {**fake.settings, **MORE.get(name, {})}})
        return self

    def __exit__(self, *ends):
        return self.open.__exit__(*ends)

    def reeve(self, *words):
        """Exit code and both outputs of the command line."""
        done = subprocess.run([str(REEVED.parent / "reeve"), *words], timeout=120, capture_output=True, text=True, check=False, cwd=ROOT,
                              env={**os.environ, "REEVE_URL": f"unix:{self.manager.socket}", "HOME": str(self.folder), "COLUMNS": "200"})
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


@pytest.fixture
def world(tmp_path):
    """All of it; at its end the fakes are asked whether every request was valid and no token had two machines."""
    with World(tmp_path) as one:
        yield one
        for fake in one.fakes.values():
            fake.check()


def test_K33_the_sample_as_written_is_refused_with_all_that_its_clouds_refuse_and_nothing_is_made(world):
    accounts = world.folder / "accounts.yaml"
    accounts.write_text(json.dumps({"name": "basic_cluster", "groups": {
        "group1": {"resourcePlugin": {"account": "aws"}},
        "group2": {"sub-group1": {"resourcePlugin": {"account": "gcd"}}, "sub-group2": {"resourcePlugin": {"account": "digitalocean"}}}}}))
    code, out, err = world.reeve("plan", "-f", str(SEED), "--overlay", str(accounts), "--overlay", world.ours("custom"))
    assert code == 3, out + err
    assert err.count("error[R0606]") == 2, err
    lines = SEED.read_text().split("\n")
    for wrong, hint in (("instanceType: t2.micro", "e2-micro"), ("image: amazonlinux", "debian")):
        line = next(number for number, text in enumerate(lines, 1) if wrong in text)
        said = next(part for part in err.split("\n\n") if f"seed.yaml:{line}:" in part)
        assert "gcd/gcd, group 'group2/sub-group1'" in said and hint in said, said
    assert set(world.counts().values()) == {0}


def test_K33_the_sample_makes_nine_machines_that_are_healed_rolled_scaled_and_destroyed_exactly_once(world):
    out = world.apply(OVERLAY, world.ours("custom"))
    assert "image is ami-" in out, out
    world.wait()
    assert len(list((world.folder / "data/plugins").glob("*/my-custom-plugin/*/file-*"))) == 2
    # They are what the sample says, and let reeve in.
    for machine in world.fakes["aws"].alive():
        assert machine["size"] == "t2.small" and machine["key"] == "mwas", machine
        assert "cert-authority" in base64.b64decode(machine["userData"]).decode()
    assert {machine["size"] for machine in world.fakes["gcd"].alive()} == {"e2-micro"}
    assert {machine["size"] for machine in world.fakes["digitalOcean"].alive()} == {"s-1vcpu-1gb"}
    # One that its provider ends is replaced, and why says so.
    ended = world.fakes["aws"].alive()[0]["id"]
    world.fakes["aws"].end(ended, "host")
    until(lambda: ended not in [machine["id"] for machine in world.fakes["aws"].alive()] and world.counts()["aws"] == 2, world.said)
    world.wait()
    # Another image: the group is rolled.
    ubuntu = world.ours("ubuntu", group1={"resourceProperties": {"image": "ubuntu"}})
    before = {machine["image"] for machine in world.fakes["aws"].alive()}
    world.apply(OVERLAY, ubuntu, allow=("replace=2",))
    until(lambda: len(world.fakes["aws"].alive()) == 2 and not before & {machine["image"] for machine in world.fakes["aws"].alive()}, world.said)
    # More, then none.
    world.apply(OVERLAY, world.ours("more", group1={"resourceProperties": {"image": "ubuntu"}, "size": 3}))
    world.wait(aws=3)
    code, _, err = world.reeve("delete", "basic_cluster", "--yes", "--detach", "--allow", "destroy=10")
    assert code == 0, err
    until(lambda: set(world.counts().values()) == {0}, world.said)
    for fake in world.fakes.values():
        state = fake.state()
        assert not state["duplicates"] and not [disk for disk in state["disks"] if not disk.get("kept")], state["disks"]
