"""Configurations: repositories of files with numbered revisions, which groups follow. No machine is bootstrapped here.

Requirements: C6, C7.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from manager import SIM, Manager, cluster, until

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "remote"))
from hostile import header, padded  # noqa: E402

WEB = {"configuration.yaml": "bundles: [{tar: base}, {tar: web, args: [--port, \"80\"]}]\n",
       "base/bootstrap.sh": "echo base\n", "web/bootstrap.sh": "echo web\n", "README": "of the repository\n"}
FILE = """version: "1"
name: shop
groups:
  web: {{size: 0, resourcePlugin: {{name: sim}}, configuration: {}}}
"""


def done(run, code=0):
    """It ended so."""
    assert run.returncode == code, run.stdout + run.stderr
    return run


def repository(folder, name="web-files", **changes):
    """A folder with these files; a change of None removes one."""
    for path, content in {**WEB, **changes}.items():
        file = folder / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            file.unlink(missing_ok=True)
        else:
            file.write_text(content)
    return name


def archive(files):
    """The canonical archive of folders at the top, as the command line makes it."""
    blocks = []
    for path, content in files.items():
        blocks += [header(path.split("/")[0].encode(), kind=b"5", mode=b"0000755\0"), header(path.encode(), len(content)), padded(content)]
    return b"".join(blocks) + bytes(1024)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A manager for the tests that do not mind each other."""
    with Manager(tmp_path_factory.mktemp("m"), control=True).start() as manager:
        yield manager


@pytest.fixture
def run(reeve, folder, kept):
    """reeve, talking to it."""
    return lambda *words, env=None, **more: reeve(*words, env={"REEVE_URL": f"unix:{kept.socket}", "HOME": str(folder), **(env or {})}, **more)


@pytest.fixture
def name(request):
    """A configuration of the test's own."""
    return re.sub(r"\W", "-", request.node.name.removeprefix("test_"))[:40].strip("-")


def push(run, folder, name, **changes):
    """Push the repository with these changes; the revision."""
    return json.loads(done(run("config", "push", repository(folder, **changes), "--name", name, "-o", "json")).stdout)["revision"]


def send(manager, data, **headers):
    """Send an archive as a client of the API does; its digest."""
    digest = hashlib.sha256(data).hexdigest()
    answer = manager.ask("POST", f"/v1/archives/{digest}?bytes={len(data)}&offset=0", data, Content_Type="application/octet-stream", **headers)
    assert answer.status == 200 and answer.json["have"] == len(data), answer.text
    return digest


# ---- pushing ----

def test_a_push_makes_a_revision_and_an_equal_one_none(run, folder, name):
    first = done(run("config", "push", repository(folder), "--name", name))
    assert re.fullmatch(rf"config/{name}@r1 stored, sha256:[0-9a-f]{{12}}\n", first.stdout)
    assert f"--config {name}@r1" in first.stderr
    again = done(run("config", "push", "web-files", "--name", name))
    assert again.stdout == first.stdout.replace("stored", "is unchanged: it has the same files") and again.stderr == ""
    assert push(run, folder, name, README="changed\n") == f"{name}@r2"
    assert push(run, folder, name) == f"{name}@r3"  # a revert is the newest
    assert push(run, folder, name) == f"{name}@r3"
    rows = done(run("config", "show", name)).stdout.splitlines()
    assert [row.split()[0] for row in rows] == ["REVISION", f"{name}@r1", f"{name}@r2", f"{name}@r3"]
    assert done(run("get", f"config/{name}", "-o", "name")).stdout == f"config/{name}\n"
    assert done(run("config", "show", name, "-o", "name")).stdout == "".join(f"config/{name}@r{n}\n" for n in (1, 2, 3))


def test_a_folder_an_archive_and_a_pipe_are_the_same(run, folder, name):
    repository(folder)
    done(run("config", "push", "web-files", "--name", name))
    subprocess.run(["tar", "-C", "web-files", "-cf", "web.tar", "."], cwd=folder, check=True)
    assert "is unchanged: it has the same files" in done(run("config", "push", "web.tar", "--name", name)).stdout
    with (folder / "web.tar").open() as pipe:
        assert "is unchanged: it has the same files" in done(run("config", "push", "-", "--name", name, stdin=pipe)).stdout
    checked = done(run("config", "check", "web-files")).stdout
    assert re.fullmatch(r"ok: web-files: 6 members, \d+ bytes, sha256:[0-9a-f]{64}\n  0  base +[0-9a-f]{12}\n  1  web +[0-9a-f]{12}\n", checked)


