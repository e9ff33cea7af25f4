"""A manager with its web page and a browser in front of it."""

import json

from manager import until  # of the end-to-end tests, whose folder the caller has in its path


class Site:
    """A manager with its page, and a browser before it."""

    def __init__(self, manager, browser):
        self.manager, self.browser = manager, browser
        self.base = f"http://127.0.0.1:{manager.port}"

    def url(self, path=""):
        """The address of a view."""
        return f"{self.base}/ui/{path}"

    def link(self):
        """What `reeve ui` prints."""
        return self.url(f"#link={self.manager.ask('POST', '/v1/links').json['link']}")

    def login(self, path="", **look):
        """A tab of somebody who came by a link, at this view; live."""
        page = self.browser.page(**look)
        page.goto(self.link())
        page.shows("live")
        if path:
            self.go(page, path)
        return page

    def go(self, page, path):
        """Another view, loaded from its address."""
        page.goto(self.url(path))
        page.until(f"location.href === {self.url(path)!r} && document.querySelector('.connection.is-live') !== null", path)

    def show(self, page, path):
        """Another view of the page that is loaded, as its links lead there."""
        page.run(f"(() => {{ history.pushState(null, '', {json.dumps('/ui/' + path)}); dispatchEvent(new PopStateEvent('popstate')); }})(), new Promise(requestAnimationFrame)")

    def ready(self, cluster, wanted=None):
        """Wait until a cluster is what it should be: of this size, where one is told."""
        until(lambda: self.counts(cluster) in {(n, n) for n in ([wanted] if wanted else [self.counts(cluster)[1]])}, lambda: self.manager.log.read_text())

    def counts(self, cluster):
        """(ready, wanted) as the manager has it."""
        machines = self.manager.get(f"/v1/clusters/{cluster}").json.get("status", {}).get("machines", {})
        return machines.get("ready", -1), machines.get("wanted", 0)

    def user(self, name, role):
        """Somebody with a role; gives his token."""
        manager = self.manager
        assert manager.post("/v1/users", {"name": name}).status == 201
        assert manager.post("/v1/grants", {"user": name, "role": role}).status == 201
        return manager.post("/v1/tokens", {"user": name}).json["token"]
