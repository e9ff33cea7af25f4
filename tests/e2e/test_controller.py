"""reeve-controller: one pass over one cluster, and the exit codes of a manager's passes (K1, K19 to K23, K29)."""

import concurrent.futures
import datetime
import fcntl
import json
import pathlib
import socket
import subprocess
import time

import pytest

from conftest import REEVE
from manager import Manager, machine_files, machines_in, reeve, until

CONTROLLER = REEVE.parent / "reeve-controller"
FILE = {"name": "file"}


def groups(**sizes):
    """A cluster of machines that are files."""
    return {"name": "shop", "version": "1",
            "groups": {path: {"size": size, "resourcePlugin": FILE} for path, size in sizes.items()}}


@pytest.fixture
def kept(tmp_path):
    """A manager that keeps nothing, whose store has a cluster; it has ended."""
    manager = Manager(tmp_path).start()
    manager.apply(groups(web=3, db=1))
    assert manager.stop() == 0
    return manager


def run(manager, *words):
    """One run of reeve-controller on that store."""
    return subprocess.run([str(CONTROLLER), *words, "--data", str(manager.folder / "data"), "--haste", "100"],
                          capture_output=True, text=True, check=False, timeout=240)


def machines(manager):
    """The machines there are, by name."""
    return sorted(machine["name"] for machine in machines_in(manager.folder).values())


def test_one_pass_makes_what_is_wanted(kept):
    done = run(kept, "shop")
    assert done.returncode == 0, done.stderr
    assert "create    web/2" in done.stdout and "4 actions" in done.stdout
    assert machines(kept) == ["db-0", "web-0", "web-1", "web-2"]
    assert run(kept, "shop").returncode == 0  # they run
    quiet = run(kept, "shop")
    assert quiet.returncode == 0 and quiet.stdout.startswith("4 machines, 0 actions, 0 holds")
    assert machines(kept) == ["db-0", "web-0", "web-1", "web-2"]


def test_the_folder_of_its_store_may_be_named_from_here(tmp_path, monkeypatch):
    """Plugins are told where they may write, wherever they stand."""
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    with Manager(pathlib.Path("../a"), "--haste", "100", control=True).start() as manager:
        manager.apply(groups(web=1))
        settled(manager, ["web-0"])


def test_who_has_another_name_keeps_its_machines_until_they_have_moved(kept):
    """Two changes before one pass: the second one would have taken away whose they are (decision 0092)."""
    assert run(kept, "shop").returncode == 0 and run(kept, "shop").returncode == 0
    renamed = groups(web=3, data=1)
    renamed["groups"]["data"]["renamedFrom"] = "db"
    further = groups(web=3, store=1)
    further["groups"]["store"]["renamedFrom"] = "data"
    with kept.start():
        kept.apply(renamed)
        kept.apply(groups(web=4, data=1) | {"groups": {**renamed["groups"], "web": groups(web=4)["groups"]["web"]}})  # what keeps the word waits for nothing
        ways = {"forgotten": lambda: kept.post("/v1/apply", {"documents": [groups(web=4, data=1)]}),
                "again": lambda: kept.post("/v1/apply", {"documents": [groups(web=4, data=1, db=1)]}),
                "renamed again": lambda: kept.post("/v1/apply", {"documents": [further]}),
                "beside it": lambda: kept.post("/v1/nodegroups", {"cluster": "shop", "name": "db", "size": 1, "resourcePlugin": FILE}),
                "deleted": lambda: kept.ask("DELETE", "/v1/nodegroups/shop/data?allow=destroy:9"),
                "a plan": lambda: kept.post("/v1/apply?dry-run=1", {"documents": [groups(web=4, data=1)]})}
        with concurrent.futures.ThreadPoolExecutor(len(ways)) as pool:
            answers = {name: pool.submit(way) for name, way in ways.items()}
        told = {name: (one.result().status, one.result().code) for name, one in answers.items()}
        assert told.pop("beside it") in ((409, "R0438"), (422, "R0333")), told
        assert set(told.values()) == {(409, "R0438")}, told
    assert run(kept, "shop").returncode == 0 and machines(kept) == ["db-0", "web-0", "web-1", "web-2", "web-3"]
    with kept.start():
        kept.apply(groups(web=4, data=1, db=1))
    assert run(kept, "shop").returncode == 0 and machines(kept) == ["db-0", "db-0", "web-0", "web-1", "web-2", "web-3"]


