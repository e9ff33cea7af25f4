"""The plugin libvirt at a libvirt daemon: its test driver, and QEMU without an accelerator. No part of libvirt is a fake."""

import base64
import contextlib
import email
import json
import os
import pathlib
import re
import shutil
import subprocess
import threading
import time

import pytest
from cloudy import ROOT
from driver import AUTH, CAPACITY, GONE, INVALID, OK, PENDING, RUNNING, STOPPED, STOPPING, TRANSIENT, UNKNOWN, BUILD
from libvirtd import MISSING, OTHER, Caller, Daemon, Relay
from manager import Manager, until
from ocean import CLUSTER, make_tags, make_token
from pylib.ports import free_port

PARTS = BUILD / "tests/clouds/libvirt_parts"
SCHEMA = pathlib.Path("/usr/share/libvirt/schemas/domain.rng")
GIB = 1 << 30

pytestmark = pytest.mark.skipif(not PARTS.exists(), reason="libvirt-dev is missing: the plugin was not built")
with_daemon = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {' '.join(MISSING)}")


@pytest.fixture(name="daemon", scope="module")
def make_daemon():
    """The daemon, with an image in the test driver's pool, and two pools for QEMU."""
    daemon = Daemon()
    try:
        daemon.keep()
        daemon.virsh(daemon.test, "vol-create-as", "default-pool", "debian-12-a.qcow2", "1G", "--format", "qcow2")
        image = daemon.folder / "images/debian-12-generic.qcow2"
        subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", image, "1G"], check=True)
        if os.geteuid() == 0:
            os.chown(image, OTHER, OTHER)
        for name in ("images", "disks"):
            daemon.virsh(daemon.qemu, "pool-create-as", name, "dir", "--target", daemon.folder / name)
        yield daemon
    finally:
        daemon.close()


def volumes(daemon):
    """What the plugin has left in the test driver's pool."""
    return [name for name in daemon.lines(daemon.test, "vol-list", "default-pool") if name.startswith("reeve-")]


def nothing_left(daemon):
    """Neither domains nor volumes of the plugin."""
    return daemon.virsh(daemon.test, "list", "--all", "--name").split() == ["test"] and not volumes(daemon)


@contextlib.contextmanager
def calling(folder, properties=None, **settings):
    """The plugin in a process of its own."""
    caller = Caller(folder, properties, **settings)
    assert caller.plugin.started == OK, caller.plugin.log()
    try:
        yield caller
    finally:
        if caller.plugin.process.poll() is None:
            caller.close()


def at_test_driver(daemon, tmp_path, properties=None, **settings):
    """The plugin at the test driver, which cannot store the content of a volume."""
    return calling(tmp_path / "folder", properties, **{"uri": daemon.test, "pool": "default-pool", "seedUpload": False, **settings})


def emulating(daemon, tmp_path, **properties):
    """The plugin at QEMU. A session has no network of its own."""
    return calling(tmp_path / "folder", {"interface": "user", **properties}, uri=daemon.qemu, pool="disks", imagePool="images")


# -- the tables, and the pure parts


