"""Accounts and secrets: listed, made, replaced, deleted; a value is told once, to the manager, and stands nowhere else."""

import json
import os
import shlex
import subprocess

import pytest

from conftest import PICTURES, is_clean
from manager import REEVED

VALUE = "AKIA-\"x\"\\ <b>not for anybody</b>"
DIALOG = "(document.querySelector('dialog')?.innerText ?? '')"


@pytest.fixture(name="page")
def page_at_settings(site):
    """A tab of somebody who may do all, at the settings."""
    page = site.login("settings")
    page.home = site.base
    page.shows("Secrets")
    return page


def closed(page):
    """Wait until what was done is done."""
    page.until("document.querySelector('dialog') === null", "it was taken")


def names(page, plural):
    """What is listed."""
    return page.run(f"[...document.querySelectorAll('section[aria-label={plural}] tbody tr')].map((one) => one.cells[0].firstChild.textContent.trim())")


def command(site, page, **files):
    """Run the command line that a dialog shows, dry, at the same manager: it means what it says."""
    text = page.run("document.querySelector('dialog .way code').innerText")
    words = shlex.split(text)
    assert words[0] == "reeve", text
    words = [files.get("FILE", word) if word == "FILE" else word.replace("@FILE", f"@{files.get('FILE', '')}") for word in words[1:]]
    return text, subprocess.run([str(REEVED.parent / "reeve"), *words, "--dry-run"], env={**os.environ, "REEVE_URL": f"unix:{site.manager.socket}"},
                                capture_output=True, text=True, check=False, timeout=240)


def nowhere(page, value=VALUE):
    """The value is shown nowhere, is in no address, and no attribute."""
    assert value not in page.text() and value not in page.run("location.href")
    assert not page.run(f"[...document.querySelectorAll('*')].some((one) => [...one.attributes].some(({{ value }}) => value.includes({json.dumps(value)})))")
    assert not [url for url in page.requests if "AKIA" in url]


def test_a_secret_is_made_replaced_and_deleted(site, page, tmp_path):
    (tmp_path / "value").write_text(VALUE)
    page.click("Make a secret")
    page.write("dialog input[name=name]", "key of aws".replace(" ", "-"))
    page.write("dialog textarea[name=value]", VALUE)
    page.until(f"{DIALOG}.includes('reeve create secret key-of-aws @FILE')")
    text, run = command(site, page, FILE=str(tmp_path / "value"))
    assert run.returncode == 0, (text, run.stderr)
    assert 'POST /v1/secrets' in page.run(DIALOG) and '"value":"..."' in page.run(DIALOG)
    nowhere(page)
    page.click("Make the secret")
    closed(page)
    page.until("document.querySelector('section[aria-label=secrets] tbody') !== null")
    first = site.manager.get("/v1/secrets/key-of-aws").json["spec"]["digest"]
    assert names(page, "secrets") == ["key-of-aws"] and first in page.text()
    nowhere(page)
    page.click("replace the secret key-of-aws")
    assert page.run("document.querySelector('dialog textarea').value") == "", "nobody has it to show"
    assert page.run("document.querySelector('dialog input[name=name]').readOnly")
    page.write("dialog textarea[name=value]", "another one")
    page.until(f"{DIALOG}.includes('reeve set secret/key-of-aws value=@FILE')")
    text, run = command(site, page, FILE=str(tmp_path / "value"))
    assert run.returncode == 0, (text, run.stderr)
    page.click("Replace the secret")
    closed(page)
    second = site.manager.get("/v1/secrets/key-of-aws").json["spec"]["digest"]
    page.shows(second)
    assert first != second and first not in page.text()
    nowhere(page, "another one")
    page.click("end the secret key-of-aws")
    page.until(f"{DIALOG}.includes('reeve delete secret key-of-aws')")
    assert "DELETE /v1/secrets/key-of-aws" in page.run(DIALOG) and "no credential" in page.run(DIALOG)
    page.click("Delete it")
    closed(page)
    page.until("document.querySelector('section[aria-label=secrets] tbody') === null")
    assert site.manager.get("/v1/secrets/key-of-aws").status == 404
    is_clean(page)


