"""Machines in the forms of other tools, read by those tools (issue 7; UX.md 6.1, U25)."""
import csv
import io
import ipaddress
import json
import os
import re
import subprocess
import sys
import time

import pytest

from conftest import REEVE, ROOT
from hosts import ME
from manager import Manager, until
from test_exec import COUNT, NETWORK, a_world  # noqa: F401  (the fixture `world`)

NAMES = [f"web-{number}" for number in range(COUNT - 2)] + ["db-0", "db-1"]


def addresses():
    """Of each machine."""
    return {name: f"{NETWORK}.{number + 1}" for number, name in enumerate(NAMES)}


def ansible_inventory(source, world, *words):
    """What Ansible makes of it."""
    done = subprocess.run(["ansible-inventory", "-i", str(source), *words], capture_output=True, text=True, timeout=400,
                          check=False, env={**world.environment(), "ANSIBLE_NOCOLOR": "1", "LC_ALL": "C.UTF-8"})
    assert done.returncode == 0 and "WARNING" not in done.stderr, (done.stdout, done.stderr)
    return json.loads(done.stdout)


def script(world, tmp_path):
    """An inventory script: two lines."""
    path = tmp_path / "script"
    path.write_text(f'#!/bin/sh\nexec {REEVE} get nodes -o ansible "$@" -c shop\n')
    path.chmod(0o755)
    return path


def test_ansible_reads_both(world, tmp_path):
    (tmp_path / "static.json").write_text(world.run("get", "nodes", "-o", "ansible", "-c", "shop")[0])
    for source in (tmp_path / "static.json", script(world, tmp_path)):
        seen = ansible_inventory(source, world, "--list")
        assert sorted(seen["cluster_shop"]["hosts"]) == sorted(NAMES)
        assert sorted(seen["nodegroup_shop_db"]["hosts"]) == ["db-0", "db-1"]
        assert sorted(seen["state_ready"]["hosts"]) == sorted(NAMES)
        variables = seen["_meta"]["hostvars"]["web-3"]
        assert variables["ansible_host"] == variables["node_addr"] == addresses()["web-3"]
        assert (variables["ansible_user"], variables["ansible_port"], variables["node_name"]) == (ME, world.many.port, "web-3")
        assert variables["reeve_labels"] == {"tier": "front"}
    one = json.loads(world.run("get", "nodes", "-o", "ansible", "--host", "web-3", "-c", "shop")[0])
    assert one == json.loads(world.run("get", "nodes", "-o", "ansible", "--list", "-c", "shop")[0])["_meta"]["hostvars"]["web-3"]
    assert json.loads(world.run("get", "nodes", "-o", "ansible", "--host", "nobody")[0]) == {}


def test_ansible_logs_in_without_a_question(world, tmp_path):
    """It has the host keys as well, and asks nobody; another key is refused."""
    (tmp_path / "static.json").write_text(world.run("get", "nodes", "-o", "ansible", "-c", "shop")[0])
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "mine"], check=True)
    known = world.many.folder / "authorized_keys"
    before = known.read_text()

    def raw(source):
        return subprocess.run(["ansible", "-i", str(source), "web-3", "-m", "raw", "-a", "echo on=$SSH_CONNECTION", "--private-key", str(tmp_path / "mine")],
                              capture_output=True, text=True, check=False, timeout=400, stdin=subprocess.DEVNULL,
                              env={**world.environment(), "ANSIBLE_NOCOLOR": "1", "LC_ALL": "C.UTF-8", "ANSIBLE_LOCAL_TEMP": str(tmp_path / "local"),
                                   "ANSIBLE_SSH_ARGS": "-o ControlMaster=no -o UserKnownHostsFile=/dev/null -o GlobalKnownHostsFile=/dev/null -o IdentityAgent=none"})

    try:
        known.write_text(before + (tmp_path / "mine.pub").read_text())
        for source in (tmp_path / "static.json", script(world, tmp_path)):
            done = raw(source)
            assert done.returncode == 0 and addresses()["web-3"] in done.stdout.split("on=")[1].split(), (done.stdout, done.stderr)
        (tmp_path / "static.json").write_text((tmp_path / "static.json").read_text().replace(world.many.key.split()[1], world.one.key.split()[1]))
        done = raw(tmp_path / "static.json")
        assert done.returncode != 0 and "Host key verification failed" in done.stdout, (done.stdout, done.stderr)
    finally:
        known.write_text(before)


