"""Who picks, who logs out, who helps: scale --pick, logout, doctor --bundle, template --into, exports with sources."""
import io
import json
import re
import tarfile

import pytest

WEB_DB = "examples/web-db.yaml"
GPU = "examples/gpu-templates.yaml"


def done(run, code=0):
    assert run.returncode == code, run.stdout + run.stderr
    return run


@pytest.fixture
def shop(managed):
    """reeve with the cluster shop and what the GPU example has."""
    done(managed("apply", "-f", WEB_DB, "-f", GPU, "--yes"))
    return managed


# ---- scale --pick ----

@pytest.mark.parametrize("picks", [["oldestConfig"], ["newest"], ["web-5"], ["shop/web-4", "web-5"], ["failed", "web-4"]])
def test_pick(shop, picks):
    run = done(shop("scale", "shop/web", "-2", *(word for pick in picks for word in ("--pick", pick)), "--allow",
                    "destroy=2"))
    rule = next((pick for pick in picks if "-" not in pick), None)
    assert "web-[4-5]" in run.stdout + run.stderr
    assert json.loads(shop("get", "ng/shop/web", "-o", "json").stdout)["spec"].get("pick") == rule
    assert json.loads(shop("get", "ng/shop/web", "-o", "json").stdout)["spec"]["size"] == 4


@pytest.mark.parametrize("words,told", [
    (["-2", "--pick", "web-0"], "'web-0' cannot be removed: while no machine exists"),
    (["-2", "--pick", "web-6"], "'web-6' cannot be removed: the group has no such member"),
    (["-2", "--pick", "shup/web-5"], "'shup/web-5' cannot be removed"),
    (["-1", "--pick", "web-5", "--pick", "web-4"], "'web-4' cannot be removed"),
    (["+1", "--pick", "web-0"], "the change destroys none"),
    (["-1", "--pick", "newest", "--pick", "oldest"], "one rule, got 2"),
])
def test_pick_changes_nothing_where_it_cannot_be_done(shop, words, told):
    run = done(shop("scale", "shop/web", *words, "--allow", "destroy=9", "--yes"), 2)
    assert told in run.stderr, run.stderr
    assert json.loads(shop("get", "ng/shop/web", "-o", "json").stdout)["spec"]["size"] == 6


# ---- template --into ----

def test_into(shop):
    done(shop("create", "--template", "front", "--from", "ng/shop/web", "--set", "size=4", "--into", "ct/ml-std", "--yes"))
    spec = json.loads(shop("get", "ct/ml-std", "-o", "json").stdout)["spec"]
    assert set(spec["groups"]) == {"control", "debug", "front"}
    front = spec["groups"]["front"]
    assert front["size"] == 4 and front["machineSize"] == "t3.small"
    for words, code in ((["front", "--from", "ng/shop/web", "--into", "ct/ml-std"], 5),
                        (["x", "--from", "cluster/shop", "--into", "ct/ml-std"], 2),
                        (["x", "--from", "ng/shop/web", "--into", "cluster/shop"], 2),
                        (["x", "--from", "ng/shop/web", "--into", "ct/none"], 4),
                        (["x", "--from", "ng/shop/web", "--fixed", "image", "--into", "ct/ml-std"], 2)):
        done(shop("create", "--template", *words, "--yes"), code)


# ---- export ----

def test_an_export_names_its_sources(shop):
    lines = done(shop("get", "ml-prod", "-o", "yaml", "--bare")).stdout.splitlines()
    assert lines[:3] == ["# from clustertemplate/ml-std; its values are written out",
                         "# group gpu-a: from nodegrouptemplate/gpu-std; its values are written out",
                         "# group gpu-b: from nodegrouptemplate/gpu-std; its values are written out"]
    assert not done(shop("get", "shop", "-o", "yaml", "--bare")).stdout.startswith("#")
    assert "only its new source is recorded" in done(shop("apply", "-f", "-", input="\n".join(lines))).stderr
    assert done(shop("apply", "-f", "-", input="\n".join(lines))).stderr.endswith("nothing to do\n")


