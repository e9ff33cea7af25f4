"""The first seed's sample, end to end against fakes of its clouds (CLOUDS.md sections 1 and 10, K33): what the clouds refuse in it,
and, with those values corrected, nine machines that are made, healed, rolled, scaled and destroyed, exactly once."""
import base64
import json

import pytest

from cloudy import ROOT, SEED, World, until

OVERLAY = ROOT / "examples/overlays/seed-clouds.yaml"


@pytest.fixture
def world(tmp_path):
    """All of it; at its end the fakes are asked whether every request was valid and no token had two machines."""
    with World(tmp_path) as one:
        yield one
        for fake in one.fakes.values():
            fake.check()


def test_K33_the_sample_as_written_is_refused_with_all_that_its_clouds_refuse_and_nothing_is_made(world):
    accounts = world.folder / "accounts.yaml"
    accounts.write_text(json.dumps({"name": "basic_cluster", "groups": {
        "group1": {"resourcePlugin": {"account": "aws"}},
        "group2": {"sub-group1": {"resourcePlugin": {"account": "gcd"}}, "sub-group2": {"resourcePlugin": {"account": "digitalocean"}}}}}))
    code, out, err = world.reeve("plan", "-f", str(SEED), "--overlay", str(accounts), "--overlay", world.ours("custom"))
    assert code == 3, out + err
    assert err.count("error[R0606]") == 2, err
    lines = SEED.read_text().split("\n")
    for wrong, hint in (("instanceType: t2.micro", "e2-micro"), ("image: amazonlinux", "debian")):
        line = next(number for number, text in enumerate(lines, 1) if wrong in text)
        said = next(part for part in err.split("\n\n") if f"seed.yaml:{line}:" in part)
        assert "gcd/gcd, group 'group2/sub-group1'" in said and hint in said, said
    assert set(world.counts().values()) == {0}


def test_K33_the_sample_makes_nine_machines_that_are_healed_rolled_scaled_and_destroyed_exactly_once(world):
    out = world.apply(OVERLAY, world.ours("custom"))
    assert "image is ami-" in out, out
    world.wait()
    assert len(list((world.folder / "data/plugins").glob("*/my-custom-plugin/*/file-*"))) == 2
    # They are what the sample says, and let reeve in.
    for machine in world.fakes["aws"].alive():
        assert machine["size"] == "t2.small" and machine["key"] == "mwas", machine
        assert "cert-authority" in base64.b64decode(machine["userData"]).decode()
    assert {machine["size"] for machine in world.fakes["gcd"].alive()} == {"e2-micro"}
    assert {machine["size"] for machine in world.fakes["digitalOcean"].alive()} == {"s-1vcpu-1gb"}
    # One that its provider ends is replaced, and why says so.
    ended = world.fakes["aws"].alive()[0]["id"]
    world.fakes["aws"].end(ended, "host")
    until(lambda: ended not in [machine["id"] for machine in world.fakes["aws"].alive()] and world.counts()["aws"] == 2, world.said)
    world.wait()
    # Another image: the group is rolled.
    ubuntu = world.ours("ubuntu", group1={"resourceProperties": {"image": "ubuntu"}})
    before = {machine["image"] for machine in world.fakes["aws"].alive()}
    world.apply(OVERLAY, ubuntu, allow=("replace=2",))
    until(lambda: len(world.fakes["aws"].alive()) == 2 and not before & {machine["image"] for machine in world.fakes["aws"].alive()}, world.said)
    # More, then none.
    world.apply(OVERLAY, world.ours("more", group1={"resourceProperties": {"image": "ubuntu"}, "size": 3}))
    world.wait(aws=3)
    code, _, err = world.reeve("delete", "basic_cluster", "--yes", "--detach", "--allow", "destroy=10")
    assert code == 0, err
    until(lambda: set(world.counts().values()) == {0}, world.said)
    for fake in world.fakes.values():
        state = fake.state()
        assert not state["duplicates"] and not [disk for disk in state["disks"] if not disk.get("kept")], state["disks"]
