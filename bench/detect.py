#!/usr/bin/python3 -B
"""How soon an ssh probe notices what has happened to a machine: detect.py BUILD [TIMES]

Each machine is an sshd in a network namespace of its own, behind a pair of veth. What is measured is the time from the
kill, the stop or the loss of the link to the answer of the API that says so, with the standard of the probe (every
1.5 s, 1 s, twice). As root; nothing outside of the namespaces is touched.
"""

import contextlib
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests")]
from hosts import ME, SSHD  # noqa: E402  pylint: disable=wrong-import-position
from manager import Manager, until  # noqa: E402  pylint: disable=wrong-import-position

PORT, COUNT = 2222, 4


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=30)


class Machine:
    """An sshd that is reached through a link of its own."""

    def __init__(self, folder, number):
        self.folder, self.space, self.link = folder / f"host-{number}", f"reeve-{os.getpid()}-{number}", f"rv{os.getpid() % 10000}-{number}"
        self.address, self.process = f"10.213.{number}.2", None
        self.folder.mkdir()
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", self.folder / "key"], check=True)
        self.key = (self.folder / "key.pub").read_text().strip()
        ip("netns", "add", self.space)
        ip("link", "add", self.link, "type", "veth", "peer", "name", "eth0", "netns", self.space)
        ip("addr", "add", f"10.213.{number}.1/30", "dev", self.link)
        ip("link", "set", self.link, "up")
        for words in (("addr", "add", f"{self.address}/30", "dev", "eth0"), ("link", "set", "eth0", "up"), ("link", "set", "lo", "up")):
            ip("-n", self.space, *words)

    def start(self):
        pathlib.Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        (self.folder / "config").write_text("\n".join((
            f"Port {PORT}", "PidFile none", "UsePAM no", "StrictModes no", f"HostKey {self.folder}/key", "PermitRootLogin yes", "")))
        self.process = subprocess.Popen(["ip", "netns", "exec", self.space, SSHD, "-D", "-f", self.folder / "config"],
                                        stderr=subprocess.DEVNULL)

    def kill(self):
        self.process.kill()
        self.process.wait(30)

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.kill()
        with contextlib.suppress(subprocess.CalledProcessError):
            ip("netns", "del", self.space)


def document(machines):
    return {"name": "shop", "version": "1", "groups": {"web": {
        "size": len(machines), "resourcePlugin": {"name": "static"}, "heal": "off",
        "resourceProperties": {"addresses": [one.address for one in machines], "port": PORT, "user": ME,
                               "hostKeys": {one.address: one.key for one in machines}},
        "health": {"probe": {"ssh": True}, "grace": "0s"}}}}


def states(manager):
    return {row["status"]["name"]: row["status"] for row in manager.get("/v1/resources?cluster=shop").json["items"]}


def is_bad(status):
    return bool(status.get("unhealthy") or status.get("unreachable"))


def noticed(manager, name, act, undo):
    """Seconds from the act until the API says it; then it is well again."""
    until(lambda: not is_bad(states(manager)[name]))
    time.sleep(3.3)  # wherever between two probes it happens
    begun = time.monotonic()
    act()
    until(lambda: is_bad(states(manager)[name]))
    took = time.monotonic() - begun
    undo()
    return took


def measured(manager, machines, times):
    acts = {
        "kill": (lambda one: one.kill, lambda one: one.start),
        "stop": (lambda one: lambda: one.process.send_signal(signal.SIGSTOP), lambda one: lambda: one.process.send_signal(signal.SIGCONT)),
        "link": (lambda one: lambda: ip("link", "set", one.link, "down"), lambda one: lambda: ip("link", "set", one.link, "up")),
    }
    for name, (act, undo) in acts.items():
        took = []
        for number in range(times):
            at = number % len(machines)
            took.append(noticed(manager, f"web-{at}", act(machines[at]), undo(machines[at])))
        print(json.dumps({"name": f"detect/{name}", "s": [round(one, 2) for one in took], "s_median": round(statistics.median(took), 2),
                          "s_max": round(max(took), 2), "goal_s": 5, "load": round(os.getloadavg()[0], 1)}), flush=True)


def main():
    if "REEVE_DETECT" not in os.environ:  # what is outside has none of these links
        os.execvpe("unshare", ["unshare", "-n", sys.executable, "-B", *sys.argv], {**os.environ, "REEVE_DETECT": "1"})
    ip("link", "set", "lo", "up")
    build, times = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 10
    with tempfile.TemporaryDirectory(dir=build) as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        machines = []
        for number in range(COUNT):
            machines.append(Machine(folder, number))
            stack.callback(machines[-1].end)
            machines[-1].start()
        (folder / "m").mkdir()
        with Manager(folder / "m", program=build / "reeved", control=True).start() as manager:
            manager.apply(document(machines))
            until(lambda: manager.get("/v1/clusters/shop").json.get("status", {}).get("machines", {}).get("ready") == COUNT)
            measured(manager, machines, times)


if __name__ == "__main__":
    main()
