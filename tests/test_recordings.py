"""The format of recordings, and the runner that answers from one."""

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.model.stacks import Stack
from sluiceway.processes import Command, Outcome, Runner
from sluiceway.recordings import Asked, Places, Recording, RecordingError, Replay
from sluiceway.recordings.format import to_document

STACK = Stack(id="web", path="app", tool="kubectl")


@dataclass
class Shelf:
    """A recording that a test writes, and the runner that answers from it."""

    directory: Path
    private: Path
    relayed: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)

    def write(self, *commands: dict[str, Any], step: str = "preview", does: str = "preview") -> None:
        manifest = self.directory / "recording.yaml"
        document = yaml.safe_load(manifest.read_text()) if manifest.exists() else self._empty()
        document["steps"].append({"name": step, "does": does, "commands": list(commands)})
        manifest.parent.mkdir(parents=True, exist_ok=True)
        manifest.write_text(yaml.safe_dump(document))

    def print(self, file: str, content: bytes) -> None:
        path = self.directory / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def open(self, step: str = "") -> Replay:
        return Replay.open(f"{self.directory}:{step}" if step else str(self.directory))

    def run(self, replay: Replay, command: Command) -> Outcome:
        with replay.runner(STACK, private=self.private, relay=self.relayed.append, shown=self.shown.append) as runner:
            return runner.run(command)

    def command(self, replay: Replay, *argv: str, **rest: Any) -> Command:
        return Command(argv, replay.root / "app", **rest)

    @staticmethod
    def _empty() -> dict[str, Any]:
        return {
            "format": 1,
            "scenario": "update",
            "description": "…",
            "repository": "octo-org/shop",
            "cluster": "local",
            "versions": {"kubectl": "v1.34.0"},
            "steps": [],
        }


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "update", tmp_path / "private")


def recorded(*argv: str, code: int | None = 0, **rest: Any) -> dict[str, Any]:
    return {"argv": list(argv), "cwd": "<root>/app", "exit": code, **rest}


def test_a_recorded_command_is_answered_with_what_was_printed(shelf: Shelf) -> None:
    shelf.write(recorded("tool", "diff", code=1, stdout="preview/1-diff.stdout", stderr="preview/1-diff.stderr"))
    shelf.print("preview/1-diff.stdout", b"one\ntwo\n")
    shelf.print("preview/1-diff.stderr", b"a warning\nand another")
    replay = shelf.open()
    outcome = shelf.run(replay, shelf.command(replay, "tool", "diff"))
    assert (outcome.ended, outcome.exit_code, outcome.stdout) == ("exited", 1, b"one\ntwo\n")
    assert outcome.stderr == "a warning\nand another"
    assert shelf.relayed == ["a warning", "and another"]
    assert shelf.shown == []
    assert replay.leftovers() == ()


def test_stdout_is_shown_line_by_line_only_where_the_command_shows_it(shelf: Shelf) -> None:
    shelf.write(recorded("tool", stdout="out"))
    shelf.print("out", b"\x1b[31mred\x1b[0m\nplain\n")
    replay = shelf.open()
    shelf.run(replay, shelf.command(replay, "tool", shown=True))
    assert shelf.shown == ["\x1b[31mred\x1b[0m", "plain"]


def test_relayed_lines_hold_no_escapes_as_with_a_real_tool(shelf: Shelf) -> None:
    shelf.write(recorded("tool", stderr="err"))
    shelf.print("err", b"\x1b[31mred\x1b[0m\n")
    replay = shelf.open()
    shelf.run(replay, shelf.command(replay, "tool"))
    assert shelf.relayed == ["red"]


def test_a_tool_that_could_not_be_started_is_not_started_again(shelf: Shelf) -> None:
    shelf.write(recorded("tool", code=None, stderr="err"))
    shelf.print("err", b"tool: not found on PATH")
    replay = shelf.open()
    outcome = shelf.run(replay, shelf.command(replay, "tool"))
    assert (outcome.ended, outcome.exit_code, outcome.stderr) == ("not-started", None, "tool: not found on PATH")


def test_private_paths_are_filled_in_and_bytes_that_are_no_text_are_kept(shelf: Shelf) -> None:
    shelf.write(recorded("tool", "-f", "<set>", env={"TMPDIR": "<tmp>"}, stdout="out", stderr="err"))
    shelf.print("out", b"\xff <set> <tmp>/LIVE-1 <root>/app <prune>\n")
    shelf.print("err", b"no <set>\n")
    replay = shelf.open()
    manifests = str(shelf.private / "manifests.yaml")
    outcome = shelf.run(
        replay,
        shelf.command(
            replay, "tool", "-f", manifests, env={"TMPDIR": str(shelf.private)}, placeholders={"<set>": manifests}
        ),
    )
    expected = f" {manifests} {shelf.private}/LIVE-1 {replay.root}/app <prune>\n"
    assert outcome.stdout == b"\xff" + expected.encode()
    assert outcome.stderr == f"no {manifests}\n"


