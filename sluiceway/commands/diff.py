"""``sluiceway diff``: the tool's own diff, for a person."""

from sluiceway.commands.output import Output
from sluiceway.commands.session import session
from sluiceway.commands.settings import Exit, Settings
from sluiceway.model.results import Failure
from sluiceway.runs.diff import diff_stack


def run(settings: Settings, output: Output, name: str) -> int:
    """Show the tool's diff of stack ``name`` on stdout, live; differences are no failure."""
    with session(settings, output, "diff") as opened:
        (stack,) = opened.project.chosen([name])
        with opened.ending.finishing():
            shown = diff_stack(opened.job(), stack)
            if isinstance(shown, Failure):
                for line in (shown.reason.text, *shown.notes):
                    opened.log.say(f"sluiceway: {name}: {line}")
                return Exit.FAILED
            if not shown.differs and not settings.quiet:
                opened.log.say(f"{name}: no differences")
    return Exit.DONE
