"""Probes by TCP: who is sick, who is unreachable, and what is done about it (K3, K28, X5, X6)."""
import contextlib
import csv
import json
import os
import re
import signal
import socket
import subprocess
import time

import pytest

import plugin
from conftest import REEVE
from manager import Manager, until

NETWORK = "127.0.9"  # every address of 127/8 is ours on loopback


class Door:
    """Somebody listens at an address, or nobody."""

    def __init__(self, address, port):
        self.address, self.port, self.socket, self.fillers = address, port, None, []

    def open(self):
        self.socket = socket.create_server((self.address, self.port), backlog=4096)  # probes come, and nobody takes them
        return self

    def cut(self):
        """No packet is answered any more, as behind a firewall: the queue of connections is full."""
        self.close()
        self.socket = socket.create_server((self.address, self.port), backlog=0)
        for _ in range(8):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex((self.address, self.port))
            self.fillers.append(filler)

    def close(self):
        for one in [self.socket, *self.fillers]:
            if one:
                one.close()
        self.socket, self.fillers = None, []


@pytest.fixture
def doors():
    """Four machines' doors, all open; the port is free on all of them."""
    with contextlib.ExitStack() as stack:
        first = Door(f"{NETWORK}.0", 0).open()
        port = first.socket.getsockname()[1]
        first.close()
        found = [Door(f"{NETWORK}.{n}", port).open() for n in range(4)]
        for door in found:
            stack.callback(door.close)
        yield found


@pytest.fixture
def keeping(tmp_path):
    plugin.build(tmp_path / "data/installed", "dir")
    running = Manager(tmp_path, control=True).start()
    yield running
    assert running.stop() in (0, None), running.log.read_text()


def cluster(port, **group):
    probe = {"tcp": port, "every": "100ms", "fail": 2, "timeout": "500ms"}
    return {"name": "shop", "version": "1", "groups": {"web": {
        "size": 4, "resourcePlugin": {"name": "dir"}, "resourceProperties": {"address": NETWORK + ".{n}"},
        "replaceAfter": "1s", "health": {"probe": probe, "grace": "0s"}, **group}}}


def nodes(manager):
    return {row["status"]["name"]: row["status"] for row in manager.get("/v1/resources?cluster=shop").json["items"]}


def ready(manager):
    until(lambda: manager.get("/v1/clusters/shop").json.get("status", {}).get("machines", {}).get("ready") == 4)


