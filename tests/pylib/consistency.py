"""What reeve says of each node, by every way of asking, compared with each other: the state of a node is decided once (src/records/displayed.h),
and every reader shows that one. The ways are `/v1/nodes`, `/v1/resources`, `/v1/fleet`, the status of the cluster, its newest job, the metrics, the
command line (`tree`, `status`, `wait`), and the web page (displayed.py). What the provider and the node itself say is compared as well, where a test can ask them."""

import collections
import contextlib
import http.client
import json
import re
import subprocess
import threading
import time

TRIES = 50  # looks in a row that something changed amid
LAG_S = 5  # counts are written by the pass that follows a change, and a page draws soon: for so long they may be those of before
SETTLE_S = 120  # after a scenario everything is quiet; by then the page is connected, and nothing differs
CLUSTERS, NODES = 5, 1000  # that are looked at when a test ends
APART = ("failed", "unhealthy", "unreachable")


class Picture:
    """All ways of asking, at one revision."""

    def __init__(self, get, cluster):
        self.cluster = cluster
        self.nodes = get(f"/v1/nodes?cluster={cluster}")
        self.records = get(f"/v1/resources?cluster={cluster}")
        self.fleet = get(f"/v1/fleet?cluster={cluster}")
        record = get(f"/v1/clusters/{cluster}")
        self.status, self.wanted = record.get("status") or {}, record["metadata"]["nodes"]
        jobs = [one["status"] for one in get(f"/v1/jobs?cluster={cluster}")["items"] if "verb" not in one["status"]]
        self.job = max(jobs, key=lambda one: one["revision"], default=None)
        self.metrics = get("/metrics", "text")
        self.clusters = [one["metadata"]["name"] for one in get("/v1/clusters?fields=metadata")["items"]]
        after = get(f"/v1/nodes?cluster={cluster}")
        self.is_whole = len({one["revision"] for one in (self.nodes, self.records, self.fleet, after)}) == 1

    def states(self):
        """(state, is outdated) of each machine, by token."""
        return {one["metadata"]["id"]: (one["status"]["displayed"], bool(one["status"].get("outdated"))) for one in self.records["items"]}

    def counts(self):
        """Of the machines, as a status has them."""
        states = self.states().values()
        counts = collections.Counter(state for state, _ in states)
        return {"creating": counts["creating"] + counts["starting"] + counts["refused"], "leaving": counts["leaving"], "ready": counts["ready"],
                **{word: counts[word] for word in APART}, "outdated": sum(is_outdated for _, is_outdated in states)}

    def at_once(self):
        """What differs between ways that are true at one revision."""
        states = self.states()
        columns = self.fleet["columns"]
        fleet = {token: (self.fleet["displayedNames"][displayed], bool(bits & 128))
                 for token, displayed, bits in zip(columns["id"], columns["displayed"], columns["state"])}
        found = [] if fleet == states else [f"/v1/fleet {fleet}, /v1/resources {states}"]
        for one in self.nodes["items"]:
            said = one["status"]["state"], bool(one["status"].get("outdated"))
            if said != states[one["metadata"]["id"]]:
                found.append(f"/v1/nodes {one['metadata']['name']} {said}, /v1/resources {states[one['metadata']['id']]}")
        metrics = dict(re.findall(r'^reeve_nodes\{state="(\w+)"\} (\d+)$', self.metrics, re.M))
        if self.clusters == [self.cluster] and "machines" in self.status:
            written = {word: str(count) for word, count in self.status["machines"].items() if word in metrics}
            found += [] if written == metrics else [f"/metrics {metrics}, status {written}"]
        return found

    def soon(self):
        """What differs from what a pass writes, which follows what it counts."""
        counts = self.counts()
        written = self.status.get("machines", {})
        found = [f"status {word} {written[word]}, machines {counts[word]}" for word in counts if word in written and written[word] != counts[word]]
        job = (self.job or {}).get("machines")
        if job and not self.job.get("ended"):
            found += [f"job {word} {job.get(word, 0)}, machines {counts[word]}" for word in ("ready", "outdated", *APART)
                      if job.get(word, 0) != counts[word]]
        if job and self.job.get("state") == "done" and self.job["revision"] >= self.status.get("observed", 0) and counts["outdated"]:
            found.append(f"job done, {counts['outdated']} outdated")
        return found


class Away(OSError):
    """The manager does not answer this now, or not to this user."""


def asker(manager, timeout=90):
    """Asks a manager, and takes no other answer than the one that was asked for."""
    def get(path, form="json"):
        with contextlib.closing(manager.connect(timeout=timeout)) as connection:
            answer = manager.get(path, connection=connection)
        if answer.status != 200:
            raise Away(path)
        return getattr(answer, form)
    return get


def picture(manager, cluster):
    """One in which nothing changed; None: something always did."""
    get = asker(manager)
    for _ in range(TRIES):
        one = Picture(get, cluster)
        if one.is_whole:
            return one
    return None


