"""Containers of the plugin `local` for tests: where their files may be, separate namespaces, and the data that remains
of them."""

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
CHUNK_S = 120  # time limit for short operations
LOCK = ROOT / "build/containers.lock"
GATE = ROOT / "build/containers.gate"
HELD = []  # how this process holds LOCK: fcntl.LOCK_EX or LOCK_SH, once for each test and fixture that requested it


def below(top):
    """Returns all paths below a folder. Paths that disappear meanwhile are skipped, unlike with a glob."""
    return [pathlib.Path(folder, name) for folder, folders, files in os.walk(top) for name in (*folders, *files)]


def listed(folder):
    """Returns the content of a folder; empty if the folder is gone or disappears meanwhile."""
    try:
        return [pathlib.Path(folder, name) for name in os.listdir(folder)]
    except OSError:
        return []


def tops():
    """Returns the parent control groups of all machines, one of each hierarchy."""
    return [pathlib.Path(line.split()[1], "reeve-local") for line in open("/proc/mounts") if line.split()[2].startswith("cgroup")]


def census(folder=""):
    """Returns everything that machines may leave behind on this computer."""
    found = {
        "mounts": sorted(line.split()[1] for line in open("/proc/mounts") if "/rvtest" in line
                         or (folder and folder in line)),
        "namespaces": sorted(os.listdir("/run/netns")) if os.path.isdir("/run/netns") else [],
        "groups": sorted(path for top in tops() for path, _, _ in os.walk(top)),  # paths that disappear meanwhile are skipped
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
    """Returns what exists now and did not exist before: nothing as soon as that is so, or the remainder after a time
    limit, because the kernel removes namespaces later.

    Leftovers of an earlier killed run may disappear meanwhile, because a manager that starts removes them.
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
    """Returns the target of a link; empty if the link has disappeared since it was listed."""
    try:
        return os.readlink(path)
    except FileNotFoundError:
        return ""


def loops():
    """Returns the files of loop devices."""
    return subprocess.run(["losetup", "-n", "-O", "BACK-FILE"], text=True, capture_output=True,
                          check=False).stdout.split()


@contextlib.contextmanager
def held(kind):
    """Holds the lock of everything that makes containers on this computer.

    Test suites run at the same time. A test that takes a census counts the objects of the whole computer, so it needs
    the lock alone (fcntl.LOCK_EX); other tests share it (fcntl.LOCK_SH). Each waits at the gate first. Without the
    gate, suites that share the lock alternately would block a suite that needs it alone forever.
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
    """Holds the lock alone, so that no other test makes containers while a census is taken."""
    return held(fcntl.LOCK_EX)


@contextlib.contextmanager
def ground(folder, is_alone=False):
    """Returns a folder in which overlays can be mounted. `is_alone`: no other test makes containers meanwhile, as a
    census needs it."""
    with held(fcntl.LOCK_EX if is_alone else fcntl.LOCK_SH), laid(folder) as place:
        yield place


@contextlib.contextmanager
def laid(folder):
    """Provides memory for the folder, because an overlay cannot be on another overlay."""
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
    """Removes a folder, even if a killed process may still write there for a moment."""
    ends = time.monotonic() + 20
    while os.path.exists(place):
        shutil.rmtree(place, ignore_errors=time.monotonic() < ends)


class Room:
    """Network and mount namespaces that outlive the managers in them. Mounts in them end with them."""

    # a separate network namespace, which /sys shows too; control groups are not changed
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
        """Runs a command in the namespaces."""
        return subprocess.run([*self.within, *words], text=True, capture_output=True, check=False, timeout=CHUNK_S,
                              **options)

    def mounts(self):
        """Returns the mounts below its folder."""
        lines = pathlib.Path(f"/proc/{self.holder.pid}/mounts").read_text().splitlines()
        return sorted(line.split()[1] for line in lines if str(self.folder) in line)

    def links(self):
        """Returns its network links, except loopback."""
        rows = self.run("ip", "-o", "link").stdout.splitlines()
        return sorted(row.split()[1].rstrip(":").split("@")[0] for row in rows if " lo: " not in row)

    def banner(self, address):
        """Returns the banner of sshd; empty: no answer."""
        return self.run("timeout", "2", "bash", "-c", f"exec 3<>/dev/tcp/{address}/22 && head -n 1 <&3").stdout

    def close(self):
        """Ends the namespaces."""
        self.holder.kill()
        self.holder.wait()
        self.holder.stdout.close()


class Machine:
    """A machine with a record of the plugin in its folder."""

    def __init__(self, folder):
        meta = json.loads((folder / "meta.json").read_text())
        tags = meta["tags"]
        self.folder, self.id, self.name = folder, folder.name, meta["name"]
        self.address, self.image, self.is_going = meta["address"], meta["image"], meta["isGoing"]
        self.memory_bytes = meta["memoryBytes"]
        self.group, self.slot, self.token = tags["reeve.group"], int(tags["reeve.logical_id"]), tags["reeve.token"]

    @property
    def init(self):
        """Returns its first process; None: there is none."""
        try:
            pid, start = (self.folder / "init").read_text().split()[:2]
        except (FileNotFoundError, ValueError):
            return None
        fields = fields_of(pid)
        return int(pid) if fields and fields[19] == start and fields[0] not in "ZX" else None

    def key(self):
        """Returns the data that identifies the machine."""
        return self.group, self.slot


def groups_of(ids):
    """Returns all control groups of these machines, in each hierarchy, outer groups before inner ones."""
    return [pathlib.Path(folder) for top in tops() for path in listed(top) if path.name.removesuffix(".monitor") in ids
            for folder, _, _ in os.walk(path)]


class Folder:
    """The plugin's folder of one tenant: its objects, and objects that should not be there."""

    def __init__(self, data, room):
        self.path = pathlib.Path(data) / "plugins/default/local"
        self.room = room

    def prepare(self, data, images=None):
        """Called before the first start: links images that are kept between runs."""
        part = pathlib.Path(data)
        for name in ("", "plugins", "plugins/default", "plugins/default/local"):
            (part / name).mkdir(mode=0o700, exist_ok=True)
        if images and not (self.path / "images").exists():
            images.mkdir(parents=True, exist_ok=True)
            (self.path / "images").symlink_to(images)

    def machines(self):
        """Returns all listed machines, except machines that disappear at this moment."""
        found = []
        for folder in sorted(listed(self.path / "machines")):
            if not folder.name.startswith("."):
                with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                    found.append(Machine(folder))
        return found

    def living(self):
        """Returns the machines with running processes, by the mounts of these processes. This is the truth, regardless
        of the records: id -> process ids."""
        seen, found = {}, {}
        upper = f"{self.path}/machines/"
        for pid in processes():
            with contextlib.suppress(OSError, IndexError):
                space = os.readlink(f"/proc/{pid}/ns/mnt")
                if space not in seen:
                    text = pathlib.Path(f"/proc/{pid}/mounts").read_text()
                    # the process may be ending
                    root = next((line for line in text.splitlines() if line.split()[1] == "/"), "")
                    seen[space] = root.split(f"upperdir={upper}")[1].split("/")[0] if f"upperdir={upper}" in root else None
                if seen[space]:
                    found.setdefault(seen[space], []).append(pid)
        return found

    def helpers(self):
        """Returns processes with the folder's name in their command lines, except those of the manager."""
        found = []
        for pid in processes():
            line = said_of(pid, "cmdline")
            if str(self.path) in line and pid != os.getpid() and "reeve-host" not in line:
                found.append((pid, line))
        return found

    def traces(self, ever):
        """Returns all existing data of machines: {what: ids}. `ever`: ids of machines that existed before. Data of the
        manager is not included."""
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
        """Returns whether volumes are files with a file system, and not folders."""
        return os.path.exists("/dev/loop-control") and os.path.exists("/sbin/mkfs.ext4")

    def end_all(self):
        """Called after a failed test: kills running processes, so that no later test sees them, and removes their
        control groups with the parent group. Otherwise thousands would accumulate in a day and affect later counts."""
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
            for path in reversed(left):  # the innermost group first
                with contextlib.suppress(OSError):  # a killed process is in it for a moment
                    path.rmdir()
            time.sleep(0.02)
        for path in tops():
            with contextlib.suppress(OSError):  # machines of another folder are in it
                path.rmdir()
