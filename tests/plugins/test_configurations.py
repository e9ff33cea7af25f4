"""A group follows a configuration repository: its revisions reach nodes as stages, by the rollout of the group (C6, C10, C19, X9).

Checked by what the nodes have run.
"""

import json
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from manager import until  # noqa: E402
from test_bootstrap import world  # noqa: E402, F401  (a fixture is found by its name)
from test_rollout_slots import holds, rollouts  # noqa: E402
from test_stages_fail import run  # noqa: E402

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root")

NAMES = ["web-0", "web-1", "web-2"]
CAREFUL = {"canary": 1, "bake": "1s", "batch": 1, "maxFail": 1}


def repository(world, **scripts):
    """The repository with a bundle of each name, which writes what it was called with."""
    for name, script in scripts.items():
        folder = world.folder / "repo" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "bootstrap.sh").write_text(f'echo "{name} {script} $*" >>/srv/starts\ncat vars.json >/srv/vars-{name}\nstat -c %a vars.json >>/srv/vars-{name}\n' + ("exit 3\n" if script == "bad" else ""))
    (world.folder / "repo/configuration.yaml").write_text(json.dumps(
        {"bundles": [{"tar": "base", "idempotent": True}, {"tar": "app", "args": ["--port", "80"], "idempotent": True}],
         "vars": {"port": 80, "proxy": {"http": "a", "https": "b"}}}))


