"""A manager behind a proxy that ends TLS: its public address is said once, counts as its own, and stands in links."""

import contextlib
import os
import socket
import ssl
import subprocess
import threading

import pytest

from conftest import Site, document, group, is_clean
from manager import REEVED, Manager, make_certificate
from pylib.ports import free_port


class Proxy:
    """Ends TLS and hands the bytes on, the Host as the browser said it."""

    def __init__(self, folder, port, to_port):
        make_certificate(folder)
        self.to_port, self.sockets = to_port, []
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
        self.listener = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                one, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=(one,), daemon=True).start()

    def serve(self, one):
        with contextlib.suppress(OSError):
            tls = self.context.wrap_socket(one, server_side=True)
            plain = socket.create_connection(("127.0.0.1", self.to_port))
            self.sockets += [tls, plain]
            threading.Thread(target=self.pump, args=(plain, tls), daemon=True).start()
            self.pump(tls, plain)

    @staticmethod
    def pump(source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def end(self):
        for one in (self.listener, *self.sockets):
            with contextlib.suppress(OSError):
                one.close()


@pytest.fixture(name="behind")
def manager_behind(tmp_path, chromium):
    """(site, proxy's port) of a manager that has not been told of its proxy; start() begins it."""
    port = free_port()
    manager = Manager(tmp_path, "--haste", "100", control=True)
    proxy = Proxy(tmp_path, port, manager.port)
    yield Site(manager, chromium), port
    for page in list(chromium.pages.values()):
        page.close()
    proxy.end()
    assert manager.stop() in (0, None), manager.log.read_text()


def reeve(manager, *words):
    return subprocess.run([str(REEVED.parent / "reeve"), *words], env={**os.environ, "REEVE_URL": f"unix:{manager.socket}"},
                          capture_output=True, text=True, check=False)


def ask(site, method, path, body=None, **headers):
    return site.manager.ask(method, path, body, connection=site.manager.connect(tcp=True), **headers)


def login(site, **headers):
    return ask(site, "POST", "/v1/session", {"link": site.manager.ask("POST", "/v1/links").json["link"]}, **headers)


def test_a_browser_works_through_a_proxy_that_ends_tls(behind):
    site, port = behind
    public = f"https://localhost:{port}"
    site.manager.flags += ("--public-url", f"HTTPS://LocalHost:{port}/")
    site.manager.start()
    site.manager.apply(document("shop", web=group(2)))
    site.ready("shop")
    link = reeve(site.manager, "ui", "--print").stdout.strip()
    assert link.startswith(f"{public}/ui/#link="), link
    page = site.browser.page(context=site.browser.context())
    page.call("Security.setIgnoreCertificateErrors", ignore=True)
    page.home = public
    page.goto(link.replace("/ui/#", "/ui/?noworker#"))
    page.shows("live")
    page.shows("shop")
    page.goto(f"{public}/ui/clusters/shop?noworker")
    page.click("Pause")
    page.until("document.querySelector('dialog[open]') !== null")
    page.click("Pause shop")
    page.shows("the cluster or group is paused")
    page.click("log out")
    page.shows("By a token")
    is_clean(page)


def test_the_cookie_of_who_came_by_tls_goes_by_tls_alone(behind):
    site, port = behind
    public = f"https://reeve.example:{port}"
    site.manager.flags += ("--public-url", public)
    site.manager.start()
    there = login(site, Origin=public, Host=f"reeve.example:{port}")
    assert there.status == 201 and there.headers["Set-Cookie"].endswith("; Secure")
    here = login(site, Origin=site.base)
    assert here.status == 201 and "Secure" not in here.headers["Set-Cookie"], "at its own address it is as before"
    assert login(site).status == 201, "programs do not say where they are"


def test_a_foreign_page_is_foreign_behind_a_proxy_too(behind):
    site, port = behind
    public = f"https://reeve.example:{port}"
    site.manager.flags += ("--public-url", public)
    site.manager.start()
    site.manager.apply(document("shop", web=group(1)))
    made = login(site, Origin=public)
    cookie, proof = made.headers["Set-Cookie"].split(";")[0], made.json["csrf"]
    for origin in ("https://reeve.example", f"http://reeve.example:{port}", f"https://reeve.example:{port}0", f"https://reeve.example:{port}.evil.example",
                   f"https://evil.example:{port}", "null", f"{public}/", public.upper()):
        answer = ask(site, "POST", "/v1/clusters/shop/say", {"command": "pause"}, Cookie=cookie, Reeve_Csrf=proof, Origin=origin)
        assert answer.status == 403 and answer.code == "R0760", (origin, answer.text)
    answer = ask(site, "POST", "/v1/clusters/shop/say", {"command": "pause"}, Cookie=cookie, Origin=public)
    assert answer.status == 403 and answer.code == "R0760", "the header is asked for as ever"
    assert ask(site, "POST", "/v1/clusters/shop/say", {"command": "pause"}, Cookie=cookie, Reeve_Csrf=proof, Origin=public).status == 200


def test_who_has_not_said_it_is_shown_how(behind):
    site, _ = behind
    site.manager.start()
    host = f"127.0.0.1:{site.manager.port}"
    refused = login(site, Origin=f"https://{host}")
    assert refused.status == 403 and refused.code == "R0760"
    assert f"--public-url https://{host}" in refused.json["hint"] and "publicUrl" in refused.json["hint"]
    foreign = login(site, Origin="https://evil.example")
    assert foreign.code == "R0760" and "evil.example" not in foreign.text, "nobody is talked into another address"
    assert "--public-url" in reeve(site.manager, "explain", "R0760").stdout


def test_links_of_a_manager_that_listens_everywhere(tmp_path):
    """0.0.0.0 is nowhere for a browser: the link names what was said, whichever way the command came."""
    make_certificate(tmp_path)
    port = free_port()
    for said, address in (("", f"https://localhost:{port}"), ("publicUrl: https://reeve.example\n", "https://reeve.example"),
                          ("publicUrl: https://reeve.example:443/\n", "https://reeve.example")):
        (tmp_path / "reeved.yaml").write_text(
            f"{said}listen:\n  - {{address: '0.0.0.0:{port}', tls: {{certificate: {tmp_path}/cert.pem, key: {tmp_path}/key.pem}}}}\n")
        with Manager(tmp_path, "--config", str(tmp_path / "reeved.yaml")).start() as manager:
            answer = manager.ask("POST", "/v1/links").json
            assert (answer["address"], answer["public"]) == (address, said != "")
            assert reeve(manager, "ui", "--print").stdout.startswith(f"{address}/ui/#link=")
            if said:
                token = Site(manager, None).user(f"ana{len(said)}", "viewer")
                own = {**{name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "REEVE_"))}, "HOME": str(tmp_path)}
                for words in (["context", "login", f"http://127.0.0.1:{manager.port}", "--context", "prod", "--token-file", "-"], ["ui", "--print"]):
                    by_tcp = subprocess.run([str(REEVED.parent / "reeve"), *words], check=False, capture_output=True, text=True, env=own, input=token)
                assert by_tcp.stdout.startswith(f"{address}/ui/#link="), by_tcp.stderr


