"""One module a command: each puts config, stacks, runners and a run together, and returns an exit code."""
