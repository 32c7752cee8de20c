"""The quick way to read a right file, against the models: it takes what they take, and reads it as they do."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, Field, WrapValidator, model_validator

from sluiceway.adapters.options import Line, Maybe, Misfits, Options, Text, Whole
from sluiceway.adapters.registry import BUILT_IN, find_adapter
from sluiceway.config import Config, load_config, rules, shapes
from sluiceway.config.checking import check
from sluiceway.config.document import Node
from sluiceway.config.findings import Position
from sluiceway.config.reading import Reading, config_by_shape
from sluiceway.config.shaping import Unshapable, shape_of, shapes_text
from tests.test_config import ENTRY_PROBLEMS, FILE_PROBLEMS

ROOT = Path(__file__).parents[2]


def slowly(data: Any) -> Reading:
    """Read a document by the models alone."""
    reading = Reading("sluiceway.yaml", Config(file="sluiceway.yaml"))
    check(reading, Node(data, Position(1, 1)), find_adapter)
    return reading


def keys(**of: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=of)


TEXTS = [
    *(
        "",
        " ",
        ".",
        "..",
        "a",
        "./a/",
        "a/",
        "a//b",
        "a/../b",
        "/a",
        "C:/x",
        "a\\b",
        "a b",
        "é",
        "b:eu",
        "kubectl",
        "helm",
    ),
    *(
        "x\n",
        "x\r",
        "a\u2028b",
        "a\x85b",
        "\ud800",
        "\x00",
        "a\x7f",
        "**",
        "a/**",
        "a**",
        "*.*",
        "*",
        "!a",
        "{a}",
        "a[0]",
    ),
    *("write", "everyone", "@x", "octo-cat", "-x", "UTC", "Europe/Berlin", "CEST", "Europe", "a,b", "spec.replicas"),
    *("x" * 51, "x" * 64, "x" * 129, "x" * 257, "A.b_c-d", "1", "true"),
]
scalars = st.sampled_from([*TEXTS, True, False, None, 0, 1, -1, 64, 65, 100, 101, 10080, 10081, 2**70, 1.0, 1e400])
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(TEXTS), inner, max_size=2)
)

Loosen = Callable[[st.SearchStrategy[Any]], st.SearchStrategy[Any]]


def documents(near: Loosen) -> st.SearchStrategy[dict[str, Any]]:
    """Return documents of which ``near`` makes each value a right one, or one that may be wrong."""

    def text(*values: str) -> st.SearchStrategy[Any]:
        return near(st.sampled_from(values))

    def texts(*values: str, least: int = 0) -> st.SearchStrategy[Any]:
        return near(st.lists(text(*values), min_size=least, max_size=3))

    def whole(least: int, most: int) -> st.SearchStrategy[Any]:
        return near(st.integers(least, most))

    flag = near(st.booleans())
    tickers = near(text("write", "maintain", "admin") | texts("octocat", "a_b", least=1))
    options = keys(
        context=text("kind", "a b"),
        namespace=text("shop", "x" * 63),
        recursive=flag,
        prune=flag,
        forceConflicts=flag,
        allowEmpty=flag,
        fieldManager=text("kubectl", "A.b_c-d"),
        concurrency=whole(1, 64),
    )
    chart = st.sampled_from([
        {"chart": "./"},
        {"chart": "../x"},
        {"chart": "a/b", "version": "1.2.3"},
        {"chart": "oci://host/x", "version": "v1.2.3-rc.1"},
    ])  # fmt: skip
    release = st.builds(
        lambda *of: {"release": of[0], "namespace": of[1], **of[2], **of[3]},
        text("web", "web.eu"),
        text("shop"),
        near(chart.map(dict)).filter(lambda drawn: isinstance(drawn, dict)),
        keys(valuesFiles=texts("values.yaml", "../x.yaml"), createNamespace=flag),
    )
    more = keys(
        id=text("web", "web@eu"),
        inputs=texts("base/**", "*.yaml", "./a/"),
        previewTimeout=whole(1, 10080),
        deployTimeout=whole(1, 10080),
        dependsOn=texts("web", "a/b:eu", "."),
        drift=near(keys(enabled=flag)),
        envFile=text("web/.env", "./.env"),
        environment=text("production", "é"),
        tickers=tickers,
        name=text("eu", "us"),
    )
    of_a_tool = st.builds(lambda given: {"tool": "kubectl", **given}, keys(options=near(options))) | st.builds(
        lambda tool, given: {"tool": tool, "options": given}, text("helm"), near(release)
    )
    stack = st.builds(lambda *of: {"path": of[0], **of[1], **of[2]}, text("a", "./a/b/", "."), of_a_tool, more)
    ignored = text("a/*", "web") | st.fixed_dictionaries({"glob": text("b/**"), "reason": text("old", "é")})
    board = keys(
        title=text("Deploys", "é"),
        label=text("x", "a b"),
        pin=flag,
        redact=flag,
        readOnly=flag,
        showValues=texts("spec.replicas", "a[*].image"),
        recentlyDeployed=whole(0, 100),
        timeZone=text("UTC", "Europe/Berlin"),
        inSyncSection=flag,
    )
    return keys(
        stacks=near(st.lists(near(stack), max_size=3)),
        drift=near(keys(enabled=flag)),
        ignore=near(st.lists(near(ignored), max_size=2)),
        deploys=flag,
        tickers=tickers,
        scan=near(keys(unrelated=texts("docs/**", "a/"), logDiff=flag)),
        dashboard=near(board),
    )


right_alone = documents(lambda right: right)
maybe_wrong = documents(lambda right: st.integers(0, 24).flatmap(lambda chance: right if chance else anything))


def agrees(data: Any) -> Config | None:
    """Read a document both ways; what the shape takes must be what the models find right, and read as the same."""
    before = repr(data)
    quick, slow = config_by_shape("sluiceway.yaml", data), slowly(data)
    assert repr(data) == before
    if slow.findings:
        assert quick is None
    else:
        assert repr(quick) == repr(slow.config)
    return quick


@given(right_alone)
def test_a_document_of_right_values_is_read_as_the_models_read_it(data: dict[str, Any]) -> None:
    agrees(data)


@given(maybe_wrong)
def test_a_document_with_wrong_values_is_left_to_the_models(data: dict[str, Any]) -> None:
    agrees(data)


@given(anything)
def test_any_document_at_all_is_taken_only_if_it_is_right(data: Any) -> None:
    agrees(data)


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_right_for_both_or_for_none(text: str) -> None:
    stack = {"path": "a", "tool": "kubectl"}
    for key in ("path", "name", "id", "tool", "envFile", "environment", "tickers"):
        agrees({"stacks": [{**stack, key: text}]})
    for key in ("inputs", "dependsOn", "tickers"):
        agrees({"stacks": [{**stack, key: [text]}, {"path": text, "tool": "kubectl"}]})
    for key in ("context", "namespace", "fieldManager"):
        agrees({"stacks": [{**stack, "options": {key: text}}]})
    options = {"release": "web", "namespace": "shop", "chart": "./"}
    for key in ("release", "chart", "version"):
        for more in ({}, {"chart": "a/b", "version": "1.2.3"}):
            agrees({"stacks": [{"path": "a", "tool": "helm", "options": {**options, **more, key: text}}]})
    agrees({"stacks": [{"path": "a", "tool": "helm", "options": {**options, "valuesFiles": [text]}}]})
    for key in ("title", "label", "timeZone"):
        agrees({"dashboard": {key: text}})
    agrees({"dashboard": {"showValues": [text]}})
    agrees({"ignore": [text, {"glob": "a", "reason": text}], "scan": {"unrelated": [text]}})


@pytest.mark.parametrize("text", [*(text for text, _ in FILE_PROBLEMS), *(text for text, _ in ENTRY_PROBLEMS)])
def test_a_wrong_file_is_told_of_by_the_models(text: str, tmp_path: Path) -> None:
    at_top = text in {top for top, _ in FILE_PROBLEMS}
    whole = text if at_top else f"stacks:\n  - path: web\n    tool: kubectl\n    {text}\n"
    (tmp_path / "sluiceway.yaml").write_text(whole, encoding="utf-8")
    told = load_config(tmp_path)
    assert isinstance(told, tuple)
    assert told == load_config(tmp_path, {"kubectl": find_adapter("kubectl")}.get)  # another finder: no shapes


@pytest.mark.parametrize(
    "stacks",
    [
        [{"path": "a", "tool": "kubectl"}, {"path": "./a", "tool": "kubectl"}],
        [{"path": "a", "tool": "kubectl", "dependsOn": ["b"]}],
        [{"path": "a", "tool": "kubectl", "dependsOn": ["a"]}],
        [{"path": "a", "tool": "kubectl", "id": "b"}, {"path": "b", "tool": "kubectl"}],
    ],
)
def test_entries_that_do_not_fit_together_are_told_of(stacks: list[Any]) -> None:
    assert slowly({"stacks": stacks}).findings
    assert agrees({"stacks": stacks}) is None


def test_the_packaged_shapes_are_the_ones_that_the_models_give() -> None:
    assert shapes.FILE.read_text(encoding="utf-8") == shapes_text(), "run: python -m sluiceway.config.shaping"
    assert json.loads(shapes_text())["options"].keys() == BUILT_IN.keys()


class Inner(Options):
    some: bool = False
    more: list[Line] = Field(default=[])


def both(given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Refuse two keys together, however right each is alone."""
    if {"maybe", "number"} <= given.keys():
        yield "number", "is one too many"


