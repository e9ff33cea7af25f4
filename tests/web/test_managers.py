"""Several managers of one store, as the page of one of them shows them: their states, and the lease holder of each cluster."""

import json
import shutil

import pytest
from pylib.etcd import Missing
from pylib.etcd_three import Three
from pylib.managers import Managers, until
from pylib.site import Site

from conftest import document, group

pytestmark = pytest.mark.skipif(shutil.which("etcd") is None, reason="needs etcd")


@pytest.fixture(name="world")
def fixture_world(tmp_path, chromium):
    """Two managers that download no plugins."""
    try:
        with Three(tmp_path) as etcd, Managers(tmp_path, etcd, count=2, more="fetch: {enabled: false}\n", flags=("--haste", "60")) as world:
            world.start()
            world.three = etcd
            yield world
            for page in list(chromium.pages.values()):
                page.close()
            chromium.call("Storage.clearCookies")
    except Missing as missing:
        pytest.skip(str(missing))


def rows(page, section):
    """The texts of a table."""
    return page.run(f"[...document.querySelectorAll('section[aria-label={section}] tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText.replace(/copy/, '').replace(/\\s+/g, ' ').trim()))")


def test_managers_their_states_and_their_clusters(world, chromium):
    first, second = world.all
    first.apply(document("shop", web=group(0)), document("mail", web=group(0)))
    first.post("/v1/apply?allow-missing-plugin=1", {"documents": [{"name": "odd", "version": "1", "groups": {"web": {"size": 0, "resourcePlugin": {"name": "nobodys"}}}}]})
    site = Site(first, chromium)
    page = site.login("managers")

    def shown(name):
        return {row[0]: row[1:] for row in rows(page, name)}
    until(lambda: {row[1] for row in rows(page, "managers")} == {"z0", "z1"} and {row[2] for row in rows(page, "managers")} == {"live"}, lambda: str(rows(page, "managers")))
    assert sorted(row[0] for row in rows(page, "managers")) == ["m0 this one", "m1"]
    assert page.run("[...document.querySelectorAll('.ring figcaption')].map((one) => one.innerText)") == ["z0", "z1"]
    until(lambda: rows(page, "assignment")[0][0] == "odd" and {row[1] for row in rows(page, "assignment")[1:]} <= {"m0", "m1"}, lambda: str(rows(page, "assignment")))
    assert shown("assignment")["odd"][0] == "none" and shown("assignment")["odd"][2] == "no live manager can use plugin nobodys"
    assert set(shown("assignment")) == {"odd", "shop", "mail"}
    assert first.post("/v1/managers/m1/drain", {"message": "new kernel"}).status == 200
    until(lambda: shown("managers")["m1"][1:3] == ["drained new kernel", "0"], lambda: json.dumps(rows(page, "managers")))
    until(lambda: [row[1] for row in rows(page, "assignment")[1:]] == ["m0", "m0"], lambda: json.dumps(rows(page, "assignment")))
    second.kill()
    until(lambda: shown("managers")["m1"][1].startswith("ended") and page.run("document.querySelector('.ring-dot.is-unreachable') !== null"), lambda: json.dumps(rows(page, "managers")))


def test_a_manager_without_quorum_hatches_its_page_and_says_why(world, chromium):
    first = world.all[0]
    first.apply(document("shop", web=group(0)))
    page = Site(first, chromium).login()
    page.until("document.querySelector('.shell.is-stale') === null && document.querySelector('tbody') !== null")
    stopped = [world.three.leader(), (world.three.leader() + 1) % 3]
    world.three.stop(*stopped)
    try:
        page.until("document.querySelector('.shell.is-stale .connection.is-stale')?.innerText.includes('old')")
        note = page.run("document.querySelector('[data-test=stale-note]').innerText")
        assert note.startswith("What is shown may be old: m0 ") and "shop" in page.text(), note
    finally:
        world.three.go_on(*stopped)
    page.until("document.querySelector('.shell.is-stale') === null && document.querySelector('[data-test=stale-note]') === null")
