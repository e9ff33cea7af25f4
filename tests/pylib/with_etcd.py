#!/usr/bin/python3 -B
"""Run a command with an etcd of its own, which ends with it: with_etcd.py COMMAND...

Where the endpoint, certificates and keys are stands in its environment (ETCD_*). The exit code is
the command's; the etcd's log is shown where it failed. Without etcd: TAP's skip, said aloud."""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from pylib.etcd import Etcd, Missing  # noqa: E402

def main():
    with tempfile.TemporaryDirectory(prefix="reeve-etcd-") as folder:
        try:
            etcd = Etcd(folder)
        except Missing as missing:
            print(f"1..0 # SKIP {missing}")
            return 0
        with etcd:
            code = subprocess.run(sys.argv[1:], check=False,
                                  env={**os.environ, **etcd.environment()}).returncode
            if code != 0:
                print(etcd.log_end(), file=sys.stderr)
            return code


sys.exit(main())
