"""The rights of the manager: what it keeps, as whom it runs, and what happens to its programs without them."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

import pytest

from conftest import REEVE
from manager import Manager, cluster, until

USER = 61000
BIND = 1 << 10  # CAP_NET_BIND_SERVICE

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to give up")


def status(pid):
    """Fields of /proc/PID/status."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def processes(parent):
    """Numbers and names of the children of a process."""
    numbers = pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return {int(number): status(number)["Name"] for number in numbers}


def launcher(manager):
    """The number of its launcher."""
    return next(pid for pid, name in processes(manager.process.pid).items() if name == "reeve-launcher")


def file_cluster(size):
    """Machines that are files, by a plugin in a process of its own."""
    document = cluster("shop", web=size)
    document["groups"]["web"]["resourcePlugin"] = {"name": "file"}
    return document


def ready(manager, count):
    """So many machines are ready."""
    def machines():
        return manager.get("/v1/clusters/shop").json.get("status", {}).get("machines", {})
    until(lambda: machines().get("ready") == machines().get("wanted") == count)


def shown(manager):
    """What the manager says of its rights."""
    return manager.get("/v1/plugins").json["manager"]


@pytest.fixture(name="open_folder")
def folder_for_others():
    """A folder that other users may pass."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="rights-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def run_as(folder, user, **more):
    """A manager whose configuration names a user."""
    configuration = folder / "reeved.yaml"
    configuration.write_text(f"user: {user}\n")
    return Manager(folder, "--config", str(configuration), control=True, **more)


def refused(manager):
    """The log of a manager that does not start."""
    manager.start(wait=False)
    assert manager.process.wait(20) != 0
    return manager.log.read_text()


@needs_root
def test_it_runs_as_the_user_that_is_named(open_folder):
    with run_as(open_folder, USER) as manager:
        manager.start()
        fields = status(manager.process.pid)
        assert set(fields["Uid"].split()) == {str(USER)} and fields["Groups"].strip() == ""
        assert int(fields["CapPrm"], 16) == int(fields["CapEff"], 16) == BIND and int(fields["CapBnd"], 16) == 0
        assert fields["NoNewPrivs"] == "1" and fields["Seccomp"] == "2"
        assert shown(manager)["user"] == f"uid-{USER}" and shown(manager)["capabilities"] == "in force"
        manager.apply(file_cluster(3))
        ready(manager, 3)
        sandbox = next(one for one in manager.get("/v1/plugins").json["items"] if one["name"] == "file")["sandbox"]
        assert sandbox["user"] == sandbox["mountNamespace"] == "in force", sandbox
        owners = {path.stat().st_uid for path in (open_folder / "data").iterdir()}
        assert owners == {USER}
        machines = open_folder / "data/plugins/default/file"
        assert machines.stat().st_uid not in (0, USER)
        # the account owns nothing on the socket: root has started the manager (a user that starts one: tests/e2e/test_demo.py)
        os.chmod(manager.socket, 0o666)
        asked = subprocess.run(["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", str(REEVE), "get", "clusters"],
                               capture_output=True, text=True, check=False, timeout=240,
                               env={**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": "/proc/nobody"})
        assert asked.returncode == 6 and "R0410" in asked.stderr, asked.stdout + asked.stderr
        # what root leaves there, as a restore does, is given to it, and its plugin's files stay the plugin's
        assert manager.stop() == 0
        os.chown(open_folder / "data/store.db", 0, 0)
        manager.start()
        manager.apply(file_cluster(4))
        ready(manager, 4)
        assert machines.stat().st_uid not in (0, USER)
        assert manager.stop() == 0
        assert not (open_folder / "s").exists()


@needs_root
def test_ready_is_reported_where_root_alone_may_look(open_folder, monkeypatch):
    """As the folder of start-stop-daemon --notify-await is."""
    (open_folder / "closed").mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ours:
        ours.bind(str(open_folder / "closed/notify"))
        ours.settimeout(60)
        monkeypatch.setenv("NOTIFY_SOCKET", str(open_folder / "closed/notify"))
        manager = run_as(open_folder, USER).start()
        assert ours.recv(100) == b"READY=1"
        assert manager.stop() == 0
        assert ours.recv(100) == b"STOPPING=1"


@needs_root
def test_the_owner_of_its_folder_is_who_it_becomes(open_folder):
    (open_folder / "data").mkdir(mode=0o700)
    os.chown(open_folder / "data", USER, USER)
    with Manager(open_folder) as manager:
        manager.start()
        assert status(manager.process.pid)["Uid"].split()[0] == str(USER)


@needs_root
def test_a_user_who_cannot_reach_the_folder_is_refused(tmp_path):
    tmp_path.chmod(0o700)
    log = refused(run_as(tmp_path, USER))
    assert "R0553" in log and "cannot reach the folder" in log and "chmod a+x" in log


@needs_root
def test_a_user_who_is_not_there_is_refused(open_folder):
    assert "there is no user 'nobody-like-this'" in refused(run_as(open_folder, "nobody-like-this"))


def test_without_a_user_it_has_no_capability_all_the_same(tmp_path):
    with Manager(tmp_path) as manager:
        manager.start()
        fields = status(manager.process.pid)
        assert int(fields["CapPrm"], 16) & ~BIND == 0 and int(fields["CapBnd"], 16) == 0 or os.geteuid() != 0
        assert fields["NoNewPrivs"] == "1" and fields["Seccomp"] == "2"
        if os.geteuid() == 0:
            assert shown(manager)["user"] == "root" and shown(manager)["why"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_its_programs_end_with_it(tmp_path, number):
    with Manager(tmp_path, control=True) as manager:
        manager.start()
        manager.apply(file_cluster(1))
        ready(manager, 1)
        children = processes(manager.process.pid)
        assert set(children.values()) >= {"reeve-launcher", "reeve-host-wait"}
        manager.process.send_signal(number)
        manager.process.wait(60)
        manager.process = None
        until(lambda: not any(pathlib.Path(f"/proc/{pid}/exe").exists() for pid in children))


def inside(manager):
    """The number of the process of the plugin `file`."""
    outside = next(pid for pid, name in processes(manager.process.pid).items() if name == "reeve-host-wait")
    return next(pid for pid, name in processes(outside).items() if name == "reeve-host")


@needs_root
def test_a_plugin_has_a_network_of_its_own_and_a_relay(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        configuration = tmp_path / "reeved.yaml"
        configuration.write_text(f"endpoints: {{file: ['127.0.0.1:{port}']}}\n")
        with Manager(tmp_path, "--config", str(configuration), control=True) as manager:
            manager.start()
            manager.apply(file_cluster(1))
            ready(manager, 1)
            space = ["nsenter", "-t", str(inside(manager)), "-n", sys.executable, "-c"]

            def reached(host, number):
                """Does a plugin come there without the relay?"""
                code = f"import socket; socket.create_connection(({host!r}, {number}), 5)"
                return subprocess.run([*space, code], check=False, capture_output=True, timeout=240).returncode == 0

            def relayed(target, say):
                """What the relay answers, and then the other end."""
                code = ("import socket; s = socket.create_connection(('127.0.0.1', 3128), 20); "
                        f"s.sendall(b'CONNECT {target} HTTP/1.1\\r\\n\\r\\n'); print(s.recv(200)); "
                        f"s.sendall({say!r}); print(s.recv(200))")
                return subprocess.Popen([*space, code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

            assert not reached("127.0.0.1", port) and not reached("127.0.0.1", manager.port)
            client = relayed(f"127.0.0.1:{port}", b"ping")
            server.settimeout(60)
            with server.accept()[0] as connection:
                assert connection.recv(100) == b"ping"
                connection.sendall(b"pong")
                said = client.communicate(timeout=240)[0]
            assert "200 connected" in said and "pong" in said
            for target in (f"127.0.0.1:{manager.port}", "169.254.169.254:80", "93.184.216.34:443"):
                assert "403 not an endpoint" in relayed(target, b"").communicate(timeout=240)[0]


def test_without_its_launcher_it_ends(tmp_path):
    with Manager(tmp_path, control=True) as manager:
        manager.start()
        # The answer of an apply has the revision of the store, which other records may have raised.
        manager.apply(file_cluster(1))
        revision = manager.get("/v1/clusters/shop").json["metadata"]["revision"]
        os.kill(launcher(manager), signal.SIGKILL)
        manager.process.wait(60)
        assert "launcher_ended" in manager.log.read_text()
        manager.start()
        assert manager.get("/v1/clusters/shop").json["metadata"]["revision"] == revision
        ready(manager, 1)