def test_ssh_logs_in_without_a_question(world, tmp_path):
    config = tmp_path / "config"
    config.write_text(world.run("get", "nodes", "-o", "ssh", "-c", "shop")[0])
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "mine"], check=True)
    known = world.many.folder / "authorized_keys"
    before = known.read_text()
    seen = subprocess.run(["ssh", "-G", "-F", str(config), "web-3"], check=True, capture_output=True, text=True).stdout
    assert f"hostname {addresses()['web-3']}\n" in seen and f"port {world.many.port}\n" in seen and "stricthostkeychecking true" in seen
    words = ["ssh", "-F", str(config), "-o", "BatchMode=yes", "-o", f"IdentityFile={tmp_path}/mine", "-o", "IdentityAgent=none",
             "-o", "UserKnownHostsFile=/dev/null", "-o", "GlobalKnownHostsFile=/dev/null"]
    try:
        known.write_text(before + (tmp_path / "mine.pub").read_text())
        done = subprocess.run([*words, "web-3", "echo $SSH_CONNECTION"], capture_output=True, text=True, check=False, timeout=240)
        assert done.returncode == 0 and done.stdout.split()[2] == addresses()["web-3"], done.stderr
        # a host with another key than the one on record is refused
        config.write_text(config.read_text().replace(world.many.key.split()[1], world.one.key.split()[1]))
        done = subprocess.run([*words, "web-3", "true"], capture_output=True, text=True, check=False, timeout=240)
        assert done.returncode == 255 and "Host key verification failed" in done.stderr
    finally:
        known.write_text(before)


def test_who_names_a_cluster_or_a_group_is_shown_how(world):
    assert "that is a cluster: write shop/NODE, or -c shop for all of its machines" in world.run("get", "nodes", "-o", "hosts", "shop", code=4)[1]
    assert "that is a group: all of its machines are -g shop/web" in world.run("get", "nodes", "-o", "hosts", "shop/web", code=4)[1]


@pytest.mark.parametrize("words", [("ssh", "{}", "--", "true"), ("logs", "{}"), ("describe", "{}", "--facts"), ("cp", "{}:/etc/hostname", "."),
                                   ("ca", "revoke", "{}"), ("bootstrap", "try", "examples/bundles/hello", "--node", "{}")], ids=" ".join)
def test_one_that_is_not_there_is_reported_alike(world, words):
    """By every verb that takes one machine, in the words of those that take several."""
    for name, told in (("shop/web-77", "there is no machine 'web-77' in shop hint: reeve get nodes lists those that exist"),
                       ("shop/web", "there is no machine 'web' in shop hint: that is a group: reeve get nodes -g shop/web lists its machines"),
                       ("blog/web-0", "there is no cluster 'blog' hint: reeve get clusters lists those that exist"),
                       ("shop/web-[0-3]", "'web-[0-3]' matches 4 machines, and exactly one is needed hint: reeve exec, reeve cp")):
        if words[0] == "cp" and "[" in name:
            continue
        said = " ".join(world.run(*(word.format(name) for word in words), code=4, cwd=ROOT)[1].split())
        assert told in said, said


def test_a_machine_may_have_its_kind_in_front(world):
    """As `-o name` prints it."""
    names = world.run("get", "nodes", "-g", "shop/db", "-o", "name")[0].split()
    assert names == ["node/shop/db-0", "node/shop/db-1"]
    assert world.run("ssh", names[0], "--", "echo", "in")[0] == "in\n"
    assert "R0730" in world.run("describe", names[0], "--facts", code=4)[1] and "R0730" in world.run("describe", "cluster/shop", "--facts", code=4)[1]
    assert "there is no output yet" in world.run("logs", names[0])[1]
    # and no cluster, where one alone has it
    assert world.run("describe", "node", "db-1")[0] == world.run("describe", "node", "shop/db-1")[0]
    assert "R0730" in world.run("describe", "db-1", "--facts", code=4)[1]
    said = world.run("describe", "db-7", "--facts", code=4)[1]
    assert "there is no machine 'db-7'" in said and "there is no cluster 'db-7' either" in said


