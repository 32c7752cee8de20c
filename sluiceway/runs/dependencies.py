"""What ``dependsOn`` means for the order of a run."""

from collections.abc import Sequence
from graphlib import TopologicalSorter

from sluiceway.model.order import by_code_unit
from sluiceway.model.stacks import Stack


def in_order(stacks: Sequence[Stack], known: Sequence[Stack]) -> list[Stack]:
    """Return ``stacks``, each once, behind all it depends on, through any of ``known``; else in id order."""
    wanted = {stack.id: stack for stack in stacks}
    sorter = TopologicalSorter(_graph(known, stacks))
    sorter.prepare()
    ordered: list[Stack] = []
    while sorter.is_active():
        layer = sorter.get_ready()
        ordered.extend(wanted[name] for name in by_code_unit(layer) if name in wanted)
        sorter.done(*layer)
    return ordered


def dependencies(stack: Stack, known: Sequence[Stack]) -> frozenset[str]:
    """Return the ids of all stacks that ``stack`` depends on, directly or through others."""
    graph = _graph(known, (stack,))
    found: set[str] = set()
    waiting = list(graph[stack.id])
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(graph.get(name, ()))
    return frozenset(found)


def _graph(known: Sequence[Stack], more: Sequence[Stack]) -> dict[str, tuple[str, ...]]:
    return {stack.id: stack.depends_on for stack in (*known, *more)}