@pytest.mark.parametrize("url", ["reeve.example", "ftp://reeve.example", "https://", "https://reeve.example/ops", "https://ana@reeve.example", "https://reeve.example:0",
                                 "https://reeve.example:65536", "https://reeve.example:", "https://reeve.example?x", "https://reeve.example#x", "https://re eve.example",
                                 "https://[::1", "https://[::1]x", "http://reeve.example", "http://127.evil.example", "https://a:1:2", "https://-a", "https://é.example"])
def test_an_address_that_no_browser_sends_is_refused(tmp_path, url):
    run = subprocess.run([str(REEVED), "--check-config", "--public-url", url], capture_output=True, text=True, check=False, timeout=240)
    assert run.returncode == 3 and "R0790" in run.stderr and url.encode("ascii", "ignore").decode()[:8] in run.stderr, run.stderr
    path = tmp_path / "reeved.yaml"
    path.write_text(f"publicUrl: '{url}'\n")
    run = subprocess.run([str(REEVED), "--check-config", "--config", str(path)], capture_output=True, text=True, check=False, timeout=240)
    assert run.returncode == 3 and f"{path}:1:12: error[R0790]" in run.stderr, run.stderr


@pytest.mark.parametrize("url", ["https://reeve.example", "https://[2001:db8::1]:8443", "http://localhost:9000", "http://127.0.0.1:9000", "http://[::1]", "https://10.0.0.1/"])
def test_an_address_that_browsers_send_is_taken(url):
    assert subprocess.run([str(REEVED), "--check-config", "--public-url", url], capture_output=True, check=False, timeout=240).returncode == 0
