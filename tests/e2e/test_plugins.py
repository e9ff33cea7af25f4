"""reeve get plugins, reeve explain plugin/NAME: what a manager says of its plugins."""
import json
import re

import pytest

import plugin
from manager import Manager, until


@pytest.fixture
def manager(tmp_path):
    """A manager with a plugin that is right, one that is none, and a cluster."""
    installed = tmp_path / "data/installed"
    installed.mkdir(parents=True)
    plugin.build(installed, "mine")
    (installed / "broken.so").write_text("no shared object")
    running = Manager(tmp_path, "--haste", "100", control=True).start()
    running.apply({"name": "shop", "version": "1", "groups": {"web": {"size": 1, "resourcePlugin": {"name": "mine"}}}})
    until(lambda: running.get("/v1/clusters/shop").json.get("status", {}).get("machines", {}).get("ready") == 1)
    yield running
    assert running.stop() in (0, None), running.log.read_text()


@pytest.fixture
def at(manager, folder):
    """How the command line finds it."""
    return {"REEVE_URL": f"unix:{manager.socket}", "HOME": str(folder)}


def test_what_there_is_and_who_uses_it(at, reeve):
    rows = {row["name"]: row for row in json.loads(reeve("get", "plugins", "-o", "json", env=at).stdout)}
    assert rows["mine"]["state"] == "running" and rows["mine"]["clusters"] == ["shop"]
    assert rows["mine"]["digest"].startswith(rows["mine"]["short"]) and rows["mine"]["profile"] == "cloud"
    assert rows["broken"]["state"] == "unusable" and "broken.so" in rows["broken"]["problem"]
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


# ---- a name that is mistyped ----

def written(folder, name, plugin, cluster="lab", more=""):
    """A file with one group of machines of that plugin."""
    (folder / name).write_text(f'name: {cluster}\nversion: "1"\ngroups:\n  web:\n    size: 1\n    resourcePlugin: {{name: {plugin}{more}}}\n')
    return name


def test_a_plugin_that_nobody_knows_is_reported_before_anything_is_done(at, reeve, folder):
    path = written(folder, "lab.yaml", "mune")
    missing = "--allow-missing-plugin"
    for verb in (["plan"], ["apply", "--yes"]):  # it waits for ever, so nothing is planned before somebody agrees to that
        refused = reeve(*verb, "-f", path, env=at)
        assert refused.returncode == 3 and "lab.yaml:6:28: error[R0801]: this manager has no plugin 'mune'" in refused.stderr, refused
        assert "hint: did you mean 'mine'?" in refused.stderr and "^^^^" in refused.stderr
    unlike = reeve("plan", "-f", written(folder, "unlike.yaml", "quxxly"), env=at)
    assert re.search(r"installed: .*\bmine\b", " ".join(unlike.stderr.split())) and missing in unlike.stderr, unlike.stderr
    told = "lab.yaml:6:28: warning[R0801]: this manager has no plugin 'mune'"
    planned = reeve("plan", "-f", path, missing, env=at)
    assert planned.returncode == 0 and planned.stderr.count("R0801") == 1, planned.stderr
    assert told in planned.stderr and "hint: did you mean 'mine'?" in planned.stderr and "^^^^" in planned.stderr
    assert "+ create" in planned.stdout or "create" in planned.stdout
    strict = reeve("apply", "-f", path, "--strict", "--yes", "--detach", missing, env=at)
    assert strict.returncode == 3 and told in strict.stderr, strict
    assert reeve("get", "cluster/lab", env=at).returncode == 4  # nothing was done
    unasked = reeve("apply", "-f", path, missing, env=at)
    assert unasked.returncode != 0 and unasked.stderr.index("R0801") < unasked.stderr.index("R0024")
    done = reeve("apply", "-f", path, "--yes", "--detach", missing, env=at)
    assert done.returncode == 0 and done.stderr.count("R0801") == 1, done.stderr
    assert done.stderr.index("R0801") < done.stderr.index("continues")
    # that a file wants it now does not make it known
    again = reeve("plan", "-f", written(folder, "two.yaml", "mune", "two"), missing, env=at)
    assert again.returncode == 0 and "did you mean 'mine'?" in again.stderr, again.stderr
    # who changes something else of the cluster is warned alone
    scaled = reeve("scale", "lab/web", "2", "--yes", "--detach", env=at)
    assert scaled.returncode == 0 and "warning[R0801]" in scaled.stderr, scaled
    assert "R0801" not in reeve("delete", "cluster/lab", "--dry-run", env=at).stderr


