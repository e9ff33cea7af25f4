"""The page as people use it: what it shows is true, also when the manager dies under it; nothing in a name is markup."""

import gzip
import json
import re
import subprocess

import pytest

from conftest import PICTURES, ROOT, document, group, is_clean
from manager import until
from pylib.ports import free_port

FIRST_PAGE_BYTES = 60 * 1000
VIEWS = {"clusters": "", "cluster": "clusters/shop", "fleet": "fleet", "table": "fleet?view=table", "node": "nodes/shop/web-0",
         "events": "events", "jobs": "jobs", "job": "jobs/2", "kit": "kit", "group": "groups/shop/web", "apply": "apply?cluster=shop",
         "plans": "plans", "budgets": "budgets", "templates": "templates", "template": "templates/ct/std?with=made", "managers": "managers", "settings": "settings", "revisions": "revisions/shop", "all-revisions": "revisions",
         "discover": "discover", "configs": "configs", "image": "fleet?by=image", "seen": "fleet?by=seen", "progress": "fleet?by=job"}
COUNTS = "[...document.querySelectorAll('.legend b')].map((one) => Number(one.innerText))"
HOSTILE = [
    "<script>globalThis.hacked=1</script>", "<img src=x onerror=globalThis.hacked=1>", "\"><svg onload=globalThis.hacked=1>",
    "'-globalThis.hacked=1-'", "javascript:globalThis.hacked=1", "${globalThis.hacked=1}", "{{constructor.constructor('globalThis.hacked=1')()}}",
    "</title><script>globalThis.hacked=1</script>", "<iframe srcdoc='<script>parent.hacked=1</script>'>", "<a href=javascript:globalThis.hacked=1>x</a>",
    "<style>@import '//evil.example'</style>", "<link rel=stylesheet href=//evil.example>", "<base href=//evil.example/>", "<meta http-equiv=refresh content=0;url=//evil.example>",
    "<details open ontoggle=globalThis.hacked=1>", "<math><mi xlink:href=javascript:globalThis.hacked=1>", "<object data=javascript:globalThis.hacked=1>",
    "<template><script>globalThis.hacked=1</script></template>", "&lt;script&gt;globalThis.hacked=1&lt;/script&gt;", "\u202egnp.exe\u202c", "\u0000\u0001\u001b[31mred",
    "__proto__", "constructor", "%3Cscript%3EglobalThis.hacked=1%3C/script%3E", "a" * 900, "\U0001f4a5" * 50, "`;globalThis.hacked=1;`",
    "]]><script>globalThis.hacked=1</script>", "<!--<script>globalThis.hacked=1//-->", "data: {\"type\":\"reset\"}\n\nevent: reset\n",
]


@pytest.fixture(name="page")
def page_logged_in(site):
    """A tab at the clusters, of a manager with three of them."""
    site.manager.apply(document("shop", web=group(6, zones=["eu-a", "eu-b"]), db=group(2)), document("batch", workers=group(30)),
                       document("slow", late=group(3, boot=3600000)), {"kind": "ClusterTemplate", **document("std", web=group(0))},
                       {"name": "made", "version": "2", "from": {"template": "std"}})
    site.manager.post("/v1/plans", {"documents": [document("shop", web=group(4, image="debian-13"))], "why": "autumn"})
    site.ready("shop")
    site.ready("batch")
    page = site.login()
    page.home = site.base
    return page


def asked(page):
    """What was asked for beside the stream, which may break and begin again; parts of the page come when there is time for them."""
    return [url for url in page.requests if "/v1/" in url and "/v1/watch" not in url]


def test_what_changes_is_shown_by_itself(site, page):
    page.until(f"JSON.stringify({COUNTS}) === '[0,0,0,0,3,0,0,0,0,38]'")
    loads = asked(page)
    site.manager.patch("/v1/nodegroups/batch/workers", {"size": 33})
    page.until(f"JSON.stringify({COUNTS}) === '[0,0,0,0,3,0,0,0,0,41]'")
    site.manager.ask("DELETE", "/v1/clusters/batch?allow=destroy:34")
    page.until(f"JSON.stringify({COUNTS}) === '[0,0,0,0,3,0,0,0,0,8]' && !document.body.innerText.includes('batch')")
    assert asked(page) == loads, "told by the stream alone"
    is_clean(page)


