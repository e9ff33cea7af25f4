"""The life of machines that others own, from the first sign of them to their return: one story on real parts.

Five machines with sshd and agents of serf appear. Three of them become members of a group, whose configuration is a playbook of Ansible, or bundles;
one fails and is tried again; a bad revision stops at its canary and is undone; drift is corrected within a budget; one reboots, one is cut off, one
leaves while it is away. Each step is checked on the machines themselves (C1, C6, C8, C9, C10, C16, C17, C21, C25, C27, C35, C36, N6).

STORY=all is the acceptance: also with the playbook, and its first half by clusterctl, ten minutes more.
"""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from manager import Manager, until  # noqa: E402
from pylib.browser import Browser  # noqa: E402
from pylib.containers import Folder, Room, ground  # noqa: E402
from pylib.metal import LEFT, asked, blocked, inside, reeve, refused, rows, why  # noqa: E402
from pylib.site import Site  # noqa: E402
from test_bootstrap import World  # noqa: E402

IS_WHOLE = os.environ.get("STORY") == "all"
pytestmark = [pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root"),
              pytest.mark.skipif(shutil.which("ansible-playbook") is None, reason="there is no ansible-playbook"),
              pytest.mark.skipif(shutil.which("serf") is None, reason="there is no serf")]

COUNT = 5
LICENCE = "test -e /srv/licence || { echo 'E: no licence' >&2; exit 7; }"
PENDING = 600  # seconds that a state may take while other suites run


