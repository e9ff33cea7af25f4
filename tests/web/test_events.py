"""What happens is shown as it happens: by the stream, without asking, each event once, also when the manager dies under it."""

import json
import re

import pytest

from conftest import document, group, is_clean
from manager import until
from pylib.ports import free_port

ROWS = "[...document.querySelectorAll('.rows-row')].map((one) => one.innerText.replace(/\\s+/g, ' '))"
COUNT = "(document.querySelector('.tools .dim')?.innerText ?? '')"
BROKEN = ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "503")


@pytest.fixture(name="page")
def page_logged_in(site):
    """A tab of somebody who may do all, at a manager with a cluster."""
    site.manager.apply(document("shop", web=group(3)), *({"name": name, "version": "1", "empty": True} for name in ("calm", "still")))
    site.ready("shop")
    page = site.login()
    page.home = site.base
    return page


def asked(page):
    """What was asked for beside the stream."""
    return [url for url in page.requests if "/v1/" in url and "/v1/watch" not in url]


def kept(site):
    """How many events the manager has."""
    answer = site.manager.get("/v1/events?limit=1000").json
    assert not answer["more"]
    return len(answer["items"])


def has_all(site, page):
    """Wait until the page has as many events as the manager, which may be about to have more."""
    until(lambda: page.run(COUNT) == "{0} of {0}".format(kept(site)), lambda: f"{kept(site)} and not {page.run(COUNT)}", 90)


def say(site, value, cluster="calm"):
    """Something happens, to a cluster that has no machines."""
    assert site.manager.patch(f"/v1/clusters/{cluster}", {"labels": {"n": str(value)}}).status == 200


@pytest.mark.parametrize("query", ["", "?noworker"])
def test_events_come_by_the_stream_alone(site, page, query):
    site.go(page, "events" + query)
    has_all(site, page)
    before = asked(page)
    for n in range(5):
        say(site, n)
    has_all(site, page)
    until(lambda: (page.run(f"{ROWS}[0]") or "").endswith(f" {site.manager.get('/v1/events?limit=1000').json['items'][-1]['revision']}"))
    assert asked(page) == before, "nobody asked"
    is_clean(page)


def test_all_tabs_hear_of_them_by_one_stream(site, page):
    tabs = [page] + [site.browser.page() for _ in range(3)]
    for tab in tabs:
        site.go(tab, "events")
        has_all(site, tab)
    say(site, "all")
    for tab in tabs:
        has_all(site, tab)
    until(lambda: re.search(r"^reeve_watch_clients 1$", site.manager.get("/metrics").text, re.M))  # one that broke and begins again is none for a moment


def test_none_is_missed_and_none_reported_twice_when_the_manager_dies(site, page):
    site.go(page, "events")
    has_all(site, page)
    site.manager.kill()
    page.until("document.querySelector('.shell.is-stale') !== null")
    port, site.manager.port = site.manager.port, free_port()  # what happens now the page is not told
    site.manager.start()
    for n in range(4):
        say(site, n)
    site.manager.kill()
    site.manager.port = port
    site.manager.start()
    page.until("document.querySelector('.connection.is-live') !== null")
    say(site, "live")
    has_all(site, page)
    rows = page.run(ROWS)
    assert len(rows) == len(set(rows))
    is_clean(page, BROKEN)


def test_who_reads_further_down_is_not_disturbed(site, page):
    for n in range(60):
        say(site, n)
    site.go(page, "events")
    has_all(site, page)
    page.run("document.querySelector('.rows').scrollTo(0, 600), new Promise(requestAnimationFrame)")
    page.until(f"{ROWS}.length > 10")
    before = page.run(f"[{ROWS}, document.querySelector('.rows').scrollTop]")
    total = kept(site)
    for n in range(3):
        say(site, f"later-{n}")
    more = f"{kept(site) - total} newer"
    page.until(f"[...document.querySelectorAll('.tools button')].some((one) => one.innerText === {json.dumps(more)})")
    assert page.run(f"[{ROWS}, document.querySelector('.rows').scrollTop]") == before, "the lines stand still"
    page.click(more)
    has_all(site, page)
    is_clean(page)


