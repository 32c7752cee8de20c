import pytest

from sluiceway.adapters.base import Workplace
from sluiceway.model.changes import Diff
from sluiceway.model.hashing import diff_hash
from sluiceway.model.results import Deployed, DriftFound, Failure
from tests.commands.conftest import Program, Terminal
from tests.fakes import CANARY, CONFLICT, CREATE, DRIFT, UPDATE

HASH = diff_hash(Diff("web", (UPDATE,)))
DRIFT_HASH = diff_hash(Diff("web", (UPDATE,), (DRIFT,)))
OTHER = "0123456789abcdef"


@pytest.fixture(autouse=True)
def pending(program: Program) -> None:
    program.adapter.previews = {"web": (UPDATE,)}
    program.adapter.deploys = {"web": Deployed(("applied ConfigMap/shop/settings",))}


def test_what_was_approved_is_deployed(program: Program) -> None:
    ended = program("deploy", "web", "--hash", HASH)
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert lines[0].startswith("DEPLOYED  web  1 update  (")
    assert lines[1:] == ["  applied ConfigMap/shop/settings"]


def test_json(program: Program) -> None:
    (row,) = program("deploy", "web", "--hash", HASH, "--format", "json").json["stacks"]
    assert (row["outcome"], row["state"], row["hash"]) == ("deployed", "pending", HASH)
    assert row["done"] == {"applied": ["ConfigMap/shop/settings"], "deleted": []}


def test_another_hash_ends_as_moved_and_shows_the_new_one(program: Program) -> None:
    ended = program("deploy", "web", "--hash", OTHER)
    assert ended.code == 1
    assert ended.out.startswith("MOVED ")
    assert f"{OTHER} was approved, and the stack now gives {HASH}" in ended.out
    assert ended.out.endswith(f"To deploy exactly this:\n  sluiceway deploy web --hash {HASH}\n")
    assert "deploy web" not in program.adapter.asked


def test_a_hash_over_drift_needs_the_flag(program: Program) -> None:
    program.adapter.drifts = {"web": DriftFound((DRIFT,))}
    ended = program("deploy", "web", "--hash", DRIFT_HASH)
    assert (ended.code, "--repair-drift" in ended.out) == (1, True)
    assert program("deploy", "web", "--hash", DRIFT_HASH, "--repair-drift").code == 0


def test_a_failed_deploy_says_what_was_done(program: Program) -> None:
    program.adapter.deploys = {"web": Failure(CONFLICT.reason, done=("applied a/b",))}
    ended = program("deploy", "web", "--hash", HASH)
    assert ended.code == 1
    assert "Done all the same, before it failed:\n  applied a/b\n" in ended.out


@pytest.mark.parametrize("arguments", [(), ("--hash", OTHER)])
def test_in_sync_needs_no_hash(program: Program, arguments: tuple[str, ...]) -> None:
    program.adapter.previews = {}
    ended = program("deploy", "web", *arguments)
    assert (ended.code, ended.out[:7]) == (0, "IN SYNC")
    assert "deploy web" not in program.adapter.asked


def test_upkeep_of_a_stack_in_sync_needs_no_hash(program: Program) -> None:
    program.adapter.previews, program.adapter.upkeep = {}, frozenset({"web"})
    ended = program("deploy", "web")
    assert (ended.code, ended.out[:8]) == (0, "DEPLOYED")


def test_without_a_hash_and_a_terminal_it_refuses_and_gives_the_command(program: Program) -> None:
    ended = program("deploy", "web", "--repository", "a/b")
    assert ended.code == 2
    assert ended.out.startswith("REFUSED   web  1 update")
    assert (
        "  Note: Nothing was deployed: without a terminal to ask on, a deploy needs the hash: "
        f"sluiceway deploy web --hash {HASH} --repository a/b\n" in ended.out
    )
    assert "deploy web" not in program.adapter.asked
    assert program("deploy", "web", "--format", "json").json["stacks"][0]["outcome"] == "refused"


def test_the_command_for_drift_has_the_flag(program: Program) -> None:
    program.adapter.drifts = {"web": DriftFound((DRIFT,))}
    assert f"--hash {DRIFT_HASH} --repair-drift\n" in program("deploy", "web", "--repair-drift").out


def test_a_person_says_yes(program: Program, terminal: Terminal) -> None:
    terminal.types("y\n")
    ended = program("deploy", "web")
    assert ended.code == 0
    shown, asked, done = ended.out.partition("Deploy web? [y/N] ")
    assert shown.startswith("PENDING   web  1 update")
    assert "data.greeting" in shown
    assert asked
    assert done.startswith("DEPLOYED  web")


@pytest.mark.parametrize("answer", ["n\n", "\n", "yes please\n", "\x04", "Yn\n"])
def test_anything_else_is_no(program: Program, terminal: Terminal, answer: str) -> None:
    terminal.types(answer)
    ended = program("deploy", "web")
    assert ended.code == 1
    after = ended.out.partition("Deploy web? [y/N] ")[2]
    assert after.startswith("REFUSED   web")
    assert after.endswith("  Note: Nothing was deployed: the answer was no.\n")
    assert "data.greeting" not in after
    assert "deploy web" not in program.adapter.asked


