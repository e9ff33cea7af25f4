#!/usr/bin/python3 -B
"""Certificates by reeve-signer, asked as the manager asks it, beside ssh-keygen -s: processor time for each.

    certs.py BUILD

Ours: one process, from the first question to the last answer, with reading, bounds, log and frames; what the asking side costs is
not counted. Theirs: one ssh-keygen that signs 200 keys in one call, which is how it is cheapest. In turns.
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading

from beside import ROOT, TICKS, middle, pairs, say

sys.path[:0] = [str(ROOT / "tests/ssh")]
from signing import Signer  # noqa: E402  pylint: disable=wrong-import-position

OURS, THEIRS = 10000, 200
PRINCIPAL = "cluster:acme/0f3c"


def cpu_s(pid):
    """Of a process and the one inside of it."""
    words = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return (int(words[11]) + int(words[12])) / TICKS + sum(cpu_s(int(child)) for child in children)


def keys_make(folder):
    """The keys that are signed, and an authority's."""
    for number in [*range(THEIRS), "ca"]:
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "x", "-f",
                        folder / f"key-{number}"], check=True, stdin=subprocess.DEVNULL)
    return [(folder / f"key-{number}.pub").read_text(encoding="ascii") for number in range(THEIRS)]


def round_ours(program, folder, lines):
    """Processor seconds of OURS certificates."""
    signer = Signer(folder, program=program)
    signer.good("load", sealed=signer.good("make").sealed)
    before = cpu_s(signer.process.pid)

    def put():
        for number in range(OURS):
            signer.put("certify", key=lines[number % THEIRS], principals=[PRINCIPAL],
                       name=f"acme/0f3c/web-{number}/root")

    sending = threading.Thread(target=put)
    sending.start()
    for _ in range(OURS):
        told = signer.receive()
        assert told[2] == 0, told
    sending.join()
    spent = cpu_s(signer.process.pid) - before
    assert signer.stop() == 0
    return spent


def round_theirs(folder):
    """Processor seconds of THEIRS certificates."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["ssh-keygen", "-q", "-s", folder / "key-ca", "-I", "root", "-n", PRINCIPAL, "-z",
                    "+1", "-V", "+7d", *[folder / f"key-{number}.pub" for number in range(THEIRS)]],
                   check=True, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    program = pathlib.Path(sys.argv[1]) / "reeve-signer"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        lines = keys_make(folder)
        spent = []

        def ours():
            spent.append(round_ours(program, folder, lines))
            return spent[-1] / OURS * 1e6

        pairs("certs/one", "us of processor time for one certificate", ours,
              lambda: round_theirs(folder) / THEIRS * 1e6, "ssh-keygen -s, 200 in one call")
        say("certs/10000", unit="s of processor time", ours=middle(spent), goal=0.5)


if __name__ == "__main__":
    assert os.path.exists("/usr/bin/ssh-keygen"), "ssh-keygen is missing: tools/install-packages test"
    main()
