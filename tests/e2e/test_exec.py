"""Commands on many machines: `reeve exec` and its route, on real sshd processes (issue 7; UX.md 3.2, 3.3)."""
import contextlib
import http.client
import json
import os
import pathlib
import pty
import re
import select
import signal
import socket
import subprocess
import time

import pytest

from conftest import REEVE, sigint_default
from hosts import ME, Sshd, port_of
from pylib.proc import processes
from manager import Manager, until

NETWORK = "127.0.13"
COUNT = 12
WHO = "echo $SSH_CONNECTION | cut -d' ' -f3"  # the address that was turned to: which machine it is
LAST = f"case $({WHO}) in {NETWORK}.{COUNT})"  # the last machine


class World:
    """A manager that keeps a cluster of eleven machines and one, which has an sshd of its own."""

    def __init__(self, folder, manager):
        port = port_of(NETWORK)
        self.manager, self.folder = manager, folder
        self.many = self.sshd("many", range(1, COUNT), port)
        self.one = self.sshd("one", [COUNT], port)

    def sshd(self, name, numbers, port):
        """These machines; nothing of ours is run at a login."""
        folder = self.folder / name
        return Sshd(folder, [f"{NETWORK}.{number}" for number in numbers], port, "MaxStartups 100",
                    f"SetEnv HOST_FOLDER={folder} HOME={folder}", "Subsystem sftp internal-sftp")

    def apply(self, tier="front"):
        """The cluster is there, and lets reeve in."""
        addresses = [(address, sshd.key) for sshd in (self.many, self.one) for address in sshd.addresses]
        def reached(some):
            return {"port": self.many.port, "user": ME, "addresses": [address for address, _ in some], "hostKeys": dict(some)}

        self.manager.apply({"name": "shop", "version": "1", "groups": {
            "web": {"size": COUNT - 2, "resourcePlugin": {"name": "static"}, "labels": {"tier": tier}, "zones": ["a", "b"],
                    "resourceProperties": reached(addresses[:COUNT - 2])},
            "db": {"size": 2, "resourcePlugin": {"name": "static"},
                   "resourceProperties": reached(addresses[COUNT - 2:])}}})
        until(lambda: self.manager.get("/v1/clusters/shop").json.get("status", {}).get("ssh"),
              self.manager.log.read_text)
        line = self.manager.get("/v1/clusters/shop").json["status"]["ssh"]
        for sshd in (self.many, self.one):
            sshd.start(line)
        until(lambda: len([row for row in self.manager.get("/v1/resources?cluster=shop").json["items"]
                           if row["status"]["state"] == "active"]) == COUNT, self.manager.log.read_text)

    def environment(self):
        """For the command line."""
        return {**os.environ, "REEVE_URL": f"unix:{self.manager.socket}", "HOME": str(self.folder)}

    def run(self, *words, code=0, **more):
        """What the command line says: its output, and standard error."""
        done = subprocess.run([str(REEVE), *words], capture_output=True, text=True, check=False, timeout=400,
                              env=self.environment(), **more)
        assert done.returncode == code, f"{done}"  # a text is shown whole
        return done.stdout, done.stderr

    def begin(self, *words, **more):
        """One that goes on."""
        more = {"stderr": subprocess.PIPE, **more}
        return subprocess.Popen([str(REEVE), *words], stdout=subprocess.PIPE, text=True, env=self.environment(),
                                preexec_fn=sigint_default, **more)

    def one_comes_back(self, line):
        """The machine with an sshd of its own has been stopped: it runs again, and is reached."""
        self.one.start(line)

        def asked():
            return subprocess.run([str(REEVE), "exec", "shop/db-1", "--", "true"], env=self.environment(), check=False, capture_output=True, text=True)
        until(lambda: asked().returncode == 0, lambda: f"{asked()}\n{self.one.log()}")

    def close(self):
        """All of it, whatever one of them says."""
        try:
            self.many.stop()
        finally:
            self.one.stop()


