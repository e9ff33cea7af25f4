"""BMCs: ipmi_sim of OpenIPMI, and one by Redfish of Python that is judged by OpenStack's client (sushy)."""
import base64
import http.server
import json
import pathlib
import selectors
import shlex
import shutil
import socket
import ssl
import subprocess
import threading
import time

from .ports import free_port

CHASSIS = """#!/bin/sh
# Called by ipmi_sim: get|set NAME [VALUE]. The state of the machine is in files beside this script.
cd "$(dirname "$0")" || exit 1
echo "$*" >>calls
case "$1 $2" in
"get power") echo "power:$(cat power)" ;;
"set power") [ -e stubborn ] || echo "$3" >power ;;
"get boot") echo "boot:$(cat boot)" ;;
"set boot") echo "$3" >boot ;;
esac
"""
QEMU = """#!/bin/sh
# The same for a machine of QEMU: the process is the machine, and the boot source is for one start.
cd "$(dirname "$0")" || exit 1
echo "$*" >>calls
on() {{ [ -s pid ] && kill -0 "$(cat pid)" 2>/dev/null; }}
case "$1 $2" in
"get power") if on; then echo "power:1"; else echo "power:0"; fi ;;
"set power")
    if [ "$3" = 1 ] && ! on; then
        order=c
        [ "$(cat boot)" = pxe ] && order=n
        echo default >boot
        setsid {machine} "$order" >>qemu.log 2>&1 </dev/null &
        echo $! >pid
    elif [ "$3" = 0 ] && on; then
        kill -9 "$(cat pid)"
    fi ;;
"get boot") echo "boot:$(cat boot)" ;;
"set boot") echo "$3" >boot ;;
esac
"""
LAN = """name "box"
set_working_mc 0x20
startlan 1
 addr {address} {port}
 priv_limit admin
 allowed_auths_callback none md2 md5 straight
 allowed_auths_user none md2 md5 straight
 allowed_auths_operator none md2 md5 straight
 allowed_auths_admin none md2 md5 straight
 guid a123456789abcdefa123456789abcdef
endlan
chassis_control "{folder}/chassis"
user 1 true "" "test" user 10 none md2 md5 straight
user 2 true "admin" "{password}" admin 10 none md2 md5 straight
"""
EMULATOR = """mc_setbmc 0x20
mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr
mc_enable 0x20
"""


# Get Channel Cipher Suites in IPMI 2.0 without a session, up to the sequence number, and what the answer has after the
# command: no error, channel 1, suite 3 alone.
SUITES_ASKED = bytes.fromhex("0600ff0706000000000000000000" "0a00" "2018c881")
SUITES = bytes.fromhex("0001" "c003014181")


def checked(part):
    """A part of a message of IPMI, with its checksum."""
    return part + bytes([-sum(part) & 0xff])


def suites_answer(datagram):
    """The answer to a question about cipher suites."""
    message = checked(bytes.fromhex("811c")) + checked(bytes([0x20, datagram[20], 0x54]) + SUITES)
    return SUITES_ASKED[:14] + len(message).to_bytes(2, "little") + message


