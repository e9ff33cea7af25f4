"""The store in three real members of etcd: loss of quorum, stopped and killed members, a full one, a replaced one, a start without quorum."""

import os
import pathlib
import queue
import shutil
import signal
import subprocess
import threading
import time

import pytest

from conftest import program
from pylib.etcd import Missing
from pylib.etcd_three import Three

pytestmark = pytest.mark.skipif(shutil.which("etcd") is None, reason="needs etcd")
PATIENCE_S = 60


class Follower:
    """store_follow: what it prints, line by line."""

    def __init__(self, three, prefix, name="one", first=0, only_reads=False, **changes):
        environment = {**os.environ, **three.environment(first), "ETCD_TIMEOUT_MS": "2000", "ETCD_PATIENT": "1", **changes}
        self.process = subprocess.Popen([program("store_follow", "asan"), f"etcd:{prefix}", name, *(["reads"] if only_reads else [])],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        self.lines, self.told = queue.Queue(), []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.split())
        self.lines.put(["closed"])

    def until(self, condition, seconds=PATIENCE_S):
        """The first line from here on for which the condition holds."""
        end = time.monotonic() + seconds
        while True:
            try:
                line = self.lines.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"not told; the last lines: {self.told[-20:]}") from None
            self.told.append(line)
            assert line[0] != "closed", f"it has ended: {self.told[-20:]}"
            if condition(line):
                return line

    def until_word(self, word, seconds=PATIENCE_S):
        return self.until(lambda line: line[0] == word, seconds)

    def until_current(self, seconds=PATIENCE_S):
        """It writes, and its cache sees what it writes from now on."""
        number = self.until_word("ack", seconds)[1]
        self.until(lambda line: line[0] == "seen" and int(line[1]) >= int(number), seconds)

    def end(self):
        """It ends well by itself. Returns the last acknowledged write."""
        self.process.stdin.close()
        last = self.until_word("end")
        assert self.process.wait(60) == 0
        return int(last[1])


@pytest.fixture(name="three", scope="module")
def fixture_three(tmp_path_factory):
    try:
        with Three(tmp_path_factory.mktemp("three")) as three:
            yield three
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture(name="whole", autouse=True)
def fixture_whole(request):
    """Each test leaves all members running."""
    yield
    if "three" in request.fixturenames:
        three = request.getfixturevalue("three")
        for member in three.members:
            if member.process is None:
                member.begin()
            member.signal(signal.SIGCONT)
        three.healthy()


@pytest.fixture(name="prefix")
def fixture_prefix(request):
    return f"/{request.node.name}/"


def test_a_lost_quorum_is_reported_and_everything_goes_on_after_it(three, prefix):
    follower = Follower(three, prefix)
    follower.until_current()
    leader = three.leader()
    stopped = [leader, (leader + 1) % 3]
    three.stop(*stopped)
    problem = follower.until_word("problem")
    assert problem[1] in ("R0501", "R0511"), problem
    three.go_on(*stopped)
    follower.until_word("fine")
    follower.until_current(20)
    follower.end()


def test_killed_members_that_return_lose_nothing(three, prefix):
    follower = Follower(three, prefix)
    for number in range(3):
        follower.until_current()
        three.members[number].kill()
        follower.until_current()
        three.members[number].begin()
        three.healthy()
    last = follower.end()
    value = three.etcdctl("get", "--print-value-only", "--prefix", f"{prefix}k/t/Note/one")
    # eight bytes of any value, which may be no text, are before the number; another write may have followed
    assert last > 0 and any(value.endswith(f"{number}\n") for number in range(last, last + 100)), value


def test_a_watch_at_a_stopped_member_moves_to_another_one(three, prefix):
    """The connection of the watch stays open and says nothing; writes of others show that it is behind."""
    leader = three.leader()
    cut = (leader + 1) % 3
    follower = Follower(three, prefix, first=cut)
    other = Follower(three, prefix, name="other", first=leader)
    follower.until_current()
    other.until_current()
    three.stop(cut)
    follower.until_current(30)
    seen = max(int(line[1]) for line in other.told if line[0] == "ack")
    follower.until(lambda line: line[0] == "other" and int(line[1]) > seen, 30)
    three.go_on(cut)
    other.end()
    follower.end()


def test_a_start_is_ready_though_the_newest_revision_is_of_somebody_else(three, prefix):
    first = Follower(three, prefix)
    first.until_current()
    first.end()
    three.etcdctl("put", "/somebody/else", "1")
    second = Follower(three, prefix, only_reads=True)
    second.until_word("ready", 20)
    second.end()
    assert three.etcdctl("get", "--print-value-only", "/somebody/else") == "1\n"


