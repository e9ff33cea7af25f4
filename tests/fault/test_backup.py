"""A backup under 64 writers is the store at one revision; a restore is all or nothing."""

import random
import shutil
import signal
import subprocess

import pytest

from conftest import assert_whole, facts, program, read, rounds, write

RESTORES = rounds("FAULT_RESTORES", 40)
NEW = "restored, 16 byt"
OLD = b"fault test store".hex()


def restore(backup, folder, *options, incarnation=NEW, kind="asan"):
    """(exit code, what it said)."""
    run = subprocess.run([program("store_restore", kind), backup, folder, incarnation, *options],
                         capture_output=True, check=False, timeout=400, text=True)
    assert run.stderr == ""
    return run.returncode, run.stdout.strip()


def write_with_backup(folder, backup, *options):
    """(output of the writer, revision of the backup)."""
    run = write(folder, 1, 6000, f"--backup={backup}", *options)
    assert (run.returncode, run.stderr) in ((0, ""), (-signal.SIGKILL, ""))
    lines = run.stdout.split("\n")
    told = [line.split() for line in lines if line.startswith("backup ")]
    return lines, int(told[0][1])


@pytest.fixture(scope="module")
def backed_up(tmp_path_factory):
    """A store of 6,000 revisions with most of it in the WAL, and a backup made in between."""
    folder = tmp_path_factory.mktemp("store")
    backup = folder.parent / "backup.db"
    backup.unlink(missing_ok=True)
    lines, revision = write_with_backup(folder, backup, "--die")
    return folder, backup, revision, lines


def test_a_backup_under_64_writers_is_the_store_at_one_revision(backed_up, tmp_path):
    _, backup, revision, written = backed_up
    assert 1000 <= revision < 6000
    assert restore(backup, tmp_path) == (0, f"restored {revision}")
    code, lines = read(tmp_path, "asan")
    assert code == 0
    status = facts(lines, b"status")[0]
    assert (int(status[0]), status[2], status[3]) == (revision, NEW.encode().hex(), "1")
    acknowledged = {line.split()[2]: int(line.split()[3]) for line in written
                    if line.startswith("ack ")}
    wanted = {token: at for token, at in acknowledged.items() if at <= revision}
    assert assert_whole(lines) == wanted
    assert write(tmp_path, 2, 100).returncode == 0
    assert int(facts(read(tmp_path)[1], b"status")[0][0]) == revision + 100


def test_a_compacted_store_is_backed_up(tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    _, revision = write_with_backup(tmp_path / "old", tmp_path / "backup", "--compact")
    assert restore(tmp_path / "backup", tmp_path / "new") == (0, f"restored {revision}")
    code, lines = read(tmp_path / "new", "asan")
    assert (code, int(facts(lines, b"status")[0][0])) == (0, revision)


def test_a_backup_leaves_what_is_there_alone(tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "backup").write_text("mine")
    run = write(tmp_path / "store", 1, 2000, f"--backup={tmp_path / 'backup'}")
    assert "backup refused R0522" in run.stdout
    assert (tmp_path / "backup").read_text() == "mine"
    run = write(tmp_path / "store", 2, 2000, f"--backup={tmp_path / 'nowhere/backup'}")
    assert "backup refused R0522" in run.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "store"]


def test_a_store_is_replaced_only_on_demand(backed_up, tmp_path):
    """What belonged to the old one, its WAL and its note, does not outlive it."""
    folder, backup, revision, _ = backed_up
    target = shutil.copytree(folder, tmp_path / "store")
    assert (target / "store.db-wal").stat().st_size > 0
    code, said = restore(backup, target)
    assert (code, said.split()[:2]) == (2, ["refused", "R0523"])
    assert restore(backup, target, "--replace") == (0, f"restored {revision}")
    assert sorted(path.name for path in target.iterdir()) == ["store.before-restore", "store.db", "store.lock"]
    assert int(facts(read(target)[1], b"status")[0][0]) == revision


