"""The plugin, each option in a pytest of its own on a tiny project."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

import recorder.items  # noqa: F401 # loaded once, so that a class is the same one in every pytest of this file
from tests.recorder.repo import OTHER, SCENARIO, VERSION, Repo

PREVIEW = SCENARIO.replace("check_version", "preview")


@pytest.fixture
def repo(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = Repo(pytester.path, pytester.path / "cache")
    made.set_up()
    made.kubectl()
    monkeypatch.setenv("XDG_CACHE_HOME", str(made.cache))
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    return made


def run(pytester: pytest.Pytester, *arguments: str, outcome: dict[str, int] | None = None) -> pytest.RunResult:
    result = pytester.runpytest_inprocess("-p", "recorder", "-p", "no:cacheprovider", *arguments)
    if outcome is not None:
        result.assert_outcomes(**outcome)
    return result


def record(pytester: pytest.Pytester, mode: str, *arguments: str, **outcome: int) -> pytest.RunResult:
    return run(
        pytester, f"--record-mode={mode}", "--cluster=none", "--snapshot-update", *arguments, outcome=outcome or None
    )


def answer(repo: Repo, version: str = VERSION) -> str:
    path = repo.recording(version=version) / "check_version" / "1-version.stdout"
    return str(json.loads(path.read_text())["clientVersion"]["gitVersion"])


def snapshot(repo: Repo, version: str = VERSION, name: str = "version") -> Path:
    return repo.root / "scenarios/kubectl/snapshots" / name / f"{version}.json"


def test_a_scenario_is_a_test_for_each_version(pytester: pytest.Pytester, repo: Repo) -> None:
    repo.versions(VERSION, OTHER)
    result = run(pytester, "--collect-only", "-q")
    result.stdout.fnmatch_lines([f"scenarios/kubectl/version.yaml::{version}" for version in (VERSION, OTHER)])


def test_other_yaml_files_are_no_scenarios(pytester: pytest.Pytester, repo: Repo) -> None:
    repo.write("scenarios/kubectl/deep/er.yaml", "a: 1")
    repo.write("charts/web/values.yaml", "a: 1")
    result = run(pytester, "--collect-only", "-q")
    assert result.parseoutcomes() == {"tests": 1, "test": 1} or "1 test collected" in result.stdout.str()


def test_a_mistake_in_a_scenario_is_an_error_with_its_line(pytester: pytest.Pytester, repo: Repo) -> None:
    repo.scenario("version", SCENARIO + "colour: red\n")
    result = run(pytester, outcome={"errors": 1})
    result.stdout.fnmatch_lines(["*version.yaml:6: unknown key 'colour'; known here: description, example, *"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_without_a_mode_a_missing_recording_is_a_failing_test_for_each_version(
    pytester: pytest.Pytester, repo: Repo
) -> None:
    repo.versions(VERSION, OTHER)
    result = run(pytester, outcome={"failed": 2})
    for version in (VERSION, OTHER):
        result.stdout.fnmatch_lines([f"*recordings/kubectl/{version}/version holds no recording*"])
    result.stdout.fnmatch_lines(["*record: *pytest --record-mode=rewrite scenarios -k version"])
    assert not (repo.root / "recordings").exists()


def test_mode_none_only_replays(pytester: pytest.Pytester, repo: Repo) -> None:
    run(pytester, "--record-mode=none", "--cluster=none", outcome={"failed": 1})
    record(pytester, "once", passed=1)
    repo.kubectl(says="v1.34.9")
    run(pytester, "--record-mode=none", outcome={"passed": 1})
    assert answer(repo) == VERSION


def test_mode_once_records_what_has_no_recording_and_nothing_else(pytester: pytest.Pytester, repo: Repo) -> None:
    record(pytester, "once", passed=1)
    repo.kubectl(script="exit 1")
    repo.recording().joinpath("check_version/1-version.stdout").write_text(
        '{"clientVersion": {"gitVersion": "v1.34.5"}}'
    )
    record(pytester, "once", passed=1)
    assert answer(repo) == "v1.34.5"


def test_mode_new_episodes_records_a_scenario_that_asks_for_something_new(
    pytester: pytest.Pytester, repo: Repo
) -> None:
    record(pytester, "once", passed=1)
    repo.scenario("version", SCENARIO + "  - check_version: recorded\n    name: again\n")
    record(pytester, "once", failed=1)
    record(pytester, "new_episodes", passed=1)
    assert (repo.recording() / "again/1-version.stdout").is_file()
    untouched = (repo.recording() / "recording.yaml").stat()
    record(pytester, "new_episodes", passed=1)
    assert (repo.recording() / "recording.yaml").stat() == untouched


@pytest.mark.parametrize("mode", ["all", "rewrite"])
def test_modes_all_and_rewrite_record_anew_and_whole(pytester: pytest.Pytester, repo: Repo, mode: str) -> None:
    record(pytester, "once", passed=1)
    repo.write("recordings/kubectl/v1.34.0/version/stale", "x")
    manifest = repo.recording() / "recording.yaml"
    manifest.write_text(manifest.read_text().replace("says its version", "said"))
    record(pytester, mode, passed=1)
    assert not (repo.recording() / "stale").exists()
    assert "says its version" in manifest.read_text()


def test_recording_twice_gives_the_same_bytes_and_touches_no_file(pytester: pytest.Pytester, repo: Repo) -> None:
    record(pytester, "rewrite", passed=1)
    before = {path: path.stat().st_mtime_ns for path in repo.recording().rglob("*")}
    record(pytester, "rewrite", passed=1)
    assert {path: path.stat().st_mtime_ns for path in repo.recording().rglob("*")} == before


def test_a_subset_records_only_itself(pytester: pytest.Pytester, repo: Repo) -> None:
    repo.versions(VERSION, OTHER)
    repo.kubectl(OTHER)
    repo.scenario("other", SCENARIO)
    record(pytester, "rewrite", "-k", f"version.yaml and {OTHER}", passed=1)
    assert [path.relative_to(repo.root).as_posix() for path in repo.root.glob("recordings/*/*/*")] == [
        f"recordings/kubectl/{OTHER}/version"
    ]


def test_a_tool_of_a_wrong_version_is_not_recorded(pytester: pytest.Pytester, repo: Repo) -> None:
    repo.kubectl(says="v1.35.0")
    result = record(pytester, "rewrite", failed=1)
    result.stdout.fnmatch_lines(["kubectl 1.34.0 was not found*v1.35.0*"])
    assert not (repo.root / "recordings").exists()


def test_cluster_none_refuses_what_needs_one(pytester: pytest.Pytester, repo: Repo) -> None:
    repo.scenario("version", PREVIEW)
    result = record(pytester, "rewrite", failed=1)
    result.stdout.fnmatch_lines(["version needs a cluster: --cluster=kind or --cluster=local says which"])


def test_without_docker_a_new_recording_is_refused_in_a_sentence(
    pytester: pytest.Pytester, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.scenario("version", PREVIEW)
    monkeypatch.setenv("DOCKER_HOST", f"unix://{repo.root}/no-engine")
    monkeypatch.setenv("PATH", f"{repo.root}:/usr/bin:/bin")
    result = run(pytester, "--record-mode=once", outcome={"failed": 1})
    result.stdout.fnmatch_lines(["*--cluster=local*"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_another_kind_of_cluster_is_a_usage_error(pytester: pytest.Pytester, repo: Repo) -> None:  # noqa: ARG001
    result = run(pytester, "--cluster=mine")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--cluster: invalid choice: 'mine'*"])


def test_a_replay_reaches_no_network_also_when_nobody_asks_for_that(pytester: pytest.Pytester, repo: Repo) -> None:
    record(pytester, "once", passed=1)
    repo.write("conftest.py", PEEK)
    for arguments in ([], ["--block-network"]):
        result = run(pytester, *arguments, outcome={"passed": 1})
        assert "Network is disabled" in (repo.root / "reached").read_text(), result.stdout.str()


PEEK = """\
import pathlib, socket, pytest