def describe(manager, *words):
    """What reeve describe says."""
    done = subprocess.run([str(REEVE), "describe", *words], capture_output=True, text=True, check=False, timeout=240,
                          env={**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": str(manager.folder)})
    assert done.returncode == 0, done.stderr
    return done.stdout


def table(manager, kind):
    """What reeve get says, as rows."""
    done = subprocess.run([str(REEVE), "get", kind, "-o", "csv"], capture_output=True, text=True, check=False, timeout=240,
                          env={**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": str(manager.folder)})
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(done.stdout.splitlines()))


def types(manager):
    return [(event["type"], event.get("node")) for event in manager.get("/v1/events?cluster=shop&limit=500").json["items"]]


def test_nodes_that_never_answered_are_unhealthy_in_their_job_too(keeping, doors):
    """They exist, so none is being made; and while healing is held the job waits, and says so."""
    for door in doors:
        door.close()
    keeping.apply(cluster(doors[0].port))
    until(lambda: any(one["status"]["rule"] == "unhealthy_brake" for one in keeping.get("/v1/holds?cluster=shop").json["items"]), keeping.log.read_text)

    def counts():
        *_, job = keeping.get("/v1/jobs?cluster=shop").json["items"]
        found = keeping.get("/v1/clusters/shop").json["status"]["machines"]
        return job["status"]["state"], *[(job["status"]["machines"].get(name), found[name]) for name in ("creating", "unhealthy", "ready")]

    until(lambda: counts() == ("waiting", (0, 0), (4, 4), (0, 0)), lambda: str(counts()))

    def apply(**changes):
        return subprocess.run([str(REEVE), "apply", "-f", "-", "--yes"], input=json.dumps(cluster(doors[0].port, **changes)), capture_output=True,
                              text=True, check=False, timeout=120, env={**os.environ, "REEVE_URL": f"unix:{keeping.socket}", "HOME": str(keeping.folder)})

    for code, subject, words, changes in ((0, "cluster/shop", "nothing to do", {}), (1, "job/", "changed cluster/shop", {"labels": {"tier": "front"}})):
        done = apply(**changes)
        assert done.returncode == code and words in done.stderr, done
        assert f"warning[R0028]: {subject}" in done.stderr and " waits for hold/shop/web:unhealthy_brake: 4 of 4" in done.stderr, done
        assert "raise maxUnhealthy" in done.stderr, done
    for door in doors:
        door.open()
    until(lambda: counts()[0] == "done" and counts()[3] == (4, 4), lambda: str(counts()))


def test_one_that_stops_listening_is_unhealthy_and_replaced(keeping, doors):
    keeping.apply(cluster(doors[0].port))
    ready(keeping)
    before = nodes(keeping)
    doors[2].close()
    until(lambda: ("machine.unhealthy", "web-2") in types(keeping))
    until(lambda: nodes(keeping).get("web-2", {}).get("id") not in (None, before["web-2"]["id"]))
    assert {name: row["id"] for name, row in nodes(keeping).items() if name != "web-2"} == \
        {name: row["id"] for name, row in before.items() if name != "web-2"}


def test_one_that_listens_again_in_time_stays(keeping, doors):
    keeping.apply(cluster(doors[0].port, replaceAfter="60s"))
    ready(keeping)
    before = nodes(keeping)
    doors[1].close()
    until(lambda: nodes(keeping)["web-1"].get("unhealthy"))
    assert "refused" in nodes(keeping)["web-1"]["cause"]
    doors[1].open()
    until(lambda: ("machine.healthy", "web-1") in types(keeping))
    assert not nodes(keeping)["web-1"].get("unhealthy")
    assert nodes(keeping)["web-1"]["id"] == before["web-1"]["id"]


def test_one_is_ready_when_it_has_answered(keeping, doors):
    doors[3].close()
    keeping.apply(cluster(doors[0].port, health={**cluster(doors[0].port)["groups"]["web"]["health"], "grace": "5m"}))
    until(lambda: {name for kind, name in types(keeping) if kind == "machine.ready"} == {"web-0", "web-1", "web-2"})
    until(lambda: ("machine.running", "web-3") in types(keeping))

    def counts():
        """As a pass has counted them last: the event of a machine comes with its answer, which may be before."""
        machines = keeping.get("/v1/clusters/shop").json["status"]["machines"]
        return machines["ready"], machines["creating"], machines["unhealthy"]
    until(lambda: counts() == (3, 1, 0), counts)
    assert nodes(keeping)["web-3"]["starting"] and "starting" not in nodes(keeping)["web-0"]
    assert [job["status"]["state"] for job in keeping.get("/v1/jobs?cluster=shop").json["items"]] == ["running"]
    shown = describe(keeping, "node", "shop/web-3")
    assert "state      starting" in shown and "probe      has not been answered yet" in shown, shown
    doors[3].open()
    ready(keeping)
    assert "starting" not in nodes(keeping)["web-3"]
    until(lambda: keeping.get("/v1/jobs?cluster=shop").json["items"][0]["status"]["state"] == "done")


def test_one_that_runs_is_ready_where_the_group_says_so(keeping, doors):
    for door in doors:
        door.close()
    keeping.apply(cluster(doors[0].port, ready="running", heal="off", onUnreachable="hold"))
    until(lambda: [job["status"]["state"] for job in keeping.get("/v1/jobs?cluster=shop").json["items"]] == ["done"])
    assert {name for kind, name in types(keeping) if kind == "machine.ready"} == {"web-0", "web-1", "web-2", "web-3"}
    until(lambda: nodes(keeping)["web-0"].get("unhealthy"))  # what its probe says is told all the same


def test_a_rule_that_is_not_the_planners_is_named_alone(keeping, doors):
    keeping.apply(cluster(doors[0].port, heal="off"))
    ready(keeping)
    event = next(event for event in keeping.get("/v1/events?cluster=shop&limit=500").json["items"] if event.get("rule") == "probe")
    done = subprocess.run([str(REEVE), "why", f"event/shop/{event['number']}"], capture_output=True, text=True, check=False, timeout=240,
                          env={**os.environ, "REEVE_URL": f"unix:{keeping.socket}", "HOME": str(keeping.folder)})
    assert done.returncode == 0 and re.search(r"^  rule +probe$", done.stdout, re.M), done.stdout + done.stderr


def test_health_is_shown_as_its_signals(keeping, doors):
    keeping.apply(cluster(doors[0].port, heal="off"))
    ready(keeping)
    doors[1].close()
    until(lambda: nodes(keeping)["web-1"].get("unhealthy"))
    until(lambda: keeping.get("/v1/clusters/shop").json["status"]["machines"]["unhealthy"] == 1)
    shown = describe(keeping, "node", "shop/web-1")
    assert "state      unhealthy" in shown and "provider   reports that the machine runs, since 20" in shown, shown
    assert "probe      fails, since 20" in shown and "refused" in shown, shown
    well = describe(keeping, "node", "shop/web-0")
    assert "state      ready" in well and "probe      is answered, since 20" in well, well


def test_many_unhealthy_at_once_are_a_hold(keeping, doors):
    keeping.apply(cluster(doors[0].port, replaceAfter="4s"))
    ready(keeping)
    before = nodes(keeping)
    keeping.process.send_signal(signal.SIGSTOP)  # it sees them closed at once, however long that takes
    for door in doors[:3]:
        door.close()
    keeping.process.send_signal(signal.SIGCONT)
    until(lambda: "unhealthy" in json.dumps(keeping.get("/v1/holds?cluster=shop").json["items"]))
    assert {row["id"] for row in nodes(keeping).values()} == {row["id"] for row in before.values()}
    held = next(row for row in table(keeping, "holds") if "unhealthy_brake" in row["NAME"])
    assert held["NODES"] == "web-[0-2]" and "web-0 unhealthy: " in held["CAUSE"] and ", since 20" in held["CAUSE"], held
    assert "1 more" in held["CAUSE"] and held["NEXT"] == "reeve does nothing until the hold unhealthy_brake ends", held
    group = table(keeping, "nodegroups")[0]
    assert [group[name] for name in ("SIZE", "READY", "UNHEALTHY", "FAILED", "UNREACHABLE", "OUTDATED")] == ["4", "1", "3", "0", "0", "0"]


def test_a_replacement_counts_the_failures_after_its_request(keeping, doors):
    """Machines that were unhealthy before do not stop it, and one of its own does; promote goes on then (a new-user trial)."""
    def held():
        return {one["status"]["rule"] for one in keeping.get("/v1/holds?cluster=shop").json["items"]}

    keeping.apply(cluster(doors[0].port, maxUnhealthy="10%"))
    ready(keeping)
    before = {name: row["id"] for name, row in nodes(keeping).items()}
    for door in doors[1:]:
        door.close()
    until(lambda: "unhealthy_brake" in held(), keeping.log.read_text)
    doors[1].open()
    assert keeping.patch("/v1/nodegroups/shop/web?replace=web-1&allow=replace:1", {}).status == 200
    until(lambda: "roll_failed" in held() or ("machine.gone", "web-1") in types(keeping), keeping.log.read_text)
    assert "roll_failed" not in held() and nodes(keeping)["web-1"]["id"] != before["web-1"]
    assert keeping.patch("/v1/nodegroups/shop/web?replace=web-2,web-3&allow=replace:2", {}).status == 200
    until(lambda: "roll_failed" in held(), keeping.log.read_text)
    made = [event["node"] for event in keeping.get("/v1/events?cluster=shop&limit=500").json["items"] if event["type"] == "machine.created"]
    assert made[4:] == ["web-1", "web-2"], made
    status = subprocess.run([str(REEVE), "rollout", "status", "shop/web"], capture_output=True, text=True, check=True, timeout=60,
                            env={**os.environ, "REEVE_URL": f"unix:{keeping.socket}", "HOME": str(keeping.folder)}).stdout
    assert "waiting: 2 of 4 as wanted, 2 to be replaced; unhealthy machines: 3" in status, status
    assert keeping.post("/v1/nodegroups/shop/web/say", {"command": "approve", "rule": "roll_failed"}).status in (200, 201)
    until(lambda: ("machine.created", "web-3") in types(keeping)[-6:], keeping.log.read_text)


def test_heal_off_shows_and_leaves(keeping, doors):
    keeping.apply(cluster(doors[0].port, heal="off"))
    ready(keeping)
    before = nodes(keeping)
    doors[3].close()
    until(lambda: nodes(keeping)["web-3"].get("unhealthy"))
    for _ in range(3):
        assert keeping.ask("POST", "/v1/clusters/shop/pass").status == 200
    assert nodes(keeping)["web-3"]["id"] == before["web-3"]["id"]


def test_without_a_probe_nobody_is_unhealthy(keeping, doors):
    keeping.apply(cluster(doors[0].port, heal="off"))
    ready(keeping)
    doors[0].close()
    until(lambda: nodes(keeping)["web-0"].get("unhealthy"))
    keeping.apply(cluster(doors[0].port, heal="off", health=None))
    until(lambda: ("machine.healthy", "web-0") in types(keeping))


def test_a_restart_remembers_who_is_unhealthy(keeping, doors):
    keeping.apply(cluster(doors[0].port, heal="off"))
    ready(keeping)
    doors[0].close()
    until(lambda: nodes(keeping)["web-0"].get("unhealthy"))
    since = nodes(keeping)["web-0"]["unhealthy"]
    keeping.stop()
    keeping.start()
    assert nodes(keeping)["web-0"]["unhealthy"] == since
    doors[0].open()
    until(lambda: ("machine.healthy", "web-0") in types(keeping))


def test_who_is_unhealthy_goes_first_and_the_plan_says_so(keeping, doors):
    """However short a time it is so (F34)."""
    keeping.apply(cluster(doors[0].port, heal="off", replaceAfter="1h"))
    ready(keeping)
    doors[1].close()
    until(lambda: nodes(keeping)["web-1"].get("unhealthy"))
    path, size = "/v1/nodegroups/shop/web?", {"size": 3}
    planned = keeping.patch(path + "dry-run=1", size).json["plan"][0]["groups"][0]
    assert planned["destroy"] == "web-1" and planned["victims"] == {"unhealthy": "web-1"}
    told = keeping.patch(path + "allow=destroy:1", size)
    assert told.status == 200 and told.json["plan"][0]["groups"][0]["destroy"] == "web-1"
    until(lambda: sorted(nodes(keeping)) == ["web-0", "web-2", "web-3"])


def rules(manager):
    return {row["status"]["rule"] for row in manager.get("/v1/holds?cluster=shop").json["items"]}


@pytest.mark.parametrize("most", ["34%", "100%"])
def test_a_manager_that_is_cut_off_destroys_nothing(keeping, doors, most):
    """Its own connections to three of four machines are blocked: 0 destroyed, one hold, which ends by itself (F29)."""
    keeping.apply(cluster(doors[0].port, onUnreachable="replace", maxUnhealthy=most))
    ready(keeping)
    before = {name: row["id"] for name, row in nodes(keeping).items()}
    for door in doors[:3]:
        door.cut()
    until(lambda: "self_suspicion" in rules(keeping))
    until(lambda: sum(bool(row.get("unreachable")) for row in nodes(keeping).values()) == 3, lambda: nodes(keeping))
    begun = time.monotonic()
    until(lambda: time.monotonic() - begun > 3)  # replaceAfter is over for all of them
    for _ in range(3):
        assert keeping.ask("POST", "/v1/clusters/shop/pass").status == 200
    assert {name: row["id"] for name, row in nodes(keeping).items()} == before
    assert "machine.condemned" not in {kind for kind, _ in types(keeping)}
    for door in doors[:3]:
        door.close()
        door.open()
    until(lambda: not rules(keeping))
    until(lambda: not any(row.get("unreachable") for row in nodes(keeping).values()))
    assert {name: row["id"] for name, row in nodes(keeping).items()} == before
    assert "machine.condemned" not in {kind for kind, _ in types(keeping)}


def test_an_operator_who_approves_believes_the_probes(keeping, doors):
    keeping.apply(cluster(doors[0].port, onUnreachable="replace", maxUnhealthy="100%"))
    ready(keeping)
    for door in doors[:3]:
        door.cut()
    until(lambda: "self_suspicion" in rules(keeping))
    assert keeping.post("/v1/clusters/shop/say", {"command": "approve", "rule": "self_suspicion"}).status == 200
    until(lambda: "machine.condemned" in {kind for kind, _ in types(keeping)})


def test_who_is_unreachable_goes_before_who_is_healthy(keeping, doors):
    """Whatever onUnreachable says; the plan names the states, and warns where an operator wants it otherwise (F34)."""
    keeping.apply(cluster(doors[0].port, onUnreachable="hold", replaceAfter="1h"))
    ready(keeping)
    doors[1].cut()
    until(lambda: nodes(keeping)["web-1"].get("unreachable"))
    path, size = "/v1/nodegroups/shop/web?", {"size": 3}
    named = keeping.patch(path + "victims=web-2&dry-run=1", size).json["plan"][0]["groups"][0]
    assert named["victims"] == {"healthy": "web-2"} and named["spares"] == {"unreachable": "web-1"}
    shown = subprocess.run([str(REEVE), "scale", "shop/web", "3", "--pick", "web-2", "--dry-run"], capture_output=True, text=True, check=False, timeout=240,
                           env={**os.environ, "REEVE_URL": f"unix:{keeping.socket}", "HOME": str(keeping.folder)})
    said = shown.stdout + shown.stderr
    assert "victims: healthy web-2" in said and "warning: healthy machines are destroyed, although these unhealthy machines stay: unreachable web-1" in said, said
    planned = keeping.patch(path + "dry-run=1", size).json["plan"][0]["groups"][0]
    assert planned["destroy"] == "web-1" and planned["victims"] == {"unreachable": "web-1"} and "spares" not in planned
    assert keeping.patch(path + "allow=destroy:1", size).status == 200
    until(lambda: sorted(nodes(keeping)) == ["web-0", "web-2", "web-3"])
