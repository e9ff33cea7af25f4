"""A manager that fetches plugins (K11, I25, F19): from an address in a file to running machines, by a pin or by an approval;
and all that is refused on the way, with its reason where people look."""
import contextlib
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys

import pytest

import plugin
from pylib.proc import children, described, is_running, named
from manager import REEVED, Manager, until

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/pylib"))
from fetching import Authority, Server  # noqa: E402


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A server's certificate, and a plugin whose machines are folders: as it is, and as another one."""
    folder = tmp_path_factory.mktemp("fetching")
    authority = Authority(folder / "ca")
    one = plugin.build(folder, "mine").read_bytes()
    return {"authority": authority, "certificate": authority.sign("server"), "one": one, "two": one + b"two"}


def digest(data):
    """As files pin it."""
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def server(made):
    """Serves the first build at /plugin.so."""
    with Server(made["certificate"]) as one:
        one.paths["/plugin.so"] = made["one"]
        yield one


@pytest.fixture
def manager(made, tmp_path, server):
    """A manager that may reach the server."""
    return prepare(made, tmp_path, f"releases: {server.url('')}")


def prepare(made, folder, more="", allow="127.0.0.0/8"):
    """A manager with such settings."""
    config = folder / "reeved.yaml"
    config.write_text(f"fetch:\n  allow: ['{allow}']\n  ca: {made['authority'].file}\n  {more}\n")
    return Manager(folder, "--config", str(config), "--haste", "100", control=True)


def document(size=1, name="shop", **origin):
    """A cluster of machines of the plugin `mine`."""
    return {"name": name, "version": "1", "groups": {"web": {"size": size, "resourcePlugin": {"name": "mine", **origin}}}}


def machines(manager, name="mine"):
    """The machines that the plugin really made."""
    return [path.name for folder in (manager.folder / "data/plugins").glob(f"*/{name}/*") for path in folder.glob("file-*")
            if path.suffix != ".new"]


def reeve(manager, *words):
    """The command line, talking to that manager."""
    return subprocess.run([str(REEVED.parent / "reeve"), *words], capture_output=True, text=True, timeout=240, check=False,
                          env={"REEVE_URL": f"unix:{manager.socket}", "PATH": os.environ["PATH"], "HOME": "/proc/nobody"})


def holds(manager):
    """rule: fact."""
    return {hold["status"]["rule"] if "status" in hold else hold["rule"]: json.dumps(hold)
            for hold in manager.get("/v1/holds").json["items"]}


def events(manager, kind):
    """The events of a type."""
    return [event for event in manager.get("/v1/events?limit=500").json["items"] if event["type"] == kind]


def kept(manager):
    """What was fetched whole."""
    return sorted(path.name for path in (manager.folder / "data/fetched").iterdir() if not path.name.startswith(".fetch-"))


def apply(manager, *documents):
    """It is taken."""
    answer = manager.apply(*documents)
    assert answer.status == 200, answer.text


def test_pinned(made, server, manager):
    """A right pin works through to machines; nothing is asked, and nothing is fetched a second time."""
    pin = digest(made["one"])
    with manager.start():
        apply(manager, document(2, url=server.url("/plugin.so"), sha256=pin.upper()))
        until(lambda: len(machines(manager)) == 2, lambda: manager.log.read_text()[-3000:])
        assert not holds(manager) and kept(manager) == [f"{pin}.so"]
        assert oct((manager.folder / "data/fetched" / f"{pin}.so").stat().st_mode & 0o777) == "0o444"
        assert [event["digest"] for event in events(manager, "plugin.fetched")] == [pin]
        shown = manager.get("/v1/plugins/mine").json
        assert shown["digest"] == pin and shown["profile"] == "cloud", shown
        apply(manager, document(1, "blog", url=server.url("/plugin.so"), sha256=pin))
        until(lambda: len(machines(manager)) == 3)
    with manager.start():  # and after a start anew
        apply(manager, document(3, url=server.url("/plugin.so"), sha256=pin))
        until(lambda: len(machines(manager)) == 4)
        assert len(server.asked) == 1


