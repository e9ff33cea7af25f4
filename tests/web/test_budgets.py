"""Budgets above groups on the page: which there are, what waits for one, and the deletion of one."""
import json

from conftest import document, group
from manager import until


def rows(page):
    """The texts of the table."""
    return page.run("[...document.querySelectorAll('tbody tr')].map((row) => [...row.cells].slice(0, 4).map((cell) => cell.innerText.replace(/copy/, '').replace(/\\s+/g, ' ').trim()))")


def test_budgets_and_what_waits_for_them(site):
    manager = site.manager
    manager.apply({"kind": "Budget", "name": "freeze", "selector": "cluster=shop", "maxUnavailable": 0},
                  {"kind": "Budget", "name": "night", "selector": "cluster=mail", "maxUnavailable": 2, "windows": [{"days": ["sat", "sun"], "from": "01:00", "to": "05:00"}]},
                  document("shop", web=group(2)))
    site.ready("shop", 2)
    page = site.login("budgets")
    page.home = site.base
    page.until("document.querySelectorAll('tbody tr').length === 2")
    assert rows(page) == [["freeze", "cluster=shop", "0 frozen", "at any time"], ["night", "cluster=mail", "2", "sat, sun 01:00 to 05:00 UTC"]]
    answer = manager.ask("PATCH", "/v1/nodegroups/shop/web?allow=replace:2", {"image": "another"}, Content_Type="application/merge-patch+json")
    assert answer.status == 200, answer.text
    page.until("document.querySelector('section[aria-label=waiting]')?.innerText.includes('shop/web')", "the rollout waits for the budget")
    page.run("document.querySelector('tbody button[aria-label=\"Delete freeze\"]').click()")
    page.until("document.querySelector('dialog .way code')?.innerText === 'reeve delete budget freeze'")
    page.click("Delete freeze", "dialog button")
    page.until("document.querySelectorAll('tbody tr').length === 1", "it is deleted")
    until(lambda: manager.get("/v1/budgets").json["items"][0]["metadata"]["name"] == "night", lambda: json.dumps(manager.get("/v1/budgets").json))
    page.until("document.querySelector('section[aria-label=waiting]') === null", "nothing waits any more")
