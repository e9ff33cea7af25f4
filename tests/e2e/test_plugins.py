"""reeve get plugins, reeve explain plugin/NAME: what a manager says of its plugins."""
import json

import pytest

import plugin
from manager import Manager, until


@pytest.fixture
def at(tmp_path, folder):
    """A manager with a plugin that is right, one that is none, and a cluster."""
    installed = tmp_path / "data/installed"
    installed.mkdir(parents=True)
    plugin.build(installed, "mine")
    (installed / "broken.so").write_text("no shared object")
    running = Manager(tmp_path, "--haste", "100", control=True).start()
    running.apply({"name": "shop", "version": "1", "groups": {"web": {"size": 1, "resourcePlugin": {"name": "mine"}}}})
    until(lambda: running.get("/v1/clusters/shop").json.get("status", {}).get("machines", {}).get("ready") == 1)
    yield {"REEVE_URL": f"unix:{running.socket}", "HOME": str(folder)}
    assert running.stop() in (0, None), running.log.read_text()


def test_what_there_is_and_who_uses_it(at, reeve):
    rows = {row["name"]: row for row in json.loads(reeve("get", "plugins", "-o", "json", env=at).stdout)}
    assert rows["mine"]["state"] == "running" and rows["mine"]["clusters"] == ["shop"]
    assert rows["mine"]["digest"].startswith(rows["mine"]["short"]) and rows["mine"]["profile"] == "cloud"
    assert rows["broken"]["state"] == "unusable" and "broken.so" in rows["broken"]["trouble"]
    table = reeve("get", "plugins", env=at).stdout
    assert table.splitlines()[0].split() == ["NAME", "VERSION", "PROFILE", "DIGEST", "STATE", "CLUSTERS", "WHY"]
    assert reeve("get", "plugin", "mine", "-o", "name", env=at).stdout == "plugin/mine\n"
    for words in (["get", "plugin", "nobody"], ["explain", "plugin/nobody"], ["plugin", "schema", "nobody"]):
        done = reeve(*words, env=at)
        assert done.returncode == 4 and "error[R0611]" in done.stderr, done
    assert reeve("get", "plugins", "-w", env=at).returncode == 2


def test_what_may_be_said_of_its_machines(at, reeve):
    page = reeve("explain", "plugin/mine", env=at)
    assert page.returncode == 0 and "address" in page.stdout and "PROPERTY" in page.stdout
    assert page.stdout == reeve("plugin", "schema", "mine", env=at).stdout
