"""Twelve kinds of incident among 1,200 nodes, for a stranger who opens the page over a slow network (UX.md U31; issue 24, "shown by c"): cause, since
when, what comes next and when, and what helps are on the first page, or one click away. Pictures of both are kept, 1280 and 400 pixels wide."""

import contextlib
import os
import re

import pytest

from conftest import PICTURES, Site
from incidents import World, ZONE
from manager import until
from slow import Slow

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="nodes are namespaces that root makes")

LATENCY_S = 0.4
CARDS = "[...document.querySelectorAll('.need')].map((one) => one.innerText.replace(/\\s+/g, ' '))"
AXE = ("axe.run(document, {resultTypes: ['violations']}).then((all) => all.violations.map((one) => "
       "`${one.id}: ${one.nodes.map((node) => node.target.join(' ') + ' ' + (node.any[0]?.message ?? '')).join('; ')}`))")
AGO = r"since (?:now|\d+ (?:s|min) ago)"
AT = r"(?:now|in \d+ (?:s|min)|due \d+ (?:s|min) ago)"
ON_WORD = "reeve requests the machine again only after a change of its group, or a retry"

# For each: its card on the first page, from the place to the command; the buttons of the card; and the node whose page is one click away.
INCIDENTS = {
    "bad bundle": (rf"^metal/bundle 1 of 1 failed, {AGO}: bundle-0 stage-0 bad: error: no package nginx-lite \(exit 5\) next: reeve does nothing: heal is not replace; "
                   r"retry the job hint: reeve logs metal/bundle-0", {"Retry"}, "bundle-0"),
    "quota": (rf"^fleet/quota \d+ of \d+ refused, {AGO}: quota-.* the project may have 20 machines, and has 20 next: reeve requests the machine again, {AT} hint: make room, or reduce the size: "
              r"reeve scale fleet/quota", {"Retry"}, None),
    "expired key": (rf"^fleet/cred \d+ of \d+ refused, {AGO}: cred-.* the access key expired yesterday next: {ON_WORD} hint: renew the credentials of the account .*reeve job retry",
                    {"Retry"}, None),
    "full disk": (rf"^fleet/full 5 of 5 refused, {AGO}: full-0, .* no space left for plugin full; make room on the disk of \S+/full: .*? next: reeve requests the machine again, {AT} hint: make "
                  r"room", {"Retry"}, "full-0"),
    "partition": (rf"^metal/cut 1 of 1 unreachable, {AGO}: cut-0 ssh \d+: .* next: reeve does nothing until the machine answers: onUnreachable is not replace hint: reeve describe node "
                  r"metal/cut-0", set(), "cut-0"),
    "wrong image": (rf"^fleet/image \d+ of \d+ refused, {AGO}: image-.* there is no image debian-13.7 next: {ON_WORD} hint: correct the specification: reeve edit cluster/fleet",
                    {"Retry", "Edit"}, None),
    "clock": (rf"^metal/clock 1 of 1 starting, {AGO}: clock-0 .*publickey.* next: reeve tries again every few seconds hint: .*check its clock", set(), "clock-0"),
    "unknown host key": (rf"^metal/key 1 of 1 starting, {AGO}: key-0 the host key of key-0 is not known next: reeve tries again, {AT} hint: reeve ca accept metal/key-0 KEY", set(),
                         "key-0"),
    "missing sudo": (rf"^metal/sudo 1 of 1 starting, {AGO}: sudo-0 'ops' cannot become root: sudo: a password is required next: reeve tries again, {AT} hint: .*/etc/sudoers.d/reeve",
                     set(), "sudo-0"),
    "hung plugin": (rf"^fleet/hung \d+ of 2 creating, {AGO}: hung-.* plugin hung: the (?:process of the plugin did not answer, and was killed|plugin has not answered in time) next: "
                    rf"(?:the request of reeve is in progress|reeve requests the machine again, {AT}) hint: see whether the provider behind plugin 'hung' answers", set(), None),
}


