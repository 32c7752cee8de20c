"""The pytest plugin: each scenario file is collected, one test a version (``spec/recordings.md``).

``--record-mode`` is pytest-recording's own option and means for recordings of commands what it means for cassettes.
Loaded by a ``conftest.py`` (``pytest_plugins = ["recorder.plugin"]``) or by ``-p recorder``; not by an entry point,
because it would then load in every pytest of whoever installed Sluiceway.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest

from recorder.located import ScenarioError
from recorder.versions import FILE as VERSIONS
from recorder.versions import versions

if TYPE_CHECKING:
    from recorder.items import Workshop
    from recorder.scenario import Scenario

DIRECTORY = "scenarios"
CLUSTERS = ("kind", "local", "none")
WORKSHOP: pytest.StashKey["Workshop"] = pytest.StashKey()

pytest.register_assert_rewrite("recorder.items")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the one option that pytest-recording has no word for."""
    parser.getgroup("recording").addoption(
        "--cluster",
        choices=CLUSTERS,
        default=None,
        help="Where --record-mode records: kind makes clusters on Docker, local runs a control plane as plain "
        "processes, none reaches no cluster. Default: as the recording at hand was made; a new one with kind.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to run without the plugins that this one builds on."""
    for option, package in (("record_mode", "pytest-recording"), ("update_snapshots", "syrupy")):
        if not hasattr(config.option, option):
            raise pytest.UsageError(f"the plugin recorder needs {package}: pip install 'sluiceway[recorder]'")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "ScenarioFile | None":
    """Collect ``scenarios/<tool>/<name>.yaml``, where ``scenarios/versions.yaml`` says which versions to play."""
    scenarios = file_path.parent.parent
    if file_path.suffix == ".yaml" and scenarios.name == DIRECTORY and (scenarios / VERSIONS).is_file():
        return ScenarioFile.from_parent(parent, path=file_path)
    return None


def pytest_collection_finish(session: pytest.Session) -> None:
    """Note what is to be recorded, so that the versions can be recorded side by side."""
    tests = [item for item in session.items if isinstance(item, ScenarioTest)]
    if tests:
        from recorder.items import Workshop  # noqa: PLC0415 # only a session that plays scenarios pays for it

        session.config.stash[WORKSHOP] = Workshop(tests, session.config)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """End what was started for recording, at once after an interruption."""
    workshop = session.config.stash.get(WORKSHOP, None)
    if workshop is None:
        return
    if exitstatus == pytest.ExitCode.INTERRUPTED:
        workshop.interrupt()
    workshop.close()


class ScenarioFile(pytest.Module):
    """A scenario file: one test for each version of its tool. A module to pytest, so that fixtures work as usual."""

    def _getobj(self) -> Any:
        from recorder import items  # noqa: PLC0415 # as above

        return items

    def collect(self) -> Iterator["ScenarioTest"]:
        """Read the scenario and give its tests; what is wrong with the file is an error with its line."""
        from recorder.scenario import Scenario  # noqa: PLC0415 # as above

        try:
            scenario = Scenario.load(self.path)
            listed = versions(self.path.parent.parent, scenario.tool)
        except ScenarioError as error:
            raise self.CollectError(str(error)) from None
        for version in listed:
            yield ScenarioTest.of(self, scenario, version)


class ScenarioTest(pytest.Function):
    """One scenario with one version of its tool; what it does is :func:`recorder.items.plays`."""

    scenario: "Scenario"
    version: str

    @classmethod
    def of(cls, parent: ScenarioFile, scenario: "Scenario", version: str) -> Self:
        """Make the test of ``scenario`` with ``version``."""
        test = cls.from_parent(parent, name=version, callobj=parent.obj.plays)
        test.scenario, test.version = scenario, version
        # A replay reaches no network, whatever else is asked for; recording reaches its own cluster on loopback.
        test.add_marker(pytest.mark.block_network(allowed_hosts=[r"127\.0\.0\.1", "::1", "localhost"]))
        return test

    def reportinfo(self) -> tuple[Path, int, str]:
        """Say where the test is: in the scenario's file."""
        return self.path, 0, f"{self.scenario.name} {self.version}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show what is wrong with a scenario or a recording as it reads, without the way there."""
        del style
        from recorder.items import READABLE  # noqa: PLC0415 # as above

        return str(excinfo.value) if excinfo.errisinstance(READABLE) else super().repr_failure(excinfo)
