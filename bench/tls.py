#!/usr/bin/python3 -B
"""A command through TLS: tls.py BUILD

`reeve get clusters` as a whole process by a unix socket and by https://, with one CA file, in turn: processor
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile

from beside import Manager, cpu_s, middle, say
from pylib.ports import free_port

RUNS = 30
ROUNDS = 5


def process_ms(command, environment):
    """Processor time of a command, in ms."""
    begin = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=True, timeout=60)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime) * 1000


def main():
    """All of it."""
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(dir=build) as name:
        folder = pathlib.Path(name)
        port = free_port()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                        "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
                       check=True, capture_output=True, timeout=60)
        config = folder / "reeved.yaml"
        config.write_text(f"listen:\n  - address: 127.0.0.1:{port}\n    tls: {{certificate: {folder}/cert.pem, key: {folder}/key.pem}}\n")
        with Manager(folder, "--config", str(config), program=build / "reeved").start() as one:
            one.post("/v1/users", {"name": "ana"})
            one.post("/v1/grants", {"user": "ana", "role": "operator"})
            token = one.post("/v1/tokens", {"user": "ana"}).json["token"]
            common = {**os.environ, "HOME": str(folder)}
            common.pop("REEVE_URL", None)
            subprocess.run([build / "reeve", "context", "login", f"https://127.0.0.1:{port}", "--ca", folder / "cert.pem", "--token-file", "-"],
                           env=common, input=token + "\n", text=True, stdout=subprocess.DEVNULL, check=True, timeout=60)
            ways = {"socket": {**common, "REEVE_URL": f"unix:{one.socket}"}, "tls": common}
            figures = {way: ([], []) for way in ways}
            for _ in range(ROUNDS):
                for way, environment in ways.items():
                    begin = cpu_s(one.process.pid)
                    figures[way][0].extend(process_ms([build / "reeve", "get", "clusters"], environment) for _ in range(RUNS))
                    figures[way][1].append((cpu_s(one.process.pid) - begin) * 1000 / RUNS)
            for way, (commands, served) in figures.items():
                say(f"tls/get_clusters_by_{way}", unit="ms", cpu=middle(commands), manager_cpu=middle(served),
                    goal=12 if way == "tls" else None, most=True)


if __name__ == "__main__":
    main()