def watchers(site):
    """Streams that the manager has open."""
    return int(float(re.search(r"^reeve_watch_clients (\S+)", site.manager.get("/metrics").text, re.M).group(1)))


def test_eight_tabs_have_one_stream(site, page):
    tabs = [page] + [site.browser.page() for _ in range(7)]
    for tab in tabs[1:]:
        tab.goto(site.url("fleet"))
    for tab in tabs[1:]:
        tab.until("document.querySelector('.sum b')?.innerText === '41'")
    until(lambda: watchers(site) == 1)  # one that broke and begins again is none for a moment
    site.manager.patch("/v1/nodegroups/batch/workers", {"size": 31})
    for tab in tabs[1:]:
        tab.until("document.querySelector('.sum b')?.innerText === '42'")
    for tab in tabs[1:]:
        tab.close()


@pytest.mark.parametrize("query", ["", "?noworker"])
def test_the_manager_dies_under_it(site, page, query):
    site.go(page, "clusters/batch" + query)
    site.manager.kill()
    page.until("document.querySelector('.shell.is-stale') !== null && document.querySelector('.connection').innerText.includes('old')")
    assert "repeating-linear-gradient" in page.run("getComputedStyle(document.querySelector('.data')).backgroundImage"), "hatched"
    if not query:
        PICTURES.mkdir(parents=True, exist_ok=True)
        page.picture(PICTURES / "cluster-stale.png")
    port = site.manager.port
    site.manager.port = free_port()  # what happens now the page is not told
    site.manager.start()
    site.manager.patch("/v1/nodegroups/batch/workers", {"size": 33})
    site.ready("batch", 33)
    site.manager.kill()
    site.manager.port = port
    site.manager.start()
    page.until("document.querySelector('.connection.is-live') !== null && document.querySelector('.shell.is-stale') === null")
    page.until(f"{COUNTS}[9] === 33", "what was missed is made up for")
    site.manager.patch("/v1/nodegroups/batch/workers", {"size": 35})
    site.ready("batch", 35)
    truth = sum(1 for one in site.manager.get("/v1/resources?cluster=batch").json["items"] if one["status"]["state"] == "active")
    assert truth == 35
    page.until(f"{COUNTS}[9] === {truth}")
    is_clean(page, ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "503"))


def test_another_store_is_read_anew(site, page, tmp_path):
    """A backup that was restored has fewer revisions, and another incarnation."""
    site.manager.stop()
    (tmp_path / "data").rename(tmp_path / "before")
    page.until("document.querySelector('.shell.is-stale') !== null")
    site.manager.start()
    site.manager.apply(document("other", web=group(2)))
    page.until("document.body.innerText.includes('By a token')", "its session was of the other store")
    page.goto(site.link())
    page.shows("other")
    assert "batch" not in page.text()


def test_scaling_shows_what_it_will_do_and_asks(site, page):
    site.go(page, "clusters/shop")
    page.click("scale web")
    page.write("dialog input", "4")
    page.shows("destroy 2")
    shown = page.run("document.querySelector('dialog').innerText")
    assert "reeve scale shop/web 4 --allow destroy=2" in shown and "PATCH /v1/nodegroups/shop/web?allow=destroy:2" in shown
    assert "web-[4-5]" in shown
    button = "[...document.querySelectorAll('dialog footer button')].at(-1)"
    assert page.run(f"{button}.innerText") == "Destroy 2 of shop/web" and page.run(f"{button}.disabled")
    page.write("dialog .note input", "destroy 3")
    assert page.run(f"{button}.disabled")
    page.write("dialog .note input", "destroy 2")
    page.until(f"!{button}.disabled")
    page.click("Destroy 2 of shop/web")
    page.until("document.querySelector('dialog') === null")
    site.ready("shop", 6)
    page.until(f"{COUNTS}[9] === 6")
    command = ["reeve", "scale", "shop/web", "4", "--allow", "destroy=2"]
    assert site.manager.get("/v1/nodegroups/shop/web").json["spec"]["size"] == int(command[3])
    is_clean(page)


