"""The interface of plugins does not change under those that are compiled: abidiff compares it with the kept one.

Members may be appended at the end of what begins with struct_size. Where that is done on purpose, raise
REEVE_PLUGIN_ABI_MINOR and keep the new interface: REEVE_ABI_KEEP=1 with this test writes it.
"""
import os
import pathlib
import platform
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests/plugins/abi/interface.c"
KEPT = ROOT / f"tests/plugins/abi/{platform.machine()}.abi"
HEADER = ROOT / "include/reeve/plugin.h"
CHANGES = 4 | 8  # bits of abidiff's exit code: the interface changed; in a way that breaks
pytestmark = pytest.mark.skipif(shutil.which("abidiff") is None or not (KEPT.exists() or "REEVE_ABI_KEEP" in os.environ),
                                reason="abidiff is missing, or nothing is kept for this machine")


def interface(folder, change=lambda text: text):
    """What the compiler makes of the header, or of a changed one, as abidw describes it."""
    (folder / "include/reeve").mkdir(parents=True, exist_ok=True)
    (folder / "include/reeve/plugin.h").write_text(change(HEADER.read_text()))
    shutil.copy(SOURCE, folder)
    subprocess.run(["cc", "-std=c11", "-g", "-gdwarf-4", "-O0", "-shared", "-fPIC", "-fno-eliminate-unused-debug-types",
                    f"-ffile-prefix-map={folder}=.", "-Iinclude", "-o", "interface.so", SOURCE.name],
                   check=True, cwd=folder, timeout=240)
    subprocess.run(["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--out-file",
                    folder / "interface.abi", folder / "interface.so"], check=True, timeout=240)
    return folder / "interface.abi"


def compared(folder, **options):
    done = subprocess.run(["abidiff", KEPT, interface(folder, **options)], text=True, capture_output=True, check=False,
                          timeout=240)
    assert done.returncode & 3 == 0, done.stderr  # not an error of the tool
    return done


def test_the_interface_is_the_kept_one(tmp_path):
    if "REEVE_ABI_KEEP" in os.environ:
        shutil.copy(interface(tmp_path), KEPT)
    done = compared(tmp_path)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("before,after", [
    ("    uint64_t lag_ms; ", "    uint32_t lag_ms; "),
    ("    uint32_t calls_max; ", "    uint32_t calls_most; uint32_t calls_max; "),
    ("    REEVE_GONE = 7,", "    REEVE_GONE = 17,"),
    ("struct reeve_text help; ", "struct reeve_text words; struct reeve_text help; "),
    ("    struct reeve_text init; ", "    "),
])
def test_a_change_is_seen(tmp_path, before, after):
    def change(text):
        assert text.count(before) == 1
        return text.replace(before, after)

    assert compared(tmp_path, change=change).returncode & CHANGES
