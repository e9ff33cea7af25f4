"""What a manager sees is empty, lacking, or another's, while its machines run: none of them is ended, none is made, and a
hold says what is going on and what to do (SAFETY.md R3, I6, I14, F9, F10). All cases run side by side, for each has to
be watched for as long as all windows together take."""

import concurrent.futures
import os
import shutil
import subprocess
import time

import pytest

from conftest import program
from manager import REEVED, Manager, machine_files

REEVE = REEVED.parent / "reeve"
SIZE = 50
HASTE = 100
SETTLE_S = 300
# absences, undo, restore and late effects are 3, 10, 25 and 15 minutes long: in haste half a minute together
WATCH_S = 53 * 60 / HASTE
FILE = {"name": "file"}


def document(size, name="shop", **more):
    """A cluster of machines that are files."""
    return {"name": name, "version": "1", "groups": {"web": {"size": size, "resourcePlugin": FILE}}, **more}


class World:
    """A manager, and the machines that truly are."""

    def __init__(self, folder, lies=False):
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.hidden = folder / "data/plugins/default/file/hidden"
        self.manager = Manager(folder, "--haste", str(HASTE), control=True)
        self.lies = lies

    def start(self):
        """Start it; one that is lied to has another plugin of that name."""
        if self.lies:
            installed = self.folder / "data/installed"
            installed.mkdir(parents=True, exist_ok=True)
            shutil.copy(REEVED.parent / "tests/plugins/file.so", installed)
        self.manager.start()
        return self

    def machines(self):
        """Their files."""
        return machine_files(self.folder)

    def cluster(self, name="shop"):
        """Its id."""
        return self.manager.get(f"/v1/clusters/{name}").json["metadata"]["id"]

    def ready(self, count, name="shop"):
        """Wait until so many run, as it knows them."""
        deadline = time.monotonic() + SETTLE_S
        status = {}
        while time.monotonic() < deadline:
            status = self.manager.get(f"/v1/clusters/{name}").json.get("status", {}).get("machines", {})
            if status.get("ready") == status.get("wanted") == count and status["leaving"] == 0:
                return self
            time.sleep(0.02)
        raise AssertionError((status, self.manager.get("/v1/holds").text))

    def stored(self):
        """The files of the store."""
        return [path for path in (self.folder / "data").iterdir() if path.name.startswith("store.db")]

    def reeve(self, *words):
        """The command line."""
        return subprocess.run([str(REEVE), *words], capture_output=True, text=True, check=False, timeout=SETTLE_S,
                              env={**os.environ, "REEVE_URL": f"unix:{self.manager.socket}", "HOME": str(self.folder)})

    def holds(self):
        """What waits for somebody, by rule."""
        return {one["status"]["rule"]: one for one in self.manager.get("/v1/holds").json["items"]}

    def events(self, cluster):
        """Types of what happened to a cluster."""
        return [one["type"] for one in self.manager.get(f"/v1/events?cluster={cluster}&limit=1000").json["items"]]

    def held(self, rule, fact):
        """It is held, and who looks is told why and what to do."""
        hold = self.holds()[rule]
        assert fact in hold["status"]["fact"] and hold["status"]["advice"], hold
        assert fact in self.reeve("get", "holds").stdout and fact in self.reeve("status").stdout
        told = self.reeve("why", self.reeve("get", "holds", "-o", "name").stdout.split()[0])
        assert told.returncode == 0 and hold["status"]["advice"] in " ".join(told.stdout.split()), told


def fifty(world):
    """50 machines run."""
    world.start()
    world.manager.apply(document(SIZE))
    world.ready(SIZE)
    return world


# ---- what happens to each of them; returns the files that must be there, and stay as they are ----


def empty_list(folder):
    """The provider says that it has no machine at all."""
    world = fifty(World(folder, lies=True))
    world.hidden.write_text("\n".join(path.name for path in world.machines()))
    return world


def half_a_list(folder):
    """The provider forgets half of them, and says that these are all."""
    world = fifty(World(folder, lies=True))
    world.hidden.write_text("\n".join(path.name for path in world.machines()[::2]) + "\n" + world.machines()[1].name)
    return world


def owned_like(model, *paths):
    """As the plugin would have made them: it runs as somebody else."""
    owner = model.stat()
    for path in paths:
        os.chown(path, owner.st_uid, owner.st_gid)


def empty_store(folder):
    """The store is lost, an empty one is in its place, and somebody writes the cluster again, with its id."""
    world = fifty(World(folder))
    cluster = world.cluster()
    world.manager.stop()
    for path in world.stored():
        path.unlink()
    world.start()
    world.manager.apply(document(0, id=cluster))
    return world


