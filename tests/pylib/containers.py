"""Containers of the plugin `local` for tests: where they may lie, a room of their own, and what is left of them."""

import collections
import contextlib
import ctypes.util
import fcntl
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from .proc import fields_of, processes, said_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMAGES = ROOT / "build/local-images"
HAS_LXC = ctypes.util.find_library("lxc") is not None
CHUNK_S = 120  # for what takes a moment
LOCK = ROOT / "build/containers.lock"
GATE = ROOT / "build/containers.gate"
HELD = []  # how this process holds LOCK: fcntl.LOCK_EX or LOCK_SH, once for each test and fixture that asked for it


def below(top):
    """All that is below a folder. What goes meanwhile is passed over, which a glob trips over."""
    return [pathlib.Path(folder, name) for folder, folders, files in os.walk(top) for name in (*folders, *files)]


def listed(folder):
    """What is in a folder; nothing where it has gone, amid this as well."""
    try:
        return [pathlib.Path(folder, name) for name in os.listdir(folder)]
    except OSError:
        return []


def tops():
    """The control groups that those of all machines lie in, one of each hierarchy."""
    return [pathlib.Path(line.split()[1], "reeve-local") for line in open("/proc/mounts") if line.split()[2].startswith("cgroup")]


def census(folder=""):
    """What machines may leave behind on this computer."""
    found = {
        "mounts": sorted(line.split()[1] for line in open("/proc/mounts") if "/rvtest" in line
                         or (folder and folder in line)),
        "namespaces": sorted(os.listdir("/run/netns")) if os.path.isdir("/run/netns") else [],
        "groups": sorted(path for top in tops() for path, _, _ in os.walk(top)),  # what goes meanwhile is passed over
        "links": sorted(os.listdir("/sys/class/net")),
        "loops": loops(),
        "locks": sorted(map(str, below("/run/lxc/lock"))),
        "processes": [],
    }
    for pid in processes():
        line = said_of(pid, "cmdline")
        if line.split(" ")[0].endswith("reeve-init") or "[lxc monitor]" in line and "rvtest" in line \
                or folder and folder in line and "pytest" not in line:
            found["processes"].append(line)
    return found


def left_over(before, folder, seconds=240):
    """What is there now and was not before, once it is nothing; or what it is after a while (the kernel ends namespaces later).

    What an earlier, killed run left may go meanwhile: a manager that starts removes it.
    """
    ends = time.monotonic() + seconds
    while True:
        now = census(folder)
        more = {what: collections.Counter(found) - collections.Counter(before[what]) for what, found in now.items()}
        new = {what: sorted(found) for what, found in more.items() if found}
        if not new or time.monotonic() >= ends:
            return new
        time.sleep(0.05)


def target_of(path):
    """Where a link leads to; empty where it has gone since it was listed."""
    try:
        return os.readlink(path)
    except FileNotFoundError:
        return ""


def loops():
    """The files that are loop devices."""
    return subprocess.run(["losetup", "-n", "-O", "BACK-FILE"], text=True, capture_output=True,
                          check=False).stdout.split()


@contextlib.contextmanager
def held(kind):
    """Hold the lock of everything that makes containers on this computer.

    Suites run side by side. A test that takes a census counts what is on the whole computer, so it needs the lock
    alone (fcntl.LOCK_EX); the others share it (fcntl.LOCK_SH). Each waits for its turn at the gate: without it, suites
    that share the lock in turns would keep it for ever from one that needs it alone.
    """
    if HELD:
        assert kind in (HELD[0], fcntl.LOCK_SH), "this test needs the lock alone, and a fixture of it shares the lock"
        HELD.append(HELD[0])
        try:
            yield
        finally:
            HELD.pop()
        return
    with LOCK.open("w") as file:
        with GATE.open("w") as gate:
            fcntl.flock(gate, fcntl.LOCK_EX)
            fcntl.flock(file, kind)
        HELD.append(kind)
        try:
            yield
        finally:
            HELD.pop()


def alone():
    """While a census is taken, nobody else makes containers."""
    return held(fcntl.LOCK_EX)


