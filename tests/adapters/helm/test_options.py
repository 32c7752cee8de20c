from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from sluiceway.adapters.helm.options import HelmOptions

LOCAL = {"release": "web", "namespace": "shop", "chart": "./"}
REMOTE = {"release": "web", "namespace": "shop", "chart": "bitnami/redis", "version": "1.2.3"}
VALIDATOR = Draft202012Validator(HelmOptions.model_json_schema())


def written(data: dict[str, Any]) -> dict[str, Any]:
    """Return the options as a stack holds them."""
    return HelmOptions.model_validate(data).model_dump(by_alias=True, exclude_defaults=True)


def told(data: Any) -> list[tuple[str, str]]:
    """Return what is wrong with the options: the key of each problem, and its words."""
    with pytest.raises(ValidationError) as raised:
        HelmOptions.model_validate(data)
    return [
        (".".join(map(str, error["loc"])), str(error.get("ctx", {}).get("error", error["type"])))
        for error in raised.value.errors()
    ]


@pytest.mark.parametrize(
    "options",
    [
        LOCAL,
        REMOTE,
        {**LOCAL, "valuesFiles": ["values.yaml", "../common.yaml"], "createNamespace": True},
    ],
)
def test_options_keep_the_spelling_of_the_records(options: dict[str, Any]) -> None:
    assert written(options) == options
    assert VALIDATOR.is_valid(options)


def test_an_option_set_to_its_default_is_as_if_it_was_not_there() -> None:
    assert written({**LOCAL, "valuesFiles": [], "createNamespace": False}) == LOCAL


@pytest.mark.parametrize("release", ["a", "1", "a.b", "a-b", "a--b", "1.2", "a.b-c", "a" * 53])
def test_a_release_that_helm_takes(release: str) -> None:
    assert written({**LOCAL, "release": release})["release"] == release


# Tried with helm v3.18.0 and v4.3.0, which refuse each of them.
@pytest.mark.parametrize(
    "release",
    ["", "a..b", "a.-b", "a-.b", "a-", "-a", "a.", ".a", "A", "a_b", "a b", "é", "a\n", "--x", "a" * 54, 1, None],
)
def test_a_release_that_helm_refuses(release: object) -> None:
    assert [key for key, _ in told({**LOCAL, "release": release})] == ["release"]
    assert release == "a\n" or not VALIDATOR.is_valid({**LOCAL, "release": release})


@pytest.mark.parametrize("chart", [".", "..", "./", "./chart", "../charts/web", "./a b", "./a/../b", "./é", "./a..b"])
def test_a_local_chart(chart: str) -> None:
    assert written({**LOCAL, "chart": chart})["chart"] == chart
    assert VALIDATOR.is_valid({**LOCAL, "chart": chart})


@pytest.mark.parametrize(
    "chart",
    [
        "bitnami/redis",
        "my_repo/Chart.x-y_z",
        "oci://registry.example.com/charts/redis",
        "oci://localhost:5000/a",
        f"oci://registry.example.com/charts/redis@sha256:{'0a' * 32}",
    ],
)
def test_a_reference(chart: str) -> None:
    assert written({**REMOTE, "chart": chart})["chart"] == chart
    assert VALIDATOR.is_valid({**REMOTE, "chart": chart})


CHART = "expected `./path` or `../path` for a chart of this repo, or `repo/name` or `oci://host/path` for any other"


@pytest.mark.parametrize(
    ("chart", "expected"),
    [
        ("", "is empty: write it, or leave it out"),
        ("redis", CHART),
        ("a/b/c", CHART),
        ("-a/b", CHART),
        ("a/-b", CHART),
        ("a/..", CHART),
        ("~/chart", CHART),
        (".hidden/chart", CHART),
        ("...", CHART),
        ("file://../chart", CHART),
        ("oci://host", CHART),
        ("oci://host/Charts", CHART),
        ("oci://user:password@host/chart", CHART),
        ("oci://host/chart@sha256:0a", CHART),
        ("OCI://host/chart", CHART),
        ("oci://host/chart:1.2.3", "holds a tag: write the version as `version`"),
        ("https://example.com/x.tgz", "is a URL: let `helm repo add` name its repository, and write `repo/name`"),
        ("/chart", "is absolute: write a chart of this repo as `./path`, relative to the stack's directory"),
        ("./a\\b", "holds a backslash: write forward slashes"),
        ("./a ", "ends in white space, which helm drops: take it out"),
        ("./a\x00", "holds a line break or another character that can't be seen: take it out"),
        ("a/b\n", "holds a line break or another character that can't be seen: take it out"),
    ],
)
def test_no_chart(chart: str, expected: str) -> None:
    assert told({**LOCAL, "chart": chart}) == [("chart", expected)]
    assert chart in {"a/b\n", "./a "} or not VALIDATOR.is_valid({**REMOTE, "chart": chart})


@pytest.mark.parametrize(
    "version", ["1.2.3", "v1.2.3", "0.0.0", "1.2.3-rc.1", "1.2.3-0a.x-y", "1.2.3+build.01", "1.2.3-a+b", "10.20.30"]
)
def test_an_exact_version(version: str) -> None:
    assert written({**REMOTE, "version": version})["version"] == version
    assert VALIDATOR.is_valid({**REMOTE, "version": version})


