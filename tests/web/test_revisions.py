"""Who uses which image and bundle, what is being replaced and how far it is; templates beside what was made from them."""

import json

import pytest

from conftest import PICTURES, document, group, is_clean

ROWS = "[...document.querySelectorAll('section[aria-label=%s] tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText.replace(/ ?copy$/, '').trim()))"
SLOW = {"rollout": {"canary": 1, "bake": "100h"}}


def rows(page, section):
    return page.run(ROWS % section)


@pytest.fixture(name="page")
def page_logged_in(site):
    """A tab, at a manager with clusters of three images."""
    site.manager.apply(document("shop", web=group(6, image="debian-12", **SLOW), db=group(2, image="debian-13")), {**document("batch", workers=group(3)), "defaults": {"image": "debian-13"}}, document("plain", one=group(1)))
    for name in ("shop", "batch", "plain"):
        site.ready(name)
    page = site.login()
    page.home = site.base
    return page


def test_images_and_who_uses_them(site, page):
    page.click("Revisions", "a")
    page.until("location.pathname === '/ui/revisions' && document.querySelector('section[aria-label=Images]') !== null")
    asked = [url for url in page.requests if "/v1/" in url and "/v1/configs" not in url]  # of which there is no stream
    page.until("document.title === 'Revisions · reeve'")
    assert "Every machine matches its file." in page.text()
    assert rows(page, "Images") == [["debian-13", "5", "", "batch/workers shop/db"], ["debian-12", "6", "", "shop/web"], ["not set by group or cluster", "1", "", "plain/one"]]
    answer = site.manager.post("/v1/apply?allow=replace:6", {"documents": [document("shop", web=group(6, image="debian-13", **SLOW), db=group(2, image="debian-13"))]})
    assert answer.status == 200, answer.text
    wanted = [["debian-13", "6", "5", "batch/workers shop/db shop/web"], ["not set by group or cluster", "1", "", "plain/one"], ["debian-12", "5", "", ""]]
    page.until(f"JSON.stringify({ROWS % 'Images'}) === {json.dumps(json.dumps(wanted, separators=(',', ':')))}", "each machine counts for the image that it was created from")
    page.until(f"({ROWS % 'rollouts'})[0]?.[2] === '5'")
    assert [url for url in page.requests if "/v1/" in url and "/v1/events" not in url and "/v1/configs" not in url] == asked, "told by the stream alone"
    for dark in (False, True):
        page.look(1280, 800, dark)
        PICTURES.mkdir(parents=True, exist_ok=True)
        page.picture(PICTURES / f"all-revisions-rolling-{'dark' if dark else 'light'}.png")
    is_clean(page)


def test_a_machine_has_the_image_that_it_was_created_from(site, page):
    """Amid a rollout that stands still, and after it was taken back: what the group asks for says nothing of a machine."""
    answer = site.manager.post("/v1/apply?allow=replace:6", {"documents": [document("shop", web=group(6, image="debian-13", **SLOW), db=group(2, image="debian-13"))]})
    assert answer.status == 200, answer.text
    site.go(page, "fleet?by=image")
    images = "Object.fromEntries([...document.querySelectorAll('.chips .state')].map((one) => [one.innerText.replace(/\\s*[0-9]+$/, '').trim(), Number(one.querySelector('b').innerText)]))"
    page.until(f"JSON.stringify(Object.entries({images}).sort()) === '[[\"debian-12\",5],[\"debian-13\",6],[\"none\",1]]'")
    found = {}
    for number in range(6):
        site.show(page, f"nodes/shop/web-{number}")
        page.until(f"document.querySelector('h1').innerText.endsWith('web-{number}') && [...document.querySelectorAll('section[aria-label=record] dt')].some((one) => one.innerText === 'image')")
        image = page.run("[...document.querySelectorAll('section[aria-label=record] dt')].find((one) => one.innerText === 'image').nextSibling.innerText.split(' ')[0]")
        found[image] = found.get(image, 0) + 1
    assert found == {"debian-12": 5, "debian-13": 1}
    is_clean(page)


