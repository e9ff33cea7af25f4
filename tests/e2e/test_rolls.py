"""Healing and rolling as people see it: a group of 20 with surge, canary and bake by the command line, the canary broken on
purpose, and healing switched off and on (X9, K28)."""

import json
import os
import re
import subprocess
import time

import pytest

from conftest import ENVIRONMENT, REEVE
from manager import Manager, machines_in, until

SIZE = 20
SURGE = 2
SETTLE_S = 240
OLD, NEW = "debian-12", "debian-13"


def document(size=SIZE, **more):
    """A cluster with one group of machines that are files."""
    return {"name": "shop", "version": "1", "groups": {
        "web": {"size": size, "image": OLD, "resourcePlugin": {"name": "file"}, **more}}}


class World:
    """A manager in haste, its command line and its machines."""

    def __init__(self, folder):
        self.folder = folder
        self.manager = Manager(folder, "--haste", "100", control=True).start()
        self.seen = []  # (of the old image, of the new one), whenever they changed

    def cli(self, *words, document_=None, code=0, notes=True):
        """reeve, off a terminal; gives all that it said, or what is for programs alone."""
        text = {"input": json.dumps(document_)} if document_ is not None else {"stdin": subprocess.DEVNULL}
        done = subprocess.run([str(REEVE), *words], text=True, capture_output=True, check=False, timeout=SETTLE_S,
                              cwd=self.folder, env={**ENVIRONMENT, "REEVE_URL": f"unix:{self.manager.socket}"}, **text)
        assert done.returncode == code, f"{done}"
        return done.stdout + (done.stderr if notes else "")

    def machines(self, image=None):
        """The files of machines, and what is in them; one that is just going is none."""
        return {path: machine for path, machine in machines_in(self.folder).items()
                if image in (None, machine["properties"]["image"])}

    def look(self):
        """Never more than the size and the surge."""
        machines = self.machines()
        new = sum(machine["properties"]["image"] == NEW for machine in machines.values())
        assert len(machines) <= SIZE + SURGE, self.seen
        if not self.seen or self.seen[-1] != (len(machines) - new, new):
            self.seen.append((len(machines) - new, new))

    def until(self, what):
        """Look until it is so, and give what it gave."""
        deadline = time.monotonic() + SETTLE_S
        while time.monotonic() < deadline:
            self.look()
            found = what()
            if found:
                return found
        raise AssertionError((self.seen[-5:], self.manager.get("/v1/holds").text))

    def holds(self):
        """What waits, by rule."""
        return {one["status"]["rule"]: one["status"] for one in self.manager.get("/v1/holds").json["items"]}

    def is_settled(self, image=OLD, size=SIZE):
        """Do exactly these run, and does the manager know?"""
        status = self.manager.get("/v1/clusters/shop").json.get("status", {}).get("machines", {})
        return (len(self.machines()) == len(self.machines(image)) == size and status.get("leaving") == 0
                and status.get("ready") == status.get("wanted") == size)


@pytest.fixture
def world(tmp_path):
    """A manager of one's own, ended by its number."""
    one = World(tmp_path)
    yield one
    assert one.manager.stop() in (0, None), one.manager.log.read_text()


def rolling(world):
    """A group of 20 runs, and is told another image; gives the file of its canary, which serves until `baked` says that it is
    enough: a test that is held up must not find the rest rolled."""
    world.cli("apply", "-f", "-", "--yes",
              document_=document(rollout={"surge": SURGE, "canary": 1, "bake": "1h", "maxFail": 1}))
    world.until(world.is_settled)
    world.cli("set", "nodegroup/shop/web", f"image={NEW}", "--allow", f"replace={SIZE}", "--detach")
    world.until(lambda: "bake" in world.holds() and len(world.machines(OLD)) == SIZE - 1)
    (canary,) = world.machines(NEW)
    return canary


def baked(world):
    """A canary has to serve for a moment only; so have those that an undo goes back to."""
    world.cli("set", "nodegroup/shop/web", "rollout.bake=1s", "--yes", "--detach")


def with_words(shown, words):
    """What is shown, once it has these words."""
    return shown if words in shown else None


