import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import Field

from sluiceway.adapters.options import Line, Options
from sluiceway.adapters.registry import find_adapter
from sluiceway.config import Config, json_schema, load_config, schema
from sluiceway.config.document import parse
from tests.fakes import FakeAdapter
from tests.test_config import ENTRY_PROBLEMS, FILE_PROBLEMS

COMMITTED = Path(__file__).parents[1] / "schema/sluiceway.schema.json"
SCHEMA = json_schema()
VALIDATOR = Draft202012Validator(SCHEMA)


def stacks(**keys: Any) -> dict[str, Any]:
    return {"stacks": [{"path": "web", "tool": "kubectl", **keys}]}


def release(**options: Any) -> dict[str, Any]:
    return {"stacks": [{"path": "web", "tool": "helm", "options": {"release": "web", "namespace": "shop", **options}}]}


GOOD: list[dict[str, Any]] = [
    {},
    {"stacks": []},
    stacks(),
    stacks(options={}),
    stacks(
        name="eu",
        id="web@eu",
        options={"context": "kind", "namespace": "shop", "prune": True, "fieldManager": "x", "concurrency": 64},
        inputs=["base/**", "*.yaml"],
        previewTimeout=1,
        deployTimeout=10080,
        drift={"enabled": True},
        envFile="web/.env",
        environment="production",
        tickers=["octocat"],
    ),
    release(chart="./"),
    release(chart="../charts/web", valuesFiles=["values.yaml", "../common.yaml"], createNamespace=True),
    release(chart="bitnami/redis", version="1.2.3"),
    release(chart="oci://registry.example.com/charts/redis", version="v1.2.3-rc.1+build.7"),
    {"stacks": [{"path": "a", "tool": "kubectl", "dependsOn": ["b"]}, {"path": "b", "tool": "kubectl"}]},
    {"ignore": ["a/*", {"glob": "b/**", "reason": "old"}], "tickers": "admin", "deploys": False},
    {"scan": {"unrelated": ["docs/**"], "logDiff": True}, "drift": {"enabled": True}},
    {"dashboard": {"showValues": ["spec.replicas", "spec.*.image"], "timeZone": "Europe/Berlin", "title": "x"}},
]

BAD: list[dict[str, Any]] = [
    {"stack": []},
    {"stacks": None},
    {"stacks": [{"path": "web"}]},
    {"stacks": [{"tool": "kubectl"}]},
    {"stacks": [{"path": "web", "tool": "kubctl"}]},
    {"stacks": [{"path": "web", "options": {}}]},
    stacks(options={"prune": "yes"}),
    stacks(options={"contxt": "x"}),
    stacks(options={"concurrency": 65}),
    stacks(options={"namespace": "Shop"}),
    stacks(options={"context": None}),
    stacks(options=True),
    release(),
    release(chart="./", version="1.2.3"),
    release(chart="bitnami/redis"),
    release(chart="bitnami/redis", version="1.x"),
    release(chart="redis", version="1.2.3"),
    release(chart="./", release="web_eu"),
    release(chart="./", valuesFiles=["a,b.yaml"]),
    release(chart="./", valuesFiles=["-"]),
    release(chart="./", prune=True),
    {"stacks": [{"path": "web", "tool": "helm"}]},
    stacks(path="/web"),
    stacks(path="a/../b"),
    stacks(path=".."),
    stacks(path="a\\b"),
    stacks(path=""),
    stacks(name="a/b"),
    stacks(name=1),
    stacks(drift=True),
    stacks(drift={"enable": True}),
    stacks(previewTimeout=0),
    stacks(previewTimeout="5"),
    stacks(inputs="x"),
    stacks(inputs=["!x"]),
    stacks(tickers=[]),
    stacks(tickers=["write"]),
    {"tickers": "everyone"},
    {"ignore": [{"glob": "a"}]},
    {"dashboard": {"showValues": ["**"]}},
    {"dashboard": {"showValues": ["*.*"]}},
    {"dashboard": {"label": "a,b"}},
    {"scan": {"unrelated": ["/x"]}},
]


def test_it_is_a_json_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_the_committed_schema_is_the_one_that_the_models_give() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == schema.schema_text(), (
        "run: sluiceway schema > schema/sluiceway.schema.json"
    )


