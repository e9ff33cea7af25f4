"""Controls Debian's chromium through a pipe, by the protocol of its developer tools, without a library or a port.

Console messages of a page, its requests, and violations of its policy are recorded, so that tests can check them.
"""

import base64
import contextlib
import json
import os
import pathlib
import select
import shutil
import subprocess
import time

# time limit for results that are immediate on an idle computer; nothing waits longer than necessary
DEADLINE_S = int(os.environ.get("WEB_DEADLINE_S", "90"))
KEYS = {"Enter": (13, "\r"), "Escape": (27, ""), "ArrowRight": (39, ""), "ArrowDown": (40, ""), "ArrowUp": (38, ""), "Tab": (9, "")}


class Browser:
    """One chromium with a separate profile. `within`: a command line prefix that runs it."""

    def __init__(self, folder, within=()):
        program = shutil.which("chromium")
        assert program, "chromium is missing: tools/install-packages test"
        to_it, ours_out = os.pipe()
        ours_in, from_it = os.pipe()
        self.log = pathlib.Path(folder) / "chromium.log"
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
                 "--disable-background-networking", "--disable-ipc-flooding-protection", "--disable-component-update", "--enable-precise-memory-info",
                 "--js-flags=--expose-gc", f"--user-data-dir={folder}/profile", "--remote-debugging-pipe", "about:blank"]
        with self.log.open("wb") as log:  # chromium reads from descriptor 3 and writes to descriptor 4
            self.process = subprocess.Popen([*within, "bash", "-c", f'exec "$@" 3<&{to_it} 4>&{from_it}', "-", program, *flags],
                                            pass_fds=(to_it, from_it), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        os.close(to_it)
        os.close(from_it)
        self.out, self.into = ours_out, ours_in
        self.rest, self.number, self.answers, self.pages = b"", 0, {}, {}

    def end(self):
        """Closes the browser, by a signal if it does not react."""
        with contextlib.suppress(Exception):
            self.call("Browser.close")
        with contextlib.suppress(OSError):
            os.close(self.out)
            os.close(self.into)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def pump(self, timeout):
        """Processes its messages. Returns False if none arrived in time."""
        if not select.select([self.into], [], [], timeout)[0]:
            return False
        data = os.read(self.into, 1 << 20)
        assert data, "chromium has ended: " + self.log.read_text()[-2000:]
        *whole, self.rest = (self.rest + data).split(b"\0")
        for one in whole:
            message = json.loads(one)
            if "id" in message:
                self.answers[message["id"]] = message
            elif message.get("sessionId") in self.pages:
                self.pages[message["sessionId"]].hear(message["method"], message["params"])
        return True

    def send(self, method, session, **params):
        """Sends a command. Returns its number."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        return self.number

    def call(self, method, session=None, timeout=DEADLINE_S, **params):
        """Sends a command, and waits for the answer."""
        number = self.send(method, session, **params)
        until = time.monotonic() + timeout
        while number not in self.answers:
            assert time.monotonic() < until, f"{method} is not answered"
            self.pump(0.5)
        answer = self.answers.pop(number)
        assert "error" not in answer, (method, answer)
        return answer["result"]

    def context(self):
        """Creates a context with separate cookies, like another user."""
        return self.call("Target.createBrowserContext")["browserContextId"]

    def page(self, width=1280, height=800, dark=False, context=None):
        """Opens a new tab."""
        more = {"browserContextId": context} if context else {}
        target = self.call("Target.createTarget", url="about:blank", **more)["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, target, session)
        self.pages[session] = page
        for domain in ("Page", "Runtime", "Log", "Network", "Audits"):
            page.call(f"{domain}.enable")
        page.look(width, height, dark)
        return page


class Page:
    """One tab."""

    def __init__(self, browser, target, session):
        self.browser, self.target, self.session = browser, target, session
        self.said = []  # errors and warnings of the console, and violations of the policy
        self.requests = []
        self.replies = {}  # path to response body, if Fetch is enabled
        self.broken = {}  # path to the number of times that its connection breaks before it works
        self.holds = ()  # prefixes of paths that are not answered before `release`
        self.held = []

    def hear(self, method, params):
        """Handles an event of the page."""
        if method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.said.append(" ".join(str(one.get("value", one.get("description"))) for one in params["args"]))
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.said.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.said.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")
        elif method == "Audits.issueAdded" and params["issue"]["code"] == "ContentSecurityPolicyIssue":
            self.said.append("policy: " + json.dumps(params["issue"]["details"]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Fetch.requestPaused":
            self.reply(params)

    def reply(self, params):
        """Answers a request in place of the manager, or breaks its connection. Does not wait for the result."""
        path = "/" + params["request"]["url"].split("/", 3)[3]
        if path in self.broken and self.broken[path] > 0:
            self.broken[path] -= 1
            self.browser.send("Fetch.failRequest", self.session, requestId=params["requestId"], errorReason="ConnectionAborted")
            return
        if self.holds and path.startswith(self.holds):
            self.held.append(params["requestId"])
            return
        if path not in self.replies:
            self.browser.send("Fetch.continueRequest", self.session, requestId=params["requestId"])
            return
        self.browser.send("Fetch.fulfillRequest", self.session, requestId=params["requestId"], responseCode=200,
                          responseHeaders=[{"name": "Content-Type", "value": "application/json"}],
                          body=base64.b64encode(self.replies[path].encode()).decode())

    def release(self):
        """Lets the manager answer the held requests."""
        self.holds = ()
        for request in self.held:
            self.browser.send("Fetch.continueRequest", self.session, requestId=request)
        self.held = []

    def call(self, method, **params):
        """Sends a command to this tab."""
        return self.browser.call(method, self.session, **params)

    def look(self, width, height, dark, still=False):
        """Sets the width, the height and the colour scheme; still: for users that prefer reduced motion."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}])

    def goto(self, url):
        """Loads an address."""
        self.call("Page.navigate", url=url)

    def run(self, script):
        """Returns the value of an expression. Waits for a promise."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, script, why="", seconds=DEADLINE_S):
        """Evaluates a script until its value is true, and returns the value."""
        until = time.monotonic() + seconds
        while True:
            try:
                found = self.run(script)
            except AssertionError:  # the page is being changed
                found = None
            if found:
                return found
            assert time.monotonic() < until, f"{why or script}: it did not come\n{self.text()}\n{self.said}"
            self.browser.pump(0.05)

    def text(self):
        """Returns the text of the page."""
        return self.run("document.body.innerText")

    def shows(self, words, seconds=DEADLINE_S):
        """Waits until the page has these words."""
        self.until(f"document.body.innerText.includes({json.dumps(words)})", words, seconds)

    def press(self, key, modifiers=0):
        """Presses a key; modifier 2 is Ctrl."""
        code, text = KEYS[key] if key in KEYS else (ord(key.upper()), key)
        more = {"text": text} if text and not modifiers else {}
        if modifiers == 2 and key == "a":  # the browser's own action for this key
            more["commands"] = ["selectAll"]
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, modifiers=modifiers, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code, modifiers=modifiers)

    def write(self, selector, text):
        """Puts text into a field as if a user had typed it."""
        self.until(f"document.querySelector({json.dumps(selector)})")
        self.run(f"(() => {{ const one = document.querySelector({json.dumps(selector)}); one.focus(); one.select(); }})()")
        self.call("Input.insertText", text=text)

    def type(self, text):
        """Types text into the focused element, replacing the selection."""
        self.call("Input.insertText", text=text)

    def click(self, text, selector="button, a"):
        """Clicks the element with this text or accessible name."""
        find = (f"[...document.querySelectorAll({json.dumps(selector)})].find((one) => "
                f"(one.getAttribute('aria-label') ?? one.innerText).trim() === {json.dumps(text)} && !one.disabled)")
        self.until(f"({find}) !== undefined", f"to be clicked: {text}")
        self.run(f"{find}.click()")

    def picture(self, path):
        """Takes a picture of the whole page."""
        self.run("scrollTo(0, 0)")
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 2400), "scale": 1}
        data = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def close(self):
        """Closes the tab."""
        self.browser.call("Target.closeTarget", targetId=self.target)
        self.browser.pages.pop(self.session, None)
