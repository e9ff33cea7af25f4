"""The order of the steps of tools/run-tests, and how many run at once."""

import sys
import threading
import time

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
from pylib import schedule  # noqa: E402
from pylib.schedule import Load, Step  # noqa: E402


class Fixed:
    """A load that is known."""

    def __init__(self, is_low):
        self.low = is_low

    def begin(self):
        """Nothing to measure."""

    def is_low(self):
        """The answer."""
        return self.low


def names(steps):
    """The names of steps."""
    return [step.name for step in steps]


def steps(count, niceness=0):
    """So many steps."""
    return [Step(f"{'n' if niceness else 's'}{number}", None, niceness=niceness) for number in range(count)]


@pytest.mark.parametrize(("running", "is_low", "expected"), [
    (0, False, ["s0", "s1", "s2", "s3"]),  # so many at any load
    (3, False, ["s0"]),
    (4, False, []),
    (4, True, ["s0"]),  # one, whose need shows before the next starts
    (schedule.WAITING_MAX, True, []),
])
def test_steps_that_wait_start_as_the_load_permits(running, is_low, expected):
    assert names(schedule.next_steps(steps(20), [Step("r", None)] * running, {}, Fixed(is_low))) == expected


def test_steps_that_need_processor_time_start_at_any_load():
    niced = steps(5, niceness=10)
    assert names(schedule.next_steps(niced, [], {}, Fixed(False))) == ["n0", "n1"]
    assert names(schedule.next_steps(niced, [Step("r", None, niceness=3)], {}, Fixed(False))) == ["n0"]
    # neither kind takes the place of the other
    assert names(schedule.next_steps([*niced, *steps(5)], [Step("r", None)] * 3, {}, Fixed(False))) == ["n0", "n1", "s0"]


def test_a_step_waits_for_its_predecessor_and_others_pass_it():
    waiting = [Step("late", None, after="build"), Step("other", None)]
    assert names(schedule.next_steps(waiting, [Step("build", None, niceness=3)], {}, Fixed(False))) == ["other"]
    assert names(schedule.next_steps(waiting, [], {"build": []}, Fixed(False))) == ["late", "other"]


def test_results_are_in_the_order_of_the_steps_and_all_run_at_once():
    together = threading.Barrier(3, timeout=60)

    def perform(name, run):
        together.wait()  # fails unless all three run at the same time
        return [run()]
    assert schedule.run_all([Step(name, lambda name=name: name) for name in "cab"], perform, Fixed(False)) == ["c", "a", "b"]


def test_a_predecessor_is_over_before_its_step_begins():
    done = []

    def perform(name, run):
        if name == "build":
            time.sleep(0.2)
        done.append(name)
        return []
    schedule.run_all([Step("suite", None, after="build"), Step("build", None)], perform, Fixed(True))
    assert done == ["build", "suite"]


def test_an_error_of_a_step_ends_the_run():
    def perform(name, run):
        raise ValueError(name)
    with pytest.raises(ValueError, match="only"):
        schedule.run_all([Step("only", None)], perform, Fixed(True))


def test_a_predecessor_that_is_missing_is_an_error():
    with pytest.raises(AssertionError, match="suite"):
        schedule.run_all([Step("suite", None, after="nothing")], lambda name, run: [], Fixed(True))


def test_the_load_counts_only_what_is_not_niced(tmp_path, monkeypatch):
    stat = tmp_path / "stat"
    stat.write_text("cpu  100 50 100 1000 10 5 5 0 0 0\ncpu0 0\n")
    load = Load(stat)
    monkeypatch.setattr(load, "seconds", lambda: schedule.LOAD_SECONDS)
    stat.write_text("cpu  140 550 110 1440 20 5 5 0 0 0\ncpu0 0\n")  # 50 of 1,000
    assert load.share() == 0.05 and load.is_low()
    stat.write_text("cpu  940 550 110 1640 20 5 5 0 0 0\ncpu0 0\n")  # 800 of 1,000
    assert not load.is_low()
    stat.write_text("cpu  940 550 110 2640 20 5 5 0 0 0\ncpu0 0\n")  # measured anew
    assert load.is_low()


def test_the_load_is_known_after_some_time(monkeypatch):
    load = Load()
    monkeypatch.setattr(load, "share", lambda: 0.0)
    assert not load.is_low()
