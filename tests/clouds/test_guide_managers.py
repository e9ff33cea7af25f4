"""The page of the guide on several managers, followed on loopback: its script, its files and its commands, for three computers.

Each 10.0.0.N:PORT becomes a free port of 127.0.0.1, and the folders of a computer are below one of the test.
"""

import os
import pathlib
import re
import shutil
import subprocess

import pytest
from pylib.managers import REEVED, Manager, reeve, until
from pylib.member import Member
from pylib.pages import page_steps
from pylib.ports import free_port
from manager import machine_files  # isort: skip

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/guide/managers.md"
REEVE = REEVED.parent / "reeve"
pytestmark = pytest.mark.skipif(shutil.which("etcd") is None, reason="needs etcd")
HOSTS = (1, 2, 3)


class Page:
    """The page, with the addresses and folders of the test."""

    def __init__(self, folder):
        self.folder, self.text, self.ports = folder, PAGE.read_text(), {}
        self.files = {name: block for kind, name, block in page_steps(PAGE) if kind == "file"}

    def here(self, text):
        """A text of the page as it is here."""
        def port(found):
            return f"127.0.0.1:{self.ports.setdefault(found[0], free_port())}"
        text = re.sub(r"10\.0\.0\.1\d:\d+", port, text).replace("/etc/etcd", str(self.folder / "etcd"))
        return re.sub(r"10\.0\.0\.1\d", "127.0.0.1", text)

    def of_host(self, text, number):
        """A file of the first computer, as the page says that it is on another one. Lines that list all computers are the same."""
        def other(line):
            if "10.0.0.12" in line:
                return line
            line = line.replace("10.0.0.11", f"10.0.0.1{number}").replace("host1", f"host{number}")
            return re.sub(r"^name: m1$", f"name: m{number}", re.sub(r"^zone: rack-1$", f"zone: rack-{number}", line))
        return self.here("\n".join(map(other, text.splitlines())) + "\n")

    def command(self, begin):
        """A command of the page that begins like this, without sudo."""
        return self.here(re.search(rf"^\$ (?:sudo )?({re.escape(begin)}.*)$", self.text, re.MULTILINE)[1])


def run(command, folder, **more):
    """What a command of the page prints."""
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False, timeout=240, **more)
    assert done.returncode == 0, f"$ {command}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


@pytest.fixture(name="page")
def fixture_page(tmp_path):
    """The page, and the etcd that it sets up."""
    page = Page(tmp_path)
    (tmp_path / "etcd").mkdir()
    run(page.here(page.files["certificates"]), tmp_path / "etcd")
    members = []
    try:
        for number in HOSTS:
            settings = dict(line.split("=", 1) for line in page.of_host(page.files["etcd-host1"], number).splitlines())
            settings["ETCD_DATA_DIR"] = str(tmp_path / f"host{number}/etcd")
            with open(tmp_path / f"etcd{number}.log", "wb") as log:
                members.append(subprocess.Popen(["etcd"], env={"PATH": os.environ["PATH"], **settings}, stdin=subprocess.DEVNULL, stdout=log,
                                                stderr=log, cwd=tmp_path))
        health = page.command("ETCDCTL_API=3 etcdctl")
        until(lambda: subprocess.run(["bash", "-c", health], capture_output=True, check=False, timeout=60).returncode == 0,
              (tmp_path / "etcd1.log").read_text)
        yield page
    finally:
        for member in members:
            member.kill()
            member.wait()


def manager_of(page, number):
    """The manager of a computer, with the configuration of the page; it is not started."""
    folder = page.folder / f"host{number}"
    config = re.search(r"^```yaml\n(name: m1\nzone: .*?)^```$", page.text, re.S | re.M)[1]
    (folder / "reeved.yaml").write_text(page.of_host(config, number) + f"data: {folder}/data\n")
    return Manager(folder, "--config", str(folder / "reeved.yaml"), "--haste", "20", control=True)


def states(manager):
    """The states of all managers, by name."""
    return {row["name"]: row["state"] for row in manager.get("/v1/managers").json["items"]}


def offline(page, number, *words, **more):
    """`reeve manager` on a computer."""
    return run(f"{REEVE} manager {' '.join(words)} --config {page.folder}/host{number}/reeved.yaml", page.folder, **more)


