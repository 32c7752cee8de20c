"""The one port to GitHub (``spec/dashboard.md``).

:func:`connect` gives a :class:`GitHub`, each operation of which returns a value or a :class:`Problem`. The client
library (record 0104) is loaded by ``connect`` alone.
"""

from sluiceway.github.port import GitHub, connect
from sluiceway.github.problems import Denied, Invalid, Missing, NotFound, Outdated, Problem, Unreachable
from sluiceway.github.values import (
    GHOST,
    Actor,
    Comment,
    Comparison,
    Deployment,
    Edit,
    History,
    Issue,
    Job,
    Kind,
    Permission,
    Record,
    Repository,
    Role,
    Run,
    State,
    Status,
)

__all__ = [
    "GHOST",
    "Actor",
    "Comment",
    "Comparison",
    "Denied",
    "Deployment",
    "Edit",
    "GitHub",
    "History",
    "Invalid",
    "Issue",
    "Job",
    "Kind",
    "Missing",
    "NotFound",
    "Outdated",
    "Permission",
    "Problem",
    "Record",
    "Repository",
    "Role",
    "Run",
    "State",
    "Status",
    "Unreachable",
    "connect",
]
