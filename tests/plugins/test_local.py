"""The plugin `local`: real containers, by liblxc and by plain namespaces (issue 6; F5, I21).

Requirements: K15.
"""

import concurrent.futures
import contextlib
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from pylib.containers import HAS_LXC, IMAGES, below, census, ground, left_over, tops  # noqa: E402
from pylib.hosted import Gone, Host  # noqa: E402

BUILD = ROOT / os.environ.get("REEVE_BUILD", "build")
CLUSTER = "default/shop"
KILLS = int(os.environ.get("REEVE_KILLS", "8"))
NUMBERS = itertools.count(os.getpid() % 20000 * 10)

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")
both = pytest.mark.parametrize("isolation", [
    pytest.param("lxc", marks=pytest.mark.skipif(not HAS_LXC, reason="liblxc is missing")), "plain"])
debian = pytest.mark.skipif(shutil.which("debootstrap", path="/usr/sbin:/usr/bin") is None,
                            reason="debootstrap is missing")


class Place:
    """A folder and a network namespace for machines, and hosts on them."""

    def __init__(self, folder, isolation, images=None):
        self.number = next(NUMBERS)
        self.folder = folder / f"rvtest{self.number}"
        self.folder.mkdir()
        if images:
            images.mkdir(parents=True, exist_ok=True)
            (self.folder / "images").symlink_to(images)
        self.namespace = f"rvtest{self.number}"
        self.settings = {"network": {"namespace": self.namespace, "cidr": "10.77.0.0/24"},
                         "isolation": isolation}
        self.key = folder / "key"
        if not self.key.exists():
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.key], check=True)
        self.public = self.key.with_suffix(".pub").read_text()
        self.before = census(str(self.folder))
        self.is_closed = False
        self.host = self.open()

    def open(self):
        """A host on this place."""
        self.host = Host(BUILD / "reeve-host", BUILD / "plugins/local.so", self.folder, self.settings)
        assert not self.host.failed, (self.host.failed, self.host.logs)
        return self.host

    def create(self, token, slot="0", deadline_s=120, image="host", init="", name="web-0", **properties):
        """Make a machine."""
        tags = {"reeve.cluster_id": CLUSTER, "reeve.group": "web", "reeve.logical_id": slot,
                "reeve.token": token}
        return self.host.call("create", deadline_s, cluster=CLUSTER, token=token, name=name, tags=tags,
                              labels='{"labels":{}}', keys=self.public, init=init,
                              properties=json.dumps({"image": image, **properties}))

    def rows(self):
        """All machines, by id."""
        answer = self.host.call("describe", cluster=CLUSTER)
        assert answer.result == "ok" and not answer.is_incomplete, answer
        return {row.id: row for row in answer.rows}

    def wait(self, machine, state, seconds=240):
        """The machine's row, once it is in this state."""
        ends = time.monotonic() + seconds
        while (row := self.rows().get(machine)) is None or row.state != state:
            assert time.monotonic() < ends, f"{machine} is {row and row.state}, not {state}"
            time.sleep(0.02)
        return row

    def destroy(self, machine):
        """End a machine."""
        answer = self.host.call("destroy", cluster=CLUSTER, machine=machine, reason="terminate")
        assert answer.result == "ok", answer

    def inside(self, *command, **options):
        """A command in the namespace of the network."""
        return subprocess.run(["nsenter", f"--net=/run/netns/{self.namespace}", *command], text=True,
                              capture_output=True, check=False, timeout=240, **options)

    def banner(self, address):
        """What sshd says first, once it listens: a machine runs before that."""
        done = self.inside("timeout", "50", "bash", "-c", f"until exec 3<>/dev/tcp/{address}/22 && head -n 1 <&3; "
                           "do sleep 0.05; done 2>/dev/null")
        return done.stdout

    def ssh(self, address, *command, user="admin"):
        """A command in the machine, over ssh."""
        return self.inside("ssh", "-F", "none", "-i", str(self.key), "-o", "StrictHostKeyChecking=no",
                           "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", "-o",
                           "BatchMode=yes", f"{user}@{address}", *command)

    def end(self):
        """Whatever the test has left: where it has failed its host may be gone, and its machines are not."""
        if not self.is_closed:
            with contextlib.suppress(OSError):
                self.host.kill()
            self.open()
            self.close()

    def close(self):
        """End all machines; nothing may be left."""
        self.is_closed = True
        for machine in self.rows():
            self.destroy(machine)
        self.host.close()
        assert left_over(self.before, str(self.folder)) == {}
        assert not list((self.folder / "machines").iterdir())
        assert not list((self.folder / "addresses").iterdir())
        assert not list((self.folder / "trash").iterdir())


