"""Recordings: their format, and the ``Runner`` that answers from one (``spec/recordings.md``).

A recording is a directory: ``recording.yaml`` names the commands in order and by step, each command's stdout and
stderr are files of their own, and ``files/<step>/`` holds the root as that step saw it.
"""

from sluiceway.recordings.format import Asked, RecordedCommand, RecordedStep, Recording, RecordingError
from sluiceway.recordings.paths import Places
from sluiceway.recordings.replay import Replay

__all__ = ["Asked", "Places", "RecordedCommand", "RecordedStep", "Recording", "RecordingError", "Replay"]
