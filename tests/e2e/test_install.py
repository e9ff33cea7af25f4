"""Plugins that an operator brings (K9 to K11, I25): from a file, an address or a release to running machines; what is
refused leaves nothing; kill -9 in the midst leaves nothing half."""
import hashlib
import os
import pathlib
import random
import subprocess
import sys
import threading
import time

import pytest

import plugin
from manager import REEVED, Manager, until

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/pylib"))
from fetching import Authority, Server  # noqa: E402

KILLS = int(os.environ.get("INSTALL_KILLS", "8"))


@pytest.fixture(scope="module", name="made")
def plugins_made(tmp_path_factory):
    """A plugin whose machines are folders, as it is and with other bytes, and files that are none of ours."""
    folder = tmp_path_factory.mktemp("installing")
    authority = Authority(folder / "ca")
    one = plugin.build(folder, "mine")
    two = folder / "two.so"
    two.write_bytes(one.read_bytes() + b"two")
    header = folder / "include/reeve"
    header.mkdir(parents=True)
    text = (ROOT / "include/reeve/plugin.h").read_text()
    (header / "plugin.h").write_text(text.replace("ABI_MAJOR 1\n", "ABI_MAJOR 7\n"))
    other = folder / "other.so"
    subprocess.run(["cc", "-std=c11", "-D_GNU_SOURCE", "-O1", "-fPIC", "-shared", '-DPLUGIN_NAME="mine"', f"-I{folder}/include",
                    "-o", str(other), str(ROOT / "plugins/file/file.c"), str(ROOT / "plugins/file/machine.c")],
                   check=True, timeout=240)
    text = folder / "text.so"
    text.write_text("this is no plugin\n")
    return {"authority": authority, "certificate": authority.sign("server"), "one": one, "two": two, "other": other, "text": text}


