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
    for role, cluster in grants:
        assert manager.post("/v1/grants", {"user": name, "role": role, "cluster": cluster}).status == 201
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
    page.until(f"{COUNTS}[7] === 3")
    assert page.run("[...document.querySelectorAll('tbody .name')].map((one) => one.innerText)") == ["shop"] and "other" not in page.text()
    for path, words in {"clusters/shop": "web-2", "groups/shop/web": "web-2", "nodes/shop/web-0": "machine.wanted", "fleet?view=table": "web-1", "events": "machine.wanted", "jobs": "shop",
                        "revisions": "shop/web", "revisions/shop": "Changes", "managers": "this takes the role viewer", "templates": "this takes the role viewer", "plans": "this takes the role viewer"}.items():
        site.show(page, path)
        page.until(f"document.querySelector('main').innerText.includes({json.dumps(words)})", path)
        assert "secret-0" not in page.text(), path
    clusters.patch("/v1/nodegroups/shop/web", {"size": 5})
    site.show(page, "clusters/shop")
    page.until(f"{COUNTS}[7] === 5", "and follows it")
    page.click("scale web")
    page.write("dialog input", "6")
    page.shows("create 1")
    page.click("Create 1 in shop/web")
    page.until("document.querySelector('dialog') === null")
    page.until(f"{COUNTS}[7] === 6", "and changes it, as he may")
    is_clean(page, ("403",))


def test_rights_to_two_clusters_show_both(site, clusters):
    page = enter(site, "bob", ("viewer", "shop"), ("viewer", "lab"))
    page.until(f"{COUNTS}[7] === 5")
    assert page.run("[...document.querySelectorAll('tbody .name')].map((one) => one.innerText)") == ["lab", "shop"]
    clusters.patch("/v1/nodegroups/lab/bench", {"size": 3})
    page.until(f"{COUNTS}[7] === 6")
    clusters.patch("/v1/nodegroups/shop/web", {"size": 4})
    page.until(f"{COUNTS}[7] === 7")
    site.show(page, "clusters/shop")
    page.until("document.querySelector('.rows-row') !== null")
    assert page.run("[...document.querySelectorAll('.head button')].map((one) => one.innerText)") == ["copy"], "a viewer is offered nothing that would be refused"
    is_clean(page, ("403",))


def test_who_has_no_right_is_told_so(site, clusters):
    page = enter(site, "eve")
    page.shows("You have no right to see a cluster.")
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