def test_the_files_of_a_commit_are_pushed(run, folder, name):
    def git(*words):
        subprocess.run(["git", "-c", "user.name=ana", "-c", "user.email=ana@example.org", *words], cwd=folder / "web-files", check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    repository(folder)
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    git("tag", "v1")
    assert push(run, folder, name) == f"{name}@r1"
    repository(folder, README="two\n")
    git("commit", "-qam", "two")
    # .git is no part of a revision: the commit of the same files is the same revision
    assert "is unchanged: it has the same files" in done(run("config", "push", "web-files", "--name", name, "--ref", "v1")).stdout
    head = json.loads(done(run("config", "push", "web-files", "--name", name, "--ref", "HEAD", "-o", "json")).stdout)
    assert head["revision"] == f"{name}@r2" and head["new"] is True
    assert json.loads(done(run("config", "show", f"{name}@r2", "-o", "json")).stdout)["ref"] == "HEAD"
    for ref, words in (("nope", "not a valid object name: nope"), ("--output=/x", "is not a commit")):
        failed = done(run("config", "push", "web-files", "--name", name, f"--ref={ref}"), 1 if ref == "nope" else 2)
        assert words in failed.stderr, failed.stderr
    (folder / "plain").mkdir()
    assert "not a git repository" in done(run("config", "push", "plain", "--name", name, "--ref", "v1"), 1).stderr
    none = done(run("config", "push", "web-files", "--name", name, "--ref", "v1", env={"PATH": str(folder)}), 1)
    assert "--ref needs git, which is not installed" in none.stderr and "apt install git" in none.stderr


@pytest.mark.skipif(shutil.which("ansible-playbook") is None, reason="there is no ansible-playbook")
def test_a_playbook_with_a_wrong_syntax_gets_no_number(run, folder, kept, name):
    """Ansible's own check, over the files of the archive: the error has its place in the repository."""
    site = folder / "playbook"
    (site / "tasks").mkdir(parents=True)
    (site / "site.yml").write_text("- hosts: all\n  tasks:\n    - import_tasks: tasks/web.yml\n")
    (site / "tasks/web.yml").write_text("- name: fine\n  command: /bin/true\n- name: both\n  command: /bin/true\n  shell: /bin/true\n")
    for words in (("check", "playbook"), ("push", "playbook", "--name", name)):
        refused = done(run("config", *words), 3)
        assert "error[R0828]: tasks/web.yml:3:3: conflicting action statements: command, shell" in refused.stderr, refused.stderr
        assert "ansible-playbook --syntax-check site.yml" in refused.stderr
    (site / "tasks/web.yml").write_text("- name: fine\n  command: /bin/true\n")
    assert "ok: playbook" in done(run("config", "check", "playbook"), 0).stdout


@pytest.mark.parametrize("changes, code, words, hint", [
    ({"configuration.yaml": "bundles: [{tar: wbe}]\n"}, "R0828", "web-files/configuration.yaml:1:17: error", "relative to the top"),
    ({"configuration.yaml": "bundels: []\n"}, "R0301", "web-files/configuration.yaml:1:1: error", "did you mean 'bundles'?"),
    ({"configuration.yaml": "hooks: {verify: v.sh}\n"}, "R0828", "each bundle has its own hooks", "leave the field out"),
    ({"configuration.yaml": "runner: ansible\n"}, "R0828", "no playbook site.yml", "hooks: {configure: FILE}"),
    ({"configuration.yaml": None, "base/bootstrap.sh": None, "web/bootstrap.sh": None}, "R0828", "nothing to run", "add folders with bootstrap.sh"),
    ({"web/bootstrap.sh": "echo\r\n"}, "R0722", "ends in CR LF", "sed -i"),
], ids=["folder", "field", "later", "playbook", "nothing", "script"])
def test_a_repository_that_cannot_be_used_gets_no_number(run, folder, kept, name, changes, code, words, hint):
    repository(folder, **changes)
    for verb in (("check", "web-files"), ("push", "web-files", "--name", name)):
        failed = done(run("config", *verb), 3)
        assert f"error[{code}]" in failed.stderr and words in failed.stderr and hint in failed.stderr, failed.stderr
    assert kept.get(f"/v1/configs/{name}").status == 404


# ---- reading ----

def test_two_revisions_are_compared_by_file(run, folder, name):
    push(run, folder, name)
    os.symlink("README", folder / "web-files/link")
    push(run, folder, name, README=None, NEW="new\n", **{"web/bootstrap.sh": "echo changed\n"})
    shown = done(run("config", "diff", f"{name}@r1", f"{name}@r2")).stdout
    assert shown.splitlines() == ["+ NEW", "+ link", "~ web/bootstrap.sh", "- README"]
    whole = json.loads(done(run("config", "diff", f"{name}@r1", name, "-o", "json")).stdout)
    assert whole["from"] == f"{name}@r1" and whole["to"] == f"{name}@r2" and len(whole["files"]) == 4
    same = done(run("config", "diff", name, name))
    assert same.stdout == "" and "the revisions have the same files" in same.stderr


def test_answers_have_the_form_that_is_asked_for(run, folder, name):
    push(run, folder, name)
    one = json.loads(done(run("config", "show", f"{name}@r1", "-o", "json")).stdout)
    assert one["revision"] == f"{name}@r1" and [stage["bundle"].split("@")[0] for stage in one["bundles"]] == ["base", "web"]
    assert f"revision: {name}@r1\n" in done(run("config", "show", f"{name}@r1", "-o", "yaml")).stdout
    assert done(run("config", "push", "web-files", "--name", name, "-o", "name")).stdout == f"config/{name}@r1\n"
    assert json.loads(done(run("config", "show", name, "-o", "json")).stdout)[0] == one
    assert done(run("config", "gc", name, "-o", "jsonl")).stdout == '{"removed":[]}\n'
    assert done(run("config", "pin", f"{name}@r1", "-o", "path=$.pinned")).stdout == "true\n"
    for words in (("push", "web-files", "--name", name, "-o", "table"), ("gc", name, "-o", "name"), ("show", f"{name}@r1", "-o", "csv")):
        assert "no table for -o" in done(run("config", *words), 2).stderr


def test_tables_fit_80_columns(run, folder, kept, terminal):
    long = "a" * 40
    for number in range(2):
        subprocess.run(["tar", "-C", repository(folder, README=f"{number}\n"), "-cf", "web.tar", "."], cwd=folder, check=True)
        done(run("config", "push", "web.tar", "--name", long, "--ref", "b" * 60))
    (folder / "f.yaml").write_text(FILE.format(long).replace("shop", "store"))
    done(run("apply", "-f", "f.yaml", "--yes"))
    for words in (("config", "show", long), ("config", "show", f"{long}@r2"), ("get", "configs"), ("config", "diff", f"{long}@r1", f"{long}@r2")):
        code, shown = terminal(80, *words, env={"REEVE_URL": f"unix:{kept.socket}", "HOME": str(folder)})
        plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
        assert code == 0 and max(map(len, plain.splitlines())) <= 80, plain
    done(run("delete", "cluster/store", "--allow", "destroy=1"))


# ---- errors ----

@pytest.mark.parametrize("words, code, said, hint", [
    (["psh", "x"], 2, "reeve config has no 'psh'", "did you mean 'push'?"),
    (["push"], 2, "config needs 2 arguments", "use: reeve config push"),
    (["push", "web-files"], 2, "config push needs the name of the configuration", "reeve config push web-files --name web"),
    (["push", "web-files", "--name", "1 x"], 3, "'1 x' is not a valid name", "begins with a letter"),
    (["push", "web-files", "more", "--name", "x"], 2, "'more'", ""),
    (["push", "nope", "--name", "x"], 1, "'nope' cannot be read", "check the name"),
    (["check", "-"], 3, "is truncated", ""),
    (["show", "no/ne"], 2, "config show needs a configuration, not 'no/ne'", "reeve get configs"),
    (["show", "none"], 4, "there is no configuration 'none'", ""),
    (["show", "none@1"], 2, "config show needs a revision, not 'none@1'", "reeve config show none@r1"),
    (["diff", "none@r1"], 2, "config diff needs two revisions", "reeve config diff web@r1 web@r2"),
    (["diff", "none@r1", "none&x=1"], 2, "config diff needs a configuration, not 'none&x=1'", "reeve get configs"),
    (["diff", "none@r1", "none@r2"], 4, "there is no configuration 'none'", ""),
    (["pin", "none"], 2, "config pin needs a revision, not 'none'", "reeve config pin none@r1"),
    (["pin", "none@r1\""], 2, "config pin needs a revision", "reeve config pin none@r1"),
    (["pin", "none@r1"], 4, "there is no configuration 'none'", ""),
    (["gc", "none"], 4, "there is no configuration 'none'", ""),
    (["gc", "none", "--keep", "0"], 2, "--keep needs a number from 1 on", ""),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_errors_have_a_code_and_a_hint(run, folder, words, code, said, hint):
    repository(folder)
    failed = done(run("config", *words), code)
    assert said in failed.stderr and hint in failed.stderr and failed.stdout == "", failed.stderr


def test_names_that_are_not_there(run, folder, name):
    push(run, folder, name)
    assert f"did you mean '{name}'?" in done(run("get", f"config/{name}x"), 4).stderr
    assert "there is no configuration 'zzzzzz'" in done(run("get", "configs", name, "zzzzzz"), 4).stderr
    assert "the newest revision is r1" in done(run("config", "diff", f"{name}@r1", f"{name}@r9"), 4).stderr
    assert f"there is no revision '{name}@r9'" in done(run("config", "show", f"{name}@r9"), 4).stderr
    assert "takes no --watch" in done(run("get", "configs", "-w"), 2).stderr


# ---- groups ----

def test_a_group_moves_only_when_its_file_is_applied(run, folder, kept, name):
    push(run, folder, name)
    (folder / "f.yaml").write_text(FILE.format(name))
    done(run("apply", "-f", "f.yaml", "--yes"))
    spec = lambda: kept.get("/v1/nodegroups/shop%2Fweb").json["spec"]  # noqa: E731
    assert spec()["configuration"] == f"{name}@r1"
    assert [stage["bundle"].split("@")[0] for stage in spec()["configured"]["bundles"]] == ["base", "web"]
    push(run, folder, name, **{"web/bootstrap.sh": "echo changed\n"})
    assert spec()["configuration"] == f"{name}@r1"
    assert "shop/web" in done(run("config", "show", name)).stdout.splitlines()[1]
    base = re.search(r"^base +([0-9a-f]{12}).*", done(run("get", "bundles")).stdout, re.MULTILINE)
    assert base and "shop/web" in base[0]
    plan = done(run("plan", "-f", "f.yaml")).stdout
    assert f"{name}@r1 -> {name}@r2" in plan
    done(run("apply", "-f", "f.yaml", "--yes"))
    assert spec()["configuration"] == f"{name}@r2"
    done(run("undo", "shop", "--yes"))
    assert spec()["configuration"] == f"{name}@r1" == spec()["configured"]["revision"]
    # a revision that is used stays
    assert done(run("config", "gc", name, "--keep", "1")).stdout == ""
    (folder / "f.yaml").write_text(FILE.format("nmae"))
    unknown = done(run("apply", "-f", "f.yaml", "--yes"), 4)
    assert "f.yaml:4:" in unknown.stderr and unknown.stderr.count("R0829") == 1, unknown.stderr
    done(run("delete", "cluster/shop", "--allow", "destroy=1"))
    # and it goes when nobody has it
    assert done(run("config", "gc", name, "--keep", "1", "--dry-run")).stdout == f"config/{name}@r1 would be removed\n"
    assert done(run("config", "pin", f"{name}@r1")).stdout == f"config/{name}@r1 pinned\n"
    assert "neither" not in done(run("config", "gc", name, "--keep", "1")).stdout
    assert done(run("config", "pin", f"{name}@r1", "--unpin")).stdout == f"config/{name}@r1 is no longer pinned\n"
    assert done(run("config", "gc", name, "--keep", "1")).stdout == f"config/{name}@r1 removed\n"
    kinds = [event["type"] for event in kept.get("/v1/events?limit=100").json["items"] if event["type"].startswith("config.")]
    assert kinds[:4] == ["config.removed", "config.unpinned", "config.pinned", "config.pushed"] or \
        kinds[-4:] == ["config.pushed", "config.pinned", "config.unpinned", "config.removed"], kinds


# ---- the API ----

def test_the_api_is_used_without_reeve(kept, name):
    data = archive({"base/bootstrap.sh": b"echo api\n"})
    digest = hashlib.sha256(data).hexdigest()
    early = kept.post(f"/v1/configs/{name}", {"digest": digest})
    assert early.status == 422 and early.code == "R0732" and "was not sent" in early.text
    assert send(kept, data) == digest
    first = kept.post(f"/v1/configs/{name}", {"digest": digest, "ref": "v1"})
    assert first.json == {"digest": digest, "new": True, "revision": f"{name}@r1"}
    assert kept.post(f"/v1/configs/{name}", {"digest": digest}).json["new"] is False
    one = kept.get(f"/v1/configs/{name}").json["revisions"][0]
    assert one["ref"] == "v1" and one["bytes"] == len(data) and one["pinned"] is False and one["groups"] == []
    files = kept.get(f"/v1/configs/{name}/files?revision=r1").json
    assert files["revision"] == f"{name}@r1" and files["files"] == [
        {"bytes": 9, "name": "base/bootstrap.sh", "program": False, "sha256": hashlib.sha256(b"echo api\n").hexdigest()}]
    row = [item for item in kept.get("/v1/configs").json["items"] if item["name"] == name][0]
    assert row["revisions"] == 1 and row["groups"] == 0 and row["newest"]["revision"] == f"{name}@r1"
    for body, status, code in (({"digest": "abc"}, 422, "R0316"), ({}, 422, "R0316"), ({"digest": 7}, 422, "R0316"), ({"digset": digest}, 422, "R0301"),
                               ({"digest": digest, "ref": "x" * 2000}, 422, "R0429"),
                               ({"digest": digest, "ref": "a\x1b[31m"}, 422, "R0429"), ({"digest": digest, "ref": "a\nb"}, 422, "R0429"), ({"digest": [digest]}, 422, "R0302")):
        answer = kept.post(f"/v1/configs/{name}", body)
        assert (answer.status, answer.code) == (status, code), (body, answer.text)
    assert kept.post(f"/v1/configs/{name}/pin", {"revision": "r1", "pinned": "yes"}).code == "R0302"
    assert kept.post(f"/v1/configs/{name}/pin", {"revision": "1"}).code == "R0426"
    assert kept.post(f"/v1/configs/{name}/gc", {"keep": -1}).code == "R0302"
    assert kept.get(f"/v1/configs/{name}/files?revision=r7").code == "R0829"


def test_an_archive_that_is_not_canonical_is_refused(kept, name):
    data = archive({"base/bootstrap.sh": b"echo x\n"}) + bytes(512)
    digest = hashlib.sha256(data).hexdigest()
    answer = kept.ask("POST", f"/v1/archives/{digest}?bytes={len(data)}&offset=0", data, Content_Type="application/octet-stream")
    assert answer.status >= 400 and answer.code.startswith("R07"), answer.text
    assert kept.post(f"/v1/configs/{name}", {"digest": digest}).code == "R0732"


def test_who_may_read_may_not_push(kept, name):
    digest = send(kept, archive({"base/bootstrap.sh": b"echo rights\n"}))
    assert kept.post(f"/v1/configs/{name}", {"digest": digest}).status == 200
    kept.post("/v1/users", {"name": name})
    kept.post("/v1/grants", {"user": name, "role": "viewer"})
    token = kept.post("/v1/tokens", {"user": name}).json["token"]
    for path in ("/v1/configs", f"/v1/configs/{name}", f"/v1/configs/{name}/files"):
        assert kept.get(path, token=token).status == 200
    for path, body in ((f"/v1/configs/{name}", {"digest": digest}), (f"/v1/configs/{name}/pin", {"revision": "r1"}), (f"/v1/configs/{name}/gc", {}),
                       (f"/v1/archives/{digest}?bytes=9&offset=0", "x")):
        assert kept.post(path, body, token=token).status == 403, path


def test_a_tenant_has_its_own(kept, name):
    """The digest of another tenant's archive gives nothing: neither its files, nor its bundles."""
    data = archive({"base/bootstrap.sh": b"echo tenants\n"})
    digest = send(kept, data)
    assert kept.post(f"/v1/configs/{name}", {"digest": digest}).status == 200
    stage = kept.get(f"/v1/configs/{name}").json["revisions"][0]["bundles"][0]
    assert kept.post("/v1/tenants", {"name": "other"}).status == 201
    other = {"Reeve_Tenant": "other"}
    assert kept.get(f"/v1/configs/{name}", **other).status == 404
    assert kept.get("/v1/configs", **other).json["items"] == []
    refused = kept.post(f"/v1/configs/{name}", {"digest": digest}, **other)
    assert refused.code == "R0732" and "was not sent" in refused.text
    one = cluster("theirs", web=0)
    one["groups"]["web"].update(configuration="stolen@r1", configured={"revision": "stolen@r1", "bundles": [stage]})
    assert kept.post("/v1/apply", {"documents": [one]}, **other).code == "R0732"
    assert send(kept, data, **other) == digest
    assert kept.post(f"/v1/configs/{name}", {"digest": digest}, **other).json["revision"] == f"{name}@r1"


# ---- limits and faults ----

def test_a_kill_between_archive_and_push_loses_nothing(tmp_path):
    """What was sent need not be sent again, and no number is skipped."""
    manager = Manager(tmp_path).start()
    try:
        digests = []
        for number in range(3):
            data = archive({"base/bootstrap.sh": b"echo kill %d\n" % number})
            digests.append(send(manager, data))
            manager.kill()
            manager.start()
            answer = manager.post("/v1/configs/web", {"digest": digests[-1]})
            assert answer.json == {"digest": digests[-1], "new": True, "revision": f"web@r{number + 1}"}
            manager.kill()
            manager.start()
            assert manager.post("/v1/configs/web", {"digest": digests[-1]}).json["new"] is False
        shown = manager.get("/v1/configs/web").json["revisions"]
        assert [one["digest"] for one in shown] == digests
        bundle = shown[0]["bundles"][0]["bundle"].partition("sha256:")[2]
        assert manager.get(f"/v1/bundles/{bundle}").status == 200
        # an archive whose file is damaged is refused, and nothing is made of it
        (tmp_path / "data/configurations" / digests[0]).write_bytes(b"damaged")
        damaged = manager.post("/v1/configs/db", {"digest": digests[0]})
        assert damaged.status >= 400 and damaged.code == "R0726", damaged.text
        assert manager.get("/v1/configs/db").status == 404
    finally:
        manager.kill()


def test_pushes_at_the_same_time_have_different_numbers(kept, name):
    digests = [send(kept, archive({"base/bootstrap.sh": b"echo together %d\n" % number})) for number in range(8)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda digest: kept.post(f"/v1/configs/{name}", {"digest": digest}), digests))
    assert all(answer.status in (200, 409) for answer in answers), [answer.text for answer in answers]
    numbers = [answer.json["revision"] for answer in answers if answer.status == 200]
    assert len(set(numbers)) == len(numbers) > 0
    assert len(kept.get(f"/v1/configs/{name}").json["revisions"]) == len(numbers)


def test_groups_in_every_form_follow(kept, name):
    """A patch, a list of groups, defaults and a template resolve a name as a file does."""
    digest = send(kept, archive({"base/bootstrap.sh": b"echo forms\n"}))
    assert kept.post(f"/v1/configs/{name}", {"digest": digest}).status == 200
    listed = {"name": "forms", "version": "1", "groups": [{"name": "a", "size": 0, "resourcePlugin": SIM, "configuration": name},
                                                          {"name": "b", "size": 0, "resourcePlugin": SIM}]}
    kept.apply(listed)
    assert kept.get("/v1/nodegroups/forms%2Fa").json["spec"]["configured"]["revision"] == f"{name}@r1"
    assert kept.patch("/v1/nodegroups/forms%2Fb", {"configuration": name}).status == 200
    assert kept.get("/v1/nodegroups/forms%2Fb").json["spec"]["configured"]["revision"] == f"{name}@r1"
    assert kept.patch("/v1/nodegroups/forms%2Fb", {"configuration": None}).status == 200
    assert "configured" not in kept.get("/v1/nodegroups/forms%2Fb").json["spec"]
    until(lambda: kept.get(f"/v1/configs/{name}").json["revisions"][0]["groups"] == ["forms/a"])


# ---- autoUpgrade ----

AUTO = """version: "1"
name: {cluster}
autoUpgrade: {auto}
defaults: {{configuration: {config}}}
groups:
  web: {{size: 0, resourcePlugin: {{name: sim}}}}
  db: {{size: 0, resourcePlugin: {{name: sim}}, configuration: {config}}}
  old: {{size: 0, resourcePlugin: {{name: sim}}, configuration: {config}@r1, protected: true}}
"""


def test_a_push_moves_the_groups_that_ask_for_it(run, folder, kept, name):
    """Once for each push; a protected group and other clusters stay, and what was refused is an event (C20)."""
    push(run, folder, name)
    for one, auto in (("auto", "true"), ("calm", "false")):
        (folder / "f.yaml").write_text(AUTO.format(cluster=one, auto=auto, config=name))
        done(run("apply", "-f", "f.yaml", "--yes"))

    def has(path):
        spec = kept.get(f"/v1/{path}").json["spec"]
        return (spec.get("defaults") or spec)["configuration"]

    assert push(run, folder, name, README="2\n") == f"{name}@r2"
    until(lambda: has("nodegroups/auto%2Fdb") == f"{name}@r2" == has("clusters/auto"), lambda: kept.get("/v1/configs/" + name).text)
    assert has("clusters/calm") == has("nodegroups/calm%2Fdb") == has("nodegroups/auto%2Fold") == f"{name}@r1"
    events = lambda: kept.get("/v1/events?limit=200").json["items"]  # noqa: E731
    refused = until(lambda: [one for one in events() if one["type"] == "config.upgrade_refused"], lambda: events()[-5:])
    assert len(refused) == 1 and refused[0]["group"] == "old" and "protected" in refused[0]["why"], refused
    moved = [one for one in events() if one.get("why") == f"autoUpgrade: {name}@r2 was pushed"]
    assert len(moved) == 2 and {one["actor"] for one in moved} == {"reeve"}, moved
    # a group that an operator has moved back stays there, also when the manager begins anew
    done(run("undo", "auto/db", "--yes"))
    kept.kill()
    kept.start()
    push(run, folder, "other")
    (folder / "f.yaml").write_text(AUTO.format(cluster="second", auto="true", config="other"))
    done(run("apply", "-f", "f.yaml", "--yes"))
    push(run, folder, "other", README="2\n")
    until(lambda: has("nodegroups/second%2Fdb") == "other@r2", lambda: kept.get("/v1/configs/other").text)
    assert has("nodegroups/auto%2Fdb") == f"{name}@r1"
    assert push(run, folder, name, README="3\n") == f"{name}@r3"
    until(lambda: has("nodegroups/auto%2Fdb") == f"{name}@r3" == has("clusters/auto"), lambda: kept.get("/v1/configs/" + name).text)
    # by hand: a cluster stands for its defaults, a group for its own
    listed = {row.split()[0] for row in done(run("upgrade")).stdout.splitlines()[1:]}
    assert {"calm", "calm/db", "calm/old", "auto/old"} <= listed and "auto" not in listed, listed
    assert "calm/web has no configuration of its own" in done(run("upgrade", "calm/web", "--yes"), 4).stderr
    done(run("set", "calm/db", "calm/web", "labels.tier=gold", "--yes"))
    assert "R0780" in done(run("upgrade", "-l", "tier=lead", "--yes"), 4).stderr
    assert "exclude each other" in done(run("upgrade", "calm", "-l", "tier=gold", "--yes"), 2).stderr
    done(run("upgrade", "calm", "--yes"))
    done(run("upgrade", "-l", "tier=gold", "--yes"))  # calm/web, which has none of its own, is left out
    assert has("clusters/calm") == has("nodegroups/calm%2Fdb") == f"{name}@r3"
    for one in ("auto", "calm", "second"):
        run("set", f"{one}/old", "protected=false", "--yes")
        done(run("delete", f"cluster/{one}", "--allow", "destroy=1"))



# ---- what only looks like a configuration ----

def test_names_of_fields_may_name_groups(run, folder, kept, name):
    """Below `groups` no key is a field."""
    push(run, folder, name)
    group = f"{{size: 0, resourcePlugin: {{name: sim}}, configuration: {name}}}"
    names = ("configured", "configuration", "status", "metadata", "labels", "vars")
    lines = "".join(f"  {one}: {group}\n" for one in names)
    (folder / "f.yaml").write_text(f'version: "1"\nname: named\ngroups:\n{lines}')
    done(run("apply", "-f", "f.yaml", "--yes"))
    for one in names:
        spec = kept.get(f"/v1/nodegroups/named%2F{one}").json["spec"]
        assert spec["configuration"] == f"{name}@r1" == spec["configured"]["revision"], one
    done(run("delete", "cluster/named", "--allow", "destroy=1"))


def test_labels_and_variables_are_no_configuration(run, folder, kept, name):
    """Neither for autoUpgrade nor for the list of users."""
    push(run, folder, name)
    (folder / "f.yaml").write_text(f"""version: "1"
name: label
defaults: {{vars: {{autoUpgrade: true}}, labels: {{configuration: {name}}}}}
groups:
  web: {{size: 0, resourcePlugin: {{name: sim}}, configuration: {name}}}
---
version: "1"
name: follow
autoUpgrade: true
groups:
  web: {{size: 0, resourcePlugin: {{name: sim}}, labels: {{configuration: "{name}@r1"}}}}
  db: {{size: 0, resourcePlugin: {{name: sim}}, configuration: {name}}}
""")
    done(run("apply", "-f", "f.yaml", "--yes"))
    shown = json.loads(done(run("config", "show", f"{name}@r1", "-o", "json")).stdout)
    assert sorted(shown["groups"]) == ["follow/db", "label/web"]
    push(run, folder, name, README="2\n")
    until(lambda: kept.get("/v1/nodegroups/follow%2Fdb").json["spec"]["configuration"] == f"{name}@r2")
    assert "configuration" not in kept.get("/v1/nodegroups/follow%2Fweb").json["spec"]
    assert kept.get("/v1/nodegroups/label%2Fweb").json["spec"]["configuration"] == f"{name}@r1"
    assert "configuration" not in kept.get("/v1/clusters/label").json["spec"]["defaults"]
    for one in ("label", "follow"):
        done(run("delete", f"cluster/{one}", "--allow", "destroy=1"))


def test_a_group_has_no_variables_of_another_revision(run, folder, kept, name):
    """Those of the revision in the defaults are not merged into its own."""
    manifest = WEB["configuration.yaml"]
    assert push(run, folder, name, **{"configuration.yaml": f"{manifest}vars: {{a: 1, b: 2}}\n"}) == f"{name}@r1"
    assert push(run, folder, name) == f"{name}@r2"
    (folder / "f.yaml").write_text(f'version: "1"\nname: apart\ndefaults: {{configuration: {name}@r1}}\ngroups:\n'
                                   f"  web: {{size: 0, resourcePlugin: {{name: sim}}, configuration: {name}@r2}}\n"
                                   "  db: {size: 0, resourcePlugin: {name: sim}}\n"
                                   "  none: {size: 0, resourcePlugin: {name: sim}, configuration: null}\n")
    done(run("apply", "-f", "f.yaml", "--yes"))
    described = {one: done(run("describe", f"nodegroup/apart/{one}")).stdout for one in ("web", "db", "none")}
    assert "configured.vars" not in described["web"] and f"{name}@r2" in described["web"], described["web"]
    assert "configured.vars.b" in described["db"] and "configured" not in described["none"], described
    assert "has no configuration of its own" in done(run("upgrade", "apart/none", "--yes"), 4).stderr
    done(run("delete", "cluster/apart", "--allow", "destroy=1"))


def test_an_upgrade_sets_variables_of_its_group(run, folder, kept, name):
    """They are values of the group, above those of the defaults and the revision, each with its origin; undo removes them (C7)."""
    spec = lambda: kept.get("/v1/nodegroups/vary%2Fweb").json["spec"]  # noqa: E731
    assert push(run, folder, name, **{"configuration.yaml": f"{WEB['configuration.yaml']}vars: {{port: 80, proxy: {{http: a, https: b}}}}\n"}) == f"{name}@r1"
    (folder / "f.yaml").write_text(f'version: "1"\nname: vary\ndefaults: {{vars: {{port: 81, level: info}}}}\n'
                                   f"groups:\n  web: {{size: 0, resourcePlugin: {{name: sim}}, configuration: {name}}}\n")
    done(run("apply", "-f", "f.yaml", "--yes"))
    done(run("upgrade", "vary/web", "--var", "port=82", "--var", "proxy.http=c", "--var", "list=[1, 2]", "--yes"))
    assert spec()["vars"] == {"port": 82, "proxy": {"http": "c"}, "list": [1, 2]}, spec()
    said = done(run("describe", "nodegroup/vary/web", "--origin")).stdout
    origin = {line.split()[0]: line for line in said.splitlines() if line.strip().startswith(("vars.", "configured.vars."))}
    assert "82" in origin["vars.port"] and "default" not in origin["vars.port"] and "info" in origin["vars.level"], said
    assert origin["vars.level"].split()[-1] != origin["vars.port"].split()[-1], origin
    done(run("undo", "nodegroup/vary/web", "--yes"))
    assert "vars" not in spec(), spec()
    done(run("upgrade", "vary", "vary/web", "--config", name, "--var", "level=null", "--yes"))
    assert "level" not in kept.get("/v1/clusters/vary").json["spec"]["defaults"].get("vars", {})
    assert "is not a variable with its value" in done(run("upgrade", "vary/web", "--var", "port", "--yes"), 2).stderr
    done(run("delete", "cluster/vary", "--allow", "destroy=1"))


def test_variables_are_bounded_where_they_enter(run, folder, name):
    """As JSON they may be longer than in the manifest."""
    quotes = '"' * 45000
    repository(folder, **{"configuration.yaml": f"{WEB['configuration.yaml']}vars: {{a: '{quotes}'}}\n"})
    refused = done(run("config", "push", "web-files", "--name", name), 3)
    assert "R0828" in refused.stderr and "configuration.yaml:2:" in refused.stderr and "at most 65536" in refused.stderr, refused.stderr
    assert push(run, folder, name) == f"{name}@r1"
    group = f"{{size: 0, resourcePlugin: {{name: sim}}, configuration: {name}, vars: {{a: '{quotes}'}}}}"
    (folder / "f.yaml").write_text(f'version: "1"\nname: large\ngroups:\n  web: {group}\n')
    assert "R0720" in done(run("plan", "-f", "f.yaml"), 3).stderr


def test_reference_and_content_stay_together(run, folder, kept, name):
    """Whatever side a merge takes, and though some of the stages are equal in all revisions."""
    spec = lambda: kept.get("/v1/nodegroups/mixed%2Fweb").json["spec"]  # noqa: E731
    digest = lambda: [stage["bundle"] for stage in spec()["configured"]["bundles"]]  # noqa: E731
    push(run, folder, name)
    push(run, folder, name, **{"web/bootstrap.sh": "echo 2\n"})
    (folder / "f.yaml").write_text(FILE.format(f"{name}@r1").replace("shop", "mixed"))
    done(run("apply", "-f", "f.yaml", "--yes"))
    first = digest()
    done(run("upgrade", "mixed/web", "--yes"))
    assert spec()["configuration"] == f"{name}@r2" and digest() != first
    kept_lines = [line for line in done(run("plan", "-f", "f.yaml")).stdout.splitlines() if "kept:" in line]
    assert len(kept_lines) == 1 and "--take groups.web.configuration " in kept_lines[0], kept_lines
    done(run("apply", "-f", "f.yaml", "--take", "groups.web.configuration", "--yes"))
    assert spec()["configuration"] == f"{name}@r1" == spec()["configured"]["revision"] and digest() == first
    # a group that inherits its content gets the whole of its own
    (folder / "f.yaml").write_text(f'version: "1"\nname: mixed\ndefaults: {{configuration: {name}@r1}}\n'
                                   "groups:\n  web: {size: 0, resourcePlugin: {name: sim}}\n")
    done(run("apply", "-f", "f.yaml", "--yes"))
    push(run, folder, name, README="only this\n", **{"web/bootstrap.sh": "echo web\n"})
    done(run("set", "mixed/web", f"configuration={name}@r3", "--yes"))
    assert spec()["configured"]["revision"] == f"{name}@r3" and digest() == first
    done(run("delete", "cluster/mixed", "--allow", "destroy=1"))