def test_the_question_never_stands_in_json(program: Program, terminal: Terminal) -> None:
    terminal.types("YES\n")
    ended = program("deploy", "web", "--format", "json")
    assert ended.json["stacks"][0]["outcome"] == "deployed"
    assert "PENDING   web" in ended.err
    assert "Deploy web? [y/N] " in ended.err


def test_a_piped_report_is_asked_about_on_stderr(
    program: Program, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal.types("y\n")
    monkeypatch.setattr("sys.stdout.isatty", lambda: False)
    ended = program("deploy", "web")
    assert "Deploy web? [y/N] " in ended.err
    assert ended.out.startswith("DEPLOYED")


def test_nowhere_to_ask(program: Program, terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal.types("y\n")
    for stream in ("stdout", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: False)
    assert program("deploy", "web").code == 2


def test_several_in_order_with_a_hash_for_each(program: Program) -> None:
    program.declare("app", "base", more=", dependsOn: [base]")
    program.adapter.previews = {"app": (UPDATE,), "base": (CREATE,)}
    program.adapter.deploys = {}
    given = [f"app={diff_hash(Diff('app', (UPDATE,)))}", f"base={diff_hash(Diff('base', (CREATE,)))}"]
    ended = program("deploy", "app", "base", "--hash", given[0], "--hash", given[1], "--format", "json")
    assert ended.code == 0
    assert [(row["stack"], row["outcome"]) for row in ended.json["stacks"]] == [
        ("base", "deployed"),
        ("app", "deployed"),
    ]


def test_a_failed_one_holds_back_those_behind_it(program: Program) -> None:
    program.declare("app", "base", more=", dependsOn: [base]")
    program.adapter.previews = {"app": (UPDATE,), "base": (CREATE,)}
    program.adapter.deploys = {"base": CONFLICT}
    given = [f"app={diff_hash(Diff('app', (UPDATE,)))}", f"base={diff_hash(Diff('base', (CREATE,)))}"]
    ended = program("deploy", "app", "base", "--hash", given[0], "--hash", given[1])
    assert ended.code == 1
    assert "Note: Held back: it depends on base, which failed.\n" in ended.out
    assert "deploy app" not in program.adapter.asked


@pytest.mark.parametrize(("deploys", "code"), [({}, 2), ({"web": CONFLICT}, 1)])
def test_one_without_a_hash_among_others(program: Program, deploys: dict[str, object], code: int) -> None:
    program.adapter.previews = {"web": (UPDATE,), "db": (UPDATE,)}
    program.adapter.deploys = deploys
    ended = program("deploy", "web", "db", "--hash", f"web={HASH}", "--format", "json")
    assert ended.code == code
    assert ended.json["stacks"][0]["outcome"] == "refused"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["web", "--hash", "xyz"], "--hash takes the 16 characters"),
        (["web", "--hash", ""], "--hash takes the 16 characters"),
        (["web", "--hash", HASH.upper()], "--hash takes the 16 characters"),
        (["web", "--hash", f"{HASH}0"], "--hash takes the 16 characters"),
        (["web", "--hash", "web="], "--hash takes the 16 characters"),
        (["web", "db", "--hash", HASH], "several stacks need --hash ID=HASH"),
        (["web", "--hash", f"db={HASH}"], "db is not among the stacks to deploy: name it too"),
        (["web", "--hash", f"={HASH}"], " is not among the stacks to deploy: name it too"),
        (["web", "--hash", HASH, "--hash", OTHER], "two hashes for web"),
        (["wbe", "--hash", HASH], "did you mean web?"),
        ([], "Missing argument 'STACK'"),
        (["web", "--timeout", "0"], "--timeout"),
        (["web", "--timeout", "soon"], "--timeout"),
    ],
)
def test_usage_problems(program: Program, arguments: list[str], said: str) -> None:
    ended = program("deploy", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert program.adapter.asked == []


@pytest.mark.parametrize("given", [[HASH], [f"web={HASH}"], [HASH, HASH]])
def test_forms_of_a_hash(program: Program, given: list[str]) -> None:
    assert program("deploy", "web", *(word for one in given for word in ("--hash", one))).code == 0


def test_an_id_may_hold_an_equals_sign(program: Program) -> None:
    program.declare("a=b")
    program.adapter.previews = {"a=b": (UPDATE,)}
    assert program("deploy", "a=b", "--hash", f"a=b={diff_hash(Diff('a=b', (UPDATE,)))}").code == 0


def test_a_time_limit(program: Program) -> None:
    limits: list[object] = []

    def looking(place: Workplace) -> Deployed:
        limits.append(place.runner._terms.limit)  # type: ignore[attr-defined]
        return Deployed()

    program.declare("web", more=", deployTimeout: 7")
    program.adapter.deploys = {"web": looking}
    program("deploy", "web", "--hash", HASH)
    program("deploy", "web", "--hash", HASH, "--timeout", "1.5")
    assert limits == [7, 1.5]


def test_a_bug_in_an_adapter_shows_its_type_only(program: Program) -> None:
    program.adapter.deploys = {"web": RuntimeError(CANARY)}
    ended = program("deploy", "web", "--hash", HASH, "--verbose")
    assert ended.code == 1
    assert "Sluiceway itself failed (RuntimeError)" in ended.out
    assert "How far the deploy came can't be told." in ended.out
    assert "web: RuntimeError\n" in ended.err
    assert "sluiceway/runs/deploy.py:" in ended.err
    assert CANARY not in ended.out + ended.err
