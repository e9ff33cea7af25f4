"""Line b of the page's issue: the whole of a working day in the browser, once with the pointer, once by keyboard alone."""

import contextlib
import json
import os
import threading
import time

import pytest

from conftest import PICTURES
from manager import Events, until
from pylib.containers import HAS_LXC, ground
from story import Story

pytestmark = pytest.mark.skipif(os.geteuid() != 0 or not HAS_LXC, reason="containers are made by root")

FAULTS = "[...document.querySelectorAll('.fault b')].map((one) => one.innerText)"
STATES = "[...document.querySelectorAll('.rows-row .state')].map((one) => one.innerText)"
LOGS = "[...document.querySelectorAll('.log')].map((one) => one.textContent)"
DIALOG = "(document.querySelector('dialog')?.innerText ?? '')"


@pytest.fixture(name="story")
def story_of_one(tmp_path, tmp_path_factory):
    """Ends with the test."""
    with ground(tmp_path) as folder, contextlib.ExitStack() as stack:
        one = Story(folder, tmp_path_factory.mktemp("chromium"))
        stack.callback(one.close)
        yield one


def with_mistakes(text):
    """A size that is none, and a field that does not exist."""
    return text.replace("size: 3", "size: many").replace("image: host", "imagee: host")


def marked(page):
    """Places of what is wrong, and what is marked in the text."""
    return page.run("[[...document.querySelectorAll('.fault > .link')].map((one) => one.innerText), [...document.querySelectorAll('.editor-layer mark')].map((one) => one.innerText)]")


def steps_follow(manager):
    """What a watch tells of machines from now on, as (name, step), while it is told: a list that grows."""
    stream, seen = Events(manager, "?kinds=resource"), []

    def read():
        with contextlib.suppress(OSError, ValueError, AttributeError, AssertionError):  # the test has ended, and the stream with it
            while (event := stream.next()) is not None:
                if event[0] == "put":
                    seen.append((event[2]["metadata"]["name"], event[2]["status"].get("node", {}).get("step")))
    threading.Thread(target=read, daemon=True).start()
    return seen


def test_by_pointer(story):
    site, text = story.site, story.file()
    steps = steps_follow(story.manager)
    page = site.login("apply", context=site.browser.context())
    page.home = site.base
    page.write("textarea", with_mistakes(text))
    page.until(f"{FAULTS}.length === 2 && {FAULTS}.every((one) => one.includes('[R'))")
    places, marks = marked(page)
    assert (places, marks) == (["5:11", "6:5"], ["many", "imagee"]), (places, marks, page.text())
    told = site.manager.ask("POST", "/v1/apply?dry-run=1", with_mistakes(text).encode(), Content_Type="application/yaml").json["errors"]
    assert all(one["text"] in page.text() and one["code"] in page.text() for one in told) and len(told) == 2
    assert page.run("[...document.querySelectorAll('.apply-plan button.main')].every((one) => one.disabled)"), "nothing to plan"
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.picture(PICTURES / "story-mistakes.png")
    page.write("textarea", text)
    page.shows("create web-[0-2]")
    page.click("Plan Ctrl ⏎")
    page.shows("kept for a day")
    assert "reeve apply plan/" in page.text() and "POST /v1/plans/" in page.text()
    page.picture(PICTURES / "story-plan.png")
    page.click("Create 3 nodes")
    page.until("location.pathname === '/ui/clusters/shop'")
    page.until(f"{STATES}.length === 3 && {STATES}.every((one) => one === 'starting')", "they come by themselves")
    page.click("web-1", ".rows-row a")
    page.shows("stage 2 of 2, join")
    until(lambda: ("web-1", "stage-1") in steps, lambda: str(steps))  # nothing but its steps has changed since it runs
    page.until("document.querySelectorAll('.log-fold').length === 2")
    page.until(f"{LOGS}[1]?.includes('joins as web-1')", "it is followed")
    page.until(f"{LOGS}[0].includes('base line 30')", "of each stage all that it wrote")
    page.picture(PICTURES / "story-log.png")
    page.run("document.querySelectorAll('.log-fold')[0].open = true")
    page.click("line 7 of base", ".log a")
    page.until("location.search.includes('line=0.1.7')")
    page.goto(page.run("location.href"))
    page.until("document.querySelector('.log .is-marked')?.innerText.includes('base line 7')", "a link leads to a line")
    story.let_all_go()
    page.until("document.querySelector('.head .state').innerText === 'ready'", "it is bootstrapped")
    page.until(f"{LOGS}[1].includes('<b>joined</b>')", "the last line has come, as it was written")
    page.shows("⌀")
    story.serve(3)
    page.picture(PICTURES / "story-node.png")
    # one breaks, and is replaced
    site.go(page, "clusters/shop")
    page.until(f"{STATES}.filter((one) => one === 'ready').length === 3")
    before = story.break_one("web-2")
    page.until(f"{STATES}.some((one) => one !== 'ready')", "its end is seen")
    story.serve(3)
    page.until(f"{STATES}.filter((one) => one === 'ready').length === 3", "its repair is seen")
    assert story.machines()["web-2"].id != before
    site.go(page, "events?q=web-2")
    page.shows("machine.condemned")
    # fewer, with the victims named, and back again
    site.go(page, "groups/shop/web")
    page.click("Scale")
    page.write("dialog input", "2")
    page.until(f"/destroy web-[0-2]/.test({DIALOG})", "the victim is named")
    assert "reeve scale shop/web 2 --allow destroy=1" in page.run(DIALOG)
    page.picture(PICTURES / "story-scale.png")
    page.write("dialog input[name=consent]", "destroy 1")
    page.click("Destroy 1 of shop/web")
    page.until("document.querySelector('dialog') === null")
    story.serve(2)
    page.until("document.querySelector('.sum').innerText.replace(/\\s+/g, ' ') === '2 of 2 ready'")
    page.click("Undo")
    page.until(f"/create web-[0-2]/.test({DIALOG}) && {DIALOG}.includes('reeve undo nodegroup shop/web')")
    page.click("Create 1 node")
    page.until("document.querySelector('dialog') === null")
    story.serve(3)
    page.until("document.querySelector('.sum').innerText.replace(/\\s+/g, ' ') === '3 of 3 ready'")
    story.is_clean(page)


