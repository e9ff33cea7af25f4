"""What needs somebody is on the first page: which nodes, since when, why, what reeve does next and when, and what can be done about it."""

import json
import socket

import pytest

from conftest import PICTURES, Site, document, group
from manager import Manager, until

NETWORK = "127.0.31"  # every address of 127/8 is ours on loopback
CARDS = "[...document.querySelectorAll('.need')].map((one) => one.innerText.replace(/\\s+/g, ' '))"
NO_ROOM = "all of these machines are in use: list more of them"


def doors(count):
    """Somebody listens at each of these addresses, at one port."""
    found = [socket.create_server((f"{NETWORK}.0", 0), backlog=4096)]
    return found + [socket.create_server((f"{NETWORK}.{n}", found[0].getsockname()[1]), backlog=4096) for n in range(1, count)]


@pytest.fixture(scope="module", name="site")
def site_of_all(tmp_path_factory, chromium):
    """Two of eight do not answer any more, two were refused, a group is paused, and one cluster is well."""
    manager = Manager(tmp_path_factory.mktemp("incidents"), "--haste", "100", control=True).start()
    site, open_doors = Site(manager, chromium), doors(8)
    probe = {"tcp": open_doors[0].getsockname()[1], "every": "100ms", "fail": 2, "timeout": "1s"}
    manager.apply(document("shop", few={"size": 3, "resourcePlugin": {"name": "static"}, "resourceProperties": {"addresses": ["127.0.32.1"]}},
                           web={"size": 8, "heal": "off", "resourcePlugin": {"name": "file"}, "resourceProperties": {"address": NETWORK + ".{n}"}, "health": {"probe": probe, "grace": "0s"}}),
                  document("well", one=group(2)), document("rest", one=group(1)))
    until(lambda: site.counts("shop")[0] == 9 and site.counts("rest") == (1, 1), lambda: str(manager.get("/v1/resources?cluster=shop").json["items"]))
    for one in open_doors[2:4]:
        one.close()
    until(lambda: sum(bool(one["status"].get("unhealthy")) for one in manager.get("/v1/resources?cluster=shop").json["items"]) == 2, manager.log.read_text)
    assert manager.post("/v1/clusters/rest/say", {"command": "pause", "why": "the rack is moved"}).status == 200
    yield site
    for page in list(chromium.pages.values()):
        page.close()
    chromium.call("Storage.clearCookies")
    assert manager.stop() in (0, None), manager.log.read_text()
    for one in open_doors:
        one.close()


@pytest.fixture(name="page")
def page_logged_in(site):
    """A tab at the first page."""
    page = site.login()
    page.home = site.base
    yield page
    page.close()


def problem_of(site, name):
    """What the API says of a node."""
    return next(one["status"]["problem"] for one in site.manager.get("/v1/resources?cluster=shop").json["items"] if one["metadata"]["name"] == name)


def test_nodes_that_need_a_look_are_named_with_cause_and_what_comes_next(site, page):
    """Those without a hold as well, the most damage first, a pause last; in the words of probe and provider."""
    page.until(f"{CARDS}.length === 3 && {CARDS}.some((one) => one.includes('2 of 3 refused'))", "two of nodes, one of a pause; who is requested again is not refused meanwhile")
    cards = page.run(CARDS)
    unhealthy = next(at for at, one in enumerate(cards) if one.startswith("shop/web"))
    assert "2 of 8 unhealthy, since" in cards[unhealthy] and "web-2, web-3" in cards[unhealthy], cards
    assert problem_of(site, "web-2")["cause"].split(":")[-1] in cards[unhealthy] and "next: reeve does nothing: heal is off" in cards[unhealthy], cards
    refused = next(one for one in cards if one.startswith("shop/few"))
    names = [one["metadata"]["name"] for one in site.manager.get("/v1/resources?cluster=shop").json["items"] if one["status"]["displayed"] in ("refused", "creating")]
    assert "2 of 3 refused" in refused and all(name in refused for name in names) and len(names) == 2 and NO_ROOM in refused and "next: reeve requests the machine again, " in refused, cards
    assert cards[2].startswith("rest") and "paused by" in cards[2] and "the rack is moved" in cards[2], cards
    buttons = page.run("[...document.querySelectorAll('.need-do')].map((one) => [...one.querySelectorAll('button, a')].map((button) => button.innerText))")
    assert sorted(map(json.dumps, buttons)) == sorted(map(json.dumps, [["Repair", "Replace", "Edit"], ["Retry", "Scale", "Edit"], ["Resume"]])), buttons
    page.until("document.title.startsWith('(2) ')", "the title has their number, without the pause")
    for dark in (False, True):
        page.look(1280, 800, dark)
        PICTURES.mkdir(parents=True, exist_ok=True)
        page.picture(PICTURES / f"incidents-{'dark' if dark else 'light'}.png")
    page.look(390, 800, False)
    page.until("innerWidth === 390")
    assert page.run("document.documentElement.scrollWidth") <= 390
    page.picture(PICTURES / "incidents-390.png")