@pytest.mark.parametrize("words, told", [
    (("exec", "--all", "--canary", "0", "--", "true"), "--canary is a number from 1 to 4294967295, got '0'"),
    (("exec", "--all", "--output-max", "0", "--", "true"), "--output-max is a number from 1 to 67108864, got '0'"),
    (("bootstrap", "run", "--all", "--canary", "0"), "--canary is a number from 1 to 4294967295, got '0'"),
    (("get", "nodes", "-o", "prometheus", "--port", "0"), "--port is a number from 1 to 65535, got '0'"),
    (("get", "nodes", "-o", "prometheus", "--port", "65536"), "--port is a number from 1 to 65535, got '65536'"),
    (("get", "nodes", "-o", "ssh", "--port", "9273"), "--port needs -o prometheus"),
    (("get", "nodes", "--list"), "--list needs -o ansible"),
    (("get", "nodes", "-o", "ssh", "-w"), "-o ssh and --watch exclude each other"),
    (("get", "nodegroups", "-o", "ssh"), "-o ssh applies only to nodes hint: reeve get nodes -o ssh"),
    (("tree", "shop/web"), "'shop/web' is not the name of a cluster hint: reeve tree shows a whole cluster; machines of a group: reeve get nodes -g shop/web"),
    (("bootstrap", "try", "examples/bundles/hello", "--node", "shop/web-0", "shop/web-1"), "unexpected argument 'shop/web-1'"),
], ids=lambda value: " ".join(value) if isinstance(value, tuple) else "")
def test_who_mistypes_is_shown_what_he_typed(world, words, told):
    said = " ".join(world.run(*words, code=2, cwd=ROOT)[1].split())
    assert told in said, said


def test_a_selection_of_nothing_says_what_there_is(world):
    assert "hint: did you mean 'shop/web'?" in world.run("exec", "-g", "shop/wbe", "--", "true", code=4)[1]
    assert "hint: reeve get nodegroups lists those that exist" in world.run("exec", "-g", "shop/cache", "--", "true", code=4)[1]
    assert "hint: reeve get clusters lists those that exist" in world.run("exec", "-c", "blog", "--", "true", code=4)[1]


def test_hosts_are_looked_up(world):
    block = world.run("get", "nodes", "-o", "hosts", "-c", "shop")[0]
    lines = block.splitlines()
    assert lines[0] == "# reeve begin" and lines[-1] == "# reeve end"
    found = {}
    for line in lines[1:-1]:
        address, *names = line.split()
        found.update({name: str(ipaddress.ip_address(address)) for name in names})
    assert found == {**addresses(), **{f"{name}.shop": address for name, address in addresses().items()}}
    assert "\n127.0.13.4 web-3.shop\n" in world.run("get", "nodes", "-o", "hosts")[0]  # of all clusters: no bare name


