"""A machine with another host key, as its page shows it (X5; decision 0051)."""

from hosts import ME, Sshd, port_of

from conftest import PICTURES, is_clean
from manager import until

NETWORK = "127.0.12"  # every address of 127/8 is ours on loopback


def standing(site):
    """The machine, as the manager has it."""
    found = site.manager.get("/v1/resources?cluster=shop").json["items"]
    return found[0]["status"] if found else {}


def test_a_machine_with_another_host_key_says_so_and_how_to_go_on(site, tmp_path):
    """It is told while it is looked at, and goes when somebody has said that the key is right."""
    host = Sshd(tmp_path / "host", [f"{NETWORK}.1"], port_of(NETWORK))
    try:
        site.manager.apply({"name": "shop", "version": "1", "groups": {"web": {
            "size": 1, "resourcePlugin": {"name": "static"}, "ssh": {"firstUse": True}, "heal": "off",
            "resourceProperties": {"addresses": host.addresses, "port": host.port, "user": ME},
            "health": {"probe": {"exec": ["true"], "every": "200ms", "timeout": "5s"}}}}})
        until(lambda: site.manager.get("/v1/clusters/shop").json.get("status", {}).get("ssh"), site.manager.log.read_text)
        line = site.manager.get("/v1/clusters/shop").json["status"]["ssh"]
        host.start(line)
        until(lambda: standing(site).get("hostKey") and not standing(site).get("starting"), site.manager.log.read_text)
        page = site.login("nodes/shop/web-0")
        page.home = site.base
        page.shows("runs")
        assert "another one than" not in page.text()

        host.stop()
        host.key_make()
        host.start(line)
        page.shows("not the expected one")
        page.shows("reeve describe node shop/web-0")
        PICTURES.mkdir(parents=True, exist_ok=True)
        page.picture(PICTURES / "node-alarm.png")

        said = site.manager.ask("POST", "/v1/clusters/shop/say", {"command": "accept", "node": "web-0", "key": host.key})
        assert said.status == 200, said.json
        page.until("!document.body.innerText.includes('not the expected one')", "the alarm has gone")
        is_clean(page)
    finally:
        host.stop()


def test_a_machine_whose_keys_are_revoked_says_so(site):
    """Also one that has taken no step yet, or never will."""
    site.manager.apply({"name": "shop", "version": "1", "groups": {"web": {
        "size": 1, "resourcePlugin": {"name": "static"}, "resourceProperties": {"addresses": [f"{NETWORK}.9"], "user": ME}}}})
    until(lambda: standing(site).get("state") == "active", site.manager.log.read_text)
    page = site.login("nodes/shop/web-0")
    page.home = site.base
    page.shows("runs")
    said = site.manager.ask("POST", "/v1/clusters/shop/say", {"command": "revoke", "node": "web-0"})
    assert said.status == 200, said.json
    page.shows("revoked")
    is_clean(page)
