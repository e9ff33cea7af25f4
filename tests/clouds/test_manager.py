"""A manager at fakes of clouds: what is wrong is said with the provider's text at its line, and faults of a provider cost no machine."""
import json
import subprocess
import time

import pytest
from pylib.clouds import Fake

from cloudy import ACCOUNTS, World, until

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


def events(world, kind):
    """(group, pass, fact) of events of a kind, in their order."""
    return [(one.get("group"), one.get("pass"), one.get("fact", "")) for one in world.manager.get("/v1/events?limit=1000").json["items"] if one["type"] == kind]


def test_M3_capacity_then_quota_then_room_in_an_alternative(world):
    """CLOUDS.md 13f: the machine exists within three passes, no refused create leaves a trace, and `why` shows each step."""
    aws, ocean = world.fakes["aws"], world.fakes["digitalOcean"]
    aws.faults(capacity={"t3.small": 0})
    ocean.faults(quota=0)
    more = ("    alternatives:\n"
            "      - {resourcePlugin: {name: digitalOcean, account: digitalocean},\n"
            "         resourceProperties: {instanceType: null, size: s-1vcpu-1gb, image: debian}}\n"
            "      - {resourceProperties: {instanceType: m5.large}}\n")
    code, out, err = world.reeve("apply", "--yes", "--no-preflight", "-f", "-", text=shop(1, more))
    assert code == 0, out + err
    assert [machine["size"] for machine in aws.alive()] == ["m5.large"], world.said()
    [(_, made_in, _)] = events(world, "machine.created")
    assert made_in <= 3 and len(events(world, "machine.refused")) == 2, world.said()
    state = ocean.state()
    assert not any(state[kind] for kind in ("machines", "ended", "disks", "ports", "tags")) and state["calls"]["droplets.create"] == 1, state
    state = aws.state()
    assert len(state["machines"]) == 1 and not state["ended"] and state["calls"]["RunInstances"] == 2, state
    code, out, err = world.reeve("why", "shop/web")
    shown = " ".join(out.split())
    at = [shown.find(part) for part in ("machine.refused free_slot: RunInstances: InsufficientInstanceCapacity", "alternative 1",
                                        "machine.refused free_slot: create the droplet: unprocessable_entity", "droplet limit", "alternative 2 pass 3",
                                        "machine.created free_slot pass 3", "machine.ready activate")]
    # The first lines of `why` have the last decision; what came before it follows in its order.
    steps = [shown.find(part, shown.find(" steps ")) for part in ("InsufficientInstanceCapacity", "alternative 1", "droplet limit", "alternative 2",
                                                                  "machine.created", "machine.ready")]
    assert code == 0 and min(at) >= 0 and steps == sorted(steps) and min(steps) > 0, out + err


ENDS = {"spot": ("aws", "spot", {}), "host": ("aws", "host", {}), "hand": ("aws", "user", {}), "stopped": ("aws", "stop", {}),
        "started": ("aws", "stop", {"heal": "reboot"}), "left": ("aws", "stop", {"heal": "off"}), "halted": ("gcd", "stop", {}),
        "restarted": ("gcd", "stop", {"heal": "reboot"})}
OF_CLOUD = {"aws": {"instanceType": "t3.small", "image": "debian"}, "gcd": {"machineType": "e2-micro", "image": "debian"}}


def test_X15_a_machine_that_ended_is_replaced_and_a_stopped_one_is_treated_as_heal_states(world):
    """CLOUDS.md 13g: spot, host and by hand are replaced with the reason; a stopped machine is replaced, started or left."""
    groups = {group: {"size": 1, "resourcePlugin": {"name": cloud, "account": cloud}, "resourceProperties": OF_CLOUD[cloud], **more}
              for group, (cloud, _, more) in ENDS.items()}
    code, out, err = world.reeve("apply", "--yes", "--no-preflight", "-f", "-", text=json.dumps({"name": "shop", "version": "1", "groups": groups}))
    assert code == 0, out + err

    def now():
        """{group: (id, state)} of all live machines."""
        return {machine["name"].split("-")[0]: (machine["id"], machine["state"].lower())
                for cloud in OF_CLOUD for machine in world.fakes[cloud].alive()}
    before = now()
    assert set(before) == set(ENDS), before
    for group, (cloud, how, _) in ENDS.items():
        world.fakes[cloud].end(before[group][0], how)
    replaced, started = ("spot", "host", "hand", "stopped", "halted"), ("started", "restarted")

    def is_healed(found):
        """New machines of those that are replaced, and the former ones of those that are started."""
        return (all(found.get(group, before[group])[0] != before[group][0] and found[group][1] == "running" for group in replaced) and
                all(found.get(group) == (before[group][0], "running") for group in started))
    until(lambda: is_healed(now()), lambda: f"{before}\n{now()}\n{world.said()}")
    assert now()["left"][0] == before["left"][0] and now()["left"][1] != "running", now()
    reasons = {group: fact for group, _, fact in events(world, "machine.condemned")}
    assert set(reasons) == set(replaced), reasons
    for group, words in (("spot", "spot: Server.Spot"), ("host", "host: Server."), ("hand", "user: Client.UserInitiatedShutdown"),
                         ("stopped", "2 answers agree"), ("halted", "2 answers agree")):
        assert words in reasons[group], reasons
    assert "shop/left" in world.said() or any(group == "left" for group, _, _ in events(world, "hold.began")), world.said()


CONSOLES = """name: shop
version: "1"
groups:
  a:
    size: 1
    resourcePlugin: {name: aws, account: aws}
    resourceProperties: {instanceType: t3.small, image: debian}
  b:
    size: 1
    zones: [us-central1-a]
    resourcePlugin: {name: gcd, account: gcd}
    resourceProperties: {machineType: e2-small, image: debian}
  c:
    size: 1
    zones: [fra1]
    resourcePlugin: {name: digitalOcean, account: digitalocean}
    resourceProperties: {size: s-1vcpu-1gb, image: debian}
"""