@pytest.fixture
def make_place(tmp_path):
    """Places that end with the test."""
    with ground(tmp_path, is_alone=True) as folder, contextlib.ExitStack() as stack:
        def make(isolation, images=None):
            place = Place(folder, isolation, images)
            stack.callback(place.end)
            return place

        yield make


@both
def test_the_life_of_a_machine(make_place, isolation):
    """Made, logged in to, labelled, killed, started anew, destroyed: nothing is left."""
    place = make_place(isolation)
    made = place.create("one", init="#!/bin/sh\necho first start of $(hostname)\nexit 7\n", memory="256MiB",
                        cpus=0.5)
    assert made.result == "ok", made
    row = place.wait(made.id, "running")
    assert row.tags["reeve.token"] == "one" and row.tags["reeve.logical_id"] == "0"
    assert row.properties["isolation"] == isolation
    assert row.properties["firstStart"] == 7
    assert place.banner(row.address).startswith("SSH-2.0-OpenSSH")
    said = place.ssh(row.address, "hostname; id -un; cat /etc/hostname; echo kept >~/note; pwd")
    assert said.stdout.split() == ["web-0", "admin", "web-0", "/home/admin"], said
    scanned = place.inside("ssh-keyscan", "-t", "ed25519", row.address).stdout
    assert row.properties["hostKey"].split()[1] in scanned
    log = place.folder / f"machines/{made.id}/upper/var/log/reeve-first-boot.log"
    assert log.read_text() == "first start of web-0\n"
    assert place.host.call("label", cluster=CLUSTER, machine=made.id,
                           labels='{"labels":{"a":"b"}}').result == "ok"
    meta = json.loads((place.folder / f"machines/{made.id}/meta.json").read_text())
    assert meta["labels"] == '{"labels":{"a":"b"}}'

    os.kill(row.properties["pid"], signal.SIGKILL)
    place.wait(made.id, "stopped")
    rebooted = place.host.call("reboot", cluster=CLUSTER, machine=made.id)
    assert rebooted.result == "ok", rebooted
    again = place.wait(made.id, "running")
    assert again.address == row.address and again.properties["hostKey"] == row.properties["hostKey"]
    assert place.banner(row.address).startswith("SSH-2.0")
    assert place.ssh(row.address, "cat note").stdout == "kept\n"
    assert log.read_text() == "first start of web-0\n", "the script ran a second time"

    place.destroy(made.id)
    assert place.rows() == {}
    place.destroy(made.id)
    assert place.host.call("reboot", cluster=CLUSTER, machine=made.id).result == "gone"
    place.close()


@pytest.mark.skipif(not HAS_LXC, reason="liblxc is missing")
def test_groups_of_a_machine_that_nobody_has(make_place):
    """What a host that lost its power left among the control groups keeps no other group from being removed."""
    others = [made for top in tops() if (made := top / "of-nobody").parent.parent.is_dir()]
    for path in others:
        path.mkdir(parents=True)
    try:
        place = make_place("lxc")
        made = place.create("one")
        place.wait(made.id, "running")
        place.destroy(made.id)
        place.close()
        assert all(path.is_dir() for path in others), "the group of another was removed"
    finally:
        for path in others:
            path.rmdir()
            with contextlib.suppress(OSError):
                path.parent.rmdir()


@both
def test_a_machine_outlives_its_host(make_place, isolation):
    """kill -9 of the process that made it does nothing to it; the next one knows it by the folder alone."""
    place = make_place(isolation)
    made = place.create("one")
    row = place.wait(made.id, "running")
    place.host.kill()
    assert place.banner(row.address).startswith("SSH-2.0")
    place.open()
    assert place.wait(made.id, "running").properties["pid"] == row.properties["pid"]
    os.kill(row.properties["pid"], signal.SIGKILL)
    place.wait(made.id, "stopped")
    place.close()