ERRORS = [  # code of libvirt, message, result of a call that reads, of one that changes something
    (38, "cannot set up guest memory: Cannot allocate memory", CAPACITY, CAPACITY),
    (1, "cannot write: no space left on DEVICE", CAPACITY, CAPACITY),
    (1, "Not enough free space in pool for volume 'x'", CAPACITY, CAPACITY),
    (1, 'Failed to get "write" lock', TRANSIENT, TRANSIENT),
    (42, "Domain not found", GONE, GONE),
    (49, "Storage pool not found", INVALID, INVALID), (50, "no storage vol", INVALID, INVALID), (43, "Network not found", INVALID, INVALID),
    (27, "XML error", INVALID, INVALID), (35, "not well formed", INVALID, INVALID), (92, "does not validate", INVALID, INVALID),
    (67, "unsupported configuration", INVALID, INVALID), (74, "argument unsupported", INVALID, INVALID),
    (84, "Operation not supported", INVALID, INVALID), (3, "not supported by the driver", INVALID, INVALID),
    (8, "invalid argument", INVALID, INVALID), (9, "domain 'x' already exists with uuid y", INVALID, INVALID),
    (45, "authentication failed", AUTH, AUTH), (79, "cancelled", AUTH, AUTH), (94, "unavailable", AUTH, AUTH), (88, "access denied", AUTH, AUTH),
    (29, "read only access prevents", AUTH, AUTH), (38, "Failed to connect: Permission denied", AUTH, AUTH),
    (55, "domain is not running", TRANSIENT, TRANSIENT),
    (39, "Cannot write data", TRANSIENT, UNKNOWN), (5, "no connection driver", TRANSIENT, UNKNOWN), (38, "Connection reset", TRANSIENT, UNKNOWN),
    (1, "internal error", TRANSIENT, UNKNOWN), (9, "operation failed: something else", TRANSIENT, UNKNOWN), (4711, "a code that is new", TRANSIENT, UNKNOWN),
]
STATES = {0: PENDING, 1: RUNNING, 2: RUNNING, 3: RUNNING, 4: STOPPING, 5: STOPPED, 6: STOPPED, 7: STOPPED, 8: PENDING}


def parts(*words, **more):
    """The output of one part."""
    return subprocess.run([PARTS, *map(str, words)], capture_output=True, text=True, check=True, timeout=60, **more).stdout


def test_every_row_of_the_error_table_and_of_the_states():
    rows = [(code, change, message, result) for code, message, *both in ERRORS for change, result in enumerate(both)]
    found = parts("answers", input="".join(f"{code} {change} {message}\n" for code, change, message, _ in rows)).split()
    assert [(*row[:3], int(result)) for row, result in zip(rows, found)] == rows
    names = re.findall(r"^VIRT_ERROR\((\w+)", (pathlib.Path(__file__).parents[2] / "plugins/libvirt/errors.def").read_text(), re.M)
    assert len(ERRORS) == len(names) + 2, "a row for each of the table, and two that it does not list"
    assert list(map(int, parts("states", input="".join(f"{each} 0\n" for each in STATES)).split())) == list(STATES.values())


