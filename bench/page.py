#!/usr/bin/python3 -B
"""The web page with very many machines, in Debian's chromium: page.py BUILD [NODES...]

For each number of machines (rows of `sim`): how long /v1/fleet takes and for how long it keeps others waiting, when the map is
there, frames and processor time while every machine changes once, what is held in memory, how many streams eight tabs have. Then
10,000 changes and events a second, which no manager here makes: a process between browser and manager (`Storm`) hands on every
request and answers the stream itself, with puts of the real machines and events of them, at a fixed pace.

Frames are counted by the page itself (requestAnimationFrame); motion is off, as a cell that pulses is painted in each frame. The
browser draws by software here, on the processors that also run the manager.
"""

import gzip
import http.client
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests/e2e"), str(ROOT / "tests")]
from beside import middle, say  # noqa: E402
from pylib.browser import Browser  # noqa: E402
from manager import Manager, until  # noqa: E402

NODES = (10000, 50000)
ROUNDS, PACE, PACE_S, BATCHES = 5, 10000, 8, 20
FRAMES = """new Promise((done) => {
  const times = [], long = [];
  const seen = new PerformanceObserver((list) => long.push(...list.getEntries().map((one) => one.duration)));
  seen.observe({ entryTypes: ["longtask"] });
  let last = performance.now();
  const step = (now) => {
    times.push(now - last);
    last = now;
    if (!globalThis.enough) return requestAnimationFrame(step);
    seen.disconnect();
    times.sort((a, b) => a - b);
    const at = (share) => Math.round(10 * times[Math.min(times.length - 1, times.length * share | 0)]) / 10;
    done({ frames: times.length, p50_ms: at(.5), p99_ms: at(.99), longest_ms: at(1), long_tasks: long.length });
  };
  requestAnimationFrame(step);
})"""
PAINTED = """new Promise((done) => { const look = () => {
  if (document.querySelector('canvas')?.map?.order.length === COUNT) done(performance.now()); else requestAnimationFrame(look);
}; look(); })"""


class Site:
    """A manager with so many machines, and a browser whose cookies it knows."""

    def __init__(self, build, folder, nodes):
        self.nodes = nodes
        self.manager = Manager(folder, "--haste", "100", program=build / "reeved", control=True).start()
        self.manager.apply({"name": "large", "version": "1", "groups": {"web": {"size": nodes, "resourcePlugin": {"name": "sim"}}}})
        until(lambda: self.manager.get("/v1/clusters/large").json.get("status", {}).get("machines", {}).get("ready") == nodes,
              lambda: self.manager.get("/v1/clusters/large").text, 600)
        self.browser = Browser(pathlib.Path(folder) / "chromium")
        self.home = f"http://127.0.0.1:{self.manager.port}/ui/"

    def login(self):
        """A tab of somebody who came by a link; without motion."""
        page = self.browser.page()
        page.look(1280, 800, False, still=True)
        page.goto(f"{self.home}#link={self.manager.ask('POST', '/v1/links').json['link']}")
        page.shows("live")
        page.call("Performance.enable")
        return page

    def close(self):
        """End both."""
        self.browser.end()
        self.manager.stop()


def metric(page, name):
    """A figure that chromium keeps of a tab."""
    return next(one["value"] for one in page.call("Performance.getMetrics")["metrics"] if one["name"] == name)


def heap_mb(page):
    """Of a tab, behind a collection."""
    return round(page.run("(globalThis.gc?.(), performance.memory.usedJSHeapSize)") / 1e6, 1)


