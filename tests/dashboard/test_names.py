import pytest
from hypothesis import given

from sluiceway.dashboard.names import cut, link, named, said
from tests.dashboard.rendering import LINKING, rendered
from tests.strategies import names


@given(names)
def test_a_name_is_code_and_holds_no_marker(name: str) -> None:
    page = rendered(f"- {named(name)} x")
    assert len(page.codes) == 1
    assert page.prose.split() == ["x"]
    assert "<!--" not in named(name)


def test_a_comment_in_a_name_is_still_readable() -> None:
    assert named("a <!-- b") == r"`a \x3c!-- b`"


@given(names)
def test_a_sentence_links_and_mentions_nobody(name: str) -> None:
    page = rendered(f"Note: {said(name)}.")
    assert page.tags == {"html", "head", "body", "p"}
    assert not LINKING.search(page.prose)


@pytest.mark.parametrize(
    "name",
    [
        *("https://x.example", "ftp://x.example", "www.x.example", "_www.x.example", "(www.x.example)", "a@x.example"),
        *("mailto:a@x.example", "xmpp:a@x.example/b", "GH-1", "_GH-1", "o/r#1", "@o/team", "[^1]", "://www."),
    ],
)
def test_what_markdown_makes_a_link_of(name: str) -> None:
    for sentence in (name, f"see {name}", f"*{name}*", f"~{name}~"):
        page = rendered(f"Note: {said(sentence)}.\n\n[^1]: note\n")
        assert page.links == []
        assert not LINKING.search(page.prose)
        assert page.prose.replace("\u200b", "").startswith(f"Note: {sentence}.")


@pytest.mark.parametrize(
    ("url", "written"),
    [
        (
            "https://github.example/o/r/actions/runs/1#summary-2",
            "[run](https://github.example/o/r/actions/runs/1#summary-2)",
        ),
        ("http://ghes.example:8080/a b)<c>\n", "[run](http://ghes.example:8080/a%20b%29%3Cc%3E%0A)"),
        ("javascript:alert(1)", "run"),
        ("", "run"),
    ],
)
def test_a_link_goes_to_the_web_or_nowhere(url: str, written: str) -> None:
    assert link("run", url) == written


@given(names)
def test_a_link_stays_one_link(name: str) -> None:
    page = rendered(f"- {link('run', f'https://github.example/{name}')}, x")
    assert len(page.links) == 1
    assert page.prose.strip() == ", x"


def test_a_sentence_for_a_marker_is_cut() -> None:
    assert cut("a" * 300) == "a" * 300
    assert cut("a" * 301) == "a" * 299 + "…"
