"""The compatibility API of Contiv: its routes, bodies and sentences (C31, C33, C34), and the cases of C37; only nodes that are there (C26)."""
import contextlib
import http.client
import json
import os
import subprocess

import pytest

from conftest import REEVE
from hosts import ME, Sshd, port_of
from manager import Manager, until
from pylib.ports import free_port

NETWORK = "127.0.27"
MASTER, WORKER = "service-master", "service-worker"


class Contiv:
    """A client of the listener, as clusterctl is one: no login, JSON bodies."""

    def __init__(self, port):
        self.port = port

    def ask(self, method, path, body=None, headers=None):
        """The status and the text of the answer."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        with contextlib.closing(link):
            headers = {"Content-Type": "application/json"} if headers is None else headers
            link.request(method, path, None if body is None else json.dumps(body), headers)
            answer = link.getresponse()
            return answer.status, answer.read().decode()

    def get(self, path):
        status, text = self.ask("GET", path)
        assert status == 200, (path, status, text)
        return json.loads(text)

    def post(self, path, **body):
        return self.ask("POST", path, body)

    def status(self, name):
        """Status and state of a node."""
        node = self.get(f"/info/node/{name}")["inventory_state"]
        return node["status"], node["state"]


class World:
    """A manager with the listener, and machines that it can log in to."""

    def __init__(self, folder, machines):
        self.folder = folder
        self.machines = machines
        port = free_port()
        (folder / "c.yaml").write_text(f"inventory: [{{user: {ME}, key: 'secret://base-image'}}]\n"
                                       f"contiv: {{listen: '127.0.0.1:{port}', cluster: dc}}\n")
        self.manager = Manager(folder, "--haste", "100", "--config", str(folder / "c.yaml"), control=True)
        self.contiv = Contiv(port)

    def start(self):
        self.manager.start()
        manager = self.manager
        assert manager.post("/v1/secrets", {"name": "base-image", "value": (self.folder / "login").read_text()}).status in (200, 201)
        assert manager.post("/v1/users", {"name": "contiv"}).status == 201
        assert manager.post("/v1/grants", {"user": "contiv", "role": "operator"}).status == 201
        probe = {"probe": {"exec": ["true"], "every": "200ms", "fail": 2, "timeout": "5s"}, "grace": "1m"}
        manager.apply({"name": "dc", "version": "4", "defaults": {"health": probe}, "empty": True})

    def discover(self, *numbers):
        """Machines by number, with the names that they get."""
        found = [self.machines[number] for number in numbers]
        status, text = self.contiv.post("/discover/nodes", addrs=[f"{one.addresses[0]}:{one.port}" for one in found])
        assert (status, text) == (200, ""), (status, text)
        by_address = {node["monitoring_state"]["management_address"]: name for name, node in self.contiv.get("/info/nodes").items()}
        return [by_address[one.addresses[0]] for one in found]

    def becomes(self, name, status, state="Discovered"):
        until(lambda: self.contiv.status(name) == (status, state),
              lambda: str(self.contiv.get(f"/info/node/{name}")) + self.manager.get("/v1/resources?cluster=dc").text)

    def commission(self, group, *names):
        status, text = self.contiv.post("/commission/nodes", nodes=list(names), host_group=group)
        assert (status, text) == (200, ""), (status, text)
        for name in names:
            self.becomes(name, "Allocated")


@pytest.fixture(scope="module")
def machines(tmp_path_factory):
    folder = tmp_path_factory.mktemp("machines")
    port = port_of(NETWORK)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", folder / "login"], check=True)
    with contextlib.ExitStack() as stack:
        found = [Sshd(folder / f"machine-{number}", [f"{NETWORK}.{number}"], port) for number in range(1, 5)]
        for one in found:
            stack.callback(one.stop)
            one.start((folder / "login.pub").read_text().strip())
        yield folder, found


@pytest.fixture
def world(tmp_path, machines):
    folder, found = machines
    (tmp_path / "login").write_text((folder / "login").read_text())
    one = World(tmp_path, found)
    with one.manager:
        one.start()
        yield one


def test_nodes_live_as_contiv_describes_them(world):
    """Masters first, a worker after a master; the last master stays while there is a worker; workers, then masters, leave."""
    contiv = world.contiv
    master, worker, other = world.discover(0, 1, 2)
    node = contiv.get(f"/info/node/{master}")
    address = world.machines[0].addresses[0]
    assert node == {
        "monitoring_state": {"label": master, "serial_number": "", "management_address": address},
        "inventory_state": {"name": master, "status": "Unallocated", "prev_status": "Incomplete", "state": "Discovered", "prev_state": "Unknown"},
        "configuration_state": {"inventory_name": master, "host_group": "", "ssh_address": address,
                                "inventory_vars": {"node_name": master, "node_addr": address}}}, node
    assert contiv.post("/discover/nodes", addrs=[f"{address}:{world.machines[0].port}"])[0] == 409
    assert contiv.ask("GET", "/info/job/active")[0] == contiv.ask("GET", "/info/job/last")[0] == 404
    # a worker needs a master that is in service, outside of the request
    status, text = contiv.post("/commission/nodes", nodes=[worker], host_group=WORKER)
    assert status == 409 and "without existence of a master" in text, text
    world.commission(MASTER, master)
    assert contiv.get(f"/info/node/{master}")["configuration_state"]["host_group"] == MASTER
    # one node that does not qualify: no node changes
    status, text = contiv.post("/commission/nodes", nodes=[worker, master], host_group=WORKER)
    assert status == 409 and f"transition from 'Allocated' to 'Provisioning' is not allowed for '{master}'" in text, text
    assert contiv.status(worker) == ("Unallocated", "Discovered")
    world.commission(WORKER, worker, other)
    until(lambda: contiv.ask("GET", "/info/job/last")[0] == 200)
    job = contiv.get("/info/job/last")
    assert job["status"] == "Complete" and job["error"] == "" and "apply" in job["desc"] and job["logs"], job
    status, text = contiv.ask("GET", "/info/logs/last")
    assert status == 200 and text.splitlines() == job["logs"], text
    status, text = contiv.post("/decommission/nodes", nodes=[master])
    assert status == 409 and "will leave only worker nodes" in text, text
    status, text = contiv.post("/decommission/nodes", nodes=[other])
    assert (status, text) == (200, "")
    world.becomes(other, "Decommissioned")
    # a decommissioned node in a list: the others stay as they are
    status, text = contiv.post("/decommission/nodes", nodes=[worker, other])
    assert status == 409 and "'Decommissioned' to 'Cancelled' is not allowed" in text, text
    assert contiv.status(worker) == ("Allocated", "Discovered")
    # all at once: reeve orders them
    assert contiv.post("/decommission/nodes", nodes=[master, worker]) == (200, "")
    world.becomes(master, "Decommissioned")
    world.becomes(worker, "Decommissioned")
    world.commission(MASTER, master)  # a decommissioned node can be commissioned again


def test_what_cannot_be_done_is_refused_with_a_reason(world):
    """Real statuses in place of 500, one line each, and no job is made."""
    contiv = world.contiv
    [name] = world.discover(0)
    for path, body, expected, words in (
            ("/commission/nodes", {"nodes": ["nobody"], "host_group": MASTER}, 404, "node 'nobody' doesn't exists"),
            ("/commission/nodes", {"nodes": [name, "a", "b"], "host_group": MASTER}, 404, "'a' doesn't exists; node 'b' doesn't exists"),
            ("/commission/nodes", {"nodes": [name]}, 400, "invalid or empty host-group"),
            ("/commission/nodes", {"nodes": [name], "host_group": "volplugin-test"}, 400, "invalid or empty host-group"),
            ("/commission/nodes", {"nodes": [], "host_group": MASTER}, 400, "nodes must list"),
            ("/commission/nodes", {"nodes": "x", "host_group": MASTER}, 400, "lists of names"),
            ("/commission/nodes", {"nodes": [name], "host_group": MASTER, "extra_vars": "{"}, 400, "should be a valid json"),
            ("/decommission/nodes", {"nodes": [name]}, 409, "transition from 'Unallocated' to 'Cancelled' is not allowed"),
            ("/update/nodes", {"nodes": [name]}, 409, "transition from 'Unallocated' to 'Maintenance' is not allowed"),
            ("/update/nodes", {"nodes": ["nobody"]}, 404, "doesn't exists"),
            ("/discover/nodes", {"addrs": []}, 400, "addrs must list"),
            ("/discover/nodes", {"addrs": [f"{NETWORK}.99:{world.machines[0].port}"]}, 503, f"{NETWORK}.99"),
            ("/globals", {"extra_vars": "[1]"}, 400, "should be a valid json"),
            ("/config", {"config": {"serf": {"Addr": "127.0.0.1:1"}}}, 409, "Only changes to ansible configuration are allowed"),
            ("/config", {"config": {"ansible": {"configure_playbook": "x.yml"}}}, 409, "reeve config push"),
            ("/monitor/event", {"monitor_event": {"name": "gone", "nodes": []}}, 400, "discovered or disappeared")):
        status, text = contiv.post(path, **body)
        assert status == expected and words in text and text.count("\n") == 1, (path, body, status, text)
    assert contiv.ask("GET", "/info/node/nobody")[0] == 404
    status, text = contiv.ask("GET", "/info/job/first")
    assert status == 400 and "Invalid or empty job label" in text
    status, text = contiv.ask("GET", "/info/job/active")
    assert status == 404 and "job doesn't exist" in text
    assert contiv.ask("POST", "/globals", {"extra_vars": ""}, headers={"Content-Type": "text/plain"})[0] == 415
    assert contiv.ask("GET", "/v1/clusters")[0] == contiv.ask("GET", "/debug/pprof/")[0] == 404  # this API alone
    assert contiv.ask("GET", "/info/nodes", headers={"Origin": "http://example.org"})[0] == 403
    assert contiv.status(name) == ("Unallocated", "Discovered")


def test_a_node_that_is_away_is_left_alone(world):
    """It is neither commissioned nor decommissioned, and comes back as what it was; host groups survive a restart of the manager, also by kill -9."""
    contiv = world.contiv
    master, other = world.discover(2, 3)
    try:
        world.machines[3].stop()
        until(lambda: contiv.status(other) == ("Unallocated", "Disappeared"), lambda: str(contiv.status(other)))
        status, text = contiv.post("/commission/nodes", nodes=[master, other], host_group=MASTER)
        assert status == 409 and f"node '{other}' is not in discovered state" in text, text
        assert contiv.status(master) == ("Unallocated", "Discovered")
    finally:
        world.machines[3].start()
    until(lambda: contiv.status(other) == ("Unallocated", "Discovered"), lambda: str(contiv.status(other)))
    world.commission(MASTER, master, other)  # masters in one request
    status, text = contiv.post("/update/nodes", nodes=[master, other], host_group="nothing")
    assert status == 400 and "invalid or empty host-group" in text, text
    try:
        world.machines[3].stop()
        until(lambda: contiv.status(other)[1] == "Disappeared", lambda: str(contiv.status(other)))
        status, text = contiv.post("/decommission/nodes", nodes=[master, other])
        assert status == 409 and f"node '{other}' is not in discovered state" in text, text
        world.manager.kill()
        world.manager.start()
        assert contiv.get(f"/info/node/{other}")["configuration_state"]["host_group"] == MASTER
        assert contiv.status(master) == ("Allocated", "Discovered")
    finally:
        world.machines[3].start()
    world.becomes(other, "Allocated")
    status, text = contiv.ask("GET", "/info/job/active")
    assert status == 404, "a rejected request makes no job: " + text


def test_update_with_another_host_group_moves_the_node(world):
    """It leaves its group, cleaned up, and joins the other; the last master stays (C37)."""
    contiv = world.contiv
    master, other = world.discover(2, 3)
    world.commission(MASTER, master, other)
    assert contiv.post("/update/nodes", nodes=[other], host_group=WORKER) == (200, "")
    until(lambda: contiv.get(f"/info/node/{other}")["configuration_state"]["host_group"] == WORKER and contiv.status(other)[0] == "Allocated",
          lambda: str(contiv.get(f"/info/node/{other}")) + world.manager.log.read_text())
    sizes = {name: world.manager.get(f"/v1/nodegroups/dc/{name}").json["spec"]["size"] for name in (MASTER, WORKER)}
    assert sizes == {MASTER: 1, WORKER: 1}, sizes
    types = [event["type"] for event in world.manager.get("/v1/events?limit=500").json["items"]]
    assert types.count("node.claimed") == 3 and types.index("node.moved") < len(types) - 1 - types[::-1].index("node.claimed"), " ".join(types)
    status, text = contiv.post("/update/nodes", nodes=[master], host_group=WORKER)
    assert status == 409 and "will leave only worker nodes" in text, text
    assert "reserved" not in str(world.manager.get("/v1/nodes?discovered=1").json["items"]), "a rejected update reserves nothing"
    status, text = contiv.post("/update/nodes", nodes=[master, other], host_group=WORKER)
    assert status == 409 and "in a separate request" in text, text


def test_globals_are_the_variables_of_the_cluster(world):
    """They are replaced as a whole, and survive a restart."""
    contiv = world.contiv
    assert contiv.get("/info/globals") == {"extra_vars": {}}
    assert contiv.post("/globals", extra_vars='{"env": {"http_proxy": "x"}, "a": 1}') == (200, "")
    assert contiv.post("/globals", extra_vars='{"b": [1, 2]}') == (200, "")
    assert contiv.get("/info/globals") == {"extra_vars": {"b": [1, 2]}}
    assert world.manager.get("/v1/clusters/dc?view=export").json["defaults"]["vars"] == {"b": [1, 2]}
    assert contiv.post("/config", config={"ansible": {"user": "ops"}}) == (200, "")
    config = contiv.get("/config")
    assert config["ansible"]["user"] == "ops" and json.loads(config["ansible"]["extra_variables"]) == {"b": [1, 2]}, config
    assert config["serf"]["AuthKey"] == config["ansible"]["priv_key_file"] == "" and config["manager"]["addr"].endswith(f":{contiv.port}")
    assert world.manager.stop() == 0
    world.manager.start()
    assert contiv.get("/info/globals") == {"extra_vars": {"b": [1, 2]}}
    assert contiv.post("/globals", extra_vars="") == (200, "")
    assert contiv.get("/info/globals") == {"extra_vars": {}}


def members_of(world, group):
    """The members of a group in the file, with what they have of their own."""
    return world.manager.get("/v1/clusters/dc?view=export").json["groups"][group].get("members", {})


def test_variables_of_single_nodes_are_those_of_their_members(world):
    """A commission and an update give them; they leave with the node; nodes of one request have the same ones."""
    contiv = world.contiv
    master, other = world.discover(0, 1)
    status, text = contiv.post("/commission/nodes", nodes=[master, other], host_group=MASTER, extra_vars='{"device": "sdb", "env": {"a": 1}}')
    assert (status, text) == (200, ""), (status, text)
    world.becomes(master, "Allocated")
    world.becomes(other, "Allocated")
    given = {"vars": {"device": "sdb", "env": {"a": 1}}}
    assert members_of(world, MASTER) == {f"{MASTER}-0": given, f"{MASTER}-1": given}
    status, text = contiv.post("/update/nodes", nodes=[other], extra_vars='{"env": {"b": 2}}')
    assert (status, text) == (200, ""), (status, text)
    name = next(one["metadata"]["name"] for one in world.manager.get("/v1/resources?cluster=dc").json["items"]
                if world.machines[1].addresses[0] in json.dumps(one))
    assert members_of(world, MASTER)[name] == {"vars": {"device": "sdb", "env": {"a": 1, "b": 2}}}
    world.becomes(other, "Allocated")
    assert contiv.post("/decommission/nodes", nodes=[other]) == (200, "")
    world.becomes(other, "Decommissioned")
    assert list(members_of(world, MASTER)) == [one for one in (f"{MASTER}-0", f"{MASTER}-1") if one != name]


def test_posted_events_are_evidence(world):
    """They make rows and end none: a machine that answers stays discovered."""
    contiv = world.contiv
    one = world.machines[3]
    node = {"label": "node4", "serial": "0", "addr": one.addresses[0]}
    assert contiv.post("/monitor/event", monitor_event={"name": "discovered", "nodes": [node]}) == (200, "")
    until(lambda: contiv.get("/info/nodes"))
    [(name, shown)] = contiv.get("/info/nodes").items()
    assert name.startswith("node4") and shown["monitoring_state"]["label"] == "node4", shown


def test_the_user_of_the_listener_needs_rights(world):
    """It acts as its user: without grants it may do nothing, and without the user it serves nobody."""
    [grant] = world.manager.get("/v1/grants").json["items"]
    assert world.manager.ask("DELETE", f"/v1/grants/{grant['metadata']['id']}").status == 200
    status, text = world.contiv.ask("GET", "/info/nodes")
    assert status == 403 and "requires the role viewer" in text, text
    assert world.manager.ask("DELETE", "/v1/users/contiv").status == 200
    status, text = world.contiv.ask("GET", "/info/nodes")
    assert status == 401 and "'contiv' of this listener does not exist" in text, text


# ---- the command line ----

def reeve(world, *words, code=0, url=True):
    more = ["--url", f"http://127.0.0.1:{world.contiv.port}"] if url else []
    done = subprocess.run([str(REEVE), "clusterctl", *words, *more], capture_output=True, text=True, check=False, timeout=240,
                          env={**os.environ, "REEVE_URL": f"unix:{world.manager.socket}", "COLUMNS": "200"})
    assert done.returncode == code, (words, done.stdout, done.stderr)
    return done.stdout + done.stderr


def test_the_commands_of_clusterctl(world):
    """At the listener and, with a login, at the manager of the context (C32)."""
    place = f"{world.machines[0].addresses[0]}:{world.machines[0].port}"
    reeve(world, "discover", place)
    assert "already exist" in reeve(world, "discover", place, code=5)
    [name] = world.contiv.get("/info/nodes")
    assert json.loads(reeve(world, "node", "get", name, "--json", url=False))["inventory_state"]["status"] == "Unallocated"
    assert "invalid or empty host-group" in reeve(world, "nodes", "commission", name, code=2)
    reeve(world, "nodes", "commission", name, "--host-group", MASTER)
    followed = subprocess.Popen([str(REEVE), "clusterctl", "job", "get", "active", "--follow", "--url", f"http://127.0.0.1:{world.contiv.port}"],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    world.becomes(name, "Allocated")
    told = followed.communicate(timeout=120)[0]
    assert followed.returncode in (0, 4), told  # it may have ended before
    until(lambda: world.contiv.ask("GET", "/info/job/active")[0] == 404)
    assert "Status: Complete" in reeve(world, "job", "get", "last") and "job doesn't exist" in reeve(world, "job", "get", "active", code=4)
    listed = reeve(world, "nodes", "get", url=False).splitlines()
    assert listed[0].split() == ["NODE", "STATUS", "STATE", "HOST-GROUP", "ADDRESS", "SERIAL"] and listed[1].split()[1:4] == ["Allocated", "Discovered", MASTER]
    reeve(world, "global", "set", "--extra-vars", '{"a": 1}')
    assert json.loads(reeve(world, "global", "get")) == {"extra_vars": {"a": 1}}
    (world.folder / "f.json").write_text('{"ansible": {"user": "ops"}}')
    reeve(world, "config", "set", str(world.folder / "f.json"))
    assert json.loads(reeve(world, "config", "get"))["ansible"]["user"] == "ops"
    assert "doesn't exists" in reeve(world, "node", "update", "nobody", code=4)
    assert "no command 'node remove'" in reeve(world, "node", "remove", code=2)
    told = reeve(world, "import", f"http://127.0.0.1:{world.contiv.port}", url=False)
    address = world.machines[0].addresses[0]
    assert "user: ops" in told and f"reeve discover {address}" in told and f"reeve commission {address} -g contiv/{MASTER}" in told, told
    reeve(world, "nodes", "decommission", name)
    world.becomes(name, "Decommissioned")


@pytest.mark.parametrize("text, words", [
    ("contiv: []", "must be a mapping"), ("contiv: {listen: 'x'}", "write 127.0.0.1:9007"), ("contiv: {listen: '0.0.0.0:9007'}", "plain: true"),
    ("contiv: {clusters: x}", "did you mean 'cluster'")])
def test_faults_of_the_settings_are_reported(tmp_path, text, words):
    (tmp_path / "c.yaml").write_text(text + "\n")
    done = subprocess.run([str(REEVE.parent / "reeved"), "--config", str(tmp_path / "c.yaml"), "--data", str(tmp_path / "data")],
                          capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode != 0 and words in done.stderr, done.stderr
