"""Commands on machines as their probes, and how reeve gets in: authorities, certificates, host keys (E10, E11, X5, X6)."""
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time

import pytest

from conftest import REEVE
from hosts import ME, Sshd, port_of, sessions_of
from pylib.node import USER, Node
from pylib.proc import children
from manager import REEVED, Manager, kept_below, until

NETWORK = "127.0.11"  # every address of 127/8 is ours on loopback


class Host(Sshd):
    """A machine: one address, a host key, and a file that its probe looks for."""

    def __init__(self, folder, number, port):
        super().__init__(folder / f"host-{number}", [f"{NETWORK}.{number}"], port)
        self.address = self.addresses[0]
        self.well = self.folder / "well"
        self.well.write_text("as it should be\n")


@pytest.fixture
def hosts(tmp_path):
    """Three hosts, none of which runs."""
    port = port_of(NETWORK)
    with contextlib.ExitStack() as stack:
        found = [Host(tmp_path, number, port) for number in range(3)]
        for host in found:
            stack.callback(host.stop)
        yield found


@pytest.fixture
def keeping(tmp_path):
    """A manager that keeps clusters, in haste."""
    with Manager(tmp_path, "--haste", "100", control=True).start() as manager:
        yield manager


def document(hosts, command=("sh", "-c", 'cat "$HOST_FOLDER/well"'), keys=None, timeout="5s", **group):
    """A cluster of these hosts."""
    known = {host.address: host.key for host in hosts} if keys is None else keys
    return {"name": "shop", "version": "1", "groups": {"web": {
        "size": len(hosts), "resourcePlugin": {"name": "static"}, "replaceAfter": "2s",
        "resourceProperties": {"addresses": [host.address for host in hosts], "port": hosts[0].port, "user": ME,
                               **({"hostKeys": known} if known else {})},
        "health": {"probe": {"exec": list(command), "every": "200ms", "fail": 2, "timeout": timeout}, "grace": "0s"},
        **group}}}


def nodes(manager):
    """Member by member how it stands."""
    return {row["status"]["name"]: row["status"] for row in manager.get("/v1/resources?cluster=shop").json["items"]}


def authority(manager):
    """The line of authorized_keys, once there is one."""
    until(lambda: manager.get("/v1/clusters/shop").json.get("status", {}).get("ssh"),
          lambda: manager.log.read_text())
    return manager.get("/v1/clusters/shop").json["status"]["ssh"]


def all_ready(manager, count):
    """Have so many answered?"""
    until(lambda: manager.get("/v1/clusters/shop").json.get("status", {}).get("machines", {}).get("ready") == count,
          lambda: json.dumps(nodes(manager), indent=1) + manager.log.read_text())


def events(manager):
    """What happened, and to whom."""
    return [(event["type"], event.get("node")) for event in manager.get("/v1/events?cluster=shop&limit=500").json["items"]]