@pytest.fixture(scope="module", name="world")
def a_world(tmp_path_factory):
    """One for all tests of this file: no test leaves it otherwise than it was."""
    folder = tmp_path_factory.mktemp("exec")
    with Manager(folder, "--haste", "100", control=True).start() as manager:
        world = World(folder, manager)
        try:
            world.apply()
            yield world
        finally:
            world.close()


def running(marker):
    """Processes that have this word in their command line, and are no client."""
    found = []
    for pid in processes():
        with contextlib.suppress(OSError):
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if any(marker.encode() in word for word in words) and b"exec" not in words[1:2]:
                found.append([word.decode() for word in words])
    return found


def test_equal_answers_stand_once(world):
    kernel = os.uname().release
    assert world.run("exec", "-c", "shop", "--", "uname", "-r")[0] == f"{COUNT} nodes: {kernel}\n"
    out, _ = world.run("exec", "-g", "shop/db", "--", WHO)
    assert out == f"1 node, db-0: {NETWORK}.{COUNT - 1}\n1 node, db-1: {NETWORK}.{COUNT}\n"
    out, err = world.run("exec", "-c", "shop", "--", f"{LAST} echo odd; echo worse >&2; exit 3;; esac; printf 'a\\nb\\n'",
                         code=9)
    assert out == (f"{COUNT - 1} nodes, db-0,web-[0-9]:\n  a\n  b\n"
                   "1 node, db-1, exit 3:\n  odd\n  ! worse\n")
    assert f"R0782" in err and f"the command did not exit with 0 on 1 of {COUNT} machines" in err
    assert world.run("exec", "-c", "shop", "--", "true")[0] == f"{COUNT} nodes\n"
    assert world.run("exec", "-c", "shop", "--", "kill -9 $$", code=1)[0] == f"{COUNT} nodes, ended by signal KILL\n"


def test_for_programs(world):
    script = f"{LAST} printf '\\377'; exit 3;; esac; echo fine; echo odd >&2"
    rows = json.loads(world.run("exec", "-c", "shop", "-o", "json", "--", script, code=9)[0])
    assert len(rows) == COUNT and len({row["node"] for row in rows}) == COUNT
    other = next(row for row in rows if row["node"] == "shop/db-1")
    assert (other["code"], other["outBase64"], other["err"]) == (3, "/w==", "")
    assert all((row["code"], row["out"], row["err"]) == (0, "fine\n", "odd\n") for row in rows if row is not other)
    lines = world.run("exec", "-c", "shop", "-o", "jsonl", "--", script, code=9)[0].splitlines()
    assert sorted(json.loads(line)["node"] for line in lines) == sorted(row["node"] for row in rows)


@pytest.mark.parametrize("words, count", [
    (["shop/web-0"], 1), (["web-0"], 1), (["node/shop/web-0", "resource/shop/web-0"], 1), (["shop/web-[0-3,7]"], 5),
    (["-c", "shop", "web-[0-1]", "db-1"], 3), (["-g", "shop/web"], COUNT - 2), (["-g", "shop/web", "web-[1-2]"], 2),
    (["-l", "tier=front"], COUNT - 2), (["-l", "group=db"], 2), (["-c", "shop", "-l", "tier!=front"], 2),
    (["-c", "shop", "--state", "ready"], COUNT), (["--all"], COUNT), (["-c", "shop", "-l", "name in (web-1,db-0)"], 2)])
def test_which_machines_are_meant(world, words, count):
    out, _ = world.run("exec", *words, "--", "true")
    assert re.match(rf"{count} nodes?\b", out), out


def test_names_from_elsewhere(world):
    (world.folder / "names").write_text("node/shop/web-1\nshop/web-[3-4]\n")
    assert world.run("exec", f"@{world.folder}/names", "--", "true")[0] == "3 nodes\n"
    assert world.run("exec", "-", "--", "true", input="web-1\n\ndb-0\n")[0] == "2 nodes\n"