def test_unpinned(made, server, manager):
    """Without a pin the first use is a hold that shows address, digest, size, version and name; approved, it goes on."""
    pin = digest(made["one"])
    with manager.start():
        apply(manager, document(1, url=server.url("/plugin.so")))
        until(lambda: "unpinned" in holds(manager), lambda: manager.log.read_text()[-3000:])
        hold = holds(manager)["unpinned"]
        for word in (pin, server.url("/plugin.so"), "mine", "latest", str(len(made["one"]))):
            assert word in hold, (word, hold)
        assert "unlisted" not in holds(manager)
        for _ in range(5):
            made_pass = manager.post("/v1/clusters/shop/pass", {})
            assert made_pass.status == 200, made_pass.text
        assert not machines(manager)
        said = manager.post("/v1/clusters/shop/say", {"command": "approve", "rule": "unpinned"})
        if said.status != 200:
            said = manager.post("/v1/nodegroups/shop/web/say", {"command": "approve", "rule": "unpinned"})
        assert said.status == 200, said.text
        until(lambda: len(machines(manager)) == 1, lambda: manager.log.read_text()[-3000:])
        until(lambda: not holds(manager))
        assert [event["digest"] for event in events(manager, "plugin.approved")] == [pin]
    server.paths["/plugin.so"] = made["two"]  # other bytes at the same address change nothing
    with manager.start():
        apply(manager, document(2, url=server.url("/plugin.so")))
        until(lambda: len(machines(manager)) == 2)
        assert len(server.asked) == 1
        (manager.folder / "data/fetched" / f"{pin}.so").unlink()
    with manager.start():  # what was lost is fetched again, and must be what was approved
        until(lambda: pin in json.dumps(events(manager, "plugin.refused")), lambda: str(holds(manager)))
        told = events(manager, "plugin.refused")[-1]
        assert pin in told["fact"] and digest(made["two"]) in told["fact"], told
        server.paths["/plugin.so"] = made["one"]
        until(lambda: kept(manager) == [f"{pin}.so"])
        apply(manager, document(3, url=server.url("/plugin.so")))
        until(lambda: len(machines(manager)) == 3, lambda: manager.log.read_text()[-3000:])


def test_latest_of_releases(made, server, manager):
    """K11: without an address it is where releases are; latest is resolved once, and its version written down."""
    base = "/kadende-plugins/kadende-provider-mine/releases"
    server.redirect(f"{base}/latest/download/plugin.so", f"{base}/download/v1.2/plugin.so")
    server.paths[f"{base}/download/v1.2/plugin.so"] = made["one"]
    with manager.start():
        apply(manager, document(1, sha256=digest(made["one"])))
        until(lambda: len(machines(manager)) == 1, lambda: manager.log.read_text()[-3000:])
        assert manager.get("/v1/plugins/mine").json["fetched"]["version"] == "v1.2"
        asked = len(server.asked)
        server.redirect(f"{base}/latest/download/plugin.so", f"{base}/download/v1.3/plugin.so")
        apply(manager, document(2, sha256=digest(made["one"])))
        until(lambda: len(machines(manager)) == 2)
        assert len(server.asked) == asked


def test_literal_latest(made, server, manager):
    """K11: where a server keeps no name for the newest, it may have a release of that name."""
    server.paths["/kadende-plugins/kadende-provider-mine/releases/download/latest/plugin.so"] = made["one"]
    with manager.start():
        apply(manager, document(1, sha256=digest(made["one"])))
        until(lambda: len(machines(manager)) == 1, lambda: manager.log.read_text()[-3000:])


