"""The fleet coloured by what has an order: since when a machine was not heard of, and how far the job of its cluster is with it."""

import json
import time

import pytest

from conftest import PICTURES, document, group, is_clean
from manager import until

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
        answer["columns"]["displayed"][row] = answer["displayedNames"].index("unreachable")
    answer["columns"]["displayed"][6] = answer["displayedNames"].index("creating")  # it was never there
    page.call("Fetch.enable", patterns=[{"urlPattern": "*/v1/fleet"}])
    page.replies = {"/v1/fleet": json.dumps(answer)}
    site.go(page, "fleet?noworker&by=seen")
    chips(page, {"now": 9, "within a minute": 1, "within ten minutes": 2, "within an hour": 1, "within a day": 1, "longer ago": 1, "never yet": 1})
    page.call("Fetch.disable")
    assert page.run("document.querySelector('select[aria-label=\"colour by\"]').selectedOptions[0].innerText") == "by last seen"
    shown = colours(page)
    for name, count in (("--is-ready", 9), ("--is-starting", 1), ("--is-creating", 2), ("--is-unreachable", 1), ("--is-unhealthy", 1), ("--is-refused", 1), ("--is-leaving", 1)):
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


def test_one_class_is_shown_alone(site, page):
    """What is pressed stays, all else pales; it stands in the address, and is taken away where it was chosen."""
    site.manager.apply(document("other", web=group(3, image="b")))
    site.ready("other", 3)
    site.go(page, "fleet?by=image&noworker")
    chips(page, {"none": 16, "b": 3})
    shown = f"{MAP}.order.filter((row) => {MAP}.isShown(row, {MAP}.fleetGet())).map((row) => {MAP}.fleetGet().names[row]).sort().join()"
    page.until(f"{MAP}.order.length === 19")
    page.until(f"({shown}).split(',').length === 19")
    page.until("(() => { const one = [...document.querySelectorAll('.chips button')].find((one) => one.innerText.startsWith('b')); one?.click(); return one !== undefined; })()")
    page.until(f"location.search.includes('only=b') && {shown} === 'web-0,web-1,web-2'")
    full = colours(page)
    assert sorted(full.values()) == [3, 16], "sixteen are pale"
    site.go(page, "fleet?by=image&only=b")  # the address says it
    page.until(f"{MAP}?.order.length === 19 && {shown} === 'web-0,web-1,web-2' && document.querySelector('.chips [aria-pressed=true]').innerText.startsWith('b')")
    assert site.manager.ask("DELETE", "/v1/clusters/other?allow=destroy:4").status == 200
    page.until("document.querySelector('.chips [aria-pressed=true]')?.innerText.replace(/\\s+/g, ' ').trim() === 'b 0'", "nobody has it any more, and it is still what is asked for")
    page.run("document.querySelector('.chips [aria-pressed=true]').click()")
    page.until(f"!location.search.includes('only') && ({shown}).split(',').length === 16")
    page.run("(() => { const one = document.querySelector('select[aria-label=\"colour by\"]'); history.replaceState(null, '', location.href + '&only=none'); dispatchEvent(new PopStateEvent('popstate')); one.value = 'plugin'; one.dispatchEvent(new Event('change', { bubbles: true })); })()")
    page.until("location.search.includes('by=plugin') && !location.search.includes('only')", "another colouring begins with all")
    is_clean(page, (READS,))


def rolling(**rollout):
    """A cluster whose machines stand in two zones, of one image and of the next one; what bakes for long stays amid its roll."""
    return [document("roll", web=group(10, image=image, zones=["eu-a", "eu-b"], rollout={"bake": "100h", **rollout}), db=group(2)) for image in "ab"]


def job_of_roll(site, page, **rollout):
    """The page of a job that replaces the machines of one group."""
    first, then = rolling(**rollout)
    site.manager.apply(first)
    site.ready("roll", 12)
    answer = site.manager.post("/v1/apply?allow=replace:10", {"documents": [then]})
    assert answer.status == 200, answer.text
    number = answer.json["job"]
    site.go(page, f"jobs/{number}")
    page.until(f"{MAP}?.order.length >= 12 && {MAP}.gap > 1", "a map with room for lines")
    return number


