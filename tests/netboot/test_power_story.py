"""A machine that is switched by a BMC: ipmi_sim of OpenIPMI, whose machine is a process of QEMU. And a machine that starts from the ISO.

Requirements: C4, C13, C38, decision 0188.
"""
import json
import subprocess

import pytest

from conftest import FILES, GATE, PORT, until
from pylib import bmc
from test_netboot_story import BASE, head

MAC = "52:54:00:aa:bb:02"


@pytest.fixture
def box(world):
    """A machine that is off, and its BMC in the same network."""
    if bmc.missing():
        pytest.skip(bmc.missing())
    disk = world.folder / "disk.qcow2"
    subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", disk, "6G"], check=True)
    wrapper = world.folder / "machine"
    words = world.machine_words(disk, "CZ77", MAC)
    wrapper.write_text("#!/bin/sh\nexec " + " ".join(map(str, words)) + ' -boot "order=$1"\n')
    wrapper.chmod(0o755)
    one = bmc.Ipmi(world.folder / "bmc", GATE, 6230, within=world.within, machine=[str(wrapper)]).start()
    one.disk = disk
    try:
        yield one
    finally:
        subprocess.run([one.folder / "chassis", "set", "power", "0"], check=False)
        one.stop()


def ipmitool(world, box, *words):
    """What an operator does before reeve knows the machine."""
    (world.folder / "pw").write_text(box.password)
    subprocess.run([*world.within, "ipmitool", "-I", "lanplus", "-H", GATE, "-p", "6230", "-U", "admin", "-f", world.folder / "pw", *words],
                   check=True, capture_output=True)


def is_on(box):
    """The machine itself."""
    return "power:1" in subprocess.run([box.folder / "chassis", "get", "power"], check=True, capture_output=True, text=True).stdout


def test_a_machine_is_switched_from_the_first_boot_to_the_end(world, box):
    """Found, cycled, installed as a member, decommissioned: wiped at once from the network, and switched off."""
    ipmitool(world, box, "chassis", "bootdev", "pxe")
    ipmitool(world, box, "power", "on")
    row = until(lambda: world.rows().get("CZ77"), world.why)
    (world.folder / "password").write_text(box.password + "\n")
    answer = world.manager.ask("POST", "/v1/secrets", {"name": "bmc", "value": box.password})
    assert answer.status in (200, 201), answer.text
    world.reeve("power", "set", row["id"], f"ipmi://admin@{GATE}:6230", "--secret", "bmc")
    until(lambda: world.rows()["CZ77"]["power"]["state"] == "on", world.why)

    # another boot from the network has another host key, which the operator approves
    printed = world.reeve("power", "netboot", row["id"], "--yes")
    assert "is on" in printed, printed
    again = until(lambda: (one := world.rows()["CZ77"])["fingerprint"] != row["fingerprint"] and one, world.why)

    world.reeve("image", "push", str(FILES / "debian-12.tar.zst"), "--name", "debian-12")
    (world.folder / "base").mkdir()
    (world.folder / "base/bootstrap.sh").write_text(BASE)
    (world.folder / "dc.yaml").write_text(json.dumps({"name": "dc", "version": "1", "groups": {"box": {
        "size": 0, "resourcePlugin": {"name": "inventory"}, "image": "debian-12", "install": {"kernelArgs": ["console=ttyS0", "quiet"]},
        "bootstrap": [{"tar": "base"}], "decommission": {"wipe": "quick", "power": "off"}}}}))
    world.reeve("apply", "--yes", "-f", "dc.yaml")
    # the observer may have counted the machine as away while it was off
    until(lambda: world.rows()["CZ77"]["state"] == "discovered", world.why)
    # QEMU keeps the order of boot devices over a reboot, so the script of the manager starts the disk
    world.reeve("commission", f"{row['id']}={again['fingerprint']}", "-g", "dc/box", "--yes")
    assert world.reeve("ssh", "dc/box-0", "--", "cat", "/root/stage").split()[0] == "box-0", world.why()
    refused = world.reeve("power", "off", "dc/box-0", "--yes", code=11)
    assert "interrupts member dc/box-0" in refused and is_on(box)

    until(lambda: world.rows()["CZ77"]["state"] == "discovered", world.why)
    world.reeve("decommission", "dc/box-0", "--yes", "--allow", "destroy=1")
    until(lambda: "install" not in world.rows()["CZ77"], world.why, 300)
    until(lambda: not is_on(box), world.why)
    assert head(box.disk, 1 << 20) == bytes(1 << 20)
    until(lambda: world.rows()["CZ77"]["power"]["state"] == "off", world.why)
    types = [one["type"] for one in world.manager.get("/v1/events?limit=400").json["items"]]
    assert "node.wiped" in types and types.count("power.done") >= 3, types


def test_a_machine_starts_from_the_iso(world):
    """It reports to the manager of the ISO, at the fixed address, and the ISO has no secret."""
    iso = world.folder / "enlist.iso"
    printed = world.reeve("image", "iso", str(iso), "--url", f"http://{GATE}:{PORT}", "--address", f"10.78.0.9/24,{GATE}")
    assert "starts the netboot system for" in printed
    disk = world.folder / "disk.qcow2"
    subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", disk, "1G"], check=True)
    world.machine(disk, "CZ78", MAC, "-cdrom", str(iso), "-boot", "order=d")
    row = until(lambda: world.rows().get("CZ78"), world.why)
    assert row["address"] == "10.78.0.9" and row["sources"][0]["kind"] == "netboot", row
    lines = subprocess.run(["xorriso", "-osirrox", "on", "-indev", f"stdio:{iso}", "-extract", "/boot/grub/grub.cfg", world.folder / "grub.cfg"],
                           check=True, capture_output=True)
    assert lines.returncode == 0 and "reeve.address=10.78.0.9/24" in (world.folder / "grub.cfg").read_text()
    assert "needs the certificate" in world.reeve("image", "iso", str(iso), "--url", "https://reeve.example:8420", code=2)
