from pathlib import Path
from stat import S_IMODE

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.adapters.kubectl import documents
from sluiceway.adapters.kubectl.commands import Commands
from sluiceway.adapters.kubectl.parts import in_parts, split
from sluiceway.adapters.kubectl.target import Target

SET = "# first\na: 1\n---\na: 2\n---\n# nothing\n---\na: 3\n"


def read(content: str) -> list[str]:
    return [document.text for document in documents.split("the set", content)]


def test_documents_go_to_the_parts_in_turn_as_they_stand() -> None:
    assert split(SET, 2) == ["---\n# first\na: 1\n---\na: 3\n", "---\na: 2\n"]


def test_no_part_is_empty() -> None:
    assert len(split(SET, 64)) == 3


def test_only_a_set_that_begins_with_json_has_a_part_that_does() -> None:
    first, second = split('{"a": 1}\n---\n{"b": 2}\n', 2)
    assert (first, second) == ('{"a": 1}\n', '---\n{"b": 2}\n')
    assert all(part.startswith("---\n") for part in split('a: 1\n---\n{"b": 2}\n', 2))


@given(st.lists(st.text("ab: -#{}\"'\n\r\t|é", min_size=1).filter(lambda text: "---" not in text)), st.integers(1, 9))
def test_together_the_parts_are_the_set(texts: list[str], count: int) -> None:
    content = "".join(f"---\n{text}\n" for text in texts)
    assert sorted(found for part in split(content, count) for found in read(part)) == sorted(read(content))


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    made = Commands(Target(concurrency=4), tmp_path, tmp_path)
    made.manifests.write_text(SET)
    return made


def test_the_parts_are_private_and_there_only_as_long_as_they_are_asked_about(commands: Commands) -> None:
    with in_parts(commands):
        files = sorted(commands.parts.iterdir())
        assert [file.name for file in files] == ["00.yaml", "01.yaml", "02.yaml"]
        assert S_IMODE(commands.parts.stat().st_mode) == 0o700
        assert {S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert not commands.parts.exists()


def test_they_go_when_something_fails_too(commands: Commands) -> None:
    with pytest.raises(KeyError), in_parts(commands):
        raise KeyError
    assert not commands.parts.exists()


@pytest.mark.parametrize("concurrency", [None, 1])
def test_a_stack_that_asks_in_turn_has_none(tmp_path: Path, concurrency: int | None) -> None:
    with in_parts(Commands(Target(concurrency=concurrency), tmp_path, tmp_path)):
        assert list(tmp_path.iterdir()) == []
