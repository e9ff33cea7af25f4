"""Backup and restore, and a store that went back: nothing is destroyed unasked, adoption brings machines back (I14, F30, X16)."""
import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

from conftest import ENVIRONMENT, NO_MANAGER, REEVE
from manager import REEVED, Manager, machine_files, until

FILE = {"name": "file"}
TRAILER = 128
USER = 61000


def shop(size):
    return {"name": "shop", "version": "1", "groups": {"web": {"size": size, "resourcePlugin": FILE}}}


def controlled(tmp_path, *flags):
    return Manager(tmp_path, "--haste", "100", *flags, control=True)


def holds(manager):
    return {hold["status"]["rule"] for hold in manager.get("/v1/holds?cluster=shop").json["items"]}


def approve(manager, word="approve"):
    answer = manager.post("/v1/clusters/shop/say", {"command": word, "rule": "store_went_back"})
    assert answer.status in (200, 201), answer.text


def passed(manager, passes=8):
    """A number of decisions of the cluster, made after now."""
    for _ in range(passes):
        assert manager.post("/v1/clusters/shop/pass", {}).status == 200


@pytest.fixture
def backed_up(tmp_path):
    """A store saved with one machine, of a manager that has three now and is stopped."""
    manager = controlled(tmp_path).start()
    manager.apply(shop(1))
    until(lambda: len(machine_files(tmp_path)) == 1, manager.log.read_text)
    saved = tmp_path / "saved"
    made = run(manager, "backup", str(saved))
    assert made.returncode == 0, made.stderr
    manager.stop()
    shutil.copytree(tmp_path / "data", tmp_path / "copy", ignore=shutil.ignore_patterns("plugins", "backups"))
    manager.start()
    manager.apply(shop(3))
    until(lambda: len(machine_files(tmp_path)) == 3, manager.log.read_text)
    manager.stop()
    yield manager, saved
    assert manager.stop() in (0, None), manager.log.read_text()


def run(manager, *arguments):
    """reeve, talking to this manager."""
    return subprocess.run([str(REEVE), *arguments], text=True, capture_output=True, check=False, timeout=240,
                          stdin=subprocess.DEVNULL, env={**ENVIRONMENT, "REEVE_URL": f"unix:{manager.socket}"})


def restore(*arguments, url=NO_MANAGER):
    return subprocess.run([str(REEVE), "restore", *map(str, arguments)], text=True, capture_output=True, check=False,
                          timeout=240, stdin=subprocess.DEVNULL, env={**ENVIRONMENT, "REEVE_URL": url})


def put_back(manager):
    """The files of the store, as they were copied; everything else of the folder stays."""
    data = manager.folder / "data"
    for file in data.glob("store.db*"):
        file.unlink()
    for file in (manager.folder / "copy").glob("store.db*"):
        shutil.copy2(file, data / file.name)


def held_then_adopted(manager):
    """While it is held nothing changes, whatever is wanted; approved, the machines are members again."""
    before = {file.name for file in machine_files(manager.folder)}
    until(lambda: "store_went_back" in holds(manager), manager.log.read_text)
    passed(manager)
    time.sleep(10)  # the windows of ten and fifteen minutes are over at this haste
    passed(manager)
    assert {file.name for file in machine_files(manager.folder)} == before
    manager.apply(shop(3))
    passed(manager)
    assert {file.name for file in machine_files(manager.folder)} == before
    approve(manager)
    until(lambda: len(manager.get("/v1/resources?cluster=shop").json["items"]) == 3, manager.log.read_text)
    until(lambda: "store_went_back" not in holds(manager), manager.log.read_text)
    assert {file.name for file in machine_files(manager.folder)} == before


def test_files_that_are_put_back_destroy_nothing(backed_up):
    manager, _ = backed_up
    put_back(manager)
    manager.start()
    held_then_adopted(manager)
    listed = run(manager, "get", "nodes", "-c", "shop")
    assert listed.returncode == 0 and listed.stdout.count("web-") == 3


def test_a_restored_backup_destroys_nothing(backed_up):
    manager, saved = backed_up
    data = manager.folder / "data"
    done = restore(saved, "--data-dir", data)
    assert done.returncode == 5 and "R0523" in done.stderr and "--replace" in done.stderr
    done = restore(saved, "--data-dir", data, "--replace")
    assert done.returncode == 0, done.stderr
    assert "held until you approve" in done.stdout and "store.before-restore" in done.stdout
    assert (data / "store.before-restore/store.db").stat().st_size > 0
    manager.start()
    held_then_adopted(manager)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root restores for another user")
