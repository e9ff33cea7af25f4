"""Playbooks as stages: real Ansible on real nodes (C6, C7, C36; decision 0133).

All tests share the nodes of one manager: a group of three, and what its playbook does changes.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from manager import until  # noqa: E402
from pylib.containers import ground  # noqa: E402
from test_bootstrap import World  # noqa: E402
from test_stages_fail import newest_job, run  # noqa: E402

pytestmark = [pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root"),
              pytest.mark.skipif(shutil.which("ansible-playbook") is None, reason="there is no ansible-playbook")]

NAMES = ["web-0", "web-1", "web-2"]


def dump(value):
    """YAML with the order of keys, as people write it."""
    return yaml.safe_dump(value, sort_keys=False)


def play(*tasks, hosts="all", **more):
    """A play of these tasks. A task is its name, its module, and what else it has."""
    return {"hosts": hosts, "become": True, "gather_facts": False, **more, "tasks": list(tasks)}


def shell(name, command, **more):
    """A task that runs a command."""
    return {"name": name, "ansible.builtin.shell": command, **more}


class Playbooks(World):
    """A cluster whose group follows a repository with a playbook."""

    def __init__(self, folder):
        super().__init__(folder)
        self.repo = folder / "repo"
        self.repo.mkdir()

    def site(self, plays, manifest=None, **files):
        """The repository: a playbook, and other files (a__b is a/b)."""
        shutil.rmtree(self.repo)
        for name, text in {"site.yml": dump(plays), "configuration.yaml": dump(manifest or {}), **files}.items():
            path = self.repo / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text if isinstance(text, str) else dump(text))

    def push(self):
        done = run(self, "config", "push", str(self.repo), "--name", "web", "-o", "json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["revision"]

    def upgrade(self, *words, seconds=120):
        """Push it, and move the group to it."""
        self.push()
        return run(self, "upgrade", "shop/web", "--yes", *words, seconds=seconds)

    def restart(self, *flags):
        """The manager with other flags."""
        assert self.manager.stop() == 0, self.manager.log.read_text()
        self.manager.flags = flags
        self.manager.start()

    def file(self, name, path):
        return self.peek(self.by_name()[name], path)

    def touch(self, path):
        """Make a file on each node, from inside: what is made below a mounted overlay need not be seen in it."""
        for machine in self.by_name().values():
            subprocess.run(["nsenter", f"--root=/proc/{machine.init}/root", "touch", path], check=True, timeout=20)

    def logs(self, name):
        return self.reeve("logs", f"shop/{name}")


@pytest.fixture(scope="module")
def world():
    """Three nodes that ran their first playbook."""
    with tempfile.TemporaryDirectory() as path, ground(pathlib.Path(path)) as folder, contextlib.ExitStack() as stack:
        one = Playbooks(folder)
        stack.callback(one.close)
        hello = "{{ greeting }} {{ node_name }} of {{ groups.cluster_shop | length }}\n"
        one.site([play({"name": "say hello", "ansible.builtin.copy": {"content": hello, "dest": "/srv/hello"}})], {"vars": {"greeting": "hello"}})
        assert one.push() == "web@r1"
        group = {"size": 3, "image": "host", "resourcePlugin": {"name": "local"}, "configuration": "web", "heal": "off",
                 "rollout": {"batch": 3, "canary": 0, "maxFail": 3, "unavailable": 3}}
        (one.folder / "shop.yaml").write_text(json.dumps({"name": "shop", "version": "1", "groups": {"web": group}}))
        done = run(one, "apply", "--yes", "-f", "shop.yaml", seconds=120)
        assert done.returncode == 0, (done.stdout, done.stderr, one.why())
        yield one


def test_a_run_is_never_root():
    """If root cannot become another user, the process ends before it takes anything (R0843)."""
    program = ROOT / os.environ.get("REEVE_BUILD", "build") / "reeve-playbook"
    done = subprocess.run(["setpriv", "--bounding-set=-setuid", program, "serve"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    assert done.returncode == 4 and done.stderr == b"the run cannot get a separate user: Operation not permitted\n", done


def test_all_nodes_are_configured(world):
    """A new group: each node has run the playbook, with the variables of the manifest and all nodes in the inventory."""
    assert [world.file(name, "srv/hello") for name in NAMES] == [f"hello {name} of 3\n" for name in NAMES]
    assert "changed: say hello (site.yml:5)" in world.logs("web-1")


def test_a_playbook_gets_the_secrets_of_its_manifest(world):
    """As variables, and not by its arguments; the value is in no log and in no event (decision 0157)."""
    (world.folder / "value").write_text("playbook-hunter2")
    assert run(world, "create", "secret", "vault", "@value", "--yes").returncode == 0
    world.site([play({"name": "write it", "ansible.builtin.copy": {"content": "{{ vault }} {{ greeting }}", "dest": "/srv/secret"}, "no_log": True},
                     shell("look at all processes", "! cat /proc/[0-9]*/cmdline 2>/dev/null | grep -a hunter[2]"))],
               {"vars": {"greeting": "hello"}, "secrets": {"vault": "secret://vault"}})
    done = world.upgrade()
    assert done.returncode == 0, (done.stdout, done.stderr, world.why())
    assert [world.file(name, "srv/secret") for name in NAMES] == ["playbook-hunter2 hello"] * 3
    assert "playbook-hunter2" not in world.manager.log.read_text() + json.dumps(world.events()) + world.logs("web-0")


def test_the_third_task_fails_on_one_node(world):
    """The others are configured. The first failing task is named with role, file and line, message; it is not the rescued or ignored ones."""
    fails = "test {{ inventory_hostname }} != web-1"
    nested = {"name": "outer", "block": [
        {"name": "inner", "block": [shell("rescued by the outer one", "exit 3")], "always": [shell("always", "true")]}],
        "rescue": [shell("rescue", "true")]}
    role = [shell("ensure docker is started", f"echo 'Job for docker.service failed' >&2; {fails}"), shell("last", "touch /srv/last")]
    world.site([play(nested, shell("ignored", "exit 4", ignore_errors=True)), {**play(), "roles": ["docker"]}],
               **{"roles__docker__tasks__main.yml": role})
    done = world.upgrade()
    assert done.returncode == 9, (done.stdout, done.stderr)
    words = "docker : ensure docker is started (roles/docker/tasks/main.yml:1): Job for docker.service failed (rc 1)"
    assert words in done.stderr and "error[R0830]: 1 of 3 nodes failed" in done.stderr, done.stderr
    assert words in world.reeve("describe", "node", "shop/web-1")
    assert any(one.get("node") == "web-1" and words in one.get("fact", "") for one in world.events("node.failed"))
    assert words in world.reeve("why", "shop/web-1")
    assert [(world.by_name()[name].folder / "upper/srv/last").exists() for name in NAMES] == [True, False, True]
    assert "rescued: rescued by the outer one" in world.logs("web-1")


def test_each_kind_of_failure_has_its_words(world):
    """A loop item, hidden output, and a node that no play selects: in one run."""
    world.site([play(
        shell("make each", "echo no licence for {{ item }} >&2; test {{ item }} != b", loop=["a", "b", "c"], when="inventory_hostname == 'web-0'"),
        shell("set the password", "echo hunter2 >&2; exit 3", no_log=True, when="inventory_hostname == 'web-1'"), hosts="web-0:web-1")])
    done = world.upgrade()
    assert done.returncode == 1, (done.stdout, done.stderr)
    why = {name: world.reeve("why", f"shop/{name}") for name in NAMES}
    assert "make each (site.yml:5), item b: no licence for b (rc 1)" in why["web-0"]
    assert "set the password (site.yml:13): hidden by no_log" in why["web-1"]
    assert "no play of site.yml selects this node (R0833)" in why["web-2"]
    assert "hunter2" not in world.logs("web-1") and "hunter2" not in world.manager.log.read_text()


def test_a_node_that_is_lost_midway_is_configured_again(world):
    """Its sshd ends in the second task: the others are configured, and it is as soon as it can be reached."""
    world.site([play(shell("count", "echo run >>/srv/count"),
                     shell("lose it", "test -e /srv/lost || { touch /srv/lost; pkill -KILL sshd; }", when="inventory_hostname == 'web-1'"),
                     shell("go on", "touch /srv/found"))])
    done = world.upgrade()
    # On a slow computer the node returns and is configured before the run on the others has ended. The upgrade is complete then.
    is_complete = (world.by_name()["web-1"].folder / "upper/srv/found").exists()
    assert done.returncode == (0 if is_complete else 9), (done.stdout, done.stderr, world.why())
    until(lambda: (world.by_name()["web-1"].folder / "upper/srv/found").exists(), world.why, 20)
    assert [world.file(name, "srv/count").split() for name in NAMES] == [["run"], ["run", "run"], ["run"]]
    assert any(one["node"] == "web-1" and "(site.yml:" in one["fact"] for one in world.events("node.unreachable"))


def descendants(pid):
    """All processes below one."""
    parents = {}
    for one in pathlib.Path("/proc").iterdir():
        if one.name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                parents[int(one.name)] = int((one / "stat").read_text().rsplit(")", 1)[1].split()[1])
    found, grown = {pid}, True
    while grown:
        grown = {child for child, parent in parents.items() if parent in found} - found
        found |= grown
    return found - {pid}


def said(pid):
    """Arguments and environment of a process; those of a zombie are empty."""
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes() + pathlib.Path(f"/proc/{pid}/environ").read_bytes()
    return b""


def test_a_killed_manager_leaves_nothing_running_and_runs_it_again(world):
    """Secrets are in no arguments. After a kill -9 all processes of the run are gone, and the next manager runs it again, once."""
    world.site([play(shell("count", "echo run >>/srv/again"), shell("wait", "until test -e /srv/go; do sleep 0.1; done"))],
               {"vars": {"password": "hunter2"}})
    world.push()
    world.reeve("upgrade", "shop/web", "--yes", "--detach")
    until(lambda: all(world.file(name, "srv/again") for name in NAMES), world.why, 20)
    below = descendants(world.manager.process.pid)
    ansible = [pid for pid in below if b"ansible-playbook" in said(pid)]
    assert ansible and not any(b"hunter2" in said(pid) for pid in below)
    world.manager.kill()
    until(lambda: not any(b"ansible" in said(pid) or b"reeve-playbook" in said(pid) for pid in below), seconds=10)
    world.touch("/srv/go")
    world.manager.start()
    until(lambda: world.ready(3) and newest_job(world)["state"] == "done", world.why, 20)
    assert [world.file(name, "srv/again").split() for name in NAMES] == [["run", "run"]] * 3
    world.look_again()
    assert [world.file(name, "srv/again").split() for name in NAMES] == [["run", "run"]] * 3


def test_much_output_is_kept_in_order(world):
    """400 lines for each node, while the run goes on; variables of the group reach it."""
    world.site([play({"name": "say it", "ansible.builtin.debug": {"msg": "{{ word }} {{ item }}"}, "loop": "{{ range(400) | list }}"})],
               {"vars": {"word": "line"}})
    world.push()
    done = run(world, "set", "shop/web", "configuration=web", "vars.word=word", "--yes", seconds=120)
    assert done.returncode == 0, (done.stdout, done.stderr, world.why())
    lines = [line.split(": ")[-1] for line in world.logs("web-2").splitlines() if "item " in line]
    assert lines == [f"word {i}" for i in range(400)]


FAKE = """#!/bin/sh
printf '%s\\n' '{"kind":"start"}' '{"kind":"other"}' 'no JSON' '{"kind":"result","host":"stranger","task":1,"outcome":"failed"}' >&3
printf '%s\\n' '{"kind":"stats","hosts":{"web-0":{"ok":1,"failures":0},"web-1":{"failures":0},"web-2":{"failures":0}},"last":true}' >&3
"""


def program_put(path, text):
    """Put a program in place at once: a run that finds half of it would count as a refusal."""
    new = path.with_suffix(".new")
    new.write_text(text)
    new.chmod(0o755)
    new.rename(path)


def test_ansible_that_is_missing_or_silent(world):
    """R0834 until it is there; lines that are no lines of the callback are counted and change nothing."""
    # A run has a user of its own. pytest closes its own temporary folders to others, each time that it starts.
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        ansible_is_missing_or_silent(world, pathlib.Path(folder) / "ansible-playbook")


def ansible_is_missing_or_silent(world, fake):
    """The program is missing, then it says nothing, then it is one that says too much."""
    (world.folder / "reeved.yaml").write_text(f"playbook: {{ansible: {fake}}}\n")
    flags = world.manager.flags
    world.restart(*flags, "--config", str(world.folder / "reeved.yaml"))
    world.site([play(shell("never run", "touch /srv/never"))])
    world.push()
    world.reeve("upgrade", "shop/web", "--yes", "--detach")
    refused = lambda words: sum(words in one["fact"] for one in world.events("node.refused"))  # noqa: E731
    until(lambda: refused("No such file or directory (R0834)") == 3, world.why, 20)
    program_put(fake, "#!/bin/sh\nexit 0\n")
    until(lambda: refused("the callback did not start (R0834)") == 3, world.why, 30)
    program_put(fake, FAKE)
    until(lambda: world.ready(3) and newest_job(world)["state"] == "done", world.why, 60)
    assert re.search(r"bad_lines=[3-9]", world.manager.log.read_text())  # and those about nodes of other runs
    world.restart(*flags)


def test_the_baseline_has_what_the_playbook_wrote(world):
    """A verification runs no playbook; a correction does (N8, decision 0131)."""
    copy = {"name": "config", "ansible.builtin.copy": {"content": "port 80\n", "dest": "/etc/web.conf"}}
    count = shell("count", "echo run >>/srv/runs")
    world.site([play(copy, count)], {"files": ["/etc/web.conf"]})
    assert world.upgrade().returncode == 0, world.why()
    rows = json.loads(world.reeve("verify", "--all", "-o", "json"))
    assert [row["verdict"] for row in rows] == ["same"] * 3, rows
    world.on("web-1", "sudo", "sh", "-c", "'echo port 81 >/etc/web.conf'")
    done = run(world, "verify", "--all", "--fix", "--yes", "-o", "json", seconds=120)
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert [(row["node"], row["verdict"]) for row in json.loads(done.stdout)] == [("shop/web-1", "same")]
    assert [world.file(name, "srv/runs").count("run") for name in NAMES] == [1, 2, 1]


def test_playbooks_drain_and_undrain(world):
    """The hooks of a configuration run for a node that leaves service and returns; the first failing task is the blocker."""
    stays = {"name": "stay", "ansible.builtin.command": "test ! -e /srv/busy"}
    world.site([play(shell("nothing", "true"))],
               **{"drain.yml": [play(shell("leave", "echo out >>/srv/service"), stays)], "undrain.yml": [play(shell("return", "echo in >>/srv/service"))]})
    assert world.upgrade().returncode == 0, world.why()
    done = run(world, "drain", "shop/web-0", "--yes", seconds=120)
    assert done.returncode == 0 and world.file("web-0", "srv/service") == "out\n", (done.stderr, world.why())
    until(lambda: "maintenance" in world.reeve("get", "nodes", "--state", "maintenance"), world.why)
    assert run(world, "undrain", "shop/web-0", seconds=120).returncode == 0, world.why()
    assert world.file("web-0", "srv/service") == "out\nin\n"
    world.touch("/srv/busy")
    done = run(world, "drain", "shop/web-1", "--yes", seconds=120)
    assert done.returncode == 1 and "drain.yml: stay (drain.yml:" in done.stderr, done.stderr
    assert run(world, "undrain", "shop/web-1", seconds=120).returncode == 0, world.why()
    assert [one["fact"] for one in world.events("node.undrained")] == ["hooks that have run: 1"] * 2


def test_check_mode_finds_what_a_playbook_would_change(world):
    """Level deep: changed tasks are drift, programs are not judged. Level hook: a failing task of verify.yml is drift."""
    world.site([play({"name": "settings", "ansible.builtin.copy": {"content": "port 80\n", "dest": "/srv/app.conf"}}, shell("program", "true"))],
               **{"verify.yml": [play({"name": "look", "ansible.builtin.command": "test ! -e /srv/broken"})]})
    assert world.upgrade().returncode == 0, world.why()

    def verify(*words):
        done = run(world, "verify", "-g", "shop/web", *words, "-o", "json", seconds=120)
        assert done.returncode == 0, (done.stderr, world.why())
        return {row["node"]: (row["verdict"], row["what"]) for row in json.loads(done.stdout)}

    same = ("same", "1 of 2 tasks judged")
    assert verify("--deep") == dict.fromkeys((f"shop/{name}" for name in NAMES), same)
    subprocess.run(["nsenter", f"--root=/proc/{world.by_name()['web-1'].init}/root", "sh", "-c", "echo port 81 >/srv/app.conf"], check=True, timeout=20)
    found = verify("--deep")
    assert found["shop/web-0"] == same and found["shop/web-1"] == ("drifted", "task settings (site.yml:5): differs"), found
    assert "1 of 2 tasks judged" in world.reeve("describe", "node", "shop/web-1")
    assert world.file("web-1", "srv/app.conf") == "port 81\n"  # check mode changes nothing
    world.touch("/srv/broken")
    assert verify("--level", "hook")["shop/web-0"][1].startswith("verify.yml: look (verify.yml:"), verify("--level", "hook")


def test_an_upgrade_has_a_playbook_of_its_own(world):
    """upgrade.yml runs in place of site.yml where another revision was complete, and site.yml again when the same one is repeated."""
    world.site([play(shell("site", "echo site one >>/srv/order"))])
    assert world.upgrade().returncode == 0, world.why()
    upgrade = [play(shell("rolling", "echo upgrade two >>/srv/order; test ! -e /srv/stuck"))]
    world.site([play(shell("site", "echo site two >>/srv/order"))], **{"upgrade.yml": upgrade})
    world.touch("/srv/stuck")
    done = world.upgrade(seconds=60)
    assert done.returncode != 0 and "rolling (upgrade.yml:" in done.stderr, done.stderr
    for machine in world.by_name().values():
        subprocess.run(["nsenter", f"--root=/proc/{machine.init}/root", "rm", "/srv/stuck"], check=True, timeout=20)
    assert run(world, "rollout", "resume", "shop/web").returncode == 0
    until(lambda: world.ready(3), world.why, 40)
    assert run(world, "bootstrap", "run", "shop/web-0", "--rerun", "--yes", seconds=60).returncode == 0, world.why()
    assert [world.file(name, "srv/order").splitlines() for name in NAMES] == [
        ["site one", "upgrade two", "upgrade two", "site two"], *[["site one", "upgrade two", "upgrade two"]] * 2]
    assert "rolling" in world.reeve("logs", "shop/web-1", "--hook", "upgrade")


def test_the_playbook_cleanup_runs_before_a_machine_goes(world):
    """That of the revision that the node has; its output is kept, as that of other hooks, also when the machine is gone."""
    hooks = {f"{name}.yml": [play({"name": f"say {name}", "ansible.builtin.debug": {"msg": f"this is {name}"}})] for name in ("cleanup", "drain", "verify")}
    world.site([play(shell("nothing", "true"))], **hooks)
    assert world.upgrade().returncode == 0, world.why()
    assert run(world, "drain", "shop/web-2", "--yes", seconds=60).returncode == 0, world.why()
    assert "this is drain" in world.reeve("logs", "shop/web-2", "--hook", "drain")
    assert run(world, "undrain", "shop/web-2", seconds=60).returncode == 0, world.why()
    assert run(world, "verify", "shop/web-2", "--level", "hook", seconds=60).returncode == 0
    assert "this is verify" in world.reeve("logs", "shop/web-2", "--hook", "verify")
    assert "this is" not in world.logs("web-2")
    assert "configure" in run(world, "logs", "shop/web-2", "--hook", "other").stderr
    file = json.loads((world.folder / "shop.yaml").read_text())
    for size, decommission in ((3, {"cleanup": "always"}), (2, {"cleanup": "always"})):
        file["groups"]["web"] |= {"size": size, "decommission": decommission, "configuration": "web"}
        (world.folder / "shop.yaml").write_text(json.dumps(file))
        done = run(world, "apply", "-f", "shop.yaml", "--yes", "--allow", "destroy=1", seconds=120)
        assert done.returncode == 0, (done.stderr, world.why())
    said = run(world, "logs", "shop/web-2", "--hook", "cleanup")
    assert "this is cleanup" in said.stdout and "no longer exists" in said.stderr, (said, world.why())
    assert [one["fact"] for one in world.events("node.cleaned")] == ["hooks that have run: 1"]
    file["groups"]["web"] |= {"size": 3}
    (world.folder / "shop.yaml").write_text(json.dumps(file))
    assert run(world, "apply", "-f", "shop.yaml", "--yes", seconds=120).returncode == 0, world.why()


def test_an_aborted_rollout_ends_at_the_next_task(world):
    """The task that runs is completed, and no further one begins. It is the last test: the group stays as it is."""
    world.site([play(shell("first", "echo first >>/srv/tasks; until test -e /srv/first; do sleep 0.1; done"), shell("second", "echo second >>/srv/tasks"))])
    world.push()
    world.reeve("upgrade", "shop/web", "--yes", "--detach")
    until(lambda: all(world.file(name, "srv/tasks") for name in NAMES), world.why, 20)
    world.reeve("rollout", "abort", "shop/web")
    time.sleep(1)
    world.touch("/srv/first")
    until(lambda: len([one for one in world.events("node.failed") if "stopped before the next task" in one["fact"]]) == 3, world.why, 20)
    assert [world.file(name, "srv/tasks").split() for name in NAMES] == [["first"]] * 3
