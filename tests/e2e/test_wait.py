"""reeve wait: one deadline for all, and the names of what is missing with the reason (UX.md U1, U2, 3.7)."""
import http.server
import json
import os
import pathlib
import re
import socket
import socketserver
import subprocess
import threading

import pytest

from conftest import ENVIRONMENT, REEVE
from manager import cluster, in_time

WEB_DB = "examples/web-db.yaml"


@pytest.fixture
def waiting(at):
    """Start reeve wait, and read what it waits for; finish(run) gives the exit code and all it said."""
    started = []

    def run(*arguments):
        one = subprocess.Popen([str(REEVE), "wait", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env={**ENVIRONMENT, **at})
        started.append(one)
        one.said = one.stderr.readline()
        return one
    yield run
    for one in started:
        if one.poll() is None:
            one.kill()
        one.communicate()


def finish(one):
    said = one.communicate(timeout=240)[1]
    assert "Sanitizer" not in said, said
    return one.returncode, one.said + said


def test_a_thousand_objects_have_one_deadline(manager, managed, waiting):
    manager.apply(cluster("many", **{f"g{i}": 1 for i in range(1000)}))
    names = [f"nodegroup/many/g{i}" for i in range(1002)]
    run = managed("wait", *names[:1000], "--for", "exists", "--timeout", "50s")
    assert run.returncode == 0 and run.stderr == "1000 of 1000: exists\n"
    run = in_time(lambda: managed("wait", *names, "--for", "exists", "--timeout", "5s"))
    assert run.returncode == 8
    assert run.stderr.splitlines()[0] == ("waiting for 2 of 1002: nodegroup/many/g1000 does not exist yet; "
                                          "nodegroup/many/g1001 does not exist yet")
    assert run.stderr.count("error[R0028]") == 2
    one = waiting(*names, "--for", "exists", "--timeout", "50s")
    manager.patch("/v1/clusters/many", {"groups": {
        f"g{i}": {"size": 1, "resourcePlugin": {"name": "sim"}} for i in (1000, 1001)}})
    assert finish(one)[0] == 0


def test_what_is_missing_is_named_with_its_reason(manager, managed):
    manager.apply(cluster("shop", web=3))
    run = in_time(lambda: managed("wait", "cluster/shop", "ng/shop/none", "--for", "revision=99", "--timeout", "2s"))
    assert run.returncode == 8
    assert re.search(r"error\[R0028\]: cluster/shop is at revision \d, not 99; last changed by root, 20\d\d-", run.stderr)
    assert "error[R0028]: nodegroup/shop/none does not exist yet" in run.stderr
    run = in_time(lambda: managed("wait", "cluster/shop", "cluster/none", "--for", "gone", "--timeout", "2s"))
    assert run.returncode == 8
    assert "cluster/shop still exists, last changed by root" in run.stderr and "cluster/none" not in run.stderr
    run = managed("wait", "cluster/shop", "--for", "revision=99", "--timeout", "2s", "-o", "json")
    assert run.returncode == 2  # it has no output but what it says


class Late(http.server.BaseHTTPRequestHandler):
    """A manager under which a cluster comes between two looks: nobody finds it the first time."""
    protocol_version = "HTTP/1.1"
    looks = 0

    def do_GET(self):  # pylint: disable=invalid-name
        """Histories; of what comes later the stream tells nothing."""
        if self.path.startswith("/v1/watch"):
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write(b"event: hello\ndata: {}\n\n")
            self.rfile.read()  # until who asked has gone
            return
        Late.looks += "late" in self.path
        is_there = "shop" in self.path or Late.looks > 1
        body = json.dumps({"items": [{"revision": 7, "by": "ann", "updated": "2026-01-01T00:00:00Z"}], "revision": 9}
                          if is_there else {"status": 404, "title": "not found", "code": "R0403"}).encode()
        self.send_response(200 if is_there else 404)
        self.send_header("Content-Type", "application/json" if is_there else "application/problem+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self):
        return "unix"

    def log_message(self, *args):  # pylint: disable=arguments-differ
        """Nobody wants to know."""


def test_what_comes_between_two_looks_is_not_missed(tmp_path):
    with socketserver.ThreadingUnixStreamServer(str(tmp_path / "s"), Late) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        run = subprocess.run([str(REEVE), "wait", "cluster/late", "cluster/shop", "--for", "exists", "--timeout", "50s"],
                             capture_output=True, text=True, check=False, timeout=240,
                             env={**os.environ, "REEVE_URL": f"unix:{tmp_path}/s", "HOME": str(tmp_path)})
        server.shutdown()
    assert run.returncode == 0 and Late.looks == 2, run


def test_min(manager, managed, waiting):
    manager.apply(cluster("a", web=1), cluster("b", web=1))
    names = ["cluster/a", "cluster/b", "cluster/c", "cluster/d"]
    for least in ("2", "50%", "26%"):
        assert managed("wait", *names, "--for", "exists", "--min", least, "--timeout", "50s").returncode == 0
    one = waiting(*names, "--for", "exists", "--min", "3", "--timeout", "50s")
    manager.apply(cluster("d", web=1))
    code, said = finish(one)
    assert code == 0 and said.endswith("3 of 4: exists\n")
    for least, hint in (("5", "is more than the number of given"), ("0", "--min does not accept"), ("101%", "--min does not accept"),
                        ("x", "--min does not accept"), ("%", "--min does not accept")):
        run = managed("wait", *names, "--for", "exists", "--min", least)
        assert run.returncode == 2 and hint in run.stderr, run.stderr


def test_a_selection_may_be_empty_at_first(manager, managed, waiting):
    """Zero matches is a state to wait out; and for `gone` it is what is waited for."""
    one = waiting("clusters", "-l", "tier=gold", "--for", "exists", "--timeout", "50s")
    manager.apply({**cluster("plain", web=1)})
    assert one.poll() is None
    manager.apply({**cluster("shop", web=1), "labels": {"tier": "gold"}})
    assert finish(one)[0] == 0
    assert managed("wait", "clusters", "-l", "tier=none", "--for", "gone", "--timeout", "50s").returncode == 0
    one = waiting("clusters", "-l", "tier=gold", "--for", "gone", "--timeout", "50s")
    assert manager.ask("DELETE", "/v1/clusters/shop?allow=destroy:9").status == 200
    assert finish(one)[0] == 0
    one = waiting("nodegroups", "-c", "plain", "--for", "exists", "--min", "2", "--timeout", "50s")
    manager.patch("/v1/clusters/plain", {"groups": {"db": {"size": 1, "resourcePlugin": {"name": "sim"}}}})
    assert finish(one)[0] == 0
    run = in_time(lambda: managed("wait", "clusters", "-l", "tier=none", "--for", "exists", "--timeout", "2s"))
    assert run.returncode == 8 and "there are 0 such clusters" in run.stderr, run.stderr


def test_more_than_there_are(manager, managed):
    """What is not there cannot go; what shall be there may come, and how many are missing is said."""
    manager.apply(cluster("shop", web=1, db=1))
    run = managed("wait", "nodegroups", "-c", "shop", "--for", "gone", "--min", "9", "--timeout", "5s")
    assert run.returncode == 2 and "fewer than 9 such nodegroups" in run.stderr, run.stderr
    assert "there are 2: nodegroup/shop/db, nodegroup/shop/web" in run.stderr
    run = in_time(lambda: managed("wait", "nodegroups", "-c", "shop", "--for", "exists", "--min", "9", "--timeout", "2s"))
    assert run.returncode == 8 and "waiting for 7 of 9: only 2 such nodegroups are present\n" in run.stderr, run.stderr


def test_or_fail(manager, waiting):
    """What was waited for is deleted: with --or-fail that is the end, without it may come again."""
    manager.apply(cluster("shop", web=1, db=1))
    one = waiting("ng/shop/web", "--for", "revision=99", "--or-fail", "--timeout", "50s")
    two = waiting("ng/shop/web", "--for", "exists,revision=3", "--timeout", "50s")
    three = waiting("cluster/shop", "ng/shop/db", "--for", "revision=99", "--or-fail", "--min", "1", "--timeout", "50s")
    assert manager.ask("DELETE", "/v1/nodegroups/shop/web?allow=destroy:1").status == 200
    code, said = finish(one)
    assert code == 1 and "error[R0029]: nodegroup/shop/web was deleted at revision" in said
    manager.patch("/v1/clusters/shop", {"groups": {"web": {"size": 1, "resourcePlugin": {"name": "sim"}}}})
    assert finish(two)[0] == 0
    assert three.poll() is None
    assert manager.ask("DELETE", "/v1/clusters/shop?allow=destroy:9").status == 200
    assert finish(three)[0] == 1


def test_a_cluster_changes_with_its_groups(manager, waiting):
    manager.apply(cluster("shop", web=1))
    revision = manager.get("/v1/clusters/shop").json["metadata"]["revision"]
    one = waiting("cluster/shop", "--for", f"revision={revision + 1}", "--timeout", "50s")
    manager.patch("/v1/nodegroups/shop/web", {"size": 2})
    assert finish(one)[0] == 0


def test_a_manager_that_comes_back(manager, waiting):
    """No line is lost while it was away."""
    manager.apply(cluster("shop", web=1))
    one = waiting("cluster/late", "--for", "exists", "--timeout", "50s")
    manager.kill()
    manager.start()
    manager.apply(cluster("late", web=1))
    code, said = finish(one)
    assert code == 0, said


def test_a_manager_that_still_reads_its_store(manager, waiting):
    """It answers already, and says so: as one that is away."""
    manager.apply(cluster("shop", web=1))
    one = waiting("cluster/late", "--for", "exists", "--timeout", "60s")
    body = json.dumps({"type": "about:blank", "title": "not ready yet", "status": 503, "code": "R0428",
                       "errors": [{"code": "R0428", "text": "this manager is still reading its store", "severity": "error"}]}).encode()
    manager.kill()
    pathlib.Path(manager.socket).unlink()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(manager.socket)
        server.listen()
        server.settimeout(60)
        for _ in range(2):
            with server.accept()[0] as connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\n"
                                   b"Content-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(body), body))
    pathlib.Path(manager.socket).unlink()
    manager.start()
    manager.apply(cluster("late", web=1))
    code, said = finish(one)
    assert code == 0, said


@pytest.mark.parametrize("words,code,told", [
    (["cluster/a", "--for", "exits"], 2, "there is no condition 'exits'"),
    (["cluster/a", "--for", "verified"], 2, "error[R0010]"),
    (["cluster/a", "--for", "gone,exists"], 2, "can never be met"),
    (["cluster/a", "--for", "revision=x"], 2, "there is no condition 'revision=x'"),
    (["cluster/a"], 2, "wait needs --for"),
    (["clusters", "a", "-l", "x=y", "--for", "gone"], 2, "names and -l exclude each other"),
    (["nodegroup/a/web", "--for", "ready"], 2, "--for ready is only for clusters, not for nodegroups"),
    (["nodegroups", "-c", "a", "--for", "exists,ready"], 2, "not for nodegroups"),
    (["cluster/a", "clustertemplate/b", "--for", "ready"], 2, "not for clustertemplates"),
    (["clusters", "-c", "a", "--for", "gone"], 2, "-c is for nodegroups"),
    (["clusters", "-l", "x==", "--for", "gone"], 2, "error[R0531]"),
])
def test_wrong_use(managed, words, code, told):
    run = managed("wait", *words, "--timeout", "1s")
    assert run.returncode == code and told in run.stderr, run.stderr
    assert json.dumps(run.stdout) == '""'
