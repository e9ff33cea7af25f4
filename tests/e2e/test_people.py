"""Users, grants, tokens and tenants from the command line: created, listed, deleted (issue 24 D2)."""

import json
import os
import subprocess

import pytest

from conftest import REEVE
from manager import Manager, cluster


@pytest.fixture(name="world", scope="module")
def manager_of_all_tests(tmp_path_factory):
    """One manager with two clusters."""
    with Manager(tmp_path_factory.mktemp("m")).start() as manager:
        manager.apply(cluster("shop", web=1, db=1), cluster("bank", vault=1))
        yield manager


def reeve(manager, *words, code=0, token=None):
    """The command line: standard output, and both streams; with a token by TCP."""
    env = {**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": str(manager.folder)}
    if token is not None:
        path = manager.folder / "token"
        path.write_text(token)
        path.chmod(0o600)
        env.update(REEVE_URL=f"http://127.0.0.1:{manager.port}", REEVE_TOKEN_FILE=str(path))
    run = subprocess.run([str(REEVE), *words], capture_output=True, text=True, check=False, timeout=240, stdin=subprocess.DEVNULL, env=env)
    assert run.returncode == code, run.stdout + run.stderr
    return run.stdout, run.stdout + run.stderr


def test_a_colleague_gets_access_to_one_cluster(world):
    """The story of docs/reference/access.md."""
    said = reeve(world, "create", "user", "ana", "--yes")[1]
    assert "create user ana" in said and "created user/ana" in said and "create grant ana viewer -c CLUSTER" in said
    said = reeve(world, "create", "grant", "ana", "operator", "-c", "shop", "--yes")[1]
    assert "ana is operator on cluster shop" in said
    token, said = reeve(world, "create", "token", "ana", "--days", "30", "-m", "her laptop", "--yes")
    assert len(token.split()) == 1 and "shown only once" in said and said.count(token.strip()) == 1
    assert reeve(world, "get", "clusters", "-o", "name", token=token)[0].split() == ["cluster/shop"]
    reeve(world, "scale", "shop/web", "2", "--yes", token=token)
    assert "bank" in reeve(world, "scale", "bank/vault", "2", "--yes", token=token, code=4)[1]
    assert "ana   operator on cluster shop" in reeve(world, "get", "users")[0]
    rows = reeve(world, "get", "tokens")[0]
    assert "ana" in rows and "her laptop" in rows and token.strip() not in rows
    grant = reeve(world, "get", "grants", "-o", "name")[0].split()[0]
    assert "deleted grant/" in reeve(world, "delete", grant, "--yes")[1]
    reeve(world, "get", "nodegroups", "-c", "shop", token=token, code=6)
    said = reeve(world, "delete", "user", "ana", "--yes")[1]
    assert "delete user ana, with 0 grants and 1 tokens" in said and "deleted user/ana" in said
    assert "R0410" in reeve(world, "get", "clusters", token=token, code=6)[1]


def test_programs_get_the_object_and_the_token(world):
    reeve(world, "create", "user", "bot", "--yes")
    made = json.loads(reeve(world, "create", "token", "bot", "--yes", "-o", "json")[0])
    assert made["kind"] == "Token" and made["spec"]["user"] == "bot" and made["token"]
    listed = json.loads(reeve(world, "get", "tokens", "-o", "json")[0])
    assert [one["metadata"]["id"] for one in listed if one["spec"]["user"] == "bot"] == [made["metadata"]["id"]]
    assert "token" not in listed[0]
    assert "kind: User" in reeve(world, "get", "user", "bot", "-o", "yaml")[0]
    assert reeve(world, "get", "users", "bot", "-o", "name")[0] == "user/bot\n"
    assert reeve(world, "create", "grant", "bot", "viewer", "--yes", "-o", "name")[0].startswith("grant/")


def test_a_tenant_comes_and_goes(world):
    reeve(world, "create", "tenant", "lab", "--yes")
    assert "tenant/lab" in reeve(world, "get", "tenants", "-o", "name")[0]
    assert "R0402" in reeve(world, "create", "tenant", "lab", "--yes", code=5)[1]
    reeve(world, "delete", "tenant", "lab", "--yes")
    assert "lab" not in reeve(world, "get", "tenants")[0]


@pytest.mark.parametrize("words,code,told", [
    (["create", "user", "eve"], 11, "--yes"),
    (["create", "user", "--yes"], 2, "reeve create user NAME"),
    (["create", "grant", "eve", "--yes"], 2, "create grant USER viewer|operator|admin"),
    (["create", "grant", "eve", "operater", "--yes"], 2, "did you mean 'operator'"),
    (["create", "grant", "eve", "viewer", "--yes"], 4, "there is no user 'eve'"),
    (["create", "grant", "eve", "viewer", "-c", "shop", "-g", "shop/web", "--yes"], 2, "one grant for each"),
    (["create", "grant", "eve", "viewer", "-g", "shop", "--yes"], 2, "-g CLUSTER/GROUP"),
    (["create", "user", "eve", "--days", "3", "--yes"], 2, "--days does not apply to a user"),
    (["create", "cluster", "eve", "--days", "3", "--yes"], 2, "--days applies only to grants and tokens"),
    (["create", "token", "eve", "--days", "5000", "--yes"], 4, "there is no user 'eve'"),
    (["delete", "user", "eve", "--yes"], 4, "reeve get users lists the existing ones"),
    (["delete", "user"], 2, "reeve delete user NAME"),
    (["get", "user", "eve"], 4, "there is no user 'eve'"),
    (["get", "user", "shop"], 4, "there is no user 'shop'"),
    (["get", "users", "-l", "a=b"], 2, "--selector does not apply to users"),
    (["edit", "user", "eve"], 2, "reeve get users"),
])
def test_mistakes_have_their_hint(world, words, code, told):
    assert told in reeve(world, *words, code=code)[1]


def test_a_dry_run_and_a_cluster_that_is_not_there(world):
    assert "create user eve" in reeve(world, "create", "user", "eve", "--dry-run")[1]
    assert "user/eve" not in reeve(world, "get", "users", "-o", "name")[0]
    reeve(world, "create", "user", "kim", "--yes")
    assert "there is no cluster 'shpo' now" in reeve(world, "create", "grant", "kim", "viewer", "-c", "shpo", "--yes")[1]


def test_words_are_completed(world):
    env = {**os.environ, "REEVE_URL": f"unix:{world.socket}", "HOME": str(world.folder)}
    reeve(world, "create", "user", "max", "--yes")

    def offered(*words):
        return subprocess.run([str(REEVE), "completion", "--words", str(len(words) - 1), "--", *words], capture_output=True, text=True,
                              check=True, env=env).stdout.split()
    assert "max" in offered("delete", "user", "") and "user" in offered("get", "us")
