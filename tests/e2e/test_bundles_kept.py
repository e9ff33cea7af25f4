"""Bundles that nothing names go, after a time; whatever can still be asked for stays."""
import concurrent.futures
import contextlib
import hashlib
import io
import os
import pathlib
import random
import re
import sys
import tarfile
import time

import pytest

from manager import REEVED, Manager, cluster, until

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "remote"))
from hostile import every  # noqa: E402

DAY = 24 * 3600
MEMORY_FACTOR = 30 if REEVED.parent.name == "asan" else 1  # a sanitizer keeps what was freed
FILE = """version: "1"
name: {name}
groups:
  web:
    size: 0
    resourcePlugin: {{name: sim}}
    bootstrap:
      - {{tar: {tar}}}
"""


def done(run, code=0):
    """It ended so."""
    assert run.returncode == code, run.stdout + run.stderr
    return run


def archive(word):
    """A bundle whose script says this, as an archive's bytes."""
    data, out = f"echo {word}\n".encode(), io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        member = tarfile.TarInfo("bootstrap.sh")
        member.size = len(data)
        tar.addfile(member, io.BytesIO(data))
    return out.getvalue()


class Depot:
    """A manager, and its bundles. At first it looks at them in a minute, so that a test has time for what is to be found; once it
    has begun anew its looks come soon after its start."""

    def __init__(self, folder, *flags):
        self.flags = flags
        self.manager = Manager(folder, *flags, control=True).start()
        self.path = self.manager.folder / "data/bundles"

    def send(self, word):
        """Keep a bundle; its digest."""
        answer = self.manager.ask("POST", "/v1/bundles", archive(word), content_type="application/octet-stream")
        assert answer.status == 200, answer.text
        return answer.json["digest"]

    def kept(self):
        """Digests of those that are there."""
        return {path.name for path in self.path.iterdir()}

    def age(self, days, digests=None):
        """Nobody has wanted them for so long."""
        then = time.time() - days * DAY
        for path in self.path.iterdir():
            if digests is None or path.name in digests:
                with contextlib.suppress(FileNotFoundError):  # swept in this moment
                    os.utime(path, (then, then))

    def days(self, digest):
        """Since it was wanted."""
        return (time.time() - (self.path / digest).stat().st_mtime) / DAY

    def begin_anew(self, kill=False):
        """It looks within a second or so."""
        (self.manager.kill if kill else self.manager.stop)()
        self.manager.flags = ("--haste", "100", *self.flags)
        self.manager.start()


@pytest.fixture
def depot(tmp_path_factory):
    """As above; ended with the test."""
    one = Depot(tmp_path_factory.mktemp("m"))
    yield one
    assert one.manager.stop() in (0, None), one.manager.log.read_text()


@pytest.fixture
def run(reeve, folder, depot):
    """reeve, talking to its manager."""
    return lambda *words: reeve(*words, env={"REEVE_URL": f"unix:{depot.manager.socket}", "HOME": str(folder)})


def apply(run, folder, name, word):
    """A cluster with this bundle; its digest."""
    (folder / f"{word}.tar").write_bytes(archive(word))
    (folder / "f.yaml").write_text(FILE.format(name=name, tar=f"{word}.tar"))
    done(run("apply", "-f", "f.yaml", "--yes"))
    return re.search(r"sha256:([0-9a-f]{64})", done(run("get", "cluster", name, "-o", "yaml")).stdout)[1]


def name_it(depot, name, word):
    """A cluster with this bundle, made without a plan: that would name it for some hours. Its digest."""
    digest, one = depot.send(word), cluster(name, web=0)
    one["groups"]["web"]["bootstrap"] = [{"bundle": f"{word}@sha256:{digest}"}]
    depot.manager.apply(one)
    return digest


def swept(depot):
    """How many were removed, in all."""
    return sum(int(n) for n in re.findall(r"bundles: swept bundles=(\d+)", depot.manager.log.read_text()))


