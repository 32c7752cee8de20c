"""Fixtures that any test may use, and terms for tests that draw their input."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.fakes import World

# A busy machine is slow, not wrong: how long an example takes says nothing about what is tested.
settings.register_profile("sluiceway", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=20)
settings.load_profile("sluiceway")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)
