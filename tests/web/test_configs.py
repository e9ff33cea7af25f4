"""Configurations: the groups that use each revision, the files in which two revisions differ, and the verdict of a node."""

import json
import os
import shutil
import subprocess

from conftest import PICTURES, ROOT, document, group, is_clean

ROWS = "[...document.querySelectorAll('section[aria-label=%s] tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText.trim()))"
FILES = "[...document.querySelectorAll('section[aria-label=difference] li')].map((one) => one.innerText.replace(/\\s+/g, ' ').trim())"


def push(site, folder, name):
    """Push a folder by the command line. The revision."""
    reeve = os.environ.get("REEVE_BIN", str(ROOT / "build/reeve"))
    done = subprocess.run([reeve, "config", "push", str(folder), "--name", name, "-o", "json"], capture_output=True, text=True, check=False, timeout=60,
                          env={**os.environ, "HOME": str(folder.parent), "REEVE_URL": f"unix:{site.manager.socket}"})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["revision"]


def test_revisions_are_shown_with_their_difference(site, tmp_path):
    page = site.login("configs")
    page.home = site.base
    page.shows("No configuration was pushed yet.")
    folder = tmp_path / "web"
    shutil.copytree(ROOT / "examples/configuration", folder)
    assert push(site, folder, "web") == "web@r1"
    (folder / "notes.txt").write_text("<b>new</b>\n")
    assert push(site, folder, "web") == "web@r2"
    site.manager.apply(document("shop", web={**group(2), "configuration": "web@r1"}), document("lab", one={**group(1), "configuration": "web@r2"}))

    site.show(page, "revisions")
    page.until(f"({ROWS % 'Configurations'})[0]?.[0] === 'web'")
    (row,) = page.run(ROWS % "Configurations")
    assert row[:4] == ["web", "web@r2", "2", "2"], row
    page.run("document.querySelector('section[aria-label=Configurations] a.name').click()")
    page.until(f"({FILES}).length === 1")
    assert page.run(FILES) == ["+added notes.txt"] or page.run(FILES) == ["+ added notes.txt"], page.run(FILES)
    found = page.run(ROWS % "revisions")
    assert [(one[0], one[5]) for one in found] == [("web@r2", "lab/one"), ("web@r1", "shop/web")], found
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.picture(PICTURES / "configuration.png")
    page.click("show web@r1")
    page.until("document.querySelector('section[aria-label=difference] h2').innerText.includes('web@r1, the first')")
    page.look(400, 800, False)
    page.until("document.documentElement.scrollWidth <= 400", "nothing is wider than a phone")
    is_clean(page)


