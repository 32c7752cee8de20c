"""Fixtures of the recorder's tests."""

from pathlib import Path

import pytest

from tests.recorder.programs import Machine


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine of the test's own: its PATH, cache and temporary directory, and no variable of the person's."""
    made = Machine(tmp_path / "machine")
    made.set_up()
    for name in ("KUBEBUILDER_ASSETS", "HELM_PLUGINS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KUBECONFIG", "/of/the/person")
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("tempfile.tempdir", str(made.temporary))
    return made
