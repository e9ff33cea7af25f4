"""A manager and the volumes of its clusters at the fakes of the clouds (CLOUDS.md A7, 13h; decision 0168)."""
import base64
import json
import os
import re
import subprocess
import urllib.parse

import oracles
import pytest
from pylib.clouds import Fake

from cloudy import REEVED, Manager, until

SHOP = """name: shop
version: "1"
groups:
  db:
    size: %(size)s
    zones: [%(zone)s]
    resourcePlugin: {name: %(cloud)s, account: cloud}
    resourceProperties: %(properties)s
    volumes:
      - {name: data, size: 20, mount: /srv/data}
      - {name: scratch, size: 11, keep: node}
"""


# Zone, properties, settings of the account.
CLOUDS = {
    "aws": ("eu-west-1a", "{instanceType: t3.small, image: debian}", {}),
    "digitalOcean": ("fra1", "{size: s-1vcpu-1gb, image: debian}", {"lagMs": 300, "lateMs": 600, "requestsPerHour": 3600000}),
    "gcd": ("europe-west1-b", "{machineType: e2-micro, image: debian}", {}),
    "openstack": ("nova", "{flavor: m1.small, image: debian}", {"lagMs": 300, "lateMs": 600}),
}


class Site:
    """A manager in a hurry (keep: 1 h is 36 s), and a cloud."""

    def __init__(self, folder, fake):
        self.folder, self.fake, self.record, self.cloud = folder, fake, fake.record, fake.cloud
        self.zone, self.properties, self.settings = CLOUDS[fake.cloud]
        configuration = folder / "reeved.yaml"
        configuration.write_text(f"endpoints: {{{self.cloud}: ['127.0.0.1:{fake.port}']}}\nvolumesKeep: 1h\n")
        self.manager = Manager(folder, "--config", str(configuration), "--haste", "100", control=True)

    def begin(self):
        """The account of the cloud."""
        self.manager.apply({"kind": "Secret", "name": "cloud", "value": self.fake.credential},
                           {"kind": "Account", "name": "cloud", "plugin": self.cloud, "secret": "cloud", "settings": {**self.fake.settings, **self.settings}})

    def reeve(self, *words, text=None):
        """Exit code and both outputs of the command line."""
        done = subprocess.run([str(REEVED.parent / "reeve"), *words], input=text, timeout=300, capture_output=True, text=True, check=False,
                              env={**os.environ, "REEVE_URL": f"unix:{self.manager.socket}", "HOME": str(self.folder), "COLUMNS": "220"})
        return done.returncode, done.stdout, done.stderr

    def apply(self, size):
        """The cluster with so many nodes; the job may still run."""
        code, out, err = self.reeve("apply", "--yes", "--allow", "destroy=9", "--detach", "-f", "-", text=SHOP % {"size": size, "cloud": self.cloud, "zone": self.zone, "properties": self.properties})
        assert code == 0, out + err

    def made(self, size):
        """The cluster with so many nodes, which run."""
        self.apply(size)
        until(lambda: [row["status"]["state"] for row in self.manager.get("/v1/resources").json["items"]] == ["active"] * size, self.said)
        until(lambda: sum(state == "used" for state in self.volumes().values()) == 2 * size, self.said)
        until(self.is_settled, self.said)

    def is_settled(self):
        """Has the last request of each create been made, which nobody shows?"""
        if self.cloud != "aws":
            return {disk["state"] for disk in self.fake.state()["disks"] if "reeve.volume" in disk["tags"]} <= {"in-use"}
        # EC2 deletes the disk of the node from then on.
        requests = (line for line in oracles.read_record(self.record) if line["call"] == "ModifyInstanceAttribute" and line["status"] == 200)
        settled = {urllib.parse.parse_qs(base64.b64decode(line["body"]).decode())["InstanceId"][0] for line in requests}
        return settled >= {machine["id"] for machine in self.fake.alive()}

    def volumes(self):
        """State by name, as the manager shows it."""
        return {row["metadata"]["name"]: row["status"]["state"] for row in self.manager.get("/v1/volumes").json["items"]}

    def kept(self):
        """The same of the volumes of slots. That of a machine is shown until the lag of the cloud's listings is over."""
        return {name: state for name, state in self.volumes().items() if name.endswith("-data")}

    def disks(self):
        """Names of the additional disks that the cloud has."""
        return sorted(disk["name"] for disk in self.fake.state()["disks"] if "reeve.volume" in disk["tags"])

    def events(self, kind):
        """The facts of the events of a kind."""
        return [one.get("fact", "") for one in self.manager.get("/v1/events?limit=1000").json["items"] if one["type"] == kind]

    def said(self):
        """For a failed test."""
        return "\n".join((json.dumps(self.manager.get("/v1/volumes").json, indent=1), str(self.disks()), *self.reeve("status")[1:],
                          self.manager.log.read_text()[-3000:]))


@pytest.fixture(name="site", params=CLOUDS)
def fixture_site(tmp_path, request):
    with Fake(request.param, record=tmp_path / "requests") as fake:
        site = Site(tmp_path, fake)
        with site.manager:
            site.manager.start()
            site.begin()
            yield site
        fake.check()


