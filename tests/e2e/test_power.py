"""Power of machines by their BMCs: IPMI against ipmi_sim of OpenIPMI, Redfish against a BMC of Python that OpenStack's client accepts.

Requirements: C3, C4, C13, decision 0188.
"""
import json
import subprocess

import pytest

from conftest import ENVIRONMENT, REEVE
from hosts import Sshd, port_of
from manager import Manager, until
from pylib import bmc
from pylib.ports import free_port
from test_discovered import ME, commission, discovered, fingerprint, group, members, place, ready, row

NETWORK = "127.0.31"


@pytest.fixture
def keeping(tmp_path):
    """A manager that reconciles."""
    with Manager(tmp_path, "--haste", "5", control=True).start() as manager:
        answer = manager.ask("POST", "/v1/secrets", {"name": "bmc", "value": "pa55wd-of-bmc\n"})
        assert answer.status in (200, 201), answer.text
        manager.ask("POST", "/v1/secrets", {"name": "wrong", "value": "hunter2"})
        yield manager


@pytest.fixture
def machine(tmp_path, keeping):
    """A row of the inventory."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", tmp_path / "login"], check=True)
    one = Sshd(tmp_path / "machine", [f"{NETWORK}.1"], port_of(NETWORK))
    one.start((tmp_path / "login.pub").read_text().strip())
    try:
        one.id = discovered(keeping, one, folder=tmp_path)["items"][0]["id"]
        yield one
    finally:
        one.stop()


@pytest.fixture
def ipmi(tmp_path):
    """A BMC by IPMI."""
    if bmc.missing():
        pytest.skip(bmc.missing())
    one = bmc.Ipmi(tmp_path / "ipmi", "127.0.0.1", free_port())
    try:
        yield one.start()
    finally:
        one.stop()


@pytest.fixture
def redfish(tmp_path):
    """A BMC by Redfish."""
    one = bmc.Redfish(tmp_path / "redfish", "127.0.0.1", free_port())
    try:
        yield one.start()
    finally:
        one.stop()


def reeve(manager, *words, code=0):
    """A command of an operator."""
    done = subprocess.run([REEVE, *words], text=True, capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=120,
                          env={**ENVIRONMENT, "REEVE_URL": f"unix:{manager.socket}"})
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr, manager.log.read_text()[-2000:])
    return done.stdout + done.stderr


def power(manager, machine):
    return manager.get(f"/v1/nodes/{machine.id}/power").json


def states(manager, machine, wanted):
    until(lambda: power(manager, machine)["state"] == wanted or None, lambda: f"power {wanted}: {power(manager, machine)}")


# ---- IPMI ----

def test_ipmi_switches_a_machine(keeping, machine, ipmi):
    """On, off, cycle, from the network; the state is shown everywhere, and the password nowhere."""
    assert "has the BMC " + ipmi.url() in reeve(keeping, "power", "set", machine.id, ipmi.url(), "--secret", "bmc")
    states(keeping, machine, "off")
    assert f"node/{machine.id} is on" in reeve(keeping, "power", "on", machine.id)
    assert ipmi.read("power") == "1"
    assert f"node/{machine.id} is off" in reeve(keeping, "power", "off", machine.id, "--yes")
    assert ipmi.read("power") == "0"
    assert f"node/{machine.id} is on" in reeve(keeping, "power", "netboot", machine.id, "--yes", "-m", "enlist")
    assert (ipmi.read("power"), ipmi.read("boot")) == ("1", "pxe")
    before = ipmi.read("calls").count("set power 0")
    reeve(keeping, "power", "cycle", machine.id, "--yes")
    assert ipmi.read("power") == "1" and ipmi.read("calls").count("set power 0") == before + 1, ipmi.read("calls")
    shown = reeve(keeping, "power", "status")
    assert ipmi.url() in shown and " on" in shown
    for text in (shown, json.dumps(row(keeping, machine.id)), json.dumps(power(keeping, machine)), keeping.log.read_text(),
                 reeve(keeping, "power", "status", "-o", "json"), keeping.get("/v1/events?limit=300").text):
        assert "pa55wd" not in text and "hunter2" not in text
    types = [event["type"] for event in keeping.get("/v1/events?limit=300").json["items"]]
    assert types.count("power.done") == 4 and types.count("power.ordered") == 4, types
    assert "no BMC any longer" in reeve(keeping, "power", "unset", machine.id)
    assert keeping.get(f"/v1/nodes/{machine.id}/power").code == "R0861"


def test_ipmi_faults_are_named(keeping, machine, ipmi):
    """A wrong password, a user that does not exist, a BMC that is silent, a secret that is missing: each is said, and none is tried for ever."""
    for url, secret, words in ((ipmi.url(), "wrong", "does not accept the password of user 'admin'"),
                               (ipmi.url("nobody"), "bmc", "does not know the user, or has disabled 'nobody'"),
                               (ipmi.url(), "absent", "the password of the BMC is not available")):
        reeve(keeping, "power", "set", machine.id, url, "--secret", secret)
        said = reeve(keeping, "power", "on", machine.id, code=3)
        assert words in said, said
        assert "order" not in power(keeping, machine)
        assert words in reeve(keeping, "power", "status", machine.id)
    assert "power.failed" in [event["type"] for event in keeping.get("/v1/events?limit=300").json["items"]]
    assert ipmi.read("power") == "0"
    # silent: the order waits, and is carried out when the BMC answers again
    reeve(keeping, "power", "set", machine.id, ipmi.url(), "--secret", "bmc")
    states(keeping, machine, "off")
    ipmi.stop()
    reeve(keeping, "power", "on", machine.id, "--detach")
    until(lambda: "does not answer" in power(keeping, machine).get("fault", "") or None, "a fault")
    assert power(keeping, machine)["order"]["action"] == "on"
    ipmi.start()
    until(lambda: ipmi.read("power") == "1" or None, "on")
    until(lambda: "order" not in power(keeping, machine) or None, "done")


def test_an_order_survives_the_manager(keeping, machine, ipmi):
    """A manager that is killed within an order carries it out afterwards, and a cycle switches off once."""
    reeve(keeping, "power", "set", machine.id, ipmi.url(), "--secret", "bmc")
    reeve(keeping, "power", "on", machine.id)
    before = ipmi.read("calls").count("set power 0")
    reeve(keeping, "power", "cycle", machine.id, "--yes", "--detach")
    keeping.kill()
    keeping.start()
    until(lambda: "bmc" in (one := power(keeping, machine)) and "order" not in one or None, "the order is carried out")
    assert ipmi.read("power") == "1" and ipmi.read("calls").count("set power 0") == before + 1


def test_a_member_is_interrupted_only_with_consent(keeping, machine, ipmi):
    """Off, cycle and netboot of a member need --allow reboot; on does not."""
    keeping.apply(group())
    reeve(keeping, "power", "set", machine.id, ipmi.url(), "--secret", "bmc")
    reeve(keeping, "power", "on", machine.id)
    assert commission(keeping, 1, f"{machine.id}={fingerprint(machine)}").status == 200
    until(lambda: ready(keeping) == 1 or None, "ready")
    assert members(keeping) == {"workers-0": machine.id}
    for action in ("off", "cycle", "netboot"):
        refused = keeping.ask("POST", f"/v1/nodes/{machine.id}/power", {"action": action})
        assert refused.status == 409 and refused.code == "R0862" and "workers-0" in refused.text, refused.text
        assert "interrupts member dc/workers-0" in reeve(keeping, "power", action, "dc/workers-0", "--yes", code=11)
    assert ipmi.read("power") == "1"
    assert keeping.ask("POST", f"/v1/nodes/{machine.id}/power", {"action": "on"}).status == 200
    until(lambda: "order" not in power(keeping, machine) or None, "done")
    reeve(keeping, "power", "off", "dc/workers-0", "--allow", "reboot=1", "--yes")
    assert ipmi.read("power") == "0"


def test_wrong_words_are_refused(keeping, machine):
    """Addresses, pins, actions."""
    for url in ("10.0.0.9", "ipmi://10.0.0.9", "ipmi://a b@10.0.0.9", "ipmi://-x@10.0.0.9", "ipmi://a@-oX", "ipmi://a@10.0.0.9:0", "ipmi://a:pw@10.0.0.9",
                "redfish://a@10.0.0.9/elsewhere", "http://a@10.0.0.9", ""):
        refused = keeping.ask("POST", f"/v1/nodes/{machine.id}/bmc", {"url": url, "secret": "bmc"})
        assert refused.code == "R0860", (url, refused.text)
    refused = keeping.ask("POST", f"/v1/nodes/{machine.id}/bmc", {"url": "redfish://a@10.0.0.9", "secret": "bmc", "pin": "SHA256:x"})
    assert refused.code == "R0860" and "public key" in refused.text
    assert keeping.ask("POST", f"/v1/nodes/{machine.id}/bmc", {"url": "ipmi://a@10.0.0.9", "secret": ""}).code == "R0860"
    assert keeping.ask("POST", "/v1/nodes/m-000000/bmc", {"url": "ipmi://a@10.0.0.9", "secret": "bmc"}).code == "R0403"
    assert keeping.ask("POST", f"/v1/nodes/{machine.id}/power", {"action": "on"}).code == "R0861"
    assert keeping.ask("POST", f"/v1/nodes/{machine.id}/power", {"action": "explode"}).code == "R0426"
    assert "power set needs the name of the secret" in reeve(keeping, "power", "set", machine.id, "ipmi://a@10.0.0.9", code=2)
    assert "did you mean 'cycle'" in reeve(keeping, "power", "cycel", machine.id, code=2)


# ---- Redfish ----

def test_the_redfish_of_the_tests_is_one(redfish, monkeypatch):
    """OpenStack's client, which operates BMCs of vendors, operates it as well."""
    sushy = pytest.importorskip("sushy")
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)  # they would count more than `verify`
    auth = sushy.auth.BasicAuth(username="admin", password=redfish.password)
    root = sushy.Sushy(f"https://{redfish.address}:{redfish.port}/redfish/v1/", auth=auth, verify=False)  # the certificate is the test's own
    system = root.get_system("/redfish/v1/Systems/1")
    assert system.power_state == sushy.PowerState.OFF
    system.set_system_boot_options(target=sushy.BOOT_SOURCE_TARGET_PXE, enabled=sushy.BOOT_SOURCE_ENABLED_ONCE)
    system.reset_system(sushy.ResetType.ON)
    system.refresh(force=True)
    assert (redfish.power, redfish.boot["BootSourceOverrideTarget"], system.power_state) == ("On", "Pxe", sushy.PowerState.ON)