@both
def test_what_a_killed_host_has_left(make_place, isolation):
    """An address that was claimed for a machine that never came, and a bridge without machines, go with the next start."""
    place = make_place(isolation)
    made = place.create("one")
    place.wait(made.id, "running")
    place.host.kill()
    (place.folder / "addresses/10.77.0.77").symlink_to(made.id[:9] + "0123456789abcdef")
    place.open()
    assert [path.name for path in (place.folder / "addresses").iterdir()] == [place.rows()[made.id].address]
    (place.folder / "addresses/10.77.0.77").symlink_to(made.id[:9] + "0123456789abcdef")
    place.destroy(made.id)
    assert (pathlib.Path("/run/netns") / place.namespace).exists()  # somebody has an address
    place.host.kill()
    place.open()
    place.close()


@both
def test_limits_hold(make_place, isolation):
    """The groups say what was asked for, whichever version is mounted."""
    place = make_place(isolation)
    made = place.create("one", memory="64MiB", cpus="0.25")
    row = place.wait(made.id, "running")
    if isinstance(row.properties["limits"]["memory"], str):
        pytest.skip(row.properties["limits"]["memory"])
    groups = dict(line.strip().split(":", 2)[1:] for line in
                  open(f"/proc/{row.properties['pid']}/cgroup"))
    assert all(made.id in path for names, path in groups.items() if "memory" in names)
    found = {path.read_text().strip() for name in ("memory.limit_in_bytes", "memory.max", "cpu.cfs_quota_us",
                                                   "cpu.max")
             for path in below("/sys/fs/cgroup") if str(path).endswith(f"/reeve-local/{made.id}/{name}")}
    assert "67108864" in found and ("25000" in found or "25000 100000" in found), found
    place.close()


@both
def test_one_token_is_one_machine(make_place, isolation):
    """Asked for in turn and at once, the machine is the same."""
    place = make_place(isolation)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: place.create("one"), range(8)))
    assert {answer.result for answer in made} == {"ok"}, made
    assert len({answer.id for answer in made}) == 1
    assert place.create("one").id == made[0].id
    assert list(place.rows()) == [made[0].id]
    assert len(list((place.folder / "addresses").iterdir())) == 1
    place.close()


def test_an_address_has_one_hardware_address(make_place):
    """Who has talked to the machine that had the address reaches the next one that has it."""
    place = make_place("plain")
    seen = []
    for token in ("one", "two"):
        row = place.wait(place.create(token).id, "running")
        assert place.banner(row.address).startswith("SSH-2.0")
        known = place.inside("ip", "-o", "neighbour", "show", row.address).stdout
        own = place.inside("nsenter", "-t", str(row.properties["pid"]), "-n", "ip", "-o", "link", "show", "eth0").stdout
        assert known.split("lladdr ")[1].split()[0] == own.split("link/ether ")[1].split()[0]
        seen.append((row.address, own.split("link/ether ")[1].split()[0]))
        place.destroy(row.id)
    assert seen[0] == seen[1]
    place.close()


@both
def test_twenty_at_once(make_place, isolation):
    """Addresses are never doubled, each answers, and all go without a trace."""
    place = make_place(isolation)
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        made = list(pool.map(lambda i: place.create(f"t{i}", str(i), name=f"web-{i}"), range(20)))
        assert {answer.result for answer in made} == {"ok"}, made
        rows = place.rows()
        assert len(rows) == 20 and len({row.address for row in rows.values()}) == 20
        assert all(place.banner(row.address).startswith("SSH-2.0") for row in rows.values())
        list(pool.map(place.destroy, rows))
    place.close()


def test_addresses_run_out(make_place):
    """A range that is full is a quota, and what goes makes room."""
    place = make_place("plain")
    place.host.close()
    place.settings["network"]["cidr"] = "10.77.0.0/29"
    place.open()
    made = [place.create(f"t{i}", str(i)) for i in range(5)]
    assert {answer.result for answer in made} == {"ok"}, made
    full = place.create("t5", "5")
    assert full.result == "quota" and "10.77.0.0/29" in full.faults[0][1]
    place.destroy(made[2].id)
    assert place.create("t5", "5").result == "ok"
    place.close()


