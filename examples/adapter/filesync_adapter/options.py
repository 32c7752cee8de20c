"""What ``options`` of a stack with ``tool: filesync`` may hold."""

from pydantic import Field

from sluiceway.adapters.options import Line, Options


class FilesyncOptions(Options):
    """One stack: a directory, and where its files go."""

    target: Line = Field(description="The directory that is made like the stack's, relative to the root of the repo.")
