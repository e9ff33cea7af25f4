"""Runs the unit tests of a build directory with meson, and reads the results."""

import json
import os
import subprocess

from . import bounded, junit

# A sanitizer's finding must end the program with a code that no test expects.
SANITIZER_ENV = {
    "ASAN_OPTIONS": "exitcode=99:detect_leaks=1:detect_stack_use_after_return=1",
    "UBSAN_OPTIONS": "halt_on_error=1:exitcode=99:print_stacktrace=1",
}

# The time limit of a program (30 s unless meson.build sets another) is for programs that hang. An
# idle computer needs a third of it; a busy computer may need more than all of it.
PATIENCE = 5


def run_unit_tests(build, prefix="unit", suites=()):
    """Runs the meson tests of a build, all or only some suites. Returns (results, log text of the failing programs)."""
    logs = build / "meson-logs"
    for name in ("testlog.json", "testlog.junit.xml"):
        (logs / name).unlink(missing_ok=True)
    command = ["/usr/bin/meson", "test", "-C", str(build), "--no-rebuild",
               "--timeout-multiplier", str(PATIENCE), "--num-processes", os.environ.get("JOBS", str(os.cpu_count())),
               *(f"--suite={suite}" for suite in suites)]
    code, output = bounded.run(command, logs / "run.log", env=SANITIZER_ENV)
    if not (logs / "testlog.junit.xml").exists():
        if "No tests defined" in output:
            return [junit.Result(f"{prefix}/any", junit.FAILED, "no unit tests found")], output
        return [junit.Result(f"{prefix}/meson", junit.FAILED, "meson test broke")], output

    results = junit.read(logs / "testlog.junit.xml", prefix)
    failing_logs = []
    for line in (logs / "testlog.json").read_text().splitlines():
        program = json.loads(line)
        if program["result"] in ("OK", "SKIP", "EXPECTEDFAIL"):
            continue
        failing_logs.append(program_log(program))
        # A crashed program may have printed only passing cases before.
        name = f"{prefix}/{program_name(program)}"
        if not any(result.outcome == junit.FAILED and result.name.startswith(name + "/")
                   for result in results):
            results.append(junit.Result(name, junit.FAILED, program["result"].lower()))
    results = fail_silent(results, tap_programs(build, suites), prefix)
    if not results:
        results.append(junit.Result(f"{prefix}/any", junit.FAILED, "no unit tests found"))
    elif code != 0 and junit.count(results, junit.FAILED) == 0:
        results.append(junit.Result(f"{prefix}/meson", junit.FAILED, "meson test broke"))
        failing_logs.append(output)
    return results, "\n".join(failing_logs)


def tap_programs(build, suites=()):
    """Returns the names of the test programs that print one line per case, of all or only some suites."""
    run = subprocess.run(["/usr/bin/meson", "introspect", str(build), "--tests"], check=True,
                         stdout=subprocess.PIPE, text=True)
    return [test["name"] for test in json.loads(run.stdout) if test["protocol"] == "tap"
            and (not suites or {suite.split(":")[-1] for suite in test["suite"]} & set(suites))]


def fail_silent(results, programs, prefix):
    """Fails programs that ran no case and exited with 0. meson counts them as passed, but they prove nothing."""
    for name in programs:
        own = f"{prefix}/{name}"
        if not any(result.name == own or result.name.startswith(own + "/") for result in results):
            # meson counts such a program as one case of the project instead.
            results = [result for result in results if result.name != f"{prefix}/reeve/{name}"]
            results.append(junit.Result(own, junit.FAILED, "no case was run"))
    return results


def program_name(program):
    """Returns the name from meson's "project:suite / name"."""
    return program["name"].split(" / ")[-1]


def program_log(program):
    """Returns the end of a failing program's output."""
    text = (program.get("stdout", "") + program.get("stderr", "")).strip()
    lines = text.splitlines()[-60:]
    head = f"--- {program_name(program)}: {program['result'].lower()}, exit {program['returncode']}"
    return "\n".join([head, *lines])