def wrong_prefix(folder):
    """The manager finds another store, in use, at the place of its own: the same id, and two machines."""
    other = World(folder.with_name("other")).start()
    world = fifty(World(folder))
    other.manager.apply(document(2, id=world.cluster()))
    other.ready(2)
    world.manager.stop()
    other.manager.stop()
    for path in world.stored():
        path.unlink()
    for path in other.stored():
        shutil.copy(path, world.folder / "data")
    mine = world.machines()[0]
    for path in other.machines():
        owned_like(mine, shutil.copy(path, mine.parent))
    return world.start()


def restored_backup(folder):
    """A backup of when there were three is restored over them."""
    world = World(folder).start()
    world.manager.apply(document(3))
    world.ready(3).manager.stop()
    backup = folder / "backup"
    subprocess.run([program("store_backup"), folder / "data", backup], check=True, capture_output=True, timeout=240)
    world.start()
    world.manager.apply(document(SIZE))
    world.ready(SIZE).manager.stop()
    subprocess.run([program("store_restore"), backup, folder / "data", "anotherlifeofit!", "--replace"], check=True,
                   capture_output=True, timeout=240)
    return world.start()


def wrong_cluster(folder):
    """Machines of one cluster are shown for another one."""
    world = fifty(World(folder))
    world.manager.apply(document(0, name="other"))
    mine = world.machines()[0].parent
    theirs = mine.parent / f"default:{world.cluster('other')}"
    shutil.copytree(mine, theirs, dirs_exist_ok=True)
    owned_like(mine, theirs, *theirs.iterdir())
    return world


CASES = (empty_list, half_a_list, empty_store, wrong_prefix, restored_backup, wrong_cluster)


@pytest.fixture(scope="module", name="worlds")
def all_worlds(tmp_path_factory):
    """All of them, watched for as long as all windows together."""
    base = tmp_path_factory.mktemp("views")
    made = {}
    try:
        with concurrent.futures.ThreadPoolExecutor(2) as workers:
            for case in CASES:  # one after the other: environment and load are everybody's
                made[case.__name__] = workers.submit(case, base / case.__name__).result()
        for world in made.values():
            world.files = {path: path.stat().st_ino for path in world.machines()}
        until = time.monotonic() + WATCH_S
        while time.monotonic() < until:
            time.sleep(0.5)
            for name, world in made.items():
                assert set(world.files) <= set(world.machines()), name
        yield made
    finally:
        for world in made.values():
            world.manager.kill()


def untouched(world):
    """The very files that were there, and no other."""
    assert {path: path.stat().st_ino for path in world.machines()} == world.files
    return world


def test_R3_an_empty_list(worlds):
    world = untouched(worlds["empty_list"])
    world.held("listing_brake", "50 of 50")
    assert set(world.holds()) == {"listing_brake"}
    world.hidden.unlink()
    world.ready(SIZE)
    untouched(world)
    deadline = time.monotonic() + SETTLE_S
    while world.holds():  # it goes by itself
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_R3_half_of_a_list(worlds):
    world = untouched(worlds["half_a_list"])
    world.held("listing_brake", "26 of 50")
    world.hidden.unlink()
    world.ready(SIZE)
    assert "machine.condemned" not in world.events("shop")
    untouched(world)


def test_R3_an_empty_store(worlds):
    world = untouched(worlds["empty_store"])
    world.held("foreign", "50 machines")


def test_R3_a_wrong_prefix(worlds):
    world = untouched(worlds["wrong_prefix"])
    world.held("foreign", "50 machines")
    assert len(world.files) == SIZE + 2


def test_R3_a_restored_backup(worlds):
    """Held as a store that went back (G18). Approved, no slot is free for them: they stay and are reported as foreign."""
    world = untouched(worlds["restored_backup"])
    world.held("store_went_back", "47 machines that the store never recorded")
    assert set(world.holds()) == {"store_went_back"}
    approved = world.reeve("hold", "approve", "hold/shop:store_went_back")
    assert approved.returncode == 0, approved
    deadline = time.monotonic() + SETTLE_S
    while set(world.holds()) != {"foreign"}:
        assert time.monotonic() < deadline, world.holds()
        time.sleep(0.05)
    world.held("foreign", "47 machines")
    untouched(world.ready(3))


def test_R3_a_wrong_cluster_id(worlds):
    world = untouched(worlds["wrong_cluster"])
    world.held("foreign", "50 machines")
    assert len(world.files) == 2 * SIZE
    assert "machine.condemned" not in world.events("shop") + world.events("other")
