"""Fetching plugins (K11, I25, I26, F19, F25): reeve-fetch as its manager starts it, against a server by https on loopback that
does everything wrong that a server can do. Nothing of what it serves is ever run: the plugin tells by a file when it is."""
import gzip
import hashlib
import os
import pathlib
import sys

import pytest

import plugin

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/pylib"))
from fetching import MIB, Authority, Server, fetch  # noqa: E402

FETCH = pathlib.Path(os.environ.get("REEVE_BIN", ROOT / "build/reeve")).resolve().parent / "reeve-fetch"
TELLING = """
#include <fcntl.h>
__attribute__((constructor)) static void told(void) { (void)!open("%s", O_CREAT | O_WRONLY, 0600); }
#include "%s"
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """An authority, a server's certificate, a plugin that tells when it is loaded, and where it would tell."""
    folder = tmp_path_factory.mktemp("fetching")
    authority = Authority(folder / "ca")
    told = folder / "told"
    source = folder / "telling.c"
    source.write_text(TELLING % (told, ROOT / "plugins/file/file.c"))
    built = plugin.build(folder / "so", "mine", source=source).read_bytes()
    return {"folder": folder, "authority": authority, "certificate": authority.sign("server"), "plugin": built,
            "digest": hashlib.sha256(built).hexdigest(), "told": told}


@pytest.fixture
def server(made):
    """A server that can prove who it is."""
    with Server(made["certificate"]) as one:
        one.paths["/plugin.so"] = made["plugin"]
        yield one
    assert not made["told"].exists(), "something that was fetched was run"


def ask(made, tmp_path, url, **more):
    """reeve-fetch, with the authority of this test and its server's network allowed."""
    more.setdefault("authority", made["authority"].file)
    return fetch(FETCH, tmp_path / "out", url, **more)


def refused(answer, code, *words):
    """It was refused with this code, and says why."""
    assert answer.get("code") == code, answer
    for word in words:
        assert word in answer["error"], answer


def test_right_pin(made, server, tmp_path):
    """The bytes, their digest, their number; nothing of the surroundings goes to the server."""
    answer = ask(made, tmp_path, server.url("/plugin.so"), sha256=made["digest"],
                 environment={"https_proxy": "http://127.0.0.1:1", "HTTPS_PROXY": "http://127.0.0.1:1", "HOME": "/root"})
    assert answer == {"bytes": len(made["plugin"]), "digest": made["digest"], "url": server.url("/plugin.so"), "version": ""}
    assert (tmp_path / "out").read_bytes() == made["plugin"]
    sent = {name.lower() for name in server.headers[0]}
    assert sent == {"host", "user-agent", "accept"}, sent


def test_swapped(made, server, tmp_path):
    """F19: other bytes than those that are pinned: both digests are told."""
    server.paths["/plugin.so"] = made["plugin"] + b"x"
    other = hashlib.sha256(made["plugin"] + b"x").hexdigest()
    refused(ask(made, tmp_path, server.url("/plugin.so"), sha256=made["digest"]), "R0644", made["digest"], other)


def test_truncated(made, server, tmp_path):
    """F19: less comes than was promised."""
    server.paths["/half"] = lambda request: server.answer(request, made["plugin"][:5000], length=len(made["plugin"]))
    refused(ask(made, tmp_path, server.url("/half")), "R0646", "closed the connection early")


def test_too_large(made, server, tmp_path):
    """F19: 10 GiB that are promised end at once, those that are not end at the bound."""
    def endless(request):
        request.send_response(200)
        request.end_headers()
        for _ in range(10 * 1024):
            request.wfile.write(b"\x7fELF" + bytes(MIB - 4))
        raise AssertionError("all of it was taken")

    server.paths["/promised"] = lambda request: server.answer(request, made["plugin"], length=10 * 1024 * MIB)
    server.paths["/endless"] = endless
    refused(ask(made, tmp_path, server.url("/promised")), "R0645", "64 MiB")
    refused(ask(made, tmp_path, server.url("/endless")), "R0645", "64 MiB")
    assert (tmp_path / "out").stat().st_size <= 64 * MIB


def test_drip(made, server, tmp_path):
    """F19: a byte now and then."""
    def drip(request):
        request.send_response(200)
        request.send_header("Content-Length", str(len(made["plugin"])))
        request.end_headers()
        for byte in made["plugin"]:
            request.wfile.write(bytes([byte]))
            if server.over.wait(0.1):
                return

    server.paths["/drip"] = drip
    refused(ask(made, tmp_path, server.url("/drip"), slow=1000), "R0645", "too slow")


def test_headers_without_end(made, server, tmp_path):
    """A head that never ends is not read for ever."""
    def talk(request):
        request.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for i in range(100000):
            request.wfile.write(f"X-{i}: {'y' * 200}\r\n".encode())

    server.paths["/talk"] = talk
    refused(ask(made, tmp_path, server.url("/talk")), "R0645", "headers")


