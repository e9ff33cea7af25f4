#!/usr/bin/env python3
"""Make the picture of README.md anew: docs/page.png, a real page of a real manager with simulated machines.

    make picture        (or: REEVE_BIN=build/reeve /usr/bin/python3 tests/web/picture.py)

Which machines are unhealthy or unreachable is told to the page in the manager's place: nothing waits for a probe here.
"""

import json
import pathlib
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/web"), str(ROOT / "tests/e2e"), str(ROOT / "tests")]

from pylib.browser import Browser  # noqa: E402  (the path comes first)
from conftest import Site, document, group  # noqa: E402
from manager import Manager  # noqa: E402

OUT = ROOT / "docs/page.png"
LIMIT_BYTES = 150 * 1000
WIDTH, HEIGHT = 1280, 540
ZONES = ["eu-a", "eu-b", "eu-c"]


def chunks(data):
    """(name, bytes) of each part of a PNG."""
    at = 8
    while at < len(data):
        length = int.from_bytes(data[at:at + 4], "big")
        yield data[at + 4:at + 8], data[at + 8:at + 8 + length]
        at += 12 + length


def smaller(data):
    """The same picture without what is no pixel, packed as tightly as zlib can."""
    pixels = zlib.decompress(b"".join(body for name, body in chunks(data) if name == b"IDAT"))
    best = min((bytes(one.compress(pixels) + one.flush()) for one in (zlib.compressobj(9, zlib.DEFLATED, 15, 9, how) for how in range(4))), key=len)
    out = data[:8]
    for name, body in ((b"IHDR", next(body for name, body in chunks(data) if name == b"IHDR")), (b"IDAT", best), (b"IEND", b"")):
        out += len(body).to_bytes(4, "big") + name + body + zlib.crc32(name + body).to_bytes(4, "big")
    return out


def troubled(site):
    """The fleet, with some machines in each state."""
    answer = site.manager.get("/v1/fleet").json
    rows = answer["count"]
    for at, word in enumerate(["creating"] * 34 + ["starting"] * 12 + ["unreachable"] * 9 + ["unhealthy"] * 5 + ["leaving"] * 7):
        row = rows - 1 - at if word in ("creating", "starting") else at * 97 % rows
        answer["columns"]["displayed"][row] = answer["displayedNames"].index(word)
    return json.dumps(answer)


def main():
    with tempfile.TemporaryDirectory() as folder:
        manager = Manager(folder, "--haste", "100", control=True).start()
        browser = Browser(folder)
        try:
            site = Site(manager, browser)
            manager.apply(document("shop", web=group(360, zones=ZONES), db=group(24, zones=ZONES), cache=group(90, zones=ZONES)),
                          document("batch", workers=group(620, zones=ZONES[:2])), document("lab", gpu=group(48, zones=ZONES[2:])))
            for name, size in (("shop", 474), ("batch", 620), ("lab", 48)):
                site.ready(name, size)
            page = site.login(width=WIDTH, height=HEIGHT)
            page.call("Fetch.enable", patterns=[{"urlPattern": "*/v1/fleet"}])
            page.replies = {"/v1/fleet": troubled(site)}
            site.go(page, "fleet?noworker")
            page.until("[...document.querySelectorAll('.legend b')].map((one) => Number(one.innerText))[4] > 0 && document.querySelector('canvas').map.painted > 1000")
            page.picture(OUT)
        finally:
            browser.end()
            manager.stop()
    data = smaller(OUT.read_bytes())
    OUT.write_bytes(data)
    assert len(data) <= LIMIT_BYTES, f"{OUT} has {len(data)} bytes"
    print(f"{OUT.relative_to(ROOT)}: {len(data)} bytes")


if __name__ == "__main__":
    main()
