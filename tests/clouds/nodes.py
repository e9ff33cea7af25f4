"""Real nodes behind the fakes: each machine of a fake is an sshd in namespaces of its own, which runs its user data at its first boot."""
import base64
import http.server
import subprocess
import threading
import urllib.parse

from pylib.node import Node

METADATA = "127.40.255.254"
# /dev is the computer's: what the first boot writes to the console goes to its output, which is the console that the fake shows.
# sshd without PAM takes a user without password for locked.
BOOT = "mount --bind /dev/null /dev/console 2>/dev/null; sh /var/lib/user-data; code=$?; sed -i 's/:!:/:*:/' /etc/shadow; exit $code"


def user_data(machine):
    """The script that the plugin sent with the create request, as each provider hands it over."""
    if "metadata" in machine:
        return machine["metadata"]["startup-script"]
    text = machine["userData"]
    return text if text.startswith("#!") else base64.b64decode(text).decode()


class Metadata(http.server.BaseHTTPRequestHandler):
    """The guest attributes of Google's machines. The real one knows a machine by its network, this one by the token that it writes."""

    def do_PUT(self):  # pylint: disable=invalid-name
        """A machine writes an attribute."""
        value = self.rfile.read(int(self.headers["Content-Length"])).decode()
        key = urllib.parse.urlparse(self.path).path.split("/guest-attributes/")[1]
        is_known = self.headers["Metadata-Flavor"] == "Google" and self.server.nodes.attribute(value.split()[1], key, value)
        self.send_response(200 if is_known else 403)
        self.end_headers()

    def log_message(self, *_):  # pylint: disable=arguments-differ
        """It writes no log."""


class Nodes(threading.Thread):
    """Boots a node for each machine that appears in a fake, and cuts the power of those that are gone."""

    def __init__(self, folder, fakes):
        super().__init__(daemon=True)
        self.folder, self.fakes = folder, fakes
        self.running, self.rows, self.failed = {}, {}, []
        self.is_quiet = lambda machine: False  # machines whose console shows nothing
        self.over = threading.Event()
        folder.mkdir()
        self.metadata = http.server.ThreadingHTTPServer((METADATA, 80), Metadata)
        self.metadata.nodes = self
        threading.Thread(target=self.metadata.serve_forever, daemon=True).start()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join(120)
        self.metadata.shutdown()
        self.metadata.server_close()
        for node in self.running.values():
            node.kill()
        assert not self.failed, self.failed

    def run(self):
        """Until the test ends."""
        while not self.over.wait(0.1):
            try:
                self.look()
            except Exception as error:  # pylint: disable=broad-except
                self.failed.append(repr(error))
                return

    def look(self):
        """Compare what runs here with what the fakes have."""
        alive = {(cloud, machine["id"]): machine for cloud, fake in self.fakes.items() for machine in fake.alive()}
        for key in [key for key in self.running if key not in alive]:
            self.running.pop(key).kill()
        for key, machine in alive.items():
            if key not in self.running and machine["address"]:
                self.boot(key, machine)

    def boot(self, key, machine):
        """A machine starts for the first time."""
        cloud, script = key[0], user_data(machine)
        node = Node(self.folder / f"{len(list(self.folder.iterdir()))}-{machine['name']}", machine["name"], address=machine["address"], port=22)
        (node.folder / "root/.ssh/authorized_keys").unlink()
        (node.folder / "var/lib/user-data").write_text(script)
        (node.folder / "machine").write_text(machine["id"])
        with (node.folder / "etc/hosts").open("a") as out:
            out.write(f"{METADATA} metadata.google.internal\n")
        self.running[key], self.rows[key] = node.start(), machine
        done = subprocess.run(["nsenter", "--mount", "--uts", "--target", str(node.init()), "sh", "-c", BOOT],
                              capture_output=True, text=True, check=False, timeout=240, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done
        node.console = done.stdout + done.stderr
        if cloud in ("aws", "openstack") and not self.is_quiet(machine):
            self.fakes[cloud].set_machine(machine["id"], console=node.console)

    def attribute(self, token, key, value):
        """A machine of gcd writes a guest attribute. Returns whether there is such a machine."""
        for (cloud, id), machine in self.rows.items():
            if cloud == "gcd" and machine["token"] == token:
                self.fakes[cloud].set_machine(id, guest_attributes={key: value})
                return True
        return False

    def of(self, cloud):
        """The nodes of a cloud that run."""
        return [node for (name, _), node in sorted(self.running.items()) if name == cloud]
