"""A manager with its web page and a browser in front of it."""

import json

from manager import until  # from the end-to-end tests, whose folder is in the caller's path


class Site:
    """A manager with its page, and a browser that shows it."""

    def __init__(self, manager, browser):
        self.manager, self.browser = manager, browser
        self.base = f"http://127.0.0.1:{manager.port}"

    def url(self, path=""):
        """Returns the address of a view."""
        return f"{self.base}/ui/{path}"

    def link(self):
        """Returns the link that `reeve ui` prints."""
        return self.url(f"#link={self.manager.ask('POST', '/v1/links').json['link']}")

    def login(self, path="", **look):
        """Opens a tab of a user that has logged in by a link, at this view, and waits until it is connected."""
        page = self.browser.page(**look)
        page.goto(self.link())
        page.shows("live")
        if path:
            self.go(page, path)
        return page

    def go(self, page, path):
        """Loads another view from its address."""
        page.goto(self.url(path))
        page.until(f"location.href === {self.url(path)!r} && document.querySelector('.connection.is-live') !== null", path)

    def show(self, page, path):
        """Shows another view of the loaded page, as its links do."""
        page.run(f"(() => {{ history.pushState(null, '', {json.dumps('/ui/' + path)}); dispatchEvent(new PopStateEvent('popstate')); }})(), new Promise(requestAnimationFrame)")

    def ready(self, cluster, wanted=None):
        """Waits until a cluster has its desired state, and this size if one is given."""
        until(lambda: self.counts(cluster) in {(n, n) for n in ([wanted] if wanted else [self.counts(cluster)[1]])}, lambda: self.manager.log.read_text())

    def counts(self, cluster):
        """Returns (ready, wanted) from the manager."""
        machines = self.manager.get(f"/v1/clusters/{cluster}").json.get("status", {}).get("machines", {})
        return machines.get("ready", -1), machines.get("wanted", 0)

    def user(self, name, role):
        """Creates a user with a role. Returns the token of the user."""
        manager = self.manager
        assert manager.post("/v1/users", {"name": name}).status == 201
        assert manager.post("/v1/grants", {"user": name, "role": role}).status == 201
        return manager.post("/v1/tokens", {"user": name}).json["token"]
