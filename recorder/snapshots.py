"""The snapshots of scenarios: ``snapshots/<scenario>/<version>.json`` beside the scenario's file."""

from pathlib import Path
from typing import Any

from syrupy.data import SnapshotCollections
from syrupy.extensions.json import JSONSnapshotExtension
from syrupy.location import PyTestLocation

from recorder.located import ScenarioError
from recorder.versions import versions

DIRECTORY = "snapshots"


class ScenarioSnapshots(JSONSnapshotExtension):
    """JSON, one file a scenario and version. Only the snapshot of a scenario or version that is gone is unused.

    To syrupy a snapshot is unused when its test did not get as far as comparing it, for one because the recording has
    no answer; ``--snapshot-update`` would delete it.
    """

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        """Return where a scenario's snapshots are: not where syrupy's other extensions look for theirs."""
        scenario = Path(test_location.filepath)
        return str(scenario.parent / DIRECTORY / scenario.stem)

    def discover_snapshots(self, **terms: Any) -> SnapshotCollections:
        """Return the snapshots that may be unused."""
        unused = SnapshotCollections()
        for collection in super().discover_snapshots(**terms):
            if not _is_expected(Path(collection.location)):
                unused.add(collection)
        return unused


def _is_expected(snapshot: Path) -> bool:
    tool = snapshot.parents[2]
    if not (tool / f"{snapshot.parent.name}.yaml").is_file():
        return False
    try:
        return snapshot.stem in versions(tool.parent, tool.name)
    except ScenarioError:
        return True