class Story(World):
    """A manager with an agent of serf, and five containers of another tenant, each with an agent."""

    def __init__(self, folder, **settings):  # pylint: disable=super-init-not-called
        self.folder = folder
        self.room = Room(folder)
        self.agents = []
        (folder / "c.json").write_text(json.dumps({**settings, "inventory": [
            {"tenant": "metal", "user": "root", "key": "secret://login", "serf": {"address": "127.0.0.1:7373"}}]}))
        self.manager = Manager(folder, "--haste", "20", "--config", str(folder / "c.json"), control=True, within=self.room.within)
        self.containers = Folder(folder / "data", self.room)
        self.containers.prepare(folder / "data")
        self.manager.start()

    def agent(self, within, name, address, rpc, *more):
        """An agent of serf in a network namespace."""
        words = ["serf", "agent", f"-node={name}", f"-bind={address}:7946", f"-rpc-addr={rpc}:7373", "-profile=local", *more]
        with (self.folder / f"{name}.serf").open("ab") as log:
            self.agents.append(subprocess.Popen([*within, *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log))

    def begin(self):
        """The machines, with a login of their owners and agents; nothing of this tenant knows them."""
        group = {"size": COUNT, "image": "host", "resourcePlugin": {"name": "local"}, "heal": "off"}
        (self.folder / "shop.yaml").write_text(json.dumps({"name": "shop", "version": "1", "groups": {"web": group}}))
        self.reeve("apply", "--yes", "--detach", "-f", "shop.yaml")
        self.wait_ready(COUNT, PENDING)
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", self.folder / "login"], check=True)
        assert self.manager.ask("POST", "/v1/tenants", {"name": "metal"}).status in (200, 201)
        assert asked(self, "POST", "/v1/secrets", {"name": "login", "value": (self.folder / "login").read_text()}).status in (200, 201)
        for name in self.by_name():
            folder = inside(self, name) / "root/.ssh"
            folder.mkdir(mode=0o700, exist_ok=True)
            (folder / "authorized_keys").write_text((self.folder / "login.pub").read_text())
        # two machines were made from one image, with its host key, and in one case with its serial number
        for path in inside(self, "web-3").glob("etc/ssh/ssh_host_*"):
            shutil.copy(path, inside(self, "web-4") / "etc/ssh" / path.name)
        self.inside_run("web-4", "pkill -KILL sshd; true")
        addresses = self.room.run("ip", "-o", "-4", "address").stdout.splitlines()
        [own] = [line.split()[3].split("/")[0] for line in addresses if " lo " not in f" {line} "]
        self.agent(self.room.within, "manager", own, "127.0.0.1")
        for name, machine in sorted(self.by_name().items()):
            serial = "CZ7" if name in ("web-2", "web-3", "web-4") else "1234567890"
            uuid = {"web-2": "UUID-2", "web-3": "UUID-3", "web-4": "UUID-3"}.get(name, "")
            self.agent(["nsenter", "-t", str(machine.init), "-n", "--"], name, machine.address, machine.address, f"-tag=NodeLabel={name}",
                       f"-tag=NodeSerial={serial}", f"-tag=NodeUUID={uuid}", f"-retry-join={own}:7946", "-retry-interval=1s")

    def inside_run(self, name, script):
        """A command in a machine, by nobody's login."""
        subprocess.run(["nsenter", "-t", str(self.by_name()[name].init), "-m", "-p", "-n", "-u", "-i", "--", "sh", "-c", script], check=True, timeout=60)

    def read(self, name, path):
        """A file of a machine; empty where there is none."""
        with contextlib.suppress(OSError):
            return (inside(self, name) / path).read_text()
        return ""

    def write(self, name, path, text=""):
        """Write one, from outside."""
        (inside(self, name) / path).write_text(text)

    def plays(self, name):
        """The revisions whose second step ran there, oldest first."""
        return self.read(name, "srv/plays").split()

    def row(self, name):
        """What the inventory has of a machine."""
        return rows(self)[self.by_name()[name].address]

    def close(self):
        for agent in self.agents:
            agent.kill()
            agent.wait()
        super().close()


@contextlib.contextmanager
def begun(folder, **settings):
    """A story that ends with the test."""
    with ground(folder) as place, contextlib.ExitStack() as stack:
        one = Story(place, **settings)
        stack.callback(one.close)
        one.begin()
        yield one


def push(story, kind, revision, third):
    """A revision whose third step is `third`."""
    repo = story.folder / "repo"
    shutil.rmtree(repo, ignore_errors=True)
    steps = [("write its file", f"date +%s%N >>/srv/begins; mkdir -p /srv/web; echo {revision} >/srv/web/app.conf"),
             ("count", f"echo {revision} >>/srv/plays"), ("start it", f"{third}; date +%s%N >>/srv/ends")]
    manifest = {"files": ["/srv/web"]}
    repo.mkdir()
    if kind == "playbook":
        for hook, tasks in (("site", steps), ("cleanup", [("clean up", "touch /srv/cleaned")])):
            tasks = [{"name": name, "ansible.builtin.shell": script} for name, script in tasks]
            (repo / f"{hook}.yml").write_text(yaml.safe_dump([{"hosts": "all", "gather_facts": False, "tasks": tasks}], sort_keys=False, width=1000))
    else:
        manifest["bundles"] = [{"tar": name.replace(" ", "-"), "idempotent": True} for name, _ in steps]
        for name, script in steps:
            folder = repo / name.replace(" ", "-")
            folder.mkdir()
            (folder / "bootstrap.sh").write_text(f"{script}\n")
        (folder / "cleanup.sh").write_text("touch /srv/cleaned\n")
    (repo / "configuration.yaml").write_text(json.dumps(manifest))
    assert f"web@{revision}" in reeve(story, "config", "push", "repo", "--name", "web")


def is_named(kind, words, text):
    """The first failing task and the first line of its error are in a text."""
    return ("start it (site.yml:8): " if kind == "playbook" else "start-it") in text and words in text


def members(story):
    """The container of each member: {"box-0": "web-2"}."""
    names = {one.address: name for name, one in story.by_name().items()}
    return {one["claim"]["name"]: names[one["address"]] for one in rows(story).values() if one.get("claim", {}).get("name")}


def counts(story):
    """Machines of the cluster by state, without those of which there are none."""
    machines = asked(story, "GET", "/v1/clusters/dc").json["status"]["machines"]
    return {name: machines[name] for name in ("wanted", "ready", "failed", "unreachable", "leaving", "drifted") if machines.get(name)}


def becomes(story, **wanted):
    """Wait until the counts of the cluster are these."""
    until(lambda: counts(story) == wanted, lambda: f"{counts(story)}\n{why(story)}", PENDING)


def facts(story, kind):
    """Nodes and facts of the events of a kind."""
    return [(one.get("node"), one.get("fact", "")) for one in asked(story, "GET", "/v1/events?limit=500").json["items"] if one["type"] == kind]


def marks(row):
    return {one["type"]: one.get("reason", "") for one in row.get("conditions", [])}


def is_clean(story, name):
    """Nothing of reeve is left on a machine, and its cleanup ran."""
    return [path for path in LEFT if (inside(story, name) / path).exists()] == [] and (inside(story, name) / "srv/cleaned").exists()


def appear(story):
    """Five machines appear; two that show one host key and one serial number name each other."""
    until(lambda: len([one for one in rows(story).values() if one["state"] == "discovered" and "hostKey" in one.get("identity", {})]) == COUNT,
          lambda: why(story), PENDING)
    until(lambda: {name for name in story.by_name() if "duplicate" in marks(story.row(name))} == {"web-3", "web-4"}, lambda: why(story), PENDING)
    ids = {name: story.row(name)["id"] for name in story.by_name()}
    assert ids["web-4"] in marks(story.row("web-3"))["duplicate"] and ids["web-3"] in marks(story.row("web-4"))["duplicate"]
    assert [story.row(name)["name"] for name in sorted(ids)] == ["web-0-1234567890", "web-1-1234567890", "web-2-CZ7", "web-3-CZ7", "web-4-CZ7"]
    identities = [story.row(name)["identity"] for name in sorted(ids)]
    assert [(one.get("serial"), one.get("uuid")) for one in identities] == [(None, None)] * 2 + [("CZ7", "UUID-2"), ("CZ7", "UUID-3"), ("CZ7", "UUID-3")]
    shown = reeve(story, "discover")
    assert all(one.address in shown for one in story.by_name().values()) and shown.count(" has the same ") == 2, shown
    return ids


def is_untouched(story, *names):
    """Nothing was done on these machines."""
    return all(not story.plays(name) and not any((inside(story, name) / path).exists() for path in LEFT) for name in names)


@pytest.mark.parametrize("kind", ["playbook", "bundles"] if IS_WHOLE else ["bundles"])
def test_the_life_of_machines(tmp_path, kind):
    with begun(tmp_path) as story:
        live(story, kind)


def live(story, kind):
    """The whole life."""
    ids = appear(story)
    commission(story, kind, ids)
    of = members(story)
    canary = upgrade(story, kind, of)
    other, third = sorted(set(of) - {canary})
    drift(story, of, other, third)
    away(story, of, canary, other)
    leave(story, of, other, ids)


def applied(story):
    """A cluster whose group has no machines yet, and a budget with one ticket."""
    box = {"size": 0, "resourcePlugin": {"name": "inventory"}, "configuration": "web", "health": {"probe": {"ssh": True, "every": "500ms", "fail": 4, "timeout": "2s"}},
           "rollout": {"canary": 1, "batch": 2, "unavailable": 2, "maxFail": 1}}
    (story.folder / "dc.yaml").write_text(json.dumps({"name": "dc", "version": "1", "autoCommission": "listed", "groups": {"box": box}}))
    (story.folder / "budget.yaml").write_text(json.dumps({"kind": "Budget", "name": "racks", "selector": "cluster=dc", "maxUnavailable": 1}))
    reeve(story, "apply", "--yes", "-f", "dc.yaml")
    reeve(story, "apply", "--yes", "-f", "budget.yaml")


def commission(story, kind, ids):
    """The third step fails on one of three machines, which is returned; the others serve. It is repaired and tried again."""
    for name in ("web-0", "web-2"):
        story.write(name, "srv/licence")
    push(story, kind, "r1", LICENCE)
    applied(story)
    reeve(story, "discover", "approve", *(f"{ids[name]}={story.row(name)['fingerprint']}" for name in ("web-0", "web-1", "web-2", "web-3", "web-4")))
    told = refused(story, "commission", ids["web-0"], "web-3-CZ7", "-g", "dc/box", "--yes", code=5)
    assert "R0826" in told and ids["web-3"] in told and not members(story), told
    told = refused(story, "commission", ids["web-0"], "web-3-CZ7", "web-4-CZ7", "-g", "dc/box", "--yes")  # all faults are listed
    assert ids["web-3"] in told and ids["web-4"] in told and "reserved" not in story.row("web-0"), told

    told = refused(story, "commission", *(ids[name] for name in ("web-0", "web-1", "web-2")), "-g", "dc/box", "--yes", code=9)
    assert "error[R0830]: 1 of 3 nodes failed; cleaned up, unallocated again, size of box 2" in told and is_named(kind, "E: no licence", told), told + why(story)
    assert sorted(members(story).values()) == ["web-0", "web-2"], why(story)
    assert [story.plays(name) for name in ("web-0", "web-1", "web-2")] == [["r1"]] * 3
    assert is_untouched(story, "web-3", "web-4") and is_clean(story, "web-1")
    row = story.row("web-1")
    assert row["status"] == "unallocated" and list(marks(row)) == ["failed"] and is_named(kind, "E: no licence", marks(row)["failed"]), row
    becomes(story, wanted=2, ready=2)

    story.write("web-1", "srv/licence")
    reeve(story, "job", "retry", told.split("reeve job retry ")[1].split()[0], "--failed", "--yes")
    becomes(story, wanted=3, ready=3)
    of = members(story)
    assert sorted(of.values()) == ["web-0", "web-1", "web-2"] and sorted(of) == ["box-0", "box-1", "box-2"], of
    assert [story.plays(name) for name in ("web-0", "web-1", "web-2")] == [["r1"], ["r1", "r1"], ["r1"]]
    assert not marks(story.row("web-1"))
    for name in of.values():
        assert sorted(json.loads(story.read(name, "etc/cluster_facts.json"))) == ["box-0", "box-1", "box-2"]


def upgrade(story, kind, of):
    """A revision that breaks stops at its canary: one node is out, and the others are not touched. It is undone."""
    before = {name: story.plays(of[name]) for name in of}
    push(story, kind, "r2", "echo 'E: broken' >&2; exit 5")
    told = refused(story, "upgrade", "dc/box", "--yes", code=9)
    [canary] = [name for name in of if story.read(of[name], "srv/web/app.conf") == "r2\n"]
    assert f"dc/{canary}: stage-" in told and is_named(kind, "E: broken", told) and "R0028" in told, told + why(story)
    [hold] = asked(story, "GET", "/v1/holds?cluster=dc").json["items"]
    assert hold["status"]["rule"] == "rollout" and canary in json.dumps(hold) and is_named(kind, "E: broken", json.dumps(hold)), hold
    assert {name: story.plays(of[name]) for name in of} == {**before, canary: [*before[canary], "r2"]}
    becomes(story, wanted=3, ready=2, failed=1)
    for words in (["why", f"dc/{canary}"], ["describe", "node", f"dc/{canary}"]):
        assert is_named(kind, "E: broken", reeve(story, *words)), (words, reeve(story, *words))
    assert f"dc/{canary}" in reeve(story, "status")

    reeve(story, "undo", "dc", "--yes")
    becomes(story, wanted=3, ready=3)
    assert {name: story.plays(of[name]) for name in of} == {**before, canary: [*before[canary], "r2", "r1"]}
    assert [story.read(of[name], "srv/web/app.conf") for name in sorted(of)] == ["r1\n"] * 3, why(story)
    assert asked(story, "GET", "/v1/holds?cluster=dc").json["items"] == []
    return canary


def spans(story, name, first):
    """When the runs on a machine began and ended, from a number of them on."""
    begins, ends = (story.read(name, f"srv/{path}").split() for path in ("begins", "ends"))
    return begins[first:], ends[-1:]


def drift(story, of, *names):
    """Drift by hand on two nodes is found, and corrected on one after the other: the budget has one ticket."""
    runs = {name: len(story.plays(of[name])) for name in names}
    seen = len(facts(story, "node.corrected"))
    for name in names:
        story.write(of[name], "srv/web/app.conf", "by hand\n")
    assert "2 of 3 nodes differ" in refused(story, "verify", "-g", "dc/box", "--exit-code", code=10)
    assert all("/srv/web/app.conf: content" in reeve(story, "describe", "node", f"dc/{name}") for name in names)
    reeve(story, "set", "nodegroup/dc/box", "verify={every: 1s}", "--yes")
    until(lambda: {node for node, _ in facts(story, "node.corrected")[seen:]} == set(names), lambda: why(story), PENDING)
    reeve(story, "set", "nodegroup/dc/box", "verify={every: off}", "--yes")
    becomes(story, wanted=3, ready=3)
    assert [story.read(of[name], "srv/web/app.conf") for name in sorted(of)] == ["r1\n"] * 3
    (begin, end), (other_begin, other_end) = (spans(story, of[name], runs[name]) for name in names)
    assert len(begin) == len(other_begin) == 1 and (end[0] < other_begin[0] or other_end[0] < begin[0]), (begin, end, other_begin, other_end)
    assert "same" in reeve(story, "verify", "-g", "dc/box")


def away(story, of, rebooted, cut):
    """One is cut off and returns, one reboots: reeve distinguishes them, and no step runs again."""
    before = {name: story.plays(of[name]) for name in of}
    blocked(story, of[cut], True)
    becomes(story, wanted=3, ready=2, unreachable=1)
    blocked(story, of[cut], False)
    until(lambda: (cut, "boot: same") in facts(story, "node.returned"), lambda: why(story), PENDING)
    becomes(story, wanted=3, ready=3)
    # a container boots faster than probes fail: the next verification sees the other boot
    reeve(story, "set", "nodegroup/dc/box", "verify={every: 1s}", "--yes")
    story.reeve("reboot", f"shop/{of[rebooted]}", "--yes", "--allow", "reboot=1")
    until(lambda: (rebooted, "boot: other") in facts(story, "node.returned"), lambda: why(story), PENDING)
    reeve(story, "set", "nodegroup/dc/box", "verify={every: off}", "--yes")
    becomes(story, wanted=3, ready=3)
    assert {name: story.plays(of[name]) for name in of} == before
    told = reeve(story, "events", f"node/dc/{rebooted}")
    for word in ("machine.wanted", "node.keyed", "node.bootstrapped", "node.stage_failed", "node.bootstrapped", "node.returned"):
        assert word in told, (word, reeve(story, "events", f"node/dc/{rebooted}"))
        told = told.split(word, 1)[1]


def leave(story, of, name, ids):
    """One leaves while it is away, and is cleaned up when it is back. A duplicate that an operator names by its id takes its place."""
    address = story.by_name()[of[name]].address
    (inside(story, of[name]) / "srv/cleaned").unlink(missing_ok=True)
    blocked(story, of[name], True)
    until(lambda: rows(story)[address]["state"] == "disappeared", lambda: why(story), PENDING)
    reeve(story, "decommission", f"dc/{name}", "--absent", "--allow", "destroy=1")
    until(lambda: "cleanupPending" in rows(story)[address], lambda: why(story), PENDING)
    gone = rows(story)[address]
    assert gone["status"] == "decommissioned" and gone["prevState"] == "discovered" and gone["flaps"] % 2 == 1 and gone["stateSince"] > 0, gone
    assert [(one["kind"], one["note"]) for one in gone["sources"]] == [("serf", "failed")], gone
    assert "R0842" in refused(story, "commission", ids[of[name]], "-g", "dc/box", "--yes", code=5)
    blocked(story, of[name], False)
    until(lambda: "cleanupPending" not in rows(story)[address], lambda: why(story), PENDING)
    assert is_clean(story, of[name])
    becomes(story, wanted=2, ready=2)
    assert asked(story, "GET", "/v1/nodegroups/dc/box").json["spec"]["size"] == 2

    assert is_untouched(story, "web-3", "web-4")
    story.write("web-3", "srv/licence")
    reeve(story, "commission", ids["web-3"], "-g", "dc/box", "--yes")
    becomes(story, wanted=3, ready=3)
    assert story.plays("web-3") == ["r1"] and is_untouched(story, "web-4")


def clusterctl(story, *words, code=0):
    """A command of Contiv's client, at the listener that serves its API."""
    words = ["clusterctl", *words, "--url", "http://127.0.0.1:9007"]
    return refused(story, *words, code=code) if code else reeve(story, *words)


def statuses(story, *names):
    """Status and state of nodes, as Contiv names them."""
    found = [json.loads(clusterctl(story, "node", "get", name, "--json"))["inventory_state"] for name in names]
    assert all(one["state"] == "Discovered" for one in found), found
    return [one["status"] for one in found]


def the_first_half_by_clusterctl(tmp_path):
    """The compatibility API: the same machines, duplicates, a failing task, a second attempt, an update, and a decommission."""
    with begun(tmp_path, contiv={"listen": "127.0.0.1:9007", "tenant": "metal", "user": "contiv", "cluster": "dc"}) as story:
        assert asked(story, "POST", "/v1/users", {"name": "contiv"}).status == 201
        assert asked(story, "POST", "/v1/grants", {"user": "contiv", "role": "operator"}).status == 201
        ids = appear(story)
        names = {name: story.row(name)["name"] for name in ids}
        push(story, "playbook", "r1", LICENCE)
        (story.folder / "dc.yaml").write_text(json.dumps({"name": "dc", "version": "1", "defaults": {"configuration": "web", "health": {"probe": {"ssh": True, "every": "500ms", "fail": 4, "timeout": "2s"}}}, "empty": True}))
        reeve(story, "apply", "--yes", "-f", "dc.yaml")
        for name in ("web-0", "web-2"):
            story.write(name, "srv/licence")
        listed = clusterctl(story, "nodes", "get")
        assert all(name in listed for name in names.values()), listed

        told = clusterctl(story, "nodes", "commission", names["web-0"], names["web-3"], "--host-group", "service-master", code=5)
        assert ids["web-3"] in told and "is a duplicate" in told and not members(story), told
        three = [names[name] for name in ("web-0", "web-1", "web-2")]
        clusterctl(story, "nodes", "commission", *three, "--host-group", "service-master")
        until(lambda: statuses(story, *three) == ["Allocated", "Unallocated", "Allocated"] and "failed" in marks(story.row("web-1")), lambda: why(story), PENDING)
        until(lambda: "Status: Errored" in clusterctl(story, "job", "get", "last"), lambda: why(story), PENDING)
        assert is_named("playbook", "E: no licence", clusterctl(story, "job", "get", "last"))
        assert [story.plays(name) for name in ("web-0", "web-1", "web-2")] == [["r1"]] * 3 and is_clean(story, "web-1")
        assert is_untouched(story, "web-3", "web-4")

        story.write("web-1", "srv/licence")
        clusterctl(story, "node", "commission", names["web-1"], "--host-group", "service-master")
        until(lambda: statuses(story, *three) == ["Allocated"] * 3, lambda: why(story), PENDING)
        assert [story.plays(name) for name in ("web-0", "web-1", "web-2")] == [["r1"], ["r1", "r1"], ["r1"]]

        clusterctl(story, "nodes", "update", *three)
        until(lambda: [story.plays(name) for name in ("web-0", "web-1", "web-2")] == [["r1"] * 2, ["r1"] * 3, ["r1"] * 2], lambda: why(story), PENDING)
        until(lambda: "Status: Complete" in clusterctl(story, "job", "get", "last"), lambda: why(story), PENDING)
        clusterctl(story, "nodes", "decommission", *three)
        until(lambda: statuses(story, *three) == ["Decommissioned"] * 3, lambda: why(story), PENDING)
        assert all(is_clean(story, name) for name in ("web-0", "web-1", "web-2"))


# ---- the page ----

class Screen(Site):
    """The page, before an operator of the tenant that has the machines."""

    def url(self, path=""):
        return super().url(f"{path}?tenant=metal" if path and not path.startswith("#") else path)


CARDS = "[...document.querySelectorAll('article.found')].map((one) => one.innerText)"
DEED = "[...document.querySelectorAll('dialog footer .button')].filter((one) => one.classList.contains('main') || one.classList.contains('danger')).at(-1)"


def take(page, *names):
    """Machines of the page Discover are chosen and taken into the group."""
    for name in names:
        page.until(f"document.querySelector('input[aria-label=\"choose {name}\"]') !== null", name)
        page.run(f"document.querySelector('input[aria-label=\"choose {name}\"]').click()")
    page.click(f"Commission {len(names)}")
    page.until("document.querySelector('dialog .way code')?.innerText.includes('-g dc/box')", "the plan")
    page.click(f"Take {len(names)} into dc/box")
    page.until("document.querySelector('dialog') === null", "they were taken")


def say(page, button):
    """A button that opens a dialog, and what the dialog offers."""
    page.click(button)
    page.until(f"{DEED} !== undefined && !{DEED}.disabled", button)
    page.run(f"{DEED}.click()")
    page.until("document.querySelector('dialog') === null", f"{button} was accepted")


@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no chromium")
def test_the_life_of_machines_on_the_page(tmp_path):
    """Machines are taken in the browser; what fails there is shown with its first failing task; it is undone and corrected there."""
    with begun(tmp_path) as story, contextlib.ExitStack() as stack:
        ids = appear(story)
        names = {name: story.row(name)["name"] for name in ids}
        for name in ("web-0", "web-2"):
            story.write(name, "srv/licence")
        push(story, "bundles", "r1", LICENCE)
        applied(story)
        (tmp_path / "chromium").mkdir()
        browser = Browser(tmp_path / "chromium", within=story.room.within)
        stack.callback(browser.end)
        screen = Screen(story.manager, browser)
        page = screen.login("discover")
        page.until(f"{CARDS}.length === {COUNT}")
        found = page.run(CARDS)
        twins = [number for number, text in enumerate(found) if " has the same " in text]
        assert len(twins) == 2 and twins[1] == twins[0] + 1, found  # side by side
        assert all(ids["web-3"] in found[number] and ids["web-4"] in found[number] for number in twins), found

        # three are taken; the third step fails on one, which waits for an operator
        take(page, *(names[name] for name in ("web-0", "web-1", "web-2")))
        until(lambda: "failed" in marks(story.row("web-1")) and story.row("web-1")["status"] == "unallocated", lambda: why(story), PENDING)
        page.until(f"{CARDS}.some((text) => text.includes({json.dumps(names['web-1'])}) && text.includes('an operator: ') && text.includes('E: no licence'))",
                   "the first failing task", PENDING)
        number = until(lambda: next((one["metadata"]["name"] for one in asked(story, "GET", "/v1/jobs?cluster=dc").json["items"]
                                     if one["status"]["state"] == "failed"), None), lambda: why(story), PENDING)
        screen.go(page, f"jobs/{number}")
        page.shows("E: no licence", PENDING)
        story.write("web-1", "srv/licence")
        screen.go(page, "discover")
        take(page, names["web-1"])
        becomes(story, wanted=3, ready=3)
        of = members(story)

        # a bad revision: the page says which node is out and why; it is undone there
        push(story, "bundles", "r2", "echo 'E: broken' >&2; exit 5")
        screen.go(page, "groups/dc/box")
        say(page, "Upgrade")
        until(lambda: asked(story, "GET", "/v1/holds?cluster=dc").json["items"], lambda: why(story), PENDING)
        [canary] = [name for name in of if story.read(of[name], "srv/web/app.conf") == "r2\n"]
        screen.go(page, f"nodes/dc/{canary}")
        page.shows("E: broken", PENDING)
        screen.go(page, "clusters/dc")
        page.shows(f"{canary} stage-2 start-it failed with exit code 5: E: broken; 2 of 3 have not started", PENDING)
        say(page, "Undo")
        becomes(story, wanted=3, ready=3)
        assert [story.read(of[name], "srv/web/app.conf") for name in sorted(of)] == ["r1\n"] * 3

        # drift by hand: verified and corrected on the page of the node
        story.write(of[canary], "srv/web/app.conf", "by hand\n")
        screen.go(page, f"nodes/dc/{canary}")
        section = "document.querySelector('section[aria-label=configuration]').innerText"
        page.until(f"{section}.includes('web@r1')", "the desired configuration", PENDING)
        say(page, "Verify")
        page.until(f"{section}.includes('drifted') && {section}.includes('/srv/web/app.conf: content')", "the verdict", PENDING)
        say(page, "Correct")
        page.until(f"{section}.includes('same')", "the new verdict", PENDING)
        assert story.read(of[canary], "srv/web/app.conf") == "r1\n"

        # a good revision, by the button of the group, whose page shows its rollout
        push(story, "bundles", "r3", LICENCE)
        screen.go(page, "groups/dc/box")
        say(page, "Upgrade")
        page.until("document.querySelector('[aria-label=\"rollout in place\"]')?.innerText.includes('rollout, batch ')", "the rollout", PENDING)
        until(lambda: [story.read(of[name], "srv/web/app.conf") for name in sorted(of)] == ["r3\n"] * 3, lambda: why(story), PENDING)
        until(lambda: not any(one["status"].get("state") == "running" for one in asked(story, "GET", "/v1/jobs?cluster=dc").json["items"]), lambda: why(story), PENDING)
        becomes(story, wanted=3, ready=3)

        # another one is cut off: its page and Discover say so, and that it was cut off when it is back; no step runs again
        [cut, _] = sorted(set(of) - {canary})
        plays = {name: story.plays(of[name]) for name in of}
        card = f"{CARDS}.find((text) => text.includes({json.dumps(names[of[cut]])}))"
        screen.go(page, f"nodes/dc/{cut}")
        page.until("document.querySelector('.head .state')?.innerText.includes('ready')", "it serves", PENDING)
        blocked(story, of[cut], True)
        page.until("document.querySelector('.head .state').innerText.includes('unreachable')", "it is cut off", PENDING)
        becomes(story, wanted=3, ready=2, unreachable=1)
        screen.go(page, "discover")
        page.until("document.querySelector('.tools .check input') !== null", "rows")
        page.run("[...document.querySelectorAll('.tools .check input')].at(-1).click()")
        page.until(f"{card}?.includes('disappeared')", "the inventory says so too", PENDING)
        blocked(story, of[cut], False)
        page.until(f"!{card}.includes('disappeared')", "and that it is back", PENDING)
        screen.go(page, f"nodes/dc/{cut}")
        page.until("document.querySelector('.head .state')?.innerText.includes('ready')", "it serves again", PENDING)
        page.shows("boot: same", PENDING)
        assert (cut, "boot: same") in facts(story, "node.returned"), why(story)
        becomes(story, wanted=3, ready=3)
        assert {name: story.plays(of[name]) for name in of} == plays

        # its owner reboots the first one, on the page of that tenant
        reeve(story, "set", "nodegroup/dc/box", "verify={every: 1s}", "--yes")
        page.goto(Site.url(screen, f"nodes/shop/{of[canary]}?tenant=default"))
        page.click("Reboot")
        page.write("dialog input[name=consent]", "reboot 1")
        page.until(f"{DEED} !== undefined && !{DEED}.disabled", "the reboot is consented to")
        page.run(f"{DEED}.click()")
        page.until("document.querySelector('dialog') === null", "the reboot was accepted")
        until(lambda: (canary, "boot: other") in facts(story, "node.returned"), lambda: why(story), PENDING)
        assert [line for line in page.said if "ERR_NETWORK_CHANGED" not in line] == []


if IS_WHOLE:
    test_the_first_half_by_clusterctl = the_first_half_by_clusterctl
