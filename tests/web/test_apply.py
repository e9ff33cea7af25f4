"""Files, plans and dialogs: what is wrong is told where it is wrong; nothing is lost without the words that the command line asks for."""

import json
import re
import subprocess

import pytest

from conftest import document, group, is_clean
from manager import REEVED, until

FAULTS = "[...document.querySelectorAll('.fault')].map((one) => one.innerText.replace(/\\s+/g, ' '))"
DEED = "[...document.querySelectorAll('.apply-plan .button, dialog footer .button, .plan-do .button')].filter((one) => one.classList.contains('main') || one.classList.contains('danger')).at(-1)"
FILE = 'name: shop\nversion: "1"\ngroups:\n  web:\n    size: 6\n    resourcePlugin: {name: sim}\n  db:\n    size: 2\n    resourcePlugin: {name: sim}\n'


@pytest.fixture(name="page")
def page_logged_in(site):
    """A tab of somebody who may do all, at a manager with two clusters."""
    site.manager.apply(document("shop", web=group(6), db=group(2)), document("blog", web=group(1)))
    site.ready("shop")
    page = site.login()
    page.home = site.base
    return page


def told(site, text):
    """What the manager says of a file."""
    return site.manager.ask("POST", "/v1/apply?dry-run=1", text.encode(), Content_Type="application/yaml").json["errors"]


def test_slips_are_marked_before_the_manager_is_asked(site, page):
    """The page's own marks, without any answer."""
    site.go(page, "apply")
    found = page.run("""(async () => {
        const { yamlSlips, yamlWrite } = await import(document.querySelector('script[type=module]').src.replace('main.js', 'data/yaml.js'));
        globalThis.yamlWrite = yamlWrite;
        const cases = ['a: 1\\n\\tb: 2', 'a: "x\\nb: 2', 'a: 1\\nb: 2\\na: 3', 'size:3', 'a:\\n  - x: 1\\n    x: 2\\n  - x: 3', 'a: {b: [1,\\n  2]}\\nc: 1',
          'a: |\\n  b: 1\\n  b: 2\\n\\tc\\nd: 1', 'u: http://a.b/c:3\\nv: it is \\'so\\'', 'a: 1\\n---\\na: 2', 'a: "x # y" # z\\nb: 1', 'a:\\n  b: 1\\nc:\\n  b: 1'];
        return cases.map((text) => yamlSlips(text).map(({ line, column, length }) => [line, column, length].join(':')).join(' '));
    })()""")
    assert found == ["2:1:1", "1:4:2", "3:1:1", "1:6:1", "3:5:1", "", "", "", "", "", ""], found
    objects = [{"name": "shop", "a": {"b": [1, {"c": "yes", "d": []}, [2, "x y"]], "e": {}}, "f": "1", "g": "a: b", "h": None, "i": "-", "j": True, "k": " x", "l": "line\nline", "m": "é"}]
    for one in objects:
        text = page.run(f"yamlWrite({json.dumps(one)})")
        answer = site.manager.ask("POST", "/v1/apply?dry-run=1", text.encode(), Content_Type="application/yaml")
        assert not [error for error in answer.json["errors"] if error["code"].startswith("R01")], (text, answer.text)


def test_what_is_odd_and_no_mistake_stands_above_the_plan(site, page):
    text = FILE.replace("name: shop", "name: new").replace(
        "size: 2\n    resourcePlugin: {name: sim}", "size: 2\n    resourcePlugin: {name: sin}\n    volumes: [{name: data, size: 1}]")
    site.go(page, "apply")
    page.write("textarea", text)
    page.until(f"{FAULTS}.some((one) => one.includes('R0801'))")  # nobody knows it
    named = site.manager.ask("POST", "/v1/apply?allow-missing-plugin=1", text.replace("size: 2", "size: 1").encode(), Content_Type="application/yaml")
    assert named.status == 200, named.text
    page.write("textarea", text + "\n")
    page.until("document.querySelector('.apply-plan .note')?.innerText.includes(\"line 9: this manager has no plugin 'sin'\")")
    assert "did you mean 'sim'?" in page.run("document.querySelector('.apply-plan .note').innerText")
    assert page.run(FAULTS) == []
    assert "volumes: create 1 db-1-data" in page.run("document.querySelector('.apply-plan').innerText.replace(/\\s+/g, ' ')")
    assert site.manager.ask("DELETE", "/v1/clusters/new?allow=destroy:9", If_Match="*").status == 200