def test_dry_run_changes_nothing(kept):
    done = run(kept, "shop", "--dry-run")
    assert done.returncode == 0 and "create    db/0" in done.stdout
    assert machines(kept) == []
    assert run(kept, "shop", "--dry-run").stdout == done.stdout


def test_what_is_wrong_is_said(kept, tmp_path):
    assert run(kept, "none").returncode == 4
    assert run(kept).returncode == 2 and "name the cluster" in run(kept).stderr
    assert run(kept, "shop", "--nonsense").returncode == 2
    assert run(kept, "shop", "--help").stdout.startswith("reeve-controller:")
    with Manager(tmp_path).start() as running:
        used = run(running, "shop")
    assert used.returncode == 7 and "R0548" in used.stderr and "reconciles no clusters" in used.stderr


def test_the_managers_configuration_is_its_own(kept, tmp_path):
    config = tmp_path / "reeved.yaml"
    config.write_text(f"data: {kept.folder}/data\nplugins: {{file: {{}}}}\n")
    words = ["shop", "--dry-run", "--config", str(config), "--haste", "100"]
    done = subprocess.run([str(CONTROLLER), *words], capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0 and "create    db/0" in done.stdout, done
    config.write_text("dat: x\n")
    done = subprocess.run([str(CONTROLLER), *words], capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 3 and "reeved.yaml:1:1: error[R0301]" in done.stderr and "'data'" in done.stderr, done


def test_the_manager_that_owns_the_store_makes_the_pass(keeping):
    keeping.apply(groups(web=3, db=1))
    ready(keeping, 4)
    done = run(keeping, "shop")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("4 machines, 0 actions, 0 holds, revision ")
    def noted():
        """What a pass would do about a machine that is gone, while the manager itself has not made it again."""
        machine_files(keeping.folder)[0].unlink()
        seen = run(keeping, "shop", "--dry-run")
        assert seen.returncode == 0, seen.stderr
        ready(keeping, 4)
        return "note " in seen.stdout
    until(noted)
    assert run(keeping, "none").returncode == 4
    keeping.apply({"name": "odd", "version": "1", "groups": {"a": {"size": 1, "resourcePlugin": {"name": "x"}}}},
                  query="?allow-missing-plugin=1")
    held = run(keeping, "odd")
    assert held.returncode == 5 and "[unlisted]" in held.stdout, held.stdout
    assert keeping.post("/v1/nodegroups/shop/web/pass", {}).code == "R0426"


def settled(manager, wanted, seconds=240):
    """Wait until these machines are there, and no other."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if machines(manager) == wanted:
            return
        time.sleep(0.02)
    raise AssertionError((machines(manager), wanted, manager.get("/v1/holds").text))


def ready(manager, count, seconds=240):
    """Wait until the manager knows that all it wants runs."""
    deadline = time.monotonic() + seconds
    status = {}
    while time.monotonic() < deadline:
        status = manager.get("/v1/clusters/shop").json.get("status", {}).get("machines", {})
        if status.get("ready") == status.get("wanted") == count:
            return
        time.sleep(0.02)
    raise AssertionError(status)


@pytest.fixture
def keeping(tmp_path):
    """A manager that keeps clusters, in haste."""
    with Manager(tmp_path, "--haste", "100", control=True).start() as manager:
        yield manager


def test_an_owner_that_dies_under_the_request_is_followed(kept):
    """What a manager leaves that was just starting a child: a lock, and a socket at which nobody answers any more."""
    path = kept.folder / "dying"
    (kept.folder / "data/manager").write_text(f"unix:{path}\n")
    with (kept.folder / "data/store.lock").open("r+b") as lock, \
            socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        listener.bind(str(path))
        listener.listen(8)
        listener.settimeout(30)
        process = subprocess.Popen([str(CONTROLLER), "shop", "--data", str(kept.folder / "data"), "--haste", "100"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        request = listener.accept()[0]
        lock.close()  # it goes first, as both go at once where a process ends
        request.close()  # with its request unread: reset by peer
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0 and "4 actions" in out, (out, err)


def test_an_owner_that_is_no_manager_is_reported(kept):
    with (kept.folder / "data/store.lock").open("r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        done = run(kept, "shop")
    assert done.returncode == 7 and "R0507" in done.stderr, done


def test_K29_all_machines_deleted_outside_are_made_again(keeping):
    keeping.apply(groups(web=3))
    settled(keeping, ["web-0", "web-1", "web-2"])
    ready(keeping, 3)
    for path in machine_files(keeping.folder):
        path.unlink()
    settled(keeping, ["web-0", "web-1", "web-2"])


def test_K28_healing_is_off_and_a_machine_is_gone(keeping):
    document = groups(web=2)
    document["groups"]["web"]["heal"] = "off"
    keeping.apply(document)
    settled(keeping, ["web-0", "web-1"])
    ready(keeping, 2)
    machine_files(keeping.folder)[0].unlink()
    time.sleep(5)  # windows are two seconds long here
    assert len(machines(keeping)) == 1


def test_paused_and_resumed(keeping):
    keeping.apply(groups(web=1))
    settled(keeping, ["web-0"])
    assert keeping.post("/v1/clusters/shop/say", {"command": "pause", "why": "moving"}).status == 200
    assert keeping.post("/v1/clusters/shop/say", {"command": "pause"}).status == 409
    keeping.apply(groups(web=3))
    deadline = time.monotonic() + 60
    while keeping.get("/v1/clusters/shop").json["status"]["machines"]["wanted"] != 3:  # it has looked since
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert machines(keeping) == ["web-0"]
    hold = keeping.get("/v1/holds?cluster=shop").json["items"][0]
    assert hold["status"]["rule"] == "paused" and hold["metadata"]["cluster"] == "shop"
    assert keeping.post("/v1/clusters/shop/say", {"command": "resume"}).status == 200
    settled(keeping, ["web-0", "web-1", "web-2"])
    for word in ("pause", "resume", "pause", "resume"):  # not once only
        said = keeping.post("/v1/clusters/shop/say", {"command": word})
        assert said.status == 200, said.text
        assert keeping.get(f"/v1/clusters/shop?min-revision={said.json['revision']}").status == 200


@pytest.mark.parametrize("path", ["", "/web"])
def test_a_pause_ends_by_itself(keeping, path):
    """Nobody has to be awake for it; and whoever says it again has the last word."""
    keeping.apply(groups(web=1))
    settled(keeping, ["web-0"])
    subject = f"/v1/{'nodegroups' if path else 'clusters'}/shop{path}"
    for body in ({"for": "0s"}, {"for": "999ms"}, {"for": "367d"}, {"for": "soon"}, {"for": ["1h"]}, {"for": ""}):
        refused = keeping.post(f"{subject}/say", {"command": "pause", **body})
        assert (refused.status, refused.code) == (400, "R0426"), body
    assert "applies to pause" in keeping.post(f"{subject}/say", {"command": "resume", "for": "1h"}).text
    assert keeping.post(f"{subject}/say", {"command": "pause"}).status == 200
    assert keeping.post(f"{subject}/say", {"command": "pause"}).status == 409
    for time_text in ("1h", "2h"):  # each takes the place of the one before
        assert keeping.post(f"{subject}/say", {"command": "pause", "for": time_text, "why": "noon"}).status == 200

    def paused():
        """The holds, or that it has ended before they were seen."""
        return [one for one in keeping.get("/v1/holds?cluster=shop").json["items"] if one["status"]["rule"] == "paused"] or time.time() > said + seconds

    for size, seconds in enumerate((4, 12, 36), 2):  # so long that it is seen
        begin = time.time()
        assert keeping.post(f"{subject}/say", {"command": "pause", "for": f"{seconds}s", "why": "a while"}).status == 200
        said = time.time()
        keeping.apply(groups(web=size))
        holds = until(paused)
        if holds is not True:
            break
    (pause,) = holds[0]["status"]["pauses"]
    ends = datetime.datetime.fromisoformat(pause["until"]).timestamp()
    assert pause["why"] == "a while" and begin < ends <= said + seconds
    wanted = [f"web-{number}" for number in range(size)]
    assert machines(keeping) == wanted[:-1] or time.time() >= ends
    settled(keeping, wanted)
    assert time.time() >= ends
    assert keeping.post(f"{subject}/say", {"command": "resume"}).status == 409  # it is not paused any more
    assert keeping.post(f"{subject}/say", {"command": "pause"}).status == 200


def test_resuming_a_cluster_names_the_groups_that_are_paused_by_themselves(keeping):
    """On the command line, which prints what the manager answers."""
    keeping.apply(groups(web=1, db=1, lab=1))

    def resume(*words, code=0):
        return " ".join(reeve(keeping, "resume", *words, code=code).split())

    said = resume("shop", code=5)
    assert "cluster 'shop' is not paused" in said and "groups" not in said, said
    for name in ("web", "db"):
        assert keeping.post(f"/v1/nodegroups/shop/{name}/say", {"command": "pause"}).status == 200
    said = resume("shop", code=5)
    assert "'shop' is not paused, but groups of it are: shop/db shop/web" in said and "reeve resume shop/db shop/web" in said, said
    said = resume("--all")
    assert "groups of it are: shop/db shop/web" in said, said
    assert keeping.post("/v1/clusters/shop/say", {"command": "pause"}).status == 200
    said = resume("shop")
    assert "stay paused: reeve resume shop/db shop/web" in said, said
    resume("shop/db", "shop/web")


@pytest.mark.parametrize("path", ["", "/web"])
def test_what_is_paused_is_deleted_with_its_pause_by_who_has_seen_it(keeping, path):
    """Not to be resumed first: it would go on for that moment."""
    keeping.apply(groups(web=2, db=1))
    settled(keeping, ["db-0", "web-0", "web-1"])
    subject = f"/v1/{'nodegroups' if path else 'clusters'}/shop{path}"
    assert keeping.post(f"{subject}/say", {"command": "pause", "why": "not before noon"}).status == 200
    keeping.apply(groups(web=5, db=1))  # what would be made if it went on
    refused = keeping.ask("DELETE", "/v1/clusters/shop?allow=destroy:9")
    assert refused.status == 409 and refused.code == "R0437" and "allow=lift:1" in refused.text
    assert f"'shop{path}' is paused by " in refused.text and "this change would end the pause" in refused.text
    for told in (refused.json["plan"], keeping.ask("DELETE", "/v1/clusters/shop?dry-run=1").json):
        (lift,) = told["lifts"]
        assert (lift["kind"], lift["name"], lift["why"]) == ("NodeGroup" if path else "Cluster", f"shop{path}", "not before noon")
        assert lift["by"] and lift["at"] and told["needs"]["lift"] == 1
    assert machines(keeping) == ["db-0", "web-0", "web-1"]
    assert keeping.ask("DELETE", "/v1/clusters/shop?allow=destroy:9,lift:1").status == 200
    settled(keeping, [])
    made = [one for one in keeping.get("/v1/events?limit=1000").json["items"] if one["type"] == "machine.wanted"]
    assert len(made) == 3, "none was made on the way"


def test_a_paused_group_does_not_go_and_its_pause_goes_with_it(keeping):
    """Not by being left out either; by another name it stays paused, and one that is new by the old name is not."""
    keeping.apply(groups(web=2, db=2))
    settled(keeping, ["db-0", "db-1", "web-0", "web-1"])
    assert keeping.post("/v1/nodegroups/shop/db/say", {"command": "pause"}).status == 200
    assert keeping.ask("DELETE", "/v1/nodegroups/shop/db?allow=destroy:9").code == "R0437"
    assert keeping.ask("DELETE", "/v1/nodegroups/shop/db?dry-run=1").json["lifts"][0]["name"] == "shop/db"
    left = keeping.ask("PUT", "/v1/clusters/shop?allow=destroy:9", json.dumps(groups(web=2)), Content_Type="application/json")
    assert left.code == "R0437" and "'shop/db' is paused" in left.text
    renamed = groups(web=2, data=5)
    renamed["groups"]["data"]["renamedFrom"] = "db"
    keeping.apply(renamed)
    keeping.apply({**renamed, "groups": {**groups(web=2, data=5, db=1)["groups"]}})
    until(lambda: len(machines(keeping)) == 5 and keeping.get("/v1/clusters/shop").json["status"]["machines"]["wanted"] == 8)
    assert keeping.post("/v1/clusters/shop/pass", {}).status == 200
    assert len(machines(keeping)) == 5, "two of web, two of data, which is paused, and db, which is not"
    assert keeping.ask("DELETE", "/v1/clusters/shop?allow=destroy:9").code == "R0437"
    assert keeping.post("/v1/nodegroups/shop/db/say", {"command": "resume"}).status == 409
    assert keeping.post("/v1/nodegroups/shop/data/say", {"command": "resume"}).status == 200
    until(lambda: len(machines(keeping)) == 8)
    assert keeping.ask("DELETE", "/v1/nodegroups/shop/data?allow=destroy:9").status == 200


def test_an_undo_renames_a_group_back(keeping):
    """Its machines stay, also when the file that renamed it is applied again (a new-user trial); what was renamed twice is not guessed."""
    def undo(**body):
        return keeping.post("/v1/clusters/shop/undo", body)

    def members(group):
        return sorted(item["metadata"]["name"] for item in keeping.get("/v1/resources?cluster=shop").json["items"] if item["metadata"]["group"] == group)

    def file(name, former):
        return {**groups(), "groups": {name: {**groups(web=2)["groups"]["web"], "renamedFrom": former}}}

    keeping.apply(groups(web=2))
    settled(keeping, ["web-0", "web-1"])
    first = keeping.get("/v1/clusters/shop?view=history").json["items"][0]["revision"]
    for name, change in (("data", lambda: keeping.apply(file("data", "web"))), ("web", undo), ("data", undo), ("web", undo),
                         ("data", lambda: keeping.apply(file("data", "web")))):
        answer = change()
        assert answer.status == 200 and answer.json["needs"].get("destroy", 0) == 0, answer.text
        until(lambda: members(name) == ["web-0", "web-1"], keeping.log.read_text)
    assert "renamed from 'web'" in keeping.post("/v1/nodegroups/shop/data/undo", {}).json["hint"]
    keeping.apply(file("store", "data"))
    until(lambda: members("store") == ["web-0", "web-1"], keeping.log.read_text)
    refused = undo(to=first)
    assert refused.code == "R0440" and "reeve undo shop --to REVISION" in refused.json["hint"], refused.text
    assert undo().status == 200 and machines(keeping) == ["web-0", "web-1"]


def test_X3_a_deleted_cluster_takes_its_machines_along(keeping):
    keeping.apply(groups(web=3, db=1))
    settled(keeping, ["db-0", "web-0", "web-1", "web-2"])
    assert keeping.ask("DELETE", "/v1/nodegroups/shop/db?allow=destroy:1").status == 200
    settled(keeping, ["web-0", "web-1", "web-2"])
    assert keeping.ask("DELETE", "/v1/clusters/shop?allow=destroy:4").status == 200
    settled(keeping, [])
    keeping.apply(groups(web=1))  # the name is free, and what was is not taken for it
    settled(keeping, ["web-0"])


def test_a_status_says_how_it_stands(keeping):
    keeping.apply(groups(web=2))
    settled(keeping, ["web-0", "web-1"])
    ready(keeping, 2)
    assert keeping.get("/v1/clusters/shop").json["status"]["machines"] == {
        "creating": 0, "failed": 0, "leaving": 0, "outdated": 0, "ready": 2, "unhealthy": 0, "unreachable": 0, "wanted": 2}


def test_words_stand_beside_each_other(keeping):
    """To pause does not take away what was said of a rollout."""
    keeping.apply(groups(web=1))
    for word in ("rollout-pause", "pause", "retry", "resume", "rollout-resume"):
        assert keeping.post("/v1/nodegroups/shop/web/say", {"command": word}).status == 200, word
    assert keeping.post("/v1/nodegroups/shop/web/say", {"command": "sing"}).status in (400, 422)
    assert keeping.post("/v1/nodegroups/shop/web/say", {"command": "approve", "rule": "x"}).status == 404
    types = [event["type"] for event in keeping.get("/v1/events?cluster=shop").json["items"]]
    assert "nodegroup.paused" in types and "nodegroup.rollout.paused" in types


def test_a_hold_is_answered_by_the_name_it_is_shown_with(keeping, reeve):
    """As get prints it: -o name, with and without hold/."""
    document = groups(web=1)
    document["groups"]["web"]["resourcePlugin"] = {"name": "nobody"}
    keeping.apply(document, query="?allow-missing-plugin=1")
    at = {"REEVE_URL": f"unix:{keeping.socket}", "HOME": str(keeping.folder)}
    deadline = time.monotonic() + 60
    while not (names := reeve("get", "holds", "-o", "name", env=at).stdout.split()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert names == ["hold/shop/unlisted"]
    for name in (*names, "hold/shop:unlisted", "shop:unlisted"):
        for word in ("approve", "reject"):  # it is found, and nobody's word would change anything
            said = reeve("hold", word, name, env=at)
            assert said.returncode == 5 and "R0562" in said.stderr and "name an installed plugin" in said.stderr, said
    assert reeve("hold", "approve", "shop/none", env=at).returncode == 4
