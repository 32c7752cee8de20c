"""kubectl: a directory of manifests or a kustomization is a stack (records 0060 and 0070)."""

from sluiceway.adapters.kubectl.adapter import KubectlAdapter

adapter = KubectlAdapter()
"""What the entry point ``kubectl`` of the group ``sluiceway.adapters`` names."""
