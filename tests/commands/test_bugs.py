import errno

from sluiceway.commands.bugs import explained, frames, told
from sluiceway.commands.output import Output
from tests.fakes import CANARY


def broken() -> Exception:
    try:
        try:
            int(CANARY)
        except ValueError:
            Output(None).text(CANARY)  # type: ignore[arg-type]  # to break in code of ours
    except AttributeError as error:
        return error
    raise AssertionError


def test_only_our_own_frames_and_no_text() -> None:
    error = broken()
    (frame,) = frames(error)
    assert frame.startswith("sluiceway/commands/output.py:")
    assert frame.endswith(" in text")
    assert told(error).splitlines() == ["AttributeError", f"  {frame}", "ValueError"]


def test_what_the_machine_refused_is_no_bug() -> None:
    reason = explained(OSError(errno.ENOSPC, CANARY, CANARY))
    assert reason.kind == "preparation-failed"
    assert reason.what == "The machine refused a file or a process: No space left on device"
    assert CANARY not in repr(reason)


def test_all_else_is() -> None:
    assert explained(OSError(CANARY)).kind == "internal-error"
    assert CANARY not in repr(explained(KeyError(CANARY)))