def test_a_rollout_is_seen_over_time_and_stopped_and_undone_by_keys(site, page):
    site.go(page, "revisions")
    answer = site.manager.post("/v1/apply?allow=replace:6", {"documents": [document("shop", web=group(6, image="debian-13", **SLOW), db=group(2, image="debian-13"))]})
    assert answer.status == 200, answer.text
    page.until("document.querySelector('.overtime')?.getAttribute('aria-label') === '1 new, 5 old, 0 failed of 6, since it began'")
    heights = page.run("[...document.querySelectorAll('.overtime > i')].map((one) => [...one.children].map((part) => parseFloat(part.style.height)))")
    assert len(heights) == 40 and all(abs(sum(one) - 100) < 0.1 for one in heights)
    assert heights[0][0] <= heights[-1][0] and abs(heights[-1][0] - 100 / 6) < 0.1, heights
    number = max(int(one["metadata"]["name"]) for one in site.manager.get("/v1/jobs?cluster=shop").json["items"])
    site.show(page, f"jobs/{number}")
    page.until("document.querySelector('canvas')?.map?.order.length === 8", "the machines of its cluster")
    page.until("['to be replaced 5', 'done 3'].every((one) => [...document.querySelectorAll('.chips .state')].some((chip) => chip.innerText.replace(/\\s+/g, ' ').trim() === one))")
    site.show(page, "groups/shop/web")
    page.shows("replaced by bake 100h, canary 1")
    site.show(page, "revisions")
    page.until("document.querySelector('.overtime') !== null")
    page.press("P")
    page.until("document.querySelector('dialog[open]')?.innerText.includes('reeve rollout pause shop/web')")
    page.click("Pause the rollout of shop/web")
    page.until("document.querySelector('dialog') === null && document.querySelector('[aria-label=\"resume the rollout of shop/web\"]') !== null")
    page.press("U")
    page.until("document.querySelector('dialog[open]')?.innerText.includes('reeve undo shop/web')")
    page.press("Escape")
    page.until("document.querySelector('dialog') === null")
    page.press("R")
    page.until("document.querySelector('dialog[open]')?.innerText.includes('reeve rollout resume shop/web')")
    page.click("Resume the rollout of shop/web")
    page.until("document.querySelector('[aria-label=\"pause the rollout of shop/web\"]') !== null")
    site.go(page, "")
    page.until("[...document.querySelectorAll('tbody tr')].some((row) => row.innerText.startsWith('shop') && row.cells[4].innerText === '5')", "and among the clusters")
    is_clean(page)


def test_what_is_counted_over_time(site, page):
    """Each node counts once: failed, then well again, is new; what is of another group, or was before, is not counted."""
    site.go(page, "revisions")
    page.run("import(document.querySelector('script[src]').src.replace(/main\\.js$/, 'pages/revisions.js')).then((one) => { globalThis.overTime = one.overTime; })")
    page.until("globalThis.overTime !== undefined")
    at = lambda second: f"2026-01-01T00:00:{second:02}Z"  # noqa: E731
    events = [{"group": "web", "node": name, "type": kind, "time": at(second), **more} for name, kind, second, more in (
        ("web-0", "machine.ready", 1, {}), ("web-1", "machine.ready", 11, {}), ("web-2", "node.failed", 12, {}), ("web-3", "node.failed", 12, {}), ("web-2", "machine.ready", 30, {}),
        ("web-1", "machine.ready", 31, {}), ("db-0", "machine.ready", 20, {"group": "db"}), ("web-4", "machine.wanted", 20, {}))]
    steps = page.run(f"overTime({json.dumps(events)}, 'web', Date.parse('{at(10)}'), Date.parse('{at(50)}'))")
    assert [steps[place] for place in (0, 1, 2, 19, 20, 39)] == [{"made": 0, "failed": 0}, {"made": 1, "failed": 0}, {"made": 1, "failed": 2}, {"made": 1, "failed": 2},
                                                                {"made": 2, "failed": 1}, {"made": 2, "failed": 1}]


