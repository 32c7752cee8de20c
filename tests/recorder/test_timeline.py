from dataclasses import dataclass

from recorder.timeline import SLACK, Timeline


@dataclass
class Clock:
    time: float

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.time += seconds


def timeline(clock: Clock, since: float = 100.0) -> Timeline:
    return Timeline(since, now=clock.now, sleep=clock.sleep)


def test_a_step_begins_just_after_the_next_full_second() -> None:
    clock = Clock(107.35)
    timeline(clock).begin(1)
    assert clock.time == 108 + SLACK


def test_two_steps_never_share_a_second() -> None:
    clock = Clock(107.35)
    steps = timeline(clock)
    steps.begin(1)
    steps.begin(2)
    assert [second for second, _ in steps.starts] == [108, 109]


def test_a_time_belongs_to_the_step_that_ran_then() -> None:
    clock = Clock(107.35)
    steps = timeline(clock)
    steps.begin(2)
    clock.sleep(3.7)
    steps.begin(5)
    assert [steps.step_of(second) for second in (100, 107, 108, 111, 112, 500)] == [0, 0, 2, 2, 5, 5]


def test_a_time_before_the_cluster_belongs_to_no_step() -> None:
    assert timeline(Clock(107.35), since=100.9).step_of(99) is None
    assert timeline(Clock(107.35), since=100.9).step_of(100) == 0
