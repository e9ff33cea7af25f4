"""The tests on a disk in memory once more, as released and for longer than make check has time for."""

import os
import subprocess

import pytest

from conftest import program


@pytest.mark.parametrize("name, variable, default", [
    ("store_cut", "FAULT_CUTS", "400"), ("store_nth", "FAULT_NTH", "2")])
def test_a_disk_that_fails(name, variable, default):
    environment = {variable: default, **os.environ, "CMOCKA_MESSAGE_OUTPUT": "STDOUT"}
    seconds_max = 1200 + int(environment["FAULT_CUTS"]) if name == "store_cut" else 1200
    run = subprocess.run([program(name)], env=environment, capture_output=True, text=True,
                         check=False, timeout=seconds_max)
    print(run.stdout)
    assert run.returncode == 0, run.stdout + run.stderr