@pytest.mark.parametrize("words, code, said", [
    (["--", "true"], 2, "no machines are selected"), (["-c", "shop"], 2, "R0783"),
    (["-c", "shop", "--"], 2, "R0783"), (["shop/web-77", "--", "true"], 4, "web-77"), (["nobody-1", "--", "true"], 4, "nobody-1"),
    (["-c", "blog", "--", "true"], 4, "blog"), (["-g", "shop/cache", "--", "true"], 4, "cache"),
    (["-c", "shop", "-l", "tier=none", "--", "true"], 4, "R0780"), (["-l", "tier=none", "--", "true"], 4, "R0780"),
    (["-c", "shop", "-l", "tier=(", "--", "true"], 2, "R0531"), (["-c", "shop", "--state", "fine", "--", "true"], 2, "state"),
    (["shop/web-[0-", "--", "true"], 2, "not a range"), (["-c", "shop", "--batch", "0", "--", "true"], 2, "batch"),
    (["-", "--", "true"], 4, "never means all"), (["-c", "shop", "--timeout", "soon", "--", "true"], 2, "timeout")])
def test_what_is_refused(world, words, code, said):
    before = (world.many.folder / "log").read_text().count("Starting session")
    assert said in world.run("exec", *words, code=code, stdin=subprocess.DEVNULL)[1]
    assert (world.many.folder / "log").read_text().count("Starting session") == before


def test_one_that_cannot_be_reached_stops_no_other(world):
    line = (world.one.folder / "authorized_keys").read_text().strip()
    world.one.stop()

    def told():
        """It may have run where the manager had not seen yet that its session is over."""
        out, err = world.run("exec", "-c", "shop", "--", "echo here", code=9)
        assert out == f"{COUNT - 1} nodes, db-0,web-[0-9]: here\n"
        return err
    try:
        until(lambda: re.search(r"1 node, db-1, not run, unreachable: .*refused", told()), told)
        rows = json.loads(world.run("exec", "-c", "shop", "-o", "json", "--", "true", code=9)[0])
        lost = next(row for row in rows if row["node"] == "shop/db-1")
        assert lost["fault"] == "unreachable" and lost["mayHaveRun"] is False and "code" not in lost
    finally:
        world.one_comes_back(line)


def test_ctrl_c_reports_the_count_and_ends_all_of_it(world):
    marker = f"60{os.getpid() % 1000:03}.25"
    terminal, tty = pty.openpty()  # where it says how many have ended
    one = world.begin("exec", "-c", "shop", "--", f"{LAST} exit 0;; esac; sleep {marker}; echo late", stderr=tty)
    os.close(tty)
    said = ""

    def has_said(words):
        nonlocal said
        while select.select([terminal], [], [], 0.05)[0]:
            with contextlib.suppress(OSError):  # it has ended
                said += (piece := os.read(terminal, 65536)).decode()
                if piece:
                    continue
            break
        return words in said

    sleeps = lambda: [words for words in running(marker) if words[0] == "sleep"]  # noqa: E731
    until(lambda: len(sleeps()) == COUNT - 1, lambda: str(running(marker)))
    # nothing but the shells of the machines has it in its arguments: neither reeved nor reeve-session
    assert {pathlib.Path(words[0]).name for words in running(marker)} <= {"sleep", "bash", "sh", "dash", "zsh"}
    until(lambda: has_said(f"1 of {COUNT} machines have ended"), lambda: said)
    one.send_signal(signal.SIGINT)
    out = one.communicate(timeout=240)[0]
    assert one.returncode == 130 and out == "1 node, db-1\n", (said, out)
    assert has_said("the command may have run, stopped: the command was") and f"{COUNT - 1} nodes, " in said, said
    assert not sleeps()  # it has said so
    assert has_said("interrupted: the command gets SIGTERM on all machines"), said
    assert has_said(f"the command exited with 0 on 1 of {COUNT} machines"), said
    os.close(terminal)
    assert world.run("exec", "-c", "shop", "--", "true")[0] == f"{COUNT} nodes\n"  # and the sessions go on