class Front:
    """Stands before ipmi_sim, which ignores the question about cipher suites: ipmitool asks it three times before each
    call and waits for seconds. BMCs of vendors answer it. All other datagrams pass."""

    def __init__(self, address, port, inner):
        self.inner, self.peers = inner, {}  # a socket for each client
        self.outside = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.outside.bind((address, port))
        self.ending, self.end = socket.socketpair()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        """Passes datagrams until close()."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.ending, selectors.EVENT_READ)
            selector.register(self.outside, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    if key.fileobj is self.ending:
                        return
                    try:
                        if key.fileobj is self.outside:
                            self.take(selector)
                        else:
                            self.outside.sendto(key.fileobj.recv(4096), key.data)
                    except OSError:  # ipmi_sim does not listen, or the client is gone
                        pass

    def take(self, selector):
        """Takes a datagram of a client."""
        datagram, client = self.outside.recvfrom(4096)
        if datagram.startswith(SUITES_ASKED) and datagram[21:22] == b"\x54":
            self.outside.sendto(suites_answer(datagram), client)
            return
        if client not in self.peers:
            peer = self.peers[client] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            peer.connect(self.inner)
            selector.register(peer, selectors.EVENT_READ, client)
        self.peers[client].send(datagram)

    def close(self):
        """Ends it: its port is closed."""
        self.end.send(b"x")
        self.thread.join(60)
        for each in (self.outside, self.ending, self.end, *self.peers.values()):
            each.close()


def missing():
    """Why there is no BMC by IPMI here; empty: there is."""
    return "" if shutil.which("ipmi_sim") and shutil.which("ipmitool") else "ipmi_sim or ipmitool is missing: tools/install-packages test"


class Ipmi:
    """A BMC by IPMI."""

    def __init__(self, folder, address, port, password="pa55wd-of-bmc", within=(), machine=()):
        self.folder, self.address, self.port, self.password = pathlib.Path(folder), address, port, password
        self.within, self.process = list(within), None  # `within`: words before the command
        self.front = None
        self.folder.mkdir()
        (self.folder / "state").mkdir()
        (self.folder / "power").write_text("0")
        (self.folder / "boot").write_text("default")
        chassis = self.folder / "chassis"
        # `machine`: the command of a real one, whose last word is the order of boot devices
        chassis.write_text(QEMU.format(machine=shlex.join(machine)) if machine else CHASSIS)
        chassis.chmod(0o755)

    def start(self):
        """Switch the BMC itself on."""
        inner = self.port
        if not self.within:
            inner = free_port(self.address)
            self.front = Front(self.address, self.port, (self.address, inner))
        (self.folder / "lan.conf").write_text(LAN.format(address=self.address, port=inner, folder=self.folder, password=self.password))
        (self.folder / "sim.emu").write_text(EMULATOR)
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen([*self.within, "ipmi_sim", "-n", "-c", self.folder / "lan.conf", "-f", self.folder / "sim.emu", "-s", self.folder / "state"],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self

    def stop(self):
        """Switch the BMC itself off."""
        if self.front is not None:
            self.front.close()
            self.front = None
        if self.process is not None:
            self.process.kill()
            self.process.wait(60)
            self.process = None

    def read(self, name):
        """The state of the machine: power, boot, calls."""
        path = self.folder / name
        return path.read_text().strip() if path.exists() else ""

    def url(self, user="admin"):
        """As reeve power set takes it."""
        return f"ipmi://{user}@{self.address}:{self.port}"


class Redfish:
    """A BMC by Redfish with one system. It refuses what those of vendors refuse."""

    def __init__(self, folder, address, port, password="pa55wd-of-bmc"):
        self.folder, self.address, self.port, self.password = pathlib.Path(folder), address, port, password
        self.power, self.boot, self.etag = "Off", {"BootSourceOverrideEnabled": "Disabled", "BootSourceOverrideTarget": "None"}, 1
        self.seen, self.busy = [], 0
        self.folder.mkdir()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=bmc",
                        "-addext", f"subjectAltName=IP:{address}", "-keyout", self.folder / "key.pem", "-out", self.folder / "cert.pem"],
                       check=True, capture_output=True)
        self.server = None

    def pin(self):
        """The digest of its public key."""
        public = subprocess.run(["openssl", "x509", "-in", self.folder / "cert.pem", "-pubkey", "-noout"], check=True, capture_output=True).stdout
        raw = subprocess.run(["openssl", "pkey", "-pubin", "-outform", "der"], input=public, check=True, capture_output=True).stdout
        digest = subprocess.run(["openssl", "dgst", "-sha256", "-binary"], input=raw, check=True, capture_output=True).stdout
        return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")

    def system(self):
        """The resource of the system."""
        return {"@odata.id": "/redfish/v1/Systems/1", "Id": "1", "Name": "box", "PowerState": self.power,
                "Boot": {**self.boot, "BootSourceOverrideTarget@Redfish.AllowableValues": ["None", "Pxe", "Hdd"]},
                "Actions": {"#ComputerSystem.Reset": {"target": "/redfish/v1/Systems/1/Actions/ComputerSystem.Reset",
                                                      "ResetType@Redfish.AllowableValues": ["On", "ForceOff", "GracefulShutdown", "ForceRestart"]}}}

    def answer(self, method, path, head, body):
        """Status and body of an answer."""
        wanted = "Basic " + base64.b64encode(f"admin:{self.password}".encode()).decode()
        if path in ("/redfish/v1", "/redfish/v1/"):
            return 200, {"@odata.id": "/redfish/v1/", "Id": "RootService", "Name": "root", "RedfishVersion": "1.6.0", "Systems": {"@odata.id": "/redfish/v1/Systems"}}
        if head.get("Authorization") != wanted:
            return 401, {"error": {"message": "Unauthorized"}}
        if self.busy > 0:
            self.busy -= 1
            return 503, {"error": {"message": "The service is busy."}}
        if path.rstrip("/") == "/redfish/v1/Systems":
            return 200, {"@odata.id": "/redfish/v1/Systems", "Name": "all", "Members": [{"@odata.id": "/redfish/v1/Systems/1"}], "Members@odata.count": 1}
        if path == "/redfish/v1/Systems/1" and method == "GET":
            return 200, self.system()
        if path == "/redfish/v1/Systems/1" and method == "PATCH":
            return self.patch(head, body)
        if path == "/redfish/v1/Systems/1/Actions/ComputerSystem.Reset" and method == "POST":
            return self.reset(body.get("ResetType"))
        return 404, {"error": {"message": "Not found"}}

    def patch(self, head, body):
        """Change the boot source."""
        if head.get("If-Match") not in (None, f'W/"{self.etag}"'):
            return 412, {"error": {"message": "ETag differs"}}
        boot = body.get("Boot", {})
        if boot.get("BootSourceOverrideTarget") not in ("None", "Pxe", "Hdd"):
            return 400, {"error": {"message": "Property value is not in the list"}}
        self.boot.update(boot)
        self.etag += 1
        return 200, self.system()

    def reset(self, kind):
        """Switch the machine."""
        allowed = {"On": ("Off", "On"), "ForceOff": ("On", "Off"), "GracefulShutdown": ("On", "Off"), "ForceRestart": ("On", "On")}
        if kind not in allowed:
            return 400, {"error": {"message": "Unknown ResetType"}}
        if self.power != allowed[kind][0]:
            return 409, {"error": {"message": "The system is in that state already"}}
        self.power = allowed[kind][1]
        self.etag += 1
        return 204, None

    def start(self):
        """Listen."""
        bmc = self

        class Handler(http.server.BaseHTTPRequestHandler):
            """One request."""

            protocol_version = "HTTP/1.1"

            def handle_any(self):
                """Answers every method."""
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                bmc.seen.append((self.command, self.path))
                status, answer = bmc.answer(self.command, self.path, self.headers, json.loads(body) if body else {})
                data = b"" if answer is None else json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("ETag", f'W/"{bmc.etag}"')
                self.send_header("OData-Version", "4.0")
                if self.close_connection:
                    # The client asked for it, as sushy does. Without this answer it may send its next request on this connection.
                    self.send_header("Connection", "close")
                if status != 204:
                    self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PATCH = handle_any  # noqa: N815

            def log_message(self, *unused):
                """Nothing is printed."""

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / "cert.pem", self.folder / "key.pem")
        self.server = http.server.ThreadingHTTPServer((self.address, self.port), Handler)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def stop(self):
        """Listen no longer."""
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()
            self.server = None

    def url(self, user="admin"):
        """As reeve power set takes it."""
        return f"redfish://{user}@{self.address}:{self.port}"


def settled(check, what="", deadline_s=60):
    """Wait until a condition holds."""
    end = time.monotonic() + deadline_s
    while not check():
        assert time.monotonic() < end, what
        time.sleep(0.1)