def test_refused_and_others_go_on(made, server, manager):
    """F19: what is not what is pinned is told once with both digests, tried again, and holds up nobody else."""
    server.paths["/plugin.so"] = made["two"]
    pin = digest(made["one"])
    with manager.start():
        apply(manager, document(1, url=server.url("/plugin.so"), sha256=pin))
        until(lambda: "unlisted" in holds(manager) and digest(made["two"]) in holds(manager)["unlisted"],
              lambda: str(holds(manager)))
        assert pin in holds(manager)["unlisted"]
        other = {"name": "other", "version": "1", "groups": {"db": {"size": 2, "resourcePlugin": {"name": "file"}}}}
        apply(manager, other)
        until(lambda: len(machines(manager, "file")) == 2)
        until(lambda: len(server.asked) >= 3)  # after pauses that grow
        assert len(events(manager, "plugin.refused")) == 1
        assert not machines(manager) and kept(manager) == []
        server.paths["/plugin.so"] = made["one"]
        until(lambda: len(machines(manager)) == 1)


@pytest.mark.parametrize("path, reason", [("/none", "404"), ("/page", "not a shared object"), ("https://10.0.0.1/x.so", "a private network"),
                                          ("file:///etc/passwd", "does not accept file://"), ("https://0x7f.1/x", "number")])
def test_reasons(made, server, manager, path, reason):
    """The address and the reason stand where the machines should."""
    server.paths["/page"] = b"<html>hello</html>"
    url = server.url(path) if path.startswith("/") else path
    with manager.start():
        apply(manager, document(1, url=url))
        until(lambda: reason in holds(manager).get("unlisted", ""), lambda: str(holds(manager)))
        assert not machines(manager) and kept(manager) == []


def test_nothing_is_allowed_by_itself(made, server, tmp_path):
    """I26: without settings loopback is refused, files are, and a plugin without an address is nowhere."""
    manager = Manager(tmp_path, "--haste", "100", control=True)
    with manager.start():
        apply(manager, document(1, url=server.url("/plugin.so"), sha256=digest(made["one"])),
              document(1, "blog", url=server.url("/plugin.so"), sha256=digest(made["one"])))
        until(lambda: "this machine itself" in holds(manager).get("unlisted", ""), lambda: str(holds(manager)))
        assert server.asked == [] and kept(manager) == []


def test_off(made, server, tmp_path):
    """A manager that fetches nothing says so."""
    manager = prepare(made, tmp_path, "enabled: false")
    with manager.start():
        apply(manager, document(1, url=server.url("/plugin.so"), sha256=digest(made["one"])))
        until(lambda: "does not fetch plugins" in holds(manager).get("unlisted", ""), lambda: str(holds(manager)))
        assert server.asked == []


def test_file(made, server, tmp_path):
    """file:///PATH, where the settings let it: the digest decides as for all."""
    manager = prepare(made, tmp_path, "files: true")
    (tmp_path / "mine.so").write_bytes(made["one"])
    with manager.start():
        apply(manager, document(1, url=f"file://{tmp_path}/mine.so", sha256=digest(made["one"])))
        until(lambda: len(machines(manager)) == 1, lambda: manager.log.read_text()[-3000:])


def fetching(manager):
    """The processes that fetch."""
    return [pid for pid in children(manager.process.pid) if named(pid) == "reeve-fetch"]


def halves(manager):
    """What was fetched in part; one that goes in this moment is none."""
    found = []
    for path in (manager.folder / "data/fetched").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found += [path] if path.stat().st_size >= 4096 else []
    return found