def sleeping(marker):
    """Processes that sleep so long."""
    return [words for words in running(marker) if words[0] == "sleep"]


def test_ctrl_c_says_of_each_machine_what_is_known(world):
    """One that does not heed SIGTERM is killed; one that was not begun is told as such."""
    marker = f"64{os.getpid() % 1000:03}.25"
    one = world.begin("exec", "-c", "shop", "--batch", str(COUNT - 1), "--no-fold", "--",
                      f"{LAST} trap '' TERM; echo deaf;; esac; while :; do sleep {marker}; done", stderr=subprocess.PIPE)
    until(lambda: len(sleeping(marker)) == COUNT - 1, lambda: str(running(marker)))
    one.send_signal(signal.SIGINT)
    err = one.communicate(timeout=240)[1]
    assert one.returncode == 130, err
    until(lambda: not sleeping(marker), lambda: str(running(marker)))  # the kernel ends what was killed when it gets to it
    assert err.count("may have run, stopped: the command ") == COUNT - 1, err
    assert err.count("not run, stopped: the command was not started") == 1, err


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP])
def test_a_client_that_goes_takes_its_silent_command_with_it(world, number):
    """Nothing is ever sent to a client of a silent command: that it has gone is seen all the same, and at once. The quiet of a stream
    after which one would be found gone is longer than this waits."""
    marker = f"65{os.getpid() % 1000:03}.25"
    one = world.begin("exec", "-c", "shop", "--", f"sleep {marker}", stderr=subprocess.DEVNULL)
    until(lambda: len(sleeping(marker)) == COUNT, lambda: str(running(marker)))
    one.send_signal(number)
    one.communicate(timeout=240)
    until(lambda: not sleeping(marker), lambda: str(sleeping(marker)), seconds=8)


def test_a_command_is_ended_only_by_the_user_who_began_it(world):
    refused = world.manager.post("/v1/clusters/shop/exec", {"end": "00000000-0000-4000-8000-000000000000"})
    assert (refused.status, refused.code) == (404, "R0403"), refused.text


def test_a_deadline_ends_it_on_the_machine_as_well(world):
    marker = f"61{os.getpid() % 1000:03}.25"

    def told():
        """A machine that takes three seconds to begin says nothing before."""
        out, err = world.run("exec", "-c", "shop", "--timeout", "3s", "--", f"echo before; sleep {marker}", code=1)
        assert out == ""
        return err
    until(lambda: re.search(rf"^{COUNT} nodes, the command may have run, late: .*\n(  .*\n)*?  before", told()), told)
    until(lambda: not running(marker), lambda: str(running(marker)))


def test_batches(world):
    log = world.folder / "batches"
    log.write_text("")
    script = f"echo + >> {log}; sleep 0.2; echo - >> {log}"
    world.run("exec", "-c", "shop", "--batch", "5", "--", script)
    at_once = most = 0
    ended = []
    for sign in log.read_text().split():
        at_once += 1 if sign == "+" else -1
        most = max(most, at_once)
        ended.append(at_once)
    assert most <= 5 and log.read_text().count("+") == COUNT
    assert [index + 1 for index, now in enumerate(ended) if now == 0][-1] == 2 * COUNT
    # a batch begins when the one before has ended: after 5 and after 10 nothing runs
    assert ended[9] == 0 and ended[19] == 0


def test_too_many_that_fail_end_it(world):
    log = world.folder / "fails"
    log.write_text("")
    out, err = world.run("exec", "-c", "shop", "--batch", "1", "--max-fail", "2", "--", f"echo x >> {log}; exit 4", code=1)
    assert log.read_text().count("x") == 2
    assert out == "2 nodes, db-[0-1], exit 4\n"
    assert f"{COUNT - 2} nodes, web-[0-9], not run, skipped: too many other machines have failed" in err
    begun = time.monotonic()
    world.run("exec", "shop/web-[0-2]", "--batch", "34%", "--pause-between", "400ms", "--", "true")
    assert time.monotonic() - begun >= 0.4  # 34 % of three are two: one pause


