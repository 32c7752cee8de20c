"""Pages that people follow say who runs their commands; how they are read and followed, on small ones."""

import re
from pathlib import Path

import pytest

from tests.live.reader import DifferentError, Reader, steady
from tests.pages import BY_CI, PAGES, ROOT, Block, blocks, is_known


def console_blocks() -> list[tuple[str, Block]]:
    return [
        (path.relative_to(ROOT).as_posix(), block)
        for path in PAGES
        for block in blocks(path.read_text(encoding="utf-8"))
        if block.language == "console"
    ]


def test_every_console_block_says_who_runs_it() -> None:
    found = console_blocks()

    assert [(page, block.marker) for page, block in found if not is_known(block)] == []
    assert {block.runs.partition(":")[0] for _page, block in found} == {
        "tests/live",
        "docs/generate.py",
        "nobody",
        BY_CI,
    }


def test_what_is_typed_is_most_of_it() -> None:
    typed = {page for page, block in console_blocks() if block.is_typed}

    assert "docs/tutorial.md" in typed
    assert {page for page in typed if page.startswith("docs/how-to/")} >= {
        "docs/how-to/prune.md",
        "docs/how-to/helm.md",
    }


def test_what_ci_is_said_to_run_is_a_step_there() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    steps = {
        part for name in re.findall(r'^step "([^"]+)"', script, re.MULTILINE) for part in (name, *name.split(" && "))
    }
    said = [command for _page, block in console_blocks() if block.marker == BY_CI for command, _ in block.steps()]

    assert len(said) > 2
    assert [part for command in said for part in command.split(" && ") if part not in steps] == []


def test_every_fence_of_a_page_is_read() -> None:
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        assert len(re.findall(r"^```", text, re.MULTILINE)) == 2 * len(blocks(text)), path


PAGE = """
`a/b.txt`:

```yaml
one
two
```

```console
$ cat a/b.txt
one
two
$ echo x \\
    y
x y
```

`a/b.txt`:

```diff
 one
-two
+three
```

<!-- not run: it is not there -->
```console
$ nonsense
```

```console
$ cat a/b.txt
one
three
```
"""


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    return Reader(tmp_path / "repo", {}, {})


def test_a_page_is_followed(reader: Reader) -> None:
    assert reader.follow(PAGE) == PAGE
    assert blocks(PAGE)[3].reason == "it is not there"


def test_another_output_is_told(reader: Reader) -> None:
    with pytest.raises(DifferentError, match=r"(?s)cat a/b.txt.*the page shows:\none\nfour.*it prints:\none\nthree"):
        reader.follow(PAGE.replace("one\nthree", "one\nfour"))


def test_a_diff_that_does_not_fit_is_told(reader: Reader) -> None:
    with pytest.raises(AssertionError, match="does not hold, once"):
        reader.follow(PAGE.replace("-two", "-nine"))


def test_what_is_exported_holds_for_later_commands(reader: Reader) -> None:
    page = "```console\n$ export WORD=here\n$ echo $WORD\nhere\n```\n"

    assert reader.follow(page) == page


def test_a_page_is_rewritten_with_the_hashes_of_now(tmp_path: Path) -> None:
    old, new = "a" * 16, "b" * 16
    page = f"```console\n$ cat shown\n  Hash: {old}\n$ echo {old}\nold\n```\n"
    reader = Reader(tmp_path / "repo", {}, {}, rewrites=True)
    (tmp_path / "repo" / "shown").write_text(f"  Hash: {new}\n", encoding="utf-8")

    assert reader.follow(page) == f"```console\n$ cat shown\n  Hash: {new}\n$ echo {new}\n{new}\n```\n"


@pytest.mark.parametrize("rewrites", [True, False])
def test_a_bug_is_never_an_output(tmp_path: Path, rewrites: bool) -> None:
    page = "```console\n$ echo Sluiceway itself failed\nSluiceway itself failed\n```\n"

    with pytest.raises(DifferentError):
        Reader(tmp_path / "repo", {}, {}, rewrites=rewrites).follow(page)


def test_what_differs_from_run_to_run_is_written_in_one_way() -> None:
    printed = (
        "app: started\napp: in sync after 1.3 s (1 of 2 done)\nIN SYNC   app  (12.7 s)\n"
        "by kubectl (Update, 2031-02-03T04:05:06Z)\n"
        "app | W0203 04:05:06.070809    4711 diff.go:723] x\nLAST DEPLOYED: Mon Feb  3 04:05:06 2031\n"
    )

    assert steady(printed) == (
        "IN SYNC   app  (0.4 s)\nby kubectl (Update, 2026-12-01T09:30:00Z)\n"
        "app | W1201 09:30:00.000000     101 diff.go:723] x\nLAST DEPLOYED: Tue Dec  1 09:30:00 2026\n"
    )