def test_a_group_is_upgraded_to_another_revision(site, tmp_path):
    """The newest revision is offered, another one can be chosen; the plan is shown and consented to. A viewer has no such button."""
    folder = tmp_path / "web"
    shutil.copytree(ROOT / "examples/configuration", folder)
    push(site, folder, "web")
    (folder / "notes.txt").write_text("new\n")
    push(site, folder, "web")
    site.manager.apply(document("shop", web={**group(2), "configuration": "web@r1"}, plain=group(1)))
    page = site.login()
    page.home = site.base
    site.go(page, "groups/shop/plain")
    page.until("[...document.querySelectorAll('.head .button')].some((one) => one.innerText === 'Scale')")
    assert not page.run("[...document.querySelectorAll('.head .button')].some((one) => one.innerText === 'Upgrade')")
    site.go(page, "groups/shop/web")
    page.click("Upgrade")
    page.until("document.querySelector('dialog .way code')?.innerText.includes('reeve upgrade shop/web --config web@r2')", "the newest is offered")
    options = page.run("[...document.querySelectorAll('dialog select[name=revision] option')].map((one) => one.innerText)")
    assert options == ["web@r2, the newest", "web@r1, as it is"], options
    # limits of this upgrade alone; a value that is none is not sent
    page.run("document.querySelector('dialog details summary').click()")
    page.write("dialog input[name=batch]", "half")
    page.until("document.querySelector('dialog .way') === null")
    for field, value in (("batch", "50%"), ("canary", "1"), ("bake", "1m30s"), ("max-fail", "1"), ("pause-between", "10s")):
        page.write(f"dialog input[name={field}]", value)
    page.until("document.querySelector('dialog .way code')?.innerText === 'reeve upgrade shop/web --config web@r2 --batch 50% --canary 1 --bake 1m30s --max-fail 1 --pause-between 10s'")
    asked = page.run("decodeURIComponent([...document.querySelectorAll('dialog .way code')].at(-1).innerText.split('\\n')[0])")
    assert 'batching={"batch":"50%","canary":1,"bakeMs":90000,"maxFail":"1","pauseMs":10000}' in asked, asked
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.picture(PICTURES / "upgrade.png")
    page.run("document.querySelector('dialog select[name=onFail]').value = 'revert', document.querySelector('dialog select[name=onFail]').dispatchEvent(new Event('change', { bubbles: true }))")
    page.until("document.querySelector('dialog .way code')?.innerText.includes(' --on-fail revert ')")
    page.until("[...document.querySelectorAll('dialog footer .button')].some((one) => one.innerText === 'Upgrade to web@r2' && !one.disabled)")
    is_clean(page)
    page.click("Upgrade to web@r2")
    page.until("document.querySelector('dialog') === null", "it was accepted")
    assert site.manager.get("/v1/nodegroups/shop/web").json["spec"]["configuration"] == "web@r2"
    page.press("u")
    page.until("document.querySelector('dialog')?.innerText.includes('The group has this revision already.')", "the key u")


def test_a_node_shows_what_it_has_of_its_configuration(site, tmp_path):
    """The verdict as the manager tells it, with the files that differ, and what asks again or corrects."""
    folder = tmp_path / "web"
    shutil.copytree(ROOT / "examples/configuration", folder)
    push(site, folder, "web")
    site.manager.apply(document("shop", web={**group(1), "roles": ["app", "batch"]}))
    site.ready("shop")
    token = site.manager.get("/v1/resources?cluster=shop").json["items"][0]["metadata"]["id"]
    node = site.manager.get(f"/v1/resources/{token}?cluster=shop").json
    node["status"]["node"] = {"step": "bootstrapped", "verified": {
        "verdict": "drifted", "files": ["/srv/web/app.conf: content", "/srv/web/<b>new</b>: added"], "at": 1795643400000, "since": 1795643300000, "level": "checksums",
        "baseline": "ab" * 32, "uncorrected": True}}
    page = site.login()
    page.home = site.base
    page.call("Fetch.enable", patterns=[{"urlPattern": "*/v1/resources/*"}])
    page.replies = {f"/v1/resources/{token}?cluster=shop": json.dumps(node)}
    site.go(page, "nodes/shop/web-0?noworker")
    page.until("document.querySelector('section[aria-label=configuration]') !== null")
    text = page.run("document.querySelector('section[aria-label=configuration]').innerText")
    assert "drifted" in text and "/srv/web/app.conf: content" in text and "<b>new</b>: added" in text and "A correction did not help" in text and "abababababab" in text, text
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.picture(PICTURES / "node-drifted.png")
    page.click("Correct")
    page.until("document.querySelector('dialog .way code')?.innerText === 'reeve verify shop/web-0 --fix'")
    page.press("Escape")
    page.until("document.querySelector('dialog') === null")
    page.press("v")
    page.until("document.querySelector('dialog .way code')?.innerText === 'reeve verify shop/web-0'")
    page.press("Escape")
    page.until("document.querySelector('dialog') === null")
    page.press("d")
    page.until("document.querySelector('dialog .way code')?.innerText === 'reeve drain shop/web-0'")
    page.press("Escape")
    assert page.run("[...document.querySelectorAll('section[aria-label=record] .chip')].map((one) => one.innerText)") == ["app", "batch"]
    page.call("Fetch.disable")
    is_clean(page, ("404",))  # facts of a node that has none