def test_output_is_cut_loudly(world):
    script = "head -c 3000000 /dev/zero | tr '\\0' a"
    row = json.loads(world.run("exec", "shop/web-0", "-o", "json", "--", script)[0])[0]
    assert len(row["out"]) == 1024 * 1024 and row["dropped"] == 3000000 - 1024 * 1024
    out, _ = world.run("exec", "shop/web-0", "--output-max", "10", "--", "echo 123456789012345")
    assert out.splitlines() == ["1 node: 1234567890", "  !! output truncated: 6 more bytes are not shown; --output-max shows more"] or \
        out.splitlines() == ["1 node, web-0: 1234567890", "  !! output truncated: 6 more bytes are not shown; --output-max shows more"]


def test_what_would_steer_a_terminal_is_shown(world):
    out, _ = world.run("exec", "shop/web-0", "--", "printf 'a\\033]0;evil\\007b'")
    assert "\x1b" not in out and "\x07" not in out and "a\\x1b]0;evil\\x07b" in out


def test_lines_as_they_come(world):
    one = world.begin("exec", "shop/web-[0-1]", "--no-fold", "--",
                      "echo begins; until [ -e $HOST_FOLDER/go ]; do sleep 0.05; done; echo ends; echo odd >&2; exit 2")
    first = {one.stdout.readline(), one.stdout.readline()}
    assert first == {"web-0: begins\n", "web-1: begins\n"}
    (world.many.folder / "go").touch()
    out, err = one.communicate(timeout=240)
    (world.many.folder / "go").unlink()
    assert sorted(out.splitlines()) == ["web-0: ends", "web-1: ends"] and one.returncode == 1
    assert {"web-0: odd", "web-1: odd", "web-0: exit 2", "web-1: exit 2"} <= set(err.splitlines())


class Reader:
    """A client of the route that reads when it wants to."""

    def __init__(self, world, body, name="clusters/shop", **headers):
        self.connection = world.manager.connect()
        self.connection.request("POST", f"/v1/{name}/exec", json.dumps(body),
                                {"Content-Type": "application/json", **headers})
        self.response = self.connection.getresponse()

    def rows(self):
        """Up to its end."""
        return [json.loads(line) for line in self.response.read().splitlines()]


def test_the_route(world):
    one = Reader(world, {"command": "echo hello", "nodes": "web-[0-1]"})
    assert one.response.headers["Content-Type"] == "application/jsonl"
    rows = one.rows()
    assert rows[0]["begin"]["nodes"] == 2 and rows[-1] == {"done": {"failed": 0, "nodes": 2, "well": 2}}
    assert {row["node"]: row["out"] for row in rows if "out" in row} == {"shop/web-0": "hello\n", "shop/web-1": "hello\n"}
    assert [row["end"]["code"] for row in rows if "end" in row] == [0, 0]
    assert Reader(world, {"command": "true"}, "nodegroups/shop/db").rows()[0]["begin"]["nodes"] == 2
    said = "printf '%s\\\\n' \"a\""
    Reader(world, {"command": said}, "nodegroups/shop/db").rows()  # it is told as it was given, quotes and all
    assert f"{ME} runs on 2 machines: {said}" in [one["fact"] for one in world.manager.get("/v1/events?cluster=shop&limit=500").json["items"] if "fact" in one]
    for body in ({}, {"command": ""}, {"command": "true", "timeoutMs": 0}, {"command": "true", "batch": "101%"},
                 {"command": ["true"]}, {"command": "true", "nodes": "web-["}):
        assert json.loads(Reader(world, body).response.read())["code"] == "R0426", body
    assert Reader(world, {"command": "true"}, "clusters/blog").response.status == 404
    events = world.manager.get("/v1/events?cluster=shop&limit=500").json["items"]
    last = [event for event in events if event["type"] == "machines.commanded" and "echo hello" in event["fact"]]
    assert last and last[-1]["count"] == 2 and last[-1]["fact"] == f"{ME} runs on 2 machines: echo hello"


