"""Results of tests: read from JUnit files, counted, listed."""

import fnmatch
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
# More tests than these that fail once and pass alone mean that something is wrong with the tests or the machine.
FLAKY_MAX = 3
# With more failures than this, tests are not repeated: the tree is broken, and a second run only takes time.
AGAIN_MAX = 12
# The number of a part in the name of a suite: "clouds.2/test_x" is of the second part of tests/clouds.
PART = re.compile(r"^([a-z0-9_]+)\.\d+")


@dataclass
class Result:
    """One test, or one whole check such as a build."""

    name: str
    outcome: str
    detail: str = ""
    seconds: float = field(default=0.0, compare=False)
    test: str = field(default="", compare=False)  # what names it to its runner: a node id of pytest; empty: it cannot be run alone


def read(path, prefix):
    """The results in one JUnit file, of meson or pytest; each name starts with prefix."""
    results = []
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        # meson: "project.program" or "project.project:suite / program", and "7 - name";
        # pytest: "tests.folder.module" and "name".
        group = case.get("classname", "").split(".")[-1].split(" / ")[-1]
        title = re.sub(r"^\d+ - ", "", case.get("name", ""))
        result = read_case(case, f"{prefix}/{group}/{title}")
        result.seconds = float(case.get("time") or 0)
        if "." in case.get("classname", ""):
            result.test = f"{case.get('classname').replace('.', '/')}.py::{case.get('name')}"
        results.append(result)
    return results


def read_case(case, name):
    """One <testcase> element as a Result."""
    for tag in ("failure", "error"):
        element = case.find(tag)
        if element is not None:
            return Result(name, FAILED, (element.get("message") or element.text or "").strip())
    element = case.find("skipped")
    if element is not None:
        return Result(name, SKIPPED, (element.get("message") or element.text or "").strip())
    return Result(name, PASSED)


def slowest(results, count):
    """The files of tests that took longest: [(seconds, name)], the longest first. What has no file is left out."""
    sums = {}
    for result in results:
        name = result.name.rsplit("/", 1)[0]
        sums[name] = sums.get(name, 0.0) + result.seconds
    return sorted(((seconds, name) for name, seconds in sums.items() if seconds > 0), reverse=True)[:count]


def run_again(results, run):
    """Run each failed test once more, alone: run(result) says whether it passes, or None where it cannot be run alone. One that
    passes becomes passed. Returns those, which are flaky."""
    failed = [result for result in results if result.outcome == FAILED]
    flaky = []
    if len(failed) > AGAIN_MAX:
        return flaky
    for result in failed:
        if run(result):
            result.outcome = PASSED
            flaky.append(result)
    return flaky


def count(results, outcome):
    """How many of the results have this outcome."""
    return sum(1 for result in results if result.outcome == outcome)


def summary(results):
    """The line "N passed, N failed", with ", N skipped" where there are skips."""
    line = f"{count(results, PASSED)} passed, {count(results, FAILED)} failed"
    skipped = count(results, SKIPPED)
    return f"{line}, {skipped} skipped" if skipped else line


def read_expected_skips(path):
    """The patterns of tests/expected-skips: one a line, "#" starts the reason."""
    if not path.exists():
        return []
    lines = (line.split("#")[0].strip() for line in path.read_text().splitlines())
    return [line for line in lines if line]


def unexpected_skips(results, patterns):
    """The skipped results that no pattern allows. A pattern does not name the part of a suite, which changes with the list of its files."""
    return [result for result in results if result.outcome == SKIPPED
            and not any(fnmatch.fnmatchcase(PART.sub(r"\1", result.name), pattern) for pattern in patterns)]
