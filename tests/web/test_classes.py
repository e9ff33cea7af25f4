"""The fleet coloured by what has an order: since when a machine was not heard of, and how far the job of its cluster is with it."""

import json
import time

import pytest

from conftest import PICTURES, document, group, is_clean

CHIPS = "Object.fromEntries([...document.querySelectorAll('.chips .state')].map((one) => [one.innerText.replace(/\\s*[0-9]+$/, '').trim(), Number(one.querySelector('b').innerText)]))"
READS = "willReadFrequently"  # of the canvas: what the test does, not the page
MAP = "document.querySelector('canvas').map"


@pytest.fixture(name="page")
def page_logged_in(site):
    """A tab, at a manager with a cluster that is done."""
    site.manager.apply(document("shop", web=group(12), db=group(4)))
    site.ready("shop")
    page = site.login()
    page.home = site.base
    return page


def chips(page, wanted):
    """Wait until so many machines are of each class."""
    page.until(f"JSON.stringify(Object.entries({CHIPS}).sort()) === {json.dumps(json.dumps(sorted(map(list, wanted.items())), separators=(',', ':')))}", str(wanted))


def colours(page):
    """How many cells have each colour, as the canvas shows them."""
    page.until(f"{MAP}.pulses.size === 0 && {MAP}.dirty.size === 0 && !{MAP}.placesTimer", "nothing glows, all have their places")
    return page.run(f"""(() => {{
        const map = {MAP}, count = {{}}, scale = map.canvas.width / Math.floor(map.canvas.clientWidth);
        for (const row of map.order) {{
            const [x, y] = map.corner(row);
            const [r, g, b] = map.context.getImageData(Math.round((x + 1) * scale), Math.round((y + 1) * scale), 1, 1).data;
            const colour = `rgb(${{r}}, ${{g}}, ${{b}})`;
            count[colour] = (count[colour] ?? 0) + 1;
        }}
        return count;
    }})()""")


def token(page, name):
    """A colour of the design, as the canvas has it."""
    return page.run(f"(() => {{ const one = document.createElement('i'); one.style.color = 'var({name})'; document.body.append(one); const found = getComputedStyle(one).color; one.remove(); return found; }})()")


def test_by_last_seen(site, page):
    """A machine that is not heard of grows older; one that is heard of again is seen now."""
    answer, now = site.manager.get("/v1/fleet").json, int(time.time())
    for row, ago in enumerate((20, 300, 300, 2000, 50000, 500000)):
        answer["columns"]["silent"][row] = now - ago
        answer["columns"]["state"][row] = 1 + 16
    answer["columns"]["state"][6] = 0  # it was never there
    page.call("Fetch.enable", patterns=[{"urlPattern": "*/v1/fleet"}])
    page.replies = {"/v1/fleet": json.dumps(answer)}
    site.go(page, "fleet?noworker&by=seen")
    chips(page, {"now": 9, "within a minute": 1, "within ten minutes": 2, "within an hour": 1, "within a day": 1, "longer ago": 1, "never yet": 1})
    page.call("Fetch.disable")
    assert page.run("document.querySelector('select[aria-label=\"colour by\"]').selectedOptions[0].innerText") == "by last seen"
    shown = colours(page)
    for name, count in (("--is-ready", 9), ("--is-starting", 1), ("--is-creating", 2), ("--is-unreachable", 1), ("--is-sick", 1), ("--is-refused", 1), ("--is-leaving", 1)):
        assert shown[token(page, name)] == count, (name, shown)
    PICTURES.mkdir(parents=True, exist_ok=True)
    for dark in (False, True):
        page.look(1280, 800, dark)
        page.until(f"{MAP}.isDark === {json.dumps(dark)}")
        page.picture(PICTURES / f"by-seen-{'dark' if dark else 'light'}.png")
    assert shown.keys().isdisjoint(colours(page).keys()), "the other scheme has its own"
    is_clean(page, (READS,))


def test_by_job(site, page):
    """Done, to be replaced, under way: each machine as the job of its cluster sees it, without asking."""
    slow = {"rollout": {"canary": 1, "bake": "100h"}}
    site.manager.apply(document("roll", web=group(6, image="a", **slow)), document("slow", late=group(3, boot=3600000)))
    site.ready("roll")
    site.go(page, "fleet?by=job")
    chips(page, {"no job": 22, "under way": 3})
    before = [url for url in page.requests if "/v1/" in url and "/v1/watch" not in url]
    answer = site.manager.post("/v1/apply?allow=replace:6", {"documents": [document("roll", web=group(6, image="b", **slow))]})
    assert answer.status == 200, answer.text
    chips(page, {"no job": 16, "under way": 3, "to be replaced": 5, "done": 1})
    page.until(f"{MAP}.order.length === 25")
    shown = colours(page)
    for name, count in (("--edge", 16), ("--is-creating", 3), ("--is-unreachable", 5), ("--is-ready", 1)):
        assert shown[token(page, name)] == count, (name, shown)
    for dark in (False, True):
        page.look(1280, 800, dark)
        page.until(f"{MAP}.isDark === {json.dumps(dark)}")
        page.picture(PICTURES / f"by-job-{'dark' if dark else 'light'}.png")
    page.look(1280, 800, False)
    answer = site.manager.ask("DELETE", "/v1/clusters/roll?allow=destroy:9")
    assert answer.status == 200, answer.text
    chips(page, {"no job": 16, "under way": 3})
    assert [url for url in page.requests if "/v1/" in url and "/v1/watch" not in url] == before, "told by the stream alone"
    is_clean(page, (READS,))


def test_a_change_of_one_paints_one(site, page):
    """Also where colours come from jobs: their counts change with each machine, what they want does not."""
    site.manager.apply(document("slow", late=group(3, boot=3600000)))
    site.go(page, "fleet?by=job")
    chips(page, {"no job": 16, "under way": 3})
    page.until("document.querySelector('canvas')?.map !== undefined")
    page.run(f"void ({MAP}.isMoving = false, {MAP}.painted = 0)")
    site.manager.patch("/v1/nodegroups/shop/db", {"labels": {"a": "b"}})  # in place: four records change
    page.until(f"{MAP}.painted >= 4")
    last = int(site.manager.get("/v1/fleet").headers["Reeve-Revision"])
    page.until(f"Number(document.querySelector('.connection').title.split(' ')[1]) >= {last}")
    assert page.run(f"{MAP}.painted") <= 3 * 19, "a job that begins and one that ends repaint all; nothing else does"
    is_clean(page, (READS,))
