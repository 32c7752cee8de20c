"""How a command ended, where the tool's own words are not needed to tell."""

from sluiceway.model.reasons import Reason, timed_out, too_large
from sluiceway.processes import STDOUT_LIMIT_MIB, Outcome


def answered(outcome: Outcome) -> bool:
    """Tell whether a command ended well."""
    return outcome.ended == "exited" and outcome.exit_code == 0


def not_exited(outcome: Outcome, doing: str, tool: str) -> Reason | None:
    """Return why a command that did not exit by itself ended; None for one that did."""
    if outcome.ended == "timed-out":
        return timed_out(outcome.limit or 0, doing)
    if outcome.ended == "too-large":
        return too_large(doing, STDOUT_LIMIT_MIB)
    if outcome.ended == "not-started":
        return missing(tool, outcome.stderr)
    if outcome.ended == "interrupted":
        what = f"{doing} was ended because Sluiceway was asked to end"
        return Reason("tool-error", what, "Run it again.", outcome.exit_code)
    return None


def missing(tool: str, cause: str = "") -> Reason:
    """Return the reason for a tool that can't be started; ``cause`` is the runner's own words, never a tool's."""
    return Reason(
        "tool-missing",
        f"{tool} can't be started: {cause.removeprefix(f'{tool}: ') or 'it is not on PATH, or not executable'}",
        f"Install {tool} and put it on PATH.",
        names={"tool": tool},
    )


def unexplained(outcome: Outcome, doing: str) -> Reason:
    """Return the reason for a tool that exited with an error of which no more is told than that."""
    code = outcome.exit_code or 0
    ended = f"by signal {-code}" if code < 0 else f"with code {code}"
    return Reason(
        "tool-error", f"{doing} exited {ended}", "Its own words are in the job log.", exit_code=outcome.exit_code
    )