def test_killed_in_the_midst(made, server, manager):
    """Whoever is killed in the midst leaves nothing that is ever loaded, and half a file goes at the next start."""
    def slow(request):
        request.send_response(200)
        request.send_header("Content-Length", str(len(made["one"])))
        request.end_headers()
        request.wfile.write(made["one"][:9000])
        server.over.wait(20)

    server.paths["/plugin.so"] = slow
    folder = manager.folder / "data/fetched"
    manager.start()
    apply(manager, document(1, url=server.url("/plugin.so"), sha256=digest(made["one"])))

    def stopped_in_the_midst():
        """Its manager stands still while we look: one that is too slow is given up, and what came of it is removed."""
        os.kill(manager.process.pid, signal.SIGSTOP)
        found = halves(manager) and fetching(manager)
        if not found:
            os.kill(manager.process.pid, signal.SIGCONT)
        return found

    os.kill(until(stopped_in_the_midst)[0], signal.SIGKILL)
    os.kill(manager.process.pid, signal.SIGCONT)
    asked = len(server.asked)
    until(lambda: len(server.asked) > asked)  # tried again
    victims = until(stopped_in_the_midst)
    manager.kill()
    assert [path.name for path in folder.iterdir() if not path.name.startswith(".fetch-")] == []
    assert list(folder.iterdir())
    until(lambda: not any(map(is_running, victims)), lambda: described(victims))
    server.paths["/plugin.so"] = made["one"]
    with manager.start():
        until(lambda: len(machines(manager)) == 1, lambda: manager.log.read_text()[-3000:])
        assert kept(manager) == [f"{digest(made['one'])}.so"]


def test_upgrade(made, server, manager):
    """What is kept moves by an upgrade alone: at once where the file pins what comes, else when it is approved."""
    def upgrade(name="mine"):
        return manager.post(f"/v1/plugins/{name}/upgrade", {})

    with manager.start():
        assert upgrade().status == 404
        apply(manager, document(1, url=server.url("/plugin.so"), sha256=digest(made["one"])))
        until(lambda: len(machines(manager)) == 1)
        same = upgrade()
        assert same.status == 200 and same.json["state"] == "same", same.text
        server.paths["/plugin.so"] = made["two"]
        wrong = upgrade()
        assert wrong.code == "R0644" and digest(made["two"]) in wrong.text, wrong.text
        apply(manager, document(2, url=server.url("/plugin.so"), sha256=digest(made["two"])))
        until(lambda: "reeve plugin upgrade mine" in holds(manager).get("unlisted", ""), lambda: str(holds(manager)))
        moved = upgrade()
        assert moved.status == 200, moved.text
        moved = moved.json
        assert moved["state"] == "moved" and moved["digest"] == digest(made["two"]), moved
        until(lambda: len(machines(manager)) == 2, lambda: str(holds(manager)))
        server.paths["/plugin.so"] = made["one"]
        apply(manager, document(2, url=server.url("/plugin.so")))
        answers = []
        until(lambda: answers.append(upgrade()) or answers[-1].status == 200, lambda: answers[-1].text)  # once it is read
        waits = answers[-1].json
        assert waits["state"] == "waits" and waits["digest"] == digest(made["one"]), waits
        until(lambda: digest(made["one"]) in holds(manager).get("unpinned", ""))
        apply(manager, document(3, url=server.url("/plugin.so")))  # what is approved goes on meanwhile
        until(lambda: len(machines(manager)) == 3)
        said = manager.post("/v1/nodegroups/shop/web/say", {"command": "approve", "rule": "unpinned"})
        assert said.status == 200, said.text
        until(lambda: manager.get("/v1/plugins/mine").json["digest"] == digest(made["one"]))
        assert upgrade("file").code == "R0649"
        same = reeve(manager, "plugin", "upgrade", "mine")
        assert same.stdout == f"plugin/mine latest, sha256 {digest(made['one'])[:12]}: installed already\n", same
        assert reeve(manager, "plugin", "upgrade", "nobodys").returncode == 4


def test_groups_that_differ(made, server, manager):
    """Two groups of a cluster that say different things of one plugin are told so, and neither is believed."""
    two = document(1, url=server.url("/plugin.so"), sha256=digest(made["one"]))
    two["groups"]["db"] = {"size": 1, "resourcePlugin": {"name": "mine", "url": server.url("/other.so")}}
    with manager.start():
        apply(manager, two)
        until(lambda: "different versions" in holds(manager).get("unlisted", ""), lambda: str(holds(manager)))
        assert server.asked == []


def test_doctor(made, manager):
    """The policy is told where a machine is looked over."""
    with manager.start():
        said = reeve(manager, "doctor")
        assert "by https from public addresses and 127.0.0.0/8; CA certificates also of" in said.stdout, said.stdout + said.stderr
