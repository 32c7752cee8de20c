from hypothesis import given
from hypothesis import strategies as st

from sluiceway.model.stacks import Stack
from sluiceway.runs.dependencies import dependencies, in_order
from tests.fakes import stack, stacks


def test_without_dependencies_in_id_order() -> None:
    given = stacks("c", "a", "b")
    assert [one.id for one in in_order(given, given)] == ["a", "b", "c"]


def test_behind_what_it_depends_on() -> None:
    given = [stack("a", "z"), stack("b"), stack("z")]
    assert [one.id for one in in_order(given, given)] == ["b", "z", "a"]


def test_through_a_stack_that_is_not_at_hand() -> None:
    a, m, z = stack("a", "m"), stack("m", "z"), stack("z")
    assert [one.id for one in in_order([a, z], [a, m, z])] == ["z", "a"]
    assert dependencies(a, [a, m, z]) == {"m", "z"}


def test_each_once() -> None:
    given = stacks("a", "b")
    assert [one.id for one in in_order([*given, *given], given)] == ["a", "b"]


@st.composite
def circle_free(draw: st.DrawFn) -> list[Stack]:
    names = draw(st.lists(st.text("abcdef", min_size=1, max_size=3), unique=True, max_size=8))
    chosen = [
        stack(name, *draw(st.sets(st.sampled_from(names[:index])) if index else st.just(set())))
        for index, name in enumerate(names)
    ]
    return draw(st.permutations(chosen))


@given(circle_free())
def test_nothing_stands_before_what_it_depends_on(known: list[Stack]) -> None:
    ordered = [one.id for one in in_order(known, known)]
    assert sorted(ordered) == sorted(one.id for one in known)
    for one in known:
        assert all(ordered.index(name) < ordered.index(one.id) for name in dependencies(one, known))
