#!/usr/bin/python3 -B
"""reeve events beside the number of events that are kept: events.py BUILD [COUNT...]

The same commands with 1,000, 100,000 and 1,000,000 events: time from the start of the process to its end, and the most
memory that it had. The newest fifty must not cost more where more are kept; all of them cost time, and no memory.
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

BEGUN_S, REPEATS = 1790000000, 9


def run(reeve, environment, *words):
    """Seconds, KiB at most, lines."""
    begun = time.perf_counter()
    with subprocess.Popen([reeve, "events", *words], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        lines = sum(1 for _ in process.stdout)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"bench: reeve events {' '.join(words)} ended with {process.returncode}")
    return time.perf_counter() - begun, usage.ru_maxrss, lines


def measured(build, count):
    with tempfile.TemporaryDirectory(dir=build) as name:
        folder = pathlib.Path(name)
        (folder / "data").mkdir(mode=0o700)
        subprocess.run([build / "bench/bench_events", folder / "data", str(count)], check=True)
        with Manager(folder, program=build / "reeved").start() as manager:
            environment = {**os.environ, "REEVE_URL": f"unix:{manager.socket}", "HOME": str(folder)}
            since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(BEGUN_S + count - 50))
            for words, repeats, wanted in ((("-n", "50"), REPEATS, 51), (("--since", since), REPEATS, 51), (("-o", "jsonl"), 1, count)):
                found = [run(str(build / "reeve"), environment, *words) for _ in range(repeats)]
                assert all(lines == wanted for _, _, lines in found), (words, found)
                print(json.dumps({"name": f"events/{' '.join(words)}", "events": count, "repeats": repeats,
                                  "ms_median": round(1000 * statistics.median(one[0] for one in found), 1),
                                  "ms_max": round(1000 * max(one[0] for one in found), 1), "kib_max": max(one[1] for one in found),
                                  "load": round(os.getloadavg()[0], 1)}), flush=True)


def main():
    for count in map(int, sys.argv[2:] or (1000, 100000, 1000000)):
        measured(pathlib.Path(sys.argv[1]).resolve(), count)


if __name__ == "__main__":
    main()
