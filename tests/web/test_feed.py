"""What the page knows, driven by events that a manager could send: in the browser, without a manager behind it."""

import json

import pytest

CLUSTER = {"kind": "Cluster", "metadata": {"id": "c1", "name": "shop", "revision": 1}}
WATCH = ["put", {"kind": "NodeGroup", "metadata": {"cluster": "shop", "name": "web", "id": "g1", "revision": 2}, "spec": {"size": 2}}]


def machine(token, revision=3, cluster="shop", **status):
    """A put of a machine."""
    return ["put", {"kind": "Resource", "metadata": {"cluster": cluster, "group": "web", "id": token, "name": f"web-{token}", "revision": revision},
                    "status": {"displayed": "ready", "group": "web", "plugin": "sim", "state": "active", **status}}]


def hold(cluster, name):
    """A put of a hold."""
    return ["put", {"kind": "Hold", "metadata": {"cluster": cluster, "name": name, "revision": 4}, "status": {"rule": name}}]


def gone(kind, key):
    """A del, which knows the key in the store alone."""
    return ["del", {"kind": kind, "id": key, "name": key, "revision": 9}]


@pytest.fixture(name="drive")
def driver(site):
    """Send events to a feed, and to a tab's fleet what the feed tells of it: what both know then."""
    page = site.login()

    def run(*events, floor=0):
        return page.run("""(async () => {
            const base = document.querySelector('script[src]').src.replace('main.js', '');
            const { Feed } = await import(base + 'data/feed.js');
            const { Fleet } = await import(base + 'data/fleet.js');
            const feed = new Feed(() => {}), tab = new Fleet(2);
            feed.gather = () => {};
            feed.floor = FLOOR;
            const said = [];
            for (const [type, data, id] of EVENTS) {
                try { feed.event(type, data, id); } catch (error) { said.push(error.message); }
            }
            for (const [kind, key, object] of feed.changed.values()) {
                if (kind === 'Resource') object ? tab.put(object) : tab.remove(key);
            }
            const totals = (fleet) => [...fleet.totals].join();
            const silent = (fleet) => JSON.stringify(Object.fromEntries([...fleet.place].sort().map(([id, row]) => [id, fleet.silent[row]])));
            const again = Fleet.unpack(structuredClone(feed.fleet.pack()));
            return { said, isLoaded: feed.isLoaded, revision: feed.revision, count: feed.fleet.count, totals: totals(feed.fleet),
                same: [tab, again].every((one) => totals(one) === totals(feed.fleet) && one.count === feed.fleet.count && silent(one) === silent(feed.fleet)),
                silent: JSON.parse(silent(feed.fleet)),
                groups: [...feed.objects.NodeGroup.keys()], holds: [...feed.objects.Hold.keys()], clusters: [...feed.objects.Cluster.keys()] };
        })()""".replace("EVENTS", json.dumps(events)).replace("FLOOR", str(floor)))
    return run


def test_counts_follow_every_change(drive):
    many = [machine(str(n)) for n in range(40)]
    found = drive(*many, machine("3", 5, displayed="unhealthy"), machine("4", 5, displayed="leaving"), gone("Resource", "c1/7"), machine("7", 8), gone("Resource", "c1/8"),
                  gone("Resource", "c1/none"), machine("5", 6, displayed="starting"), machine("6", 6, displayed="creating"), machine("9", 6, displayed="refused"))
    assert found["totals"] == "1,0,1,0,1,1,1,0,0,34" and found["count"] == 39 and found["same"]
    found = drive(machine("1"), machine("2", 4, unreachable=7, silent=1700000000123), machine("3", 4, unreachable=7, silent=1700000000123), machine("3", 5))
    assert found["silent"] == {"1": 0, "2": 1700000000, "3": 0}


def test_what_is_older_than_the_snapshot_is_not_taken(drive):
    assert drive(machine("1", 10), machine("1", 9, displayed="unhealthy"), floor=10)["totals"] == "0,0,0,0,0,0,0,0,0,1"


def test_groups_and_holds_go_with_their_cluster(drive):
    found = drive(["put", CLUSTER], WATCH, hold("shop", "budget"), hold("other", "budget"), gone("Cluster", "c1"))
    assert (found["clusters"], found["groups"], found["holds"]) == ([], [], ["other/budget"])


def test_what_an_earlier_cluster_leaves_behind_is_not_the_new_ones(drive):
    again = ["put", {**CLUSTER, "metadata": {**CLUSTER["metadata"], "id": "c2"}}]
    found = drive(["put", CLUSTER], hold("shop", "budget"), gone("Cluster", "c1"), again, hold("shop", "budget"), gone("Hold", "c1/budget"))
    assert found["holds"] == ["shop/budget"]
    found = drive(["put", CLUSTER], hold("shop", "web:roll_failed"), hold("shop", "roll_failed"), gone("Hold", "c1/roll_failed/web"))
    assert found["holds"] == ["shop/roll_failed"]
    assert drive(hold("shop", "budget"), gone("Hold", "c9/budget"))["holds"] == ["shop/budget"], "of a cluster that nobody knows"


def test_another_store_is_read_anew(drive):
    hello = ["hello", {"store": "a", "revision": 5}]
    assert drive(hello, hello)["said"] == []
    assert drive(hello, ["hello", {"store": "b", "revision": 9}])["said"] == ["another store"]
    assert drive(hello, [*machine("1", 7), "7"], ["hello", {"store": "a", "revision": 6}])["said"] == ["another store"]
    assert drive(hello, ["reset", {"snapshot": "/v1/clusters"}])["said"] == ["the missed events are no longer stored"]


def test_the_stream_is_read_whatever_its_pieces_are(drive, site):
    page = next(iter(site.browser.pages.values()))
    text = "event: hello\nid: 7.6\ndata: {\"a\":\"\u00e4\"}\n\n:\n\nevent: put\ndata: {\"b\":1}\n\nevent: put\nid: 9\ndata: {\"c\":2}\n\n"
    for size in (1, 2, 3, 7, 1000):
        found = page.run("""(async () => {
            const { streamRead } = await import(document.querySelector('script[src]').src.replace('main.js', 'data/stream.js'));
            const bytes = new TextEncoder().encode(TEXT), told = [];
            let alive = 0;
            const body = new ReadableStream({ start(out) { for (let at = 0; at < bytes.length; at += SIZE) out.enqueue(bytes.slice(at, at + SIZE)); out.close(); } });
            await streamRead({ body }, (type, data, id) => told.push([type, data, id ?? null]), () => alive++);
            return [told, alive > 0];
        })()""".replace("TEXT", json.dumps(text)).replace("SIZE", str(size)))
        assert found == [[["hello", {"a": "\u00e4"}, "7.6"], ["put", {"b": 1}, None], ["put", {"c": 2}, "9"]], True]