@both
def test_killed_anywhere(make_place, isolation):
    """kill -9 of the host in the middle of creates and destroys: no machine is doubled, none is lost, and at the
    end nothing is left."""
    place = make_place(isolation)
    dice = random.Random(6)
    wanted = {f"t{i}": True for i in range(4)}
    ids = {}

    def change(token):
        with contextlib.suppress(Gone):
            if wanted[token]:
                place.create(token, token)
            elif token in ids:
                place.host.call("destroy", cluster=CLUSTER, machine=ids[token], reason="terminate")

    for _ in range(KILLS):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            futures = [pool.submit(change, token) for token in wanted]
            time.sleep(dice.random() * 0.25)
            place.host.kill()
            concurrent.futures.wait(futures)
        place.open()
        for token, row in [(row.tags["reeve.token"], row) for row in place.rows().values()]:
            assert ids.setdefault(token, row.id) == row.id
        wanted = {token: dice.random() < 0.5 for token in wanted}
    for token in wanted:
        wanted[token] = True
        answer = place.create(token, token)
        assert answer.result == "ok" and ids.setdefault(token, answer.id) == answer.id, answer
    rows = place.rows()
    assert sorted(row.tags["reeve.token"] for row in rows.values()) == sorted(wanted)
    assert len({row.address for row in rows.values()}) == len(wanted)
    for machine in rows:
        assert place.banner(place.wait(machine, "running").address).startswith("SSH-2.0")
    place.close()


@both
def test_volumes_are_kept(make_place, isolation):
    """keep: slot and always come back in the next machine of the slot, keep: node goes with the machine."""
    place = make_place(isolation)
    volumes = [{"name": "data", "size": "64MiB", "mount": "/srv/data", "keep": "slot"},
               {"name": "own", "size": "16MiB", "mount": "/srv/own", "keep": "node"},
               {"name": "ever", "size": "16MiB", "keep": "always"}]
    first = place.create("one", "3", volumes=volumes)
    row = place.wait(first.id, "running")
    assert [volume["mount"] for volume in row.properties["volumes"]] == ["/srv/data", "/srv/own",
                                                                         "/volumes/ever"]
    kinds = {volume["kind"] for volume in row.properties["volumes"]}
    root = f"/proc/{row.properties['pid']}/root"
    for mount in ("srv/data", "srv/own", "volumes/ever"):
        pathlib.Path(root, mount, "note").write_text(mount)
    if kinds == {"disk"}:
        size = os.statvfs(f"{root}/srv/data")
        assert size.f_blocks * size.f_frsize < 64 * 1024 * 1024
    busy = place.create("two", "3", volumes=volumes)
    assert busy.result == "transient" and first.id in busy.faults[0][1], busy
    assert list(place.rows()) == [first.id]
    place.destroy(first.id)
    second = place.create("two", "3", volumes=volumes)
    assert second.result == "ok" and second.id != first.id
    root = f"/proc/{place.wait(second.id, 'running').properties['pid']}/root"
    assert pathlib.Path(root, "srv/data/note").read_text() == "srv/data"
    assert pathlib.Path(root, "volumes/ever/note").read_text() == "volumes/ever"
    assert not pathlib.Path(root, "srv/own/note").exists()
    other = place.create("three", "4", volumes=volumes)
    root = f"/proc/{place.wait(other.id, 'running').properties['pid']}/root"
    assert not pathlib.Path(root, "srv/data/note").exists()
    assert place.host.call("reboot", cluster=CLUSTER, machine=second.id).result == "ok"
    root = f"/proc/{place.wait(second.id, 'running').properties['pid']}/root"
    assert pathlib.Path(root, "srv/data/note").read_text() == "srv/data"
    place.close()


