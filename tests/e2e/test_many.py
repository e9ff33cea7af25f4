"""Lists that are longer than what people may write into a file: read page by page, with the memory of a page."""

import csv
import functools
import http.server
import io
import json
import os
import subprocess
import threading
import urllib.parse

import pytest

from conftest import ENVIRONMENT, REEVE

COUNT = int(os.environ.get("REEVE_MANY", "30000"))
FACTS = {f"fact{number}": "x" * 40 for number in range(8)}


def node(number):
    """As the manager writes it: some 700 bytes."""
    return {"facts": FACTS, "kind": "Node", "metadata": {"cluster": "shop", "group": "web", "id": f"t{number}", "name": f"web-{number}"},
            "status": {"port": 22, "address": f"10.0.{number // 256 % 256}.{number % 256}", "id": f"i-{number}", "plugin": "sim",
                       "state": "ready", "user": "root"}}


@functools.cache
def page(begin, limit):
    """A page of the answer, and how many machines it has."""
    count = min(limit, COUNT - begin)
    answer = {"items": [node(number) for number in range(begin, begin + count)], "revision": 7}
    if begin + count < COUNT:
        answer["next"] = str(begin + count)
    return json.dumps(answer, separators=(",", ":")).encode(), count


class Handler(http.server.BaseHTTPRequestHandler):
    """A manager that has COUNT machines, and keeps the sizes of the pages that it sent."""
    protocol_version = "HTTP/1.1"
    pages = []

    def log_message(self, *_):
        pass

    def do_GET(self):
        query = {key: values[0] for key, values in urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query).items()}
        body, count = page(int(query.get("next", "0")), int(query.get("limit", COUNT)))
        self.pages.append(count)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(name="address", scope="module")
def address_of_many():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def listed(address, *words):
    done = subprocess.run([str(REEVE), "get", "nodes", *words], env={**ENVIRONMENT, "REEVE_URL": address}, timeout=300,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def names_read(form, text):
    """The names that a format shows, in their order."""
    if form == "json":
        return [one["metadata"]["name"] for one in json.loads(text)]
    if form == "jsonl":
        return [json.loads(line)["metadata"]["name"] for line in text.splitlines()]
    if form == "yaml":
        assert text.count("- facts:") == COUNT
        return [line.split()[1] for line in text.splitlines() if line.strip().startswith("name: ")]
    if form == "name":
        return [line.removeprefix("node/shop/") for line in text.splitlines()]
    if form in ("csv", "tsv"):
        return [row["NAME"].removeprefix("shop/") for row in csv.DictReader(io.StringIO(text), delimiter="," if form == "csv" else "\t")]
    if form == "md":
        return [line.split("|")[1].strip().removeprefix("shop/") for line in text.splitlines()[2:]]
    if form.startswith("path="):
        return text.splitlines()
    assert text.count("NAME ") == 1  # one header
    return [line.split()[0].removeprefix("shop/") for line in text.splitlines()[1:]]


@pytest.mark.parametrize("form", ["table", "wide", "name", "json", "jsonl", "yaml", "csv", "tsv", "md", "path=.metadata.name"])
def test_every_format_shows_every_machine_once(address, form):
    Handler.pages.clear()
    assert names_read(form, listed(address, "-o", form)) == [f"web-{number}" for number in range(COUNT)]
    assert len(Handler.pages) > 1 and max(Handler.pages) <= 10000, Handler.pages


def test_they_are_sorted_all_the_same(address):
    wanted = sorted((f"web-{number}" for number in range(COUNT)), reverse=True)
    assert names_read("name", listed(address, "-o", "name", "--sort", "-NAME")) == wanted