@pytest.mark.skipif(not SCHEMA.exists() or not shutil.which("xmllint"), reason="libvirt's schemas or xmllint are missing")
def test_the_xml_of_every_shape_is_valid_by_libvirts_schema(tmp_path):
    parts("xml", tmp_path)
    files = sorted(tmp_path.iterdir())
    assert len(files) == 27
    done = subprocess.run(["xmllint", "--noout", "--relaxng", SCHEMA, *files], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr[:3000]
    files[0].write_text(files[0].read_text().replace("<vcpu>", "<cpus>").replace("</vcpu>", "</cpus>"))
    assert subprocess.run(["xmllint", "--noout", "--relaxng", SCHEMA, files[0]], capture_output=True, check=False).returncode != 0


def judge_seed(path):
    """The files of a seed disk, as programs of other authors read them."""
    found = subprocess.run(["/usr/sbin/blkid", "-p", "-o", "export", path], capture_output=True, text=True, check=True).stdout.split()
    assert {"LABEL=cidata", "TYPE=iso9660"} <= set(found)
    assert "ISO 9660 CD-ROM filesystem data 'cidata'" in subprocess.run(["file", path], capture_output=True, text=True, check=True).stdout
    files = {}
    for name in ("META-DATA", "USER-DATA"):
        target = path.with_suffix(f".{name}")
        subprocess.run(["xorriso", "-osirrox", "on", "-indev", path, "-extract", f"/{name}", target], capture_output=True, check=True, timeout=60)
        files[name] = target.read_text()
    return files


needs_judges = pytest.mark.skipif(not all(map(shutil.which, ("xorriso", "file", "ssh-keygen"))), reason="xorriso, file or ssh-keygen is missing")


@needs_judges
@pytest.mark.parametrize("size, sectors", [(10, 24), (40000, 49)])
def test_seed_disk_of_any_size(tmp_path, size, sectors):
    path = tmp_path / "seed.iso"
    parts("seed", path, size)
    assert path.stat().st_size == sectors * 2048
    files = judge_seed(path)
    assert files["META-DATA"] == "instance-id: id\nlocal-hostname: web-0\n"
    assert email.message_from_string(files["USER-DATA"]).get_payload()[1].get_payload(decode=True) == b"#" * size


def test_newest_image_of_a_release():
    names = ["debian-12.qcow2", "debian-12-2024.qcow2", "debian-12-2025.qcow2", "debian-120.qcow2", "debian-12-x.iso", "reeve-debian-12-z.qcow2",
             "xdebian-12-z.qcow2"]
    assert parts("choose", "debian-12", *names).strip() == "debian-12.qcow2"
    assert parts("choose", "debian-12", *names[1:]).strip() == "debian-12-2025.qcow2"
    assert parts("choose", "debian-13", *names).strip() == ""


# -- settings and properties, without libvirt


@pytest.mark.parametrize("settings, words", [
    ({"uri": "qemu+ssh://root@host/system"}, "may not start programs"), ({"uri": "qemu+libssh2://host/system"}, "may not start programs"),
    ({"uri": "qemu+ext://host/system?command=/bin/sh"}, "may not start programs"), ({"uri": "qemu+tcp://host/system"}, "not encrypted"),
    ({"uri": "xen:///system"}, "uri is like"), ({"uri": "qemu:///embed?root=/tmp"}, "uri is like"), ({"uri": "nothing"}, "uri is like"),
    ({"url": "qemu:///system"}, "'url' is not valid"), ({"pool": ["a"]}, "'pool' is not valid"),
    ({"seedUpload": False}, "test driver")])
def test_settings_that_are_refused(tmp_path, settings, words):
    caller = Caller(tmp_path / "folder", **settings)
    assert caller.plugin.started == INVALID and words in caller.plugin.log()
    caller.plugin.kill()


def test_properties_that_are_refused_and_a_daemon_that_is_missing(tmp_path):
    wrong = {"machineSize": "huge", "cpus": 0, "memory": 1, "image": "../x", "user": "a b", "sshKey": "x", "interface": "wire", "subnet": "a/b",
             "network": {"cidr": "10.0.0.0/8"}, "rootSize": "x", "owner": 1,
             "volumes": [{"name": "a"}, {"name": "a", "size": GIB, "mount": "srv", "keep": "no", "snapshot": "x"}]}
    with calling(tmp_path / "folder", uri=f"test+unix:///default?socket={tmp_path}/none") as caller:
        assert set(caller.call("validate", properties=wrong).faults) == {
            "/machineSize", "/cpus", "/memory", "/image", "/user", "/sshKey", "/interface", "/subnet", "/network", "/rootSize", "/owner",
            "/volumes/0/size", "/volumes/1/name", "/volumes/1/mount", "/volumes/1/keep", "/volumes/1/snapshot"}
        assert caller.call("validate", properties={"bridge": "br0", "subnet": "default"}).faults.keys() == {"/subnet"}
        assert caller.call("validate", properties={"interface": "bridge"}).faults.keys() == {"/bridge"}
        assert caller.call("validate", properties={"cpus": 2, "memory": GIB, "volumes": [{"size": GIB}]}).result == OK
        for answer in (caller.create(), caller.call("describe", ids=[]), caller.call("destroy", id="0" * 8 + "-0000-0000-0000-" + "0" * 12)):
            assert answer.result == TRANSIENT and "connect to test+unix" in answer.text, answer
        assert caller.call("destroy", id="not-an-id").result == OK


# -- the test driver


@with_daemon
def test_life_of_a_machine(daemon, tmp_path):
    with at_test_driver(daemon, tmp_path, {"machineSize": "medium", "cpus": 3}) as caller:
        token, tags = make_token("web-0" + CLUSTER), None
        tags = make_tags(token, group="Web/" + "Ünï<&>'\"\\🐑\uffff" * 20)
        id = caller.make(tags=tags, zone="rack-1")
        assert caller.make(tags=tags) == id and caller.call("describe", ids=["x", id, "0" * 36]).rows == caller.rows()
        [row] = caller.rows()
        assert row["id"] == id and row["state"] == RUNNING and row["zone"] == "rack-1" and row["tags"] == tags
        assert row["address"].startswith("192.168.122.") and row["properties"] == {
            "domain": f"web-0-{token[-12:]}", "image": "debian-12-a.qcow2", "user": "admin"}
        xml = daemon.virsh(daemon.test, "dumpxml", id)
        assert "<vcpu placement='static'>3</vcpu>" in xml and "<memory unit='KiB'>2097152</memory>" in xml
        assert caller.call("label", id=id, labels={"labels": {"env": "<prod>"}, "owner": "ops"}).result == OK
        for flags in ((), ("--config",)):
            assert '{"labels":{"env":"&lt;prod&gt;"},"owner":"ops"}' in daemon.virsh(
                daemon.test, "metadata", id, "urn:reeve:labels:1", *flags)
        daemon.virsh(daemon.test, "suspend", id)
        assert caller.rows()[0]["state"] == RUNNING
        assert caller.call("reboot", id=id).result == OK and "running" in daemon.virsh(daemon.test, "domstate", id)
        daemon.virsh(daemon.test, "destroy", id)
        assert caller.rows()[0]["state"] == STOPPED
        assert caller.call("reboot", id=id).result == OK and caller.rows()[0]["state"] == RUNNING and caller.rows()[0]["tags"] == tags
        assert caller.call("destroy", id=id).result == OK and caller.rows() == []
        assert caller.call("destroy", id=id).result == OK and nothing_left(daemon)


@with_daemon
def test_foreign_domains_and_other_clusters_are_not_touched(daemon, tmp_path):
    foreign = daemon.virsh(daemon.test, "domuuid", "test")
    before = daemon.virsh(daemon.test, "dumpxml", "test")
    with at_test_driver(daemon, tmp_path) as caller:
        other = caller.make(cluster="acme/other")
        for id in (foreign, other):
            assert caller.call("label", id=id, labels={"labels": {}}).result == GONE and caller.call("reboot", id=id).result == GONE
            assert caller.call("destroy", id=id, token=make_token("web-0acme/other")).result == OK and caller.rows(id) == []
        assert caller.rows() == [] and [row["id"] for row in caller.rows(cluster="acme/other")] == [other] and len(volumes(daemon)) == 2
        taken = caller.create(token=make_token("web-0acme/other"))
        assert taken.result == UNKNOWN or "not a machine of the cluster" in taken.text
        assert caller.call("destroy", cluster="acme/other", id=other).result == OK
    assert daemon.virsh(daemon.test, "dumpxml", "test") == before and nothing_left(daemon)


@with_daemon
def test_refused_creates_leave_nothing_and_name_what_is_missing(daemon, tmp_path):
    with at_test_driver(daemon, tmp_path) as caller:
        for properties, pointer, words in (
                ({"image": "rocky-9"}, "/image", "no volume rocky-9*.qcow2"), ({"image": "x.qcow2"}, "/image", "it has debian-12-a.qcow2"),
                ({"rootSize": GIB // 1024}, "/rootSize", "rootSize")):
            answer = caller.create(properties=properties)
            assert answer.result == INVALID and words in answer.faults.get(pointer, ""), answer
        token = make_token("web-0" + CLUSTER)
        twin = tmp_path / "twin.xml"
        twin.write_text(f"<domain type='test'><name>web-0-{token[-12:]}</name><memory>1024</memory><os><type>hvm</type></os></domain>")
        daemon.virsh(daemon.test, "define", twin)
        answer = caller.create(properties={"volumes": [{"size": GIB}]})
        assert answer.result == INVALID and "already exists with uuid" in answer.text, answer
        daemon.virsh(daemon.test, "undefine", f"web-0-{token[-12:]}")
        assert nothing_left(daemon)
        caller.properties = {"image": "debian-12-a.qcow2"}
        assert caller.call("preflight", properties={"image": "debian"}, zones=[], count=1).of("pin") == [
            {"kind": "pin", "pointer": "/image", "value": "debian-12-a.qcow2"}]
        wrong = caller.call("preflight", properties={"image": "rocky", "subnet": "none", "cpus": 500}, zones=[], count=1)
        assert wrong.result == INVALID and set(wrong.faults) == {"/image", "/subnet", "/cpus"}, wrong
        assert caller.call("preflight", properties={}, zones=[], count=100000).result == 3  # QUOTA
    with at_test_driver(daemon, tmp_path, pool="none") as caller:
        assert caller.create().result == INVALID and caller.call("resources").result == INVALID


@with_daemon
def test_volumes_of_a_slot_and_of_a_machine(daemon, tmp_path):
    disks = [{"name": "data", "size": GIB, "mount": "/srv"}, {"name": "cache", "size": GIB, "keep": "node"}]
    with at_test_driver(daemon, tmp_path, {"volumes": disks}) as caller:
        id = caller.make()
        found = {each["id"]: each for each in caller.call("resources").of("resource")}
        assert len(found) == 2 and {(each["attached"], each["bytes"], each["resource"]) for each in found.values()} == {(id, GIB, "volume")}
        [kept] = [each["volume"] for each in caller.rows()[0]["properties"]["volumes"] if each["name"] == "data"]
        assert f"<serial>{kept[6:26]}</serial>" in daemon.virsh(daemon.test, "dumpxml", id)
        assert caller.call("resource_destroy", resource="volume", id=kept).result == TRANSIENT
        assert caller.call("destroy", id=id).result == OK
        assert [(each["id"], each["attached"]) for each in caller.call("resources").of("resource")] == [(kept, "")] and volumes(daemon) == [kept]
        smaller = caller.create(token=make_token("next"), properties={"volumes": [{**disks[0], "size": 2 * GIB}]})
        assert smaller.result == INVALID and "the kept volume" in smaller.faults["/volumes/0/size"] and volumes(daemon) == [kept]
        second = caller.make(token=make_token("next"))
        assert kept in [each["volume"] for each in caller.rows()[0]["properties"]["volumes"]]
        assert caller.call("destroy", id=second).result == OK
        for cluster in ("acme/other", CLUSTER):
            assert caller.call("resource_destroy", cluster=cluster, resource="volume", id=kept).result == OK
            assert volumes(daemon) == ([kept] if cluster != CLUSTER else [])
        assert caller.call("resource_destroy", resource="volume", id="debian-12-a.qcow2").result == OK and nothing_left(daemon)


@with_daemon
@pytest.mark.parametrize("what", ["create", "destroy"])
def test_killed_after_each_request_to_libvirt(daemon, tmp_path, what):
    """Every request has its effect, its answer is never read, and the call is made again by another process."""
    relay = Relay(tmp_path / "relay", daemon)
    properties = {"volumes": [{"name": "data", "size": GIB, "keep": "node"}]}
    kills = 0
    with at_test_driver(daemon, tmp_path, properties, uri=relay.uri) as caller:
        while True:
            id = caller.make("warm", token=make_token("warm")) if kills == 0 else id
            target = caller.make() if what == "destroy" else None
            caller.rows()  # connected: from here on each request is one of the call
            relay.arm(kills + 1, caller.plugin.kill)
            was_killed = False
            try:
                answer = caller.create() if what == "create" else caller.call("destroy", id=target)
            except AssertionError:
                was_killed = True
            relay.left = None
            if not was_killed:
                assert answer.result == OK, answer
            else:
                kills += 1
                caller.plugin.process.wait()
                caller.start()
                if what == "destroy":
                    assert caller.call("destroy", id=target, token=make_token("web-0" + CLUSTER)).result == OK
                else:
                    target = caller.make()
            if what == "create":
                target = caller.make()
                assert sorted(row["id"] for row in caller.rows()) == sorted([id, target])
                assert caller.call("destroy", id=target).result == OK
            assert [row["id"] for row in caller.rows()] == [id] and len(volumes(daemon)) == 3, kills
            if not was_killed:
                break
        assert kills >= 10
        assert caller.call("destroy", id=id).result == OK and nothing_left(daemon)
    relay.close()


@with_daemon
@pytest.mark.skipif(os.geteuid() != 0, reason="the suite tests plugins of the profile host as root")
def test_conformance(daemon, tmp_path):
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"uri": daemon.test, "pool": "default-pool", "seedUpload": False}))
    done = subprocess.run([BUILD / "reeve", "plugin", "test", BUILD / "plugins/libvirt.so", "--settings", settings, "--late", "2s", "--set", "image=debian-12"],
                          capture_output=True, text=True, check=False, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    assert nothing_left(daemon)


@with_daemon
@pytest.mark.skipif(os.geteuid() != 0, reason="a plugin of the profile host needs root")
def test_manager_creates_and_destroys_a_group(daemon, tmp_path):
    settings = {"uri": daemon.test, "pool": "default-pool", "seedUpload": False}
    group = {"size": 2, "resourcePlugin": {"name": "libvirt", "account": "libvirt"}, "image": "debian-12", "machineSize": "small"}
    with Manager(tmp_path, "--haste", "50", control=True) as manager:
        manager.start()
        manager.apply({"kind": "Account", "name": "libvirt", "plugin": "libvirt", "settings": settings})
        manager.apply({"name": "shop", "version": "1", "groups": {"web": group}})
        until(lambda: len(daemon.virsh(daemon.test, "list", "--name").split()) == 3, lambda: manager.get("/v1/events?cluster=shop").json)
        assert manager.get("/v1/plugins/libvirt").json.get("profile", "host") == "host"
        manager.apply({"name": "shop", "version": "1", "groups": {"web": {**group, "size": 0}}}, query="?allow=destroy:2")
        until(lambda: nothing_left(daemon), lambda: manager.get("/v1/events?cluster=shop").json)


@with_daemon
@pytest.mark.skipif(os.geteuid() != 0, reason="a plugin of the profile host needs root")
def test_init_writes_a_file_that_plans_and_the_guide_is_followed(daemon, tmp_path):
    with Manager(tmp_path, "--haste", "50", control=True) as manager:
        manager.start()

        def reeve(command):
            done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=240,
                                  env={**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}", "REEVE_URL": f"unix:{manager.socket}",
                                       "HOME": str(tmp_path), "COLUMNS": "200"})
            assert done.returncode == 0, f"$ {command}\n{done.stdout}{done.stderr}"
            return done.stdout
        page = (ROOT / "docs/guide/clouds/libvirt.md").read_text()
        init, plan, apply, get = re.findall(r"^\$ (reeve .*)$", page, re.M)
        assert init == "reeve init --cloud libvirt cluster.yaml"
        reeve(init)
        file = tmp_path / "cluster.yaml"
        text, count = re.subn(r"^settings: .*$", f'settings: {{uri: "{daemon.test}", pool: default-pool, seedUpload: false}}', file.read_text(), flags=re.M)
        assert count == 1 and "create 3 nodes" in reeve(plan)
        file.write_text(text)
        (tmp_path / "account.yaml").write_text(text[:text.index('---\nversion: "1"')])
        reeve("reeve apply --yes -f account.yaml")
        assert "checked at libvirt/libvirt" in reeve(plan)
        reeve(f"{apply} --yes --detach")
        until(lambda: len(daemon.virsh(daemon.test, "list", "--name").split()) == 4, lambda: manager.get("/v1/events?cluster=shop").json)
        assert len(re.findall(r"\bweb-\d", reeve(get))) >= 3
        [delete] = re.findall(r"`(reeve delete [^`]*)`", page)
        reeve(f"{delete} --yes --detach --allow destroy=3")
        until(lambda: nothing_left(daemon), lambda: manager.get("/v1/events?cluster=shop").json)


