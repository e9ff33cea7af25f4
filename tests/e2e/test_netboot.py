"""Machines that boot from the network, with a machine of Python that says what packaging/netboot/init says.

Requirements: C4, C13, C17, A.5. tests/netboot boots real ones.
"""
import base64
import hashlib
import http.client
import json
import os
import socket
import struct
import subprocess
import urllib.parse

import pytest

from conftest import ENVIRONMENT, REEVE
from manager import Manager, until
from pylib.ports import free_port
from test_images import digest, piece, tar_gz

GROUP = {"version": "1", "name": "dc", "groups": {"box": {
    "size": 0, "resourcePlugin": {"name": "inventory"}, "image": "debian-12",
    "install": {"disks": [{"match": "vd*"}], "kernelArgs": ["console=ttyS0"]}}}}


def host_key(number):
    """A public key of that number."""
    parts = b"".join(struct.pack(">I", len(one)) + one for one in (b"ssh-ed25519", hashlib.sha256(b"%d" % number).digest()))
    return "ssh-ed25519 " + base64.b64encode(parts).decode()


def fingerprint(key):
    """As reeve shows it."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(base64.b64decode(key.split()[1])).digest()).decode().rstrip("=")


class Machine:
    """What boots."""

    def __init__(self, port, number, **more):
        self.port = port
        self.facts = {"boot": f"boot-{number}", "mac": f"52:54:00:aa:bb:{number:02x}", "serial": f"CZ{number}", "uuid": f"{number:08d}-aa",
                      "host_key": host_key(number), "cpus": "4", "memory_kib": "8388608", "architecture": "x86_64", "kernel": "6.1.0",
                      "firmware": "bios", "disks": "vda 8589934592 vdb 1099511627776", **more}
        self.said = {}
        self.address = None  # where it is; None: anywhere

    def listen(self, address):
        """It is at an address of loopback, where something accepts connections as its sshd would."""
        self.address = (address, 0)
        return socket.create_server((address, 22))

    def http(self, method, path, body=None, kind="application/x-www-form-urlencoded"):
        """One request to the listener of netboot."""
        one = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60, source_address=self.address)
        try:
            one.request(method, path, body=body, headers={"Content-Type": kind} if body is not None else {})
            answer = one.getresponse()
            return answer.status, answer.read()
        finally:
            one.close()

    def report(self, **more):
        """The answer of the manager."""
        status, body = self.http("POST", "/netboot/report", urllib.parse.urlencode({**self.facts, **more}))
        if status != 200:
            return {"status": status, "text": body.decode()}
        self.said = {}
        for line in body.decode().splitlines():
            name, _, value = line.partition(" ")
            self.said.setdefault(name, []).append(value)
        return {name: values[0] for name, values in self.said.items()}

    def again(self, number):
        """It has started anew: the same hardware, another key."""
        self.facts.update(boot=f"boot-{number}", host_key=host_key(number))


@pytest.fixture
def world(tmp_path_factory):
    """A manager from which machines boot."""
    folder = tmp_path_factory.mktemp("m")
    port = free_port()
    (folder / "files").mkdir()
    (folder / "files/vmlinuz").write_bytes(b"kernel" * 100_000)
    (folder / "files/initrd.img").write_bytes(b"initrd")
    (folder / "reeved.yaml").write_text(json.dumps({"netboot": {"listen": f"127.0.0.1:{port}", "files": str(folder / "files"),
                                                                "kernelArgs": ["console=ttyS0"]}}))
    (folder / "reeved.yaml").chmod(0o600)
    with Manager(folder, "--config", str(folder / "reeved.yaml"), "--haste", "100", control=True).start() as manager:
        manager.netboot = port
        assert piece(manager, tar_gz()).json["have"]
        assert manager.ask("POST", "/v1/images/debian-12", {"digest": digest(tar_gz())}).status in (200, 201)
        yield manager


def rows(world):
    """Row by row, by serial number."""
    return {one["identity"].get("serial", one["id"]): one for one in world.get("/v1/nodes?discovered=1").json["items"]}


def reeve(world, *words, code=0, timeout=120):
    """A command."""
    run = subprocess.run([str(REEVE), *words], text=True, capture_output=True, check=False, cwd=world.folder, stdin=subprocess.DEVNULL,
                         timeout=timeout, env={**ENVIRONMENT, "REEVE_URL": f"unix:{world.socket}"})
    assert run.returncode == code, f"{run.stdout}\n{run.stderr}\n{why(world)}"
    return run.stdout + run.stderr


def why(world):
    """What there is to read when something does not come."""
    lines = [f"{one['time']} {one['type']} {one.get('fact', '')}" for one in world.get("/v1/events?limit=300").json["items"]]
    return "\n".join([json.dumps(rows(world)), *lines, world.log.read_text()[-4000:]])


def grouped(world, **more):
    """The cluster with its group."""
    document = json.loads(json.dumps(GROUP))
    document["groups"]["box"].update(more)
    (world.folder / "dc.yaml").write_text(json.dumps(document))
    reeve(world, "apply", "--yes", "--detach", "-f", "dc.yaml")


def commissioned(world, machine):
    """An operator takes it, and the order comes."""
    row = rows(world)[machine.facts["serial"]]
    reeve(world, "commission", f"{row['id']}={fingerprint(machine.facts['host_key'])}", "-g", "dc/box", "--yes", "--detach")
    return until(lambda: machine.report().get("do") == "install" and {name: values[0] for name, values in machine.said.items()},
                 lambda: why(world))


def test_an_unknown_machine_waits_as_a_pending_row(world):
    """With its facts and the source netboot; no disk of it is written before somebody commissions it."""
    machine = Machine(world.netboot, 1)
    received = machine.report()
    assert received["do"] == "wait" and "waits as CZ1" in received["say"] and fingerprint(host_key(1)) in received["say"], received
    row = rows(world)["CZ1"]
    assert row["status"] == "unallocated" and row["state"] == "discovered" and "approved" not in row, row
    assert row["sources"][0]["kind"] == "netboot" and row["identity"]["macs"] == ["52:54:00:aa:bb:01"], row
    assert row["facts"] == {"arch": "x86_64", "cpu": "4", "memory": "8192MiB", "kernel": "6.1.0", "disks": 2, "storage": "1056768MiB",
                            "firmware": "bios"} or row["facts"]["disks"] in (2, "2"), row
    shown = reeve(world, "discover", "-o", "wide")
    assert "CZ1" in shown and "netboot" in shown and "8192MiB" in shown, shown
    before = world.get("/v1/events?limit=100").text
    for _ in range(5):  # a machine that waits writes nothing
        assert machine.report()["do"] == "wait"
    assert world.get("/v1/events?limit=100").text == before
    reeve(world, "discover", "approve", f"{row['id']}={fingerprint(host_key(1))}")
    assert "to be commissioned" in machine.report()["say"]
    machine.again(11)  # its key is another one: the approval was for the former
    assert "for the approval of its host key" in machine.report()["say"]
    assert [one["identity"]["hostKey"] for one in rows(world).values()] == [host_key(11)]


def test_scripts_and_files(world):
    """The script of an unknown machine starts the netboot system, that of a machine with a system its disk."""
    machine = Machine(world.netboot, 1)
    status, script = machine.http("GET", "/netboot/boot.ipxe")
    assert status == 200 and b"chain http://127.0.0.1:%d/netboot/boot.ipxe?mac=${netX/mac:hexhyp}" % world.netboot in script, script
    status, script = machine.http("GET", "/netboot/boot.ipxe?mac=52-54-00-AA-BB-01")
    assert status == 200 and b"kernel http://127.0.0.1:%d/netboot/vmlinuz" % world.netboot in script, script
    assert b"reeve.url=http://127.0.0.1:%d console=ttyS0\n" % world.netboot in script, script
    assert machine.http("GET", "/netboot/vmlinuz") == (200, b"kernel" * 100_000)
    assert machine.http("GET", "/netboot/initrd.img") == (200, b"initrd")
    for path in ("/netboot/other", "/v1/clusters", "/healthz", "/", "/n/x/phone-home"):
        assert machine.http("GET", path)[0] == 404, path
    assert machine.http("GET", f"/netboot/image/{digest(tar_gz())}?id=x")[0] == 403
    one = http.client.HTTPConnection("127.0.0.1", world.netboot, timeout=60)
    one.request("GET", "/netboot/boot.ipxe", headers={"Host": "x;reboot"})
    assert one.getresponse().status == 400
    one.close()


def test_a_machine_is_installed_and_starts_from_its_disk(world):
    """The steps that it reports are shown, the image is for it alone, and the keys let the manager in."""
    grouped(world)
    machine = Machine(world.netboot, 2)
    machine.report()
    order = commissioned(world, machine)
    assert order["name"] == "box-0" and order["image"] == digest(tar_gz()) and order["format"] == "tar.gz", order
    assert order["disk"] == "vd*" and order["kernelArgs"] == "console=ttyS0" and int(order["minBytes"]) == 4 * len(tar_gz()), order
    assert any("cert-authority" in key or key.startswith("ssh-") for key in machine.said["key"]), machine.said
    assert machine.http("GET", f"/netboot/image/{digest(tar_gz())}?id={order['id']}")[0] == 403  # it has not begun
    for step in ("disk", "partition", "format", "unpack"):
        assert machine.report(id=order["id"], state="running", step=step)["do"] == "install"
        assert rows(world)["CZ2"]["install"]["step"] == step
    assert machine.http("GET", f"/netboot/image/{digest(tar_gz())}?id={order['id']}") == (200, tar_gz())
    assert machine.http("GET", f"/netboot/image/{digest(tar_gz())}?id=other")[0] == 403
    assert "installation as dc/box-0: running, unpack" in reeve(world, "discover", "--all")
    for name in ("dc/box-0", rows(world)["CZ2"]["id"]):
        assert "image      debian-12 running, step unpack, since" in reeve(world, "describe", "node", name)
    stranger = Machine(world.netboot, 3, mac="52:54:00:aa:bb:02", serial="CZ2", uuid="00000002-aa")
    assert stranger.report()["do"] == "wait"  # it has not the key
    received = until(lambda: rows(world)["CZ2"]["install"]["state"] == "failed" and machine.report(), lambda: why(world))
    assert received["do"] == "wait", received


def test_done(world):
    """A finished installation ends the netboot system's part, and the machine starts from its disk from then on."""
    grouped(world)
    machine = Machine(world.netboot, 2)
    machine.report()
    order = commissioned(world, machine)
    machine.report(id=order["id"], state="running", step="unpack")
    assert "is installed as box-0" in machine.report(id=order["id"], state="done", step="reboot")["say"]
    row = rows(world)["CZ2"]
    assert row["install"]["state"] == "done" and "netboot" not in row, row
    assert b"sanboot" in machine.http("GET", "/netboot/boot.ipxe?mac=52-54-00-aa-bb-02")[1]
    assert "node.installed" in world.get("/v1/events?limit=100").text
    assert machine.report(id=order["id"], state="failed", step="late", text="too late")["do"] == "wait"
    assert rows(world)["CZ2"]["install"]["state"] == "done"


