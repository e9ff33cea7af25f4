"""Who has a right to one cluster alone sees that cluster, on every page, as it changes; what he may not see is named. And of two machines of
one name each has a page."""

import json

import pytest

from conftest import document, group, is_clean
from manager import until

COUNTS = "[...document.querySelectorAll('.legend b')].map((one) => Number(one.innerText))"


@pytest.fixture(name="clusters")
def clusters_of_all(site):
    site.manager.apply(document("shop", web=group(3)), document("lab", bench=group(2)), document("other", secret=group(4)))
    for name, size in (("shop", 3), ("lab", 2), ("other", 4)):
        site.ready(name, size)
    return site.manager


def enter(site, name, *grants):
    """A tab of somebody with these grants."""
    manager = site.manager
    assert manager.post("/v1/users", {"name": name}).status == 201
    for role, cluster, *nodegroup in grants:
        assert manager.post("/v1/grants", {"user": name, "role": role, "cluster": cluster, **({"nodegroup": nodegroup[0]} if nodegroup else {})}).status == 201
    token = manager.post("/v1/tokens", {"user": name}).json["token"]
    page = site.browser.page(context=site.browser.context())
    page.home = site.base
    page.goto(site.url())
    page.write("input[name=token]", token)
    page.run("document.querySelector('input[name=token]').form.requestSubmit()")
    page.shows("live")
    return page


@pytest.mark.parametrize("query", ["", "?noworker"])
def test_a_right_to_one_cluster_shows_that_one(site, clusters, query):
    page = enter(site, f"ann{len(query)}", ("operator", "shop"))
    site.go(page, query)
    page.until(f"{COUNTS}[9] === 3")
    assert page.run("[...document.querySelectorAll('tbody .name')].map((one) => one.innerText)") == ["shop"] and "other" not in page.text()
    for path, words in {"clusters/shop": "web-2", "groups/shop/web": "web-2", "nodes/shop/web-0": "machine.wanted", "fleet?view=table": "web-1", "events": "machine.wanted", "jobs": "shop",
                        "revisions": "shop/web", "revisions/shop": "Changes", "managers": "this requires the role viewer", "templates": "this requires the role viewer", "plans": "this requires the role viewer"}.items():
        site.show(page, path)
        page.until(f"document.querySelector('main').innerText.includes({json.dumps(words)})", path)
        assert "secret-0" not in page.text(), path
    clusters.patch("/v1/nodegroups/shop/web", {"size": 5})
    site.show(page, "clusters/shop")
    page.until(f"{COUNTS}[9] === 5", "and follows it")
    page.click("scale web")
    page.write("dialog input", "6")
    page.shows("create 1")
    page.click("Create 1 in shop/web")
    page.until("document.querySelector('dialog') === null")
    page.until(f"{COUNTS}[9] === 6", "and changes it, as he may")
    is_clean(page, ("403",))


def test_rights_to_two_clusters_show_both(site, clusters):
    page = enter(site, "bob", ("viewer", "shop"), ("viewer", "lab"))
    page.until(f"{COUNTS}[9] === 5")
    assert page.run("[...document.querySelectorAll('tbody .name')].map((one) => one.innerText)") == ["lab", "shop"]
    clusters.patch("/v1/nodegroups/lab/bench", {"size": 3})
    page.until(f"{COUNTS}[9] === 6")
    clusters.patch("/v1/nodegroups/shop/web", {"size": 4})
    page.until(f"{COUNTS}[9] === 7")
    site.show(page, "clusters/shop")
    page.until("document.querySelector('.rows-row') !== null")
    assert page.run("[...document.querySelectorAll('.head button')].map((one) => one.innerText)") == ["copy"], "a viewer is offered nothing that would be refused"
    is_clean(page, ("403",))