def test_the_same_command_replays_in_order_and_once_more_is_an_error(shelf: Shelf) -> None:
    shelf.write(recorded("tool", stdout="first"), recorded("tool", stdout="second"))
    shelf.print("first", b"1")
    shelf.print("second", b"2")
    replay = shelf.open()
    command = shelf.command(replay, "tool")
    assert [shelf.run(replay, command).stdout for _ in range(2)] == [b"1", b"2"]
    with pytest.raises(RecordingError, match="recorded: 2 times, and asked for once more"):
        shelf.run(replay, command)


def test_commands_asked_side_by_side_are_each_answered_once(shelf: Shelf) -> None:
    shelf.write(*(recorded("tool", str(number % 5)) for number in range(50)))
    replay = shelf.open()
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(
            pool.map(lambda number: shelf.run(replay, shelf.command(replay, "tool", str(number % 5))), range(50))
        )
    assert {outcome.exit_code for outcome in outcomes} == {0}
    assert replay.leftovers() == ()


def test_leftovers_name_the_commands_that_nobody_asked_for(shelf: Shelf) -> None:
    shelf.write(recorded("tool", "version"), recorded("tool", "diff", "-f", "<set>"))
    replay = shelf.open()
    shelf.run(replay, shelf.command(replay, "tool", "version"))
    assert replay.leftovers() == ("tool diff -f <set> (step preview, command 2)",)


Ask = Callable[[Shelf, Replay], Command]


@pytest.mark.parametrize(
    ("ask", "differs"),
    [
        (
            lambda shelf, replay: shelf.command(replay, "kubectl", "diff", "--context=b", "-f", "x", env={"A": "1"}),
            "argument 2: asked '--context=b', recorded '-f'",
        ),
        (
            lambda shelf, replay: shelf.command(replay, "kubectl", "diff", "-f", env={"A": "1"}),
            "argument 3: asked nothing, recorded 'x'",
        ),
        (
            lambda shelf, replay: shelf.command(replay, "kubectl", "diff", "-f", "x", "y", env={"A": "1"}),
            "argument 4: asked 'y', recorded nothing",
        ),
        (
            lambda _shelf, replay: Command(("kubectl", "diff", "-f", "x"), replay.root / "other", env={"A": "1"}),
            "directory: asked <root>/other, recorded <root>/app",
        ),
        (
            lambda shelf, replay: shelf.command(replay, "kubectl", "diff", "-f", "x", env={"A": "CANARY", "B": "2"}),
            "environment: A, B",
        ),
        (lambda shelf, replay: shelf.command(replay, "kubectl", "diff", "-f", "x"), "environment: A"),
    ],
)
def test_a_missing_answer_names_what_differs_from_the_nearest(shelf: Shelf, ask: Ask, differs: str) -> None:
    shelf.write(
        recorded("kubectl", "version"),
        recorded("kubectl", "diff", "-f", "x", env={"A": "1"}),
        recorded("kubectl", "get", "-f", "x", env={"A": "1"}),
    )
    replay = shelf.open()
    with pytest.raises(RecordingError) as error:
        shelf.run(replay, ask(shelf, replay))
    text = str(error.value)
    assert f"step preview of {shelf.directory}, stack web" in text
    assert "nearest:  kubectl diff -f x (in <root>/app; command 2)" in text
    assert f"differs:  {differs}\n" in text
    assert "record:   pytest --record-mode=rewrite scenarios -k update" in text
    assert "CANARY" not in text
    assert replay.missing == [text]


def test_a_missing_answer_names_the_step_that_has_it(shelf: Shelf) -> None:
    shelf.write(recorded("tool", "diff"))
    shelf.write(recorded("tool", "apply"), step="deploy", does="deploy")
    replay = shelf.open()
    with pytest.raises(RecordingError, match=r"recorded in step deploy \(--replay .*update:deploy\)"):
        shelf.run(replay, shelf.command(replay, "tool", "apply"))


def test_a_step_without_commands_says_so(shelf: Shelf) -> None:
    shelf.write()
    replay = shelf.open()
    with pytest.raises(RecordingError, match="the step has no commands"):
        shelf.run(replay, shelf.command(replay, "tool"))


def test_a_step_is_chosen_by_name_by_what_it_does_or_it_is_the_first(shelf: Shelf) -> None:
    shelf.write(step="before")
    shelf.write(step="deploy", does="deploy")
    shelf.write(step="after")
    assert shelf.open().step.name == "before"
    assert shelf.open("after").step.name == "after"
    assert Replay.open(str(shelf.directory), does="deploy").step.name == "deploy"
    assert Replay.open(f"{shelf.directory}:after", does="deploy").step.name == "after"
    assert Replay.open(str(shelf.directory), does="drift").step.name == "before"
    with pytest.raises(RecordingError, match="has no recorded step 'later'; it has: before, deploy, after"):
        shelf.open("later")