def test_an_installation_survives_the_manager(world):
    """The order is in the row: a manager that begins anew goes on with it."""
    grouped(world)
    machine = Machine(world.netboot, 2)
    machine.report()
    order = commissioned(world, machine)
    machine.report(id=order["id"], state="running", step="unpack")
    world.kill()
    world.start()
    assert machine.report()["id"] == order["id"]
    assert machine.report(id=order["id"], state="running", step="boot")["do"] == "install"
    assert "is installed as box-0" in machine.report(id=order["id"], state="done", step="reboot")["say"]


def test_a_failed_installation_returns_the_machine(world):
    """With the step and the text of the machine; the size is what it was, and retry takes the machine again."""
    grouped(world)
    machine = Machine(world.netboot, 4)
    machine.report()
    order = commissioned(world, machine)
    machine.report(id=order["id"], state="running", step="unpack")
    machine.report(id=order["id"], state="failed", step="unpack", text="tar: short read\x1b[31m")
    row = until(lambda: "claim" not in rows(world)["CZ4"] and rows(world)["CZ4"], lambda: why(world))
    [failed] = [one for one in row["conditions"] if one["type"] == "failed"]
    assert "install unpack: tar: short read" in failed["reason"] and "\x1b" not in json.dumps(row), row
    assert row["status"] == "unallocated" and not any(one["type"] == "cleanupPending" for one in row["conditions"]), row
    assert world.get("/v1/nodegroups/dc/box").json["spec"]["size"] == 0
    assert "its commission has failed" in machine.report()["say"]
    again = commissioned(world, machine)
    assert again["id"] != order["id"], again
    assert machine.report(id=order["id"], state="failed", step="old", text="of the former")["do"] == "install"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root listens at port 22")
