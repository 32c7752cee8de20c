from pathlib import Path

import pytest

from recorder import shelf


def test_a_recording_is_saved_whole_and_read_back(tmp_path: Path) -> None:
    files = {"recording.yaml": b"a", "files/preview/app/a.yaml": b"\xff"}
    shelf.save(files, tmp_path / "kubectl/v1/update")
    assert shelf.read(tmp_path / "kubectl/v1/update") == files


def test_another_recording_replaces_it_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    shelf.save({"a": b"1", "old/b": b"2"}, tmp_path / "update")
    shelf.save({"a": b"3"}, tmp_path / "update")
    assert shelf.read(tmp_path / "update") == {"a": b"3"}
    assert [path.name for path in tmp_path.iterdir()] == ["update"]


def test_the_same_recording_is_not_touched(tmp_path: Path) -> None:
    shelf.save({"a": b"1"}, tmp_path / "update")
    before = (tmp_path / "update/a").stat()
    shelf.save({"a": b"1"}, tmp_path / "update")
    assert (tmp_path / "update/a").stat().st_ino == before.st_ino


def test_what_can_not_be_written_whole_is_not_saved_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.save({"a": b"1"}, tmp_path / "update")
    write = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.name == "b":
            raise OSError(28, "No space left on device")
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        shelf.save({"a": b"2", "b": b"3"}, tmp_path / "update")
    assert shelf.read(tmp_path / "update") == {"a": b"1"}


def test_what_a_killed_recorder_left_behind_is_no_part_of_the_next(tmp_path: Path) -> None:
    (tmp_path / ".update.new").mkdir()
    (tmp_path / ".update.new/stale").write_bytes(b"x")
    shelf.save({"a": b"1"}, tmp_path / "update")
    assert shelf.read(tmp_path / "update") == {"a": b"1"}
    assert [path.name for path in tmp_path.iterdir()] == ["update"]