def test_a_template_stands_beside_what_was_made_from_it(site, page):
    site.manager.apply({"kind": "ClusterTemplate", **document("std", web=group(2, labels={"a": "b"}), db=group(1))})
    site.manager.apply({"name": "made", "version": "2", "from": {"template": "std"}, "groups": {"extra": group(1)}})
    site.go(page, "templates/ct/std?with=made")
    page.until("document.querySelector('table.sides') !== null")
    shown = page.run("[...document.querySelectorAll('table.sides tbody tr')].map((row) => [...row.cells].map((cell) => [cell.className, cell.innerText.replace('only here:\\n', '')]))")
    assert page.run("[...document.querySelectorAll('table.sides th')].map((one) => one.innerText)") == ["ct/std", "made"]
    assert [["is-less", 'version: "1"'], ["is-more", 'version: "2"']] in shown, shown
    for row in shown:
        if len(row) == 2:
            (one, before), (other, after) = row
            assert (before == after) == (one == other == ""), row
    page.look(390, 800, False)
    page.until("innerWidth === 390")
    assert page.run("document.documentElement.scrollWidth") <= 390
    is_clean(page)


def test_what_has_nothing_opposite_stands_alone(site, page):
    """Lines that were taken away stand opposite to those that came in their place, as far as there are any."""
    page.run("import(document.querySelector('script[src]').src.replace(/main\\.js$/, 'parts/diff.js')).then((one) => { globalThis.pairsOf = one.pairsOf; })")
    page.until("globalThis.pairsOf !== undefined")
    lines = [{"sign": line[0], "text": line[1:]} for line in (" a", "-b", "-c", "+d", " e", "+f", " g", "-h", "+i", "+j")] + [{"hidden": 3}, {"sign": "-", "text": "k"}]
    found = [[one.get("before"), one.get("after"), one.get("hidden")] for one in page.run(f"pairsOf({json.dumps(lines)})")]
    assert found == [["a", "a", None], ["b", "d", None], ["c", None, None], ["e", "e", None], [None, "f", None], ["g", "g", None], ["h", "i", None], [None, "j", None],
                     [None, None, 3], ["k", None, None]]


def test_what_went_wrong_in_a_job_leads_to_its_log(site, page):
    """As the manager tells it: the first line of the error of each node."""
    job = site.manager.get("/v1/jobs?cluster=shop").json["items"][0]
    job["status"].update(state="waiting", ended=None, problems=[
        {"name": "web-1", "text": "stage-1 hello: <b>cp: no space left</b>", "tries": 2, "node": {"number": 1, "attempt": 2, "stage": "hello", "code": 1, "why": "cp: no space left"}},
        {"name": "web-3", "text": "quota of this account is used up", "tries": 7},
        {"name": "web-4", "text": "stage-1 hello: <b>cp: no space left</b>", "node": {"number": 1, "attempt": 1, "stage": "hello", "code": 1}}])
    job["status"]["groups"][0]["failed"] = 1
    page.call("Fetch.enable", patterns=[{"urlPattern": "*/v1/jobs*"}])
    page.replies = {"/v1/jobs": json.dumps({"items": [job], "revision": site.manager.get("/v1/jobs").json["revision"]})}
    site.go(page, f"jobs/{job['metadata']['name']}?noworker")
    page.until("document.querySelector('section[aria-label=problems]') !== null")
    page.call("Fetch.disable")
    assert [[" ".join(cell.split()) for cell in row] for row in rows(page, "problems")] == [
        ["2", "stage-1 hello: <b>cp: no space left</b>", "web-1 2 tries log web-4 log"], ["1", "quota of this account is used up", "web-3 7 tries"]]
    assert page.run("[...document.querySelectorAll('section[aria-label=problems] a')].map((one) => one.getAttribute('href'))") == [
        "/ui/nodes/shop/web-1", "/ui/nodes/shop/web-1?line=1.2.1", "/ui/nodes/shop/web-4", "/ui/nodes/shop/web-4?line=1.1.1", "/ui/nodes/shop/web-3"]
    is_clean(page)


def test_what_ends_a_text_is_no_line_of_it(site, page):
    page.run("import(document.querySelector('script[src]').src.replace(/main\\.js$/, 'data/diff.js')).then((one) => { globalThis.diffLines = one.diffLines; })")
    for before, after, wanted in (("", "a\n", "+a"), ("a\nb\n", "a\n", " a-b"), ("a\n", "", "-a"), ("a\n\n", "a\n", " a-"), ("a", "a\n", " a"), ("", "", "")):
        assert page.run(f"diffLines({before!r}, {after!r}).map(({{ sign, text }}) => sign + text).join('')") == wanted, (before, after)
