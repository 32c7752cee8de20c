"""Fixtures that any test may use."""

from pathlib import Path

import pytest

from tests.fakes import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)
