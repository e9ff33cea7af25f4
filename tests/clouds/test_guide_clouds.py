"""The pages of docs/guide/clouds, followed at the fakes: their account, their first cluster, the clean-up; and the files of `reeve init --cloud`."""

import base64
import json
import os
import re
import subprocess
import sys
import urllib.parse

import oracles
import pytest
from pylib.clouds import Fake
from pylib.pages import page_steps

from cloudy import REEVED, ROOT, Manager, until

sys.path.append(str(ROOT / "tests/clouds/fake"))
from aws_catalog import make_id  # noqa: E402

GUIDE = ROOT / "docs/guide/clouds"
# The file of the credential, the example of the page, and how many machines it has.
PAGES = {"aws": ("aws.key", "aws.yaml", 5), "gcd": ("gcd.json", "gcd.yaml", 5), "digitalOcean": ("digitalocean.token", "digitalOcean.yaml", 5),
         "openstack": ("openrc.sh", "cloud-openstack.yaml", 3)}
GIB_OF_100_GB = 94  # rounded up
# What the fake has in place of what the examples name.
HERE = {"aws": (("[bastion]", "[default]"), ("t3.micro", "t2.micro"), ("t3a.small", "t2.small")), "digitalOcean": (("    securityGroups: [web]\n", ""),)}


class Reader:
    """Somebody who reads a page, with a manager that reaches the fake of its cloud."""

    def __init__(self, folder, cloud, fake):
        self.folder, self.cloud, self.fake = folder / "work", cloud, fake
        self.folder.mkdir()
        self.text = (GUIDE / f"{cloud}.md").read_text()
        (folder / "reeved.yaml").write_text(f"endpoints: {{{cloud}: ['127.0.0.1:{fake.port}']}}\n")
        self.manager = Manager(folder, "--config", str(folder / "reeved.yaml"), "--haste", "50", control=True)

    def write(self, name, text):
        """A file of the page. Its account gets the address of the fake."""
        more = {key: value for key, value in self.fake.settings.items() if f"{key}:" not in text}
        words = ", ".join(f"{key}: {json.dumps(value)}" for key, value in more.items())
        text, count = re.subn(r"^settings: \{", f"settings: {{{words}, ", text, flags=re.M)
        if not count:
            text = re.sub(r"^(kind: Account\n(?:\w+: .*\n)*)", rf"\1settings: {{{words}}}\n", text, flags=re.M)
        for old, new in HERE.get(self.cloud, ()):
            text = text.replace(old, new)
        (self.folder / name).write_text(text)

    def write_page(self):
        """All files of the page, with the real credential in its own."""
        for kind, name, text in page_steps(GUIDE / f"{self.cloud}.md"):
            assert kind == "file", (kind, name)
            self.write(name, text)
        credential = self.folder / PAGES[self.cloud][0]
        credential.write_text(self.fake.credential)
        credential.chmod(0o600)

    def commands(self, section):
        """The commands of reeve in a section of the page."""
        part = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", self.text, re.S | re.M)[1]
        return re.findall(r"^\$ (reeve .*)$", part, re.M) + re.findall(r"`(reeve delete [^`]*)`", part)

    def run(self, command):
        """Run a command of the page with the consent that it asks for."""
        if command.startswith(("reeve apply", "reeve delete")):
            command += " --yes --detach --allow destroy=9"
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True, text=True, check=False, timeout=240,
                              env={**os.environ, "PATH": f"{REEVED.parent}:{os.environ['PATH']}", "REEVE_URL": f"unix:{self.manager.socket}",
                                   "HOME": str(self.folder), "COLUMNS": "200"})
        assert done.returncode == 0, f"$ {command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def said(self):
        """What the manager shows, for a failed test."""
        return self.run("reeve status") + self.manager.log.read_text()[-3000:]

    def wait(self, count):
        """Wait until the cloud has so many machines."""
        until(lambda: len(self.fake.alive()) == count, lambda: f"{len(self.fake.alive())} of {count}\n{self.said()}")


@pytest.fixture(name="reader", params=PAGES)
def fixture_reader(request, tmp_path):
    with Fake(request.param, record=tmp_path / "requests") as fake:
        reader = Reader(tmp_path, request.param, fake)
        with reader.manager:
            reader.manager.start()
            yield reader
        fake.check()


