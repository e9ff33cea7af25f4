"""A clean Debian for tests of the packages: the root file system is made once and never written; each room has a layer above it, and
mount, pid and network namespaces of its own."""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from pylib.containers import IMAGES  # noqa: E402

# Kept from run to run, as the rooms of tools/clean-room are; made anew after a month.
ROOTS = pathlib.Path(os.environ.get("INSTALL_ROOTS", "/var/cache/reeve/install-roots"))
ROOT_DAYS = 30
LAYER_S = 900  # to download what the packages depend on
COMMAND_S = 300
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/root",
               "DEBIAN_FRONTEND": "noninteractive"}
# The first process of a room: mounts, then waits, so that it reaps what ends there.
FIRST = """
set -e
mount -t overlay room -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$2/root" 2>/dev/null || {
    IFS=:; for below in $3; do cp -a "$below/." "$2/root/"; done; }
mount -t proc proc "$2/root/proc"
mount -t sysfs -o ro sysfs "$2/root/sys" 2>/dev/null || true
mount -t tmpfs -o mode=755 dev "$2/root/dev"
mkdir "$2/root/dev/shm"
for name in null zero full random urandom tty; do touch "$2/root/dev/$name"; mount --bind "/dev/$name" "$2/root/dev/$name"; done
mkdir "$2/root/dev/pts"
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$2/root/dev/pts"
ln -s pts/ptmx "$2/root/dev/ptmx"
mount -t tmpfs -o mode=1777 shm "$2/root/dev/shm"
mount -t tmpfs -o mode=755 run "$2/root/run"
ln -s /proc/self/fd "$2/root/dev/fd"
ln -s fd/1 "$2/root/dev/stdout"
ln -s fd/2 "$2/root/dev/stderr"
ip link set lo up 2>/dev/null || true
if [ -n "$4" ]; then
    # containers of the plugin local do not lie on an overlay
    mkdir -p "$2/root/var/lib/reeve" "$2/data"
    mount --bind "$2/data" "$2/root/var/lib/reeve"
    umount "$2/root/sys"
    mount -t sysfs sysfs "$2/root/sys"
    mount -t cgroup2 cgroup2 "$2/root/sys/fs/cgroup"
fi
# A root of its own, not a changed one: the kernel makes no user namespace for a process that chroot has moved.
cd "$2/root"
mkdir -p mnt/outside
pivot_root . mnt/outside
exec bash -c 'touch "/mnt/outside$2/ready"; umount -l /mnt/outside; rmdir /mnt/outside; cd /; [ -z "$1" ] || exec env -i container=lxc "$1" >/dev/null 2>&1
    while :; do sleep 3600 & wait $!; done' room "$4" "$2"
"""
SYSTEMD = "/lib/systemd/systemd"


class Room:
    """One Debian whose changes end with it. `network`: that of this computer, else loopback alone. `init`: its first process."""

    def __init__(self, layers, folder, network=False, init=""):
        self.layers = [str(layer) for layer in layers]
        self.folder = pathlib.Path(folder)
        self.network = network
        self.init = init
        self.group = unified() / f"reeve-room-{os.getpid()}" if init else None
        self.process = None
        self.first = None

    @property
    def root(self):
        """Its root file system."""
        return pathlib.Path(f"/proc/{self.first}/root")

    def __enter__(self):
        for name in ("upper", "work", "root"):
            (self.folder / name).mkdir(parents=True)
        spaces = ["--mount", "--pid", *([] if self.network else ["--net"]), *(["--uts", "--ipc", "--cgroup"] if self.init else [])]
        words = ["unshare", *spaces, "--fork", "--kill-child", "--propagation", "private",
                 "bash", "-c", FIRST, "room", ":".join(self.layers), str(self.folder), ":".join(reversed(self.layers)), self.init]
        if self.group:  # the control groups of systemd begin where its process is
            self.group.mkdir()
            words = ["bash", "-c", f'echo $$ >{self.group}/cgroup.procs; exec "$@"', "room", *words]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, env={**os.environ, **ENVIRONMENT})
        ends = time.monotonic() + COMMAND_S
        while not (self.folder / "ready").exists():
            assert self.process.poll() is None and time.monotonic() < ends, "the room cannot be mounted"
            time.sleep(0.02)
        self.first = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()[0]
        assert not os.path.samefile(self.root, "/"), "what is meant for the room would happen to this computer"
        return self

    def __exit__(self, *_):
        self.process.kill()  # and with it the first process, which ends all others
        self.process.wait(COMMAND_S)
        if self.group:
            groups_remove(self.group)
        for _ in range(200):  # the kernel ends the namespace's mounts a moment later
            with contextlib.suppress(OSError):
                shutil.rmtree(self.folder)
                return
            time.sleep(0.05)

    def run(self, *words, code=0, **more):
        """Run a command there. `code`: the expected one; None: any."""
        done = subprocess.run(["nsenter", "-t", self.first, "-m", "-p", "-n", "-r", "-w", *map(str, words)], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=COMMAND_S, check=False, env={**ENVIRONMENT, **more})
        assert code is None or done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def shell(self, text, code=0):
        """A shell command there; what it prints."""
        done = self.run("sh", "-c", text, code=code)
        return done.stdout + done.stderr