def test_a_cluster_and_a_group_show_their_own(site, page):
    for path, count in (("clusters/shop", 2), ("groups/shop/web", 1), ("groups/shop/few", 1), ("clusters/rest", 1)):
        site.show(page, path)
        page.until(f"{CARDS}.length === {count}", path)
    site.show(page, "clusters/well")
    page.until(f"{CARDS}.length === 0 && document.querySelector('.sum').innerText.replace(/\\s+/g, ' ') === '2 of 2 ready'")
    site.show(page, "clusters/shop")
    page.until("[...document.querySelectorAll('.rows-row')].filter((one) => one.innerText.includes('refused')).length >= 2", "the cause is in the table")
    rows = page.run("[...document.querySelectorAll('.rows-row')].map((one) => one.innerText.replace(/\\s+/g, ' '))")
    assert sum(NO_ROOM in one for one in rows) == 2, rows


def test_a_node_says_it_in_its_first_sentence(site, page):
    site.show(page, "nodes/shop/web-3")
    page.until("document.querySelector('main .note.bad')?.innerText.includes('web-3 is')")
    text = page.run("document.querySelector('main .note.bad').innerText").replace("\n", " ")
    assert "unhealthy" in text and problem_of(site, "web-3")["cause"] in text and "reeve does nothing: heal is off" in text, text
    page.until("document.querySelector('.timeline li:last-child .timeline-name')?.innerText === 'unhealthy'", "a life does not end in ready")
    name = next(one["metadata"]["name"] for one in site.manager.get("/v1/resources?cluster=shop").json["items"] if one["status"].get("fault"))
    site.show(page, f"nodes/shop/{name}")
    page.until(f"document.querySelector('main .note.bad')?.innerText.includes('{name} is')")
    text = page.run("document.querySelector('main .note.bad').innerText").replace("\n", " ")
    assert NO_ROOM in text and "next: reeve requests the machine again, " in text, text
    page.click("Try again")
    page.until("document.querySelector('dialog')?.innerText.includes('Try shop/few again')")
    page.press("Escape")


def test_states_over_time_of_a_cluster_a_group_and_a_node(site, page, axe):
    """Derived from events; they end with the present states."""
    page.run(axe)
    for path, count in (("clusters/shop", 11), ("groups/shop/web", 8)):
        site.show(page, path)
        page.until("document.querySelectorAll('.health-over-time summary').length", path)
        page.run("[...document.querySelectorAll('.health-over-time summary')].at(-1).click()")
        page.until("document.querySelectorAll('.health-time rect').length > 10", path)
        label = page.run("document.querySelector('.health-time svg').getAttribute('aria-label')")
        assert f"at most {count} nodes" in label and "2 unhealthy" in label, label
        shown = page.run("[...document.querySelectorAll('.health-time .state')].map((one) => one.innerText.replace(/\\s+/g, ''))")
        assert {"unhealthy2", f"ready{count - 2 - 2 * (count == 11)}"} <= set(shown), shown
        page.picture(PICTURES / f"health-{path.replace('/', '-')}.png")
        assert page.run("axe.run(document, {resultTypes: ['violations']}).then((all) => all.violations.map((one) => one.id))") == [], path
    site.show(page, "nodes/shop/web-3")
    page.until("document.querySelector('.status-strip')?.getAttribute('aria-label').includes('then ready for')")
    label = page.run("document.querySelector('.status-strip').getAttribute('aria-label')")
    assert label.startswith("states over time: creating for ") and label.endswith(", then unhealthy now"), label
    page.picture(PICTURES / "health-node.png")


