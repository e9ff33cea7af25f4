"""reeve clusterctl import --apply: what a cluster manager of Contiv has becomes a cluster of reeve (C33)."""

import contextlib
import http.server
import json
import os
import subprocess
import threading

import pytest

from conftest import REEVE
from hosts import ME, Sshd, port_of
from manager import Manager

NETWORK = "127.0.33"
MASTER, WORKER = "service-master", "service-worker"


@pytest.fixture(name="machines")
def three_machines(tmp_path):
    """Three machines, each an sshd of its own, which accept one key."""
    port = port_of(NETWORK)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", tmp_path / "login"], check=True)
    with contextlib.ExitStack() as stack:
        found = [Sshd(tmp_path / f"machine-{number}", [f"{NETWORK}.{number}"], port) for number in range(1, 4)]
        for one in found:
            stack.callback(one.stop)
            one.start((tmp_path / "login.pub").read_text().strip())
        yield found


@contextlib.contextmanager
def cluster_manager(answers):
    """A program that answers as clusterm does."""
    class Handler(http.server.BaseHTTPRequestHandler):
        """GET alone."""

        def do_GET(self):
            """One of the answers."""
            body = json.dumps(answers[self.path]).encode() if self.path in answers else b"no"
            self.send_response(200 if self.path in answers else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def node(machine, group, status="Allocated"):
    """A node as clusterm shows it."""
    return {"configuration_state": {"host_group": group}, "inventory_state": {"status": status, "state": "Discovered"},
            "monitoring_state": {"management_address": f"{machine.addresses[0]}:{machine.port}"}}


@pytest.fixture(name="keeping")
def keeping_manager(tmp_path):
    """A manager that reconciles, in haste."""
    with Manager(tmp_path, "--haste", "100", control=True).start() as manager:
        yield manager


@pytest.fixture(name="run")
def command(keeping, tmp_path):
    """Runs reeve clusterctl import."""
    env = {**os.environ, "REEVE_URL": f"unix:{keeping.socket}", "HOME": str(tmp_path), "PATH": f"{REEVE.parent}:{os.environ['PATH']}"}

    def run(*words, code=0, command=("clusterctl", "import")):
        done = subprocess.run([str(REEVE), *command, *words], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=240)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr
    return run


def test_a_running_cluster_manager_is_taken_over(keeping, machines, tmp_path, run):
    """The key, the variables, host groups and nodes in service; a node that is not in service is left out. Repeated, it changes nothing."""
    config = {"serf": {"Addr": "127.0.0.1:7373"}, "ansible": {"user": ME, "priv_key_file": str(tmp_path / "login")}, "manager": {"addr": "127.0.0.1:9007"}}
    nodes = {"node1-0": node(machines[0], MASTER), "node2-0": node(machines[1], WORKER), "node3-0": node(machines[2], WORKER, "Unallocated")}
    settings = tmp_path / "reeved.yaml"
    settings.write_text("# the manager of this computer\nlog: info\n")
    with cluster_manager({"/config": config, "/info/nodes": nodes, "/info/globals": {"extra_vars": '{"control_interface": "eth1"}'}}) as url:
        out = run(url, "--config", str(settings), code=2)
        assert "--config needs --apply" in out
        # without a terminal and --yes nothing happens
        out = run(url, "--apply", code=11)
        assert "2 machines are discovered and commissioned" in out and "control_interface: eth1" in out, out
        assert keeping.get("/v1/clusters/contiv").status == 404 and keeping.get("/v1/secrets/contiv").status == 404

        out = run(url, "--apply", "--yes", "--config", str(settings))
        assert "contiv: {listen: '127.0.0.1:9007', cluster: contiv}\n" in settings.read_text() and settings.read_text().startswith("# the manager"), out
        cluster = keeping.get("/v1/clusters/contiv?view=export").json
        assert {name: one["size"] for name, one in cluster["groups"].items()} == {MASTER: 1, WORKER: 1}, cluster
        assert cluster["defaults"]["vars"] == {"control_interface": "eth1"} and keeping.get("/v1/secrets/contiv").status == 200
        rows = {one["address"]: one.get("claim", {}).get("name") for one in keeping.get("/v1/nodes?discovered=1").json["items"]}
        assert rows == {f"{NETWORK}.1": f"{MASTER}-0", f"{NETWORK}.2": f"{WORKER}-0"}, rows

        out = run(url, "--apply", "--yes", "--config", str(settings))
        assert "the secret contiv exists" in out and "stays as it is" in out and "reeve discover" not in out and "reeve commission" not in out, out
        assert settings.read_text().count("contiv:") == 1


def test_what_fails_is_named_and_the_rest_is_done_the_next_time(keeping, tmp_path, run):
    """A file of settings has no nodes. Its playbooks are those of this computer."""
    (tmp_path / "clusterm.json").write_text(json.dumps({"ansible": {"user": ME, "playbook_location": str(tmp_path / "playbooks")}}))
    out = run(str(tmp_path / "clusterm.json"), "--apply", "--yes", code=1)
    assert "R0852" in out and "reeve config push failed" in out and "run the same command again" in out, out
    (tmp_path / "playbooks").mkdir()
    (tmp_path / "playbooks/site.yml").write_text("- hosts: all\n  gather_facts: false\n  tasks: []\n")
    run(str(tmp_path / "clusterm.json"), "--apply", "--yes")
    assert keeping.get("/v1/configs/contiv").status == 200
    assert keeping.get("/v1/clusters/contiv?view=export").json["defaults"]["configuration"] == "contiv@r1"
    wrong = tmp_path / "reeved.yaml"
    wrong.write_text("lsten: 1\n")
    out = run(str(tmp_path / "clusterm.json"), "--apply", "--yes", "--config", str(wrong), code=1)
    assert "clusterctl import --config failed" in out and wrong.read_text() == "lsten: 1\n" and not wrong.with_suffix(".yaml.new").exists(), out
