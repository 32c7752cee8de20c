"""The program with a scripted adapter, as a process of its own: ``python -m tests.program SCRIPT ARGUMENT...``."""

import sys
from collections.abc import Callable

from sluiceway.adapters import registry
from sluiceway.adapters.base import Workplace
from sluiceway.cli import run
from sluiceway.model.reasons import Reason
from sluiceway.model.results import Deployed, Failure
from sluiceway.processes import Command
from tests import fakes
from tests.fakes import CANARY, UPDATE, FakeAdapter

TOOL = "trap 'echo asked to end >&2; exit 9' INT; echo at work >&2; while :; do sleep 0.05; done"


def at_work(place: Workplace) -> Failure:
    """Run a tool that goes on until it is asked to end."""
    (place.private / "manifests.yaml").write_text(CANARY)
    outcome = place.runner.run(Command(("sh", "-c", TOOL), place.directory))
    return Failure(Reason("tool-error", f"The tool was {outcome.ended}", exit_code=outcome.exit_code))


def loud(place: Workplace) -> Deployed:
    """Run a tool that says that it deploys."""
    place.runner.run(Command(("sh", "-c", "echo deploys >&2"), place.directory))
    return Deployed()


SCRIPTS: dict[str, Callable[[], FakeAdapter]] = {
    "pending": lambda: FakeAdapter(previews={"web": (UPDATE,)}, deploys={"web": loud}),
    "slow-preview": lambda: FakeAdapter(previews={"web": at_work}),
    "slow-deploy": lambda: FakeAdapter(
        previews={"web": (UPDATE,), "db": (UPDATE,)}, deploys={"db": at_work, "web": loud}
    ),
}

if __name__ == "__main__":
    fakes.INSTALLED = SCRIPTS[sys.argv[1]]()
    registry.BUILT_IN["fake"] = "tests.fakes:INSTALLED"
    sys.exit(run(sys.argv[2:]))
