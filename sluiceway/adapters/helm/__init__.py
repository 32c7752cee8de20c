"""Helm: a release made from a chart is a stack (record 0069)."""

from sluiceway.adapters.helm.adapter import HelmAdapter

adapter = HelmAdapter()
"""What the entry point ``helm`` of the group ``sluiceway.adapters`` names."""