NUMBERS = f"Object.fromEntries({MAP}.order.map((row) => [{MAP}.fleetGet().names[row], {MAP}.batches[row]]))"
# names of machines with a line of ink behind them, in the middle of their height
LINES = f"""(() => {{
    const map = {MAP}, scale = map.canvas.width / Math.floor(map.canvas.clientWidth), probe = document.createElement('i');
    probe.style.color = 'var(--ink)';
    document.body.append(probe);
    const ink = getComputedStyle(probe).color, found = [];
    probe.remove();
    for (const row of map.order) {{
        const [x, y] = map.corner(row);
        const [r, g, b] = map.context.getImageData(Math.round((x + map.size + 1) * scale), Math.round((y + map.size / 2) * scale), 1, 1).data;
        if (`rgb(${{r}}, ${{g}}, ${{b}})` === ink) found.push(map.fleetGet().names[row]);
    }}
    return found.sort();
}})()"""


def test_a_job_shows_where_its_batches_end(site, page):
    """The canary, then batches, in the order of names over all zones: a line where one ends, in words for who sees none."""
    number = job_of_roll(site, page, canary=1, batch=4)
    (status,) = (one["status"] for one in site.manager.get(f"/v1/jobs/{number}").json["items"])
    assert [(one["group"], one.get("batch"), one.get("canary")) for one in status["groups"]] == [("db", None, None), ("web", 4, 1)]
    page.shows("web: 1 first, then 4 at once")
    page.until("[...document.querySelectorAll('.rollout .new')].map((one) => one.style.width).join() === '100%,10%'", "what is done of each group")
    page.until(f"{MAP}.order.length === 12", "who was replaced has gone")
    page.until(f"{MAP}.pulses.size === 0 && {MAP}.dirty.size === 0 && !{MAP}.placesTimer")
    assert page.run(NUMBERS) == {"db-0": -1, "db-1": -1, "web-0": 0, **{f"web-{n}": 1 + (n - 1) // 4 for n in range(1, 10)}}
    assert page.run(LINES) == ["web-0", "web-3", "web-4", "web-7"], "in eu-a 0 | 2 4 | 6 8, in eu-b 1 3 | 5 7 | 9"
    said = []
    page.run("document.querySelector('canvas').focus()")
    for _ in range(page.run(f"{MAP}.order.length")):
        page.press("ArrowRight")
        said.append(page.run("new Promise((done) => setTimeout(() => done(document.querySelector('#map-spoken').innerText), 50))"))
    named = {one.split(",")[0]: one.rsplit(", ", 1)[1] for one in said}
    assert (named["web-0"], named["web-4"], named["web-9"]) == ("the canary", "batch 1", "batch 3"), said
    assert "batch" not in named["db-0"]
    assert page.run("document.querySelector('.map-tip').innerText").endswith(said[-1].rsplit(", ", 1)[1]), "and for who points at it"
    page.run(f"{MAP}.rowChanged({MAP}.order.find((row) => {MAP}.fleetGet().names[row] === 'web-2'), false)")
    page.until(f"{MAP}.pulses.size === 0 && {MAP}.dirty.size === 0")
    assert page.run(LINES) == ["web-0", "web-3", "web-4", "web-7"], "a cell that is painted anew leaves the lines of those beside it"
    for dark in (False, True):
        page.look(1280, 800, dark)
        page.until(f"{MAP}.isDark === {json.dumps(dark)}")
        page.picture(PICTURES / f"batches-{'dark' if dark else 'light'}.png")
    page.look(390, 800, False)
    page.until(f"innerWidth === 390 && !{MAP}.placesTimer")
    assert page.run("document.documentElement.scrollWidth") <= 390
    page.picture(PICTURES / "batches-390.png")
    is_clean(page, (READS,))


def test_one_at_a_time_has_no_lines_but_the_canarys(site, page):
    job_of_roll(site, page, canary=2, batch=1)
    page.shows("web: 2 first, then one at a time")
    page.until("[...document.querySelectorAll('.rollout .new')].map((one) => one.style.width).join() === '100%,20%'", "what is done of each group")
    page.until(f"{MAP}.order.length === 12", "who was replaced has gone")
    page.until(f"{MAP}.pulses.size === 0 && {MAP}.dirty.size === 0 && !{MAP}.placesTimer")
    assert page.run(LINES) == ["web-0", "web-1"], "each zone has one of the two"
    is_clean(page, (READS,))


def test_what_is_made_has_no_batches(site, page):
    site.manager.apply(document("slow", late=group(3, boot=3600000)))
    until(lambda: site.manager.get("/v1/jobs?cluster=slow").json["items"], lambda: site.manager.log.read_text())
    site.go(page, f"jobs/{site.manager.get('/v1/jobs?cluster=slow').json['items'][0]['metadata']['name']}")
    page.until(f"{MAP}?.order.length === 3")
    assert page.run(f"{MAP}.gap") == 1 and page.run(LINES) == [] and page.run("document.querySelector('.batches')") is None
    is_clean(page, (READS,))