def test_what_nothing_names_goes_and_all_else_stays(depot, run, folder):
    """Named by what stands there, by an earlier revision, by a saved plan, or sent just now."""
    before, now = name_it(depot, "shop", "before"), name_it(depot, "shop", "now")
    gone, both = name_it(depot, "other", "gone"), name_it(depot, "third", "both")
    done(run("delete", "cluster", "other", "--yes", "--allow", "destroy=1"))
    until(lambda: "other" not in done(run("get", "clusters")).stdout)
    (folder / "planned.tar").write_bytes(archive("planned"))
    (folder / "f.yaml").write_text(FILE.format(name="fourth", tar="planned.tar"))
    done(run("plan", "-f", "f.yaml", "--save"))
    unnamed, fresh = depot.send("unnamed"), depot.send("fresh")
    kept = depot.kept()
    assert len(kept) == 7
    planned = (kept - {before, now, gone, both, unnamed, fresh}).pop()  # sent when the plan was saved
    depot.age(20, kept - {fresh})
    depot.age(13, {fresh})
    depot.begin_anew()
    until(lambda: swept(depot) > 0, lambda: depot.manager.log.read_text())
    assert depot.kept() == {before, now, both, planned, fresh} and swept(depot) == 2
    assert all(depot.days(digest) < 1 for digest in (before, now, both, planned)) and depot.days(fresh) > 12
    # what was swept comes again with the next apply, and what was not can be gone back to
    assert apply(run, folder, "other", "gone") == gone and gone in depot.kept()
    done(run("undo", "cluster", "shop", "--yes"))
    assert before in done(run("get", "cluster", "shop", "-o", "yaml")).stdout


def test_archives_of_removed_revisions_go(depot, run, folder):
    """Those of revisions that are there stay, however old they are."""
    depot.path = depot.manager.folder / "data/configurations"
    digests = []
    for word in ("first", "second"):
        (folder / "site/base").mkdir(parents=True, exist_ok=True)
        (folder / "site/base/bootstrap.sh").write_text(f"echo {word}\n")
        answer = done(run("config", "push", "site", "--name", "site", "-o", "json")).stdout
        digests.append(re.search(r'"digest": "([0-9a-f]{64})"', answer)[1])
    assert depot.kept() == set(digests)
    assert done(run("config", "gc", "site", "--keep", "1")).stdout == "config/site@r1 removed\n"
    depot.age(20)
    depot.begin_anew()
    until(lambda: depot.kept() == {digests[1]}, lambda: depot.manager.log.read_text())
    assert depot.days(digests[1]) < 1
    # the same files pushed again are sent again
    (folder / "site/base/bootstrap.sh").write_text("echo first\n")
    assert "site@r3 stored" in done(run("config", "push", "site", "--name", "site")).stdout and depot.kept() == set(digests)


def test_bundles_are_listed_with_their_users(depot, run):
    """Those that groups name; each by the name that a file has for it, and in every format of lists."""
    digest, one = depot.send("hello"), cluster("shop", web=0, db=0)
    for group in ("web", "db"):
        one["groups"][group]["bootstrap"] = [{"bundle": f"hello@sha256:{digest}"}]
    depot.manager.apply(one)
    other = name_it(depot, "lab", "other")
    assert done(run("get", "bundles", "-o", "name")).stdout.split() == [f"bundle/other@sha256:{other}", f"bundle/hello@sha256:{digest}"]
    shown = done(run("get", "bundles", "hello", "-o", "json")).stdout
    assert digest in shown and other not in shown and "shop/db" in shown and "shop/web" in shown
    table = done(run("get", "bundles")).stdout.splitlines()
    assert table[0].split() == ["NAME", "DIGEST", "KEPT", "USED", "BY"] and "yes" in table[1] and digest[:12] in table[2]
    for form in ("wide", "jsonl", "yaml"):
        assert digest in done(run("get", "bundle", "hello", "-o", form)).stdout
    assert "R0403" in done(run("get", "bundles", "nope"), 4).stderr
    assert "--watch does not apply to bundles" in done(run("get", "bundles", "-w"), 2).stderr


def test_who_asks_for_a_bundle_has_time_to_name_it(depot):
    """An apply that finds it there does not send it: it must not go between that and its change."""
    digest = depot.send("asked")
    depot.age(20)
    assert depot.manager.get(f"/v1/bundles/{digest}").status == 200
    assert depot.days(digest) < 1
    depot.age(20)
    assert depot.send("asked") == digest and depot.days(digest) < 1
    other = depot.send("other")
    depot.age(20, {other})
    depot.begin_anew()
    until(lambda: swept(depot) > 0, lambda: depot.manager.log.read_text())
    assert depot.kept() == {digest}
    assert depot.manager.get(f"/v1/bundles/{other}").status == 404


def test_a_kill_in_between_loses_nothing(depot):
    """Killed at any moment of a look, again and again: in the end what nothing names is gone, and nothing else ever was."""
    luck = random.Random(11)
    named = {name_it(depot, "shop", f"version-{i}") for i in range(6)}
    for _ in range(8):
        for i in range(60):
            depot.send(f"unnamed {i}")
        depot.age(20)
        depot.begin_anew(kill=True)
        time.sleep(luck.uniform(0.5, 1.6))  # the moment of the kill, which the next turn makes
        assert named <= depot.kept()
    depot.begin_anew(kill=True)
    until(lambda: depot.kept() == named, lambda: depot.manager.log.read_text())
    for digest in named:
        assert depot.manager.get(f"/v1/bundles/{digest}").status == 200


