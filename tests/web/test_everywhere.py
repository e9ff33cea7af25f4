"""What every page has: something to copy beside names and ids, words where nothing is, a tree where names make one, spacing."""

import json

import pytest

from conftest import Site, document, group, is_clean
from manager import Manager, until

COPIES = "[...document.querySelectorAll('main .copy')].map((one) => one.getAttribute('aria-label'))"


@pytest.fixture(name="page")
def page_logged_in(site):
    """A tab, at a manager with groups within groups."""
    site.manager.apply({"name": "shop", "version": "1", "groups": {"web": group(3), "eu": {"groups": {"a": group(2), "b": {"groups": {"x": group(1), "y": group(0)}}}}}},
                       {"kind": "ClusterTemplate", **document("std", web=group(0))})
    site.ready("shop", 6)
    page = site.login()
    page.home = site.base
    return page


def test_names_and_ids_are_copied(site, page):
    machine = next(one for one in site.manager.get("/v1/resources?cluster=shop").json["items"] if one["metadata"]["name"] == "web-0")
    site.manager.post("/v1/plans", {"documents": [document("other", web=group(4))]})
    plan = site.manager.get("/v1/plans").json["items"][0]["id"]
    site.user("eve", "viewer")
    grant = site.manager.get("/v1/grants").json["items"][0]["metadata"]
    token = next(one["metadata"] for one in site.manager.get("/v1/tokens").json["items"] if one["spec"]["user"] == "eve")
    status = machine["status"]
    for path, wanted in {
            "clusters/shop": ["copy the name: shop"], "groups/shop/web": ["copy the name: shop/web", f"copy the generation: {status['generation']}"],
            "nodes/shop/web-0": ["copy the name: shop/web-0", f"copy the machine's id: {status['id']}", f"copy the generation: {status['generation']}", f"copy the token: {machine['metadata']['id']}"],
            "plans": [f"copy the name: plan/{plan}"], f"plans/{plan}": [f"copy the name: plan/{plan}"], "templates/ct/std": ["copy the name: ct/std", "copy the line: from: {template: std}"],
            "managers": [f"copy the address: {site.base.removeprefix('http://')}", "copy the name: sim"],
            "settings": ["copy the name: eve", f"copy the id: {token['id']}", f"copy the id: {grant['id']}"]}.items():
        site.go(page, path)
        for one in wanted:
            page.until(f"{COPIES}.includes({json.dumps(one)})", f"{path}: {one}")
    page.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"], origin=site.base)
    page.run(f"document.querySelector('.copy[aria-label=\"copy the id: {grant['id']}\"]').click()")
    page.until("document.querySelector('main').innerText.includes('copied')")
    assert page.run("navigator.clipboard.readText()") == grant["id"]
    is_clean(page)


def test_groups_stand_as_the_tree_that_their_names_make(site, page):
    site.go(page, "clusters/shop")
    page.until("document.querySelectorAll('section[aria-label=groups] tbody tr').length === 6")
    rows = page.run("[...document.querySelectorAll('section[aria-label=groups] tbody tr')].map((row) => { const one = row.cells[0].firstChild; "
                    "return [row.cells[0].innerText, Math.round(parseFloat(getComputedStyle(one).marginLeft) / 16), one.getAttribute('href'), row.cells[2].innerText]; })")
    assert rows == [["eu/", 0, None, "3 / 3"], ["a", 1, "/ui/groups/shop/eu/a", "2 / 2"], ["b/", 1, None, "1 / 1"], ["x", 2, "/ui/groups/shop/eu/b/x", "1 / 1"],
                    ["y", 2, "/ui/groups/shop/eu/b/y", "0 / 0"], ["web", 0, "/ui/groups/shop/web", "3 / 3"]]
    page.click("eu/b/x", "a")
    page.until("document.querySelector('h1').innerText === 'shop / eu/b/x'")
    is_clean(page)


