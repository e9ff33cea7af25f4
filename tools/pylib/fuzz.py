"""Finds and runs the fuzzers."""

import concurrent.futures
import os
import re

from . import bounded, junit

INPUT_SECONDS_MAX = 10
END_SECONDS_MAX = 120  # additional time to read the corpus and to end
MEMORY_MIB_MAX = 2048


def find_fuzzers(root):
    """Returns the fuzzers that were built: {name: path}."""
    found = (root / "build/fuzz").rglob("fuzz_*")
    programs = [path for path in found
                if path.is_file() and not path.suffix and os.access(path, os.X_OK)]
    return {path.name.removeprefix("fuzz_"): path for path in sorted(programs)}


def run_one(root, name, program, seconds):
    """Runs one fuzzer. Returns (result, line to print)."""
    folder = root / "build/fuzz"
    new_inputs = folder / "corpus" / name
    crashes = folder / "crashes"
    new_inputs.mkdir(parents=True, exist_ok=True)
    crashes.mkdir(parents=True, exist_ok=True)
    command = [program, f"-max_total_time={seconds}", f"-timeout={INPUT_SECONDS_MAX}",
               f"-rss_limit_mb={MEMORY_MIB_MAX}", "-print_final_stats=1", "-verbosity=1",
               f"-artifact_prefix={crashes}/{name}-", new_inputs]
    for seeds in (root / "tests/fuzz/corpus" / name, root / "tests/fuzz" / name):
        if seeds.is_dir():
            command.append(seeds)
    words = root / "tests/fuzz" / f"{name}.dict"
    if words.exists():
        command.append(f"-dict={words}")
    log = folder / f"{name}.log"
    code, text = bounded.run(command, log, seconds + END_SECONDS_MAX)
    runs = re.search(r"stat::number_of_executed_units: *(\d+)", text)
    coverage = re.findall(r"cov: (\d+)", text)
    if code == 0 and runs:
        line = (f"fuzz       {name:<12} ok  {int(runs[1]):,} inputs, "
                f"{coverage[-1] if coverage else '?'} edges, {seconds} s")
        return junit.Result(f"fuzz/{name}", junit.PASSED), line
    inputs = re.findall(r"Test unit written to (\S+)", text)
    line = "\n".join([*what_broke(text), f"fuzz       {name:<12} FAILED  log: build/fuzz/{name}.log",
                      *(f"           again with: {program} {path}" for path in inputs)])
    return junit.Result(f"fuzz/{name}", junit.FAILED, f"exit {code}"), line


def what_broke(text):
    """Returns the lines of a fuzzer's output that describe the failure."""
    lines = text.splitlines()
    first = next((index for index, line in enumerate(lines)
                  if re.search(r"ERROR:|runtime error:|Assertion", line)), max(0, len(lines) - 20))
    return lines[first:first + 20]


def run_all(root, seconds, report):
    """Runs all fuzzers, and calls report(line) when each ends. Returns the results."""
    jobs = int(os.environ.get("JOBS", os.cpu_count()))
    results = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = [pool.submit(run_one, root, name, program, seconds)
                for name, program in find_fuzzers(root).items()]
        for run in concurrent.futures.as_completed(runs):
            result, line = run.result()
            results.append(result)
            report(line)
    return results