# ---- logout ----

@pytest.fixture
def logged_in(reeve, manager, folder):
    """A user with a token, logged in. Gives (reeve in that home, the token)."""
    home = {"HOME": str(folder), "REEVE_URL": ""}
    manager.post("/v1/users", {"name": "ana"})
    manager.post("/v1/grants", {"user": "ana", "role": "operator"})
    token = manager.post("/v1/tokens", {"user": "ana"}).json["token"]
    url = f"http://127.0.0.1:{manager.port}"
    done(reeve("context", "login", url, "--context", "prod", "--token-file", "-", env=home, input=token + "\n"))
    return (lambda *words, **more: reeve(*words, env={**home, **more.pop("env", {})}, **more)), token


def test_logout_revokes(logged_in, manager, folder):
    run, token = logged_in
    kept = folder / ".local/state/reeve/tokens/prod"
    out = done(run("context", "logout"))
    assert not kept.exists()
    if manager.ask("DELETE", "/v1/tokens/self", token=token).status == 404:  # a manager from before that route
        assert "warning[R0032]" in out.stderr and "still valid at the manager" in out.stderr
        return
    assert out.stderr == "the token of context prod is revoked and removed\n"
    assert manager.get("/v1/whoami", token=token).status == 401
    assert done(run("context", "logout")).stderr == "the token of context prod is removed\n"


def test_logout_without_its_manager(logged_in, manager, folder):
    """The token is forgotten all the same, and that it still counts is said."""
    run, _ = logged_in
    manager.stop()
    out = done(run("context", "logout"))
    assert "warning[R0032]: the token is removed here, but still valid at the manager: no manager reachable" in out.stderr
    assert not (folder / ".local/state/reeve/tokens/prod").exists()
    manager.start()


# ---- doctor --bundle ----

def test_bundle(shop, logged_in, folder):
    run, token = logged_in
    done(shop("set", "cluster/shop", "defaults.resourceProperties.password=hunter2", "--allow", "replace=9"))
    done(run("doctor", "--bundle", "report.tar"))
    with tarfile.open(folder / "report.tar") as tar:
        parts = {member.name: tar.extractfile(member).read().decode() for member in tar}
        assert all(member.mode == 0o600 for member in tar)
    assert {"findings.json", "setup.txt", "manager/whoami.json", "manager/events.json", "manager/clusters.json",
            "manager/metrics.txt"} <= set(parts)
    assert json.loads(parts["manager/whoami.json"])["user"] == "ana"
    clusters = json.loads(parts["manager/clusters.json"])["items"]
    assert sorted(item["metadata"]["name"] for item in clusters) == ["ml-prod", "shop"]
    assert "token is set" in parts["setup.txt"]
    whole = "".join(parts.values())
    assert token not in whole and "hunter2" not in whole
    assert "report.tar" in done(run("doctor", "--bundle", "report.tar"), 1).stderr  # what exists is left alone
    assert re.search(r"\d+ files in", done(run("doctor", "--bundle", "two.tar")).stderr)


def test_bundle_without_a_manager(reeve, folder):
    done(reeve("doctor", "--bundle", "report.tar"), 1)
    with tarfile.open(folder / "report.tar") as tar:
        assert "no answer" in tar.extractfile("manager/whoami.json").read().decode()
    assert "error[R0012]" in reeve("doctor", "--bundle", "/dev/full/x").stderr


def test_bundle_to_standard_output(folder):
    import subprocess  # pylint: disable=import-outside-toplevel
    from conftest import ENVIRONMENT, REEVE  # pylint: disable=import-outside-toplevel
    run = subprocess.run([str(REEVE), "doctor", "--bundle", "-"], capture_output=True, env=ENVIRONMENT, cwd=folder,
                         check=False, timeout=240)
    assert "setup.txt" in tarfile.open(fileobj=io.BytesIO(run.stdout)).getnames()
