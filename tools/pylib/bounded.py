"""Run a command with its output in a file and a deadline: a test that hangs fails, it does not wait for CI's end."""

import os
import signal
import subprocess

STEP_SECONDS = 3600  # the longest step takes three quarters of it where a process costs ten times the usual
END_SECONDS = 5  # between asking it to end and ending it
# A session is a scheduling group of its own, in which the caller's priority counts against nobody: it is told to the group.
KEEP_PRIORITY = ("/bin/sh", "-c", 'echo "$1" 2>/dev/null >/proc/self/autogroup; shift; exec "$@"', "sh")
RUNNING = set()  # so that whoever is interrupted leaves nothing behind


def run(command, log, seconds=STEP_SECONDS, cwd=None, env=None):
    """Run it. Returns (exit code, output); where it did not end in time the output says so in its last line."""
    log.parent.mkdir(parents=True, exist_ok=True)
    command = [str(part) for part in command]
    if os.nice(0) > 0:
        command = [*KEEP_PRIORITY, str(os.nice(0)), *command]
    # A file, not a pipe: a process that the command leaves behind would hold a pipe open for as long as it lives.
    is_late = False
    with open(log, "wb") as out:
        process = subprocess.Popen(command, cwd=cwd, env={**os.environ, **(env or {})},
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        RUNNING.add(process)
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            end(process)
            out.write(f"it did not end within {seconds} s\n".encode())
            is_late = True
        finally:
            RUNNING.discard(process)
    return (process.returncode or 1) if is_late else process.returncode, log.read_text(errors="replace")


def end(process):
    """End a session's processes: ask first, so that they may end theirs."""
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
    """End whatever runs, of every thread."""
    for process in list(RUNNING):
        end(process)