def test_X9_a_group_is_rolled_after_its_canary_has_served(world):
    rolling(world)
    shown = world.until(lambda: with_words(world.cli("rollout", "status", "shop/web"),
                                           f"1 of {SIZE} as wanted, {SIZE - 1} to be replaced"))
    assert "hold/shop/web:bake" in shown, shown
    assert "wait: the rollout continues when the canary has been in service for that time" in " ".join(shown.split())
    baked(world)
    world.until(lambda: world.is_settled(NEW))
    world.until(lambda: f"{SIZE} of {SIZE} as wanted" in world.cli("rollout", "status", "shop/web"))
    world.until(lambda: world.holds() == {})
    first = next(at for at, (_, new) in enumerate(world.seen) if new > 1)
    assert (SIZE - 1, 1) in world.seen[:first], world.seen  # alone
    began = {event["type"]: event["time"] for event in
             reversed(world.manager.get("/v1/events?cluster=shop&limit=1000").json["items"])
             if event.get("rule") == "bake"}
    assert set(began) == {"hold.began", "hold.ended"}


NEWER = "debian-14"


def other(image, bake):
    """The same file, with other words."""
    return document(image=image, rollout={"surge": SURGE, "canary": 1, "bake": bake, "maxFail": 1})


def test_X9_a_file_takes_the_place_of_a_rollout_for_who_says_so(world):
    """UX.md 3.4: during a rollout of the group exit 5 naming it, --supersede replaces its unstarted batches."""
    rolling(world)
    world.until(lambda: with_words(world.cli("rollout", "status", "shop/web"), f"{SIZE - 1} to be replaced"))
    before = world.machines()
    said = world.cli("apply", "-f", "-", "--allow", f"replace={SIZE}", document_=other(NEWER, "1h"), code=5)
    assert "error[R0439]: a rollout of nodegroup 'shop/web' is under way: 19 machines are not replaced so far" in said, said
    assert "--supersede" in said and "Apply?" not in said
    documents = {"documents": [other(NEWER, "1h")], "allow": {"replace": SIZE}}
    refused = world.manager.post("/v1/apply", documents)
    assert (refused.status, refused.json["code"]) == (409, "R0439"), refused
    assert refused.json["plan"]["plan"][0]["groups"][0]["supersedes"] == SIZE - 1
    assert world.manager.post("/v1/apply", {**documents, "supersede": "perhaps"}).json["code"] == "R0429"
    # what does not change what the rollout is of goes through, also by a file
    world.cli("apply", "-f", "-", "--yes", "--detach", document_=other(NEW, "2h"))
    spec = world.manager.get("/v1/nodegroups/shop/web").json["spec"]
    assert (spec["image"], spec["rollout"]["bake"]) == (NEW, "2h")
    # a plan says it; whoever carries it out says the word
    said = world.cli("plan", "-f", "-", "--save", document_=other(NEWER, "1s"))
    assert "supersedes a rollout: 19 not replaced so far" in said, said
    word = "applying this will need --supersede: a rollout of nodegroup 'shop/web' is under way: 19 machines are not replaced so far"
    assert word in said and re.search(r"reeve apply plan/\w+ --supersede\n", said), said
    assert word in world.cli("plan", "-f", "-", document_=other(NEWER, "1s"))
    assert word in world.cli("apply", "-f", "-", "--dry-run", document_=other(NEWER, "1s"))
    assert "--supersede" not in world.cli("apply", "-f", "-", "--dry-run", "--supersede", document_=other(NEWER, "1s"))
    assert "--supersede" not in world.cli("plan", "-f", "-", document_=other(NEW, "2h"))
    assert "--supersede" not in world.cli("set", "nodegroup/shop/web", f"image={NEWER}", "--dry-run"), "that means this group"
    told = json.loads(world.cli("apply", "-f", "-", "--dry-run", "-o", "json", document_=other(NEWER, "1s"), notes=False))
    assert told["needs"]["supersede"] == 1 and told["plan"][0]["supersedes"] == SIZE - 1
    assert json.loads(world.cli("plan", "-f", "-", "-o", "json", document_=other(NEWER, "1s"), notes=False))[0]["supersedes"] == SIZE - 1
    plan = re.search(r"plan/\w+", said).group()
    assert "R0439" in world.cli("apply", plan, "--allow", f"replace={SIZE}", code=5)
    assert world.machines() == before
    world.cli("apply", plan, "--allow", f"replace={SIZE}", "--supersede", "--detach")
    world.until(lambda: world.is_settled(NEWER))
    assert max(new for _, new in world.seen) <= 1  # nothing more was made of the image between