def focus(page, script, seconds=300):
    """Go on with Tab until what has the focus is it; it may still be on its way."""
    deadline = time.monotonic() + seconds
    while not page.run(f"(() => {{ const one = document.activeElement; return {script}; }})()"):
        assert time.monotonic() < deadline, (script, page.run("document.activeElement.outerHTML")[:300])
        page.press("Tab")


def named(text):
    """What has this name."""
    return f"(one.getAttribute('aria-label') ?? one.innerText ?? '').trim() === {json.dumps(text)}"


def find(page, word):
    """By the palette."""
    page.press("k", 2)
    page.until("document.querySelector('.palette-word') === document.activeElement")
    page.type(word)
    page.until(f"document.querySelector('#palette-0')?.innerText.includes({json.dumps(word)})")
    page.press("Enter")
    page.until("document.querySelector('dialog') === null")


def agree(page, text, phrase, button):
    """What a dialog asks for: a value, the words of consent, its button; all by keys."""
    if text is not None:
        page.until("document.querySelector('dialog input') === document.activeElement")
        page.type(text)
    if phrase:
        page.until("document.querySelector('dialog input[name=consent]') !== null")
        focus(page, "one.name === 'consent'")
        page.type(phrase)
    focus(page, f"{named(button)} && !one.disabled")
    page.press("Enter")
    page.until("document.querySelector('dialog') === null")


def test_by_keyboard_alone(story):
    site, text = story.site, story.file(2)
    page = site.browser.page(context=site.browser.context())
    page.home = site.base
    page.goto(site.link())
    page.shows("live")
    find(page, "Apply")
    page.until("document.querySelector('textarea') === document.activeElement")
    page.press("a", 2)
    page.type(with_mistakes(text).replace("size: 2", "size: -2"))
    page.until(f"{FAULTS}.length === 2 && {FAULTS}.every((one) => one.includes('[R'))")
    page.press("a", 2)
    page.type(text)
    page.shows("create web-[0-1]")
    page.press("Enter", 2)
    page.shows("kept for a day")
    focus(page, named("Create 2 nodes"))
    page.press("Enter")
    page.until("location.pathname === '/ui/clusters/shop'")
    find(page, "shop/web-0")
    page.until("location.pathname === '/ui/nodes/shop/web-0'")
    page.shows("stage 2 of 2, join")
    page.press("l")
    focus(page, "one.closest('.log-fold summary') !== null && one.tagName === 'SUMMARY'")
    page.press("Enter")
    page.until("document.querySelector('.log-fold[open]') !== null")
    story.serve(2)
    page.until("document.querySelector('.head .state').innerText === 'ready'")
    # one breaks while it is looked at, and is replaced
    find(page, "shop/web-1")
    page.until("location.pathname === '/ui/nodes/shop/web-1'")
    page.until("document.querySelector('.head .state').innerText === 'ready'")
    before = story.break_one("web-1")
    page.until("document.querySelector('.head .state')?.innerText !== 'ready'", "its end is seen")
    story.serve(2)
    page.until("document.querySelector('.head .state')?.innerText === 'ready'", "its repair is seen")
    assert story.machines()["web-1"].id != before
    page.until("[...document.querySelectorAll('[aria-label=events] li')].some((one) => one.innerText.includes('machine.gone'))", "and what became of the first one, by itself")
    find(page, "Events")
    page.until("location.pathname === '/ui/events'")
    page.press("f")
    page.type("web-1")
    page.until("document.querySelector('.rows')?.innerText.includes('machine.condemned') && !document.querySelector('.rows').innerText.includes('web-0')")
    find(page, "shop/web")
    page.until("location.pathname === '/ui/groups/shop/web'")
    page.press("s")
    agree(page, "1", "destroy 1", "Destroy 1 of shop/web")
    story.serve(1)
    page.press("U")
    page.until(f"/create web-/.test({DIALOG})")
    agree(page, None, "", "Create 1 node")
    story.serve(2)
    page.until("document.querySelector('.sum').innerText.replace(/\\s+/g, ' ') === '2 of 2 ready'")
    story.is_clean(page)