def test_what_is_known_or_has_an_address_is_no_matter(at, reeve, folder):
    for plugin, more in (("mine", ""), ("mune", ", url: https://plugins.example/mune.so")):
        done = reeve("plan", "-f", written(folder, "x.yaml", plugin, more=more), env=at)
        assert done.returncode == 0 and "warning" not in done.stderr, done.stderr


def test_warnings_reach_programs_and_the_page(manager, at, reeve, folder):
    text = (folder / written(folder, "lab.yaml", "mune")).read_text()
    page = manager.ask("POST", "/v1/apply?dry-run=1&allow-missing-plugin=1", text.encode(), Content_Type="application/yaml")
    [warning] = page.json["warnings"]
    assert page.status == 200 and (warning["line"], warning["column"], warning["severity"]) == (6, 28, "warning")
    document = {"name": "lab", "version": "1", "groups": {"web": {"size": 1, "resourcePlugin": {"name": "mune"}}}}
    plan = manager.post("/v1/plans?allow-missing-plugin=1", {"documents": [document]})
    [warning] = plan.json["warnings"]
    assert warning["pointer"] == "/groups/web/resourcePlugin/name" and warning["document"] == 0 and "line" not in warning
    assert manager.get(f"/v1/plans/{plan.json['id']}").json["warnings"] == [warning]
    assert "R0801" in reeve("apply", f"plan/{plan.json['id']}", "--dry-run", env=at).stderr
    done = manager.post(f"/v1/plans/{plan.json['id']}/apply", {})
    assert done.status == 200 and [one["code"] for one in done.json["warnings"]] == ["R0801"] and done.json["job"] > 0
    assert "warnings" not in manager.patch("/v1/clusters/shop", {"labels": {"a": "b"}}).json


def test_a_warning_is_reported_once_by_its_first_reader(at, reeve, folder):
    """What files alone show is told by the command line, and by the manager as well."""
    (folder / "old.yaml").write_text('name: old\nversion: "1"\ngroups:\n  web: {pool_size: 1, resourcePlugin: {name: mine}}\n')
    done = reeve("plan", "-f", "old.yaml", env=at)
    assert done.returncode == 0 and done.stderr.count("R0344") == 1, done.stderr


def test_doctor_passes_over_a_plugin_that_nobody_names(at, reeve, folder):
    """`broken` cannot be used, and it does not matter; `mune` does as long as a cluster names it."""
    looked = reeve("doctor", env=at)
    assert looked.returncode == 0, looked.stdout
    assert "ok    plugin broken cannot be used, and no cluster uses it: " in looked.stdout
    assert reeve("apply", "-f", written(folder, "lab.yaml", "mune"), "--yes", "--detach", "--allow-missing-plugin", env=at).returncode == 0
    until(lambda: "plugin mune cannot be used: " in reeve("doctor", env=at).stdout)
    assert reeve("doctor", env=at).returncode == 1
    assert reeve("delete", "cluster/lab", "--allow", "destroy=2", "--detach", env=at).returncode == 0
    until(lambda: reeve("doctor", env=at).returncode == 0, lambda: reeve("doctor", env=at).stdout)
    assert "plugin mune cannot be used: " not in reeve("doctor", env=at).stdout
