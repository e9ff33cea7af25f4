"""Three managers with links: each answers for everything, whichever of them has the cluster."""

import hashlib
import io
import json
import os
import shutil
import sys
import tarfile
import time

import pytest
from pylib.etcd import Missing, make_ca
from pylib.etcd_three import Three
from pylib.managers import ROOT, reeve, until
from pylib.peers import Linked, make_peer, rows

sys.path.insert(0, str(ROOT / "tests/e2e"))
from hosts import ME, Sshd, port_of  # noqa: E402
from pylib.node import USER, Node  # noqa: E402
from pylib.proc import is_running  # noqa: E402
import plugin  # isort: skip  # noqa: E402

pytestmark = pytest.mark.skipif(shutil.which("etcd") is None, reason="needs etcd")
NETWORK = "127.0.33"
ADDRESSES = [f"{NETWORK}.{number}" for number in (1, 2)]


@pytest.fixture(name="etcd", scope="module")
def fixture_etcd(tmp_path_factory):
    """Three members of one etcd."""
    try:
        with Three(tmp_path_factory.mktemp("etcd")) as three:
            yield three
    except Missing as missing:
        pytest.skip(str(missing))


def linked(etcd, tmp_path, **more):
    """Three managers with links whose windows of a minute last a second."""
    return Linked(tmp_path, etcd, prefix=f"/{tmp_path.name}/", flags=("--haste", "60"), **more)


@pytest.fixture(name="world", scope="module")
def fixture_world(etcd, tmp_path_factory):
    """Managers, and a cluster of two machines that let reeve in. No test leaves it otherwise than it was."""
    folder = tmp_path_factory.mktemp("linked")
    sshd = Sshd(folder / "machines", ADDRESSES, port_of(NETWORK), "MaxStartups 100", f"SetEnv HOST_FOLDER={folder} HOME={folder}")
    try:
        with linked(etcd, folder) as world:
            world.start()
            first = world.all[0]
            first.apply({"name": "shop", "version": "1", "groups": {"web": {
                "size": 2, "resourcePlugin": {"name": "static"},
                "resourceProperties": {"port": sshd.port, "user": ME, "addresses": ADDRESSES, "hostKeys": {one: sshd.key for one in ADDRESSES}}}}})
            line = until(lambda: first.get("/v1/clusters/shop").json.get("status", {}).get("ssh"), world.said)
            sshd.start(line)
            until(lambda: [row["status"]["state"] for row in first.get("/v1/resources?cluster=shop").json["items"]] == ["active"] * 2, world.said)
            yield world
    finally:
        sshd.stop()


def broken_link(world, manager, other):
    """The link of a manager to another one is shown as unreachable."""
    link = {row["name"]: row.get("link", {}) for row in manager.get("/v1/managers").json["items"]}[other.folder.name]
    return link.get("state") == "unreachable" and link


def executed(manager, command, **more):
    """The rows of a command on both machines."""
    answer = manager.post("/v1/clusters/shop/exec", {"command": command}, **more)
    assert answer.status == 200, answer.text
    return rows(answer)


def test_a_command_runs_from_every_manager(world):
    holder, others = world.holder("shop")
    for manager in (holder, *others):
        found = until(lambda manager=manager: (found := executed(manager, "echo $SSH_CONNECTION")) and found[-1]["done"]["well"] == 2 and found, world.said)
        assert len({row["out"] for row in found if "out" in row}) == 2
    answer = others[0].post("/v1/clusters/shop/exec", {"command": "true"})
    assert answer.headers["Reeve-Manager"] == holder.folder.name
    assert "Reeve-Manager" not in holder.post("/v1/clusters/shop/exec", {"command": "true"}).headers
    shown = reeve(others[1], "exec", "-c", "shop", "--", "echo well")
    assert "2 nodes: well" in shown, shown