def broken(path):
    """It does not run any more. The plugin, which may be reading, sees all of it or nothing, as of a file of its own."""
    machine, owner = json.loads(path.read_text()), path.stat()
    new = path.with_name(f".{path.name}")
    new.write_text(json.dumps({**machine, "state": "stopped"}))
    new.chmod(owner.st_mode & 0o777)
    os.chown(new, owner.st_uid, owner.st_gid)
    new.replace(path)


def undone(world, before):
    """The old specification is back, the machines follow, and those that were left alone are the same."""
    replaced = len(world.machines(NEW))  # of those that the rollout left alone none has to be
    said = world.cli("undo", "shop/web", "--yes", "--allow", f"replace={SIZE}", "--detach")
    assert f"{NEW} -> {OLD}" in said and f"replace {replaced} " in said.replace(",", " "), (replaced, said)
    assert world.manager.get("/v1/nodegroups/shop/web").json["spec"]["image"] == OLD
    baked(world)
    world.until(world.is_settled)
    assert len(set(world.machines(OLD)) & before) == SIZE - 1
    world.until(lambda: world.holds() == {})


def test_X9_a_broken_canary_stops_the_roll_and_undo_takes_it_back(world):
    canary = rolling(world)
    before = set(world.machines(OLD))
    broken(canary)
    world.until(lambda: "roll_failed" in world.holds())
    hold = world.holds()["roll_failed"]
    assert hold["fact"] == "1 machine failed, maxFail is 1" and hold["wouldDestroy"] == SIZE - 1
    world.until(lambda: canary not in world.machines() and len(world.machines()) == SIZE)  # healing goes on
    for words in (("rollout", "status", "shop/web"), ("status",), ("why", "hold/shop/web:roll_failed")):
        shown = " ".join(world.cli(*words).split())
        assert "1 machine failed, maxFail is 1" in shown and "reeve undo reverts the change" in shown, shown
    assert "same decision" in world.cli("why", "hold/shop/web:roll_failed", "--replay")
    assert "roll_failed" in world.cli("get", "holds") and "reeve undo reverts" in world.cli("get", "holds", "-o", "wide")
    assert before - set(world.machines(OLD)) == set() and len(world.machines(NEW)) == 1  # it has stopped
    undone(world, before)


def test_X9_a_canary_that_is_gone_has_not_served(world):
    canary = rolling(world)
    before = set(world.machines(OLD))
    canary.unlink()
    world.until(lambda: set(world.machines(NEW)) - {canary} and "bake" in world.holds())
    assert before - set(world.machines(OLD)) == set()
    assert max(new for _, new in world.seen) == 1, world.seen  # the next one alone, and it bakes from its beginning
    undone(world, before)


def test_X9_a_roll_goes_on_after_a_failure_when_it_is_promoted(world):
    canary = rolling(world)
    broken(canary)
    world.until(lambda: "roll_failed" in world.holds())
    baked(world)
    assert "roll_failed" in world.holds()
    world.cli("rollout", "promote", "shop/web", "-m", "it was the rack")
    world.until(lambda: world.is_settled(NEW))
    world.until(lambda: world.holds() == {})