def test_redfish_switches_a_machine(keeping, machine, redfish):
    """The same by HTTPS with a pinned key."""
    reeve(keeping, "power", "set", machine.id, redfish.url(), "--secret", "bmc", "--pin", redfish.pin())
    states(keeping, machine, "off")
    reeve(keeping, "power", "netboot", machine.id, "--yes")
    assert (redfish.power, redfish.boot["BootSourceOverrideTarget"], redfish.boot["BootSourceOverrideEnabled"]) == ("On", "Pxe", "Once")
    redfish.busy = 2
    reeve(keeping, "power", "off", machine.id, "--yes")
    assert redfish.power == "Off"


def test_redfish_faults_are_named(keeping, machine, redfish, tmp_path):
    """A certificate of another key or of no CA, a wrong password: the password is not sent, or not sent again."""
    other = bmc.Redfish(tmp_path / "other", "127.0.0.1", 1).pin()
    for pin, words in (((), "presents a certificate that no trusted CA has signed"), (("--pin", other), "presents another public key than the pinned one")):
        redfish.seen.clear()
        reeve(keeping, "power", "set", machine.id, redfish.url(), "--secret", "bmc", *pin)
        assert words in reeve(keeping, "power", "on", machine.id, code=3)
        assert redfish.seen == []
    reeve(keeping, "power", "set", machine.id, redfish.url(), "--secret", "wrong", "--pin", redfish.pin())
    assert "does not accept the password of user 'admin'" in reeve(keeping, "power", "on", machine.id, code=3)
    assert redfish.power == "Off"


def test_a_reboot_that_is_not_answered_is_done_by_the_bmc(keeping, machine, ipmi):
    """The member does not answer any longer: reeve reboot is completed by a cycle."""
    keeping.apply(group())
    reeve(keeping, "power", "set", machine.id, ipmi.url(), "--secret", "bmc")
    reeve(keeping, "power", "on", machine.id)
    assert commission(keeping, 1, f"{machine.id}={fingerprint(machine)}").status == 200
    until(lambda: ready(keeping) == 1 or None, "ready")
    before = ipmi.read("calls").count("set power 0")
    machine.stop()
    reeve(keeping, "reboot", "dc/workers-0", "--allow", "reboot=1", "--yes", "--detach")
    until(lambda: ipmi.read("calls").count("set power 0") > before or None, lambda: keeping.get("/v1/events?limit=50").text, 120)
    until(lambda: "order" not in power(keeping, machine) or None, "done")
    assert ipmi.read("power") == "1" and ipmi.read("calls").count("set power 0") == before + 1
    ordered = [one for one in keeping.get("/v1/events?limit=300").json["items"] if one["type"] == "power.ordered" and one["actor"] == "reeve"]
    assert len(ordered) == 1 and "does not answer a requested reboot" in ordered[0]["fact"], ordered