@pytest.mark.parametrize("query", ["", "?noworker"])
def test_a_right_to_one_group_shows_that_group(site, clusters, query):
    """On every page, as it changes; what is told of whole clusters names the right that it takes."""
    clusters.apply(document("parts", web=group(3), db=group(2)))
    site.ready("parts", 5)
    page = enter(site, f"gil{len(query)}", ("operator", "parts", "web"), ("viewer", "lab"))
    site.go(page, query)
    page.until(f"{COUNTS}[9] === 5")
    assert page.run("[...document.querySelectorAll('tbody .name')].map((one) => one.innerText)") == ["lab", "parts"]
    page.until("document.querySelector('.sum').innerText.replace(/\\s+/g, ' ') === '5 of 5 ready'")
    for path, words in {"clusters/parts": "You see only the groups that you have access to.", "groups/parts/web": "web-2", "nodes/parts/web-0": "the role viewer", "fleet?view=table": "web-1"}.items():
        site.show(page, path)
        page.until(f"document.querySelector('main').innerText.includes({json.dumps(words)})", path)
        assert "db-0" not in page.text() and "secret-0" not in page.text(), path
    rows = {one["status"]["group"]: one["metadata"]["id"] for one in clusters.get("/v1/resources?cluster=parts").json["items"]}
    found = page.run(f"Promise.all([{json.dumps(rows['web'])}, {json.dumps(rows['db'])}].map((id) => fetch(`/v1/resources/${{id}}?cluster=parts&group=web`).then((one) => one.status)))")
    assert found == [200, 404], found
    found = page.run("fetch('/v1/fleet?cluster=parts&group=web').then((one) => one.json()).then((one) => one.columns.name.sort())")
    assert found == ["web-0", "web-1", "web-2"], found
    found = page.run("fetch('/v1/fleet?cluster=parts&group=web&view=counts').then((one) => one.json()).then((one) => one.groups.map(({ group }) => group))")
    assert found == ["web"], found
    site.show(page, "nodes/parts/web-0")
    page.until("[...document.querySelectorAll('section[aria-label=record] dt')].some((one) => one.innerText === 'plugin')")
    clusters.patch("/v1/nodegroups/parts/web", {"size": 4})
    site.show(page, "groups/parts/web")
    page.until(f"{COUNTS}[9] === 4", "and follows it")
    page.click("Scale")
    page.write("dialog input", "5")
    page.shows("create 1")
    page.click("Create 1 in parts/web")
    page.until("document.querySelector('dialog') === null")
    page.until(f"{COUNTS}[9] === 5", "and changes it, as he may")
    page.until("document.querySelector('.sum').innerText.replace(/\\s+/g, ' ') === '5 of 5 ready'")
    clusters.patch("/v1/nodegroups/parts/web?victims=web-1&allow=destroy:1", {"size": 4})
    page.until(f"{COUNTS}[9] === 4 && document.querySelector('.sum').innerText.replace(/\\s+/g, ' ') === '4 of 4 ready'", "also what goes")
    is_clean(page, ("403", "404"))


def test_a_right_to_groups_alone_names_what_it_does_not_show(site, clusters):
    page = enter(site, "kim", ("viewer", "shop", "web"))
    page.until(f"{COUNTS}[9] === 3")
    for path in ("events", "jobs"):
        site.show(page, path)
        page.shows("This needs access to the whole cluster; you have access to single groups only.")
    site.show(page, "groups/shop/web")
    page.until("document.querySelector('.rows-row') !== null")
    assert page.run("[...document.querySelectorAll('.head button')].map((one) => one.innerText)") == ["copy"], "a viewer is offered nothing that would be refused"
    is_clean(page, ("403",))


def test_who_has_no_right_gets_that_error(site, clusters):
    page = enter(site, "eve")
    page.shows("You have no access to any cluster.")
    is_clean(page, ("403",))


def test_two_machines_of_one_name_have_a_page_each(site, clusters):
    """While one takes the place of the other."""
    slow = {"rollout": {"surge": 1, "canary": 0, "batch": 1}}
    clusters.apply(document("roll", web=group(1, image="a", **slow)))
    site.ready("roll", 1)
    answer = clusters.post("/v1/apply?allow=replace:1", {"documents": [document("roll", web=group(1, image="b", boot=3600000, **slow))]})
    assert answer.status == 200, answer.text
    two = until(lambda: len(found := [one for one in clusters.get("/v1/resources?cluster=roll").json["items"] if one["metadata"]["name"] == "web-0"]) == 2 and found, lambda: clusters.get("/v1/resources?cluster=roll").text)
    page = site.login("clusters/roll")
    page.home = site.base
    page.until("document.querySelectorAll('.rows-row a').length === 2")
    links = page.run("[...document.querySelectorAll('.rows-row a')].map((one) => decodeURIComponent(one.getAttribute('href').split('/').at(-1)))")
    new = next(one["metadata"]["id"] for one in two if one["status"]["displayed"] != "ready")
    assert sorted(links) == sorted(["web-0", new]), links
    for link, image in (("web-0", "a"), (new, "b")):
        site.show(page, f"nodes/roll/{link}")
        page.until(f"[...document.querySelectorAll('section[aria-label=record] dt')].find((one) => one.innerText === 'image')?.nextSibling.innerText.startsWith('{image}')", link)
        page.shows("Two machines have this name.")
    is_clean(page)
