"""Makes recordings: clusters and tools of each version, scenarios, and the pytest plugin that plays them."""

pytest_plugins = ("recorder.plugin",)
"""What ``pytest -p recorder`` loads; a name only, so that importing this package costs nothing."""
