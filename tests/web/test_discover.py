"""Discover: machines that wait, with their keys; one is approved, one ignored, two go into a group; at two widths."""
import contextlib
import subprocess

import pytest

from conftest import PICTURES, is_clean
from hosts import ME, Sshd, port_of

NETWORK = "127.0.27"
CARDS = "[...document.querySelectorAll('article.found')].map((one) => one.innerText)"


@pytest.fixture(name="machines")
def three_machines(tmp_path):
    """Three machines, each an sshd of its own, which accept one key."""
    port = port_of(NETWORK)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", tmp_path / "login"], check=True)
    with contextlib.ExitStack() as stack:
        found = [Sshd(tmp_path / f"machine-{number}", [f"{NETWORK}.{number}"], port) for number in range(1, 4)]
        for one in found:
            stack.callback(one.stop)
            one.start((tmp_path / "login.pub").read_text().strip())
        yield found


def cards(page):
    return page.run(CARDS)


def test_machines_are_chosen_and_taken_into_a_group(site, machines, tmp_path):
    manager = site.manager
    page = site.login("discover")
    page.home = site.base
    page.shows("No machine was discovered yet.")
    manager.apply({"name": "dc", "version": "1", "groups": {"workers": {
        "size": 0, "resourcePlugin": {"name": "inventory"},
        "health": {"probe": {"exec": ["true"], "every": "200ms", "fail": 2, "timeout": "5s"}, "grace": "1m"}}}})
    assert manager.ask("POST", "/v1/secrets", {"name": "base-image", "value": (tmp_path / "login").read_text()}).status == 201
    answer = manager.ask("POST", "/v1/discover", {"addresses": [f"{one.addresses[0]}:{one.port}" for one in machines], "user": ME, "keySecret": "base-image"})
    assert answer.status == 200, answer.text
    page.until(f"{CARDS}.length === 3 && {CARDS}.every((text) => text.includes('SHA256:'))")
    assert all("observed by the manager, not verified" in text and "approval of the host key" in text for text in cards(page))

    page.click("Approve key")
    page.until(f"{CARDS}.filter((text) => text.includes('approved by')).length === 1")
    page.run("[...document.querySelectorAll('article.found')].at(-1).querySelector('footer .quiet').click()")
    page.until(f"{CARDS}.length === 2", "an ignored one is not shown")

    page.run("document.querySelectorAll('article.found input[type=checkbox]').forEach((one) => one.click())")
    page.click("Commission 2")
    page.until("document.querySelector('dialog .way code')?.innerText.includes('-g dc/workers')")
    assert "SHA256:" in page.run("document.querySelector('dialog').innerText")
    page.run("document.querySelector('dialog input[name=adopt]').click()")
    page.until("document.querySelector('dialog .way code')?.innerText.startsWith('reeve adopt ') && document.querySelector('dialog').innerText.includes('Adopt 2 machines')")
    page.run("document.querySelector('dialog input[name=adopt]').click()")
    page.until("document.querySelector('dialog .way code')?.innerText.startsWith('reeve commission ')")
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.picture(PICTURES / "discover-commission.png")
    page.click("Take 2 into dc/workers")
    page.until("document.querySelector('dialog') === null", "it was taken")
    page.until(f"{CARDS}.length === 0 || {CARDS}.every((text) => text.includes('a slot in'))")
    site.ready("dc", 2)
    page.run("[...document.querySelectorAll('.tools .check input')].at(-1).click()")
    page.until(f"{CARDS}.filter((text) => text.includes('claimed')).length === 2 && {CARDS}.length === 3")
    page.picture(PICTURES / "discover.png")

    # one of them moves to another group, which it joins when it has left the first one
    manager.apply({"name": "dc", "version": "1", "groups": {
        "spare": {"size": 0, "resourcePlugin": {"name": "inventory"}, "health": {"probe": {"exec": ["true"], "every": "200ms", "fail": 2, "timeout": "5s"}}},
        "workers": {"size": 2, "resourcePlugin": {"name": "inventory"},
                    "health": {"probe": {"exec": ["true"], "every": "200ms", "fail": 2, "timeout": "5s"}, "grace": "1m"}}}})
    page.until(f"[...document.querySelectorAll('article.found')].some((one) => one.innerText.includes('dc/workers-0') && one.querySelector('input[type=checkbox]'))")
    page.run("[...document.querySelectorAll('article.found')].find((one) => one.innerText.includes('dc/workers-0')).querySelector('input[type=checkbox]').click()")
    page.click("Move 1")
    page.until("document.querySelector('dialog .way code')?.innerText.includes('-g dc/spare --move --allow destroy=1')", "the plan of both groups")
    deed = "[...document.querySelectorAll('dialog footer .button')].at(-1)"
    assert page.run(f"{deed}.disabled"), "it leaves a group: the count is typed first"
    page.write("dialog input[name=consent]", "destroy 1")
    page.until(f"!{deed}.disabled")
    page.picture(PICTURES / "discover-move.png")
    page.run(f"{deed}.click()")
    page.until("document.querySelector('dialog') === null", "it was moved")
    page.until(f"{CARDS}.some((text) => text.includes('dc/spare-0'))", "it has joined the other group", 60)
    assert (manager.get("/v1/nodegroups/dc/workers").json["spec"]["size"], manager.get("/v1/nodegroups/dc/spare").json["spec"]["size"]) == (1, 1)

    # the other one is taken out of its group; it is there, so it cannot be given up as one that has disappeared
    name = next(one["metadata"]["name"] for one in manager.get("/v1/resources?cluster=dc").json["items"] if one["status"]["group"] == "workers" and one["status"]["state"] == "active")
    site.go(page, f"nodes/dc/{name}")
    page.click("Decommission")
    page.until(f"document.querySelector('dialog .way code')?.innerText === 'reeve decommission dc/{name} --allow destroy=1'")
    page.run("document.querySelector('dialog input[name=absent]').click()")
    page.until(f"document.querySelector('dialog .way code')?.innerText.startsWith('reeve decommission dc/{name} --absent')")
    page.shows("has not disappeared")
    assert page.run(f"{deed}.disabled")
    page.run("document.querySelector('dialog input[name=absent]').click()")
    page.until("document.querySelector('dialog input[name=consent]') !== null")
    page.write("dialog input[name=consent]", "destroy 1")
    page.until(f"!{deed}.disabled")
    page.picture(PICTURES / "node-decommission.png")
    page.run(f"{deed}.click()")
    page.until("document.querySelector('dialog') === null", "it leaves")
    assert manager.get("/v1/nodegroups/dc/workers").json["spec"]["size"] == 0
    site.go(page, "discover?all=1")
    page.until(f"{CARDS}.length === 3")
    page.look(400, 800, False)
    page.until("document.documentElement.scrollWidth <= 400", "nothing is wider than a phone")
    page.picture(PICTURES / "discover-phone.png")
    is_clean(page, ("absent=1",))  # the plan of what is refused
