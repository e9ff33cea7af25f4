"""Runs a command with its output in a file and with a deadline, so that a hanging test fails instead of blocking CI."""

import os
import signal
import subprocess
import threading
import time

# four times the duration of the longest step on a usual computer; a hanging test is ended earlier
# (tools/run-tests)
STEP_SECONDS = 5000
END_SECONDS = 5  # time between SIGTERM and SIGKILL
# A session is a separate scheduling group, in which the caller's priority has no effect outside. So the priority is set for the group.
KEEP_PRIORITY = ("/bin/sh", "-c", 'echo "$1" 2>/dev/null >/proc/self/autogroup; shift; exec "$@"', "sh")
RUNNING = set()  # running processes, so that an interrupted run leaves none behind
POLL_SECONDS = 0.05
SPENT = threading.local()  # .seconds: processor time of the commands that this thread has run


def run(command, log, seconds=STEP_SECONDS, cwd=None, env=None):
    """Runs a command. Returns (exit code, output). If it did not end in time, the last line of the output says so."""
    log.parent.mkdir(parents=True, exist_ok=True)
    command = [str(part) for part in command]
    if os.nice(0) > 0:
        command = [*KEEP_PRIORITY, str(os.nice(0)), *command]
    # The output goes to a file and not to a pipe, because a process that the command leaves behind
    # would hold a pipe open for as long as it lives.
    with open(log, "wb") as out:
        process = subprocess.Popen(command, cwd=cwd, env={**os.environ, **(env or {})},
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        RUNNING.add(process)
        try:
            is_late = not wait(process, seconds)
            if is_late:
                end(process)
                out.write(f"it did not end within {seconds} s\n".encode())
        finally:
            RUNNING.discard(process)
    return (process.returncode or 1) if is_late else process.returncode, log.read_text(errors="replace")


def wait(process, seconds):
    """Waits for the end, at most until the deadline. Adds up the processor time: unlike getrusage, wait4 reports it for
    a single child."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
        except ChildProcessError:  # end_all() has already waited for it
            return True
        if pid != 0:
            process.returncode = os.waitstatus_to_exitcode(status)
            SPENT.seconds = spent() + used.ru_utime + used.ru_stime
            return True
        time.sleep(POLL_SECONDS)
    return False


def spent():
    """Returns the processor time of all commands that this thread has run and that ended in time."""
    return getattr(SPENT, "seconds", 0.0)


def end(process):
    """Ends a session's processes, with SIGTERM first, so that they can end their own children."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(timeout=END_SECONDS)
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            break
    process.wait()


def end_all():
    """Ends all running commands of all threads."""
    for process in list(RUNNING):
        end(process)