# -- QEMU


@with_daemon
@needs_judges
def test_machine_of_qemu(daemon, tmp_path):
    disks = daemon.folder / "disks"
    with emulating(daemon, tmp_path, volumes=[{"name": "data", "size": GIB, "mount": "/srv/data"}], user="deploy") as caller:
        id = caller.make(keys="ssh-ed25519 AAAA ops", init="#!/bin/sh\necho 'ü'\n")
        [row] = caller.rows()
        assert row["state"] == RUNNING and row["properties"]["user"] == "deploy"
        assert "domain type='qemu'" in daemon.virsh(daemon.qemu, "dumpxml", id), "kvm is not usable here, or was not probed"
        [seed] = disks.glob(f"reeve-{id}-seed-*.iso")
        shutil.copy(seed, tmp_path / "seed.iso")
        files = judge_seed(tmp_path / "seed.iso")
        assert files["META-DATA"] == f"instance-id: {id}\nlocal-hostname: web-0\n"
        config, script = email.message_from_string(files["USER-DATA"]).get_payload()
        assert config.get_content_type() == "text/cloud-config" and script.get_content_type() == "text/x-shellscript"
        keys = json.loads(config.get_payload(decode=True).decode().removeprefix("#cloud-config\n"))["ssh_keys"]
        (tmp_path / "key").touch(0o600)
        (tmp_path / "key").write_text(keys["ed25519_private"])
        public = subprocess.run(["ssh-keygen", "-y", "-f", tmp_path / "key"], capture_output=True, text=True, check=True).stdout.strip()
        assert public == keys["ed25519_public"] == row["properties"]["hostKey"]
        text = script.get_payload(decode=True).decode()
        assert text.startswith("#!/bin/sh\n") and "echo 'ü'" in text and "AAAA ops" in text and "user='deploy'" in text
        assert f"virtio-{row['properties']['volumes'][0]['volume'][6:26]}' '/srv/data'" in text
        secret = base64.b64decode("".join(keys["ed25519_private"].splitlines()[1:-1]))[-50:-40].hex()
        assert secret not in caller.plugin.log() and "PRIVATE" not in daemon.virsh(daemon.qemu, "dumpxml", id)
        assert caller.call("reboot", id=id).result == OK
        caller.restart()
        assert caller.make() == id and caller.rows() == [row]
        assert caller.call("destroy", id=id).result == OK and daemon.virsh(daemon.qemu, "list", "--all", "--name") == ""
        [kept] = caller.call("resources").of("resource")
        assert caller.call("resource_destroy", resource="volume", id=kept["id"]).result == OK and list(disks.iterdir()) == []
        answer = caller.create(properties={"subnet": "none", "volumes": [{"size": GIB}]})
        assert answer.result == INVALID and "start the domain" in answer.text, answer
        assert list(disks.iterdir()) == [] and daemon.virsh(daemon.qemu, "list", "--all", "--name") == ""


