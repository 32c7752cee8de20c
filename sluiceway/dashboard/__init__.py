"""The dashboard's body: one GitHub issue's text, with a row for each stack. Pure: no network, clock, environment, file.

Source: ``spec/dashboard.md``; decisions 0100 to 0103.
"""

from sluiceway.dashboard.board import Board, Recent, Root, Scanned, missing, replaced, scanned, with_recent
from sluiceway.dashboard.building import AIM, LIMIT, Built, TooLarge, build
from sluiceway.dashboard.drawing import deploying, draw, failed_why, queued
from sluiceway.dashboard.reading import is_dashboard, parse, same
from sluiceway.dashboard.rebasing import Rebased, rebased
from sluiceway.dashboard.rows import KNOWN_STATES, WORKING, DashboardRow, Deployment, FailedDeploy, cleared
from sluiceway.dashboard.settings import Settings
from sluiceway.dashboard.shards import Repeated, dump, load, merged
from sluiceway.dashboard.ticks import Edit, Tick, Ticks, ticks

__all__ = [
    "AIM",
    "KNOWN_STATES",
    "LIMIT",
    "WORKING",
    "Board",
    "Built",
    "DashboardRow",
    "Deployment",
    "Edit",
    "FailedDeploy",
    "Rebased",
    "Recent",
    "Repeated",
    "Root",
    "Scanned",
    "Settings",
    "Tick",
    "Ticks",
    "TooLarge",
    "build",
    "cleared",
    "deploying",
    "draw",
    "dump",
    "failed_why",
    "is_dashboard",
    "load",
    "merged",
    "missing",
    "parse",
    "queued",
    "rebased",
    "replaced",
    "same",
    "scanned",
    "ticks",
    "with_recent",
]