def test_what_the_controller_would_do_is_shown_when_it_is_asked(site, page):
    site.go(page, "clusters/shop")
    page.until("document.querySelector('details.preview') !== null")
    assert not [url for url in page.requests if "/pass" in url]
    page.run("document.querySelector('details.preview summary').click()")
    page.shows("Nothing: the desired state is reached.")
    page.shows("reeve api POST '/v1/clusters/shop/pass?dry-run=1'")
    assert site.manager.post("/v1/clusters/shop/say", {"command": "pause"}).status == 200
    site.manager.patch("/v1/nodegroups/shop/web", {"size": 5})
    page.until("document.querySelector('section[aria-label=groups] tbody tr:last-child').cells[2].innerText === '3 / 5'")
    page.click("Look again")
    page.shows("Nothing, while the holds exist.")
    page.call("Fetch.enable", patterns=[{"urlPattern": "*/pass*"}])
    page.replies = {"/v1/clusters/shop/pass?dry-run=1": json.dumps({"actions": [{"act": "set_id", "fact": "<b>x</b>", "group": "web", "rule": "free_slot", "slot": 3}] * 201, "holds": []})}
    page.click("Look again")
    page.until("document.querySelectorAll('.preview tbody tr').length === 200")
    assert page.run("[...document.querySelector('.preview tbody tr').cells].map((one) => one.innerText)") == ["set id", "web", "3", "free slot", "<b>x</b>"]
    page.shows("and 1 more")
    assert len(site.manager.get("/v1/resources?cluster=shop").json["items"]) == 6, "it was only asked"
    is_clean(page)


def test_where_nothing_is_there_are_words_and_what_to_do(site, page):
    site.go(page, "groups/shop/eu/b/y")
    page.shows("The group has no machine.")
    page.shows("Its size is 0: scale the group to create machines.")
    site.go(page, "templates/ct/std")
    page.shows("No cluster is created from this template. A file refers to it with")
    site.go(page, "settings")
    for plural, words in (("accounts", "groups refer to an account"), ("secrets", "holds the credential of an account"), ("users", "a program that has tokens and grants"), ("grants", "gives a role to a user"), ("tenants", "of its own")):
        page.until(f"document.querySelector('section[aria-label={plural}]')?.innerText.includes({json.dumps(words)})", plural)
    is_clean(page)


def test_a_manager_that_has_nothing_says_so_on_every_page(tmp_path, chromium):
    manager = Manager(tmp_path).start()
    site = Site(manager, chromium)
    page = site.login()
    page.home = site.base
    for path, words in {"": "reeve init my.yaml", "fleet": "reeve init my.yaml", "jobs": "reeve apply -f my.yaml", "revisions": "reeve init my.yaml", "templates": "reeve create --template",
                        "plans": "reeve plan -f my.yaml --save", "events?q=nothing": "take the filter away", "budgets": "kind: Budget", "managers": "reeve doctor"}.items():
        site.go(page, path)
        page.until(f"document.querySelector('main').innerText.includes({json.dumps(words)})", path)
    is_clean(page)
    page.close()
    assert manager.stop() in (0, None)


def test_a_job_that_is_cancelled_goes_on_or_is_undone(site, page):
    site.manager.patch("/v1/clusters/shop", {"version": "2"})
    site.manager.apply(document("slow", late=group(1, boot=3600000), well=group(1)))
    until(lambda: site.counts("slow") == (1, 2))
    number = site.manager.patch("/v1/nodegroups/slow/late", {"size": 3}).json["job"]
    until(lambda: [one["status"]["state"] for one in site.manager.get(f"/v1/jobs/{number}").json.get("items", [])] == ["running"], lambda: site.manager.log.read_text())
    site.go(page, f"jobs/{number}")
    page.shows("Cancel")
    page.press("c")
    page.shows("slow/late is paused, and is not healed until an operator resumes it. No other groups are paused.")
    page.shows("reeve pause slow/late")
    page.click(f"Cancel job {number}")
    page.shows("the cluster or group is paused")
    assert [one["metadata"]["name"] for one in site.manager.get("/v1/holds?cluster=slow").json["items"]] == ["late:paused"], "the group that the job was about, and no other"
    page.until("[...document.querySelectorAll('.head .button')].map((one) => one.innerText).join() === 'Resume,Undo,Retry'")
    page.press("r")
    page.until(f"(document.querySelector('dialog')?.innerText ?? '').includes('reeve resume slow/late')")
    page.press("Escape")
    page.until("document.querySelector('dialog') === null")
    page.press("U")
    page.until("(document.querySelector('dialog')?.innerText ?? '').includes('reeve undo cluster slow')")
    is_clean(page)


