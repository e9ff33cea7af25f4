"""Reads what the web page displays about the nodes of a cluster, from the visible elements of tabs that remain open,
and compares it with the API."""

import collections
import re

# Every state, marker and count that the page of a cluster and the first page display. Texts have
# single spaces.
READ = """(() => {
    const text = (one) => one ? one.innerText.replace(/\\s+/g, " ").trim() : "";
    const all = (selector, of = document) => [...of.querySelectorAll(selector)];
    document.querySelector(".needs + button.link")?.click();
    return {
        isLive: document.querySelector(".connection.is-live") !== null,
        nodes: all("[role=table][aria-label=nodes] .rows-row").map((row) => `${text(row.querySelector("a"))} ${text(row.querySelector(".states"))}`),
        groups: all("section[aria-label=groups] tbody tr").map((row) => [text(row.querySelector("a.name")), text(row.querySelector("td.number"))]),
        clusters: all("main > .table-scroll tbody tr").map((row) => [text(row.querySelector("a.name")), text(row.querySelector("td.number"))]),
        bars: all(".bar").map((one) => one.getAttribute("aria-label")),
        sum: text(document.querySelector(".head .sum")),
        legend: all(".legend[aria-label=states] button").map((one) => text(one)),
        needs: all(".need").map((one) => text(one)),
    };
})()"""

STATES = ("refused", "failed", "unhealthy", "unreachable", "creating", "starting", "leaving", "maintenance", "drifted", "ready")
IN_NEEDS = ("refused", "failed", "unhealthy", "unreachable")  # a node in one of these states is always shown in a card


def numbers(text):
    """Returns {"ready": 3, "failed": 1} for "3 ready, 1 failed"."""
    return {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", text)}


class Tabs:
    """A tab with the page of a cluster and a tab with the first page, opened once; `site` is from tests/pylib/site.py."""

    def __init__(self, site, cluster):
        self.cluster = cluster
        self.own, self.first = site.login(f"clusters/{cluster}"), site.login()

    def differences(self, records, wanted):
        """Returns the differences from the records of /v1/resources; None: a tab shows that it is not connected, so its
        data does not count."""
        own, first = self.own.run(READ), self.first.run(READ)
        if not own["isLive"] or not first["isLive"]:
            return None
        rows = [(one["metadata"]["name"], one["status"]["displayed"], bool(one["status"].get("outdated")), one["status"]["group"])
                for one in records["items"]]
        return [f"page: {text}" for text in (*self.of_nodes(own, rows), *self.of_groups(own, rows), *self.of_sums(own, rows, wanted),
                                             *(f"first {one}" for one in self.of_clusters(first, rows, wanted)))]

    @staticmethod
    def of_nodes(shown, rows):
        """Compares states and markers of single nodes, and of nodes in the cards."""
        said = collections.Counter(shown["nodes"])
        expected = collections.Counter(f"{name} {state}{' outdated' if is_outdated else ''}" for name, state, is_outdated, _ in rows)
        found = [f"shows '{one}', which the API does not say" for one in sorted(said - expected)]
        found += [f"does not show '{one}'" for one in sorted(expected - said)]
        counts = collections.Counter(state for _, state, _, _ in rows)
        for state in IN_NEEDS:
            number = sum(int(one[1]) for card in shown["needs"] if (one := re.search(rf"(\d+) of \d+ {state}\b", card)))
            found += [] if number == counts[state] else [f"cards with {number} {state}, records {counts[state]}"]
        return found

    @staticmethod
    def cell(text, rows):
        """Returns whether a cell such as "3 / 4 1 outdated" has the right counts of ready and outdated nodes."""
        ready, outdated = sum(state == "ready" for _, state, _, _ in rows), sum(is_outdated for _, _, is_outdated, _ in rows)
        return re.fullmatch(rf"{ready} / \d+{f' {outdated} outdated' if outdated else ''}", text) is not None

    def of_groups(self, shown, rows):
        """Compares the table of groups and its bars."""
        for name, text in shown["groups"]:
            own = [row for row in rows if row[3] == name]
            if not self.cell(text, own):
                yield f"group {name} with '{text}', records {own}"
        yield from self.of_bars(shown, {**{name: [row for row in rows if row[3] == name] for name, _ in shown["groups"]}, self.cluster: rows})

    @staticmethod
    def of_bars(shown, parts):
        """Compares bars by their labels: "web: 3 ready, 1 failed of 4 wanted"."""
        for text in shown["bars"]:
            name, _, rest = text.partition(": ")
            expected = collections.Counter(state for _, state, _, _ in parts[name])
            if numbers(rest.partition(" of ")[0]) != expected:
                yield f"bar '{text}', records {dict(expected)}"

    @staticmethod
    def of_sums(shown, rows, wanted):
        """Compares the heading and the legend."""
        counts = collections.Counter(state for _, state, _, _ in rows)
        outdated = sum(is_outdated for _, _, is_outdated, _ in rows)
        if shown["sum"] != f"{counts['ready']} of {wanted} ready{f', {outdated} outdated' if outdated else ''}":
            yield f"heading '{shown['sum']}', records {dict(counts)}, {outdated} outdated, wanted {wanted}"
        legend = [f"{state} {counts[state]}" for state in STATES] + ([f"outdated {outdated}"] if outdated else [])
        if sorted(re.sub(r"(?<=[a-z])(?=\d)", " ", one) for one in shown["legend"]) != sorted(legend):
            yield f"legend {shown['legend']}, records {dict(counts)}, {outdated} outdated"

    def of_clusters(self, shown, rows, wanted):
        """Compares the first page, on which this cluster is the only one."""
        if [name for name, _ in shown["clusters"]] != [self.cluster] or not self.cell(shown["clusters"][0][1], rows):
            yield f"table {shown['clusters']}, records {rows}"
        yield from self.of_sums(shown, rows, wanted)
        yield from self.of_bars(shown, {self.cluster: rows, "all machines": rows})