def test_every_mistake_of_the_manager_is_shown_with_its_code_and_place(site, page):
    site.go(page, "apply")
    text = FILE.replace("size: 6", "size: 6\n    labels: {\U0001f4a5: a, b: [x]}").replace("size: 2", "sise: 2")
    page.write("textarea", text)
    errors = told(site, text)
    assert len(errors) >= 2
    page.until(f"{FAULTS}.length === {len(errors)} && {FAULTS}.every((one) => /R0[0-9]+/.test(one))")
    shown = page.run(FAULTS)
    for error in errors:
        assert [one for one in shown if one.startswith(f"{error['line']}:{error['column']} error[{error['code']}]: {error['text']}")], (error, shown)
    ordered = sorted(errors, key=lambda one: (one["line"], one["column"]))
    second = next(one for one in ordered if "\U0001f4a5: " in text.split("\n")[one["line"] - 1][:one["column"]])
    page.run(f"document.querySelectorAll('.fault .link')[{ordered.index(second)}].click()")
    place = page.run("[document.querySelector('textarea').selectionStart, document.querySelector('textarea').selectionEnd]")
    before = sum(len(line) + 1 for line in text.split("\n")[:second["line"] - 1]) + second["column"] - 1  # in code points; the browser counts otherwise
    start, end = (len(text[:at].encode("utf-16-le")) // 2 for at in (before, before + second["length"]))
    assert place == [start, end] and place[0] > before, "behind a sign that counts twice"
    is_clean(page, ("422",))


def test_what_is_destroyed_is_shown_first_and_its_count_is_typed(site, page):
    site.go(page, "apply")
    page.write("textarea", FILE.replace("size: 6", "size: 3").replace("db:\n    size: 2", "db:\n    size: 5").replace("web:", "web:\n    labels: {a: b}"))
    page.until(f"{FAULTS}.length === 0")
    page.shows("web-[3-5]")
    text = page.text()
    assert text.index("web-[3-5]") < text.index("db-[2-4]")
    page.press("Enter", 2)
    page.shows("kept for a day")
    assert re.match(r"Destroy 3 nodes, change \d+, create 3$", page.run(f"{DEED}.innerText")) and page.run(f"{DEED}.disabled")
    assert re.search(r"reeve apply plan/\w+ --allow destroy=3", page.text()) and '{"allow":{"destroy":3}}' in page.text()
    for words, is_off in (("yes", True), ("destroy 2", True), ("destroy 3", False)):
        page.write("input[name=consent]", words)
        page.until(f"{DEED}.disabled === {json.dumps(is_off)}")
    page.run(f"{DEED}.click()")
    page.until("location.pathname === '/ui/clusters/shop'")
    site.ready("shop", 8)
    assert site.manager.get("/v1/nodegroups/shop/web").json["spec"]["size"] == 3
    is_clean(page, ("422",))


def test_a_plan_that_has_moved_is_said_and_refused(site, page):
    plan = site.manager.post("/v1/plans", {"documents": [document("shop", web=group(9), db=group(2))], "why": "autumn"}).json["id"]
    site.go(page, "plans")
    page.click(plan, "a")
    page.shows("create web-[6-8]")
    assert "The objects of this plan" not in page.text()
    site.manager.patch("/v1/clusters/shop", {"labels": {"a": "b"}})
    page.shows("The objects of this plan have changed.")
    page.click("Create 3 nodes")
    page.shows("R0408")
    assert site.manager.get("/v1/nodegroups/shop/web").json["spec"]["size"] == 6
    site.go(page, "apply")
    page.write("textarea", FILE.replace("size: 6", "size: 7"))
    page.shows("create web-6")
    page.press("Enter", 2)
    page.shows("kept for a day")
    site.manager.patch("/v1/clusters/shop", {"labels": {"a": "c"}})
    page.run(f"{DEED}.click()")
    page.shows("R0408")
    page.click("Plan again")
    page.until(f"!document.body.innerText.includes('R0408') && {DEED} && !{DEED}.disabled")
    page.run(f"{DEED}.click()")
    page.until("location.pathname === '/ui/clusters/shop'")
    site.ready("shop", 9)
    is_clean(page, ("409", "422"))


def test_a_cluster_is_edited_and_what_others_set_is_kept(site, page):
    site.go(page, "apply?cluster=shop")
    page.until("document.querySelector('textarea').value.includes('resourcePlugin')")
    page.shows("Nothing differs")
    file = page.run("document.querySelector('textarea').value")
    page.write("textarea", file.replace("size: 6", "size: 7"))
    page.shows("create web-6")
    page.press("Enter", 2)
    page.shows("kept for a day")
    page.run(f"{DEED}.click()")
    site.ready("shop", 9)
    site.manager.patch("/v1/nodegroups/shop/web", {"size": 8})
    site.go(page, "apply")
    page.write("textarea", file.replace("size: 6", "size: 7").replace("size: 2", "size: 3"))
    page.shows("Kept: values that others have changed")
    page.shows("groups.web.size stays 8")
    page.click("use the value of the file")
    page.shows("destroy web-7")
    assert "--take groups.web.size" in page.text() and "take=groups.web.size" in page.text()
    is_clean(page, ("422",))


def test_deleting_takes_the_name_and_says_what_goes(site, page):
    assert site.manager.post("/v1/clusters/shop/say", {"command": "pause", "why": "not before noon"}).status == 200
    site.go(page, "clusters/shop")
    page.click("Delete")
    page.until("document.querySelector('dialog input[name=consent]') !== null")
    shown = page.run("document.querySelector('dialog').innerText")
    assert "reeve delete cluster shop --allow destroy=8" in shown and "DELETE /v1/clusters/shop?allow=destroy:8,lift:1" in shown and "web" in shown and "db" in shown, shown
    assert "This lifts a pause." in shown and "not before noon" in shown
    page.write("dialog input[name=consent]", "shopp")
    assert page.run(f"{DEED}.disabled")
    page.write("dialog input[name=consent]", "shop")
    page.until(f"!{DEED}.disabled")
    page.run(f"{DEED}.click()")
    page.until("location.pathname === '/ui/'")
    page.until("!document.body.innerText.includes('shop')")
    assert site.manager.get("/v1/clusters/shop").status == 404
    is_clean(page)


def test_labels_revisions_and_going_back(site, page):
    site.go(page, "clusters/shop")
    page.click("Label")
    page.write("dialog input[name=key]", "tier")
    page.write("dialog input[name=value]", "gold rush")
    page.until("(document.querySelector('dialog')?.innerText ?? '').includes(\"reeve set shop 'labels.tier=gold rush'\")")
    page.click("Set it")
    page.until("document.querySelector('dialog') === null")
    page.shows("tier=gold rush")
    page.click("History", "a")
    page.until("[...document.querySelectorAll('.diff .is-more')].some((one) => one.innerText.includes('tier: gold rush'))")
    assert page.run("[...document.querySelectorAll('.diff .is-less')].length") == 0
    site.manager.patch("/v1/clusters/shop", {"labels": {"later": "too"}})
    first = site.manager.get("/v1/clusters/shop?view=history").json["items"][-1]["revision"]
    page.click(f"back to revision {first}")
    page.until(f"(document.querySelector('dialog')?.innerText ?? '').includes('reeve undo cluster shop --to {first}')")
    page.until(f"{DEED} && !{DEED}.disabled")
    page.run(f"{DEED}.click()")
    page.until("document.querySelector('dialog') === null")
    assert "labels" not in site.manager.get("/v1/clusters/shop").json["metadata"]
    is_clean(page)


def test_a_rollout_is_paused_resumed_aborted_and_undone(site, page):
    slow = {"rollout": {"canary": 1, "bake": "100h"}}
    site.manager.apply(document("roll", web=group(6, image="a", **slow)))
    site.ready("roll")
    answer = site.manager.post("/v1/apply?allow=replace:6", {"documents": [document("roll", web=group(6, image="b", **slow))]})
    assert answer.status == 200, answer.text
    site.go(page, "groups/roll/web")
    for word in ("pause", "resume", "abort"):
        page.click(f"{word} the rollout")
        page.until(f"(document.querySelector('dialog')?.innerText ?? '').includes('reeve rollout {word} roll/web')")
        page.click(f"{word.capitalize()} the rollout of roll/web")
        page.until("document.querySelector('dialog') === null")
    page.click("undo the rollout")
    page.until("(document.querySelector('dialog')?.innerText ?? '').includes('reeve undo roll/web')")
    page.until("document.querySelector('dialog input[name=consent]') !== null")
    page.write("dialog input[name=consent]", page.run("/Type \"([^\"]+)\"/.exec(document.querySelector('dialog').innerText)[1]"))
    page.until(f"!{DEED}.disabled")
    page.run(f"{DEED}.click()")
    page.until("document.querySelector('dialog') === null")
    assert site.manager.get("/v1/nodegroups/roll/web").json["spec"]["image"] == "a"
    is_clean(page, ("409",))


def test_a_file_takes_the_place_of_a_rollout_for_who_says_so(site, page):
    slow = {"rollout": {"canary": 1, "bake": "100h"}}
    site.manager.apply(document("roll", web=group(3, image="a", **slow)))
    site.ready("roll")
    answer = site.manager.post("/v1/apply?allow=replace:3", {"documents": [document("roll", web=group(3, image="b", **slow))]})
    assert answer.status == 200, answer.text
    newer = json.dumps(document("roll", web=group(3, image="c", **slow)))
    until(lambda: '"supersedes":' in site.manager.ask("POST", "/v1/apply?dry-run=1", newer.encode(), Content_Type="application/yaml").text)
    plan = site.manager.post("/v1/plans", {"documents": [json.loads(newer)]}).json["id"]
    for path in ("apply", f"plans/{plan}"):
        site.go(page, path)
        if path == "apply":
            page.write("textarea", newer)
            page.shows("supersedes a rollout")
            page.press("Enter", 2)
        page.shows("A rollout of roll/web is under way.")
        assert re.search(r"reeve apply plan/\w+ --supersede --allow replace=3", page.text()) and '"supersede":true' in page.text()
        page.write("input[name=consent]", "replace 3")
        page.until("document.querySelector('input[name=consent]').value === 'replace 3'")
        assert page.run(f"{DEED}.disabled")
        page.run("document.querySelector('input[name=supersede]').click()")
        page.until(f"!{DEED}.disabled")
    page.run(f"{DEED}.click()")
    page.until("location.pathname === '/ui/clusters/roll'")
    assert site.manager.get("/v1/nodegroups/roll/web").json["spec"]["image"] == "c"
    is_clean(page, ("422",))


def test_a_reload_loses_nothing_of_what_is_written(site, page):
    """Nor does another page in between; and it is the writer's alone: it goes when he logs out."""
    text = "name: half\nversion: \"1\"\ngroups:\n  web:\n    size: 3   # written an hour ago\n"
    site.go(page, "apply")
    page.write("textarea", text)
    page.write("input[name=why]", "the autumn sale")
    for _ in range(2):
        page.call("Page.reload")
        page.run("new Promise((done) => setTimeout(done, 100))")
        page.until(f"document.querySelector('textarea')?.value === {json.dumps(text)}", "F5 loses nothing")
        assert page.run("document.querySelector('input[name=why]').value") == "the autumn sale"
    page.click("log out")
    page.until("document.querySelector('textarea') === null")
    page.goto(site.link())
    page.shows("live")
    site.go(page, "apply")
    page.until("document.querySelector('textarea')?.value.includes('my-cluster')")
    is_clean(page)


def test_a_plugin_that_is_not_here_is_taken_by_who_agrees(site, page):
    site.go(page, "apply")
    page.write("textarea", "name: later\nversion: \"1\"\ngroups:\n  web:\n    size: 1\n    resourcePlugin: {name: nowhere}\n")
    page.until("[...document.querySelectorAll('.fault b')].some((one) => one.innerText.includes('R0801'))")
    assert page.run("[...document.querySelectorAll('.apply-plan button.main')].every((one) => one.disabled)")
    page.run("document.querySelector('input[name=missing]').click()")
    page.shows("create web-0")
    page.shows("reeve apply -f FILE --allow-missing-plugin")
    page.click("Plan Ctrl ⏎")
    page.shows("kept for a day")
    page.click("Create 1 node")
    page.until("location.pathname === '/ui/clusters/later'")
    is_clean(page, ("422",))


def test_stages_that_are_not_idempotent_run_again_by_who_agrees(site, page):
    """As the manager tells it of a plan: which and where, and what has to be typed."""
    place = {"atOnce": 1, "bakeMs": 0, "batch": 1, "batches": 3, "bound": "batch", "canary": 1, "class": "in place", "members": 3, "rerun": 3, "rerunOn": "web-0", "rerunStages": "stage-0 licence"}
    told = {"changed": True, "kept": [], "id": "2076e02c", "needs": {"destroy": 0, "lift": 0, "reboot": 0, "rename": 0, "replace": 0, "rerun": 3, "supersede": 0}, "objects": [], "revision": 34,
            "plan": [{"change": "change", "changes": [], "kind": "Cluster", "name": "shop", "nodes": 3, "sums": {"change": 3, "create": 0, "destroy": 0, "replace": 0},
                      "groups": [{"change": "change", "changes": [], "inPlace": place, "members": "web-[0-2]", "path": "web", "size": 3}]}], "sums": {"change": 3, "create": 0, "destroy": 0, "replace": 0}}
    page.call("Fetch.enable", patterns=[{"urlPattern": "*/v1/apply*"}, {"urlPattern": "*/v1/plans*"}])
    page.replies = {"/v1/apply?dry-run=1": json.dumps(told), "/v1/plans": json.dumps(told)}
    site.show(page, "apply")
    page.shows("runs again stage-0 licence on web-0 and 2 more")
    page.click("Plan Ctrl ⏎")
    page.shows("This runs stages again that are not idempotent.")
    page.shows('Type "rerun 3" to agree')
    assert "--allow rerun=3" in page.text() and '{"allow":{"rerun":3}}' in page.text()
    assert page.run(f"{DEED}.disabled")
    page.write("input[name=consent]", "rerun 3")
    page.until(f"!{DEED}.disabled")
    page.call("Fetch.disable")
    is_clean(page)


def test_a_job_is_cancelled_and_goes_on(site, page):
    site.manager.apply(document("slow", late=group(3, boot=3600000)))
    until(lambda: site.manager.get("/v1/jobs?cluster=slow").json["items"], lambda: site.manager.log.read_text())
    job = site.manager.get("/v1/jobs?cluster=slow").json["items"][0]["metadata"]["name"]
    site.go(page, f"jobs/{job}")
    page.shows("Cancel")
    page.press("c")
    page.until(f"(document.querySelector('dialog')?.innerText ?? '').includes('reeve pause ')")
    page.click(f"Cancel job {job}")
    page.shows("the cluster or group is paused")
    page.click("Resume")
    page.click(f"Resume job {job}")
    page.until("document.querySelector('dialog') === null && !document.body.innerText.includes('the cluster or group is paused')")
    assert [one["status"]["rule"] for one in site.manager.get("/v1/holds?cluster=slow").json["items"]] == []
    is_clean(page)


OF_BATCHES = {"kind": "Job", "metadata": {"cluster": "shop", "name": "912", "revision": 912}, "status": {
    "verb": "bootstrap", "state": "running", "begun": "1970-01-01T00:00:01.000Z", "by": "ann", "why": "the mirror was stale", "groups": [], "problems": [], "waits": ["web is paused"],
    "batch": {"canary": False, "count": 24, "number": 3, "size": 5},
    "machines": {"wanted": 120, "ready": 24, "failed": 1, "staging": 5, "waiting": 90, "skipped": 0, "gone": 0, "creating": 0, "leaving": 0, "old": 0}}}


def test_a_job_of_batches_says_how_far_it_is_and_is_reported_by_its_number(site, page):
    """Of one that runs stages again: batch and counts where jobs are shown, no groups that are replaced, and words that leave its cluster alone."""
    site.go(page, "jobs")
    page.shows("The desired state is reached.")  # the next word of a real job would take the place of the one below
    site.show(page, "jobs/912")
    page.shows("There is no job 912.")
    page.run(f"""(async () => {{
        const {{ jobs }} = await import(document.querySelector('script[type=module]').src.replace('main.js', 'data/store.js'));
        globalThis.told = [];
        globalThis.jobsPut = (status) => {{ jobs.value = [{{ ...{json.dumps(OF_BATCHES)}, status: {{ ...{json.dumps(OF_BATCHES["status"])}, ...status }} }}]; }};
        const real = globalThis.fetch;
        globalThis.fetch = (url, options) => String(url).endsWith('/say')
            ? (told.push([String(url), JSON.parse(options.body)]), Promise.resolve(new Response('{{"revision":9}}', {{ headers: {{ "Content-Type": "application/json" }} }})))
            : real(url, options);
        jobsPut({{}});
    }})()""")
    page.shows("bootstrap, batch 3 of 24: 24 of 120 run again, 1 failed, 5 in progress, 90 waiting")
    page.shows("web is paused")
    assert "To replace" not in page.run("document.body.innerText") and page.run("document.querySelector('canvas')") is None
    for key, word, state in (("P", "Pause", "paused"), ("r", "Resume", "resting"), ("c", "Cancel", "stopping")):
        page.press(key)
        page.until(f"(document.querySelector('dialog')?.innerText ?? '').includes('reeve job {word.lower()} 912')")
        page.click(f"{word} job 912")
        page.until("document.querySelector('dialog') === null")
        page.run(f"jobsPut({{ state: {json.dumps(state)}, until: 1795442590000 }})")
    assert page.run("told") == [["/v1/clusters/shop/say", {"job": "912", "command": f"job-{word}"}] for word in ("pause", "resume", "cancel")]
    page.until("![...document.querySelectorAll('.head .button')].some((one) => /Cancel|Pause|Resume/.test(one.innerText))", "nothing more can be said of it")
    page.run("jobsPut({ state: 'damaged', batch: undefined, machines: { wanted: 0, ready: 0 } })")
    page.shows("bootstrap, of unknown machines")
    page.until("[...document.querySelectorAll('.head .button')].map((one) => one.innerText).filter((word) => /Cancel|Pause|Resume/.test(word)).join() === 'Cancel'")
    page.run("jobsPut({ state: 'stopped', ended: 2000, cut: 'cancelled', machines: { wanted: 120, ready: 24, failed: 0, skipped: 96 } })")
    page.shows("bootstrap: 24 of 120 run again, 96 not started; the job was cancelled")
    is_clean(page)


def test_a_viewer_is_offered_nothing_that_would_be_refused(site, page):
    token = site.user("eve", "viewer")
    site.manager.post("/v1/plans", {"documents": [document("shop", web=group(4), db=group(2))]})
    plan = site.manager.get("/v1/plans").json["items"][0]["id"]
    other = site.browser.page(context=site.browser.context())
    other.home = site.base
    other.goto(site.url())
    other.write("input[name=token]", token)
    other.click("Log in")
    other.shows("live")
    for path, words in (("", "shop"), ("clusters/shop", "Groups"), ("groups/shop/web", "Nodes"), (f"plans/{plan}", "destroy"), ("plans", plan), ("templates", "no template"),
                        ("revisions/shop", "Changes"), ("settings", "Tokens"), ("managers", "Plugins"), ("nodes/shop/web-0", "Why"), ("apply", "Only operators can apply files"), ("jobs", "Ended")):
        site.go(other, path)
        other.shows(words)
        offered = other.run("[...document.querySelectorAll('.top nav a, main button.button, main a.button')].map((one) => (one.getAttribute('aria-label') ?? one.innerText).trim())")
        refused = [one for one in offered if re.search("^(apply|scale|pause|resume|label|undo|delete|edit|back to|make a (user|grant|tenant)|destroy|create)", one, re.IGNORECASE)]
        assert refused == [], (path, refused)
    is_clean(other, ("401",))


def test_tokens_users_grants_and_other_tenants(site, page):
    site.go(page, "settings")
    page.click("Make a user")
    page.write("dialog input[name=name]", "ben")
    page.click("Make the user")
    page.until("document.querySelector('dialog') === null")
    page.click("Make a grant")
    page.write("dialog input[name=user]", "ben")
    page.click("Make the grant")
    page.until("document.querySelector('dialog') === null")
    page.click("Make a token")
    page.write("dialog input[name=user]", "ben")
    page.write("dialog input[name=note]", "ci")
    page.click("Make the token")
    page.shows("It cannot be shown again.")
    token = page.run("document.querySelector('.secret-value code').innerText")
    page.click("I have stored it")
    page.until("document.querySelector('dialog') === null")
    whoami = site.manager.ask("GET", "/v1/whoami", connection=site.manager.connect(tcp=True), Authorization=f"Bearer {token}")
    assert whoami.json["user"] == "ben" and whoami.json["role"] == "viewer"
    assert token not in page.text()
    page.click("Make a tenant")
    page.write("dialog input[name=name]", "lab")
    page.click("Make the tenant")
    page.until("document.querySelector('dialog') === null")
    site.manager.ask("POST", "/v1/apply?tenant=lab", json.dumps({"documents": [document("secret-lab", web=group(1))]}), Content_Type="application/json")
    page.click("lab", "a")
    page.until("location.search === '?tenant=lab' && document.querySelector('.tenant')?.innerText === 'lab'")
    page.shows("secret-lab")
    assert "shop" not in page.run("document.querySelector('main').innerText")
    page.click("secret-lab", "a")
    page.until("location.pathname === '/ui/clusters/secret-lab' && location.search === '?tenant=lab'")
    page.click("Label")
    page.write("dialog input[name=key]", "a")
    page.write("dialog input[name=value]", "b")
    page.until(f"{DEED} && !{DEED}.disabled")
    page.run(f"{DEED}.click()")
    page.until("document.querySelector('dialog') === null")
    assert site.manager.get("/v1/clusters/secret-lab?tenant=lab").json["metadata"].get("labels") == {"a": "b"} or "b" in site.manager.get("/v1/clusters/secret-lab?tenant=lab").text
    is_clean(page, ("401",))


def test_the_palette_has_every_verb(site, page):
    help_all = json.loads(subprocess.run([str(REEVED.parent / "reeve"), "help", "-o", "json"], capture_output=True, text=True, check=True).stdout)
    names = {one["name"] for one in help_all["verbs"]}
    page.press("k", 2)
    for name in sorted(names):
        page.write(".palette-word", name)
        page.until(f"[...document.querySelectorAll('.palette li')].some((one) => one.innerText.startsWith('verb') && one.innerText.includes({json.dumps(name)}))")
    page.write(".palette-word", "simulate")
    page.until("document.querySelector('#palette-0')?.innerText.includes('simulate')")
    page.press("Enter")
    page.shows("reeve simulate -f FILE")
    page.write(".palette-word", "doctor")
    page.until("document.querySelector('#palette-0')?.innerText.includes('doctor')")
    page.press("Enter")
    page.until("location.pathname === '/ui/managers'")
    is_clean(page)
