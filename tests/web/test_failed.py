"""A rollout that fails on its first node: what the page says of the failed one, of those that wait, and of the log of the stage."""

import contextlib
import json
import os

import pytest

from conftest import PICTURES
from manager import until
from pylib.containers import HAS_LXC, ground
from story import Story, archive

pytestmark = pytest.mark.skipif(os.geteuid() != 0 or not HAS_LXC, reason="containers are made by root")

SIZE, LINES, ERROR = 3, 7000, 6500
GOOD = "echo serves\n"
BAD = f"""printf 'plain \\033[31mred\\033[0m \\033[1;32mgreen\\033[m \\033[7minverse\\033[m \\033[38;5;33mblue\\033[m <b>markup</b>\\n'
i=1; while [ $i -lt {ERROR - 1} ]; do i=$((i + 1)); echo "line $i"; done
printf '\\033[31merror: no licence on this node\\033[0m\\n'
i={ERROR}; while [ $i -lt {LINES} ]; do i=$((i + 1)); echo "line $i"; done
exit 5
"""
NUMBERS = "[...document.querySelectorAll('.log li > a')].map((one) => Number(one.innerText))"
CARDS = "[...document.querySelectorAll('.need')].map((one) => one.innerText.replace(/\\s+/g, ' '))"
AXE = ("axe.run(document, {resultTypes: ['violations']}).then((all) => all.violations.map((one) => "
       "`${one.id}: ${one.nodes.map((node) => node.target.join(' ') + ' ' + (node.any[0]?.message ?? '')).join('; ')}`))")


def apply(story, script):
    """The group, with this stage."""
    digest = story.manager.ask("POST", "/v1/bundles", archive(script), Content_Type="application/octet-stream").json["digest"]
    name = digest if digest.startswith("sha256:") else f"sha256:{digest}"
    group = {"size": SIZE, "image": "host", "heal": "off", "resourcePlugin": {"name": "local"}, "bootstrap": [{"bundle": f"licence@{name}", "idempotent": True}],
             "rollout": {"surge": 0, "canary": 1, "batch": 1, "unavailable": 1, "maxFail": 1}}
    story.manager.apply({"name": "shop", "version": "1", "groups": {"web": group}})


def counts(story):
    return story.manager.get("/v1/clusters/shop").json.get("status", {}).get("machines", {})


def displayed(story):
    """(state, outdated) of each node."""
    return {one["metadata"]["name"]: (one["status"]["displayed"], one["status"].get("outdated", False)) for one in story.manager.get("/v1/resources?cluster=shop").json["items"]}


@pytest.fixture(scope="module", name="story")
def story_of_all(tmp_path_factory):
    """Three nodes serve; the changed stage has failed on the first of them."""
    with ground(tmp_path_factory.mktemp("failed")) as folder, contextlib.ExitStack() as stack:
        one = Story(folder, tmp_path_factory.mktemp("chromium"))
        stack.callback(one.close)
        apply(one, GOOD)
        until(lambda: counts(one).get("ready") == SIZE, one.manager.log.read_text, 120)
        apply(one, BAD)
        until(lambda: counts(one).get("failed") == 1 and sorted(displayed(one).values()) == [("failed", True), ("ready", True), ("ready", True)]
              and one.manager.get("/v1/holds?cluster=shop").json["items"], lambda: f"{displayed(one)}\n{one.manager.log.read_text()}", 120)
        yield one


@pytest.fixture(name="page")
def page_logged_in(story):
    page = story.site.login(context=story.site.browser.context())
    page.home = story.site.base
    yield page
    page.close()


def failed(story):
    """The name of the node that has failed."""
    return next(name for name, (state, _) in displayed(story).items() if state == "failed")