def test_K28_healing_is_off_and_on_again(world):
    world.cli("apply", "-f", "-", "--yes", document_=document(3, heal="off"))
    world.until(lambda: world.is_settled(size=3))
    gone = sorted(world.machines())[0]
    machine = world.machines()[gone]
    gone.unlink()
    world.until(lambda: "unhealed" in world.holds())
    quiet = time.monotonic() + 5  # windows are two seconds long here
    while time.monotonic() < quiet:
        world.look()
        assert len(world.machines()) == 2
    assert world.holds()["unhealed"]["fact"] == "1 machine"
    assert "set heal: replace" in world.cli("status")
    world.cli("set", "nodegroup/shop/web", "heal=replace", "--yes")
    world.until(lambda: world.is_settled(size=3))
    assert gone not in world.machines() and machine["name"] in {one["name"] for one in world.machines().values()}
    world.until(lambda: world.holds() == {})


def test_X9_an_abort_needs_a_rollout_and_the_next_one_is_not_touched(world):
    world.cli("apply", "-f", "-", "--yes", document_=document(2))
    world.until(lambda: world.is_settled(size=2))
    said = world.cli("rollout", "abort", "shop/web", code=5)
    assert "R0574" in said and "no rollout of nodegroup 'shop/web' is running" in said, said
    assert "R0433" in world.cli("rollout", "resume", "shop/web", code=5)
    world.cli("set", "nodegroup/shop/web", f"image={NEW}", "--allow", "replace=2", "--detach")
    world.until(lambda: world.is_settled(NEW, size=2))


def test_X9_what_was_aborted_is_undone_to_its_end(world):
    rolling(world)
    world.cli("rollout", "abort", "shop/web")
    assert "R0433" in world.cli("rollout", "abort", "shop/web", code=5)
    world.until(lambda: "roll_stopped" in world.holds())
    world.cli("undo", "shop/web", "--yes", "--allow", f"replace={SIZE}", "--detach")
    baked(world)
    world.until(world.is_settled)  # the machine that was new as well
    world.until(lambda: world.holds() == {})


def test_X9_undo_of_a_rollout_takes_nothing_else_back(world):
    rolling(world)
    world.cli("set", "nodegroup/shop/web", "labels.tier=front", "-m", "a label", "--yes", "--detach")
    said = " ".join(world.cli("undo", "shop/web", "--yes", "--allow", f"replace={SIZE}", code=5).split())
    assert "R0575" in said and "a label) would replace no machine" in said, said
    spec = world.manager.get("/v1/nodegroups/shop/web").json["spec"]
    assert spec["image"] == NEW and spec["labels"] == {"tier": "front"}
    to = said.split("--to ")[1].split()[0]
    world.cli("undo", "shop/web", "--to", to, "--yes", "--allow", f"replace={SIZE}", "--detach")
    baked(world)
    world.until(world.is_settled)


def test_labels_that_change_with_the_size_ask_nothing_of_those_that_go(world):
    """Both in one pass: the call that was made for the label is not forgotten, which the manager's end tells under ASan."""
    groups = {"web": {"size": 6, "resourcePlugin": {"name": "sim"}}}
    world.manager.apply({"name": "less", "version": "1", "groups": groups})
    until(lambda: counts(world) == (6, 6), lambda: world.manager.log.read_text())
    groups["web"] |= {"size": 3, "labels": {"tier": "gold"}}
    assert world.manager.post("/v1/apply?allow=destroy:3", {"documents": [{"name": "less", "version": "1", "groups": groups}]}).status == 200
    until(lambda: counts(world) == (3, 3), lambda: world.manager.log.read_text())


def counts(world):
    """(ready, wanted) of the cluster `less`."""
    machines = world.manager.get("/v1/clusters/less").json.get("status", {}).get("machines", {})
    return machines.get("ready"), machines.get("wanted")


def test_a_delete_shows_the_pause_that_it_lifts(world):
    """Whoever cancelled a job, which pauses, and wants the cluster gone need not resume it first."""
    world.cli("apply", "-f", "-", "--yes", document_=document(2))
    world.until(lambda: world.is_settled(size=2))
    world.cli("pause", "shop", "-m", "not before noon")
    for words in (("--dry-run",), ("--allow", "destroy=3")):
        said = world.cli("delete", "cluster", "shop", "--timeout", "60s", *words)
        assert re.search(r"lifts: the pause of cluster shop \(\w+, \S+: not before noon\)", said), said
    world.until(lambda: not world.machines())