def fleet_measure(site):
    """The snapshot, and the longest that somebody else who asks all the time has to wait beside each: the least of them tells most of
    a piece, as every other one has what the machine was busy with in it."""
    times, sizes, waits, quiet, longest = [], {}, [], [], []
    is_over = threading.Event()

    def ask(into):
        connection = http.client.HTTPConnection("127.0.0.1", site.manager.port, timeout=60)
        while not is_over.is_set():
            begun = time.perf_counter()
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            into.append((time.perf_counter() - begun) * 1000)
            time.sleep(0.001)
        connection.close()

    for into, asks in ((quiet, False), (waits, True)):
        is_over.clear()
        other = threading.Thread(target=ask, args=(into,))
        other.start()
        if not asks:
            time.sleep(1)
        for n in range(ROUNDS * 2 if asks else 0):
            coding = "gzip" if n % 2 else "identity"
            begun, at = time.perf_counter(), len(waits)
            answer = site.manager.get("/v1/fleet", Accept_Encoding=coding)
            if n % 2:
                times.append((time.perf_counter() - begun) * 1000)
            until(lambda at=at: len(waits) > at)  # the one who asks beside it has his answer
            longest.append(max(waits[at:]))
            sizes[coding] = len(answer.bytes)
            assert json.loads(gzip.decompress(answer.bytes) if n % 2 else answer.bytes)["count"] == site.nodes  # this holds the other thread here
        is_over.set()
        other.join()
    say("page.fleet", nodes=site.nodes, bytes=sizes["identity"], gzip_bytes=sizes["gzip"], gzip_ms=middle(times, 1),
        others_wait_ms=middle(longest, 1), others_without_ms=middle(quiet, 1), target_piece_ms=20)


def first_measure(site, page):
    """From asking for the address until all cells are painted."""
    times = []
    for _ in range(ROUNDS):
        page.goto("about:blank")
        page.until("location.href === 'about:blank'")
        page.goto(site.home + "fleet")
        page.until("document.querySelector('canvas') !== null || document.readyState !== 'loading'")
        times.append(page.run(PAINTED.replace("COUNT", str(site.nodes))))
    say("page.first", nodes=site.nodes, first_paint_ms=middle(times, 0), elements=page.run("document.querySelectorAll('*').length"), target_ms=2000)


def watched(page, work):
    """Frames, and what the main thread did, while something happens."""
    before, begun = metric(page, "TaskDuration"), time.monotonic()
    page.run("void (document.querySelector('canvas').map.painted = 0)")
    page.run(f"void (globalThis.enough = false, globalThis.measured = {FRAMES})")
    work()
    page.run("void (globalThis.enough = true)")
    frames, took = page.run("globalThis.measured"), time.monotonic() - begun
    return {**frames, "main_thread_percent": round(100 * (metric(page, "TaskDuration") - before) / took), "seconds": round(took, 1),
            "painted": page.run("document.querySelector('canvas').map.painted")}


def change_measure(site, page):
    """Every machine's record changes once; as fast as the manager writes them."""
    heap = heap_mb(page)

    def work():
        revision = int(site.manager.get("/v1/clusters").headers["Reeve-Revision"])
        assert site.manager.patch("/v1/nodegroups/large/web", {"labels": {"round": str(revision)}}).status == 200
        page.until(f"document.querySelector('canvas').map.painted >= {site.nodes}", seconds=300)
    figures = watched(page, work)
    say("page.change", nodes=site.nodes, **figures, changes_s=round(site.nodes / figures["seconds"]), heap_mb=[heap, heap_mb(page)],
        target_p99_ms=20 if site.nodes <= 10000 else 34)


def tabs_measure(site, page):
    """Eight tabs of one browser."""
    tabs = [page] + [site.browser.page() for _ in range(7)]
    for tab in tabs[1:]:
        tab.goto(site.home + "fleet")
    for tab in tabs[1:]:
        tab.until(f"document.querySelector('canvas')?.map?.order.length === {site.nodes}", seconds=120)
    text = site.manager.get("/metrics").text
    streams = next(int(float(line.split()[1])) for line in text.splitlines() if line.startswith("reeve_watch_clients "))
    say("page.tabs", nodes=site.nodes, tabs=len(tabs), streams=streams, heap_mb=[heap_mb(tab) for tab in tabs][-1], target_streams=1)
    for tab in tabs[1:]:
        tab.close()


