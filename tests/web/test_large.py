"""Ten thousand machines (WEB_NODES for another number): what is asserted are counts, which do not depend on how busy the
machine is; times are printed, for bench/README.md and for who reads the log."""

import json
import os
import time

from conftest import document, group
from manager import until

NODES = int(os.environ.get("WEB_NODES", "10000"))
FRAMES = """new Promise((done) => {
  const times = [], long = [];
  const seen = new PerformanceObserver((list) => long.push(...list.getEntries().map((one) => one.duration)));
  try { seen.observe({ entryTypes: ["longtask"] }); } catch { /* it is counted where it can be */ }
  let last = performance.now();
  const step = (now) => {
    times.push(now - last);
    last = now;
    if (globalThis.enough) {
      seen.disconnect();
      times.sort((a, b) => a - b);
      done({ frames: times.length, p50: times[times.length * .5 | 0], p99: times[times.length * .99 | 0], most: times.at(-1),
        long: long.length, longMs: long.reduce((a, b) => a + b, 0) });
    } else requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})"""
ELEMENTS = "document.querySelectorAll('*').length"
HEAP = "(globalThis.gc?.(), performance.memory.usedJSHeapSize)"


def metrics(page):
    """Seconds that the main thread worked, by what."""
    return {one["name"]: one["value"] for one in page.call("Performance.getMetrics")["metrics"]}


def active(site):
    """Machines that are ready, as the manager counts them."""
    return site.counts("large")[0]


def test_very_many_machines(site):
    site.manager.apply(document("large", web=group(20), db=group(4, labels={"round": "zero"})))
    site.ready("large")
    page = site.login("fleet")
    page.call("Performance.enable")
    page.until("document.querySelector('.sum b')?.innerText === '24'")
    few = page.run(ELEMENTS)

    site.manager.patch("/v1/nodegroups/large/web", {"size": NODES - 4})
    until(lambda: active(site) == NODES, lambda: str(site.counts("large")), 240)
    page.until(f"document.querySelector('.sum b')?.innerText === '{NODES}'", seconds=240)
    begun = time.monotonic()
    answer = site.manager.get("/v1/fleet")
    snapshot_ms = (time.monotonic() - begun) * 1000
    page.look(1280, 800, False, still=True)  # a cell that pulses is painted in each frame
    begun = time.monotonic()
    site.go(page, "fleet")
    page.until(f"document.querySelector('canvas')?.map.order.length === {NODES}")
    first_ms = (time.monotonic() - begun) * 1000
    assert page.run(ELEMENTS) <= few, "the document does not grow with the fleet"

    heap = page.run(HEAP)
    page.run("void (document.querySelector('canvas').map.painted = 0)")
    before, start = metrics(page), time.monotonic()
    page.run(f"void (globalThis.enough = false, globalThis.measured = {FRAMES})")
    revision = int(site.manager.get("/v1/fleet").headers["Reeve-Revision"])
    site.manager.patch("/v1/nodegroups/large/web", {"labels": {"round": "one"}})  # in place: each machine's record changes
    until(lambda: all(one["status"].get("labels") != "-" for one in
                      site.manager.get("/v1/resources?cluster=large").json["items"] if one["metadata"]["group"] == "web"), seconds=240)
    last = int(site.manager.get("/v1/fleet").headers["Reeve-Revision"])
    page.until(f"Number(document.querySelector('.connection').title.split(' ')[1]) >= {last}", seconds=240)
    page.until("document.querySelector('canvas').map.dirty.size === 0")
    page.run("void (globalThis.enough = true)")
    frames = page.run("globalThis.measured")
    took, after = time.monotonic() - start, metrics(page)
    painted = page.run("document.querySelector('canvas').map.painted")
    busy = after["TaskDuration"] - before["TaskDuration"]
    assert 0 < painted <= 2 * NODES, "a change paints its cell and no other"
    assert page.run(ELEMENTS) <= few

    held = page.run(HEAP)
    counts = json.loads(page.run("JSON.stringify([...document.querySelectorAll('.legend b')].map((one) => Number(one.innerText)))"))
    truth = sum(1 for one in site.manager.get("/v1/resources?cluster=large").json["items"] if one["status"]["state"] == "active")
    assert counts[9] == truth == NODES
    page.press("t")
    page.until(f"document.querySelector('[role=table]')?.getAttribute('aria-rowcount') === '{NODES + 1}'")
    assert page.run(ELEMENTS) <= few + 600, "of a table only what is in sight is there"
    print(f"\n{NODES} machines: /v1/fleet {len(answer.bytes)} bytes in {snapshot_ms:.0f} ms, map after {first_ms:.0f} ms; "
          f"{last - revision} revisions, {painted} cells painted; frames p50 {frames['p50']:.1f} ms, p99 {frames['p99']:.1f} ms, "
          f"longest {frames['most']:.0f} ms, {frames['long']} long tasks of {frames['longMs']:.0f} ms; main thread {100 * busy / took:.0f} %; "
          f"heap {heap / 1e6:.1f} -> {held / 1e6:.1f} MB; load {os.getloadavg()[0]:.1f}")
    assert [line for line in page.said] == []
