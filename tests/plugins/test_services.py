"""The example configurations of services, as bundles and as a playbook, on real containers (C39).

Serf and etcd are real. Docker and Open vSwitch need a kernel of their own, so stand-in programs that keep their state in files take their place.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests"))
from manager import until  # noqa: E402
from pylib.containers import ground  # noqa: E402
from pylib.metal import inside, rows, why as why_rows  # noqa: E402
from conftest import ENVIRONMENT, REEVE  # noqa: E402
from test_bootstrap import World  # noqa: E402

pytestmark = [pytest.mark.skipif(os.geteuid() != 0, reason="containers are made by root"),
              pytest.mark.skipif(shutil.which("serf") is None, reason="there is no serf")]

OVS = """#!/bin/sh
mkdir -p /srv/ovs
while :; do case $1 in --*) shift ;; *) break ;; esac; done
case $1 in
add-br) touch /srv/ovs/$2 ;;
add-port) grep -qx $3 /srv/ovs/$2 || echo $3 >>/srv/ovs/$2; echo "$@" >>/srv/ovs.log ;;
del-port) sed -i "/^$3$/d" /srv/ovs/$2 ;;
list-ports) cat /srv/ovs/$2 ;;
br-exists) test -e /srv/ovs/$2 ;;
del-br) rm -f /srv/ovs/$2 ;;
esac
"""
STANDINGS = f"""cat >/usr/bin/ovs-vsctl <<'END'
{OVS}END
printf '#!/bin/sh\\ntouch /run/dockerd-up\\nexec sleep 100000\\n' >/usr/sbin/dockerd
printf '#!/bin/sh\\ntest -e /run/dockerd-up\\n' >/usr/bin/docker
chmod 755 /usr/bin/ovs-vsctl /usr/sbin/dockerd /usr/bin/docker
"""


@pytest.mark.parametrize("kind", ["services", "services-ansible"])
def test_services_of_a_cluster(tmp_path, kind):
    """All members of Serf see each other, Docker has its settings, each member has a tunnel to each other one."""
    if kind == "services-ansible" and (shutil.which("ansible-playbook") is None or shutil.which("etcd") is None):
        pytest.skip("there is no ansible-playbook, or no etcd")
    with ground(tmp_path) as folder:
        world = World(folder)
        try:
            services_run(world, folder, kind)
        finally:
            world.close()


def services_run(world, folder, kind):
    is_bundles = kind == "services"
    shutil.copytree(ROOT / "examples" / kind, folder / "repo")
    world.reeve("config", "check", "repo")
    world.reeve("config", "push", "repo", "--name", "services")
    world.bundle("stand-ins", STANDINGS)
    group = {"size": 2, "image": "host", "resourcePlugin": {"name": "local"}, "bootstrap": [{"tar": "stand-ins"}], "configuration": "services",
             "health": {"grace": "5m", "probe": {"tcp": 22, "every": "5s", "fail": 5, "timeout": "5s"}}}
    if not is_bundles:
        group["vars"] = {"services": ["serf", "docker", "openvswitch", "etcd"]}
    (folder / "shop.yaml").write_text(json.dumps({"name": "shop", "version": "1", "groups": {"web": group}}))
    world.reeve("apply", "--yes", "--detach", "-f", "shop.yaml")
    why = lambda: world.why() + "".join(world.reeve("logs", f"shop/{name}") for name in world.by_name())  # noqa: E731
    until(lambda: world.ready(2), why, 300)
    addresses = {name: one.address for name, one in world.by_name().items()}
    for name in addresses:
        until(lambda name=name: world.on(name, "serf members -status=alive").count("alive") == 2, why, 60)
        assert f"NodeAddr={addresses[name]}" in world.on(name, "serf", "members", "-detailed", f"-name={name}"), world.on(name, "serf members")
        assert json.loads(world.on(name, "cat", "/etc/docker/daemon.json"))["live-restore"] is True
        other = next(address for one, address in addresses.items() if one != name)
        assert f"options:remote_ip={other}" in world.on(name, "cat /srv/ovs.log"), world.on(name, "cat /srv/ovs.log")
        assert len(world.on(name, "cat /srv/ovs/reeve0").split()) == 1
        if not is_bundles:
            assert "is healthy" in world.on(name, "etcdctl endpoint health 2>&1")
    world.reeve("verify", "-g", "shop/web", "--level", "hook", "--exit-code")
    # a service that does not answer is drift, which checksums alone do not see
    world.on("web-0", "sudo -n rm /run/dockerd-up")
    world.reeve("verify", "-g", "shop/web", "--level", "hook", "--exit-code", code=10)
    until(lambda: "drifted" in world.reeve("get", "nodes", "-c", "shop"), why, 60)


def test_an_agent_is_set_up_on_bare_machines(tmp_path):
    """`discover --setup` runs the bundle by the operator's ssh; the agents find each other and report the host key of their machine (C28)."""
    with ground(tmp_path) as folder:
        world = World(folder)
        try:
            agents_run(world, folder)
        finally:
            world.close()


def agents_run(world, folder):
    world.apply(2)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", folder / "login"], check=True)
    addresses = {name: machine.address for name, machine in world.by_name().items()}
    for name in addresses:
        (inside(world, name) / "root/.ssh").mkdir(mode=0o700, exist_ok=True)
        (inside(world, name) / "root/.ssh/authorized_keys").write_text((folder / "login.pub").read_text())
    (folder / "bin").mkdir()
    (folder / "bin/ssh").write_text('#!/bin/sh\nexec /usr/bin/ssh -F /dev/null -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null "$@"\n')
    (folder / "bin/ssh").chmod(0o755)
    assert world.manager.ask("POST", "/v1/tenants", {"name": "metal"}).status in (200, 201)
    env = {**ENVIRONMENT, "REEVE_URL": f"unix:{world.manager.socket}", "HOME": str(folder), "REEVE_TENANT": "metal", "PATH": f"{folder}/bin:{os.environ['PATH']}"}
    done = subprocess.run([*world.room.within, f"--wd={folder}", str(REEVE), "discover", *addresses.values(), "--key", "login", "--setup",
                           str(ROOT / "examples/bundles/serf-agent"), "--", addresses["web-0"]], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0 and done.stdout.count("setup      the agent ") + done.stderr.count("setup      the agent ") == 2, done.stdout + done.stderr
    assert sorted(rows(world)) == sorted(addresses.values()), why_rows(world)
    for name, address in addresses.items():
        until(lambda name=name: subprocess.run(["nsenter", "-t", str(world.by_name()[name].init), "-a", "--", "serf", "members", "-status=alive"], capture_output=True,
                                               text=True, check=False, timeout=20).stdout.count("alive") == 2, world.why, 90)
        settings = json.loads((inside(world, name) / "etc/serf/reeve.json").read_text())
        assert settings["tags"]["NodeAddr"] == address and settings["tags"]["NodeHostKey"].startswith("SHA256:"), settings