@contextlib.contextmanager
def ground(folder, is_alone=False):
    """A folder on which file systems can be laid. `is_alone`: nobody else makes containers meanwhile, as a census needs it."""
    with held(fcntl.LOCK_EX if is_alone else fcntl.LOCK_SH), laid(folder) as place:
        yield place


@contextlib.contextmanager
def laid(folder):
    """An overlay cannot lie on an overlay, so there is memory instead."""
    kind = subprocess.run(["stat", "-f", "-c", "%T", folder], text=True, capture_output=True, check=True).stdout
    if "overlay" not in kind:
        yield pathlib.Path(folder)
        return
    place = tempfile.mkdtemp(dir="/dev/shm")
    try:
        yield pathlib.Path(place)
    finally:
        emptied(place)


def emptied(place):
    """Take a folder away, though somebody who was killed may still be writing there for a moment."""
    ends = time.monotonic() + 20
    while os.path.exists(place):
        shutil.rmtree(place, ignore_errors=time.monotonic() < ends)


class Room:
    """Namespaces of links and mounts that outlive the managers in them. What is mounted in it ends with it."""

    # a network of its own, which /sys shows as well; control groups stay where they are
    MAKE = ("ip link set lo up && mkdir -p $0 && mount --rbind /sys/fs/cgroup $0 && mount -t sysfs sysfs /sys "
            "&& mount --rbind $0 /sys/fs/cgroup && umount -l $0 && rmdir $0 && echo made && exec sleep 100000")

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.holder = subprocess.Popen(["unshare", "--net", "--mount", "--propagation", "slave", "sh", "-c", self.MAKE,
                                        str(self.folder / "sys")], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, text=True)
        assert self.holder.stdout.readline() == "made\n"
        self.within = ("nsenter", f"--net=/proc/{self.holder.pid}/ns/net", f"--mount=/proc/{self.holder.pid}/ns/mnt")

    def run(self, *words, **options):
        """A command in it."""
        return subprocess.run([*self.within, *words], text=True, capture_output=True, check=False, timeout=CHUNK_S,
                              **options)

    def mounts(self):
        """What is mounted below its folder."""
        lines = pathlib.Path(f"/proc/{self.holder.pid}/mounts").read_text().splitlines()
        return sorted(line.split()[1] for line in lines if str(self.folder) in line)

    def links(self):
        """Its links, but for loopback."""
        rows = self.run("ip", "-o", "link").stdout.splitlines()
        return sorted(row.split()[1].rstrip(":").split("@")[0] for row in rows if " lo: " not in row)

    def banner(self, address):
        """What sshd says first; empty: nobody answers."""
        return self.run("timeout", "2", "bash", "-c", f"exec 3<>/dev/tcp/{address}/22 && head -n 1 <&3").stdout

    def close(self):
        """End it."""
        self.holder.kill()
        self.holder.wait()
        self.holder.stdout.close()


class Machine:
    """One that the plugin has on record, as its folder says."""

    def __init__(self, folder):
        meta = json.loads((folder / "meta.json").read_text())
        tags = meta["tags"]
        self.folder, self.id, self.name = folder, folder.name, meta["name"]
        self.address, self.image, self.is_going = meta["address"], meta["image"], meta["isGoing"]
        self.memory_bytes = meta["memoryBytes"]
        self.group, self.slot, self.token = tags["reeve.group"], int(tags["reeve.logical_id"]), tags["reeve.token"]

    @property
    def init(self):
        """Its first process; None: there is none."""
        try:
            pid, start = (self.folder / "init").read_text().split()[:2]
        except (FileNotFoundError, ValueError):
            return None
        fields = fields_of(pid)
        return int(pid) if fields and fields[19] == start and fields[0] not in "ZX" else None

    def key(self):
        """What makes it this one, as it stands."""
        return self.group, self.slot


def groups_of(ids):
    """All control groups of these machines, of each hierarchy, outer ones before inner ones."""
    return [pathlib.Path(folder) for top in tops() for path in listed(top) if path.name.removesuffix(".monitor") in ids
            for folder, _, _ in os.walk(path)]


