"""A night: a bad bundle, a manager that is cut off, a store that went back, machines that come, go and cannot be reached, and the
deletion of everything. In the morning every machine is as its owners had it, and their login has worked throughout."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/e2e")]
from conftest import ENVIRONMENT, REEVE  # noqa: E402
from manager import Manager, until  # noqa: E402
from pylib.node import Node, keygen  # noqa: E402
from pylib.ports import free_port  # noqa: E402

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="machines are made by root")

NETWORK = "127.0.41"
GOOD = "echo good >>/root/starts\n"
BAD = "echo bad >>/root/starts\necho 'error: no licence on this machine' >&2\nexit 5\n"


class Company:
    """The owners of the machines: an authority, and a certificate by which they log in as root at any time."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        for name in ("authority", "ana"):
            keygen("-q", "-t", "ed25519", "-N", "", "-C", name, "-f", folder / name)
        keygen("-q", "-s", folder / "authority", "-I", "ana", "-n", "staff", folder / "ana.pub")
        keygen("-q", "-t", "ed25519", "-N", "", "-C", "eve", "-f", folder / "eve")

    def machine(self, folder, number, port):
        """One of their machines, which trusts the authority, and knows principals and a revoked key."""
        node = Node(folder / f"machine-{number}", f"machine-{number}", address=f"{NETWORK}.{number}", port=port)
        ssh = node.folder / "etc/ssh"
        (ssh / "company").mkdir()
        (ssh / "company/ca.pub").write_text((self.folder / "authority.pub").read_text())
        (ssh / "company/root").write_text("staff\n")
        (ssh / "company/gone").write_text((self.folder / "eve.pub").read_text())
        with (ssh / "sshd_config").open("a") as out:
            out.write("TrustedUserCAKeys /etc/ssh/company/ca.pub\nAuthorizedPrincipalsFile /etc/ssh/company/%u\n"
                      "RevokedKeys /etc/ssh/company/gone\n")
        node.bare = disk(node)
        return node.start()

    def login(self, node):
        """What ssh says to a login of theirs: empty where it is well."""
        key = self.folder / "ana"
        done = subprocess.run(
            ["ssh", "-F", "none", "-n", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
             "-o", "IdentitiesOnly=yes", "-o", "LogLevel=ERROR", "-i", key, "-p", str(node.port), f"root@{node.address}", "true"],
            text=True, capture_output=True, check=False, timeout=240, env={"PATH": os.environ["PATH"]})
        return "" if done.returncode == 0 else done.stderr or f"exit {done.returncode}"


class Watch(threading.Thread):
    """Somebody of the company logs in all night, again and again, to a machine that nobody cuts off."""

    def __init__(self, company, node):
        super().__init__(daemon=True)
        self.company, self.node, self.over = company, node, threading.Event()
        self.logins, self.refused = 0, []

    def run(self):
        while not self.over.wait(0.3):
            said = self.company.login(self.node)
            self.logins += said == ""
            # sshd does not listen for a moment while it reads its settings anew
            if said and not any(word in said for word in ("Connection refused", "Connection reset", "Connection closed")):
                self.refused.append(said)


def disk(node):
    """Every file of the machine with its mode, owner and content."""
    found = {}
    for part in ("etc", "root", "home", "var"):
        for path in (node.folder / part).rglob("*"):
            name = str(path.relative_to(node.folder))
            if name not in ("root/sshd.log", "root/starts"):  # sshd's own, and what the stage has installed, which stays
                state = path.lstat()
                content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
                found[name] = (oct(state.st_mode), state.st_uid, state.st_gid, content)
    return found


def differences(node):
    """What is not as the owners had it."""
    now = disk(node)
    return sorted(name for name in node.bare | now if node.bare.get(name) != now.get(name))