def test_a_pinned_machine_is_taken_without_a_command(world):
    """By its serial number; when its installation fails it is returned, the size stays, and it is not taken again by itself (C18, C25)."""
    grouped(world, size=1, autoCommission="listed", members={"box-0": {"serial": "CZ1"}})
    machine, other = Machine(world.netboot, 1), Machine(world.netboot, 2)
    with machine.listen("127.0.7.1"), other.listen("127.0.7.2"):
        other.report()
        order = until(lambda: machine.report().get("do") == "install" and {name: values[0] for name, values in machine.said.items()},
                      lambda: why(world))
        assert "claim" not in rows(world)["CZ2"]
        machine.report(id=order["id"], state="running", step="format")
        machine.report(id=order["id"], state="failed", step="format", text="the disk is broken")
        row = until(lambda: "claim" not in rows(world)["CZ1"] and rows(world)["CZ1"], lambda: why(world))
        [failed] = [one for one in row["conditions"] if one["type"] == "failed"]
        assert "install format: the disk is broken" in failed["reason"], row
        assert world.get("/v1/nodegroups/dc/box").json["spec"]["size"] == 1
        for _ in range(20):
            assert machine.report()["do"] == "wait"


def test_the_iso_accepts_one_manager(world, tmp_path):
    """It reports by TLS to the listener of the API, whose key is pinned."""
    assert world.stop() == 0
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=m", "-days", "2", "-keyout", tmp_path / "key",
                    "-out", tmp_path / "crt"], check=True, capture_output=True)
    port = free_port()
    config = json.loads((world.folder / "reeved.yaml").read_text())
    config["listen"] = [{"address": f"127.0.0.1:{port}", "tls": {"certificate": str(tmp_path / "crt"), "key": str(tmp_path / "key")}}]
    (world.folder / "reeved.yaml").write_text(json.dumps(config))
    world.start()
    der = subprocess.run(["openssl", "x509", "-in", tmp_path / "crt", "-pubkey", "-noout"], check=True, capture_output=True).stdout
    der = subprocess.run(["openssl", "pkey", "-pubin", "-outform", "der"], input=der, check=True, capture_output=True).stdout
    pin = "sha256//" + base64.b64encode(hashlib.sha256(der).digest()).decode()
    facts = [word for key, value in Machine(0, 5).facts.items() for word in ("--data-urlencode", f"{key}={value}")]
    for given, code in ((pin, 0), ("sha256//" + base64.b64encode(bytes(32)).decode(), 90)):
        run = subprocess.run(["curl", "-sS", "--insecure", "--pinnedpubkey", given, *facts, f"https://127.0.0.1:{port}/netboot/report"],
                             text=True, capture_output=True, check=False, timeout=60)
        assert run.returncode == code and run.stdout.startswith("do wait" if code == 0 else ""), run
    assert rows(world)["CZ5"]["sources"][0]["kind"] == "netboot"


