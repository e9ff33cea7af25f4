"""Coverage by folder, measured by gcovr."""

import json
import re

from . import bounded, junit, unit

# A failing assertion ends the program, so its other branch need not be covered.
UNCOUNTED_BRANCHES = r".*\b(assert|unreachable|static_assert)\b.*"


def measure(root, folders, suites, lines_min, branches_min, with_list=False):
    """Runs the tests and prints one line per folder. Returns True if every folder reaches the limits."""
    build = root / "build/coverage"
    for old in build.rglob("*.gcda"):
        old.unlink()
    results, log = unit.run_unit_tests(build, "coverage", suites)
    if junit.count(results, junit.FAILED):
        print(log)
        print("coverage   the tests fail in build/coverage")
        return False
    report = run_gcovr(root, build)
    if report is None:
        return False
    good = True
    for folder in folders:
        if not any((root / "src" / folder).glob("*.c")):
            continue
        good &= print_folder(report, folder, lines_min, branches_min)
    if with_list:
        print_missed(report)
    return good


def run_gcovr(root, build):
    """Returns gcovr's JSON report about src/; None if it failed, which is printed."""
    output = build / "coverage.json"
    command = ["/usr/bin/gcovr", "--root", root, "--object-directory", build,
               "--filter", re.escape(f"{root}/src/"), "--exclude-unreachable-branches", "--exclude-throw-branches",
               "--exclude-branches-by-pattern", UNCOUNTED_BRANCHES,
               "-j", "1",  # with more jobs, gcovr 5.2 hangs if a file cannot be read
               "--json", output, build]
    # if gcovr is ended early, its temporary files remain there
    code, text = bounded.run(command, build / "gcovr.log", cwd=build)
    if code != 0:
        print(text)
        return None
    return json.loads(output.read_text())


def print_folder(report, folder, lines_min, branches_min):
    """Prints the figures of one folder. Returns True if they reach the limits."""
    lines = lines_hit = branches = branches_hit = 0
    for file in report["files"]:
        if not file["file"].startswith(f"src/{folder}/"):
            continue
        for line in file["lines"]:
            if line.get("gcovr/noncode"):
                continue
            lines += 1
            lines_hit += line["count"] > 0
            branches += len(line["branches"])
            branches_hit += sum(1 for branch in line["branches"] if branch["count"] > 0)
    line_share = 100.0 * lines_hit / lines if lines else 0.0
    branch_share = 100.0 * branches_hit / branches if branches else 100.0
    good = line_share >= lines_min and branch_share >= branches_min
    print(f"coverage   {folder:<8} lines {line_share:5.1f} % of {lines:<6} "
          f"branches {branch_share:5.1f} % of {branches:<6}"
          + ("" if good else f" BELOW {lines_min:.0f} / {branches_min:.0f}"))
    return good


def print_missed(report):
    """Prints the lines that no test reached, for each file."""
    for file in report["files"]:
        missed = [str(line["line_number"]) for line in file["lines"]
                  if line["count"] == 0 and not line.get("gcovr/noncode")]
        if missed:
            print(f"{file['file']}: {' '.join(missed)}")