class Night:
    """The manager, the machines and the file, and how each of them is looked at."""

    def __init__(self, folder, company, port):
        self.folder, self.company, self.port = folder, company, port
        self.machines = [company.machine(folder, number, port) for number in range(1, 7)]
        self.manager = None
        self.bundle(GOOD)

    def start(self, haste):
        """The manager, whose windows are so many times shorter."""
        self.manager = Manager(self.folder, "--haste", str(haste), control=True).start()

    def bundle(self, script):
        (self.folder / "stage").mkdir(exist_ok=True)
        (self.folder / "stage/bootstrap.sh").write_text(script)

    def reeve(self, *words, seconds=300):
        return subprocess.run([str(REEVE), *words], text=True, capture_output=True, check=False, timeout=seconds, cwd=self.folder,
                              stdin=subprocess.DEVNULL, env={**ENVIRONMENT, "REEVE_URL": f"unix:{self.manager.socket}"})

    def apply(self, size, numbers, *words, code=0):
        """A group of so many of these machines."""
        addresses = [f"{NETWORK}.{number}" for number in numbers]
        group = {"size": size, "resourcePlugin": {"name": "static"}, "bootstrap": [{"tar": "stage", "idempotent": True}],
                 "onUnreachable": "replace", "heal": "replace",
                 "rollout": {"canary": 1, "batch": 1, "bake": "1s", "maxFail": 1},
                 "health": {"probe": {"exec": ["true"], "every": "500ms", "fail": 2, "timeout": "3s"}, "grace": "1m"},
                 "resourceProperties": {"addresses": addresses, "port": self.port, "user": "root",
                                        "hostKeys": {f"{NETWORK}.{number}": self.machine(number).host_key for number in numbers}}}
        (self.folder / "shop.yaml").write_text(json.dumps({"name": "shop", "version": "1", "groups": {"rack": group}}))
        done = self.reeve("apply", "-f", "shop.yaml", "--yes", *words)
        assert done.returncode == code, (done.stdout, done.stderr, self.why())
        return done

    def let_in(self, numbers):
        """The owners add the line that reeve shows for these machines."""
        line = until(lambda: self.cluster().get("status", {}).get("ssh"), self.why)
        for number in numbers:
            path = self.machine(number).folder / "root/.ssh/authorized_keys"
            if line not in path.read_text():
                path.write_text(path.read_text() + line + "\n")

    def shut_out(self, number):
        """The owners take the line away again."""
        node = self.machine(number)
        (node.folder / "root/.ssh/authorized_keys").write_bytes(node.bare["root/.ssh/authorized_keys"][3])

    def machine(self, number):
        return self.machines[number - 1]

    def cluster(self):
        return self.manager.get("/v1/clusters/shop").json

    def why(self):
        newest = self.manager.get("/v1/events?cluster=shop&limit=1000").json["items"][-25:]
        return (f"{[(row['type'], row.get('node'), row.get('fact')) for row in newest]} {self.holds()} {[(one['metadata']['name'], one['status']) for one in self.rows()]} "
                f"{self.manager.log.read_text()[-3000:]}")

    def rows(self):
        return self.manager.get("/v1/resources?cluster=shop").json.get("items", [])

    def holds(self):
        rows = self.manager.get("/v1/holds?cluster=shop").json["items"]
        return {row["status"]["rule"]: row["status"].get("fact", "") for row in rows}

    def events(self, kind):
        rows = self.manager.get("/v1/events?cluster=shop&limit=1000").json["items"]
        return [row for row in rows if row["type"] == kind]

    def ready(self, count):
        return until(lambda: self.cluster().get("status", {}).get("machines", {}).get("ready") == count, self.why)

    def taken(self):
        """What the provider has: which machines are somebody's."""
        return sorted(path.name for path in (self.folder / "data/plugins").rglob(".claims/127*"))

    def addresses(self, *numbers):
        return [f"{NETWORK}.{number}" for number in numbers]

    def starts(self, *numbers):
        """What each machine has run, by its own file."""
        return [self.machine(number).read("root/starts").split() for number in numbers]

    def clean(self, *numbers):
        """These machines are as their owners had them."""
        assert {number: differences(self.machine(number)) for number in numbers} == {number: [] for number in numbers}

    def passes(self, count=4):
        for _ in range(count):
            assert self.manager.post("/v1/clusters/shop/pass", {}).status == 200


@pytest.fixture(name="night")
def make_night(tmp_path):
    """Six machines of a company, and a manager."""
    company = Company(tmp_path / "company")
    night = Night(tmp_path, company, free_port(f"{NETWORK}.0"))
    night.start(20)
    watch = Watch(company, night.machine(1))
    watch.start()
    yield night
    watch.over.set()
    watch.join(60)
    for one in night.machines:
        one.kill()
    assert night.manager.stop() in (0, None)
    assert watch.refused == [] and watch.logins > 2