def test_history_is_computed_from_events(page):
    """Of nodes that came, broke, healed, and went; of those that no event of the window tells of."""
    found = page.run("""(async () => {
        const base = document.querySelector('script[src]').src.replace('main.js', '');
        const { historyOf, countsOf } = await import(base + 'parts/history.js');
        const { WORDS } = await import(base + 'data/words.js');
        let number = 0;
        const event = (token, type, at) => ({ token, type: type, time: new Date(at * 1000).toISOString(), number: number++ });
        const events = [event('a', 'machine.wanted', 10), event('a', 'machine.running', 20), event('a', 'node.keyed', 25), event('a', 'node.bootstrapped', 30), event('a', 'machine.unhealthy', 50), event('a', 'machine.healthy', 60),
            event('b', 'machine.healthy', 40), event('c', 'machine.condemned', 30), event('c', 'machine.gone', 40), event('d', 'machine.wanted', 10), event('d', 'machine.running', 20)];
        const counts = countsOf(historyOf(events, new Map([['a', 'ready'], ['b', 'ready'], ['d', 'unreachable'], ['e', 'ready']]), 70000), [5, 15, 22, 35, 45, 55, 65, 75].map((s) => s * 1000));
        return counts.map((one) => Object.fromEntries(WORDS.map((word, at) => [word, one[at]]).filter(([, count]) => count)));
    })()""")
    assert found == [{"unhealthy": 1, "ready": 2}, {"unhealthy": 1, "creating": 2, "ready": 2}, {"unhealthy": 1, "starting": 1, "ready": 3}, {"unhealthy": 1, "leaving": 1, "ready": 3},
                     {"ready": 4}, {"unhealthy": 1, "ready": 3}, {"ready": 4}, {"unreachable": 1, "ready": 3}], found


def test_a_retry_is_said_from_the_first_page(site, page):
    page.click("Retry shop/few")
    page.until("document.querySelector('dialog')?.innerText.includes('POST /v1/nodegroups/shop/few/say')")
    page.click("Try shop/few again")
    page.until("document.querySelector('dialog') === null")
    assert [one for one in page.requests if one.endswith("/v1/nodegroups/shop/few/say")] and page.said == [], page.said


def card_of(page, subject):
    """What the card of a group says."""
    return next((one for one in page.run(CARDS) if one.startswith(subject)), "")


def test_what_comes_next_follows_holds_and_groups_and_a_pause_ends_in_place(site, page):
    """The records of the nodes do not change meanwhile."""
    assert site.manager.post("/v1/nodegroups/shop/few/say", {"command": "pause", "why": "more are bought"}).status == 200
    until(lambda: "next: reeve does nothing while the cluster or group is paused" in card_of(page, "shop/few 2 of 3"), lambda: str(page.run(CARDS)))
    assert "held by paused" in card_of(page, "shop/few 2 of 3")
    page.click("Resume shop/few paused", ".need.is-nodes button")
    page.until("document.querySelector('dialog')?.innerText.includes('reeve resume shop/few')")
    page.click("Resume shop/few")
    page.until("document.querySelector('dialog') === null")
    until(lambda: "next: reeve requests the machine again, " in card_of(page, "shop/few 2 of 3"), lambda: str(page.run(CARDS)))
    site.manager.patch("/v1/nodegroups/shop/web", {"heal": "replace", "replaceAfter": "100h"})
    until(lambda: "next: reeve replaces the machine, in " in card_of(page, "shop/web"), lambda: str(page.run(CARDS)))
    site.manager.patch("/v1/nodegroups/shop/web", {"heal": "off", "replaceAfter": None})
    until(lambda: "next: reeve does nothing: heal is off" in card_of(page, "shop/web"), lambda: str(page.run(CARDS)))


def test_the_size_is_changed_where_there_is_no_room(site, page):
    page.click("Scale shop/few")
    page.until("(document.querySelector('dialog')?.innerText ?? '').includes('Machines (now 3)')")
    page.press("Escape")
    page.until("document.querySelector('dialog') === null")


