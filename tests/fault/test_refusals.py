"""What an open that cannot be answers, and a disk that fills and is emptied again."""

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess

import pytest

from conftest import assert_whole, facts, log_bytes, program, read, write


def contents(folder):
    """What counts on disk: not SQLite's index of the WAL, which is made anew, nor an empty WAL."""
    files = {path.name: path.read_bytes() for path in folder.glob("store.db*")}
    files.pop("store.db-shm", None)
    return {name: data for name, data in files.items() if data or name != "store.db-wal"}


def refusal(folder, kind="asan"):
    """(code, text) of a refused open or read; what is on disk must be left as it was."""
    before = contents(folder)
    code, lines = read(folder, kind)
    assert code == 2, lines[0]
    assert contents(folder) == before
    refused = [line for line in lines if line.startswith(b"refused ")]
    _, number, text = refused[0].decode().split(" ", 2)
    return number, text


@pytest.fixture
def store(tmp_path):
    """A store of 300 revisions, closed."""
    assert write(tmp_path, 1, 300).returncode == 0
    return tmp_path


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 6 MiB of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", folder]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk can be mounted by root only")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_second_opener_is_shown_who_owns_it(store):
    with subprocess.Popen([program("store_writer"), store, "2"], stdout=subprocess.PIPE) as writer:
        writer.stdout.readline()
        _, lines = read(store)
        writer.kill()
    assert lines[0].startswith(b"refused R0507 open: another process has the store in ")


def change(store, sql):
    with contextlib.closing(sqlite3.connect(store / "store.db", isolation_level=None)) as database:
        database.execute(sql)


def test_a_newer_version_is_left_alone(store):
    change(store, "PRAGMA user_version=4")
    assert refusal(store) == ("R0508",
                              "open: the store has format 4, this version knows up to 2")


def test_another_program_s_database_is_left_alone(store):
    change(store, "PRAGMA application_id=7")
    number, text = refusal(store)
    assert (number, "reeve did not create the file" in text) == ("R0506", True)


@pytest.mark.parametrize("sql", [
    "DELETE FROM log WHERE id=(SELECT min(id) FROM log)",
    "DELETE FROM log WHERE id=(SELECT max(id) FROM log)",
    "DELETE FROM current WHERE key=(SELECT min(key) FROM current)",
    "UPDATE current SET id=(SELECT l.prev FROM log l WHERE l.id=current.id) "
    "WHERE key=(SELECT max(key) FROM current)",
    "DELETE FROM events WHERE number=3",
    "UPDATE meta SET value=7 WHERE name='compacted'",
    "DELETE FROM meta WHERE name='sweep'",
    "UPDATE meta SET value=x'00112233445566778899aabbccddeeff' WHERE name='incarnation'",
    "CREATE TABLE more(x)",
    "DROP INDEX events_number",
])
def test_a_row_that_is_gone_or_changed_is_reported(store, sql):
    change(store, sql)
    number, text = refusal(store)
    assert (number, text.startswith("open: the database file is damaged: ")) == ("R0506", True)
    assert "it is intact up to revision " in text


@pytest.mark.parametrize("table, read_before", [
    ("log", {b"status", b"problem"}), ("events", {b"status", b"problem", b"item", b"history"})])
def test_what_is_not_damaged_is_still_read(store, table, read_before):
    """One bad row: it is never served, what lies elsewhere is; and nothing is written any more."""
    column = "value" if table == "log" else "body"
    change(store, f"UPDATE {table} SET {column}=x'00' WHERE id=200*256+{int(table == 'events')}")
    before = contents(store)
    code, lines = read(store, "asan")
    assert code == 2
    assert contents(store) == before
    assert facts(lines, b"status")[0][3] == "0"
    assert " ".join(facts(lines, b"problem")[0]).endswith("it is intact up to revision 199")
    assert read_before <= {line.split(b" ")[0] for line in lines}
    assert b"a row of revision 200 differs from what was written" in b"".join(lines)
    run = write(store, 2, 1)
    assert run.returncode == 2
    assert "R0506" in run.stderr


@pytest.mark.parametrize("part", [0, 100, 4096, 20000, -1])
def test_a_truncated_file_is_reported(store, part):
    last = len((store / "store.db").read_bytes().rstrip(b"\0")) - 1  # a zero at the end is what SQLite reads where nothing is
    os.truncate(store / "store.db", part if part >= 0 else last)
    assert refusal(store)[0] == "R0506"


def test_a_free_list_that_does_not_add_up_is_reported(store):
    """Only SQLite's own check sees it, which goes on in a thread beside ours."""
    path = store / "store.db"
    data = bytearray(path.read_bytes())
    data[39] += 5  # how many pages it has
    path.write_bytes(data)
    number, text = refusal(store)
    assert number == "R0506"
    assert "damaged" in text and "freelist" in text.lower()


