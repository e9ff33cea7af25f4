#!/usr/bin/python3 -B
"""The command line with a manager: client.py BUILD_DIRECTORY

Prints a JSON line for each verb: from starting the process to its end, with a small cluster and with one of 10,000
groups, beside `version` as the cost of the process alone. The manager runs below BUILD_DIRECTORY, on the disk of the
tree.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from manager import Manager  # noqa: E402  pylint: disable=wrong-import-position

REPEATS, REPEATS_BIG, GROUPS = 100, 5, 10000


def write_big(path, size):
    """A cluster of many groups."""
    path.write_text('version: "1"\nname: big\ngroups:\n' + "".join(
        f"  g{i}: {{size: {size}, resourcePlugin: {{name: local}}}}\n" for i in range(GROUPS)))


def measure(name, command, environment, repeats):
    """Run a command often; wall time, for it waits for another process."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
        times.append((time.perf_counter() - start) * 1000)
        if run.returncode != 0:
            sys.exit(f"bench: {' '.join(command)}: {run.stderr.decode()}")
    times.sort()
    print(json.dumps({"name": f"client/{name}", "ms_median": round(statistics.median(times), 2),
                      "ms_min": round(times[0], 2), "ms_max": round(times[-1], 2),
                      "repeats": repeats, "load": round(os.getloadavg()[0], 1)}), flush=True)


def main():
    build = pathlib.Path(sys.argv[1])
    reeve, shop = str(build / "reeve"), str(ROOT / "examples/web-db.yaml")
    with tempfile.TemporaryDirectory(dir=build) as folder:
        folder = pathlib.Path(folder)
        big, less = folder / "big.yaml", folder / "less.yaml"
        write_big(big, 100)
        write_big(less, 99)
        manager = Manager(folder).start()
        environment = {**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": str(folder)}
        try:
            subprocess.run([reeve, "apply", "-f", shop, "--yes"], env=environment, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for words in (["version"], ["get", "cluster", "shop"], ["get", "nodegroups"], ["status"],
                          ["tree"], ["apply", "-f", shop], ["scale", "shop/web", "6"]):
                measure(" ".join(words[:2]).replace(" -f", ""), [reeve, *words], environment, REPEATS)
            measure("apply 10000 new groups", [reeve, "apply", "-f", str(big), "--yes"], environment, 1)
            for name, words in (("apply 10000 groups, the same", ["apply", "-f", str(big)]),
                                ("plan 10000 changed groups", ["plan", "-f", str(less)]),
                                ("get 10000 groups", ["get", "nodegroups"]),
                                ("tree 10000 groups", ["tree", "big"]),
                                ("export 10000 groups", ["get", "big", "-o", "yaml", "--bare"])):
                measure(name, [reeve, *words], environment, REPEATS_BIG)
        finally:
            manager.stop()


main()