def test_an_account_is_made_replaced_and_deleted(site, page):
    assert site.manager.post("/v1/secrets", {"name": "one", "value": VALUE}).status == 201
    page.click("Make an account")
    for name, value in (("name", "prod"), ("plugin", "sim"), ("secret", "one"), ("rate", "7")):
        page.write(f"dialog input[name={name}]", value)
    page.until(f"{DIALOG}.includes('reeve create account prod --set plugin=sim --set secret=one --set rate=7')")
    text, run = command(site, page)
    assert run.returncode == 0, (text, run.stderr)
    page.click("Make the account")
    closed(page)
    page.until("document.querySelector('section[aria-label=accounts] tbody') !== null")
    assert names(page, "accounts") == ["prod"]
    spec = site.manager.get("/v1/accounts/prod").json["spec"]
    assert {name: spec[name] for name in ("plugin", "secret", "rate")} == {"plugin": "sim", "secret": "one", "rate": 7}
    page.click("replace the account prod")
    assert page.run("[...document.querySelectorAll('dialog input')].map((one) => one.value)") == ["prod", "sim", "one", "", "7"]
    page.write("dialog input[name=rate]", "9")
    text, run = command(site, page)
    assert run.returncode == 0 and text == "reeve set account/prod rate=9", (text, run.stderr)
    assert 'PATCH /v1/accounts/prod' in page.run(DIALOG) and '{"rate":9}' in page.run(DIALOG)
    assert site.manager.patch("/v1/accounts/prod", {"rate": 8}).status == 200  # somebody else was faster
    page.click("Replace the account")
    page.until("document.querySelector('dialog .note.bad') !== null", "it is not written over")
    assert site.manager.get("/v1/accounts/prod").json["spec"]["rate"] == 8
    page.press("Escape")
    closed(page)
    site.go(page, "settings")
    page.click("replace the account prod")
    assert page.run("[...document.querySelectorAll('dialog footer button')].at(-1).disabled"), "nothing is another yet"
    page.write("dialog input[name=rate]", "9")
    page.run("(() => { const one = document.querySelector('dialog input[name=secret]'); one.focus(); one.select(); document.execCommand('delete'); })()")
    page.until(f"{DIALOG}.includes('reeve set account/prod secret=null rate=9')")
    text, run = command(site, page)
    assert run.returncode == 0, (text, run.stderr)
    page.click("Replace the account")
    closed(page)
    spec = site.manager.get("/v1/accounts/prod").json["spec"]
    assert spec["rate"] == 9 and "secret" not in spec
    page.click("end the account prod")
    page.click("Delete it")
    closed(page)
    page.until("document.querySelector('section[aria-label=accounts] tbody') === null")
    assert site.manager.get("/v1/accounts/prod").status == 404
    is_clean(page, ("409", "412"))


def test_its_dialogs_are_for_everybody(site, page, axe):
    PICTURES.mkdir(parents=True, exist_ok=True)
    assert site.manager.post("/v1/secrets", {"name": "one", "value": VALUE}).status == 201
    assert site.manager.post("/v1/accounts", {"name": "prod", "plugin": "sim", "secret": "one", "rate": 5}).status == 201
    site.go(page, "settings")
    for name, button in (("secret", "Make a secret"), ("account", "replace the account prod"), ("end", "end the secret one")):
        page.look(1280, 800, False)
        page.click(button)
        page.until("document.querySelector('dialog .way') !== null")
        said = len(page.said)
        page.run(axe)
        for dark in (False, True):
            page.look(1280, 800, dark)
            page.picture(PICTURES / f"settings-{name}-{'dark' if dark else 'light'}.png")
            found = page.run("axe.run(document, {resultTypes: ['violations']}).then((all) => all.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(' ')).join('; ')}`))")
            assert found == [], (name, dark, found)
        del page.said[said:]
        page.look(390, 800, False)
        page.until("innerWidth === 390")
        assert page.run("document.documentElement.scrollWidth") <= 390
        page.picture(PICTURES / f"settings-{name}-390.png")
        page.press("Escape")
        closed(page)
    is_clean(page)


def test_what_is_refused_is_said_and_nothing_is_lost(site, page):
    page.click("Make an account")
    page.write("dialog input[name=name]", "prod")
    page.click("Make the account")
    page.until("document.querySelector('dialog .note.bad') !== null", "it has no plugin")
    assert page.run("document.querySelector('dialog input[name=name]').value") == "prod"
    page.write("dialog input[name=plugin]", "sim")
    page.click("Make the account")
    closed(page)
    is_clean(page, ("422", "400"))


def test_a_viewer_sees_them_and_changes_none(site):
    assert site.manager.post("/v1/secrets", {"name": "one", "value": VALUE}).status == 201
    assert site.manager.post("/v1/accounts", {"name": "prod", "plugin": "sim", "secret": "one"}).status == 201
    token = site.user("eve", "viewer")
    page = site.browser.page(context=site.browser.context())
    page.home = site.base
    page.goto(site.url("settings"))
    page.write("input[name=token]", token)
    page.click("Log in")
    page.until("document.querySelector('section[aria-label=accounts] tbody') !== null && document.querySelector('section[aria-label=secrets] tbody') !== null")
    words = page.run("[...document.querySelectorAll('main button')].map((one) => one.getAttribute('aria-label') ?? one.innerText)")
    assert not [word for word in words if "account" in word or "secret" in word], words
    nowhere(page)
    is_clean(page, ("401",))