def test_who_goes_is_named_where_a_group_shrinks(site, page):
    """By names as on the command line; what the manager says of them stands there before anything is done."""
    site.go(page, "clusters/shop")
    page.click("scale web")
    page.write("dialog input[inputmode]", "8")
    page.shows("create 2")
    assert page.run("document.querySelector('dialog input[name=victims]')") is None, "where it grows nobody goes"
    page.write("dialog input[inputmode]", "4")
    page.shows("destroy 2")
    for words, told in (("web-9", "'web-9' cannot be removed: the group has no such member"), ("web-[0-2]", "more machines are given than will be removed"), ("db-0", "'db-0' cannot be removed")):
        page.write("dialog input[name=victims]", words)
        page.shows(told)
        assert page.run("[...document.querySelectorAll('dialog footer button')].at(-1).disabled")
    page.write("dialog input[name=victims]", "web-1,  shop/web-[3,3]")
    page.shows("web-[1,3]")
    shown = page.run("document.querySelector('dialog').innerText")
    assert "reeve scale shop/web 4 --pick web-1 --pick 'shop/web-[3,3]' --allow destroy=2" in shown
    page.run("(() => { const one = document.querySelector('dialog select[name=pick]'); one.value = 'newest'; one.dispatchEvent(new Event('change', {bubbles: true})); })()")
    page.shows("--pick newest --pick web-1")
    page.until("/pick\\s+none\\s+→\\s+newest/.test(document.querySelector('dialog .plan-all')?.innerText ?? '')", "it is in the plan")
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.picture(PICTURES / "scale-named.png")
    page.write("dialog .note input", "destroy 2")
    page.until("![...document.querySelectorAll('dialog footer button')].at(-1).disabled")
    page.click("Destroy 2 of shop/web")
    page.until("document.querySelector('dialog') === null")
    site.ready("shop", 6)
    page.until("JSON.stringify([...document.querySelectorAll('.rows-row a')].map((one) => one.innerText).sort()) === JSON.stringify(['db-0', 'db-1', 'web-0', 'web-2', 'web-4', 'web-5'])")
    assert site.manager.get("/v1/nodegroups/shop/web").json["spec"]["pick"] == "newest"
    is_clean(page, ("400",))


def test_where_values_come_from_is_shown_when_it_is_asked(site, page):
    site.go(page, "clusters/made")
    page.until("document.querySelector('details.provenance') !== null && document.querySelectorAll('section[aria-label=\"latest events\"] li').length > 0", "what is asked for at first was asked for")
    assert not [url for url in page.requests if "view=effective" in url]
    page.run("document.querySelector('details.provenance summary').click()")
    page.until("[...document.querySelectorAll('.provenance tbody tr')].length > 2")
    truth = site.manager.get("/v1/clusters/made?view=effective").json
    rows = page.run("[...document.querySelectorAll('.provenance tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText))")
    wanted = [["", one] for one in truth["values"]] + [[group["path"], one] for group in truth["groups"] for one in group["values"]]
    assert [(group, path, origin) for group, path, _, origin in rows] == [(group, one["path"], str(one["origin"])) for group, one in wanted]
    assert any("std" in origin for *_, origin in rows), "the template is named"
    is_clean(page)


def test_a_size_that_somebody_else_changed_is_not_written_over(site, page):
    site.go(page, "clusters/shop")
    page.click("scale web")
    page.write("dialog input", "9")
    page.shows("create 3")
    site.manager.patch("/v1/nodegroups/shop/web", {"size": 7})
    page.click("Create 3 in shop/web")
    page.until("document.querySelector('dialog .note.bad') !== null")
    assert site.manager.get("/v1/nodegroups/shop/web").json["spec"]["size"] == 7