def evening(night):
    """Four machines of the company are taken over."""
    night.apply(4, [1, 2, 3, 4], "--detach")
    night.let_in([1, 2, 3, 4])
    night.ready(4)
    assert night.taken() == night.addresses(1, 2, 3, 4) and night.starts(1, 2, 3, 4) == [["good"]] * 4
    tree, = (night.machine(1).folder / "etc/ssh").glob("reeve-*")
    known = (tree / "known_hosts").read_text().splitlines()
    assert [line.split()[1] for line in known] == [f"{NETWORK}.{number},rack-{number - 1}" for number in (1, 2, 3, 4)]
    assert "Host *" not in night.machine(1).read("etc/ssh/ssh_config.d/00-reeve.conf")


def a_bad_bundle(night):
    """The canary breaks, three are untouched; the hold names it, and the job the line. Then it is undone."""
    night.bundle(BAD)
    done = night.apply(4, [1, 2, 3, 4], code=9)
    assert "rack-0" in night.holds()["rollout"] and "stage-0" in night.holds()["rollout"], night.holds()
    assert "no licence on this machine" in done.stdout + done.stderr
    night.passes()
    assert night.starts(1, 2, 3, 4) == [["good", "bad"], ["good"], ["good"], ["good"]]
    night.bundle(GOOD)
    undone = night.reeve("undo", "shop/rack", "--yes")
    assert undone.returncode == 0, undone.stderr
    until(lambda: "rollout" not in night.holds(), night.why)
    night.ready(4)
    assert night.starts(2, 3, 4) == [["good"]] * 3 and night.taken() == night.addresses(1, 2, 3, 4)


def cut_off(night):
    """Three of four machines cannot be reached: the manager suspects itself, and destroys nothing."""
    before = {number: disk(night.machine(number)) for number in (2, 3, 4)}
    condemned = len(night.events("machine.condemned"))
    for number in (2, 3, 4):
        night.machine(number).kill()
    until(lambda: "self_suspicion" in night.holds(), night.why)
    until(lambda: sum("unreachable" in row["status"] for row in night.rows()) == 3, night.why)
    night.passes()
    assert night.taken() == night.addresses(1, 2, 3, 4)
    assert {number: disk(night.machine(number)) for number in (2, 3, 4)} == before
    for number in (2, 3, 4):
        night.machine(number).start()
    until(lambda: not night.holds() and not any("unreachable" in row["status"] for row in night.rows()), night.why)
    assert len(night.events("machine.condemned")) == condemned and night.taken() == night.addresses(1, 2, 3, 4)


def a_store_that_went_back(night):
    """The store of the time when there was one machine less is put back: nothing is destroyed; adoption brings it back."""
    data = night.folder / "data"
    night.manager.stop()
    shutil.copytree(data, night.folder / "copy", ignore=shutil.ignore_patterns("plugins", "backups"))
    night.start(20)
    night.apply(5, [1, 2, 3, 4, 5], "--detach")
    night.let_in([5])
    night.ready(5)
    night.manager.stop()
    for path in data.glob("store.db*"):
        path.unlink()
    for path in (night.folder / "copy").glob("store.db*"):
        shutil.copy2(path, data / path.name)
    night.start(100)  # the windows of ten minutes are over in six seconds
    until(lambda: "store_went_back" in night.holds(), night.why)
    over = time.monotonic() + 7
    until(lambda: time.monotonic() > over)
    night.passes()
    assert night.taken() == night.addresses(1, 2, 3, 4, 5) and night.events("machine.condemned") == []
    night.apply(5, [1, 2, 3, 4, 5], "--detach")
    assert night.manager.post("/v1/clusters/shop/say", {"command": "approve", "rule": "store_went_back"}).status in (200, 201)
    until(lambda: len(night.rows()) == 5 and not night.holds(), night.why)
    night.ready(5)
    assert night.taken() == night.addresses(1, 2, 3, 4, 5) and night.events("machine.condemned") == []
    assert night.starts(2, 3, 4, 5) == [["good"]] * 4
    night.manager.stop()
    night.start(20)