def test_prometheus_as_it_is_documented(world):
    """file_sd: a list of {targets: [HOST:PORT], labels: {NAME: TEXT}}; names of labels have letters, digits, `_`."""
    items = json.loads(world.run("get", "nodes", "-o", "prometheus", "-c", "shop", "--port", "9273")[0])
    assert {target for item in items for target in item["targets"]} == {f"{address}:9273" for address in addresses().values()}
    for item in items:
        assert set(item) == {"targets", "labels"}
        assert all(re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", name) and isinstance(value, str) for name, value in item["labels"].items())
    one = next(item for item in items if item["targets"] == [f"{addresses()['web-3']}:9273"])
    assert one["labels"] == {"cluster": "shop", "node": "web-3", "nodegroup": "web", "state": "ready", "zone": "b", "label_tier": "front"}
    answer = world.manager.get("/v1/inventory/prometheus?cluster=shop&port=9273")
    assert answer.json == items and "application/json" in str(answer.headers)


def test_variables_and_rows(world):
    nodes = json.loads(world.run("get", "nodes", "-o", "terraform", "-c", "shop")[0])["reeve_nodes"]
    assert sorted(nodes) == sorted(f"shop/{name}" for name in NAMES)
    assert nodes["shop/db-1"]["address"] == addresses()["db-1"] and nodes["shop/db-1"]["port"] == world.many.port
    answer = world.manager.get("/v1/inventory/csv?cluster=shop")
    text = answer.text
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert {row["name"]: row["address"] for row in rows} == addresses()


@pytest.mark.parametrize("words, count", [
    (["-c", "shop"], COUNT), ([], COUNT), (["-g", "shop/db"], 2), (["shop/web-[0-3]"], 4), (["web-1"], 1),
    (["-l", "tier=front"], COUNT - 2), (["-c", "shop", "--state", "unhealthy"], 0), (["-l", "tier=none"], 0)])
def test_which_machines(world, words, count):
    nodes = json.loads(world.run("get", "nodes", *words, "-o", "terraform")[0])["reeve_nodes"]
    assert len(nodes) == len(world.run("get", "nodes", *words, "-o", "name")[0].split()) == count


def test_what_is_refused(world):
    assert "R0004" in world.run("get", "nodes", "-o", "puppet", code=2)[1]
    assert world.manager.get("/v1/inventory/puppet").code == "R0786"
    assert "R0403" in world.run("get", "nodes", "-o", "ssh", "-c", "blog", code=4)[1]
    assert "R0403" in world.run("get", "nodes", "-o", "ssh", "shop/web-77", code=4)[1]
    assert world.manager.get("/v1/inventory/csv?group=web").code == "R0426"
    assert world.manager.get("/v1/inventory/csv?port=70000").code == "R0426"
    manager = world.manager
    assert manager.post("/v1/users", {"name": "iris"}).status == 201
    token = manager.post("/v1/tokens", {"user": "iris", "days": 1}).json["token"]

    def status(path):
        return manager.get(path, Authorization=f"Bearer {token}").status

    assert status("/v1/inventory/csv") == 403 and status("/v1/inventory/csv?cluster=shop") == 403
    manager.post("/v1/grants", {"user": "iris", "role": "viewer", "cluster": "shop"})
    assert status("/v1/inventory/csv?cluster=shop") == 200 and status("/v1/inventory/csv") == 403


def test_large(tmp_path):
    """Every machine is there; how long it takes is printed, and judged by nobody here (the goal is 300 ms for 10,000)."""
    count = int(os.environ.get("INVENTORY_NODES", "100"))
    with Manager(tmp_path, "--haste", "100", control=True).start() as manager:
        manager.apply({"name": "big", "version": "1", "groups": {f"web{first}": {
            "size": min(1000, count - first), "labels": {"role": "web"}, "resourcePlugin": {"name": "static"},
            "resourceProperties": {"user": "root", "addresses": [
                f"127.100.{number >> 8}.{number & 255}" for number in range(first, min(first + 1000, count))]}}
            for first in range(0, count, 1000)}})
        until(lambda: manager.get("/v1/clusters/big").json.get("status", {}).get("machines", {}).get("ready") == count,
              manager.log.read_text, 300)
        for form in ("ansible-list", "ansible", "ssh", "hosts", "prometheus", "terraform", "csv"):
            begun = time.monotonic()
            answer = manager.get(f"/v1/inventory/{form}?cluster=big")
            took = time.monotonic() - begun
            assert answer.status == 200
            print(f"inventory {form}: {count} machines, {len(answer.bytes)} bytes, {took * 1000:.0f} ms", file=sys.stderr)
            assert answer.text.count("127.100.") == count * (1 if form in ("ssh", "hosts", "prometheus") else 2)
