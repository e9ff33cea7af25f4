"""Runs steps at the same time, as many as the processors have time for.

Steps that mostly wait start while the processors have time left. Steps that only need processor time are niced, so they
use what the others leave, and do not count as load.
"""

import dataclasses
import os
import pathlib
import queue
import threading
import time
import typing

# This number of waiting steps run at any load, and never more than the other number.
WAITING_MIN, WAITING_MAX = 4, 6
# At least two, because a step that only needs processor time has parts that use one processor alone.
NICED_MAX = 2
# No further step starts while steps that are not niced use more than this share of the processors.
LOAD_MAX = 0.7
# A step that has started shows within this time what it needs.
LOAD_SECONDS = 6
POLL_SECONDS = 1


@dataclasses.dataclass
class Step:
    """One step: perform(name, run) does it."""

    name: str
    run: typing.Callable
    # the step that has to end before
    after: str = ""
    # above 0: it only needs processor time, and gets less of it than the others
    niceness: int = 0


class Load:
    """Measures the share of the processors that is used by processes that are not niced."""

    def __init__(self, path="/proc/stat"):
        self.path = pathlib.Path(path)
        self.begin()

    def ticks(self):
        """Returns (processor time of processes that are not niced, all time), since the computer started."""
        user, nice, system, idle, waiting, *interrupts = map(int, self.path.read_text().split("\n", 1)[0].split()[1:9])
        return user + system + sum(interrupts), user + nice + system + idle + waiting + sum(interrupts)

    def begin(self):
        """Begins to measure."""
        self.first, self.since = self.ticks(), time.monotonic()

    def seconds(self):
        """Returns the time since it began to measure."""
        return time.monotonic() - self.since

    def share(self):
        """Returns the share since it began to measure."""
        used, whole = (now - first for now, first in zip(self.ticks(), self.first))
        return used / whole if whole else 0.0

    def is_low(self):
        """Returns whether one more step may start. Measures anew if not, because the load may become lower."""
        if self.seconds() < LOAD_SECONDS:
            return False
        is_low = self.share() < LOAD_MAX
        self.begin()
        return is_low


def next_steps(waiting, running, ended, load):
    """Returns the steps that may start now: the first ones whose predecessors have ended."""
    ready = [step for step in waiting if not step.after or step.after in ended]
    niced = [step for step in ready if step.niceness][:NICED_MAX - sum(1 for step in running if step.niceness)]
    others = [step for step in ready if not step.niceness]
    count = sum(1 for step in running if not step.niceness)
    if count < WAITING_MIN:
        return niced + others[:WAITING_MIN - count]
    return niced + (others[:1] if others and count < WAITING_MAX and load.is_low() else [])


def run_all(steps, perform, load=None):
    """Runs all steps. Returns their results in the order of the steps. An error of a step ends the run."""
    load = load or Load()
    answers, waiting, running, ended = queue.Queue(), list(steps), [], {}

    def work(step):
        try:
            if step.niceness:
                os.nice(step.niceness)  # of this thread, and of what it starts
            answers.put((step, perform(step.name, step.run), None))
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits
            answers.put((step, [], error))

    while waiting or running:
        for step in next_steps(waiting, running, ended, load):
            waiting.remove(step)
            running.append(step)
            threading.Thread(target=work, args=(step,), daemon=True).start()
            load.begin()
        assert running, f"nothing can run: {[step.name for step in waiting]}"
        try:
            step, results, error = answers.get(timeout=POLL_SECONDS)
        except queue.Empty:
            continue
        if error is not None:
            raise error
        running.remove(step)
        ended[step.name] = results
    return [result for step in steps for result in ended[step.name]]