def fewer_and_more(night):
    """To three, to six in place, to two: who goes is released, and its disk is what it was."""
    night.apply(3, [1, 2, 3, 4, 5], "--allow", "destroy=2")
    until(lambda: len(night.taken()) == 3, night.why)
    gone = [number for number in (1, 2, 3, 4, 5) if night.addresses(number)[0] not in night.taken()]
    night.clean(*gone)
    night.apply(6, [1, 2, 3, 4, 5, 6], "--detach")
    night.let_in(range(1, 7))
    night.ready(6)
    night.apply(2, [1, 2, 3, 4, 5, 6], "--allow", "destroy=4")
    until(lambda: len(night.rows()) == 2 and len(night.taken()) == 2, night.why)
    night.clean(*(number for number in range(1, 7) if night.addresses(number)[0] not in night.taken()))
    assert all(night.company.login(one) == "" for one in night.machines)


def one_that_cannot_be_reached(night):
    """It is the one that goes; its release is pending, and says why; when it is back, it is released."""
    away = next(number for number in range(2, 7) if night.addresses(number)[0] in night.taken())
    name = next(row["metadata"]["name"] for row in night.rows() if row["status"]["address"] == night.addresses(away)[0])
    night.machine(away).kill()
    until(lambda: any("unreachable" in row["status"] for row in night.rows()), night.why)
    done = night.reeve("scale", "shop/rack", "1", "--allow", "destroy=1", "--detach")
    assert done.returncode == 0, done.stderr
    until(lambda: night.events("node.release_pending"), night.why)
    told = night.reeve("describe", "node", f"shop/{name}").stdout
    assert "releasing" in told and "unreachable" in told and "next try in" in told and "revoked by ," not in told, told
    again = night.reeve("release", f"shop/{name}", "--allow", "destroy=1")
    assert again.returncode == 0 and "is being released already" in again.stderr, again.stderr
    assert night.addresses(away)[0] in night.taken()
    night.machine(away).start()
    until(lambda: len(night.taken()) == 1 and len(night.rows()) == 1, night.why)
    night.clean(away)
    assert night.events("node.traces_left") == []


def the_end(night):
    """A second machine comes back, cannot be reached and is given up; the cluster is deleted: the last one is released."""
    free = [number for number in range(1, 7) if night.addresses(number)[0] not in night.taken()]
    assert night.reeve("scale", "shop/rack", "2", "--yes", "--detach").returncode == 0
    night.let_in(free)
    night.ready(2)
    for number in free:
        if night.addresses(number)[0] not in night.taken():
            night.shut_out(number)
    lost = next(number for number in range(2, 7) if night.addresses(number)[0] in night.taken())
    name = next(row["metadata"]["name"] for row in night.rows() if row["status"]["address"] == night.addresses(lost)[0])
    early = night.reeve("release", f"shop/{name}", "--force")
    assert early.returncode == 5 and "R0818" in early.stderr, early.stderr
    unasked = night.reeve("release", f"shop/{name}")
    assert unasked.returncode == 11 and len(night.taken()) == 2, unasked.stderr
    night.machine(lost).kill()
    assert night.reeve("release", f"shop/{name}", "--allow", "destroy=1", "--detach").returncode == 0
    until(lambda: night.events("node.release_pending")[1:], night.why)
    forced = night.reeve("release", f"shop/{name}", "--force", "-m", "burnt down")
    assert forced.returncode == 0 and "may remain" in forced.stderr, forced.stderr
    until(lambda: len(night.taken()) == 1 and len(night.rows()) == 1, night.why)
    left, = night.events("node.traces_left")
    assert left["node"] == name and "given up by an operator" in left["fact"], left
    assert night.reeve("release", f"shop/{name}").returncode == 4
    deleted = night.reeve("delete", "cluster", "shop", "--allow", "destroy=2")
    assert deleted.returncode == 0, deleted.stderr
    until(lambda: night.taken() == [] and not night.rows(), night.why)
    night.clean(*(number for number in range(1, 7) if number != lost))
    for number in range(1, 7):
        if number != lost:
            assert night.company.login(night.machine(number)) == ""


def test_a_night(night):
    """One step after the other."""
    for step in (evening, a_bad_bundle, cut_off, a_store_that_went_back, fewer_and_more, one_that_cannot_be_reached, the_end):
        begun = time.monotonic()
        step(night)
        print(f"{step.__name__}: {time.monotonic() - begun:.1f} s")
