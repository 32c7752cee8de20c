import os
from pathlib import Path

import pytest

from sluiceway.config.file import LARGEST, Refused, Source, decode, read_source
from sluiceway.config.findings import Finding


def refusal(root: Path) -> str:
    refused = read_source(root)
    assert isinstance(refused, Refused), refused
    assert refused.finding.position.line == 0
    return f"{refused.file} {refused.finding.problem}"


def wrong(data: bytes) -> str:
    finding = decode(data)
    assert isinstance(finding, Finding)
    return f"{finding.position.line} {finding.problem}"


@pytest.mark.parametrize("name", ["sluiceway.yaml", "sluiceway.yml"])
def test_both_spellings_are_read(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("stacks: []\n")
    assert read_source(tmp_path) == Source(name, "stacks: []\n")


def test_no_file_is_none(tmp_path: Path) -> None:
    assert read_source(tmp_path) is None


def test_both_at_once_are_refused(tmp_path: Path) -> None:
    for name in ("sluiceway.yaml", "sluiceway.yml"):
        (tmp_path / name).write_text("stacks: []\n")
    assert refusal(tmp_path) == "sluiceway.yml stands beside sluiceway.yaml: keep one of the two"


@pytest.mark.parametrize("root", ["missing", "file/below"])
def test_a_root_that_is_not_there_is_not_a_repo_without_stacks(tmp_path: Path, root: str) -> None:
    (tmp_path / "file").touch()
    assert refusal(tmp_path / root) == "sluiceway.yaml the root directory is not there: see what `--root` names"


def test_a_directory_of_that_name(tmp_path: Path) -> None:
    (tmp_path / "sluiceway.yaml").mkdir()
    assert refusal(tmp_path) == "sluiceway.yaml is a directory, expected a file"


def test_a_pipe_of_that_name_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "sluiceway.yml")
    assert refusal(tmp_path) == "sluiceway.yml is not a regular file: put one there"


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sluiceway.yaml").touch()

    def denied(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)  # a test may run as root, whom no mode keeps out
    assert refusal(tmp_path) == "sluiceway.yaml can't be read (Permission denied): see who may read it"


def test_a_root_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "lstat", denied)
    assert refusal(tmp_path) == "sluiceway.yaml can't be read (Permission denied): see who may read it"


def test_a_link_inside_the_repo_is_followed(tmp_path: Path) -> None:
    (tmp_path / "ci").mkdir()
    (tmp_path / "ci/stacks.yaml").write_text("a")
    (tmp_path / "sluiceway.yaml").symlink_to("ci/stacks.yaml")
    assert read_source(tmp_path) == Source("sluiceway.yaml", "a")


def test_a_repo_reached_through_a_link_is_read(tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo/sluiceway.yaml").write_text("a")
    (tmp_path / "link").symlink_to("repo")
    assert read_source(tmp_path / "link") == Source("sluiceway.yaml", "a")


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("../outside.yaml", "is a link that leads out of the repo: put what it leads to there"),
        ("nowhere", "is a link that leads nowhere: mend it, or remove it"),
        ("sluiceway.yaml", "can't be read (Too many levels of symbolic links): see who may read it"),
    ],
)
def test_a_link_that_leads_elsewhere(tmp_path: Path, target: str, expected: str) -> None:
    (tmp_path / "outside.yaml").write_text("a")
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo/sluiceway.yaml").symlink_to(target)
    assert refusal(tmp_path / "repo") == f"sluiceway.yaml {expected}"


def test_utf_8_with_and_without_a_byte_order_mark() -> None:
    assert decode("é: 1".encode()) == "é: 1"
    assert decode("é: 1".encode("utf-8-sig")) == "é: 1"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("a: 1".encode("utf-16"), "1 is saved as UTF-16: save it as UTF-8"),
        ("a: 1".encode("utf-32"), "1 is saved as UTF-32: save it as UTF-8"),
        ("a: 1\n".encode("utf-16-le"), "1 holds a NUL byte: is it saved as UTF-16? Save it as UTF-8"),
        (b"a: 1\r\nb: \0", "2 holds a NUL byte: is it saved as UTF-16? Save it as UTF-8"),
        (b"a: 1\nb: \xe9\n", "2 holds bytes that are not UTF-8: save it as UTF-8"),
        (b"\xef\xbb\xbfa: 1\nb: 2\n\xe9\n", "3 holds bytes that are not UTF-8: save it as UTF-8"),
        (b"a: 1\rb: 2\r\n\xed\xa0\x80", "3 holds bytes that are not UTF-8: save it as UTF-8"),
        (b"a: 1\n\nb: \x1b[0m", "3 holds a character that YAML doesn't allow (U+001B): take it out"),
        (b"#" * (LARGEST + 1), "0 is larger than 4 MiB: take out what is not needed"),
    ],
    ids=range(9),
)
def test_bytes_that_are_no_text(data: bytes, expected: str) -> None:
    assert wrong(data) == expected
