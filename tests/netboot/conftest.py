"""Machines of QEMU in a network of their own, with dnsmasq, iPXE and a manager."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from manager import Manager, until  # noqa: E402, F401

REEVE = pathlib.Path(os.environ.get("REEVE_BIN", ROOT / "build/reeve")).resolve()
FILES = ROOT / "build/netboot"
GATE, PORT = "10.78.0.1", 8480
DHCP = f"""port=0
interface=br0
bind-interfaces
dhcp-range=10.78.0.100,10.78.0.150,255.255.255.0,1h
dhcp-match=set:ipxe,175
dhcp-boot=tag:ipxe,http://{GATE}:{PORT}/netboot/boot.ipxe
dhcp-boot=tag:!ipxe,undionly.kpxe
"""


def missing():
    """Why no machine can be booted here; empty: it can."""
    if os.geteuid() != 0:
        return "only root makes a network"
    for tool in ("qemu-system-x86_64", "dnsmasq", "qemu-img", "ip"):
        if shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin:/sbin") is None:
            return f"{tool} is missing: tools/install-packages netboot"
    for name in ("vmlinuz", "initrd.img", "debian-12.tar.zst"):
        if not (FILES / name).exists():
            return f"{name} is missing: tools/netboot-image --kernel cloud boot, then base"
    return ""


class World:
    """The network, its DHCP server, and the manager in it."""

    def __init__(self, folder):
        self.folder = folder
        self.name = f"rv{os.getpid()}"
        self.within = ["nsenter", f"--net=/run/netns/{self.name}", "--"]
        self.running = []
        self.manager = None

    def run(self, *words):
        """A command in the network."""
        subprocess.run([*self.within, *words], check=True, capture_output=True)

    def begin(self):
        """Everything but machines."""
        subprocess.run(["ip", "netns", "add", self.name], check=True)
        for words in ("ip link set lo up", "ip link add br0 type bridge", f"ip addr add {GATE}/24 dev br0", "ip link set br0 up",
                      "ip tuntap add tap0 mode tap", "ip link set tap0 master br0", "ip link set tap0 up"):
            self.run(*words.split())
        (self.folder / "dnsmasq.conf").write_text(DHCP)
        self.spawn("dnsmasq", "dnsmasq", "-k", "-C", str(self.folder / "dnsmasq.conf"), "--log-dhcp", "--log-facility=-",
                   f"--dhcp-leasefile={self.folder / 'leases'}", "--user=root", "--pid-file")
        config = self.folder / "reeved.yaml"
        config.write_text(json.dumps({"netboot": {"listen": f"{GATE}:{PORT}", "files": str(FILES), "kernelArgs": ["console=ttyS0"]}}))
        config.chmod(0o600)
        self.manager = Manager(self.folder, "--config", str(config), control=True, within=self.within).start()

    def spawn(self, name, *words):
        """A program in the network that runs until the end."""
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen([*self.within, *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.running.append(process)
        return process

    def machine_words(self, disk, serial, mac, *more):
        """The command of a machine."""
        return ["qemu-system-x86_64", "-accel", "tcg,thread=multi", "-m", "1024", "-smp", "2", "-display", "none",
                "-netdev", "tap,id=n0,ifname=tap0,script=no,downscript=no",
                "-device", f"virtio-net-pci,netdev=n0,mac={mac}", "-drive", f"file={disk},if=virtio,cache=unsafe",
                "-device", "virtio-rng-pci", "-smbios", f"type=1,serial={serial},uuid=11111111-2222-3333-4444-555555555555",
                "-serial", f"file:{self.folder / 'serial.log'}", *more]

    def machine(self, disk, serial, mac, *more):
        """Switch a machine on: the network first, then the disk."""
        return self.spawn("qemu", *self.machine_words(disk, serial, mac, *(more or ("-boot", "order=nc"))))

    def reeve(self, *words, code=0, timeout=900):
        """A command of an operator."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("REEVE_")}
        done = subprocess.run([*self.within, str(REEVE), *words], text=True, capture_output=True, check=False, cwd=self.folder,
                              stdin=subprocess.DEVNULL, timeout=timeout,
                              env={**environment, "REEVE_URL": f"unix:{self.manager.socket}", "HOME": str(self.folder), "LC_ALL": "C.UTF-8"})
        assert done.returncode == code, f"{words}\n{done.stdout}\n{done.stderr}\n{self.why()}"
        return done.stdout + done.stderr

    def rows(self):
        """The inventory, by serial number."""
        return {one["identity"].get("serial"): one for one in self.manager.get("/v1/nodes?discovered=1").json["items"]}

    def why(self):
        """What there is to read when something does not come."""
        lines = [f"{one['time']} {one['type']} {one.get('fact', '')}" for one in self.manager.get("/v1/events?limit=300").json["items"]]
        parts = [json.dumps(self.rows()), *lines, self.manager.log.read_text()[-3000:]]
        for name in ("serial.log", "dnsmasq.log"):
            path = self.folder / name
            parts.append(path.read_bytes()[-4000:].decode(errors="replace") if path.exists() else name)
        return "\n".join(parts)

    def off(self, process):
        """Switch a machine off."""
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        self.running.remove(process)

    def end(self):
        """Everything that was begun."""
        for process in reversed(self.running):
            process.kill()
            process.wait(60)
        if self.manager is not None:
            self.manager.stop()
        subprocess.run(["ip", "netns", "del", self.name], check=False)


@pytest.fixture
def world(tmp_path_factory):
    """A network from which machines boot."""
    if missing():
        pytest.skip(missing())
    one = World(tmp_path_factory.mktemp("w"))
    try:
        one.begin()
        yield one
    finally:
        one.end()
