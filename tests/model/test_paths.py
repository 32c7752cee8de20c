import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sluiceway.model.paths import Path, write_path

segments = st.integers(0, 30) | st.text(st.sampled_from('ab_0.-[]"\\ \né'), max_size=4)


@pytest.mark.parametrize(
    ("path", "written"),
    [
        (("spec", "containers", 0, "image"), "spec.containers[0].image"),
        (("metadata", "labels", "app.kubernetes.io/name"), 'metadata.labels["app.kubernetes.io/name"]'),
        (("a", "k.e-y"), 'a["k.e-y"]'),
        (("k.e-y", "a"), '["k.e-y"].a'),
        (("a", "b_1", "_c", "D"), "a.b_1._c.D"),
        (("a", "1b"), 'a["1b"]'),
        (("a", "0"), 'a["0"]'),
        (("a", 0, 1, "b"), "a[0][1].b"),
        ((0, "b"), "[0].b"),
        (("a", ""), 'a[""]'),
        (("a", 'q"q'), r'a["q\"q"]'),
        (("a", "b\\s"), 'a["b\\s"]'),
        (("a", 'b\\"'), 'a["b\\\\""]'),
        (("a", "é"), 'a["é"]'),
        (("a", "٣"), 'a["٣"]'),
        (("a", "b\n"), 'a["b\n"]'),
        (("data", "app.properties"), 'data["app.properties"]'),
        ((), ""),
    ],
)
def test_how_a_path_is_written(path: Path, written: str) -> None:
    assert write_path(path) == written


@settings(max_examples=100)
@given(st.lists(segments, max_size=4), segments)
def test_a_path_begins_with_the_path_above_it(above: list[str | int], segment: str | int) -> None:
    assert write_path([*above, segment]).startswith(write_path(above))


@settings(max_examples=100)
@given(segments, segments)
def test_two_names_are_never_written_alike(one: str | int, other: str | int) -> None:
    assert (write_path((one,)) == write_path((other,))) is (one == other)
