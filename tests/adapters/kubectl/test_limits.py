"""What is too large for the API server is refused before it is asked."""

from sluiceway.adapters.kubectl.inventory import CONFIG_MAP_LIMIT, fits


def test_an_inventory_fits_by_its_bytes() -> None:
    assert fits("x" * CONFIG_MAP_LIMIT)
    assert not fits("x" * (CONFIG_MAP_LIMIT + 1))
    assert fits("é" * (CONFIG_MAP_LIMIT // 2))
    assert not fits("é" * (CONFIG_MAP_LIMIT // 2) + "x")
