"""A class never gets worse in execution, and --only refuses any other class (UX.md 3.3; issue 23, A11)."""
import json

import pytest

from test_rolls import OLD, World, document


@pytest.fixture(name="world")
def make_world(tmp_path):
    """A manager whose machines are files, with a group of two."""
    one = World(tmp_path)
    one.cli("apply", "--yes", "-f", "-", document_=document(2))
    one.until(lambda: one.is_settled(size=2))
    yield one
    one.manager.kill()


def ids(world):
    """Which machines there are."""
    return sorted(str(path) for path in world.machines())


def test_only_some_classes(world):
    """Anything else is refused with what was asked for, and nothing of it is done."""
    said = world.cli("apply", "--yes", "--only", "create", "-f", "-", document_=document(2, labels={"tier": "front"}), code=11)
    assert "--only allows create, but the change would change in place 2; nothing was changed" in said, said
    said = world.cli("apply", "--yes", "--allow", "replace=2", "--only", "create,in-place", "-f", "-",
                     document_=document(2, image="debian-13"), code=11)
    assert "--only allows create,in-place, but the change would replace 2; nothing was changed" in said, said
    said = world.cli("apply", "--yes", "--allow", "destroy=1", "--only", "create,in-place", "-f", "-", document_=document(1), code=11)
    assert "the change would destroy 1" in said, said
    said = world.cli("apply", "--yes", "--only", "inplace", "-f", "-", document_=document(2), code=2)
    assert "--only does not accept 'inplace'" in said and "in-place" in said, said
    assert world.is_settled(size=2)
    world.cli("apply", "--yes", "--only", "create,in-place", "-f", "-", document_=document(3, labels={"tier": "front"}))
    world.until(lambda: world.is_settled(size=3))


def test_another_account_replaces_and_says_so(world):
    """A machine is made with the credentials of its account. Another account makes another machine: the plan said that it changed in
    place, and then each was destroyed and made anew, with --yes alone."""
    before = ids(world)
    account = {"kind": "Account", "name": "acc", "plugin": "file"}
    world.cli("apply", "--yes", "-f", "-", document_=account)
    other = document(2, resourcePlugin={"name": "file", "account": "acc"})
    said = world.cli("apply", "--yes", "-f", "-", document_=other, code=11)
    assert "replace 2" in said and "--allow replace=2" in said, said
    refused = world.manager.patch("/v1/nodegroups/shop/web", {"resourcePlugin": {"name": "file", "account": "acc"}})
    assert "R0405" in refused.text and refused.status in (403, 409), refused.text
    for _ in range(3):
        assert world.manager.ask("POST", "/v1/clusters/shop/pass").status == 200
    assert ids(world) == before


def test_an_alternative_that_is_gone_replaces_and_says_so(tmp_path):
    """Machines that were made from an alternative are replaced when it is taken away: no field of them said so."""
    one = World(tmp_path)
    try:
        wanted = document(2, alternatives=[{"image": "debian-11"}])
        one.cli("apply", "--yes", "-f", "-", document_=wanted)
        one.until(lambda: one.is_settled(size=2))
        # as if the first choice had no room: what is written first becomes the alternative, and the machines are of that now
        swapped = document(2, image="debian-11", alternatives=[{"image": OLD}])
        one.cli("apply", "--yes", "--allow", "replace=2", "-f", "-", document_=swapped)
        one.until(lambda: one.is_settled(size=2))
        before = ids(one)
        said = one.cli("apply", "--yes", "-f", "-", document_=document(2, image="debian-11"), code=11)
        assert "--allow replace=2" in said, said
        for _ in range(3):
            assert one.manager.ask("POST", "/v1/clusters/shop/pass").status == 200
        assert ids(one) == before
    finally:
        one.manager.kill()


def test_stages_that_run_nowhere_are_no_rollout(world):
    """Nobody logs in to machines that are files: their stages run nowhere, so the plan promises no rollout in place."""
    bundle = world.folder / "base"
    bundle.mkdir()
    (bundle / "bootstrap.sh").write_text("true\n")
    (world.folder / "shop.yaml").write_text(json.dumps(document(2, bootstrap=[{"tar": "base"}])))
    said = world.cli("plan", "-f", "shop.yaml", "-o", "json", notes=False)
    assert "inPlace" not in said and "bundle" in said, said