def test_the_incident_names_the_node_the_words_of_the_stage_and_what_holds_the_others(story, page):
    page.until(f"{CARDS}.length === 1")
    (card,) = page.run(CARDS)
    assert f"1 of {SIZE} failed" in card and failed(story) in card and "stage-0 licence: " in card and "error: no licence on this node" in card, card
    assert "held by rollout" in card and "next: reeve does nothing: the machine has been ready before" in card, card
    assert page.run("[...document.querySelectorAll('.need-do button, .need-do a')].map((one) => one.innerText)") == ["Retry", "Repair", "Replace", "Reject", "Approve", "Edit"]
    assert page.run("document.querySelector('.sum').innerText.replace(/\\s+/g, ' ')") == f"2 of {SIZE} ready, {SIZE} outdated"


def test_a_repair_runs_the_failed_stages_again(story, page):
    """As a job of its own: no machine is rebooted or replaced, so no count is typed."""
    bad = failed(story)
    page.click("Repair shop/web")
    page.until("document.querySelector('dialog ul[aria-label=repairs]') !== null")
    shown = page.run("document.querySelector('dialog').innerText").replace("\n", " ")
    assert f"shop/{bad} (failed) runs its failed stages again" in shown and f"reeve repair shop/{bad}" in shown and "POST /v1/nodegroups/shop/web/bootstrap" in shown, shown
    before = len(story.manager.get("/v1/jobs?cluster=shop").json["items"])
    page.click(f"Repair shop/{bad}", "dialog footer button")
    page.until("document.querySelector('dialog') === null", "it was accepted")
    until(lambda: len(story.manager.get("/v1/jobs?cluster=shop").json["items"]) > before)
    until(lambda: [one["status"]["state"] for one in story.manager.get("/v1/jobs?cluster=shop").json["items"] if one["status"].get("verb") == "bootstrap"] == ["failed"],
          lambda: story.manager.get("/v1/jobs?cluster=shop").text)
    until(lambda: displayed(story)[bad][0] == "failed", lambda: str(displayed(story)))


def test_outdated_is_shown_wherever_a_node_is(story, page):
    """In tables, on the map, in words for who cannot see it, and by a filter of its own."""
    site, bad = story.site, failed(story)
    for path in ("clusters/shop", "groups/shop/web", "fleet?view=table"):
        site.show(page, path)
        page.until(f"[...document.querySelectorAll('.rows-row .outdated')].length === {SIZE}", path)
        page.until(f"[...document.querySelectorAll('.legend button')].some((one) => one.innerText.replace(/\\s+/g, ' ') === 'outdated {SIZE}')", path)
    for path in ("clusters/shop", "groups/shop/web"):
        site.show(page, path)
        page.run("[...document.querySelectorAll('.health-over-time summary')].at(-1).click()")
        page.until(f"document.querySelector('.health-time .outdated')?.innerText === '{SIZE} outdated'", path)
    site.show(page, "fleet?view=table")
    page.until(f"[...document.querySelectorAll('.rows-row .outdated')].length === {SIZE}")
    page.run("[...document.querySelectorAll('.legend button')].find((one) => one.innerText.startsWith('ready')).click()")
    page.run("[...document.querySelectorAll('.legend button')].find((one) => one.innerText.startsWith('outdated')).click()")
    page.until(f"document.querySelectorAll('.rows-row').length === {SIZE - 1} && location.search.includes('ready%2Coutdated')")
    site.show(page, "fleet")
    page.until(f"document.querySelector('canvas')?.map?.order.length === {SIZE}")
    page.press("n")
    page.until(f"document.querySelector('#map-spoken').innerText.startsWith('{bad}, failed, outdated')")
    other = next(name for name in displayed(story) if name != bad)
    site.show(page, f"nodes/shop/{other}")
    page.until("document.querySelector('.sentence')?.innerText.includes('outdated') && document.querySelector('.sentence').innerText.includes('It waits for')")