def test_a_reader_that_does_not_read_holds_the_machine(world):
    progress = world.many.folder / "progress"
    one = Reader(world, {"command": "for i in $(seq 400); do head -c 100000 /dev/zero | tr '\\0' x; echo; "
                                    "echo $i > $HOST_FOLDER/progress; done", "nodes": "web-0", "outputMax": 64 << 20})
    until(progress.exists)
    seen = [-1, -2]
    until(lambda: seen.append(int(progress.read_text().strip() or 0)) or time.sleep(0.5) or seen[-1] == seen[-2])
    assert seen[-1] < 400  # it waits
    assert Reader(world, {"command": "true", "nodes": "web-1"}).rows()[-1]["done"]["well"] == 1  # others do not
    rows = one.rows()
    assert sum(len(row["out"]) for row in rows if "out" in row) == 400 * 100001 and progress.read_text() == "400\n"
    assert rows[-1]["done"]["well"] == 1 and "dropped" not in rows[-2]["end"]


def test_a_client_that_goes_away_ends_it(world):
    marker = f"62{os.getpid() % 1000:03}.25"
    one = Reader(world, {"command": f"sleep {marker}"})
    until(lambda: len([words for words in running(marker) if words[0] == "sleep"]) == COUNT)
    one.connection.sock.shutdown(socket.SHUT_RDWR)
    one.connection.close()
    until(lambda: not running(marker), lambda: str(running(marker)))


def test_who_may_run_commands(world):
    manager = world.manager
    assert manager.post("/v1/users", {"name": "ana"}).status == 201
    token = manager.post("/v1/tokens", {"user": "ana", "days": 1}).json["token"]

    def status(body="true", name="clusters/shop"):
        one = Reader(world, {"command": body}, name, Authorization=f"Bearer {token}")
        return one.response.status, one.response.read() and None

    assert status()[0] == 404  # of what he may not see he learns nothing
    manager.post("/v1/grants", {"user": "ana", "role": "viewer", "cluster": "shop"})
    assert status()[0] == 403
    manager.post("/v1/grants", {"user": "ana", "role": "operator", "cluster": "shop", "nodegroup": "db"})
    assert status()[0] == 403
    assert status(name="nodegroups/shop/db")[0] == 200
    manager.post("/v1/grants", {"user": "ana", "role": "operator", "cluster": "shop"})
    assert status()[0] == 200
    events = manager.get("/v1/events?cluster=shop&limit=500").json["items"]
    assert [event["count"] for event in events if event["type"] == "machines.commanded" and event["actor"] == "ana"] == [2, COUNT]


def test_a_manager_that_ends_says_so(tmp_path, world):
    assert world.manager.get("/readyz").status == 200  # the other world is as it was
    with Manager(tmp_path, "--haste", "100", control=True).start() as manager:
        other = World(tmp_path, manager)
        try:
            other.apply()
            marker = f"63{os.getpid() % 1000:03}.25"
            one = other.begin("exec", "-c", "shop", "--", f"echo on; sleep {marker}")
            until(lambda: len([words for words in running(marker) if words[0] == "sleep"]) == COUNT)
            assert manager.stop() == 0
            out, err = one.communicate(timeout=240)
            assert one.returncode == 7 and "the manager is stopping" in err and "the command had ended on 0 of 12 machines" in err, (out, err)
            until(lambda: not running(marker), lambda: str(running(marker)))
        finally:
            other.close()


def test_connections_are_http(world):
    """What the route answers is chunked HTTP that any client reads."""
    connection = http.client.HTTPConnection("127.0.0.1", world.manager.port, timeout=240)
    connection.request("POST", "/v1/clusters/shop/exec", "{}", {"Content-Type": "application/json"})
    assert connection.getresponse().status == 401  # by TCP nobody is known without a token
