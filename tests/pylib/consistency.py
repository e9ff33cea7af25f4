"""Compares all outputs of reeve about each node with each other. The state of a node is decided once
(src/records/displayed.h), and every output must show it. The outputs are `/v1/nodes`, `/v1/resources`, `/v1/fleet`,
the status of the cluster, its newest job, the metrics, the command line (`tree`, `status`, `wait`), and the web page
(displayed.py). Reports of the provider and the node are compared too, if a test can get them."""

import collections
import contextlib
import http.client
import json
import re
import subprocess
import threading
import time

TRIES = 50  # number of successive observations during which something may change
LAG_S = 5  # counts are written by the pass after a change, and a page is drawn soon after; for this time they may be outdated
SETTLE_S = 120  # within this time after a scenario, the page must be connected and nothing may differ
CLUSTERS, NODES = 5, 1000  # maximum numbers that are compared when a test ends
APART = ("failed", "unhealthy", "unreachable")


class Picture:
    """All outputs at one revision."""

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
        """Returns (state, is outdated) of each machine, by token."""
        return {one["metadata"]["id"]: (one["status"]["displayed"], bool(one["status"].get("outdated"))) for one in self.records["items"]}

    def counts(self):
        """Returns the counts of the machines, in the format of a status."""
        states = self.states().values()
        counts = collections.Counter(state for state, _ in states)
        return {"creating": counts["creating"] + counts["starting"] + counts["refused"], "leaving": counts["leaving"], "ready": counts["ready"],
                **{word: counts[word] for word in APART}, "outdated": sum(is_outdated for _, is_outdated in states)}

    def at_once(self):
        """Returns the differences between outputs that must agree at one revision."""
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
        """Returns the differences from the counts that a pass writes, which may lag."""
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
    """The manager does not answer this request now, or not for this user."""


def asker(manager, timeout=90):
    """Returns a function that sends a request to a manager, and accepts only its answer."""
    def get(path, form="json"):
        with contextlib.closing(manager.connect(timeout=timeout)) as connection:
            answer = manager.get(path, connection=connection)
        if answer.status != 200:
            raise Away(path)
        return getattr(answer, form)
    return get


def picture(manager, cluster):
    """Returns a picture during which nothing changed; None: something changed each time."""
    get = asker(manager)
    for _ in range(TRIES):
        one = Picture(get, cluster)
        if one.is_whole:
            return one
    return None


def differences(manager):
    """Returns the present differences between the outputs about the nodes of this manager. Empty if the manager cannot
    be queried, or has very many nodes."""
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
    """Compares repeatedly in a thread while the `with` block runs. At the end it reports the differences, and that it
    has compared at all.

    The last comparison is repeated until nothing differs, so that a scenario shorter than LAG_S hides nothing. `page`
    is the page that a user has open meanwhile (displayed.Tabs); only this class uses its browser during that time.
    `reeve(*words)` runs the command line and returns (exit code, output). `provider()` returns the names of running
    machines. `own()` returns the data of the nodes: name to whether the last attempt of their stages has failed, if
    that is known."""

    def __init__(self, manager, cluster, page, reeve=None, provider=None, own=None, every=1.0):
        self.manager, self.cluster, self.page, self.reeve, self.provider, self.own, self.every = manager, cluster, page, reeve, provider, own, every
        self.found, self.looks, self.missed = [], 0, 0
        self.agreed = {}  # the counts of the newest comparison, if nothing differed
        self.since = {}  # differences from data that may lag, with the time when each began
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
        """Compares until the block ends."""
        while not self.is_over.wait(self.every):
            self.try_look()

    def settle(self):
        """Compares until nothing differs."""
        self.agreed, ends = {}, time.monotonic() + SETTLE_S
        while not self.agreed and not self.found:
            assert time.monotonic() < ends, "it did not settle: " + ("\n".join(self.since) or "the page is not connected, or the manager is away")
            self.try_look()
            time.sleep(0 if self.agreed else self.every / 5)

    def has_agreed(self, **counts):
        """Returns whether the newest comparison had these counts in all outputs. Raises differences that have lasted
        too long."""
        assert not self.found, "\n".join(self.found)
        agreed = self.agreed
        return bool(agreed) and all(agreed[word] == count for word, count in counts.items())

    def try_look(self):
        """Compares once. A manager that is unavailable now gives no differences."""
        try:
            self.look()
        except (OSError, ValueError, http.client.HTTPException, subprocess.TimeoutExpired):
            self.missed += 1
            self.since, self.agreed = {}, {}
        except (AssertionError, KeyError, TypeError) as fault:
            self.found.append(f"an answer cannot be read: {fault!r}")

    def look(self):
        """Compares once, if the manager answers."""
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
        """Returns the differences that have lasted too long."""
        now = time.monotonic()
        self.since = {text: self.since.get(text, now) for text in differences}
        self.found += [f"{text}, for {now - since:.0f} s" for text, since in self.since.items() if now - since > LAG_S]

    def truth(self, one):
        """Compares with the reports of the provider and the nodes."""
        found = []
        ready = {node["metadata"]["name"] for node in one.nodes["items"] if node["status"]["state"] == "ready"}
        if self.provider:
            found += [f"{name} is ready, and does not run" for name in sorted(ready - set(self.provider()))]
        for name, has_failed in (self.own() if self.own else {}).items():
            if has_failed and name in ready:
                found.append(f"{name} is ready, and its stage failed")
        return found

    def command_line(self, one):
        """Compares `tree`, `status` and `wait` with the pictures before and after them; if these differ, the commands
        are repeated."""
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