@pytest.mark.parametrize("keep,age,stays", [("30d", 20, True), ("2d", 3, False)])
def test_the_time_is_a_setting(tmp_path_factory, keep, age, stays):
    """So that who has room keeps more."""
    folder = tmp_path_factory.mktemp("m")
    (folder / "config.yaml").write_text(f"bundlesKeep: {keep}\n")
    depot = Depot(folder, "--config", str(folder / "config.yaml"))
    digest, other = depot.send("one"), depot.send("two")
    depot.age(age, {digest})
    depot.age(100, {other})
    depot.begin_anew()
    until(lambda: swept(depot) > 0, lambda: depot.manager.log.read_text())  # said at its end: one goes after the other
    assert depot.kept() == ({digest} if stays else set())
    depot.manager.stop()


@pytest.mark.parametrize("keep", ["1h", "0d", "never", "[]", "4000d"])
def test_a_setting_that_is_none(folder, reeve, keep):
    """It says what may stand there."""
    del reeve
    (folder / "config.yaml").write_text(f"bundlesKeep: {keep}\n")
    one = Manager(folder, "--config", "config.yaml", "--check-config")
    one.start(wait=False)
    assert one.process.wait(30) == 3
    assert "bundles must be kept for 1d to 3650d" in one.log.read_text()


# ---- in pieces ----

def pieces(manager, data, size=1 << 20):
    """Send an archive's bytes, in pieces: the last answer."""
    digest, have, answer = hashlib.sha256(data).hexdigest(), 0, None
    while have < len(data):
        answer = manager.ask("POST", f"/v1/bundles/{digest}?bytes={len(data)}&offset={have}", data[have:have + size],
                             content_type="application/octet-stream")
        if answer.status != 200:
            break
        assert answer.json["have"] > have, answer.text
        have = answer.json["have"]
    return answer


def test_a_bundle_of_another_tenant_is_not_known(depot):
    """Whoever knows its digest gets nothing by it: neither whether it is kept, nor the right to use it, but by sending all of it."""
    manager = depot.manager
    digest = depot.send("secret" * 900)
    data = (depot.path / digest).read_bytes()
    for tenant in ("b", "c"):
        assert manager.post("/v1/tenants", {"name": tenant}).status == 201

    def known(tenant):
        return manager.get(f"/v1/bundles/{digest}", Reeve_Tenant=tenant).status

    def send(offset, piece, size=None):
        return manager.ask("POST", f"/v1/bundles/{digest}?bytes={size or len(data)}&offset={offset}", piece,
                           Content_Type="application/octet-stream", Reeve_Tenant="b")
    assert (known("default"), known("b"), known("c")) == (200, 404, 404)
    assert manager.get(f"/v1/bundles/{digest}", Reeve_Tenant="b").json["detail"] == \
        manager.get(f"/v1/bundles/{'1' * 64}", Reeve_Tenant="b").json["detail"].replace("1" * 64, digest)
    assert send(len(data) - 100, data[-100:]).json["have"] == 0  # only its end
    assert send(0, data[:100]).json["have"] == 100  # it is kept, and all of it has to come
    wrong = send(100, b"x" * (len(data) - 100))
    assert wrong.status == 422 and "R0721" in wrong.text, wrong.text
    assert known("b") == 404
    assert send(0, data[:3000]).json["have"] == 3000
    assert send(3000, data[3000:]).json["have"] == len(data)
    assert (known("b"), known("c")) == (200, 404)
    manager.post("/v1/users?tenant=c", {"name": "ana"})
    manager.post("/v1/grants?tenant=c", {"user": "ana", "role": "admin"})
    token = manager.post("/v1/tokens?tenant=c", {"user": "ana"}).json["token"]
    assert manager.post(f"/v1/bundles/{digest}/share?tenant=c", None, token=token).code == "R0409"
    assert manager.post(f"/v1/bundles/{digest}/share?tenant=c", None).json == {"digest": digest}
    assert known("c") == 200
    depot.begin_anew()
    assert (known("default"), known("b"), known("c")) == (200, 200, 200)


def most_kib(manager):
    """The most memory that it ever had."""
    return int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{manager.process.pid}/status").read_text())[1])


def test_a_bundle_is_as_large_as_it_may_be(depot, folder, run):
    """Larger than any request, and the manager has a few pieces of it in memory."""
    (folder / "big").mkdir()
    (folder / "big/bootstrap.sh").write_text("echo hello\n")
    with (folder / "big/payload").open("wb") as out:
        for _ in range(100):
            out.write(os.urandom(1 << 20))
    (folder / "c.yaml").write_text(FILE.format(name="large", tar="big"))
    before = most_kib(depot.manager)
    done(run("apply", "-f", "c.yaml", "--yes", "--detach"))
    (name,) = depot.kept()
    assert (depot.path / name).stat().st_size > 100 << 20
    assert most_kib(depot.manager) - before < MEMORY_FACTOR * (20 << 10)