def digest(path):
    """As people pin it."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(name="server")
def server_of(made):
    """Serves the first build."""
    with Server(made["certificate"]) as one:
        one.paths["/mine.so"] = made["one"].read_bytes()
        one.paths["/two.so"] = made["two"].read_bytes()
        yield one


@pytest.fixture(name="manager")
def manager_of(made, tmp_path, server):
    """A manager that may reach the server."""
    config = tmp_path / "reeved.yaml"
    config.write_text(f"fetch:\n  allow: ['127.0.0.0/8']\n  ca: {made['authority'].file}\n  releases: {server.url('')}\n")
    return Manager(tmp_path, "--config", str(config), "--haste", "100", control=True)


def reeve(manager, *words):
    """The command line, talking to that manager."""
    return subprocess.run([str(REEVED.parent / "reeve"), *map(str, words)], capture_output=True, text=True, timeout=240, check=False,
                          env={"REEVE_URL": f"unix:{manager.socket}", "PATH": os.environ["PATH"], "HOME": "/proc/nobody"})


def install(manager, *words):
    """reeve plugin install."""
    return reeve(manager, "plugin", "install", *words)


def kept(manager):
    """Every file among those that were brought, whole or half."""
    return sorted(path.name for path in (manager.folder / "data/fetched").iterdir())


def shown(manager, name="mine"):
    """The plugin as the manager shows it; None: there is none."""
    answer = manager.get(f"/v1/plugins/{name}")
    assert answer.status in (200, 404), answer.text
    return answer.json if answer.status == 200 else None


def machines(manager, name="mine"):
    """The machines that the plugin really made."""
    return [path.name for folder in (manager.folder / "data/plugins").glob(f"*/{name}/*") for path in folder.glob("file-*")
            if path.suffix != ".new"]


def document(size=1, name="shop", **origin):
    """A cluster of machines of the plugin `mine`."""
    return {"name": name, "version": "1", "groups": {"web": {"size": size, "resourcePlugin": {"name": "mine", **origin}}}}


def apply(manager, *documents):
    """It is taken, also where its plugin is installed later."""
    answer = manager.apply(*documents, query="?allow-missing-plugin=1")
    assert answer.status == 200, answer.text


def events(manager, kind):
    """The events of a type."""
    return [event for event in manager.get("/v1/events?limit=500").json["items"] if event["type"] == kind]


def posted(manager, path, name="mine", **parameters):
    """Bytes, as a program sends them."""
    query = "&".join(f"{key}={value}" for key, value in {"name": name, **parameters}.items())
    return manager.ask("POST", f"/v1/plugins?{query}", path.read_bytes(), Content_Type="application/octet-stream")


def test_file_to_machines(made, manager):
    """A file is a plugin for files that name it, also for those that waited; after a start anew as well."""
    pin = digest(made["one"])
    with manager.start():
        apply(manager, document(1, "early"))  # waits: releases have no such plugin
        run = install(manager, made["one"])
        assert run.returncode == 0, run.stderr
        assert run.stdout.startswith("plugin/mine ") and run.stdout.endswith("profile cloud, contract 1.3: installed\n"), run.stdout
        assert pin in run.stdout
        until(lambda: kept(manager) == [f"{pin}.so"], lambda: str(kept(manager)))  # what was tried before has an end
        assert oct((manager.folder / "data/fetched" / f"{pin}.so").stat().st_mode & 0o777) == "0o444"
        seen = shown(manager)
        assert (seen["digest"], seen["profile"], seen["contract"], seen["fetched"]["by"]) == (pin, "cloud", "1.3", "installed"), seen
        until(lambda: len(machines(manager)) == 1, lambda: manager.log.read_text()[-3000:])
        told = events(manager, "plugin.installed")
        assert [event["digest"] for event in told] == [pin] and told[0]["actor"] != "reeve", told
        same = install(manager, made["one"])
        assert same.returncode == 0 and same.stdout.endswith("installed already\n"), same
        assert len(events(manager, "plugin.installed")) == 1
    with manager.start():
        listed = reeve(manager, "get", "plugins")
        assert "mine" in listed.stdout, listed
        apply(manager, document(2, sha256=pin), document(1, "named", url="https://example.com/never.so", version="9"))
        until(lambda: len(machines(manager)) == 4, lambda: manager.log.read_text()[-3000:])
        apply(manager, document(1, "wrong", sha256="0" * 64))  # what a file pins holds for it as well
        until(lambda: "the file pins the digest" in manager.get("/v1/holds").text)


def test_address_and_release(made, server, manager):
    """From an address, and by name and digest from where releases are; its name is deduced, or said."""
    one, two = digest(made["one"]), digest(made["two"])
    with manager.start():
        run = install(manager, server.url("/mine.so"), "--digest", f"sha256:{one.upper()}", "-o", "json")
        assert run.returncode == 0, run.stderr
        assert shown(manager)["fetched"]["url"] == server.url("/mine.so")
        server.paths["/two.so?pluginName=mine"] = made["two"].read_bytes()
        clash = install(manager, server.url("/two.so") + "?pluginName=mine")
        assert clash.returncode == 5 and "R0669" in clash.stderr, clash
        clash = install(manager, server.url("/two.so"), "--name", "mine")
        assert clash.returncode == 5 and "R0669" in clash.stderr and one in clash.stderr, clash
        assert kept(manager) == [f"{one}.so"] and shown(manager)["digest"] == one
        run = install(manager, server.url("/two.so"), "--name", "mine", "--replace")
        assert run.returncode == 0 and run.stdout.endswith(f"in place of {one[:12]}\n"), run
        assert shown(manager)["digest"] == two
        path = "/kadende-plugins/kadende-provider-mine/releases"
        server.paths[f"{path}/latest/download/plugin.so"] = made["one"].read_bytes()
        wrong = install(manager, f"mine@sha256:{'0' * 64}", "--replace")
        assert "R0644" in wrong.stderr and shown(manager)["digest"] == two, wrong
        run = install(manager, f"mine@sha256:{one}", "--replace")
        assert run.returncode == 0 and shown(manager)["digest"] == one, run


def refusals(made):
    """What is sent, by what name, and the code it is refused with."""
    return [(made["text"], {}, "R0646"), (made["other"], {}, "R0670"), (made["one"], {"name": "yours"}, "R0670"),
            (made["one"], {"digest": "0" * 64}, "R0644"), (made["one"], {"digest": "12"}, "R0316"), (made["one"], {"name": "plugin"}, "R0310"),
            (made["one"], {"name": ""}, "R0310"), (made["one"], {"name": "../up"}, "R0310"), (made["one"], {"name": "file"}, "R0669"),
            (made["one"], {"replace": "maybe"}, "R0426")]


def test_refused_and_nothing_is_left(made, manager):
    """A reason, and neither a file nor a plugin; with the same bytes under the right name it works right after."""
    with manager.start():
        before = manager.get("/v1/plugins").json["items"]
        for path, parameters, code in refusals(made):
            answer = posted(manager, path, **parameters)
            assert answer.status >= 400 and answer.code == code, (path.name, parameters, answer.text)
            assert kept(manager) == [], (path.name, parameters)
        assert "interface 7.3" in posted(manager, made["other"]).text
        assert "the plugin calls itself 'mine'" in posted(manager, made["one"], "yours").text
        assert len(manager.get("/v1/plugins").json["items"]) == len(before)
        for body in ({"name": "mine", "url": "file:///etc/passwd"}, {"name": "mine", "url": "https://10.0.0.1/x.so"},
                     {"name": "mine", "url": 7}, {"nmae": "mine"}, {}, [], {"name": "mine", "replace": "yes"}):
            assert manager.post("/v1/plugins", body).status >= 400, body
        assert kept(manager) == []
        too_many = 64 * 1024 * 1024 + 1
        refused = manager.raw(b"POST /v1/plugins?name=mine HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\n"
                              b"Expect: 100-continue\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % too_many)
        assert b" 413 " in refused, refused
        with open(manager.folder / "big.so", "wb") as file:
            file.truncate(too_many)
        run = install(manager, manager.folder / "big.so")
        assert run.returncode == 1 and "R0645" in run.stderr, run
        assert kept(manager) == []
        answer = posted(manager, made["one"])
        assert answer.status == 200 and answer.json["state"] == "installed", answer.text
        for turn in range(260):  # more than the manager has room for: what is refused takes none
            more = made["one"].read_bytes() + b"%d" % turn
            answer = manager.ask("POST", "/v1/plugins?name=yours", more, Content_Type="application/octet-stream")
            assert "the plugin calls itself 'mine'" in answer.text, answer.text
        assert posted(manager, made["one"]).json["state"] == "same"


def test_words(made, manager, tmp_path):
    """K10: a name is deduced from what is installed; one that says nothing is asked for. No manager is needed for it."""
    vague = tmp_path / "plugin.so"
    vague.write_bytes(made["one"].read_bytes())
    for words, code in (((vague,), "R0310"), (("mine",), "R0005"), (("https://example.com/releases/latest/download/plugin.so",), "R0310"),
                        (("https://example.com/x?pluginName=",), "R0310"), ((made["one"], "--digest", "12"), "R0316"),
                        ((made["one"], "--digest", "0" * 64), "R0644"), ((made["text"],), "R0620"), (("/no/such.so",), "R0011"),
                        (("mine@sha256:12",), "R0316"), ((f"mine@sha256:{'0' * 64}", "--digest", "0" * 64), "R0005")):
        run = install(manager, *words)
        assert run.returncode > 0 and f"error[{code}]" in run.stderr, (words, run.returncode, run.stderr)
    assert "--name" in install(manager, vague).stderr


def test_admins_only(made, manager):
    """An operator may not, and his bytes are not kept; what an admin brings into one tenant no other one has."""
    with manager.start():
        assert manager.post("/v1/users", {"name": "ana"}).status < 300
        assert manager.post("/v1/grants", {"user": "ana", "role": "operator"}).status < 300
        token = manager.post("/v1/tokens", {"user": "ana"}).json["token"]
        answer = manager.ask("POST", "/v1/plugins?name=mine", made["one"].read_bytes(), token=token,
                             Content_Type="application/octet-stream")
        assert answer.status == 403, answer.text
        assert kept(manager) == []
        assert manager.post("/v1/tenants", {"name": "lab"}).status < 300
        answer = manager.ask("POST", "/v1/plugins?name=mine&tenant=lab", made["one"].read_bytes(),
                             Content_Type="application/octet-stream")
        assert answer.status == 200, answer.text
        assert shown(manager) is None
        assert manager.get("/v1/plugins/mine?tenant=lab").json["fetched"]["by"] == "installed"
        refused = posted(manager, made["one"], "yours")  # and what this one is refused, that one keeps
        assert refused.code == "R0670" and kept(manager) == [f"{digest(made['one'])}.so"]


def test_lost_file(made, server, manager):
    """Its file is gone: said where it is looked for, and brought again."""
    pin = digest(made["one"])
    with manager.start():
        assert install(manager, made["one"]).returncode == 0
    (manager.folder / "data/fetched" / f"{pin}.so").unlink()
    with manager.start():
        assert "install it again with reeve plugin install" in shown(manager)["problem"]
        apply(manager, document(1))
        until(lambda: "install it again with reeve plugin install" in manager.get("/v1/holds").text)
        assert not server.asked
        run = install(manager, made["one"])
        assert run.returncode == 0, run.stderr
        until(lambda: len(machines(manager)) == 1, lambda: manager.log.read_text()[-3000:])


def test_end_in_the_midst(server, manager):
    """Who waits for an installation when the manager ends is told so at once, and nothing of it is left."""
    server.paths["/never.so"] = lambda request: server.over.wait(60)
    answers = []
    with manager.start():
        asking = threading.Thread(target=lambda: answers.append(
            manager.post("/v1/plugins", {"name": "mine", "url": server.url("/never.so")})))
        asking.start()
        until(lambda: server.asked)
    asking.join(60)
    assert answers and answers[0].status == 503 and "this manager is stopping" in answers[0].text, answers
    server.over.set()
    with manager.start():
        assert kept(manager) == [] and shown(manager) is None


def test_killed_in_the_midst(made, manager):
    """kill -9 at any moment: the plugin is there whole or not at all, no half file is left, and the same works again."""
    luck = random.Random(7)
    pin = digest(made["one"])
    ends = {"none": 0, "whole": 0}
    for _ in range(KILLS):
        manager.start()
        sender = threading.Thread(target=install, args=(manager, made["one"]))
        sender.start()
        time.sleep(luck.random() * 0.12)
        manager.kill()
        sender.join(60)
        with manager.start():
            assert all(not name.startswith(".") for name in kept(manager)), kept(manager)
            seen = shown(manager)
            ends["none" if seen is None else "whole"] += 1
            assert seen is None or (seen["digest"] == pin and "problem" not in seen and kept(manager) == [f"{pin}.so"]), seen
        if seen is not None:  # begin anew, or every further turn looks at the same
            subprocess.run(["rm", "-rf", str(manager.folder / "data")], check=True)
    print(ends)
    with manager.start():
        run = install(manager, made["one"])
        assert run.returncode == 0 and kept(manager) == [f"{pin}.so"], run
        apply(manager, document(1))
        until(lambda: len(machines(manager)) == 1)