def test_a_reconcile_pass_and_output_are_answered_by_every_manager(world):
    holder, others = world.holder("shop")
    for manager in others:
        answer = manager.post("/v1/clusters/shop/pass", "")
        assert answer.status == 200 and answer.headers["Reeve-Manager"] == holder.folder.name, answer.text
        answer = manager.get("/v1/clusters/shop/logs?node=web-0")
        assert answer.status == 200 and answer.headers["Reeve-Manager"] == holder.folder.name, answer.text
        answer = manager.get("/v1/clusters/shop/logs?node=web-9")
        assert answer.status == 404 and answer.headers["Content-Type"] == "application/problem+json", answer.text


def test_the_lease_holder_checks_the_rights_again(world):
    _, others = world.holder("shop")
    manager = others[0]
    for user, role in (("eve", "viewer"), ("oscar", "operator")):
        assert manager.post("/v1/users", {"name": user}).status == 201
        assert manager.post("/v1/grants", {"user": user, "role": role}).status == 201
    tokens = {user: manager.post("/v1/tokens", {"user": user}).json["token"] for user in ("eve", "oscar")}
    assert manager.post("/v1/clusters/shop/exec", {"command": "true"}, token=tokens["eve"]).status == 403
    answer = manager.post("/v1/clusters/shop/exec", {"command": "true"}, token=tokens["oscar"])
    assert answer.status == 200 and rows(answer)[-1]["done"]["well"] == 2, answer.text  # the token is a moment old


def test_certificates_that_are_not_accepted(world):
    folder, (holder, others) = world.authority, world.holder("shop")
    number, known = world.all.index(holder), world.identity(world.all.index(others[0]))
    make_ca(folder, "foreign")
    make_peer(folder, "stranger", known, ca="foreign")
    make_peer(folder, "alone", known, issuer="itself")
    make_peer(folder, "late", known, days=-1)
    make_peer(folder, "server", known, uses="serverAuth")
    make_peer(folder, "nobody", "no-manager-of-this-store")
    make_peer(folder, "good", known)
    for name in (None, "stranger", "alone", "late", "server", "nobody"):
        for path in ("/peer/status", "/v1/clusters/shop/logs?node=web-0"):
            status, body = world.asked(number, name, path, Reeve_Forwarded='{"user":"root"}')
            assert status in (0, 403) and (status == 0 or "R0586" in body), (name, path, status, body)
    assert world.asked(number, "good", "/peer/status")[0] == 200
    status, body = world.asked(number, "good", "/v1/clusters")
    assert (status, json.loads(body)["code"]) == (403, "R0586"), body  # it is made for nobody
    assert world.asked(number, "good", "/v1/clusters", Reeve_Forwarded='{"token":"' + "0" * 64 + '"}')[0] == 401
    assert world.asked(number, "good", "/v1/clusters", Reeve_Forwarded="[1]")[0] == 403
    assert world.asked(number, "good", "/v1/clusters", Reeve_Forwarded='{"user":"root"}')[0] == 200
    # what the listeners for users make of the header: nothing
    assert holder.get("/v1/whoami", connection=holder.connect(tcp=True), Reeve_Forwarded='{"user":"root"}').status == 401


def test_a_request_is_forwarded_once(world):
    holder, others = world.holder("shop")
    make_peer(world.authority, "once", world.identity(world.all.index(holder)))
    status, body = world.asked(world.all.index(others[0]), "once", "/v1/clusters/shop/logs?node=web-0", Reeve_Forwarded='{"user":"root"}')
    assert (status, json.loads(body)["code"]) == (409, "R0587"), body