def test_a_piece_that_is_lost_is_sent_again(depot):
    """The manager says how much is there; after a kill that is nothing, and nothing is left of it."""
    digest = depot.send("x" * 5000)
    data = (depot.path / digest).read_bytes()
    (depot.path / digest).unlink()

    def send(offset, size):
        return depot.manager.ask("POST", f"/v1/bundles/{digest}?bytes={len(data)}&offset={offset}", data[offset:offset + size],
                                 content_type="application/octet-stream").json["have"]
    assert send(0, 1000) == 1000 and send(0, 1000) == 1000 and send(3000, 1000) == 1000
    assert len(depot.kept()) == 1 and digest not in depot.kept()
    depot.begin_anew(kill=True)
    assert depot.kept() == set() and send(1000, 1000) == 0
    assert send(0, 4000) == 4000 and send(4000, len(data)) == len(data) and depot.kept() == {digest}


def pieces_asked(manager):
    """How many pieces were answered, with whatever code."""
    return sum(int(count) for count in re.findall(r'route="POST /v1/bundles/{name}",code="\d+"} (\d+)', manager.get("/metrics").text))


def test_who_sends_one_too_many_waits_for_its_turn(depot, folder, run):
    """None of those that are being sent gives way to it."""
    others = []
    for i in range(8):
        digest = depot.send(f"{i}" * 5000)
        others.append((digest, (depot.path / digest).read_bytes()))
        (depot.path / digest).unlink()

    def send(digest, data, offset, size):
        return depot.manager.ask("POST", f"/v1/bundles/{digest}?bytes={len(data)}&offset={offset}", data[offset:offset + size],
                                 content_type="application/octet-stream").json["have"]
    assert [send(*other, 0, 1000) for other in others] == [1000] * 8
    before = pieces_asked(depot.manager)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        applied = pool.submit(apply, run, folder, "shop", "waits")
        until(lambda: pieces_asked(depot.manager) >= before + 2)  # it was told to wait, and has asked again
        assert [send(*other, 1000, 1 << 20) for other in others] == [len(data) for _, data in others]
        digests = {applied.result(), *(digest for digest, _ in others)}
    assert depot.kept() == digests


def test_what_no_node_may_get_is_refused_in_pieces(depot):
    """All hundred of them, and nothing of any is kept."""
    for name, data, _, _ in every():
        for size in (700, 1 << 20):
            if size > 700 or len(data) < 40000:
                answer = pieces(depot.manager, data, size)
                assert answer is None or 400 <= answer.status < 500, (name, answer.text)
                assert answer is None or "R07" in answer.text, (name, answer.text)
    assert depot.kept() == set()
    answer = pieces(depot.manager, archive("as tar writes it"))
    assert answer.status == 422 and "R0721" in answer.text and depot.kept() == set()


@pytest.mark.parametrize("path", ["x?bytes=1&offset=0", f"{'0' * 64}?bytes=0", f"{'0' * 64}?bytes=999999999999&offset=0",
                                  f"{'0' * 64}?bytes=ten", "..%2F..%2Fx?bytes=1"])
def test_what_names_no_piece_is_refused(depot, path):
    """With the reason."""
    answer = depot.manager.ask("POST", f"/v1/bundles/{path}", b"x", content_type="application/octet-stream")
    assert 400 <= answer.status < 500, answer.text
    assert depot.kept() == set()


def test_a_bundle_that_is_not_here_is_refused_before_a_machine_is_made(run, folder, depot):
    """Machines would be made, and wait for it for ever."""
    for word, hint in (("hello@1", "NAME@sha256:DIGEST"), ("hello@sha256:" + "0" * 64, "'tar: FOLDER'; reeve apply uploads it")):
        (folder / "b.yaml").write_text('name: b\nversion: "1"\ngroups:\n  web:\n    size: 1\n    resourcePlugin: {name: sim}\n'
                                       f"    bootstrap:\n    - bundle: {word}\n")
        for verb in (["plan"], ["apply", "--yes"]):
            done = run(*verb, "-f", "b.yaml")
            assert done.returncode == 3 and f"b.yaml:8:15: error[R0732]: there is no bundle '{word}' here" in done.stderr, done
            assert hint in " ".join(done.stderr.split()), done.stderr
    assert run("get", "clusters", "-o", "json").stdout == "[]\n"
    digest = depot.send("here")
    (folder / "b.yaml").write_text((folder / "b.yaml").read_text().replace("0" * 64, digest))
    done = run("apply", "--yes", "--detach", "-f", "b.yaml")
    assert done.returncode == 0, done
