import pytest

from sluiceway.adapters.kubectl.options import KubectlOptions
from sluiceway.adapters.kubectl.target import Target
from sluiceway.model.stacks import Stack


def target(**options: object) -> Target:
    return Target.of(Stack("web", "web", "kubectl", options))


def test_a_stack_that_sets_nothing_adds_no_flag() -> None:
    assert target() == Target()
    assert (target().apply_flags(), target().cluster_flags(), target().context_flags()) == ((), (), ())
    assert target().manager == "kubectl"


def test_every_option_is_read_from_the_names_the_records_give_it() -> None:
    options = {
        "context": "c",
        "namespace": "n",
        "recursive": True,
        "prune": True,
        "forceConflicts": True,
        "allowEmpty": True,
        "fieldManager": "m",
        "concurrency": 4,
    }
    assert options.keys() == {field.alias or name for name, field in KubectlOptions.model_fields.items()}
    assert target(**options) == Target("c", "n", True, True, True, True, "m", 4)


def test_the_flags_stand_in_one_order() -> None:
    full = target(context="c", namespace="n", forceConflicts=True, fieldManager="m")
    assert full.apply_flags() == ("--context=c", "--namespace=n", "--force-conflicts", "--field-manager=m")
    assert full.cluster_flags() == ("--context=c", "--namespace=n")
    assert full.context_flags() == ("--context=c",)
    assert full.manager == "m"


@pytest.mark.parametrize("context", ["-looks=like --a flag", "a b"])
def test_a_context_never_reads_as_a_flag(context: str) -> None:
    assert target(context=context).context_flags() == (f"--context={context}",)


def test_two_stacks_are_in_one_place_with_the_same_context_and_namespace() -> None:
    here = target(context="c", namespace="n", prune=True)
    assert here.same_place(target(context="c", namespace="n"))
    assert not here.same_place(target(context="c"))
    assert not here.same_place(target(namespace="n"))