class Folder:
    """The plugin's folder of one tenant: what there is, and what should not be."""

    def __init__(self, data, room):
        self.path = pathlib.Path(data) / "plugins/default/local"
        self.room = room

    def prepare(self, data, images=None):
        """Before the first start: images that are kept between runs."""
        part = pathlib.Path(data)
        for name in ("", "plugins", "plugins/default", "plugins/default/local"):
            (part / name).mkdir(mode=0o700, exist_ok=True)
        if images and not (self.path / "images").exists():
            images.mkdir(parents=True, exist_ok=True)
            (self.path / "images").symlink_to(images)

    def machines(self):
        """All machines that are listed; one that goes in this moment is none."""
        found = []
        for folder in sorted(listed(self.path / "machines")):
            if not folder.name.startswith("."):
                with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                    found.append(Machine(folder))
        return found

    def living(self):
        """Of which machines do processes run, by what is mounted in them? That is the truth, whatever the records
        say: id -> numbers."""
        seen, found = {}, {}
        upper = f"{self.path}/machines/"
        for pid in processes():
            with contextlib.suppress(OSError, IndexError):
                space = os.readlink(f"/proc/{pid}/ns/mnt")
                if space not in seen:
                    text = pathlib.Path(f"/proc/{pid}/mounts").read_text()
                    root = next((line for line in text.splitlines() if line.split()[1] == "/"), "")  # it may be going
                    seen[space] = root.split(f"upperdir={upper}")[1].split("/")[0] if f"upperdir={upper}" in root else None
                if seen[space]:
                    found.setdefault(seen[space], []).append(pid)
        return found

    def helpers(self):
        """Processes that have the folder's name on their command lines, but for those of the manager."""
        found = []
        for pid in processes():
            line = said_of(pid, "cmdline")
            if str(self.path) in line and pid != os.getpid() and "reeve-host" not in line:
                found.append((pid, line))
        return found

    def traces(self, ever):
        """Everything there is of machines: {what: ids}; `ever`: those that there were. Of the manager's own there is
        nothing in it."""
        ids = {machine.id for machine in self.machines()}
        prefixes = {name.split("-")[0] + "-" for name in ids | ever}
        mounts = self.room.mounts()
        return {
            "machines": ids,
            "processes": set(self.living()),
            "spaces": {path.split("/")[-2] for path in mounts if path.endswith("/net") and "/machines/" in path},
            "groups": {path.name.removesuffix(".monitor") for top in tops() for path in listed(top)
                       if any(path.name.startswith(prefix) for prefix in prefixes)},
            "links": {name for name in self.room.links() if name.startswith("rv")},
            "addresses": {where for path in listed(self.path / "addresses") if (where := target_of(path))},
            "half-made": {path.name for path in listed(self.path / "machines") if path.name.startswith(".")},
            "trash": {path.name for path in listed(self.path / "trash")},
            "disks": {path.split("/")[-2] for path in mounts if path.endswith("/data") and "/volumes/" in path},
            "volumes": {path.name for path in listed(self.path / "volumes") if path.is_dir()},
            "loops": {path.split("/")[-2] for path in loops() if str(self.path) in path},
            "locks": {path.name.removeprefix(".") for path in listed(f"/run/lxc/lock{self.path}/machines") if path.name.startswith(".")},
            "monitors": {line.split()[-1] for _, line in self.helpers()},
        }

    def has_disks(self):
        """Are volumes files with a file system, or folders?"""
        return os.path.exists("/dev/loop-control") and os.path.exists("/sbin/mkfs.ext4")

    def end_all(self):
        """After a test that has failed: kill what runs, so that no later test sees it, and take their control groups away with
        the one that they lie in, or thousands are left behind in a day, and who counts next sees them go."""
        ids = {"pivot", *(path.name.removeprefix(".") for path in listed(self.path / "machines"))}
        for pids in self.living().values():
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        for pid, _ in self.helpers():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + 20
        while (left := groups_of(ids)) and time.monotonic() < deadline:
            for path in reversed(left):  # the innermost first
                with contextlib.suppress(OSError):  # who was killed is in it for a moment
                    path.rmdir()
            time.sleep(0.02)
        for path in tops():
            with contextlib.suppress(OSError):  # another one's machines are in it
                path.rmdir()