class Outer(Options):
    """Options that are nested deeper than those of any tool that comes with us yet, and have to fit together."""

    fits: ClassVar[Misfits | None] = both

    needed: Line
    inner: Inner = Inner(some=True)
    inners: list[Inner] = Field(default=[])
    maybe: Maybe[Inner] = None
    number: Annotated[int, Whole(1, 3)] = 2
    level: Literal["x", "y"] = "y"
    some: list[Line] = Field(default=["x"], min_length=1)


some = st.sampled_from(["x", " "]) | st.booleans()
inner = keys(some=st.booleans(), more=st.lists(some, max_size=1))


def same_options(data: dict[str, Any]) -> None:
    """Read options both ways: refused by both, or read as the same."""
    shape = shape_of(Outer)
    try:
        model = Outer.model_validate(data)
    except ValueError:
        with pytest.raises(ValueError, match=r"."):
            shapes._take(shape, data)
        return
    quick = shapes._without_defaults(shape, shapes._take(shape, data))
    assert repr(quick) == repr(model.model_dump(by_alias=True, exclude_defaults=True))


@pytest.mark.parametrize("key", ["level", "some", "number", "inner", "inners", "maybe", "needed", "other"])
@pytest.mark.parametrize("value", ["x", "z", " ", [], [" "], 0, 3, 4, {"some": 1}, [{"more": [" "]}], None, True])
def test_one_option_is_right_for_both_or_for_none(key: str, value: Any) -> None:
    same_options({"needed": "x", key: value})