def test_a_lease_holder_that_hangs_is_named(world):
    holder, others = world.holder("shop")
    way = world.way(holder)
    way.hold = True
    try:
        answer = others[0].post("/v1/clusters/shop/exec", {"command": "true"})
        assert answer.status == 503 and answer.code == "R0585" and f"manager {holder.folder.name}, which holds cluster 'shop'," in answer.text, answer.text
        since = until(lambda: broken_link(world, others[0], holder), world.said)["since"]
        begun = time.monotonic()
        answer = others[0].get("/v1/clusters/shop/logs?node=web-0")
        assert answer.status == 503 and f"has been unreachable since {since}" in answer.json["detail"] and time.monotonic() - begun < 2, answer.text
        shown = reeve(others[0], "manager", "status")
        assert "unreachable since" in shown, shown
        assert f'reeve_peer_rtt_seconds{{manager="{holder.folder.name}"}}' not in others[0].get("/metrics").text
    finally:
        way.hold = False
    until(lambda: world.links(others[0]) == ["reachable"] * 2, world.said)
    assert executed(others[0], "true")[-1]["done"]["well"] == 2
    shown = [line for line in others[0].get("/metrics").text.splitlines() if line.startswith("reeve_peer")]
    assert len(shown) == 2 and all(float(line.split()[1]) < 60 for line in shown), shown


def test_half_an_answer_is_not_taken_for_a_whole_one(world):
    holder, others = world.holder("shop")
    way = world.way(holder)
    way.cut = 3000  # more than a handshake
    try:
        answer = others[0].post("/v1/clusters/shop/exec", {"command": "seq 100000", "outputMax": 10000000})
        if answer.status == 200:
            assert f"manager {holder.folder.name}: " in rows(answer)[-1]["broken"], answer.text[-300:]
        else:
            assert answer.code == "R0585", answer.text
    finally:
        way.cut = None
    until(lambda: world.links(others[0]) == ["reachable"] * 2, world.said)
    assert executed(others[0], "true")[-1]["done"]["well"] == 2


def test_a_client_that_goes_ends_what_it_has_begun(world):
    _, others = world.holder("shop")
    marker = world.folder / "marker"
    connection = others[0].connect()
    connection.request("POST", "/v1/clusters/shop/exec", json.dumps({"command": f"echo $$ >> {marker}; exec sleep 1234"}), {"Content-Type": "application/json"})
    until(lambda: marker.exists() and len(marker.read_text().split()) == 2, world.said)
    pids = [int(pid) for pid in marker.read_text().split()]
    assert all(is_running(pid) for pid in pids)
    connection.close()
    until(lambda: not any(is_running(pid) for pid in pids), world.said)