class Incidents:
    """The world, and a page that was open before the zone died."""

    def __init__(self, folder, stack, chromium):
        self.world = World(folder, stack, "127.0.43")
        self.world.run_in()
        slow = Slow(self.world.manager.port, LATENCY_S)
        stack.callback(slow.end)
        self.site = Site(self.world.manager, chromium)
        self.site.base = f"http://127.0.0.1:{slow.port}"
        self.page = self.site.login()
        self.page.home = self.site.base
        stack.callback(self.page.close)
        self.world.lose_zone()

    def cards(self):
        """The cards of the first page, all of them."""
        return self.page.run(f"document.querySelector('.needs + button.link')?.click(), {CARDS}") or []

    def picture(self, name):
        """Both widths; nothing is wider than a phone."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.picture(PICTURES / f"twelve-{name}-1280.png")
        self.page.look(400, 800, False)
        self.page.until("innerWidth === 400")
        wide = self.page.run("[...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > 400 && !one.closest('.table-scroll')).map((one) => `${one.tagName} ${one.className}`).slice(0, 5)")
        assert self.page.run("document.documentElement.scrollWidth") <= 400, (name, wide)
        self.page.picture(PICTURES / f"twelve-{name}-400.png")
        self.page.look(1280, 800, False)

    def judge(self, name):
        """What axe finds, in both schemes."""
        for dark in (False, True):
            self.page.look(1280, 800, dark)
            found = self.page.run(AXE)
            assert found == [], (name, dark, found)
        self.page.look(1280, 800, False)


@pytest.fixture(scope="module", name="twelve")
def incidents_of_all(tmp_path_factory, chromium):
    """With eleven incidents in it."""
    with contextlib.ExitStack() as stack:
        yield Incidents(tmp_path_factory.mktemp("twelve"), stack, chromium)
    chromium.call("Storage.clearCookies")


def test_a_dead_zone_is_held_on_the_first_page(twelve):
    """The first of this module: the hold goes when reeve has asked for the lost machines one by one."""
    pattern = rf"^fleet\S* listing brake · .*\b{ZONE - 4}\b.* {AGO}.* approve the hold to trust the listing immediately .*Reject Approve"
    until(lambda: any(re.search(pattern, card) for card in twelve.cards()), lambda: "\n".join(twelve.cards()))
    twelve.picture("dead-zone")


@pytest.mark.parametrize("node", [node for *_, node in INCIDENTS.values() if node])
def test_one_click_leads_to_the_node(twelve, axe, node):
    """Its page begins with the same sentence."""
    page = twelve.page
    twelve.site.show(page, "")
    until(lambda: any(f" {node}" in card for card in twelve.cards()), lambda: "\n".join(twelve.cards()))
    page.click(node, ".need a")
    page.until(f"document.querySelector('main .note.bad')?.innerText.includes('{node} is')")
    text = page.run("document.querySelector('main .note.bad').innerText").replace("\n", " ")
    assert re.search(rf"{AGO}.* next: .* hint: ", text), text
    page.until("!/loading/.test(document.querySelector('main').innerText)")
    page.run(axe)
    twelve.judge(node)
    twelve.picture(node)


@pytest.mark.parametrize("incident", INCIDENTS)
def test_the_first_page_says_it(twelve, incident):
    pattern, buttons, _ = INCIDENTS[incident]
    twelve.site.show(twelve.page, "")
    card = until(lambda: next((card for card in twelve.cards() if re.search(pattern, card)), None), lambda: "\n".join(twelve.cards()), 90)
    place = card.split()[0]
    shown = twelve.page.run(f"[...[...document.querySelectorAll('.need')].find((one) => one.innerText.startsWith('{place}')).querySelectorAll('.need-do button, .need-do a')].map((one) => one.innerText)")
    assert buttons <= set(shown), (card, shown)


def test_a_request_that_is_under_way_is_not_shown_as_due(twelve):
    """The plugin hangs again: the card says so, though no record has changed since it was due."""
    twelve.site.show(twelve.page, "")
    until(lambda: any(re.search(r"^fleet/hung .* next: the request of reeve is in progress hint:", card) for card in twelve.cards()), lambda: "\n".join(twelve.cards()), 90)


def test_the_first_page_can_be_read_by_everybody(twelve, axe):
    assert len(twelve.cards()) >= len(INCIDENTS)
    twelve.page.run(axe)
    twelve.judge("first")
    twelve.picture("first")


# What the page shows of each node: name, state, marks; and its sums.
SHOWN = """(async () => {
    const base = document.querySelector('script[src]').src.replace('main.js', '');
    const { fleet } = await import(base + 'data/store.js');
    const { stateOf, isOutdated, readyOf } = await import(base + 'data/facts.js');
    const nodes = {};
    for (let row = 0; row < fleet.rows; row++) if (fleet.isThere(row)) nodes[`${fleet.text('cluster', row)}/${fleet.names[row]}`] = [stateOf(row), isOutdated(row)];
    return { nodes, ready: readyOf().ready, sum: document.querySelector('.sum').innerText.replace(/\\s+/g, ' ') };
})()"""


def pages_of(get, path):
    """The items of all pages of a list."""
    answer = get(path).json
    yield from answer["items"]
    while following := answer.get("next"):
        answer = get(f"{path}&next={following}").json
        yield from answer["items"]


def test_the_page_says_of_each_node_what_the_api_says(twelve):
    """All states of 1,200 nodes amid twelve incidents, and their sums (X18): the page and /v1/resources are the same."""
    get = twelve.world.manager.get

    def written():
        rows = [one for cluster in ("fleet", "metal") for one in pages_of(get, f"/v1/resources?cluster={cluster}&limit=500")]
        return {f"{one['metadata']['cluster']}/{one['metadata']['name']}": [one["status"]["displayed"], bool(one["status"].get("outdated"))] for one in rows}

    twelve.site.show(twelve.page, "")

    def is_same():
        shown, rows = twelve.page.run(SHOWN), written()
        ready = sum(state == "ready" for state, _ in rows.values())
        return shown["nodes"] == rows and shown["ready"] == ready and shown["sum"].startswith(f"{ready} of ")
    until(is_same, lambda: str(set(map(str, twelve.page.run(SHOWN)["nodes"].items())) ^ set(map(str, written().items())))[:2000], 60)


def test_a_damaged_store_is_said_on_every_page(twelve):
    """The last of this module."""
    page = twelve.page
    twelve.site.show(page, "")
    twelve.world.damage()
    page.until("document.querySelector('[data-test=store-note]')?.innerText.includes('damaged')")
    text = page.run("document.querySelector('[data-test=store-note]').innerText")
    assert "reeve doctor" in text, text
    twelve.picture("damaged-store")
    twelve.judge("damaged store")
