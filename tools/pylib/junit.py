"""Results of tests: reads them from JUnit files, counts and lists them."""

import fnmatch
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
# If more tests than this fail once and pass when they run alone, something is wrong with the tests
# or the machine.
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
    # name for the test runner, such as a node id of pytest; empty: it cannot be run alone
    test: str = field(default="", compare=False)


def read(path, prefix):
    """Returns the results in one JUnit file of meson or pytest. Each name starts with `prefix`."""
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
    """Converts one <testcase> element to a Result."""
    for tag in ("failure", "error"):
        element = case.find(tag)
        if element is not None:
            return Result(name, FAILED, (element.get("message") or element.text or "").strip())
    element = case.find("skipped")
    if element is not None:
        return Result(name, SKIPPED, (element.get("message") or element.text or "").strip())
    return Result(name, PASSED)


def slowest(results, count):
    """Returns the test files that took longest: [(seconds, name)], the longest first. Results without a file are left out."""
    sums = {}
    for result in results:
        name = result.name.rsplit("/", 1)[0]
        sums[name] = sums.get(name, 0.0) + result.seconds
    return sorted(((seconds, name) for name, seconds in sums.items() if seconds > 0), reverse=True)[:count]


def run_again(results, run):
    """Runs each failed test once more, alone. run(result) returns whether it passes, or None if it cannot be run alone.
    A test that passes then is marked as passed. Returns these flaky tests."""
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
    """Returns the number of results with this outcome."""
    return sum(1 for result in results if result.outcome == outcome)


def summary(results):
    """Returns the line "N passed, N failed", with ", N skipped" if there are skips."""
    line = f"{count(results, PASSED)} passed, {count(results, FAILED)} failed"
    skipped = count(results, SKIPPED)
    return f"{line}, {skipped} skipped" if skipped else line


def read_expected_skips(path):
    """Returns the patterns of tests/expected-skips: one per line, where "#" starts the reason."""
    if not path.exists():
        return []
    lines = (line.split("#")[0].strip() for line in path.read_text().splitlines())
    return [line for line in lines if line]


def unexpected_skips(results, patterns):
    """Returns the skipped results that no pattern permits. The patterns do not name the parts of a suite."""
    return [result for result in results if result.outcome == SKIPPED
            and not any(fnmatch.fnmatchcase(PART.sub(r"\1", result.name), pattern) for pattern in patterns)]