def test_a_machine_that_does_not_begin_fails_in_time(world):
    """Ten minutes, here a hundredth of them."""
    grouped(world)
    machine = Machine(world.netboot, 5)
    machine.report()
    commissioned(world, machine)
    row = until(lambda: "claim" not in rows(world)["CZ5"] and rows(world)["CZ5"], lambda: why(world))
    [failed] = [one for one in row["conditions"] if one["type"] == "failed"]
    assert "start: the machine has not begun to install within 10 min" in failed["reason"], row


def test_a_machine_that_starts_again_fails(world):
    """It has another key, which nobody has approved."""
    grouped(world)
    machine = Machine(world.netboot, 6)
    machine.report()
    order = commissioned(world, machine)
    machine.report(id=order["id"], state="running", step="format")
    machine.again(66)
    assert machine.report()["do"] == "wait"
    row = until(lambda: "claim" not in rows(world)["CZ6"] and rows(world)["CZ6"], lambda: why(world))
    assert "format: the machine has started again, with another host key" in json.dumps(row["conditions"]), row


def test_machines_and_groups_fit(world):
    """A group with an image takes machines without a system, one without takes the others."""
    grouped(world)
    machine = Machine(world.netboot, 7)
    machine.report()
    row = rows(world)["CZ7"]
    bare = json.loads(json.dumps(GROUP).replace('"dc"', '"bare"'))
    del bare["groups"]["box"]["image"], bare["groups"]["box"]["install"]
    (world.folder / "bare.yaml").write_text(json.dumps(bare))
    reeve(world, "apply", "--yes", "-f", "bare.yaml")
    received = reeve(world, "commission", f"{row['id']}={fingerprint(host_key(7))}", "-g", "bare/box", "--yes", code=5)
    assert "R0856" in received and "has no system, and group 'box' names no image" in received, received
    for bad, text in (({"install": {"disks": [{"match": "sd a"}]}}, "cannot match the name of a disk"),
                      ({"install": {"kernelArgs": ["a b"]}}, "cannot be a kernel argument"),
                      ({"install": {"disks": [{"raid": 1}]}}, "raid"),
                      ({"addresses": "static"}, "addresses"), ({"machineSize": "big"}, "machineSize")):
        document = json.loads(json.dumps(GROUP))
        document["groups"]["box"].update(bad)
        (world.folder / "bad.yaml").write_text(json.dumps(document))
        received = reeve(world, "apply", "--yes", "-f", "bad.yaml", code=3)
        assert text in received and "bad.yaml:1:" in received, received