def test_root_restores_the_store_of_another_user():
    """As after an installation by packages, where the folder belongs to the account of the manager."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="restore-"))
    folder.chmod(0o755)
    data = folder / "data"
    data.mkdir(mode=0o700)
    os.chown(data, USER, USER)
    manager = Manager(folder, control=True)
    try:
        manager.start()
        manager.apply(shop(2))
        saved = folder / "shop.reevebackup"
        assert run(manager, "backup", str(saved)).returncode == 0
        assert manager.stop() == 0
        done = restore(saved, "--data-dir", data, "--replace")
        assert done.returncode == 0, done.stderr
        manager.start()
        assert run(manager, "get", "clusters").stdout.count("shop") == 1
        assert {path.lstat().st_uid for path in data.iterdir()} == {USER}
        assert manager.stop() == 0
        data.chmod(0o770)
        done = restore(saved, "--data-dir", data, "--replace")
        assert done.returncode != 0 and "R0536" in done.stderr
    finally:
        manager.kill()
        shutil.rmtree(folder)


def test_a_restore_needs_the_folder_of_another_manager(tmp_path):
    """The standard folder belongs to the installed manager: the one that a context or REEVE_URL names has another. The file is
    missing, so that nothing is written if the verb goes on."""
    for url in (f"unix:{tmp_path}/socket", "http://127.0.0.1:1", "https://reeve.example"):
        done = restore("missing.reevebackup", url=url)
        assert done.returncode == 2 and "R0005" in done.stderr, done
        assert url in done.stderr and "reeve restore missing.reevebackup --data-dir DIR" in done.stderr, done.stderr
    done = restore("missing.reevebackup", url="")
    if not pathlib.Path("/etc/reeve/reeved.yaml").exists():
        assert done.returncode == 2 and "there is no /etc/reeve/reeved.yaml" in done.stderr and "--data-dir DIR" in done.stderr, done
    assert not (tmp_path / "data").exists()
    (tmp_path / "reeved.yaml").write_text(f"data: {tmp_path}/data\n")
    for where in (("--data-dir", tmp_path / "data"), ("--config", tmp_path / "reeved.yaml")):
        done = restore("missing.reevebackup", *where)
        assert done.returncode == 1 and "R0005" not in done.stderr, done


def test_rejected_machines_are_left_alone(backed_up):
    manager, _ = backed_up
    put_back(manager)
    manager.start()
    until(lambda: "store_went_back" in holds(manager), manager.log.read_text)
    approve(manager, "reject")
    until(lambda: "store_went_back" not in holds(manager), manager.log.read_text)
    time.sleep(10)
    passed(manager)
    assert len(machine_files(manager.folder)) == 3
    assert len(manager.get("/v1/resources?cluster=shop").json["items"]) == 1
    assert "foreign" in holds(manager)


def test_a_backup_is_whole_and_has_its_digest(tmp_path):
    with controlled(tmp_path).start() as manager:
        manager.apply(shop(1))
        made = run(manager, "backup", str(tmp_path / "one"))
        assert made.returncode == 0, made.stderr
        content = (tmp_path / "one").read_bytes()
        digest = hashlib.sha256(content[:-TRAILER]).hexdigest()
        assert digest in made.stdout and digest.encode() in content[-TRAILER:]
        assert (tmp_path / "one").stat().st_mode & 0o777 == 0o600
        manager.apply(shop(2))  # two of one revision, made in one second, have one name
        again = run(manager, "backup", str(tmp_path / "one"))
        assert again.returncode == 1 and "R0012" in again.stderr and "does not exist" in again.stderr
        nowhere = run(manager, "backup", str(tmp_path / "none/one"))
        assert nowhere.returncode == 1 and "R0012" in nowhere.stderr
        listed = manager.get("/v1/backups").json["items"]
        assert len(listed) == 2 and listed[0]["bytes"] >= len(content) - 4096
        name = listed[0]["name"]
        assert manager.get(f"/v1/backups/{name}?offset=0").bytes.startswith(b"SQLite format 3")
        assert manager.get(f"/v1/backups/{name}?offset={listed[0]['bytes']}").bytes == b""
        assert manager.get("/v1/backups/backup-..%2f..%2fstore.db").status == 400
        assert manager.get("/v1/backups/store.db").status == 404


def test_only_an_owner_makes_backups(tmp_path):
    with controlled(tmp_path).start() as manager:
        manager.post("/v1/users", {"name": "ana"})
        manager.post("/v1/grants", {"user": "ana", "role": "admin"})
        token = manager.post("/v1/tokens", {"user": "ana", "days": 1}).json["token"]
        for method, path in (("POST", "/v1/backups"), ("GET", "/v1/backups"), ("GET", "/v1/backups/backup-1")):
            assert manager.ask(method, path, token=token).status == 403


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "text", "folder", "missing"])
def test_what_is_no_whole_backup_is_refused(tmp_path, damage):
    file = tmp_path / "saved"
    (tmp_path / "m").mkdir()
    with controlled(tmp_path / "m").start() as manager:
        assert run(manager, "backup", str(file)).returncode == 0
    content = bytearray(file.read_bytes())
    file.unlink()
    if damage == "cut":
        file.write_bytes(content[:-300])
    elif damage == "flipped":
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
    elif damage == "empty":
        file.write_bytes(b"")
    elif damage == "text":
        file.write_text("kind: Cluster\n" * 100)
    elif damage == "folder":
        file.mkdir()
    done = restore(file, "--data-dir", tmp_path / "new")
    assert done.returncode == 1 and "R0524" in done.stderr, done.stderr
    assert not (tmp_path / "new/store.db").exists()


def test_a_running_manager_keeps_its_store(tmp_path):
    with controlled(tmp_path).start() as manager:
        assert run(manager, "backup", str(tmp_path / "saved")).returncode == 0
        done = restore(tmp_path / "saved", "--data-dir", tmp_path / "data", "--replace")
        assert done.returncode == 1 and "R0507" in done.stderr and "stop the manager" in done.stderr


def test_a_restore_that_is_killed_leaves_a_store(tmp_path):
    """Killed at many moments: afterwards a manager starts on what is there, the old store or the new one."""
    with controlled(tmp_path).start() as manager:
        manager.apply(shop(1))
        until(lambda: len(machine_files(tmp_path)) == 1, manager.log.read_text)
        assert run(manager, "backup", str(tmp_path / "saved")).returncode == 0
    for step in range(12):
        one = subprocess.Popen([str(REEVED), "--data", str(tmp_path / "data"), "--restore", str(tmp_path / "saved"),
                                "--replace"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.003 * step)
        one.send_signal(signal.SIGKILL)
        one.wait()
        with controlled(tmp_path).start() as manager:
            assert [item["metadata"]["name"] for item in manager.get("/v1/clusters").json["items"]] == ["shop"]


def test_a_backup_that_is_killed_leaves_none_or_a_whole_one(tmp_path):
    """The manager is killed at many moments of a backup: whatever has the name of a backup afterwards can be restored, the
    manager starts, and what was half made is removed."""
    (tmp_path / "m").mkdir()
    manager = controlled(tmp_path / "m").start()
    kept = tmp_path / "m/data/backups"
    seen = set()
    try:
        manager.apply(shop(1))
        until(lambda: len(machine_files(manager.folder)) == 1, manager.log.read_text)
        for step in range(12):
            one = subprocess.Popen([str(REEVE), "backup", str(tmp_path / f"saved{step}")], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env={**ENVIRONMENT, "REEVE_URL": f"unix:{manager.socket}"})
            time.sleep(0.004 * step)
            manager.kill()
            one.wait(60)
            for file in {*tmp_path.glob("saved*"), *kept.glob("*.reevebackup")} - seen:
                seen.add(file)
                done = restore(file, "--data-dir", tmp_path / f"new{len(seen)}")
                assert done.returncode == 0, (step, file, done.stderr)
            manager.start()
        assert manager.post("/v1/backups", {}).status == 201
        assert {path.suffix for path in kept.iterdir()} == {".reevebackup"}
    finally:
        assert manager.stop() in (0, None), manager.log.read_text()


def test_backups_are_made_on_a_schedule(tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text(f"backups: {{every: 1m, keep: 2, folder: {tmp_path}/kept}}\n")
    with controlled(tmp_path, "--config", str(config)).start() as manager:
        until(lambda: list((tmp_path / "kept").glob("*.reevebackup")), manager.log.read_text)
        for _ in range(3):
            time.sleep(1.1)  # names have seconds
            assert manager.post("/v1/backups", {}).status == 201
        assert len(list((tmp_path / "kept").iterdir())) == 2
    config.write_text("backups: {every: 1s, keep: 0, folder: '', often: true}\n")
    checked = subprocess.run([str(REEVED), "--check-config", "--config", str(config)], text=True, capture_output=True,
                             check=False, env=ENVIRONMENT)
    assert checked.returncode == 3
    for words in ("every must", "keep must", "a path or a name", "often"):
        assert words in checked.stderr
