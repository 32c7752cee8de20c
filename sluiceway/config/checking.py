"""Checking ``sluiceway.yaml`` step by step, as far as it can be read, for everything that is wrong with it.

A problem in one place hides none in another: what is right is read on. Source: ``spec/core.md``, ``sluiceway.yaml``.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from sluiceway.adapters.registry import known_tools
from sluiceway.config.complaints import findings_of, keys_of
from sluiceway.config.document import Node
from sluiceway.config.entries import Draft, check_dependencies, check_unique, drafts_of
from sluiceway.config.findings import nearest, printable
from sluiceway.config.keys import FileKeys, StackKeys
from sluiceway.config.reading import Find, Part, Reading
from sluiceway.config.settings import config_from, entry_from
from sluiceway.model.paths import Path
from sluiceway.model.stacks import Stack

Model = TypeVar("Model", bound=BaseModel)


def check(reading: Reading, root: Node, find: Find) -> None:
    """Add all that is wrong with the file to ``reading``, and fill in its config with all that is right.

    ``root`` is the file's document, ``find`` gives the adapter of a tool.
    """
    if not isinstance(root.data, dict):
        reading.add((), f"expected a mapping. Known keys: {', '.join(keys_of(FileKeys))}")
        return
    keys = _validated(reading, root, FileKeys, root.data, ())
    stacks = root.data.get("stacks")
    stacks = stacks if isinstance(stacks, list) else []
    options = _options(reading, root, stacks, find)
    # Of a file with too many problems, some that are not told are left among those.
    right = {"ignore": _right_globs(root.data.get("ignore"), _wrong_paths(reading))}
    ignoring = keys or _alone(FileKeys, right) or FileKeys()
    for_all = ignoring.model_dump(by_alias=True)
    drafts = _check_together(reading, stacks, config_from(reading.file, for_all, ()).ignores)
    wrong = _wrong_paths(reading)
    reading.parts = _parts(reading, stacks, drafts, wrong)
    models = keys.stacks if keys else [_alone(StackKeys, entry) for entry in stacks]
    entries = [
        entry_from(index, model.model_dump(by_alias=True), options[index], for_all)
        for index, model in enumerate(models)
        if model and ("stacks", index) not in wrong
    ]
    reading.config = config_from(reading.file, for_all, tuple(entries))


def _validated(reading: Reading, root: Node, model: type[Model], data: Any, at: Path) -> Model | None:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        reading.findings += findings_of(error, model, root, at)
        return None


def _alone(model: type[Model], data: Any) -> Model | None:
    try:
        return model.model_validate(data)
    except ValidationError:
        return None


def _wrong_paths(reading: Reading) -> set[Path]:
    """Return the path of each finding, and of all that holds it."""
    return {finding.path[:length] for finding in reading.findings for length in range(len(finding.path) + 1)}


def _right_globs(ignore: Any, wrong: set[Path]) -> list[Any]:
    items = ignore if isinstance(ignore, list) else []
    return [item for index, item in enumerate(items) if ("ignore", index) not in wrong]


def _options(reading: Reading, root: Node, stacks: list[Any], find: Find) -> list[dict[str, Any]]:
    """Return the options of each entry as its tool's model has them, what is as by default left out."""
    models: dict[str, type[BaseModel] | None] = {}
    result: list[dict[str, Any]] = []
    for index, entry in enumerate(stacks):
        given = _given_options(reading, index, entry, models, find)
        options = _validated(reading, root, given[0], given[1], ("stacks", index, "options")) if given else None
        result.append(options.model_dump(by_alias=True, exclude_defaults=True) if options else {})
    return result


def _given_options(
    reading: Reading, index: int, entry: Any, models: dict[str, type[BaseModel] | None], find: Find
) -> tuple[type[BaseModel], dict[str, Any]] | None:
    """Return the model of an entry's options and what it gives for them; None when one of them can't be told."""
    if not isinstance(entry, dict):
        return None
    at = ("stacks", index)
    tool, options = entry.get("tool"), entry.get("options", {})
    if "options" in entry and "tool" not in entry:
        reading.add((*at, "options"), "options are a tool's: they need `tool` beside them")
    if not isinstance(tool, str):
        return None
    if tool not in models:
        adapter = find(tool)
        models[tool] = adapter.options() if adapter else None
    model = models[tool]
    if model is None:
        reading.add((*at, "tool"), _unknown_tool(tool))
        return None
    _point_to_options(reading, at, entry, keys_of(model))
    return (model, options) if isinstance(options, dict) else None


def _unknown_tool(tool: str) -> str:
    known = known_tools()
    near = nearest(tool, list(known))
    meant = f"; did you mean `{near}`?" if near else "."
    return f"no tool has the name `{printable(tool)}`{meant} Known tools: {', '.join(known)}"


def _point_to_options(reading: Reading, at: Path, entry: dict[str, Any], options: list[str]) -> None:
    """Say of an option that stands beside ``options`` where it belongs: the likeliest slip in this file."""
    slips = {(*at, key) for key in entry if key in options and key not in keys_of(StackKeys)}
    for place, finding in enumerate(reading.findings if slips else []):
        if finding.path in slips:
            problem = f"is an option of the tool: write it under `options` as `options: {{{finding.path[-1]}: …}}`"
            reading.findings[place] = finding._replace(problem=problem)


def _parts(reading: Reading, stacks: list[Any], drafts: list[Draft], wrong: set[Path]) -> list[Part]:
    """Return what is right of each entry that something is wrong with, where it can be told which stack it is."""
    told = {finding.path for finding in reading.findings}
    hurt = [
        draft for draft in drafts if draft.at in wrong and draft.at not in told and (*draft.at, "tool") not in wrong
    ]
    return [
        _part(stacks[draft.index], draft, Stack(draft.id, draft.place[0], stacks[draft.index]["tool"]), wrong)
        for draft in hurt
        if draft.id is not None and draft.place is not None
    ]


def _part(entry: dict[str, Any], draft: Draft, stack: Stack, wrong: set[Path]) -> Part:
    options, env_file = entry.get("options"), entry.get("envFile")
    given, moved = _right_options(options if isinstance(options, dict) else {}, (*draft.at, "options"), wrong)
    right_env_file = None if (*draft.at, "envFile") in wrong else env_file
    return Part(draft.index, replace(stack, options=given, env_file=right_env_file), moved)


def _right_options(options: dict[str, Any], at: Path, wrong: set[Path]) -> tuple[dict[str, Any], dict[Path, Path]]:
    """Return the options without what is wrong, and where each item of a list stands that lost some."""
    right: dict[str, Any] = {}
    moved: dict[Path, Path] = {}
    for key, value in options.items():
        if (*at, key) not in wrong:
            right[key] = value
        elif isinstance(value, list) and any((*at, key, index) in wrong for index in range(len(value))):
            kept = [index for index in range(len(value)) if (*at, key, index) not in wrong]
            right[key] = [value[index] for index in kept]
            moved.update({("options", key, place): ("options", key, index) for place, index in enumerate(kept)})
    return right, moved


def _check_together(reading: Reading, stacks: list[Any], ignores: Callable[[str], bool]) -> list[Draft]:
    wrong = _wrong_paths(reading)
    drafts = drafts_of(stacks, wrong.__contains__)
    all_known = len(drafts) == len(stacks) and all(draft.id for draft in drafts)
    told = [
        *check_unique(drafts, lambda path: reading.position(path).line),
        *check_dependencies(drafts, ignores, all_known=all_known),
    ]
    for path, problem in told:
        reading.add(path, problem)
    return drafts