@pytest.mark.parametrize(
    "version",
    [
        *("", "latest", "1", "1.2", "1.x", "1.2.x", "1.2.*", "*", ">=1.2.3", "=1.2.3", "^1.2.3", "~1.2.3"),
        *("1.2.3 - 2.0.0", "1.2.3 || 1.2.4", "1.2.3,1.2.4", " 1.2.3", "1.2.3 ", "1.2.3\n", "01.2.3", "1.2.3-01"),
        *("V1.2.3", "1.2.3-", "1.2.3+", "1.2.3.4", "-1.2.3", "1.2.3-a..b"),
    ],
)
def test_no_exact_version(version: str) -> None:
    expected = "expected one exact version, such as `1.2.3` or `1.2.3-rc.1`: no range, no `latest`"
    assert told({**REMOTE, "version": version}) == [("version", expected)]
    assert version == "1.2.3\n" or not VALIDATOR.is_valid({**REMOTE, "version": version})


LOCAL_VERSION = ("version", "a chart of this repo is deployed as it stands here: leave `version` out")


def test_a_reference_needs_a_version_and_a_local_chart_has_none() -> None:
    no_version = {key: value for key, value in REMOTE.items() if key != "version"}
    assert told(no_version) == [
        ("version", "is required for a chart that is not of this repo: write one exact version")
    ]
    assert told({**LOCAL, "version": "1.2.3"}) == [LOCAL_VERSION]
    assert not VALIDATOR.is_valid(no_version)
    assert not VALIDATOR.is_valid({**LOCAL, "version": "1.2.3"})


def test_what_does_not_fit_together_hides_no_wrong_key_and_no_wrong_key_hides_it() -> None:
    options = {"release": "A", "namespace": "B", "chart": "../x", "version": "1.x", "valuesFiles": ["a", "-"], "no": 1}
    problems = told(options)
    assert [key for key, _ in problems] == ["release", "namespace", "version", "valuesFiles.1", "no", "version"]
    assert problems[-1] == LOCAL_VERSION
    assert [key for key, _ in told({"chart": "a/b"})] == ["release", "namespace", "version"]


@pytest.mark.parametrize("chart", ["redis", "/x", 1, None, ["./x"]])
def test_of_a_chart_that_is_none_nothing_is_said_of_its_version(chart: object) -> None:
    assert [key for key, _ in told({**LOCAL, "chart": chart})] == ["chart"]
    assert [key for key, _ in told({**REMOTE, "chart": chart})] == ["chart"]


@pytest.mark.parametrize("options", [None, [], "x", 1])
def test_options_that_are_no_mapping(options: object) -> None:
    assert [key for key, _ in told(options)] == [""]


# Tried with helm v3.18.0 and v4.3.0, which read each of them.
@pytest.mark.parametrize(
    "file",
    [
        *("values.yaml", "./values.yaml", "../common.yaml", "a b.yaml", "a'b.yaml", "a%20b.yaml", "a?b#c.yaml"),
        *("~x.yaml", "$HOME.yaml", "[x]{y}*.yaml", "é.yaml", "a=b.yaml", "=x", "@x.yaml", "a//b.yaml", "a/b:c.yaml"),
        *(" a.yaml", "x"),
    ],
)
def test_a_values_file(file: str) -> None:
    assert written({**LOCAL, "valuesFiles": [file]})["valuesFiles"] == [file]
    assert VALIDATOR.is_valid({**LOCAL, "valuesFiles": [file]})


URL = "holds a `:`, so that helm takes it for a URL: name a file of this repo, without a `:`"
UNSEEN = "holds a line break or another character that can't be seen: take it out"
STDIN = "is `-`, which helm takes for its standard input: name a file"


# Tried with both: each is read as something else, or as nothing.
@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("", "is empty: write it, or leave it out"),
        ("-", STDIN),
        (" - ", STDIN),
        ("--set=a=b", "starts with `-`, as a flag does: write it with `./` before it"),
        ("/etc/values.yaml", "is absolute: write it relative to the stack's directory"),
        ("https://example.com/values.yaml", URL),
        ("http:b.yaml", URL),
        ("oci:b.yaml", URL),
        ("secrets://values.yaml", URL),
        ("1:b.yaml", URL),
        (":b.yaml", URL),
        ("a,b.yaml", "holds `,`, at which helm splits the flag: rename the file"),
        ('a"b.yaml', 'holds `"`, at which helm splits the flag: rename the file'),
        ("a%.yaml", "holds a `%` that helm takes for an escape of a URL and can't read: rename the file"),
        ("a\\b.yaml", "holds a backslash: write forward slashes"),
        ("a\tb.yaml", UNSEEN),
        ("a\x00.yaml", UNSEEN),
        ("a\u200b.yaml", UNSEEN),
        ("values/", "names a directory, expected a file"),
        ("..", "names a directory, expected a file"),
        ("a/.", "names a directory, expected a file"),
    ],
)
def test_no_values_file(file: str, expected: str) -> None:
    assert told({**LOCAL, "valuesFiles": ["x.yaml", file]}) == [("valuesFiles.1", expected)]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("namespace", "Shop"),
        ("namespace", "a" * 64),
        ("valuesFiles", "values.yaml"),
        ("createNamespace", "true"),
        ("createNamespace", None),
        ("version", None),
        ("takeOwnership", True),
        ("values_files", []),
    ],
)
def test_what_an_option_refuses(option: str, value: object) -> None:
    assert option in {key for key, _ in told({**LOCAL, option: value})}


def test_a_problem_never_holds_the_value() -> None:
    canary = "c4n4ry"
    options = {
        "release": f"{canary}_",
        "namespace": f"{canary}_",
        "chart": canary,
        "version": canary,
        "valuesFiles": [f"-{canary}", f"{canary}:", f"/{canary}", f"{canary},"],
        "createNamespace": canary,
    }
    assert len(told(options)) == 9
    assert canary not in str(told(options))