def test_a_cluster_shows_its_newest_and_a_filter_counts_for_what_comes(site, page):
    latest = "[...document.querySelectorAll('[aria-label=\"latest events\"] li')].map((one) => one.innerText)"
    site.go(page, "clusters/calm")
    page.until(f"{latest}.length > 0")
    before, shown = asked(page), page.run(latest)
    say(site, "of another", "still")
    say(site, "of it")
    page.until(f"{latest}[0].includes('cluster.changed')")
    truth = [one for one in site.manager.get("/v1/events?limit=1000").json["items"] if one["name"] == "calm"]
    page.until(f"{latest}.length === {min(8, len(truth))}")
    assert len(shown) < len(truth) and asked(page) == before
    site.go(page, "events?q=still")
    for n in range(2):
        count = len([one for one in site.manager.get("/v1/events?limit=1000").json["items"] if one["name"] == "still"])
        page.until(f"{COUNT} === '{count} of {kept(site)}'")
        say(site, n, "still")
        say(site, n)
    is_clean(page)


def test_a_node_is_asked_about_when_something_is_reported_of_it_and_not_else(site, page):
    site.go(page, "nodes/shop/web-1")
    page.until("document.querySelectorAll('[aria-label=events] li').length > 1")
    page.run("new Promise((done) => setTimeout(done, 1500))")  # longer than anybody ever asked again by himself
    before = asked(page)
    say(site, "elsewhere")
    page.run("new Promise((done) => setTimeout(done, 1500))")
    assert asked(page) == before, "another cluster's change is none of it"
    lines = page.run("document.querySelectorAll('[aria-label=events] li').length")
    token = next(one for one in site.manager.get("/v1/resources?cluster=shop").json["items"] if one["metadata"]["name"] == "web-1")["metadata"]["id"]
    assert site.manager.patch("/v1/nodegroups/shop/web", {"labels": {"a": "b"}}).status == 200  # in place: its record changes
    page.until(f"document.querySelectorAll('[aria-label=events] li').length > {lines}", json.dumps(token))
    is_clean(page)


def test_a_connection_that_breaks_is_made_again(site, page):
    """As when a laptop changes its network: chromium lets every request fail then."""
    page.call("Fetch.enable", patterns=[{"urlPattern": "*/v1/why*"}, {"urlPattern": "*/v1/nodegroups/*"}, {"urlPattern": "*/say"}])
    token = next(one for one in site.manager.get("/v1/resources?cluster=shop").json["items"] if one["metadata"]["name"] == "web-1")["metadata"]["id"]
    page.broken = {"/v1/why?cluster=shop&name=web-1": 2, "/v1/nodegroups/shop/web?dry-run=1": 1, "/v1/nodegroups/shop/web": 2, "/v1/clusters/shop/say": 1}
    site.go(page, "nodes/shop/web-1")
    page.shows(token)
    page.until("document.querySelectorAll('[aria-label=events] li').length > 1")
    site.go(page, "clusters/shop")
    page.click("scale web")
    page.write("dialog input", "4")
    page.shows("create 1")
    page.click("Create 1 in shop/web")
    page.until("document.querySelector('dialog') === null")
    assert site.manager.get("/v1/nodegroups/shop/web").json["spec"]["size"] == 4
    page.click("Pause")
    page.click("Pause shop")
    page.shows("the manager cannot be reached")  # a word is not said twice by itself
    page.click("Pause shop")
    page.until("document.querySelector('dialog') === null")
    assert page.broken == {path: 0 for path in page.broken}
    page.call("Fetch.disable")


def test_the_longest_types_are_read_whole(site, page):
    """At 1280 pixels; where there is less room, by pointing at them."""
    site.manager.apply({"kind": "NodeGroupTemplate", "name": "std", "size": 1, "resourcePlugin": {"name": "sim"}})
    for word in ("rollout-pause", "rollout-resume"):
        assert site.manager.post("/v1/nodegroups/shop/web/say", {"command": word}).status == 200
    page.look(1280, 800, False)
    site.go(page, "events")
    has_all(site, page)
    types = "[...document.querySelectorAll('.rows-row .type')]"
    shown = page.run(types + ".map((one) => one.innerText)")
    assert {"nodegrouptemplate.created", "nodegroup.rollout.resumed"} <= set(shown), shown
    assert page.run(types + ".filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)") == []
    assert page.run(types + ".map((one) => one.firstElementChild.title)") == shown
    page.look(390, 800, False)
    assert page.run(types + ".every((one) => one.firstElementChild.title === one.textContent)")