@pytest.fixture(autouse=True)
def peek(block_network):
    with socket.socket() as outside:
        outside.settimeout(0.2)
        try:
            outside.connect(("192.0.2.1", 9))
        except Exception as error:
            pathlib.Path("reached").write_text(str(error))
"""


def test_the_snapshot_is_what_sluiceway_shows_without_seconds(pytester: pytest.Pytester, repo: Repo) -> None:
    record(pytester, "rewrite", passed=1)
    assert json.loads(snapshot(repo).read_text()) == [
        {"step": "check_version", "stacks": [{"stack": "app", "reason": None}]}
    ]


def test_a_snapshot_that_no_longer_holds_fails_the_test_and_only_an_update_changes_it(
    pytester: pytest.Pytester, repo: Repo
) -> None:
    record(pytester, "rewrite", passed=1)
    snapshot(repo).write_text("[]\n")
    run(pytester, outcome={"failed": 1})
    run(pytester, "--record-mode=rewrite", "--cluster=none", outcome={"failed": 1})
    assert snapshot(repo).read_text() == "[]\n"
    run(pytester, "--snapshot-update", outcome={"passed": 1})
    run(pytester, outcome={"passed": 1})


@pytest.mark.parametrize(
    "subset",
    [
        ["-k", VERSION],
        ["-k", "one"],
        ["scenarios/kubectl/one.yaml"],
        [f"scenarios/kubectl/one.yaml::{VERSION}"],
        ["scenarios", "--deselect", "scenarios/kubectl/two.yaml"],
        [],
    ],
)
def test_a_subset_never_deletes_other_snapshots(pytester: pytest.Pytester, repo: Repo, subset: list[str]) -> None:
    repo.versions(VERSION, OTHER)
    repo.kubectl(OTHER)
    for name in ("one", "two"):
        repo.scenario(name, SCENARIO)
    record(pytester, "once", passed=6)
    snapshots = sorted(repo.root.rglob("snapshots/*/*.json"))
    assert len(snapshots) == 6
    # Without its recording a test does not get as far as its snapshot.
    for file in repo.recording("one", OTHER).rglob("*"):
        if file.is_file():
            file.unlink()
    run(pytester, "--snapshot-update", *subset)
    assert sorted(repo.root.rglob("snapshots/*/*.json")) == snapshots


def test_the_snapshot_of_a_scenario_that_is_gone_is_unused(pytester: pytest.Pytester, repo: Repo) -> None:
    gone = repo.scenario("gone", SCENARIO)
    record(pytester, "once", passed=2)
    gone.unlink()
    result = run(pytester)
    result.stdout.fnmatch_lines(["*1 snapshot unused*"])
    run(pytester, "--snapshot-update", outcome={"passed": 1})
    assert not snapshot(repo, name="gone").exists()
    assert snapshot(repo).exists()


def test_what_tools_wrote_on_stderr_is_shown_with_a_failure(pytester: pytest.Pytester, repo: Repo) -> None:
    repo.write("cache/sluiceway/assets/kubectl/v1.34.0/kubectl", KUBECTL)
    result = record(pytester, "rewrite", failed=1)
    result.stdout.fnmatch_lines(["*stderr of the tools*", "it said this"])


KUBECTL = """\
#!/bin/sh
echo it said this >&2
echo "open /home/someone/.kube: no" >&2
echo '{"clientVersion": {"gitVersion": "v1.34.0"}}'
"""


def test_two_versions_are_recorded_side_by_side(pytester: pytest.Pytester, repo: Repo) -> None:
    repo.versions(VERSION, OTHER)
    waiting = "while [ ! -e {other} ]; do read -t 0.1 x < /dev/zero || :; done"
    for version, other in ((VERSION, OTHER), (OTHER, VERSION)):
        path = repo.kubectl(version)
        met = repo.root / f"met-{version}"
        body = path.read_text().replace("#!/bin/sh\n", "")
        wait = f'[ -z "$LC_ALL" ] || {{ : > {met}; {waiting.format(other=repo.root / f"met-{other}")}; }}\n'
        path.write_text("#!/bin/bash\n" + wait + body)
    record(pytester, "rewrite", passed=2)


def test_an_interruption_ends_the_tools_at_once_and_saves_nothing(repo: Repo) -> None:
    started = repo.root / "started"
    path = repo.kubectl()
    hang = f'[ -z "$LC_ALL" ] || {{ echo $$ > {started}; exec /bin/sleep 60; }}\n'
    path.write_text("#!/bin/sh\n" + hang + path.read_text().replace("#!/bin/sh\n", ""))
    argv = [sys.executable, "-m", "pytest", "-p", "recorder", "--record-mode=rewrite", "--cluster=none"]
    with subprocess.Popen(argv, cwd=repo.root, env=environment(repo), stdout=subprocess.DEVNULL) as recording:
        deadline = time.monotonic() + 30
        while not started.exists() or not started.read_text():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        recording.send_signal(signal.SIGINT)
        assert recording.wait(30) == pytest.ExitCode.INTERRUPTED
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)
    assert not (repo.root / "recordings").exists()


def environment(repo: Repo) -> dict[str, str]:
    """Return what a pytest of its own needs to find the plugin and the kubectls of ``repo``."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "XDG_CACHE_HOME": str(repo.cache), "PYTHONPATH": os.pathsep.join(sys.path)}


