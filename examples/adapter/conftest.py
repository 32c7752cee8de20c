"""Loads the recorder's plugin, which collects ``scenarios/``."""

pytest_plugins = ["recorder.plugin"]
