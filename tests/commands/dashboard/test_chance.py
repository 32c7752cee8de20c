"""A few random runs; ``benchmarks/dashboard_runs.py`` plays a thousand."""

from pathlib import Path

import pytest

from tests.commands.dashboard.chance import Game


@pytest.mark.parametrize("seed", range(9001, 9009))
def test_a_random_run(seed: int, tmp_path: Path) -> None:
    game = Game(seed, tmp_path)
    assert game.play(12) == [], "\n".join(game.told)
    assert game.server.violations == []
