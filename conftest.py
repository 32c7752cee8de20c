"""Loads the recorder's plugin, which collects ``scenarios/``, and pytester for its own tests."""

pytest_plugins = ["recorder.plugin", "pytester"]