class Storm:
    """Between browser and manager: hands everything on but the stream, which it makes itself."""

    def __init__(self, site):
        machines = [one for one in site.manager.get("/v1/resources?cluster=large&limit=20000").json["items"]]
        self.revision = int(site.manager.get("/v1/clusters").headers["Reeve-Revision"]) + 1
        self.machines, self.sent = machines, 0
        self.is_made, self.go, self.is_over, self.is_left = (threading.Event() for _ in range(4))
        storm = self

        class Handler(http.server.BaseHTTPRequestHandler):
            """One connection."""

            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                """Silent."""

            def do_GET(self):  # noqa: N802 pylint: disable=invalid-name
                """A request of the browser."""
                if self.path.startswith("/v1/watch"):
                    storm.stream(self)
                    return
                connection = http.client.HTTPConnection("127.0.0.1", site.manager.port, timeout=60)
                connection.request("GET", self.path, headers={name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")})
                answer = connection.getresponse()
                body = answer.read()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                connection.close()

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.home = f"http://127.0.0.1:{self.server.server_port}/ui/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def lines(self, number):
        """A twentieth of a second: half of it machines that fall sick or recover, half of it events of them."""
        text = []
        for n in range(PACE // BATCHES // 2):
            machine = self.machines[(number * (PACE // BATCHES // 2) + n) % len(self.machines)]
            status = {**machine["status"], **({"unhealthy": 1} if number // (len(self.machines) // (PACE // BATCHES // 2) or 1) % 2 == 0 else {})}
            text.append(f'event: put\ndata: {json.dumps({**machine, "status": status, "metadata": {**machine["metadata"], "revision": self.revision + number + 1}})}\n\n')
            text.append('event: event\ndata: ' + json.dumps({"cluster": "default/x", "number": number * PACE + n, "revision": self.revision + number + 1, "time": "2026-01-01T00:00:00.000Z",
                                                             "name": "large", "node": machine["metadata"]["name"], "type": "machine.unhealthy", "kind": "Cluster", "actor": "reeve"}) + "\n\n")
        text[-1] = text[-1].replace("data: ", f"id: {self.revision + number + 1}.{self.revision + number + 1}\ndata: ", 1)
        return "".join(text).encode()

    def stream(self, handler):
        """At a fixed pace from when it is told to."""
        handler.close_connection = True
        if self.is_left.is_set():
            return  # who comes back behind the end is told nothing
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(f'event: hello\nid: {self.revision}\ndata: {{"store":"storm","revision":{self.revision}}}\n\n'.encode())
        batches = [self.lines(number) for number in range(BATCHES * PACE_S)]
        self.is_made.set()
        while not self.go.wait(1):
            handler.wfile.write(b":\n\n")
        begun = time.monotonic()
        for number, batch in enumerate(batches):
            time.sleep(max(0, begun + number / BATCHES - time.monotonic()))
            handler.wfile.write(batch)
            self.sent += PACE // BATCHES
        self.took = time.monotonic() - begun
        self.is_over.set()
        self.is_left.wait(600)


def storm_measure(site, page):
    """10,000 changes and events a second, and one tab that shows the map of them."""
    storm = Storm(site)
    page.goto(storm.home + "fleet")
    page.until(f"document.querySelector('canvas')?.map?.order.length === {site.nodes}", seconds=120)
    page.shows("live")
    assert storm.is_made.wait(120), "what is sent is not written"

    def work():
        storm.go.set()
        storm.is_over.wait(120)
        page.until(f"Number(document.querySelector('.connection').title.split(' ')[1]) >= {storm.revision + BATCHES * PACE_S}", seconds=120)
    figures = watched(page, work)
    say("page.storm", nodes=site.nodes, sent_s=round(storm.sent / storm.took), sent=storm.sent, behind_s=round(figures["seconds"] - storm.took, 2), **figures, heap_mb=heap_mb(page), target_p99_ms=34)
    storm.is_left.set()
    storm.server.shutdown()


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    for nodes in [int(word) for word in sys.argv[2:]] or NODES:
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "chromium").mkdir()
            site = Site(build, folder, nodes)
            try:
                fleet_measure(site)
                page = site.login()
                first_measure(site, page)
                change_measure(site, page)
                tabs_measure(site, page)
                storm_measure(site, page)
            finally:
                site.close()


if __name__ == "__main__":
    try:
        main()
    except (AssertionError, subprocess.SubprocessError) as error:
        print(json.dumps({"name": "page", "error": str(error)}))
        sys.exit(1)
