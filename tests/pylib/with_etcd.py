#!/usr/bin/python3 -B
"""Run a command with a separate etcd, which ends with the command: with_etcd.py COMMAND...

The environment (ETCD_*) has the endpoint, the certificates and the keys. The exit code is that of the command; the log
of etcd is shown if the command failed. Without etcd, prints a TAP skip."""

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
