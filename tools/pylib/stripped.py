"""Strips symbols from programs and plugins for a package. The build needs this too: the digests of trusted plugins are
part of the programs (plugins/trust.py), and a package contains the stripped file."""

import pathlib
import subprocess
import tempfile

COMMAND = ["strip", "--strip-unneeded", "--remove-section=.comment"]


def strip(source, target):
    """Writes `source` without symbols to `target`. The same source gives the same bytes."""
    subprocess.run([*COMMAND, "-o", target, source], check=True, timeout=120)


def stripped_bytes(source):
    """Returns the bytes that strip would write."""
    with tempfile.TemporaryDirectory(prefix="reeve-strip") as folder:
        target = pathlib.Path(folder) / "stripped"
        strip(source, target)
        return target.read_bytes()