def test_a_database_that_is_gone_is_reported(store):
    (store / "store.db").unlink()
    assert refusal(store)[0] == "R0506"


def test_an_older_database_beside_its_note_is_reported(store, tmp_path_factory):
    older = tmp_path_factory.mktemp("older") / "store.db"
    shutil.copy(store / "store.db", older)
    assert write(store, 2, 100).returncode == 0
    shutil.copy(older, store / "store.db")
    assert refusal(store) == (
        "R0506", "open: the store ends at revision 300, but had acknowledged revision 400")


@pytest.mark.parametrize("part", [0, 31, 5000, -1])
def test_a_truncated_log_is_reported(store, part):
    assert write(store, 2, 300, "--die").returncode == -signal.SIGKILL
    os.truncate(store / "store.db-wal", part if part >= 0 else log_bytes(store) - 1)
    assert refusal(store)[0] == "R0506"


@pytest.mark.parametrize("bytes_more", [0, 5, 24, 5000, 1000000])
def test_a_log_that_ends_behind_what_it_holds_is_whole(store, bytes_more):
    """A power cut while it is made longer, or a disk that had no room for more zeros."""
    assert write(store, 2, 300, "--die").returncode == -signal.SIGKILL
    whole = read(shutil.copytree(store, store / "whole"))
    os.truncate(store / "store.db-wal", log_bytes(store) + bytes_more)
    assert read(store) == whole
    assert read(store) == whole


@pytest.mark.parametrize("bytes_there", [0, 31, 32, 5000, 1000000])
def test_a_log_of_zeros_is_an_empty_one(store, bytes_there):
    """A store that was opened, and ended before anything was written."""
    whole = read(shutil.copytree(store, store / "whole"))
    (store / "store.db-wal").write_bytes(bytes(bytes_there))
    assert read(store) == whole


def test_a_torn_tail_is_no_damage(store):
    assert write(store, 2, 300, "--die").returncode == -signal.SIGKILL
    _, whole = read(shutil.copytree(store, store / "whole"))
    with open(store / "store.db-wal", "r+b") as log:
        log.seek(log_bytes(store))
        log.write(b"torn" * 1500)
    assert read(store) == (0, whole)


def test_a_file_that_is_no_database_is_reported(tmp_path):
    (tmp_path / "store.db").write_text("to do: buy milk\n" * 500)
    assert refusal(tmp_path) == (
        "R0506", "open: the database file is not a store: not a database")


def test_a_folder_that_is_missing_is_reported(tmp_path):
    number, text = refusal(tmp_path / "nowhere")
    assert number == "R0505"
    assert text.endswith("store.lock' cannot be opened: No such file or directory")


@pytest.mark.parametrize("options", [["100"], ["--die", "100"]])
def test_a_read_only_disk_is_reported_and_read(small_disk, options):
    """With a WAL and without."""
    write(small_disk, 1, *reversed(options))
    _, whole = read(shutil.copytree(small_disk, small_disk.parent / "copy"))
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    code, lines = read(small_disk, "asan")
    assert code == 0
    assert facts(lines, b"problem")[0][0] == "R0505"
    assert_whole(lines)
    assert [line for line in lines if not line.startswith((b"status", b"problem"))] == [
        line for line in whole if not line.startswith(b"status")]
    run = write(small_disk, 2, 1)
    assert run.returncode == 2
    assert "R0505" in run.stderr


def test_making_a_store_can_be_killed_at_any_moment(tmp_path):
    """Half-made is nothing: the next open makes it."""
    for life in range(30):
        folder = tmp_path / str(life)
        folder.mkdir()
        with subprocess.Popen([program("store_writer"), folder, "1", "100"],
                              stdout=subprocess.DEVNULL) as writer:
            with contextlib.suppress(subprocess.TimeoutExpired):
                writer.wait(0.0005 * life)
            writer.kill()
        code, lines = read(folder, "release")
        assert code == 0, lines
        assert_whole(lines)


def test_a_full_disk_refuses_and_goes_on_when_there_is_room(small_disk):
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(4 << 20))
    acknowledged = []
    with subprocess.Popen([program("store_writer"), small_disk, "1", "--patient"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as writer:
        for line in writer.stdout:
            if line == b"full\n":
                break
            acknowledged.append(line.split()[2].decode())
        ballast.unlink()
        back = 0
        for line in writer.stdout:
            if line != b"full\n":
                acknowledged.append(line.split()[2].decode())
                back += 1
            if back == 500:
                break
        writer.kill()
        assert writer.stderr.read() == b""
    code, lines = read(small_disk, "release")
    assert code == 0, lines
    assert back == 500
    assert set(acknowledged) <= set(assert_whole(lines))
