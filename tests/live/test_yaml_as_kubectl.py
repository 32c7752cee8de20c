"""Asks the real kubectl of both versions what the pinned table of ``tests/adapters/kubectl/yaml_table.py`` says."""

import json
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from recorder import tools
from recorder.clusters.base import MINORS
from recorder.tools import MissingToolError
from sluiceway.adapters.kubernetes import goyaml
from sluiceway.adapters.kubernetes.goscalars import JSON
from tests.adapters.kubectl import yaml_table as table
from tests.adapters.kubectl.strategies import HOSTILE_TEXTS

pytestmark = pytest.mark.live


HEAD = "apiVersion: example.com/v1\nkind: Asked\nmetadata: {name: asked}\nitem:\n"


class Kubectl:
    """One kubectl, asked what it reads in a file; it reaches no cluster."""

    def __init__(self, path: Path, room: Path) -> None:
        self._path = path
        self._file = room / "asked.yaml"

    def ask(self, lines: Iterable[str]) -> list[Any] | None:
        """Return the items of a list written one a line, or None when kubectl refuses the file."""
        answer = self._answer(HEAD + "".join(f"- {line}\n" for line in lines), "json")
        return None if answer is None else items_of(JSON.decode(answer))

    def prints(self, items: list[Any]) -> str:
        """Return what kubectl prints as YAML for a list."""
        answer = self._answer(json.dumps({**goyaml.load(HEAD), "item": items}), "yaml")
        assert answer is not None
        return answer

    def _answer(self, content: str, form: str) -> str | None:
        self._file.write_text(content, encoding="utf-8", newline="")
        answer = subprocess.run(
            [self._path, "annotate", "--local", "-f", self._file, "asked=true", f"--output={form}"],
            env={"HOME": str(self._file.parent), "KUBECONFIG": os.devnull, "KUBERC": "off"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
        return answer.stdout.decode("utf-8") if answer.returncode == 0 else None


def items_of(tree: Any) -> list[Any]:
    items = tree["item"]
    assert isinstance(items, list)
    return items


@pytest.fixture(scope="module", params=MINORS)
def kubectl(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Kubectl:
    try:
        path = tools.need("kubectl", request.param).path
    except MissingToolError as missing:
        pytest.fail(str(missing))
    return Kubectl(path, tmp_path_factory.mktemp("yaml"))


def written(tree: Any) -> str:
    return json.dumps(tree, default=str, ensure_ascii=False)


def test_kubectl_reads_every_value_of_the_table_as_it_is_pinned(kubectl: Kubectl) -> None:
    answers = kubectl.ask(f"value: {text}" for text in table.VALUES)
    assert answers is not None
    assert {text: (type(a["value"]), written(a["value"])) for text, a in zip(table.VALUES, answers, strict=True)} == {
        text: (type(value), written(value)) for text, value in table.VALUES.items()
    }


def test_kubectl_reads_every_key_of_the_table_as_it_is_pinned(kubectl: Kubectl) -> None:
    answers = kubectl.ask(f"{text} : x" for text in table.KEYS)
    assert answers is not None
    assert {text: list(answer) for text, answer in zip(table.KEYS, answers, strict=True)} == {
        text: [key] for text, key in table.KEYS.items()
    }


def test_kubectl_refuses_what_is_pinned_as_refused(kubectl: Kubectl) -> None:
    refused = [*table.REFUSED, *table.REFUSED_BY_KUBECTL]
    assert [text for text in refused if kubectl.ask([f"value: {text}"]) is not None] == []


def test_kubectl_takes_a_comma_right_behind_a_tag_into_the_tag(kubectl: Kubectl) -> None:
    answers = kubectl.ask(f"value: {text}" for text in table.REFUSED_HERE)
    assert answers is not None
    assert all(len(answer["value"]) == 1 for answer in answers)


def test_kubectl_rounds_what_is_past_64_bits(kubectl: Kubectl) -> None:
    answers = kubectl.ask(f"value: {text}" for text in table.PAST_INT64)
    assert answers is not None
    assert [float(answer["value"]) for answer in answers] == [float(value) for value in table.PAST_INT64.values()]


def test_kubectl_keeps_one_of_two_keys_that_are_one_text(kubectl: Kubectl) -> None:
    answers = kubectl.ask(f"value: {text}" for text in table.BY_CHANCE)
    assert answers is not None
    assert all(len(answer["value"]) == 1 for answer in answers)


def test_what_kubectl_prints_reads_back(kubectl: Kubectl) -> None:
    texts = [text for text in HOSTILE_TEXTS if "\x85" not in text]  # kubectl loses a NEL itself: it prints a space
    values = [{"value": text} for text in texts]
    as_keys = [{text: [{text: 1}]} for text in texts]
    items = [*values, *as_keys, {"number": 1.5e300}, {"number": 2**62}, {"a": [[], {}, [[None]], True]}]
    read = goyaml.load(kubectl.prints(items), refuse_tags=True, alone=True)
    assert [written(item) for item in items_of(read)] == [written(item) for item in JSON.decode(json.dumps(items))]