def test_a_cancel_drops_reboots_and_pauses_no_group(site, page):
    """As `reeve job cancel` does: reboots that have not started are dropped, and a group with no other work left is healed as before."""
    site.manager.apply(document("boots", web=group(3)))
    site.ready("boots", 3)
    assert site.manager.post("/v1/nodegroups/boots/web/say", {"command": "rollout-pause"}).status == 200
    number = site.manager.patch("/v1/nodegroups/boots/web?reboot=web-0,web-2&allow=reboot:2", {}).json["job"]
    status = lambda: next((one["status"] for one in site.manager.get(f"/v1/jobs/{number}").json.get("items", [])), {})  # noqa: E731
    until(lambda: [one.get("reboots") for one in status().get("groups", [])] == [2], lambda: str(status()))
    site.go(page, f"jobs/{number}")
    page.shows("Cancel")
    page.press("c")
    page.shows("2 reboots of boots/web that have not started are dropped. No group is paused.")
    page.shows(f"reeve job cancel {number}")
    page.shows("PATCH /v1/nodegroups/boots/web?reboot=-")
    page.click(f"Cancel job {number}")
    page.until("document.querySelector('dialog') === null")
    until(lambda: status().get("state") == "done", lambda: str(status()))
    assert not [one for one in site.manager.get("/v1/holds?cluster=boots").json["items"] if one["status"]["rule"] == "paused"]
    is_clean(page)


def test_what_stands_beside_each_other_begins_at_one_height(site, page):
    """Lists and tables have the same room above them, whatever a browser gives them."""
    for path in ("nodes/shop/web-0", "groups/shop/web", "managers", "settings"):
        site.go(page, path)
        tops = page.until("((all) => all.length > 2 && all)([...document.querySelectorAll('main section > h2')].filter((one) => one.nextElementSibling).map((one) => one.nextElementSibling.getBoundingClientRect().top - one.getBoundingClientRect().bottom))", path)
        assert set(tops) == {8}, (path, tops)


def test_what_belongs_together_stands_together(site, page):
    """On a wide screen and on a phone: controls in one line, no word cut, no table wider than the page."""
    def inside(selector, tells):
        return page.until(f"((all) => all.length > 0 && all)([...document.querySelectorAll({json.dumps(selector)})].map((one) => {tells}))", selector)

    site.manager.apply({"name": "made", "version": "2", "from": {"template": "std"}})
    site.go(page, "fleet")
    assert len(set(inside(".tools-set > *", "Math.round(one.getBoundingClientRect().top + one.getBoundingClientRect().height / 2)"))) == 1
    page.look(390, 800, False)
    site.go(page, "templates/ct/std?with=made")
    (centres,) = inside("section[aria-label='created from it'] li", "[...one.children].map((part) => Math.round(part.getBoundingClientRect().top))")
    assert len(centres) == 2 and abs(centres[0] - centres[1]) <= 2, centres
    site.go(page, "nodes/shop/web-0")
    page.until("[...document.querySelectorAll('.timeline-name')].some((one) => one.innerText === 'being made')")
    assert all(inside(".timeline-name", "one.scrollWidth <= one.clientWidth")), "a word is cut"
    site.manager.post("/v1/secrets", {"name": "a-name-that-is-long", "value": "x"})
    assert site.manager.post("/v1/accounts", {"name": "an-account-with-a-long-name", "plugin": "sim", "secret": "a-name-that-is-long", "rate": 5}).status == 201
    site.go(page, "settings")
    inside("section[aria-label=accounts] tbody tr", "1")
    assert page.run("[innerWidth, document.documentElement.scrollWidth]") == [390, 390]
    is_clean(page)


def test_where_no_job_has_ended_yet_it_says_so(site):
    site.manager.apply(document("slow", late=group(1, boot=3600000)))
    until(lambda: site.manager.get("/v1/jobs?cluster=slow").json["items"], lambda: site.manager.log.read_text())
    site.login("jobs").shows("No job has ended yet")
