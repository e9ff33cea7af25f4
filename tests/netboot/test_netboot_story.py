"""A machine boots from the network, waits, is installed, becomes a member, leaves and is wiped: with QEMU, dnsmasq and iPXE.

Requirements: C3, C4, C13, C17. Without an accelerator this takes some minutes. tests/e2e/test_netboot.py has the rest of the behaviour.
"""
import json
import subprocess

from conftest import FILES, GATE, PORT, until

MAC = "52:54:00:aa:bb:01"
BASE = "#!/bin/sh\necho \"$(hostname) $(findmnt -no FSTYPE /)\" >/root/stage\n"


def written(disk):
    """The number of bytes that were ever written to a disk of QEMU."""
    parts = json.loads(subprocess.run(["qemu-img", "map", "--output=json", "-U", disk], check=True, capture_output=True).stdout)
    return sum(one["length"] for one in parts if one["data"])


def head(disk, count):
    """The first bytes of a disk."""
    raw = disk.with_suffix(".head")
    subprocess.run(["qemu-img", "dd", "-U", "-O", "raw", f"if={disk}", f"of={raw}", "bs=1M", "count=1"], check=True, capture_output=True)
    return raw.read_bytes()[:count]


def test_a_machine_from_the_first_boot_to_the_wipe(world):
    disk = world.folder / "disk.qcow2"
    subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", disk, "6G"], check=True)
    machine = world.machine(disk, "CZ1234", MAC)
    row = until(lambda: world.rows().get("CZ1234"), world.why)
    assert row["status"] == "unallocated" and row["identity"]["macs"] == [MAC] and row["sources"][0]["kind"] == "netboot", row
    assert row["facts"]["arch"] == "x86_64" and str(row["facts"]["disks"]) == "1" and row["facts"]["firmware"] == "bios", row

    world.reeve("image", "push", str(FILES / "debian-12.tar.zst"), "--name", "debian-12")
    (world.folder / "base").mkdir()
    (world.folder / "base/bootstrap.sh").write_text(BASE)
    (world.folder / "dc.yaml").write_text(json.dumps({"name": "dc", "version": "1", "groups": {"box": {
        "size": 0, "resourcePlugin": {"name": "inventory"}, "image": "debian-12", "install": {"kernelArgs": ["console=ttyS0", "quiet"]},
        "bootstrap": [{"tar": "base"}], "decommission": {"wipe": "quick"}}}}))
    world.reeve("apply", "--yes", "-f", "dc.yaml")
    assert written(disk) == 0, "a disk was written before the machine was commissioned"  # the safety rule
    # the key that the console shows is the one that the operator approves
    assert row["fingerprint"] in (world.folder / "serial.log").read_text(errors="replace")
    printed = world.reeve("commission", f"{row['id']}={row['fingerprint']}", "-g", "dc/box", "--yes")
    assert "state=done" in printed or "ready=1" in printed or "ready" in printed, printed
    assert world.reeve("ssh", "dc/box-0", "--", "cat", "/root/stage").split()[:2] == ["box-0", "ext4"], world.why()
    key = world.reeve("ssh", "dc/box-0", "--", "cat", "/etc/ssh/ssh_host_ed25519_key.pub").split()[1]
    assert row["identity"]["hostKey"].split()[1] == key
    types = [one["type"] for one in world.manager.get("/v1/events?limit=300").json["items"]]
    assert "node.installed" in types and "node.contradicted" not in types, types
    script = subprocess.run([*world.within, "curl", "-sf", f"http://{GATE}:{PORT}/netboot/boot.ipxe?mac={MAC.replace(':', '-')}"],
                            check=True, capture_output=True, text=True).stdout
    assert "sanboot" in script, script

    # the observer may have counted the machine as away while it started from its disk
    until(lambda: world.rows()["CZ1234"]["state"] == "discovered", world.why)
    world.reeve("decommission", "dc/box-0", "--yes", "--allow", "destroy=1")
    until(lambda: world.rows()["CZ1234"].get("install", {}).get("state") == "wipe", world.why)
    assert head(disk, 512)[510:] == b"\x55\xaa"
    world.off(machine)
    world.machine(disk, "CZ1234", MAC)
    until(lambda: "install" not in world.rows()["CZ1234"], world.why)
    assert head(disk, 1 << 20) == bytes(1 << 20)
    left = world.rows()["CZ1234"]
    assert left["status"] == "decommissioned" and "netboot" in left and "claim" not in left, left