@pytest.mark.parametrize("target", [
    "http://localhost:{port}/plugin.so", "https://10.0.0.1/plugin.so", "https://169.254.169.254/latest/meta-data",
    "https://[::ffff:127.0.0.1]:{port}/plugin.so", "file:///etc/passwd", "ftp://localhost/plugin.so",
    "https://me:secret@localhost:{port}/plugin.so", "https://0x7f000001:{port}/plugin.so", "https://192.168.1.1/",
    "https://[::1]:{port}/plugin.so", "https://metadata.google.internal/", "gopher://localhost:{port}/"])
def test_redirect_to_what_is_forbidden(made, server, tmp_path, target):
    """F19, F25: where a redirect leads is judged as where it began."""
    server.redirect("/go", target.format(port=server.port))
    refused(ask(made, tmp_path, server.url("/go")), "R0648")
    assert server.asked == ["/go"]


def test_redirects(made, server, tmp_path):
    """Ordinary for releases; not in circles, and not for ever. The version is what the way to it says."""
    server.redirect("/releases/latest/download/plugin.so", "/releases/download/v1.2/plugin.so")
    server.redirect("/releases/download/v1.2/plugin.so", server.url("/plugin.so"))
    answer = ask(made, tmp_path, server.url("/releases/latest/download/plugin.so"))
    assert answer["version"] == "v1.2" and answer["digest"] == made["digest"], answer
    server.redirect("/a", "/b")
    server.redirect("/b", "/a")
    refused(ask(made, tmp_path, server.url("/a")), "R0648", "in a loop")
    for i in range(9):
        server.redirect(f"/n{i}", f"/n{i + 1}")
    refused(ask(made, tmp_path, server.url("/n0")), "R0648", "more than five")


def test_certificates(made, tmp_path):
    """A server that cannot prove who it is: another authority, not any more, another host. This check cannot be turned off."""
    other = Authority(made["folder"] / "other", "other")
    cases = {"foreign": other.sign("foreign"), "expired": made["authority"].sign("expired", days=-1),
             "elsewhere": made["authority"].sign("elsewhere", subjects="DNS:elsewhere.example")}
    for name, certificate in cases.items():
        with Server(certificate) as one:
            one.paths["/plugin.so"] = made["plugin"]
            refused(ask(made, tmp_path, one.url("/plugin.so")), "R0643")
            assert one.asked == [], name
    with Server(made["certificate"]) as one:  # and of the machine's authorities none has signed it
        refused(ask(made, tmp_path, one.url("/plugin.so"), authority=None), "R0643")


def test_not_there(made, server, tmp_path):
    """404 names the address; where there is a second one to try, it is tried."""
    refused(ask(made, tmp_path, server.url("/none")), "R0642", server.url("/none"), "404")
    answer = ask(made, tmp_path, server.url("/none"), also=server.url("/plugin.so"))
    assert answer["digest"] == made["digest"]


def test_no_plugin(made, server, tmp_path):
    """A page for people; nothing at all; something packed, which is not unpacked, however small it looks."""
    server.paths["/page"] = b"<html>please log in</html>"
    server.paths["/empty"] = b""
    server.paths["/packed"] = lambda request: server.answer(request, gzip.compress(bytes(64 * MIB)), Content_Encoding="gzip")
    refused(ask(made, tmp_path, server.url("/page")), "R0646", "web page")
    refused(ask(made, tmp_path, server.url("/empty")), "R0646", "empty")
    refused(ask(made, tmp_path, server.url("/packed")), "R0646", "sends the file compressed")
    assert (tmp_path / "out").stat().st_size == 0


def test_plain_http_is_nobody(made, tmp_path):
    """http is refused before anybody is asked; https at a port that speaks http is no success either."""
    with Server() as one:
        one.paths["/plugin.so"] = made["plugin"]
        refused(ask(made, tmp_path, one.url("/plugin.so")), "R0640", "https://")
        answer = ask(made, tmp_path, one.url("/plugin.so").replace("http:", "https:"))
        assert answer["code"] in ("R0642", "R0643"), answer
        assert one.asked == []


def forbidden():
    """Every form of tests/e2e/forbidden-urls.txt: CODE URL."""
    lines = (pathlib.Path(__file__).parent / "forbidden-urls.txt").read_text().splitlines()
    return [line.split(" ", 1) for line in lines if line and not line.startswith("#")]


def test_forbidden_urls(made, tmp_path):
    """I26, F25: forms of addresses that mean something else than they seem, or what nobody should reach."""
    rows = forbidden()
    assert len(rows) >= 60
    wrong = []
    for code, written in rows:
        url = written.encode().decode("unicode_escape").encode("latin-1").decode("utf-8")
        answer = ask(made, tmp_path, url, allow=(), deadline=3000)
        if answer.get("code") not in (code, "R0650" if "\\x00" in written else code):  # no JSON has a NUL
            wrong.append((written, code, answer))
    assert not wrong, wrong


def test_own_network_only(made, server, tmp_path):
    """I26: loopback is forbidden where it is not allowed, by its name and by its number."""
    for host in ("localhost", "127.0.0.1", "LOCALHOST", "a.localhost"):
        refused(ask(made, tmp_path, server.url("/plugin.so", host), allow=()), "R0641", "this machine itself")
        refused(ask(made, tmp_path, server.url("/plugin.so", host), allow=("127.0.0.0/32", "10.0.0.0/8")), "R0641")
    assert server.asked == []