def test_the_nodes_of_an_incident_are_repaired_as_the_manager_decides(site, page):
    """How each is repaired, and why, is shown before it is agreed to: here only a reboot is allowed (C15)."""
    page.click("Repair shop/web")
    page.until("document.querySelector('dialog input[name=consent]') !== null")
    shown = page.run("document.querySelector('dialog').innerText").replace("\n", " ")
    assert "shop/web-2 (unhealthy) reboots" in shown and "shop/web-3 (unhealthy) reboots" in shown and 'Type "reboot 2" to agree' in shown, shown
    assert "reeve repair 'shop/web-[2-3]' --allow reboot=2" in shown and "PATCH /v1/nodegroups/shop/web?reboot=web-%5B2-3%5D&allow=reboot:2" in shown, shown
    page.picture(PICTURES / "incidents-repair.png")
    page.press("Escape")
    page.until("document.querySelector('dialog') === null")
    # Of a selection, nodes that need no repair are named with the reason.
    site.show(page, "nodes/shop/web-2")
    page.until("[...document.querySelectorAll('.head .button')].some((one) => one.innerText === 'Repair')")
    page.press("r")
    page.until("document.querySelector('dialog h2')?.innerText === 'Repair shop/web-2'", "the key r")
    page.press("Escape")
    box = "document.querySelector('input[aria-label=\"select {}\"]')"
    site.show(page, "groups/shop/web")
    page.until(f"{box.format('web-0')} && {box.format('web-2')}")
    for name in ("web-0", "web-2"):
        page.run(f"{box.format(name)}.click()")
    page.click("Repair", ".bulk button")
    page.until("document.querySelector('dialog')?.innerText.includes('shop/web-0 is left out: the node is ready')")
    page.press("Escape")
    page.until("document.querySelector('dialog') === null")
    page.click("Decommission", ".bulk button")
    page.shows("No selected node is a machine of the inventory.")
    page.press("Escape")


def test_the_nodes_of_an_incident_are_replaced_with_consent(site, page):
    """The plan names them, and its count is typed."""
    page.click("Replace shop/web")
    page.until("document.querySelector('dialog input[name=consent]') !== null")
    shown = page.run("document.querySelector('dialog').innerText").replace("\n", " ")
    assert "replace 2 web-[2-3]" in shown and "reeve replace 'shop/web-[2-3]' --allow replace=2" in shown and 'Type "replace 2" to agree' in shown, shown
    assert "PATCH /v1/nodegroups/shop/web?replace=web-%5B2-3%5D&allow=replace:2" in shown, shown
    page.picture(PICTURES / "incidents-replace.png")
    deed = "[...document.querySelectorAll('dialog footer button')].at(-1)"
    assert page.run(f"{deed}.disabled") and page.run(f"{deed}.innerText") == "Replace 2 nodes"
    page.write("dialog input[name=consent]", "replace 2")
    page.until(f"!{deed}.disabled")
    page.run(f"{deed}.click()")
    page.until("document.querySelector('dialog') === null")
    until(lambda: {one["metadata"]["name"] for one in site.manager.get("/v1/resources?cluster=shop").json["items"] if one["status"].get("outdated")} == {"web-2", "web-3"},
          lambda: site.manager.get("/v1/resources?cluster=shop").text)
    assert page.said == [], page.said


def test_selected_nodes_of_a_table_are_acted_on_together(site, page):
    """With the plan and the consent of the whole selection; another filter begins with none selected."""
    box = "document.querySelector('input[aria-label=\"select {}\"]')"
    deed = "[...document.querySelectorAll('dialog footer button')].at(-1)"
    site.show(page, "fleet?view=table&cluster=well")
    page.until(f"{box.format('one-0')} && !document.querySelector('.bulk button')")
    page.run(f"{box.format('one-0')}.click()")
    page.until("document.querySelector('.bulk').innerText.includes('1 selected')")
    assert page.run("location.pathname") == "/ui/fleet", "a box does not open the node"
    site.show(page, "fleet?view=table")
    page.until(f"{box.format('web-7')} && !document.querySelector('.bulk').innerText.includes('selected')")
    for name in ("web-0", "web-1"):
        page.run(f"{box.format(name)}.click()")
    page.run("[...document.querySelectorAll('.rows-row')].find((one) => one.innerText.includes('well')).querySelector('input').click()")
    page.until("document.querySelector('.bulk').innerText.includes('3 selected')")
    page.click("Replace", ".bulk button")
    page.until("document.querySelector('dialog input[name=consent]') !== null")
    shown = page.run("document.querySelector('dialog').innerText").replace("\n", " ")
    assert "replace 2 web-[0-1]" in shown and "cluster/well replace 1" in shown and 'Type "replace 3" to agree' in shown, shown
    assert "reeve replace 'shop/web-[0-1]' well/one-" in shown and "--allow replace=3" in shown, shown
    page.write("dialog input[name=consent]", "replace 2")
    assert page.run(f"{deed}.disabled")
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.picture(PICTURES / "bulk-replace.png")
    page.write("dialog input[name=consent]", "replace 3")
    page.until(f"!{deed}.disabled")
    assert page.run(f"{deed}.innerText") == "Replace 3 nodes"
    page.run(f"{deed}.click()")
    page.until("document.querySelector('dialog') === null")
    asked = lambda cluster: [one["fact"] for one in site.manager.get(f"/v1/events?cluster={cluster}&limit=500").json["items"] if one["type"] == "cluster.changed" and one.get("fact")]  # noqa: E731
    until(lambda: asked("shop")[-1:] == ["to be replaced: web-[0-1]"] and asked("well")[-1:], lambda: f"{asked('shop')} {asked('well')}")


