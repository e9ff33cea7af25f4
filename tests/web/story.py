"""One story, told by pointer and by keyboard: somebody applies a file with two mistakes, sees machines bootstrap, one break, and
takes his change back. The machines are containers of this computer; manager and browser stand in one room with them."""

import contextlib
import io
import os
import pathlib
import signal
import tarfile

from conftest import Site, is_clean
from manager import Manager, until
from pylib.browser import Browser
from pylib.containers import Folder, Room

STAGES = {"base": "for i in $(seq 30); do echo \"base line $i\"; done\n",
          "join": "echo \"joins as $(hostname)\"\nuntil [ -e /srv/go ]; do sleep 0.1; done\necho \"<b>joined</b>\"\n"}


def archive(script):
    """A bundle, as bytes."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        info = tarfile.TarInfo("bootstrap.sh")
        info.size, info.mode = len(script), 0o755
        tar.addfile(info, io.BytesIO(script.encode()))
    return data.getvalue()


class Story:
    """The manager, its containers, the browser before it."""

    def __init__(self, folder, chromium_folder):
        self.room = Room(folder)
        self.manager = Manager(folder, "--haste", "100", control=True, within=self.room.within)
        self.containers = Folder(folder / "data", self.room)
        self.containers.prepare(folder / "data")
        self.manager.start()
        self.browser = Browser(chromium_folder, within=self.room.within)
        self.site = Site(self.manager, self.browser)
        self.forgotten = []

    def file(self, size=3):
        """A file with two stages."""
        digests = {name: self.manager.ask("POST", "/v1/bundles", archive(script), Content_Type="application/octet-stream").json["digest"]
                   for name, script in STAGES.items()}
        rows = "".join(f"      - bundle: {name}@{digest if digest.startswith('sha256:') else 'sha256:' + digest}\n" for name, digest in digests.items())
        return f'name: shop\nversion: "1"\ngroups:\n  web:\n    size: {size}\n    image: host\n    resourcePlugin: {{name: local}}\n    bootstrap:\n{rows}'

    def machines(self):
        """Those that are not going, by name."""
        return {one.name: one for one in self.containers.machines() if not one.is_going}

    def let_go(self, name):
        """The last stage of a machine may end, if it is there."""
        machine = self.machines().get(name)
        if machine and (init := machine.init):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                pathlib.Path(f"/proc/{init}/root/srv/go").touch()

    def let_all_go(self):
        """Those of all machines that there are."""
        for name in self.machines():
            self.let_go(name)

    def serve(self, size, seconds=600):
        """Wait until so many serve; whoever waits in his last stage is let go."""
        def done():
            self.let_all_go()
            rows = self.manager.ask("GET", "/v1/resources?cluster=shop").json["items"]  # one that has gone keeps its slot until it is forgotten
            return self.site.counts("shop") == (size, size) and len(self.containers.machines()) == len(rows) == size
        until(done, lambda: self.manager.log.read_text(), seconds)

    def break_one(self, name):
        """Its first process is killed, as a computer that loses power."""
        machine = self.machines()[name]
        rows = self.manager.ask("GET", "/v1/resources?cluster=shop").json["items"]
        self.forgotten += [f"/v1/resources/{row['metadata']['id']}?" for row in rows if row["metadata"]["name"] == name]
        os.kill(machine.init, signal.SIGKILL)
        return machine.id

    def is_clean(self, page):
        """As ever; but who looks at a machine may ask for its record in the moment in which it is forgotten, and is told 404."""
        is_clean(page, ("422", *self.forgotten))  # 422: of the file with mistakes

    def close(self):
        """End all of it."""
        with contextlib.suppress(Exception):
            self.browser.end()
        self.manager.kill()
        self.containers.end_all()
        self.room.close()