def push(world):
    """The next revision."""
    done = run(world, "config", "push", str(world.folder / "repo"), "--name", "web", "-o", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["revision"]


def statuses(world):
    """Status and previous status of each node, in order of name."""
    items = sorted(world.manager.get("/v1/nodes?cluster=shop").json["items"], key=lambda one: one["metadata"]["name"])
    return [(one["status"]["status"], one["status"]["prevStatus"]) for one in items]


def starts(world):
    """What each node has run."""
    return [[line.strip() for line in world.starts(name)] for name in NAMES]


def variables(world, name):
    """What the stage `app` of a node finds in vars.json, and the mode of the file."""
    *lines, mode = world.peek(world.by_name()[name], "srv/vars-app").splitlines()
    return json.loads("".join(lines)), mode


def test_revisions_reach_the_nodes_of_a_group(world):
    """Three revisions: the second fails at its canary and is undone; with the third only the stage of the changed folder runs again."""
    repository(world, base="r1", app="r1")
    assert push(world) == "web@r1"
    group = {"size": 3, "image": "host", "resourcePlugin": {"name": "local"}, "rollout": CAREFUL, "configuration": "web",
             "vars": {"proxy": {"https": "c"}}}
    (world.folder / "shop.yaml").write_text(json.dumps({"name": "shop", "version": "1", "groups": {"web": group}}))
    assert run(world, "apply", "--yes", "-f", "shop.yaml", seconds=700).returncode == 0, world.why()
    first = ["base r1", "app r1 --port 80"]
    assert starts(world) == [first] * 3
    assert statuses(world) == [("allocated", "provisioning")] * 3
    assert variables(world, "web-0") == ({"port": 80, "proxy": {"http": "a", "https": "c"}}, "600")

    repository(world, app="bad")
    assert push(world) == "web@r2"
    assert [row["current"] for row in json.loads(run(world, "upgrade", "-o", "json").stdout)] == ["web@r1"]
    done = run(world, "upgrade", "shop/web", "--yes", seconds=400)
    assert done.returncode == 9, (done.stdout, done.stderr)
    assert starts(world) == [[*first, "app bad --port 80"], first, first]
    assert statuses(world) == [("maintenance", "allocated"), *[("allocated", "provisioning")] * 2]
    assert holds(world) == {"rollout": "web-0 stage-1 app failed with exit code 3; 2 of 3 have not started"}

    assert run(world, "undo", "shop/web", "--yes", seconds=400).returncode == 0, world.why()
    assert starts(world) == [[*first, "app bad --port 80", "app r1 --port 80"], first, first]

    repository(world, app="r3")
    assert push(world) == "web@r3"
    assert run(world, "upgrade", "shop/web", "--yes", seconds=400).returncode == 0, world.why()
    assert [lines[-1] for lines in starts(world)] == ["app r3 --port 80"] * 3
    assert statuses(world) == [("allocated", "maintenance")] * 3  # C2: what a node was before is kept
    assert sum("base r1" in line for lines in starts(world) for line in lines) == 3  # its folder did not change

    # A changed variable is a change of the stages.
    assert run(world, "set", "shop/web", "vars.port=81", "--yes", seconds=400).returncode == 0, world.why()
    assert variables(world, "web-2")[0]["port"] == 81
    assert [len(lines) for lines in starts(world)] == [7, 5, 5]
    assert run(world, "set", "shop/web", "vars.port=null", "--yes", seconds=400).returncode == 0, world.why()

    # A group keeps what it runs when its revision is removed: a machine that is new runs it.
    assert run(world, "upgrade", "shop/web", "--config", "web@r1", "--yes", seconds=400).returncode == 0, world.why()
    assert run(world, "scale", "shop/web", "2", "--yes", "--allow", "destroy=1", seconds=200).returncode == 0
    assert "web@r2" in run(world, "config", "gc", "web", "--keep", "1").stdout
    assert run(world, "scale", "shop/web", "3", "--yes", seconds=400).returncode == 0, world.why()
    assert starts(world)[2] == first


# Variables of single members (C7, decision 0155): only the member whose variables change runs its stages again.


def apply(world, members):
    """A group of three whose members have these variables."""
    group = {"size": 3, "image": "host", "resourcePlugin": {"name": "local"}, "rollout": CAREFUL, "configuration": "web",
             "vars": {"proxy": {"https": "c"}}, "members": {name: {"vars": values} for name, values in members.items()}}
    (world.folder / "shop.yaml").write_text(json.dumps({"name": "shop", "version": "1", "groups": {"web": group}}))
    done = run(world, "apply", "--yes", "-f", "shop.yaml", seconds=700)
    assert done.returncode == 0, (done.stdout, done.stderr, world.why())
    return done


def lengths(world):
    """How many stages each node has run."""
    return [len(lines) for lines in starts(world)]


def test_variables_of_one_member_run_its_stages_alone(world):
    """From a file, from a command, undone, gone with the member; and a change of the group reaches all."""
    repository(world, base="r1", app="r1")
    assert push(world) == "web@r1"
    apply(world, {"web-1": {"device": "sdb", "proxy": {"http": None}}})
    assert lengths(world) == [2, 2, 2]
    common = {"port": 80, "proxy": {"http": "a", "https": "c"}}
    assert [variables(world, name)[0] for name in ("web-0", "web-1", "web-2")] == [
        common, {"device": "sdb", "port": 80, "proxy": {"https": "c"}}, common]

    # Only the member whose variables change lags.
    done = run(world, "upgrade", "shop/web-2", "--var", "device=sdc", "--dry-run", "-o", "json")
    plan = json.loads(done.stdout)
    assert '"members": 1' in json.dumps(plan), plan
    assert run(world, "upgrade", "shop/web-2", "--var", "device=sdc", "--yes", seconds=400).returncode == 0, world.why()
    assert lengths(world) == [2, 2, 4]
    assert variables(world, "web-2")[0] == {**common, "device": "sdc"}
    shown = run(world, "describe", "nodegroup/shop/web", "--origin").stdout
    assert "members.web-2.vars.device" in shown, shown

    # Undo removes the variable, and the node runs what it had.
    assert run(world, "undo", "shop/web", "--yes", seconds=400).returncode == 0, world.why()
    assert lengths(world) == [2, 2, 6]
    assert variables(world, "web-2")[0] == common

    # A change of the group reaches all members, whatever they have of their own.
    assert run(world, "set", "shop/web", "vars.port=81", "--yes", seconds=400).returncode == 0, world.why()
    assert lengths(world) == [4, 4, 8]
    assert variables(world, "web-1")[0] == {"device": "sdb", "port": 81, "proxy": {"https": "c"}}

    # The variables leave with the member: a machine that takes the slot later does not have them.
    assert run(world, "decommission", "shop/web-1", "--yes", "--allow", "destroy=1", seconds=200).returncode == 0, world.why()
    assert "sdb" not in run(world, "export", "shop").stdout
    assert run(world, "scale", "shop/web", "3", "--yes", seconds=400).returncode == 0, world.why()
    assert variables(world, "web-1")[0] == {**common, "port": 81}


def test_a_bad_variable_of_one_member_stops_at_that_member(world):
    """The rollout of one member stops, is undone, and another member is not touched."""
    repository(world, base="r1", app="r1")
    app = world.folder / "repo/app/bootstrap.sh"
    app.write_text(app.read_text() + 'if grep -q bad vars.json; then exit 3; fi\n')
    push(world)
    apply(world, {})
    done = run(world, "upgrade", "shop/web-1", "--var", "mode=bad", "--yes", seconds=400)
    assert done.returncode == 9, (done.stdout, done.stderr)
    assert lengths(world) == [2, 4, 2]
    assert run(world, "undo", "shop/web", "--yes", seconds=400).returncode == 0, world.why()
    assert lengths(world) == [2, 6, 2]


def test_a_slot_that_cannot_exist_is_refused(world):
    """The error names the member."""
    (world.folder / "shop.yaml").write_text(json.dumps({"name": "shop", "version": "1", "groups": {"web": {
        "size": 1, "image": "host", "resourcePlugin": {"name": "local"}, "members": {"db-1": {"vars": {"a": 1}}}}}}))
    done = run(world, "apply", "--yes", "-f", "shop.yaml")
    assert done.returncode != 0 and "R0339" in done.stderr and "db-1" in done.stderr, done.stderr


# What happens to a member whose changed stages fail (rollout.onFail, decision 0156).


def in_place(world, *words):
    """What the plan of an upgrade says of its batches."""
    shown = run(world, "upgrade", "shop/web", "--dry-run", "-o", "json", *words)
    assert shown.returncode in (0, 10), shown.stderr
    found = []
    json.loads(shown.stdout, object_hook=lambda one: found.append(one.get("inPlace")) or one)
    told, = [one for one in found if one]
    return {key: told[key] for key in ("batch", "batches", "canary", "bakeMs", "maxFail", "pauseMs") if key in told}


def test_batch_flags_of_an_upgrade_hold_for_its_rollout_alone(world):
    """They make the limits of the rollout stricter and do not change the policy of the group. A manager that continues it applies them, too."""
    loose = {"batch": 3, "canary": 0, "unavailable": 3, "maxFail": 3}
    repository(world, base="r1", app="r1")
    push(world)
    group = {"size": 3, "image": "host", "resourcePlugin": {"name": "local"}, "rollout": loose, "configuration": "web"}
    (world.folder / "shop.yaml").write_text(json.dumps({"name": "shop", "version": "1", "groups": {"web": group}}))
    assert run(world, "apply", "--yes", "-f", "shop.yaml", seconds=700).returncode == 0, world.why()
    repository(world, app="bad")
    push(world)
    assert in_place(world) == {"batch": 3, "batches": 1, "canary": 0, "bakeMs": 0, "maxFail": 3}
    assert in_place(world, "--batch", "9", "--max-fail", "9") == in_place(world), "a flag that loosens the policy"
    flags = ("--batch", "34%", "--canary", "1", "--bake", "1s", "--max-fail", "1", "--pause-between", "1s")
    assert in_place(world, *flags) == {"batch": 2, "batches": 2, "canary": 1, "bakeMs": 1000, "maxFail": 1, "pauseMs": 1000}
    for words, what in ((("--order", "zone"), "upgrade has no --order"), (("--deadline", "1h"), "upgrade has no --deadline"),
                        (("--surge", "1"), "no machine is created"), (("--batch", "x"), "--batch"), (("--bake", "1s"), "--canary")):
        refused = run(world, "upgrade", "shop/web", "--yes", *words)
        assert refused.returncode == 2 and what in refused.stderr, (words, refused.stderr)

    # The manager ends in the moment after the change: the flags are in its transaction.
    assert run(world, "upgrade", "shop/web", "--yes", "--detach", *flags).returncode == 0
    world.manager.kill()
    world.manager.start()
    until(lambda: "rollout" in holds(world), world.why, 120)
    world.look_again()
    assert [lines[2:] for lines in starts(world)] == [["app bad --port 80"], [], []], world.why()
    assert world.manager.get("/v1/nodegroups/shop/web").json["spec"]["rollout"] == loose

    # The next change has the policy of the group again.
    assert run(world, "undo", "shop/web", "--yes", seconds=400).returncode == 0, world.why()
    repository(world, app="r3")
    push(world)
    assert in_place(world) == {"batch": 3, "batches": 1, "canary": 0, "bakeMs": 0, "maxFail": 3}
    assert run(world, "upgrade", "shop/web", "--yes", seconds=400).returncode == 0, world.why()
    assert [lines[-1] for lines in starts(world)] == ["app r3 --port 80"] * 3
    assert [one["batch"]["count"] for one in rollouts(world)] == [2, 1, 1]


def test_a_failed_member_gets_its_former_revision_again(world):
    """It is in service with it, the rollout is stopped, and nothing is tried again by itself."""
    repository(world, base="r1", app="r1")
    push(world)
    apply(world, {})
    repository(world, app="bad")
    push(world)
    done = run(world, "upgrade", "shop/web", "--on-fail", "revert", "--yes", seconds=400)
    assert done.returncode == 9, (done.stdout, done.stderr)
    first = ["base r1", "app r1 --port 80"]
    reverted = [*first, "app bad --port 80", "app r1 --port 80"]
    until(lambda: starts(world) == [reverted, first, first] and world.ready(3), world.why, 60)
    assert "the member runs its previous stages again" in holds(world)["rollout"], holds(world)
    assert [one["node"] for one in world.events("node.reverted")] == ["web-0"], world.events()
    jobs = json.loads(run(world, "get", "jobs", "-c", "shop", "-o", "json").stdout)
    assert any(one["status"].get("revertedNodes") == "web-0" for one in jobs), jobs

    # An operator tries again: it fails once more, and is reverted once more.
    run(world, "rollout", "resume", "shop/web", "--yes", seconds=200)
    reverted += reverted[2:]
    until(lambda: starts(world) == [reverted, first, first] and world.ready(3), world.why, 60)

    # Another revision is another rollout, which is not stopped by this failure.
    repository(world, app="r3")
    push(world)
    assert run(world, "upgrade", "shop/web", "--yes", seconds=400).returncode == 0, world.why()
    assert [lines[-1] for lines in starts(world)] == ["app r3 --port 80"] * 3
    assert holds(world) == {}


# Secrets of a configuration (C7, decision 0157).


def stored(world, value):
    """The files of the manager that contain this text."""
    return [str(path) for path in (world.folder / "data").rglob("*") if "nodes" not in path.parts and "local" not in path.parts
            and path.is_file() and not path.is_symlink() and value in path.read_bytes()]


def test_secrets_reach_the_nodes_and_nothing_else(world):
    """A missing one is refused with its place; a changed value is a changed stage after the next upgrade; nothing but the node has the value."""
    repository(world, app="r1")
    manifest = {"bundles": [{"tar": "app", "idempotent": True}], "vars": {"port": 80}, "secrets": {"vault": "secret://web-vault"}}
    (world.folder / "repo/configuration.yaml").write_text(json.dumps(manifest))
    done = run(world, "config", "push", str(world.folder / "repo"), "--name", "web")
    assert done.returncode != 0 and "R0667" in done.stderr and "secrets.vault" in done.stderr and "web-vault" in done.stderr, done.stderr
    value = world.folder / "value"
    value.write_text("first-hunter2\n")
    assert run(world, "create", "secret", "web-vault", "@value", "--yes").returncode == 0
    assert push(world) == "web@r1"
    apply(world, {"web-1": {"port": 81}})
    assert [variables(world, name)[0] for name in NAMES] == [
        {"port": 81 if name == "web-1" else 80, "proxy": {"https": "c"}, "vault": "first-hunter2"} for name in NAMES]

    value.write_text("second-hunter2\n")
    assert run(world, "set", "secret/web-vault", "value=@value", "--yes").returncode == 0
    assert lengths(world) == [1, 1, 1]  # nothing runs by itself
    assert run(world, "upgrade", "shop/web", "--yes", seconds=400).returncode == 0, world.why()
    assert lengths(world) == [2, 2, 2]
    assert {variables(world, name)[0]["vault"] for name in NAMES} == {"second-hunter2"}
    for text in ("first-hunter2", "second-hunter2"):
        assert stored(world, text.encode()) == []
        assert text not in world.manager.log.read_text() and text not in json.dumps(world.events())
        assert text not in run(world, "get", "nodegroup", "shop/web", "-o", "yaml").stdout + run(world, "export", "shop").stdout

    # A variable that looks like a secret is a text, and no way to read one.
    assert run(world, "set", "shop/web", "vars.other=secret://web-vault", "--yes", seconds=400).returncode == 0, world.why()
    assert variables(world, "web-0")[0]["other"] == "secret://web-vault"
    done = run(world, "set", "shop/web", 'vars.reeve_secrets={"x": "web-vault 1"}', "--yes", seconds=400)
    assert "x" not in variables(world, "web-0")[0] and "reeve_secrets" not in variables(world, "web-0")[0], done


# Budgets above groups (N10, decision 0158).


def test_a_budget_holds_rollouts_and_drains(world):
    """Changed stages and a drain take the tickets of a budget; the job names it while it waits."""
    repository(world, base="r1", app="r1")
    push(world)
    (world.folder / "budget.yaml").write_text(json.dumps({"kind": "Budget", "name": "all", "selector": "cluster=shop", "maxUnavailable": 0}))
    assert run(world, "apply", "-f", "budget.yaml", "--yes").returncode == 0
    apply(world, {})  # new members need no ticket
    assert run(world, "set", "shop/web", "vars.port=81", "--yes", "--detach").returncode == 0
    words = "budget all: 0 nodes are out of service, and at most 0 may be"
    until(lambda: words in world.manager.get("/v1/jobs?cluster=shop").text, world.why, 30)
    assert lengths(world) == [2, 2, 2]
    assert words in run(world, "why", "shop/web-0").stdout, run(world, "why", "shop/web-0").stdout
    assert run(world, "set", "budget/all", "maxUnavailable=1", "--yes").returncode == 0
    until(lambda: lengths(world) == [4, 4, 4] and world.ready(3), world.why, 60)

    assert run(world, "set", "budget/all", "maxUnavailable=0", "--yes").returncode == 0
    assert run(world, "drain", "shop/web-1", "--yes", "--detach").returncode == 0
    until(lambda: words in world.manager.get("/v1/jobs?cluster=shop").text, world.why, 30)
    assert run(world, "set", "budget/all", "maxUnavailable=1", "--yes").returncode == 0
    until(lambda: "drained" in run(world, "describe", "node", "shop/web-1").stdout, world.why, 30)
    # its ticket is free again when it is back
    assert run(world, "undrain", "shop/web-1", seconds=100).returncode == 0
    assert run(world, "set", "shop/web", "vars.port=82", "--yes", "--detach").returncode == 0
    until(lambda: lengths(world) == [6, 6, 6] and world.ready(3), world.why, 60)