def test_all_nodes_of_a_list_are_labelled_and_restarted(site, page):
    """Refused ones have no machine that could be replaced, and are named as left out."""
    site.show(page, "groups/rest/one")
    page.until("document.querySelector('.bulk input') !== null")
    page.run("document.querySelector('.bulk input').click()")
    page.click("Label group")
    page.write("dialog input[name=key]", "tier")
    page.write("dialog input[name=value]", "gold")
    page.until("(document.querySelector('dialog')?.innerText ?? '').includes('reeve set rest/one labels.tier=gold')")
    deed = "[...document.querySelectorAll('dialog footer button')].at(-1)"
    page.until(f"!{deed}.disabled")
    page.run(f"{deed}.click()")
    page.until("document.querySelector('dialog') === null")
    until(lambda: site.manager.get("/v1/nodegroups/rest/one").json["metadata"].get("labels") == {"tier": "gold"}, lambda: site.manager.get("/v1/nodegroups/rest/one").text)
    page.click("Restart rollout")
    page.until("(document.querySelector('dialog')?.innerText ?? '').includes('reeve rollout restart rest/one --allow replace=1')")
    page.press("Escape")
    site.show(page, "groups/shop/few")
    page.until("document.querySelectorAll('.rows-row').length === 3")
    page.run("document.querySelector('.bulk input').click()")
    page.click("Replace", ".bulk button")
    page.until("(document.querySelector('dialog')?.innerText ?? '').includes('2 of the selected nodes have no machine that could be replaced (refused)')")
    page.until("document.querySelector('dialog').innerText.includes('R0820')", "the plugin has no other machine for the slot, and the dialog says so")
    page.press("Escape")


def test_a_node_is_rebooted_with_consent(site, page):
    """The same machine: the plan says reboot, its count is typed, and the request names the node."""
    name = next(one["metadata"]["name"] for one in site.manager.get("/v1/resources?cluster=rest").json["items"])
    site.show(page, f"nodes/rest/{name}")
    page.until("[...document.querySelectorAll('.head button')].some((one) => one.innerText === 'Reboot')")
    page.click("Reboot", ".head button")
    page.until("document.querySelector('dialog input[name=consent]') !== null")
    shown = page.run("document.querySelector('dialog').innerText").replace("\n", " ")
    assert f"reboot 1 {name}" in shown and f"reeve reboot rest/{name} --allow reboot=1" in shown and 'Type "reboot 1" to agree' in shown, shown
    assert "This reboots machines." in shown and f"PATCH /v1/nodegroups/rest/one?reboot={name}&allow=reboot:1" in shown, shown
    deed = "[...document.querySelectorAll('dialog footer button')].at(-1)"
    page.write("dialog input[name=consent]", "reboot 1")
    page.until(f"!{deed}.disabled")
    assert page.run(f"{deed}.innerText") == "Reboot 1 node"
    page.run(f"{deed}.click()")
    page.until("document.querySelector('dialog') === null")
    asked = lambda: [one["fact"] for one in site.manager.get("/v1/events?cluster=rest&limit=500").json["items"] if one["type"] == "cluster.changed" and one.get("fact")]  # noqa: E731
    until(lambda: asked()[-1:] == [f"to be rebooted: {name}"], lambda: str(asked()))
    assert page.said == [], page.said
