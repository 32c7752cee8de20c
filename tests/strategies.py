"""Rows of every kind, with names as hostile as the world can make them."""

from typing import Any, get_args

from hypothesis import strategies as st

from sluiceway.model.changes import Change, Holder, Op, ShownValue, Tracking
from sluiceway.model.reasons import Detail, Kind, Reason
from sluiceway.model.rows import Outcome, Row

HOSTILE = (
    "@octocat",
    "#1",
    "GH-1",
    "a|b",
    "`code`",
    "```",
    "<!-- x -->",
    "</code><b>",
    "<details>",
    "- [x] done",
    "# head",
    "two\nlines",
    "\x1b[31mred\x1b[0m",
    "\x9b2J",
    "\u202egnp.exe",
    "\u2066\u2069",
    "\x00",
    "\x07",
    "::set-env name=X::y",
    "a ##[add-mask]b",
    "https://example.com",
    "www.example.com",
    "[a](b)",
    "![a](b)",
    "*a*",
    "$a$",
    "\\",
    "\udc80",
    " ",
    "é😀",
)
_ODD = "ab01 -_.:/@#`*[]<>&|~!$%\\\"'\x00\x07\t\r\n\x1b\x85\x9b\xa0\u200b\u2028\u202e\u2066\ufeff\ufffe\ud800\udc80é😀"
names = st.one_of(st.sampled_from(HOSTILE), st.text(_ODD, max_size=12), st.just("web"))
hashes = st.text("0123456789abcdef", min_size=16, max_size=16)
paths = st.lists(names, max_size=3).map(tuple)
maybe = st.none() | names


@st.composite
def changes(draw: st.DrawFn, *, drift: bool = False) -> Change:
    op: Op = draw(st.sampled_from(["update", "delete"] if drift else ["create", "update", "replace", "delete", "none"]))
    tracking: Tracking | None = (
        None if drift else draw(st.sampled_from(["import", "forget", "move"] if op == "none" else [None, "move"]))
    )
    keyed = op in {"update", "replace"}
    keys = draw(paths) if keyed else ()
    return Change(
        address=draw(names),
        type=draw(names),
        name=draw(names),
        op=op,
        changed_keys=keys,
        replace_keys=keys[:1] if op == "replace" else (),
        tracking=tracking,
        previous_address=draw(maybe) if tracking == "move" else None,
        values=tuple(draw(st.lists(st.builds(ShownValue, names, maybe, maybe), max_size=2))) if keyed else (),
        holders=tuple(draw(st.lists(holders, max_size=2))) if drift else (),
    )


holders = st.builds(Holder, names, names, maybe, maybe, paths)
reasons = st.builds(
    Reason,
    st.sampled_from(get_args(Kind)),
    names,
    names,
    st.none() | st.integers(-9, 255),
    st.none() | st.sampled_from(get_args(Detail)),
    st.dictionaries(st.sampled_from(["object", "manager"]), names),
)


@st.composite
def rows(draw: st.DrawFn) -> Row:
    """Draw a row that a run could give."""
    outcome: Outcome | None = draw(st.sampled_from([None, "deployed", "in-sync", "moved", "refused", "failed"]))
    facts: dict[str, Any] = {"notes": tuple(draw(st.lists(names, max_size=2))), "seconds": draw(st.floats(0, 1e6))}
    if draw(st.booleans()) and outcome in {None, "refused", "failed"}:
        return Row(draw(names), draw(names), "preview-failed", reason=draw(reasons), outcome=outcome, **facts)
    asked = draw(st.booleans())
    broken = draw(reasons) if asked and outcome in {None, "failed"} and draw(st.booleans()) else None
    drift = tuple(draw(st.lists(changes(drift=True), max_size=2))) if asked and not broken else ()
    found = () if outcome == "in-sync" else tuple(draw(st.lists(changes(), max_size=4)))
    return Row(
        draw(names),
        draw(names),
        "pending" if found else "drift" if drift else "in-sync",
        hash=None if broken else draw(hashes),
        changes=found,
        drift=drift if asked else None,
        drift_checked=broken is None if asked else None,
        drift_reason=broken,
        reason=draw(reasons) if outcome == "failed" and not broken else None,
        outcome=outcome,
        done=tuple(f"applied {name}" for name in draw(st.lists(names, max_size=2))) if outcome == "deployed" else (),
        **facts,
    )
