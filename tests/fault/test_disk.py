"""The tests on a disk in memory once more, as released and for longer than make check has time for."""

import contextlib
import os
import sqlite3
import subprocess
import tarfile

import pytest

from conftest import ROOT, program


@pytest.mark.parametrize("name, variable, default", [
    ("store_cut", "FAULT_CUTS", "400"), ("store_migrate", "FAULT_NTH", "1"), ("store_nth", "FAULT_NTH", "11")])
def test_a_disk_that_fails(name, variable, default):
    environment = {variable: default, **os.environ, "CMOCKA_MESSAGE_OUTPUT": "STDOUT"}
    seconds_max = 1200 + int(environment["FAULT_CUTS"]) if name == "store_cut" else 1200
    run = subprocess.run([program(name)], env=environment, capture_output=True, text=True,
                         check=False, timeout=seconds_max)
    print(run.stdout)
    assert run.returncode == 0, run.stdout + run.stderr


def test_a_store_of_the_release_before_is_migrated_by_kills(tmp_path):
    """The store of tests/e2e/test_migrate.py, closed as a manager would have closed it."""
    with tarfile.open(ROOT / "tests/e2e/fixtures/store-format-1.tar.xz") as archive:
        archive.extractall(tmp_path, [one for one in archive if one.name.startswith("data/store.db")])
    with contextlib.closing(sqlite3.connect(tmp_path / "data/store.db")) as store:
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    run = subprocess.run([program("store_migrate")], env={**os.environ, "MIGRATE_STORE": str(tmp_path / "data/store.db")},
                         capture_output=True, text=True, check=False, timeout=600)
    assert run.returncode == 0, run.stdout + run.stderr
