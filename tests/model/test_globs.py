import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.model.globs import glob_matches


@pytest.mark.parametrize(
    ("glob", "text", "matches"),
    [
        ("web", "web", True),
        ("web", "Web", False),
        ("web", "web/x", False),
        (".", ".", True),
        ("*", ".", True),
        ("*", "web", True),
        ("*", "", True),
        ("*", "envs/web", False),
        ("envs/*", "envs/web", True),
        ("envs/*", "envs/web:eu", True),
        ("envs/*", "envs/a/b", False),
        ("envs/*:eu", "envs/web:eu", True),
        ("w*b", "wb", True),
        ("w*b", "web", True),
        ("w*b", "webs", False),
        ("*a*a*", "a", False),
        ("*a*a*", "xaya", True),
        ("w?b", "web", True),
        ("w?b", "wb", False),
        ("a?b", "a/b", False),
        ("**", "a/b/c", True),
        ("**", ".", True),
        ("envs/**", "envs/a/b", True),
        ("envs/**", "envs", False),
        ("**/web", "web", True),
        ("**/web", "a/b/web", True),
        ("**/web", "a/webs", False),
        ("a/**/z", "a/z", True),
        ("a/**/z", "a/b/c/z", True),
        ("a/**/m/**/z", "a/b/m/c/m/z", True),
        ("a/**/m/**/z", "a/b/z", False),
        ("a.b", "axb", False),
        ("a+(b)|c$^", "a+(b)|c$^", True),
        ("a*b", "a\nb", True),
    ],
)
def test_what_a_glob_matches(glob: str, text: str, *, matches: bool) -> None:
    assert glob_matches(glob, text) is matches


def test_a_hostile_glob_costs_little() -> None:
    begun = time.process_time()
    assert not glob_matches("*a" * 200 + "b", "a" * 5000)
    assert not glob_matches("**/a/" * 200 + "b", "a/" * 2000)
    assert time.process_time() - begun < 5


@given(text=st.text(max_size=12))
def test_text_without_stars_matches_itself_alone(text: str) -> None:
    glob = text.replace("*", "x").replace("?", "x")
    assert glob_matches(glob, glob)
    assert not glob_matches(glob, f"{glob}x")


def _by_hand(glob: str, text: str) -> bool:
    """Match one name in the plainest way there is."""
    if not glob:
        return not text
    if glob[0] == "*":
        return any(_by_hand(glob[1:], text[at:]) for at in range(len(text) + 1))
    return bool(text) and glob[0] in ("?", text[0]) and _by_hand(glob[1:], text[1:])


@given(glob=st.text("ab*?", max_size=8).filter(lambda glob: glob != "**"), text=st.text("ab", max_size=8))
def test_a_name_is_matched_as_by_hand(glob: str, text: str) -> None:
    assert glob_matches(glob, text) is _by_hand(glob, text)
