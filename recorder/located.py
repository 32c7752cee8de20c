"""YAML that knows its lines: what a scenario file is read with, so that every error names its place."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import yaml


class ScenarioError(Exception):
    """A scenario that can't be read or played. The text says where and what, and holds no value of a manifest."""


@dataclass(frozen=True, slots=True)
class Located:
    """One node of a YAML file, read on demand; each reader raises :class:`ScenarioError` with ``file:line``."""

    node: yaml.Node
    file: Path

    @classmethod
    def load(cls, file: Path) -> "Located":
        """Read ``file``, which must hold one document."""
        try:
            node = yaml.compose(file.read_text("utf-8"), Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            raise ScenarioError(f"{file}:{line}: {error.problem}") from None
        except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
            raise ScenarioError(f"{file}: can't be read ({type(error).__name__})") from None
        if node is None:
            raise ScenarioError(f"{file}: is empty")
        return cls(node, file)

    def fail(self, problem: str) -> NoReturn:
        """Raise ``problem`` at this node."""
        raise ScenarioError(f"{self.file}:{self.node.start_mark.line + 1}: {problem}")

    def mapping(self, known: Collection[str], *, required: Collection[str] = ()) -> dict[str, "Located"]:
        """Return the node's keys and values; a key that is not ``known``, or stands twice, is an error."""
        if not isinstance(self.node, yaml.MappingNode):
            self.fail("a mapping is expected")
        result: dict[str, Located] = {}
        for key_node, value in self.node.value:
            key = Located(key_node, self.file)
            name = key.text()
            if name not in known:
                key.fail(f"unknown key {name!r}; known here: {', '.join(known)}")
            if name in result:
                key.fail(f"the key {name!r} stands twice")
            result[name] = Located(value, self.file)
        for name in required:
            if name not in result:
                self.fail(f"the key {name!r} is missing")
        return result

    def keys(self) -> list[str]:
        """Return the keys of a mapping, in the order they are written."""
        if not isinstance(self.node, yaml.MappingNode):
            self.fail("a mapping is expected")
        return [Located(key, self.file).text() for key, _ in self.node.value]

    def items(self) -> list["Located"]:
        """Return the items of a list."""
        if not isinstance(self.node, yaml.SequenceNode):
            self.fail("a list is expected")
        return [Located(item, self.file) for item in self.node.value]

    def text(self) -> str:
        """Return a scalar as it is written."""
        if not isinstance(self.node, yaml.ScalarNode) or self.node.tag == "tag:yaml.org,2002:null":
            self.fail("a text is expected")
        return str(self.node.value)

    def texts(self) -> tuple[str, ...]:
        """Return a list of scalars as they are written."""
        return tuple(item.text() for item in self.items())

    def one_of(self, choices: Collection[str]) -> str:
        """Return a scalar that must be one of ``choices``."""
        text = self.text()
        if text not in choices:
            self.fail(f"one of {', '.join(choices)} is expected")
        return text

    def plain(self) -> Any:
        """Return the node as plain data."""
        loader = yaml.SafeLoader("")
        try:
            return loader.construct_document(self.node)
        finally:
            loader.dispose()