def test_K13_a_console_is_shown_as_its_provider_has_it(world):
    """CLOUDS.md A8. Lines are shown without carriage returns and without what controls a terminal."""
    assert world.reeve("apply", "--yes", "-f", "-", text=CONSOLES)[0] == 0
    until(lambda: world.counts() == {"aws": 1, "gcd": 1, "digitalOcean": 1}, world.said)
    for cloud, node in (("aws", "a-0"), ("gcd", "b-0")):
        fake = world.fakes[cloud]
        fake.set_machine(fake.alive()[0]["id"], console="\x1b[31mboot\x1b[0m\r\nFailed to mount /data\r\n")
        until(lambda node=node: world.reeve("console", f"shop/{node}")[0] == 0, world.said)  # its id is known
        assert world.reeve("console", f"shop/{node}") == (0, "boot\nFailed to mount /data\n", "")
        page = json.loads(world.reeve("console", node, "-o", "json")[1])
        assert page["node"] == node and page["console"].endswith("Failed to mount /data\r\n")
        call, reason = {"aws": ("GetConsoleOutput", "UnauthorizedOperation"), "gcd": ("instances.getSerialPortOutput", "forbidden")}[cloud]
        fake.fail_next(call, status=403, code=reason, message="not with this key", times=20)
        code, out, err = world.reeve("console", f"shop/{node}")
        assert code == 7 and "not with this key" in err and not out and f"error[R0718]: the console of {node} cannot be read" in err, (code, err)
    code, out, err = world.reeve("console", "shop/c-0")
    assert code == 5 and not out and "error[R0717]" in err and "digitalOcean have no console" in err, (code, err)
    code, out, err = world.reeve("console", "shop/c-7")
    assert code == 4 and not out and "c-7" in err, (code, err)


# What is wrong, at which line, and what the answer has: the provider's words or values, and the next step.
BAD = {
    "region": ("aws", "", "zones: [ap-south-9a]", 6, ("ap-south-9", "settings.regions: add it")),
    "zone": ("aws", "", "zones: [eu-west-1z]", 6, ("there is no zone 'eu-west-1z'", "eu-west-1a")),
    "image": ("aws", "image: ami-0123456789abcdef0", "", 6, ("ami-0123456789abcdef0", "InvalidAMIID.NotFound")),
    "type": ("aws", "instanceType: t9.huge", "", 6, ("there is no instance type 't9.huge'", "describe-instance-types")),
    "key": ("aws", "key: nokey", "", 6, ("there is no key pair 'nokey' in eu-west-1",)),
    "subnet": ("aws", "subnet: default-b", "zones: [eu-west-1a]", 6, ("there is no subnet", "in the zone eu-west-1a",)),
    "quota": ("digitalOcean", "", "", 6, ("may have 0 droplets", "Request a higher limit")),
    "place": ("gcd", "machineType: e9-huge", "zones: [us-central1-a]", 6, ("e9-huge", "e2-")),
}
OF_GROUP = {**OF_CLOUD, "digitalOcean": {"size": "s-1vcpu-1gb", "image": "debian"}}
GROUP = """name: shop
version: "1"
groups:
  web:
    resourcePlugin: {name: %s, account: %s}
    resourceProperties: {%s}
    %s
    size: 1
"""


def test_bad_input_is_reported_with_the_provider_s_words_at_its_line_and_nothing_is_made(world):
    """The issue's list of bad input; a credential, a clock, an endpoint and a certificate have tests of their own."""
    world.fakes["digitalOcean"].faults(quota=0)
    wrong = []
    for name, (cloud, value, more, line, words) in BAD.items():
        values = {key: f"{key}: {text}" for key, text in OF_GROUP[cloud].items()}
        if value:
            values[value.split(":")[0]] = value
        text = GROUP % (cloud, ACCOUNTS[cloud], ", ".join(values.values()), more or "minSize: 0")
        for verb in ("plan", "apply"):
            code, out, err = world.reeve(verb, *(["--yes"] if verb == "apply" else []), "-f", "-", text=text)
            if code != 3 or "error[R0606]" not in err or f"<stdin>:{line}:" not in err or not all(word in err for word in words):
                wrong.append(f"{name}, {verb}: exit {code}\n{out}{err}")
    assert not wrong, "\n".join(wrong)
    assert set(world.counts().values()) == {0} and world.manager.get("/v1/clusters/shop").status == 404
    assert not [disk for fake in world.fakes.values() for disk in fake.state()["disks"]]


def test_a_wrong_certificate_is_named_and_nothing_is_made(tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    with World(tmp_path, clouds=("aws",)) as world, Fake("aws", tls=(certificate, key)) as fake:
        world.fakes["aws"] = fake
        (tmp_path / "reeved.yaml").write_text((tmp_path / "reeved.yaml").read_text().replace("aws: [", f"aws: ['127.0.0.1:{fake.port}', "))
        world.manager.kill()
        world.manager.start()
        world.account("aws", endpoint=f"https://127.0.0.1:{fake.port}")
        code, out, err = world.reeve("plan", "-f", "-", text=shop(1))
        assert code == 0 and "warning[R0607]" in err and "certificate" in err, out + err
        code, out, err = world.reeve("apply", "--yes", "--detach", "-f", "-", text=shop(1))
        until(lambda: "certificate" in world.reeve("why", "shop/web")[1] + world.reeve("status")[1], world.said)
        assert not fake.state()["machines"] and not fake.state()["disks"]


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
