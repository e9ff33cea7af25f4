"""Groups of real containers under a manager: rolled, probed, healed, and their volumes (issue 6 f; X5, X6, X9)."""

import contextlib
import os
import pathlib
import signal
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from manager import Manager, until  # noqa: E402
from pylib.containers import IMAGES, Folder, Room, ground  # noqa: E402
from pylib.proc import children, named  # noqa: E402
from test_local import Place, debian  # noqa: E402

SIZE = int(os.environ.get("REEVE_NODES", "6"))
SURGE = 2
ROLLOUT = {"surge": SURGE, "canary": 1, "bake": "1s", "maxFail": 1}
MIB = 1024 * 1024

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")


class World:
    """A manager in a room, and its containers."""

    def __init__(self, folder, images=None):
        self.room = Room(folder)
        self.manager = Manager(folder, "--haste", "100", control=True, within=self.room.within)
        self.containers = Folder(folder / "data", self.room)
        self.containers.prepare(folder / "data", images)
        self.manager.start()

    def wish(self, size, **more):
        """A cluster with one group."""
        group = {"size": size, "image": "host", "resourcePlugin": {"name": "local"}, **more}
        answer = self.manager.post("/v1/apply", {"documents": [{"name": "shop", "version": "1", "groups": {"web": group}}],
                                                 "allow": {"destroy": 1000, "replace": 1000}})
        assert answer.status in (200, 201), answer.text

    def ready(self, size):
        """Do so many serve, and no other?"""
        status = self.manager.get("/v1/clusters/shop").json.get("status", {}).get("machines", {})
        machines = self.containers.machines()
        return (len(machines) == size == len([one for one in machines if one.init]) and status.get("leaving") == 0
                and status.get("ready") == status.get("wanted") == size)

    def by_slot(self):
        """The machines that are not going."""
        return {one.slot: one for one in self.containers.machines() if not one.is_going}

    def rules(self):
        """What holds."""
        return {one["status"]["rule"] for one in self.manager.get("/v1/holds?cluster=shop").json["items"]}

    @contextlib.contextmanager
    def halted(self):
        """The manager sees nothing of what happens meanwhile."""
        os.kill(self.manager.process.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.manager.process.pid, signal.SIGCONT)

    def revisions(self, kind):
        """When something happened, each time that it did."""
        items = self.manager.get("/v1/events?cluster=shop&limit=1000").json["items"]
        return [one["revision"] for one in items if one["type"] == kind]

    def gone(self):
        """The cluster is deleted: nothing is left of its machines."""
        seen = {one.id for one in self.containers.machines()}
        assert self.manager.ask("DELETE", "/v1/clusters/shop?allow=destroy:1000").status in (200, 202)
        until(lambda: not any(found for what, found in self.containers.traces(seen).items() if what != "volumes"),
              lambda: self.containers.traces(seen))
        # the bridge goes a moment after the last machine
        until(lambda: self.room.links() == [] and self.room.mounts() == [], lambda: (self.room.links(), self.room.mounts()))

    def close(self):
        """End it, whatever state it is in."""
        self.manager.kill()
        self.containers.end_all()
        self.room.close()


@pytest.fixture
def world(tmp_path):
    """A world that ends with the test."""
    with ground(tmp_path) as folder, contextlib.ExitStack() as stack:
        one = World(folder)
        stack.callback(one.close)
        yield one