def test_replay_needs_no_tool_and_no_cluster(pytester: pytest.Pytester, repo: Repo) -> None:
    record(pytester, "once", passed=1)
    (repo.cache / "sluiceway/assets/kubectl/v1.34.0/kubectl").unlink()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "recorder", "-q", "--block-network", "-p", "no:cacheprovider"],
        cwd=repo.root,
        env={**environment(repo), "PATH": "", "XDG_CACHE_HOME": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.splitlines()[-1].split(" in ")[0]) == (0, "1 passed"), done.stdout


@pytest.mark.parametrize(("blocked", "package"), [("recording", "pytest-recording"), ("syrupy", "syrupy")])
def test_without_what_it_builds_on_the_plugin_says_what_to_install(
    pytester: pytest.Pytester,
    repo: Repo,  # noqa: ARG001
    blocked: str,
    package: str,
) -> None:
    result = run(pytester, "-p", f"no:{blocked}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*the plugin recorder needs {package}: pip install 'sluiceway?recorder?'*"])


def test_a_conftest_may_load_the_plugin_too(pytester: pytest.Pytester, repo: Repo) -> None:
    repo.write("conftest.py", 'pytest_plugins = ["recorder.plugin"]\n')
    result = pytester.runpytest_inprocess("--collect-only", "-q")
    result.stdout.fnmatch_lines([f"scenarios/kubectl/version.yaml::{VERSION}"])


def test_importing_the_package_loads_nothing() -> None:
    code = "import sys, recorder; print([m for m in ('pytest', 'yaml', 'recorder.plugin') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_recording_says_what_made_it(pytester: pytest.Pytester, repo: Repo) -> None:
    record(pytester, "once", passed=1)
    document = yaml.safe_load((repo.recording() / "recording.yaml").read_text())
    assert (document["cluster"], document["versions"], document["repository"]) == (
        "none",
        {"kubectl": VERSION},
        "octo-org/small",
    )
