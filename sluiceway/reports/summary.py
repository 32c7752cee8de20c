"""A Markdown report that has to fit somewhere: shortened where it is longest, and never in the middle of something."""

from collections import Counter
from collections.abc import Iterator, Sequence

from sluiceway.model.rows import Row
from sluiceway.reports.markdown import Detail, losses_markdown, row_markdown, state_words
from sluiceway.reports.words import losses, number

_NAMED = 20


def summary_markdown(rows: Sequence[Row], act: str, options: Sequence[str], room: int) -> str:
    """Return the report of what the command ``act`` gave, in at most ``room`` bytes of UTF-8.

    The longest rows lose their fields first, then their creates and updates, then all but their counts: of a row's
    deletes all are shown or none. Each says so. Rows for which there is no room at all are counted at the end; where
    there is none even for that, the report is empty.
    """
    head = "\n\n".join(_head(rows, act))
    details = [Detail.WHOLE for _ in rows]
    texts = [row_markdown(row, options) for row in rows]
    left = room - _bytes(head) - sum(map(_taken, texts))
    while left < 0 and min(details, default=Detail.COUNTS) < Detail.COUNTS:
        longest = max((_bytes(text), index) for index, text in enumerate(texts) if details[index] < Detail.COUNTS)[1]
        left += _taken(texts[longest])
        details[longest] = Detail(details[longest] + 1)
        texts[longest] = row_markdown(rows[longest], options, details[longest])
        left -= _taken(texts[longest])
    parts = _fitting(head, texts, room)
    return "\n\n".join(parts) + "\n" if parts else ""


def _head(rows: Sequence[Row], act: str) -> Iterator[str]:
    yield f"## sluiceway {act}"
    states = Counter(map(state_words, rows))
    if rows:
        yield f"{number(len(rows), 'stack')}: {', '.join(f'{states[state]} {state}' for state in sorted(states))}"
    else:
        yield "No stacks."
    if losing := [row for row in rows if losses(row)]:
        more = [number(len(losing) - _NAMED, "more stack")] if len(losing) > _NAMED else []
        yield "\n".join(f"- {words}" for words in (*map(losses_markdown, losing[:_NAMED]), *more))


def _fitting(head: str, texts: Sequence[str], room: int) -> list[str]:
    """Return what there is room for, in its order, with how many stacks there are besides."""
    if _taken(head) + sum(map(_taken, texts)) <= room:
        return [head, *texts]
    left = room - _taken(head) - _taken(_more(len(texts)))
    kept: list[str] = []
    for text in texts:
        left -= _taken(text)
        if left < 0:
            break
        kept.append(text)
    return [head, *kept, _more(len(texts) - len(kept))] if kept or left >= 0 else []


def _more(count: int) -> str:
    return f"{number(count, 'more stack')} did not fit here: the log has all of them."


def _taken(text: str) -> int:
    return _bytes(text) + len("\n\n")


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))