@with_daemon
def test_what_interrupted_creates_left_is_deleted_after_an_hour(daemon, tmp_path):
    disks = daemon.folder / "disks"
    ids = [f"{n}f560a1b-db55-8871-b68f-18624a793438" for n in range(4)]
    old, young, foreign, data = (disks / f"reeve-{ids[0]}-root.qcow2", disks / f"reeve-{ids[1]}-root.qcow2", disks / "other.qcow2",
                                 disks / "reeve-0123456789abcdef0123-abcdefghijkl.qcow2")
    for path in (old, young, foreign, data):
        path.touch()
        os.chown(path, *((OTHER, OTHER) if os.geteuid() == 0 else (-1, -1)))
        os.utime(path, (time.time() - 7200,) * 2 if path != young else None)
    daemon.virsh(daemon.qemu, "pool-refresh", "disks")
    with emulating(daemon, tmp_path) as caller:
        assert caller.rows() == []
        assert not old.exists() and young.exists() and foreign.exists() and data.exists()
    for path in (young, foreign, data):
        path.unlink()
    daemon.virsh(daemon.qemu, "pool-refresh", "disks")


IMAGE = ROOT / "build/cloud-image/debian-12-small.qcow2"
BOOT_S = 900  # without an accelerator, on a busy computer


class Screen:
    """What a machine writes to its serial console, for a failed test."""

    def __init__(self, path):
        self.text, self.stream = "", open(path, "rb", buffering=0)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        with contextlib.suppress(OSError, ValueError):
            while part := self.stream.read(4096):
                self.text += part.decode(errors="replace")

    def end(self):
        """Its last lines."""
        return self.text[-3000:]


