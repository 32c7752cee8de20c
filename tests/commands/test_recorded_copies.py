"""Reports of what real tools said, in every form: the values in the recordings are in none."""

import re
from base64 import b64encode
from pathlib import Path

import pytest
import yaml

from sluiceway.cli import run

RECORDINGS = Path(__file__).parents[2] / "recordings"
# In two pieces: the word marks values, and stands in no file that people read.
MARK = "CAN" + "ARY"
# As text, and in base64 wherever the text begins: without the characters that its neighbours have a part in.
SPELLINGS = re.compile(
    "|".join(
        [
            MARK,
            b64encode(MARK.encode()).decode(),
            b64encode(f"a{MARK}".encode()).decode()[2:-3],
            b64encode(f"aa{MARK}".encode()).decode()[3:-2],
        ]
    )
)
FORMS = ("text", "json", "markdown", "html", "junit")


def steps() -> list[tuple[Path, str, str]]:
    """Return the last preview or drift check of each recording of the newest tools: recording, step, command."""
    found = []
    newest = [max(tool.iterdir()) for tool in sorted(RECORDINGS.iterdir())]
    for path in (path for place in newest for path in sorted(place.glob("*/recording.yaml"))):
        recorded = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        asked = [step for step in recorded["steps"] if step["does"] in {"preview", "drift"}]
        found += [(path.parent, step["name"], step["does"]) for step in asked[-1:]]
    return found


STEPS = steps()


def named(path: Path) -> str:
    return "/".join(path.parts[-3:])


@pytest.mark.parametrize(("path", "step", "does"), STEPS, ids=[f"{named(path)}:{step}" for path, step, _ in STEPS])
def test_no_value_is_in_any_form(
    path: Path, step: str, does: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    copies = [f"--output={form}={tmp_path / form}" for form in FORMS]
    assert run([does, "--replay", f"{path}:{step}", *copies]) in {0, 1}
    for name in (*FORMS, "summary"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert text
        assert not SPELLINGS.search(text)


def test_a_value_would_be_seen() -> None:
    assert len(STEPS) > 60
    for content in (MARK, *(f"{'x' * pad}{MARK}y" for pad in range(3))):
        assert SPELLINGS.search(content)
        assert SPELLINGS.search(b64encode(content.encode()).decode())
