import dataclasses

import pytest

from sluiceway.model.stacks import Problem, Stack


def test_the_defaults_of_a_stack_are_those_of_the_configuration() -> None:
    stack = Stack("web", "web", "kubectl")
    assert (stack.preview_timeout, stack.deploy_timeout) == (10, None)
    assert (stack.depends_on, stack.inputs, stack.drift_enabled, stack.env_file) == ((), (), False, None)
    assert stack.options == {}


def test_stacks_and_problems_are_values() -> None:
    assert Problem("a", 1, "k", "p") == Problem("a", 1, "k", "p")
    with pytest.raises(dataclasses.FrozenInstanceError):
        Stack("web", "web", "kubectl").id = "x"  # type: ignore[misc]
