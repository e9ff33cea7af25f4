"""A manager at fakes of clouds: what is wrong is said with the provider's text at its line, and faults of a provider cost no machine."""
import time

import pytest

from cloudy import World, until

WRONG = """name: shop
version: "1"
groups:
  a:
    size: 1
    resourcePlugin: {name: aws, account: aws}
    resourceProperties: {instanceType: t9.huge, key: nokey, image: ami-0123456789abcdef0, securityGroups: [nogroup]}
  b:
    size: 1
    zones: [us-central1-a]
    resourcePlugin: {name: gcd, account: gcd}
    resourceProperties: {machineType: e9-huge, image: amazonlinux, key: nobody, subnet: nosubnet}
  c:
    size: 1
    zones: [fra1]
    resourcePlugin: {name: digitalOcean, account: digitalocean}
    resourceProperties: {size: s-99vcpu, image: nosuch, sshKey: nokey, securityGroups: [nowall]}
"""
ONE = """name: shop
version: "1"
groups:
  web:
    size: %(size)s
    resourcePlugin: {name: aws, account: aws}
    resourceProperties: {instanceType: t3.small, image: debian}
%(more)s"""


@pytest.fixture
def world(tmp_path):
    """Calm clouds, asked at the end whether all was valid."""
    with World(tmp_path) as one:
        yield one
        for fake in one.fakes.values():
            fake.check()


def shop(size, more=""):
    """A group at aws."""
    return ONE % {"size": size, "more": more}


def test_E25_twelve_faults_of_three_clouds_are_reported_in_one_run_at_their_lines_and_nothing_is_created(world):
    code, out, err = world.reeve("plan", "-f", "-", text=WRONG)
    assert code == 3, out + err
    parts = [part for part in err.split("\n\n") if "error[R0606]" in part]
    for line, value in ((7, "t9.huge"), (7, "nokey"), (7, "ami-0123456789abcdef0"), (7, "nogroup"), (12, "e9-huge"), (12, "amazonlinux"),
                        (12, "nobody"), (12, "nosubnet"), (17, "s-99vcpu"), (17, "nosuch"), (17, "nokey"), (17, "nowall")):
        assert any(part.lstrip().startswith(f"<stdin>:{line}:") and value in part.split("\n")[0] for part in parts), (line, value, err)
    assert set(world.counts().values()) == {0} and world.manager.get("/v1/clusters/shop").status == 404


def test_E25_a_refused_credential_names_the_provider_s_text_and_the_next_step(world):
    world.account("aws", "AKIDWRONG\nwrong\n")
    code, _, err = world.reeve("plan", "-f", "-", text=shop(1))
    assert code == 3 and "aws/aws, group 'web'" in err and "reeve doctor" in err, err
    assert "wrong" not in err.lower().replace("akidwrong", ""), err
    world.account("aws")
    code, out, err = world.reeve("plan", "-f", "-", text=shop(1))
    assert code == 0 and "checked at aws/aws, group shop/web" in out, out + err  # the next call has the new one


def test_E25_a_cloud_that_does_not_answer_is_named_and_the_others_are_checked(world):
    world.account("aws", endpoint="http://127.0.0.1:9")
    code, out, err = world.reeve("plan", "-f", "-", text=WRONG)
    assert code == 3 and "warning[R0607]" in err and "aws/aws, group 'a'" in err and "e9-huge" in err and "s-99vcpu" in err, out + err
    assert set(world.counts().values()) == {0}


def test_M3_capacity_then_quota_then_room_in_an_alternative(world):
    """CLOUDS.md 13f: no refused create leaves a trace."""
    aws = world.fakes["aws"]
    aws.faults(capacity={"t3.small": 0})
    more = ("    alternatives:\n"
            "      - {resourcePlugin: {name: digitalOcean, account: digitalocean}, resourceProperties: {size: s-1vcpu-1gb, image: debian}}\n"
            "      - {resourceProperties: {instanceType: m5.large, image: debian}}\n")
    world.fakes["digitalOcean"].faults(quota=0)
    text = shop(1, more)
    code, out, err = world.reeve("apply", "--yes", "--no-preflight", "-f", "-", text=text)
    if code == 3:  # properties of the group are merged into those of an alternative: this one needs a property removed
        text = text.replace("resourceProperties: {size: s-1vcpu-1gb, image: debian}}",
                            "resourceProperties: {instanceType: null, size: s-1vcpu-1gb, image: debian}}")
        code, out, err = world.reeve("apply", "--yes", "--no-preflight", "-f", "-", text=text)
    assert code == 0, out + err
    until(lambda: [machine["size"] for machine in aws.alive()] == ["m5.large"], world.said)
    assert not world.fakes["digitalOcean"].alive()
    said = world.manager.get("/v1/events?limit=500").text
    assert "InsufficientInstanceCapacity" in said, said


def test_X15_a_machine_that_its_provider_ends_is_replaced_and_the_reason_is_reported(world):
    """CLOUDS.md 13g."""
    assert world.reeve("apply", "--yes", "-f", "-", text=shop(2))[0] == 0
    aws = world.fakes["aws"]
    until(lambda: len(aws.alive()) == 2, world.said)
    ended = aws.alive()[0]["id"]
    aws.end(ended, "spot")
    until(lambda: len(aws.alive()) == 2 and ended not in [machine["id"] for machine in aws.alive()], world.said)
    said = world.manager.get("/v1/events?limit=500").text
    assert "ended" in said and "spot" in said, said


def test_clock_one_hour_off(world):
    """CLOUDS.md 13k: aws works after one refusal."""
    world.fakes["aws"].faults(clock_skew_s=3600)
    code, out, err = world.reeve("apply", "--yes", "-f", "-", text=shop(1))
    assert code == 0, out + err
    until(lambda: len(world.fakes["aws"].alive()) == 1, world.said)


def test_F21_no_credential_is_in_a_file_a_log_an_event_or_an_argument(world):
    """CLOUDS.md 13j, with the credentials that are there: they are canaries."""
    canaries = [line for line in world.fakes["aws"].credential.split("\n") if len(line) > 9] + [world.fakes["digitalOcean"].credential.strip()]
    assert world.reeve("apply", "--yes", "-f", "-", text=shop(1))[0] == 0
    until(lambda: len(world.fakes["aws"].alive()) == 1, world.said)
    said = world.said() + world.manager.get("/v1/events?limit=500").text + world.reeve("get", "accounts", "-o", "json")[1]
    files = [path for path in (world.folder / "data").rglob("*") if path.is_file()]
    for canary in canaries:
        assert canary not in said
        assert not [path for path in files if canary.encode() in path.read_bytes()]


def test_a_throttled_provider_is_waited_for_and_no_machine_is_doubled(world):
    aws = world.fakes["aws"]
    aws.faults(throttle=0.2, lose_after=0.05, error_5xx=0.05, error_5xx_with_effect=0.05)
    code, out, err = world.reeve("apply", "--yes", "--detach", "--no-preflight", "-f", "-", text=shop(10))
    assert code == 0, out + err
    until(lambda: len(aws.alive()) == 10, world.said)
    aws.faults(throttle=0, lose_after=0, error_5xx=0, error_5xx_with_effect=0)
    begin = time.monotonic()
    until(lambda: world.reeve("wait", "cluster/shop", "--for", "ready", "--timeout", "20s")[0] == 0 or time.monotonic() - begin > 60, world.said)
    assert len(aws.alive()) == 10 and aws.state()["most_alive"] == 10
