"""Recording: takes, their environment, what is waited for, and when it is given up."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
import yaml

from recorder import admin as admin_module
from recorder import recording
from recorder.clusters.base import ClusterError
from recorder.recording import Session, record, take
from recorder.scenario import Scenario, ScenarioError
from recorder.take import Finished, TakeError
from recorder.tools import MissingToolError
from tests.recorder.repo import HELM, HELM_4, OTHER, VERSION, Repo
from tests.recorder.stand import Clock, SaidStage, in_cache

STEPS = """\
description: A stack in sync.
example: small
repository: octo-org/small
steps:
"""
LISTED = {"kubectl": (VERSION, OTHER), "helm": (HELM, HELM_4)}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "repo", tmp_path / "cache")
    made.set_up()
    return made


@pytest.fixture
def stage(repo: Repo) -> Iterator[SaidStage]:
    with SaidStage(need=in_cache(repo.cache)) as made:
        yield made


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(recording, "Timeline", made.timeline)
    monkeypatch.setattr(admin_module, "POLL_SECONDS", 0)
    return made


Open = Callable[..., Session]


@pytest.fixture
def session(repo: Repo, stage: SaidStage) -> Open:
    def opened(
        steps: str, *, version: str = VERSION, kind: str = "local", tool: str = "kubectl", **rest: object
    ) -> Session:
        scenario = Scenario.load(repo.scenario("a", STEPS + steps, tool=tool))
        return Session(scenario, version, stage, kind, rest.pop("versions", LISTED), **rest)  # type: ignore[arg-type]

    return opened


def text(finished: Finished, file: str) -> str:
    return finished.files[file].decode()


def counting(tmp_path: Path, answers: Mapping[int, str], last: str) -> str:
    """Return a script whose diff prints another text at each call, to stderr and so without any meaning."""
    cases = "".join(f"{number}) echo '{answer}' >&2;; " for number, answer in answers.items())
    count = tmp_path / "count"
    return (
        f"[ $1 = diff ] || exit 0\necho x >> {count}\n"
        f'case $(/usr/bin/wc -l < {count}) in {cases}*) echo "{last}" >&2;; esac'
    )


def test_two_takes_that_are_alike_make_a_recording(repo: Repo, session: Open, stage: SaidStage) -> None:
    repo.kubectl()
    finished = record(session("  - preview: recorded\n"))
    assert stage.admin.account == ["reset shop", "reset shop"]
    document = yaml.safe_load(finished.files["recording.yaml"])
    assert (document["cluster"], document["versions"]) == ("local", {"kubectl": VERSION, "server": "v1.34.9"})
    assert [command["argv"][1] for command in document["steps"][0]["commands"]][:2] == ["version", "diff"]
    assert finished.seen["preview"][0]["state"] == "in-sync"


def test_takes_that_differ_are_taken_again(repo: Repo, session: Open, stage: SaidStage, tmp_path: Path) -> None:
    repo.kubectl(script=counting(tmp_path, {1: "one", 2: "two"}, "three"))
    finished = record(session("  - preview: recorded\n"))
    assert text(finished, "preview/2-diff.stderr") == "three\n"
    assert len(stage.admin.account) == 4


def test_a_raced_take_is_taken_again(repo: Repo, session: Open, stage: SaidStage, tmp_path: Path) -> None:
    sides = """'-  resourceVersion: "1"' '+  resourceVersion: "2"'"""
    script = (
        counting(tmp_path, {}, "calm") + f"\n[ $(/usr/bin/wc -l < {tmp_path}/count) -gt 1 ] || printf '%s\\n' {sides}"
    )
    repo.kubectl(script=script)
    record(session("  - preview: recorded\n"))
    assert len(stage.admin.account) == 3


def test_a_recording_that_is_never_the_same_is_given_up_and_says_where(
    repo: Repo, session: Open, stage: SaidStage, tmp_path: Path
) -> None:
    repo.kubectl(script=counting(tmp_path, {}, f"$(/usr/bin/wc -l < {tmp_path}/count) CANARY"))
    with pytest.raises(TakeError) as error:
        record(session("  - preview: recorded\n"))
    assert str(error.value) == (
        f"a {VERSION}: no two of 10 takes in a row were alike; two takes differ in preview/2-diff.stderr"
    )
    assert len(stage.admin.account) == 10


def test_what_sluiceway_showed_must_be_alike_too(repo: Repo, session: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.kubectl()
    takes = iter(
        [Finished({"a": b""}, {"p": []}), Finished({"a": b""}, {"p": [{}]}), Finished({"a": b""}, {"p": [{}]})]
    )
    monkeypatch.setattr(recording, "finish", lambda _: next(takes))
    assert record(session("  - preview: recorded\n")).seen == {"p": [{}]}


def test_recorded_processes_see_nothing_of_the_person(
    repo: Repo, session: Open, stage: SaidStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("KUBECONFIG", "KUBERC", "KUBECTL_EXTERNAL_DIFF", "LANG", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "of-the-person")
    repo.kubectl(script=f"/usr/bin/env > {tmp_path}/env-$1")
    take(session("  - outside: [kubectl, scale]\n  - preview: arranged\n  - check_version: recorded\n"))
    seen = sorted(path.name for path in tmp_path.glob("env-*"))
    assert seen == ["env-diff", "env-get", "env-scale"]
    for name in seen:
        found = dict(line.split("=", 1) for line in (tmp_path / name).read_text().splitlines())
        for of_the_shell in ("PWD", "OLDPWD", "SHLVL", "_"):
            found.pop(of_the_shell, None)
        of_the_adapter = found.keys() & {"KUBERC", "KUBECTL_EXTERNAL_DIFF"}
        assert found.keys() - of_the_adapter == {"HOME", "LC_ALL", "PATH", "TMPDIR", "TZ", "KUBECONFIG"}
        assert (found["LC_ALL"], found["TZ"]) == ("C", "UTC")
        assert found["KUBECONFIG"] == str(stage.directory / "kubeconfig")
        assert found["HOME"].startswith(str(stage.directory))
        assert "of-the-person" not in found.values()


def test_each_step_starts_with_an_empty_home_and_finds_one_kubectl(repo: Repo, session: Open, tmp_path: Path) -> None:
    repo.kubectl(script=f"/bin/ls -A $HOME >> {tmp_path}/homes; : > $HOME/cache; /bin/ls $PATH > {tmp_path}/path")
    take(session("  - outside: [kubectl, get]\n  - outside: [kubectl, get]\n  - check_version: recorded\n"))
    assert (tmp_path / "homes").read_text() == ""
    assert (tmp_path / "path").read_text().split() == ["diff", "kubectl"]


def test_the_cluster_is_settled_after_whatever_may_have_written_and_steps_have_seconds_of_their_own(
    repo: Repo, session: Open, stage: SaidStage, clock: Clock
) -> None:
    repo.kubectl()
    steps = "  - outside: [kubectl, scale]\n  - remove: app\n  - write: app/b.yaml\n    text: '{}'\n"
    made = take(session(steps + "  - outside: [kubectl, scale]\n  - check_version: recorded\n"))
    assert stage.admin.account == ["reset shop", *["look at shop"] * 3, *["look at shop"] * 3]
    assert [step for _, step in made.timeline.starts] == [1, 4, 5]
    assert len({second for second, _ in made.timeline.starts}) == 3
    assert clock.time % 1 == pytest.approx(0.02, abs=0.001)


def test_a_recorded_step_keeps_the_files_as_it_saw_them(repo: Repo, session: Open) -> None:
    repo.kubectl()
    steps = "  - check_version: recorded\n  - edit: app/settings.yaml\n    old: CANARY\n    new: again\n"
    made = take(session(steps + "  - check_version: recorded\n    name: after\n"))
    assert [b"CANARY" in step.files["app/settings.yaml"] for step in made.steps] == [True, False]


def test_what_a_step_built_is_neither_kept_nor_there_for_the_next(repo: Repo, session: Open, tmp_path: Path) -> None:
    repo.kubectl(
        script=f"[ $1 = diff ] || exit 0; /bin/ls -A . >> {tmp_path}/seen; : > built.tgz; echo x >> settings.yaml"
    )
    steps = "  - preview: arranged\n  - write: app/more.yaml\n    text: '{}'\n  - preview: recorded\n"
    made = take(session(steps))
    assert (tmp_path / "seen").read_text().split() == ["settings.yaml", "more.yaml", "settings.yaml"]
    assert sorted(made.steps[0].files) == ["app/more.yaml", "app/settings.yaml", "sluiceway.yaml"]
    assert made.steps[0].files["app/settings.yaml"] == (repo.root / "examples/small/app/settings.yaml").read_bytes()


def test_someone_else_sees_what_someone_else_built(repo: Repo, session: Open, tmp_path: Path) -> None:
    repo.kubectl(script=f"/bin/ls -A app >> {tmp_path}/seen; : > app/built.tgz")
    take(session("  - outside: [kubectl, a]\n  - outside: [kubectl, b]\n  - check_version: recorded\n"))
    assert (tmp_path / "seen").read_text().split() == ["settings.yaml", "built.tgz", "settings.yaml"]


def test_helm_is_recorded_on_nodes_with_its_plugin_and_says_which(
    repo: Repo, session: Open, stage: SaidStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[bool] = []
    monkeypatch.setattr(recording, "settle", lambda _admin, _names, *, ready: waited.append(ready))
    repo.helm(HELM_4)
    repo.plugin()
    steps = "  - outside: [helm, list]\n  - outside: [helm, list]\n  - check_version: recorded\n"
    finished = record(session(steps, tool="helm", version=HELM_4))
    assert set(stage.asked) == {("local", "1.37", 1)}
    assert set(waited) == {True}
    versions = yaml.safe_load(finished.files["recording.yaml"])["versions"]
    assert versions == {"helm": HELM_4, "helm-diff": "v3.15.11", "server": "v1.37.9"}


def test_kubectl_is_recorded_without_nodes_and_waits_for_no_pod(
    repo: Repo, session: Open, stage: SaidStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[bool] = []
    monkeypatch.setattr(recording, "settle", lambda _admin, _names, *, ready: waited.append(ready))
    repo.kubectl()
    take(session("  - outside: [kubectl, scale]\n  - check_version: recorded\n"))
    assert stage.asked == [("local", "1.34", 0)]
    assert waited == [False]


def test_a_missing_plugin_ends_the_recording_before_anything_is_started(repo: Repo, session: Open) -> None:
    repo.helm(HELM)
    with pytest.raises(MissingToolError, match=r"helm-diff >=3.15.11 was not found: looked in HELM_PLUGINS"):
        record(session("  - check_version: recorded\n", tool="helm", version=HELM, kind="none"))


@pytest.mark.parametrize(("version", "kubectl"), [(HELM, VERSION), (HELM_4, OTHER)])
def test_someone_elses_kubectl_is_of_the_servers_minor_and_their_helm_of_the_version_named(
    repo: Repo, session: Open, tmp_path: Path, version: str, kubectl: str
) -> None:
    for each in (VERSION, OTHER):
        repo.kubectl(each, script=f'echo "kubectl {each} $HELM_PLUGINS" >> {tmp_path}/said')
    for each in (HELM, HELM_4):
        repo.helm(each, script=f'echo "helm {each} $(/bin/ls $HELM_PLUGINS)" >> {tmp_path}/said')
    repo.plugin()
    steps = "  - outside: [kubectl, get]\n  - outside: [helm-3, list]\n  - outside: [helm, list]\n"
    take(session(f"{steps}  - check_version: recorded\n", tool="helm", version=version))
    said = [line.rstrip() for line in (tmp_path / "said").read_text().splitlines()]
    assert said == [f"kubectl {kubectl}", f"helm {HELM} diff", f"helm {version} diff"]


def test_a_version_check_needs_no_cluster_and_waits_for_no_second(
    repo: Repo, session: Open, stage: SaidStage, clock: Clock
) -> None:
    repo.kubectl()
    finished = record(session("  - check_version: recorded\n", kind="none"))
    assert yaml.safe_load(finished.files["recording.yaml"])["cluster"] == "none"
    assert yaml.safe_load(finished.files["recording.yaml"])["versions"] == {"kubectl": VERSION}
    assert (stage.asked, clock) == ([], Clock())


def test_a_scenario_that_needs_a_cluster_is_refused_where_there_is_none(repo: Repo, session: Open) -> None:
    repo.kubectl()
    with pytest.raises(TakeError, match="a needs a cluster: --cluster=kind or --cluster=local says which"):
        record(session("  - preview: recorded\n", kind="none"))


def test_a_cluster_that_is_not_the_recorders_own_any_more_is_not_touched(
    repo: Repo, session: Open, stage: SaidStage
) -> None:
    repo.kubectl()
    stage.lost = True
    with pytest.raises(ClusterError, match="its kubeconfig leads elsewhere"):
        record(session("  - preview: recorded\n"))
    assert stage.admin.account == []


def test_someone_elses_command_runs_in_the_root_and_may_be_of_another_version(
    repo: Repo, session: Open, tmp_path: Path
) -> None:
    repo.kubectl(script=f'echo "{VERSION} $*" >> {tmp_path}/said')
    repo.kubectl(OTHER, script=f'echo "{OTHER} $*" >> {tmp_path}/said; /bin/ls >> {tmp_path}/said')
    steps = "  - outside: [kubectl, a]\n  - outside: [kubectl-1.37, b, 'c d']\n  - check_version: recorded\n"
    take(session(steps))
    assert (tmp_path / "said").read_text().splitlines() == [f"{VERSION} a", f"{OTHER} b c d", "app", "sluiceway.yaml"]


def test_someone_elses_command_that_fails_ends_the_scenario_and_its_words_go_to_the_log(
    repo: Repo, session: Open
) -> None:
    repo.kubectl(script="echo CANARY refused >&2; exit 3")
    said: list[str] = []
    with pytest.raises(ScenarioError) as error:
        take(session("  - outside: [kubectl, scale]\n  - check_version: recorded\n", say=said.append))
    assert str(error.value) == "step 1: kubectl scale ended with exit code 3"
    assert said == ["CANARY refused"]


def test_someone_elses_command_that_hangs_ends_the_scenario(
    repo: Repo, session: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "OUTSIDE_SECONDS", 0.2)
    repo.kubectl(script="PATH=/usr/bin:/bin exec sleep 30")
    with pytest.raises(ScenarioError, match=r"step 1: kubectl: not within 0.2 seconds"):
        take(session("  - outside: [kubectl, wait]\n  - check_version: recorded\n"))


@pytest.mark.parametrize("name", ["helm-3", "helm", "kubectl-1.30"])
def test_someone_elses_tool_must_be_listed(repo: Repo, session: Open, name: str) -> None:
    repo.kubectl()
    steps = f"  - outside: [{name}, version]\n  - check_version: recorded\n"
    with pytest.raises(ScenarioError, match=rf"{name} is no tool that scenarios/versions.yaml lists"):
        take(session(steps, versions={"kubectl": (VERSION, OTHER)}))


def test_someone_elses_command_can_be_killed_on_its_way(repo: Repo, session: Open, tmp_path: Path) -> None:
    repo.kubectl(script=f"echo began > {tmp_path}/began; PATH=/usr/bin:/bin exec sleep 30")
    take(session("  - outside: [kubectl, wait]\n    killed_after: 1\n  - check_version: recorded\n"))
    assert (tmp_path / "began").exists()


def test_a_command_that_ends_before_it_is_killed_is_not_what_the_scenario_tells(repo: Repo, session: Open) -> None:
    repo.kubectl()
    with pytest.raises(ScenarioError, match=r"step 1: kubectl ended before it was killed, after 5 seconds"):
        take(session("  - outside: [kubectl, wait]\n    killed_after: 5\n  - check_version: recorded\n"))


def test_a_deploy_that_waits_for_ever_is_ended_and_is_no_recording(
    repo: Repo, session: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "STEP_MINUTES", 0.5 / 60)
    monkeypatch.setattr(recording, "GRACE_SECONDS", 0.1)
    repo.kubectl(script="PATH=/usr/bin:/bin; [ $1 = diff ] && exec sleep 30")
    with pytest.raises(TakeError, match=r"kubectl diff .* ended as timed-out"):
        record(session("  - preview: recorded\n"))


def test_a_recorder_that_was_stopped_begins_no_step(repo: Repo, session: Open) -> None:
    repo.kubectl()
    with pytest.raises(TakeError, match="a: stopped before step 1"):
        take(session("  - preview: recorded\n", stopped=lambda: True))