def log_in(page, manager):
    """The context of the page with all addresses, for a user with a token."""
    for path, body in (("users", {"name": "ana"}), ("grants", {"user": "ana", "role": "operator"})):
        assert manager.post(f"/v1/{path}", body).status < 300
    token = manager.post("/v1/tokens", {"user": "ana"}).json["token"]
    home = {"HOME": str(page.folder), "PATH": f"{REEVE.parent}:{os.environ['PATH']}"}
    run(page.command("reeve context login") + " --token-file -", page.folder, env=home, input=token + "\n")
    config = page.folder / ".config/reeve/config.yaml"
    urls = page.here(re.search(r"`(urls: \[[^`]*\])`", page.text)[1])
    config.write_text(re.sub(r"\burl: *\S+?(?=[,}\n])", urls, config.read_text()))
    assert "or  " in run("reeve context show", page.folder, env=home)
    return home


def test_a_store_that_reeve_runs_as_the_page_says(tmp_path):
    page = Page(tmp_path)
    folder = tmp_path / "host1"
    folder.mkdir()
    config = re.search(r"^```yaml\n(name: m1\nstore: managed\n.*?)^```$", page.text, re.S | re.M)[1]
    ports = f'{{managed: {{address: "127.0.0.1:{free_port()}", clients: "127.0.0.1:{free_port()}"}}}}'
    (folder / "reeved.yaml").write_text(f"name: m1\nstore: sqlite\ndata: {folder}/data\n")
    manager = Manager(folder, "--config", str(folder / "reeved.yaml"), "--haste", "20", control=True)
    member = Member(folder / "data")
    manager.start()
    try:
        manager.apply({"name": "shop", "version": "1", "groups": {"web": {"size": 0, "resourcePlugin": {"name": "file"}}}})
        assert manager.stop() == 0
        (folder / "reeved.yaml").write_text(page.here(config).replace("managed", ports) + f"data: {folder}/data\n")
        command = page.command("reeve manager move-store --to managed").replace("reeve", str(REEVE), 1)
        assert "the store has moved to the managed store" in run(f"{command} --config {folder}/reeved.yaml", folder)
        manager.start()
        assert [row["metadata"]["name"] for row in manager.get("/v1/clusters").json["items"]] == ["shop"]
        until(lambda: "m1" in reeve(manager, "manager", "status"), manager.log.read_text)
    finally:
        manager.kill()
        member.end()


def test_three_computers_as_the_page_says(page):
    managers = [manager_of(page, number) for number in HOSTS]

    def said():
        return "\n".join(manager.log.read_text()[-3000:] for manager in managers if manager.log.exists())
    try:
        first = managers[0].start()
        first.apply({"kind": "Secret", "name": "s", "value": "hush"})
        until((first.folder / "data.signer.key").exists, said)
        for number in HOSTS[1:]:
            token = offline(page, 1, "token").splitlines()[0]
            assert re.fullmatch("reeve-join-[A-Za-z0-9_-]{43}", token), token
            offline(page, number, "join", "-", input=token + "\n")
            managers[number - 1].start()
        until(lambda: states(first) == {"m1": "live", "m2": "live", "m3": "live"}, said)
        until(lambda: all([row.get("link", {}).get("state") for row in manager.get("/v1/managers").json["items"] if not row["here"]] == ["reachable"] * 2
                          for manager in managers), said)
        home = log_in(page, first)
        clusters = [{"name": f"c{number}", "version": "1", "groups": {"web": {"size": 3, "resourcePlugin": {"name": "file"}}}} for number in range(3)]
        first.apply(*clusters)
        until(lambda: all(len(machine_files(manager.folder)) == 3 for manager in managers),
              lambda: f"{[len(machine_files(manager.folder)) for manager in managers]}\n{said()}")
        first.kill()
        until(lambda: states(managers[1])["m1"] == "ended", said)
        until(lambda: not managers[1].get("/v1/managers").json.get("unassigned")
              and "m1" not in {row.get("manager") for row in managers[1].get("/v1/managers?cluster=c0").json["clusters"]}, said)
        assert "does not answer" in run("reeve get clusters", page.folder, env=home)
        assert "host_unreachable" in until(lambda: found if "host_unreachable" in (found := reeve(managers[1], "get", "holds")) else "", said)
        first.start()
        until(lambda: "host_unreachable" not in reeve(managers[1], "get", "holds"), said)
        assert all(len(machine_files(manager.folder)) == 3 for manager in managers)
        reeve(managers[1], "manager", "drain", "m2", "-m", "new kernel")
        until(lambda: states(first)["m2"] == "drained", said)
        reeve(managers[1], "manager", "undrain", "m2")
    finally:
        for manager in managers:
            if manager.process is not None:
                manager.end(15)