def test_pausing_and_resuming_by_keys_alone(site, page):
    site.go(page, "clusters/shop")
    page.until("[...document.querySelectorAll('button')].some((one) => one.innerText === 'Pause')", "its keys are there when it is")
    page.press("?")
    page.until("document.querySelector('dialog dl.keys') !== null")
    page.press("Escape")
    page.until("document.querySelector('dialog') === null")
    page.press("P")
    page.until("document.querySelector('dialog[open]') !== null")
    assert "reeve pause shop" in page.run("document.querySelector('dialog').innerText")
    page.run("[...document.querySelectorAll('dialog footer button')].at(-1).focus()")
    page.press("Enter")
    page.shows("the cluster or group is paused")
    page.until("/paused by \\S+, now/.test(document.querySelector('.need').innerText)")
    page.press("P")
    page.until("document.querySelector('dialog[open]')?.innerText.includes('reeve resume shop')")
    page.click("Resume shop")
    page.until("!document.body.innerText.includes('the cluster or group is paused')")
    page.press("k", 2)
    page.until("document.querySelector('.palette-word') !== null")
    page.write(".palette-word", "workers-1")
    page.shows("batch/workers-11")
    page.press("ArrowDown")
    page.press("Enter")
    page.until("location.pathname.startsWith('/ui/nodes/batch/workers-1')")
    is_clean(page)


def test_what_stands_in_names_and_reasons_is_never_markup(site, page):
    manager = site.manager
    for at, text in enumerate(HOSTILE):
        said = re.sub(r"[\x00-\x1f]", "", text)
        for word in ("pause", "resume"):
            answer = manager.post("/v1/clusters/shop/say", {"command": word, "why": said})
            assert answer.status in (200, 422), answer.text
        labels = {f"l{at}": said[:200]}
        assert manager.patch("/v1/clusters/shop", {"labels": labels, "version": said[:60] or "1"}).status in (200, 422)
        assert manager.patch("/v1/nodegroups/batch/workers", {"size": 31 + at % 2, "labels": labels},
                             Content_Type="application/merge-patch+json").status in (200, 409, 422)
        manager.ask("PATCH", f"/v1/nodegroups/batch/workers?allow=destroy:9&why={re.sub('[^a-zA-Z0-9<>=]', '', said)}",
                    json.dumps({"size": 33 - at % 2}), Content_Type="application/merge-patch+json")
        site.manager.post("/v1/tokens", {"note": said})
        hostile = {"documents": [{**document("shop", web=group(6)), "labels": {f"l{at}": said[:200]}}], "why": said}
        assert manager.post("/v1/plans", hostile).status in (200, 422, 429)
    for path in VIEWS.values():
        site.go(page, path)
        page.until("document.querySelector('main').innerText.length > 20 && !document.body.innerText.includes('loading ...')")
    site.go(page, "apply")
    for text in HOSTILE:
        page.write("textarea", f'name: shop\n"{text[:60]}": [\n')
        page.until("document.querySelector('.fault') !== null")
    site.go(page, "clusters/shop")
    for button in ("Label", "Delete", "Undo"):
        page.click(button)
        page.until("document.querySelector('dialog .way') !== null || document.querySelector('dialog .pair') !== null")
        page.press("Escape")
        page.until("document.querySelector('dialog') === null")
    site.go(page, "events")
    page.write("main input[type=search]", "<script>")
    page.until("document.querySelector('.rows-row')?.innerText.includes('<script>')", "it is shown as it was written")
    for text in HOSTILE:
        one = re.sub(r"[\x00-\x1f]", "", text)
        encoded = page.run(f"encodeURIComponent({json.dumps(one)})")
        for path in (f"clusters/{encoded}", f"nodes/shop/{encoded}", f"events?q={encoded}&type={encoded}", f"fleet?state={encoded}&by={encoded}&cluster={encoded}",
                     f"jobs/{encoded}", f"groups/shop/{encoded}", f"plans/{encoded}", f"templates/ct/{encoded}?with={encoded}", f"templates/{encoded}/std",
                     f"configs/{encoded}", f"revisions/{encoded}", f"revisions/shop?from={encoded}&to={encoded}", f"apply?from={encoded}", f"nodes/shop/web-0?line={encoded}", encoded, f"#link={encoded}"):
            site.show(page, path)
        page.until("document.querySelector('main') !== null && document.querySelector('.top') !== null")
    assert page.run("globalThis.hacked") is None
    assert page.run("document.querySelectorAll('script:not([src]), iframe, object, base, template, main style, main link').length") == 0
    is_clean(page, ("404", "400", "422"))  # of names that are none, of files that are none


