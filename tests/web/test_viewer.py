"""A viewer of the tenant sees machines, groups and nodes, and is offered nothing that changes them: no button, no box to choose, no key."""
import contextlib
import os
import shutil
import subprocess

import pytest

from conftest import ROOT, is_clean
from hosts import port_of
from pylib.node import Node
from test_configs import push

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="machines with a disk of their own are made by root")

NETWORK = "127.0.28"
BUTTONS = "[...document.querySelectorAll('main button, main input[type=checkbox]')].filter((one) => one.offsetParent).map((one) => one.innerText.trim() || one.getAttribute('aria-label') || one.parentNode.innerText.trim())"
# what changes machines, groups and nodes; each is offered to an operator on one of the pages
DEEDS = {"Commission", "Move", "Approve key", "Ignore", "Scale", "Upgrade", "Pause", "Label", "Undo", "Delete", "Verify", "Drain", "Reboot", "Replace"}
# the key that opens a dialog on a page
KEYS = {"discover": "", "groups/dc/workers": "suPU", "nodes/dc/workers-0": "vdrc"}


@pytest.fixture(name="machines")
def two_machines(tmp_path):
    port = port_of(NETWORK)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", tmp_path / "login"], check=True)
    with contextlib.ExitStack() as stack:
        found = [Node(tmp_path / f"machine-{number}", f"machine-{number}", address=f"{NETWORK}.{number}", port=port) for number in range(1, 3)]
        for one in found:
            stack.callback(one.kill)
            (one.folder / "root/.ssh/authorized_keys").write_text((tmp_path / "login.pub").read_text())
            one.start()
        yield found


def inventory(site, machines, folder):
    """A group with one member, whose stages are those of a configuration, and a machine that waits."""
    manager = site.manager
    shutil.copytree(ROOT / "examples/configuration", folder / "web")
    push(site, folder / "web", "web")
    manager.apply({"name": "dc", "version": "1", "groups": {"workers": {
        "size": 0, "resourcePlugin": {"name": "inventory"}, "configuration": "web", "health": {"probe": {"exec": ["true"], "every": "200ms", "fail": 2, "timeout": "5s"}}}}})
    assert manager.ask("POST", "/v1/secrets", {"name": "base-image", "value": (folder / "login").read_text()}).status == 201
    rows = manager.ask("POST", "/v1/discover", {"addresses": [f"{one.address}:{one.port}" for one in machines], "user": "root", "keySecret": "base-image"}).json["items"]
    word = f"{rows[0]['id']}={rows[0]['fingerprint']}".replace("+", "%2B").replace("=", "%3D", 1)
    answer = manager.patch(f"/v1/nodegroups/dc/workers?commission={word}&adopt=1", {"size": 1})
    assert answer.status == 200, answer.text
    site.ready("dc", 1)
    return rows


def offered(site, page):
    """Page by page what is offered there, and which dialogs keys open."""
    found, dialogs = set(), 0
    for path, keys in KEYS.items():
        site.go(page, f"{path}?all=1" if path == "discover" else path)
        page.until("document.querySelector('main').innerText.includes('workers-0')", path)
        page.until("!document.querySelector('main').innerText.includes('loading')", path)
        found |= {word.split(" ")[0] if word.startswith(("Commission", "Move")) else word for word in page.run(BUTTONS)}
        for key in keys:
            page.press(key)
            page.run("new Promise((done) => setTimeout(done, 100))")
            if page.run("document.querySelector('dialog') !== null"):
                dialogs += 1
                page.press("Escape")
                page.until("document.querySelector('dialog') === null", "it is closed")
    return found, dialogs


def test_a_viewer_is_offered_nothing_that_changes(site, machines, tmp_path):
    rows = inventory(site, machines, tmp_path)
    page = site.login()
    page.home = site.base
    page.until("document.querySelector('main') !== null")
    words, dialogs = offered(site, page)
    boxes = {word for word in words if word.startswith("choose ")}
    assert DEEDS - {"Move"} <= words and len(boxes) == 2 and dialogs >= 5, (sorted(words), dialogs)
    is_clean(page)

    token = site.user("vera", "viewer")
    page = site.browser.page(context=site.browser.context())
    page.home = site.base
    page.goto(site.url())
    page.write("input[name=token]", token)
    page.run("document.querySelector('input[name=token]').form.requestSubmit()")
    page.shows("live")
    words, dialogs = offered(site, page)
    assert not DEEDS & words and not any(word.startswith("choose ") for word in words) and dialogs == 0, (sorted(words), dialogs)
    site.go(page, "discover?all=1")
    page.until("document.querySelectorAll('article.found').length === 2", "and sees what is there")
    is_clean(page)

    # nor does the manager accept it
    for method, path, body in (("PATCH", f"/v1/nodegroups/dc/workers?commission={rows[1]['id']}", {"size": 2}), ("PATCH", "/v1/nodegroups/dc/workers", {"configuration": "web@r1"}),
                               ("POST", "/v1/nodegroups/dc/workers/jobs", {"verb": "drain"}), ("POST", f"/v1/nodes/{rows[1]['id']}/approve", {"fingerprint": rows[1]["fingerprint"]}),
                               ("POST", f"/v1/nodes/{rows[1]['id']}/ignore", {})):
        answer = site.manager.ask(method, path, body, token=token)
        assert answer.status == 403, (method, path, answer.status, answer.text)