@both
def test_the_hosts_secrets_are_not_shown(make_place, isolation):
    """image: host has the host's programs, and nothing that only root may read there."""
    place = make_place(isolation)
    row = place.wait(place.create("one").id, "running")
    root = pathlib.Path(f"/proc/{row.properties['pid']}/root")
    assert (root / "usr/bin/python3").exists() == os.path.exists("/usr/bin/python3")
    for name in ("root", "opt", "srv", "boot", "var/cache", "var/spool", "mnt", "media"):
        assert not [entry for entry in (root / name).iterdir()
                    if entry.name != "volumes"], f"/{name} shows what is there"
    assert sorted(os.listdir(root / "home")) == ["admin"]
    assert set(os.listdir(root / "var/lib")) <= {"misc", "dpkg", "sudo", "reeve"}
    assert not list((root / "usr/local").rglob("*.*")) and not list((root / "usr/local/bin").iterdir())
    assert [line.split(":")[1] for line in (root / "etc/shadow").read_text().splitlines()
            if line.split(":")[1] != "*"] == []
    people = [line.split(":")[0] for line in open("/etc/passwd") if 1000 <= int(line.split(":")[2]) < 65534]
    shown = (root / "etc/passwd").read_text()
    assert not [name for name in people if f"\n{name}:" in shown and name != "admin"]
    assert sorted(entry.name for entry in (root / "etc/ssh").iterdir()) == [
        "ssh_host_ed25519_key", "ssh_host_ed25519_key.pub", "sshd_config"]
    for name in ("profile", "bash.bashrc", "environment"):
        assert (root / "etc" / name).read_text() != pathlib.Path("/etc", name).read_text() \
            if os.path.exists(f"/etc/{name}") and os.path.getsize(f"/etc/{name}") > 100 else True
    for path in (root / "etc").rglob("*"):
        host = pathlib.Path("/etc") / path.relative_to(root / "etc")
        if not path.is_symlink() and path.is_file() and host.is_file() and not host.stat().st_mode & 4:
            assert path.read_bytes() != host.read_bytes() or not path.stat().st_size, f"{host} is shown"
    device = os.stat("/").st_dev
    probe = place.ssh(row.address, f"mknod /tmp/d b {os.major(device)} {os.minor(device)} && "
                      "head -c 1 /tmp/d | wc -c", user="root")
    if "1\n" == probe.stdout:
        assert isolation == "plain" and not [path for path in below("/sys/fs/cgroup") if path.name == "devices.list"]
    place.close()


def test_wrong_properties_are_reported(make_place):
    """Each fault by its place; a file that is right has none."""
    place = make_place("plain")

    def faults(**properties):
        answer = place.host.call("validate", properties=json.dumps(properties))
        assert (answer.result == "ok") == (not answer.faults)
        return sorted(pointer for pointer, _ in answer.faults)

    assert faults() == []
    assert faults(image="debian-13", cpus="1.5", memory="1GiB", user="ops", machineSize="small", sshKey=place.public.strip(),
                  volumes=[{"name": "a", "size": 10**9, "mount": "/srv/a"}]) == []
    assert faults(cpus=2) == faults(cpus=0.5) == faults(memory=512 * 1024 * 1024) == []
    for name, values in {"image": ["fedora", "", 7, "../x"], "cpus": ["many", 0, -1, "0.0001", 5000, [1], "1."],
                         "memory": ["1MiB", "lots", -5, {}], "machineSize": ["huge", 3],
                         "user": ["Root", "-x", "a b", "", "a:b"], "volumes": ["x", {}],
                         "sshKey": ["hello", "ssh-rsa AAAA\nssh-rsa AAAA", 'command="x" ssh-rsa AAAA']}.items():
        for value in values:
            assert faults(**{name: value}) == [f"/{name}"], (name, value)
    for change, pointer in [({"size": "0"}, "size"), ({"mount": "data"}, "mount"), ({"mount": "/etc"}, "mount"),
                            ({"mount": "/srv/../etc"}, "mount"), ({"mount": "/srv/a b"}, "mount"),
                            ({"keep": "sometimes"}, "keep"), ({"name": "../x"}, "name"), ({"snapshot": "s"}, "snapshot")]:
        assert faults(volumes=[{"name": "a", "size": 10**9, **change}]) == [f"/volumes/0/{pointer}"], change
    assert faults(image="x", cpus="y", user="Z", volumes=[{"name": "a"}]) == ["/cpus", "/image", "/user",
                                                                            "/volumes/0/size"]
    place.close()


def test_settings_that_are_wrong(tmp_path):
    """The plugin does not start, and the log says what is wrong."""
    for number, (settings, word) in enumerate([
            ({"network": {"cidr": "10.77.0.1/24"}}, "network.cidr"), ({"network": {"cidr": "x"}}, "network.cidr"),
            ({"network": {"bridge": "a bridge"}}, "network.bridge"), ({"network": {"namespace": "../x"}}, "network.namespace"),
            ({"mirror": "-x"}, "mirror"), ({"isolation": "none"}, "isolation")]):
        host = Host(BUILD / "reeve-host", BUILD / "plugins/local.so", tmp_path / str(number), settings)
        assert host.failed and word in " ".join(host.logs), (settings, host.failed, host.logs)
        host.close()
    host = Host(BUILD / "reeve-host", BUILD / "plugins/local.so", tmp_path / "a b", {})
    assert host.failed and "blank" in " ".join(host.logs)
    host.close()