def test_the_policy_would_stop_what_got_through(site, page):
    """The second wall: were there a hole, nothing could be run or loaded through it."""
    page.run("""(() => {
        const script = document.createElement('div');
        try { script.innerHTML = '<img src=x onerror=globalThis.hacked=1>'; } catch { globalThis.stopped = 1; }
        const image = new Image();
        image.src = 'http://127.0.0.1:1/x.png';
    })()""")
    page.until("globalThis.stopped === 1")
    page.until("true")
    assert page.run("globalThis.hacked") is None
    assert page.said, "the console tells it, so the other tests would see it"


def faked(site):
    """The fleet with some of every state."""
    answer = site.manager.get("/v1/fleet").json
    for row, word in enumerate(("refused", "unhealthy", "unhealthy", "unreachable", "failed", "creating", "starting", "leaving")):
        answer["columns"]["displayed"][row * 3] = answer["displayedNames"].index(word)
    return json.dumps(answer)


def test_axe_finds_nothing_and_every_page_has_its_picture(site, page, axe):
    PICTURES.mkdir(parents=True, exist_ok=True)
    found = {}
    site.manager.post("/v1/clusters/shop/say", {"command": "pause", "why": "the rack is being moved"})
    number = site.manager.get("/v1/jobs?cluster=shop").json["items"][0]["metadata"]["name"]
    plan = site.manager.get("/v1/plans").json["items"][0]["id"]
    said = len(page.said)
    page.run(axe)
    del page.said[said:]
    for name, path in {**VIEWS, "job": f"jobs/{number}", "plan": f"plans/{plan}"}.items():
        page.look(1280, 800, False)
        site.show(page, path)
        page.until("document.querySelector('main').innerText.length > 20 && !/asking|reading|loading/.test(document.querySelector('main').innerText)")
        for dark in (False, True):
            page.look(1280, 800, dark)
            page.picture(PICTURES / f"{name}-{'dark' if dark else 'light'}.png")
            said = len(page.said)
            result = page.run("axe.run(document, {resultTypes: ['violations']}).then((all) => all.violations.map((one) => "
                              "`${one.id}: ${one.nodes.map((node) => node.target.join(' ') + ' ' + (node.any[0]?.message ?? '')).join('; ')}`))")
            del page.said[said:]
            if result:
                found[f"{name} {'dark' if dark else 'light'}"] = result
        page.look(390, 800, False)
        page.until("innerWidth === 390")
        wide = page.run("document.documentElement.scrollWidth")
        assert wide <= 390, f"{name} is {wide} wide on a phone"
        page.picture(PICTURES / f"{name}-390.png")
    assert found == {}, json.dumps(found, indent=1)
    is_clean(page)