def test_options_that_do_not_fit_together_are_right_for_none() -> None:
    for data in ({"maybe": {}}, {"number": 1}):
        assert shapes._take(shape_of(Outer), {"needed": "x", **data})
    same_options({"needed": "x", "maybe": {}, "number": 1})
    with pytest.raises(ValueError, match="fit together"):
        shapes._take(shape_of(Outer), {"needed": "x", "maybe": {}, "number": 1})


@given(
    keys(
        needed=some,
        inner=inner,
        inners=st.lists(inner, max_size=2),
        maybe=inner,
        number=st.integers(0, 4),
        level=some,
        some=st.lists(some, max_size=1),
    )
)
def test_options_keep_what_is_not_as_by_default(data: dict[str, Any]) -> None:
    same_options(data)


class Paired(Options):
    one: bool = False

    @model_validator(mode="after")
    def _two(self) -> "Paired":
        return self


class Wrapped(Options):
    one: Annotated[str, WrapValidator(lambda value, handler: handler(value))] = ""


class Nameless(Options):
    one: Annotated[str, AfterValidator(lambda value: value)] = ""


class Twice(Options):
    one: Annotated[str, Text(rules.path, "x"), AfterValidator(rules.label)] = ""


class Longest(Options):
    one: str = Field(default="", max_length=3)


class Either(Options):
    one: str | int = ""


class Named(Options):
    one: dict[str, str] = Field(default={})


class Made(Options):
    one: list[str] = Field(default_factory=list)


class Namelessly(Options):
    fits: ClassVar[Misfits | None] = lambda _given: ()

    one: bool = False


@pytest.mark.parametrize("model", [Namelessly, Paired, Wrapped, Nameless, Twice, Longest, Either, Named, Made])
def test_a_model_that_checks_more_than_a_shape_can_say_gets_no_shape(model: type[Options]) -> None:
    with pytest.raises(Unshapable):
        shape_of(model)


@pytest.mark.parametrize(
    ("run", "code"),
    [
        ("check.run(settings, output)", 0),
        ("stacks.run(settings, output)", 0),
        ("preview.run(settings, output, [], drift=False, exit_code=False)", 1),  # without kubectl and helm
    ],
)
def test_a_right_file_needs_no_pydantic(run: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    (tmp_path / "app" / "Chart.yaml").write_text("apiVersion: v2\nname: app\nversion: 0.1.0\n")
    (tmp_path / "sluiceway.yaml").write_text(
        "stacks:\n- {path: app, tool: kubectl, options: {prune: true, namespace: shop}, inputs: [b/**]}\n"
        "- {path: app, name: b, tool: helm, options: {release: b, namespace: shop, chart: ./, valuesFiles: [a.yaml]}}\n"
        "- {path: app, name: c, tool: helm, options: {release: c, namespace: shop, chart: a/b, version: 1.2.3}}\n"
    )
    # Called as the command line does, but without typer, some versions of which import pydantic for themselves.
    program = (
        "import sys\n"
        "from sluiceway.commands import check, conclusion, preview, stacks\n"
        "from sluiceway.commands.settings import Settings\n"
        "settings = Settings()\n"
        f"code = conclusion.concluded(settings, lambda output: {run})\n"
        "print(code, 'pydantic' in sys.modules, file=sys.stderr)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert ended.stderr.splitlines()[-1] == f"{code} False", ended.stderr
