"""How a command ends: whatever happens, a sentence for a person and an exit code."""

import errno
import os
import sys
from collections.abc import Callable

from sluiceway.commands.annotations import annotate
from sluiceway.commands.bugs import told
from sluiceway.commands.copies import copies
from sluiceway.commands.output import Output
from sluiceway.commands.project import Problems
from sluiceway.commands.settings import Exit, Settings, UsageProblem
from sluiceway.model.reasons import internal_error
from sluiceway.relay import JobLog

Work = Callable[[Output], int]


def concluded(settings: Settings, work: Work) -> int:
    """Do ``work`` with an :class:`Output` on stdout, and return its exit code. No exception of ours leaves it.

    A signal's exception passes: the outermost caller ends with its exit code.
    """
    output = Output.on(sys.stdout, settings)
    with JobLog(sys.stderr, github=settings.github) as log:
        code = _worked(settings, work, output, log)
        for problem in output.unwritten:
            log.say(f"sluiceway: {problem}")
        if output.unwritten and code == Exit.DIFFERENT:
            code = Exit.FAILED
        if output.lost is None:
            return code or (Exit.FAILED if output.unwritten else Exit.DONE)
        # A reader that went away (`| head`) has seen all it wanted.
        if output.lost.errno != errno.EPIPE:
            log.say(f"sluiceway: stdout can't be written: {os.strerror(output.lost.errno or errno.EIO)}")
        return code or Exit.FAILED


def _worked(settings: Settings, work: Work, output: Output, log: JobLog) -> int:
    try:
        copies(settings)
        return work(output)
    except Problems as found:
        annotate(log, settings, "error", found.problems)
        log.say(f"sluiceway: {found} in what sluiceway.yaml says; nothing was run")
        return Exit.USAGE
    except UsageProblem as problem:
        log.say(f"sluiceway: {problem}")
        return Exit.USAGE
    except Exception as error:  # noqa: BLE001 - the last stop: no traceback ever reaches a person
        return _failed(settings, error, log)


def _failed(settings: Settings, error: Exception, log: JobLog) -> int:
    from sluiceway.private import PrivateDirectoryError  # noqa: PLC0415 - most commands have no private files

    if isinstance(error, PrivateDirectoryError):
        log.say(f"sluiceway: {error}")
        return Exit.FAILED
    log.say(f"sluiceway: {internal_error(error).text}")
    if settings.verbose:
        log.say(told(error))
    return Exit.FAILED