def run(manager, *words):
    """What the command line says."""
    done = subprocess.run([str(REEVE), *words], capture_output=True, text=True, check=False, timeout=240,
                          env={**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": str(manager.folder)})
    assert done.returncode == 0, done.stderr
    return done.stdout


def begin(manager, hosts, **more):
    """The cluster is there, its hosts let reeve in, and all have answered."""
    manager.apply(document(hosts, **more))
    line = authority(manager)
    for host in hosts:
        host.start(line)
    all_ready(manager, len(hosts))
    return line


def test_a_command_that_fails_makes_it_unhealthy_and_says_why(keeping, hosts):
    line = begin(keeping, hosts, heal="off")
    assert re.fullmatch(r'cert-authority,principals="cluster:default/[0-9a-z-]+" ssh-ed25519 \S+ reeve', line), line
    hosts[1].well.unlink()
    until(lambda: nodes(keeping)["web-1"].get("unhealthy"), keeping.log.read_text)
    assert "exec: exit 1" in nodes(keeping)["web-1"]["cause"] and "No such file" in nodes(keeping)["web-1"]["cause"]
    assert ("machine.unhealthy", "web-1") in events(keeping)
    assert not nodes(keeping)["web-0"].get("unhealthy")
    shown = run(keeping, "describe", "node", "shop/web-1")
    assert "state      unhealthy" in shown and "probe      fails, since 20" in shown and "No such file" in shown, shown
    assert "exec: exit 0: as it should be" in run(keeping, "describe", "node", "shop/web-0")
    hosts[1].well.write_text("again\n")
    until(lambda: ("machine.healthy", "web-1") in events(keeping))


def key_make(path):
    """A private key of the operator's, and its public half."""
    for one in (path, path.with_name(path.name + ".pub")):
        one.unlink(missing_ok=True)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", path], check=True)
    return path.with_name(path.name + ".pub").read_text().strip()


def test_the_key_of_a_file_logs_in_and_is_rotated_by_another_file(keeping, hosts):
    """The machine knows that key alone. Neither a store, nor a log, nor a folder of the manager has it in the clear."""
    key, file = keeping.folder / "ops", keeping.folder / "shop.json"
    hosts[0].start(key_make(key))
    wanted = document(hosts[:1], heal="off")
    file.write_text(json.dumps({**wanted, "defaults": {"privateKeyFile": str(key)}}))
    run(keeping, "apply", "-f", str(file), "--yes", "--detach")
    all_ready(keeping, 1)
    assert run(keeping, "exec", "shop/web-0", "--", "echo", "in").endswith("in\n")
    first = key.read_text().splitlines()[3].encode()
    print_of = subprocess.run(["ssh-keygen", "-lf", key], capture_output=True, text=True, check=True).stdout.split()[1]
    assert f"Accepted publickey for {ME}" in hosts[0].log() and print_of in hosts[0].log()
    hosts[0].stop()
    hosts[0].start(key_make(key))
    until(lambda: nodes(keeping)["web-0"].get("unreachable"), keeping.log.read_text)
    run(keeping, "apply", "-f", str(file), "--yes", "--detach")
    until(lambda: ("machine.healthy", "web-0") in events(keeping), keeping.log.read_text)
    assert not nodes(keeping)["web-0"].get("unreachable")
    second = key.read_text().splitlines()[3].encode()
    for folder in (keeping.folder / "data", keeping.folder / "run"):
        for path, content in kept_below(folder).items() if folder.exists() else ():
            assert first not in content and second not in content and b"PRIVATE KEY" not in content, path
    said = keeping.log.read_text() + "".join(keeping.get(path).text for path in ("/v1/clusters/shop", "/v1/events?limit=500", "/v1/secrets"))
    assert "PRIVATE KEY" not in said and first.decode() not in said and second.decode() not in said


@pytest.mark.skipif(os.geteuid() != 0, reason="nodes are namespaces that root makes")
def test_a_machine_is_bootstrapped_with_the_key_of_a_file(keeping):
    """It has never heard of the cluster's authority. Its user becomes root, its stage runs, and it trusts the others afterwards."""
    node = Node(keeping.folder / "node", "web-0", address="127.0.31.9")
    (keeping.folder / "base").mkdir()
    (keeping.folder / "base/bootstrap.sh").write_text("id -un >/var/lib/done\n")
    (keeping.folder / "shop.json").write_text(json.dumps({"name": "shop", "version": "1", "groups": {"web": {
        "size": 1, "resourcePlugin": {"name": "static"}, "bootstrap": [{"tar": "base"}], "privateKeyFile": str(node.key),
        "resourceProperties": {"addresses": [node.address], "port": node.port, "user": USER, "hostKeys": {node.address: node.host_key}}}}}))
    with contextlib.closing(contextlib.ExitStack()) as stack:
        stack.callback(node.kill)
        node.start()
        right = node.key.read_text()
        key_make(node.key)  # another one at first, which the node refuses
        run(keeping, "apply", "-f", str(keeping.folder / "shop.json"), "--yes", "--detach")
        until(lambda: nodes(keeping).get("web-0", {}).get("problem", {}).get("kind") == "key-refused", lambda: json.dumps(nodes(keeping)))
        hint = nodes(keeping)["web-0"]["problem"]["hint"]
        assert f"public half of the group's key to ~{USER}/.ssh/authorized_keys" in hint and "clock" not in hint, hint
        node.key.write_text(right)
        run(keeping, "apply", "-f", str(keeping.folder / "shop.json"), "--yes", "--detach")
        until(lambda: ("node.bootstrapped", "web-0") in events(keeping), lambda: str(events(keeping)) + keeping.log.read_text())
        assert (node.folder / "var/lib/done").read_text() == "root\n"
        assert (node.folder / "etc/ssh/sshd_config.d/00-reeve.conf").exists()
        assert run(keeping, "exec", "shop/web-0", "--", "id", "-un").endswith(f"{USER}\n")
        # what reeve ssh gets is a certificate, and the machine knows the authority by now
        assert enter(keeping, "shop/web-0", "--", "id", "-un").stdout == f"{USER}\n"


def test_a_secret_that_is_no_key_is_said_at_the_machine(keeping, hosts):
    """It is missing, it is something else, and in the end it is the right one."""
    key = keeping.folder / "ops"
    hosts[0].start(key_make(key))
    keeping.apply(document(hosts[:1], heal="off", sshKeySecret="ops"))
    until(lambda: "there is no secret 'ops'" in nodes(keeping).get("web-0", {}).get("cause", ""), lambda: json.dumps(nodes(keeping)))
    (keeping.folder / "text").write_text("hello\n")
    (keeping.folder / "text").chmod(0o600)
    run(keeping, "create", "secret", "ops", f"@{keeping.folder}/text", "--yes")
    until(lambda: "reeve cannot log in with secret 'ops': it is not a private key" in nodes(keeping)["web-0"]["cause"], keeping.log.read_text)
    run(keeping, "set", "secret/ops", f"value=@{key}", "--yes")
    all_ready(keeping, 1)


def test_one_that_cannot_be_reached_is_reported_as_such(keeping, hosts):
    begin(keeping, hosts, heal="off")
    hosts[2].stop()
    until(lambda: nodes(keeping)["web-2"].get("unreachable"), keeping.log.read_text)
    fleet = keeping.get("/v1/fleet").json["columns"]
    silent = dict(zip(fleet["name"], fleet["silent"]))
    assert abs(silent["web-2"] - time.time()) < 600 and not silent["web-0"], silent  # by the wall, which people have
    assert not nodes(keeping)["web-2"].get("unhealthy")
    shown = run(keeping, "describe", "node", "shop/web-2")
    assert "state      unreachable" in shown and "probe      does not reach the machine, since 20" in shown, shown
    assert "unreachable" in run(keeping, "tree", "shop")
    hosts[2].start()
    until(lambda: ("machine.healthy", "web-2") in events(keeping), keeping.log.read_text)


def test_a_stopped_sshd_is_noticed_by_its_banner(keeping, hosts):
    """Stopped it still accepts connections, killed it refuses them; both are unhealthy, and well again when it goes on."""
    begin(keeping, hosts, heal="off", health={"probe": {"ssh": True}, "grace": "0s"})
    one = hosts[1].process.pid
    os.kill(one, signal.SIGSTOP)
    until(lambda: nodes(keeping)["web-1"].get("unhealthy"), keeping.log.read_text)
    assert nodes(keeping)["web-1"]["cause"] == f"ssh {hosts[1].port}: the host accepts connections, but sent no SSH banner in time"
    os.kill(one, signal.SIGCONT)
    until(lambda: ("machine.healthy", "web-1") in events(keeping), keeping.log.read_text)
    hosts[2].stop()
    until(lambda: nodes(keeping)["web-2"].get("unhealthy"), keeping.log.read_text)
    assert "refused" in nodes(keeping)["web-2"]["cause"]
    assert not nodes(keeping)["web-0"].get("unhealthy")


def test_machines_with_stages_are_probed_without_a_word(keeping, hosts):
    """Only where reeve logs in by itself, and not where the file says that it is not wanted."""
    (keeping.folder / "stage").mkdir()
    (keeping.folder / "stage/bootstrap.sh").write_text("#!/bin/sh\n")
    file = keeping.folder / "shop.yaml"
    for health, is_probed in (({"probe": {"ssh": False}, "grace": "0s"}, False), ({"grace": "0s"}, True)):
        wanted = document(hosts[:1], heal="off", bootstrap=[{"tar": str(keeping.folder / "stage")}], health=health)
        file.write_text(json.dumps(wanted))
        run(keeping, "apply", "-f", str(file), "--yes", "--detach")
        if not is_probed:
            until(lambda: "web-0" in nodes(keeping), keeping.log.read_text)
            assert "cause" not in nodes(keeping)["web-0"]
    until(lambda: nodes(keeping)["web-0"].get("cause", "").startswith(f"ssh {hosts[0].port}: "), lambda: json.dumps(nodes(keeping)))


def test_a_command_that_does_not_end_is_its_own_fault(keeping, hosts):
    begin(keeping, hosts[:1], command=("sh", "-c", 'test ! -e "$HOST_FOLDER/hang" || sleep 60'), heal="off", timeout="1s")
    (hosts[0].folder / "hang").touch()
    until(lambda: nodes(keeping)["web-0"].get("unhealthy"), keeping.log.read_text)
    assert "did not end in time" in nodes(keeping)["web-0"]["cause"]


def test_output_without_a_bound_is_one_line(keeping, hosts):
    begin(keeping, hosts[:1], command=("sh", "-c", 'test -e "$HOST_FOLDER/well" || { cat "$HOST_FOLDER/line"; head -c 30000000 /dev/zero; exit 3; }'),
          heal="off", timeout="30s")
    (hosts[0].folder / "line").write_text("x" * 5000 + "\n")
    hosts[0].well.unlink()
    until(lambda: nodes(keeping)["web-0"].get("unhealthy"), keeping.log.read_text)
    cause = nodes(keeping)["web-0"]["cause"]
    assert "xxxx" in cause and len(cause) <= 200 and cause.isprintable(), cause


def test_another_host_key_is_an_alarm_and_nobody_logs_in(keeping, hosts):
    line = begin(keeping, hosts, heal="off")
    hosts[0].stop()
    before = hosts[0].log().count("Accepted publickey")
    kept = hosts[0].key
    shutil.copy(hosts[0].folder / "key", hosts[0].folder / "old")
    hosts[0].key_make()
    hosts[0].start(line)
    until(lambda: nodes(keeping)["web-0"].get("alarm"), keeping.log.read_text)
    assert ("machine.alarm", "web-0") in events(keeping)
    assert "host key" in nodes(keeping)["web-0"]["alarm"]
    # it may have been unreachable before, while nobody listened: the cause of that stays until the next probe of it
    until(lambda: re.search(r"web-0  unreachable, since 20\S+ .*host key", run(keeping, "tree", "shop")), lambda: run(keeping, "tree", "shop"))
    assert hosts[0].log().count("Accepted publickey") == before
    assert "alarm" in run(keeping, "describe", "node", "shop/web-0")
    assert nodes(keeping)["web-0"]["hostKey"] == kept
    hosts[0].stop()
    shutil.copy(hosts[0].folder / "old", hosts[0].folder / "key")
    hosts[0].start()
    until(lambda: "alarm" not in nodes(keeping)["web-0"], keeping.log.read_text)
    assert ("machine.alarm_cleared", "web-0") in events(keeping)


def test_a_first_key_is_taken_only_where_the_group_says_so(keeping, hosts):
    keeping.apply(document(hosts[:1], keys={}))
    hosts[0].start(authority(keeping))
    # not the first cause: it may have been tried before it listened
    until(lambda: "host key of web-0 is not known" in nodes(keeping).get("web-0", {}).get("cause", ""), keeping.log.read_text)
    assert nodes(keeping)["web-0"].get("unreachable")
    until(lambda: not sessions_of(hosts[0].process.pid), hosts[0].log)  # each of them has said that it came
    tried = hosts[0].log().count("Connection from")  # to see whether it listens, and no more
    time.sleep(1)
    assert hosts[0].log().count("Connection from") == tried
    keeping.apply(document(hosts[:1], keys={}, ssh={"firstUse": True}))
    all_ready(keeping, 1)
    until(lambda: nodes(keeping)["web-0"].get("hostKey"))
    assert nodes(keeping)["web-0"]["hostKey"] == hosts[0].key
    assert ("machine.hostkey", "web-0") in events(keeping)
    keeping.stop()
    keeping.start()
    hosts[0].stop()
    hosts[0].key_make()
    hosts[0].start()
    until(lambda: nodes(keeping)["web-0"].get("alarm"), keeping.log.read_text)  # it was kept over the restart


def refused(manager, *words):
    """The same where it says no: with which exit code, and why."""
    done = subprocess.run([str(REEVE), *words], capture_output=True, text=True, check=False, timeout=240,
                          env={**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": str(manager.folder)})
    assert done.returncode != 0, done.stdout
    return done.returncode, done.stderr


def fingerprint(host):
    """As its owner reads it at the console."""
    return subprocess.run(["ssh-keygen", "-lf", str(host.folder / "key.pub")], capture_output=True, text=True, check=True).stdout.split()[1]


def installed_anew(manager, host, line):
    """The same address, and another host key."""
    host.stop()
    host.key_make()
    host.start(line)
    until(lambda: nodes(manager)["web-0"].get("alarm"), manager.log.read_text)


def test_a_machine_that_was_installed_anew_is_taken_by_its_fingerprint(keeping, hosts):
    line = begin(keeping, hosts[:1], keys={}, ssh={"firstUse": True}, heal="off")
    before = hosts[0].key
    installed_anew(keeping, hosts[0], line)
    assert nodes(keeping)["web-0"]["shown"] == hosts[0].key
    assert nodes(keeping)["web-0"]["alarm"].endswith(f"an unexpected host key: {fingerprint(hosts[0])} (ssh-ed25519)")
    shown = run(keeping, "describe", "node", "shop/web-0")
    assert f"shows      {fingerprint(hosts[0])} (ssh-ed25519); if it is the right one: reeve ca accept shop/web-0 {fingerprint(hosts[0])}" in shown, shown

    assert "alarm      exec: host key" in shown, shown
    until(lambda: "! 1 machine of shop shows another host key" in run(keeping, "status"), lambda: run(keeping, "status"))

    code, words = refused(keeping, "ca", "accept", "shop/web-0")
    assert code == 2 and "R0005" in words and "reeve describe node shop/web-0" in words, words
    code, words = refused(keeping, "ca", "accept", "shop/web-0", "SHA256:" + "A" * 43)
    assert "R0716" in words and fingerprint(hosts[0]) in words, (code, words)
    for wrong in ("ssh-ed25519", "ssh-ed25519 AAAA", "ssh-dss " + hosts[0].key.split()[1], "SHA1:x"):
        code, words = refused(keeping, "ca", "accept", "shop/web-0", wrong)
        assert "R0715" in words, words
    code, words = refused(keeping, "ca", "accept", "shop/web-7", fingerprint(hosts[0]))
    assert "R0403" in words, words
    assert nodes(keeping)["web-0"]["hostKey"] == before

    said = subprocess.run([str(REEVE), "ca", "accept", "shop/web-0", fingerprint(hosts[0]), "-m", "its disk was changed"],
                          capture_output=True, text=True, check=False, timeout=240,
                          env={**os.environ, "REEVE_URL": f"unix:{keeping.socket}", "HOME": str(keeping.folder)})
    assert said.returncode == 0 and "shop/web-0: this host key is accepted from now on" in said.stderr + said.stdout, said
    until(lambda: "alarm" not in nodes(keeping)["web-0"], keeping.log.read_text)
    assert nodes(keeping)["web-0"]["hostKey"] == hosts[0].key and "shown" not in nodes(keeping)["web-0"]
    until(lambda: "unreachable" not in nodes(keeping)["web-0"], keeping.log.read_text)
    told = [one for one in keeping.get("/v1/events?cluster=shop&limit=500").json["items"] if one["type"] == "machine.accepted"]
    assert len(told) == 1 and fingerprint(hosts[0]) in told[0]["fact"] and told[0]["why"] == "its disk was changed", told
    assert ("machine.hostkey", "web-0") in events(keeping)
    until(lambda: not wishes(keeping), lambda: str(wishes(keeping)))
    until(lambda: "the host key that the provider reports" not in run(keeping, "status"), lambda: run(keeping, "status"))
    code, words = refused(keeping, "ca", "accept", "shop/web-0", hosts[0].key)
    assert "R0433" in words, words


def wishes(manager):
    """Keys that were accepted and do not stand in the records yet."""
    return manager.written("Accepted")


def test_a_key_that_was_not_seen_yet_is_taken_whole(keeping, hosts):
    line = begin(keeping, hosts[:1], keys={}, ssh={"firstUse": True}, heal="off")
    hosts[0].stop()
    hosts[0].key_make()
    code, words = refused(keeping, "ca", "accept", "shop/web-0", fingerprint(hosts[0]))
    assert "R0716" in words and "give the whole key" in words, words
    run(keeping, "ca", "accept", "shop/web-0", *hosts[0].key.split(), "root@console")
    until(lambda: nodes(keeping)["web-0"]["hostKey"] == hosts[0].key, keeping.log.read_text)
    hosts[0].start(line)
    until(lambda: "unreachable" not in nodes(keeping)["web-0"], keeping.log.read_text)
    assert ("machine.alarm", "web-0") not in events(keeping)


def test_what_the_plugin_says_of_a_key_counts_more_than_what_was_accepted(keeping, hosts):
    line = begin(keeping, hosts[:1], heal="off")
    before = hosts[0].key
    installed_anew(keeping, hosts[0], line)
    run(keeping, "ca", "accept", "shop/web-0", fingerprint(hosts[0]))
    until(lambda: ("machine.accept_ignored", "web-0") in events(keeping), keeping.log.read_text)
    assert nodes(keeping)["web-0"]["hostKey"] == before and nodes(keeping)["web-0"].get("alarm")
    until(lambda: not wishes(keeping), lambda: str(wishes(keeping)))


def test_a_machine_whose_keys_are_revoked_has_taken_no_step(keeping, hosts):
    begin(keeping, hosts[:1], heal="off")
    run(keeping, "ca", "revoke", "shop/web-0")
    shown = run(keeping, "describe", "node", "shop/web-0")
    assert "revoked by" in shown and "nothing yet" not in shown, shown


def test_who_was_there_before_is_not_rolled(keeping, hosts):
    """Neither the authority nor a probe is a part of what a machine is made of."""
    plain = document(hosts)
    del plain["groups"]["web"]["health"]
    keeping.apply(plain)
    until(lambda: len([one for one in nodes(keeping).values() if one["state"] == "active"]) == 3)
    before = {name: one["id"] for name, one in nodes(keeping).items()}
    line = authority(keeping)
    for host in hosts:
        host.start(line)
    keeping.apply(document(hosts))
    all_ready(keeping, 3)
    assert {name: one["id"] for name, one in nodes(keeping).items()} == before
    assert not [kind for kind, _ in events(keeping) if kind in ("machine.condemned", "machine.destroyed")]


def test_the_authority_stays_and_its_key_is_not_in_the_store(keeping, hosts, tmp_path):
    line = begin(keeping, hosts[:1])
    book = (tmp_path / "data.signer.log").read_text()
    assert "cluster:default/" in book and book.count("\n") >= 2, book
    until(lambda: (tmp_path / "data.signer.log").read_text().count("reeved") > book.count("reeved"))  # renewed
    assert oct((tmp_path / "data.signer.key").stat().st_mode & 0o777) == "0o400"
    for path, content in kept_below(tmp_path / "data").items():
        assert b"PRIVATE KEY" not in content, path
    keeping.stop()
    keeping.start()
    assert authority(keeping) == line
    hosts[0].well.unlink()
    until(lambda: nodes(keeping)["web-0"].get("unhealthy"), keeping.log.read_text)


def test_a_lost_key_of_the_signer_is_said_once_and_clusters_are_kept(keeping, hosts, tmp_path):
    wanted = document(hosts)
    wanted["groups"]["web"]["size"] = 2
    keeping.apply(wanted)
    line = authority(keeping)
    for host in hosts[:2]:
        host.start(line)
    all_ready(keeping, 2)
    keeping.stop()
    (tmp_path / "data.signer.key").unlink()
    keeping.log.write_text("")
    keeping.start()
    words = ("authority: problem ", "error signer: ended ", "warn  signer: stderr ")
    until(lambda: all(told in keeping.log.read_text() for told in words), keeping.log.read_text)
    time.sleep(2)
    for told in words:
        assert keeping.log.read_text().count(told) == 1, keeping.log.read_text()
    assert not nodes(keeping)["web-0"].get("unreachable")  # that we cannot says nothing of it
    wanted["groups"]["web"]["size"] = 3
    keeping.apply(wanted)
    until(lambda: len([one for one in nodes(keeping).values() if one["state"] == "active"]) == 3)


def test_many_machines_keep_the_bounds_of_hands(keeping, hosts):
    """A thousand machines behind addresses at which nobody is: all are told, no more is under way than may be."""
    wanted = document(hosts[:1])
    group = wanted["groups"]["web"]
    group["size"] = 1000
    group["resourceProperties"]["addresses"] = [f"127.0.{12 + i // 250}.{i % 250 + 1}" for i in range(1000)]
    group["resourceProperties"]["hostKeys"] = {}
    group.update(ssh={"firstUse": True}, heal="off", maxUnhealthy="100%")
    group["health"]["probe"]["every"] = "1s"
    keeping.apply(wanted)
    until(lambda: keeping.get("/v1/clusters/shop").json.get("status", {}).get("machines", {}).get("unreachable") == 1000,
          lambda: keeping.log.read_text()[-3000:], 180)
    assert len(children(keeping.process.pid)) < 20, children(keeping.process.pid)


def enter(manager, *words, **environment):
    """reeve ssh, with a home and a folder of temporary files of its own."""
    (manager.folder / "tmp").mkdir(exist_ok=True)
    return subprocess.run([str(REEVE), "ssh", *words], capture_output=True, text=True, check=False, timeout=240,
                          stdin=subprocess.DEVNULL,
                          env={**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": str(manager.folder),
                               "TMPDIR": str(manager.folder / "tmp"), **environment})


def test_who_may_logs_in_and_is_in_the_log(keeping, hosts, tmp_path):
    begin(keeping, hosts, heal="off")
    done = enter(keeping, "shop/web-1", "--", "echo", "in at $HOST_FOLDER;", "exit 7")
    assert (done.returncode, done.stdout, done.stderr) == (7, f"in at {hosts[1].folder}\n", "")
    told = [one for one in keeping.get("/v1/events?cluster=shop&limit=500").json["items"] if one["type"] == "machine.entered"]
    assert [one["node"] for one in told] == ["web-1"] and told[0]["actor"], told
    assert told[0]["actor"] in (tmp_path / "data.signer.log").read_text()
    assert not list((tmp_path / "tmp").iterdir()) and not (tmp_path / ".ssh").exists()
    assert enter(keeping, "shop/web-0", "--", "true").returncode == 0
    assert enter(keeping, "shop/web-0", "--", "kill -9 $$").returncode == 255  # as ssh itself says it
    missing = enter(keeping, "shop/web-9", "--", "true")
    assert missing.returncode == 4 and "R0403" in missing.stderr, missing.stderr
    assert enter(keeping, "shop/").returncode == 2
    bare = enter(keeping, "web-1", "--", "echo $HOST_FOLDER")
    assert (bare.returncode, bare.stdout) == (0, f"{hosts[1].folder}\n"), bare.stderr
    other = document(hosts[:2], heal="off")
    keeping.apply({**other, "name": "other"})
    until(lambda: len(keeping.get("/v1/resources?cluster=other").json["items"]) == 2)
    both = enter(keeping, "web-1", "--", "true")
    assert both.returncode == 4 and "name one: " in both.stderr, both.stderr
    assert enter(keeping, "web-9", "--", "true").returncode == 4
    none = enter(keeping, "shop/web-0", PATH="/nowhere")
    assert none.returncode != 0 and "R0714" in none.stderr, none.stderr
    assert not list((tmp_path / "tmp").iterdir())


def test_nobody_logs_in_to_one_that_shows_another_key(keeping, hosts, tmp_path):
    line = begin(keeping, hosts[:1], heal="off")
    hosts[0].stop()
    hosts[0].key_make()
    hosts[0].start(line)
    wrong = enter(keeping, "shop/web-0", "--", "echo in")  # perhaps before the probe has found it: ssh sees it then
    assert wrong.returncode != 0 and wrong.stdout == "", wrong
    until(lambda: nodes(keeping)["web-0"].get("alarm"),
          lambda: json.dumps([nodes(keeping), events(keeping)], indent=1) + hosts[0].log()[-1500:])
    refused = enter(keeping, "shop/web-0", "--", "echo in")
    assert refused.stdout == "" and "R0713" in refused.stderr, refused.stderr
    assert "Accepted publickey" not in hosts[0].log().rsplit("Server listening", 1)[1]


@pytest.mark.parametrize("body", [{}, {"node": "web-0"}, {"node": "web-0", "key": "ssh-rsa AAAA"}, {"node": 1, "key": []}, []])
def test_a_request_that_makes_no_sense_gets_no_certificate(keeping, hosts, body):
    keeping.apply(document(hosts[:1]))
    authority(keeping)
    answer = keeping.post("/v1/clusters/shop/enter", body)
    assert answer.status in (400, 422) and "certificate" not in answer.text, answer.text


def test_a_manager_without_signer_and_hands_keeps_clusters(tmp_path, hosts):
    """Programs that are not there: said once, and machines are taken and kept as ever."""
    (tmp_path / "bin/plugins").mkdir(parents=True)
    for name in ("reeved", "reeve-host", "plugins/static.so"):
        shutil.copy(REEVED.parent / name, tmp_path / "bin" / name)
    with Manager(tmp_path, "--haste", "100", control=True, program=tmp_path / "bin/reeved").start() as manager:
        manager.apply(document(hosts))
        until(lambda: len([one for one in nodes(manager).values() if one["state"] == "active"]) == 3, manager.log.read_text)
        words = ("authority: problem ", "probe: not_made ")
        until(lambda: all(told in manager.log.read_text() for told in words), manager.log.read_text)
        time.sleep(1)
        for told in words:
            assert manager.log.read_text().count(told) == 1, manager.log.read_text()
        assert all(one.get("starting") for one in nodes(manager).values())
        assert not [one for one in nodes(manager).values() if one.get("unhealthy") or one.get("unreachable")]
        assert manager.get("/v1/clusters/shop").json["status"]["machines"]["creating"] == 3


def test_clusters_of_machines_without_users_have_no_authority(keeping, tmp_path):
    keeping.apply({"name": "shop", "version": "1", "groups": {"web": {
        "size": 3, "resourcePlugin": {"name": "sim"}}}})
    until(lambda: keeping.get("/v1/clusters/shop").json.get("status", {}).get("machines", {}).get("ready") == 3)
    assert not (tmp_path / "data.signer.key").exists()


def test_an_empty_command_is_a_fault_at_its_place(reeve, tmp_path, hosts):
    wanted = document(hosts, command=())
    (tmp_path / "shop.json").write_text(json.dumps(wanted, indent=1))
    done = reeve("validate", "-f", "shop.json")
    assert done.returncode != 0 and "R0321" in done.stderr and "empty" in done.stderr, done.stderr