def test_a_wipe_follows_the_policy(world):
    """Only when the group wants it at that time, and only after the machine has left it."""
    grouped(world)
    machine = Machine(world.netboot, 8)
    machine.report()
    order = commissioned(world, machine)
    machine.report(id=order["id"], state="running", step="boot")
    machine.report(id=order["id"], state="done", step="reboot")
    machine.again(88)
    assert machine.report()["do"] == "wait"  # a member: its disks are its own
    grouped(world, size=1, decommission={"wipe": "quick", "cleanup": "never"})
    assert machine.report()["do"] == "wait"
    reeve(world, "set", "nodegroup/dc/box", "size=0", "--yes", "--allow", "destroy=1", "--detach")
    received = until(lambda: machine.report().get("do") == "wipe" and {name: values[0] for name, values in machine.said.items()},
                 lambda: why(world))
    assert machine.report(id=received["id"], state="wiped", step="wipe")["do"] == "wait"
    assert "install" not in rows(world)["CZ8"] and "node.wiped" in world.get("/v1/events?limit=200").text


def test_two_machines_with_one_serial_number_are_two_rows(world):
    """Neither is taken without its id."""
    one, two = Machine(world.netboot, 1), Machine(world.netboot, 2, serial="CZ1", uuid="00000001-aa")
    one.report()
    two.report()
    found = world.get("/v1/nodes?discovered=1").json["items"]
    assert len(found) == 2, found
    until(lambda: all(any(condition["type"] == "duplicate" for condition in row.get("conditions", []))
                      for row in world.get("/v1/nodes?discovered=1").json["items"]), lambda: why(world))
    worthless = Machine(world.netboot, 3, serial="To be filled by O.E.M.", uuid="")
    worthless.report()
    assert any(row["identity"].get("serial") is None for row in world.get("/v1/nodes?discovered=1").json["items"])


def test_hostile_reports_change_nothing(world):
    """Each is refused with the name of its field, and no row is made."""
    machine = Machine(world.netboot, 9)
    for bad in ({"mac": "xx"}, {"mac": ""}, {"mac": "52:54:00:AA:BB:09"}, {"host_key": "ssh-rsa AAAA"}, {"host_key": ""},
                {"boot": ""}, {"boot": "a b"}, {"boot": "x" * 65}, {"cpus": "-1"}, {"cpus": "1e9"}, {"memory_kib": "9" * 13},
                {"disks": "vda"}, {"disks": "vda 1 vdb"}, {"disks": "../x 5"}, {"disks": " ".join("vda 1" for _ in range(65))},
                {"serial": "x\ny"}, {"serial": "\x1b[2J"}, {"uuid": "\u2603"}, {"serial": "x" * 65}, {"kernel": "$(reboot)"},
                {"step": "a;b"}, {"state": "x" * 65}):
        received = machine.report(**bad)
        assert received.get("status") == 422 and "R0855" in received["text"] and next(iter(bad)) in received["text"], (bad, received)
    for body, kind in (("x" * 5000, "application/x-www-form-urlencoded"), ("%zz=1", "application/x-www-form-urlencoded"), ("{}", "text/plain"),
                       ("a=1&" * 40, "application/x-www-form-urlencoded"), ("mac=1&mac=2", "application/x-www-form-urlencoded")):
        assert machine.http("POST", "/netboot/report", body, kind)[0] in (400, 413, 415, 422), body[:20]
    assert world.get("/v1/nodes?discovered=1").json["items"] == []
    assert machine.report(text="A" * 2000 + "\x07", name="ignored")["do"] == "wait"


def test_netboot_is_off_by_default(manager):
    """And a listener in use is an error with the address."""
    assert manager.get("/netboot/boot.ipxe").status == 404
    config = manager.folder / "other.yaml"
    config.write_text(json.dumps({"netboot": {"listen": f"127.0.0.1:{manager.port}"}}))
    config.chmod(0o600)
    folder = manager.folder / "second"
    folder.mkdir()
    run = subprocess.run([str(REEVE.parent / "reeved"), "--data", str(folder / "data"), "--socket", str(folder / "s"), "--config", str(config)],
                         text=True, capture_output=True, check=False, timeout=60, env={**os.environ})
    assert run.returncode != 0 and str(manager.port) in run.stdout + run.stderr, run
    config.write_text(json.dumps({"netboot": {"listen": "nowhere", "kernelArgs": ["a b"], "other": 1}}))
    run = subprocess.run([str(REEVE.parent / "reeved"), "--check-config", "--config", str(config)], text=True, capture_output=True, check=False,
                         timeout=60)
    assert run.returncode != 0 and "listen must be an address" in run.stderr and "kernel argument" in run.stderr and "other" in run.stderr, run