def test_a_volume_is_shown_kept_and_deleted_when_its_time_is_over(site):
    site.made(2)
    assert site.volumes() == {"db-0-data": "used", "db-0-scratch": "used", "db-1-data": "used", "db-1-scratch": "used"}
    site.apply(1)
    until(lambda: site.volumes().get("db-1-data") == "kept", site.said)
    code, out, err = site.reeve("get", "volumes", "shop")
    row = next(line for line in out.splitlines() if "shop/db-1-data" in line)
    assert code == 0 and "kept" in row and "19 GiB" in row and site.zone in row and "slot" in row, out + err
    until(lambda: site.disks() == ["db-0-data", "db-0-scratch", "db-1-data"], site.said)  # that of the node went with it
    until(lambda: site.disks() == ["db-0-data", "db-0-scratch"], site.said)
    until(lambda: site.kept() == {"db-0-data": "used"}, site.said)
    assert not site.events("volume.gone") and "volume db-1-data: its time was over" in site.events("volume.deleted"), site.said()


def test_the_next_machine_of_the_slot_has_the_volume(site):
    site.made(1)
    before = {disk["name"]: disk["id"] for disk in site.fake.state()["disks"] if "reeve.volume" in disk["tags"]}
    site.apply(0)
    until(lambda: site.kept() == {"db-0-data": "kept"}, site.said)
    site.apply(1)
    until(lambda: site.kept() == {"db-0-data": "used"}, site.said)
    until(lambda: site.disks() == ["db-0-data", "db-0-scratch"], site.said)
    after = {disk["name"]: disk["id"] for disk in site.fake.state()["disks"] if "reeve.volume" in disk["tags"]}
    assert after["db-0-data"] == before["db-0-data"] and after["db-0-scratch"] != before["db-0-scratch"]
    assert not [fact for fact in site.events("volume.condemned") if "data" in fact]


def test_E7_plans_say_what_happens_to_volumes(site):
    text = SHOP % {"size": 2, "cloud": site.cloud, "zone": site.zone, "properties": site.properties}
    code, out, err = site.reeve("plan", "-f", "-", text=text)
    assert code in (0, 10) and "volumes: create 4 db-[0-1]-data,db-[0-1]-scratch" in out and "data lost" not in out, out + err
    site.made(2)
    code, out, err = site.reeve("scale", "shop/db", "1", "--yes")
    assert code == 11 and "destroy=1" in err and "1 volume is deleted with its data" in err, out + err
    assert "volumes: delete 1 db-1-scratch, keep 1 for 1 h db-1-data" in out and "data lost: 1 volume is deleted with its machine" in out, out
    code, out, err = site.reeve("plan", "--save", "-f", "-", text=text.replace("size: 2", "size: 1", 1))
    saved = site.manager.get("/v1/plans/" + re.search(r"plan/(\w+)", out + err)[1]).json
    assert saved["sums"]["volumes"] == {"delete": 1, "keep": 1} and "data lost: 1 volume is" in out, saved
    assert saved["plan"][0]["groups"][0]["volumes"]["delete"] == {"count": 1, "names": "db-1-scratch"}, saved
    code, out, err = site.reeve("delete", "shop", "--dry-run")
    assert "volumes: delete 2 db-[0-1]-scratch, keep 2 for 1 h db-[0-1]-data" in out, out + err
    code, out, err = site.reeve("replace", "shop/db-0", "--dry-run")
    assert "volumes: delete 1 db-0-scratch, attach 1 db-0-data, create 1 db-0-scratch" in out, out + err
    site.apply(1)
    until(lambda: site.volumes().get("db-1-data") == "kept", site.said)
    code, out, err = site.reeve("scale", "shop/db", "2", "--dry-run")
    assert "volumes: attach 1 db-1-data, create 1 db-1-scratch" in out, out + err
    sums = [one["sums"].get("volumes") for one in site.manager.get("/v1/events?limit=1000").json["items"] if one["type"] == "cluster.changed"]
    assert sums == [{"delete": 1, "keep": 1}], sums


def test_an_operator_deletes_a_volume_with_consent(site):
    site.made(1)
    code, _, err = site.reeve("delete", "volume", "shop/db-0-data", "--allow", "destroy=1")
    assert code == 5 and "R0848" in err and "db-0" in err, err
    site.apply(0)
    until(lambda: site.kept() == {"db-0-data": "kept"}, site.said)
    code, _, err = site.reeve("delete", "volume", "shop/db-0-data", "--yes")
    assert code == 11 and "destroy" in err, err
    code, _, err = site.reeve("delete", "volume", "shop/db-9-data", "--allow", "destroy=1")
    assert code == 4 and "reeve get volumes" in err, err
    until(lambda: site.disks() == ["db-0-data"], site.said)
    code, out, err = site.reeve("delete", "volume", "shop/db-0-data", "--allow", "destroy=1", "-m", "old")
    assert code == 0 and "its data is lost" in err, out + err
    until(lambda: "-data" not in str(site.disks()), site.said)
    until(lambda: not site.kept(), site.said)
    assert [one.get("why") for one in site.manager.get("/v1/events?limit=1000").json["items"] if one["type"] == "volume.delete"] == ["old"]
    assert "volume db-0-data: requested by " in str(site.events("volume.deleted"))


def test_a_deleted_cluster_keeps_its_volumes_for_their_time_through_a_kill(site):
    site.made(2)
    site.apply(0)  # a cluster with machines is deleted when the lag of the cloud is over
    until(lambda: site.kept() == {"db-0-data": "kept", "db-1-data": "kept"}, site.said)
    code, out, err = site.reeve("delete", "shop", "--yes", "--allow", "destroy=0")
    assert code == 0, out + err
    site.manager.kill()
    site.manager.start()
    until(lambda: site.disks() == ["db-0-data", "db-1-data"], site.said)
    until(lambda: "-data" not in str(site.disks()), site.said)
    until(lambda: not site.kept(), site.said)
    assert not site.events("volume.gone")
