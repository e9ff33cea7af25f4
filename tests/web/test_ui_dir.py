"""The page from a folder (reeved --ui-dir): the same as the one that is built in, new with every load, and nothing beside it."""

import gzip
import os
import re
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT, Site, document, group, is_clean
from manager import REEVED, Manager

sys.path.insert(0, str(ROOT / "src/page"))
import embed  # noqa: E402  (the path comes first)

FOLDER = re.compile(r"/ui/([0-9a-f]{16})/")


@pytest.fixture(name="web")
def web_copied(tmp_path):
    """A folder of the page that may be changed."""
    return shutil.copytree(ROOT / "web", tmp_path / "web")


@pytest.fixture(name="served")
def site_from_folder(tmp_path, web, chromium):
    """A manager that serves that folder."""
    manager = Manager(tmp_path, "--ui-dir", str(web)).start()
    yield Site(manager, chromium)
    for page in list(chromium.pages.values()):
        page.close()
    assert manager.stop() in (0, None), manager.log.read_text()


def start(manager):
    """The page itself, and the folder that its addresses have now."""
    answer = manager.get("/ui/", token="none")
    assert answer.status == 200 and "no-store" in answer.headers["Cache-Control"] and answer.headers["ETag"] is None
    (folder,) = set(FOLDER.findall(answer.text))
    return answer, folder


def file(manager, name, folder=None):
    """A file of the page, as who is not known gets it."""
    return manager.get(f"/ui/{folder or start(manager)[1]}/{name}", token="none")


def change(path, before, after):
    """Write a file anew with another word in it, as editors do."""
    text = path.read_text()
    assert before in text, f"{path} is written otherwise now"
    new = path.with_name(".new")
    new.write_text(text.replace(before, after))
    new.rename(path)


def test_every_file_is_as_it_would_be_built_in(served, web, tmp_path):
    _, folder = start(served.manager)
    (tmp_path / "other").mkdir()
    with Manager(tmp_path / "other").start() as built:
        own = FOLDER.search(gzip.decompress(built.get("/ui/", token="none").bytes).decode())[1]
        policy = file(built, "main.js", own).headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        names = [str(path.relative_to(web)) for path in sorted(web.rglob("*")) if path.suffix in embed.TYPES and path.name not in ("index.html", "without.html")]
        assert len(names) > 40
        for name in names:
            answer = file(served.manager, name, folder)
            text = (web / name).read_text()
            assert answer.status == 200, name
            assert answer.text == (embed.imports_resolve(text, name) if name.endswith(".js") else text), name
            assert answer.headers["Content-Type"] == embed.TYPES[os.path.splitext(name)[1]]
            assert answer.headers["Content-Security-Policy"] == policy and answer.headers["Cache-Control"] == "no-store"
        for name in (*map(embed.library_file, embed.LIBRARIES), "data/verbs.js", "lib/licences.txt"):  # what the folder has not is the program's
            answer = file(served.manager, name, folder)
            assert answer.headers["Content-Encoding"] == "gzip" and answer.headers["Cache-Control"] == "no-store"
            assert gzip.decompress(answer.bytes) == gzip.decompress(file(built, name, own).bytes), name
    assert served.manager.get("/favicon.ico", token="none").text == (web / "icon.svg").read_text()


def test_what_is_changed_is_there_with_the_next_load(served, web):
    served.manager.apply(document("shop", web=group(2)))
    page = served.login()
    page.home = served.base
    page.shows("Clusters")
    first = start(served.manager)[1]
    assert start(served.manager)[1] == first, "nothing was changed: tabs share what they have"
    change(web / "pages/clusters.js", "<h1>Clusters</h1>", "<h1>Herds</h1>")
    change(web / "worker.js", "\n", "\n// another one\n")
    assert start(served.manager)[1] != first
    assert file(served.manager, "pages/clusters.js", first).status == 200, "a tab that is open still asks with the old name"
    other = served.browser.page()
    other.goto(served.url())
    other.home = served.base
    other.until("document.querySelector('h1')?.innerText === 'Herds'", "in another tab, while the first is open")
    second = start(served.manager)[1]
    assert any(f"/ui/{second}/pages/clusters.js" in url for url in other.requests)
    page.run("location.reload()")
    page.until("document.querySelector('h1')?.innerText === 'Herds' && document.querySelector('.connection.is-live') !== null")
    served.go(page, "clusters/shop")  # views are not files, and modules that come later are
    page.until("document.querySelector('h1')?.innerText.includes('shop')")
    is_clean(page)
    is_clean(other)


@pytest.mark.parametrize("name", ["../secret.js", "..%2fsecret.js", "%2e%2e/secret.js", "app/../../secret.js", "/etc/passwd", "out/secret.js", "link.js", ".hidden.js", ".git/one.js",
                                  "node_modules/one.js", "package.json", "README.md", "app", "app/", "pipe.js", "large.js", "none.js", "a%00.js", "without.js/"])
def test_nothing_else_is_served(served, web, tmp_path, name):
    for path in ("../secret.js", ".hidden.js", ".git/one.js", "node_modules/one.js"):
        (web / path).parent.mkdir(exist_ok=True)
        (web / path).write_text("export const secret = 1;\n")
    (web / "out").symlink_to(tmp_path)
    (web / "link.js").symlink_to(tmp_path / "secret.js")
    os.mkfifo(web / "pipe.js")
    with (web / "large.js").open("wb") as large:
        large.truncate(1024 * 1024 + 1)
    answer = file(served.manager, name)
    assert "secret" not in answer.text.replace("secret.js", "") and "root:" not in answer.text
    assert answer.status in (400, 404), (answer.status, answer.text)
    assert file(served.manager, "main.js").status == 200, "it goes on"


def test_a_page_that_is_taken_away_is_missed_and_comes_back(served, web):
    (web / "index.html").rename(web / "kept.html")
    answer = served.manager.get("/ui/clusters/shop", token="none")
    assert answer.status == 404 and answer.code == "R0423" and "--ui-dir" in answer.json["detail"]
    (web / "kept.html").rename(web / "index.html")
    assert start(served.manager)[0].status == 200


def refused(*flags):
    """What is said where it does not begin."""
    done = subprocess.run([str(REEVED), *map(str, flags)], text=True, capture_output=True, check=False, timeout=240)
    assert done.returncode != 0
    return done


@pytest.mark.parametrize("what", ["none", "file", "empty", "half"])
def test_what_is_no_folder_of_the_page_is_refused(tmp_path, what):
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    (tmp_path / "half").mkdir()
    (tmp_path / "half/index.html").write_text("<p>")
    done = refused("--data", tmp_path / "data", "--socket", tmp_path / "s", "--ui-dir", tmp_path / what)
    assert done.returncode == 3 and "error[R0792]: --ui-dir: " in done.stderr and str(tmp_path / what) in done.stderr, done.stderr
    assert not (tmp_path / "data").exists(), "before anything is touched"


def test_it_is_reported(served, tmp_path):
    done = subprocess.run([str(REEVED), "--help"], text=True, capture_output=True, check=True, timeout=240)
    assert re.search(r"^  --ui-dir DIR +\S", done.stdout, re.MULTILINE)
    assert "needs a value: DIR" in refused("--data", tmp_path / "d2", "--ui-dir").stderr
    assert re.search(r'page.?[:.=] ?"?from_folder', served.manager.log.read_text()), served.manager.log.read_text()
    assert "`--ui-dir DIR`" in (ROOT / "docs/reference/reeved.md").read_text()
