"""What the tests of the web page share: a manager, a browser, and one who is logged in."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests/web"), str(ROOT / "tests")]
os.environ.setdefault("REEVE_BIN", str(ROOT / "build/reeve"))  # what the sanitizers judge of the manager is tried without a browser

from manager import Manager  # noqa: E402  (the path and the binary come first)
from pylib.browser import Browser  # noqa: E402
from pylib.site import Site  # noqa: E402

PICTURES = ROOT / "build/web-pictures"


def group(size, boot=0, **more):
    """A group of machines that are rows; boot: milliseconds until one runs."""
    properties = {"resourceProperties": {"boot": boot}} if boot else {}
    return {"size": size, "resourcePlugin": {"name": "sim"}, **properties, **more}


def document(name, **groups):
    """A cluster."""
    return {"name": name, "version": "1", "groups": groups}


# Chromium breaks every connection, also to this computer itself, when an interface of the network comes or goes: containers
# of other tests have some. The page asks again; the console tells of it all the same.
NETWORK_CHANGED = "ERR_NETWORK_CHANGED"


def is_clean(page, but=()):
    """Nothing was said on the console, nothing asked of anybody else."""
    said = [line for line in page.said if not any(word in line for word in (*but, NETWORK_CHANGED))]
    assert said == [], said
    foreign = [url for url in page.requests if not url.startswith((page.home, "data:", "about:"))]
    assert foreign == [], foreign


@pytest.fixture(scope="session", name="chromium")
def browser_of_all(tmp_path_factory):
    """One chromium; tests have contexts of their own where cookies matter."""
    browser = Browser(tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.end()


@pytest.fixture(name="site")
def site_of_one(tmp_path, chromium):
    """A manager that keeps what it is given, with windows a hundred times shorter."""
    manager = Manager(tmp_path, "--haste", "100", control=True).start()
    yield Site(manager, chromium)
    for page in list(chromium.pages.values()):
        page.close()
    chromium.call("Storage.clearCookies")  # they know no ports: those of a hundred managers on 127.0.0.1 fit into no request
    assert manager.stop() in (0, None), manager.log.read_text()


@pytest.fixture(scope="session", name="axe")
def axe_source():
    """The judge of accessibility, as web/package-lock.json pins it."""
    subprocess.run([str(ROOT / "tools/web-libraries"), "--tests"], check=True, timeout=200)
    return (ROOT / "build/web-tests/node_modules/axe-core/axe.min.js").read_text()