def test_a_directory_with_a_colon_in_its_name_is_a_directory(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "a:b", tmp_path / "private")
    shelf.write()
    assert shelf.open().recording.directory == tmp_path / "a:b"
    assert shelf.open("preview").recording.directory == tmp_path / "a:b"


def test_the_root_and_the_repository_are_the_recordings(shelf: Shelf) -> None:
    shelf.write()
    replay = shelf.open()
    assert replay.root == shelf.directory / "files" / "preview"
    assert replay.repository == "octo-org/shop"


def test_no_recording_says_so(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"holds no recording \(recording.yaml is missing\)"):
        Replay.open(str(tmp_path / "absent"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- a list",
        "format: 1",
        "{",
        "format: 2\nsteps: [{name: a, does: preview, commands: []}]",
        "format: 1\nsteps: []\nscenario: a\ndescription: b\nrepository: c\ncluster: d\nversions: {}",
        (
            "{format: 1, versions: {}, scenario: a, description: b, repository: c, cluster: d, "
            "steps: [{name: 1, does: a, commands: []}]}"
        ),
        "[" * 900 + "]" * 900,
        "!!int ''",
        "!!float ''",
        "0001-01-01T00:00:00+23:59",
    ],
)
def test_a_damaged_recording_says_so_and_quotes_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "recording.yaml").write_text(text)
    with pytest.raises(RecordingError) as error:
        Recording.load(tmp_path)
    assert str(error.value) == f"{tmp_path}/recording.yaml can't be read as a recording of format 1"


def test_what_is_written_is_what_is_read(shelf: Shelf) -> None:
    shelf.write(recorded("tool", "a", env={"A": "<tmp>"}, stdout="out"), recorded("tool", "b", code=None, stderr="err"))
    recording = Recording.load(shelf.directory)
    (shelf.directory / "recording.yaml").write_text(yaml.safe_dump(to_document(recording)))
    assert Recording.load(shelf.directory) == recording


NAMED = {"<set>": "/private/x/manifests.yaml", "<prune>": "/private/x/prune.yaml"}
PLACES = Places(Path("/places/repo"), Path("/private/x"), NAMED)


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("/private/x/manifests.yaml", "<set>"),
        ("-f=/private/x/prune.yaml:", "-f=<prune>:"),
        ("/private/x", "<tmp>"),
        ("/private/x/LIVE-1/a", "<tmp>/LIVE-1/a"),
        ('"/places/repo/app": none', '"<root>/app": none'),
        ("/private/xy /places/repository", "/private/xy /places/repository"),
        ("/private/x.", "<tmp>."),
    ],
)
def test_private_paths_are_hidden_by_the_longest_that_fits(text: str, hidden: str) -> None:
    assert PLACES.hide(text) == hidden


@given(
    st.lists(
        st.sampled_from([*NAMED.values(), "/private/x", "/private/x/", "/places/repo", "/places/repo/app", " ", "a-"])
        | st.text(),
        max_size=6,
    ).map(" ".join)
)
def test_what_was_hidden_is_filled_in_again(text: str) -> None:
    if not PLACES.holds_placeholder(text):
        assert PLACES.fill(PLACES.hide(text)) == text


def test_a_link_to_a_private_directory_hides_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    places = Places(tmp_path / "root", tmp_path / "link", {})
    assert places.hide(f"{tmp_path}/real/a {tmp_path}/link/a") == "<tmp>/a <tmp>/a"
    assert places.fill("<tmp>/a") == f"{tmp_path}/link/a"


def test_a_command_is_asked_with_placeholders_and_its_environment_sorted() -> None:
    command = Command(
        ("tool", "-f", NAMED["<set>"]),
        Path("/places/repo/app"),
        env={"B": "/private/x", "A": "1"},
        placeholders=NAMED,
    )
    asked = Asked.of(command, PLACES)
    assert asked == Asked(("tool", "-f", "<set>"), "<root>/app", {"A": "1", "B": "<tmp>"})
    assert list(asked.env) == ["A", "B"]


def test_a_replay_is_a_runner(shelf: Shelf) -> None:
    shelf.write(recorded("tool"))
    replay = shelf.open()
    with replay.runner(private=shelf.private, relay=print, shown=print) as opened:
        runner: Runner = opened
        assert runner.start(shelf.command(replay, "tool")).wait().exit_code == 0


def test_opening_nothing_loads_nothing_heavy() -> None:
    heavy = "yaml typer rich pydantic asyncio concurrent.futures difflib subprocess importlib.metadata"
    code = f"import sys, sluiceway.recordings; print([name for name in {heavy.split()} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