def differences(manager):
    """What the ways of asking say differently of the nodes of this manager now. Where it cannot be asked, or there are very many, nothing."""
    found = []
    try:
        get = asker(manager, timeout=5)
        clusters = get("/v1/clusters")["items"]
        for one in clusters[:CLUSTERS]:
            if one["metadata"].get("nodes", 0) <= NODES:
                look = Picture(get, one["metadata"]["name"])
                found += look.at_once() if look.is_whole else []
    except (OSError, ValueError, http.client.HTTPException):
        return []
    return found


class Observer:
    """Looks every so often, in a thread, until it is left; then it says what differed, and that it looked at all.

    The last look is repeated until nothing differs in it: a scenario that is over sooner than LAG_S hides nothing. `page` is what a person has open
    meanwhile (displayed.Tabs); only this class speaks to its browser as long as it looks. `reeve(*words)` runs the command line and gives (exit code, output); `provider()` gives the names of machines that run, `own()` what nodes
    themselves say: name to whether the last attempt at their stages has failed, where that is known."""

    def __init__(self, manager, cluster, page, reeve=None, provider=None, own=None, every=1.0):
        self.manager, self.cluster, self.page, self.reeve, self.provider, self.own, self.every = manager, cluster, page, reeve, provider, own, every
        self.found, self.looks, self.missed = [], 0, 0
        self.agreed = {}  # the counts of the newest look, if nothing differed in it
        self.since = {}  # what differs from what is written later, to when that began
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, kind, *_):
        self.is_over.set()
        self.thread.join(60)
        if kind is None:
            self.settle()
            assert not self.found, "\n".join(self.found)
            assert self.looks > self.missed, "nothing was compared"

    def run(self):
        """Look until it is over."""
        while not self.is_over.wait(self.every):
            self.try_look()

    def settle(self):
        """Look until nothing differs."""
        self.agreed, ends = {}, time.monotonic() + SETTLE_S
        while not self.agreed and not self.found:
            assert time.monotonic() < ends, "it did not settle: " + ("\n".join(self.since) or "the page is not connected, or the manager is away")
            self.try_look()
            time.sleep(0 if self.agreed else self.every / 5)

    def has_agreed(self, **counts):
        """Were these the counts of the newest look, and did all ways of asking say so? Raises what has differed for too long."""
        assert not self.found, "\n".join(self.found)
        agreed = self.agreed
        return bool(agreed) and all(agreed[word] == count for word, count in counts.items())

    def try_look(self):
        """Compare once. A manager that is away now says nothing that could differ."""
        try:
            self.look()
        except (OSError, ValueError, http.client.HTTPException, subprocess.TimeoutExpired):
            self.missed += 1
            self.since, self.agreed = {}, {}
        except (AssertionError, KeyError, TypeError) as fault:
            self.found.append(f"an answer cannot be read: {fault!r}")

    def look(self):
        """Compare once, if the manager answers."""
        self.looks += 1
        one = picture(self.manager, self.cluster)
        if one is None:
            self.missed, self.agreed = self.missed + 1, {}
            return
        displayed = self.page.differences(one.records, one.wanted)
        at_once = one.at_once()
        later = one.soon() + (displayed or []) + self.truth(one) + (self.command_line(one) if self.reeve else [])
        self.found += at_once
        self.lag(later)
        self.agreed = {} if displayed is None or at_once or later else one.counts()

    def lag(self, differences):
        """What has differed for too long."""
        now = time.monotonic()
        self.since = {text: self.since.get(text, now) for text in differences}
        self.found += [f"{text}, for {now - since:.0f} s" for text, since in self.since.items() if now - since > LAG_S]

    def truth(self, one):
        """What the provider and the nodes say."""
        found = []
        ready = {node["metadata"]["name"] for node in one.nodes["items"] if node["status"]["state"] == "ready"}
        if self.provider:
            found += [f"{name} is ready, and does not run" for name in sorted(ready - set(self.provider()))]
        for name, has_failed in (self.own() if self.own else {}).items():
            if has_failed and name in ready:
                found.append(f"{name} is ready, and its stage failed")
        return found

    def command_line(self, one):
        """`tree`, `status` and `wait`, which say what the pictures before and after both say, or are asked again."""
        code, tree = self.reeve("tree", self.cluster)
        status = self.reeve("status", "-o", "json")[1]
        waits = self.reeve("wait", f"cluster/{self.cluster}", "--for", "ready", "--timeout", "1ms")[0]
        again = picture(self.manager, self.cluster)
        if code != 0 or again is None or again.nodes["revision"] != one.nodes["revision"]:
            return []
        counts = one.counts()
        told = dict.fromkeys(("ready", "outdated", *APART), 0)
        for line in re.findall(r" (ready \d+/\d+(?:, \w+ \d+)*)$", tree, re.M):
            for word, number in re.findall(r"(\w+) (\d+)", line):
                told[word] += int(number)
        found = [f"tree {word} {told[word]}, machines {counts[word]}" for word in told if told[word] != counts[word]]
        shown = {row["name"]: row.get("machines") for row in json.loads(status)["clusters"]}[self.cluster]
        found += [] if shown == one.status.get("machines") else [f"status {shown}, API {one.status.get('machines')}"]
        is_ready = counts["ready"] == (shown or {}).get("wanted") and not any(counts[word] for word in APART)
        return found + ([] if is_ready or waits else ["wait --for ready ended, and not all are ready"])
