"""What the dry run hides, where the diff can't be read whole: that fails the preview, and nothing is concluded."""

from pathlib import Path
from typing import Any

from sluiceway.adapters.base import Preview, Workplace
from sluiceway.adapters.kubectl.preview import preview
from sluiceway.adapters.kubectl.session import Session
from sluiceway.adapters.kubernetes.fold import LAST_APPLIED
from sluiceway.model.results import Failure
from sluiceway.model.stacks import Stack
from sluiceway.processes import Outcome
from tests.adapters.kubectl.made import entry, held_by, live
from tests.adapters.kubectl.test_diff_output import HEAD
from tests.adapters.kubectl.test_readings import Answers, objects

CANARY = "c4n4ry-v4lue"


def previewed(tmp_path: Path, equal: str) -> Preview | Failure:
    """Preview a ConfigMap that was applied client-side; ``equal`` is a line that both sides of the diff hold."""
    text = f"-a: 1\n+a: 2\n apiVersion: v1\n {equal}\n kind: ConfigMap\n metadata:\n   name: a\n   namespace: t\n"
    shown = (HEAD + f"@@ -1,7 +1,7 @@\n{text}").encode()
    note: dict[str, Any] = {"f:metadata": {"f:annotations": {f"f:{LAST_APPLIED}": {}}}}
    once = entry("kubectl-client-side-apply", {"f:data": {"f:old": {}}, **note})
    found = live(metadata=held_by(once, annotations={LAST_APPLIED: "{}"}), data={"old": "1"})
    directory = tmp_path / "web"
    directory.mkdir()
    (directory / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: t}\n")
    answers = Answers([Outcome("exited", 1, shown)], objects(found))
    place = Workplace(Stack("web", "web", "kubectl"), tmp_path, answers, tmp_path)
    return preview(Session.at(place), keep=False)


def test_an_equal_part_of_a_diff_that_cannot_be_read_fails_the_preview(tmp_path: Path) -> None:
    result = previewed(tmp_path, f"data: !odd {{old: {CANARY}}}")

    assert isinstance(result, Failure)
    assert result.reason.kind == "unreadable-output"
    assert CANARY not in f"{result!r} {result.reason.text}"


def test_one_that_can_be_read_shows_what_goes(tmp_path: Path) -> None:
    result = previewed(tmp_path, f'data: {{old: "{CANARY}"}}')

    assert isinstance(result, Preview)
    (change,) = result.diff.changes
    assert set(change.changed_keys) >= {"a", "data.old"}