def test_networks_of_others_are_left_alone(make_place):
    """A range that the computer uses, and a bridge that is not ours, are refused before anything is made."""
    place = make_place("plain")
    made = place.create("one")
    assert made.result == "ok", made
    place.inside("ip", "link", "add", "name", "theirs", "type", "bridge")
    place.inside("ip", "addr", "add", "10.78.0.1/16", "dev", "theirs")
    place.inside("ip", "link", "set", "theirs", "up")
    for network, word in [({"bridge": "theirs"}, "theirs"),
                          ({"bridge": "reeve9", "cidr": "10.78.5.0/24"}, "10.78.0.0")]:
        folder = place.folder / network["bridge"]
        host = Host(BUILD / "reeve-host", BUILD / "plugins/local.so", folder,
                    {**place.settings, "network": {**place.settings["network"], **network}})
        place.host, own = host, place.host
        answer = place.create("two", "1")
        assert answer.result == "invalid" and word in answer.faults[0][1], answer
        assert place.rows() == {} and not list((folder / "addresses").iterdir())
        host.close()
        place.host = own
    assert place.banner(place.rows()[made.id].address).startswith("SSH-2.0")
    place.close()


@debian
@both
def test_a_debian_of_its_own(make_place, isolation):
    """A clean root file system, kept: sudo works, and two machines share no identity."""
    place = make_place(isolation, IMAGES)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda i: place.create(f"t{i}", str(i), 900, "debian", name=f"web-{i}"), range(2)))
    assert {answer.result for answer in made} == {"ok"}, (made, place.host.logs)
    rows = [place.wait(answer.id, "running") for answer in made]
    seen = []
    for row in rows:
        assert place.banner(row.address).startswith("SSH-2.0")
        said = place.ssh(row.address, "sudo -n id -un && cat /etc/machine-id && hostname && python3 -c 'print(1)'")
        assert said.returncode == 0, said
        assert said.stdout.split()[0] == "root" and said.stdout.split()[-1] == "1"
        seen.append((said.stdout, row.properties["hostKey"]))
    assert not set(seen[0][0].split()[1:3]) & set(seen[1][0].split()[1:3])
    assert seen[0][1] != seen[1][1]
    layer = IMAGES / rows[0].properties["image"] / "root"
    assert not list((layer / "etc/ssh").glob("ssh_host*")) and (layer / "etc/machine-id").read_text() == ""
    assert not list((layer / "var/cache/apt/archives").glob("*.deb"))
    assert not list((layer / "var/lib/apt/lists").glob("*_Packages*"))
    place.close()


@debian
def test_an_image_that_is_being_made(make_place):
    """Who waits is told; kill -9 in the middle leaves no process, no mount, and no image that looks whole."""
    place = make_place("plain")
    answer = place.create("one", image="debian", deadline_s=3)
    assert answer.result == "transient" and "being created" in answer.faults[0][1], answer
    assert place.rows() == {}
    assert list((place.folder / "images").glob(".*.new"))
    place.host.kill()
    assert left_over(place.before, str(place.folder)) == {}
    assert not [path for path in (place.folder / "images").iterdir() if path.name[0] != "."
                and path.is_dir()]
    place.open()
    assert not list((place.folder / "images").glob(".*.new"))
    place.close()


@debian
def test_an_image_that_cannot_be_made(make_place):
    """debootstrap's own trouble is told."""
    place = make_place("plain")
    place.host.close()
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        place.settings["mirror"] = f"http://127.0.0.1:{closed.getsockname()[1]}/debian"
    place.open()
    answer = place.create("one", image="debian")
    assert answer.result == "transient" and "could not be made" in answer.faults[0][1], answer
    assert "InRelease" in answer.faults[0][1] or "Release" in answer.faults[0][1], answer
    assert not list((place.folder / "images").glob(".*.new"))
    place.close()