def test_a_start_without_quorum_waits_for_it(three, prefix):
    first = Follower(three, prefix)
    first.until_current()
    last = first.end()
    leader = three.leader()
    stopped = [leader, (leader + 1) % 3]
    three.stop(*stopped)
    second = Follower(three, prefix)
    problem = second.until_word("problem")
    assert problem[1] in ("R0501", "R0511"), problem
    assert second.until_word("lost")[1] == "refused"
    three.go_on(*stopped)
    second.until_word("fine")
    second.until_word("ready")
    second.until_current()
    second.end()
    assert last > 0


def test_a_start_without_quorum_ends_at_once_when_it_is_closed(three, prefix):
    leader = three.leader()
    stopped = [leader, (leader + 1) % 3]
    three.stop(*stopped)
    follower = Follower(three, prefix)
    follower.until_word("problem")
    begun = time.monotonic()
    follower.end()
    assert time.monotonic() - begun < 20
    three.go_on(*stopped)


def test_a_compaction_while_it_was_away_loses_nothing(three, prefix):
    follower = Follower(three, prefix)
    follower.until_current()
    os.kill(follower.process.pid, signal.SIGSTOP)
    revision = 0
    for number in range(20):
        three.etcdctl("put", "/somebody/else", str(number))
    revision = int(three.etcdctl("get", "/somebody/else", "-w", "fields").split('"Revision" : ')[1].split()[0])
    three.etcdctl("compact", str(revision))
    os.kill(follower.process.pid, signal.SIGCONT)
    follower.until_current()
    follower.end()


def test_a_full_etcd_is_a_problem_and_ends_by_itself(tmp_path, prefix):
    with Three(tmp_path, ["--quota-backend-bytes=8000000"]) as three:
        follower = Follower(three, prefix)
        follower.until_current()
        for number in range(160):
            done = three.etcdctl("put", f"/fill/{number}", "x" * 100000, check=False)
            if "OK" not in done:
                break
        problem = follower.until_word("problem")
        assert problem[1] == "R0505", problem
        three.etcdctl("del", "--prefix", "/fill/")
        revision = three.etcdctl("get", "/fill/0", "-w", "fields").split('"Revision" : ')[1].split()[0]
        three.etcdctl("compact", "--physical", revision)
        for number in range(3):
            three.etcdctl("defrag", member=number)
        three.etcdctl("alarm", "disarm")
        follower.until_word("fine")
        follower.until_current()
        follower.end()


def test_a_replaced_etcd_is_a_problem_and_nothing_is_written_to_it(tmp_path, prefix):
    with Three(tmp_path) as three:
        follower = Follower(three, prefix)
        follower.until_current()
        for member in three.members:
            member.kill()
            shutil.rmtree(member.folder / "data")
        three.members[0].cluster.options = []
        for member in three.members:
            member.options.append("--initial-cluster-token=another")
            member.begin()
        three.healthy()
        problem = follower.until(lambda line: line[0] == "problem" and line[1] == "R0519")
        assert "not the one" in " ".join(problem)
        assert three.etcdctl("get", "--prefix", "--keys-only", prefix) == ""
        follower.end()


class StatusProxy:
    """status_proxy.js in front of the first member."""

    def __init__(self, three, place):
        self.process = subprocess.Popen(["node", pathlib.Path(__file__).parent / "status_proxy.js", three.folder, three.members[0].endpoint, place],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def over(self):
        """Wait until all statuses were sent."""
        watchdog = threading.Timer(240, self.process.kill)
        watchdog.start()
        line = self.process.stdout.readline()
        watchdog.cancel()
        assert line == "over\n"

    def end(self):
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def test_every_status_of_grpc_ends_a_stream_and_nothing_else(three, prefix):
    """Each of 0 to 16 before, amid and after data, on the watch and then on calls; three followers at once."""
    proxies = {place: StatusProxy(three, place) for place in ("before", "amid", "after")}
    try:
        followers = {place: Follower(three, prefix + place + "/", ETCD_ENDPOINT=f"https://127.0.0.1:{proxy.port}")
                     for place, proxy in proxies.items()}
        for place, follower in followers.items():
            proxies[place].over()
            for _ in range(25):  # the calls that follow get each status too
                follower.until(lambda line: line[0] in ("ack", "lost"))
            follower.until_current()
            follower.end()
    finally:
        for proxy in proxies.values():
            proxy.end()


def test_more_past_changes_than_a_message_holds_are_not_needed(three, prefix):
    """The newest thousand revisions have 70 MB: the cache then begins with the newest one."""
    environment = {**os.environ, **three.environment(three.leader()), "ETCD_TIMEOUT_MS": "20000"}
    subprocess.run([program("store_follow"), f"etcd:{prefix}", "one", "fill=105000"], env=environment, check=True, timeout=240)
    follower = Follower(three, prefix, ETCD_TIMEOUT_MS="20000")
    follower.until_word("ready")
    follower.until_current()
    follower.end()