def test_a_log_keeps_its_numbers_and_opens_at_the_error(story, page):
    site, bad = story.site, failed(story)
    site.show(page, f"nodes/shop/{bad}")
    page.until("document.querySelector('.log .is-error') !== null", "it is open at the error")
    assert page.run("document.querySelector('.log .is-error').innerText.replace(/\\s+/g, ' ')") == f"{ERROR} error: no licence on this node"
    place = page.until("((line, frame) => line.top >= frame.top && line.bottom <= frame.bottom && [line.top, frame.top])(document.querySelector('.log .is-error').getBoundingClientRect(), document.querySelector('.log .is-error').closest('.log').getBoundingClientRect())")
    assert place and page.run("scrollY") == 0, "and the page itself stays where it is"
    numbers = page.run(NUMBERS)
    assert numbers == list(range(numbers[0], numbers[-1] + 1)) and len(numbers) < 1000 and numbers[0] < ERROR < numbers[-1]
    assert page.run("[...document.querySelectorAll('.log-fold')].at(-1).querySelector('summary').innerText").replace("\n", " ").find(f"{LINES} lines") >= 0
    assert page.run(f"[...document.querySelectorAll('.log li')].every((one) => [{ERROR}, 1].includes(Number(one.firstChild.innerText)) || one.children[1].innerText === `line ${{one.firstChild.innerText}}`)"), "each number is that of its line"
    stage = page.run("[...document.querySelectorAll('.log-fold')].at(-1).querySelector('.log a').getAttribute('href').match(/line=([0-9]+[.][0-9]+)/)[1]")
    for number, text in ((1234, "line 1234"), (LINES, f"line {LINES}")):
        page.goto(site.url(f"nodes/shop/{bad}?line={stage}.{number}"))
        page.until(f"document.querySelector('.log .is-marked')?.innerText.replace(/\\s+/g, ' ') === '{number} {text}'", "a link stays valid")
    page.goto(site.url(f"nodes/shop/{bad}?line={stage}.1"))
    page.until("document.querySelector('.log .is-marked') !== null")
    parts = page.run("[...document.querySelector('.log .is-marked > span').childNodes].map((one) => [one.className ?? '', one.textContent])")
    assert parts == [["", "plain "], ["ansi-1", "red"], ["", " "], ["ansi-2 ansi-bold", "green"], ["", " "], ["ansi-on-ink", "inverse"], ["", " "], ["ansi-4", "blue"], ["", " <b>markup</b>"]], parts


def test_axe_finds_nothing_where_something_has_failed(story, page, axe):
    """With a log, a failed node, an incident and what waits for it, in both schemes; and none is wider than a phone."""
    site, found = story.site, {}
    job = story.manager.get("/v1/jobs?cluster=shop").json["items"]
    views = {"failed-clusters": "", "failed-cluster": "clusters/shop", "failed-group": "groups/shop/web", "failed-node": f"nodes/shop/{failed(story)}",
             "failed-job": f"jobs/{max(int(one['metadata']['name']) for one in job)}", "failed-table": "fleet?view=table", "failed-fleet": "fleet",
             "failed-revisions": "revisions", "failed-log": f"nodes/shop/{failed(story)}?line=0.1.1"}
    page.until("document.querySelector('.need') !== null")
    page.run(axe)
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name, path in views.items():
        page.look(1280, 800, False)
        site.show(page, path)
        page.until("document.querySelector('main').innerText.length > 20 && !/asking|reading|loading/.test(document.querySelector('main').innerText)", name)
        if "node" in name or "log" in name:
            page.until("document.querySelector('.log li') !== null")
        for dark in (False, True):
            page.look(1280, 800, dark)
            page.picture(PICTURES / f"{name}-{'dark' if dark else 'light'}.png")
            result = page.run(AXE)
            if result:
                found[f"{name} {'dark' if dark else 'light'}"] = result
        page.look(390, 800, False)
        page.until("document.documentElement.clientWidth <= 400")
        wide = page.run("[...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > 390 && !one.closest('.table-scroll')).map((one) => `${one.tagName} ${one.className} ${one.getBoundingClientRect().right}`).slice(0, 5)")
        assert page.run("document.documentElement.scrollWidth") <= 390, (name, wide)
        page.picture(PICTURES / f"{name}-390.png")
    assert found == {}, json.dumps(found, indent=1)