def test_a_store_in_use_is_not_replaced(backed_up, tmp_path):
    with subprocess.Popen([program("store_writer"), tmp_path, "2"],
                          stdout=subprocess.PIPE) as writer:
        writer.stdout.readline()
        code, said = restore(backed_up[1], tmp_path, "--replace")
        writer.kill()
    assert (code, said.split()[:2]) == (2, ["refused", "R0507"])
    assert_whole(read(tmp_path)[1])


@pytest.mark.parametrize("damage, number", [
    (lambda path: path.write_text("no backup" * 1000), "R0506"),
    (lambda path: path.write_bytes(path.read_bytes()[:-5000]), "R0506"),
    (lambda path: path.unlink(), "R0524"),
    (lambda path: path.with_name("backup-wal").write_text("more"), "R0524"),
])
def test_what_is_no_whole_backup_is_refused(backed_up, tmp_path, damage, number):
    folder, backup, _, _ = backed_up
    target = shutil.copytree(folder, tmp_path / "store")
    shutil.copy(backup, tmp_path / "backup")
    damage(tmp_path / "backup")
    before = {path.name: path.read_bytes() for path in target.iterdir()}
    code, said = restore(tmp_path / "backup", target, "--replace")
    assert (code, said.split()[:2]) == (2, ["refused", number]), said
    assert {path.name: path.read_bytes() for path in target.iterdir()} == before


def test_a_flipped_bit_in_a_backup_is_reported_or_harmless(backed_up, tmp_path):
    _, backup, _, _ = backed_up
    (tmp_path / "whole").mkdir()
    assert restore(backup, tmp_path / "whole", kind="release")[0] == 0
    _, whole = read(tmp_path / "whole")
    dice = random.Random(5)
    data = backup.read_bytes()
    for turn in range(30):
        target = tmp_path / str(turn)
        target.mkdir()
        position = dice.randrange(len(data) * 8)
        flipped = bytearray(data)
        flipped[position // 8] ^= 1 << position % 8
        (tmp_path / "flipped").write_bytes(flipped)
        code, said = restore(tmp_path / "flipped", target, kind="release")
        if code == 0:
            assert read(target)[1] == whole, f"bit {position}"
        else:
            assert said.startswith("refused R050"), said
        shutil.rmtree(target)


def test_a_restore_that_is_killed_leaves_the_old_store_or_the_new_one(backed_up, tmp_path):
    folder, backup, revision, _ = backed_up
    dice = random.Random(3)
    seen = {}
    for turn in range(RESTORES):
        target = shutil.copytree(folder, tmp_path / str(turn))
        with subprocess.Popen([program("store_restore"), backup, target, NEW, "--replace"],
                              stdout=subprocess.DEVNULL) as process:
            try:
                process.wait(dice.uniform(0, 0.12))
            except subprocess.TimeoutExpired:
                process.kill()
        code, lines = read(target)
        assert code == 0, lines
        status = facts(lines, b"status")[0]
        assert (int(status[0]), status[2]) in ((6000, OLD), (revision, NEW.encode().hex()))
        assert_whole(lines)
        seen[status[2]] = seen.get(status[2], 0) + 1
        shutil.rmtree(target)
    print(seen)


def test_a_restore_that_was_decided_is_carried_through(backed_up, tmp_path):
    """Killed between the decision and its end: the old WAL is not played into the new store."""
    folder, backup, revision, _ = backed_up
    (tmp_path / "new").mkdir()
    assert restore(backup, tmp_path / "new")[0] == 0
    target = shutil.copytree(folder, tmp_path / "store")
    shutil.copy(tmp_path / "new/store.db", target / "store.db-restored")
    code, lines = read(target, "asan")
    assert code == 0, lines
    assert int(facts(lines, b"status")[0][0]) == revision
    assert_whole(lines)
    assert not (target / "store.db-restored").exists()
