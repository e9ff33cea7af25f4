"""Managers by zone: a ring for each zone, which looks right with one manager and with a dozen; the same in words."""

import json
import math

import pytest

from conftest import PICTURES, document, group, is_clean

RINGS = "[...document.querySelectorAll('section[aria-label=Rings] .rings')]"


@pytest.fixture(name="page")
def page_logged_in(site):
    """A tab."""
    site.manager.apply(document("shop", web=group(2)))
    site.ready("shop")
    page = site.login()
    page.home = site.base
    return page


def rings(page, of):
    """What is drawn of each zone: its name, what is said of it, the points of its managers and their words, the list below."""
    return page.run(f"""{of}.map((all) => [...all.querySelectorAll('.ring')].map((one) => ({{
        zone: one.querySelector('figcaption').innerText, label: one.querySelector('svg').getAttribute('aria-label'), count: one.querySelector('.ring-count').textContent,
        ring: Number(one.querySelector('.ring-line').getAttribute('r')),
        dots: [...one.querySelectorAll('.ring-dot')].map((dot) => {{ const c = dot.querySelector('circle'); return [c.getAttribute('cx'), c.getAttribute('cy'), c.getAttribute('r')].map(Number); }}),
        words: [...one.querySelectorAll('.ring-dot')].map((dot) => dot.querySelector('title').textContent),
        list: [...one.querySelectorAll('li')].map((row) => row.innerText.replace(/\\s+/g, ' ')) }})))""")


def test_the_manager_that_is_asked_is_on_its_ring(site, page):
    site.go(page, "managers")
    page.until("document.querySelector('.ring .ring-count')?.textContent === '1 / 1'")
    host = site.base.removeprefix("http://")
    ((one,),) = rings(page, "[document.querySelector('.rings')]")
    assert one["zone"] == "no zone" and one["label"] == "no zone: 1 of 1 ready" and one["words"] == [f"{host}, ready"] and one["list"] == [f"{host} this one ready"]
    page.until("[...document.querySelectorAll('dt')].some((one) => one.innerText === 'this page' && one.nextSibling.innerText === 'has the newest')", "no lag")
    site.manager.kill()
    page.until("document.querySelector('.ring-dot.is-unreachable rect') !== null && document.querySelector('.ring-count').textContent === '0 / 1'")
    assert rings(page, "[document.querySelector('.rings')]")[0][0]["label"] == "no zone: 0 of 1 ready"
    site.manager.start()
    page.until("document.querySelector('.ring-dot.is-ready') !== null && document.querySelector('.ring-count').textContent === '1 / 1'")


def test_one_three_and_a_dozen_stand_evenly(site, page, axe):
    site.go(page, "kit")
    page.until(f"{RINGS}.length === 4")
    one, three, dozen, crowd = rings(page, RINGS)
    assert [[ring["zone"] for ring in all_of] for all_of in (one, three, dozen, crowd)] == [["no zone"], *[["eu-a", "eu-b", "eu-c"]] * 2, ["eu-a"]]
    assert [[len(ring["dots"]) for ring in all_of] for all_of in (one, three, dozen, crowd)] == [[1], [1, 1, 1], [4, 4, 4], [12]]
    for ring in (ring for all_of in (one, three, dozen, crowd) for ring in all_of):
        middle, count = 132 / 2, len(ring["dots"])
        for x, y, _ in ring["dots"]:
            assert abs(math.hypot(x - middle, y - middle) - ring["ring"]) < 0.01, "on the ring"
        assert abs(ring["dots"][0][0] - middle) < 0.01 and ring["dots"][0][1] < middle, "the first one at its top"
        for (ax, ay, ar), (bx, by, br) in zip(ring["dots"], ring["dots"][1:] + ring["dots"][:1]):
            gap = math.hypot(ax - bx, ay - by)
            assert count == 1 or abs(gap - 2 * ring["ring"] * math.sin(math.pi / count)) < 0.01, "evenly"
            assert count == 1 or gap > ar + br, "and beside each other"
        assert len(ring["list"]) == count
    assert crowd[0]["label"] == "zone eu-a: 10 of 12 ready" and crowd[0]["count"] == "10 / 12"
    assert [word for word in crowd[0]["words"] if not word.endswith(", ready")] == ["reeve-5.example, unhealthy", "reeve-9.example, unreachable"]
    assert "reeve-8.example ready 12 behind" in crowd[0]["list"] and crowd[0]["list"][-1].startswith("reeve-12.example"), "names in the order of their numbers"
    said = len(page.said)
    page.run(axe)
    for dark in (False, True):
        page.look(1280, 900, dark)
        found = page.run("axe.run('section[aria-label=Rings]', {resultTypes: ['violations']}).then((all) => all.violations.map((one) => one.id + ' ' + one.nodes[0].target))")
        assert found == [], found
        page.picture(PICTURES / f"rings-{'dark' if dark else 'light'}.png")
    del page.said[said:]
    page.look(390, 900, False)
    page.until("innerWidth === 390")
    inside = page.run(f"{RINGS}.every((all) => [...all.querySelectorAll('.ring')].every((one) => one.getBoundingClientRect().right <= 390))")
    assert inside, "on a phone"
    is_clean(page)


def test_what_managers_are_called_is_never_markup(site, page):
    site.go(page, "kit")
    page.until(f"{RINGS}.length === 4")
    order = page.run("import(document.querySelector('script[src]').src.replace(/main\\.js$/, 'parts/rings.js')).then(({ zonesOf }) => zonesOf([{ name: 'm10', zone: 'b' }, { name: 'm2', zone: 'b' }, { name: 'x' }, { name: 'y', zone: 'a<b>' }]).map(([zone, list]) => [zone, list.map(({ name }) => name)]))")
    assert order == [["a<b>", ["y"]], ["b", ["m2", "m10"]], ["", ["x"]]], json.dumps(order)