def test_a_client_that_does_not_read_holds_back_the_command(world):
    _, others = world.holder("shop")
    marker = world.folder / "written"
    command = f"head -c 40000000 /dev/zero | base64 -w 100; echo $$ >> {marker}"
    connection = others[0].connect()
    connection.request("POST", "/v1/clusters/shop/exec", json.dumps({"command": command, "outputMax": 60000000}), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    assert answer.status == 200
    end = time.monotonic() + 2
    while time.monotonic() < end:
        assert not marker.exists()
        time.sleep(0.05)
    found = [json.loads(line) for line in answer.read().splitlines()]
    assert found[-1]["done"]["well"] == 2 and sum(len(row.get("out", "")) for row in found) > 2 * 53333000


# ---- bytes that objects name by their digest ----

def archive(script, padding=0):
    """A bundle as somebody packs it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in (("bootstrap.sh", script.encode()), *((("padding", os.urandom(padding)),) if padding else ())):
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o755
            tar.addfile(member, io.BytesIO(content))
    return out.getvalue()


def sent(manager, bundle):
    """The digest of a bundle that a manager has taken, and how many have it."""
    answer = manager.ask("POST", "/v1/bundles", bundle, content_type="application/octet-stream")
    assert answer.status in (200, 201), answer.text
    return answer.json["digest"], answer.json["copies"]


def has(manager, digest):
    """Is the bundle on the disk of this manager?"""
    return [path for path in (manager.folder / "data/bundles").iterdir() if path.name.startswith(digest)]


def test_new_bytes_are_at_two_managers_before_they_are_acknowledged(world):
    _, others = world.holder("shop")
    digest, copies = sent(others[0], archive("echo copied\n", 9_000_000))  # more than two pieces
    assert copies == 2 and sum(bool(has(manager, digest)) for manager in world.all) == 2
    for manager in world.all:  # the third one fetches it
        answer = manager.get(f"/v1/bundles/{digest}")
        assert answer.status == 200 and answer.json["copies"] == 2, answer.text
    assert all(has(manager, digest) for manager in world.all)
    assert others[0].get("/v1/bundles/" + "0" * 64).status == 404


def test_an_image_is_at_two_managers_before_it_is_acknowledged(world):
    """The whole file, which has more than two pieces; a third manager verifies it only when it has it."""
    image = b"\x28\xb5\x2f\xfd" + os.urandom(9_000_000)
    digest = hashlib.sha256(image).hexdigest()
    first, *others = world.all
    for offset in range(0, len(image), 4 << 20):
        answer = first.ask("POST", f"/v1/image-files/{digest}?bytes={len(image)}&offset={offset}", image[offset:offset + (4 << 20)],
                           content_type="application/octet-stream")
        assert answer.status == 200, answer.text
    assert answer.json["have"] == len(image) and answer.json["copies"] == 2, answer.text
    pushed = first.ask("POST", "/v1/images/debian-12", {"digest": digest})
    assert pushed.status in (200, 201) and pushed.json["copies"] == 2, pushed.text
    files = [manager.folder / "data/images" / digest for manager in world.all]
    assert sum(path.exists() and path.read_bytes() == image for path in files) == 2
    until(lambda: all(manager.get("/v1/images").json["items"] for manager in others), lambda: "the record is everywhere")
    for manager, path in zip(world.all, files):
        assert manager.ask("POST", "/v1/images/debian-12/verify", {}).status == (200 if path.exists() else 422)


def test_new_bytes_are_not_acknowledged_while_no_other_manager_can_copy_them(world):
    _, others = world.holder("shop")
    for manager in world.all:
        if manager is not others[0]:
            world.way(manager).hold = True
    try:
        until(lambda: world.links(others[0]) == ["unreachable"] * 2, world.said)
        answer = others[0].ask("POST", "/v1/bundles", archive("echo alone\n"), content_type="application/octet-stream")
        assert answer.status == 503 and answer.code == "R0585", answer.text
    finally:
        for way in world.ways:
            way.hold = False
    until(lambda: all(world.links(manager) == ["reachable"] * 2 for manager in world.all), world.said)
    assert sent(others[0], archive("echo alone\n"))[1] == 2


def test_blobs_are_read_in_ranges(world):
    bundle = archive("echo ranges\n", 100_000)
    digest, _ = sent(world.all[0], bundle)
    make_peer(world.authority, "reader", world.identity(1))
    path = f"/peer/blobs/sha256:{digest}"
    assert world.asked(0, "reader", path, Range="bytes=3-9")[0] == 206
    for wrong in ("bytes=9-3", "bytes=-3", "lines=1-2", "bytes=999999999-9999999999"):
        assert world.asked(0, "reader", path, Range=wrong)[0] == 400, wrong
    assert world.asked(0, "reader", "/peer/blobs/sha256:" + "0" * 64)[0] == 404
    assert world.asked(0, "reader", "/peer/blobs/sha256:../../secrets")[0] in (400, 404)
    assert world.asked(0, "reader", "/peer/anything")[0] == 404


def test_an_installed_plugin_is_fetched_by_the_manager_that_needs_it(world, tmp_path):
    built = plugin.build(tmp_path, "shared")
    answer = world.all[0].ask("POST", "/v1/plugins?name=shared", built.read_bytes(), Content_Type="application/octet-stream")
    assert answer.status in (200, 201) and answer.json["copies"] == 2, answer.text
    for manager in world.all:
        until(lambda manager=manager: "shared" in [row["name"] for row in manager.get("/v1/plugins").json["items"]], world.said)


def test_a_link_of_the_page_works_at_every_manager_once(world):
    first, second, third = world.all
    for maker, user in ((first, second), (second, third), (third, third)):
        link = maker.ask("POST", "/v1/links").json["link"]
        answers = [until(lambda manager=manager: (answer := manager.post("/v1/session", {"link": link}, connection=manager.connect(tcp=True))) and answer, world.said)
                   for manager in (user, first, user)]
        assert [answer.status for answer in answers] == [201, 403, 403], [answer.text for answer in answers]
        assert answers[1].code == "R0762"
        stored = world.stored("/_/Link/")
        assert not stored, stored


@pytest.mark.skipif(os.geteuid() != 0, reason="the node is a namespace that root makes")
def test_a_stage_runs_whose_bundle_another_manager_has(etcd, tmp_path):
    node = Node(tmp_path / "web-0", "web-0", address="127.0.34.1", port=port_of("127.0.34"))
    try:
        with linked(etcd, tmp_path) as world:
            world.start()
            first = world.all[0]
            document = {"name": "shop", "version": "1", "barrier": "bestEffort", "groups": {"web": {
                "size": 1, "resourcePlugin": {"name": "static"},
                "resourceProperties": {"addresses": [node.address], "port": node.port, "user": USER, "hostKeys": {node.address: node.host_key}}}}}
            first.apply(document)
            line = until(lambda: first.get("/v1/clusters/shop").json.get("status", {}).get("ssh"), world.said)
            with (node.folder / f"home/{USER}/.ssh/authorized_keys").open("a") as out:
                out.write(line + "\n")
            world.share_signer()
            digest, _ = sent(first, archive("echo from another manager\n"))
            with_copy = [manager for manager in world.all if has(manager, digest)]
            [without] = [manager for manager in world.all if manager not in with_copy]
            for manager in with_copy:
                reeve(manager, "manager", "drain", manager.folder.name)
            until(lambda: world.holder("shop")[0] is without, world.said)
            document["groups"]["web"]["bootstrap"] = [{"bundle": f"base@sha256:{digest}", "idempotent": True}]
            first.apply(document)
            node.start()
            until(lambda: [row["status"]["displayed"] for row in first.get("/v1/resources?cluster=shop").json["items"]] == ["ready"],
                  lambda: first.get("/v1/resources?cluster=shop").text + world.said())
            until(lambda: has(without, digest), world.said)

            def output(manager, words=""):
                answer = manager.get(f"/v1/clusters/shop/logs?node=web-0{words}")
                assert answer.status == 200, answer.text
                return answer.json
            for manager in world.all:
                until(lambda manager=manager: [line["text"] for line in output(manager)["lines"]] == ["from another manager"],
                      lambda manager=manager: json.dumps(output(manager)) + world.said())
                assert output(manager, f"&offset={output(manager)['next']}")["lines"] == []
            until(lambda: output(first).get("node", {}).get("outputs"), lambda: json.dumps(output(first)) + world.said())
            # the cluster moves: its output stays where it is, and is read from there
            reeve(without, "manager", "undrain", first.folder.name)
            reeve(without, "manager", "drain", without.folder.name)
            until(lambda: world.holder("shop")[0] is first, world.said)
            for manager in world.all:
                until(lambda manager=manager: [line["text"] for line in output(manager)["lines"]] == ["from another manager"],
                      lambda manager=manager: json.dumps(output(manager)) + world.said())
            other = with_copy[1 - with_copy.index(first)]
            [noted] = output(other)["node"]["outputs"]
            assert noted["manager"] == world.identity(world.all.index(without))
            without.kill()
            missing = until(lambda: output(other).get("missing"), lambda: json.dumps(output(other)) + world.said())
            assert [(one["manager"], one["stage"], one["attempt"]) for one in missing] == [(without.folder.name, 0, 1)] and output(other)["lines"] == []
            shown = reeve(other, "logs", "shop/web-0")
            assert f"the output of stage-0, attempt 1, is on manager {without.folder.name}, which " in shown and "without output" not in shown, shown
            without.start()
            world.wait_linked()
            until(lambda: [line["text"] for line in output(other)["lines"]] == ["from another manager"], lambda: json.dumps(output(other)) + world.said())
    finally:
        node.kill()