@pytest.mark.parametrize("document", GOOD)
def test_what_is_right_for_the_schema_is_right_for_us(document: dict[str, Any], tmp_path: Path) -> None:
    assert list(VALIDATOR.iter_errors(document)) == []
    (tmp_path / "sluiceway.yaml").write_text(json.dumps(document))
    assert isinstance(load_config(tmp_path), Config)


@pytest.mark.parametrize("document", BAD)
def test_what_is_wrong_for_the_schema_is_wrong_for_us(document: dict[str, Any], tmp_path: Path) -> None:
    assert not VALIDATOR.is_valid(document)
    (tmp_path / "sluiceway.yaml").write_text(json.dumps(document))
    assert isinstance(load_config(tmp_path), tuple)


def objects(part: Any, at: str = "#") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each schema of a mapping with its keys, and where it stands."""
    if isinstance(part, dict):
        if "properties" in part and part.get("type") == "object":
            yield at, part
        for key, inner in part.items():
            yield from objects(inner, f"{at}/{key}")
    elif isinstance(part, list):
        for index, inner in enumerate(part):
            yield from objects(inner, f"{at}/{index}")


def test_every_mapping_is_strict() -> None:
    found = dict(objects(SCHEMA))
    assert {
        "#",
        "#/$defs/StackKeys",
        "#/$defs/KubectlOptions",
        "#/$defs/HelmOptions",
        "#/$defs/DashboardKeys",
    } <= found.keys()
    assert {at for at, part in found.items() if part["additionalProperties"] is not False} == set()


def test_every_key_tells_an_editor_what_it_is() -> None:
    for at, part in objects(SCHEMA):
        for key, inner in part["properties"].items():
            told = inner.get("description") or SCHEMA["$defs"][inner["$ref"].rpartition("/")[2]]["description"]
            assert told.endswith("."), f"{at} {key}"
            assert inner["title"], f"{at} {key}"


def test_every_default_is_right_for_its_own_schema() -> None:
    for _, part in objects(SCHEMA):
        for inner in part["properties"].values():
            if "default" in inner:
                Draft202012Validator({**inner, "$defs": SCHEMA["$defs"]}).validate(inner["default"])


def test_nothing_may_be_null() -> None:
    assert '"null"' not in json.dumps(SCHEMA)


class Release(Options):
    """The options of a tool that requires one."""

    release: Annotated[str, Field(description="The name of the release.")]
    notes: Line = Field(default="x", description="What to say.")


def test_another_tool_brings_its_own_options(monkeypatch: pytest.MonkeyPatch) -> None:
    class Adapter(FakeAdapter):
        def options(self) -> type[Release]:
            return Release

    monkeypatch.setattr(schema, "known_tools", lambda: ("kubectl", "release"))
    monkeypatch.setattr(schema, "find_adapter", lambda tool: Adapter() if tool == "release" else find_adapter(tool))
    validator = Draft202012Validator(json_schema())
    entry = {"path": "web", "tool": "release", "options": {"release": "web"}}
    assert validator.is_valid({"stacks": [entry, {"path": "x", "tool": "kubectl", "options": {"prune": True}}]})
    assert not validator.is_valid({"stacks": [{**entry, "options": {"prune": True}}]})
    assert not validator.is_valid({"stacks": [{"path": "web", "tool": "release"}]})
    assert not validator.is_valid({"stacks": [{**entry, "tool": "kubectl"}]})


# What the schema leaves to the check: it needs the rest of the file, or another file, or words for it.
_BEYOND = {
    "dashboard: {timeZone: CEST}",
    "dashboard: {timeZone: Europe}",
    "envFile: .",
    "envFile: a/",
    "inputs: ['a**']",
}


@pytest.mark.parametrize("text", [*(text for text, _ in FILE_PROBLEMS), *(text for text, _ in ENTRY_PROBLEMS)])
def test_an_editor_sees_each_wrong_value_that_one_key_shows(text: str) -> None:
    at_top = text in {top for top, _ in FILE_PROBLEMS}
    node, _ = parse(text if at_top else f"stacks:\n  - path: web\n    tool: kubectl\n    {text}\n")
    assert node is not None
    assert VALIDATOR.is_valid(node.data) is (text in _BEYOND)