def unified():
    """Where control groups of version 2 are on this computer; None: nowhere."""
    return next((pathlib.Path(line.split()[1]) for line in open("/proc/mounts") if line.split()[2] == "cgroup2"), None)


def groups_remove(top):
    """Remove a control group and all below it, once their processes have ended."""
    ends = time.monotonic() + COMMAND_S
    while top.exists() and time.monotonic() < ends:
        for path, _, _ in os.walk(top, topdown=False):
            with contextlib.suppress(OSError):
                os.rmdir(path)
        time.sleep(0.02)


@contextlib.contextmanager
def locked(name):
    """Two runs at once make a root once."""
    ROOTS.mkdir(parents=True, exist_ok=True)
    with (ROOTS / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def mirror():
    """The Debian archive that this computer uses."""
    out = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)"], capture_output=True, text=True, timeout=60, check=True).stdout
    found = [line.split()[0].rstrip("/") for line in out.splitlines() if re.search(r" (bookworm|trixie)$", line)]
    return found[0] if found else "http://deb.debian.org/debian"


def roots_made(release):
    """The root file systems of a release that exist: one of this folder, or the image of the plugin local that its tests have made."""
    images = sorted(path for path in IMAGES.glob(f"{release}-*/root") if not path.parent.name.startswith("."))
    return [path for path in (ROOTS / release / "root", *images) if path.exists()]


def is_root_made(release):
    """Whether no mirror is needed."""
    return bool(roots_made(release))


def root_of(release):
    """The root file system of a release, made if there is none."""
    own = ROOTS / release
    if own.exists() and time.time() - own.stat().st_mtime > ROOT_DAYS * 24 * 3600:
        subprocess.run(["rm", "-rf", "--one-file-system", str(own)], check=True)
    if made := roots_made(release):
        return made[0]
    part = ROOTS / f"{release}.part"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    script = ROOT / "plugins/local/make-image.sh"
    done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private", "sh", str(script), mirror(), release,
                           str(part), "ca-certificates"], capture_output=True, text=True, timeout=LAYER_S, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    part.rename(ROOTS / release)
    return ROOTS / release / "root"


def apt_settings():
    """How this computer reaches its mirrors."""
    out = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, timeout=60, check=True).stdout
    return "".join(f"{line}\n" for line in out.splitlines() if re.match(r'Acquire::(http|https|Retries|ForceIPv)[:\w.-]* ".+"', line))


def copy_in(room, packages, folder="/tmp/packages"):
    """Put packages into a room; returns their paths there."""
    room.run("mkdir", "-p", folder)
    for package in packages:
        shutil.copy(package, room.root / folder.lstrip("/"))
    return [f"{folder}/{package.name}" for package in packages]


def wanted_by(packages):
    """The packages of Debian that these depend on; those of our own, whose versions differ from build to build, have none."""
    fields = "".join(subprocess.run(["dpkg-deb", "-f", str(package), "Depends"], capture_output=True, text=True, timeout=60, check=True).stdout
                     for package in packages)
    return re.sub(r"\(= [^)]*\)", "", fields)


def layer_make(release, root, packages, layer, more):
    """A layer above the root: what apt needs to install the packages without a network; `more` is installed."""
    with Room([root], ROOTS / f"{release}-layer.room", network=True) as room:
        (room.root / "etc/resolv.conf").write_text(pathlib.Path("/etc/resolv.conf").read_text())
        (room.root / "etc/hosts").write_text("127.0.0.1 localhost\n")
        (room.root / "etc/apt/apt.conf.d/90machine").write_text(apt_settings() + 'APT::Keep-Downloaded-Packages "true";\n')
        room.run("apt-get", "-q", "update")
        if more:
            room.run("apt-get", "-q", "-y", "install", "--no-install-recommends", *more)
        room.run("apt-get", "-q", "-y", "install", "--download-only", "--no-install-recommends", *copy_in(room, packages))
        room.run("rm", "-rf", "/tmp/packages")
        part = layer.with_name(layer.name + ".part")
        subprocess.run(["rm", "-rf", str(part)], check=True)
        subprocess.run(["cp", "-a", str(room.folder / "upper"), str(part)], check=True)
        part.rename(layer)


def layers_of(release, packages, more=()):
    """The layers of a room: the root of the release, below what the packages depend on and other packages of Debian."""
    with locked(release):
        root = root_of(release)
        layer = ROOTS / f"{release}-layer-{hashlib.sha256(f'{root} {wanted_by(packages)} {more}'.encode()).hexdigest()[:16]}"
        if not layer.exists():
            layer_make(release, root, packages, layer, more)
        return [layer, root]
