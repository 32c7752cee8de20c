"""``sluiceway.yaml`` with Helm stacks, read as ``sluiceway check`` reads it."""

from pathlib import Path

import pytest

from sluiceway.adapters.registry import find_adapter
from sluiceway.cli import run
from sluiceway.discovery import Discovered, discover
from sluiceway.model.stacks import Stack

RELEASE = (
    "expected at most 53 lower-case letters, digits, `-` and `.`, a letter or digit first and last and around each `.`"
)
EXACT = "expected one exact version, such as `1.2.3` or `1.2.3-rc.1`: no range, no `latest`"
NO_VERSION = "a chart of this repo is deployed as it stands here: leave `version` out"
UNKNOWN = (
    "unknown key; did you mean `createNamespace`? "
    "Known here: release, namespace, chart, version, valuesFiles, createNamespace"
)
NEEDS_VERSION = "is required for a chart that is not of this repo: write one exact version"
THERE_TOO = (
    "charts/api stands in the stack's directory too, and helm would take that: write `./charts/api` and no version "
    "for it, or rename it"
)
NEEDS_CHART = (
    "is required: the chart: `./path` or `../path` for one of this repo, relative to the stack's directory, else "
    "`repo/name` or `oci://host/path`"
)
BESIDE = "is an option of the tool: write it under `options` as `options: {chart: …}`"


def write(root: Path, files: dict[str, str]) -> None:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)


def told(root: Path) -> list[str]:
    problems = discover(root, find_adapter)
    assert isinstance(problems, tuple), problems
    return [f"{problem.file}:{problem.line} {problem.key}: {problem.problem}" for problem in problems]


WRONG = """\
stacks:
  - path: web
    tool: helm
    options:
      release: Web_
      namespace: shop
      chart: ./
      version: ">=1.2"
      valuesFiles:
        - values.yaml
        - "a,b.yaml"
        - gone.yaml
        - ../../outside.yaml
        - list.yaml
      createNamespce: true
    previewTimeout: 0
  - path: worker
    tool: helm
    options:
      release: worker..eu
      chart: ../../outside
      version: 1.2.3
      valuesFiles: [gone.yaml]
  - {path: db, tool: helm, options: {release: db, namespace: shop, chart: bitnami/redis}}
  - {path: api, tool: helm, options: {release: api, namespace: shop, chart: charts/api, version: 1.x}}
  - {path: odd, tool: helm}
  - {path: odd, name: b, tool: helm, options: {release: b, namespace: shop, chart: ../empty}}
"""


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    chart = "apiVersion: v2\nname: x\nversion: 0.1.0\n"
    write(
        root,
        {
            "sluiceway.yaml": WRONG,
            "web/Chart.yaml": "apiVersion: v2\nname: [web\nversion: 1\n",
            "web/values.yaml": "# nothing\n",
            "web/list.yaml": "---\n- a\n",
            "worker/README.md": "",
            "db/README.md": "",
            "api/charts/api/Chart.yaml": chart,
            "odd/README.md": "",
            "empty/README.md": "",
            "../outside/Chart.yaml": chart,
            "../outside.yaml": "a: 1\n",
        },
    )
    return root


def test_everything_that_is_wrong_is_told_at_once(wrong: Path) -> None:
    assert told(wrong) == [
        f"sluiceway.yaml:5 stacks[0].options.release: {RELEASE}",
        "web/Chart.yaml:3 stacks[0].options.chart: can't be read as YAML",
        f"sluiceway.yaml:8 stacks[0].options.version: {EXACT}",
        f"sluiceway.yaml:8 stacks[0].options.version: {NO_VERSION}",
        "sluiceway.yaml:11 stacks[0].options.valuesFiles[1]: holds `,`, at which helm splits the flag: rename the file",
        "sluiceway.yaml:12 stacks[0].options.valuesFiles[2]: there is no such file: mend the path, or write it",
        "sluiceway.yaml:13 stacks[0].options.valuesFiles[3]: leads out of the repo: name one in it",
        "web/list.yaml:2 stacks[0].options.valuesFiles[4]: holds no mapping: write keys with their values",
        f"sluiceway.yaml:15 stacks[0].options.createNamespce: {UNKNOWN}",
        "sluiceway.yaml:16 stacks[0].previewTimeout: expected a whole number from 1 to 10080, found another number",
        "sluiceway.yaml:19 stacks[1].options.namespace: is required: the namespace of the release (`--namespace`)",
        f"sluiceway.yaml:20 stacks[1].options.release: {RELEASE}",
        "sluiceway.yaml:21 stacks[1].options.chart: leads out of the repo: name one in it",
        f"sluiceway.yaml:22 stacks[1].options.version: {NO_VERSION}",
        "sluiceway.yaml:23 stacks[1].options.valuesFiles[0]: there is no such file: mend the path, or write it",
        f"sluiceway.yaml:24 stacks[2].options.version: {NEEDS_VERSION}",
        f"sluiceway.yaml:25 stacks[3].options.chart: {THERE_TOO}",
        f"sluiceway.yaml:25 stacks[3].options.version: {EXACT}",
        "sluiceway.yaml:26 stacks[4].options.release: is required: the name of the release",
        "sluiceway.yaml:26 stacks[4].options.namespace: is required: the namespace of the release (`--namespace`)",
        f"sluiceway.yaml:26 stacks[4].options.chart: {NEEDS_CHART}",
        "sluiceway.yaml:27 stacks[5].options.chart: is no chart, for it holds no Chart.yaml: name the directory of one",
    ]


def test_check_prints_them(wrong: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--root", str(wrong)]) == 2
    printed = capsys.readouterr().out.splitlines()
    assert printed == [line.replace(" ", ": error: ", 1) for line in told(wrong)]


def test_an_option_beside_the_options_is_told_where_it_belongs(tmp_path: Path) -> None:
    text = "stacks:\n  - path: web\n    tool: helm\n    chart: ./\n    options: {release: web, namespace: shop}\n"
    write(tmp_path, {"sluiceway.yaml": text, "web/x": ""})
    assert told(tmp_path) == [
        f"sluiceway.yaml:4 stacks[0].chart: {BESIDE}",
        f"sluiceway.yaml:5 stacks[0].options.chart: {NEEDS_CHART}",
    ]


def test_a_right_file(tmp_path: Path) -> None:
    text = (
        "stacks:\n"
        "- {path: web, tool: helm, options: {release: web, namespace: shop, chart: ./, valuesFiles: [../a.yaml]}}\n"
        "- {path: db, tool: helm, options: {release: db, namespace: shop, chart: a/b, version: 1.2.3}}\n"
    )
    write(
        tmp_path, {"sluiceway.yaml": text, "web/Chart.yaml": "name: web\n", "a.yaml": "a: 1\n", "db/values.yaml": "["}
    )
    found = discover(tmp_path, find_adapter)
    assert isinstance(found, Discovered), found
    assert found.stacks == (
        Stack("db", "db", "helm", {"release": "db", "namespace": "shop", "chart": "a/b", "version": "1.2.3"}),
        Stack(
            "web",
            "web",
            "helm",
            {"release": "web", "namespace": "shop", "chart": "./", "valuesFiles": ["../a.yaml"]},
        ),
    )
