"""Coming in, going out, and what foreign pages cannot do (SAFETY.md 7.4)."""

import json
import os
import re
import subprocess

import pytest

from conftest import document, group
from manager import REEVED, Manager


def cookie_of(site, body):
    """Log in without a browser: (cookie, proof)."""
    answer = site.manager.ask("POST", "/v1/session", body, connection=site.manager.connect(tcp=True))
    assert answer.status == 201, answer.text
    return answer.headers["Set-Cookie"].split(";")[0], answer.json["csrf"], answer.headers["Set-Cookie"]


def link_of(site):
    return {"link": site.manager.ask("POST", "/v1/links").json["link"]}


def test_a_manager_that_no_browser_reaches_says_so(tmp_path):
    manager = Manager(tmp_path)
    command = [str(REEVED), "--data", str(tmp_path / "data"), "--socket", manager.socket, "--no-control"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        manager.process = process
        manager.wait_ready()
        run = subprocess.run([str(REEVED.parent / "reeve"), "ui"], env={**os.environ, "REEVE_URL": f"unix:{manager.socket}"},
                             capture_output=True, text=True, check=False)
        assert run.returncode == 7 and "R0761" in run.stderr and "--listen-plain" in run.stderr, run.stderr
        assert manager.stop() == 0


def ask(site, method, path, body=None, **headers):
    return site.manager.ask(method, path, body, connection=site.manager.connect(tcp=True), **headers)


def test_a_link_counts_once_and_leaves_the_address(site):
    link = site.link()
    page = site.browser.page(context=site.browser.context())
    page.goto(link)
    page.shows("live")
    assert page.run("location.href") == site.url()
    secret = link.split("=")[1]
    assert not [url for url in page.requests if secret in url.split("#")[0]]
    assert page.run("document.cookie") == "", "no script sees the cookie"
    other = site.browser.page(context=site.browser.context())
    other.goto(link)
    other.shows("this link was used already")
    assert other.run("location.hash") == ""


def test_a_link_that_is_old_counts_no_more(site):
    assert ask(site, "POST", "/v1/session", {"link": "0" * 64}).code == "R0762"
    first = link_of(site)
    for _ in range(64):  # as many as are kept
        link_of(site)
    assert ask(site, "POST", "/v1/session", first).code == "R0762"


def test_a_token_opens_the_page_and_logging_out_closes_it(site):
    token = site.user("ana", "viewer")
    page = site.browser.page(context=site.browser.context())
    page.goto(site.url("fleet"))
    page.shows("By a token")
    page.write("input[name=token]", "not this one")
    page.click("Log in")
    page.shows("the token is not known")
    page.write("input[name=token]", token)
    page.click("Log in")
    page.shows("There is no machine yet.")
    page.click("log out")
    page.shows("By a token")
    site.go_was = page.goto(site.url("events"))
    page.shows("By a token")
    assert [line for line in page.said if "401" not in line] == []


@pytest.mark.parametrize("query", ["", "?noworker"])
def test_the_next_one_is_not_shown_what_the_last_one_saw(site, query):
    manager = site.manager
    manager.apply(document("hidden", web=group(3)))
    assert manager.post("/v1/tenants", {"name": "b"}).status == 201
    assert manager.post("/v1/users?tenant=b", {"name": "bob"}).status == 201
    assert manager.post("/v1/grants?tenant=b", {"user": "bob", "role": "viewer"}).status == 201
    token = manager.post("/v1/tokens?tenant=b", {"user": "bob"}).json["token"]
    context = site.browser.context()
    page, other = (site.browser.page(context=context) for _ in range(2))
    page.goto(site.url(query + "#" + site.link().split("#")[1]))
    page.shows("hidden")
    other.goto(site.url("fleet" + query))
    other.until("document.querySelector('.sum b')?.innerText === '3'")
    page.click("log out")
    page.write("input[name=token]", token)
    page.click("Log in")
    page.shows("There is no cluster yet.")
    assert "hidden" not in page.text()
    if not query:  # the other tab has the same cookie
        other.until("!document.body.innerText.includes('machines')")
    page.goto(site.url("clusters/hidden" + query))
    page.shows("There is no cluster hidden.")
    page.goto(site.url("#" + site.link().split("#")[1]))  # and back: the page is loaded already
    page.shows("live")
    page.until("document.body.innerText.includes('3 / 3')")


def test_the_cookie_is_for_this_page_alone(site):
    cookie, _, header = cookie_of(site, link_of(site))
    assert "HttpOnly" in header and "SameSite=Strict" in header and "Path=/" in header
    secret = cookie.split("=")[1]
    assert ask(site, "GET", "/v1/clusters", Authorization=f"Bearer {secret}").status == 401, "no token for programs"
    assert ask(site, "GET", "/v1/clusters", Cookie=cookie).status == 200
    assert ask(site, "GET", "/v1/clusters", Cookie=f"other=1; {cookie}; last=2").status == 200
    token = site.user("ana", "viewer")
    name = cookie.split("=")[0]
    assert ask(site, "GET", "/v1/clusters", Cookie=f"{name}={token}").status == 401, "nor is a program's token a session"


def test_a_session_ends_with_its_token_and_outlives_the_manager(site):
    token = site.user("ana", "operator")
    cookie, _, _ = cookie_of(site, {"token": token})
    site.manager.kill()
    site.manager.start()
    assert ask(site, "GET", "/v1/clusters", Cookie=cookie).status == 200
    number = [one for one in site.manager.get("/v1/tokens").json["items"] if one["spec"].get("use") != "page"][0]
    assert site.manager.ask("DELETE", f"/v1/tokens/{number['metadata']['id']}").status == 200
    assert ask(site, "GET", "/v1/clusters", Cookie=cookie).status == 401


def test_a_session_that_a_session_made_ends_with_it(site):
    """Else whoever has one for a minute has one for ever."""
    first, proof, _ = cookie_of(site, link_of(site))
    changes = {"Cookie": first, "Origin": site.base, "Reeve_Csrf": proof}
    second, _, _ = cookie_of(site, {"link": ask(site, "POST", "/v1/links", **changes).json["link"]})
    assert ask(site, "GET", "/v1/clusters", Cookie=second).status == 200
    assert ask(site, "DELETE", "/v1/session", **changes).status == 200
    assert ask(site, "GET", "/v1/clusters", Cookie=first).status == 401
    assert ask(site, "GET", "/v1/clusters", Cookie=second).status == 401


@pytest.mark.parametrize("headers,code", [
    ({}, 403),
    ({"Reeve_Csrf": "PROOF"}, 403),
    ({"Origin": "OWN"}, 403),
    ({"Origin": "OWN", "Reeve_Csrf": "0" * 32}, 403),
    ({"Origin": "http://evil.example", "Reeve_Csrf": "PROOF"}, 403),
    ({"Origin": "null", "Reeve_Csrf": "PROOF"}, 403),
    ({"Origin": "https://OWN-HOST", "Reeve_Csrf": "PROOF"}, 403),
    ({"Origin": "http://127.0.0.1:1", "Reeve_Csrf": "PROOF"}, 403),
    ({"Origin": "OWN", "Reeve_Csrf": "PROOF"}, 200),
])
def test_a_foreign_page_changes_nothing(site, headers, code):
    site.manager.apply(document("shop", web=group(1)))
    cookie, proof, _ = cookie_of(site, link_of(site))
    host = f"127.0.0.1:{site.manager.port}"
    known = {"PROOF": proof, "OWN": f"http://{host}", "https://OWN-HOST": f"https://{host}"}
    sent = {name: known.get(value, value) for name, value in headers.items()}
    answer = ask(site, "POST", "/v1/clusters/shop/say", {"command": "pause"}, Cookie=cookie, **sent)
    assert answer.status == code, answer.text
    assert code == 200 or answer.code == "R0760"


def test_every_way_of_change_is_kept_from_foreign_pages(site):
    site.manager.apply(document("shop", web=group(1)))
    cookie, _, _ = cookie_of(site, link_of(site))
    tried = 0
    for path, operations in site.manager.get("/openapi.json").json["paths"].items():
        for method in operations:
            if method in ("get", "head") or (method, path) in (("post", "/v1/session"), ("post", "/n/{name}/phone-home"), ("post", "/netboot/report")):
                continue  # no cookie counts there: a login, the token of a boot report, and machines without a login
            target = path.replace("{kinds}", "clusters").replace("{name}", "shop")
            answer = ask(site, method.upper(), target, Cookie=cookie, Origin="http://evil.example")
            assert answer.status == 403 and answer.code == "R0760", (method, path, answer.text)
            tried += 1
    assert tried > 20


def test_nobody_is_logged_in_by_a_foreign_page(site):
    assert ask(site, "POST", "/v1/session", link_of(site), Origin="http://evil.example").code == "R0760"
    assert ask(site, "POST", "/v1/session", json.dumps(link_of(site)), Content_Type="text/plain").status == 415


def test_what_the_page_may_is_said_with_every_file(site):
    home = ask(site, "GET", "/ui/")
    policy = home.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
    assert home.headers["Cache-Control"] == "no-cache"
    assert home.headers["X-Content-Type-Options"] == "nosniff"
    import gzip
    text = gzip.decompress(home.bytes).decode()
    assert not re.search(r"<script(?![^>]*src=)|\son\w+=|style=", text), "nothing stands inline"
    files = re.findall(r'(?:href|src)="([^"]+)"', text)
    assert len(files) > 20 and all(re.match(r"/ui/[0-9a-f]{16}/", one) for one in files)
    for one in files:
        answer = ask(site, "GET", one)
        assert answer.status == 200 and "immutable" in answer.headers["Cache-Control"], one
        assert ask(site, "GET", one, If_None_Match=answer.headers["ETag"]).status == 304
    assert ask(site, "GET", "/ui/0123456789abcdef/main.js").status == 404


def test_who_may_only_look_sees_no_button_that_would_be_refused(site):
    site.manager.apply(document("shop", web=group(2)))
    site.ready("shop")
    site.manager.post("/v1/clusters/shop/say", {"command": "pause"})
    token = site.user("ana", "viewer")
    page = site.browser.page(context=site.browser.context())
    page.goto(site.url("clusters/shop"))
    page.write("input[name=token]", token)
    page.click("Log in")
    page.shows("2 of 2 ready".split()[0])
    page.shows("paused")
    words = page.run("[...document.querySelectorAll('main button')].map((one) => one.innerText).join(' ')")
    assert not re.search("Scale|Pause|Resume|Approve|Reject", words), words
    page.press("s")
    page.press("P")
    assert page.run("document.querySelector('dialog')") is None
    cookie, proof, _ = cookie_of(site, {"token": token})
    answer = ask(site, "POST", "/v1/clusters/shop/say", {"command": "resume"}, Cookie=cookie, Origin=site.base, Reeve_Csrf=proof)
    assert answer.status == 403 and answer.code == "R0409", "and if it was there it would be refused"