@with_daemon
@pytest.mark.skipif(not IMAGE.exists(), reason="there is no image to boot: tools/cloud-image makes it")
@pytest.mark.timeout(2 * BOOT_S)
def test_a_machine_boots_from_an_image_to_its_sshd_whose_key_was_known_before(daemon, tmp_path):
    """CLOUDS.md 13l: cloud-init reads the seed disk and runs the first-start script; no key is accepted at first use."""
    kept = daemon.folder / "images" / IMAGE.name
    shutil.copy(IMAGE, kept)
    if os.geteuid() == 0:
        os.chown(kept, OTHER, OTHER)
    daemon.virsh(daemon.qemu, "pool-refresh", "images")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ops", "-f", tmp_path / "key"], check=True)
    port = free_port()
    with emulating(daemon, tmp_path, image=IMAGE.name, user="deploy", volumes=[{"name": "data", "size": GIB, "mount": "/srv/data"}]) as caller:
        id = caller.make(keys=(tmp_path / "key.pub").read_text(), init="#!/bin/sh\necho done >/var/tmp/own-init\n")
        screen = Screen(daemon.virsh(daemon.qemu, "ttyconsole", id))
        [row] = caller.rows()
        (tmp_path / "known").write_text(f"[127.0.0.1]:{port} {row['properties']['hostKey']}\n")
        daemon.virsh(daemon.qemu, "qemu-monitor-command", id, "--hmp", f"hostfwd_add tcp:127.0.0.1:{port}-:22")

        def ssh(command):
            return subprocess.run(["ssh", "-F", "none", "-i", tmp_path / "key", "-p", str(port), "-o", f"UserKnownHostsFile={tmp_path}/known", "-o",
                                   "StrictHostKeyChecking=yes", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20", "deploy@127.0.0.1", command],
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120)
        until(lambda: ssh("sudo -n test -e /var/lib/reeve/first-start-*").returncode == 0, lambda: f"{ssh('id')}\n{screen.end()}", BOOT_S)
        assert ssh("hostname").stdout == "web-0\n"
        assert ssh("cat /var/tmp/own-init").stdout == "done\n"
        assert ssh("findmnt -n -o FSTYPE /srv/data").stdout == "ext4\n"
        assert ssh("cloud-init query ds.meta_data.instance_id; cat /run/cloud-init/result.json").stdout.count("NoCloud") == 1
        # The host key on the machine is the one that the plugin generated, and no other was accepted.
        wrong = (tmp_path / "known").read_text().replace("AAAAC3NzaC1lZDI1NTE5AAAAI", "AAAAC3NzaC1lZDI1NTE5AAAAIA")[:-2]
        (tmp_path / "known").write_text(wrong + "\n")
        assert "Host key verification failed" in ssh("id").stderr
        assert caller.call("destroy", id=id).result == OK and daemon.virsh(daemon.qemu, "list", "--all", "--name") == ""
