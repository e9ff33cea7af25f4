"""What was not answered yet is shown as loading: never as if there were nothing, or nothing any more."""

import pytest

from conftest import document, group, is_clean

# What is said of something that is not there, and must not be said while an answer is outstanding.
FINAL = ("not stored", "none", "gone", "no longer exists", "no longer stored", "No event", "Nothing is known", "No stage", "No plan", "There is no", "None of it")


@pytest.fixture(name="page")
def page_logged_in(site):
    """A tab, at a manager with one cluster."""
    site.manager.apply(document("shop", web=group(2)), {"kind": "ClusterTemplate", **document("std", web=group(0))})
    site.manager.post("/v1/plans", {"documents": [document("shop", web=group(4))], "why": "autumn"})
    site.ready("shop", 2)
    page = site.login()
    page.home = site.base
    return page


@pytest.mark.parametrize("path, asked, shown", [
    ("nodes/shop/web-0", ("/v1/why", "/v1/resources/"), "machine.wanted"), ("events", ("/v1/events",), "machine.wanted"), ("clusters/shop", ("/v1/events",), "job.began"),
    ("plans", ("/v1/plans",), "autumn"), ("templates", ("/v1/clustertemplates", "/v1/nodegrouptemplates"), "std"), ("revisions/shop", ("/v1/clusters/shop?view=history",), "Revisions")])
def test_what_is_still_asked_for_is_loading(site, page, path, asked, shown):
    page.call("Fetch.enable", patterns=[{"urlPattern": "*/v1/*"}])
    page.holds = asked
    site.show(page, path)
    page.until("/loading|asking/.test(document.querySelector('main').innerText)", path)
    for _ in range(600):  # the modules of the page may come before the request
        if page.held:
            break
        page.run("new Promise((done) => setTimeout(done, 50))")
    assert page.held, page.requests[-5:]
    for _ in range(5):  # whatever else comes meanwhile
        page.run("new Promise((done) => setTimeout(done, 100))")
        text = page.run("document.querySelector('main').innerText")
        assert not [words for words in FINAL if words in text], text
    page.release()
    page.shows(shown)
    page.until("!/loading|asking/.test(document.querySelector('main').innerText)")
    page.call("Fetch.disable")
    is_clean(page)
