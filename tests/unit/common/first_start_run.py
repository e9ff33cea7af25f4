"""Runs the first-start script below a folder, with stubs for the programs that change a computer. TAP."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

TOKEN = "0123456789abcdef0123456789abcdef"
SCRIPT = subprocess.run([sys.argv[1], "print"], check=True, capture_output=True).stdout.decode()
STUBS = {
    "id": 'grep -q "^$2:" "$REEVE_ROOT/etc/passwd"',
    "useradd": 'echo "$4:x:1000:1000::/home/$4:/bin/bash" >>"$REEVE_ROOT/etc/passwd"; mkdir -p "$REEVE_ROOT/home/$4"',
    "getent": 'grep "^$2:" "$REEVE_ROOT/etc/passwd"',
    "visudo": '[ ! -e "$REEVE_ROOT/bad-sudo" ] && grep -q NOPASSWD "$2"',
    "hostname": 'echo "$1" >"$REEVE_ROOT/host-name"',
    "chown": ':',
    "sleep": 'echo x >>"$REEVE_ROOT/sleeps"',
    "dd": '[ -e "$REEVE_ROOT/disk" ]',
    "blkid": '[ -e "$REEVE_ROOT/disk-odd" ] && exit 8; [ -s "$REEVE_ROOT/disk" ] || exit 2; '
             '[ "$2" != -s ] || echo 11-22',
    "mkfs.ext4": 'echo ext4 >"$REEVE_ROOT/disk"; echo made >>"$REEVE_ROOT/mkfs"',
    "mountpoint": '[ -e "$REEVE_ROOT/mounted" ]',
    "mount": 'echo "$1" >>"$REEVE_ROOT/mounted"',
    "ssh-keygen": 'echo "ssh-ed25519 AAAAHOST root@x" >"$REEVE_ROOT/etc/ssh/ssh_host_ed25519_key.pub"',
}
BLOCK = ["# reeve begin first-start: these lines are of the machine's create request",
         "cert-authority ssh-ed25519 AAAA1 it's", "ssh-ed25519 AAAA2 `x` $HOME", "# reeve end first-start"]


class Machine:
    """A folder that stands for the root of a machine."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        for name in ("etc/ssh", "etc/cloud/cloud.cfg.d", "dev", "bin", "home"):
            (self.root / name).mkdir(parents=True)
        (self.root / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\n")
        (self.root / "etc/hosts").write_text("127.0.0.1 localhost\n")
        (self.root / "disk").touch()
        for name, body in STUBS.items():
            path = self.root / "bin" / name
            path.write_text(f"#!/bin/sh\n{body}\n")
            path.chmod(0o755)
        (self.root / "first-start").write_text(SCRIPT)
        self.environment = {"REEVE_ROOT": str(self.root), "PATH": f"{self.root}/bin:/usr/bin:/bin"}

    def start(self):
        return subprocess.Popen(["sh", str(self.root / "first-start")], env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def run(self):
        process = self.start()
        output = process.communicate(timeout=240)[0]
        return process.returncode, output

    def read(self, name):
        path = self.root / name
        return path.read_text() if path.exists() else ""

    def keys(self):
        return self.read("home/deploy/.ssh/authorized_keys").splitlines()

    def check(self):
        assert self.keys() == BLOCK, self.keys()
        assert self.read("etc/sudoers.d/90-reeve") == "deploy ALL=(ALL) NOPASSWD:ALL\n"
        assert os.listdir(self.root / "etc/sudoers.d") == ["90-reeve"]
        assert (self.root / "etc/sudoers.d/90-reeve").stat().st_mode & 0o777 == 0o440
        assert (self.root / "home/deploy/.ssh/authorized_keys").stat().st_mode & 0o777 == 0o600
        assert self.read("host-name") == "web-0\n" and self.read("etc/hostname") == "web-0\n"
        assert self.read("etc/hosts").count("web-0") == 1
        assert self.read("mkfs").split() == ["made"]
        assert self.read("etc/fstab").split() == ["UUID=11-22", "/srv/data", "auto", "defaults,nofail", "0", "2"]
        assert f"\nreeve-hostkey {TOKEN} ssh-ed25519 AAAAHOST\n" in self.read("dev/console")
        assert len(list(self.root.glob("init-ran-*"))) >= 1
        assert f"\nreeve-first-start {TOKEN} 7\n" in self.read("dev/console")
        assert os.listdir(self.root / "var/lib/reeve") == [f"first-start-{TOKEN}"]


def syntax(machine):
    for shell in ("dash", "bash --posix", "busybox sh"):
        if subprocess.run(["which", shell.split()[0]], capture_output=True).returncode == 0:
            subprocess.run([*shell.split(), "-n", str(machine.root / "first-start")], check=True)


def whole(machine):
    code, output = machine.run()
    assert code == 7 and "init of it's \\here" in output, output
    assert f"reeve-end-{TOKEN}\n" in output
    machine.check()


def again(machine):
    machine.run()
    before = machine.read("dev/console")
    code, output = machine.run()
    assert (code, output) == (0, ""), output
    assert machine.read("dev/console") == before
    assert len(list(machine.root.glob("init-ran-*"))) == 1
    machine.check()


def other_keys_stay(machine):
    folder = machine.root / "home/deploy/.ssh"
    folder.mkdir(parents=True)
    (machine.root / "etc/passwd").write_text("deploy:x:1000:1000::/home/deploy:/bin/bash\n")
    (folder / "authorized_keys").write_text("\n".join(["ssh-rsa mine", *BLOCK[:1], "obsolete", BLOCK[3], "ssh-rsa last"]) + "\n")
    machine.run()
    assert machine.keys() == ["ssh-rsa mine", "ssh-rsa last", *BLOCK], machine.keys()


def killed(machine):
    """Killed after each of many moments, the next run ends with the same result."""
    for moment in range(25):
        process = machine.start()
        time.sleep(moment * 0.002)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if (machine.root / f"var/lib/reeve/first-start-{TOKEN}").exists():
            (machine.root / f"var/lib/reeve/first-start-{TOKEN}").unlink()
            (machine.root / "mounted").unlink(missing_ok=True)
    machine.run()
    for path in machine.root.rglob("*.reeve-new"):
        path.unlink()
    machine.check()


def full_disk_is_kept(machine):
    (machine.root / "disk").write_text("data")
    machine.run()
    assert machine.read("mkfs") == "" and machine.read("disk") == "data" and machine.read("mounted") == "/srv/data\n".replace(
        "/srv", str(machine.root) + "/srv")


def odd_disk_is_kept(machine):
    (machine.root / "disk-odd").touch()
    code, output = machine.run()
    assert "contents that are not known" in output and machine.read("mkfs") == "" and machine.read("mounted") == ""


def missing_disk(machine):
    (machine.root / "disk").unlink()
    code, output = machine.run()
    assert "is missing" in output and machine.read("mkfs") == ""
    assert machine.read("sleeps").count("x") == 120
    assert len(list(machine.root.glob("init-ran-*"))) == 1


def bad_sudo_rule(machine):
    (machine.root / "bad-sudo").touch()
    code, output = machine.run()
    assert "visudo rejects" in output and os.listdir(machine.root / "etc/sudoers.d") == []


CASES = [syntax, whole, again, other_keys_stay, killed, full_disk_is_kept, odd_disk_is_kept, missing_disk, bad_sudo_rule]
print(f"1..{len(CASES)}")
for number, case in enumerate(CASES, 1):
    with tempfile.TemporaryDirectory() as name:
        try:
            case(Machine(name + "/root"))
            print(f"ok {number} - {case.__name__}")
        except Exception as problem:  # noqa: BLE001 - a TAP program reports everything
            print(f"not ok {number} - {case.__name__}\n# {type(problem).__name__} {str(problem)!r}")