def test_the_page_is_followed_from_the_account_to_the_clean_up(reader):
    _, example, count = PAGES[reader.cloud]
    reader.write_page()
    reader.write("cluster.yaml", (ROOT / "examples" / example).read_text())
    if example.startswith("cloud-"):  # that file has the credential and the account, too
        assert f"reeve init --cloud {reader.cloud}" in reader.text
    account, plan, apply, get = reader.commands("The first cluster")
    assert (account, plan, apply) == ("reeve apply -f account.yaml", "reeve plan -f cluster.yaml", "reeve apply -f cluster.yaml")
    reader.run(account)
    assert f"checked at {reader.cloud}/" in reader.run(plan)
    assert not reader.fake.alive()
    reader.run(apply)
    reader.wait(count)
    assert len([line for line in reader.run(get).splitlines() if re.search(r"\b(web|bastion)-\d", line)]) == count
    [delete] = reader.commands("Clean-up")
    reader.run(delete)
    reader.wait(0)
    reader.fake.wait(lambda state: not state["ports"] and not state["disks"], "a cloud without ports and disks")


def test_init_writes_a_file_that_plans(reader):
    reader.write_page()
    reader.run(f"reeve init --cloud {reader.cloud} cluster.yaml")
    written = (reader.folder / "cluster.yaml").read_text()
    assert written == (ROOT / f"examples/cloud-{reader.cloud}.yaml").read_text()
    reader.write("cluster.yaml", written)
    assert "create 3 nodes" in reader.run("reeve plan -f cluster.yaml")
    reader.write("account.yaml", written[:written.index('---\nversion: "1"')])  # the account alone, as the file says
    reader.run("reeve apply -f account.yaml")
    assert f"checked at {reader.cloud}/" in reader.run("reeve plan -f cluster.yaml")
    reader.run("reeve apply -f cluster.yaml")
    reader.wait(3)
    reader.run("reeve delete shop")
    reader.wait(0)


def test_E26_every_parameter_of_config_py_reaches_ec2(tmp_path):
    """docs/guide/clouds/from-config-py.md, with values that the fake has, and the properties that the page names."""
    with Fake("aws", record=tmp_path / "requests") as fake:
        reader = Reader(tmp_path, "aws", fake)
        files = {name: text for kind, name, text in page_steps(GUIDE / "from-config-py.md") if kind == "file"}
        image = make_id("ami", "eu-west-1", "ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-amd64-server-20260601")
        subnet = make_id("subnet", "eu-west-1a")
        text = files["analytics.yaml"].replace("ami-0b1c2d3e4f5a6b7c8", image).replace("subnet-0a1b2c3d", subnet)
        text = text.replace("m3.large", "t3.medium").replace("m3.xlarge", "m5.large").replace("  owner: data-team\n", (
            "  owner: data-team\n  resourceProperties: {instanceProfileName: reeve-node, placementGroup: apart, ebsOptimized: true, publicAddress: true}\n"))
        with reader.manager:
            reader.manager.start()
            reader.write("account.yaml", files["account.yaml"])
            (reader.folder / "aws.key").write_text(fake.credential)
            (reader.folder / "aws.key").chmod(0o600)
            (reader.folder / "analytics.yaml").write_text(text)
            reader.run("reeve apply -f account.yaml")
            reader.run("reeve apply -f analytics.yaml")
            reader.wait(4)
            fake.wait(lambda state: sum(disk["size"] == GIB_OF_100_GB for disk in state["disks"]) == 3, "three volumes")
            state = fake.state()
        asked = [dict(urllib.parse.parse_qsl(base64.b64decode(line["body"]).decode())) for line in oracles.read_record(tmp_path / "requests")
                 if line["call"] == "RunInstances"]
        for one in (one for one in asked if one.get("DryRun") != "true"):
            values = set(one.values())
            assert {image, "ops", subnet, "apart", "reeve-node"} <= values, one
            assert one["EbsOptimized"] == "true" and one["NetworkInterface.1.AssociatePublicIpAddress"] == "true", one
        machines = {machine["name"]: machine for machine in fake.alive()}
        assert sorted(machines) == ["master", "worker1", "worker2", "worker3"]
        for name, machine in machines.items():
            assert machine["size"] == ("t3.medium" if name == "master" else "m5.large") and machine["key"] == "ops" and machine["image"] == image
            assert machine["tags"]["Owner"] == "data-team" and machine["tags"]["Name"] == name and len(machine["groups"]) == 2, machine
            assert "user='ubuntu'" in base64.b64decode(machine["userData"]).decode()
        volumes = [disk for disk in state["disks"] if disk["size"] == GIB_OF_100_GB]
        assert {disk["iops"] for disk in volumes} == {300} and all(disk["tags"]["Name"].startswith("worker") for disk in volumes), volumes
        fake.check()
