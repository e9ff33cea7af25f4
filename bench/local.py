#!/usr/bin/python3 -B
"""Twenty machines of the plugin `local` from create to the banner of sshd, beside a bare loop over liblxc: local.py BUILD

Both take the same kept Debian image, in turn (A B A B), each in a network namespace of its own, on the same disk.
Ours goes through reeve-host as the manager's calls do, sixteen at once, and each machine gets its user, keys, own
host key, limits and record; the bare loop shares one host key and keeps nothing. As root; the image is made once and
kept in BUILD/local-images. No machine of either goes before all are measured: ext4 looks for a while at every inode that was
removed lately before it gives one away, and who makes more files than the other would pay for what both have removed.
"""

import concurrent.futures
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests"))
from beside import middle, say  # noqa: E402
from pylib.hosted import Host  # noqa: E402

BUILD = pathlib.Path(sys.argv[1])
COUNT, PAIRS, AT_ONCE = 20, 7, 16
NUMBERS = itertools.count()
ENTER = ("mkdir -p {x} && mount --rbind /sys/fs/cgroup {x} && mount -t sysfs sysfs /sys && "
         "mount --rbind {x} /sys/fs/cgroup && umount -l {x}; exec \"$@\"")


def check(*command, **options):
    """A command that must go well; its output."""
    return subprocess.run([str(part) for part in command], check=True, text=True,
                          stdout=subprocess.PIPE, **options).stdout


def memory_kb(word):
    """Proportional memory of all processes whose command line has this word."""
    total = 0
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and word in (entry / "cmdline").read_text():
                total += int((entry / "smaps_rollup").read_text().split("Pss:")[1].split()[0])
        except (OSError, IndexError):
            pass
    return total


class Ours:
    """The plugin in its host."""

    def __init__(self, folder, images):
        folder.mkdir()
        (folder / "images").symlink_to(images)
        self.namespace = f"rvbench{os.getpid()}"
        self.host = Host(BUILD / "reeve-host", BUILD / "plugins/local.so", folder,
                         {"network": {"namespace": self.namespace, "cidr": "10.77.0.0/22"}})
        assert not self.host.failed, self.host.logs

    def create(self, turn, i):
        """One machine."""
        answer = self.host.call("create", 900, cluster=f"bench/{turn}", token=f"t{i}", name=f"web-{i}",
                                tags={"reeve.logical_id": str(i)}, keys="ssh-ed25519 AAAA bench",
                                properties=json.dumps({"image": "debian", "memory": "256MiB", "cpus": 1}))
        assert answer.result == "ok", (answer, self.host.logs)
        return answer.id

    def rows(self, turn):
        """All machines of a turn."""
        return self.host.call("describe", cluster=f"bench/{turn}").rows

    def end(self, turn):
        """All of them go; seconds."""
        begin = time.perf_counter()
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            answers = pool.map(lambda row: self.host.call("destroy", cluster=f"bench/{turn}", machine=row.id), self.rows(turn))
            assert all(answer.result == "ok" for answer in answers)
        return time.perf_counter() - begin

    def measure(self, turn):
        """Seconds from the first create to the last banner, and of a describe of all; memory."""
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            begin = time.perf_counter()
            list(pool.map(lambda i: self.create(turn, i), [next(NUMBERS) for _ in range(COUNT)]))
            made = time.perf_counter()
            rows = self.rows(turn)
            described = time.perf_counter()
            check("nsenter", f"--net=/run/netns/{self.namespace}", BUILD / "bench/bench_lxc", "banners",
                  *(row.address for row in rows))
            banner = time.perf_counter()
            assert len(rows) == COUNT
        return banner - begin, described - made, memory_kb("reeve-host")


class Bare:
    """The loop over liblxc, with a layer of its own that holds sshd's key and a script as init."""

    def __init__(self, folder, image):
        self.folder, self.image, self.namespace = folder, image, f"rvbare{os.getpid()}"
        (folder / "shim/usr/sbin").mkdir(parents=True)
        (folder / "shim/etc/ssh").mkdir(parents=True)
        init = folder / "shim/usr/sbin/bench-init"
        init.write_text("#!/bin/sh\nmkdir -p /run/sshd\nexec /usr/sbin/sshd -D -e -h /etc/ssh/key\n")
        init.chmod(0o755)
        check("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "shim/etc/ssh/key")
        check("ip", "netns", "add", self.namespace)
        self.enter("ip link set lo up; ip link add bare0 type bridge; ip addr add 10.78.0.1/24 dev bare0; "
                   "ip link set bare0 up")

    def enter(self, script, *args):
        """In its network, with a /sys of it."""
        return check("nsenter", f"--net=/run/netns/{self.namespace}", "unshare", "-m", "--propagation", "slave",
                     "sh", "-c", ENTER.format(x=self.folder / "x"), "sh", "sh", "-c", script, "sh", *args)

    def measure(self, turn):
        """Seconds from the first definition to the last banner."""
        run = self.folder / f"run{turn}"
        run.mkdir()
        said = self.enter('exec "$@"', BUILD / "bench/bench_lxc", "loop", self.image, self.folder / "shim", run, "bare0",
                          COUNT)
        return float(said.split()[1])

    def close(self):
        """Nothing is left, but for the folders that the library leaves."""
        check("ip", "netns", "del", self.namespace)
        for hierarchy in pathlib.Path("/sys/fs/cgroup").iterdir():
            for group in sorted(hierarchy.glob("lxc.*"), reverse=True):
                try:
                    group.rmdir()
                except OSError:
                    pass


def main():
    """Pairs in turn."""
    if os.geteuid() != 0 or not (BUILD / "bench/bench_lxc").exists():
        say("local.beside", ours="absent", why="it needs root and liblxc (lxc-dev)")
        return
    images = BUILD / "local-images"
    images.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        folder = pathlib.Path(folder)
        ours = Ours(folder / "ours", images)
        ours.create("image", next(NUMBERS)) # makes the image, where it is not kept yet
        layer = ours.rows("image")[0].properties["image"]
        (folder / "bare").mkdir()
        bare = Bare(folder / "bare", images / layer / "root")
        mine, theirs = [], []
        for turn in range(PAIRS):
            mine.append(ours.measure(turn))
            theirs.append(bare.measure(turn))
        ends = [ours.end(turn) for turn in range(PAIRS)]
        ours.end("image")
        bare.close()
        ours.host.close()
    say("local.banners", unit=f"s for {COUNT} machines", ours=middle([one[0] for one in mine]), theirs=middle(theirs),
        peer="a bare loop over liblxc", ratio=middle([one[0] / other for one, other in zip(mine, theirs)]), target=1.3,
        pairs=PAIRS)
    say("local.describe", unit=f"ms for {COUNT} machines, through reeve-host",
        ours=middle([one[1] * 1000 for one in mine]))
    say("local.destroy", unit=f"s for {COUNT} machines", ours=middle(ends))
    say("local.memory", unit="MB (Pss) of reeve-host with them", ours=middle([one[2] / 1024 for one in mine]), target=40)


main()
