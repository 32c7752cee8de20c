"""What a person reads when a recording has no answer: the nearest recorded command, and what differs from it."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import zip_longest

from sluiceway.recordings.format import Asked, RecordedStep, Recording


def no_answer(recording: Recording, step: RecordedStep, asked: Asked, stack_id: str) -> str:
    """Return why ``asked`` has no answer in ``step``, and how to record one."""
    place = f"step {step.name} of {recording.directory}" + (f", stack {stack_id}" if stack_id else "")
    times = sum(command.asked == asked for command in step.commands)
    reason = (
        [f"recorded: {times} {'times' if times > 1 else 'time'}, and asked for once more"]
        if times
        else [*_nearest(step, asked), *_elsewhere(recording, step, asked)]
    )
    return "\n  ".join(
        (
            f"No recording answers this command ({place})",
            f"asked:    {asked} (in {asked.cwd})",
            *reason,
            f"record:   pytest --record-mode=rewrite scenarios -k {recording.scenario}",
        )
    )


def _nearest(step: RecordedStep, asked: Asked) -> Iterator[str]:
    if not step.commands:
        yield "nearest:  none, the step has no commands"
        return
    number, nearest = max(
        enumerate((command.asked for command in step.commands), 1), key=lambda entry: _likeness(asked, entry[1])
    )
    yield f"nearest:  {nearest} (in {nearest.cwd}; command {number})"
    yield f"differs:  {_difference(asked, nearest)}"


def _likeness(asked: Asked, recorded: Asked) -> float:
    words = SequenceMatcher(None, asked.argv, recorded.argv, autojunk=False).ratio()
    return words + 0.01 * (asked.cwd == recorded.cwd) + 0.01 * (asked.env == recorded.env)


def _difference(asked: Asked, recorded: Asked) -> str:
    for index, (ours, theirs) in enumerate(zip_longest(asked.argv, recorded.argv)):
        if ours != theirs:
            return f"argument {index}: asked {_word(ours)}, recorded {_word(theirs)}"
    if asked.cwd != recorded.cwd:
        return f"directory: asked {asked.cwd}, recorded {recorded.cwd}"
    names = sorted(name for name in {*asked.env, *recorded.env} if asked.env.get(name) != recorded.env.get(name))
    return f"environment: {', '.join(names)}"


def _word(word: str | None) -> str:
    return "nothing" if word is None else repr(word)


def _elsewhere(recording: Recording, step: RecordedStep, asked: Asked) -> Iterator[str]:
    others = [
        other.name
        for other in recording.steps
        if other.name != step.name and any(command.asked == asked for command in other.commands)
    ]
    if others:
        yield f"other:    recorded in step {', '.join(others)} (--replay {recording.directory}:{others[0]})"