def test_the_map_shows_every_state_and_goes_to_problems(site, page):
    body = faked(site)
    page.call("Fetch.enable", patterns=[{"urlPattern": "*/v1/fleet"}])
    page.replies = {"/v1/fleet": body}
    site.go(page, "fleet?noworker")
    page.until(f"JSON.stringify({COUNTS}.slice(0, 4)) === '[1,1,2,1]'")
    page.call("Fetch.disable")
    for dark in (False, True):
        page.look(1280, 800, dark)
        page.until("document.querySelector('canvas').map.isDark === " + ("true" if dark else "false"))
        page.picture(PICTURES / f"states-{'dark' if dark else 'light'}.png")
    seen = []
    for _ in range(6):
        page.press("n")
        before = json.dumps(seen[-1] if seen else "")
        seen.append(page.until(f"document.querySelector('#map-spoken').innerText !== {before} && document.querySelector('#map-spoken').innerText"))
    assert len(set(seen[:5])) == 5 and seen[5] == seen[0], seen
    assert all(re.search("refused|failed|unhealthy|unreachable", one) for one in seen)
    page.press("ArrowRight")
    page.press("Enter")
    page.until("location.pathname.startsWith('/ui/nodes/')")


def test_a_cell_that_pulses_may_lose_its_place(site, page):
    """Another group is looked at, or the machine goes, while its cell still glows."""
    site.go(page, "fleet")
    page.until("document.querySelector('canvas')?.map.order.length === 41")
    page.run("""(() => {
        const { map } = document.querySelector('canvas');
        globalThis.frames = 0;
        const frame = map.frameDo.bind(map);
        map.frameDo = (now) => { frame(now); globalThis.frames++; };
        map.isMoving = true;
        for (const row of map.order) map.rowChanged(row, false);
        globalThis.glowing = map.pulses.size;
        map.optionsSet({ ...map.options, cluster: 'slow', group: 'late' });
    })()""")
    page.until("globalThis.frames > 2 && document.querySelector('canvas').map.pulses.size <= 3")
    assert page.run("globalThis.glowing") == 41
    assert page.run("document.querySelector('canvas').map.order.length") == 3
    is_clean(page)


def test_the_first_page_is_light(site):
    text = gzip.decompress(site.manager.ask("GET", "/ui/", connection=site.manager.connect(tcp=True)).bytes).decode()
    sizes = {one: len(site.manager.ask("GET", one, connection=site.manager.connect(tcp=True)).bytes) for one in set(re.findall(r'(?:href|src)="([^"]+)"', text))}
    total = sum(sizes.values())
    print(f"\nfirst page: {total} bytes in {len(sizes)} files")
    assert len(sizes) > 20 and total <= FIRST_PAGE_BYTES, sizes
    assert not [one for one in sizes if "/pages/apply.js" in one], "what is not the first page comes later"


def test_the_words_are_those_of_the_command_line():
    theirs = re.findall(r'\[DISPLAYED_\w+\] = "(\w+)"', (ROOT / "src/records/displayed.c").read_text())
    shown = re.findall(r'"(\w+)"', re.search(r"words\[\] = \{([^}]*)\}", (ROOT / "src/cli/manager/nodes.c").read_text())[1])
    assert shown == [*theirs, "unknown"]
    ours = re.findall(r'"(\w+)"', re.search(r"WORDS = \[([^\]]*)\]", (ROOT / "web/data/words.js").read_text())[1])
    assert ours == theirs
    answered = sorted(re.findall(r"^ADVICE\((\w+), true", (ROOT / "src/plan/advice.def").read_text(), re.M))
    assert re.findall(r'"(\w+)"', re.search(r"ANSWERED = \[([^\]]*)\]", (ROOT / "web/parts/holds.js").read_text())[1]) == answered


def test_without_libraries_the_page_says_how_to_add_it(tmp_path):
    out = tmp_path / "table.c"
    subprocess.run(["/usr/bin/python3", "-B", ROOT / "src/page/embed.py", out, tmp_path / "d", ROOT / "web", tmp_path / "none", ROOT / "src/cli/args/verbs.def"], check=True)
    text = out.read_text()
    assert "page_table_is_whole = false" in text and "page_table_count = 1" in text and '"index.html"' in text
    assert "apt-get install npm" in (ROOT / "web/without.html").read_text()
