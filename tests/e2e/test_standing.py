"""What stands in the way is said where people look: status, why of clusters and jobs, events from their end, words with
their kind before the name, and what to do when nobody answers."""

import json
import pathlib

import pytest

from test_rolls import SIZE, World, document, rolling, with_words


@pytest.fixture
def world(tmp_path):
    """A manager of one's own, ended by its number."""
    one = World(tmp_path)
    yield one
    assert one.manager.stop() in (0, None), one.manager.log.read_text()


def newest_job(world):
    """The job that was begun last."""
    return max(one["status"]["revision"] for one in world.manager.get("/v1/jobs").json["items"])


def test_a_running_job_is_seen_and_asked_about(world):
    rolling(world)
    number = newest_job(world)
    shown = world.until(lambda: with_words(world.cli("status"), f"1 of {SIZE} as wanted"))
    assert "jobs      1 under way" in shown and f"job watch {number}" in shown, shown
    line = next(line for line in shown.splitlines() if line.startswith(f"  job/{number}  shop  "))
    assert f"1 of {SIZE} as wanted" in line and f"{SIZE - 1} to be replaced" in line, line
    told = json.loads(world.cli("status", "-o", "json"))["jobs"]
    assert [(one["cluster"], one["job"], one["machines"]["old"]) for one in told] == [("shop", number, SIZE - 1)]
    # the hold is set once the replaced machine has gone
    asked = world.until(lambda: with_words(world.cli("why", f"job/{number}"), "! hold/shop/web:bake"))
    assert asked.startswith(f"job/{number}  shop  "), asked
    assert f"\n  web: 1 of {SIZE} as wanted" in asked and "\n  ! hold/shop/web:bake  " in asked and "rollout pause" in asked
    told = json.loads(world.cli("why", "job", f"job/{number}", "-o", "json"))["items"]
    assert [one["holds"][0]["name"] for one in told] == ["hold/shop/web:bake"]
    for words in (("cluster/shop",), ("nodegroup", "shop/web")):
        asked = world.cli("why", *words)  # the hold stands before what was done last
        assert asked.startswith("  ! hold/shop/web:bake  "), asked
        assert json.loads(world.cli("why", *words, "-o", "json"))["holds"][0]["name"] == "hold/shop/web:bake"
    assert "hold/" not in world.cli("why", "shop/web-0").splitlines()[0]  # a machine is not held by it
    assert "R0005" in world.cli("why", "job/x", code=2) and "R0005" in world.cli("why", f"job/{number}", "--replay", code=2)


def test_what_is_done_is_no_running_job(world):
    world.cli("apply", "-f", "-", "--yes", document_=document(2))
    world.until(lambda: world.is_settled(size=2))
    world.until(lambda: "under way" not in world.cli("status"))
    assert json.loads(world.cli("status", "-o", "json"))["jobs"] == []
    assert "done: everything is as wanted" in world.cli("why", f"job/{newest_job(world)}")


def test_a_refused_machine_is_named(world):
    wrong = document(1)
    wrong["groups"]["web"]["resourcePlugin"] = {"name": "nowhere"}
    world.cli("apply", "-f", "-", "--yes", "--detach", "--allow-missing-plugin", document_=wrong)
    world.until(lambda: world.holds())
    asked = world.cli("why", f"job/{newest_job(world)}")
    assert "waits: " in asked and "  ! hold/shop" in asked, asked


def test_kind_and_name_are_two_words_everywhere(world):
    world.cli("apply", "-f", "-", "--yes", document_=document(2))
    world.until(lambda: world.is_settled(size=2))
    for kind, name in (("cluster", "shop"), ("cl", "shop"), ("nodegroup", "shop/web"), ("ng", "ng/shop/web")):
        assert "no machine is created" in world.cli("pause", kind, name)
        assert "resumed" in world.cli("resume", kind, name)
    assert "R0005" in world.cli("resume", "cluster", code=2)
    assert "no rollout is in progress" in world.cli("rollout", "status", "ng", "shop/web") or "as wanted" in world.cli(
        "rollout", "status", "nodegroup", "shop/web")
    assert "R0403" in world.cli("hold", "approve", "hold", "shop/web:roll_failed", code=4)
    assert "R0005" in world.cli("rollout", "status", "shop/web", "shop/db", code=2)


def test_events_from_their_end(world):
    world.cli("apply", "-f", "-", "--yes", document_=document(5))
    world.until(lambda: world.is_settled(size=5))
    every = json.loads(world.cli("events", "cluster/shop", "-o", "json"))
    assert len(every) > 10  # off a terminal: all of them
    assert json.loads(world.cli("events", "cluster/shop", "-n", "3", "-o", "json")) == every[-3:]
    ready = [one for one in every if one["type"] == "machine.ready"]
    assert json.loads(world.cli("events", "cluster/shop", "--last", "2", "--type", "machine.ready", "-o", "json")) == ready[-2:]
    assert json.loads(world.cli("events", "cluster/shop", "-n", "9999", "-o", "json")) == every


def test_on_a_terminal_events_are_a_screen(world, screen):
    world.cli("apply", "-f", "-", "--yes", document_=document(20))
    world.until(lambda: world.is_settled(size=20))
    at = {"REEVE_URL": f"unix:{world.manager.socket}", "NO_COLOR": "1", "PAGER": ""}
    assert len(json.loads(world.cli("events", "cluster/shop", "-o", "json"))) > 50
    one = screen("events", "cluster/shop", env=at, rows=200)
    assert one.end() == 0
    assert "there are earlier events: reeve events -n N" in one.text
    assert sum("cluster/shop" in line or "node/shop" in line for line in one.text.splitlines()) == 50
    one = screen("events", "cluster/shop", "-F", env=at, rows=200).expect("earlier events")
    world.cli("scale", "shop/web", "21", "--yes")
    one.expect("web-20").type("\x03")
    one.end()
    assert one.text.count("TIME ") == 1 and one.text.index("earlier events") < one.text.index("web-20")


@pytest.mark.parametrize("url,words", [
    ("unix:{folder}/none", "start reeved with this --socket"), ("http://127.0.0.1:9", "start reeved there")])
def test_how_a_manager_comes_back(reeve, folder, url, words):
    done = reeve("get", "clusters", env={"REEVE_URL": url.format(folder=folder)})
    assert done.returncode == 7 and words in done.stderr and "systemctl" not in done.stderr, done.stderr


def test_the_manager_of_the_system_is_started_by_its_init(reeve):
    if pathlib.Path("/run/reeve/reeved.sock").exists():
        pytest.skip("a manager of the system runs here")
    done = reeve("get", "clusters", env={"REEVE_URL": "unix:/run/reeve/reeved.sock"})
    assert ("systemctl start reeved" in done.stderr) == pathlib.Path("/run/systemd/system").exists(), done.stderr
