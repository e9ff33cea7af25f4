"""Properties that a plugin changes in place: no machine is replaced (CLOUDS.md A12, X8)."""
import os
import subprocess

import pytest
from pylib.clouds import Fake

from cloudy import REEVED, Manager, until

SHOP = """name: shop
version: "1"
groups:
  web:
    size: 2
    zones: [eu-west-1a]
    resourcePlugin: {name: aws, account: cloud}
    resourceProperties: {instanceType: t3.small, image: debian%s}
%s"""


class Site:
    """A manager with an account at EC2."""

    def __init__(self, folder, fake):
        self.folder, self.fake = folder, fake
        configuration = folder / "reeved.yaml"
        configuration.write_text(f"endpoints: {{aws: ['127.0.0.1:{fake.port}']}}\n")
        self.manager = Manager(folder, "--config", str(configuration), "--haste", "100", control=True)

    def reeve(self, *words, text=None):
        """Exit code and both outputs of the command line."""
        done = subprocess.run([str(REEVED.parent / "reeve"), *words], input=text, timeout=300, capture_output=True, text=True, check=False,
                              env={**os.environ, "REEVE_URL": f"unix:{self.manager.socket}", "HOME": str(self.folder), "COLUMNS": "220"})
        return done.returncode, done.stdout, done.stderr

    def apply(self, properties="", fields="", allow=()):
        """Apply the cluster with these properties and fields; what was shown."""
        code, out, err = self.reeve("apply", "--yes", *allow, "--detach", "-f", "-", text=SHOP % (properties, fields))
        assert code == 0, out + err
        return out + err

    def until_groups(self, count, profile=None):
        """Until all machines have so many security groups, and this profile."""
        until(lambda: [(len(machine["groups"]), machine["profile"]) for machine in self.fake.alive()] == [(count, profile)] * 2,
              lambda: f"{self.fake.alive()}\n{self.manager.log.read_text()[-3000:]}")


@pytest.fixture(name="site")
def fixture_site(tmp_path):
    with Fake("aws", record=tmp_path / "requests") as fake:
        site = Site(tmp_path, fake)
        with site.manager:
            site.manager.start()
            site.manager.apply({"kind": "Secret", "name": "cloud", "value": fake.credential},
                               {"kind": "Account", "name": "cloud", "plugin": "aws", "secret": "cloud", "settings": fake.settings})
            yield site
        fake.check()


def test_security_groups_and_profile_are_changed_without_a_rollout(site):
    site.apply()
    site.until_groups(1)
    until(lambda: [row["status"]["state"] for row in site.manager.get("/v1/resources").json["items"]] == ["active"] * 2, "")
    before = {machine["id"] for machine in site.fake.alive()}
    said = site.apply(", instanceProfileName: reeve-node", "    securityGroups: [web, default]\n")
    assert "replace 0, change 2" in said, said
    site.until_groups(2, "reeve-node")
    site.manager.kill()
    site.manager.start()
    site.apply(fields="    securityGroups: [web]\n    labels: {a: b}\n")
    site.until_groups(1)
    until(lambda: [machine["tags"].get("a") for machine in site.fake.alive()] == ["b"] * 2, "")
    site.apply()
    until(lambda: [machine["tags"].get("a") for machine in site.fake.alive()] == [None] * 2, "")
    assert {machine["id"] for machine in site.fake.alive()} == before
    site.apply(", rootSize: 20GiB", allow=("--allow", "replace=2"))
    until(lambda: not before & {machine["id"] for machine in site.fake.alive()}, "")  # that is a rollout