def end_sshd(machine):
    """Nobody listens in it any more; the machine goes on. Its init starts sshd again after a second, which may be sooner than the
    machine is replaced, so the program goes first."""
    with contextlib.suppress(FileNotFoundError):
        pathlib.Path(f"/proc/{machine.init}/root/usr/sbin/sshd").unlink()
    for pid in children(machine.init):
        if named(pid).startswith("sshd"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def watch_roll(world, before, is_new):
    """Until all are new: never fewer than SIZE serve, never more than SIZE + SURGE are there; the canary was alone once."""
    most, least, news = 0, SIZE, []

    def serving():
        """Those that serve, as one look after the other finds them."""
        return {one.id for one in world.containers.machines() if one.init and not one.is_going}

    def is_rolled():
        nonlocal most, least
        machines = world.containers.machines()
        most = max(most, len(machines))
        news.append(sum(is_new(one) for one in machines))
        first, second = serving(), serving()
        if first == second:  # else somebody may have come behind the beginning of a look for one who went before its end
            least = min(least, len(first))
        assert most <= SIZE + SURGE and least >= SIZE, (most, least)
        return news[-1] == SIZE and world.ready(SIZE)

    until(is_rolled, lambda: (news[-1], world.rules()), 180)
    assert not before & {one.id for one in world.containers.machines()}
    assert most > SIZE  # it was seen
    since = world.revisions("cluster.changed")[-1]
    wanted, ready = ([one for one in world.revisions(kind) if one > since] for kind in ("machine.wanted", "machine.ready"))
    assert wanted[0] < ready[0] < wanted[1], (wanted, ready)


def test_rolled_to_other_properties(world):
    world.wish(SIZE, rollout=ROLLOUT, resourceProperties={"memory": "128MiB"})
    until(lambda: world.ready(SIZE))
    before = {one.id for one in world.containers.machines()}
    world.wish(SIZE, rollout=ROLLOUT, resourceProperties={"memory": "192MiB"})
    watch_roll(world, before, lambda one: one.memory_bytes == 192 * MIB)
    world.gone()


@debian
def test_rolled_to_a_new_image(tmp_path):
    """Line f of issue 6: another image, with surge and a canary; what each says of its system is what it was asked for."""
    with ground(tmp_path, is_alone=True) as folder, contextlib.ExitStack() as stack:
        (folder / "first").mkdir()
        first = Place(folder / "first", "plain", IMAGES)  # the image is made where there is a way to the mirror
        made = first.create("0123456789abcdef01", image="debian", deadline_s=900)
        assert made.result == "ok", made
        first.close()
        (folder / "world").mkdir()
        world = World(folder / "world", IMAGES)
        stack.callback(world.close)
        world.wish(SIZE, rollout=ROLLOUT)
        until(lambda: world.ready(SIZE))
        before = {one.id for one in world.containers.machines()}
        assert {one.image for one in world.containers.machines()} == {"host"}
        world.wish(SIZE, rollout=ROLLOUT, image="debian")
        watch_roll(world, before, lambda one: one.image != "host")
        machines = world.containers.machines()
        assert len({one.image for one in machines}) == 1
        for one in machines:  # the host's image has no package database, and Debian's has its own
            assert pathlib.Path(f"/proc/{one.init}/root/var/lib/dpkg/status").stat().st_size > 10000
            until(lambda one=one: world.room.banner(one.address).startswith("SSH-2.0-"))  # without a probe it is ready before its sshd is
        world.gone()


def test_one_whose_sshd_ended_is_replaced_and_many_are_a_hold(world):
    probe = {"tcp": 22, "every": "200ms", "fail": 2, "timeout": "5s"}
    world.wish(4, replaceAfter="1s", health={"probe": probe, "grace": "0s"})
    until(lambda: world.ready(4))
    before = {slot: one.id for slot, one in world.by_slot().items()}
    end_sshd(world.by_slot()[2])
    until(lambda: world.ready(4) and world.by_slot()[2].id != before[2], lambda: world.rules())
    after = {slot: one.id for slot, one in world.by_slot().items()}
    assert {slot for slot in after if after[slot] != before[slot]} == {2}
    with world.halted():  # all at once for the manager: one alone would be replaced
        for slot in (0, 1, 3):
            end_sshd(world.by_slot()[slot])
    until(lambda: "unhealthy_brake" in world.rules(), lambda: world.rules())
    for _ in range(3):
        assert world.manager.ask("POST", "/v1/clusters/shop/pass").status == 200
    assert {slot: one.id for slot, one in world.by_slot().items()} == after
    world.gone()


def test_a_volume_of_a_slot_outlives_its_machine(world):
    volumes = [{"name": "kept", "size": "16MiB", "mount": "/srv/kept", "keep": "slot"},
               {"name": "own", "size": "16MiB", "mount": "/srv/own", "keep": "node"}]
    world.wish(2, volumes=volumes)
    until(lambda: world.ready(2))
    before = world.by_slot()
    for slot, one in before.items():
        for name in ("kept", "own"):
            pathlib.Path(f"/proc/{one.init}/root/srv/{name}/note").write_text(f"{name} {slot}")
    os.kill(before[1].init, signal.SIGKILL)
    until(lambda: world.ready(2) and world.by_slot()[1].id != before[1].id, lambda: world.rules())
    for name, content in (("kept", "kept 1"), ("own", None)):
        note = pathlib.Path(f"/proc/{world.by_slot()[1].init}/root/srv/{name}/note")
        assert (note.read_text() if note.exists() else None) == content
    world.gone()
    assert {path.name.split("-")[0] for path in (world.containers.path / "volumes").iterdir() if path.is_dir()} == {"slot"}


def commanded(**more):
    """A probe by a command in the machine: is there what says that it is ill?"""
    return {"probe": {"exec": ["sh", "-c", "! cat /etc/ill"], "every": "200ms", "fail": 2, "timeout": "5s"},
            "grace": "0s", **more}


def make_ill(machine):
    """Its probe fails from now on."""
    pathlib.Path(f"/proc/{machine.init}/root/etc/ill").write_text("the disk is full\n")


def test_one_whose_command_fails_is_replaced_and_many_are_a_hold(world):
    """Machines that reeve makes let it in, by a certificate for the login user and the host key that the plugin says."""
    world.wish(4, replaceAfter="1s", health=commanded(), user="operator")
    until(lambda: world.ready(4), lambda: world.manager.log.read_text())
    rows = {row["status"]["name"]: row["status"] for row in world.manager.get("/v1/resources?cluster=shop").json["items"]}
    assert {row["user"] for row in rows.values()} == {"operator"}
    assert len({row["hostKey"] for row in rows.values()}) == 4
    before = {slot: one.id for slot, one in world.by_slot().items()}
    make_ill(world.by_slot()[2])
    until(lambda: world.ready(4) and world.by_slot()[2].id != before[2], lambda: world.rules())
    told = [one["fact"] for one in world.manager.get("/v1/events?cluster=shop&limit=500").json["items"]
            if one["type"] == "machine.unhealthy"]
    assert told == ["exec: exit 1: the disk is full"], told
    after = {slot: one.id for slot, one in world.by_slot().items()}
    assert {slot for slot in after if after[slot] != before[slot]} == {2}
    with world.halted():
        for slot in (0, 1, 3):
            make_ill(world.by_slot()[slot])
    until(lambda: "unhealthy_brake" in world.rules(), lambda: world.rules())
    for _ in range(3):
        assert world.manager.ask("POST", "/v1/clusters/shop/pass").status == 200
    assert {slot: one.id for slot, one in world.by_slot().items()} == after
    world.gone()
